// SPDX-License-Identifier: Apache-2.0
//
// A skin around bones, tissues and muscles of a slot: as a file, in the document, or both.
#define _GNU_SOURCE
#include "commands/commands.h"
#include "files/files.h"
#include "jobs/outfile.h"
#include "jobs/work.h"

#include "common/extraction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Parts of the progress: the model is made first.
static const double model_part = 0.3;

typedef struct extract_work {
    work work;
    uint32_t page;
    outfile file;
    bool into_document;
    sn_json *request; // a copy that what follows points into
    app_extraction extraction;
    const char **parts;
    sn_segment_factor *enlarge;
    uint32_t *surfaces;
    sn_json *result; // of the run, for `tell`
    sn_value *notes;
} extract_work;

// Says what was left out of the skin.
static void tell(sn_log_level level, const char *topic, const char *message, void *user) {
    extract_work *w = user;
    (void)level;
    (void)topic;
    sn_json_add_string(w->result, w->notes, NULL, message);
}

static bool add_report(sn_json *result, sn_value *object, const sn_mesh *skin,
                       const sn_extract_report *report) {
    const double nodes[] = {report->nodes[0], report->nodes[1], report->nodes[2]};
    return sn_json_add_number(result, object, "vertices", skin->vertex_count) != NULL &&
           sn_json_add_number(result, object, "triangles", skin->face_count) != NULL &&
           sn_json_add_number(result, object, "parts", report->part_count) != NULL &&
           sn_json_add_numbers(result, object, "nodes", nodes, 3) != NULL &&
           sn_json_add_number(result, object, "spacing", report->spacing) != NULL &&
           sn_json_add_number(result, object, "volume", report->kept_volume) != NULL;
}

static sn_status extract(extract_work *w, const sn_progress *progress, sn_json *result,
                         sn_value *object, sn_error *error) {
    sn_model_extract_desc desc;
    sn_extract_report report;
    sn_mesh *skin = NULL;
    sn_status status = SN_OK;
    SN_TRY(app_extraction_describe(&w->extraction, w->work.model, w->work.base, &desc, w->surfaces,
                                   error));
    desc.tell = tell;
    desc.tell_user = w;
    SN_TRY(sn_model_extract_skin(w->work.model, &desc, progress, &skin, &report, error));
    if (w->file.path != NULL) {
        SN_TRY(sn_export_mesh(skin, w->file.scratch, error));
    }
    if (!add_report(result, object, skin, &report)) {
        SN_TRY(app_fail_memory(error));
    }
cleanup:
    sn_mesh_destroy(skin);
    return status;
}

static sn_status run(desk_job *job, sn_json *result, sn_value *object, void *user,
                     sn_error *error) {
    extract_work *w = user;
    app_part making, extracting;
    app_part_begin_steps(&making, desk_job_progress(job), 0, model_part);
    app_part_begin_steps(&extracting, desk_job_progress(job), model_part, 1);
    w->result = result;
    w->notes = sn_json_add_array(result, object, "notes");
    sn_status status = work_open(&w->work, false, &making.progress, error);
    return status == SN_OK ? extract(w, &extracting.progress, result, object, error) : status;
}

static sn_status add_skin(sn_character *copy, void *user, sn_error *error) {
    const extract_work *w = user;
    char file[APP_PATH_BYTES];
    bool named = w->file.path != NULL;
    if (named && !app_name_file(w->work.base, w->work.base, w->file.path, file)) {
        return app_fail(error, SN_IO, w->file.path, "cannot be reached from the document");
    }
    return app_extraction_add_skin(&w->extraction, sn_character_document(copy), named ? file : NULL,
                                   w->work.base, error);
}

static sn_status done(desk *desk, sn_json *result, sn_value *object, void *user, sn_error *error) {
    extract_work *w = user;
    (void)desk;
    sn_status status = SN_OK;
    SN_TRY(w->file.path != NULL ? outfile_keep(&w->file, error) : SN_OK);
    if (w->into_document) {
        SN_TRY(work_change(&w->work, w->page, "Extract a skin", add_skin, w, error));
    }
    bool added = (w->file.path == NULL ||
                  sn_json_add_string(result, object, "path", w->file.path) != NULL) &&
                 (!w->into_document ||
                  sn_json_add_string(result, object, "skin", w->extraction.name) != NULL);
    return added ? SN_OK : app_fail_memory(error);
cleanup:
    outfile_undo(&w->file);
    return status;
}

static void drop(void *user) {
    extract_work *w = user;
    work_free(&w->work);
    outfile_free(&w->file);
    free(w->parts);
    free(w->enlarge);
    free(w->surfaces);
    sn_json_destroy(w->request);
    free(w);
}

// ---------------------------------------------------------------------------------------------
// The request

static sn_status take_numbers(app_extraction *extraction, const desk_request *request,
                              sn_error *error) {
    for (int i = 0; i < APP_EXTRACTION_NUMBERS; ++i) {
        const app_extraction_number *number = &app_extraction_numbers[i];
        extraction->given[i] = sn_value_get(request->args, number->key) != NULL;
        if (!extraction->given[i]) {
            continue;
        }
        sn_status status = desk_argument_number(request, number->key, number->low, number->high,
                                                &extraction->numbers[i], error);
        if (status != SN_OK) {
            return status;
        }
        if (number->whole && extraction->numbers[i] != floor(extraction->numbers[i])) {
            return desk_fail(error, SN_INVALID, number->key, "`%s` must be a whole number",
                             number->key);
        }
    }
    return SN_OK;
}

static sn_status take_enlarged(extract_work *w, const sn_value *map, sn_error *error) {
    w->enlarge = calloc((size_t)sn_value_count(map) + 1, sizeof *w->enlarge);
    if (w->enlarge == NULL) {
        return app_fail_memory(error);
    }
    for (uint32_t i = 0; i < sn_value_count(map); ++i) {
        const sn_value *value = sn_value_at(map, i);
        if (value->key == NULL || value->type != SN_JSON_NUMBER) {
            return desk_fail(error, SN_INVALID, "enlarge",
                             "`enlarge` must be an object of segments and factors");
        }
        w->enlarge[i] = (sn_segment_factor){value->key, value->as.number};
    }
    w->extraction.enlarge = w->enlarge;
    w->extraction.enlarge_count = sn_value_count(map);
    return SN_OK;
}

// What the job points into must outlive the request.
static sn_status take_names(extract_work *w, const desk_request *request, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(sn_json_create(desk_context(w->work.desk), &w->request, error));
    const sn_value *args =
        sn_json_add_copy(w->request, sn_json_root(w->request), "args", request->args);
    SN_TRY(args != NULL ? SN_OK : app_fail_memory(error));
    const desk_request copy = {.args = args};
    w->extraction.name = sn_value_string(sn_value_get(args, "name"), "extracted");
    SN_TRY(work_names(&copy, "parts", &w->parts, &w->extraction.part_count, error));
    w->extraction.parts = w->parts;
    SN_TRY(take_enlarged(w, sn_value_get(args, "enlarge"), error));
    w->surfaces = calloc((size_t)w->extraction.part_count + 1, sizeof *w->surfaces);
    SN_TRY(w->surfaces != NULL ? SN_OK : app_fail_memory(error));
cleanup:
    return status;
}

static sn_status take(void *user, desk *desk, const desk_request *request, sn_error *error) {
    extract_work *w = user;
    static const char *const extensions[] = {".glb", ".obj", NULL};
    sn_status status = SN_OK;
    SN_TRY(work_take(&w->work, desk, request, error));
    SN_TRY(outfile_take(&w->file, desk, request, "path", extensions, false, error));
    SN_TRY(take_numbers(&w->extraction, request, error));
    SN_TRY(take_names(w, request, error));
    w->page = request->page;
    w->into_document = files_flag(request, "document", false);
    if (w->file.path == NULL && !w->into_document) {
        SN_TRY(desk_fail(error, SN_INVALID, "path", "needs a file, or `document`"));
    }
cleanup:
    return status;
}

// {"slot", "path", "replace", "document", "name", "dimension", "filter", "threshold", "relax",
// "parts", "enlarge"}
sn_status command_extract(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                          sn_error *error) {
    static const work_kind kind = {.title = "Extraction of a skin",
                                   .bytes = sizeof(extract_work),
                                   .take = take,
                                   .run = run,
                                   .done = done,
                                   .drop = drop};
    return work_begin(desk, request, &kind, answer, ok, error);
}
