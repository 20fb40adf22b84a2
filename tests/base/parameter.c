// SPDX-License-Identifier: Apache-2.0
//
// Tables of parameters: what they find, fill in and refuse.
#include "test.h"

#include "base/parameter.h"

#include <math.h>

enum { WIDTH, SLICES, SIDE, COUNT };
static const char *const sides[] = {"left", "right", NULL};
static const sn_parameter items[COUNT] = {
    [WIDTH] = {.name = "width", .unit = "m", .low = 0, .standard = 0.25, .high = 2},
    [SLICES] = {.name = "slices", .unit = "", .low = 3, .standard = 8, .high = 64, .whole = true},
    [SIDE] = {.name = "side", .low = 0, .standard = 1, .high = 1, .choices = sides},
};
static const sn_parameters table = SNI_PARAMETERS(items), empty = {0};

static void finds_names(void **state) {
    (void)state;
    assert_int_equal(table.count, COUNT);
    for (uint32_t i = 0; i < COUNT; ++i) {
        assert_int_equal(sni_parameters_find(&table, items[i].name), i);
    }
    assert_int_equal(sni_parameters_find(&table, "Width"), SN_NONE);
    assert_int_equal(sni_parameters_find(&empty, "width"), SN_NONE);
}

static void standard_values_are_in_order(void **state) {
    (void)state;
    double values[COUNT];
    sni_parameters_defaults(&table, values);
    assert_true(values[WIDTH] == 0.25 && values[SLICES] == 8 && values[SIDE] == 1);
    snt_ok(sni_parameters_validate(&table, "arm", values, error));
    snt_ok(sni_parameters_validate(&empty, "arm", NULL, error));
}

// A standard that is not a number stands for a value that follows from others.
static void a_computed_standard_is_valid(void **state) {
    (void)state;
    static const sn_parameter computed[] = {
        {.name = "depth", .unit = "m", .low = 0, .standard = NAN, .high = 2}};
    const sn_parameters depths = SNI_PARAMETERS(computed);
    double value, high = 3;
    sni_parameters_defaults(&depths, &value);
    assert_true(isnan(value));
    snt_ok(sni_parameters_validate(&depths, "arm", &value, error));
    snt_fails(SN_INVALID, "arm: depth is 3, but must be from 0 to 2",
              sni_parameters_validate(&depths, "arm", &high, error));
}

static void ends_of_a_range_belong_to_it(void **state) {
    (void)state;
    double lowest[COUNT] = {0, 3, 0}, highest[COUNT] = {2, 64, 1};
    snt_ok(sni_parameters_validate(&table, "arm", lowest, error));
    snt_ok(sni_parameters_validate(&table, "arm", highest, error));
}

static void says_what_is_wrong(void **state) {
    (void)state;
    static const struct {
        double values[COUNT];
        const char *message;
    } cases[] = {
        {{-0.5, 8, 0}, "arm: width is -0.5, but must be from 0 to 2"},
        {{NAN, 8, 0}, "arm: width is nan, but must be from 0 to 2"},
        {{INFINITY, 8, 0}, "arm: width is inf, but must be from 0 to 2"},
        {{1, 65, 0}, "arm: slices is 65, but must be from 3 to 64"},
        {{1, 7.5, 0}, "arm: slices is 7.5, but must be a whole number"},
        {{1, 8, 2}, "arm: side is 2, but must be from 0 to 1"},
        {{1, 8, 0.5}, "arm: side is 0.5, but must be a whole number"},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        snt_fails(SN_INVALID, cases[i].message,
                  sni_parameters_validate(&table, "arm", cases[i].values, error));
    }
    snt_fails(SN_INVALID, "arm: no parameters",
              sni_parameters_validate(&table, "arm", NULL, error));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_names),
        cmocka_unit_test(standard_values_are_in_order),
        cmocka_unit_test(a_computed_standard_is_valid),
        cmocka_unit_test(ends_of_a_range_belong_to_it),
        cmocka_unit_test(says_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
