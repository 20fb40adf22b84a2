// SPDX-License-Identifier: Apache-2.0
//
// Saving: what appears under the document's name is complete, or what was there before.
#define _GNU_SOURCE
#include "documents.h"

#include "sinew/eval.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char triangle[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

static void make_folder(const char *name) {
    mkdir(snt_scratch(name), 0777);
}

static const char *file_of(sn_character *character, const char *path) {
    return sn_value_string(sn_json_find(sn_character_document(character), path), "");
}

static void keeps_its_files_when_it_moves(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    make_folder("here");
    make_folder("here/meshes");
    make_folder("there");
    make_folder("there/deep");
    write_text(snt_scratch("here/meshes/body.obj"), triangle);
    char absolute[2048], text[4096];
    snprintf(absolute, sizeof absolute, "%s", snt_scratch("here/meshes/body.obj"));
    snprintf(text, sizeof text,
             "{'sinew': 1, 'name': 'a', 'meshes': {'body': {'file': 'meshes/body.obj'},\n"
             "'same': {'file': './meshes/../meshes/body.obj'}, 'absolute': {'file': '%s'},\n"
             "'given': {}}, 'skins': {'body': {'mesh': 'body'}},\n"
             "'clips': {'walk': {'file': '../there/walk.bvh'}, 'still': {'tracks': {}}}}",
             absolute);
    sn_character *character;
    const sn_mesh *mesh;
    snt_ok(parse_quoted(context, snt_scratch("here/a.sinew.json"), text, &character, error));
    // Within the folder, however it is written, paths stay as they are.
    snt_ok(sn_character_save(character, snt_scratch("here/a.sinew.json"), error));
    snt_ok(sn_character_save(character, snt_scratch("there/../here/./b.sinew.json"), error));
    assert_string_equal(file_of(character, "/meshes/body/file"), "meshes/body.obj");
    assert_string_equal(file_of(character, "/meshes/same/file"), "./meshes/../meshes/body.obj");
    // Elsewhere they are written anew.
    snt_ok(sn_character_save(character, snt_scratch("there/deep/c.sinew.json"), error));
    assert_string_equal(file_of(character, "/meshes/body/file"), "../../here/meshes/body.obj");
    assert_string_equal(file_of(character, "/meshes/same/file"), "../../here/meshes/body.obj");
    assert_string_equal(file_of(character, "/meshes/absolute/file"), absolute);
    assert_string_equal(file_of(character, "/clips/walk/file"), "../walk.bvh");
    assert_string_equal(sn_character_path(character), snt_scratch("there/deep/c.sinew.json"));
    snt_ok(sn_character_mesh(character, "body", &mesh, error));
    assert_int_equal(mesh->vertex_count, 3);
    sn_character_destroy(character);
    // What lies on the disk means the same.
    snt_ok(sn_character_load(context, snt_scratch("there/deep/c.sinew.json"), &character, error));
    snt_ok(sn_character_mesh(character, "same", &mesh, error));
    assert_int_equal(mesh->vertex_count, 3);
    snt_ok(sn_character_save(character, snt_scratch("here/d.sinew.json"), error));
    assert_string_equal(file_of(character, "/meshes/body/file"), "meshes/body.obj");
    sn_character_destroy(character);
    snt_context_end(context);
}

static void takes_relative_paths_of_a_new_one_as_they_are(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    make_folder("new");
    write_text(snt_scratch("new/body.obj"), triangle);
    sn_character *character;
    snt_ok(sn_character_create(context, "new", &character, error));
    sn_json *document = sn_character_document(character);
    sn_value *meshes = sn_json_add_object(document, sn_json_root(document), "meshes");
    sn_json_add_string(document, sn_json_add_object(document, meshes, "body"), "file", "body.obj");
    snt_ok(sn_character_save(character, snt_scratch("new/a.sinew.json"), error));
    assert_string_equal(file_of(character, "/meshes/body/file"), "body.obj");
    const sn_mesh *mesh;
    snt_ok(sn_character_mesh(character, "body", &mesh, error));
    sn_character_destroy(character);
    snt_context_end(context);
}

static char *document_text(sn_character *character) {
    char *text;
    size_t size;
    snt_ok(sn_json_write(sn_character_document(character), &text, &size, error));
    return text;
}

// Saving fails: the file that is there, the document and its path stay as they were.
static void expect_unchanged_by(sn_context *context, const char *target, sn_status status,
                                const char *message) {
    const char *home = snt_scratch("old/a.sinew.json");
    sn_character *character;
    snt_ok(parse_quoted(context, home,
                        "{'sinew': 1, 'name': 'old', 'meshes': {'m': {'file': 'm.obj'}}}",
                        &character, error));
    snt_ok(sn_character_save(character, home, error));
    size_t size;
    char *file_before = read_bytes(home, &size);
    char *before = document_text(character);
    snt_fails(status, message, sn_character_save(character, target, error));
    char *after = document_text(character), *file_after = read_bytes(home, &size);
    assert_string_equal(after, before);
    assert_string_equal(file_after, file_before);
    assert_string_equal(sn_character_path(character), home);
    free(file_before);
    free(file_after);
    sn_json_free_text(context, before);
    sn_json_free_text(context, after);
    sn_character_destroy(character);
}

static void leaves_all_as_it_was_when_it_fails(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    make_folder("old");
    make_folder("other");
    make_folder("other/folder");
    expect_unchanged_by(context, snt_scratch("none/a.sinew.json"), SN_IO,
                        "none/a.sinew.json: cannot write: No such file or directory");
    expect_unchanged_by(context, snt_scratch("other/folder"), SN_IO,
                        "other/folder: cannot write: Is a directory");
    expect_unchanged_by(context, "/dev/full/a.sinew.json", SN_IO, "cannot write: Not a directory");
    // Nobody may write there, not even who may do everything.
    expect_unchanged_by(context, "/proc/a.sinew.json", SN_IO, "/proc/a.sinew.json: cannot write");
    assert_int_equal(snt_count_entries(snt_scratch("other")), 1);
    assert_int_equal(snt_count_entries(snt_scratch("old")), 1);
    snt_context_end(context);
}

static sn_status save_elsewhere(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_character *character;
    sn_status status = parse_quoted(
        context, snt_scratch("old/a.sinew.json"),
        "{'sinew': 1, 'name': 'a', 'meshes': {'m': {'file': 'm.obj'}, 'n': {'file': 'n.obj'}}}",
        &character, error);
    if (status != SN_OK) {
        return status;
    }
    status = sn_character_save(character, snt_scratch("other/b.sinew.json"), error);
    const char *expected = status == SN_OK ? "../old/m.obj" : "m.obj";
    assert_string_equal(file_of(character, "/meshes/m/file"), expected);
    sn_character_destroy(character);
    return status;
}

static void survives_running_out_of_memory(void **state) {
    (void)state;
    make_folder("old");
    make_folder("other");
    snt_fail_allocations(save_elsewhere, NULL);
}

static void keeps_the_mode_of_the_file(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character;
    const char *path = snt_scratch("mode.sinew.json");
    snt_ok(sn_character_create(context, "mode", &character, error));
    snt_ok(sn_character_save(character, path, error));
    assert_int_equal(chmod(path, 0640), 0);
    snt_ok(sn_character_save(character, path, error));
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    sn_character_destroy(character);
    snt_context_end(context);
}

// --- Killed in the middle

enum { VERSIONS = 2, CONTROLS = 2000 };

// A document of a few pages, so that writing it takes a while; all its numbers say its version.
static sn_character *make_version(sn_context *context, int version) {
    sn_character *character = NULL;
    snt_ok(sn_character_create(context, "version", &character, error));
    sn_json *document = sn_character_document(character);
    sn_value *controls = sn_json_add_object(document, sn_json_root(document), "controls");
    for (int i = 0; i < CONTROLS; ++i) {
        char name[32];
        snprintf(name, sizeof name, "control %d", i);
        sn_value *control = sn_json_add_object(document, controls, name);
        sn_json_add_number(document, control, "high", version + 1);
    }
    return character;
}

static _Noreturn void save_for_ever(const char *path) {
    sn_context *context = snt_context(1);
    sn_character *versions[VERSIONS];
    for (int i = 0; i < VERSIONS; ++i) {
        versions[i] = make_version(context, i);
    }
    for (unsigned i = 0;; ++i) {
        sn_character_save(versions[i % VERSIONS], path, NULL);
    }
}

static void is_never_seen_half_written(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    char path[2048];
    make_folder("killed");
    snprintf(path, sizeof path, "%s", snt_scratch("killed/a.sinew.json"));
    char *complete[VERSIONS];
    for (int i = 0; i < VERSIONS; ++i) {
        sn_character *character = make_version(context, i);
        snt_ok(sn_character_save(character, path, error));
        complete[i] = document_text(character);
        sn_character_destroy(character);
    }
    snt_random random = {.state = 20};
    for (int round = 0; round < 50; ++round) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            save_for_ever(path);
        }
        usleep((useconds_t)snt_random_range(&random, 4000, 30000));
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        size_t size;
        char *found = read_bytes(path, &size);
        bool whole = false;
        for (int i = 0; i < VERSIONS; ++i) {
            whole = whole || strcmp(found, complete[i]) == 0;
        }
        assert_true(whole);
        free(found);
    }
    for (int i = 0; i < VERSIONS; ++i) {
        sn_json_free_text(context, complete[i]);
    }
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_its_files_when_it_moves),
        cmocka_unit_test(takes_relative_paths_of_a_new_one_as_they_are),
        cmocka_unit_test(leaves_all_as_it_was_when_it_fails),
        cmocka_unit_test(survives_running_out_of_memory),
        cmocka_unit_test(keeps_the_mode_of_the_file),
        cmocka_unit_test(is_never_seen_half_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
