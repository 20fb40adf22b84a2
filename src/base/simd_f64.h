// SPDX-License-Identifier: Apache-2.0
//
// Four doubles at a time; the plain loops give the same bits.
#ifndef SINEW_BASE_SIMD_F64_H
#define SINEW_BASE_SIMD_F64_H

#include "base/simd.h"

#define SNI_F64_WIDTH 4

#if defined(SNI_AVX2)
typedef struct sni_f64x4 {
    __m256d v;
} sni_f64x4;

SNI_INLINE sni_f64x4 sni_f64x4_set1(double a) {
    return (sni_f64x4){_mm256_set1_pd(a)};
}

SNI_INLINE sni_f64x4 sni_f64x4_load(const double *a) {
    return (sni_f64x4){_mm256_loadu_pd(a)};
}

SNI_INLINE void sni_f64x4_store(double *to, sni_f64x4 a) {
    _mm256_storeu_pd(to, a.v);
}

SNI_INLINE sni_f64x4 sni_f64x4_add(sni_f64x4 a, sni_f64x4 b) {
    return (sni_f64x4){_mm256_add_pd(a.v, b.v)};
}

SNI_INLINE sni_f64x4 sni_f64x4_sub(sni_f64x4 a, sni_f64x4 b) {
    return (sni_f64x4){_mm256_sub_pd(a.v, b.v)};
}

SNI_INLINE sni_f64x4 sni_f64x4_mul(sni_f64x4 a, sni_f64x4 b) {
    return (sni_f64x4){_mm256_mul_pd(a.v, b.v)};
}

SNI_INLINE sni_f64x4 sni_f64x4_div(sni_f64x4 a, sni_f64x4 b) {
    return (sni_f64x4){_mm256_div_pd(a.v, b.v)};
}

SNI_INLINE sni_f64x4 sni_f64x4_sqrt(sni_f64x4 a) {
    return (sni_f64x4){_mm256_sqrt_pd(a.v)};
}

// The smaller and the larger; b where a is not a number.
SNI_INLINE sni_f64x4 sni_f64x4_min(sni_f64x4 a, sni_f64x4 b) {
    return (sni_f64x4){_mm256_min_pd(a.v, b.v)};
}

SNI_INLINE sni_f64x4 sni_f64x4_max(sni_f64x4 a, sni_f64x4 b) {
    return (sni_f64x4){_mm256_max_pd(a.v, b.v)};
}

// The sign bit is set where a < b.
SNI_INLINE sni_f64x4 sni_f64x4_less(sni_f64x4 a, sni_f64x4 b) {
    return (sni_f64x4){_mm256_cmp_pd(a.v, b.v, _CMP_LT_OQ)};
}

// b where the sign bit of `sign` is set, else a.
SNI_INLINE sni_f64x4 sni_f64x4_choose(sni_f64x4 sign, sni_f64x4 a, sni_f64x4 b) {
    return (sni_f64x4){_mm256_blendv_pd(a.v, b.v, sign.v)};
}

// The sign bits, lane 0 lowest.
SNI_INLINE uint32_t sni_f64x4_signs(sni_f64x4 a) {
    return (uint32_t)_mm256_movemask_pd(a.v);
}
#else
typedef struct sni_f64x4 {
    double v[SNI_F64_WIDTH];
} sni_f64x4;

SNI_INLINE sni_f64x4 sni_f64x4_set1(double a) {
    return (sni_f64x4){{a, a, a, a}};
}

SNI_INLINE sni_f64x4 sni_f64x4_load(const double *a) {
    return (sni_f64x4){{a[0], a[1], a[2], a[3]}};
}

SNI_INLINE void sni_f64x4_store(double *to, sni_f64x4 a) {
    for (int i = 0; i < SNI_F64_WIDTH; ++i) {
        to[i] = a.v[i];
    }
}

SNI_INLINE sni_f64x4 sni_f64x4_add(sni_f64x4 a, sni_f64x4 b) {
    for (int i = 0; i < SNI_F64_WIDTH; ++i) {
        a.v[i] += b.v[i];
    }
    return a;
}

SNI_INLINE sni_f64x4 sni_f64x4_sub(sni_f64x4 a, sni_f64x4 b) {
    for (int i = 0; i < SNI_F64_WIDTH; ++i) {
        a.v[i] -= b.v[i];
    }
    return a;
}

SNI_INLINE sni_f64x4 sni_f64x4_mul(sni_f64x4 a, sni_f64x4 b) {
    for (int i = 0; i < SNI_F64_WIDTH; ++i) {
        a.v[i] *= b.v[i];
    }
    return a;
}

SNI_INLINE sni_f64x4 sni_f64x4_div(sni_f64x4 a, sni_f64x4 b) {
    for (int i = 0; i < SNI_F64_WIDTH; ++i) {
        a.v[i] /= b.v[i];
    }
    return a;
}

SNI_INLINE sni_f64x4 sni_f64x4_sqrt(sni_f64x4 a) {
    for (int i = 0; i < SNI_F64_WIDTH; ++i) {
        a.v[i] = __builtin_sqrt(a.v[i]);
    }
    return a;
}

SNI_INLINE sni_f64x4 sni_f64x4_min(sni_f64x4 a, sni_f64x4 b) {
    for (int i = 0; i < SNI_F64_WIDTH; ++i) {
        a.v[i] = a.v[i] < b.v[i] ? a.v[i] : b.v[i];
    }
    return a;
}

SNI_INLINE sni_f64x4 sni_f64x4_max(sni_f64x4 a, sni_f64x4 b) {
    for (int i = 0; i < SNI_F64_WIDTH; ++i) {
        a.v[i] = a.v[i] > b.v[i] ? a.v[i] : b.v[i];
    }
    return a;
}

SNI_INLINE sni_f64x4 sni_f64x4_less(sni_f64x4 a, sni_f64x4 b) {
    for (int i = 0; i < SNI_F64_WIDTH; ++i) {
        a.v[i] = a.v[i] < b.v[i] ? -1 : 1;
    }
    return a;
}

SNI_INLINE sni_f64x4 sni_f64x4_choose(sni_f64x4 sign, sni_f64x4 a, sni_f64x4 b) {
    for (int i = 0; i < SNI_F64_WIDTH; ++i) {
        a.v[i] = __builtin_signbit(sign.v[i]) ? b.v[i] : a.v[i];
    }
    return a;
}

SNI_INLINE uint32_t sni_f64x4_signs(sni_f64x4 a) {
    uint32_t signs = 0;
    for (int i = 0; i < SNI_F64_WIDTH; ++i) {
        signs |= (uint32_t)(__builtin_signbit(a.v[i]) != 0) << i;
    }
    return signs;
}
#endif

#endif
