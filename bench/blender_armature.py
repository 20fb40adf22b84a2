# SPDX-License-Identifier: Apache-2.0
"""Times Blender's Armature modifier on the sheet of bench/blend.c.

    blender --background --python bench/blender_armature.py -- 20000 100000

One evaluation with a changed pose, less the same with the modifier switched off; the shortest of
several. Prints "sinew-time METHOD SIZE MS" lines.
"""
import math
import sys
import time

import bpy

BONES = 100
INFLUENCES = 4


def make_armature():
    armature = bpy.data.objects.new("chain", bpy.data.armatures.new("chain"))
    bpy.context.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    previous = None
    for i in range(BONES):
        bone = armature.data.edit_bones.new(f"bone{i}")
        bone.head = (i / BONES, 0, 0)
        bone.tail = ((i + 1) / BONES, 0, 0)
        bone.parent = previous
        previous = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in armature.pose.bones:
        bone.rotation_mode = "XYZ"
    return armature


def make_sheet(size):
    side = math.ceil(math.sqrt(size))
    points = []
    for i in range(size):
        x, y = (i // side) / side, (i % side) / side
        points.append((x, y * 0.2, 0.01 * math.sin(40 * y)))
    mesh = bpy.data.meshes.new("sheet")
    mesh.from_pydata(points, [], [])
    sheet = bpy.data.objects.new("sheet", mesh)
    bpy.context.collection.objects.link(sheet)
    groups = [sheet.vertex_groups.new(name=f"bone{i}") for i in range(BONES)]
    # Vertices of one row share their weights.
    for row in range(side):
        vertices = list(range(row * side, min(size, (row + 1) * side)))
        along = row / side * (BONES - INFLUENCES)
        first = int(along)
        part = along - first
        for k, weight in enumerate([(1 - part) / 3, 1 / 3, 1 / 3, part / 3]):
            groups[min(first + k, BONES - 1)].add(vertices, max(weight, 1e-3), "REPLACE")
    return sheet


def evaluation_ms(sheet, armature, runs):
    best = math.inf
    layer = bpy.context.view_layer
    for run in range(runs + 1):
        for bone in armature.pose.bones:
            bone.rotation_euler = (0.03, 0.02, 0.01 + 0.001 * (run % 2))
        sheet.update_tag(refresh={"DATA"})
        start = time.perf_counter()
        layer.update()
        sheet.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        seconds = time.perf_counter() - start
        if run > 0:
            best = min(best, seconds)
    return best * 1e3


def main():
    print("sinew-version", bpy.app.version_string, flush=True)
    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)
    armature = make_armature()
    for size in map(int, sys.argv[sys.argv.index("--") + 1:]):
        sheet = make_sheet(size)
        modifier = sheet.modifiers.new("armature", "ARMATURE")
        modifier.object = armature
        runs = 15 if size <= 100000 else 7
        for method in ("linear", "dual_quaternion"):
            modifier.use_deform_preserve_volume = method == "dual_quaternion"
            modifier.show_viewport = False
            without = evaluation_ms(sheet, armature, runs)
            modifier.show_viewport = True
            full = evaluation_ms(sheet, armature, runs)
            print("sinew-time", method, size, max(full - without, 1e-3), flush=True)
            print("#", method, size, full, without, file=sys.stderr)
        mesh = sheet.data
        bpy.data.objects.remove(sheet)
        bpy.data.meshes.remove(mesh)


main()
