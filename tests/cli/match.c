// SPDX-License-Identifier: Apache-2.0
//
// `sinew match`: values that made a shape are found again, and become a clip.
#include "program.h"

#include <math.h>
#include <stdlib.h>

static char arm[2048];

static const char *file(const char *name) {
    static char paths[8][2048];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s", snt_scratch(name));
    return path;
}

// The number behind a name in what was printed.
static double number_after(const char *text, const char *name) {
    const char *at = strstr(text, name);
    assert_non_null(at);
    return strtod(at + strlen(name), NULL);
}

static void values_are_found_again(void **state) {
    (void)state;
    const char *shape = file("match-fist.obj");
    result r;
    runf(&r, "express %s --set fist=0.6 --set pronation=-0.4 -o %s", arm, shape);
    expect(&r, 0);
    runf(&r, "match %s --shape %s --control fist --control pronation --ridge 0", arm, shape);
    expect(&r, 0);
    snt_near(number_after(r.out, "fist "), 0.6, 0.002);
    snt_near(number_after(r.out, "pronation "), -0.4, 0.002);
    runf(&r, "match %s --shape %s --control fist --control pronation --ridge 0 --json", arm, shape);
    expect(&r, 0);
    snt_near(number_after(r.out, "\"fist\":"), 0.6, 0.002);
    assert_true(number_after(r.out, "\"residual\":") < 0.01);
}

// One frame for each shape, and a joint beside the controls.
static void sequences_become_clips(void **state) {
    (void)state;
    const char *first = file("match-1.obj"), *second = file("match-2.obj");
    const char *document = file("match.sinew.json");
    result r;
    runf(&r, "express %s --set forearm.rx_deg=20 -o %s", arm, first);
    expect(&r, 0);
    runf(&r, "express %s --set forearm.rx_deg=50 --set fist=1 -o %s", arm, second);
    expect(&r, 0);
    runf(&r,
         "match %s --shape %s --shape %s --fps 10 --control fist --parameter forearm.rx_deg "
         "--ridge 0 --rounds 12 --clip found -o %s",
         arm, first, second, document);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "the clip \"found\" has 2 frames"));
    runf(&r, "check %s", document);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "clip found: 2 frames"));
    runf(&r, "match %s --shape %s --clip found -o %s", document, first, file("match-3.json"));
    assert_int_equal(r.status, 1);
    assert_non_null(strstr(r.err, "has a clip \"found\" already; name another with --clip"));
}

static void what_is_wrong_is_said(void **state) {
    (void)state;
    const char *shape = file("match-small.obj");
    result r;
    runf(&r, "match %s", arm);
    assert_int_equal(r.status, 2);
    assert_non_null(strstr(r.err, "needs --shape FILE"));
    write_text(shape, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    runf(&r, "match %s --shape %s", arm, shape);
    assert_int_equal(r.status, 1);
    assert_non_null(strstr(r.err, "has 3 vertices, but the skin"));
    runf(&r, "match %s --shape %s --control fits", arm, shape);
    assert_int_equal(r.status, 1);
    assert_non_null(strstr(r.err, "there is no control \"fits\""));
    runf(&r, "match %s --shape %s --points 5-3", arm, shape);
    assert_int_equal(r.status, 1);
    assert_non_null(strstr(r.err, "--points takes numbers and ranges"));
    runf(&r, "match %s --shape %s --ridge 2", arm, shape);
    assert_int_equal(r.status, 2);
}

int main(void) {
    snprintf(arm, sizeof arm, "%s", snt_source("examples/arm/arm.sinew.json"));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_found_again),
        cmocka_unit_test(sequences_become_clips),
        cmocka_unit_test(what_is_wrong_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
