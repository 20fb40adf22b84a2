// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "base/simd_f64.h"

#include <math.h>
#include <string.h>

// Lane by lane what plain doubles give, to the last bit.
static void lanes_are_doubles(void **state) {
    (void)state;
    const double a[4] = {1.0 / 3, -2e300, 5e-324, 0}, b[4] = {7, 1e-200, 3, -0.1};
    double sum[4], difference[4], product[4], quotient[4], same[4];
    sni_f64x4 x = sni_f64x4_load(a), y = sni_f64x4_load(b);
    sni_f64x4_store(sum, sni_f64x4_add(x, y));
    sni_f64x4_store(difference, sni_f64x4_sub(x, y));
    sni_f64x4_store(product, sni_f64x4_mul(x, y));
    sni_f64x4_store(quotient, sni_f64x4_div(x, y));
    sni_f64x4_store(same, sni_f64x4_set1(a[0]));
    for (int i = 0; i < 4; ++i) {
        const double found[5] = {sum[i], difference[i], product[i], quotient[i], same[i]};
        const double right[5] = {a[i] + b[i], a[i] - b[i], a[i] * b[i], a[i] / b[i], a[0]};
        assert_memory_equal(found, right, sizeof right);
    }
}

static void roots_and_choices_are_those_of_doubles(void **state) {
    (void)state;
    const double a[4] = {1.0 / 3, 2e300, 5e-324, NAN}, b[4] = {7, 1e-200, 3, -0.1};
    double root[4], less[4], more[4];
    sni_f64x4 x = sni_f64x4_load(a), y = sni_f64x4_load(b);
    sni_f64x4_store(root, sni_f64x4_sqrt(x));
    sni_f64x4_store(less, sni_f64x4_min(x, y));
    sni_f64x4_store(more, sni_f64x4_max(x, y));
    for (int i = 0; i < 4; ++i) {
        assert_true(i == 3 ? isnan(root[i]) : root[i] == sqrt(a[i]));
        assert_true(less[i] == fmin(a[i], b[i]) && more[i] == fmax(a[i], b[i]));
    }
    sni_f64x4 below = sni_f64x4_less(x, y);
    assert_int_equal(sni_f64x4_signs(below), 5); // lanes 0 and 2
    sni_f64x4_store(less, sni_f64x4_choose(below, y, x));
    for (int i = 0; i < 4; ++i) {
        assert_true(less[i] == fmin(a[i], b[i]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_are_doubles),
        cmocka_unit_test(roots_and_choices_are_those_of_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
