// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "field/detail.h"

static void muscles_blend_into_a_limb_as_specified(void **state) {
    (void)state;
    static const double rows[7][5] = {
        {0, .5, .5, .5, .5},
        {.2, .5, 0.5305026814, .5, .5},
        {.3, .6, 0.5888739033, 0.575, 0.575},
        {.3, 1, 0.6031891608, 0.6, 0.6},
        {.5, .5, 0.6028863893, 0.5662393336, .5},
        {.5, 0, .5, .5, .5},
        {.8, 1, .8, .8, .8},
    };
    for (int i = 0; i < 7; ++i) {
        for (int k = 0; k < 3; ++k) {
            double value = sni_detail_blend(0.75, k * 0.5, rows[i][0], rows[i][1]).value;
            snt_near(value, rows[i][2 + k], 1e-10);
        }
    }
    static const double places[5][2] = {
        {2, 0.81999397}, {2.7, 0.71470588}, {3.5, 0.63754100}, {4.2, 0.5}, {4.5, 0.24957169}};
    for (int i = 0; i < 5; ++i) {
        double rho = places[i][0], limb = sni_support((rho - 3.2) / 3.2);
        double muscle = sni_support(fabs(rho - 2.7) - 1.5);
        snt_near(sni_detail_blend(0.75, 0.5, limb, muscle).value, places[i][1], 1e-8);
    }
    // Outwards through the muscle the field never rises, as it does where both are united.
    double before = 1;
    int united_rises = 0;
    double united_before = 1;
    for (int i = 0; i <= 600; ++i) {
        double rho = i * 0.01, limb = sni_support((rho - 3.2) / 3.2);
        double muscle = sni_support(fabs(rho - 2.7) - 1.5);
        double value = sni_detail_blend(0.75, 0.5, limb, muscle).value;
        assert_true(value <= before + 1e-12);
        before = value;
        united_rises += fmax(limb, muscle) > united_before;
        united_before = fmax(limb, muscle);
    }
    assert_int_equal(united_rises, 53);
}

// smin is below both, equals the lower one where they are far apart, and has the slopes that it
// says.
static void the_smooth_minimum_has_its_slopes(void **state) {
    (void)state;
    snt_random random = {11};
    for (int i = 0; i < 20000; ++i) {
        double a = snt_random_range(&random, 0, 1), b = snt_random_range(&random, 0, 1);
        double s = snt_random_range(&random, 0.01, 0.5), step = 1e-6;
        sni_smooth_min m = sni_smooth_minimum(a, b, s);
        assert_true(m.value <= fmin(a, b) && m.value >= fmin(a, b) - s / 4);
        if (fabs(a - b) > s) {
            assert_true(m.value == fmin(a, b));
        }
        if (fabs(fabs(a - b) - s) < 2 * step || fabs(a - b) < 2 * step) {
            continue; // its second slope jumps there
        }
        snt_near(
            (sni_smooth_minimum(a + step, b, s).value - sni_smooth_minimum(a - step, b, s).value) /
                (2 * step),
            m.by_a, 1e-5);
        snt_near(
            (sni_smooth_minimum(a, b + step, s).value - sni_smooth_minimum(a, b - step, s).value) /
                (2 * step),
            m.by_b, 1e-5);
        snt_near(
            (sni_smooth_minimum(a, b, s + step).value - sni_smooth_minimum(a, b, s - step).value) /
                (2 * step),
            m.by_s, 1e-5);
    }
    assert_true(sni_smooth_minimum(0.3, 0.4, 0).value == 0.3); // without softness
}

static void slopes_are_those_of_the_values(void **state) {
    (void)state;
    snt_random random = {5};
    static const double widths[6] = {0, 0.1, 0.3, 0.5, 0.8, 1};
    double worst = 0;
    uint32_t compared = 0;
    for (int i = 0; i < 20000; ++i) {
        double t = widths[i % 6], step = 1e-6;
        double x = snt_random_range(&random, 0.01, 0.99), y = snt_random_range(&random, 0.01, 0.99);
        sni_composed g = sni_detail_blend(0.75, t, x, y);
        double values[4] = {sni_detail_blend(0.75, t, x - step, y).value,
                            sni_detail_blend(0.75, t, x + step, y).value,
                            sni_detail_blend(0.75, t, x, y - step).value,
                            sni_detail_blend(0.75, t, x, y + step).value};
        for (int axis = 0; axis < 2; ++axis) {
            double back = g.value - values[2 * axis], ahead = values[2 * axis + 1] - g.value;
            if (fabs(ahead - back) > 1e-3 * step) {
                continue; // a crease lies within the step
            }
            worst = fmax(worst, fabs((ahead + back) / (2 * step) - (axis == 0 ? g.by_x : g.by_y)));
            ++compared;
        }
    }
    assert_true(compared > 35000 && worst < 1e-3);
}

// What the operator is for: without a muscle nothing changes, inside of one the field goes on
// rising with the limb's, so that there is a way out from everywhere, and deep inside the limb
// muscles say nothing.
static void the_field_rises_with_the_limb_inside_of_muscles(void **state) {
    (void)state;
    for (int k = 0; k <= 2; ++k) {
        double t = 0.5 * k, before = -1;
        for (int i = 0; i <= 1000; ++i) {
            double x = i * 0.001, value = sni_detail_blend(0.75, t, x, 1).value;
            assert_true(value > before);
            before = value;
            assert_true(sni_detail_blend(0.75, t, x, 0).value == x);
            assert_true(x < 0.75 || sni_detail_blend(0.75, t, x, 0.9).value == x);
        }
    }
    // A half of the muscle alone stays on the surface.
    assert_true(sni_detail_blend(0.75, 0, 0, 0.5).value == 0.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(muscles_blend_into_a_limb_as_specified),
        cmocka_unit_test(the_smooth_minimum_has_its_slopes),
        cmocka_unit_test(slopes_are_those_of_the_values),
        cmocka_unit_test(the_field_rises_with_the_limb_inside_of_muscles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
