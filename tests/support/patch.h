// SPDX-License-Identifier: Apache-2.0
#ifndef SNT_PATCH_H
#define SNT_PATCH_H

#include "test.h"

#include "sinew/vector.h"
#include "solver/membrane.h"

#include <math.h>
#include <stdlib.h>

// A triangle mesh and where its anchors are.
typedef struct snt_patch {
    uint32_t vertex_count, triangle_count;
    float *points, *anchors, *relaxed; // vertex_count x 3
    uint32_t *vertices;
} snt_patch;

static inline snt_patch snt_patch_alloc(uint32_t vertex_count, uint32_t triangle_count) {
    return (snt_patch){.vertex_count = vertex_count,
                       .triangle_count = triangle_count,
                       .points = calloc(3 * (size_t)vertex_count, sizeof(float)),
                       .anchors = calloc(3 * (size_t)vertex_count, sizeof(float)),
                       .relaxed = calloc(3 * (size_t)vertex_count, sizeof(float)),
                       .vertices = calloc(3 * (size_t)triangle_count, sizeof(uint32_t))};
}

static inline void snt_patch_free(snt_patch *p) {
    free(p->points);
    free(p->anchors);
    free(p->relaxed);
    free(p->vertices);
}

static inline sni_membrane_desc snt_patch_describe(const snt_patch *p) {
    sni_membrane_desc desc = sni_membrane_desc_default();
    desc.vertex_count = p->vertex_count;
    desc.positions = p->points;
    desc.triangle_count = p->triangle_count;
    desc.vertices = p->vertices;
    return desc;
}

static inline sni_membrane *snt_membrane(sn_context *context, const sni_membrane_desc *desc) {
    sni_membrane *membrane = NULL;
    snt_ok(sni_membrane_create(context, desc, &membrane, error));
    return membrane;
}

static inline sni_relaxation snt_patch_relaxation(const snt_patch *p, uint32_t rounds) {
    return (sni_relaxation){.anchors = p->anchors, .rounds = rounds};
}

static inline sni_relaxation_result snt_relax(sn_context *context, const sni_membrane *membrane,
                                              const sni_relaxation *relaxation, float *points) {
    sni_arena arena;
    sni_relaxation_result result;
    sni_arena_init(&arena, context);
    assert_true(sni_membrane_relax(membrane, &arena, relaxation, points, &result));
    sni_arena_deinit(&arena);
    return result;
}

static inline sni_relaxation_result snt_relax_once(sn_context *context,
                                                   const sni_membrane_desc *desc,
                                                   const sni_relaxation *relaxation,
                                                   float *points) {
    sni_membrane *membrane = snt_membrane(context, desc);
    sni_relaxation_result result = snt_relax(context, membrane, relaxation, points);
    sni_membrane_destroy(membrane);
    return result;
}

// A square sheet of n x n quads, wavy and uneven, with some triangles left out.
static inline snt_patch snt_patch_random(snt_random *random, uint32_t n) {
    snt_patch p = snt_patch_alloc((n + 1) * (n + 1), 2 * n * n);
    for (uint32_t i = 0; i < p.vertex_count; ++i) {
        double x = i % (n + 1), y = i / (n + 1);
        sn_vec3 at = {x + snt_random_range(random, -0.4, 0.4),
                      y + snt_random_range(random, -0.4, 0.4),
                      sin(x / 3) + snt_random_range(random, -0.2, 0.2)};
        sn_vec3_store(sn_vec3_scale(at, 1.0 / n), p.points + 3 * (size_t)i);
    }
    uint32_t made = 0;
    for (uint32_t i = 0; i < n * n; ++i) {
        uint32_t a = i / n * (n + 1) + i % n, b = a + n + 1;
        const uint32_t pair[6] = {a, b, b + 1, a, b + 1, a + 1};
        for (uint32_t k = 0; k < 2; ++k) {
            if (snt_random_u32(random) % 8 != 0) {
                memcpy(p.vertices + 3 * (size_t)made++, pair + 3 * k, 3 * sizeof *pair);
            }
        }
    }
    p.triangle_count = made;
    return p;
}

// Anchors: the sheet bent over a line, with a jump along it as at a joint, and shaken.
static inline void snt_patch_bend(snt_random *random, snt_patch *p, double angle, double jump,
                                  double noise) {
    for (uint32_t i = 0; i < p->vertex_count; ++i) {
        sn_vec3 v = sn_vec3_load(p->points + 3 * (size_t)i);
        if (v.x > 0.5) {
            sn_vec3 d = {v.x - 0.5 + jump, v.y, v.z};
            v = sn_vec3_make(0.5 + cos(angle) * d.x - sin(angle) * d.z, d.y,
                             sin(angle) * d.x + cos(angle) * d.z);
        }
        sn_vec3 shake = {snt_random_range(random, -noise, noise),
                         snt_random_range(random, -noise, noise),
                         snt_random_range(random, -noise, noise)};
        sn_vec3_store(sn_vec3_add(v, shake), p->anchors + 3 * (size_t)i);
    }
}

#endif
