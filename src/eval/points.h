// SPDX-License-Identifier: Apache-2.0
//
// What a document says about single points of a mesh, once the mesh is known: key poses and
// weights.
#ifndef SINEW_EVAL_POINTS_H
#define SINEW_EVAL_POINTS_H

#include "base/arena.h"
#include "character/blueprint.h"
#include "sinew/character.h"

// The sets of key poses of a deformer on `mesh`; all memory is the arena's. Fails with SN_INVALID
// for a vertex that the mesh does not have and for a key's mesh of another size.
sn_status sni_poses_make(sn_character *character, const sni_deformer_plan *plan,
                         const sn_mesh *mesh, sni_arena *arena, sni_pose_set **sets,
                         sn_error *error);

// The weights of a mesh's points under "weights" of a deformer (`list`), #V; NULL where it has
// none. Fails with SN_INVALID for points, a group or an attribute that the mesh does not have.
sn_status sni_point_weights_make(sn_context *context, const sn_value *list, const sn_mesh *mesh,
                                 float **weights, sn_error *error);

#endif
