// SPDX-License-Identifier: Apache-2.0
//
// Ways around bodies by OpenSim's methods: by hand, and where two of its bodies are the same.
#include "test.h"

#include "muscle/wrap_object.h"

#include <math.h>

static sni_wrap_body body_of(sni_wrap_shape shape, sni_wrap_method method, int side) {
    return (sni_wrap_body){.shape = shape,
                           .method = method,
                           .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                           .radii = {1, 1, 1},
                           .half_length = INFINITY,
                           .side = side};
}

static double way_length(const sni_wrap_body *body, sn_vec3 a, sn_vec3 b) {
    sni_wrap_arc arc;
    sni_wrap_find(body, a, b, &arc);
    return arc.touches
               ? sn_vec3_distance(a, arc.enter) + arc.length + sn_vec3_distance(arc.leave, b)
               : sn_vec3_distance(a, b);
}

static bool touches(const sni_wrap_body *body, sn_vec3 a, sn_vec3 b, bool *must) {
    sni_wrap_arc arc;
    sni_wrap_find(body, a, b, &arc);
    *must = arc.must;
    return arc.touches;
}

// When a cylinder with the side +y is gone around: where the straight way cuts it, must be where an
// end is on the side; where both ends are below; where one is and the way passes below.
static void a_cylinder_decides_by_its_side(void **state) {
    (void)state;
    sni_wrap_body body = body_of(SNI_WRAP_CYLINDER, SNI_WRAP_HYBRID, 2);
    bool must;
    assert_true(touches(&body, sn_vec3_make(-3, 0.2, 0), sn_vec3_make(3, 0.2, 1), &must));
    assert_true(must);
    assert_false(touches(&body, sn_vec3_make(-3, 1.2, 0), sn_vec3_make(3, 1.2, 0), &must));
    assert_true(touches(&body, sn_vec3_make(-3, -2, 0), sn_vec3_make(3, -2, 0), &must));
    assert_false(must);
    assert_true(touches(&body, sn_vec3_make(-3, -0.5, 0), sn_vec3_make(3, -0.5, 0), &must));
    assert_false(must);
    assert_true(touches(&body, sn_vec3_make(-3, 0.5, 0), sn_vec3_make(2, -8, 0), &must));
    assert_false(must);
    assert_false(touches(&body, sn_vec3_make(-3, 8, 0), sn_vec3_make(3, -0.5, 0), &must));
    assert_false(touches(&body, sn_vec3_make(0.5, 0.5, 0), sn_vec3_make(3, 0, 0), &must));
    // Over the top from below: two tangents, and what is left of the angle between the points.
    double expected = 2 * sqrt(12) + SN_PI + 2 * atan2(2, 3) - 2 * acos(1 / sqrt(13));
    snt_near(way_length(&body, sn_vec3_make(-3, -2, 0), sn_vec3_make(3, -2, 0)), expected, 1e-12);
}

// Without a side, and cut, all methods agree with the smooth one; ends beyond those of the cylinder
// are free.
static void a_cylinder_without_side_is_the_smooth_one(void **state) {
    (void)state;
    snt_random random = {3};
    for (int round = 0; round < 200; ++round) {
        sn_vec3 a = {snt_random_range(&random, -3, -1.1), snt_random_range(&random, -2, 2),
                     snt_random_range(&random, -1, 1)};
        sn_vec3 b = {snt_random_range(&random, 1.1, 3), snt_random_range(&random, -2, 2),
                     snt_random_range(&random, -1, 1)};
        sni_wrap_body own = body_of(SNI_WRAP_CYLINDER, SNI_WRAP_HYBRID, 0);
        sni_wrap_body smooth = body_of(SNI_WRAP_CYLINDER, SNI_WRAP_SMOOTH, 0);
        snt_near(way_length(&own, a, b), way_length(&smooth, a, b), 1e-12);
        own.half_length = 1e-3;
        a.z = b.z = 1;
        snt_near(way_length(&own, a, b), sn_vec3_distance(a, b), 0);
    }
}

// An ellipsoid with equal radii is a sphere: the plane of every method goes through its centre.
static void a_round_ellipsoid_is_a_sphere(void **state) {
    (void)state;
    snt_random random = {5};
    int around = 0;
    for (int round = 0; round < 200; ++round) {
        sn_vec3 a = {snt_random_range(&random, -3, -1.1), snt_random_range(&random, -1, 1),
                     snt_random_range(&random, -1, 1)};
        sn_vec3 b = {snt_random_range(&random, 1.1, 3), snt_random_range(&random, -1, 1),
                     snt_random_range(&random, -1, 1)};
        sni_wrap_body sphere = body_of(SNI_WRAP_SPHERE, SNI_WRAP_HYBRID, 0);
        double expected = way_length(&sphere, a, b);
        around += expected > sn_vec3_distance(a, b);
        for (int method = SNI_WRAP_HYBRID; method <= SNI_WRAP_MIDPOINT; ++method) {
            sni_wrap_body body = body_of(SNI_WRAP_ELLIPSOID, (sni_wrap_method)method, 0);
            // Where the way is along an axis the hybrid plane is that across the axis, which is not
            // quite that through the centre.
            double slack = method == SNI_WRAP_HYBRID ? 0.05 * (expected - 2) : 1e-12;
            snt_near(way_length(&body, a, b), expected, slack);
        }
    }
    assert_true(around > 100);
}

// Along the long axis of an ellipsoid, x, past its z side: an ellipse with half axes 2 and 1, whose
// plane all methods choose.
static void an_ellipsoid_along_its_axis(void **state) {
    (void)state;
    for (int method = SNI_WRAP_HYBRID; method <= SNI_WRAP_AXIAL; ++method) {
        sni_wrap_body body = body_of(SNI_WRAP_ELLIPSOID, (sni_wrap_method)method, 0);
        sni_wrap_arc arc;
        body.radii[0] = 2;
        body.radii[1] = 1.5;
        sn_vec3 a = {-4, 0, 0.3}, b = {4, 0, 0.3};
        bool must;
        assert_true(touches(&body, a, b, &must) && must);
        sni_wrap_find(&body, a, b, &arc);
        sn_vec3 top = sni_wrap_point(&arc, 0.5);
        snt_near(sn_vec3_distance(top, sn_vec3_make(0, 0, 1)), 0, 1e-9);
        // With the other side the same ellipse is gone around the other way.
        body.side = -3;
        sni_wrap_find(&body, a, b, &arc);
        assert_true(arc.touches);
        snt_near(sni_wrap_point(&arc, 0.5).z, -1, 1e-9);
        // A way that does not cut it is free, whatever the side.
        assert_false(touches(&body, sn_vec3_make(-4, 0, 1.1), sn_vec3_make(4, 0, 1.1), &must));
    }
}

static void a_sphere_keeps_to_its_side(void **state) {
    (void)state;
    sni_wrap_body body = body_of(SNI_WRAP_SPHERE, SNI_WRAP_HYBRID, 3);
    sni_wrap_arc arc;
    sni_wrap_find(&body, sn_vec3_make(-3, 0, -0.4), sn_vec3_make(3, 0, -0.4), &arc);
    assert_true(arc.touches && !arc.must);
    snt_near(sni_wrap_point(&arc, 0.5).z, 1, 1e-12);
    sni_wrap_find(&body, sn_vec3_make(-3, 0, 0.4), sn_vec3_make(3, 0, 0.3), &arc);
    assert_true(arc.touches && arc.must);
    assert_true(sni_wrap_point(&arc, 0.5).z > 0.9);
    sni_wrap_find(&body, sn_vec3_make(-3, 0, -1.2), sn_vec3_make(3, 0, -1.2), &arc);
    assert_false(arc.touches);
}

// Through the hole of a ring with radius 2 and a tube of radius 0.5, past its inner side at x: the
// tube's section is a circle about (2, 0) with the way below it.
static void a_torus_is_gone_around_inside(void **state) {
    (void)state;
    sni_wrap_body body = body_of(SNI_WRAP_TORUS, SNI_WRAP_HYBRID, 0);
    body.radii[0] = body.radii[1] = body.radii[2] = 0.5;
    body.ring = 2;
    sn_vec3 a = {2, 0, -3}, b = {2, 0, 3};
    double tangent = sqrt(9 - 0.25), arc = 0.5 * (SN_PI - 2 * acos(0.5 / 3));
    snt_near(way_length(&body, a, b), 2 * tangent + arc, 1e-9);
    bool must;
    assert_false(touches(&body, sn_vec3_make(1, 0, -3), sn_vec3_make(1, 0, 3), &must));
    body.side = -1;
    assert_false(touches(&body, a, b, &must)); // it is on the other half of the ring
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cylinder_decides_by_its_side),
        cmocka_unit_test(a_cylinder_without_side_is_the_smooth_one),
        cmocka_unit_test(a_round_ellipsoid_is_a_sphere),
        cmocka_unit_test(an_ellipsoid_along_its_axis),
        cmocka_unit_test(a_sphere_keeps_to_its_side),
        cmocka_unit_test(a_torus_is_gone_around_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
