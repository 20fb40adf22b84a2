// SPDX-License-Identifier: Apache-2.0
//
// `sinew pose` and `sinew express`: sculpts in a pose, expressions and morph targets.
#include "program.h"

// The character of program.h with a control that blows it up; vertex 1 stands at x = 1.
static const char *make_living(const char *name) {
    const char *folder = make_character(name, 10);
    char path[4200];
    snprintf(path, sizeof path, "%s/body.sinew.json", folder);
    write_text(
        path, "{\"sinew\": 1, \"name\": \"body\", \"skeleton\": {\"root\": {}},\n"
              "\"meshes\": {\"body\": {\"file\": \"body.obj\"}},\n"
              "\"controls\": {\"puff\": {\"group\": \"face\"}, \"idle\": {}, \"turn\": {}},\n"
              "\"synergies\": [{\"control\": \"turn\", \"spread\": {\"root.ry_deg\": 90}}],\n"
              "\"skins\": {\"body\": {\"mesh\": \"body\", \"segment\": \"root\", \"deformers\": [\n"
              "{\"kind\": \"morph\", \"poses\": [{\"follows\": \"puff\", \"keys\": [\n"
              "{\"at\": 0, \"points\": {}}, {\"at\": 1, \"points\": {\"1\": [1, 0, 0]}}]}]}]},\n"
              "\"cage\": {\"mesh\": \"body\", \"segment\": \"root\", \"show\": false}}}\n");
    return folder;
}

static sn_vec3 vertex_of(const char *folder, const char *file, uint32_t vertex) {
    char path[4200];
    sn_context *context = snt_context(1);
    sn_import *import = NULL;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    snt_ok(sn_import_file(context, path, &import, error));
    sn_vec3 found = sn_vec3_load(import->meshes[0]->positions + 3 * (size_t)vertex);
    sn_import_destroy(import);
    snt_context_end(context);
    return found;
}

static void expect_near(sn_vec3 found, double x, double y, double z) {
    snt_near(found.x, x, 1e-5);
    snt_near(found.y, y, 1e-5);
    snt_near(found.z, z, 1e-5);
}

static void keeps_sculpts_as_key_poses(void **state) {
    (void)state;
    const char *d = make_living("pose");
    result r;
    // About y by 90 degrees: x goes to -z.
    runf(&r, "express %s/body.sinew.json --skin cage --set root.ry_deg=90 -o %s/bent.obj", d, d);
    expect(&r, 0);
    expect_near(vertex_of(d, "bent.obj", 1), 0, 0, -1);
    char path[4200];
    snprintf(path, sizeof path, "%s/sculpt.obj", d);
    write_text(path, "v 0 0 0\nv 0.25 0.5 -1\nv 0 1 0\nv 1 0 0\n"
                     "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    runf(&r,
         "pose %s/body.sinew.json --skin cage --at root.ry_deg=90 --shape %s/sculpt.obj "
         "--interpolation smooth -o %s/new.sinew.json",
         d, d, d);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "a key at root.ry_deg = 90 moves 1 points, by up to 559 mm"));
    runf(&r, "express %s/new.sinew.json --skin cage --set root.ry_deg=90 -o %s/back.obj", d, d);
    expect(&r, 0);
    expect_near(vertex_of(d, "back.obj", 1), 0.25, 0.5, -1);
    runf(&r, "express %s/new.sinew.json --skin cage -o %s/rest.obj", d, d);
    expect_near(vertex_of(d, "rest.obj", 1), 1, 0, 0);
    // Without -o the document itself is written.
    runf(&r, "pose %s/new.sinew.json --skin cage --at root.ry_deg=45 --shape %s/sculpt.obj", d, d);
    expect(&r, 0);
    runf(&r, "express %s/new.sinew.json --skin cage --set root.ry_deg=45 -o %s/back.obj", d, d);
    expect_near(vertex_of(d, "back.obj", 1), 0.25, 0.5, -1);
}

static void refuses_wrong_poses(void **state) {
    (void)state;
    const char *d = make_living("wrong-pose");
    result r;
    runf(&r, "pose %s/body.sinew.json --at root.ry_deg=90", d);
    expect(&r, 2);
    expect_one_line(&r, "needs --shape");
    runf(&r, "pose %s/body.sinew.json --at root.ry_deg --shape %s/body.obj", d, d);
    expect(&r, 2);
    expect_one_line(&r, "--at takes NAME=VALUE, not \"root.ry_deg\"");
    runf(&r, "pose %s/body.sinew.json --at puff=1 --shape %s/body.obj --interpolation soft", d, d);
    expect(&r, 2);
    expect_one_line(&r, "--interpolation is linear, smooth or stepped, not \"soft\"");
    runf(&r, "pose %s/body.obj --at puff=1 --shape %s/body.obj", d, d);
    expect(&r, 2);
    expect_one_line(&r, "needs -o NEW.sinew.json");
    runf(&r, "pose %s/body.sinew.json --at puf=1 --shape %s/body.obj -o %s/no.json", d, d, d);
    expect(&r, 1);
    expect_one_line(&r, "there is no parameter \"puf\"; did you mean \"puff\"?");
    runf(&r, "pose %s/body.sinew.json --at puff=2 --shape %s/body.obj -o %s/no.json", d, d, d);
    expect(&r, 1);
    expect_one_line(&r, "\"puff\" cannot be 2: its range is 0 to 1");
    runf(&r, "pose %s/body.sinew.json --at puff=0 --shape %s/body.obj -o %s/no.json", d, d, d);
    expect(&r, 1);
    expect_one_line(&r, "stands at 0 as in the rest pose");
    runf(&r, "pose %s/body.sinew.json --skin bdy --at puff=1 --shape %s/body.obj -o %s/no.json", d,
         d, d);
    expect(&r, 1);
    expect_one_line(&r, "there is no skin \"bdy\"");
    char path[4200];
    snprintf(path, sizeof path, "%s/small.obj", d);
    write_text(path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    runf(&r, "pose %s/body.sinew.json --at puff=1 --shape %s/small.obj -o %s/no.json", d, d, d);
    expect(&r, 1);
    expect_one_line(&r, "the shape has 3 vertices, but the skin \"body\" has 4");
    snprintf(path, sizeof path, "%s/no.json", d);
    assert_false(exists(path));
}

static void writes_expressions(void **state) {
    (void)state;
    const char *d = make_living("express");
    result r;
    runf(&r, "express %s/body.sinew.json --set puff=0.5 -o %s/puff.obj", d, d);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "puff.obj: 4 vertices, 4 faces"));
    expect_near(vertex_of(d, "puff.obj", 1), 1.5, 0, 0);
    runf(&r, "express %s/body.sinew.json --set puff=0.5 -o %s/puff.glb", d, d);
    expect(&r, 0);
    expect_near(vertex_of(d, "puff.glb", 1), 1.5, 0, 0);
    runf(&r, "express %s/body.sinew.json --all -o %s/all.glb", d, d);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "puff"));
    assert_non_null(
        strstr(r.out, "moves 1 points by up to 1000 mm; at half its value it is off by 0 %"));
    assert_non_null(strstr(r.out, "1 morph target; 1 controls move nothing, 1 move joints"));
    runf(&r, "express %s/body.sinew.json --group face --control turn -o %s/some.glb", d, d);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "2 morph targets; 0 controls move nothing, 0 move joints"));
}

static void refuses_wrong_expressions(void **state) {
    (void)state;
    const char *d = make_living("wrong-express");
    result r;
    runf(&r, "express %s/body.sinew.json --all -o %s/all.obj", d, d);
    expect(&r, 2);
    expect_one_line(&r, "morph targets are written to a .glb");
    runf(&r, "express %s/body.sinew.json --all --set puff=1 -o %s/all.glb", d, d);
    expect(&r, 2);
    expect_one_line(&r, "--set writes one expression");
    runf(&r, "express %s/body.sinew.json", d);
    expect(&r, 2);
    expect_one_line(&r, "needs -o OUT");
    runf(&r, "express %s/body.sinew.json --control puf -o %s/all.glb", d, d);
    expect(&r, 1);
    expect_one_line(&r, "there is no control \"puf\"");
    runf(&r, "express %s/body.sinew.json --group legs -o %s/all.glb", d, d);
    expect(&r, 1);
    expect_one_line(&r, "no control belongs to the group \"legs\"");
    runf(&r, "express %s/body.sinew.json --control idle -o %s/all.glb", d, d);
    expect(&r, 1);
    expect_one_line(&r, "no control moves the skin \"body\"");
    runf(&r, "express %s/body.sinew.json --set puff=1 -o %s/none/puff.obj", d, d);
    expect(&r, 1);
    char path[4200];
    snprintf(path, sizeof path, "%s/all.glb", d);
    assert_false(exists(path));
}

// The shipped arm gets a driver, and a document in which this moves its skin.
static void writes_documents_with_drivers(void **state) {
    (void)state;
    const char *d = make_character("drivers", 1);
    char arm[4200];
    snprintf(arm, sizeof arm, "%s", snt_source("examples/arm/arm.sinew.json"));
    result r;
    runf(&r, "driver %s --faces 400 -o %s/d.glb --document %s/new.sinew.json", arm, d, d);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "new.sinew.json: the driver moves 1 skin"));
    assert_non_null(strstr(r.out, "with the weights of the skin"));
    runf(&r, "express %s/new.sinew.json --set forearm.rx_deg=60 -o %s/bent.obj", d, d);
    expect(&r, 0);
    runf(&r, "driver %s/new.sinew.json --skin skin --faces 400 -o %s/e.glb --document %s/e.json", d,
         d, d);
    expect(&r, 1);
    expect_one_line(&r, "there is a skin or mesh \"driver\" already");
    runf(&r, "driver %s -o %s/d.obj --document %s/e.json", arm, d, d);
    expect(&r, 2);
    expect_one_line(&r, "--document needs a driver with weights: write it with -o OUT.glb");
    runf(&r, "driver %s -o %s/d.glb --rigid --skin-weights", arm, d);
    expect(&r, 2);
    expect_one_line(&r, "takes one of --skin-weights, --smooth-bind and --rigid");
    runf(&r, "driver %s/body.sinew.json -o %s/f.glb --document %s/e.json", d, d, d);
    expect(&r, 1);
    expect_one_line(&r, "no skin has a `blend` that a `wrap` could replace");
    snprintf(arm, sizeof arm, "%s/e.json", d);
    assert_false(exists(arm));
}

// A plain mesh gets a cage, and a document in which the cage moves it.
static void writes_cages_of_plain_meshes(void **state) {
    (void)state;
    const char *d = make_character("cages", 1);
    result r;
    runf(&r, "driver %s --faces 60 -o %s/cage.obj --document %s/cage.sinew.json",
         snt_source("docs/ball.obj"), d, d);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "a cage: there is no skeleton"));
    assert_non_null(strstr(r.out, "the driver moves 1 skin"));
    runf(&r, "express %s/cage.sinew.json -o %s/moved.obj", d, d);
    expect(&r, 0);
    runf(&r, "driver %s --faces 100000 -o %s/cage.obj", snt_source("docs/ball.obj"), d);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "100000 faces were asked for, but the skin has only"));
}

// What is no human gets no skeleton of one.
static void refuses_to_fit_a_ball(void **state) {
    (void)state;
    const char *d = make_character("fits", 1);
    result r;
    runf(&r, "bind %s --skeleton human -o %s/ball.glb", snt_source("docs/ball.obj"), d);
    expect(&r, 1);
    expect_one_line(&r, "no two legs were found");
    runf(&r, "bind %s --skeleton quadruped -o %s/ball.glb", snt_source("docs/ball.obj"), d);
    expect(&r, 1);
    expect_one_line(&r, "0 and 0 legs were found");
}

// A body twice as large as its skeleton is bound, but not without a word; one that lies while its
// skeleton stands has no bone that reaches its surface.
static void warns_of_a_skeleton_beside_the_mesh(void **state) {
    (void)state;
    const char *d = make_character("beside", 1);
    char person[4096];
    snprintf(person, sizeof person, "%s", snt_source("examples/person/person.glb"));
    result r;
    runf(&r, "bind %s --skeleton %s --resolution 48 -o %s/large.glb --unit 2", person, person, d);
    expect(&r, 0);
    assert_non_null(strstr(r.err, "bones lie outside the mesh: the skeleton should stand in it"));
    runf(&r, "bind %s --skeleton %s --resolution 48 -o %s/lies.glb --up z", person, person, d);
    expect(&r, 1);
    expect_one_line(&r, "no bone of the skeleton reaches the mesh's surface");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_sculpts_as_key_poses),
        cmocka_unit_test(refuses_wrong_poses),
        cmocka_unit_test(writes_expressions),
        cmocka_unit_test(refuses_wrong_expressions),
        cmocka_unit_test(writes_documents_with_drivers),
        cmocka_unit_test(writes_cages_of_plain_meshes),
        cmocka_unit_test(refuses_to_fit_a_ball),
        cmocka_unit_test(warns_of_a_skeleton_beside_the_mesh),
    };
    return cmocka_run_group_tests_name("cli/shapes", tests, NULL, NULL);
}
