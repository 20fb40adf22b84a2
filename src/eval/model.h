// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_EVAL_MODEL_H
#define SINEW_EVAL_MODEL_H

#include "base/context.h"
#include "base/memory.h"
#include "character/blueprint.h"
#include "eval/muscles.h"
#include "sinew/eval.h"

typedef struct sni_bound_deformer {
    const sni_deformer_ops *ops;
    void *bound;
    uint32_t driver; // surface, or SN_NONE
    uint32_t muscle_count;
    const uint32_t *muscles; // that move it; the blueprint's
    uint32_t pose_count;
    const sni_pose_plan *poses; // key poses; the blueprint's
    float *weights;             // #V: mixes its points with those before it; NULL: does not
    uint32_t collider_count;
    const uint32_t *colliders; // surfaces; the blueprint's
    uint32_t component_count;
    uint32_t *components; // surfaces that it hangs on
    size_t state_offset;  // within the frame's state
    size_t state_bytes;
} sni_bound_deformer;

typedef struct sni_bound_surface {
    sn_mesh *made_mesh; // the surface's, where it was made for the model; NULL: the character's
    uint32_t deformer_count;
    sni_bound_deformer *deformers;
    uint32_t *bone_segments;   // see sn_surface
    uint32_t *target_controls; // see sn_surface
} sni_bound_surface;

struct sn_model {
    sn_context *context;
    sn_character *character;
    sn_json *document; // as it was when the model was made: later edits do not reach the model
    char *base;        // where its relative paths begin
    sni_blueprint *blueprint;
    const sni_rig *rig; // the blueprint's
    sn_mat4 *rest_worlds;
    uint32_t surface_count; // of the blueprint, then one for each muscle
    sn_surface *surfaces;
    sni_bound_surface *bound;  // surface_count
    sni_bound_muscle *muscles; // of the blueprint
    size_t state_bytes;        // of all deformers with memory
    sn_mesh **extracted;       // of the blueprint's extractions; NULL: none
    bool *under_extracted;     // muscle_count: a mesh was extracted from it; NULL: none
    sn_model *plain;           // while the model is made: see sni_model_plain
    bool bare;                 // nothing is extracted for it
    uint64_t revision;         // counts what sn_model_update_muscle did: frames adapt to it
    sni_skin_search *searches; // of the blueprint's surfaces, made as edits need them; or NULL
};

// Fills in a surface of the blueprint but for what its deformers say and for a mesh that is
// extracted (components.c). Tissues,
// ellipsoids and bones in units of their segment's size must be closed.
sn_status sni_model_read_surface(sn_model *model, uint32_t surface, sn_error *error);

// The same body without its proportions, which skins are made for: surfaces stand in the same order
// with the same vertices, muscles included; what is in units of sizes is as large as the quotient
// of both plans' `unit` says. Its skins have no deformers.
sn_status sni_model_create_plain(const sn_model *model, const sn_progress *progress,
                                 sn_model **plain, sn_error *error);

// The same, made once and kept until the model is complete; the model itself where its proportions
// change nothing.
sn_status sni_model_plain(sn_model *model, const sn_progress *progress, sn_model **plain,
                          sn_error *error);

// The same body with these factors and no other proportions, without what is extracted for it.
sn_status sni_model_create_bare(const sn_model *model, const sn_segment_factor *factors,
                                uint32_t factor_count, const sn_progress *progress, sn_model **bare,
                                sn_error *error);

// Whether the proportions change anything: factors of 1 do not, to the last bit.
bool sni_model_has_proportions(const sn_model *model);

// Puts a skin that was made for one body onto another, by the surfaces that it hangs on, and evens
// it out (shrink.c). `turned` counts triangles that were turned over.
sn_status sni_model_shrink_skin(const sn_model *body, const sn_model *made_for,
                                const uint32_t *surfaces, uint32_t count, sn_mesh *skin,
                                const sn_progress *progress, uint32_t *turned, sn_error *error);

// Extracts the mesh that the blueprint's extraction `index` describes. SN_UNSUPPORTED in a build
// without making.
sn_status sni_model_extract_mesh(sn_model *model, uint32_t index, const sn_progress *progress,
                                 sn_error *error);

// Makes the meshes that are extracted, from the body without its proportions (extracted.c), and
// gives them to their skins. All other surfaces must be there, and muscles that need none of them.
sn_status sni_model_extract_all(sn_model *model, const sn_progress *progress, sn_error *error);

// Whether a surface of the blueprint is closed, faces outward and has a volume, at rest. Fails with
// SN_INVALID, with the place of the bone, tissue or skin in the document and an edge where it is
// open.
sn_status sni_model_check_closed(const sn_model *model, uint32_t surface, sn_error *error);

// A bone, tissue or muscle as it stands on the body that a skin was made for, to be followed on
// `model`, which may be the same (components.c).
sn_status sni_model_component(const sn_model *model, const sn_model *made_for, uint32_t surface,
                              sni_arena *arena, sni_component *component, sn_error *error);

// The points of a component at rest, laid out as those of a pose (sni_component).
const float *sni_model_component_points(const sn_model *model, uint32_t surface);

// Finds the segment of every bone and the control of every morph target that a deformer uses
// (mesh_names.c). Of several deformers that use them the last one's stay with the surface.
sn_status sni_model_map_names(sn_model *model, uint32_t surface, const sni_deformer_plan *plan,
                              sn_error *error);

// The bones, tissues and muscles of a plan as a deformer sees them (components.c): on the body that
// skins were made for, to be followed on the model's own.
typedef struct sni_bind_parts sni_bind_parts;
sn_status sni_model_components(const sn_model *model, const sni_deformer_plan *plan,
                               sni_bind_parts *parts, sn_error *error);

// What is made for a bind job and only read by it. Zeroed at first.
struct sni_bind_parts {
    sni_arena arena;
    sni_muscle_surface *muscles;
    sni_pose_set *poses;
    const sn_mesh **colliders;
    uint32_t component_count;
    sni_component *components;
    uint32_t *component_surfaces;
    uint32_t pin_count;
    uint32_t *pins; // vertices
    float *weights; // from the context, as they may stay
};

// Made or not, to be freed.
sn_status sni_bind_parts_make(const sn_model *model, uint32_t surface,
                              const sni_deformer_plan *plan, sni_bind_parts *parts,
                              sn_error *error);
void sni_bind_parts_free(const sn_model *model, sni_bind_parts *parts);

// What a deformer binds to; borrows the parts.
sni_bind_job sni_model_bind_job(const sn_model *model, uint32_t surface,
                                const sni_deformer_plan *plan, const sni_bind_parts *parts,
                                const sn_progress *progress);

// The skins as muscles see them (blueprint->surface_count).
void sni_model_muscle_skins(const sn_model *model, sni_muscle_skin *skins);

// Whether all entries are finite as floats, so that points moved by it can be.
bool sni_is_float_matrix(const sn_mat4 *matrix);

// Adds a deformer behind those of a surface, as if the document had it there, with the standard
// value of every parameter. For kinds that no document can name, so that what the evaluation does
// for them can be tested. To be called before any frame is made of the model.
sn_status sni_model_add_deformer(sn_model *model, uint32_t surface, const sni_deformer_ops *ops,
                                 sn_error *error);

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

// The posed points of the muscles that a deformer hangs on, in the frame `body`, NULL for bones and
// tissues; NULL when memory runs out. They are in the arena.
const float *const *sni_frame_components(const sn_frame *frame, const sni_bound_deformer *deformer,
                                         const sn_mat4 *body, sni_arena *arena);

// The posed vertices of all that a deformer hangs on, in the world; NULL when memory runs out.
const float *const *sni_frame_surfaces(const sn_frame *frame, const sni_bound_deformer *deformer,
                                       sni_arena *arena);

struct sn_motion {
    const sn_model *model;
    uint64_t id; // tells motions apart, also when one takes the memory of another
    sn_clip *clip;
    sni_player *player;
};

#endif
