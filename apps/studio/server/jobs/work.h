// SPDX-License-Identifier: Apache-2.0
//
// What jobs work on: a document as it was when the job began, with a character, a model, a motion
// and a frame of their own, so that nothing on the desk waits for them.
#ifndef SINEW_STUDIO_WORK_H
#define SINEW_STUDIO_WORK_H

#include "document/document.h"
#include "jobs/jobs.h"
#include "player/models.h"

#include "common/common.h"

typedef struct work {
    desk *desk;
    uint32_t slot;
    uint64_t document; // that was in the slot
    char *text;        // of it
    size_t size;
    char *base;      // where its relative paths begin
    char *clip;      // that is played: a name of the document, or a file; NULL: the rest pose
    bool first_clip; // nobody has said: the first of the document
    sn_json *held;   // {"values": {NAME: number}}: what pages held then; NULL: it does not count
    char title[300]; // of the job; empty: that of its kind

    // Made by work_open.
    sn_character *character;
    sn_model *model;
    sn_motion *motion;
    sn_frame *frame;
} work;

// Takes the document of the request's slot, and its "clip" (null: the rest pose; without it, what
// the slot plays) and "held" (true). (Desk thread.)
sn_status work_take(work *w, desk *desk, const desk_request *request, sn_error *error);

// Makes character and model, and, where `frame` is asked for, motion and frame. (The job's thread.)
sn_status work_open(work *w, bool frame, const sn_progress *progress, sn_error *error);

// The number of the motion's last frame, 0 without one.
uint32_t work_last_frame(const work *w);

// "first" and "last" of a request, checked when the motion is known: beyond its end they are wrong.
typedef struct work_range {
    bool given;
    uint32_t first, last;
} work_range;
sn_status work_range_take(const desk_request *request, work_range *range, sn_error *error);
sn_status work_range_check(const work *w, work_range *range, sn_error *error);
// Adds "path", "first" and "last" to what a job tells.
sn_status work_add_written(sn_json *result, sn_value *object, const char *path,
                           const work_range *range, sn_error *error);

// Changes the document that the work was made for, as desk_change does; fails where that is not
// open any more. (Desk thread.)
sn_status work_change(const work *w, uint32_t page, const char *label, desk_change_fn *fn,
                      void *user, sn_error *error);

void work_free(work *w);

// A kind of job about a document.
typedef struct work_kind {
    const char *title;
    size_t bytes; // of what it keeps, which begins with a `work` and is zero at first
    sn_status (*take)(void *user, desk *desk, const desk_request *request, sn_error *error);
    // As in desk_job_desc; `done` may be NULL, `drop` frees what is in `user`.
    sn_status (*run)(desk_job *job, sn_json *result, sn_value *object, void *user, sn_error *error);
    sn_status (*done)(desk *desk, sn_json *result, sn_value *object, void *user, sn_error *error);
    void (*drop)(void *user);
    bool quiet; // as in desk_job_desc
} work_kind;

// Takes a request, starts the job and adds its number to the answer as "job". (Desk thread.)
sn_status work_begin(desk *desk, const desk_request *request, const work_kind *kind,
                     sn_json *answer, sn_value *ok, sn_error *error);

// The names in an array of strings under `key`; `names` points into the request, free() it. Fails
// for what is no such array. Without the key the count is 0.
sn_status work_names(const desk_request *request, const char *key, const char ***names,
                     uint32_t *count, sn_error *error);
// A copy of such a list that lives as long as one wants: one block, free() it.
char **work_copy_names(const char *const *names, uint32_t count);

#endif
