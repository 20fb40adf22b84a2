// SPDX-License-Identifier: Apache-2.0
//
// What a slot keeps besides its document (desk thread only).
#ifndef SINEW_STUDIO_DOCUMENT_INTERNAL_H
#define SINEW_STUDIO_DOCUMENT_INTERNAL_H

#include "builder/builder.h"
#include "document/document.h"
#include "edits/journal.h"
#include "player/player.h"

// Changes that are remembered to tell stale edits.
#define RECENT_CHANGES 512

typedef struct recent_change {
    uint64_t revision;
    uint32_t page;
    sn_json *paths; // {"patch": [...]} without values
} recent_change;

typedef struct desk_work {
    history history;
    journal *journal;
    char *opened; // the bytes that were opened
    size_t opened_size;
    char *opened_text; // the same document as sn_json_write writes it
    size_t opened_text_size;
    bool copy;                // of what was open elsewhere: without edits there is nothing to keep
    bool on_disk;             // a file was read or written here
    uint64_t disk_hash;       // of its bytes
    struct stage_body *shelf; // files that all characters of the slot share
    uint64_t changed_files;   // how files were that changed on disk, when last looked at; 0: none
    sn_character *scratch;    // where changes are tried; NULL: none yet
    sn_json *before;          // the document before the last step, to merge with it; NULL: closed
    recent_change recent[RECENT_CHANGES];
    uint32_t recent_next; // where the next one goes
} desk_work;

void desk_work_destroy(desk_work *work, bool discard_journal);

// Empties a slot; the journal of what was not saved stays where `keep` says so. Tells nobody.
void desk_empty_slot(desk *desk, desk_slot *slot, bool keep);

// A document that is to take the place of the present one.
typedef struct candidate {
    sn_json *patch; // {"patch": [...]}: from the present one to it
    char *text;
    size_t size;
    sn_character *character; // the scratch
} candidate;

void candidate_deinit(desk *desk, candidate *next);

// Makes the candidate of a changed scratch: `fn` changes it. `text` stays NULL where nothing is
// different.
sn_status candidate_make(desk *desk, desk_slot *slot, desk_change_fn *fn, void *user,
                         candidate *next, sn_error *error);

// Puts a candidate in the place of the document, tells pages and the builder; cannot fail.
void candidate_commit(desk *desk, desk_slot *slot, uint32_t page, candidate *next);

// Remembers a change; `patch` NULL: all of the document.
void desk_remember_change(desk *desk, desk_slot *slot, uint32_t page, const sn_json *patch);

// What a journal says: the document as it was opened, what was done since, and how it is now.
typedef struct recovery {
    char *opened;
    size_t opened_size;
    char *base; // where its relative paths begin
    char *path; // where it was saved last; NULL: nowhere
    history history;
    sn_json *document;
    struct saved_state *saved; // the file, each time that it was opened or saved
    uint32_t saved_count;
} recovery;

// A file as it was left, and the text of the document that it stands for: in another folder than
// where it was opened, a file has other relative paths.
typedef struct saved_state {
    uint64_t file, text; // hashes
} saved_state;

void recovery_deinit(recovery *recovery);
// Reads the lines of a journal. Fails for lines that this server would not have written.
sn_status recovery_read(sn_context *context, const char *content, size_t size, recovery *result,
                        sn_error *error);
// Finds the newest state whose file has this hash; NULL: none.
const saved_state *recovery_find(const recovery *recovery, uint64_t file_hash);

// Lines of the journal, malloc'd: its first one, and the one that tells of a saved file.
typedef struct journal_header {
    const char *path, *base; // as in desk_opening
    bool copy;
    const char *text; // the bytes that were opened
    size_t size;
} journal_header;
sn_status journal_write_header(sn_context *context, const journal_header *header, char **line,
                               size_t *size, sn_error *error);
sn_status journal_write_saved(sn_context *context, const char *path, saved_state saved, char **line,
                              size_t *size, sn_error *error);

// Tells how a document stands (path, dirty, undo, redo) where nothing in it changed.
void desk_tell_state(desk *desk, const desk_slot *slot, uint32_t page);

// Hands the slot's document to the builder.
void desk_build(desk *desk, const desk_slot *slot, build_reason reason);

#endif
