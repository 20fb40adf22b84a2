// SPDX-License-Identifier: Apache-2.0
//
// The cubic lattice is Kuhn's split of a cube into six tetrahedra about the diagonal 0-7 (corner =
// bit0 x + bit1 y + bit2 z):
//
//     (0,1,3,7)+ (0,1,5,7)- (0,2,3,7)- (0,2,6,7)+ (0,4,5,7)+ (0,4,6,7)-
//
// The body-centred one has the even nodes as corners and the odd ones as centres of cubes with side
// 2; a tetrahedron stands on the line between two neighbouring centres and one side of the square
// that their cubes share. All its tetrahedra are alike, with angles of 60 and 90 degrees.
#include "geometry/lattice.h"

#include <string.h>

// The number of the edge between corners i and j of a tetrahedron.
static const uint8_t edge_numbers[4][4] = {{9, 0, 1, 2}, {0, 9, 3, 4}, {1, 3, 9, 5}, {2, 4, 5, 9}};
static const uint8_t edge_ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

static void set_corner(sni_lattice *lattice, uint32_t corner, int x, int y, int z) {
    lattice->corners[corner][0] = (int8_t)x;
    lattice->corners[corner][1] = (int8_t)y;
    lattice->corners[corner][2] = (int8_t)z;
}

static int determinant(const sni_lattice *lattice, const uint8_t t[4]) {
    int m[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            m[i][axis] = lattice->corners[t[i + 1]][axis] - lattice->corners[t[0]][axis];
        }
    }
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

static void add_tetrahedron(sni_lattice *lattice, uint8_t a, uint8_t b, uint8_t c, uint8_t d) {
    uint8_t *t = lattice->tetrahedra[lattice->tetrahedron_count++];
    t[0] = a;
    t[1] = b;
    t[2] = c;
    t[3] = d;
    if (determinant(lattice, t) < 0) {
        t[2] = d;
        t[3] = c;
    }
}

// The direction that leads from one corner to another, or -1.
static int find_direction(const sni_lattice *lattice, int from, int to) {
    for (int d = 0; d < SNI_LATTICE_DIRECTIONS; ++d) {
        bool same = true;
        for (int axis = 0; axis < 3; ++axis) {
            int way = lattice->corners[to][axis] - lattice->corners[from][axis];
            same = same && way == lattice->directions[d][axis];
        }
        if (same) {
            return d;
        }
    }
    return -1;
}

static void find_owners(sni_lattice *lattice) {
    for (uint32_t t = 0; t < lattice->tetrahedron_count; ++t) {
        for (int e = 0; e < 6; ++e) {
            uint8_t a = lattice->tetrahedra[t][edge_ends[e][0]];
            uint8_t b = lattice->tetrahedra[t][edge_ends[e][1]];
            int direction = find_direction(lattice, a, b);
            if (direction < 0) {
                direction = find_direction(lattice, b, a);
                a = b;
            }
            SN_ASSERT(direction >= 0);
            lattice->edges[t][e].corner = a;
            lattice->edges[t][e].direction = (uint8_t)direction;
        }
    }
}

static void init_cubic(sni_lattice *lattice) {
    static const int8_t directions[SNI_LATTICE_DIRECTIONS][3] = {
        {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
    static const uint8_t middles[6][2] = {{1, 3}, {1, 5}, {2, 3}, {2, 6}, {4, 5}, {4, 6}};
    memcpy(lattice->directions, directions, sizeof directions);
    lattice->step = 1;
    lattice->reach = 1;
    lattice->corner_count = 8;
    for (uint32_t corner = 0; corner < 8; ++corner) {
        set_corner(lattice, corner, corner & 1, corner >> 1 & 1, (int)corner >> 2);
    }
    for (int i = 0; i < 6; ++i) {
        add_tetrahedron(lattice, 0, middles[i][0], middles[i][1], 7);
    }
}

// Corners 0 to 7 of the cube as above, 8 its centre, 9 to 11 the next centres along x, y and z.
static void init_centred(sni_lattice *lattice) {
    static const int8_t directions[SNI_LATTICE_DIRECTIONS][3] = {
        {2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {-1, -1, 1}, {1, -1, 1}, {-1, 1, 1}, {1, 1, 1}};
    memcpy(lattice->directions, directions, sizeof directions);
    lattice->step = 2;
    lattice->reach = 3;
    lattice->centred = true;
    lattice->corner_count = 12;
    for (uint32_t corner = 0; corner < 8; ++corner) {
        set_corner(lattice, corner, 2 * (corner & 1), 2 * (corner >> 1 & 1),
                   2 * ((int)corner >> 2));
    }
    set_corner(lattice, 8, 1, 1, 1);
    for (int axis = 0; axis < 3; ++axis) {
        set_corner(lattice, 9 + (uint32_t)axis, 1, 1, 1);
        lattice->corners[9 + axis][axis] = 3;
        // The square between the two centres.
        uint8_t u = (uint8_t)(1 << (axis + 1) % 3), v = (uint8_t)(1 << (axis + 2) % 3);
        uint8_t first = (uint8_t)(1 << axis);
        const uint8_t square[4] = {first, (uint8_t)(first + u), (uint8_t)(first + u + v),
                                   (uint8_t)(first + v)};
        for (int i = 0; i < 4; ++i) {
            add_tetrahedron(lattice, 8, (uint8_t)(9 + axis), square[i], square[(i + 1) % 4]);
        }
    }
}

void sni_lattice_init(sni_lattice *lattice, sni_lattice_kind kind) {
    SN_ASSERT(kind == SNI_LATTICE_CUBIC || kind == SNI_LATTICE_CENTRED);
    memset(lattice, 0, sizeof *lattice);
    if (kind == SNI_LATTICE_CENTRED) {
        init_centred(lattice);
    } else {
        init_cubic(lattice);
    }
    find_owners(lattice);
}

// ---------------------------------------------------------------------------------------------
// Cuts

static void swap(uint8_t *a, uint8_t *b) {
    uint8_t c = *a;
    *a = *b;
    *b = c;
}

// Puts the inside corners first; whether that is an odd permutation.
static bool sort_corners(unsigned mask, uint8_t corners[4]) {
    bool odd = false;
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 3; ++i) {
            if (!(mask >> corners[i] & 1) && (mask >> corners[i + 1] & 1)) {
                swap(&corners[i], &corners[i + 1]);
                odd = !odd;
            }
        }
    }
    return odd;
}

static sni_cut make_cut(unsigned mask) {
    sni_cut cut = {0};
    uint8_t c[4] = {0, 1, 2, 3};
    int inside = __builtin_popcount(mask);
    if (sort_corners(mask, c)) {
        // Back to an even one, by two corners on the same side.
        swap(inside == 3 ? &c[0] : &c[2], inside == 3 ? &c[1] : &c[3]);
    }
    const uint8_t a = c[0], b = c[1], d = c[3];
    if (inside == 1) {
        cut = (sni_cut){1, {edge_numbers[a][b], edge_numbers[a][c[2]], edge_numbers[a][d]}};
    } else if (inside == 2) {
        cut = (sni_cut){
            2,
            {edge_numbers[a][c[2]], edge_numbers[a][d], edge_numbers[b][d], edge_numbers[b][c[2]]}};
    } else if (inside == 3) {
        cut = (sni_cut){1, {edge_numbers[d][a], edge_numbers[d][b], edge_numbers[d][c[2]]}};
    }
    return cut;
}

void sni_lattice_cuts(sni_cut cuts[16]) {
    for (unsigned mask = 0; mask < 16; ++mask) {
        cuts[mask] = make_cut(mask);
    }
}
