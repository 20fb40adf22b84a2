// SPDX-License-Identifier: Apache-2.0
//
// What was not saved survives crashes, ends, and changes of files by others.
#include "replica.h"

#include "desk/service.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

// In place of the C library's: dies when a document has got its name.
static bool dies_when_saved;

int rename(const char *from, const char *to) {
    int failed = renameat(AT_FDCWD, from, AT_FDCWD, to);
    if (dies_when_saved && strstr(to, ".sinew.json") != NULL) {
        kill(getpid(), SIGKILL);
    }
    return failed;
}

// A server that is killed in the middle of its work.
static snt_page begin_work(const char *folder, const char *state_folder) {
    const char *const roots[] = {folder};
    desk_desc desc = {.state_folder = state_folder, .roots = roots, .root_count = 1, .threads = 1};
    desk *d = NULL;
    if (desk_create(&desc, &d, NULL) != SN_OK) {
        _exit(1);
    }
    snt_page p = {.desk = d, .page = desk_join(d), .context = desk_context(d)};
    snprintf(p.folder, sizeof p.folder, "%s", folder);
    page_ok(&p, "{'do': 'hello'}");
    page_ok(&p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(&p, "stick.sinew.json"));
    page_ok(&p, "{'do': 'edit', 'label': 'One', 'ops': [{'path': '/about', 'value': 'one'}]}");
    return p;
}

static void work_and_die(const char *folder, const char *state_folder) {
    snt_page p = begin_work(folder, state_folder);
    page_ok(&p, "{'do': 'save'}");
    page_ok(&p, "{'do': 'edit', 'label': 'Two', 'ops': [{'path': '/about', 'value': 'two'}]}");
    page_ok(&p, "{'do': 'edit', 'label': 'Three', 'ops': [{'path': '/about', 'value': '3'}]}");
    page_ok(&p, "{'do': 'undo'}");
    kill(getpid(), SIGKILL);
}

// Killed in the middle of saving a document in another folder than where it was opened.
static void save_elsewhere_and_die(const char *folder, const char *state_folder) {
    snt_page p = begin_work(folder, state_folder);
    mkdir(in_folder(&p, "sub"), 0777);
    page_ok(&p, "{'do': 'save_as', 'slot': 0, 'path': '%s'}", in_folder(&p, "sub/a.sinew.json"));
    page_ok(&p, "{'do': 'edit', 'label': 'Two', 'ops': [{'path': '/about', 'value': 'two'}]}");
    dies_when_saved = true;
    page_ok(&p, "{'do': 'save', 'slot': 0}");
}

typedef void work_fn(const char *folder, const char *state_folder);

static void crash_in(const snt_page *p, work_fn *work) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        work(p->folder, p->state);
        _exit(2);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

// A folder with the document, and the state of a server that was killed.
static snt_page after_crash_in(const char *name, work_fn *work) {
    snt_page p = {0};
    const char *folder = snt_scratch(name);
    mkdir(folder, 0777);
    snprintf(p.folder, sizeof p.folder, "%s", folder);
    snprintf(p.state, sizeof p.state, "%s.state", folder);
    put_text(in_folder(&p, "stick.sinew.json"), small_document);
    crash_in(&p, work);
    return p;
}

static snt_page after_crash(const char *name) {
    return after_crash_in(name, work_and_die);
}

static void a_crash_loses_nothing(void **state) {
    (void)state;
    after_crash("crash");
    snt_page p;
    replica r = {0};
    page_begin(&p, "crash");
    page_ok(&p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(&p, "stick.sinew.json"));
    sn_json *notice = page_event(&p, "notice");
    assert_non_null(strstr(sn_value_string(sn_json_find(notice, "/text"), ""), "are restored"));
    sn_json_destroy(notice);
    follow(&r, &p);
    assert_string_equal(sn_value_string(sn_json_find(r.document, "/about"), ""), "two");
    assert_true(r.dirty);
    assert_int_equal(r.undo, 2);
    assert_int_equal(r.redo, 1);
    assert_string_equal(r.undo_label, "Two");
    page_ok(&p, "{'do': 'redo'}");
    follow(&r, &p);
    assert_string_equal(sn_value_string(sn_json_find(r.document, "/about"), ""), "3");
    for (int i = 0; i < 3; ++i) {
        page_ok(&p, "{'do': 'undo'}");
    }
    page_ok(&p, "{'do': 'save'}");
    char *text = get_text(in_folder(&p, "stick.sinew.json"));
    assert_string_equal(text, small_document);
    free(text);
    sn_json_destroy(r.document);
    page_end(&p);
}

static void a_file_that_changed_is_not_overwritten(void **state) {
    (void)state;
    snt_page before = after_crash("changed");
    static const char other[] = "{\"sinew\": 1, \"name\": \"other\"}\n";
    put_text(in_folder(&before, "stick.sinew.json"), other);
    snt_page p;
    replica r = {0};
    page_begin(&p, "changed");
    page_ok(&p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(&p, "stick.sinew.json"));
    sn_json *notice = page_event(&p, "notice");
    const char *said = sn_value_string(sn_json_find(notice, "/text"), "");
    assert_non_null(strstr(said, "Another program has changed"));
    // What was not saved is a document of its own.
    const char *copy = strstr(said, p.state);
    assert_non_null(copy);
    char *text = get_text(copy);
    assert_non_null(strstr(text, "\"two\""));
    free(text);
    sn_json_destroy(notice);
    follow(&r, &p);
    assert_string_equal(sn_value_string(sn_json_find(r.document, "/name"), ""), "other");
    assert_int_equal(r.undo, 0);
    text = get_text(in_folder(&p, "stick.sinew.json"));
    assert_string_equal(text, other);
    free(text);
    // Nor when it changes while it is open, unless one asks for it.
    page_ok(&p, "{'do': 'edit', 'ops': [{'path': '/about', 'value': 'x'}]}");
    put_text(in_folder(&p, "stick.sinew.json"), small_document);
    sn_json *answer = page_call(&p, "{'do': 'save'}");
    assert_string_equal(sn_value_string(sn_json_find(answer, "/error/status"), ""), "changed");
    sn_json_destroy(answer);
    sn_json_destroy(r.document);
    page_end(&p);
}

static void save_and_die(const char *folder, const char *state_folder) {
    snt_page p = begin_work(folder, state_folder);
    page_ok(&p, "{'do': 'save'}");
    kill(getpid(), SIGKILL);
}

// What was saved before another program wrote the file is no unsaved work.
static void saved_work_is_not_called_unsaved(void **state) {
    (void)state;
    snt_page before = after_crash_in("saved", save_and_die);
    put_text(in_folder(&before, "stick.sinew.json"), "{\"sinew\": 1, \"name\": \"other\"}\n");
    snt_page p;
    page_begin(&p, "saved");
    page_ok(&p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(&p, "stick.sinew.json"));
    for (uint32_t i = 0; i < p.count; ++i) {
        const sn_value *message = sn_json_root(p.messages[i]);
        assert_false(matches_event(message, "notice"));
        assert_int_equal(sn_value_count(sn_value_get(message, "unsaved")), 0);
    }
    page_end(&p);
}

// The file is one that the journal knows, whenever the server went.
static void a_crash_while_saving_elsewhere_loses_nothing(void **state) {
    (void)state;
    after_crash_in("moved", save_elsewhere_and_die);
    snt_page p;
    replica r = {0};
    page_begin(&p, "moved");
    page_ok(&p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(&p, "sub/a.sinew.json"));
    for (uint32_t i = 0; i < p.count; ++i) {
        assert_false(matches_event(sn_json_root(p.messages[i]), "notice"));
    }
    follow(&r, &p);
    assert_string_equal(sn_value_string(sn_json_find(r.document, "/about"), ""), "two");
    assert_false(r.dirty);
    assert_int_equal(r.undo, 2);
    sn_json_destroy(r.document);
    page_end(&p);
}

static void expect_notice(snt_page *p, const char *text) {
    sn_json *notice = page_event(p, "notice");
    if (strstr(text_at(notice, "/text"), text) == NULL) {
        fail_msg("%s", text_at(notice, "/text"));
    }
    sn_json_destroy(notice);
}

// `sinew studio DOC` opens before a page is there: what is told then waits for the first one.
static void what_is_told_at_the_start_is_heard(void **state) {
    (void)state;
    after_crash("start");
    snt_page p;
    page_begin_desk(&p, "start", NULL);
    desk_open_first(p.desk, 0, in_folder(&p, "stick.sinew.json"));
    desk_open_first(p.desk, 0, in_folder(&p, "nowhere.sinew.json"));
    page_join(&p);
    expect_notice(&p, "are restored");
    expect_notice(&p, "nowhere.sinew.json");
    // Once is enough.
    page_forget(&p);
    page_ok(&p, "{'do': 'hello'}");
    for (uint32_t i = 0; i < p.count; ++i) {
        assert_false(matches_event(sn_json_root(p.messages[i]), "notice"));
    }
    page_end(&p);
}

static bool matches_failure(const sn_value *message, const void *wanted) {
    (void)wanted;
    return matches_event(message, "notice") ||
           strcmp(sn_value_string(sn_value_get(message, "state"), ""), "failed") == 0;
}

static void a_model_that_cannot_be_read_at_the_start_is_told(void **state) {
    (void)state;
    snt_page p;
    page_begin_desk(&p, "broken", NULL);
    put_text(in_folder(&p, "broken.glb"), "this is no model");
    desk_open_first(p.desk, 0, in_folder(&p, "broken.glb"));
    usleep(200000); // it has failed by then, or fails before the page's eyes
    page_join(&p);
    sn_json *told = page_wait(&p, matches_failure, NULL, "a failure");
    sn_json_destroy(told);
    page_end(&p);
}

// A server that ends in good order keeps what was not saved, too.
static void an_end_loses_nothing(void **state) {
    (void)state;
    snt_page p;
    replica r = {0};
    page_begin(&p, "end");
    open_small(&p, "stick.sinew.json");
    page_ok(&p, "{'do': 'edit', 'ops': [{'path': '/about', 'value': 'x'}]}");
    page_end(&p);
    page_begin(&p, "end");
    page_ok(&p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(&p, "stick.sinew.json"));
    follow(&r, &p);
    assert_string_equal(sn_value_string(sn_json_find(r.document, "/about"), ""), "x");
    // What one closes is given up.
    page_ok(&p, "{'do': 'close', 'slot': 0}");
    sn_json_destroy(r.document);
    r = (replica){0};
    page_end(&p);
    page_begin(&p, "end");
    page_ok(&p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(&p, "stick.sinew.json"));
    follow(&r, &p);
    assert_null(sn_json_find(r.document, "/about"));
    sn_json_destroy(r.document);
    page_end(&p);
}

// In another folder the file says other relative paths; the document, and what can be undone, stay.
static void saving_elsewhere_keeps_everything(void **state) {
    (void)state;
    snt_page p;
    replica r = {0};
    page_begin(&p, "elsewhere");
    page_open_arm(&p);
    char *opened = get_text(in_folder(&p, "arm.sinew.json"));
    mkdir(in_folder(&p, "sub"), 0777);
    page_ok(&p, "{'do': 'edit', 'ops': [{'path': '/about', 'value': 'x'}]}");
    page_ok(&p, "{'do': 'save_as', 'slot': 0, 'path': '%s'}", in_folder(&p, "sub/a.sinew.json"));
    follow(&r, &p);
    assert_false(r.dirty);
    assert_int_equal(r.undo, 1);
    assert_string_equal(sn_value_string(sn_json_find(r.document, "/meshes/skin/file"), ""),
                        "arm.glb");
    char *text = get_text(in_folder(&p, "sub/a.sinew.json"));
    assert_non_null(strstr(text, "\"../arm.glb"));
    free(text);
    text = get_text(in_folder(&p, "arm.sinew.json"));
    assert_string_equal(text, opened);
    free(text);
    // Its journal went along: what is edited from now on belongs to the new file.
    page_ok(&p, "{'do': 'edit', 'ops': [{'path': '/about', 'value': 'y'}]}");
    sn_json_destroy(r.document);
    r = (replica){0};
    page_end(&p);
    page_begin(&p, "elsewhere");
    page_ok(&p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(&p, "sub/a.sinew.json"));
    sn_json_destroy(page_event(&p, "model"));
    follow(&r, &p);
    assert_string_equal(sn_value_string(sn_json_find(r.document, "/about"), ""), "y");
    assert_int_equal(r.undo, 2);
    page_ok(&p, "{'do': 'undo'}");
    page_ok(&p, "{'do': 'undo'}");
    page_fails(&p, "already exists", "{'do': 'save_as', 'slot': 0, 'path': '%s'}",
               in_folder(&p, "arm.sinew.json"));
    page_ok(&p, "{'do': 'save_as', 'slot': 0, 'path': '%s', 'replace': true}",
            in_folder(&p, "arm.sinew.json"));
    text = get_text(in_folder(&p, "arm.sinew.json"));
    assert_string_equal(text, opened);
    free(text);
    free(opened);
    sn_json_destroy(r.document);
    page_end(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crash_loses_nothing), // forks, so it comes before threads
        cmocka_unit_test(a_file_that_changed_is_not_overwritten),
        cmocka_unit_test(saved_work_is_not_called_unsaved),
        cmocka_unit_test(a_crash_while_saving_elsewhere_loses_nothing),
        cmocka_unit_test(what_is_told_at_the_start_is_heard),
        cmocka_unit_test(a_model_that_cannot_be_read_at_the_start_is_told),
        cmocka_unit_test(an_end_loses_nothing),
        cmocka_unit_test(saving_elsewhere_keeps_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
