// SPDX-License-Identifier: Apache-2.0
//
// The character `head`.
#ifndef SINEW_SCENES_HEAD_H
#define SINEW_SCENES_HEAD_H

#include "scenes/head_muscles.h"
#include "scenes/head_shape.h"

enum {
    SCN_HEAD_CRANIUM,
    SCN_HEAD_MANDIBLE,
    SCN_HEAD_UPPER_TEETH,
    SCN_HEAD_LOWER_TEETH,
    SCN_HEAD_TONGUE,
    SCN_HEAD_EYEBALL_L,
    SCN_HEAD_EYEBALL_R,
    SCN_HEAD_PARTS,
};

typedef struct scn_head {
    scn_segment segments[SCN_HEAD_SEGMENTS];
    scn_head_skin skin;
    sn_mesh *parts[SCN_HEAD_PARTS];
    scn_head_landmark landmarks[SCN_HEAD_LANDMARKS];
    scn_head_muscle *muscles; // scn_head_muscle_count() of them
    sn_mesh **muscle_meshes;  // as many
} scn_head;

// Fills `head`, which goes to scn_head_deinit also when this fails.
sn_status scn_head_make(sn_context *context, scn_head *head, sn_error *error);
void scn_head_deinit(scn_head *head);

// Parts of the document: the hyoid bone behind the other bones, the mandible as a body that muscles
// move with its controls behind muscles and landmarks, and its clips.
void scn_head_add_hyoid(sn_json *json);
void scn_head_add_jaw(sn_json *json);
void scn_head_add_jaw_clips(sn_json *json);

// The skin in layers, which muscles of the face pull; controls of the face behind those of muscles
// and jaw; and the clips of expressions, blinks and gaze.
void scn_head_add_skin(sn_json *json, const scn_head *head);
void scn_head_add_face(sn_json *json);
void scn_head_add_face_clips(sn_json *json);

// Writes head.sinew.json, head.glb, head.obj and head.mtl into a folder.
sn_status scn_head_build(sn_context *context, const char *folder, sn_error *error);

#endif
