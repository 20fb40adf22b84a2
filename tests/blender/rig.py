# SPDX-License-Identifier: Apache-2.0
#
# Writes a box of two storeys on two bones, the upper one bending by one radian over ten frames:
#     blender -b --python-exit-code 3 --python rig.py -- OUT.fbx
# OUT.dae writes Collada.
import sys

import bpy
from mathutils import Quaternion

out = sys.argv[sys.argv.index("--") + 1]
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene

square = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
points = [(x, y, z) for z in (0, 1, 2) for x, y in square]
faces = [(4 * k + i, 4 * k + (i + 1) % 4, 4 * k + 4 + (i + 1) % 4, 4 * k + 4 + i)
         for k in (0, 1) for i in range(4)]
faces += [(3, 2, 1, 0), (8, 9, 10, 11)]
mesh = bpy.data.meshes.new("box")
mesh.from_pydata(points, [], faces)
box = bpy.data.objects.new("box", mesh)
scene.collection.objects.link(box)

armature = bpy.data.armatures.new("rig")
rig = bpy.data.objects.new("rig", armature)
scene.collection.objects.link(rig)
bpy.context.view_layer.objects.active = rig
bpy.ops.object.mode_set(mode="EDIT")
lower = armature.edit_bones.new("lower")
lower.head, lower.tail = (0, 0, 0), (0, 0, 1)
upper = armature.edit_bones.new("upper")
upper.head, upper.tail = (0, 0, 1), (0, 0, 2)
upper.parent = lower
bpy.ops.object.mode_set(mode="OBJECT")

for name, vertices in (("lower", range(0, 8)), ("upper", range(8, 12))):
    box.vertex_groups.new(name=name).add(list(vertices), 1.0, "REPLACE")
box.parent = rig
box.modifiers.new("rig", "ARMATURE").object = rig

bone = rig.pose.bones["upper"]
bone.rotation_mode = "QUATERNION"
for frame, angle in ((1, 0.0), (11, 1.0)):
    bone.rotation_quaternion = Quaternion((1, 0, 0), angle)
    bone.keyframe_insert("rotation_quaternion", frame=frame)
scene.frame_start, scene.frame_end = 1, 11

if out.endswith(".fbx"):
    bpy.ops.export_scene.fbx(filepath=out, add_leaf_bones=False)
else:
    bpy.ops.wm.collada_export(filepath=out)
