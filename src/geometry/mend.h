// SPDX-License-Identifier: Apache-2.0
//
// Meshes that are nearly closed, made into solids: scans with small holes, doubled vertices along
// seams, faces that do not agree on their outer side. For filling alone; what the user gave is
// never changed.
#ifndef SINEW_GEOMETRY_MEND_H
#define SINEW_GEOMETRY_MEND_H

#include "geometry/density.h"

// The mended solid points into memory of its own.
typedef struct sni_mended {
    float *positions;   // those of the solid, and a vertex in the middle of each hole
    uint32_t *vertices; // welded, turned, and with fans over the holes
    uint32_t vertex_count, triangle_count;
    uint32_t border_edges; // that fans were laid over
    double cover;          // area of the fans, as a part of the given one
} sni_mended;

// Mends a mesh:
//
//     1. vertices at one place are one vertex;
//     2. triangles beside each other are turned so that they agree, and pieces so that their
//        volume is positive;
//     3. edges that are not passed as often one way as the other come in closed loops, as the sum
//        of the outlines of triangles: a fan over each loop, from the middle of its edges, closes
//        the mesh.
//
// Fails with SN_INVALID where fans would be more than 15 % of the given area: a sheet or a bowl is
// no solid. Deinit also after a failure.
sn_status sni_mend_solid(sn_context *context, const sni_solid *solid, sni_mended *mended,
                         sn_error *error);
void sni_mended_deinit(sn_context *context, sni_mended *mended);

#endif
