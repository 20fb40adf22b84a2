// SPDX-License-Identifier: Apache-2.0
//
// Points of particles: #P x 3 doubles.
#ifndef SINEW_SOLVER_POINTS_H
#define SINEW_SOLVER_POINTS_H

#include "sinew/vector.h"

static inline sn_vec3 sni_point(const double *points, uint32_t particle) {
    const double *p = points + 3 * (size_t)particle;
    return sn_vec3_make(p[0], p[1], p[2]);
}

// Moves a particle by factor * by.
static inline void sni_point_move(double *points, uint32_t particle, double factor, sn_vec3 by) {
    double *p = points + 3 * (size_t)particle;
    p[0] += factor * by.x;
    p[1] += factor * by.y;
    p[2] += factor * by.z;
}

#endif
