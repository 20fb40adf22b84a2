// SPDX-License-Identifier: Apache-2.0
//
// Pivots of cylinder muscles: what they do to the way, when they are in effect, and that nothing
// jumps where they come into effect.
#include "test.h"

#include "../bones.h"

static const sni_muscle_ops *const ops = &sni_muscle_cylinder;

static double points[3 * BONES_MOST], others[3 * BONES_MOST];

static void bind(bones *b, sn_context *context, sni_pivot_use use) {
    bones_init(b, context, ops);
    bones_add_pivot(b, use);
    bones_bind(b, ops);
}

static sn_vec3 center_of(const double *p, uint32_t slice) {
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t j = 0; j < 8; ++j) {
        sum = sn_vec3_add(sum, bones_point(p, 8 * slice + j));
    }
    return sn_vec3_scale(sum, 1.0 / 8);
}

// The pivot's slice stands on the pivot in all poses, the others between it and the ends, and the
// length is measured over it.
static void the_way_goes_over_the_pivot(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    bind(&b, context, SNI_PIVOT_ALWAYS);
    for (int step = 0; step <= 10; ++step) {
        sn_mat4 worlds[2];
        bones_bend(&b, sn_vec3_make(0.22 * step, 0, 0), worlds);
        bones_pose(&b, ops, worlds, points);
        sn_vec3 pivot = sn_vec3_make(0, 0.7, 0.04);
        sn_vec3 first = center_of(points, 0), last = center_of(points, 7);
        snt_near(sn_vec3_distance(center_of(points, 5), pivot), 0, 1e-14);
        sni_muscle_measure m;
        ops->measure(b.bound, points, &m);
        snt_near(m.length, sn_vec3_distance(first, pivot) + sn_vec3_distance(pivot, last), 1e-14);
        // Slice 6 is half way to the insertions, lifted off that line but across it.
        sn_vec3 way = sn_vec3_sub(last, pivot), middle = sn_vec3_lerp(pivot, last, 0.5);
        sn_vec3 lift = sn_vec3_sub(center_of(points, 6), middle);
        snt_near(sn_vec3_dot(lift, way) / sn_vec3_length(way), 0, 1e-14);
    }
    bones_unbind(&b, ops);
    snt_context_end(context);
}

static void a_pivot_that_is_never_used_does_nothing(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b, plain;
    bind(&b, context, SNI_PIVOT_NEVER);
    bones_init(&plain, context, ops);
    bones_bind(&plain, ops);
    sn_mat4 worlds[2];
    bones_bend(&b, sn_vec3_make(1.2, 0.1, 0), worlds);
    bones_pose(&b, ops, worlds, points);
    bones_pose(&plain, ops, worlds, others);
    assert_memory_equal(points, others, 3 * b.surface.point_count * sizeof *points);
    bones_unbind(&b, ops);
    bones_unbind(&plain, ops);
    snt_context_end(context);
}

// Bent forwards the straight way passes in front of the pivot, which is then passed by; bent
// backwards it would cut through the joint, and the muscle goes over the pivot.
static void a_bent_pivot_keeps_out_of_the_joint(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones bent, never, always;
    bind(&bent, context, SNI_PIVOT_BENT);
    bind(&never, context, SNI_PIVOT_NEVER);
    bind(&always, context, SNI_PIVOT_ALWAYS);
    sn_mat4 worlds[2];
    bones_bend(&bent, sn_vec3_make(-1.5, 0, 0), worlds); // the lower end comes forwards
    bones_pose(&bent, ops, worlds, points);
    bones_pose(&never, ops, worlds, others);
    assert_true(center_of(points, 7).z > 0.05);
    snt_near(sn_vec3_distance(center_of(points, 5), center_of(points, 7)),
             sn_vec3_distance(center_of(others, 5), center_of(others, 7)), 0.02);
    sni_muscle_measure m, straight;
    bent.surface.point_count = 64; // without nodes
    ops->measure(bent.bound, points, &m);
    ops->measure(never.bound, others, &straight);
    snt_near(m.length, straight.length, 1e-14);
    bones_bend(&bent, sn_vec3_make(1.5, 0, 0), worlds);
    bones_pose(&always, ops, worlds, others);
    bent.surface.point_count = always.surface.point_count;
    bones_pose(&bent, ops, worlds, points);
    snt_near(sn_vec3_distance(center_of(points, 5), sn_vec3_make(0, 0.7, 0.04)), 0, 1e-14);
    ops->measure(bent.bound, points, &m);
    ops->measure(always.bound, others, &straight);
    snt_near(m.length, straight.length, 1e-14);
    bones_unbind(&bent, ops);
    bones_unbind(&never, ops);
    bones_unbind(&always, ops);
    snt_context_end(context);
}

// A halved pivot 4 cm in front of the joint goes by half of the joint's angle about it, and so does
// its frame.
static void a_halved_pivot_goes_half_of_the_way(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    bones_init(&b, context, ops);
    bones_add_pivot(&b, SNI_PIVOT_ALWAYS);
    b.turn = sn_quat_from_axis_angle(sn_vec3_make(1, 0, 0), SN_PI / 2); // z down, along the muscle
    b.pivots[0].segment = 1;
    b.pivots[0].at = sn_vec3_make(0, 0, 0.04);
    b.pivots[0].turn = &b.turn;
    b.pivots[0].halved = true;
    b.pivots[0].other = 0;
    bones_bind(&b, ops);
    for (int step = -10; step <= 10; ++step) {
        sn_mat4 worlds[2];
        double half = 0.1 * step;
        bones_bend(&b, sn_vec3_make(2 * half, 0, 0), worlds);
        bones_pose(&b, ops, worlds, points);
        sn_vec3 place = sn_vec3_make(0, 0.7 - 0.04 * sin(half), 0.04 * cos(half));
        snt_near(sn_vec3_distance(center_of(points, 5), place), 0, 1e-14);
        sn_vec3 across = sn_vec3_sub(bones_point(points, 8 * 5), place);
        sn_vec3 along = sn_vec3_make(0, -cos(half), -sin(half));
        assert_true(sn_vec3_length(across) > 0.001);
        snt_near(sn_vec3_dot(across, along), 0, 1e-14);
    }
    b.pivots[0].other = 2;
    void *bound = NULL;
    snt_fails(SN_INVALID, "biceps: pivot 1 is halved with segment 2, but there are 2",
              ops->bind(&b.job, &bound, error));
    bones_unbind(&b, ops);
    snt_context_end(context);
}

// How far a vertex moves at most for a small turn of the joint, in metres per radian.
static double largest_speed(bones *b, double from, double to, int steps) {
    double largest = 0, step = (to - from) / steps;
    for (int i = 0; i <= steps; ++i) {
        sn_mat4 worlds[2];
        double angle = from + i * step;
        bones_bend(b, sn_vec3_make(angle, 0.2 * sin(3 * angle), 0.1 * sin(2 * angle)), worlds);
        bones_pose(b, ops, worlds, points);
        if (i > 0) {
            sn_mat4 same = sn_mat4_identity();
            largest = fmax(largest, bones_difference(b, points, &same, others) / fabs(step));
        }
        memcpy(others, points, 3 * b->surface.point_count * sizeof *points);
    }
    return largest;
}

// A small turn moves vertices by little, ten times as fine a one by a tenth of it: nothing jumps,
// also where a bent pivot comes into effect, turned or not, with the volume kept or not.
static void nothing_jumps(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int variant = 0; variant < 8; ++variant) {
        bones b;
        bones_init(&b, context, ops);
        bones_add_pivot(&b, SNI_PIVOT_BENT);
        bones_set(&b, ops, "volume", variant & 1);
        if (variant & 2) {
            b.turn = sn_quat_from_euler(sn_vec3_make(SN_PI / 2 + 0.3, 0, 0), SN_ROTATION_XYZ);
            b.pivots[0].turn = &b.turn;
        }
        if (variant & 4) {
            b.body.pivot_count = 2;
            b.pivots[1] = b.pivots[0];
            b.pivots[1].slice = 3;
            b.pivots[1].at.y += 0.08;
        }
        bones_bind(&b, ops);
        double coarse = largest_speed(&b, -1.5, 2.2, 500);
        double fine = largest_speed(&b, -1.5, 2.2, 5000);
        assert_true(fine < 1.2 * coarse);
        assert_true(fine < 0.2); // the insertions themselves are 0.1 m away from the joint
        bones_unbind(&b, ops);
    }
    snt_context_end(context);
}

// A muscle that is twisted by 80 degrees at rest can be twisted by 170 more, either way.
static void twists_do_not_jump(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    bones_init(&b, context, ops);
    for (int k = 0; k < 2; ++k) {
        double angle = 80 * SN_PI / 180, side = k == 0 ? -0.01 : 0.01;
        b.insertions[k].point = sn_vec3_make(side * cos(angle), 0.6, 0.02 + side * sin(angle));
    }
    bones_bind(&b, ops);
    double largest = 0;
    for (int i = -1700; i <= 1700; ++i) {
        // About the axis of the muscle, through (0, y, 0.02).
        sn_quat turn = sn_quat_from_axis_angle(sn_vec3_make(0, 1, 0), 0.1 * i * SN_PI / 180);
        sn_vec3 axis = {0, 0, 0.02};
        sn_mat4 around = bones_matrix(turn, sn_vec3_sub(axis, sn_quat_rotate(turn, axis)));
        sn_mat4 worlds[2] = {b.rest[0], sn_mat4_multiply(&b.rest[1], &around)};
        bones_pose(&b, ops, worlds, points);
        if (i > -1700) {
            sn_mat4 same = sn_mat4_identity();
            largest = fmax(largest, bones_difference(&b, points, &same, others));
        }
        memcpy(others, points, 3 * b.surface.point_count * sizeof *points);
    }
    assert_true(largest < 2e-4); // a tenth of a degree on the widest slice
    bones_unbind(&b, ops);
    snt_context_end(context);
}

// A pivot's own frame is its slice's frame.
static void a_pivot_has_its_own_frame(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    bones_init(&b, context, ops);
    bones_add_pivot(&b, SNI_PIVOT_ALWAYS);
    // z down and a little to the front, x along the muscle's but the other way.
    b.turn = sn_quat_from_euler(sn_vec3_make(SN_PI / 2 - 0.2, 0, 0), SN_ROTATION_XYZ);
    b.pivots[0].turn = &b.turn;
    bones_bind(&b, ops);
    bones_pose(&b, ops, b.rest, points);
    sn_vec3 z = sn_quat_rotate(b.turn, sn_vec3_make(0, 0, 1));
    sn_vec3 x = sn_quat_rotate(b.turn, sn_vec3_make(1, 0, 0));
    for (uint32_t j = 0; j < 8; ++j) {
        sn_vec3 from = sn_vec3_sub(bones_point(points, 40 + j), sn_vec3_make(0, 0.7, 0.04));
        snt_near(sn_vec3_dot(from, z), 0, 1e-15);
    }
    sn_vec3 wide = sn_vec3_sub(bones_point(points, 42), bones_point(points, 46));
    snt_near(fabs(sn_vec3_dot(wide, x)), sn_vec3_length(wide), 1e-14);
    bones_unbind(&b, ops);
    snt_context_end(context);
}

static void fails(bones *b, const char *text) {
    snt_fails(SN_INVALID, text, ops->bind(&b->job, &b->bound, error));
    assert_null(b->bound);
}

static void refuses_pivots_without_sense(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    static const uint32_t ends[] = {0, 7, 9};
    for (int k = 0; k < 3; ++k) {
        bones_init(&b, context, ops);
        bones_add_pivot(&b, SNI_PIVOT_NEVER);
        b.pivots[0].slice = ends[k];
        fails(&b, "but must be on one between the ends, 1 to 6");
    }
    bones_init(&b, context, ops);
    bones_add_pivot(&b, SNI_PIVOT_ALWAYS);
    b.pivots[1] = b.pivots[0];
    b.body.pivot_count = 2;
    fails(&b, "biceps: pivots 1 and 2 are on the same slice 5");
    b.body.pivot_count = 1;
    b.pivots[0].at.x = INFINITY;
    fails(&b, "biceps: pivot 1 is at (inf");
    bones_add_pivot(&b, SNI_PIVOT_ALWAYS);
    b.pivots[0].segment = 2;
    fails(&b, "biceps: pivot 1 has segment 2, but there are 2");
    bones_add_pivot(&b, SNI_PIVOT_BENT);
    b.pivots[0].at = sn_vec3_make(0, 0, 0);
    b.pivots[0].joint = sn_vec3_make(0, 1, 0);
    fails(&b, "biceps: pivot 1 lies in the joint");
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_way_goes_over_the_pivot),
        cmocka_unit_test(a_pivot_that_is_never_used_does_nothing),
        cmocka_unit_test(a_bent_pivot_keeps_out_of_the_joint),
        cmocka_unit_test(a_halved_pivot_goes_half_of_the_way),
        cmocka_unit_test(nothing_jumps),
        cmocka_unit_test(twists_do_not_jump),
        cmocka_unit_test(a_pivot_has_its_own_frame),
        cmocka_unit_test(refuses_pivots_without_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
