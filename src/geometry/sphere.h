// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_GEOMETRY_SPHERE_H
#define SINEW_GEOMETRY_SPHERE_H

#include "sinew/mesh.h"

// How finely an edge of the icosahedron may be divided, and how finely it is when nobody says.
#define SNI_SPHERE_DETAIL_MOST 64
#define SNI_SPHERE_DETAIL 8

// A closed mesh of the ellipsoid that `place` makes of the unit ball: an icosahedron whose edges
// are divided into `detail` (1 to SNI_SPHERE_DETAIL_MOST) parts, all vertices on the ellipsoid, 10
// detail^2 + 2 vertices and 20 detail^2 triangles that face outward (unless `place` mirrors).
// The ball's mesh is its own mirror image in the planes of its axes, up to rounding; where `detail`
// is even, vertices lie on the axes, so that the bounds of an ellipsoid along them are its radii.
sn_status sni_ellipsoid_mesh(sn_context *context, const char *name, const sn_mat4 *place,
                             uint32_t detail, sn_mesh **mesh, sn_error *error);

#endif
