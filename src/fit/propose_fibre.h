// SPDX-License-Identifier: Apache-2.0
//
// Laying one muscle as fibres between segments: its points in the body, how large it may be under
// the skin, and whether it shortens in its movement (docs/propose.md).
#ifndef SINEW_FIT_PROPOSE_FIBRE_H
#define SINEW_FIT_PROPOSE_FIBRE_H

#include "fit/propose.h"

enum { SNI_FIBRE_SPOTS = 6 };

// A place in the body: on a ray from a line to the skin.
typedef struct sni_fibre_spot {
    sn_vec3 line;     // where the ray begins
    sn_vec3 out;      // unit: where it goes
    double reach;     // of the skin from the line; 0: the ray met none
    double depth;     // 0 on the line, 1 on the skin
    uint32_t segment; // that carries it
} sni_fibre_spot;

// The movement that a muscle makes.
typedef struct sni_fibre_move {
    uint32_t joint; // segment that turns
    sn_vec3 axis;   // unit, what it turns about; 0: the way in which the muscle pulls
    double angle;   // from rest to fully contracted, radians; 0: it cannot, and the muscle must get
                    // longer in the other direction
} sni_fibre_move;

typedef struct sni_fibre_idea {
    const char *name;
    uint32_t count; // 2 or more: origin, what its axis passes, insertion
    sni_fibre_spot spots[SNI_FIBRE_SPOTS];
    uint32_t fibres;           // more than 1: a bundle, from the first spot to `seconds[0]` wide at
    sni_fibre_spot seconds[2]; // its origin, and from the last one to `seconds[1]` at its insertion
    double wide, thick; // half the width and thickness of a belly, as parts of the mean reach
    uint32_t rest[2], active[2]; // exponents
    double stiffness;
    sni_fibre_move move;
} sni_fibre_idea;

// A muscle that has its place, in the space that the skins share.
typedef struct sni_fibre_lay {
    uint32_t number; // in the layout; SN_NONE: none was made
    uint32_t count;
    sn_vec3 points[SNI_FIBRE_SPOTS], seconds[2];
    double reach; // mean, of the skin from the lines
    double scale; // of width and thickness: below 1 where the skin leaves no more room
    double depths[SNI_FIBRE_SPOTS + 2]; // factors on depths, likewise; the seconds' come last
    double flexed; // part of its length at rest that it has at the end of its movement
} sni_fibre_lay;

// Sends the rays of an idea, to marked skin. What meets none gets the mean of the others; false
// where half or more meet none.
bool sni_fibre_cast(const sni_proposal *job, sni_fibre_idea *idea);

// Adds the same muscle of both sides to the layout, one of which may be NULL. Where their lines
// mirror each other one is the mirror image of the other. What cannot be made is listed with its
// reason.
sn_status sni_fibre_lay_pair(sni_proposal *job, const sni_fibre_idea *left,
                             const sni_fibre_idea *right, sn_error *error);

#endif
