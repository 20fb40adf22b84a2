// SPDX-License-Identifier: Apache-2.0
//
// A skeleton in the making: which bone is on which segment, which segment hangs on which.
#ifndef SINEW_FIT_BODY_DRAFT_H
#define SINEW_FIT_BODY_DRAFT_H

#include "fit/body/joint.h"
#include "fit/body/words.h"
#include "sinew/fit.h"

// Parts of a body that become segments.
typedef enum sni_slot {
    SNI_SLOT_HIPS,
    SNI_SLOT_SPINE, // a lumbar vertebra each
    SNI_SLOT_CHEST,
    SNI_SLOT_NECK, // a cervical vertebra each
    SNI_SLOT_HEAD,
    SNI_SLOT_JAW,
    SNI_SLOT_HYOID,
    SNI_SLOT_CLAVICLE,
    SNI_SLOT_SCAPULA,
    SNI_SLOT_SOCKET, // turns back what clavicle and scapula turn, so that the arm does not
    SNI_SLOT_UPPER_ARM,
    SNI_SLOT_FOREARM,
    SNI_SLOT_RADIUS,
    SNI_SLOT_WRIST, // turns back what the radius turns
    SNI_SLOT_HAND,
    SNI_SLOT_FINGER,
    SNI_SLOT_THIGH,
    SNI_SLOT_PATELLA,
    SNI_SLOT_SHIN,
    SNI_SLOT_FOOT,
    SNI_SLOT_TOE,
    SNI_SLOT_TAIL,
    SNI_SLOT_OTHER, // a bone that no name told
    SNI_SLOT_COUNT,
} sni_slot;

typedef struct sni_draft_segment {
    sni_slot slot;
    sni_bone_side side;
    int number;      // of a vertebra: from the hips outwards; of a finger or toe: the digit
    int level;       // of a phalanx, 1 next to the hand
    uint32_t parent; // SN_NONE: none yet
    uint32_t bone;   // the first that is on it; SN_NONE: none
    sn_vec3 joint;
    sn_quat rotation;
    sn_rotation_order order;
    sni_joint found; // what the joint was found by
    bool measured;   // `found` is filled
} sni_draft_segment;

typedef struct sni_draft {
    sn_context *context;
    uint32_t bone_count;
    const sn_bone_part *parts;
    sni_shape *shapes;
    sni_bone_name *names;
    sni_bone_side *sides;
    uint32_t *bone_segments; // SN_NONE while it is on none
    bool *guessed;
    double median; // x of the plane that parts left and right
    double size;   // diagonal of the whole
    uint32_t segment_count;
    sni_draft_segment *segments;
} sni_draft;

// Tells digit and level of phalanges whose names do not, by the bones that they come nearest to.
sn_status sni_draft_digits(sni_draft *draft, sn_error *error);

// Puts all bones with telling names on segments.
sn_status sni_draft_named(sni_draft *draft, sn_error *error);

// Puts the others on those that they come nearest to, or makes segments of them.
sn_status sni_draft_others(sni_draft *draft, sn_error *error);

// Hangs segments on each other, so that one root is left.
sn_status sni_draft_parents(sni_draft *draft, sn_error *error);

// Finds the joint of every segment.
sn_status sni_draft_joints(sni_draft *draft, const sn_progress *progress, sn_error *error);

// Adds what lets shoulders, forearms and knees move as one. The couplings themselves are made from
// the plan's own names: sni_couple.
sn_status sni_draft_helpers(sni_draft *draft, sn_error *error);
sn_status sni_couple(const sni_draft *draft, const uint32_t *numbers, sn_body_plan *plan,
                     sn_error *error);

// Swing (about y) and tilt (about x of the shoulder blade's frame), radians, with which a shoulder
// blade keeps to the ribs as it turns about z by `rises`, of which the collarbone takes a share. By
// rising amounts. False where the collarbone's parent has no bones near.
bool sni_draft_glide(const sni_draft *draft, uint32_t collar, uint32_t blade, double share,
                     uint32_t count, const double *rises, double (*turns)[2]);

// The segment of that kind, SN_NONE where there is none. `number` and `level` 0: any, the first.
uint32_t sni_draft_find(const sni_draft *draft, sni_slot slot, sni_bone_side side, int number,
                        int level);
sn_status sni_draft_add(sni_draft *draft, sni_slot slot, sni_bone_side side, int number, int level,
                        uint32_t *segment, sn_error *error);

#endif
