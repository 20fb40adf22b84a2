// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "test.h"

#include "common/file.h"
#include "document/document_internal.h"
#include "edits/flush.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// In place of the C library's: how often a journal goes to the disk, and with how many bytes.
static atomic_int flush_count;
static atomic_long flushed_size;
static atomic_bool disk_is_broken;

int fdatasync(int file) {
    struct stat info;
    if (atomic_load(&disk_is_broken)) {
        errno = EIO;
        return -1;
    }
    assert_int_equal(fstat(file, &info), 0);
    atomic_store(&flushed_size, (long)info.st_size);
    atomic_fetch_add(&flush_count, 1);
    return 0;
}

static char *folder(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s", snt_scratch(name));
    return path;
}

static void append(journal *j, const char *line) {
    snt_ok(journal_append(j, line, strlen(line), error));
}

static void lines_are_there_again(void **state) {
    (void)state;
    journal *j = NULL;
    size_t size = 0;
    char *state_folder = folder("lines");
    snt_ok(journal_open(state_folder, "/some/where.sinew.json", false, &j, error));
    assert_null(journal_content(j, &size));
    append(j, "{\"a\": 1}\n");
    append(j, "{\"b\": 2}\n");
    append(j, "{\"c\": ");
    journal_close(j, false);
    snt_ok(journal_open(state_folder, "/some/where.sinew.json", false, &j, error));
    assert_string_equal(journal_content(j, &size), "{\"a\": 1}\n{\"b\": 2}\n");
    assert_int_equal(size, 18);
    append(j, "{\"d\": 4}\n"); // after what was cut off
    journal_close(j, false);
    snt_ok(journal_open(state_folder, "/some/where.sinew.json", false, &j, error));
    assert_string_equal(journal_content(j, &size), "{\"a\": 1}\n{\"b\": 2}\n{\"d\": 4}\n");
    journal_close(j, true);
    snt_ok(journal_open(state_folder, "/some/where.sinew.json", false, &j, error));
    assert_null(journal_content(j, &size));
    journal_close(j, true);
}

static void another_desk_has_another_journal(void **state) {
    (void)state;
    journal *one = NULL, *other = NULL;
    size_t size = 0;
    char *state_folder = folder("two");
    snt_ok(journal_open(state_folder, "x", false, &one, error));
    append(one, "{\"one\": 1}\n");
    snt_ok(journal_open(state_folder, "x", false, &other, error));
    assert_null(journal_content(other, &size));
    append(other, "{\"other\": 1}\n");
    journal_close(one, true);
    // What the other one left is found, though it is not the first of its name.
    journal_close(other, false);
    snt_ok(journal_open(state_folder, "x", false, &one, error));
    assert_string_equal(journal_content(one, &size), "{\"other\": 1}\n");
    journal_close(one, true);
}

static void a_journal_moves_with_its_document(void **state) {
    (void)state;
    journal *j = NULL, *old = NULL;
    size_t size = 0;
    char *state_folder = folder("move");
    snt_ok(journal_open(state_folder, "new", false, &old, error));
    append(old, "{\"left\": \"by a crash\"}\n");
    journal_close(old, false);
    snt_ok(journal_open(state_folder, "old", false, &j, error));
    append(j, "{\"a\": 1}\n");
    snt_ok(journal_move(j, "new", error));
    append(j, "{\"b\": 1}\n");
    journal_close(j, false);
    snt_ok(journal_open(state_folder, "old", false, &j, error));
    assert_null(journal_content(j, &size));
    journal_close(j, true);
    snt_ok(journal_open(state_folder, "new", false, &j, error));
    assert_string_equal(journal_content(j, &size), "{\"a\": 1}\n{\"b\": 1}\n");
    journal_close(j, true);
}

// Of several that were left, the newest one is what was done last.
static void the_newest_lines_come_first(void **state) {
    (void)state;
    journal *journals[3] = {NULL}, *j = NULL;
    size_t size = 0;
    char *state_folder = folder("newest");
    for (int i = 0; i < 3; ++i) {
        snt_ok(journal_open(state_folder, "x", false, &journals[i], error));
    }
    static const int order[] = {0, 2, 1};
    for (int i = 0; i < 3; ++i) {
        char line[32];
        snprintf(line, sizeof line, "{\"a\": %d}\n", i);
        append(journals[order[i]], line);
        usleep(20000);
    }
    for (int i = 0; i < 3; ++i) {
        journal_close(journals[i], false);
    }
    snt_ok(journal_open(state_folder, "x", false, &j, error));
    assert_string_equal(journal_content(j, &size), "{\"a\": 2}\n");
    journal_close(j, true);
}

static void there_is_always_a_fresh_one(void **state) {
    (void)state;
    char *state_folder = folder("fresh");
    for (int i = 0; i < 100; ++i) {
        journal *j = NULL;
        size_t size = 0;
        snt_ok(journal_open(state_folder, "x", true, &j, error));
        assert_null(journal_content(j, &size));
        append(j, "{\"a\": 1}\n");
        journal_close(j, false);
    }
}

// Whatever is in the way of a moving journal stays, however often.
static void kept_journals_are_all_there(void **state) {
    (void)state;
    char *state_folder = folder("kept"), entries[600];
    for (int i = 0; i < 3; ++i) {
        journal *j = NULL, *old = NULL;
        snt_ok(journal_open(state_folder, "new", false, &old, error));
        append(old, "{\"left\": 1}\n");
        journal_close(old, false);
        snt_ok(journal_open(state_folder, "old", false, &j, error));
        snt_ok(journal_move(j, "new", error));
        journal_close(j, true);
    }
    snprintf(entries, sizeof entries, "%s/journal", state_folder);
    assert_int_equal(snt_count_entries(entries), 3);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Lines in a row go to the disk together, and none of them is forgotten.
static void lines_come_to_the_disk(void **state) {
    (void)state;
    journal *j = NULL;
    const long lines = 500;
    snt_ok(journal_open(folder("disk"), "x", false, &j, error));
    atomic_store(&flush_count, 0);
    double start = seconds();
    for (long i = 0; i < lines; ++i) {
        append(j, "{\"a\": 1}\n");
    }
    while (atomic_load(&flushed_size) < 9 * lines) { // by itself
        usleep(1000);
    }
    int most = (int)((seconds() - start) / FLUSH_SECONDS) + 2;
    assert_in_range(atomic_load(&flush_count), 1, most);
    assert_true(most < lines);
    // At once where one asks for it.
    append(j, "{\"b\": 1}\n");
    snt_ok(journal_flush(j, error));
    assert_int_equal(atomic_load(&flushed_size), 9 * (lines + 1));
    append(j, "{\"c\": 1}\n");
    snt_ok(journal_move(j, "y", error));
    assert_int_equal(atomic_load(&flushed_size), 9 * (lines + 2));
    append(j, "{\"d\": 1}\n");
    journal_close(j, false);
    assert_int_equal(atomic_load(&flushed_size), 9 * (lines + 3));
}

static void a_disk_that_takes_nothing_is_told(void **state) {
    (void)state;
    journal *j = NULL;
    snt_ok(journal_open(folder("broken"), "x", false, &j, error));
    atomic_store(&disk_is_broken, true);
    append(j, "{\"a\": 1}\n");
    snt_fails(SN_IO, "the journal cannot be written", journal_flush(j, error));
    append(j, "{\"a\": 1}\n");
    sn_status status = SN_OK;
    while (status == SN_OK) { // whoever writes next hears of it
        usleep(1000);
        status = journal_append(j, "{\"b\": 1}\n", 9, NULL);
    }
    assert_int_equal(status, SN_IO);
    atomic_store(&disk_is_broken, false);
    journal_close(j, true);
}

static void files_are_whole(void **state) {
    (void)state;
    char path[512], *bytes = NULL;
    size_t size = 0;
    struct stat info;
    snprintf(path, sizeof path, "%s", snt_scratch("file.txt"));
    snt_ok(sn_file_write(path, "one", 3, error));
    chmod(path, 0640);
    snt_ok(sn_file_write(path, "other", 5, error));
    snt_ok(journal_read_file(path, &bytes, &size, error));
    assert_int_equal(size, 5);
    assert_string_equal(bytes, "other");
    free(bytes);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    // Rights that the mask of the process would take away stay, too.
    chmod(path, 0666);
    snt_ok(sn_file_write(path, "other", 5, error));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0666);
    chmod(path, 0444);
    snt_fails(SN_IO, "the file is read only", sn_file_write(path, "third", 5, error));
    chmod(path, 0644);
    snt_fails(SN_IO, "cannot be opened", journal_read_file("/nowhere/x", &bytes, &size, error));
    snt_fails(SN_IO, "cannot write", sn_file_write("/nowhere/x", "a", 1, error));
}

// ---------------------------------------------------------------------------------------------
// What lines say

#define HEADER                                                                                     \
    "{\"journal\": 1, \"path\": \"/p\", \"base\": \"/p\", \"hash\": \"00000000000000ab\", "        \
    "\"text\": \"{\\\"a\\\":  1}\"}\n"
#define STEP(label, forth, back, merged)                                                           \
    "{\"step\": {\"label\": \"" label "\", \"forth\": {\"patch\": [{\"path\": \"/a\", "            \
    "\"value\": " forth "}]}, \"back\": {\"patch\": [{\"path\": \"/a\", \"value\": " back          \
    "}]}}, \"merged\": " merged "}\n"

static const char whole[] =
    HEADER STEP("first", "2", "1", "false") STEP("second", "3", "2", "false")
        STEP("second", "4", "2", "true") "{\"undo\": true}\n"
                                         "{\"redo\": true}\n"
                                         "{\"saved\": {\"path\": \"/p\", \"hash\": "
                                         "\"00000000000000cd\", \"text\": \"ef\"}}\n"
                                         "{\"undo\": true}\n";

static double value_after(sn_context *context, const char *content, size_t size) {
    recovery found;
    snt_ok(recovery_read(context, content, size, &found, error));
    assert_string_equal(found.opened, "{\"a\":  1}");
    assert_non_null(recovery_find(&found, 0xab));
    assert_null(recovery_find(&found, 0xee));
    double value = sn_value_number(sn_json_find(found.document, "/a"), -1);
    recovery_deinit(&found);
    return value;
}

// Cut anywhere, a journal tells everything up to its last whole line.
static void it_may_be_cut_at_every_byte(void **state) {
    (void)state;
    static const double values[] = {1, 2, 3, 4, 2, 4, 4, 2};
    sn_context *context = snt_context(1);
    char *state_folder = folder("cut");
    uint32_t lines = 0;
    for (size_t size = 0; size < sizeof whole; ++size) {
        journal *j = NULL;
        size_t left = 0;
        lines += size > 0 && whole[size - 1] == '\n';
        snt_ok(journal_open(state_folder, "cut", false, &j, error));
        snt_ok(journal_append(j, whole, size, error));
        journal_close(j, false);
        snt_ok(journal_open(state_folder, "cut", false, &j, error));
        const char *content = journal_content(j, &left);
        assert_int_equal(content != NULL, lines > 0);
        if (lines > 0) {
            assert_true(value_after(context, content, left) == values[lines - 1]);
        }
        journal_close(j, true);
    }
    assert_int_equal(lines, 8);
    snt_context_end(context);
}

static void steps_come_back(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    recovery found;
    snt_ok(recovery_read(context, whole, sizeof whole - 1, &found, error));
    assert_int_equal(found.history.count, 2);
    assert_int_equal(found.history.position, 1);
    assert_string_equal(history_to_undo(&found.history)->label, "first");
    assert_string_equal(history_to_redo(&found.history)->label, "second");
    assert_int_equal(recovery_find(&found, 0xcd)->text, 0xef);
    recovery_deinit(&found);
    snt_context_end(context);
}

static void what_nobody_wrote_is_refused(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "",
        "\n",
        "{}\n",
        "{\"journal\": 2, \"text\": \"{}\", \"hash\": \"0\"}\n",
        "{\"journal\": 1, \"text\": \"{}\"}\n",
        "{\"journal\": 1, \"text\": \"{\", \"hash\": \"0\"}\n",
        HEADER "{\"undo\": true}\n",
        HEADER "{\"redo\": true}\n",
        HEADER "{\"step\": {}}\n",
        HEADER "{\"step\": {\"forth\": {\"patch\": [{\"path\": \"/b/c\", \"value\": 1}]}, "
               "\"back\": {\"patch\": []}}}\n",
        HEADER "{\"saved\": {}}\n",
        HEADER "{\"what\": 1}\n",
        HEADER "rubbish\n",
    };
    sn_context *context = snt_context(1);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        recovery found;
        sn_error error = {0};
        assert_int_not_equal(recovery_read(context, wrong[i], strlen(wrong[i]), &found, &error),
                             SN_OK);
        assert_null(found.document);
    }
    snt_context_end(context);
}

static sn_status read_whole(sn_context *context, void *user, sn_error *error) {
    recovery found;
    (void)user;
    sn_status status = recovery_read(context, whole, sizeof whole - 1, &found, error);
    recovery_deinit(&found);
    return status;
}

static void memory_may_run_out(void **state) {
    (void)state;
    snt_fail_allocations(read_whole, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_there_again),
        cmocka_unit_test(another_desk_has_another_journal),
        cmocka_unit_test(a_journal_moves_with_its_document),
        cmocka_unit_test(the_newest_lines_come_first),
        cmocka_unit_test(there_is_always_a_fresh_one),
        cmocka_unit_test(kept_journals_are_all_there),
        cmocka_unit_test(lines_come_to_the_disk),
        cmocka_unit_test(a_disk_that_takes_nothing_is_told),
        cmocka_unit_test(files_are_whole),
        cmocka_unit_test(it_may_be_cut_at_every_byte),
        cmocka_unit_test(steps_come_back),
        cmocka_unit_test(what_nobody_wrote_is_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
