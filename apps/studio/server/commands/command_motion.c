// SPDX-License-Identifier: Apache-2.0
//
// Commands: seek, play, stop, playback, clip, hold, reach, release, pairing.
#include "builder/builder.h"
#include "commands/commands.h"
#include "files/files.h"
#include "player/player.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static sn_status run_seek(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                          sn_error *error) {
    uint32_t frame = 0;
    (void)answer, (void)ok;
    sn_status status = SN_OK;
    SN_TRY(desk_argument_index(request, "frame", &frame, error));
    player_seek(*desk_player_of(desk), frame);
    desk_tell_time(desk, DESK_ALL_PAGES);
cleanup:
    return status;
}

static sn_status run_play(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                          sn_error *error) {
    (void)request, (void)answer, (void)ok, (void)error;
    player_play(*desk_player_of(desk), true);
    desk_tell_time(desk, DESK_ALL_PAGES);
    return SN_OK;
}

static sn_status run_stop(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                          sn_error *error) {
    (void)request, (void)answer, (void)ok, (void)error;
    player_play(*desk_player_of(desk), false);
    desk_tell_time(desk, DESK_ALL_PAGES);
    return SN_OK;
}

// "range": [first, last], or null for the whole clip.
static sn_status take_range(const sn_value *range, player_playback *playback, sn_error *error) {
    playback->has_range = range->type != SN_JSON_NULL;
    if (!playback->has_range) {
        return SN_OK;
    }
    double first = sn_value_number(sn_value_at(range, 0), -1);
    double last = sn_value_number(sn_value_at(range, 1), -1);
    bool whole = first == floor(first) && last == floor(last);
    if (range->type != SN_JSON_ARRAY || sn_value_count(range) != 2 || !whole || !(first >= 0) ||
        !(last > first) || last >= UINT32_MAX) {
        return desk_fail(error, SN_INVALID, "range",
                         "`range` must be two frames, the second one later, or null");
    }
    playback->first = (uint32_t)first;
    playback->last = (uint32_t)last;
    return SN_OK;
}

static sn_status run_playback(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                              sn_error *error) {
    player_playback playback = player_get_playback(*desk_player_of(desk));
    (void)answer, (void)ok;
    playback.loop = sn_value_bool(sn_value_get(request->args, "loop"), playback.loop);
    playback.every = sn_value_bool(sn_value_get(request->args, "every"), playback.every);
    if (sn_value_get(request->args, "speed")) {
        sn_status status =
            desk_argument_number(request, "speed", 0.01, 100, &playback.speed, error);
        if (status != SN_OK) {
            return status;
        }
    }
    const sn_value *range = sn_value_get(request->args, "range");
    sn_status status = range ? take_range(range, &playback, error) : SN_OK;
    if (status != SN_OK) {
        return status;
    }
    player_set_playback(*desk_player_of(desk), &playback);
    desk_tell_time(desk, DESK_ALL_PAGES);
    return SN_OK;
}

static desk_ticket *answer_later(desk *desk, desk_request *request, sn_error *error) {
    desk_ticket *ticket = desk_answer_later(desk, request);
    if (!ticket) {
        app_fail_memory(error);
    }
    return ticket;
}

// A name of the document, a path, or null for the rest pose.
static sn_status run_clip(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                          sn_error *error) {
    desk_slot *slot = NULL;
    (void)answer, (void)ok;
    sn_status status = desk_argument_slot(desk, request, true, &slot, error);
    if (status != SN_OK) {
        return status;
    }
    const sn_value *name = sn_value_get(request->args, "name");
    const sn_value *path = sn_value_get(request->args, "path");
    const sn_value *clip = path ? path : name;
    if (!clip || (clip->type != SN_JSON_STRING && clip->type != SN_JSON_NULL)) {
        return desk_fail(error, SN_INVALID, "name", "the clip must be given as `name` or `path`");
    }
    const char *wanted = sn_value_string(clip, NULL);
    char checked[ROOTS_PATH_BYTES];
    status = wanted ? files_clip(desk, slot, wanted, checked, error) : SN_OK;
    desk_ticket *ticket = status == SN_OK ? answer_later(desk, request, error) : NULL;
    if (!ticket) {
        return status != SN_OK ? status : SN_OUT_OF_MEMORY;
    }
    builder_choose_clip(*desk_builder_of(desk), slot->index, wanted ? checked : NULL, ticket);
    return SN_OK;
}

// A change of held values that a page asked for, until it is done.
typedef struct held_request {
    desk_ticket *ticket;
    uint32_t slot, page;
    uint64_t document; // of the slot
    char *merge;       // NULL: a step of its own
    char label[];      // of the step
} held_request;

static void finish_held(desk *desk, void *user, const held_changes *changes,
                        const sn_error *error) {
    held_request *held = user;
    sn_error failure = {0};
    if (!error) {
        desk_slot *slot = desk_slot_at(desk, held->slot);
        if (slot->character && slot->document == held->document &&
            desk_record_held(desk, slot, held->page, held->label, held->merge, changes, &failure) !=
                SN_OK) {
            error = &failure;
        }
    }
    desk_answer(desk, held->ticket, NULL, error);
    free(held->merge);
    free(held);
}

// `standard` is the label where the request has none. `values` as of player_change_held.
static sn_status change_held(desk *desk, desk_request *request, const desk_slot *slot,
                             const char *standard, const sn_value *values, sn_error *error) {
    const char *label = sn_value_string(sn_value_get(request->args, "label"), standard);
    const char *merge = sn_value_string(sn_value_get(request->args, "merge"), NULL);
    held_request *held = malloc(sizeof *held + strlen(label) + 1);
    char *key = desk_copy_string(merge);
    desk_ticket *ticket = held && (!merge || key) ? answer_later(desk, request, error) : NULL;
    if (!ticket) {
        free(held);
        free(key);
        return app_fail_memory(error);
    }
    *held = (held_request){.ticket = ticket,
                           .slot = slot->index,
                           .page = request->page,
                           .document = slot->document,
                           .merge = key};
    strcpy(held->label, label);
    player_change_held(*desk_player_of(desk), slot->index, values, finish_held, held);
    return SN_OK;
}

static sn_status run_hold(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                          sn_error *error) {
    desk_slot *slot = NULL;
    (void)answer, (void)ok;
    const sn_value *values = sn_value_get(request->args, "values");
    sn_status status = desk_argument_slot(desk, request, true, &slot, error);
    if (status != SN_OK) {
        return status;
    }
    if (!values || values->type != SN_JSON_OBJECT) {
        return desk_fail(error, SN_INVALID, "values", "`values` must be an object of numbers");
    }
    for (uint32_t i = 0; i < sn_value_count(values); ++i) {
        const sn_value *value = sn_value_at(values, i);
        if (value->type != SN_JSON_NUMBER) {
            return desk_fail(error, SN_INVALID, value->key, "a held value must be a number");
        }
    }
    return change_held(desk, request, slot, "Hold", values, error);
}

// As values of null.
static sn_status release_names(desk *desk, desk_request *request, const desk_slot *slot,
                               const sn_value *names, sn_error *error) {
    sn_json *tree = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_json_create(desk_context(desk), &tree, error));
    for (uint32_t i = 0; i < sn_value_count(names); ++i) {
        const char *name = sn_value_string(sn_value_at(names, i), "");
        SN_TRY(sn_json_add_null(tree, sn_json_root(tree), name) ? SN_OK : app_fail_memory(error));
    }
    SN_TRY(change_held(desk, request, slot, "Release", sn_json_root(tree), error));
cleanup:
    sn_json_destroy(tree);
    return status;
}

static sn_status run_reach(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                           sn_error *error) {
    desk_slot *slot = NULL;
    const char *segment;
    (void)answer, (void)ok;
    sn_status status = SN_OK;
    SN_TRY(desk_argument_slot(desk, request, true, &slot, error));
    SN_TRY(desk_argument_string(request, "segment", &segment, error));
    desk_ticket *ticket = answer_later(desk, request, error);
    if (!ticket) {
        return SN_OUT_OF_MEMORY;
    }
    player_reach(*desk_player_of(desk), slot->index, request->args, ticket);
cleanup:
    return status;
}

static sn_status run_release(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                             sn_error *error) {
    desk_slot *slot = NULL;
    (void)answer, (void)ok;
    const sn_value *names = sn_value_get(request->args, "names");
    sn_status status = desk_argument_slot(desk, request, true, &slot, error);
    if (status != SN_OK) {
        return status;
    }
    if (!names || names->type == SN_JSON_NULL) {
        return change_held(desk, request, slot, "Release all", NULL, error);
    }
    if (names->type != SN_JSON_ARRAY) {
        return desk_fail(error, SN_INVALID, "names", "`names` must be an array, or null for all");
    }
    return release_names(desk, request, slot, names, error);
}

static const desk_command commands[] = {
    {"seek", run_seek},         {"play", run_play},       {"stop", run_stop},
    {"playback", run_playback}, {"clip", run_clip},       {"hold", run_hold},
    {"reach", run_reach},       {"release", run_release}, {"pairing", command_pairing},
};

const desk_topic desk_motion_topic = {
    .commands = commands,
    .command_count = sizeof commands / sizeof commands[0],
    .create = builder_create,
    .destroy = builder_destroy,
};
