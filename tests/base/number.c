// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "base/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>

static double read_all(const char *text) {
    double number;
    const char *end = text + strlen(text);
    if (sni_number_read(text, end, &number) != end) {
        fail_msg("\"%s\" was not read to its end", text);
    }
    return number;
}

static void reads_all_forms(void **state) {
    (void)state;
    const struct {
        const char *text;
        double number;
    } cases[] = {{"0", 0},
                 {"-1", -1},
                 {"+2.5", 2.5},
                 {".5", 0.5},
                 {"5.", 5},
                 {"1e3", 1000},
                 {"1E-2", 0.01},
                 {"00012", 12},
                 {"1e400", INFINITY},
                 {"-1e400", -INFINITY},
                 {"1e-400", 0},
                 {"4.9e-324", 4.9e-324},
                 {"1e99999999999", INFINITY},
                 {"1e-99999999999", 0},
                 {"0e99999999999", 0},
                 {"9007199254740993", 9007199254740992.0},
                 {"1.7976931348623157e308", DBL_MAX},
                 {"0.1", 0.1},
                 {"123456789012345678901234567890", 123456789012345678901234567890.0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_true(read_all(cases[i].text) == cases[i].number);
    }
    assert_true(signbit(read_all("-0")));
}

static void stops_where_the_number_ends(void **state) {
    (void)state;
    const struct {
        const char *text;
        long length; // -1: no number
    } cases[] = {{"1,2", 1},  {"1e", 1},   {"1e+", 1},  {"1.2.3", 3}, {"12abc", 2},
                 {"1 2", 1},  {"", -1},    {"-", -1},   {".", -1},    {"e5", -1},
                 {"nan", -1}, {"inf", -1}, {"+-1", -1}, {"0x10", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        double number;
        const char *text = cases[i].text;
        const char *end = sni_number_read(text, text + strlen(text), &number);
        assert_int_equal(end != NULL ? end - text : -1, cases[i].length);
    }
    // Never beyond the end that was given.
    double number;
    const char *text = "12345";
    assert_true(sni_number_read(text, text + 2, &number) == text + 2 && number == 12);
}

static void reads_integers(void **state) {
    (void)state;
    uint32_t number;
    const char *text = "4294967295x";
    assert_true(sni_number_read_uint(text, text + 11, &number) == text + 10);
    assert_int_equal(number, UINT32_MAX);
    text = "4294967296";
    assert_null(sni_number_read_uint(text, text + 10, &number));
    text = "-1";
    assert_null(sni_number_read_uint(text, text + 2, &number));
}

static double random_double(snt_random *random) {
    double number;
    do {
        uint64_t bits = (uint64_t)snt_random_u32(random) << 32 | snt_random_u32(random);
        memcpy(&number, &bits, sizeof number);
    } while (!isfinite(number));
    return number;
}

// Against the C library: %.17g is read exactly, and what we write is read back by strtod.
static void doubles_round_trip(void **state) {
    (void)state;
    snt_random random = {1};
    for (int i = 0; i < 100000; ++i) {
        double number = i % 2 ? random_double(&random)
                              : snt_random_range(&random, -1000, 1000) * (i % 4 ? 1 : 1e-3);
        char text[64];
        snprintf(text, sizeof text, "%.*g", i % 20 + 1, number);
        assert_true(read_all(text) == strtod(text, NULL));
        int length = sni_number_write(number, text);
        assert_int_equal(length, strlen(text));
        assert_true(length < SNI_NUMBER_BYTES);
        assert_true(strtod(text, NULL) == number);
        assert_true(read_all(text) == number);
    }
}

static void floats_round_trip(void **state) {
    (void)state;
    snt_random random = {2};
    for (int i = 0; i < 100000; ++i) {
        float number;
        do {
            uint32_t bits = snt_random_u32(&random);
            memcpy(&number, &bits, sizeof number);
        } while (!isfinite(number));
        char text[SNI_NUMBER_BYTES];
        sni_number_write_float(number, text);
        assert_true(strtof(text, NULL) == number);
    }
}

static void writes_the_shortest_form(void **state) {
    (void)state;
    const struct {
        double number;
        const char *text;
    } cases[] = {{0.1, "0.1"},       {1, "1"},
                 {-0.0, "-0"},       {100000, "100000"},
                 {0.3, "0.3"},       {0.1 + 0.2, "0.30000000000000004"},
                 {5e-324, "5e-324"}, {1.0 / 3, "0.3333333333333333"},
                 {1e22, "1e22"},     {123456789, "123456789"}};
    char text[SNI_NUMBER_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sni_number_write(cases[i].number, text);
        assert_string_equal(text, cases[i].text);
    }
    sni_number_write_float(0.1f, text);
    assert_string_equal(text, "0.1");
    sni_number_write_float(16777216.0f, text);
    assert_string_equal(text, "16777216");
}

static void long_texts_are_read(void **state) {
    (void)state;
    char text[3000];
    memset(text, '0', sizeof text);
    memcpy(text, "0.", 2);
    strcpy(text + 1500, "25");
    assert_true(read_all(text) == 0);
    memset(text, '0', 1500);
    strcpy(text + 1500, "7.5");
    assert_true(read_all(text) == 7.5);
    memset(text, '3', sizeof text);
    memcpy(text, "0.", 2);
    text[2999] = 0;
    assert_true(read_all(text) == 1.0 / 3);
    memset(text, '9', 400);
    text[400] = 0;
    assert_true(isinf(read_all(text)));
}

static void the_locale_does_not_matter(void **state) {
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "nl_NL.UTF-8"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; ++i) {
        found = setlocale(LC_ALL, names[i]) != NULL;
    }
    char text[SNI_NUMBER_BYTES];
    sni_number_write(0.30000000000000004, text);
    assert_string_equal(text, "0.30000000000000004");
    assert_true(read_all(text) == 0.30000000000000004);
    setlocale(LC_ALL, "C");
    if (!found) {
        snt_skip("no locale with a decimal comma is installed");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_all_forms),     cmocka_unit_test(stops_where_the_number_ends),
        cmocka_unit_test(reads_integers),      cmocka_unit_test(doubles_round_trip),
        cmocka_unit_test(floats_round_trip),   cmocka_unit_test(writes_the_shortest_form),
        cmocka_unit_test(long_texts_are_read), cmocka_unit_test(the_locale_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
