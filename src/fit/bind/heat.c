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

// Levels of the preconditioner at most.
enum { LEVELS = 6 };

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
    lanes *w, *residual, *direction, *product, *smoothed; // node_count
    lanes *boxes;                                         // box_count
} bench;

typedef struct heater {
    const sni_volume *volume;
    const sni_limbs *limbs;
    const sni_routes *routes;
    uint32_t width;
    sni_influence *rows;
    float *exchanges;                 // node_count: m H
    float *inverses;                  // node_count: 1 / the diagonal of the matrix
    uint32_t first_boxes[LEVELS + 1]; // of each level
    uint32_t *boxes;                  // node_count: the box of the first level that a node lies in
    uint32_t *parents;                // box_count: that of the next level, SN_NONE in the last
    float *box_inverses; // box_count: 1 / the diagonal of the matrix that is left of a level
    uint32_t *numbers;   // node_count: number of its limb among those in use; SN_NONE: not reached
    uint32_t *segments;  // limbs in use, rising
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

typedef struct sums {
    double x[LANES];
} sums;

// ---------------------------------------------------------------------------------------------
// The preconditioner: BPX (Bramble, Pasciak and Xu, Parallel Multilevel Preconditioners, 1990) with
// boxes of 2, 4, 8 ... nodes in place of coarser elements,
//
//     z = D^-1 r + sum over levels P D_l^-1 P^T r,
//
// P^T adding up what lies in a box and D_l being the diagonal of P^T A P: the exchange in a box and
// the conductances that lead out of it. By the diagonal alone heat goes one node farther per round,
// and a ball of 160 nodes needs hundreds of them.

static uint32_t box_at(const heater *h, uint32_t node, uint32_t level, const uint32_t counts[3]) {
    const sni_volume *v = h->volume;
    sn_vec3 p = sn_vec3_sub(v->points[node], v->origin);
    double size = v->spacing * (double)(2u << level);
    const double at[3] = {p.x / size, p.y / size, p.z / size};
    uint32_t place[3];
    for (int axis = 0; axis < 3; ++axis) {
        place[axis] = (uint32_t)fmin(fmax(at[axis], 0), counts[axis] - 1.0);
    }
    return place[0] + counts[0] * (place[1] + counts[1] * place[2]);
}

// The numbers of boxes along the axes in a level, and in all.
static uint32_t count_boxes(const heater *h, uint32_t level, uint32_t counts[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        counts[axis] = (h->volume->counts[axis] >> (level + 1)) + 1;
    }
    return counts[0] * counts[1] * counts[2];
}

static sn_status make_boxes(heater *h, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = h->volume->context;
    uint32_t counts[3], total = 0;
    for (uint32_t level = 0; level < LEVELS; ++level) {
        h->first_boxes[level] = total;
        total += count_boxes(h, level, counts);
    }
    h->first_boxes[LEVELS] = total;
    SNI_NEW(context, h->boxes, h->volume->node_count);
    SNI_NEW(context, h->parents, total);
    SNI_NEW_ZERO(context, h->box_inverses, total);
    memset(h->parents, 0xff, total * sizeof *h->parents);
    for (uint32_t i = 0; i < h->volume->node_count; ++i) {
        uint32_t child = SN_NONE;
        for (uint32_t level = 0; level < LEVELS; ++level) {
            count_boxes(h, level, counts);
            uint32_t box = h->first_boxes[level] + box_at(h, i, level, counts);
            if (level == 0) {
                h->boxes[i] = box;
            } else {
                h->parents[child] = box;
            }
            child = box;
        }
    }
cleanup:
    return status;
}

// Adds up the diagonals. A link counts in all levels in which its ends lie in different boxes.
static void fill_boxes(heater *h) {
    const sni_volume *v = h->volume;
    for (uint32_t i = 0; i < v->node_count; ++i) {
        if (h->numbers[i] == SN_NONE) {
            continue;
        }
        for (uint32_t box = h->boxes[i]; box != SN_NONE; box = h->parents[box]) {
            h->box_inverses[box] += h->exchanges[i];
        }
        for (uint32_t k = v->offsets[i]; k < v->offsets[i + 1]; ++k) {
            uint32_t box = h->boxes[i], other = h->boxes[v->others[k]];
            while (box != SN_NONE && box != other) {
                h->box_inverses[box] += v->conductances[k];
                box = h->parents[box];
                other = h->parents[other];
            }
        }
    }
    for (uint32_t i = 0; i < h->first_boxes[LEVELS]; ++i) {
        h->box_inverses[i] = h->box_inverses[i] > 0 ? 1 / h->box_inverses[i] : 0;
    }
}

static void add_lanes(lanes *sum, const lanes *added) {
    for (int lane = 0; lane < LANES; ++lane) {
        sum->x[lane] += added->x[lane];
    }
}

// smoothed = the preconditioner of residual; returns residual . smoothed.
static sums smooth(const heater *h, const bench *b) {
    sums total = {{0}};
    uint32_t box_count = h->first_boxes[LEVELS];
    memset(b->boxes, 0, box_count * sizeof *b->boxes);
    for (uint32_t i = 0; i < h->volume->node_count; ++i) {
        add_lanes(&b->boxes[h->boxes[i]], &b->residual[i]);
    }
    // Levels follow one another, so that each box is complete when it is added to its parent, and
    // has all of what is above it when it is handed down.
    for (uint32_t i = 0; i < box_count; ++i) {
        if (h->parents[i] != SN_NONE) {
            add_lanes(&b->boxes[h->parents[i]], &b->boxes[i]);
        }
    }
    for (uint32_t i = box_count; i-- > 0;) {
        for (int lane = 0; lane < LANES; ++lane) {
            b->boxes[i].x[lane] *= h->box_inverses[i];
        }
        if (h->parents[i] != SN_NONE) {
            add_lanes(&b->boxes[i], &b->boxes[h->parents[i]]);
        }
    }
    for (uint32_t i = 0; i < h->volume->node_count; ++i) {
        const lanes *box = &b->boxes[h->boxes[i]];
        bool inside = h->numbers[i] != SN_NONE;
        for (int lane = 0; lane < LANES; ++lane) {
            float r = b->residual[i].x[lane];
            b->smoothed[i].x[lane] = inside ? h->inverses[i] * r + box->x[lane] : 0;
            total.x[lane] += (double)b->smoothed[i].x[lane] * r;
        }
    }
    return total;
}

// ---------------------------------------------------------------------------------------------
// Conjugate gradients for LANES right sides at once

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

// direction = smoothed + beta direction.
static void turn(const heater *h, const bench *b, const sums *beta) {
    for (uint32_t i = 0; i < h->volume->node_count; ++i) {
        for (int lane = 0; lane < LANES; ++lane) {
            b->direction[i].x[lane] =
                b->smoothed[i].x[lane] + (float)beta->x[lane] * b->direction[i].x[lane];
        }
    }
}

// residual . (residual / diagonal), by which it is told when to end.
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

static bool is_done(const sums *norm, const sums *target) {
    for (int lane = 0; lane < LANES; ++lane) {
        if (norm->x[lane] > tolerance * tolerance * target->x[lane]) {
            return false;
        }
    }
    return true;
}

static void solve(const heater *h, const bench *b, uint32_t first) {
    sums target = begin(h, b, first), norm = residual_norm(h, b), beta = {{0}};
    sums energy = smooth(h, b);
    for (int round = 0; round < MOST_ROUNDS && !is_done(&norm, &target); ++round) {
        turn(h, b, &beta);
        sums alpha = apply(h, b);
        for (int lane = 0; lane < LANES; ++lane) {
            alpha.x[lane] = alpha.x[lane] > 0 ? energy.x[lane] / alpha.x[lane] : 0;
        }
        step(h, b, &alpha);
        sums next = smooth(h, b);
        for (int lane = 0; lane < LANES; ++lane) {
            beta.x[lane] = energy.x[lane] > 0 ? next.x[lane] / energy.x[lane] : 0;
        }
        energy = next;
        norm = residual_norm(h, b);
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
    SN_TRY(sni_check_room(context, 5.2 * sizeof(lanes) * workers * (double)node_count,
                          "finding weights", error));
    SNI_NEW(context, h->exchanges, node_count);
    SNI_NEW(context, h->inverses, node_count);
    SNI_NEW(context, h->numbers, node_count);
    SNI_NEW(context, h->results, (size_t)BLOCKS * vertex_count(h));
    SN_TRY(make_boxes(h, error));
    SNI_NEW_ZERO(context, h->benches, workers);
    for (uint32_t i = 0; i < workers; ++i) {
        SNI_NEW(context, h->benches[i].w, node_count);
        SNI_NEW(context, h->benches[i].residual, node_count);
        SNI_NEW(context, h->benches[i].direction, node_count);
        SNI_NEW(context, h->benches[i].product, node_count);
        SNI_NEW(context, h->benches[i].smoothed, node_count);
        SNI_NEW(context, h->benches[i].boxes, h->first_boxes[LEVELS]);
    }
    SN_TRY(number_limbs(h, error));
    fill_matrix(h);
    fill_boxes(h);
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
        sni_free(context, h->benches[i].smoothed);
        sni_free(context, h->benches[i].boxes);
    }
    sni_free(context, h->exchanges);
    sni_free(context, h->inverses);
    sni_free(context, h->boxes);
    sni_free(context, h->parents);
    sni_free(context, h->box_inverses);
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
