// SPDX-License-Identifier: Apache-2.0
//
// The wide vocabulary of the kernels: eight floats at once, with AVX2 or, where the processor or
// the build (SNI_SCALAR) has none, as a struct of eight floats. Every word rounds each lane as IEEE
// 754 says for one operation and nothing is fused, so that both give the same bits as plain C.
#ifndef SINEW_BASE_SIMD_H
#define SINEW_BASE_SIMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SNI_WIDTH 8

// Kernels are written once with flags as arguments and called with constants: inlined by force, so
// that the compiler folds the flags away.
#if defined(__GNUC__)
#define SNI_INLINE static inline __attribute__((always_inline))
#else
#define SNI_INLINE static inline
#endif

#if defined(__AVX2__) && defined(__FMA__) && !defined(SNI_SCALAR)
#define SNI_AVX2 1
#include <immintrin.h>
#endif

// A large part of a kernel, which takes and gives wide vectors. Where fused multiply-adds are made
// of some twenty instructions for each number, a call costs nothing beside them, and compilers need
// half a minute for a kernel that has all of it in one function for every set of flags.
#if defined(SNI_AVX2) || defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define SNI_INLINE_PART SNI_INLINE
#elif defined(__GNUC__)
#define SNI_INLINE_PART static __attribute__((noinline))
#else
#define SNI_INLINE_PART static
#endif

// Where eight rows of numbers begin.
typedef struct sni_rows {
    const float *r0, *r1, *r2, *r3, *r4, *r5, *r6, *r7;
} sni_rows;

#if defined(SNI_AVX2)
typedef struct sni_f32xw {
    __m256 v;
} sni_f32xw;
#else
typedef struct sni_f32xw {
    float v[SNI_WIDTH];
} sni_f32xw;
#endif

// Four vectors, for what has four numbers: quaternions, columns of a matrix.
typedef struct sni_f32xw4 {
    sni_f32xw x, y, z, w;
} sni_f32xw4;

#if defined(SNI_AVX2)

SNI_INLINE sni_f32xw sni_f32xw_set1(float a) {
    return (sni_f32xw){_mm256_set1_ps(a)};
}

SNI_INLINE sni_f32xw sni_f32xw_load(const float *values) {
    return (sni_f32xw){_mm256_loadu_ps(values)};
}

// Four numbers, twice.
SNI_INLINE sni_f32xw sni_f32xw_load_twice(const float *values) {
    __m128 half = _mm_loadu_ps(values);
    return (sni_f32xw){_mm256_insertf128_ps(_mm256_castps128_ps256(half), half, 1)};
}

// Number `lane` (a constant below 4) of such four in all lanes.
SNI_INLINE sni_f32xw sni_f32xw_spread(sni_f32xw twice, int lane) {
    switch (lane) {
    case 0: return (sni_f32xw){_mm256_permute_ps(twice.v, _MM_SHUFFLE(0, 0, 0, 0))};
    case 1: return (sni_f32xw){_mm256_permute_ps(twice.v, _MM_SHUFFLE(1, 1, 1, 1))};
    case 2: return (sni_f32xw){_mm256_permute_ps(twice.v, _MM_SHUFFLE(2, 2, 2, 2))};
    default: return (sni_f32xw){_mm256_permute_ps(twice.v, _MM_SHUFFLE(3, 3, 3, 3))};
    }
}

SNI_INLINE void sni_f32xw_store(float *values, sni_f32xw a) {
    _mm256_storeu_ps(values, a.v);
}

SNI_INLINE sni_f32xw sni_f32xw_add(sni_f32xw a, sni_f32xw b) {
    return (sni_f32xw){_mm256_add_ps(a.v, b.v)};
}

SNI_INLINE sni_f32xw sni_f32xw_sub(sni_f32xw a, sni_f32xw b) {
    return (sni_f32xw){_mm256_sub_ps(a.v, b.v)};
}

SNI_INLINE sni_f32xw sni_f32xw_mul(sni_f32xw a, sni_f32xw b) {
    return (sni_f32xw){_mm256_mul_ps(a.v, b.v)};
}

// a + b * c, rounded once.
SNI_INLINE sni_f32xw sni_f32xw_add_product(sni_f32xw a, sni_f32xw b, sni_f32xw c) {
    return (sni_f32xw){_mm256_fmadd_ps(b.v, c.v, a.v)};
}

// a - b * c, rounded once.
SNI_INLINE sni_f32xw sni_f32xw_sub_product(sni_f32xw a, sni_f32xw b, sni_f32xw c) {
    return (sni_f32xw){_mm256_fnmadd_ps(b.v, c.v, a.v)};
}

// a with its sign turned where b is negative (its sign bit set).
SNI_INLINE sni_f32xw sni_f32xw_flip_sign(sni_f32xw a, sni_f32xw b) {
    return (sni_f32xw){_mm256_xor_ps(a.v, _mm256_and_ps(b.v, _mm256_set1_ps(-0.0f)))};
}

// a / b where b > 0, else 0.
SNI_INLINE sni_f32xw sni_f32xw_div_positive(sni_f32xw a, sni_f32xw b) {
    __m256 positive = _mm256_cmp_ps(b.v, _mm256_setzero_ps(), _CMP_GT_OQ);
    return (sni_f32xw){_mm256_and_ps(positive, _mm256_div_ps(a.v, b.v))};
}

// The smaller and the larger; b where a is not a number.
SNI_INLINE sni_f32xw sni_f32xw_min(sni_f32xw a, sni_f32xw b) {
    return (sni_f32xw){_mm256_min_ps(a.v, b.v)};
}

SNI_INLINE sni_f32xw sni_f32xw_max(sni_f32xw a, sni_f32xw b) {
    return (sni_f32xw){_mm256_max_ps(a.v, b.v)};
}

SNI_INLINE sni_f32xw sni_f32xw_sqrt(sni_f32xw a) {
    return (sni_f32xw){_mm256_sqrt_ps(a.v)};
}

SNI_INLINE sni_f32xw sni_f32xw_div(sni_f32xw a, sni_f32xw b) {
    return (sni_f32xw){_mm256_div_ps(a.v, b.v)};
}

// b where the sign bit of `sign` is set, else a.
SNI_INLINE sni_f32xw sni_f32xw_choose(sni_f32xw sign, sni_f32xw a, sni_f32xw b) {
    return (sni_f32xw){_mm256_blendv_ps(a.v, b.v, sign.v)};
}

// The sign bit, which alone means something, is set where a < b.
SNI_INLINE sni_f32xw sni_f32xw_less(sni_f32xw a, sni_f32xw b) {
    return (sni_f32xw){_mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ)};
}

// Sign bits that are set in both, and in one of them.
SNI_INLINE sni_f32xw sni_f32xw_both(sni_f32xw a, sni_f32xw b) {
    return (sni_f32xw){_mm256_and_ps(a.v, b.v)};
}

SNI_INLINE sni_f32xw sni_f32xw_either(sni_f32xw a, sni_f32xw b) {
    return (sni_f32xw){_mm256_or_ps(a.v, b.v)};
}

// Sign bits that are set in a and not in b.
SNI_INLINE sni_f32xw sni_f32xw_but_not(sni_f32xw a, sni_f32xw b) {
    return (sni_f32xw){_mm256_andnot_ps(b.v, a.v)};
}

// The numbers without what is behind the point, towards 0, as floats; below 2^31 in size.
SNI_INLINE sni_f32xw sni_f32xw_whole(sni_f32xw a) {
    return (sni_f32xw){_mm256_cvtepi32_ps(_mm256_cvttps_epi32(a.v))};
}

SNI_INLINE void sni_f32xw_store_whole(int32_t *values, sni_f32xw a) {
    _mm256_storeu_si256((__m256i *)values, _mm256_cvttps_epi32(a.v));
}

// The bits of positive numbers, read as a whole number, grow about as their logarithm does: a third
// of them and two thirds of those of 1 are a cube root to some hundredths.
SNI_INLINE sni_f32xw sni_f32xw_rough_cube_root(sni_f32xw a) {
    __m256 bits = _mm256_cvtepi32_ps(_mm256_castps_si256(a.v));
    bits =
        _mm256_add_ps(_mm256_mul_ps(bits, _mm256_set1_ps(1.0f / 3)), _mm256_set1_ps(709958130.0f));
    return (sni_f32xw){_mm256_castsi256_ps(_mm256_cvttps_epi32(bits))};
}

// The sign bits, lane 0 lowest.
SNI_INLINE uint32_t sni_f32xw_signs(sni_f32xw a) {
    return (uint32_t)_mm256_movemask_ps(a.v);
}

// The largest of all lanes, which are numbers.
SNI_INLINE float sni_f32xw_most(sni_f32xw a) {
    __m128 half = _mm_max_ps(_mm256_castps256_ps128(a.v), _mm256_extractf128_ps(a.v, 1));
    half = _mm_max_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_max_ss(half, _mm_movehdup_ps(half)));
}

SNI_INLINE float sni_f32xw_least(sni_f32xw a) {
    __m128 half = _mm_min_ps(_mm256_castps256_ps128(a.v), _mm256_extractf128_ps(a.v, 1));
    half = _mm_min_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_min_ss(half, _mm_movehdup_ps(half)));
}

// Four floats each from two places, as one vector.
SNI_INLINE __m256 sni_load_halves(const float *low, const float *high) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
}

// Columns `first` to first + 3 of the matrix with these rows.
SNI_INLINE sni_f32xw4 sni_f32xw_transpose4(sni_rows rows, int first) {
    __m256 r04 = sni_load_halves(rows.r0 + first, rows.r4 + first);
    __m256 r15 = sni_load_halves(rows.r1 + first, rows.r5 + first);
    __m256 r26 = sni_load_halves(rows.r2 + first, rows.r6 + first);
    __m256 r37 = sni_load_halves(rows.r3 + first, rows.r7 + first);
    __m256 low01 = _mm256_unpacklo_ps(r04, r15), high01 = _mm256_unpackhi_ps(r04, r15);
    __m256 low23 = _mm256_unpacklo_ps(r26, r37), high23 = _mm256_unpackhi_ps(r26, r37);
    return (sni_f32xw4){
        {_mm256_shuffle_ps(low01, low23, _MM_SHUFFLE(1, 0, 1, 0))},
        {_mm256_shuffle_ps(low01, low23, _MM_SHUFFLE(3, 2, 3, 2))},
        {_mm256_shuffle_ps(high01, high23, _MM_SHUFFLE(1, 0, 1, 0))},
        {_mm256_shuffle_ps(high01, high23, _MM_SHUFFLE(3, 2, 3, 2))},
    };
}

// The reverse: writes eight rows of four numbers one behind the other.
SNI_INLINE void sni_f32xw_store_rows4(float *rows, sni_f32xw4 columns) {
    __m256 low01 = _mm256_unpacklo_ps(columns.x.v, columns.y.v); // x0 y0 x1 y1 | x4 y4 x5 y5
    __m256 high01 = _mm256_unpackhi_ps(columns.x.v, columns.y.v);
    __m256 low23 = _mm256_unpacklo_ps(columns.z.v, columns.w.v);
    __m256 high23 = _mm256_unpackhi_ps(columns.z.v, columns.w.v);
    __m256 r04 = _mm256_shuffle_ps(low01, low23, _MM_SHUFFLE(1, 0, 1, 0));
    __m256 r15 = _mm256_shuffle_ps(low01, low23, _MM_SHUFFLE(3, 2, 3, 2));
    __m256 r26 = _mm256_shuffle_ps(high01, high23, _MM_SHUFFLE(1, 0, 1, 0));
    __m256 r37 = _mm256_shuffle_ps(high01, high23, _MM_SHUFFLE(3, 2, 3, 2));
    _mm256_storeu_ps(rows, _mm256_permute2f128_ps(r04, r15, 0x20));
    _mm256_storeu_ps(rows + 8, _mm256_permute2f128_ps(r26, r37, 0x20));
    _mm256_storeu_ps(rows + 16, _mm256_permute2f128_ps(r04, r15, 0x31));
    _mm256_storeu_ps(rows + 24, _mm256_permute2f128_ps(r26, r37, 0x31));
}

// Eight points x y z x y z ... as three vectors.
SNI_INLINE void sni_f32xw_load_points(const float *points, sni_f32xw *x, sni_f32xw *y,
                                      sni_f32xw *z) {
    __m256 a = sni_load_halves(points, points + 12);              // x0 y0 z0 x1 | x4 y4 z4 x5
    __m256 b = sni_load_halves(points + 4, points + 16);          // y1 z1 x2 y2 | y5 z5 x6 y6
    __m256 c = sni_load_halves(points + 8, points + 20);          // z2 x3 y3 z3 | z6 x7 y7 z7
    __m256 xy = _mm256_shuffle_ps(b, c, _MM_SHUFFLE(2, 1, 3, 2)); // x2 y2 x3 y3 | ...
    __m256 yz = _mm256_shuffle_ps(a, b, _MM_SHUFFLE(1, 0, 2, 1)); // y0 z0 y1 z1 | ...
    x->v = _mm256_shuffle_ps(a, xy, _MM_SHUFFLE(2, 0, 3, 0));
    y->v = _mm256_shuffle_ps(yz, xy, _MM_SHUFFLE(3, 1, 2, 0));
    z->v = _mm256_shuffle_ps(yz, c, _MM_SHUFFLE(3, 0, 3, 1));
}

SNI_INLINE void sni_store_half(float *values, __m128 half, bool stream) {
    if (stream) {
        _mm_stream_ps(values, half);
    } else {
        _mm_storeu_ps(values, half);
    }
}

// The reverse. `stream` writes past the caches; `points` must then be aligned to 16 bytes.
SNI_INLINE void sni_f32xw_store_points(float *points, sni_f32xw x, sni_f32xw y, sni_f32xw z,
                                       bool stream) {
    __m256 xy = _mm256_shuffle_ps(x.v, y.v, _MM_SHUFFLE(2, 0, 2, 0)); // x0 x2 y0 y2 | ...
    __m256 yz = _mm256_shuffle_ps(y.v, z.v, _MM_SHUFFLE(3, 1, 3, 1)); // y1 y3 z1 z3 | ...
    __m256 zx = _mm256_shuffle_ps(z.v, x.v, _MM_SHUFFLE(3, 1, 2, 0)); // z0 z2 x1 x3 | ...
    __m256 a = _mm256_shuffle_ps(xy, zx, _MM_SHUFFLE(2, 0, 2, 0));
    __m256 b = _mm256_shuffle_ps(yz, xy, _MM_SHUFFLE(3, 1, 2, 0));
    __m256 c = _mm256_shuffle_ps(zx, yz, _MM_SHUFFLE(3, 1, 3, 1));
    sni_store_half(points, _mm256_castps256_ps128(a), stream);
    sni_store_half(points + 4, _mm256_castps256_ps128(b), stream);
    sni_store_half(points + 8, _mm256_castps256_ps128(c), stream);
    sni_store_half(points + 12, _mm256_extractf128_ps(a, 1), stream);
    sni_store_half(points + 16, _mm256_extractf128_ps(b, 1), stream);
    sni_store_half(points + 20, _mm256_extractf128_ps(c, 1), stream);
}

// Makes streamed stores visible to other threads before what follows.
SNI_INLINE void sni_stream_fence(void) {
    _mm_sfence();
}

#else

#if defined(__SSE2__) && !defined(__FMA__) && !defined(SNI_SCALAR)
#define SNI_FMA_BY_SSE2 1
#include <emmintrin.h>
#endif

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
SNI_INLINE float sni_fmaf(float b, float c, float a) {
    return __builtin_fmaf(b, c, a);
}
#else
// b * c + a, rounded once, for processors that lack it: the C library's call for each number would
// take most of the time. In double the product is exact and the sum s = RN(p + a) has an error
// e = p + a - s that is known exactly (Knuth's TwoSum). Where e is not 0, the neighbour of s with
// an odd last bit, "rounded to odd", rounds to the same float as the exact sum does, since double
// has more than two bits more than float (Boldo and Melquiond, "Emulation of a FMA and correctly
// rounded sums: proved algorithms using rounding to odd", 2008).
SNI_INLINE float sni_fmaf(float b, float c, float a) {
    double p = (double)b * (double)c, x = (double)a;
    double s = p + x, t = s - p;
    double e = (p - (s - t)) + (x - t);
    int64_t bits;
    memcpy(&bits, &s, sizeof bits);
    // Away from 0 where e has the sign of s; an e that is not a number changes nothing.
    int64_t step = (int64_t)((e > 0) | (e < 0)) & ~bits & 1;
    bits += (e > 0) == (s > 0) ? step : -step;
    memcpy(&s, &bits, sizeof s);
    return (float)s;
}
#endif

#if defined(SNI_FMA_BY_SSE2)
// The same for the two lower lanes.
SNI_INLINE __m128 sni_fma_pair(__m128 b, __m128 c, __m128 a) {
    const __m128d zero = _mm_setzero_pd();
    __m128d p = _mm_mul_pd(_mm_cvtps_pd(b), _mm_cvtps_pd(c)), x = _mm_cvtps_pd(a);
    __m128d s = _mm_add_pd(p, x), t = _mm_sub_pd(s, p);
    __m128d e = _mm_add_pd(_mm_sub_pd(p, _mm_sub_pd(s, t)), _mm_sub_pd(x, t));
    __m128d above = _mm_cmpgt_pd(e, zero), off = _mm_or_pd(above, _mm_cmplt_pd(e, zero));
    __m128i bits = _mm_castpd_si128(s);
    __m128i step = _mm_and_si128(_mm_castpd_si128(off), _mm_andnot_si128(bits, _mm_set1_epi64x(1)));
    __m128i down = _mm_castpd_si128(_mm_xor_pd(above, _mm_cmpgt_pd(s, zero))); // 0 or -1
    step = _mm_sub_epi64(_mm_xor_si128(step, down), down);
    return _mm_cvtpd_ps(_mm_castsi128_pd(_mm_add_epi64(bits, step)));
}

SNI_INLINE sni_f32xw sni_fma_lanes(sni_f32xw a, sni_f32xw b, sni_f32xw c, __m128 flip) {
    for (int i = 0; i < SNI_WIDTH; i += 4) {
        __m128 x = _mm_loadu_ps(a.v + i), z = _mm_loadu_ps(c.v + i);
        __m128 y = _mm_xor_ps(_mm_loadu_ps(b.v + i), flip);
        __m128 low = sni_fma_pair(y, z, x);
        __m128 high = sni_fma_pair(_mm_movehl_ps(y, y), _mm_movehl_ps(z, z), _mm_movehl_ps(x, x));
        _mm_storeu_ps(a.v + i, _mm_movelh_ps(low, high));
    }
    return a;
}
#endif

SNI_INLINE sni_f32xw sni_f32xw_set1(float a) {
    return (sni_f32xw){{a, a, a, a, a, a, a, a}};
}

SNI_INLINE sni_f32xw sni_f32xw_load(const float *values) {
    sni_f32xw a;
    memcpy(a.v, values, sizeof a.v);
    return a;
}

SNI_INLINE sni_f32xw sni_f32xw_load_twice(const float *values) {
    return (sni_f32xw){
        {values[0], values[1], values[2], values[3], values[0], values[1], values[2], values[3]}};
}

SNI_INLINE sni_f32xw sni_f32xw_spread(sni_f32xw twice, int lane) {
    return sni_f32xw_set1(twice.v[lane]);
}

SNI_INLINE void sni_f32xw_store(float *values, sni_f32xw a) {
    memcpy(values, a.v, sizeof a.v);
}

SNI_INLINE sni_f32xw sni_f32xw_add(sni_f32xw a, sni_f32xw b) {
    for (int i = 0; i < SNI_WIDTH; ++i) {
        a.v[i] += b.v[i];
    }
    return a;
}

SNI_INLINE sni_f32xw sni_f32xw_sub(sni_f32xw a, sni_f32xw b) {
    for (int i = 0; i < SNI_WIDTH; ++i) {
        a.v[i] -= b.v[i];
    }
    return a;
}

SNI_INLINE sni_f32xw sni_f32xw_mul(sni_f32xw a, sni_f32xw b) {
    for (int i = 0; i < SNI_WIDTH; ++i) {
        a.v[i] *= b.v[i];
    }
    return a;
}

#if defined(SNI_FMA_BY_SSE2)
SNI_INLINE sni_f32xw sni_f32xw_add_product(sni_f32xw a, sni_f32xw b, sni_f32xw c) {
    return sni_fma_lanes(a, b, c, _mm_setzero_ps());
}

SNI_INLINE sni_f32xw sni_f32xw_sub_product(sni_f32xw a, sni_f32xw b, sni_f32xw c) {
    return sni_fma_lanes(a, b, c, _mm_set1_ps(-0.0f));
}
#else
SNI_INLINE sni_f32xw sni_f32xw_add_product(sni_f32xw a, sni_f32xw b, sni_f32xw c) {
    for (int i = 0; i < SNI_WIDTH; ++i) {
        a.v[i] = sni_fmaf(b.v[i], c.v[i], a.v[i]);
    }
    return a;
}

SNI_INLINE sni_f32xw sni_f32xw_sub_product(sni_f32xw a, sni_f32xw b, sni_f32xw c) {
    for (int i = 0; i < SNI_WIDTH; ++i) {
        a.v[i] = sni_fmaf(-b.v[i], c.v[i], a.v[i]);
    }
    return a;
}
#endif

SNI_INLINE sni_f32xw sni_f32xw_flip_sign(sni_f32xw a, sni_f32xw b) {
    for (int i = 0; i < SNI_WIDTH; ++i) {
        a.v[i] = __builtin_signbit(b.v[i]) ? -a.v[i] : a.v[i];
    }
    return a;
}

SNI_INLINE sni_f32xw sni_f32xw_div_positive(sni_f32xw a, sni_f32xw b) {
    for (int i = 0; i < SNI_WIDTH; ++i) {
        a.v[i] = b.v[i] > 0 ? a.v[i] / b.v[i] : 0;
    }
    return a;
}

SNI_INLINE sni_f32xw sni_f32xw_min(sni_f32xw a, sni_f32xw b) {
    for (int i = 0; i < SNI_WIDTH; ++i) {
        a.v[i] = a.v[i] < b.v[i] ? a.v[i] : b.v[i];
    }
    return a;
}

SNI_INLINE sni_f32xw sni_f32xw_max(sni_f32xw a, sni_f32xw b) {
    for (int i = 0; i < SNI_WIDTH; ++i) {
        a.v[i] = a.v[i] > b.v[i] ? a.v[i] : b.v[i];
    }
    return a;
}

SNI_INLINE sni_f32xw sni_f32xw_sqrt(sni_f32xw a) {
    for (int i = 0; i < SNI_WIDTH; ++i) {
        a.v[i] = __builtin_sqrtf(a.v[i]);
    }
    return a;
}

SNI_INLINE sni_f32xw sni_f32xw_div(sni_f32xw a, sni_f32xw b) {
    for (int i = 0; i < SNI_WIDTH; ++i) {
        a.v[i] = a.v[i] / b.v[i];
    }
    return a;
}

SNI_INLINE sni_f32xw sni_f32xw_choose(sni_f32xw sign, sni_f32xw a, sni_f32xw b) {
    for (int i = 0; i < SNI_WIDTH; ++i) {
        a.v[i] = __builtin_signbit(sign.v[i]) ? b.v[i] : a.v[i];
    }
    return a;
}

SNI_INLINE sni_f32xw sni_f32xw_less(sni_f32xw a, sni_f32xw b) {
    for (int i = 0; i < SNI_WIDTH; ++i) {
        a.v[i] = a.v[i] < b.v[i] ? -1.0f : 1.0f;
    }
    return a;
}

SNI_INLINE sni_f32xw sni_f32xw_both(sni_f32xw a, sni_f32xw b) {
    for (int i = 0; i < SNI_WIDTH; ++i) {
        a.v[i] = __builtin_signbit(a.v[i]) && __builtin_signbit(b.v[i]) ? -1.0f : 1.0f;
    }
    return a;
}

SNI_INLINE sni_f32xw sni_f32xw_either(sni_f32xw a, sni_f32xw b) {
    for (int i = 0; i < SNI_WIDTH; ++i) {
        a.v[i] = __builtin_signbit(a.v[i]) || __builtin_signbit(b.v[i]) ? -1.0f : 1.0f;
    }
    return a;
}

SNI_INLINE sni_f32xw sni_f32xw_but_not(sni_f32xw a, sni_f32xw b) {
    for (int i = 0; i < SNI_WIDTH; ++i) {
        a.v[i] = __builtin_signbit(a.v[i]) && !__builtin_signbit(b.v[i]) ? -1.0f : 1.0f;
    }
    return a;
}

SNI_INLINE sni_f32xw sni_f32xw_whole(sni_f32xw a) {
    for (int i = 0; i < SNI_WIDTH; ++i) {
        a.v[i] = (float)(int32_t)a.v[i];
    }
    return a;
}

SNI_INLINE void sni_f32xw_store_whole(int32_t *values, sni_f32xw a) {
    for (int i = 0; i < SNI_WIDTH; ++i) {
        values[i] = (int32_t)a.v[i];
    }
}

SNI_INLINE sni_f32xw sni_f32xw_rough_cube_root(sni_f32xw a) {
    for (int i = 0; i < SNI_WIDTH; ++i) {
        int32_t bits;
        memcpy(&bits, &a.v[i], sizeof bits);
        bits = (int32_t)((float)bits * (1.0f / 3) + 709958130.0f);
        memcpy(&a.v[i], &bits, sizeof bits);
    }
    return a;
}

SNI_INLINE uint32_t sni_f32xw_signs(sni_f32xw a) {
    uint32_t signs = 0;
    for (int i = 0; i < SNI_WIDTH; ++i) {
        signs |= (uint32_t)(__builtin_signbit(a.v[i]) != 0) << i;
    }
    return signs;
}

SNI_INLINE float sni_f32xw_most(sni_f32xw a) {
    float most = a.v[0];
    for (int i = 1; i < SNI_WIDTH; ++i) {
        most = a.v[i] > most ? a.v[i] : most;
    }
    return most;
}

SNI_INLINE float sni_f32xw_least(sni_f32xw a) {
    float least = a.v[0];
    for (int i = 1; i < SNI_WIDTH; ++i) {
        least = a.v[i] < least ? a.v[i] : least;
    }
    return least;
}

SNI_INLINE sni_f32xw4 sni_f32xw_transpose4(sni_rows rows, int first) {
    const float *const all[SNI_WIDTH] = {rows.r0, rows.r1, rows.r2, rows.r3,
                                         rows.r4, rows.r5, rows.r6, rows.r7};
    sni_f32xw4 columns;
    for (int row = 0; row < SNI_WIDTH; ++row) {
        columns.x.v[row] = all[row][first];
        columns.y.v[row] = all[row][first + 1];
        columns.z.v[row] = all[row][first + 2];
        columns.w.v[row] = all[row][first + 3];
    }
    return columns;
}
SNI_INLINE void sni_f32xw_store_rows4(float *rows, sni_f32xw4 columns) {
    for (int row = 0; row < SNI_WIDTH; ++row) {
        rows[4 * row] = columns.x.v[row];
        rows[4 * row + 1] = columns.y.v[row];
        rows[4 * row + 2] = columns.z.v[row];
        rows[4 * row + 3] = columns.w.v[row];
    }
}

SNI_INLINE void sni_f32xw_load_points(const float *points, sni_f32xw *x, sni_f32xw *y,
                                      sni_f32xw *z) {
    for (int i = 0; i < SNI_WIDTH; ++i) {
        x->v[i] = points[3 * i];
        y->v[i] = points[3 * i + 1];
        z->v[i] = points[3 * i + 2];
    }
}

SNI_INLINE void sni_f32xw_store_points(float *points, sni_f32xw x, sni_f32xw y, sni_f32xw z,
                                       bool stream) {
    (void)stream;
    for (int i = 0; i < SNI_WIDTH; ++i) {
        points[3 * i] = x.v[i];
        points[3 * i + 1] = y.v[i];
        points[3 * i + 2] = z.v[i];
    }
}

SNI_INLINE void sni_stream_fence(void) {
}

#endif

// Four vectors times one factor, and added to four others.
SNI_INLINE sni_f32xw4 sni_f32xw4_scale(sni_f32xw4 a, sni_f32xw s) {
    return (sni_f32xw4){sni_f32xw_mul(s, a.x), sni_f32xw_mul(s, a.y), sni_f32xw_mul(s, a.z),
                        sni_f32xw_mul(s, a.w)};
}

SNI_INLINE sni_f32xw4 sni_f32xw4_add_scaled(sni_f32xw4 a, sni_f32xw s, sni_f32xw4 b) {
    return (sni_f32xw4){sni_f32xw_add_product(a.x, s, b.x), sni_f32xw_add_product(a.y, s, b.y),
                        sni_f32xw_add_product(a.z, s, b.z), sni_f32xw_add_product(a.w, s, b.w)};
}

// (ax bx + ay by) + (az bz + aw bw), in each bracket the first product rounded.
SNI_INLINE sni_f32xw sni_f32xw4_dot(sni_f32xw4 a, sni_f32xw4 b) {
    sni_f32xw xy = sni_f32xw_add_product(sni_f32xw_mul(a.x, b.x), a.y, b.y);
    sni_f32xw zw = sni_f32xw_add_product(sni_f32xw_mul(a.z, b.z), a.w, b.w);
    return sni_f32xw_add(xy, zw);
}

// a * b - c * d: the first product is rounded, then the difference once.
SNI_INLINE sni_f32xw sni_f32xw_cross(sni_f32xw a, sni_f32xw b, sni_f32xw c, sni_f32xw d) {
    return sni_f32xw_sub_product(sni_f32xw_mul(a, b), c, d);
}

#endif
