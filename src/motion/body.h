// SPDX-License-Identifier: Apache-2.0
//
// Which segment of a skeleton is which part of a body, told by the roles that a file gives (VRM),
// else by well-known names (docs/motion.md lists them), and for limbs that names leave open by the
// shape of the skeleton in its rest pose.
#ifndef SINEW_MOTION_BODY_H
#define SINEW_MOTION_BODY_H

#include "base/memory.h"
#include "sinew/motion.h"

typedef enum sni_body_part {
    SNI_BODY_NONE,
    SNI_BODY_HIPS,
    SNI_BODY_SPINE,
    SNI_BODY_NECK,
    SNI_BODY_HEAD,
    SNI_BODY_CLAVICLE,
    SNI_BODY_UPPER_ARM,
    SNI_BODY_FOREARM,
    SNI_BODY_HAND,
    SNI_BODY_THIGH,
    SNI_BODY_SHIN,
    SNI_BODY_FOOT,
    SNI_BODY_TOES,
    SNI_BODY_THUMB,
    SNI_BODY_INDEX,
    SNI_BODY_MIDDLE,
    SNI_BODY_RING,
    SNI_BODY_LITTLE,
    SNI_BODY_PART_COUNT,
} sni_body_part;

typedef enum sni_body_side {
    SNI_SIDE_NONE,
    SNI_SIDE_LEFT,
    SNI_SIDE_RIGHT,
    SNI_SIDE_COUNT
} sni_body_side;

typedef struct sni_body_role {
    sni_body_part part;
    sni_body_side side;
} sni_body_role;

// The roles of a skeleton's segments. A part may be several segments: upperarm01, upperarm02.
typedef struct sni_body {
    sni_body_role *roles; // segment_count
    uint8_t *by_shape;    // segment_count: the shape told the role, no name
    uint8_t *helps_twist; // segment_count: named as a piece of a limb that shares its twist, but
                          // the limb goes on beside it
    uint32_t bodies;      // how many the skeleton has; the others have no roles
    uint32_t pelvis;      // of two bodies and more: what carries the thighs of this one
    uint32_t *members;    // segments by part and side, within these from the root outwards
    uint32_t first[SNI_BODY_PART_COUNT][SNI_SIDE_COUNT]; // in `members`
    uint32_t count[SNI_BODY_PART_COUNT][SNI_SIDE_COUNT];
} sni_body;

sn_status sni_body_init(sn_context *context, const sn_skeleton *skeleton, sni_body *body,
                        sn_error *error);
void sni_body_deinit(sn_context *context, sni_body *body);

// Gives a segment a role that neither name nor shape tells, and sorts it in.
void sni_body_give(sni_body *body, const sn_skeleton *skeleton, uint32_t segment,
                   sni_body_role role);

// A role in words: "left upper arm"; "" where it is no part of a body.
#define SNI_ROLE_BYTES 32
const char *sni_body_role_text(sni_body_role role, char text[SNI_ROLE_BYTES]);

// What the shape alone says: `roles` has segment_count, all of them without a part where the
// skeleton is not that of a body with two arms and two legs (body_shape.c).
sn_status sni_body_shape(sn_context *context, const sn_skeleton *skeleton, sni_body_role *roles,
                         sn_error *error);

// Takes the roles of all bodies but one away (body_several.c). `depths` of the segments, 0 at
// roots. Returns how many bodies there are, and what carries the thighs of the one that is left.
uint32_t sni_body_keep_one(const sn_skeleton *skeleton, const uint32_t *depths,
                           sni_body_role *roles, uint32_t *pelvis);

// The member nearest to the root, or farthest from it; SN_NONE when the body has no such part.
uint32_t sni_body_first(const sni_body *body, sni_body_part part, sni_body_side side);
uint32_t sni_body_last(const sni_body *body, sni_body_part part, sni_body_side side);

#endif
