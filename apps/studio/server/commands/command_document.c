// SPDX-License-Identifier: Apache-2.0
//
// Commands: edit, undo, redo, history.
#include "commands/commands.h"

#include <stddef.h>

static sn_status run_edit(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                          sn_error *error) {
    desk_slot *slot = NULL;
    const sn_value *entries = sn_value_get(request->args, "ops");
    const sn_value *revision = sn_value_get(request->args, "revision");
    sn_status status = desk_argument_slot(desk, request, true, &slot, error);
    if (status != SN_OK) {
        return status;
    }
    double since = 0;
    if (revision) {
        status = desk_argument_number(request, "revision", 0, 9e15, &since, error);
        if (status != SN_OK) {
            return status;
        }
        if (desk_is_stale(slot, request->page, (uint64_t)since, entries)) {
            return desk_fail_as(error, desk_stale, "revision",
                                "another page changed this meanwhile");
        }
    }
    return desk_change_by(desk, request, "Edit", desk_apply_entries, (void *)(uintptr_t)entries,
                          answer, ok, error);
}

static sn_status take_step(desk *desk, desk_request *request, bool forth, sn_json *answer,
                           sn_value *ok, sn_error *error) {
    desk_slot *slot = NULL;
    sn_status status = SN_OK;
    SN_TRY(desk_argument_slot(desk, request, true, &slot, error));
    SN_TRY(desk_take_step(desk, slot, request->page, forth, error));
    sn_json_add_number(answer, ok, "revision", (double)slot->revision);
cleanup:
    return status;
}

static sn_status run_undo(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                          sn_error *error) {
    return take_step(desk, request, false, answer, ok, error);
}

static sn_status run_redo(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                          sn_error *error) {
    return take_step(desk, request, true, answer, ok, error);
}

// {"slot"} -> {"steps": [labels], "position"}: how many of them are done; the others can be redone.
static sn_status run_history(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                             sn_error *error) {
    desk_slot *slot = NULL;
    sn_status status = desk_argument_slot(desk, request, true, &slot, error);
    if (status != SN_OK) {
        return status;
    }
    const history *history = desk_history(slot);
    sn_value *steps = sn_json_add_array(answer, ok, "steps");
    for (uint32_t i = 0; i < history->count; ++i) {
        sn_json_add_string(answer, steps, NULL, history->steps[i].label);
    }
    sn_json_add_number(answer, ok, "position", history->position);
    return SN_OK;
}

static const desk_command commands[] = {
    {"edit", run_edit},
    {"undo", run_undo},
    {"redo", run_redo},
    {"history", run_history},
};

const desk_topic desk_document_topic = {
    .commands = commands,
    .command_count = sizeof commands / sizeof commands[0],
    .create = documents_create,
    .destroy = documents_destroy,
    .tick = documents_watch,
};
