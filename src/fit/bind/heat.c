// SPDX-License-Identifier: Apache-2.0
//
// Bone heat (Baran and Popovic, Automatic Rigging and Animation of 3D Characters, 2007, section 4)
// in the volume of the body in place of its surface. The weight w of a limb is the temperature in
// equilibrium when that limb is at 1 and all others at 0, and every point exchanges heat with the
// limb nearest to it:
//
//     -div grad w + H (w - p) = 0,   H = c / d^2,   p = 1 where the limb is the nearest, else 0
//
// d is the length of the shortest way to that limb inside the body (routes.c). On the nodes of the
// volume, with conductances k between them and masses m:
//
//     sum_j k_ij (w_i - w_j) + m_i H_i (w_i - p_i) = 0
//
// The matrix is symmetric and positive definite, every w lies between 0 and 1, and the weights of
// all limbs add up to 1. Since H falls as the square of the distance, the width of a blend goes
// with the thickness of the body there and not with its size.
#include "fit/bind/heat.h"

#include <math.h>
#include <string.h>

// c: how sharply limbs part. With 1, as in the paper, knees and elbows lose more of their volume
// than with the weights of artists.
static const double exchange = 4;

// Limbs that are solved together, and such blocks before their results are sorted in.
enum { LANES = 4, BLOCKS = 8 };

// Rounds of conjugate gradients at most, and the part of the heat at which they end.
enum { MOST_ROUNDS = 1000 };
static const double tolerance = 1e-4;

// Vertices per block.
static const uint32_t grain = 512;

typedef struct lanes {
    float x[LANES];
} lanes;

// What one worker needs.
typedef struct bench {
    lanes *w, *residual, *direction, *product; // node_count
} bench;

typedef struct heater {
    const sni_volume *volume;
    const sni_limbs *limbs;
    const sni_routes *routes;
    uint32_t width;
    sni_influence *rows;
    float *exchanges;   // node_count: m H
    float *inverses;    // node_count: 1 / the diagonal of the matrix
    uint32_t *numbers;  // node_count: number of its limb among those in use; SN_NONE: not reached
    uint32_t *segments; // limbs in use, rising
    uint32_t segment_count;
    uint32_t first; // limb of the present round
    lanes *results; // BLOCKS x vertices
    bench *benches; // one per worker
} heater;

static uint32_t vertex_count(const heater *h) {
    return h->volume->node_count - h->volume->inner_count;
}

// ---------------------------------------------------------------------------------------------
// The matrix

static double mass_of(const sni_volume *v, uint32_t node) {
    return node < v->inner_count ? 1 : fmin(0.5 * v->areas[node], 1);
}

static void fill_matrix(heater *h) {
    const sni_volume *v = h->volume;
    for (uint32_t i = 0; i < v->node_count; ++i) {
        double diagonal = 0, d = fmax(h->routes->distances[i] / v->spacing, 0.5);
        for (uint32_t k = v->offsets[i]; k < v->offsets[i + 1]; ++k) {
            diagonal += v->conductances[k];
        }
        double exchanged = mass_of(v, i) * exchange / (d * d);
        h->exchanges[i] = (float)exchanged;
        h->inverses[i] = h->numbers[i] != SN_NONE ? (float)(1 / (diagonal + exchanged)) : 0;
    }
}

// Numbers the limbs that some node is nearest to.
static sn_status number_limbs(heater *h, sn_error *error) {
    sn_status status = SN_OK;
    const sni_volume *v = h->volume;
    uint32_t *numbers = NULL;
    SNI_NEW_ZERO(v->context, numbers, h->limbs->segment_count);
    SNI_NEW(v->context, h->segments, h->limbs->segment_count);
    for (uint32_t i = 0; i < v->node_count; ++i) {
        if (h->routes->lines[i] != SN_NONE) {
            numbers[h->limbs->lines[h->routes->lines[i]].segment] = 1;
        }
    }
    for (uint32_t s = 0; s < h->limbs->segment_count; ++s) {
        if (numbers[s] != 0) {
            h->segments[h->segment_count] = s;
            numbers[s] = h->segment_count++;
        }
    }
    for (uint32_t i = 0; i < v->node_count; ++i) {
        uint32_t line = h->routes->lines[i];
        h->numbers[i] = line != SN_NONE ? numbers[h->limbs->lines[line].segment] : SN_NONE;
    }
cleanup:
    sni_free(v->context, numbers);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Conjugate gradients, preconditioned by the diagonal, for LANES right sides at once

typedef struct sums {
    double x[LANES];
} sums;

static lanes apply_row(const heater *h, const lanes *x, uint32_t i) {
    const sni_volume *v = h->volume;
    lanes y;
    float diagonal = h->inverses[i] > 0 ? 1 / h->inverses[i] : 0;
    for (int lane = 0; lane < LANES; ++lane) {
        y.x[lane] = diagonal * x[i].x[lane];
    }
    for (uint32_t k = v->offsets[i]; k < v->offsets[i + 1]; ++k) {
        const lanes *other = &x[v->others[k]];
        for (int lane = 0; lane < LANES; ++lane) {
            y.x[lane] -= v->conductances[k] * other->x[lane];
        }
    }
    return y;
}

// product = A direction; returns direction . product.
static sums apply(const heater *h, const bench *b) {
    sums total = {{0}};
    for (uint32_t i = 0; i < h->volume->node_count; ++i) {
        if (h->numbers[i] == SN_NONE) {
            continue;
        }
        b->product[i] = apply_row(h, b->direction, i);
        for (int lane = 0; lane < LANES; ++lane) {
            total.x[lane] += (double)b->direction[i].x[lane] * b->product[i].x[lane];
        }
    }
    return total;
}

// Starts from w = p, which is near the solution at most nodes; returns the right side's norm.
static sums begin(const heater *h, const bench *b, uint32_t first) {
    sums total = {{0}};
    size_t size = h->volume->node_count * sizeof(lanes);
    memset(b->w, 0, size);
    memset(b->direction, 0, size);
    memset(b->residual, 0, size);
    for (uint32_t i = 0; i < h->volume->node_count; ++i) {
        uint32_t lane = h->numbers[i] - first;
        if (h->numbers[i] != SN_NONE && lane < LANES) {
            b->w[i].x[lane] = 1;
            total.x[lane] += (double)h->exchanges[i] * h->exchanges[i] * h->inverses[i];
        }
    }
    for (uint32_t i = 0; i < h->volume->node_count; ++i) {
        uint32_t lane = h->numbers[i] - first;
        if (h->numbers[i] == SN_NONE) {
            continue;
        }
        lanes product = apply_row(h, b->w, i);
        for (uint32_t k = 0; k < LANES; ++k) {
            b->residual[i].x[k] = (k == lane ? h->exchanges[i] : 0) - product.x[k];
        }
    }
    return total;
}

// direction = residual / diagonal + beta direction.
static void turn(const heater *h, const bench *b, const sums *beta) {
    for (uint32_t i = 0; i < h->volume->node_count; ++i) {
        for (int lane = 0; lane < LANES; ++lane) {
            b->direction[i].x[lane] = h->inverses[i] * b->residual[i].x[lane] +
                                      (float)beta->x[lane] * b->direction[i].x[lane];
        }
    }
}

// residual . (residual / diagonal)
static sums residual_norm(const heater *h, const bench *b) {
    sums total = {{0}};
    for (uint32_t i = 0; i < h->volume->node_count; ++i) {
        for (int lane = 0; lane < LANES; ++lane) {
            float r = b->residual[i].x[lane];
            total.x[lane] += (double)(h->inverses[i] * r) * r;
        }
    }
    return total;
}

static void step(const heater *h, const bench *b, const sums *alpha) {
    for (uint32_t i = 0; i < h->volume->node_count; ++i) {
        if (h->numbers[i] == SN_NONE) {
            continue;
        }
        for (int lane = 0; lane < LANES; ++lane) {
            b->w[i].x[lane] += (float)alpha->x[lane] * b->direction[i].x[lane];
            b->residual[i].x[lane] -= (float)alpha->x[lane] * b->product[i].x[lane];
        }
    }
}

static void solve(const heater *h, const bench *b, uint32_t first) {
    sums target = begin(h, b, first), norm = residual_norm(h, b), beta = {{0}};
    for (int round = 0; round < MOST_ROUNDS; ++round) {
        bool done = true;
        for (int lane = 0; lane < LANES; ++lane) {
            done = done && norm.x[lane] <= tolerance * tolerance * target.x[lane];
        }
        if (done) {
            return;
        }
        turn(h, b, &beta);
        sums alpha = apply(h, b);
        for (int lane = 0; lane < LANES; ++lane) {
            alpha.x[lane] = alpha.x[lane] > 0 ? norm.x[lane] / alpha.x[lane] : 0;
        }
        step(h, b, &alpha);
        sums next = residual_norm(h, b);
        for (int lane = 0; lane < LANES; ++lane) {
            beta.x[lane] = norm.x[lane] > 0 ? next.x[lane] / norm.x[lane] : 0;
        }
        norm = next;
    }
}

// ---------------------------------------------------------------------------------------------
// All limbs

static void solve_blocks(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    const heater *h = user;
    const bench *b = &h->benches[worker];
    for (uint32_t block = begin; block < end; ++block) {
        solve(h, b, h->first + block * LANES);
        memcpy(h->results + (size_t)block * vertex_count(h), b->w + h->volume->inner_count,
               vertex_count(h) * sizeof *h->results);
    }
}

static void sort_in(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const heater *h = user;
    uint32_t count = h->segment_count - h->first;
    count = count < BLOCKS * LANES ? count : BLOCKS * LANES;
    for (uint32_t v = begin; v < end; ++v) {
        for (uint32_t i = 0; i < count; ++i) {
            double weight = h->results[(size_t)(i / LANES) * vertex_count(h) + v].x[i % LANES];
            if (weight > 0) {
                sni_insert_influence(h->rows + (size_t)v * h->width, h->width,
                                     h->segments[h->first + i], weight);
            }
        }
    }
}

static sn_status solve_all(heater *h, const sn_progress *progress, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = h->volume->context;
    for (; h->first < h->segment_count; h->first += BLOCKS * LANES) {
        uint32_t left = h->segment_count - h->first;
        uint32_t blocks = left < BLOCKS * LANES ? (left + LANES - 1) / LANES : BLOCKS;
        SN_TRY(sni_progress(progress, "weights", (double)h->first / h->segment_count, error));
        sn_parallel_for(context, blocks, 1, solve_blocks, h);
        sn_parallel_for(context, vertex_count(h), grain, sort_in, h);
    }
    SN_TRY(sni_progress(progress, "weights", 1, error));
cleanup:
    return status;
}

static sn_status heater_init(heater *h, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = h->volume->context;
    size_t node_count = h->volume->node_count;
    uint32_t workers = sn_context_thread_count(context);
    SN_TRY(sni_check_room(context, 4.0 * sizeof(lanes) * workers * (double)node_count,
                          "finding weights", error));
    SNI_NEW(context, h->exchanges, node_count);
    SNI_NEW(context, h->inverses, node_count);
    SNI_NEW(context, h->numbers, node_count);
    SNI_NEW(context, h->results, (size_t)BLOCKS * vertex_count(h));
    SNI_NEW_ZERO(context, h->benches, workers);
    for (uint32_t i = 0; i < workers; ++i) {
        SNI_NEW(context, h->benches[i].w, node_count);
        SNI_NEW(context, h->benches[i].residual, node_count);
        SNI_NEW(context, h->benches[i].direction, node_count);
        SNI_NEW(context, h->benches[i].product, node_count);
    }
    SN_TRY(number_limbs(h, error));
    fill_matrix(h);
cleanup:
    return status;
}

static void heater_deinit(heater *h) {
    sn_context *context = h->volume->context;
    for (uint32_t i = 0; h->benches != NULL && i < sn_context_thread_count(context); ++i) {
        sni_free(context, h->benches[i].w);
        sni_free(context, h->benches[i].residual);
        sni_free(context, h->benches[i].direction);
        sni_free(context, h->benches[i].product);
    }
    sni_free(context, h->exchanges);
    sni_free(context, h->inverses);
    sni_free(context, h->numbers);
    sni_free(context, h->segments);
    sni_free(context, h->results);
    sni_free(context, h->benches);
}

sn_status sni_heat_solve(const sni_volume *volume, const sni_limbs *limbs, const sni_routes *routes,
                         uint32_t width, sni_influence *rows, const sn_progress *progress,
                         sn_error *error) {
    sn_status status = SN_OK;
    heater h = {.volume = volume, .limbs = limbs, .routes = routes, .width = width, .rows = rows};
    SN_TRY(heater_init(&h, error));
    for (uint32_t v = 0; v < vertex_count(&h); ++v) {
        sni_influences_clear(rows + (size_t)v * width, width);
    }
    SN_TRY(solve_all(&h, progress, error));
cleanup:
    heater_deinit(&h);
    return status;
}
