// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_GEOMETRY_TUBE_H
#define SINEW_GEOMETRY_TUBE_H

#include "sinew/mesh.h"

// How finely a tube may be divided, and how finely it is when nobody says.
#define SNI_TUBE_DETAIL_LEAST 2
#define SNI_TUBE_DETAIL_MOST 64
#define SNI_TUBE_DETAIL 8

// A body around a curve: elliptical sections through points, and a cap at either end.
typedef struct sni_tube {
    uint32_t point_count;  // 2 or more
    const sn_vec3 *points; // that the curve goes through; neighbours are apart
    const double *radii;   // point_count x 2, above zero: along the wide axis, across it
    sn_vec3 side;          // where the wide axis points at the first point; zero: it is chosen
    double cap;            // length of the caps, in smaller radii of their ends; 0: flat
    uint32_t detail;       // SNI_TUBE_DETAIL_LEAST to SNI_TUBE_DETAIL_MOST
} sni_tube;

// Whether a tube can be made: fails, with the points' numbers, where neighbours coincide, the curve
// turns back, or `side` runs along its beginning.
sn_status sni_tube_check(const sni_tube *tube, sn_error *error);

// A closed mesh of triangles that face outward, of a tube that has passed the check. With e =
// detail rounded up to be even it has 2 e points around, e / 2 sections from each point to the next
// and e / 2 rings on each cap. Vertices: the first cap's pole, the rings of 2 e vertices, the last
// cap's pole. A tube mirrored in a plane of the axes has the mirrored surface, to rounding.
sn_status sni_tube_mesh(sn_context *context, const char *name, const sni_tube *tube, sn_mesh **mesh,
                        sn_error *error);

#endif
