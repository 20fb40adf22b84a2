// SPDX-License-Identifier: Apache-2.0
//
// A driver mesh of the skins of a slot: a file and, where it is asked for, in the document, where
// it moves the skins.
#define _GNU_SOURCE
#include "commands/commands.h"
#include "files/files.h"
#include "jobs/outfile.h"
#include "jobs/work.h"

#include "common/driver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Parts of the progress: the model is made first.
static const double model_part = 0.3;

typedef struct driver_work {
    work work;
    uint32_t page;
    outfile file;
    bool into_document;
    app_driver driver;
    char **skins, **limbs;
    uint32_t limb_count;
    sn_driver_mesh_desc desc;
} driver_work;

static bool add_report(sn_json *result, sn_value *object, const sn_mesh *mesh,
                       const sn_driver_mesh_report *report, uint32_t asked) {
    char why[256];
    if (app_driver_explain_count(report, asked, why, sizeof why) &&
        sn_json_add_string(result, object, "note", why) == NULL) {
        return false;
    }
    return sn_json_add_number(result, object, "vertices", mesh->vertex_count) != NULL &&
           sn_json_add_number(result, object, "triangles", report->face_count) != NULL &&
           sn_json_add_bool(result, object, "closed", report->border_edges == 0) != NULL &&
           sn_json_add_number(result, object, "limbs", report->limb_count) != NULL;
}

static sn_status make(driver_work *w, const sn_mesh **meshes, const sn_progress *progress,
                      sn_json *result, sn_value *object, sn_error *error) {
    sn_mesh *mesh = NULL;
    sn_driver_mesh_report report;
    w->driver.source = w->work.base;
    sn_status status = SN_OK;
    SN_TRY(app_driver_skins(&w->driver, w->work.model, meshes, &w->desc.mesh_count, error));
    w->desc.meshes = meshes;
    w->desc.skeleton = sn_model_skeleton(w->work.model);
    SN_TRY(sn_driver_mesh_create(desk_context(w->work.desk), &w->desc, progress, &mesh, &report,
                                 error));
    SN_TRY(app_driver_write(w->work.model, mesh, w->file.scratch, error));
    w->driver.is_cage = mesh->weights == NULL;
    if (!add_report(result, object, mesh, &report, w->desc.face_count)) {
        SN_TRY(app_fail_memory(error));
    }
cleanup:
    sn_mesh_destroy(mesh);
    return status;
}

static sn_status run(desk_job *job, sn_json *result, sn_value *object, void *user,
                     sn_error *error) {
    driver_work *w = user;
    app_part making, simplifying;
    app_part_begin_steps(&making, desk_job_progress(job), 0, model_part);
    app_part_begin_steps(&simplifying, desk_job_progress(job), model_part, 1);
    sn_status status = work_open(&w->work, false, &making.progress, error);
    if (status != SN_OK) {
        return status;
    }
    const sn_mesh **meshes = calloc(sn_model_surface_count(w->work.model) + 1, sizeof *meshes);
    status = meshes != NULL ? make(w, meshes, &simplifying.progress, result, object, error)
                            : app_fail_memory(error);
    free(meshes);
    return status;
}

static sn_status add_driver(sn_character *copy, void *user, sn_error *error) {
    const driver_work *w = user;
    char file[APP_PATH_BYTES];
    uint32_t wrapped = 0;
    return app_name_file(w->work.base, w->work.base, w->file.path, file)
               ? app_driver_add(&w->driver, sn_character_document(copy), file, &wrapped, error)
               : app_fail(error, SN_IO, w->file.path, "cannot be reached from the document");
}

static sn_status done(desk *desk, sn_json *result, sn_value *object, void *user, sn_error *error) {
    driver_work *w = user;
    (void)desk;
    sn_status status = SN_OK;
    SN_TRY(outfile_keep(&w->file, error));
    if (w->into_document) {
        SN_TRY(work_change(&w->work, w->page, "Add a driver mesh", add_driver, w, error));
    }
    if (sn_json_add_string(result, object, "path", w->file.path) == NULL) {
        SN_TRY(app_fail_memory(error));
    }
cleanup:
    if (status != SN_OK) {
        outfile_undo(&w->file);
    }
    return status;
}

static void drop(void *user) {
    driver_work *w = user;
    work_free(&w->work);
    outfile_free(&w->file);
    app_driver_free(&w->driver);
    free(w->skins);
    free(w->limbs);
    free(w);
}

// ---------------------------------------------------------------------------------------------
// The request

static sn_status take_list(const desk_request *request, const char *key, char ***copy,
                           uint32_t *count, sn_error *error) {
    const char **names = NULL;
    sn_status status = work_names(request, key, &names, count, error);
    *copy = status == SN_OK ? work_copy_names(names, *count) : NULL;
    free(names);
    return status == SN_OK && *copy == NULL ? app_fail_memory(error) : status;
}

static sn_status take_numbers(sn_driver_mesh_desc *desc, const desk_request *request,
                              sn_error *error) {
    double faces = desc->face_count;
    const struct {
        const char *key;
        double low, high;
        double *number;
    } numbers[] = {{"faces", 4, 1e9, &faces},
                   {"detail", 1, 1000, &desc->joint_detail},
                   {"weld", 0, 0.999, &desc->weld}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        if (sn_value_get(request->args, numbers[i].key) != NULL) {
            sn_status status = desk_argument_number(request, numbers[i].key, numbers[i].low,
                                                    numbers[i].high, numbers[i].number, error);
            if (status != SN_OK) {
                return status;
            }
        }
    }
    desc->face_count = (uint32_t)faces;
    return SN_OK;
}

static sn_status take_binding(sn_driver_mesh_desc *desc, const desk_request *request,
                              sn_error *error) {
    static const char *const names[] = {
        [SN_DRIVER_RIGID] = "rigid", [SN_DRIVER_SMOOTH] = "smooth", [SN_DRIVER_SKIN] = "skin"};
    const char *text = sn_value_string(sn_value_get(request->args, "binding"), "skin");
    for (uint32_t i = 0; i < 3; ++i) {
        if (strcmp(text, names[i]) == 0) {
            desc->binding = (sn_driver_binding)i;
            return SN_OK;
        }
    }
    return desk_fail(error, SN_INVALID, "binding", "`binding` is rigid, smooth or skin, not \"%s\"",
                     text);
}

static sn_status take(void *user, desk *desk, const desk_request *request, sn_error *error) {
    driver_work *w = user;
    static const char *const meshes[] = {".glb", ".obj", NULL}, *const weighted[] = {".glb", NULL};
    w->page = request->page;
    w->desc = sn_driver_mesh_desc_default();
    w->into_document = files_flag(request, "document", false);
    sn_status status = SN_OK;
    SN_TRY(work_take(&w->work, desk, request, error));
    SN_TRY(outfile_take(&w->file, desk, request, "path", w->into_document ? weighted : meshes, true,
                        error));
    SN_TRY(take_list(request, "skins", &w->skins, &w->driver.skin_count, error));
    SN_TRY(take_list(request, "limbs", &w->limbs, &w->limb_count, error));
    SN_TRY(take_numbers(&w->desc, request, error));
    w->driver.skins = (const char *const *)w->skins;
    w->desc.segment_count = w->limb_count;
    w->desc.segments = w->limb_count > 0 ? (const char *const *)w->limbs : NULL;
    SN_TRY(take_binding(&w->desc, request, error));
cleanup:
    return status;
}

// {"slot", "path", "replace", "document", "skins", "limbs", "faces", "detail", "weld", "binding"}
sn_status command_driver_mesh(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                              sn_error *error) {
    static const work_kind kind = {.title = "Driver mesh",
                                   .bytes = sizeof(driver_work),
                                   .take = take,
                                   .run = run,
                                   .done = done,
                                   .drop = drop};
    return work_begin(desk, request, &kind, answer, ok, error);
}
