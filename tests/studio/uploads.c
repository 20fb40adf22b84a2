// SPDX-License-Identifier: Apache-2.0
//
// Files that pages send in pieces.
#define _GNU_SOURCE
#include "test.h"

#include "files/uploads.h"

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

static upload_desc describe(uint32_t page, const char *name, double size) {
    return (upload_desc){.page = page, .folder = folder, .name = name, .size = size};
}

static void send_as(uploads *u, const upload_desc *desc, const char *text, char *path) {
    uint32_t number = 0;
    upload_result result = {0};
    snt_ok(uploads_begin(u, desc, &number, error));
    snt_ok(uploads_add(u, desc->page, number, text, strlen(text), &result, error));
    assert_true(result.done);
    assert_int_equal(result.slot, desc->slot);
    snprintf(path, UPLOAD_PATH_BYTES, "%s", result.path);
}

static void send_file(uploads *u, const char *name, const char *text, char *path) {
    upload_desc desc = describe(1, name, (double)strlen(text));
    send_as(u, &desc, text, path);
}

static void send_in_drop(uploads *u, uint32_t page, uint32_t drop, const char *name,
                         const char *text, char *path) {
    upload_desc desc = describe(page, name, (double)strlen(text));
    desc.drop = drop;
    desc.slot = 1;
    send_as(u, &desc, text, path);
}

// Whether a path is that of `name` in a folder that holds nothing else.
static bool is_in_own_folder(const char *path, const char *name) {
    char expected[5000];
    size_t below = strlen(folder) + strlen("/XXXXXX/");
    snprintf(expected, sizeof expected, "%.*s%s", (int)below, path, name);
    return strncmp(path, folder, strlen(folder)) == 0 && strcmp(path, expected) == 0;
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
    upload_result result = {.done = true};
    upload_desc desc = describe(1, "parts.bvh", 6);
    char text[64];
    int before = snt_count_entries(folder);
    snt_ok(uploads_begin(u, &desc, &number, error));
    snt_ok(uploads_add(u, 1, number, "abc", 3, &result, error));
    assert_false(result.done);
    snt_ok(uploads_add(u, 1, number, "", 0, &result, error));
    assert_false(result.done);
    snt_ok(uploads_add(u, 1, number, "def", 3, &result, error));
    assert_true(result.done);
    assert_true(is_in_own_folder(result.path, "parts/parts.bvh"));
    read_back(result.path, text, sizeof text);
    assert_string_equal(text, "abcdef");
    assert_int_equal(snt_count_entries(folder), before + 1);
    snt_fails(SN_INVALID, "no upload", uploads_add(u, 1, number, "x", 1, &result, error));
    uploads_destroy(u);
}

static void other_files_stay(void **state) {
    (void)state;
    uploads *u = begin();
    char first[UPLOAD_PATH_BYTES], second[UPLOAD_PATH_BYTES], third[UPLOAD_PATH_BYTES], text[64];
    send_file(u, "same.bvh", "one", first);
    send_file(u, "same.bvh", "two", second);
    send_file(u, "same.bvh", "three", third);
    assert_true(is_in_own_folder(first, "same/same.bvh"));
    assert_true(is_in_own_folder(second, "same/same.bvh"));
    assert_true(is_in_own_folder(third, "same/same.bvh"));
    read_back(first, text, sizeof text);
    assert_string_equal(text, "one");
    read_back(third, text, sizeof text);
    assert_string_equal(text, "three");
    uploads_destroy(u);
}

// A model and what it names come with their own names, each time into another folder.
static void files_that_come_together_stay_together(void **state) {
    (void)state;
    uploads *u = begin();
    char path[UPLOAD_PATH_BYTES], other[UPLOAD_PATH_BYTES], text[64];
    send_in_drop(u, 1, 1, "body.gltf", "old", other);
    assert_true(is_in_own_folder(other, "body/body.gltf"));
    send_in_drop(u, 1, 1, "body.bin", "old bytes", path);
    assert_true(is_in_own_folder(path, "body/body.bin"));
    assert_int_equal(strncmp(path, other, strlen(path) - strlen("bin")), 0);
    send_in_drop(u, 1, 2, "body.gltf", "new", path);
    assert_true(is_in_own_folder(path, "body/body.gltf"));
    assert_string_not_equal(path, other);
    send_in_drop(u, 1, 2, "body.bin", "new bytes", path);
    read_back(path, text, sizeof text);
    assert_string_equal(text, "new bytes");
    // Another page counts for itself.
    send_in_drop(u, 2, 2, "other.glb", "x", path);
    assert_non_null(strstr(path, "/other/other.glb"));
    // Two of one name in one drop: none takes the other's place or another name.
    uint32_t number = 0;
    upload_result result;
    upload_desc twice = describe(1, "body.bin", 1);
    twice.drop = 2;
    snt_ok(uploads_begin(u, &twice, &number, error));
    snt_fails(SN_IO, "cannot be written", uploads_add(u, 1, number, "x", 1, &result, error));
    uploads_destroy(u);
}

static void a_drop_that_fails_leaves_no_folder(void **state) {
    (void)state;
    uploads *u = begin();
    uint32_t number = 0;
    upload_result result;
    char path[UPLOAD_PATH_BYTES];
    int before = snt_count_entries(folder);
    upload_desc desc = describe(1, "gone.gltf", 2);
    desc.drop = 1;
    snt_ok(uploads_begin(u, &desc, &number, error));
    assert_int_equal(snt_count_entries(folder), before + 1);
    snt_fails(SN_INVALID, "longer", uploads_add(u, 1, number, "abc", 3, &result, error));
    assert_int_equal(snt_count_entries(folder), before);
    // The next file of the same drop has a place all the same.
    send_in_drop(u, 1, 1, "gone.bin", "x", path);
    assert_non_null(strstr(path, "/gone/gone.bin"));
    uploads_destroy(u);
}

static void too_much_is_refused(void **state) {
    (void)state;
    uploads *u = begin();
    uint32_t number = 0;
    upload_result result;
    int before = snt_count_entries(folder);
    static const double sizes[] = {-1, 1.5, 1e18};
    for (size_t i = 0; i < 3; ++i) {
        upload_desc desc = describe(1, "a.bvh", sizes[i]);
        snt_fails(SN_LIMIT, "too large", uploads_begin(u, &desc, &number, error));
    }
    upload_desc desc = describe(1, "empty.bvh", 0);
    snt_fails(SN_INVALID, "is empty", uploads_begin(u, &desc, &number, error));
    desc = describe(1, "long.bvh", 3);
    snt_ok(uploads_begin(u, &desc, &number, error));
    snt_fails(SN_INVALID, "longer than announced",
              uploads_add(u, 1, number, "abcd", 4, &result, error));
    assert_int_equal(snt_count_entries(folder), before);
    desc = describe(1, "a.bvh", 10);
    for (int i = 0; i < UPLOAD_PAGE_LIMIT; ++i) {
        snt_ok(uploads_begin(u, &desc, &number, error));
    }
    snt_fails(SN_LIMIT, "too many", uploads_begin(u, &desc, &number, error));
    desc.page = 2;
    snt_ok(uploads_begin(u, &desc, &number, error));
    snt_fails(SN_INVALID, "no upload", uploads_add(u, 3, number, "x", 1, &result, error));
    uploads_destroy(u);
    assert_int_equal(snt_count_entries(folder), before);
}

static void a_page_that_leaves_takes_its_pieces(void **state) {
    (void)state;
    uploads *u = begin();
    uint32_t number = 0;
    upload_result result;
    upload_desc desc = describe(7, "a.bvh", 10);
    int before = snt_count_entries(folder);
    snt_ok(uploads_begin(u, &desc, &number, error));
    snt_ok(uploads_add(u, 7, number, "abc", 3, &result, error));
    desc.drop = 3;
    snt_ok(uploads_begin(u, &desc, &number, error));
    uploads_leave(u, 7);
    assert_int_equal(snt_count_entries(folder), before);
    uploads_destroy(u);
}

static void a_folder_that_is_not_there_is_an_error(void **state) {
    (void)state;
    uploads *u = begin();
    uint32_t number = 0;
    upload_desc desc = {.page = 1, .folder = "/not/there", .name = "a.bvh", .size = 10};
    for (desc.drop = 0; desc.drop < 2; ++desc.drop) {
        snt_fails(SN_IO, "/not/there", uploads_begin(u, &desc, &number, error));
    }
    uploads_destroy(u);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_made_safe),
        cmocka_unit_test(a_file_appears_when_it_is_complete),
        cmocka_unit_test(other_files_stay),
        cmocka_unit_test(files_that_come_together_stay_together),
        cmocka_unit_test(a_drop_that_fails_leaves_no_folder),
        cmocka_unit_test(too_much_is_refused),
        cmocka_unit_test(a_page_that_leaves_takes_its_pieces),
        cmocka_unit_test(a_folder_that_is_not_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_folder, NULL);
}
