// SPDX-License-Identifier: Apache-2.0
//
// A picture of a frame of a slot, drawn as `sinew render` draws it, by a job.
#define _GNU_SOURCE
#include "commands.h"
#include "files.h"
#include "outfile.h"
#include "work.h"

#include "common/character.h"
#include "common/portrait.h"
#include "sinew/render.h"

#include <stdlib.h>
#include <string.h>

// Parts of the progress: the model is made first.
static const double model_part = 0.4;

typedef struct picture_work {
    work work;
    outfile file;
    sn_portrait_desc desc;
    bool layers_given;
    bool at_rest;
    uint32_t frame;
} picture_work;

static sn_status draw(picture_work *w, const sn_progress *progress, sn_error *error) {
    sn_portrait *portrait = NULL;
    sn_image *image = NULL;
    const sn_motion *motion = w->at_rest ? NULL : w->work.motion;
    sn_status status = sn_frame_evaluate(w->work.frame, motion, w->frame, error);
    if (status == SN_OK) {
        status = sn_portrait_create(w->work.model, &w->desc, &portrait, error);
    }
    if (status == SN_OK) {
        sn_portrait_include(portrait, w->work.frame);
        status = sn_portrait_draw(portrait, w->work.frame, NULL, progress, &image, error);
    }
    if (status == SN_OK) {
        status = sn_image_write_png(image, w->file.scratch, error);
    }
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
    sn_status status = work_open(&w->work, true, &making.progress, error);
    if (status == SN_OK && w->frame > work_last_frame(&w->work)) {
        status = desk_fail(error, SN_INVALID, "frame", "the last frame is %u, not %u",
                           work_last_frame(&w->work), w->frame);
    }
    if (status == SN_OK) {
        if (!w->layers_given && app_count_shown(w->work.model, SN_LAYER_SKIN) == 0) {
            w->desc.muscles = w->desc.tissues = w->desc.bones = true;
        }
        sn_frame_show_only(w->work.frame, true);
        status = draw(w, &drawing.progress, error);
    }
    return status == SN_OK && sn_json_add_string(result, object, "path", w->file.path) == NULL
               ? app_fail_memory(error)
               : status;
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
    free(w);
}

// ---------------------------------------------------------------------------------------------
// The request

static sn_status take_number(const desk_request *request, const char *key, double low, double high,
                             double *number, sn_error *error) {
    return sn_value_get(request->args, key) == NULL
               ? SN_OK
               : desk_argument_number(request, key, low, high, number, error);
}

static sn_status take_camera(picture_work *w, const desk_request *request, sn_error *error) {
    const char *view = sn_value_string(sn_value_get(request->args, "view"), "three-quarter");
    if (!app_portrait_view(view, &w->desc)) {
        return desk_fail(error, SN_INVALID, "view",
                         "`view` is front, back, left, right, top or three-quarter, not \"%s\"",
                         view);
    }
    double azimuth = w->desc.azimuth * 180 / SN_PI, elevation = w->desc.elevation * 180 / SN_PI;
    double width = w->desc.width, height = w->desc.height;
    sn_status status = take_number(request, "azimuth", -360, 360, &azimuth, error);
    if (status == SN_OK) {
        status = take_number(request, "elevation", -89, 89, &elevation, error);
    }
    if (status == SN_OK) {
        status = take_number(request, "width", 16, 16384, &width, error);
    }
    if (status == SN_OK) {
        status = take_number(request, "height", 16, 16384, &height, error);
    }
    w->desc.azimuth = azimuth * SN_PI / 180;
    w->desc.elevation = elevation * SN_PI / 180;
    w->desc.width = (uint32_t)width;
    w->desc.height = (uint32_t)height;
    return status;
}

static sn_status take_layers(picture_work *w, const desk_request *request, sn_error *error) {
    const char **names = NULL;
    uint32_t count = 0;
    sn_status status = work_names(request, "show", &names, &count, error);
    app_portrait_hide_all(&w->desc);
    w->layers_given = count > 0;
    w->desc.skin = count == 0;
    for (uint32_t i = 0; i < count && status == SN_OK; ++i) {
        if (!app_portrait_layer(names[i], strlen(names[i]), &w->desc)) {
            status =
                desk_fail(error, SN_INVALID, "show",
                          "`show` knows skin, muscles, tissues and bones, not \"%s\"", names[i]);
        }
    }
    free(names);
    w->desc.skin_opacity = app_portrait_opacity(&w->desc);
    return status == SN_OK ? take_number(request, "opacity", 0, 1, &w->desc.skin_opacity, error)
                           : status;
}

static sn_status take_looks(picture_work *w, const desk_request *request, sn_error *error) {
    const char *quality = sn_value_string(sn_value_get(request->args, "quality"), "normal");
    const char *color = sn_value_string(sn_value_get(request->args, "color"), NULL);
    w->desc.wireframe = files_flag(request, "wireframe", false);
    if (!app_portrait_quality(quality, &w->desc)) {
        return desk_fail(error, SN_INVALID, "quality",
                         "`quality` is draft, normal or high, not \"%s\"", quality);
    }
    if (color != NULL && !app_portrait_quantity(color, &w->desc)) {
        return desk_fail(error, SN_INVALID, "color",
                         "`color` is stretch, largest-stretch, component, shortening or "
                         "activation, not \"%s\"",
                         color);
    }
    return SN_OK;
}

static sn_status take(void *user, desk *desk, const desk_request *request, sn_error *error) {
    picture_work *w = user;
    static const char *const extensions[] = {".png", NULL};
    const sn_value *frame = sn_value_get(request->args, "frame");
    w->desc = sn_portrait_desc_default();
    sn_status status = work_take(&w->work, desk, request, error);
    if (status == SN_OK) {
        status = outfile_take(&w->file, desk, request, "path", extensions, true, error);
    }
    if (status == SN_OK) {
        status = take_camera(w, request, error);
    }
    if (status == SN_OK) {
        status = take_layers(w, request, error);
    }
    if (status == SN_OK) {
        status = take_looks(w, request, error);
    }
    w->at_rest = frame == NULL || frame->type == SN_JSON_NULL;
    return status == SN_OK && !w->at_rest ? desk_argument_index(request, "frame", &w->frame, error)
                                          : status;
}

// {"slot", "path", "replace", "frame", "clip", "held", "view", "azimuth", "elevation", "width",
// "height", "show", "opacity", "wireframe", "quality", "color"}
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
