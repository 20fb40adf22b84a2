// SPDX-License-Identifier: Apache-2.0
//
// Where bones alone would take flesh: every column follows some segments by weights, about its own
// centre of rotation c (Le and Hodgins, "Real-time skeletal skinning with optimized centers of
// rotation", 2016), with q the normalised mean of their rotations:
//
//     p(v) = q (v - c) q* + sum_b w_b M_b c
//
// It neither collapses as linear blending nor bulges as dual quaternions do. Skin and fascia of a
// column have one q, c and w.
#ifndef SINEW_SKIN_LAYERS_PREDICT_H
#define SINEW_SKIN_LAYERS_PREDICT_H

#include "base/arena.h"
#include "sinew/motion.h"
#include "skin/layers/mesh.h"

// Segments that a column follows, at most.
enum { SNI_LAYERS_INFLUENCES = 6 };

typedef struct sni_layers_prediction {
    sn_context *context;
    uint32_t column_count, segment_count;
    uint32_t *starts;   // column_count + 1
    uint32_t *segments; // by falling weight; of a column without any the row is empty: it stays
    float *weights;     // sum 1 in a row
    float *centres;     // column_count x 3
    sn_mat4 *from_rest; // segment_count: world at rest to the segment
    uint32_t *parents;  // segment_count, SN_NONE for roots
    uint32_t *order;    // segment_count: parents first
} sni_layers_prediction;

// `weights` are column_count x segment_count, as they come; they are averaged over neighbours in
// so many rounds, and the largest are kept. Frees nothing of it.
sn_status sni_layers_predict_init(const sni_layers_mesh *mesh, const sn_skeleton *skeleton,
                                  const sn_mat4 *rest_worlds, float *weights, uint32_t rounds,
                                  const sn_progress *progress, sni_layers_prediction *made,
                                  sn_error *error);
void sni_layers_predict_deinit(sni_layers_prediction *prediction);
size_t sni_layers_predict_bytes(const sni_layers_prediction *prediction);

// Motions of segments since rest, in a frame.
typedef struct sni_layers_motions {
    sn_mat4 *matrices;  // segment_count: world at rest to the frame's
    sn_quat *rotations; // of these; neighbours in the skeleton have like signs
} sni_layers_motions;

// `to_frame` takes the world to the frame that all is computed in. False when memory runs out.
bool sni_layers_motions_make(const sni_layers_prediction *prediction, const sn_mat4 *worlds,
                             const sn_mat4 *to_frame, sni_arena *arena,
                             sni_layers_motions *motions);

// How one column moves.
typedef struct sni_layers_motion {
    sn_quat turn;
    sn_vec3 centre, to; // c, and where it goes
} sni_layers_motion;

sni_layers_motion sni_layers_column_motion(const sni_layers_prediction *prediction,
                                           const sni_layers_motions *motions, uint32_t column);

static inline sn_vec3 sni_layers_move(const sni_layers_motion *motion, sn_vec3 v) {
    return sn_vec3_add(motion->to, sn_quat_rotate(motion->turn, sn_vec3_sub(v, motion->centre)));
}

#endif
