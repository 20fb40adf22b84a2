// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "geometry/interior.h"
#include "geometry/signed_surface.h"
#include "shapes.h"

#include <math.h>

static sni_signed_surface *make(sn_context *context, const sn_mesh *mesh) {
    sn_triangles *triangles = NULL;
    sni_signed_surface *surface = NULL;
    snt_ok(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    snt_ok(sni_signed_surface_create(context, mesh->positions, mesh->vertex_count,
                                     triangles->vertices, triangles->count, &surface, error));
    sn_triangles_destroy(triangles);
    return surface;
}

// Of the unit cube, by hand.
static double cube_distance(sn_vec3 p) {
    sn_vec3 d = sn_vec3_make(fabs(p.x - 0.5) - 0.5, fabs(p.y - 0.5) - 0.5, fabs(p.z - 0.5) - 0.5);
    sn_vec3 out = sn_vec3_make(fmax(d.x, 0), fmax(d.y, 0), fmax(d.z, 0));
    return sn_vec3_length(out) + fmin(fmax(d.x, fmax(d.y, d.z)), 0);
}

static void a_cube_has_its_distance_everywhere(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *cube = snt_cube(context);
    sni_signed_surface *surface = make(context, cube);
    snt_random random = {7};
    for (int i = 0; i < 5000; ++i) {
        sn_vec3 p = {snt_random_range(&random, -1, 2), snt_random_range(&random, -1, 2),
                     snt_random_range(&random, -1, 2)};
        double distance, beside;
        sn_vec3 gradient, other;
        assert_true(sni_signed_surface_at(surface, p, INFINITY, &distance, &gradient));
        snt_near(distance, cube_distance(p), 1e-12);
        snt_near(sn_vec3_length(gradient), 1, 1e-12);
        // Along the gradient the distance grows as the way does, but for ridges within.
        sn_vec3 moved = sn_vec3_add_scaled(p, 1e-6, gradient);
        assert_true(sni_signed_surface_at(surface, moved, INFINITY, &beside, &other));
        if (distance > 0) {
            snt_near(beside - distance, 1e-6, 1e-9);
        }
    }
    sni_signed_surface_destroy(surface);
    sn_mesh_destroy(cube);
    snt_context_end(context);
}

// A surface that is inside out, with corners that are not shared, has the same inside.
static void orientation_and_seams_do_not_matter(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *cube = snt_cube(context);
    sn_triangles *triangles = NULL;
    snt_ok(sn_triangles_create(cube, cube->positions, &triangles, error));
    uint32_t count = triangles->count, vertices[36];
    float positions[108];
    assert_int_equal(count, 12);
    for (uint32_t i = 0; i < 3 * count; ++i) {
        uint32_t corner = i % 3 == 1 ? i + 1 : i % 3 == 2 ? i - 1 : i; // turned over
        memcpy(positions + 3 * (size_t)i, cube->positions + 3 * (size_t)triangles->vertices[corner],
               3 * sizeof *positions);
        vertices[i] = i;
    }
    sni_signed_surface *surface = NULL;
    snt_ok(sni_signed_surface_create(context, positions, 36, vertices, count, &surface, error));
    snt_random random = {8};
    for (int i = 0; i < 2000; ++i) {
        sn_vec3 p = {snt_random_range(&random, -1, 2), snt_random_range(&random, -1, 2),
                     snt_random_range(&random, -1, 2)};
        double distance;
        sn_vec3 gradient;
        assert_true(sni_signed_surface_at(surface, p, INFINITY, &distance, &gradient));
        snt_near(distance, cube_distance(p), 1e-12);
    }
    sni_signed_surface_destroy(surface);
    sn_triangles_destroy(triangles);
    sn_mesh_destroy(cube);
    snt_context_end(context);
}

static void the_sign_is_that_of_the_inside(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *ball = snt_sphere(context, 5, 7);
    sni_signed_surface *surface = make(context, ball);
    sni_interior interior;
    snt_ok(sni_interior_init(&interior, ball, ball->positions, error));
    snt_random random = {9};
    for (int i = 0; i < 3000; ++i) {
        sn_vec3 p = {snt_random_range(&random, -1.2, 1.2), snt_random_range(&random, -1.2, 1.2),
                     snt_random_range(&random, -1.2, 1.2)};
        double distance;
        sn_vec3 gradient;
        assert_true(sni_signed_surface_at(surface, p, INFINITY, &distance, &gradient));
        assert_int_equal(distance < 0, sni_interior_contains(&interior, p));
    }
    sni_interior_deinit(&interior);
    sni_signed_surface_destroy(surface);
    sn_mesh_destroy(ball);
    snt_context_end(context);
}

// Beyond the radius nothing is found; on the surface itself the gradient is its normal.
static void the_ends_are_defined(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *cube = snt_cube(context);
    sni_signed_surface *surface = make(context, cube);
    double distance;
    sn_vec3 gradient;
    assert_false(
        sni_signed_surface_at(surface, sn_vec3_make(0.5, 0.5, 3), 1, &distance, &gradient));
    assert_true(
        sni_signed_surface_at(surface, sn_vec3_make(0.25, 0.75, 1), 1, &distance, &gradient));
    snt_near(distance, 0, 0);
    snt_near(gradient.z, 1, 1e-12);
    assert_true(sni_signed_surface_at(surface, sn_vec3_make(1, 1, 1), 1, &distance, &gradient));
    snt_near(gradient.x, 1 / sqrt(3), 1e-12);
    snt_near(gradient.y, 1 / sqrt(3), 1e-12);
    sni_signed_surface_destroy(surface);
    sni_signed_surface_destroy(NULL);
    sn_mesh_destroy(cube);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_has_its_distance_everywhere),
        cmocka_unit_test(orientation_and_seams_do_not_matter),
        cmocka_unit_test(the_sign_is_that_of_the_inside),
        cmocka_unit_test(the_ends_are_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
