// SPDX-License-Identifier: Apache-2.0
//
// The parts of the proposal of muscles (docs/propose.md): what is known while it is made, and how a
// joint bends.
#ifndef SINEW_FIT_PROPOSE_H
#define SINEW_FIT_PROPOSE_H

#include "fit/muscle_layout.h"
#include "fit/propose_bones.h"
#include "fit/skin_probe.h"

// The muscles that a bone may get.
typedef enum sni_muscle_role {
    SNI_MUSCLE_FLEXOR,
    SNI_MUSCLE_EXTENSOR,
    SNI_MUSCLE_FRONT, // where nothing tells which way the joint bends
    SNI_MUSCLE_BACK,
    SNI_MUSCLE_GIRDLE, // over the joint on the trunk
    SNI_MUSCLE_CHEST,  // from the mid-line of the trunk to the bone, before
    SNI_MUSCLE_DORSAL, // and behind
    SNI_MUSCLE_ROLE_COUNT,
} sni_muscle_role;

typedef struct sni_proposal {
    sn_muscle_layout *layout;
    const sn_skeleton *skeleton;
    sni_skin_probe probe;
    sni_bones bones;
    double smallest, thickness;
    uint32_t *bone_segments;  // of each bone of the weights
    uint8_t *marks;           // of each segment: its skin counts
    uint32_t skipped;         // the bone skipped last,
    const char *skipped_from; // and the first segment of its entry
    sn_vec3 bends;            // where the last joint of the limb bends to; 0: not known
    uint32_t (*made)[SNI_MUSCLE_ROLE_COUNT]; // of each bone: numbers of its muscles, SN_NONE
} sni_proposal;

// How the joint at the end of a bone bends.
typedef struct sni_hinge {
    bool known;       // limits or the rest pose tell
    sn_vec3 flexor;   // unit, at right angles to the bone: where the next bone bends to
    uint32_t segment; // that turns
    bool aligned;     // one rotation of that segment is the bending
    sn_joint_parameter parameter;
    double sense;     // 1, or -1 where the parameter falls when the joint bends
    double flexion;   // from rest to fully bent, radians
    double extension; // from rest to straight, radians; 0: it cannot
} sni_hinge;

void sni_hinge_find(const sni_proposal *job, uint32_t bone, sni_hinge *hinge);

#endif
