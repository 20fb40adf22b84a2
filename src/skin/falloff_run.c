// SPDX-License-Identifier: Apache-2.0
//
// The displacements of `falloff` at all points (skin_falloff.c).
#include "skin/falloff.h"

#include "base/simd_f32x4.h"

#include <string.h>

// Vertices per block of the parallel loop: some ten microseconds of work.
#define FALLOFF_GRAIN 4096

// The first of rising vertices that is not below `vertex`.
static uint32_t lower_row(const uint32_t *vertices, uint32_t count, uint32_t vertex) {
    uint32_t low = 0;
    while (count > 0) {
        uint32_t half = count / 2;
        if (vertices[low + half] < vertex) {
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

SNI_INLINE float dot(const float *a, const float *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

SNI_INLINE void add_to_point(float *point, const float *move) {
    for (int i = 0; i < 3; ++i) {
        point[i] += move[i];
    }
}

// The usual case of add_blended, with its bits: two displacements.
static void add_pair(const float *moves, float in_point, float *point) {
    float g = dot(moves, moves + 4), a = dot(moves, moves), b = dot(moves + 4, moves + 4);
    float sum[4] = {0, 0, 0, 0};
    g = g > 0 ? g : 0;
    if (a > 0) {
        add_scaled(sum, (a > g ? a : g) / (a + g) - in_point, moves);
    }
    if (b > 0) {
        add_scaled(sum, (b > g ? b : g) / (g + b), moves + 4);
    }
    add_to_point(point, sum);
}

// Adds displacements to a point by their shares s_i. `in_point` is 1 where the first of them is in
// the point already, else 0.
static void add_blended(const float *moves, uint32_t count, float in_point, float *point) {
    if (count == 2) {
        add_pair(moves, in_point, point);
        return;
    }
    float sum[4] = {0, 0, 0, 0};
    for (uint32_t i = 0; i < count; ++i) {
        const float *move = moves + 4 * (size_t)i;
        float most = 0, total = 0;
        for (uint32_t j = 0; j < count; ++j) {
            float g = dot(move, moves + 4 * (size_t)j);
            g = g > 0 ? g : 0;
            most = g > most ? g : most;
            total += g;
        }
        if (total > 0) {
            add_scaled(sum, most / total - (i == 0 ? in_point : 0), move);
        }
    }
    add_to_point(point, sum);
}

// Where the displacements of a muscle go.
typedef struct target {
    float *points;
    const float *in, *before; // the same where nothing is blended with what was before
    const uint32_t *places;   // of sni_overlaps, or NULL
    float *displacements;
} target;

SNI_INLINE void earlier_move(const float *in, const float *before, uint32_t vertex, float *move) {
    for (size_t i = 0; i < 3; ++i) {
        move[i] = in[3 * (size_t)vertex + i] - before[3 * (size_t)vertex + i];
    }
}

// Adds the displacement of the only muscle that moves a point.
static void add_to_earlier(const target *to, uint32_t vertex, const float move[4]) {
    float *point = to->points + 3 * (size_t)vertex;
    if (to->before == to->in) {
        add_to_point(point, move);
    } else {
        float both[8] = {0, 0, 0, 0, move[0], move[1], move[2], 0};
        earlier_move(to->in, to->before, vertex, both);
        add_pair(both, 1, point);
    }
}

// The displacement of one follower, whose first control point moves as `line` says: sum_ij.
SNI_INLINE sni_f32x4 row_move(const float *weights, const float *line, size_t stride, uint32_t p,
                              uint32_t q) {
    sni_f32x4 sum = sni_f32x4_set1(0);
    for (uint32_t i = 0; i <= p; ++i, line += stride) {
        sni_f32x4 across = sni_f32x4_set1(0);
        for (uint32_t j = 0; j <= q; ++j) {
            across = sni_f32x4_add_scaled(across, weights[p + 1 + j],
                                          sni_f32x4_load(line + 4 * (size_t)j));
        }
        sum = sni_f32x4_add_scaled(sum, weights[i], across);
    }
    return sum;
}

// The displacements of followers from `first` on; `alone`: no other moves their points. Inlined for
// the usual degree.
SNI_INLINE void run_rows(const sni_followers *f, const float *moves, uint32_t first, uint32_t end,
                         uint32_t p, uint32_t q, bool alone, const target *to) {
    const float *weights = f->weights + (size_t)first * (p + q + 2);
    for (uint32_t row = first; row < end; ++row, weights += p + q + 2) {
        sni_f32x4 sum =
            row_move(weights, moves + 4 * (size_t)f->firsts[row], 4 * (size_t)f->padded[1], p, q);
        uint32_t place = alone || to->places == NULL ? SN_NONE : to->places[row];
        float move[4];
        if (place != SN_NONE) {
            sni_f32x4_store(to->displacements + 4 * (size_t)place, sum);
            continue;
        }
        sni_f32x4_store(move, sum);
        if (alone) {
            add_to_point(to->points + 3 * (size_t)f->vertices[row], move);
        } else {
            add_to_earlier(to, f->vertices[row], move);
        }
    }
}

// Displacements of points with several muscles: what was before, and nothing of muscles as yet.
static void begin_overlaps(const sni_falloff_job *run, const target *to, uint32_t low,
                           uint32_t high) {
    const sni_overlaps *o = run->overlaps;
    memset(run->displacements + 4 * (size_t)o->offsets[low], 0,
           4 * (size_t)(o->offsets[high] - o->offsets[low]) * sizeof(float));
    for (uint32_t k = low; k < high && to->before != to->in; ++k) {
        earlier_move(to->in, to->before, o->vertices[k],
                     run->displacements + 4 * (size_t)o->offsets[k]);
    }
}

static void end_overlaps(const sni_falloff_job *run, const target *to, uint32_t low,
                         uint32_t high) {
    const sni_overlaps *o = run->overlaps;
    uint32_t skipped = to->before == to->in; // nothing was before
    for (uint32_t k = low; k < high; ++k) {
        add_blended(run->displacements + 4 * (size_t)(o->offsets[k] + skipped),
                    o->offsets[k + 1] - o->offsets[k] - skipped, skipped ? 0 : 1,
                    to->points + 3 * (size_t)o->vertices[k]);
    }
}

static void run_muscles(const sni_falloff_job *run, target *to, uint32_t begin, uint32_t end) {
    for (uint32_t m = 0; m < run->muscle_count; ++m) {
        const sni_followers *f = run->muscles[m];
        if (run->moves[m] == NULL || f->count == 0 || f->vertices[0] >= end ||
            f->vertices[f->count - 1] < begin) {
            continue;
        }
        uint32_t low = lower_row(f->vertices, f->count, begin);
        uint32_t high = lower_row(f->vertices, f->count, end);
        to->places = run->overlap == SNI_FALLOFF_BLEND ? run->overlaps->places[m] : NULL;
        if (f->degrees[0] != 3 || f->degrees[1] != 3) {
            run_rows(f, run->moves[m], low, high, f->degrees[0], f->degrees[1], false, to);
        } else if (to->places == NULL && to->before == to->in) {
            run_rows(f, run->moves[m], low, high, 3, 3, true, to);
        } else {
            run_rows(f, run->moves[m], low, high, 3, 3, false, to);
        }
    }
}

static void run_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const sni_falloff_job *run = user;
    const sni_deform_job *job = run->deform;
    target to = {.points = job->points_out,
                 .in = job->points_in,
                 .before = job->points_in,
                 .displacements = run->displacements};
    memcpy(to.points + 3 * (size_t)begin, to.in + 3 * (size_t)begin,
           3 * (size_t)(end - begin) * sizeof(float));
    if (run->overlap == SNI_FALLOFF_SUM) {
        run_muscles(run, &to, begin, end);
        return;
    }
    const sni_overlaps *o = run->overlaps;
    uint32_t low = lower_row(o->vertices, o->count, begin);
    uint32_t high = lower_row(o->vertices, o->count, end);
    to.before = job->points_before != NULL ? job->points_before : job->points_in;
    begin_overlaps(run, &to, low, high);
    run_muscles(run, &to, begin, end);
    end_overlaps(run, &to, low, high);
}

void sni_falloff_run(const sni_falloff_job *job) {
    sn_parallel_for(job->deform->context, job->deform->vertex_count, FALLOFF_GRAIN, run_block,
                    (void *)job);
}
