// SPDX-License-Identifier: Apache-2.0
//
// What is computed once from columns at rest: shapes of triangles and prisms, their stiffnesses,
// and which corners make up a column.
#include "solver/flesh_internal.h"

#include "base/rows.h"
#include "geometry/triangle.h"

#include <math.h>
#include <string.h>

// Triangles flatter than this part of the square of their longest edge have no membrane, and prisms
// with less than this part of their edges' product no terms: their inverses would be noise.
static const double flat_triangle = 1e-5;
static const double flat_prism = 0.05;

typedef struct element {
    double skin_b[3], fascia_b[3]; // b00 b01 b11; all 0: flat
    double area, fascia_area;
    bool has_prism;
    double g[3][3]; // all 0: no prism
    double volume;
    sn_vec3 bend[2]; // half of what rods 1 and 2 differ from rod 0
    double bend_k[3];
} element;

static double longest_edge(const sn_vec3 p[3]) {
    return fmax(sn_vec3_distance(p[0], p[1]),
                fmax(sn_vec3_distance(p[1], p[2]), sn_vec3_distance(p[2], p[0])));
}

// The inverse of a triangle's edges in its own plane, whose first axis goes along the first edge.
static bool invert_triangle(const sn_vec3 p[3], double b[3], double *area) {
    sn_vec3 axes[3], e1 = sn_vec3_sub(p[1], p[0]), e2 = sn_vec3_sub(p[2], p[0]);
    bool has_frame = sni_triangle_frame(p, axes);
    double longest = longest_edge(p), along = sn_vec3_length(e1), across = sn_vec3_dot(e2, axes[1]);
    *area = along * across / 2;
    memset(b, 0, 3 * sizeof *b);
    if (!has_frame || !(2 * *area > flat_triangle * longest * longest)) {
        return false;
    }
    b[0] = 1 / along;
    b[1] = -sn_vec3_dot(e2, axes[0]) / (along * across);
    b[2] = 1 / across;
    return true;
}

// What F's variation adds to the energy of a prism. Half the differences of rods, b_1 and b_2, are
// both how edges change from fascia to skin and how rods change along the triangle: with z from
// -1/2 to 1/2 across and l_1, l_2 along,
//
//     F = F(middle) + sum_j b_j (2 z g_j + 2 (l_j - 1/3) g_3)'
//
// and the integral over the prism of its square, per volume, is b_i.b_j M_ij with
//
//     M_ij = g_i.g_j / 3 + 4 c_ij |g_3|^2        c_ii = 1/18, c_12 = -1/36
static void measure_bending(const sn_vec3 x[3], const sn_vec3 y[3], element *e) {
    static const double c_same = 4.0 / 18, c_other = -4.0 / 36;
    double dots[3] = {0, 0, 0}, across = 0;
    for (int k = 0; k < 3; ++k) {
        dots[0] += e->g[0][k] * e->g[0][k];
        dots[1] += e->g[0][k] * e->g[1][k];
        dots[2] += e->g[1][k] * e->g[1][k];
        across += e->g[2][k] * e->g[2][k];
    }
    e->bend_k[0] = dots[0] / 3 + c_same * across;
    e->bend_k[1] = dots[1] / 3 + c_other * across;
    e->bend_k[2] = dots[2] / 3 + c_same * across;
    for (int k = 0; k < 2; ++k) {
        sn_vec3 rod = sn_vec3_sub(x[k + 1], y[k + 1]), first = sn_vec3_sub(x[0], y[0]);
        e->bend[k] = sn_vec3_scale(sn_vec3_sub(rod, first), 0.5);
    }
}

// The inverse of a prism's three edge vectors: the means of skin's and fascia's, and of its
// columns.
static bool invert_prism(const sn_vec3 x[3], const sn_vec3 y[3], element *e) {
    sn_vec3 c[3];
    for (int k = 0; k < 2; ++k) {
        c[k] = sn_vec3_scale(sn_vec3_add(sn_vec3_sub(x[k + 1], x[0]), sn_vec3_sub(y[k + 1], y[0])),
                             0.5);
    }
    sn_vec3 top = sn_vec3_add(sn_vec3_add(x[0], x[1]), x[2]);
    sn_vec3 bottom = sn_vec3_add(sn_vec3_add(y[0], y[1]), y[2]);
    c[2] = sn_vec3_scale(sn_vec3_sub(top, bottom), 1.0 / 3);
    sn_vec3 rows[3] = {sn_vec3_cross(c[1], c[2]), sn_vec3_cross(c[2], c[0]),
                       sn_vec3_cross(c[0], c[1])};
    double det = sn_vec3_dot(c[0], rows[0]);
    double size = sn_vec3_length(c[0]) * sn_vec3_length(c[1]) * sn_vec3_length(c[2]);
    e->volume = det / 2;
    memset(e->g, 0, sizeof e->g);
    if (!(det > flat_prism * size)) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        sn_vec3 row = sn_vec3_scale(rows[k], 1 / det);
        e->g[k][0] = row.x;
        e->g[k][1] = row.y;
        e->g[k][2] = row.z;
    }
    return true;
}

static void put(sni_columns *c, uint32_t triangle, uint32_t row, double value) {
    c->constants[((size_t)(triangle / SNI_WIDTH) * SNI_FLESH_ROWS + row) * SNI_WIDTH +
                 triangle % SNI_WIDTH] = (float)value;
}

static double *column_sums(double *sums, const uint32_t *corners, int k) {
    return sums + SNI_COLUMN_NUMBERS * (size_t)corners[k];
}

// Squares of the gradients of a linear function that is 1 at one corner: of the plane's three, and
// of the prism's, for x (side 1) and y (side -1).
static double plane_gradient(const double b[3], int corner) {
    double g0 = corner == 1 ? b[0] : 0, g1 = corner == 1 ? b[1] : b[2];
    return corner == 0 ? b[0] * b[0] + (b[1] + b[2]) * (b[1] + b[2]) : g0 * g0 + g1 * g1;
}

static double prism_gradient(const double g[3][3], int corner, double side) {
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        double along = corner == 0 ? -0.5 * (g[0][k] + g[1][k]) : 0.5 * g[corner - 1][k];
        double value = along + side * g[2][k] / 3;
        sum += value * value;
    }
    return sum;
}

// Factors on energies of a triangle: stiffnesses times area or volume.
typedef struct factors {
    double skin, fascia, fat, volume, bending;
} factors;

static factors find_factors(const sni_columns *c, const sni_columns_desc *desc,
                            const uint32_t *corners, const element *e) {
    const sni_flesh_stiffness *k = &c->stiffness;
    double elasticity = 0, volume = e->has_prism ? e->volume : 0;
    for (int i = 0; i < 3; ++i) {
        elasticity += desc->elasticity != NULL ? (double)desc->elasticity[corners[i]] / 3 : 1.0 / 3;
    }
    return (factors){.skin = e->skin_b[0] > 0 ? k->membrane * elasticity * e->area : 0,
                     .fascia = e->fascia_b[0] > 0 ? k->fascia * e->fascia_area : 0,
                     .fat = k->fat * volume,
                     .volume = k->volume * volume,
                     .bending = k->bending * k->fat * volume};
}

static void store_shape(sni_columns *c, uint32_t t, const element *e) {
    for (uint32_t k = 0; k < 3; ++k) {
        put(c, t, SNI_FLESH_SKIN_B + k, e->skin_b[k]);
        put(c, t, SNI_FLESH_FASCIA_B + k, e->fascia_b[k]);
        for (uint32_t i = 0; i < 3; ++i) {
            put(c, t, SNI_FLESH_PRISM_G + 3 * k + i, e->g[k][i]);
        }
    }
    for (uint32_t k = 0; k < 2; ++k) {
        put(c, t, SNI_FLESH_BEND + 3 * k, e->bend[k].x);
        put(c, t, SNI_FLESH_BEND + 3 * k + 1, e->bend[k].y);
        put(c, t, SNI_FLESH_BEND + 3 * k + 2, e->bend[k].z);
    }
}

// What bending adds to the stiffness at a corner: both points count by half of b.
static double bending_at(const double m[3], int corner) {
    return (corner == 0 ? m[0] + 2 * m[1] + m[2] : corner == 1 ? m[0] : m[2]) / 4;
}

static void store_element(sni_columns *c, const sni_columns_desc *desc, uint32_t t,
                          const element *e, double *sums) {
    const uint32_t *corners = desc->triangles + 3 * (size_t)t;
    factors f = find_factors(c, desc, corners, e);
    store_shape(c, t, e);
    put(c, t, SNI_FLESH_SKIN_K, f.skin);
    put(c, t, SNI_FLESH_FASCIA_K, f.fascia);
    put(c, t, SNI_FLESH_PRISM_K, f.fat);
    put(c, t, SNI_FLESH_VOLUME_K, f.volume);
    put(c, t, SNI_FLESH_VOLUME, e->has_prism ? e->volume : 0);
    for (uint32_t k = 0; k < 3; ++k) {
        put(c, t, SNI_FLESH_BEND_K + k, f.bending * e->bend_k[k]);
    }
    c->prism_count += e->has_prism;
    for (int k = 0; k < 3; ++k) {
        double *sum = column_sums(sums, corners, k);
        double bending = f.bending * bending_at(e->bend_k, k), inside = f.fat + f.volume;
        sum[SNI_COLUMN_SKIN_D] += inside * prism_gradient(e->g, k, 1) + bending;
        sum[SNI_COLUMN_FASCIA_D] += inside * prism_gradient(e->g, k, -1) + bending +
                                    f.fascia * plane_gradient(e->fascia_b, k);
        sum[SNI_COLUMN_AREA] += e->area / 3;
    }
}

static void measure_element(const sni_columns_desc *desc, uint32_t t, element *e) {
    const uint32_t *corners = desc->triangles + 3 * (size_t)t;
    sn_vec3 x[3], y[3];
    sni_triangle_corners(desc->skin, corners, x);
    sni_triangle_corners(desc->fascia, corners, y);
    invert_triangle(x, e->skin_b, &e->area);
    invert_triangle(y, e->fascia_b, &e->fascia_area);
    e->has_prism = invert_prism(x, y, e);
    measure_bending(x, y, e);
}

static void store_column(sni_columns *c, const sni_columns_desc *desc, uint32_t i,
                         const double *sum) {
    float *numbers = c->numbers + SNI_COLUMN_NUMBERS * (size_t)i;
    for (int k = 0; k < SNI_COLUMN_LENGTH; ++k) {
        numbers[k] = (float)sum[k];
    }
    numbers[SNI_COLUMN_LENGTH] = (float)sn_vec3_distance(
        sn_vec3_load(desc->skin + 3 * (size_t)i), sn_vec3_load(desc->fascia + 3 * (size_t)i));
    c->freedom[i] = desc->pinned == NULL || desc->pinned[i] == 0 ? 1 : 0;
}

// Where each corner's forces are written, as gather reads them.
static sn_status list_slots(sni_columns *c, const sni_columns_desc *desc, sn_error *error) {
    size_t places = (size_t)c->group_count * SNI_WIDTH;
    sn_status status = SN_OK;
    SNI_NEW_ZERO(c->context, c->starts, (size_t)c->padded_count + 1);
    SNI_NEW(c->context, c->slots, 3 * (size_t)c->triangle_count);
    for (size_t i = 0; i < 3 * (size_t)c->triangle_count; ++i) {
        sni_rows_count(c->starts, desc->triangles[i], 1);
    }
    sni_rows_begin(c->starts, c->padded_count);
    for (uint32_t t = 0; t < c->triangle_count; ++t) {
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t column = desc->triangles[3 * (size_t)t + k];
            c->slots[sni_rows_take(c->starts, column)] = (uint32_t)(4 * (k * places + t));
            c->corners[((size_t)(t / SNI_WIDTH) * 3 + k) * SNI_WIDTH + t % SNI_WIDTH] = 4 * column;
        }
    }
    sni_rows_end(c->starts, c->padded_count);
cleanup:
    return status;
}

sn_status sni_flesh_elements_make(sni_columns *c, const sni_columns_desc *desc, sn_error *error) {
    sn_status status = SN_OK;
    double *sums = NULL;
    SNI_NEW_ZERO(c->context, c->corners, 3 * (size_t)c->group_count * SNI_WIDTH);
    SNI_NEW_ZERO(c->context, c->constants, (size_t)SNI_FLESH_ROWS * c->group_count * SNI_WIDTH);
    SNI_NEW_ZERO(c->context, c->numbers, (size_t)SNI_COLUMN_NUMBERS * c->padded_count);
    SNI_NEW_ZERO(c->context, c->freedom, c->padded_count);
    SNI_NEW_ZERO(c->context, sums, (size_t)SNI_COLUMN_NUMBERS * c->column_count);
    for (uint32_t t = 0; t < c->triangle_count; ++t) {
        element e;
        measure_element(desc, t, &e);
        store_element(c, desc, t, &e, sums);
    }
    for (uint32_t i = 0; i < c->column_count; ++i) {
        store_column(c, desc, i, sums + SNI_COLUMN_NUMBERS * (size_t)i);
    }
    SN_TRY(list_slots(c, desc, error));
cleanup:
    sni_free(c->context, sums);
    return status;
}
