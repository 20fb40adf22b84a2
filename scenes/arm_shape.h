// SPDX-License-Identifier: Apache-2.0
//
// A left human arm of an athletic man, shoulder to hand, as plain data: skeleton, skin with
// weights, bones, clips. The shoulder joint is where a man of 1.8 m has it, the arm hangs 45
// degrees away from the body, palm inward, elbow and fingers slightly bent.
//
// Shapes are tables in millimetres in four frames (scn_arm_frame). Lengths and girths were chosen
// by hand for an athletic man (upper arm 310, forearm 265, hand 195 mm; girths of about 345, 295
// and 175 mm at upper arm, forearm and wrist); they are not taken from a survey.
#ifndef SINEW_SCENES_ARM_SHAPE_H
#define SINEW_SCENES_ARM_SHAPE_H

#include "scenes/modeller.h"

// The frames of the tables. Girdle: x to the left, y up, z forward, origin in the head of the
// humerus. The others are left-handed, x y z = lateral, distal, forward: in the hand, whose palm
// looks inward, that is dorsal, distal, towards the thumb.
typedef enum scn_arm_frame {
    SCN_ARM_GIRDLE = 0,
    SCN_ARM_UPPER = 1, // origin in the shoulder joint
    SCN_ARM_FORE = 2,  // origin in the elbow joint
    SCN_ARM_HAND = 3,  // origin in the wrist joint
    SCN_ARM_SPACE = 4, // the character's own
    SCN_ARM_FRAME_COUNT = 5,
} scn_arm_frame;

enum {
    SCN_ARM_FINGERS = 5, // 0 is the thumb
    SCN_ARM_SEGMENTS = 21,
    SCN_ARM_BONES = 32,
};

// The order of segments. Finger f has three segments from SCN_ARM_THUMB + 3 * f on.
typedef enum scn_arm_segment {
    SCN_ARM_SHOULDER = 0,     // clavicle and scapula: the root
    SCN_ARM_UPPER_ARM = 1,    // rx flexion, ry inward rotation, rz abduction
    SCN_ARM_FOREARM = 2,      // rx flexion; carries the ulna
    SCN_ARM_FOREARM_MID = 3,  // ry pronation, one half
    SCN_ARM_FOREARM_END = 4,  // ry pronation, other half; carries the radius
    SCN_ARM_HAND_SEGMENT = 5, // rx flexion, rz deviation towards the little finger
    SCN_ARM_THUMB = 6,
} scn_arm_segment;

typedef struct scn_arm_finger {
    sn_vec3 joints[4]; // three joints and the end of the last bone
    sn_vec3 dorsal[3]; // unit, the nail's side of each bone
    double thickness;  // half the width at the middle joint
} scn_arm_finger;

typedef struct scn_arm {
    scn_frame frames[SCN_ARM_FRAME_COUNT];
    scn_arm_finger fingers[SCN_ARM_FINGERS];
    scn_segment segments[SCN_ARM_SEGMENTS];
} scn_arm;

// Fills frames, fingers and segments. Cannot fail.
void scn_arm_layout(scn_arm *arm);

// The skin as one closed mesh of quads with weights on the segments by name, at most six for each
// vertex. The caller destroys it.
sn_status scn_arm_skin(sn_context *context, const scn_arm *arm, sn_mesh **mesh, sn_error *error);

// A bone: a closed mesh inside the skin that moves with one segment.
typedef struct scn_arm_bone {
    sn_mesh *mesh; // its name is the bone's
    uint32_t segment;
} scn_arm_bone;

// Makes all bones, SCN_ARM_BONES of them; on failure none. The caller destroys the meshes.
sn_status scn_arm_bones(sn_context *context, const scn_arm *arm, scn_arm_bone *bones,
                        sn_error *error);

// The clips `curl` (the elbow bends and stretches again) and `shake` (shaking water off the hand),
// ended by one without a name. Both loop.
const scn_clip *scn_arm_clips(void);

// ---------------------------------------------------------------------------------------------
// Between the files of the arm

// The field of the skin. Group 0 is arm and palm, group 1 + f finger f. NULL when memory runs out.
scn_field *scn_arm_skin_field(const scn_arm *arm);

// Tags of skin vertices: 0 is arm and palm, 1 + f finger f; `along` is the station in metres on the
// middle line from the shoulder joint for tag 0.
sn_status scn_arm_weights(const scn_arm *arm, const scn_builder *skin, sn_mesh *mesh,
                          sn_error *error);

#endif
