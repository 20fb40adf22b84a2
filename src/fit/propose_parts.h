// SPDX-License-Identifier: Apache-2.0
//
// The parts of a known body that muscles lie on and move: bones of arms and legs with the joints at
// their ends, and the joints of the trunk and the neck.
#ifndef SINEW_FIT_PROPOSE_PARTS_H
#define SINEW_FIT_PROPOSE_PARTS_H

#include "fit/propose.h"

// A bone of an arm or a leg, its joint and the directions around it.
typedef struct sni_part_bone {
    bool found, has_next;
    sni_bone bone, next;
    sn_vec3 along, outer; // unit, at right angles
    sni_hinge hinge;
} sni_part_bone;

// A joint of the spine, and what lies on either side of it.
typedef struct sni_part_spine {
    uint32_t joint;      // SN_NONE: there is none
    bool carries_pelvis; // it carries the hips, else the chest
} sni_part_spine;

typedef struct sni_parts {
    sni_part_bone bones[SNI_BODY_PART_COUNT][SNI_SIDE_COUNT];
    uint32_t hips, chest, neck, head; // segments; SN_NONE
    sni_part_spine spine;
} sni_parts;

// Finds the parts. A neck and a head that names do not tell are found by their place, and the
// job's regions are made to agree.
void sni_parts_init(sni_proposal *job, sni_parts *parts);

#endif
