// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "test.h"

#include "base/file.h"
#include "base/scratch.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void write_file(const char *path, const char *text) {
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
}

static void assert_content(sn_context *context, const char *path, const char *expected) {
    char *bytes;
    size_t size;
    snt_ok(sni_file_read(context, path, &bytes, &size, error));
    assert_string_equal(bytes, expected);
    assert_int_equal(size, strlen(expected));
    sni_free(context, bytes);
}

static void reads_whole_files(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const char *path = snt_scratch("plain.txt");
    write_file(path, "some text\n");
    assert_content(context, path, "some text\n");
    write_file(path, "");
    assert_content(context, path, "");
    char *bytes;
    size_t size;
    // No size beforehand.
    snt_ok(sni_file_read(context, "/proc/self/status", &bytes, &size, error));
    assert_true(size > 100 && bytes[size] == 0);
    sni_free(context, bytes);
    snt_fails(SN_IO, "none.txt: cannot open: No such file or directory",
              sni_file_read(context, snt_scratch("none.txt"), &bytes, &size, error));
    snt_fails(SN_IO, "cannot read: Is a directory",
              sni_file_read(context, "/tmp", &bytes, &size, error));
    // Nobody writes to this pipe: opening it must not wait.
    char pipe[512];
    snprintf(pipe, sizeof pipe, "%s", snt_scratch("pipe"));
    assert_int_equal(mkfifo(pipe, 0600), 0);
    snt_fails(SN_IO, "a pipe or a device", sni_file_read(context, pipe, &bytes, &size, error));
    snt_fails(SN_IO, "a pipe or a device",
              sni_file_read(context, "/dev/zero", &bytes, &size, error));
    assert_null(bytes);
    snt_context_end(context);
}

static void output_appears_with_commit(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const char *folder = snt_scratch("fresh"), *path = snt_scratch("fresh/out.txt");
    assert_int_equal(mkdir(folder, 0777), 0);
    sni_output output;
    snt_ok(sni_output_open(NULL, path, &output, error));
    snt_ok(sni_output_write(&output, "ab", 2, error));
    snt_ok(sni_output_write(&output, "12", 2, error));
    assert_int_not_equal(access(path, F_OK), 0);
    snt_ok(sni_output_commit(&output, error));
    assert_content(context, path, "ab12");
    assert_int_equal(snt_count_entries(folder), 1);
    sni_output_close(&output); // safe after commit
    snt_context_end(context);
}

static void giving_up_keeps_the_old_file(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const char *folder = snt_scratch("kept"), *path = snt_scratch("kept/out.txt");
    assert_int_equal(mkdir(folder, 0777), 0);
    write_file(path, "old");
    assert_int_equal(chmod(path, 0640), 0);
    sni_output output;
    snt_ok(sni_output_open(NULL, path, &output, error));
    snt_ok(sni_output_write(&output, "new", 3, error));
    sni_output_close(&output);
    assert_content(context, path, "old");
    assert_int_equal(snt_count_entries(folder), 1);
    // The new one has the mode of the old one.
    snt_ok(sni_output_open(NULL, path, &output, error));
    snt_ok(sni_output_commit(&output, error));
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_content(context, path, "");
    snt_context_end(context);
}

static void says_why_it_cannot_write(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_output output;
    snt_fails(SN_IO, "cannot write: No such file or directory",
              sni_output_open(NULL, snt_scratch("no/such/out.txt"), &output, error));
    const char *folder = snt_scratch("folder");
    assert_int_equal(mkdir(folder, 0777), 0);
    snt_fails(SN_IO, "cannot write: Is a directory", sni_output_open(NULL, folder, &output, error));
    const char *closed = snt_scratch("closed");
    assert_int_equal(mkdir(closed, 0555), 0);
    if (geteuid() != 0) {
        snt_fails(SN_IO, "cannot write: Permission denied",
                  sni_output_open(NULL, snt_scratch("closed/out.txt"), &output, error));
    }
    sni_output_close(&output);
    snt_context_end(context);
}

static void says_when_the_disk_is_full(void **state) {
    (void)state;
    if (access("/dev/full", W_OK) != 0) {
        snt_skip("there is no /dev/full");
    }
    sn_context *context = snt_context(1);
    sni_output output;
    snt_ok(sni_output_open(NULL, "/dev/full", &output, error));
    snt_ok(sni_output_write(&output, "x", 1, error));
    snt_fails(SN_IO, "/dev/full: cannot write: No space left on device",
              sni_output_commit(&output, error));
    snt_context_end(context);
}

static void a_failed_save_keeps_the_old_file(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const char *folder = snt_scratch("failed"), *path = snt_scratch("failed/out.txt");
    assert_int_equal(mkdir(folder, 0777), 0);
    write_file(path, "old");
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){1000, before.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    sni_output output;
    sn_error error = {0};
    sn_status status = sni_output_open(NULL, path, &output, &error);
    for (int i = 0; i < 5000 && status == SN_OK; ++i) {
        status = sni_output_write(&output, "0123456789", 10, &error);
    }
    if (status == SN_OK) {
        status = sni_output_commit(&output, &error);
    }
    sni_output_close(&output);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    snt_fails_at(status, SN_IO, &error, "failed/out.txt: cannot write: File too large", __FILE__,
                 __LINE__);
    assert_content(context, path, "old");
    assert_int_equal(snt_count_entries(folder), 1);
    snt_context_end(context);
}

// As root, renaming a file over /dev/null would break the machine.
static void devices_stay_devices(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_output output;
    snt_ok(sni_output_open(NULL, "/dev/null", &output, error));
    snt_ok(sni_output_write(&output, "x", 1, error));
    snt_ok(sni_output_commit(&output, error));
    struct stat info;
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
    snt_context_end(context);
}

static void links_stay_links(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const char *file = snt_scratch("linked.txt"), *link = snt_scratch("link.txt");
    struct stat info;
    write_file(file, "old");
    assert_int_equal(symlink(file, link), 0);
    snt_ok(sn_file_write(link, "new", 3, error));
    assert_content(context, file, "new");
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    // A link to that link, in another folder.
    const char *folder = snt_scratch("of_links"), *far = snt_scratch("of_links/far.txt");
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_int_equal(symlink(link, far), 0);
    snt_ok(sn_file_write(far, "newer", 5, error));
    assert_content(context, file, "newer");
    assert_int_equal(snt_count_entries(folder), 1);
    snt_context_end(context);
}

static void refuses_links_that_lead_to_no_file(void **state) {
    (void)state;
    const char *folder = snt_scratch("links"), *link = snt_scratch("links/link.txt");
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_int_equal(symlink("nowhere.txt", link), 0);
    snt_fails(SN_IO, "link.txt: cannot write: it is a link to a file that does not exist",
              sn_file_write(link, "x", 1, error));
    unlink(link);
    assert_int_equal(symlink("link.txt", link), 0);
    snt_fails(SN_IO, "cannot write: Too many levels of symbolic links",
              sn_file_write(link, "x", 1, error));
    unlink(link);
    assert_int_equal(symlink(".", link), 0);
    snt_fails(SN_IO, "cannot write: Is a directory", sn_file_write(link, "x", 1, error));
    assert_int_equal(snt_count_entries(folder), 1);
}

static void refuses_read_only_files(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const char *folder = snt_scratch("locked"), *path = snt_scratch("locked/out.txt");
    const char *link = snt_scratch("locked/link.txt");
    FILE *spool;
    assert_int_equal(mkdir(folder, 0777), 0);
    write_file(path, "old");
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(symlink("out.txt", link), 0);
    const char *const paths[] = {path, link};
    for (int i = 0; i < 2; ++i) {
        sn_file_set set = {0};
        char place[SN_FILE_PATH_BYTES];
        snt_fails(SN_IO, "cannot write: the file is read only", sn_file_check(paths[i], error));
        snt_fails(SN_IO, "cannot write: the file is read only",
                  sn_file_write(paths[i], "new", 3, error));
        snt_fails(SN_IO, "the file is read only", sni_spool_open(paths[i], &spool, error));
        snt_ok(sn_file_set_begin(&set, paths[i], error));
        snt_fails(SN_IO, "the file is read only", sn_file_set_place(&set, paths[i], place, error));
        sn_file_set_cancel(&set);
    }
    assert_content(context, path, "old");
    assert_int_equal(snt_count_entries(folder), 2);
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// Sets

static void write_in(const sn_file_set *set, const char *path, const char *text) {
    sni_output output;
    snt_ok(sni_output_open(set, path, &output, error));
    snt_ok(sni_output_write(&output, text, strlen(text), error));
    snt_ok(sni_output_commit(&output, error));
}

static void sets_appear_together(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const char *folder = snt_scratch("set");
    const char *one = snt_scratch("set/one.txt"), *two = snt_scratch("set/two.txt");
    sn_file_set set = {0};
    assert_int_equal(mkdir(folder, 0777), 0);
    write_file(one, "old");
    assert_int_equal(chmod(one, 0640), 0);
    snt_ok(sn_file_set_begin(&set, one, error));
    write_in(&set, one, "first");
    write_in(&set, two, "second");
    assert_content(context, one, "old");
    assert_int_not_equal(access(two, F_OK), 0);
    snt_ok(sn_file_set_commit(&set, true, error));
    assert_content(context, one, "first");
    assert_content(context, two, "second");
    struct stat info;
    assert_int_equal(stat(one, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_int_equal(snt_count_entries(folder), 2);
    // What is in the way, or has become read only meanwhile, keeps all of them out.
    snt_ok(sn_file_set_begin(&set, one, error));
    write_in(&set, snt_scratch("set/new.txt"), "new");
    write_in(&set, one, "third");
    snt_fails(SN_INVALID, "one.txt: already exists", sn_file_set_commit(&set, false, error));
    snt_ok(sn_file_set_begin(&set, one, error));
    write_in(&set, snt_scratch("set/new.txt"), "new");
    write_in(&set, one, "third");
    assert_int_equal(chmod(one, 0440), 0);
    snt_fails(SN_IO, "one.txt: cannot write: the file is read only",
              sn_file_set_commit(&set, true, error));
    assert_content(context, one, "first");
    assert_int_equal(snt_count_entries(folder), 2);
    // A link out of the folder cannot be replaced together with the others.
    assert_int_equal(symlink("../linked.txt", snt_scratch("set/away.txt")), 0);
    write_file(snt_scratch("linked.txt"), "away");
    snt_ok(sn_file_set_begin(&set, one, error));
    char place[SN_FILE_PATH_BYTES];
    snt_fails(SN_IO, "must lie in one folder",
              sn_file_set_place(&set, snt_scratch("set/away.txt"), place, error));
    sn_file_set_cancel(&set);
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// What the dead leave

// A child that writes and is killed; `publishes`: after its set is complete, before any file has
// its name.
static void kill_a_writer(const char *path, const char *other, bool publishes) {
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        sn_file_set set = {0};
        sni_output output, alone;
        sn_error error = {0};
        bool made = sn_file_set_begin(&set, path, &error) == SN_OK &&
                    sni_output_open(&set, path, &output, &error) == SN_OK &&
                    sni_output_write(&output, "new", 3, &error) == SN_OK &&
                    sni_output_commit(&output, &error) == SN_OK &&
                    sni_output_open(&set, other, &output, &error) == SN_OK &&
                    sni_output_commit(&output, &error) == SN_OK &&
                    sni_output_open(NULL, path, &alone, &error) == SN_OK &&
                    sni_output_finish(&alone, &error) == SN_OK &&
                    (!publishes || sni_scratch_complete(set.scratch));
        if (write(ready[1], made ? "y" : "n", 1) == 1) {
            pause();
        }
        _exit(1);
    }
    char answer = 0;
    assert_int_equal(read(ready[0], &answer, 1), 1);
    assert_int_equal(answer, 'y');
    // While it lives nothing of it is touched.
    char folder[SN_FILE_PATH_BYTES];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    int before = snt_count_entries(folder);
    sni_scratch_clean(folder);
    assert_int_equal(snt_count_entries(folder), before);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(ready[0]);
    close(ready[1]);
}

static void the_next_writer_cleans_up(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const char *folder = snt_scratch("dead"), *path = snt_scratch("dead/out.txt");
    const char *other = snt_scratch("dead/other.txt"), *mine = snt_scratch("dead/mine.txt");
    assert_int_equal(mkdir(folder, 0777), 0);
    write_file(path, "old");
    kill_a_writer(path, other, false);
    assert_int_equal(snt_count_entries(folder), 3);
    snt_ok(sn_file_write(mine, "x", 1, error));
    assert_int_equal(snt_count_entries(folder), 2);
    assert_content(context, path, "old");
    // A set that was complete gets its names.
    kill_a_writer(path, other, true);
    assert_content(context, path, "old");
    snt_ok(sn_file_write(mine, "x", 1, error));
    assert_content(context, path, "new");
    assert_content(context, other, "");
    assert_int_equal(snt_count_entries(folder), 3);
    // Names that only look alike are someone else's.
    write_file(snt_scratch("dead/.sinew-1-2.tmp.txt"), "x");
    write_file(snt_scratch("dead/.sinew-a-2.tmp"), "x");
    snt_ok(sn_file_write(mine, "x", 1, error));
    assert_int_equal(snt_count_entries(folder), 5);
    snt_context_end(context);
}

static void assert_text(sn_context *context, char *text, const char *expected) {
    assert_string_equal(text, expected);
    sni_free(context, text);
}

static void paths(void **state) {
    (void)state;
    sn_context *c = snt_context(1);
    assert_string_equal(sni_path_name("/a/b.c"), "b.c");
    assert_string_equal(sni_path_name("b"), "b");
    assert_string_equal(sni_path_name("a/"), "");
    assert_string_equal(sni_path_extension("x.tar.gz"), ".gz");
    assert_string_equal(sni_path_extension("a.b/c"), "");
    assert_true(sni_path_has_extension("A.GLB", ".glb"));
    assert_false(sni_path_has_extension("A.GLB", ".gltf"));
    assert_text(c, sni_path_beside(c, "d/doc.json", "m.obj"), "d/m.obj");
    assert_text(c, sni_path_beside(c, "doc.json", "m.obj"), "m.obj");
    assert_text(c, sni_path_beside(c, "d/doc.json", "/m.obj"), "/m.obj");
    assert_text(c, sni_path_relative(c, "/a/b/doc.json", "/a/b/m.obj"), "m.obj");
    assert_text(c, sni_path_relative(c, "/a/b/doc.json", "/a/c/m.obj"), "../c/m.obj");
    assert_text(c, sni_path_relative(c, "/a/b/doc.json", "/x"), "../../x");
    assert_text(c, sni_path_relative(c, "/a/b/doc.json", "/a/bc/m"), "../bc/m");
    assert_text(c, sni_path_relative(c, "/a/./b/../doc.json", "/a//m.obj"), "m.obj");
    assert_text(c, sni_path_relative(c, "doc.json", "sub/m.obj"), "sub/m.obj");
    assert_text(c, sni_path_relative(c, "sub/doc.json", "m.obj"), "../m.obj");
    assert_text(c, sni_path_relative(c, "/../../doc.json", "/m.obj"), "m.obj");
    snt_context_end(c);
}

// What is beside the document under its relative name is the file itself.
static void names_from_strangers_stay_inside(void **state) {
    (void)state;
    sn_context *c = snt_context(1);
    char base[512], below[512], link[512];
    snprintf(base, sizeof base, "%s", snt_scratch("model/m.gltf"));
    snprintf(below, sizeof below, "%s", snt_scratch("model/parts"));
    snprintf(link, sizeof link, "%s", snt_scratch("model/parts/link.bin"));
    assert_int_equal(mkdir(snt_scratch("model"), 0700), 0);
    assert_int_equal(mkdir(below, 0700), 0);
    write_file(snt_scratch("secret.bin"), "secret");
    write_file(snt_scratch("model/a.bin"), "a");
    static const char *const inside[] = {"a.bin", "./a.bin", "parts/../a.bin", "parts/none.bin",
                                         "..a/none.bin"};
    for (size_t i = 0; i < sizeof inside / sizeof *inside; ++i) {
        char *path;
        snt_ok(sni_path_inside(c, base, inside[i], &path, error));
        assert_string_equal(path + strlen(path) - strlen(inside[i]), inside[i]);
        sni_free(c, path);
    }
    static const char *const outside[] = {"..", "../secret.bin", "parts/../../secret.bin",
                                          "../model/a.bin", "/etc/passwd"};
    char *path;
    for (size_t i = 0; i < sizeof outside / sizeof *outside; ++i) {
        snt_fails(SN_IO, "is outside of the file's folder",
                  sni_path_inside(c, base, outside[i], &path, error));
        assert_null(path);
    }
    // Links are judged by where they lead.
    assert_int_equal(symlink("../a.bin", link), 0);
    snt_ok(sni_path_inside(c, base, "parts/link.bin", &path, error));
    sni_free(c, path);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink("../../secret.bin", link), 0);
    snt_fails(SN_IO, "\"parts/link.bin\" is not read: it is a link out of the file's folder",
              sni_path_inside(c, base, "parts/link.bin", &path, error));
    snt_context_end(c);
}

static void relative_paths_lead_back(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    assert_int_equal(mkdir(snt_scratch("one"), 0777), 0);
    assert_int_equal(mkdir(snt_scratch("two"), 0777), 0);
    const char *document = snt_scratch("one/doc.json"), *mesh = snt_scratch("two/mesh.obj");
    write_file(mesh, "mesh");
    char *relative = sni_path_relative(context, document, mesh);
    char *again = sni_path_beside(context, document, relative);
    assert_string_equal(relative, "../two/mesh.obj");
    assert_content(context, again, "mesh");
    sni_free(context, relative);
    sni_free(context, again);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    const char *path = user;
    sn_status status = SN_OK;
    sni_output output = {0};
    char *bytes = NULL, *relative = NULL;
    size_t size;
    SN_TRY(sni_output_open(NULL, path, &output, error));
    SN_TRY(sni_output_write(&output, "text", 4, error));
    SN_TRY(sni_output_commit(&output, error));
    SN_TRY(sni_file_read(context, path, &bytes, &size, error));
    relative = sni_path_relative(context, "a/b", path);
    status = relative != NULL ? SN_OK : sni_fail_memory(error);
cleanup:
    sni_free(context, bytes);
    sni_free(context, relative);
    sni_output_close(&output);
    return status;
}

static void survives_failing_allocations(void **state) {
    (void)state;
    char path[4096];
    snprintf(path, sizeof path, "%s", snt_scratch("limited.txt"));
    snt_fail_allocations(attempt, path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_whole_files),
        cmocka_unit_test(output_appears_with_commit),
        cmocka_unit_test(giving_up_keeps_the_old_file),
        cmocka_unit_test(says_why_it_cannot_write),
        cmocka_unit_test(says_when_the_disk_is_full),
        cmocka_unit_test(a_failed_save_keeps_the_old_file),
        cmocka_unit_test(devices_stay_devices),
        cmocka_unit_test(links_stay_links),
        cmocka_unit_test(refuses_links_that_lead_to_no_file),
        cmocka_unit_test(refuses_read_only_files),
        cmocka_unit_test(sets_appear_together),
        cmocka_unit_test(the_next_writer_cleans_up),
        cmocka_unit_test(paths),
        cmocka_unit_test(names_from_strangers_stay_inside),
        cmocka_unit_test(relative_paths_lead_back),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
