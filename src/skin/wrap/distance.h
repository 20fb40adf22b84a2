// SPDX-License-Identifier: Apache-2.0
//
// Squared distances from one point to eight triangles at a time, in float. Lengths are in units of
// the wrap and points relative to a centre near by, so that nothing is lost to large coordinates.
#ifndef SINEW_SKIN_WRAP_DISTANCE_H
#define SINEW_SKIN_WRAP_DISTANCE_H

#include "base/simd.h"
#include "sinew/vector.h"

// What the distance to a triangle needs besides its first corner. Sides are e = B - A, f = C - A
// and f - e.
typedef struct sni_wrap_shape {
    float e[3], f[3], normal[3]; // normal of length 1
    float inverse_e, inverse_f;  // 1 / |e|^2, 1 / |f|^2, 0 for no length
    float inverse_g;             // 1 / |f - e|^2
    float ee, ef, ff;            // products
    float determinant;           // ee ff - ef^2; -1 for a triangle without area
} sni_wrap_shape;

_Static_assert(sizeof(sni_wrap_shape) == 16 * sizeof(float), "four transposes of four columns");

// Vectors of eight triangles: the first corner, then the shape.
enum { SNI_WRAP_GROUP = 19 * SNI_WIDTH };

// Twice the area below this share of the squared longest side: no area to speak of. Its normal
// would be rounding.
static const double sni_wrap_flat = 1e-5;

static inline sni_wrap_shape sni_wrap_shape_make(sn_vec3 a, sn_vec3 b, sn_vec3 c, double unit) {
    sn_vec3 e = sn_vec3_scale(sn_vec3_sub(b, a), 1 / unit);
    sn_vec3 f = sn_vec3_scale(sn_vec3_sub(c, a), 1 / unit);
    sn_vec3 g = sn_vec3_sub(f, e), normal = sn_vec3_cross(e, f);
    double ee = sn_vec3_dot(e, e), ff = sn_vec3_dot(f, f), gg = sn_vec3_dot(g, g);
    double ef = sn_vec3_dot(e, f), area = sn_vec3_length(normal);
    bool is_flat = !(area > sni_wrap_flat * fmax(ee, fmax(ff, gg)));
    sni_wrap_shape shape = {
        .inverse_e = ee > 0 ? (float)(1 / ee) : 0,
        .inverse_f = ff > 0 ? (float)(1 / ff) : 0,
        .inverse_g = gg > 0 ? (float)(1 / gg) : 0,
        .ee = (float)ee,
        .ef = (float)ef,
        .ff = (float)ff,
        .determinant = is_flat ? -1 : (float)(area * area),
    };
    sn_vec3_store(e, shape.e);
    sn_vec3_store(f, shape.f);
    sn_vec3_store(is_flat ? sn_vec3_make(0, 0, 0) : sn_vec3_scale(normal, 1 / area), shape.normal);
    return shape;
}

// Lays out eight shapes for the kernel.
static inline void sni_wrap_group_store(const sni_wrap_shape *const shapes[SNI_WIDTH],
                                        const float corners[3][SNI_WIDTH], float *group) {
    const sni_rows rows = {shapes[0]->e, shapes[1]->e, shapes[2]->e, shapes[3]->e,
                           shapes[4]->e, shapes[5]->e, shapes[6]->e, shapes[7]->e};
    memcpy(group, corners, 3 * SNI_WIDTH * sizeof *group);
    for (int i = 0; i < 4; ++i) {
        sni_f32xw4 columns = sni_f32xw_transpose4(rows, 4 * i);
        float *out = group + (3 + 4 * i) * SNI_WIDTH;
        sni_f32xw_store(out, columns.x);
        sni_f32xw_store(out + SNI_WIDTH, columns.y);
        sni_f32xw_store(out + 2 * SNI_WIDTH, columns.z);
        sni_f32xw_store(out + 3 * SNI_WIDTH, columns.w);
    }
}

// Vectors of eight boxes: their low corners, their high ones, and how many triangles are in them.
enum { SNI_WRAP_LUMPS = 7 * SNI_WIDTH };

typedef struct sni_wide3 {
    sni_f32xw x, y, z;
} sni_wide3;

SNI_INLINE sni_wide3 sni_wide3_load(const float *group, int first) {
    return (sni_wide3){sni_f32xw_load(group + first * SNI_WIDTH),
                       sni_f32xw_load(group + (first + 1) * SNI_WIDTH),
                       sni_f32xw_load(group + (first + 2) * SNI_WIDTH)};
}

SNI_INLINE sni_wide3 sni_wide3_sub(sni_wide3 a, sni_wide3 b) {
    return (sni_wide3){sni_f32xw_sub(a.x, b.x), sni_f32xw_sub(a.y, b.y), sni_f32xw_sub(a.z, b.z)};
}

SNI_INLINE sni_f32xw sni_wide3_dot(sni_wide3 a, sni_wide3 b) {
    sni_f32xw sum = sni_f32xw_mul(a.x, b.x);
    return sni_f32xw_add_product(sni_f32xw_add_product(sum, a.y, b.y), a.z, b.z);
}

// The squared distance from v to the side from 0 to e, given v.e and 1 / |e|^2.
SNI_INLINE sni_f32xw sni_wide3_side(sni_wide3 v, sni_wide3 e, sni_f32xw ve, sni_f32xw inverse) {
    sni_f32xw t = sni_f32xw_mul(ve, inverse);
    t = sni_f32xw_min(sni_f32xw_max(t, sni_f32xw_set1(0)), sni_f32xw_set1(1));
    sni_wide3 rest = {sni_f32xw_sub_product(v.x, t, e.x), sni_f32xw_sub_product(v.y, t, e.y),
                      sni_f32xw_sub_product(v.z, t, e.z)};
    return sni_wide3_dot(rest, rest);
}

// Above the triangle the distance to its plane, else that to the nearest side. With v = p - A,
//     v = s/det e + t/det f + h normal,   s = ff v.e - ef v.f,   t = ee v.f - ef v.e
SNI_INLINE sni_f32xw sni_wrap_distances(const float *group, const float point[3]) {
    const sni_wide3 p = {sni_f32xw_set1(point[0]), sni_f32xw_set1(point[1]),
                         sni_f32xw_set1(point[2])};
    sni_wide3 v = sni_wide3_sub(p, sni_wide3_load(group, 0));
    sni_wide3 e = sni_wide3_load(group, 3), f = sni_wide3_load(group, 6);
    sni_f32xw ve = sni_wide3_dot(v, e), vf = sni_wide3_dot(v, f);
    sni_f32xw ee = sni_f32xw_load(group + 15 * SNI_WIDTH);
    sni_f32xw ef = sni_f32xw_load(group + 16 * SNI_WIDTH);
    sni_f32xw ff = sni_f32xw_load(group + 17 * SNI_WIDTH);
    sni_f32xw det = sni_f32xw_load(group + 18 * SNI_WIDTH);
    sni_wide3 w = sni_wide3_sub(v, e), g = sni_wide3_sub(f, e);
    sni_f32xw side =
        sni_f32xw_min(sni_wide3_side(v, e, ve, sni_f32xw_load(group + 12 * SNI_WIDTH)),
                      sni_wide3_side(v, f, vf, sni_f32xw_load(group + 13 * SNI_WIDTH)));
    side = sni_f32xw_min(
        side, sni_wide3_side(w, g, sni_wide3_dot(w, g), sni_f32xw_load(group + 14 * SNI_WIDTH)));
    sni_f32xw s = sni_f32xw_sub_product(sni_f32xw_mul(ff, ve), ef, vf);
    sni_f32xw t = sni_f32xw_sub_product(sni_f32xw_mul(ee, vf), ef, ve);
    sni_f32xw r = sni_f32xw_sub(sni_f32xw_sub(det, s), t);
    sni_f32xw height = sni_wide3_dot(v, sni_wide3_load(group, 9));
    return sni_f32xw_choose(sni_f32xw_min(sni_f32xw_min(s, t), r), sni_f32xw_mul(height, height),
                            side);
}

// How far an interval lies outside of eight others.
SNI_INLINE sni_f32xw sni_wrap_outside(const float *low, const float *high, float own_low,
                                      float own_high) {
    sni_f32xw below = sni_f32xw_sub(sni_f32xw_load(low), sni_f32xw_set1(own_high));
    sni_f32xw above = sni_f32xw_sub(sni_f32xw_set1(own_low), sni_f32xw_load(high));
    return sni_f32xw_max(sni_f32xw_max(below, above), sni_f32xw_set1(0));
}

// Squared distances from a point to eight boxes: the low sides along x, y and z, then the high
// ones.
SNI_INLINE sni_f32xw sni_wrap_box_distances(const float *sides, const float point[3]) {
    const float *high = sides + 3 * SNI_WIDTH;
    sni_wide3 v = {
        sni_wrap_outside(sides, high, point[0], point[0]),
        sni_wrap_outside(sides + SNI_WIDTH, high + SNI_WIDTH, point[1], point[1]),
        sni_wrap_outside(sides + 2 * SNI_WIDTH, high + 2 * SNI_WIDTH, point[2], point[2])};
    return sni_wide3_dot(v, v);
}

#endif
