// SPDX-License-Identifier: Apache-2.0
//
// The moving parts of retargeting: what is set up and baked (retarget.c), how a frame is posed
// (retarget_pose.c), and how its legs are held (retarget_legs.c).
#ifndef SINEW_MOTION_RETARGET_INTERNAL_H
#define SINEW_MOTION_RETARGET_INTERNAL_H

#include "motion/retarget_feet.h"

// What is made for a target segment; track numbers in the result, SN_NONE: none.
typedef struct sni_retarget_tracks {
    uint32_t rotation, translation, scale;
} sni_retarget_tracks;

// The moving parts: one frame of source and target.
typedef struct sni_baker {
    sni_retarget r;
    sni_rig *rig; // the source's
    sni_player *player;
    sni_pose pose;        // of the source
    sn_transform *locals; // of the target
    sn_mat4 *worlds;
    sn_quat *rotations; // in the world, of the target
    sn_quat *turns;     // of the source segments, away from their stance
    sn_quat *source_rotations;
    sn_quat body_turn;  // of the target away from its stance
    sn_vec3 body_place; // of the target: where its `place` is
    sni_retarget_tracks *outputs;
    sn_clip *result;
    sni_survey survey;
    sni_contacts contacts;
    sni_plant plant;
    uint32_t followed[SNI_FOLLOWED_COUNT][2]; // segments of the target
    sn_vec3 knees_ahead[2];                   // where knees point, in the frames of the thighs
    sn_quat leg_turns[2][2];                  // of thigh and shin in the world, per side
    bool legs_turn;                           // whether any of them is to be used
    bool feet_keep_turn;                      // stiff feet are turned as they were last posed
    double ground; // how much higher it is than under the target's rest pose
    sni_toe *toes; // of each target segment; NULL: feet are left as they are
    sni_sole soles[2];
} sni_baker;

// The place of a world matrix.
static inline sn_vec3 sni_place_of(const sn_mat4 *world) {
    return sn_vec3_make(world->m[12], world->m[13], world->m[14]);
}

// ---------------------------------------------------------------------------------------------
// A frame (retarget_pose.c)

// Takes the turns of the source from its pose.
void sni_bake_turn_source(sni_baker *b);

// Poses the target by the turns of the source, its body moved by `moved`.
void sni_bake_pose_target(sni_baker *b, sn_vec3 moved);

// ---------------------------------------------------------------------------------------------
// Legs that are held (retarget_legs.c)

// Whether the target has legs that can be held: those of a body that stands on them.
bool sni_bake_can_plant(const sni_baker *b);

// Finds what is kept out of the ground: nothing where the clip does not tell where that is.
sn_status sni_bake_open_feet(sni_baker *b, sn_error *error);

// Whether a segment is a foot that is one stiff piece, and is kept out of the ground as such.
const sni_sole *sni_bake_stiff_sole(const sni_baker *b, uint32_t segment);

// Where a followed joint of the posed target is.
sn_vec3 sni_bake_followed_place(const sni_baker *b, sni_followed joint, int side);

// What holding needs to know of the target at rest.
void sni_bake_measure_legs(sni_baker *b);

// Poses a frame of the target with its legs bent as planned.
void sni_bake_pose_planted(sni_baker *b, uint32_t frame);

#endif
