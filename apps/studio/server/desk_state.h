// SPDX-License-Identifier: Apache-2.0
//
// The desk itself, for the files that make it up; topics need desk_internal.h alone.
#ifndef SINEW_STUDIO_DESK_STATE_H
#define SINEW_STUDIO_DESK_STATE_H

#include "builder.h"
#include "common/common.h"
#include "desk_internal.h"
#include "player.h"

#include <pthread.h>

// Notices that are kept for the next page while there is none: the newest of them.
#define KEPT_NOTICES 16

// What may wait for a page: geometry of a whole body of some hundred meshes fits several times.
#define LETTER_BYTES_LIMIT ((size_t)512 << 20)

// What a page has to be told, in order.
typedef struct desk_letter {
    desk_packet *packet;
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

    desk_slot slots[DESK_SLOTS]; // the desk thread's
    desk_builder *builder;
    desk_player *player;
    struct desk_jobs *jobs;
    desk_files *files;
    desk_tools *tools;
    uint32_t topics_created;
};

sn_status desk_pages_create(desk *desk, sn_error *error);
void desk_pages_destroy(desk *desk);
// With the lock held; NULL where there is none of this number.
desk_page *desk_find_page(desk *desk, uint32_t number);
void desk_wake(desk *desk); // tells who waits for packets
void desk_send_text(desk *desk, uint32_t page, const char *text, size_t size);
void desk_greet(desk *desk, uint32_t page);
// Whether any page would hear an event.
bool desk_has_listener(desk *desk);
// Tells a page what nobody was there for.
void desk_tell_kept(desk *desk, uint32_t page);
void desk_forget_page(desk *desk, uint32_t page);

// Runs what a page sent (desk thread).
void desk_dispatch(desk *desk, uint32_t page, const char *text, size_t size);
void desk_dispatch_bytes(desk *desk, uint32_t page, const void *bytes, size_t size);
void desk_dispatch_leave(desk *desk, uint32_t page);
sn_status desk_topics_create(desk *desk, const desk_desc *desc, sn_error *error);
void desk_topics_destroy(desk *desk);
sn_status desk_topics_welcome(desk *desk, sn_json *json, sn_value *welcome, sn_error *error);
// Tells a page everything that is.
void desk_tell_all(desk *desk, uint32_t page);

// No message is taken any more (any thread).
bool desk_is_closing(desk *desk);

// Reads files again that changed on disk (desk thread, every now and then).
void desk_watch_files(desk *desk);

void desk_slots_destroy(desk *desk);
// The whole document of a slot, for a page that came.
void desk_tell_document(desk *desk, uint32_t page, const desk_slot *slot);
void desk_tell_model(desk *desk, uint32_t page, uint32_t slot);
void desk_tell_time(desk *desk, uint32_t page);
void desk_tell_held(desk *desk, uint32_t page, uint32_t slot);

sn_status desk_jobs_create(desk *desk, sn_error *error);
void desk_jobs_stop(desk *desk); // cancels and waits
void desk_jobs_destroy(desk *desk);
void desk_tell_jobs(desk *desk, uint32_t page);

char *desk_copy_string(const char *string); // NULL for NULL and without memory

#endif
