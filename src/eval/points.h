// SPDX-License-Identifier: Apache-2.0
//
// What a document says about single points of a mesh, once the mesh is known: key poses and
// weights.
#ifndef SINEW_EVAL_POINTS_H
#define SINEW_EVAL_POINTS_H

#include "base/arena.h"
#include "character/blueprint/blueprint.h"
#include "sinew/character.h"

// Sets of key poses on `mesh`; all memory is the arena's. Fails with SN_INVALID
// for a vertex that the mesh does not have and for a key's mesh of another size.
sn_status sni_poses_make(sn_character *character, const sni_poses_plan *plan, const sn_mesh *mesh,
                         sni_arena *arena, sni_pose_set **sets, sn_error *error);

// The weights of a mesh's points, #V; NULL where the deformer gives none. Fails with SN_INVALID for
// points, a group or an attribute that the mesh does not have.
sn_status sni_point_weights_make(sn_context *context, const sni_deformer_plan *plan,
                                 const sn_mesh *mesh, float **weights, sn_error *error);

// What is said of some vertices: marks[v] becomes 1 and values[v] its value for each of them (both
// #V; others stay). Fails with SN_INVALID for points that the mesh does not have, and for another
// number of values.
sn_status sni_point_values_read(const sni_point_values_plan *plan, const sn_mesh *mesh,
                                uint8_t *marks, float *values, sn_error *error);

// The vertices that are named, rising; in the arena.
sn_status sni_points_list(const sni_points_plan *plan, const sn_mesh *mesh, sni_arena *arena,
                          uint32_t **points, uint32_t *count, sn_error *error);

// A mesh with the weights that "paint" of a blend lays over those of `mesh`
// (paint_weights.c). A segment that no bone of the mesh is becomes a bone behind the others.
typedef struct sni_paint_job {
    sn_context *context;
    uint32_t entry_count;
    const sni_paint_entry *entries;
    const sn_mesh *mesh;
    const uint32_t *bone_segments; // of the mesh
    const sn_skeleton *skeleton;
    const sn_mat4 *rest_worlds;
} sni_paint_job;

// `painted` and `bone_segments` (of its bones) are the caller's.
sn_status sni_paint_weights(const sni_paint_job *job, sn_mesh **painted, uint32_t **bone_segments,
                            sn_error *error);

#endif
