// SPDX-License-Identifier: Apache-2.0
//
// Muscles that are added to a document: what stands there afterwards, and that nothing stands there
// after a failure.
#include "documents.h"

#include <math.h>

// An L-shaped skeleton, one skin with a blend, and a second one without deformers.
static const char plain[] =
    "{'sinew': 1, 'name': 'a', 'skeleton': {'upper': {}, 'lower': {'parent': 'upper'}},\n"
    "'meshes': {'m': {'file': 'm.obj'}},\n"
    "'skins': {'skin': {'mesh': 'm', 'deformers': [{'kind': 'blend'}]}, 'coat': {'mesh': 'm'}}}";

static const sn_vec3 first[] = {{0, 0, 0}, {0, 0.1, 0}}, second[] = {{0.02, 0, 0}, {0.03, 0.1, 0}};

static sn_muscle_desc make_desc(const char *name) {
    sn_muscle_desc desc = sn_muscle_desc_default();
    desc.name = name;
    desc.skin = "skin";
    desc.curves[0] = first;
    desc.curves[1] = second;
    desc.curve_counts[0] = desc.curve_counts[1] = 2;
    return desc;
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
    const double pairs[] = {0, 0, 25, 1};
    sn_muscle_desc desc = make_desc("biceps");
    desc.segment = "upper";
    desc.degree = 2;
    desc.curve_normals = true;
    desc.group = "arm";
    desc.driver = "lower.rx_deg";
    desc.driver_curve = pairs;
    desc.driver_pairs = 2;
    snt_ok(sn_character_add_muscle(character, &desc, error));
    expect_at(character, "/muscles/biceps",
              "{'kind': 'patch', 'skin': 'skin', 'curves': [[[0, 0, 0], [0, 0.1, 0]],"
              "[[0.02, 0, 0], [0.03, 0.1, 0]]], 'segment': 'upper', 'contraction': 'biceps',"
              "'skin_thickness': 0.002, 'muscle_thickness': 0.004, 'bulge': 2, 'degree': 2,"
              "'normals': 'curves'}");
    expect_at(character, "/controls", "{'biceps': {'group': 'arm'}}");
    expect_at(character, "/drivers",
              "[{'control': 'biceps', 'parameter': 'lower.rx_deg', 'curve': [[0, 0], [25, 1]]}]");
    // The muscle's depth, and half its width of 0.03 more.
    expect_at(character, "/skins/skin/deformers",
              "[{'kind': 'blend'}, {'kind': 'falloff', 'muscles': ['biceps'], 'd_full': 0.006,"
              "'d_none': 0.021}]");
    sn_character_destroy(character);
    snt_context_end(context);
}

static void adds_rings_and_lists_that_are_missing(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = make_plain(context);
    const sn_vec3 inner[] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
    const sn_vec3 outer[] = {{0, -2, 0}, {2, 0, 0}, {0, 2, 0}, {-2, 0, 0}};
    const sn_vec3 center = {0, 0, 1};
    sn_muscle_desc desc = make_desc("lips");
    desc.skin = "coat";
    desc.curves[0] = inner;
    desc.curves[1] = outer;
    desc.curve_counts[0] = desc.curve_counts[1] = 4;
    desc.closed = true;
    desc.center = &center;
    desc.control = "pout";
    desc.slide = 0.5; // means nothing for a ring
    snt_ok(sn_character_add_muscle(character, &desc, error));
    expect_at(character, "/muscles/lips/ends", "'closed'");
    assert_null(sn_json_find(sn_character_document(character), "/muscles/lips/vary"));
    expect_at(character, "/muscles/lips/center", "[0, 0, 1]");
    expect_at(character, "/controls", "{'pout': {}}");
    // The width goes from line to line, wherever the curves begin: here 1.
    expect_at(character, "/skins/coat/deformers",
              "[{'kind': 'falloff', 'muscles': ['lips'], 'd_full': 0.006, 'd_none': 0.506}]");
    sn_character_destroy(character);
    snt_context_end(context);
}

static void swells_and_hardly_slides(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = make_plain(context);
    sn_muscle_desc desc = make_desc("triceps");
    desc.control = "stretch";
    desc.slide = 0.08;
    snt_ok(sn_character_add_muscle(character, &desc, error));
    expect_at(character, "/muscles/triceps/tension", "'stretch'");
    expect_at(character, "/muscles/triceps/vary", "{'contraction': [[0.5, 0.5, 0.08]]}");
    sn_character_destroy(character);
    snt_context_end(context);
}

static void shares_falloffs_with_equal_distances(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = make_plain(context);
    sn_muscle_desc desc = make_desc("a");
    desc.control = "both";
    snt_ok(sn_character_add_muscle(character, &desc, error));
    desc.name = "b";
    snt_ok(sn_character_add_muscle(character, &desc, error));
    desc.name = "c";
    desc.d_none = 0.5;
    snt_ok(sn_character_add_muscle(character, &desc, error));
    // Falloffs commute, so that the first may still take a muscle.
    desc.name = "d";
    desc.d_none = 0;
    snt_ok(sn_character_add_muscle(character, &desc, error));
    expect_at(character, "/controls", "{'both': {}}");
    expect_at(character, "/skins/skin/deformers",
              "[{'kind': 'blend'}, {'kind': 'falloff', 'muscles': ['a', 'b', 'd'],"
              "'d_full': 0.006, 'd_none': 0.021}, {'kind': 'falloff', 'muscles': ['c'],"
              "'d_full': 0.006, 'd_none': 0.5}]");
    // Behind another deformer, or with settings of its own, it may not.
    sn_json *json = sn_character_document(character);
    sn_value *list = sn_json_find(json, "/skins/skin/deformers");
    assert_non_null(
        sn_json_add_string(json, sn_json_add_object(json, list, NULL), "kind", "blend"));
    desc.name = "e";
    snt_ok(sn_character_add_muscle(character, &desc, error));
    sn_value *own = sn_json_find(json, "/skins/skin/deformers/4");
    assert_non_null(sn_json_add_number(json, own, "envelope", 0.5));
    desc.name = "f";
    snt_ok(sn_character_add_muscle(character, &desc, error));
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
    sn_muscle_desc desc = make_desc("m");
    desc.depth_from = "plate";
    desc.muscle_thickness = 1; // fills the room
    snt_ok(sn_character_add_muscle(character, &desc, error));
    expect_at(character, "/muscles/m/depth_from", "'plate'");
    expect_at(character, "/skins/skin/deformers/0",
              "{'kind': 'falloff', 'muscles': ['m'], 'd_full': 0.1, 'd_none': 0.115}");
    // As far from a tissue that is nearly flat, to three digits: they share a deformer.
    desc.name = "o";
    desc.depth_from = "pad";
    snt_ok(sn_character_add_muscle(character, &desc, error));
    expect_at(character, "/skins/skin/deformers/0/muscles", "['m', 'o']");
    desc.name = "n";
    desc.depth_from = "skeleton";
    desc.bone_share = 0.5;
    snt_ok(sn_character_add_muscle(character, &desc, error));
    expect_at(character, "/muscles/n/bone_share", "0.5");
    // Half the way from the furthest point, (0.03, 0.1, 0), to the joint.
    expect_at(character, "/skins/skin/deformers/1",
              "{'kind': 'falloff', 'muscles': ['n'], 'd_full': 0.0914, 'd_none': 0.107}");
    sn_character_destroy(character);
    snt_context_end(context);
}

typedef void (*spoil)(sn_muscle_desc *desc);

static const sn_vec3 not_finite[] = {{0, 0, 0}, {0, NAN, 0}};
static const double falling[] = {1, 0, 0, 1}, endless[] = {0, 0, INFINITY, 1};

static void no_default(sn_muscle_desc *desc) {
    desc->check = 0;
}
static void no_name(sn_muscle_desc *desc) {
    desc->name = "";
}
static void old_name(sn_muscle_desc *desc) {
    desc->name = "old";
}
static void no_curve(sn_muscle_desc *desc) {
    desc->curves[1] = NULL;
}
static void one_point(sn_muscle_desc *desc) {
    desc->curve_counts[0] = 1;
}
static void flat_ring(sn_muscle_desc *desc) {
    desc->closed = true;
}
static void bad_point(sn_muscle_desc *desc) {
    desc->curves[1] = not_finite;
}
static void bad_center(sn_muscle_desc *desc) {
    desc->center = &not_finite[1];
}
static void bad_skin(sn_muscle_desc *desc) {
    desc->skin = "skim";
}
static void any_skin(sn_muscle_desc *desc) {
    desc->skin = NULL;
}
static void bad_segment(sn_muscle_desc *desc) {
    desc->segment = "uper";
}
static void bad_inner(sn_muscle_desc *desc) {
    desc->depth_from = "skul";
}
static void bad_depth(sn_muscle_desc *desc) {
    desc->skin_thickness = NAN;
}
static void bad_way(sn_muscle_desc *desc) {
    desc->way = (sn_ring_way)3;
}

static void bad_slide(sn_muscle_desc *desc) {
    desc->slide = 1.5;
}
static void bad_bulge(sn_muscle_desc *desc) {
    desc->bulge = -1;
}
static void high_degree(sn_muscle_desc *desc) {
    desc->degree = 8;
}
static void bad_driver(sn_muscle_desc *desc) {
    desc->driver = "jaw.rx";
}
static void bad_group(sn_muscle_desc *desc) {
    desc->group = "";
}
static void own_driver(sn_muscle_desc *desc) {
    desc->driver = desc->name;
}
static void crossed(sn_muscle_desc *desc) {
    desc->d_full = 2;
    desc->d_none = 1;
}
static void driven_twice(sn_muscle_desc *desc) {
    desc->control = "old";
    desc->driver = "lower.rx";
}
static void falling_curve(sn_muscle_desc *desc) {
    desc->driver = "lower.rx";
    desc->driver_curve = falling;
    desc->driver_pairs = 2;
}
static void endless_curve(sn_muscle_desc *desc) {
    falling_curve(desc);
    desc->driver_curve = endless;
}

static void leaves_the_document_alone_when_it_fails(void **state) {
    (void)state;
    static const struct {
        spoil spoil;
        const char *message;
    } cases[] = {
        {no_default, "a.sinew.json: the desc was not made by sn_muscle_desc_default"},
        {no_name, "a.sinew.json: the muscle has no name"},
        {old_name, "a.sinew.json: there is a muscle \"old\" already"},
        {no_curve, "new: curve 2 has 2 points, but needs 2"},
        {one_point, "new: curve 1 has 1 point, but needs 2"},
        {flat_ring, "new: curve 1 has 2 points, but needs 3 to be closed"},
        {bad_point, "new: point 2 of curve 2 is (0, nan, 0)"},
        {bad_center, "new: its center is (0, nan, 0)"},
        {bad_skin, "there is no skin \"skim\"; did you mean \"skin\"?"},
        {any_skin, "the document has 2 skins; name one of them, such as \"skin\""},
        {bad_segment,
         "/muscles/new/segment: there is no segment \"uper\"; did you mean \"upper\"?"},
        {bad_depth, "new: skin_thickness is nan"},
        {bad_inner, "/muscles/new/depth_from: there is no bone, tissue or skin \"skul\""},
        {bad_bulge, "new: bulge is -1, but must not be negative"},
        {bad_slide, "new: slide is 1.5, but must be from 0 to 1"},
        {bad_way, "new: there is no way 3 to a centre"},
        {high_degree, "/muscles/new/degree"},
        {bad_driver, "/drivers/1/parameter: "},
        {bad_group, "/controls/new/group: "},
        {own_driver, "/drivers: drivers and synergies form a cycle: control new -> control new"},
        {crossed, "new: d_full is 2, but d_none 1"},
        {driven_twice, "/drivers/1"},
        {falling_curve, "/drivers/1/curve"},
        {endless_curve, "new: pair 2 of the driver's curve is not finite"},
    };
    sn_context *context = snt_context(1);
    sn_character *character = make_plain(context);
    sn_muscle_desc old = make_desc("old");
    old.driver = "lower.rx";
    snt_ok(sn_character_add_muscle(character, &old, error));
    char *before = text_of(character);
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_muscle_desc desc = make_desc("new");
        cases[i].spoil(&desc);
        snt_fails(SN_INVALID, cases[i].message, sn_character_add_muscle(character, &desc, error));
        char *after = text_of(character);
        assert_string_equal(before, after);
        sn_json_free_text(context, after);
    }
    sn_json_free_text(context, before);
    sn_character_destroy(character);
    snt_context_end(context);
}

static void needs_a_skin(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character;
    snt_ok(sn_character_create(context, "empty", &character, error));
    sn_muscle_desc desc = make_desc("m");
    desc.skin = NULL;
    snt_fails(SN_INVALID, "the document has no skin to draw a muscle on",
              sn_character_add_muscle(character, &desc, error));
    sn_character_destroy(character);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_character *character = NULL;
    sn_status status = parse_quoted(context, "a.sinew.json", plain, &character, error);
    sn_muscle_desc desc = make_desc("m");
    desc.driver = "lower.rx_deg";
    desc.group = "g";
    if (status == SN_OK) {
        status = sn_character_add_muscle(character, &desc, error);
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
        cmocka_unit_test(adds_rings_and_lists_that_are_missing),
        cmocka_unit_test(swells_and_hardly_slides),
        cmocka_unit_test(shares_falloffs_with_equal_distances),
        cmocka_unit_test(measures_how_far_the_inner_surface_is),
        cmocka_unit_test(leaves_the_document_alone_when_it_fails),
        cmocka_unit_test(needs_a_skin),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
