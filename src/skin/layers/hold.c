// SPDX-License-Identifier: Apache-2.0
#include "skin/layers/hold.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

// What a column takes of the mean of its neighbours in a round of averaging, and the most rounds.
static const double average_share = 0.8;
enum { MOST_ROUNDS = 64 };
// Flesh up to this thick is held along its normal in full, thicker flesh less, down to a tenth:
// bony places hold, fleshy ones give way. Metres.
static const double bony = 0.035, least_hold = 0.1;
// How firmly a muscle at rest has the skin, as a part of one that contracts, and how far it has to
// go to have it half as firmly, metres.
static const double resting_tie = 0.002, half_way = 0.002;
// A muscle that is contracted by this much pulls by all that it moves.
static const double awake = 0.1;
// A muscle that rays hardly meet anywhere is not made stronger than this many times.
static const double most_strength = 10;
// How far a muscle pulls the fascia that it covers, in its own ways: what averaging takes away at
// its end, where it pulls most, is made good.
static const double pull_share = 1.6;
// What has gone this far aside tells half as much about the height of the flesh over it, metres.
static const double still = 0.005;
// Columns of a block.
enum { COLUMN_GRAIN = 512 };
// What muscles do to a column: how far they pull it, how firmly, and the lift.
enum { ROW = 5 };
// Muscles whose coverage is averaged at a time.
enum { LANES = 16 };

// ---------------------------------------------------------------------------------------------
// Binding

static double hold_share(const sni_layers_hold_desc *d, uint32_t i) {
    double radius = (double)d->fascia->radii[i], below = (double)d->under->distances[i];
    double part = bony / fmax(isfinite(below) ? fmin(below, radius) : radius, 1e-9);
    return fmin(fmax(part * part, least_hold), 1);
}

// n rounds of share s spread over about sqrt(n s) edges. An even number, so that the result is
// where it began.
static uint32_t rounds_for(const sni_layers_mesh *m, double spread) {
    double edge = 0;
    for (uint32_t i = 0; i < m->column_count; ++i) {
        edge += sni_layers_edge(m, i) / m->column_count;
    }
    double rounds = edge > 0 ? spread * spread / (edge * edge * average_share) : 0;
    return 2 * (uint32_t)ceil(fmin(rounds, MOST_ROUNDS) / 2);
}

// How much of each column's rays meets each of LANES components from `first` on.
static void cover(const sni_layers_under *u, uint32_t first, float *rows) {
    memset(rows, 0, LANES * (size_t)u->column_count * sizeof *rows);
    for (uint32_t i = 0; i < u->column_count; ++i) {
        for (uint32_t k = u->tied.starts[i]; k < u->tied.starts[i + 1]; ++k) {
            uint32_t component = u->triangles[u->tied.triangles[k]].component;
            if (component >= first && component < first + LANES) {
                rows[LANES * (size_t)i + (component - first)] += u->tied.weights[k];
            }
        }
    }
}

// g of one of LANES components.
static float strength_of(const sni_layers_hold *h, uint32_t lane, const float *averaged) {
    double most = 1 / most_strength;
    for (uint32_t i = 0; i < h->desc.mesh->column_count; ++i) {
        most = fmax(most, (double)averaged[LANES * (size_t)i + lane]);
    }
    return (float)(pull_share / most);
}

static sn_status find_strengths(sni_layers_hold *h, sn_error *error) {
    const sni_layers_under *u = h->desc.under;
    sn_context *context = h->desc.mesh->context;
    size_t number = LANES * (size_t)u->column_count;
    float *now = NULL, *next = NULL;
    sn_status status = SN_OK;
    SNI_NEW(context, h->strengths, u->component_count);
    SNI_NEW(context, now, number);
    SNI_NEW(context, next, number);
    for (uint32_t first = 0; first < u->component_count; first += LANES) {
        cover(u, first, now);
        for (uint32_t round = 0; round < h->rounds; ++round) {
            sni_surface_graph_average(&h->desc.mesh->graph, LANES, average_share, now, next);
            float *other = now;
            now = next;
            next = other;
        }
        for (uint32_t c = first; c < u->component_count && c < first + LANES; ++c) {
            h->strengths[c] = strength_of(h, c - first, now);
        }
    }
cleanup:
    sni_free(context, now);
    sni_free(context, next);
    return status;
}

sn_status sni_layers_hold_init(const sni_layers_hold_desc *desc, sni_layers_hold *h,
                               sn_error *error) {
    sn_context *context = desc->mesh->context;
    uint32_t count = desc->mesh->column_count;
    sn_status status = SN_OK;
    *h = (sni_layers_hold){.desc = *desc, .rounds = rounds_for(desc->mesh, desc->spread)};
    SNI_NEW(context, h->holds, count);
    for (uint32_t i = 0; i < count; ++i) {
        h->holds[i] = (float)(desc->hold * hold_share(desc, i));
    }
    SN_TRY(find_strengths(h, error));
cleanup:
    return status;
}

void sni_layers_hold_deinit(sni_layers_hold *h) {
    if (h->desc.mesh != NULL) {
        sni_free(h->desc.mesh->context, h->holds);
        sni_free(h->desc.mesh->context, h->strengths);
    }
    *h = (sni_layers_hold){0};
}

size_t sni_layers_hold_bytes(const sni_layers_hold *h) {
    return h->desc.mesh == NULL
               ? 0
               : ((size_t)h->desc.mesh->column_count + h->desc.under->component_count) *
                     sizeof(float);
}

// ---------------------------------------------------------------------------------------------
// A frame

typedef struct hold_run {
    const sni_layers_hold *hold;
    const sni_layers_motions *motions;
    const float *matrices;     // of the triangles that columns follow
    const float *contractions; // of components
    float *rows, *next;        // column_count x ROW
    const float *kappa;        // column_count
    sni_layers_held *held;
} hold_run;

static void store_quat(sn_quat q, float *values) {
    values[0] = (float)q.x;
    values[1] = (float)q.y;
    values[2] = (float)q.z;
    values[3] = (float)q.w;
}

// Where segments take columns.
static void predict_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const hold_run *run = user;
    const sni_layers_hold_desc *d = &run->hold->desc;
    for (uint32_t i = begin; i < end; ++i) {
        sni_layers_motion motion = sni_layers_column_motion(d->prediction, run->motions, i);
        size_t from = 3 * (size_t)i, to = 4 * (size_t)i;
        sn_vec3_store(sni_layers_move(&motion, sn_vec3_load(d->mesh->points + from)),
                      run->held->skin + to);
        sn_vec3 y = sni_layers_move(&motion, sn_vec3_load(d->fascia->points + from));
        sn_vec3_store(y, run->held->fascia + to);
        sn_vec3_store(y, run->held->anchors + to);
        sn_vec3_store(sn_quat_rotate(motion.turn, sn_vec3_load(d->fascia->outwards + from)),
                      run->held->normals + to);
        run->held->normals[to + 3] = run->hold->holds[i];
        store_quat(motion.turn, run->held->rotations + to);
    }
}

// Where a triangle takes a point, less the point.
static sn_vec3 displacement(const float *m, sn_vec3 p) {
    return sn_vec3_make(
        (double)m[0] * p.x + (double)m[3] * p.y + (double)m[6] * p.z + (double)m[9],
        (double)m[1] * p.x + (double)m[4] * p.y + (double)m[7] * p.z + (double)m[10],
        (double)m[2] * p.x + (double)m[5] * p.y + (double)m[8] * p.z + (double)m[11]);
}

// How firmly a muscle has the skin that it takes along by a way: f.
static double firmness(sn_vec3 way) {
    double square = sn_vec3_dot(way, way);
    return resting_tie + (1 - resting_tie) * square / (square + half_way * half_way);
}

// What muscles and other components that deform do to each column.
static void displace_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const hold_run *run = user;
    const sni_layers_hold_desc *d = &run->hold->desc;
    const sni_layers_under *under = d->under;
    const sni_layers_follow *tied = &under->tied, *lifted = &under->lifted;
    for (uint32_t i = begin; i < end; ++i) {
        sn_vec3 rest = sn_vec3_load(d->fascia->points + 3 * (size_t)i), pull = {0, 0, 0};
        sn_vec3 back = sn_vec3_sub(rest, sn_vec3_load(run->held->fascia + 4 * (size_t)i));
        sn_vec3 n = sn_vec3_load(run->held->normals + 4 * (size_t)i);
        double firm = 0, lift = 0;
        for (uint32_t k = tied->starts[i]; k < tied->starts[i + 1]; ++k) {
            const float *m = run->matrices + SNI_BLEND_MATRIX * (size_t)tied->triangles[k];
            sn_vec3 way = sn_vec3_add(displacement(m, rest), back);
            uint32_t component = under->triangles[tied->triangles[k]].component;
            double active = fmin((double)run->contractions[component] / awake, 1);
            double share = (double)tied->weights[k];
            double strength = (double)run->hold->strengths[component];
            pull = sn_vec3_add_scaled(pull, active * share * strength, way);
            firm += share * firmness(way);
        }
        for (uint32_t k = lifted->starts[i]; k < lifted->starts[i + 1]; ++k) {
            const float *m = run->matrices + SNI_BLEND_MATRIX * (size_t)lifted->triangles[k];
            sn_vec3 way = sn_vec3_add(displacement(m, rest), back);
            double along = sn_vec3_dot(n, way), aside = sn_vec3_dot(way, way) - along * along;
            along = fmin(fmax(along, d->lowest), d->highest);
            lift += (double)lifted->weights[k] * along * still * still / (still * still + aside);
        }
        float *row = run->rows + ROW * (size_t)i;
        sn_vec3_store(pull, row);
        row[3] = (float)firm;
        row[4] = (float)lift;
    }
}

// The anchor of each column, with the stiffness along the surface. Columns begin where it is.
static void anchor_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const hold_run *run = user;
    const sni_layers_hold *h = run->hold;
    for (uint32_t i = begin; i < end; ++i) {
        size_t at = 4 * (size_t)i;
        const float *row = run->rows + ROW * (size_t)i;
        double slide = h->desc.slide * (double)run->kappa[i];
        double lift = (double)row[4];
        sn_vec3 n = sn_vec3_load(run->held->normals + at);
        sn_vec3 off = h->desc.tie > 0 ? sn_vec3_load(row) : sn_vec3_make(0, 0, 0);
        off = sn_vec3_add_scaled(off, lift - sn_vec3_dot(n, off), n);
        sn_vec3 p = sn_vec3_load(run->held->fascia + at), x = sn_vec3_load(run->held->skin + at);
        sn_vec3_store(sn_vec3_add(p, off), run->held->anchors + at);
        sn_vec3_store(sn_vec3_add(p, off), run->held->fascia + at);
        sn_vec3_store(sn_vec3_add(x, off), run->held->skin + at);
        run->held->anchors[at + 3] = (float)(slide + h->desc.tie * (double)row[3]);
    }
}

static void average_rows(hold_run *run) {
    const sni_layers_under *under = run->hold->desc.under;
    for (uint32_t round = 0; under->triangle_count > 0 && round < run->hold->rounds; ++round) {
        sni_surface_graph_average(&run->hold->desc.mesh->graph, ROW, average_share, run->rows,
                                  run->next);
        float *other = run->rows;
        run->rows = run->next;
        run->next = other;
    }
}

bool sni_layers_hold_run(const sni_layers_hold *h, sni_arena *arena, const sn_mat4 *worlds,
                         const sni_layers_under_pose *pose, sni_layers_held *held) {
    sn_context *context = h->desc.mesh->context;
    uint32_t count = h->desc.mesh->column_count;
    sni_layers_motions motions;
    hold_run run = {.hold = h, .motions = &motions, .held = held};
    run.rows = sni_arena_alloc(arena, ROW * (size_t)count, sizeof *run.rows);
    run.next = sni_arena_alloc(arena, ROW * (size_t)count, sizeof *run.next);
    float *kappa = sni_arena_alloc(arena, count, sizeof *kappa);
    if (run.rows == NULL || run.next == NULL || kappa == NULL ||
        !sni_layers_motions_make(h->desc.prediction, worlds, pose->to_frame, arena, &motions) ||
        (run.matrices = sni_layers_under_matrices(h->desc.under, arena, pose)) == NULL) {
        return false;
    }
    sn_parallel_for(context, count, COLUMN_GRAIN, predict_block, &run);
    if (!sni_layers_confidence_run(h->desc.confidence, arena, held->fascia, kappa)) {
        return false;
    }
    run.kappa = kappa;
    run.contractions = pose->contractions;
    sn_parallel_for(context, count, COLUMN_GRAIN, displace_block, &run);
    average_rows(&run);
    sn_parallel_for(context, count, COLUMN_GRAIN, anchor_block, &run);
    return true;
}
