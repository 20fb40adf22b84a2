// SPDX-License-Identifier: Apache-2.0
#include "field/grid.h"

#include "base/context.h"

enum { NODE = 4, MOST_NODES_ALONG = 512 };

typedef struct bake_run {
    sn_context *context;
    const sni_hrbf *hrbf;
    const sni_field_grid *grid;
} bake_run;

static sn_vec3 node_point(const sni_field_grid *grid, double i, double j, double k) {
    return sn_vec3_add_scaled(grid->low, grid->spacing, sn_vec3_make(i, j, k));
}

static void bake_rows(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const bake_run *run = user;
    const sni_field_grid *grid = run->grid;
    for (uint32_t row = begin; row < end; ++row) {
        uint32_t j = row % grid->counts[1], k = row / grid->counts[1];
        float *nodes = grid->nodes + (size_t)row * grid->counts[0] * NODE;
        sni_hrbf_row(run->context, run->hrbf, node_point(grid, 0, j, k), grid->spacing,
                     grid->counts[0], nodes);
    }
}

// The cell of a point: its first node, how far away the next ones along y and z are, and where in
// it the point is.
typedef struct cell_place {
    const float *corner;
    size_t step_y, step_z;
    double part[3];
} cell_place;

// Which step along an axis a place is in, and how far in it. Beyond the box it is at its end.
static inline uint32_t step_along(double place, uint32_t count, double *part) {
    // Also for what is not a number.
    double most = count - 1, p = !(place > 0) ? 0 : place < most ? place : most;
    uint32_t step = (uint32_t)p;
    step = step < count - 2 ? step : count - 2;
    *part = p - step;
    return step;
}

static inline cell_place place_of(const sni_field_grid *grid, sn_vec3 at) {
    const uint32_t *counts = grid->counts;
    double scale = 1 / grid->spacing;
    cell_place where = {.step_y = (size_t)counts[0] * NODE};
    where.step_z = where.step_y * counts[1];
    uint32_t x = step_along((at.x - grid->low.x) * scale, counts[0], &where.part[0]);
    uint32_t y = step_along((at.y - grid->low.y) * scale, counts[1], &where.part[1]);
    uint32_t z = step_along((at.z - grid->low.z) * scale, counts[2], &where.part[2]);
    where.corner = grid->nodes + z * where.step_z + y * where.step_y + (size_t)x * NODE;
    return where;
}

// How much the corners of a cell count, x first.
static inline void corner_weights(const double part[3], double weights[8]) {
    double x = 1 - part[0], y = 1 - part[1], z = 1 - part[2];
    const double edges[4] = {x * y, part[0] * y, x * part[1], part[0] * part[1]};
    for (int k = 0; k < 4; ++k) {
        weights[k] = edges[k] * z;
        weights[4 + k] = edges[k] * part[2];
    }
}

static inline const float *node_of(const cell_place *where, int corner) {
    return where->corner + (corner & 1 ? NODE : 0) + (corner & 2 ? where->step_y : 0) +
           (corner & 4 ? where->step_z : 0);
}

sni_distance_value sni_field_grid_at(const sni_field_grid *grid, sn_vec3 at) {
    cell_place where = place_of(grid, at);
    double weights[8], sums[NODE] = {0, 0, 0, 0};
    corner_weights(where.part, weights);
    for (int k = 0; k < 8; ++k) {
        const float *node = node_of(&where, k);
        for (int i = 0; i < NODE; ++i) {
            sums[i] += weights[k] * node[i];
        }
    }
    return (sni_distance_value){sums[0], {sums[1], sums[2], sums[3]}};
}

double sni_field_grid_distance(const sni_field_grid *grid, sn_vec3 at) {
    cell_place where = place_of(grid, at);
    double weights[8], sum = 0;
    corner_weights(where.part, weights);
    for (int k = 0; k < 8; ++k) {
        sum += weights[k] * node_of(&where, k)[0];
    }
    return sum;
}

static double measure_error(const sni_hrbf *hrbf, const sni_field_grid *grid, double near) {
    double worst = 0;
    for (uint32_t k = 0; k + 1 < grid->counts[2]; k += 2) {
        for (uint32_t j = 0; j + 1 < grid->counts[1]; j += 2) {
            for (uint32_t i = 0; i + 1 < grid->counts[0]; i += 2) {
                sn_vec3 at = node_point(grid, i + 0.5, j + 0.5, k + 0.5);
                double baked = sni_field_grid_at(grid, at).distance;
                if (fabs(baked) < near) {
                    worst = fmax(worst, fabs(baked - sni_hrbf_at(hrbf, at).distance));
                }
            }
        }
    }
    return worst;
}

sn_status sni_field_grid_bake(sn_context *context, const sni_hrbf *hrbf, sn_vec3 low, sn_vec3 high,
                              double spacing, double near, sni_field_grid *grid, sn_error *error) {
    sn_status status = SN_OK;
    *grid = (sni_field_grid){.low = low, .spacing = spacing};
    const double sizes[3] = {high.x - low.x, high.y - low.y, high.z - low.z};
    double bytes = NODE * sizeof(float);
    for (int axis = 0; axis < 3; ++axis) {
        double count = ceil(sizes[axis] / spacing) + 1;
        if (!(count >= 2 && count <= MOST_NODES_ALONG)) {
            return sni_fail(error, SN_INVALID,
                            "a field of %g x %g x %g m cannot be baked in steps of %g m", sizes[0],
                            sizes[1], sizes[2], spacing);
        }
        grid->counts[axis] = (uint32_t)count;
        bytes *= count;
    }
    SN_TRY(sni_check_room(context, bytes, "the grid of a field", error));
    SNI_NEW(context, grid->nodes, (size_t)(bytes / sizeof(float)));
    bake_run run = {context, hrbf, grid};
    sn_parallel_for(context, grid->counts[1] * grid->counts[2], 8, bake_rows, &run);
    grid->error = measure_error(hrbf, grid, near);
cleanup:
    return status;
}

void sni_field_grid_free(sn_context *context, sni_field_grid *grid) {
    sni_free(context, grid->nodes);
    *grid = (sni_field_grid){0};
}
