// SPDX-License-Identifier: Apache-2.0
//
// The head and neck of a large theropod, rough and spiky, after the tyrannosaur of Watkins' thesis:
// polygons of many sides, vertices of high degree, edges that stay sharp.
//
// Everything is modelled as a sculptor would, on a maquette at one fifth of life size (tables in
// millimetres of the maquette, lengths below in its metres), and enlarged when meshes are finished.
// x is the animal's left, y up, z forward; the skull is 250 long, its origin between the jaw joints
// and above them. The mouth stands 18 degrees open at rest, so that lips never touch.
#ifndef SINEW_SCENES_REX_SHAPE_H
#define SINEW_SCENES_REX_SHAPE_H

#include "scenes/documents.h"
#include "scenes/modeller.h"

#define SCN_REX_ENLARGE 5.0
#define SCN_REX_GAPE_DEG 18.0 // of the mouth at rest

typedef enum scn_rex_frame {
    SCN_REX_HEAD = 0,
    SCN_REX_JAW = 1, // origin in the jaw joint, turned with the open jaw: z along it, y up
    SCN_REX_FRAME_COUNT = 2,
} scn_rex_frame;

typedef enum scn_rex_segment {
    SCN_REX_NECK_1 = 0, // root, at the cut
    SCN_REX_NECK_2 = 1,
    SCN_REX_NECK_3 = 2,
    SCN_REX_SKULL = 3,
    SCN_REX_MANDIBLE = 4, // rx opens
    SCN_REX_EYE_LEFT = 5,
    SCN_REX_EYE_RIGHT = 6,
    SCN_REX_SEGMENTS = 7,
} scn_rex_segment;

// What a vertex of the skin belongs to.
typedef enum scn_rex_tag {
    SCN_REX_HIDE = 0,
    SCN_REX_SCALE = 1,
    SCN_REX_SPIKE = 2,
    SCN_REX_LID = 3,
    SCN_REX_NOSTRIL = 4,
} scn_rex_tag;

typedef struct scn_rex {
    scn_frame frames[SCN_REX_FRAME_COUNT];
    scn_segment segments[SCN_REX_SEGMENTS]; // in life size
    scn_field *field;                       // of the skin: trunk, upper jaw (1), lower jaw (2)
} scn_rex;

// Fills all of it; false when memory runs out. scn_field_destroy frees the field.
bool scn_rex_layout(scn_rex *rex);

// The eyes: middle, direction and radius, of the left one.
typedef struct scn_rex_eye {
    sn_vec3 center, axis;
    double radius;
} scn_rex_eye;
scn_rex_eye scn_rex_eye_shape(void);

// The skin: one closed mesh that is its own mirror image, with weights on the segments by name and
// a colour for each vertex. The others are closed pieces carried by one segment each.
typedef enum scn_rex_part {
    SCN_REX_SKIN = 0,
    SCN_REX_UPPER_TEETH = 1,
    SCN_REX_LOWER_TEETH = 2,
    SCN_REX_LEFT_EYE = 3,
    SCN_REX_RIGHT_EYE = 4,
    SCN_REX_PARTS = 5,
} scn_rex_part;
sn_status scn_rex_meshes(sn_context *context, const scn_rex *rex, sn_mesh *meshes[SCN_REX_PARTS],
                         sn_error *error);

// Adds muscles, their controls, drivers and the deformers that follow them.
sn_status scn_rex_add_muscles(sn_context *context, sn_character *character, const scn_rex *rex,
                              sn_error *error);

// The clips, ended by one without a name.
const scn_clip *scn_rex_clips(void);

// ---------------------------------------------------------------------------------------------
// Between the files of the rex

sn_status scn_rex_skin(sn_context *context, const scn_rex *rex, sn_mesh **mesh, sn_error *error);
sn_status scn_rex_teeth(sn_context *context, const scn_rex *rex, bool upper, sn_mesh **mesh,
                        sn_error *error);
sn_status scn_rex_eyeball(sn_context *context, bool left, sn_mesh **mesh, sn_error *error);

// Weights of a skin in life size.
sn_status scn_rex_weights(const scn_rex *rex, sn_mesh *mesh, sn_error *error);

// How far inside the mouth a place of the skin lies: below 0 outside.
double scn_rex_mouth_depth(const scn_rex *rex, sn_vec3 point);

// How far down the neck a place lies, from the skull's origin on.
double scn_rex_along_neck(sn_vec3 point);

// A point in the coordinates of the jaw's frame.
sn_vec3 scn_rex_to_jaw(const scn_rex *rex, sn_vec3 point);

// Gives every vertex a colour.
sn_status scn_rex_color(const scn_rex *rex, const scn_builder *skin, sn_mesh *mesh,
                        sn_error *error);

// Enlarges a finished mesh to life size.
void scn_rex_enlarge(sn_mesh *mesh);

#endif
