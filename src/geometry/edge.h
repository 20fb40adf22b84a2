// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_GEOMETRY_EDGE_H
#define SINEW_GEOMETRY_EDGE_H

#include "sinew/vector.h"

// The length of an edge, given as two vertices, of `points` (#V x 3).
static inline double sni_edge_length(const float *points, const uint32_t *edge) {
    return sn_vec3_distance(sn_vec3_load(points + 3 * (size_t)edge[0]),
                            sn_vec3_load(points + 3 * (size_t)edge[1]));
}

#endif
