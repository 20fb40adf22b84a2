// SPDX-License-Identifier: Apache-2.0
//
// Smooth motions of space that take given points exactly to given places.
#ifndef SINEW_FIT_HEAD_SPLINE_H
#define SINEW_FIT_HEAD_SPLINE_H

#include "base/memory.h"
#include "sinew/vector.h"

typedef enum sni_spline_kernel {
    // The root of r^2 + R^2, with an affine part. For R = 0 it is the motion through the points
    // that
    // bends space least (Duchon, Splines minimizing rotation-invariant semi-norms in Sobolev
    // spaces,
    // 1977), but with a kink at every point, which folds small triangles; R rounds it off (Hardy,
    // Multiquadric equations of topography, 1971).
    SNI_SPLINE_BENDING,
    // (1 - r/R)^4 (4 r/R + 1), nothing beyond R (Wendland, Piecewise polynomial, positive definite
    // and compactly supported radial functions of minimal degree, 1995).
    SNI_SPLINE_LOCAL,
} sni_spline_kernel;

typedef struct sni_spline {
    sn_context *context;
    sni_spline_kernel kernel;
    double reach; // R
    uint32_t count;
    sn_vec3 *centers; // count
    sn_vec3 *weights; // count, and 4 of the affine part for SNI_SPLINE_BENDING
    sn_vec3 origin;   // of the affine part
} sni_spline;

// The motion that moves each center by its offset, or, where `softness` (count, may be NULL) is not
// 0, nearly so: it is added to the diagonal of the kernel's matrix. Centers closer to each other
// than 1e-9 of their extent are the same; the first counts. A bending spline of points that lie in
// a plane has an affine part that only translates. Fails with SN_INVALID where the points do not
// determine it, and with SN_OUT_OF_MEMORY.
sn_status sni_spline_create(sn_context *context, sni_spline_kernel kernel, double reach,
                            uint32_t count, const sn_vec3 *centers, const sn_vec3 *offsets,
                            const double *softness, sni_spline **spline, sn_error *error);
void sni_spline_destroy(sni_spline *spline);

// The offset of a point.
sn_vec3 sni_spline_at(const sni_spline *spline, sn_vec3 point);

// Moves points in place, on all threads.
void sni_spline_move(const sni_spline *spline, sn_vec3 *points, uint32_t count);

#endif
