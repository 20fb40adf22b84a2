// SPDX-License-Identifier: Apache-2.0
#include "field/blend_table.h"

#include "base/context.h"

// Gaps below this are closed.
static const double least_gap = 1e-7;

// g at a node. Where the gap closes, k' = 1, and with x - k = d, y - k = v d and C = u + d g
//
//     (1 - g)^2 + (v - g)^2 = 1.
static double node_at(sni_opening opening, double t, int i, int j) {
    // At u = 0 as a little above: gaps there are in proportion to the values.
    double u = fmax(i, 1e-3) / SNI_BLEND_CELLS_U, v = (double)j / SNI_BLEND_CELLS_V;
    double gap = u - sni_opening_at(opening, t, u, NULL);
    if (gap > least_gap) {
        return (sni_blend(opening, t, u, u - gap + v * gap).value - u) / gap;
    }
    return (1 + v - sqrt((1 + v) * (1 + v) - 2 * v * v)) / 2;
}

// A node is a corner of up to four cells.
static void set_node(float *cells, int i, int j, float g) {
    for (int corner = 0; corner < 4; ++corner) {
        int a = i - (corner & 1), b = j - (corner >> 1);
        if (a >= 0 && a < SNI_BLEND_CELLS_U && b >= 0 && b < SNI_BLEND_CELLS_V) {
            cells[4 * ((size_t)b * SNI_BLEND_CELLS_U + (size_t)a) + (size_t)corner] = g;
        }
    }
}

sn_status sni_blend_table_create(sn_context *context, double close, double t,
                                 sni_blend_table *table, sn_error *error) {
    sn_status status = SN_OK;
    const sni_opening opening = {SNI_OPENING_SINEW, close};
    *table = (sni_blend_table){0};
    SNI_NEW(context, table->cells, 4 * (size_t)SNI_BLEND_CELLS_U * SNI_BLEND_CELLS_V);
    for (int j = 0; j <= SNI_BLEND_CELLS_V; ++j) {
        for (int i = 0; i <= SNI_BLEND_CELLS_U; ++i) {
            set_node(table->cells, i, j, (float)node_at(opening, t, i, j));
        }
    }
cleanup:
    return status;
}

void sni_blend_table_free(sn_context *context, sni_blend_table *table) {
    sni_free(context, table->cells);
    *table = (sni_blend_table){0};
}
