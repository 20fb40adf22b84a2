// SPDX-License-Identifier: Apache-2.0
//
// The law of the skin's membrane: how hard it resists being stretched or compressed, by a factor s,
// along one of its two principal directions. It is soft around rest and stiff beyond, as skin is
// whose collagen has been straightened.
//
//     r(s) = 0.15 clamp(s - 1, -0.5, 0.25) + max(s - 1.25, 0) + min(s - 0.5, 0)
//
// The wide forms of both laws are in flesh_round.c.
#ifndef SINEW_SOLVER_FLESH_LAW_H
#define SINEW_SOLVER_FLESH_LAW_H

#include <math.h>

#define SNI_SKIN_SOFT 0.15   // slope around rest; it is 1 beyond
#define SNI_SKIN_LONG 1.25   // where it becomes stiff
#define SNI_SKIN_SHORT 0.5   //
#define SNI_SKIN_RAMP 0.1    // width over which steps are prepared for the stiff branch
#define SNI_SKIN_FLAT 1e-4   // least square of a stretch: triangles may have lost their area
#define SNI_SKIN_ALIKE 1e-5  // squares of two stretches that are taken as one
#define SNI_FASCIA_SLACK 0.1 // slope of the fascia's law below 1; it is 1 above
#define SNI_PRISM_FLAT 0.05  // keeps quotients of collapsed prisms finite

static inline double sni_skin_law(double s) {
    return SNI_SKIN_SOFT * fmin(fmax(s - 1, SNI_SKIN_SHORT - 1), SNI_SKIN_LONG - 1) +
           fmax(s - SNI_SKIN_LONG, 0) + fmin(s - SNI_SKIN_SHORT, 0);
}

// The fascia pulls, but gives way where it is compressed: a sheet that resisted would buckle.
static inline double sni_fascia_law(double s) {
    return fmax(s - 1, 0) + SNI_FASCIA_SLACK * fmin(s - 1, 0);
}

// The slope that a step has to count on between two stretches, `longest` and `shortest`: that of
// the stiff branch, already shortly before.
static inline double sni_skin_slope(double longest, double shortest) {
    double above = (longest - (SNI_SKIN_LONG - SNI_SKIN_RAMP)) / SNI_SKIN_RAMP;
    double below = (SNI_SKIN_SHORT + SNI_SKIN_RAMP - shortest) / SNI_SKIN_RAMP;
    return SNI_SKIN_SOFT + (1 - SNI_SKIN_SOFT) * fmin(fmax(fmax(above, below), 0), 1);
}

#endif
