// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "shapes.h"

#include <stdlib.h>

static sn_mass mass_of(sn_context *context, const float *positions, const uint32_t *vertices,
                       uint32_t triangle_count) {
    sn_mass mass;
    snt_ok(sn_mass_compute(context, positions, vertices, triangle_count, &mass, error));
    return mass;
}

static sn_mass mass_of_mesh(const sn_mesh *mesh) {
    sn_triangles *triangles;
    snt_ok(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    sn_mass mass = mass_of(mesh->context, mesh->positions, triangles->vertices, triangles->count);
    sn_triangles_destroy(triangles);
    return mass;
}

// The six numbers are xx yy zz xy xz yz.
static void expect_mass(const sn_mass *mass, double volume, sn_vec3 g, const double inertia[6]) {
    snt_near(mass->volume, volume, 1e-12);
    snt_near(mass->centroid.x, g.x, 1e-12);
    snt_near(mass->centroid.y, g.y, 1e-12);
    snt_near(mass->centroid.z, g.z, 1e-12);
    const int places[6] = {0, 4, 8, 1, 2, 5}, mirrors[6] = {0, 4, 8, 3, 6, 7};
    for (int i = 0; i < 6; ++i) {
        snt_near(mass->inertia[places[i]], inertia[i], 1e-12);
        assert_true(mass->inertia[places[i]] == mass->inertia[mirrors[i]]);
    }
}

static const uint32_t tetrahedron[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

static void knows_tetrahedra(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const float unit[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    sn_mass mass = mass_of(context, unit, tetrahedron, 4);
    double off = 1.0 / 480;
    expect_mass(&mass, 1.0 / 6, sn_vec3_make(0.25, 0.25, 0.25),
                (double[]){1.0 / 80, 1.0 / 80, 1.0 / 80, off, off, off});
    snt_near(mass.area, 1.5 + sqrt(3) / 2, 1e-12);
    const float sides[12] = {0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4};
    mass = mass_of(context, sides, tetrahedron, 4);
    expect_mass(&mass, 4, sn_vec3_make(0.5, 0.75, 1),
                (double[]){15.0 / 4, 3, 39.0 / 20, 0.3, 0.4, 0.6});
    snt_context_end(context);
}

static void knows_a_box_away_from_the_origin(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = snt_cube(context);
    const float corner[3] = {10, -4, 7}, sides[3] = {1, 2, 3};
    for (int i = 0; i < 24; ++i) {
        mesh->positions[i] = corner[i % 3] + sides[i % 3] * mesh->positions[i];
    }
    sn_mass mass = mass_of_mesh(mesh);
    expect_mass(&mass, 6, sn_vec3_make(10.5, -3, 8.5), (double[]){6.5, 5, 2.5, 0, 0, 0});
    snt_near(mass.area, 22, 1e-12);
    // Second moments about the origin, M = tr(I) / 2 Id - I + V g g^T.
    double half_trace = (mass.inertia[0] + mass.inertia[4] + mass.inertia[8]) / 2;
    sn_vec3 g = mass.centroid;
    snt_near(half_trace - mass.inertia[0] + 6 * g.x * g.x, 662, 1e-10);
    snt_near(half_trace - mass.inertia[4] + 6 * g.y * g.y, 56, 1e-10);
    snt_near(half_trace - mass.inertia[8] + 6 * g.z * g.z, 438, 1e-10);
    snt_near(-mass.inertia[1] + 6 * g.x * g.y, -189, 1e-10);
    snt_near(-mass.inertia[2] + 6 * g.x * g.z, 1071.0 / 2, 1e-10);
    snt_near(-mass.inertia[5] + 6 * g.y * g.z, -153, 1e-10);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static void knows_an_octahedron(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const float positions[18] = {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1};
    const uint32_t vertices[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                   2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
    sn_mass mass = mass_of(context, positions, vertices, 8);
    double i = 4.0 / 15;
    expect_mass(&mass, 4.0 / 3, sn_vec3_make(0, 0, 0), (double[]){i, i, i, 0, 0, 0});
    snt_near(mass.area, 4 * sqrt(3), 1e-12);
    snt_context_end(context);
}

static void approaches_the_ball(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    sn_mesh *mesh = snt_sphere(context, 199, 300);
    sn_mass mass = mass_of_mesh(mesh);
    double volume = 4 * SN_PI / 3;
    snt_near(mass.volume, volume, 1e-3 * volume);
    snt_near(mass.area, 4 * SN_PI, 1e-3 * 4 * SN_PI);
    snt_near(mass.inertia[0], 0.4 * volume, 1e-3);
    snt_near(mass.inertia[1], 0, 1e-7);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

// A bumpy sphere against itself: turned over, moved, rotated.
static void changes_as_solids_do(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = snt_sphere(context, 12, 17);
    snt_random random = {3};
    for (uint32_t i = 0; i < 3 * mesh->vertex_count; ++i) {
        // Multiples of 2^-10, so that moving them by whole numbers is exact.
        double noise = snt_random_range(&random, 0.9, 1.1);
        mesh->positions[i] = (float)(round(mesh->positions[i] * noise * 1024) / 1024);
    }
    sn_triangles *triangles;
    snt_ok(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    sn_mass mass = mass_of(context, mesh->positions, triangles->vertices, triangles->count);
    assert_true(mass.volume > 0);
    for (uint32_t t = 0; t < triangles->count; ++t) {
        uint32_t *v = triangles->vertices + 3 * t, second = v[1];
        v[1] = v[2];
        v[2] = second;
    }
    sn_mass turned = mass_of(context, mesh->positions, triangles->vertices, triangles->count);
    snt_near(turned.volume, -mass.volume, 1e-13);
    snt_near(turned.area, mass.area, 1e-12);
    snt_near(sn_vec3_distance(turned.centroid, mass.centroid), 0, 1e-13);
    const float step[3] = {1000, -500, 64};
    for (uint32_t i = 0; i < 3 * mesh->vertex_count; ++i) {
        mesh->positions[i] += step[i % 3];
    }
    sn_mass moved = mass_of_mesh(mesh);
    snt_near(moved.volume, mass.volume, 1e-10);
    snt_near(moved.centroid.x, mass.centroid.x + 1000, 1e-10);
    for (int i = 0; i < 9; ++i) {
        snt_near(moved.inertia[i], mass.inertia[i], 1e-10);
    }
    // A quarter turn about z, exact in float: x -> y, y -> -x.
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        float *p = mesh->positions + 3 * v, x = p[0];
        p[0] = -p[1];
        p[1] = x;
    }
    sn_mass rotated = mass_of_mesh(mesh);
    snt_near(rotated.inertia[0], mass.inertia[4], 1e-10);
    snt_near(rotated.inertia[1], -mass.inertia[1], 1e-10);
    snt_near(rotated.inertia[2], -mass.inertia[5], 1e-10);
    sn_triangles_destroy(triangles);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static void defines_what_has_no_volume(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    // Vertex 1 is not in use.
    const float positions[15] = {0, 0, 5, 99, 99, 99, 1, 0, 5, 1, 1, 5, 0, 1, 5};
    const uint32_t vertices[6] = {0, 2, 3, 0, 3, 4};
    sn_mass mass = mass_of(context, positions, vertices, 2);
    expect_mass(&mass, 0, sn_vec3_make(0.5, 0.5, 5), (double[6]){0});
    snt_near(mass.area, 1, 1e-12);
    const uint32_t point[3] = {3, 3, 3};
    mass = mass_of(context, positions, point, 1);
    expect_mass(&mass, 0, sn_vec3_make(1, 1, 5), (double[6]){0});
    mass = mass_of(context, positions, NULL, 0);
    expect_mass(&mass, 0, sn_vec3_make(0, 0, 0), (double[6]){0});
    snt_context_end(context);
}

static void has_the_same_bits_for_any_thread_count(void **state) {
    (void)state;
    const uint32_t counts[] = {1, 2, 3, 8, 32};
    sn_mass first = {0};
    for (int i = 0; i < 5; ++i) {
        sn_context *context = snt_context(counts[i]);
        sn_mesh *mesh = snt_sphere(context, 120, 150);
        sn_mass mass = mass_of_mesh(mesh);
        first = i == 0 ? mass : first;
        assert_memory_equal(&mass, &first, sizeof mass);
        sn_mesh_destroy(mesh);
        snt_context_end(context);
    }
}

static sn_status try_mass(sn_context *context, void *user, sn_error *error) {
    sn_mass mass;
    return sn_mass_compute(context, user, (const uint32_t[3]){0, 1, 2}, 1, &mass, error);
}

static void survives_lack_of_memory(void **state) {
    (void)state;
    float flat[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    snt_fail_allocations(try_mass, flat);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_tetrahedra),
        cmocka_unit_test(knows_a_box_away_from_the_origin),
        cmocka_unit_test(knows_an_octahedron),
        cmocka_unit_test(approaches_the_ball),
        cmocka_unit_test(changes_as_solids_do),
        cmocka_unit_test(defines_what_has_no_volume),
        cmocka_unit_test(has_the_same_bits_for_any_thread_count),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
