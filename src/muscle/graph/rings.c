// SPDX-License-Identifier: Apache-2.0
//
// Expansion points (section 4.4.1 of the thesis): around every control point of the belly, in the
// plane across the path, at even angles, 95 % of the way to the surface.
//
// Of two paths side by side in one sheet each reaches half of the way to the other, since beyond
// that the surface is the other's: a sheet then grows thicker as it shortens, and wider at its
// edges alone.
#include "muscle/graph/graph.h"
#include "muscle/graph/make.h"

#include "geometry/edge.h"

#include <math.h>

// Part of the way to the surface (the thesis: found by testing).
static const double expansion_part = 0.95;

// Steps along a ray in which the nearest path is looked for.
enum { RAY_STEPS = 32 };

static bool is_at(const sni_graph_tree *tree, uint32_t edge, uint32_t point) {
    return edge == point || tree->parents[edge] == point;
}

// How much nearer a place is to the pieces of paths at a point than to all others.
static double lead_of(const sni_graph_making *m, uint32_t point, sn_vec3 place) {
    const sni_graph_tree *tree = &m->graph->tree;
    double own = INFINITY, others = INFINITY, weight;
    for (uint32_t i = 0; i < tree->count; ++i) {
        if (tree->parents[i] == SN_NONE) {
            continue;
        }
        double square = sni_edge_closest(m->points[i], m->points[tree->parents[i]], place, &weight);
        own = is_at(tree, i, point) ? fmin(own, square) : own;
        others = is_at(tree, i, point) ? others : fmin(others, square);
    }
    return sqrt(others) - sqrt(own);
}

// How far a ray goes until another path is nearer.
static double reach_of(const sni_graph_making *m, uint32_t point, sn_vec3 direction, double most) {
    double before = 0, lead = lead_of(m, point, m->points[point]);
    for (int k = 1; k <= RAY_STEPS; ++k) {
        double at = most * k / RAY_STEPS;
        sn_vec3 place = sn_vec3_add_scaled(m->points[point], at, direction);
        double next = lead_of(m, point, place);
        if (next < 0) {
            return before + (at - before) * lead / (lead - next);
        }
        before = at;
        lead = next;
    }
    return most;
}

// From a point inside every ray leaves the surface somewhere.
static void cast_ring(const sni_graph_making *m, uint32_t point, uint32_t count,
                      sni_graph_ring *ring) {
    const sni_graph_frame *frame = &m->frames[point];
    double sum = 0;
    ring->point_count = count;
    for (uint32_t k = 0; k < count; ++k) {
        double angle = 2 * SN_PI * k / count, c = cos(angle), s = sin(angle);
        sn_vec3 direction = sn_vec3_add_scaled(sn_vec3_scale(frame->y, c), s, frame->z);
        sn_hit hit;
        sn_accel_cast(m->interior.accel, m->points[point], direction, 0, INFINITY, &hit);
        double distance = hit.triangle != SN_NONE ? hit.distance : 0;
        ring->missed += hit.triangle == SN_NONE;
        double reach = expansion_part * reach_of(m, point, direction, distance);
        ring->points[k][0] = reach * c;
        ring->points[k][1] = reach * s;
        sum += reach / expansion_part;
    }
    ring->radius = sum / count;
}

// The nearest ring along the graph that has one of its own; SN_NONE where there is none.
static uint32_t nearest_ring(const sni_graph_making *m, const bool *own, uint32_t point) {
    uint32_t n = m->graph->tree.count, found = SN_NONE;
    for (uint32_t i = 0; i < n; ++i) {
        if (own[i] && isfinite(m->ways[(size_t)point * n + i]) &&
            (found == SN_NONE ||
             m->ways[(size_t)point * n + i] < m->ways[(size_t)point * n + found])) {
            found = i;
        }
    }
    for (uint32_t i = 0; i < n && found == SN_NONE; ++i) {
        found = own[i] ? i : found;
    }
    return found;
}

// A point outside of the surface has the ring of the nearest one inside.
static void borrow_ring(const sni_graph_ring *from, sni_graph_ring *ring) {
    ring->point_count = from->point_count;
    ring->radius = from->radius;
    ring->missed = from->point_count;
    for (uint32_t k = 0; k < from->point_count; ++k) {
        ring->points[k][0] = from->points[k][0];
        ring->points[k][1] = from->points[k][1];
    }
}

sn_status sni_graph_find_rings(sni_graph_making *m, uint32_t count, sn_error *error) {
    uint32_t n = m->graph->tree.count;
    sn_status status = SN_OK;
    bool *own = sni_arena_alloc(m->arena, n, sizeof *own);
    double(*points)[2] = sni_arena_alloc(m->arena, (size_t)n * count + 1, sizeof *points);
    SN_TRY(own != NULL && points != NULL ? SN_OK : sni_fail_memory(error));
    for (uint32_t i = 0; i < n; ++i) {
        m->rings[i] = (sni_graph_ring){.points = points + (size_t)i * count};
        own[i] = m->inside[i] && !m->input->points[i].tendon;
        if (own[i]) {
            cast_ring(m, i, count, &m->rings[i]);
        }
    }
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t from = own[i] || m->input->points[i].tendon ? SN_NONE : nearest_ring(m, own, i);
        if (from != SN_NONE) {
            borrow_ring(&m->rings[from], &m->rings[i]);
        }
    }
cleanup:
    return status;
}
