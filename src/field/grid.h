// SPDX-License-Identifier: Apache-2.0
//
// A distance-like field baked to a grid: value and gradient at the nodes, both interpolated
// linearly in each cell, so that the gradient is continuous. Exact evaluation stays the reference;
// the largest error over the cells' middles is measured when a grid is made.
#ifndef SINEW_FIELD_GRID_H
#define SINEW_FIELD_GRID_H

#include "field/hrbf.h"

typedef struct sni_field_grid {
    sn_vec3 low;
    double spacing;
    uint32_t counts[3]; // nodes along x, y, z, 2 or more
    float *nodes;       // x first: value, gradient x, y, z
    double error;       // metres: largest |baked - exact| in the middles of cells near the surface
} sni_field_grid;

// Bakes a box. `near`: only cells with |d| below this count for the error. Free with
// sni_field_grid_free.
sn_status sni_field_grid_bake(sn_context *context, const sni_hrbf *hrbf, sn_vec3 low, sn_vec3 high,
                              double spacing, double near, sni_field_grid *grid, sn_error *error);
void sni_field_grid_free(sn_context *context, sni_field_grid *grid);

// The field at a point within the box; beyond it, the nearest place of the box counts.
sni_distance_value sni_field_grid_at(const sni_field_grid *grid, sn_vec3 at);

// The distance alone, with the same bits.
double sni_field_grid_distance(const sni_field_grid *grid, sn_vec3 at);

#endif
