// SPDX-License-Identifier: Apache-2.0
//
// One triangle against one point or one ray, in double precision.
//
// Both work on the triangle's vertices in the order of their coordinates. What is computed on an
// edge or at a vertex then has the same bits for all triangles that meet there, whatever their
// orientation and whether or not they share indices: equal distances compare equal.
#ifndef SINEW_GEOMETRY_TRIANGLE_H
#define SINEW_GEOMETRY_TRIANGLE_H

#include "sinew/vector.h"

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
