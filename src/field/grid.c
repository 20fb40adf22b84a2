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

static cell_place place_of(const sni_field_grid *grid, sn_vec3 at) {
    const double place[3] = {(at.x - grid->low.x) / grid->spacing,
                             (at.y - grid->low.y) / grid->spacing,
                             (at.z - grid->low.z) / grid->spacing};
    uint32_t cell[3];
    cell_place where;
    for (int axis = 0; axis < 3; ++axis) {
        double most = grid->counts[axis] - 1;
        double p = place[axis] < 0 ? 0 : place[axis] > most ? most : place[axis];
        cell[axis] = (uint32_t)fmin(p, most - 1);
        where.part[axis] = p - cell[axis];
    }
    where.step_y = (size_t)grid->counts[0] * NODE;
    where.step_z = where.step_y * grid->counts[1];
    where.corner =
        grid->nodes + cell[2] * where.step_z + cell[1] * where.step_y + (size_t)cell[0] * NODE;
    return where;
}

// Corner k of 8 of a cell, and how much it counts.
static inline const float *node_of(const cell_place *where, int k, double *weight) {
    const double *part = where->part;
    *weight = (k & 1 ? part[0] : 1 - part[0]) * (k & 2 ? part[1] : 1 - part[1]) *
              (k & 4 ? part[2] : 1 - part[2]);
    return where->corner + (k & 1 ? NODE : 0) + (k & 2 ? where->step_y : 0) +
           (k & 4 ? where->step_z : 0);
}

sni_distance_value sni_field_grid_at(const sni_field_grid *grid, sn_vec3 at) {
    cell_place where = place_of(grid, at);
    double sums[NODE] = {0, 0, 0, 0};
    for (int k = 0; k < 8; ++k) {
        double weight;
        const float *node = node_of(&where, k, &weight);
        for (int i = 0; i < NODE; ++i) {
            sums[i] += weight * node[i];
        }
    }
    return (sni_distance_value){sums[0], {sums[1], sums[2], sums[3]}};
}

double sni_field_grid_distance(const sni_field_grid *grid, sn_vec3 at) {
    cell_place where = place_of(grid, at);
    double sum = 0;
    for (int k = 0; k < 8; ++k) {
        double weight;
        const float *node = node_of(&where, k, &weight);
        sum += weight * node[0];
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
