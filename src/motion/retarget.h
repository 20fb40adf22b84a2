// SPDX-License-Identifier: Apache-2.0
//
// What the parts of retargeting share: who is paired with whom (retarget_pair.c), how rest poses
// are aligned and lengths scaled (retarget_align.c), and the motion itself (retarget.c).
#ifndef SINEW_MOTION_RETARGET_H
#define SINEW_MOTION_RETARGET_H

#include "motion/body.h"
#include "motion/rig.h"

// A skeleton in the pose that counts as its rest. Index: segment.
typedef struct sni_stance {
    const sn_skeleton *skeleton;
    sni_body body;
    sn_quat *rotations; // in the world
    sn_vec3 *positions; // of the joints, in the world
} sni_stance;

// What moves a segment of the target: the turn of source `a` away from its stance, or the turn
// between those of `a` and `b`. SN_NONE as `a` of a blend stands for no turn.
typedef struct sni_link {
    bool linked;
    bool one_to_one; // paired by map or by equal names: other movement is taken over as well
    uint32_t a, b;
    double blend;  // 0: a, 1: b
    sn_quat align; // brings the target's stance to the source's
} sni_link;

typedef struct sni_retarget {
    sn_context *context;
    const sn_clip *clip;
    const sn_retarget_desc *desc;
    sni_stance source, target;
    bool same_skeleton;
    sni_link *links;      // of each target segment
    uint32_t *only_child; // of each target segment: its one child that is linked, or SN_NONE
    uint32_t root_source, root_target; // the pair that carries the body's place
    sn_quat turn;                      // from the source's world to the target's
    double scale;
    sn_vec3 shift;       // target place = scale * source place + shift
    uint32_t anchors[2]; // source segments whose mean joint is the place: thighs, or the root twice
    sn_vec3 anchor_offset; // of the target's stance: from its root to the same place
} sni_retarget;

sn_status sni_stance_init(sn_context *context, const sn_skeleton *skeleton, sni_stance *stance,
                          sn_error *error);
void sni_stance_deinit(sn_context *context, sni_stance *stance);

// Takes the stance from local transforms.
void sni_stance_set(sni_stance *stance, const sn_transform *locals);

// Whether arms stand out to the sides and legs down.
bool sni_stance_is_t_pose(const sni_stance *stance);

sn_status sni_retarget_pair(sni_retarget *r, sn_error *error);

// Turns a stance as a whole; and so that it faces where another one faces, seen from above.
void sni_stance_rotate(sni_stance *stance, sn_quat turn);
void sni_stance_face(sni_stance *stance, const sni_stance *other);

// The turn from the source's world to the target's.
void sni_retarget_turn(sni_retarget *r);
void sni_retarget_align(sni_retarget *r);
void sni_retarget_scale(sni_retarget *r);

#endif
