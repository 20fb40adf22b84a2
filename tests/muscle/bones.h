// SPDX-License-Identifier: Apache-2.0
//
// Two segments and what muscles between their bones are made from: the upper one hangs at (0, 1,
// 0), the lower one 0.3 m below it, a muscle in front of both.
#ifndef SNT_MUSCLE_BONES_H
#define SNT_MUSCLE_BONES_H

#include "muscle/muscle.h"

#include <math.h>

enum { BONES_PARAMETERS = 32, BONES_MOST = 64 * 64 };

typedef struct bones {
    sn_context *context;
    sn_mat4 rest[2];
    sni_muscle_attachment origins[2], insertions[2];
    sni_muscle_slice_shape shapes[4];
    sni_muscle_pivot pivots[2];
    sn_quat turn;
    sni_muscle_body body;
    double parameters[BONES_PARAMETERS];
    sni_muscle_job job;
    void *bound;
    sni_muscle_surface surface;
} bones;

static inline sn_mat4 bones_matrix(sn_quat rotation, sn_vec3 translation) {
    sn_transform parts = {translation, rotation, {1, 1, 1}};
    return sn_mat4_from_transform(&parts);
}

static inline sni_muscle_attachment bones_place(uint32_t segment, double x, double y, double z) {
    return (sni_muscle_attachment){
        .segment = segment, .point = sn_vec3_make(x, y, z), .normal = {0, 0, 1}};
}

// A job that is complete; it points into `b`, which must stay where it is.
static inline void bones_init(bones *b, sn_context *context, const sni_muscle_ops *ops) {
    *b = (bones){.context = context};
    b->rest[0] = bones_matrix(sn_quat_identity(), sn_vec3_make(0, 1, 0));
    b->rest[1] = bones_matrix(sn_quat_identity(), sn_vec3_make(0, 0.7, 0));
    b->origins[0] = bones_place(0, -0.02, 0.95, 0.02);
    b->origins[1] = bones_place(0, 0.02, 0.95, 0.02);
    b->insertions[0] = bones_place(1, -0.01, 0.6, 0.02);
    b->insertions[1] = bones_place(1, 0.01, 0.6, 0.02);
    uint32_t count = sni_input_is_taken(ops->inputs, &sni_input_ends) ? 1 : 2;
    b->body = (sni_muscle_body){.origin_count = count,
                                .insertion_count = count,
                                .origins = b->origins,
                                .insertions = b->insertions,
                                .shapes = b->shapes,
                                .pivots = b->pivots};
    assert_true(ops->parameters.count <= BONES_PARAMETERS);
    sni_parameters_defaults(&ops->parameters, b->parameters);
    b->job = (sni_muscle_job){.context = context,
                              .name = "biceps",
                              .parameters = b->parameters,
                              .segment_count = 2,
                              .rest_worlds = b->rest,
                              .inputs = {&b->body}};
}

static inline void bones_set(bones *b, const sni_muscle_ops *ops, const char *name, double value) {
    uint32_t index = sni_parameters_find(&ops->parameters, name);
    assert_true(index != SN_NONE);
    b->parameters[index] = value;
}

// A pivot in front of the knee-like joint, on slice 5 of 8.
static inline void bones_add_pivot(bones *b, sni_pivot_use use) {
    b->body.pivot_count = 1;
    b->pivots[0] = (sni_muscle_pivot){.slice = 5,
                                      .segment = 0,
                                      .use = use,
                                      .at = sn_vec3_make(0, -0.3, 0.04),
                                      .joint = sn_vec3_make(0, 0.7, 0)};
}

static inline void bones_bind(bones *b, const sni_muscle_ops *ops) {
    snt_ok(ops->bind(&b->job, &b->bound, error));
    ops->surface(b->bound, &b->surface);
    assert_true(b->surface.point_count <= BONES_MOST);
}

static inline void bones_unbind(bones *b, const sni_muscle_ops *ops) {
    ops->unbind(b->context, b->bound);
    b->bound = NULL;
}

static inline sn_status bones_try_pose(bones *b, const sni_muscle_ops *ops, const sn_mat4 *worlds,
                                       double *points, sn_error *error) {
    static double relaxed[3 * BONES_MOST];
    sni_arena arena;
    sni_arena_init(&arena, b->context);
    sni_muscle_pose_job job = {.context = b->context,
                               .arena = &arena,
                               .segment_count = 2,
                               .worlds = worlds,
                               .relaxed = relaxed,
                               .contracted = points};
    sn_status status = ops->pose(b->bound, &job, error);
    sni_arena_deinit(&arena);
    return status;
}

static inline void bones_pose(bones *b, const sni_muscle_ops *ops, const sn_mat4 *worlds,
                              double *points) {
    snt_ok(bones_try_pose(b, ops, worlds, points, error));
}

// The lower segment turned about the joint, by angles about x, y and z.
static inline void bones_bend(const bones *b, sn_vec3 angles, sn_mat4 *worlds) {
    sn_mat4 turn = bones_matrix(sn_quat_from_euler(angles, SN_ROTATION_XYZ), sn_vec3_make(0, 0, 0));
    worlds[0] = b->rest[0];
    worlds[1] = sn_mat4_multiply(&b->rest[1], &turn);
}

static inline sn_vec3 bones_point(const double *points, uint32_t index) {
    return sn_vec3_make(points[3 * index], points[3 * index + 1], points[3 * index + 2]);
}

static inline double bones_random(snt_random *random) {
    return snt_random_range(random, -1, 1);
}

// Any rotation and a translation of some metres.
static inline sn_mat4 bones_random_rigid(snt_random *random) {
    sn_quat q = {bones_random(random), bones_random(random), bones_random(random),
                 bones_random(random)};
    return bones_matrix(
        sn_quat_normalize(q),
        sn_vec3_make(5 * bones_random(random), 5 * bones_random(random), 5 * bones_random(random)));
}

// The largest distance of a point from where `place` puts the same one of `from`.
static inline double bones_difference(const bones *b, const double *points, const sn_mat4 *place,
                                      const double *from) {
    double largest = 0;
    for (uint32_t i = 0; i < b->surface.point_count; ++i) {
        sn_vec3 expected = sn_mat4_point(place, bones_point(from, i));
        largest = fmax(largest, sn_vec3_distance(bones_point(points, i), expected));
    }
    return largest;
}

// Two measures with equal bits in every field; padding may differ.
static inline void bones_same_measure(const sni_muscle_measure *a, const sni_muscle_measure *b) {
    assert_memory_equal(a, b, offsetof(sni_muscle_measure, folded));
    assert_int_equal(a->folded, b->folded);
}

#endif
