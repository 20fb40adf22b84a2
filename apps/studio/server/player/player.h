// SPDX-License-Identifier: Apache-2.0
//
// The player: a thread that evaluates the frame where the common playhead stands, for every slot,
// and makes packets for pages. It goes at its own pace: a page that is slow gets fewer frames, and
// the newest.
#ifndef SINEW_STUDIO_PLAYER_H
#define SINEW_STUDIO_PLAYER_H

#include "desk/service.h"
#include "edits/held.h"
#include "stage/packet.h"

typedef struct desk_player desk_player;

// For the topic that has it.
sn_status player_create(desk *desk, const desk_desc *desc, sn_error *error);
void player_destroy(desk *desk);
void player_forget_page(desk *desk, uint32_t page);
wire_packet *player_take(desk *desk, uint32_t page);

// Stages (the builder).

// Puts a stage into a slot, which it takes over; NULL empties the slot.
void player_install(desk_player *player, uint32_t slot, stage *stage);
// The slot's stage with its frame as it is shown (`hidden`: with skins that are not shown, too),
// for the caller alone until it is returned (any thread but the player's). Waits for `seconds`
// until the frame is evaluated where the playhead stands; NULL where it is not by then. Until it is
// returned nobody can hold the stage anew.
stage *player_borrow_frame(desk_player *player, uint32_t slot, bool hidden, double seconds);
void player_return_frame(desk_player *player, uint32_t slot);
// Holds the slot's stage (any thread); NULL where there is none.
stage *player_hold_stage(desk_player *player, uint32_t slot);

// Telling pages (the desk's thread).

// The event `model` of the slot's stage, malloc'd; NULL: none. For one page that has just come:
char *player_describe(desk_player *player, uint32_t slot, size_t *size);
// For all pages, once for each stage (NULL after that): from then on they get its frames.
char *player_announce(desk_player *player, uint32_t slot, size_t *size);
void desk_tell_time(desk *desk, uint32_t page);
void desk_tell_held(desk *desk, uint32_t page, uint32_t slot);
void player_add_time(desk_player *player, sn_json *json, sn_value *object);
void player_add_held(desk_player *player, uint32_t slot, sn_json *json, sn_value *object);
// Shapes of surfaces; fails as desk_stale where the slot has another model.
sn_status player_geometry(desk_player *player, const packet_head *head, const uint32_t *surfaces,
                          uint32_t count, wire_packet **packet, sn_error *error);

// The playhead.

typedef struct player_playback {
    bool loop, every;
    double speed;
    // The part of the clip that plays, both ends included; else all of it. Another clip plays
    // whole.
    bool has_range;
    uint32_t first, last;
} player_playback;

void player_seek(desk_player *player, uint32_t frame);
void player_play(desk_player *player, bool playing);
player_playback player_get_playback(desk_player *player);
void player_set_playback(desk_player *player, const player_playback *playback);

// Held values.

// How a change went: `changes` is what is held otherwise now. With an error nothing has changed.
// Called on the desk thread; with an error on any thread, so that it may be answered and no more.
typedef void player_held_fn(desk *desk, void *user, const held_changes *changes,
                            const sn_error *error);
// Holds and releases values: {NAME: number, or null to release it}; NULL: releases all. All of
// them or, where a name or a number is wrong, none.
void player_change_held(desk_player *player, uint32_t slot, const sn_value *values,
                        player_held_fn *done, void *user);
// Takes changes that were made before, forth or back. A value whose name the model lacks waits for
// a model that has it: after undo and redo that may still be in the making.
void player_repeat_held(desk_player *player, uint32_t slot, const held_changes *changes,
                        bool forth);
// What would change if these names (an array) were released. False without memory.
bool player_find_held(desk_player *player, uint32_t slot, const sn_value *names,
                      held_changes *changes);
// Another document comes, of which nothing is held.
void player_release_all(desk_player *player, uint32_t slot);

// Which values, held, would bring the end of a limb to a target: answered by the ticket, which it
// takes over. `reach`: {"segment", "target", "pole"}.
void player_reach(desk_player *player, uint32_t slot, const sn_value *reach, desk_ticket *ticket);

// Pages.

// Takes over what the view holds, also when it fails.
sn_status player_set_view(desk_player *player, uint32_t page, uint32_t slot, packet_view *view,
                          sn_error *error);
// What evaluating has cost so far, and what keeping frames costs now.
typedef struct player_usage {
    uint64_t evaluations; // of frames, all slots together
    size_t kept_bytes, kept_limit;
} player_usage;
player_usage player_get_usage(desk_player *player);

void player_acknowledge(desk_player *player, uint32_t page, uint32_t serial);

#endif
