// SPDX-License-Identifier: Apache-2.0
//
// Ways of any angle (Nash, Koenig and Tovey, Lazy Theta*, 2010). A way goes straight from its
// *anchor*, a limb at first, for as long as it stays inside the body; where it would leave it, it
// turns at a node, which is then the anchor of what follows. A node is taken as seen from the
// anchor of its neighbour until it is its turn, and only then one ray tells whether that is so.
// Lengths are those of straight lines and not of steps along the axes of the grid.
#include "fit/bind/girths.h"

#include "geometry/edge.h"

#include <math.h>
#include <string.h>

enum { ANCHOR_LINE = UINT32_MAX };

// The start of a limb, in girths of it.
static const double start = 1.25;

// A node's state beside its way.
enum { OPEN = 0, SEEN = 1, DONE = 2 };

typedef struct entry {
    double cost;
    uint32_t node;
} entry;

typedef struct router {
    const sni_volume *volume;
    const sni_limbs *limbs;
    sni_routes *routes;
    const sni_girths *girths; // NULL: all are 0
    double *costs;            // node_count
    uint32_t *anchors;        // node_count: a node, or ANCHOR_LINE
    uint8_t *states;          // node_count
    entry *heap;
    uint32_t heap_count, heap_capacity;
} router;

// ---------------------------------------------------------------------------------------------
// The queue, by distance and then by number, so that the order is total

static bool before(entry a, entry b) {
    return a.cost != b.cost ? a.cost < b.cost : a.node < b.node;
}

static sn_status push(router *r, uint32_t node, sn_error *error) {
    entry added = {r->costs[node], node};
    if (!sni_grow(r->volume->context, &r->heap, &r->heap_capacity, r->heap_count + 1,
                  sizeof *r->heap)) {
        return sni_fail_memory(error);
    }
    uint32_t i = r->heap_count++;
    while (i > 0 && before(added, r->heap[(i - 1) / 2])) {
        r->heap[i] = r->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    r->heap[i] = added;
    return SN_OK;
}

static entry pop(router *r) {
    entry top = r->heap[0], last = r->heap[--r->heap_count];
    uint32_t i = 0;
    for (uint32_t child = 1; child < r->heap_count; child = 2 * i + 1) {
        child += child + 1 < r->heap_count && before(r->heap[child + 1], r->heap[child]);
        if (!before(r->heap[child], last)) {
            break;
        }
        r->heap[i] = r->heap[child];
        i = child;
    }
    r->heap[i] = last;
    return top;
}

// ---------------------------------------------------------------------------------------------
// Ways

static bool is_vertex(const router *r, uint32_t node) {
    return node >= r->volume->inner_count;
}

// The point of an anchor that a node would be seen from, and the length of the way up to there.
static sn_vec3 anchor_point(const router *r, uint32_t anchor, uint32_t line, sn_vec3 from,
                            double *length) {
    if (anchor != ANCHOR_LINE) {
        *length = r->routes->distances[anchor];
        return r->volume->points[anchor];
    }
    const sni_limb_line *l = &r->limbs->lines[line];
    double along;
    *length = 0;
    sni_edge_closest(l->from, l->to, from, &along);
    return sn_vec3_lerp(l->from, l->to, along);
}

// What a way of some length from a line costs. Thick limbs have a start, since what counts is how
// far a point lies outside of them; and beyond its girth the way from a thin limb soon costs more
// than that from a thick one: the flank is the trunk's, however near the arm is.
static double cost_of(const router *r, uint32_t line, sn_vec3 point, double length) {
    double girth = r->girths != NULL ? sni_girth_towards(r->girths, line, point) : 0;
    if (!(girth > 0)) {
        return length;
    }
    return length - start * girth + r->girths->thickest * fmax(length / girth - 1, 0);
}

static sn_status offer(router *r, uint32_t node, uint32_t anchor, uint32_t line, sn_error *error) {
    double length;
    sn_vec3 point = r->volume->points[node];
    sn_vec3 from = anchor_point(r, anchor, line, point, &length);
    length += sn_vec3_distance(from, point);
    double cost = cost_of(r, line, point, length);
    if (r->states[node] == DONE || !(cost < r->costs[node])) {
        return SN_OK;
    }
    r->costs[node] = cost;
    r->routes->distances[node] = length;
    r->routes->lines[node] = line;
    r->anchors[node] = anchor;
    r->states[node] = OPEN;
    return push(r, node, error);
}

// Whether a node is seen from its anchor. Vertices are linked with what they are seen from.
static bool is_seen(const router *r, uint32_t node) {
    double length;
    if (is_vertex(r, node)) {
        return true;
    }
    sn_vec3 point =
        anchor_point(r, r->anchors[node], r->routes->lines[node], r->volume->points[node], &length);
    return sni_volume_sees(r->volume, node, point, 1e-3 * r->volume->spacing);
}

// The shortest way over a neighbour that is done; SN_NONE: there is none.
static void turn_at_neighbour(router *r, uint32_t node) {
    const sni_volume *v = r->volume;
    sni_routes *routes = r->routes;
    r->costs[node] = routes->distances[node] = INFINITY;
    routes->lines[node] = SN_NONE;
    for (uint32_t i = v->offsets[node]; i < v->offsets[node + 1]; ++i) {
        uint32_t other = v->others[i];
        if (r->states[other] != DONE) {
            continue;
        }
        double length =
            routes->distances[other] + sn_vec3_distance(v->points[other], v->points[node]);
        double cost = cost_of(r, routes->lines[other], r->volume->points[node], length);
        if (cost < r->costs[node]) {
            r->costs[node] = cost;
            routes->distances[node] = length;
            routes->lines[node] = routes->lines[other];
            r->anchors[node] = other;
        }
    }
}

static sn_status spread(router *r, uint32_t node, sn_error *error) {
    const sni_volume *v = r->volume;
    for (uint32_t i = v->offsets[node]; i < v->offsets[node + 1]; ++i) {
        uint32_t other = v->others[i];
        // Along the surface, where nothing tells what is seen, every vertex is a turn.
        bool turns = is_vertex(r, node) && is_vertex(r, other);
        sn_status status =
            offer(r, other, turns ? node : r->anchors[node], r->routes->lines[node], error);
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

static sn_status run(router *r, sn_error *error) {
    sn_status status = SN_OK;
    while (status == SN_OK && r->heap_count > 0) {
        entry next = pop(r);
        if (r->states[next.node] == DONE || next.cost != r->costs[next.node]) {
            continue;
        }
        if (r->states[next.node] == OPEN && !is_seen(r, next.node)) {
            turn_at_neighbour(r, next.node);
            r->states[next.node] = SEEN;
            status = r->routes->lines[next.node] != SN_NONE ? push(r, next.node, error) : SN_OK;
            continue;
        }
        r->states[next.node] = DONE;
        status = spread(r, next.node, error);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Limbs

uint32_t sni_line_point_count(const sni_limb_line *line, double spacing) {
    double count = sn_vec3_distance(line->from, line->to) / spacing;
    return (uint32_t)fmin(ceil(count), 1e6) + 1;
}

sn_vec3 sni_line_point(const sni_limb_line *line, uint32_t count, uint32_t number) {
    return count > 1 ? sn_vec3_lerp(line->from, line->to, (double)number / (count - 1))
                     : line->from;
}

static sn_status start_line(router *r, uint32_t line, sn_error *error) {
    const sni_limb_line *l = &r->limbs->lines[line];
    uint32_t count = sni_line_point_count(l, 0.5 * r->volume->spacing), near[SNI_VOLUME_NEAR];
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t near_count = sni_volume_near(r->volume, sni_line_point(l, count, i), 0, near);
        for (uint32_t k = 0; k < near_count; ++k) {
            sn_status status = offer(r, near[k], ANCHOR_LINE, line, error);
            if (status != SN_OK) {
                return status;
            }
        }
    }
    return SN_OK;
}

sn_status sni_routes_init(const sni_volume *volume, const sni_limbs *limbs, const uint8_t *used,
                          const sni_girths *girths, sni_routes *routes, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = volume->context;
    router r = {.volume = volume, .limbs = limbs, .routes = routes, .girths = girths};
    *routes = (sni_routes){.context = context};
    SNI_NEW(context, routes->lines, volume->node_count);
    SNI_NEW(context, routes->distances, volume->node_count);
    SNI_NEW(context, r.costs, volume->node_count);
    SNI_NEW(context, r.anchors, volume->node_count);
    SNI_NEW_ZERO(context, r.states, volume->node_count);
    for (uint32_t i = 0; i < volume->node_count; ++i) {
        routes->lines[i] = SN_NONE;
        r.costs[i] = routes->distances[i] = INFINITY;
    }
    for (uint32_t line = 0; line < limbs->line_count; ++line) {
        if (used[limbs->lines[line].segment]) {
            SN_TRY(start_line(&r, line, error));
        }
    }
    SN_TRY(run(&r, error));
cleanup:
    sni_free(context, r.costs);
    sni_free(context, r.anchors);
    sni_free(context, r.states);
    sni_free(context, r.heap);
    if (status != SN_OK) {
        sni_routes_deinit(routes);
    }
    return status;
}

void sni_routes_deinit(sni_routes *routes) {
    sni_free(routes->context, routes->lines);
    sni_free(routes->context, routes->distances);
    *routes = (sni_routes){0};
}
