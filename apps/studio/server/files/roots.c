// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "files/roots.h"

#include "common/common.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void roots_deinit(roots *r) {
    for (uint32_t i = 0; i < r->count; ++i) {
        free(r->folders[i]);
    }
    free(r->folders);
    free(r->writable);
    *r = (roots){0};
}

sn_status roots_add(roots *r, const char *folder, bool writable, sn_error *error) {
    char resolved[PATH_MAX];
    if (realpath(folder, resolved) == NULL || !app_is_folder(resolved)) {
        return SN_OK;
    }
    char **folders = realloc(r->folders, (r->count + (size_t)1) * sizeof *folders);
    r->folders = folders != NULL ? folders : r->folders;
    bool *flags = realloc(r->writable, (r->count + (size_t)1) * sizeof *flags);
    r->writable = flags != NULL ? flags : r->writable;
    char *copy = strdup(resolved);
    if (folders == NULL || flags == NULL || copy == NULL) {
        free(copy);
        return app_fail_memory(error);
    }
    r->folders[r->count] = copy;
    r->writable[r->count++] = writable;
    return SN_OK;
}

bool roots_hold(const roots *r, const char *resolved) {
    for (uint32_t i = 0; i < r->count; ++i) {
        if (app_is_below(r->folders[i], resolved)) {
            return true;
        }
    }
    return false;
}

// The folder that a path is in, where that one is read only; NULL where it can be written.
static const char *read_only_above(const roots *r, const char *resolved) {
    for (uint32_t i = 0; i < r->count; ++i) {
        if (!r->writable[i] && app_is_below(r->folders[i], resolved)) {
            return r->folders[i];
        }
    }
    return NULL;
}

// A relative path begins in the first folder, ~/ is the home folder.
static bool make_absolute(const roots *r, const char *path, char absolute[PATH_MAX]) {
    const char *home = path[0] == '~' && (path[1] == '/' || path[1] == 0) ? getenv("HOME") : NULL;
    const char *first = home != NULL                      ? home
                        : path[0] == '/' || r->count == 0 ? NULL
                                                          : r->folders[0];
    int length = first == NULL
                     ? snprintf(absolute, PATH_MAX, "%s", path)
                     : snprintf(absolute, PATH_MAX, "%s/%s", first, home != NULL ? path + 1 : path);
    return length > 0 && length < PATH_MAX;
}

// Says which folder would have to be a root.
static sn_status fail_outside(const char *path, const char *resolved, sn_error *error) {
    char folder[APP_PATH_BYTES];
    snprintf(folder, sizeof folder, "%s", resolved);
    if (!app_is_folder(resolved) && !app_folder_of(resolved, folder)) {
        snprintf(folder, sizeof folder, "FOLDER");
    }
    return app_fail(error, SN_INVALID, path,
                    "is outside the folders that the studio may use. To allow it, start the studio "
                    "with `sinew studio --root %s`",
                    folder);
}

// A file that is not there: its folder must be, and its name must be one.
static sn_status resolve_new(const char *path, const char *absolute, char resolved[PATH_MAX],
                             sn_error *error) {
    struct stat entry;
    const char *slash = strrchr(absolute, '/');
    const char *name = slash != NULL ? slash + 1 : absolute;
    char folder[APP_PATH_BYTES];
    if (lstat(absolute, &entry) == 0) {
        return app_fail(error, SN_INVALID, path, "is a link to a file that does not exist");
    }
    if (name[0] == 0 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        return app_fail(error, SN_INVALID, path, "does not end in the name of a file");
    }
    if (!app_folder_of(absolute, folder)) {
        return app_fail(error, SN_INVALID, path, "its folder does not exist");
    }
    int length =
        snprintf(resolved, PATH_MAX, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, name);
    return length < PATH_MAX ? SN_OK : app_fail(error, SN_INVALID, path, "is too long");
}

// Whether what is there is what is asked for. Devices and pipes could hold a reader up for ever.
static sn_status check_entry(const char *path, const char *resolved, roots_use use,
                             sn_error *error) {
    struct stat entry;
    if (stat(resolved, &entry) != 0) {
        return use == ROOTS_WRITE_FILE
                   ? SN_OK
                   : app_fail(error, SN_INVALID, path, "cannot be read: %s", strerror(errno));
    }
    if (use == ROOTS_READ_FOLDER) {
        return S_ISDIR(entry.st_mode) ? SN_OK
                                      : app_fail(error, SN_INVALID, path, "is not a folder");
    }
    if (S_ISDIR(entry.st_mode)) {
        return app_fail(error, SN_INVALID, path, "is a folder");
    }
    return S_ISREG(entry.st_mode) ? SN_OK
                                  : app_fail(error, SN_INVALID, path, "is not an ordinary file");
}

sn_status roots_resolve(const roots *r, const char *path, roots_use use,
                        char resolved[ROOTS_PATH_BYTES], sn_error *error) {
    _Static_assert(ROOTS_PATH_BYTES >= PATH_MAX, "realpath() needs room");
    char absolute[PATH_MAX];
    if (path[0] == 0 || !make_absolute(r, path, absolute)) {
        return app_fail(error, SN_INVALID, path, path[0] == 0 ? "no path is given" : "is too long");
    }
    if (realpath(absolute, resolved) == NULL) {
        int why = errno;
        if (use != ROOTS_WRITE_FILE || why != ENOENT) {
            // What lies outside is not told apart from what is not there.
            return app_fail(error, SN_INVALID, path, "%s",
                            why == ENOENT ? "does not exist" : strerror(why));
        }
        sn_status status = resolve_new(path, absolute, resolved, error);
        if (status != SN_OK) {
            return status;
        }
    }
    if (!roots_hold(r, resolved)) {
        return fail_outside(path, resolved, error);
    }
    const char *locked = use == ROOTS_WRITE_FILE ? read_only_above(r, resolved) : NULL;
    if (locked != NULL) {
        return app_fail(error, SN_INVALID, path, "cannot be written: %s is read only", locked);
    }
    return check_entry(path, resolved, use, error);
}
