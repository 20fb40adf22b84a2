// SPDX-License-Identifier: Apache-2.0
//
// Where muscles pull at bones: forces are in balance, and do the work that the length says.
#include "test.h"

#include "bones.h"
#include "pulling.h"

static sni_muscle_wrap wrap;

static void check_poses(bones *b, const sni_muscle_ops *ops, double tolerance) {
    bones_bind(b, ops);
    pulling p = {b->context, ops, b->bound};
    pulling_check(&p, b->rest, tolerance);
    snt_random random = {5};
    for (int i = 0; i < 20; ++i) {
        sn_mat4 worlds[2];
        sn_vec3 angles = {snt_random_range(&random, -0.2, 1.8),
                          snt_random_range(&random, -0.3, 0.3),
                          snt_random_range(&random, -0.3, 0.3)};
        bones_bend(b, angles, worlds);
        pulling_check(&p, worlds, tolerance);
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
                                     .turn = sn_quat_from_axis_angle(pulling_unit(1), -SN_PI / 2),
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
    pulling p = {context, &sni_muscle_fibre, b.bound};
    sni_muscle_lines lines = pulling_lines(&p, b.rest, &arena);
    assert_int_equal(lines.count, 3);
    pulling_sum(&lines, SN_NONE, &force, &torque);
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
        pulling p = {context, &sni_muscle_cylinder, b.bound};
        sni_muscle_lines lines = pulling_lines(&p, worlds, &arena);
        pulling_sum(&lines, SN_NONE, &force, &torque);
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
