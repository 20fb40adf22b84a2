// SPDX-License-Identifier: Apache-2.0
//
// Files that pages send in pieces.
#define _GNU_SOURCE
#include "test.h"

#include "uploads.h"

#include <stdlib.h>
#include <sys/stat.h>

static char folder[4096];

static int make_folder(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "%s", snt_scratch("uploads"));
    return mkdir(folder, 0777);
}

static uploads *begin(void) {
    uploads *u = NULL;
    snt_ok(uploads_create(&u, error));
    return u;
}

static void read_back(const char *path, char *text, size_t size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
}

static void send_file(uploads *u, const char *name, const char *text, char *path) {
    uint32_t number = 0;
    bool done = false;
    snt_ok(uploads_begin(u, 1, folder, name, (double)strlen(text), &number, error));
    snt_ok(uploads_add(u, 1, number, text, strlen(text), &done, path, error));
    assert_true(done);
}

static void names_are_made_safe(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"walk.bvh", "walk.bvh"},
        {"../../etc/walk.bvh", "walk.bvh"},
        {"C:\\motions\\walk.bvh", "walk.bvh"},
        {".hidden.bvh", "hidden.bvh"},
        {"..walk.bvh", "walk.bvh"},
        {"new\nline\x01.bvh", "newline.bvh"},
        {"gehen ä.bvh", "gehen ä.bvh"},
        {"WALK.BVH", "WALK.BVH"},
    };
    char clean[UPLOAD_NAME_BYTES + 1], longest[400];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        snt_ok(upload_clean_name(cases[i][0], clean, error));
        assert_string_equal(clean, cases[i][1]);
    }
    snt_fails(SN_INVALID, "no name", upload_clean_name("", clean, error));
    snt_fails(SN_INVALID, "no name", upload_clean_name("a/..", clean, error));
    snt_fails(SN_UNSUPPORTED, "not a file that sinew reads",
              upload_clean_name("run.sh", clean, error));
    snt_fails(SN_UNSUPPORTED, "not a file that sinew reads",
              upload_clean_name("bvh", clean, error));
    memset(longest, 'a', sizeof longest);
    strcpy(longest + 300, ".bvh");
    snt_fails(SN_INVALID, "too long", upload_clean_name(longest, clean, error));
}

static void a_file_appears_when_it_is_complete(void **state) {
    (void)state;
    uploads *u = begin();
    uint32_t number = 0;
    bool done = true;
    char path[UPLOAD_PATH_BYTES], expected[5000], text[64];
    int before = snt_count_entries(folder);
    snt_ok(uploads_begin(u, 1, folder, "parts.bvh", 6, &number, error));
    snt_ok(uploads_add(u, 1, number, "abc", 3, &done, path, error));
    assert_false(done);
    snprintf(expected, sizeof expected, "%s/parts.bvh", folder);
    struct stat entry;
    assert_int_not_equal(stat(expected, &entry), 0);
    snt_ok(uploads_add(u, 1, number, "", 0, &done, path, error));
    assert_false(done);
    snt_ok(uploads_add(u, 1, number, "def", 3, &done, path, error));
    assert_true(done);
    assert_string_equal(path, expected);
    read_back(path, text, sizeof text);
    assert_string_equal(text, "abcdef");
    assert_int_equal(snt_count_entries(folder), before + 1);
    snt_fails(SN_INVALID, "no upload", uploads_add(u, 1, number, "x", 1, &done, path, error));
    uploads_destroy(u);
}

static void other_files_stay(void **state) {
    (void)state;
    uploads *u = begin();
    char first[UPLOAD_PATH_BYTES], second[UPLOAD_PATH_BYTES], third[UPLOAD_PATH_BYTES], text[64];
    send_file(u, "same.bvh", "one", first);
    send_file(u, "same.bvh", "two", second);
    send_file(u, "same.bvh", "three", third);
    assert_non_null(strstr(first, "/same.bvh"));
    assert_non_null(strstr(second, "/same-1.bvh"));
    assert_non_null(strstr(third, "/same-2.bvh"));
    read_back(first, text, sizeof text);
    assert_string_equal(text, "one");
    read_back(third, text, sizeof text);
    assert_string_equal(text, "three");
    uploads_destroy(u);
}

static void too_much_is_refused(void **state) {
    (void)state;
    uploads *u = begin();
    uint32_t number = 0;
    bool done;
    char path[UPLOAD_PATH_BYTES];
    int before = snt_count_entries(folder);
    static const double sizes[] = {0, -1, 1.5, 1e18};
    for (size_t i = 0; i < 4; ++i) {
        snt_fails(SN_LIMIT, "bytes",
                  uploads_begin(u, 1, folder, "a.bvh", sizes[i], &number, error));
    }
    snt_ok(uploads_begin(u, 1, folder, "long.bvh", 3, &number, error));
    snt_fails(SN_INVALID, "longer than was said",
              uploads_add(u, 1, number, "abcd", 4, &done, path, error));
    assert_int_equal(snt_count_entries(folder), before);
    for (int i = 0; i < UPLOAD_PAGE_LIMIT; ++i) {
        snt_ok(uploads_begin(u, 1, folder, "a.bvh", 10, &number, error));
    }
    snt_fails(SN_LIMIT, "too many", uploads_begin(u, 1, folder, "a.bvh", 10, &number, error));
    snt_ok(uploads_begin(u, 2, folder, "a.bvh", 10, &number, error));
    snt_fails(SN_INVALID, "no upload", uploads_add(u, 3, number, "x", 1, &done, path, error));
    uploads_destroy(u);
    assert_int_equal(snt_count_entries(folder), before);
}

static void a_page_that_leaves_takes_its_pieces(void **state) {
    (void)state;
    uploads *u = begin();
    uint32_t number = 0;
    bool done;
    char path[UPLOAD_PATH_BYTES];
    int before = snt_count_entries(folder);
    snt_ok(uploads_begin(u, 7, folder, "a.bvh", 10, &number, error));
    snt_ok(uploads_add(u, 7, number, "abc", 3, &done, path, error));
    uploads_leave(u, 7);
    assert_int_equal(snt_count_entries(folder), before);
    uploads_destroy(u);
}

static void a_folder_that_is_not_there_is_an_error(void **state) {
    (void)state;
    uploads *u = begin();
    uint32_t number = 0;
    snt_fails(SN_IO, "no file can be written here",
              uploads_begin(u, 1, "/not/there", "a.bvh", 10, &number, error));
    uploads_destroy(u);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_made_safe),
        cmocka_unit_test(a_file_appears_when_it_is_complete),
        cmocka_unit_test(other_files_stay),
        cmocka_unit_test(too_much_is_refused),
        cmocka_unit_test(a_page_that_leaves_takes_its_pieces),
        cmocka_unit_test(a_folder_that_is_not_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_folder, NULL);
}
