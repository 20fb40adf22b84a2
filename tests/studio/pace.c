// SPDX-License-Identifier: Apache-2.0
//
// How long work will take.
#include "test.h"

#include "jobs/pace.h"

static void even_work_is_foretold(void **state) {
    (void)state;
    pace p = {0};
    for (int i = 0; i <= 200; ++i) {
        pace_note(&p, 100 + 0.1 * i, 0.01 * 0.1 * i); // a hundredth a second
        if (i > 10) {
            snt_near(pace_left(&p, 100 + 0.1 * i), 100 - 0.1 * i, 1e-6);
        }
    }
}

static void nothing_is_foretold_too_early(void **state) {
    (void)state;
    pace p = {0};
    assert_true(pace_left(&p, 5) < 0);
    pace_note(&p, 5, 0.1);
    assert_true(pace_left(&p, 5) < 0);
    assert_true(pace_left(&p, 60) < 0);
    pace_note(&p, 5.6, 0.2);
    assert_true(pace_left(&p, 5.6) < 0);
}

// A slow step before a fast one: the estimate forgets the slow one within seconds.
static void the_last_seconds_count(void **state) {
    (void)state;
    pace p = {0};
    for (int i = 0; i < 600; ++i) {
        pace_note(&p, 0.1 * i, 0.2 * i / 600);
    }
    for (int i = 0; i <= 100; ++i) {
        pace_note(&p, 60 + 0.1 * i, 0.2 + 0.05 * 0.1 * i);
    }
    snt_near(pace_left(&p, 70), 0.3 / 0.05, 0.01);
}

static void it_never_goes_back(void **state) {
    (void)state;
    pace p = {0};
    assert_true(pace_note(&p, 0, 0.5) == 0.5);
    assert_true(pace_note(&p, 1, 0.2) == 0.5);
    assert_true(pace_note(&p, 2, 0.6) == 0.6);
}

static void work_that_stands_still_has_no_end(void **state) {
    (void)state;
    pace p = {0};
    for (int i = 0; i <= 40; ++i) {
        pace_note(&p, 0.1 * i, 0.01 * i);
    }
    assert_true(pace_left(&p, 4) >= 0);
    assert_true(pace_left(&p, 60) < 0);
    for (int i = 0; i < 400; ++i) {
        pace_note(&p, 4 + 0.1 * i, 0.4);
    }
    assert_true(pace_left(&p, 44) < 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(even_work_is_foretold),
        cmocka_unit_test(nothing_is_foretold_too_early),
        cmocka_unit_test(the_last_seconds_count),
        cmocka_unit_test(it_never_goes_back),
        cmocka_unit_test(work_that_stands_still_has_no_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
