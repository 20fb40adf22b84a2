// SPDX-License-Identifier: Apache-2.0
//
// Curves: the cubic spline against cubics, against an example by hand and against its definition;
// what happens beyond the ends.
#include "test.h"

#include "motion/curve.h"

#include <math.h>

static double cubic(double x) {
    return 2 - 3 * x + 0.5 * x * x + 0.25 * x * x * x;
}

static double cubic_slope(double x) {
    return -3 + x + 0.75 * x * x;
}

static void make(sn_context *context, sn_interpolation interpolation, uint32_t count,
                 const double *x, const double *y, sni_curve *curve) {
    snt_ok(sni_curve_init(context, count, x, y, interpolation, curve, error));
}

// A cubic through four points or more is the spline itself; beyond the ends it goes on straight.
static void a_cubic_is_its_own_spline(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const double x[] = {-2, -1.3, 0, 0.4, 1.7, 3};
    for (uint32_t count = 4; count <= 6; ++count) {
        double y[6];
        sni_curve curve;
        for (uint32_t i = 0; i < count; ++i) {
            y[i] = cubic(x[i]);
        }
        make(context, SN_INTERPOLATION_SPLINE, count, x, y, &curve);
        double last = x[count - 1];
        for (double at = -2; at <= last; at += 0.01) {
            snt_near(sni_curve_sample(&curve, at), cubic(at), 1e-12);
        }
        for (uint32_t i = 0; i < count; ++i) {
            snt_near(sni_curve_sample(&curve, x[i]), y[i], 0);
        }
        snt_near(sni_curve_sample(&curve, -5), cubic(-2) - 3 * cubic_slope(-2), 1e-11);
        snt_near(sni_curve_sample(&curve, last + 2), cubic(last) + 2 * cubic_slope(last), 1e-11);
        sni_curve_deinit(context, &curve);
    }
    snt_context_end(context);
}

// Three points give their parabola, two their line, one its value.
static void few_points_give_less(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const double x[] = {1, 2, 4}, y[] = {1, 4, 16};
    sni_curve curve;
    make(context, SN_INTERPOLATION_SPLINE, 3, x, y, &curve);
    for (double at = 1; at <= 4; at += 0.1) {
        snt_near(sni_curve_sample(&curve, at), at * at, 1e-13);
    }
    snt_near(sni_curve_sample(&curve, 0), -1, 1e-13);
    snt_near(sni_curve_sample(&curve, 5), 24, 1e-13);
    sni_curve_deinit(context, &curve);
    make(context, SN_INTERPOLATION_SPLINE, 2, x, y, &curve);
    snt_near(sni_curve_sample(&curve, -1), -5, 1e-14);
    snt_near(sni_curve_sample(&curve, 1.5), 2.5, 1e-14);
    snt_near(sni_curve_sample(&curve, 3), 7, 1e-14);
    sni_curve_deinit(context, &curve);
    make(context, SN_INTERPOLATION_SPLINE, 1, x, y, &curve);
    snt_near(sni_curve_sample(&curve, 7), 1, 0);
    sni_curve_deinit(context, &curve);
    snt_context_end(context);
}

// Points (0, 0) (1, 1) (2, 0) (3, 0) (4, 0), by hand. Third differences, y3 - 3 y2 + 3 y1 - y0 over
// 6: of the first four 1/2, of the last four -1/6. With s_i a sixth of the second derivatives:
//     s1 - s0 = 1/2,  s0 + 4 s1 + s2 = -2,  s1 + 4 s2 + s3 = 1,  s2 + 4 s3 + s4 = 0,
//     s4 - s3 = -1/6
// s0 = s1 - 1/2 and s4 = s3 - 1/6 leave 5 s1 + s2 = -3/2, s1 + 4 s2 + s3 = 1, s2 + 5 s3 = 1/6, so
// that 4 s2 - (3/2 + s2) / 5 + (1/6 - s2) / 5 = 1: s2 = 19/54, s1 = -10/27, s3 = -1/27.
static void five_points_by_hand(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const double x[] = {0, 1, 2, 3, 4}, y[] = {0, 1, 0, 0, 0};
    static const double s[] = {-10.0 / 27 - 0.5, -10.0 / 27, 19.0 / 54, -1.0 / 27,
                               -1.0 / 27 - 1.0 / 6};
    double slopes[5];
    sni_curve curve;
    snt_ok(sni_spline_slopes(context, 5, x, y, slopes, error));
    for (int i = 0; i < 4; ++i) {
        snt_near(slopes[i], y[i + 1] - y[i] - 2 * s[i] - s[i + 1], 1e-14);
    }
    snt_near(slopes[4], s[3] + 2 * s[4], 1e-14);
    make(context, SN_INTERPOLATION_SPLINE, 5, x, y, &curve);
    // In the middle of an interval: the mean of the ends less 3/8 (s_i + s_(i+1)).
    for (int i = 0; i < 4; ++i) {
        snt_near(sni_curve_sample(&curve, i + 0.5),
                 (y[i] + y[i + 1]) / 2 - 0.375 * (s[i] + s[i + 1]), 1e-14);
    }
    snt_near(sni_curve_sample(&curve, 6), 2 * (s[3] + 2 * s[4]), 1e-13);
    sni_curve_deinit(context, &curve);
    snt_context_end(context);
}

// Value, slope and second derivative are continuous at random keys.
static void is_smooth(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {3};
    for (int round = 0; round < 20; ++round) {
        double x[12], y[12], at = -1;
        sni_curve curve;
        for (int i = 0; i < 12; ++i) {
            x[i] = at += snt_random_range(&random, 0.2, 1);
            y[i] = snt_random_range(&random, -1, 1);
        }
        make(context, SN_INTERPOLATION_SPLINE, 12, x, y, &curve);
        for (int i = 1; i < 11; ++i) {
            double h = 1e-4, value = sni_curve_sample(&curve, x[i]), jump[2];
            double second[2];
            for (int side = 0; side < 2; ++side) {
                double step = side == 0 ? -h : h;
                double a = sni_curve_sample(&curve, x[i] + step);
                double b = sni_curve_sample(&curve, x[i] + 2 * step);
                second[side] = (value - 2 * a + b) / (h * h);
                jump[side] = (4 * a - b - 3 * value) / (2 * step);
            }
            snt_near(value, y[i], 0);
            snt_near(jump[0], jump[1], 1e-4);
            snt_near(second[0], second[1], 0.5); // third derivatives of some thousands, times h
        }
        sni_curve_deinit(context, &curve);
    }
    snt_context_end(context);
}

static void others_hold_beyond_their_ends(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const double x[] = {0, 1, 2}, y[] = {1, 3, 2};
    for (int k = 0; k <= SN_INTERPOLATION_SMOOTH; ++k) {
        sni_curve curve;
        make(context, (sn_interpolation)k, 3, x, y, &curve);
        snt_near(sni_curve_sample(&curve, -4), 1, 0);
        snt_near(sni_curve_sample(&curve, 4), 2, 0);
        snt_near(sni_curve_sample(&curve, 1), 3, 0);
        sni_curve_deinit(context, &curve);
    }
    sni_curve none = {0};
    snt_near(sni_curve_sample(&none, 0.3), 0.3, 0);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    static const double x[] = {0, 1, 2, 3}, y[] = {1, 3, 2, 0};
    sni_curve curve;
    sn_status status = sni_curve_init(context, 4, x, y, SN_INTERPOLATION_SPLINE, &curve, error);
    sni_curve_deinit(context, &curve);
    return status;
}

static void survives_failing_allocations(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cubic_is_its_own_spline),
        cmocka_unit_test(few_points_give_less),
        cmocka_unit_test(five_points_by_hand),
        cmocka_unit_test(is_smooth),
        cmocka_unit_test(others_hold_beyond_their_ends),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
