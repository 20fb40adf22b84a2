// SPDX-License-Identifier: Apache-2.0
//
// The profile of a face: the outline that its middle plane cuts from the front of the head. Two
// profiles are compared by how steep they are from place to place, which tells the root of the
// nose, its tip, its base, the lips and the chin apart whatever their sizes are.
#ifndef SINEW_FIT_HEAD_PROFILE_H
#define SINEW_FIT_HEAD_PROFILE_H

#include "fit/head/similarity.h"
#include "fit/head/surface.h"

enum { SNI_PROFILE_SAMPLES = 321, SNI_PROFILE_PLACES = 24 };

typedef struct sni_profile {
    bool hit[SNI_PROFILE_SAMPLES];
    sn_vec3 points[SNI_PROFILE_SAMPLES]; // on the skin, from above to below
    double angle[SNI_PROFILE_SAMPLES];   // of the outline there, radians: 0 upright, more where it
                                         // comes forward on the way down
} sni_profile;

// Two places of two profiles that are the same on both faces.
typedef struct sni_profile_pair {
    sn_vec3 known, other;
    double difference; // mean difference of the angles around them, radians
} sni_profile_pair;

// The outline of a head that `pose` takes an upright head in metres, facing +z with its middle at
// x = middle.x, to. `middle` is about where the tip of the nose is in these coordinates. False
// where there is none: nothing stands before the head's middle there.
bool sni_profile_trace(const sni_head_surface *surface, const sni_similarity *pose, sn_vec3 middle,
                       sni_profile *profile);

// Finds the places where the known profile bends most, and the places of the other one that they
// belong to. Returns their number, at most SNI_PROFILE_PLACES.
uint32_t sni_profile_match(const sni_profile *known, const sni_profile *other,
                           sni_profile_pair *pairs);

#endif
