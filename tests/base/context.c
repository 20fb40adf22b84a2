// SPDX-License-Identifier: Apache-2.0
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_processor_is_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
