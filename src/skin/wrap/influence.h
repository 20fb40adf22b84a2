// SPDX-License-Identifier: Apache-2.0
//
// Influence of an element at distance d, equation 1 of Singh and Kokkevis with lengths in units (as
// printed, it would depend on whether the user models in metres or millimetres):
//
//     f(d) = 1 / (1 + (d / unit)^local)
#ifndef SINEW_SKIN_WRAP_INFLUENCE_H
#define SINEW_SKIN_WRAP_INFLUENCE_H

#include "base/simd.h"

#include <math.h>
#include <stdbool.h>

typedef struct sni_wrap_settings {
    double local;      // exponent of equation 1
    double unit;       // length that distances are measured in, above 0
    double reach;      // see reach.h; 0: every element counts
    double cut;        // share of a point's weight that may be lost
    uint32_t elements; // most elements of a point; 0: as many as `cut` asks for
    bool extended;     // section 4.2: rows are of the driver's vertices, else of its triangles
} sni_wrap_settings;

// Beyond this 1 + x is x in float: influences of far points are taken relative to the nearest, so
// that they do not vanish.
static const double sni_wrap_far = 1e12;

// How influences of one point are computed from x = (d / unit)^2: 1 / (one + (scale x)^(local/2)).
typedef struct sni_influence_form {
    float one, scale;
    int half;     // whole part of local / 2
    bool is_odd;  // local is odd
    bool is_free; // local is not a whole number
    double local;
    double reference; // 1 / sqrt(scale)
} sni_influence_form;

// x^local; by multiplying where local is a whole number, which is faster than pow.
static inline double sni_wrap_power(double x, double local) {
    if (local != floor(local)) {
        return pow(x, local);
    }
    double power = 1;
    for (uint32_t left = (uint32_t)local; left > 0; left >>= 1, x *= x) {
        power = left & 1 ? power * x : power;
    }
    return power;
}

static inline sni_influence_form sni_influence_form_at(const sni_wrap_settings *settings,
                                                       double distance) {
    double local = settings->local, x = distance / settings->unit;
    bool is_far = sni_wrap_power(x, local) > sni_wrap_far;
    return (sni_influence_form){
        .one = is_far ? 0 : 1,
        .scale = is_far ? (float)(1 / (x * x)) : 1,
        .half = (int)(local / 2),
        .is_odd = fmod(local, 2) == 1,
        .is_free = local != floor(local),
        .local = local,
        .reference = is_far ? x : 1,
    };
}

SNI_INLINE sni_f32xw sni_influence_wide(const sni_influence_form *form, sni_f32xw x) {
    x = sni_f32xw_mul(x, sni_f32xw_set1(form->scale));
    sni_f32xw power = sni_f32xw_set1(1);
    if (form->is_free) {
        float lanes[SNI_WIDTH];
        sni_f32xw_store(lanes, x);
        for (int i = 0; i < SNI_WIDTH; ++i) {
            lanes[i] = (float)pow(lanes[i], form->local / 2);
        }
        power = sni_f32xw_load(lanes);
    } else {
        power = form->is_odd ? sni_f32xw_sqrt(x) : form->half > 0 ? x : power;
        for (int i = form->is_odd ? 0 : 1; i < form->half; ++i) {
            power = sni_f32xw_mul(power, x);
        }
    }
    return sni_f32xw_div(sni_f32xw_set1(1), sni_f32xw_add(sni_f32xw_set1(form->one), power));
}

// The influence at a distance in units, in the scale of a form.
static inline double sni_influence_of(const sni_influence_form *form, double distance) {
    return 1 / (form->one + sni_wrap_power(distance / form->reference, form->local));
}

// Equation 1.
static inline double sni_wrap_influence(const sni_wrap_settings *settings, double distance) {
    return 1 / (1 + sni_wrap_power(distance / settings->unit, settings->local));
}

#endif
