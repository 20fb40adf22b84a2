// SPDX-License-Identifier: Apache-2.0
//
// The steps of sn_fit_graph (docs/graph.md).
#ifndef SINEW_FIT_MUSCLE_GRAPH_H
#define SINEW_FIT_MUSCLE_GRAPH_H

#include "fit/muscle/fit.h"
#include "geometry/interior.h"

typedef struct sni_graph_fitting {
    sn_context *context;
    const sn_graph_fit_desc *desc;
    const sni_bone_trees *trees; // may be NULL
    sni_interior interior;       // of the mesh, in the world
    double size;                 // diagonal of its box
    sni_arena arena;
    sni_fit_bones bones; // in the world
    sn_graph_fit *result;
} sni_graph_fitting;

// Whether the mesh is a ring, and around what (graph_ring.c).
sn_status sni_graph_find_ring(sni_graph_fitting *fitting, sn_vec3 *center, bool *found,
                              sn_error *error);

// The points of a ring around a centre, with the centre.
sn_status sni_graph_fit_ring(sni_graph_fitting *fitting, sn_vec3 center, sn_error *error);

// Moves a point that is outside of the mesh to the middle of what is nearest.
sn_vec3 sni_graph_move_inside(sni_graph_fitting *fitting, sn_vec3 point);

// Puts a point on the bone nearest to it.
sn_status sni_graph_put_on_bone(sni_graph_fitting *fitting, sn_fit_graph_point *point,
                                sn_error *error);

// sn_fit_graph with trees of the desc's bones, which may be NULL.
sn_status sni_fit_graph(sn_context *context, const sn_graph_fit_desc *desc,
                        const sni_bone_trees *trees, sn_graph_fit **fit, sn_error *error);

#endif
