// SPDX-License-Identifier: Apache-2.0
//
// The muscles of a model: bound to their skins at rest, posed in every frame.
#ifndef SINEW_EVAL_MUSCLES_H
#define SINEW_EVAL_MUSCLES_H

#include "base/arena.h"
#include "character/blueprint.h"
#include "character/inner.h"
#include "eval/pivots.h"
#include "sinew/character.h"
#include "sinew/eval.h"
#include "sinew/geometry.h"

// How far from the surface of its bone a muscle is attached.
typedef struct sni_attachment_gap {
    uint32_t bone;   // a surface; SN_NONE for a place in a segment's frame
    double distance; // metres
    double size;     // of the bone: the diagonal of its box
} sni_attachment_gap;

typedef struct sni_bound_muscle {
    const sni_muscle_ops *ops;
    void *bound;
    sni_muscle_surface surface;    // borrowed from the binding
    uint32_t point_count;          // control points
    uint32_t contraction, tension; // controls, or SN_NONE
    uint32_t activation;           // likewise
    sn_mesh *mesh;                 // polygons of the relaxed muscle at rest
    uint32_t gap_count;
    sni_attachment_gap *gaps; // of muscles between bones: origins, then insertions, of each strip
    sni_posed_pivots pivots;  // likewise
} sni_bound_muscle;

// What muscles bind to.
typedef struct sni_muscle_skin {
    const sn_mesh *mesh;
    const uint32_t *bone_segments; // of the mesh's weights; NULL without
} sni_muscle_skin;

// A surface at rest as the making of muscles sees it; its parts are made when the first muscle
// needs them.
typedef struct sni_skin_search {
    sn_triangles *triangles;
    sn_accel *accel;
    float *normals;
    double size;             // diagonal of its box
    double side;             // 1 where its polygons face outwards, -1 inwards; 0: not known
    uint32_t *bone_segments; // of the bones' names, where no deformer says which segments they are
    sni_inner inner;         // the same as something that muscles lie on
    sni_inner limbs;         // those that it hangs on
} sni_skin_search;

// Makes what has not been made yet of triangles, accel, normals and size.
sn_status sni_skin_search_make(sn_context *context, const sn_mesh *mesh, sni_skin_search *search,
                               sn_error *error);
void sni_skin_search_free(sn_context *context, sni_skin_search *search);

typedef struct sni_muscles_desc {
    sn_context *context;
    const sni_blueprint *blueprint;
    const sni_muscle_skin *skins; // one for each surface of the blueprint
    const sn_mat4 *rest_worlds;
    sn_character *character; // for meshes that are muscles
    bool on_extracted;       // which muscles: those that need an extracted skin, or the others
    const sn_progress *progress;
} sni_muscles_desc;

// Binds muscles of a blueprint into `muscles` (muscle_count, zeroed). What was bound before a
// failure is left there for sni_muscles_unbind.
sn_status sni_muscles_bind(const sni_muscles_desc *desc, sni_bound_muscle *muscles,
                           sn_error *error);

// Binds one muscle. `searches` are of all surfaces, zeroed at first; `muscle` is zeroed, and what
// was bound before a failure is left there.
sn_status sni_muscle_bind(const sni_muscles_desc *desc, const sni_muscle_plan *plan,
                          sni_skin_search *searches, sni_bound_muscle *muscle, sn_error *error);
// What a muscle between bones is made from (attachments.c): its attachments as places in the world
// at rest, sections or changed slices, and pivots, all in the arena. `value` is the object that
// says so, of the muscle `name`, with `attachments` at each end. `gaps` has room for all of them.
// The pivots are appended to `pivots`, also when it fails.
sn_status sni_muscle_body_make(const sni_muscles_desc *desc, const char *name,
                               const sn_value *value, uint32_t attachments,
                               sni_skin_search *searches, sni_arena *arena, sni_muscle_body *body,
                               sni_attachment_gap *gaps, sni_posed_pivots *pivots, sn_error *error);
void sni_muscles_unbind(sn_context *context, sni_bound_muscle *muscles, uint32_t count);

// How much of the way from its rest length to three quarters of it, where it is fully flexed, a
// muscle has gone: 0 at rest and longer, 1 there and shorter; 0 for a muscle without length.
double sni_shortening(double length, double rest_length);

// Whether a surface is a muscle with a control that tells its activation.
bool sni_model_tells_activation(const sn_model *model, uint32_t surface);

// The state of a muscle of the blueprint in the last evaluation.
sn_muscle_state sni_frame_muscle_state(const sn_frame *frame, uint32_t muscle);

// Quads along each side of a span in a muscle's polygons.
#define SNI_MUSCLE_STEPS 4

#endif
