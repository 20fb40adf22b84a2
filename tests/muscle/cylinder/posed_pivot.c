// SPDX-License-Identifier: Apache-2.0
//
// Pivots of cylinder muscles that the pose switches on and off, or moves.
#include "test.h"

#include "../bones.h"

static const sni_muscle_ops *const ops = &sni_muscle_cylinder;

static double points[3 * BONES_MOST], others[3 * BONES_MOST];

static void pose(bones *b, const sn_mat4 *worlds, const sni_muscle_pivot_place *places,
                 double *posed) {
    static double relaxed[3 * BONES_MOST];
    sni_arena arena;
    sni_arena_init(&arena, b->context);
    sni_body_pose input = {.pivots = places};
    sni_muscle_pose_job job = {.context = b->context,
                               .arena = &arena,
                               .segment_count = 2,
                               .worlds = worlds,
                               .inputs = {&input},
                               .relaxed = relaxed,
                               .contracted = posed};
    snt_ok(ops->pose(b->bound, &job, error));
    sni_arena_deinit(&arena);
}

static double length_of(bones *b, const double *posed) {
    sni_muscle_measure m;
    ops->measure(b->bound, posed, &m);
    return m.length;
}

// Off, a pivot is as if it were not there; on, as one that is always used; whatever it was at rest.
static void a_ranged_pivot_is_there_or_not(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int off_at_rest = 0; off_at_rest < 2; ++off_at_rest) {
        bones ranged, always, never;
        bones_init(&ranged, context, ops);
        bones_init(&always, context, ops);
        bones_init(&never, context, ops);
        bones_add_pivot(&ranged, SNI_PIVOT_RANGE);
        bones_add_pivot(&always, SNI_PIVOT_ALWAYS);
        ranged.pivots[0].off = off_at_rest;
        bones_bind(&ranged, ops);
        bones_bind(&always, ops);
        bones_bind(&never, ops);
        sni_muscle_pivot_place place = {.at = ranged.pivots[0].at};
        for (int step = -4; step <= 8; ++step) {
            sn_mat4 worlds[2];
            bones_bend(&ranged, sn_vec3_make(0.25 * step, 0.05 * step, 0), worlds);
            place.off = false;
            pose(&ranged, worlds, &place, points);
            bones_pose(&always, ops, worlds, others);
            snt_near(length_of(&ranged, points), length_of(&always, others), 1e-14);
            place.off = true;
            pose(&ranged, worlds, &place, points);
            bones_pose(&never, ops, worlds, others);
            snt_near(length_of(&ranged, points), length_of(&never, others), 1e-14);
            // Without places it is as at rest.
            bones_pose(&ranged, ops, worlds, others);
            place.off = off_at_rest;
            pose(&ranged, worlds, &place, points);
            assert_memory_equal(points, others, 3 * ranged.surface.point_count * sizeof *points);
        }
        bones_unbind(&ranged, ops);
        bones_unbind(&always, ops);
        bones_unbind(&never, ops);
    }
    snt_context_end(context);
}

// With two neighbours off, slices stand evenly on the straight way between what is left, and the
// muscle is that without pivots, at rest as in a pose.
static void pivots_that_are_off_leave_the_straight_way(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b, plain;
    bones_init(&b, context, ops);
    bones_add_pivot(&b, SNI_PIVOT_RANGE);
    b.pivots[0].off = true;
    b.pivots[1] = b.pivots[0];
    b.pivots[1].slice = 3;
    b.pivots[1].at.y = -0.2;
    b.body.pivot_count = 2;
    bones_init(&plain, context, ops);
    bones_bind(&b, ops);
    bones_bind(&plain, ops);
    for (int step = -4; step <= 8; ++step) {
        sn_mat4 worlds[2];
        bones_bend(&b, sn_vec3_make(0.25 * step, 0.05 * step, 0), worlds);
        bones_pose(&b, ops, worlds, points);
        bones_pose(&plain, ops, worlds, others);
        for (uint32_t i = 0; i < 64; ++i) {
            snt_near(sn_vec3_distance(bones_point(points, i), bones_point(others, i)), 0, 1e-12);
        }
    }
    bones_unbind(&b, ops);
    bones_unbind(&plain, ops);
    snt_context_end(context);
}

// A pivot that moves is where the pose says; its number is that of the list, not of the slices.
static void a_pivot_goes_where_it_is_told(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    bones_init(&b, context, ops);
    bones_add_pivot(&b, SNI_PIVOT_ALWAYS);
    b.pivots[1] = b.pivots[0];
    b.pivots[1].slice = 3; // before the first along the muscle
    b.pivots[1].at.y = -0.2;
    b.body.pivot_count = 2;
    bones_set(&b, ops, "lift", 0);
    bones_bind(&b, ops);
    sni_muscle_pivot_place places[2] = {{.at = {0.01, -0.31, 0.05}}, {.at = {0, -0.18, 0.07}}};
    pose(&b, b.rest, places, points);
    for (uint32_t k = 0; k < 2; ++k) {
        uint32_t slice = k == 0 ? 5 : 3;
        sn_vec3 center =
            sn_vec3_lerp(bones_point(points, 8 * slice), bones_point(points, 8 * slice + 4), 0.5);
        sn_vec3 expected = sn_vec3_add(places[k].at, sn_vec3_make(0, 1, 0));
        snt_near(sn_vec3_distance(center, expected), 0, 1e-14);
    }
    snt_near(length_of(&b, points),
             sn_vec3_distance(sn_vec3_make(0, 0.95, 0.02), sn_vec3_make(0, 0.82, 0.07)) +
                 sn_vec3_distance(sn_vec3_make(0, 0.82, 0.07), sn_vec3_make(0.01, 0.69, 0.05)) +
                 sn_vec3_distance(sn_vec3_make(0.01, 0.69, 0.05), sn_vec3_make(0, 0.6, 0.02)),
             1e-14);
    bones_unbind(&b, ops);
    snt_context_end(context);
}

// Ends without bones are across the first and the last piece of the way.
static void ends_without_bones_follow_the_way(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    bones_init(&b, context, ops);
    bones_add_pivot(&b, SNI_PIVOT_ALWAYS);
    for (int k = 0; k < 2; ++k) {
        b.origins[k].normal = b.insertions[k].normal = sn_vec3_make(0, 0, 0);
    }
    bones_bind(&b, ops);
    sn_mat4 worlds[2];
    bones_bend(&b, sn_vec3_make(1, 0, 0), worlds);
    bones_pose(&b, ops, worlds, points);
    sn_vec3 pivot = {0, 0.7, 0.04};
    for (uint32_t slice = 0; slice < 8; slice += 7) {
        sn_vec3 out = bones_point(points, 8 * slice), in = bones_point(points, 8 * slice + 4);
        sn_vec3 way = sn_vec3_sub(sn_vec3_lerp(out, in, 0.5), pivot);
        snt_near(sn_vec3_dot(sn_vec3_sub(out, in), way), 0, 1e-15);
    }
    bones_unbind(&b, ops);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ranged_pivot_is_there_or_not),
        cmocka_unit_test(pivots_that_are_off_leave_the_straight_way),
        cmocka_unit_test(a_pivot_goes_where_it_is_told),
        cmocka_unit_test(ends_without_bones_follow_the_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
