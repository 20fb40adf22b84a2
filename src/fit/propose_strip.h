// SPDX-License-Identifier: Apache-2.0
//
// Strips of skin around a bone as muscles: their curves, numbers and drivers.
#ifndef SINEW_FIT_PROPOSE_STRIP_H
#define SINEW_FIT_PROPOSE_STRIP_H

#include "fit/propose.h"

// A line along a bone and over its end onto the next one, with a direction at right angles to it.
typedef struct sni_strip_axis {
    const sni_bone *bone, *next; // next: NULL for none
    sn_vec3 along, next_along;   // unit
    sn_vec3 side;                // unit, at right angles to `along`: the middle of the strip
    sn_vec3 outer;               // likewise, away from the plane of symmetry
    double farthest;             // that skin may be away
} sni_strip_axis;

// Marks the segments of a bone: what hangs on its first one, up to its next bone.
void sni_strip_mark_bone(const sni_proposal *job, uint32_t bone, uint8_t *marks);

// Marks a segment of the trunk and all above it.
void sni_strip_mark_trunk(const sni_proposal *job, uint32_t trunk, uint8_t *marks);

// The part of the rays around the middle of a bone that meets its own skin.
double sni_strip_closure(sni_proposal *job, uint32_t bone);

// A copy that lives as long as the layout.
const char *sni_strip_segment_name(const sni_proposal *job, uint32_t segment);

// Makes the strip of a muscle on marked skin, mirrored or by rays: from range[0] to range[1] of the
// axis, half an `angle` wide. Where it cannot, that is noted as skipped, and `added` false.
sn_status sni_strip_add(sni_proposal *job, uint32_t bone, sni_muscle_role role,
                        const sni_strip_axis *axis, const double range[2], double angle,
                        sn_layout_muscle *muscle, bool *added, sn_error *error);

// Drives a muscle by the distance of its ends, carried by two segments: at `shortest` times the
// distance at rest it is contracted fully.
void sni_strip_drive_by_distance(const sni_proposal *job, uint32_t origin, uint32_t insertion,
                                 double shortest, sn_layout_muscle *muscle);

// Drives a muscle by a joint's angle: contracted fully `range` radians away from rest, against the
// parameter's sense where that is negative.
void sni_strip_drive_by_angle(const sni_proposal *job, const sni_hinge *hinge, double range,
                              sn_layout_muscle *muscle);

#endif
