// SPDX-License-Identifier: Apache-2.0
//
// The muscles of a frame: posed side by side, each on the thread that is free. Those of kinds that
// push each other are posed in groups: all that are reached from one another by what their inputs
// name. Groups are independent of each other.
#ifndef SINEW_EVAL_FRAME_MUSCLES_H
#define SINEW_EVAL_FRAME_MUSCLES_H

#include "eval/model.h"

// Control points of a muscle, both carried by the pose.
typedef struct sni_posed_muscle {
    double *relaxed, *contracted;
} sni_posed_muscle;

typedef struct sni_frame_muscles {
    const sn_model *model;
    sni_posed_muscle *posed; // of the model, their spans in `points`
    double *points;
    bool *again; // of the model: to be posed again, as it failed or has something to say
    uint32_t worker_count;
    sni_arena *worker_arenas; // scratch of threads
    uint32_t group_count;
    uint32_t *group_offsets; // group_count + 1
    uint32_t *grouped;       // muscles, group by group, rising within each
    uint32_t *group_order;   // of groups: large ones first, so that no thread waits for a late one
    uint32_t *groups;        // of the model: the group, or SN_NONE for those that are posed alone
    sn_error *group_errors;  // of groups
    sni_muscle_member *members; // of `grouped`
    uint64_t *troubles; // of the model: frames in which it had trouble; the first one is logged
} sni_frame_muscles;

// Zeroed before. Made or not, to be freed.
sn_status sni_frame_muscles_init(const sn_model *model, sni_frame_muscles *muscles,
                                 sn_error *error);
void sni_frame_muscles_deinit(sni_frame_muscles *muscles);

// Muscles of a group need each other: where one is needed, all are.
void sni_frame_muscles_spread_need(const sni_frame_muscles *muscles, bool *needed);

// What a muscle of a group could not keep when it was posed last; "": nothing.
const char *sni_frame_muscle_trouble(const sni_frame_muscles *muscles, uint32_t muscle);

typedef struct sni_frame_muscles_job {
    const sni_pose *pose;
    float *const *surfaces;     // of muscles: vertices x 3, written
    const bool *surface_needed; // of muscles: surfaces that are not needed stay as they were
    const bool *needed;         // muscles that are not needed stay as they were
    const sn_frame *frame;      // that inputs are taken from
    double time, time_step;     // see sni_muscle_pose_job
    uint8_t *states;            // of all muscles and deformers of the model
    uint8_t *begun;             // of muscles: 1 where there is a state to go on from
    sni_arena *arena;           // scratch
} sni_frame_muscles_job;

sn_status sni_frame_muscles_pose(sni_frame_muscles *muscles, const sni_frame_muscles_job *job,
                                 sn_error *error);

#endif
