// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_EVAL_MODEL_H
#define SINEW_EVAL_MODEL_H

#include "base/context.h"
#include "base/memory.h"
#include "character/blueprint/blueprint.h"
#include "eval/muscles.h"
#include "eval/rest.h"
#include "eval/rigid.h"
#include "sinew/eval.h"

// What a deformer was bound to at rest; models share it.
typedef struct sni_binding {
    sni_made made;
    const sni_deformer_ops *ops;
    void *bound;
    float *weights;              // #V: mixes its points with those before it; NULL: does not
    void *kept[SNI_INPUTS_MOST]; // what posing needs of its inputs besides their plans
} sni_binding;

// A deformer of a model. Its plan is the blueprint's, its binding is in the model's store.
// The parameters of a deformer or muscle in a pose: those that controls drive have their values. No
// array where none is driven. False when memory runs out.
bool sni_parameters_in_pose(const sn_parameters *table, const double *values,
                            const uint32_t *driven, const sni_pose *pose, sni_arena *arena,
                            const double **now);

typedef struct sni_bound_deformer {
    const sni_deformer_ops *ops;
    const sni_deformer_plan *plan;
    const sni_binding *binding;
    size_t state_offset; // within the frame's state
    size_t state_bytes;
} sni_bound_deformer;

// The components of a skin that were taken, as places in the plan's list (input/components.c).
typedef struct sni_taken_components {
    uint32_t count;
    uint32_t numbers[];
} sni_taken_components;

typedef struct sni_bound_surface {
    uint32_t deformer_count;
    sni_bound_deformer *deformers;
} sni_bound_surface;

struct sn_model {
    sn_context *context;
    sn_character *character;
    sn_json *document; // as it was when the model was made: later edits do not reach the model
    char *base;        // where its relative paths begin
    sni_blueprint *blueprint;
    sni_store store; // all that was made for it, and what it shares with the model before it
    sni_rest *rest;  // its body at rest, made
    // The body's, for short.
    const sni_rig *rig;
    const sn_mat4 *rest_worlds;
    uint32_t surface_count;
    sn_surface *surfaces;
    sni_bound_muscle *const *muscles;
    sni_bound_surface *bound;     // surface_count
    size_t *muscle_state_offsets; // of the blueprint's muscles
    sni_bodies bodies;            // rigid ones
    size_t state_bytes;           // of all muscles and deformers with memory
};

// Binds a deformer of a surface, or finds a binding that was made from equal inputs (bind.c).
sn_status sni_deformer_bind(sni_rest *rest, uint32_t surface, const sni_deformer_plan *plan,
                            sni_bound_deformer *deformer, const sn_progress *progress,
                            sn_error *error);

// Plans the body without proportions, from which nothing is extracted, beside those of the model.
sn_status sni_model_plan_bare(const sn_model *model, sni_store *store, sni_rest **bare,
                              sn_error *error);

// What the rig knows a parameter by. Fails with SN_INVALID for one that the model does not have.
sn_status sni_model_parameter_ref(const sn_model *model, const sn_pose_parameter *parameter,
                                  sni_parameter_ref *ref, sn_error *error);

// Runs the deformers [first, end) of a skin on given points, in the pose of the last evaluation;
// `end` SN_NONE: all behind `first`, and then its segment carries the result. Deformers with memory
// may not be among them.
sn_status sni_frame_deform(sn_frame *frame, uint32_t surface, uint32_t first, uint32_t end,
                           const float *points_in, float *points_out, sn_error *error);

// Where what a set of key poses follows stands after the last evaluation, in the unit of its keys.
double sni_frame_pose_input(const sn_frame *frame, const sni_pose_plan *pose);

// Control points of a muscle in the last evaluation, contracted.
const double *sni_frame_muscle_points(const sn_frame *frame, uint32_t muscle);

// Where the body as a whole stands: a rigid motion (frame_components.c).
sn_mat4 sni_frame_body(const sn_frame *frame);

// The posed points of a muscle as skins that hang on it see them, in a frame of the body; NULL when
// memory runs out. They are in the arena.
const float *sni_frame_component(const sn_frame *frame, uint32_t muscle, const sn_mat4 *to_body,
                                 sni_arena *arena);

// How many components a deformer hangs on, and the surface of one of them.
uint32_t sni_bound_component_count(const sni_bound_deformer *deformer);
uint32_t sni_bound_component(const sni_bound_deformer *deformer, uint32_t index);

struct sn_motion {
    const sn_model *model;
    uint64_t id; // tells motions apart, also when one takes the memory of another
    sn_clip *clip;
    sni_player *player;
    sn_pairing *pairing; // NULL: the clip plays as it is
};

#endif
