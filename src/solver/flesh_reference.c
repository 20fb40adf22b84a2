// SPDX-License-Identifier: Apache-2.0
//
// The forces of flesh and the steps of a plain round in double, one triangle and column after the
// other. Kernels are compared with it, and eigenvalues are found with it.
#include "solver/flesh_internal.h"
#include "solver/flesh_law.h"

#include "sinew/vector.h"

#include <string.h>

// Sums of a column: force on x, stiffness of the membrane there, force on y, unused.
enum { SUM_SKIN = 0, SUM_SLOPE = 3, SUM_FASCIA = 4, SUMS = 8 };

static sn_vec3 point_at(const double *points, uint32_t column) {
    const double *p = points + 3 * (size_t)column;
    return sn_vec3_make(p[0], p[1], p[2]);
}

static void add_force(double *sum, sn_vec3 force) {
    sum[0] += force.x;
    sum[1] += force.y;
    sum[2] += force.z;
}

// Stress of a membrane whose deformation is F = (f0, f1), with C = F'F: F (alpha I + beta C), and
// the slope of its law, the skin's or the fascia's.
static double membrane_stress(sn_vec3 f0, sn_vec3 f1, bool fascia, sn_vec3 stress[2]) {
    double a = sn_vec3_dot(f0, f0), b = sn_vec3_dot(f0, f1), c = sn_vec3_dot(f1, f1);
    double mean = (a + c) / 2, half = (a - c) / 2, root = sqrt(half * half + b * b);
    double l1 = fmax(mean + root, SNI_SKIN_FLAT), l2 = fmax(mean - root, SNI_SKIN_FLAT);
    double s1 = sqrt(l1), s2 = sqrt(l2);
    double g1 = (fascia ? sni_fascia_law(s1) : sni_skin_law(s1)) / s1;
    double g2 = (fascia ? sni_fascia_law(s2) : sni_skin_law(s2)) / s2;
    double beta = l1 - l2 > SNI_SKIN_ALIKE ? (g1 - g2) / (l1 - l2) : 0, alpha = g1 - beta * l1;
    stress[0] = sn_vec3_add_scaled(sn_vec3_scale(f0, alpha + beta * a), beta * b, f1);
    stress[1] = sn_vec3_add_scaled(sn_vec3_scale(f0, beta * b), alpha + beta * c, f1);
    return fascia ? 1 : sni_skin_slope(s1, s2);
}

// Forces of the membrane of the points at `first_row`: on the three corners, and their stiffness.
static void add_membrane(const sni_flesh_reference *r, uint32_t t, const double *points,
                         uint32_t first_row, int sum_at) {
    const sni_columns *c = r->columns;
    double b0 = (double)sni_flesh_constant(c, t, first_row);
    double b1 = (double)sni_flesh_constant(c, t, first_row + 1);
    double b2 = (double)sni_flesh_constant(c, t, first_row + 2);
    double k = (double)sni_flesh_constant(c, t, first_row + 3);
    sn_vec3 p[3], stress[2];
    for (uint32_t i = 0; i < 3; ++i) {
        p[i] = point_at(points, sni_flesh_corner(c, t, i));
    }
    sn_vec3 d1 = sn_vec3_sub(p[1], p[0]), d2 = sn_vec3_sub(p[2], p[0]);
    sn_vec3 f0 = sn_vec3_scale(d1, b0), f1 = sn_vec3_add_scaled(sn_vec3_scale(d1, b1), b2, d2);
    double slope = k * membrane_stress(f0, f1, sum_at == SUM_FASCIA, stress);
    sn_vec3 on1 =
        sn_vec3_scale(sn_vec3_add_scaled(sn_vec3_scale(stress[0], b0), b1, stress[1]), -k);
    sn_vec3 on2 = sn_vec3_scale(stress[1], -k * b2);
    sn_vec3 forces[3] = {sn_vec3_scale(sn_vec3_add(on1, on2), -1), on1, on2};
    double slopes[3] = {b0 * b0 + (b1 + b2) * (b1 + b2), b0 * b0 + b1 * b1, b2 * b2};
    for (uint32_t i = 0; i < 3; ++i) {
        double *sum = r->scratch + SUMS * (size_t)sni_flesh_corner(c, t, i);
        add_force(sum + sum_at, forces[i]);
        sum[SUM_SLOPE] += sum_at == SUM_SKIN ? slope * slopes[i] : 0;
    }
}

static void rotation_columns(const double q[4], sn_vec3 axes[3]) {
    sn_quat rotation = {q[0], q[1], q[2], q[3]};
    axes[0] = sn_quat_rotate(rotation, sn_vec3_make(1, 0, 0));
    axes[1] = sn_quat_rotate(rotation, sn_vec3_make(0, 1, 0));
    axes[2] = sn_quat_rotate(rotation, sn_vec3_make(0, 0, 1));
}

// Turns the rotation towards F (Mueller et al., "A robust method to extract the rotational part of
// deformations", 2016, with a linearised step).
static void turn_rotation(const sn_vec3 f[3], double q[4]) {
    sn_vec3 axes[3], sum = {0, 0, 0};
    rotation_columns(q, axes);
    double along = 0;
    for (int k = 0; k < 3; ++k) {
        sum = sn_vec3_add(sum, sn_vec3_cross(axes[k], f[k]));
        along += sn_vec3_dot(axes[k], f[k]);
    }
    sn_vec3 w = sn_vec3_scale(sum, 0.5 / (fabs(along) + SNI_PRISM_FLAT));
    sn_quat rotation = {q[0], q[1], q[2], q[3]}, turn = {w.x, w.y, w.z, 1};
    rotation = sn_quat_normalize(sn_quat_multiply(turn, rotation));
    q[0] = rotation.x;
    q[1] = rotation.y;
    q[2] = rotation.z;
    q[3] = rotation.w;
}

static void deform_prism(const sni_flesh_reference *r, uint32_t t, double g[3][3], sn_vec3 f[3]) {
    const sni_columns *c = r->columns;
    sn_vec3 x[3], y[3], edges[3];
    for (uint32_t i = 0; i < 3; ++i) {
        x[i] = point_at(r->skin, sni_flesh_corner(c, t, i));
        y[i] = point_at(r->fascia, sni_flesh_corner(c, t, i));
        for (uint32_t k = 0; k < 3; ++k) {
            g[i][k] = (double)sni_flesh_constant(c, t, SNI_FLESH_PRISM_G + 3 * i + k);
        }
    }
    for (int i = 0; i < 2; ++i) {
        edges[i] = sn_vec3_scale(
            sn_vec3_add(sn_vec3_sub(x[i + 1], x[0]), sn_vec3_sub(y[i + 1], y[0])), 0.5);
    }
    sn_vec3 top = sn_vec3_add(sn_vec3_add(x[0], x[1]), x[2]);
    edges[2] = sn_vec3_scale(sn_vec3_sub(top, sn_vec3_add(sn_vec3_add(y[0], y[1]), y[2])), 1.0 / 3);
    for (int k = 0; k < 3; ++k) {
        f[k] = sn_vec3_scale(edges[0], g[0][k]);
        f[k] = sn_vec3_add_scaled(f[k], g[1][k], edges[1]);
        f[k] = sn_vec3_add_scaled(f[k], g[2][k], edges[2]);
    }
}

static void prism_stress(const sni_flesh_reference *r, uint32_t t, const sn_vec3 f[3],
                         sn_vec3 stress[3]) {
    double shape = (double)sni_flesh_constant(r->columns, t, SNI_FLESH_PRISM_K);
    double volume = (double)sni_flesh_constant(r->columns, t, SNI_FLESH_VOLUME_K);
    sn_vec3 axes[3], cof[3];
    double size = SNI_PRISM_FLAT;
    rotation_columns(r->rotations + 4 * (size_t)t, axes);
    for (int k = 0; k < 3; ++k) {
        cof[k] = sn_vec3_cross(f[(k + 1) % 3], f[(k + 2) % 3]);
        size += sn_vec3_dot(cof[k], cof[k]);
    }
    double grown = fmin(fmax(sn_vec3_dot(f[0], cof[0]) - 1, -1), 1);
    for (int k = 0; k < 3; ++k) {
        stress[k] = sn_vec3_scale(sn_vec3_sub(f[k], axes[k]), shape);
        stress[k] = sn_vec3_add_scaled(stress[k], volume * grown / size, cof[k]);
    }
}

// Bending: what rods 1 and 2 differ from rod 0, against what they did at rest.
static void bend_prism(const sni_flesh_reference *r, uint32_t t, sn_vec3 on_skin[3]) {
    const sni_columns *c = r->columns;
    sn_vec3 axes[3], rods[3], off[2];
    rotation_columns(r->rotations + 4 * (size_t)t, axes);
    double m[3];
    for (uint32_t i = 0; i < 3; ++i) {
        uint32_t column = sni_flesh_corner(c, t, i);
        rods[i] = sn_vec3_sub(point_at(r->skin, column), point_at(r->fascia, column));
        m[i] = (double)sni_flesh_constant(c, t, SNI_FLESH_BEND_K + i);
    }
    for (uint32_t i = 0; i < 2; ++i) {
        off[i] = sn_vec3_scale(sn_vec3_sub(rods[i + 1], rods[0]), 0.5);
        for (uint32_t k = 0; k < 3; ++k) {
            double rest = (double)sni_flesh_constant(c, t, SNI_FLESH_BEND + 3 * i + k);
            off[i] = sn_vec3_add_scaled(off[i], -rest, axes[k]);
        }
    }
    for (int i = 0; i < 2; ++i) {
        on_skin[i + 1] = sn_vec3_scale(
            sn_vec3_add_scaled(sn_vec3_scale(off[i], m[2 * i]), m[1], off[1 - i]), -0.5);
    }
    on_skin[0] = sn_vec3_scale(sn_vec3_add(on_skin[1], on_skin[2]), -1);
}

static void add_prism(const sni_flesh_reference *r, uint32_t t) {
    double g[3][3];
    sn_vec3 f[3], stress[3], h[3];
    deform_prism(r, t, g, f);
    for (uint32_t i = 0; i < r->turns; ++i) {
        turn_rotation(f, r->rotations + 4 * (size_t)t);
    }
    prism_stress(r, t, f, stress);
    for (int i = 0; i < 3; ++i) {
        h[i] = sn_vec3_scale(stress[0], g[i][0]);
        h[i] = sn_vec3_add_scaled(h[i], g[i][1], stress[1]);
        h[i] = sn_vec3_add_scaled(h[i], g[i][2], stress[2]);
    }
    sn_vec3 along[3] = {sn_vec3_scale(sn_vec3_add(h[0], h[1]), 0.5), sn_vec3_scale(h[0], -0.5),
                        sn_vec3_scale(h[1], -0.5)};
    sn_vec3 bent[3];
    bend_prism(r, t, bent);
    for (uint32_t i = 0; i < 3; ++i) {
        double *sum = r->scratch + SUMS * (size_t)sni_flesh_corner(r->columns, t, i);
        sn_vec3 apart = sn_vec3_add_scaled(bent[i], -1.0 / 3, h[2]);
        add_force(sum + SUM_SKIN, sn_vec3_add(along[i], apart));
        add_force(sum + SUM_FASCIA, sn_vec3_sub(along[i], apart));
    }
}

// ---------------------------------------------------------------------------------------------
// Columns

// A point with what acts on it: (d I + k1 n1 n1' + k2 n2 n2') step = force.
typedef struct held_point {
    sn_vec3 at, force;
    double d;
    sn_vec3 n1, n2;
    double k1, k2;
} held_point;

static void touch_plane(const float *planes, uint32_t column, double stiffness, bool hold,
                        held_point *p) {
    if (planes == NULL) {
        return;
    }
    const float *plane = planes + 4 * (size_t)column;
    p->n2 = sn_vec3_load(plane);
    double behind = (double)plane[3] - sn_vec3_dot(p->n2, p->at);
    p->k2 = behind > 0 || hold ? stiffness : 0;
    p->force = sn_vec3_add_scaled(p->force, p->k2 * behind, p->n2);
}

static void add_inertia(const float *inertia, uint32_t column, double area, held_point *p) {
    if (inertia != NULL) {
        const float *to = inertia + 4 * (size_t)column;
        double k = area * (double)to[3];
        p->force = sn_vec3_add_scaled(p->force, k, sn_vec3_sub(sn_vec3_load(to), p->at));
        p->d += k;
    }
}

static void add_anchor(const sni_columns_hold *hold, uint32_t column, double area, held_point *y) {
    const float *anchor = hold->anchors + 4 * (size_t)column;
    const float *normal = hold->normals + 4 * (size_t)column;
    sn_vec3 off = sn_vec3_sub(sn_vec3_load(anchor), y->at);
    double slide = area * (double)anchor[3];
    y->n1 = sn_vec3_load(normal);
    y->k1 = area * (double)normal[3];
    y->d += slide;
    y->force = sn_vec3_add_scaled(y->force, slide, off);
    y->force = sn_vec3_add_scaled(y->force, y->k1 * sn_vec3_dot(off, y->n1), y->n1);
}

static void add_rod(const sni_flesh_stiffness *stiffness, double rest, double area, held_point *x,
                    held_point *y) {
    sn_vec3 rod = sn_vec3_sub(x->at, y->at);
    double length = sn_vec3_length(rod), k = rest > 0 ? stiffness->rod * area : 0;
    double lacking = fmax(stiffness->shortest * rest - length, 0);
    double excess = fmax(length - stiffness->longest * rest, 0);
    if (lacking + excess > 0 && length > 0) {
        sn_vec3 force = sn_vec3_scale(rod, 0.5 * k * (lacking - excess) / length);
        x->force = sn_vec3_add(x->force, force);
        y->force = sn_vec3_sub(y->force, force);
        x->d += k;
        y->d += k;
    }
}

// Two updates of rank one (Sherman and Morrison 1950).
static sn_vec3 solve_point(const held_point *p) {
    if (!(p->d > 0)) {
        return sn_vec3_make(0, 0, 0);
    }
    double share = p->k1 / (p->d + p->k1);
    sn_vec3 step = sn_vec3_add_scaled(p->force, -share * sn_vec3_dot(p->force, p->n1), p->n1);
    sn_vec3 z = sn_vec3_add_scaled(p->n2, -share * sn_vec3_dot(p->n2, p->n1), p->n1);
    double second = p->k2 * sn_vec3_dot(p->n2, step) / (p->d + p->k2 * sn_vec3_dot(p->n2, z));
    return sn_vec3_scale(sn_vec3_add_scaled(step, -second, z), 1 / p->d);
}

static void store_point(sn_vec3 v, double factor, double *to) {
    to[0] = factor * v.x;
    to[1] = factor * v.y;
    to[2] = factor * v.z;
}

static void step_column(const sni_flesh_reference *r, uint32_t i) {
    const sni_columns *c = r->columns;
    const double *sum = r->scratch + SUMS * (size_t)i;
    const float *numbers = c->numbers + SNI_COLUMN_NUMBERS * (size_t)i;
    double area = (double)numbers[SNI_COLUMN_AREA];
    held_point x = {.at = point_at(r->skin, i),
                    .force = {sum[0], sum[1], sum[2]},
                    .d = (double)numbers[SNI_COLUMN_SKIN_D] + sum[SUM_SLOPE]};
    held_point y = {.at = point_at(r->fascia, i),
                    .force = {sum[4], sum[5], sum[6]},
                    .d = (double)numbers[SNI_COLUMN_FASCIA_D]};
    add_anchor(r->hold, i, area, &y);
    add_rod(&c->stiffness, (double)numbers[SNI_COLUMN_LENGTH], area, &x, &y);
    touch_plane(r->hold->skin_planes, i, c->stiffness.contact * area, r->hold->planes_hold, &x);
    touch_plane(r->hold->fascia_planes, i, c->stiffness.contact * area, r->hold->planes_hold, &y);
    add_inertia(r->hold->skin_inertia, i, area, &x);
    add_inertia(r->hold->fascia_inertia, i, area, &y);
    double freedom = (double)c->freedom[i];
    store_point(x.force, freedom, r->forces + 6 * (size_t)i);
    store_point(y.force, freedom, r->forces + 6 * (size_t)i + 3);
    store_point(solve_point(&x), freedom, r->skin_step + 3 * (size_t)i);
    store_point(solve_point(&y), freedom, r->fascia_step + 3 * (size_t)i);
}

void sni_flesh_reference_run(const sni_flesh_reference *r) {
    const sni_columns *c = r->columns;
    memset(r->scratch, 0, SUMS * (size_t)c->column_count * sizeof *r->scratch);
    for (uint32_t t = 0; t < c->triangle_count; ++t) {
        add_membrane(r, t, r->skin, SNI_FLESH_SKIN_B, SUM_SKIN);
        add_membrane(r, t, r->fascia, SNI_FLESH_FASCIA_B, SUM_FASCIA);
        add_prism(r, t);
    }
    for (uint32_t i = 0; i < c->column_count; ++i) {
        step_column(r, i);
    }
}
