// SPDX-License-Identifier: Apache-2.0
//
// One body under all the guises that files give it: other rest pose, other rolls of the joints'
// frames, other size, a scaled armature above it, other axes, segments in another order. Whatever
// the guise, a clip moves its joints through the same places.
#include "build.h"

#include "motion/body.h"
#include "sinew/io.h"

static const double height = 1.7;      // metres that any body is taken to be
static const double tolerance = 0.001; // metres
enum { CASES = 100, FRAMES = 12 };

typedef struct guise {
    double limb, trunk; // rest rotations are turned by up to this, radians
    bool rolled, permuted, armature, turned;
    double scale;
} guise;

static sn_quat random_turn(snt_random *random, double most) {
    sn_quat q = snt_random_quat(random);
    sn_vec3 axis = sn_vec3_normalize_or(sn_vec3_make(q.x, q.y, q.z), sn_vec3_make(1, 0, 0));
    return sn_quat_from_axis_angle(axis, snt_random_range(random, 0, most));
}

static void turn_rests(sn_context *context, sn_skeleton *skeleton, const guise *g,
                       snt_random *random) {
    sni_body body;
    snt_ok(sni_body_init(context, skeleton, &body, error));
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        bool limb = body.roles[i].part >= SNI_BODY_UPPER_ARM;
        sn_transform *rest = &skeleton->segments[i].rest;
        rest->rotation =
            sn_quat_multiply(rest->rotation, random_turn(random, limb ? g->limb : g->trunk));
    }
    sni_body_deinit(context, &body);
}

// Joints stay where they are, their frames are turned.
static void roll(sn_context *context, sn_skeleton *skeleton, snt_random *random) {
    sn_quat *rolls = sni_alloc(context, skeleton->segment_count, sizeof *rolls);
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        uint32_t segment = skeleton->parents_first[i];
        uint32_t parent = skeleton->segments[segment].parent;
        sn_transform *rest = &skeleton->segments[segment].rest;
        sn_quat above = parent != SN_NONE ? sn_quat_conjugate(rolls[parent]) : sn_quat_identity();
        rolls[segment] = snt_random_quat(random);
        rest->translation = sn_quat_rotate(above, rest->translation);
        rest->rotation = sn_quat_multiply(sn_quat_multiply(above, rest->rotation), rolls[segment]);
    }
    sni_free(context, rolls);
}

static void scale_all(sn_skeleton *skeleton, double scale) {
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        sn_vec3 *t = &skeleton->segments[i].rest.translation;
        *t = sn_vec3_scale(*t, scale);
    }
}

// Another world: its axes have other names.
static void turn_world(sn_skeleton *skeleton, sn_quat turn) {
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        sn_transform *rest = &skeleton->segments[i].rest;
        if (skeleton->segments[i].parent == SN_NONE) {
            rest->translation = sn_quat_rotate(turn, rest->translation);
            rest->rotation = sn_quat_multiply(turn, rest->rotation);
        }
    }
}

// The same segments in random order, and where `armature` is asked for, one more on top whose scale
// makes all below it a hundred times as large.
static sn_skeleton rebuild(sn_context *context, const sn_skeleton *from, const guise *g,
                           snt_random *random) {
    uint32_t count = from->segment_count, extra = g->armature ? 1 : 0;
    uint32_t *places = sni_alloc(context, count, sizeof *places);
    for (uint32_t i = 0; i < count; ++i) {
        places[i] = i + extra;
    }
    for (uint32_t i = count; i > 1 && g->permuted; --i) {
        uint32_t k = (uint32_t)snt_random_range(random, 0, i - 1e-9), kept = places[i - 1];
        places[i - 1] = places[k];
        places[k] = kept;
    }
    sn_skeleton made;
    snt_ok(sni_skeleton_init(context, count + extra, &made, error));
    for (uint32_t i = 0; i < count; ++i) {
        sn_segment *segment = &made.segments[places[i]];
        const sn_segment *old = &from->segments[i];
        segment->name = sni_string_copy(context, old->name);
        segment->rest = old->rest;
        segment->parent = old->parent != SN_NONE ? places[old->parent] : g->armature ? 0 : SN_NONE;
        if (g->armature) {
            segment->rest.translation = sn_vec3_scale(segment->rest.translation, 100);
        }
    }
    if (g->armature) {
        made.segments[0].name = sni_string_copy(context, "The armature");
        made.segments[0].rest.scale = sn_vec3_make(0.01, 0.01, 0.01);
    }
    snt_ok(sni_skeleton_sort(context, &made, error));
    sni_free(context, places);
    return made;
}

// ---------------------------------------------------------------------------------------------

// The places of all joints in a frame, in the order of the skeleton. Free with sni_free.
static sn_mat4 *pose_frames(sn_context *context, const sn_clip *clip) {
    sni_rig *rig;
    sni_player *player;
    sni_rig_desc desc = {.skeleton = &clip->skeleton};
    snt_ok(sni_rig_create(context, &desc, &rig, error));
    snt_ok(sni_player_create(rig, clip, NULL, &player, error));
    sni_pose pose = snt_pose(context, rig);
    size_t count = clip->skeleton.segment_count;
    sn_mat4 *worlds = sni_alloc(context, count * FRAMES, sizeof *worlds);
    for (uint32_t k = 0; k < FRAMES; ++k) {
        uint32_t frame = k * (clip->frame_count - 1) / (FRAMES - 1);
        snt_ok(sni_rig_pose(rig, player, frame / clip->rate, NULL, 0, &pose, error));
        memcpy(worlds + k * count, pose.worlds, count * sizeof *worlds);
    }
    snt_pose_end(context, &pose);
    sni_player_destroy(player);
    sni_rig_destroy(rig);
    return worlds;
}

static sn_vec3 place(const sn_mat4 *world) {
    return sn_vec3_make(world->m[12], world->m[13], world->m[14]);
}

static double extent(const sn_mat4 *worlds, uint32_t count) {
    sn_vec3 low = place(&worlds[0]), high = low;
    for (uint32_t i = 1; i < count; ++i) {
        sn_vec3 p = place(&worlds[i]);
        low = sn_vec3_make(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = sn_vec3_make(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    return sn_vec3_distance(low, high);
}

// The farthest that a joint is from where it should be, in metres of a body of `height`.
static double largest_error(sn_context *context, const sn_clip *clip, const sn_clip *made,
                            double scale, sn_quat turn) {
    sn_mat4 *from = pose_frames(context, clip), *to = pose_frames(context, made);
    uint32_t count = clip->skeleton.segment_count;
    double largest = 0, size = extent(from, count);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t k = sni_skeleton_find(&made->skeleton, clip->skeleton.segments[i].name);
        assert_true(k != SN_NONE);
        for (size_t f = 0; f < FRAMES; ++f) {
            sn_vec3 expected = sn_quat_rotate(turn, place(&from[f * count + i]));
            sn_vec3 is = place(&to[f * made->skeleton.segment_count + k]);
            double miss = sn_vec3_distance(sn_vec3_scale(is, 1 / scale), expected);
            largest = fmax(largest, miss / size * height);
        }
    }
    sni_free(context, from);
    sni_free(context, to);
    return largest;
}

static double try_guise(const sn_clip *clip, const guise *g, snt_random *random) {
    sn_context *context = clip->context;
    sn_skeleton changed;
    snt_ok(sni_skeleton_copy(context, &clip->skeleton, &changed, error));
    turn_rests(context, &changed, g, random);
    if (g->rolled) {
        roll(context, &changed, random);
    }
    sn_quat turn =
        g->turned ? sn_quat_from_axis_angle(sn_vec3_make(1, 0, 0), SN_PI / 2) : sn_quat_identity();
    turn_world(&changed, turn);
    scale_all(&changed, g->scale);
    sn_skeleton target = rebuild(context, &changed, g, random);
    sn_retarget_desc desc = sn_retarget_desc_default();
    sn_clip *made;
    sn_retarget_report report;
    snt_ok(sn_clip_retarget(clip, &target, &desc, &made, &report, error));
    snt_near(report.scale, g->scale, 1e-4 * g->scale);
    double miss = largest_error(context, clip, made, g->scale, turn);
    sn_clip_destroy(made);
    sni_skeleton_deinit(context, &target);
    sni_skeleton_deinit(context, &changed);
    return miss;
}

static void try_all(const sn_clip *clip, uint64_t seed) {
    snt_random random = {seed};
    for (int i = 0; i < CASES; ++i) {
        const double degree = SN_PI / 180;
        guise g = {.limb = (i % 2) * 45 * degree,
                   .trunk = (i % 2) * 15 * degree,
                   .rolled = i / 2 % 2 != 0,
                   .permuted = i / 4 % 2 != 0,
                   .armature = i / 8 % 2 != 0,
                   .turned = i / 16 % 2 != 0,
                   .scale = i / 3 % 2 != 0 ? snt_random_range(&random, 0.01, 3) : 1};
        double miss = try_guise(clip, &g, &random);
        if (!(miss < tolerance)) {
            fail_msg("%s, case %d: a joint is %.3g mm off", clip->name, i, miss * 1000);
        }
    }
}

static void try_file(const char *path, const char *name, uint64_t seed) {
    sn_context *context = snt_context(1);
    sn_import *import;
    snt_ok(sn_import_file(context, path, &import, error));
    for (uint32_t i = 0; i < import->clip_count; ++i) {
        if (name == NULL || strcmp(import->clips[i]->name, name) == 0) {
            try_all(import->clips[i], seed);
        }
    }
    sn_import_destroy(import);
    snt_context_end(context);
}

static void a_walk_of_cmu(void **state) {
    (void)state;
    try_file(snt_data("mocap/cmu_02_01_walk.bvh"), NULL, 1);
}

static void jacks_of_cmu(void **state) {
    (void)state;
    try_file(snt_data("mocap/cmu_13_29_jacks_twists_bend_squats.bvh"), NULL, 2);
}

static void a_run_of_mixamo(void **state) {
    (void)state;
    try_file(snt_data("rigs/Xbot.glb"), "run", 3);
}

static void a_soldier_of_mixamo(void **state) {
    (void)state;
    try_file(snt_data("rigs/Soldier.glb"), "Walk", 4);
}

static void a_dance_of_rokoko(void **state) {
    (void)state;
    try_file(snt_data("rigs/rokoko_dance.bvh"), NULL, 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_walk_of_cmu),     cmocka_unit_test(jacks_of_cmu),
        cmocka_unit_test(a_run_of_mixamo),   cmocka_unit_test(a_soldier_of_mixamo),
        cmocka_unit_test(a_dance_of_rokoko),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
