// SPDX-License-Identifier: Apache-2.0
//
// Whether a muscle between two segments pulls at them as its length says.
#ifndef SNT_MUSCLE_PULLING_H
#define SNT_MUSCLE_PULLING_H

#include "muscle/muscle.h"
#include "test.h"

typedef struct pulling {
    sn_context *context;
    const sni_muscle_ops *ops;
    const void *bound;
} pulling;

static inline sni_muscle_lines pulling_lines(const pulling *p, const sn_mat4 *worlds,
                                             sni_arena *arena) {
    sni_muscle_pose_job job = {
        .context = p->context, .arena = arena, .segment_count = 2, .worlds = worlds};
    sni_muscle_lines lines = {0};
    snt_ok(p->ops->pull(p->bound, &job, &lines, error));
    return lines;
}

static inline double pulling_length(const pulling *p, const sn_mat4 *worlds) {
    sni_arena arena;
    sni_arena_init(&arena, p->context);
    sni_muscle_lines lines = pulling_lines(p, worlds, &arena);
    double sum = 0;
    for (uint32_t i = 0; i < lines.count; ++i) {
        sum += lines.lines[i].length;
    }
    sni_arena_deinit(&arena);
    return sum;
}

// The sum of forces and of their torques about the origin, on one segment or on all (SN_NONE).
static inline void pulling_sum(const sni_muscle_lines *lines, uint32_t segment, sn_vec3 *force,
                               sn_vec3 *torque) {
    *force = *torque = sn_vec3_make(0, 0, 0);
    for (uint32_t i = 0; i < lines->count; ++i) {
        for (uint32_t k = 0; k < lines->lines[i].pull_count; ++k) {
            const sni_muscle_pull *at = &lines->lines[i].pulls[k];
            if (segment == SN_NONE || at->segment == segment) {
                *force = sn_vec3_add(*force, at->force);
                *torque = sn_vec3_add(*torque, sn_vec3_cross(at->at, at->force));
            }
        }
    }
}

// Moves the lower segment a little, in the world.
static inline double pulling_length_moved(const pulling *p, const sn_mat4 *worlds, sn_vec3 move,
                                          sn_vec3 turn) {
    double angle = sn_vec3_length(turn);
    sn_quat q = angle > 0 ? sn_quat_from_axis_angle(sn_vec3_scale(turn, 1 / angle), angle)
                          : sn_quat_identity();
    sn_mat4 by = sn_mat4_from_transform(&(sn_transform){move, q, {1, 1, 1}}),
            moved[2] = {worlds[0], worlds[1]};
    moved[1] = sn_mat4_multiply(&by, &worlds[1]);
    return pulling_length(p, moved);
}

static inline sn_vec3 pulling_unit(int axis) {
    return sn_vec3_make(axis == 0, axis == 1, axis == 2);
}

// Forces in balance, and for each way to move the lower segment, minus the force or torque on it is
// what the length changes by.
static inline void pulling_check(const pulling *p, const sn_mat4 *worlds, double tolerance) {
    sni_arena arena;
    sn_vec3 force, torque, none = {0, 0, 0};
    const double h = 1e-6;
    sni_arena_init(&arena, p->context);
    sni_muscle_lines lines = pulling_lines(p, worlds, &arena);
    pulling_sum(&lines, SN_NONE, &force, &torque);
    snt_near(sn_vec3_length(force), 0, 1e-12);
    snt_near(sn_vec3_length(torque), 0, 1e-11);
    pulling_sum(&lines, 1, &force, &torque);
    const double forces[3] = {force.x, force.y, force.z};
    const double torques[3] = {torque.x, torque.y, torque.z};
    for (int i = 0; i < 3; ++i) {
        sn_vec3 along = sn_vec3_scale(pulling_unit(i), h), back = sn_vec3_scale(along, -1);
        double moved = pulling_length_moved(p, worlds, along, none) -
                       pulling_length_moved(p, worlds, back, none);
        snt_near(moved / (2 * h), -forces[i], tolerance);
        double turned = pulling_length_moved(p, worlds, none, along) -
                        pulling_length_moved(p, worlds, none, back);
        snt_near(turned / (2 * h), -torques[i], tolerance);
    }
    sni_arena_deinit(&arena);
}

#endif
