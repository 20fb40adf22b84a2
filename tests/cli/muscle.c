// SPDX-License-Identifier: Apache-2.0
//
// `sinew muscle`: what people draw, and what they get wrong.
#include "program.h"

#include "sinew/json.h"
#include "sinew/kinds.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

static char folder[4096];

static const char *in_folder(const char *name) {
    static char path[4][4300];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

static void put(const char *name, const char *text) {
    // Written with ' in place of ".
    char *copy = strdup(text);
    for (char *c = copy; *c != 0; ++c) {
        *c = *c == '\'' ? '"' : *c;
    }
    write_text(in_folder(name), copy);
    free(copy);
}

// A box from -1 to 1 in x and y, 0.4 thick, whose top faces +z at z = 0, cut into 10 x 10 quads
// above; and a plate 0.1 below the top.
static void put_meshes(void) {
    FILE *file = fopen(in_folder("box.obj"), "wb");
    assert_non_null(file);
    for (int level = 0; level < 2; ++level) {
        for (int i = 0; i < 121; ++i) {
            fprintf(file, "v %g %g %g\n", -1 + 0.2 * (i % 11), -1 + 0.2 * (i / 11), -0.4 * level);
        }
    }
    for (int i = 0; i < 100; ++i) {
        int v = i / 10 * 11 + i % 10 + 1;
        fprintf(file, "f %d %d %d %d\n", v, v + 1, v + 12, v + 11);
        fprintf(file, "f %d %d %d %d\n", 121 + v, 121 + v + 11, 121 + v + 12, 121 + v + 1);
    }
    fclose(file);
    put("plate.obj", "v -1 -1 -0.1\nv 1 -1 -0.1\nv 1 1 -0.1\nv -1 1 -0.1\nf 1 2 3 4\n");
    put("far.obj", "v 5 5 -0.1\nv 6 5 -0.1\nv 6 6 -0.1\nf 1 2 3\n");
}

static int make_folder(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "%s", snt_scratch("muscle"));
    mkdir(folder, 0777);
    put_meshes();
    put("box.sinew.json",
        "{'sinew': 1, 'name': 'box', 'skeleton': {'spine': {'translation': [0, 0, -0.2]},\n"
        "  'arm.L': {'parent': 'spine', 'translation': [0.5, 0, 0]},\n"
        "  'arm.R': {'parent': 'spine', 'translation': [-0.5, 0, 0]}},\n"
        "'meshes': {'box': {'file': 'box.obj'}, 'plate': {'file': 'plate.obj'},\n"
        "  'far': {'file': 'far.obj'}},\n"
        "'bones': {'plate': {'mesh': 'plate', 'segment': 'spine'},\n"
        "  'far': {'mesh': 'far', 'segment': 'spine'}},\n"
        "'skins': {'box': {'mesh': 'box'}},\n"
        "'controls': {'taken': {}}, 'drivers': [{'control': 'taken', 'parameter': 'spine.rx'}]}");
    put("one.json", "{'curves': [[[0.2, -0.6, 0], [0.2, 0.6, 0]], [[0.6, -0.6, 0], [0.6, 0.6, "
                    "0]]]}");
    return 0;
}

static sn_json *load(sn_context *context, const char *name) {
    static char text[1 << 18];
    sn_json *json;
    read_all(in_folder(name), text, sizeof text);
    snt_ok(sn_json_parse(context, text, strlen(text), &json, error));
    return json;
}

static const char *text_at(const sn_json *json, const char *path) {
    return sn_value_string(sn_json_find(json, path), "");
}

static double number_at(const sn_json *json, const char *path) {
    return sn_value_number(sn_json_find(json, path), NAN);
}

static void adds_one(void **state) {
    (void)state;
    result r;
    runf(&r,
         "muscle %s --curves %s --name cheek --muscle-thickness 0.05 --degree 2 --patches-u 4 "
         "--patches-v 6 "
         "--normals curves --group face --segment arm.L --driven-by arm.L.rx_deg --curve 0:0,25:1 "
         "-o %s",
         in_folder("box.sinew.json"), in_folder("one.json"), in_folder("a.sinew.json"));
    expect(&r, 0);
    assert_non_null(strstr(r.out, "muscle cheek; --set cheek=0.3 contracts it"));
    sn_context *context = snt_context(1);
    sn_json *json = load(context, "a.sinew.json");
    assert_true(number_at(json, "/muscles/cheek/degree") == 2);
    assert_true(number_at(json, "/muscles/cheek/patches_u") == 4);
    assert_true(number_at(json, "/muscles/cheek/patches_v") == 6);
    assert_string_equal(text_at(json, "/muscles/cheek/normals"), "curves");
    assert_string_equal(text_at(json, "/controls/cheek/group"), "face");
    assert_string_equal(text_at(json, "/drivers/1/parameter"), "arm.L.rx_deg");
    assert_true(number_at(json, "/drivers/1/curve/1/0") == 25);
    sn_json_destroy(json);
    snt_context_end(context);
    // It can be evaluated and drawn, and not be added twice.
    runf(&r, "run %s --set arm.L.rx_deg=20 -o %s", in_folder("a.sinew.json"), in_folder("a.obj"));
    expect(&r, 0);
    runf(&r, "render %s --show muscles --size 64x48 --quality draft -o %s",
         in_folder("a.sinew.json"), in_folder("a.png"));
    expect(&r, 0);
    runf(&r, "muscle %s --curves %s --name cheek", in_folder("a.sinew.json"),
         in_folder("one.json"));
    expect(&r, 1);
    expect_one_line(&r, "there is a muscle \"cheek\" already");
}

static void adds_many_from_json(void **state) {
    (void)state;
    put("many.json",
        "{'muscles': {'lid.L': {'curves': [[[0.1, 0, 0], [0.1, 0.4, 0]], [[0.3, 0, 0], [0.3, 0.4, "
        "0]]], 'skin_thickness': 0.01, 'bulge': 1, 'segment': 'arm.L', 'group': 'eyes', 'd_none': "
        "0.5,\n"
        "  'driver': {'parameter': 'arm.L.rz_deg', 'curve': [[0, 0], [25, 1]]}},\n"
        "'brow.L': [[[0.5, 0, 0], [0.5, 0.4, 0]], [[0.7, 0, 0], [0.7, 0.4, 0]]],\n"
        "'chin': [[[-0.1, -0.8, 0], [-0.1, -0.6, 0]], [[0.1, -0.8, 0], [0.1, -0.6, 0]]],\n"
        "'nose.L': {'ends': 'closed', 'curves': [[[0.5, -0.4, 0], [0.6, -0.4, 0], [0.6, -0.3, 0], "
        "[0.5, -0.3, 0]], [[0.4, -0.5, 0], [0.7, -0.5, 0], [0.7, -0.2, 0], [0.4, -0.2, 0]]],\n"
        "'center': [0.55, -0.35, -0.05]}}}");
    result r;
    runf(&r, "muscle %s --curves %s --muscle-thickness 0.05 --mirror x -o %s",
         in_folder("box.sinew.json"), in_folder("many.json"), in_folder("b.sinew.json"));
    expect(&r, 0);
    sn_context *context = snt_context(1);
    sn_json *json = load(context, "b.sinew.json");
    assert_int_equal(sn_value_count(sn_json_find(json, "/muscles")), 7); // the chin once
    assert_true(number_at(json, "/muscles/lid.R/bulge") == 1);
    assert_true(number_at(json, "/muscles/lid.R/curves/1/0/0") == -0.3);
    assert_true(number_at(json, "/muscles/brow.L/bulge") == 1); // that of drawings
    snt_near(number_at(json, "/muscles/brow.L/skin_thickness"), 0.06 * 0.2, 1e-9); // of its width
    assert_true(number_at(json, "/muscles/brow.L/muscle_thickness") == 0.05);
    assert_string_equal(text_at(json, "/muscles/lid.R/segment"), "arm.R");
    assert_string_equal(text_at(json, "/controls/lid.R/group"), "eyes");
    assert_string_equal(text_at(json, "/drivers/2/parameter"), "arm.R.rz_deg");
    assert_true(number_at(json, "/drivers/2/curve/0/0") == -25);
    assert_true(number_at(json, "/skins/box/deformers/0/d_none") == 0.5);
    assert_string_equal(text_at(json, "/muscles/nose.R/ends"), "closed");
    assert_true(number_at(json, "/muscles/nose.R/center/0") == -0.55);
    sn_json_destroy(json);
    snt_context_end(context);
    runf(&r, "run %s --set lid.R=0.5 -o %s", in_folder("b.sinew.json"), in_folder("b.obj"));
    expect(&r, 0);
}

// Edges in any order and direction, as modelling programs write them.
static void adds_lines_of_obj_files(void **state) {
    (void)state;
    put("lines.obj", "# drawn\no belly\nv 0.2 -0.6 0\nv 0.2 0 0\nv 0.2 0.6 0\nv 0.6 0.6 0\n"
                     "v 0.6 0 0\nv 0.6 -0.6 0\nl 2 3\nl 2 1\nl 4 5\nl 5 6\n"
                     "o ring\nv -0.5 0 0\nv -0.4 0 0\nv -0.4 0.1 0\nv -0.5 0.1 0\n"
                     "v -0.6 -0.1 0\nv -0.6 0.2 0\nv -0.3 0.2 0\nv -0.3 -0.1 0\n"
                     "l 7 8 9 10 7\nl -4 -3 -2 -1 -4\nf 1 2 3\n");
    result r;
    runf(&r, "muscle %s --curves %s --muscle-thickness 0.02 -o %s", in_folder("box.sinew.json"),
         in_folder("lines.obj"), in_folder("c.sinew.json"));
    expect(&r, 0);
    sn_context *context = snt_context(1);
    sn_json *json = load(context, "c.sinew.json");
    assert_int_equal(sn_value_count(sn_json_find(json, "/muscles/belly/curves/0")), 3);
    assert_true(number_at(json, "/muscles/belly/curves/0/0/1") == -0.6);
    assert_true(number_at(json, "/muscles/belly/curves/1/0/1") == -0.6); // turned around
    assert_string_equal(text_at(json, "/muscles/ring/ends"), "closed");
    assert_int_equal(sn_value_count(sn_json_find(json, "/muscles/ring/curves/1")), 4);
    sn_json_destroy(json);
    snt_context_end(context);
}

static void takes_depths_from_inside(void **state) {
    (void)state;
    static const char *const from[] = {"plate", "skeleton"};
    for (int i = 0; i < 2; ++i) {
        result r;
        runf(&r, "muscle %s --curves %s --depth-from %s --muscle-thickness 1 -o %s",
             in_folder("box.sinew.json"), in_folder("one.json"), from[i],
             in_folder("d.sinew.json"));
        expect(&r, 0);
        sn_context *context = snt_context(1);
        sn_json *json = load(context, "d.sinew.json");
        assert_string_equal(text_at(json, "/muscles/muscle/depth_from"), from[i]);
        assert_string_equal(text_at(json, "/muscles/muscle/normals"), "curves");
        if (i == 0) {
            snt_near(number_at(json, "/skins/box/deformers/0/d_full"), 0.1, 1e-9);
        }
        sn_json_destroy(json);
        snt_context_end(context);
    }
}

// The commands of docs/curves.md.
static void does_what_the_page_says(void **state) {
    (void)state;
    result r;
    char ball[4096], ring[4096], cheek[4096];
    snprintf(ball, sizeof ball, "%s", snt_source("docs/ball.sinew.json"));
    snprintf(ring, sizeof ring, "%s", snt_source("docs/ring.json"));
    snprintf(cheek, sizeof cheek, "%s", snt_source("docs/cheek.obj"));
    runf(&r,
         "muscle %s --curves %s --name mouth --control pout --segment head --depth-from skull "
         "--muscle-thickness 0.02 -o %s",
         ball, ring, in_folder("face.sinew.json"));
    expect(&r, 0);
    runf(&r,
         "muscle %s --curves %s --control smile --mirror x --segment head --depth-from skull "
         "--muscle-thickness 0.02 --slide 1",
         in_folder("face.sinew.json"), cheek);
    expect(&r, 0);
    sn_context *context = snt_context(1);
    sn_json *json = load(context, "face.sinew.json");
    assert_string_equal(text_at(json, "/skins/skin/deformers/1/muscles/1"), "cheek.R");
    assert_string_equal(text_at(json, "/muscles/cheek.R/contraction"), "smile");
    sn_json_destroy(json);
    snt_context_end(context);
}

static void names_what_is_wrong(void **state) {
    (void)state;
    static const struct {
        const char *file, *curves, *options, *message;
    } cases[] = {
        {"x.json", "{'curves': [[[0, -0.5, 0], [0.4, 0.5, 0]], [[0.4, -0.5, 0], [0, 0.5, 0]]]}", "",
         "/muscles/muscle: muscle: its two curves cross at (0.2, 0, 0)"},
        {"x.json", "{'curves': [[[0, -0.5, 0], [0, 0.5, 0]], [[0, -0.5, 0], [0, 0.5, 0]]]}", "",
         "muscle: its two curves coincide"},
        {"x.json", "{'curves': [[[0, -0.5, 0], [0, 0.5, 0]], [[0.4, 0.5, 0], [0.4, -0.5, 0]]]}", "",
         "its curves run in opposite directions"},
        {"x.json", "{'curves': [[[0, -0.5, 0]], [[0.4, -0.5, 0], [0.4, 0.5, 0]]]}", "",
         "x.json:1: /curves/0: expected at least 2 values, found 1"},
        {"x.json", "{'curves': [[[0, 0, 0], [0, 0, 0]], [[0.4, -0.5, 0], [0.4, 0.5, 0]]]}", "",
         "muscle: all 2 points of curve 1 are one"},
        {"x.json", "{'curves': [[[0, -0.5, 0], [0, 5, 0]], [[0.4, -0.5, 0], [0.4, 0.5, 0]]]}", "",
         "/muscles/muscle/curves/0/1: the point is 4 m away from the skin"},
        {"x.json", "{'curves': [[[0, NaN, 0], [0, 1, 0]], [[0.4, 0, 0], [0.4, 1, 0]]]}", "",
         "x.json:1"},
        {"x.json", "{'curves': [[[0, 0], [0, 1, 0]], [[0.4, 0, 0], [0.4, 1, 0]]]}", "",
         "x.json:1: /curves/0/0: expected 3 values, found 2"},
        {"x.json", "{'curves': [[], [[0.4, 0, 0], [0.4, 1, 0]]]}", "",
         "x.json:1: /curves/0: expected at least 2 values, found 0"},
        {"x.json", "{'curves': []}", "", "/curves: expected 2 values, found 0"},
        {"x.json",
         "{'curves': [[[0, 0, 0], [0, 1, 0]], [[0.4, 0, 0], [0.4, 1, 0]], [[0.5, 0, 0], [0.5, 1, "
         "0]]]}",
         "", "/curves: expected 2 values, found 3"},
        {"x.json", "{}", "", "x.json: there are no curves"},
        {"x.json", "", "", "x.json"},
        {"x.json", "{'muscles': {'a': {'curve': []}}}", "",
         "x.json:1: /muscles/a/curve: unknown key; did you mean \"curves\"?"},
        {"x.json",
         "{'a': {'curves': [[[0, 0, 0], [0, 1, 0]], [[0.4, 0, 0], [0.4, 1, 0]]], 'bulg': 2}}", "",
         "x.json:1: /a/bulg: unknown key; did you mean \"bulge\"?"},
        {"x.json",
         "{'a': {'curves': [[[0, 0, 0], [0, 1, 0]], [[0.4, 0, 0], [0.4, 1, 0]]], 'ends': 'x'}}", "",
         "/a/ends: expected \"open\" or \"closed\""},
        {"x.json",
         "{'a': {'curves': [[[0, 0, 0], [0, 1, 0]], [[0.4, 0, 0], [0.4, 1, 0]]], 'driver': "
         "'jaw'}}",
         "", "/a/driver: expected an object, found \"jaw\""},
        {"x.json",
         "{'a': {'curves': [[[0, 0, 0], [0, 1, 0]], [[0.4, 0, 0], [0.4, 1, 0]]], 'driver': "
         "{'parameter': 'spine.rx', 'curve': [[0]]}}}",
         "", "/a/driver/curve/0: expected 2 values, found 1"},
        {"one.json", NULL, "--d-full 0.2 --d-none 0.1",
         "/d_full: 0.2 is greater than \"d_none\", 0.1"},
        {"missing.json", NULL, "", "missing.json: cannot open"},
        {"one.json", NULL, "--muscle-thickness 0.5 --skin-thickness 0.002",
         "its depth of 0.502 (skin_thickness + muscle_thickness) is greater than the body is "
         "thick"},
        {"one.json", NULL, "--segment arn.L",
         "/muscles/muscle/segment: there is no segment \"arn.L\"; did you mean \"arm.L\"?"},
        {"one.json", NULL, "--skin bax", "there is no skin \"bax\"; did you mean \"box\"?"},
        {"one.json", NULL, "--driven-by jaw.rx", "/drivers/1/parameter: "},
        {"one.json", NULL, "--control taken --driven-by spine.ry", "/drivers/1"},
        {"one.json", NULL, "--driven-by spine.rx --curve 1:0,0:1", "/drivers/1/curve"},
        {"one.json", NULL, "--ends closed",
         "muscle: curve 1 has 2 points, but a closed one needs 3"},
        {"one.json", NULL, "--depth-from plat",
         "/muscles/muscle/depth_from: there is no bone, tissue or skin \"plat\"; did you mean "
         "\"plate\"?"},
        {"one.json", NULL, "--depth-from box", "is the skin that the muscle is drawn on"},
        {"one.json", NULL, "--depth-from far", "muscle: nothing of \"far\" lies below it"},
        {"one.json", NULL, "--mirror x", "the name \"muscle\" has no side to exchange"},
        {"one.json", NULL, "--name a.L --mirror x:2",
         "mirrored to (3.8, -0.6, 0), is further than"},
        {"x.obj", "v 0 0 0\nv 0 1 0\nl 1 2\n", "", "x.obj: expected two curves as lines, found 1"},
        {"x.obj", "v 0 0 0\nv 0 1 0\nl 1 3\n", "",
         "x.obj:3: a line goes to vertex 3, but there are 2"},
        {"x.obj", "v 0 0 0\nv 0 nan 0\n", "", "x.obj:2: expected three numbers after \"v\""},
        {"x.obj", "v 0 0 0\nv 0 1 0\nv 1 0 0\nv 1 1 0\nl 1 2\nl 1 3\nl 1 4\n", "",
         "x.obj: more than two lines meet in vertex 1"},
        {"x.obj",
         "o a\nv 0 0 0\nv 0 1 0\nv 1 0 0\nv 1 1 0\nv 1 0 1\nv 1 1 1\nl 1 2\nl 3 4\nl 5 6\n", "",
         "x.obj: the object \"a\" has 3 curves, but a muscle takes two"},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        result r;
        if (cases[i].curves != NULL) {
            put(cases[i].file, cases[i].curves);
        }
        runf(&r, "muscle %s --curves %s %s -o %s", in_folder("box.sinew.json"),
             in_folder(cases[i].file), cases[i].options, in_folder("wrong.sinew.json"));
        if (r.status != 1) {
            print_error("case %u, \"%s\":\n", i, cases[i].message);
        }
        expect(&r, 1);
        expect_one_line(&r, cases[i].message);
        assert_false(exists(in_folder("wrong.sinew.json")));
    }
}

// Writes one space for any white space, as if the lines of a help were not broken.
static void join_lines(char *text) {
    char *end = text;
    for (const char *c = text; *c != 0; ++c) {
        if (!isspace((unsigned char)*c)) {
            *end++ = *c;
        } else if (end > text && end[-1] != ' ') {
            *end++ = ' ';
        }
    }
    *end = 0;
}

// Every parameter that a drawn muscle has is an option; none is said by the program itself.
static void options_are_those_of_the_tables(void **state) {
    (void)state;
    result help, r;
    sn_parameter p;
    uint32_t count = 0;
    run(&help, "muscle --help");
    expect(&help, 0);
    for (; sn_drawn_parameter(count, &p); ++count) {
        char option[64], line[80];
        snprintf(option, sizeof option, "--%s", p.name);
        for (char *c = option; *c != 0; ++c) {
            *c = (char)(*c == '_' ? '-' : *c);
        }
        snprintf(line, sizeof line, "\n  %s ", option);
        assert_non_null(strstr(help.out, line));
        // No choice is a number either.
        runf(&r, "muscle a.sinew.json --curves c.json %s %g", option, p.high + 1);
        expect(&r, 2);
        snprintf(line, sizeof line, "%s takes ", option);
        expect_one_line(&r, line);
    }
    assert_true(count > 10);
    join_lines(help.out);
    assert_non_null(strstr(help.out, "(0 to 1; default: 0.04)"));
    assert_non_null(strstr(help.out, "(auto, skin or straight; default: auto)"));
    assert_non_null(strstr(help.out, "default: computed)"));
}

static void refuses_wrong_usage(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"muscle a.sinew.json", "needs --curves FILE"},
        {"muscle a.glb --curves c.json", "needs -o NEW.sinew.json"},
        {"muscle a.sinew.json --curves c.json --degree 0", "--degree takes a whole number"},
        {"muscle a.sinew.json --curves c.json --patches-u 257",
         "--patches-u takes a whole number from 1 to 256, not \"257\""},
        {"muscle a.sinew.json --curves c.json --patches-v 0.5", "--patches-v takes a whole number"},
        {"muscle a.sinew.json --curves c.json --center 1,2", "--center takes X,Y,Z"},
        {"muscle a.sinew.json --curves c.json --normals up", "--normals takes skin or curves"},
        {"muscle a.sinew.json --curves c.json --way round",
         "--way takes auto, skin or straight, not \"round\""},
        {"muscle a.sinew.json --curves c.json --curve 0:1", "--curve needs --driven-by"},
        {"muscle a.sinew.json --curves c.json --driven-by a --curve 0,1", "--curve takes IN:OUT"},
        {"muscle a.sinew.json --curves c.json --mirror w", "--mirror takes x, y or z"},
        {"muscle a.sinew.json --curves c.json --mirror x:a", "--mirror takes x, y or z"},
        {"muscle a.sinew.json --curves c.json --bone-share 2",
         "--bone-share takes a number from 0 to 1, not \"2\""},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        result r;
        run(&r, cases[i][0]);
        expect(&r, 2);
        expect_one_line(&r, cases[i][1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_one),
        cmocka_unit_test(adds_many_from_json),
        cmocka_unit_test(adds_lines_of_obj_files),
        cmocka_unit_test(takes_depths_from_inside),
        cmocka_unit_test(does_what_the_page_says),
        cmocka_unit_test(names_what_is_wrong),
        cmocka_unit_test(options_are_those_of_the_tables),
        cmocka_unit_test(refuses_wrong_usage),
    };
    return cmocka_run_group_tests(tests, make_folder, NULL);
}
