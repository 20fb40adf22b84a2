// SPDX-License-Identifier: Apache-2.0
//
// A picture of a frame of a slot, drawn as `sinew render` draws it, by a job.
#define _GNU_SOURCE
#include "commands/commands.h"
#include "common/try.h"
#include "jobs/outfile.h"
#include "jobs/portrait_request.h"

#include <stdlib.h>

// Parts of the progress: the model is made first.
static const double model_part = 0.4;

typedef struct picture_work {
    work work;
    outfile file;
    portrait_request portrait;
    bool at_rest;
    uint32_t frame;
} picture_work;

static sn_status draw(picture_work *w, const sn_progress *progress, sn_error *error) {
    sn_portrait *portrait = NULL;
    sn_image *image = NULL;
    const sn_motion *motion = w->at_rest ? NULL : w->work.motion;
    sn_status status = SN_OK;
    APP_TRY(sn_frame_evaluate(w->work.frame, motion, w->frame, error));
    APP_TRY(sn_portrait_create(w->work.model, &w->portrait.desc, &portrait, error));
    sn_portrait_include(portrait, w->work.frame);
    APP_TRY(sn_portrait_draw(portrait, w->work.frame, NULL, progress, &image, error));
    APP_TRY(sn_image_write_png(image, w->file.scratch, error));
cleanup:
    sn_image_destroy(image);
    sn_portrait_destroy(portrait);
    return status;
}

static sn_status run(desk_job *job, sn_json *result, sn_value *object, void *user,
                     sn_error *error) {
    picture_work *w = user;
    app_part making, drawing;
    app_part_begin_steps(&making, desk_job_progress(job), 0, model_part);
    app_part_begin(&drawing, desk_job_progress(job), model_part, 1);
    sn_status status = SN_OK;
    APP_TRY(work_open(&w->work, true, &making.progress, error));
    if (w->frame > work_last_frame(&w->work)) {
        APP_TRY(desk_fail(error, SN_INVALID, "frame", "the last frame is %u, not %u",
                          work_last_frame(&w->work), w->frame));
    }
    portrait_request_settle(&w->portrait, &w->work);
    APP_TRY(draw(w, &drawing.progress, error));
    if (sn_json_add_string(result, object, "path", w->file.path) == NULL) {
        APP_TRY(app_fail_memory(error));
    }
cleanup:
    return status;
}

static sn_status done(desk *desk, sn_json *result, sn_value *object, void *user, sn_error *error) {
    (void)desk;
    (void)result;
    (void)object;
    return outfile_keep(&((picture_work *)user)->file, error);
}

static void drop(void *user) {
    picture_work *w = user;
    work_free(&w->work);
    outfile_free(&w->file);
    portrait_request_free(&w->portrait);
    free(w);
}

// ---------------------------------------------------------------------------------------------
// The request

static sn_status take(void *user, desk *desk, const desk_request *request, sn_error *error) {
    picture_work *w = user;
    static const char *const extensions[] = {".png", NULL};
    const sn_value *frame = sn_value_get(request->args, "frame");
    w->at_rest = frame == NULL || frame->type == SN_JSON_NULL;
    sn_status status = SN_OK;
    APP_TRY(work_take(&w->work, desk, request, error));
    APP_TRY(outfile_take(&w->file, desk, request, "path", extensions, true, error));
    APP_TRY(portrait_request_take(&w->portrait, request, error));
    if (!w->at_rest) {
        APP_TRY(desk_argument_index(request, "frame", &w->frame, error));
    }
cleanup:
    return status;
}

// {"slot", "path", "replace", "frame", "clip", "held"} and those of portrait_request.h
sn_status command_picture(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                          sn_error *error) {
    static const work_kind kind = {.title = "Picture",
                                   .bytes = sizeof(picture_work),
                                   .take = take,
                                   .run = run,
                                   .done = done,
                                   .drop = drop};
    return work_begin(desk, request, &kind, answer, ok, error);
}
