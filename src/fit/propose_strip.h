// SPDX-License-Identifier: Apache-2.0
//
// Strips of skin beside a line through the body as muscles: their curves and numbers. All is in the
// space that the skins share.
#ifndef SINEW_FIT_PROPOSE_STRIP_H
#define SINEW_FIT_PROPOSE_STRIP_H

#include "fit/propose.h"

enum { SNI_STRIP_POINTS = 12 }; // of a curve at most

// A line through the body, and the directions from it in which the strip lies.
typedef struct sni_strip {
    sn_vec3 from, to;  // its ends
    sn_vec3 beyond;    // where it goes on to from its end
    sn_vec3 sides[2];  // unit: the middle of the strip, at its origin and at its insertion
    sn_vec3 outer;     // unit: where it is turned to if it lies within the trunk
    double range[2];   // its origin and its insertion, in lengths of the line, beyond 1 in those of
                       // what follows
    double half_angle; // of its sector
    double farthest;   // that skin may be away
} sni_strip;

// What a muscle does at full contraction, and its size.
typedef struct sni_strip_action {
    double bulge;    // growth of its thickness
    double strength; // part of its length that it loses
    double reach;    // how far the skin beside it follows, in distances of the skin from the line
    double part;     // half its thickness, as a part of that distance
} sni_strip_action;

// The part of the rays around the middle of a bone that meets marked skin.
double sni_strip_closure(const sni_proposal *job, const sni_bone *bone);

// Makes the curves of a muscle on marked skin by rays. `found` is false where too few meet any.
sn_status sni_strip_cast(const sni_proposal *job, const sni_strip *strip,
                         const sni_strip_action *action, sn_layout_muscle *muscle, bool *found,
                         sn_error *error);

// Makes them as the mirror image of another muscle's. `found` is false where the skin is not
// symmetric there.
sn_status sni_strip_mirror(const sni_proposal *job, const sn_layout_muscle *other,
                           sn_layout_muscle *muscle, bool *found, sn_error *error);

// The skin that a muscle lies on.
const sni_propose_skin *sni_strip_skin(const sni_proposal *job, const sn_layout_muscle *muscle);

#endif
