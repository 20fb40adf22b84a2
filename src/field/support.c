// SPDX-License-Identifier: Apache-2.0
#include "field/support.h"

// The first guess: t is nearly straight in its middle, and near its ends t ~ 5/4 (1 - x)^3, which
// gives x ~ 1 - q (1 + q/4) with q = (4 t / 5)^(1/3). From there three steps of Newton reach 2e-12.
static double first_guess(double value) {
    if (value > 0.25 && value < 0.75) {
        return 16.0 / 15 * (0.5 - value);
    }
    double tail = value <= 0.25 ? value : 1 - value;
    double q = cbrt(0.8 * tail);
    double x = 1 - q * (1 + q / 4);
    return value <= 0.25 ? x : -x;
}

double sni_support_inverse(double value) {
    if (!(value > 0)) {
        return 1;
    }
    if (value >= 1) {
        return -1;
    }
    static const int most_steps = 60;
    static const double tolerance = 1e-16;
    double low = -1, high = 1, x = first_guess(value);
    for (int step = 0; step < most_steps; ++step) {
        double miss = sni_support(x) - value;
        // An exact hit must stop the search: a bracket that is open there would bisect away from
        // it.
        if (fabs(miss) < tolerance) {
            break;
        }
        if (miss > 0) { // t falls, so x is too small
            low = x;
        } else {
            high = x;
        }
        double slope = sni_support_slope(x);
        double next = slope < 0 ? x - miss / slope : low;
        if (!(next > low && next < high)) {
            next = (low + high) / 2;
        }
        if (next == x) {
            break;
        }
        x = next;
    }
    return x;
}
