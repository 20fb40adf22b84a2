// SPDX-License-Identifier: Apache-2.0
//
// Small skeletons, clips and poses for the tests of this room.
#ifndef SNT_MOTION_BUILD_H
#define SNT_MOTION_BUILD_H

#include "test.h"

#include "motion/rig.h"

#include <math.h>

typedef struct snt_bone {
    const char *name;
    int parent; // -1: none
    double offset[3];
} snt_bone;

static inline sn_skeleton snt_skeleton(sn_context *context, const snt_bone *bones, uint32_t count) {
    sn_skeleton skeleton;
    snt_ok(sni_skeleton_init(context, count, &skeleton, error));
    for (uint32_t i = 0; i < count; ++i) {
        sn_segment *segment = &skeleton.segments[i];
        segment->name = sni_string_copy(context, bones[i].name);
        segment->parent = bones[i].parent < 0 ? SN_NONE : (uint32_t)bones[i].parent;
        segment->rest.translation =
            sn_vec3_make(bones[i].offset[0], bones[i].offset[1], bones[i].offset[2]);
    }
    snt_ok(sni_skeleton_sort(context, &skeleton, error));
    return skeleton;
}

// A track with the given keys.
static inline sn_track *snt_track(sn_clip *clip, sn_track_kind kind, const char *target,
                                  sn_interpolation interpolation, uint32_t key_count,
                                  const double *times, const double *values) {
    sn_track *track = NULL;
    snt_ok(sn_clip_add_track(clip, kind, target, interpolation, key_count, &track, error));
    size_t width = sn_track_width(track) * (interpolation == SN_INTERPOLATION_CUBIC ? 3u : 1u);
    memcpy(track->times, times, key_count * sizeof *times);
    memcpy(track->values, values, key_count * width * sizeof *values);
    return track;
}

// A track with one key: a constant.
static inline void snt_constant(sn_clip *clip, sn_track_kind kind, const char *target,
                                const double *value) {
    snt_track(clip, kind, target, SN_INTERPOLATION_LINEAR, 1, (double[]){0}, value);
}

static inline sni_pose snt_pose(sn_context *context, const sni_rig *rig) {
    size_t count = sni_rig_skeleton(rig)->segment_count;
    sni_pose pose = {
        .locals = sni_alloc(context, count, sizeof *pose.locals),
        .worlds = sni_alloc(context, count, sizeof *pose.worlds),
        .parameters = sni_alloc(context, count * SN_JOINT_PARAMETER_COUNT, sizeof(double)),
        .controls = sni_alloc(context, sni_rig_control_count(rig), sizeof(double)),
    };
    return pose;
}

static inline void snt_pose_end(sn_context *context, sni_pose *pose) {
    sni_free(context, pose->locals);
    sni_free(context, pose->worlds);
    sni_free(context, pose->parameters);
    sni_free(context, pose->controls);
}

static inline sn_vec3 snt_place(const sni_pose *pose, uint32_t segment) {
    const double *m = pose->worlds[segment].m;
    return sn_vec3_make(m[12], m[13], m[14]);
}

static inline sn_quat snt_random_quat(snt_random *random) {
    sn_quat q;
    do {
        q = (sn_quat){snt_random_range(random, -1, 1), snt_random_range(random, -1, 1),
                      snt_random_range(random, -1, 1), snt_random_range(random, -1, 1)};
    } while (sn_quat_dot(q, q) > 1 || sn_quat_dot(q, q) < 0.01);
    return sn_quat_normalize(q);
}

static inline void snt_vec3_near(sn_vec3 a, sn_vec3 b, double tolerance) {
    snt_near(a.x, b.x, tolerance);
    snt_near(a.y, b.y, tolerance);
    snt_near(a.z, b.z, tolerance);
}

// As rotations: q and -q are the same.
static inline void snt_rotation_near(sn_quat a, sn_quat b, double tolerance) {
    double sign = sn_quat_dot(a, b) < 0 ? -1 : 1;
    snt_near(a.x, sign * b.x, tolerance);
    snt_near(a.y, sign * b.y, tolerance);
    snt_near(a.z, sign * b.z, tolerance);
    snt_near(a.w, sign * b.w, tolerance);
}

#endif
