// SPDX-License-Identifier: Apache-2.0
//
// Muscles in the field of a limb: `x` is the limb's field, `y` that of its muscles. The surface is
// their smooth union, but inside of a muscle the field follows the limb's, so that no gradient
// vanishes on the axis of a muscle and skin finds its way out from everywhere. From `close` on it
// is the limb's alone.
//
//     A(x) = 1/2 + (close - 1/2) x / close,   y' = smin(y, A, A - 1/2),   g = blend(x, y')
//
// F. Canezin et al., "Adequate Inner Bound for Geometric Modeling with Compact Field Functions",
// 2013, bound the inside of details in the same way; their operator is only tabulated, this one is
// our own. What it keeps of theirs: without a muscle the limb's field is untouched, y = 1/2 stays
// on the surface of the union, and g rises with x wherever y is.
#ifndef SINEW_FIELD_DETAIL_H
#define SINEW_FIELD_DETAIL_H

#include "field/compose.h"

// A minimum without a crease, and its slopes:
//
//     smin(a, b, s) = min(a, b) - s h^2 / 4,   h = max(s - |a - b|, 0) / s
typedef struct sni_smooth_min {
    double value;
    double by_a, by_b, by_s;
} sni_smooth_min;

sni_smooth_min sni_smooth_minimum(double a, double b, double s);

// The detail blend. t, 0 to 1: how wide it is, as of other blends (field/compose.h).
sni_composed sni_detail_blend(double close, double t, double x, double y);

// How muscles are put onto limbs: as wide as can be, since a narrow blend shows a muscle's outline
// as a lump with a rim.
#define SNI_DETAIL_CLOSE 0.75
#define SNI_DETAIL_WIDTH 0.0

#endif
