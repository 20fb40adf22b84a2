// SPDX-License-Identifier: Apache-2.0
//
// One round over flesh, eight triangles or columns at a time. The formulas are those of
// flesh_reference.c, in float.
#include "solver/flesh_internal.h"
#include "solver/flesh_law.h"
#include "solver/flesh_wide.h"

#include "base/simd_f32x4.h"
#include "sinew/base.h"

typedef sni_f32xw wide;
typedef sni_wide_point point;

// ---------------------------------------------------------------------------------------------
// Triangles

SNI_INLINE wide constant(const float *rows, uint32_t row) {
    return sni_f32xw_load(rows + (size_t)row * SNI_WIDTH);
}

SNI_INLINE wide number(float value) {
    return sni_f32xw_set1(value);
}

// sni_skin_law(s) / s
SNI_INLINE wide skin_law_over(wide s) {
    wide off = sni_f32xw_sub(s, number(1)), zero = number(0);
    wide soft =
        sni_f32xw_mul(number((float)SNI_SKIN_SOFT),
                      sni_wide_clamp(off, (float)SNI_SKIN_SHORT - 1, (float)SNI_SKIN_LONG - 1));
    wide longer = sni_f32xw_max(sni_f32xw_sub(s, number((float)SNI_SKIN_LONG)), zero);
    wide shorter = sni_f32xw_min(sni_f32xw_sub(s, number((float)SNI_SKIN_SHORT)), zero);
    return sni_f32xw_div(sni_f32xw_add(sni_f32xw_add(soft, longer), shorter), s);
}

// sni_fascia_law(s) / s
SNI_INLINE wide fascia_law_over(wide s) {
    wide off = sni_f32xw_sub(s, number(1)), zero = number(0);
    wide law = sni_wide_mad(sni_f32xw_max(off, zero), number((float)SNI_FASCIA_SLACK),
                            sni_f32xw_min(off, zero));
    return sni_f32xw_div(law, s);
}

SNI_INLINE wide skin_slope(wide longest, wide shortest) {
    wide ramp = number((float)(1 / SNI_SKIN_RAMP));
    wide above = sni_f32xw_sub(longest, number((float)(SNI_SKIN_LONG - SNI_SKIN_RAMP)));
    wide below = sni_f32xw_sub(number((float)(SNI_SKIN_SHORT + SNI_SKIN_RAMP)), shortest);
    wide share = sni_wide_clamp(sni_f32xw_mul(ramp, sni_f32xw_max(above, below)), 0, 1);
    return sni_wide_mad(number((float)SNI_SKIN_SOFT), number((float)(1 - SNI_SKIN_SOFT)), share);
}

typedef struct membrane_forces {
    point on[3];
    wide slopes[3]; // stiffness at the corners
} membrane_forces;

SNI_INLINE membrane_forces pull_membrane(const float *rows, const point p[3], bool fascia) {
    wide b0 = constant(rows, 0), b1 = constant(rows, 1), b2 = constant(rows, 2);
    wide k = constant(rows, 3), half = number(0.5f), flat = number((float)SNI_SKIN_FLAT);
    point d1 = sni_point_sub(p[1], p[0]), d2 = sni_point_sub(p[2], p[0]);
    point f0 = sni_point_scale(d1, b0);
    point f1 = sni_point_add_scaled(sni_point_scale(d1, b1), b2, d2);
    wide a = sni_point_dot(f0, f0), b = sni_point_dot(f0, f1), c = sni_point_dot(f1, f1);
    // Eigenvalues of C = F'F, the squares of both stretches.
    wide mean = sni_f32xw_mul(half, sni_f32xw_add(a, c));
    wide side = sni_f32xw_mul(half, sni_f32xw_sub(a, c));
    wide root = sni_f32xw_sqrt(sni_wide_mad(sni_f32xw_mul(side, side), b, b));
    wide l1 = sni_f32xw_max(sni_f32xw_add(mean, root), flat);
    wide l2 = sni_f32xw_max(sni_f32xw_sub(mean, root), flat);
    wide s1 = sni_f32xw_sqrt(l1), s2 = sni_f32xw_sqrt(l2);
    wide g1 = fascia ? fascia_law_over(s1) : skin_law_over(s1);
    wide g2 = fascia ? fascia_law_over(s2) : skin_law_over(s2);
    // Stress F (alpha I + beta C).
    wide apart = sni_f32xw_sub(l1, l2);
    wide beta = sni_f32xw_div(sni_f32xw_sub(g1, g2), apart);
    beta = sni_f32xw_choose(sni_f32xw_sub(number((float)SNI_SKIN_ALIKE), apart), number(0), beta);
    wide alpha = sni_f32xw_sub(g1, sni_f32xw_mul(beta, l1)), cross = sni_f32xw_mul(beta, b);
    point stress0 =
        sni_point_add_scaled(sni_point_scale(f0, sni_wide_mad(alpha, beta, a)), cross, f1);
    point stress1 =
        sni_point_add_scaled(sni_point_scale(f1, sni_wide_mad(alpha, beta, c)), cross, f0);
    membrane_forces forces;
    point on1 = sni_point_add_scaled(sni_point_scale(stress0, b0), b1, stress1);
    point on2 = sni_point_scale(stress1, b2);
    forces.on[0] = sni_point_scale(sni_point_add(on1, on2), k);
    wide minus = sni_f32xw_sub(number(0), k);
    forces.on[1] = sni_point_scale(on1, minus);
    forces.on[2] = sni_point_scale(on2, minus);
    if (!fascia) {
        wide slope = sni_f32xw_mul(k, skin_slope(s1, s2)), sum = sni_f32xw_add(b1, b2);
        wide square = sni_f32xw_mul(b0, b0);
        forces.slopes[0] = sni_f32xw_mul(slope, sni_wide_mad(square, sum, sum));
        forces.slopes[1] = sni_f32xw_mul(slope, sni_wide_mad(square, b1, b1));
        forces.slopes[2] = sni_f32xw_mul(slope, sni_f32xw_mul(b2, b2));
    }
    return forces;
}

typedef struct wide_prism {
    point f[3];      // columns of F
    wide g[3][3];    // rows of G
    sni_f32xw4 turn; // the rotation next to it
} wide_prism;

SNI_INLINE void rotation_axes(sni_f32xw4 q, point axes[3]) {
    wide one = number(1), two = number(2);
    wide x2 = sni_f32xw_mul(two, q.x), y2 = sni_f32xw_mul(two, q.y), z2 = sni_f32xw_mul(two, q.z);
    wide xx = sni_f32xw_mul(x2, q.x), yy = sni_f32xw_mul(y2, q.y), zz = sni_f32xw_mul(z2, q.z);
    wide xy = sni_f32xw_mul(x2, q.y), xz = sni_f32xw_mul(x2, q.z), yz = sni_f32xw_mul(y2, q.z);
    wide xw = sni_f32xw_mul(x2, q.w), yw = sni_f32xw_mul(y2, q.w), zw = sni_f32xw_mul(z2, q.w);
    axes[0] = (point){sni_f32xw_sub(one, sni_f32xw_add(yy, zz)), sni_f32xw_add(xy, zw),
                      sni_f32xw_sub(xz, yw)};
    axes[1] = (point){sni_f32xw_sub(xy, zw), sni_f32xw_sub(one, sni_f32xw_add(xx, zz)),
                      sni_f32xw_add(yz, xw)};
    axes[2] = (point){sni_f32xw_add(xz, yw), sni_f32xw_sub(yz, xw),
                      sni_f32xw_sub(one, sni_f32xw_add(xx, yy))};
}

SNI_INLINE sni_f32xw4 turn_towards(const point f[3], const point axes[3], sni_f32xw4 q) {
    point sum = sni_point_cross(axes[0], f[0]);
    sum = sni_point_add(sum, sni_point_cross(axes[1], f[1]));
    sum = sni_point_add(sum, sni_point_cross(axes[2], f[2]));
    wide along = sni_point_dot(axes[0], f[0]);
    along = sni_f32xw_add(along, sni_point_dot(axes[1], f[1]));
    along = sni_f32xw_add(along, sni_point_dot(axes[2], f[2]));
    wide size = sni_f32xw_max(along, sni_f32xw_sub(number(0), along));
    wide factor = sni_f32xw_div(number(0.5f), sni_f32xw_add(size, number((float)SNI_PRISM_FLAT)));
    point w = sni_point_scale(sum, factor), v = {q.x, q.y, q.z};
    point turned = sni_point_add(sni_point_add_scaled(v, q.w, w), sni_point_cross(w, v));
    wide real = sni_f32xw_sub(q.w, sni_point_dot(w, v));
    wide length = sni_f32xw_sqrt(sni_wide_mad(sni_point_dot(turned, turned), real, real));
    wide inverse = sni_f32xw_div_positive(number(1), length);
    turned = sni_point_scale(turned, inverse);
    return (sni_f32xw4){turned.x, turned.y, turned.z, sni_f32xw_mul(real, inverse)};
}

SNI_INLINE void deform_prism(const float *rows, const point x[3], const point y[3],
                             wide_prism *prism) {
    wide half = number(0.5f), third = number(1.0f / 3);
    point base = sni_point_add(x[0], y[0]), edges[3];
    edges[0] = sni_point_scale(sni_point_sub(sni_point_add(x[1], y[1]), base), half);
    edges[1] = sni_point_scale(sni_point_sub(sni_point_add(x[2], y[2]), base), half);
    point rods = sni_point_add(sni_point_add(sni_point_sub(x[0], y[0]), sni_point_sub(x[1], y[1])),
                               sni_point_sub(x[2], y[2]));
    edges[2] = sni_point_scale(rods, third);
    for (uint32_t i = 0; i < 3; ++i) {
        for (uint32_t k = 0; k < 3; ++k) {
            prism->g[i][k] = constant(rows, SNI_FLESH_PRISM_G + 3 * i + k);
        }
    }
    for (int k = 0; k < 3; ++k) {
        prism->f[k] = sni_point_scale(edges[0], prism->g[0][k]);
        prism->f[k] = sni_point_add_scaled(prism->f[k], prism->g[1][k], edges[1]);
        prism->f[k] = sni_point_add_scaled(prism->f[k], prism->g[2][k], edges[2]);
    }
}

// Forces of the prism: along the triangle, and across it, which has opposite signs for x and y.
typedef struct prism_forces {
    point along[3], across;
} prism_forces;

SNI_INLINE prism_forces press_prism(const float *rows, const wide_prism *prism,
                                    const point axes[3]) {
    const point *f = prism->f;
    wide shape = constant(rows, SNI_FLESH_PRISM_K), one = number(1);
    point cof[3] = {sni_point_cross(f[1], f[2]), sni_point_cross(f[2], f[0]),
                    sni_point_cross(f[0], f[1])};
    wide size = sni_f32xw_add(number((float)SNI_PRISM_FLAT), sni_point_dot(cof[0], cof[0]));
    size = sni_f32xw_add(size, sni_point_dot(cof[1], cof[1]));
    size = sni_f32xw_add(size, sni_point_dot(cof[2], cof[2]));
    wide grown = sni_wide_clamp(sni_f32xw_sub(sni_point_dot(f[0], cof[0]), one), -1, 1);
    wide volume = sni_f32xw_div(sni_f32xw_mul(constant(rows, SNI_FLESH_VOLUME_K), grown), size);
    point h[3];
    for (int k = 0; k < 3; ++k) {
        point stress = sni_point_scale(sni_point_sub(f[k], axes[k]), shape);
        stress = sni_point_add_scaled(stress, volume, cof[k]);
        for (int i = 0; i < 3; ++i) {
            h[i] = k == 0 ? sni_point_scale(stress, prism->g[i][0])
                          : sni_point_add_scaled(h[i], prism->g[i][k], stress);
        }
    }
    wide half = number(0.5f), minus_half = number(-0.5f);
    prism_forces forces = {.across = sni_point_scale(h[2], number(-1.0f / 3))};
    forces.along[0] = sni_point_scale(sni_point_add(h[0], h[1]), half);
    forces.along[1] = sni_point_scale(h[0], minus_half);
    forces.along[2] = sni_point_scale(h[1], minus_half);
    return forces;
}

// What bending does to the skin's corners; to the fascia's it does the opposite.
SNI_INLINE void bend_prism(const float *rows, const point x[3], const point y[3],
                           const point axes[3], point on_skin[3]) {
    wide half = number(0.5f), minus_half = number(-0.5f);
    point first = sni_point_sub(x[0], y[0]), off[2];
    for (uint32_t i = 0; i < 2; ++i) {
        point rod = sni_point_sub(x[i + 1], y[i + 1]), turned;
        turned = sni_point_scale(axes[0], constant(rows, SNI_FLESH_BEND + 3 * i));
        turned = sni_point_add_scaled(turned, constant(rows, SNI_FLESH_BEND + 3 * i + 1), axes[1]);
        turned = sni_point_add_scaled(turned, constant(rows, SNI_FLESH_BEND + 3 * i + 2), axes[2]);
        off[i] = sni_point_sub(sni_point_scale(sni_point_sub(rod, first), half), turned);
    }
    wide m11 = constant(rows, SNI_FLESH_BEND_K), m12 = constant(rows, SNI_FLESH_BEND_K + 1);
    wide m22 = constant(rows, SNI_FLESH_BEND_K + 2);
    on_skin[1] = sni_point_add_scaled(sni_point_scale(off[0], m11), m12, off[1]);
    on_skin[2] = sni_point_add_scaled(sni_point_scale(off[1], m22), m12, off[0]);
    on_skin[0] = sni_point_scale(sni_point_add(on_skin[1], on_skin[2]), half);
    on_skin[1] = sni_point_scale(on_skin[1], minus_half);
    on_skin[2] = sni_point_scale(on_skin[2], minus_half);
}

SNI_INLINE void push_group(const sni_flesh_round *r, uint32_t group, bool fascia) {
    const sni_columns *c = r->columns;
    const float *rows = c->constants + (size_t)group * SNI_FLESH_ROWS * SNI_WIDTH;
    const uint32_t *corners = c->corners + (size_t)group * 3 * SNI_WIDTH;
    float *rotation = r->rotations + (size_t)group * 4 * SNI_WIDTH;
    size_t places = (size_t)c->group_count * SNI_WIDTH, first = (size_t)group * SNI_WIDTH;
    point x[3], y[3], axes[3];
    for (int k = 0; k < 3; ++k) {
        x[k] = sni_wide_points_at(r->skin, corners + (size_t)k * SNI_WIDTH);
        y[k] = sni_wide_points_at(r->fascia, corners + (size_t)k * SNI_WIDTH);
    }
    membrane_forces on_skin = pull_membrane(rows + SNI_FLESH_SKIN_B * SNI_WIDTH, x, false);
    wide_prism prism;
    deform_prism(rows, x, y, &prism);
    sni_f32xw4 q = {sni_f32xw_load(rotation), sni_f32xw_load(rotation + SNI_WIDTH),
                    sni_f32xw_load(rotation + 2 * SNI_WIDTH),
                    sni_f32xw_load(rotation + 3 * SNI_WIDTH)};
    rotation_axes(q, axes);
    for (uint32_t i = 0; i < r->turns; ++i) {
        q = turn_towards(prism.f, axes, q);
        rotation_axes(q, axes);
    }
    sni_f32xw_store(rotation, q.x);
    sni_f32xw_store(rotation + SNI_WIDTH, q.y);
    sni_f32xw_store(rotation + 2 * SNI_WIDTH, q.z);
    sni_f32xw_store(rotation + 3 * SNI_WIDTH, q.w);
    prism_forces on_prism = press_prism(rows, &prism, axes);
    point bent[3];
    bend_prism(rows, x, y, axes, bent);
    membrane_forces on_fascia;
    if (fascia) {
        on_fascia = pull_membrane(rows + SNI_FLESH_FASCIA_B * SNI_WIDTH, y, true);
    }
    for (size_t k = 0; k < 3; ++k) {
        point apart = sni_point_add(on_prism.across, bent[k]);
        point on_x = sni_point_add(on_prism.along[k], apart);
        point on_y = sni_point_sub(on_prism.along[k], apart);
        on_x = sni_point_add(on_x, on_skin.on[k]);
        on_y = fascia ? sni_point_add(on_y, on_fascia.on[k]) : on_y;
        sni_wide_store_points(r->corner_forces + 4 * (k * places + first), on_x, on_skin.slopes[k]);
        sni_wide_store_points(r->corner_forces + 4 * ((3 + k) * places + first), on_y, number(0));
    }
}

static void push_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const sni_flesh_round *r = user;
    if (r->columns->stiffness.fascia > 0) {
        for (uint32_t group = begin; group < end; ++group) {
            push_group(r, group, true);
        }
    } else {
        for (uint32_t group = begin; group < end; ++group) {
            push_group(r, group, false);
        }
    }
}

void sni_flesh_forces_run(const sni_flesh_round *round) {
    sn_parallel_for(round->columns->context, round->columns->group_count, SNI_FLESH_GROUP_GRAIN,
                    push_block, (void *)round);
}

// ---------------------------------------------------------------------------------------------
// Columns

// Points of eight columns with what acts on them: (d I + k1 n1 n1' + k2 n2 n2') step = force.
typedef struct held_points {
    point at, force, n1, n2;
    wide d, k1, k2;
} held_points;

// Sums of what triangles wrote, in rising order.
SNI_INLINE void sum_corners(const sni_flesh_round *r, uint32_t first,
                            float sums[2][4 * SNI_WIDTH]) {
    const sni_columns *c = r->columns;
    const float *on_skin = r->corner_forces;
    const float *on_fascia = r->corner_forces + 12 * (size_t)c->group_count * SNI_WIDTH;
    for (uint32_t lane = 0; lane < SNI_WIDTH; ++lane) {
        sni_f32x4 x = sni_f32x4_set1(0), y = sni_f32x4_set1(0);
        for (uint32_t k = c->starts[first + lane]; k < c->starts[first + lane + 1]; ++k) {
            x = sni_f32x4_add(x, sni_f32x4_load(on_skin + c->slots[k]));
            y = sni_f32x4_add(y, sni_f32x4_load(on_fascia + c->slots[k]));
        }
        sni_f32x4_store(sums[0] + 4 * lane, x);
        sni_f32x4_store(sums[1] + 4 * lane, y);
    }
}

SNI_INLINE point point_of(sni_f32xw4 rows) {
    return (point){rows.x, rows.y, rows.z};
}

SNI_INLINE void hold_fascia(const sni_columns_hold *hold, uint32_t first, wide area,
                            held_points *y) {
    sni_f32xw4 anchor = sni_wide_rows(hold->anchors + 4 * (size_t)first);
    sni_f32xw4 normal = sni_wide_rows(hold->normals + 4 * (size_t)first);
    point off = sni_point_sub(point_of(anchor), y->at);
    wide slide = sni_f32xw_mul(area, anchor.w);
    y->n1 = point_of(normal);
    y->k1 = sni_f32xw_mul(area, normal.w);
    y->d = sni_f32xw_add(y->d, slide);
    y->force = sni_point_add_scaled(y->force, slide, off);
    y->force =
        sni_point_add_scaled(y->force, sni_f32xw_mul(y->k1, sni_point_dot(off, y->n1)), y->n1);
}

SNI_INLINE void limit_rods(const sni_flesh_stiffness *stiffness, wide rest, wide area,
                           held_points *x, held_points *y) {
    wide zero = number(0);
    point rod = sni_point_sub(x->at, y->at);
    wide length = sni_f32xw_sqrt(sni_point_dot(rod, rod));
    wide lacking = sni_f32xw_max(
        sni_f32xw_sub(sni_f32xw_mul(number((float)stiffness->shortest), rest), length), zero);
    wide excess = sni_f32xw_max(
        sni_f32xw_sub(length, sni_f32xw_mul(number((float)stiffness->longest), rest)), zero);
    wide beyond = sni_f32xw_sub(lacking, excess);
    // Where there is no rod, none is beyond, or both points are one, its stiffness is 0.
    wide k = sni_f32xw_mul(number((float)stiffness->rod), area);
    wide none = sni_f32xw_mul(sni_f32xw_mul(rest, length), sni_f32xw_add(lacking, excess));
    k = sni_f32xw_choose(sni_f32xw_sub(zero, none), zero, k);
    wide along = sni_f32xw_mul(sni_f32xw_mul(number(0.5f), k), beyond);
    point force = sni_point_scale(rod, sni_f32xw_div_positive(along, length));
    x->force = sni_point_add(x->force, force);
    y->force = sni_point_sub(y->force, force);
    x->d = sni_f32xw_add(x->d, k);
    y->d = sni_f32xw_add(y->d, k);
}

SNI_INLINE void touch_planes(const float *planes, uint32_t first, wide stiffness, bool hold,
                             held_points *p) {
    sni_f32xw4 plane = sni_wide_rows(planes + 4 * (size_t)first);
    p->n2 = point_of(plane);
    wide behind = sni_f32xw_sub(plane.w, sni_point_dot(p->n2, p->at));
    p->k2 =
        hold ? stiffness : sni_f32xw_choose(sni_f32xw_sub(number(0), behind), number(0), stiffness);
    p->force = sni_point_add_scaled(p->force, sni_f32xw_mul(p->k2, behind), p->n2);
}

SNI_INLINE void add_inertia(const float *inertia, uint32_t first, wide area, held_points *p) {
    sni_f32xw4 to = sni_wide_rows(inertia + 4 * (size_t)first);
    wide k = sni_f32xw_mul(area, to.w);
    p->force = sni_point_add_scaled(p->force, k, sni_point_sub(point_of(to), p->at));
    p->d = sni_f32xw_add(p->d, k);
}

SNI_INLINE point solve_points(const held_points *p) {
    wide share = sni_f32xw_div_positive(p->k1, sni_f32xw_add(p->d, p->k1));
    wide along = sni_f32xw_mul(share, sni_point_dot(p->force, p->n1));
    point step = sni_point_sub(p->force, sni_point_scale(p->n1, along));
    along = sni_f32xw_mul(share, sni_point_dot(p->n2, p->n1));
    point z = sni_point_sub(p->n2, sni_point_scale(p->n1, along));
    wide total = sni_wide_mad(p->d, p->k2, sni_point_dot(p->n2, z));
    wide second = sni_f32xw_div_positive(sni_f32xw_mul(p->k2, sni_point_dot(p->n2, step)), total);
    step = sni_point_sub(step, sni_point_scale(z, second));
    return sni_point_scale(step, sni_f32xw_div_positive(number(1), p->d));
}

SNI_INLINE void gather_eight(const sni_flesh_round *r, uint32_t first) {
    const sni_columns *c = r->columns;
    const sni_columns_hold *hold = r->hold;
    float sums[2][4 * SNI_WIDTH];
    sum_corners(r, first, sums);
    sni_f32xw4 on_skin = sni_wide_rows(sums[0]), on_fascia = sni_wide_rows(sums[1]);
    sni_f32xw4 own = sni_wide_rows(c->numbers + SNI_COLUMN_NUMBERS * (size_t)first);
    wide area = own.z, zero = number(0), freedom = sni_f32xw_load(c->freedom + first);
    point none = {zero, zero, zero};
    held_points x = {.at = point_of(sni_wide_rows(r->skin + 4 * (size_t)first)),
                     .force = point_of(on_skin),
                     .d = sni_f32xw_add(own.x, on_skin.w),
                     .n1 = none,
                     .n2 = none,
                     .k1 = zero,
                     .k2 = zero};
    held_points y = {.at = point_of(sni_wide_rows(r->fascia + 4 * (size_t)first)),
                     .force = point_of(on_fascia),
                     .d = own.y,
                     .n2 = none,
                     .k2 = zero};
    hold_fascia(hold, first, area, &y);
    limit_rods(&c->stiffness, own.w, area, &x, &y);
    wide contact = sni_f32xw_mul(number((float)c->stiffness.contact), area);
    if (hold->skin_planes != NULL) {
        touch_planes(hold->skin_planes, first, contact, hold->planes_hold, &x);
    }
    if (hold->fascia_planes != NULL) {
        touch_planes(hold->fascia_planes, first, contact, hold->planes_hold, &y);
    }
    if (hold->skin_inertia != NULL) {
        add_inertia(hold->skin_inertia, first, area, &x);
        add_inertia(hold->fascia_inertia, first, area, &y);
    }
    point step_x = sni_point_scale(solve_points(&x), freedom);
    point step_y = sni_point_scale(solve_points(&y), freedom);
    sni_wide_store_points(r->skin_step + 4 * (size_t)first, step_x, on_skin.w);
    sni_wide_store_points(r->fascia_step + 4 * (size_t)first, step_y, zero);
    if (r->skin_forces != NULL) {
        sni_wide_store_points(r->skin_forces + 4 * (size_t)first, sni_point_scale(x.force, freedom),
                              zero);
        sni_wide_store_points(r->fascia_forces + 4 * (size_t)first,
                              sni_point_scale(y.force, freedom), zero);
    }
}

static void gather_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    for (uint32_t first = begin; first < end; first += SNI_WIDTH) {
        gather_eight(user, first);
    }
}

void sni_flesh_gather_run(const sni_flesh_round *round) {
    sn_parallel_for(round->columns->context, round->columns->padded_count, SNI_FLESH_COLUMN_GRAIN,
                    gather_block, (void *)round);
}

// The accelerated step of eight points; returns the squares of how far they go.
SNI_INLINE wide move_points(const sni_flesh_round *r, const float *now, const float *steps,
                            float *next, size_t at) {
    point from = point_of(sni_wide_rows(now + at)), step = point_of(sni_wide_rows(steps + at));
    point before = point_of(sni_wide_rows(next + at));
    point to = sni_point_add_scaled(from, number(r->length), step);
    to = sni_point_add_scaled(before, number(r->omega), sni_point_sub(to, before));
    sni_wide_store_points(next + at, to, number(0));
    point way = sni_point_sub(to, from);
    return sni_point_dot(way, way);
}

static void move_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const sni_flesh_round *r = user;
    wide largest = number(0);
    for (uint32_t first = begin; first < end; first += SNI_WIDTH) {
        size_t at = 4 * (size_t)first;
        wide x = move_points(r, r->skin, r->skin_step, r->skin_next, at);
        wide y = move_points(r, r->fascia, r->fascia_step, r->fascia_next, at);
        largest = sni_f32xw_max(largest, sni_f32xw_max(x, y));
    }
    float lanes[SNI_WIDTH], most = 0;
    sni_f32xw_store(lanes, largest);
    for (int lane = 0; lane < SNI_WIDTH; ++lane) {
        most = lanes[lane] > most ? lanes[lane] : most;
    }
    r->largest[begin / SNI_FLESH_COLUMN_GRAIN] = most;
}

void sni_flesh_move_run(const sni_flesh_round *round) {
    sn_parallel_for(round->columns->context, round->columns->padded_count, SNI_FLESH_COLUMN_GRAIN,
                    move_block, (void *)round);
}
