// SPDX-License-Identifier: Apache-2.0
//
// Live frames: no clip is played. A game loop, an animation program or motion capture gives the
// pose of the body and the time that has passed.
//
//     sn_pose_desc ──► sn_frame_set_pose ──► sn_frame_step(dt) ──► sn_frame_points ...
//                                              ▲          │
//                                              └── state ─┘  simulations continue from step to step
//
// After the first steps no memory is allocated any more. Each thread has frames of its own, of one
// model or several. docs/live.md shows a whole program.
#ifndef SINEW_LIVE_H
#define SINEW_LIVE_H

#include "sinew/eval.h"

#ifdef __cplusplus
extern "C" {
#endif

// What one transform is in memory. The numbers are kept for ever.
typedef enum sn_pose_format {
    SN_POSE_TRANSFORM = 0,    // sn_transform; quaternions are normalised
    SN_POSE_MATRIX = 1,       // 16 doubles, column after column, as sn_mat4
    SN_POSE_FLOAT_MATRIX = 2, // 16 floats, column after column, as glTF and OpenGL have them
} sn_pose_format;

// A whole pose. Whatever is NULL is as in the rest pose. Arrays are read only during the call.
typedef struct sn_pose_desc {
    uint32_t check;
    uint32_t segment_count; // of the arrays below; the model's own where one of them is given
    const void *transforms; // segment_count of them, in the order of the skeleton
    sn_pose_format format;
    size_t stride; // bytes from one transform to the next; 0: without gaps
    bool world;    // they are relative to the root below, not to the segment's parent
    // segment_count x 9, as sn_frame_joint_parameters: radians, metres and factors. If transforms
    // are given too, these are only what drivers, key poses and muscles read. If they are not
    // given, they are computed from the transforms; of the possible angles those nearest to the
    // joint's limits are taken.
    const double *joint_parameters;
    uint32_t control_count; // the model's own where `controls` are given
    const double *controls; // values, cut to their ranges; NaN: this control is not given
    // Moves the whole body in the world: a rotation and a translation. NULL: none.
    const sn_transform *root;
    // False: the pose is like one of a clip. Joint parameters are cut to their limits, synergies
    // add to them, and drivers compute their controls, whatever `controls` has for these. True:
    // limits, synergies and drivers have acted on the pose already, or shall not. Segments stand
    // exactly where the transforms put them, and only controls that are NaN or not given are
    // computed. The results of sn_frame_locals, sn_frame_joint_parameters and sn_frame_controls of
    // another frame, given together in this mode, are the same pose bit for bit.
    bool complete;
} sn_pose_desc;

// The rest pose.
SN_EXPERIMENTAL sn_pose_desc sn_pose_desc_default(void);

// Sets the pose for the steps that follow, until it is set again; at first it is the rest pose.
// Held values (sn_frame_set, sn_frame_hold) override it. World transforms become local ones without
// shear: every segment keeps its position, and its orientation as far as a rotation and a scale can
// express it, even where segments above it have lost shear. A matrix that is a mirror image gets a
// negative scale along z. Fails with SN_INVALID, naming the segment or control and the value, for
// wrong counts, numbers that are not finite, a scale of 0, a quaternion of 0, a matrix whose last
// row is not 0 0 0 1 (rows and columns exchanged?) and a root with a scale; the pose that was set
// before then stays.
SN_EXPERIMENTAL sn_status sn_frame_set_pose(sn_frame *frame, const sn_pose_desc *desc,
                                            sn_error *error);

// Sets the pose for the steps that follow to that of a frame of a motion (NULL: the rest pose), as
// sn_frame_evaluate would have it with the values that are held at each step. The motion must
// outlive these steps. Fails with SN_INVALID for a frame that there is not; the pose that was set
// before then stays.
SN_EXPERIMENTAL sn_status sn_frame_set_motion_pose(sn_frame *frame, const sn_motion *motion,
                                                   uint32_t number, sn_error *error);

// Evaluates the pose that was set, `dt` seconds after the last step. Simulations continue from
// their present state. The first step, and the first one after sn_frame_reset or sn_frame_evaluate,
// begins them at time 0, whatever its dt, as frame 0 of a motion does. Steps of 1 / rate through
// the poses of a motion therefore have the bits of its frames.
//
// Simulations run in the world, in which the root moves the body: a coat trails behind a body that
// runs, and gravity stays vertical when the body lies down. Call sn_frame_reset where the body
// jumps to another position. If simulations shall not feel the motion of the whole body, give no
// root and move the points when drawing them.
//
// A dt above one second counts as one second, so that a program that was held up does not also have
// to wait for the simulation. Fails with SN_INVALID for a dt below 0 or not finite and where the
// pose puts a segment beyond the range of float; simulations then continue from the step before.
// After any other failure they begin again at time 0.
SN_EXPERIMENTAL sn_status sn_frame_step(sn_frame *frame, double dt, sn_error *error);

// Makes the next step begin simulations again at time 0. The pose and the held values stay.
SN_EXPERIMENTAL void sn_frame_reset(sn_frame *frame);

#ifdef __cplusplus
}
#endif

#endif
