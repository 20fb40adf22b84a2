// SPDX-License-Identifier: Apache-2.0
//
// A regular grid of numbers in bricks of 8 x 8 x 8 nodes. A brick whose nodes are all equal holds
// one number, so that memory goes with the surface of what is in the grid and not with its box.
//
// Node (i, j, k) stands at origin + spacing (i, j, k). The grid ends with its last whole brick;
// what lies beyond has the value `outside`.
#ifndef SINEW_GEOMETRY_BRICKS_H
#define SINEW_GEOMETRY_BRICKS_H

#include "base/memory.h"
#include "sinew/vector.h"

enum { SNI_BRICK = 8, SNI_BRICK_NODES = SNI_BRICK * SNI_BRICK * SNI_BRICK };

// Where a grid stands, and how many nodes it has at least.
typedef struct sni_grid {
    sn_vec3 origin;
    double spacing;
    uint32_t dimensions[3];
} sni_grid;

typedef struct sni_bricks {
    sn_context *context;
    sni_grid grid;
    uint32_t counts[3]; // bricks along x, y and z
    uint32_t brick_count;
    float outside;  // value beyond the grid
    float *uniform; // brick_count: the value of all nodes of a brick that is not dense
    float **dense;  // brick_count: 512 numbers, x fastest; NULL where a brick is uniform
    uint32_t chunk_count;
    float **chunks; // chunk_count: the memory behind `dense`, as it was allocated; NULL where none
} sni_bricks;

// Makes a grid whose bricks are uniform with the value 0, and room for the pointers of
// `chunk_count` pieces of memory (0: one for each brick). Fails with SN_INVALID for a spacing or
// origin that is not finite or a grid without nodes, SN_LIMIT for too many bricks.
sn_status sni_bricks_create(sn_context *context, const sni_grid *grid, uint32_t chunk_count,
                            sni_bricks **bricks, sn_error *error);
void sni_bricks_destroy(sni_bricks *bricks);

// Bytes of memory that the values take.
size_t sni_bricks_bytes(const sni_bricks *bricks);

static inline uint32_t sni_bricks_index(const sni_bricks *bricks, uint32_t x, uint32_t y,
                                        uint32_t z) {
    return (z * bricks->counts[1] + y) * bricks->counts[0] + x;
}

// Copies the nodes [begin, begin + size) of each axis, x fastest. They may lie beyond the grid.
void sni_bricks_read(const sni_bricks *bricks, const int32_t begin[3], const int32_t size[3],
                     double *values);

// The lowest and highest value of a brick; false when one is not finite.
bool sni_bricks_range(const sni_bricks *bricks, uint32_t brick, double *low, double *high);

#endif
