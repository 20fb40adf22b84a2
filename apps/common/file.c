// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "common/file.h"

#include "common/common.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static sn_status fail_errno(sn_error *error, const char *path, const char *what) {
    return app_fail(error, SN_IO, path, "%s: %s", what, strerror(errno));
}

static const char not_written[] = "it cannot be written";

bool app_is_read_only(const char *path) {
    struct stat entry;
    // Also for who may write everything: taking all rights away is how one locks a file.
    return stat(path, &entry) == 0 && ((entry.st_mode & 0222) == 0 || access(path, W_OK) != 0);
}

sn_status app_fail_read_only(const char *path, sn_error *error) {
    return app_fail(error, SN_IO, path, "is read only: choose another file");
}

bool app_flush_path(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    // Some file systems know no fsync of folders: there is nothing more that could be done.
    bool done = fsync(file) == 0 || errno == EINVAL;
    int reason = errno;
    close(file);
    errno = reason;
    return done;
}

static bool flush_folder_of(const char *path) {
    char folder[APP_PATH_BYTES];
    return app_folder_of(path, folder) && app_flush_path(folder);
}

bool app_write_all(int file, const void *bytes, size_t size) {
    for (size_t count = 0; count < size;) {
        ssize_t put = write(file, (const char *)bytes + count, size - count);
        if (put < 0 && errno != EINTR) {
            return false;
        }
        count += put > 0 ? (size_t)put : 0;
    }
    return true;
}

sn_status app_read_all(int file, const char *path, char **bytes, size_t *size, sn_error *error) {
    size_t capacity = 1 << 16, used = 0;
    char *buffer = malloc(capacity);
    for (ssize_t got = 1; buffer != NULL && got != 0;) {
        got = read(file, buffer + used, capacity - used - 1);
        if (got < 0 && errno != EINTR) {
            free(buffer);
            return fail_errno(error, path, "it cannot be read");
        }
        used += got > 0 ? (size_t)got : 0;
        if (used == capacity - 1) {
            char *larger = realloc(buffer, capacity *= 2);
            if (larger == NULL) {
                free(buffer);
            }
            buffer = larger;
        }
    }
    if (buffer == NULL) {
        return app_fail_memory(error);
    }
    buffer[used] = 0;
    *bytes = buffer;
    *size = used;
    return SN_OK;
}

// A new file beside `path` that nobody else has, with the rights of the one that it will replace.
static int open_scratch(const char *path, char scratch[APP_PATH_BYTES]) {
    struct stat old;
    bool replaces = stat(path, &old) == 0;
    for (unsigned i = 0; i < 1000; ++i) {
        if (snprintf(scratch, APP_PATH_BYTES, "%s.%ld-%u.part", path, (long)getpid(), i) >=
            APP_PATH_BYTES) {
            errno = ENAMETOOLONG;
            break;
        }
        int file = open(scratch, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 && replaces && fchmod(file, old.st_mode & 0777) != 0) {
            int reason = errno;
            close(file);
            unlink(scratch);
            errno = reason;
            break;
        }
        if (file >= 0 || errno != EEXIST) {
            return file;
        }
    }
    return -1;
}

sn_status app_write_file(const char *path, const void *bytes, size_t size, sn_error *error) {
    char scratch[APP_PATH_BYTES];
    if (app_is_read_only(path)) {
        return app_fail_read_only(path, error);
    }
    int file = open_scratch(path, scratch);
    if (file < 0) {
        return fail_errno(error, path, not_written);
    }
    bool done = app_write_all(file, bytes, size) && fsync(file) == 0;
    int reason = errno;
    done = close(file) == 0 && done;
    errno = done ? 0 : reason;
    if (!done || rename(scratch, path) != 0 || !flush_folder_of(path)) {
        sn_status status = fail_errno(error, path, not_written);
        unlink(scratch);
        return status;
    }
    return SN_OK;
}
