// SPDX-License-Identifier: Apache-2.0
//
// A frame inside the library: what its files share.
//
//     frame.c             making it, values that are held, results
//     frame_select.c      which surfaces and muscles an evaluation needs
//     frame_deform.c      the stages behind the pose: bones, muscles, skin
//     frame_field.c       fields of skins, to be looked at
//     frame_rigid.c       where forces put rigid bodies, between pose and bones
//     frame_simulation.c  frames of motions, and the state of what has memory
//     frame_reach.c       limbs that reach for something
//     live.c        poses that are given, and steps of time
#ifndef SINEW_EVAL_FRAME_H
#define SINEW_EVAL_FRAME_H

#include "eval/frame_muscles.h"
#include "eval/frame_rigid.h"
#include "eval/model.h"
#include "eval/values.h"
#include "geometry/normals.h"

// What the state of a frame was reached by. The numbers stand in saved states.
typedef enum sni_run {
    SNI_RUN_NONE = 0,   // nothing that could be gone on from
    SNI_RUN_MOTION = 1, // frames of a motion
    SNI_RUN_LIVE = 2,   // steps of time
} sni_run;

// Time counted in equal steps, so that no sum of roundings drifts: start + count / rate.
typedef struct sni_clock {
    double start, rate; // seconds, steps per second
    uint64_t count;
} sni_clock;

static inline double sni_clock_time(const sni_clock *clock) {
    return clock->start + (double)clock->count / clock->rate;
}

// What evaluations are asked for.
typedef enum sni_selection {
    SNI_SELECT_ALL,
    SNI_SELECT_SHOWN, // surfaces that are shown
    SNI_SELECT_GIVEN, // those in `selected`
} sni_selection;

typedef struct sni_checkpoint {
    uint32_t number;
    uint8_t *state;
} sni_checkpoint;

// A pose from outside, as sn_frame_step takes it up.
typedef struct sni_live_pose {
    sn_transform *locals; // segment_count
    double *parameters;   // segment_count x SN_JOINT_PARAMETER_COUNT
    double *controls;     // control_count
    bool complete;        // see sni_given_pose
    bool rooted;          // `root` moves it
    sn_mat4 root;
    const sn_motion *motion; // the pose is that of a frame of it instead; NULL: none
    double motion_time;
} sni_live_pose;

struct sn_frame {
    const sn_model *model;
    sn_context *context;
    sni_arena arena; // scratch of an evaluation
    sni_pose pose;
    float **points; // surface_count, each #V x 3
    sni_frame_muscles muscles;
    sni_frame_bodies bodies;
    uint32_t override_count, override_capacity;
    sni_override *overrides;
    sni_selection selection;
    bool *selected;      // surface_count
    bool *needed;        // surface_count: what is selected, and what that needs
    bool *muscle_needed; // of the model: it is to be posed, whether its surface is needed or not
    double time;
    double stage_ms[SN_STAGE_COUNT];
    uint64_t evaluation;            // counts them
    sni_values *values;             // what sn_frame_values keeps
    sni_vertex_faces *vertex_faces; // surface_count: what normals are summed over, made as asked
    void **kept;                    // one for each deformer: see sni_deform_job
    uint32_t *first_kept;           // of the blueprint's surfaces
    sni_live_pose live;
    // Simulation: `state` is that at the time of `clock`.
    sni_run run;
    sni_clock clock;
    uint64_t state_motion; // that the run and the checkpoints are of
    uint64_t fingerprint;  // of all that must be alike for a state to fit
    size_t state_bytes;    // of `state`
    uint8_t *state;        // `begun`, then the states of deformers
    uint8_t *begun;        // of surfaces, then of groups of bodies: 1 where there is a state to
                           // go on from
    uint8_t *states;       // of muscles and deformers
    uint32_t checkpoint_count;
    sni_checkpoint *checkpoints; // by rising number
};

// --- frame_select.c

// Finds out what the selection needs.
void sni_frame_mark_needed(sn_frame *frame);

// --- frame_deform.c

double sni_now_ms(void);

// Runs the stages behind the pose and adds to the stage times; `time_step` as in sni_deform_job.
sn_status sni_frame_run_stages(sn_frame *frame, double time_step, sn_error *error);

// What a deformer of a surface is given in the pose of the frame, besides points and state; blocks
// are taken from the arena.
sn_status sni_frame_begin_job(const sn_frame *frame, uint32_t surface, uint32_t number,
                              sni_arena *arena, sni_deform_job *job, sn_error *error);

// --- frame_simulation.c

sn_status sni_frame_state_init(sn_frame *frame, sn_error *error);
void sni_frame_state_deinit(sn_frame *frame);

// Forgets all states: what has memory begins anew.
void sni_frame_forget_states(sn_frame *frame);

// The pose behind its first part: moves rigid bodies, and what follows from them. `given` is NULL
// for the pose of a motion. Adds to the stage times.
sn_status sni_frame_end_pose(sn_frame *frame, const sni_given_pose *given, double time_step,
                             sn_error *error);

// Forgets what was reached of a motion, as its run would now be another one. Live steps go on.
void sni_frame_forget_motion(sn_frame *frame);

// Fails where the pose has put a segment beyond the range of float.
sn_status sni_frame_check_worlds(const sn_frame *frame, sn_error *error);

// --- live.c

sn_status sni_live_pose_init(sn_frame *frame, sn_error *error);
void sni_live_pose_deinit(sn_frame *frame);

#endif
