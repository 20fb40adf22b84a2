// SPDX-License-Identifier: Apache-2.0
//
// Cubic Hermite interpolation of numbers, slopes that keep it between its values, and the smooth
// step from 0 to 1.
#ifndef SINEW_BASE_HERMITE_H
#define SINEW_BASE_HERMITE_H

#include <math.h>

// p(t) = (2t^3 - 3t^2 + 1) a + h (t^3 - 2t^2 + t) m_a + (3t^2 - 2t^3) b + h (t^3 - t^2) m_b
static inline double sni_hermite(double a, double slope_a, double b, double slope_b, double h,
                                 double t) {
    double t2 = t * t, t3 = t2 * t;
    return (2 * t3 - 3 * t2 + 1) * a + h * (t3 - 2 * t2 + t) * slope_a + (3 * t2 - 2 * t3) * b +
           h * (t3 - t2) * slope_b;
}

// The smooth step t^2 (3 - 2t): 0 up to t = 0, 1 from t = 1 on, flat at both ends.
static inline double sni_smooth_step(double t) {
    // Not by fmin and fmax, which are calls: what is not a number is 0 here as there.
    double u = t > 0 ? (t < 1 ? t : 1) : 0;
    return u * u * (3 - 2 * u);
}

// The smooth step of x, which rises between `from` and `to`.
static inline double sni_smooth_step_between(double from, double to, double x) {
    return sni_smooth_step((x - from) / (to - from));
}

// The slope of the parabola through three values, at the middle one, which has secants `before` and
// `after`.
static inline double sni_parabola_slope(double before, double h_before, double after,
                                        double h_after) {
    return (h_after * before + h_before * after) / (h_before + h_after);
}

// The same, cut to the square 0 <= m / d <= 3 in which a cubic with secant d is monotone, and zero
// at an extremum (F. N. Fritsch, R. E. Carlson: Monotone Piecewise Cubic Interpolation, 1980).
static inline double sni_smooth_slope(double before, double h_before, double after,
                                      double h_after) {
    if (!(before * after > 0)) {
        return 0; // an extremum or a plateau
    }
    double parabola = sni_parabola_slope(before, h_before, after, h_after);
    double most = 3 * fmin(fabs(before), fabs(after));
    return fabs(parabola) <= most ? parabola : copysign(most, before);
}

#endif
