// SPDX-License-Identifier: Apache-2.0
//
// --relax and --no-relax: clips of other files play with edges evened out, and say so.
#include "program.h"

static char person[2048], squat[2048];

static const char *file(const char *name) {
    static char paths[8][2048];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s", snt_scratch(name));
    return path;
}

// Whether two runs gave the same body: of a model with several skins each has a file.
static bool same_bodies(const char *a, const char *b) {
    char paths[2][2048];
    snprintf(paths[0], sizeof paths[0], "%.*s.body.pc2", (int)strlen(a) - 4, a);
    snprintf(paths[1], sizeof paths[1], "%.*s.body.pc2", (int)strlen(b) - 4, b);
    assert_true(exists(paths[0]) && exists(paths[1]));
    return snt_same_bytes(paths[0], paths[1]);
}

static void says(const result *r, const char *text) {
    if (strstr(r->err, text) == NULL) {
        print_error("expected \"%s\" in \"%s\"\n", text, r->err);
        fail();
    }
}

static void clips_of_other_files_are_relaxed(void **state) {
    (void)state;
    const char *usual = file("usual.pc2"), *on = file("on.pc2"), *off = file("off.pc2");
    result r;
    runf(&r, "run %s --motion %s --frames 20:24 -o %s", person, squat, usual);
    expect(&r, 0);
    says(&r, "relax: edges of 2 skins that bones fold or stretch are evened out (--no-relax");
    runf(&r, "run %s --motion %s --frames 20:24 --relax --threads 2 -o %s", person, squat, on);
    expect(&r, 0);
    runf(&r, "run %s --motion %s --frames 20:24 --no-relax -o %s", person, squat, off);
    expect(&r, 0);
    assert_null(strstr(r.err, "relax"));
    assert_true(same_bodies(usual, on));
    assert_false(same_bodies(usual, off));
}

// The document names the deformer, plays as the model does, and can do without.
static void new_documents_name_it(void **state) {
    (void)state;
    const char *usual = file("model.pc2"), *off = file("model-off.pc2");
    const char *document = file("relaxed.sinew.json"), *plain = file("plain.sinew.json");
    const char *played = file("document.pc2"), *played_off = file("document-off.pc2");
    result r;
    runf(&r, "new %s --motion %s -o %s", person, squat, document);
    expect(&r, 0);
    says(&r, "relax: edges of 2 skins");
    runf(&r, "run %s --frames 20:22 -o %s", document, played);
    expect(&r, 0);
    assert_null(strstr(r.err, "relax"));
    runf(&r, "run %s --frames 20:22 --no-relax -o %s", document, played_off);
    expect(&r, 0);
    says(&r, "2 skins without relax");
    runf(&r, "run %s --motion %s --frames 20:22 -o %s", person, squat, usual);
    expect(&r, 0);
    runf(&r, "run %s --motion %s --frames 20:22 --no-relax -o %s", person, squat, off);
    expect(&r, 0);
    assert_true(same_bodies(usual, played));
    assert_true(same_bodies(off, played_off));
    runf(&r, "new %s -o %s", person, plain);
    expect(&r, 0);
    assert_null(strstr(r.err, "relax"));
}

// A file of bones and weights stays one, and says what it leaves.
static void weights_are_written_as_they_are(void **state) {
    (void)state;
    const char *usual = file("usual.glb"), *off = file("off.glb");
    result r;
    runf(&r, "run %s --motion %s -o %s", person, squat, usual);
    expect(&r, 0);
    says(&r, "edges stay as the weights have them, since bones and weights are written");
    runf(&r, "run %s --motion %s --no-relax -o %s", person, squat, off);
    expect(&r, 0);
    assert_true(snt_same_bytes(usual, off));
    // Clips of the model's own file play by the weights of its maker, without a word.
    runf(&r, "run %s --frames 20:21 -o %s", usual, file("own.pc2"));
    expect(&r, 0);
    assert_string_equal(r.err, "");
    runf(&r, "run %s --motion %s --frames 20:21 -o %s", usual, usual, file("own.pc2"));
    expect(&r, 0);
    assert_null(strstr(r.err, "relax"));
    runf(&r, "run %s --motion %s --frames 20:21 --relax --glb skinned -o %s", person, squat,
         file("no.glb"));
    expect(&r, 1);
    says(&r, "has more than linear skinning; write morph targets");
}

static void wrong_use_is_refused(void **state) {
    (void)state;
    static const char *const commands[] = {"run a.glb -o a.pc2", "render a.glb -o a.png",
                                           "new a.glb"};
    result r;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
        runf(&r, "%s --relax --no-relax", commands[i]);
        expect(&r, 2);
        says(&r, "takes --relax or --no-relax, not both");
    }
}

int main(void) {
    snprintf(person, sizeof person, "%s", snt_source("examples/person/person.glb"));
    snprintf(squat, sizeof squat, "%s", snt_source("examples/motions/squat.bvh"));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clips_of_other_files_are_relaxed),
        cmocka_unit_test(new_documents_name_it),
        cmocka_unit_test(weights_are_written_as_they_are),
        cmocka_unit_test(wrong_use_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
