// SPDX-License-Identifier: Apache-2.0
//
// The desk's thread: takes messages in the order in which they came and runs them, one at a time.
#define _GNU_SOURCE
#include "desk/desk_internal.h"

#include "common/wait.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// What one page may have waiting: two of the largest texts, or an upload's pieces of up to 1 MiB.
#define WAITING_TEXTS_LIMIT 1000
#define WAITING_BYTES_LIMIT ((size_t)64 << 20)
// Between two ticks of the topics.
#define TICK_SECONDS 0.5

sn_context *desk_context(const desk *desk) {
    return desk->context;
}

struct desk_slot **desk_slots_of(desk *desk) {
    return &desk->slots;
}

struct desk_player **desk_player_of(desk *desk) {
    return &desk->player;
}

struct desk_builder **desk_builder_of(desk *desk) {
    return &desk->builder;
}

struct desk_jobs **desk_jobs_of(desk *desk) {
    return &desk->jobs;
}

struct desk_files **desk_files_of(desk *desk) {
    return &desk->files;
}

struct desk_tools **desk_tools_of(desk *desk) {
    return &desk->tools;
}

const char *desk_state_folder(const desk *desk) {
    return desk->state_folder;
}

bool desk_add_session(const desk *desk, sn_json *json, sn_value *welcome) {
    return sn_json_add_string(json, welcome, "session", desk->session) != NULL &&
           (!desk->command || sn_json_add_string(json, welcome, "command", desk->command) != NULL);
}

// ---------------------------------------------------------------------------------------------
// Messages

static desk_message *create_message(desk_message_kind kind, uint32_t page, const void *bytes,
                                    size_t size) {
    desk_message *message = malloc(sizeof *message + size + 1);
    if (message) {
        *message = (desk_message){.kind = kind, .page = page, .size = size};
        if (size > 0) {
            memcpy(message->bytes, bytes, size);
        }
        message->bytes[size] = '\0';
    }
    return message;
}

// With the lock held.
static void push_message(desk *desk, desk_message *message) {
    message->next = NULL;
    *desk->end = message;
    desk->end = &message->next;
    pthread_cond_signal(&desk->more);
}

static bool receive(desk *desk, desk_message_kind kind, uint32_t number, const void *bytes,
                    size_t size) {
    desk_message *message = create_message(kind, number, bytes, size);
    pthread_mutex_lock(&desk->lock);
    desk_page *page = desk_find_page(desk, number);
    bool fits = message && page && !page->lost && !desk->quit &&
                page->waiting_texts < WAITING_TEXTS_LIMIT && size <= WAITING_BYTES_LIMIT &&
                page->waiting_bytes <= WAITING_BYTES_LIMIT - size;
    if (fits) {
        page->waiting_texts += 1;
        page->waiting_bytes += size;
        push_message(desk, message);
    }
    pthread_mutex_unlock(&desk->lock);
    if (!fits) {
        free(message);
    }
    return fits;
}

bool desk_receive(desk *desk, uint32_t page, const char *text, size_t size) {
    return receive(desk, DESK_TEXT, page, text, size);
}

bool desk_receive_bytes(desk *desk, uint32_t page, const void *bytes, size_t size) {
    return receive(desk, DESK_BYTES, page, bytes, size);
}

void desk_leave(desk *desk, uint32_t page) {
    desk_forget_page(desk, page);
    desk_message *message = create_message(DESK_LEAVE, page, NULL, 0);
    if (message) {
        pthread_mutex_lock(&desk->lock);
        push_message(desk, message);
        pthread_mutex_unlock(&desk->lock);
    }
}

bool desk_post(desk *desk, desk_post_fn *fn, void *user) {
    desk_message *message = create_message(DESK_POST, 0, NULL, 0);
    if (!message) {
        return false;
    }
    message->fn = fn;
    message->user = user;
    pthread_mutex_lock(&desk->lock);
    bool open = !desk->quit;
    if (open) {
        push_message(desk, message);
    }
    pthread_mutex_unlock(&desk->lock);
    if (!open) {
        free(message);
    }
    return open;
}

bool desk_is_closing(desk *desk) {
    pthread_mutex_lock(&desk->lock);
    bool closing = desk->quit;
    pthread_mutex_unlock(&desk->lock);
    return closing;
}

// With the lock held. Until the clock says `due`, a message comes, or the desk closes.
static void wait_for_message(desk *desk, double due) {
    while (!desk->first && !desk->quit && app_wait_until(&desk->more, &desk->lock, due)) {
    }
}

// NULL: nothing waits, until `due`.
static desk_message *next_message(desk *desk, double due) {
    pthread_mutex_lock(&desk->lock);
    wait_for_message(desk, due);
    desk_message *message = desk->first;
    if (message) {
        desk->first = message->next;
        if (!desk->first) {
            desk->end = &desk->first;
        }
        desk_page *page = desk_find_page(desk, message->page);
        if (page && message->kind <= DESK_BYTES) {
            page->waiting_texts -= 1;
            page->waiting_bytes -= message->size;
        }
    }
    pthread_mutex_unlock(&desk->lock);
    return message;
}

static void run_message(desk *desk, const desk_message *message) {
    switch (message->kind) {
    case DESK_TEXT: desk_dispatch(desk, message->page, message->bytes, message->size); break;
    case DESK_BYTES: desk_dispatch_bytes(desk, message->page, message->bytes, message->size); break;
    case DESK_LEAVE: desk_dispatch_leave(desk, message->page); break;
    case DESK_POST: message->fn(desk, message->user); break;
    }
}

static void *run_desk(void *user) {
    desk *self = user;
    for (double due = app_clock() + TICK_SECONDS;;) {
        desk_message *message = next_message(self, due);
        if (message) {
            run_message(self, message);
            free(message);
        } else if (desk_is_closing(self)) {
            return NULL;
        }
        if (app_clock() >= due) {
            desk_topics_tick(self);
            due = app_clock() + TICK_SECONDS;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// From beginning to end

static sn_status start_thread(desk *desk, sn_error *error) {
    if (pthread_create(&desk->thread, NULL, run_desk, desk) != 0) {
        return desk_fail(error, SN_LIMIT, "", "no thread can be started");
    }
    desk->has_thread = true;
    return SN_OK;
}

sn_status desk_create(const desk_desc *desc, desk **result, sn_error *error) {
    if (!desc->state_folder) {
        return desk_fail(error, SN_INVALID, "state_folder",
                         "the desk needs a folder for its state");
    }
    desk *self = calloc(1, sizeof *self);
    if (!self) {
        return app_fail_memory(error);
    }
    pthread_mutex_init(&self->lock, NULL);
    app_condition_init(&self->more);
    self->end = &self->first;
    self->wake = desc->wake;
    self->wake_user = desc->user;
    self->state_folder = desk_copy_string(desc->state_folder);
    self->command = desk_copy_string(desc->command);
    snprintf(self->session, sizeof self->session, "%ld-%ld", (long)getpid(), (long)time(NULL));
    desk_pages_init(self);
    sn_context_desc context = sn_context_desc_default();
    context.thread_count = desc->threads;
    context.allocator.byte_limit = desc->memory;
    sn_status status = SN_OK;
    SN_TRY(sn_context_create(&context, &self->context, error));
    SN_TRY(desc->reads_apart ? app_read_apart(self->context, desc->memory, error) : SN_OK);
    SN_TRY(desk_topics_create(self, desc, error));
    SN_TRY(start_thread(self, error));
    *result = self;
    return SN_OK;
cleanup:
    desk_destroy(self);
    return status;
}

// Work that was asked for is still done, but nothing new comes in.
static void stop_thread(desk *desk) {
    pthread_mutex_lock(&desk->lock);
    desk->quit = true;
    pthread_cond_broadcast(&desk->more);
    pthread_mutex_unlock(&desk->lock);
    if (desk->has_thread) {
        pthread_join(desk->thread, NULL);
    }
}

void desk_destroy(desk *desk) {
    if (!desk) {
        return;
    }
    if (desk->has_thread) {
        desk_topics_stop(desk);
    }
    stop_thread(desk);
    desk_topics_destroy(desk);
    desk_pages_deinit(desk);
    sn_context_destroy(desk->context);
    pthread_cond_destroy(&desk->more);
    pthread_mutex_destroy(&desk->lock);
    free(desk->state_folder);
    free(desk->command);
    free(desk);
}

static void open_first(desk *desk, void *user) {
    desk_dispatch(desk, 0, user, strlen(user));
    free(user);
}

// The request that opens a path: documents are opened, all else is imported.
static char *write_opening(sn_context *context, uint32_t slot, const char *path) {
    static const char ending[] = ".json";
    size_t size = strlen(path);
    bool document = size >= sizeof ending && strcmp(path + size + 1 - sizeof ending, ending) == 0;
    sn_json *json = NULL;
    char *text = NULL, *copy = NULL;
    if (sn_json_create(context, &json, NULL) == SN_OK) {
        sn_json_add_string(json, sn_json_root(json), "do", document ? "open" : "import");
        sn_json_add_number(json, sn_json_root(json), "slot", slot);
        sn_json_add_string(json, sn_json_root(json), "path", path);
        if (sn_json_write(json, &text, &size, NULL) == SN_OK) {
            copy = desk_copy_string(text);
            sn_json_free_text(context, text);
        }
        sn_json_destroy(json);
    }
    return copy;
}

void desk_open_first(desk *desk, uint32_t slot, const char *path) {
    // From where the program was started, not from the first root.
    char *whole = realpath(path, NULL);
    char *request = write_opening(desk->context, slot, whole ? whole : path);
    free(whole);
    if (request && !desk_post(desk, open_first, request)) {
        free(request);
    }
}
