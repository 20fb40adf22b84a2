// SPDX-License-Identifier: Apache-2.0
//
// Evening out numbers of columns along the skin, over a length that does not depend on how dense
// columns stand. Nodes are columns about that length apart. Each has the mean of the columns
// around it, by area, and each column that of the nodes around it:
//
//     node_k = sum_i A_i w_ik row_i / sum_i A_i w_ik,     row_i = sum_k w_ik node_k / sum_k w_ik
//     w_ik = (1 - (d_ik / R)^2)^2,    R = 1.8 length, d along edges
//
// Both together are about a Gaussian bell of 0.9 times that length.
#ifndef SINEW_SKIN_LAYERS_SPREAD_H
#define SINEW_SKIN_LAYERS_SPREAD_H

#include "base/arena.h"
#include "skin/layers/mesh.h"

typedef struct sni_layers_spread {
    sn_context *context;
    uint32_t column_count, node_count; // no nodes: nothing is evened out
    // Nodes of each column, and columns of each node, with weights that add up to 1.
    uint32_t *column_starts, *column_nodes;
    uint32_t *node_starts, *node_columns;
    float *column_weights, *node_weights;
} sni_layers_spread;

// Free with sni_layers_spread_deinit, also where it fails.
sn_status sni_layers_spread_init(const sni_layers_mesh *mesh, double length,
                                 sni_layers_spread *spread, sn_error *error);
void sni_layers_spread_deinit(sni_layers_spread *spread);
size_t sni_layers_spread_bytes(const sni_layers_spread *spread);

enum { SNI_LAYERS_SPREAD_WIDEST = 8 };

// Rows of `width` numbers, at most SNI_LAYERS_SPREAD_WIDEST; false when memory runs out.
bool sni_layers_spread_run(const sni_layers_spread *spread, sni_arena *arena, uint32_t width,
                           float *rows);

#endif
