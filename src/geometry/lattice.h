// SPDX-License-Identifier: Apache-2.0
//
// Tetrahedra between the nodes of a grid, as tables: which nodes they have for corners, which node
// owns an edge, and how a tetrahedron is cut.
#ifndef SINEW_GEOMETRY_LATTICE_H
#define SINEW_GEOMETRY_LATTICE_H

#include "geometry/isosurface.h"

enum {
    SNI_LATTICE_DIRECTIONS = 7, // edges that a node owns
    SNI_LATTICE_CORNERS = 12,   // nodes that the tetrahedra of a cell use, at most
    SNI_LATTICE_TETRAHEDRA = 12,
};

typedef struct sni_lattice {
    int8_t directions[SNI_LATTICE_DIRECTIONS][3]; // from a node to the other ends of its edges
    int32_t step;  // cells begin at nodes whose numbers are multiples of this
    int32_t reach; // nodes that a cell extends to beyond its first one
    bool centred;  // only nodes whose numbers are all even or all odd belong to it, and it is its
                   // own mirror image
    uint32_t corner_count;
    int8_t corners[SNI_LATTICE_CORNERS][3]; // from the cell's first node
    uint32_t tetrahedron_count;
    // Each with det(b - a, c - a, d - a) > 0.
    uint8_t tetrahedra[SNI_LATTICE_TETRAHEDRA][4];
    // The edges ab, ac, ad, bc, bd, cd of each: the corner that owns it, and its direction there.
    struct {
        uint8_t corner, direction;
    } edges[SNI_LATTICE_TETRAHEDRA][6];
} sni_lattice;

void sni_lattice_init(sni_lattice *lattice, sni_lattice_kind kind);

// How the tetrahedron abcd is cut when the corners with a bit in the mask (a: 1, b: 2, ...) are
// inside: by a triangle, or by a quadrilateral that is two. Its corners, outward, are on edges 0 to
// 5 as above.
typedef struct sni_cut {
    uint8_t triangle_count;
    uint8_t edges[4];
} sni_cut;

void sni_lattice_cuts(sni_cut cuts[16]);

#endif
