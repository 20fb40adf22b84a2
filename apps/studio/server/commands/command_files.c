// SPDX-License-Identifier: Apache-2.0
//
// Folders, opening, saving, uploads.
#define _GNU_SOURCE
#include "commands/commands.h"
#include "files/files.h"

#include "common/common.h"
#include "document/unsaved.h"

#include <stdlib.h>
#include <string.h>

// The folder that a path stands in, itself a path without links and dots.
static void cut_name(char *path) {
    char *slash = strrchr(path, '/');
    if (slash != NULL) {
        slash[slash == path ? 1 : 0] = 0;
    }
}

// Where a page begins to look: beside the document, else in the first root.
static sn_status first_folder(desk *desk, char path[ROOTS_PATH_BYTES], sn_error *error) {
    const desk_files *files = *desk_files_of(desk);
    const desk_slot *slot = desk_slot_at(desk, 0);
    sn_error ignored = {0};
    if (slot->path != NULL &&
        files_resolve(desk, slot->path, ROOTS_READ_FILE, path, &ignored) == SN_OK) {
        cut_name(path);
        return SN_OK;
    }
    if (files->roots.count == 0) {
        return app_fail(error, SN_INVALID, "",
                        "there is no folder that the studio may use: start it with --root DIR");
    }
    return files_resolve(desk, files->roots.folders[0], ROOTS_READ_FOLDER, path, error);
}

// The folder that a request asks for. `file` is the name of the file in it that "path" names, ""
// where that is a folder.
static sn_status asked_folder(desk *desk, const desk_request *request,
                              char folder[ROOTS_PATH_BYTES], char file[ROOTS_PATH_BYTES],
                              sn_error *error) {
    const char *path = sn_value_string(sn_value_get(request->args, "path"), NULL);
    const char *text = sn_value_string(sn_value_get(request->args, "folder"), path);
    file[0] = 0;
    if (text == NULL) {
        return first_folder(desk, folder, error);
    }
    sn_error ignored = {0};
    if (text == path && files_resolve(desk, text, ROOTS_READ_FILE, folder, &ignored) == SN_OK) {
        snprintf(file, ROOTS_PATH_BYTES, "%s", strrchr(folder, '/') + 1);
        cut_name(folder);
        return SN_OK;
    }
    return files_resolve(desk, text, ROOTS_READ_FOLDER, folder, error);
}

// {"folder": PATH or null, or "path": of a folder or a file} -> {"folder", "file" (null where none
// was asked for), "parent" (null at the top), "entries"}
static sn_status run_files(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                           sn_error *error) {
    char folder[ROOTS_PATH_BYTES], file[ROOTS_PATH_BYTES], parent[ROOTS_PATH_BYTES];
    sn_status status = asked_folder(desk, request, folder, file, error);
    if (status != SN_OK) {
        return status;
    }
    snprintf(parent, sizeof parent, "%s", folder);
    cut_name(parent);
    bool has_parent =
        strcmp(parent, folder) != 0 && roots_hold(&(*desk_files_of(desk))->roots, parent);
    bool done = sn_json_add_string(answer, ok, "folder", folder) != NULL &&
                (file[0] != 0 ? sn_json_add_string(answer, ok, "file", file)
                              : sn_json_add_null(answer, ok, "file")) != NULL &&
                (has_parent ? sn_json_add_string(answer, ok, "parent", parent)
                            : sn_json_add_null(answer, ok, "parent")) != NULL;
    return done ? folder_list(folder, answer, ok, error) : app_fail_memory(error);
}

// ---------------------------------------------------------------------------------------------

// Opens the bytes of a file as a document that is saved nowhere.
static sn_status open_copy(desk *desk, uint32_t slot, const char *path, sn_error *error) {
    desk_opening opening = {.base = path};
    char *text = NULL;
    sn_status status = SN_OK;
    SN_TRY(app_read_text(path, &text, &opening.size, error));
    opening.text = text;
    SN_TRY(desk_open_document(desk, slot, &opening, error));
cleanup:
    free(text);
    return status;
}

// Whether a page sent it: then it has no place of its own yet.
static bool is_kept(const desk *desk, const char *path) {
    char kept[APP_PATH_BYTES];
    desk_kept_folder(desk, kept);
    return app_is_below(kept, path);
}

static sn_status open_file(desk *desk, desk_request *request, uint32_t slot, const char *path,
                           sn_error *error) {
    if (!app_has_extension(path, ".json")) {
        return import_model(desk, request, slot, path, error);
    }
    if (is_kept(desk, path)) {
        return open_copy(desk, slot, path, error);
    }
    sn_status status = SN_OK;
    SN_TRY(desk_open_path(desk, slot, path, error));
    files_note_recent(desk, desk_slot_at(desk, slot));
cleanup:
    return status;
}

// {"slot", "path"}: a document, or a model, which becomes one that is saved nowhere yet.
static sn_status run_open(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                          sn_error *error) {
    (void)answer;
    (void)ok;
    desk_slot *slot = NULL;
    char path[ROOTS_PATH_BYTES];
    sn_status status = SN_OK;
    SN_TRY(desk_argument_slot(desk, request, false, &slot, error));
    SN_TRY(files_argument(desk, request, "path", ROOTS_READ_FILE, path, error));
    SN_TRY(open_file(desk, request, slot->index, path, error));
cleanup:
    return status;
}

// {"slot", "name"}: a shipped character.
static sn_status run_open_example(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                                  sn_error *error) {
    (void)answer;
    (void)ok;
    desk_slot *slot = NULL;
    const char *name = NULL;
    char path[APP_PATH_BYTES];
    sn_status status = SN_OK;
    SN_TRY(desk_argument_slot(desk, request, false, &slot, error));
    SN_TRY(desk_argument_string(request, "name", &name, error));
    if (!gallery_find((*desk_files_of(desk))->examples, name, path, sizeof path)) {
        SN_TRY(desk_fail(error, SN_INVALID, "name", "there is no shipped character \"%s\"", name));
    }
    SN_TRY(open_copy(desk, slot->index, path, error));
cleanup:
    return status;
}

// {}: the document of slot 0 as it is now, in slot 1, for other settings.
static sn_status run_compare(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                             sn_error *error) {
    (void)request;
    (void)answer;
    (void)ok;
    // Where the first was closed, the other one is copied.
    uint32_t from = desk_slot_at(desk, 0)->character != NULL ? 0 : 1;
    const desk_slot *slot = desk_slot_at(desk, from);
    if (slot->character == NULL) {
        return desk_fail(error, SN_INVALID, "", "no document is open to compare with");
    }
    desk_opening opening = {
        .base = slot->base, .text = slot->text, .size = slot->text_size, .copy = true};
    return desk_open_document(desk, 1 - from, &opening, error);
}

// {"slot", "keep" (false)}: whether what was not saved can be opened again.
static sn_status run_close(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                           sn_error *error) {
    (void)answer;
    (void)ok;
    desk_slot *slot = NULL;
    sn_status status = SN_OK;
    SN_TRY(desk_argument_slot(desk, request, false, &slot, error));
    desk_close_document(desk, slot->index, files_flag(request, "keep", false));
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// What was not saved

// {"slot", "journal"}
static sn_status run_open_unsaved(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                                  sn_error *error) {
    (void)answer;
    (void)ok;
    desk_slot *slot = NULL;
    const char *name = NULL;
    sn_status status = SN_OK;
    SN_TRY(desk_argument_slot(desk, request, false, &slot, error));
    SN_TRY(desk_argument_string(request, "journal", &name, error));
    SN_TRY(desk_open_unsaved(desk, slot->index, name, error));
cleanup:
    return status;
}

// {"journal"}
static sn_status run_discard_unsaved(desk *desk, desk_request *request, sn_json *answer,
                                     sn_value *ok, sn_error *error) {
    (void)answer;
    (void)ok;
    const char *name = NULL;
    sn_status status = SN_OK;
    SN_TRY(desk_argument_string(request, "journal", &name, error));
    SN_TRY(unsaved_discard(desk_state_folder(desk), name, error));
    unsaved_tell(desk);
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Saving

static sn_status save(desk *desk, desk_request *request, desk_slot *slot, const char *path,
                      sn_json *answer, sn_value *ok, sn_error *error) {
    bool replace = files_flag(request, "replace", false);
    sn_status status = desk_save_document(desk, slot->index, path, replace, error);
    if (status != SN_OK) {
        return status;
    }
    files_note_recent(desk, slot);
    return sn_json_add_string(answer, ok, "path", slot->path) != NULL ? SN_OK
                                                                      : app_fail_memory(error);
}

// {"slot", "replace"} -> {"path"}
static sn_status run_save(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                          sn_error *error) {
    desk_slot *slot = NULL;
    char path[ROOTS_PATH_BYTES];
    sn_status status = SN_OK;
    SN_TRY(desk_argument_slot(desk, request, true, &slot, error));
    if (slot->path == NULL) {
        SN_TRY(desk_fail(error, SN_INVALID, "", "the document has no file yet: use Save as"));
    }
    SN_TRY(files_resolve(desk, slot->path, ROOTS_WRITE_FILE, path, error));
    SN_TRY(save(desk, request, slot, NULL, answer, ok, error));
cleanup:
    return status;
}

// {"slot", "path", "replace"} -> {"path"}; a name without .json gets .sinew.json.
static sn_status run_save_as(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                             sn_error *error) {
    desk_slot *slot = NULL;
    const char *text = NULL;
    char name[ROOTS_PATH_BYTES], path[ROOTS_PATH_BYTES];
    sn_status status = SN_OK;
    SN_TRY(desk_argument_slot(desk, request, true, &slot, error));
    SN_TRY(desk_argument_string(request, "path", &text, error));
    bool complete = app_has_extension(text, ".json");
    int length = snprintf(name, sizeof name, "%s%s", text, complete ? "" : ".sinew.json");
    SN_TRY(length < (int)sizeof name ? files_resolve(desk, name, ROOTS_WRITE_FILE, path, error)
                                     : desk_fail(error, SN_INVALID, "path", "is too long"));
    SN_TRY(save(desk, request, slot, path, answer, ok, error));
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Uploads

// {"name", "size", "slot" (0), "drop" (0)} -> {"upload"}
static sn_status run_upload(desk *desk, desk_request *request, sn_json *answer, sn_value *ok,
                            sn_error *error) {
    double slot = sn_value_number(sn_value_get(request->args, "slot"), 0), drop = 0;
    char folder[APP_PATH_BYTES];
    upload_desc desc = {.page = request->page, .slot = slot == 1 ? 1 : 0, .folder = folder};
    uint32_t number = 0;
    sn_status status = SN_OK;
    SN_TRY(desk_argument_string(request, "name", &desc.name, error));
    SN_TRY(desk_argument_number(request, "size", 0, 1e18, &desc.size, error));
    if (sn_value_get(request->args, "drop") != NULL) {
        SN_TRY(desk_argument_number(request, "drop", 0, UINT32_MAX, &drop, error));
    }
    desc.drop = (uint32_t)drop;
    desk_kept_folder(desk, folder);
    SN_TRY(uploads_begin((*desk_files_of(desk))->uploads, &desc, &number, error));
    if (sn_json_add_number(answer, ok, "upload", number) == NULL) {
        SN_TRY(app_fail_memory(error));
    }
cleanup:
    return status;
}

static const desk_command commands[] = {
    {"files", run_files},
    {"open", run_open},
    {"open_example", run_open_example},
    {"save", run_save},
    {"save_as", run_save_as},
    {"close", run_close},
    {"compare", run_compare},
    {"upload", run_upload},
    {"open_unsaved", run_open_unsaved},
    {"discard_unsaved", run_discard_unsaved},
};

const desk_topic desk_files_topic = {
    .commands = commands,
    .command_count = sizeof commands / sizeof *commands,
    .create = files_create,
    .destroy = files_destroy,
    .welcome = files_welcome,
    .leave = files_leave,
    .receive_bytes = files_receive_bytes,
};
