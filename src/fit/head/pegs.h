// SPDX-License-Identifier: Apache-2.0
//
// The peg mesh: triangles between landmarks on a skull, which lie around its middle.
#ifndef SINEW_FIT_HEAD_PEGS_H
#define SINEW_FIT_HEAD_PEGS_H

#include "base/memory.h"
#include "sinew/vector.h"

typedef struct sni_pegs {
    sn_context *context;
    sn_vec3 middle; // that they lie around
    uint32_t point_count;
    sn_vec3 *points;
    uint32_t triangle_count;
    uint32_t *vertices; // triangle_count x 3, counter-clockwise seen from outside
} sni_pegs;

// The convex hull of the directions in which the points are seen from their middle: every point is
// a vertex, and the mesh is closed. Fails with SN_INVALID for fewer than four points, and for
// points that do not lie around their middle.
sn_status sni_pegs_create(sn_context *context, uint32_t count, const sn_vec3 *points,
                          sni_pegs **pegs, sn_error *error);
void sni_pegs_destroy(sni_pegs *pegs);

// The triangle in whose direction a point is seen from the middle, and the weights of its corners;
// SN_NONE for the middle itself.
uint32_t sni_pegs_find(const sni_pegs *pegs, sn_vec3 point, double weights[3]);

#endif
