// SPDX-License-Identifier: Apache-2.0
//
// Muscles that are drawn on bodies with nothing said but where they lie: they show, and no edge of
// the skin is torn when they contract fully.
#include "test.h"

#include "sinew/eval.h"
#include "sinew/geometry.h"
#include "sinew/io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A muscle along a limb, from one segment to another, on one side of it, over a part of the way.
typedef struct place {
    const char *from, *to;
    sn_vec3 side;
    double begin, end;
} place;

enum { PLACES = 6, POINTS = 8 };

static const double half_width = 35 * SN_PI / 180; // around the limb
static const double most_stretch = 1.6;

typedef struct body {
    sn_context *context;
    sn_character *character;
    const sn_mesh *mesh;
    const char *skin;
    sn_model *model; // without muscles of its own
    sn_triangles *triangles;
    sn_accel *accel;
} body;

static void open_body(body *b, sn_context *context, sn_character *character) {
    *b = (body){.context = context, .character = character};
    const sn_value *skins = sn_value_get(sn_json_root(sn_character_document(character)), "skins");
    b->skin = sn_value_at(skins, 0)->key;
    snt_ok(sn_character_mesh(character,
                             sn_value_string(sn_value_get(sn_value_at(skins, 0), "mesh"), ""),
                             &b->mesh, error));
    snt_ok(sn_model_create(character, NULL, &b->model, error));
    snt_ok(sn_triangles_create(b->mesh, b->mesh->positions, &b->triangles, error));
    snt_ok(sn_accel_create(context, b->mesh->positions, b->mesh->vertex_count,
                           b->triangles->vertices, b->triangles->count, &b->accel, error));
}

static void close_body(body *b) {
    sn_accel_destroy(b->accel);
    sn_triangles_destroy(b->triangles);
    sn_model_destroy(b->model);
    sn_character_destroy(b->character);
}

static sn_vec3 segment_at(const body *b, const char *name) {
    uint32_t segment = sn_model_find_segment(b->model, name);
    assert_true(segment != SN_NONE);
    const double *m = sn_model_rest_worlds(b->model)[segment].m;
    return sn_vec3_make(m[12], m[13], m[14]);
}

// A curve on the skin around the axis of the limb, `angle` away from the side.
static void add_curve(const body *b, const place *at, double angle, sn_json *json,
                      sn_value *curves) {
    sn_vec3 from = segment_at(b, at->from), to = segment_at(b, at->to);
    sn_vec3 axis = sn_vec3_normalize_or(sn_vec3_sub(to, from), at->side);
    sn_vec3 side = sn_vec3_add_scaled(at->side, -sn_vec3_dot(at->side, axis), axis);
    side = sn_vec3_normalize_or(side, axis);
    sn_vec3 out = sn_quat_rotate(sn_quat_from_axis_angle(axis, angle), side);
    double points[3 * POINTS];
    for (int i = 0; i < POINTS; ++i) {
        double t = at->begin + (at->end - at->begin) * i / (POINTS - 1);
        sn_hit hit;
        sn_accel_cast(b->accel, sn_vec3_lerp(from, to, t), out, 0, INFINITY, &hit);
        assert_true(hit.triangle != SN_NONE);
        memcpy(points + 3 * i, (double[3]){hit.point.x, hit.point.y, hit.point.z},
               3 * sizeof *points);
    }
    assert_non_null(sn_json_add_rows(json, curves, NULL, points, POINTS, 3));
}

static void draw(const body *b, const place *at, const char *name) {
    sn_json *json;
    snt_ok(sn_json_create(b->context, &json, error));
    sn_value *keys = sn_json_root(json);
    sn_json_add_string(json, keys, "skin", b->skin);
    sn_value *curves = sn_json_add_array(json, keys, "curves");
    add_curve(b, at, -half_width, json, curves);
    add_curve(b, at, half_width, json, curves);
    snt_ok(sn_character_add_muscle(b->character, name, keys, error));
    sn_json_destroy(json);
}

typedef struct effect {
    double moved;            // at most, metres
    double stretch, longest; // the most an edge is stretched, and how long that edge is
} effect;

static double edge_length(const float *points, uint32_t a, uint32_t b) {
    return sn_vec3_distance(sn_vec3_load(points + 3 * (size_t)a),
                            sn_vec3_load(points + 3 * (size_t)b));
}

static effect measure(const sn_mesh *mesh, const float *rest, const float *points) {
    effect e = {0};
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        sn_vec3 from = sn_vec3_load(rest + 3 * (size_t)v),
                to = sn_vec3_load(points + 3 * (size_t)v);
        e.moved = fmax(e.moved, sn_vec3_distance(from, to));
    }
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t first = mesh->face_offsets[f], end = mesh->face_offsets[f + 1];
        for (uint32_t c = first; c < end; ++c) {
            uint32_t a = mesh->corners[c], b = mesh->corners[c + 1 < end ? c + 1 : first];
            double length = edge_length(rest, a, b);
            if (length > 0 && edge_length(points, a, b) / length > e.stretch) {
                e.stretch = edge_length(points, a, b) / length;
                e.longest = length;
            }
        }
    }
    return e;
}

// Draws a muscle at each place and contracts one at a time.
static void check_places(body *b, const char *title, const place places[PLACES]) {
    char name[16];
    for (int i = 0; i < PLACES; ++i) {
        snprintf(name, sizeof name, "drawn %d", i);
        draw(b, &places[i], name);
    }
    sn_model *model;
    sn_frame *frame;
    snt_ok(sn_model_create(b->character, NULL, &model, error));
    snt_ok(sn_frame_create(model, &frame, error));
    uint32_t surface = sn_model_find_surface(model, b->skin);
    size_t bytes = 12 * (size_t)b->mesh->vertex_count;
    float *rest = malloc(bytes);
    snt_ok(sn_frame_evaluate(frame, NULL, 0, error));
    memcpy(rest, sn_frame_points(frame, surface), bytes);
    for (int i = 0; i < PLACES; ++i) {
        char path[64];
        snprintf(name, sizeof name, "drawn %d", i);
        snprintf(path, sizeof path, "/muscles/%s/muscle_thickness", name);
        double thickness =
            sn_value_number(sn_json_find(sn_character_document(b->character), path), 0);
        snt_ok(sn_frame_set(frame, name, 1, error));
        snt_ok(sn_frame_evaluate(frame, NULL, 0, error));
        effect e = measure(b->mesh, rest, sn_frame_points(frame, surface));
        print_message("%s, %s to %s: %.1f mm thick, moves the skin by %.1f mm, stretches an edge "
                      "of %.1f mm by %.2f\n",
                      title, places[i].from, places[i].to, thickness * 1000, e.moved * 1000,
                      e.longest * 1000, e.stretch);
        assert_true(e.moved > thickness / 2);
        assert_true(e.stretch <= most_stretch);
        sn_frame_clear(frame);
    }
    free(rest);
    sn_frame_destroy(frame);
    sn_model_destroy(model);
}

static void on_the_shipped_arm(void **state) {
    (void)state;
    static const place places[PLACES] = {
        {"upper_arm", "forearm", {0, 0, 1}, 0.2, 0.9},
        {"upper_arm", "forearm", {0, 0, -1}, 0.3, 0.9},
        {"upper_arm", "forearm", {1, 1, 0}, 0.1, 0.7},
        {"forearm", "hand", {0, 0, 1}, 0.1, 0.7},
        {"forearm", "hand", {0, 0, -1}, 0.05, 0.6},
        {"forearm", "hand", {1, 1, 0}, 0.1, 0.8},
    };
    sn_context *context = snt_context(0);
    sn_character *character;
    snt_ok(
        sn_character_load(context, snt_source("examples/arm/arm.sinew.json"), &character, error));
    body b;
    open_body(&b, context, character);
    check_places(&b, "arm", places);
    close_body(&b);
    snt_context_end(context);
}

static void check_model(const char *path, const char *title, const place places[PLACES]) {
    sn_context *context = snt_context(0);
    sn_import *import;
    sn_character *character;
    snt_ok(sn_import_file(context, path, &import, error));
    snt_ok(sn_character_from_import(import, path, path, &character, error));
    body b;
    open_body(&b, context, character);
    check_places(&b, title, places);
    close_body(&b);
    sn_import_destroy(import);
    snt_context_end(context);
}

static void on_a_human(void **state) {
    (void)state;
    static const place places[PLACES] = {
        {"upperarm01.L", "lowerarm01.L", {0, 0, 1}, 0.2, 0.9},
        {"upperarm01.L", "lowerarm01.L", {0, 0, -1}, 0.2, 0.9},
        {"lowerarm01.L", "wrist.L", {0, 1, 0}, 0.05, 0.7},
        {"upperleg01.L", "lowerleg01.L", {0, 0, 1}, 0.3, 0.9},
        {"lowerleg01.L", "foot.L", {0, 0, -1}, 0.05, 0.6},
        {"spine05", "spine01", {0, 0, -1}, 0.1, 0.8},
    };
    check_model(snt_data("human/human.glb"), "human", places);
}

static void on_a_dog(void **state) {
    (void)state;
    static const place places[PLACES] = {
        {"upper_leg_L", "lower_leg_L", {1, 0, 0}, 0.3, 0.9},
        {"upper_leg_L", "lower_leg_L", {0, 0, -1}, 0.3, 0.9},
        {"lower_leg_L", "foot_L", {1, 0, 0}, 0.1, 0.7},
        {"upper_arm_L", "lower_arm_L", {1, 0, 0}, 0.2, 0.9},
        {"lower_arm_L", "hand_anchor_L", {1, 0, 0}, 0.1, 0.7},
        {"C_6", "C_2", {1, 0, 0}, 0.1, 0.9},
    };
    check_model(snt_data("animal/dog/dog.glb"), "dog", places);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_the_shipped_arm),
        cmocka_unit_test(on_a_human),
        cmocka_unit_test(on_a_dog),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
