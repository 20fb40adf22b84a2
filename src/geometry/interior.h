// SPDX-License-Identifier: Apache-2.0
//
// The inside of a closed surface, and how deep points lie in it.
#ifndef SINEW_GEOMETRY_INTERIOR_H
#define SINEW_GEOMETRY_INTERIOR_H

#include "sinew/geometry.h"

typedef struct sni_interior {
    sn_triangles *triangles; // NULL: not made
    sn_accel *accel;
    float *positions; // #V x 3, where it stands
    uint32_t vertex_count;
    sn_vec3 low, high; // its box
} sni_interior;

// The mesh is closed; `positions` (#V x 3) are copied.
sn_status sni_interior_init(sni_interior *interior, const sn_mesh *mesh, const float *positions,
                            sn_error *error);
void sni_interior_deinit(sni_interior *interior);

// Moves the vertices. On failure it stays where it was.
sn_status sni_interior_move(sni_interior *interior, const float *positions, sn_error *error);

// Whether a point lies inside: where the winding number is not 0, counted along a line in both
// directions. May run on several threads at once, as the next may.
bool sni_interior_contains(const sni_interior *interior, sn_vec3 point);

// How far a point lies below the surface, 0 for one outside: the distance to the closest point of
// it, which is written too where there is a depth.
double sni_interior_depth(const sni_interior *interior, sn_vec3 point, sn_vec3 *closest);

#endif
