// SPDX-License-Identifier: Apache-2.0
//
// How much a vertex follows each control point (section 4.2.1 of the thesis):
//
//     w_i = 1 / (1 + (d_i / s_i)^p)        (4.3), then divided by the sum of all         (4.4)
//
// d_i is the way from the vertex to the point along the graph: first to the nearest place of the
// graph, then along it. The thesis has s = 1 of its own unit of length; here it is half the mean
// distance of the point from its neighbours along the graph, so that a muscle may have any size.
// The way to the nearest place is the same for all points of a graph, and counts only as far as
// another graph of the muscle is nearer: it would make the weights of thick muscles flat.
//
// Where the number of influences is limited, the largest weight that is left out is taken from all
// others, so that weights are continuous nevertheless.
//
// A vertex is kept in the frame of each control point that it follows. What expansion points do
// there is a vector g in the section, by which the vertex goes outward as they do (rings.c): the
// section moves by (factor - 1) g. In the thesis they have weights (4.3) of their own. Those are
// flat at every expansion point, so that a tapering muscle expands in steps from one control point
// to the next. Here places between expansion points and the control point go linearly with them,
// as barycentric coordinates would have it: g is how far the place stands away from the path, up to
// where the expansion points reach and half as far again, and bounded beyond. From the path, not
// from the axis of the frame: a path that bends leaves that, and to widen this as well would make
// scallops of every bend.
#include "muscle/graph/graph.h"
#include "muscle/graph/make.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

// Vertices of a block: about a millisecond.
enum { GRAIN = 128 };

// Expansion points take the section along linearly up to so many times their distance, and never
// further than that and the second number together.
static const double free_reach = 1.5;
static const double held_reach = 0.5;

// Weights below this part of the largest are not worth their memory.
static const double least_weight = 1e-3;

typedef struct tie {
    uint32_t ring;
    double weight;
} tie;

typedef struct run {
    const sni_graph_making *making;
    sni_graph_samples samples;
    const double *scales; // count: s_i
    double exponent;
    uint32_t most; // influences
    tie *ties;     // vertex_count x count: sorted
    uint32_t *counts;
    sn_vec3 *feet; // vertex_count x graph_count: the nearest places of the graphs
    size_t scratch_count;
    double *scratch; // worker x scratch_count
} run;

// --- Weights

static void insert(tie *ties, uint32_t *count, tie new_tie) {
    uint32_t at = (*count)++;
    for (; at > 0 && ties[at - 1].weight < new_tie.weight; --at) {
        ties[at] = ties[at - 1];
    }
    ties[at] = new_tie;
}

static uint32_t cut(tie *ties, uint32_t count, uint32_t most) {
    double left_out = most > 0 && count > most ? ties[most].weight : 0;
    double sum = 0;
    count = most > 0 && count > most ? most : count;
    while (count > 1 && ties[count - 1].weight - left_out <= least_weight * ties[0].weight) {
        --count;
    }
    for (uint32_t i = 0; i < count; ++i) {
        ties[i].weight -= i > 0 || ties[0].weight > left_out ? left_out : 0;
        sum += ties[i].weight;
    }
    for (uint32_t i = 0; i < count; ++i) {
        ties[i].weight /= sum;
    }
    return count;
}

static uint32_t weigh(const run *r, sn_vec3 vertex, sn_vec3 *feet, tie *ties, double *scratch) {
    const sni_graph_making *m = r->making;
    const sni_graph_tree *tree = &m->graph->tree;
    uint32_t n = tree->count, count = 0;
    double *ways = scratch, *nearests = scratch + n, nearest = INFINITY;
    sni_graph_ways_at(&r->samples, vertex, nearests, feet, ways, scratch + 2 * n);
    for (uint32_t g = 0; g < tree->graph_count; ++g) {
        nearest = fmin(nearest, nearests[g]);
    }
    for (uint32_t i = 0; i < n; ++i) {
        double way = ways[i] + (nearests[tree->graphs[i]] - nearest);
        double weight = 1 / (1 + pow(way / r->scales[i], r->exponent));
        insert(ties, &count, (tie){i, weight});
    }
    return cut(ties, count, r->most);
}

static void weigh_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    const run *r = user;
    uint32_t n = r->making->graph->tree.count;
    double *scratch = r->scratch + worker * r->scratch_count;
    for (size_t v = begin; v < end; ++v) {
        sn_vec3 vertex = sn_vec3_load(r->making->mesh->positions + 3 * v);
        sn_vec3 *feet = r->feet + v * r->making->graph->tree.graph_count;
        r->counts[v] = weigh(r, vertex, feet, r->ties + v * n, scratch);
    }
}

// --- Sections

// How far the polygon of the expansion points reaches in a direction.
static double ring_reach(const sni_graph_ring *ring, double y, double z) {
    double step = 2 * SN_PI / ring->point_count;
    double angle = atan2(z, y), at = (angle < 0 ? angle + 2 * SN_PI : angle) / step;
    uint32_t k = (uint32_t)at % ring->point_count;
    const double *a = ring->points[k], *b = ring->points[(k + 1) % ring->point_count];
    // The side from a to b is met where the direction's product with it is that of a.
    double c = cos(angle), s = sin(angle), dy = b[0] - a[0], dz = b[1] - a[1];
    double slope = c * dz - s * dy;
    double near = hypot(a[0], a[1]), far = hypot(b[0], b[1]);
    double reach = slope != 0 ? (a[0] * dz - a[1] * dy) / slope : near;
    return fmin(fmax(reach, fmin(near, far) / 2), fmax(near, far));
}

// How far expansion points take a place that is `distance` of their reach from the middle.
static double held(double distance) {
    double beyond = distance - free_reach;
    return beyond <= 0 ? distance : free_reach + held_reach * (1 - exp(-beyond / held_reach));
}

// Where expansion points take a place of the section.
static void expand(const sni_graph_ring *ring, bool scaled, double y, double z, double g[2]) {
    double distance = hypot(y, z), part = scaled ? 1 : 0;
    if (ring->point_count > 0 && distance > 0) {
        double reach = ring_reach(ring, y, z);
        part = reach > 0 ? held(distance / reach) * reach / distance : 0;
    }
    g[0] = part * y;
    g[1] = part * z;
}

// A vertex in the frame of a control point (surface.h): the nearest place of the path, and how far
// from that it stands.
static void set_factors(const sni_graph_making *m, const tie *t, sn_vec3 vertex, sn_vec3 foot,
                        float *factors) {
    const sni_graph_frame *frame = &m->frames[t->ring];
    sn_vec3 path = sn_vec3_sub(foot, frame->origin), off = sn_vec3_sub(vertex, foot);
    double y = sn_vec3_dot(off, frame->y), z = sn_vec3_dot(off, frame->z), g[2];
    bool scaled = m->scaled && !m->input->points[t->ring].tendon;
    expand(&m->rings[t->ring], scaled, y, z, g);
    const double all[SNI_GRAPH_TIE_FLOATS] = {
        1,
        sn_vec3_dot(sn_vec3_sub(vertex, frame->origin), frame->x),
        sn_vec3_dot(path, frame->y),
        sn_vec3_dot(path, frame->z),
        y - g[0],
        z - g[1],
        g[0],
        g[1]};
    for (int i = 0; i < SNI_GRAPH_TIE_FLOATS; ++i) {
        factors[i] = (float)(t->weight * all[i]);
    }
}

static sn_status keep_ties(const run *r, sn_error *error) {
    const sni_graph_making *m = r->making;
    sni_graph *g = m->graph;
    sn_context *context = g->context;
    uint32_t vertices = m->mesh->vertex_count, n = g->tree.count;
    size_t count = 0;
    sn_status status = SN_OK;
    SNI_NEW(context, g->tie_starts, (size_t)vertices + 1);
    for (uint32_t v = 0; v < vertices; ++v) {
        g->tie_starts[v] = (uint32_t)count;
        count += r->counts[v];
    }
    g->tie_starts[vertices] = (uint32_t)count;
    SNI_NEW(context, g->tie_rings, count);
    SNI_NEW(context, g->tie_factors, SNI_GRAPH_TIE_FLOATS * count);
    for (size_t v = 0; v < vertices; ++v) {
        sn_vec3 vertex = sn_vec3_load(m->mesh->positions + 3 * v);
        for (uint32_t k = 0; k < r->counts[v]; ++k) {
            size_t at = (size_t)g->tie_starts[v] + k;
            const tie *t = &r->ties[v * n + k];
            g->tie_rings[at] = t->ring;
            sn_vec3 foot = r->feet[v * g->tree.graph_count + g->tree.graphs[t->ring]];
            set_factors(m, t, vertex, foot, g->tie_factors + SNI_GRAPH_TIE_FLOATS * at);
        }
    }
cleanup:
    return status;
}

// Half the mean distance of a point from its neighbours along the graph.
static double scale_of(const sni_graph_making *m, uint32_t point) {
    const sni_graph_tree *tree = &m->graph->tree;
    double sum = tree->parents[point] != SN_NONE ? m->lengths[point] : 0;
    uint32_t count = tree->parents[point] != SN_NONE;
    for (uint32_t k = tree->child_starts[point]; k < tree->child_starts[point + 1]; ++k) {
        sum += m->lengths[tree->children[k]];
        ++count;
    }
    return sum / (2 * count);
}

sn_status sni_graph_find_ties(sni_graph_making *m, sn_error *error) {
    const double *parameters = m->job->parameters;
    sn_context *context = m->job->context;
    uint32_t n = m->graph->tree.count, vertices = m->mesh->vertex_count;
    double *scales = NULL;
    sn_status status = SN_OK;
    run r = {.making = m,
             .exponent = parameters[SNI_GRAPH_FALLOFF],
             .most = (uint32_t)parameters[SNI_GRAPH_INFLUENCES]};
    SNI_NEW(context, scales, n);
    SNI_NEW(context, r.ties, (size_t)vertices * n);
    SNI_NEW(context, r.counts, vertices);
    SNI_NEW(context, r.feet, (size_t)vertices * m->graph->tree.graph_count);
    SN_TRY(sni_graph_samples_init(&r.samples, m, error));
    r.scratch_count = 2 * (size_t)n + r.samples.count;
    SNI_NEW(context, r.scratch, r.scratch_count * context->thread_count);
    for (uint32_t i = 0; i < n; ++i) {
        scales[i] = scale_of(m, i);
    }
    r.scales = scales;
    sn_parallel_for(context, vertices, GRAIN, weigh_block, &r);
    SN_TRY(keep_ties(&r, error));
cleanup:
    sni_free(context, scales);
    sni_free(context, r.ties);
    sni_free(context, r.counts);
    sni_free(context, r.feet);
    sni_free(context, r.scratch);
    return status;
}
