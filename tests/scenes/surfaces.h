// SPDX-License-Identifier: Apache-2.0
//
// What the surfaces of shipped characters are asked for.
#ifndef SNT_SCENES_SURFACES_H
#define SNT_SCENES_SURFACES_H

#include "sinew/geometry.h"

// Closed pieces without handles, `pieces` of them: V - E + F = 2 for each.
static inline void check_balls(const sn_mesh *mesh, int pieces) {
    sn_topology *topology = NULL;
    sn_topology_summary summary;
    snt_ok(sn_mesh_validate(mesh, error));
    snt_ok(sn_topology_create(mesh, &topology, error));
    sn_topology_summarize(mesh, topology, &summary);
    assert_true(summary.closed);
    assert_int_equal(summary.components, pieces);
    assert_int_equal(summary.loose_vertices, 0);
    assert_int_equal(summary.degenerate_faces, 0);
    assert_int_equal((int)mesh->vertex_count - (int)topology->edge_count + (int)mesh->face_count,
                     2 * pieces);
    sn_topology_destroy(topology);
}

static inline void check_ball(const sn_mesh *mesh) {
    check_balls(mesh, 1);
}

static inline sn_vec3 point(const sn_mesh *mesh, uint32_t vertex) {
    return sn_vec3_load(mesh->positions + 3 * (size_t)vertex);
}

static inline sn_accel *accel_of(const sn_mesh *mesh, sn_triangles **triangles) {
    sn_accel *accel = NULL;
    snt_ok(sn_triangles_create(mesh, mesh->positions, triangles, error));
    snt_ok(sn_accel_create(mesh->context, mesh->positions, mesh->vertex_count,
                           (*triangles)->vertices, (*triangles)->count, &accel, error));
    return accel;
}

// Two triangles cross only where an edge of one passes the other.
static inline void check_uncrossed(const sn_mesh *mesh) {
    sn_triangles *triangles = NULL;
    sn_accel *accel = accel_of(mesh, &triangles);
    for (uint32_t t = 0; t < triangles->count; ++t) {
        for (int c = 0; c < 3; ++c) {
            sn_vec3 a = point(mesh, triangles->vertices[3 * t + c]);
            sn_vec3 b = point(mesh, triangles->vertices[3 * t + (c + 1) % 3]);
            sn_vec3 along = sn_vec3_sub(b, a);
            double length = sn_vec3_length(along), end = 0.01 * length;
            sn_hit hit;
            // Triangles that share the edge lie along it; what crosses it does so at an angle.
            sn_accel_cast(accel, a, along, end, length - end, &hit);
            while (hit.triangle != SN_NONE) {
                const uint32_t *v = triangles->vertices + 3 * (size_t)hit.triangle;
                uint32_t shared = 0;
                for (int k = 0; k < 3; ++k) {
                    shared += v[k] == triangles->vertices[3 * t + c] ||
                              v[k] == triangles->vertices[3 * t + (c + 1) % 3];
                }
                assert_true(shared > 0);
                double next = hit.distance + 1e-5;
                hit.triangle = SN_NONE;
                if (next < length - end) {
                    sn_accel_cast(accel, a, along, next, length - end, &hit);
                }
            }
        }
    }
    sn_accel_destroy(accel);
    sn_triangles_destroy(triangles);
}

// An odd number of crossings on the way out.
static inline bool is_inside(const sn_accel *accel, sn_vec3 p) {
    sn_vec3 direction = {0.3, 0.2, 0.93};
    uint32_t crossings = 0;
    double from = 0;
    for (;;) {
        sn_hit hit;
        sn_accel_cast(accel, p, direction, from, 10, &hit);
        if (hit.triangle == SN_NONE) {
            return crossings % 2 == 1;
        }
        crossings += 1;
        from = hit.distance + 1e-7;
    }
}

#endif
