// SPDX-License-Identifier: Apache-2.0
#include "builder/builder_internal.h"

#include "edits/patch.h"

#include <stdlib.h>
#include <string.h>

void build_state_deinit(build_state *state) {
    stage_body_release(state->body);
    sn_json_destroy(state->built);
    free(state->clip);
    *state = (build_state){0};
}

// The clip that was chosen stays.
static void forget_body(build_state *state) {
    stage_body_release(state->body);
    state->body = NULL;
    sn_json_destroy(state->built);
    state->built = NULL;
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
// One muscle

static bool stands_for_several(const sn_value *entry) {
    return sn_value_get(entry, "repeat") || sn_value_get(entry, "mirror");
}

// The only member that differs between two maps with the same keys; NULL where it is not one.
static const sn_value *only_difference(const sn_value *from, const sn_value *to) {
    const sn_value *found = NULL;
    if (!from || !to || from->type != SN_JSON_OBJECT || to->type != SN_JSON_OBJECT ||
        sn_value_count(from) != sn_value_count(to)) {
        return NULL;
    }
    for (uint32_t i = 0; i < sn_value_count(to); ++i) {
        const sn_value *old = sn_value_at(from, i), *new = sn_value_at(to, i);
        if (strcmp(old->key, new->key) != 0) {
            return NULL;
        }
        if (!patch_equal(old, new)) {
            if (found) {
                return NULL;
            }
            found = new;
        }
    }
    return found;
}

// The muscle that alone is different from the present model's document; NULL where more is.
static const char *find_muscle(const build_state *state, const sn_json *document) {
    if (!state->built) {
        return NULL;
    }
    const sn_value *section = only_difference(sn_json_root(state->built), sn_json_root(document));
    if (!section || strcmp(section->key, "muscles") != 0) {
        return NULL;
    }
    const sn_value *old = sn_value_get(sn_json_root(state->built), "muscles");
    const sn_value *muscle = only_difference(old, section);
    if (!muscle || stands_for_several(muscle) ||
        stands_for_several(sn_value_get(old, muscle->key))) {
        return NULL;
    }
    return muscle->key;
}

// Writes what pages are told of a stage that has changed: the new event with the new shapes.
static sn_status describe_update(const build_order *order, const stage *present, double begun,
                                 player_update *update, sn_error *error) {
    stage_made made = {.body = present->made->body,
                       .model = present->made->model,
                       .shape_count = present->made->shape_count};
    stage changed = {.made = &made, .motion = present->motion};
    sn_status status = stage_made_reshape(present->made, &update->shapes, error);
    if (status != SN_OK) {
        return status;
    }
    update->serial = ++*order->last_serial;
    update->revision = order->revision;
    made.shapes = update->shapes;
    changed.serial = update->serial;
    changed.revision = update->revision;
    status = stage_write_info(&changed, order->slot, 1000 * (app_clock() - begun), &update->info,
                              &update->info_size, error);
    if (status != SN_OK) {
        stage_free_shapes(update->shapes, made.shape_count);
        *update = (player_update){0};
    }
    return status;
}

// True: the model is that of the new document.
static bool update_muscle(build_state *state, const build_order *order, double begun) {
    const char *muscle = find_muscle(state, sn_character_document(state->body->character));
    stage *present = muscle ? player_begin_update(*desk_player_of(order->desk), order->slot) : NULL;
    player_update update = {0};
    if (!present) {
        return false;
    }
    bool done = present->made->body == state->body &&
                sn_model_update_muscle(present->made->model, muscle, NULL) == SN_OK &&
                describe_update(order, present, begun, &update, NULL) == SN_OK;
    player_end_update(*desk_player_of(order->desk), order->slot, &update);
    return done;
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

static sn_status make_model(build_state *state, const build_order *order, double begun,
                            sn_error *error) {
    sn_model *model = NULL;
    stage_made *made = NULL;
    stage *present = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_model_create(state->body->character, order->progress, &model, error));
    present = player_hold_stage(*desk_player_of(order->desk), order->slot);
    SN_TRY(stage_made_create(state->body, model, present ? present->made : NULL, &made, error));
    const char *clip = pick_clip(state, model);
    SN_TRY(put_on_stage(order, made, open_motion(order, model, clip), clip, begun, error));
cleanup:
    stage_release(present);
    stage_made_release(made);
    return status;
}

static void remember_built(build_state *state, const build_order *order) {
    sn_json *built = NULL;
    if (sn_json_parse(desk_context(order->desk), order->text, order->size, &built, NULL) != SN_OK) {
        built = NULL; // the next change is then made with a new model
    }
    sn_json_destroy(state->built);
    state->built = built;
}

sn_status build_run(build_state *state, const build_order *order, sn_error *error) {
    double begun = app_clock();
    sn_status status = SN_OK;
    SN_TRY(take_text(state, order, error));
    if (!update_muscle(state, order, begun)) {
        SN_TRY(make_model(state, order, begun, error));
        state->has_model = true;
    }
    remember_built(state, order);
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
