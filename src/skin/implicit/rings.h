// SPDX-License-Identifier: Apache-2.0
//
// The rings of a mesh at rest, as the tracker's relaxation sees them: neighbours along the edges of
// its triangles, with cotangents for weights.
#ifndef SINEW_SKIN_IMPLICIT_RINGS_H
#define SINEW_SKIN_IMPLICIT_RINGS_H

#include "skin/implicit/tracker.h"

// Vertices that stand in one place, as files draw them twice along seams: map[i] is the first
// vertex with the place of vertex i.
sn_status sni_map_places(sn_context *context, uint32_t vertex_count, const float *positions,
                         uint32_t *map, sn_error *error);

// Triangles with mapped corners, without those that have two in one place. Returns how many there
// are; `mapped` has room for all.
uint32_t sni_map_triangles(const uint32_t *map, uint32_t triangle_count, const uint32_t *triangles,
                           uint32_t *mapped);

// Makes rings of triangles over vertices at rest. Vertices at an edge of one triangle alone are
// fixed, as are those of no triangle. Free with sni_tracker_mesh_free.
sn_status sni_tracker_mesh_create(sn_context *context, uint32_t vertex_count,
                                  const float *positions, uint32_t triangle_count,
                                  const uint32_t *triangles, sni_tracker_mesh *mesh,
                                  sn_error *error);
void sni_tracker_mesh_free(sn_context *context, sni_tracker_mesh *mesh);

#endif
