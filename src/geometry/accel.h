// SPDX-License-Identifier: Apache-2.0
//
// What the library asks of search trees beside sinew/geometry.h.
#ifndef SINEW_GEOMETRY_ACCEL_H
#define SINEW_GEOMETRY_ACCEL_H

#include "geometry/tree.h"
#include "sinew/geometry.h"

struct sn_accel {
    sn_context *context;
    uint32_t vertex_count;
    uint32_t triangle_count;
    float *positions;   // vertex_count x 3
    uint32_t *vertices; // triangle_count x 3
    double largest;     // coordinate, without sign
    sni_tree tree;
};

// What the public calls of these names do.
void sni_accel_find_closest(const sn_accel *accel, sn_vec3 point, double radius,
                            sn_closest *closest);
void sni_accel_cast(const sn_accel *accel, sn_vec3 origin, sn_vec3 direction, double nearest,
                    double farthest, sn_hit *hit);

// The distance that sn_accel_find_closest finds, without where; infinity where there is nothing.
// `near` is a place of the tree that may be near, SN_NONE: none is known; it is set to that of the
// closest triangle. For points that follow each other the search is the shorter; the result does
// not depend on it.
double sni_accel_distance(const sn_accel *accel, sn_vec3 point, uint32_t *near);

#endif
