// SPDX-License-Identifier: Apache-2.0
//
// What flesh looks like: how far it is stretched, and whether any of it is inside out.
#include "solver/flesh_internal.h"

#include "sinew/vector.h"

#include <math.h>

static sn_vec3 point_at(const float *points, uint32_t column) {
    return sn_vec3_load(points + 4 * (size_t)column);
}

// Both stretches of a triangle of three points, from the inverse of its edges at rest.
static bool measure_triangle(const sni_columns *c, uint32_t t, uint32_t row, const float *points,
                             double *longest, double *shortest) {
    double b0 = (double)sni_flesh_constant(c, t, row),
           b1 = (double)sni_flesh_constant(c, t, row + 1);
    double b2 = (double)sni_flesh_constant(c, t, row + 2);
    sn_vec3 p0 = point_at(points, sni_flesh_corner(c, t, 0));
    sn_vec3 d1 = sn_vec3_sub(point_at(points, sni_flesh_corner(c, t, 1)), p0);
    sn_vec3 d2 = sn_vec3_sub(point_at(points, sni_flesh_corner(c, t, 2)), p0);
    sn_vec3 f0 = sn_vec3_scale(d1, b0), f1 = sn_vec3_add_scaled(sn_vec3_scale(d1, b1), b2, d2);
    double a = sn_vec3_dot(f0, f0), b = sn_vec3_dot(f0, f1), d = sn_vec3_dot(f1, f1);
    double mean = (a + d) / 2, root = sqrt((a - d) * (a - d) / 4 + b * b);
    *longest = sqrt(mean + root);
    *shortest = sqrt(fmax(mean - root, 0));
    return b0 > 0;
}

// The volume of a prism as its one point of integration has it.
static double measure_prism(const sni_columns *c, uint32_t t, const float *skin,
                            const float *fascia) {
    sn_vec3 edges[2], rods = {0, 0, 0};
    for (uint32_t k = 0; k < 3; ++k) {
        uint32_t column = sni_flesh_corner(c, t, k);
        rods = sn_vec3_add(rods, sn_vec3_sub(point_at(skin, column), point_at(fascia, column)));
    }
    for (uint32_t k = 0; k < 2; ++k) {
        uint32_t from = sni_flesh_corner(c, t, 0), to = sni_flesh_corner(c, t, k + 1);
        edges[k] = sn_vec3_add(sn_vec3_sub(point_at(skin, to), point_at(skin, from)),
                               sn_vec3_sub(point_at(fascia, to), point_at(fascia, from)));
    }
    return sn_vec3_dot(rods, sn_vec3_cross(edges[0], edges[1])) / 24;
}

static void measure_rod(const sni_columns *c, uint32_t i, const float *skin, const float *fascia,
                        sni_columns_measure *m) {
    double rest = (double)c->numbers[SNI_COLUMN_NUMBERS * (size_t)i + SNI_COLUMN_LENGTH];
    if (rest > 0 && c->starts[i + 1] > c->starts[i]) {
        double part = sn_vec3_distance(point_at(skin, i), point_at(fascia, i)) / rest;
        m->shortest = fmin(m->shortest, part);
        m->longest = fmax(m->longest, part);
    }
}

void sni_columns_measure_run(const sni_columns *c, const float *skin, const float *fascia,
                             sni_columns_measure *measure) {
    sni_columns_measure m = {.squeeze = INFINITY, .shortest = INFINITY};
    for (uint32_t t = 0; t < c->triangle_count; ++t) {
        double longest, shortest, rest = (double)sni_flesh_constant(c, t, SNI_FLESH_VOLUME);
        if (measure_triangle(c, t, SNI_FLESH_SKIN_B, skin, &longest, &shortest)) {
            m.stretch = fmax(m.stretch, longest);
            m.squeeze = fmin(m.squeeze, shortest);
        }
        if (measure_triangle(c, t, SNI_FLESH_FASCIA_B, fascia, &longest, &shortest)) {
            m.fascia_stretch = fmax(m.fascia_stretch, longest);
        }
        if (rest > 0) {
            double volume = measure_prism(c, t, skin, fascia);
            m.flipped += volume <= 0;
            m.volume += volume;
            m.rest_volume += rest;
        }
    }
    for (uint32_t i = 0; i < c->column_count; ++i) {
        measure_rod(c, i, skin, fascia, &m);
    }
    *measure = m;
}
