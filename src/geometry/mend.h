// SPDX-License-Identifier: Apache-2.0
//
// Meshes that are nearly closed, made into solids: scans with small holes, doubled vertices along
// seams, faces that do not agree on their outer side. For filling alone; what the user gave is
// never changed.
#ifndef SINEW_GEOMETRY_MEND_H
#define SINEW_GEOMETRY_MEND_H

#include "geometry/density.h"

// The solid with other triangles, on the same vertices.
typedef struct sni_mended {
    uint32_t *vertices; // triangle_count x 3: welded, turned, and over the holes
    uint32_t triangle_count;
    uint32_t border_edges; // that are not passed as often one way as the other
    double cover;          // area of what was added, as a part of the given one
} sni_mended;

// Mends a mesh:
//
//     1. vertices at one place are one vertex;
//     2. triangles beside each other are turned so that they agree, and pieces so that their
//        volume is positive;
//     3. ways along edges that are missing come in loops, since outlines of triangles do: each is
//        closed by cutting off the corner whose neighbours are nearest to each other, again and
//        again.
//
// Fails with SN_INVALID where what is added would be more than 15 % of the given area: a sheet or a
// bowl is no solid; and for bad indices and numbers. Deinit also after a failure.
sn_status sni_mend_solid(sn_context *context, const sni_solid *solid, sni_mended *mended,
                         sn_error *error);
void sni_mended_deinit(sn_context *context, sni_mended *mended);

#endif
