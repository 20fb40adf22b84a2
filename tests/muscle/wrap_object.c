// SPDX-License-Identifier: Apache-2.0
//
// The taut way past a cylinder, a sphere or an ellipsoid: by hand, by what a taut way must be, and
// against a string that is pulled tight step by step.
#include "test.h"

#include "muscle/wrap_object.h"

#include <math.h>
#include <stdlib.h>

static sni_wrap_body body_of(sni_wrap_shape shape, double x, double y, double z, int side) {
    return (sni_wrap_body){.shape = shape,
                           .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                           .radii = {x, y, z},
                           .half_length = INFINITY,
                           .side = side};
}

static double way_length(sn_vec3 a, sn_vec3 b, const sni_wrap_arc *arc) {
    return arc->touches
               ? sn_vec3_distance(a, arc->enter) + arc->length + sn_vec3_distance(arc->leave, b)
               : sn_vec3_distance(a, b);
}

// Points at sqrt(2) radii: tangents of one radius, which take 45 degrees each. Of 135 degrees
// between them 45 are left; along the axis the way rises evenly.
static void a_cylinder_by_hand(void **state) {
    (void)state;
    sni_wrap_body body = body_of(SNI_WRAP_CYLINDER, 1, 1, 1, 0);
    sn_vec3 a = {-sqrt(2), 0, 0}, b = {1, 1, 2 + SN_PI / 4};
    sni_wrap_arc arc;
    sni_wrap_find(&body, a, b, &arc);
    assert_true(arc.touches);
    snt_near(sn_vec3_distance(arc.enter, sn_vec3_make(-sqrt(0.5), sqrt(0.5), 1)), 0, 1e-14);
    snt_near(sn_vec3_distance(arc.leave, sn_vec3_make(0, 1, 1 + SN_PI / 4)), 0, 1e-14);
    snt_near(arc.length, sqrt(2) * SN_PI / 4, 1e-14);
    snt_near(way_length(a, b, &arc), sqrt(2) * (2 + SN_PI / 4), 1e-14);
    // Twice as large, twice as long; a sphere the same in its plane.
    body = body_of(SNI_WRAP_CYLINDER, 2, 2, 2, 0);
    sn_vec3 a2 = sn_vec3_scale(a, 2), b2 = sn_vec3_scale(b, 2);
    sni_wrap_find(&body, a2, b2, &arc);
    snt_near(way_length(a2, b2, &arc), 2 * sqrt(2) * (2 + SN_PI / 4), 1e-13);
    body = body_of(SNI_WRAP_SPHERE, 1, 1, 1, 0);
    b = sn_vec3_make(1, 0, 1);
    sni_wrap_find(&body, a, b, &arc);
    snt_near(way_length(a, b, &arc), 2 + SN_PI / 4, 1e-14);
    snt_near(sn_vec3_distance(arc.leave, sn_vec3_make(0, 0, 1)), 0, 1e-14);
}

// With a side the way passes there: free where it is free, around the body where it is not, also
// where the straight way passes on the other side without touching.
static void sides_decide(void **state) {
    (void)state;
    for (int shape = 0; shape < 3; ++shape) {
        sni_wrap_body body = body_of((sni_wrap_shape)shape, 1, 1, 1, 2);
        sn_vec3 above[2] = {{-3, 1.5, 0}, {3, 1.5, 0}}, below[2] = {{-3, -1.5, 0}, {3, -1.5, 0}};
        sni_wrap_arc arc;
        sni_wrap_find(&body, above[0], above[1], &arc);
        assert_false(arc.touches);
        sni_wrap_find(&body, below[0], below[1], &arc);
        assert_true(arc.touches);
        snt_near(sn_vec3_distance(sni_wrap_point(&arc, 0.5), sn_vec3_make(0, 1, 0)), 0, 1e-14);
        double reach = hypot(3, 1.5), angle = SN_PI + 2 * atan(0.5) - 2 * acos(1 / reach);
        snt_near(arc.length, angle, shape == 2 ? 1e-12 : 1e-14);
        body.side = -2;
        sni_wrap_find(&body, below[0], below[1], &arc);
        assert_false(arc.touches);
        body.side = 0;
        sni_wrap_find(&body, below[0], below[1], &arc);
        assert_false(arc.touches);
        // A little off the middle: the near side without a side, the far one with it.
        sn_vec3 low[2] = {{-3, -0.1, 0}, {3, -0.1, 0}};
        sni_wrap_find(&body, low[0], low[1], &arc);
        snt_near(sni_wrap_point(&arc, 0.5).y, -1, 1e-14);
        body.side = 2;
        sni_wrap_find(&body, low[0], low[1], &arc);
        snt_near(sni_wrap_point(&arc, 0.5).y, 1, 1e-14);
    }
}

static void straight_ways_do_not_touch(void **state) {
    (void)state;
    for (int shape = 0; shape < 3; ++shape) {
        sni_wrap_body body = body_of((sni_wrap_shape)shape, 1, 1, 1, 0);
        static const sn_vec3 ways[][2] = {
            {{-3, 1.01, 0}, {3, 1.01, 0}}, {{-3, 0.2, 0}, {-1.5, -0.2, 0}}, // on one side
            {{2, 2, 0}, {1.2, 0, 0}},      {{0.5, 0, 0}, {3, 0.1, 0}},      // an end inside
            {{-3, 0.1, 0}, {0, 0, 0}},     {{-3, 0.1, 0}, {-3, 0.1, 0}}};
        for (int i = 0; i < 6; ++i) {
            sni_wrap_arc arc;
            sni_wrap_find(&body, ways[i][0], ways[i][1], &arc);
            assert_false(arc.touches);
        }
    }
    // Beyond both ends of a cylinder; where one end is on it, it is touched.
    sni_wrap_body body = body_of(SNI_WRAP_CYLINDER, 1, 1, 1, 0);
    sni_wrap_arc arc;
    body.half_length = 1;
    sni_wrap_find(&body, sn_vec3_make(-3, 0.1, 1.5), sn_vec3_make(3, 0.1, 1.2), &arc);
    assert_false(arc.touches);
    sni_wrap_find(&body, sn_vec3_make(-3, 0.1, 1.5), sn_vec3_make(3, 0.1, -1.5), &arc);
    assert_true(arc.touches);
}

static double random_in(snt_random *random, double low, double high) {
    return snt_random_range(random, low, high);
}

static sn_vec3 random_point(snt_random *random, double size) {
    return sn_vec3_make(random_in(random, -size, size), random_in(random, -size, size),
                        random_in(random, -size, size));
}

static sni_wrap_body random_body(snt_random *random, int shape, int side) {
    double x = random_in(random, 0.8, 1.4), y = random_in(random, 0.8, 1.4);
    double z = random_in(random, 0.8, 1.4);
    bool round = shape != SNI_WRAP_ELLIPSOID;
    sni_wrap_body body = body_of((sni_wrap_shape)shape, x, round ? x : y, round ? x : z, side);
    sn_quat turn = {random_in(random, -1, 1), random_in(random, -1, 1), random_in(random, -1, 1),
                    random_in(random, -1, 1)};
    turn = sn_quat_normalize(turn);
    for (int i = 0; i < 3; ++i) {
        body.axes[i] = sn_quat_rotate(turn, body.axes[i]);
    }
    body.center = random_point(random, 2);
    return body;
}

// How far outside of a body a point is, in units of its radii: 0 on its surface.
static double outside(const sni_wrap_body *body, sn_vec3 p) {
    double square = 0;
    for (int i = 0; i < (body->shape == SNI_WRAP_CYLINDER ? 2 : 3); ++i) {
        double at = sn_vec3_dot(sn_vec3_sub(p, body->center), body->axes[i]) / body->radii[i];
        square += at * at;
    }
    return sqrt(square) - 1;
}

// A taut way: on the surface, never inside, straight parts that touch and go on as the arc does, an
// arc as long as its points are apart.
static void check_taut(const sni_wrap_body *body, sn_vec3 a, sn_vec3 b, const sni_wrap_arc *arc) {
    sn_vec3 to = sn_vec3_normalize_or(sn_vec3_sub(arc->enter, a), sn_vec3_make(0, 0, 0));
    sn_vec3 on = sn_vec3_normalize_or(sn_vec3_sub(b, arc->leave), sn_vec3_make(0, 0, 0));
    snt_near(sn_vec3_distance(to, sni_wrap_direction(arc, 0)), 0, 1e-7);
    snt_near(sn_vec3_distance(on, sni_wrap_direction(arc, 1)), 0, 1e-7);
    double sum = 0;
    enum { PARTS = 2000 };
    sn_vec3 before = arc->enter;
    for (int i = 0; i <= PARTS; ++i) {
        double t = (double)i / PARTS;
        sn_vec3 p = sni_wrap_point(arc, t);
        snt_near(outside(body, p), 0, 1e-12);
        assert_true(outside(body, sn_vec3_lerp(a, arc->enter, t)) > -1e-9);
        assert_true(outside(body, sn_vec3_lerp(arc->leave, b, t)) > -1e-9);
        sum += sn_vec3_distance(before, p);
        before = p;
    }
    snt_near(sum, arc->length, 1e-5 * arc->length);
    assert_true(arc->length >= sum - 1e-12);
}

static void ways_are_taut(void **state) {
    (void)state;
    snt_random random = {21};
    uint32_t touched = 0;
    for (int round = 0; round < 3000; ++round) {
        int shape = round % 3, side = round % 7 - 3;
        if (shape == SNI_WRAP_CYLINDER && abs(side) == 3) {
            side = 0;
        }
        sni_wrap_body body = random_body(&random, shape, side);
        sn_vec3 a = random_point(&random, 4), b = random_point(&random, 4);
        if (round % 2 == 0) { // roughly opposite
            b = sn_vec3_add_scaled(b, -1, sn_vec3_sub(a, body.center));
        }
        sni_wrap_arc arc;
        sni_wrap_find(&body, a, b, &arc);
        if (arc.touches) {
            ++touched;
            check_taut(&body, a, b, &arc);
        }
        // The way back is the same.
        sni_wrap_arc back;
        sni_wrap_find(&body, b, a, &back);
        assert_int_equal(arc.touches, back.touches);
        snt_near(way_length(a, b, &arc), way_length(b, a, &back), 1e-9);
    }
    assert_true(touched > 500);
}

// A string of points, each drawn to the middle of its neighbours and pushed out of the body, along
// the surface's normal, until it is tight.
static double tight_length(const sni_wrap_body *body, sn_vec3 a, sn_vec3 b,
                           const sni_wrap_arc *arc) {
    enum { POINTS = 81 };
    sn_vec3 p[POINTS];
    for (int i = 0; i < POINTS; ++i) {
        double t = (double)i / (POINTS - 1) * 3;
        p[i] = t < 1   ? sn_vec3_lerp(a, arc->enter, t)
               : t < 2 ? sni_wrap_point(arc, t - 1)
                       : sn_vec3_lerp(arc->leave, b, t - 2);
    }
    for (int round = 0; round < 6000; ++round) {
        for (int i = 1; i + 1 < POINTS; ++i) {
            p[i] = sn_vec3_lerp(p[i - 1], p[i + 1], 0.5);
            double depth = outside(body, p[i]);
            for (int k = 0; k < 4 && depth < 0; ++k, depth = outside(body, p[i])) {
                sn_vec3 normal = {0, 0, 0}, from = sn_vec3_sub(p[i], body->center);
                for (int axis = 0; axis < 3; ++axis) {
                    double r = body->radii[axis], at = sn_vec3_dot(from, body->axes[axis]);
                    normal = sn_vec3_add_scaled(normal, at / (r * r), body->axes[axis]);
                }
                // |p'| - 1 grows by |normal| / |p'| per length along the unit normal.
                double slope = sn_vec3_dot(normal, normal) / (1 + depth);
                p[i] = sn_vec3_add_scaled(p[i], -depth / slope, normal);
            }
        }
    }
    double length = 0;
    for (int i = 1; i < POINTS; ++i) {
        length += sn_vec3_distance(p[i - 1], p[i]);
    }
    return length;
}

// An ellipsoid's way is not the shortest, but nearly, also between points that are roughly
// opposite: within 3 % of a tight string, on the mean 0.3 %. A sphere's is the shortest.
static void ways_are_nearly_the_shortest(void **state) {
    (void)state;
    snt_random random = {8};
    double sum = 0;
    int count = 0;
    for (int round = 0; round < 60; ++round) {
        bool sphere = round % 4 == 0;
        sni_wrap_body body = random_body(&random, sphere ? SNI_WRAP_SPHERE : SNI_WRAP_ELLIPSOID, 0);
        sn_vec3 a = sn_vec3_add(body.center, random_point(&random, 3));
        // Roughly opposite, so that most ways touch.
        sn_vec3 opposite = sn_vec3_add_scaled(body.center, -1, sn_vec3_sub(a, body.center));
        sn_vec3 b = sn_vec3_add(opposite, random_point(&random, 1));
        sni_wrap_arc arc;
        sni_wrap_find(&body, a, b, &arc);
        if (!arc.touches) {
            continue;
        }
        double excess = way_length(a, b, &arc) / tight_length(&body, a, b, &arc) - 1;
        assert_true(excess > -1e-3 && excess < (sphere ? 2e-3 : 0.03));
        sum += excess;
        ++count;
    }
    assert_true(count > 40 && sum / count < 0.003);
}

// As the way slides over a body its length does not change faster than its ends move, and where it
// begins to touch, the arc lies on the straight way.
static void nothing_jumps(void **state) {
    (void)state;
    for (int variant = 0; variant < 6; ++variant) {
        int shape = variant % 3;
        bool sided = variant < 3;
        sni_wrap_body body = body_of((sni_wrap_shape)shape, 1, shape == 2 ? 0.7 : 1,
                                     shape == 2 ? 1.4 : 1, sided ? 2 : 0);
        // With a side it goes past the centre; without one, to where sides change.
        double step = 1e-4, length = 0, beside = 0.3, least = sided ? -1.5 : 0.2;
        for (double y = 1.6; y > least; y -= step) {
            sn_vec3 a = {-3, y, beside}, b = {2.5, y - 0.2, -1.2 * beside};
            sni_wrap_arc arc;
            sni_wrap_find(&body, a, b, &arc);
            double now = way_length(a, b, &arc);
            assert_true(y == 1.6 || fabs(now - length) <= 2 * step + 1e-12);
            if (arc.touches && arc.angle < 0.01) {
                sn_vec3 way = sn_vec3_normalize_or(sn_vec3_sub(b, a), sn_vec3_make(0, 0, 0));
                sn_vec3 from = sn_vec3_sub(arc.enter, a);
                sn_vec3 off = sn_vec3_add_scaled(from, -sn_vec3_dot(from, way), way);
                assert_true(sn_vec3_length(off) < 2 * arc.angle);
                assert_true(arc.length < 2 * arc.angle);
            }
            length = now;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cylinder_by_hand),           cmocka_unit_test(sides_decide),
        cmocka_unit_test(straight_ways_do_not_touch),   cmocka_unit_test(ways_are_taut),
        cmocka_unit_test(ways_are_nearly_the_shortest), cmocka_unit_test(nothing_jumps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
