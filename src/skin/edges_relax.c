// SPDX-License-Identifier: Apache-2.0
//
// Sweeps over the regions of a skin in which edges are beyond their limits. A region begins with
// the ends of these edges, and grows by the neighbours of all that is moved, so that every edge
// beyond the limits has both of its ends in it.
#include "skin/edges.h"

#include "base/context.h"

#include <math.h>

enum { GRAIN = 1024 };

// Sweeps of which the first even out what was moved, too.
static const uint32_t smooth_sweeps = 24;
static const double smooth_share = 0.3;

// A region does not grow around places that are moved by less than this part of their shortest
// edge.
static const double least_move = 0.01;

// Edges may stay this part of the way between their limits and what is asked for at most.
static const double slack = 0.01;

typedef struct region {
    const sni_skin_edges *edges;
    const float *points;
    sni_edge_limits limits;
    uint8_t *marks; // of places: 1 an edge is beyond the limits, 2 it is in the region, 3 so are
                    // its neighbours
    sn_vec3 *before, *positions, *next;
    uint32_t *places;
    uint32_t count;
} region;

static double squared_length(const float *p, const float *q) {
    double x = (double)q[0] - p[0], y = (double)q[1] - p[1], z = (double)q[2] - p[2];
    return x * x + y * y + z * z;
}

static void mark_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const region *r = user;
    const sni_skin_edges *edges = r->edges;
    for (uint32_t i = begin; i < end; ++i) {
        r->marks[i] = 0;
        for (uint32_t n = edges->starts[i]; n < edges->starts[i + 1]; ++n) {
            const sni_skin_edge *edge = &edges->items[n];
            double square = squared_length(r->points + 3 * (size_t)edge->own,
                                           r->points + 3 * (size_t)edge->other);
            double least = r->limits.shortest * edge->rest, most = r->limits.longest * edge->rest;
            if (square < least * least || square > most * most) {
                r->marks[i] = 1;
                break;
            }
        }
    }
}

static void add_place(region *r, uint32_t place) {
    if (r->marks[place] < 2) {
        r->marks[place] = 2;
        r->places[r->count++] = place;
    }
}

// Whether a place has been moved by so much that edges around it can tell.
static bool has_moved(const region *r, uint32_t place) {
    const sni_skin_edges *edges = r->edges;
    double way = sn_vec3_distance(r->positions[place], r->before[place]), least = INFINITY;
    for (uint32_t n = edges->starts[place]; n < edges->starts[place + 1]; ++n) {
        least = fmin(least, edges->items[n].rest);
    }
    return way > least_move * least;
}

// Adds the neighbours of all places that have been moved, each once.
static void grow(region *r) {
    uint32_t end = r->count;
    for (uint32_t k = 0; k < end; ++k) {
        uint32_t i = r->places[k];
        if (r->marks[i] == 3 || !has_moved(r, i)) {
            continue;
        }
        r->marks[i] = 3;
        for (uint32_t n = r->edges->starts[i]; n < r->edges->starts[i + 1]; ++n) {
            add_place(r, r->edges->map[r->edges->items[n].other]);
        }
    }
}

static void take_next(region *r) {
    for (uint32_t k = 0; k < r->count; ++k) {
        r->positions[r->places[k]] = r->next[r->places[k]];
    }
}

typedef struct check_run {
    const region *r;
    sni_edge_limits limits;
    uint8_t *beyond; // of blocks
} check_run;

static void check_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const check_run *run = user;
    const region *r = run->r;
    bool beyond = false;
    for (uint32_t k = begin; k < end && !beyond; ++k) {
        beyond = sni_edges_beyond(r->edges, run->limits, r->before, r->positions, r->places[k]);
    }
    run->beyond[begin / GRAIN] = beyond;
}

static bool is_done(sn_context *context, const region *r, uint8_t *scratch) {
    sni_edge_limits loose = {r->limits.shortest * (1 - slack), r->limits.longest * (1 + slack)};
    check_run run = {r, loose, scratch};
    sn_parallel_for(context, r->count, GRAIN, check_block, &run);
    for (uint32_t i = 0; i * GRAIN < r->count; ++i) {
        if (scratch[i]) {
            return false;
        }
    }
    return true;
}

static void solve(sn_context *context, region *r, uint32_t sweeps, uint8_t *scratch) {
    sni_edge_sweep s = {.edges = r->edges,
                        .limits = r->limits,
                        .before = r->before,
                        .positions = r->positions,
                        .next = r->next,
                        .places = r->places};
    for (uint32_t sweep = 0; sweep < sweeps; ++sweep) {
        s.place_count = r->count;
        sni_edges_sweep(context, &s);
        take_next(r);
        grow(r);
        if (sweep < smooth_sweeps) {
            s.place_count = r->count;
            sni_edges_smooth(context, &s, smooth_share);
            take_next(r);
            grow(r);
        } else if (is_done(context, r, scratch)) {
            break;
        }
    }
}

static void store(const region *r, float *points) {
    for (uint32_t v = 0; v < r->edges->vertex_count; ++v) {
        uint32_t i = r->edges->map[v];
        if (r->marks[i] >= 2) {
            sn_vec3 by = sn_vec3_sub(r->positions[i], r->before[i]);
            sn_vec3 p = sn_vec3_load(points + 3 * (size_t)v);
            sn_vec3_store(sn_vec3_add(p, by), points + 3 * (size_t)v);
        }
    }
}

static bool run_region(sn_context *context, sni_arena *arena, region *r, uint32_t sweeps,
                       float *points) {
    uint32_t count = r->edges->vertex_count;
    uint8_t *scratch = sni_arena_alloc(arena, count / GRAIN + 1, sizeof *scratch);
    r->before = sni_arena_alloc(arena, count, sizeof *r->before);
    r->positions = sni_arena_alloc(arena, count, sizeof *r->positions);
    r->next = sni_arena_alloc(arena, count, sizeof *r->next);
    r->places = sni_arena_alloc(arena, count, sizeof *r->places);
    if (scratch == NULL || r->before == NULL || r->positions == NULL || r->next == NULL ||
        r->places == NULL) {
        return false;
    }
    for (uint32_t v = 0; v < count; ++v) {
        r->before[v] = sn_vec3_load(points + 3 * (size_t)v);
        r->positions[v] = r->before[v];
        if (r->marks[v] == 1) {
            add_place(r, v);
        }
    }
    solve(context, r, sweeps, scratch);
    store(r, points);
    return true;
}

bool sni_edges_relax(sn_context *context, sni_arena *arena, const sni_skin_edges *edges,
                     sni_edge_limits limits, uint32_t sweeps, float *points) {
    uint32_t count = edges->vertex_count, beyond = 0;
    sni_arena_mark mark = sni_arena_mark_now(arena);
    region r = {.edges = edges, .points = points, .limits = limits};
    r.marks = sni_arena_alloc(arena, count, sizeof *r.marks);
    bool done = r.marks != NULL;
    if (done) {
        sn_parallel_for(context, count, GRAIN, mark_block, &r);
        for (uint32_t v = 0; v < count; ++v) {
            beyond += r.marks[v];
        }
    }
    if (beyond > 0) {
        done = run_region(context, arena, &r, sweeps, points);
    }
    sni_arena_release(arena, mark);
    return done;
}
