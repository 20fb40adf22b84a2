// SPDX-License-Identifier: Apache-2.0
//
// Meshes that are kept between bones and skin, and triangles that are not left turned over.
#ifndef SINEW_FIT_HEAD_PUSH_H
#define SINEW_FIT_HEAD_PUSH_H

#include "fit/head/surface.h"

// Bones as an obstacle.
typedef struct sni_obstacle {
    const sn_accel *accel;
    const sni_winding *winding;
} sni_obstacle;

// How deep a point lies in bones; 0 outside. `out` is the shortest way out of them.
double sni_obstacle_depth(const sni_obstacle *bones, sn_vec3 point, sn_vec3 *out);

typedef struct sni_push_desc {
    const sni_head_surface *skin;
    sni_obstacle bones;
    uint32_t count;
    sn_vec3 *points;       // of the mesh; moved
    const double *allowed; // count: how deep each may lie in bones
    uint32_t triangle_count;
    const uint32_t *vertices;
    double clearance; // below the skin, metres
} sni_push_desc;

typedef struct sni_pushed {
    uint32_t outside, in_bone; // points that are left outside of the skin, or too deep in bones
    uint32_t pushed;
    double largest;
} sni_pushed;

// Moves the points of a mesh inwards where they are too near to the skin, and outwards where they
// are deeper in bones than allowed; neighbours come along. Where there is no room for both, inside
// of the skin counts. Points beyond a border of the skin, as below the neck, are left alone.
sn_status sni_push(sn_context *context, const sni_push_desc *desc, sni_pushed *pushed,
                   sn_error *error);

// Whether a triangle faces away from where it faced at rest.
bool sni_is_flipped(const uint32_t *vertices, const sn_vec3 *rest, const sn_vec3 *points);

// Puts vertices of triangles that are turned over back to where their longest sides let them be:
// triangles that were needles before. `rest` are the points before they were moved, turned as the
// moved ones are. `fixed` (count, may be NULL): vertices that stay. Returns how many triangles are
// still turned over.
uint32_t sni_mend_flips(uint32_t triangle_count, const uint32_t *vertices, const sn_vec3 *rest,
                        const uint8_t *fixed, sn_vec3 *points);

#endif
