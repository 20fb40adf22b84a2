// SPDX-License-Identifier: Apache-2.0
//
// Rows of elliptical slices, and where a point is among them: what lies on or around several strips
// of a muscle follows all of them, each by its share. A slice has the middle C and the half axes W
// and T, all of which move in a pose; M is the unit vector along T x W. Between a slice and the
// next
//
//     p = (1 - u) (C0 + a W0 + b T0 + c M0) + u (C1 + a W1 + b T1 + c M1)
//
// with c = 0, which is the trilinear cell of the paper (skin/anchors.h) for rings of four. Beyond
// the ends u is 0 or 1 and c the distance from the end: what is there goes with the end slice.
#ifndef SINEW_KIND_SLICES_H
#define SINEW_KIND_SLICES_H

#include "base/memory.h"
#include "sinew/vector.h"

typedef struct sni_slice {
    sn_vec3 center, wide, thick; // half axes
} sni_slice;

// A row of slices among all, two or more.
typedef struct sni_slice_row {
    uint32_t first, count;
} sni_slice_row;

typedef struct sni_slice_field sni_slice_field;

// Where a point is in a row, and how much of it follows that row.
typedef struct sni_slice_tie {
    uint32_t row;
    uint32_t slice;     // the one before it, among all; never the last of its row
    double along;       // u, from 0 to 1
    double wide, thick; // a and b
    double off;         // c, metres
    double weight;      // of all ties of a point: 1
} sni_slice_tie;

enum { SNI_MOST_SLICE_TIES = 4 };

// A slice from a ring of four points: the outermost (C + T), C + W, C - T, C - W.
sni_slice sni_slice_of_ring(const sn_vec3 ring[4]);

// The unit vector along T x W; without an area 0.
sn_vec3 sni_slice_normal(const sni_slice *slice);

// Copies the slices. Fails for want of memory only.
sn_status sni_slice_field_create(sn_context *context, uint32_t row_count, const sni_slice_row *rows,
                                 const sni_slice *slices, sni_slice_field **field, sn_error *error);
void sni_slice_field_destroy(sni_slice_field *field);
uint32_t sni_slice_field_row_count(const sni_slice_field *field);

// The ties of a point, one for a row, by falling weight; returns how many, 1 to
// SNI_MOST_SLICE_TIES. Weights are continuous in the point but where a row folds. `distance` (or
// NULL) is how far outside the nearest row it lies, about, metres.
uint32_t sni_slice_field_find(const sni_slice_field *field, sn_vec3 point, sni_slice_tie *ties,
                              double *distance);

#endif
