// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "sinew/base.h"

static void numbers_and_ranges_are_marked(void **state) {
    (void)state;
    static const struct {
        const char *text, *marks;
    } cases[] = {
        {"0", "1000000000"},       {"9", "0000000001"},   {"2-4", "0011100000"},
        {"7,0-1,3", "1101000100"}, {"all", "1111111111"}, {" 1 , 4 - 5 ", "0100110000"},
        {"3,3,2-3", "0011000000"}, {"0-9", "1111111111"}, {"5-5", "0000010000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        uint8_t marks[10] = {0};
        snt_ok(sn_ranges_mark(cases[i].text, 10, marks, error));
        for (int k = 0; k < 10; ++k) {
            assert_int_equal(marks[k], cases[i].marks[k] - '0');
        }
    }
}

static void other_texts_are_refused(void **state) {
    (void)state;
    static const char *const wrong[] = {"",
                                        " ",
                                        "10",
                                        "3-10",
                                        "4-3",
                                        "1,",
                                        ",1",
                                        "-1",
                                        "1-",
                                        "a",
                                        "1;2",
                                        "1 2",
                                        "1-2-3",
                                        "0x1",
                                        "1.5",
                                        "all,1",
                                        "99999999999999999999",
                                        "4294967296"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        uint8_t marks[10] = {0};
        snt_fails(SN_INVALID, "is not a number or range below 10",
                  sn_ranges_mark(wrong[i], 10, marks, error));
    }
    uint8_t none = 0;
    snt_fails(SN_INVALID, "below 0", sn_ranges_mark("0", 0, &none, error));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_ranges_are_marked),
        cmocka_unit_test(other_texts_are_refused),
    };
    return cmocka_run_group_tests_name("base/ranges", tests, NULL, NULL);
}
