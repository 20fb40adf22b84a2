// SPDX-License-Identifier: Apache-2.0
//
// The rigid bodies of a frame: where forces put them, behind the pose and before the bones.
#ifndef SINEW_EVAL_FRAME_RIGID_H
#define SINEW_EVAL_FRAME_RIGID_H

#include "eval/model.h"

// What happened to a group in the last evaluation.
typedef struct sni_group_frame {
    sni_rigid_state *states; // body_count
    sn_body_joint *joints;
    sn_body_contact *contacts;
    sn_body_muscle *muscles;
    double *ligaments;
    sni_rigid_watch *watch;
    uint64_t troubles; // frames in which a body found no rest; the first one is logged
} sni_group_frame;

typedef struct sni_frame_bodies {
    const sn_model *model;
    sni_group_frame *groups;
    sni_arena lines; // of muscles, while a group is solved
} sni_frame_bodies;

// Zeroed before. Made or not, to be freed.
sn_status sni_frame_bodies_init(const sn_model *model, sni_frame_bodies *bodies, sn_error *error);
void sni_frame_bodies_deinit(sni_frame_bodies *bodies);

typedef struct sni_frame_bodies_job {
    sn_frame *frame;
    sni_pose *pose;      // first part: sni_rig_pose_first
    const sn_mat4 *root; // that moves all segments in the world; NULL: none
    double time_step;    // seconds since the frame before
    uint8_t *states;     // of the model
    uint8_t *begun;      // of groups: 1 where there is a state to go on from
    sni_arena *arena;    // scratch
} sni_frame_bodies_job;

// Moves all bodies, and puts their segments into the pose.
sn_status sni_frame_bodies_move(sni_frame_bodies *bodies, const sni_frame_bodies_job *job,
                                sn_error *error);

#endif
