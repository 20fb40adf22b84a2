// SPDX-License-Identifier: Apache-2.0
//
// Sparse symmetric positive definite systems of 3 x 3 blocks, solved exactly: A = L L' with a fixed
// pattern, which is worked out once, and numbers that change. Rows are eliminated in the order of
// least neighbours, the lowest of equals first.
//
//     sni_blocks_create(context, row_count, pair_count, pairs, &blocks, error);   once
//     sni_blocks_factor(blocks, values, factor);                                  new numbers
//     sni_blocks_solve(blocks, factor, right);                                    any number of
//     times
#ifndef SINEW_SOLVER_BLOCKS_H
#define SINEW_SOLVER_BLOCKS_H

#include "base/memory.h"

typedef struct sni_blocks {
    sn_context *context;
    uint32_t row_count;
    uint32_t block_count; // of L
    uint32_t *order;      // row_count: which row is eliminated when
    uint32_t *starts;     // row_count + 1: blocks of L by columns, the diagonal one first
    uint32_t *rows;       // block_count: in elimination order, rising
    uint32_t *places;     // pair_count: block of L that a pair's values are added to
    bool *turned;         // pair_count: by its transpose
    uint32_t pair_count;
    uint64_t update_count; // products that are taken from later columns
    uint32_t *updates;     // update_count: the block that each changes
} sni_blocks;

// `pairs` (x 2) are the rows and columns of blocks that may be other than 0, each once in either
// order; the diagonal is there by itself. Fails only where memory runs out.
sn_status sni_blocks_create(sn_context *context, uint32_t row_count, uint32_t pair_count,
                            const uint32_t *pairs, sni_blocks **blocks, sn_error *error);
void sni_blocks_destroy(sni_blocks *blocks); // NULL is allowed
size_t sni_blocks_bytes(const sni_blocks *blocks);

// Factors the matrix with these blocks on the diagonal (row_count x 9, by rows) and at pairs
// (pair_count x 9: row pairs[2 i], column pairs[2 i + 1]). `factor` has block_count x 9 numbers. A
// pivot that is not positive is taken as infinite: its unknown becomes 0.
void sni_blocks_factor(const sni_blocks *blocks, const double *diagonal, const double *values,
                       double *factor);

// `right` (row_count x 3) becomes the solution; `scratch` has as many numbers.
void sni_blocks_solve(const sni_blocks *blocks, const double *factor, double *right,
                      double *scratch);

#endif
