// SPDX-License-Identifier: Apache-2.0
//
// Jobs: long work on threads of its own, which tells how far it is and can be cancelled.
#ifndef SINEW_STUDIO_JOBS_H
#define SINEW_STUDIO_JOBS_H

#include "desk/service.h"

typedef struct desk_job desk_job;

typedef struct desk_job_desc {
    const char *title;
    uint32_t page; // that asked
    bool quiet;    // the page that asked shows how it goes: no card unless it fails
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
uint32_t desk_job_number(const desk_job *job);
// Asks a job to stop (desk thread); SN_INVALID where there is none of this number.
sn_status desk_job_cancel(desk *desk, uint32_t number, sn_error *error);

// Tells a page that came of the jobs that are running (desk thread).
void desk_tell_jobs(desk *desk, uint32_t page);

// For the topic. Stopping cancels all jobs.
sn_status desk_jobs_create(desk *desk, const desk_desc *desc, sn_error *error);
void desk_jobs_stop(desk *desk);
void desk_jobs_destroy(desk *desk);

#endif
