// SPDX-License-Identifier: Apache-2.0
//
// What contracts a proposed muscle: the movement that it makes, and whether it shortens then.
#ifndef SINEW_FIT_PROPOSE_DRIVE_H
#define SINEW_FIT_PROPOSE_DRIVE_H

#include "fit/propose_strip.h"

typedef struct sni_pull {
    uint32_t origin, insertion; // segments that carry its ends
    uint32_t joint;             // segment that turns, and carries one end
    bool moves_origin;          // that one is the origin
    sn_vec3 axis;               // unit, what it turns about; 0: the way in which the muscle pulls
    double angle;               // from rest to fully contracted, radians
    sn_vec3
        side; // unit: on this side of the joint its tendon passes; 0: it has its end on the skin
    double tendon;          // how far its tendon goes on, as a part of the way
    sn_vec3 beyond;         // to this point
    const sni_hinge *hinge; // whose angle drives it, where that is aligned; NULL: none does
    double hinge_angle;     // of full contraction, in the sense of flexion
} sni_pull;

// How a muscle shortens in its movement. More is better.
typedef enum sni_shortening {
    SNI_SHORTENS_NOT,
    SNI_SHORTENS_ENDS,  // its ends, where bones carry them, come nearer to each other
    SNI_SHORTENS_CURVES // and its curves get shorter, as linear blending of the skin carries them
} sni_shortening;

// Tries the movement on a muscle with curves.
sni_shortening sni_propose_try(const sni_proposal *job, const sni_pull *pull,
                               const sn_layout_muscle *muscle);

// Gives a muscle its driver: the angle of its hinge where its curves follow that or limits make it
// one, else the distance of its ends.
void sni_propose_drive(const sni_proposal *job, const sni_pull *pull, sni_shortening shortening,
                       sn_layout_muscle *muscle);

// Tries whether a muscle can be made from its curves. `against` is the reason why it cannot, and
// NULL where it can.
sn_status sni_propose_make(const sni_proposal *job, const sn_layout_muscle *muscle,
                           const char **against, sn_error *error);

#endif
