// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "geometry/normals.h"
#include "shapes.h"

#include <stdlib.h>

static float *normals_of(const sn_mesh *mesh) {
    float *normals = malloc((size_t)mesh->vertex_count * 3 * sizeof *normals);
    snt_ok(sn_mesh_normals(mesh, mesh->positions, normals, error));
    return normals;
}

static void point_outward_at_cube_corners(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = snt_cube(context);
    float *normals = normals_of(mesh);
    for (int i = 0; i < 24; ++i) {
        float outward = mesh->positions[i] > 0.5f ? 1 : -1;
        snt_near(normals[i], outward / sqrt(3), 1e-7);
    }
    free(normals);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static void are_radial_on_a_sphere(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    sn_mesh *mesh = snt_sphere(context, 63, 128);
    float *normals = normals_of(mesh);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        sn_vec3 n = sn_vec3_load(normals + 3 * v), p = sn_vec3_load(mesh->positions + 3 * v);
        snt_near(sn_vec3_length(n), 1, 1e-6);
        // Faces shrink towards the poles, which bends the mean a little.
        assert_true(sn_vec3_distance(n, p) < (fabs(p.y) < 0.9 ? 2e-3 : 2e-2));
    }
    free(normals);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

// The height field z = sin(2x) cos(3y) has the normal (-dz/dx, -dz/dy, 1).
static void match_an_analytic_surface(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    enum { N = 200 };
    sn_mesh *mesh;
    snt_ok(sn_mesh_create(context, "field", (N + 1) * (N + 1), N * N, 4 * N * N, &mesh, error));
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        double x = (double)(v % (N + 1)) / N, y = (double)(v / (N + 1)) / N;
        sn_vec3_store(sn_vec3_make(x, y, sin(2 * x) * cos(3 * y)), mesh->positions + 3 * v);
    }
    for (uint32_t f = 0; f < N * N; ++f) {
        uint32_t v = f / N * (N + 1) + f % N;
        const uint32_t corners[4] = {v, v + 1, v + N + 2, v + N + 1};
        memcpy(mesh->corners + 4 * f, corners, sizeof corners);
        mesh->face_offsets[f + 1] = 4 * f + 4;
    }
    float *normals = normals_of(mesh);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        double x = mesh->positions[3 * v], y = mesh->positions[3 * v + 1];
        bool is_inside = v % (N + 1) % N != 0 && v / (N + 1) % N != 0;
        sn_vec3 n = sn_vec3_normalize_or(
            sn_vec3_make(-2 * cos(2 * x) * cos(3 * y), 3 * sin(2 * x) * sin(3 * y), 1),
            sn_vec3_make(0, 0, 1));
        double tolerance = is_inside ? 1e-4 : 4e-2; // one-sided at the border
        assert_true(sn_vec3_distance(n, sn_vec3_load(normals + 3 * v)) < tolerance);
    }
    free(normals);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

// A concave face must not be seen from behind, and larger faces count more.
static void weigh_polygons_by_area(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    // An arrow head in z = 0 whose first three corners turn right, and a wall of half its area.
    const float positions[] = {1, 1, 0, 0, 4, 0, 0, 0, 0, 4, 0, 0, 0, 4, 1, 0, 0, 1};
    const uint32_t sizes[] = {4, 4}, corners[] = {0, 1, 2, 3, 1, 4, 5, 2};
    sn_mesh *mesh = snt_mesh(context, 6, positions, 2, sizes, corners);
    float *normals = normals_of(mesh);
    snt_near(normals[2], 1, 1e-7);
    // Area 4 along +z and 4 along +x.
    snt_near(normals[3], sqrt(0.5), 1e-7);
    snt_near(normals[5], sqrt(0.5), 1e-7);
    snt_near(normals[3 * 4], 1, 1e-7);
    free(normals);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static void point_up_where_there_is_no_surface(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const float positions[] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 5, 5, 5};
    const uint32_t sizes[] = {3, 2, 1}, corners[] = {0, 1, 2, 0, 1, 2};
    sn_mesh *mesh = snt_mesh(context, 4, positions, 3, sizes, corners);
    float *normals = normals_of(mesh);
    for (int v = 0; v < 4; ++v) {
        assert_true(normals[3 * v] == 0 && normals[3 * v + 1] == 1 && normals[3 * v + 2] == 0);
    }
    free(normals);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static void keep_their_direction_at_any_size(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const float sizes_of_cube[] = {1e-42f, 1e-30f, 1e30f, 3e38f};
    for (int i = 0; i < 4; ++i) {
        sn_mesh *mesh = snt_cube(context);
        for (int k = 0; k < 24; ++k) {
            mesh->positions[k] *= sizes_of_cube[i];
        }
        float *normals = normals_of(mesh);
        for (int k = 0; k < 24; ++k) {
            snt_near(fabs(normals[k]), 1 / sqrt(3), 1e-6);
        }
        free(normals);
        sn_mesh_destroy(mesh);
    }
    snt_context_end(context);
}

static void have_the_same_bits_for_any_thread_count(void **state) {
    (void)state;
    const uint32_t counts[] = {1, 2, 3, 8, 32};
    float *first = NULL;
    for (int i = 0; i < 5; ++i) {
        sn_context *context = snt_context(counts[i]);
        sn_mesh *mesh = snt_sphere(context, 99, 201);
        snt_random random = {7};
        for (uint32_t k = 0; k < 3 * mesh->vertex_count; ++k) {
            mesh->positions[k] += (float)snt_random_range(&random, -0.01, 0.01);
        }
        float *normals = normals_of(mesh);
        // The variant for every frame, with the table of the topology.
        sn_topology *topology;
        snt_ok(sn_topology_create(mesh, &topology, error));
        double *scratch = malloc((size_t)mesh->face_count * 3 * sizeof *scratch);
        float *again = malloc((size_t)mesh->vertex_count * 12);
        sni_normals_compute(mesh, mesh->positions, topology->vertex_face_offsets,
                            topology->vertex_faces, scratch, again);
        assert_memory_equal(normals, again, (size_t)mesh->vertex_count * 12);
        free(scratch);
        free(again);
        sn_topology_destroy(topology);
        if (i == 0) {
            first = normals;
        } else {
            assert_memory_equal(normals, first, (size_t)mesh->vertex_count * 12);
            free(normals);
        }
        sn_mesh_destroy(mesh);
        snt_context_end(context);
    }
    free(first);
}

static sn_status try_normals(sn_context *context, void *user, sn_error *error) {
    sn_mesh local = *(const sn_mesh *)user;
    local.context = context;
    float normals[24];
    return sn_mesh_normals(&local, local.positions, normals, error);
}

static void survive_lack_of_memory(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = snt_cube(context);
    snt_fail_allocations(try_normals, mesh);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(point_outward_at_cube_corners),
        cmocka_unit_test(are_radial_on_a_sphere),
        cmocka_unit_test(match_an_analytic_surface),
        cmocka_unit_test(weigh_polygons_by_area),
        cmocka_unit_test(point_up_where_there_is_no_surface),
        cmocka_unit_test(keep_their_direction_at_any_size),
        cmocka_unit_test(have_the_same_bits_for_any_thread_count),
        cmocka_unit_test(survive_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
