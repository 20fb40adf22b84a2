// SPDX-License-Identifier: Apache-2.0
//
// Inside the desk: what commands, the builder, the player and jobs share.
//
//     pages ──texts──► desk thread: commands in order ──► documents, histories, journals
//                          │ text of a document            ▲ desk_post
//                          ▼                               │
//                      builder: models ──► player: frames  jobs: one thread each
//
// Who may touch what: documents (desk_slot) belong to the desk thread alone. Everything that is
// marked "any thread" takes its own locks. Other threads come to documents by desk_post.
#ifndef SINEW_STUDIO_DESK_INTERNAL_H
#define SINEW_STUDIO_DESK_INTERNAL_H

#include "desk.h"

#include "sinew/eval.h"
#include "sinew/json.h"

#define DESK_SLOTS 2
#define DESK_ALL_PAGES 0 // in place of a page's number

typedef struct desk_slot desk_slot;
typedef struct desk_files desk_files; // state of the topic "files"
typedef struct desk_tools desk_tools; // state of the topic "tools"

// ---------------------------------------------------------------------------------------------
// Requests and commands

typedef struct desk_request {
    uint32_t page;        // 0: the server itself
    bool has_id;          // without one it is not answered
    double id;            //
    const char *name;     // of the command
    const sn_value *args; // the whole message, an object
    bool later;           // set by desk_answer_later
} desk_request;

// Runs a command on the desk thread. What it adds to `ok`, the root of `answer`, is the answer. A
// failure is answered with all of `error`.
typedef sn_status desk_run_fn(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                              sn_error *error);

typedef struct desk_command {
    const char *name;
    desk_run_fn *run;
} desk_command;

// A topic: its commands and what it keeps. All functions may be NULL; all run on the desk thread
// but create and destroy, which run while no thread does.
typedef struct desk_topic {
    const desk_command *commands;
    uint32_t command_count;
    sn_status (*create)(desk *desk, const desk_desc *desc, sn_error *error);
    void (*destroy)(desk *desk);
    // Adds members to the event `welcome`.
    sn_status (*welcome)(desk *desk, sn_json *json, sn_value *welcome, sn_error *error);
    // A page left.
    void (*leave)(desk *desk, uint32_t page);
    // Binary bytes of a page; true: they were meant for this topic.
    bool (*receive_bytes)(desk *desk, uint32_t page, const void *bytes, size_t size);
} desk_topic;

// The topics, each listed by one line in desk_commands.c.
extern const desk_topic desk_hello_topic, desk_document_topic, desk_motion_topic,
    desk_geometry_topic;

// Arguments of a request. Each fails with SN_INVALID and the argument's name as the place where it
// is missing or wrong.
sn_status desk_argument_slot(desk *desk, const desk_request *request, bool must_be_open,
                             desk_slot **slot, sn_error *error);
sn_status desk_argument_string(const desk_request *request, const char *key, const char **string,
                               sn_error *error);
sn_status desk_argument_number(const desk_request *request, const char *key, double low,
                               double high, double *number, sn_error *error);
// A whole number.
sn_status desk_argument_index(const desk_request *request, const char *key, uint32_t *index,
                              sn_error *error);
// Sets an error and returns its status.
sn_status desk_fail(sn_error *error, sn_status status, const char *place, const char *format, ...)
    SN_PRINTF(4, 5);

// Failures that pages tell from others: what they answer has this status in place of "invalid".
extern const char desk_stale[];   // another page changed what an edit touches
extern const char desk_changed[]; // a file is another one than was read here
extern const char desk_exists[];  // a file is there already
sn_status desk_fail_as(sn_error *error, const char *status, const char *place, const char *format,
                       ...) SN_PRINTF(4, 5);

// An answer that is given later, from any thread: nothing is answered when the command returns
// SN_OK. desk_answer sends `ok` (the root of a tree; NULL: an empty object), or `error` where that
// is not NULL, and frees the ticket. The tree stays the caller's. NULL without memory.
typedef struct desk_ticket desk_ticket;
desk_ticket *desk_answer_later(desk *desk, desk_request *request);
void desk_answer(desk *desk, desk_ticket *ticket, const sn_json *ok, const sn_error *error);

// ---------------------------------------------------------------------------------------------
// Events (any thread)

// Begins an event: a tree whose root has the member "event". NULL without memory.
sn_json *desk_event(desk *desk, const char *event);
// Sends it to a page or to all pages, and destroys it (NULL is allowed). Of events with the same
// `replaces` (NULL: none) only the newest waits in a page's queue: for progress and the like.
void desk_send(desk *desk, uint32_t page, sn_json *event, const char *replaces);
void desk_notice(desk *desk, uint32_t page, const char *level, const char *format, ...)
    SN_PRINTF(4, 5);
// Adds {"status", "message", "source", "place", "line"} under `key`.
sn_value *desk_add_error(sn_json *json, sn_value *object, const char *key, const sn_error *error);
// Binary packets in order with the texts: size bytes follow; takes the packet over.
desk_packet *desk_packet_create(size_t size, bool binary);
void desk_send_packet(desk *desk, uint32_t page, desk_packet *packet);

// Memory, log and threads of everything (any thread).
sn_context *desk_context(const desk *desk);

// Runs a function on the desk thread, after what waits there (any thread). Without memory, or when
// the desk is going away, returns false, and the caller keeps `user`.
typedef void desk_post_fn(desk *desk, void *user);
bool desk_post(desk *desk, desk_post_fn *fn, void *user);

// Where topics keep their state: set by create, freed by destroy.
desk_files **desk_files_of(desk *desk);
desk_tools **desk_tools_of(desk *desk);
const char *desk_state_folder(const desk *desk);

// ---------------------------------------------------------------------------------------------
// Documents (desk thread only)

// A character at work.
struct desk_slot {
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
};

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
// For commands: takes slot, `label` (or the one given) and `merge` from the request, changes, and
// adds "revision" to the answer.
sn_status desk_change_by(desk *desk, desk_request *request, const char *label, desk_change_fn *fn,
                         void *user, sn_json *answer, sn_value *ok, sn_error *error);

// ---------------------------------------------------------------------------------------------
// Models (any thread)

// A model that was made, with its motion: holds both until it is let go. Constant while it is held.
typedef struct desk_model {
    sn_model *model;
    sn_motion *motion; // NULL: none
    const char *clip;  // that it was opened as: a name of the document, or a file; NULL: none
    uint32_t serial;
    uint64_t revision;   // of the document that it was made from
    struct stage *stage; // what is held
} desk_model;

// The newest model of a slot; SN_INVALID where there is none. Let it go soon: while it is held,
// edits of muscles take longer.
sn_status desk_hold_model(desk *desk, uint32_t slot, desk_model *model, sn_error *error);
void desk_let_model_go(desk_model *model);

// Adds "values" {NAME: number} to an object: what is held in the slot by pages.
void desk_add_held(desk *desk, uint32_t slot, sn_json *json, sn_value *object);

// The frame of a model that is held, in the pose that pages see (`hidden`: with skins that are not
// shown, too), until it is returned. Fails where another model came, or the frame is still being
// computed. Between the two calls the slot's model cannot be held. (Desk thread.)
sn_status desk_borrow_frame(desk *desk, uint32_t slot, const desk_model *model, bool hidden,
                            sn_frame **frame, sn_error *error);
void desk_return_frame(desk *desk, uint32_t slot);

// ---------------------------------------------------------------------------------------------
// Jobs

typedef struct desk_job desk_job;

typedef struct desk_job_desc {
    const char *title;
    uint32_t page; // that asked
    // The work, on a thread of its own. Fills `result`, an object.
    sn_status (*run)(desk_job *job, sn_json *result, sn_value *object, void *user, sn_error *error);
    // On the desk thread after `run` succeeded, before pages hear that it is done: to open what was
    // made. May add to the result. NULL: nothing.
    sn_status (*done)(desk *desk, sn_json *result, sn_value *object, void *user, sn_error *error);
    // Frees `user`, whatever happened, on the desk thread. NULL: nothing.
    void (*free)(void *user);
    void *user;
} desk_job_desc;

// Starts a job (desk thread); `free` is also called when it cannot be started. `number` is what
// pages call it.
sn_status desk_job_start(desk *desk, const desk_job_desc *desc, uint32_t *number, sn_error *error);
// For the library's calls; tells pages and cancels (the job's thread).
const sn_progress *desk_job_progress(desk_job *job);
desk *desk_job_desk(desk_job *job);
uint32_t desk_job_number(const desk_job *job);
// Asks a job to stop (desk thread); SN_INVALID where there is none of this number.
sn_status desk_job_cancel(desk *desk, uint32_t number, sn_error *error);

#endif
