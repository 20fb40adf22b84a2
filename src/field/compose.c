// SPDX-License-Identifier: Apache-2.0
//
// Blends of two fields: openings, and the circle that joins the levels of a union (compose.h).
// O. Gourmel et al., "A Gradient-Based Implicit Blend", 2013; the line and the diamond as in the
// public code of R. Vaillant et al., "Implicit Skinning", 2013. The opening `sinew` is our own: the
// published smooth family is only tabulated.
#include "field/compose.h"

// delta of the opening `sinew` and its slope: that of the union (t = 1) and of the widest blend
// (t = 0), each with slope at most 1, so that k = C - delta never falls.
typedef struct gap {
    double of_union, union_slope;
    double of_blend, blend_slope;
} gap;

static gap sinew_gap(double c, double close) {
    if (c <= 0.5) {
        double rest = 0.5 - c;
        return (gap){4 * c * rest * rest, 4 * rest * rest - 8 * c * rest, c, 1};
    }
    if (c >= close) {
        return (gap){0, 0, 0, 0};
    }
    double z = c - 0.5, width = close - 0.5, u = z / width, u2 = u * u, u3 = u2 * u;
    return (gap){4 * z * z * (close - c), 8 * z * width - 12 * z * z,
                 (2 * u3 - 3 * u2 + 1) / 2 + width * (u3 - 2 * u2 + u),
                 (3 * u2 - 3 * u) / width + 3 * u2 - 4 * u + 1};
}

// The diamond between 1/2 and 7/10: k = b C + a.
static double diamond_slope(double t) {
    return (7 - 5 * t) / 2;
}

static double diamond_offset(double t) {
    return 1.75 * (t - 1);
}

static const double diamond_close = 0.7;

double sni_opening_at(sni_opening opening, double t, double c, double *slope) {
    double k = c, k_slope = 1;
    switch (opening.kind) {
    case SNI_OPENING_LINE:
        k = t * c;
        k_slope = t;
        break;
    case SNI_OPENING_DIAMOND:
        if (c <= 0.5) {
            k = t * c;
            k_slope = t;
        } else if (c <= diamond_close) {
            k = diamond_slope(t) * c + diamond_offset(t);
            k_slope = diamond_slope(t);
        }
        break;
    case SNI_OPENING_SINEW: {
        gap g = sinew_gap(c, opening.close);
        k = c - (t * g.of_union + (1 - t) * g.of_blend);
        k_slope = 1 - (t * g.union_slope + (1 - t) * g.blend_slope);
        break;
    }
    }
    if (slope != NULL) {
        *slope = k_slope;
    }
    return k;
}

static sni_composed union_of(double x, double y) {
    return x >= y ? (sni_composed){x, 1, 0} : (sni_composed){y, 0, 1};
}

// The C of a line, in a form that is stable for all t.
static double line_level(double t, double x, double y) {
    double sum = x + y, squares = x * x + y * y;
    double under = t * t * sum * sum - (t * t + 2 * t - 1) * squares;
    return squares / (t * sum + sqrt(fmax(under, 0)));
}

// The C of the diamond's straight part beyond 1/2: 2 (b C + a)^2 ... = 0 is quadratic in C.
static double diamond_level(double t, double x, double y) {
    double b = diamond_slope(t), a = diamond_offset(t);
    double p = 2 * b * b - (1 - b) * (1 - b);
    double q = -2 * b * (x + y - 2 * a) + 2 * a * (1 - b);
    double s = (x - a) * (x - a) + (y - a) * (y - a) - a * a;
    static const double nearly_linear = 1e-12;
    if (fabs(p) < nearly_linear) {
        return -s / q;
    }
    return (-q - sqrt(fmax(q * q - 4 * p * s, 0))) / (2 * p);
}

// F(C) = (x - k)^2 + (y - k)^2 - (C - k)^2 and its slope; a C whose opening has reached the smaller
// value is too large.
static double circle_miss(sni_opening opening, double t, double x, double y, double c,
                          double *slope) {
    double k_slope, k = sni_opening_at(opening, t, c, &k_slope);
    if (k >= fmin(x, y)) {
        *slope = 0;
        return -1;
    }
    *slope = -2 * k_slope * (x - k + y - k) - 2 * (c - k) * (1 - k_slope);
    return (x - k) * (x - k) + (y - k) * (y - k) - (c - k) * (c - k);
}

// The C of any opening, by safeguarded steps of Newton. F falls from C = max, where it is positive.
static double circle_level(sni_opening opening, double t, double x, double y) {
    static const int most_steps = 60;
    static const double enough = 1e-15;
    double low = fmax(x, y), high = fmin(1, low + fmin(x, y));
    double c = low;
    for (int step = 0; step < most_steps && high - low > enough; ++step) {
        double slope, miss = circle_miss(opening, t, x, y, c, &slope);
        if (miss == 0) {
            break;
        }
        if (miss > 0) {
            low = c;
        } else {
            high = c;
        }
        double next = slope < 0 ? c - miss / slope : high;
        if (!(next > low && next < high)) {
            next = (low + high) / 2;
        }
        if (fabs(next - c) <= enough * c) {
            c = next;
            break;
        }
        c = next;
    }
    return c;
}

static double level_of(sni_opening opening, double t, double x, double y) {
    switch (opening.kind) {
    case SNI_OPENING_LINE: return line_level(t, x, y);
    case SNI_OPENING_DIAMOND: {
        double c = line_level(t, x, y);
        return c <= 0.5 ? c : diamond_level(t, x, y);
    }
    case SNI_OPENING_SINEW: break;
    }
    return circle_level(opening, t, x, y);
}

sni_composed sni_blend(sni_opening opening, double t, double x, double y) {
    double most = fmax(x, y), least = fmin(x, y);
    if (least <= sni_opening_at(opening, t, most, NULL)) {
        return union_of(x, y);
    }
    double c = level_of(opening, t, x, y);
    // Differentiating (x - k)^2 + (y - k)^2 = (C - k)^2 with k = k(C).
    double slope, k = sni_opening_at(opening, t, c, &slope);
    double e = (x - k + y - k) * slope + (c - k) * (1 - slope);
    return (sni_composed){c, (x - k) / e, (y - k) / e};
}

double sni_bulge_profile(double x) {
    return x <= 0 ? 0 : (1 - x) * exp(1 - 1 / x);
}

static double bulge_profile_slope(double x) {
    return x <= 0 ? 0 : exp(1 - 1 / x) * ((1 - x) / (x * x) - 1);
}

// H(C) = Y - 1 + q b(X), which is positive at C = max where a bulge is.
static double bulge_miss(sni_opening opening, double t, double q, double least, double most,
                         double c) {
    double k = sni_opening_at(opening, t, c, NULL), size = c - k;
    if (k >= least || size <= 0) {
        return -1;
    }
    return (most - k) / size - 1 + q * sni_bulge_profile((least - k) / size);
}

sni_composed sni_bulge(sni_opening opening, double t, double q, double x, double y) {
    double most = fmax(x, y), least = fmin(x, y);
    if (least <= sni_opening_at(opening, t, most, NULL) || q == 0) {
        return union_of(x, y);
    }
    double low = most, high = 1;
    static const int halvings = 60;
    for (int i = 0; i < halvings; ++i) {
        double middle = (low + high) / 2;
        if (bulge_miss(opening, t, q, least, most, middle) > 0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    // The implicit function theorem for H(C, most, least) = 0.
    double c = low, slope, k = sni_opening_at(opening, t, c, &slope), size = c - k;
    if (size <= 0) {
        return union_of(x, y);
    }
    double along = (least - k) / size, across = (most - k) / size;
    double steep = q * bulge_profile_slope(along);
    double by_most = 1 / size, by_least = steep / size;
    double by_c = (-slope - across * (1 - slope) + steep * (-slope - along * (1 - slope))) / size;
    sni_composed g = {c, -by_most / by_c, -by_least / by_c};
    if (x < y) {
        g = (sni_composed){c, g.by_y, g.by_x};
    }
    return g;
}

sni_composed sni_contact(double x, double y) {
    if (fmin(x, y) <= 0.5) {
        return union_of(x, y);
    }
    return x >= y ? (sni_composed){0.5 + x - y, 1, -1} : (sni_composed){0.5 + y - x, -1, 1};
}
