// SPDX-License-Identifier: Apache-2.0
//
// Models for topics and jobs, and what pages are told of them.
#include "player/models.h"

#include "player/player.h"

#include <stdio.h>
#include <stdlib.h>

// How long the desk waits for a frame that was asked for a moment ago: seconds.
#define BORROW_SECONDS 2.0

sn_status desk_hold_model(desk *desk, uint32_t slot, desk_model *model, sn_error *error) {
    stage *stage = slot < DESK_SLOTS ? player_hold_stage(*desk_player_of(desk), slot) : NULL;
    if (!stage) {
        return desk_fail(error, SN_INVALID, "slot", "there is no model yet");
    }
    *model = (desk_model){.model = stage->made->model,
                          .motion = stage->motion,
                          .clip = stage->clip,
                          .serial = stage->serial,
                          .revision = stage->revision,
                          .stage = stage};
    return SN_OK;
}

void desk_let_model_go(desk_model *model) {
    stage_release(model->stage);
    *model = (desk_model){0};
}

void desk_add_held(desk *desk, uint32_t slot, sn_json *json, sn_value *object) {
    player_add_held(*desk_player_of(desk), slot, json, object);
}

sn_status desk_borrow_frame(desk *desk, uint32_t slot, const desk_model *model, bool hidden,
                            sn_frame **frame, sn_error *error) {
    stage *stage = player_borrow_frame(*desk_player_of(desk), slot, hidden, BORROW_SECONDS);
    if (!stage) {
        return desk_fail(error, SN_INVALID, "slot",
                         "the frame is still being computed; try again when it is shown");
    }
    if (stage != model->stage) {
        player_return_frame(*desk_player_of(desk), slot);
        return desk_fail_as(error, desk_stale, "slot", "the model was made anew meanwhile");
    }
    *frame = stage->frame;
    return SN_OK;
}

void desk_return_frame(desk *desk, uint32_t slot) {
    player_return_frame(*desk_player_of(desk), slot);
}

// ---------------------------------------------------------------------------------------------
// Telling pages

void desk_tell_time(desk *desk, uint32_t page) {
    sn_json *event = desk_event(desk, "time");
    if (event) {
        player_add_time(*desk_player_of(desk), event, sn_json_root(event));
        desk_send(desk, page, event, "time");
    }
}

void desk_tell_held(desk *desk, uint32_t page, uint32_t slot) {
    char replaces[32];
    snprintf(replaces, sizeof replaces, "held %u", slot);
    sn_json *event = desk_event(desk, "held");
    if (event) {
        sn_json_add_number(event, sn_json_root(event), "slot", slot);
        player_add_held(*desk_player_of(desk), slot, event, sn_json_root(event));
        desk_send(desk, page, event, replaces);
    }
}
