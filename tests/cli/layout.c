// SPDX-License-Identifier: Apache-2.0
//
// `sinew face` and `sinew propose`.
#include "program.h"

#include <math.h>

static char folder[4096];

static const char *in_folder(const char *name) {
    static char path[4][4300];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

static const struct {
    const char *name;
    double x, y;
} places[] = {
    {"eye_inner_L", 0.018, 0.030},  {"eye_outer_L", 0.045, 0.031},
    {"brow_inner_L", 0.012, 0.055}, {"brow_outer_L", 0.055, 0.050},
    {"nose_wing_L", 0.015, -0.014}, {"mouth_corner_L", 0.026, -0.04},
    {"nose_tip", 0, -0.010},        {"lip_upper", 0, -0.031},
    {"lip_lower", 0, -0.050},       {"chin", 0, -0.082},
};
enum { PLACES = sizeof places / sizeof *places, RINGS = 48, SEGMENTS = 64 };

// An egg; its features lie on it, but for the tip of the nose, which stands out.
static void put_egg(void) {
    FILE *file = fopen(in_folder("egg.obj"), "wb");
    assert_non_null(file);
    for (int v = 0; v < RINGS * SEGMENTS; ++v) {
        double e = M_PI * ((v / SEGMENTS + 0.5) / RINGS - 0.5),
               a = 2 * M_PI * (v % SEGMENTS) / SEGMENTS;
        fprintf(file, "v %.9g %.9g %.9g\n", 0.078 * cos(e) * sin(a), 0.115 * sin(e),
                0.095 * cos(e) * cos(a));
    }
    for (int f = 0; f < (RINGS - 1) * SEGMENTS; ++f) {
        int row = f / SEGMENTS * SEGMENTS + 1, a = f % SEGMENTS, b = (a + 1) % SEGMENTS;
        fprintf(file, "f %d %d %d %d\n", row + a, row + b, row + SEGMENTS + b, row + SEGMENTS + a);
    }
    fclose(file);
}

static void put_features(const char *name, int count, const char *last) {
    FILE *file = fopen(in_folder(name), "wb");
    assert_non_null(file);
    fprintf(file, "{\"features\": {");
    for (int i = 0; i < count; ++i) {
        double x = places[i].x / 0.078, y = places[i].y / 0.115;
        double z = 0.095 * sqrt(1 - x * x - y * y) + (i == 6 ? 0.02 : 0);
        fprintf(file, "%s\"%s\": [%g, %g, %g]", i > 0 ? ", " : "", places[i].name, places[i].x,
                places[i].y, z);
    }
    fprintf(file, "%s}}", last);
    fclose(file);
}

static int make_folder(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "%s", snt_scratch("layout"));
    mkdir(folder, 0777);
    put_egg();
    put_features("features.json", PLACES, "");
    return 0;
}

static void lays_out_a_face(void **state) {
    (void)state;
    result r;
    runf(&r, "face %s --features %s -o %s", in_folder("egg.obj"), in_folder("features.json"),
         in_folder("egg.sinew.json"));
    expect(&r, 0);
    assert_string_equal(r.err, "");
    assert_non_null(strstr(r.out, "egg.sinew.json: 29 muscles, 8 expressions"));
    assert_non_null(strstr(r.out, "skipped masseter: needs the feature \"cheekbone_L\""));
    runf(&r, "check %s", in_folder("egg.sinew.json"));
    expect(&r, 0);
    runf(&r, "run %s --set smile=1 -o %s", in_folder("egg.sinew.json"), in_folder("smile.obj"));
    expect(&r, 0);
    // Again: nothing is added, nothing is written.
    runf(&r, "face %s --features %s", in_folder("egg.sinew.json"), in_folder("features.json"));
    expect(&r, 1);
    expect_one_line(&r, "there is a muscle \"frontalis_inner_L\" already");
}

static void refuses_wrong_features(void **state) {
    (void)state;
    result r;
    put_features("few.json", PLACES - 1, "");
    put_features("many.json", PLACES, ", \"chn\": [0, 0, 0]");
    put_features("text.json", PLACES, ", \"ear_L\": \"here\"");
    const struct {
        const char *file, *line;
    } cases[] = {{"few.json", "few.json: the feature \"chin\" is missing"},
                 {"many.json", "there is no feature \"chn\"; did you mean \"chin\"?"},
                 {"text.json", "ear_L: expected [x, y, z] or the number of a vertex"},
                 {"none.json", "none.json: cannot open"},
                 {"egg.obj", "egg.obj:1:"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        runf(&r, "face %s --features %s -o %s", in_folder("egg.obj"), in_folder(cases[i].file),
             in_folder("never.sinew.json"));
        expect(&r, 1);
        expect_one_line(&r, cases[i].line);
        assert_false(access(in_folder("never.sinew.json"), F_OK) == 0);
    }
    run(&r, "face head.obj");
    expect(&r, 2);
    expect_one_line(&r, "needs --features F.json");
    runf(&r, "face %s --features %s", in_folder("egg.obj"), in_folder("features.json"));
    expect(&r, 2);
    expect_one_line(&r, "needs -o NEW.sinew.json");
}

// The shipped arm has limits, so that flexors are told from extensors.
static void proposes_muscles(void **state) {
    (void)state;
    result r;
    runf(&r, "propose %s -o %s", snt_source("examples/arm/arm.sinew.json"),
         in_folder("arm.sinew.json"));
    expect(&r, 0);
    assert_string_equal(r.err, "");
    assert_non_null(strstr(r.out, "upper_arm flexor"));
    assert_non_null(strstr(r.out, "by forearm.rx_deg from 0 to 150"));
    runf(&r, "check %s", in_folder("arm.sinew.json"));
    expect(&r, 0);
    runf(&r, "propose %s -o %s", in_folder("egg.obj"), in_folder("never.sinew.json"));
    expect(&r, 1);
    expect_one_line(&r, "has no weights");
    run(&r, "propose a.glb --thickness 9 -o b.json");
    expect(&r, 2);
    expect_one_line(&r, "--thickness takes a number from 0.01 to 2");
}

static void proposes_fibres(void **state) {
    (void)state;
    result r;
    runf(&r, "propose %s --kind fibre -o %s", snt_source("examples/person/person.glb"),
         in_folder("fibres.sinew.json"));
    expect(&r, 0);
    assert_string_equal(r.err, "");
    assert_non_null(strstr(r.out, "biceps_L"));
    assert_non_null(strstr(r.out, "m wide, 4 fibres"));
    runf(&r, "check %s", in_folder("fibres.sinew.json"));
    expect(&r, 0);
    run(&r, "propose a.glb --kind sheet -o b.json");
    expect(&r, 2);
    expect_one_line(&r, "--kind is patch or fibre, not \"sheet\"");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lays_out_a_face),
        cmocka_unit_test(refuses_wrong_features),
        cmocka_unit_test(proposes_muscles),
        cmocka_unit_test(proposes_fibres),
    };
    return cmocka_run_group_tests(tests, make_folder, NULL);
}
