// SPDX-License-Identifier: Apache-2.0
//
// The desk itself, for the files that make it up; topics need service.h alone.
#ifndef SINEW_STUDIO_DESK_INTERNAL_H
#define SINEW_STUDIO_DESK_INTERNAL_H

#include "common/common.h"
#include "desk/service.h"

#include <pthread.h>

// Notices that are kept for the next page while there is none: the newest of them.
#define KEPT_NOTICES 16

// What a page has to be told, in order.
typedef struct desk_letter {
    wire_packet *packet;
    char *replaces; // NULL: nothing
    struct desk_letter *next;
} desk_letter;

typedef struct desk_page {
    uint32_t number; // 0: nobody
    bool greeted;    // said hello: gets events
    bool lost;       // too much waited
    uint32_t waiting_texts;
    size_t waiting_bytes; // of texts and binary messages that it sent
    desk_letter *first, **end;
    uint32_t letter_count;
    size_t letter_bytes;
} desk_page;

// What waits for the desk thread.
typedef enum desk_message_kind {
    DESK_TEXT = 0,
    DESK_BYTES = 1,
    DESK_LEAVE = 2,
    DESK_POST = 3,
} desk_message_kind;

typedef struct desk_message {
    struct desk_message *next;
    desk_message_kind kind;
    uint32_t page;
    desk_post_fn *fn;
    void *user;
    size_t size;
    char bytes[];
} desk_message;

struct desk {
    sn_context *context;
    char *state_folder;
    char *command;    // that starts the studio again; NULL: unknown
    char session[32]; // tells this desk from one before and after it
    void (*wake)(void *user);
    void *wake_user;

    pthread_mutex_t lock; // guards pages and messages
    pthread_cond_t more;
    desk_page pages[DESK_PAGE_LIMIT];
    uint32_t last_page;
    char *kept_notices[KEPT_NOTICES]; // events that no page was there for
    uint32_t kept_count;
    desk_message *first, **end;
    bool quit;

    pthread_t thread;
    bool has_thread;

    // Of the topics.
    struct desk_slot *slots;
    struct desk_player *player;
    struct desk_builder *builder;
    struct desk_jobs *jobs;
    struct desk_files *files;
    struct desk_tools *tools;
    uint32_t topics_created;
};

void desk_pages_init(desk *desk);
void desk_pages_deinit(desk *desk);
// With the lock held; NULL where there is none of this number.
desk_page *desk_find_page(desk *desk, uint32_t number);
void desk_forget_page(desk *desk, uint32_t page);

// Answers what is no request: {"id": null, "error"}.
void desk_refuse(desk *desk, uint32_t page, const sn_error *error);

// Runs what a page sent (desk thread).
void desk_dispatch(desk *desk, uint32_t page, const char *text, size_t size);
void desk_dispatch_bytes(desk *desk, uint32_t page, const void *bytes, size_t size);
void desk_dispatch_leave(desk *desk, uint32_t page);
sn_status desk_topics_create(desk *desk, const desk_desc *desc, sn_error *error);
void desk_topics_stop(desk *desk);
void desk_topics_destroy(desk *desk);
void desk_topics_tick(desk *desk);

#endif
