// SPDX-License-Identifier: Apache-2.0
//
// One triangle in double precision: its normal, area and frame, and what it is to one point or one
// ray.
//
// The last two work on the triangle's vertices in the order of their coordinates. What is computed
// on an edge or at a vertex then has the same bits for all triangles that meet there, whatever
// their orientation and whether or not they share indices: equal distances compare equal.
#ifndef SINEW_GEOMETRY_TRIANGLE_H
#define SINEW_GEOMETRY_TRIANGLE_H

#include "sinew/vector.h"

// Where the vertices of a triangle are.
static inline void sni_triangle_corners(const float *positions, const uint32_t vertices[3],
                                        sn_vec3 corners[3]) {
    for (int k = 0; k < 3; ++k) {
        corners[k] = sn_vec3_load(positions + 3 * (size_t)vertices[k]);
    }
}

// (b - a) x (c - a): along the normal, twice the area long.
static inline sn_vec3 sni_triangle_vector(sn_vec3 a, sn_vec3 b, sn_vec3 c) {
    return sn_vec3_cross(sn_vec3_sub(b, a), sn_vec3_sub(c, a));
}

static inline double sni_triangle_area(sn_vec3 a, sn_vec3 b, sn_vec3 c) {
    return sn_vec3_length(sni_triangle_vector(a, b, c)) / 2;
}

// Three unit axes at right angles: along the first edge, across it, and the normal. False for a
// triangle without area, which gets any that fit what is left of it.
static inline bool sni_triangle_frame(const sn_vec3 corners[3], sn_vec3 axes[3]) {
    sn_vec3 ab = sn_vec3_sub(corners[1], corners[0]);
    sn_vec3 normal = sni_triangle_vector(corners[0], corners[1], corners[2]);
    axes[0] = sn_vec3_normalize_or(ab, sn_vec3_make(1, 0, 0));
    axes[2] = sn_vec3_normalize_or(normal, sn_vec3_perpendicular(axes[0]));
    axes[1] = sn_vec3_cross(axes[2], axes[0]);
    return sn_vec3_length(ab) > 0 && sn_vec3_length(normal) > 0;
}

typedef struct sni_triangle {
    sn_vec3 a, b, c; // sorted by x, y, z
} sni_triangle;

// Sorts three vertex numbers by the vertices' coordinates. `places` tells which of the three each
// one was; NULL is allowed.
void sni_triangle_sort(const float *positions, const uint32_t vertices[3], uint32_t sorted[3],
                       uint8_t places[3]);

static inline sni_triangle sni_triangle_load(const float *positions, const uint32_t sorted[3]) {
    return (sni_triangle){sn_vec3_load(positions + 3 * (size_t)sorted[0]),
                          sn_vec3_load(positions + 3 * (size_t)sorted[1]),
                          sn_vec3_load(positions + 3 * (size_t)sorted[2])};
}

// The point at weights of a, b and c.
sn_vec3 sni_triangle_point(const sni_triangle *triangle, const double weights[3]);

// The squared distance from `p` to the triangle; `weights` of a, b and c give the closest point.
// Triangles without area are taken as their longest edge.
double sni_triangle_closest(const sni_triangle *triangle, sn_vec3 p, double weights[3]);

// How much a triangle has been stretched along the direction in which it is most: the largest
// singular value of the map that takes it from `rest` to `now`. 0 where it is flat at rest.
double sni_triangle_stretch(const sn_vec3 rest[3], const sn_vec3 now[3]);

// Whether a triangle's height is a small part, below 0.15, of its longest side.
bool sni_triangle_is_needle(sn_vec3 a, sn_vec3 b, sn_vec3 c);

// A ray with what all triangles need of it.
typedef struct sni_ray {
    sn_vec3 origin;
    sn_vec3 direction; // unit
    int kx, ky, kz;    // axes; the direction is longest along kz
    double shear_x, shear_y, scale_z;
} sni_ray;

// False when the direction is zero or a number is not finite.
bool sni_ray_init(sni_ray *ray, sn_vec3 origin, sn_vec3 direction);

// Whether the ray's line meets the triangle (borders included, from both sides), at which distance
// from the origin, and where. A line within the triangle's plane misses it.
bool sni_ray_triangle(const sni_ray *ray, const sni_triangle *triangle, double *distance,
                      double weights[3]);

#endif
