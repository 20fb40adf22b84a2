// SPDX-License-Identifier: Apache-2.0
//
// The trilinear maps of four cells at once: lane by lane the bits of sni_cell_point and
// sni_cell_jacobian.
#ifndef SINEW_GEOMETRY_TRILINEAR_WIDE_H
#define SINEW_GEOMETRY_TRILINEAR_WIDE_H

#include "base/simd_f64.h"
#include "geometry/trilinear.h"

typedef struct sni_wide_vec3 {
    sni_f64x4 x, y, z;
} sni_wide_vec3;

SNI_INLINE sni_wide_vec3 sni_wide_set1(sn_vec3 v) {
    return (sni_wide_vec3){sni_f64x4_set1(v.x), sni_f64x4_set1(v.y), sni_f64x4_set1(v.z)};
}

SNI_INLINE sni_wide_vec3 sni_wide_sub(sni_wide_vec3 a, sni_wide_vec3 b) {
    return (sni_wide_vec3){sni_f64x4_sub(a.x, b.x), sni_f64x4_sub(a.y, b.y),
                           sni_f64x4_sub(a.z, b.z)};
}

// a + s * b, or a - s * b.
SNI_INLINE sni_wide_vec3 sni_wide_add_scaled(sni_wide_vec3 a, bool plus, sni_f64x4 s,
                                             sni_wide_vec3 b) {
    sni_wide_vec3 w = {sni_f64x4_mul(s, b.x), sni_f64x4_mul(s, b.y), sni_f64x4_mul(s, b.z)};
    return plus ? (sni_wide_vec3){sni_f64x4_add(a.x, w.x), sni_f64x4_add(a.y, w.y),
                                  sni_f64x4_add(a.z, w.z)}
                : sni_wide_sub(a, w);
}

SNI_INLINE sni_f64x4 sni_wide_dot(sni_wide_vec3 a, sni_wide_vec3 b) {
    return sni_f64x4_add(sni_f64x4_add(sni_f64x4_mul(a.x, b.x), sni_f64x4_mul(a.y, b.y)),
                         sni_f64x4_mul(a.z, b.z));
}

SNI_INLINE sni_wide_vec3 sni_wide_cross(sni_wide_vec3 a, sni_wide_vec3 b) {
    return (sni_wide_vec3){sni_f64x4_sub(sni_f64x4_mul(a.y, b.z), sni_f64x4_mul(a.z, b.y)),
                           sni_f64x4_sub(sni_f64x4_mul(a.z, b.x), sni_f64x4_mul(a.x, b.z)),
                           sni_f64x4_sub(sni_f64x4_mul(a.x, b.y), sni_f64x4_mul(a.y, b.x))};
}

typedef struct sni_wide_cell {
    sni_wide_vec3 corners[8];
} sni_wide_cell;

// One cell in all lanes.
SNI_INLINE sni_wide_cell sni_wide_cell_of(const sni_cell *cell) {
    sni_wide_cell wide;
    for (int k = 0; k < 8; ++k) {
        wide.corners[k] = sni_wide_set1(cell->corners[k]);
    }
    return wide;
}

// 1 - q and q of each parameter.
typedef struct sni_wide_factors {
    sni_f64x4 s[2], t[2], u[2];
} sni_wide_factors;

SNI_INLINE sni_wide_factors sni_wide_factors_of(const sni_f64x4 q[3]) {
    sni_f64x4 one = sni_f64x4_set1(1);
    return (sni_wide_factors){.s = {sni_f64x4_sub(one, q[0]), q[0]},
                              .t = {sni_f64x4_sub(one, q[1]), q[1]},
                              .u = {sni_f64x4_sub(one, q[2]), q[2]}};
}

SNI_INLINE sni_wide_vec3 sni_wide_point(const sni_wide_cell *cell, const sni_f64x4 q[3]) {
    sni_wide_factors f = sni_wide_factors_of(q);
    sni_wide_vec3 sum = sni_wide_set1(sn_vec3_make(0, 0, 0));
    for (int k = 0; k < 8; ++k) {
        sni_f64x4 weight = sni_f64x4_mul(sni_f64x4_mul(f.s[k & 1], f.t[k >> 1 & 1]), f.u[k >> 2]);
        sum = sni_wide_add_scaled(sum, true, weight, cell->corners[k]);
    }
    return sum;
}

// What corner k adds to the derivatives.
SNI_INLINE void sni_wide_add_corner(const sni_wide_cell *cell, const sni_wide_factors *f, int k,
                                    sni_wide_vec3 columns[3]) {
    sni_f64x4 s = f->s[k & 1], t = f->t[k >> 1 & 1], u = f->u[k >> 2];
    sni_wide_vec3 p = cell->corners[k];
    columns[0] = sni_wide_add_scaled(columns[0], k & 1, sni_f64x4_mul(t, u), p);
    columns[1] = sni_wide_add_scaled(columns[1], k >> 1 & 1, sni_f64x4_mul(s, u), p);
    columns[2] = sni_wide_add_scaled(columns[2], k >> 2, sni_f64x4_mul(s, t), p);
}

// One after the other in place of a loop: compilers do not unroll so long a one.
SNI_INLINE void sni_wide_jacobian(const sni_wide_cell *cell, const sni_f64x4 q[3],
                                  sni_wide_vec3 columns[3]) {
    sni_wide_factors f = sni_wide_factors_of(q);
    columns[0] = columns[1] = columns[2] = sni_wide_set1(sn_vec3_make(0, 0, 0));
    sni_wide_add_corner(cell, &f, 0, columns);
    sni_wide_add_corner(cell, &f, 1, columns);
    sni_wide_add_corner(cell, &f, 2, columns);
    sni_wide_add_corner(cell, &f, 3, columns);
    sni_wide_add_corner(cell, &f, 4, columns);
    sni_wide_add_corner(cell, &f, 5, columns);
    sni_wide_add_corner(cell, &f, 6, columns);
    sni_wide_add_corner(cell, &f, 7, columns);
}

// The determinants of the derivatives.
SNI_INLINE sni_f64x4 sni_wide_volume(const sni_wide_cell *cell, const sni_f64x4 q[3]) {
    sni_wide_vec3 columns[3];
    sni_wide_jacobian(cell, q, columns);
    return sni_wide_dot(columns[0], sni_wide_cross(columns[1], columns[2]));
}

#endif
