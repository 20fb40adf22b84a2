// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "outfile.h"

#include "common/common.h"
#include "files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *find_extension(const char *path, const char *const *extensions) {
    for (uint32_t i = 0; extensions[i] != NULL; ++i) {
        if (app_has_extension(path, extensions[i])) {
            return extensions[i];
        }
    }
    return NULL;
}

static sn_status fail_extension(const char *path, const char *const *extensions, sn_error *error) {
    char list[128] = "";
    for (uint32_t i = 0; extensions[i] != NULL; ++i) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? " " : "", extensions[i]);
    }
    return app_fail(error, SN_INVALID, path, "cannot be written: the name must end in %s", list);
}

// FOLDER/.sinew-PROCESS-NUMBER.tmp.EXTENSION
static char *name_scratch(const char *path, const char *extension) {
    static uint32_t last; // the desk's thread alone comes here
    char *scratch = NULL;
    int folder = (int)(strrchr(path, '/') - path);
    return asprintf(&scratch, "%.*s/.sinew-%ld-%u.tmp%s", folder, path, (long)getpid(), ++last,
                    extension) >= 0
               ? scratch
               : NULL;
}

sn_status outfile_take(outfile *file, desk *desk, const desk_request *request,
                       const char *const *extensions, bool needed, sn_error *error) {
    char path[ROOTS_PATH_BYTES];
    const sn_value *given = sn_value_get(request->args, "path");
    *file = (outfile){.replace = files_flag(request, "replace", false)};
    if (!needed && (given == NULL || given->type == SN_JSON_NULL)) {
        return SN_OK;
    }
    sn_status status = files_argument(desk, request, "path", ROOTS_WRITE_FILE, path, error);
    if (status != SN_OK) {
        return status;
    }
    const char *extension = find_extension(path, extensions);
    if (extension == NULL) {
        return fail_extension(path, extensions, error);
    }
    if (!file->replace && access(path, F_OK) == 0) {
        return app_fail(error, SN_INVALID, path, "is there already");
    }
    file->path = strdup(path);
    file->scratch = name_scratch(path, extension);
    if (file->path == NULL || file->scratch == NULL) {
        outfile_free(file);
        return app_fail_memory(error);
    }
    return SN_OK;
}

sn_status outfile_keep(outfile *file, sn_error *error) {
    if (!file->replace && access(file->path, F_OK) == 0) {
        return app_fail(error, SN_INVALID, file->path, "is there already");
    }
    if (rename(file->scratch, file->path) != 0) {
        return app_fail(error, SN_IO, file->path, "cannot be written: %s", strerror(errno));
    }
    file->kept = true;
    return SN_OK;
}

void outfile_take_back(outfile *file) {
    if (file->kept) {
        remove(file->path);
        file->kept = false;
    }
}

void outfile_free(outfile *file) {
    if (file->scratch != NULL && !file->kept) {
        remove(file->scratch);
    }
    free(file->path);
    free(file->scratch);
    *file = (outfile){0};
}
