// SPDX-License-Identifier: Apache-2.0
//
// The field of a whole body in a pose, for those who want to look at it: parts with muscles have
// the field of their limb with them, all others that of their skin; joints blend and folds touch as
// in field/tree.h. Of limbs that hinges do not connect the larger field counts.
#ifndef SINEW_SKIN_IMPLICIT_SAMPLE_H
#define SINEW_SKIN_IMPLICIT_SAMPLE_H

#include "skin/implicit/body.h"

typedef struct sni_body_sampling {
    sn_context *context;
    sni_arena *arena; // scratch, given back
    const sni_skin_parts *parts;
    const sni_implicit_body *body;       // of all parts, without muscles
    const sni_implicit_body *limbs;      // of the parts with muscles; NULL: there are no muscles
    const sni_implicit_muscles *muscles; // of these
    const sni_muscle_points *posed;      // of these
    const sni_part_pose *motions;        // of parts, from rest
    uint32_t count;
    const float *points; // count x 3, in the world
    float *values;       // count: 0 beyond all, a half on the surface, 1 deep inside
} sni_body_sampling;

// False when memory runs out. The same bits for any number of threads.
bool sni_body_sample(const sni_body_sampling *sampling);

#endif
