// SPDX-License-Identifier: Apache-2.0
//
// Drivers and points for the tests of the wrap.
#ifndef SNT_WRAP_SHAPES_H
#define SNT_WRAP_SHAPES_H

#include "test.h"

#include "sinew/skin.h"

#include <math.h>

// A sheet of side x side quads over [0, 1]^2, a little curved.
static inline sn_mesh *snt_sheet(sn_context *context, uint32_t side, double lift) {
    sn_mesh *mesh = NULL;
    uint32_t row = side + 1;
    snt_ok(sn_mesh_create(context, "sheet", row * row, side * side, 4 * side * side, &mesh, error));
    for (uint32_t i = 0; i < row * row; ++i) {
        double x = (double)(i / row) / side, y = (double)(i % row) / side;
        sn_vec3_store(sn_vec3_make(x, y, 0.1 * sin(4 * x) * cos(3 * y) + lift),
                      mesh->positions + 3 * (size_t)i);
    }
    for (uint32_t f = 0; f < side * side; ++f) {
        uint32_t a = f / side * row + f % side;
        const uint32_t corners[4] = {a, a + row, a + row + 1, a + 1};
        mesh->face_offsets[f] = 4 * f;
        memcpy(mesh->corners + 4 * (size_t)f, corners, sizeof corners);
    }
    return mesh;
}

// A mesh of given points and triangles.
static inline sn_mesh *snt_triangles(sn_context *context, uint32_t vertex_count,
                                     const float *positions, uint32_t count,
                                     const uint32_t *corners) {
    sn_mesh *mesh = NULL;
    snt_ok(sn_mesh_create(context, "driver", vertex_count, count, 3 * count, &mesh, error));
    memcpy(mesh->positions, positions, 12 * (size_t)vertex_count);
    memcpy(mesh->corners, corners, 12 * (size_t)count);
    for (uint32_t i = 0; i < count; ++i) {
        mesh->face_offsets[i] = 3 * i;
    }
    return mesh;
}

// Loose points in a box.
static inline sn_mesh *snt_cloud(sn_context *context, uint32_t count, double low, double high,
                                 uint64_t seed) {
    sn_mesh *mesh = NULL;
    snt_random random = {seed};
    snt_ok(sn_mesh_create(context, "cloud", count, 0, 0, &mesh, error));
    for (uint32_t i = 0; i < count; ++i) {
        double x = snt_random_range(&random, 0, 1), y = snt_random_range(&random, 0, 1);
        double z = 0.1 * sin(4 * x) * cos(3 * y) + snt_random_range(&random, low, high);
        sn_vec3_store(sn_vec3_make(x, y, z), mesh->positions + 3 * (size_t)i);
    }
    return mesh;
}

static inline sn_mat4 snt_rigid(void) {
    sn_transform t = {{0.3, -0.2, 0.5},
                      sn_quat_from_euler(sn_vec3_make(0.7, -1.1, 2.3), SN_ROTATION_XYZ),
                      {1, 1, 1}};
    return sn_mat4_from_transform(&t);
}

// All points of `from` moved by a matrix.
static inline void snt_move(const sn_mat4 *matrix, const float *from, uint32_t count, float *to) {
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3_store(sn_mat4_point(matrix, sn_vec3_load(from + 3 * (size_t)i)),
                      to + 3 * (size_t)i);
    }
}

// The largest distance between points and the images of others.
static inline double snt_largest_error(const sn_mat4 *matrix, const float *from, const float *to,
                                       uint32_t count) {
    double largest = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3 expected = sn_mat4_point(matrix, sn_vec3_load(from + 3 * (size_t)i));
        largest = fmax(largest, sn_vec3_distance(expected, sn_vec3_load(to + 3 * (size_t)i)));
    }
    return largest;
}

#endif
