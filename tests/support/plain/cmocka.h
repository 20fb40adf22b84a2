// SPDX-License-Identifier: Apache-2.0
//
// What the tests use of cmocka, for platforms that it is not at hand for (SINEW_PLAIN_TESTS): no
// mocks, no fixtures, no leak checks. The counts are printed as cmocka does.
#ifndef SNT_PLAIN_CMOCKA_H
#define SNT_PLAIN_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
    void *initial_state;
};

#define cmocka_unit_test(test)                                                                     \
    { #test, test, NULL }
#define cmocka_unit_test_prestate(test, state)                                                     \
    { #test, test, state }

// How a test ended early: one program has one file of tests, but also the support library.
enum { SNT_PLAIN_FAILED = 1, SNT_PLAIN_SKIPPED = 2 };
extern jmp_buf snt_plain_end;

static inline void snt_plain_print(FILE *out, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
}
static inline void vprint_message(const char *format, va_list arguments) {
    vprintf(format, arguments);
}
#define print_message(...) snt_plain_print(stdout, __VA_ARGS__)
#define print_error(...) snt_plain_print(stderr, __VA_ARGS__)

static inline _Noreturn void _fail(const char *file, int line) {
    print_error("%s:%d: failure\n", file, line);
    longjmp(snt_plain_end, SNT_PLAIN_FAILED);
}
#define fail() _fail(__FILE__, __LINE__)
#define fail_msg(...) (print_error(__VA_ARGS__), print_error("\n"), fail())
#define skip() longjmp(snt_plain_end, SNT_PLAIN_SKIPPED)

static inline void snt_plain_check(int holds, const char *text, const char *file, int line) {
    if (!holds) {
        print_error("not so: %s\n", text);
        _fail(file, line);
    }
}
#define SNT_PLAIN_CHECK(holds, text) snt_plain_check((holds) ? 1 : 0, text, __FILE__, __LINE__)
#define assert_true(a) SNT_PLAIN_CHECK(a, #a)
#define assert_false(a) SNT_PLAIN_CHECK(!(a), "not " #a)
#define assert_null(a) SNT_PLAIN_CHECK((a) == NULL, #a " is NULL")
#define assert_non_null(a) SNT_PLAIN_CHECK((a) != NULL, #a " is not NULL")
#define assert_int_equal(a, b) SNT_PLAIN_CHECK((intmax_t)(a) == (intmax_t)(b), #a " == " #b)
#define assert_int_not_equal(a, b) SNT_PLAIN_CHECK((intmax_t)(a) != (intmax_t)(b), #a " != " #b)
#define assert_ptr_equal(a, b) SNT_PLAIN_CHECK((const void *)(a) == (const void *)(b), #a " == " #b)
#define assert_ptr_not_equal(a, b)                                                                 \
    SNT_PLAIN_CHECK((const void *)(a) != (const void *)(b), #a " != " #b)
#define assert_string_equal(a, b) SNT_PLAIN_CHECK(strcmp((a), (b)) == 0, #a " is " #b)
#define assert_string_not_equal(a, b) SNT_PLAIN_CHECK(strcmp((a), (b)) != 0, #a " is not " #b)
#define assert_memory_equal(a, b, size)                                                            \
    SNT_PLAIN_CHECK(memcmp((a), (b), (size)) == 0, #a " has the bytes of " #b)
#define assert_memory_not_equal(a, b, size)                                                        \
    SNT_PLAIN_CHECK(memcmp((a), (b), (size)) != 0, #a " has not the bytes of " #b)
#define assert_in_range(a, low, high)                                                              \
    SNT_PLAIN_CHECK((uintmax_t)(a) >= (uintmax_t)(low) && (uintmax_t)(a) <= (uintmax_t)(high),     \
                    #a " from " #low " to " #high)

#define test_malloc malloc
#define test_calloc calloc
#define test_free free

static inline int snt_plain_run(const struct CMUnitTest *tests, size_t count) {
    int counts[3] = {0, 0, 0};
    for (size_t i = 0; i < count; ++i) {
        volatile size_t at = i;
        void *state = tests[i].initial_state;
        int end = setjmp(snt_plain_end);
        if (end == 0) {
            tests[at].run(&state);
        } else {
            print_error("[  %s ] %s\n", end == SNT_PLAIN_FAILED ? "FAILED" : "SKIPPED",
                        tests[at].name);
        }
        counts[end]++;
        i = at;
    }
    print_error("[  PASSED  ] %d test(s).\n", counts[0]);
    if (counts[SNT_PLAIN_SKIPPED] > 0) {
        print_error("[  SKIPPED ] %d test(s)\n", counts[SNT_PLAIN_SKIPPED]);
    }
    if (counts[SNT_PLAIN_FAILED] > 0) {
        print_error("[  FAILED  ] %d test(s)\n", counts[SNT_PLAIN_FAILED]);
    }
    return counts[SNT_PLAIN_FAILED];
}
#define cmocka_run_group_tests(tests, setup, teardown)                                             \
    ((void)(setup), (void)(teardown), snt_plain_run(tests, sizeof tests / sizeof *tests))
#define cmocka_run_group_tests_name(name, tests, setup, teardown)                                  \
    ((void)(name), cmocka_run_group_tests(tests, setup, teardown))

#endif
