// SPDX-License-Identifier: Apache-2.0
//
// The inside of the skin, as bones carry it: the union of parts of the body, each a field of its
// skin at rest (field/tree.h) that moves rigidly.
#ifndef SINEW_MUSCLE_FIBRE_INSIDE_H
#define SINEW_MUSCLE_FIBRE_INSIDE_H

#include "field/tree.h"
#include "muscle/fibre/contact.h"

// Where a part is at both ends of a step.
typedef struct sni_fibre_part {
    const sni_field_part *field;
    sni_part_pose before, now; // motions from rest
} sni_fibre_part;

typedef struct sni_fibre_inside {
    uint32_t part_count; // 1 or more
    const sni_fibre_part *parts;
} sni_fibre_inside;

// As contact takes it. `inside` must outlive it.
sni_fibre_skin sni_fibre_inside_skin(const sni_fibre_inside *inside);

// The motion from rest of a part whose segment was at `rest` and is at `now`; scale does not count.
sni_part_pose sni_fibre_part_motion(const sn_transform *rest, const sn_transform *now);

#endif
