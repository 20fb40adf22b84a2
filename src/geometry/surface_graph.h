// SPDX-License-Identifier: Apache-2.0
//
// Edges of triangles as a graph: neighbours, and shortest ways along edges (Dijkstra 1959).
#ifndef SINEW_GEOMETRY_SURFACE_GRAPH_H
#define SINEW_GEOMETRY_SURFACE_GRAPH_H

#include "base/memory.h"

typedef struct sni_surface_graph {
    sn_context *context;
    uint32_t vertex_count;
    uint32_t *starts;     // vertex_count + 1
    uint32_t *neighbours; // of each vertex, rising
    float *lengths;       // of the edges to them
} sni_surface_graph;

// Makes the graph of triangles (x 3) over `positions` (x 3). Free with sni_surface_graph_deinit,
// also where it fails.
sn_status sni_surface_graph_init(sn_context *context, uint32_t vertex_count, const float *positions,
                                 uint32_t triangle_count, const uint32_t *triangles,
                                 sni_surface_graph *graph, sn_error *error);
void sni_surface_graph_deinit(sni_surface_graph *graph);

// The `most` sources nearest to each vertex by ways along edges, the nearest first and the lowest
// of equals: numbers into `sources` (vertex_count x most; SN_NONE: there are no more) and how far
// they are. Sources are different vertices.
sn_status sni_surface_graph_nearest(const sni_surface_graph *graph, uint32_t source_count,
                                    const uint32_t *sources, uint32_t most, uint32_t *labels,
                                    float *distances, sn_error *error);

// Up to `count` vertices that lie far apart from each other: one after the other the one that is
// farthest from all before, the lowest of equals. `found` holds `given` vertices at first, at least
// one; vertices that no way leads to from those are not taken. Returns how many there are in
// `found`, of room for `count`, in `found_count`.
sn_status sni_surface_graph_spread(const sni_surface_graph *graph, uint32_t given, uint32_t count,
                                   uint32_t *found, uint32_t *found_count, sn_error *error);

// One round of averaging of rows of `width` numbers: next = now + share (mean of neighbours - now).
// Vertices without neighbours stay. `now` and `next` are different arrays.
void sni_surface_graph_average(const sni_surface_graph *graph, uint32_t width, double share,
                               const float *now, float *next);

#endif
