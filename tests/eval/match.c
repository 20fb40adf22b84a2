// SPDX-License-Identifier: Apache-2.0
//
// Matching shapes: what the skin can be, it becomes; what it cannot, it comes as near to as its
// controls allow.
#include "toy.h"

#include <stdlib.h>

static const char *const names[] = {"smile", "curl"};
enum { COUNT = 2 };

static sn_match_desc desc_of(const toy *t, sn_pose_parameter parameters[COUNT]) {
    sn_match_desc desc = sn_match_desc_default();
    for (int i = 0; i < COUNT; ++i) {
        snt_ok(sn_model_find_parameter(t->model, names[i], &parameters[i], error));
    }
    desc.surface = surface_of(t->model, "body");
    desc.parameter_count = COUNT;
    desc.parameters = parameters;
    return desc;
}

// The skin with these values.
static float *shape_of(toy *t, double smile, double curl) {
    float *points = malloc(3 * TOY_VERTICES * sizeof *points);
    sn_frame_clear(t->frame);
    snt_ok(sn_frame_set(t->frame, "smile", smile, error));
    snt_ok(sn_frame_set(t->frame, "curl", curl, error));
    snt_ok(sn_frame_evaluate(t->frame, NULL, 0, error));
    memcpy(points, points_of(t->frame, "body"), 3 * TOY_VERTICES * sizeof *points);
    return points;
}

// A control with a joint behind it turns points in circles: several rounds are needed.
static void values_are_found_again(void **state) {
    (void)state;
    static const double wanted[][COUNT] = {{0, 0}, {1.3, 0}, {0.4, 0.7}, {2, 1}};
    toy t = toy_make(2, TOY_BODY);
    sn_pose_parameter parameters[COUNT];
    sn_match_desc desc = desc_of(&t, parameters);
    desc.ridge = 0;
    desc.rounds = 12;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; ++i) {
        float *points = shape_of(&t, wanted[i][0], wanted[i][1]);
        double values[COUNT] = {0, 0};
        sn_match_report report;
        desc.points = points;
        snt_ok(sn_match_shape(t.model, &desc, NULL, values, &report, error));
        snt_near(values[0], wanted[i][0], 1e-4);
        snt_near(values[1], wanted[i][1], 1e-4);
        assert_true(report.after <= 1e-4 && report.largest <= 1e-3);
        assert_true(report.cosine > 0.9999 && report.residual < 1e-3);
        free(points);
    }
    toy_end(&t);
}

// Beyond the range it goes to its end.
static void values_stay_in_their_range(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_BODY);
    sn_pose_parameter parameters[COUNT];
    sn_match_desc desc = desc_of(&t, parameters);
    float *rest = shape_of(&t, 0, 0), *most = shape_of(&t, 2, 0);
    for (size_t i = 0; i < 3 * TOY_VERTICES; ++i) {
        most[i] = rest[i] + 3 * (most[i] - rest[i]);
    }
    double values[COUNT] = {0, 0};
    sn_match_report report;
    desc.points = most;
    snt_ok(sn_match_shape(t.model, &desc, NULL, values, &report, error));
    assert_true(values[0] == 2);
    snt_near(report.residual, 2.0 / 3, 0.01);
    for (size_t i = 0; i < 3 * TOY_VERTICES; ++i) {
        most[i] = 2 * rest[i] - most[i];
    }
    snt_ok(sn_match_shape(t.model, &desc, NULL, values, &report, error));
    assert_true(values[0] == 0);
    snt_near(report.residual, 1, 0.05);
    free(rest);
    free(most);
    toy_end(&t);
}

// What vertices without weight do is nobody's concern.
static void only_weighted_vertices_count(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_BODY);
    sn_pose_parameter parameters[COUNT];
    sn_match_desc desc = desc_of(&t, parameters);
    float *points = shape_of(&t, 1, 0), weights[TOY_VERTICES];
    for (size_t v = 0; v < TOY_VERTICES; ++v) {
        weights[v] = v < TOY_VERTICES / 2 ? 0.5f : 0;
        points[3 * v] += v < TOY_VERTICES / 2 ? 0 : 100;
    }
    double values[COUNT] = {0, 0};
    sn_match_report report;
    desc.points = points;
    desc.weights = weights;
    desc.ridge = 0;
    snt_ok(sn_match_shape(t.model, &desc, NULL, values, &report, error));
    snt_near(values[0], 1, 1e-4);
    assert_true(report.largest < 1e-4);
    free(points);
    toy_end(&t);
}

// The ridge keeps values near those at rest, the more the larger it is.
static void a_ridge_makes_values_small(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_BODY);
    sn_pose_parameter parameters[COUNT];
    sn_match_desc desc = desc_of(&t, parameters);
    float *points = shape_of(&t, 1.5, 0);
    double last = 1.6;
    desc.points = points;
    for (int i = 0; i < 3; ++i) {
        const double ridges[] = {0, 0.1, 1};
        double values[COUNT] = {0, 0};
        desc.ridge = ridges[i];
        snt_ok(sn_match_shape(t.model, &desc, NULL, values, NULL, error));
        assert_true(values[0] < last - 0.02 && values[0] > 0.1);
        last = values[0];
    }
    free(points);
    toy_end(&t);
}

static void threads_change_nothing(void **state) {
    (void)state;
    double first[COUNT];
    for (uint32_t threads = 1; threads <= 4; ++threads) {
        toy t = toy_make(threads, TOY_BODY);
        sn_pose_parameter parameters[COUNT];
        sn_match_desc desc = desc_of(&t, parameters);
        float *points = shape_of(&t, 0.7, 0.6);
        double values[COUNT] = {0, 0};
        desc.points = points;
        desc.rounds = 2;
        snt_ok(sn_match_shape(t.model, &desc, NULL, values, NULL, error));
        if (threads == 1) {
            memcpy(first, values, sizeof first);
        }
        assert_memory_equal(first, values, sizeof first);
        free(points);
        toy_end(&t);
    }
}

static void wrong_calls_are_refused(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_BODY);
    sn_pose_parameter parameters[COUNT];
    sn_match_desc desc = desc_of(&t, parameters), wrong;
    float *points = shape_of(&t, 1, 0), weights[TOY_VERTICES] = {0};
    double values[COUNT] = {0, 0};
    desc.points = points;
    wrong = desc;
    wrong.check = 0;
    snt_fails(SN_INVALID, "desc", sn_match_shape(t.model, &wrong, NULL, values, NULL, error));
    wrong = desc;
    wrong.surface = surface_of(t.model, "stick");
    snt_fails(SN_INVALID, "no skin", sn_match_shape(t.model, &wrong, NULL, values, NULL, error));
    wrong = desc;
    wrong.parameter_count = 0;
    snt_fails(SN_INVALID, "0 parameters",
              sn_match_shape(t.model, &wrong, NULL, values, NULL, error));
    wrong = desc;
    wrong.weights = weights;
    snt_fails(SN_INVALID, "no vertex counts",
              sn_match_shape(t.model, &wrong, NULL, values, NULL, error));
    weights[7] = NAN;
    snt_fails(SN_INVALID, "vertex 7", sn_match_shape(t.model, &wrong, NULL, values, NULL, error));
    snt_ok(sn_model_find_parameter(t.model, "root.ry", &parameters[1], error));
    snt_fails(SN_INVALID, "parameter 1 has no finite range",
              sn_match_shape(t.model, &desc, NULL, values, NULL, error));
    points[10] = INFINITY;
    desc.parameter_count = 1;
    snt_fails(SN_INVALID, "vertex 3", sn_match_shape(t.model, &desc, NULL, values, NULL, error));
    free(points);
    toy_end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_found_again),
        cmocka_unit_test(values_stay_in_their_range),
        cmocka_unit_test(only_weighted_vertices_count),
        cmocka_unit_test(a_ridge_makes_values_small),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(wrong_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
