// SPDX-License-Identifier: Apache-2.0
//
// Documents at work (desk thread only).
#ifndef SINEW_STUDIO_DOCUMENT_H
#define SINEW_STUDIO_DOCUMENT_H

#include "common/common.h"
#include "desk/service.h"
#include "edits/history.h"

#include "sinew/character.h"

// A character at work.
typedef struct desk_slot {
    uint32_t index;
    sn_character *character; // the document as it is; NULL: the slot is empty. Read only: change it
                             // by desk_change
    char *text;              // the document as it is written (sn_json_write)
    size_t text_size;
    char *path;             // where it is saved; NULL: nowhere yet
    char *base;             // where its relative paths begin: a file name, maybe of an example
    uint64_t revision;      // changes with every change, rises over all documents of the slot
    uint64_t document;      // another one with every document that is opened or closed here
    uint64_t saved_hash;    // of the text that was saved or opened last
    struct desk_work *work; // history, journal, bytes that were opened, scratch
} desk_slot;

desk_slot *desk_slot_at(desk *desk, uint32_t index);
bool desk_slot_dirty(const desk_slot *slot);

typedef struct desk_opening {
    const char *path; // where it is saved; NULL: nowhere yet, so that saving asks where
    const char *base; // where relative paths begin; NULL: `path`. One of the two must be given
    const char *text; // the document, the file's bytes as they are
    size_t size;
    bool copy; // of what is open elsewhere, as it is: what was left of another copy is not replayed
} desk_opening;

// Puts a document into a slot in place of what was there, of which what was not saved stays in its
// journal. A journal that was left is replayed, and pages are told. When it fails the slot is as it
// was.
sn_status desk_open_document(desk *desk, uint32_t slot, const desk_opening *opening,
                             sn_error *error);
// The same for a file that is there.
sn_status desk_open_path(desk *desk, uint32_t slot, const char *path, sn_error *error);
// Empties a slot. What was not saved stays in its journal where `keep` says so, and is gone
// otherwise: pages ask before.
void desk_close_document(desk *desk, uint32_t slot, bool keep);
// The same as desk_open_document for what is in a journal (unsaved.h), by its name: document and
// history. Where the file is another one by now it belongs to no file.
sn_status desk_open_unsaved(desk *desk, uint32_t slot, const char *journal, sn_error *error);

// The folder for files that pages send, without links and dots: they are kept there until a
// document that names them is saved, which carries them along (carry.h).
void desk_kept_folder(const desk *desk, char folder[APP_PATH_BYTES]);

// Saves under `path` (NULL: where it is saved), which is its path from then on. The document as it
// was opened has the bytes that were opened. `replace`: also where the file is another one than
// was read or written here last, which fails as desk_changed otherwise, or desk_exists.
sn_status desk_save_document(desk *desk, uint32_t slot, const char *path, bool replace,
                             sn_error *error);

// Changes a document as one step that can be undone: `fn` changes a copy, which has meshes as the
// slot's own character has; the copy is checked and takes the place of the document, the journal
// has it, pages are told, the model is made anew. When `fn` or the check fails nothing has changed.
// `label` is what the undo button says. Consecutive changes by one page with the same `merge`
// (NULL: none) are one step.
typedef sn_status desk_change_fn(sn_character *copy, void *user, sn_error *error);
sn_status desk_change(desk *desk, desk_slot *slot, uint32_t page, const char *label,
                      const char *merge, desk_change_fn *fn, void *user, sn_error *error);
// For commands: takes slot, `label` (or the one given) and `merge` from the request, changes,
// releases the held values of `release` (an array of names) in the same step, and adds "revision"
// to the answer.
sn_status desk_change_by(desk *desk, desk_request *request, const char *label, desk_change_fn *fn,
                         void *user, sn_json *answer, sn_value *ok, sn_error *error);

// An array of entries to apply, as a desk_change_fn.
sn_status desk_apply_entries(sn_character *copy, void *entries, sn_error *error);

// Records changes of held values, which are made already, as a step like any other; those with the
// `merge` of the last step become part of it.
sn_status desk_record_held(desk *desk, desk_slot *slot, uint32_t page, const char *label,
                           const char *merge, const held_changes *changes, sn_error *error);

// One step back or forth: undo, redo; SN_INVALID where there is none.
sn_status desk_take_step(desk *desk, desk_slot *slot, uint32_t page, bool forth, sn_error *error);

// Whether another page changed what the entries touch after `revision`.
bool desk_is_stale(const desk_slot *slot, uint32_t page, uint64_t revision,
                   const sn_value *entries);

// What can be undone and redone in a slot that has a document.
const history *desk_history(const desk_slot *slot);

// The slot that a request names, the first where it names none. Fails as arguments do.
sn_status desk_argument_slot(desk *desk, const desk_request *request, bool must_be_open,
                             desk_slot **slot, sn_error *error);

// The whole document of a slot, for a page that came.
void desk_tell_document(desk *desk, uint32_t page, const desk_slot *slot);

// For the topic. Watching reads files again that changed on disk.
sn_status documents_create(desk *desk, const desk_desc *desc, sn_error *error);
void documents_destroy(desk *desk);
void documents_watch(desk *desk);

#endif
