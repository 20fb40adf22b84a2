// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "common/film.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Share of the work that goes by until it is known what the camera has to frame: the clip is
// evaluated, not drawn.
static const double framing_part = 0.15;

const char *const *app_film_extensions(void) {
    static const char *const extensions[] = {".mp4", ".webm", ".mov", ".mkv", ".gif", NULL};
    return extensions;
}

bool app_is_film(const char *path) {
    for (const char *const *e = app_film_extensions(); *e != NULL; ++e) {
        if (app_has_extension(path, *e)) {
            return true;
        }
    }
    return false;
}

bool app_film_number(const char *path, uint32_t number, char *name, size_t size) {
    int stem = (int)(strlen(path) - strlen(".png"));
    return snprintf(name, size, "%.*s.%04u.png", stem, path, number) < (int)size;
}

bool app_can_film(void) {
    const char *path = getenv("PATH");
    for (const char *c = path != NULL ? path : ""; *c != 0;) {
        char program[APP_PATH_BYTES];
        int length = (int)strcspn(c, ":");
        int written = snprintf(program, sizeof program, "%.*s/ffmpeg", length, c);
        if (written < (int)sizeof program && access(program, X_OK) == 0) {
            return true;
        }
        c += length + (c[length] == ':');
    }
    return false;
}

// ---------------------------------------------------------------------------------------------
// Where pictures go: into a film, or into files of their own

typedef struct reel {
    const app_film *film;
    sn_film *open; // NULL: numbered pictures
} reel;

static sn_status begin_reel(reel *r, sn_error *error) {
    const app_film *film = r->film;
    const sn_portrait_desc *desc = film->desc;
    return app_is_film(film->path) ? sn_film_begin(sn_model_context(sn_frame_model(film->frame)),
                                                   film->path, desc->width, desc->height,
                                                   sn_motion_rate(film->motion), &r->open, error)
                                   : SN_OK;
}

static sn_status write_numbered(const char *path, uint32_t number, const sn_image *image,
                                sn_error *error) {
    char name[APP_PATH_BYTES];
    return app_film_number(path, number, name, sizeof name)
               ? sn_image_write_png(image, name, error)
               : app_fail(error, SN_INVALID, path, "is too long");
}

static sn_status add_picture(reel *r, uint32_t number, const sn_image *image, sn_error *error) {
    return r->open != NULL ? sn_film_add(r->open, image, error)
                           : write_numbered(r->film->path, number, image, error);
}

static sn_status end_reel(reel *r, sn_status status, sn_error *error) {
    if (status != SN_OK || r->open == NULL) {
        sn_film_cancel(r->open);
        return status;
    }
    return sn_film_end(r->open, error);
}

// ---------------------------------------------------------------------------------------------

// How far frames have come. A frame tells its own steps, of which only the wish to end counts.
typedef struct frames_progress {
    const sn_progress *whole;
    const char *step;
    double fraction;
} frames_progress;

static bool report_frame(const char *step, double fraction, void *user) {
    const frames_progress *f = user;
    (void)step;
    (void)fraction;
    return f->whole->report(f->step, f->fraction, f->whole->user);
}

typedef sn_status visit_fn(const app_film *film, uint32_t frame, void *user,
                           const sn_progress *progress, sn_error *error);

// Evaluates frame after frame, and tells how far it is; fails when the user wants no more.
static sn_status visit_frames(const app_film *film, const char *step, const sn_progress *progress,
                              visit_fn *visit, void *user, sn_error *error) {
    frames_progress frames = {.whole = progress, .step = step};
    const sn_progress inner = {report_frame, &frames};
    double count = film->last - film->first + 1.0;
    sn_status status = SN_OK;
    for (uint32_t i = film->first; i <= film->last; ++i) {
        frames.fraction = (i - film->first) / count;
        if (!report_frame(step, 0, &frames)) {
            error->status = SN_CANCELLED;
            return SN_CANCELLED;
        }
        SN_TRY(sn_frame_evaluate(film->frame, film->motion, i, error));
        SN_TRY(visit(film, i, user, &inner, error));
    }
cleanup:
    return status;
}

static sn_status include(const app_film *film, uint32_t frame, void *user,
                         const sn_progress *progress, sn_error *error) {
    (void)frame;
    (void)progress;
    (void)error;
    sn_portrait_include(user, film->frame);
    return SN_OK;
}

typedef struct drawing {
    sn_portrait *portrait;
    reel reel;
} drawing;

static sn_status draw(const app_film *film, uint32_t frame, void *user, const sn_progress *progress,
                      sn_error *error) {
    drawing *d = user;
    sn_image *image = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_portrait_draw(d->portrait, film->frame, NULL, progress, &image, error));
    SN_TRY(add_picture(&d->reel, frame, image, error));
cleanup:
    sn_image_destroy(image);
    return status;
}

static sn_status draw_frames(const app_film *film, sn_portrait *portrait,
                             const sn_progress *progress, sn_error *error) {
    drawing d = {.portrait = portrait, .reel = {.film = film}};
    sn_status status = SN_OK;
    SN_TRY(begin_reel(&d.reel, error));
    SN_TRY(visit_frames(film, "filming", progress, draw, &d, error));
cleanup:
    return end_reel(&d.reel, status, error);
}

sn_status app_film_draw(const app_film *film, const sn_progress *progress, sn_error *error) {
    sn_portrait *portrait = NULL;
    app_part framing, filming;
    const sn_portrait_desc *desc = film->desc;
    // Without perspective it must be known how near the character comes.
    bool frames = !desc->aimed || !desc->grounded || desc->orthographic;
    app_part_begin(&framing, progress, 0, framing_part);
    app_part_begin(&filming, progress, frames ? framing_part : 0, 1);
    sn_status status = SN_OK;
    SN_TRY(sn_portrait_create(sn_frame_model(film->frame), film->desc, &portrait, error));
    if (frames) {
        SN_TRY(visit_frames(film, "framing", &framing.progress, include, portrait, error));
    }
    SN_TRY(draw_frames(film, portrait, &filming.progress, error));
cleanup:
    sn_portrait_destroy(portrait);
    return status;
}
