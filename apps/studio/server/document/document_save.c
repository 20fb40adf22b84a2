// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // realpath, flock, clocks
//
// Saving. In memory a document keeps meaning what it meant where it was opened (`base`), also after
// it was saved in another folder: only what is written there has other relative paths. So undo
// leads back across savings.
#include "document/document_internal.h"

#include "common/common.h"
#include "common/file.h"
#include "document/carry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_ROOM 4096

static bool same_folder(const char *path, const char *other) {
    char folder[APP_PATH_BYTES], other_folder[APP_PATH_BYTES];
    return app_folder_of(path, folder) && app_folder_of(other, other_folder) &&
           strcmp(folder, other_folder) == 0;
}

static bool same_file(const char *path, const char *other) {
    char real[PATH_ROOM], other_real[PATH_ROOM];
    return strcmp(path, other) == 0 ||
           (realpath(path, real) && realpath(other, other_real) && strcmp(real, other_real) == 0);
}

// A file that is there must be the one that was read or written here last.
static sn_status check_file(const desk_slot *slot, const char *path, sn_error *error) {
    char *bytes = NULL;
    size_t size = 0;
    if (access(path, F_OK) != 0) {
        return SN_OK;
    }
    if (!slot->path || !slot->work->on_disk || !same_file(path, slot->path)) {
        return desk_fail_as(error, desk_exists, "path", "%s already exists", path);
    }
    sn_status status = SN_OK;
    SN_TRY(journal_read_file(path, &bytes, &size, error));
    if (journal_hash(bytes, size) != slot->work->disk_hash) {
        SN_TRY(desk_fail_as(error, desk_changed, "path",
                            "another program has changed %s since it was opened", path));
    }
cleanup:
    free(bytes);
    return status;
}

static sn_status note_saved(desk *desk, desk_slot *slot, const char *path, uint64_t hash,
                            sn_error *error) {
    char *line = NULL;
    size_t size = 0;
    saved_state saved = {hash, journal_hash(slot->text, slot->text_size)};
    sn_status status = SN_OK;
    SN_TRY(journal_write_saved(desk_context(desk), path, saved, &line, &size, error));
    SN_TRY(journal_append(slot->work->journal, line, size, error));
    SN_TRY(journal_flush(slot->work->journal, error));
cleanup:
    free(line);
    return status;
}

// The journal knows the file before it is there: a crash in between finds either one. Where it
// cannot be written the journal does not say so.
static sn_status write_bytes(desk *desk, desk_slot *slot, const char *path, const char *bytes,
                             size_t size, sn_error *error) {
    uint64_t hash = journal_hash(bytes, size);
    size_t before = 0;
    bool known = journal_tell(slot->work->journal, &before);
    sn_status status = SN_OK;
    SN_TRY(note_saved(desk, slot, path, hash, error));
    SN_TRY(sn_file_write(path, bytes, size, error));
cleanup:
    if (status == SN_OK) {
        slot->work->disk_hash = hash;
    } else if (known) {
        journal_cut(slot->work->journal, before);
    }
    return status;
}

static void tell_copied(desk *desk, const carry_result *copied) {
    if (copied->count == 1) {
        desk_notice(desk, DESK_ALL_PAGES, "info", "The dropped file is copied to %s",
                    copied->first);
    } else if (copied->count > 1) {
        desk_notice(desk, DESK_ALL_PAGES, "info",
                    "%u dropped files are copied beside the document, such as %s", copied->count,
                    copied->first);
    }
}

// Writes a copy of the document whose relative paths begin in the folder of `path`, with the files
// that the studio kept for it. The bytes are made first, so that the journal knows them before the
// file is there.
static sn_status write_moved(desk *desk, desk_slot *slot, const char *path, const char *kept,
                             sn_error *error) {
    sn_character *copy = NULL;
    sn_json *document = NULL;
    carry_result copied = {0};
    char *text = NULL, *bytes = NULL;
    size_t size = 0;
    sn_status status = SN_OK;
    SN_TRY(sn_character_parse(desk_context(desk), slot->base, slot->text, slot->text_size, &copy,
                              error));
    SN_TRY(sn_character_write(copy, path, &text, &size, error));
    SN_TRY(sn_json_parse(desk_context(desk), text, size, &document, error));
    SN_TRY(carry_files(document, path, kept, &copied, error));
    SN_TRY(sn_json_write(document, &bytes, &size, error));
    SN_TRY(write_bytes(desk, slot, path, bytes, size, error));
    tell_copied(desk, &copied);
cleanup:
    sn_json_free_text(desk_context(desk), text);
    sn_json_free_text(desk_context(desk), bytes);
    sn_json_destroy(document);
    sn_character_destroy(copy);
    return status;
}

static sn_status write_document(desk *desk, desk_slot *slot, const char *path, sn_error *error) {
    const desk_work *work = slot->work;
    char kept[APP_PATH_BYTES];
    bool as_opened = slot->text_size == work->opened_text_size &&
                     memcmp(slot->text, work->opened_text, slot->text_size) == 0;
    desk_kept_folder(desk, kept);
    if (!same_folder(path, slot->base) ||
        carry_needed(sn_character_document(slot->character), slot->base, kept)) {
        return write_moved(desk, slot, path, kept, error);
    }
    if (as_opened) {
        return write_bytes(desk, slot, path, work->opened, work->opened_size, error);
    }
    return write_bytes(desk, slot, path, slot->text, slot->text_size, error);
}

static sn_status take_path(desk_slot *slot, const char *path, sn_error *error) {
    char real[PATH_ROOM];
    char *copy = desk_copy_string(realpath(path, real) ? real : path);
    if (!copy) {
        return app_fail_memory(error);
    }
    bool moved = !slot->path || strcmp(slot->path, copy) != 0;
    free(slot->path);
    slot->path = copy;
    return moved ? journal_move(slot->work->journal, copy, error) : SN_OK;
}

sn_status desk_save_document(desk *desk, uint32_t index, const char *path, bool replace,
                             sn_error *error) {
    desk_slot *slot = desk_slot_at(desk, index);
    char *copy = desk_copy_string(path ? path : slot->path);
    if (!copy) {
        return desk_fail(error, SN_INVALID, "path", "the document was not saved yet: give a path");
    }
    sn_status status = SN_OK;
    SN_TRY(sn_file_check(copy, error));
    if (!replace) {
        SN_TRY(check_file(slot, copy, error));
    }
    SN_TRY(write_document(desk, slot, copy, error));
    SN_TRY(take_path(slot, copy, error));
    slot->work->on_disk = true;
    slot->work->history.closed = true; // what comes is another step than what was saved
    slot->saved_hash = journal_hash(slot->text, slot->text_size);
    desk_tell_state(desk, slot, 0);
cleanup:
    free(copy);
    return status;
}
