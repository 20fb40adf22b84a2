// SPDX-License-Identifier: Apache-2.0
//
// A character for game engines: skins with at most four bones to a vertex, and morph targets for
// what bones alone cannot do (docs/game.md).
//
//   game.c          frames, files, measures
//   game_weights.c  bones and weights of a skin: its own, or fitted to how it moves
//   game_targets.c  morph targets of a skin, fitted to what the bones leave
#ifndef SINEW_EVAL_GAME_H
#define SINEW_EVAL_GAME_H

#include "eval/model.h"

enum { SNI_GAME_BONES = 4 }; // to a vertex: what engines compute with

// The frames that a skin is fitted to, of all clips one after another.
typedef struct sni_game_poses {
    uint32_t count;
    uint32_t segment_count;
    const sn_mat4 *worlds;      // count x segment_count
    const float *const *points; // count: #V x 3, the skin as it is evaluated
    const uint32_t *clips;      // count: the clip that a frame is of, from 0, rising
} sni_game_poses;

typedef struct sni_game_skin {
    uint32_t surface;
    uint32_t vertex_count;
    float *rest; // #V x 3: points that the bones move, at rest
    float *base; // #V x 3: the same with all weights of targets at zero
    uint32_t bone_count;
    uint32_t *bone_segments;
    sn_mat4 *inverse_binds; // bone_count
    uint32_t *bones;        // #V x 4
    float *weights;         // #V x 4: multiples of 1/65535 that add up to 1
    uint32_t target_count;
    float unit;            // metres to a unit of `targets`
    float *targets;        // target_count x #V x 3: multiples of 1/127 or 1/32767, within -1 to 1
    float *rest_weights;   // target_count: with them the skin is at rest
    double *factor;        // target_count x target_count: Cholesky factor of their products
    float *palette;        // bone_count x 12: matrices of the frame that is looked at
    float *offsets, *gaps; // #V x 3 and #V of that frame
} sni_game_skin;

void sni_game_skin_deinit(sn_context *context, sni_game_skin *skin);

// The matrix of a bone, world * inverse bind: its three rows.
void sni_game_matrix(const sni_game_skin *skin, uint32_t bone, const sn_mat4 *worlds,
                     float rows[12]);

// Takes the weights of a skin whose `blend` uses its own, of each vertex the four largest.
sn_status sni_game_take_weights(const sn_model *model, sni_game_skin *skin, sn_error *error);

// Fits weights to the motion of a skin: for each vertex up to four segments that carry it best.
// `rest` is the skin at rest.
sn_status sni_game_fit_weights(const sn_model *model, const float *rest,
                               const sni_game_poses *poses, sni_game_skin *skin, sn_error *error);

// Morph targets as a fit finds them, the most important first.
typedef struct sni_game_shapes {
    uint32_t count;
    float *shapes;       // count x #V x 3, at the largest weight that occurs
    float *lows, *highs; // count: the range of their weights, with 0 in it
    double *errors;      // (count + 1) x clip_count: mean distance of a clip with so many of them
    uint32_t clip_count;
} sni_game_shapes;

// Finds up to `most` shapes for what the bones of a skin leave of its motion.
sn_status sni_game_find_shapes(sn_context *context, sni_game_skin *skin,
                               const sni_game_poses *poses, uint32_t most, sni_game_shapes *shapes,
                               const sn_progress *progress, sn_error *error);
void sni_game_shapes_deinit(sn_context *context, sni_game_shapes *shapes);

// Gives a skin the first `count` shapes as targets and moves its base so that their weights lie
// within 0 to 1: many programs know no others. They are rounded to bytes where that moves no
// coordinate by more than `tolerance` at the largest weight, else to 16 bits.
sn_status sni_game_set_targets(sn_context *context, const sni_game_shapes *shapes, uint32_t count,
                               double tolerance, sni_game_skin *skin, sn_error *error);

// The weights of the targets (target_count), 0 to 1, in a frame with the given worlds and points,
// and how far from these points the bones and targets then put each vertex (`gaps` of the skin,
// metres).
sn_status sni_game_weigh(sn_context *context, sni_game_skin *skin, const sn_mat4 *worlds,
                         const float *points, float *weights, sn_error *error);

#endif
