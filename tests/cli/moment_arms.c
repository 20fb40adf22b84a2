// SPDX-License-Identifier: Apache-2.0
//
// `sinew check --moment-arms`: the table, the file of all values, JSON, and what is refused.
#include "program.h"

#include "sinew/sinew.h"

#include <math.h>

// A knee with a muscle in front of it: its lever at rest is 0.05 m. Flexion shortens nothing else.
static const char document[] =
    "{\"sinew\": 1, \"name\": \"leg\", \"skeleton\": {\"upper\": {\"translation\": [0, 1, 0]},\n"
    "\"lower\": {\"parent\": \"upper\", \"translation\": [0, -0.5, 0]}},\n"
    "\"controls\": {\"knee\": {\"low\": -720, \"high\": 720, \"unit\": \"deg\", \"usual\": [-10, "
    "30]},\n"
    "\"free\": {\"low\": -720, \"high\": 720, \"unit\": \"deg\"}, \"same\": {\"high\": 5}},\n"
    "\"synergies\": [{\"control\": \"knee\", \"spread\": {\"lower.rx_deg\": 1}},\n"
    "{\"control\": \"free\", \"spread\": {\"lower.rz_deg\": 1}}],\n"
    "\"drivers\": [{\"control\": \"same\", \"parameter\": \"knee\"}],\n"
    "\"muscles\": {\"vastus\": {\"kind\": \"ellipsoid\",\n"
    "\"origin\": {\"segment\": \"upper\", \"at\": [0, -0.1, 0.05]},\n"
    "\"insertion\": {\"segment\": \"lower\", \"at\": [0, -0.1, 0.05]}}},\n"
    "\"clips\": {\"bend\": {\"rate\": 10, \"tracks\": {\"knee\": {\"keys\": [[0, 0], [1, "
    "20]]}}}}}\n";

static const char *make_leg(void) {
    static char path[4096];
    snprintf(path, sizeof path, "%s", snt_scratch("leg.sinew.json"));
    write_text(path, document);
    return path;
}

static void a_table_goes_over_the_usual_range(void **state) {
    (void)state;
    const char *leg = make_leg();
    result r;
    runf(&r, "check %s --moment-arms --quiet", leg);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "knee, -10 to 30 deg, arms in mm\n"));
    assert_non_null(strstr(r.out, "vastus                      -50.00"));
    assert_non_null(strstr(r.out, "free, -90 to 90 deg (it is free), arms in mm\n"));
    assert_null(strstr(r.out, "same"));
    runf(&r, "check %s --moment-arms --coordinate knee --range 0:5 --steps 2 --quiet", leg);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "knee, 0 to 5 deg, arms in mm\n"));
    assert_null(strstr(r.out, "free"));
    runf(&r, "check %s --moment-arms --motion bend --coordinate knee --quiet", leg);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "knee, 0 to 20 deg, arms in mm\n"));
}

static void all_values_are_written(void **state) {
    (void)state;
    const char *leg = make_leg(), *csv;
    char path[4096], text[65536];
    result r;
    snprintf(path, sizeof path, "%s", snt_scratch("arms.csv"));
    csv = path;
    runf(&r, "check %s --moment-arms --coordinate knee --steps 5 --csv %s --json --quiet", leg,
         csv);
    expect(&r, 0);
    read_all(csv, text, sizeof text);
    assert_non_null(strstr(text, "muscle,coordinate,pose,value,unit,arm_m,error_m\n"));
    assert_non_null(strstr(text, "\nvastus,knee,1,0,deg,-0.05,"));
    assert_non_null(strstr(text, "\nvastus,knee,4,30,deg,"));
    sn_context *context = snt_context(1);
    sn_json *json = NULL;
    snt_ok(sn_json_parse(context, r.out, strlen(r.out), &json, error));
    const sn_value *muscle = sn_json_find(json, "/moment_arms/0/muscles/vastus");
    snt_near(sn_value_number(sn_value_get(muscle, "rest"), 0), -0.05, 1e-9);
    assert_int_equal(sn_value_count(sn_value_get(muscle, "least")), 2);
    sn_json_destroy(json);
    snt_context_end(context);
}

static void wrong_options_are_refused(void **state) {
    (void)state;
    const char *leg = make_leg();
    result r;
    runf(&r, "check %s --csv x.csv", leg);
    expect(&r, 2);
    expect_one_line(&r, "--csv goes with --moment-arms");
    runf(&r, "check %s --moment-arms --range 5:1", leg);
    expect(&r, 2);
    expect_one_line(&r, "--range takes A:B with A < B, not \"5:1\"");
    runf(&r, "check %s --moment-arms --motion bend --steps 3", leg);
    expect(&r, 2);
    runf(&r, "check %s --moment-arms --coordinate elbow --quiet", leg);
    expect(&r, 1);
    expect_one_line(&r, "elbow");
    runf(&r, "check %s --moment-arms --coordinate same --quiet", leg);
    expect(&r, 1);
    expect_one_line(&r, "\"same\" is computed by a driver");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_goes_over_the_usual_range),
        cmocka_unit_test(all_values_are_written),
        cmocka_unit_test(wrong_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
