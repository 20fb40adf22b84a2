// SPDX-License-Identifier: Apache-2.0
//
// Folders, opening, saving, uploads and the list of recent files, as pages see them.
#include "page.h"

#include "document/sweep.h"
#include "files/folder.h"
#include "files/recent.h"

#include <fcntl.h>

static const char *small_document =
    "{\n  \"sinew\": 1,\n  \"name\": \"small\",\n  \"skeleton\": {\"root\": {}}\n}\n";

static const sn_value *find_entry(const sn_value *entries, const char *name) {
    for (uint32_t i = 0; i < sn_value_count(entries); ++i) {
        const sn_value *entry = sn_value_at(entries, i);
        if (strcmp(sn_value_string(sn_value_get(entry, "name"), ""), name) == 0) {
            return entry;
        }
    }
    return NULL;
}

static const char *text_of(const sn_value *object, const char *key) {
    return sn_value_string(sn_value_get(object, key), "");
}

static void folders_are_listed(void **state) {
    snt_page *p = *state;
    static const struct {
        const char *name, *kind;
    } files[] = {{"b.sinew.json", "document"}, {"A.glb", "model"},    {"c.OBJ", "model"},
                 {"d.bvh", "motion"},          {"e.mot", "motion"},   {"f.osim", "model"},
                 {"g.txt", "other"},           {"data.json", "other"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        put_text(in_folder(p, files[i].name), "12345");
    }
    put_text(in_folder(p, ".hidden"), "x");
    mkdir(in_folder(p, "z folder"), 0777);
    mkdir(in_folder(p, "bones"), 0777);
    put_text(in_folder(p, "bones/index.csv"), "name, \"kind\" ,file\r\n");
    // Other folders have lists of that name, too.
    mkdir(in_folder(p, "mocap"), 0777);
    put_text(in_folder(p, "mocap/index.csv"), "file,motion,mankind\nwalk.bvh,kind,x\n");
    sn_json *answer = page_call(p, "{'do': 'files', 'folder': '%s'}", p->folder);
    const sn_value *entries = sn_json_find(answer, "/ok/entries");
    assert_int_equal(sn_value_count(entries), sizeof files / sizeof *files + 3);
    assert_null(sn_value_get(find_entry(entries, "mocap"), "anatomy"));
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        const sn_value *entry = find_entry(entries, files[i].name);
        assert_string_equal(text_of(entry, "kind"), files[i].kind);
        assert_int_equal(sn_value_number(sn_value_get(entry, "size"), 0), 5);
        assert_true(sn_value_number(sn_value_get(entry, "when"), 0) > 1e9);
    }
    assert_string_equal(text_of(sn_value_at(entries, 0), "name"), "bones");
    assert_true(sn_value_bool(sn_value_get(sn_value_at(entries, 0), "anatomy"), false));
    assert_string_equal(text_of(sn_value_at(entries, 2), "name"), "z folder");
    assert_string_equal(text_of(sn_value_at(entries, 3), "name"), "A.glb");
    assert_string_equal(text_of(sn_json_find(answer, "/ok"), "folder"), p->folder);
    assert_int_equal(sn_json_find(answer, "/ok/parent")->type, SN_JSON_NULL);
    sn_json_destroy(answer);
    answer = page_call(p, "{'do': 'files', 'folder': '%s'}", in_folder(p, "bones"));
    assert_string_equal(text_of(sn_json_find(answer, "/ok"), "parent"), p->folder);
    sn_json_destroy(answer);
    answer = page_call(p, "{'do': 'files'}");
    assert_string_equal(text_of(sn_json_find(answer, "/ok"), "folder"), p->folder);
    sn_json_destroy(answer);
    page_fails(p, "outside the folders", "{'do': 'files', 'folder': '%s/..'}", p->folder);
    page_fails(p, "sinew studio --root /`", "{'do': 'files', 'folder': '/'}");
    // A path that someone pasted: of a file, or of a folder.
    answer = page_call(p, "{'do': 'files', 'path': '%s'}", in_folder(p, "bones/index.csv"));
    assert_string_equal(text_of(sn_json_find(answer, "/ok"), "folder"), in_folder(p, "bones"));
    assert_string_equal(text_of(sn_json_find(answer, "/ok"), "file"), "index.csv");
    sn_json_destroy(answer);
    answer = page_call(p, "{'do': 'files', 'path': '%s'}", in_folder(p, "bones"));
    assert_string_equal(text_of(sn_json_find(answer, "/ok"), "folder"), in_folder(p, "bones"));
    assert_int_equal(sn_json_find(answer, "/ok/file")->type, SN_JSON_NULL);
    sn_json_destroy(answer);
    page_fails(p, "does not exist", "{'do': 'files', 'folder': '%s'}", in_folder(p, "none"));
}

static void nothing_outside_is_touched(void **state) {
    snt_page *p = *state;
    char outside[1200];
    snprintf(outside, sizeof outside, "%s-outside.sinew.json", p->folder);
    put_text(outside, small_document);
    assert_int_equal(symlink(outside, in_folder(p, "link.sinew.json")), 0);
    page_fails(p, "outside", "{'do': 'open', 'slot': 0, 'path': '%s'}", outside);
    page_fails(p, "outside", "{'do': 'open', 'slot': 0, 'path': '%s'}",
               in_folder(p, "link.sinew.json"));
    page_ok(p, "{'do': 'open_example', 'slot': 0, 'name': 'arm'}");
    static const char *const requests[] = {
        "{'do': 'save_as', 'slot': 0, 'path': '%s', 'replace': true}",
        "{'do': 'export', 'slot': 0, 'path': '%s.glb'}",
        "{'do': 'picture', 'slot': 0, 'path': '%s.png'}",
        "{'do': 'extract', 'slot': 0, 'path': '%s.glb'}",
        "{'do': 'driver_mesh', 'slot': 0, 'path': '%s.glb'}",
        "{'do': 'import', 'slot': 1, 'path': '%s'}",
    };
    for (size_t i = 0; i < sizeof requests / sizeof *requests; ++i) {
        char *text = NULL;
        assert_true(asprintf(&text, requests[i], outside) >= 0);
        page_fails(p, "outside the folders", "%s", text);
        free(text);
    }
    page_fails(p, "outside", "{'do': 'save_as', 'slot': 0, 'path': '%s', 'replace': true}",
               in_folder(p, "link.sinew.json"));
    page_fails(p, "outside",
               "{'do': 'import', 'slot': 1, 'path': '%s', 'options': {'report': '%s'}}", p->folder,
               outside);
    page_fails(p, "no shipped character", "{'do': 'open_example', 'slot': 0, 'name': '../arm'}");
    page_fails(p, "no shipped character", "{'do': 'open_example', 'slot': 0, 'name': '..'}");
    page_fails(p, "read only", "{'do': 'save_as', 'slot': 0, 'path': '%s'}",
               snt_source("examples/arm/new.sinew.json"));
    char *text = get_text(outside);
    assert_string_equal(text, small_document);
    free(text);
    remove(outside);
}

static void saving_gives_back_the_bytes(void **state) {
    snt_page *p = *state;
    put_text(in_folder(p, "small.sinew.json"), small_document);
    page_ok(p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(p, "small.sinew.json"));
    page_ok(p, "{'do': 'save', 'slot': 0}");
    char *text = get_text(in_folder(p, "small.sinew.json"));
    assert_string_equal(text, small_document);
    free(text);
    sn_json *answer =
        page_call(p, "{'do': 'save_as', 'slot': 0, 'path': '%s'}", in_folder(p, "other"));
    assert_string_equal(sn_value_string(sn_json_find(answer, "/ok/path"), ""),
                        in_folder(p, "other.sinew.json"));
    sn_json_destroy(answer);
    assert_true(snt_same_bytes(in_folder(p, "small.sinew.json"), in_folder(p, "other.sinew.json")));
    // Nothing but the two documents.
    assert_int_equal(snt_count_entries(p->folder), 2);
}

static void saving_never_loses(void **state) {
    snt_page *p = *state;
    const char *other = "{\n  \"sinew\": 1,\n  \"name\": \"other\",\n  \"skeleton\": {}\n}\n";
    put_text(in_folder(p, "a.sinew.json"), small_document);
    put_text(in_folder(p, "b.sinew.json"), other);
    page_ok(p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(p, "a.sinew.json"));
    page_ok(p, "{'do': 'edit', 'slot': 0, 'label': 'x', 'ops': [{'path': '/about', 'value': "
               "'mine'}]}");
    // A file that was never opened here.
    sn_json *answer =
        page_call(p, "{'do': 'save_as', 'slot': 0, 'path': '%s'}", in_folder(p, "b.sinew.json"));
    assert_non_null(error_of(answer));
    sn_json_destroy(answer);
    char *text = get_text(in_folder(p, "b.sinew.json"));
    assert_string_equal(text, other);
    free(text);
    // One that changed on disk meanwhile.
    put_text(in_folder(p, "a.sinew.json"), other);
    answer = page_call(p, "{'do': 'save', 'slot': 0}");
    assert_non_null(error_of(answer));
    sn_json_destroy(answer);
    text = get_text(in_folder(p, "a.sinew.json"));
    assert_string_equal(text, other);
    free(text);
    page_ok(p, "{'do': 'save', 'slot': 0, 'replace': true}");
    text = get_text(in_folder(p, "a.sinew.json"));
    assert_non_null(strstr(text, "mine"));
    free(text);
    assert_int_equal(snt_count_entries(p->folder), 2);
}

static void wrong_files_leave_the_slot(void **state) {
    snt_page *p = *state;
    put_text(in_folder(p, "bad.sinew.json"), "{\"sinew\": 1, \"name\": 7}");
    put_text(in_folder(p, "bad.glb"), "no model");
    put_text(in_folder(p, "note.txt"), "no model");
    put_text(in_folder(p, "good.sinew.json"), small_document);
    page_ok(p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(p, "good.sinew.json"));
    static const char *const names[] = {"bad.sinew.json", "bad.glb", "note.txt", "none.glb"};
    for (size_t i = 0; i < 4; ++i) {
        sn_json *answer =
            page_call(p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(p, names[i]));
        assert_non_null(error_of(answer));
        assert_non_null(
            strstr(sn_value_string(sn_json_find(answer, "/error/source"), ""), names[i]));
        sn_json_destroy(answer);
    }
    sn_json *saved = page_saved(p, 0, "saved.sinew.json");
    assert_string_equal(sn_value_string(sn_json_find(saved, "/name"), ""), "small");
    sn_json_destroy(saved);
    page_fails(p, "slot", "{'do': 'open', 'slot': 2, 'path': '%s'}", in_folder(p, "x.sinew.json"));
    page_fails(p, "path", "{'do': 'open', 'slot': 0}");
    page_fails(p, "path", "{'do': 'open', 'slot': 0, 'path': 7}");
}

static void a_model_becomes_a_document(void **state) {
    snt_page *p = *state;
    copy_file(snt_source("examples/arm/arm.glb"), in_folder(p, "arm.glb"));
    page_ok(p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(p, "arm.glb"));
    page_fails(p, "no file yet", "{'do': 'save', 'slot': 0}");
    sn_json *saved = page_saved(p, 0, "made.sinew.json");
    sn_import *import = NULL;
    sn_character *character = NULL;
    snt_ok(sn_import_file(p->context, in_folder(p, "arm.glb"), &import, error));
    snt_ok(sn_character_from_import(import, in_folder(p, "arm.glb"),
                                    in_folder(p, "expected.sinew.json"), &character, error));
    snt_ok(sn_character_save(character, in_folder(p, "expected.sinew.json"), error));
    assert_true(
        snt_same_bytes(in_folder(p, "made.sinew.json"), in_folder(p, "expected.sinew.json")));
    sn_character_destroy(character);
    sn_import_destroy(import);
    sn_json_destroy(saved);
}

static void an_example_is_saved_elsewhere(void **state) {
    snt_page *p = *state;
    page_ok(p, "{'do': 'open_example', 'slot': 0, 'name': 'arm'}");
    page_fails(p, "no file yet", "{'do': 'save', 'slot': 0}");
    sn_json *saved = page_saved(p, 0, "mine.sinew.json");
    sn_json_destroy(saved);
    // The model can be made there, too.
    sn_character *character = NULL;
    sn_model *model = NULL;
    snt_ok(sn_character_load(p->context, in_folder(p, "mine.sinew.json"), &character, error));
    snt_ok(sn_model_create(character, NULL, &model, error));
    sn_model_destroy(model);
    sn_character_destroy(character);
    page_ok(p, "{'do': 'close', 'slot': 0}");
    page_fails(p, "no document", "{'do': 'save', 'slot': 0}");
}

// Other users of the machine need not know what is worked on.
static void what_the_studio_keeps_is_private(void **state) {
    snt_page *p = *state;
    char uploads[1200];
    struct stat info;
    snprintf(uploads, sizeof uploads, "%s/uploads", p->state);
    assert_int_equal(stat(p->state, &info), 0);
    assert_int_equal(info.st_mode & 0077, 0);
    assert_int_equal(stat(uploads, &info), 0);
    assert_int_equal(info.st_mode & 0077, 0);
}

// A file that someone locked is not replaced, whoever asks, and by no job either.
static void a_read_only_file_stays(void **state) {
    snt_page *p = *state;
    put_text(in_folder(p, "a.sinew.json"), small_document);
    page_ok(p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(p, "a.sinew.json"));
    page_ok(p, "{'do': 'edit', 'slot': 0, 'ops': [{'path': '/about', 'value': 'x'}]}");
    put_text(in_folder(p, "a.glb"), "locked");
    chmod(in_folder(p, "a.sinew.json"), 0444);
    chmod(in_folder(p, "a.glb"), 0444);
    page_fails(p, "read only", "{'do': 'save', 'slot': 0}");
    page_fails(p, "read only", "{'do': 'save', 'slot': 0, 'replace': true}");
    page_fails(p, "read only", "{'do': 'export', 'slot': 0, 'path': '%s', 'replace': true}",
               in_folder(p, "a.glb"));
    char *text = get_text(in_folder(p, "a.sinew.json"));
    assert_string_equal(text, small_document);
    free(text);
    chmod(in_folder(p, "a.sinew.json"), 0664);
    page_ok(p, "{'do': 'save', 'slot': 0}");
    struct stat info;
    assert_int_equal(stat(in_folder(p, "a.sinew.json"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0664);
}

static bool matches_document(const sn_value *message, const void *wanted) {
    return matches_event(message, "document") && strcmp(text_of(message, "path"), wanted) == 0;
}

static void the_first_path_begins_where_the_program_was_started(void **state) {
    snt_page *p = *state;
    char before[4096];
    mkdir(in_folder(p, "sub"), 0777);
    put_text(in_folder(p, "sub/a.sinew.json"), small_document);
    put_text(in_folder(p, "sub/b.sinew.json"), small_document);
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(in_folder(p, "sub")), 0);
    desk_open_first(p->desk, 0, "a.sinew.json");
    desk_open_first(p->desk, 1, "b.sinew.json");
    assert_int_equal(chdir(before), 0);
    const char *const names[] = {"sub/a.sinew.json", "sub/b.sinew.json"};
    for (uint32_t i = 0; i < 2; ++i) {
        sn_json *event = page_wait(p, matches_document, in_folder(p, names[i]), "the document");
        assert_int_equal(sn_value_number(sn_json_find(event, "/slot"), -1), i);
        sn_json_destroy(event);
    }
}

static void a_copy_stands_beside(void **state) {
    snt_page *p = *state;
    page_fails(p, "no document", "{'do': 'compare'}");
    put_text(in_folder(p, "a.sinew.json"), small_document);
    page_ok(p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(p, "a.sinew.json"));
    page_ok(p, "{'do': 'compare'}");
    page_ok(p, "{'do': 'edit', 'slot': 1, 'label': 'x', 'ops': [{'path': '/about', 'value': "
               "'two'}]}");
    page_fails(p, "no file yet", "{'do': 'save', 'slot': 1}");
    sn_json *first = page_saved(p, 0, "one.sinew.json");
    sn_json *second = page_saved(p, 1, "two.sinew.json");
    assert_null(sn_json_find(first, "/about"));
    assert_string_equal(sn_value_string(sn_json_find(second, "/about"), ""), "two");
    page_ok(p, "{'do': 'close', 'slot': 0}");
    page_ok(p, "{'do': 'compare'}");
    sn_json *back = page_saved(p, 0, "back.sinew.json");
    assert_string_equal(sn_value_string(sn_json_find(back, "/about"), ""), "two");
    sn_json_destroy(back);
    sn_json_destroy(first);
    sn_json_destroy(second);
}

static bool matches_last(const sn_value *message, const void *wanted) {
    return matches_event(message, "time") &&
           sn_value_number(sn_value_get(message, "last"), -1) == *(const double *)wanted;
}

// One playhead for both: it goes as far as the longer clip, for as long as that is there.
static void the_playhead_hears_that_the_second_one_is_closed(void **state) {
    snt_page *p = *state;
    static const double both = 96, first = 60;
    page_ok(p, "{'do': 'open_example', 'slot': 0, 'name': 'arm'}");
    page_ok(p, "{'do': 'open_example', 'slot': 1, 'name': 'rex'}");
    sn_json_destroy(page_wait(p, matches_last, &both, "the longer clip"));
    page_forget(p);
    page_ok(p, "{'do': 'close', 'slot': 1}");
    sn_json_destroy(page_wait(p, matches_last, &first, "the clip that is left"));
}

// ---------------------------------------------------------------------------------------------

static void recent_files_are_remembered(void **state) {
    snt_page *p = *state;
    sn_json *json = NULL;
    char list[1200];
    snprintf(list, sizeof list, "%s/recent.json", p->state);
    for (int i = 0; i < RECENT_LIMIT + 5; ++i) {
        char name[64];
        snprintf(name, sizeof name, "%d.sinew.json", i);
        put_text(in_folder(p, name), small_document);
        page_ok(p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(p, name));
    }
    page_ok(p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(p, "10.sinew.json"));
    remove(in_folder(p, "20.sinew.json"));
    snt_ok(sn_json_create(p->context, &json, error));
    snt_ok(recent_add(p->context, p->state, json, sn_json_root(json), "recent", error));
    const sn_value *recent = sn_json_find(json, "/recent");
    assert_int_equal(sn_value_count(recent), RECENT_LIMIT);
    assert_string_equal(text_of(sn_value_at(recent, 0), "path"), in_folder(p, "10.sinew.json"));
    assert_string_equal(text_of(sn_value_at(recent, 1), "path"), in_folder(p, "24.sinew.json"));
    assert_string_equal(text_of(sn_value_at(recent, 0), "name"), "small");
    for (uint32_t i = 0; i < RECENT_LIMIT; ++i) {
        const sn_value *entry = sn_value_at(recent, i);
        bool gone = strstr(text_of(entry, "path"), "/20.sinew.json") != NULL;
        assert_int_equal(sn_value_bool(sn_value_get(entry, "missing"), !gone), gone);
    }
    sn_json_destroy(json);
    // A list that is no list is begun anew.
    put_text(list, "{broken");
    page_ok(p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(p, "3.sinew.json"));
    snt_ok(sn_json_create(p->context, &json, error));
    snt_ok(recent_add(p->context, p->state, json, sn_json_root(json), "recent", error));
    assert_int_equal(sn_value_count(sn_json_find(json, "/recent")), 1);
    sn_json_destroy(json);
}

static void the_welcome_lists_what_there_is(void **state) {
    snt_page *p = *state;
    sn_json *welcome = page_event(p, "welcome");
    const sn_value *gallery = sn_json_find(welcome, "/gallery");
    const sn_value *arm = find_entry(gallery, "arm");
    assert_non_null(arm);
    assert_non_null(find_entry(gallery, "human"));
    assert_null(find_entry(gallery, "motions"));
    assert_non_null(strstr(text_of(arm, "about"), "left arm"));
    assert_non_null(strstr(text_of(arm, "path"), "/arm/arm.sinew.json"));
    assert_string_equal(sn_value_string(sn_json_find(welcome, "/roots/0"), ""), p->folder);
    assert_int_equal(sn_value_count(sn_json_find(welcome, "/extensions/export")), 5);
    assert_true(sn_value_count(sn_json_find(welcome, "/extensions/import")) > 5);
    sn_json_destroy(welcome);
}

// ---------------------------------------------------------------------------------------------

static void send_piece(snt_page *p, uint32_t upload, const char *bytes, size_t size) {
    uint8_t message[256] = {'S', 'N', 'W', 'U', (uint8_t)upload, (uint8_t)(upload >> 8)};
    memcpy(message + 8, bytes, size);
    assert_true(desk_receive_bytes(p->desk, p->page, message, size + 8));
}

// Sends a file of one byte; what the event `uploaded` says.
static sn_json *drop_file(snt_page *p, const char *name, uint32_t drop) {
    sn_json *answer =
        page_call(p, "{'do': 'upload', 'name': '%s', 'size': 1, 'drop': %u}", name, drop);
    uint32_t upload = (uint32_t)sn_value_number(sn_json_find(answer, "/ok/upload"), 0);
    sn_json_destroy(answer);
    send_piece(p, upload, "x", 1);
    return page_event(p, "uploaded");
}

// The path of an upload that is complete: in a folder of the studio's own, under its own name.
static void take_kept(snt_page *p, sn_json *event, const char *name, char path[2048]) {
    char kept[1200];
    snprintf(path, 2048, "%s", sn_value_string(sn_json_find(event, "/path"), ""));
    snprintf(kept, sizeof kept, "%s/uploads/", p->state);
    assert_int_equal(strncmp(path, kept, strlen(kept)), 0);
    assert_string_equal(strrchr(path, '/') + 1, name);
    assert_string_equal(sn_value_string(sn_json_find(event, "/file"), ""), path);
    sn_json_destroy(event);
}

static void add_clip(snt_page *p, const char *name, const char *file) {
    page_ok(p, "{'do': 'edit', 'slot': 0, 'ops': [{'path': '/clips/%s', 'value': {'file': '%s'}}]}",
            name, file);
}

static void assert_saved_clip(const snt_page *p, const char *document, const char *name,
                              const char *file) {
    char *text = get_text(in_folder(p, document));
    char path[256];
    sn_json *json = NULL;
    snt_ok(sn_json_parse(p->context, text, strlen(text), &json, error));
    snprintf(path, sizeof path, "/clips/%s/file", name);
    assert_string_equal(sn_value_string(sn_json_find(json, path), "none"), file);
    sn_json_destroy(json);
    free(text);
}

static bool tells_of(const sn_value *message, const void *wanted) {
    return matches_event(message, "notice") && strstr(text_of(message, "text"), wanted) != NULL;
}

// Nothing is written beside a document before it is saved; then what it names is there, once.
static void dropped_files_are_copied_when_the_document_is_saved(void **state) {
    snt_page *p = *state;
    char walk[2048], run[2048], bin[2048];
    mkdir(in_folder(p, "deep"), 0777);
    put_text(in_folder(p, "deep/a.sinew.json"), "{\"sinew\": 1, \"name\": \"a\", \"clips\": {}}");
    put_text(in_folder(p, "deep/walk.bvh"), "another walk");
    page_ok(p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(p, "deep/a.sinew.json"));
    take_kept(p, drop_file(p, "walk.bvh", 0), "walk.bvh", walk);
    take_kept(p, drop_file(p, "run.gltf", 1), "run.gltf", run);
    take_kept(p, drop_file(p, "run.bin", 1), "run.bin", bin);
    assert_int_equal(snt_count_entries(in_folder(p, "deep")), 2);
    add_clip(p, "walk", walk);
    add_clip(p, "run", run);
    assert_int_equal(snt_count_entries(in_folder(p, "deep")), 2);
    page_forget(p);
    for (int i = 0; i < 2; ++i) {
        page_ok(p, "{'do': 'save', 'slot': 0}");
        assert_int_equal(snt_count_entries(in_folder(p, "deep")), 4);
        assert_int_equal(snt_count_entries(in_folder(p, "deep/run")), 2);
        assert_saved_clip(p, "deep/a.sinew.json", "walk", "walk-1.bvh");
        assert_saved_clip(p, "deep/a.sinew.json", "run", "run/run.gltf");
        assert_true(snt_same_bytes(walk, in_folder(p, "deep/walk-1.bvh")));
        assert_true(snt_same_bytes(bin, in_folder(p, "deep/run/run.bin")));
    }
    sn_json_destroy(page_wait(p, tells_of, "deep/walk-1.bvh", "a notice of the copies"));
    // Elsewhere, too; and what an undo took away goes nowhere.
    page_ok(p, "{'do': 'undo', 'slot': 0}");
    page_ok(p, "{'do': 'save_as', 'slot': 0, 'path': '%s'}", in_folder(p, "b.sinew.json"));
    assert_saved_clip(p, "b.sinew.json", "walk", "walk.bvh");
    assert_true(snt_same_bytes(walk, in_folder(p, "walk.bvh")));
    assert_int_not_equal(access(in_folder(p, "run"), F_OK), 0);
}

// A dropped character has no place of its own: it is saved where the user says, with its files.
static void a_dropped_character_is_saved_nowhere_yet(void **state) {
    snt_page *p = *state;
    char path[2048];
    static const char text[] =
        "{\"sinew\": 1, \"name\": \"a\", \"clips\": {\"w\": {\"file\": \"w.bvh\"}}}";
    sn_json *answer = page_call(
        p, "{'do': 'upload', 'name': 'a.sinew.json', 'size': %zu, 'drop': 1}", strlen(text));
    send_piece(p, (uint32_t)sn_value_number(sn_json_find(answer, "/ok/upload"), 0), text,
               strlen(text));
    sn_json_destroy(answer);
    take_kept(p, page_event(p, "uploaded"), "a.sinew.json", path);
    sn_json_destroy(drop_file(p, "w.bvh", 1));
    page_ok(p, "{'do': 'open', 'slot': 0, 'path': '%s'}", path);
    page_fails(p, "no file yet", "{'do': 'save', 'slot': 0}");
    page_ok(p, "{'do': 'save_as', 'slot': 0, 'path': '%s'}", in_folder(p, "mine.sinew.json"));
    assert_saved_clip(p, "mine.sinew.json", "w", "a/w.bvh");
    assert_int_equal(access(in_folder(p, "a/w.bvh"), R_OK), 0);
}

// What was dropped long ago and is named nowhere goes; what may still be needed stays.
static void old_drops_are_removed(void **state) {
    snt_page *p = *state;
    char kept[1200], journals[1200];
    static const char *const drops[] = {"old", "named", "new", "plain"};
    snprintf(kept, sizeof kept, "%s/kept", p->folder);
    snprintf(journals, sizeof journals, "%s/journals", p->folder);
    mkdir(kept, 0777);
    mkdir(journals, 0777);
    put_text(in_folder(p, "journals/a.jsonl"), "{\"file\": \"/x/named/walk/walk.bvh\"}\n");
    for (size_t i = 0; i < sizeof drops / sizeof *drops; ++i) {
        char drop[1300], walk[1400], file[1500];
        snprintf(drop, sizeof drop, "%s/%s", kept, drops[i]);
        snprintf(walk, sizeof walk, "%s/walk", drop);
        snprintf(file, sizeof file, "%s/walk.bvh", i < 3 ? walk : drop);
        mkdir(drop, 0777);
        assert_true(i == 3 || mkdir(walk, 0777) == 0);
        put_text(file, "x");
        const struct timespec then[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
        assert_int_equal(i == 2 ? 0 : utimensat(AT_FDCWD, drop, then, 0), 0);
    }
    sweep_kept(kept, journals);
    assert_int_equal(snt_count_entries(kept), 3);
    assert_int_not_equal(access(in_folder(p, "kept/old"), F_OK), 0);
    assert_int_equal(access(in_folder(p, "kept/named/walk/walk.bvh"), F_OK), 0);
}

static void uploads_come_in_pieces(void **state) {
    snt_page *p = *state;
    char path[2048];
    sn_json *answer = page_call(p, "{'do': 'upload', 'name': '../walk.bvh', 'size': 6}");
    uint32_t upload = (uint32_t)sn_value_number(sn_json_find(answer, "/ok/upload"), 0);
    sn_json_destroy(answer);
    send_piece(p, upload, "abc", 3);
    send_piece(p, upload, "def", 3);
    sn_json *event = page_event(p, "uploaded");
    assert_int_equal(sn_value_number(sn_json_find(event, "/upload"), 0), upload);
    take_kept(p, event, "walk.bvh", path);
    char *text = get_text(path);
    assert_string_equal(text, "abcdef");
    free(text);
    page_fails(p, "not a file that sinew reads", "{'do': 'upload', 'name': 'x.sh', 'size': 6}");
    page_fails(p, "too large", "{'do': 'upload', 'name': 'x.bvh', 'size': 1e12}");
    page_fails(p, "is empty", "{'do': 'upload', 'name': 'x.bvh', 'size': 0}");
    // Pieces of nothing are answered, not believed.
    send_piece(p, 999, "x", 1);
    event = page_event(p, "uploaded");
    assert_non_null(sn_json_find(event, "/error/message"));
    sn_json_destroy(event);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        page_test(folders_are_listed),
        page_test(nothing_outside_is_touched),
        page_test(saving_gives_back_the_bytes),
        page_test(saving_never_loses),
        page_test(wrong_files_leave_the_slot),
        page_test(a_model_becomes_a_document),
        page_test(an_example_is_saved_elsewhere),
        page_test(what_the_studio_keeps_is_private),
        page_test(a_read_only_file_stays),
        page_test(the_first_path_begins_where_the_program_was_started),
        page_test(a_copy_stands_beside),
        page_test(the_playhead_hears_that_the_second_one_is_closed),
        page_test(recent_files_are_remembered),
        page_test(the_welcome_lists_what_there_is),
        page_test(dropped_files_are_copied_when_the_document_is_saved),
        page_test(a_dropped_character_is_saved_nowhere_yet),
        page_test(old_drops_are_removed),
        page_test(uploads_come_in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
