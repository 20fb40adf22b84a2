// SPDX-License-Identifier: Apache-2.0
//
// `sinew new FOLDER`: what it prints, line by line, and every wrong folder with its one line.
#include "program.h"

#include "leg_folder.h"

#include <signal.h>

static char folder[4096], document[4200], report[4200];

static void make_leg(const char *name, bool rigged) {
    sn_context *context = rigged ? snt_context(1) : NULL;
    snprintf(folder, sizeof folder, "%s", snt_leg_folder(context, name));
    if (context != NULL) {
        snt_context_end(context);
    }
    snprintf(document, sizeof document, "%s.sinew.json", folder);
    snprintf(report, sizeof report, "%s.fit.json", folder);
}

// What was printed up to a line, which is taken away with all behind it.
static void cut_at(char *text, const char *line) {
    char *at = strstr(text, line);
    if (at == NULL) {
        print_error("no line \"%s\" in\n%s\n", line, text);
        fail();
    }
    *at = 0;
}

static void prints_what_was_made(void **state) {
    (void)state;
    result r;
    make_leg("leg", true);
    runf(&r, "new %s --report %s", folder, report);
    expect(&r, 0);
    assert_string_equal(r.err, "");
    assert_true(exists(document));
    assert_true(exists(report));
    assert_non_null(strstr(r.out, "\nfit: half of the muscles have a mean distance up to "));
    assert_non_null(strstr(r.out, "\nthe worst fits:\n  "));
    char expected[16384];
    cut_at(r.out, "guessed ends of muscles");
    snprintf(expected, sizeof expected,
             "%s: 2 segments, 3 bones, 2 tissues, 2 muscles of 2 strips, the rig's skin\n"
             "guessed segments: 3\n"
             "  patella on thigh, nearest to femur (10.0 mm)\n"
             "  fat pad on shin, nearest to tibia (5.0 mm)\n"
             "  eye_L on thigh, nearest to femur (15.0 mm)\n",
             document);
    assert_string_equal(r.out, expected);
    runf(&r, "check %s", document);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "can be evaluated"));
    runf(&r, "run %s -o %s.glb --muscles --bones", document, folder);
    expect(&r, 0);
}

static void lists_ends_uses_and_what_is_left_out(void **state) {
    (void)state;
    result r;
    make_leg("lists", true);
    runf(&r, "new %s", folder);
    expect(&r, 0);
    char *at = strstr(r.out, "guessed ends of muscles: 1\n  knee band: ");
    assert_non_null(at);
    at = strstr(r.out, "used in another role: 1\n");
    assert_non_null(at);
    cut_at(r.out, "fit: ");
    assert_string_equal(at, "used in another role: 1\n"
                            "  knee band: a ligament that reaches over joints, as a muscle\n"
                            "left out: 1\n"
                            "  leg: a union of other parts\n");
}

// A point of another muscle of the same name.
static void tells_attachments_that_are_far_away(void **state) {
    (void)state;
    result r;
    char text[16384];
    make_leg("far", true);
    snprintf(text, sizeof text, "%svastus,femur,0.9,0.9,0.5\n", snt_leg_attachments);
    snt_leg_text(folder, "attachments.csv", text);
    runf(&r, "new %s --report %s", folder, report);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "attachments far from bones: 1\n  vastus: 1 of 5 left out\n"));
    read_all(report, text, sizeof text);
    assert_non_null(strstr(text, "\"attachments\": 5,"));
    assert_non_null(strstr(text, "\"far_attachments\": 1,"));
}

// Lists are cut at ten, and the last line says where the rest is.
static void cuts_long_lists(void **state) {
    (void)state;
    result r;
    make_leg("many", true);
    char text[4096] = "file,kind,name,rig_joint\nfemur.obj,bone,femur,thigh\n"
                      "tibia.obj,bone,tibia,shin\nvastus.obj,muscle,vastus,\n";
    for (int i = 1; i <= 12; ++i) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "patella.obj,bone,sesamoid %d,\n", i);
    }
    snt_leg_text(folder, "index.csv", text);
    runf(&r, "new %s", folder);
    expect(&r, 0);
    assert_non_null(strstr(r.out, "guessed segments: 12\n"));
    assert_non_null(strstr(r.out, "  sesamoid 10 on thigh, nearest to femur (10.0 mm)\n"
                                  "  and 2 more; --report FILE writes all\n"));
    assert_null(strstr(r.out, "sesamoid 11"));
    runf(&r, "new %s --force --report %s", folder, report);
    expect(&r, 0);
    char line[8400];
    snprintf(line, sizeof line, "  and 2 more, all in %s\n", report);
    assert_non_null(strstr(r.out, line));
}

static void makes_fibres(void **state) {
    (void)state;
    result r;
    char text[65536];
    make_leg("fibres", true);
    runf(&r, "new %s --muscles fibre --report %s", folder, report);
    expect(&r, 0);
    assert_non_null(strstr(r.out, " fibres: volumes are "));
    read_all(report, text, sizeof text);
    assert_non_null(strstr(text, "\"overlap\": "));
    read_all(document, text, sizeof text);
    assert_non_null(strstr(text, "\"kind\": \"fibre\""));
    runf(&r, "new %s --force --muscles cylinder", folder);
    expect(&r, 2);
    expect_one_line(&r, "--muscles is mesh, fibre or graph");
    run(&r, "new a.glb --muscles mesh -o b.json");
    expect(&r, 2);
    expect_one_line(&r, "--muscles is patch or fibre for a model");
}

static void proposes_segments_without_a_rig(void **state) {
    (void)state;
    result r;
    make_leg("proposed", false);
    runf(&r, "new %s/ --rig none", folder);
    expect(&r, 0);
    assert_true(exists(document)); // named as the folder, without its slash
    assert_non_null(strstr(r.out, ", an extracted skin\nproposed segments: "));
    runf(&r, "new %s", folder);
    expect(&r, 1);
    expect_one_line(&r, "already exists; --force replaces it");
}

typedef struct bad_folder {
    const char *index, *attachments; // NULL: those of the leg; "-": none
    const char *options;
    const char *line; // behind "sinew: FOLDER"
} bad_folder;

#define KINDS "bone, tooth, cartilage, bone_union, muscle, tendon, ligament, soft, skin"

static const bad_folder bad_folders[] = {
    {"-", NULL, "",
     ": no index.csv in this folder; it lists the meshes, with columns \"file\" and \"kind\""},
    {"", NULL, "", "/index.csv: empty; the first row has the names of the columns"},
    {"file,kind\n", "-", "", "/index.csv: no parts below the names of the columns"},
    {"file\nfemur.obj\n", "-", "", "/index.csv:1: there is no column \"kind\""},
    {"file,kind\nfemur.obj,bone\n,bone\n", "-", "", "/index.csv:3: the row has no file"},
    {"file,kind\nfemur.obj,bonne\n", "-", "",
     "/index.csv:2: the kind \"bonne\" is unknown; known ones are " KINDS},
    {"file,kind,name\nfemur.obj,bone,a\ntibia.obj,bone,a\n", "-", "",
     "/index.csv:3: the name \"a\" is that of the bone in line 2"},
    {"file,kind\nfemur.obj,bone\nfibula.obj,bone\n", "-", "",
     "/index.csv:3: there is no file \"fibula.obj\""},
    {"file,kind\nvastus.obj,muscle\n", "-", "", "/index.csv: no part is a bone"},
    {"file,kind,rig_joint\nfemur.obj,bone,tigh\n", "-", "",
     "/index.csv:2: the rig has no joint \"tigh\"; did you mean \"thigh\"?"},
    {NULL, "muscle,bone,x,y\n", "", "/attachments.csv:1: there is no column \"z\""},
    {NULL, "muscle,bone,x,y,z\nvastus,femur,1,2,three\n", "",
     "/attachments.csv:2: z is \"three\", but must be a number"},
    {NULL, "muscle,bone,x,y,z\nvastus,ulna,1,2,3\n", "",
     "/attachments.csv:2: there is no bone \"ulna\" in the index"},
    {NULL, "muscle,bone,x,y,z\nsoleus,tibia,1,2,3\n", "",
     "/attachments.csv:2: there is no muscle \"soleus\" in the index"},
    {NULL, NULL, "two rigs",
     ": 2 models with weights, dog.glb, leg.glb: name one of them as the rig (--rig)"},
};

static void write_or_remove(const char *name, const char *text) {
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (text != NULL && strcmp(text, "-") == 0) {
        remove(path);
    } else if (text != NULL) {
        snt_leg_text(folder, name, text);
    }
}

static void refuses_bad_folders(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bad_folders / sizeof *bad_folders; ++i) {
        const bad_folder *bad = &bad_folders[i];
        result r;
        make_leg("bad", true);
        write_or_remove("index.csv", bad->index);
        write_or_remove("attachments.csv", bad->attachments);
        char dog[4200];
        snprintf(dog, sizeof dog, "%s/dog.glb", folder);
        if (bad->options[0] != 0) {
            sn_context *context = snt_context(1);
            snt_leg_rig(context, folder, "dog.glb");
            snt_context_end(context);
        }
        runf(&r, "new %s --report %s", folder, report);
        remove(dog);
        expect(&r, 1);
        assert_string_equal(r.out, "");
        char expected[8192];
        snprintf(expected, sizeof expected, "sinew: %s%s\n", folder, bad->line);
        assert_string_equal(r.err, expected);
        assert_false(exists(document));
        assert_false(exists(report));
    }
}

static void refuses_wrong_usage(void **state) {
    (void)state;
    result r;
    make_leg("usage", true);
    runf(&r, "new %s/leg.glb --report %s -o %s", folder, report, document);
    expect(&r, 2);
    expect_one_line(&r, "--rig and --report are for folders only");
    runf(&r, "new %s --rig horse.glb", folder);
    expect(&r, 1);
    expect_one_line(&r, "horse.glb");
    runf(&r, "new %s --report %s/no/fit.json", folder, folder);
    expect(&r, 1);
    expect_one_line(&r, "/no/fit.json");
    assert_false(exists(document));
    runf(&r, "new %s -o %s/no/leg.sinew.json --report %s", folder, folder, report);
    expect(&r, 1);
    expect_one_line(&r, "/no/leg.sinew.json");
    assert_false(exists(report));
}

static void leaves_nothing_when_interrupted(void **state) {
    (void)state;
    const char *index = snt_data("animal/dog/index.csv");
    char dog[4096], out[4096], err[4096], made[4096], text[4096];
    snprintf(dog, sizeof dog, "%.*s", (int)(strlen(index) - strlen("/index.csv")), index);
    snprintf(made, sizeof made, "%s", snt_scratch("interrupted.sinew.json"));
    snprintf(out, sizeof out, "%s", snt_scratch("stdout"));
    snprintf(err, sizeof err, "%s", snt_scratch("stderr"));
    const char *arguments[] = {"sinew", "new", dog, "-o", made, NULL};
    pid_t child = start(arguments, out, err);
    usleep(800 * 1000);
    kill(child, SIGINT);
    assert_int_equal(finish(child), 130);
    read_all(err, text, sizeof text);
    assert_string_equal(text, "sinew: interrupted\n");
    assert_false(exists(made));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_what_was_made),
        cmocka_unit_test(lists_ends_uses_and_what_is_left_out),
        cmocka_unit_test(tells_attachments_that_are_far_away),
        cmocka_unit_test(cuts_long_lists),
        cmocka_unit_test(makes_fibres),
        cmocka_unit_test(proposes_segments_without_a_rig),
        cmocka_unit_test(refuses_bad_folders),
        cmocka_unit_test(refuses_wrong_usage),
        cmocka_unit_test(leaves_nothing_when_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
