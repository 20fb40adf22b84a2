// SPDX-License-Identifier: Apache-2.0
#include "skin/layers/confidence.h"

#include "base/context.h"
#include "geometry/triangle.h"

#include <math.h>
#include <string.h>

static const double squeeze_share = 0.3, least_squeeze = 0.1;
static const double trusted = 1.2, doubt = 0.2;
enum { SPREAD_ROUNDS = 4 };
// Triangles flatter than this part of the square of their first edge have no shape.
static const double flat = 1e-5;
enum { TRIANGLE_GRAIN = 1024, COLUMN_GRAIN = 1024 };

static void invert_triangle(const float *points, const uint32_t *vertices, float inverse[3]) {
    sn_vec3 corners[3], axes[3];
    sni_triangle_corners(points, vertices, corners);
    bool has_frame = sni_triangle_frame(corners, axes);
    sn_vec3 e2 = sn_vec3_sub(corners[2], corners[0]);
    double along = sn_vec3_distance(corners[1], corners[0]), across = sn_vec3_dot(e2, axes[1]);
    memset(inverse, 0, 3 * sizeof *inverse);
    if (has_frame && across > flat * along) {
        inverse[0] = (float)(1 / along);
        inverse[1] = (float)(-sn_vec3_dot(e2, axes[0]) / (along * across));
        inverse[2] = (float)(1 / across);
    }
}

sn_status sni_layers_confidence_init(const sni_layers_mesh *mesh, const float *points,
                                     sni_layers_confidence *c, sn_error *error) {
    sn_status status = SN_OK;
    *c = (sni_layers_confidence){.mesh = mesh};
    SNI_NEW(mesh->context, c->inverses, 3 * (size_t)mesh->column_triangle_count);
    for (size_t t = 0; t < mesh->column_triangle_count; ++t) {
        invert_triangle(points, mesh->column_triangles + 3 * t, c->inverses + 3 * t);
    }
cleanup:
    return status;
}

void sni_layers_confidence_deinit(sni_layers_confidence *c) {
    if (c->mesh != NULL) {
        sni_free(c->mesh->context, c->inverses);
    }
    *c = (sni_layers_confidence){0};
}

size_t sni_layers_confidence_bytes(const sni_layers_confidence *c) {
    return c->mesh == NULL ? 0 : 3 * (size_t)c->mesh->column_triangle_count * sizeof *c->inverses;
}

typedef struct confidence_run {
    const sni_layers_confidence *confidence;
    const float *anchors;
    float *strains; // of triangles
    float *now, *next;
} confidence_run;

// Both stretches of a triangle as one number, 1 where it is as at rest.
static double strain_of(const float *inverse, const sn_vec3 p[3]) {
    double b0 = (double)inverse[0], b1 = (double)inverse[1], b2 = (double)inverse[2];
    sn_vec3 d1 = sn_vec3_sub(p[1], p[0]), d2 = sn_vec3_sub(p[2], p[0]);
    sn_vec3 f0 = sn_vec3_scale(d1, b0), f1 = sn_vec3_add_scaled(sn_vec3_scale(d1, b1), b2, d2);
    double a = sn_vec3_dot(f0, f0), b = sn_vec3_dot(f0, f1), c = sn_vec3_dot(f1, f1);
    double mean = (a + c) / 2, root = sqrt((a - c) * (a - c) / 4 + b * b);
    double longest = sqrt(mean + root), shortest = sqrt(fmax(mean - root, 0));
    double squeezed = 1 + squeeze_share * (1 / fmax(shortest, least_squeeze) - 1);
    return fmax(longest, squeezed);
}

static void strain_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const confidence_run *run = user;
    const sni_layers_confidence *c = run->confidence;
    for (uint32_t t = begin; t < end; ++t) {
        const uint32_t *v = c->mesh->column_triangles + 3 * (size_t)t;
        const float *inverse = c->inverses + 3 * (size_t)t;
        sn_vec3 p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = sn_vec3_load(run->anchors + 4 * (size_t)v[k]);
        }
        run->strains[t] = inverse[0] > 0 ? (float)strain_of(inverse, p) : 1;
    }
}

static void doubt_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const confidence_run *run = user;
    const sni_layers_mesh *m = run->confidence->mesh;
    for (uint32_t i = begin; i < end; ++i) {
        double most = 1;
        for (uint32_t k = m->around_starts[i]; k < m->around_starts[i + 1]; ++k) {
            most = fmax(most, (double)run->strains[m->around[k]]);
        }
        double e = fmax(most - trusted, 0) / doubt;
        run->now[i] = (float)(1 / (1 + e * e));
    }
}

static void spread_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const confidence_run *run = user;
    const sni_surface_graph *g = &run->confidence->mesh->graph;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t count = g->starts[i + 1] - g->starts[i];
        float sum = 0, own = run->now[i];
        for (uint32_t k = g->starts[i]; k < g->starts[i + 1]; ++k) {
            sum += run->now[g->neighbours[k]];
        }
        float mean = count > 0 ? 0.5f * own + 0.5f * sum / (float)count : own;
        run->next[i] = mean < own ? mean : own;
    }
}

bool sni_layers_confidence_run(const sni_layers_confidence *c, sni_arena *arena,
                               const float *anchors, float *kappa) {
    sn_context *context = c->mesh->context;
    sni_arena_mark mark = sni_arena_mark_now(arena);
    uint32_t count = c->mesh->column_count, triangles = c->mesh->column_triangle_count;
    confidence_run run = {.confidence = c, .anchors = anchors, .now = kappa};
    run.strains = sni_arena_alloc(arena, triangles, sizeof *run.strains);
    run.next = sni_arena_alloc(arena, count, sizeof *run.next);
    if (run.strains == NULL || run.next == NULL) {
        sni_arena_release(arena, mark);
        return false;
    }
    sn_parallel_for(context, triangles, TRIANGLE_GRAIN, strain_block, &run);
    sn_parallel_for(context, count, COLUMN_GRAIN, doubt_block, &run);
    for (int i = 0; i < SPREAD_ROUNDS; ++i) { // an even number: the result is in kappa
        sn_parallel_for(context, count, COLUMN_GRAIN, spread_block, &run);
        float *other = run.now;
        run.now = run.next;
        run.next = other;
    }
    sni_arena_release(arena, mark);
    return true;
}
