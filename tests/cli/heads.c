// SPDX-License-Identifier: Apache-2.0
//
// `sinew transfer` and `sinew conform`: what people get wrong.
#include "program.h"

static void test_usage(void **state) {
    (void)state;
    result r;
    run(&r, "transfer --help");
    expect(&r, 0);
    assert_non_null(strstr(r.out, "--source-landmarks"));
    run(&r, "conform --help");
    expect(&r, 0);
    assert_non_null(strstr(r.out, "--clean-landmarks"));
    run(&r, "transfer a.sinew.json b.obj");
    expect(&r, 2);
    assert_non_null(strstr(r.err, "needs -o OUT"));
    run(&r, "transfer a.sinew.json b.obj -o c.sinew.json --adults old");
    expect(&r, 2);
    assert_non_null(strstr(r.err, "all, male or female"));
    run(&r, "transfer a.sinew.json b.obj -o c.sinew.json --unit furlong");
    expect(&r, 2);
    run(&r, "conform a.obj b.obj -o c.obj");
    expect(&r, 2);
    assert_non_null(strstr(r.err, "--clean-landmarks"));
}

// A source without landmarks on bones, and files that are not there. Nothing is left behind.
static void test_sources(void **state) {
    (void)state;
    result r;
    char out[4096], arm[4096];
    snprintf(out, sizeof out, "%s", snt_scratch("out.sinew.json"));
    snprintf(arm, sizeof arm, "%s", snt_source("examples/arm/arm.sinew.json"));
    runf(&r, "transfer %s nowhere.obj -o %s", arm, out);
    expect(&r, 1);
    assert_non_null(strstr(r.err, "no landmarks on bones"));
    assert_non_null(strstr(r.err, "arm.sinew.json"));
    runf(&r, "transfer %s nowhere.obj -o %s", snt_source("examples/head/head.sinew.json"), out);
    expect(&r, 1);
    assert_non_null(strstr(r.err, "nowhere.obj"));
    runf(&r, "conform %s nowhere.obj -o %s", arm, snt_scratch("out.obj"));
    expect(&r, 1);
    assert_true(access(out, F_OK) != 0);
    assert_true(access(snt_scratch("out"), F_OK) != 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_usage),
        cmocka_unit_test(test_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
