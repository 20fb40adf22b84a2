// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_GEOMETRY_EDGE_H
#define SINEW_GEOMETRY_EDGE_H

#include "sinew/vector.h"

// The length of an edge, given as two vertices, of `points` (#V x 3).
static inline double sni_edge_length(const float *points, const uint32_t *edge) {
    return sn_vec3_distance(sn_vec3_load(points + 3 * (size_t)edge[0]),
                            sn_vec3_load(points + 3 * (size_t)edge[1]));
}

// The squared distance to the line from `a` to `b` and the weight of `b` there. Both ends are
// exact, and a line without length is the point `a`.
static inline double sni_edge_closest(sn_vec3 a, sn_vec3 b, sn_vec3 p, double *weight) {
    sn_vec3 edge = sn_vec3_sub(b, a);
    double along = sn_vec3_dot(sn_vec3_sub(p, a), edge);
    double length2 = sn_vec3_dot(edge, edge);
    *weight = along <= 0 ? 0 : along >= length2 ? 1 : along / length2;
    sn_vec3 closest = *weight == 1 ? b : sn_vec3_add_scaled(a, *weight, edge);
    sn_vec3 difference = sn_vec3_sub(p, closest);
    return sn_vec3_dot(difference, difference);
}

#endif
