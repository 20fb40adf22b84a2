// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_EVAL_BAKE_H
#define SINEW_EVAL_BAKE_H

#include "eval/model.h"

// What a skinned file needs of a surface: its mesh, with bones called as the segments, or the
// segment that carries it.
typedef struct sni_skinned_mesh {
    sn_mesh *copy; // NULL when the mesh can be used as it is; else the caller's
    uint32_t segment;
} sni_skinned_mesh;

sn_status sni_skinned_mesh_make(const sn_model *model, const sn_surface *surface,
                                sni_skinned_mesh *skinned, sn_error *error);

// A copy of a skin's mesh without morph targets and with other points; where these differ, normals
// are computed anew and tangents left out (express.c).
sn_status sni_mesh_with_points(sn_context *context, const sn_mesh *mesh, const float *points,
                               sn_mesh **copy, sn_error *error);

// Adds computed normals to a mesh that has none.
sn_status sni_mesh_add_normals(sn_mesh *mesh, sn_error *error);

#endif
