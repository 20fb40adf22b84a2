// SPDX-License-Identifier: Apache-2.0
//
// Small matrices for the frames of wraps, column-major 3 x 3.
#ifndef SINEW_SKIN_WRAP_MATRIX_H
#define SINEW_SKIN_WRAP_MATRIX_H

#include "sinew/vector.h"
#include "skin/sparse_blend.h"

#include <string.h>

static inline void sni_matrix_columns(double m[9], sn_vec3 a, sn_vec3 b, sn_vec3 c) {
    const double values[9] = {a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z};
    memcpy(m, values, sizeof values);
}

static inline sn_vec3 sni_matrix_column(const double m[9], int i) {
    return sn_vec3_make(m[3 * i], m[3 * i + 1], m[3 * i + 2]);
}

static inline double sni_matrix_determinant(const double m[9]) {
    return sn_vec3_dot(sn_vec3_cross(sni_matrix_column(m, 0), sni_matrix_column(m, 1)),
                       sni_matrix_column(m, 2));
}

// Rows of the inverse are cross products of the columns over the sni_matrix_determinant.
static inline void sni_matrix_invert(const double m[9], double inverse[9]) {
    sn_vec3 a = sni_matrix_column(m, 0), b = sni_matrix_column(m, 1), c = sni_matrix_column(m, 2);
    double scale = 1 / sni_matrix_determinant(m);
    sn_vec3 x = sn_vec3_scale(sn_vec3_cross(b, c), scale);
    sn_vec3 y = sn_vec3_scale(sn_vec3_cross(c, a), scale);
    sn_vec3 z = sn_vec3_scale(sn_vec3_cross(a, b), scale);
    sni_matrix_columns(inverse, sn_vec3_make(x.x, y.x, z.x), sn_vec3_make(x.y, y.y, z.y),
                       sn_vec3_make(x.z, y.z, z.z));
}

static inline void sni_matrix_multiply(const double a[9], const double b[9], double product[9]) {
    for (int c = 0; c < 3; ++c) {
        for (int r = 0; r < 3; ++r) {
            product[3 * c + r] =
                a[r] * b[3 * c] + a[3 + r] * b[3 * c + 1] + a[6 + r] * b[3 * c + 2];
        }
    }
}

// m += a b^T
static inline void sni_matrix_add_outer(double m[9], sn_vec3 a, sn_vec3 b) {
    const double bs[3] = {b.x, b.y, b.z};
    for (int c = 0; c < 3; ++c) {
        m[3 * c] += a.x * bs[c];
        m[3 * c + 1] += a.y * bs[c];
        m[3 * c + 2] += a.z * bs[c];
    }
}

// Writes D and t of p' = p + D p + t, where the point `origin` goes to `posed`:
// t = (posed - origin) - D origin.
static inline void sni_matrix_store_map(const double d[9], sn_vec3 origin, sn_vec3 posed,
                                        double factor, float matrix[SNI_BLEND_MATRIX]) {
    const double o[3] = {origin.x, origin.y, origin.z};
    const double t[3] = {posed.x - origin.x, posed.y - origin.y, posed.z - origin.z};
    memset(matrix, 0, SNI_BLEND_MATRIX * sizeof *matrix);
    for (int r = 0; r < 3; ++r) {
        double turned = d[r] * o[0] + d[3 + r] * o[1] + d[6 + r] * o[2];
        matrix[r] = (float)(factor * d[r]);
        matrix[3 + r] = (float)(factor * d[3 + r]);
        matrix[6 + r] = (float)(factor * d[6 + r]);
        matrix[9 + r] = (float)(factor * (t[r] - turned));
    }
}

#endif
