// SPDX-License-Identifier: Apache-2.0
//
// McCalpin's STREAM, copy and triad, with the context's own threads and grain.
#include "bench/bench.h"

#include "base/memory.h"
#include "base/simd.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

// 256 MiB each: beyond any cache.
static const uint32_t float_count = (uint32_t)64 << 20;
static const uint32_t float_grain = (uint32_t)16 << 10;

typedef struct stream {
    sn_context *context;
    float *a, *b, *c;
    bool triad;
    bool past_caches;
} stream;

static inline void put(float *values, sni_f32xw v, bool past_caches) {
#if defined(__SSE2__)
    if (past_caches) {
        float own[SNI_WIDTH];
        sni_f32xw_store(own, v);
        _mm_stream_ps(values, _mm_loadu_ps(own));
        _mm_stream_ps(values + 4, _mm_loadu_ps(own + 4));
        return;
    }
#else
    (void)past_caches;
#endif
    sni_f32xw_store(values, v);
}

static void run_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const stream *s = user;
    const sni_f32xw factor = sni_f32xw_set1(3);
    for (uint32_t i = begin; i < end; i += SNI_WIDTH) {
        sni_f32xw v = sni_f32xw_load(s->b + i);
        if (s->triad) {
            v = sni_f32xw_add(v, sni_f32xw_mul(factor, sni_f32xw_load(s->c + i)));
        }
        put(s->a + i, v, s->past_caches);
    }
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

static void run(void *user) {
    const stream *s = user;
    sn_parallel_for(s->context, float_count, float_grain, run_block, user);
}

double snb_bandwidth(snb_report *report) {
    if (report->bandwidth > 0) {
        return report->bandwidth;
    }
    sn_context *context = report->context;
    stream s = {.context = context,
                .a = sni_alloc_zero(context, float_count, sizeof(float)),
                .b = sni_alloc_zero(context, float_count, sizeof(float)),
                .c = sni_alloc_zero(context, float_count, sizeof(float))};
    for (int kind = 0; kind < 4 && s.a != NULL && s.b != NULL && s.c != NULL; ++kind) {
        s.triad = kind & 1;
        s.past_caches = kind & 2;
        double bytes = (s.triad ? 3.0 : 2.0) * sizeof(float) * float_count;
        double rate = bytes / (snb_time(run, &s) * 1e-3);
        report->bandwidth = rate > report->bandwidth ? rate : report->bandwidth;
    }
    sni_free(context, s.a);
    sni_free(context, s.b);
    sni_free(context, s.c);
    return report->bandwidth;
}
