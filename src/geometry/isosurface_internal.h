// SPDX-License-Identifier: Apache-2.0
//
// The steps by which an isosurface is made. All work on the surface in place.
#ifndef SINEW_GEOMETRY_ISOSURFACE_INTERNAL_H
#define SINEW_GEOMETRY_ISOSURFACE_INTERNAL_H

#include "geometry/isosurface.h"

// Cuts the tetrahedra of an empty surface, and snaps as the description says.
sn_status sni_isosurface_march(sni_isosurface *surface, const sni_field *field,
                               const sni_isosurface_desc *desc, const sn_progress *progress,
                               sn_error *error);

// Joins the vertices that have the same `nodes` entry (vertex_count; UINT64_MAX: none) at their
// mean, and drops the triangles that lose their surface, except where the surface would not be a
// closed manifold any more.
sn_status sni_isosurface_snap(sni_isosurface *surface, const uint64_t *nodes, sn_error *error);

// Finds the pieces and their volumes; drops all but the largest when `keep_largest`.
sn_status sni_isosurface_sort_pieces(sni_isosurface *surface, bool keep_largest, sn_error *error);

// Evens out, projects and computes normals, as the description says.
sn_status sni_isosurface_refine(sni_isosurface *surface, const sni_field *field,
                                const sni_isosurface_desc *desc, const sn_progress *progress,
                                sn_error *error);

// The corners at each vertex: those of vertex v are corners[offsets[v]] .. corners[offsets[v + 1] -
// 1], rising.
typedef struct sni_vertex_corners {
    uint32_t *offsets; // vertex_count + 1
    uint32_t *corners; // 3 triangle_count
} sni_vertex_corners;

sn_status sni_vertex_corners_init(const sni_isosurface *surface, sni_vertex_corners *table,
                                  sn_error *error);
void sni_vertex_corners_deinit(sn_context *context, sni_vertex_corners *table);

// The corner that follows in the same triangle.
static inline uint32_t sni_next_corner(uint32_t corner) {
    return corner % 3 == 2 ? corner - 2 : corner + 1;
}

#endif
