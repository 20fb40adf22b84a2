// SPDX-License-Identifier: Apache-2.0
//
// The steps and constants are those of the project's notes on the inverse trilinear map: Newton
// with Cramer's rule, a damped least-squares step where the Jacobian is nearly singular, halving
// until the residual falls.
#include "geometry/trilinear_internal.h"

#include "base/error.h"

// Residual that counts as found, in longest edges of the cell.
static const double found = 1e-10;
// Below this part of the cubed longest edge a determinant counts as 0.
static const double singular = 1e-10;
// Of the trace, added to the diagonal of a least-squares step.
static const double damping = 1e-6;
enum { MOST_CLOSEST_STEPS = 60, START_COUNT = 27 };

sn_vec3 sni_cell_point(const sni_cell *cell, const double q[3]) {
    const double s[2] = {1 - q[0], q[0]}, t[2] = {1 - q[1], q[1]}, u[2] = {1 - q[2], q[2]};
    sn_vec3 sum = {0, 0, 0};
    for (int k = 0; k < 8; ++k) {
        sum = sn_vec3_add_scaled(sum, s[k & 1] * t[k >> 1 & 1] * u[k >> 2], cell->corners[k]);
    }
    return sum;
}

void sni_cell_jacobian(const sni_cell *cell, const double q[3], sn_vec3 columns[3]) {
    const double s[2] = {1 - q[0], q[0]}, t[2] = {1 - q[1], q[1]}, u[2] = {1 - q[2], q[2]};
    sn_vec3 by_s = {0, 0, 0}, by_t = {0, 0, 0}, by_u = {0, 0, 0};
    for (int k = 0; k < 8; ++k) {
        double of_s = t[k >> 1 & 1] * u[k >> 2], of_t = s[k & 1] * u[k >> 2];
        double of_u = s[k & 1] * t[k >> 1 & 1];
        by_s = sn_vec3_add_scaled(by_s, k & 1 ? of_s : -of_s, cell->corners[k]);
        by_t = sn_vec3_add_scaled(by_t, k >> 1 & 1 ? of_t : -of_t, cell->corners[k]);
        by_u = sn_vec3_add_scaled(by_u, k >> 2 ? of_u : -of_u, cell->corners[k]);
    }
    columns[0] = by_s;
    columns[1] = by_t;
    columns[2] = by_u;
}

static double determinant(const sn_vec3 columns[3]) {
    return sn_vec3_dot(columns[0], sn_vec3_cross(columns[1], columns[2]));
}

// The derivatives after s and t alone.
static void find_sides(const sni_cell *cell, const double q[3], sn_vec3 columns[2]) {
    const double s[2] = {1 - q[0], q[0]}, t[2] = {1 - q[1], q[1]}, u[2] = {1 - q[2], q[2]};
    sn_vec3 by_s = {0, 0, 0}, by_t = {0, 0, 0};
    for (int k = 0; k < 8; ++k) {
        double of_s = t[k >> 1 & 1] * u[k >> 2], of_t = s[k & 1] * u[k >> 2];
        by_s = sn_vec3_add_scaled(by_s, k & 1 ? of_s : -of_s, cell->corners[k]);
        by_t = sn_vec3_add_scaled(by_t, k >> 1 & 1 ? of_t : -of_t, cell->corners[k]);
    }
    columns[0] = by_s;
    columns[1] = by_t;
}

void sni_cell_frame(const sni_cell *cell, const double q[3], sn_vec3 axes[3]) {
    sn_vec3 columns[2];
    find_sides(cell, q, columns);
    sn_vec3 s = sn_vec3_normalize_or(columns[0], sn_vec3_make(1, 0, 0));
    sn_vec3 t = sn_vec3_normalize_or(columns[1], sn_vec3_perpendicular(s));
    axes[0] = sn_vec3_normalize_or(sn_vec3_add(s, t), s);
    sn_vec3 between = sn_vec3_sub(t, s);
    sn_vec3 second = sn_vec3_add_scaled(between, -sn_vec3_dot(between, axes[0]), axes[0]);
    axes[1] = sn_vec3_normalize_or(second, sn_vec3_perpendicular(axes[0]));
    axes[2] = sn_vec3_cross(axes[0], axes[1]);
}

// The root of the longest square is the longest root, to the last bit.
static double longest_edge(const sni_cell *cell) {
    double longest = 0;
    for (int k = 0; k < 8; ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            if (!(k >> axis & 1)) {
                sn_vec3 edge = sn_vec3_sub(cell->corners[k], cell->corners[k | 1 << axis]);
                double square = sn_vec3_dot(edge, edge);
                longest = square > longest ? square : longest;
            }
        }
    }
    return sqrt(longest);
}

// Solves for dq by Cramer's rule; false where the determinant is too small to divide by.
static bool solve(const sn_vec3 columns[3], sn_vec3 right, double least, double dq[3]) {
    double det = determinant(columns);
    if (!(fabs(det) > least)) {
        return false;
    }
    dq[0] = sn_vec3_dot(right, sn_vec3_cross(columns[1], columns[2])) / det;
    dq[1] = sn_vec3_dot(columns[0], sn_vec3_cross(right, columns[2])) / det;
    dq[2] = sn_vec3_dot(columns[0], sn_vec3_cross(columns[1], right)) / det;
    return true;
}

bool sni_cell_least_squares(const sn_vec3 columns[3], sn_vec3 residual, const bool fixed[3],
                            double dq[3]) {
    sn_vec3 rows[3];
    double right[3], trace = 0;
    for (int i = 0; i < 3; ++i) {
        trace += fixed[i] ? 0 : sn_vec3_dot(columns[i], columns[i]);
    }
    if (!(trace > 0)) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        double row[3];
        for (int k = 0; k < 3; ++k) {
            row[k] = fixed[i] || fixed[k] ? 0 : sn_vec3_dot(columns[i], columns[k]);
        }
        row[i] += fixed[i] ? trace : damping * trace;
        rows[i] = sn_vec3_make(row[0], row[1], row[2]); // symmetric: rows are columns
        right[i] = fixed[i] ? 0 : sn_vec3_dot(columns[i], residual);
    }
    return solve(rows, sn_vec3_make(right[0], right[1], right[2]), 0, dq);
}

static double clamp(double value, double low, double high) {
    value = value > low ? value : low;
    return value < high ? value : high;
}

static sn_vec3 residual_at(const sni_cell_search *s, const double q[3]) {
    return sn_vec3_sub(s->point, sni_cell_point(s->cell, q));
}

// Goes along dq, halved until the residual falls; false where it does not.
static bool descend(const sni_cell_search *s, const double dq[3], double q[3], sn_vec3 *residual,
                    double *length) {
    double share = 1;
    for (int i = 0; i <= SNI_NEWTON_HALVINGS; ++i, share /= 2) {
        double next[3];
        for (int k = 0; k < 3; ++k) {
            next[k] = clamp(q[k] + share * dq[k], s->low[k], s->high[k]);
        }
        sn_vec3 there = residual_at(s, next);
        double now = sn_vec3_length(there);
        if (now < *length) {
            *residual = there;
            for (int k = 0; k < 3; ++k) {
                q[k] = next[k];
            }
            *length = now;
            return true;
        }
    }
    return false;
}

// Gauss-Newton on |T(q) - X|^2 with the parameters held that would leave their limits.
static void find_closest(const sni_cell_search *s, double q[3]) {
    sn_vec3 columns[3], residual = residual_at(s, q);
    double length = sn_vec3_length(residual);
    for (int i = 0; i < MOST_CLOSEST_STEPS; ++i) {
        bool fixed[3];
        double dq[3];
        sni_cell_jacobian(s->cell, q, columns);
        for (int k = 0; k < 3; ++k) {
            double slope = sn_vec3_dot(columns[k], residual);
            fixed[k] = (q[k] <= s->low[k] && slope < 0) || (q[k] >= s->high[k] && slope > 0);
        }
        if (!sni_cell_least_squares(columns, residual, fixed, dq) ||
            !descend(s, dq, q, &residual, &length)) {
            return;
        }
    }
}

// Least squares on the eight corners: the mean of the four edges along each axis.
static void estimate(const sni_cell_search *s, double q[3]) {
    static const double centre[3] = {0.5, 0.5, 0.5};
    static const bool none[3] = {false, false, false};
    sn_vec3 columns[3];
    sni_cell_jacobian(s->cell, centre, columns);
    double dq[3] = {0, 0, 0};
    if (!solve(columns, residual_at(s, centre), s->singular, dq)) {
        sni_cell_least_squares(columns, residual_at(s, centre), none, dq);
    }
    for (int k = 0; k < 3; ++k) {
        q[k] = isfinite(dq[k]) ? clamp(0.5 + dq[k], s->low[k], s->high[k]) : 0.5;
    }
}

static sni_inverse answer(const sni_cell_search *s, sni_inverse_kind kind, const double q[3]) {
    return (sni_inverse){.kind = kind, .q = {q[0], q[1], q[2]}, .residual = residual_at(s, q)};
}

static void copy(const double from[3], double to[3]) {
    to[0] = from[0], to[1] = from[1], to[2] = from[2];
}

static double way_from_middle(const double q[3]) {
    return sn_vec3_distance(sn_vec3_make(q[0], q[1], q[2]), sn_vec3_make(0.5, 0.5, 0.5));
}

// From 27 starts in and around the cell: the parameters nearest to the middle. False where none
// leads to an inverse; `q` is then where the residual is least, of these and of itself.
static bool search_around(const sni_cell_search *s, double q[3]) {
    double ends[START_COUNT][3], lengths[START_COUNT];
    double least = sn_vec3_length(residual_at(s, q)), nearest = INFINITY;
    int best = -1;
    for (int start = 0; start < START_COUNT; ++start) {
        const int steps[3] = {start % 3, start / 3 % 3, start / 9};
        for (int k = 0; k < 3; ++k) {
            ends[start][k] = clamp(steps[k] - 0.5, s->low[k], s->high[k]);
        }
    }
    sni_cell_newton_all(s, START_COUNT, START_COUNT, ends, lengths);
    for (int start = 0; start < START_COUNT; ++start) {
        double way = way_from_middle(ends[start]);
        bool is_inverse = lengths[start] <= s->enough;
        if (is_inverse ? way < nearest : nearest == INFINITY && lengths[start] < least) {
            nearest = is_inverse ? way : nearest;
            least = lengths[start];
            best = start;
        }
    }
    if (best >= 0) {
        copy(ends[best], q);
    }
    return nearest < INFINITY;
}

static sni_cell_search begin_search(const sni_cell_job *job) {
    double size = longest_edge(&job->cell);
    return (sni_cell_search){.cell = &job->cell,
                             .point = job->point,
                             .low = job->low,
                             .high = job->high,
                             .enough = found * size,
                             .singular = singular * size * size * size};
}

// What is left to do when Newton's method has ended at `q`, with a residual of this length.
static sni_inverse end_search(const sni_cell_search *s, double q[3], double length) {
    if (length <= s->enough) {
        return answer(s, SNI_INVERSE_NEWTON, q);
    }
    if (search_around(s, q)) {
        return answer(s, SNI_INVERSE_STARTS, q);
    }
    find_closest(s, q);
    return answer(s, SNI_INVERSE_CLOSEST, q);
}

void sni_cell_invert_all(const sni_cell_job *jobs, uint32_t count, sni_inverse *inverses) {
    enum { ROOM = 64 };
    sni_cell_search searches[ROOM];
    double q[ROOM][3], lengths[ROOM];
    SN_ASSERT(count == 0 || (jobs != NULL && inverses != NULL));
    for (uint32_t first = 0; first < count; first += ROOM) {
        uint32_t some = count - first < ROOM ? count - first : ROOM;
        for (uint32_t i = 0; i < some; ++i) {
            searches[i] = begin_search(&jobs[first + i]);
            estimate(&searches[i], q[i]);
        }
        sni_cell_newton_all(searches, 1, some, q, lengths);
        for (uint32_t i = 0; i < some; ++i) {
            inverses[first + i] = end_search(&searches[i], q[i], lengths[i]);
        }
    }
}

sni_inverse sni_cell_invert(const sni_cell *cell, sn_vec3 point, const double low[3],
                            const double high[3]) {
    sni_cell_job job = {.cell = *cell, .point = point};
    sni_inverse inverse;
    copy(low, job.low);
    copy(high, job.high);
    sni_cell_invert_all(&job, 1, &inverse);
    return inverse;
}
