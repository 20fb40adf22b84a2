// SPDX-License-Identifier: Apache-2.0
//
// Poses of `person` in the words of somebody who animates: where the hips are, how trunk and arms
// are bent, and where the feet stand. Legs follow from hips and feet, so that a planted foot does
// not slide.
#ifndef SINEW_SCENES_PERSON_POSE_H
#define SINEW_SCENES_PERSON_POSE_H

#include "scenes/person.h"

// Angles are degrees. Axes: x to the left, y up, z ahead.
typedef struct scn_foot {
    sn_vec3 ankle;
    double yaw;   // outwards, from where it points at rest
    double pitch; // toes up
    double toes;  // pitch of the toes
} scn_foot;

// In the arm's own axes at rest: rx backwards, rz up and outwards, ry about the arm, outwards.
// Those of the right arm are the mirror image.
typedef struct scn_arm {
    double rx, ry, rz;
    double shoulder; // collar bone upwards
    double elbow;    // bent
    double twist;    // of the forearm, outwards
    double hand[3];  // rx, ry, rz
} scn_arm;

typedef struct scn_stance {
    sn_vec3 hips;        // metres
    double hips_turn[3]; // about x, y, z: bent forward, turned to the left, left side up
    double spine[3];     // shared by spine, chest and upper chest
    double head[3];      // shared by neck and head
    scn_arm arms[2];
    scn_foot feet[2];
} scn_stance;

// Rotations of all joints, in world axes, relative to their parents.
typedef struct scn_turns {
    sn_vec3 hips;
    sn_quat joints[SCN_PERSON_JOINTS];
    double reach[2]; // how far each leg is stretched: 1 is straight
} scn_turns;

void scn_person_turn(const scn_person *person, const scn_stance *stance, scn_turns *turns);

// The foot with its sole on the ground, `ahead` metres in front of where it is at rest.
scn_foot scn_person_flat_foot(const scn_person *person, uint32_t side, double ahead);

#endif
