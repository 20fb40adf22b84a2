// SPDX-License-Identifier: Apache-2.0
//
// What the desk does for commands, documents, the builder, the player and jobs.
//
//     pages ──texts──► desk thread: commands in order ──► documents, histories, journals
//                          │ text of a document            ▲ desk_post
//                          ▼                               │
//                      builder: models ──► player: frames  jobs: one thread each
//
// Who may touch what: documents (desk_slot) belong to the desk thread alone. Everything that is
// marked "any thread" takes its own locks. Other threads come to documents by desk_post.
#ifndef SINEW_STUDIO_SERVICE_H
#define SINEW_STUDIO_SERVICE_H

#include "desk/desk.h"
#include "wire/failure.h"

#include "sinew/json.h"

#define DESK_ALL_PAGES 0 // in place of a page's number

// What may wait for a page: geometry of a whole body of some hundred meshes fits several times.
#define LETTER_BYTES_LIMIT ((size_t)512 << 20)

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
// but create, stop and destroy, and those that say otherwise.
typedef struct desk_topic {
    const desk_command *commands;
    uint32_t command_count;
    // While no thread runs commands yet, or any more. Topics are destroyed in the opposite order;
    // one that could not be created is destroyed as well.
    sn_status (*create)(desk *desk, const desk_desc *desc, sn_error *error);
    void (*destroy)(desk *desk);
    // The desk is about to close; what is posted now is still done.
    void (*stop)(desk *desk);
    // Twice a second.
    void (*tick)(desk *desk);
    // Adds members to the event `welcome`.
    sn_status (*welcome)(desk *desk, sn_json *json, sn_value *welcome, sn_error *error);
    // A page left.
    void (*leave)(desk *desk, uint32_t page);
    // Binary bytes of a page; true: they were meant for this topic.
    bool (*receive_bytes)(desk *desk, uint32_t page, const void *bytes, size_t size);
    // What a page may have when no text waits for it: frames (any thread).
    wire_packet *(*take)(desk *desk, uint32_t page);
} desk_topic;

// All of them (commands/topics.c).
extern const desk_topic *const desk_topics[];
extern const uint32_t desk_topic_count;

// Arguments of a request. Each fails with SN_INVALID and the argument's name as the place where it
// is missing or wrong.
sn_status desk_argument_string(const desk_request *request, const char *key, const char **string,
                               sn_error *error);
sn_status desk_argument_number(const desk_request *request, const char *key, double low,
                               double high, double *number, sn_error *error);
// A whole number.
sn_status desk_argument_index(const desk_request *request, const char *key, uint32_t *index,
                              sn_error *error);

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
// Of an event that is a text already.
void desk_send_text(desk *desk, uint32_t page, const char *text, size_t size);
// Binary packets in order with the texts; takes the packet over.
void desk_send_packet(desk *desk, uint32_t page, wire_packet *packet);

// Memory, log and threads of everything (any thread).
sn_context *desk_context(const desk *desk);

// Runs a function on the desk thread, after what waits there (any thread). Without memory, or when
// the desk is going away, returns false, and the caller keeps `user`.
typedef void desk_post_fn(desk *desk, void *user);
bool desk_post(desk *desk, desk_post_fn *fn, void *user);

// No message is taken any more (any thread).
bool desk_is_closing(desk *desk);
// Whether any page would hear an event (any thread).
bool desk_has_listener(desk *desk);
// Tells the net that a topic has something that a page may take (any thread).
void desk_wake(desk *desk);

// A page that says hello gets events from then on, and what nobody was there to hear.
void desk_greet(desk *desk, uint32_t page);
void desk_tell_kept(desk *desk, uint32_t page);
sn_status desk_topics_welcome(desk *desk, sn_json *json, sn_value *welcome, sn_error *error);

// Where topics keep their state: set by create, freed by destroy.
struct desk_slot **desk_slots_of(desk *desk);
struct desk_player **desk_player_of(desk *desk);
struct desk_builder **desk_builder_of(desk *desk);
struct desk_jobs **desk_jobs_of(desk *desk);
struct desk_files **desk_files_of(desk *desk);
struct desk_tools **desk_tools_of(desk *desk);
const char *desk_state_folder(const desk *desk);
// Adds "session", which is another one for each desk, and "command", which starts the studio again.
bool desk_add_session(const desk *desk, sn_json *json, sn_value *welcome);

#endif
