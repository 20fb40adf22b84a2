// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // realpath, flock, clocks
//
// The player's thread. It looks what is to be done under the lock, marks the seat as busy, works on
// the seat's stage without the lock, and looks again.
#include "player/player_internal.h"

#include "common/wait.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---------------------------------------------------------------------------------------------
// Work

// Seconds without any wish after which frames ahead of the playhead are evaluated, to be kept.
#define QUIET_SECONDS 2.0

typedef struct task {
    uint32_t slot;
    stage *stage; // held
    uint32_t number;
    uint32_t playhead;
    bool ahead; // of the playhead: kept, not shown
    bool evaluate;
    bool hidden;
    bool fresh;
    bool live;   // a live step
    bool begins; // the first of them
    bool away;   // the stage's frame holds another number: it was evaluated ahead
    held_order *orders;
} task;

static bool needs_evaluation(desk_player *player, uint32_t slot) {
    const seat *seat = &player->seats[slot];
    uint32_t number = player_slot_number(player, slot);
    bool lends = seat->evaluated == number && (seat->hidden || !seat->borrows_hidden);
    return seat->dirty || seat->orders || seat->live.on || (seat->borrows && !lends) ||
           !player_has_frame(player, slot, number);
}

// The playhead stands at a frame that is there already. One that failed before is tried again when
// the playhead comes back to it.
static void show(seat *seat, uint32_t number) {
    if (seat->showing == 0) {
        seat->evaluated = SN_NONE;
    }
    seat->number = number;
    seat->showing = ++seat->showings;
}

static void begin_task(desk_player *player, task *next) {
    seat *seat = &player->seats[next->slot];
    next->stage = stage_hold(seat->stage);
    next->playhead = player->frame;
    next->hidden = player_wants_hidden(player, next->slot);
    seat->busy = true;
    player->last_slot = next->slot;
    if (!next->evaluate) {
        return; // orders that came meanwhile wait for the next live step
    }
    next->fresh = seat->fresh;
    seat->dirty = false;
    seat->fresh = false;
    // Orders that came after the last live step begin new ones, from the frame that is evaluated
    // now; taken here, their change would not swing.
    if (!seat->live.rested) {
        next->orders = seat->orders;
        seat->orders = NULL;
        seat->orders_end = &seat->orders;
    }
    seat->live.rested = false;
}

// Whether some order changes values: others only ask.
static bool changes_values(const held_order *orders) {
    for (; orders; orders = orders->next) {
        if (!orders->ticket) {
            return true;
        }
    }
    return false;
}

// Live steps of a slot that go on or begin; false: there is none now. `due` is when the next is.
static bool find_live(desk_player *player, uint32_t slot, task *next, double *due) {
    seat *seat = &player->seats[slot];
    bool begins = !seat->live.on && changes_values(seat->orders) && player_can_live(player, slot);
    if (seat->live.on && !player_goes_on(player, slot)) {
        player_end_live(seat);
    }
    if (!seat->live.on && !begins) {
        return false;
    }
    if (!begins && app_clock() < seat->live.due) {
        *due = *due > 0 ? fmin(*due, seat->live.due) : seat->live.due;
        return false;
    }
    bool away = seat->evaluated != seat->number;
    if (begins) {
        seat->live.stepped = app_clock();
        seat->live.restarts = true;
    }
    *next = (task){.slot = slot,
                   .number = player_slot_number(player, slot),
                   .evaluate = true,
                   .live = true,
                   .begins = begins,
                   .away = away};
    begin_task(player, next);
    return true;
}

// Finds something to do, with the lock held. `due` is when there will be something at the latest
// (0: never).
static bool find_task(desk_player *player, task *next, double *due) {
    for (uint32_t i = 1; i <= DESK_SLOTS; ++i) {
        uint32_t slot = (player->last_slot + i) % DESK_SLOTS;
        seat *seat = &player->seats[slot];
        player_renew_kept(player, slot);
        if (!seat->stage || seat->borrowed) {
            continue;
        }
        if (find_live(player, slot, next, due)) {
            return true;
        }
        uint32_t number = player_slot_number(player, slot);
        bool evaluate = !seat->live.on && needs_evaluation(player, slot);
        if (!evaluate && seat->number != number) {
            show(seat, number);
        }
        if (evaluate || player_someone_wants(player, slot)) {
            *next = (task){.slot = slot, .number = number, .evaluate = evaluate};
            begin_task(player, next);
            return true;
        }
    }
    return false;
}

// The next frame of a slot that is not kept yet, in the order in which they play; SN_NONE: none.
static uint32_t find_missing(desk_player *player, uint32_t slot) {
    uint32_t first, last;
    player_range(player, &first, &last);
    uint32_t frame = player->frame < first || player->frame > last ? first : player->frame;
    for (uint32_t i = 0; i <= last - first; ++i) {
        uint32_t number = player_number_at(player, slot, frame);
        if (!player_has_frame(player, slot, number)) {
            return number;
        }
        frame = frame == last ? first : frame + 1;
    }
    return SN_NONE;
}

// Finds a frame to evaluate ahead while nobody wants anything; `due` is when that may be. With the
// lock held.
static bool find_ahead(desk_player *player, task *next, double *due) {
    if (player->playing || !player_has_room(player)) {
        return false;
    }
    for (uint32_t slot = 0; slot < DESK_SLOTS; ++slot) {
        const seat *seat = &player->seats[slot];
        bool ready = seat->stage && !seat->borrowed && !seat->unsound && seat->showing != 0 &&
                     !seat->live.on;
        uint32_t number = ready ? find_missing(player, slot) : SN_NONE;
        if (number == SN_NONE) {
            continue;
        }
        double quiet = player->worked + QUIET_SECONDS;
        if (app_clock() < quiet) {
            *due = *due > 0 ? fmin(*due, quiet) : quiet;
            return false;
        }
        *next = (task){.slot = slot, .number = number, .evaluate = true, .ahead = true};
        begin_task(player, next);
        return true;
    }
    return false;
}

// While playing, every frame may fail: the same failure is told once.
static void tell_failure(desk_player *player, uint32_t slot, const sn_error *error) {
    char text[1100];
    seat *seat = &player->seats[slot];
    pthread_mutex_lock(&player->lock);
    bool told = strncmp(seat->failure, error->message, sizeof seat->failure - 1) == 0;
    snprintf(seat->failure, sizeof seat->failure, "%s", error->message);
    pthread_mutex_unlock(&player->lock);
    sn_error_format(error, text, sizeof text);
    if (!told) {
        desk_notice(player->desk, DESK_ALL_PAGES, "warning", "The frame could not be evaluated: %s",
                    text);
    }
}

// What the stage's frame holds now; `reached` is SN_NONE where it failed.
static void note_evaluation(desk_player *player, const task *work, uint32_t reached) {
    pthread_mutex_lock(&player->lock);
    seat *seat = &player->seats[work->slot];
    bool failed = reached == SN_NONE, complete = reached == work->number;
    player->evaluations += 1;
    if (seat->stage == work->stage) {
        seat->hidden = work->hidden;
        seat->evaluated = failed && !work->ahead ? work->number : reached;
        seat->unsound = seat->unsound || (failed && work->ahead);
    }
    if (!work->ahead) {
        seat->number = failed ? work->number : reached;
        seat->dirty = seat->dirty || (!failed && !complete);
        seat->failure[0] = failed ? seat->failure[0] : '\0';
    }
    if (!work->ahead && seat->stage == work->stage) {
        seat->showing = complete ? ++seat->showings : 0;
    }
    pthread_mutex_unlock(&player->lock);
}

// Whether that went well.
static bool evaluate(desk_player *player, const task *work) {
    sn_error error = {0};
    sn_frame *frame = work->stage->frame;
    bool told = false;
    if (work->fresh) {
        told = player_renew_held(player, work->slot, work->stage);
    }
    if (work->orders) {
        told = player_run_orders(player, work->slot, work->stage, work->orders) || told;
    }
    sn_frame_show_only(frame, !work->hidden);
    player_goal goal = {.slot = work->slot,
                        .stage = work->stage,
                        .number = work->number,
                        .playhead = work->playhead};
    uint32_t reached = work->number;
    sn_status status = player_step_towards(player, &goal, &reached, &error);
    if (status != SN_OK && !work->ahead) {
        tell_failure(player, work->slot, &error);
    }
    note_evaluation(player, work, status == SN_OK ? reached : SN_NONE);
    if (told) {
        player_post_held(player, work->slot);
    }
    return status == SN_OK;
}

// Live steps are on from now, unless another stage or the playhead came meanwhile.
static void note_live(desk_player *player, const task *work, bool rests, bool failed) {
    pthread_mutex_lock(&player->lock);
    seat *seat = &player->seats[work->slot];
    player->evaluations += 1;
    if (seat->stage == work->stage) {
        seat->live.on = true;
        seat->hidden = work->hidden;
        seat->evaluated = work->number;
        seat->showing = ++seat->showings;
        if (rests || failed) {
            player_end_live(seat);
            seat->live.rested = rests;
        }
    }
    pthread_mutex_unlock(&player->lock);
}

// Whether that went well. What fails is evaluated once more, and that says why.
static bool step_live(desk_player *player, const task *work) {
    sn_error error = {0};
    bool told = false, rests = false;
    sn_frame_show_only(work->stage->frame, !work->hidden);
    sn_status status = SN_OK;
    if (work->begins && work->away) {
        status = sn_frame_evaluate(work->stage->frame, work->stage->motion, work->number, &error);
    }
    if (work->begins && status == SN_OK) {
        status = player_begin_live(work->stage, work->number, &error);
    }
    if (work->orders) {
        told = player_run_orders(player, work->slot, work->stage, work->orders);
    }
    if (status == SN_OK) {
        status =
            player_step_live(player, work->slot, work->stage, told || work->begins, &rests, &error);
    }
    note_live(player, work, rests, status != SN_OK);
    if (told) {
        player_post_held(player, work->slot);
    }
    return status == SN_OK && !rests;
}

// A stage that was replaced meanwhile gets no packets: nothing of it is known to be valid.
static void run_task(desk_player *player, const task *work) {
    bool done = !work->evaluate || (work->live ? step_live(player, work) : evaluate(player, work));
    if (done) {
        player_serve_pages(player, work->slot, work->stage, work->number);
    }
    stage_release(work->stage);
    pthread_mutex_lock(&player->lock);
    player->worked = work->ahead ? player->worked : app_clock();
    player->seats[work->slot].busy = false;
    pthread_cond_broadcast(&player->rest);
}

// ---------------------------------------------------------------------------------------------
// The thread

// Until the clock says `due` (0: never), or someone wakes it.
static void wait_until(desk_player *player, double due) {
    if (due <= 0) {
        pthread_cond_wait(&player->wake, &player->lock);
    } else {
        app_wait_until(&player->wake, &player->lock, due);
    }
}

// The playhead waits until every slot shows where it stands, so that all show the same time.
static bool all_shown(const desk_player *player) {
    for (uint32_t slot = 0; slot < DESK_SLOTS; ++slot) {
        const seat *seat = &player->seats[slot];
        if (seat->stage && !seat->borrowed && seat->number != player_slot_number(player, slot)) {
            return false;
        }
    }
    return true;
}

static void *run_player(void *user) {
    desk_player *player = user;
    pthread_mutex_lock(&player->lock);
    while (!player->quit) {
        task next;
        double due = 0;
        if (all_shown(player) && player_advance(player, app_clock(), &due)) {
            pthread_mutex_unlock(&player->lock);
            player_post_time(player);
            pthread_mutex_lock(&player->lock);
        } else if (find_task(player, &next, &due)) {
            pthread_mutex_unlock(&player->lock);
            run_task(player, &next); // comes back with the lock
            player_tell_kept(player, false);
        } else if (player->kept.changed) {
            player_tell_kept(player, true);
        } else if (find_ahead(player, &next, &due)) {
            pthread_mutex_unlock(&player->lock);
            run_task(player, &next);
            player_tell_kept(player, false);
        } else {
            wait_until(player, due);
        }
    }
    pthread_mutex_unlock(&player->lock);
    return NULL;
}

sn_status player_create(desk *desk, const desk_desc *desc, sn_error *error) {
    desk_player *player = calloc(1, sizeof *player);
    if (!player) {
        return app_fail_memory(error);
    }
    *desk_player_of(desk) = player;
    player->desk = desk;
    player->kept.limit = desc->frames_memory;
    player->playback = (player_playback){.loop = true, .speed = 1};
    for (uint32_t i = 0; i < DESK_SLOTS; ++i) {
        player->seats[i].orders_end = &player->seats[i].orders;
    }
    pthread_mutex_init(&player->lock, NULL);
    app_condition_init(&player->wake);
    app_condition_init(&player->rest);
    if (pthread_create(&player->thread, NULL, run_player, player) != 0) {
        return desk_fail(error, SN_LIMIT, "", "no thread can be started");
    }
    player->has_thread = true;
    return SN_OK;
}

void player_destroy(desk *desk) {
    desk_player *player = *desk_player_of(desk);
    if (!player) {
        return;
    }
    pthread_mutex_lock(&player->lock);
    player->quit = true;
    pthread_cond_broadcast(&player->wake);
    pthread_mutex_unlock(&player->lock);
    if (player->has_thread) {
        pthread_join(player->thread, NULL);
    }
    for (uint32_t i = 0; i < DESK_SLOTS; ++i) {
        stage_release(player->seats[i].stage);
        held_list_deinit(&player->seats[i].held);
        player_free_live(&player->seats[i].live);
        player_free_orders(player, player->seats[i].orders);
    }
    for (uint32_t i = 0; i < DESK_PAGE_LIMIT; ++i) {
        player_forget_page(desk, player->pages[i].number);
    }
    player_drop_kept(player);
    pthread_cond_destroy(&player->wake);
    pthread_cond_destroy(&player->rest);
    pthread_mutex_destroy(&player->lock);
    free(player);
}

// ---------------------------------------------------------------------------------------------
// Stages

void player_install(desk_player *player, uint32_t slot, stage *stage) {
    pthread_mutex_lock(&player->lock);
    seat *seat = &player->seats[slot];
    struct stage *old = seat->stage;
    held_order *orders = stage ? NULL : seat->orders;
    if (!stage) {
        seat->orders = NULL;
        seat->orders_end = &seat->orders;
    }
    player_forget_range(player, slot, stage);
    seat->stage = stage;
    seat->live.on = false;
    seat->showing = 0;
    seat->evaluated = SN_NONE;
    seat->dirty = true;
    seat->fresh = true;
    seat->hidden = false;
    seat->unsound = false;
    uint32_t count = player_frame_count(player);
    if (player->frame >= count) {
        player->frame = count - 1;
    }
    pthread_cond_signal(&player->wake);
    pthread_mutex_unlock(&player->lock);
    stage_release(old);
    player_free_orders(player, orders);
}

// Whether the frame is what pages are to see, with the lock held.
static bool is_shown(desk_player *player, uint32_t slot) {
    const seat *seat = &player->seats[slot];
    return seat->stage && !seat->busy && !seat->borrowed && !seat->live.on && seat->showing != 0 &&
           seat->evaluated == seat->number && !needs_evaluation(player, slot);
}

stage *player_borrow_frame(desk_player *player, uint32_t slot, bool hidden, double seconds) {
    double due = app_clock() + seconds;
    pthread_mutex_lock(&player->lock);
    seat *seat = &player->seats[slot];
    seat->borrows = true;
    seat->borrows_hidden = hidden;
    pthread_cond_signal(&player->wake);
    while (seat->stage && !is_shown(player, slot) && app_clock() < due) {
        app_wait_until(&player->rest, &player->lock, due);
    }
    stage *stage = is_shown(player, slot) ? seat->stage : NULL;
    seat->borrowed = seat->borrowed || stage;
    seat->borrows = seat->borrows_hidden = false;
    pthread_mutex_unlock(&player->lock);
    return stage;
}

void player_return_frame(desk_player *player, uint32_t slot) {
    pthread_mutex_lock(&player->lock);
    player->seats[slot].borrowed = false;
    pthread_cond_broadcast(&player->rest);
    pthread_cond_signal(&player->wake);
    pthread_mutex_unlock(&player->lock);
}

stage *player_hold_stage(desk_player *player, uint32_t slot) {
    pthread_mutex_lock(&player->lock);
    while (player->seats[slot].borrowed) {
        pthread_cond_wait(&player->rest, &player->lock);
    }
    stage *stage = player->seats[slot].stage ? stage_hold(player->seats[slot].stage) : NULL;
    pthread_mutex_unlock(&player->lock);
    return stage;
}

static char *copy_info(const stage *stage, size_t *size) {
    char *text = malloc(stage->info_size + 1);
    if (text) {
        memcpy(text, stage->info, stage->info_size);
        *size = stage->info_size;
    }
    return text;
}

char *player_describe(desk_player *player, uint32_t slot, size_t *size) {
    pthread_mutex_lock(&player->lock);
    const stage *stage = player->seats[slot].stage;
    char *text = stage ? copy_info(stage, size) : NULL;
    pthread_mutex_unlock(&player->lock);
    return text;
}

char *player_announce(desk_player *player, uint32_t slot, size_t *size) {
    pthread_mutex_lock(&player->lock);
    stage *stage = player->seats[slot].stage;
    char *text = stage && !stage->announced ? copy_info(stage, size) : NULL;
    if (text) {
        stage->announced = true;
        pthread_cond_signal(&player->wake);
    }
    pthread_mutex_unlock(&player->lock);
    return text;
}

// Holds the shapes for a moment, so that the packet is made without the lock.
static sn_status hold_shapes(desk_player *player, const packet_head *head, const uint32_t *surfaces,
                             uint32_t count, stage_shape **shapes, sn_error *error) {
    sn_status status = SN_OK;
    pthread_mutex_lock(&player->lock);
    const stage *stage = player->seats[head->slot].stage;
    if (!stage || stage->serial != head->model) {
        SN_TRY(desk_fail_as(error, desk_stale, "model", "the model was made anew meanwhile"));
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (surfaces[i] >= stage->made->shape_count) {
            SN_TRY(desk_fail(error, SN_INVALID, "surfaces", "there is no surface %u", surfaces[i]));
        }
        shapes[i] = stage->made->shapes[surfaces[i]];
        atomic_fetch_add(&shapes[i]->uses, 1);
    }
cleanup:
    pthread_mutex_unlock(&player->lock);
    return status;
}

sn_status player_geometry(desk_player *player, const packet_head *head, const uint32_t *surfaces,
                          uint32_t count, wire_packet **packet, sn_error *error) {
    stage_shape **shapes = calloc((size_t)count + 1, sizeof *shapes);
    if (!shapes) {
        return app_fail_memory(error);
    }
    sn_status status = SN_OK;
    SN_TRY(hold_shapes(player, head, surfaces, count, shapes, error));
    SN_TRY(packet_write_geometry(head, shapes, surfaces, count, packet, error));
cleanup:
    stage_free_shapes(shapes, count);
    return status;
}
