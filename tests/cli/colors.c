// SPDX-License-Identifier: Apache-2.0
//
// `sinew render --color`.
#include "program.h"

static void colours_the_shipped_arm(void **state) {
    (void)state;
    static const char *const colours[] = {"depth", "weights:forearm", "weights:1", "stretch"};
    char arm[2048];
    snprintf(arm, sizeof arm, "%s", snt_source("examples/arm/arm.sinew.json"));
    result r;
    for (size_t i = 0; i < sizeof colours / sizeof *colours; ++i) {
        runf(&r, "render %s --frame 9 --size 64x48 --quality draft --color %s -o %s", arm,
             colours[i], snt_scratch("colour.png"));
        expect(&r, 0);
    }
    runf(&r, "render %s --size 64x48 --color weights:nose -o %s", arm, snt_scratch("nose.png"));
    expect(&r, 1);
    expect_one_line(&r, "no shown skin has such weights");
    runf(&r, "render %s --size 64x48 --color volume -o %s", arm, snt_scratch("nose.png"));
    expect(&r, 1);
    expect_one_line(&r, "no shown muscle has a volume");
    runf(&r, "render %s --size 64x48 --color contact -o %s", arm, snt_scratch("nose.png"));
    expect(&r, 1);
    expect_one_line(&r, "no shown skin has contact: none has an `implicit`");
    assert_false(exists(snt_scratch("nose.png")));
}

static void colours_where_an_implicit_skin_touches(void **state) {
    (void)state;
    char person[2048], document[2048];
    snprintf(person, sizeof person, "%s", snt_source("examples/person/person.glb"));
    snprintf(document, sizeof document, "%s", snt_scratch("implicit.sinew.json"));
    result r;
    runf(&r, "new %s --skin-with implicit -o %s", person, document);
    expect(&r, 0);
    runf(&r, "render %s --set shin.L.rx_deg=140 --size 64x48 --quality draft --color contact -o %s",
         document, snt_scratch("contact.png"));
    expect(&r, 0);
}

static void refuses_other_colours(void **state) {
    (void)state;
    static const char *const colours[] = {"weights", "fur"};
    result r;
    for (size_t i = 0; i < sizeof colours / sizeof *colours; ++i) {
        runf(&r, "render a.json -o b.png --color %s", colours[i]);
        expect(&r, 2);
        assert_non_null(strstr(r.err, "--color takes stretch, largest-stretch, component, depth"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_the_shipped_arm),
        cmocka_unit_test(colours_where_an_implicit_skin_touches),
        cmocka_unit_test(refuses_other_colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
