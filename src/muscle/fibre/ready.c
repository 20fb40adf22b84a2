// SPDX-License-Identifier: Apache-2.0
#include "muscle/fibre/ready.h"

#include <float.h>

static void box_of(const sn_vec3 *points, uint32_t count, sn_vec3 *low, sn_vec3 *high) {
    *low = *high = points[0];
    for (uint32_t i = 1; i < count; ++i) {
        *low = sn_vec3_min(*low, points[i]);
        *high = sn_vec3_max(*high, points[i]);
    }
}

void sni_fibre_make_ready(const sni_fibre_axis *axis, const sni_fibre_section *section,
                          double thickness, sni_fibre_ready *ready) {
    uint32_t segments = axis->point_count - 1;
    uint32_t size = (segments + SNI_FIBRE_RUNS - 1) / SNI_FIBRE_RUNS;
    *ready = (sni_fibre_ready){.axis = *axis, .section = *section, .run_size = size};
    ready->widest = thickness / sni_fibre_half_axis(section->eccentricity);
    box_of(axis->points, axis->point_count, &ready->low, &ready->high);
    for (uint32_t run = 0; run < SNI_FIBRE_RUNS; ++run) {
        uint32_t first = run * size;
        sn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = low;
        if (first < segments) {
            uint32_t count = segments - first < size ? segments - first : size;
            box_of(axis->points + first, count + 1, &low, &high);
        }
        const double lows[3] = {low.x, low.y, low.z}, highs[3] = {high.x, high.y, high.z};
        for (int k = 0; k < 3; ++k) {
            ready->lows[k][run] = lows[k];
            ready->highs[k][run] = highs[k];
        }
    }
}

// How far a number is from a range.
static inline double outside(double low, double high, double x) {
    double below = low - x, above = x - high, most = below > above ? below : above;
    return most > 0 ? most : 0;
}

static double squared_from_box(sn_vec3 low, sn_vec3 high, sn_vec3 at) {
    double x = outside(low.x, high.x, at.x), y = outside(low.y, high.y, at.y);
    double z = outside(low.z, high.z, at.z);
    return x * x + y * y + z * z;
}

// Squares of the distances from the boxes of all runs.
static void squared_from_runs(const sni_fibre_ready *ready, sn_vec3 at, double *squares) {
    for (int run = 0; run < SNI_FIBRE_RUNS; ++run) {
        double x = outside(ready->lows[0][run], ready->highs[0][run], at.x);
        double y = outside(ready->lows[1][run], ready->highs[1][run], at.y);
        double z = outside(ready->lows[2][run], ready->highs[2][run], at.z);
        squares[run] = x * x + y * y + z * z;
    }
}

// The field is D - w Phi r, D is the distance from a point of the axis and w Phi r at most the
// widest section: so it is at least the distance from any box around the axis, less the widest
// section.
double sni_fibre_at_least(const sni_fibre_ready *ready, sn_vec3 at, double enough) {
    static const double rounding = 1e-12; // of what is computed here against the field itself
    double least = squared_from_box(ready->low, ready->high, at);
    double far = enough + ready->widest;
    if (least < far * far) {
        double squares[SNI_FIBRE_RUNS];
        squared_from_runs(ready, at, squares);
        least = squares[0];
        for (int run = 1; run < SNI_FIBRE_RUNS; ++run) {
            least = squares[run] < least ? squares[run] : least;
        }
    }
    return sqrt(least) * (1 - rounding) - ready->widest;
}

uint32_t sni_fibre_nearest(const sni_fibre_ready *ready, sn_vec3 at) {
    static const double rounding = 1e-12;
    const sni_fibre_axis *axis = &ready->axis;
    uint32_t segments = axis->point_count - 1, nearest = 0, first = 0;
    double squares[SNI_FIBRE_RUNS], least = DBL_MAX;
    squared_from_runs(ready, at, squares);
    for (uint32_t run = 1; run < SNI_FIBRE_RUNS; ++run) {
        first = squares[run] < squares[first] ? run : first;
    }
    // The run with the nearest box first, then all that may be as near.
    for (uint32_t k = 0; k <= SNI_FIBRE_RUNS; ++k) {
        uint32_t run = k == 0 ? first : k - 1;
        if ((k > 0 && run == first) || squares[run] * (1 - rounding) > least) {
            continue;
        }
        uint32_t begin = run * ready->run_size, end = begin + ready->run_size;
        for (uint32_t i = begin; i < end && i < segments; ++i) {
            double squared = sni_fibre_axis_squared(axis, i, at);
            if (squared < least || (squared == least && i < nearest)) {
                least = squared;
                nearest = i;
            }
        }
    }
    return nearest;
}

sni_distance_value sni_fibre_ready_field(const sni_fibre_ready *ready, sn_vec3 at,
                                         uint32_t *segment) {
    if (*segment < ready->axis.point_count - 1) {
        return sni_fibre_field_near(&ready->axis, &ready->section, at, segment);
    }
    *segment = sni_fibre_nearest(ready, at);
    return sni_fibre_field_from(&ready->axis, &ready->section, at, *segment);
}
