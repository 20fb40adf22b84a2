// SPDX-License-Identifier: Apache-2.0
//
// A film of the clip that a slot plays, or numbered pictures of its frames, by a job.
#define _GNU_SOURCE
#include "commands/commands.h"
#include "common/try.h"
#include "jobs/outfile.h"
#include "jobs/portrait_request.h"

#include "common/film.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Parts of the progress: the model is made first.
static const double model_part = 0.1;

typedef struct film_work {
    work work;
    outfile file;
    portrait_request portrait;
    work_range range;
} film_work;

// Told before anything is drawn, not at the end.
static sn_status refuse_present(const film_work *w, sn_error *error) {
    for (uint32_t i = w->range.first; i <= w->range.last && !w->file.replace; ++i) {
        char path[APP_PATH_BYTES];
        if (app_film_number(w->file.path, i, path, sizeof path) && access(path, F_OK) == 0) {
            return app_fail(error, SN_INVALID, path, "is there already: choose another name");
        }
    }
    return SN_OK;
}

static sn_status draw(film_work *w, const sn_progress *progress, sn_error *error) {
    char inside[2 * APP_PATH_BYTES];
    app_film film = {.frame = w->work.frame,
                     .motion = w->work.motion,
                     .desc = &w->portrait.desc,
                     .first = w->range.first,
                     .last = w->range.last,
                     .path = w->file.scratch};
    sn_status status = SN_OK;
    if (!app_is_film(w->file.path)) {
        status = refuse_present(w, error);
        status = status == SN_OK ? outfile_make_folder(&w->file, error) : status;
        outfile_inside(&w->file, w->file.path, inside, sizeof inside);
        film.path = inside;
    }
    portrait_request_settle(&w->portrait, &w->work);
    return status == SN_OK ? app_film_draw(&film, progress, error) : status;
}

static sn_status run(desk_job *job, sn_json *result, sn_value *object, void *user,
                     sn_error *error) {
    film_work *w = user;
    app_part making, filming;
    app_part_begin_steps(&making, desk_job_progress(job), 0, model_part);
    app_part_begin(&filming, desk_job_progress(job), model_part, 1);
    sn_status status = SN_OK;
    APP_TRY(work_open(&w->work, true, &making.progress, error));
    if (w->work.motion == NULL) {
        APP_TRY(
            desk_fail(error, SN_INVALID, "clip", "a film needs a clip: the rest pose is shown"));
    }
    APP_TRY(work_range_check(&w->work, &w->range, error));
    APP_TRY(draw(w, &filming.progress, error));
    if (sn_json_add_string(result, object, "path", w->file.path) == NULL ||
        sn_json_add_number(result, object, "first", w->range.first) == NULL ||
        sn_json_add_number(result, object, "last", w->range.last) == NULL) {
        APP_TRY(app_fail_memory(error));
    }
cleanup:
    return status;
}

static sn_status done(desk *desk, sn_json *result, sn_value *object, void *user, sn_error *error) {
    (void)desk;
    (void)result;
    (void)object;
    return outfile_keep(&((film_work *)user)->file, error);
}

static void drop(void *user) {
    film_work *w = user;
    work_free(&w->work);
    outfile_free(&w->file);
    portrait_request_free(&w->portrait);
    free(w);
}

// Films and pictures.
static sn_status take_file(film_work *w, desk *desk, const desk_request *request, sn_error *error) {
    const char *extensions[16] = {".png"};
    uint32_t count = 1;
    for (const char *const *e = app_film_extensions(); *e != NULL; ++e) {
        extensions[count++] = *e;
    }
    sn_status status = SN_OK;
    APP_TRY(outfile_take(&w->file, desk, request, "path", extensions, true, error));
    if (app_is_film(w->file.path) && !app_can_film()) {
        APP_TRY(desk_fail(error, SN_UNSUPPORTED, "path",
                          "films need the program ffmpeg, which is not installed; numbered .png "
                          "pictures can be made"));
    }
cleanup:
    return status;
}

static sn_status take(void *user, desk *desk, const desk_request *request, sn_error *error) {
    film_work *w = user;
    sn_status status = SN_OK;
    APP_TRY(work_take(&w->work, desk, request, error));
    APP_TRY(take_file(w, desk, request, error));
    snprintf(w->work.title, sizeof w->work.title, "Film %.250s", strrchr(w->file.path, '/') + 1);
    APP_TRY(portrait_request_take(&w->portrait, request, error));
    APP_TRY(work_range_take(request, &w->range, error));
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
                                   .done = done,
                                   .drop = drop};
    return work_begin(desk, request, &kind, answer, ok, error);
}
