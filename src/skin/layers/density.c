// SPDX-License-Identifier: Apache-2.0
#include "skin/layers/density.h"

#include "base/context.h"
#include "geometry/triangle.h"
#include "sinew/geometry.h"
#include "skin/layers/facing.h"

#include <math.h>
#include <string.h>

static const double area_power = 0.75, spreads = 3, weight_length = 0.05, least_motion = 0.15;
// Rounds in which areas are evened out, and rings around closed skin that stay with it.
enum { AREA_ROUNDS = 6, KEPT_RINGS = 2 };
// Vertices closer than this to another one that stays, along an edge, need not stay, metres.
static const double too_close = 4e-4;
// Skin no farther apart than this at rest is closed, metres.
static const double closed_gap = 1e-3;
enum { VERTEX_GRAIN = 512 };

typedef struct density_run {
    const sni_layers_density_desc *desc;
    const sn_accel *muscles; // NULL: none is tied
    const sni_surface_graph *graph;
    const float *areas;
    double mean; // of areas
    float *detail;
} density_run;

// ---------------------------------------------------------------------------------------------
// Muscles

// All vertices of tied muscles, each as a triangle without area.
static sn_status gather_muscles(sn_context *context, const sni_layers_density_desc *d,
                                sn_accel **accel, sn_error *error) {
    float *points = NULL;
    uint32_t *vertices = NULL;
    size_t count = 0, at = 0;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < d->tied_count; ++i) {
        count += d->tied[i].mesh->vertex_count;
    }
    if (count == 0) {
        return SN_OK;
    }
    SN_TRY(count < SN_NONE / 3
               ? SN_OK
               : sni_fail(error, SN_LIMIT, "layers: muscles have too many vertices"));
    SNI_NEW(context, points, 3 * count);
    SNI_NEW(context, vertices, 3 * count);
    for (uint32_t i = 0; i < d->tied_count; ++i) {
        const sn_mesh *mesh = d->tied[i].mesh;
        for (uint32_t v = 0; v < mesh->vertex_count; ++v, ++at) {
            sn_vec3 p = sn_vec3_load(mesh->positions + 3 * (size_t)v);
            p = d->tied[i].rest_place != NULL ? sn_mat4_point(d->tied[i].rest_place, p) : p;
            sn_vec3_store(p, points + 3 * at);
            vertices[3 * at] = vertices[3 * at + 1] = vertices[3 * at + 2] = (uint32_t)at;
        }
    }
    SN_TRY(
        sn_accel_create(context, points, (uint32_t)count, vertices, (uint32_t)count, accel, error));
cleanup:
    sni_free(context, points);
    sni_free(context, vertices);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Motion

static double weight_of(const sn_weights *w, uint32_t vertex, uint32_t bone) {
    for (uint32_t k = w->offsets[vertex]; k < w->offsets[vertex + 1]; ++k) {
        if (w->bones[k] == bone) {
            return (double)w->values[k];
        }
    }
    return 0;
}

// Half of the sum of what weights differ by.
static double weight_change(const sn_weights *w, uint32_t a, uint32_t b) {
    double sum = 0;
    for (uint32_t k = w->offsets[a]; k < w->offsets[a + 1]; ++k) {
        sum += fabs((double)w->values[k] - weight_of(w, b, w->bones[k]));
    }
    for (uint32_t k = w->offsets[b]; k < w->offsets[b + 1]; ++k) {
        sum += weight_of(w, a, w->bones[k]) == 0 ? fabs((double)w->values[k]) : 0;
    }
    return sum / 2;
}

static double motion_at(const density_run *run, uint32_t v) {
    const sni_layers_density_desc *d = run->desc;
    const sni_surface_graph *g = run->graph;
    double motion = run->muscles == NULL && d->mesh->weights == NULL ? 1 : least_motion;
    if (run->muscles != NULL) {
        sn_closest closest;
        sn_accel_find_closest(run->muscles, sn_vec3_load(d->rest + 3 * (size_t)v), INFINITY,
                              &closest);
        double part = closest.distance / fmax(spreads * d->spread, 1e-6);
        motion = fmax(motion, 1 / (1 + part * part));
    }
    double steepest = 0;
    for (uint32_t k = g->starts[v]; k < g->starts[v + 1] && d->mesh->weights != NULL; ++k) {
        double change = weight_change(d->mesh->weights, v, g->neighbours[k]);
        steepest = fmax(steepest, change / fmax((double)g->lengths[k], 1e-9));
    }
    return fmin(fmax(motion, weight_length * steepest), 1);
}

static void density_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const density_run *run = user;
    for (uint32_t v = begin; v < end; ++v) {
        run->detail[v] = 1;
        if (run->desc->places[v] == v && run->areas[v] > 0) {
            double dense = pow(run->mean / (double)run->areas[v], area_power) * motion_at(run, v);
            run->detail[v] = (float)fmin(fmax(dense * dense, 1e-8), 1e8);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Areas

static sn_status measure_areas(sn_context *context, const sni_layers_density_desc *d,
                               const sni_surface_graph *graph, float *areas, double *mean,
                               sn_error *error) {
    size_t count = d->mesh->vertex_count;
    sn_status status = SN_OK;
    float *next = NULL;
    double sum = 0, used = 0;
    SNI_NEW(context, next, count);
    memset(areas, 0, count * sizeof *areas);
    for (uint32_t t = 0; t < d->triangle_count; ++t) {
        const uint32_t *v = d->triangles + 3 * (size_t)t;
        sn_vec3 corners[3];
        sni_triangle_corners(d->rest, v, corners);
        double area = sni_triangle_area(corners[0], corners[1], corners[2]);
        for (int c = 0; c < 3; ++c) {
            areas[v[c]] += (float)(area / 3);
        }
    }
    for (int round = 0; round < AREA_ROUNDS; ++round) {
        sni_surface_graph_average(graph, 1, 0.5, areas, next);
        memcpy(areas, next, count * sizeof *areas);
    }
    for (size_t v = 0; v < count; ++v) {
        sum += (double)areas[v];
        used += areas[v] > 0;
    }
    *mean = used > 0 ? sum / used : 1;
cleanup:
    sni_free(context, next);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Closed skin

// Normals of places by the areas of their triangles.
static void find_normals(const sni_layers_density_desc *d, float *normals) {
    size_t count = d->mesh->vertex_count;
    memset(normals, 0, 3 * count * sizeof *normals);
    for (uint32_t t = 0; t < d->triangle_count; ++t) {
        const uint32_t *v = d->triangles + 3 * (size_t)t;
        sn_vec3 corners[3];
        sni_triangle_corners(d->rest, v, corners);
        sn_vec3 across = sni_triangle_vector(corners[0], corners[1], corners[2]);
        for (int c = 0; c < 3; ++c) {
            float *n = normals + 3 * (size_t)v[c];
            sn_vec3_store(sn_vec3_add(sn_vec3_load(n), across), n);
        }
    }
    for (size_t v = 0; v < count; ++v) {
        sn_vec3 n = sn_vec3_load(normals + 3 * v);
        sn_vec3_store(sn_vec3_normalize_or(n, sn_vec3_make(0, 1, 0)), normals + 3 * v);
    }
}

static void add_ring(const sni_surface_graph *g, uint8_t *kept, uint8_t ring) {
    for (uint32_t v = 0; v < g->vertex_count; ++v) {
        for (uint32_t k = g->starts[v]; k < g->starts[v + 1] && kept[v] == ring; ++k) {
            uint8_t *other = &kept[g->neighbours[k]];
            *other = *other == 0 ? (uint8_t)(ring + 1) : *other;
        }
    }
}

static void drop_close(const sni_surface_graph *g, uint8_t *kept) {
    for (uint32_t v = 0; v < g->vertex_count; ++v) {
        for (uint32_t k = g->starts[v]; k < g->starts[v + 1] && kept[v]; ++k) {
            uint32_t other = g->neighbours[k];
            kept[v] = other < v && kept[other] && (double)g->lengths[k] < too_close ? 0 : kept[v];
        }
    }
}

static sn_status keep_closed(sn_context *context, const sni_layers_density_desc *d,
                             const sni_surface_graph *graph, uint8_t *kept, sn_error *error) {
    size_t count = d->mesh->vertex_count;
    sni_facing facing = {0};
    sni_arena arena;
    float *normals = NULL, *reaches = NULL, *radii = NULL;
    uint32_t *nearest = NULL, found = 0;
    sn_status status = SN_OK;
    sni_arena_init(&arena, context);
    SNI_NEW(context, normals, 3 * count);
    SNI_NEW(context, reaches, count);
    SNI_NEW_ZERO(context, radii, count);
    SNI_NEW(context, nearest, count);
    find_normals(d, normals);
    for (uint32_t v = 0; v < count; ++v) {
        reaches[v] =
            d->places[v] == v && graph->starts[v + 1] > graph->starts[v] ? (float)closed_gap : 0;
    }
    SN_TRY(sni_facing_init(graph, d->rest, normals, radii, radii, &facing, error));
    SN_TRY(sni_facing_find(&facing, &arena, d->rest, 3, normals, reaches, nearest)
               ? SN_OK
               : sni_fail_memory(error));
    for (size_t v = 0; v < count; ++v) {
        kept[v] = nearest[v] != SN_NONE;
    }
    for (uint8_t ring = 1; ring <= KEPT_RINGS; ++ring) {
        add_ring(graph, kept, ring);
    }
    drop_close(graph, kept);
    for (size_t v = 0; v < count; ++v) {
        found += kept[v] != 0;
    }
    if (found > d->most_kept) {
        memset(kept, 0, count);
    }
cleanup:
    sni_facing_deinit(&facing);
    sni_arena_deinit(&arena);
    sni_free(context, normals);
    sni_free(context, reaches);
    sni_free(context, radii);
    sni_free(context, nearest);
    return status;
}

sn_status sni_layers_density_make(sn_context *context, const sni_layers_density_desc *d,
                                  float *detail, uint8_t *kept, sn_error *error) {
    sni_surface_graph graph = {0};
    sn_accel *muscles = NULL;
    float *areas = NULL;
    density_run run = {.desc = d, .graph = &graph, .detail = detail};
    sn_status status = SN_OK;
    SNI_NEW(context, areas, d->mesh->vertex_count);
    SN_TRY(sni_surface_graph_init(context, d->mesh->vertex_count, d->rest, d->triangle_count,
                                  d->triangles, &graph, error));
    SN_TRY(measure_areas(context, d, &graph, areas, &run.mean, error));
    SN_TRY(gather_muscles(context, d, &muscles, error));
    run.areas = areas;
    run.muscles = muscles;
    sn_parallel_for(context, d->mesh->vertex_count, VERTEX_GRAIN, density_block, &run);
    SN_TRY(keep_closed(context, d, &graph, kept, error));
cleanup:
    sni_surface_graph_deinit(&graph);
    sn_accel_destroy(muscles);
    sni_free(context, areas);
    return status;
}
