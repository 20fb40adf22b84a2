// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with the keys of repetition: one line each, with the line of the text, and the path
// of what is written or of what it stands for.
#include "../documents.h"

#define HEAD "{'sinew': 1, 'name': 'a',\n"

static const struct {
    const char *text;
    const char *message; // behind the file's name, with ' for "
} cases[] = {
    // Counts and names.
    {"'skeleton': {\n'tail': {'repeat': 3}}",
     ":3: /skeleton/tail/repeat: the name 'tail' has no '#' for the numbers from 1 to 3"},
    {"'controls': {'c': {}}, 'synergies': [\n{'control': 'c', 'spread': {}, 'repeat': 2}]",
     ":3: /synergies/0/repeat: the entry has no '#' for the numbers from 1 to 2"},
    {"'skeleton': {'t #': {'repeat': 0}}",
     ":2: /skeleton/t #/repeat: expected a whole number from 1 to 1000, found 0"},
    {"'skeleton': {'t #': {'chain': 1001}}",
     ":2: /skeleton/t #/chain: expected a whole number from 1 to 1000, found 1001"},
    {"'skeleton': {'t #': {'repeat': 2.5}}",
     ":2: /skeleton/t #/repeat: expected a whole number, found 2.5"},
    {"'skeleton': {'t #': {'repeat': '3'}}",
     ":2: /skeleton/t #/repeat: expected a whole number, found '3'"},
    {"'skeleton': {'t #': {'repeat': 2, 'chain': 2}}",
     ":2: /skeleton/t #/chain: an entry has either 'repeat' or 'chain'"},
    {"'controls': {'t #': {'chain': 2}}",
     ":2: /controls/t #/chain: only segments hang on each other: use 'repeat'"},
    {"'skeleton': {'t #': {'chain': 12},\n'a': {'parent': 't #'}}",
     ":3: /skeleton/a/parent: 't #' stands for 12 segments, where one is needed; the entry itself "
     "may have 'repeat': 12"},
    {"'skeleton': {'t #': {'chain': 3}}, 'bones': {\n'b #': {'segment': 't #', 'ellipsoid': "
     "{'radii': [1, 1, 1]}}}",
     ":3: /bones/b #/segment: 't #' stands for 3 segments, where one is needed; the entry itself "
     "may have 'repeat': 3"},
    {"'skeleton': {'t #': {'chain': 3}}, 'clips': {'c': {'tracks': {\n't #.rx': {'keys': [[0, "
     "0]]}}}}",
     ":3: /clips/c/tracks/t #.rx: 't #.rx' stands for 3 segments, where one is needed; the entry "
     "itself may have 'repeat': 3"},
    {"'skeleton': {'t #': {'repeat': 3},\n\n't 2': {}}",
     ":4: /skeleton/t 2: the name 't 2' is used twice: here and in line 2"},
    {"'skeleton': {'leg.L': {'mirror': true},\n'leg.R': {}}",
     ":3: /skeleton/leg.R: the name 'leg.R' is used twice: here and in line 2"},
    {"'skeleton': {'t #': {'repeat': 3}}, 'proportions': {'t #': 2,\n't 3': 1}",
     ":3: /proportions/t 3: the name 't 3' is used twice: here and in line 2"},
    {"'skeleton': {'ab': {}}, 'proportions': {'*b': 2,\n'ab': 1}",
     ":3: /proportions/ab: the name 'ab' is used twice: here and in line 2"},
    {"'skeleton': {'ab': {}}, 'proportions': {'*c': 2}",
     ":2: /proportions/*c: there is no segment '*c'"},
    {"'skeleton': {'t #': {'repeat': 2}, 'x': {'parent': 't 3'}}",
     ":2: /skeleton/x/parent: there is no segment 't 3'; did you mean 't 1'?"},
    // What it stands for, at the line of the entry.
    {"'skeleton': {'t #': {'chain': 3,\n'parent': 'hip'}}",
     ":3: /skeleton/t 1/parent: there is no segment 'hip'"},
    {"'skeleton': {'t #': {'chain': 3,\n'vary': {'translation': [[0, 0],\n[1, 1]]}}}",
     ":3: /skeleton/t 1/translation: expected 3 values, found 2"},
    {"'skeleton': {'leg.L': {}}, 'bones': {\n'b.L': {'segment': 'leg.L', 'mirror': true,\n"
     "'ellipsoid': {'radii': [1, 1, 1]}}}",
     ":3: /bones/b.R/segment: there is no segment 'leg.R'; did you mean 'leg.L'?"},
    {"'skeleton': {'leg.L': {'repaet': 2}}",
     ":2: /skeleton/leg.L/repaet: unknown key; did you mean 'repeat'?"},
    {"'meshes': {'m': {}}, 'skins': {'s #': {'mesh': 'm', 'repeat': 2}}",
     ":2: /skins/s #/repeat: unknown key"},
    {"'skeleton': {'t #': {'delay': 2}}", ":2: /skeleton/t #/delay: unknown key"},
    // Mirror images.
    {"'skeleton': {\n'hip': {'mirror': true}}",
     ":3: /skeleton/hip/mirror: the name 'hip' has no side to exchange: left and right, L and R"},
    {"'skeleton': {'hip': {'mirror': 1}}",
     ":2: /skeleton/hip/mirror: expected true or false, found 1"},
    {"'skeleton': {'a': {}}, 'clips': {'c': {'tracks': {'a.rx': {'keys': [[0, 0]], 'mirror': "
     "true}}}}",
     ":2: /clips/c/tracks/a.rx/mirror: the name 'a.rx' has no side to exchange: left and right, L "
     "and R"},
    {"'controls': {'c': {}, 'd': {}}, 'drivers': [\n{'control': 'c', 'parameter': 'd', 'mirror': "
     "true}]",
     ":3: /drivers/1/control: the name 'c' has no side to exchange: left and right, L and R"},
    {"'skeleton': {'a': {}}, 'controls': {'c': {}}, 'synergies': [{'control': 'c', 'mirror': "
     "true,\n'spread': {'a.rx': 1}}]",
     ":3: /synergies/1/spread: neither 'c' nor what it moves has a side to exchange: left and "
     "right, L and R"},
    {"'skeleton': {'a.L': {'mirror': true}}, 'controls': {'c.L': {'mirror': true}}, 'drivers': "
     "[{'control': 'c.L', 'parameter': 'a.L.rz', 'mirror': true, 'curve': [[0, 0], [1, 1]],\n"
     "'interpolation': 'stepped'}]",
     ":3: /drivers/1/interpolation: the steps of a curve whose input changes its sign are not "
     "those of its mirror image"},
    {"'muscles': {'m.L': {'mirror': true,\n'kind': 'patch', 'skin': 's', 'curves': []}}",
     ":3: /muscles/m.R/kind: a muscle of kind 'patch' lies on a skin, which need not be symmetric: "
     "use sinew muscle --mirror"},
    {"'meshes': {'m': {}}, 'landmarks': {'p.L': {'mesh': 'm', 'vertex': 0, 'mirror': true}}",
     ":2: /landmarks/p.R/mesh: the mesh 'm' has no side, and which of its vertices is a mirror "
     "image is not known"},
    {"'meshes': {'m.L': {'mirror': true}}", ":2: /meshes/m.R/mirrored: 'mirrored' is only allowed "
                                            "with 'file': a mesh from memory is used as it is"},
    // Numbers along the repeats.
    {"'skeleton': {'t': {'vary': {}}}",
     ":2: /skeleton/t/vary: 'vary' is only allowed with 'repeat' or "
     "'chain'"},
    {"'skeleton': {'t #': {'repeat': 3, 'vary': {'translation': [[0, 0, 0]]}}}",
     ":2: /skeleton/t #/vary/translation: expected a list of 2 to 3 values along the repeats, "
     "found 1"},
    {"'controls': {'t #': {'repeat': 3, 'vary': {'high': [1, 2, 3, 4]}}}",
     ":2: /controls/t #/vary/high: expected a list of 2 to 3 values along the repeats, found 4"},
    {"'controls': {'t #': {'repeat': 1, 'vary': {'high': [1, 2]}}}",
     ":2: /controls/t #/vary/high: expected a list of 1 value, found 2"},
    {"'controls': {'t #': {'repeat': 2, 'vary': {'high': 2}}}",
     ":2: /controls/t #/vary/high: expected an array, found 2"},
    {"'controls': {'t #': {'repeat': 2, 'vary': {'high': [2, '3']}}}",
     ":2: /controls/t #/vary/high/1: expected a number or a list of numbers, found '3'"},
    {"'skeleton': {'t #': {'repeat': 2, 'vary': {'translation': [[1, 2, 3],\n[1, 2]]}}}",
     ":3: /skeleton/t #/vary/translation/1: the values along the repeats differ in how many "
     "numbers they have"},
    {"'skeleton': {'t #': {'repeat': 2, 'translation': [1, 2],\n'vary': {'translation': [[1, 2, "
     "3], [1, 2, 3]]}}}",
     ":3: /skeleton/t #/vary/translation: what the entry has there differs from these values in "
     "how many numbers it has"},
    {"'skeleton': {'t #': {'repeat': 2, 'order': 'xyz',\n'vary': {'order': [1, 2]}}}",
     ":3: /skeleton/t #/vary/order: only numbers and lists of numbers can vary; the entry has a "
     "string there"},
    {"'skeleton': {'t #': {'repeat': 2, 'order': 'xyz',\n'vary': {'order.rx': [1, 2]}}}",
     ":3: /skeleton/t #/vary/order.rx: only numbers and lists of numbers can vary; the entry has a "
     "string there"},
    {"'skeleton': {'t #': {'repeat': 2, 'translation': [1, 2, 3],\n'vary': {'translation.3': [1, "
     "2]}}}",
     ":3: /skeleton/t #/vary/translation.3: the list has no member '3'"},
    {"'skeleton': {'t #': {'repeat': 2, 'vary': {'tanslation': [1, 2]}}}",
     ":2: /skeleton/t 1/tanslation: unknown key; did you mean 'translation'?"},
    // Tracks that are turned round the clip.
    {"'skeleton': {'a.L': {'mirror': true}}, 'clips': {'c': {'tracks': {'a.L.rx': {'delay': 1,\n"
     "'keys': [[0, 0], [1, 0]]}}}}",
     ":2: /clips/c/tracks/a.L.rx/delay: 'delay' is only allowed with 'mirror': true"},
    {"'skeleton': {'a.L': {'mirror': true}}, 'clips': {'c': {'tracks': {'a.L.rx': {'delay': 1.5,\n"
     "'mirror': true, 'keys': [[0, 0], [1, 0]]}}}}",
     ":2: /clips/c/tracks/a.L.rx/delay: the delay is 1.5 s, but the clip ends at 1 s"},
    {"'skeleton': {'a.L': {'mirror': true}}, 'clips': {'c': {'tracks': {'a.L.rx': {'delay': -1,\n"
     "'mirror': true, 'keys': [[0, 0], [1, 0]]}}}}",
     ":2: /clips/c/tracks/a.L.rx/delay: expected a number from 0 to 1000000000, found -1"},
    {"'skeleton': {'a.L': {'mirror': true}}, 'clips': {'c': {'tracks': {\n'a.L.rz': {'delay': 1,\n"
     "'mirror': true, 'keys': [[0, 3], [2, 4]]}}}}",
     ":3: /clips/c/tracks/a.R.rz: the track does not end with its first value: it is -3 at 0 s and "
     "-4 at 2 s, so it "
     "cannot be delayed cyclically"},
    {"'skeleton': {'a.L': {'mirror': true}}, 'clips': {'c': {'tracks': {\n'a.L.rz': {'delay': 1,\n"
     "'mirror': true, 'keys': [[1, 3], [1, 4]]}, 'a.L.rx': {'keys': [[0, 0], [9, 0]]}}}}",
     ":4: /clips/c/tracks/a.L.rz/keys/1: 1 does not come after 1; the first numbers must rise"},
};

static void refuses_wrong_repetition(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[2048], expected[512], found[512];
        snprintf(text, sizeof text, HEAD "%s}", cases[i].text);
        snprintf(expected, sizeof expected, "a.sinew.json%s", cases[i].message);
        char *message = quoted(expected);
        sn_error error = {0};
        sn_character *character;
        sn_status status = parse_quoted(context, "a.sinew.json", text, &character, &error);
        sn_error_format(&error, found, sizeof found);
        if (status != SN_INVALID || strcmp(found, message) != 0) {
            fail_msg("%s\ngave: %s\nnot:  %s", text, found, message);
        }
        free(message);
    }
    snt_context_end(context);
}

// A document that is wrong in any one value fails in order, whatever the value is.
static void survives_any_value_anywhere(void **state) {
    (void)state;
    static const char *const values[] = {"null", "true",  "[]",   "{}",       "''",       "'#'",
                                         "-1",   "1e300", "[[]]", "{'#': 1}", "[1, 2, 3]"};
    static const char *const templates[] = {
        "'skeleton': {'t #.L': {'repeat': %s, 'mirror': %s, 'vary': %s}}",
        "'skeleton': {'t #.L': {'chain': 2, 'mirror': true, 'parent': %s, 'translation': %s, "
        "'limits_deg': {'ry': %s}}}",
        "'skeleton': {'t #': {'repeat': 2}}, 'proportions': %s, 'synergies': %s, 'drivers': %s",
        "'skeleton': {'t.L': {'mirror': true}}, 'clips': {'c': {'tracks': {'t.L.rx': {'keys': %s, "
        "'mirror': true, 'delay': %s, 'interpolation': %s}}}}",
        "'synergies': [{'mirror': true, 'control': %s, 'spread': %s}, {'repeat': 2, 'vary': %s}]",
        "'drivers': [{'mirror': true, 'control': %s, 'parameter': 't.ry', 'curve': %s, 'distance': "
        "%s}]",
        "'muscles': {'m #.L': {'repeat': 2, 'mirror': true, 'kind': 'cylinder', 'origins': %s, "
        "'shape': %s, 'pivots': [%s]}}",
        "'muscles': {'m #.L': {'repeat': 2, 'mirror': true, 'kind': %s, 'order': 'given', "
        "'origin': %s, 'insertions': %s}}",
        "'meshes': {'m.L': %s, 'n.L': {'mirror': true, 'mirrored': %s, 'weights': %s}}",
        "'skeleton': %s, 'clips': {'c': %s, 'd': {'tracks': %s}}, 'landmarks': {'p.L': {'mirror': "
        "true}}",
    };
    sn_context *context = snt_context(1);
    size_t count = sizeof values / sizeof *values;
    for (size_t t = 0; t < sizeof templates / sizeof *templates; ++t) {
        for (size_t i = 0; i < count * count * count; ++i) {
            char text[2048], head[2048];
            snprintf(head, sizeof head, HEAD "%s}", templates[t]);
            snprintf(text, sizeof text, head, values[i % count], values[i / count % count],
                     values[i / count / count]);
            sn_error error = {0};
            sn_character *character;
            sn_status status = parse_quoted(context, "a", text, &character, &error);
            if (status != SN_OK && status != SN_INVALID) {
                fail_msg("%s\ngave %s: %s", text, sn_status_name(status), error.message);
            }
            sn_character_destroy(character);
        }
    }
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_wrong_repetition),
        cmocka_unit_test(survives_any_value_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
