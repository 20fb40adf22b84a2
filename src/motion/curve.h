// SPDX-License-Identifier: Apache-2.0
//
// A number that depends on another one: the curve of a driver, or of a pivot that moves.
#ifndef SINEW_MOTION_CURVE_H
#define SINEW_MOTION_CURVE_H

#include "base/memory.h"
#include "sinew/motion.h"

typedef struct sni_curve {
    sn_track track;    // inputs in the place of times; no keys: the input itself
    bool extrapolates; // straight on beyond its keys, where others hold
} sni_curve;

// A curve through (inputs[i], outputs[i]), inputs rising, all finite: stepped, linear, smooth or
// spline. Owns its memory, until sni_curve_deinit.
sn_status sni_curve_init(sn_context *context, uint32_t count, const double *inputs,
                         const double *outputs, sn_interpolation interpolation, sni_curve *curve,
                         sn_error *error);
void sni_curve_deinit(sn_context *context, sni_curve *curve);

double sni_curve_sample(const sni_curve *curve, double input);

// The slopes at its keys of the cubic spline through them: twice continuously differentiable, its
// third derivative in the first and in the last interval that of the cubic through the four keys
// there (G. E. Forsythe, M. A. Malcolm, C. B. Moler: Computer Methods for Mathematical
// Computations, 1977), as OpenSim's SimmSpline has it. Three keys give their parabola, two a line,
// one 0. Fails for want of memory alone.
sn_status sni_spline_slopes(sn_context *context, uint32_t count, const double *inputs,
                            const double *outputs, double *slopes, sn_error *error);

#endif
