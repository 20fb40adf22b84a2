// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_CHARACTER_SURFACE_MESH_H
#define SINEW_CHARACTER_SURFACE_MESH_H

#include "character/blueprint/blueprint.h"
#include "character/character.h"

// The length of one unit of a surface's coordinates, in metres, where its segment has this size.
static inline double sni_surface_unit(const sni_surface_plan *plan, const double *segment_sizes) {
    return plan->in_sizes ? segment_sizes[plan->segment] : 1;
}

// The matrix that takes the unit ball to a surface that is an ellipsoid, in metres.
sn_mat4 sni_surface_ellipsoid(const sni_surface_plan *plan, double unit);

// The mesh of a bone, tissue or skin in metres, in the frame that its plan names: the character's,
// or one that is made for it. `made` is then the same mesh, for the caller to destroy; else NULL.
sn_status sni_surface_mesh(sn_character *character, const sni_surface_plan *plan, double unit,
                           const sn_mesh **mesh, sn_mesh **made, sn_error *error);

#endif
