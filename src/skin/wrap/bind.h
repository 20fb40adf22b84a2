// SPDX-License-Identifier: Apache-2.0
//
// The registration of a wrap (docs/wrap.md): how much each control element of the driver moves each
// point. Singh and Kokkevis, "Skinning Characters using Surface-Oriented Free-Form Deformations",
// 2000, section 3.2.
#ifndef SINEW_SKIN_WRAP_BIND_H
#define SINEW_SKIN_WRAP_BIND_H

#include "skin/sparse_blend.h"
#include "skin/wrap/cut.h"

// The entries of a block of points.
typedef struct sni_wrap_block {
    uint32_t count, element_capacity, value_capacity;
    uint32_t *elements;
    float *values;
} sni_wrap_block;

// Rows of points, not yet divided by their sums.
typedef struct sni_wrap_rows {
    sni_blend_row *rows; // one for each point
    uint32_t block_count;
    sni_wrap_block *blocks;
} sni_wrap_rows;

// Registers `count` points (#P x 3, finite). `edits` has an entry for each of them, or is NULL. The
// row of a point depends on the driver, the settings and the point alone, not on the other points
// nor on the number of threads. Reports progress and can be cancelled.
sn_status sni_wrap_register(const sni_wrap_surface *surface, const sni_wrap_settings *settings,
                            const sni_wrap_edits *edits, uint32_t count, const float *points,
                            const sn_progress *progress, sni_wrap_rows *rows,
                            sni_wrap_report *report, sn_error *error);
void sni_wrap_rows_deinit(sn_context *context, sni_wrap_rows *rows);

#endif
