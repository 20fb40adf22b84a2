// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // realpath, flock, clocks
//
// The playhead. One frame number for all slots, counted in frames of the first slot that has a
// motion; the others show the same time.
#include "player/player_internal.h"

#include <math.h>
#include <string.h>

// Without a motion a frame is a frame all the same.
#define REST_RATE 30.0

static const sn_motion *slot_motion(const desk_player *player, uint32_t slot) {
    return player->seats[slot].stage ? player->seats[slot].stage->motion : NULL;
}

static const sn_motion *lead_motion(const desk_player *player) {
    const sn_motion *motion = NULL;
    for (uint32_t i = 0; i < DESK_SLOTS && !motion; ++i) {
        motion = slot_motion(player, i);
    }
    return motion;
}

double player_rate(const desk_player *player) {
    const sn_motion *motion = lead_motion(player);
    return motion ? sn_motion_rate(motion) : REST_RATE;
}

// As many as the longest motion takes.
uint32_t player_frame_count(const desk_player *player) {
    double rate = player_rate(player), most = 1;
    for (uint32_t i = 0; i < DESK_SLOTS; ++i) {
        const sn_motion *motion = slot_motion(player, i);
        if (motion) {
            double last = (sn_motion_frame_count(motion) - 1.0) / sn_motion_rate(motion);
            most = fmax(most, floor(last * rate + 1e-6) + 1);
        }
    }
    return (uint32_t)fmin(most, UINT32_MAX - 1.0);
}

void player_range(const desk_player *player, uint32_t *first, uint32_t *last) {
    const player_playback *playback = &player->playback;
    uint32_t end = player_frame_count(player) - 1;
    bool inside = playback->has_range && playback->first < playback->last && playback->first < end;
    *first = inside ? playback->first : 0;
    *last = inside && playback->last < end ? playback->last : end;
}

static bool is_same_clip(const sn_motion *a, const sn_motion *b) {
    return a && b && strcmp(sn_motion_name(a), sn_motion_name(b)) == 0;
}

void player_forget_range(desk_player *player, uint32_t slot, const stage *next) {
    const sn_motion *before = slot_motion(player, slot);
    bool leads = before && before == lead_motion(player);
    if (leads && !is_same_clip(before, next ? next->motion : NULL)) {
        player->playback.has_range = false;
    }
}

uint32_t player_number_at(const desk_player *player, uint32_t slot, uint32_t frame) {
    const sn_motion *motion = slot_motion(player, slot);
    if (!motion) {
        return 0;
    }
    uint32_t last = sn_motion_frame_count(motion) - 1;
    double number = frame;
    if (motion != lead_motion(player)) {
        number = floor(number / player_rate(player) * sn_motion_rate(motion) + 0.5);
    }
    return number < last ? (uint32_t)number : last;
}

uint32_t player_slot_number(const desk_player *player, uint32_t slot) {
    return player_number_at(player, slot, player->frame);
}

bool player_advance(desk_player *player, double now, double *due) {
    if (!player->playing) {
        return false;
    }
    uint32_t first, last;
    player_range(player, &first, &last);
    double period = 1 / (player_rate(player) * player->playback.speed);
    double steps = floor((now - player->since) / period);
    if (steps < 1) {
        *due = player->since + period;
        return false;
    }
    // Every frame: one step at a time, and no hurry afterwards.
    bool late = steps > 1;
    steps = player->playback.every ? 1 : steps;
    player->since = player->playback.every && late ? now : player->since + steps * period;
    double frame = player->frame + steps;
    *due = player->since + period;
    if (frame <= last) {
        player->frame = (uint32_t)frame;
        return false;
    }
    if (player->playback.loop && last > first) {
        player->frame = first + (uint32_t)fmod(frame - first, last - first + 1.0);
        return false;
    }
    player->frame = last;
    player->playing = false;
    return true;
}

// ---------------------------------------------------------------------------------------------
// Calls

void player_seek(desk_player *player, uint32_t frame) {
    pthread_mutex_lock(&player->lock);
    uint32_t count = player_frame_count(player);
    player->frame = frame < count ? frame : count - 1;
    player->since = app_clock();
    pthread_cond_signal(&player->wake);
    pthread_mutex_unlock(&player->lock);
}

// Playing begins anew where it stands at the end, or outside of what plays.
void player_play(desk_player *player, bool playing) {
    pthread_mutex_lock(&player->lock);
    uint32_t first, last;
    player_range(player, &first, &last);
    if (playing && !player->playing && (player->frame < first || player->frame >= last)) {
        player->frame = first;
    }
    if (playing && !player->playing) {
        player->since = app_clock();
    }
    player->playing = playing;
    pthread_cond_signal(&player->wake);
    pthread_mutex_unlock(&player->lock);
}

player_playback player_get_playback(desk_player *player) {
    pthread_mutex_lock(&player->lock);
    player_playback playback = player->playback;
    pthread_mutex_unlock(&player->lock);
    return playback;
}

void player_set_playback(desk_player *player, const player_playback *playback) {
    pthread_mutex_lock(&player->lock);
    player->playback = *playback;
    player->since = app_clock();
    pthread_cond_signal(&player->wake);
    pthread_mutex_unlock(&player->lock);
}

static void add_range(const desk_player *player, sn_json *json, sn_value *object) {
    uint32_t first, last;
    player_range(player, &first, &last);
    if (first == 0 && last + 1 == player_frame_count(player)) {
        sn_json_add_null(json, object, "range");
        return;
    }
    double ends[2] = {first, last};
    sn_json_add_numbers(json, object, "range", ends, 2);
}

void player_add_time(desk_player *player, sn_json *json, sn_value *object) {
    pthread_mutex_lock(&player->lock);
    const sn_motion *motion = lead_motion(player);
    double rate = player_rate(player);
    sn_json_add_number(json, object, "frame", player->frame);
    sn_json_add_number(json, object, "time", player->frame / rate);
    sn_json_add_bool(json, object, "playing", player->playing);
    sn_json_add_bool(json, object, "loop", player->playback.loop);
    sn_json_add_number(json, object, "speed", player->playback.speed);
    sn_json_add_bool(json, object, "every", player->playback.every);
    sn_json_add_number(json, object, "first", 0);
    sn_json_add_number(json, object, "last", player_frame_count(player) - 1);
    sn_json_add_number(json, object, "rate", rate);
    add_range(player, json, object);
    if (motion) {
        sn_json_add_string(json, object, "clip", sn_motion_name(motion));
    } else {
        sn_json_add_null(json, object, "clip");
    }
    pthread_mutex_unlock(&player->lock);
}

// Every frame number that is shown comes to pages with its packet; the event tells the state.
static void send_time(desk *desk, void *user) {
    (void)user;
    desk_tell_time(desk, DESK_ALL_PAGES);
}

void player_post_time(desk_player *player) {
    desk_post(player->desk, send_time, NULL);
}
