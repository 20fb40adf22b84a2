// SPDX-License-Identifier: Apache-2.0
//
// Keys from motions of quaternions, played again.
#include "test.h"

#include "sinew/eval.h"

#include <math.h>
#include <string.h>

enum { FRAMES = 180 };
static const double degree = SN_PI / 180;

// A root that turns over and over, a hinge, a joint with a synergy, and a driven control.
static const char document[] =
    "{\"sinew\": 1, \"name\": \"arm\", \"skeleton\": {\n"
    "\"body\": {\"translation\": [0, 1, 0]},\n"
    "\"upper\": {\"parent\": \"body\", \"translation\": [0.2, 0, 0]},\n"
    "\"lower\": {\"parent\": \"upper\", \"translation\": [0.3, 0, 0],\n"
    "  \"limits_deg\": {\"rx\": [0, 0], \"ry\": [-145, 0], \"rz\": [0, 0]}},\n"
    "\"still\": {\"parent\": \"lower\", \"translation\": [0.25, 0, 0]}},\n"
    "\"controls\": {\"lift\": {}, \"flex\": {}},\n"
    "\"synergies\": [{\"control\": \"lift\", \"spread\": {\"upper.rz_deg\": 40}}],\n"
    "\"drivers\": [{\"control\": \"flex\", \"parameter\": \"lower.ry_deg\",\n"
    "  \"curve\": [[-145, 1], [0, 0]]}]}";

typedef struct fixture {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_clip *clip, *keys;
} fixture;

static sn_track *track_of(fixture *f, sn_track_kind kind, const char *target) {
    sn_track *track = NULL;
    snt_ok(
        sn_clip_add_track(f->clip, kind, target, SN_INTERPOLATION_LINEAR, FRAMES, &track, error));
    for (int i = 0; i < FRAMES; ++i) {
        track->times[i] = i / 60.0;
    }
    return track;
}

static void turn(fixture *f, const char *target, sn_vec3 axis, double start, double speed) {
    sn_track *track = track_of(f, SN_TRACK_ROTATION, target);
    axis = sn_vec3_normalize_or(axis, axis);
    for (int i = 0; i < FRAMES; ++i) {
        sn_quat q = sn_quat_from_axis_angle(axis, start + speed * i);
        memcpy(track->values + 4 * i, (double[4]){q.x, q.y, q.z, q.w}, 4 * sizeof(double));
    }
}

static void setup(fixture *f) {
    *f = (fixture){.context = snt_context(1)};
    snt_ok(sn_character_parse(f->context, "arm.sinew.json", document, strlen(document),
                              &f->character, error));
    snt_ok(sn_model_create(f->character, NULL, &f->model, error));
    snt_ok(sn_clip_create(f->context, "tumble", 60, FRAMES, &f->clip, error));
    turn(f, "body", sn_vec3_make(0.2, 1, 0.3), 0, 7 * degree);
    turn(f, "upper", sn_vec3_make(0, 1, 1), 0.2, 0.1 * degree);
    turn(f, "lower", sn_vec3_make(0, -1, 0), 0, 0.5 * degree);
    sn_track *lift = track_of(f, SN_TRACK_PARAMETER, "lift");
    for (int i = 0; i < FRAMES; ++i) {
        lift->values[i] = 0.5 - 0.5 * cos(0.05 * i);
    }
    snt_ok(sn_clip_validate(f->clip, error));
}

static void teardown(fixture *f) {
    sn_clip_destroy(f->clip);
    sn_clip_destroy(f->keys);
    sn_model_destroy(f->model);
    sn_character_destroy(f->character);
    snt_context_end(f->context);
}

static const sn_track *find_track(const sn_clip *clip, const char *name) {
    for (uint32_t i = 0; i < clip->track_count; ++i) {
        if (strcmp(clip->tracks[i].target, name) == 0) {
            return &clip->tracks[i];
        }
    }
    return NULL;
}

static void plays_the_same_motion(void **state) {
    (void)state;
    fixture f;
    sn_motion *motion, *again;
    sn_frame *one, *other;
    sn_keys_desc desc = sn_keys_desc_default();
    setup(&f);
    snt_ok(sn_motion_create(f.model, f.clip, &motion, error));
    snt_ok(sn_motion_keys(motion, &desc, NULL, &f.keys, error));
    snt_ok(sn_clip_validate(f.keys, error));
    snt_ok(sn_motion_create(f.model, f.keys, &again, error));
    assert_int_equal(sn_motion_frame_count(again), FRAMES);
    snt_ok(sn_frame_create(f.model, &one, error));
    snt_ok(sn_frame_create(f.model, &other, error));
    for (uint32_t i = 0; i < FRAMES; ++i) {
        snt_ok(sn_frame_evaluate(one, motion, i, error));
        snt_ok(sn_frame_evaluate(other, again, i, error));
        for (uint32_t s = 0; s < 4; ++s) {
            sn_quat a = sn_frame_locals(one)[s].rotation, b = sn_frame_locals(other)[s].rotation;
            double away = 2 * acos(fmin(fabs(sn_quat_dot(a, b)), 1));
            assert_true(away < 3 * desc.angle);
        }
        snt_near(sn_frame_controls(one)[0], sn_frame_controls(other)[0], desc.number);
        snt_near(sn_frame_controls(one)[1], sn_frame_controls(other)[1], 1e-3);
    }
    // What stands still or is computed has no track, and steady turns have few keys.
    assert_null(find_track(f.keys, "still.rx_deg"));
    assert_null(find_track(f.keys, "flex"));
    assert_null(find_track(f.keys, "lower.rx_deg"));
    assert_int_equal(find_track(f.keys, "lower.ry_deg")->key_count, 2);
    assert_true(find_track(f.keys, "lift")->key_count < FRAMES / 2);
    // Angles do not jump by turns.
    const sn_track *body = find_track(f.keys, "body.ry_deg");
    for (uint32_t i = 0; i + 1 < body->key_count; ++i) {
        double frames = 60 * (body->times[i + 1] - body->times[i]);
        assert_true(fabs(body->values[i + 1] - body->values[i]) < 40 * frames);
    }
    sn_frame_destroy(one);
    sn_frame_destroy(other);
    sn_motion_destroy(motion);
    sn_motion_destroy(again);
    teardown(&f);
}

static bool refuse(const char *step, double fraction, void *user) {
    (void)step, (void)user;
    return fraction < 0.6;
}

static void can_be_cancelled_and_refuses(void **state) {
    (void)state;
    fixture f;
    sn_motion *motion;
    sn_keys_desc desc = sn_keys_desc_default();
    sn_progress progress = {refuse, NULL};
    setup(&f);
    snt_ok(sn_motion_create(f.model, f.clip, &motion, error));
    snt_fails(SN_CANCELLED, "", sn_motion_keys(motion, &desc, &progress, &f.keys, error));
    desc.angle = 0;
    snt_fails(SN_INVALID, "above 0", sn_motion_keys(motion, &desc, NULL, &f.keys, error));
    desc.check = 1;
    snt_fails(SN_INVALID, "desc_default", sn_motion_keys(motion, &desc, NULL, &f.keys, error));
    sn_motion_destroy(motion);
    teardown(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plays_the_same_motion),
        cmocka_unit_test(can_be_cancelled_and_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
