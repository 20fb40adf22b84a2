// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // realpath, flock, clocks
#include "edits/journal.h"

#include "common/common.h"
#include "common/file.h"
#include "edits/flush.h"
#include "wire/failure.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_ROOM 4096
#define JOURNAL_LIMIT 64 // of one identity, open at the same time

struct journal {
    int file;
    flusher *flusher;
    char path[PATH_ROOM];
    char folder[PATH_ROOM];
    char *content;
    size_t size;
};

static sn_status fail_io(sn_error *error, const char *path, const char *what) {
    sn_status status =
        desk_fail(error, SN_IO, "", "%s: %s", what, errno != 0 ? strerror(errno) : "failed");
    if (error && error->source[0] == '\0') {
        snprintf(error->source, sizeof error->source, "%s", path);
    }
    return status;
}

// FNV-1a: tells texts from each other, keeps nobody out.
uint64_t journal_hash(const void *bytes, size_t size) {
    const uint8_t *at = bytes;
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ at[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

// ---------------------------------------------------------------------------------------------
// Files

static sn_status read_all(int file, const char *path, char **bytes, size_t *size, sn_error *error) {
    struct stat info;
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
        return fail_io(error, path, "it is not a regular file");
    }
    return app_read_all(file, path, bytes, size, error);
}

sn_status journal_read_file(const char *path, char **bytes, size_t *size, sn_error *error) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return fail_io(error, path, "it cannot be opened");
    }
    sn_status status = read_all(file, path, bytes, size, error);
    close(file);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Opening

static bool name_journal(const char *folder, const char *identity, uint32_t number, char *path) {
    uint64_t hash = journal_hash(identity, strlen(identity));
    char suffix[16] = "";
    if (number > 0) {
        snprintf(suffix, sizeof suffix, "-%u", number);
    }
    return snprintf(path, PATH_ROOM, "%s/%016" PRIx64 "%s.jsonl", folder, hash, suffix) < PATH_ROOM;
}

// Opens and locks a file; -1 with errno EWOULDBLOCK where someone else has it. Between opening and
// locking the other one may have removed or moved it: then it is another file now.
static int open_locked(const char *path) {
    for (;;) {
        int file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        struct stat mine, there;
        if (file < 0) {
            return -1;
        }
        if (flock(file, LOCK_EX | LOCK_NB) != 0) {
            int reason = errno;
            close(file);
            errno = reason;
            return -1;
        }
        if (fstat(file, &mine) == 0 && stat(path, &there) == 0 && mine.st_ino == there.st_ino) {
            return file;
        }
        close(file);
    }
}

// Takes a journal of this number where nobody has it.
static bool try_journal(journal *journal, const char *identity, uint32_t number) {
    if (!name_journal(journal->folder, identity, number, journal->path)) {
        errno = ENAMETOOLONG;
        return false;
    }
    journal->file = open_locked(journal->path);
    return journal->file >= 0;
}

// Lines that a crash left.
typedef struct left_lines {
    uint32_t number;
    struct timespec when;
} left_lines;

static int newest_first(const void *a, const void *b) {
    const left_lines *one = a, *other = b;
    if (one->when.tv_sec != other->when.tv_sec) {
        return one->when.tv_sec > other->when.tv_sec ? -1 : 1;
    }
    if (one->when.tv_nsec != other->when.tv_nsec) {
        return one->when.tv_nsec > other->when.tv_nsec ? -1 : 1;
    }
    return one->number < other->number ? -1 : one->number > other->number;
}

static uint32_t find_left(const journal *journal, const char *identity,
                          left_lines left[JOURNAL_LIMIT]) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < JOURNAL_LIMIT; ++i) {
        char path[PATH_ROOM];
        struct stat info;
        if (name_journal(journal->folder, identity, i, path) && stat(path, &info) == 0 &&
            info.st_size > 0) {
            left[count++] = (left_lines){i, info.st_mtim};
        }
    }
    qsort(left, count, sizeof *left, newest_first);
    return count;
}

// First those in which lines were left, the newest before the others.
static sn_status open_free_one(journal *journal, const char *identity, sn_error *error) {
    left_lines left[JOURNAL_LIMIT];
    uint32_t count = find_left(journal, identity, left);
    for (uint32_t i = 0; i < count + JOURNAL_LIMIT; ++i) {
        if (try_journal(journal, identity, i < count ? left[i].number : i - count)) {
            return SN_OK;
        }
        if (errno != EWOULDBLOCK) {
            return fail_io(error, journal->path, "the journal cannot be opened");
        }
    }
    return desk_fail(error, SN_LIMIT, "", "the document is open too many times");
}

// One of its own, however many were left: this process alone makes names with its own number.
static sn_status open_fresh_one(journal *journal, const char *identity, sn_error *error) {
    uint64_t hash = journal_hash(identity, strlen(identity));
    uint32_t number = 0;
    do {
        if (snprintf(journal->path, sizeof journal->path, "%s/%016" PRIx64 "-%ld-%u.jsonl",
                     journal->folder, hash, (long)getpid(), ++number) >= PATH_ROOM) {
            return desk_fail(error, SN_LIMIT, "", "the path of the state folder is too long");
        }
    } while (access(journal->path, F_OK) == 0);
    journal->file = open_locked(journal->path);
    return journal->file >= 0 ? SN_OK
                              : fail_io(error, journal->path, "the journal cannot be opened");
}

// Cuts off a line that a crash left half written.
static sn_status cut_to_lines(journal *journal, sn_error *error) {
    size_t size = journal->size;
    while (size > 0 && journal->content[size - 1] != '\n') {
        --size;
    }
    if (size < journal->size && ftruncate(journal->file, (off_t)size) != 0) {
        return fail_io(error, journal->path, "the journal cannot be written");
    }
    journal->size = size;
    journal->content[size] = '\0';
    return SN_OK;
}

static journal *create(const char *folder) {
    journal *self = calloc(1, sizeof *self);
    if (self) {
        self->file = -1;
        snprintf(self->folder, sizeof self->folder, "%s/journal", folder);
    }
    return self;
}

// What was left is read, and what is written goes to the disk from now on.
static sn_status begin(journal *self, sn_status opened, journal **result, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(opened);
    SN_TRY(read_all(self->file, self->path, &self->content, &self->size, error));
    SN_TRY(cut_to_lines(self, error));
    self->flusher = flusher_create(self->file, self->folder);
    if (!self->flusher) {
        SN_TRY(desk_fail(error, SN_LIMIT, "", "no thread can be started"));
    }
    if (self->size == 0) {
        flusher_note(self->flusher, true);
    }
    *result = self;
    return SN_OK;
cleanup:
    journal_close(self, false);
    return status;
}

sn_status journal_open(const char *folder, const char *identity, bool fresh, journal **result,
                       sn_error *error) {
    journal *self = create(folder);
    if (!self) {
        return app_fail_memory(error);
    }
    sn_status status = SN_OK;
    SN_TRY(app_make_private_folder(self->folder, error));
    SN_TRY(fresh ? open_fresh_one(self, identity, error) : open_free_one(self, identity, error));
cleanup:
    return begin(self, status, result, error);
}

// The file that is there, and that nobody has open.
static sn_status take_file(journal *journal, const char *name, sn_error *error) {
    snprintf(journal->path, sizeof journal->path, "%s/%s", journal->folder, name);
    if (strchr(name, '/') || access(journal->path, F_OK) != 0) {
        return desk_fail(error, SN_INVALID, "journal", "there is no journal \"%.200s\"", name);
    }
    journal->file = open_locked(journal->path);
    if (journal->file < 0 && errno == EWOULDBLOCK) {
        return desk_fail(error, SN_INVALID, "journal", "the document is open already");
    }
    return journal->file >= 0 ? SN_OK
                              : fail_io(error, journal->path, "the journal cannot be opened");
}

sn_status journal_open_file(const char *folder, const char *name, journal **result,
                            sn_error *error) {
    journal *self = create(folder);
    if (!self) {
        return app_fail_memory(error);
    }
    return begin(self, take_file(self, name, error), result, error);
}

void journal_close(journal *journal, bool discard) {
    if (!journal) {
        return;
    }
    flusher_destroy(journal->flusher, discard);
    if (discard && journal->file >= 0) {
        unlink(journal->path);
    }
    if (journal->file >= 0) {
        close(journal->file);
    }
    free(journal->content);
    free(journal);
}

// ---------------------------------------------------------------------------------------------
// Lines

const char *journal_content(const journal *journal, size_t *size) {
    *size = journal->size;
    return journal->size > 0 ? journal->content : NULL;
}

void journal_forget_content(journal *journal) {
    free(journal->content);
    journal->content = NULL;
    journal->size = 0;
}

// A line that could not be written whole is taken back, so that the next one stands on its own; so
// is one after which the disk tells that it did not take those before.
sn_status journal_append(journal *journal, const char *line, size_t size, sn_error *error) {
    struct stat before;
    if (fstat(journal->file, &before) != 0) {
        return fail_io(error, journal->path, "the journal cannot be written");
    }
    sn_status status = SN_OK;
    if (!app_write_all(journal->file, line, size) || !flusher_note(journal->flusher, false)) {
        status = fail_io(error, journal->path, "the journal cannot be written");
    }
    if (status != SN_OK && ftruncate(journal->file, before.st_size) != 0) {
        errno = 0;
    }
    return status;
}

bool journal_tell(const journal *journal, size_t *size) {
    struct stat info;
    bool known = fstat(journal->file, &info) == 0;
    *size = known ? (size_t)info.st_size : 0;
    return known;
}

void journal_cut(journal *journal, size_t size) {
    if (ftruncate(journal->file, (off_t)size) == 0) {
        flusher_note(journal->flusher, false);
    }
}

sn_status journal_flush(journal *journal, sn_error *error) {
    return flusher_now(journal->flusher)
               ? SN_OK
               : fail_io(error, journal->path, "the journal cannot be written");
}

sn_status journal_restart(journal *journal, sn_error *error) {
    return ftruncate(journal->file, 0) == 0
               ? SN_OK
               : fail_io(error, journal->path, "the journal cannot be written");
}

sn_status journal_keep_copy(const journal *journal, char *kept, size_t kept_size, sn_error *error) {
    uint64_t hash = journal_hash(journal->content, journal->size);
    snprintf(kept, kept_size, "%s/kept-%016" PRIx64 ".jsonl", journal->folder, hash);
    // One that is there has the same lines, and maybe more by now: someone has opened it.
    return access(kept, F_OK) == 0 ? SN_OK
                                   : sn_file_write(kept, journal->content, journal->size, error);
}

// Gives a journal that is in the way a name that no other one has: this process alone makes names
// with its own number.
static bool keep_journal(const journal *journal, const char *path, const char *identity) {
    char kept[PATH_ROOM];
    uint32_t number = 0;
    do {
        snprintf(kept, sizeof kept, "%s/kept-%016" PRIx64 "-%ld-%u.jsonl", journal->folder,
                 journal_hash(identity, strlen(identity)), (long)getpid(), ++number);
    } while (access(kept, F_OK) == 0);
    return rename(path, kept) == 0;
}

// Finds a name for the journal of an identity. What a crash left there is kept under another name.
static sn_status find_name(const journal *journal, const char *identity, char *path,
                           sn_error *error) {
    for (uint32_t number = 0; number < JOURNAL_LIMIT; ++number) {
        if (!name_journal(journal->folder, identity, number, path)) {
            return desk_fail(error, SN_LIMIT, "", "the path of the state folder is too long");
        }
        if (strcmp(path, journal->path) == 0 || access(path, F_OK) != 0) {
            return SN_OK;
        }
        int file = open_locked(path);
        if (file < 0) {
            continue;
        }
        bool moved = keep_journal(journal, path, identity);
        close(file);
        return moved ? SN_OK : fail_io(error, path, "the journal cannot be moved");
    }
    return desk_fail(error, SN_LIMIT, "", "the document is open too many times");
}

sn_status journal_move(journal *journal, const char *identity, sn_error *error) {
    char path[PATH_ROOM];
    sn_status status = find_name(journal, identity, path, error);
    if (status != SN_OK || strcmp(path, journal->path) == 0) {
        return status;
    }
    if (rename(journal->path, path) != 0) {
        return fail_io(error, path, "the journal cannot be moved");
    }
    memcpy(journal->path, path, sizeof path);
    flusher_note(journal->flusher, true);
    return journal_flush(journal, error);
}
