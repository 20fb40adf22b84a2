// SPDX-License-Identifier: Apache-2.0
#include "geometry/surface_graph.h"

#include "base/context.h"
#include "base/rows.h"
#include "sinew/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Vertices of a block: some hundred microseconds.
enum { AVERAGE_GRAIN = 1024 };

// ---------------------------------------------------------------------------------------------
// Neighbours

static int compare_numbers(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// Sorts each row and throws out what is listed twice; rows move up.
static void tidy_rows(uint32_t vertex_count, uint32_t *starts, uint32_t *neighbours) {
    uint32_t kept = 0, begin = 0;
    for (uint32_t v = 0; v < vertex_count; ++v) {
        uint32_t end = starts[v + 1], first = kept;
        qsort(neighbours + begin, end - begin, sizeof *neighbours, compare_numbers);
        for (uint32_t k = begin; k < end; ++k) {
            if (neighbours[k] != v && (kept == first || neighbours[kept - 1] != neighbours[k])) {
                neighbours[kept++] = neighbours[k];
            }
        }
        begin = end;
        starts[v] = first;
    }
    starts[vertex_count] = kept;
}

sn_status sni_surface_graph_init(sn_context *context, uint32_t vertex_count, const float *positions,
                                 uint32_t triangle_count, const uint32_t *triangles,
                                 sni_surface_graph *graph, sn_error *error) {
    sn_status status = SN_OK;
    *graph = (sni_surface_graph){.context = context, .vertex_count = vertex_count};
    SNI_NEW_ZERO(context, graph->starts, (size_t)vertex_count + 1);
    SNI_NEW(context, graph->neighbours, 6 * (size_t)triangle_count);
    for (size_t i = 0; i < 3 * (size_t)triangle_count; ++i) {
        sni_rows_count(graph->starts, triangles[i], 2);
    }
    sni_rows_begin(graph->starts, vertex_count);
    for (size_t i = 0; i < 3 * (size_t)triangle_count; ++i) {
        const uint32_t *t = triangles + i / 3 * 3;
        graph->neighbours[sni_rows_take(graph->starts, triangles[i])] = t[(i + 1) % 3];
        graph->neighbours[sni_rows_take(graph->starts, triangles[i])] = t[(i + 2) % 3];
    }
    sni_rows_end(graph->starts, vertex_count);
    tidy_rows(vertex_count, graph->starts, graph->neighbours);
    SNI_NEW(context, graph->lengths, graph->starts[vertex_count]);
    for (uint32_t v = 0; v < vertex_count; ++v) {
        for (uint32_t k = graph->starts[v]; k < graph->starts[v + 1]; ++k) {
            graph->lengths[k] =
                (float)sn_vec3_distance(sn_vec3_load(positions + 3 * (size_t)v),
                                        sn_vec3_load(positions + 3 * (size_t)graph->neighbours[k]));
        }
    }
cleanup:
    return status;
}

void sni_surface_graph_deinit(sni_surface_graph *graph) {
    if (graph->context != NULL) {
        sni_free(graph->context, graph->starts);
        sni_free(graph->context, graph->neighbours);
        sni_free(graph->context, graph->lengths);
    }
    *graph = (sni_surface_graph){0};
}

// ---------------------------------------------------------------------------------------------
// Shortest ways

// A way to a vertex from a source, waiting to be gone on from.
typedef struct way {
    float distance;
    uint32_t source, vertex;
} way;

// A binary heap, by distance, then by source, then by vertex: the order is total.
typedef struct way_heap {
    sn_context *context;
    way *ways;
    uint32_t count, capacity;
} way_heap;

static bool is_before(const way *a, const way *b) {
    if (a->distance != b->distance) {
        return a->distance < b->distance;
    }
    return a->source != b->source ? a->source < b->source : a->vertex < b->vertex;
}

static bool push(way_heap *h, way added) {
    if (!sni_grow(h->context, &h->ways, &h->capacity, h->count + 1, sizeof *h->ways)) {
        return false;
    }
    uint32_t i = h->count++;
    while (i > 0 && is_before(&added, &h->ways[(i - 1) / 2])) {
        h->ways[i] = h->ways[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    h->ways[i] = added;
    return true;
}

static way pop(way_heap *h) {
    way top = h->ways[0], last = h->ways[--h->count];
    uint32_t i = 0;
    for (uint32_t child = 1; child < h->count; child = 2 * i + 1) {
        child += child + 1 < h->count && is_before(&h->ways[child + 1], &h->ways[child]);
        if (!is_before(&h->ways[child], &last)) {
            break;
        }
        h->ways[i] = h->ways[child];
        i = child;
    }
    if (h->count > 0) {
        h->ways[i] = last;
    }
    return top;
}

// Notes a way, unless the vertex has `most` already or one from the same source. Ways come by
// rising distance.
static bool note(const way *w, uint32_t most, uint32_t *labels, float *distances) {
    uint32_t *own = labels + (size_t)w->vertex * most;
    for (uint32_t k = 0; k < most; ++k) {
        if (own[k] == w->source) {
            return false;
        }
        if (own[k] == SN_NONE) {
            own[k] = w->source;
            distances[(size_t)w->vertex * most + k] = w->distance;
            return true;
        }
    }
    return false;
}

sn_status sni_surface_graph_nearest(const sni_surface_graph *graph, uint32_t source_count,
                                    const uint32_t *sources, uint32_t most, uint32_t *labels,
                                    float *distances, sn_error *error) {
    way_heap heap = {.context = graph->context};
    sn_status status = SN_OK;
    for (size_t i = 0; i < (size_t)graph->vertex_count * most; ++i) {
        labels[i] = SN_NONE;
        distances[i] = INFINITY;
    }
    for (uint32_t s = 0; s < source_count; ++s) {
        SN_TRY(push(&heap, (way){0, s, sources[s]}) ? SN_OK : sni_fail_memory(error));
    }
    while (heap.count > 0) {
        way w = pop(&heap);
        if (!note(&w, most, labels, distances)) {
            continue;
        }
        for (uint32_t k = graph->starts[w.vertex]; k < graph->starts[w.vertex + 1]; ++k) {
            way on = {w.distance + graph->lengths[k], w.source, graph->neighbours[k]};
            if (labels[(size_t)on.vertex * most + most - 1] == SN_NONE) {
                SN_TRY(push(&heap, on) ? SN_OK : sni_fail_memory(error));
            }
        }
    }
cleanup:
    sni_free(graph->context, heap.ways);
    return status;
}

// Lowers distances around a new source.
static bool reach_from(const sni_surface_graph *graph, uint32_t source, way_heap *heap,
                       float *distances) {
    heap->count = 0;
    if (!push(heap, (way){0, 0, source})) {
        return false;
    }
    while (heap->count > 0) {
        way w = pop(heap);
        if (!(w.distance < distances[w.vertex])) {
            continue;
        }
        distances[w.vertex] = w.distance;
        for (uint32_t k = graph->starts[w.vertex]; k < graph->starts[w.vertex + 1]; ++k) {
            way on = {w.distance + graph->lengths[k], 0, graph->neighbours[k]};
            if (on.distance < distances[on.vertex] && !push(heap, on)) {
                return false;
            }
        }
    }
    return true;
}

static uint32_t find_farthest(const float *distances, uint32_t count) {
    uint32_t farthest = SN_NONE;
    for (uint32_t v = 0; v < count; ++v) {
        if (isfinite(distances[v]) && distances[v] > 0 &&
            (farthest == SN_NONE || distances[v] > distances[farthest])) {
            farthest = v;
        }
    }
    return farthest;
}

sn_status sni_surface_graph_spread(const sni_surface_graph *graph, uint32_t given, uint32_t count,
                                   uint32_t *found, uint32_t *found_count, sn_error *error) {
    way_heap heap = {.context = graph->context};
    float *distances = NULL;
    sn_status status = SN_OK;
    SNI_NEW(graph->context, distances, graph->vertex_count);
    for (uint32_t v = 0; v < graph->vertex_count; ++v) {
        distances[v] = INFINITY;
    }
    for (uint32_t i = 0; i < given; ++i) {
        SN_TRY(reach_from(graph, found[i], &heap, distances) ? SN_OK : sni_fail_memory(error));
    }
    *found_count = given;
    while (*found_count < count) {
        uint32_t next = find_farthest(distances, graph->vertex_count);
        if (next == SN_NONE) {
            break;
        }
        found[(*found_count)++] = next;
        SN_TRY(reach_from(graph, next, &heap, distances) ? SN_OK : sni_fail_memory(error));
    }
cleanup:
    sni_free(graph->context, heap.ways);
    sni_free(graph->context, distances);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Averaging

typedef struct averaging {
    const sni_surface_graph *graph;
    uint32_t width;
    double share;
    const float *now;
    float *next;
} averaging;

static void average_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const averaging *a = user;
    const sni_surface_graph *g = a->graph;
    for (uint32_t v = begin; v < end; ++v) {
        uint32_t count = g->starts[v + 1] - g->starts[v];
        for (uint32_t i = 0; i < a->width; ++i) {
            double own = (double)a->now[(size_t)v * a->width + i], sum = 0;
            for (uint32_t k = g->starts[v]; k < g->starts[v + 1]; ++k) {
                sum += (double)a->now[(size_t)g->neighbours[k] * a->width + i];
            }
            double to = count > 0 ? own + a->share * (sum / count - own) : own;
            a->next[(size_t)v * a->width + i] = (float)to;
        }
    }
}

void sni_surface_graph_average(const sni_surface_graph *graph, uint32_t width, double share,
                               const float *now, float *next) {
    averaging a = {graph, width, share, now, next};
    sn_parallel_for(graph->context, graph->vertex_count, AVERAGE_GRAIN, average_block, &a);
}
