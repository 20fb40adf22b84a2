// SPDX-License-Identifier: Apache-2.0
//
// The value of a track between its keys.
//
// LINEAR and CUBIC follow glTF 2.0, appendix C. SMOOTH is a cubic Hermite spline whose slopes keep
// it between its keys (F. N. Fritsch, R. E. Carlson: Monotone Piecewise Cubic Interpolation, 1980):
// the slope of the parabola through three keys, cut to the square 0 <= m / d <= 3 in which a cubic
// with secant d is monotone, and zero at an extremum. It depends on the nearest keys alone, so a
// change of one key moves two intervals on each side and nothing else.
#include "sinew/motion.h"

#include "base/hermite.h"

#include <float.h>
#include <string.h>

#define WIDTH_MAX 4

uint32_t sn_track_width(const sn_track *track) {
    static const uint32_t widths[] = {[SN_TRACK_PARAMETER] = 1,
                                      [SN_TRACK_TRANSLATION] = 3,
                                      [SN_TRACK_ROTATION] = 4,
                                      [SN_TRACK_SCALE] = 3};
    return widths[track->kind];
}

// The value of a key: CUBIC stores in-tangent, value, out-tangent.
static const double *key_value(const sn_track *track, uint32_t key) {
    size_t width = sn_track_width(track);
    bool cubic = track->interpolation == SN_INTERPOLATION_CUBIC;
    return track->values + (cubic ? (3 * (size_t)key + 1) * width : key * width);
}

// The last key that is not after `time`, which lies within the keys.
static uint32_t find_key(const sn_track *track, double time) {
    uint32_t low = 0, high = track->key_count - 1;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (track->times[middle] <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static sn_quat load_quat(const double *v) {
    return (sn_quat){v[0], v[1], v[2], v[3]};
}

// Makes a quaternion a unit one, and leaves alone what is one to rounding, so that keys come out
// with the bits that they went in with.
static void normalize(double *v) {
    sn_quat q = load_quat(v);
    if (fabs(sn_quat_dot(q, q) - 1) <= 4 * DBL_EPSILON) {
        return;
    }
    q = sn_quat_normalize(q);
    memcpy(v, (double[4]){q.x, q.y, q.z, q.w}, 4 * sizeof *v);
}

static void sample_linear(const sn_track *track, uint32_t key, double t, double *value) {
    const double *a = key_value(track, key), *b = key_value(track, key + 1);
    if (track->kind != SN_TRACK_ROTATION) {
        for (uint32_t i = 0; i < sn_track_width(track); ++i) {
            value[i] = a[i] + t * (b[i] - a[i]);
        }
        return;
    }
    sn_quat q = sn_quat_slerp(sn_quat_normalize(load_quat(a)), sn_quat_normalize(load_quat(b)), t);
    memcpy(value, (double[4]){q.x, q.y, q.z, q.w}, 4 * sizeof *value);
}

static void sample_cubic(const sn_track *track, uint32_t key, double t, double *value) {
    uint32_t width = sn_track_width(track);
    double h = track->times[key + 1] - track->times[key];
    const double *a = key_value(track, key), *b = key_value(track, key + 1);
    for (uint32_t i = 0; i < width; ++i) {
        double out_of_a = a[width + i], into_b = *(b + i - width);
        value[i] = sni_hermite(a[i], out_of_a, b[i], into_b, h, t);
    }
}

// Four keys around the interval; for rotations each with the sign that is nearer to its neighbour
// towards the interval, since q and -q are the same rotation. Missing ones repeat the end.
static void load_neighbours(const sn_track *track, uint32_t key, double keys[4][WIDTH_MAX]) {
    uint32_t width = sn_track_width(track);
    uint32_t last = track->key_count - 1;
    const uint32_t numbers[4] = {key > 0 ? key - 1 : 0, key, key + 1,
                                 key + 2 < last ? key + 2 : last};
    for (int k = 0; k < 4; ++k) {
        memcpy(keys[k], key_value(track, numbers[k]), width * sizeof(double));
    }
    if (track->kind != SN_TRACK_ROTATION) {
        return;
    }
    static const int order[4][2] = {{1, 1}, {0, 1}, {2, 1}, {3, 2}}; // which, by which
    for (int k = 0; k < 4; ++k) {
        double *v = keys[order[k][0]];
        normalize(v);
        if (sn_quat_dot(load_quat(v), load_quat(keys[order[k][1]])) < 0) {
            for (int i = 0; i < 4; ++i) {
                v[i] = -v[i];
            }
        }
    }
}

static void sample_smooth(const sn_track *track, uint32_t key, double t, double *value) {
    double keys[4][WIDTH_MAX];
    load_neighbours(track, key, keys);
    const double *times = track->times;
    bool has_before = key > 0, has_after = key + 2 < track->key_count;
    double h = times[key + 1] - times[key];
    double h_before = has_before ? times[key] - times[key - 1] : h;
    double h_after = has_after ? times[key + 2] - times[key + 1] : h;
    for (uint32_t i = 0; i < sn_track_width(track); ++i) {
        double secant = (keys[2][i] - keys[1][i]) / h;
        double slope_a = secant, slope_b = secant; // at the ends
        if (has_before) {
            slope_a = sni_smooth_slope((keys[1][i] - keys[0][i]) / h_before, h_before, secant, h);
        }
        if (has_after) {
            slope_b = sni_smooth_slope(secant, h, (keys[3][i] - keys[2][i]) / h_after, h_after);
        }
        value[i] = sni_hermite(keys[1][i], slope_a, keys[2][i], slope_b, h, t);
        // Rounding alone could pass a key.
        value[i] = fmin(fmax(value[i], fmin(keys[1][i], keys[2][i])), fmax(keys[1][i], keys[2][i]));
    }
}

void sn_track_sample(const sn_track *track, double time, double *value) {
    uint32_t last = track->key_count - 1;
    bool before = !(time > track->times[0]);
    bool after = time >= track->times[last];
    uint32_t key = before ? 0 : after ? last : find_key(track, time);
    if (before || after || time == track->times[key] ||
        track->interpolation == SN_INTERPOLATION_STEPPED) {
        memcpy(value, key_value(track, key), sn_track_width(track) * sizeof *value);
    } else {
        double t = (time - track->times[key]) / (track->times[key + 1] - track->times[key]);
        switch (track->interpolation) {
        case SN_INTERPOLATION_SMOOTH: sample_smooth(track, key, t, value); break;
        case SN_INTERPOLATION_CUBIC: sample_cubic(track, key, t, value); break;
        default: sample_linear(track, key, t, value); break;
        }
    }
    if (track->kind == SN_TRACK_ROTATION) {
        normalize(value);
    }
}
