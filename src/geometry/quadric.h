// SPDX-License-Identifier: Apache-2.0
//
// Quadrics (Garland and Heckbert, Surface Simplification Using Quadric Error Metrics, 1997): a
// weighted sum of squared distances from planes and points,
//
//     Q(x) = x^T A x + 2 b . x + c
//
// in ten numbers. A plane n . x + d = 0 with unit n adds weight * (n n^T, d n, d^2), a point p adds
// weight * (Id, -p, p . p).
#ifndef SINEW_GEOMETRY_QUADRIC_H
#define SINEW_GEOMETRY_QUADRIC_H

#include "sinew/vector.h"

typedef struct sni_quadric {
    double xx, yy, zz, xy, xz, yz; // A
    double bx, by, bz;
    double c;
} sni_quadric;

// A is taken as singular where |det A| is not above this, times the third power of its mean
// eigenvalue.
#define SNI_QUADRIC_SINGULAR 1e-9

static inline void sni_quadric_add_plane(sni_quadric *q, sn_vec3 n, double d, double weight) {
    sn_vec3 m = sn_vec3_scale(n, weight);
    q->xx += m.x * n.x;
    q->yy += m.y * n.y;
    q->zz += m.z * n.z;
    q->xy += m.x * n.y;
    q->xz += m.x * n.z;
    q->yz += m.y * n.z;
    q->bx += m.x * d;
    q->by += m.y * d;
    q->bz += m.z * d;
    q->c += weight * d * d;
}

static inline void sni_quadric_add_point(sni_quadric *q, sn_vec3 p, double weight) {
    q->xx += weight;
    q->yy += weight;
    q->zz += weight;
    q->bx -= weight * p.x;
    q->by -= weight * p.y;
    q->bz -= weight * p.z;
    q->c += weight * sn_vec3_dot(p, p);
}

static inline sni_quadric sni_quadric_sum(const sni_quadric *a, const sni_quadric *b) {
    return (sni_quadric){a->xx + b->xx, a->yy + b->yy, a->zz + b->zz, a->xy + b->xy, a->xz + b->xz,
                         a->yz + b->yz, a->bx + b->bx, a->by + b->by, a->bz + b->bz, a->c + b->c};
}

static inline sni_quadric sni_quadric_scale(const sni_quadric *a, double s) {
    return (sni_quadric){s * a->xx, s * a->yy, s * a->zz, s * a->xy, s * a->xz,
                         s * a->yz, s * a->bx, s * a->by, s * a->bz, s * a->c};
}

// Q(x), where rounding makes it negative 0.
static inline double sni_quadric_error(const sni_quadric *q, sn_vec3 x) {
    double ax = q->xx * x.x + q->xy * x.y + q->xz * x.z + 2 * q->bx;
    double ay = q->xy * x.x + q->yy * x.y + q->yz * x.z + 2 * q->by;
    double az = q->xz * x.x + q->yz * x.y + q->zz * x.z + 2 * q->bz;
    double error = x.x * ax + x.y * ay + x.z * az + q->c;
    return error > 0 ? error : 0;
}

// The point of least error, A x = -b by Cramer's rule; false where A is singular.
static inline bool sni_quadric_minimum(const sni_quadric *q, sn_vec3 *x) {
    double cxx = q->yy * q->zz - q->yz * q->yz;
    double cxy = q->xz * q->yz - q->xy * q->zz;
    double cxz = q->xy * q->yz - q->xz * q->yy;
    double determinant = q->xx * cxx + q->xy * cxy + q->xz * cxz;
    double mean = (q->xx + q->yy + q->zz) / 3;
    if (!(fabs(determinant) > SNI_QUADRIC_SINGULAR * mean * mean * mean)) {
        return false;
    }
    double cyy = q->xx * q->zz - q->xz * q->xz;
    double cyz = q->xy * q->xz - q->xx * q->yz;
    double czz = q->xx * q->yy - q->xy * q->xy;
    double s = -1 / determinant;
    *x = (sn_vec3){s * (cxx * q->bx + cxy * q->by + cxz * q->bz),
                   s * (cxy * q->bx + cyy * q->by + cyz * q->bz),
                   s * (cxz * q->bx + cyz * q->by + czz * q->bz)};
    return sn_vec3_is_finite(*x);
}

#endif
