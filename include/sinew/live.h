// SPDX-License-Identifier: Apache-2.0
//
// Live frames: a game loop, an animation program or motion capture says where the body is, and
// how much time has passed; no clip is played.
//
//     sn_pose_desc ──► sn_frame_set_pose ──► sn_frame_step(dt) ──► sn_frame_points ...
//                                              ▲          │
//                                              └── state ─┘  simulations go on from step to step
//
// After the first steps nothing is allocated any more. Each thread has frames of its own, of one
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

// A whole pose. What is NULL is as in the rest pose. Arrays are read during the call alone.
typedef struct sn_pose_desc {
    uint32_t check;
    uint32_t segment_count; // of the arrays below; the model's own where one of them is given
    const void *transforms; // segment_count of them, in the order of the skeleton
    sn_pose_format format;
    size_t stride; // bytes from one transform to the next; 0: they stand side by side
    bool world;    // they are relative to the root below, not to the segment's parent
    // segment_count x 9, as sn_frame_joint_parameters: radians, metres and factors. Beside
    // transforms they only say what drivers, key poses and muscles read there; without them this is
    // taken from the transforms, its angles as near to the joint's limits as they can be written.
    const double *joint_parameters;
    uint32_t control_count; // the model's own where `controls` are given
    const double *controls; // values, cut to their ranges; NaN: as if it were not said
    // Moves the whole body in the world: a rotation and a translation. NULL: it stands in the
    // origin.
    const sn_transform *root;
    // False: the arrays are what a clip would say. Joint parameters are cut to their limits,
    // synergies add to them, drivers compute their controls (whatever `controls` say of these).
    // True: limits, synergies and drivers have acted on it already, or shall not: segments stand
    // exactly where the transforms put them, and only controls that are NaN or not given are
    // computed. What sn_frame_locals, sn_frame_joint_parameters and sn_frame_controls of another
    // frame say, given together in this way, is the same pose bit for bit.
    bool complete;
} sn_pose_desc;

// The rest pose.
SN_EXPERIMENTAL sn_pose_desc sn_pose_desc_default(void);

// Sets the pose of the steps that follow, until it is set again; at first it is the rest pose.
// Values that are held (sn_frame_set, sn_frame_hold) take the place of what it says. World
// transforms become local ones without shear: every segment has its place, and its turn as far as
// rotation and scale can say it, whatever those above it lost. A matrix that is a mirror image gets
// a negative scale along z. Fails with SN_INVALID, naming the
// segment or control and the value, for wrong counts, numbers that are not finite, a scale of 0, a
// quaternion of 0, a matrix whose last row is not 0 0 0 1 (columns and rows exchanged?), a root
// with a scale; the pose that was set before then stays.
SN_EXPERIMENTAL sn_status sn_frame_set_pose(sn_frame *frame, const sn_pose_desc *desc,
                                            sn_error *error);

// Evaluates the pose that was set, `dt` seconds after the last step. Simulations go on from where
// they are. The first step, and the first one after sn_frame_reset, sn_frame_evaluate or
// sn_model_update_muscle, begins them at time 0, whatever its dt, as frame 0 of a motion does:
// steps of 1 / rate through the poses of a motion have the bits of its frames.
//
// Simulations live in the world, where the root moves the body: a coat trails behind one that runs,
// and falls down, not along with a body that lies. Who moves it in one leap resets, and who does
// not want the motion of the body to be felt gives no root and moves the points that are drawn.
//
// More than one second counts as one: what nobody saw is not simulated, and a program that was held
// up does not wait for it as well. Fails with SN_INVALID for a dt below 0 or not finite and where
// the pose puts a segment beyond the range of float; simulations then go on from before. After any
// other failure they begin anew.
SN_EXPERIMENTAL sn_status sn_frame_step(sn_frame *frame, double dt, sn_error *error);

// The next step begins simulations anew, at time 0. The pose and values that are held stay.
SN_EXPERIMENTAL void sn_frame_reset(sn_frame *frame);

#ifdef __cplusplus
}
#endif

#endif
