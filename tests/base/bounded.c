// SPDX-License-Identifier: Apache-2.0
//
// Quadratic functions within bounds: by hand, and by what makes a minimum one.
#include "test.h"

#include "base/bounded.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 40 };

static double scratch[MOST * (MOST + 2)];

// 1/2 x^2 - 3 x + 1/2 y^2 + y has its minimum at (3, -1).
static void bounds_hold_what_they_cut(void **state) {
    (void)state;
    const double matrix[4] = {1, 0, 0, 1}, right[2] = {3, -1};
    const double low[2] = {0, 0}, high[2] = {2, 5}, wide[2] = {-9, -9}, far[2] = {9, 9};
    double x[2] = {0, 0};
    assert_true(sni_bounded_minimum(2, matrix, right, low, high, x, scratch));
    assert_true(x[0] == 2 && x[1] == 0);
    assert_true(sni_bounded_minimum(2, matrix, right, wide, far, x, scratch));
    snt_near(x[0], 3, 1e-14);
    snt_near(x[1], -1, 1e-14);
}

// With a bound on x at 1, y follows: y = (g - h x) / H.
static void free_ones_follow_those_at_bounds(void **state) {
    (void)state;
    const double matrix[4] = {2, 1, 1, 2}, right[2] = {6, 0}, low[2] = {0, -5}, high[2] = {1, 5};
    double x[2] = {0.5, 0};
    assert_true(sni_bounded_minimum(2, matrix, right, low, high, x, scratch));
    snt_near(x[0], 1, 1e-14);
    snt_near(x[1], -0.5, 1e-14);
}

static void one_that_cannot_move_stays(void **state) {
    (void)state;
    const double matrix[4] = {1, 0, 0, 1}, right[2] = {7, 7}, low[2] = {2, 0}, high[2] = {2, 9};
    double x[2] = {0, 0};
    assert_true(sni_bounded_minimum(2, matrix, right, low, high, x, scratch));
    assert_true(x[0] == 2);
    snt_near(x[1], 7, 1e-13);
    assert_true(sni_bounded_minimum(0, NULL, NULL, NULL, NULL, NULL, scratch));
}

static void singular_is_said(void **state) {
    (void)state;
    const double matrix[4] = {1, 1, 1, 1}, right[2] = {1, 1}, low[2] = {-9, -9}, high[2] = {9, 9};
    double x[2] = {0, 0};
    assert_false(sni_bounded_minimum(2, matrix, right, low, high, x, scratch));
}

// At the minimum the slope is 0 where a variable is free, and points outwards where it is at a
// bound, whatever the start.
static void slopes_tell_a_minimum(void **state) {
    (void)state;
    snt_random random = {20261118};
    for (int round = 0; round < 200; ++round) {
        double rows[MOST][MOST], matrix[MOST * MOST], right[MOST], low[MOST], high[MOST];
        double x[MOST], other[MOST];
        uint32_t count = 1 + snt_random_u32(&random) % (MOST - 1);
        for (uint32_t i = 0; i < count; ++i) {
            right[i] = snt_random_range(&random, -0.5, 0.5);
            low[i] = snt_random_range(&random, -0.3, 0);
            high[i] = snt_random_range(&random, 0, 0.3);
            x[i] = low[i];
            other[i] = high[i];
            for (uint32_t k = 0; k < count; ++k) {
                rows[i][k] = snt_random_range(&random, -0.5, 0.5);
            }
        }
        for (uint32_t i = 0; i < count; ++i) {
            for (uint32_t k = 0; k < count; ++k) {
                double sum = i == k ? 0.01 : 0;
                for (uint32_t n = 0; n < count; ++n) {
                    sum += rows[n][i] * rows[n][k];
                }
                matrix[i * count + k] = sum;
            }
        }
        assert_true(sni_bounded_minimum(count, matrix, right, low, high, x, scratch));
        assert_true(sni_bounded_minimum(count, matrix, right, low, high, other, scratch));
        for (uint32_t i = 0; i < count; ++i) {
            double slope = -right[i];
            for (uint32_t k = 0; k < count; ++k) {
                slope += matrix[i * count + k] * x[k];
            }
            assert_true(x[i] >= low[i] && x[i] <= high[i]);
            assert_true(x[i] == low[i] || slope < 1e-9);
            assert_true(x[i] == high[i] || slope > -1e-9);
            snt_near(x[i], other[i], 1e-9);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold_what_they_cut),
        cmocka_unit_test(free_ones_follow_those_at_bounds),
        cmocka_unit_test(one_that_cannot_move_stays),
        cmocka_unit_test(singular_is_said),
        cmocka_unit_test(slopes_tell_a_minimum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
