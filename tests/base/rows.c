// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "base/rows.h"
#include "sinew/base.h"

static void items_stand_in_their_rows_in_order(void **state) {
    (void)state;
    static const uint32_t rows[] = {2, 0, 2, 4, 0, 2};
    uint32_t offsets[6] = {0}, items[6];
    for (uint32_t i = 0; i < 6; ++i) {
        sni_rows_count(offsets, rows[i], 1);
    }
    assert_int_equal(sni_rows_begin(offsets, 5), 6);
    for (uint32_t i = 0; i < 6; ++i) {
        items[sni_rows_take(offsets, rows[i])] = i;
    }
    sni_rows_end(offsets, 5);
    static const uint32_t expected_offsets[] = {0, 2, 2, 5, 5, 6}, expected[] = {1, 4, 0, 2, 5, 3};
    assert_memory_equal(offsets, expected_offsets, sizeof offsets);
    assert_memory_equal(items, expected, sizeof items);
}

static void keys_that_are_none_stand_in_no_row(void **state) {
    (void)state;
    static const uint32_t keys[] = {1, SN_NONE, 0, 1, SN_NONE};
    uint32_t offsets[] = {9, 9, 9}, items[5];
    sni_rows_from_keys(keys, 5, 1, 2, offsets, items);
    static const uint32_t expected_offsets[] = {0, 1, 3}, expected[] = {2, 0, 3};
    assert_memory_equal(offsets, expected_offsets, sizeof offsets);
    assert_memory_equal(items, expected, sizeof expected);
}

static void groups_of_keys_are_listed_by_their_number(void **state) {
    (void)state;
    // Two triangles of a square; the third uses a vertex twice and stands there twice.
    static const uint32_t vertices[] = {0, 1, 2, 2, 1, 3, 3, 0, 3};
    uint32_t offsets[5], items[9];
    sni_rows_from_keys(vertices, 3, 3, 4, offsets, items);
    static const uint32_t expected_offsets[] = {0, 2, 4, 6, 9};
    static const uint32_t expected[] = {0, 2, 0, 1, 0, 1, 1, 2, 2};
    assert_memory_equal(offsets, expected_offsets, sizeof offsets);
    assert_memory_equal(items, expected, sizeof items);
}

static void nothing_gives_no_rows(void **state) {
    (void)state;
    uint32_t offsets[3] = {7, 7, 7}, item = 5;
    sni_rows_from_keys(&item, 0, 3, 0, offsets, &item);
    assert_int_equal(offsets[0], 0);
    sni_rows_from_keys(&item, 0, 1, 2, offsets, &item);
    assert_true(offsets[0] == 0 && offsets[1] == 0 && offsets[2] == 0 && item == 5);
}

static void offsets_that_fall_are_found(void **state) {
    (void)state;
    static const uint32_t rising[] = {0, 2, 2, 3}, falling[] = {0, 2, 1, 3}, late[] = {1, 2, 2, 3};
    assert_true(sni_rows_are_valid(rising, 3, 3));
    assert_false(sni_rows_are_valid(rising, 3, 4));
    assert_false(sni_rows_are_valid(falling, 3, 3));
    assert_false(sni_rows_are_valid(late, 3, 3));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_stand_in_their_rows_in_order),
        cmocka_unit_test(keys_that_are_none_stand_in_no_row),
        cmocka_unit_test(groups_of_keys_are_listed_by_their_number),
        cmocka_unit_test(nothing_gives_no_rows),
        cmocka_unit_test(offsets_that_fall_are_found),
    };
    return cmocka_run_group_tests_name("base/rows", tests, NULL, NULL);
}
