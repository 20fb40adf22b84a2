// SPDX-License-Identifier: Apache-2.0
//
// A film of the clip that a slot plays, or numbered pictures of its frames, by a job.
#define _GNU_SOURCE
#include "commands/commands.h"
#include "jobs/portrait_request.h"

#include "common/film.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Parts of the progress: the model is made first.
static const double model_part = 0.1;

typedef struct film_work {
    portrait_work base;
    work_range range;
} film_work;

// Told before anything is drawn, not at the end.
static sn_status refuse_present(const film_work *w, sn_error *error) {
    for (uint32_t i = w->range.first; i <= w->range.last && !w->base.file.replace; ++i) {
        char path[APP_PATH_BYTES];
        if (app_film_number(w->base.file.path, i, path, sizeof path) && access(path, F_OK) == 0) {
            return app_fail(error, SN_INVALID, path, "already exists: choose another name");
        }
    }
    return SN_OK;
}

static sn_status draw(film_work *w, const sn_progress *progress, sn_error *error) {
    app_film film = {.frame = w->base.work.frame,
                     .motion = w->base.work.motion,
                     .desc = &w->base.portrait.desc,
                     .first = w->range.first,
                     .last = w->range.last,
                     .path = w->base.file.scratch};
    sn_status status = SN_OK;
    if (!app_is_film(w->base.file.path)) {
        SN_TRY(refuse_present(w, error));
    }
    portrait_request_settle(&w->base.portrait, &w->base.work);
    SN_TRY(app_film_draw(&film, progress, error));
cleanup:
    return status;
}

static sn_status run(desk_job *job, sn_json *result, sn_value *object, void *user,
                     sn_error *error) {
    film_work *w = user;
    app_part making, filming;
    app_part_begin_steps(&making, desk_job_progress(job), 0, model_part);
    app_part_begin(&filming, desk_job_progress(job), model_part, 1);
    sn_status status = SN_OK;
    SN_TRY(work_open(&w->base.work, true, &making.progress, error));
    if (w->base.work.motion == NULL) {
        SN_TRY(desk_fail(error, SN_INVALID, "clip", "a film needs a clip: the rest pose is shown"));
    }
    SN_TRY(work_range_check(&w->base.work, &w->range, error));
    SN_TRY(draw(w, &filming.progress, error));
    SN_TRY(work_add_written(result, object, w->base.file.path, &w->range, error));
cleanup:
    return status;
}

// Films and pictures.
static sn_status take_file(film_work *w, desk *desk, const desk_request *request, sn_error *error) {
    const char *extensions[16] = {".png"};
    uint32_t count = 1;
    for (const char *const *e = app_film_extensions(); *e != NULL; ++e) {
        extensions[count++] = *e;
    }
    sn_status status = SN_OK;
    SN_TRY(outfile_take(&w->base.file, desk, request, "path", extensions, true, error));
    if (app_is_film(w->base.file.path) && !app_can_film()) {
        SN_TRY(desk_fail(error, SN_UNSUPPORTED, "path",
                         "films need the program ffmpeg, which is not installed; numbered .png "
                         "pictures can be made without it"));
    }
cleanup:
    return status;
}

static sn_status take(void *user, desk *desk, const desk_request *request, sn_error *error) {
    film_work *w = user;
    sn_status status = SN_OK;
    SN_TRY(work_take(&w->base.work, desk, request, error));
    SN_TRY(take_file(w, desk, request, error));
    snprintf(w->base.work.title, sizeof w->base.work.title, "Film %.250s",
             strrchr(w->base.file.path, '/') + 1);
    SN_TRY(portrait_request_take(&w->base.portrait, request, error));
    SN_TRY(work_range_take(request, &w->range, error));
cleanup:
    return status;
}

// {"slot", "path", "replace", "clip", "held", "first", "last"} and those of portrait_request.h
sn_status command_film(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                       sn_error *error) {
    static const work_kind kind = {.title = "Film",
                                   .bytes = sizeof(film_work),
                                   .take = take,
                                   .run = run,
                                   .done = portrait_work_done,
                                   .drop = portrait_work_drop};
    return work_begin(desk, request, &kind, answer, ok, error);
}
