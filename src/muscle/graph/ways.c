// SPDX-License-Identifier: Apache-2.0
//
// Ways along the graph from any place in space: first to the nearest place of the graph, then along
// it (section 4.2.1 of the thesis). The nearest place jumps where two branches are equally near,
// and so would the surface. So it is a mean over all places of the graph, by a Gaussian of the
// distance d from the vertex v:
//
//     way_i(v) = sum_s w_s way(s, i) / sum_s w_s,   w_s = exp(-d_s^2 / (2 sigma^2))
//
// Along a straight path d_s^2 = r^2 + (s - x)^2 with the distance r from the path, and the mean is
// over s near x with the width sigma, whatever r is. -2 sigma^2 log of the sum is then r^2, and a
// smooth distance elsewhere. Paths go on straight beyond their ends, so that these are no
// different.
#include "muscle/graph/make.h"

#include <math.h>

// Places on the way from a point to its parent.
enum { PER_EDGE = 8 };

// sigma, as a part of the harmonic mean of the distances between control points.
static const double width_part = 0.25;

// How far paths go on, in sigmas, and up to which exponent places count.
static const double beyond_ends = 3.5;
static const double least_exponent = -30;

static void add(sni_graph_samples *samples, sn_vec3 point, uint32_t edge, double u, double beyond,
                double length) {
    samples->samples[samples->count++] = (sni_graph_sample){
        .point = point, .edge = edge, .u = u, .beyond = beyond, .length = length};
}

static void add_edge(sni_graph_samples *samples, const sni_graph_making *m, uint32_t edge) {
    for (uint32_t k = 0; k < PER_EDGE; ++k) {
        double u = (k + 0.5) / PER_EDGE;
        add(samples, sni_graph_frame_between(m, edge, u).origin, edge, u, 0,
            m->lengths[edge] / PER_EDGE);
    }
}

// Beyond an end, in steps as long as those of the piece there.
static uint32_t end_count(const sni_graph_samples *samples, double length) {
    return (uint32_t)fmin(ceil(beyond_ends * samples->width * PER_EDGE / length), 64);
}

static void add_end(sni_graph_samples *samples, const sni_graph_making *m, uint32_t end,
                    uint32_t edge, double sign) {
    double step = m->lengths[edge] / PER_EDGE;
    const sni_graph_frame *frame = &m->frames[end];
    for (uint32_t k = 0; k < end_count(samples, m->lengths[edge]); ++k) {
        double beyond = (k + 0.5) * step;
        add(samples, sn_vec3_add_scaled(frame->origin, sign * beyond, frame->x), edge,
            end == edge ? 0 : 1, beyond, step);
    }
}

static bool is_leaf(const sni_graph_tree *tree, uint32_t point) {
    return sni_graph_child_count(tree, point) == 0;
}

static void find_width(sni_graph_samples *samples, const sni_graph_making *m) {
    const sni_graph_tree *tree = &m->graph->tree;
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < tree->count; ++i) {
        if (tree->parents[i] != SN_NONE) {
            sum += 1 / m->lengths[i];
            ++count;
        }
    }
    samples->width = width_part * count / sum;
}

// The way from a sample to a point of its graph.
static double way_from(const sni_graph_making *m, const sni_graph_sample *s, uint32_t point) {
    uint32_t n = m->graph->tree.count, parent = m->graph->tree.parents[s->edge];
    double down = m->ways[(size_t)s->edge * n + point] + s->u * m->lengths[s->edge];
    double up = m->ways[(size_t)parent * n + point] + (1 - s->u) * m->lengths[s->edge];
    return fmin(down, up) + s->beyond;
}

sn_status sni_graph_samples_init(sni_graph_samples *samples, const sni_graph_making *m,
                                 sn_error *error) {
    const sni_graph_tree *tree = &m->graph->tree;
    size_t most = 0;
    *samples = (sni_graph_samples){.making = m};
    find_width(samples, m);
    for (uint32_t i = 0; i < tree->count; ++i) {
        most += tree->parents[i] != SN_NONE ? PER_EDGE + 2 * end_count(samples, m->lengths[i]) : 0;
    }
    samples->samples = sni_arena_alloc(m->arena, most, sizeof *samples->samples);
    if (samples->samples == NULL) {
        return sni_fail_memory(error);
    }
    for (uint32_t i = 0; i < tree->count; ++i) {
        uint32_t parent = tree->parents[i];
        if (parent == SN_NONE) {
            add_end(samples, m, i, tree->children[tree->child_starts[i]], 1);
            continue;
        }
        add_edge(samples, m, i);
        if (is_leaf(tree, i)) {
            add_end(samples, m, i, i, -1);
        }
    }
    samples->ways =
        sni_arena_alloc(m->arena, (size_t)samples->count * tree->count, sizeof *samples->ways);
    for (size_t i = 0; samples->ways != NULL && i < (size_t)samples->count * tree->count; ++i) {
        samples->ways[i] =
            way_from(m, &samples->samples[i / tree->count], (uint32_t)(i % tree->count));
    }
    return samples->ways != NULL ? SN_OK : sni_fail_memory(error);
}

static void ways_in(const sni_graph_samples *samples, uint32_t graph, double *nearest,
                    sn_vec3 *foot, double *ways, const double *squares) {
    const sni_graph_making *m = samples->making;
    const sni_graph_tree *tree = &m->graph->tree;
    double least = INFINITY, sum = 0, twice = 2 * samples->width * samples->width;
    for (uint32_t k = 0; k < samples->count; ++k) {
        bool counts = tree->graphs[samples->samples[k].edge] == graph;
        least = counts ? fmin(least, squares[k]) : least;
    }
    for (uint32_t i = 0; i < tree->count; ++i) {
        ways[i] = tree->graphs[i] == graph ? 0 : ways[i];
    }
    *foot = sn_vec3_make(0, 0, 0);
    for (uint32_t k = 0; k < samples->count; ++k) {
        const sni_graph_sample *s = &samples->samples[k];
        double exponent = (least - squares[k]) / twice;
        if (tree->graphs[s->edge] != graph || exponent < least_exponent) {
            continue;
        }
        const double *from = samples->ways + (size_t)k * tree->count;
        double share = s->length * exp(exponent);
        sum += share;
        *foot = sn_vec3_add_scaled(*foot, share, s->point);
        for (uint32_t i = 0; i < tree->count; ++i) {
            ways[i] += tree->graphs[i] == graph ? share * from[i] : 0;
        }
    }
    for (uint32_t i = 0; i < tree->count; ++i) {
        ways[i] /= tree->graphs[i] == graph ? sum : 1;
    }
    *foot = sn_vec3_scale(*foot, 1 / sum);
    double whole = samples->width * sqrt(2 * SN_PI);
    *nearest = sqrt(fmax(least - twice * log(sum / whole), 0));
}

void sni_graph_ways_at(const sni_graph_samples *samples, sn_vec3 place, double *nearests,
                       sn_vec3 *feet, double *ways, double *scratch) {
    for (uint32_t k = 0; k < samples->count; ++k) {
        sn_vec3 way = sn_vec3_sub(place, samples->samples[k].point);
        scratch[k] = sn_vec3_dot(way, way);
    }
    for (uint32_t g = 0; g < samples->making->graph->tree.graph_count; ++g) {
        ways_in(samples, g, &nearests[g], &feet[g], ways, scratch);
    }
}
