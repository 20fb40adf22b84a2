// SPDX-License-Identifier: Apache-2.0
//
// Parameters that controls drive: in every frame the points are those of a document that has the
// value of that frame as a plain number.
#include "test.h"

#include "eval/model.h"
#include "sinew/eval.h"
#include "sinew/live.h"

#include <math.h>

// Where a parameter stands in the shipped arm, and the range of the control that drives it.
typedef struct place {
    const char *object, *parameter;
    double low, high;
    double tolerance; // metres; 0: the same bits
} place;

static const place places[] = {
    {"/skins/skin/deformers/1", "envelope", 0, 1, 0},
    {"/muscles/biceps", "bulge", 0, 3, 0},
    // psi is multiplied into rounded weights.
    {"/skins/skin/deformers/1", "d_full", 0, 0.05, 1e-8},
    {"/skins/skin/deformers/1", "d_none", 0.02, 0.08, 1e-8},
};
enum { PLACE_COUNT = sizeof places / sizeof *places };

static sn_character *load_arm(sn_context *context) {
    sn_character *character = NULL;
    snt_ok(
        sn_character_load(context, snt_source("examples/arm/arm.sinew.json"), &character, error));
    // Without separation, which looks at all points that may follow.
    sn_json *json = sn_character_document(character);
    sn_json_add_number(json, sn_json_find(json, "/skins/skin/deformers/1"), "reach", 0);
    return character;
}

// The character with a control "amount" that drives the parameter.
static void drive(sn_character *character, const place *p) {
    sn_json *json = sn_character_document(character);
    sn_value *control = sn_json_add_object(json, sn_json_find(json, "/controls"), "amount");
    sn_json_add_number(json, control, "low", p->low);
    sn_json_add_number(json, control, "high", p->high);
    sn_json_add_number(json, control, "value", p->low);
    sn_value *driven = sn_json_add_object(json, sn_json_find(json, p->object), "driven");
    sn_json_add_string(json, driven, p->parameter, "amount");
}

static void set_number(sn_character *character, const place *p, double value) {
    sn_json *json = sn_character_document(character);
    sn_value *object = sn_json_find(json, p->object);
    if (sn_value_get(object, p->parameter) != NULL) {
        sn_json_remove((sn_value *)sn_value_get(object, p->parameter));
    }
    sn_json_add_number(json, object, p->parameter, value);
}

static void compare(const sn_frame *a, const sn_frame *b, double tolerance) {
    const sn_model *model = sn_frame_model(a);
    for (uint32_t s = 0; s < sn_model_surface_count(model); ++s) {
        uint32_t count = 3 * sn_model_surface(model, s)->mesh->vertex_count;
        const float *p = sn_frame_points(a, s), *q = sn_frame_points(b, s);
        for (uint32_t i = 0; i < count; ++i) {
            if (fabs((double)p[i] - q[i]) >
                tolerance + fabs((double)p[i]) * (tolerance > 0) * 3e-7) {
                fail_msg("surface %u, number %u: %.9g, not %.9g", s, i, p[i], q[i]);
            }
        }
    }
}

// Evaluates a frame of the clip in a character that has the value as a number.
static sn_frame *evaluate_plain(sn_context *context, const place *p, double value, uint32_t number,
                                sn_model **model) {
    sn_character *character = load_arm(context);
    sn_motion *motion = NULL;
    sn_frame *frame = NULL;
    set_number(character, p, value);
    snt_ok(sn_model_create(character, NULL, model, error));
    snt_ok(sn_motion_open(*model, "curl", &motion, error));
    snt_ok(sn_frame_create(*model, &frame, error));
    snt_ok(sn_frame_evaluate(frame, motion, number, error));
    sn_motion_destroy(motion);
    sn_character_destroy(character);
    return frame;
}

static void compare_with_plain(sn_context *context, const sn_frame *frame, const place *p,
                               uint32_t number) {
    uint32_t control = sn_model_find_control(sn_frame_model(frame), "amount");
    sn_model *model = NULL;
    sn_frame *plain = evaluate_plain(context, p, sn_frame_controls(frame)[control], number, &model);
    compare(frame, plain, p->tolerance);
    sn_frame_destroy(plain);
    sn_model_destroy(model);
}

static void held_values_count(void **state) {
    (void)state;
    for (int i = 0; i < PLACE_COUNT; ++i) {
        const place *p = &places[i];
        sn_context *context = snt_context(2);
        sn_character *character = load_arm(context);
        sn_model *model = NULL;
        sn_motion *motion = NULL;
        sn_frame *frame = NULL;
        drive(character, p);
        snt_ok(sn_model_create(character, NULL, &model, error));
        snt_ok(sn_motion_open(model, "curl", &motion, error));
        snt_ok(sn_frame_create(model, &frame, error));
        for (int k = 0; k <= 3; ++k) {
            snt_ok(sn_frame_set(frame, "amount", p->low + k / 3.0 * (p->high - p->low), error));
            snt_ok(sn_frame_evaluate(frame, motion, 20, error));
            compare_with_plain(context, frame, p, 20);
        }
        sn_frame_destroy(frame);
        sn_motion_destroy(motion);
        sn_model_destroy(model);
        sn_character_destroy(character);
        snt_context_end(context);
    }
}

// A track of the clip, or a driver that takes its value from the elbow.
static void key_or_compute(sn_character *character, const place *p, bool keyed) {
    sn_json *json = sn_character_document(character);
    if (keyed) {
        sn_value *track =
            sn_json_add_object(json, sn_json_find(json, "/clips/curl/tracks"), "amount");
        sn_value *keys = sn_json_add_array(json, track, "keys");
        const double first[2] = {0, p->low}, last[2] = {1, p->high};
        sn_json_add_numbers(json, keys, NULL, first, 2);
        sn_json_add_numbers(json, keys, NULL, last, 2);
        return;
    }
    sn_value *driver = sn_json_add_object(json, sn_json_find(json, "/drivers"), NULL);
    sn_json_add_string(json, driver, "control", "amount");
    sn_json_add_string(json, driver, "parameter", "forearm.rx_deg");
    sn_value *curve = sn_json_add_array(json, driver, "curve");
    const double first[2] = {0, p->high}, last[2] = {140, p->low};
    sn_json_add_numbers(json, curve, NULL, first, 2);
    sn_json_add_numbers(json, curve, NULL, last, 2);
}

// The clip in frames of any order, stepped live, and after a recompile are the same.
static void check_ways_of_playing(sn_character *character, sn_frame *frame,
                                  const sn_motion *motion) {
    const sn_model *model = sn_frame_model(frame);
    sn_model *again = NULL;
    sn_motion *moved = NULL;
    sn_frame *live = NULL, *recompiled = NULL;
    snt_ok(sn_model_recompile(character, model, NULL, &again, error));
    snt_ok(sn_motion_open(again, "curl", &moved, error));
    snt_ok(sn_frame_create(again, &recompiled, error));
    snt_ok(sn_frame_evaluate(recompiled, moved, 20, error));
    compare(frame, recompiled, 0);
    snt_ok(sn_frame_create(model, &live, error));
    sn_pose_desc pose = sn_pose_desc_default();
    pose.segment_count = sn_model_skeleton(model)->segment_count;
    pose.transforms = sn_frame_locals(frame);
    pose.control_count = sn_model_control_count(model);
    pose.joint_parameters = sn_frame_joint_parameters(frame);
    pose.controls = sn_frame_controls(frame);
    pose.complete = true;
    snt_ok(sn_frame_set_pose(live, &pose, error));
    snt_ok(sn_frame_step(live, 1.0 / 30, error));
    compare(frame, live, 0);
    snt_ok(sn_frame_evaluate(frame, motion, 55, error));
    snt_ok(sn_frame_evaluate(frame, motion, 20, error));
    compare(frame, recompiled, 0);
    sn_frame_destroy(live);
    sn_frame_destroy(recompiled);
    sn_motion_destroy(moved);
    sn_model_destroy(again);
}

static void tracks_and_drivers_count(void **state) {
    (void)state;
    for (int i = 0; i < 2 * PLACE_COUNT; ++i) {
        const place *p = &places[i / 2];
        sn_context *context = snt_context(2);
        sn_character *character = load_arm(context);
        sn_model *model = NULL;
        sn_motion *motion = NULL;
        sn_frame *frame = NULL;
        drive(character, p);
        key_or_compute(character, p, i % 2 == 0);
        snt_ok(sn_model_create(character, NULL, &model, error));
        snt_ok(sn_motion_open(model, "curl", &motion, error));
        snt_ok(sn_frame_create(model, &frame, error));
        for (uint32_t number = 8; number <= 20; number += 12) {
            snt_ok(sn_frame_evaluate(frame, motion, number, error));
            compare_with_plain(context, frame, p, number);
        }
        check_ways_of_playing(character, frame, motion);
        sn_frame_destroy(frame);
        sn_motion_destroy(motion);
        sn_model_destroy(model);
        sn_character_destroy(character);
        snt_context_end(context);
    }
}

static void what_is_bound_cannot_be_driven(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const struct {
        const char *object, *parameter, *message;
    } wrong[] = {
        {"/skins/skin/deformers/1", "reach",
         "no control can drive \"reach\"; what can be driven: \"envelope\", \"d_full\", "
         "\"d_none\""},
        {"/muscles/biceps", "degree", "what can be driven: \"bulge\""},
        {"/skins/skin/deformers/0", "method", "driven: unknown key"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        sn_character *character = load_arm(context);
        sn_model *model = NULL;
        drive(character, &(place){wrong[i].object, wrong[i].parameter, 0, 1, 0});
        snt_fails(SN_INVALID, wrong[i].message, sn_model_create(character, NULL, &model, error));
        sn_character_destroy(character);
    }
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_values_count),
        cmocka_unit_test(tracks_and_drivers_count),
        cmocka_unit_test(what_is_bound_cannot_be_driven),
    };
    return cmocka_run_group_tests_name("eval/driven", tests, NULL, NULL);
}
