// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "geometry/interior.h"
#include "geometry/sphere.h"
#include "shapes.h"

#include <math.h>

static sn_mesh *ball(sn_context *context, uint32_t detail) {
    sn_mat4 place = sn_mat4_identity();
    sn_mesh *mesh = NULL;
    snt_ok(sni_ellipsoid_mesh(context, "ball", &place, detail, &mesh, error));
    return mesh;
}

static void a_cube_has_the_depth_of_its_nearest_side(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *cube = snt_cube(context);
    sn_vec3 low, high, closest;
    sn_mesh_bounds(cube, &low, &high);
    sni_interior interior;
    snt_ok(sni_interior_init(&interior, cube, cube->positions, error));
    snt_random random = {41};
    for (int i = 0; i < 2000; ++i) {
        const double at[3] = {snt_random_range(&random, low.x - 0.5, high.x + 0.5),
                              snt_random_range(&random, low.y - 0.5, high.y + 0.5),
                              snt_random_range(&random, low.z - 0.5, high.z + 0.5)};
        const double lows[3] = {low.x, low.y, low.z}, highs[3] = {high.x, high.y, high.z};
        double expected = INFINITY;
        for (int k = 0; k < 3; ++k) {
            expected = fmin(expected, fmin(at[k] - lows[k], highs[k] - at[k]));
        }
        sn_vec3 point = sn_vec3_make(at[0], at[1], at[2]);
        double depth = sni_interior_depth(&interior, point, &closest);
        snt_near(depth, fmax(expected, 0), 1e-12);
        if (depth > 0) {
            snt_near(sn_vec3_distance(point, closest), depth, 1e-12);
        }
    }
    sni_interior_deinit(&interior);
    sn_mesh_destroy(cube);
    snt_context_end(context);
}

// The solid angle of all triangles is 4 pi inside and 0 outside: an independent test of inside.
static double winding(const sni_interior *interior, sn_vec3 p) {
    double sum = 0;
    for (size_t i = 0; i < interior->triangles->count; ++i) {
        sn_vec3 v[3];
        double l[3];
        for (size_t k = 0; k < 3; ++k) {
            uint32_t vertex = interior->triangles->vertices[3 * i + k];
            v[k] = sn_vec3_sub(sn_vec3_load(interior->positions + 3 * (size_t)vertex), p);
            l[k] = sn_vec3_length(v[k]);
        }
        double above = sn_vec3_dot(v[0], sn_vec3_cross(v[1], v[2]));
        double below = l[0] * l[1] * l[2] + sn_vec3_dot(v[0], v[1]) * l[2] +
                       sn_vec3_dot(v[1], v[2]) * l[0] + sn_vec3_dot(v[2], v[0]) * l[1];
        sum += 2 * atan2(above, below);
    }
    return sum / (4 * SN_PI);
}

// Also for a wavy ball that folds back, moved after it was made.
static void inside_is_where_the_surface_winds_around(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = ball(context, 8);
    sni_interior interior;
    snt_ok(sni_interior_init(&interior, mesh, mesh->positions, error));
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        float *p = mesh->positions + 3 * (size_t)i;
        float r = 1 + 0.5f * sinf(5 * p[0]) * cosf(4 * p[1] - p[2]);
        for (int k = 0; k < 3; ++k) {
            p[k] *= r;
        }
    }
    snt_ok(sni_interior_move(&interior, mesh->positions, error));
    snt_random random = {7};
    int inside_count = 0;
    for (int i = 0; i < 1000; ++i) {
        sn_vec3 closest, point = sn_vec3_make(snt_random_range(&random, -1.3, 1.3),
                                              snt_random_range(&random, -1.3, 1.3),
                                              snt_random_range(&random, -1.3, 1.3));
        bool inside = winding(&interior, point) > 0.5;
        double depth = sni_interior_depth(&interior, point, &closest);
        assert_true((depth > 0) == inside);
        inside_count += inside;
    }
    assert_true(inside_count > 100 && inside_count < 900);
    sni_interior_deinit(&interior);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static void numbers_that_are_not_finite_are_outside_or_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = ball(context, 4);
    sni_interior interior;
    sn_vec3 closest, middle = {0, 0, 0};
    snt_ok(sni_interior_init(&interior, mesh, mesh->positions, error));
    assert_true(sni_interior_depth(&interior, sn_vec3_make(NAN, 0, 0), &closest) == 0);
    assert_true(sni_interior_depth(&interior, sn_vec3_make(INFINITY, 0, 0), &closest) == 0);
    double before = sni_interior_depth(&interior, middle, &closest);
    assert_true(before > 0.9);
    mesh->positions[5] = NAN;
    snt_fails(SN_INVALID, "", sni_interior_move(&interior, mesh->positions, error));
    assert_true(sni_interior_depth(&interior, middle, &closest) == before);
    sni_interior_deinit(&interior);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    sn_mat4 place = sn_mat4_identity();
    sn_mesh *mesh = NULL;
    sni_interior interior = {0};
    (void)user;
    sn_status status = sni_ellipsoid_mesh(context, "ball", &place, 2, &mesh, error);
    if (status == SN_OK) {
        status = sni_interior_init(&interior, mesh, mesh->positions, error);
    }
    sni_interior_deinit(&interior);
    sn_mesh_destroy(mesh);
    return status;
}

static void failing_allocations_are_survived(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_has_the_depth_of_its_nearest_side),
        cmocka_unit_test(inside_is_where_the_surface_winds_around),
        cmocka_unit_test(numbers_that_are_not_finite_are_outside_or_refused),
        cmocka_unit_test(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
