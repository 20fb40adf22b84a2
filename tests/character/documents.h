// SPDX-License-Identifier: Apache-2.0
//
// Documents as text, for tests. They are written with ' in place of ", so that they can be read.
#ifndef SNT_CHARACTER_DOCUMENTS_H
#define SNT_CHARACTER_DOCUMENTS_H

#include "test.h"

#include "sinew/character.h"

#include <stdlib.h>

// A copy with " for every '; free it with free().
static inline char *quoted(const char *text) {
    char *copy = malloc(strlen(text) + 1);
    assert_non_null(copy);
    strcpy(copy, text);
    for (char *c = copy; *c != 0; ++c) {
        *c = *c == '\'' ? '"' : *c;
    }
    return copy;
}

static inline sn_status parse_quoted(sn_context *context, const char *path, const char *text,
                                     sn_character **character, sn_error *error) {
    char *copy = quoted(text);
    sn_status status = sn_character_parse(context, path, copy, strlen(copy), character, error);
    free(copy);
    return status;
}

static inline void write_bytes(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void write_text(const char *path, const char *text) {
    write_bytes(path, text, strlen(text));
}

// A whole file, terminated; free it with free().
static inline char *read_bytes(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t capacity = 1 << 16, used = 0;
    char *bytes = malloc(capacity);
    while (used += fread(bytes + used, 1, capacity - used - 1, file), used == capacity - 1) {
        bytes = realloc(bytes, capacity *= 2);
    }
    fclose(file);
    bytes[used] = 0;
    *size = used;
    return bytes;
}

// A document with every key that there is.
static const char every_key[] =
    "{'sinew': 1, 'name': 'every key', 'about': 'a test',\n"
    "'skeleton': {\n"
    "  'root': {'about': 'it carries all', 'order': 'zyx'},\n"
    "  'upper': {'parent': 'root', 'translation': [0, 1, 0.25], 'rotation': [0, 0, 0, 1],\n"
    "    'scale': [1, 2, 1], 'limits_deg': {'rx': [-90, 90.5], 'ry': [0, 0], 'rz': [-1, 1]},\n"
    "    'limits': {'tx': [-1, 1], 'ty': [0, 1], 'tz': [0, 0], 'sx': [0.5, 2], 'sy': [1, 1],\n"
    "    'sz': [1, 3]}, 'rest_deg': {'rx': 10, 'ry': 0, 'rz': 0.5},\n"
    "    'rest': {'tx': 0.125, 'ty': 0, 'tz': 0, 'sx': 1, 'sy': 1, 'sz': 1}},\n"
    "  'lower': {'parent': 'upper', 'rotation_deg': [0, 90, 0], 'role': 'leftUpperArm'},\n"
    "  'jaw.L': {'parent': 'root', 'mirror': true},\n"
    "  'tail #.L': {'chain': 3, 'vary': {'translation': [[0, 0, 1], [0, 1, 0.5]], 'rest_deg.rx':\n"
    "    [5, 0]}, 'mirror': true}, 'toe #': {'repeat': 2}},\n"
    "'meshes': {'body': {'file': 'body.obj', 'mesh': 'body', 'unit': 0.01, 'up': 'z',\n"
    "  'about': 'one of several'},\n"
    "  'given': {'weights': 'body', 'about': 'comes from memory', 'mirrored': false},\n"
    "  'nail.L #': {'file': 'nail #.obj', 'repeat': 1, 'vary': {}, 'mirror': true},\n"
    "  'made': {'extract': {'dimension': 100, 'filter': 2.5, 'threshold': 40, 'relax': 1, "
    "'detail': 1, 'holes': 0.1,\n"
    "  'parts': ['fat', 'deltoid'], 'enlarge': {'upper': 1.5}, 'about': 'of the body'}}},\n"
    "'proportions': {'upper': 1.25},\n"
    "'bones': {'humerus': {'mesh': 'given', 'segment': 'upper', 'frame': 'segment',\n"
    "  'about': 'a bone'}, 'wrist': {'ellipsoid': {'center': [0, 0, 0.5], 'radii': [0.1, 0.2, "
    "0.1],\n"
    "  'rotation_deg': [0, 45, 0], 'detail': 4}, 'segment': 'lower'}, 'rib': {'tube': {'points':\n"
    "  [[0, 0, 0], [0, 1, 0]], 'radii': [0.1, [0.2, 0.1]], 'side': [1, 0, 0], 'cap': 0.5,\n"
    "  'detail': 6}, 'segment': 'root'},\n"
    "  'chin.L': {'ellipsoid': {'radii': [1, 1, 1]}, 'segment': 'jaw.L', 'mirror': true},\n"
    "  'nail #': {'ellipsoid': {'radii': [1, 1, 1]}, 'segment': 'toe #', 'repeat': 2},\n"
    "  'caudal #.L': {'repeat': 3, 'mirror': true, 'segment': 'tail #.L', 'ellipsoid': {'detail': "
    "2},\n"
    "  'vary': {'ellipsoid.radii': [[1, 2, 3], [1, 1, 1]]}}},\n"
    "'tissues': {'fat': {'mesh': 'given', 'segment': 'root', 'frame': 'world', 'density': 0.5,\n"
    "  'look': 'skin', 'about': 'soft'}, 'eye': {'ellipsoid': {'center': [0, 0, 0], 'radii': [1, "
    "1, 1],\n"
    "  'rotation_deg': [0, 0, 0], 'detail': 2},\n"
    "  'segment': 'root', 'frame': 'size', 'feature': true}, 'tail': {'tube': {'points':\n"
    "  [[0, 0, 0], [0, 1, 0]], 'radii': [0.1, 0.1], 'side': [1, 0, 0], 'cap': 0, 'detail': 4},\n"
    "  'segment': 'root'},\n"
    "  'pad #.L': {'repeat': 2, 'mirror': true, 'segment': 'root', 'vary': {'density': [1, 2]},\n"
    "  'ellipsoid': {'radii': [1, 1, 1]}}},\n"
    "'skins': {\n"
    "  'driver': {'mesh': 'body', 'show': false, 'look': 'cloth', 'about': 'moves the other',\n"
    "    'deformers': [{'kind': 'cloth', 'colliders': ['humerus'], 'pins': [0, 3], 'density': "
    "0.1,\n"
    "     'stretch': 0, 'shear': 0.01, 'bend': 0.001, 'damping': 2, 'gravity': 9.81,\n"
    "     'thickness': 0.01, 'friction': 0.5, 'apart': 0.01, 'rate': 480, 'envelope': 1}]},\n"
    "  'body': {'mesh': 'body', 'segment': 'root', 'frame': 'world', 'show': true, 'deformers': [\n"
    "    {'kind': 'morph', 'envelope': 0.5, 'targets': {'Smile': 'smile'},\n"
    "     'driver_mesh': 'driver', 'driver_control': 'smile', 'about': 'first', 'poses': [\n"
    "     {'follows': 'lower.rx_deg', 'interpolation': 'smooth', 'about': 'elbow', 'keys': [\n"
    "       {'at': 0, 'points': {}, 'about': 'straight'}, {'at': 90, 'points': {'0': [0, 1, 0]}},\n"
    "       {'at': 140, 'mesh': 'given'}]}, {'follows': 'fist', 'keys': [{'at': 1, 'points': "
    "{}}]},\n"
    "     {'follows': 'biceps.length', 'keys': [{'at': 0.1, 'points': {'12': [0, 0, 0]}}]}],\n"
    "     'weights': [{'weight': 0.5}, {'points': [0, 3]}, {'points': '1,2-3', 'values': [0, 1, "
    "0.5]},\n"
    "     {'group': 'arm', 'weight': 1},\n"
    "     {'attribute': 'color', 'about': 'painted'}]},\n"
    "    {'kind': 'blend', 'method': 'dual_quaternion', 'bones': {'UpperArm': 'upper'}, 'paint': "
    "[\n"
    "     {'segment': 'upper', 'points': '0-2', 'values': [0, 0.5, 1], 'about': 'by hand'},\n"
    "     {'segment': 'lower', 'points': [0, 3], 'weight': 0.25}]},\n"
    "    {'kind': 'falloff', 'muscles': ['biceps'], 'envelope': 1, 'd_full': 0.01, 'd_none': "
    "0.05,\n"
    "     'falloff': 'cubic', 'reach': 3}]}},\n"
    "'bodies': {'mandible.L': {'segment': 'jaw.L', 'bones': ['chin.L'], 'about': 'a jaw', "
    "'mirror':\n"
    "  true, 'motion': 'static', 'mass': 0.2, 'density': 1900, 'gravity': 9.81, 'balance': 1,\n"
    "  'damping': 5, 'inertia': 0.25, 'smoothing': 0.03, 'specific_tension': 400000, 'envelope': "
    "1,\n"
    "  'driven': {'gravity': 'fist'}, 'muscles': [{'muscle': 'masseter.L', 'strength': 100, "
    "'law':\n"
    "  'hill', 'optimum': 1, 'tendon': 0.1, 'passive': 0.02, 'tone': 0.05, 'speed': 10,\n"
    "  'viscosity': 0.1, 'shortening': 0.3, 'about': 'closer #', "
    "'repeat': 1, 'vary': {'strength': [1]}, 'mirror': false}], 'joints': [{'point': [0, 0, "
    "0],\n"
    "  'on': 'root', 'forward': [0, 0, 1], 'up': [0, 1, 0], 'travel': 0.01, 'back': 0, "
    "'slope_deg':\n"
    "  30, 'end_slope_deg': 5, 'play': 0.001, 'slack': 0, 'stiffness': 1000, 'capsule': 100,\n"
    "  'about': 'a condyle'}, {'at': [0, 0, 0], 'about': 'disc #', 'repeat': 2, 'vary': {'travel': "
    "[0, 1]}, 'mirror': false}], 'ligaments': [{'from': {'bone': 'humerus', "
    "'at':\n"
    "  [0, 0, 0], 'about': 'here'}, 'to': {'segment': 'jaw.L', 'at': [0, 0, 0], 'frame': "
    "'segment',\n"
    "  'about': 'there'}, 'slack': 1, 'stiffness': 100, 'about': 'band #', "
    "'repeat': 1, 'vary': {}, 'mirror': false}, {'from': {'bone':\n"
    "  'humerus', 'point': [0, 0, 0]}, 'to': {'bone': 'chin.L', 'point': [0, 0, 0]}}, {'from':\n"
    "  {'segment': 'root', 'at': [0, 0, 0], 'frame': 'size'}, 'to': {'bone': 'chin.L', 'at':\n"
    "  [0, 0, 0]}}], 'contacts': [{'bones': ['chin.L'], 'against': ['humerus'], 'within': [[0, 0,\n"
    "  0], [1, 1, 1]], 'stiffness': 1000, 'about': 'teeth'}]}, 'toe #': {'segment': 'toe #',\n"
    "  'repeat': 2, 'vary': {'mass': [1, 2]}, 'bones': ['nail #']}},\n"
    "'muscles': {'biceps': {'kind': 'patch', 'skin': 'body', 'curves': [[[0, 0, 0], [1, 0, 0]],\n"
    "  [[0, 1, 0], [1, 1, 0]]], 'segment': 'upper', 'center': [0, 0, 0], 'contraction': 'fist',\n"
    "  'tension': 'bulge', 'vary': {'bulge': [[0.5, 0.5, 2]], 'thickness': [[0, 0, 1]],\n"
    "  'contraction': [[1, 1, 0.5]]}, 'show': true, 'about': 'a muscle', 'skin_thickness': 0.002,\n"
    "  'muscle_thickness': 0.004, 'degree': 3, 'patches_u': 3, 'patches_v': 5, 'bulge': 2,\n"
    "  'ends': 'open', 'normals': 'skin', 'bone_share': 0.4, 'depth_from': 'humerus'},\n"
    "  'masseter.L': {'kind': 'ellipsoid', 'mirror': true, 'origin': {'segment': 'root', 'at': "
    "[0,\n"
    "  1, 0]}, 'insertion': {'segment': 'jaw.L', 'at': [0, 0, 1]}},\n"
    "  'deltoid': {'kind': 'cylinder', 'activation': 'fist', 'about': 'a cylinder', 'show': false, "
    "'slices': 8,\n"
    "  'points': 8, 'width': 0.1, 'thickness': 0.05, 'volume': 'exact', 'order': 'given', 'sizes': "
    "'metres',\n"
    "  'origins': [{'bone': 'humerus', 'at': [0, 0.5, 1], 'about': 'a place'},\n"
    "  {'bone': 'humerus', 'at': [1, 0.5, 1]}], 'insertions': [{'bone': 'humerus',\n"
    "  'at': [0, 0, 1]}, {'bone': 'humerus', 'at': [1, 0, 1]}], 'shape': [{'slice': 3, 'scale':\n"
    "  [1.5, 0.5], 'move': [0, 0.01, 0], 'turn_deg': [0, 0, 10], 'about': 'flat'}], 'pivots':\n"
    "  [{'slice': 6, 'segment': 'lower', 'at': [0, 0, 0.1], 'turn_deg': [0, 0, 0], 'use': 'bent', "
    "'frame': 'size',\n"
    "  'about': 'elbow'}]}, 'anconeus': {'kind': 'ellipsoid', 'origin': {'bone': 'humerus', 'at':\n"
    "  [0, 0, 0]}, 'insertion': {'bone': 'humerus', 'at': [1, 1, 1]}, 'slices': 6, 'points': 6,\n"
    "  'width': 0.1, 'thickness': 0.05, 'sizes': 'length'}, 'soleus': {'kind': 'mesh', 'mesh':\n"
    "  'given', 'about': 'a surface', 'strips': [{'slices': 8, 'about': 'a strip', 'origins':\n"
    "  [{'bone': 'humerus', 'at': [0, 0.5, 1]}, {'bone': 'humerus', 'at': [1, 0.5, 1]}],\n"
    "  'insertions': [{'bone': 'humerus', 'at': [0, 0, 1]}, {'bone': 'humerus', 'at':\n"
    "  [1, 0, 1]}]}]}, 'flexor #.L': {'repeat': 2, 'mirror': "
    "true,\n"
    "  'kind': 'ellipsoid', 'vary': {'width': [0.1, 0.2]}, 'origin': {'bone': 'caudal #.L', 'at':\n"
    "  [0, 0, 0]}, 'insertion': {'bone': 'caudal #.L', 'at': [1, 1, 1]}}},\n"
    "'controls': {'smile': {'low': -1, 'high': 2, 'value': 0.5, 'usual': [0, 1], 'unit': 'deg', "
    "'group': 'face', "
    "'about': "
    "'wide'},\n"
    "  'fist': {}, 'bulge': {}, 'reach': {'high': 10}, 'wag #.L': {'repeat': 2, 'mirror': true,\n"
    "  'vary': {'high': [1, 2]}}, 'near.L 1': {'mirror': true}},\n"
    "'synergies': [{'control': 'fist', 'spread': {'upper.rx_deg': 60, 'lower.rx': 0.5},\n"
    "  'about': 'closes'}, {'control': 'wag #.L', 'spread': {'tail #.L.ry_deg': 10}, 'repeat': 2,\n"
    "  'mirror': true, 'vary': {}}],\n"
    "'drivers': [{'control': 'bulge', 'parameter': 'upper.rx_deg', 'curve': [[0, 0], [90, 1]],\n"
    "  'interpolation': 'smooth', 'about': 'swells'},\n"
    "  {'control': 'reach', 'distance': ['shoulder', 'wrist']}, {'control': 'near.L #', 'repeat': "
    "1,\n"
    "  'mirror': true, 'vary': {}, 'distance': ['knuckle 1.L', 'knuckle 2.L']}],\n"
    "'landmarks': {'shoulder': {'segment': 'root', 'position': [0, 1.5, 0], 'about': 'a point'},\n"
    "  'wrist': {'segment': 'lower', 'position': [0, 0, 0]}, 'nose': {'mesh': 'body', 'vertex': "
    "2},\n"
    "  'knuckle #.L': {'repeat': 2, 'mirror': true, 'segment': 'lower', 'vary': {'position':\n"
    "  [[1, 0, 0], [2, 0, 0]]}, 'position': [0, 0, 0]}},\n"
    "'clips': {\n"
    "  'wave': {'rate': 24, 'frames': 48, 'about': 'hello', 'tracks': {'smile': {\n"
    "    'interpolation': 'stepped', 'keys': [[0, 0], [1, 1]], 'about': 'grins'},\n"
    "    'lower.tz': {'keys': [[0.5, 0.25]]}, 'tail #.L.ry_deg': {'repeat': 3, 'mirror': true,\n"
    "    'delay': 0.25, 'vary': {'keys': [[[0, 1], [1, 2], [2, 1]], [[0, 2], [1, 3], [2, "
    "2]]]}}}},\n"
    "  'walk': {'file': '../motion/walk.bvh', 'clip': 'walk', 'map': {'Hips': 'root'},\n"
    "    'pairing': {'root': 'Hips', 'upper': null, 'lower': {'Spine': 0.25, 'Head': 0.75}},\n"
    "    'unit': 0.01, 'up': 'y', 'scale': 0.056, 'rate': 30, 'ignore': ['Left*'], 'rest_frame': "
    "12,\n"
    "    'plant_feet': false}}}\n";

#endif
