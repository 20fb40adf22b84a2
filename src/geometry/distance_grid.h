// SPDX-License-Identifier: Apache-2.0
//
// The signed distance from a closed or nearly closed surface, such as a bone's, in a box of nodes
// along its principal axes: negative inside. Within a cell the value is linear along each axis, and
// the gradient is that of the same cell.
//
// A point is inside where the winding number is beyond a half, so that holes are bridged, and a
// surface that is inside out is none the worse.
#ifndef SINEW_GEOMETRY_DISTANCE_GRID_H
#define SINEW_GEOMETRY_DISTANCE_GRID_H

#include "sinew/geometry.h"

typedef struct sni_distance_grid {
    sn_context *context;
    sn_vec3 axes[3]; // unit, square to each other: the first along the surface
    sn_vec3 low;     // the lowest node, in coordinates along the axes
    double spacing;
    uint32_t counts[3]; // nodes along the axes
    float *values;      // along the first axis first
    double margin;      // around the surface, at least
    // The largest excess of the grid over the true distance, measured in the middles of cells
    // outside, from two spacings away from the surface on. Nearer than that, beside sharp edges, it
    // can be half a spacing.
    double error;
} sni_distance_grid;

typedef struct sni_distance_grid_desc {
    double margin; // around the surface's box, as a part of its diagonal; at least 0.35 of its
                   // middle side
    uint32_t most_nodes; // 4 bytes each
} sni_distance_grid_desc;

// 2 MiB, and a twelfth of the diagonal all around.
sni_distance_grid_desc sni_distance_grid_desc_default(void);

// The spacing follows from the number of nodes. Fails with SN_INVALID for a mesh without triangles
// or without extent.
sn_status sni_distance_grid_create(const sn_mesh *mesh, const sni_distance_grid_desc *desc,
                                   sni_distance_grid **grid, sn_error *error);
void sni_distance_grid_destroy(sni_distance_grid *grid);

// The distance at a point and its gradient, about a unit vector. Beyond the box it is no more than
// the true one: with the distance d at the nearest place of the box, e from there and the margin m,
//
//     d(x)^2 >= e^2 + 2 e m + d^2
//
// since the surface is m below each face of the box.
double sni_distance_grid_at(const sni_distance_grid *grid, sn_vec3 at, sn_vec3 *gradient);

size_t sni_distance_grid_bytes(const sni_distance_grid *grid);

#endif
