// SPDX-License-Identifier: Apache-2.0
//
// What the program does with files that are there, and what it leaves when it is ended.
#include "program.h"

enum { FRAMES = 60 };

// The same body with its first vertex at another place, so that frames tell whose they are.
static const char *make_bodies(const char *name) {
    const char *folder = make_character(name, FRAMES);
    char path[4200], text[4096];
    snprintf(path, sizeof path, "%s/high.obj", folder);
    write_text(path, "v 0 5 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                     "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    snprintf(path, sizeof path, "%s/body.sinew.json", folder);
    read_all(path, text, sizeof text);
    char *file = strstr(text, "body.obj");
    assert_non_null(file);
    memcpy(file, "high.obj", strlen("high.obj"));
    snprintf(path, sizeof path, "%s/high.sinew.json", folder);
    write_text(path, text);
    snprintf(path, sizeof path, "%s/out", folder);
    assert_int_equal(mkdir(path, 0777), 0);
    return folder;
}

typedef struct frames {
    int low, high; // files of each body
    int others;    // what is no frame
} frames;

static frames look_at(const char *folder) {
    frames found = {0};
    for (uint32_t i = 0; i < FRAMES; ++i) {
        char path[4300], text[64];
        snprintf(path, sizeof path, "%s/out/a.%04u.obj", folder, i);
        if (exists(path)) {
            read_all(path, text, sizeof text);
            found.low += strstr(text, "v 0 0 0\n") != NULL;
            found.high += strstr(text, "v 0 5 0\n") != NULL;
        }
    }
    char out[4200];
    snprintf(out, sizeof out, "%s/out", folder);
    found.others = snt_count_entries(out) - found.low - found.high;
    return found;
}

static pid_t start_run(const char *folder, const char *document, const char *out) {
    char path[4200], to[4200], text[4200], err[4200];
    snprintf(path, sizeof path, "%s/%s.sinew.json", folder, document);
    snprintf(to, sizeof to, "%s/%s", folder, out);
    snprintf(text, sizeof text, "%s", snt_scratch("stdout"));
    snprintf(err, sizeof err, "%s", snt_scratch("stderr"));
    const char *arguments[] = {"sinew", "run", path, "-o", to, NULL};
    return start(arguments, text, err);
}

// Runs write the two bodies in turn, and each of them is killed somewhere on its way.
static void a_killed_sequence_is_no_mixture(void **state) {
    (void)state;
    const char *folder = make_bodies("killed");
    assert_int_equal(finish(start_run(folder, "body", "out/a.obj")), 0);
    assert_int_equal(look_at(folder).low, FRAMES);
    int kills = snt_thorough() ? 12 : 4;
    for (int i = 0; i < kills; ++i) {
        const char *document = i % 2 == 0 ? "high" : "body";
        pid_t child = start_run(folder, document, "out/a.obj");
        usleep((useconds_t)(20000 + 25000 * i));
        kill(child, SIGKILL);
        finish(child);
        frames found = look_at(folder);
        assert_true(found.low == 0 || found.high == 0);
        assert_true(found.low == FRAMES || found.high == FRAMES || found.others > 0);
    }
    assert_int_equal(finish(start_run(folder, "high", "out/a.obj")), 0);
    frames found = look_at(folder);
    assert_int_equal(found.high, FRAMES);
    assert_int_equal(found.others, 0);
}

static void hangups_end_a_run(void **state) {
    (void)state;
    static const int signals[] = {SIGHUP, SIGTERM};
    const char *folder = make_character("hangup", 50000000);
    int before = snt_count_entries(folder);
    for (int i = 0; i < 2; ++i) {
        pid_t child = start_run(folder, "body", "a.usda");
        usleep(400000);
        kill(child, signals[i]);
        assert_int_equal(finish(child), 130);
        assert_int_equal(snt_count_entries(folder), before);
    }
}

static void nohup_keeps_a_run(void **state) {
    (void)state;
    const char *folder = make_character("nohup", 50000000);
    void (*before)(int) = signal(SIGHUP, SIG_IGN); // the program is started with that
    pid_t child = start_run(folder, "body", "a.usda");
    signal(SIGHUP, before);
    usleep(400000);
    kill(child, SIGHUP);
    usleep(200000);
    assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
    kill(child, SIGTERM);
    assert_int_equal(finish(child), 130);
}

static void make_locked(const char *folder, const char *name) {
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    write_text(path, "old");
    assert_int_equal(chmod(path, 0444), 0);
}

static void expect_old(const char *folder, const char *name) {
    char path[4200], text[16];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    read_all(path, text, sizeof text);
    assert_string_equal(text, "old");
}

static void no_writer_replaces_a_read_only_file(void **state) {
    (void)state;
    static const struct {
        const char *command, *input, *options, *output, *locked;
    } cases[] = {
        {"run", "body.sinew.json", "-o", "out/a.glb", "out/a.glb"},
        {"run", "body.sinew.json", "--glb morph -o", "out/b.glb", "out/b.glb"},
        {"run", "body.sinew.json", "-o", "out/a.usda", "out/a.usda"},
        {"run", "body.sinew.json", "-o", "out/a.pc2", "out/a.pc2"},
        {"run", "body.sinew.json", "-o", "out/a.mdd", "out/a.mdd"},
        {"run", "body.sinew.json", "-o", "out/a.obj", "out/a.0003.obj"},
        {"run", "body.sinew.json", "--report", "out/r.json", "out/r.json"},
        {"new", "body.obj", "--force -o", "out/n.sinew.json", "out/n.sinew.json"},
        {"render", "body.sinew.json", "--size 32x32 --quality draft -o", "out/a.png", "out/a.png"},
        {"render", "body.sinew.json", "--size 32x32 --quality draft -o", "out/a.gif", "out/a.gif"},
    };
    const char *folder = make_bodies("locked");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        result r;
        make_locked(folder, cases[i].locked);
        runf(&r, "%s %s/%s %s %s/%s", cases[i].command, folder, cases[i].input, cases[i].options,
             folder, cases[i].output);
        expect(&r, 1);
        expect_one_line(&r, "cannot write: the file is read only");
        expect_old(folder, cases[i].locked);
    }
    char out[4200];
    snprintf(out, sizeof out, "%s/out", folder);
    assert_int_equal(snt_count_entries(out), sizeof cases / sizeof *cases);
}

// A document that cannot be written takes nothing with it that was there before.
static void a_failure_brings_the_older_file_back(void **state) {
    (void)state;
    const char *folder = make_bodies("older");
    const char *arm = snt_source("examples/arm/arm.sinew.json");
    char path[4200];
    result r;
    make_locked(folder, "locked.sinew.json");
    snprintf(path, sizeof path, "%s/driver.glb", folder);
    int before = snt_count_entries(folder);
    runf(&r, "driver %s --faces 200 -o %s --document %s/locked.sinew.json", arm, path, folder);
    expect(&r, 1);
    expect_one_line(&r, "the file is read only");
    assert_int_equal(snt_count_entries(folder), before);
    write_text(path, "old");
    runf(&r, "driver %s --faces 200 -o %s --document %s/locked.sinew.json", arm, path, folder);
    expect(&r, 1);
    expect_old(folder, "driver.glb");
    assert_int_equal(snt_count_entries(folder), before + 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_sequence_is_no_mixture),
        cmocka_unit_test(hangups_end_a_run),
        cmocka_unit_test(nohup_keeps_a_run),
        cmocka_unit_test(no_writer_replaces_a_read_only_file),
        cmocka_unit_test(a_failure_brings_the_older_file_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
