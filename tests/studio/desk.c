// SPDX-License-Identifier: Apache-2.0
#include "replica.h"

#include "desk/service.h"

#include <pthread.h>

static snt_page join(const snt_page *first) {
    snt_page p = {.context = first->context, .desk = first->desk};
    p.page = desk_join(p.desk);
    assert_int_not_equal(p.page, 0);
    page_ok(&p, "{'do': 'hello'}");
    return p;
}

static void assert_replica_is_file(const replica *r, snt_page *p, const char *path) {
    char *text = get_text(path), *mine = NULL, *theirs = NULL;
    size_t size = 0, mine_size = 0;
    sn_json *json = NULL;
    snt_ok(sn_json_parse(p->context, text, strlen(text), &json, error));
    snt_ok(sn_json_write(json, &theirs, &size, error));
    snt_ok(sn_json_write(r->document, &mine, &mine_size, error));
    assert_int_equal(mine_size, size);
    assert_memory_equal(mine, theirs, size);
    sn_json_free_text(p->context, theirs);
    sn_json_free_text(p->context, mine);
    sn_json_destroy(json);
    free(text);
}

// ---------------------------------------------------------------------------------------------
// Random edits

static const sn_value *pick_value(const sn_json *json, snt_random *random) {
    const sn_value *at = sn_json_root(json);
    for (;;) {
        uint32_t count = sn_value_count(at);
        if (count == 0 || (at->parent && snt_random_u32(random) % 5 == 0)) {
            return at;
        }
        at = sn_value_at(at, snt_random_u32(random) % count);
    }
}

// An entry that may or may not be right.
static void write_entry(const sn_json *json, snt_random *random, char *entry, size_t size) {
    char path[512];
    const sn_value *value = pick_value(json, random);
    sn_value_path(value, path, sizeof path);
    switch (snt_random_u32(random) % 6) {
    case 0: snprintf(entry, size, "{'path': '%s', 'gone': true}", path); break;
    case 1:
        snprintf(entry, size, "{'path': '%s', 'key': 'name %u'}", path,
                 snt_random_u32(random) % 50);
        break;
    case 2:
        snprintf(entry, size, "{'path': '/controls/new %u', 'value': {'high': %u}, 'index': %u}",
                 snt_random_u32(random) % 20, 1 + snt_random_u32(random) % 9,
                 snt_random_u32(random) % 5);
        break;
    case 3:
        snprintf(entry, size, "{'path': '%s', 'value': '%u'}", path, snt_random_u32(random) % 9);
        break;
    default:
        snprintf(entry, size, "{'path': '%s', 'value': %.3f}", path,
                 snt_random_range(random, 0, 1));
    }
}

// Edits until `count` were taken; returns how many were refused.
static uint32_t edit_randomly(snt_page *p, replica *r, snt_random *random, uint32_t count) {
    uint32_t refused = 0;
    for (uint32_t taken = 0; taken < count;) {
        char entry[1024];
        write_entry(r->document, random, entry, sizeof entry);
        sn_json *answer =
            page_call(p, "{'do': 'edit', 'slot': 0, 'label': 'L', 'ops': [%s]}", entry);
        double before = r->revision;
        follow(r, p);
        bool ok = sn_json_find(answer, "/ok") != NULL;
        assert_true(ok || r->revision == before);
        taken += r->revision != before;
        refused += !ok;
        sn_json_destroy(answer);
    }
    return refused;
}

static void edits_undone_are_the_opened_bytes(void **state) {
    (void)state;
    snt_page p;
    replica r = {0};
    page_begin(&p, "random");
    const char *path = in_folder(&p, "stick.sinew.json");
    char file[2048];
    snprintf(file, sizeof file, "%s", path);
    open_small(&p, "stick.sinew.json");
    follow(&r, &p);
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        snt_random random = {seed};
        print_message("seed %u\n", (unsigned)seed);
        uint32_t refused = edit_randomly(&p, &r, &random, 60);
        assert_true(refused > 0);
        assert_int_equal(r.undo, 60);
        page_ok(&p, "{'do': 'save', 'slot': 0}");
        follow(&r, &p);
        assert_false(r.dirty);
        assert_replica_is_file(&r, &p, file);
        char *edited = get_text(file);
        for (uint32_t i = 0; i < 60; ++i) {
            page_ok(&p, "{'do': 'undo', 'slot': 0}");
        }
        page_fails(&p, "nothing to undo", "{'do': 'undo', 'slot': 0}");
        follow(&r, &p);
        assert_int_equal(r.undo, 0);
        assert_int_equal(r.redo, 60);
        assert_true(r.dirty);
        page_ok(&p, "{'do': 'save', 'slot': 0}");
        char *undone = get_text(file);
        assert_string_equal(undone, small_document);
        for (uint32_t i = 0; i < 60; ++i) {
            page_ok(&p, "{'do': 'redo', 'slot': 0}");
        }
        page_fails(&p, "nothing to redo", "{'do': 'redo', 'slot': 0}");
        page_ok(&p, "{'do': 'save', 'slot': 0}");
        char *redone = get_text(file);
        assert_string_equal(redone, edited);
        for (uint32_t i = 0; i < 60; ++i) {
            page_ok(&p, "{'do': 'undo', 'slot': 0}");
        }
        follow(&r, &p);
        free(edited);
        free(undone);
        free(redone);
    }
    sn_json_destroy(r.document);
    page_end(&p);
}

// ---------------------------------------------------------------------------------------------
// Single edits

static void wrong_edits_change_nothing(void **state) {
    (void)state;
    snt_page p;
    replica r = {0};
    page_begin(&p, "wrong");
    page_fails(&p, "no document is open", "{'do': 'edit', 'slot': 0, 'ops': []}");
    page_fails(&p, "`slot` must be below 2", "{'do': 'edit', 'slot': 2, 'ops': []}");
    open_small(&p, "stick.sinew.json");
    follow(&r, &p);
    page_fails(&p, "a patch must be an array", "{'do': 'edit', 'slot': 0}");
    page_fails(&p, "there is nothing", "{'do': 'edit', 'ops': [{'path': '/x', 'gone': true}]}");
    // The whole of an edit is refused, and the error tells the place and the line.
    sn_json *answer = page_call(&p, "{'do': 'edit', 'slot': 0, 'ops': ["
                                    "{'path': '/about', 'value': 'fine'}, "
                                    "{'path': '/skeleton/lower/parent', 'value': 'nobody'}]}");
    assert_string_equal(sn_value_string(sn_json_find(answer, "/error/status"), ""), "invalid");
    assert_string_equal(sn_value_string(sn_json_find(answer, "/error/place"), ""),
                        "/skeleton/lower/parent");
    assert_true(sn_value_number(sn_json_find(answer, "/error/line"), 0) > 1);
    assert_non_null(strstr(error_of(answer), "nobody"));
    sn_json_destroy(answer);
    double before = r.revision;
    follow(&r, &p);
    assert_true(r.revision == before);
    assert_null(sn_json_find(r.document, "/about"));
    // What changes nothing is no step.
    page_ok(&p, "{'do': 'edit', 'ops': [{'path': '/name', 'value': 'stick'}]}");
    page_ok(&p, "{'do': 'edit', 'ops': []}");
    follow(&r, &p);
    assert_true(r.revision == before);
    assert_int_equal(r.undo, 0);
    assert_false(r.dirty);
    sn_json_destroy(r.document);
    page_end(&p);
}

static void edits_with_a_key_are_one_step(void **state) {
    (void)state;
    snt_page p;
    replica r = {0};
    page_begin(&p, "merge");
    open_small(&p, "stick.sinew.json");
    snt_page other = join(&p);
    for (int i = 1; i <= 5; ++i) {
        page_ok(&p,
                "{'do': 'edit', 'label': 'Drag', 'merge': 'drag 1', 'ops': "
                "[{'path': '/controls/curl/high', 'value': %d}]}",
                1 + i);
    }
    follow(&r, &p);
    assert_int_equal(r.undo, 1);
    assert_string_equal(r.undo_label, "Drag");
    // Another page, another key or no key: another step.
    page_ok(&other, "{'do': 'edit', 'merge': 'drag 1', 'ops': "
                    "[{'path': '/controls/curl/high', 'value': 7}]}");
    page_ok(&p, "{'do': 'edit', 'merge': 'drag 1', 'ops': "
                "[{'path': '/controls/curl/high', 'value': 8}]}");
    page_ok(&p, "{'do': 'edit', 'merge': 'drag 2', 'ops': "
                "[{'path': '/controls/curl/high', 'value': 9}]}");
    page_ok(&p, "{'do': 'edit', 'ops': [{'path': '/controls/curl/high', 'value': 10}]}");
    follow(&r, &p);
    assert_int_equal(r.undo, 5);
    for (int i = 0; i < 4; ++i) {
        page_ok(&p, "{'do': 'undo'}");
    }
    follow(&r, &p);
    assert_true(sn_value_number(sn_json_find(r.document, "/controls/curl/high"), 0) == 6);
    // Merged edits are undone together, and redone together.
    page_ok(&p, "{'do': 'undo'}");
    follow(&r, &p);
    assert_true(sn_value_number(sn_json_find(r.document, "/controls/curl/high"), 0) == 1);
    assert_false(r.dirty);
    page_ok(&p, "{'do': 'redo'}");
    follow(&r, &p);
    assert_true(sn_value_number(sn_json_find(r.document, "/controls/curl/high"), 0) == 6);
    sn_json_destroy(r.document);
    page_leave(&other);
    page_end(&p);
}

static void the_history_lists_all_steps(void **state) {
    (void)state;
    snt_page p;
    page_begin(&p, "history");
    open_small(&p, "stick.sinew.json");
    for (int i = 1; i <= 3; ++i) {
        page_ok(&p,
                "{'do': 'edit', 'label': 'Step %d', 'ops': "
                "[{'path': '/controls/curl/high', 'value': %d}]}",
                i, 1 + i);
    }
    page_ok(&p, "{'do': 'undo'}");
    sn_json *answer = page_call(&p, "{'do': 'history', 'slot': 0}");
    assert_int_equal(sn_value_count(sn_json_find(answer, "/ok/steps")), 3);
    assert_string_equal(sn_value_string(sn_json_find(answer, "/ok/steps/2"), ""), "Step 3");
    assert_int_equal(sn_value_number(sn_json_find(answer, "/ok/position"), -1), 2);
    sn_json_destroy(answer);
    page_fails(&p, "", "{'do': 'history', 'slot': 1}");
    page_end(&p);
}

static void stale_edits_are_refused(void **state) {
    (void)state;
    snt_page p;
    replica r = {0};
    page_begin(&p, "stale");
    open_small(&p, "stick.sinew.json");
    follow(&r, &p);
    double before = r.revision;
    snt_page other = join(&p);
    page_ok(&other,
            "{'do': 'edit', 'revision': %.0f, 'ops': "
            "[{'path': '/controls/curl/high', 'value': 2}]}",
            before);
    // The same place, something in it, something around it.
    sn_json *answer = page_call(&p,
                                "{'do': 'edit', 'revision': %.0f, 'ops': "
                                "[{'path': '/controls/curl/high', 'value': 3}]}",
                                before);
    assert_string_equal(sn_value_string(sn_json_find(answer, "/error/status"), ""), "stale");
    sn_json_destroy(answer);
    page_fails(
        &p, "another page",
        "{'do': 'edit', 'revision': %.0f, 'ops': [{'path': '/controls/curl', 'gone': true}]}",
        before);
    page_fails(&p, "another page",
               "{'do': 'edit', 'revision': %.0f, 'ops': [{'path': '', 'value': {}}]}", before);
    // Elsewhere it is taken; and here, too, by one who knows.
    page_ok(
        &p,
        "{'do': 'edit', 'revision': %.0f, 'ops': [{'path': '/controls/turn/high', 'value': 3}]}",
        before);
    follow(&r, &p);
    page_ok(
        &p,
        "{'do': 'edit', 'revision': %.0f, 'ops': [{'path': '/controls/curl/high', 'value': 3}]}",
        r.revision);
    // One's own changes are no reason.
    page_ok(&other, "{'do': 'edit', 'revision': %.0f, 'ops': [{'path': '/about', 'value': 'a'}]}",
            before);
    page_ok(&other, "{'do': 'edit', 'revision': %.0f, 'ops': [{'path': '/about', 'value': 'b'}]}",
            before);
    // A new name is as much touched as the old one.
    follow(&r, &p);
    page_ok(&other, "{'do': 'edit', 'ops': [{'path': '/controls/turn', 'key': 'a/b'}]}");
    page_fails(&p, "another page",
               "{'do': 'edit', 'revision': %.0f, 'ops': [{'path': '/controls/a~1b', 'value': {}}]}",
               r.revision);
    page_fails(
        &p, "another page",
        "{'do': 'edit', 'revision': %.0f, 'ops': [{'path': '/controls/curl', 'key': 'a/b'}]}",
        r.revision);
    // Another document is another one everywhere.
    page_ok(&p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(&p, "stick.sinew.json"));
    page_fails(&p, "another page",
               "{'do': 'edit', 'revision': %.0f, 'ops': [{'path': '/about', 'value': 'c'}]}",
               before);
    sn_json_destroy(r.document);
    page_leave(&other);
    page_end(&p);
}

// ---------------------------------------------------------------------------------------------
// Two pages at once

typedef struct editor {
    snt_page page;
    uint64_t seed;
    uint32_t taken;
} editor;

static void *edit_along(void *user) {
    editor *e = user;
    snt_random random = {e->seed};
    for (int i = 0; i < 60; ++i) {
        double id = ++e->page.last_id;
        char text[512];
        snprintf(text, sizeof text,
                 "{\"id\": %.0f, \"do\": \"%s\", \"ops\": [{\"path\": \"/controls/%s/high\", "
                 "\"value\": %u}]}",
                 id, i % 7 == 6 ? "undo" : "edit", snt_random_u32(&random) % 2 ? "curl" : "turn",
                 1 + snt_random_u32(&random) % 90);
        if (!desk_receive(e->page.desk, e->page.page, text, strlen(text))) {
            return NULL;
        }
        sn_json *answer = page_wait(&e->page, matches_id, &id, text);
        e->taken += sn_json_find(answer, "/ok") != NULL;
        sn_json_destroy(answer);
    }
    return NULL;
}

static void two_pages_edit_at_once(void **state) {
    (void)state;
    snt_page p;
    page_begin(&p, "both");
    open_small(&p, "stick.sinew.json");
    editor editors[2] = {{join(&p), 11, 0}, {join(&p), 12, 0}};
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(pthread_create(&threads[i], NULL, edit_along, &editors[i]), 0);
    }
    for (int i = 0; i < 2; ++i) {
        pthread_join(threads[i], NULL);
        assert_true(editors[i].taken > 30);
    }
    page_ok(&p, "{'do': 'save'}");
    // Both have seen every change in the same order: their documents are the file.
    for (int i = 0; i < 2; ++i) {
        replica r = {0};
        page_ok(&editors[i].page, "{'do': 'ping'}");
        follow(&r, &editors[i].page);
        assert_replica_is_file(&r, &p, in_folder(&p, "stick.sinew.json"));
        sn_json_destroy(r.document);
        page_leave(&editors[i].page);
    }
    page_end(&p);
}

// ---------------------------------------------------------------------------------------------
// Messages

static void a_page_that_comes_gets_everything(void **state) {
    (void)state;
    snt_page p;
    page_begin(&p, "hello");
    open_small(&p, "stick.sinew.json");
    page_ok(&p, "{'do': 'edit', 'ops': [{'path': '/about', 'value': 'x'}]}");
    snt_page other = join(&p);
    replica mine = {0}, theirs = {0};
    follow(&mine, &p);
    sn_json *welcome = page_event(&other, "welcome");
    assert_non_null(sn_json_find(welcome, "/schema/properties/muscles"));
    assert_true(sn_value_number(sn_json_find(welcome, "/drawn/slide/default"), 0) == 0.04);
    assert_null(sn_json_find(welcome, "/drawn/d_full/default")); // computed
    sn_json_destroy(welcome);
    sn_json_destroy(page_event(&other, "time"));
    follow(&theirs, &other);
    assert_true(patch_equal(sn_json_root(mine.document), sn_json_root(theirs.document)));
    assert_true(mine.revision == theirs.revision);
    assert_int_equal(theirs.undo, 1);
    sn_json_destroy(mine.document);
    sn_json_destroy(theirs.document);
    page_leave(&other);
    page_end(&p);
}

static void rubbish_is_answered(void **state) {
    (void)state;
    static const char *const rubbish[] = {
        "",
        "{",
        "[]",
        "7",
        "null",
        "{}",
        "\xff",
        "\"a\"",
        "{\"do\": 1}",
        "{\"do\": \"\"}",
        "{\"id\": \"x\", \"do\": \"ping\"}",
        "{\"do\": \"edit\", \"slot\": -1}",
        "{\"do\": \"seek\", \"frame\": 1e300}",
        "{\"do\": \"view\", \"slot\": 0, \"surfaces\": [1.5]}",
        "{\"do\": \"ack\", \"serial\": \"x\"}",
        "{\"do\": \"hold\", \"slot\": 0, \"values\": 1}",
        "{\"do\": \"geometry\", \"slot\": 0, \"model\": 1, \"surfaces\": [0]}",
    };
    snt_page p;
    page_begin(&p, "rubbish");
    for (size_t i = 0; i < sizeof rubbish / sizeof rubbish[0]; ++i) {
        assert_true(desk_receive(p.desk, p.page, rubbish[i], strlen(rubbish[i])));
    }
    snt_random random = {5};
    for (int i = 0; i < 300; ++i) {
        char bytes[64];
        for (size_t k = 0; k < sizeof bytes; ++k) {
            bytes[k] = (char)snt_random_u32(&random);
        }
        assert_true(desk_receive(p.desk, p.page, bytes, snt_random_u32(&random) % sizeof bytes));
        assert_true(desk_receive_bytes(p.desk, p.page, bytes, sizeof bytes));
        if (i % 100 == 99) {
            page_ok(&p, "{'do': 'ping'}");
        }
    }
    page_fails(&p, "there is no command \"nothing\"", "{'do': 'nothing'}");
    page_ok(&p, "{'do': 'ping'}");
    page_end(&p);
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void wait_at_gate(desk *d, void *user) {
    (void)d, (void)user;
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
}

static void too_many_messages_are_refused(void **state) {
    (void)state;
    static const char ping[] = "{\"do\": \"ping\"}";
    snt_page p;
    page_begin(&p, "many");
    pthread_mutex_lock(&gate);
    assert_true(desk_post(p.desk, wait_at_gate, NULL));
    uint32_t count = 0;
    while (count < 5000 && desk_receive(p.desk, p.page, ping, sizeof ping - 1)) {
        ++count;
    }
    assert_int_equal(count, 1000);
    snt_page other = {.context = p.context, .desk = p.desk, .page = desk_join(p.desk)};
    assert_true(desk_receive(p.desk, other.page, ping, sizeof ping - 1));
    pthread_mutex_unlock(&gate);
    page_ok(&other, "{'do': 'ping'}");
    page_ok(&p, "{'do': 'ping'}");
    page_leave(&other);
    // And too many pages.
    uint32_t pages[DESK_PAGE_LIMIT + 1] = {0};
    for (uint32_t i = 0; i < DESK_PAGE_LIMIT - 1; ++i) {
        pages[i] = desk_join(p.desk);
        assert_int_not_equal(pages[i], 0);
    }
    assert_int_equal(desk_join(p.desk), 0);
    desk_leave(p.desk, pages[3]);
    assert_int_not_equal(desk_join(p.desk), 0);
    page_end(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_undone_are_the_opened_bytes),
        cmocka_unit_test(wrong_edits_change_nothing),
        cmocka_unit_test(edits_with_a_key_are_one_step),
        cmocka_unit_test(the_history_lists_all_steps),
        cmocka_unit_test(stale_edits_are_refused),
        cmocka_unit_test(two_pages_edit_at_once),
        cmocka_unit_test(a_page_that_comes_gets_everything),
        cmocka_unit_test(rubbish_is_answered),
        cmocka_unit_test(too_many_messages_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
