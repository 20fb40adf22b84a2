// SPDX-License-Identifier: Apache-2.0
//
// Twist that the segments of a limb share.
#include "build.h"

#include "motion/retarget.h"

static const double degree = SN_PI / 180;

// ---------------------------------------------------------------------------------------------
// Angles

static sn_vec3 across(sn_vec3 axis, snt_random *random) {
    sn_vec3 other = sn_quat_rotate(snt_random_quat(random), sn_vec3_make(1, 0, 0));
    return sn_vec3_normalize_or(sn_vec3_cross(axis, other), sn_vec3_make(0, 0, 0));
}

static void a_twist_is_found_below_any_swing(void **state) {
    (void)state;
    snt_random random = {1};
    for (int i = 0; i < 200; ++i) {
        sn_vec3 axis = sn_quat_rotate(snt_random_quat(&random), sn_vec3_make(0, 1, 0));
        double angle = snt_random_range(&random, -119, 119) * degree;
        double swing = snt_random_range(&random, 0, 144) * degree;
        sn_quat turn = sn_quat_multiply(sn_quat_from_axis_angle(across(axis, &random), swing),
                                        sn_quat_from_axis_angle(axis, angle));
        snt_near(sni_twist_angle(turn, axis), angle, 1e-9);
        snt_near(sni_twist_angle(sn_quat_scale(turn, -1), axis), angle, 1e-9);
    }
}

// Neither half a turn about the bone nor a bone that points backwards makes it jump.
static void a_twist_never_jumps(void **state) {
    (void)state;
    const double step = 0.05 * degree;
    const sn_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    for (int swing = 0; swing <= 180; swing += 20) {
        double before = 0, most = 0;
        for (double angle = 0; angle < 4 * SN_PI; angle += step) {
            sn_quat turn = sn_quat_multiply(sn_quat_from_axis_angle(x, swing * degree),
                                            sn_quat_from_axis_angle(y, angle));
            double now = sni_twist_angle(turn, y);
            most = fmax(most, fabs(now - before));
            before = now;
        }
        assert_true(most < 6 * step);
    }
    // Past the opposite of the rest, on circles of any size around it.
    for (double tilt = 90; tilt <= 270; tilt += 7.5) {
        double before = NAN;
        for (double angle = 0; angle < 2 * SN_PI; angle += step) {
            sn_quat turn =
                sn_quat_multiply(sn_quat_from_axis_angle(y, angle),
                                 sn_quat_multiply(sn_quat_from_axis_angle(z, tilt * degree),
                                                  sn_quat_from_axis_angle(y, 1)));
            double now = sni_twist_angle(turn, y);
            assert_false(fabs(now - before) > 12 * step);
            before = now;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Bodies

enum { RECORDED = 15 };

static const snt_bone recorded[RECORDED] = {
    {"Hips", -1, {0, 1, 0}},          {"Spine", 0, {0, 0.2, 0}},
    {"Head", 1, {0, 0.4, 0}},         {"LeftArm", 1, {0.2, 0.3, 0}},
    {"LeftForeArm", 3, {0.3, 0, 0}},  {"LeftHand", 4, {0.3, 0, 0}},
    {"RightArm", 1, {-0.2, 0.3, 0}},  {"RightForeArm", 6, {-0.3, 0, 0}},
    {"RightHand", 7, {-0.3, 0, 0}},   {"LeftUpLeg", 0, {0.1, 0, 0}},
    {"LeftLeg", 9, {0, -0.45, 0}},    {"LeftFoot", 10, {0, -0.45, 0}},
    {"RightUpLeg", 0, {-0.1, 0, 0}},  {"RightLeg", 12, {0, -0.45, 0}},
    {"RightFoot", 13, {0, -0.45, 0}},
};

// Segments in a line that is not quite straight.
static const snt_bone chained[] = {
    {"pelvis", -1, {0, 0.9, 0}},
    {"spine01", 0, {0, 0.2, 0}},
    {"head", 1, {0, 0.4, 0}},
    {"upperarm01.L", 1, {0.2, 0.25, 0}},
    {"upperarm02.L", 3, {0.1, -0.1, 0.02}},
    {"lowerarm01.L", 4, {0.1, -0.12, -0.01}},
    {"lowerarm02.L", 5, {0.12, -0.1, 0}},
    {"wrist.L", 6, {0.1, -0.1, 0.02}},
    {"upperarm.R", 1, {-0.2, 0.25, 0}},
    {"lowerarm.R", 8, {-0.2, -0.22, 0}},
    {"wrist.R", 9, {-0.2, -0.2, 0}},
    {"upperleg01.L", 0, {0.1, 0, 0}},
    {"upperleg02.L", 11, {0, -0.2, 0.01}},
    {"lowerleg01.L", 12, {0, -0.2, 0}},
    {"lowerleg02.L", 13, {0, -0.2, 0.01}},
    {"foot.L", 14, {0, -0.2, 0}},
    {"upperleg.R", 0, {-0.1, 0, 0}},
    {"lowerleg.R", 16, {0, -0.4, 0}},
    {"foot.R", 17, {0, -0.4, 0}},
};
enum { CHAINED = sizeof chained / sizeof *chained };

// Segments beside the limb, as engines for games have them.
static const snt_bone beside[] = {
    {"pelvis", -1, {0, 0.9, 0}},
    {"spine_01", 0, {0, 0.2, 0}},
    {"head", 1, {0, 0.4, 0}},
    {"upperarm_l", 1, {0.2, 0.25, 0}},
    {"upperarm_twist_01_l", 3, {0.05, 0, 0}},
    {"lowerarm_l", 3, {0.25, 0, 0}},
    {"lowerarm_twist_01_l", 5, {0.1, 0, 0.01}},
    {"lowerarm_twist_02_l", 6, {0.1, 0, 0}},
    {"hand_l", 5, {0.25, 0, 0}},
    {"upperarm_r", 1, {-0.2, 0.25, 0}},
    {"lowerarm_r", 9, {-0.25, 0, 0}},
    {"hand_r", 10, {-0.25, 0, 0}},
    {"thigh_l", 0, {0.1, 0, 0}},
    {"calf_l", 12, {0, -0.4, 0}},
    {"foot_l", 13, {0, -0.4, 0}},
    {"thigh_r", 0, {-0.1, 0, 0}},
    {"calf_r", 15, {0, -0.4, 0}},
    {"foot_r", 16, {0, -0.4, 0}},
};
enum { BESIDE = sizeof beside / sizeof *beside };

static const uint32_t frame_count = 120;

// A clip that turns the left limbs about any axes, within what a body can do.
static sn_clip *make_clip(sn_context *context, uint64_t seed) {
    static const char *const moved[] = {"Spine",     "LeftArm", "LeftForeArm", "LeftHand",
                                        "LeftUpLeg", "LeftLeg", "LeftFoot"};
    snt_random random = {seed};
    sn_clip *clip = NULL;
    snt_ok(sn_clip_create(context, "clip", 30, frame_count, &clip, error));
    clip->skeleton = snt_skeleton(context, recorded, RECORDED);
    for (size_t i = 0; i < sizeof moved / sizeof *moved; ++i) {
        sn_track *track;
        sn_quat axis = snt_random_quat(&random);
        double most = snt_random_range(&random, 30, 100) * degree;
        snt_ok(sn_clip_add_track(clip, SN_TRACK_ROTATION, moved[i], SN_INTERPOLATION_LINEAR,
                                 frame_count, &track, error));
        for (uint32_t f = 0; f < frame_count; ++f) {
            double angle = most * sin(2 * SN_PI * f / frame_count);
            sn_quat q = sn_quat_from_axis_angle(sn_quat_rotate(axis, sn_vec3_make(1, 0, 0)), angle);
            track->times[f] = f / 30.0;
            memcpy(track->values + 4 * (size_t)f, &q, 4 * sizeof(double));
        }
    }
    return clip;
}

// The clip on a body, with twist spread and without.
typedef struct played {
    sn_context *context;
    sn_skeleton skeleton;
    sn_clip *clips[2]; // without, with
    sni_rig *rig;
    sni_player *players[2];
    sni_pose poses[2];
} played;

static played play(sn_context *context, const sn_clip *clip, const snt_bone *bones,
                   uint32_t count) {
    played p = {.context = context, .skeleton = snt_skeleton(context, bones, count)};
    snt_ok(sni_rig_create(context, &(sni_rig_desc){.skeleton = &p.skeleton}, &p.rig, error));
    for (int i = 0; i < 2; ++i) {
        sn_retarget_desc desc = sn_retarget_desc_default();
        desc.spread_twist = i == 1;
        snt_ok(sn_clip_retarget(clip, &p.skeleton, &desc, &p.clips[i], NULL, error));
        snt_ok(sni_player_create(p.rig, p.clips[i], NULL, &p.players[i], error));
        p.poses[i] = snt_pose(context, p.rig);
    }
    return p;
}

static void pose_both(played *p, uint32_t frame) {
    for (int i = 0; i < 2; ++i) {
        snt_ok(sni_rig_pose(p->rig, p->players[i], frame / 30.0, NULL, 0, &p->poses[i], error));
    }
}

static void end_play(played *p) {
    for (int i = 0; i < 2; ++i) {
        snt_pose_end(p->context, &p->poses[i]);
        sni_player_destroy(p->players[i]);
        sn_clip_destroy(p->clips[i]);
    }
    sni_rig_destroy(p->rig);
    sni_skeleton_deinit(p->context, &p->skeleton);
}

static sn_quat world_turn(const played *p, int spread, uint32_t segment) {
    return sn_mat4_rotation(&p->poses[spread].worlds[segment]);
}

// What spreading turns a segment by, in degrees.
static double turned(const played *p, uint32_t segment) {
    double cosine = fabs(sn_quat_dot(world_turn(p, 0, segment), world_turn(p, 1, segment)));
    return 2 * acos(fmin(cosine, 1)) / degree;
}

// ---------------------------------------------------------------------------------------------

// Joints stay where they were; what does not share turns as it did, hands and feet among it.
static void joints_and_ends_stay(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        sn_clip *clip = make_clip(context, seed);
        played p = play(context, clip, chained, CHAINED);
        double most[CHAINED] = {0};
        for (uint32_t f = 0; f < frame_count; ++f) {
            pose_both(&p, f);
            for (uint32_t i = 0; i < CHAINED; ++i) {
                snt_vec3_near(snt_place(&p.poses[1], i), snt_place(&p.poses[0], i), 1e-6);
                most[i] = fmax(most[i], turned(&p, i));
            }
        }
        for (uint32_t i = 0; i < CHAINED; ++i) {
            bool shares = i == 3 || i == 5 || i == 6 || i == 11 || i == 13 || i == 14;
            assert_true(shares || most[i] < 1e-3);
        }
        assert_true(most[3] > 1);
        assert_true(most[6] > 1);
        end_play(&p);
        sn_clip_destroy(clip);
    }
    snt_context_end(context);
}

// The clip turns one joint about the length of a straight arm, all the way around and on.
static sn_clip *make_twist(sn_context *context, const char *joint, double degrees_per_frame) {
    sn_clip *clip = NULL;
    sn_track *track;
    snt_ok(sn_clip_create(context, "twist", 30, frame_count, &clip, error));
    clip->skeleton = snt_skeleton(context, recorded, RECORDED);
    snt_ok(sn_clip_add_track(clip, SN_TRACK_ROTATION, joint, SN_INTERPOLATION_LINEAR, frame_count,
                             &track, error));
    for (uint32_t f = 0; f < frame_count; ++f) {
        sn_quat q = sn_quat_from_axis_angle(sn_vec3_make(1, 0, 0), f * degrees_per_frame * degree);
        track->times[f] = f / 30.0;
        memcpy(track->values + 4 * (size_t)f, &q, 4 * sizeof(double));
    }
    return clip;
}

// How a segment is turned from its rest about x, in degrees, with twist spread.
static double twist_of(const played *p, uint32_t segment) {
    return sni_twist_angle(world_turn(p, 1, segment), sn_vec3_make(1, 0, 0)) / degree;
}

// Of 60 degrees each segment has its share, by where it is along the limb.
static void shares_are_by_place(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_clip *arm = make_twist(context, "LeftArm", 60), *hand = make_twist(context, "LeftHand", 60);
    played p = play(context, arm, beside, BESIDE);
    pose_both(&p, 1);
    snt_near(twist_of(&p, 3), 60, 1e-6); // the upper arm itself, which the forearm hangs on
    snt_near(twist_of(&p, 4), 60 * 0.2, 1e-6);
    snt_near(twist_of(&p, 6), 60, 1e-6);
    snt_near(twist_of(&p, 8), 60, 1e-6);
    end_play(&p);
    p = play(context, hand, beside, BESIDE);
    pose_both(&p, 1);
    snt_near(twist_of(&p, 4), 0, 1e-6);
    snt_near(twist_of(&p, 5), 0, 1e-6);
    snt_near(twist_of(&p, 6), 60 * 0.4, 1e-6);
    snt_near(twist_of(&p, 7), 60 * 0.8, 1e-6);
    snt_near(twist_of(&p, 8), 60, 1e-6);
    end_play(&p);
    sn_clip_destroy(arm);
    sn_clip_destroy(hand);
    snt_context_end(context);
}

static void whole_turns_are_continuous(void **state) {
    (void)state;
    static const char *const joints[] = {"LeftArm", "LeftForeArm", "LeftHand"};
    const double step = 6;
    sn_context *context = snt_context(1);
    for (int j = 0; j < 3; ++j) {
        sn_clip *clip = make_twist(context, joints[j], step);
        played p = play(context, clip, chained, CHAINED);
        sn_quat before[CHAINED];
        for (uint32_t f = 0; f < frame_count; ++f) {
            pose_both(&p, f);
            for (uint32_t i = 3; i <= 7; ++i) {
                sn_quat now = world_turn(&p, 1, i);
                double way = f > 0 ? 2 * acos(fmin(fabs(sn_quat_dot(now, before[i])), 1)) : 0;
                assert_true(way < 5 * step * degree);
                before[i] = now;
            }
        }
        end_play(&p);
        sn_clip_destroy(clip);
    }
    snt_context_end(context);
}

// Limbs of one segment, and a body's own clip, have the same bits with spreading and without.
static void whole_limbs_keep_their_bits(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_clip *clip = make_clip(context, 5);
    snt_bone longer[RECORDED];
    memcpy(longer, recorded, sizeof longer);
    longer[4].offset[0] = 0.25;
    const snt_bone *const bodies[] = {recorded, longer};
    for (int b = 0; b < 2; ++b) {
        played p = play(context, clip, bodies[b], RECORDED);
        assert_int_equal(p.clips[0]->track_count, p.clips[1]->track_count);
        for (uint32_t i = 0; i < p.clips[0]->track_count; ++i) {
            const sn_track *u = &p.clips[0]->tracks[i], *v = &p.clips[1]->tracks[i];
            size_t bytes = u->key_count * sn_track_width(u) * sizeof *u->values;
            assert_memory_equal(u->values, v->values, bytes);
        }
        end_play(&p);
    }
    sn_clip_destroy(clip);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_twist_is_found_below_any_swing),
        cmocka_unit_test(a_twist_never_jumps),
        cmocka_unit_test(joints_and_ends_stay),
        cmocka_unit_test(shares_are_by_place),
        cmocka_unit_test(whole_turns_are_continuous),
        cmocka_unit_test(whole_limbs_keep_their_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
