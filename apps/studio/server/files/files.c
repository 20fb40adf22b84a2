// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "files/files.h"

#include "common/common.h"
#include "common/film.h"
#include "document/sweep.h"
#include "document/unsaved.h"
#include "files/recent.h"
#include "player/models.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static sn_status add_roots(desk_files *files, const desk_desc *desc, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < desc->root_count; ++i) {
        SN_TRY(roots_add(&files->roots, desc->roots[i], true, error));
    }
    if (desc->examples != NULL) {
        SN_TRY(roots_add(&files->roots, desc->examples, false, error));
    }
    files->shown_roots = files->roots.count;
cleanup:
    return status;
}

sn_status files_create(desk *desk, const desk_desc *desc, sn_error *error) {
    char folder[APP_PATH_BYTES], journals[APP_PATH_BYTES];
    desk_files *files = calloc(1, sizeof *files);
    if (files == NULL) {
        return app_fail_memory(error);
    }
    *desk_files_of(desk) = files;
    desk_kept_folder(desk, folder);
    files->examples = desc->examples != NULL ? strdup(desc->examples) : NULL;
    files->pictures = desc->web_gallery != NULL ? strdup(desc->web_gallery) : NULL;
    if ((desc->examples != NULL && files->examples == NULL) ||
        (desc->web_gallery != NULL && files->pictures == NULL)) {
        return app_fail_memory(error);
    }
    sn_status status = SN_OK;
    SN_TRY(app_make_private_folder(folder, error));
    snprintf(journals, sizeof journals, "%s/journal", desk_state_folder(desk));
    sweep_kept(folder, journals);
    SN_TRY(add_roots(files, desc, error));
    SN_TRY(roots_add(&files->roots, folder, true, error));
    SN_TRY(uploads_create(&files->uploads, error));
cleanup:
    return status;
}

void files_destroy(desk *desk) {
    desk_files *files = *desk_files_of(desk);
    if (files == NULL) {
        return;
    }
    uploads_destroy(files->uploads);
    roots_deinit(&files->roots);
    free(files->examples);
    free(files->pictures);
    free(files);
    *desk_files_of(desk) = NULL;
}

// ---------------------------------------------------------------------------------------------

static bool add_extensions(sn_json *json, sn_value *welcome) {
    static const char *const written[] = {".glb", ".usda", ".pc2", ".mdd", ".obj"};
    sn_value *extensions = sn_json_add_object(json, welcome, "extensions");
    sn_value *import = sn_json_add_array(json, extensions, "import");
    sn_value *export = sn_json_add_array(json, extensions, "export");
    sn_value *film = sn_json_add_array(json, extensions, "film");
    bool done = import != NULL && export != NULL && film != NULL;
    for (const char *const *e = app_film_extensions(); *e != NULL && done && app_can_film(); ++e) {
        done = sn_json_add_string(json, film, NULL, *e) != NULL;
    }
    for (const char *const *e = sn_import_extensions(); *e != NULL && done; ++e) {
        done = sn_json_add_string(json, import, NULL, *e) != NULL;
    }
    done = done && sn_json_add_string(json, import, NULL, ".osim") != NULL;
    for (uint32_t i = 0; i < sizeof written / sizeof *written && done; ++i) {
        done = sn_json_add_string(json, export, NULL, written[i]) != NULL;
    }
    return done;
}

sn_status files_welcome(desk *desk, sn_json *json, sn_value *event, sn_error *error) {
    const desk_files *files = *desk_files_of(desk);
    sn_value *list = sn_json_add_array(json, event, "roots");
    bool done = list != NULL;
    for (uint32_t i = 0; i < files->shown_roots && done; ++i) {
        done = sn_json_add_string(json, list, NULL, files->roots.folders[i]) != NULL;
    }
    if (!done || !add_extensions(json, event)) {
        return app_fail_memory(error);
    }
    sn_status status = SN_OK;
    SN_TRY(gallery_list(desk_context(desk), files->examples, files->pictures, json, event, error));
    SN_TRY(recent_add(desk_context(desk), desk_state_folder(desk), json, event, "recent", error));
    SN_TRY(unsaved_add(desk_context(desk), desk_state_folder(desk), json, event, "unsaved", error));
cleanup:
    return status;
}

void files_note_recent(desk *desk, const desk_slot *slot) {
    sn_context *context = desk_context(desk);
    const char *folder = desk_state_folder(desk);
    sn_error error = {0};
    if (slot->path == NULL) {
        return;
    }
    sn_status status = recent_note(context, folder, slot->path, sn_character_name(slot->character),
                                   (double)time(NULL), &error);
    sn_json *event = status == SN_OK ? desk_event(desk, "recent") : NULL;
    if (event != NULL) {
        status = recent_add(context, folder, event, sn_json_root(event), "recent", &error);
        desk_send(desk, DESK_ALL_PAGES, event, "recent");
    }
    if (status != SN_OK) {
        desk_notice(desk, DESK_ALL_PAGES, "warning",
                    "The list of recent files could not be updated: %s", error.message);
    }
}

// ---------------------------------------------------------------------------------------------

bool files_flag(const desk_request *request, const char *key, bool otherwise) {
    return sn_value_bool(sn_value_get(request->args, key), otherwise);
}

sn_status files_resolve(desk *desk, const char *text, roots_use use, char path[ROOTS_PATH_BYTES],
                        sn_error *error) {
    return roots_resolve(&(*desk_files_of(desk))->roots, text, use, path, error);
}

sn_status files_argument(desk *desk, const desk_request *request, const char *key, roots_use use,
                         char path[ROOTS_PATH_BYTES], sn_error *error) {
    const char *text = NULL;
    sn_status status = desk_argument_string(request, key, &text, error);
    return status == SN_OK ? files_resolve(desk, text, use, path, error) : status;
}

// Whether the document has a clip of this name, as it is written or in its model, where repeated
// parts are said out.
static bool has_clip(desk *desk, const desk_slot *slot, const char *name) {
    const sn_value *root = sn_json_root(sn_character_document(slot->character));
    bool found = sn_value_get(sn_value_get(root, "clips"), name) != NULL;
    desk_model held;
    sn_error ignored = {0};
    if (found || desk_hold_model(desk, slot->index, &held, &ignored) != SN_OK) {
        return found;
    }
    for (uint32_t i = 0; i < sn_model_clip_count(held.model) && !found; ++i) {
        found = strcmp(sn_model_clip_name(held.model, i), name) == 0;
    }
    desk_let_model_go(&held);
    return found;
}

sn_status files_clip(desk *desk, const desk_slot *slot, const char *text,
                     char clip[ROOTS_PATH_BYTES], sn_error *error) {
    char file[ROOTS_PATH_BYTES];
    const char *part = strrchr(text, '#');
    bool fits = strlen(text) < sizeof file;
    if (fits && has_clip(desk, slot, text)) {
        snprintf(clip, ROOTS_PATH_BYTES, "%s", text);
        return SN_OK;
    }
    if (!fits || (strchr(text, '/') == NULL && file_kind_of(text) == FILE_OTHER && part == NULL)) {
        return desk_fail(error, SN_INVALID, "clip", "there is no clip \"%.200s\"", text);
    }
    snprintf(file, sizeof file, "%.*s", part != NULL ? (int)(part - text) : (int)strlen(text),
             text);
    sn_status status = SN_OK;
    SN_TRY(files_resolve(desk, file, ROOTS_READ_FILE, clip, error));
    if (part != NULL) {
        size_t used = strlen(clip);
        int length = snprintf(clip + used, ROOTS_PATH_BYTES - used, "%s", part);
        fits = length < (int)(ROOTS_PATH_BYTES - used);
    }
cleanup:
    return fits ? status : desk_fail(error, SN_INVALID, "clip", "the path is too long");
}

void files_leave(desk *desk, uint32_t page) {
    uploads_leave((*desk_files_of(desk))->uploads, page);
}

static uint32_t read_u32(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

// As the slot's document must write it: relative where the file lies below the document's folder,
// seen from where the document was opened, for that is where its relative paths begin.
static void name_in_document(const desk_slot *slot, const char *path, char name[APP_PATH_BYTES]) {
    const char *beside = slot->path != NULL ? slot->path : slot->base;
    char folder[APP_PATH_BYTES];
    bool below = beside != NULL && app_folder_of(beside, folder) && app_is_below(folder, path);
    if (!below || !app_relative_path(slot->base, path, name)) {
        snprintf(name, APP_PATH_BYTES, "%s", path);
    }
}

static void tell_uploaded(desk *desk, uint32_t page, uint32_t number, const upload_result *result,
                          const sn_error *error) {
    char name[APP_PATH_BYTES];
    sn_json *event = desk_event(desk, "uploaded");
    sn_value *root = event != NULL ? sn_json_root(event) : NULL;
    sn_json_add_number(event, root, "upload", number);
    if (result != NULL) {
        name_in_document(desk_slot_at(desk, result->slot), result->path, name);
        sn_json_add_string(event, root, "path", result->path);
        sn_json_add_string(event, root, "file", name);
    } else {
        desk_add_error(event, root, "error", error);
    }
    desk_send(desk, page, event, NULL);
}

// "SNWU", the number of the upload, bytes.
bool files_receive_bytes(desk *desk, uint32_t page, const void *bytes, size_t size) {
    enum { HEADER = 8 };
    const uint8_t *head = bytes;
    upload_result result = {0};
    sn_error error = {0};
    if (size < HEADER || memcmp(head, "SNWU", 4) != 0) {
        return false;
    }
    uint32_t number = read_u32(head + 4);
    sn_status status = uploads_add((*desk_files_of(desk))->uploads, page, number, head + HEADER,
                                   size - HEADER, &result, &error);
    if (status != SN_OK || result.done) {
        tell_uploaded(desk, page, number, status == SN_OK ? &result : NULL, &error);
    }
    return true;
}
