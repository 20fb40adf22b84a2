// SPDX-License-Identifier: Apache-2.0
//
// Small vectors, quaternions, matrices and dual quaternions.
//
// These are in double precision: they carry transforms and single points, where accuracy costs
// nothing. Arrays of points are plain spans of float (`positions[3 * i]`); kernels work on those.
//
// Conventions: right-handed, +Y up, +Z forward, column vectors, column-major matrices
// (element (row, column) is m[4 * column + row]), quaternions x y z w, angles in radians.
#ifndef SINEW_VECTOR_H
#define SINEW_VECTOR_H

#include "sinew/base.h"

#include <math.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SN_PI 3.14159265358979323846

typedef struct sn_vec3 {
    double x, y, z;
} sn_vec3;

typedef struct sn_quat {
    double x, y, z, w;
} sn_quat;

typedef struct sn_mat4 {
    double m[16];
} sn_mat4;

// Rotation `real`, and translation encoded in `dual` = translation * real / 2.
typedef struct sn_dual_quat {
    sn_quat real, dual;
} sn_dual_quat;

// Translation, rotation and scale, applied as T * R * S.
typedef struct sn_transform {
    sn_vec3 translation;
    sn_quat rotation;
    sn_vec3 scale;
} sn_transform;

// The order of three intrinsic rotations: xyz turns about x, then about the new y, then about the
// new z, so that the matrix is Rx * Ry * Rz. The numbers are kept for ever.
typedef enum sn_rotation_order {
    SN_ROTATION_XYZ = 0,
    SN_ROTATION_XZY = 1,
    SN_ROTATION_YXZ = 2,
    SN_ROTATION_YZX = 3,
    SN_ROTATION_ZXY = 4,
    SN_ROTATION_ZYX = 5,
} sn_rotation_order;

static inline sn_vec3 sn_vec3_make(double x, double y, double z) {
    sn_vec3 result = {x, y, z};
    return result;
}

static inline sn_vec3 sn_vec3_load(const float *values) {
    sn_vec3 result = {values[0], values[1], values[2]};
    return result;
}

static inline void sn_vec3_store(sn_vec3 v, float *values) {
    values[0] = (float)v.x;
    values[1] = (float)v.y;
    values[2] = (float)v.z;
}

static inline sn_vec3 sn_vec3_add(sn_vec3 a, sn_vec3 b) {
    sn_vec3 result = {a.x + b.x, a.y + b.y, a.z + b.z};
    return result;
}

static inline sn_vec3 sn_vec3_sub(sn_vec3 a, sn_vec3 b) {
    sn_vec3 result = {a.x - b.x, a.y - b.y, a.z - b.z};
    return result;
}

static inline sn_vec3 sn_vec3_scale(sn_vec3 a, double s) {
    sn_vec3 result = {a.x * s, a.y * s, a.z * s};
    return result;
}

// a + s * b
static inline sn_vec3 sn_vec3_add_scaled(sn_vec3 a, double s, sn_vec3 b) {
    sn_vec3 result = {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
    return result;
}

static inline sn_vec3 sn_vec3_multiply(sn_vec3 a, sn_vec3 b) {
    sn_vec3 result = {a.x * b.x, a.y * b.y, a.z * b.z};
    return result;
}

static inline double sn_vec3_dot(sn_vec3 a, sn_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline sn_vec3 sn_vec3_cross(sn_vec3 a, sn_vec3 b) {
    sn_vec3 result = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return result;
}

static inline double sn_vec3_length(sn_vec3 a) {
    return sqrt(sn_vec3_dot(a, a));
}

static inline double sn_vec3_distance(sn_vec3 a, sn_vec3 b) {
    return sn_vec3_length(sn_vec3_sub(a, b));
}

static inline sn_vec3 sn_vec3_lerp(sn_vec3 a, sn_vec3 b, double t) {
    return sn_vec3_add_scaled(a, t, sn_vec3_sub(b, a));
}

static inline sn_vec3 sn_vec3_min(sn_vec3 a, sn_vec3 b) {
    sn_vec3 result = {fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)};
    return result;
}

static inline sn_vec3 sn_vec3_max(sn_vec3 a, sn_vec3 b) {
    sn_vec3 result = {fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)};
    return result;
}

static inline bool sn_vec3_is_finite(sn_vec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

// The unit vector along `a`; `fallback` where `a` has no direction (zero or not finite).
static inline sn_vec3 sn_vec3_normalize_or(sn_vec3 a, sn_vec3 fallback) {
    double length = sn_vec3_length(a);
    return length > 0 && isfinite(length) ? sn_vec3_scale(a, 1 / length) : fallback;
}

// A unit vector at right angles to the unit vector `a`.
static inline sn_vec3 sn_vec3_perpendicular(sn_vec3 a) {
    sn_vec3 axis = fabs(a.x) < 0.6 ? sn_vec3_make(1, 0, 0) : sn_vec3_make(0, 1, 0);
    return sn_vec3_normalize_or(sn_vec3_cross(a, axis), sn_vec3_make(0, 0, 1));
}

static inline sn_quat sn_quat_identity(void) {
    sn_quat result = {0, 0, 0, 1};
    return result;
}

static inline double sn_quat_dot(sn_quat a, sn_quat b) {
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

static inline sn_quat sn_quat_scale(sn_quat a, double s) {
    sn_quat result = {a.x * s, a.y * s, a.z * s, a.w * s};
    return result;
}

static inline sn_quat sn_quat_add(sn_quat a, sn_quat b) {
    sn_quat result = {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
    return result;
}

// First b, then a.
static inline sn_quat sn_quat_multiply(sn_quat a, sn_quat b) {
    sn_quat result = {
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    };
    return result;
}

static inline sn_quat sn_quat_conjugate(sn_quat a) {
    sn_quat result = {-a.x, -a.y, -a.z, a.w};
    return result;
}

// The unit quaternion along `a`; the identity where it is zero or not finite.
static inline sn_quat sn_quat_normalize(sn_quat a) {
    double length = sqrt(sn_quat_dot(a, a));
    return length > 0 && isfinite(length) ? sn_quat_scale(a, 1 / length) : sn_quat_identity();
}

static inline sn_vec3 sn_quat_rotate(sn_quat q, sn_vec3 v) {
    sn_vec3 u = {q.x, q.y, q.z};
    sn_vec3 t = sn_vec3_scale(sn_vec3_cross(u, v), 2);
    return sn_vec3_add(sn_vec3_add_scaled(v, q.w, t), sn_vec3_cross(u, t));
}

static inline sn_quat sn_quat_from_axis_angle(sn_vec3 unit_axis, double angle) {
    double s = sin(angle / 2);
    sn_quat result = {unit_axis.x * s, unit_axis.y * s, unit_axis.z * s, cos(angle / 2)};
    return result;
}

// The smallest rotation that takes the unit vector `from` to the unit vector `to`; about any
// perpendicular axis where they are opposite.
SN_API sn_quat sn_quat_between(sn_vec3 from, sn_vec3 to);

// Along the shorter arc at constant speed, as glTF interpolates rotations.
SN_API sn_quat sn_quat_slerp(sn_quat a, sn_quat b, double t);

// Intrinsic rotations about x, y and z by angles.x, angles.y and angles.z, in the given order.
SN_API sn_quat sn_quat_from_euler(sn_vec3 angles, sn_rotation_order order);

// The angles that sn_quat_from_euler would need, the middle one in [-pi/2, pi/2]. In gimbal lock
// the last angle is 0.
SN_API sn_vec3 sn_quat_to_euler(sn_quat q, sn_rotation_order order);

SN_API sn_mat4 sn_mat4_identity(void);
SN_API sn_mat4 sn_mat4_multiply(const sn_mat4 *a, const sn_mat4 *b);
SN_API sn_mat4 sn_mat4_from_transform(const sn_transform *transform);

// The inverse of an affine matrix; false, and the identity, where it has none.
SN_API bool sn_mat4_invert(const sn_mat4 *a, sn_mat4 *inverse);

// The factor by which it scales volumes; negative where it mirrors.
SN_API double sn_mat4_determinant(const sn_mat4 *a);

static inline sn_vec3 sn_mat4_direction(const sn_mat4 *a, sn_vec3 v) {
    const double *m = a->m;
    return sn_vec3_make(m[0] * v.x + m[4] * v.y + m[8] * v.z, m[1] * v.x + m[5] * v.y + m[9] * v.z,
                        m[2] * v.x + m[6] * v.y + m[10] * v.z);
}

static inline sn_vec3 sn_mat4_point(const sn_mat4 *a, sn_vec3 point) {
    return sn_vec3_add(sn_mat4_direction(a, point), sn_vec3_make(a->m[12], a->m[13], a->m[14]));
}

// The rotation of the matrix's three axes, ignoring their lengths.
SN_API sn_quat sn_mat4_rotation(const sn_mat4 *a);

// Decomposes an affine matrix into T * R * S (a mirror image gives one negative scale). Returns the
// largest difference between the matrix and the product of the parts: 0 when there is no shear.
SN_API double sn_mat4_decompose(const sn_mat4 *a, sn_transform *transform);

SN_API sn_transform sn_transform_identity(void);

SN_API sn_dual_quat sn_dual_quat_from_rigid(sn_quat rotation, sn_vec3 translation);
SN_API sn_vec3 sn_dual_quat_point(const sn_dual_quat *unit, sn_vec3 point);

#ifdef __cplusplus
}
#endif

#endif
