// SPDX-License-Identifier: Apache-2.0
//
// Compact support: a field that grows like a distance becomes one that is 1 deep inside, a half on
// the surface and 0 from a distance `radius` on, so that what is far away costs nothing and changes
// nothing.
//
// With x = d / radius, as in the public code of implicit skinning (Vaillant et al. 2013):
//
//     t(x) = 1/2 - 15/16 x + 5/8 x^3 - 3/16 x^5   for -1 < x < 1,   1 below,   0 above
//     t'(x) = -15/16 (1 - x^2)^2
//
// It is twice continuously differentiable, and t(-x) = 1 - t(x).
#ifndef SINEW_FIELD_SUPPORT_H
#define SINEW_FIELD_SUPPORT_H

#include "sinew/vector.h"

// A field at a point: its value, 0 to 1, a half on the surface, more inside; and its gradient,
// which points inwards.
typedef struct sni_field_value {
    double value;
    sn_vec3 gradient;
} sni_field_value;

// A field that is like a distance at a point: negative inside, with a gradient outwards.
typedef struct sni_distance_value {
    double distance;
    sn_vec3 gradient;
} sni_distance_value;

static inline double sni_support(double x) {
    if (x <= -1) {
        return 1;
    }
    if (x >= 1) {
        return 0;
    }
    double x2 = x * x;
    return 0.5 - x * (15.0 / 16 - x2 * (5.0 / 8 - x2 * (3.0 / 16)));
}

// The slope of sni_support.
static inline double sni_support_slope(double x) {
    if (x <= -1 || x >= 1) {
        return 0;
    }
    double rest = 1 - x * x;
    return -15.0 / 16 * rest * rest;
}

// The x with sni_support(x) = value; -1 for values of 1 and more, 1 for those of 0 and less.
double sni_support_inverse(double value);

// A distance and its gradient with compact support.
static inline sni_field_value sni_support_field(sni_distance_value at, double radius) {
    double x = at.distance / radius;
    return (sni_field_value){sni_support(x),
                             sn_vec3_scale(at.gradient, sni_support_slope(x) / radius)};
}

#endif
