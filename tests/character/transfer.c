// SPDX-License-Identifier: Apache-2.0
//
// The shipped head, fitted into heads that are made from it: what moves, what stays, and what is
// wrong with landmarks.
#include "test.h"

#include "sinew/character.h"
#include "sinew/eval.h"

#include <math.h>
#include <stdlib.h>

static sn_context *context;
static sn_character *source;
static const sn_mesh *skin;
static sn_landmarks *landmarks; // of the source
static char head_path[4096];

// Another person: broader, with a lower face, another profile.
static sn_vec3 bend(sn_vec3 p) {
    return sn_vec3_make(1.06 * p.x, 0.95 * p.y - 0.1 * p.y * p.z, 1.03 * p.z + 0.3 * p.y * p.y);
}

// Writes the head with every point moved, in centimetres.
static void write_head(const char *path) {
    sn_mesh *mesh = NULL;
    snt_ok(sn_mesh_copy(skin, &mesh, error));
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        sn_vec3 p = bend(sn_vec3_load(skin->positions + 3 * (size_t)v));
        sn_vec3_store(sn_vec3_scale(p, 100), mesh->positions + 3 * (size_t)v);
    }
    snt_ok(sn_export_mesh(mesh, path, error));
    sn_mesh_destroy(mesh);
}

// The landmarks of the source on its skin: they have the same vertices on the head.
static sn_landmarks *given_landmarks(void) {
    sn_landmarks *given = NULL;
    snt_ok(sn_landmarks_create(context, &given, error));
    for (uint32_t i = 0; i < landmarks->count; ++i) {
        sn_landmark *made;
        if (landmarks->items[i].on_skin) {
            snt_ok(sn_landmarks_add(given, landmarks->items[i].name, &made, error));
            made->on_skin = true;
            made->vertex = landmarks->items[i].vertex;
        }
    }
    return given;
}

static sn_character_transfer_desc desc_with(const sn_landmarks *given) {
    sn_character_transfer_desc desc = sn_character_transfer_desc_default();
    desc.head = head_path;
    desc.head_landmarks = given;
    desc.propose = false;
    return desc;
}

static void check_report(const sn_character_transfer_report *r) {
    snt_near(r->unit, 0.01, 0);
    assert_false(r->z_up);
    assert_null(r->proposal);
    assert_true(r->fit.landmark_error < 0.0005);
    assert_int_equal(r->fit.outside, 0);
    assert_true(r->fit.covered > 1000);
    assert_true(r->fit.wrong * 100 <= r->fit.covered);
    assert_int_equal(r->fit.flipped, 0);
    assert_true(r->muscle_count > 50);
    for (uint32_t i = 0; i < r->muscle_count; ++i) {
        assert_int_equal(r->muscles[i].outside, 0);
    }
}

// Where a segment is in the world; its parents only translate.
static sn_vec3 origin_of(const sn_value *skeleton, const char *name) {
    const sn_value *segment = sn_value_get(skeleton, name);
    const sn_value *t = sn_value_get(segment, "translation");
    const char *parent = sn_value_string(sn_value_get(segment, "parent"), NULL);
    sn_vec3 at =
        sn_vec3_make(sn_value_number(sn_value_at(t, 0), 0), sn_value_number(sn_value_at(t, 1), 0),
                     sn_value_number(sn_value_at(t, 2), 0));
    return parent != NULL ? sn_vec3_add(at, origin_of(skeleton, parent)) : at;
}

// Joints go where the space around them goes.
static void check_joints(sn_character *made) {
    const sn_value *before = sn_value_get(sn_json_root(sn_character_document(source)), "skeleton");
    const sn_value *after = sn_value_get(sn_json_root(sn_character_document(made)), "skeleton");
    static const char *const names[] = {"jaw", "eye.L", "eye.R"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        sn_vec3 expected = bend(origin_of(before, names[i]));
        assert_true(sn_vec3_distance(origin_of(after, names[i]), expected) < 0.006);
    }
}

// In its rest pose the character has the head's own points.
static void check_rest(sn_character *made) {
    sn_model *model = NULL;
    sn_frame *frame = NULL;
    snt_ok(sn_model_create(made, NULL, &model, error));
    snt_ok(sn_frame_create(model, &frame, error));
    const float *points = sn_frame_points(frame, sn_model_find_surface(model, "skin"));
    for (uint32_t v = 0; v < skin->vertex_count; ++v) {
        sn_vec3 there = bend(sn_vec3_load(skin->positions + 3 * (size_t)v));
        snt_near(sn_vec3_distance(sn_vec3_load(points + 3 * (size_t)v), there), 0, 5e-6);
    }
    sn_frame_destroy(frame);
    sn_model_destroy(model);
}

// The document that is made can be opened again, has the head's vertices in their order, and all
// that the source has.
static void check_document(const char *path) {
    sn_character *made = NULL;
    const sn_mesh *mesh = NULL;
    sn_landmarks *found = NULL;
    snt_ok(sn_character_load(context, path, &made, error));
    snt_ok(sn_character_landmarks(made, NULL, &mesh, &found, error));
    assert_int_equal(mesh->vertex_count, skin->vertex_count);
    for (uint32_t v = 0; v < mesh->vertex_count; v += 97) {
        sn_vec3 there = bend(sn_vec3_load(skin->positions + 3 * (size_t)v));
        snt_near(sn_vec3_distance(sn_vec3_load(mesh->positions + 3 * (size_t)v), there), 0, 2e-6);
    }
    assert_int_equal(found->count, landmarks->count);
    for (uint32_t i = 0; i < found->count; ++i) {
        const sn_landmark *l = sn_landmarks_find(landmarks, found->items[i].name);
        assert_non_null(l);
        assert_int_equal(found->items[i].vertex, l->vertex);
        // Bones are below the skin by about the depths of the table, which the source has as well.
        sn_vec3 at = sn_vec3_load(mesh->positions + 3 * (size_t)l->vertex);
        sn_vec3 was = sn_vec3_load(skin->positions + 3 * (size_t)l->vertex);
        double depth = sn_vec3_distance(at, found->items[i].bone);
        double before = sn_vec3_distance(was, l->bone);
        assert_true(fabs(depth - before) < fmax(0.5 * before, 0.006));
    }
    check_joints(made);
    check_rest(made);
    sn_landmarks_destroy(found);
    sn_character_destroy(made);
}

static void test_transfer(void **state) {
    (void)state;
    sn_landmarks *given = given_landmarks();
    sn_character_transfer_desc desc = desc_with(given);
    sn_character *made = NULL;
    sn_character_transfer_report *report = NULL;
    char folder[4096], path[4096];
    snprintf(folder, sizeof folder, "%s", snt_scratch(""));
    snprintf(path, sizeof path, "%s", snt_scratch("made.sinew.json"));
    desc.folder = folder;
    snt_ok(sn_character_transfer(source, &desc, path, NULL, &made, &report, error));
    snt_ok(sn_character_save(made, path, error));
    check_report(report);
    check_document(path);
    sn_character_transfer_report_destroy(report);
    sn_character_destroy(made);
    sn_landmarks_destroy(given);
}

static void expect_error(const sn_landmarks *given, const char *text) {
    sn_character_transfer_desc desc = desc_with(given);
    sn_character *made = NULL;
    snt_fails(SN_INVALID, text,
              sn_character_transfer(source, &desc, snt_scratch("no.sinew.json"), NULL, &made, NULL,
                                    error));
    assert_null(made);
}

static void exchange(sn_landmarks *given, const char *a, const char *b) {
    sn_landmark *first = sn_landmarks_find(given, a), *second = sn_landmarks_find(given, b);
    uint32_t vertex = first->vertex;
    first->vertex = second->vertex;
    second->vertex = vertex;
}

// Errors name the landmark.
static void test_wrong_landmarks(void **state) {
    (void)state;
    sn_landmarks *given = given_landmarks();
    sn_landmark *nasion = sn_landmarks_find(given, "nasion");
    uint32_t vertex = nasion->vertex;
    exchange(given, "pogonion", "glabella");
    expect_error(given, "\"glabella\" and \"pogonion\" are exchanged");
    exchange(given, "pogonion", "glabella");
    exchange(given, "gonion.L", "gonion.R");
    expect_error(given, "\"gonion.L\" and \"gonion.R\" are exchanged");
    exchange(given, "gonion.L", "gonion.R");
    nasion->vertex = 10000000;
    expect_error(given, "nasion");
    nasion->vertex = sn_landmarks_find(given, "lambda")->vertex;
    expect_error(given, "nasion");
    nasion->vertex = vertex;
    nasion->on_skin = false;
    expect_error(given, "\"nasion\" is missing");
    nasion->on_skin = true;
    for (uint32_t i = 0; i < given->count; ++i) {
        size_t length = strlen(given->items[i].name);
        char other[256];
        snprintf(other, sizeof other, "%s", given->items[i].name);
        if (length > 2 && strcmp(other + length - 2, ".L") == 0) {
            other[length - 1] = 'R';
            exchange(given, given->items[i].name, other);
        }
    }
    expect_error(given, "left and right are exchanged");
    sn_landmarks_destroy(given);
}

static void test_wrong_files(void **state) {
    (void)state;
    sn_landmarks *given = given_landmarks();
    sn_character_transfer_desc desc = desc_with(given);
    sn_character *made = NULL;
    char path[4096];
    snprintf(path, sizeof path, "%s", snt_scratch("no.sinew.json"));
    desc.head = "nowhere.obj";
    snt_fails(SN_IO, "nowhere.obj",
              sn_character_transfer(source, &desc, path, NULL, &made, NULL, error));
    desc.head = head_path;
    desc.head_mesh = "ear";
    snt_fails(SN_INVALID, "\"ear\"",
              sn_character_transfer(source, &desc, path, NULL, &made, NULL, error));
    desc.head_mesh = NULL;
    desc.unit = 1; // as if the head's centimetres were metres
    snt_fails(SN_INVALID, "its unit is not 1 m",
              sn_character_transfer(source, &desc, path, NULL, &made, NULL, error));
    sn_landmarks_destroy(given);
}

static int begin(void **state) {
    (void)state;
    context = snt_context(0);
    snt_ok(sn_character_load(context, snt_source("examples/head/head.sinew.json"), &source, error));
    snt_ok(sn_character_landmarks(source, NULL, &skin, &landmarks, error));
    snprintf(head_path, sizeof head_path, "%s", snt_scratch("bent.obj"));
    write_head(head_path);
    return 0;
}

static int end(void **state) {
    (void)state;
    sn_landmarks_destroy(landmarks);
    sn_character_destroy(source);
    snt_context_end(context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transfer),
        cmocka_unit_test(test_wrong_landmarks),
        cmocka_unit_test(test_wrong_files),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
