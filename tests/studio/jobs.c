// SPDX-License-Identifier: Apache-2.0
//
// Long work: what it makes, that it can be cancelled, and that it leaves nothing half-made.
#include "page.h"

#include "leg_folder.h"

#include "common/film.h"
#include "common/portrait.h"

static double number_at(const sn_json *json, const char *path) {
    return sn_value_number(sn_json_find(json, path), -1);
}

// ---------------------------------------------------------------------------------------------
// Exports

// The same frames by the library alone.
static void bake(snt_page *p, const char *path, const char *clip, uint32_t last, bool bones) {
    snt_player player;
    sn_bake_desc desc = sn_bake_desc_default();
    player_open(p, &player, "arm.sinew.json", clip);
    sn_frame_show_only(player.frame, true);
    desc.motion = player.motion;
    desc.last = last;
    desc.bones = desc.muscles = bones;
    snt_ok(sn_bake(player.frame, &desc, path, NULL, error));
    player_close(&player);
}

static void exports_are_bakes(void **state) {
    snt_page *p = *state;
    static const char *const names[] = {"a.glb", "a.usda", "a.pc2", "a.mdd", "a.obj"};
    page_open_arm(p);
    for (size_t i = 0; i < 5; ++i) {
        bool bones = i == 1;
        char expected[64];
        snprintf(expected, sizeof expected, "expected/%s", names[i]);
        mkdir(in_folder(p, "expected"), 0777);
        sn_json *job =
            page_job(p,
                     "{'do': 'export', 'slot': 0, 'path': '%s', 'clip': 'curl', "
                     "'first': 0, 'last': 4, 'bones': %s, 'muscles': %s}",
                     in_folder(p, names[i]), bones ? "true" : "false", bones ? "true" : "false");
        assert_string_equal(text_at(job, "/result/path"), in_folder(p, names[i]));
        sn_json_destroy(job);
        bake(p, in_folder(p, expected), "curl", 4, bones);
    }
    for (size_t i = 0; i < 4; ++i) {
        char expected[64];
        snprintf(expected, sizeof expected, "expected/%s", names[i]);
        assert_true(snt_same_bytes(in_folder(p, names[i]), in_folder(p, expected)));
    }
    assert_true(snt_same_bytes(in_folder(p, "a.0003.obj"), in_folder(p, "expected/a.0003.obj")));
}

static void wrong_exports_are_refused(void **state) {
    snt_page *p = *state;
    page_fails(p, "no document", "{'do': 'export', 'slot': 0, 'path': '%s'}",
               in_folder(p, "a.glb"));
    page_open_arm(p);
    int before = snt_count_entries(p->folder);
    page_fails(p, "must end in", "{'do': 'export', 'slot': 0, 'path': '%s'}",
               in_folder(p, "a.txt"));
    page_fails(p, "already exists", "{'do': 'export', 'slot': 0, 'path': '%s'}",
               in_folder(p, "arm.glb"));
    page_fails(p, "not \"other\"", "{'do': 'export', 'slot': 0, 'path': '%s', 'glb': 'other'}",
               in_folder(p, "a.glb"));
    page_fails(p, "comes before the first",
               "{'do': 'export', 'slot': 0, 'path': '%s', 'first': 3, 'last': 2}",
               in_folder(p, "a.glb"));
    page_fails(p, "no clip \"jump\"", "{'do': 'export', 'slot': 0, 'path': '%s', 'clip': 'jump'}",
               in_folder(p, "a.glb"));
    page_fails(p, "outside", "{'do': 'export', 'slot': 0, 'path': '%s', 'clip': '/etc/passwd'}",
               in_folder(p, "a.glb"));
    page_fails(p, "outside", "{'do': 'clip', 'slot': 0, 'path': '/etc/passwd'}");
    page_fails(p, "outside", "{'do': 'clip', 'slot': 0, 'name': '/etc/passwd#x'}");
    static const char *const requests[] = {
        "{'do': 'export', 'slot': 0, 'path': '%s', 'clip': 'curl', 'first': 0, 'last': 100000}",
        "{'do': 'export', 'slot': 0, 'path': '%s', 'glb': 'skinned', 'muscles': true}",
    };
    for (size_t i = 0; i < 2; ++i) {
        char *text = NULL;
        assert_true(asprintf(&text, requests[i], in_folder(p, "a.glb")) >= 0);
        uint32_t job = page_start(p, page_call(p, "%s", text));
        sn_json *event = page_end_of(p, job, "failed");
        assert_true(text_at(event, "/error/message")[0] != 0);
        assert_string_equal(text_at(event, "/error/status"), "invalid");
        sn_json_destroy(event);
        free(text);
    }
    assert_int_equal(snt_count_entries(p->folder), before);
}

// ---------------------------------------------------------------------------------------------
// Cancelling

// A job's thread may need a moment to clean up after it was told to stop.
static void wait_for_entries(const char *folder, int count) {
    for (int i = 0; i < 100000 && snt_count_entries(folder) != count; ++i) {
        usleep(1000);
    }
    assert_int_equal(snt_count_entries(folder), count);
}

// Starts a job on the human, cancels it when it is under way, and looks that nothing is left. The
// desk answers meanwhile.
static void cancel_on_human(snt_page *p, const char *request) {
    page_ok(p, "{'do': 'open_example', 'slot': 0, 'name': 'human'}");
    int before = snt_count_entries(p->folder), state = snt_count_entries(p->state);
    uint32_t job = page_start(p, page_call(p, "%s", request));
    sn_json_destroy(page_wait(p, matches_running, &job, "progress"));
    page_ok(p, "{'do': 'edit', 'slot': 0, 'label': 'x', 'ops': [{'path': '/about', 'value': "
               "'still here'}]}");
    page_ok(p, "{'do': 'cancel', 'job': %u}", job);
    sn_json_destroy(page_end_of(p, job, "cancelled"));
    page_fails(p, "", "{'do': 'cancel', 'job': %u}", job + 1000);
    page_ok(p, "{'do': 'close', 'slot': 0}");
    wait_for_entries(p->folder, before);
    wait_for_entries(p->state, state);
}

static void a_cancelled_extraction_leaves_nothing(void **state) {
    snt_page *p = *state;
    char request[2200];
    snprintf(request, sizeof request,
             "{'do': 'extract', 'slot': 0, 'path': '%s', 'document': true}",
             in_folder(p, "skin.glb"));
    cancel_on_human(p, request);
}

static void a_cancelled_export_leaves_nothing(void **state) {
    snt_page *p = *state;
    char request[4200];
    snprintf(request, sizeof request, "{'do': 'export', 'slot': 0, 'path': '%s', 'report': '%s'}",
             in_folder(p, "human.usda"), in_folder(p, "human.json"));
    cancel_on_human(p, request);
}

static void the_desk_goes_in_the_middle_of_a_job(void **state) {
    snt_page *p = *state;
    page_ok(p, "{'do': 'open_example', 'slot': 0, 'name': 'human'}");
    uint32_t job = page_start(
        p, page_call(p, "{'do': 'extract', 'slot': 0, 'path': '%s'}", in_folder(p, "skin.glb")));
    sn_json_destroy(page_wait(p, matches_running, &job, "progress"));
    // The end of the test destroys the desk.
}

// ---------------------------------------------------------------------------------------------
// Imports

static void a_folder_of_anatomy_becomes_a_body(void **state) {
    snt_page *p = *state;
    const char *folder = snt_leg_folder(p->context, "studio-leg");
    page_end(p);
    page_begin_with(p, "jobs-leg", folder);
    sn_json *job = page_job(p,
                            "{'do': 'import', 'slot': 0, 'path': '%s', 'options': {'report': "
                            "'%s'}}",
                            folder, in_folder(p, "leg.json"));
    const sn_value *report = sn_json_find(job, "/result/report");
    assert_true(sn_value_count(report) > 0);
    // The report is also the file that was asked for.
    char *text = get_text(in_folder(p, "leg.json"));
    sn_json *file = NULL;
    snt_ok(sn_json_parse(p->context, text, strlen(text), &file, error));
    assert_int_equal(sn_value_count(sn_json_root(file)), sn_value_count(report));
    sn_json_destroy(file);
    free(text);
    sn_json_destroy(job);
    assert_int_equal(snt_count_entries(p->folder), 1);
    // It replaces nothing unasked, and no file of another kind.
    put_text(in_folder(p, "leg.json"), "mine");
    page_fails(p, "already exists",
               "{'do': 'import', 'slot': 0, 'path': '%s', 'options': {'report': '%s'}}", folder,
               in_folder(p, "leg.json"));
    page_fails(p, "must end in",
               "{'do': 'import', 'slot': 0, 'path': '%s', 'options': {'report': '%s'}}", folder,
               in_folder(p, ".profile"));
    sn_json_destroy(page_job(p,
                             "{'do': 'import', 'slot': 0, 'path': '%s', 'options': {'report': "
                             "'%s', 'replace': true}}",
                             folder, in_folder(p, "leg.json")));
    text = get_text(in_folder(p, "leg.json"));
    assert_int_equal(text[0], '{');
    free(text);
    assert_int_equal(snt_count_entries(p->folder), 1);
    sn_json *saved = page_saved(p, 0, "leg.sinew.json");
    assert_non_null(sn_json_find(saved, "/muscles/vastus"));
    assert_true(sn_value_count(sn_json_find(saved, "/bones")) >= 2);
    sn_json_destroy(saved);
    page_fails(p, "outside",
               "{'do': 'import', 'slot': 0, 'path': '%s', 'options': {'rig': '/etc/passwd'}}",
               folder);
    uint32_t failing =
        page_start(p, page_call(p, "{'do': 'import', 'slot': 0, 'path': '%s'}", p->folder));
    sn_json *event = page_end_of(p, failing, "failed");
    assert_non_null(strstr(text_at(event, "/error/message"), "no index.csv"));
    sn_json_destroy(event);
}

static void an_import_of_anatomy_can_be_cancelled(void **state) {
    snt_page *p = *state;
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", snt_data("anatomy"));
    page_end(p);
    page_begin_with(p, "jobs-anatomy", folder);
    int kept = snt_count_entries(p->state);
    uint32_t job = page_start(p, page_call(p, "{'do': 'import', 'slot': 0, 'path': '%s'}", folder));
    sn_json_destroy(page_wait(p, matches_running, &job, "progress"));
    page_ok(p, "{'do': 'cancel', 'job': %u}", job);
    sn_json_destroy(page_end_of(p, job, "cancelled"));
    page_fails(p, "no document", "{'do': 'save', 'slot': 0}");
    wait_for_entries(p->state, kept);
}

// Whenever it is cancelled, also when all is read: `open` is answered, with words, and nothing is
// open.
static void an_opening_that_is_cancelled_says_so(void **state) {
    snt_page *p = *state;
    copy_file(snt_source("examples/arm/arm.glb"), in_folder(p, "arm.glb"));
    for (uint32_t i = 1; i <= 8; ++i) {
        char text[4096];
        double id = 1000 + i;
        snprintf(text, sizeof text,
                 "{\"id\": %.0f, \"do\": \"open\", \"slot\": 0, \"path\": \"%s\"}", id,
                 in_folder(p, "arm.glb"));
        assert_true(desk_receive(p->desk, p->page, text, strlen(text)));
        usleep(i % 4 * 3000);
        snprintf(text, sizeof text, "{\"id\": 7, \"do\": \"cancel\", \"job\": %u}", i);
        assert_true(desk_receive(p->desk, p->page, text, strlen(text)));
        sn_json *opened = page_wait(p, matches_id, &id, "an opening");
        id = 7;
        sn_json *cancelled = page_wait(p, matches_id, &id, "a cancel");
        if (error_of(cancelled) == NULL) {
            assert_string_equal(text_at(opened, "/error/status"), "cancelled");
            assert_non_null(strstr(error_of(opened), "was cancelled"));
            page_fails(p, "no document", "{'do': 'save', 'slot': 0}");
        } else {
            assert_null(error_of(opened));
            page_ok(p, "{'do': 'close', 'slot': 0}");
        }
        sn_json_destroy(opened);
        sn_json_destroy(cancelled);
    }
}

static void an_opensim_model_becomes_a_body(void **state) {
    snt_page *p = *state;
    char folder[4096];
    snt_data("osim/arm26.osim");
    snprintf(folder, sizeof folder, "%s", snt_data("osim"));
    page_end(p);
    page_begin_with(p, "jobs-osim", folder);
    sn_json *job = page_job(p,
                            "{'do': 'import', 'slot': 0, 'path': '%s/arm26.osim', 'options': "
                            "{'motions': ['%s/arm26_ik.mot'], 'skin': false}}",
                            folder, folder);
    assert_int_equal(number_at(job, "/result/muscles"), 6);
    assert_int_equal(number_at(job, "/result/clips"), 1);
    assert_non_null(sn_json_find(job, "/result/notes"));
    sn_json_destroy(job);
    sn_json *saved = page_saved(p, 0, "arm26.sinew.json");
    assert_int_equal(sn_value_count(sn_json_find(saved, "/muscles")), 6);
    assert_int_equal(sn_value_count(sn_json_find(saved, "/clips")), 1);
    sn_json_destroy(saved);
}

// ---------------------------------------------------------------------------------------------
// Results that go into the document

static void a_skin_goes_into_the_document(void **state) {
    snt_page *p = *state;
    page_open_arm(p);
    sn_json *job =
        page_job(p,
                 "{'do': 'extract', 'slot': 0, 'path': '%s', 'document': true, "
                 "'dimension': 60, 'filter': 0.5, 'name': 'bones skin', 'parts': ['humerus']}",
                 in_folder(p, "skin.glb"));
    assert_string_equal(text_at(job, "/result/skin"), "bones skin");
    assert_true(number_at(job, "/result/vertices") > 100);
    sn_json_destroy(job);
    sn_json *saved = page_saved(p, 0, "with.sinew.json");
    assert_string_equal(text_at(saved, "/meshes/bones skin/file"), "skin.glb");
    assert_string_equal(text_at(saved, "/skins/bones skin/deformers/0/kind"), "membrane");
    sn_json_destroy(saved);
    // One step back.
    page_ok(p, "{'do': 'undo', 'slot': 0}");
    sn_json_destroy(page_saved(p, 0, "without.sinew.json"));
    assert_true(snt_same_bytes(in_folder(p, "without.sinew.json"), in_folder(p, "arm.sinew.json")));
    int before = snt_count_entries(p->folder);
    uint32_t failing = page_start(
        p, page_call(p, "{'do': 'extract', 'slot': 0, 'path': '%s', 'parts': ['no bone']}",
                     in_folder(p, "none.glb")));
    sn_json *event = page_end_of(p, failing, "failed");
    assert_non_null(strstr(text_at(event, "/error/message"), "no bone"));
    sn_json_destroy(event);
    page_fails(p, "dimension", "{'do': 'extract', 'slot': 0, 'document': true, 'dimension': 1}");
    page_fails(p, "needs a file", "{'do': 'extract', 'slot': 0}");
    page_fails(p, "already exists", "{'do': 'extract', 'slot': 0, 'path': '%s'}",
               in_folder(p, "skin.glb"));
    assert_int_equal(snt_count_entries(p->folder), before);
}

static void a_driver_goes_into_the_document(void **state) {
    snt_page *p = *state;
    page_open_arm(p);
    sn_json *job = page_job(
        p, "{'do': 'driver_mesh', 'slot': 0, 'path': '%s', 'document': true, 'faces': 300}",
        in_folder(p, "driver.glb"));
    assert_true(number_at(job, "/result/triangles") >= 300);
    sn_json_destroy(job);
    sn_json *saved = page_saved(p, 0, "with.sinew.json");
    assert_string_equal(text_at(saved, "/skins/driver/mesh"), "driver");
    assert_string_equal(text_at(saved, "/meshes/driver/file"), "driver.glb");
    sn_json_destroy(saved);
    // A second one has no place: its file goes, too.
    uint32_t again = page_start(
        p, page_call(p, "{'do': 'driver_mesh', 'slot': 0, 'path': '%s', 'document': true}",
                     in_folder(p, "driver2.glb")));
    sn_json *event = page_end_of(p, again, "failed");
    assert_non_null(strstr(text_at(event, "/error/message"), "already"));
    sn_json_destroy(event);
    assert_int_not_equal(access(in_folder(p, "driver2.glb"), F_OK), 0);
    // The file that it would have replaced stays, as the document uses it.
    copy_file(in_folder(p, "driver.glb"), in_folder(p, "kept.glb"));
    int before = snt_count_entries(p->folder);
    again = page_start(p, page_call(p,
                                    "{'do': 'driver_mesh', 'slot': 0, 'path': '%s', 'document': "
                                    "true, 'replace': true, 'faces': 500}",
                                    in_folder(p, "driver.glb")));
    sn_json_destroy(page_end_of(p, again, "failed"));
    assert_true(snt_same_bytes(in_folder(p, "driver.glb"), in_folder(p, "kept.glb")));
    assert_int_equal(snt_count_entries(p->folder), before);
    // Without the document it is replaced, and nothing else is left.
    sn_json_destroy(page_job(p,
                             "{'do': 'driver_mesh', 'slot': 0, 'path': '%s', 'replace': true, "
                             "'faces': 500}",
                             in_folder(p, "driver.glb")));
    assert_false(snt_same_bytes(in_folder(p, "driver.glb"), in_folder(p, "kept.glb")));
    assert_int_equal(snt_count_entries(p->folder), before);
}

static void muscles_are_proposed(void **state) {
    snt_page *p = *state;
    page_open_arm(p);
    sn_json *before = page_saved(p, 0, "before.sinew.json");
    uint32_t count = sn_value_count(sn_json_find(before, "/muscles"));
    sn_json_destroy(before);
    sn_json *job = page_job(p, "{'do': 'propose', 'slot': 0, 'thickness': 0.8}");
    uint32_t made = sn_value_count(sn_json_find(job, "/result/muscles"));
    assert_true(made > 0);
    sn_json_destroy(job);
    sn_json *after = page_saved(p, 0, "after.sinew.json");
    assert_int_equal(sn_value_count(sn_json_find(after, "/muscles")), count + made);
    sn_json_destroy(after);
    page_ok(p, "{'do': 'undo', 'slot': 0}");
    sn_json_destroy(page_saved(p, 0, "again.sinew.json"));
    assert_true(snt_same_bytes(in_folder(p, "again.sinew.json"), in_folder(p, "arm.sinew.json")));
    page_fails(p, "thickness", "{'do': 'propose', 'slot': 0, 'thickness': 9}");
    uint32_t face = page_start(p, page_call(p, "{'do': 'face', 'slot': 0}"));
    sn_json *event = page_end_of(p, face, "failed");
    assert_non_null(strstr(text_at(event, "/error/message"), "features"));
    sn_json_destroy(event);
}

// Sends a request that follows another one before that can have ended.
static void send_at_once(snt_page *p, const char *format, const char *argument) {
    char text[4096];
    snprintf(text, sizeof text, format, argument);
    assert_true(desk_receive(p->desk, p->page, text, strlen(text)));
}

// What was made for a document goes into no other one, and nowhere when that is closed.
static void what_was_made_needs_its_document(void **state) {
    snt_page *p = *state;
    static const char *const meanwhile[] = {
        "{\"do\": \"close\", \"slot\": 0}",
        "{\"do\": \"open\", \"slot\": 0, \"path\": \"%s\"}",
    };
    static const char *const requests[] = {
        "{\"do\": \"propose\", \"slot\": 0}",
        "{\"do\": \"driver_mesh\", \"slot\": 0, \"path\": \"%s\", \"document\": true, "
        "\"faces\": 300}",
        "{\"do\": \"extract\", \"slot\": 0, \"path\": \"%s\", \"document\": true, "
        "\"dimension\": 60, \"parts\": [\"humerus\"]}",
    };
    uint32_t job = 0;
    for (int other = 0; other < 2; ++other) {
        for (size_t i = 0; i < 3; ++i) {
            page_open_arm(p);
            copy_file(in_folder(p, "arm.sinew.json"), in_folder(p, "other.sinew.json"));
            page_forget(p);
            send_at_once(p, requests[i], in_folder(p, "made.glb"));
            send_at_once(p, meanwhile[other], in_folder(p, "other.sinew.json"));
            ++job;
            sn_json *event = page_end_of(p, job, "failed");
            assert_non_null(strstr(text_at(event, "/error/message"), "no longer open"));
            sn_json_destroy(event);
            assert_int_not_equal(access(in_folder(p, "made.glb"), F_OK), 0);
        }
    }
    sn_json *saved = page_saved(p, 0, "other.sinew.json");
    assert_null(sn_json_find(saved, "/skins/driver"));
    sn_json_destroy(saved);
    assert_true(snt_same_bytes(in_folder(p, "other.sinew.json"), in_folder(p, "arm.sinew.json")));
}

static void a_picture_is_drawn(void **state) {
    snt_page *p = *state;
    static const uint8_t head[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0, 13,
                                   'I',  'H', 'D', 'R', 0,    0,    0,    64,   0, 0, 0, 48};
    page_open_arm(p);
    int before = snt_count_entries(p->folder);
    sn_json_destroy(page_job(p,
                             "{'do': 'picture', 'slot': 0, 'path': '%s', 'width': 64, 'height': "
                             "48, 'quality': 'draft', 'frame': 3, 'clip': 'curl', 'show': "
                             "['skin', 'bones'], 'view': 'left'}",
                             in_folder(p, "arm.png")));
    FILE *file = fopen(in_folder(p, "arm.png"), "rb");
    uint8_t bytes[sizeof head];
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, sizeof bytes, file), sizeof bytes);
    fclose(file);
    assert_memory_equal(bytes, head, sizeof head);
    assert_int_equal(snt_count_entries(p->folder), before + 1);
    // Weights are named by a text that must outlive the request.
    sn_json_destroy(page_job(p,
                             "{'do': 'picture', 'slot': 0, 'path': '%s', 'width': 64, 'height': "
                             "48, 'quality': 'draft', 'target': [0.3, 1.2, 0], 'distance': 2, "
                             "'ground': 0, 'elevation': 90, 'color': 'weights:forearm', 'show': "
                             "['skin', 'muscles', 'drivers'], 'opacity': {'muscles': 0.5}, "
                             "'wireframe': 'all'}",
                             in_folder(p, "aimed.png")));
    assert_int_equal(access(in_folder(p, "aimed.png"), F_OK), 0);
    page_fails(p, "distance",
               "{'do': 'picture', 'slot': 0, 'path': '%s', 'target': [0, 1, 0], 'distance': 0}",
               in_folder(p, "b.png"));
    page_fails(p, "[x, y, z]",
               "{'do': 'picture', 'slot': 0, 'path': '%s', 'target': [0, 1], 'distance': 1}",
               in_folder(p, "b.png"));
    page_fails(p, "0 to 1", "{'do': 'picture', 'slot': 0, 'path': '%s', 'opacity': {'bones': 2}}",
               in_folder(p, "b.png"));
    page_fails(p, "width", "{'do': 'picture', 'slot': 0, 'path': '%s', 'width': 1}",
               in_folder(p, "b.png"));
    page_fails(p, "not \"nails\"", "{'do': 'picture', 'slot': 0, 'path': '%s', 'show': ['nails']}",
               in_folder(p, "b.png"));
    page_fails(p, "not \"heat\"", "{'do': 'picture', 'slot': 0, 'path': '%s', 'color': 'heat'}",
               in_folder(p, "b.png"));
}

static bool matches_filming(const sn_value *message, const void *wanted) {
    return matches_running(message, wanted) &&
           strcmp(sn_value_string(sn_value_get(message, "step"), ""), "filming") == 0;
}

// The picture of a pose as the library draws it, as text.
static char *drawn_pose(const sn_model *model, sn_portrait_desc desc, const char *control) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    sn_frame *frame = NULL;
    sn_portrait *portrait = NULL;
    sn_image *image = NULL;
    snt_ok(sn_frame_create(model, &frame, error));
    snt_ok(sn_portrait_create(model, &desc, &portrait, error));
    sn_frame_show_only(frame, true);
    snt_ok(sn_frame_evaluate(frame, NULL, 0, error));
    sn_portrait_include(portrait, frame);
    snt_ok(sn_frame_set(frame, control, 1, error));
    snt_ok(sn_frame_evaluate(frame, NULL, 0, error));
    snt_ok(sn_portrait_draw(portrait, frame, NULL, NULL, &image, error));
    size_t bits = (size_t)image->width * image->height * 24; // of a number of bytes that 3 divides
    char *text = calloc(1, bits / 6 + 1);
    assert_non_null(text);
    for (size_t i = 0; i < bits; ++i) {
        size_t bit = image->pixels[i / 8] >> (7 - i % 8) & 1;
        text[i / 6] = (char)(text[i / 6] << 1 | (char)bit);
    }
    for (size_t i = 0; i < bits / 6; ++i) {
        text[i] = digits[(uint8_t)text[i]];
    }
    sn_image_destroy(image);
    sn_portrait_destroy(portrait);
    sn_frame_destroy(frame);
    return text;
}

static void poses_are_drawn_beside_what_is_shown(void **state) {
    snt_page *p = *state;
    snt_player player;
    page_fails(p, "", "{'do': 'pose_pictures', 'slot': 0, 'poses': [{'fist': 1}]}");
    page_open_arm(p);
    sn_json_destroy(page_event(p, "model"));
    sn_json *job = page_job(p, "{'do': 'pose_pictures', 'slot': 0, 'poses': [{'fist': 1}, "
                               "{'biceps': 1}], 'width': 32, 'height': 24, 'view': 'front'}");
    assert_int_equal(sn_value_count(sn_json_find(job, "/result/pictures")), 2);
    sn_portrait_desc desc = sn_portrait_desc_default();
    desc.width = 32, desc.height = 24;
    assert_true(app_portrait_view("front", &desc) && app_portrait_quality("normal", &desc));
    desc.aimed = true;
    desc.target =
        sn_vec3_make(number_at(job, "/result/target/0"), number_at(job, "/result/target/1"),
                     number_at(job, "/result/target/2"));
    desc.distance = number_at(job, "/result/distance");
    // Closer than where the whole arm would be seen, and the hand in the middle.
    assert_true(desc.distance > 0.1 && desc.distance < 5);
    player_open(p, &player, "arm.sinew.json", NULL);
    const char *const controls[] = {"fist", "biceps"};
    const char *const places[] = {"/result/pictures/0", "/result/pictures/1"};
    for (int i = 0; i < 2; ++i) {
        char *expected = drawn_pose(sn_frame_model(player.frame), desc, controls[i]);
        assert_string_equal(text_at(job, places[i]), expected);
        free(expected);
    }
    assert_string_not_equal(text_at(job, places[0]), text_at(job, places[1]));
    player_close(&player);
    sn_json *again = page_job(p,
                              "{'do': 'pose_pictures', 'slot': 0, 'poses': [{'biceps': 1}], "
                              "'width': 32, 'height': 24, 'view': 'front', 'target': [%.17g, "
                              "%.17g, %.17g], 'distance': %.17g}",
                              desc.target.x, desc.target.y, desc.target.z, desc.distance);
    assert_string_equal(text_at(again, places[0]), text_at(job, places[1]));
    sn_json_destroy(job);
    sn_json_destroy(again);
    // Nothing moves: everything is framed, and there is nothing to aim at.
    job =
        page_job(p, "{'do': 'pose_pictures', 'slot': 0, 'poses': [{}], 'width': 16, 'height': 16}");
    assert_null(sn_json_find(job, "/result/target"));
    sn_json_destroy(job);
}

static void wrong_poses_are_refused(void **state) {
    snt_page *p = *state;
    page_open_arm(p);
    sn_json_destroy(page_event(p, "model"));
    page_fails(p, "list of 1 to", "{'do': 'pose_pictures', 'slot': 0}");
    page_fails(p, "list of 1 to", "{'do': 'pose_pictures', 'slot': 0, 'poses': []}");
    page_fails(p, "pose 1 is not", "{'do': 'pose_pictures', 'slot': 0, 'poses': [{}, 3]}");
    page_fails(p, "pose 0 is not", "{'do': 'pose_pictures', 'slot': 0, 'poses': [{'fist': 'a'}]}");
    page_fails(p, "at most 512 x 512",
               "{'do': 'pose_pictures', 'slot': 0, 'poses': [{}], 'width': 513, 'height': 16}");
    static const char *const poses[] = {"{'nose': 1}", "{'fist': 40}"};
    for (size_t i = 0; i < 2; ++i) {
        uint32_t job = page_start(
            p, page_call(p,
                         "{'do': 'pose_pictures', 'slot': 0, 'poses': [%s], 'width': 16, "
                         "'height': 16}",
                         poses[i]));
        sn_json *event = page_end_of(p, job, "failed");
        assert_string_equal(text_at(event, "/error/status"), "invalid");
        sn_json_destroy(event);
    }
}

// Where a landmark was found, as a point of the head's mesh, and where the document has it.
static double landmark_off(const sn_json *job, const sn_mesh *mesh, const sn_landmark *known) {
    char path[128];
    snprintf(path, sizeof path, "/result/landmarks/%s/vertex", known->name);
    double vertex = number_at(job, path);
    assert_true(vertex >= 0 && vertex < mesh->vertex_count);
    sn_vec3 found = sn_vec3_load(mesh->positions + 3 * (size_t)vertex);
    return sn_vec3_distance(found, sn_vec3_load(mesh->positions + 3 * (size_t)known->vertex));
}

static void landmarks_are_proposed(void **state) {
    snt_page *p = *state;
    sn_character *head = NULL;
    const sn_mesh *mesh = NULL;
    sn_landmarks *known = NULL;
    snt_ok(
        sn_character_load(p->context, snt_source("examples/head/head.sinew.json"), &head, error));
    snt_ok(sn_character_landmarks(head, NULL, &mesh, &known, error));
    page_ok(p, "{'do': 'open_example', 'slot': 0, 'name': 'head'}");
    sn_json_destroy(page_event(p, "model"));
    const sn_landmark *nasion = sn_landmarks_find(known, "nasion");
    // The head is found on itself; what is given stays, and other names count for nothing.
    sn_json *job = page_job(p,
                            "{'do': 'propose_landmarks', 'slot': 0, 'given': {'nasion': %u, "
                            "'my own': 3}}",
                            nasion->vertex);
    uint32_t count = 0;
    for (uint32_t i = 0; i < known->count; ++i) {
        if (known->items[i].on_skin) {
            ++count;
            assert_true(landmark_off(job, mesh, &known->items[i]) < 0.004);
        }
    }
    assert_true(count >= 40);
    assert_int_equal(sn_value_count(sn_json_find(job, "/result/landmarks")), count);
    assert_true(landmark_off(job, mesh, nasion) == 0);
    assert_true(sn_value_bool(sn_json_find(job, "/result/landmarks/nasion/given"), false));
    assert_false(sn_value_bool(sn_json_find(job, "/result/landmarks/menton/given"), true));
    sn_json_destroy(job);

    page_fails(p, "NAME: vertex", "{'do': 'propose_landmarks', 'slot': 0, 'given': [3]}");
    const char *const wrong[] = {"{'nasion': 11461}", "{'nasion': 1.5}"};
    for (int i = 0; i < 2; ++i) {
        uint32_t number = page_start(
            p, page_call(p, "{'do': 'propose_landmarks', 'slot': 0, 'given': %s}", wrong[i]));
        sn_json *event = page_end_of(p, number, "failed");
        assert_non_null(strstr(text_at(event, "/error/message"), "nasion"));
        sn_json_destroy(event);
    }
    sn_landmarks_destroy(known);
    sn_character_destroy(head);
}

static void a_film_is_made_or_cancelled(void **state) {
    snt_page *p = *state;
    page_open_arm(p);
    int before = snt_count_entries(p->folder);
    static const char request[] =
        "{'do': 'film', 'slot': 0, 'path': '%s', 'clip': 'curl', 'width': 64, 'height': 48, "
        "'quality': 'draft', 'first': 8, 'last': %d}";
    sn_json_destroy(page_job(p, request, in_folder(p, "arm.png"), 10));
    assert_int_equal(snt_count_entries(p->folder), before + 3);
    assert_int_equal(access(in_folder(p, "arm.0008.png"), F_OK), 0);
    assert_int_equal(access(in_folder(p, "arm.0010.png"), F_OK), 0);
    uint32_t again = page_start(p, page_call(p, request, in_folder(p, "arm.png"), 8));
    sn_json *refused = page_end_of(p, again, "failed");
    assert_non_null(strstr(text_at(refused, "/error/message"), "another name"));
    sn_json_destroy(refused);
    page_fails(p, "must end in", request, in_folder(p, "arm.txt"), 10);
    uint32_t still =
        page_start(p, page_call(p, "{'do': 'film', 'slot': 0, 'path': '%s', 'clip': null}",
                                in_folder(p, "rest.png")));
    sn_json *event = page_end_of(p, still, "failed");
    assert_non_null(strstr(text_at(event, "/error/message"), "needs a clip"));
    sn_json_destroy(event);
    if (!app_can_film()) {
        page_fails(p, "ffmpeg", request, in_folder(p, "arm.mp4"), 10);
        return;
    }
    sn_json_destroy(page_job(p, request, in_folder(p, "arm.mp4"), 10));
    assert_int_equal(access(in_folder(p, "arm.mp4"), F_OK), 0);
    before = snt_count_entries(p->folder);
    // In the middle of a picture that takes minutes.
    uint32_t job = page_start(p, page_call(p,
                                           "{'do': 'film', 'slot': 0, 'path': '%s', 'clip': "
                                           "'curl', 'width': 4096, 'height': 4096, 'quality': "
                                           "'high', 'target': [0.3, 1.2, 0], 'distance': 1, "
                                           "'ground': 0}",
                                           in_folder(p, "large.webm")));
    sn_json_destroy(page_wait(p, matches_filming, &job, "filming"));
    page_ok(p, "{'do': 'cancel', 'job': %u}", job);
    sn_json_destroy(page_end_of(p, job, "cancelled"));
    wait_for_entries(p->folder, before);
}

static void several_jobs_run_at_once(void **state) {
    snt_page *p = *state;
    uint32_t jobs[3];
    page_open_arm(p);
    for (int i = 0; i < 3; ++i) {
        char name[32];
        snprintf(name, sizeof name, "%d.glb", i);
        jobs[i] = page_start(p, page_call(p,
                                          "{'do': 'export', 'slot': 0, 'path': '%s', 'clip': "
                                          "'curl', 'last': 4, 'first': 0}",
                                          in_folder(p, name)));
    }
    for (int i = 0; i < 3; ++i) {
        sn_json_destroy(page_end_of(p, jobs[i], "done"));
    }
    assert_true(snt_same_bytes(in_folder(p, "0.glb"), in_folder(p, "1.glb")));
    assert_true(snt_same_bytes(in_folder(p, "0.glb"), in_folder(p, "2.glb")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        page_test(exports_are_bakes),
        page_test(wrong_exports_are_refused),
        page_test(a_cancelled_extraction_leaves_nothing),
        page_test(a_cancelled_export_leaves_nothing),
        page_test(the_desk_goes_in_the_middle_of_a_job),
        page_test(a_folder_of_anatomy_becomes_a_body),
        page_test(an_import_of_anatomy_can_be_cancelled),
        page_test(an_opening_that_is_cancelled_says_so),
        page_test(an_opensim_model_becomes_a_body),
        page_test(a_skin_goes_into_the_document),
        page_test(a_driver_goes_into_the_document),
        page_test(muscles_are_proposed),
        page_test(what_was_made_needs_its_document),
        page_test(a_picture_is_drawn),
        page_test(poses_are_drawn_beside_what_is_shown),
        page_test(wrong_poses_are_refused),
        page_test(landmarks_are_proposed),
        page_test(a_film_is_made_or_cancelled),
        page_test(several_jobs_run_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
