// SPDX-License-Identifier: Apache-2.0
//
// Where the head, the left side and the front of a body are, told by its parts (motion/body.h) and
// by the shape of its rest pose. The directions are anatomy's, so that they hold for bodies that
// stand on two legs and on four:
//
//     cranial   along the trunk, from the pelvis to the chest
//     ventral   to the belly: forward on two legs, down on four
//     left      left x cranial = ventral
#ifndef SINEW_FIT_PROPOSE_ANATOMY_H
#define SINEW_FIT_PROPOSE_ANATOMY_H

#include "fit/propose_skins.h"
#include "motion/body.h"

typedef struct sni_anatomy {
    sn_context *context;
    sni_body_role *regions; // of each segment: its own role, or that of the next above it with one;
                            // SNI_BODY_PART_COUNT: a limb of no known part, such as a tail
    bool known;             // what follows is known
    sn_vec3 cranial, left, ventral; // unit, at right angles to each other
    sn_vec3 middle;                 // a point of the plane between left and right
    sn_vec3 pelvis, chest;          // the ends of the trunk: between the hips and the shoulders
} sni_anatomy;

sn_status sni_anatomy_init(sn_context *context, const sn_skeleton *skeleton, const sni_body *body,
                           const sni_limbs *limbs, const sni_propose_skins *skins,
                           sni_anatomy *anatomy, sn_error *error);
void sni_anatomy_deinit(sni_anatomy *anatomy);

// Away from the plane between left and right, on the side where a point lies.
sn_vec3 sni_anatomy_outwards(const sni_anatomy *anatomy, sn_vec3 point);

#endif
