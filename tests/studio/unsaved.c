// SPDX-License-Identifier: Apache-2.0
//
// Work that was not saved is never out of sight: after a crash, after an end, after another
// document was opened in its place.
#include "page.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

static const char stick[] = "{\"sinew\": 1, \"name\": \"stick\", \"skeleton\": {\"root\": {}}}\n";

#define EDIT "{'do': 'edit', 'slot': 0, 'label': '%s', 'ops': [{'path': '/about', 'value': '%s'}]}"

static void edit(snt_page *p, const char *text) {
    page_ok(p, EDIT, text, text);
}

static void open_stick(snt_page *p) {
    page_ok(p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(p, "stick.sinew.json"));
}

// The list that a page which comes is told.
static sn_json *welcome(snt_page *p) {
    page_forget(p);
    page_ok(p, "{'do': 'hello'}");
    return page_event(p, "welcome");
}

static uint32_t count_unsaved(snt_page *p) {
    sn_json *event = welcome(p);
    const sn_value *list = sn_json_find(event, "/unsaved");
    assert_non_null(list);
    uint32_t count = sn_value_count(list);
    sn_json_destroy(event);
    return count;
}

// The document of slot 0 as a page which comes is told.
static sn_json *document(snt_page *p) {
    page_forget(p);
    page_ok(p, "{'do': 'hello'}");
    return page_event(p, "document");
}

static void expect_document(snt_page *p, const char *about, double undo, const char *path) {
    sn_json *event = document(p);
    assert_string_equal(text_at(event, "/patch/0/value/about"), about);
    assert_true(sn_value_number(sn_json_find(event, "/undo/count"), 0) == undo);
    assert_string_equal(text_at(event, "/path"), path);
    assert_int_equal(sn_value_bool(sn_json_find(event, "/dirty"), false), true);
    sn_json_destroy(event);
}

// ---------------------------------------------------------------------------------------------
// A crash

static void work_and_die(snt_page *p) {
    const char *const roots[] = {p->folder};
    desk_desc desc = {.examples = snt_source("examples"),
                      .state_folder = p->state,
                      .roots = roots,
                      .root_count = 1,
                      .threads = 1};
    p->context = snt_context(1);
    if (desk_create(&desc, &p->desk, NULL) != SN_OK) {
        _exit(1);
    }
    p->page = desk_join(p->desk);
    page_ok(p, "{'do': 'hello'}");
    open_stick(p);
    edit(p, "saved");
    page_ok(p, "{'do': 'save'}");
    edit(p, "not saved");
    page_ok(p, "{'do': 'open_example', 'slot': 0, 'name': 'cloth'}");
    edit(p, "one");
    edit(p, "two");
    edit(p, "three");
    page_ok(p, "{'do': 'undo'}");
    kill(getpid(), SIGKILL);
}

static void crash(const char *name) {
    snt_page p = {0};
    char resolved[4096];
    mkdir(snt_scratch(name), 0777);
    assert_non_null(realpath(snt_scratch(name), resolved));
    snprintf(p.folder, sizeof p.folder, "%s", resolved);
    snprintf(p.state, sizeof p.state, "%s.state", p.folder);
    put_text(in_folder(&p, "stick.sinew.json"), stick);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        work_and_die(&p);
        _exit(2);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static const sn_value *find_named(const sn_json *event, const char *name) {
    const sn_value *list = sn_json_find(event, "/unsaved");
    for (uint32_t i = 0; i < sn_value_count(list); ++i) {
        const sn_value *item = sn_value_at(list, i);
        if (strcmp(sn_value_string(sn_value_get(item, "name"), ""), name) == 0) {
            return item;
        }
    }
    fail_msg("%s is not listed", name);
    return NULL;
}

// A server that is started without a document lists both; both come back with what can be undone.
static void what_a_crash_left_is_listed_and_opened(void **state) {
    (void)state;
    snt_page p;
    crash("left");
    page_begin(&p, "left");
    sn_json *event = welcome(&p);
    assert_int_equal(sn_value_count(sn_json_find(event, "/unsaved")), 2);
    const sn_value *cloth = find_named(event, "cloth"), *named = find_named(event, "stick");
    char journal[256];
    assert_int_equal(sn_value_get(cloth, "path")->type, SN_JSON_NULL);
    assert_non_null(strstr(sn_value_string(sn_value_get(cloth, "from"), ""), "cloth.sinew.json"));
    assert_true(sn_value_number(sn_value_get(cloth, "edits"), 0) == 2);
    assert_true(sn_value_number(sn_value_get(cloth, "when"), 0) > 1e9);
    assert_string_equal(sn_value_string(sn_value_get(named, "path"), ""),
                        in_folder(&p, "stick.sinew.json"));
    assert_true(sn_value_number(sn_value_get(named, "edits"), 0) == 1);
    snprintf(journal, sizeof journal, "%s", sn_value_string(sn_value_get(cloth, "journal"), ""));
    page_ok(&p, "{'do': 'open_unsaved', 'slot': 0, 'journal': '%s'}", journal);
    expect_document(&p, "two", 2, "");
    assert_int_equal(count_unsaved(&p), 1); // what is open is in sight
    page_fails(&p, "open already", "{'do': 'discard_unsaved', 'journal': '%s'}", journal);
    page_ok(&p, "{'do': 'redo', 'slot': 0}");
    expect_document(&p, "three", 3, "");
    page_ok(&p, "{'do': 'undo', 'slot': 0}");
    page_ok(&p, "{'do': 'undo', 'slot': 0}");
    expect_document(&p, "one", 1, "");
    snprintf(journal, sizeof journal, "%s", sn_value_string(sn_value_get(named, "journal"), ""));
    page_ok(&p, "{'do': 'open_unsaved', 'slot': 0, 'journal': '%s'}", journal);
    expect_document(&p, "not saved", 2, in_folder(&p, "stick.sinew.json"));
    page_ok(&p, "{'do': 'save', 'slot': 0}");
    assert_int_equal(count_unsaved(&p), 1); // the other one again
    sn_json_destroy(event);
    page_end(&p);
}

static void what_is_discarded_is_gone(void **state) {
    (void)state;
    snt_page p;
    crash("discard");
    page_begin(&p, "discard");
    for (uint32_t left = 2; left > 0; --left) {
        sn_json *event = welcome(&p);
        assert_int_equal(sn_value_count(sn_json_find(event, "/unsaved")), left);
        page_ok(&p, "{'do': 'discard_unsaved', 'journal': '%s'}",
                text_at(event, "/unsaved/0/journal"));
        sn_json *told = page_event(&p, "unsaved");
        assert_int_equal(sn_value_count(sn_json_find(told, "/unsaved")), left - 1);
        sn_json_destroy(told);
        sn_json_destroy(event);
    }
    page_ok(&p, "{'do': 'open_example', 'slot': 0, 'name': 'cloth'}");
    sn_json *event = document(&p);
    assert_string_not_equal(text_at(event, "/patch/0/value/about"), "two");
    assert_int_equal(sn_json_find(event, "/undo")->type, SN_JSON_NULL);
    sn_json_destroy(event);
    page_fails(&p, "there is no journal", "{'do': 'discard_unsaved', 'journal': 'x.jsonl'}");
    page_fails(&p, "there is no journal", "{'do': 'discard_unsaved', 'journal': '../recent.json'}");
    page_fails(&p, "there is no journal",
               "{'do': 'discard_unsaved', 'journal': '../journal/x.jsonl'}");
    page_fails(&p, "there is no journal",
               "{'do': 'open_unsaved', 'slot': 0, 'journal': '../../stick.sinew.json'}");
    page_end(&p);
}

// Another program wrote the file: what was done here belongs to no file, and nothing is
// overwritten.
static void work_on_a_file_that_changed_belongs_to_no_file(void **state) {
    (void)state;
    static const char other[] = "{\"sinew\": 1, \"name\": \"other\", \"skeleton\": {\"a\": {}}}\n";
    snt_page p;
    crash("other");
    page_begin(&p, "other");
    put_text(in_folder(&p, "stick.sinew.json"), other);
    sn_json *event = welcome(&p);
    page_ok(&p, "{'do': 'open_unsaved', 'slot': 0, 'journal': '%s'}",
            sn_value_string(sn_value_get(find_named(event, "stick"), "journal"), ""));
    sn_json_destroy(event);
    expect_document(&p, "not saved", 2, "");
    page_fails(&p, "no file yet", "{'do': 'save', 'slot': 0}");
    char *text = get_text(in_folder(&p, "stick.sinew.json"));
    assert_string_equal(text, other);
    free(text);
    page_end(&p);
}

// ---------------------------------------------------------------------------------------------
// Without a crash

static void an_end_and_another_document_keep_it_in_sight(void **state) {
    (void)state;
    snt_page p;
    page_begin(&p, "end");
    put_text(in_folder(&p, "stick.sinew.json"), stick);
    open_stick(&p);
    edit(&p, "x");
    page_ok(&p, "{'do': 'open_example', 'slot': 0, 'name': 'cloth'}");
    assert_int_equal(count_unsaved(&p), 1);
    edit(&p, "y");
    page_ok(&p, "{'do': 'close', 'slot': 0, 'keep': true}");
    assert_int_equal(count_unsaved(&p), 2);
    open_stick(&p);
    expect_document(&p, "x", 1, in_folder(&p, "stick.sinew.json"));
    page_end(&p);
    page_begin(&p, "end");
    assert_int_equal(count_unsaved(&p), 2);
    page_end(&p);
}

static void a_model_that_became_a_document_is_work(void **state) {
    (void)state;
    snt_page p;
    page_begin(&p, "model");
    copy_file(snt_source("examples/thighs/thighs.glb"), in_folder(&p, "thighs.glb"));
    page_ok(&p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(&p, "thighs.glb"));
    page_ok(&p, "{'do': 'compare'}"); // a copy without edits is none
    page_end(&p);
    page_begin(&p, "model");
    sn_json *event = welcome(&p);
    assert_int_equal(sn_value_count(sn_json_find(event, "/unsaved")), 1);
    assert_string_equal(text_at(event, "/unsaved/0/from"), in_folder(&p, "thighs.sinew.json"));
    page_ok(&p, "{'do': 'open_unsaved', 'slot': 0, 'journal': '%s'}",
            text_at(event, "/unsaved/0/journal"));
    sn_json_destroy(event);
    event = document(&p);
    assert_non_null(sn_json_find(event, "/patch/0/value/skins"));
    sn_json_destroy(event);
    page_end(&p);
}

// What was left of a comparison does not come back in the next one, and is not lost.
static void a_comparison_shows_what_is_now(void **state) {
    (void)state;
    snt_page p;
    page_begin(&p, "compare");
    put_text(in_folder(&p, "stick.sinew.json"), stick);
    open_stick(&p);
    page_ok(&p, "{'do': 'compare'}");
    page_ok(&p, "{'do': 'edit', 'slot': 1, 'ops': [{'path': '/about', 'value': 'beside'}]}");
    page_ok(&p, "{'do': 'close', 'slot': 1, 'keep': true}");
    page_ok(&p, "{'do': 'compare'}");
    sn_json *saved = page_saved(&p, 1, "beside.sinew.json");
    assert_null(sn_json_find(saved, "/about"));
    sn_json_destroy(saved);
    assert_int_equal(count_unsaved(&p), 1);
    page_end(&p);
}

// In place of the C library's: a disk that is full.
static bool disk_is_full;

int rename(const char *from, const char *to) {
    if (disk_is_full) {
        errno = ENOSPC;
        return -1;
    }
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

// A file that could not be written is not where the document belongs.
static void a_saving_that_failed_is_not_remembered(void **state) {
    (void)state;
    snt_page p;
    page_begin(&p, "full");
    put_text(in_folder(&p, "stick.sinew.json"), stick);
    open_stick(&p);
    edit(&p, "x");
    disk_is_full = true;
    page_fails(&p, "cannot write", "{'do': 'save_as', 'slot': 0, 'path': '%s'}",
               in_folder(&p, "never.sinew.json"));
    disk_is_full = false;
    page_ok(&p, "{'do': 'close', 'slot': 0, 'keep': true}");
    sn_json *event = welcome(&p);
    assert_string_equal(text_at(event, "/unsaved/0/path"), in_folder(&p, "stick.sinew.json"));
    page_ok(&p, "{'do': 'open_unsaved', 'slot': 0, 'journal': '%s'}",
            text_at(event, "/unsaved/0/journal"));
    expect_document(&p, "x", 1, in_folder(&p, "stick.sinew.json"));
    sn_json_destroy(event);
    page_end(&p);
}

// Of many the newest are listed, whatever order the folder has.
static void the_newest_are_listed(void **state) {
    (void)state;
    enum { COUNT = 130, LISTED = 100 };
    snt_page p;
    page_begin(&p, "many");
    for (int i = 0; i < COUNT; ++i) {
        char path[1400];
        struct timespec times[2] = {{.tv_sec = 1000000000 + i}, {.tv_sec = 1000000000 + i}};
        mkdir(p.state, 0700);
        snprintf(path, sizeof path, "%s/journal", p.state);
        mkdir(path, 0700);
        snprintf(path, sizeof path, "%s/journal/%016x.jsonl", p.state, (unsigned)(i * 2654435761U));
        put_text(path, "{\"journal\": 1, \"base\": \"/nowhere/x.sinew.json\", \"hash\": \"ab\", "
                       "\"text\": \"{}\"}\n");
        assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    }
    sn_json *event = welcome(&p);
    const sn_value *list = sn_json_find(event, "/unsaved");
    assert_int_equal(sn_value_count(list), LISTED);
    for (int i = 0; i < LISTED; ++i) {
        const sn_value *when = sn_value_get(sn_value_at(list, (uint32_t)i), "when");
        assert_true(sn_value_number(when, 0) == 1000000000 + COUNT - 1 - i);
    }
    sn_json_destroy(event);
    page_end(&p);
}

// In place of the C library's: how often a document is opened.
static atomic_int open_count;

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    int mode = (flags & O_CREAT) != 0 ? va_arg(arguments, int) : 0;
    va_end(arguments);
    open_count += strstr(path, "stick.sinew.json") != NULL;
    return openat(AT_FDCWD, path, flags, mode);
}

// However often a document was saved, the list looks at its file once; what is saved last counts.
static void a_file_is_looked_at_once(void **state) {
    (void)state;
    snt_page p;
    page_begin(&p, "once");
    put_text(in_folder(&p, "stick.sinew.json"), stick);
    open_stick(&p);
    for (int i = 0; i < 5; ++i) {
        edit(&p, i % 2 ? "a" : "b");
        page_ok(&p, "{'do': 'save', 'slot': 0}");
    }
    edit(&p, "more");
    edit(&p, "and more");
    page_ok(&p, "{'do': 'close', 'slot': 0, 'keep': true}");
    page_forget(&p);
    open_count = 0;
    sn_json *event = welcome(&p);
    assert_int_equal(open_count, 1);
    assert_true(sn_value_number(sn_json_find(event, "/unsaved/0/edits"), 0) == 2);
    sn_json_destroy(event);
    page_end(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        // These fork, so they come before threads.
        cmocka_unit_test(what_a_crash_left_is_listed_and_opened),
        cmocka_unit_test(what_is_discarded_is_gone),
        cmocka_unit_test(work_on_a_file_that_changed_belongs_to_no_file),
        cmocka_unit_test(an_end_and_another_document_keep_it_in_sight),
        cmocka_unit_test(a_model_that_became_a_document_is_work),
        cmocka_unit_test(a_comparison_shows_what_is_now),
        cmocka_unit_test(a_saving_that_failed_is_not_remembered),
        cmocka_unit_test(the_newest_are_listed),
        cmocka_unit_test(a_file_is_looked_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
