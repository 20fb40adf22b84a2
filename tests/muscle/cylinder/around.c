// SPDX-License-Identifier: Apache-2.0
//
// Cylinder muscles around bodies: their lengths against closed forms, where their slices are, and
// that nothing jumps.
#include "test.h"

#include "../bones.h"

#include "muscle/cylinder/cylinder.h"

static const sni_muscle_ops *const ops = &sni_muscle_cylinder;

static double points[3 * BONES_MOST], others[3 * BONES_MOST];
static sni_muscle_wrap wraps[2];

// A body in the joint, at (0, 0.7, 0), across the leg, for slices 3 to 5 of 8; the muscle passes in
// front of it. Its x axis points to the front, its z axis to the side.
static void add_wrap(bones *b, sni_wrap_shape shape, double radius) {
    bones_init(b, b->context, ops);
    bones_set(b, ops, "lift", 0);
    wraps[0] = (sni_muscle_wrap){
        .first = 3,
        .last = 5,
        .segment = 0,
        .shape = shape,
        .center = {0, -0.3, 0},
        .turn = sn_quat_from_axis_angle(sn_vec3_make(0, 1, 0), -SN_PI / 2),
        .radii = {radius, shape == SNI_WRAP_ELLIPSOID ? 1.5 * radius : radius, 0.8 * radius},
        .length = 0.2,
        .side = 1};
    b->body.wraps = wraps;
    b->body.wrap_count = 1;
}

static void bind(bones *b, sn_context *context, sni_wrap_shape shape, double radius) {
    b->context = context;
    add_wrap(b, shape, radius);
    bones_bind(b, ops);
}

static sn_vec3 center_of(const double *p, uint32_t slice) {
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t j = 0; j < 8; ++j) {
        sum = sn_vec3_add(sum, bones_point(p, 8 * slice + j));
    }
    return sn_vec3_scale(sum, 1.0 / 8);
}

static double length_of(bones *b, const double *p) {
    sni_muscle_measure m;
    ops->measure(b->bound, p, &m);
    return m.length;
}

// In the plane of the leg a cylinder and a sphere are a circle. By hand: tangents and an arc, from
// the origins, (0.25, 0.02) up and in front of the joint, to the insertions, (0.1, 0.02) below it
// and turned by the angle.
static void lengths_are_those_by_hand(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const double radius = 0.03;
    for (int shape = 0; shape < 2; ++shape) {
        bones b;
        bind(&b, context, (sni_wrap_shape)shape, radius);
        int touched = 0;
        for (int step = -8; step <= 9; ++step) {
            double angle = 0.2 * step;
            sn_mat4 worlds[2];
            bones_bend(&b, sn_vec3_make(angle, 0, 0), worlds);
            bones_pose(&b, ops, worlds, points);
            double up = hypot(0.25, 0.02), down = hypot(0.1, 0.02);
            // The angle between the ends, seen from the joint, on the front side.
            double between = SN_PI - atan2(0.02, 0.25) - atan2(0.02, 0.1) + angle;
            double arc = between - acos(radius / up) - acos(radius / down);
            sn_vec3 first = center_of(points, 0), last = center_of(points, 7);
            double expected = arc > 0 ? sqrt(up * up - radius * radius) + radius * arc +
                                            sqrt(down * down - radius * radius)
                                      : sn_vec3_distance(first, last);
            touched += arc > 0;
            snt_near(length_of(&b, points), expected, 1e-13);
        }
        assert_true(touched > 5 && touched < 15);
        bones_unbind(&b, ops);
    }
    snt_context_end(context);
}

// In units of a body's radii, from its centre: 1 on its surface.
static double level(const sni_muscle_wrap *wrap, sn_vec3 p) {
    sn_vec3 from = sn_vec3_sub(p, sn_vec3_make(0, 0.7, 0)); // x front, y up, z side
    double front = from.z / wrap->radii.x, up = from.y / wrap->radii.y;
    double side = wrap->shape == SNI_WRAP_CYLINDER ? 0
                  : wrap->shape == SNI_WRAP_SPHERE ? from.x / wrap->radii.x
                                                   : from.x / wrap->radii.z;
    return sqrt(front * front + up * up + side * side);
}

// Slices 3 to 5 lie on the body where it is well touched, and no centre lies inside at any angle.
static void slices_lie_on_the_body(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int shape = 0; shape < 3; ++shape) {
        bones b;
        bind(&b, context, (sni_wrap_shape)shape, 0.03);
        for (int step = -20; step <= 20; ++step) {
            sn_mat4 worlds[2];
            bones_bend(&b, sn_vec3_make(0.1 * step, 0.02 * step, 0), worlds);
            bones_pose(&b, ops, worlds, points);
            for (uint32_t slice = 0; slice < 8; ++slice) {
                assert_true(level(&wraps[0], center_of(points, slice)) > 1 - 1e-6);
            }
            for (uint32_t slice = 3; slice <= 5 && step >= 15; ++slice) {
                snt_near(level(&wraps[0], center_of(points, slice)), 1, 1e-12);
            }
        }
        // Bent the other way, the muscle is the straight one.
        bones plain;
        bones_init(&plain, context, ops);
        bones_set(&plain, ops, "lift", 0);
        bones_bind(&plain, ops);
        sn_mat4 worlds[2];
        bones_bend(&b, sn_vec3_make(-1.8, 0.1, 0), worlds);
        bones_pose(&b, ops, worlds, points);
        bones_pose(&plain, ops, worlds, others);
        snt_near(length_of(&b, points), length_of(&plain, others), 1e-14);
        for (uint32_t slice = 0; slice < 8; ++slice) {
            snt_near(sn_vec3_distance(center_of(points, slice), center_of(others, slice)), 0,
                     1e-13);
        }
        bones_unbind(&plain, ops);
        bones_unbind(&b, ops);
    }
    snt_context_end(context);
}

// Slices are across the way, from one to the next on the same side of it: the way has no kinks and
// the muscle is not twisted.
static void slices_follow_the_way(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    b.context = context;
    add_wrap(&b, SNI_WRAP_CYLINDER, 0.03);
    bones_set(&b, ops, "slices", 30);
    wraps[0].first = 10;
    wraps[0].last = 22;
    bones_bind(&b, ops);
    sn_mat4 worlds[2];
    bones_bend(&b, sn_vec3_make(1.8, 0, 0), worlds);
    bones_pose(&b, ops, worlds, points);
    for (uint32_t slice = 1; slice + 1 < 30; ++slice) {
        sn_vec3 way = sn_vec3_sub(center_of(points, slice + 1), center_of(points, slice - 1));
        sn_vec3 out = sn_vec3_sub(bones_point(points, 8 * slice), center_of(points, slice));
        sn_vec3 wide = sn_vec3_sub(bones_point(points, 8 * slice + 2), center_of(points, slice));
        double size = sn_vec3_length(way);
        // Between straight and bent the middle of the chord is a little off.
        assert_true(fabs(sn_vec3_dot(out, way)) < 0.2 * size * sn_vec3_length(out));
        snt_near(sn_vec3_dot(wide, way) / size, 0, 1e-12);
        snt_near(fabs(wide.x), sn_vec3_length(wide), 1e-12);
    }
    bones_unbind(&b, ops);
    snt_context_end(context);
}

static double largest_speed(bones *b, double from, double to, int steps) {
    double largest = 0, step = (to - from) / steps;
    for (int i = 0; i <= steps; ++i) {
        sn_mat4 worlds[2], same = sn_mat4_identity();
        double angle = from + i * step;
        bones_bend(b, sn_vec3_make(angle, 0.2 * sin(3 * angle), 0.1 * sin(2 * angle)), worlds);
        bones_pose(b, ops, worlds, points);
        if (i > 0) {
            bones vertices = *b;
            vertices.surface.point_count = 64; // without the axis
            largest =
                fmax(largest, bones_difference(&vertices, points, &same, others) / fabs(step));
        }
        memcpy(others, points, 3 * b->surface.point_count * sizeof *points);
    }
    return largest;
}

// A ten times smaller turn of the joint moves vertices by a tenth, also where the way begins to
// touch the body and as it slides on it; with the volume kept, too.
static void nothing_jumps(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    for (int variant = 0; variant < 6; ++variant) {
        bones b = {.context = context};
        add_wrap(&b, (sni_wrap_shape)(variant % 3), 0.03);
        bones_set(&b, ops, "volume", variant / 3);
        bones_bind(&b, ops);
        double coarse = largest_speed(&b, -1.2, 2, 400);
        double fine = largest_speed(&b, -1.2, 2, 4000);
        assert_true(fine < 1.01 * coarse);
        assert_true(fine < 0.6); // the insertions are 0.1 m away from the joint
        bones_unbind(&b, ops);
    }
    snt_context_end(context);
}

static void moves_rigidly_with_the_whole_body(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {17};
    for (int shape = 0; shape < 3; ++shape) {
        bones b;
        bind(&b, context, (sni_wrap_shape)shape, 0.03);
        for (int round = 0; round < 20; ++round) {
            sn_mat4 bent[2], place = bones_random_rigid(&random);
            bones_bend(&b, sn_vec3_make(1.5 * bones_random(&random), 0.2, 0), bent);
            bones_pose(&b, ops, bent, others);
            sn_mat4 worlds[2] = {sn_mat4_multiply(&place, &bent[0]),
                                 sn_mat4_multiply(&place, &bent[1])};
            bones_pose(&b, ops, worlds, points);
            snt_near(bones_difference(&b, points, &place, others), 0, 1e-9);
        }
        bones_unbind(&b, ops);
    }
    snt_context_end(context);
}

// Twice as large, with a segment that is scaled: twice as long.
static void a_scaled_segment_scales_its_bodies(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    bind(&b, context, SNI_WRAP_CYLINDER, 0.03);
    sn_mat4 worlds[2], twice = sn_mat4_identity();
    twice.m[0] = twice.m[5] = twice.m[10] = 2;
    bones_bend(&b, sn_vec3_make(1.5, 0, 0), worlds);
    bones_pose(&b, ops, worlds, points);
    double length = length_of(&b, points);
    worlds[0] = sn_mat4_multiply(&twice, &worlds[0]);
    worlds[1] = sn_mat4_multiply(&twice, &worlds[1]);
    bones_pose(&b, ops, worlds, points);
    snt_near(length_of(&b, points), 2 * length, 1e-12);
    bones_unbind(&b, ops);
    snt_context_end(context);
}

// A string over two equal parallel cylinders: two tangents, two arcs, and between them a straight
// part as long as their axes are apart. A pivot that is off between them changes nothing; one that
// is on, where the way passes anyway, neither.
static void goes_around_two_bodies(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const double radius = 0.02, apart = 0.1, high = 0.12;
    for (int pivot = 0; pivot < 3; ++pivot) {
        bones b;
        bones_init(&b, context, ops);
        bones_set(&b, ops, "slices", 9);
        // From (0, 1, 0) to (0, 0.7, 0) past cylinders at z = high, y = 0.9 and 0.8.
        for (int k = 0; k < 2; ++k) {
            b.origins[k].point = sn_vec3_make(k == 0 ? -0.02 : 0.02, 1, 0);
            b.insertions[k].point = sn_vec3_make(k == 0 ? -0.02 : 0.02, 0.7, 0);
            wraps[k] = (sni_muscle_wrap){
                .first = k == 0 ? 5 : 2,
                .last = k == 0 ? 6 : 3,
                .center = {0, k == 0 ? -0.2 : -0.1, high},
                .turn = sn_quat_from_axis_angle(sn_vec3_make(0, 1, 0), -SN_PI / 2),
                .radii = {radius, radius, radius},
                .length = INFINITY,
                .side = 1};
        }
        b.body.wraps = wraps;
        b.body.wrap_count = 2;
        if (pivot > 0) {
            bones_add_pivot(&b, SNI_PIVOT_RANGE);
            b.pivots[0].slice = 4;
            b.pivots[0].off = pivot == 1;
            b.pivots[0].at = sn_vec3_make(0, -0.15, pivot == 1 ? 0.3 : high + radius);
        }
        bones_bind(&b, ops);
        double reach = hypot(apart, high), tangent = sqrt(reach * reach - radius * radius);
        // From the direction of the end, seen from an axis, past the front to straight ahead.
        double arc = SN_PI / 2 + atan2(high, apart) - acos(radius / reach);
        bones_pose(&b, ops, b.rest, points);
        snt_near(length_of(&b, points), 2 * (tangent + radius * arc) + apart, 1e-12);
        for (uint32_t slice = 2; slice <= 3; ++slice) {
            sn_vec3 c = sn_vec3_lerp(bones_point(points, 8 * slice),
                                     bones_point(points, 8 * slice + 4), 0.5);
            assert_true(hypot(c.y - 0.9, c.z - high) > radius - 1e-9);
        }
        bones_unbind(&b, ops);
    }
    snt_context_end(context);
}

static void fails(bones *b, const char *text) {
    snt_fails(SN_INVALID, text, ops->bind(&b->job, &b->bound, error));
    assert_null(b->bound);
}

static void refuses_bodies_without_sense(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const uint32_t slices[][2] = {{0, 3}, {3, 7}, {5, 3}};
    bones b = {.context = context};
    for (int i = 0; i < 3; ++i) {
        add_wrap(&b, SNI_WRAP_CYLINDER, 0.03);
        wraps[0].first = slices[i][0];
        wraps[0].last = slices[i][1];
        fails(&b, "but they must rise, from 1 to 6");
    }
    add_wrap(&b, SNI_WRAP_CYLINDER, 0);
    fails(&b, "biceps: body 1 has radii (0, 0, 0) and length 0.2, but they must be above 0");
    add_wrap(&b, SNI_WRAP_ELLIPSOID, 0.03);
    wraps[0].radii.z = -1;
    fails(&b, "biceps: body 1 has radii (0.03, 0.045, -1)");
    add_wrap(&b, SNI_WRAP_CYLINDER, 0.03);
    wraps[0].length = 0;
    fails(&b, "and length 0, but they must be above 0");
    add_wrap(&b, SNI_WRAP_CYLINDER, 0.03);
    wraps[0].side = -3;
    fails(&b, "biceps: body 1 is a cylinder about z, which has no side along it");
    add_wrap(&b, SNI_WRAP_SPHERE, 0.03);
    wraps[0].center.y = NAN;
    fails(&b, "biceps: body 1 is at (0, nan, 0)");
    add_wrap(&b, SNI_WRAP_SPHERE, 0.03);
    wraps[0].segment = 2;
    fails(&b, "biceps: body 1 has segment 2, but there are 2");
    add_wrap(&b, SNI_WRAP_SPHERE, 0.03);
    wraps[1] = wraps[0];
    wraps[1].first = wraps[1].last = 5;
    b.body.wrap_count = 2;
    fails(&b, "biceps: it goes around bodies 1 and 2 with common slices, 3 to 5 and 5 to 5");
    add_wrap(&b, SNI_WRAP_SPHERE, 0.03);
    bones_add_pivot(&b, SNI_PIVOT_ALWAYS);
    fails(&b, "with slices 3 to 5, but slice 5 stands on a pivot");
    snt_context_end(context);
}

// An end inside of a body leaves it alone, as OpenSim does; a pose without length or a segment
// without size is finite.
static void survives_poses_without_sense(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    bind(&b, context, SNI_WRAP_ELLIPSOID, 0.03);
    sn_mat4 worlds[2] = {b.rest[0], b.rest[1]};
    worlds[1].m[13] += 0.1;
    worlds[1].m[14] -= 0.02; // the insertions' middle is the body's
    bones_pose(&b, ops, worlds, points);
    snt_near(length_of(&b, points),
             sn_vec3_distance(sn_vec3_make(0, 0.95, 0.02), sn_vec3_make(0, 0.7, 0)), 1e-13);
    worlds[0] = worlds[1] = b.rest[0];
    for (int i = 0; i < 12; ++i) {
        worlds[0].m[i] = 0;
    }
    bones_pose(&b, ops, worlds, points);
    bones_unbind(&b, ops);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    bones b = {.context = context};
    sn_status status = SN_OK;
    add_wrap(&b, SNI_WRAP_CYLINDER, 0.03);
    SN_TRY(ops->bind(&b.job, &b.bound, error));
    ops->surface(b.bound, &b.surface);
    SN_TRY(bones_try_pose(&b, ops, b.rest, points, error));
cleanup:
    if (b.bound != NULL) {
        bones_unbind(&b, ops);
    }
    return status;
}

static void survives_failing_allocations(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_are_those_by_hand),
        cmocka_unit_test(slices_lie_on_the_body),
        cmocka_unit_test(slices_follow_the_way),
        cmocka_unit_test(nothing_jumps),
        cmocka_unit_test(moves_rigidly_with_the_whole_body),
        cmocka_unit_test(a_scaled_segment_scales_its_bodies),
        cmocka_unit_test(goes_around_two_bodies),
        cmocka_unit_test(refuses_bodies_without_sense),
        cmocka_unit_test(survives_poses_without_sense),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
