// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "jobs/outfile.h"

#include "common/common.h"
#include "common/file.h"
#include "files/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    if (app_is_read_only(path)) {
        return app_fail_read_only(path, error);
    }
    file->path = strdup(path);
    file->scratch = name_scratch(path, extension);
    if (file->path == NULL || file->scratch == NULL) {
        outfile_free(file);
        return app_fail_memory(error);
    }
    return SN_OK;
}

sn_status outfile_make_folder(outfile *file, sn_error *error) {
    if (mkdir(file->scratch, 0777) != 0) {
        return app_fail(error, SN_IO, file->path, "cannot be written: %s", strerror(errno));
    }
    file->is_folder = true;
    return SN_OK;
}

void outfile_inside(const outfile *file, const char *path, char *inside, size_t size) {
    snprintf(inside, size, "%s/%s", file->scratch, strrchr(path, '/') + 1);
}

typedef sn_status visit_fn(const outfile *file, const char *from, const char *to, sn_error *error);

static sn_status refuse_present(const outfile *file, const char *from, const char *to,
                                sn_error *error) {
    (void)from;
    return !file->replace && access(to, F_OK) == 0
               ? app_fail(error, SN_INVALID, to, "already exists")
               : SN_OK;
}

static sn_status move(const outfile *file, const char *from, const char *to, sn_error *error) {
    (void)file;
    return rename(from, to) == 0
               ? SN_OK
               : app_fail(error, SN_IO, to, "cannot be written: %s", strerror(errno));
}

static sn_status delete (const outfile *file, const char *from, const char *to, sn_error *error) {
    (void)file;
    (void)to;
    (void)error;
    remove(from);
    return SN_OK;
}

// All files of the scratch folder, with their places beside it.
static sn_status visit(const outfile *file, visit_fn *fn, sn_error *error) {
    DIR *stream = opendir(file->scratch);
    sn_status status = SN_OK;
    int folder = (int)(strrchr(file->scratch, '/') - file->scratch);
    for (struct dirent *item; stream != NULL;) {
        char from[2 * APP_PATH_BYTES], to[2 * APP_PATH_BYTES];
        if ((item = readdir(stream)) == NULL) {
            break;
        }
        snprintf(from, sizeof from, "%s/%s", file->scratch, item->d_name);
        snprintf(to, sizeof to, "%.*s/%s", folder, file->scratch, item->d_name);
        if (strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0) {
            SN_TRY(fn(file, from, to, error));
        }
    }
cleanup:
    if (stream != NULL) {
        closedir(stream);
    }
    return status;
}

static sn_status keep_folder(outfile *file, sn_error *error) {
    sn_status status = visit(file, refuse_present, error);
    return status == SN_OK ? visit(file, move, error) : status;
}

// The older file stays under its name until the new one takes it, where the file system can do
// that.
static sn_status set_older_aside(outfile *file, sn_error *error) {
    if (access(file->path, F_OK) != 0) {
        return SN_OK;
    }
    if (asprintf(&file->replaced, "%s.old", file->scratch) < 0) {
        file->replaced = NULL;
        return app_fail_memory(error);
    }
    if (link(file->path, file->replaced) != 0 && rename(file->path, file->replaced) != 0) {
        int why = errno;
        free(file->replaced);
        file->replaced = NULL;
        return app_fail(error, SN_IO, file->path, "cannot be replaced: %s", strerror(why));
    }
    return SN_OK;
}

static void bring_older_back(outfile *file) {
    if (file->replaced != NULL) {
        rename(file->replaced, file->path);
        free(file->replaced);
        file->replaced = NULL;
    }
}

sn_status outfile_keep(outfile *file, sn_error *error) {
    if (file->is_folder) {
        return keep_folder(file, error);
    }
    sn_status status = SN_OK;
    SN_TRY(refuse_present(file, file->scratch, file->path, error));
    SN_TRY(set_older_aside(file, error));
    SN_TRY(move(file, file->scratch, file->path, error));
    file->kept = true;
    return SN_OK;
cleanup:
    bring_older_back(file);
    return status;
}

void outfile_undo(outfile *file) {
    if (file->kept) {
        remove(file->path);
        bring_older_back(file);
        file->kept = false;
    }
}

void outfile_free(outfile *file) {
    if (file->is_folder) {
        visit(file, delete, NULL);
    }
    if (file->scratch != NULL && !file->kept) {
        remove(file->scratch);
    }
    if (file->replaced != NULL) {
        remove(file->replaced);
    }
    free(file->replaced);
    free(file->path);
    free(file->scratch);
    *file = (outfile){0};
}
