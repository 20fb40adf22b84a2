// SPDX-License-Identifier: Apache-2.0
//
// Small meshes that the tests of this room share. Include test.h first.
#ifndef SNT_GEOMETRY_SHAPES_H
#define SNT_GEOMETRY_SHAPES_H

#include "sinew/geometry.h"

// A mesh from plain arrays: `sizes` holds the number of corners of each face.
static inline sn_mesh *snt_mesh(sn_context *context, uint32_t vertex_count, const float *positions,
                                uint32_t face_count, const uint32_t *sizes,
                                const uint32_t *corners) {
    uint32_t corner_count = 0;
    for (uint32_t f = 0; f < face_count; ++f) {
        corner_count += sizes[f];
    }
    sn_mesh *mesh = NULL;
    snt_ok(sn_mesh_create(context, "shape", vertex_count, face_count, corner_count, &mesh, error));
    memcpy(mesh->positions, positions, (size_t)vertex_count * 3 * sizeof(float));
    for (uint32_t f = 0; f < face_count; ++f) {
        mesh->face_offsets[f + 1] = mesh->face_offsets[f] + sizes[f];
    }
    memcpy(mesh->corners, corners, corner_count * sizeof *corners);
    return mesh;
}

// A single face with corners at (x, y) pairs in the plane z = 0.
static inline sn_mesh *snt_polygon(sn_context *context, uint32_t count, const double *xy) {
    sn_mesh *mesh = NULL;
    snt_ok(sn_mesh_create(context, "polygon", count, 1, count, &mesh, error));
    for (uint32_t i = 0; i < count; ++i) {
        mesh->positions[3 * i] = (float)xy[2 * i];
        mesh->positions[3 * i + 1] = (float)xy[2 * i + 1];
        mesh->positions[3 * i + 2] = 0;
        mesh->corners[i] = i;
    }
    return mesh;
}

// The cube [0, 1]^3 of six quads, outward. Vertex i stands at (i & 1, i >> 1 & 1, i >> 2).
static inline sn_mesh *snt_cube(sn_context *context) {
    float positions[24];
    for (int i = 0; i < 8; ++i) {
        positions[3 * i] = (float)(i & 1);
        positions[3 * i + 1] = (float)(i >> 1 & 1);
        positions[3 * i + 2] = (float)(i >> 2);
    }
    const uint32_t sizes[6] = {4, 4, 4, 4, 4, 4};
    const uint32_t corners[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4,
                                  2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
    return snt_mesh(context, 8, positions, 6, sizes, corners);
}

// A sphere of radius 1: quads between the rings, triangles at the poles. Vertex 0 is the south
// pole (y = -1), the last one the north pole.
static inline sn_mesh *snt_sphere(sn_context *context, uint32_t rings, uint32_t segments) {
    uint32_t vertex_count = rings * segments + 2;
    uint32_t corner_count = 2 * 3 * segments + 4 * (rings - 1) * segments;
    sn_mesh *mesh = NULL;
    snt_ok(sn_mesh_create(context, "sphere", vertex_count, (rings + 1) * segments, corner_count,
                          &mesh, error));
    float *p = mesh->positions;
    sn_vec3_store(sn_vec3_make(0, -1, 0), p);
    sn_vec3_store(sn_vec3_make(0, 1, 0), p + 3 * (vertex_count - 1));
    for (uint32_t r = 0; r < rings; ++r) {
        double up = SN_PI * (r + 1) / (rings + 1) - SN_PI / 2;
        for (uint32_t s = 0; s < segments; ++s) {
            double turn = 2 * SN_PI * s / segments;
            sn_vec3_store(sn_vec3_make(cos(up) * cos(turn), sin(up), -cos(up) * sin(turn)),
                          p + 3 * (1 + r * segments + s));
        }
    }
    uint32_t corner = 0, face = 0;
    for (uint32_t r = 0; r <= rings; ++r) {
        for (uint32_t s = 0; s < segments; ++s) {
            uint32_t t = (s + 1) % segments;
            uint32_t low = 1 + (r - 1) * segments, high = 1 + r * segments;
            if (r > 0) {
                mesh->corners[corner++] = low + s;
                mesh->corners[corner++] = low + t;
            } else {
                mesh->corners[corner++] = 0;
            }
            if (r < rings) {
                mesh->corners[corner++] = high + t;
                mesh->corners[corner++] = high + s;
            } else {
                mesh->corners[corner++] = vertex_count - 1;
            }
            mesh->face_offsets[++face] = corner;
        }
    }
    return mesh;
}

// Any faces of 1 to 7 corners over few vertices, so that edges and vertices meet in all ways.
static inline sn_mesh *snt_soup(sn_context *context, snt_random *random, uint32_t vertex_count,
                                uint32_t face_count) {
    uint32_t sizes[256], corners[256 * 7], corner_count = 0;
    float positions[256 * 3];
    assert_true(face_count <= 256 && vertex_count <= 256);
    for (uint32_t i = 0; i < 3 * vertex_count; ++i) {
        positions[i] = (float)snt_random_range(random, -1, 1);
    }
    for (uint32_t f = 0; f < face_count; ++f) {
        sizes[f] = 1 + snt_random_u32(random) % 7;
        for (uint32_t i = 0; i < sizes[f]; ++i) {
            corners[corner_count++] = snt_random_u32(random) % vertex_count;
        }
    }
    return snt_mesh(context, vertex_count, positions, face_count, sizes, corners);
}

#endif
