// SPDX-License-Identifier: Apache-2.0
//
// Four floats at once, for kernels that have a place or a movement and one number beside it: every
// x86-64 processor has them (SSE2), others take a struct of four floats. Each word rounds each lane
// as IEEE 754 says for one operation, so that both give the bits of plain C.
#ifndef SINEW_BASE_SIMD_F32X4_H
#define SINEW_BASE_SIMD_F32X4_H

#include "base/simd.h"

#if defined(__SSE2__) && !defined(SNI_SCALAR)

#include <emmintrin.h>

typedef struct sni_f32x4 {
    __m128 v;
} sni_f32x4;

SNI_INLINE sni_f32x4 sni_f32x4_set1(float a) {
    return (sni_f32x4){_mm_set1_ps(a)};
}

SNI_INLINE sni_f32x4 sni_f32x4_load(const float *values) {
    return (sni_f32x4){_mm_loadu_ps(values)};
}

SNI_INLINE void sni_f32x4_store(float *values, sni_f32x4 a) {
    _mm_storeu_ps(values, a.v);
}

SNI_INLINE sni_f32x4 sni_f32x4_add(sni_f32x4 a, sni_f32x4 b) {
    return (sni_f32x4){_mm_add_ps(a.v, b.v)};
}

SNI_INLINE sni_f32x4 sni_f32x4_mul(sni_f32x4 a, sni_f32x4 b) {
    return (sni_f32x4){_mm_mul_ps(a.v, b.v)};
}

// The smaller; b where a is not a number.
SNI_INLINE sni_f32x4 sni_f32x4_min(sni_f32x4 a, sni_f32x4 b) {
    return (sni_f32x4){_mm_min_ps(a.v, b.v)};
}

#else

typedef struct sni_f32x4 {
    float v[4];
} sni_f32x4;

SNI_INLINE sni_f32x4 sni_f32x4_set1(float a) {
    return (sni_f32x4){{a, a, a, a}};
}

SNI_INLINE sni_f32x4 sni_f32x4_load(const float *values) {
    sni_f32x4 a;
    memcpy(a.v, values, sizeof a.v);
    return a;
}

SNI_INLINE void sni_f32x4_store(float *values, sni_f32x4 a) {
    memcpy(values, a.v, sizeof a.v);
}

SNI_INLINE sni_f32x4 sni_f32x4_add(sni_f32x4 a, sni_f32x4 b) {
    for (int i = 0; i < 4; ++i) {
        a.v[i] += b.v[i];
    }
    return a;
}

SNI_INLINE sni_f32x4 sni_f32x4_mul(sni_f32x4 a, sni_f32x4 b) {
    for (int i = 0; i < 4; ++i) {
        a.v[i] *= b.v[i];
    }
    return a;
}

SNI_INLINE sni_f32x4 sni_f32x4_min(sni_f32x4 a, sni_f32x4 b) {
    for (int i = 0; i < 4; ++i) {
        a.v[i] = a.v[i] < b.v[i] ? a.v[i] : b.v[i];
    }
    return a;
}

#endif

// a + s b, with the product rounded before the sum.
SNI_INLINE sni_f32x4 sni_f32x4_add_scaled(sni_f32x4 a, float s, sni_f32x4 b) {
    return sni_f32x4_add(a, sni_f32x4_mul(sni_f32x4_set1(s), b));
}

#endif
