// SPDX-License-Identifier: Apache-2.0
//
// The ball's centres are nodes of a grid that are at least its radius away from the surface and can
// be reached from outside. A node at distance d is the centre of a free ball of radius d, hence a
// point p lies min |p - node| - d below what balls touch; nodes on the border of the free space
// decide.
#include "fit/head/hollow.h"

#include "geometry/accel.h"

#include <string.h>

// Spacing of nodes, as a part of the ball's radius.
static const double spacing_part = 0.2;

enum { GRAIN = 256 };

typedef struct roller {
    sn_context *context;
    const sn_accel *surface;
    sn_vec3 low;
    double spacing, radius;
    uint32_t counts[3];
    float *distances; // of nodes
    uint8_t *reached; // nodes that balls reach from outside
    uint32_t *queue;
    uint32_t border_count;
    sn_vec3 *border; // nodes of the border
    double *border_distances;
    const sn_vec3 *points;
    double *hollows;
} roller;

static uint32_t node_count(const roller *r) {
    return r->counts[0] * r->counts[1] * r->counts[2];
}

static sn_vec3 node_at(const roller *r, uint32_t node) {
    uint32_t x = node % r->counts[0], y = node / r->counts[0] % r->counts[1];
    uint32_t z = node / (r->counts[0] * r->counts[1]);
    return sn_vec3_add_scaled(r->low, r->spacing, sn_vec3_make(x, y, z));
}

static void measure_nodes(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const roller *r = user;
    uint32_t near = SN_NONE;
    for (uint32_t i = begin; i < end; ++i) {
        r->distances[i] = (float)sni_accel_distance(r->surface, node_at(r, i), &near);
    }
}

// The neighbour of a node in direction 0 to 5; SN_NONE beyond the grid.
static uint32_t neighbor(const roller *r, uint32_t node, int direction) {
    uint32_t strides[3] = {1, r->counts[0], r->counts[0] * r->counts[1]};
    int axis = direction / 2;
    uint32_t at = node / strides[axis] % r->counts[axis];
    if (direction % 2 == 0) {
        return at + 1 < r->counts[axis] ? node + strides[axis] : SN_NONE;
    }
    return at > 0 ? node - strides[axis] : SN_NONE;
}

// Spreads from a corner of the grid, which lies outside, over all nodes where the ball fits.
static void reach_nodes(roller *r) {
    uint32_t first = 0, last = 0;
    r->queue[last++] = 0;
    r->reached[0] = 1;
    while (first < last) {
        uint32_t node = r->queue[first++];
        for (int d = 0; d < 6; ++d) {
            uint32_t other = neighbor(r, node, d);
            if (other != SN_NONE && !r->reached[other] && r->distances[other] >= r->radius) {
                r->reached[other] = 1;
                r->queue[last++] = other;
            }
        }
    }
}

// Nodes that have one beside them where the ball does not fit.
static void collect_border(roller *r) {
    for (uint32_t i = 0; i < node_count(r); ++i) {
        bool at_border = false;
        for (int d = 0; d < 6 && r->reached[i] && !at_border; ++d) {
            uint32_t other = neighbor(r, i, d);
            at_border = other != SN_NONE && !r->reached[other];
        }
        if (at_border) {
            r->border[r->border_count] = node_at(r, i);
            r->border_distances[r->border_count++] = r->distances[i];
        }
    }
}

static void find_depths(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const roller *r = user;
    for (uint32_t i = begin; i < end; ++i) {
        double least = INFINITY;
        for (uint32_t k = 0; k < r->border_count; ++k) {
            double d = sn_vec3_distance(r->points[i], r->border[k]) - r->border_distances[k];
            least = fmin(least, d);
        }
        r->hollows[i] = isfinite(least) ? fmax(least, 0) : 0;
    }
}

static sn_status make_grid(roller *r, sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t v = 0; v < r->surface->vertex_count; ++v) {
        sn_vec3 p = sn_vec3_load(r->surface->positions + 3 * (size_t)v);
        low = sn_vec3_min(low, p);
        high = sn_vec3_max(high, p);
    }
    sn_vec3 size = sn_vec3_sub(high, low);
    double margin = r->radius + 2 * r->spacing;
    r->low = sn_vec3_sub(low, sn_vec3_make(margin, margin, margin));
    const double sizes[3] = {size.x, size.y, size.z};
    double nodes = 1;
    for (int k = 0; k < 3; ++k) {
        double along = ceil((sizes[k] + 2 * margin) / r->spacing) + 1;
        r->counts[k] = (uint32_t)fmin(along, 4096);
        nodes *= along;
    }
    SN_TRY(sni_check_room(r->context, 9 * nodes, "finding hollows of bones", error));
    if (nodes > 1e8) {
        SN_TRY(sni_fail(error, SN_LIMIT, "the bones are %.3g m across: are they in metres?",
                        sn_vec3_length(size)));
    }
    SNI_NEW(r->context, r->distances, node_count(r));
    SNI_NEW_ZERO(r->context, r->reached, node_count(r));
    SNI_NEW(r->context, r->queue, node_count(r));
    sn_parallel_for(r->context, node_count(r), GRAIN * 8, measure_nodes, r);
cleanup:
    return status;
}

sn_status sni_find_hollows(sn_context *context, const sn_accel *surface, double radius,
                           uint32_t count, const sn_vec3 *points, double *hollows,
                           sn_error *error) {
    sn_status status = SN_OK;
    roller r = {.context = context,
                .surface = surface,
                .radius = radius,
                .spacing = spacing_part * radius,
                .points = points,
                .hollows = hollows};
    SN_TRY(make_grid(&r, error));
    reach_nodes(&r);
    SNI_NEW(context, r.border, node_count(&r));
    SNI_NEW(context, r.border_distances, node_count(&r));
    collect_border(&r);
    sn_parallel_for(context, count, GRAIN, find_depths, &r);
cleanup:
    sni_free(context, r.distances);
    sni_free(context, r.reached);
    sni_free(context, r.queue);
    sni_free(context, r.border);
    sni_free(context, r.border_distances);
    return status;
}
