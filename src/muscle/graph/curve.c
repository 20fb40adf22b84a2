// SPDX-License-Identifier: Apache-2.0
//
// Centripetal Catmull-Rom curves (Catmull and Rom 1974; Yuksel, Schaefer and Keyser 2011). The
// thesis does not say which of these curves it takes. With knots at t = 0, 1, 2, ... (the uniform
// curve) two knots that bones bring close together make the curve overshoot and form a loop between
// them, and control points would run back and forth in it. With steps of t as the square root of
// the knots' distance there are no loops within a piece.
#include "muscle/graph/graph.h"

#include <math.h>

// Knots closer than this part of their neighbours' distances count as that far apart, so that no
// step of t is 0.
static const double least_part = 1e-6;

// Five points of Gauss-Legendre integration on [0, 1], in each of two halves: the length of a piece
// that turns by a right angle is exact to 1e-6.
enum { GAUSS = 5, HALVES = 2 };
static const double gauss_places[GAUSS] = {0.046910077030668, 0.230765344947158, 0.5,
                                           0.769234655052842, 0.953089922969332};
static const double gauss_weights[GAUSS] = {0.118463442528095, 0.239314335249683, 0.284444444444444,
                                            0.239314335249683, 0.118463442528095};

// Newton's method ends at this part of the length, after three steps or four.
static const double place_tolerance = 1e-13;
enum { PLACE_STEPS = 40 };

static double step_between(sn_vec3 a, sn_vec3 b, double least) {
    return sqrt(fmax(sn_vec3_distance(a, b), least));
}

// The derivative at b of the quadratic through a, b and c at their values of t, per step of t.
static sn_vec3 slope_at(sn_vec3 a, sn_vec3 b, sn_vec3 c, double before, double behind) {
    sn_vec3 slope = sn_vec3_scale(sn_vec3_sub(b, a), 1 / before);
    slope = sn_vec3_add_scaled(slope, -1 / (before + behind), sn_vec3_sub(c, a));
    return sn_vec3_add_scaled(slope, 1 / behind, sn_vec3_sub(c, b));
}

sni_graph_curve sni_graph_curve_through(sn_vec3 a, sn_vec3 b, sn_vec3 c, sn_vec3 d) {
    double sum = sn_vec3_distance(a, b) + sn_vec3_distance(b, c) + sn_vec3_distance(c, d);
    double least = fmax(least_part * sum, 1e-300);
    double first = step_between(a, b, least), second = step_between(b, c, least);
    double third = step_between(c, d, least);
    return (sni_graph_curve){.a = b,
                             .b = c,
                             .a_slope = sn_vec3_scale(slope_at(a, b, c, first, second), second),
                             .b_slope = sn_vec3_scale(slope_at(b, c, d, second, third), second)};
}

sn_vec3 sni_graph_curve_point(const sni_graph_curve *curve, double u) {
    double v = 1 - u;
    sn_vec3 point = sn_vec3_scale(curve->a, (1 + 2 * u) * v * v);
    point = sn_vec3_add_scaled(point, u * u * (3 - 2 * u), curve->b);
    point = sn_vec3_add_scaled(point, u * v * v, curve->a_slope);
    return sn_vec3_add_scaled(point, -u * u * v, curve->b_slope);
}

sn_vec3 sni_graph_curve_slope(const sni_graph_curve *curve, double u) {
    double v = 1 - u;
    sn_vec3 slope = sn_vec3_scale(sn_vec3_sub(curve->b, curve->a), 6 * u * v);
    slope = sn_vec3_add_scaled(slope, v * (1 - 3 * u), curve->a_slope);
    return sn_vec3_add_scaled(slope, u * (3 * u - 2), curve->b_slope);
}

double sni_graph_curve_length(const sni_graph_curve *curve, double u) {
    double part = (1 - u) / HALVES, sum = 0;
    for (int half = 0; half < HALVES; ++half) {
        for (int i = 0; i < GAUSS; ++i) {
            double at = u + part * (half + gauss_places[i]);
            sum += gauss_weights[i] * sn_vec3_length(sni_graph_curve_slope(curve, at));
        }
    }
    return part * sum;
}

// Newton's method within an interval that is known to hold the place.
double sni_graph_curve_place(const sni_graph_curve *curve, double whole, double length) {
    double low = 0, high = 1;
    if (!(whole > 0) || length <= 0) {
        return 1;
    }
    if (length >= whole) {
        return 0;
    }
    double u = 1 - length / whole;
    for (int i = 0; i < PLACE_STEPS; ++i) {
        double excess = sni_graph_curve_length(curve, u) - length;
        if (fabs(excess) <= place_tolerance * whole) {
            break;
        }
        low = excess > 0 ? u : low;
        high = excess > 0 ? high : u;
        double speed = sn_vec3_length(sni_graph_curve_slope(curve, u));
        double next = u + excess / speed;
        u = next > low && next < high ? next : (low + high) / 2;
    }
    return u;
}
