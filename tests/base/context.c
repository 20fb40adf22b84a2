// SPDX-License-Identifier: Apache-2.0
#include "base/context.h"
#include "test.h"

static sn_status create(sn_cpu cpu, sn_context **context, sn_error *error) {
    sn_context_desc desc = sn_context_desc_default();
    desc.thread_count = 1;
    desc.cpu = cpu;
    return sn_context_create(&desc, context, error);
}

static void the_processor_is_chosen(void **state) {
    (void)state;
    sn_context *context = NULL;
    snt_ok(create(SN_CPU_BASELINE, &context, error));
    assert_int_equal(sn_context_cpu(context), SN_CPU_BASELINE);
    sn_context_destroy(context);

    snt_ok(create(SN_CPU_AUTO, &context, error));
    sn_cpu best = sn_context_cpu(context);
    sn_context_destroy(context);
    if (best == SN_CPU_AVX2) {
        snt_ok(create(SN_CPU_AVX2, &context, error));
        assert_int_equal(sn_context_cpu(context), SN_CPU_AVX2);
        sn_context_destroy(context);
    } else {
        assert_int_equal(best, SN_CPU_BASELINE);
        snt_fails(SN_UNSUPPORTED, "AVX2 is asked for", create(SN_CPU_AVX2, &context, error));
        assert_null(context);
    }
}

static void warn(sn_context *context) {
    sni_log(context, SN_LOG_INFO, "skin", "nothing to worry about");
    sni_log(context, SN_LOG_WARNING, "muscle", "%s: it is folded", "biceps");
    sni_log(context, SN_LOG_WARNING, "muscle", "%s: it is folded", "biceps");
    sni_log(context, SN_LOG_WARNING, "skin", "vertices without weights");
    sni_log(context, SN_LOG_WARNING, "io", "one more than are kept");
}

static void count_line(sn_log_level level, const char *topic, const char *message, void *user) {
    (void)level, (void)topic, (void)message;
    ++*(int *)user;
}

static void warnings_are_kept_once(void **state) {
    (void)state;
    sn_context_desc desc = sn_context_desc_default();
    sn_context *context = NULL;
    const char *topic = NULL;
    int lines = 0;
    desc.thread_count = 1;
    desc.log = count_line;
    desc.log_user = &lines;
    snt_ok(sn_context_create(&desc, &context, error));
    warn(context);
    assert_int_equal(sn_context_warning_count(context), 0); // unless it is asked for
    assert_int_equal(lines, 5);
    lines = 0;
    sn_context_destroy(context);

    desc.kept_warnings = 2;
    snt_ok(sn_context_create(&desc, &context, error));
    warn(context);
    assert_int_equal(sn_context_warning_count(context), 2);
    assert_int_equal(lines, 4); // one of them is kept already
    assert_string_equal(sn_context_warning(context, 0, &topic), "biceps: it is folded");
    assert_string_equal(topic, "muscle");
    assert_string_equal(sn_context_warning(context, 1, NULL), "vertices without weights");
    sn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_processor_is_chosen),
        cmocka_unit_test(warnings_are_kept_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
