// SPDX-License-Identifier: Apache-2.0
//
// Documents from models, OpenSim models and folders of anatomy, made by a job and opened in a slot.
#define _GNU_SOURCE
#include "commands/commands.h"
#include "files/files.h"
#include "jobs/outfile.h"
#include "jobs/work.h"

#include "common/character.h"
#include "common/units.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct import_work {
    desk *desk;
    uint32_t slot;
    char *path; // of the model, or of the folder
    char *base; // where the document would be saved
    char *geometry, *rig;
    outfile report;
    char **motions;
    uint32_t motion_count;
    bool skin;
    sn_import_desc how;      // of a model: what its file does not say
    sn_character *character; // what was made
    desk_ticket *ticket;     // NULL: the request has been answered
    sn_error error;          // why there is nothing: until it is opened, it may be cancelled
} import_work;

static bool report_step(desk_job *job, const char *step, double fraction, sn_error *error) {
    const sn_progress *progress = desk_job_progress(job);
    bool goes_on = progress->report(step, fraction, progress->user);
    if (!goes_on) {
        desk_fail(error, SN_CANCELLED, "", "the import was cancelled");
    }
    return goes_on;
}

static bool add_counts(sn_json *json, sn_value *object, const char *const *keys,
                       const uint32_t *counts, uint32_t count) {
    bool done = true;
    for (uint32_t i = 0; i < count && done; ++i) {
        done = sn_json_add_number(json, object, keys[i], counts[i]) != NULL;
    }
    return done;
}

// ---------------------------------------------------------------------------------------------
// Kinds of files

static sn_status make_of_osim(import_work *w, sn_json *result, sn_value *object, sn_error *error) {
    static const char *const keys[] = {"bodies", "coordinates", "bones", "muscles", "clips"};
    sn_osim_desc desc = sn_osim_desc_default();
    sn_osim_report report = {0};
    desc.geometry = w->geometry;
    desc.motion_count = w->motion_count;
    desc.motions = (const char *const *)w->motions;
    desc.skin = w->skin;
    sn_status status = SN_OK;
    SN_TRY(sn_character_from_osim(desk_context(w->desk), w->path, &desc, w->base, &w->character,
                                  &report, error));
    const uint32_t counts[] = {report.body_count, report.coordinate_count, report.bone_count,
                               report.muscle_count, report.clip_count};
    sn_value *notes = sn_json_add_array(result, object, "notes");
    bool done = notes != NULL && add_counts(result, object, keys, counts, 5);
    for (uint32_t i = 0; i < report.note_count && done; ++i) {
        done = sn_json_add_string(result, notes, NULL, report.notes[i]) != NULL;
    }
    SN_TRY(done ? SN_OK : app_fail_memory(error));
cleanup:
    sn_osim_report_deinit(&report);
    return status;
}

// The guess of a character at rest. One that cannot be made has none: whoever opens it is told why.
static app_units guess_units(sn_character *character) {
    sn_model *model = NULL;
    sn_frame *frame = NULL;
    sn_error ignored = {0};
    app_units u = {0};
    if (sn_model_create(character, NULL, &model, &ignored) == SN_OK &&
        sn_frame_create(model, &frame, &ignored) == SN_OK) {
        u = app_guess_units(model, frame);
    }
    sn_frame_destroy(frame);
    sn_model_destroy(model);
    return u;
}

// What the model probably is, where that is not what its file says: "guess" in the result.
static sn_status add_guess(import_work *w, sn_json *result, sn_value *object, sn_error *error) {
    app_units u = guess_units(w->character);
    sn_status status = SN_OK;
    if (u.name != NULL || u.z_up) {
        sn_value *guess = sn_json_add_object(result, object, "guess");
        bool done =
            guess != NULL &&
            sn_json_add_number(result, guess, "height", u.high.y - u.low.y) != NULL &&
            sn_json_add_number(result, guess, "size", u.size) != NULL &&
            sn_json_add_number(result, guess, "unit", u.name != NULL ? u.metres : 1) != NULL &&
            sn_json_add_string(result, guess, "up", u.z_up ? "z" : "y") != NULL;
        SN_TRY(done ? SN_OK : app_fail_memory(error));
    }
cleanup:
    return status;
}

static sn_status make_of_model(import_work *w, sn_json *result, sn_value *object, sn_error *error) {
    static const char *const keys[] = {"segments", "meshes", "clips"};
    sn_import *import = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_import_file_with(desk_context(w->desk), w->path, &w->how, &import, error));
    SN_TRY(sn_character_from_import(import, w->path, w->base, &w->character, error));
    const uint32_t counts[] = {import->skeleton.segment_count, import->mesh_count,
                               import->clip_count};
    SN_TRY(add_counts(result, object, keys, counts, 3) ? SN_OK : app_fail_memory(error));
    if (w->how.unit == 0 && !w->how.z_up && import->mesh_count > 0) {
        SN_TRY(add_guess(w, result, object, error));
    }
cleanup:
    sn_import_destroy(import);
    return status;
}

// The whole report goes into the result; it becomes a file when the document is opened.
static sn_status add_report(import_work *w, const sn_anatomy *anatomy,
                            const sn_anatomy_report *report, sn_json *result, sn_value *object,
                            sn_error *error) {
    sn_json *json = NULL;
    sn_file_set files = {0}; // of a report that is not asked for
    char path[SN_FILE_PATH_BYTES];
    sn_status status = SN_OK;
    snprintf(path, sizeof path, "%s/report.json", desk_state_folder(w->desk));
    if (w->report.path != NULL) {
        snprintf(path, sizeof path, "%s", w->report.scratch);
    } else {
        SN_TRY(sn_file_set_begin(&files, path, error));
        SN_TRY(sn_file_set_place(&files, path, path, error));
    }
    SN_TRY(sn_anatomy_report_write(report, anatomy, path, error));
    SN_TRY(app_read_json(desk_context(w->desk), path, &json, error));
    if (sn_json_add_copy(result, object, "report", sn_json_root(json)) == NULL) {
        SN_TRY(app_fail_memory(error));
    }
cleanup:
    sn_file_set_cancel(&files);
    sn_json_destroy(json);
    return status;
}

static sn_status make_of_folder(import_work *w, desk_job *job, sn_json *result, sn_value *object,
                                sn_error *error) {
    sn_anatomy *anatomy = NULL;
    sn_anatomy_report *report = NULL;
    app_part making;
    app_part_begin_steps(&making, desk_job_progress(job), 0, 1);
    sn_status status = SN_OK;
    SN_TRY(sn_anatomy_read(desk_context(w->desk), w->path, w->rig, &anatomy, error));
    SN_TRY(sn_character_from_anatomy(anatomy, w->base, &making.progress, &w->character, &report,
                                     error));
    SN_TRY(add_report(w, anatomy, report, result, object, error));
cleanup:
    sn_anatomy_report_destroy(report);
    sn_anatomy_destroy(anatomy);
    return status;
}

// ---------------------------------------------------------------------------------------------
// The job

static sn_status run(desk_job *job, sn_json *result, sn_value *object, void *user,
                     sn_error *error) {
    import_work *w = user;
    sn_status status = SN_OK;
    SN_TRY(report_step(job, "reading", 0, error) ? SN_OK : SN_CANCELLED);
    SN_TRY(app_is_folder(w->path)                ? make_of_folder(w, job, result, object, error)
           : app_has_extension(w->path, ".osim") ? make_of_osim(w, result, object, error)
                                                 : make_of_model(w, result, object, error));
    SN_TRY(report_step(job, "opening", 1, error) ? SN_OK : SN_CANCELLED);
cleanup:
    if (status != SN_OK) {
        w->error = *error;
        w->error.status = status;
    }
    return status;
}

// The document is open, whatever becomes of the file.
static void keep_report(desk *desk, import_work *w) {
    sn_error error = {0};
    char text[1100];
    if (outfile_keep(&w->report, &error) != SN_OK) {
        sn_error_format(&error, text, sizeof text);
        desk_notice(desk, DESK_ALL_PAGES, "warning", "%s", text);
    }
}

static sn_status done(desk *desk, sn_json *result, sn_value *object, void *user, sn_error *error) {
    import_work *w = user;
    desk_opening opening = {.base = w->base};
    char *text = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_json_write(sn_character_document(w->character), &text, &opening.size, error));
    opening.text = text;
    SN_TRY(desk_open_document(desk, w->slot, &opening, error));
    if (w->report.path != NULL) {
        keep_report(desk, w);
    }
    if (sn_json_add_number(result, object, "slot", w->slot) == NULL ||
        sn_json_add_string(result, object, "base", w->base) == NULL) {
        SN_TRY(app_fail_memory(error));
    }
cleanup:
    sn_json_free_text(desk_context(desk), text);
    w->error = *error;
    w->error.status = status;
    return status;
}

static void free_work(void *user) {
    import_work *w = user;
    if (w->ticket != NULL) {
        desk_answer(w->desk, w->ticket, NULL, w->error.status != SN_OK ? &w->error : NULL);
    }
    sn_character_destroy(w->character);
    free(w->path);
    free(w->base);
    free(w->geometry);
    free(w->rig);
    outfile_free(&w->report);
    free(w->motions);
    free(w);
}

static import_work *begin_work(desk *desk, uint32_t slot, const char *path) {
    char base[APP_PATH_BYTES];
    import_work *w = calloc(1, sizeof *w);
    if (w == NULL) {
        return NULL;
    }
    app_default_document(path, base, sizeof base);
    *w = (import_work){.desk = desk,
                       .slot = slot,
                       .skin = true,
                       .how = sn_import_desc_default(),
                       .path = strdup(path),
                       .base = strdup(base),
                       .error = {.status = SN_CANCELLED, .message = "the import was cancelled"}};
    if (w->path == NULL || w->base == NULL) {
        free_work(w);
        w = NULL;
    }
    return w;
}

static sn_status start(import_work *w, uint32_t page, uint32_t *number, sn_error *error) {
    char title[300];
    const char *slash = strrchr(w->path, '/');
    snprintf(title, sizeof title, "Import of %.250s", slash != NULL ? slash + 1 : w->path);
    desk_job_desc desc = {
        .title = title, .page = page, .run = run, .done = done, .free = free_work, .user = w};
    return desk_job_start(w->desk, &desc, number, error);
}

sn_status import_model(desk *desk, desk_request *request, uint32_t slot, const char *path,
                       sn_error *error) {
    uint32_t number = 0;
    import_work *w = begin_work(desk, slot, path);
    sn_status status = SN_OK;
    SN_TRY(w != NULL ? start(w, request->page, &number, error) : app_fail_memory(error));
    // The job ends on this thread, which is after this command has ended.
    w->ticket = desk_answer_later(desk, request);
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// The request {"slot", "path", "options": {"rig", "report", "replace", "motions", "geometry",
// "skin", "unit", "up"}}. "unit" is metres to a unit of a model's file, "up" is "y" or "z".

// A path of the options, NULL where it is not given.
static sn_status take_path(desk *desk, const sn_value *options, const char *key, roots_use use,
                           char **path, sn_error *error) {
    const char *text = sn_value_string(sn_value_get(options, key), NULL);
    char resolved[ROOTS_PATH_BYTES];
    if (text == NULL) {
        return SN_OK;
    }
    sn_status status = files_resolve(desk, text, use, resolved, error);
    *path = status == SN_OK ? strdup(resolved) : NULL;
    return status == SN_OK && *path == NULL ? app_fail_memory(error) : status;
}

static sn_status take_motions(import_work *w, const sn_value *list, sn_error *error) {
    uint32_t count = sn_value_count(list);
    size_t room = ((size_t)count + 1) * (sizeof(char *) + ROOTS_PATH_BYTES);
    w->motions = malloc(room);
    if (w->motions == NULL) {
        return app_fail_memory(error);
    }
    char *at = (char *)(w->motions + count + 1);
    for (uint32_t i = 0; i < count; ++i, at += ROOTS_PATH_BYTES) {
        const char *text = sn_value_string(sn_value_at(list, i), "");
        sn_status status = files_resolve(w->desk, text, ROOTS_READ_FILE, at, error);
        if (status != SN_OK) {
            return status;
        }
        w->motions[w->motion_count++] = at;
    }
    return SN_OK;
}

// The report that is asked for is written beside its place.
static sn_status take_report(import_work *w, const sn_value *options, sn_error *error) {
    static const char *const extensions[] = {".json", NULL};
    const desk_request request = {.args = options};
    return outfile_take(&w->report, w->desk, &request, "report", extensions, false, error);
}

static sn_status take_units(import_work *w, const sn_value *options, sn_error *error) {
    const sn_value *unit = sn_value_get(options, "unit");
    const char *up = sn_value_string(sn_value_get(options, "up"), "y");
    double metres = sn_value_number(unit, 0);
    if (unit != NULL && !(metres >= 1e-9 && metres <= 1e9)) {
        return desk_fail(error, SN_INVALID, "unit", "a unit of %g metres is no size", metres);
    }
    if (strcmp(up, "y") != 0 && strcmp(up, "z") != 0) {
        return desk_fail(error, SN_INVALID, "up", "\"%s\" is no axis that points up: y or z", up);
    }
    w->how.unit = metres;
    w->how.z_up = strcmp(up, "z") == 0;
    return SN_OK;
}

static sn_status take_options(import_work *w, const sn_value *options, sn_error *error) {
    const char *rig = sn_value_string(sn_value_get(options, "rig"), NULL);
    sn_status status = SN_OK;
    w->skin = sn_value_bool(sn_value_get(options, "skin"), true);
    if (rig != NULL && strcmp(rig, "none") == 0) {
        w->rig = strdup(rig);
        SN_TRY(w->rig != NULL ? SN_OK : app_fail_memory(error));
    } else {
        SN_TRY(take_path(w->desk, options, "rig", ROOTS_READ_FILE, &w->rig, error));
    }
    SN_TRY(take_path(w->desk, options, "geometry", ROOTS_READ_FOLDER, &w->geometry, error));
    SN_TRY(take_units(w, options, error));
    SN_TRY(take_report(w, options, error));
    SN_TRY(take_motions(w, sn_value_get(options, "motions"), error));
cleanup:
    return status;
}

sn_status command_import(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                         sn_error *error) {
    desk_slot *slot = NULL;
    const char *text = NULL;
    char path[ROOTS_PATH_BYTES];
    uint32_t number = 0;
    sn_error is_file = {0};
    import_work *w = NULL;
    sn_status status = SN_OK;
    SN_TRY(desk_argument_slot(desk, request, false, &slot, error));
    SN_TRY(desk_argument_string(request, "path", &text, error));
    if (files_resolve(desk, text, ROOTS_READ_FOLDER, path, &is_file) != SN_OK) {
        SN_TRY(files_resolve(desk, text, ROOTS_READ_FILE, path, error));
    }
    w = begin_work(desk, slot->index, path);
    SN_TRY(w != NULL ? SN_OK : app_fail_memory(error));
    SN_TRY(take_options(w, sn_value_get(request->args, "options"), error));
    status = start(w, request->page, &number, error);
    w = NULL; // the job frees it
    SN_TRY(status);
    SN_TRY(sn_json_add_number(answer, ok, "job", number) ? SN_OK : app_fail_memory(error));
cleanup:
    if (w != NULL) {
        free_work(w);
    }
    return status;
}
