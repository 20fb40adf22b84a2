// SPDX-License-Identifier: Apache-2.0
//
// Far seeks in simulated motions. The library steps from the nearest state that it knows, which may
// take long; here it is asked for one frame after the other, so that pages see how far it is and a
// newer wish need not wait. Steps depend on nothing but the state before them: the frame that is
// reached has the same bits.
#include "player/player_internal.h"

// Steps that are worth to be told, and seconds between tellings.
#define STEPS_TOLD 8
#define TELL_SECONDS 0.2

static void tell_computing(desk_player *player, uint32_t slot, uint32_t frame, uint32_t of) {
    sn_json *event = desk_event(player->desk, "computing");
    if (!event) {
        return;
    }
    sn_value *root = sn_json_root(event);
    sn_json_add_number(event, root, "slot", slot);
    if (frame == SN_NONE) {
        sn_json_add_null(event, root, "frame");
    } else {
        sn_json_add_number(event, root, "frame", frame);
    }
    sn_json_add_number(event, root, "of", of);
    desk_send(player->desk, DESK_ALL_PAGES, event, slot == 0 ? "computing 0" : "computing 1");
}

// Whether the playhead stands where it stood when this was begun. Values that are held
// meanwhile wait: they begin the run anew, and while one is dragged nothing would ever be shown.
static bool is_wanted(desk_player *player, const player_goal *goal) {
    pthread_mutex_lock(&player->lock);
    const seat *seat = &player->seats[goal->slot];
    bool wanted = !player->quit && seat->stage == goal->stage && !seat->borrowed &&
                  player->frame == goal->playhead;
    pthread_mutex_unlock(&player->lock);
    return wanted;
}

sn_status player_step_towards(desk_player *player, const player_goal *goal, uint32_t *reached,
                              sn_error *error) {
    const stage *stage = goal->stage;
    uint32_t next = sn_frame_next_step(stage->frame, stage->motion, goal->number);
    double told = goal->number - next >= STEPS_TOLD ? 0 : app_clock();
    bool tells = false;
    sn_status status = SN_OK;
    do {
        if (next < goal->number && app_clock() - told >= TELL_SECONDS) {
            tell_computing(player, goal->slot, next, goal->number);
            told = app_clock();
            tells = true;
        }
        *reached = next;
        status = sn_frame_evaluate(stage->frame, stage->motion, next, error);
        next = sn_frame_next_step(stage->frame, stage->motion, goal->number);
    } while (status == SN_OK && *reached < goal->number && is_wanted(player, goal));
    if (tells) {
        tell_computing(player, goal->slot, SN_NONE, goal->number);
    }
    return status;
}
