// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "edits/history.h"

#include <stdlib.h>

static char *copy(const char *text) {
    char *result = malloc(strlen(text) + 1);
    assert_non_null(result);
    return strcpy(result, text);
}

static history_step make_step(const char *label, const char *merge, uint32_t page) {
    return (history_step){.label = copy(label),
                          .merge = merge ? copy(merge) : NULL,
                          .page = page,
                          .forth = copy("{\"patch\": []}\n"),
                          .back = copy("{\"patch\": []}\n"),
                          .forth_size = 14,
                          .back_size = 14};
}

static void push(history *h, const char *label, const char *merge, uint32_t page, bool merged) {
    history_step step = make_step(label, merge, page);
    snt_ok(history_reserve(h, error));
    history_push(h, &step, merged);
    assert_null(step.label);
}

static void steps_go_back_and_forth(void **state) {
    (void)state;
    history h = {0};
    assert_null(history_to_undo(&h));
    assert_null(history_to_redo(&h));
    for (int i = 0; i < 1000; ++i) {
        char label[16];
        snprintf(label, sizeof label, "%d", i);
        push(&h, label, NULL, 1, false);
    }
    for (int i = 999; i >= 0; --i) {
        assert_int_equal(atoi(history_to_undo(&h)->label), i);
        history_undone(&h);
    }
    assert_null(history_to_undo(&h));
    for (int i = 0; i < 1000; ++i) {
        assert_int_equal(atoi(history_to_redo(&h)->label), i);
        history_redone(&h);
    }
    assert_null(history_to_redo(&h));
    history_deinit(&h);
}

static void a_new_step_ends_what_could_be_redone(void **state) {
    (void)state;
    history h = {0};
    push(&h, "a", NULL, 1, false);
    push(&h, "b", NULL, 1, false);
    push(&h, "c", NULL, 1, false);
    history_undone(&h);
    history_undone(&h);
    push(&h, "d", NULL, 1, false);
    assert_null(history_to_redo(&h));
    assert_int_equal(h.count, 2);
    assert_string_equal(history_to_undo(&h)->label, "d");
    history_undone(&h);
    assert_string_equal(history_to_undo(&h)->label, "a");
    history_deinit(&h);
}

static void only_the_same_page_and_key_merge(void **state) {
    (void)state;
    history h = {0};
    assert_false(history_merges(&h, 1, "k"));
    push(&h, "a", "k", 1, false);
    assert_true(history_merges(&h, 1, "k"));
    assert_false(history_merges(&h, 1, NULL));
    assert_false(history_merges(&h, 1, "other"));
    assert_false(history_merges(&h, 2, "k"));
    push(&h, "b", "k", 1, true);
    assert_int_equal(h.count, 1);
    assert_string_equal(history_to_undo(&h)->label, "b");
    // After going back and forth a step is closed.
    history_undone(&h);
    assert_false(history_merges(&h, 1, "k"));
    history_redone(&h);
    assert_false(history_merges(&h, 1, "k"));
    push(&h, "c", NULL, 1, false);
    assert_false(history_merges(&h, 1, "k"));
    history_deinit(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_go_back_and_forth),
        cmocka_unit_test(a_new_step_ends_what_could_be_redone),
        cmocka_unit_test(only_the_same_page_and_key_merge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
