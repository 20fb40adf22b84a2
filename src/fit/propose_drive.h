// SPDX-License-Identifier: Apache-2.0
//
// What contracts a proposed muscle: the movement that it makes.
#ifndef SINEW_FIT_PROPOSE_DRIVE_H
#define SINEW_FIT_PROPOSE_DRIVE_H

#include "fit/propose_strip.h"

typedef struct sni_pull {
    uint32_t origin, insertion; // segments that carry its ends
    uint32_t joint;             // segment that turns; above or equal to the insertion
    sn_vec3 axis;               // unit, what it turns about; 0: the way in which the muscle pulls
    double angle;               // from rest to fully contracted, radians
    const sni_hinge *hinge;     // whose angle drives it, where that is aligned; NULL: none does
    double hinge_angle;         // of full contraction, in the sense of flexion
} sni_pull;

// Gives a muscle with curves its driver, and tries whether it can be made. `against` is the reason
// why the muscle cannot be, and NULL where it can: it would not shorten when it pulls, or its
// curves do not make a muscle.
sn_status sni_propose_drive(const sni_proposal *job, const sni_pull *pull, sn_layout_muscle *muscle,
                            const char **against, sn_error *error);

#endif
