// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // flock
#include "base/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ATTEMPT_LIMIT = 1000 }; // names that are tried

static const char complete_ending[] = ".done";

static bool next_name(const char *folder, char name[SN_FILE_PATH_BYTES]) {
    static atomic_uint last;
    int length = snprintf(name, SN_FILE_PATH_BYTES, "%s/.sinew-%ld-%u.tmp", folder, (long)getpid(),
                          atomic_fetch_add(&last, 1) + 1);
    errno = length < SN_FILE_PATH_BYTES ? 0 : ENAMETOOLONG;
    return length < SN_FILE_PATH_BYTES;
}

// Locks what was just made. Another process may have taken it for one of the dead before: then it
// is removed by that one, and another name has to be tried. Where a file system knows no locks,
// nobody can have one there, and nothing is ever removed.
static bool lock_new(int file, const char *name) {
    struct stat mine, there;
    if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return false;
    }
    return fstat(file, &mine) == 0 && lstat(name, &there) == 0 && mine.st_ino == there.st_ino;
}

static int open_new(const char *name, bool is_folder) {
    if (!is_folder) {
        return open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    if (mkdir(name, 0777) != 0) {
        return -1;
    }
    int folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0 && errno == ENOENT) {
        errno = EEXIST; // another process took it for one of the dead: the next name will do
    }
    return folder;
}

static int make(const char *folder, bool is_folder, char name[SN_FILE_PATH_BYTES]) {
    for (unsigned i = 0; i < ATTEMPT_LIMIT && next_name(folder, name); ++i) {
        int file = open_new(name, is_folder);
        if (file >= 0 && lock_new(file, name)) {
            return file;
        }
        if (file >= 0) {
            close(file);
        } else if (errno != EEXIST) {
            break;
        }
    }
    name[0] = 0;
    return -1;
}

int sni_scratch_file(const char *folder, char name[SN_FILE_PATH_BYTES]) {
    return make(folder, false, name);
}

int sni_scratch_folder(const char *folder, char name[SN_FILE_PATH_BYTES]) {
    return make(folder, true, name);
}

bool sni_folder_sync(const char *folder) {
    int file = open(folder, O_RDONLY | O_CLOEXEC);
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

bool sni_folder_visit(const char *folder, sni_entry_fn *fn, void *user) {
    DIR *stream = opendir(folder);
    bool going = stream != NULL;
    while (going) {
        const struct dirent *entry = readdir(stream);
        char path[SN_FILE_PATH_BYTES + 256];
        if (entry == NULL) {
            break;
        }
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            going = fn(path, user);
        }
    }
    int reason = errno;
    if (stream != NULL) {
        closedir(stream);
    }
    errno = reason;
    return going;
}

// ---------------------------------------------------------------------------------------------
// Removing. A set within a set lies one folder deeper.

static bool remove_file(const char *path, void *user) {
    (void)user;
    remove(path);
    return true;
}

static bool remove_entry(const char *path, void *user) {
    if (remove(path) != 0) {
        sni_folder_visit(path, remove_file, NULL);
        remove(path);
    }
    (void)user;
    return true;
}

void sni_scratch_remove(const char *name) {
    if (remove(name) != 0) {
        sni_folder_visit(name, remove_entry, NULL);
        rmdir(name);
    }
}

// ---------------------------------------------------------------------------------------------
// Publishing

bool sni_scratch_complete(char name[SN_FILE_PATH_BYTES]) {
    char complete[SN_FILE_PATH_BYTES + sizeof complete_ending];
    size_t stem = strlen(name) - strlen(".tmp");
    snprintf(complete, sizeof complete, "%.*s%s", (int)stem, name, complete_ending);
    if (strlen(complete) >= SN_FILE_PATH_BYTES || rename(name, complete) != 0) {
        return false;
    }
    memcpy(name, complete, strlen(complete) + 1);
    return true;
}

static void target_of(const char *folder, const char *path, char *target, size_t size) {
    snprintf(target, size, "%s%s", folder, strrchr(path, '/'));
}

static bool remove_older(const char *path, void *user) {
    char target[SN_FILE_PATH_BYTES + 256];
    target_of(user, path, target, sizeof target);
    return unlink(target) == 0 || errno == ENOENT;
}

static bool give_name(const char *path, void *user) {
    char target[SN_FILE_PATH_BYTES + 256];
    target_of(user, path, target, sizeof target);
    return rename(path, target) == 0;
}

// No older file is left when the first new one gets its name; the sync between keeps that order
// when the machine loses its power.
bool sni_scratch_publish(const char *folder, const char *name) {
    return sni_folder_visit(name, remove_older, (void *)folder) && sni_folder_sync(folder) &&
           sni_folder_visit(name, give_name, (void *)folder) && sni_folder_sync(folder) &&
           rmdir(name) == 0;
}

// ---------------------------------------------------------------------------------------------
// Cleaning

static bool is_scratch(const char *path, bool *complete) {
    unsigned long process = 0, number = 0;
    int end = 0;
    const char *name = strrchr(path, '/') + 1;
    if (sscanf(name, ".sinew-%lu-%lu%n", &process, &number, &end) != 2) {
        return false;
    }
    *complete = strcmp(name + end, complete_ending) == 0;
    return *complete || strcmp(name + end, ".tmp") == 0;
}

// Opens what nobody holds any more, -1 for all else. What other users left is theirs to clean: in a
// folder that all may write to, what they call complete must not replace files of this user.
static int open_dead(const char *path) {
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat info;
    if (file >= 0 && (fstat(file, &info) != 0 || info.st_uid != geteuid() ||
                      flock(file, LOCK_EX | LOCK_NB) != 0)) {
        close(file);
        file = -1;
    }
    return file;
}

static bool clean_entry(const char *path, void *user) {
    bool complete = false;
    int file = is_scratch(path, &complete) ? open_dead(path) : -1;
    if (file >= 0) {
        if (complete) {
            sni_scratch_publish(user, path);
        } else {
            sni_scratch_remove(path);
        }
        close(file);
    }
    return true;
}

void sni_scratch_clean(const char *folder) {
    sni_folder_visit(folder, clean_entry, (void *)folder);
}
