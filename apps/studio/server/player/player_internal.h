// SPDX-License-Identifier: Apache-2.0
//
// The player itself, for the files that make it up.
#ifndef SINEW_STUDIO_PLAYER_INTERNAL_H
#define SINEW_STUDIO_PLAYER_INTERNAL_H

#include "common/common.h"
#include "player/player.h"

#include <pthread.h>

// Frames that a page may have without having said that it got them.
#define UNACKNOWLEDGED_LIMIT 2

// A value that is held.
typedef struct held_value {
    char *name;
    double value;
    bool taken; // the model has the parameter, and the value is in its range
} held_value;

typedef struct held_list {
    held_value *values;
    uint32_t count;
} held_list;

// What a page wants of the held values, or to know of them.
typedef struct held_order {
    sn_json *tree; // {"values": {NAME: number or null}}, {"reach": {...}}, or {}: let go of all
    player_held_fn *done; // NULL: nobody asks, and what the model lacks waits
    void *user;
    desk_ticket *ticket; // of "reach"
    uint64_t document;   // of the seat, when it was asked for
    struct held_order *next;
} held_order;

// Live steps of a seat (player_live.c). Whether it is on, and the clock, are the player's thread's;
// others may only end it.
typedef struct live_run {
    bool on;
    double due;     // when the next step is, on the clock
    double stepped; // when the last one was
    double gone;    // seconds stepped since values were changed
    double *seen;   // particles that are compared with, and those of the last step
    size_t room;    // particles
    double still;   // seconds without motion
    bool restarts;  // values were changed: what is compared with is no more
    bool rested;    // has ended by itself, and the frame of the whole run is not evaluated yet
} live_run;

typedef struct seat {
    stage *stage;
    live_run live;
    bool borrowed;       // someone has its frame
    bool borrows;        // someone waits for its frame
    bool borrows_hidden; // with skins that are not shown
    bool busy;           // the player is at it
    bool dirty;          // must be evaluated, whatever the frame
    bool fresh;          // its frame does not have the held values yet
    bool hidden;         // its frame evaluates skins that are not shown, too
    bool unsound;        // a frame ahead of the playhead failed: no others are tried
    uint32_t number;     // that pages see, or are to see
    uint32_t evaluated;  // that the stage's frame holds; SN_NONE: none
    uint64_t showing;    // number of what pages see: rises with every change; 0: nothing
    uint64_t showings;   // so far
    char failure[256];   // what the last evaluation failed with, to be told once
    held_list held;
    uint64_t held_revision; // rises when values on the stage's frame change
    uint64_t held_document; // rises when all is let go of because another document comes
    held_order *orders, **orders_end;
} seat;

// What a page sees of a slot.
typedef struct page_seat {
    bool set;
    packet_view view;
    uint64_t sent; // showing that it got or is getting
    wire_packet *pending;
    uint32_t pending_serial;
    uint32_t unacknowledged[UNACKNOWLEDGED_LIMIT];
    uint32_t unacknowledged_count;
} page_seat;

typedef struct player_page {
    uint32_t number; // 0: nobody
    uint32_t turn;   // slot that comes next
    page_seat seats[DESK_SLOTS];
} player_page;

// What the frames of a slot are made from: the model with its motion, by its serial number, and the
// held values, by their revision.
typedef struct frame_origin {
    uint32_t model;
    uint64_t held;
} frame_origin;

// Frames that are kept for when they are shown again.
typedef struct kept_strip kept_strip;
typedef struct kept_frames {
    size_t limit, bytes;
    size_t frame_bytes; // that one more frame may need: as many as the largest so far
    frame_origin origins[DESK_SLOTS];
    kept_strip *strips;
    bool changed; // since pages were told
    double told;  // when that was
} kept_frames;

struct desk_player {
    desk *desk;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock; // guards all that follows; stages are used without it while `busy`
    pthread_cond_t wake;  // the player's thread
    pthread_cond_t rest;  // who waits until it is done with something
    bool quit;
    seat seats[DESK_SLOTS];
    player_page pages[DESK_PAGE_LIMIT];
    uint32_t last_serial;
    uint32_t last_slot; // that was worked on
    kept_frames kept;
    uint64_t evaluations; // so far
    double worked;        // when the last wish was fulfilled

    uint32_t frame; // the playhead
    bool playing;
    player_playback playback;
    double since; // seconds on the clock when `frame` was due
};

// With the lock held.
uint32_t player_frame_count(const desk_player *player);
double player_rate(const desk_player *player);
// The frames that play, within those that there are: the range, or all.
void player_range(const desk_player *player, uint32_t *first, uint32_t *last);
// Before a stage comes into a slot: a range belongs to the clip that plays.
void player_forget_range(desk_player *player, uint32_t slot, const stage *next);
// The frame of a slot at a frame of the playhead, and where the playhead stands.
uint32_t player_number_at(const desk_player *player, uint32_t slot, uint32_t frame);
uint32_t player_slot_number(const desk_player *player, uint32_t slot);
player_page *player_find_page(desk_player *player, uint32_t number);

// Moves the playhead to where the clock says; `due` is when it moves next. Returns whether playing
// came to its end.
bool player_advance(desk_player *player, double now, double *due);

// Evaluates a frame of a stage, step by step where the model has memory (the player's thread, the
// seat busy, without the lock). `reached` is another frame than the goal where the playhead was
// moved meanwhile.
typedef struct player_goal {
    uint32_t slot;
    stage *stage;
    uint32_t number;
    uint32_t playhead; // where it stands
} player_goal;
sn_status player_step_towards(desk_player *player, const player_goal *goal, uint32_t *reached,
                              sn_error *error);

// Live steps (player_live.c). With the lock held:
bool player_is_live(const desk_player *player, uint32_t slot);
// Whether a change of held values may be shown by live steps: nobody waits for anything else.
bool player_can_live(const desk_player *player, uint32_t slot);
// Whether those that are on go on.
bool player_goes_on(const desk_player *player, uint32_t slot);
// Ends them: the frame is to be evaluated as it is after the whole run.
void player_end_live(seat *seat);
void player_free_live(live_run *run);
// The player's thread, the seat busy, without the lock. Begins with what the stage's frame holds,
// before values are changed.
sn_status player_begin_live(const stage *stage, uint32_t number, sn_error *error);
// One step; `changed`: values were changed before it. `rests`: it was the last one.
sn_status player_step_live(desk_player *player, uint32_t slot, const stage *stage, bool changed,
                           bool *rests, sn_error *error);

// Held values (the player's thread, the seat busy, without the lock). Return whether any changed.
bool player_run_orders(desk_player *player, uint32_t slot, stage *stage, held_order *orders);
bool player_renew_held(desk_player *player, uint32_t slot, stage *stage);
void player_free_orders(desk_player *player, held_order *orders);
void held_list_deinit(held_list *list);
// Adds to the root of `answer` what brings the end of a limb to a target from the pose of the
// frame:
// {"values": {NAME: number}, "miss"}. `wish`: {"segment", "target", "pole"} (player_reach.c).
sn_status player_solve_reach(const sn_frame *frame, const sn_value *wish, sn_json *answer,
                             sn_error *error);

// Whether any page wants a packet of this seat, or skins that are not shown (with the lock).
bool player_someone_wants(desk_player *player, uint32_t slot);
bool player_wants_hidden(desk_player *player, uint32_t slot);
// Whether a frame is there for every page that looks at the slot: kept, or held by the stage's
// frame (with the lock).
bool player_has_frame(desk_player *player, uint32_t slot, uint32_t number);
// Makes packets of a frame that is there: keeps them, and has pages that want one get it (the seat
// busy, without the lock).
void player_serve_pages(desk_player *player, uint32_t slot, stage *stage, uint32_t number);

// Frames that are kept (with the lock).

// Forgets the frames of a slot where they were made from something else than there is now. To be
// called before any of the calls below; returns what they are made from now.
frame_origin player_renew_kept(desk_player *player, uint32_t slot);
// NULL: it is not kept.
const wire_packet *player_find_kept(const desk_player *player, uint32_t slot,
                                    const packet_view *view, uint32_t number);
// Keeps a copy, unless all memory is taken by frames that are needed sooner.
void player_keep(desk_player *player, uint32_t slot, const packet_view *view, uint32_t number,
                 const wire_packet *packet);
// Whether one more would fit.
bool player_has_room(const desk_player *player);
void player_drop_kept(desk_player *player);
// Tells pages which frames are kept, where that has changed; not too often unless `soon`. Opens the
// lock meanwhile.
void player_tell_kept(desk_player *player, bool soon);

// Has events sent by the desk's thread.
void player_post_time(desk_player *player);
void player_post_held(desk_player *player, uint32_t slot);

#endif
