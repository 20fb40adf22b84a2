// SPDX-License-Identifier: Apache-2.0
#include "skin/edges.h"

#include "base/context.h"
#include "sinew/geometry.h"
#include "skin/implicit/rings.h"

#include <math.h>
#include <stdlib.h>

// Places of a block; results do not depend on it.
enum { GRAIN = 256 };

// Edges shorter than this part of the skin's size are left out: coordinates are rounded to some
// 6e-8 of it.
static const double least_rest = 2e-6;

// ---------------------------------------------------------------------------------------------
// Rest

typedef struct side {
    uint32_t place, own, other;
} side;

static int by_place(const void *left, const void *right) {
    const side *x = left, *y = right;
    if (x->place != y->place) {
        return x->place < y->place ? -1 : 1;
    }
    if (x->own != y->own) {
        return x->own < y->own ? -1 : 1;
    }
    return (x->other > y->other) - (x->other < y->other);
}

static double size_of(uint32_t vertex_count, const float *positions) {
    double size = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t v = 0; v < vertex_count; ++v) {
            low = fmin(low, positions[3 * (size_t)v + axis]);
            high = fmax(high, positions[3 * (size_t)v + axis]);
        }
        size = fmax(size, high - low);
    }
    return size;
}

static double rest_length(const float *positions, uint32_t a, uint32_t b) {
    return sn_vec3_distance(sn_vec3_load(positions + 3 * (size_t)a),
                            sn_vec3_load(positions + 3 * (size_t)b));
}

// Both directions of all sides, sorted, each once.
static uint32_t list_sides(const uint32_t *map, uint32_t triangle_count, const uint32_t *triangles,
                           side *sides) {
    uint32_t count = 0, kept = 0;
    for (uint32_t i = 0; i < triangle_count; ++i) {
        const uint32_t *v = triangles + 3 * (size_t)i;
        for (int k = 0; k < 3; ++k) {
            uint32_t a = v[k], b = v[(k + 1) % 3];
            if (map[a] != map[b]) {
                sides[count++] = (side){map[a], a, b};
                sides[count++] = (side){map[b], b, a};
            }
        }
    }
    qsort(sides, count, sizeof *sides, by_place);
    for (uint32_t i = 0; i < count; ++i) {
        if (kept == 0 || by_place(&sides[kept - 1], &sides[i]) != 0) {
            sides[kept++] = sides[i];
        }
    }
    return kept;
}

sn_status sni_skin_edges_create(sn_context *context, uint32_t vertex_count, const float *positions,
                                uint32_t triangle_count, const uint32_t *triangles,
                                sni_skin_edges *edges, sn_error *error) {
    sn_status status = SN_OK;
    side *sides = NULL;
    double least = least_rest * size_of(vertex_count, positions);
    *edges = (sni_skin_edges){.vertex_count = vertex_count};
    SNI_NEW(context, edges->map, vertex_count);
    SN_TRY(sni_map_places(context, vertex_count, positions, edges->map, error));
    SNI_NEW(context, sides, 6 * (size_t)triangle_count);
    uint32_t count = list_sides(edges->map, triangle_count, triangles, sides), next = 0;
    SNI_NEW(context, edges->starts, (size_t)vertex_count + 1);
    SNI_NEW(context, edges->items, count);
    uint32_t kept = 0;
    for (uint32_t v = 0; v < vertex_count; ++v) {
        edges->starts[v] = kept;
        for (; next < count && sides[next].place == v; ++next) {
            double rest = rest_length(positions, sides[next].own, sides[next].other);
            if (rest > least) {
                edges->items[kept++] =
                    (sni_skin_edge){sides[next].own, sides[next].other, (float)rest};
            }
        }
    }
    edges->starts[vertex_count] = kept;
cleanup:
    sni_free(context, sides);
    if (status != SN_OK) {
        sni_skin_edges_free(context, edges);
    }
    return status;
}

void sni_skin_edges_free(sn_context *context, sni_skin_edges *edges) {
    sni_free(context, edges->map);
    sni_free(context, edges->starts);
    sni_free(context, edges->items);
    *edges = (sni_skin_edges){0};
}

size_t sni_skin_edges_bytes(const sni_skin_edges *edges) {
    return edges->vertex_count * sizeof *edges->map +
           ((size_t)edges->vertex_count + 1) * sizeof *edges->starts +
           edges->starts[edges->vertex_count] * sizeof *edges->items;
}

// ---------------------------------------------------------------------------------------------
// Frames

static inline sn_vec3 point_of(const sni_edge_sweep *s, uint32_t vertex) {
    uint32_t place = s->edges->map[vertex];
    if (place == vertex) {
        return s->positions[vertex];
    }
    sn_vec3 move = sn_vec3_sub(s->positions[place], s->before[place]);
    return sn_vec3_add(s->before[vertex], move);
}

static bool is_beyond(sni_edge_limits limits, double length, double rest) {
    return length < limits.shortest * rest || length > limits.longest * rest;
}

// Whether the square of a length is surely within the limits, however it is rounded. Most are, and
// are told so without a root.
static bool is_surely_within(sni_edge_limits limits, double square, double rest) {
    static const double rounding = 1e-12;
    double least = limits.shortest * rest, most = limits.longest * rest;
    return square > least * least * (1 + rounding) && square < most * most * (1 - rounding);
}

bool sni_edges_beyond(const sni_skin_edges *edges, sni_edge_limits limits, const sn_vec3 *before,
                      const sn_vec3 *positions, uint32_t place) {
    const sni_edge_sweep s = {.edges = edges, .before = before, .positions = positions};
    for (uint32_t n = edges->starts[place]; n < edges->starts[place + 1]; ++n) {
        const sni_skin_edge *edge = &edges->items[n];
        double length = sn_vec3_distance(point_of(&s, edge->own), point_of(&s, edge->other));
        if (is_beyond(limits, length, edge->rest)) {
            return true;
        }
    }
    return false;
}

static sn_vec3 middle_of_ring(const sni_edge_sweep *s, uint32_t place) {
    const sni_skin_edges *edges = s->edges;
    uint32_t begin = edges->starts[place], end = edges->starts[place + 1];
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t n = begin; n < end; ++n) {
        sum = sn_vec3_add(sum, point_of(s, edges->items[n].other));
    }
    return sn_vec3_scale(sum, 1.0 / (end - begin));
}

// Which way an edge opens that is shorter than it should be. Its own direction is that of a fold
// where it is very short, and none at all where its ends meet; then that of the skin around it
// counts, from the middle of the one ring to that of the other:
//
//     d = r e / |e| + (1 - r) g / |g|,    r = |e| / least length
static sn_vec3 opening_of(const sni_edge_sweep *s, const sni_skin_edge *edge, sn_vec3 e,
                          double share) {
    const uint32_t *map = s->edges->map;
    const sn_vec3 none = {0, 0, 0};
    sn_vec3 g = sn_vec3_sub(middle_of_ring(s, map[edge->other]), middle_of_ring(s, map[edge->own]));
    sn_vec3 own = sn_vec3_normalize_or(e, none);
    sn_vec3 d =
        sn_vec3_add_scaled(sn_vec3_scale(own, share), 1 - share, sn_vec3_normalize_or(g, none));
    return sn_vec3_normalize_or(d, own);
}

// What the end `own` of an edge beyond the limits is moved by: half of what brings it to the limit.
static sn_vec3 half_step(const sni_edge_sweep *s, const sni_skin_edge *edge, sn_vec3 e,
                         double length) {
    double least = s->limits.shortest * edge->rest, most = s->limits.longest * edge->rest;
    if (length > most) {
        return sn_vec3_scale(e, 0.5 * (length - most) / length);
    }
    // |e + t d| = least
    sn_vec3 d = opening_of(s, edge, e, length / least);
    double along = sn_vec3_dot(e, d);
    double t = sqrt(along * along + least * least - length * length) - along;
    return sn_vec3_scale(d, -0.5 * t);
}

bool sni_edges_step(const sni_edge_sweep *s, uint32_t place, sn_vec3 *to) {
    const sni_skin_edges *edges = s->edges;
    sn_vec3 sum = {0, 0, 0};
    double total = 0;
    bool beyond = false;
    for (uint32_t n = edges->starts[place]; n < edges->starts[place + 1]; ++n) {
        const sni_skin_edge *edge = &edges->items[n];
        sn_vec3 e = sn_vec3_sub(point_of(s, edge->other), point_of(s, edge->own));
        double square = sn_vec3_dot(e, e);
        if (is_surely_within(s->limits, square, edge->rest)) {
            continue;
        }
        double length = sqrt(square);
        if (is_beyond(s->limits, length, edge->rest)) {
            sn_vec3 step = half_step(s, edge, e, length);
            double weight = sn_vec3_length(step);
            sum = sn_vec3_add_scaled(sum, weight, step);
            total += weight;
            beyond = true;
        }
    }
    *to = total > 0 ? sn_vec3_add_scaled(s->positions[place], 1 / total, sum) : s->positions[place];
    return beyond;
}

static void sweep_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const sni_edge_sweep *s = user;
    for (uint32_t k = begin; k < end; ++k) {
        sni_edges_step(s, s->places[k], &s->next[s->places[k]]);
    }
}

void sni_edges_sweep(sn_context *context, const sni_edge_sweep *sweep) {
    sn_parallel_for(context, sweep->place_count, GRAIN, sweep_block, (void *)sweep);
}

typedef struct smoothing {
    const sni_edge_sweep *sweep;
    double share;
} smoothing;

static void smooth_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const smoothing *run = user;
    const sni_edge_sweep *s = run->sweep;
    const sni_skin_edges *edges = s->edges;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t i = s->places[k], degree = edges->starts[i + 1] - edges->starts[i];
        sn_vec3 sum = {0, 0, 0}, by = sn_vec3_sub(s->positions[i], s->before[i]);
        for (uint32_t n = edges->starts[i]; n < edges->starts[i + 1]; ++n) {
            uint32_t j = edges->map[edges->items[n].other];
            sum = sn_vec3_add(sum, sn_vec3_sub(s->positions[j], s->before[j]));
        }
        sn_vec3 mean = degree > 0 ? sn_vec3_scale(sum, 1.0 / degree) : by;
        s->next[i] = sn_vec3_add(s->before[i], sn_vec3_lerp(by, mean, run->share));
    }
}

void sni_edges_smooth(sn_context *context, const sni_edge_sweep *sweep, double share) {
    smoothing run = {sweep, share};
    sn_parallel_for(context, sweep->place_count, GRAIN, smooth_block, &run);
}
