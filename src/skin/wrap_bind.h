// SPDX-License-Identifier: Apache-2.0
//
// The registration of a wrap (docs/wrap.md): how much each control element of the driver moves each
// point. Singh and Kokkevis, "Skinning Characters using Surface-Oriented Free-Form Deformations",
// 2000, section 3.2.
#ifndef SINEW_SKIN_WRAP_BIND_H
#define SINEW_SKIN_WRAP_BIND_H

#include "skin/sparse_blend.h"
#include "skin/wrap_surface.h"

typedef struct sni_wrap_settings {
    double local;      // exponent of equation 1
    double unit;       // length that distances are measured in, above 0
    double reach;      // see wrap_reach.h; 0: every element counts
    double cut;        // share of a point's weight that may be lost
    uint32_t elements; // most elements of a point; 0: as many as `cut` asks for
    bool extended;     // section 4.2: rows are of the driver's vertices, else of its triangles
} sni_wrap_settings;

// What the cut kept.
typedef struct sni_wrap_report {
    uint64_t elements;   // triangles, over all points
    uint32_t widest;     // triangles of the point that has most
    double largest_loss; // largest share of a point's weight that is lost, or a bound on it
    uint32_t limited;    // points that lost more than `cut` because of `elements`
} sni_wrap_report;

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

// Registers `count` points (#P x 3, finite). The row of a point depends on the driver, the settings
// and the point alone, not on the other points nor on the number of threads. Reports progress and
// can be cancelled.
sn_status sni_wrap_register(const sni_wrap_surface *surface, const sni_wrap_settings *settings,
                            uint32_t count, const float *points, const sn_progress *progress,
                            sni_wrap_rows *rows, sni_wrap_report *report, sn_error *error);
void sni_wrap_rows_deinit(sn_context *context, sni_wrap_rows *rows);

// Equation 1 with distances in units: 1 / (1 + (d / unit)^local).
double sni_wrap_influence(const sni_wrap_settings *settings, double distance);

#endif
