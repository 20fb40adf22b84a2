// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "edits/flush.h"

#include "common/common.h"
#include "common/file.h"
#include "common/wait.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct flusher {
    int file;
    char *folder;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool written, renamed; // since it went to the disk last
    bool quit;
    int failure; // errno of a time that it did not go
};

// With the lock held, which is let go meanwhile: who writes does not wait.
static bool flush(flusher *self) {
    bool written = self->written, renamed = self->renamed;
    self->written = self->renamed = false;
    pthread_mutex_unlock(&self->lock);
    bool done =
        (!written || fdatasync(self->file) == 0) && (!renamed || app_flush_path(self->folder));
    int reason = errno;
    pthread_mutex_lock(&self->lock);
    if (!done) {
        self->failure = reason;
    }
    return done;
}

static void wait_a_moment(flusher *self) {
    double due = app_clock() + FLUSH_SECONDS;
    while (!self->quit && app_wait_until(&self->wake, &self->lock, due)) {
    }
}

static void *run_flusher(void *user) {
    flusher *self = user;
    pthread_mutex_lock(&self->lock);
    while (!self->quit) {
        if (self->written || self->renamed) {
            flush(self);
            wait_a_moment(self);
        } else {
            pthread_cond_wait(&self->wake, &self->lock);
        }
    }
    pthread_mutex_unlock(&self->lock);
    return NULL;
}

flusher *flusher_create(int file, const char *folder) {
    flusher *self = calloc(1, sizeof *self);
    char *copy = strdup(folder);
    if (!self || !copy) {
        free(self);
        free(copy);
        return NULL;
    }
    self->file = file;
    self->folder = copy;
    pthread_mutex_init(&self->lock, NULL);
    app_condition_init(&self->wake);
    if (pthread_create(&self->thread, NULL, run_flusher, self) != 0) {
        pthread_cond_destroy(&self->wake);
        pthread_mutex_destroy(&self->lock);
        free(copy);
        free(self);
        return NULL;
    }
    return self;
}

void flusher_destroy(flusher *self, bool give_up) {
    if (!self) {
        return;
    }
    pthread_mutex_lock(&self->lock);
    self->quit = true;
    pthread_cond_signal(&self->wake);
    pthread_mutex_unlock(&self->lock);
    pthread_join(self->thread, NULL);
    if (!give_up) {
        flusher_now(self);
    }
    pthread_cond_destroy(&self->wake);
    pthread_mutex_destroy(&self->lock);
    free(self->folder);
    free(self);
}

bool flusher_note(flusher *self, bool renamed) {
    pthread_mutex_lock(&self->lock);
    self->written = true;
    self->renamed = self->renamed || renamed;
    int failure = self->failure;
    self->failure = 0;
    pthread_cond_signal(&self->wake);
    pthread_mutex_unlock(&self->lock);
    errno = failure;
    return failure == 0;
}

// Also where the thread is at it just now: what it began with may be less than what is there.
bool flusher_now(flusher *self) {
    pthread_mutex_lock(&self->lock);
    self->written = true;
    bool done = flush(self);
    int failure = self->failure;
    self->failure = 0;
    pthread_mutex_unlock(&self->lock);
    errno = failure;
    return done && failure == 0;
}
