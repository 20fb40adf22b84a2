// SPDX-License-Identifier: Apache-2.0
//
// The exact signed distance from a surface of triangles, for points near it: negative behind it.
//
// Which side a point is on is told by the normal where the surface comes closest: of a face, the
// sum of two faces' at an edge, the sum of all faces' weighted by their angles at a vertex
// (J. A. Bærentzen, H. Aanæs, "Signed distance computation using the angle weighted pseudonormal",
// 2005). Vertices at one place count as one. A closed surface that is inside out is turned over.
#ifndef SINEW_GEOMETRY_SIGNED_SURFACE_H
#define SINEW_GEOMETRY_SIGNED_SURFACE_H

#include "sinew/geometry.h"

typedef struct sni_signed_surface sni_signed_surface;

// Copies what is given. Fails as sn_accel_create does.
sn_status sni_signed_surface_create(sn_context *context, const float *positions,
                                    uint32_t vertex_count, const uint32_t *vertices,
                                    uint32_t triangle_count, sni_signed_surface **surface,
                                    sn_error *error);
void sni_signed_surface_destroy(sni_signed_surface *surface); // NULL is allowed
size_t sni_signed_surface_bytes(const sni_signed_surface *surface);

// The signed distance at a point and its gradient, a unit vector. False where the surface is
// further away than `radius`. May run on several threads at once.
bool sni_signed_surface_at(const sni_signed_surface *surface, sn_vec3 point, double radius,
                           double *distance, sn_vec3 *gradient);

#endif
