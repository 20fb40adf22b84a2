// SPDX-License-Identifier: Apache-2.0
//
// Eight points or directions at once: three wide vectors of floats (simd.h). Products and sums are
// rounded one by one, since fusing them would be slow where processors cannot.
#ifndef SINEW_BASE_SIMD_VEC3_H
#define SINEW_BASE_SIMD_VEC3_H

#include "base/simd.h"

typedef struct sni_f32xw3 {
    sni_f32xw x, y, z;
} sni_f32xw3;

SNI_INLINE sni_f32xw3 sni_f32xw3_set1(const float *a) {
    return (sni_f32xw3){sni_f32xw_set1(a[0]), sni_f32xw_set1(a[1]), sni_f32xw_set1(a[2])};
}

// Eight numbers x, then y, then z.
SNI_INLINE sni_f32xw3 sni_f32xw3_load(const float *a) {
    return (sni_f32xw3){sni_f32xw_load(a), sni_f32xw_load(a + SNI_WIDTH),
                        sni_f32xw_load(a + 2 * SNI_WIDTH)};
}

SNI_INLINE void sni_f32xw3_store(float *to, sni_f32xw3 a) {
    sni_f32xw_store(to, a.x);
    sni_f32xw_store(to + SNI_WIDTH, a.y);
    sni_f32xw_store(to + 2 * SNI_WIDTH, a.z);
}

// a + b * c, rounded twice.
SNI_INLINE sni_f32xw sni_f32xw_plus(sni_f32xw a, sni_f32xw b, sni_f32xw c) {
    return sni_f32xw_add(a, sni_f32xw_mul(b, c));
}

// a - b * c, rounded twice.
SNI_INLINE sni_f32xw sni_f32xw_minus(sni_f32xw a, sni_f32xw b, sni_f32xw c) {
    return sni_f32xw_sub(a, sni_f32xw_mul(b, c));
}

SNI_INLINE sni_f32xw3 sni_f32xw3_add(sni_f32xw3 a, sni_f32xw3 b) {
    return (sni_f32xw3){sni_f32xw_add(a.x, b.x), sni_f32xw_add(a.y, b.y), sni_f32xw_add(a.z, b.z)};
}

SNI_INLINE sni_f32xw3 sni_f32xw3_sub(sni_f32xw3 a, sni_f32xw3 b) {
    return (sni_f32xw3){sni_f32xw_sub(a.x, b.x), sni_f32xw_sub(a.y, b.y), sni_f32xw_sub(a.z, b.z)};
}

SNI_INLINE sni_f32xw3 sni_f32xw3_scale(sni_f32xw3 a, sni_f32xw s) {
    return (sni_f32xw3){sni_f32xw_mul(a.x, s), sni_f32xw_mul(a.y, s), sni_f32xw_mul(a.z, s)};
}

// a + s b
SNI_INLINE sni_f32xw3 sni_f32xw3_add_scaled(sni_f32xw3 a, sni_f32xw s, sni_f32xw3 b) {
    return (sni_f32xw3){sni_f32xw_plus(a.x, s, b.x), sni_f32xw_plus(a.y, s, b.y),
                        sni_f32xw_plus(a.z, s, b.z)};
}

// a - s b
SNI_INLINE sni_f32xw3 sni_f32xw3_sub_scaled(sni_f32xw3 a, sni_f32xw s, sni_f32xw3 b) {
    return (sni_f32xw3){sni_f32xw_minus(a.x, s, b.x), sni_f32xw_minus(a.y, s, b.y),
                        sni_f32xw_minus(a.z, s, b.z)};
}

SNI_INLINE sni_f32xw sni_f32xw3_dot(sni_f32xw3 a, sni_f32xw3 b) {
    return sni_f32xw_plus(sni_f32xw_plus(sni_f32xw_mul(a.x, b.x), a.y, b.y), a.z, b.z);
}

SNI_INLINE sni_f32xw sni_f32xw3_length(sni_f32xw3 a) {
    return sni_f32xw_sqrt(sni_f32xw3_dot(a, a));
}

// b where the sign bit of `sign` is set, else a.
SNI_INLINE sni_f32xw3 sni_f32xw3_choose(sni_f32xw sign, sni_f32xw3 a, sni_f32xw3 b) {
    return (sni_f32xw3){sni_f32xw_choose(sign, a.x, b.x), sni_f32xw_choose(sign, a.y, b.y),
                        sni_f32xw_choose(sign, a.z, b.z)};
}

#endif
