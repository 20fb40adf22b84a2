// SPDX-License-Identifier: Apache-2.0
//
// Weights that are eased: made to stretch the skin less when joints turn, any of them and in any
// direction.
#ifndef SINEW_FIT_BIND_EASE_H
#define SINEW_FIT_BIND_EASE_H

#include "fit/bind/parts.h"

// Changes the weights of rows. They stay between 0 and 1, and their sums stay as they are.
sn_status sni_ease_weights(sni_parts *parts, const sn_progress *progress, sn_error *error);

// ---------------------------------------------------------------------------------------------
// One joint (ease_joint.c)

// The skin about a joint. Arrays belong to the caller.
typedef struct sni_joint_skin {
    sn_context *context;
    uint32_t vertex_count, edge_count, bridge_count, triangle_count;
    const sn_vec3 *arms;       // vertex_count: from the joint
    const double *areas;       // vertex_count: of the surface
    const uint32_t *edges;     // 2 x edge_count, and then 2 x bridge_count
    const uint32_t *triangles; // 3 x triangle_count
    const uint8_t *is_free;    // vertex_count: whether `follow` may change
    const double *least, *most;
    double *follow;     // vertex_count: the weight of all that turns with the joint
    double body_edges;  // length of all edges of the body, m
    double body_volume; // m^3
} sni_joint_skin;

// Changes `follow` so that the skin is stretched less.
sn_status sni_ease_joint(sni_joint_skin *skin, sn_error *error);

#endif
