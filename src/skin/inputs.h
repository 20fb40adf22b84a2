// SPDX-License-Identifier: Apache-2.0
//
// The inputs of deformers (kind/input.h), with the blocks that `bind` and `deform` see. Each is in
// a file of its own in src/input/.
#ifndef SINEW_SKIN_INPUTS_H
#define SINEW_SKIN_INPUTS_H

#include "kind/input.h"
#include "kind/muscle_surface.h"
#include "sinew/skin.h"

// The weights of the mesh, and the segment of each of their bones.
extern const sni_input sni_input_weights;
typedef struct sni_weights_input {
    const uint32_t *bone_segments; // mesh->weights->bone_count
} sni_weights_input;

// How the mesh stands at rest, by the weights that another deformer of the skin takes. Documents
// say nothing about it.
extern const sni_input sni_input_stand;
typedef struct sni_stand_input {
    const uint32_t *bone_segments; // mesh->weights->bone_count; NULL: the mesh stands as it is
} sni_stand_input;

// The morph targets of the mesh, and the control of each.
extern const sni_input sni_input_targets;
typedef struct sni_targets_input {
    const uint32_t *controls; // mesh->target_count, SN_NONE for none
} sni_targets_input;

// A mesh that is followed.
extern const sni_input sni_input_driver;
typedef struct sni_driver_input {
    const sn_mesh *mesh; // at rest; validated, and must outlive the binding
    uint32_t control;    // that scales the driver's effect, or SN_NONE for 1
} sni_driver_input;
typedef struct sni_driver_pose {
    const float *points; // of the mesh, x 3
} sni_driver_pose;

// Frame points of the driver, three for each of its vertices, as a mesh that moves with it: a
// sni_driver_input without control, and a sni_driver_pose.
extern const sni_input sni_input_frames;

// Sets of the driver's faces that were edited by hand, and the parametric surface that the driver
// stands for.
extern const sni_input sni_input_sets;
typedef struct sni_sets_input {
    uint32_t count;
    const sn_wrap_set *sets;
    const sn_wrap_patch *patch; // NULL: the driver is a mesh
} sni_sets_input;

// Muscles that move the points.
extern const sni_input sni_input_muscles;
typedef struct sni_muscles_input {
    uint32_t count;
    const sni_muscle_surface *muscles;
} sni_muscles_input;
typedef struct sni_muscles_pose {
    const sni_muscle_points *muscles; // as many as at bind
} sni_muscles_pose;

// Key poses: what points move by while a number, such as a joint's angle, runs through its keys.
typedef struct sni_pose_set {
    sn_interpolation interpolation; // stepped, linear or smooth
    uint32_t key_count;
    const double *inputs;   // key_count, rising
    uint32_t point_count;   // points that some key moves
    const uint32_t *points; // rising
    const double *offsets;  // point_count x key_count x 3, in the space of the mesh at rest
} sni_pose_set;

extern const sni_input sni_input_poses;
typedef struct sni_poses_input {
    uint32_t count;
    const sni_pose_set *sets;
} sni_poses_input;
typedef struct sni_poses_pose {
    const double *inputs; // where each set stands
} sni_poses_pose;

// Meshes that are touched. Only their faces count at rest, since they may stand elsewhere then.
extern const sni_input sni_input_colliders;
typedef struct sni_colliders_input {
    uint32_t count;
    const sn_mesh *const *meshes;
} sni_colliders_input;
typedef struct sni_colliders_pose {
    const float *const *points; // of each mesh, x 3
} sni_colliders_pose;

// Vertices that stay where the deformers before put them.
extern const sni_input sni_input_pins;
typedef struct sni_pins_input {
    uint32_t count;
    const uint32_t *vertices;
} sni_pins_input;

// Eyeballs, and the controls that close the lids before them. The segment of an eye has a parent,
// which carries the lids.
extern const sni_input sni_input_eyes;
typedef struct sni_lid_eye {
    const char *name;
    const sn_mesh *mesh; // at rest; validated, and must outlive the binding
    uint32_t segment;
    bool in_segment_frame; // the mesh's coordinates are that segment's, not the world's at rest
    uint32_t control;
} sni_lid_eye;
typedef struct sni_eyes_input {
    uint32_t count;
    const sni_lid_eye *eyes;
} sni_eyes_input;

// Bones, tissues and muscles that lie under a skin.
extern const sni_input sni_input_components;
typedef struct sni_components_input {
    uint32_t count;
    const sni_component *components;
} sni_components_input;
typedef struct sni_components_pose {
    const sn_mat4 *body;          // where the body as a whole stands, a rigid motion; NULL: in the
                                  // origin
    const float *const *points;   // posed points of those that deform, in its frame
    const float *const *surfaces; // posed vertices of those that deform, in the world; or NULL
} sni_components_pose;

// Muscles that a skin is tied to, as components that are followed: a sni_components_input, and a
// sni_components_pose.
extern const sni_input sni_input_tied;

#endif
