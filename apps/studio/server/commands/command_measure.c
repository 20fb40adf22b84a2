// SPDX-License-Identifier: Apache-2.0
//
// Muscles and stage times over a clip, for plots. Pages hear of the frames as they are evaluated
// (event `measured`) and get all of it as the job's result; of a long clip every n-th frame, so
// that no page drowns in it.
#define _GNU_SOURCE
#include "commands/commands.h"
#include "jobs/measure.h"
#include "jobs/work.h"

#include <stdlib.h>

// Parts of the progress: the model is made first.
static const double model_part = 0.2;
// Seconds between two events with new frames: plots that grow four times a second look alive.
static const double event_interval = 0.25;
// Of a result. As text that is some 20 MB, for each page.
static const size_t most_numbers = 1000000;

typedef struct measure_work {
    work work;
    work_range range;
    measure *measure;
    uint32_t told; // frames that pages have heard of
} measure_work;

// The frames that pages have not heard of.
static void tell(measure_work *w, desk_job *job, uint32_t count) {
    desk *desk = w->work.desk;
    sn_json *event = desk_event(desk, "measured");
    sn_value *root = event != NULL ? sn_json_root(event) : NULL;
    bool done = sn_json_add_number(event, root, "job", desk_job_number(job)) != NULL &&
                sn_json_add_number(event, root, "slot", w->work.slot) != NULL &&
                measure_add(w->measure, event, root, w->told);
    w->told = count;
    if (done) {
        desk_send(desk, DESK_ALL_PAGES, event, NULL);
    } else {
        sn_json_destroy(event);
    }
}

static sn_status evaluate(measure_work *w, desk_job *job, sn_error *error) {
    const sn_progress *progress = desk_job_progress(job);
    double told = app_clock(), count = w->range.last - w->range.first + 1.0;
    for (uint32_t i = w->range.first; i <= w->range.last; ++i) {
        double done = (i - w->range.first) / count;
        if (!progress->report("measuring", model_part + (1 - model_part) * done, progress->user)) {
            return error->status = SN_CANCELLED;
        }
        sn_status status = sn_frame_evaluate(w->work.frame, w->work.motion, i, error);
        if (status == SN_OK) {
            status = measure_take(w->measure, w->work.frame, i, error);
        }
        if (status != SN_OK) {
            return status;
        }
        if (app_clock() - told >= event_interval) {
            tell(w, job, i + 1 - w->range.first);
            told = app_clock();
        }
    }
    return SN_OK;
}

// All frames where that is no burden, else a choice of them, after the last ones were told.
static sn_status add_result(measure_work *w, desk_job *job, sn_json *result, sn_value *object,
                            sn_error *error) {
    uint32_t count = w->range.last - w->range.first + 1;
    uint32_t step = measure_step(w->measure, most_numbers);
    if (step > 1 && w->told < count) {
        tell(w, job, count);
    }
    measure_thin(w->measure, step);
    bool done = sn_json_add_number(result, object, "slot", w->work.slot) != NULL &&
                sn_json_add_number(result, object, "step", step) != NULL &&
                measure_add(w->measure, result, object, 0);
    return done ? SN_OK : app_fail_memory(error);
}

static sn_status run(desk_job *job, sn_json *result, sn_value *object, void *user,
                     sn_error *error) {
    measure_work *w = user;
    app_part making;
    app_part_begin_steps(&making, desk_job_progress(job), 0, model_part);
    sn_status status = SN_OK;
    SN_TRY(work_open(&w->work, true, &making.progress, error));
    SN_TRY(work_range_check(&w->work, &w->range, error));
    double rate = w->work.motion != NULL ? sn_motion_rate(w->work.motion) : 0;
    SN_TRY(measure_create(w->work.model, w->range.last - w->range.first + 1, rate, &w->measure,
                          error));
    sn_frame_show_only(w->work.frame, true);
    SN_TRY(evaluate(w, job, error));
    SN_TRY(add_result(w, job, result, object, error));
cleanup:
    return status;
}

static void drop(void *user) {
    measure_work *w = user;
    measure_destroy(w->measure);
    work_free(&w->work);
    free(w);
}

static sn_status take(void *user, desk *desk, const desk_request *request, sn_error *error) {
    measure_work *w = user;
    sn_status status = work_take(&w->work, desk, request, error);
    return status == SN_OK ? work_range_take(request, &w->range, error) : status;
}

// {"slot", "clip", "held", "first", "last"}
sn_status command_measure(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                          sn_error *error) {
    static const work_kind kind = {.title = "Measuring",
                                   .bytes = sizeof(measure_work),
                                   .take = take,
                                   .run = run,
                                   .drop = drop};
    return work_begin(desk, request, &kind, answer, ok, error);
}
