// SPDX-License-Identifier: Apache-2.0
//
// Evaluation of B-spline and NURBS patches: bases by the triangle of Cox and de Boor (The NURBS
// Book, algorithms A2.1 and A2.2), their derivatives by its (2.7), rational derivatives by the
// quotient rule (its section 4.5).
#include "geometry/nurbs.h"

#include <math.h>
#include <string.h>

// Points that take part in a direction, those that a closed one repeats included.
static uint32_t extended_count(const sni_nurbs *nurbs, int direction) {
    return nurbs->counts[direction] + (nurbs->closed[direction] ? nurbs->degrees[direction] : 0);
}

uint32_t sni_nurbs_knot_count(uint32_t degree, uint32_t count, bool closed) {
    return count + degree + 1 + (closed ? degree : 0);
}

void sni_nurbs_uniform_knots(uint32_t degree, uint32_t count, bool closed, double *knots) {
    SN_ASSERT(degree >= 1 && degree <= SNI_NURBS_DEGREE);
    SN_ASSERT(count > 0 && knots != NULL);
    uint32_t knot_count = sni_nurbs_knot_count(degree, count, closed);
    double spans = closed ? count : count - degree;
    for (uint32_t i = 0; i < knot_count; ++i) {
        double t = ((double)i - degree) / spans;
        knots[i] = closed ? t : fmin(fmax(t, 0), 1);
    }
}

void sni_nurbs_domain(const sni_nurbs *nurbs, int direction, double *low, double *high) {
    *low = nurbs->knots[direction][nurbs->degrees[direction]];
    *high = nurbs->knots[direction][extended_count(nurbs, direction)];
}

static sn_status validate_direction(const sni_nurbs *nurbs, int d, sn_error *error) {
    const char *name = d == 0 ? "u" : "v";
    uint32_t degree = nurbs->degrees[d], count = nurbs->counts[d];
    if (degree < 1 || degree > SNI_NURBS_DEGREE) {
        return sni_fail(error, SN_INVALID, "degree %u in %s, but it must be from 1 to %d", degree,
                        name, SNI_NURBS_DEGREE);
    }
    uint32_t least = !nurbs->closed[d] ? degree + 1 : degree > 3 ? degree : 3;
    if (count < least || count > (1u << 24)) {
        return sni_fail(error, SN_INVALID, "%u points in %s, but degree %u needs %u to %u", count,
                        name, degree, least, 1u << 24);
    }
    const double *knots = nurbs->knots[d];
    uint32_t knot_count = sni_nurbs_knot_count(degree, count, nurbs->closed[d]);
    for (uint32_t i = 0; i < knot_count; ++i) {
        if (!isfinite(knots[i]) || (i > 0 && knots[i] < knots[i - 1])) {
            return sni_fail(error, SN_INVALID, "knot %u in %s is %g, after %g", i, name, knots[i],
                            i > 0 ? knots[i - 1] : 0);
        }
    }
    double low, high;
    sni_nurbs_domain(nurbs, d, &low, &high);
    if (!(low < high)) {
        return sni_fail(error, SN_INVALID, "the knots in %s leave no domain: %g to %g", name, low,
                        high);
    }
    return SN_OK;
}

sn_status sni_nurbs_validate(const sni_nurbs *nurbs, sn_error *error) {
    for (int d = 0; d < 2; ++d) {
        sn_status status = validate_direction(nurbs, d, error);
        if (status != SN_OK) {
            return status;
        }
    }
    size_t count = (size_t)nurbs->counts[0] * nurbs->counts[1];
    for (size_t i = 0; i < 3 * count; ++i) {
        if (!isfinite(nurbs->points[i])) {
            return sni_fail(error, SN_INVALID,
                            "control point %zu has the coordinate %g, which is not finite", i / 3,
                            nurbs->points[i]);
        }
    }
    for (size_t i = 0; nurbs->weights != NULL && i < count; ++i) {
        if (!(nurbs->weights[i] > 0 && isfinite(nurbs->weights[i]))) {
            return sni_fail(error, SN_INVALID, "control point %zu has weight %g", i,
                            nurbs->weights[i]);
        }
    }
    return SN_OK;
}

double sni_nurbs_clamp(const sni_nurbs *nurbs, int direction, double t) {
    double low, high;
    sni_nurbs_domain(nurbs, direction, &low, &high);
    if (nurbs->closed[direction] && !(t >= low && t <= high)) {
        double period = high - low;
        t = low + (t - low) - period * floor((t - low) / period);
    }
    return t < low ? low : t > high ? high : t;
}

// The span k with knots[k] <= t < knots[k + 1]; the last one is closed on the right.
static uint32_t find_span(const sni_nurbs *nurbs, int direction, double t) {
    const double *knots = nurbs->knots[direction];
    uint32_t low = nurbs->degrees[direction], high = extended_count(nurbs, direction);
    if (t >= knots[high]) {
        do {
            --high;
        } while (knots[high] == knots[high + 1]);
        return high;
    }
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (t < knots[middle]) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return low;
}

// What is left of the triangle of Cox and de Boor: with w_r the knot differences under the bases of
// the last degree,
//
//     N_r,p' = p (N_r-1,p-1 / w_r-1 - N_r,p-1 / w_r)
//
// and so on for the second derivative.
typedef struct quotients {
    double last[SNI_NURBS_DEGREE + 1];   // N_r,p-1 / w_r
    double before[SNI_NURBS_DEGREE + 1]; // the same of degree p - 1
    double widths[SNI_NURBS_DEGREE + 1]; // w_r
} quotients;

static void fill_bases(const double *knots, uint32_t span, int degree, double t, double *bases,
                       quotients *q) {
    double left[SNI_NURBS_DEGREE + 1], right[SNI_NURBS_DEGREE + 1];
    bases[0] = 1;
    for (int j = 1; j <= degree; ++j) {
        left[j] = t - knots[(int)span + 1 - j];
        right[j] = knots[(int)span + j] - t;
        double saved = 0;
        for (int r = 0; r < j; ++r) {
            double width = right[r + 1] + left[j - r];
            double term = width != 0 ? bases[r] / width : 0; // 0 / 0 = 0
            bases[r] = saved + right[r + 1] * term;
            saved = left[j - r] * term;
            q->before[r] = j == degree - 1 ? term : q->before[r];
            q->last[r] = term;
            q->widths[r] = width;
        }
        bases[j] = saved;
    }
}

// differences[r] = factor (terms[r - 1] - terms[r]) for `count` terms, none before and behind.
static void subtract(const double *terms, int count, double factor, double *differences) {
    for (int r = 0; r <= count; ++r) {
        differences[r] = factor * ((r > 0 ? terms[r - 1] : 0) - (r < count ? terms[r] : 0));
    }
}

void sni_nurbs_basis_at(const sni_nurbs *nurbs, int direction, double t, int derivatives,
                        sni_nurbs_basis *basis) {
    int degree = (int)nurbs->degrees[direction];
    t = sni_nurbs_clamp(nurbs, direction, t);
    uint32_t span = find_span(nurbs, direction, t);
    quotients q = {{0}, {0}, {0}};
    fill_bases(nurbs->knots[direction], span, degree, t, basis->values[0], &q);
    basis->first = span - (uint32_t)degree;
    if (derivatives > 0) {
        subtract(q.last, degree, degree, basis->values[1]);
    }
    if (derivatives > 1) {
        double slopes[SNI_NURBS_DEGREE + 1]; // of the bases of degree p - 1
        subtract(q.before, degree - 1, degree - 1, slopes);
        for (int r = 0; r < degree; ++r) {
            slopes[r] = q.widths[r] != 0 ? slopes[r] / q.widths[r] : 0;
        }
        subtract(slopes, degree, degree, basis->values[2]);
    }
}

uint32_t sni_nurbs_index(const sni_nurbs *nurbs, const sni_nurbs_basis *u, uint32_t i,
                         const sni_nurbs_basis *v, uint32_t j) {
    uint32_t row = u->first + i, column = v->first + j;
    while (row >= nurbs->counts[0]) {
        row -= nurbs->counts[0];
    }
    while (column >= nurbs->counts[1]) {
        column -= nurbs->counts[1];
    }
    return row * nurbs->counts[1] + column;
}

// Numerator A and denominator W of one derivative.
typedef struct homogeneous {
    sn_vec3 a;
    double w;
} homogeneous;

static homogeneous mix(const sni_nurbs *nurbs, const sni_nurbs_basis *u, int du,
                       const sni_nurbs_basis *v, int dv) {
    homogeneous sum = {{0, 0, 0}, 0};
    for (uint32_t i = 0; i <= nurbs->degrees[0]; ++i) {
        for (uint32_t j = 0; j <= nurbs->degrees[1]; ++j) {
            uint32_t index = sni_nurbs_index(nurbs, u, i, v, j);
            double weight = u->values[du][i] * v->values[dv][j];
            weight *= nurbs->weights != NULL ? nurbs->weights[index] : 1;
            const double *p = nurbs->points + 3 * (size_t)index;
            sum.a = sn_vec3_add_scaled(sum.a, weight, (sn_vec3){p[0], p[1], p[2]});
            sum.w += weight;
        }
    }
    return sum;
}

sn_vec3 sni_nurbs_point_of(const sni_nurbs *nurbs, const sni_nurbs_basis *u,
                           const sni_nurbs_basis *v) {
    homogeneous h = mix(nurbs, u, 0, v, 0);
    return nurbs->weights != NULL ? sn_vec3_scale(h.a, 1 / h.w) : h.a;
}

sn_vec3 sni_nurbs_point(const sni_nurbs *nurbs, double u, double v) {
    sni_nurbs_basis bu, bv;
    sni_nurbs_basis_at(nurbs, 0, u, 0, &bu);
    sni_nurbs_basis_at(nurbs, 1, v, 0, &bv);
    return sni_nurbs_point_of(nurbs, &bu, &bv);
}

static void derivatives_plain(const sni_nurbs *nurbs, const sni_nurbs_basis *bu,
                              const sni_nurbs_basis *bv, sni_nurbs_jet *jet) {
    *jet = (sni_nurbs_jet){0};
    uint32_t columns[SNI_NURBS_DEGREE + 1];
    for (uint32_t j = 0; j <= nurbs->degrees[1]; ++j) {
        columns[j] = sni_nurbs_index(nurbs, bu, 0, bv, j);
    }
    for (uint32_t i = 0; i <= nurbs->degrees[0]; ++i) {
        sn_vec3 sums[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
        uint32_t row = sni_nurbs_index(nurbs, bu, i, bv, 0) - columns[0];
        for (uint32_t j = 0; j <= nurbs->degrees[1]; ++j) {
            const double *p = nurbs->points + 3 * (size_t)(row + columns[j]);
            for (int k = 0; k < 3; ++k) {
                sums[k] =
                    sn_vec3_add_scaled(sums[k], bv->values[k][j], (sn_vec3){p[0], p[1], p[2]});
            }
        }
        jet->s = sn_vec3_add_scaled(jet->s, bu->values[0][i], sums[0]);
        jet->su = sn_vec3_add_scaled(jet->su, bu->values[1][i], sums[0]);
        jet->suu = sn_vec3_add_scaled(jet->suu, bu->values[2][i], sums[0]);
        jet->sv = sn_vec3_add_scaled(jet->sv, bu->values[0][i], sums[1]);
        jet->suv = sn_vec3_add_scaled(jet->suv, bu->values[1][i], sums[1]);
        jet->svv = sn_vec3_add_scaled(jet->svv, bu->values[0][i], sums[2]);
    }
}

// S_x = (A_x - W_x S) / W.
static sn_vec3 first_derivative(homogeneous h, sn_vec3 s, double w) {
    return sn_vec3_scale(sn_vec3_add_scaled(h.a, -h.w, s), 1 / w);
}

// S_xy = (A_xy - W_x S_y - W_y S_x - W_xy S) / W.
static sn_vec3 second_derivative(homogeneous h, double wx, double wy, sn_vec3 sx, sn_vec3 sy,
                                 sn_vec3 s, double w) {
    sn_vec3 sum = sn_vec3_add_scaled(h.a, -wx, sy);
    sum = sn_vec3_add_scaled(sum, -wy, sx);
    return sn_vec3_scale(sn_vec3_add_scaled(sum, -h.w, s), 1 / w);
}

void sni_nurbs_derivatives(const sni_nurbs *nurbs, double u, double v, sni_nurbs_jet *jet) {
    sni_nurbs_basis bu, bv;
    sni_nurbs_basis_at(nurbs, 0, u, 2, &bu);
    sni_nurbs_basis_at(nurbs, 1, v, 2, &bv);
    if (nurbs->weights == NULL) {
        derivatives_plain(nurbs, &bu, &bv, jet);
        return;
    }
    homogeneous h = mix(nurbs, &bu, 0, &bv, 0);
    homogeneous hu = mix(nurbs, &bu, 1, &bv, 0), hv = mix(nurbs, &bu, 0, &bv, 1);
    jet->s = sn_vec3_scale(h.a, 1 / h.w);
    jet->su = first_derivative(hu, jet->s, h.w);
    jet->sv = first_derivative(hv, jet->s, h.w);
    jet->suu =
        second_derivative(mix(nurbs, &bu, 2, &bv, 0), hu.w, hu.w, jet->su, jet->su, jet->s, h.w);
    jet->suv =
        second_derivative(mix(nurbs, &bu, 1, &bv, 1), hu.w, hv.w, jet->su, jet->sv, jet->s, h.w);
    jet->svv =
        second_derivative(mix(nurbs, &bu, 0, &bv, 2), hv.w, hv.w, jet->sv, jet->sv, jet->s, h.w);
}
