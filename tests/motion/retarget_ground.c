// SPDX-License-Identifier: Apache-2.0
//
// Real clips on real bodies: how far feet slide that rest in the clip, where their joints are over
// the ground, and whether knees jerk, with feet held and without. What rests is told here by a
// measure of its own, stricter than the library's.
#include "build.h"

#include "motion/retarget.h"
#include "sinew/io.h"

typedef struct feet {
    uint32_t thigh[2], shin[2], foot[2];
} feet;

static feet find_feet(sn_context *context, const sn_skeleton *skeleton) {
    sni_stance stance;
    feet f;
    snt_ok(sni_stance_init(context, skeleton, &stance, error));
    for (int i = 0; i < 2; ++i) {
        sni_body_side side = i == 0 ? SNI_SIDE_LEFT : SNI_SIDE_RIGHT;
        f.thigh[i] = sni_stance_first(&stance, SNI_BODY_THIGH, side);
        f.shin[i] = sni_stance_first(&stance, SNI_BODY_SHIN, side);
        f.foot[i] = sni_stance_first(&stance, SNI_BODY_FOOT, side);
    }
    sni_stance_deinit(context, &stance);
    return f;
}

// World matrices of all frames, frame after frame. Free with sni_free.
static sn_mat4 *pose_all(sn_context *context, const sn_clip *clip) {
    sni_rig *rig;
    sni_player *player;
    uint32_t ignored;
    sni_rig_desc desc = {.skeleton = &clip->skeleton};
    snt_ok(sni_rig_create(context, &desc, &rig, error));
    snt_ok(sni_player_create(rig, clip, &ignored, &player, error));
    sni_pose pose = snt_pose(context, rig);
    size_t count = clip->skeleton.segment_count;
    sn_mat4 *worlds = sni_alloc(context, count * clip->frame_count, sizeof *worlds);
    for (uint32_t k = 0; k < clip->frame_count; ++k) {
        snt_ok(sni_rig_pose(rig, player, k / clip->rate, NULL, 0, &pose, error));
        memcpy(worlds + k * count, pose.worlds, count * sizeof *worlds);
    }
    snt_pose_end(context, &pose);
    sni_player_destroy(player);
    sni_rig_destroy(rig);
    return worlds;
}

typedef struct film {
    const sn_clip *clip;
    sn_mat4 *worlds;
    feet at;
    double leg;
} film;

static sn_vec3 place(const film *f, uint32_t frame, uint32_t segment) {
    const double *m = f->worlds[frame * f->clip->skeleton.segment_count + segment].m;
    return sn_vec3_make(m[12], m[13], m[14]);
}

static film shoot(sn_context *context, const sn_clip *clip) {
    film f = {.clip = clip, .worlds = pose_all(context, clip)};
    f.at = find_feet(context, &clip->skeleton);
    f.leg = sn_vec3_distance(place(&f, 0, f.at.thigh[0]), place(&f, 0, f.at.shin[0])) +
            sn_vec3_distance(place(&f, 0, f.at.shin[0]), place(&f, 0, f.at.foot[0]));
    return f;
}

// Whether an ankle rests in the source: slower than a tenth of a leg per second over 50 ms, and
// within a twentieth of a leg of the lowest that any ankle is.
static bool rests(const film *f, int side, double lowest, uint32_t frame) {
    uint32_t reach = (uint32_t)fmax(1, round(0.025 * f->clip->rate));
    if (frame < reach || frame + reach >= f->clip->frame_count) {
        return false;
    }
    double way = sn_vec3_distance(place(f, frame - reach, f->at.foot[side]),
                                  place(f, frame + reach, f->at.foot[side]));
    double height = place(f, frame, f->at.foot[side]).y - lowest;
    return way / f->leg * f->clip->rate / (2 * reach) < 0.1 && height < 0.05 * f->leg;
}

static double lowest_ankle(const film *f, int side) {
    double lowest = INFINITY;
    for (uint32_t k = 1; k < f->clip->frame_count; ++k) {
        lowest = fmin(lowest, place(f, k, f->at.foot[side]).y);
    }
    return lowest;
}

typedef struct figures {
    double slide;     // metres on a leg of 0.8 m: the farthest that a resting ankle moves sideways
    double low, high; // of resting ankles over their rest pose, on such a leg
    double jerk;      // the largest second difference of a knee's angle, radians per second^2
    uint32_t spans;
} figures;

static double knee_angle(const film *f, int side, uint32_t frame) {
    sn_vec3 hip = place(f, frame, f->at.thigh[side]), knee = place(f, frame, f->at.shin[side]);
    sn_vec3 thigh = sn_vec3_sub(knee, hip);
    sn_vec3 shin = sn_vec3_sub(place(f, frame, f->at.foot[side]), knee);
    return atan2(sn_vec3_length(sn_vec3_cross(thigh, shin)), sn_vec3_dot(thigh, shin));
}

static double rest_height(sn_context *context, const film *f, int side) {
    sn_mat4 *worlds;
    snt_ok(sni_skeleton_rest_worlds(context, &f->clip->skeleton, &worlds, error));
    double y = worlds[f->at.foot[side]].m[13];
    sni_free(context, worlds);
    return y;
}

static figures measure(sn_context *context, const film *source, const film *made) {
    figures sum = {.low = INFINITY, .high = -INFINITY};
    double unit = 0.8 / made->leg;
    for (int side = 0; side < 2; ++side) {
        double ground = rest_height(context, made, side), lowest = lowest_ankle(source, side);
        uint32_t first = SN_NONE;
        for (uint32_t k = 0; k < made->clip->frame_count; ++k) {
            if (!rests(source, side, lowest, k)) {
                first = SN_NONE;
                continue;
            }
            sum.spans += first == SN_NONE;
            first = first == SN_NONE ? k : first;
            sn_vec3 now = place(made, k, made->at.foot[side]);
            sn_vec3 then = place(made, first, made->at.foot[side]);
            sum.slide = fmax(sum.slide, unit * hypot(now.x - then.x, now.z - then.z));
            sum.low = fmin(sum.low, unit * (now.y - ground));
            sum.high = fmax(sum.high, unit * (now.y - ground));
        }
        for (uint32_t k = 3; k + 1 < made->clip->frame_count; ++k) {
            double d = knee_angle(made, side, k + 1) - 2 * knee_angle(made, side, k) +
                       knee_angle(made, side, k - 1);
            sum.jerk = fmax(sum.jerk, fabs(d) * made->clip->rate * made->clip->rate);
        }
    }
    return sum;
}

static const sn_clip *choose(const sn_import *import, const char *name) {
    for (uint32_t i = 0; i < import->clip_count; ++i) {
        if (name == NULL || strcmp(import->clips[i]->name, name) == 0) {
            return import->clips[i];
        }
    }
    fail_msg("there is no clip %s", name);
    return NULL;
}

static figures play(sn_context *context, const sn_clip *clip, const sn_skeleton *body, bool plant,
                    sn_retarget_report *report) {
    sn_retarget_desc desc = sn_retarget_desc_default();
    sn_clip *made;
    desc.plant_feet = plant;
    snt_ok(sn_clip_retarget(clip, body, &desc, &made, report, error));
    film from = shoot(context, clip), to = shoot(context, made);
    figures f = measure(context, &from, &to);
    sni_free(context, from.worlds);
    sni_free(context, to.worlds);
    sn_clip_destroy(made);
    return f;
}

// One line, to compare bodies and to choose thresholds by: `ctest -V`.
static void show(const char *body, const char *clip, const figures *a, const figures *b,
                 const sn_retarget_report *report) {
    print_message("%s with %s: %u times at rest, slide %.1f -> %.2f mm, ankles at %.1f..%.1f -> "
                  "%.1f..%.1f mm, knees %.0f -> %.0f rad/s^2, held %u times\n",
                  body, clip, b->spans, 1000 * a->slide, 1000 * b->slide, 1000 * a->low,
                  1000 * a->high, 1000 * b->low, 1000 * b->high, a->jerk, b->jerk,
                  report->plant_count);
}

// What is allowed after feet are held. Lengths are on a leg of 0.8 m.
typedef struct bounds {
    double slide, low, high; // metres
    double jerk;             // times what it is without
} bounds;

static void try_pair(const char *body, const char *motion, const char *name, bounds allowed) {
    sn_context *context = snt_context(1);
    sn_import *character, *clips;
    sn_retarget_report report;
    snt_ok(sn_import_file(context, snt_data(body), &character, error));
    snt_ok(sn_import_file(context, snt_data(motion), &clips, error));
    const sn_clip *clip = choose(clips, name);
    figures before = play(context, clip, &character->skeleton, false, &report);
    figures after = play(context, clip, &character->skeleton, true, &report);
    show(body, name != NULL ? name : motion, &before, &after, &report);
    assert_true(after.spans > 0 && report.plant_count > 0);
    assert_true(before.slide > 2 * after.slide);
    assert_true(after.slide < allowed.slide);
    assert_true(after.low > -allowed.low && after.high < allowed.high);
    assert_true(after.jerk < allowed.jerk * before.jerk);
    sn_import_destroy(clips);
    sn_import_destroy(character);
    snt_context_end(context);
}

static const bounds tight = {.slide = 0.001, .low = 0.001, .high = 0.001, .jerk = 2};
// The robot has legs of half its hips' width.
static const bounds robot = {.slide = 0.001, .low = 0.001, .high = 0.001, .jerk = 3};
// Feet that stand on their balls now and then: these are held, and ankles turn about them.
static const bounds balls = {.slide = 0.006, .low = 0.007, .high = 0.04, .jerk = 3};

// Feet that are pitched while their ankles rest, as before a jump: their balls stay out of the
// ground, and ankles are raised for that.
static const bounds pitched = {.slide = 0.001, .low = 0.001, .high = 0.025, .jerk = 2};

static void walks(void **state) {
    (void)state;
    const char *walk = "mocap/cmu_02_01_walk.bvh";
    try_pair("human/human.glb", walk, NULL, tight);
    try_pair("human/human_male_muscular.glb", walk, NULL, tight);
    try_pair("rigs/Xbot.glb", walk, NULL, tight);
    try_pair("rigs/Soldier.glb", walk, NULL, tight);
    try_pair("gltf/CesiumMan.glb", walk, NULL, tight);
    try_pair("rigs/unrigged/rig-human.glb", walk, NULL, tight);
    try_pair("rigs/RobotExpressive.glb", walk, NULL, robot);
}

static void jumps_and_bends(void **state) {
    (void)state;
    try_pair("human/human.glb", "mocap/cmu_16_03_high_jump.bvh", NULL, pitched);
    try_pair("rigs/Xbot.glb", "mocap/cmu_16_03_high_jump.bvh", NULL, pitched);
    try_pair("human/human.glb", "mocap/cmu_02_06_bend_scoop_lift_arm.bvh", NULL, pitched);
    try_pair("human/human.glb", "mocap/cmu_02_04_jump_balance.bvh", NULL, balls);
    try_pair("rigs/Xbot.glb", "mocap/cmu_13_29_jacks_twists_bend_squats.bvh", NULL, balls);
    try_pair("rigs/Soldier.glb", "mocap/cmu_13_29_jacks_twists_bend_squats.bvh", NULL, balls);
}

static void dances(void **state) {
    (void)state;
    try_pair("human/human.glb", "rigs/RobotExpressive.glb", "Dance", tight);
    try_pair("rigs/Xbot.glb", "rigs/RobotExpressive.glb", "Dance", tight);
    try_pair("human/human.glb", "rigs/rokoko_dance.bvh", NULL, tight);
    try_pair("gltf/CesiumMan.glb", "rigs/rokoko_dance.bvh", NULL, tight);
}

// A walk on the spot: no foot rests in the world.
static void walks_on_the_spot_are_left_alone(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_import *character, *clips;
    sn_retarget_report report;
    snt_ok(sn_import_file(context, snt_data("human/human.glb"), &character, error));
    snt_ok(sn_import_file(context, snt_data("rigs/Xbot.glb"), &clips, error));
    (void)play(context, choose(clips, "walk"), &character->skeleton, true, &report);
    assert_int_equal(report.plant_count, 0);
    sn_import_destroy(clips);
    sn_import_destroy(character);
    snt_context_end(context);
}

static sn_vec3 thigh_of(const film *f, int side, uint32_t frame) {
    sn_vec3 bone =
        sn_vec3_sub(place(f, frame, f->at.shin[side]), place(f, frame, f->at.thigh[side]));
    return sn_vec3_normalize_or(bone, bone);
}

// All bones lie along one axis in the zero pose of this file; the dancer stands upright on every
// body, knees ahead, as in the file.
static void a_dancer_without_rest_pose_stands(void **state) {
    (void)state;
    static const char *const bodies[] = {"human/human.glb", "rigs/Xbot.glb", "gltf/CesiumMan.glb",
                                         "rigs/RobotExpressive.glb"};
    sn_context *context = snt_context(1);
    sn_import *clips;
    snt_ok(sn_import_file(context, snt_data("rigs/rokoko_dance.bvh"), &clips, error));
    film from = shoot(context, clips->clips[0]);
    for (int i = 0; i < 4; ++i) {
        sn_import *character;
        sn_retarget_desc desc = sn_retarget_desc_default();
        sn_retarget_report report;
        sn_clip *made;
        snt_ok(sn_import_file(context, snt_data(bodies[i]), &character, error));
        snt_ok(
            sn_clip_retarget(clips->clips[0], &character->skeleton, &desc, &made, &report, error));
        assert_true(report.zero_is_no_pose && report.rest_frame != SN_NONE);
        film to = shoot(context, made);
        for (uint32_t k = 0; k < made->frame_count; k += 10) {
            for (int side = 0; side < 2; ++side) {
                sn_vec3 thighs[2] = {thigh_of(&from, side, k), thigh_of(&to, side, k)};
                if (!(sn_vec3_dot(thighs[0], thighs[1]) > 0.97)) {
                    fail_msg("%s, frame %u: a thigh is off by %g degrees", bodies[i], k,
                             acos(sn_vec3_dot(thighs[0], thighs[1])) * 180 / SN_PI);
                }
                snt_near(knee_angle(&to, side, k), knee_angle(&from, side, k), 0.3);
            }
        }
        sni_free(context, to.worlds);
        sn_clip_destroy(made);
        sn_import_destroy(character);
    }
    sni_free(context, from.worlds);
    sn_import_destroy(clips);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks),
        cmocka_unit_test(jumps_and_bends),
        cmocka_unit_test(dances),
        cmocka_unit_test(walks_on_the_spot_are_left_alone),
        cmocka_unit_test(a_dancer_without_rest_pose_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
