// SPDX-License-Identifier: Apache-2.0
#include "fit/head/push.h"

#include "base/rows.h"
#include "geometry/triangle.h"

#include <string.h>

// Rounds of pushing; after the first ones moves are spread to neighbours so many times.
enum { ROUNDS = 24, SPREAD_ROUNDS = 16, SPREADS = 2, MEND_ROUNDS = 8, GRAIN = 128 };

// Deeper in bones than allowed by this is not left, metres.
static const double bone_slack = 0.0005;

// A mended triangle gets this part of the height that it had.
static const double mended_height = 0.5;

double sni_obstacle_depth(const sni_obstacle *bones, sn_vec3 point, sn_vec3 *out) {
    *out = sn_vec3_make(0, 0, 0);
    if (bones->accel == NULL || sni_winding_at(bones->winding, point) <= 0.5) {
        return 0;
    }
    sn_closest closest;
    sn_accel_find_closest(bones->accel, point, INFINITY, &closest);
    *out = sn_vec3_sub(closest.point, point);
    return closest.distance;
}

typedef struct pusher {
    sn_context *context;
    const sni_push_desc *desc;
    sn_vec3 *start, *moves, *spread;
    uint32_t *offsets, *neighbors;
    uint8_t *violated;
} pusher;

// The move that a point still needs.
static sn_vec3 needed(const sni_push_desc *d, uint32_t i, uint8_t *violated) {
    sni_skin_place place;
    sn_vec3 point = d->points[i], move = {0, 0, 0}, out;
    double depth = sni_head_surface_depth(d->skin, point, &place);
    *violated = 0;
    if (place.on_border) {
        return move;
    }
    double in_bone = sni_obstacle_depth(&d->bones, point, &out);
    if (in_bone > d->allowed[i] + bone_slack) {
        move = sn_vec3_scale(out, (in_bone - d->allowed[i]) / in_bone);
        *violated = 2;
    }
    if (depth < d->clearance) {
        sn_vec3 inward = sn_vec3_scale(sn_vec3_sub(point, place.point), depth > 0 ? 1 : -1);
        inward = sn_vec3_normalize_or(inward, sn_vec3_scale(place.normal, -1));
        move = sn_vec3_scale(inward, d->clearance * 1.1 - depth);
        *violated = 1;
    }
    return move;
}

static void find_needs(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const pusher *p = user;
    for (uint32_t i = begin; i < end; ++i) {
        sn_vec3 move = needed(p->desc, i, &p->violated[i]);
        p->moves[i] = sn_vec3_add(p->moves[i], move);
    }
}

// Every move becomes the mean of itself and those beside it; those that are needed stay.
static void spread_moves(pusher *p) {
    for (int round = 0; round < SPREADS; ++round) {
        for (uint32_t i = 0; i < p->desc->count; ++i) {
            sn_vec3 sum = {0, 0, 0};
            uint32_t count = p->offsets[i + 1] - p->offsets[i];
            for (uint32_t k = p->offsets[i]; k < p->offsets[i + 1]; ++k) {
                sum = sn_vec3_add(sum, p->moves[p->neighbors[k]]);
            }
            sn_vec3 mean = count > 0 ? sn_vec3_scale(sum, 1.0 / count) : p->moves[i];
            p->spread[i] = p->violated[i] ? p->moves[i] : sn_vec3_lerp(p->moves[i], mean, 0.5);
        }
        sn_vec3 *kept = p->moves;
        p->moves = p->spread;
        p->spread = kept;
    }
}

static sn_status pusher_init(pusher *p, sn_error *error) {
    sn_status status = SN_OK;
    const sni_push_desc *d = p->desc;
    SNI_NEW(p->context, p->start, d->count);
    SNI_NEW_ZERO(p->context, p->moves, d->count);
    SNI_NEW_ZERO(p->context, p->spread, d->count);
    SNI_NEW_ZERO(p->context, p->violated, d->count);
    SNI_NEW_ZERO(p->context, p->offsets, (size_t)d->count + 1);
    SNI_NEW(p->context, p->neighbors, 6 * (size_t)d->triangle_count);
    memcpy(p->start, d->points, d->count * sizeof *p->start);
    // Each triangle lists both others at every corner; neighbours may stand twice.
    for (uint32_t c = 0; c < 3 * d->triangle_count; ++c) {
        sni_rows_count(p->offsets, d->vertices[c], 2);
    }
    sni_rows_begin(p->offsets, d->count);
    for (uint32_t t = 0; t < d->triangle_count; ++t) {
        const uint32_t *v = d->vertices + 3 * (size_t)t;
        for (int k = 0; k < 3; ++k) {
            p->neighbors[sni_rows_take(p->offsets, v[k])] = v[(k + 1) % 3];
            p->neighbors[sni_rows_take(p->offsets, v[k])] = v[(k + 2) % 3];
        }
    }
    sni_rows_end(p->offsets, d->count);
cleanup:
    return status;
}

sn_status sni_push(sn_context *context, const sni_push_desc *desc, sni_pushed *pushed,
                   sn_error *error) {
    sn_status status = SN_OK;
    pusher p = {.context = context, .desc = desc};
    *pushed = (sni_pushed){0};
    SN_TRY(pusher_init(&p, error));
    bool any = true;
    for (int round = 0; round < ROUNDS && any; ++round) {
        sn_parallel_for(context, desc->count, GRAIN, find_needs, &p);
        any = false;
        for (uint32_t i = 0; i < desc->count; ++i) {
            any = any || p.violated[i];
        }
        if (any && round < SPREAD_ROUNDS) {
            spread_moves(&p);
        }
        for (uint32_t i = 0; i < desc->count && any; ++i) {
            desc->points[i] = sn_vec3_add(p.start[i], p.moves[i]);
        }
    }
    for (uint32_t i = 0; i < desc->count; ++i) {
        double length = sn_vec3_distance(desc->points[i], p.start[i]);
        sni_skin_place place;
        double depth = sni_head_surface_depth(desc->skin, desc->points[i], &place);
        pushed->pushed += length > 1e-6;
        pushed->largest = fmax(pushed->largest, length);
        pushed->outside += depth <= 0 && !place.on_border;
        pushed->in_bone += p.violated[i] == 2;
    }
cleanup:
    sni_free(context, p.start);
    sni_free(context, p.moves);
    sni_free(context, p.spread);
    sni_free(context, p.violated);
    sni_free(context, p.offsets);
    sni_free(context, p.neighbors);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Triangles that are turned over

bool sni_is_flipped(const uint32_t *v, const sn_vec3 *rest, const sn_vec3 *points) {
    sn_vec3 before = sni_triangle_vector(rest[v[0]], rest[v[1]], rest[v[2]]);
    sn_vec3 after = sni_triangle_vector(points[v[0]], points[v[1]], points[v[2]]);
    return sn_vec3_dot(before, after) <= 0 && sn_vec3_length(before) > 0;
}

// Puts the corner across the longest side to the place on it, and the height above it, that it had.
static void mend(const uint32_t *v, const sn_vec3 *rest, const uint8_t *fixed, sn_vec3 *points) {
    int longest = 0;
    double length = 0;
    for (int k = 0; k < 3; ++k) {
        double side = sn_vec3_distance(rest[v[k]], rest[v[(k + 1) % 3]]);
        longest = side > length ? k : longest;
        length = fmax(length, side);
    }
    uint32_t a = v[longest], b = v[(longest + 1) % 3], c = v[(longest + 2) % 3];
    if (fixed != NULL && fixed[c]) {
        return;
    }
    sn_vec3 side = sn_vec3_sub(rest[b], rest[a]), to = sn_vec3_sub(rest[c], rest[a]);
    double along = sn_vec3_dot(to, side) / sn_vec3_dot(side, side);
    double height = sn_vec3_length(sn_vec3_add_scaled(to, -along, side));
    sn_vec3 normal = sni_triangle_vector(rest[a], rest[b], rest[c]);
    sn_vec3 now = sn_vec3_sub(points[b], points[a]);
    sn_vec3 up = sn_vec3_normalize_or(sn_vec3_cross(normal, now), sn_vec3_make(0, 0, 0));
    points[c] =
        sn_vec3_add_scaled(sn_vec3_add_scaled(points[a], along, now), mended_height * height, up);
}

uint32_t sni_mend_flips(uint32_t triangle_count, const uint32_t *vertices, const sn_vec3 *rest,
                        const uint8_t *fixed, sn_vec3 *points) {
    uint32_t left = 1;
    for (int round = 0; round < MEND_ROUNDS && left > 0; ++round) {
        left = 0;
        for (uint32_t t = 0; t < triangle_count; ++t) {
            const uint32_t *v = vertices + 3 * (size_t)t;
            if (sni_is_flipped(v, rest, points)) {
                ++left;
                mend(v, rest, fixed, points);
            }
        }
    }
    left = 0;
    for (uint32_t t = 0; t < triangle_count; ++t) {
        left += sni_is_flipped(vertices + 3 * (size_t)t, rest, points);
    }
    return left;
}
