// SPDX-License-Identifier: Apache-2.0
//
// Curves, and the cubic spline of G. E. Forsythe, M. A. Malcolm, C. B. Moler: Computer Methods for
// Mathematical Computations (1977), section 4.4.
//
// With h_i = x_(i+1) - x_i, d_i = (y_(i+1) - y_i) / h_i and s_i a sixth of the second derivative in
// x_i, equal slopes from both sides are
//
//     h_(i-1) s_(i-1) + 2 (h_(i-1) + h_i) s_i + h_i s_(i+1) = d_i - d_(i-1)
//
// and a third derivative of 6 t in the first interval is s_1 - s_0 = h_0 t, which is written as
// -h_0 s_0 + h_0 s_1 = h_0^2 t so that the matrix stays symmetric; likewise at the other end. t is
// the third divided difference of the four keys there. The slope in x_i is d_i - h_i (2 s_i +
// s_(i+1)).
#include "motion/curve.h"

#include <string.h>

// The first divided difference from key i to the next.
static double secant(const double *x, const double *y, uint32_t i) {
    return (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
}

// The second divided difference of keys i to i + 2, and the third of i to i + 3.
static double second_difference(const double *x, const double *y, uint32_t i) {
    return (secant(x, y, i + 1) - secant(x, y, i)) / (x[i + 2] - x[i]);
}

static double third_difference(const double *x, const double *y, uint32_t i) {
    return (second_difference(x, y, i + 1) - second_difference(x, y, i)) / (x[i + 3] - x[i]);
}

// Sixths of the second derivatives at 3 keys or more. `diagonal` is scratch.
static void find_bends(uint32_t count, const double *x, const double *y, double *diagonal,
                       double *bends) {
    uint32_t last = count - 1;
    double h_first = x[1] - x[0], h_last = x[last] - x[last - 1];
    diagonal[0] = -h_first;
    diagonal[last] = -h_last;
    bends[0] = count > 3 ? h_first * h_first * third_difference(x, y, 0) : 0;
    bends[last] = count > 3 ? -h_last * h_last * third_difference(x, y, last - 3) : 0;
    for (uint32_t i = 1; i < last; ++i) {
        diagonal[i] = 2 * (x[i + 1] - x[i - 1]);
        bends[i] = secant(x, y, i) - secant(x, y, i - 1);
    }
    // Elimination without pivots; the off-diagonals are the h.
    for (uint32_t i = 1; i < count; ++i) {
        double h = x[i] - x[i - 1], share = h / diagonal[i - 1];
        diagonal[i] -= share * h;
        bends[i] -= share * bends[i - 1];
    }
    bends[last] /= diagonal[last];
    for (uint32_t i = last; i-- > 0;) {
        bends[i] = (bends[i] - (x[i + 1] - x[i]) * bends[i + 1]) / diagonal[i];
    }
}

sn_status sni_spline_slopes(sn_context *context, uint32_t count, const double *x, const double *y,
                            double *slopes, sn_error *error) {
    SN_ASSERT(count == 0 || (x != NULL && y != NULL && slopes != NULL));
    sn_status status = SN_OK;
    double *diagonal = NULL, *bends = NULL;
    if (count < 3) {
        for (uint32_t i = 0; i < count; ++i) {
            slopes[i] = count == 2 ? secant(x, y, 0) : 0;
        }
        return SN_OK;
    }
    SNI_NEW(context, diagonal, count);
    SNI_NEW(context, bends, count);
    find_bends(count, x, y, diagonal, bends);
    for (uint32_t i = 0; i + 1 < count; ++i) {
        slopes[i] = secant(x, y, i) - (x[i + 1] - x[i]) * (2 * bends[i] + bends[i + 1]);
    }
    uint32_t last = count - 1;
    slopes[last] =
        secant(x, y, last - 1) + (x[last] - x[last - 1]) * (bends[last - 1] + 2 * bends[last]);
cleanup:
    sni_free(context, diagonal);
    sni_free(context, bends);
    return status;
}

// The spline as a cubic track: a slope, the value, the slope again for each key.
static sn_status fill_spline(sn_context *context, uint32_t count, const double *inputs,
                             const double *outputs, double *values, sn_error *error) {
    double *slopes = NULL;
    sn_status status = SN_OK;
    SNI_NEW(context, slopes, count);
    SN_TRY(sni_spline_slopes(context, count, inputs, outputs, slopes, error));
    for (uint32_t i = 0; i < count; ++i) {
        memcpy(values + 3 * (size_t)i, (double[3]){slopes[i], outputs[i], slopes[i]},
               3 * sizeof *values);
    }
cleanup:
    sni_free(context, slopes);
    return status;
}

sn_status sni_curve_init(sn_context *context, uint32_t count, const double *inputs,
                         const double *outputs, sn_interpolation interpolation, sni_curve *curve,
                         sn_error *error) {
    SN_ASSERT(count == 0 || (inputs != NULL && outputs != NULL));
    bool spline = interpolation == SN_INTERPOLATION_SPLINE;
    sn_track *track = &curve->track;
    sn_status status = SN_OK;
    *curve = (sni_curve){.extrapolates = spline};
    track->kind = SN_TRACK_PARAMETER;
    track->interpolation = spline ? SN_INTERPOLATION_CUBIC : interpolation;
    SNI_NEW(context, track->times, count);
    SNI_NEW(context, track->values, (spline ? 3 : 1) * (size_t)count);
    memcpy(track->times, inputs, count * sizeof *inputs);
    if (spline) {
        SN_TRY(fill_spline(context, count, inputs, outputs, track->values, error));
    } else {
        memcpy(track->values, outputs, count * sizeof *outputs);
    }
    track->key_count = count;
cleanup:
    if (status != SN_OK) {
        sni_curve_deinit(context, curve);
    }
    return status;
}

void sni_curve_deinit(sn_context *context, sni_curve *curve) {
    sni_free(context, curve->track.times);
    sni_free(context, curve->track.values);
    *curve = (sni_curve){0};
}

double sni_curve_sample(const sni_curve *curve, double input) {
    const sn_track *track = &curve->track;
    if (track->key_count == 0) {
        return input;
    }
    double value;
    sn_track_sample(track, input, &value);
    if (curve->extrapolates) {
        uint32_t last = track->key_count - 1;
        double below = input - track->times[0], above = input - track->times[last];
        value += below < 0 ? below * track->values[0] : 0;
        value += above > 0 ? above * track->values[3 * (size_t)last] : 0;
    }
    return value;
}
