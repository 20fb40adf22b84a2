// SPDX-License-Identifier: Apache-2.0
//
// A blend of two fields (field/compose.h) as a table, for those who ask for it millions of times.
// With the larger value u, the opening k = k(u) and its gap d = u - k, a blend is
//
//     C = u + d g(u, v),   v = (smaller value - k) / d
//
// where 0 < v <= 1, and the union elsewhere. g is smooth in u and v, also where the gap closes, and
// is interpolated linearly between nodes. Whoever needs C better than to some ten-thousandths makes
// a step of Newton's from there (field/lanes.h).
#ifndef SINEW_FIELD_BLEND_TABLE_H
#define SINEW_FIELD_BLEND_TABLE_H

#include "base/memory.h"
#include "field/compose.h"

// Cells along u and v.
enum { SNI_BLEND_CELLS_U = 128, SNI_BLEND_CELLS_V = 64 };

typedef struct sni_blend_table {
    // SNI_BLEND_CELLS_V x SNI_BLEND_CELLS_U x 4, u fastest: g at the four corners of a cell, u
    // fastest.
    float *cells;
} sni_blend_table;

// Of the opening `sinew`. Fails for want of memory. Free with sni_blend_table_free.
sn_status sni_blend_table_create(sn_context *context, double close, double t,
                                 sni_blend_table *table, sn_error *error);
void sni_blend_table_free(sn_context *context, sni_blend_table *table);

#endif
