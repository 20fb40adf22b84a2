// SPDX-License-Identifier: Apache-2.0
//
// Generalised winding numbers (Jacobson, Kavan, Sorkine-Hornung 2013): how often a surface goes
// around a point, 1 inside of a closed one and 0 outside; between them, and changing smoothly,
// where it has holes. Triangles that are far away count together, as a dipole (Barill et al. 2018).
#ifndef SINEW_GEOMETRY_WINDING_H
#define SINEW_GEOMETRY_WINDING_H

#include "sinew/geometry.h"

typedef struct sni_winding sni_winding;

// Copies what it needs of the triangles.
sn_status sni_winding_create(sn_context *context, const float *positions, const uint32_t *vertices,
                             uint32_t triangle_count, sni_winding **winding, sn_error *error);
void sni_winding_destroy(sni_winding *winding);

// The winding number, to some hundredths. May run on several threads at once.
double sni_winding_at(const sni_winding *winding, sn_vec3 point);

#endif
