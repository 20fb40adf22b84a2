// SPDX-License-Identifier: Apache-2.0
//
// What plots show is what report.json of the library says.
#include "page.h"

#include "files/recent.h"
#include "jobs/measure.h"

static sn_json *report_of(snt_page *p, uint32_t first, uint32_t last, const char *held,
                          double value) {
    snt_player player;
    sn_bake_desc desc = sn_bake_desc_default();
    player_open(p, &player, "arm.sinew.json", "curl");
    if (held != NULL) {
        snt_ok(sn_frame_set(player.frame, held, value, error));
    }
    desc.motion = player.motion;
    desc.first = first;
    desc.last = last;
    desc.report_path = in_folder(p, "report.json");
    snt_ok(sn_bake(player.frame, &desc, NULL, NULL, error));
    player_close(&player);
    char *text = get_text(in_folder(p, "report.json"));
    sn_json *json = NULL;
    snt_ok(sn_json_parse(p->context, text, strlen(text), &json, error));
    free(text);
    return json;
}

static void compare_muscle(const sn_value *measured, const sn_value *report, uint32_t frame) {
    static const char *const keys[] = {"volume", "length", "shortening", "activation"};
    for (int k = 0; k < 4; ++k) {
        const sn_value *expected = sn_value_get(report, keys[k]);
        const sn_value *series = sn_value_get(measured, keys[k]);
        assert_non_null(series);
        if (expected != NULL && series->type != SN_JSON_NULL) {
            assert_true(sn_value_number(sn_value_at(series, frame), -1) ==
                        sn_value_number(expected, -2));
        } else {
            // What the report leaves out is null or 0.
            assert_true(expected == NULL || sn_value_number(expected, 1) == 0);
        }
    }
}

static void compare(const sn_value *result, const sn_json *report) {
    const sn_value *frames = sn_value_get(sn_json_root(report), "frames");
    const sn_value *muscles = sn_value_get(result, "muscles");
    assert_int_equal(sn_value_count(sn_value_get(result, "frames")), sn_value_count(frames));
    for (uint32_t i = 0; i < sn_value_count(frames); ++i) {
        const sn_value *frame = sn_value_at(frames, i);
        const sn_value *of_frame = sn_value_get(frame, "muscles");
        assert_true(sn_value_number(sn_value_at(sn_value_get(result, "frames"), i), -1) ==
                    sn_value_number(sn_value_get(frame, "frame"), -2));
        assert_true(sn_value_number(sn_value_at(sn_value_get(result, "times"), i), -1) ==
                    sn_value_number(sn_value_get(frame, "time"), -2));
        assert_true(sn_value_count(of_frame) > 0);
        assert_int_equal(sn_value_count(of_frame), sn_value_count(muscles));
        for (uint32_t m = 0; m < sn_value_count(of_frame); ++m) {
            const sn_value *muscle = sn_value_at(of_frame, m);
            compare_muscle(sn_value_get(muscles, muscle->key), muscle, i);
        }
    }
}

static void measures_are_those_of_the_report(void **state) {
    (void)state;
    snt_page p;
    page_begin(&p, "measure");
    page_open_arm(&p);
    sn_json *job =
        page_job(&p, "{'do': 'measure', 'slot': 0, 'clip': 'curl', 'first': 3, 'last': 20}");
    sn_json *report = report_of(&p, 3, 20, NULL, 0);
    const sn_value *result = sn_json_find(job, "/result");
    compare(result, report);
    static const char *const stages[] = {"pose", "bones", "muscles", "skin", "total"};
    for (int s = 0; s < 5; ++s) {
        const sn_value *times = sn_value_get(sn_value_get(result, "stages"), stages[s]);
        assert_int_equal(sn_value_count(times), 18);
        for (uint32_t i = 0; i < 18; ++i) {
            assert_true(sn_value_number(sn_value_at(times, i), -1) >= 0);
        }
    }
    assert_true(sn_value_number(sn_value_get(result, "rate"), 0) > 0);
    sn_json_destroy(report);
    sn_json_destroy(job);
    page_end(&p);
}

static void held_values_count(void **state) {
    (void)state;
    snt_page p;
    page_begin(&p, "measure-held");
    page_open_arm(&p);
    sn_json_destroy(page_event(&p, "model"));
    page_ok(&p, "{'do': 'hold', 'slot': 0, 'values': {'forearm.rx_deg': 60}}");
    sn_json *job =
        page_job(&p, "{'do': 'measure', 'slot': 0, 'clip': 'curl', 'first': 0, 'last': 3}");
    sn_json *report = report_of(&p, 0, 3, "forearm.rx_deg", 60);
    compare(sn_json_find(job, "/result"), report);
    sn_json_destroy(job);
    sn_json_destroy(report);
    job = page_job(
        &p, "{'do': 'measure', 'slot': 0, 'clip': 'curl', 'first': 0, 'last': 3, 'held': false}");
    report = report_of(&p, 0, 3, NULL, 0);
    compare(sn_json_find(job, "/result"), report);
    sn_json_destroy(job);
    sn_json_destroy(report);
    page_end(&p);
}

// Whatever the slot has when the job comes to it.
static void what_was_held_when_it_began_counts(void **state) {
    (void)state;
    static const char *const texts[] = {
        "{\"do\": \"measure\", \"slot\": 0, \"clip\": \"curl\", \"first\": 0, \"last\": 3}",
        "{\"do\": \"close\", \"slot\": 0}"};
    snt_page p;
    page_begin(&p, "measure-closed");
    page_open_arm(&p);
    sn_json_destroy(page_event(&p, "model"));
    page_ok(&p, "{'do': 'hold', 'slot': 0, 'values': {'forearm.rx_deg': 60}}");
    for (int i = 0; i < 2; ++i) {
        assert_true(desk_receive(p.desk, p.page, texts[i], strlen(texts[i])));
    }
    sn_json *job = page_end_of(&p, 1, "done");
    sn_json *report = report_of(&p, 0, 3, "forearm.rx_deg", 60);
    compare(sn_json_find(job, "/result"), report);
    sn_json_destroy(job);
    sn_json_destroy(report);
    page_end(&p);
}

// Pieces that came while the job ran, put together, are the result.
static void plots_grow(void **state) {
    (void)state;
    snt_page p;
    page_begin(&p, "measure-grow");
    page_open_arm(&p);
    uint32_t number = page_start(&p, page_call(&p, "{'do': 'measure', 'slot': 0}"));
    sn_json *job = page_end_of(&p, number, "done");
    uint32_t next = 0;
    for (uint32_t i = 0; i < p.count; ++i) {
        const sn_value *message = sn_json_root(p.messages[i]);
        if (!matches_event(message, "measured")) {
            continue;
        }
        assert_int_equal(sn_value_number(sn_value_get(message, "job"), 0), number);
        assert_int_equal(sn_value_number(sn_value_get(message, "from"), -1), next);
        const sn_value *frames = sn_value_get(message, "frames");
        for (uint32_t k = 0; k < sn_value_count(frames); ++k, ++next) {
            assert_int_equal(sn_value_number(sn_value_at(frames, k), -1), next);
        }
    }
    assert_true(next <= sn_value_count(sn_json_find(job, "/result/frames")));
    sn_json_destroy(job);
    page_end(&p);
}

static void the_rest_pose_is_one_frame(void **state) {
    (void)state;
    snt_page p;
    page_begin(&p, "measure-rest");
    page_open_arm(&p);
    sn_json *job = page_job(&p, "{'do': 'measure', 'slot': 0, 'clip': null}");
    assert_int_equal(sn_value_count(sn_json_find(job, "/result/frames")), 1);
    sn_json_destroy(job);
    uint32_t number = page_start(
        &p, page_call(&p, "{'do': 'measure', 'slot': 0, 'clip': null, 'first': 0, 'last': 1}"));
    sn_json_destroy(page_end_of(&p, number, "failed"));
    page_end(&p);
}

static uint32_t find_surface(const sn_model *model, const char *name) {
    uint32_t i = 0;
    while (strcmp(sn_model_surface(model, i)->name, name) != 0) {
        ++i;
    }
    return i;
}

// A long clip has a result of bounded size.
static void a_long_clip_is_thinned(void **state) {
    (void)state;
    snt_player player;
    snt_page p;
    measure *m = NULL;
    sn_json *json = NULL;
    page_begin(&p, "measure-thin");
    page_open_arm(&p);
    player_open(&p, &player, "arm.sinew.json", "curl");
    uint32_t surface = find_surface(player.model, "biceps");
    snt_ok(measure_create(player.model, 10, 30, &m, error));
    for (uint32_t i = 0; i < 10; ++i) {
        snt_ok(sn_frame_evaluate(player.frame, player.motion, i, error));
        snt_ok(measure_take(m, player.frame, i, error));
    }
    assert_int_equal(measure_step(m, 1000000), 1);
    assert_int_equal(measure_step(m, 0), 10);
    measure_thin(m, 1);
    measure_thin(m, 4);
    snt_ok(sn_json_create(p.context, &json, error));
    assert_true(measure_add(m, json, sn_json_root(json), 0));
    static const char *const lists[] = {"/frames", "/times", "/stages/total",
                                        "/muscles/biceps/length"};
    for (int k = 0; k < 4; ++k) {
        assert_int_equal(sn_value_count(sn_json_find(json, lists[k])), 3);
    }
    for (uint32_t i = 0; i < 3; ++i) {
        sn_muscle_state expected = {0};
        assert_true(sn_value_number(sn_value_at(sn_json_find(json, "/frames"), i), -1) == 4 * i);
        snt_ok(sn_frame_evaluate(player.frame, player.motion, 4 * i, error));
        sn_frame_muscle_state(player.frame, surface, &expected);
        assert_true(sn_value_number(sn_value_at(sn_json_find(json, lists[3]), i), -1) ==
                    expected.length);
    }
    sn_json_destroy(json);
    measure_destroy(m);
    player_close(&player);
    page_end(&p);
}

// ---------------------------------------------------------------------------------------------

static sn_status measure_cloth(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_frame *frame = NULL;
    sn_json *json = NULL;
    measure *m = NULL;
    sn_status status = sn_character_parse(context, "x.sinew.json",
                                          "{\"sinew\": 1, \"name\": "
                                          "\"x\"}",
                                          25, &character, error);
    status = status == SN_OK ? sn_model_create(character, NULL, &model, error) : status;
    status = status == SN_OK ? sn_frame_create(model, &frame, error) : status;
    status = status == SN_OK ? sn_frame_evaluate(frame, NULL, 0, error) : status;
    status = status == SN_OK ? measure_create(model, 1, 30, &m, error) : status;
    status = status == SN_OK ? sn_json_create(context, &json, error) : status;
    if (status == SN_OK) {
        status = measure_take(m, frame, 0, error);
    }
    if (status == SN_OK) {
        status = measure_add(m, json, sn_json_root(json), 0) ? SN_OK : SN_OUT_OF_MEMORY;
    }
    measure_destroy(m);
    sn_json_destroy(json);
    sn_frame_destroy(frame);
    sn_model_destroy(model);
    sn_character_destroy(character);
    return status;
}

static sn_status note_recent(sn_context *context, void *user, sn_error *error) {
    sn_json *json = NULL;
    sn_status status = recent_note(context, user, "/a/b.sinew.json", "b", 5, error);
    status = status == SN_OK ? sn_json_create(context, &json, error) : status;
    if (status == SN_OK) {
        status = recent_add(context, user, json, sn_json_root(json), "recent", error);
    }
    sn_json_destroy(json);
    return status;
}

static void survives_failed_allocations(void **state) {
    (void)state;
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", snt_scratch("recent"));
    mkdir(folder, 0777);
    snt_fail_allocations(measure_cloth, NULL);
    snt_fail_allocations(note_recent, folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_are_those_of_the_report),
        cmocka_unit_test(held_values_count),
        cmocka_unit_test(what_was_held_when_it_began_counts),
        cmocka_unit_test(plots_grow),
        cmocka_unit_test(the_rest_pose_is_one_frame),
        cmocka_unit_test(a_long_clip_is_thinned),
        cmocka_unit_test(survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
