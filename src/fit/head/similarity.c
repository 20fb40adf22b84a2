// SPDX-License-Identifier: Apache-2.0
#include "fit/head/similarity.h"

#include "base/error.h"

// Sweeps of rotations that bring a matrix of four rows to its eigenvalues; five are usual.
enum { MOST_SWEEPS = 32 };

// Two eigenvalues that differ by less than this part of the largest are one: the points lie on a
// line, about which any turn is as good.
static const double same_eigenvalue = 1e-9;

sni_similarity sni_similarity_invert(const sni_similarity *s) {
    sni_similarity inverse = {sn_quat_conjugate(s->rotation), 1 / s->scale, {0, 0, 0}};
    sn_vec3 moved = sn_quat_rotate(inverse.rotation, s->translation);
    inverse.translation = sn_vec3_scale(moved, -inverse.scale);
    return inverse;
}

sni_similarity sni_similarity_multiply(const sni_similarity *a, const sni_similarity *b) {
    return (sni_similarity){sn_quat_normalize(sn_quat_multiply(a->rotation, b->rotation)),
                            a->scale * b->scale, sni_similarity_point(a, b->translation)};
}

// One rotation of Jacobi's method, in the plane of rows p and q; `vectors` has eigenvectors in its
// columns.
static void rotate_plane(double m[4][4], double vectors[4][4], int p, int q) {
    if (m[p][q] == 0) {
        return;
    }
    double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
    double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 4; ++k) {
        double kp = m[k][p], kq = m[k][q];
        m[k][p] = c * kp - s * kq;
        m[k][q] = s * kp + c * kq;
    }
    for (int k = 0; k < 4; ++k) {
        double pk = m[p][k], qk = m[q][k];
        m[p][k] = c * pk - s * qk;
        m[q][k] = s * pk + c * qk;
        double vp = vectors[k][p], vq = vectors[k][q];
        vectors[k][p] = c * vp - s * vq;
        vectors[k][q] = s * vp + c * vq;
    }
}

// The eigenvector of the largest eigenvalue; false where two share that place.
static bool largest_eigenvector(double m[4][4], sn_quat *vector) {
    double v[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    for (int sweep = 0; sweep < MOST_SWEEPS; ++sweep) {
        for (int p = 0; p < 3; ++p) {
            for (int q = p + 1; q < 4; ++q) {
                rotate_plane(m, v, p, q);
            }
        }
    }
    int first = 0, second = 1;
    for (int k = 1; k < 4; ++k) {
        if (m[k][k] > m[first][first]) {
            second = first;
            first = k;
        } else if (k == 1 || m[k][k] > m[second][second]) {
            second = k;
        }
    }
    // Of Horn's quaternion the scalar comes first.
    *vector = sn_quat_normalize((sn_quat){v[1][first], v[2][first], v[3][first], v[0][first]});
    return m[first][first] - m[second][second] > same_eigenvalue * fabs(m[first][first]);
}

static sn_vec3 mean_of(const sn_vec3 *points, const double *weights, uint32_t count) {
    sn_vec3 sum = {0, 0, 0};
    double total = 0;
    for (uint32_t i = 0; i < count; ++i) {
        double weight = weights != NULL ? weights[i] : 1;
        sum = sn_vec3_add_scaled(sum, weight, points[i]);
        total += weight;
    }
    return total > 0 ? sn_vec3_scale(sum, 1 / total) : sum;
}

bool sni_similarity_fit(const sn_vec3 *from, const sn_vec3 *to, const double *weights,
                        uint32_t count, sni_similarity *fitted) {
    sn_vec3 a = mean_of(from, weights, count), b = mean_of(to, weights, count);
    double s[3][3] = {{0}}, from_size = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3 p = sn_vec3_sub(from[i], a), q = sn_vec3_sub(to[i], b);
        const double left[3] = {p.x, p.y, p.z}, right[3] = {q.x, q.y, q.z};
        double weight = weights != NULL ? weights[i] : 1;
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) {
                s[r][c] += weight * left[r] * right[c];
            }
        }
        from_size += weight * sn_vec3_dot(p, p);
    }
    // Horn's matrix N, whose largest eigenvector is the rotation.
    double n[4][4] = {
        {s[0][0] + s[1][1] + s[2][2], s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]},
        {s[1][2] - s[2][1], s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2]},
        {s[2][0] - s[0][2], s[0][1] + s[1][0], s[1][1] - s[0][0] - s[2][2], s[1][2] + s[2][1]},
        {s[0][1] - s[1][0], s[2][0] + s[0][2], s[1][2] + s[2][1], s[2][2] - s[0][0] - s[1][1]}};
    double spread = sqrt(n[0][0] * n[0][0] + n[1][1] * n[1][1] + n[2][2] * n[2][2]);
    *fitted = (sni_similarity){sn_quat_identity(), 1, sn_vec3_sub(b, a)};
    sn_quat rotation;
    if (count < 3 || !(spread > 0) || !(from_size > 0) || !largest_eigenvector(n, &rotation)) {
        return false;
    }
    // The scale that minimises the squares is <q, R p> / <p, p>.
    double along = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3 p = sn_quat_rotate(rotation, sn_vec3_sub(from[i], a));
        along += (weights != NULL ? weights[i] : 1) * sn_vec3_dot(p, sn_vec3_sub(to[i], b));
    }
    if (!(along > 0)) {
        return false;
    }
    double scale = along / from_size;
    *fitted = (sni_similarity){rotation, scale,
                               sn_vec3_sub(b, sn_vec3_scale(sn_quat_rotate(rotation, a), scale))};
    return true;
}
