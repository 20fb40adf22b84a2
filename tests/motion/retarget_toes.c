// SPDX-License-Identifier: Apache-2.0
//
// Toes and balls of feet that stay out of the ground, and joints that hang elsewhere than in the
// clip.
#include "build.h"

#include "motion/retarget_feet.h"

// A toe 0.1 long that looks along +z, its ball at rest 0.02 over the floor.
static const sni_toe toe = {.length = 0.1, .ahead = {0, 0, 1}, .height = 0.02, .leg = 0.8};

static sn_quat pitch(double degrees) {
    return sn_quat_from_axis_angle(sn_vec3_make(1, 0, 0), degrees * SN_PI / 180);
}

// How far the tip of the toe is below the ball, over its length.
static double dip(sn_quat stance, sn_vec3 ball, sn_quat world) {
    sn_quat lifted = sni_toe_lift(&toe, stance, ball, world);
    return -sn_quat_rotate(sn_quat_multiply(lifted, sn_quat_conjugate(stance)), toe.ahead).y;
}

static void a_toe_is_lifted_as_far_as_needed(void **state) {
    (void)state;
    const sn_quat stances[] = {sn_quat_identity(),
                               sn_quat_from_axis_angle(sn_vec3_make(0, 0.6, 0.8), 2)};
    for (int i = 0; i < 2; ++i) {
        sn_quat s = stances[i];
        sn_vec3 down = {0.3, 0.02, 1}, half = {0.3, 0.07, 1}, high = {0.3, 0.5, 1};
        sn_quat heel_up = sn_quat_multiply(pitch(40), s), toe_up = sn_quat_multiply(pitch(-20), s);
        snt_near(dip(s, down, heel_up), 0, 1e-12);
        snt_near(dip(s, half, heel_up), 0.5, 1e-12); // the tip touches the ground
        snt_rotation_near(sni_toe_lift(&toe, s, high, heel_up), heel_up, 0);
        snt_rotation_near(sni_toe_lift(&toe, s, down, toe_up), toe_up, 0);
        // A ball a stair lower stands there.
        sn_vec3 stair = {0.3, 0.02 - 0.17, 1};
        snt_rotation_near(sni_toe_lift(&toe, s, stair, heel_up), heel_up, 1e-12);
    }
    // Straight down there is no way up, and straight ahead nothing to do.
    snt_near(dip(sn_quat_identity(), sn_vec3_make(0, 0.02, 0), pitch(90)), 1, 0.7);
    snt_near(dip(sn_quat_identity(), sn_vec3_make(0, 0.02, 0), pitch(0)), 0, 0);
}

// Lifting goes over into nothing without a jump, as the foot rises and as it sinks.
static void lifting_is_continuous(void **state) {
    (void)state;
    double before = NAN;
    for (double y = -0.3; y < 0.4; y += 1e-4) {
        double now = dip(sn_quat_identity(), sn_vec3_make(0, y, 0), pitch(35));
        assert_false(fabs(now - before) > 2e-3);
        before = now;
    }
    snt_near(sni_near_ground(0.1), 1, 1e-12);
    snt_near(sni_near_ground(-5), 1, 0);
    snt_near(sni_near_ground(0.2), 0, 1e-12);
    snt_near(sni_near_ground(0.15), 0.5, 1e-12);
    for (double x = -0.1; x < 0.3; x += 1e-4) { // value and slope
        double a = sni_sole_lift(x, false), b = sni_sole_lift(x + 1e-4, false);
        double c = sni_sole_lift(x + 2e-4, false);
        assert_true(a >= 0 && a <= fmax(x, 0));
        assert_true(fabs(b - a) < 1e-3 && fabs(c - 2 * b + a) < 1e-5);
    }
    snt_near(sni_sole_lift(0.06, false), 0.06 - 0.0275, 1e-12);
    snt_near(sni_sole_lift(0.0125, false), 0, 0);
    snt_near(sni_sole_lift(0.06, true), 0.06 - 0.015, 1e-12);
    snt_near(sni_sole_lift(0.005, true), 0, 0);
}

// ---------------------------------------------------------------------------------------------

enum { ROOT, HIPS, THIGH, SHIN, FOOT, BETWEEN, TOE, RECORDED };

// A clip whose toe hangs on a segment that the body lacks, with position channels that never
// change; the body as a whole moves.
static sn_clip *make_clip(sn_context *context) {
    static const snt_bone bones[RECORDED] = {
        {"root", -1, {0, 0, 0}},       {"hips", ROOT, {0, 0.9, 0}},
        {"leg.a", HIPS, {0, 0, 0}},    {"leg.b", THIGH, {0, -0.4, 0}},
        {"leg.c", SHIN, {0, -0.4, 0}}, {"between", FOOT, {0, -0.05, 0.05}},
        {"tip", BETWEEN, {0, 0, 0.1}},
    };
    sn_clip *clip = NULL;
    snt_ok(sn_clip_create(context, "clip", 30, 2, &clip, error));
    clip->skeleton = snt_skeleton(context, bones, RECORDED);
    snt_track(clip, SN_TRACK_TRANSLATION, "hips", SN_INTERPOLATION_LINEAR, 2,
              (double[]){0, 1.0 / 30}, (double[]){0, 0.9, 0, 2, 1.4, 1});
    snt_track(clip, SN_TRACK_ROTATION, "leg.b", SN_INTERPOLATION_LINEAR, 2, (double[]){0, 1.0 / 30},
              (double[]){0, 0, 0, 1, 0.6, 0, 0, 0.8});
    snt_constant(clip, SN_TRACK_TRANSLATION, "tip", (double[]){0, 0, 0.1});
    return clip;
}

static void a_joint_that_hangs_elsewhere_stays_on_its_body(void **state) {
    (void)state;
    static const snt_bone bones[] = {
        {"root", -1, {0, 0, 0}},    {"hips", 0, {0, 1.8, 0}},   {"leg.a", 1, {0.1, 0, 0}},
        {"leg.b", 2, {0, -0.8, 0}}, {"leg.c", 3, {0, -0.9, 0}}, {"tip", 4, {0, -0.1, 0.3}},
    };
    const uint32_t count = sizeof bones / sizeof *bones;
    sn_context *context = snt_context(1);
    sn_clip *clip = make_clip(context), *result = NULL;
    sn_skeleton skeleton = snt_skeleton(context, bones, count);
    sn_retarget_desc desc = sn_retarget_desc_default();
    snt_ok(sn_clip_retarget(clip, &skeleton, &desc, &result, NULL, error));
    sni_rig *rig = NULL;
    sni_player *player = NULL;
    snt_ok(sni_rig_create(context, &(sni_rig_desc){.skeleton = &skeleton}, &rig, error));
    snt_ok(sni_player_create(rig, result, NULL, &player, error));
    sni_pose pose = snt_pose(context, rig);
    for (int frame = 0; frame < 2; ++frame) {
        snt_ok(sni_rig_pose(rig, player, frame / 30.0, NULL, 0, &pose, error));
        snt_near(sn_vec3_distance(snt_place(&pose, 5), snt_place(&pose, 4)), hypot(0.1, 0.3), 1e-9);
    }
    snt_pose_end(context, &pose);
    sni_player_destroy(player);
    sni_rig_destroy(rig);
    sni_skeleton_deinit(context, &skeleton);
    sn_clip_destroy(result);
    sn_clip_destroy(clip);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_toe_is_lifted_as_far_as_needed),
        cmocka_unit_test(lifting_is_continuous),
        cmocka_unit_test(a_joint_that_hangs_elsewhere_stays_on_its_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
