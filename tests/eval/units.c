// SPDX-License-Identifier: Apache-2.0
//
// Models in other units and with another axis up: read so, a character moves as before, only
// smaller and turned, at rest and in every clip.
#include "../character/documents.h"

#include "sinew/eval.h"

#include <math.h>

typedef struct subject {
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
} subject;

static subject open_subject(sn_context *context, const char *path, double unit, bool z_up) {
    subject s = {0};
    sn_import *import;
    sn_import_desc desc = sn_import_desc_default();
    desc.unit = unit;
    desc.z_up = z_up;
    snt_ok(sn_import_file_with(context, path, &desc, &import, error));
    assert_true(import->unit == unit && import->z_up == z_up);
    snt_ok(sn_character_from_import(import, path, "new.sinew.json", &s.character, error));
    sn_import_destroy(import);
    snt_ok(sn_model_create(s.character, NULL, &s.model, error));
    snt_ok(sn_frame_create(s.model, &s.frame, error));
    return s;
}

static void close_subject(subject *s) {
    sn_frame_destroy(s->frame);
    sn_model_destroy(s->model);
    sn_character_destroy(s->character);
}

static void compare_points(const subject *a, const subject *b, double unit, bool z_up) {
    double worst = 0, size = 0;
    for (uint32_t i = 0; i < sn_model_surface_count(a->model); ++i) {
        const float *p = sn_frame_points(a->frame, i), *q = sn_frame_points(b->frame, i);
        for (size_t v = 0; v < sn_model_surface(a->model, i)->mesh->vertex_count; ++v) {
            sn_vec3 at = sn_vec3_scale(sn_vec3_load(p + 3 * v), unit);
            sn_vec3 expected = z_up ? sn_vec3_make(at.x, at.z, -at.y) : at;
            worst = fmax(worst, sn_vec3_distance(expected, sn_vec3_load(q + 3 * v)));
            size = fmax(size, sn_vec3_length(expected));
        }
    }
    assert_true(size > 0);
    snt_near(worst / size, 0, 1e-5);
}

static void compare(const char *relative, double unit, bool z_up) {
    sn_context *context = snt_context(2);
    char path[4096];
    snprintf(path, sizeof path, "%s", snt_data(relative));
    subject a = open_subject(context, path, 0, false), b = open_subject(context, path, unit, z_up);
    compare_points(&a, &b, unit > 0 ? unit : 1, z_up);
    assert_true(sn_model_clip_count(a.model) > 0);
    for (uint32_t c = 0; c < sn_model_clip_count(a.model); ++c) {
        sn_motion *m, *n;
        snt_ok(sn_motion_open(a.model, sn_model_clip_name(a.model, c), &m, error));
        snt_ok(sn_motion_open(b.model, sn_model_clip_name(b.model, c), &n, error));
        assert_int_equal(sn_motion_frame_count(m), sn_motion_frame_count(n));
        for (uint32_t f = 0; f < sn_motion_frame_count(m); f += 7) {
            snt_ok(sn_frame_evaluate(a.frame, m, f, error));
            snt_ok(sn_frame_evaluate(b.frame, n, f, error));
            compare_points(&a, &b, unit > 0 ? unit : 1, z_up);
        }
        sn_motion_destroy(m);
        sn_motion_destroy(n);
    }
    close_subject(&a);
    close_subject(&b);
    snt_context_end(context);
}

static void units_scale_what_moves(void **state) {
    (void)state;
    compare("gltf/Fox.glb", 0.01, false);
    compare("gltf/CesiumMan.glb", 25.4, false);
    compare("rigs/RobotExpressive.glb", 0.001, false);
}

static void z_can_be_up(void **state) {
    (void)state;
    compare("gltf/Fox.glb", 0, true);
    compare("gltf/CesiumMan.glb", 0.01, true);
    compare("rigs/RobotExpressive.glb", 0.5, true);
}

static const char cube[] = "v 0 0 0\nv 100 0 0\nv 0 100 0\nv 0 0 100\n"
                           "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

// A document reads one file in several units, and keeps what it was made with.
static void documents_say_units(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character;
    sn_model *model;
    write_text(snt_scratch("cube.obj"), cube);
    snt_ok(parse_quoted(context, snt_scratch("c.sinew.json"),
                        "{'sinew': 1, 'name': 'c', 'skeleton': {'root': {}}, 'meshes': {\n"
                        "'a': {'file': 'cube.obj'}, 'b': {'file': 'cube.obj', 'unit': 0.01},\n"
                        "'c': {'file': 'cube.obj', 'unit': 0.01, 'up': 'z'}}, 'skins': {\n"
                        "'a': {'mesh': 'a'}, 'b': {'mesh': 'b'}, 'c': {'mesh': 'c'}}}",
                        &character, error));
    snt_ok(sn_model_create(character, NULL, &model, error));
    const float *a = sn_model_surface(model, 0)->mesh->positions;
    const float *b = sn_model_surface(model, 1)->mesh->positions;
    const float *c = sn_model_surface(model, 2)->mesh->positions;
    assert_true(a[3] == 100 && b[3] == 1 && c[3] == 1);
    assert_true(b[7] == 1 && c[7] == 0 && c[8] == -1); // y of the file
    assert_true(b[11] == 1 && c[10] == 1);             // z of the file
    sn_model_destroy(model);
    sn_character_destroy(character);
    sn_error refused = {0};
    assert_int_equal(parse_quoted(context, snt_scratch("c.sinew.json"),
                                  "{'sinew': 1, 'name': 'c', 'meshes': {'a': {'file': 'cube.obj',\n"
                                  "'unit': 0.01, 'up': 'w'}}}",
                                  &character, &refused),
                     SN_INVALID);
    snt_context_end(context);
}

static void impossible_units_are_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *import;
    sn_import_desc desc = sn_import_desc_default();
    write_text(snt_scratch("cube.obj"), cube);
    desc.unit = -1;
    sn_error refused = {0};
    assert_int_equal(
        sn_import_file_with(context, snt_scratch("cube.obj"), &desc, &import, &refused),
        SN_INVALID);
    desc = (sn_import_desc){.unit = 1};
    refused = (sn_error){0};
    assert_int_equal(
        sn_import_file_with(context, snt_scratch("cube.obj"), &desc, &import, &refused),
        SN_INVALID);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_say_units),
        cmocka_unit_test(impossible_units_are_refused),
        cmocka_unit_test(units_scale_what_moves),
        cmocka_unit_test(z_can_be_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
