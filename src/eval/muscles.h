// SPDX-License-Identifier: Apache-2.0
//
// The muscles of a body: made at rest, posed in every frame.
#ifndef SINEW_EVAL_MUSCLES_H
#define SINEW_EVAL_MUSCLES_H

#include "base/arena.h"
#include "base/store.h"
#include "character/blueprint/blueprint.h"
#include "character/inner.h"
#include "sinew/eval.h"
#include "sinew/geometry.h"

typedef struct sni_rest sni_rest;

// How far from the surface of its bone a muscle is attached.
typedef struct sni_attachment_gap {
    double distance; // metres; 0 for a place in a segment's frame
    double size;     // of the bone: the diagonal of its box
} sni_attachment_gap;

// A muscle that was made.
typedef struct sni_bound_muscle {
    sni_made made;
    const sni_muscle_ops *ops;
    void *bound;
    sni_muscle_surface surface;  // borrowed from the binding
    uint32_t point_count;        // control points
    sn_mesh *mesh;               // polygons of the relaxed muscle at rest
    void *kept[SNI_INPUTS_MOST]; // what posing needs of its inputs besides their plans
} sni_bound_muscle;

// A surface at rest that can be searched. Whoever edits keeps it from one model to the next.
typedef struct sni_surface_search {
    sni_made made;
    sn_triangles *triangles;
    sn_accel *accel;
    float *normals;
    double size; // diagonal of its box
} sni_surface_search;

// A surface at rest as the making of muscles sees it; its parts are made when the first muscle
// needs them.
typedef struct sni_skin_search {
    sni_surface_search *held; // that the next four are of; NULL: not made yet
    const sn_triangles *triangles;
    const sn_accel *accel;
    const float *normals;
    double size;
    double side;             // 1 where its polygons face outwards, -1 inwards; 0: not known
    uint32_t *bone_segments; // of the bones' names, where no deformer says which segments they are
    sni_inner inner;         // the same as something that muscles lie on
    sni_inner limbs;         // those that it hangs on
} sni_skin_search;

// Finds or makes what has not been made yet of triangles, accel, normals and size.
sn_status sni_skin_search_make(sni_rest *rest, uint32_t surface, sni_skin_search *search,
                               sn_error *error);

// The muscles of a body, those that need extracted skins or the others: found, or made. Their
// digests must be there, and the surfaces that they need.
sn_status sni_rest_make_muscles(sni_rest *rest, bool on_extracted, const sn_progress *progress,
                                sn_error *error);

// An attachment as a place in the world at rest (attachments.c), and how far from its bone that is.
sn_status sni_attachment_make(const sni_collecting *collecting, const sni_attachment_plan *plan,
                              sni_muscle_attachment *made, sni_attachment_gap *gap,
                              sn_error *error);

// The place alone.
sn_vec3 sni_attachment_point(const sni_rest *rest, const sni_attachment_plan *plan);

// What a muscle between bones is made from (attachments.c): its attachments as places in the world
// at rest, sections or changed slices, pivots and bodies to go around, all in the arena. `gaps` has
// room for one of each attachment: origins, then insertions.
sn_status sni_muscle_body_make(const sni_collecting *collecting, const sni_muscle_body_plan *plan,
                               sni_muscle_body *body, sni_attachment_gap *gaps, sn_error *error);

// The bodies of a muscle between bones, and the gaps of all of them, one after the other; NULL for
// other muscles.
const sni_bodies_plan *sni_muscle_bodies(const sni_muscle_plan *plan);
const sni_attachment_gap *sni_muscle_gaps(const sni_bound_muscle *muscle);

// Where a pivot is in a pose and whether it is passed by (pivots.c). `unit` is that of its numbers,
// in metres.
sni_muscle_pivot_place sni_pivot_find(const sni_pivot_plan *pivot, double unit,
                                      const sni_pose *pose);

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
