// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

sn_status sni_fail_errno(sn_error *error, const char *path, const char *doing) {
    int number = errno;
    sni_fail(error, SN_IO, "cannot %s: %s", doing, strerror(number));
    sni_error_source(error, path);
    return SN_IO;
}

// Some files (/proc) have no size beforehand: reads until the end, growing.
static sn_status read_stream(sn_context *context, FILE *stream, const char *path, size_t expected,
                             char **bytes, size_t *size, sn_error *error) {
    sn_status status = SN_OK;
    size_t capacity = expected + 1;
    size_t used = 0;
    char *buffer = NULL;
    SNI_NEW(context, buffer, capacity);
    for (;;) {
        used += fread(buffer + used, 1, capacity - used, stream);
        if (used < capacity) {
            break;
        }
        char *larger = capacity < SIZE_MAX / 2 ? sni_alloc(context, capacity * 2, 1) : NULL;
        if (larger == NULL) {
            status = sni_fail_memory(error);
            goto cleanup;
        }
        memcpy(larger, buffer, used);
        sni_free(context, buffer);
        buffer = larger;
        capacity *= 2;
    }
    if (ferror(stream)) {
        status = sni_fail_errno(error, path, "read");
        goto cleanup;
    }
    buffer[used] = 0;
    *bytes = buffer;
    *size = used;
    return SN_OK;
cleanup:
    sni_free(context, buffer);
    sni_error_source(error, path);
    return status;
}

// A pipe that nobody writes to, or a device that never ends, would be read for ever.
static sn_status open_regular(const char *path, FILE **stream, struct stat *info, sn_error *error) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        return sni_fail_errno(error, path, "open");
    }
    sn_status status = SN_OK;
    if (fstat(file, info) != 0) {
        status = sni_fail_errno(error, path, "read");
    } else if (S_ISDIR(info->st_mode)) {
        errno = EISDIR;
        status = sni_fail_errno(error, path, "read");
    } else if (!S_ISREG(info->st_mode)) {
        status = sni_fail(error, SN_IO, "cannot read: it is a pipe or a device, not a file");
        sni_error_source(error, path);
    } else if ((*stream = fdopen(file, "rb")) == NULL) {
        status = sni_fail_errno(error, path, "read");
    }
    if (status != SN_OK) {
        close(file);
    }
    return status;
}

sn_status sni_file_read(sn_context *context, const char *path, char **bytes, size_t *size,
                        sn_error *error) {
    SN_ASSERT(path != NULL && bytes != NULL && size != NULL);
    *bytes = NULL;
    *size = 0;
    struct stat info;
    FILE *stream = NULL;
    sn_status status = open_regular(path, &stream, &info, error);
    if (status == SN_OK) {
        size_t expected = info.st_size > 0 ? (size_t)info.st_size : 0;
        status = read_stream(context, stream, path, expected, bytes, size, error);
        fclose(stream);
    }
    return status;
}

const char *sni_path_name(const char *path) {
    SN_ASSERT(path != NULL);
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

const char *sni_path_extension(const char *path) {
    const char *dot = strrchr(sni_path_name(path), '.');
    return dot != NULL ? dot : "";
}

bool sni_path_has_extension(const char *path, const char *extension) {
    return strcasecmp(sni_path_extension(path), extension) == 0;
}

char *sni_path_beside(sn_context *context, const char *base, const char *relative) {
    SN_ASSERT(base != NULL && relative != NULL);
    size_t folder = (size_t)(sni_path_name(base) - base);
    if (relative[0] == '/') {
        folder = 0;
    }
    size_t length = strlen(relative);
    char *path = sni_alloc(context, folder + length + 1, 1);
    if (path != NULL) {
        memcpy(path, base, folder);
        memcpy(path + folder, relative, length + 1);
    }
    return path;
}

// The absolute form of a path without resolving links, "." and ".." removed by name. A path that is
// written through a link to a folder keeps the link's name.
static char *absolute_path(sn_context *context, const char *path) {
    char *here = path[0] == '/' ? NULL : getcwd(NULL, 0);
    size_t here_length = here != NULL ? strlen(here) : 0;
    size_t capacity = here_length + strlen(path) + 3;
    char *joined = sni_alloc(context, capacity, 1);
    char *clean = sni_alloc(context, capacity, 1);
    if (joined == NULL || clean == NULL) {
        free(here);
        sni_free(context, joined);
        sni_free(context, clean);
        return NULL;
    }
    snprintf(joined, capacity, "%s/%s", here != NULL ? here : "", path);
    free(here);
    size_t used = 0;
    for (const char *c = joined; *c != 0;) {
        size_t part = strcspn(c, "/");
        if (part == 2 && c[0] == '.' && c[1] == '.') {
            while (used > 0 && clean[--used] != '/') {
            }
        } else if (part > 0 && !(part == 1 && c[0] == '.')) {
            clean[used++] = '/';
            memcpy(clean + used, c, part);
            used += part;
        }
        c += part + (c[part] == '/');
    }
    clean[used] = 0;
    sni_free(context, joined);
    return clean;
}

char *sni_path_relative(sn_context *context, const char *base, const char *path) {
    SN_ASSERT(base != NULL && path != NULL);
    char *from = absolute_path(context, base);
    char *to = absolute_path(context, path);
    char *relative = NULL;
    if (from == NULL || to == NULL) {
        goto cleanup;
    }
    size_t common = 0; // behind the last slash that both share
    for (size_t i = 0; from[i] != 0 && from[i] == to[i]; ++i) {
        common = from[i] == '/' ? i + 1 : common;
    }
    size_t ups = 0;
    for (const char *c = from + common; *c != 0; ++c) {
        ups += *c == '/';
    }
    relative = sni_alloc(context, ups * 3 + strlen(to + common) + 1, 1);
    if (relative != NULL) {
        for (size_t i = 0; i < ups; ++i) {
            memcpy(relative + 3 * i, "../", 3);
        }
        memcpy(relative + 3 * ups, to + common, strlen(to + common) + 1);
    }
cleanup:
    sni_free(context, from);
    sni_free(context, to);
    return relative;
}
