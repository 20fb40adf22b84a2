// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "common/common.h"

#include "common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void app_set_error(sn_error *error, sn_status status, const char *source, const char *place,
                   const char *format, va_list arguments) {
    if (error == NULL) {
        return;
    }
    *error = (sn_error){.status = status};
    vsnprintf(error->message, sizeof error->message, format, arguments);
    snprintf(error->source, sizeof error->source, "%s", source != NULL ? source : "");
    snprintf(error->place, sizeof error->place, "%s", place != NULL ? place : "");
}

sn_status app_fail(sn_error *error, sn_status status, const char *source, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    app_set_error(error, status, source, "", format, arguments);
    va_end(arguments);
    return status;
}

sn_status app_fail_memory(sn_error *error) {
    return app_fail(error, SN_OUT_OF_MEMORY, "", "out of memory");
}

double app_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool app_has_extension(const char *path, const char *extension) {
    size_t length = strlen(path), tail = strlen(extension);
    return length > tail && strcasecmp(path + length - tail, extension) == 0;
}

const char *app_find_extension(const char *path, const char *const *extensions) {
    for (uint32_t i = 0; extensions[i] != NULL; ++i) {
        if (app_has_extension(path, extensions[i])) {
            return extensions[i];
        }
    }
    return NULL;
}

bool app_is_folder(const char *path) {
    struct stat entry;
    return stat(path, &entry) == 0 && S_ISDIR(entry.st_mode);
}

static sn_status fail_folder(const char *path, sn_error *error) {
    return app_fail(error, SN_IO, path, "cannot make the folder: %s", strerror(errno));
}

static sn_status make_folder(const char *path, mode_t mode, sn_error *error) {
    char part[APP_PATH_BYTES];
    if (strlen(path) >= sizeof part) {
        errno = ENAMETOOLONG;
        return fail_folder(path, error);
    }
    snprintf(part, sizeof part, "%s", path);
    for (char *c = part + 1;; ++c) {
        if (*c != '/' && *c != 0) {
            continue;
        }
        char kept = *c;
        *c = 0;
        if (mkdir(part, mode) != 0 && !app_is_folder(part)) {
            return fail_folder(part, error);
        }
        *c = kept;
        if (kept == 0) {
            return SN_OK;
        }
    }
}

sn_status app_make_folder(const char *path, sn_error *error) {
    return make_folder(path, 0777, error);
}

sn_status app_make_private_folder(const char *path, sn_error *error) {
    return make_folder(path, 0700, error);
}

sn_status app_read_text(const char *path, char **text, size_t *size, sn_error *error) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    *text = NULL;
    if (file < 0) {
        return app_fail(error, SN_INVALID, path, "cannot open: %s", strerror(errno));
    }
    sn_status status = app_read_all(file, path, text, size, error);
    close(file);
    return status;
}

sn_status app_read_json(sn_context *context, const char *path, sn_json **json, sn_error *error) {
    char *text = NULL;
    size_t size = 0;
    sn_status status = app_read_text(path, &text, &size, error);
    if (status != SN_OK) {
        return status;
    }
    status = sn_json_parse(context, text, size, json, error);
    free(text);
    if (status != SN_OK) {
        snprintf(error->source, sizeof error->source, "%s", path);
    }
    return status;
}

bool app_is_below(const char *folder, const char *path) {
    size_t length = strlen(folder);
    if (strcmp(folder, "/") == 0) {
        return path[0] == '/';
    }
    return strncmp(path, folder, length) == 0 && (path[length] == 0 || path[length] == '/');
}

bool app_folder_of(const char *path, char folder[APP_PATH_BYTES]) {
    _Static_assert(APP_PATH_BYTES >= PATH_MAX, "realpath() needs room");
    char copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", path);
    char *slash = strrchr(copy, '/');
    if (slash == NULL) {
        return realpath(".", folder) != NULL;
    }
    slash[slash == copy ? 1 : 0] = 0;
    return realpath(copy, folder) != NULL;
}

bool app_name_file(const char *from, const char *document, const char *file,
                   char name[APP_PATH_BYTES]) {
    char from_folder[APP_PATH_BYTES], to[APP_PATH_BYTES], of_file[APP_PATH_BYTES];
    if (!app_folder_of(from != NULL ? from : "x", from_folder) || !app_folder_of(document, to) ||
        !app_folder_of(file, of_file)) {
        return false;
    }
    const char *slash = strrchr(file, '/');
    if (strcmp(from_folder, to) == 0 && strcmp(to, of_file) == 0) {
        snprintf(name, APP_PATH_BYTES, "%s", slash != NULL ? slash + 1 : file);
        return true;
    }
    return realpath(file, name) != NULL;
}

// How many bytes two folders have in common, up to the end of a folder's name in both.
static size_t common_folder(const char *a, const char *b) {
    size_t same = 0;
    for (size_t i = 0; a[i] != 0 && a[i] == b[i]; ++i) {
        char next = a[i + 1], other = b[i + 1];
        same = (next == 0 || next == '/') && (other == 0 || other == '/') ? i + 1 : same;
    }
    return same;
}

bool app_relative_path(const char *document, const char *file, char name[APP_PATH_BYTES]) {
    char from[APP_PATH_BYTES], to[APP_PATH_BYTES];
    if (!app_folder_of(document, from) || !app_folder_of(file, to)) {
        return false;
    }
    size_t same = common_folder(from, to), used = 0;
    for (const char *c = from + same; *c != 0 && used + 3 < APP_PATH_BYTES; ++c) {
        if (c[0] == '/' && c[1] != 0) {
            used += (size_t)snprintf(name + used, APP_PATH_BYTES - used, "../");
        }
    }
    const char *slash = strrchr(file, '/');
    const char *below = to + same + strspn(to + same, "/");
    int length = snprintf(name + used, APP_PATH_BYTES - used, "%s%s%s", below, *below ? "/" : "",
                          slash != NULL ? slash + 1 : file);
    return used + (size_t)length < APP_PATH_BYTES;
}

void app_default_document(const char *model, char *path, size_t size) {
    bool is_folder = app_is_folder(model);
    const char *slash = strrchr(model, '/');
    const char *dot = is_folder ? NULL : strrchr(slash != NULL ? slash : model, '.');
    size_t length = dot != NULL ? (size_t)(dot - model) : strlen(model);
    while (is_folder && length > 1 && model[length - 1] == '/') {
        length--;
    }
    snprintf(path, size, "%.*s.sinew.json", (int)length, model);
}

// How far a part is: 0 to 1.
static double fraction_of(app_part *part, const char *step, double fraction) {
    if (!part->by_steps) {
        return fraction;
    }
    if (strncmp(part->step, step, sizeof part->step - 1) != 0) {
        snprintf(part->step, sizeof part->step, "%s", step);
        part->passed = part->reached;
    }
    double done = part->passed + 0.5 * (1 - part->passed) * fraction;
    part->reached = done > part->reached ? done : part->reached;
    return part->reached;
}

static bool report_part(const char *step, double fraction, void *user) {
    app_part *part = user;
    double done = fraction_of(part, step, fraction);
    return part->whole->report(step, part->from + (part->to - part->from) * done,
                               part->whole->user);
}

void app_part_begin(app_part *part, const sn_progress *whole, double from, double to) {
    *part = (app_part){.progress = {report_part, part}, .whole = whole, .from = from, .to = to};
}

void app_part_begin_steps(app_part *part, const sn_progress *whole, double from, double to) {
    app_part_begin(part, whole, from, to);
    part->by_steps = true;
}
