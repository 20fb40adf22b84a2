# SPDX-License-Identifier: Apache-2.0
#
# Plays a point cache on a mesh in Blender and compares what it shows with the points themselves:
#     blender -b --python-exit-code 3 --python pc2.py -- MESH.obj CACHE.pc2 POINTS FIRST_FRAME
# POINTS holds float32 x y z of every vertex, frame after frame, little endian. CACHE.mdd works, too.
import sys

import bpy
import numpy as np

mesh_path, cache_path, points_path, first_frame = sys.argv[sys.argv.index("--") + 1:]
first_frame = int(first_frame)
bpy.ops.wm.read_factory_settings(use_empty=True)
# Blender's own axes, so that nothing is turned.
bpy.ops.wm.obj_import(filepath=mesh_path, forward_axis="Y", up_axis="Z")
thing = bpy.context.scene.objects[0]
count = len(thing.data.vertices)
expected = np.fromfile(points_path, dtype="<f4").reshape(-1, count, 3)

cache = thing.modifiers.new("cache", "MESH_CACHE")
cache.cache_format = "PC2" if cache_path.endswith(".pc2") else "MDD"
cache.filepath = cache_path
cache.forward_axis, cache.up_axis = "POS_Y", "POS_Z"
cache.frame_start = first_frame

size = np.linalg.norm(np.ptp(expected.reshape(-1, 3), axis=0))
worst = 0.0
for frame in range(len(expected)):
    bpy.context.scene.frame_set(first_frame + frame)
    shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    points = np.empty(3 * count, dtype=np.float32)
    shown.vertices.foreach_get("co", points)
    worst = max(worst, float(np.abs(points.reshape(-1, 3) - expected[frame]).max()))
print(f"largest difference {worst} of a box with the diagonal {size}")
assert len(expected) > 1 and np.ptp(expected, axis=0).max() > 0.01 * size, "nothing moves"
assert worst <= 1e-5 * size, f"{worst} is more than 1e-5 of {size}"
