// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "geometry/distance_grid.h"
#include "geometry/sphere.h"
#include "geometry/winding.h"
#include "shapes.h"

#include <math.h>
#include <stdlib.h>

static sn_mesh *ellipsoid(sn_context *context, double x, double y, double z, uint32_t detail) {
    sn_mat4 place = sn_mat4_identity();
    sn_mesh *mesh = NULL;
    place.m[0] = x;
    place.m[5] = y;
    place.m[10] = z;
    snt_ok(sni_ellipsoid_mesh(context, "ball", &place, detail, &mesh, error));
    return mesh;
}

static sni_distance_grid *bake(const sn_mesh *mesh, uint32_t nodes) {
    sni_distance_grid_desc desc = sni_distance_grid_desc_default();
    sni_distance_grid *grid = NULL;
    desc.most_nodes = nodes;
    snt_ok(sni_distance_grid_create(mesh, &desc, &grid, error));
    return grid;
}

static sn_vec3 random_point(snt_random *random, double size) {
    double x = snt_random_range(random, -size, size), y = snt_random_range(random, -size, size);
    return sn_vec3_make(x, y, snt_random_range(random, -size, size));
}

// The sum of all solid angles, one by one, is the second method.
static double exact_winding(const sn_mesh *mesh, const sn_triangles *triangles, sn_vec3 p) {
    double sum = 0;
    for (size_t i = 0; i < triangles->count; ++i) {
        sn_vec3 v[3];
        double l[3];
        for (size_t k = 0; k < 3; ++k) {
            v[k] = sn_vec3_sub(
                sn_vec3_load(mesh->positions + 3 * (size_t)triangles->vertices[3 * i + k]), p);
            l[k] = sn_vec3_length(v[k]);
        }
        sum += 2 * atan2(sn_vec3_dot(v[0], sn_vec3_cross(v[1], v[2])),
                         l[0] * l[1] * l[2] + sn_vec3_dot(v[0], v[1]) * l[2] +
                             sn_vec3_dot(v[1], v[2]) * l[0] + sn_vec3_dot(v[2], v[0]) * l[1]);
    }
    return sum / (4 * SN_PI);
}

static void far_triangles_count_together(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    sn_mesh *mesh = ellipsoid(context, 1, 0.3, 0.6, 5);
    sn_triangles *triangles = NULL;
    sni_winding *winding = NULL;
    snt_ok(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    // Without a tenth of its triangles: a sieve.
    uint32_t count = triangles->count * 9 / 10;
    snt_ok(
        sni_winding_create(context, mesh->positions, triangles->vertices, count, &winding, error));
    triangles->count = count;
    snt_random random = {7};
    for (int i = 0; i < 2000; ++i) {
        sn_vec3 at = random_point(&random, 1.5);
        snt_near(sni_winding_at(winding, at), exact_winding(mesh, triangles, at), 0.03);
    }
    sni_winding_destroy(winding);
    sn_triangles_destroy(triangles);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static void a_ball_has_its_distance(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    sn_mesh *mesh = ellipsoid(context, 1, 1, 1, 32);
    sni_distance_grid *grid = bake(mesh, 1u << 17);
    snt_random random = {11};
    assert_true(sni_distance_grid_bytes(grid) <= sizeof *grid + (1u << 17) * sizeof(float));
    for (int i = 0; i < 5000; ++i) {
        sn_vec3 at = random_point(&random, 2), gradient; // also beyond the box
        double length = sn_vec3_length(at);
        if (length < 0.5) { // near the middle, where all directions meet
            continue;
        }
        double value = sni_distance_grid_at(grid, at, &gradient);
        // The ball is a polyhedron, a thousandth inside of the sphere. Beyond the box the value
        // is a lower bound.
        bool within = fmax(fabs(at.x), fmax(fabs(at.y), fabs(at.z))) < 1.2;
        snt_near(value, length - 1, within ? 0.007 : 0.5);
        assert_true(value < length - 1 + 0.007);
        assert_true(!within || value - (length - 1) < grid->error + 0.006);
        snt_near(sn_vec3_dot(gradient, at) / length, 1, within ? 0.15 : 0.3);
    }
    assert_true(grid->error < 0.1 * grid->spacing);
    sni_distance_grid_destroy(grid);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static double box_distance(sn_vec3 p) {
    sn_vec3 q = {fabs(p.x - 0.5) - 0.5, fabs(p.y - 0.5) - 0.5, fabs(p.z - 0.5) - 0.5};
    sn_vec3 out = sn_vec3_max(q, sn_vec3_make(0, 0, 0));
    return sn_vec3_length(out) + fmin(fmax(q.x, fmax(q.y, q.z)), 0);
}

static void a_box_has_its_distance(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    sn_mesh *cube = snt_cube(context);
    sni_distance_grid *grid = bake(cube, 1u << 15);
    snt_random random = {13};
    double worst_away = 0, worst = 0;
    for (int i = 0; i < 20000; ++i) {
        sn_vec3 gradient, at = sn_vec3_add(random_point(&random, 0.7), sn_vec3_make(.5, .5, .5));
        double excess = sni_distance_grid_at(grid, at, &gradient) - box_distance(at);
        // Deep inside, where sides meet, it is coarser; nothing gets there.
        worst = fmax(worst, box_distance(at) > -2 * grid->spacing ? fabs(excess) : 0);
        if (box_distance(at) > 2.5 * grid->spacing) {
            worst_away = fmax(worst_away, excess);
        }
    }
    // The stated error is that in the middles of some cells; corners are worst.
    assert_true(worst_away < 2 * grid->error);
    assert_true(worst < 0.5 * grid->spacing);
    sni_distance_grid_destroy(grid);
    sn_mesh_destroy(cube);
    snt_context_end(context);
}

// A gradient is that of the trilinear value itself.
static void gradients_are_slopes(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = ellipsoid(context, 1, 0.4, 0.7, 3);
    sni_distance_grid *grid = bake(mesh, 1u << 14);
    snt_random random = {17};
    for (int i = 0; i < 500; ++i) {
        sn_vec3 gradient, ignored;
        // In the middle third of a cell.
        double places[3];
        for (int k = 0; k < 3; ++k) {
            places[k] = floor(snt_random_range(&random, 0, grid->counts[k] - 1.0)) +
                        snt_random_range(&random, 0.3, 0.7);
        }
        sn_vec3 local = sn_vec3_add_scaled(grid->low, grid->spacing,
                                           sn_vec3_make(places[0], places[1], places[2]));
        sn_vec3 at = sn_vec3_scale(grid->axes[0], local.x);
        at = sn_vec3_add_scaled(at, local.y, grid->axes[1]);
        at = sn_vec3_add_scaled(at, local.z, grid->axes[2]);
        double step = 1e-3 * grid->spacing;
        sni_distance_grid_at(grid, at, &gradient);
        const double slopes[3] = {gradient.x, gradient.y, gradient.z};
        for (int k = 0; k < 3; ++k) {
            sn_vec3 side = sn_vec3_make(k == 0 ? step : 0, k == 1 ? step : 0, k == 2 ? step : 0);
            double up = sni_distance_grid_at(grid, sn_vec3_add(at, side), &ignored);
            double down = sni_distance_grid_at(grid, sn_vec3_sub(at, side), &ignored);
            snt_near((up - down) / (2 * step), slopes[k], 1e-6);
        }
    }
    sni_distance_grid_destroy(grid);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

// Bones have holes and are sometimes inside out.
static void holes_and_sides_do_not_matter(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    sn_mesh *mesh = ellipsoid(context, 1, 1, 1, 8);
    // Without the last faces, and turned.
    sn_mesh *open = NULL;
    uint32_t faces = mesh->face_count - 6, corners = mesh->face_offsets[faces];
    snt_ok(sn_mesh_create(context, "open", mesh->vertex_count, faces, corners, &open, error));
    memcpy(open->positions, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof(float));
    memcpy(open->face_offsets, mesh->face_offsets, (faces + 1) * sizeof(uint32_t));
    for (uint32_t f = 0; f < faces; ++f) {
        uint32_t begin = mesh->face_offsets[f], end = mesh->face_offsets[f + 1];
        for (uint32_t c = begin; c < end; ++c) {
            open->corners[c] = mesh->corners[begin + end - 1 - c];
        }
    }
    sni_distance_grid *grid = bake(open, 1u << 14), *whole = bake(mesh, 1u << 14);
    size_t nodes = (size_t)grid->counts[0] * grid->counts[1] * grid->counts[2], turned = 0;
    for (size_t i = 0; i < nodes; ++i) {
        turned += (grid->values[i] < 0) != (whole->values[i] < 0);
    }
    assert_true(turned < nodes / 200); // near the hole alone
    sn_vec3 gradient;
    assert_true(sni_distance_grid_at(grid, sn_vec3_make(0, 0, 0), &gradient) < -0.7);
    assert_true(sni_distance_grid_at(grid, sn_vec3_make(3, 3, 3), &gradient) > 3);
    sni_distance_grid_destroy(grid);
    sni_distance_grid_destroy(whole);
    sn_mesh_destroy(open);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static void threads_give_the_same_bits(void **state) {
    (void)state;
    float *first = NULL;
    size_t bytes = 0;
    for (uint32_t threads = 1; threads <= 3; ++threads) {
        sn_context *context = snt_context(threads);
        sn_mesh *mesh = ellipsoid(context, 1, 0.2, 0.3, 4);
        sni_distance_grid *grid = bake(mesh, 1u << 14);
        size_t size = (size_t)grid->counts[0] * grid->counts[1] * grid->counts[2] * sizeof(float);
        if (first == NULL) {
            first = malloc(size);
            memcpy(first, grid->values, size);
            bytes = size;
        }
        assert_int_equal(bytes, size);
        assert_memory_equal(first, grid->values, size);
        sni_distance_grid_destroy(grid);
        sn_mesh_destroy(mesh);
        snt_context_end(context);
    }
    free(first);
}

static void what_has_no_extent_is_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_mesh *mesh = NULL;
    sni_distance_grid *grid = NULL;
    sni_distance_grid_desc desc = sni_distance_grid_desc_default();
    snt_ok(sn_mesh_create(context, "point", 3, 0, 0, &mesh, error));
    memset(mesh->positions, 0, 9 * sizeof(float));
    snt_fails(SN_INVALID, "\"point\" has no extent",
              sni_distance_grid_create(mesh, &desc, &grid, error));
    mesh->positions[0] = 1;
    snt_fails(SN_INVALID, "\"point\" has no faces",
              sni_distance_grid_create(mesh, &desc, &grid, error));
    assert_null(grid);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_mat4 place = sn_mat4_identity();
    sn_mesh *mesh = NULL;
    sni_distance_grid *grid = NULL;
    sni_distance_grid_desc desc = {0.1, 1000};
    sn_status status = sni_ellipsoid_mesh(context, "ball", &place, 2, &mesh, error);
    if (status == SN_OK) {
        status = sni_distance_grid_create(mesh, &desc, &grid, error);
    }
    sni_distance_grid_destroy(grid);
    sn_mesh_destroy(mesh);
    return status;
}

static void running_out_of_memory_leaves_nothing(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_triangles_count_together),
        cmocka_unit_test(a_ball_has_its_distance),
        cmocka_unit_test(a_box_has_its_distance),
        cmocka_unit_test(gradients_are_slopes),
        cmocka_unit_test(holes_and_sides_do_not_matter),
        cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(what_has_no_extent_is_refused),
        cmocka_unit_test(running_out_of_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
