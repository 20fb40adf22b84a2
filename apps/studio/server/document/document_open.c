// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // realpath, flock, clocks
//
// Documents come into slots, with what a crash left of them, and go.
#include "document/document_internal.h"

#include "common/common.h"
#include "document/unsaved.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_ROOM 4096

// Everything of a slot that is being opened, before it takes the place of another one.
typedef struct opening {
    sn_character *character;
    char *text;
    size_t text_size;
    uint64_t saved_hash;
    char *path, *base;
    desk_work *work;
    bool copy;
    bool recovered;
} opening;

static void opening_deinit(desk *desk, opening *next) {
    sn_character_destroy(next->character);
    sn_json_free_text(desk_context(desk), next->text);
    free(next->path);
    free(next->base);
    desk_work_destroy(next->work, false);
    *next = (opening){0};
}

static char *copy_bytes(const char *bytes, size_t size) {
    char *copy = malloc(size + 1);
    if (copy) {
        memcpy(copy, bytes, size);
        copy[size] = '\0';
    }
    return copy;
}

static sn_status write_document(sn_character *character, char **text, size_t *size,
                                sn_error *error) {
    return sn_json_write(sn_character_document(character), text, size, error);
}

// ---------------------------------------------------------------------------------------------
// Reading

// Everything that a slot keeps, without a document.
static sn_status make_work(desk *desk, opening *next, sn_error *error) {
    next->work = calloc(1, sizeof *next->work);
    return next->work ? stage_shelf_create(desk_context(desk), &next->work->shelf, error)
                      : app_fail_memory(error);
}

static sn_status read_document(desk *desk, const desk_opening *desc, opening *next,
                               sn_error *error) {
    sn_status status = SN_OK;
    next->path = desk_copy_string(desc->path);
    next->base = desk_copy_string(desc->base ? desc->base : desc->path);
    SN_TRY(make_work(desk, next, error));
    desk_work *work = next->work;
    next->copy = desc->copy;
    work->opened = copy_bytes(desc->text, desc->size);
    work->opened_size = desc->size;
    work->on_disk = desc->path != NULL;
    work->disk_hash = journal_hash(desc->text, desc->size);
    if ((desc->path && !next->path) || !next->base || !work->opened) {
        return app_fail_memory(error);
    }
    SN_TRY(sn_character_parse_beside(work->shelf->character, next->base, desc->text, desc->size,
                                     &next->character, error));
    SN_TRY(write_document(next->character, &next->text, &next->text_size, error));
    next->saved_hash = journal_hash(next->text, next->text_size);
    work->opened_text = copy_bytes(next->text, next->text_size);
    work->opened_text_size = next->text_size;
    SN_TRY(work->opened_text ? SN_OK : app_fail_memory(error));
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// What a crash left

// The text of the document as it was opened, as sinew writes it.
static sn_status write_opened(desk *desk, const recovery *found, char **text, size_t *size,
                              sn_error *error) {
    sn_json *opened = NULL;
    char *written = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_json_parse(desk_context(desk), found->opened, found->opened_size, &opened, error));
    SN_TRY(sn_json_write(opened, &written, size, error));
    *text = copy_bytes(written, *size);
    SN_TRY(*text ? SN_OK : app_fail_memory(error));
cleanup:
    sn_json_free_text(desk_context(desk), written);
    sn_json_destroy(opened);
    return status;
}

// The document goes on as it was, also where it was opened in another folder and saved here.
static sn_status take_recovery(desk *desk, opening *next, recovery *found, const saved_state *saved,
                               sn_error *error) {
    char *text = NULL, *opened_text = NULL;
    size_t size = 0, opened_size = 0;
    sn_character *character = NULL;
    if (!saved) {
        return desk_fail(error, SN_INVALID, "", "the file is another one");
    }
    sn_status status = SN_OK;
    SN_TRY(sn_json_write(found->document, &text, &size, error));
    SN_TRY(sn_character_parse_beside(next->work->shelf->character, found->base, text, size,
                                     &character, error));
    SN_TRY(write_opened(desk, found, &opened_text, &opened_size, error));
    sn_character_destroy(next->character);
    next->character = character;
    free(next->base);
    next->base = found->base;
    found->base = NULL;
    next->saved_hash = saved->text;
    sn_json_free_text(desk_context(desk), next->text);
    next->text = text;
    next->text_size = size;
    free(next->work->opened);
    free(next->work->opened_text);
    next->work->opened = found->opened;
    next->work->opened_size = found->opened_size;
    next->work->opened_text = opened_text;
    next->work->opened_text_size = opened_size;
    next->work->history = found->history;
    found->opened = NULL;
    found->history = (history){0};
    next->recovered = true;
    return SN_OK;
cleanup:
    sn_character_destroy(character);
    sn_json_free_text(desk_context(desk), text);
    return status;
}

// Writes what the journal makes of a document that is no longer the one on disk to a file of its
// own, from where its relative paths still lead to the same files.
static sn_status save_copy(desk *desk, const opening *next, const recovery *found, char *path,
                           sn_error *error) {
    char *text = NULL, folder[PATH_ROOM];
    size_t size = 0;
    sn_character *copy = NULL;
    snprintf(folder, sizeof folder, "%s/recovered", desk_state_folder(desk));
    sn_status status = SN_OK;
    SN_TRY(app_make_private_folder(folder, error));
    SN_TRY(sn_json_write(found->document, &text, &size, error));
    SN_TRY(sn_character_parse(desk_context(desk), found->base, text, size, &copy, error));
    const char *slash = strrchr(next->base, '/');
    snprintf(path, PATH_ROOM, "%s/%08x-%s", folder, (unsigned)journal_hash(text, size),
             slash ? slash + 1 : next->base);
    SN_TRY(sn_character_save(copy, path, error));
cleanup:
    sn_character_destroy(copy);
    sn_json_free_text(desk_context(desk), text);
    return status;
}

// Whether all that a journal says was in a file.
static bool was_saved(desk *desk, const recovery *found) {
    char *text = NULL;
    size_t size = 0;
    if (!found->document || sn_json_write(found->document, &text, &size, NULL) != SN_OK) {
        return false;
    }
    bool saved = found->saved[found->saved_count - 1].text == journal_hash(text, size);
    sn_json_free_text(desk_context(desk), text);
    return saved;
}

// The file changed since, or the journal cannot be read: nothing is lost, and nothing overwritten.
static sn_status set_aside(desk *desk, opening *next, const recovery *found, sn_error *error) {
    char kept[PATH_ROOM], copy[PATH_ROOM];
    if (was_saved(desk, found)) {
        return SN_OK; // as after closing it: what can be undone begins with the file that is there
    }
    sn_status status = journal_keep_copy(next->work->journal, kept, sizeof kept, error);
    if (status != SN_OK) {
        return status;
    }
    if (found->document && save_copy(desk, next, found, copy, NULL) == SN_OK) {
        desk_notice(desk, DESK_ALL_PAGES, "warning",
                    "Another program has changed %s since you worked on it here. Your unsaved "
                    "changes are kept in %s",
                    next->base, copy);
    } else {
        desk_notice(desk, DESK_ALL_PAGES, "warning",
                    "The unsaved changes of %s no longer fit the file. They are kept in %s",
                    next->base, kept);
    }
    return SN_OK;
}

static sn_status begin_journal(desk *desk, opening *next, sn_error *error) {
    char *line = NULL;
    size_t size = 0;
    sn_status status = SN_OK;
    SN_TRY(journal_restart(next->work->journal, error));
    journal_header header = {.path = next->path,
                             .base = next->base,
                             .copy = next->copy,
                             .text = next->work->opened,
                             .size = next->work->opened_size};
    SN_TRY(journal_write_header(desk_context(desk), &header, &line, &size, error));
    SN_TRY(journal_append(next->work->journal, line, size, error));
cleanup:
    free(line);
    return status;
}

// A document that is saved nowhere is known by what it was made from and by its slot.
static void name_identity(const char *path, const char *base, uint32_t slot, char *identity) {
    char real[PATH_ROOM];
    if (path) {
        snprintf(identity, PATH_ROOM + 32, "%s", realpath(path, real) ? real : path);
    } else {
        snprintf(identity, PATH_ROOM + 32, "unsaved:%u:%s", slot, base);
    }
}

static sn_status open_journal(desk *desk, uint32_t slot, opening *next, sn_error *error) {
    char identity[PATH_ROOM + 32];
    size_t size = 0;
    recovery found = {0};
    name_identity(next->path, next->base, slot, identity);
    sn_status status = SN_OK;
    SN_TRY(
        journal_open(desk_state_folder(desk), identity, next->copy, &next->work->journal, error));
    const char *content = journal_content(next->work->journal, &size);
    if (content) {
        bool fits = recovery_read(desk_context(desk), content, size, &found, NULL) == SN_OK &&
                    take_recovery(desk, next, &found, recovery_find(&found, next->work->disk_hash),
                                  NULL) == SN_OK;
        SN_TRY(fits ? SN_OK : set_aside(desk, next, &found, error));
    }
    journal_forget_content(next->work->journal);
    if (!next->recovered) {
        SN_TRY(begin_journal(desk, next, error));
    }
cleanup:
    recovery_deinit(&found);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Into the slot and out of it

// Whether anything would be gone with it: also a model that became a document and is no file yet.
static bool desk_slot_unsaved(const desk_slot *slot) {
    bool nowhere = slot->character && !slot->path && access(slot->base, F_OK) != 0;
    return desk_slot_dirty(slot) || (nowhere && !slot->work->copy);
}

// `keep`: what was not saved stays in its journal.
void desk_empty_slot(desk *desk, desk_slot *slot, bool keep) {
    desk_work_destroy(slot->work, !keep || !desk_slot_unsaved(slot));
    sn_character_destroy(slot->character);
    sn_json_free_text(desk_context(desk), slot->text);
    free(slot->path);
    free(slot->base);
    *slot = (desk_slot){
        .index = slot->index, .revision = slot->revision, .document = slot->document + 1};
}

static void fill_slot(desk *desk, desk_slot *slot, opening *next) {
    next->work->copy = next->copy;
    desk_empty_slot(desk, slot, true);
    slot->character = next->character;
    slot->text = next->text;
    slot->text_size = next->text_size;
    slot->saved_hash = next->saved_hash;
    slot->path = next->path;
    slot->base = next->base;
    slot->work = next->work;
    slot->revision += 1;
    desk_remember_change(desk, slot, 0, NULL);
    *next = (opening){0};
}

// Takes over what is opened, and tells everyone.
static void put_into_slot(desk *desk, uint32_t index, opening *next) {
    desk_slot *slot = desk_slot_at(desk, index);
    bool recovered = next->recovered;
    fill_slot(desk, slot, next);
    desk_tell_document(desk, DESK_ALL_PAGES, slot);
    if (index == 0) {
        player_play(*desk_player_of(desk), false);
        player_seek(*desk_player_of(desk), 0);
    }
    player_release_all(*desk_player_of(desk), index);
    desk_tell_held(desk, DESK_ALL_PAGES, index);
    desk_build(desk, slot, BUILD_ANOTHER);
    unsaved_tell(desk);
    if (recovered && desk_slot_dirty(slot)) {
        desk_notice(desk, DESK_ALL_PAGES, "info",
                    "The unsaved changes of %s are restored. Undo leads back",
                    sn_character_name(slot->character));
    }
}

sn_status desk_open_document(desk *desk, uint32_t index, const desk_opening *desc,
                             sn_error *error) {
    opening next = {0};
    sn_status status = SN_OK;
    SN_TRY(read_document(desk, desc, &next, error));
    SN_TRY(open_journal(desk, index, &next, error));
    put_into_slot(desk, index, &next);
    return SN_OK;
cleanup:
    opening_deinit(desk, &next);
    return status;
}

// The file that the document belongs to, where it is still one that was opened or saved then.
static const saved_state *find_file(const recovery *found, opening *next) {
    char *bytes = NULL;
    size_t size = 0;
    if (!found->path || journal_read_file(found->path, &bytes, &size, NULL) != SN_OK) {
        return NULL;
    }
    next->work->disk_hash = journal_hash(bytes, size);
    free(bytes);
    return recovery_find(found, next->work->disk_hash);
}

static sn_status take_journal(desk *desk, opening *next, recovery *found, sn_error *error) {
    const saved_state *saved = find_file(found, next);
    bool lost = found->path && !saved;
    if (saved) {
        next->path = desk_copy_string(found->path);
        next->work->on_disk = true;
    }
    if (saved && !next->path) {
        return app_fail_memory(error);
    }
    sn_status status = SN_OK;
    SN_TRY(take_recovery(desk, next, found, saved ? saved : &found->saved[0], error));
    if (lost) {
        next->saved_hash = 0; // in no file
        desk_notice(desk, DESK_ALL_PAGES, "warning",
                    "%s was replaced or removed. The open document belongs to no file: use Save as",
                    found->path);
    }
cleanup:
    return status;
}

sn_status desk_open_unsaved(desk *desk, uint32_t index, const char *journal, sn_error *error) {
    opening next = {0};
    recovery found = {0};
    size_t size = 0;
    sn_status status = SN_OK;
    SN_TRY(make_work(desk, &next, error));
    SN_TRY(journal_open_file(desk_state_folder(desk), journal, &next.work->journal, error));
    const char *content = journal_content(next.work->journal, &size);
    SN_TRY(recovery_read(desk_context(desk), content ? content : "", size, &found, error));
    SN_TRY(take_journal(desk, &next, &found, error));
    recovery_deinit(&found);
    journal_forget_content(next.work->journal);
    put_into_slot(desk, index, &next);
    return SN_OK;
cleanup:
    recovery_deinit(&found);
    opening_deinit(desk, &next);
    return status;
}

sn_status desk_open_path(desk *desk, uint32_t slot, const char *path, sn_error *error) {
    char *text = NULL, real[PATH_ROOM];
    size_t size = 0;
    sn_status status = SN_OK;
    SN_TRY(journal_read_file(path, &text, &size, error));
    desk_opening desc = {.path = realpath(path, real) ? real : path, .text = text, .size = size};
    SN_TRY(desk_open_document(desk, slot, &desc, error));
cleanup:
    free(text);
    return status;
}

void desk_close_document(desk *desk, uint32_t index, bool keep) {
    desk_slot *slot = desk_slot_at(desk, index);
    desk_empty_slot(desk, slot, keep);
    slot->revision += 1;
    builder_close(*desk_builder_of(desk), index, slot->revision);
    player_release_all(*desk_player_of(desk), index);
    desk_tell_document(desk, DESK_ALL_PAGES, slot);
    desk_tell_held(desk, DESK_ALL_PAGES, index);
    desk_tell_time(desk, DESK_ALL_PAGES);
    unsaved_tell(desk);
}
