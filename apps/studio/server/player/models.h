// SPDX-License-Identifier: Apache-2.0
//
// Models that are on stage, for commands and jobs (any thread).
#ifndef SINEW_STUDIO_MODELS_H
#define SINEW_STUDIO_MODELS_H

#include "desk/service.h"

#include "sinew/eval.h"

// A model that was made, with its motion: holds both until it is let go. Constant while it is held.
typedef struct desk_model {
    sn_model *model;
    sn_motion *motion; // NULL: none
    const char *clip;  // that it was opened as: a name of the document, or a file; NULL: none
    uint32_t serial;
    uint64_t revision;   // of the document that it was made from
    struct stage *stage; // what is held
} desk_model;

// The newest model of a slot; SN_INVALID where there is none. Let it go soon: while it is held,
// edits of muscles take longer.
sn_status desk_hold_model(desk *desk, uint32_t slot, desk_model *model, sn_error *error);
void desk_let_model_go(desk_model *model);

// Adds "values" {NAME: number} to an object: what is held in the slot by pages.
void desk_add_held(desk *desk, uint32_t slot, sn_json *json, sn_value *object);

// The frame of a model that is held, in the pose that pages see (`hidden`: with skins that are not
// shown, too), until it is returned. Fails where another model came, or the frame is still being
// computed. Between the two calls the slot's model cannot be held. (Desk thread.)
sn_status desk_borrow_frame(desk *desk, uint32_t slot, const desk_model *model, bool hidden,
                            sn_frame **frame, sn_error *error);
void desk_return_frame(desk *desk, uint32_t slot);

#endif
