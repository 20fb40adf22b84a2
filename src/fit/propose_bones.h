// SPDX-License-Identifier: Apache-2.0
//
// The bones of a body as muscles see them: segments that only divide a straight bone are joined,
// the trunk is told from the limbs that hang on it, and limbs that mirror each other are paired.
#ifndef SINEW_FIT_PROPOSE_BONES_H
#define SINEW_FIT_PROPOSE_BONES_H

#include "motion/body.h"
#include "motion/limbs.h"

typedef struct sni_bone {
    uint32_t first, last;  // segments, from the root outwards; each is the main child of the
                           // one before it
    sn_vec3 from, to;      // its joint, and that of the next bone
    double length;         // of the straight line between them
    double reach;          // of the longest way from its joint to the end of the limb
    uint32_t parent, next; // bones of the same limb; SN_NONE at its ends
    uint32_t trunk;        // segment that the limb hangs on, SN_NONE for none
    uint32_t mirror;       // the bone that mirrors it, SN_NONE for none
    sni_body_role role;    // of its first segment
} sni_bone;

typedef struct sni_bones {
    sni_limbs limbs;
    uint32_t count; // by the limb, from the trunk outwards
    sni_bone *bones;
    uint8_t *is_trunk; // of each segment
    bool has_plane;    // of symmetry: bones have mirrors
    sn_vec3 origin, normal;
} sni_bones;

// Finds the limbs of a skeleton, whose parts are known as far as `body` tells.
sn_status sni_bones_init(sn_context *context, const sni_limbs_desc *desc, const sni_body *body,
                         sni_bones *bones, sn_error *error);
void sni_bones_deinit(sni_bones *bones);

// Pairs the bones that mirror each other, to a part of the `size` of the body: in the plane through
// `origin` at right angles to `normal`, or, where that is 0, in the best one across an axis.
void sni_bones_pair(sni_bones *bones, sn_vec3 origin, sn_vec3 normal, double size);

sn_vec3 sni_bones_mirror(const sni_bones *bones, sn_vec3 point);

#endif
