// SPDX-License-Identifier: Apache-2.0
//
// Patches of flesh for tests.
#ifndef SNT_SOLVER_FLESH_PATCH_H
#define SNT_SOLVER_FLESH_PATCH_H

#include "test.h"

#include "sinew/vector.h"
#include "solver/flesh.h"

#include <math.h>
#include <stdlib.h>

typedef struct snt_flesh {
    sn_context *context;
    uint32_t column_count, triangle_count;
    float *rest_skin, *rest_fascia; // x 3
    uint32_t *triangles;
    sni_columns *columns;
    // Of a frame, x 4, padded.
    float *skin, *fascia, *rotations, *anchors, *normals;
    sni_arena arena;
} snt_flesh;

static inline snt_flesh snt_flesh_new(sn_context *context, uint32_t columns, uint32_t triangles) {
    snt_flesh f = {.context = context, .column_count = columns, .triangle_count = triangles};
    f.rest_skin = calloc(3 * (size_t)columns, sizeof(float));
    f.rest_fascia = calloc(3 * (size_t)columns, sizeof(float));
    f.triangles = calloc(3 * (size_t)triangles, sizeof(uint32_t));
    sni_arena_init(&f.arena, context);
    return f;
}

static inline void snt_flesh_put(float *points, uint32_t stride, uint32_t column, sn_vec3 at) {
    sn_vec3_store(at, points + (size_t)stride * column);
}

static inline sn_vec3 snt_flesh_at(const float *points, uint32_t column) {
    return sn_vec3_load(points + 4 * (size_t)column);
}

static inline sni_columns_desc snt_flesh_describe(const snt_flesh *f) {
    sni_columns_desc desc = sni_columns_desc_default();
    desc.column_count = f->column_count;
    desc.skin = f->rest_skin;
    desc.fascia = f->rest_fascia;
    desc.triangle_count = f->triangle_count;
    desc.triangles = f->triangles;
    return desc;
}

// Columns at rest, held there along the rods.
static inline void snt_flesh_settle(snt_flesh *f, double slide, double hold) {
    for (uint32_t i = 0; i < f->column_count; ++i) {
        sn_vec3 x = sn_vec3_load(f->rest_skin + 3 * (size_t)i);
        sn_vec3 y = sn_vec3_load(f->rest_fascia + 3 * (size_t)i);
        snt_flesh_put(f->skin, 4, i, x);
        snt_flesh_put(f->fascia, 4, i, y);
        snt_flesh_put(f->anchors, 4, i, y);
        snt_flesh_put(f->normals, 4, i,
                      sn_vec3_normalize_or(sn_vec3_sub(x, y), sn_vec3_make(0, 0, 1)));
        f->anchors[4 * (size_t)i + 3] = (float)slide;
        f->normals[4 * (size_t)i + 3] = (float)hold;
    }
    sni_columns_state state = {.rotations = f->rotations};
    sni_columns_begin(f->columns, NULL, &state);
}

static inline void snt_flesh_make(snt_flesh *f, const sni_columns_desc *desc) {
    snt_ok(sni_columns_create(f->context, desc, &f->columns, error));
    size_t padded = sni_columns_padded_count(f->columns);
    f->skin = calloc(4 * padded, sizeof(float));
    f->fascia = calloc(4 * padded, sizeof(float));
    f->anchors = calloc(4 * padded, sizeof(float));
    f->normals = calloc(4 * padded, sizeof(float));
    f->rotations = calloc(4 * sni_columns_rotation_count(f->columns), sizeof(float));
    snt_flesh_settle(f, 10, 600);
}

static inline void snt_flesh_free(snt_flesh *f) {
    sni_columns_destroy(f->columns);
    sni_arena_deinit(&f->arena);
    free(f->rest_skin);
    free(f->rest_fascia);
    free(f->triangles);
    free(f->skin);
    free(f->fascia);
    free(f->anchors);
    free(f->normals);
    free(f->rotations);
}

static inline sni_columns_state snt_flesh_state(const snt_flesh *f) {
    return (sni_columns_state){.skin = f->skin, .fascia = f->fascia, .rotations = f->rotations};
}

static inline sni_columns_hold snt_flesh_hold(const snt_flesh *f) {
    return (sni_columns_hold){.anchors = f->anchors, .normals = f->normals};
}

static inline sni_columns_state snt_flesh_solve(snt_flesh *f, sni_columns_effort effort) {
    sni_columns_state state = snt_flesh_state(f);
    sni_columns_hold hold = snt_flesh_hold(f);
    assert_true(sni_columns_solve(f->columns, &f->arena, &hold, &effort, &state));
    return state;
}

// A sheet of wide x high columns in the plane, `thick` deep; diagonals all run alike.
static inline snt_flesh snt_flesh_sheet(sn_context *context, uint32_t wide, uint32_t high,
                                        double spacing, double thick) {
    snt_flesh f = snt_flesh_new(context, wide * high, 2 * (wide - 1) * (high - 1));
    for (uint32_t i = 0; i < wide * high; ++i) {
        sn_vec3 at = {spacing * (i % wide), spacing * (i / wide), 0};
        snt_flesh_put(f.rest_skin, 3, i, at);
        at.z = -thick;
        snt_flesh_put(f.rest_fascia, 3, i, at);
    }
    uint32_t *t = f.triangles;
    for (uint32_t row = 0; row + 1 < high; ++row) {
        for (uint32_t column = 0; column + 1 < wide; ++column) {
            uint32_t a = row * wide + column, b = a + 1, c = b + wide, d = a + wide;
            const uint32_t two[6] = {a, b, c, a, c, d};
            memcpy(t, two, sizeof two);
            t += 6;
        }
    }
    return f;
}

#endif
