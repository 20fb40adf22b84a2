// SPDX-License-Identifier: Apache-2.0
//
// What lies under a skin, found by bundles of rays as the thesis does (section 5.3.3): each column
// sends ten rays inwards, in a cone of twenty degrees around the opposite of its outward direction.
// The triangles of components that they meet say how deep the flesh is, and what its fascia
// follows:
//
//     muscles of `tied` that a ray goes through until it meets what a segment carries: the fascia
//     goes with these triangles, also where other muscles lie over them, as at the corner of a
//     mouth; what deforms and is met first: it lifts and lowers the fascia along its normal; what a
//     segment carries: nothing, weights move the fascia there
//
// A column none of whose rays meets anything, or that lies much deeper than those around it, has
// looked through a hole. It gets the depth and the triangles of its neighbours (the thesis'
// repair).
//
// A fascia point follows a triangle by the map of the triangle's frame from rest to its pose.
#ifndef SINEW_SKIN_LAYERS_UNDER_H
#define SINEW_SKIN_LAYERS_UNDER_H

#include "base/arena.h"
#include "kind/component_shape.h"
#include "skin/layers/fascia.h"
#include "skin/sparse_blend.h"

// Rays of a bundle.
enum { SNI_LAYERS_RAYS = 10 };

typedef struct sni_layers_component {
    uint32_t segment; // SN_NONE: it deforms
    bool tied;
    bool has_strips; // its points are not its vertices
    bool is_met;     // by some ray
    sni_component_shape *shape;
    float *vertices;    // at rest on the body that is followed; its shape's own where NULL
    sn_accel *accel;    // the same
    sn_mat4 to_segment; // of carried ones, from there
} sni_layers_component;

// Triangles that fascia follows, of all components.
typedef struct sni_layers_triangle {
    uint32_t component;
    uint32_t corners[3];
    sn_mat4 from_rest; // to the triangle's frame
} sni_layers_triangle;

// Triangles that columns follow, a row for each column.
typedef struct sni_layers_follow {
    uint32_t *starts; // column_count + 1
    uint32_t *triangles;
    float *weights; // the part of the column's rays that met it
} sni_layers_follow;

typedef struct sni_layers_under {
    sn_context *context;
    uint32_t component_count;
    sni_layers_component *components;
    uint32_t column_count;
    float *distances; // column_count: from the skin, INFINITY where nothing is below
    uint32_t triangle_count;
    sni_layers_triangle *triangles;
    sni_layers_follow tied, lifted;
    uint32_t missed, repaired; // columns that met nothing, and those that neighbours helped
} sni_layers_under;

typedef struct sni_layers_under_desc {
    uint32_t component_count;
    const sni_component *components;
    const bool *tied; // component_count
    const sn_mat4 *rest_worlds;
    double cone; // half its opening, radians
} sni_layers_under_desc;

// Casts the rays. Then, with the fascia's points, makes what follows triangles. Free with
// sni_layers_under_deinit, also where one fails.
sn_status sni_layers_under_init(const sni_layers_mesh *mesh, const sni_layers_fascia *fascia,
                                const sni_layers_under_desc *desc, const sn_progress *progress,
                                sni_layers_under *made, sn_error *error);
void sni_layers_under_deinit(sni_layers_under *under);
size_t sni_layers_under_bytes(const sni_layers_under *under);

// Weights of segments by the bones that rays meet, the nearer the more (column_count x
// segment_count, zeros at first), spread over columns that meet none. Pieces of the skin from which
// no ray meets one follow the nearest. False in `any` where segments carry nothing.
sn_status sni_layers_under_weigh(const sni_layers_under *under, const sni_layers_mesh *mesh,
                                 const sni_layers_fascia *fascia, uint32_t segment_count,
                                 float *weights, bool *any, sn_error *error);

// Components in a frame. `surfaces` and `points` are those of a sni_components_pose, `to_frame`
// takes the world to the frame that all is computed in, in which `points` are.
typedef struct sni_layers_under_pose {
    const float *const *surfaces;
    const float *const *points;
    const sn_mat4 *to_frame;
} sni_layers_under_pose;

// Matrices of all triangles, from rest to a frame (sni_blend_matrix_store). NULL when memory runs
// out.
float *sni_layers_under_matrices(const sni_layers_under *under, sni_arena *arena,
                                 const sni_layers_under_pose *pose);

#endif
