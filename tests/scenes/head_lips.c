// SPDX-License-Identifier: Apache-2.0
//
// Lips of the shipped head: closed they leave no gap and do not go through each other, and no flesh
// is inside out in any expression or mixture of controls.
#include "test.h"

#include "eval/report_flesh.h"
#include "sinew/character.h"
#include "sinew/geometry.h"
#include "sinew/json.h"
#include "sinew/live.h"

#include <math.h>
#include <string.h>

// Places of the closed mouth, a millimetre apart from each other, left and right of the middle.
enum { PLACES_LEFT = 20, PLACES = 2 * PLACES_LEFT + 1 };
// Lips are closed at rest up to this gap, metres.
static const double at_rest = 2e-4;

static struct {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
    uint32_t skin; // surface
    const sn_mesh *mesh;
    sn_triangles *triangles;
    sn_accel *lower; // triangles of the lower lip, as they are
    uint32_t *lower_vertices;
    uint32_t *upper; // vertices that lie on the lower lip at rest
    uint32_t upper_count;
} head;

// The line in which the lips of the shipped head meet, millimetres.
static double seam_height(double x) {
    return -33.6 - 1.3 * (x / 25) * (x / 25);
}

// 1 above the line within the reach of the lips, 2 below it, 0 elsewhere.
static int side_of(uint32_t vertex) {
    sn_vec3 p = sn_vec3_scale(sn_vec3_load(head.mesh->positions + 3 * (size_t)vertex), 1e3);
    double off = p.y - seam_height(p.x);
    bool near = fabs(p.x) < 30 && p.z > 94 && fabs(off) < 14;
    return near ? off > 0 ? 1 : 2 : 0;
}

static void find_lips(void) {
    uint32_t count = 0;
    head.lower_vertices =
        sni_alloc(head.context, 3 * (size_t)head.triangles->count, sizeof *head.lower_vertices);
    head.upper = sni_alloc(head.context, head.mesh->vertex_count, sizeof *head.upper);
    for (uint32_t t = 0; t < head.triangles->count; ++t) {
        const uint32_t *v = head.triangles->vertices + 3 * (size_t)t;
        if (side_of(v[0]) == 2 && side_of(v[1]) == 2 && side_of(v[2]) == 2) {
            memcpy(head.lower_vertices + 3 * (size_t)count++, v, 3 * sizeof *v);
        }
    }
    snt_ok(sn_accel_create(head.context, head.mesh->positions, head.mesh->vertex_count,
                           head.lower_vertices, count, &head.lower, error));
    for (uint32_t v = 0; v < head.mesh->vertex_count; ++v) {
        sn_vec3 p = sn_vec3_load(head.mesh->positions + 3 * (size_t)v);
        sn_closest closest;
        sn_accel_find_closest(head.lower, p, at_rest, &closest);
        if (side_of(v) == 1 && fabs(p.x) < 1e-3 * PLACES_LEFT && closest.triangle != SN_NONE) {
            head.upper[head.upper_count++] = v;
        }
    }
    assert_true(head.upper_count > 40);
}

static int begin(void **state) {
    (void)state;
    head.context = snt_context(1);
    const char *path = snt_source("examples/head/head.sinew.json");
    snt_ok(sn_character_load(head.context, path, &head.character, error));
    snt_ok(sn_model_create(head.character, NULL, &head.model, error));
    snt_ok(sn_frame_create(head.model, &head.frame, error));
    while (strcmp(sn_model_surface(head.model, head.skin)->name, "skin") != 0) {
        head.skin += 1;
    }
    snt_ok(sn_frame_select(head.frame, &head.skin, 1, error));
    head.mesh = sn_model_surface(head.model, head.skin)->mesh;
    snt_ok(sn_triangles_create(head.mesh, head.mesh->positions, &head.triangles, error));
    find_lips();
    return 0;
}

static int end(void **state) {
    (void)state;
    sn_accel_destroy(head.lower);
    sn_triangles_destroy(head.triangles);
    sni_free(head.context, head.lower_vertices);
    sni_free(head.context, head.upper);
    sn_frame_destroy(head.frame);
    sn_model_destroy(head.model);
    sn_character_destroy(head.character);
    snt_context_end(head.context);
    return 0;
}

// ---------------------------------------------------------------------------------------------

// At each place along the line the smallest distance of the two lips: a gap is where light passes.
static double largest_gap(void) {
    const float *points = sn_frame_points(head.frame, head.skin);
    double nearest[PLACES], largest = 0;
    for (int i = 0; i < PLACES; ++i) {
        nearest[i] = INFINITY;
    }
    snt_ok(sn_accel_update(head.lower, points, true, error));
    for (uint32_t k = 0; k < head.upper_count; ++k) {
        uint32_t v = head.upper[k];
        sn_closest closest;
        sn_accel_find_closest(head.lower, sn_vec3_load(points + 3 * (size_t)v), INFINITY, &closest);
        int place = (int)lround(1e3 * (double)head.mesh->positions[3 * (size_t)v]) + PLACES_LEFT;
        nearest[place] = fmin(nearest[place], closest.distance);
    }
    for (int i = 0; i < PLACES; ++i) {
        largest = isfinite(nearest[i]) ? fmax(largest, nearest[i]) : largest;
    }
    return largest;
}

// How deep vertices of the line are behind the lower lip, the mean of them all.
static double mean_depth(void) {
    const float *points = sn_frame_points(head.frame, head.skin);
    double sum = 0;
    for (uint32_t k = 0; k < head.upper_count; ++k) {
        sn_vec3 p = sn_vec3_load(points + 3 * (size_t)head.upper[k]), corners[3];
        sn_closest closest;
        sn_accel_find_closest(head.lower, p, INFINITY, &closest);
        const uint32_t *v = head.lower_vertices + 3 * (size_t)closest.triangle;
        for (int c = 0; c < 3; ++c) {
            corners[c] = sn_vec3_load(points + 3 * (size_t)v[c]);
        }
        sn_vec3 normal =
            sn_vec3_cross(sn_vec3_sub(corners[1], corners[0]), sn_vec3_sub(corners[2], corners[0]));
        sum += sn_vec3_dot(sn_vec3_sub(p, closest.point), normal) < 0 ? closest.distance : 0;
    }
    return sum / head.upper_count;
}

static uint32_t flipped(void) {
    sni_report_flesh flesh = {0};
    sn_json *json = NULL;
    snt_ok(sn_json_create(head.context, &json, error));
    assert_true(sni_report_flesh_add(&flesh, json, sn_json_root(json), head.frame, 0));
    sn_json_destroy(json);
    assert_true(flesh.volume_change < 0.01);
    return flesh.flipped;
}

static void pose(const char *const *controls, double value) {
    sn_frame_clear(head.frame);
    for (int i = 0; controls[i] != NULL; ++i) {
        snt_ok(sn_frame_set(head.frame, controls[i], value, error));
    }
    snt_ok(sn_frame_evaluate(head.frame, NULL, 0, error));
}

static void closed_lips_meet(void **state) {
    (void)state;
    static const char *const closed[][4] = {{NULL},
                                            {"pout", NULL},
                                            {"AU18", NULL},
                                            {"AU23", NULL},
                                            {"AU24", NULL},
                                            {"mouthPress_L", "mouthPress_R", NULL},
                                            {"AU17.L", "AU17.R", NULL},
                                            {"jaw close", NULL},
                                            {"pout", "smile", NULL},
                                            {"pout", "AU24", "jaw close", NULL}};
    for (size_t i = 0; i < sizeof closed / sizeof *closed; ++i) {
        pose(closed[i], 1);
        double gap = largest_gap(), depth = mean_depth();
        if (!(gap < 3e-4 && depth < 1e-4)) {
            fail_msg("%s: a gap of %.3f mm, %.3f mm deep", closed[i][0], 1e3 * gap, 1e3 * depth);
        }
        assert_int_equal(flipped(), 0);
    }
}

static void lips_part_with_the_jaw(void **state) {
    (void)state;
    pose((const char *const[]){"jaw open", NULL}, 1);
    assert_true(largest_gap() > 0.025);
    assert_int_equal(flipped(), 0);
    pose((const char *const[]){"jaw open", NULL}, 0);
    assert_true(largest_gap() < 3e-4);
}

// Lips close over a jaw that stays open.
static void lips_close_over_an_open_jaw(void **state) {
    (void)state;
    pose((const char *const[]){"jaw open", NULL}, 0.02);
    double open = largest_gap();
    snt_ok(sn_frame_set(head.frame, "mouthClose", 1, error));
    snt_ok(sn_frame_evaluate(head.frame, NULL, 0, error));
    double closed = largest_gap();
    if (!(open > 3.5e-3 && closed < 7e-4)) {
        fail_msg("open %.3f mm, closed %.3f mm", 1e3 * open, 1e3 * closed);
    }
    assert_int_equal(flipped(), 0);
}

// Any controls at once.
static void no_mixture_turns_flesh_inside_out(void **state) {
    (void)state;
    snt_random random = {18};
    uint32_t count = sn_model_control_count(head.model);
    for (int mixture = 0; mixture < (snt_thorough() ? 300 : 16); ++mixture) {
        sn_frame_clear(head.frame);
        for (int k = 0; k < 3 + mixture % 8; ++k) {
            uint32_t control = (uint32_t)snt_random_range(&random, 0, count);
            const char *group = sn_model_control_group(head.model, control);
            const char *name = sn_model_control_name(head.model, control);
            double value = snt_random_range(&random, 0, 1);
            // Muscles of the jaw alone do not make expressions; `gape` is computed.
            if ((group == NULL || strcmp(group, "jaw") != 0) && strcmp(name, "gape") != 0) {
                snt_ok(sn_frame_set(head.frame, name, value, error));
            }
        }
        snt_ok(sn_frame_evaluate(head.frame, NULL, 0, error));
        assert_int_equal(flipped(), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_lips_meet),
        cmocka_unit_test(lips_part_with_the_jaw),
        cmocka_unit_test(lips_close_over_an_open_jaw),
        cmocka_unit_test(no_mixture_turns_flesh_inside_out),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
