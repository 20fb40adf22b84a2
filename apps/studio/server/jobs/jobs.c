// SPDX-License-Identifier: Apache-2.0
//
// Jobs: long work on threads of its own. Progress goes to pages as events; when a job's thread is
// done, the desk's thread takes in what it made.
#define _GNU_SOURCE // nanosleep
#include "jobs/jobs.h"

#include "common/common.h"
#include "jobs/pace.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// Jobs at the same time.
#define JOB_LIMIT 16
// Between two events of progress: seconds.
#define PROGRESS_INTERVAL 0.1

struct desk_job {
    desk *desk;
    uint32_t number;
    char *title;
    desk_job_desc desc;
    pthread_t thread;
    bool joined;
    atomic_bool cancelled;
    sn_progress progress;
    double told;
    sn_json *result;
    sn_status status;
    sn_error error;
    pthread_mutex_t telling; // one event at a time, none of progress after the end
    pthread_mutex_t lock;    // guards what was reported last
    char step[128];
    pace pace;
    struct desk_job *next;
};

struct desk_jobs {
    desk_job *first; // the desk thread's
    uint32_t count, last_number;
    bool closed;
};

// ---------------------------------------------------------------------------------------------
// Telling

static sn_json *begin_event(desk_job *job, const char *state) {
    sn_json *event = desk_event(job->desk, "job");
    if (!event) {
        return NULL;
    }
    sn_value *root = sn_json_root(event);
    sn_json_add_number(event, root, "job", job->number);
    sn_json_add_string(event, root, "title", job->title);
    pthread_mutex_lock(&job->lock);
    double fraction = job->pace.fraction, left = pace_left(&job->pace, app_clock());
    sn_json_add_string(event, root, "step", job->step);
    pthread_mutex_unlock(&job->lock);
    sn_json_add_number(event, root, "fraction", fraction);
    if (left >= 0) {
        sn_json_add_number(event, root, "left", left);
    } else {
        sn_json_add_null(event, root, "left");
    }
    sn_json_add_string(event, root, "state", state);
    sn_json_add_number(event, root, "page", job->desc.page);
    if (job->desc.quiet) {
        sn_json_add_bool(event, root, "quiet", true);
    }
    return event;
}

static void send_job(desk_job *job, uint32_t page, sn_json *event) {
    char replaces[32];
    snprintf(replaces, sizeof replaces, "job %u", job->number);
    desk_send(job->desk, page, event, replaces);
}

// A page that comes hears of running jobs only; a failure waits for it as a notice.
static void tell_failure_later(desk_job *job) {
    char text[1100];
    sn_error_format(&job->error, text, sizeof text);
    desk_notice(job->desk, DESK_ALL_PAGES, "warning", "%s failed: %s", job->title, text);
}

static void tell_end(desk_job *job, sn_status status) {
    const char *state = status == SN_OK ? "done" : status == SN_CANCELLED ? "cancelled" : "failed";
    sn_json *event = begin_event(job, state);
    if (!event) {
        return;
    }
    if (status == SN_OK && job->result) {
        sn_json_add_copy(event, sn_json_root(event), "result", sn_json_root(job->result));
    }
    bool failed = status != SN_OK && status != SN_CANCELLED;
    if (failed) {
        desk_add_error(event, sn_json_root(event), "error", &job->error);
    }
    if (failed && !desk_has_listener(job->desk)) {
        tell_failure_later(job);
    }
    send_job(job, DESK_ALL_PAGES, event);
}

void desk_tell_jobs(desk *desk, uint32_t page) {
    for (desk_job *job = (*desk_jobs_of(desk))->first; job; job = job->next) {
        if (!atomic_load(&job->cancelled)) {
            send_job(job, page, begin_event(job, "running"));
        }
    }
}

// ---------------------------------------------------------------------------------------------
// The job's thread

static bool report(const char *step, double fraction, void *user) {
    desk_job *job = user;
    double now = app_clock();
    pthread_mutex_lock(&job->lock);
    snprintf(job->step, sizeof job->step, "%s", step ? step : "");
    pace_note(&job->pace, now, fraction);
    pthread_mutex_unlock(&job->lock);
    pthread_mutex_lock(&job->telling);
    if (now - job->told >= PROGRESS_INTERVAL && !atomic_load(&job->cancelled)) {
        job->told = now;
        send_job(job, DESK_ALL_PAGES, begin_event(job, "running"));
    }
    pthread_mutex_unlock(&job->telling);
    return !atomic_load(&job->cancelled);
}

static void finish_job(desk *desk, void *user);

static void *run_job(void *user) {
    desk_job *job = user;
    job->status = sn_json_create(desk_context(job->desk), &job->result, &job->error);
    if (job->status == SN_OK) {
        job->status =
            job->desc.run(job, job->result, sn_json_root(job->result), job->desc.user, &job->error);
    }
    // Without memory for the message it tries again; a desk that closes takes it in by itself.
    while (!desk_post(job->desk, finish_job, job) && !desk_is_closing(job->desk)) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    return NULL;
}

// ---------------------------------------------------------------------------------------------
// The desk's thread

// What it worked with goes, with all that it has not completed on disk.
static void free_user(desk_job *job) {
    if (job->desc.free) {
        job->desc.free(job->desc.user);
        job->desc.free = NULL;
    }
}

static void destroy_job(desk_job *job) {
    free_user(job);
    sn_json_destroy(job->result);
    pthread_mutex_destroy(&job->lock);
    pthread_mutex_destroy(&job->telling);
    free(job->title);
    free(job);
}

static void unlink_job(struct desk_jobs *jobs, const desk_job *job) {
    for (desk_job **link = &jobs->first; *link; link = &(*link)->next) {
        if (*link == job) {
            *link = job->next;
            jobs->count -= 1;
            return;
        }
    }
}

static void join(desk_job *job) {
    if (!job->joined) {
        pthread_join(job->thread, NULL);
        job->joined = true;
    }
}

static void finish_job(desk *desk, void *user) {
    desk_job *job = user;
    join(job);
    if (atomic_load(&job->cancelled)) {
        // Pages know already, and what it made after all is not wanted.
        unlink_job(*desk_jobs_of(desk), job);
        destroy_job(job);
        return;
    }
    if (job->status == SN_OK && job->desc.done) {
        job->status = job->desc.done(desk, job->result, sn_json_root(job->result), job->desc.user,
                                     &job->error);
    }
    free_user(job); // so that pages find everything done when they hear of it
    unlink_job(*desk_jobs_of(desk), job);
    tell_end(job, job->status);
    destroy_job(job);
}

static desk_job *create_job(desk *desk, const desk_job_desc *desc) {
    desk_job *job = calloc(1, sizeof *job);
    if (!job) {
        return NULL;
    }
    job->desk = desk;
    job->desc = *desc;
    job->title = desk_copy_string(desc->title);
    job->progress = (sn_progress){.report = report, .user = job};
    atomic_init(&job->cancelled, false);
    pthread_mutex_init(&job->lock, NULL);
    pthread_mutex_init(&job->telling, NULL);
    job->number = ++(*desk_jobs_of(desk))->last_number;
    return job;
}

static sn_status refuse(const desk_job_desc *desc, sn_error *error, sn_status status,
                        const char *reason) {
    if (desc->free) {
        desc->free(desc->user);
    }
    return desk_fail(error, status, "", "%s", reason);
}

sn_status desk_job_start(desk *desk, const desk_job_desc *desc, uint32_t *number, sn_error *error) {
    struct desk_jobs *jobs = *desk_jobs_of(desk);
    if (jobs->closed || jobs->count >= JOB_LIMIT) {
        return refuse(desc, error, SN_LIMIT, "too many jobs are running");
    }
    desk_job *job = create_job(desk, desc);
    if (!job) {
        return refuse(desc, error, SN_OUT_OF_MEMORY, "out of memory");
    }
    *number = job->number;
    job->next = jobs->first;
    jobs->first = job;
    jobs->count += 1;
    send_job(job, DESK_ALL_PAGES, begin_event(job, "running"));
    if (pthread_create(&job->thread, NULL, run_job, job) != 0) {
        unlink_job(jobs, job);
        job->status = desk_fail(&job->error, SN_LIMIT, "", "no thread can be started");
        tell_end(job, job->status);
        destroy_job(job);
        return desk_fail(error, SN_LIMIT, "", "no thread can be started");
    }
    return SN_OK;
}

const sn_progress *desk_job_progress(desk_job *job) {
    return &job->progress;
}

uint32_t desk_job_number(const desk_job *job) {
    return job->number;
}

sn_status desk_job_cancel(desk *desk, uint32_t number, sn_error *error) {
    for (desk_job *job = (*desk_jobs_of(desk))->first; job; job = job->next) {
        if (job->number == number && !atomic_load(&job->cancelled)) {
            // Its thread may need a moment until it looks; for pages it has ended.
            pthread_mutex_lock(&job->telling);
            atomic_store(&job->cancelled, true);
            pthread_mutex_unlock(&job->telling);
            tell_end(job, SN_CANCELLED);
            return SN_OK;
        }
    }
    return desk_fail(error, SN_INVALID, "job", "there is no job %u", number);
}

// ---------------------------------------------------------------------------------------------
// From beginning to end

sn_status desk_jobs_create(desk *desk, const desk_desc *desc, sn_error *error) {
    (void)desc;
    struct desk_jobs *jobs = calloc(1, sizeof *jobs);
    *desk_jobs_of(desk) = jobs;
    return jobs ? SN_OK : app_fail_memory(error);
}

static void cancel_all(desk *desk, void *user) {
    struct desk_jobs *jobs = user;
    (void)desk;
    jobs->closed = true;
    for (desk_job *job = jobs->first; job; job = job->next) {
        atomic_store(&job->cancelled, true);
    }
}

// The desk's thread cancels, and takes in what ends before it ends itself.
void desk_jobs_stop(desk *desk) {
    desk_post(desk, cancel_all, *desk_jobs_of(desk));
}

void desk_jobs_destroy(desk *desk) {
    struct desk_jobs *jobs = *desk_jobs_of(desk);
    while (jobs && jobs->first) {
        desk_job *job = jobs->first;
        atomic_store(&job->cancelled, true);
        join(job);
        unlink_job(jobs, job);
        destroy_job(job);
    }
    free(jobs);
    *desk_jobs_of(desk) = NULL;
}
