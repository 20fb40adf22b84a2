// SPDX-License-Identifier: Apache-2.0
//
// How a model comes of a document (the builder's thread only).
#ifndef SINEW_STUDIO_BUILDER_INTERNAL_H
#define SINEW_STUDIO_BUILDER_INTERNAL_H

#include "builder/builder.h"
#include "common/common.h"
#include "player/player.h"

// Of a slot, from model to model.
typedef struct build_state {
    stage_body *body;
    bool has_model;   // one of this document was made
    bool clip_chosen; // else the first of the document is played
    bool clip_named;  // it is one of the document's
    char *clip;       // NULL: the rest pose
} build_state;

void build_state_deinit(build_state *state);

typedef struct build_order {
    desk *desk;
    uint32_t slot;
    uint64_t revision;
    const char *text;
    size_t size;
    const char *base;
    const stage_body *shelf;
    build_reason reason;
    const sn_progress *progress;
    uint32_t *last_serial;
} build_order;

// Makes the model and puts it on the stage. When it fails the present model stays on the stage;
// without `has_model` it is none of this document.
sn_status build_run(build_state *state, const build_order *order, sn_error *error);
// After build_run was cancelled: the next one begins with another body where this one should have.
void build_given_up(build_state *state, build_reason reason);

// Puts another motion on the stage.
sn_status build_choose_clip(build_state *state, desk *desk, uint32_t slot, const char *clip,
                            sn_error *error);

#endif
