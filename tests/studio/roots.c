// SPDX-License-Identifier: Apache-2.0
//
// Where pages may read and write.
#define _GNU_SOURCE
#include "test.h"

#include "files/roots.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char top[PATH_MAX]; // without links

static const char *at(const char *name) {
    static char paths[4][PATH_MAX + 256];
    static int next;
    next = (next + 1) % 4;
    snprintf(paths[next], sizeof paths[next], "%s/%s", top, name);
    return paths[next];
}

static void put(const char *name) {
    FILE *file = fopen(at(name), "wb");
    assert_non_null(file);
    fputs("x", file);
    fclose(file);
}

// home/ and examples/ are roots, outside/ is none; home/door leads to outside/, home/back to home/.
static int make_folders(void **state) {
    (void)state;
    const char *folder = snt_scratch("roots");
    mkdir(folder, 0777);
    assert_non_null(realpath(folder, top));
    static const char *const folders[] = {"home", "home/sub", "home/examples", "outside",
                                          "home-and-more"};
    for (size_t i = 0; i < 5; ++i) {
        assert_int_equal(mkdir(at(folders[i]), 0777), 0);
    }
    put("home/a.json");
    put("home/sub/b.json");
    put("home/examples/e.json");
    put("outside/secret.json");
    put("home-and-more/secret.json");
    assert_int_equal(symlink(at("outside"), at("home/door")), 0);
    assert_int_equal(symlink(at("outside/secret.json"), at("home/window.json")), 0);
    assert_int_equal(symlink(at("outside/new.json"), at("home/dangling.json")), 0);
    assert_int_equal(symlink(at("home/sub"), at("home/back")), 0);
    assert_int_equal(symlink("loop", at("home/loop")), 0);
    assert_int_equal(mkfifo(at("home/pipe.json"), 0600), 0);
    return 0;
}

static void make_roots(roots *r) {
    *r = (roots){0};
    snt_ok(roots_add(r, at("home"), true, error));
    snt_ok(roots_add(r, at("home/examples"), false, error));
    snt_ok(roots_add(r, at("not there"), true, error));
    assert_int_equal(r->count, 2);
}

static void what_lies_below_is_found(void **state) {
    (void)state;
    static const struct {
        const char *path, *resolved;
        roots_use use;
    } cases[] = {
        {"home/a.json", "home/a.json", ROOTS_READ_FILE},
        {"home/sub/../a.json", "home/a.json", ROOTS_READ_FILE},
        {"home/back/b.json", "home/sub/b.json", ROOTS_READ_FILE},
        {"home/examples/e.json", "home/examples/e.json", ROOTS_READ_FILE},
        {"home", "home", ROOTS_READ_FOLDER},
        {"home/", "home", ROOTS_READ_FOLDER},
        {"home/back", "home/sub", ROOTS_READ_FOLDER},
        {"home/a.json", "home/a.json", ROOTS_WRITE_FILE},
        {"home/new.json", "home/new.json", ROOTS_WRITE_FILE},
        {"home/sub/../new.json", "home/new.json", ROOTS_WRITE_FILE},
        {"home/back/new.json", "home/sub/new.json", ROOTS_WRITE_FILE},
        {"outside/../home/new.json", "home/new.json", ROOTS_WRITE_FILE},
    };
    roots r;
    make_roots(&r);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char resolved[ROOTS_PATH_BYTES];
        snt_ok(roots_resolve(&r, at(cases[i].path), cases[i].use, resolved, error));
        assert_string_equal(resolved, at(cases[i].resolved));
    }
    char resolved[ROOTS_PATH_BYTES];
    snt_ok(roots_resolve(&r, "sub/b.json", ROOTS_READ_FILE, resolved, error));
    assert_string_equal(resolved, at("home/sub/b.json"));
    roots_deinit(&r);
}

static void what_leads_out_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *path, *message;
        roots_use use;
    } cases[] = {
        {"outside/secret.json", "outside the folders", ROOTS_READ_FILE},
        {"home-and-more/secret.json", "outside the folders", ROOTS_READ_FILE},
        {"home/../outside/secret.json", "outside the folders", ROOTS_READ_FILE},
        {"home/door/secret.json", "outside the folders", ROOTS_READ_FILE},
        {"home/window.json", "outside the folders", ROOTS_READ_FILE},
        {"home/window.json", "outside the folders", ROOTS_WRITE_FILE},
        {"home/door/new.json", "outside the folders", ROOTS_WRITE_FILE},
        {"home/../new.json", "outside the folders", ROOTS_WRITE_FILE},
        {"home/dangling.json", "is a link to a file", ROOTS_WRITE_FILE},
        {"home/door", "outside the folders", ROOTS_READ_FOLDER},
        {"home/..", "outside the folders", ROOTS_READ_FOLDER},
        {"home/none.json", "does not exist", ROOTS_READ_FILE},
        {"home/none/new.json", "folder does not exist", ROOTS_WRITE_FILE},
        {"home/a.json/new.json", "Not a directory", ROOTS_WRITE_FILE},
        {"home/sub", "is a folder", ROOTS_WRITE_FILE},
        {"home/sub", "is a folder", ROOTS_READ_FILE},
        {"home/a.json", "is not a folder", ROOTS_READ_FOLDER},
        {"home/pipe.json", "not an ordinary file", ROOTS_READ_FILE},
        {"home/loop", "symbolic links", ROOTS_READ_FILE},
        {"home/examples/e.json", "is read only", ROOTS_WRITE_FILE},
        {"home/examples/new.json", "is read only", ROOTS_WRITE_FILE},
    };
    roots r;
    make_roots(&r);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char resolved[ROOTS_PATH_BYTES];
        snt_fails(SN_INVALID, cases[i].message,
                  roots_resolve(&r, at(cases[i].path), cases[i].use, resolved, error));
    }
    roots_deinit(&r);
}

static void strange_paths_are_refused(void **state) {
    (void)state;
    static const char *const paths[] = {"",
                                        "/",
                                        "..",
                                        ".",
                                        "../outside/secret.json",
                                        "/etc/passwd",
                                        "/proc/self/mem",
                                        "//etc/passwd",
                                        "sub/../../outside/x"};
    char resolved[ROOTS_PATH_BYTES], longest[ROOTS_PATH_BYTES * 2];
    roots r;
    make_roots(&r);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
        snt_fails(SN_INVALID, "", roots_resolve(&r, paths[i], ROOTS_READ_FILE, resolved, error));
        snt_fails(SN_INVALID, "", roots_resolve(&r, paths[i], ROOTS_WRITE_FILE, resolved, error));
    }
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = 0;
    snt_fails(SN_INVALID, "too long",
              roots_resolve(&r, longest, ROOTS_WRITE_FILE, resolved, error));
    roots_deinit(&r);
}

static void without_roots_nothing_can_be_used(void **state) {
    (void)state;
    char resolved[ROOTS_PATH_BYTES];
    roots r = {0};
    snt_fails(SN_INVALID, "outside the folders",
              roots_resolve(&r, at("home/a.json"), ROOTS_READ_FILE, resolved, error));
    roots_deinit(&r);
}

static void the_whole_disk_can_be_a_root(void **state) {
    (void)state;
    char resolved[ROOTS_PATH_BYTES];
    roots r = {0};
    snt_ok(roots_add(&r, "/", true, error));
    snt_ok(roots_resolve(&r, at("outside/secret.json"), ROOTS_READ_FILE, resolved, error));
    snt_ok(roots_resolve(&r, "/", ROOTS_READ_FOLDER, resolved, error));
    snt_ok(roots_resolve(&r, "/new.json", ROOTS_WRITE_FILE, resolved, error));
    assert_string_equal(resolved, "/new.json");
    roots_deinit(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_lies_below_is_found),
        cmocka_unit_test(what_leads_out_is_refused),
        cmocka_unit_test(strange_paths_are_refused),
        cmocka_unit_test(without_roots_nothing_can_be_used),
        cmocka_unit_test(the_whole_disk_can_be_a_root),
    };
    return cmocka_run_group_tests(tests, make_folders, NULL);
}
