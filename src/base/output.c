// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // realpath
#include "base/file.h"
#include "base/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(SN_FILE_PATH_BYTES >= PATH_MAX, "realpath() needs room");

static const char writing[] = "write";

static sn_status fail_write(sn_error *error, const char *path, const char *reason) {
    sni_fail(error, SN_IO, "cannot write: %s", reason);
    sni_error_source(error, path);
    return SN_IO;
}

// ---------------------------------------------------------------------------------------------
// Targets

typedef struct target {
    char path[SN_FILE_PATH_BYTES]; // links followed
    bool exists;
    bool is_file;     // or will be; else a device or pipe
    struct stat info; // where it exists
} target;

// The folder's real path and the name in it.
static bool resolve_name(const char *path, char resolved[SN_FILE_PATH_BYTES]) {
    const char *name = sni_path_name(path);
    char folder[SN_FILE_PATH_BYTES];
    size_t length = (size_t)(name - path);
    if (length >= sizeof folder || name[0] == 0) {
        errno = name[0] == 0 ? EISDIR : ENAMETOOLONG;
        return false;
    }
    snprintf(folder, sizeof folder, "%.*s", (int)length, length > 0 ? path : "");
    if (realpath(length > 0 ? folder : ".", resolved) == NULL) {
        return false;
    }
    size_t used = strcmp(resolved, "/") == 0 ? 0 : strlen(resolved);
    bool fits = (size_t)snprintf(resolved + used, SN_FILE_PATH_BYTES - used, "/%s", name) <
                SN_FILE_PATH_BYTES - used;
    errno = fits ? 0 : ENAMETOOLONG;
    return fits;
}

static bool is_link(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

// Also for who may write everything: taking all rights away is how one locks a file.
static bool is_read_only(const char *path, const struct stat *info) {
    return (info->st_mode & 0222) == 0 || access(path, W_OK) != 0;
}

static sn_status find_target(const char *path, target *t, sn_error *error) {
    bool links = is_link(path);
    t->exists = stat(path, &t->info) == 0;
    t->is_file = !t->exists || S_ISREG(t->info.st_mode);
    if (!t->exists && links && errno == ENOENT) {
        return fail_write(error, path, "it is a link to a file that does not exist");
    }
    if (!t->exists && errno != ENOENT) {
        return sni_fail_errno(error, path, writing);
    }
    if (t->exists && S_ISDIR(t->info.st_mode)) {
        errno = EISDIR;
        return sni_fail_errno(error, path, writing);
    }
    if (t->exists && t->is_file && is_read_only(path, &t->info)) {
        return fail_write(error, path, "the file is read only");
    }
    bool found = t->is_file
                     ? (links ? realpath(path, t->path) != NULL : resolve_name(path, t->path))
                     : snprintf(t->path, sizeof t->path, "%s", path) > 0;
    return found ? SN_OK : sni_fail_errno(error, path, writing);
}

sn_status sn_file_check(const char *path, sn_error *error) {
    target t;
    return find_target(path, &t, error);
}

static void folder_of(const char *target_path, char folder[SN_FILE_PATH_BYTES]) {
    const char *name = sni_path_name(target_path);
    int length = (int)(name - target_path);
    snprintf(folder, SN_FILE_PATH_BYTES, "%.*s", length > 1 ? length - 1 : 1, target_path);
}

// ---------------------------------------------------------------------------------------------
// Single files

// Opens the file that will replace the target, with its rights.
static int open_replacement(const sn_file_set *set, const char *path, const target *t,
                            char name[SN_FILE_PATH_BYTES], sn_error *error) {
    char folder[SN_FILE_PATH_BYTES];
    int file = -1;
    if (set != NULL) {
        if (sn_file_set_place(set, path, name, error) != SN_OK) {
            name[0] = 0;
            return -1;
        }
        file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } else {
        folder_of(t->path, folder);
        sni_scratch_clean(folder);
        file = sni_scratch_file(folder, name);
    }
    if (file >= 0 && t->exists && fchmod(file, t->info.st_mode & 0777) != 0) {
        int reason = errno;
        close(file);
        unlink(name);
        errno = reason;
        file = -1;
    }
    if (file < 0) {
        name[0] = 0;
        sni_fail_errno(error, path, writing);
    }
    return file;
}

// A device or pipe is written to as it is: renaming over it would replace it by a file.
static int open_target(const sn_file_set *set, const char *path, const target *t,
                       sni_output *output, sn_error *error) {
    if (t->is_file) {
        return open_replacement(set, path, t, output->temporary, error);
    }
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) {
        sni_fail_errno(error, path, writing);
    }
    return file;
}

sn_status sni_output_open(const sn_file_set *set, const char *path, sni_output *output,
                          sn_error *error) {
    SN_ASSERT(path != NULL && output != NULL);
    target t;
    *output = (sni_output){.in_set = set != NULL, .lock = -1};
    sn_status status = find_target(path, &t, error);
    if (status != SN_OK) {
        return status;
    }
    memcpy(output->path, t.path, sizeof t.path);
    int file = open_target(set, path, &t, output, error);
    if (file < 0) {
        return SN_IO;
    }
    output->lock = output->temporary[0] != 0 && set == NULL ? fcntl(file, F_DUPFD_CLOEXEC, 0) : -1;
    output->stream = fdopen(file, "wb");
    if (output->stream == NULL) {
        status = sni_fail_errno(error, path, writing);
        close(file);
        sni_output_close(output);
    }
    return status;
}

sn_status sni_output_write(sni_output *output, const void *bytes, size_t size, sn_error *error) {
    SN_ASSERT(size == 0 || bytes != NULL);
    if (size > 0 && fwrite(bytes, 1, size, output->stream) != size) {
        return sni_fail_errno(error, output->path, writing);
    }
    return SN_OK;
}

sn_status sni_output_finish(sni_output *output, sn_error *error) {
    sn_status status = SN_OK;
    bool is_file = output->temporary[0] != 0; // devices and pipes cannot be synced
    if (fflush(output->stream) != 0 || (is_file && fsync(fileno(output->stream)) != 0)) {
        status = sni_fail_errno(error, output->path, writing);
    }
    if (fclose(output->stream) != 0 && status == SN_OK) {
        status = sni_fail_errno(error, output->path, writing);
    }
    output->stream = NULL;
    return status;
}

static bool replace(const char *temporary, const char *path) {
    char folder[SN_FILE_PATH_BYTES];
    folder_of(path, folder);
    return rename(temporary, path) == 0 && sni_folder_sync(folder);
}

sn_status sni_output_commit(sni_output *output, sn_error *error) {
    sn_status status = output->stream != NULL ? sni_output_finish(output, error) : SN_OK;
    bool renames = output->temporary[0] != 0 && !output->in_set;
    if (status == SN_OK && renames && !replace(output->temporary, output->path)) {
        status = sni_fail_errno(error, output->path, writing);
    }
    if (status == SN_OK && output->temporary[0] != 0) {
        output->temporary[0] = 0;
        if (output->lock >= 0) {
            close(output->lock);
        }
    }
    sni_output_close(output);
    return status;
}

void sni_output_close(sni_output *output) {
    if (output->stream != NULL) {
        fclose(output->stream);
    }
    if (output->temporary[0] != 0) {
        unlink(output->temporary);
        if (output->lock >= 0) {
            close(output->lock);
        }
    }
    *output = (sni_output){.lock = -1};
}

sn_status sn_file_write(const char *path, const void *bytes, size_t size, sn_error *error) {
    sni_output output = {0};
    sn_status status = SN_OK;
    SN_TRY(sni_output_open(NULL, path, &output, error));
    SN_TRY(sni_output_write(&output, bytes, size, error));
    SN_TRY(sni_output_commit(&output, error));
cleanup:
    sni_output_close(&output);
    return status;
}

sn_status sni_spool_open(const char *path, FILE **spool, sn_error *error) {
    target t;
    char folder[SN_FILE_PATH_BYTES], name[SN_FILE_PATH_BYTES];
    *spool = NULL;
    sn_status status = find_target(path, &t, error);
    if (status != SN_OK) {
        return status;
    }
    folder_of(t.path, folder);
    sni_scratch_clean(folder);
    int file = sni_scratch_file(folder, name);
    if (file >= 0) {
        unlink(name);
        *spool = fdopen(file, "w+b");
    }
    if (*spool == NULL) {
        status = sni_fail_errno(error, path, writing);
        if (file >= 0) {
            close(file);
        }
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Sets

sn_status sn_file_set_begin(sn_file_set *set, const char *path, sn_error *error) {
    SN_ASSERT(set != NULL && path != NULL);
    char named[SN_FILE_PATH_BYTES];
    *set = (sn_file_set){.lock = -1};
    if (!resolve_name(path, named)) {
        return sni_fail_errno(error, path, writing);
    }
    folder_of(named, set->folder);
    sni_scratch_clean(set->folder);
    set->lock = sni_scratch_folder(set->folder, set->scratch);
    return set->lock >= 0 ? SN_OK : sni_fail_errno(error, path, writing);
}

sn_status sn_file_set_place(const sn_file_set *set, const char *path,
                            char place[SN_FILE_PATH_BYTES], sn_error *error) {
    target t;
    char folder[SN_FILE_PATH_BYTES];
    sn_status status = find_target(path, &t, error);
    if (status != SN_OK) {
        return status;
    }
    folder_of(t.path, folder);
    if (!t.is_file || strcmp(folder, set->folder) != 0) {
        return fail_write(error, path, "files that belong together must lie in one folder");
    }
    if (snprintf(place, SN_FILE_PATH_BYTES, "%s/%s", set->scratch, sni_path_name(t.path)) >=
        SN_FILE_PATH_BYTES) {
        errno = ENAMETOOLONG;
        return sni_fail_errno(error, path, writing);
    }
    return SN_OK;
}

// What a look at all new files before they get their names finds.
typedef struct survey {
    const sn_file_set *set;
    bool replace;
    uint32_t count;
    char only[SN_FILE_PATH_BYTES]; // the last one
    sn_status status;
    sn_error *error;
} survey;

static bool look_at(const char *path, void *user) {
    survey *s = user;
    target t;
    char named[SN_FILE_PATH_BYTES + 256];
    snprintf(named, sizeof named, "%s/%s", s->set->folder, sni_path_name(path));
    s->status = find_target(named, &t, s->error);
    if (s->status == SN_OK && t.exists && !s->replace) {
        s->status = sni_fail(s->error, SN_INVALID, "already exists");
        sni_error_source(s->error, named);
    }
    s->count++;
    snprintf(s->only, sizeof s->only, "%s", path);
    return s->status == SN_OK;
}

static void forget(sn_file_set *set) {
    close(set->lock);
    *set = (sn_file_set){.lock = -1};
}

// What cannot be published after it was called complete stays for the next process.
static bool publish_many(sn_file_set *set) {
    if (!sni_scratch_complete(set->scratch)) {
        return false;
    }
    bool done = sni_folder_sync(set->folder) && sni_scratch_publish(set->folder, set->scratch);
    int reason = errno;
    forget(set);
    errno = reason;
    return done;
}

// One file needs no moment without the older one.
static bool publish(sn_file_set *set, const survey *s) {
    if (s->count > 1) {
        return publish_many(set);
    }
    char path[SN_FILE_PATH_BYTES + 256];
    snprintf(path, sizeof path, "%s/%s", set->folder, sni_path_name(s->only));
    return s->count == 0 || replace(s->only, path);
}

sn_status sn_file_set_commit(sn_file_set *set, bool replace, sn_error *error) {
    SN_ASSERT(set->scratch[0] != 0);
    char folder[SN_FILE_PATH_BYTES];
    memcpy(folder, set->folder, sizeof folder);
    survey s = {.set = set, .replace = replace, .error = error};
    bool read = sni_folder_visit(set->scratch, look_at, &s);
    sn_status status = s.status;
    if (status == SN_OK && (!read || !sni_folder_sync(set->scratch) || !publish(set, &s))) {
        status = sni_fail_errno(error, folder, writing);
    }
    sn_file_set_cancel(set);
    return status;
}

void sn_file_set_cancel(sn_file_set *set) {
    if (set->scratch[0] != 0) {
        sni_scratch_remove(set->scratch);
        forget(set);
    }
}
