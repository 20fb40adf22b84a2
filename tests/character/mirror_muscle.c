// SPDX-License-Identifier: Apache-2.0
//
// Mirror images of muscles in documents.
#include "documents.h"

#include <math.h>

// A body that is symmetric in x; the frame of arm.R is that of arm.L turned by half a turn about y,
// so that equal turns about x are mirror images, and turns about y and z opposite ones.
static const char body[] =
    "{'sinew': 1, 'name': 'a', 'skeleton': {'spine': {},\n"
    "  'arm.L': {'parent': 'spine', 'translation': [0.5, 0, 0]},\n"
    "  'arm.R': {'parent': 'spine', 'translation': [-0.5, 0, 0]},\n"
    "  'wing one': {'parent': 'spine', 'translation': [0.7, 0, 0]},\n"
    "  'wing two': {'parent': 'spine', 'translation': [-0.7, 0, 0], 'rotation_deg': [0, 180, 0]},\n"
    "  'fin': {'parent': 'spine', 'translation': [0.3, 0, 0]}},\n"
    "'meshes': {'sheet': {}},\n"
    "'skins': {'skin': {'mesh': 'sheet', 'deformers': [{'kind': 'falloff', 'muscles': "
    "['biceps.L'],\n"
    "  'd_full': 0.1, 'd_none': 0.2}]}},\n"
    "'muscles': {'biceps.L': {'kind': 'patch', 'skin': 'skin', 'curves': [\n"
    "  [[0.5, 0.1, 0], [0.5, 0.5, 0]], [[0.6, 0.1, 0], [0.625, 0.5, 0]]], 'center': [0.55, 0.3, "
    "0],\n"
    "  'segment': 'arm.L', 'contraction': 'flex.L', 'tension': 'all', 'bulge': 1.5,\n"
    "  'vary': {'bulge': [[0, 0, 2]]}}},\n"
    "'controls': {'flex.L': {'group': 'arms'}, 'all': {}},\n"
    "'drivers': [{'control': 'flex.L', 'parameter': 'arm.L.ry_deg', 'curve': [[0, 0], [90, 1]]}]}";

// In the xy plane from -1 to 1, facing +z, with columns that are not each other's images.
static sn_mesh *make_sheet(sn_context *context) {
    static const float x[] = {-1, -0.8f, -0.15f, 0.3f, 0.6f, 1};
    sn_mesh *mesh;
    snt_ok(sn_mesh_create(context, "sheet", 12, 5, 20, &mesh, error));
    for (uint32_t i = 0; i < 12; ++i) {
        mesh->positions[3 * i] = x[i % 6];
        mesh->positions[3 * i + 1] = i < 6 ? 0 : 1;
        mesh->positions[3 * i + 2] = 0;
    }
    for (uint32_t f = 0; f < 5; ++f) {
        uint32_t corners[4] = {f, f + 1, f + 7, f + 6};
        memcpy(mesh->corners + 4 * (size_t)f, corners, sizeof corners);
        mesh->face_offsets[f + 1] = 4 * (f + 1);
    }
    return mesh;
}

static sn_character *make_body(sn_context *context) {
    sn_character *character;
    snt_ok(parse_quoted(context, "a.sinew.json", body, &character, error));
    snt_ok(sn_character_give_mesh(character, "sheet", make_sheet(context), error));
    return character;
}

static const char *text_at(sn_character *character, const char *path) {
    return sn_value_string(sn_json_find(sn_character_document(character), path), "");
}

static double number_at(sn_character *character, const char *path) {
    return sn_value_number(sn_json_find(sn_character_document(character), path), NAN);
}

static void set_text(sn_character *character, const char *object, const char *key,
                     const char *value) {
    sn_json *json = sn_character_document(character);
    assert_non_null(sn_json_add_string(json, sn_json_find(json, object), key, value));
}

static void mirrors_everything(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = make_body(context);
    snt_ok(sn_character_mirror_muscle(character, "biceps.L", NULL, 0, 0, error));
    assert_true(number_at(character, "/muscles/biceps.R/curves/1/1/0") == -0.625);
    assert_true(number_at(character, "/muscles/biceps.R/curves/1/1/1") == 0.5);
    assert_true(number_at(character, "/muscles/biceps.R/center/0") == -0.55);
    assert_true(number_at(character, "/muscles/biceps.R/vary/bulge/0/2") == 2);
    assert_string_equal(text_at(character, "/muscles/biceps.R/segment"), "arm.R");
    assert_string_equal(text_at(character, "/muscles/biceps.R/contraction"), "flex.R");
    assert_string_equal(text_at(character, "/muscles/biceps.R/tension"), "all");
    assert_string_equal(text_at(character, "/controls/flex.R/group"), "arms");
    assert_string_equal(text_at(character, "/drivers/1/control"), "flex.R");
    assert_string_equal(text_at(character, "/drivers/1/parameter"), "arm.R.ry_deg");
    // Both arms have the same axes: the image of a turn about y goes the other way.
    assert_true(number_at(character, "/drivers/1/curve/0/0") == -90);
    assert_true(number_at(character, "/drivers/1/curve/0/1") == 1);
    assert_true(number_at(character, "/drivers/1/curve/1/0") == 0);
    assert_string_equal(text_at(character, "/skins/skin/deformers/0/muscles/1"), "biceps.R");
    // Once more, under another name: controls that are there are kept.
    snt_ok(sn_character_mirror_muscle(character, "biceps.L", "third", 0, 0, error));
    assert_null(sn_json_find(sn_character_document(character), "/drivers/2"));
    sn_character_destroy(character);
    snt_context_end(context);
}

static void signs_follow_the_axes(void **state) {
    (void)state;
    static const struct {
        const char *from, *to;
        double first; // input of the mirrored curve
    } cases[] = {
        {"arm.L.rx_deg", "arm.R.rx_deg", 0},
        {"arm.L.rz", "arm.R.rz", -90},
        {"arm.L.tx", "arm.R.tx", -90},
        {"arm.L.ty", "arm.R.ty", 0},
        {"arm.L.sz", "arm.R.sz", 0},
        {"wing one.rx_deg", "wing two.rx_deg", -90},
        {"wing one.rz_deg", "wing two.rz_deg", 0},
        {"spine.rx_deg", "spine.rx_deg", 0},
        {"spine.ry_deg", "spine.ry_deg", -90},
        {"all", "all", 0},
    };
    sn_context *context = snt_context(1);
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_character *character = make_body(context);
        set_text(character, "/drivers/0", "parameter", cases[i].from);
        snt_ok(sn_character_mirror_muscle(character, "biceps.L", NULL, 0, 0, error));
        assert_string_equal(text_at(character, "/drivers/1/parameter"), cases[i].to);
        assert_true(number_at(character, "/drivers/1/curve/0/0") == cases[i].first);
        sn_character_destroy(character);
    }
    snt_context_end(context);
}

static void segments_are_found_by_name_or_place(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"arm.R", "arm.L"}, {"wing one", "wing two"}, {"wing two", "wing one"}, {"spine", "spine"}};
    sn_context *context = snt_context(1);
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_character *character = make_body(context);
        set_text(character, "/muscles/biceps.L", "segment", cases[i][0]);
        snt_ok(sn_character_mirror_muscle(character, "biceps.L", NULL, 0, 0, error));
        assert_string_equal(text_at(character, "/muscles/biceps.R/segment"), cases[i][1]);
        sn_character_destroy(character);
    }
    snt_context_end(context);
}

static void leaves_the_document_alone_when_it_fails(void **state) {
    (void)state;
    static const struct {
        const char *muscle, *name;
        uint32_t axis;
        double at;
        const char *segment, *parameter;
        const char *message;
    } cases[] = {
        {"biceps", NULL, 0, 0, "arm.L", "all", "there is no muscle \"biceps\"; did you mean"},
        {"biceps.L", "biceps.L", 0, 0, "arm.L", "all", "there is a muscle \"biceps.L\" already"},
        {"biceps.L", NULL, 0, 0.6, "arm.L", "all", NULL},
        {"biceps.L", NULL, 0, 2, "arm.L", "all",
         "a.sinew.json:11: /muscles/biceps.L/curves/0: point 1, mirrored to (3.5, 0.1, 0), is "
         "further than 0.04472"},
        {"biceps.L", NULL, 3, 0, "arm.L", "all", "there is no plane across axis 3 at 0"},
        {"biceps.L", NULL, 0, NAN, "arm.L", "all", "there is no plane across axis 0 at nan"},
        {"biceps.L", NULL, 0, 0, "fin", "all",
         "/muscles/biceps.L/segment: no segment is the mirror image of \"fin\""},
        {"biceps.L", NULL, 0, 0, "arm.L", "fin.rx",
         "/drivers/0/parameter: no segment is the mirror image of \"fin\""},
    };
    sn_context *context = snt_context(1);
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_character *character = make_body(context);
        set_text(character, "/muscles/biceps.L", "segment", cases[i].segment);
        set_text(character, "/drivers/0", "parameter", cases[i].parameter);
        char *before, *after;
        size_t size;
        snt_ok(sn_json_write(sn_character_document(character), &before, &size, error));
        if (cases[i].message == NULL) { // about its own middle
            snt_ok(sn_character_mirror_muscle(character, cases[i].muscle, cases[i].name,
                                              cases[i].axis, cases[i].at, error));
        } else {
            snt_fails(SN_INVALID, cases[i].message,
                      sn_character_mirror_muscle(character, cases[i].muscle, cases[i].name,
                                                 cases[i].axis, cases[i].at, error));
            snt_ok(sn_json_write(sn_character_document(character), &after, &size, error));
            assert_string_equal(before, after);
            sn_json_free_text(context, after);
        }
        sn_json_free_text(context, before);
        sn_character_destroy(character);
    }
    // A name without a side.
    sn_character *character = make_body(context);
    snt_ok(sn_character_mirror_muscle(character, "biceps.L", "plain", 0, 0, error));
    snt_fails(SN_INVALID, "the name \"plain\" has no side to exchange",
              sn_character_mirror_muscle(character, "plain", NULL, 0, 0, error));
    sn_character_destroy(character);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_character *character = NULL;
    sn_mesh *mesh = NULL;
    sn_status status = parse_quoted(context, "a.sinew.json", body, &character, error);
    if (status == SN_OK) {
        status = sn_mesh_create(context, "sheet", 12, 5, 20, &mesh, error);
    }
    if (status == SN_OK) {
        sn_context *outside = snt_context(1);
        sn_mesh *made = make_sheet(outside);
        memcpy(mesh->positions, made->positions, sizeof(float) * 36);
        memcpy(mesh->corners, made->corners, sizeof(uint32_t) * 20);
        memcpy(mesh->face_offsets, made->face_offsets, sizeof(uint32_t) * 6);
        sn_mesh_destroy(made);
        snt_context_end(outside);
        status = sn_character_give_mesh(character, "sheet", mesh, error);
    }
    if (status == SN_OK) {
        status = sn_character_mirror_muscle(character, "biceps.L", NULL, 0, 0, error);
        const sn_json *json = sn_character_document(character);
        uint32_t count = status == SN_OK ? 2 : 1;
        assert_int_equal(sn_value_count(sn_json_find(json, "/muscles")), count);
        assert_int_equal(sn_value_count(sn_json_find(json, "/controls")), count + 1);
        assert_int_equal(sn_value_count(sn_json_find(json, "/drivers")), count);
        assert_int_equal(sn_value_count(sn_json_find(json, "/skins/skin/deformers/0/muscles")),
                         count);
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
        cmocka_unit_test(mirrors_everything),
        cmocka_unit_test(signs_follow_the_axes),
        cmocka_unit_test(segments_are_found_by_name_or_place),
        cmocka_unit_test(leaves_the_document_alone_when_it_fails),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
