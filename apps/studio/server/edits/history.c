// SPDX-License-Identifier: Apache-2.0
#include "edits/history.h"

#include "wire/failure.h"

#include <stdlib.h>
#include <string.h>

void history_step_deinit(history_step *step) {
    free(step->label);
    free(step->merge);
    free(step->forth);
    free(step->back);
    held_changes_deinit(&step->held);
    *step = (history_step){0};
}

static void cut(history *history, uint32_t count) {
    while (history->count > count) {
        history_step_deinit(&history->steps[--history->count]);
    }
}

void history_deinit(history *history) {
    cut(history, 0);
    free(history->steps);
    *history = (struct history){0};
}

sn_status history_reserve(history *history, sn_error *error) {
    if (history->position < history->capacity) {
        return SN_OK;
    }
    uint32_t capacity = history->capacity + history->capacity / 2 + 64;
    history_step *steps = realloc(history->steps, capacity * sizeof *steps);
    if (!steps) {
        return app_fail_memory(error);
    }
    history->steps = steps;
    history->capacity = capacity;
    return SN_OK;
}

void history_push(history *history, history_step *step, bool merged) {
    cut(history, history->position);
    if (merged && history->position > 0) {
        history_step *last = &history->steps[history->position - 1];
        step->held = last->held;
        last->held = (held_changes){0};
        cut(history, history->position - 1);
    }
    history->steps[history->count++] = *step;
    history->position = history->count;
    history->closed = false;
    *step = (history_step){0};
}

static void drop_last(history *history) {
    cut(history, history->position - 1);
    history->position = history->count;
    history->closed = true;
}

bool history_join_held(history *history, const char *label, const held_changes *changes) {
    history_step *last = &history->steps[history->position - 1];
    held_changes joined = {0};
    char *name = desk_copy_string(label);
    if (!name || !held_changes_join(&joined, &last->held) || !held_changes_join(&joined, changes)) {
        free(name);
        held_changes_deinit(&joined);
        return false;
    }
    free(last->label);
    held_changes_deinit(&last->held);
    last->label = name;
    last->held = joined;
    if (!last->forth && joined.count == 0) {
        drop_last(history);
    }
    return true;
}

bool history_merges(const history *history, uint32_t page, const char *merge) {
    if (!merge || history->closed || history->position == 0 ||
        history->position != history->count) {
        return false;
    }
    const history_step *last = &history->steps[history->count - 1];
    return last->merge && last->page == page && strcmp(last->merge, merge) == 0;
}

const history_step *history_to_undo(const history *history) {
    return history->position > 0 ? &history->steps[history->position - 1] : NULL;
}

const history_step *history_to_redo(const history *history) {
    return history->position < history->count ? &history->steps[history->position] : NULL;
}

void history_undone(history *history) {
    history->position -= 1;
    history->closed = true;
}

void history_redone(history *history) {
    history->position += 1;
    history->closed = true;
}

sn_status history_patch(sn_context *context, const char *text, size_t size, sn_json **patch,
                        const sn_value **entries, sn_error *error) {
    sn_status status = sn_json_parse(context, text, size, patch, error);
    *entries = status == SN_OK ? sn_value_get(sn_json_root(*patch), "patch") : NULL;
    return status;
}
