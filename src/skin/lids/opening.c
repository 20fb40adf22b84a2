// SPDX-License-Identifier: Apache-2.0
#include "skin/lids/opening.h"

// Skin counts as lid between these distances from the middle, in radii.
static const double nearest = 0.6, farthest = 1.7;
// Degrees: how far from straight ahead the opening is looked for, in which steps; how far around
// the edges of one column those of the next are looked for; the widest and the finest step from
// column to column; beyond `wide` nothing closes.
static const double search_deg = 50, search_step_deg = 2, around_deg = 8, column_deg = 1,
                    finest_deg = 0.01, wide_deg = 85;
enum { SAMPLES = 160, HALVINGS = 30, AXIS_ROUNDS = 2 };

static double radians(double degrees) {
    return degrees * SN_PI / 180;
}

typedef struct search {
    const sn_accel *accel;
    const sni_eye_frame *frame;
    double radius;
} search;

static bool is_covered(const search *s, double a, double t, sn_hit *hit) {
    sn_vec3 along = sn_vec3_sub(sni_eye_world(s->frame, sni_eye_direction(a, t)), s->frame->center);
    sn_accel_cast(s->accel, s->frame->center, along, nearest * s->radius, farthest * s->radius,
                  hit);
    return hit->triangle != SN_NONE;
}

// ---------------------------------------------------------------------------------------------
// One column

typedef struct column {
    double low, high;
    sni_lid_edge_point lower, upper;
} column;

// Halves the way from an open to a covered direction; the last covered one tells the edge.
static double find_edge(const search *s, double a, double open, double covered,
                        sni_lid_edge_point *edge) {
    sn_hit hit, last = {.triangle = SN_NONE};
    if (is_covered(s, a, covered, &hit)) {
        last = hit;
    }
    for (int i = 0; i < HALVINGS; ++i) {
        double middle = 0.5 * (open + covered);
        if (is_covered(s, a, middle, &hit)) {
            covered = middle;
            last = hit;
        } else {
            open = middle;
        }
    }
    edge->triangle = last.triangle;
    for (int k = 0; k < 3; ++k) {
        edge->weights[k] = last.barycentric[k];
    }
    return covered;
}

// The open directions of a column that have most in common with those from `low` to `high`. False
// where there are none; `is_wide` where they end at nothing.
static bool find_column(const search *s, double a, double low, double high, column *found,
                        bool *is_wide) {
    double from = fmax(low - radians(around_deg), -radians(wide_deg));
    double to = fmin(high + radians(around_deg), radians(wide_deg));
    double step = (to - from) / (SAMPLES - 1), best = -INFINITY, first = 0, last = 0;
    for (int i = 0; i < SAMPLES; ++i) {
        sn_hit hit;
        if (is_covered(s, a, from + i * step, &hit)) {
            continue;
        }
        int end = i;
        while (end + 1 < SAMPLES && !is_covered(s, a, from + (end + 1) * step, &hit)) {
            ++end;
        }
        double begin = from + i * step, stop = from + end * step;
        double common = fmin(stop, high) - fmax(begin, low);
        if (common > best) {
            best = common;
            first = begin;
            last = stop;
        }
        i = end;
    }
    // What lies a step away from the column next to it is another gap.
    if (best < -2 * step) {
        return false;
    }
    *is_wide = first - 0.5 * step < -radians(wide_deg) || last + 0.5 * step > radians(wide_deg);
    if (*is_wide) {
        return false;
    }
    // The run may go on beyond what was looked at.
    double below = first - step, above = last + step;
    sn_hit hit;
    while (below > -radians(wide_deg) && !is_covered(s, a, below, &hit)) {
        below -= step;
    }
    while (above < radians(wide_deg) && !is_covered(s, a, above, &hit)) {
        above += step;
    }
    *is_wide = below <= -radians(wide_deg) || above >= radians(wide_deg);
    found->low = find_edge(s, a, first, below, &found->lower);
    found->high = find_edge(s, a, last, above, &found->upper);
    return !*is_wide;
}

// ---------------------------------------------------------------------------------------------
// All columns

// The open direction next to straight ahead.
static bool find_start(const search *s, double *a, double *t) {
    double best = INFINITY;
    int steps = (int)(search_deg / search_step_deg);
    for (int i = -steps; i <= steps; ++i) {
        for (int k = -steps; k <= steps; ++k) {
            double square = (double)(i * i + k * k);
            sn_hit hit;
            if (square < best && square <= (double)(steps * steps) &&
                !is_covered(s, radians(i * search_step_deg), radians(k * search_step_deg), &hit)) {
                best = square;
                *a = radians(i * search_step_deg);
                *t = radians(k * search_step_deg);
            }
        }
    }
    return isfinite(best);
}

static void store_column(sni_lid_opening *o, uint32_t at, double a, const column *c) {
    o->a[at] = a;
    o->low[at] = c->low;
    o->high[at] = c->high;
    o->lower[at] = c->lower;
    o->upper[at] = c->upper;
}

// Goes from a column towards a corner, in ever smaller steps where nothing more is open. Columns
// are stored from `at` on, up or down.
static uint32_t walk(const search *s, double a, column c, int side, sni_lid_opening *o, uint32_t at,
                     bool *is_wide) {
    double step = radians(column_deg);
    uint32_t count = 0;
    while (step > radians(finest_deg) && count + 2 < SNI_LID_COLUMNS_MOST / 2) {
        column next;
        double there = a + side * step;
        if (fabs(there) < radians(wide_deg) &&
            find_column(s, there, c.low, c.high, &next, is_wide)) {
            a = there;
            c = next;
            count += 1;
            store_column(o, side > 0 ? at + count : at - count, a, &c);
        } else {
            step *= 0.5;
        }
        if (*is_wide) {
            return count;
        }
    }
    *is_wide = fabs(a) > radians(wide_deg - column_deg);
    return count;
}

static sni_lid_finding find_columns(const search *s, sni_lid_opening *o) {
    enum { MIDDLE = SNI_LID_COLUMNS_MOST / 2 };
    double a = 0, t = 0;
    bool is_wide = false;
    column first;
    if (!find_start(s, &a, &t)) {
        return SNI_LIDS_CLOSED;
    }
    if (!find_column(s, a, t, t, &first, &is_wide)) {
        return SNI_LIDS_ABSENT;
    }
    store_column(o, MIDDLE, a, &first);
    uint32_t before = walk(s, a, first, -1, o, MIDDLE, &is_wide);
    uint32_t after = is_wide ? 0 : walk(s, a, first, 1, o, MIDDLE, &is_wide);
    if (is_wide || before == 0 || after == 0) {
        return SNI_LIDS_ABSENT;
    }
    o->count = before + 1 + after;
    for (uint32_t i = 0; i < o->count; ++i) {
        uint32_t from = MIDDLE - before + i;
        column c = {o->low[from], o->high[from], o->lower[from], o->upper[from]};
        store_column(o, i, o->a[from], &c);
    }
    return SNI_LIDS_FOUND;
}

// The axis from corner to corner, and perpendicular to it the middle of the opening.
static void turn_frame(const sni_lid_opening *o, sni_eye_frame *frame) {
    uint32_t last = o->count - 1;
    sn_vec3 inner = sni_eye_direction(o->a[0], 0.5 * (o->low[0] + o->high[0]));
    sn_vec3 outer = sni_eye_direction(o->a[last], 0.5 * (o->low[last] + o->high[last]));
    sn_vec3 out = sn_vec3_sub(outer, inner), front = {0, 0, 0}, none = {0, 0, 0};
    for (uint32_t i = 0; i < o->count; ++i) {
        double wide = o->high[i] - o->low[i];
        front = sn_vec3_add_scaled(front, wide,
                                   sni_eye_direction(o->a[i], 0.5 * (o->low[i] + o->high[i])));
    }
    sni_eye_frame old = *frame;
    old.center = none;
    out = sn_vec3_normalize_or(sni_eye_world(&old, out), frame->out);
    front = sni_eye_world(&old, front);
    front = sn_vec3_add_scaled(front, -sn_vec3_dot(front, out), out);
    front = sn_vec3_normalize_or(front, frame->front);
    sn_vec3 up = sn_vec3_cross(front, out);
    frame->out = out;
    frame->front = front;
    frame->up = sn_vec3_dot(up, frame->up) < 0 ? sn_vec3_scale(up, -1) : up;
}

sni_lid_finding sni_lid_opening_find(const sn_accel *accel, double radius, sni_eye_frame *frame,
                                     sni_lid_opening *opening) {
    search s = {accel, frame, radius};
    sni_lid_finding finding = find_columns(&s, opening);
    for (int round = 0; round < AXIS_ROUNDS && finding == SNI_LIDS_FOUND; ++round) {
        turn_frame(opening, frame);
        finding = find_columns(&s, opening);
    }
    return finding;
}
