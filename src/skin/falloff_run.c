// SPDX-License-Identifier: Apache-2.0
//
// The sums of `falloff` at all points (skin_falloff.c).
#include "skin/falloff.h"

#include "base/simd.h"

#include <string.h>

// Vertices per block of the parallel loop: some ten microseconds of work.
#define FALLOFF_GRAIN 4096

// The first follower that is not below `vertex`.
static uint32_t lower_row(const sni_followers *f, uint32_t vertex) {
    uint32_t low = 0, count = f->count;
    while (count > 0) {
        uint32_t half = count / 2;
        if (f->vertices[low + half] < vertex) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}

SNI_INLINE void add_scaled(float sum[4], float weight, const float *move) {
    for (int i = 0; i < 4; ++i) {
        sum[i] += weight * move[i];
    }
}

// Adds the displacements of followers from `first` on. Inlined for the usual degree.
SNI_INLINE void run_rows(const sni_followers *f, const float *moves, uint32_t first, uint32_t end,
                         uint32_t p, uint32_t q, float *points) {
    const float *weights = f->weights + (size_t)first * (p + q + 2);
    for (uint32_t row = first; row < end; ++row, weights += p + q + 2) {
        const float *line = moves + 4 * (size_t)f->firsts[row];
        float sum[4] = {0, 0, 0, 0};
        for (uint32_t i = 0; i <= p; ++i, line += 4 * (size_t)f->padded[1]) {
            float across[4] = {0, 0, 0, 0};
            for (uint32_t j = 0; j <= q; ++j) {
                add_scaled(across, weights[p + 1 + j], line + 4 * (size_t)j);
            }
            add_scaled(sum, weights[i], across);
        }
        float *out = points + 3 * (size_t)f->vertices[row];
        for (int i = 0; i < 3; ++i) {
            out[i] += sum[i];
        }
    }
}

static void run_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const sni_falloff_job *run = user;
    size_t first = 3 * (size_t)begin;
    float *points = run->deform->points_out;
    memcpy(points + first, run->deform->points_in + first,
           3 * (size_t)(end - begin) * sizeof(float));
    for (uint32_t m = 0; m < run->muscle_count; ++m) {
        const sni_followers *f = run->muscles[m];
        if (run->moves[m] == NULL || f->count == 0 || f->vertices[0] >= end ||
            f->vertices[f->count - 1] < begin) {
            continue;
        }
        uint32_t low = lower_row(f, begin), high = lower_row(f, end);
        if (f->degrees[0] == 3 && f->degrees[1] == 3) {
            run_rows(f, run->moves[m], low, high, 3, 3, points);
        } else {
            run_rows(f, run->moves[m], low, high, f->degrees[0], f->degrees[1], points);
        }
    }
}

void sni_falloff_run(const sni_falloff_job *job) {
    sn_parallel_for(job->deform->context, job->deform->vertex_count, FALLOFF_GRAIN, run_block,
                    (void *)job);
}
