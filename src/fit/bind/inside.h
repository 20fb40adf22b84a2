// SPDX-License-Identifier: Apache-2.0
//
// What of a skeleton lies in a body, and on which side of it.
#ifndef SINEW_FIT_BIND_INSIDE_H
#define SINEW_FIT_BIND_INSIDE_H

#include "fit/bind/volume.h"
#include "motion/limbs.h"

typedef struct sni_inside {
    sn_context *context;
    uint8_t *used;       // segment_count: 1: moves the body
    int8_t *sides;       // segment_count: 1 and -1 for limbs that have a mirror image or are named
                         // after a side, else 0
    int axis;            // across the plane in which limbs mirror each other; -1: there is none
    double middle;       // where the plane is along it
    uint32_t limb_count; // limbs that lie in the body or should
    uint32_t outside_count; // those of them that do not
    uint32_t first_outside; // SN_NONE: none
    double share;           // of the length of all limbs that is in the body
} sni_inside;

// A limb is used where its joint or most of its length lies in the body. Those above the hips (the
// root of a rig, the node of an armature) and those without any length that carry others are not
// limbs of the body and are never used.
sn_status sni_inside_init(const sni_volume *volume, const sni_limbs *limbs,
                          const sn_skeleton *skeleton, sni_inside *inside, sn_error *error);
// On which side of the plane a point lies, by the sign of `sides`; 0 where there is none.
int sni_inside_side(const sni_inside *inside, sn_vec3 point);

void sni_inside_deinit(sni_inside *inside);

#endif
