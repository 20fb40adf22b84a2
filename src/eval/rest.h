// SPDX-License-Identifier: Apache-2.0
//
// A body at rest: what a blueprint says, with one set of proportions. A model evaluates one; others
// are made while it is compiled: the body without its proportions, which skins are made for, and
// bodies with enlarged segments, from which they are extracted.
//
// A body is planned first: its skeleton stands, and every mesh and muscle has a digest of all that
// it is made from. Only then are they made, or found in the store of a model that was compiled
// before. A body of which nothing new is needed is never made.
#ifndef SINEW_EVAL_REST_H
#define SINEW_EVAL_REST_H

#include "base/arena.h"
#include "base/store.h"
#include "character/blueprint/blueprint.h"
#include "eval/muscles.h"
#include "sinew/character.h"
#include "sinew/eval.h"

// A mesh that was made for a body: an ellipsoid, a tube, one of another size, one with painted
// weights, or one that was extracted.
typedef struct sni_made_mesh {
    sni_made made;
    sn_mesh *mesh;
    uint32_t *bone_segments; // of painted weights, else NULL
} sni_made_mesh;

// A bone, tissue or skin on a body, besides its sn_surface.
typedef struct sni_rest_surface {
    sni_digest digest;         // of its mesh
    double unit;               // of its coordinates, metres
    sn_mat4 ellipsoid;         // that takes the unit ball to it, where it is one
    uint32_t *bone_segments;   // see sn_surface
    uint32_t *target_controls; // see sn_surface
} sni_rest_surface;

typedef struct sni_rest sni_rest;
struct sni_rest {
    sn_context *context;
    sn_character *character;
    const sni_blueprint *blueprint;
    sni_store *store;
    bool bare; // nothing is extracted for it
    double *proportions;
    const sni_rig *rig;
    sni_rig *own_rig; // the same; NULL: the blueprint's
    double *segment_sizes;
    sn_mat4 *worlds;        // segment_count
    sni_pose pose;          // without a motion: what parameters and controls are at rest
    sni_digest digest;      // of all that: where segments are and what hangs on what
    uint32_t surface_count; // of the blueprint, then one for each muscle
    sn_surface *surfaces;
    sni_rest_surface *details;  // of the blueprint's surfaces
    sni_digest *muscle_digests; // of the blueprint's muscles
    sni_bound_muscle **muscles; // the same; NULL where not made yet
    sni_digest *extractions;    // of the blueprint's extractions
    const sn_mesh **extracted;  // the same; NULL where not made yet
    sni_rest *plain;            // the body without its proportions; itself where it has none, and
                                // where nothing is extracted
    bool parts_made;            // all but what needs extracted skins
    bool made;                  // everything
};

typedef struct sni_rest_desc {
    sn_character *character;
    const sni_blueprint *blueprint;
    const double *proportions; // segment_count, 0 where there is none; copied
    bool bare;
    sni_store *store;
} sni_rest_desc;

// Plans a body. Fails for a mesh that cannot be read and names that do not fit it.
sn_status sni_rest_create(const sni_rest_desc *desc, sni_rest **rest, sn_error *error);
void sni_rest_destroy(sni_rest *rest);

// Makes bones, tissues, skins and muscles, but for those that need extracted skins; and then those.
// What has been made already stays.
sn_status sni_rest_make_parts(sni_rest *rest, const sn_progress *progress, sn_error *error);
sn_status sni_rest_make(sni_rest *rest, const sn_progress *progress, sn_error *error);

// Whether all entries are finite as floats, so that points moved by it can be.
bool sni_is_float_matrix(const sn_mat4 *matrix);

// Whether proportions change anything: factors of 1 do not, to the last bit.
bool sni_rest_has_proportions(const sni_rest *rest);

// --- Its surfaces (rest_surfaces.c)

// Plans the bones, tissues and skins whose meshes are not extracted; then those that are.
sn_status sni_rest_plan_surfaces(sni_rest *rest, bool extracted, sn_error *error);

// Makes their meshes, and checks what the document says about them.
sn_status sni_rest_make_surfaces(sni_rest *rest, bool extracted, const sn_progress *progress,
                                 sn_error *error);

// Finds the segment of every bone and the control of every morph target that a deformer uses. Of
// several deformers that use them the last one's stay with the surface.
sn_status sni_rest_map_names(sni_rest *rest, uint32_t surface, const sni_deformer_plan *plan,
                             sn_error *error);

// A mesh to be filled in and put into the store.
sn_status sni_made_mesh_new(sn_context *context, const sni_digest *digest, sni_made_mesh **made,
                            sn_error *error);

// Whether a surface of the blueprint is closed, faces outward and has a volume. Fails with
// SN_INVALID, with the place of the bone, tissue or skin in the document and an edge where it is
// open.
sn_status sni_rest_check_closed(const sni_rest *rest, uint32_t surface, sn_error *error);

// --- What is extracted from it (extracted.c; extraction.c where making is built)

// Whether a skin can be extracted from a surface of a body: a bone, a tissue but a feature, or a
// muscle that needs no extracted skin itself.
bool sni_rest_is_part(const sni_rest *rest, uint32_t surface);

// The body with enlarged segments, planned.
sn_status sni_rest_plan_enlarged(const sni_rest *body, uint32_t count,
                                 const sn_segment_factor *enlarge, sni_rest **enlarged,
                                 sn_error *error);

// Extracts a mesh from a body without proportions. SN_UNSUPPORTED in a build without making.
sn_status sni_rest_extract_mesh(sni_rest *plain, const sni_extract_plan *plan,
                                const sn_progress *progress, sn_mesh **mesh, sn_error *error);

// The digest of an extraction, on a body without proportions.
sn_status sni_rest_plan_extraction(sni_rest *rest, uint32_t extraction, sni_digest *digest,
                                   sn_error *error);

// Makes the meshes that are extracted from the plain body, and gives them to their skins.
sn_status sni_rest_extract(sni_rest *rest, const sn_progress *progress, sn_error *error);

// Puts a skin that was made for one body onto another, by the surfaces that it hangs on, and evens
// it out (shrink.c). `turned` counts triangles that were turned over.
sn_status sni_rest_shrink_skin(const sni_rest *body, const sni_rest *made_for,
                               const uint32_t *surfaces, uint32_t count, sn_mesh *skin,
                               const sn_progress *progress, uint32_t *turned, sn_error *error);

// --- As skins see it (components.c)

// A bone, tissue or muscle as it stands on the body that a skin was made for, to be followed on
// `rest`, which may be the same.
sn_status sni_rest_component(const sni_rest *rest, const sni_rest *made_for, uint32_t surface,
                             sni_arena *arena, sni_component *component, sn_error *error);

// Finds or makes the shapes of components on the body that skins are made for; they live as long as
// its store.
sn_status sni_rest_shape_components(sni_rest *made_for, uint32_t count, const uint32_t *surfaces,
                                    sni_component *components, sn_error *error);

// Takes the shapes over that the store before has, also those that no skin asked for, since the
// next edit may need them.
sn_status sni_rest_keep_shapes(sni_rest *rest, sn_error *error);

// The points of a component at rest, laid out as those of a pose (sni_component).
const float *sni_rest_component_points(const sni_rest *rest, uint32_t surface);

// --- Inputs of kinds, all of a list (inputs.c)

sn_status sni_inputs_digest(const sni_collecting *collecting, const sni_input_use *uses,
                            void *const *plans, sni_digest *digest, sn_error *error);

// What is kept is freed by sni_inputs_free, also where this fails.
sn_status sni_inputs_collect(const sni_collecting *collecting, const sni_input_use *uses,
                             void *const *plans, const void **blocks, void **kept, sn_error *error);
void sni_inputs_free(sn_context *context, void **kept);

// False when memory runs out.
bool sni_inputs_pose(const sni_posing *posing, const sni_input_use *uses, void *const *plans,
                     void *const *kept, const void **blocks);

// --- Digests (digests.c)

void sni_digest_add_vector(sni_digest *digest, sn_vec3 vector);
void sni_digest_add_matrix(sni_digest *digest, const sn_mat4 *matrix);
void sni_digest_add_ref(sni_digest *digest, const sni_parameter_ref *ref);
void sni_digest_add_points(sni_digest *digest, const sni_point_values_plan *points);

// Adds what a surface of a body is: bone, tissue, skin, or from surface_count on muscle.
void sni_digest_add_surface(sni_digest *digest, const sni_rest *rest, uint32_t surface);

// What a muscle is made from, its name aside.
sn_status sni_rest_muscle_digest(sni_rest *rest, const sni_muscle_plan *plan, sni_digest *digest,
                                 sn_error *error);

#endif
