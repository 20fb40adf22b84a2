// SPDX-License-Identifier: Apache-2.0
#include "frames.h"

static bool matches_revision(const sn_value *message, const void *wanted) {
    return matches_event(message, "model") &&
           sn_value_number(sn_value_get(message, "revision"), 0) == *(const double *)wanted;
}

static double edit(snt_page *p, const char *path, double value) {
    sn_json *answer = page_call(
        p, "{'do': 'edit', 'slot': 0, 'ops': [{'path': '%s', 'value': %.17g}]}", path, value);
    double revision = sn_value_number(sn_json_find(answer, "/ok/revision"), 0);
    if (error_of(answer)) {
        print_error("%s\n", error_of(answer));
    }
    assert_true(revision > 0);
    sn_json_destroy(answer);
    return revision;
}

static const char *first_muscle(const sn_json *document, char *path, size_t size) {
    sn_value_path(sn_value_at(sn_json_find(document, "/muscles"), 0), path, size);
    return path;
}

// A muscle that is edited comes to the page as if the model had been made anew.
static void an_edited_muscle_has_the_bits_of_a_new_model(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "muscle");
    char file[1024], path[256], key[300];
    snprintf(file, sizeof file, "%s", snt_source("examples/arm/arm.sinew.json"));
    open_example(&p, 0, file);
    sn_character *character = NULL;
    snt_ok(sn_character_load(p.context, file, &character, error));
    first_muscle(sn_character_document(character), path, sizeof path);
    snprintf(key, sizeof key, "%s/muscle_thickness", path);
    for (int i = 0; i < 3; ++i) {
        double thickness = 0.006 + 0.001 * i;
        double revision = edit(&p, key, thickness);
        sn_json *event = page_wait(&p, matches_revision, &revision, "the model of an edit");
        uint32_t serial = model_serial(event);
        sn_json_destroy(event);
        page_ok(&p, "{'do': 'seek', 'frame': %d}", 6 + i);
        desk_packet *packet = wait_frame(&p, 0, serial, 6 + (uint32_t)i);
        twin t = {.character = character};
        sn_value *muscle = sn_json_find(sn_character_document(character), path);
        sn_json_add_number(sn_character_document(character), muscle, "muscle_thickness", thickness);
        snt_ok(sn_model_create(character, NULL, &t.model, error));
        snt_ok(sn_motion_open(t.model, sn_model_clip_name(t.model, 0), &t.motion, error));
        snt_ok(sn_frame_create(t.model, &t.frame, error));
        assert_frame(packet, &t, 6 + (uint32_t)i);
        t.character = NULL;
        end_twin(&t);
        free(packet);
    }
    sn_character_destroy(character);
    page_end(&p);
}

// While edits come faster than models are made, the last one is the one that stays.
static void the_newest_document_wins(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "last");
    char file[1024];
    snprintf(file, sizeof file, "%s", snt_source("examples/arm/arm.sinew.json"));
    open_example(&p, 0, file);
    double revision = 0;
    for (int i = 1; i <= 12; ++i) {
        sn_json *answer = page_call(&p,
                                    "{'do': 'edit', 'slot': 0, 'ops': [{'path': '/controls/new', "
                                    "'value': {'high': %d}}]}",
                                    i);
        revision = sn_value_number(sn_json_find(answer, "/ok/revision"), 0);
        sn_json_destroy(answer);
    }
    sn_json *event = page_wait(&p, matches_revision, &revision, "the model of the last edit");
    const sn_value *controls = sn_json_find(event, "/controls");
    const sn_value *added = sn_value_at(controls, sn_value_count(controls) - 1);
    assert_string_equal(sn_value_string(sn_value_get(added, "name"), ""), "new");
    assert_true(sn_value_number(sn_value_get(added, "high"), 0) == 12);
    sn_json_destroy(event);
    page_end(&p);
}

// A document that no model can be made of keeps the model that is there.
static void a_model_that_fails_leaves_the_old_one(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "fails");
    char file[1024];
    snprintf(file, sizeof file, "%s", snt_source("examples/arm/arm.sinew.json"));
    uint32_t serial = open_example(&p, 0, file);
    free(wait_frame(&p, 0, serial, SN_NONE));
    page_ok(&p, "{'do': 'edit', 'slot': 0, 'ops': [{'path': '/meshes/gone', 'value': "
                "{'file': 'nowhere.obj'}}, {'path': '/skins/gone', 'value': {'mesh': 'gone'}}]}");
    sn_json *event = page_event(&p, "model_error");
    assert_string_equal(sn_value_string(sn_json_find(event, "/error/place"), ""),
                        "/meshes/gone/file");
    assert_non_null(strstr(sn_value_string(sn_json_find(event, "/error/message"), ""), "nowhere"));
    sn_json_destroy(event);
    page_ok(&p, "{'do': 'seek', 'frame': 3}");
    free(wait_frame(&p, 0, serial, 3));
    // A page that comes hears of both.
    snt_page other = {.context = p.context, .desk = p.desk, .page = desk_join(p.desk)};
    page_ok(&other, "{'do': 'hello'}");
    sn_json_destroy(page_event(&other, "model"));
    sn_json_destroy(page_event(&other, "model_error"));
    page_leave(&other);
    page_ok(&p, "{'do': 'undo', 'slot': 0}");
    event = page_event(&p, "model");
    assert_true(model_serial(event) >= serial);
    sn_json_destroy(event);
    page_end(&p);
}

static void clips_are_chosen(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "clip");
    char file[1024];
    snprintf(file, sizeof file, "%s", snt_source("examples/arm/arm.sinew.json"));
    open_example(&p, 0, file);
    page_fails(&p, "must tell the clip", "{'do': 'clip', 'slot': 0}");
    page_fails(&p, "nowhere", "{'do': 'clip', 'slot': 0, 'name': 'nowhere'}");
    page_forget(&p);
    page_ok(&p, "{'do': 'clip', 'slot': 0, 'name': null}");
    sn_json *event = page_event(&p, "model");
    assert_int_equal(sn_json_find(event, "/clip")->type, SN_JSON_NULL);
    const char *name = sn_value_string(sn_json_find(event, "/clips/0"), NULL);
    assert_non_null(name);
    page_ok(&p, "{'do': 'clip', 'slot': 0, 'name': '%s'}", name);
    sn_json *again = page_event(&p, "model");
    assert_string_equal(sn_value_string(sn_json_find(again, "/clip/name"), ""), name);
    sn_json_destroy(event);
    sn_json_destroy(again);
    page_end(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edited_muscle_has_the_bits_of_a_new_model),
        cmocka_unit_test(the_newest_document_wins),
        cmocka_unit_test(a_model_that_fails_leaves_the_old_one),
        cmocka_unit_test(clips_are_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
