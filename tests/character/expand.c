// SPDX-License-Identifier: Apache-2.0
//
// Documents that say repeated things once: what they stand for, as text, and that they stay as they
// are written.
#include "documents.h"

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
        "'arm.left': {'rotation': [0.5, 0.5, -0.5, 0.5], 'mirror': true}}",
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
        "'arm.left': {'rotation': [0.5, 0.5, -0.5, 0.5]},\n"
        "'arm.right': {'rotation': [0.5, -0.5, 0.5, 0.5]}}");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeats_entries),
        cmocka_unit_test(hangs_segments_on_each_other),
        cmocka_unit_test(varies_along_the_repeats),
        cmocka_unit_test(reflects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
