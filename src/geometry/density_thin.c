// SPDX-License-Identifier: Apache-2.0
//
// What of a body a filter would leave outside of the skin.
#include "geometry/density.h"

#include <math.h>

// A node is kept apart where the smoothed density is below this multiple of the level: skin would
// lie there, or close by.
static const double safe = 1.1;

// Points along the side of a triangle at most.
enum { MOST_STEPS = 512 };

typedef struct thin_search {
    const sni_bricks *density, *filtered;
    double least; // density of nodes that are safely under the skin
    float value;  // of nodes that are not
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
    thin->dense[brick][node] = s->value;
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

// The nodes nearest to points of a triangle, no further apart than nodes are.
static bool mark_triangle(const thin_search *s, const sn_vec3 corners[3], sn_error *error) {
    double longest = fmax(
        sn_vec3_distance(corners[0], corners[1]),
        fmax(sn_vec3_distance(corners[1], corners[2]), sn_vec3_distance(corners[2], corners[0])));
    int steps = (int)fmin(ceil(longest / s->density->grid.spacing) + 1, MOST_STEPS);
    bool room = true;
    for (int i = 0; i <= steps && room; ++i) {
        sn_vec3 from = sn_vec3_lerp(corners[0], corners[1], (double)i / steps);
        sn_vec3 to = sn_vec3_lerp(corners[0], corners[2], (double)i / steps);
        for (int k = 0; k <= i && room; ++k) {
            room = mark_point(s, i > 0 ? sn_vec3_lerp(from, to, (double)k / i) : from, error);
        }
    }
    return room;
}

// A solid that is thinner than the grid may have no node in it: those beside its surface stand for
// it.
static bool mark_solid(const thin_search *s, const sni_solid *solid, sn_error *error) {
    bool room = true;
    if (solid->positions == NULL || !(solid->value > 0)) {
        return true;
    }
    for (size_t t = 0; t < solid->triangle_count && room; ++t) {
        sn_vec3 corners[3];
        for (size_t k = 0; k < 3; ++k) {
            corners[k] = sn_vec3_load(solid->positions + 3 * (size_t)solid->vertices[3 * t + k]);
        }
        room = mark_triangle(s, corners, error);
    }
    return room;
}

// The density of a row of single nodes, which a filter of `sigma` leaves above the level.
static double value_for(double level, double sigma) {
    float weights[301]; // of the widest filter, sigma 100
    sni_density_weights(sigma, weights);
    return fmax(SNI_DENSITY_VALUE, 1.5 * level / ((double)weights[0] * weights[0]));
}

sn_status sni_density_thin(const sni_bricks *density, const sni_bricks *filtered, double level,
                           double sigma, const sni_solid *solids, uint32_t count, sni_bricks **thin,
                           sn_error *error) {
    thin_search s = {.density = density,
                     .filtered = filtered,
                     .least = safe * level,
                     .value = (float)value_for(level, sigma)};
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
