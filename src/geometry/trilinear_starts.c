// SPDX-License-Identifier: Apache-2.0
//
// Newton's method from many starts, four at a time, each in a cell of its own. All lanes try a
// place at once; where the residual does not fall there the way is halved. A lane that has come to
// its end takes the next start.
#include "geometry/trilinear_internal.h"

#include "base/error.h"
#include "geometry/trilinear_wide.h"

enum { LANES = SNI_F64_WIDTH, ALL = (1 << LANES) - 1 };

typedef struct lanes {
    // What is searched for.
    const sni_cell_search *searches[LANES];
    sni_wide_cell cell;
    sni_wide_vec3 point;
    sni_f64x4 low[3], high[3];
    sni_f64x4 enough, singular;
    // How far the search is.
    sni_f64x4 q[3]; // where each has come to
    sni_wide_vec3 residual;
    sni_f64x4 length;          // of the residual; INFINITY before the start has been tried
    sni_f64x4 dq[3];           // the way from there
    sni_f64x4 share;           // of it that is tried
    sni_f64x4 steps, halvings; // how many there were
} lanes;

typedef struct crowd {
    const sni_cell_search *searches;
    uint32_t each, count, next;
    double (*q)[3];
    double *lengths;
    uint32_t busy; // lanes, as bits
    uint32_t starts[LANES];
    lanes lanes;
} crowd;

// Sign bits in the lanes of `bits`: from a table, since numbers that were just stored one by one
// are slow to load together.
static sni_f64x4 signs_of(uint32_t bits) {
    static const double signs[ALL + 1][LANES] = {
        {1, 1, 1, 1},   {-1, 1, 1, 1},   {1, -1, 1, 1},   {-1, -1, 1, 1},
        {1, 1, -1, 1},  {-1, 1, -1, 1},  {1, -1, -1, 1},  {-1, -1, -1, 1},
        {1, 1, 1, -1},  {-1, 1, 1, -1},  {1, -1, 1, -1},  {-1, -1, 1, -1},
        {1, 1, -1, -1}, {-1, 1, -1, -1}, {1, -1, -1, -1}, {-1, -1, -1, -1},
    };
    return sni_f64x4_load(signs[bits]);
}

static sni_wide_vec3 choose_vec3(sni_f64x4 sign, sni_wide_vec3 a, sni_wide_vec3 b) {
    return (sni_wide_vec3){sni_f64x4_choose(sign, a.x, b.x), sni_f64x4_choose(sign, a.y, b.y),
                           sni_f64x4_choose(sign, a.z, b.z)};
}

static void take_search(lanes *l, sni_f64x4 here, const sni_cell_search *s) {
    for (int k = 0; k < 8; ++k) {
        l->cell.corners[k] =
            choose_vec3(here, l->cell.corners[k], sni_wide_set1(s->cell->corners[k]));
    }
    l->point = choose_vec3(here, l->point, sni_wide_set1(s->point));
    for (int k = 0; k < 3; ++k) {
        l->low[k] = sni_f64x4_choose(here, l->low[k], sni_f64x4_set1(s->low[k]));
        l->high[k] = sni_f64x4_choose(here, l->high[k], sni_f64x4_set1(s->high[k]));
    }
    l->enough = sni_f64x4_choose(here, l->enough, sni_f64x4_set1(s->enough));
    l->singular = sni_f64x4_choose(here, l->singular, sni_f64x4_set1(s->singular));
}

static void take_start(crowd *c, int lane) {
    lanes *l = &c->lanes;
    if (c->next == c->count) {
        c->busy &= ~(1u << lane);
        return;
    }
    const double *q = c->q[c->next];
    const sni_cell_search *search = &c->searches[c->next / c->each];
    sni_f64x4 here = signs_of(1u << lane), zero = sni_f64x4_set1(0);
    if (search != l->searches[lane]) {
        take_search(l, here, search);
        l->searches[lane] = search;
    }
    c->starts[lane] = c->next++;
    for (int k = 0; k < 3; ++k) {
        l->q[k] = sni_f64x4_choose(here, l->q[k], sni_f64x4_set1(q[k]));
        l->dq[k] = sni_f64x4_choose(here, l->dq[k], zero);
    }
    l->length = sni_f64x4_choose(here, l->length, sni_f64x4_set1(INFINITY));
    l->share = sni_f64x4_choose(here, l->share, sni_f64x4_set1(1));
    l->steps = sni_f64x4_choose(here, l->steps, sni_f64x4_set1(-1)); // the start itself is none
    l->halvings = sni_f64x4_choose(here, l->halvings, zero);
}

// Keeps where lanes have come to, and gives them other starts.
static void end_starts(crowd *c, uint32_t ends) {
    double q[3][LANES], lengths[LANES];
    for (int k = 0; k < 3; ++k) {
        sni_f64x4_store(q[k], c->lanes.q[k]);
    }
    sni_f64x4_store(lengths, c->lanes.length);
    for (int lane = 0; lane < LANES; ++lane) {
        if (ends >> lane & 1) {
            uint32_t start = c->starts[lane];
            c->q[start][0] = q[0][lane];
            c->q[start][1] = q[1][lane];
            c->q[start][2] = q[2][lane];
            c->lengths[start] = lengths[lane];
            take_start(c, lane);
        }
    }
}

// Goes to the places that were tried where the residual falls, else halves the way there.
static void judge_places(lanes *l, const sni_f64x4 next[3], sni_wide_vec3 residual,
                         sni_f64x4 length, sni_f64x4 falls) {
    sni_f64x4 one = sni_f64x4_set1(1);
    for (int k = 0; k < 3; ++k) {
        l->q[k] = sni_f64x4_choose(falls, l->q[k], next[k]);
    }
    l->residual = choose_vec3(falls, l->residual, residual);
    l->length = sni_f64x4_choose(falls, l->length, length);
    l->share = sni_f64x4_mul(l->share, sni_f64x4_set1(0.5));
    l->steps = sni_f64x4_choose(falls, l->steps, sni_f64x4_add(l->steps, one));
    l->halvings = sni_f64x4_choose(falls, sni_f64x4_add(l->halvings, one), sni_f64x4_set1(0));
}

// Tries all lanes' next places. Returns the lanes that want another way from where they are then,
// as bits.
static uint32_t try_places(crowd *c) {
    lanes *l = &c->lanes;
    sni_f64x4 next[3];
    for (int k = 0; k < 3; ++k) {
        next[k] = sni_f64x4_add(l->q[k], sni_f64x4_mul(l->share, l->dq[k]));
        next[k] = sni_f64x4_min(sni_f64x4_max(next[k], l->low[k]), l->high[k]);
    }
    sni_wide_vec3 residual = sni_wide_sub(l->point, sni_wide_point(&l->cell, next));
    sni_f64x4 length = sni_f64x4_sqrt(sni_wide_dot(residual, residual));
    sni_f64x4 falls = sni_f64x4_less(length, l->length);
    judge_places(l, next, residual, length, falls);
    uint32_t fell = sni_f64x4_signs(falls);
    uint32_t far = sni_f64x4_signs(sni_f64x4_less(l->enough, l->length)) &
                   sni_f64x4_signs(sni_f64x4_less(l->steps, sni_f64x4_set1(SNI_NEWTON_STEPS)));
    uint32_t stuck =
        sni_f64x4_signs(sni_f64x4_less(sni_f64x4_set1(SNI_NEWTON_HALVINGS), l->halvings));
    uint32_t ends = ((fell & ~far) | stuck) & c->busy, wants = fell & far & c->busy;
    if (ends != 0) {
        end_starts(c, ends);
    }
    return wants;
}

static sn_vec3 vec3_of_lane(const sni_wide_vec3 *v, int lane) {
    double x[LANES], y[LANES], z[LANES];
    sni_f64x4_store(x, v->x);
    sni_f64x4_store(y, v->y);
    sni_f64x4_store(z, v->z);
    return sn_vec3_make(x[lane], y[lane], z[lane]);
}

// A way by least squares for a lane whose determinant is too small; false where there is none.
static bool find_damped_way(lanes *l, const sni_wide_vec3 columns[3], int lane) {
    static const bool none[3] = {false, false, false};
    const sn_vec3 plain[3] = {vec3_of_lane(&columns[0], lane), vec3_of_lane(&columns[1], lane),
                              vec3_of_lane(&columns[2], lane)};
    double dq[3];
    if (!sni_cell_least_squares(plain, vec3_of_lane(&l->residual, lane), none, dq)) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        l->dq[k] = sni_f64x4_choose(signs_of(1u << lane), l->dq[k], sni_f64x4_set1(dq[k]));
    }
    return true;
}

// Newton's ways by Cramer's rule, for the lanes that want one.
static void find_ways(crowd *c, uint32_t wants) {
    lanes *l = &c->lanes;
    sni_wide_vec3 w[3], right = l->residual;
    sni_wide_jacobian(&l->cell, l->q, w);
    sni_wide_vec3 normal = sni_wide_cross(w[1], w[2]);
    sni_f64x4 det = sni_wide_dot(w[0], normal), minus = sni_f64x4_sub(sni_f64x4_set1(0), det);
    const sni_f64x4 dq[3] = {sni_f64x4_div(sni_wide_dot(right, normal), det),
                             sni_f64x4_div(sni_wide_dot(w[0], sni_wide_cross(right, w[2])), det),
                             sni_f64x4_div(sni_wide_dot(w[0], sni_wide_cross(w[1], right)), det)};
    sni_f64x4 wanted = signs_of(wants);
    for (int k = 0; k < 3; ++k) {
        l->dq[k] = sni_f64x4_choose(wanted, l->dq[k], dq[k]);
    }
    l->share = sni_f64x4_choose(wanted, l->share, sni_f64x4_set1(1));
    uint32_t singular =
        wants & ~sni_f64x4_signs(sni_f64x4_less(l->singular, sni_f64x4_max(det, minus)));
    for (int lane = 0; lane < LANES && singular != 0; ++lane) {
        if (singular >> lane & 1 && !find_damped_way(l, w, lane)) {
            end_starts(c, 1u << lane);
        }
    }
}

void sni_cell_newton_all(const sni_cell_search *searches, uint32_t each, uint32_t count,
                         double (*q)[3], double *lengths) {
    SN_ASSERT(count == 0 || (q != NULL && lengths != NULL));
    SN_ASSERT(each > 0);
    crowd c = {.searches = searches,
               .each = each,
               .count = count,
               .q = q,
               .lengths = lengths,
               .busy = ALL};
    for (int lane = 0; lane < LANES; ++lane) {
        take_start(&c, lane);
    }
    while (c.busy != 0) {
        uint32_t wants = try_places(&c);
        if (wants != 0) {
            find_ways(&c, wants);
        }
    }
}
