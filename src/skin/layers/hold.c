// SPDX-License-Identifier: Apache-2.0
#include "skin/layers/hold.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

// Flesh up to this thick is held along its normal in full, thicker flesh less, down to a tenth:
// bony places hold, fleshy ones give way. Metres.
static const double bony = 0.035, least_hold = 0.1;
// How firmly a muscle at rest has the skin, as a part of one that contracts, and how far it has to
// go to have it half as firmly, metres.
static const double resting_tie = 0.01, half_way = 0.002;
// Segments that a column follows by less than this do not count for it.
static const double least_carrier = 0.02;
// What has gone this far aside tells half as much about the height of the flesh over it, metres.
static const double still = 0.005;
// Columns of a block.
enum { COLUMN_GRAIN = 512 };
// What muscles do to a column: c g (T - p) of all tied triangles, c g, and the lift.
enum { ROW = 5 };

// ---------------------------------------------------------------------------------------------
// Binding

static double hold_share(const sni_layers_hold_desc *d, uint32_t i) {
    double radius = (double)d->fascia->radii[i], below = (double)d->under->distances[i];
    double part = bony / fmax(isfinite(below) ? fmin(below, radius) : radius, 1e-9);
    return fmin(fmax(part * part, least_hold), 1);
}

// The mean of the outward directions around each column.
static sn_status find_sides(sni_layers_hold *h, sn_error *error) {
    const sni_layers_mesh *m = h->desc.mesh;
    size_t count = 3 * (size_t)m->column_count;
    sni_arena arena;
    sn_status status = SN_OK;
    sni_arena_init(&arena, m->context);
    SNI_NEW(m->context, h->sides, count);
    memcpy(h->sides, h->desc.fascia->outwards, count * sizeof *h->sides);
    SN_TRY(sni_layers_spread_run(&h->spread, &arena, 3, h->sides) ? SN_OK : sni_fail_memory(error));
cleanup:
    sni_arena_deinit(&arena);
    return status;
}

sn_status sni_layers_hold_init(const sni_layers_hold_desc *desc, sni_layers_hold *h,
                               sn_error *error) {
    sn_context *context = desc->mesh->context;
    uint32_t count = desc->mesh->column_count;
    sn_status status = SN_OK;
    *h = (sni_layers_hold){.desc = *desc};
    SN_TRY(sni_layers_spread_init(desc->mesh, desc->spread, &h->spread, error));
    SNI_NEW(context, h->holds, count);
    for (uint32_t i = 0; i < count; ++i) {
        h->holds[i] = (float)(desc->hold * hold_share(desc, i));
    }
    SN_TRY(find_sides(h, error));
cleanup:
    return status;
}

void sni_layers_hold_deinit(sni_layers_hold *h) {
    if (h->desc.mesh != NULL) {
        sni_layers_spread_deinit(&h->spread);
        sni_free(h->desc.mesh->context, h->holds);
        sni_free(h->desc.mesh->context, h->sides);
    }
    *h = (sni_layers_hold){0};
}

size_t sni_layers_hold_bytes(const sni_layers_hold *h) {
    return h->desc.mesh == NULL ? 0
                                : h->desc.mesh->column_count * 4 * sizeof(float) +
                                      sni_layers_spread_bytes(&h->spread);
}

// ---------------------------------------------------------------------------------------------
// A frame

typedef struct hold_run {
    const sni_layers_hold *hold;
    const sni_layers_motions *motions;
    const float *matrices; // of the triangles that columns follow
    float *rows;           // column_count x ROW
    const float *kappa;    // column_count
    sni_layers_held *held;
} hold_run;

static void store_quat(sn_quat q, float *values) {
    values[0] = (float)q.x;
    values[1] = (float)q.y;
    values[2] = (float)q.z;
    values[3] = (float)q.w;
}

static sn_quat load_quat(const float *q) {
    return (sn_quat){q[0], q[1], q[2], q[3]};
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

// Where a column's fascia would be without muscles: where its segments together take it, and each
// of them alone.
typedef struct carried_places {
    uint32_t count;
    sn_vec3 at[1 + SNI_LAYERS_INFLUENCES];
} carried_places;

static carried_places find_places(const hold_run *run, uint32_t i, sn_vec3 rest) {
    const sni_layers_prediction *p = run->hold->desc.prediction;
    carried_places places = {.count = 1, .at = {sn_vec3_load(run->held->fascia + 4 * (size_t)i)}};
    for (uint32_t k = p->starts[i]; k < p->starts[i + 1]; ++k) {
        if ((double)p->weights[k] > least_carrier) {
            places.at[places.count++] =
                sn_mat4_point(&run->motions->matrices[p->segments[k]], rest);
        }
    }
    return places;
}

// How firmly a muscle has the skin, from where it takes it: g.
static double firmness(const carried_places *places, sn_vec3 to, double confidence) {
    double square = INFINITY;
    for (uint32_t k = 0; k < places->count; ++k) {
        sn_vec3 way = sn_vec3_sub(to, places->at[k]);
        square = fmin(square, sn_vec3_dot(way, way));
    }
    double moved = square / (square + half_way * half_way);
    return resting_tie * confidence * (1 - moved) + moved;
}

// What muscles and other components that deform do to each column.
static void displace_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const hold_run *run = user;
    const sni_layers_hold_desc *d = &run->hold->desc;
    const sni_layers_follow *tied = &d->under->tied, *lifted = &d->under->lifted;
    for (uint32_t i = begin; i < end; ++i) {
        sn_vec3 rest = sn_vec3_load(d->fascia->points + 3 * (size_t)i), pull = {0, 0, 0};
        sn_vec3 back = sn_vec3_sub(rest, sn_vec3_load(run->held->fascia + 4 * (size_t)i));
        sn_vec3 n = sn_vec3_load(run->held->normals + 4 * (size_t)i);
        double share = 0, lift = 0;
        carried_places places = {0};
        if (tied->starts[i + 1] > tied->starts[i]) {
            places = find_places(run, i, rest);
        }
        for (uint32_t k = tied->starts[i]; k < tied->starts[i + 1]; ++k) {
            const float *m = run->matrices + SNI_BLEND_MATRIX * (size_t)tied->triangles[k];
            sn_vec3 way = sn_vec3_add(displacement(m, rest), back);
            double firm = (double)tied->weights[k] *
                          firmness(&places, sn_vec3_add(way, places.at[0]), (double)run->kappa[i]);
            pull = sn_vec3_add_scaled(pull, firm, way);
            share += firm;
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
        row[3] = (float)share;
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
        double share = (double)row[3], tie = h->desc.tie * share, lift = (double)row[4];
        double stiffness = h->desc.slide * (double)run->kappa[i] + tie;
        sn_vec3 n = sn_vec3_load(run->held->normals + at), off = {0, 0, 0};
        if (share > 0) {
            sn_vec3 way = sn_vec3_scale(sn_vec3_load(row), 1 / share);
            sn_vec3 side = sn_quat_rotate(load_quat(run->held->rotations + at),
                                          sn_vec3_load(h->sides + 3 * (size_t)i));
            way = sn_vec3_add_scaled(way, -sn_vec3_dot(side, way), side);
            off = sn_vec3_scale(way, tie / fmax(stiffness, 1e-30));
        }
        off = sn_vec3_add_scaled(off, lift, n);
        off = h->desc.pinned[i] ? sn_vec3_make(0, 0, 0) : off;
        sn_vec3 p = sn_vec3_load(run->held->fascia + at), x = sn_vec3_load(run->held->skin + at);
        sn_vec3_store(sn_vec3_add(p, off), run->held->anchors + at);
        sn_vec3_store(sn_vec3_add(p, off), run->held->fascia + at);
        sn_vec3_store(sn_vec3_add(x, off), run->held->skin + at);
        run->held->anchors[at + 3] = (float)stiffness;
    }
}

bool sni_layers_hold_run(const sni_layers_hold *h, sni_arena *arena, const sn_mat4 *worlds,
                         const sni_layers_under_pose *pose, sni_layers_held *held) {
    sn_context *context = h->desc.mesh->context;
    uint32_t count = h->desc.mesh->column_count;
    sni_layers_motions motions;
    hold_run run = {.hold = h, .motions = &motions, .held = held};
    run.rows = sni_arena_alloc(arena, ROW * (size_t)count, sizeof *run.rows);
    float *kappa = sni_arena_alloc(arena, count, sizeof *kappa);
    if (run.rows == NULL || kappa == NULL ||
        !sni_layers_motions_make(h->desc.prediction, worlds, pose->to_frame, arena, &motions) ||
        (run.matrices = sni_layers_under_matrices(h->desc.under, arena, pose)) == NULL) {
        return false;
    }
    sn_parallel_for(context, count, COLUMN_GRAIN, predict_block, &run);
    if (!sni_layers_confidence_run(h->desc.confidence, arena, held->fascia, kappa)) {
        return false;
    }
    run.kappa = kappa;
    sn_parallel_for(context, count, COLUMN_GRAIN, displace_block, &run);
    if (h->desc.under->triangle_count > 0 &&
        !sni_layers_spread_run(&h->spread, arena, ROW, run.rows)) {
        return false;
    }
    sn_parallel_for(context, count, COLUMN_GRAIN, anchor_block, &run);
    return true;
}
