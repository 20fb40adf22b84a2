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

// What sn_accel_find_closest and sn_accel_cast do.
void sni_accel_find_within(const sn_accel *accel, sn_vec3 point, double radius,
                           sn_closest *closest);
void sni_accel_cast(const sn_accel *accel, sn_vec3 origin, sn_vec3 direction, double nearest,
                    double farthest, sn_hit *hit);

// The distance that sn_accel_find_closest finds, without where; infinity where there is nothing.
// `near` is a place of the tree that may be near, SN_NONE: none is known; it is set to that of the
// closest triangle. For points that follow each other the search is the shorter; the result does
// not depend on it.
double sni_accel_distance(const sn_accel *accel, sn_vec3 point, uint32_t *near);

// The same with where, as sn_accel_find_closest with any radius.
void sni_accel_find_closest(const sn_accel *accel, sn_vec3 point, uint32_t *near,
                            sn_closest *closest);

// Several surfaces that are searched as one.
typedef struct sni_accel_group {
    sn_context *context;
    const sn_accel *const *members;
    sni_tree
        tree; // of the members' boxes, each as a triangle from its lowest corner to its highest
} sni_accel_group;

// A place in a group's trees that may be near; member SN_NONE: none is known.
typedef struct sni_accel_place {
    uint32_t member, slot;
} sni_accel_place;

// Keeps the array of members, which may be in other groups too and must live as long as the group.
sn_status sni_accel_group_create(sn_context *context, const sn_accel *const *members,
                                 uint32_t count, sni_accel_group **group, sn_error *error);
void sni_accel_group_destroy(sni_accel_group *group);

// As sn_accel_find_closest of all members, with any radius: of several triangles at the same
// distance that of the lowest member is found. `near` is used as by sni_accel_distance; where
// something is found its member is the one that has the triangle.
void sni_accel_group_find_closest(const sni_accel_group *group, sn_vec3 point,
                                  sni_accel_place *near, sn_closest *closest);

#endif
