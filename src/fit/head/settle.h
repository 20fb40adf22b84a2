// SPDX-License-Identifier: Apache-2.0
//
// Bones that are brought to the right depth below a skin everywhere, not at landmarks alone.
//
// The depth that is expected at a point p of the bones, distance from the skin as all depths here,
// is
//
//     e(p) = s(p) + h(p),   s through c - h of all landmarks
//
// where c is the depth and h the hollow (hollow.h) of a landmark, and s a bending spline: in a
// hollow the skin lies farther away by as much as the hollow is deep. Points are *covered* where
// this can be compared with the skin: on the outer side of the bones, between landmarks, and not in
// hollows nor at their rims. Covered points are to be at 1 - tolerance to 1 + tolerance times e,
// all others inside of the skin by a clearance. Points that are not get centers of a local spline,
// the worst first, until none is left; landmarks are centers that stay. What a wide spline cannot
// do, since centers beside each other want opposite things, a narrow one does after it.
#ifndef SINEW_FIT_HEAD_SETTLE_H
#define SINEW_FIT_HEAD_SETTLE_H

#include "fit/head/pegs.h"
#include "fit/head/spline.h"
#include "fit/head/surface.h"

// A stretch of the bones between two landmarks where depths are not compared: teeth.
typedef struct sni_bone_gap {
    uint32_t landmarks[2];
} sni_bone_gap;

typedef struct sni_settle_desc {
    const sni_head_surface *skin;
    sn_vec3 down; // unit, of the head
    uint32_t count;
    sn_vec3 *points; // of all bones; moved
    const double *hollows;
    uint32_t triangle_count;
    const uint32_t *vertices; // of the bones, outward
    uint32_t landmark_count;
    const sn_vec3 *landmarks;       // where they are on the bones
    const double *landmark_hollows; // landmark_count
    const uint32_t *landmark_bones; // landmark_count: a number for each bone
    uint32_t gap_count;
    const sni_bone_gap *gaps;
    double tolerance;  // 0.25
    double clearance;  // metres
    bool measure_only; // nothing is moved
} sni_settle_desc;

enum { SNI_SETTLE_LEVELS = 2 };

typedef struct sni_settled {
    sni_spline *splines[SNI_SETTLE_LEVELS]; // what moves the points, one after the other, and all
                                            // else that belongs to the bones
    double *expected;                       // count: depths, metres; 0 where a point is not covered
    double *depths;                         // count: as they are in the end
    uint32_t covered_count;
    uint32_t center_count, round_count;
    // Before and after.
    uint32_t outside[2]; // points outside of the skin
    uint32_t wrong[2];   // covered points beyond the tolerance
    double worst[2];     // largest distance outside
} sni_settled;

sn_status sni_settle(sn_context *context, const sni_settle_desc *desc, const sn_progress *progress,
                     sni_settled *settled, sn_error *error);
// Moves other points as the bones were moved.
void sni_settled_move(const sni_settled *settled, sn_vec3 *points, uint32_t count);

void sni_settled_deinit(sn_context *context, sni_settled *settled);

#endif
