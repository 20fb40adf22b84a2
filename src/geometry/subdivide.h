// SPDX-License-Identifier: Apache-2.0
//
// Subdivision of triangle meshes that never moves an old vertex: each split edge gets one new
// vertex, a weighted sum of old ones. The weights are kept, so that the same subdivision can be
// applied to posed positions or to any other values at the vertices.
#ifndef SINEW_GEOMETRY_SUBDIVIDE_H
#define SINEW_GEOMETRY_SUBDIVIDE_H

#include "base/memory.h"

typedef enum sni_subdivide_scheme {
    SNI_SUBDIVIDE_MIDPOINT,  // the surface stays as it is; any triangles
    SNI_SUBDIVIDE_BUTTERFLY, // smooth (modified butterfly); manifold, oriented triangles
} sni_subdivide_scheme;

typedef struct sni_subdivide_desc {
    sni_subdivide_scheme scheme;
    uint32_t vertex_count;
    const uint32_t *vertices; // triangle_count x 3
    uint32_t triangle_count;
    const uint8_t *selected; // triangle_count: not 0 for triangles to split in four; NULL: all.
                             // Their neighbours are split in two, three or four to fit
    const uint32_t *creases; // crease_count x 2: edges that stay sharp
    uint32_t crease_count;
    const uint8_t *sharp; // vertex_count: not 0 where borders and creases have a corner; or NULL
    double tension;       // w of equation A.1: 0 is the smoothest
} sni_subdivide_desc;

// New vertices follow the old ones, in the order of their edges (lower, then higher vertex).
typedef struct sni_subdivision {
    sn_context *context;
    uint32_t old_count;
    uint32_t new_count;
    uint32_t *edges;   // new_count x 2: the edge that each new vertex splits, lower vertex first
    uint32_t *offsets; // new_count + 1: row i of the weights is [offsets[i], offsets[i + 1])
    uint32_t *sources; // offsets[new_count]: old vertices
    double *weights;   // offsets[new_count]: their sum is 1 in every row
    uint32_t triangle_count;
    uint32_t *vertices;         // triangle_count x 3
    uint32_t *triangle_origins; // triangle_count: the old triangle that each lies in
} sni_subdivision;

// Fails with SN_INVALID for an index out of range, a triangle that uses a vertex twice, a crease
// that is no edge, and, for the butterfly scheme, an edge with more than two triangles or triangles
// that run along it in the same direction, and a vertex where two fans of triangles meet.
sn_status sni_subdivide(sn_context *context, const sni_subdivide_desc *desc,
                        sni_subdivision **subdivision, sn_error *error);
void sni_subdivision_destroy(sni_subdivision *subdivision);

// Values of the new vertices (new_count x width) from those of the old ones (old_count x width).
void sni_subdivision_apply(const sni_subdivision *subdivision, const float *old_values,
                           uint32_t width, float *new_values);

#endif
