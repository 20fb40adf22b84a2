// SPDX-License-Identifier: Apache-2.0
//
// Eight points at once, for the kernels of flesh. Sums of products are not fused: processors
// without fused multiply-adds would need some twenty instructions for each.
#ifndef SINEW_SOLVER_FLESH_WIDE_H
#define SINEW_SOLVER_FLESH_WIDE_H

#include "base/simd.h"

typedef struct sni_wide_point {
    sni_f32xw x, y, z;
} sni_wide_point;

// a + b c
SNI_INLINE sni_f32xw sni_wide_mad(sni_f32xw a, sni_f32xw b, sni_f32xw c) {
    return sni_f32xw_add(a, sni_f32xw_mul(b, c));
}

SNI_INLINE sni_f32xw sni_wide_clamp(sni_f32xw a, float low, float high) {
    return sni_f32xw_min(sni_f32xw_max(a, sni_f32xw_set1(low)), sni_f32xw_set1(high));
}

SNI_INLINE sni_wide_point sni_point_add(sni_wide_point a, sni_wide_point b) {
    return (sni_wide_point){sni_f32xw_add(a.x, b.x), sni_f32xw_add(a.y, b.y),
                            sni_f32xw_add(a.z, b.z)};
}

SNI_INLINE sni_wide_point sni_point_sub(sni_wide_point a, sni_wide_point b) {
    return (sni_wide_point){sni_f32xw_sub(a.x, b.x), sni_f32xw_sub(a.y, b.y),
                            sni_f32xw_sub(a.z, b.z)};
}

SNI_INLINE sni_wide_point sni_point_scale(sni_wide_point a, sni_f32xw s) {
    return (sni_wide_point){sni_f32xw_mul(a.x, s), sni_f32xw_mul(a.y, s), sni_f32xw_mul(a.z, s)};
}

// a + s b
SNI_INLINE sni_wide_point sni_point_add_scaled(sni_wide_point a, sni_f32xw s, sni_wide_point b) {
    return (sni_wide_point){sni_wide_mad(a.x, s, b.x), sni_wide_mad(a.y, s, b.y),
                            sni_wide_mad(a.z, s, b.z)};
}

SNI_INLINE sni_wide_point sni_point_negate(sni_wide_point a) {
    sni_f32xw zero = sni_f32xw_set1(0);
    return (sni_wide_point){sni_f32xw_sub(zero, a.x), sni_f32xw_sub(zero, a.y),
                            sni_f32xw_sub(zero, a.z)};
}

SNI_INLINE sni_f32xw sni_point_dot(sni_wide_point a, sni_wide_point b) {
    return sni_wide_mad(sni_wide_mad(sni_f32xw_mul(a.x, b.x), a.y, b.y), a.z, b.z);
}

SNI_INLINE sni_wide_point sni_point_cross(sni_wide_point a, sni_wide_point b) {
    return (sni_wide_point){sni_f32xw_sub(sni_f32xw_mul(a.y, b.z), sni_f32xw_mul(a.z, b.y)),
                            sni_f32xw_sub(sni_f32xw_mul(a.z, b.x), sni_f32xw_mul(a.x, b.z)),
                            sni_f32xw_sub(sni_f32xw_mul(a.x, b.y), sni_f32xw_mul(a.y, b.x))};
}

// Eight rows of four that follow each other.
SNI_INLINE sni_f32xw4 sni_wide_rows(const float *rows) {
    return sni_f32xw_transpose4(
        (sni_rows){rows, rows + 4, rows + 8, rows + 12, rows + 16, rows + 20, rows + 24, rows + 28},
        0);
}

// Points of eight columns; `at` are four times their numbers.
SNI_INLINE sni_wide_point sni_wide_points_at(const float *points, const uint32_t *at) {
    sni_f32xw4 rows = sni_f32xw_transpose4(
        (sni_rows){points + at[0], points + at[1], points + at[2], points + at[3], points + at[4],
                   points + at[5], points + at[6], points + at[7]},
        0);
    return (sni_wide_point){rows.x, rows.y, rows.z};
}

SNI_INLINE void sni_wide_store_points(float *rows, sni_wide_point p, sni_f32xw w) {
    sni_f32xw_store_rows4(rows, (sni_f32xw4){p.x, p.y, p.z, w});
}

#endif
