// SPDX-License-Identifier: Apache-2.0
#include "sinew/vector.h"

#include "base/slerp.h"

// Axes of each sn_rotation_order, first turn first, and the sign of their permutation.
static const struct {
    unsigned char axes[3];
    signed char parity;
} orders[] = {
    [SN_ROTATION_XYZ] = {{0, 1, 2}, 1},  [SN_ROTATION_XZY] = {{0, 2, 1}, -1},
    [SN_ROTATION_YXZ] = {{1, 0, 2}, -1}, [SN_ROTATION_YZX] = {{1, 2, 0}, 1},
    [SN_ROTATION_ZXY] = {{2, 0, 1}, 1},  [SN_ROTATION_ZYX] = {{2, 1, 0}, -1},
};

// Below this sine of the distance to +-90 degrees the middle Euler angle locks the other two.
static const double gimbal_cosine = 1e-9;

sn_quat sn_quat_between(sn_vec3 from, sn_vec3 to) {
    double cosine = sn_vec3_dot(from, to);
    if (cosine < -1 + 1e-12) {
        return sn_quat_from_axis_angle(sn_vec3_perpendicular(from), SN_PI);
    }
    sn_vec3 axis = sn_vec3_cross(from, to);
    return sn_quat_normalize((sn_quat){axis.x, axis.y, axis.z, 1 + cosine});
}

sn_quat sn_quat_slerp(sn_quat a, sn_quat b, double t) {
    sni_slerp between = sni_slerp_between(a, b);
    return sni_slerp_at(&between, t);
}

sn_quat sn_quat_from_euler(sn_vec3 angles, sn_rotation_order order) {
    const double angle[3] = {angles.x, angles.y, angles.z};
    sn_quat q = sn_quat_identity();
    for (int i = 0; i < 3; ++i) {
        double axis[3] = {0, 0, 0};
        int k = orders[order].axes[i];
        axis[k] = 1;
        q = sn_quat_multiply(
            q, sn_quat_from_axis_angle(sn_vec3_make(axis[0], axis[1], axis[2]), angle[k]));
    }
    return q;
}

// With the axes i, j, k of the order and R = Ri(a) Rj(b) Rk(c), p the permutation's sign:
//     R_ik = p sin b,  R_ij = -p cos b sin c,  R_ii = cos b cos c,  R_jk = -p sin a cos b,
//     R_kk = cos a cos b.
// The last angle is read from Ri(-a) R = Rj(b) Rk(c), whose row j is free of b, so that a and c fit
// together also where cos b is so small that each alone is uncertain (M. Day: Extracting Euler
// Angles from a Rotation Matrix, 2012).
sn_vec3 sn_quat_to_euler(sn_quat q, sn_rotation_order order) {
    double r[3][3];
    sn_vec3 columns[3] = {sn_quat_rotate(q, sn_vec3_make(1, 0, 0)),
                          sn_quat_rotate(q, sn_vec3_make(0, 1, 0)),
                          sn_quat_rotate(q, sn_vec3_make(0, 0, 1))};
    for (int column = 0; column < 3; ++column) {
        r[0][column] = columns[column].x;
        r[1][column] = columns[column].y;
        r[2][column] = columns[column].z;
    }
    int i = orders[order].axes[0], j = orders[order].axes[1], k = orders[order].axes[2];
    double p = orders[order].parity;
    double cos_b = hypot(r[i][i], r[i][j]);
    double angle[3];
    angle[j] = atan2(p * r[i][k], cos_b);
    if (cos_b > gimbal_cosine) {
        angle[i] = atan2(-p * r[j][k], r[k][k]);
        double cos_a = cos(angle[i]), sin_a = p * sin(angle[i]);
        angle[k] =
            atan2(p * (cos_a * r[j][i] + sin_a * r[k][i]), cos_a * r[j][j] + sin_a * r[k][j]);
    } else {
        // c = 0:  R_kj = p sin a,  R_jj = cos a
        angle[i] = atan2(p * r[k][j], r[j][j]);
        angle[k] = 0;
    }
    return sn_vec3_make(angle[0], angle[1], angle[2]);
}

sn_mat4 sn_mat4_identity(void) {
    return (sn_mat4){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
}

sn_mat4 sn_mat4_multiply(const sn_mat4 *a, const sn_mat4 *b) {
    sn_mat4 product;
    for (int column = 0; column < 4; ++column) {
        for (int row = 0; row < 4; ++row) {
            double sum = 0;
            for (int k = 0; k < 4; ++k) {
                sum += a->m[4 * k + row] * b->m[4 * column + k];
            }
            product.m[4 * column + row] = sum;
        }
    }
    return product;
}

static void set_column(sn_mat4 *a, int column, sn_vec3 v, double w) {
    a->m[4 * column + 0] = v.x;
    a->m[4 * column + 1] = v.y;
    a->m[4 * column + 2] = v.z;
    a->m[4 * column + 3] = w;
}

static sn_vec3 get_column(const sn_mat4 *a, int column) {
    return sn_vec3_make(a->m[4 * column], a->m[4 * column + 1], a->m[4 * column + 2]);
}

sn_mat4 sn_mat4_from_transform(const sn_transform *transform) {
    sn_mat4 a;
    sn_quat q = transform->rotation;
    set_column(&a, 0, sn_quat_rotate(q, sn_vec3_make(transform->scale.x, 0, 0)), 0);
    set_column(&a, 1, sn_quat_rotate(q, sn_vec3_make(0, transform->scale.y, 0)), 0);
    set_column(&a, 2, sn_quat_rotate(q, sn_vec3_make(0, 0, transform->scale.z)), 0);
    set_column(&a, 3, transform->translation, 1);
    return a;
}

double sn_mat4_determinant(const sn_mat4 *a) {
    const double *m = a->m;
    return m[0] * (m[5] * m[10] - m[9] * m[6]) - m[4] * (m[1] * m[10] - m[9] * m[2]) +
           m[8] * (m[1] * m[6] - m[5] * m[2]);
}

bool sn_mat4_invert(const sn_mat4 *a, sn_mat4 *inverse) {
    sn_vec3 x = get_column(a, 0), y = get_column(a, 1), z = get_column(a, 2);
    sn_vec3 rows[3] = {sn_vec3_cross(y, z), sn_vec3_cross(z, x), sn_vec3_cross(x, y)};
    double determinant = sn_vec3_dot(x, rows[0]);
    *inverse = sn_mat4_identity();
    if (determinant == 0 || !isfinite(1 / determinant)) {
        return false;
    }
    sn_vec3 t = get_column(a, 3);
    for (int row = 0; row < 3; ++row) {
        sn_vec3 r = sn_vec3_scale(rows[row], 1 / determinant);
        inverse->m[row] = r.x;
        inverse->m[4 + row] = r.y;
        inverse->m[8 + row] = r.z;
        inverse->m[12 + row] = -sn_vec3_dot(r, t);
    }
    return true;
}

// Shepperd 1978: the largest of the four squares keeps the square root away from zero.
static sn_quat quat_from_axes(sn_vec3 x, sn_vec3 y, sn_vec3 z) {
    double squares[4] = {1 + x.x - y.y - z.z, 1 - x.x + y.y - z.z, 1 - x.x - y.y + z.z,
                         1 + x.x + y.y + z.z};
    int largest = 0;
    for (int i = 1; i < 4; ++i) {
        largest = squares[i] > squares[largest] ? i : largest;
    }
    sn_quat q;
    switch (largest) {
    case 0: q = (sn_quat){squares[0], x.y + y.x, z.x + x.z, y.z - z.y}; break;
    case 1: q = (sn_quat){x.y + y.x, squares[1], y.z + z.y, z.x - x.z}; break;
    case 2: q = (sn_quat){z.x + x.z, y.z + z.y, squares[2], x.y - y.x}; break;
    default: q = (sn_quat){y.z - z.y, z.x - x.z, x.y - y.x, squares[3]}; break;
    }
    return sn_quat_normalize(q);
}

sn_quat sn_mat4_rotation(const sn_mat4 *a) {
    sn_transform parts;
    sn_mat4_decompose(a, &parts);
    return parts.rotation;
}

double sn_mat4_decompose(const sn_mat4 *a, sn_transform *transform) {
    sn_vec3 x = get_column(a, 0), y = get_column(a, 1), z = get_column(a, 2);
    sn_vec3 scale = {sn_vec3_length(x), sn_vec3_length(y), sn_vec3_length(z)};
    // Gram-Schmidt gives a rotation also for a sheared or flat matrix.
    sn_vec3 ux = sn_vec3_normalize_or(x, sn_vec3_make(1, 0, 0));
    sn_vec3 uy = sn_vec3_normalize_or(sn_vec3_add_scaled(y, -sn_vec3_dot(ux, y), ux),
                                      sn_vec3_perpendicular(ux));
    sn_vec3 uz = sn_vec3_cross(ux, uy);
    if (sn_vec3_dot(uz, z) < 0) {
        scale.z = -scale.z;
    }
    transform->translation = get_column(a, 3);
    transform->rotation = quat_from_axes(ux, uy, uz);
    transform->scale = scale;
    sn_mat4 again = sn_mat4_from_transform(transform);
    double difference = 0;
    for (int i = 0; i < 16; ++i) {
        difference = fmax(difference, fabs(again.m[i] - a->m[i]));
    }
    return difference;
}

sn_transform sn_transform_identity(void) {
    return (sn_transform){{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
}

sn_dual_quat sn_dual_quat_from_rigid(sn_quat rotation, sn_vec3 translation) {
    sn_quat t = {translation.x, translation.y, translation.z, 0};
    return (sn_dual_quat){rotation, sn_quat_scale(sn_quat_multiply(t, rotation), 0.5)};
}

sn_vec3 sn_dual_quat_point(const sn_dual_quat *unit, sn_vec3 point) {
    sn_quat t = sn_quat_scale(sn_quat_multiply(unit->dual, sn_quat_conjugate(unit->real)), 2);
    return sn_vec3_add(sn_quat_rotate(unit->real, point), sn_vec3_make(t.x, t.y, t.z));
}
