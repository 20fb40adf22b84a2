// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "base/context.h"

#include <setjmp.h>
#include <string.h>

static void assert_format(const sn_error *error, const char *expected) {
    char text[2048];
    sn_error_format(error, text, sizeof text);
    assert_string_equal(text, expected);
}

static void the_first_failure_stays(void **state) {
    (void)state;
    sn_error error = {0};
    assert_int_equal(sni_fail(&error, SN_INVALID, "value %d", 3), SN_INVALID);
    assert_int_equal(sni_fail(&error, SN_IO, "later"), SN_IO);
    assert_int_equal(error.status, SN_INVALID);
    assert_string_equal(error.message, "value 3");
    assert_string_equal(error.function, "the_first_failure_stays");
    assert_int_equal(sni_fail(NULL, SN_IO, "nobody asks"), SN_IO);
    sni_error_source(NULL, "x");
    sni_error_place(NULL, 1, "x");
}

static void formats_the_parts_that_are_known(void **state) {
    (void)state;
    sn_error error = {0};
    sni_fail(&error, SN_INVALID, "wrong");
    assert_format(&error, "wrong");
    sni_error_place(&error, 0, "bone %d", 4);
    assert_format(&error, "bone 4: wrong");
    sni_error_source(&error, "a.json");
    sni_error_source(&error, "b.json"); // the first stays
    assert_format(&error, "a.json: bone 4: wrong");
    sn_error lined = {0};
    sni_fail(&lined, SN_SYNTAX, "wrong");
    sni_error_source(&lined, "a.json");
    sni_error_place(&lined, 7, NULL);
    sni_error_place(&lined, 8, "late");
    assert_format(&lined, "a.json:7: wrong");
    sn_error bare = {.status = SN_OUT_OF_MEMORY};
    assert_format(&bare, "out of memory");
}

static void messages_are_one_line_and_end(void **state) {
    (void)state;
    sn_error error = {0};
    char name[2000];
    memset(name, 'x', sizeof name);
    name[0] = '\n';
    name[1] = '\x1b';
    name[1999] = 0;
    sni_fail(&error, SN_INVALID, "%s", name);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
    assert_memory_equal(error.message, "??xx", 4);
    char text[8];
    sn_error_format(&error, text, sizeof text);
    assert_int_equal(strlen(text), 7);
    sn_error_format(&error, text, 0); // writes nothing
}

static void every_status_has_a_name(void **state) {
    (void)state;
    for (int i = SN_OK; i <= SN_CANCELLED; ++i) {
        assert_string_not_equal(sn_status_name((sn_status)i), "unknown");
    }
    assert_string_equal(sn_status_name((sn_status)99), "unknown");
}

static void collect(sn_log_level level, const char *topic, const char *message, void *user) {
    snprintf(user, 100, "%d %s %s", (int)level, topic, message);
}

static void logs_to_the_host(void **state) {
    (void)state;
    char line[100] = "";
    sn_context_desc desc = sn_context_desc_default();
    desc.thread_count = 1;
    desc.log = collect;
    desc.log_user = line;
    sn_context *context;
    snt_ok(sn_context_create(&desc, &context, error));
    sni_log(context, SN_LOG_WARNING, "io", "%d faces", 3);
    assert_string_equal(line, "2 io 3 faces");
    sn_context_destroy(context);
    context = snt_context(1);
    sni_log(context, SN_LOG_INFO, "io", "dropped");
    snt_context_end(context);
}

static bool stop_at_half(const char *step, double fraction, void *user) {
    (void)step;
    (void)user;
    return fraction < 0.5;
}

static void progress_can_cancel(void **state) {
    (void)state;
    sn_progress progress = {stop_at_half, NULL}, silent = {0};
    snt_ok(sni_progress(&progress, "binding", 0.4, error));
    snt_fails(SN_CANCELLED, "cancelled during: binding",
              sni_progress(&progress, "binding", 0.6, error));
    snt_ok(sni_progress(NULL, "binding", 1, error));
    snt_ok(sni_progress(&silent, "binding", 1, error));
}

static jmp_buf after_assertion;

static void leave(const char *condition, const char *file, int line) {
    assert_string_equal(condition, "one == 2");
    assert_non_null(strstr(file, "error.c"));
    assert_true(line > 0);
    longjmp(after_assertion, 1);
}

static void a_broken_contract_reaches_the_handler(void **state) {
    (void)state;
    int one = 1;
    SN_ASSERT(one == 1);
    sn_set_assert_handler(leave);
    if (setjmp(after_assertion) == 0) {
        SN_ASSERT(one == 2);
        fail();
    }
    sn_set_assert_handler(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_failure_stays),
        cmocka_unit_test(formats_the_parts_that_are_known),
        cmocka_unit_test(messages_are_one_line_and_end),
        cmocka_unit_test(every_status_has_a_name),
        cmocka_unit_test(logs_to_the_host),
        cmocka_unit_test(progress_can_cancel),
        cmocka_unit_test(a_broken_contract_reaches_the_handler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
