// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "common/file.h"

#include "common/common.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sn_status fail_errno(sn_error *error, const char *path, const char *what) {
    return app_fail(error, SN_IO, path, "%s: %s", what, strerror(errno));
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
