# SPDX-License-Identifier: Apache-2.0
"""Times Blender's Surface Deform modifier on the sheets of bench/wrap.c.

    blender --background --python bench/blender_surface_deform.py -- 20000 100000

Binding by the operator; then one evaluation with a changed driver, less the same with the modifier
switched off; the shortest of several. Prints "sinew-time KEY SIZE MS" lines.
"""
import math
import sys
import time

import bpy

SIDE = 32


def place(x, y, lift):
    return (x, y, 0.05 * math.sin(7 * x) * math.cos(5 * y) + lift)


def add_object(name, points, faces):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], faces)
    item = bpy.data.objects.new(name, mesh)
    bpy.context.collection.objects.link(item)
    return item


def make_driver():
    row = SIDE + 1
    points = [place((i // row) / SIDE, (i % row) / SIDE, 0) for i in range(row * row)]
    faces = []
    for f in range(SIDE * SIDE):
        a = f // SIDE * row + f % SIDE
        faces.append((a, a + row, a + row + 1, a + 1))
    return add_object("cage", points, faces)


def make_sheet(size):
    side = math.ceil(math.sqrt(size))
    return add_object("sheet", [place((i // side) / side, (i % side) / side, 0.002)
                                for i in range(size)], [])


def bind_ms(sheet, modifier, runs):
    best = math.inf
    bpy.context.view_layer.objects.active = sheet
    for _ in range(runs):
        if modifier.is_bound:
            bpy.ops.object.surfacedeform_bind(modifier=modifier.name)
        start = time.perf_counter()
        bpy.ops.object.surfacedeform_bind(modifier=modifier.name)
        bpy.context.view_layer.update()
        best = min(best, time.perf_counter() - start)
        if not modifier.is_bound:
            raise RuntimeError("not bound")
    return best * 1e3


def evaluation_ms(sheet, driver, rest, runs):
    best = math.inf
    layer = bpy.context.view_layer
    for run in range(runs + 1):
        amount = 0.2 + 0.01 * (run % 2)
        points = []
        for x, y, z in rest:
            points.extend((x, y, z + amount * math.sin(3 * x)))
        driver.data.vertices.foreach_set("co", points)
        driver.data.update()
        sheet.update_tag(refresh={"DATA"})
        start = time.perf_counter()
        layer.update()
        sheet.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        seconds = time.perf_counter() - start
        if run > 0:
            best = min(best, seconds)
    driver.data.vertices.foreach_set("co", [c for point in rest for c in point])
    driver.data.update()
    layer.update()
    return best * 1e3


def main():
    print("sinew-version", bpy.app.version_string, flush=True)
    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)
    driver = make_driver()
    rest = [tuple(v.co) for v in driver.data.vertices]
    for size in map(int, sys.argv[sys.argv.index("--") + 1:]):
        sheet = make_sheet(size)
        modifier = sheet.modifiers.new("wrap", "SURFACE_DEFORM")
        modifier.target = driver
        runs = 9 if size <= 100000 else 3
        print("sinew-time bind", size, bind_ms(sheet, modifier, runs), flush=True)
        modifier.show_viewport = False
        without = evaluation_ms(sheet, driver, rest, runs)
        modifier.show_viewport = True
        full = evaluation_ms(sheet, driver, rest, runs)
        print("sinew-time deform", size, max(full - without, 1e-3), flush=True)
        print("#", size, full, without, file=sys.stderr)
        mesh = sheet.data
        bpy.data.objects.remove(sheet)
        bpy.data.meshes.remove(mesh)


main()
