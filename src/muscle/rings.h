// SPDX-License-Identifier: Apache-2.0
//
// Closed surfaces made of rings of vertices: slice_count slices of ring_count points each, joined
// by triangles, and a cap at either end. Cylinder and ellipsoid muscles are such surfaces.
//
// Control points are the slices' vertices, slice by slice, and then the nodes of the muscle's axis:
// where it begins, what it bends around, where it ends. The mesh has the slices' vertices first and
// then the middles of the two caps, the first and the last node.
#ifndef SINEW_MUSCLE_RINGS_H
#define SINEW_MUSCLE_RINGS_H

#include "muscle/muscle.h"

typedef struct sni_rings {
    uint32_t slice_count; // 1 or more
    uint32_t ring_count;  // 3 or more
    uint32_t node_count;  // 2 or more
} sni_rings;

uint32_t sni_rings_point_count(const sni_rings *rings);

// A new mesh of triangles that face outwards where rings turn counterclockwise about the way from
// the first slice to the last.
sn_status sni_rings_mesh(const sni_rings *rings, sn_context *context, const char *name,
                         const double *points, sn_mesh **mesh, sn_error *error);
void sni_rings_positions(const sni_rings *rings, const double *points, float *positions);

// The axis' length through its nodes; volume and area of the mesh, in double precision, about the
// first node.
double sni_rings_length(const sni_rings *rings, const double *points);
void sni_rings_measure(const sni_rings *rings, const double *points, double *volume, double *area);
// The same volume alone, with the same bits.
double sni_rings_volume(const sni_rings *rings, const double *points);

// The rings without the caps as a patch of degree 1, for skins that follow the muscle. Its knots,
// which the caller frees, lie in one array for both directions.
sn_status sni_rings_knots_create(const sni_rings *rings, sn_context *context, double **knots,
                                 sn_error *error);
size_t sni_rings_knot_count(const sni_rings *rings);
// The patch of some points; one slice alone is none.
void sni_rings_patch(const sni_rings *rings, const double *points, const double *knots,
                     sni_nurbs *patch);

// Whether all points are finite.
bool sni_rings_finite(const sni_rings *rings, const double *points);

#endif
