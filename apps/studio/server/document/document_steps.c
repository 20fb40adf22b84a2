// SPDX-License-Identifier: Apache-2.0
//
// Steps: changes of the document, which go into the history and the journal, and of held values,
// which go into the history alone: they end with the studio. Undo and redo.
#include "document/document_internal.h"

#include "edits/patch.h"

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Making a step

static sn_status diff_text(desk *desk, const sn_value *from, const sn_value *to, char **text,
                           size_t *size, sn_error *error) {
    sn_json *patch = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_json_create(desk_context(desk), &patch, error));
    sn_value *entries = sn_json_add_array(patch, sn_json_root(patch), "patch");
    SN_TRY(entries ? patch_diff(from, to, patch, entries, error) : app_fail_memory(error));
    SN_TRY(patch_write_line(patch, desk_context(desk), text, size, error));
cleanup:
    sn_json_destroy(patch);
    return status;
}

// Keeps the document as it is, for changes that will be merged with the one that is being made.
static sn_status copy_document(desk *desk, const desk_slot *slot, sn_json **copy, sn_error *error) {
    return sn_json_parse(desk_context(desk), slot->text, slot->text_size, copy, error);
}

static sn_status make_step(desk *desk, const sn_value *before, const candidate *next, uint32_t page,
                           const char *label, const char *merge, history_step *step,
                           sn_error *error) {
    const sn_value *after = sn_json_root(sn_character_document(next->character));
    *step = (history_step){.page = page, .label = desk_copy_string(label ? label : "Edit")};
    step->merge = desk_copy_string(merge);
    if (!step->label || (merge && !step->merge)) {
        return app_fail_memory(error);
    }
    sn_status status = SN_OK;
    SN_TRY(diff_text(desk, before, after, &step->forth, &step->forth_size, error));
    SN_TRY(diff_text(desk, after, before, &step->back, &step->back_size, error));
cleanup:
    return status;
}

// {"step": {"label", "merge", "page", "forth": {"patch"}, "back": {"patch"}}, "merged": false}
static sn_status write_step(desk *desk, const history_step *step, bool merged, char **line,
                            size_t *size, sn_error *error) {
    sn_json *json = NULL, *forth = NULL, *back = NULL;
    const sn_value *forward = NULL, *backward = NULL;
    sn_status status = SN_OK;
    SN_TRY(
        history_patch(desk_context(desk), step->forth, step->forth_size, &forth, &forward, error));
    SN_TRY(history_patch(desk_context(desk), step->back, step->back_size, &back, &backward, error));
    SN_TRY(sn_json_create(desk_context(desk), &json, error));
    sn_value *root = sn_json_root(json);
    sn_value *object = sn_json_add_object(json, root, "step");
    sn_json_add_string(json, object, "label", step->label);
    if (step->merge) {
        sn_json_add_string(json, object, "merge", step->merge);
    }
    sn_json_add_copy(json, object, "forth", sn_json_root(forth));
    const sn_value *last = sn_json_add_copy(json, object, "back", sn_json_root(back));
    last = last ? sn_json_add_bool(json, root, "merged", merged) : NULL;
    SN_TRY(last ? patch_write_line(json, desk_context(desk), line, size, error)
                : app_fail_memory(error));
cleanup:
    sn_json_destroy(json);
    sn_json_destroy(forth);
    sn_json_destroy(back);
    return status;
}

// The step is written before anything changes; what follows cannot fail.
static sn_status record_step(desk *desk, desk_slot *slot, history_step *step, bool merged,
                             sn_error *error) {
    char *line = NULL;
    size_t size = 0;
    sn_status status = SN_OK;
    const history_step *last = history_to_undo(&slot->work->history);
    bool noted = merged && last->forth; // the journal has the step that it is merged with
    SN_TRY(history_reserve(&slot->work->history, error));
    SN_TRY(write_step(desk, step, noted, &line, &size, error));
    SN_TRY(journal_append(slot->work->journal, line, size, error));
    history_push(&slot->work->history, step, merged);
cleanup:
    free(line);
    return status;
}

sn_status desk_change(desk *desk, desk_slot *slot, uint32_t page, const char *label,
                      const char *merge, desk_change_fn *fn, void *user, sn_error *error) {
    desk_work *work = slot->work;
    candidate next;
    history_step step = {0};
    sn_json *present = NULL;
    sn_status status = candidate_make(desk, slot, fn, user, &next, error);
    if (status != SN_OK || !next.text) {
        return status;
    }
    const history_step *last = history_to_undo(&work->history);
    bool merged = history_merges(&work->history, page, merge) && (work->before || !last->forth);
    bool begins = !merged || !last->forth; // the step has not changed the document before
    if (begins) {
        SN_TRY(copy_document(desk, slot, &present, error));
    }
    SN_TRY(make_step(desk, sn_json_root(begins ? present : work->before), &next, page, label, merge,
                     &step, error));
    SN_TRY(record_step(desk, slot, &step, merged, error));
    history_step_deinit(&step);
    if (begins) {
        sn_json_destroy(work->before);
        work->before = present;
    }
    candidate_commit(desk, slot, page, &next);
    return SN_OK;
cleanup:
    history_step_deinit(&step);
    sn_json_destroy(present);
    candidate_deinit(desk, &next);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Held values

sn_status desk_record_held(desk *desk, desk_slot *slot, uint32_t page, const char *label,
                           const char *merge, const held_changes *changes, sn_error *error) {
    history *history = &slot->work->history;
    if (changes->count == 0) {
        return SN_OK;
    }
    if (history_merges(history, page, merge)) {
        uint32_t count = history->count;
        bool joined = history_join_held(history, label, changes);
        if (history->count != count) {
            desk_tell_state(desk, slot, page); // nothing was left of it
        }
        return joined ? SN_OK : app_fail_memory(error);
    }
    history_step step = {.page = page, .label = desk_copy_string(label)};
    step.merge = desk_copy_string(merge);
    sn_status status = SN_OK;
    bool made = step.label && (!merge || step.merge) && held_changes_join(&step.held, changes);
    SN_TRY(made ? history_reserve(history, error) : app_fail_memory(error));
    history_push(history, &step, false);
    desk_tell_state(desk, slot, page);
cleanup:
    history_step_deinit(&step);
    return status;
}

// Releases values together with a change of the document: in its step, where it made one.
static sn_status release_with(desk *desk, desk_slot *slot, const desk_request *request,
                              const char *label, bool changed, sn_error *error) {
    desk_player *player = *desk_player_of(desk);
    const sn_value *names = sn_value_get(request->args, "release");
    const char *merge = sn_value_string(sn_value_get(request->args, "merge"), NULL);
    held_changes changes = {0};
    sn_status status = SN_OK;
    if (!player_find_held(player, slot->index, names, &changes)) {
        SN_TRY(app_fail_memory(error));
    }
    if (changed && changes.count > 0) {
        bool joined = history_join_held(&slot->work->history, label, &changes);
        SN_TRY(joined ? SN_OK : app_fail_memory(error));
    } else {
        SN_TRY(desk_record_held(desk, slot, request->page, label, merge, &changes, error));
    }
    player_repeat_held(player, slot->index, &changes, true);
cleanup:
    held_changes_deinit(&changes);
    return status;
}

sn_status desk_change_by(desk *desk, desk_request *request, const char *label, desk_change_fn *fn,
                         void *user, sn_json *answer, sn_value *ok, sn_error *error) {
    desk_slot *slot = NULL;
    sn_status status = desk_argument_slot(desk, request, true, &slot, error);
    if (status != SN_OK) {
        return status;
    }
    label = sn_value_string(sn_value_get(request->args, "label"), label);
    const char *merge = sn_value_string(sn_value_get(request->args, "merge"), NULL);
    uint64_t revision = slot->revision;
    status = desk_change(desk, slot, request->page, label, merge, fn, user, error);
    if (status == SN_OK) {
        status = release_with(desk, slot, request, label, slot->revision != revision, error);
    }
    sn_json_add_number(answer, ok, "revision", (double)slot->revision);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Undo and redo

static sn_status try_patch(desk *desk, desk_slot *slot, const char *text, size_t size,
                           candidate *next, sn_error *error) {
    sn_json *patch = NULL;
    const sn_value *entries = NULL;
    sn_status status = SN_OK;
    SN_TRY(history_patch(desk_context(desk), text, size, &patch, &entries, error));
    void *user = (void *)(uintptr_t)entries;
    SN_TRY(candidate_make(desk, slot, desk_apply_entries, user, next, error));
cleanup:
    sn_json_destroy(patch);
    return status;
}

static sn_status record_line(desk *desk, desk_slot *slot, const char *line, candidate *next,
                             sn_error *error) {
    sn_status status = journal_append(slot->work->journal, line, strlen(line), error);
    if (status != SN_OK) {
        candidate_deinit(desk, next);
    }
    return status;
}

static void finish(desk *desk, desk_slot *slot, uint32_t page, candidate *next) {
    sn_json_destroy(slot->work->before);
    slot->work->before = NULL;
    if (next->text) {
        candidate_commit(desk, slot, page, next);
    } else {
        desk_tell_state(desk, slot, page); // a step that led back to where it began
    }
}

// The part of a step that changes the document; `next` is empty where there is none.
static sn_status take_patch(desk *desk, desk_slot *slot, const history_step *step, bool forth,
                            candidate *next, sn_error *error) {
    sn_status status = SN_OK;
    if (!step->forth) {
        return SN_OK;
    }
    SN_TRY(try_patch(desk, slot, forth ? step->forth : step->back,
                     forth ? step->forth_size : step->back_size, next, error));
    const char *line = forth ? "{\"redo\": true}\n" : "{\"undo\": true}\n";
    SN_TRY(record_line(desk, slot, line, next, error));
cleanup:
    return status;
}

sn_status desk_take_step(desk *desk, desk_slot *slot, uint32_t page, bool forth, sn_error *error) {
    history *history = &slot->work->history;
    const history_step *step = forth ? history_to_redo(history) : history_to_undo(history);
    candidate next = {0};
    if (!step) {
        return desk_fail(error, SN_INVALID, "", "there is nothing to %s", forth ? "redo" : "undo");
    }
    sn_status status = SN_OK;
    SN_TRY(take_patch(desk, slot, step, forth, &next, error));
    player_repeat_held(*desk_player_of(desk), slot->index, &step->held, forth);
    if (forth) {
        history_redone(history);
    } else {
        history_undone(history);
    }
    finish(desk, slot, page, &next);
    return SN_OK;
cleanup:
    return status;
}
