# SPDX-License-Identifier: Apache-2.0
#
# Plays a character for games in Blender and compares what it shows with the full evaluation:
#     blender -b --python-exit-code 3 --python game.py -- NAME
# NAME.glb is the character, NAME.json lists its skins and clips, and NAME.points holds float32 x y z
# of every vertex of the skins in every frame of the clips, little endian.
import json
import sys

import bpy
import numpy as np

# The importer of Blender 3.4 asks for a name that newer versions of NumPy lack.
np.bool = bool

name = sys.argv[sys.argv.index("--") + 1]
with open(name + ".json") as file:
    about = json.load(file)
points = np.fromfile(name + ".points", dtype="<f4").reshape(-1, 3)
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.gltf(filepath=name + ".glb")
scene = bpy.context.scene

# The importer puts each clip on tracks that are named after it, one frame late, and mutes them.
owners = [thing for thing in bpy.data.objects] + [mesh.shape_keys for mesh in bpy.data.meshes]
owners = [owner for owner in owners if owner is not None and owner.animation_data is not None]


def choose_clip(clip):
    found = 0
    for owner in owners:
        owner.animation_data.action = None
        for track in owner.animation_data.nla_tracks:
            track.mute = True
            if track.name == clip:
                owner.animation_data.action = track.strips[0].action
                found += 1
    assert found > 0, f"Blender has no clip {clip}"


# Of several meshes with skins of one number of vertices the names decide.
def find_skin(skin):
    fitting = [thing for thing in bpy.data.objects if thing.type == "MESH"
               and len(thing.data.vertices) == skin["vertices"]]
    named = [thing for thing in fitting if thing.data.name == skin["name"]]
    assert fitting, f"Blender has no mesh like {skin['name']}"
    return (named or fitting)[0]


# Blender's z points up where that of glTF points to the front: (x, y, z) is shown at (x, -z, y).
def shown_points(thing):
    shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    local = np.empty(3 * len(shown.data.vertices), dtype=np.float32)
    shown.data.vertices.foreach_get("co", local)
    world = np.array(shown.matrix_world)
    turned = local.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]
    return np.stack([turned[:, 0], turned[:, 2], -turned[:, 1]], axis=1)


at = 0
things = [find_skin(skin) for skin in about["skins"]]
for clip in about["clips"]:
    choose_clip(clip["name"])
    distances, moved, first = [], 0.0, None
    for frame in range(clip["frames"]):
        time = frame / clip["rate"] * scene.render.fps
        scene.frame_set(int(time), subframe=time - int(time))
        for thing in things:
            shown = shown_points(thing)
            expected = points[at:at + len(shown)]
            at += len(shown)
            distances.append(np.linalg.norm(shown - expected, axis=1))
            first = shown if first is None else first
            if len(shown) == len(first):
                moved = max(moved, float(np.abs(shown - first).max()))
    mean = float(np.concatenate(distances).mean())
    largest = float(np.concatenate(distances).max())
    print(f"clip {clip['name']}: {1e3 * mean:.4f} mm off on average, reported "
          f"{1e3 * clip['mean']:.4f}; {1e3 * largest:.3f} mm at most")
    assert moved > 0.01, "nothing moves"
    assert mean < 1.05 * clip["mean"] + 1e-5, f"{mean} m is more than reported"
assert at == len(points), "points are left"
