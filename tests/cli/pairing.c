// SPDX-License-Identifier: Apache-2.0
//
// What retargeting pairs, as the program says it, writes it and lets it be changed; and names of
// segments as people type them.
#include "program.h"

typedef struct joint {
    const char *source, *target; // names in the clip and in the model
    int parent;                  // -1: none
    const char *offset;
} joint;

// The clip's left arm has names that say nothing.
static const joint joints[] = {{"Hips", "rig:pelvis", -1, "0 1 0"},
                               {"Spine", "rig:spine", 0, "0 0.2 0"},
                               {"Head", "rig:Head", 1, "0 0.4 0"},
                               {"odd1", "rig:upperarm.L", 1, "0.2 0.3 0"},
                               {"odd2", "rig:forearm.L", 3, "0.3 0 0"},
                               {"odd3", "rig:hand.L", 4, "0.25 0 0"},
                               {"RightArm", "rig:upperarm.R", 1, "-0.2 0.3 0"},
                               {"RightForeArm", "rig:forearm.R", 6, "-0.3 0 0"},
                               {"RightHand", "rig:hand.R", 7, "-0.25 0 0"},
                               {"LeftUpLeg", "rig:thigh.L", 0, "0.1 -0.05 0"},
                               {"LeftLeg", "rig:shin.L", 9, "0 -0.4 0"},
                               {"LeftFoot", "rig:foot.L", 10, "0 -0.4 0"},
                               {"RightUpLeg", "rig:thigh.R", 0, "-0.1 -0.05 0"},
                               {"RightLeg", "rig:shin.R", 12, "0 -0.4 0"},
                               {"RightFoot", "rig:foot.R", 13, "0 -0.4 0"}};
enum { COUNT = sizeof joints / sizeof *joints };

static void write_joint(FILE *file, int i) {
    bool leaf = true;
    fprintf(file, "%s %s\n{\nOFFSET %s\nCHANNELS %sZrotation Xrotation Yrotation\n",
            i == 0 ? "ROOT" : "JOINT", joints[i].source, joints[i].offset,
            i == 0 ? "6 Xposition Yposition Zposition " : "3 ");
    for (int k = 0; k < COUNT; ++k) {
        if (joints[k].parent == i) {
            write_joint(file, k);
            leaf = false;
        }
    }
    fprintf(file, "%s}\n", leaf ? "End Site\n{\nOFFSET 0 0.1 0\n}\n" : "");
}

static void write_walk(const char *path) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "HIERARCHY\n");
    write_joint(file, 0);
    fprintf(file, "MOTION\nFrames: 3\nFrame Time: 0.04\n");
    for (int frame = 0; frame < 3; ++frame) {
        fprintf(file, "0 1 0");
        for (int i = 0; i < 3 * COUNT; ++i) {
            fprintf(file, " %d", (i * 7 + frame * 11) % 40 - 20);
        }
        fprintf(file, "\n");
    }
    fclose(file);
}

// A folder with a model of these segments and a clip for it.
static const char *make_model(const char *name) {
    static char folder[4096];
    char path[4200], offset[64];
    result r;
    snprintf(folder, sizeof folder, "%s", snt_scratch(name));
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/walk.bvh", folder);
    write_walk(path);
    snprintf(path, sizeof path, "%s/plain.sinew.json", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "{\"sinew\": 1, \"name\": \"body\", \"skeleton\": {\n");
    for (int i = 0; i < COUNT; ++i) {
        double v[3];
        snprintf(offset, sizeof offset, "%s", joints[i].offset);
        assert_int_equal(sscanf(offset, "%lf %lf %lf", &v[0], &v[1], &v[2]), 3);
        fprintf(file, "%s\"%s\": {", i > 0 ? ",\n" : "", joints[i].target);
        if (joints[i].parent >= 0) {
            fprintf(file, "\"parent\": \"%s\", ", joints[joints[i].parent].target);
        }
        fprintf(file, "\"translation\": [%g, %g, %g]}", v[0], v[1], v[2]);
    }
    fprintf(file, "},\n\"bones\": {\"ball\": {\"segment\": \"rig:hand.L\", \"ellipsoid\": "
                  "{\"radii\": [0.1, 0.12, 0.08]}}}}\n");
    fclose(file);
    runf(&r, "run %s/plain.sinew.json -o %s/model.glb", folder, folder);
    expect(&r, 0);
    return folder;
}

static void expect_text(const char *text, const char *part) {
    if (strstr(text, part) == NULL) {
        print_error("expected \"%s\" in \"%s\"\n", part, text);
        fail();
    }
}

static void says_what_moves_what(void **state) {
    (void)state;
    const char *folder = make_model("said");
    result r;
    runf(&r, "run %s/model.glb --motion %s/walk.bvh -o %s/a.pc2", folder, folder, folder);
    expect(&r, 0);
    expect_text(r.err, "walk.bvh on model.glb: 12 of 15 joints of the clip move 12 of ");
    expect_text(r.err, "(12 by part of the body)\n");
    expect_text(r.err, "  parts that the clip lacks: left upper arm, left forearm, left hand\n");
    expect_text(r.err, "  joints of the clip that move nothing: odd1, odd2, odd3\n");
    expect_text(r.err, "warning: walk.bvh: nothing in the clip moves the left arm "
                       "(rig:upperarm.L, rig:forearm.L, rig:hand.L)\n");
    // Warnings remain.
    runf(&r, "render %s/model.glb --motion %s/walk.bvh --frame 1 -o %s/a.png --quiet --size 64x64",
         folder, folder, folder);
    expect(&r, 0);
    expect_one_line(&r, "warning: walk.bvh: nothing in the clip moves the left arm");
    // What plays as it is has no pairs.
    runf(&r, "run %s/model.glb -o %s/b.pc2", folder, folder);
    expect(&r, 0);
    assert_string_equal(r.err, "");
}

// Files of frames are the same bytes however the same map is given.
static void maps_change_it(void **state) {
    (void)state;
    const char *folder = make_model("mapped");
    char map[4200], plain[4200], mapped[4200], again[4200], path[4200];
    result r;
    snprintf(map, sizeof map, "%s/map.json", folder);
    snprintf(plain, sizeof plain, "%s/plain.pc2", folder);
    snprintf(mapped, sizeof mapped, "%s/mapped.pc2", folder);
    snprintf(again, sizeof again, "%s/again.pc2", folder);
    write_text(map, "{\"rig:upperarm.L\": \"odd1\", \"rig:forearm.L\": \"odd2\",\n"
                    "\"rig:hand.L\": \"odd3\", \"rig:Head\": null}\n");
    runf(&r, "run %s/model.glb --motion %s/walk.bvh -o %s", folder, folder, plain);
    expect(&r, 0);
    runf(&r, "run %s/model.glb --motion %s/walk.bvh --map %s --pairing %s/all.json -o %s", folder,
         folder, map, folder, mapped);
    expect(&r, 0);
    expect_text(r.err, "(3 by the map, 11 by part of the body)");
    expect_text(r.err, "  segments that the map leaves out: rig:Head\n");
    assert_null(strstr(r.err, "warning"));
    assert_false(snt_same_bytes(plain, mapped));
    // The whole pairing, given back.
    runf(&r, "run %s/model.glb --motion %s/walk.bvh --map %s/all.json -o %s --threads 2", folder,
         folder, folder, again);
    expect(&r, 0);
    expect_same_bytes(mapped, again);
    // A document with the clip and its pairing.
    runf(&r, "new %s/model.glb --motion %s/walk.bvh --map %s -o %s/made.sinew.json", folder, folder,
         map, folder);
    expect(&r, 0);
    expect_text(r.err, "walk.bvh on model.glb: 14 of 15 joints");
    runf(&r, "run %s/made.sinew.json --motion walk -o %s", folder, again);
    expect(&r, 0);
    expect_same_bytes(mapped, again);
    char text[32768];
    snprintf(path, sizeof path, "%s/made.sinew.json", folder);
    read_all(path, text, sizeof text);
    expect_text(text, "\"file\": \"walk.bvh\"");
    expect_text(text, "\"rig:forearm.L\": \"odd2\"");
    expect_text(text, "\"rig:Head\": null");
    // A map over the document's own.
    write_text(map, "{\"rig:hand.L\": null}");
    runf(&r, "run %s/made.sinew.json --motion walk --map %s -o %s", folder, map, again);
    expect(&r, 0);
    expect_text(r.err, "  segments that the map leaves out: rig:Head, rig:hand.L\n");
    assert_false(snt_same_bytes(mapped, again));
}

static void pairs_by_hand_what_has_nothing_in_common(void **state) {
    (void)state;
    const char *folder = make_model("strange");
    char path[4200], text[32768];
    result r;
    snprintf(path, sizeof path, "%s/worm.bvh", folder);
    write_text(path, "HIERARCHY\nROOT worm1\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation "
                     "Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 2\nFrame Time: "
                     "0.1\n0 0 0\n30 20 10\n");
    runf(&r, "run %s/model.glb --motion %s/worm.bvh --pairing %s/p.json -o %s/a.pc2", folder,
         folder, folder, folder);
    expect(&r, 1);
    expect_text(r.err, "p.json lists all segments: fill in joints and give it to --map\n");
    expect_text(r.err, "cannot be retargeted");
    snprintf(path, sizeof path, "%s/p.json", folder);
    read_all(path, text, sizeof text);
    expect_text(text, "\"rig:hand.L\": {");
    expect_text(text, "\"worm1\": \"no known part of a body\"");
    write_text(path, "{\"rig:hand.L\": \"worm1\"}");
    runf(&r, "run %s/model.glb --motion %s/worm.bvh --map %s -o %s/a.pc2", folder, folder, path,
         folder);
    expect(&r, 0);
    expect_text(r.err, "1 of 1 joints of the clip move 1 of");
}

static void refuses_wrong_maps(void **state) {
    (void)state;
    const char *folder = make_model("refused");
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"{\"rig:hand.L\":\n \"od3\"}",
         "map.json:2: /rig:hand.L: the clip has no joint \"od3\"; did you mean \"odd3\"?"},
        {"{\"rig:Head\": null,\n\"rig:hnd.L\": \"odd3\"}",
         "map.json:2: /rig:hnd.L: the character has no segment \"rig:hnd.L\"; did you mean "
         "\"rig:hand.L\"?"},
        {"{\"rig:hand.L\": 3}", "map.json:1: /rig:hand.L: what moves a segment is the name of"},
        {"[]", "map.json:1: /: a map is an object"},
        {"{", "map.json"},
    };
    char map[4200];
    result r;
    snprintf(map, sizeof map, "%s/map.json", folder);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        write_text(map, cases[i].text);
        runf(&r, "run %s/model.glb --motion %s/walk.bvh --map %s -o %s/a.pc2", folder, folder, map,
             folder);
        expect(&r, 1);
        expect_one_line(&r, cases[i].error);
    }
    write_text(map, "{}");
    runf(&r, "run %s/model.glb --map %s -o %s/a.pc2", folder, map, folder);
    expect(&r, 1);
    expect_one_line(&r, "the character has no clip to pair; name one with --motion");
    runf(&r, "new %s/model.glb --map %s -o %s/n.sinew.json", folder, map, folder);
    expect(&r, 2);
    expect_one_line(&r, "give one --motion");
    runf(&r, "new %s/model.glb --motion %s/none.bvh -o %s/n.sinew.json", folder, folder, folder);
    expect(&r, 1);
    expect_one_line(&r, "none.bvh");
    // In a document the segments are checked without the file.
    snprintf(map, sizeof map, "%s/wrong.sinew.json", folder);
    write_text(map, "{\"sinew\": 1, \"name\": \"x\", \"skeleton\": {\"head\": {}},\n"
                    "\"clips\": {\"a\": {\"file\": \"walk.bvh\", \"pairing\": {\"haed\": null}}}}");
    runf(&r, "check %s", map);
    expect(&r, 1);
    expect_one_line(&r, "/clips/a/pairing/haed: there is no segment \"haed\"; did you mean");
}

static void finds_names_as_people_type_them(void **state) {
    (void)state;
    const char *folder = make_model("named");
    char exact[4200], typed[4200];
    result r;
    snprintf(exact, sizeof exact, "%s/exact.pc2", folder);
    snprintf(typed, sizeof typed, "%s/typed.pc2", folder);
    runf(&r, "run %s/model.glb --set rig:upperarm.L.ry_deg=30 --proportion rig:forearm.L=1.5 -o %s",
         folder, exact);
    expect(&r, 0);
    assert_string_equal(r.err, "");
    runf(&r, "run %s/model.glb --set LeftArm.ry_deg=30 --proportion FOREARM.L=1.5 -o %s", folder,
         typed);
    expect(&r, 0);
    expect_text(r.err, "note: LeftArm is rig:upperarm.L\n");
    expect_text(r.err, "note: FOREARM.L is rig:forearm.L\n");
    expect_same_bytes(exact, typed);
    runf(&r, "render %s/model.glb --focus hand.L -o %s/a.png --size 64x64", folder, folder);
    expect(&r, 0);
    expect_one_line(&r, "note: hand.L is rig:hand.L");
    runf(&r, "run %s/model.glb --set haed.ry_deg=30 -o %s", folder, typed);
    expect(&r, 1);
    expect_one_line(&r, "there is no parameter \"haed.ry_deg\"; did you mean \"Head.ry_deg\"?");
    runf(&r, "run %s/model.glb --proportion haed=2 -o %s", folder, typed);
    expect(&r, 1);
    expect_one_line(&r, "/model.glb: there is no segment \"haed\"; did you mean \"Head\"?");
}

// Warnings of the library reach scripts and logs, also with --quiet.
static void warns_where_nobody_watches(void **state) {
    (void)state;
    const char *folder = make_model("warned");
    char path[4200];
    result r;
    snprintf(path, sizeof path, "%s/walk.bvh", folder);
    FILE *file = fopen(path, "ab");
    assert_non_null(file);
    fprintf(file, "0 1 0\n");
    fclose(file);
    runf(&r, "run %s/model.glb --motion %s -o %s/a.pc2 --quiet", folder, path, folder);
    expect(&r, 0);
    expect_text(r.err, "warning: ");
    expect_text(r.err, "/walk.bvh:103: ignored what follows frame 3\n");
}

static void replaces_nothing_that_it_reads(void **state) {
    (void)state;
    const char *folder = make_model("read");
    static const struct {
        const char *options, *message;
    } cases[] = {
        {"-o model.glb", "-o would replace model.glb, which is read"},
        {"-o ./model.glb", "-o would replace model.glb, which is read"},
        {"-o a.pc2 --pairing walk.bvh", "--pairing would replace walk.bvh, which is read"},
        {"--report model.glb", "--report would replace model.glb, which is read"},
        {"-o a.pc2 --pairing a.pc2", "-o and --pairing would both write a.pc2"},
    };
    char model[4200], walk[4200], model_copy[4200], walk_copy[4200], before[4096];
    result r;
    snprintf(model, sizeof model, "%s/model.glb", folder);
    snprintf(walk, sizeof walk, "%s/walk.bvh", folder);
    snprintf(model_copy, sizeof model_copy, "%s/kept.glb", folder);
    snprintf(walk_copy, sizeof walk_copy, "%s/kept.bvh", folder);
    assert_int_equal(link(model, model_copy), 0);
    assert_int_equal(link(walk, walk_copy), 0);
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        runf(&r, "run model.glb --motion walk.bvh %s", cases[i].options);
        expect(&r, 2);
        expect_one_line(&r, cases[i].message);
    }
    runf(&r, "driver model.glb -o model.glb");
    expect(&r, 2);
    expect_one_line(&r, "-o would replace model.glb, which is read");
    expect_same_bytes("model.glb", "kept.glb");
    expect_same_bytes("walk.bvh", "kept.bvh");
    assert_int_equal(chdir(before), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_moves_what),
        cmocka_unit_test(maps_change_it),
        cmocka_unit_test(pairs_by_hand_what_has_nothing_in_common),
        cmocka_unit_test(refuses_wrong_maps),
        cmocka_unit_test(finds_names_as_people_type_them),
        cmocka_unit_test(warns_where_nobody_watches),
        cmocka_unit_test(replaces_nothing_that_it_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
