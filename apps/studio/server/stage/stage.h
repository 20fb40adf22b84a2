// SPDX-License-Identifier: Apache-2.0
//
// A stage: a model with its motion and its frame, and what pages need to know of it. Made by the
// builder, played by the player, held by jobs; counted, so that each may go when it likes.
#ifndef SINEW_STUDIO_STAGE_H
#define SINEW_STUDIO_STAGE_H

#include "stage/coat.h"

#include "sinew/eval.h"
#include "sinew/json.h"

#include <stdatomic.h>

// The builder's own character: meshes and clips that were read stay from model to model.
typedef struct stage_body {
    atomic_uint uses;
    sn_character *character;
} stage_body;

// What does not change of a surface as it moves. Constant.
typedef struct stage_shape {
    atomic_uint uses;
    uint64_t hash; // of the mesh that it was made from
    uint32_t vertex_count, triangle_count, edge_count;
    bool closed;
    uint32_t *triangles, *faces, *edges; // x 3, x 1, x 2
    float *rest;                         // #V x 3, in the world at rest
    uint8_t *colors;  // #V x 4 of a skin that has them, sRGB and alpha; NULL: none
    stage_coat *coat; // its materials; NULL: none
} stage_shape;

typedef struct stage_made {
    atomic_uint uses;
    stage_body *body;
    sn_model *model;
    uint32_t shape_count; // as many as surfaces
    stage_shape **shapes;
} stage_made;

typedef struct stage {
    atomic_uint uses;
    stage_made *made;
    sn_motion *motion; // NULL: none
    char *clip;        // that it was opened as: a name of the document, or a file
    sn_frame *frame;   // the player's
    bool swings;       // muscles of its model do
    uint32_t serial;
    uint64_t revision;
    char *info; // the event `model`
    size_t info_size;
    bool announced; // pages were told (the player's lock)
} stage;

// A body that shares files with `shelf`.
sn_status stage_body_create(const stage_body *shelf, const char *base, const char *text,
                            size_t size, stage_body **result, sn_error *error);
// One without a document, from which all characters of a slot have the files that they share.
sn_status stage_shelf_create(sn_context *context, stage_body **result, sn_error *error);
stage_body *stage_body_hold(stage_body *body);
void stage_body_release(stage_body *body); // NULL is allowed, here and below

// Takes over the model, also when it fails. Shapes of `before` (NULL: none) are used again where
// meshes are the same.
sn_status stage_made_create(stage_body *body, sn_model *model, const stage_made *before,
                            stage_made **result, sn_error *error);
stage_made *stage_made_hold(stage_made *made);
void stage_made_release(stage_made *made);
void stage_free_shapes(stage_shape **shapes, uint32_t count);

// Takes over the motion, also when it fails; holds `made`. `clip` is what the motion was opened as.
sn_status stage_create(stage_made *made, sn_motion *motion, const char *clip, uint32_t serial,
                       uint64_t revision, stage **result, sn_error *error);
stage *stage_hold(stage *stage);
void stage_release(stage *stage);

// The event `model` as a text, malloc'd.
sn_status stage_write_info(const stage *stage, uint32_t slot, double milliseconds, char **text,
                           size_t *size, sn_error *error);

#endif
