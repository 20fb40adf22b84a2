// SPDX-License-Identifier: Apache-2.0
//
// The builder's thread: which slot is next, and what is told about it. What is made, and how, is in
// build.c.
#include "builder/builder_internal.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// While someone drags a slider, documents come faster than models are made. One that was begun
// after another was given up is finished all the same when it takes no longer than this: seconds.
#define PATIENCE 1.0
// Between two events of progress: seconds.
#define PROGRESS_INTERVAL 0.1

typedef struct building {
    bool wanted, close;
    build_reason reason;
    uint64_t revision;
    char *text, *base;
    size_t size;
    stage_body *shelf;
} building;

// A clip that is to be played.
typedef struct wish {
    bool waits;
    char *clip; // NULL: the rest pose
    desk_ticket *ticket;
} wish;

typedef struct builder_slot {
    building next;
    build_state state; // the thread's
    bool gave_up;      // the last one was cancelled
    wish wish;
    char *error; // the event
    size_t error_size;
} builder_slot;

struct desk_builder {
    desk *desk;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool quit;
    uint32_t last_slot;
    uint32_t last_serial;
    builder_slot slots[DESK_SLOTS];
};

static void building_deinit(building *work) {
    free(work->text);
    free(work->base);
    stage_body_release(work->shelf);
    *work = (building){0};
}

// ---------------------------------------------------------------------------------------------
// Progress

typedef struct watch {
    desk_builder *builder;
    uint32_t slot;
    uint64_t revision;
    double begun, told;
    bool protected; // was begun after another one was given up
} watch;

static void tell_progress(watch *watch, const char *step, double fraction, double now) {
    if (now - watch->told < PROGRESS_INTERVAL) {
        return;
    }
    watch->told = now;
    char replaces[32];
    snprintf(replaces, sizeof replaces, "building %u", watch->slot);
    sn_json *event = desk_event(watch->builder->desk, "building");
    if (event) {
        sn_value *root = sn_json_root(event);
        sn_json_add_number(event, root, "slot", watch->slot);
        sn_json_add_number(event, root, "revision", (double)watch->revision);
        sn_json_add_number(event, root, "fraction", fraction);
        sn_json_add_string(event, root, "step", step);
        desk_send(watch->builder->desk, DESK_ALL_PAGES, event, replaces);
    }
}

static bool watch_build(const char *step, double fraction, void *user) {
    watch *self = user;
    desk_builder *builder = self->builder;
    double now = app_clock();
    pthread_mutex_lock(&builder->lock);
    const building *next = &builder->slots[self->slot].next;
    bool newer = next->close || next->reason == BUILD_ANOTHER ||
                 (next->wanted && !(self->protected && now - self->begun < PATIENCE));
    bool go_on = !builder->quit && !newer;
    pthread_mutex_unlock(&builder->lock);
    if (go_on) {
        tell_progress(self, step, fraction, now);
    }
    return go_on;
}

// ---------------------------------------------------------------------------------------------
// Outcomes

static void send_outcome(desk *desk, char *text, size_t size) {
    if (text) {
        desk_send_text(desk, DESK_ALL_PAGES, text, size);
        free(text);
        desk_tell_time(desk, DESK_ALL_PAGES);
    }
}

static void send_model(desk *desk, void *user) {
    size_t size = 0;
    char *text = player_announce(*desk_player_of(desk), (uint32_t)(uintptr_t)user, &size);
    send_outcome(desk, text, size);
}

static void send_error(desk *desk, void *user) {
    size_t size = 0;
    char *text = builder_error_text(*desk_builder_of(desk), (uint32_t)(uintptr_t)user, &size);
    send_outcome(desk, text, size);
}

static void keep_error(desk_builder *builder, uint32_t slot, char *text, size_t size) {
    pthread_mutex_lock(&builder->lock);
    free(builder->slots[slot].error);
    builder->slots[slot].error = text;
    builder->slots[slot].error_size = size;
    pthread_mutex_unlock(&builder->lock);
}

// The number of the model that stays.
static void add_present_model(desk_builder *builder, uint32_t slot, sn_json *event) {
    stage *present = player_hold_stage(*desk_player_of(builder->desk), slot);
    if (present) {
        sn_json_add_number(event, sn_json_root(event), "model", present->serial);
    } else {
        sn_json_add_null(event, sn_json_root(event), "model");
    }
    stage_release(present);
}

static void tell_error(desk_builder *builder, uint32_t slot, uint64_t revision,
                       const sn_error *error) {
    sn_json *event = desk_event(builder->desk, "model_error");
    char *text = NULL, *copy = NULL;
    size_t size = 0;
    if (!event) {
        return;
    }
    sn_json_add_number(event, sn_json_root(event), "slot", slot);
    sn_json_add_number(event, sn_json_root(event), "revision", (double)revision);
    desk_add_error(event, sn_json_root(event), "error", error);
    add_present_model(builder, slot, event);
    if (sn_json_write(event, &text, &size, NULL) == SN_OK) {
        copy = desk_copy_string(text);
        sn_json_free_text(desk_context(builder->desk), text);
    }
    sn_json_destroy(event);
    if (copy) {
        keep_error(builder, slot, copy, size);
        desk_post(builder->desk, send_error, (void *)(uintptr_t)slot);
    }
}

char *builder_error_text(desk_builder *builder, uint32_t slot, size_t *size) {
    pthread_mutex_lock(&builder->lock);
    char *copy = desk_copy_string(builder->slots[slot].error);
    *size = builder->slots[slot].error_size;
    pthread_mutex_unlock(&builder->lock);
    return copy;
}

// ---------------------------------------------------------------------------------------------
// Work

static void run_build(desk_builder *builder, uint32_t slot, building *work) {
    builder_slot *mine = &builder->slots[slot];
    sn_error error = {0};
    watch watch = {.builder = builder,
                   .slot = slot,
                   .revision = work->revision,
                   .begun = app_clock(),
                   .protected = mine->gave_up};
    sn_progress progress = {.report = watch_build, .user = &watch};
    build_order order = {
        .desk = builder->desk,
        .slot = slot,
        .revision = work->revision,
        .text = work->text,
        .size = work->size,
        .base = work->base,
        .shelf = work->shelf,
        .reason = work->reason,
        .progress = &progress,
        .last_serial = &builder->last_serial,
    };
    sn_status status = build_run(&mine->state, &order, &error);
    mine->gave_up = status == SN_CANCELLED && work->reason != BUILD_ANOTHER;
    if (status == SN_OK) {
        keep_error(builder, slot, NULL, 0);
        desk_post(builder->desk, send_model, (void *)(uintptr_t)slot);
    } else if (status == SN_CANCELLED) {
        build_given_up(&mine->state, work->reason);
    } else {
        if (!mine->state.has_model) { // what is shown is of another document
            player_install(*desk_player_of(builder->desk), slot, NULL);
        }
        tell_error(builder, slot, work->revision, &error);
    }
}

// With the lock held.
static wish take_wish(builder_slot *slot) {
    wish taken = slot->wish;
    slot->wish = (wish){0};
    return taken;
}

static void run_clip(desk_builder *builder, uint32_t slot, wish *wish) {
    sn_error error = {0};
    sn_status status =
        build_choose_clip(&builder->slots[slot].state, builder->desk, slot, wish->clip, &error);
    if (status == SN_OK) {
        desk_post(builder->desk, send_model, (void *)(uintptr_t)slot);
    }
    desk_answer(builder->desk, wish->ticket, NULL, status == SN_OK ? NULL : &error);
    free(wish->clip);
}

static void send_time(desk *desk, void *user) {
    (void)user;
    desk_tell_time(desk, DESK_ALL_PAGES);
}

// The other slot's clip may be shorter.
static void run_close(desk_builder *builder, uint32_t slot) {
    player_install(*desk_player_of(builder->desk), slot, NULL);
    build_state_deinit(&builder->slots[slot].state);
    keep_error(builder, slot, NULL, 0);
    desk_post(builder->desk, send_time, NULL);
}

// Closing comes before building, and building before clips, which are of what was built.
static bool find_slot(const desk_builder *builder, uint32_t *slot) {
    for (uint32_t i = 1; i <= DESK_SLOTS; ++i) {
        *slot = (builder->last_slot + i) % DESK_SLOTS;
        const builder_slot *mine = &builder->slots[*slot];
        if (mine->next.close || mine->next.wanted || mine->wish.waits) {
            return true;
        }
    }
    return false;
}

static void run_slot(desk_builder *builder, uint32_t slot) {
    builder_slot *mine = &builder->slots[slot];
    building work = mine->next;
    bool build = work.close || work.wanted;
    wish clip = {0};
    builder->last_slot = slot;
    if (build) {
        mine->next = (building){0};
    } else {
        clip = take_wish(mine);
    }
    pthread_mutex_unlock(&builder->lock);
    if (work.close) {
        run_close(builder, slot);
    }
    if (work.wanted) {
        run_build(builder, slot, &work);
    }
    if (!build) {
        run_clip(builder, slot, &clip);
    }
    building_deinit(&work);
    pthread_mutex_lock(&builder->lock);
}

static void *run_builder(void *user) {
    desk_builder *builder = user;
    pthread_mutex_lock(&builder->lock);
    while (!builder->quit) {
        uint32_t slot = 0;
        if (find_slot(builder, &slot)) {
            run_slot(builder, slot);
        } else {
            pthread_cond_wait(&builder->wake, &builder->lock);
        }
    }
    pthread_mutex_unlock(&builder->lock);
    return NULL;
}

// ---------------------------------------------------------------------------------------------
// Calls

sn_status builder_create(desk *desk, const desk_desc *desc, sn_error *error) {
    (void)desc;
    desk_builder *builder = calloc(1, sizeof *builder);
    if (!builder) {
        return app_fail_memory(error);
    }
    *desk_builder_of(desk) = builder;
    builder->desk = desk;
    pthread_mutex_init(&builder->lock, NULL);
    pthread_cond_init(&builder->wake, NULL);
    if (pthread_create(&builder->thread, NULL, run_builder, builder) != 0) {
        return desk_fail(error, SN_LIMIT, "", "no thread can be started");
    }
    builder->has_thread = true;
    return SN_OK;
}

void builder_destroy(desk *desk) {
    desk_builder *builder = *desk_builder_of(desk);
    if (!builder) {
        return;
    }
    pthread_mutex_lock(&builder->lock);
    builder->quit = true;
    pthread_cond_broadcast(&builder->wake);
    pthread_mutex_unlock(&builder->lock);
    if (builder->has_thread) {
        pthread_join(builder->thread, NULL);
    }
    for (uint32_t i = 0; i < DESK_SLOTS; ++i) {
        builder_slot *slot = &builder->slots[i];
        building_deinit(&slot->next);
        build_state_deinit(&slot->state);
        desk_answer(builder->desk, slot->wish.ticket, NULL, NULL);
        free(slot->wish.clip);
        free(slot->error);
    }
    pthread_cond_destroy(&builder->wake);
    pthread_mutex_destroy(&builder->lock);
    free(builder);
}

// A clip that was chosen for a document which is not there any more.
static void refuse_wish(desk_builder *builder, wish *given_up) {
    sn_error error = {0};
    desk_fail_as(&error, desk_stale, "slot", "another document was opened meanwhile");
    desk_answer(builder->desk, given_up->ticket, NULL, &error);
    free(given_up->clip);
}

void builder_build(desk_builder *builder, const builder_request *request) {
    building next = {
        .wanted = true,
        .reason = request->reason,
        .revision = request->revision,
        .text = malloc(request->size + 1),
        .size = request->size,
        .base = desk_copy_string(request->base),
        .shelf = stage_body_hold(request->shelf),
    };
    if (!next.text || !next.base) {
        sn_error error = {0};
        app_fail_memory(&error);
        tell_error(builder, request->slot, request->revision, &error);
        building_deinit(&next);
        return;
    }
    memcpy(next.text, request->text, request->size);
    next.text[request->size] = '\0';
    pthread_mutex_lock(&builder->lock);
    building *waiting = &builder->slots[request->slot].next;
    next.reason = next.reason > waiting->reason ? next.reason : waiting->reason;
    next.close = waiting->close;
    building old = *waiting;
    *waiting = next;
    wish given_up =
        request->reason == BUILD_ANOTHER ? take_wish(&builder->slots[request->slot]) : (wish){0};
    pthread_cond_signal(&builder->wake);
    pthread_mutex_unlock(&builder->lock);
    building_deinit(&old);
    refuse_wish(builder, &given_up);
}

void builder_close(desk_builder *builder, uint32_t slot, uint64_t revision) {
    pthread_mutex_lock(&builder->lock);
    building old = builder->slots[slot].next;
    builder->slots[slot].next = (building){.close = true, .revision = revision};
    wish given_up = take_wish(&builder->slots[slot]);
    pthread_cond_signal(&builder->wake);
    pthread_mutex_unlock(&builder->lock);
    building_deinit(&old);
    refuse_wish(builder, &given_up);
}

void builder_choose_clip(desk_builder *builder, uint32_t slot, const char *clip,
                         desk_ticket *ticket) {
    pthread_mutex_lock(&builder->lock);
    wish overtaken = take_wish(&builder->slots[slot]);
    builder->slots[slot].wish = (wish){true, desk_copy_string(clip), ticket};
    pthread_cond_signal(&builder->wake);
    pthread_mutex_unlock(&builder->lock);
    desk_answer(builder->desk, overtaken.ticket, NULL, NULL);
    free(overtaken.clip);
}
