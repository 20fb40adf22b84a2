// SPDX-License-Identifier: Apache-2.0
//
// Muscles that are added to a document: what stands there afterwards, and that nothing stands there
// after a failure.
#include "documents.h"

#include "character/character.h"

#include <math.h>

// An L-shaped skeleton, one skin with a blend, and a second one without deformers.
static const char plain[] =
    "{'sinew': 1, 'name': 'a', 'skeleton': {'upper': {}, 'lower': {'parent': 'upper'}},\n"
    "'meshes': {'m': {'file': 'm.obj'}},\n"
    "'skins': {'skin': {'mesh': 'm', 'deformers': [{'kind': 'blend'}]}, 'coat': {'mesh': 'm'}}}";

#define CURVES "'curves': [[[0, 0, 0], [0, 0.1, 0]], [[0.02, 0, 0], [0.03, 0.1, 0]]]"

// Adds a muscle of these keys, written with ' in place of ".
static sn_status add(sn_character *character, const char *name, const char *keys, sn_error *error) {
    char *text = quoted(keys);
    sn_json *json = NULL;
    sn_context *context = sni_character_context(character);
    sn_status status = sn_json_parse(context, text, strlen(text), &json, error);
    if (status == SN_OK) {
        status = sn_character_add_muscle(character, name, sn_json_root(json), error);
    }
    sn_json_destroy(json);
    free(text);
    return status;
}

static sn_character *make_plain(sn_context *context) {
    sn_character *character;
    snt_ok(parse_quoted(context, "a.sinew.json", plain, &character, error));
    return character;
}

static char *text_of(sn_character *character) {
    char *text;
    size_t size;
    snt_ok(sn_json_write(sn_character_document(character), &text, &size, error));
    return text;
}

static void expect_at(sn_character *character, const char *path, const char *expected) {
    sn_json *json;
    char *found, *wanted = quoted(expected), *text;
    size_t size;
    sn_context *context = snt_context(1);
    const sn_value *value = sn_json_find(sn_character_document(character), path);
    assert_non_null(value);
    // Both as text, written by one writer.
    snt_ok(sn_json_create(context, &json, error));
    assert_non_null(sn_json_add_copy(json, sn_json_root(json), "value", value));
    snt_ok(sn_json_write(json, &found, &size, error));
    sn_json_destroy(json);
    size_t length = strlen(wanted) + 16;
    char *whole = malloc(length);
    snprintf(whole, length, "{\"value\": %s}", wanted);
    snt_ok(sn_json_parse(context, whole, strlen(whole), &json, error));
    snt_ok(sn_json_write(json, &text, &size, error));
    assert_string_equal(found, text);
    sn_json_free_text(context, found);
    sn_json_free_text(context, text);
    sn_json_destroy(json);
    free(whole);
    free(wanted);
    snt_context_end(context);
}

static void adds_all_that_a_muscle_needs(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = make_plain(context);
    snt_ok(add(character, "biceps",
               "{'kind': 'patch', 'normals': 'curves', 'bulge': 2, 'degree': 2, 'group': 'arm',"
               "'segment': 'upper', 'skin': 'skin', " CURVES ","
               "'driver': {'parameter': 'lower.rx_deg', 'curve': [[0, 0], [25, 1]]}}",
               error));
    // Whatever their order was.
    expect_at(character, "/muscles/biceps",
              "{'kind': 'patch', 'skin': 'skin', 'curves': [[[0, 0, 0], [0, 0.1, 0]],"
              "[[0.02, 0, 0], [0.03, 0.1, 0]]], 'segment': 'upper', 'contraction': 'biceps',"
              "'tension': 'biceps', 'vary': {'contraction': [[0.5, 0.5, 0.04]]},"
              "'skin_thickness': 0.0015, 'muscle_thickness': 0.00749,"
              "'degree': 2, 'bulge': 2, 'normals': 'curves'}");
    expect_at(character, "/controls", "{'biceps': {'group': 'arm'}}");
    expect_at(character, "/drivers",
              "[{'control': 'biceps', 'parameter': 'lower.rx_deg', 'curve': [[0, 0], [25, 1]]}]");
    // It is 0.06 and 0.3 of its mean width of 0.025 thick. The muscle's depth, and half its width
    // more.
    expect_at(character, "/skins/skin/deformers",
              "[{'kind': 'blend'}, {'kind': 'falloff', 'muscles': ['biceps'], 'd_full': 0.00899,"
              "'d_none': 0.0215}]");
    sn_character_destroy(character);
    snt_context_end(context);
}

// The same muscle on a giant, a hundred times as large: all of its lengths are.
static void lengths_grow_with_the_drawing(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = make_plain(context);
    snt_ok(add(character, "biceps",
               "{'skin': 'skin', 'curves': [[[0, 0, 0], [0, 10, 0]], [[2, 0, 0], [3, 10, 0]]]}",
               error));
    expect_at(character, "/muscles/biceps/skin_thickness", "0.15");
    expect_at(character, "/muscles/biceps/muscle_thickness", "0.749");
    expect_at(character, "/skins/skin/deformers/1/d_full", "0.899");
    expect_at(character, "/skins/skin/deformers/1/d_none", "2.15");
    sn_character_destroy(character);
    snt_context_end(context);
}

static void adds_rings_and_lists_that_are_missing(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = make_plain(context);
    // A ring does not slide.
    snt_ok(add(character, "lips",
               "{'skin': 'coat', 'curves': [[[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]],"
               "[[0, -2, 0], [2, 0, 0], [0, 2, 0], [-2, 0, 0]]], 'ends': 'closed',"
               "'center': [0, 0, 1], 'contraction': 'pout', 'slide': 0.5}",
               error));
    expect_at(character, "/muscles/lips/ends", "'closed'");
    assert_null(sn_json_find(sn_character_document(character), "/muscles/lips/vary"));
    expect_at(character, "/muscles/lips/center", "[0, 0, 1]");
    expect_at(character, "/controls", "{'pout': {}}");
    // The width goes from line to line, wherever the curves begin: here from 0.7 to 1.
    expect_at(character, "/skins/coat/deformers",
              "[{'kind': 'falloff', 'muscles': ['lips'], 'd_full': 0.282, 'd_none': 0.673}]");
    sn_character_destroy(character);
    snt_context_end(context);
}

static void swells_and_hardly_slides(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = make_plain(context);
    snt_ok(add(character, "triceps",
               "{'skin': 'skin', 'contraction': 'stretch', 'slide': 0.08, " CURVES "}", error));
    expect_at(character, "/muscles/triceps/tension", "'stretch'");
    expect_at(character, "/muscles/triceps/vary", "{'contraction': [[0.5, 0.5, 0.08]]}");
    // So it does where nothing is said, but not where something is.
    snt_ok(add(character, "plain", "{'skin': 'skin', " CURVES "}", error));
    expect_at(character, "/muscles/plain/tension", "'plain'");
    expect_at(character, "/muscles/plain/vary", "{'contraction': [[0.5, 0.5, 0.04]]}");
    snt_ok(add(character, "full", "{'skin': 'skin', 'slide': 1, " CURVES "}", error));
    snt_ok(add(character, "told", "{'skin': 'skin', 'tension': 'plain', " CURVES "}", error));
    assert_null(sn_json_find(sn_character_document(character), "/muscles/full/vary"));
    assert_null(sn_json_find(sn_character_document(character), "/muscles/told/vary"));
    expect_at(character, "/muscles/told/tension", "'plain'");
    sn_character_destroy(character);
    snt_context_end(context);
}

static void shares_falloffs_with_equal_distances(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = make_plain(context);
    static const char keys[] = "{'skin': 'skin', 'contraction': 'both', " CURVES "}";
    static const char far_off[] =
        "{'skin': 'skin', 'contraction': 'both', 'd_none': 0.5, " CURVES "}";
    snt_ok(add(character, "a", keys, error));
    snt_ok(add(character, "b", keys, error));
    snt_ok(add(character, "c", far_off, error));
    // The order of falloffs does not matter, so that the first may still take a muscle.
    snt_ok(add(character, "d", keys, error));
    expect_at(character, "/controls", "{'both': {}}");
    expect_at(character, "/skins/skin/deformers",
              "[{'kind': 'blend'}, {'kind': 'falloff', 'muscles': ['a', 'b', 'd'],"
              "'d_full': 0.00899, 'd_none': 0.0215}, {'kind': 'falloff', 'muscles': ['c'],"
              "'d_full': 0.00899, 'd_none': 0.5}]");
    // Behind another deformer, or with settings of its own, it may not.
    sn_json *json = sn_character_document(character);
    sn_value *list = sn_json_find(json, "/skins/skin/deformers");
    assert_non_null(
        sn_json_add_string(json, sn_json_add_object(json, list, NULL), "kind", "blend"));
    snt_ok(add(character, "e", keys, error));
    sn_value *own = sn_json_find(json, "/skins/skin/deformers/4");
    assert_non_null(sn_json_add_number(json, own, "envelope", 0.5));
    snt_ok(add(character, "f", keys, error));
    expect_at(character, "/skins/skin/deformers/4/muscles", "['e']");
    expect_at(character, "/skins/skin/deformers/5/muscles", "['f']");
    sn_character_destroy(character);
    snt_context_end(context);
}

// A triangle in the plane z = -0.1, which is that far from the curves.
static void measures_how_far_the_inner_surface_is(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character;
    snt_ok(parse_quoted(
        context, "a.sinew.json",
        "{'sinew': 1, 'name': 'a', 'skeleton': {'root': {'translation': [0, 0, "
        "-0.15]}}, 'meshes': {'m': {}, 'p': {}}, 'bones': {'plate': {'mesh': 'p', "
        "'segment': 'root', 'frame': 'segment'}}, 'tissues': {'pad': {'segment': 'root', "
        "'frame': 'size', 'ellipsoid': {'radii': [1000, 1000, 0.05005]}}}, 'skins': "
        "{'skin': {'mesh': 'm'}}}",
        &character, error));
    for (int i = 0; i < 2; ++i) {
        static const float corners[] = {-9, -9, 0.05f, 9, -9, 0.05f, 0, 9, 0.05f};
        sn_mesh *mesh;
        snt_ok(sn_mesh_create(context, "p", 3, 1, 3, &mesh, error));
        memcpy(mesh->positions, corners, sizeof corners);
        for (uint32_t k = 0; k < 3; ++k) {
            mesh->corners[k] = k;
        }
        mesh->face_offsets[1] = 3;
        snt_ok(sn_character_give_mesh(character, i == 0 ? "p" : "m", mesh, error));
    }
    // One that is thicker than there is room fills it.
    snt_ok(
        add(character, "m", "{'depth_from': 'plate', 'muscle_thickness': 1, " CURVES "}", error));
    expect_at(character, "/muscles/m/normals", "'curves'");
    expect_at(character, "/muscles/m/depth_from", "'plate'");
    expect_at(character, "/skins/skin/deformers/0",
              "{'kind': 'falloff', 'muscles': ['m'], 'd_full': 0.1, 'd_none': 0.113}");
    // As far from a tissue that is nearly flat, to three digits: they share a deformer.
    snt_ok(add(character, "o",
               "{'depth_from': 'pad', 'normals': 'skin', 'muscle_thickness': 1, " CURVES "}",
               error));
    expect_at(character, "/muscles/o/normals", "'skin'");
    expect_at(character, "/skins/skin/deformers/0/muscles", "['m', 'o']");
    snt_ok(add(character, "n",
               "{'depth_from': 'skeleton', 'bone_share': 0.5, 'muscle_thickness': 1, " CURVES "}",
               error));
    expect_at(character, "/muscles/n/bone_share", "0.5");
    // Half the way from the furthest point, (0.03, 0.1, 0), to the joint.
    expect_at(character, "/skins/skin/deformers/1",
              "{'kind': 'falloff', 'muscles': ['n'], 'd_full': 0.0914, 'd_none': 0.104}");
    sn_character_destroy(character);
    snt_context_end(context);
}

static void leaves_the_document_alone_when_it_fails(void **state) {
    (void)state;
    // The keys, and a name where it is not "new". Errors in keys have the place in them.
    static const struct {
        const char *keys, *name, *message;
    } cases[] = {
        {"{'skin': 'skin', " CURVES "}", "", "a.sinew.json: the muscle has no name"},
        {"{'skin': 'skin', " CURVES "}", "old", "a.sinew.json: there is a muscle \"old\" already"},
        {"[]", NULL, ":1: /: expected an object, found an array"},
        {"{'skin': 'skin'}", NULL, ":1: /: the key \"curves\" is missing"},
        {"{'skin': 'skin', 'curves': [[[0, 0, 0], [0, 1, 0]]]}", NULL,
         ":1: /curves: expected 2 values, found 1"},
        {"{'skin': 'skin', 'curves': [[[0, 0, 0]], [[1, 0, 0], [1, 1, 0]]]}", NULL,
         ":1: /curves/0: expected at least 2 values, found 1"},
        {"{'skin': 'skin', 'curves': [[[0, 0, 0], [0, 1]], [[1, 0, 0], [1, 1, 0]]]}", NULL,
         ":1: /curves/0/1: expected 3 values, found 2"},
        {"{'skin': 'skin', 'center': [0, 'y', 0], " CURVES "}", NULL,
         "/center/1: expected a number, found \"y\""},
        {"{'skin': 'skim', " CURVES "}", NULL,
         "a.sinew.json: there is no skin \"skim\"; did you mean \"skin\"?"},
        {"{" CURVES "}", NULL, "the document has 2 skins; name one of them, such as \"skin\""},
        {"{'skin': 'skin', 'segment': 'uper', " CURVES "}", NULL,
         "a.sinew.json: /muscles/new/segment: there is no segment \"uper\"; did you mean "
         "\"upper\"?"},
        {"{'skin': 'skin', 'depth_from': 'skul', " CURVES "}", NULL,
         "/muscles/new/depth_from: there is no bone, tissue or skin \"skul\""},
        {"{'skin': 'skin', 'kind': 'cylinder', " CURVES "}", NULL,
         "/kind: there is no muscle that is drawn \"cylinder\" (there are \"patch\")"},
        {"{'skin': 'skin', 'bulge': -1, " CURVES "}", NULL,
         ":1: /bulge: expected a number from 0 to 100, found -1"},
        {"{'skin': 'skin', 'bulg': 1, " CURVES "}", NULL,
         ":1: /bulg: unknown key; did you mean \"bulge\"?"},
        {"{'skin': 'skin', 'd_ful': 1, " CURVES "}", NULL,
         "/d_ful: unknown key; did you mean \"d_full\"?"},
        {"{'skin': 'skin', 'slid': 1, " CURVES "}", NULL,
         "/slid: unknown key; did you mean \"slide\"?"},
        {"{'skin': 'skin', 'skin_thickness': '1', " CURVES "}", NULL,
         "/skin_thickness: expected a number, found \"1\""},
        {"{'skin': 'skin', 'slide': 1.5, " CURVES "}", NULL,
         "/slide: expected a number from 0 to 1, found 1.5"},
        {"{'skin': 'skin', 'slide': 0.5, 'vary': {'contraction': [[0.5, 0.5, 1]]}, " CURVES "}",
         NULL, "/vary: \"slide\" already sets how it contracts"},
        {"{'skin': 'skin', 'slide': 0.5, 'tension': 't', " CURVES "}", NULL,
         "/tension: \"slide\" already sets how it contracts"},
        {"{'skin': 'skin', 'way': 'round', " CURVES "}", NULL,
         "/way: expected \"auto\", \"skin\" or \"straight\", found \"round\""},
        {"{'skin': 'skin', 'degree': 8, " CURVES "}", NULL,
         "/degree: expected a whole number from 1 to 7, found 8"},
        {"{'skin': 'skin', 'driver': {'parameter': 'jaw.rx'}, " CURVES "}", NULL,
         "/drivers/1/parameter: "},
        {"{'skin': 'skin', 'driver': {'curve': [[0, 1]]}, " CURVES "}", NULL,
         "/driver: the key \"parameter\" is missing"},
        {"{'skin': 'skin', 'driver': {'parameter': 'lower.rx', 'curve': [[0]]}, " CURVES "}", NULL,
         "/driver/curve/0: expected 2 values, found 1"},
        {"{'skin': 'skin', 'group': '', " CURVES "}", NULL,
         "/group: expected a string that is not empty"},
        {"{'skin': 'skin', 'driver': {'parameter': 'new'}, " CURVES "}", NULL,
         "/drivers: drivers and synergies form a cycle: control new -> control new"},
        {"{'skin': 'skin', 'd_full': 2, 'd_none': 1, " CURVES "}", NULL,
         "/d_full: 2 is greater than \"d_none\", 1"},
        {"{'skin': 'skin', 'contraction': 'old', 'driver': {'parameter': 'lower.rx'}, " CURVES "}",
         NULL, "/drivers/1"},
        {"{'skin': 'skin', 'driver': {'parameter': 'lower.rx', 'curve': [[1, 0], [0, 1]]}, " CURVES
         "}",
         NULL, "/drivers/1/curve"},
    };
    sn_context *context = snt_context(1);
    sn_character *character = make_plain(context);
    snt_ok(add(character, "old",
               "{'skin': 'skin', 'driver': {'parameter': 'lower.rx'}, " CURVES "}", error));
    char *before = text_of(character);
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const char *name = cases[i].name != NULL ? cases[i].name : "new";
        snt_fails(SN_INVALID, cases[i].message, add(character, name, cases[i].keys, error));
        char *after = text_of(character);
        assert_string_equal(before, after);
        sn_json_free_text(context, after);
    }
    sn_json_free_text(context, before);
    sn_character_destroy(character);
    snt_context_end(context);
}

// Numbers of a program may be anything, those of a text are finite.
static void numbers_are_finite(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = make_plain(context);
    double points[2][2][3] = {{{0, 0, 0}, {0, NAN, 0}}, {{1, 0, 0}, {1, 1, 0}}};
    sn_json *json;
    snt_ok(sn_json_create(context, &json, error));
    sn_value *keys = sn_json_root(json), *curves = sn_json_add_array(json, keys, "curves");
    for (int i = 0; i < 2; ++i) {
        assert_non_null(sn_json_add_rows(json, curves, NULL, points[i][0], 2, 3));
    }
    snt_fails(SN_INVALID, "/curves/0/1/1: expected a number that is finite, found nan",
              sn_character_add_muscle(character, "m", keys, error));
    assert_non_null(sn_json_add_number(json, keys, "bulge", INFINITY));
    sn_json_remove((sn_value *)sn_value_get(keys, "curves"));
    snt_fails(SN_INVALID, "/bulge: expected a number from 0 to 100, found inf",
              sn_character_add_muscle(character, "m", keys, error));
    sn_json_destroy(json);
    sn_character_destroy(character);
    snt_context_end(context);
}

static void needs_a_skin(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character;
    snt_ok(sn_character_create(context, "empty", &character, error));
    snt_fails(SN_INVALID, "the document has no skin to draw a muscle on",
              add(character, "m", "{" CURVES "}", error));
    sn_character_destroy(character);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_character *character = NULL;
    sn_status status = parse_quoted(context, "a.sinew.json", plain, &character, error);
    if (status == SN_OK) {
        status = add(character, "m",
                     "{'skin': 'skin', 'group': 'g', 'slide': 0.5, 'driver': {'parameter': "
                     "'lower.rx_deg'}, " CURVES "}",
                     error);
        // Whatever failed, all or nothing stands in the document.
        const sn_value *root = sn_json_root(sn_character_document(character));
        const sn_value *list =
            sn_value_get(sn_value_at(sn_value_get(root, "skins"), 0), "deformers");
        assert_int_equal(sn_value_count(root), status == SN_OK ? 8 : 5);
        assert_int_equal(sn_value_count(list), status == SN_OK ? 2 : 1);
    }
    sn_character_destroy(character);
    return status;
}

static void survives_failing_allocations(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_all_that_a_muscle_needs),
        cmocka_unit_test(lengths_grow_with_the_drawing),
        cmocka_unit_test(adds_rings_and_lists_that_are_missing),
        cmocka_unit_test(swells_and_hardly_slides),
        cmocka_unit_test(shares_falloffs_with_equal_distances),
        cmocka_unit_test(measures_how_far_the_inner_surface_is),
        cmocka_unit_test(leaves_the_document_alone_when_it_fails),
        cmocka_unit_test(numbers_are_finite),
        cmocka_unit_test(needs_a_skin),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
