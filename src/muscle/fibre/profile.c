// SPDX-License-Identifier: Apache-2.0
#include "muscle/fibre/profile.h"

#include "base/error.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

static double power(double base, uint32_t exponent) {
    double result = 1;
    for (uint32_t i = 0; i < exponent; ++i) {
        result *= base;
    }
    return result;
}

static bool is_open(sni_beta beta) {
    return beta.a == 1 || beta.b == 1;
}

// S(min(1, s / length)), S(u) = u^2 (3 - 2u), and its slope.
static double taper(double s, double *slope) {
    double u = s / SNI_FIBRE_TAPER;
    if (u >= 1) {
        *slope = 0;
        return 1;
    }
    *slope = 6 * u * (1 - u) / SNI_FIBRE_TAPER;
    return u * u * (3 - 2 * u);
}

// s^(a-1) (1-s)^(b-1), closed at open ends, and its slope: a polynomial, never a quotient.
static double shape_at(sni_beta beta, double s, double *slope) {
    double rise = power(s, beta.a - 1), fall = power(1 - s, beta.b - 1);
    double rise_slope = beta.a > 1 ? (beta.a - 1) * power(s, beta.a - 2) : 0;
    double fall_slope = beta.b > 1 ? -(double)(beta.b - 1) * power(1 - s, beta.b - 2) : 0;
    double factor_slope;
    if (beta.a == 1) {
        rise = taper(s, &factor_slope);
        rise_slope = factor_slope;
    }
    if (beta.b == 1) {
        fall = taper(1 - s, &factor_slope);
        fall_slope = -factor_slope;
    }
    *slope = rise_slope * fall + rise * fall_slope;
    return rise * fall;
}

// (p-1)! (q-1)! / (p+q-1)!, the beta function of whole numbers.
static double beta_function(uint32_t p, uint32_t q) {
    double result = 1.0 / (p + q - 1);
    for (uint32_t i = 1; i < q; ++i) {
        result *= (double)i / (p + i - 1);
    }
    return result;
}

// int of the product of two shapes over 0 to 1: exact where all ends are closed, else by Simpson's
// rule.
static double product_integral(sni_beta x, sni_beta y) {
    if (!is_open(x) && !is_open(y)) {
        return beta_function(x.a + y.a - 1, x.b + y.b - 1);
    }
    enum { PARTS = 2000 };
    double sum = 0, slope;
    for (int i = 0; i <= PARTS; ++i) {
        double s = (double)i / PARTS;
        double weight = i == 0 || i == PARTS ? 1 : i % 2 == 1 ? 4 : 2;
        sum += weight * shape_at(x, s, &slope) * shape_at(y, s, &slope);
    }
    return sum / (3 * PARTS);
}

// shape_at without its slope.
static double height_of(sni_beta beta, double s) {
    double slope;
    double rise = beta.a == 1 ? taper(s, &slope) : power(s, beta.a - 1);
    double fall = beta.b == 1 ? taper(1 - s, &slope) : power(1 - s, beta.b - 1);
    return rise * fall;
}

// 1 / sqrt(F)
static double factor_at(const sni_fibre_profile *profile, double activation) {
    return 1 / sqrt(sni_fibre_profile_norm(profile, activation));
}

// Phi. What has no part in it is not computed: it would add 0.
static double value_at(const sni_fibre_profile *profile, double activation, double factor,
                       double s) {
    double other = 1 - activation, sum = 0;
    if (!(s > 0 && s < 1)) {
        return 0;
    }
    if (other != 0) {
        sum = other * (height_of(profile->rest, s) * profile->rest_factor);
    }
    if (activation != 0) {
        sum += activation * (height_of(profile->active, s) * profile->active_factor);
    }
    return factor * sum;
}

// The largest of evenly spread values, and from there by golden sections.
static double find_most(const sni_fibre_profile *profile, double activation) {
    enum { PLACES = 64, STEPS = 40 };
    int best = 0;
    double most = 0, factor = factor_at(profile, activation);
    for (int i = 1; i < PLACES; ++i) {
        double value = value_at(profile, activation, factor, (double)i / PLACES);
        if (value > most) {
            most = value;
            best = i;
        }
    }
    static const double golden = 0.61803398874989485;
    double low = (best - 1.0) / PLACES, high = (best + 1.0) / PLACES;
    for (int i = 0; i < STEPS; ++i) {
        double left = high - golden * (high - low), right = low + golden * (high - low);
        if (value_at(profile, activation, factor, left) <
            value_at(profile, activation, factor, right)) {
            low = left;
        } else {
            high = right;
        }
    }
    return fmax(most, value_at(profile, activation, factor, (low + high) / 2));
}

sni_fibre_profile sni_fibre_profile_make(sni_beta rest, sni_beta active) {
    SN_ASSERT(rest.a >= 1 && rest.a <= SNI_FIBRE_EXPONENT_MOST);
    SN_ASSERT(rest.b >= 1 && rest.b <= SNI_FIBRE_EXPONENT_MOST);
    SN_ASSERT(active.a >= 1 && active.a <= SNI_FIBRE_EXPONENT_MOST);
    SN_ASSERT(active.b >= 1 && active.b <= SNI_FIBRE_EXPONENT_MOST);
    sni_fibre_profile profile = {.rest = rest, .active = active};
    profile.rest_factor = 1 / sqrt(product_integral(rest, rest));
    profile.active_factor = 1 / sqrt(product_integral(active, active));
    profile.overlap = product_integral(rest, active) * profile.rest_factor * profile.active_factor;
    profile.rest_most = find_most(&profile, 0);
    return profile;
}

double sni_fibre_profile_norm(const sni_fibre_profile *profile, double activation) {
    double other = 1 - activation;
    return other * other + activation * activation + 2 * activation * other * profile->overlap;
}

double sni_fibre_profile_at(const sni_fibre_profile *profile, double activation, double s,
                            double *slope) {
    double kept, *out = slope != NULL ? slope : &kept;
    if (!(s > 0 && s < 1)) {
        *out = 0;
        return 0;
    }
    double rest_slope, active_slope;
    double rest = shape_at(profile->rest, s, &rest_slope) * profile->rest_factor;
    double active = shape_at(profile->active, s, &active_slope) * profile->active_factor;
    double factor = 1 / sqrt(sni_fibre_profile_norm(profile, activation)), other = 1 - activation;
    *out = factor * (other * rest_slope * profile->rest_factor +
                     activation * active_slope * profile->active_factor);
    return factor * (other * rest + activation * active);
}

void sni_fibre_profile_values(const sni_fibre_profile *profile, double activation, uint32_t count,
                              const double *places, double *values) {
    double factor = factor_at(profile, activation);
    for (uint32_t i = 0; i < count; ++i) {
        values[i] = value_at(profile, activation, factor, places[i]);
    }
}

double sni_fibre_profile_most(const sni_fibre_profile *profile, double activation) {
    return activation == 0 ? profile->rest_most : find_most(profile, activation);
}

double sni_fibre_half_axis(double eccentricity) {
    return sqrt(sqrt(1 - eccentricity * eccentricity));
}
