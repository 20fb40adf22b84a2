// SPDX-License-Identifier: Apache-2.0
//
// The moving surfaces of a slot as a file, with a report, by a job.
#define _GNU_SOURCE
#include "commands/commands.h"
#include "files/files.h"
#include "jobs/outfile.h"
#include "jobs/work.h"

#include "common/character.h"

#include <stdlib.h>
#include <string.h>

// Parts of the progress: the model is made first.
static const double model_part = 0.25;

typedef struct export_work {
    work work;
    outfile file;
    outfile report;
    work_range range;
    bool bones, muscles;
    sn_glb_mode glb;
} export_work;

static sn_status bake(export_work *w, const sn_progress *progress, sn_error *error) {
    sn_bake_desc desc = sn_bake_desc_default();
    desc.motion = w->work.motion;
    desc.first = w->range.first;
    desc.last = w->range.last;
    desc.glb = w->glb;
    desc.report_path = w->report.scratch;
    app_choose_layers(w->work.model, w->bones, w->muscles, &desc);
    sn_frame_show_only(w->work.frame, true);
    return sn_bake(w->work.frame, &desc, w->file.scratch, progress, error);
}

static sn_status run(desk_job *job, sn_json *result, sn_value *object, void *user,
                     sn_error *error) {
    export_work *w = user;
    app_part making, baking;
    app_part_begin_steps(&making, desk_job_progress(job), 0, model_part);
    app_part_begin(&baking, desk_job_progress(job), model_part, 1);
    sn_status status = SN_OK;
    SN_TRY(work_open(&w->work, true, &making.progress, error));
    SN_TRY(work_range_check(&w->work, &w->range, error));
    SN_TRY(bake(w, &baking.progress, error));
    SN_TRY(work_add_written(result, object, w->file.path, &w->range, error));
cleanup:
    return status;
}

static sn_status done(desk *desk, sn_json *result, sn_value *object, void *user, sn_error *error) {
    export_work *w = user;
    (void)desk;
    (void)result;
    (void)object;
    sn_status status = SN_OK;
    SN_TRY(w->report.path != NULL ? outfile_keep(&w->report, error) : SN_OK);
    SN_TRY(outfile_keep(&w->file, error));
cleanup:
    if (status != SN_OK) {
        outfile_undo(&w->report);
    }
    return status;
}

static void drop(void *user) {
    export_work *w = user;
    work_free(&w->work);
    outfile_free(&w->file);
    outfile_free(&w->report);
    free(w);
}

static sn_status take(void *user, desk *desk, const desk_request *request, sn_error *error) {
    export_work *w = user;
    static const char *const extensions[] = {".glb", ".usda", ".pc2", ".mdd", ".obj", NULL};
    static const char *const reports[] = {".json", NULL};
    const char *glb = sn_value_string(sn_value_get(request->args, "glb"), "auto");
    w->bones = files_flag(request, "bones", false);
    w->muscles = files_flag(request, "muscles", false);
    sn_status status = SN_OK;
    SN_TRY(work_take(&w->work, desk, request, error));
    SN_TRY(outfile_take(&w->file, desk, request, "path", extensions, true, error));
    snprintf(w->work.title, sizeof w->work.title, "Export to %.250s",
             strrchr(w->file.path, '/') + 1);
    SN_TRY(outfile_take(&w->report, desk, request, "report", reports, false, error));
    SN_TRY(work_range_take(request, &w->range, error));
    if (!app_glb_mode(glb, &w->glb)) {
        SN_TRY(desk_fail(error, SN_INVALID, "glb", "`glb` is auto, skinned or morph, not \"%s\"",
                         glb));
    }
cleanup:
    return status;
}

// {"slot", "path", "replace", "clip", "held", "first", "last", "bones", "muscles", "glb", "report"}
sn_status command_export(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                         sn_error *error) {
    static const work_kind kind = {.title = "Export",
                                   .bytes = sizeof(export_work),
                                   .take = take,
                                   .run = run,
                                   .done = done,
                                   .drop = drop};
    return work_begin(desk, request, &kind, answer, ok, error);
}
