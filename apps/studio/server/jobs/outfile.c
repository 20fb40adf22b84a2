// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "jobs/outfile.h"

#include "common/common.h"
#include "files/files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sn_status fail_extension(const char *path, const char *const *extensions, sn_error *error) {
    char list[128] = "";
    for (uint32_t i = 0; extensions[i] != NULL; ++i) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? " " : "", extensions[i]);
    }
    return app_fail(error, SN_INVALID, path, "cannot be written: the name must end in %s", list);
}

// Where the file is written, and what takes it back.
static sn_status begin(outfile *file, const char *path, sn_error *error) {
    char scratch[SN_FILE_PATH_BYTES];
    sn_status status = SN_OK;
    SN_TRY(sn_file_set_begin(&file->files, path, error));
    SN_TRY(sn_file_set_place(&file->files, path, scratch, error));
    file->path = strdup(path);
    file->scratch = strdup(scratch);
    SN_TRY(file->path != NULL && file->scratch != NULL ? SN_OK : app_fail_memory(error));
cleanup:
    if (status != SN_OK) {
        outfile_free(file);
    }
    return status;
}

sn_status outfile_take(outfile *file, desk *desk, const desk_request *request, const char *key,
                       const char *const *extensions, bool needed, sn_error *error) {
    char path[ROOTS_PATH_BYTES];
    const sn_value *given = sn_value_get(request->args, key);
    *file = (outfile){.replace = files_flag(request, "replace", false)};
    if (!needed && (given == NULL || given->type == SN_JSON_NULL)) {
        return SN_OK;
    }
    sn_status status = files_argument(desk, request, key, ROOTS_WRITE_FILE, path, error);
    if (status != SN_OK) {
        return status;
    }
    const char *extension = app_find_extension(path, extensions);
    if (extension == NULL) {
        return fail_extension(path, extensions, error);
    }
    if (!file->replace && access(path, F_OK) == 0) {
        return app_fail(error, SN_INVALID, path, "already exists");
    }
    return begin(file, path, error);
}

sn_status outfile_keep(outfile *file, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(app_older_take(&file->older, file->path, error));
    SN_TRY(sn_file_set_commit(&file->files, file->replace, error));
    file->kept = true;
cleanup:
    return status;
}

void outfile_undo(outfile *file) {
    if (file->kept) {
        app_older_bring_back(&file->older);
        file->kept = false;
    }
}

void outfile_free(outfile *file) {
    sn_file_set_cancel(&file->files);
    app_older_free(&file->older);
    free(file->path);
    free(file->scratch);
    *file = (outfile){0};
}
