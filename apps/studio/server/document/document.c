// SPDX-License-Identifier: Apache-2.0
//
// Changing documents. Every change is tried on a copy, which takes the document's place when all of
// it was right: a copy of the text goes into the scratch character, is changed there, written,
// parsed and checked again (so that errors have the lines of the text), and compared.
#include "document/document_internal.h"

#include "edits/patch.h"

#include <stdlib.h>
#include <string.h>

bool desk_slot_dirty(const desk_slot *slot) {
    return slot->character && journal_hash(slot->text, slot->text_size) != slot->saved_hash;
}

void desk_work_destroy(desk_work *work, bool discard_journal) {
    if (!work) {
        return;
    }
    history_deinit(&work->history);
    journal_close(work->journal, discard_journal);
    sn_character_destroy(work->scratch);
    stage_body_release(work->shelf);
    sn_json_destroy(work->before);
    for (uint32_t i = 0; i < RECENT_CHANGES; ++i) {
        sn_json_destroy(work->recent[i].paths);
    }
    free(work->opened);
    free(work->opened_text);
    free(work);
}

// ---------------------------------------------------------------------------------------------
// Telling pages

static void add_step(sn_json *json, const char *key, const history_step *step, uint32_t count) {
    if (!step) {
        sn_json_add_null(json, sn_json_root(json), key);
        return;
    }
    sn_value *value = sn_json_add_object(json, sn_json_root(json), key);
    sn_json_add_string(json, value, "label", step->label);
    sn_json_add_number(json, value, "count", count);
}

static void add_state(sn_json *json, const desk_slot *slot, uint32_t page) {
    sn_value *root = sn_json_root(json);
    const history *history = &slot->work->history;
    if (slot->path) {
        sn_json_add_string(json, root, "path", slot->path);
    } else {
        sn_json_add_null(json, root, "path");
    }
    sn_json_add_string(json, root, "name", sn_character_name(slot->character));
    sn_json_add_bool(json, root, "dirty", desk_slot_dirty(slot));
    add_step(json, "undo", history_to_undo(history), history->position);
    add_step(json, "redo", history_to_redo(history), history->count - history->position);
    sn_json_add_number(json, root, "by", page);
}

static sn_json *begin_event(desk *desk, const desk_slot *slot) {
    sn_json *event = desk_event(desk, "document");
    if (event) {
        sn_json_add_number(event, sn_json_root(event), "slot", slot->index);
        sn_json_add_number(event, sn_json_root(event), "revision", (double)slot->revision);
    }
    return event;
}

void desk_tell_document(desk *desk, uint32_t page, const desk_slot *slot) {
    sn_json *event = begin_event(desk, slot);
    if (!event) {
        return;
    }
    sn_value *entries = sn_json_add_array(event, sn_json_root(event), "patch");
    sn_value *entry = sn_json_add_object(event, entries, NULL);
    sn_json_add_string(event, entry, "path", "");
    if (slot->character) {
        sn_json_add_copy(event, entry, "value",
                         sn_json_root(sn_character_document(slot->character)));
        add_state(event, slot, 0);
    } else {
        sn_json_add_null(event, entry, "value");
    }
    desk_send(desk, page, event, NULL);
}

static void tell_change(desk *desk, const desk_slot *slot, uint32_t page, const sn_json *patch) {
    sn_json *event = begin_event(desk, slot);
    if (event) {
        sn_json_add_copy(event, sn_json_root(event), "patch",
                         sn_value_get(sn_json_root(patch), "patch"));
        add_state(event, slot, page);
        desk_send(desk, DESK_ALL_PAGES, event, NULL);
    }
}

void desk_tell_state(desk *desk, const desk_slot *slot, uint32_t page) {
    sn_json *event = begin_event(desk, slot);
    if (event) {
        sn_json_add_array(event, sn_json_root(event), "patch");
        add_state(event, slot, page);
        desk_send(desk, DESK_ALL_PAGES, event, NULL);
    }
}

// ---------------------------------------------------------------------------------------------
// Stale edits

void desk_remember_change(desk *desk, desk_slot *slot, uint32_t page, const sn_json *patch) {
    desk_work *work = slot->work;
    recent_change *recent = &work->recent[work->recent_next];
    work->recent_next = (work->recent_next + 1) % RECENT_CHANGES;
    sn_json_destroy(recent->paths);
    *recent = (recent_change){.revision = slot->revision, .page = page};
    if (!patch || sn_json_create(desk_context(desk), &recent->paths, NULL) != SN_OK) {
        return; // without paths: everything
    }
    const sn_value *entries = sn_value_get(sn_json_root(patch), "patch");
    sn_value *paths = sn_json_add_array(recent->paths, sn_json_root(recent->paths), "patch");
    for (uint32_t i = 0; i < sn_value_count(entries); ++i) {
        const sn_value *entry = sn_value_at(entries, i);
        sn_value *path = sn_json_add_object(recent->paths, paths, NULL);
        sn_json_add_string(recent->paths, path, "path",
                           sn_value_string(sn_value_get(entry, "path"), ""));
        if (sn_value_get(entry, "gone") || sn_value_get(entry, "insert")) {
            sn_json_add_bool(recent->paths, path, "gone", true);
        }
        if (sn_value_get(entry, "key")) {
            sn_json_add_copy(recent->paths, path, "key", sn_value_get(entry, "key"));
        }
    }
}

bool desk_is_stale(const desk_slot *slot, uint32_t page, uint64_t revision,
                   const sn_value *entries) {
    uint64_t known = slot->revision; // back to here nothing is forgotten
    for (uint32_t i = 1; i <= RECENT_CHANGES && known > revision; ++i) {
        uint32_t at = (slot->work->recent_next + RECENT_CHANGES - i) % RECENT_CHANGES;
        const recent_change *recent = &slot->work->recent[at];
        if (recent->revision != known) {
            break;
        }
        if (recent->page != page &&
            (!recent->paths ||
             patch_meets(entries, sn_value_get(sn_json_root(recent->paths), "patch")))) {
            return true;
        }
        known -= 1;
    }
    return known > revision;
}

// ---------------------------------------------------------------------------------------------
// Candidates

void candidate_deinit(desk *desk, candidate *next) {
    sn_json_destroy(next->patch);
    sn_json_free_text(desk_context(desk), next->text);
    *next = (candidate){0};
}

sn_status desk_apply_entries(sn_character *copy, void *entries, sn_error *error) {
    return patch_apply(sn_character_document(copy), entries, error);
}

// The scratch has the document's text, and the meshes that it read before.
static sn_status renew_scratch(desk_slot *slot, sn_error *error) {
    sn_character **scratch = &slot->work->scratch;
    if (*scratch) {
        return sn_character_replace(*scratch, slot->text, slot->text_size, error);
    }
    return sn_character_parse_beside(slot->work->shelf->character, slot->base, slot->text,
                                     slot->text_size, scratch, error);
}

static sn_status make_patch(desk *desk, const sn_value *from, const sn_value *to, sn_json **patch,
                            sn_error *error) {
    sn_status status = sn_json_create(desk_context(desk), patch, error);
    if (status != SN_OK) {
        return status;
    }
    sn_value *entries = sn_json_add_array(*patch, sn_json_root(*patch), "patch");
    return entries ? patch_diff(from, to, *patch, entries, error) : app_fail_memory(error);
}

static sn_value *document_root(sn_character *character) {
    return sn_json_root(sn_character_document(character));
}

static sn_status write_scratch(desk *desk, desk_slot *slot, candidate *next, sn_error *error) {
    sn_character *scratch = slot->work->scratch;
    sn_status status = SN_OK;
    SN_TRY(sn_json_write(sn_character_document(scratch), &next->text, &next->size, error));
    if (next->size == slot->text_size && memcmp(next->text, slot->text, next->size) == 0) {
        candidate_deinit(desk, next);
        return SN_OK;
    }
    next->character = scratch;
    SN_TRY(sn_character_replace(scratch, next->text, next->size, error));
    SN_TRY(make_patch(desk, document_root(slot->character), document_root(scratch), &next->patch,
                      error));
cleanup:
    return status;
}

sn_status candidate_make(desk *desk, desk_slot *slot, desk_change_fn *fn, void *user,
                         candidate *next, sn_error *error) {
    *next = (candidate){0};
    sn_status status = SN_OK;
    SN_TRY(renew_scratch(slot, error));
    SN_TRY(fn(slot->work->scratch, user, error));
    SN_TRY(write_scratch(desk, slot, next, error));
cleanup:
    if (status != SN_OK) {
        candidate_deinit(desk, next);
    }
    return status;
}

// The document before becomes the scratch of the next change.
void candidate_commit(desk *desk, desk_slot *slot, uint32_t page, candidate *next) {
    slot->work->scratch = slot->character;
    slot->character = next->character;
    sn_json_free_text(desk_context(desk), slot->text);
    slot->text = next->text;
    slot->text_size = next->size;
    next->text = NULL;
    slot->revision += 1;
    desk_remember_change(desk, slot, page, next->patch);
    tell_change(desk, slot, page, next->patch);
    desk_build(desk, slot, BUILD_EDIT);
    candidate_deinit(desk, next);
}

void desk_build(desk *desk, const desk_slot *slot, build_reason reason) {
    builder_build(*desk_builder_of(desk), &(builder_request){.slot = slot->index,
                                                             .revision = slot->revision,
                                                             .text = slot->text,
                                                             .size = slot->text_size,
                                                             .base = slot->base,
                                                             .shelf = slot->work->shelf,
                                                             .reason = reason});
}
