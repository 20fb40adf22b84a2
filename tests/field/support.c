// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "field/support.h"

static void values_of_the_specification(void **state) {
    (void)state;
    static const double rows[][2] = {
        {-1, 1},
        {-0.75, 0.98394775390625},
        {-0.5, 0.896484375},
        {-0.25, 0.72479248046875},
        {0, 0.5},
        {0.25, 0.27520751953125},
        {0.5, 0.103515625},
        {0.75, 0.01605224609375},
        {1, 0},
        {-3, 1},
        {3, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        snt_near(sni_support(rows[i][0]), rows[i][1], 1e-15);
    }
    snt_near(sni_support_inverse(0.1), 0.506727093423, 1e-12);
    snt_near(sni_support_inverse(0.25), 0.281127670421, 1e-12);
    snt_near(sni_support_inverse(0.4), 0.107491805027, 1e-12);
    assert_true(sni_support_inverse(0.5) == 0);
    assert_true(sni_support_inverse(0) == 1 && sni_support_inverse(-1) == 1);
    assert_true(sni_support_inverse(1) == -1 && sni_support_inverse(2) == -1);
}

static void the_inverse_goes_back(void **state) {
    (void)state;
    snt_random random = {11};
    for (int i = 0; i < 10000; ++i) {
        double x = snt_random_range(&random, -0.999, 0.999), value = sni_support(x);
        snt_near(sni_support(sni_support_inverse(value)), value, 1e-15);
        snt_near(sni_support(-x), 1 - value, 1e-15);
        // Where the slope is steep enough to tell places apart.
        if (fabs(x) < 0.95) {
            snt_near(sni_support_inverse(value), x, 1e-12);
        }
    }
    for (int i = 1; i < 300; ++i) { // next to both ends
        double value = pow(10, -i / 20.0);
        snt_near(sni_support(sni_support_inverse(value)), value, 1e-15);
    }
}

static void slopes_are_those_of_the_values(void **state) {
    (void)state;
    for (double x = -1.2; x < 1.2; x += 0.01) {
        double step = 1e-6;
        double slope = (sni_support(x + step) - sni_support(x - step)) / (2 * step);
        snt_near(sni_support_slope(x), slope, 1e-8);
    }
    sni_distance_value sphere = {0.3, {1, 0, 0}};
    sni_field_value field = sni_support_field(sphere, 1);
    snt_near(field.value, 0.235169375, 1e-12);
    snt_near(field.gradient.x, -0.77634375, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_the_specification),
        cmocka_unit_test(the_inverse_goes_back),
        cmocka_unit_test(slopes_are_those_of_the_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
