// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "motion/reduce.h"

#include <math.h>

enum { COUNT = 200 };

static uint32_t count_marks(const uint8_t *keep, uint32_t count) {
    uint32_t marks = 0;
    for (uint32_t i = 0; i < count; ++i) {
        marks += keep[i];
    }
    return marks;
}

// How far lines between the values that are kept depart from the others.
static double largest_error(const double *values, const uint8_t *keep, uint32_t count) {
    double largest = 0;
    for (uint32_t from = 0, to; from + 1 < count; from = to) {
        for (to = from + 1; !keep[to]; ++to) {
        }
        for (uint32_t i = from; i <= to; ++i) {
            double line = values[from] + (values[to] - values[from]) * (i - from) / (to - from);
            largest = fmax(largest, fabs(line - values[i]));
        }
    }
    return largest;
}

static void keeps_what_lines_do_not_say(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    double values[COUNT];
    uint8_t keep[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        values[i] = i < 50 ? 2 * i : i < 120 ? 100 : 100 - 3 * (i - 120);
    }
    snt_ok(sni_keys_reduce(context, values, COUNT, 1e-9, keep, error));
    assert_int_equal(count_marks(keep, COUNT), 4);
    assert_true(keep[0] && keep[50] && keep[120] && keep[COUNT - 1]);
    for (int i = 0; i < COUNT; ++i) {
        values[i] = sin(0.1 * i);
    }
    for (double tolerance = 1e-1; tolerance > 1e-5; tolerance /= 10) {
        snt_ok(sni_keys_reduce(context, values, COUNT, tolerance, keep, error));
        assert_true(largest_error(values, keep, COUNT) <= tolerance);
        assert_true(tolerance < 1e-2 || count_marks(keep, COUNT) < COUNT / 2);
    }
    snt_ok(sni_keys_reduce(context, values, 1, 0, keep, error));
    assert_int_equal(count_marks(keep, 1), 1);
    snt_ok(sni_keys_reduce(context, values, 2, 0, keep, error));
    assert_int_equal(count_marks(keep, 2), 2);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(keeps_what_lines_do_not_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
