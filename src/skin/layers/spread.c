// SPDX-License-Identifier: Apache-2.0
#include "skin/layers/spread.h"

#include "base/context.h"
#include "base/rows.h"
#include "geometry/triangle.h"

#include <math.h>
#include <string.h>

static const double node_spacing = 1, reach_lengths = 1.8;
// Nodes of a column, at most.
enum { NODES = 14 };
enum { NODE_GRAIN = 64, COLUMN_GRAIN = 256 };

// ---------------------------------------------------------------------------------------------
// Nodes

typedef struct covering {
    const sni_surface_graph *graph;
    double spacing;
    float *distances; // of each column from the nodes so far
    uint32_t *queue;  // a ring of vertex_count + 1
    uint8_t *queued;
} covering;

// Columns less than the spacing away from one, along edges.
static void cover_around(const covering *c, uint32_t node) {
    const sni_surface_graph *g = c->graph;
    uint32_t room = g->vertex_count + 1, first = 0, end = 0;
    c->distances[node] = 0;
    c->queue[end++] = node;
    while (first != end) {
        uint32_t at = c->queue[first];
        first = (first + 1) % room;
        c->queued[at] = 0;
        for (uint32_t k = g->starts[at]; k < g->starts[at + 1]; ++k) {
            uint32_t other = g->neighbours[k];
            float far = c->distances[at] + g->lengths[k];
            if ((double)far < c->spacing && far < c->distances[other]) {
                c->distances[other] = far;
                if (!c->queued[other]) {
                    c->queued[other] = 1;
                    c->queue[end] = other;
                    end = (end + 1) % room;
                }
            }
        }
    }
}

// The lowest column that is not yet within the spacing of one is the next node.
static sn_status choose_nodes(const sni_surface_graph *graph, double spacing, uint32_t *nodes,
                              uint32_t *count, sn_error *error) {
    sn_context *context = graph->context;
    covering c = {.graph = graph, .spacing = spacing};
    sn_status status = SN_OK;
    SNI_NEW(context, c.distances, graph->vertex_count);
    SNI_NEW(context, c.queue, (size_t)graph->vertex_count + 1);
    SNI_NEW_ZERO(context, c.queued, graph->vertex_count);
    for (uint32_t i = 0; i < graph->vertex_count; ++i) {
        c.distances[i] = INFINITY;
    }
    for (uint32_t i = 0; i < graph->vertex_count; ++i) {
        if (isinf(c.distances[i])) {
            nodes[(*count)++] = i;
            cover_around(&c, i);
        }
    }
cleanup:
    sni_free(context, c.distances);
    sni_free(context, c.queue);
    sni_free(context, c.queued);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Weights

// The nodes of a column: `labels` and `distances` have one more than are taken, which says how far
// the others reach.
static uint32_t weigh_nodes(const uint32_t *labels, const float *distances, double reach,
                            uint32_t *nodes, float *weights) {
    uint32_t count = 0;
    double sum = 0;
    reach = fmin(reach, labels[NODES] != SN_NONE ? (double)distances[NODES] : reach);
    for (uint32_t k = 0; k < NODES && labels[k] != SN_NONE; ++k) {
        double part = (double)distances[k] / reach, falloff = 1 - part * part;
        if (falloff > 0) {
            nodes[count] = labels[k];
            weights[count++] = (float)(falloff * falloff);
            sum += falloff * falloff;
        }
    }
    for (uint32_t k = 0; k < count; ++k) {
        weights[k] = (float)((double)weights[k] / sum);
    }
    return count;
}

static double area_around(const sni_layers_mesh *m, uint32_t column) {
    double sum = 0;
    for (uint32_t k = m->around_starts[column]; k < m->around_starts[column + 1]; ++k) {
        sn_vec3 corners[3];
        sni_triangle_corners(m->points, m->column_triangles + 3 * (size_t)m->around[k], corners);
        sum += sni_triangle_area(corners[0], corners[1], corners[2]);
    }
    return fmax(sum, 1e-12);
}

// Rows of nodes from those of columns.
static sn_status turn_rows(const sni_layers_mesh *m, sni_layers_spread *s, sn_error *error) {
    uint32_t entries = s->column_starts[s->column_count];
    sn_status status = SN_OK;
    SNI_NEW_ZERO(s->context, s->node_starts, (size_t)s->node_count + 1);
    SNI_NEW(s->context, s->node_columns, entries);
    SNI_NEW(s->context, s->node_weights, entries);
    for (uint32_t k = 0; k < entries; ++k) {
        sni_rows_count(s->node_starts, s->column_nodes[k], 1);
    }
    sni_rows_begin(s->node_starts, s->node_count);
    for (uint32_t i = 0; i < s->column_count; ++i) {
        double area = area_around(m, i);
        for (uint32_t k = s->column_starts[i]; k < s->column_starts[i + 1]; ++k) {
            uint32_t at = sni_rows_take(s->node_starts, s->column_nodes[k]);
            s->node_columns[at] = i;
            s->node_weights[at] = (float)(area * (double)s->column_weights[k]);
        }
    }
    sni_rows_end(s->node_starts, s->node_count);
    for (uint32_t n = 0; n < s->node_count; ++n) {
        double sum = 0;
        for (uint32_t k = s->node_starts[n]; k < s->node_starts[n + 1]; ++k) {
            sum += (double)s->node_weights[k];
        }
        for (uint32_t k = s->node_starts[n]; k < s->node_starts[n + 1]; ++k) {
            s->node_weights[k] = (float)((double)s->node_weights[k] / sum);
        }
    }
cleanup:
    return status;
}

sn_status sni_layers_spread_init(const sni_layers_mesh *m, double length, sni_layers_spread *s,
                                 sn_error *error) {
    sn_context *context = m->context;
    uint32_t count = m->column_count, *nodes = NULL, *labels = NULL;
    float *distances = NULL;
    sn_status status = SN_OK;
    *s = (sni_layers_spread){.context = context, .column_count = count};
    if (!(length > 0)) {
        return SN_OK;
    }
    SNI_NEW(context, nodes, count);
    SNI_NEW(context, labels, (NODES + 1) * (size_t)count);
    SNI_NEW(context, distances, (NODES + 1) * (size_t)count);
    SN_TRY(choose_nodes(&m->graph, node_spacing * length, nodes, &s->node_count, error));
    SN_TRY(sni_surface_graph_nearest(&m->graph, s->node_count, nodes, NODES + 1, labels, distances,
                                     error));
    SNI_NEW(context, s->column_starts, (size_t)count + 1);
    SNI_NEW(context, s->column_nodes, NODES * (size_t)count);
    SNI_NEW(context, s->column_weights, NODES * (size_t)count);
    s->column_starts[0] = 0;
    for (uint32_t i = 0; i < count; ++i) {
        size_t from = (NODES + 1) * (size_t)i;
        uint32_t at = s->column_starts[i];
        s->column_starts[i + 1] =
            at + weigh_nodes(labels + from, distances + from, reach_lengths * length,
                             s->column_nodes + at, s->column_weights + at);
    }
    SN_TRY(turn_rows(m, s, error));
cleanup:
    sni_free(context, nodes);
    sni_free(context, labels);
    sni_free(context, distances);
    return status;
}

void sni_layers_spread_deinit(sni_layers_spread *s) {
    if (s->context != NULL) {
        void *arrays[] = {s->column_starts, s->column_nodes,   s->node_starts,
                          s->node_columns,  s->column_weights, s->node_weights};
        for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
            sni_free(s->context, arrays[i]);
        }
    }
    *s = (sni_layers_spread){0};
}

size_t sni_layers_spread_bytes(const sni_layers_spread *s) {
    return s->node_count == 0 ? 0
                              : ((size_t)s->column_count + s->node_count + 2) * sizeof(uint32_t) +
                                    2 * (size_t)s->column_starts[s->column_count] *
                                        (sizeof(uint32_t) + sizeof(float));
}

// ---------------------------------------------------------------------------------------------
// A frame

typedef struct spread_run {
    const uint32_t *starts, *numbers;
    const float *weights;
    uint32_t width;
    const float *from;
    float *to;
} spread_run;

static void blend_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const spread_run *run = user;
    for (uint32_t i = begin; i < end; ++i) {
        float sums[SNI_LAYERS_SPREAD_WIDEST] = {0};
        for (uint32_t k = run->starts[i]; k < run->starts[i + 1]; ++k) {
            const float *row = run->from + (size_t)run->width * run->numbers[k];
            for (uint32_t d = 0; d < run->width; ++d) {
                sums[d] += run->weights[k] * row[d];
            }
        }
        memcpy(run->to + (size_t)run->width * i, sums, run->width * sizeof *sums);
    }
}

bool sni_layers_spread_run(const sni_layers_spread *s, sni_arena *arena, uint32_t width,
                           float *rows) {
    SN_ASSERT(width <= SNI_LAYERS_SPREAD_WIDEST);
    sni_arena_mark mark = sni_arena_mark_now(arena);
    float *nodes = sni_arena_alloc(arena, (size_t)width * s->node_count, sizeof *nodes);
    if (nodes != NULL && s->node_count > 0) {
        spread_run to_nodes = {s->node_starts, s->node_columns, s->node_weights, width, rows,
                               nodes};
        spread_run back = {
            s->column_starts, s->column_nodes, s->column_weights, width, nodes, rows};
        sn_parallel_for(s->context, s->node_count, NODE_GRAIN, blend_block, &to_nodes);
        sn_parallel_for(s->context, s->column_count, COLUMN_GRAIN, blend_block, &back);
    }
    sni_arena_release(arena, mark);
    return nodes != NULL;
}
