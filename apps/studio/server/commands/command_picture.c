// SPDX-License-Identifier: Apache-2.0
//
// A picture of a frame of a slot, drawn as `sinew render` draws it, by a job.
#define _GNU_SOURCE
#include "commands/commands.h"
#include "jobs/portrait_request.h"

#include <stdlib.h>

// Parts of the progress: the model is made first.
static const double model_part = 0.4;

typedef struct picture_work {
    portrait_work base;
    bool at_rest;
    uint32_t frame;
} picture_work;

static sn_status draw(picture_work *w, const sn_progress *progress, sn_error *error) {
    sn_portrait *portrait = NULL;
    sn_image *image = NULL;
    const sn_motion *motion = w->at_rest ? NULL : w->base.work.motion;
    sn_status status = SN_OK;
    SN_TRY(sn_frame_evaluate(w->base.work.frame, motion, w->frame, error));
    SN_TRY(sn_portrait_create(w->base.work.model, &w->base.portrait.desc, &portrait, error));
    sn_portrait_include(portrait, w->base.work.frame);
    SN_TRY(sn_portrait_draw(portrait, w->base.work.frame, NULL, progress, &image, error));
    SN_TRY(sn_image_write_png(image, w->base.file.scratch, error));
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
    SN_TRY(work_open(&w->base.work, true, &making.progress, error));
    if (w->frame > work_last_frame(&w->base.work)) {
        SN_TRY(desk_fail(error, SN_INVALID, "frame", "the last frame is %u, not %u",
                         work_last_frame(&w->base.work), w->frame));
    }
    portrait_request_settle(&w->base.portrait, &w->base.work);
    SN_TRY(draw(w, &drawing.progress, error));
    if (sn_json_add_string(result, object, "path", w->base.file.path) == NULL) {
        SN_TRY(app_fail_memory(error));
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// The request

static sn_status take(void *user, desk *desk, const desk_request *request, sn_error *error) {
    picture_work *w = user;
    static const char *const extensions[] = {".png", NULL};
    const sn_value *frame = sn_value_get(request->args, "frame");
    w->at_rest = frame == NULL || frame->type == SN_JSON_NULL;
    sn_status status = SN_OK;
    SN_TRY(work_take(&w->base.work, desk, request, error));
    SN_TRY(outfile_take(&w->base.file, desk, request, "path", extensions, true, error));
    SN_TRY(portrait_request_take(&w->base.portrait, request, error));
    if (!w->at_rest) {
        SN_TRY(desk_argument_index(request, "frame", &w->frame, error));
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
                                   .done = portrait_work_done,
                                   .drop = portrait_work_drop};
    return work_begin(desk, request, &kind, answer, ok, error);
}
