// SPDX-License-Identifier: Apache-2.0
//
// Edges of a skin that are to stay within limits: neither much shorter nor much longer than at
// rest. Where bones fold or stretch an edge beyond that, it shares this with the edges around it.
//
// Vertices that stand in one place at rest, as files draw them twice along seams of textures, are
// moved alike. A place is named by the first vertex that stands there. Edges are those of the
// vertices themselves, so that they hold their limits where the vertices of a place have parted,
// too.
//
//     x(v) = before(v) + move(place of v)
#ifndef SINEW_SKIN_EDGES_H
#define SINEW_SKIN_EDGES_H

#include "base/arena.h"
#include "base/memory.h"
#include "sinew/mesh.h"

// An edge as a place sees it.
typedef struct sni_skin_edge {
    uint32_t own, other; // vertices; `own` stands in the place
    float rest;          // length, more than 0
} sni_skin_edge;

typedef struct sni_skin_edges {
    uint32_t vertex_count;
    uint32_t *map;    // vertex to its place
    uint32_t *starts; // vertex_count + 1: rows of places, empty for other vertices
    sni_skin_edge *items;
} sni_skin_edges;

// Lengths over those at rest: edges beyond are moved.
typedef struct sni_edge_limits {
    double shortest, longest;
} sni_edge_limits;

// Makes the edges of triangles over `positions` (x 3), which are those at rest. Edges without
// length, or so short that floats cannot hold them, are left out. Free with sni_skin_edges_free.
sn_status sni_skin_edges_create(sn_context *context, uint32_t vertex_count, const float *positions,
                                uint32_t triangle_count, const uint32_t *triangles,
                                sni_skin_edges *edges, sn_error *error);
void sni_skin_edges_free(sn_context *context, sni_skin_edges *edges);
size_t sni_skin_edges_bytes(const sni_skin_edges *edges);

// One sweep over some places: where each of them goes, from `positions` of places (those of other
// vertices are not read) to `next`. An edge that is beyond the limits moves both of its ends by
// half of what it is too long or too short. A place with several such edges goes by their mean,
// each weighted by its own step, so that an edge that is hardly beyond a limit hardly counts.
typedef struct sni_edge_sweep {
    const sni_skin_edges *edges;
    sni_edge_limits limits;
    const sn_vec3 *before; // of all vertices
    const sn_vec3 *positions;
    sn_vec3 *next;
    const uint32_t *places;
    uint32_t place_count;
} sni_edge_sweep;
void sni_edges_sweep(sn_context *context, const sni_edge_sweep *sweep);

// What a sweep does with one place: writes where it goes, and tells whether an edge of it is beyond
// the limits. It depends on the place, its neighbours and, where an edge is beyond, on theirs.
bool sni_edges_step(const sni_edge_sweep *sweep, uint32_t place, sn_vec3 *to);

// Whether an edge of a place is beyond the limits.
bool sni_edges_beyond(const sni_skin_edges *edges, sni_edge_limits limits, const sn_vec3 *before,
                      const sn_vec3 *positions, uint32_t place);

// Evens what places have been moved by out over their neighbours: by a share of the way to the mean
// of theirs.
void sni_edges_smooth(sn_context *context, const sni_edge_sweep *sweep, double share);

// Brings the edges of `points` (x 3) within the limits, in at most so many sweeps. Points away from
// edges beyond the limits keep their bits. False when memory runs out.
bool sni_edges_relax(sn_context *context, sni_arena *arena, const sni_skin_edges *edges,
                     sni_edge_limits limits, uint32_t sweeps, float *points);

#endif
