// SPDX-License-Identifier: Apache-2.0
//
// Held values and edits of the document in one history: undone and redone in the order in which
// they were done.
#include "page.h"

static void begin(snt_page *p) {
    page_open_arm(p);
    sn_json_destroy(page_event(p, "model"));
    page_forget(p);
}

static bool has_values(const sn_json *event, const sn_json *wanted) {
    const sn_value *values = sn_json_find(event, "/values");
    const sn_value *each = sn_json_root(wanted);
    bool same = sn_value_count(values) == sn_value_count(each);
    for (uint32_t i = 0; i < sn_value_count(each) && same; ++i) {
        const sn_value *value = sn_value_at(each, i);
        same = sn_value_number(sn_value_get(values, value->key), -1e9) == sn_value_number(value, 0);
    }
    return same;
}

// Waits until exactly these values are held, written with ' in place of ".
static void wait_held(snt_page *p, const char *values) {
    char text[256];
    sn_json *wanted = NULL;
    snprintf(text, sizeof text, "%s", values);
    for (char *c = text; *c; ++c) {
        *c = *c == '\'' ? '"' : *c;
    }
    snt_ok(sn_json_parse(p->context, text, strlen(text), &wanted, error));
    for (bool found = false; !found;) {
        sn_json *event = page_event(p, "held");
        found = has_values(event, wanted);
        sn_json_destroy(event);
    }
    sn_json_destroy(wanted);
}

// The labels of all steps, with commas between them, then how many are done.
static const char *history_of(snt_page *p) {
    static char text[512];
    sn_json *answer = page_call(p, "{'do': 'history', 'slot': 0}");
    const sn_value *steps = sn_json_find(answer, "/ok/steps");
    size_t at = 0;
    for (uint32_t i = 0; i < sn_value_count(steps); ++i) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%s,",
                               sn_value_string(sn_value_at(steps, i), ""));
    }
    snprintf(text + at, sizeof text - at, "%.0f",
             sn_value_number(sn_json_find(answer, "/ok/position"), -1));
    sn_json_destroy(answer);
    return text;
}

static void assert_about(snt_page *p, const char *wanted) {
    sn_json *document = page_saved(p, 0, "seen.sinew.json");
    assert_string_equal(text_at(document, "/about"), wanted);
    sn_json_destroy(document);
}

static void say(snt_page *p, const char *about) {
    page_ok(p,
            "{'do': 'edit', 'slot': 0, 'label': '%s', 'ops': [{'path': '/about', 'value': '%s'}]}",
            about, about);
}

static void hold(snt_page *p, const char *label, const char *merge, const char *values) {
    page_ok(p, "{'do': 'hold', 'slot': 0, 'label': '%s', 'merge': '%s', 'values': %s}", label,
            merge, values);
}

static void poses_and_edits_are_undone_in_order(void **state) {
    snt_page *p = *state;
    begin(p);
    say(p, "one");
    hold(p, "bend", "drag 1", "{'forearm.rx_deg': 30}");
    hold(p, "bend", "drag 1", "{'forearm.rx_deg': 40}");
    say(p, "two");
    hold(p, "fist", "drag 2", "{'fist': 0.5}");
    page_ok(p, "{'do': 'release', 'slot': 0, 'names': null}");
    wait_held(p, "{}");
    assert_string_equal(history_of(p), "one,bend,two,fist,Release all,5");

    page_ok(p, "{'do': 'undo', 'slot': 0}");
    wait_held(p, "{'forearm.rx_deg': 40, 'fist': 0.5}");
    page_ok(p, "{'do': 'undo', 'slot': 0}");
    wait_held(p, "{'forearm.rx_deg': 40}");
    assert_about(p, "two");
    page_ok(p, "{'do': 'undo', 'slot': 0}");
    assert_about(p, "one");
    page_ok(p, "{'do': 'undo', 'slot': 0}");
    wait_held(p, "{}");
    page_ok(p, "{'do': 'undo', 'slot': 0}");
    page_fails(p, "nothing to undo", "{'do': 'undo', 'slot': 0}");

    for (int i = 0; i < 4; ++i) {
        page_ok(p, "{'do': 'redo', 'slot': 0}");
    }
    wait_held(p, "{'forearm.rx_deg': 40, 'fist': 0.5}");
    assert_about(p, "two");
    page_ok(p, "{'do': 'redo', 'slot': 0}");
    wait_held(p, "{}");
    page_fails(p, "nothing to redo", "{'do': 'redo', 'slot': 0}");
}

static void what_leads_back_to_its_beginning_is_no_step(void **state) {
    snt_page *p = *state;
    begin(p);
    hold(p, "fist", "drag 1", "{'fist': 0.5}");
    hold(p, "fist", "drag 2", "{'fist': 0.9}");
    hold(p, "fist", "drag 2", "{'fist': 0.5}");
    assert_string_equal(history_of(p), "fist,1");
    page_ok(p, "{'do': 'release', 'slot': 0, 'names': ['fist'], 'merge': 'drag 1'}");
    page_ok(p, "{'do': 'release', 'slot': 0, 'names': ['forearm.rx']}");
    // The step of the first drag is closed: the second one lay in between.
    assert_string_equal(history_of(p), "fist,Release,2");
    // A joint that is held under another name comes back under that.
    page_ok(p, "{'do': 'hold', 'slot': 0, 'values': {'forearm.rx': 0.25}}");
    page_ok(p, "{'do': 'hold', 'slot': 0, 'values': {'forearm.rx_deg': 20}}");
    wait_held(p, "{'forearm.rx_deg': 20}");
    page_ok(p, "{'do': 'undo', 'slot': 0}");
    wait_held(p, "{'forearm.rx': 0.25}");
    page_ok(p, "{'do': 'redo', 'slot': 0}");
    wait_held(p, "{'forearm.rx_deg': 20}");
}

static void an_edit_and_what_it_releases_are_one_step(void **state) {
    snt_page *p = *state;
    begin(p);
    hold(p, "fist", "drag 1", "{'fist': 0.5, 'forearm.rx_deg': 10}");
    page_ok(p, "{'do': 'edit', 'slot': 0, 'label': 'drive', 'release': ['fist', 'none'], 'ops': "
               "[{'path': '/about', 'value': 'driven'}]}");
    wait_held(p, "{'forearm.rx_deg': 10}");
    assert_string_equal(history_of(p), "fist,drive,2");
    page_ok(p, "{'do': 'undo', 'slot': 0}");
    wait_held(p, "{'fist': 0.5, 'forearm.rx_deg': 10}");
    page_ok(p, "{'do': 'redo', 'slot': 0}");
    wait_held(p, "{'forearm.rx_deg': 10}");
    assert_about(p, "driven");
    // Held values that belong to a drawing are part of its step, before and after its edits.
    hold(p, "draw", "drawing", "{'fist': 1}");
    page_ok(p, "{'do': 'edit', 'slot': 0, 'label': 'draw', 'merge': 'drawing', 'ops': "
               "[{'path': '/about', 'value': 'drawn'}]}");
    hold(p, "draw", "drawing", "{'fist': 0.75}");
    assert_string_equal(history_of(p), "fist,drive,draw,3");
    page_ok(p, "{'do': 'undo', 'slot': 0}");
    wait_held(p, "{'forearm.rx_deg': 10}");
    assert_about(p, "driven");
    page_ok(p, "{'do': 'redo', 'slot': 0}");
    wait_held(p, "{'fist': 0.75, 'forearm.rx_deg': 10}");
    assert_about(p, "drawn");
}

static void a_value_waits_for_the_model_that_has_its_name(void **state) {
    snt_page *p = *state;
    begin(p);
    page_ok(p, "{'do': 'edit', 'slot': 0, 'ops': [{'path': '/controls/squeeze', 'value': {}}]}");
    sn_json_destroy(page_event(p, "model"));
    hold(p, "squeeze", "drag 1", "{'squeeze': 0.5}");
    wait_held(p, "{'squeeze': 0.5}");
    page_ok(p, "{'do': 'undo', 'slot': 0}");
    page_ok(p, "{'do': 'undo', 'slot': 0}");
    wait_held(p, "{}");
    sn_json_destroy(page_event(p, "model"));
    // The model of the first is still in the making when the second is done again.
    page_forget(p);
    page_ok(p, "{'do': 'redo', 'slot': 0}");
    page_ok(p, "{'do': 'redo', 'slot': 0}");
    wait_held(p, "{'squeeze': 0.5}");
    // Taken away together with its control, it is there again when that is.
    page_ok(p, "{'do': 'edit', 'slot': 0, 'ops': [{'path': '/controls/squeeze', 'gone': true}]}");
    wait_held(p, "{}");
    page_ok(p, "{'do': 'undo', 'slot': 0}");
    wait_held(p, "{'squeeze': 0.5}");
}

// Held values end with the studio, and so do their steps.
static void the_journal_has_the_steps_of_the_document(void **state) {
    (void)state;
    snt_page studio, *p = &studio;
    page_begin(p, "held-journal");
    begin(p);
    hold(p, "fist", "drawing", "{'fist': 1}");
    page_ok(p, "{'do': 'edit', 'slot': 0, 'label': 'one', 'merge': 'drawing', 'ops': "
               "[{'path': '/about', 'value': 'one'}]}");
    page_ok(p, "{'do': 'edit', 'slot': 0, 'label': 'one', 'merge': 'drawing', 'ops': "
               "[{'path': '/about', 'value': 'one more'}]}");
    hold(p, "bend", "drag 2", "{'forearm.rx_deg': 30}");
    say(p, "two");
    page_ok(p, "{'do': 'undo', 'slot': 0}");
    page_ok(p, "{'do': 'undo', 'slot': 0}");
    assert_string_equal(history_of(p), "one,bend,two,1");
    page_end(p);
    page_begin(p, "held-journal");
    page_ok(p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(p, "arm.sinew.json"));
    assert_string_equal(history_of(p), "one,two,1");
    assert_about(p, "one more");
    page_end(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        page_test(poses_and_edits_are_undone_in_order),
        page_test(what_leads_back_to_its_beginning_is_no_step),
        page_test(an_edit_and_what_it_releases_are_one_step),
        page_test(a_value_waits_for_the_model_that_has_its_name),
        cmocka_unit_test(the_journal_has_the_steps_of_the_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
