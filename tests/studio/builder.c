// SPDX-License-Identifier: Apache-2.0
#include "frames.h"

#include <math.h>

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
        wire_packet *packet = wait_frame(&p, 0, serial, 6 + (uint32_t)i);
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

static uint32_t index_of(const sn_json *model, const char *list, const char *name) {
    const sn_value *items = sn_json_find(model, list);
    for (uint32_t i = 0; i < sn_value_count(items); ++i) {
        const char *found = sn_value_string(sn_value_get(sn_value_at(items, i), "name"), "");
        if (strcmp(found, name) == 0) {
            return i;
        }
    }
    fail_msg("there is no %s", name);
    return SN_NONE;
}

// At a frame that was not shown before, so that nothing of the view before is on its way.
static float weight_of(snt_page *p, uint32_t serial, uint32_t skin, const char *segment,
                       uint32_t vertex) {
    static uint32_t number;
    uint32_t count = 0;
    size_t bytes = 0;
    float value = -1;
    page_ok(p,
            "{'do': 'view', 'slot': 0, 'surfaces': [%u], 'quantity': {'name': 'weights', "
            "'segment': '%s'}}",
            skin, segment);
    page_ok(p, "{'do': 'seek', 'frame': %u}", ++number);
    wire_packet *packet = wait_frame(p, 0, serial, number);
    const uint8_t *values = find_block(packet, skin, PACKET_VALUES, &count, &bytes);
    assert_true(values != NULL && vertex < count);
    memcpy(&value, values + 4 * (size_t)vertex, 4);
    free(packet);
    return value;
}

// Strokes on a segment, on another one and on the first again, as the page writes them: the skin
// has the last value, and what is left goes to the others as the strokes before divided it.
static void the_last_stroke_is_the_weight(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "paint");
    char file[1024];
    snprintf(file, sizeof file, "%s", snt_source("examples/arm/arm.sinew.json"));
    open_example(&p, 0, file);
    sn_json *answer = page_call(
        &p, "{'do': 'edit', 'slot': 0, 'ops': [{'path': '/skins/skin/deformers/0/paint', 'value': ["
            "{'segment': 'forearm', 'points': '40-42', 'values': [0.9, 0.75, 0.9]},"
            "{'segment': 'upper_arm', 'points': '41', 'values': [0.5]},"
            "{'segment': 'forearm', 'points': '41', 'values': [0.625]}]}]}");
    double revision = sn_value_number(sn_json_find(answer, "/ok/revision"), 0);
    sn_json_destroy(answer);
    sn_json *model = page_wait(&p, matches_revision, &revision, "the painted model");
    uint32_t serial = model_serial(model), skin = index_of(model, "/surfaces", "skin");
    assert_true(fabsf(weight_of(&p, serial, skin, "forearm", 41) - 0.625F) < 1e-6F);
    assert_true(fabsf(weight_of(&p, serial, skin, "forearm", 40) - 0.9F) < 1e-6F);
    // Of the rest at most 0.25 was left by the first stroke, so that upper_arm to it is 0.5 to
    // 0.125.
    float other = weight_of(&p, serial, skin, "upper_arm", 41);
    assert_true(other > 0.375F * 0.5F / 0.625F - 1e-6F && other < 0.375F + 1e-6F);
    sn_json_destroy(model);
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
    assert_true(sn_value_number(sn_json_find(event, "/model"), 0) == serial);
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

// A page that says hello while a model is made takes it from nobody.
static void pages_that_come_leave_the_model_to_all(void **state) {
    (void)state;
    enum { EDITS = 4, HELLOS = 12 };
    static const char hello[] = "{\"id\": 1, \"do\": \"hello\"}";
    snt_page p;
    begin(&p, "hellos");
    char file[1024];
    snprintf(file, sizeof file, "%s", snt_source("examples/arm/arm.sinew.json"));
    open_example(&p, 0, file);
    snt_page other = {.context = p.context, .desk = p.desk, .page = desk_join(p.desk)};
    for (int i = 0; i < EDITS; ++i) {
        double revision = edit(&p, "/muscles/biceps/muscle_thickness", 0.006 + 0.001 * i);
        for (int k = 0; k < HELLOS; ++k) {
            assert_true(desk_receive(p.desk, other.page, hello, sizeof hello - 1));
        }
        sn_json_destroy(page_wait(&p, matches_revision, &revision, "the model of an edit"));
        sn_json_destroy(page_wait(&other, matches_revision, &revision, "the same for the other"));
        page_forget(&other);
    }
    page_leave(&other);
    page_end(&p);
}

// Another document that no model can be made of does not stand under the character before it.
static void another_document_that_fails_clears_the_stage(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "cleared");
    char file[1024];
    snprintf(file, sizeof file, "%s", snt_source("examples/arm/arm.sinew.json"));
    open_example(&p, 0, file);
    put_text(in_folder(&p, "broken.sinew.json"),
             "{\"sinew\": 1, \"name\": \"broken\", \"skeleton\": {\"root\": {}}, \"meshes\": "
             "{\"gone\": {\"file\": \"nowhere.obj\"}}, \"skins\": {\"gone\": {\"mesh\": "
             "\"gone\"}}}");
    page_ok(&p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(&p, "broken.sinew.json"));
    sn_json *event = page_event(&p, "model_error");
    assert_int_equal(sn_json_find(event, "/model")->type, SN_JSON_NULL);
    sn_json_destroy(event);
    page_fails(&p, "no model", "{'do': 'hold', 'slot': 0, 'values': {'forearm.rx_deg': 1}}");
    page_forget(&p);
    page_ok(&p, "{'do': 'hello'}");
    sn_json_destroy(page_event(&p, "model_error"));
    for (uint32_t i = 0; i < p.count; ++i) {
        assert_false(matches_event(sn_json_root(p.messages[i]), "model"));
    }
    // Mended, it is there.
    page_ok(&p, "{'do': 'edit', 'slot': 0, 'ops': [{'path': '/skins', 'gone': true}]}");
    sn_json_destroy(page_event(&p, "model"));
    page_end(&p);
}

static void clips_are_chosen(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "clip");
    char file[1024];
    snprintf(file, sizeof file, "%s", snt_source("examples/arm/arm.sinew.json"));
    open_example(&p, 0, file);
    page_fails(&p, "must be given as", "{'do': 'clip', 'slot': 0}");
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

#define TRIANGLE "v 0 0 0\nv 1 0 0\nv 0 %d 0\nf 1 2 3\n"

static void put_triangle(const snt_page *p, int height) {
    char text[128];
    snprintf(text, sizeof text, TRIANGLE, height);
    put_text(in_folder(p, "skin.obj"), text);
}

static bool matches_read_again(const sn_value *message, const void *wanted) {
    return matches_event(message, "notice") &&
           strstr(sn_value_string(sn_value_get(message, "text"), ""), wanted) != NULL;
}

// A mesh that another program writes anew is read again, and told; so is one that was missing.
static void a_mesh_that_changed_is_read_again(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "mesh");
    put_text(in_folder(&p, "a.sinew.json"),
             "{\"sinew\": 1, \"name\": \"a\", \"skeleton\": {\"root\": {}}, \"meshes\": {\"skin\": "
             "{\"file\": \"skin.obj\"}}, \"skins\": {\"skin\": {\"mesh\": \"skin\"}}}");
    page_ok(&p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(&p, "a.sinew.json"));
    sn_json_destroy(page_event(&p, "model_error"));
    put_triangle(&p, 1);
    sn_json *event = page_event(&p, "model");
    char shape[64];
    snprintf(shape, sizeof shape, "%s",
             sn_value_string(sn_json_find(event, "/surfaces/0/shape"), ""));
    assert_true(shape[0] != 0);
    sn_json_destroy(event);
    page_ok(&p, "{'do': 'edit', 'slot': 0, 'ops': [{'path': '/about', 'value': 'x'}]}");
    sn_json_destroy(page_event(&p, "model"));
    page_forget(&p);
    put_triangle(&p, 2);
    event = page_event(&p, "model");
    assert_string_not_equal(sn_value_string(sn_json_find(event, "/surfaces/0/shape"), ""), shape);
    sn_json_destroy(event);
    sn_json_destroy(page_wait(&p, matches_read_again, "skin.obj changed on disk", "a notice"));
    // What can be undone is as before.
    page_ok(&p, "{'do': 'undo', 'slot': 0}");
    sn_json_destroy(page_event(&p, "model"));
    page_end(&p);
}

static bool matches_bend(const sn_value *message, const void *wanted) {
    (void)wanted;
    const sn_value *clip = sn_value_at(sn_value_get(message, "clips"), 0);
    return matches_event(message, "model") && strcmp(sn_value_string(clip, ""), "bend") == 0;
}

// A clip that waits goes with the document that it was chosen for.
static void a_clip_is_not_played_on_another_document(void **state) {
    (void)state;
    snt_page p;
    begin(&p, "stale-clip");
    char file[1024], open[1200];
    snprintf(file, sizeof file, "%s", snt_source("examples/arm/arm.sinew.json"));
    open_example(&p, 0, file);
    put_text(in_folder(&p, "other.sinew.json"),
             "{\"sinew\": 1, \"name\": \"other\", \"skeleton\": {\"root\": {}}, \"controls\": "
             "{\"a\": {}}, \"clips\": {\"bend\": {\"rate\": 24, \"tracks\": {\"a\": {\"keys\": "
             "[[0, 0], [1, 1]]}}}}}");
    snprintf(open, sizeof open, "{\"do\": \"open\", \"slot\": 0, \"path\": \"%s\"}",
             in_folder(&p, "other.sinew.json"));
    // The model of the edit is being made while the clip is chosen and the document goes.
    const char *texts[] = {"{\"do\": \"edit\", \"slot\": 0, \"ops\": [{\"path\": "
                           "\"/controls/new\", \"value\": {}}]}",
                           "{\"id\": 1000, \"do\": \"clip\", \"slot\": 0, \"name\": null}", open};
    for (int i = 0; i < 3; ++i) {
        assert_true(desk_receive(p.desk, p.page, texts[i], strlen(texts[i])));
    }
    double id = 1000;
    sn_json_destroy(page_wait(&p, matches_bend, NULL, "the other model"));
    sn_json_destroy(page_wait(&p, matches_id, &id, "the clip"));
    page_forget(&p);
    page_ok(&p, "{'do': 'hello'}");
    sn_json *event = page_event(&p, "model");
    assert_string_equal(sn_value_string(sn_json_find(event, "/clip/name"), ""), "bend");
    sn_json_destroy(event);
    page_end(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edited_muscle_has_the_bits_of_a_new_model),
        cmocka_unit_test(the_last_stroke_is_the_weight),
        cmocka_unit_test(the_newest_document_wins),
        cmocka_unit_test(a_model_that_fails_leaves_the_old_one),
        cmocka_unit_test(pages_that_come_leave_the_model_to_all),
        cmocka_unit_test(another_document_that_fails_clears_the_stage),
        cmocka_unit_test(a_mesh_that_changed_is_read_again),
        cmocka_unit_test(clips_are_chosen),
        cmocka_unit_test(a_clip_is_not_played_on_another_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
