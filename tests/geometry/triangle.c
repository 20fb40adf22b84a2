// SPDX-License-Identifier: Apache-2.0
//
// How far a triangle is stretched; closest points and rays are tested with the search tree.
#include "test.h"

#include "geometry/triangle.h"

#include <math.h>

static sn_vec3 any(snt_random *random) {
    return sn_vec3_make(snt_random_range(random, -1, 1), snt_random_range(random, -1, 1),
                        snt_random_range(random, -1, 1));
}

// The longest image of a unit vector in the plane of the triangle, by trying.
static double try_directions(const sn_vec3 rest[3], const sn_vec3 now[3]) {
    sn_vec3 a = sn_vec3_sub(rest[1], rest[0]), b = sn_vec3_sub(rest[2], rest[0]);
    sn_vec3 p = sn_vec3_sub(now[1], now[0]), q = sn_vec3_sub(now[2], now[0]);
    double longest = 0;
    for (int i = 0; i < 20000; ++i) {
        double x = cos(SN_PI * i / 20000), y = sin(SN_PI * i / 20000);
        sn_vec3 before = sn_vec3_add(sn_vec3_scale(a, x), sn_vec3_scale(b, y));
        sn_vec3 after = sn_vec3_add(sn_vec3_scale(p, x), sn_vec3_scale(q, y));
        longest = fmax(longest, sn_vec3_length(after) / sn_vec3_length(before));
    }
    return longest;
}

static void stretch_is_that_of_the_longest_direction(void **state) {
    (void)state;
    snt_random random = {3};
    for (int i = 0; i < 40; ++i) {
        sn_vec3 rest[3] = {any(&random), any(&random), any(&random)};
        sn_vec3 now[3] = {any(&random), any(&random), any(&random)};
        double expected = try_directions(rest, now);
        snt_near(sni_triangle_stretch(rest, now) / expected, 1, 1e-5);
    }
}

static void known_maps_have_known_stretch(void **state) {
    (void)state;
    const sn_vec3 rest[3] = {{1, 2, 3}, {1.5, 2, 3}, {1.25, 2.75, 3}};
    sn_vec3 now[3];
    for (int k = 0; k < 3; ++k) { // turned, and twice as long along x, half as long along y
        now[k] = sn_vec3_make(5, rest[k].y / 2, -2 * rest[k].x);
    }
    snt_near(sni_triangle_stretch(rest, now), 2, 1e-12);
    snt_near(sni_triangle_stretch(rest, rest), 1, 1e-12);
    for (int k = 0; k < 3; ++k) { // folded into a line
        now[k] = sn_vec3_make(3 * rest[k].x, 0, 0);
    }
    snt_near(sni_triangle_stretch(rest, now), 3, 1e-12);
    const sn_vec3 point[3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    assert_true(sni_triangle_stretch(rest, point) == 0);
    // Flat at rest: there is no map.
    assert_true(sni_triangle_stretch(point, rest) == 0);
    assert_true(sni_triangle_stretch(now, rest) == 0);
}

static void low_triangles_are_needles(void **state) {
    (void)state;
    sn_vec3 a = {0, 0, 0}, b = {2, 0, 0};
    for (int order = 0; order < 3; ++order) {
        sn_vec3 low[3] = {a, b, {0.7, 0.29, 0}}, high[3] = {a, b, {0.7, 0.31, 0}};
        int p = order, q = (order + 1) % 3, r = (order + 2) % 3;
        assert_true(sni_triangle_is_needle(low[p], low[q], low[r]));
        assert_false(sni_triangle_is_needle(high[p], high[q], high[r]));
    }
    assert_false(sni_triangle_is_needle(a, a, a)); // nothing is long
}

static void a_frame_lies_along_the_first_edge(void **state) {
    (void)state;
    static const float positions[] = {9, 9, 9, 1, 2, 3, 1, 2, 5, 4, 2, 4};
    static const uint32_t vertices[] = {1, 2, 3};
    sn_vec3 corners[3], axes[3];
    sni_triangle_corners(positions, vertices, corners);
    assert_true(corners[0].x == 1 && corners[1].z == 5 && corners[2].x == 4);
    sn_vec3 vector = sni_triangle_vector(corners[0], corners[1], corners[2]);
    assert_true(vector.x == 0 && vector.y == 6 && vector.z == 0);
    assert_true(sni_triangle_area(corners[0], corners[1], corners[2]) == 3);
    assert_true(sni_triangle_frame(corners, axes));
    assert_true(axes[0].x == 0 && axes[0].y == 0 && axes[0].z == 1);
    assert_true(axes[1].x == 1 && axes[1].y == 0 && axes[1].z == 0);
    assert_true(axes[2].x == 0 && axes[2].y == 1 && axes[2].z == 0);
}

static void a_frame_without_area_is_still_at_right_angles(void **state) {
    (void)state;
    static const sn_vec3 flat[][3] = {{{0, 0, 0}, {2, 0, 0}, {5, 0, 0}},
                                      {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
                                      {{0, 0, 0}, {0, 0, 0}, {0, 3, 0}}};
    for (size_t i = 0; i < sizeof flat / sizeof flat[0]; ++i) {
        sn_vec3 axes[3];
        assert_false(sni_triangle_frame(flat[i], axes));
        for (int k = 0; k < 3; ++k) {
            assert_true(fabs(sn_vec3_length(axes[k]) - 1) < 1e-15);
            assert_true(fabs(sn_vec3_dot(axes[k], axes[(k + 1) % 3])) < 1e-15);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stretch_is_that_of_the_longest_direction),
        cmocka_unit_test(known_maps_have_known_stretch),
        cmocka_unit_test(low_triangles_are_needles),
        cmocka_unit_test(a_frame_lies_along_the_first_edge),
        cmocka_unit_test(a_frame_without_area_is_still_at_right_angles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
