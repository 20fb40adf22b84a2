// SPDX-License-Identifier: Apache-2.0
//
// Newton's method from many starts, four at a time. Each lane makes the steps of the plain search
// in trilinear.c; all lanes try a place at once, and a lane that has come to its end takes the next
// start.
#include "geometry/trilinear_internal.h"

#include "base/error.h"
#include "geometry/trilinear_wide.h"

enum { LANES = SNI_F64_WIDTH };

typedef struct lanes {
    double q[3][LANES]; // where each has come to
    double residual[3][LANES];
    double length[LANES]; // of the residual; INFINITY before the start has been tried
    double dq[3][LANES];  // the way from there
    double share[LANES];  // of it that is tried
    int steps[LANES], halvings[LANES];
    uint32_t start[LANES]; // SN_NONE: the lane is at rest
    bool wants_way[LANES];
} lanes;

typedef struct crowd {
    const sni_cell_search *search;
    uint32_t count, next;
    double (*q)[3];
    double *lengths;
    uint32_t busy; // lanes
    lanes lanes;
} crowd;

static void take_start(crowd *c, int lane) {
    lanes *l = &c->lanes;
    if (c->next == c->count) {
        l->start[lane] = SN_NONE;
        c->busy--;
        return;
    }
    l->start[lane] = c->next++;
    for (int k = 0; k < 3; ++k) {
        l->q[k][lane] = c->q[l->start[lane]][k];
        l->dq[k][lane] = 0;
    }
    l->length[lane] = INFINITY;
    l->share[lane] = 1;
    l->steps[lane] = -1; // the start itself is none
    l->halvings[lane] = 0;
}

static void end_start(crowd *c, int lane) {
    uint32_t start = c->lanes.start[lane];
    for (int k = 0; k < 3; ++k) {
        c->q[start][k] = c->lanes.q[k][lane];
    }
    c->lengths[start] = c->lanes.length[lane];
    c->lanes.wants_way[lane] = false;
    take_start(c, lane);
}

// Tries all lanes' next places, and gives their residuals and lengths.
static void try_places(const crowd *c, double next[3][LANES], double residual[3][LANES],
                       double length[LANES]) {
    const sni_cell_search *s = c->search;
    const lanes *l = &c->lanes;
    sni_f64x4 q[3], share = sni_f64x4_load(l->share);
    for (int k = 0; k < 3; ++k) {
        sni_f64x4 way = sni_f64x4_mul(share, sni_f64x4_load(l->dq[k]));
        q[k] =
            sni_f64x4_max(sni_f64x4_add(sni_f64x4_load(l->q[k]), way), sni_f64x4_set1(s->low[k]));
        q[k] = sni_f64x4_min(q[k], sni_f64x4_set1(s->high[k]));
        sni_f64x4_store(next[k], q[k]);
    }
    sni_wide_vec3 r = sni_wide_sub(sni_wide_set1(s->point), sni_wide_point(s->cell, q));
    sni_f64x4_store(residual[0], r.x);
    sni_f64x4_store(residual[1], r.y);
    sni_f64x4_store(residual[2], r.z);
    sni_f64x4_store(length, sni_f64x4_sqrt(sni_wide_dot(r, r)));
}

// Goes to the place that was tried where the residual has fallen, else halves the way there.
static void judge_places(crowd *c, double next[3][LANES], double residual[3][LANES],
                         const double length[LANES]) {
    lanes *l = &c->lanes;
    for (int lane = 0; lane < LANES; ++lane) {
        bool falls = length[lane] < l->length[lane];
        if (l->start[lane] == SN_NONE) {
            continue;
        }
        for (int k = 0; k < 3 && falls; ++k) {
            l->q[k][lane] = next[k][lane];
            l->residual[k][lane] = residual[k][lane];
        }
        l->length[lane] = falls ? length[lane] : l->length[lane];
        l->steps[lane] += falls;
        l->halvings[lane] += !falls;
        l->share[lane] /= 2;
        bool ends = falls ? !(length[lane] > c->search->enough) || //
                                l->steps[lane] == SNI_NEWTON_STEPS
                          : l->halvings[lane] > SNI_NEWTON_HALVINGS;
        l->wants_way[lane] = falls;
        if (ends) {
            end_start(c, lane);
        }
    }
}

// A way by least squares for a lane whose determinant is too small; false where there is none.
static bool find_damped_way(lanes *l, int lane, const double columns[9][LANES]) {
    static const bool none[3] = {false, false, false};
    sn_vec3 plain[3],
        residual = sn_vec3_make(l->residual[0][lane], l->residual[1][lane], l->residual[2][lane]);
    double dq[3];
    for (int k = 0; k < 3; ++k) {
        plain[k] =
            sn_vec3_make(columns[3 * k][lane], columns[3 * k + 1][lane], columns[3 * k + 2][lane]);
    }
    if (!sni_cell_least_squares(plain, residual, none, dq)) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        l->dq[k][lane] = dq[k];
    }
    return true;
}

// Cramer's rule in all lanes, for those that want it.
static void find_ways(crowd *c) {
    lanes *l = &c->lanes;
    sni_wide_vec3 w[3];
    const sni_f64x4 q[3] = {sni_f64x4_load(l->q[0]), sni_f64x4_load(l->q[1]),
                            sni_f64x4_load(l->q[2])};
    sni_wide_vec3 right = {sni_f64x4_load(l->residual[0]), sni_f64x4_load(l->residual[1]),
                           sni_f64x4_load(l->residual[2])};
    double det[LANES], dq[3][LANES], columns[9][LANES];
    sni_wide_jacobian(c->search->cell, q, w);
    sni_wide_vec3 normal = sni_wide_cross(w[1], w[2]);
    sni_f64x4 d = sni_wide_dot(w[0], normal);
    sni_f64x4_store(det, d);
    sni_f64x4_store(dq[0], sni_f64x4_div(sni_wide_dot(right, normal), d));
    sni_f64x4_store(dq[1], sni_f64x4_div(sni_wide_dot(w[0], sni_wide_cross(right, w[2])), d));
    sni_f64x4_store(dq[2], sni_f64x4_div(sni_wide_dot(w[0], sni_wide_cross(w[1], right)), d));
    for (int k = 0; k < 3; ++k) {
        sni_f64x4_store(columns[3 * k], w[k].x);
        sni_f64x4_store(columns[3 * k + 1], w[k].y);
        sni_f64x4_store(columns[3 * k + 2], w[k].z);
    }
    for (int lane = 0; lane < LANES; ++lane) {
        bool is_regular = fabs(det[lane]) > c->search->singular;
        if (!l->wants_way[lane]) {
            continue;
        }
        l->wants_way[lane] = false;
        l->share[lane] = 1;
        l->halvings[lane] = 0;
        for (int k = 0; k < 3 && is_regular; ++k) {
            l->dq[k][lane] = dq[k][lane];
        }
        if (!is_regular && !find_damped_way(l, lane, columns)) {
            end_start(c, lane);
        }
    }
}

void sni_cell_newton_all(const sni_cell_search *search, uint32_t count, double (*q)[3],
                         double *lengths) {
    SN_ASSERT(count == 0 || (q != NULL && lengths != NULL));
    crowd c = {.search = search, .count = count, .q = q, .lengths = lengths, .busy = LANES};
    double next[3][LANES], residual[3][LANES], length[LANES];
    for (int lane = 0; lane < LANES; ++lane) {
        take_start(&c, lane);
    }
    while (c.busy > 0) {
        const bool *wants = c.lanes.wants_way;
        try_places(&c, next, residual, length);
        judge_places(&c, next, residual, length);
        if (wants[0] || wants[1] || wants[2] || wants[3]) {
            find_ways(&c);
        }
    }
}
