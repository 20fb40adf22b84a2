// SPDX-License-Identifier: Apache-2.0
//
// The muscles of a model: bound to their skins at rest, posed in every frame.
#ifndef SINEW_EVAL_MUSCLES_H
#define SINEW_EVAL_MUSCLES_H

#include "base/arena.h"
#include "character/blueprint.h"

typedef struct sni_bound_muscle {
    const sni_muscle_ops *ops;
    void *bound;
    sni_muscle_surface surface;    // borrowed from the binding
    uint32_t point_count;          // control points
    uint32_t contraction, tension; // controls, or SN_NONE
    sn_mesh *mesh;                 // polygons of the relaxed muscle at rest
} sni_bound_muscle;

// What muscles bind to.
typedef struct sni_muscle_skin {
    const sn_mesh *mesh;
    const uint32_t *bone_segments; // of the mesh's weights; NULL without
} sni_muscle_skin;

typedef struct sni_muscles_desc {
    sn_context *context;
    const sni_blueprint *blueprint;
    const sni_muscle_skin *skins; // one for each surface of the blueprint
    const sn_mat4 *rest_worlds;
    const sn_progress *progress;
} sni_muscles_desc;

// Binds all muscles of a blueprint into `muscles` (muscle_count, zeroed). What was bound before a
// failure is left there for sni_muscles_unbind.
sn_status sni_muscles_bind(const sni_muscles_desc *desc, sni_bound_muscle *muscles,
                           sn_error *error);
void sni_muscles_unbind(sn_context *context, sni_bound_muscle *muscles, uint32_t count);

// Quads along each side of a span in a muscle's polygons.
#define SNI_MUSCLE_STEPS 4

#endif
