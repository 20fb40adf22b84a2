// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // realpath
#include "common/older.h"

#include "common/common.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static sn_status copy_file(const char *from, const char *to, sn_error *error) {
    char *bytes = NULL;
    size_t size = 0;
    sn_status status = app_read_text(from, &bytes, &size, error);
    if (status == SN_OK) {
        status = sn_file_write(to, bytes, size, error);
    }
    free(bytes);
    return status;
}

// A second name of the file, or a copy where the file system knows none.
sn_status app_older_take(app_older *older, const char *path, sn_error *error) {
    char place[SN_FILE_PATH_BYTES];
    struct stat info;
    *older = (app_older){0};
    if (path == NULL || (stat(path, &info) == 0 && !S_ISREG(info.st_mode))) {
        return SN_OK;
    }
    if (realpath(path, older->path) == NULL) {
        snprintf(older->path, sizeof older->path, "%s", path);
        return SN_OK;
    }
    sn_status status = SN_OK;
    SN_TRY(sn_file_set_begin(&older->files, older->path, error));
    SN_TRY(sn_file_set_place(&older->files, older->path, place, error));
    if (link(older->path, place) != 0) {
        SN_TRY(copy_file(older->path, place, error));
    }
cleanup:
    if (status != SN_OK) {
        app_older_free(older);
    }
    return status;
}

void app_older_bring_back(app_older *older) {
    if (older->files.scratch[0] != 0) {
        sn_file_set_commit(&older->files, true, NULL);
    } else if (older->path[0] != 0) {
        unlink(older->path);
    }
    app_older_free(older);
}

void app_older_free(app_older *older) {
    sn_file_set_cancel(&older->files);
    *older = (app_older){0};
}
