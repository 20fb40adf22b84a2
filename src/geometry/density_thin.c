// SPDX-License-Identifier: Apache-2.0
//
// What of a body a filter would leave outside of the skin.
#include "geometry/density.h"

#include <math.h>

// A node is kept apart where the smoothed density is below this multiple of the level: skin would
// lie there, or close by.
static const double safe = 1.1;

typedef struct thin_search {
    const sni_bricks *density, *filtered;
    double least; // density of nodes that are safely under the skin
    sni_bricks *thin;
} thin_search;

static double value_at(const sni_bricks *bricks, uint32_t brick, uint32_t node) {
    return bricks->dense[brick] != NULL ? bricks->dense[brick][node] : bricks->uniform[brick];
}

static bool mark(const thin_search *s, uint32_t brick, uint32_t node, sn_error *error) {
    sni_bricks *thin = s->thin;
    if (!(value_at(s->filtered, brick, node) < s->least) || value_at(s->density, brick, node) < 0) {
        return true;
    }
    if (thin->dense[brick] == NULL) {
        thin->chunks[brick] = sni_alloc_zero(thin->context, SNI_BRICK_NODES, sizeof(float));
        thin->dense[brick] = thin->chunks[brick];
    }
    if (thin->dense[brick] == NULL) {
        sni_fail_memory(error);
        return false;
    }
    thin->dense[brick][node] = (float)SNI_DENSITY_VALUE;
    return true;
}

static bool mark_point(const thin_search *s, sn_vec3 p, sn_error *error) {
    const sni_grid *grid = &s->density->grid;
    const uint32_t *counts = s->density->counts;
    p = sn_vec3_scale(sn_vec3_sub(p, grid->origin), 1 / grid->spacing);
    const double at[3] = {round(p.x), round(p.y), round(p.z)};
    uint32_t node[3];
    for (int axis = 0; axis < 3; ++axis) {
        if (!(at[axis] >= 0 && at[axis] < (double)counts[axis] * SNI_BRICK)) {
            return true;
        }
        node[axis] = (uint32_t)at[axis];
    }
    uint32_t brick =
        sni_bricks_index(s->density, node[0] / SNI_BRICK, node[1] / SNI_BRICK, node[2] / SNI_BRICK);
    return mark(s, brick,
                ((node[2] % SNI_BRICK) * SNI_BRICK + node[1] % SNI_BRICK) * SNI_BRICK +
                    node[0] % SNI_BRICK,
                error);
}

// A solid that is thinner than the grid has nodes no nearer than those beside its corners and the
// middles of its triangles.
static bool mark_solid(const thin_search *s, const sni_solid *solid, sn_error *error) {
    if (solid->positions == NULL || !(solid->value > 0)) {
        return true;
    }
    for (size_t v = 0; v < solid->vertex_count; ++v) {
        if (!mark_point(s, sn_vec3_load(solid->positions + 3 * v), error)) {
            return false;
        }
    }
    for (size_t t = 0; t < solid->triangle_count; ++t) {
        sn_vec3 middle = {0, 0, 0};
        for (size_t k = 0; k < 3; ++k) {
            const float *corner = solid->positions + 3 * (size_t)solid->vertices[3 * t + k];
            middle = sn_vec3_add_scaled(middle, 1.0 / 3, sn_vec3_load(corner));
        }
        if (!mark_point(s, middle, error)) {
            return false;
        }
    }
    return true;
}

sn_status sni_density_thin(const sni_bricks *density, const sni_bricks *filtered, double level,
                           const sni_solid *solids, uint32_t count, sni_bricks **thin,
                           sn_error *error) {
    thin_search s = {.density = density, .filtered = filtered, .least = safe * level};
    sn_status status = SN_OK;
    *thin = NULL;
    SN_TRY(sni_bricks_create(density->context, &density->grid, 0, &s.thin, error));
    bool room = true;
    for (uint32_t b = 0; b < density->brick_count && room; ++b) {
        for (uint32_t k = 0; k < SNI_BRICK_NODES && room; ++k) {
            room = !(value_at(density, b, k) > 0) || mark(&s, b, k, error);
        }
    }
    for (uint32_t i = 0; i < count && room; ++i) {
        room = mark_solid(&s, &solids[i], error);
    }
    if (!room) {
        status = SN_OUT_OF_MEMORY;
        goto cleanup;
    }
    *thin = s.thin;
    return SN_OK;
cleanup:
    sni_bricks_destroy(s.thin);
    return status;
}
