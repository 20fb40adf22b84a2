// SPDX-License-Identifier: Apache-2.0
//
// Shortening and activation of muscles: in frames, in reports, in documents.
#include "../character/documents.h"

#include "eval/muscles.h"
#include "sinew/eval.h"

#include <math.h>

// Two bones a metre apart with muscles between their middles; `b.ty` brings them nearer.
static const char text[] =
    "{'sinew': 1, 'name': 'pair', 'skeleton': {'a': {}, 'b': {'parent': 'a',\n"
    "'translation': [0, 1, 0]}}, 'bones': {\n"
    "'a': {'ellipsoid': {'radii': [0.1, 0.1, 0.1]}, 'segment': 'a'},\n"
    "'b': {'ellipsoid': {'radii': [0.1, 0.1, 0.1]}, 'segment': 'b'}},\n"
    "'controls': {'drive': {}, 'idle': {}},\n"
    "'muscles': {\n"
    "'told': {'kind': 'ellipsoid', 'origin': {'bone': 'a', 'at': [0.5, 0.5, 0.5]},\n"
    "'insertion': {'bone': 'b', 'at': [0.5, 0.5, 0.5]}, 'activation': 'drive'},\n"
    "'plain': {'kind': 'ellipsoid', 'origin': {'bone': 'a', 'at': [0.5, 0.5, 0.5]},\n"
    "'insertion': {'bone': 'b', 'at': [0.5, 0.5, 0.5]}}},\n"
    "'clips': {'pull': {'rate': 10, 'tracks': {'b.ty': {'keys': [[0, 0], [0.1, -0.1],\n"
    "[0.2, -0.05], [0.3, 0.5]]}, 'drive': {'keys': [[0, 0], [0.3, 0.75]]}}}}}";

enum { A, B, TOLD, PLAIN }; // surfaces

typedef struct fixture {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_motion *motion;
    sn_frame *frame;
} fixture;

static void set_up(fixture *f) {
    f->context = snt_context(1);
    snt_ok(parse_quoted(f->context, "pair.sinew.json", text, &f->character, error));
    snt_ok(sn_model_create(f->character, NULL, &f->model, error));
    snt_ok(sn_motion_open(f->model, "pull", &f->motion, error));
    snt_ok(sn_frame_create(f->model, &f->frame, error));
}

static void tear_down(fixture *f) {
    sn_frame_destroy(f->frame);
    sn_motion_destroy(f->motion);
    sn_model_destroy(f->model);
    sn_character_destroy(f->character);
    snt_context_end(f->context);
}

static void muscles_are_fully_shortened_at_three_quarters(void **state) {
    (void)state;
    snt_near(sni_shortening(1, 1), 0, 0);
    snt_near(sni_shortening(0.75, 1), 1, 0);
    snt_near(sni_shortening(1.75, 2), 0.5, 0);
    snt_near(sni_shortening(0.1, 1), 1, 0);
    snt_near(sni_shortening(2, 1), 0, 0);
    snt_near(sni_shortening(1, 0), 0, 0);
}

static void frames_tell_what_muscles_do(void **state) {
    (void)state;
    const double shortening[] = {0, 0.4, 0.2, 0}, activation[] = {0, 0.25, 0.5, 0.75};
    fixture f;
    set_up(&f);
    sn_muscle_state told, plain;
    for (uint32_t n = 0; n < 4; ++n) {
        snt_ok(sn_frame_evaluate(f.frame, f.motion, n, error));
        assert_true(sn_frame_muscle_state(f.frame, TOLD, &told));
        assert_true(sn_frame_muscle_state(f.frame, PLAIN, &plain));
        snt_near(told.rest_length, 1, 1e-12);
        snt_near(told.length, told.rest_length * (1 - 0.25 * shortening[n]) + (n == 3 ? 0.5 : 0),
                 1e-12);
        snt_near(told.shortening, shortening[n], 1e-9);
        snt_near(told.activation, activation[n], 1e-12);
        assert_true(told.has_activation && !plain.has_activation);
        assert_true(plain.activation == 0 && plain.shortening == told.shortening);
    }
    assert_false(sn_frame_muscle_state(f.frame, B, &told));
    assert_false(sn_frame_muscle_state(f.frame, PLAIN + 1, &told));
    tear_down(&f);
}

static double number(const sn_json *json, const char *path) {
    const sn_value *value = sn_json_find(json, path);
    assert_non_null(value);
    return sn_value_number(value, NAN);
}

static void reports_have_each_frame_and_the_most(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    sn_report *report = NULL;
    snt_ok(sn_report_create(f.model, &report, error));
    for (uint32_t n = 0; n < 4; ++n) {
        snt_ok(sn_frame_evaluate(f.frame, f.motion, n, error));
        snt_ok(sn_report_add(report, f.frame, n, error));
    }
    snt_ok(sn_report_save(report, snt_scratch("r.json"), error));
    sn_report_destroy(report);
    size_t size = 0;
    char *bytes = read_bytes(snt_scratch("r.json"), &size);
    sn_json *json = NULL;
    snt_ok(sn_json_parse(f.context, bytes, size, &json, error));
    snt_near(number(json, "/frames/0/muscles/told/shortening"), 0, 1e-9);
    snt_near(number(json, "/frames/1/muscles/told/shortening"), 0.4, 1e-9);
    snt_near(number(json, "/frames/3/muscles/told/activation"), 0.75, 1e-12);
    snt_near(number(json, "/frames/3/muscles/plain/activation"), 0, 0);
    snt_near(number(json, "/summary/muscles/plain/shortening"), 0.4, 1e-9);
    snt_near(number(json, "/summary/muscles/plain/shortening_frame"), 1, 0);
    snt_near(number(json, "/summary/all_muscles/largest_shortening"), 0.4, 1e-9);
    snt_near(number(json, "/summary/all_muscles/shortening_frame"), 1, 0);
    assert_string_equal(
        sn_value_string(sn_json_find(json, "/summary/all_muscles/most_shortened"), ""), "told");
    sn_json_destroy(json);
    free(bytes);
    tear_down(&f);
}

// The text with one part of it in place of another.
static void refuse(const char *old, const char *new, const char *message) {
    sn_context *context = snt_context(1);
    sn_character *character = NULL;
    char changed[sizeof text + 256];
    const char *found = strstr(text, old);
    assert_non_null(found);
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(found - text), text, new,
             found + strlen(old));
    snt_fails(SN_INVALID, message,
              parse_quoted(context, "pair.sinew.json", changed, &character, error));
    snt_context_end(context);
}

static void activations_name_controls_of_muscles_between_bones(void **state) {
    (void)state;
    refuse("'activation': 'drive'", "'activation': 'drove'",
           "/muscles/told/activation: there is no control \"drove\"; did you mean \"drive\"?");
    refuse("'kind': 'ellipsoid', 'origin': {'bone': 'a', 'at': [0.5, 0.5, 0.5]},\n"
           "'insertion': {'bone': 'b', 'at': [0.5, 0.5, 0.5]}, 'activation'",
           "'kind': 'patch', 'skin': 'b', 'curves': [[[0, 0, 0], [1, 0, 0]], [[0, 1, 0],\n"
           "[1, 1, 0]]], 'activation'",
           "/muscles/told/activation: unknown key");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(muscles_are_fully_shortened_at_three_quarters),
        cmocka_unit_test(frames_tell_what_muscles_do),
        cmocka_unit_test(reports_have_each_frame_and_the_most),
        cmocka_unit_test(activations_name_controls_of_muscles_between_bones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
