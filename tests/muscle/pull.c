// SPDX-License-Identifier: Apache-2.0
//
// Where muscles pull at bones: forces are in balance, and do the work that the length says.
#include "test.h"

#include "bones.h"

static sni_muscle_wrap wrap;

static sni_muscle_lines pull(const bones *b, const sni_muscle_ops *ops, const sn_mat4 *worlds,
                             sni_arena *arena) {
    sni_muscle_pose_job job = {
        .context = b->context, .arena = arena, .segment_count = 2, .worlds = worlds};
    sni_muscle_lines lines = {0};
    snt_ok(ops->pull(b->bound, &job, &lines, error));
    return lines;
}

static double total_length(const bones *b, const sni_muscle_ops *ops, const sn_mat4 *worlds) {
    sni_arena arena;
    sni_arena_init(&arena, b->context);
    sni_muscle_lines lines = pull(b, ops, worlds, &arena);
    double sum = 0;
    for (uint32_t i = 0; i < lines.count; ++i) {
        sum += lines.lines[i].length;
    }
    sni_arena_deinit(&arena);
    return sum;
}

// The sum of forces and of their torques about the origin, on one segment or on all (SN_NONE).
static void sum_up(const sni_muscle_lines *lines, uint32_t segment, sn_vec3 *force,
                   sn_vec3 *torque) {
    *force = *torque = sn_vec3_make(0, 0, 0);
    for (uint32_t i = 0; i < lines->count; ++i) {
        for (uint32_t k = 0; k < lines->lines[i].pull_count; ++k) {
            const sni_muscle_pull *p = &lines->lines[i].pulls[k];
            if (segment == SN_NONE || p->segment == segment) {
                *force = sn_vec3_add(*force, p->force);
                *torque = sn_vec3_add(*torque, sn_vec3_cross(p->at, p->force));
            }
        }
    }
}

// Moves the lower segment a little, in the world.
static double length_moved(const bones *b, const sni_muscle_ops *ops, const sn_mat4 *worlds,
                           sn_vec3 move, sn_vec3 turn) {
    double angle = sn_vec3_length(turn);
    sn_quat q = angle > 0 ? sn_quat_from_axis_angle(sn_vec3_scale(turn, 1 / angle), angle)
                          : sn_quat_identity();
    sn_mat4 by = bones_matrix(q, move), moved[2] = {worlds[0], worlds[1]};
    moved[1] = sn_mat4_multiply(&by, &worlds[1]);
    return total_length(b, ops, moved);
}

static sn_vec3 unit(int axis) {
    return sn_vec3_make(axis == 0, axis == 1, axis == 2);
}

// Forces in balance, and for each way to move the lower segment, minus the force or torque on it is
// what the length changes by.
static void check_pose(const bones *b, const sni_muscle_ops *ops, const sn_mat4 *worlds,
                       double tolerance) {
    sni_arena arena;
    sn_vec3 force, torque, none = {0, 0, 0};
    const double h = 1e-6;
    sni_arena_init(&arena, b->context);
    sni_muscle_lines lines = pull(b, ops, worlds, &arena);
    sum_up(&lines, SN_NONE, &force, &torque);
    snt_near(sn_vec3_length(force), 0, 1e-12);
    snt_near(sn_vec3_length(torque), 0, 1e-11);
    sum_up(&lines, 1, &force, &torque);
    const double forces[3] = {force.x, force.y, force.z};
    const double torques[3] = {torque.x, torque.y, torque.z};
    for (int i = 0; i < 3; ++i) {
        sn_vec3 along = sn_vec3_scale(unit(i), h), back = sn_vec3_scale(along, -1);
        double moved =
            length_moved(b, ops, worlds, along, none) - length_moved(b, ops, worlds, back, none);
        snt_near(moved / (2 * h), -forces[i], tolerance);
        double turned =
            length_moved(b, ops, worlds, none, along) - length_moved(b, ops, worlds, none, back);
        snt_near(turned / (2 * h), -torques[i], tolerance);
    }
    sni_arena_deinit(&arena);
}

static void check_poses(bones *b, const sni_muscle_ops *ops, double tolerance) {
    bones_bind(b, ops);
    check_pose(b, ops, b->rest, tolerance);
    snt_random random = {5};
    for (int i = 0; i < 20; ++i) {
        sn_mat4 worlds[2];
        sn_vec3 angles = {snt_random_range(&random, -0.2, 1.8),
                          snt_random_range(&random, -0.3, 0.3),
                          snt_random_range(&random, -0.3, 0.3)};
        bones_bend(b, angles, worlds);
        check_pose(b, ops, worlds, tolerance);
    }
    bones_unbind(b, ops);
}

static void straight_muscles_do_the_work_of_their_length(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    bones_init(&b, context, &sni_muscle_cylinder);
    check_poses(&b, &sni_muscle_cylinder, 1e-7);
    bones_init(&b, context, &sni_muscle_ellipsoid);
    check_poses(&b, &sni_muscle_ellipsoid, 1e-7);
    bones_init(&b, context, &sni_muscle_fibre);
    check_poses(&b, &sni_muscle_fibre, 1e-7);
    bones_init(&b, context, &sni_muscle_fibre);
    bones_set(&b, &sni_muscle_fibre, "fibres", 4);
    check_poses(&b, &sni_muscle_fibre, 1e-7);
    snt_context_end(context);
}

// Origins on two segments are pulled at both.
static void an_end_on_two_segments_is_shared(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    bones_init(&b, context, &sni_muscle_cylinder);
    b.insertions[0].segment = 0;
    check_poses(&b, &sni_muscle_cylinder, 1e-7);
    snt_context_end(context);
}

static void muscles_around_pivots_and_bodies_do_the_work_of_their_length(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    bones_init(&b, context, &sni_muscle_cylinder);
    bones_add_pivot(&b, SNI_PIVOT_ALWAYS);
    check_poses(&b, &sni_muscle_cylinder, 1e-7);
    for (int shape = 0; shape < 2; ++shape) {
        for (uint32_t segment = 0; segment < 2; ++segment) {
            bones_init(&b, context, &sni_muscle_cylinder);
            wrap = (sni_muscle_wrap){.first = 3,
                                     .last = 5,
                                     .segment = segment,
                                     .shape = shape == 0 ? SNI_WRAP_CYLINDER : SNI_WRAP_SPHERE,
                                     .center = {0, segment == 0 ? -0.3 : 0, 0},
                                     .turn = sn_quat_from_axis_angle(unit(1), -SN_PI / 2),
                                     .radii = {0.05, 0.05, 0.05},
                                     .length = 0.4,
                                     .side = 1};
            b.body.wraps = &wrap;
            b.body.wrap_count = 1;
            // The way around a sphere that is nearly straight above its centre is kept in a
            // groove, and no longer the shortest one.
            check_poses(&b, &sni_muscle_cylinder, shape == 0 ? 1e-6 : 0.3);
        }
    }
    snt_context_end(context);
}

// A fibre through a place follows the taut line, whatever its flesh does.
static void a_fibre_through_a_place_is_in_balance(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    bones_init(&b, context, &sni_muscle_fibre);
    bones_set(&b, &sni_muscle_fibre, "fibres", 3);
    b.body.pivot_count = 1;
    b.pivots[0] = (sni_muscle_pivot){.slice = 0, .segment = 0, .at = sn_vec3_make(0, -0.3, 0.04)};
    bones_bind(&b, &sni_muscle_fibre);
    sni_arena arena;
    sn_vec3 force, torque;
    sni_arena_init(&arena, context);
    sni_muscle_lines lines = pull(&b, &sni_muscle_fibre, b.rest, &arena);
    assert_int_equal(lines.count, 3);
    sum_up(&lines, SN_NONE, &force, &torque);
    snt_near(sn_vec3_length(force), 0, 1e-12);
    snt_near(sn_vec3_length(torque), 0, 1e-12);
    // The middle one: from (0, 0.95, 0.02) over (0, 0.7, 0.04) to (0, 0.6, 0.02).
    snt_near(lines.lines[1].length, hypot(0.25, 0.02) + hypot(0.1, 0.02), 1e-12);
    sni_arena_deinit(&arena);
    bones_unbind(&b, &sni_muscle_fibre);
    snt_context_end(context);
}

// Parts of a pivot's effect hand their pull on: forces stay in balance.
static void a_pivot_that_begins_to_act_is_in_balance(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    bones_init(&b, context, &sni_muscle_cylinder);
    bones_add_pivot(&b, SNI_PIVOT_BENT);
    bones_bind(&b, &sni_muscle_cylinder);
    for (int i = 0; i < 40; ++i) {
        sni_arena arena;
        sn_vec3 force, torque;
        sn_mat4 worlds[2];
        sni_arena_init(&arena, context);
        bones_bend(&b, sn_vec3_make(-0.5 + 0.05 * i, 0, 0), worlds);
        sni_muscle_lines lines = pull(&b, &sni_muscle_cylinder, worlds, &arena);
        sum_up(&lines, SN_NONE, &force, &torque);
        snt_near(sn_vec3_length(force), 0, 1e-12);
        snt_near(sn_vec3_length(torque), 0, 1e-11);
        sni_arena_deinit(&arena);
    }
    bones_unbind(&b, &sni_muscle_cylinder);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_muscles_do_the_work_of_their_length),
        cmocka_unit_test(an_end_on_two_segments_is_shared),
        cmocka_unit_test(muscles_around_pivots_and_bodies_do_the_work_of_their_length),
        cmocka_unit_test(a_fibre_through_a_place_is_in_balance),
        cmocka_unit_test(a_pivot_that_begins_to_act_is_in_balance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
