// SPDX-License-Identifier: Apache-2.0
#include "builder/builder_internal.h"

#include <stdlib.h>
#include <string.h>

void build_state_deinit(build_state *state) {
    stage_body_release(state->body);
    free(state->clip);
    *state = (build_state){0};
}

// The clip that was chosen stays.
static void forget_body(build_state *state) {
    stage_body_release(state->body);
    state->body = NULL;
}

// A document whose first model was never finished is still another one to who looks for a change.
void build_given_up(build_state *state, build_reason reason) {
    if (reason == BUILD_ANOTHER) {
        build_state_deinit(state);
    } else if (reason == BUILD_FILES) {
        forget_body(state);
    }
}

// The builder's character takes the text, and keeps the files that it has read.
static sn_status take_text(build_state *state, const build_order *order, sn_error *error) {
    build_given_up(state, order->reason); // what is there is of no use
    if (state->body) {
        return sn_character_replace(state->body->character, order->text, order->size, error);
    }
    return stage_body_create(order->shelf, order->base, order->text, order->size, &state->body,
                             error);
}

// ---------------------------------------------------------------------------------------------
// Motions

static bool has_clip(const sn_model *model, const char *name) {
    for (uint32_t i = 0; i < sn_model_clip_count(model); ++i) {
        if (strcmp(sn_model_clip_name(model, i), name) == 0) {
            return true;
        }
    }
    return false;
}

// What is to be played: what was chosen, while it is there, else the first clip.
static const char *pick_clip(const build_state *state, const sn_model *model) {
    bool gone = state->clip && state->clip_named && !has_clip(model, state->clip);
    if (state->clip_chosen && !gone) {
        return state->clip;
    }
    return sn_model_clip_count(model) > 0 ? sn_model_clip_name(model, 0) : NULL;
}

// A clip that cannot be opened is told, and the body stands at rest.
static sn_motion *open_motion(const build_order *order, const sn_model *model, const char *clip) {
    sn_motion *motion = NULL;
    sn_error error = {0};
    if (clip && sn_motion_open(model, clip, &motion, &error) != SN_OK) {
        char text[1100];
        sn_error_format(&error, text, sizeof text);
        desk_notice(order->desk, DESK_ALL_PAGES, "warning", "The clip \"%s\" is not played: %s",
                    clip, text);
        return NULL;
    }
    return motion;
}

// ---------------------------------------------------------------------------------------------
// Models

static sn_status put_on_stage(const build_order *order, stage_made *made, sn_motion *motion,
                              const char *clip, double begun, sn_error *error) {
    stage *next = NULL;
    uint32_t serial = ++*order->last_serial;
    sn_status status = SN_OK;
    SN_TRY(stage_create(made, motion, clip, serial, order->revision, &next, error));
    SN_TRY(stage_write_info(next, order->slot, 1000 * (app_clock() - begun), &next->info,
                            &next->info_size, error));
    player_install(*desk_player_of(order->desk), order->slot, next);
    return SN_OK;
cleanup:
    stage_release(next);
    return status;
}

// What the edits since the present model was made leave as it was is taken over from it, unless
// files have been read anew since.
static sn_status make_model(build_state *state, const build_order *order, double begun,
                            sn_error *error) {
    sn_model *model = NULL;
    stage_made *made = NULL;
    stage *present = player_hold_stage(*desk_player_of(order->desk), order->slot);
    bool same_files = present && present->made->body == state->body;
    sn_status status = SN_OK;
    SN_TRY(sn_model_recompile(state->body->character, same_files ? present->made->model : NULL,
                              order->progress, &model, error));
    SN_TRY(stage_made_create(state->body, model, present ? present->made : NULL, &made, error));
    const char *clip = pick_clip(state, model);
    SN_TRY(put_on_stage(order, made, open_motion(order, model, clip), clip, begun, error));
cleanup:
    stage_release(present);
    stage_made_release(made);
    return status;
}

sn_status build_run(build_state *state, const build_order *order, sn_error *error) {
    double begun = app_clock();
    sn_status status = SN_OK;
    SN_TRY(take_text(state, order, error));
    SN_TRY(make_model(state, order, begun, error));
    state->has_model = true;
cleanup:
    return status;
}

sn_status build_choose_clip(build_state *state, desk *desk, uint32_t slot, const char *clip,
                            sn_error *error) {
    stage *present = player_hold_stage(*desk_player_of(desk), slot), *next = NULL;
    sn_motion *motion = NULL;
    if (!present) {
        return desk_fail(error, SN_INVALID, "slot", "there is no model yet");
    }
    sn_status status = SN_OK;
    SN_TRY(clip ? sn_motion_open(present->made->model, clip, &motion, error) : SN_OK);
    SN_TRY(stage_create(present->made, motion, clip, present->serial, present->revision, &next,
                        error));
    SN_TRY(stage_write_info(next, slot, 0, &next->info, &next->info_size, error));
    free(state->clip);
    state->clip = desk_copy_string(clip);
    state->clip_chosen = true;
    state->clip_named = clip && has_clip(present->made->model, clip);
    player_install(*desk_player_of(desk), slot, next);
    next = NULL;
cleanup:
    stage_release(next);
    stage_release(present);
    return status;
}
