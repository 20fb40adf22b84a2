// SPDX-License-Identifier: Apache-2.0
//
// Documents that say repeated things once: what they stand for, as text, and that they stay as they
// are written.
#include "../documents.h"

#define HEAD "{'sinew': 1, 'name': 'a',\n"

// What a document stands for, written out; free it with sn_json_free_text.
static char *expanded(sn_context *context, const char *text) {
    sn_character *character;
    sn_json *json;
    char *result;
    size_t size;
    snt_ok(parse_quoted(context, "a.sinew.json", text, &character, error));
    snt_ok(sn_character_expand(character, &json, error));
    snt_ok(sn_json_write(json, &result, &size, error));
    sn_json_destroy(json);
    sn_character_destroy(character);
    return result;
}

// The two documents, the second one without any repetition, mean the same.
static void expect_same(const char *file, int line, const char *text, const char *plain) {
    sn_context *context = snt_context(1);
    char *a = expanded(context, text), *b = expanded(context, plain);
    if (strcmp(a, b) != 0) {
        fail_msg("%s:%d: means\n%snot\n%s", file, line, a, b);
    }
    sn_json_free_text(context, a);
    sn_json_free_text(context, b);
    snt_context_end(context);
}
#define means(text, plain) expect_same(__FILE__, __LINE__, HEAD text "}", HEAD plain "}")

static void repeats_entries(void **state) {
    (void)state;
    means("'skeleton': {'a': {}, 'rib # of #': {'repeat': 2, 'parent': 'a', 'about': 'no. #'}}",
          "'skeleton': {'a': {}, 'rib 1 of 1': {'parent': 'a', 'about': 'no. 1'},\n"
          "'rib 2 of 2': {'parent': 'a', 'about': 'no. 2'}}");
    means("'controls': {'c #': {'repeat': 1}, 'd': {'mirror': false}}",
          "'controls': {'c 1': {}, 'd': {}}");
    means("'skeleton': {'s #': {'repeat': 2}}, 'controls': {'c #': {'repeat': 2}},\n"
          "'synergies': [{'repeat': 2, 'control': 'c #', 'spread': {'s #.rx_deg': 5}}]",
          "'skeleton': {'s 1': {}, 's 2': {}}, 'controls': {'c 1': {}, 'c 2': {}},\n"
          "'synergies': [{'control': 'c 1', 'spread': {'s 1.rx_deg': 5}},\n"
          "{'control': 'c 2', 'spread': {'s 2.rx_deg': 5}}]");
}

static void hangs_segments_on_each_other(void **state) {
    (void)state;
    means("'skeleton': {'a': {}, 't #': {'chain': 3, 'parent': 'a', 'order': 'zyx'}}",
          "'skeleton': {'a': {}, 't 1': {'parent': 'a', 'order': 'zyx'},\n"
          "'t 2': {'parent': 't 1', 'order': 'zyx'}, 't 3': {'parent': 't 2', 'order': 'zyx'}}");
    means("'skeleton': {'t #': {'chain': 2}}", // whose first one is a root
          "'skeleton': {'t 1': {}, 't 2': {'parent': 't 1'}}");
    means("'skeleton': {'palm.L': {'mirror': true}, 'f #.L': {'chain': 2, 'parent': 'palm.L',\n"
          "'mirror': true}}",
          "'skeleton': {'palm.L': {}, 'palm.R': {}, 'f 1.L': {'parent': 'palm.L'},\n"
          "'f 2.L': {'parent': 'f 1.L'}, 'f 1.R': {'parent': 'palm.R'},\n"
          "'f 2.R': {'parent': 'f 1.R'}}");
}

static void varies_along_the_repeats(void **state) {
    (void)state;
    // Three knots over five: every second one is met.
    means("'skeleton': {'t #': {'repeat': 5, 'translation': [9, 9, 9],\n"
          "'vary': {'translation': [[0, 1, 2], [0.2, 1, 0], [0.3, 1, 0.1]]}}}",
          "'skeleton': {'t 1': {'translation': [0, 1, 2]}, 't 2': {'translation': [0.1, 1, 1]},\n"
          "'t 3': {'translation': [0.2, 1, 0]}, 't 4': {'translation': [0.25, 1, 0.05]},\n"
          "'t 5': {'translation': [0.3, 1, 0.1]}}");
    // As many as there are: each its own. Objects on the way are made.
    means("'skeleton': {'a': {}}, 'bones': {'b #': {'repeat': 3, 'segment': 'a', 'vary':\n"
          "{'ellipsoid.radii': [[1, 2, 3], [7, 7, 7], [0.1, 0.2, 0.7]], 'ellipsoid.detail':\n"
          "[1, 3, 2]}}}",
          "'skeleton': {'a': {}}, 'bones': {\n"
          "'b 1': {'segment': 'a', 'ellipsoid': {'radii': [1, 2, 3], 'detail': 1}},\n"
          "'b 2': {'segment': 'a', 'ellipsoid': {'radii': [7, 7, 7], 'detail': 3}},\n"
          "'b 3': {'segment': 'a', 'ellipsoid': {'radii': [0.1, 0.2, 0.7], 'detail': 2}}}");
    // Into lists by number, and lists of lists.
    means("'skeleton': {'a #': {'repeat': 2}}, 'clips': {'c': {'tracks': {'a #.rx': {'repeat': 2,\n"
          "'keys': [[0, 1], [1, 2]], 'vary': {'keys.0.1': [4, 5]}}, 'a #.ry': {'repeat': 2,\n"
          "'vary': {'keys': [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]}}}}}",
          "'skeleton': {'a 1': {}, 'a 2': {}}, 'clips': {'c': {'tracks': {\n"
          "'a 1.rx': {'keys': [[0, 4], [1, 2]]}, 'a 2.rx': {'keys': [[0, 5], [1, 2]]},\n"
          "'a 1.ry': {'keys': [[0, 1], [2, 3]]}, 'a 2.ry': {'keys': [[4, 5], [6, 7]]}}}}");
}

static void reflects(void **state) {
    (void)state;
    means(
        "'skeleton': {'hip': {}, 'leg.L': {'parent': 'hip', 'translation': [0.1, -0.2, 0],\n"
        "'rotation_deg': [10, 20, -30], 'scale': [1, 2, 3], 'order': 'zxy',\n"
        "'limits_deg': {'rx': [-1, 2], 'ry': [-3, 4], 'rz': [0, 5]},\n"
        "'limits': {'tx': [-1, 2], 'ty': [-1, 2], 'sx': [0.5, 2]},\n"
        "'rest_deg': {'rx': 1, 'ry': 2, 'rz': 3}, 'rest': {'tx': 1, 'tz': 0.5}, 'mirror': true},\n"
        "'arm.left': {'rotation': [0.5, 0.5, -0.5, 0.5], 'role': 'leftHand', 'mirror': true}}",
        "'skeleton': {'hip': {}, 'leg.L': {'parent': 'hip', 'translation': [0.1, -0.2, 0],\n"
        "'rotation_deg': [10, 20, -30], 'scale': [1, 2, 3], 'order': 'zxy',\n"
        "'limits_deg': {'rx': [-1, 2], 'ry': [-3, 4], 'rz': [0, 5]},\n"
        "'limits': {'tx': [-1, 2], 'ty': [-1, 2], 'sx': [0.5, 2]},\n"
        "'rest_deg': {'rx': 1, 'ry': 2, 'rz': 3}, 'rest': {'tx': 1, 'tz': 0.5}},\n"
        "'leg.R': {'parent': 'hip', 'translation': [-0.1, -0.2, 0],\n"
        "'rotation_deg': [10, -20, 30], 'scale': [1, 2, 3], 'order': 'zxy',\n"
        "'limits_deg': {'rx': [-1, 2], 'ry': [-4, 3], 'rz': [-5, 0]},\n"
        "'limits': {'tx': [-2, 1], 'ty': [-1, 2], 'sx': [0.5, 2]},\n"
        "'rest_deg': {'rx': 1, 'ry': -2, 'rz': -3}, 'rest': {'tx': -1, 'tz': 0.5}},\n"
        "'arm.left': {'rotation': [0.5, 0.5, -0.5, 0.5], 'role': 'leftHand'},\n"
        "'arm.right': {'rotation': [0.5, -0.5, 0.5, 0.5], 'role': 'rightHand'}}");
}

static void reflects_components_and_muscles(void **state) {
    (void)state;
#define LIMB "'skeleton': {'hip': {}, 'leg.L': {}, 'leg.R': {}}, "
    means(LIMB
          "'bones': {'b.L': {'segment': 'leg.L', 'mirror': true, 'ellipsoid': {'center':\n"
          "[0.1, 0.2, 0], 'radii': [1, 2, 3], 'rotation_deg': [1, 2, 0]}}},\n"
          "'tissues': {'eye.R': {'mirror': true, 'segment': 'hip', 'frame': 'size', 'feature':\n"
          "true, 'ellipsoid': {'center': [-0.5, 0, 1], 'radii': [1, 1, 1]}}}",
          LIMB "'bones': {'b.L': {'segment': 'leg.L', 'ellipsoid': {'center':\n"
               "[0.1, 0.2, 0], 'radii': [1, 2, 3], 'rotation_deg': [1, 2, 0]}},\n"
               "'b.R': {'segment': 'leg.R', 'ellipsoid': {'center':\n"
               "[-0.1, 0.2, 0], 'radii': [1, 2, 3], 'rotation_deg': [1, -2, 0]}}},\n"
               "'tissues': {'eye.R': {'segment': 'hip', 'frame': 'size', 'feature':\n"
               "true, 'ellipsoid': {'center': [-0.5, 0, 1], 'radii': [1, 1, 1]}},\n"
               "'eye.L': {'segment': 'hip', 'frame': 'size', 'feature':\n"
               "true, 'ellipsoid': {'center': [0.5, 0, 1], 'radii': [1, 1, 1]}}}");
#define ENDS                                                                                       \
    "'bones': {'b.L': {'segment': 'leg.L', 'ellipsoid': {'radii': [1, 1, 1]}}, 'b.R': {'segment':" \
    " 'leg.R', 'ellipsoid': {'radii': [1, 1, 1]}}, 'c': {'segment': 'hip', 'ellipsoid': {'radii':" \
    " [1, 1, 1]}}}, 'muscles': {"
    means(LIMB ENDS
          "'m.L': {'kind': 'ellipsoid', 'mirror': true, 'activation': 'go.L', 'origin': {'bone':\n"
          "'c', 'at': [0.5, 0, 1]}, 'insertion': {'bone': 'b.L', 'at': [0.5, 1, 1]}}},\n"
          "'controls': {'go.L': {'mirror': true, 'unit': 'm'}}",
          LIMB ENDS "'m.L': {'kind': 'ellipsoid', 'activation': 'go.L', 'origin': {'bone':\n"
                    "'c', 'at': [0.5, 0, 1]}, 'insertion': {'bone': 'b.L', 'at': [0.5, 1, 1]}},\n"
                    "'m.R': {'kind': 'ellipsoid', 'activation': 'go.R', 'origin': {'bone':\n"
                    "'c', 'at': [0.5, 0, 1]}, 'insertion': {'bone': 'b.R', 'at': [0.5, 1, 1]}}},\n"
                    "'controls': {'go.L': {'unit': 'm'}, 'go.R': {'unit': 'm'}}");
    means(LIMB ENDS
          "'m.L': {'kind': 'cylinder', 'mirror': true, 'width': 0.1,\n"
          "'origins': [{'bone': 'c', 'at': [0.9, 0, 1]}, {'bone': 'b.L', 'at': [-1, 1, 1]}],\n"
          "'insertions': [{'bone': 'b.L', 'at': [0.3, 0, 1]}, {'bone': 'c', 'at': [2, 1, 1]}],\n"
          "'shape': [{'slice': 2, 'scale': [1, 2], 'move': [1, 2, 3], 'turn_deg': [1, 2, 3]}],\n"
          "'pivots': [{'slice': 3, 'segment': 'leg.L', 'at': [1, 2, 3], 'turn_deg': [1, 2, 3],\n"
          "'half': 'leg.R', 'use': 'never'}]}}",
          LIMB ENDS
          "'m.L': {'kind': 'cylinder', 'width': 0.1,\n"
          "'origins': [{'bone': 'c', 'at': [0.9, 0, 1]}, {'bone': 'b.L', 'at': [-1, 1, 1]}],\n"
          "'insertions': [{'bone': 'b.L', 'at': [0.3, 0, 1]}, {'bone': 'c', 'at': [2, 1, 1]}],\n"
          "'shape': [{'slice': 2, 'scale': [1, 2], 'move': [1, 2, 3], 'turn_deg': [1, 2, 3]}],\n"
          "'pivots': [{'slice': 3, 'segment': 'leg.L', 'at': [1, 2, 3], 'turn_deg': [1, 2, 3],\n"
          "'half': 'leg.R', 'use': 'never'}]}, 'm.R': {'kind': 'cylinder', 'width': 0.1,\n"
          "'origins': [{'bone': 'c', 'at': [0.1, 0, 1]}, {'bone': 'b.R', 'at': [2, 1, 1]}],\n"
          "'insertions': [{'bone': 'b.R', 'at': [0.7, 0, 1]}, {'bone': 'c', 'at': [-1, 1, 1]}],\n"
          "'shape': [{'slice': 2, 'scale': [1, 2], 'move': [-1, 2, 3], 'turn_deg': [1, -2, -3]}],\n"
          "'pivots': [{'slice': 3, 'segment': 'leg.R', 'at': [-1, 2, 3], 'turn_deg': [1, -2, -3],\n"
          "'half': 'leg.L', 'use': 'never'}]}}");
    // Places in the world and in segments' frames are points, and so are sections.
    means(
        LIMB ENDS
        "'m.L': {'kind': 'cylinder', 'mirror': true, 'slices': 3,\n"
        "'origins': [{'bone': 'b.L', 'point': [1, 2, 3]}, {'segment': 'leg.L', 'at': [3, 1, 1]}],\n"
        "'insertions': [{'segment': 'leg.L', 'at': [4, 0, 1]}, {'bone': 'c', 'at': [2, 1, 1]}],\n"
        "'sections': [{'center': [1, 2, 3], 'wide': [4, 5, 0], 'thick': [-5, 4, 0]},\n"
        "{'center': [0, 0, 0], 'wide': [1, 0, 0], 'thick': [0, 1, 0]}, {'center': [7, 8, 9],\n"
        "'wide': [0, 1, 0], 'thick': [1, 0, 0]}]}}",
        LIMB ENDS
        "'m.L': {'kind': 'cylinder', 'slices': 3,\n"
        "'origins': [{'bone': 'b.L', 'point': [1, 2, 3]}, {'segment': 'leg.L', 'at': [3, 1, 1]}],\n"
        "'insertions': [{'segment': 'leg.L', 'at': [4, 0, 1]}, {'bone': 'c', 'at': [2, 1, 1]}],\n"
        "'sections': [{'center': [1, 2, 3], 'wide': [4, 5, 0], 'thick': [-5, 4, 0]},\n"
        "{'center': [0, 0, 0], 'wide': [1, 0, 0], 'thick': [0, 1, 0]}, {'center': [7, 8, 9],\n"
        "'wide': [0, 1, 0], 'thick': [1, 0, 0]}]},\n"
        "'m.R': {'kind': 'cylinder', 'slices': 3,\n"
        "'origins': [{'bone': 'b.R', 'point': [-1, 2, 3]}, {'segment': 'leg.R', 'at': [-3, 1, "
        "1]}],\n"
        "'insertions': [{'segment': 'leg.R', 'at': [-4, 0, 1]}, {'bone': 'c', 'at': [-1, 1, 1]}],\n"
        "'sections': [{'center': [-1, 2, 3], 'wide': [-4, 5, 0], 'thick': [5, 4, 0]},\n"
        "{'center': [0, 0, 0], 'wide': [-1, 0, 0], 'thick': [0, 1, 0]}, {'center': [-7, 8, 9],\n"
        "'wide': [0, 1, 0], 'thick': [-1, 0, 0]}]}}");
    // What moves a pivot: inputs change their sign with their parameter, outputs those of x.
    means(LIMB ENDS
          "'m.L': {'kind': 'cylinder', 'mirror': true,\n"
          "'origins': [{'bone': 'c', 'at': [0.9, 0, 1]}, {'bone': 'b.L', 'at': [-1, 1, 1]}],\n"
          "'insertions': [{'bone': 'b.L', 'at': [0.3, 0, 1]}, {'bone': 'c', 'at': [2, 1, 1]}],\n"
          "'pivots': [{'slice': 3, 'segment': 'leg.L', 'at': [1, 2, 3], 'use': 'range',\n"
          "'parameter': 'leg.L.ry_deg', 'range': [10, 30], 'moves': {\n"
          "'x': {'parameter': 'leg.L.rx', 'curve': [[0, 1], [1, 3]], 'interpolation': 'spline'},\n"
          "'y': {'parameter': 'leg.L.rz', 'curve': [[0, 1], [1, 3]]}}},\n"
          "{'slice': 4, 'segment': 'leg.L', 'at': [1, 2, 3], 'use': 'range',\n"
          "'parameter': 'leg.L.rx_deg', 'range': [10, 30]}]}}",
          LIMB ENDS
          "'m.L': {'kind': 'cylinder',\n"
          "'origins': [{'bone': 'c', 'at': [0.9, 0, 1]}, {'bone': 'b.L', 'at': [-1, 1, 1]}],\n"
          "'insertions': [{'bone': 'b.L', 'at': [0.3, 0, 1]}, {'bone': 'c', 'at': [2, 1, 1]}],\n"
          "'pivots': [{'slice': 3, 'segment': 'leg.L', 'at': [1, 2, 3], 'use': 'range',\n"
          "'parameter': 'leg.L.ry_deg', 'range': [10, 30], 'moves': {\n"
          "'x': {'parameter': 'leg.L.rx', 'curve': [[0, 1], [1, 3]], 'interpolation': 'spline'},\n"
          "'y': {'parameter': 'leg.L.rz', 'curve': [[0, 1], [1, 3]]}}},\n"
          "{'slice': 4, 'segment': 'leg.L', 'at': [1, 2, 3], 'use': 'range',\n"
          "'parameter': 'leg.L.rx_deg', 'range': [10, 30]}]},\n"
          "'m.R': {'kind': 'cylinder',\n"
          "'origins': [{'bone': 'c', 'at': [0.1, 0, 1]}, {'bone': 'b.R', 'at': [2, 1, 1]}],\n"
          "'insertions': [{'bone': 'b.R', 'at': [0.7, 0, 1]}, {'bone': 'c', 'at': [-1, 1, 1]}],\n"
          "'pivots': [{'slice': 3, 'segment': 'leg.R', 'at': [-1, 2, 3], 'use': 'range',\n"
          "'parameter': 'leg.R.ry_deg', 'range': [-30, -10], 'moves': {\n"
          "'x': {'parameter': 'leg.R.rx', 'curve': [[0, -1], [1, -3]], 'interpolation': "
          "'spline'},\n"
          "'y': {'parameter': 'leg.R.rz', 'curve': [[-1, 3], [0, 1]]}}},\n"
          "{'slice': 4, 'segment': 'leg.R', 'at': [-1, 2, 3], 'use': 'range',\n"
          "'parameter': 'leg.R.rx_deg', 'range': [10, 30]}]}}");
    // Bodies to go around: their x axis is turned round.
    means(LIMB ENDS
          "'m.L': {'kind': 'cylinder', 'mirror': true,\n"
          "'origins': [{'bone': 'c', 'at': [0.9, 0, 1]}, {'bone': 'b.L', 'at': [-1, 1, 1]}],\n"
          "'insertions': [{'bone': 'b.L', 'at': [0.3, 0, 1]}, {'bone': 'c', 'at': [2, 1, 1]}],\n"
          "'around': [{'slices': [2, 3], 'segment': 'leg.L', 'cylinder': {'center': [1, 2, 3],\n"
          "'rotation_deg': [1, 2, 3], 'radius': 2}, 'side': '+x'}, {'slices': [4, 5],\n"
          "'segment': 'leg.L', 'ellipsoid': {'center': [1, 2, 3], 'radii': [1, 2, 3]},\n"
          "'side': '-z'}]}}",
          LIMB ENDS
          "'m.L': {'kind': 'cylinder',\n"
          "'origins': [{'bone': 'c', 'at': [0.9, 0, 1]}, {'bone': 'b.L', 'at': [-1, 1, 1]}],\n"
          "'insertions': [{'bone': 'b.L', 'at': [0.3, 0, 1]}, {'bone': 'c', 'at': [2, 1, 1]}],\n"
          "'around': [{'slices': [2, 3], 'segment': 'leg.L', 'cylinder': {'center': [1, 2, 3],\n"
          "'rotation_deg': [1, 2, 3], 'radius': 2}, 'side': '+x'}, {'slices': [4, 5],\n"
          "'segment': 'leg.L', 'ellipsoid': {'center': [1, 2, 3], 'radii': [1, 2, 3]},\n"
          "'side': '-z'}]},\n"
          "'m.R': {'kind': 'cylinder',\n"
          "'origins': [{'bone': 'c', 'at': [0.1, 0, 1]}, {'bone': 'b.R', 'at': [2, 1, 1]}],\n"
          "'insertions': [{'bone': 'b.R', 'at': [0.7, 0, 1]}, {'bone': 'c', 'at': [-1, 1, 1]}],\n"
          "'around': [{'slices': [2, 3], 'segment': 'leg.R', 'cylinder': {'center': [-1, 2, 3],\n"
          "'rotation_deg': [1, -2, -3], 'radius': 2}, 'side': '-x'}, {'slices': [4, 5],\n"
          "'segment': 'leg.R', 'ellipsoid': {'center': [-1, 2, 3], 'radii': [1, 2, 3]},\n"
          "'side': '-z'}]}}");
    // Where the order is given it is turned round; one place each is not.
    means(LIMB ENDS
          "'m.L': {'kind': 'cylinder', 'order': 'given', 'mirror': true,\n"
          "'origins': [{'bone': 'c', 'at': [0, 0, 0]}, {'bone': 'c', 'at': [0, 1, 0]}],\n"
          "'insertions': [{'bone': 'b.L', 'at': [0, 0, 0]}, {'bone': 'b.L', 'at': [0, 1, 0]}]},\n"
          "'e.L': {'kind': 'ellipsoid', 'mirror': true, 'origin': {'bone': 'b.L', 'at':\n"
          "[0, 0, 0]}, 'insertion': {'bone': 'b.L', 'at': [1, 1, 1]}}}",
          LIMB ENDS
          "'m.L': {'kind': 'cylinder', 'order': 'given',\n"
          "'origins': [{'bone': 'c', 'at': [0, 0, 0]}, {'bone': 'c', 'at': [0, 1, 0]}],\n"
          "'insertions': [{'bone': 'b.L', 'at': [0, 0, 0]}, {'bone': 'b.L', 'at': [0, 1, 0]}]},\n"
          "'m.R': {'kind': 'cylinder', 'order': 'given',\n"
          "'origins': [{'bone': 'c', 'at': [1, 1, 0]}, {'bone': 'c', 'at': [1, 0, 0]}],\n"
          "'insertions': [{'bone': 'b.R', 'at': [1, 1, 0]}, {'bone': 'b.R', 'at': [1, 0, 0]}]},\n"
          "'e.L': {'kind': 'ellipsoid', 'origin': {'bone': 'b.L', 'at':\n"
          "[0, 0, 0]}, 'insertion': {'bone': 'b.L', 'at': [1, 1, 1]}},\n"
          "'e.R': {'kind': 'ellipsoid', 'origin': {'bone': 'b.R', 'at':\n"
          "[1, 0, 0]}, 'insertion': {'bone': 'b.R', 'at': [0, 1, 1]}}}");
    means("'meshes': {'m.L': {'file': 'm.obj', 'weights': 'w.L', 'mirror': true}, 'w.L': {'file':\n"
          "'w.glb', 'mirror': true, 'mirrored': true}}, 'landmarks': {'p left': {'mesh': 'm.L',\n"
          "'vertex': 7, 'mirror': true}}",
          "'meshes': {'m.L': {'file': 'm.obj', 'weights': 'w.L'}, 'm.R': {'file': 'm.obj', "
          "'weights':\n"
          "'w.R', 'mirrored': true}, 'w.L': {'file': 'w.glb', 'mirrored': true}, 'w.R': {'file':\n"
          "'w.glb', 'mirrored': false}}, 'landmarks': {'p left': {'mesh': 'm.L', 'vertex': 7},\n"
          "'p right': {'mesh': 'm.R', 'vertex': 7}}");
}

static void reflects_controls_and_what_moves_them(void **state) {
    (void)state;
#define ARMS "'skeleton': {'hip': {}, 'L4': {}, 'arm.L': {}, 'arm.R': {}}, "
    means(ARMS "'controls': {'fist.L': {'mirror': true, 'group': 'hand.L', 'high': 2}},\n"
               "'synergies': [{'control': 'fist.L', 'mirror': true, 'spread': {'arm.L.rx': 1,\n"
               "'arm.L.ry_deg': 2, 'arm.L.rz': 3, 'arm.L.tx': 4, 'arm.L.ty': 5, 'hip.rx': 6,\n"
               "'hip.rz': 7, 'L4.ry': 8, 'L4.sx': 9}}]",
          ARMS
          "'controls': {'fist.L': {'group': 'hand.L', 'high': 2}, 'fist.R': {'group': 'hand.R',\n"
          "'high': 2}}, 'synergies': [{'control': 'fist.L', 'spread': {'arm.L.rx': 1,\n"
          "'arm.L.ry_deg': 2, 'arm.L.rz': 3, 'arm.L.tx': 4, 'arm.L.ty': 5, 'hip.rx': 6,\n"
          "'hip.rz': 7, 'L4.ry': 8, 'L4.sx': 9}},\n"
          "{'control': 'fist.R', 'spread': {'arm.R.rx': 1,\n"
          "'arm.R.ry_deg': -2, 'arm.R.rz': -3, 'arm.R.tx': -4, 'arm.R.ty': 5, 'hip.rx': 6,\n"
          "'hip.rz': -7, 'L4.ry': -8, 'L4.sx': 9}}]");
    // A control without a side moves both, and what has none once.
    means(ARMS "'controls': {'shrug': {}, 'up.L': {'mirror': true}}, 'synergies': [{'control':\n"
               "'shrug', 'mirror': true, 'spread': {'arm.L.rz': 3, 'hip.rx': 1, 'up.L': 0.5}}]",
          ARMS "'controls': {'shrug': {}, 'up.L': {}, 'up.R': {}}, 'synergies': [{'control':\n"
               "'shrug', 'spread': {'arm.L.rz': 3, 'hip.rx': 1, 'up.L': 0.5}},\n"
               "{'control': 'shrug', 'spread': {'arm.R.rz': -3, 'up.R': 0.5}}]");
    means(
        ARMS
        "'controls': {'a.L': {'mirror': true}, 'b.L': {'mirror': true}, 'c.L': {'mirror': true},\n"
        "'d.L': {'mirror': true}}, 'landmarks': {'p.L': {'segment': 'arm.L', 'position': [1, 2, "
        "3],\n"
        "'mirror': true}, 'q': {'segment': 'hip', 'position': [0, 0, 0]}},\n"
        "'drivers': [{'control': 'a.L', 'parameter': 'arm.L.rx', 'mirror': true},\n"
        "{'control': 'b.L', 'parameter': 'arm.L.rz', 'mirror': true, 'curve': [[-1, 0], [2, 5], "
        "[3, 9]]},\n"
        "{'control': 'c.L', 'parameter': 'hip.tx', 'mirror': true},\n"
        "{'control': 'd.L', 'distance': ['p.L', 'q'], 'curve': [[0, 0], [1, 1]], 'mirror': true}]",
        ARMS
        "'controls': {'a.L': {}, 'a.R': {}, 'b.L': {}, 'b.R': {}, 'c.L': {}, 'c.R': {},\n"
        "'d.L': {}, 'd.R': {}}, 'landmarks': {'p.L': {'segment': 'arm.L', 'position': [1, 2, 3]},\n"
        "'p.R': {'segment': 'arm.R', 'position': [-1, 2, 3]}, 'q': {'segment': 'hip', 'position':\n"
        "[0, 0, 0]}}, 'drivers': [{'control': 'a.L', 'parameter': 'arm.L.rx'},\n"
        "{'control': 'a.R', 'parameter': 'arm.R.rx'},\n"
        "{'control': 'b.L', 'parameter': 'arm.L.rz', 'curve': [[-1, 0], [2, 5], [3, 9]]},\n"
        "{'control': 'b.R', 'parameter': 'arm.R.rz', 'curve': [[-3, 9], [-2, 5], [1, 0]]},\n"
        "{'control': 'c.L', 'parameter': 'hip.tx'},\n"
        "{'control': 'c.R', 'parameter': 'hip.tx', 'curve': [[-1000000, 1000000], [1000000, "
        "-1000000]]},\n"
        "{'control': 'd.L', 'distance': ['p.L', 'q'], 'curve': [[0, 0], [1, 1]]},\n"
        "{'control': 'd.R', 'distance': ['p.R', 'q'], 'curve': [[0, 0], [1, 1]]}]");
}

static void turns_tracks_round_the_clip(void **state) {
    (void)state;
#define LEGS "'skeleton': {'leg.L': {}, 'leg.R': {}}, 'clips': {'walk': {'tracks': {"
    means(LEGS
          "'leg.L.rx_deg': {'keys': [[0, 0], [0.3, 20], [0.8, 0]], 'mirror': true, 'delay': 0.4},\n"
          "'leg.L.ry': {'keys': [[0.1, 1]], 'mirror': true},\n"
          "'leg.L.rz': {'interpolation': 'stepped', 'keys': [[0, 1], [0.3, 2], [0.7, 1]],\n"
          "'mirror': true, 'delay': 0.5}}}}",
          LEGS "'leg.L.rx_deg': {'keys': [[0, 0], [0.3, 20], [0.8, 0]]},\n"
               "'leg.R.rx_deg': {'keys': [[0, 16], [0.4, 0], [0.7, 20], [0.8, 16]]},\n"
               "'leg.L.ry': {'keys': [[0.1, 1]]}, 'leg.R.ry': {'keys': [[0.1, -1]]},\n"
               "'leg.L.rz': {'interpolation': 'stepped', 'keys': [[0, 1], [0.3, 2], [0.7, 1]]},\n"
               "'leg.R.rz': {'interpolation': 'stepped', 'keys': [[0, -2], [0.4, -1], [0.5, -1],\n"
               "[0.8, -2]]}}}}");
    // Once round is the same, and so is not at all.
    means(LEGS "'leg.L.tx': {'keys': [[0, 1], [1, 2], [2, 1]], 'mirror': true, 'delay': 2},\n"
               "'leg.L.ty': {'keys': [[0, 1], [1, 2], [2, 1]], 'mirror': true, 'delay': 0}}}}",
          LEGS "'leg.L.tx': {'keys': [[0, 1], [1, 2], [2, 1]]},\n"
               "'leg.R.tx': {'keys': [[0, -1], [1, -2], [2, -1]]},\n"
               "'leg.L.ty': {'keys': [[0, 1], [1, 2], [2, 1]]},\n"
               "'leg.R.ty': {'keys': [[0, 1], [1, 2], [2, 1]]}}}}");
}

static void fits_names_of_segments(void **state) {
    (void)state;
    means(
        "'skeleton': {'arm.L': {'mirror': true}, 'forearm.L': {'mirror': true}, 'armour': {}},\n"
        "'proportions': {'*arm.*': 2}",
        "'skeleton': {'arm.L': {}, 'arm.R': {}, 'forearm.L': {}, 'forearm.R': {}, 'armour': {}},\n"
        "'proportions': {'arm.L': 2, 'arm.R': 2, 'forearm.L': 2, 'forearm.R': 2}");
    // Without anything that is repeated, and with a star that is part of a name.
    means("'skeleton': {'a': {}, 'ab': {}, 'aab': {}, 'a*': {}}, 'proportions': {'*b': 2, 'a*': 3}",
          "'skeleton': {'a': {}, 'ab': {}, 'aab': {}, 'a*': {}},\n"
          "'proportions': {'ab': 2, 'aab': 2, 'a*': 3}");
    means("'skeleton': {'abcab': {}, 'abc': {}, 'ab': {}}, 'proportions': {'ab**ab': 2}",
          "'skeleton': {'abcab': {}, 'abc': {}, 'ab': {}}, 'proportions': {'abcab': 2}");
    means("'skeleton': {'hand.L': {'mirror': true}}, 'meshes': {'m': {'extract': {'enlarge':\n"
          "{'hand.*': 2}}}}",
          "'skeleton': {'hand.L': {}, 'hand.R': {}}, 'meshes': {'m': {'extract': {'enlarge':\n"
          "{'hand.L': 2, 'hand.R': 2}}}}");
}

static void says_names_out(void **state) {
    (void)state;
    means("'skeleton': {'t #': {'chain': 2}, 'toe #.L': {'repeat': 2, 'mirror': true}},\n"
          "'proportions': {'t #': 2, 'toe #.R': 3}, 'controls': {'c': {}, 'd #': {'repeat': 2}},\n"
          "'synergies': [{'control': 'c', 'spread': {'t #.rx_deg': 4, 'd #': 1}}]",
          "'skeleton': {'t 1': {}, 't 2': {'parent': 't 1'}, 'toe 1.L': {}, 'toe 2.L': {},\n"
          "'toe 1.R': {}, 'toe 2.R': {}}, 'proportions': {'t 1': 2, 't 2': 2, 'toe 1.R': 3,\n"
          "'toe 2.R': 3}, 'controls': {'c': {}, 'd 1': {}, 'd 2': {}}, 'synergies': [{'control': "
          "'c',\n"
          "'spread': {'t 1.rx_deg': 4, 't 2.rx_deg': 4, 'd 1': 1, 'd 2': 1}}]");
    means(
        "'skeleton': {'a': {}}, 'meshes': {'m': {}}, 'bones': {'b #': {'repeat': 2, 'segment': "
        "'a',\n"
        "'ellipsoid': {'radii': [1, 1, 1]}}}, 'tissues': {'t #.L': {'repeat': 1, 'mirror': true,\n"
        "'segment': 'a', 'ellipsoid': {'radii': [1, 1, 1]}}}, 'skins': {'s': {'mesh': 'm',\n"
        "'deformers': [{'kind': 'membrane', 'components': ['b #', 't #.L', 't #.R']},\n"
        "{'kind': 'cloth', 'colliders': ['b #']}]}}",
        "'skeleton': {'a': {}}, 'meshes': {'m': {}}, 'bones': {'b 1': {'segment': 'a',\n"
        "'ellipsoid': {'radii': [1, 1, 1]}}, 'b 2': {'segment': 'a', 'ellipsoid': {'radii':\n"
        "[1, 1, 1]}}}, 'tissues': {'t 1.L': {'segment': 'a', 'ellipsoid': {'radii': [1, 1, 1]}},\n"
        "'t 1.R': {'segment': 'a', 'ellipsoid': {'radii': [1, 1, 1]}}}, 'skins': {'s': {'mesh': "
        "'m',\n"
        "'deformers': [{'kind': 'membrane', 'components': ['b 1', 'b 2', 't 1.L', 't 1.R']},\n"
        "{'kind': 'cloth', 'colliders': ['b 1', 'b 2']}]}}");
}

// Numbers of a tube along the ribs, of a mesh of parts, and of what a skin is made from.
static void repeats_tubes_and_parts(void **state) {
    (void)state;
    means("'skeleton': {'a': {}}, 'bones': {'rib #.L': {'repeat': 2, 'segment': 'a', 'mirror': "
          "true,\n"
          "'tube': {'side': [1, 0, 1]}, 'vary': {'tube.points': [[[0, 0, 0], [1, 0, 0]], [[0, 1, "
          "0],\n"
          "[2, 1, 0]]], 'tube.radii': [[1, 2], [3, 4]]}}},\n"
          "'meshes': {'s': {'extract': {'parts': ['rib #.L', 'rib #.R']}}}",
          "'skeleton': {'a': {}}, 'bones': {\n"
          "'rib 1.L': {'segment': 'a', 'tube': {'side': [1, 0, 1], 'points': [[0, 0, 0], [1, 0, "
          "0]],\n"
          "'radii': [1, 2]}},\n"
          "'rib 2.L': {'segment': 'a', 'tube': {'side': [1, 0, 1], 'points': [[0, 1, 0], [2, 1, "
          "0]],\n"
          "'radii': [3, 4]}},\n"
          "'rib 1.R': {'segment': 'a', 'tube': {'side': [-1, 0, 1], 'points': [[0, 0, 0], [-1, 0, "
          "0]],\n"
          "'radii': [1, 2]}},\n"
          "'rib 2.R': {'segment': 'a', 'tube': {'side': [-1, 0, 1], 'points': [[0, 1, 0], [-2, 1, "
          "0]],\n"
          "'radii': [3, 4]}}}, 'meshes': {'s': {'extract': {'parts': ['rib 1.L', 'rib 2.L', 'rib "
          "1.R',\n"
          "'rib 2.R']}}}");
}

// "#" means itself where nothing is repeated, and where something has that very name.
static void leaves_other_names_alone(void **state) {
    (void)state;
    static const char plain[] =
        HEAD "'skeleton': {'bone#1': {}, 'b #': {'parent': 'bone#1'}}, 'proportions': {'b #': 2},\n"
             "'controls': {'c#': {}}, 'synergies': [{'control': 'c#', 'spread': {'b #.rx': 1}}]}";
    expect_same(__FILE__, __LINE__, plain, plain);
    means(
        "'skeleton': {'t #': {}, 'a': {}}, 'proportions': {'t #': 2}, 'bones': {'t #': {'repeat': "
        "1,\n"
        "'segment': 'a', 'ellipsoid': {'radii': [1, 1, 1]}}}, 'controls': {'x': {'mirror': false}}",
        "'skeleton': {'t #': {}, 'a': {}}, 'proportions': {'t #': 2}, 'bones': {'t 1': {\n"
        "'segment': 'a', 'ellipsoid': {'radii': [1, 1, 1]}}}, 'controls': {'x': {}}");
}

// Saved, a document has the bytes that it had; edits go into what is written.
static void stays_as_it_is_written(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    char *text = quoted(HEAD "'skeleton': {'leg.L': {'mirror': true}, 't #': {'chain': 4}},\n"
                             "'proportions': {'t #': 1.5}}");
    sn_character *character;
    size_t size;
    const char *path = snt_scratch("repeat.sinew.json");
    snt_ok(sn_character_parse(context, path, text, strlen(text), &character, error));
    snt_ok(sn_character_save(character, path, error));
    sn_character_destroy(character);
    char *first = read_bytes(path, &size);
    snt_ok(sn_character_load(context, path, &character, error));
    snt_ok(sn_character_check(character, error));
    snt_ok(sn_character_save(character, path, error));
    char *second = read_bytes(path, &size);
    assert_string_equal(first, second);
    assert_non_null(strstr(second, "\"t #\": {\"chain\": 4}"));
    assert_null(strstr(second, "leg.R"));
    sn_json *json = sn_character_document(character), *said;
    sn_value *leg = sn_json_find(json, "/skeleton/leg.L");
    sn_json_add_numbers(json, leg, "translation", (double[3]){1, 2, 3}, 3);
    snt_ok(sn_character_check(character, error));
    snt_ok(sn_character_expand(character, &said, error));
    assert_true(sn_value_number(sn_json_find(said, "/skeleton/leg.R/translation/0"), 0) == -1);
    assert_int_equal(sn_json_find(said, "/skeleton/leg.R")->line, leg->line);
    sn_json_destroy(said);
    sn_character_destroy(character);
    free(first);
    free(second);
    free(text);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeats_entries),
        cmocka_unit_test(hangs_segments_on_each_other),
        cmocka_unit_test(varies_along_the_repeats),
        cmocka_unit_test(reflects),
        cmocka_unit_test(reflects_components_and_muscles),
        cmocka_unit_test(reflects_controls_and_what_moves_them),
        cmocka_unit_test(turns_tracks_round_the_clip),
        cmocka_unit_test(says_names_out),
        cmocka_unit_test(fits_names_of_segments),
        cmocka_unit_test(repeats_tubes_and_parts),
        cmocka_unit_test(leaves_other_names_alone),
        cmocka_unit_test(stays_as_it_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
