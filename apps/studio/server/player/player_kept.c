// SPDX-License-Identifier: Apache-2.0
//
// Frames that are kept. A frame depends on its model with its motion, on the held values, on its
// number and on the view that it is made for. The first two are the origin of a slot's frames: with
// another origin all frames of the slot are forgotten. The others are the key under which a packet
// lies: a strip for each view, with a place for each number.
#include "player/player_internal.h"

#include <stdio.h>
#include <stdlib.h>

// Seconds between tellings while frames are being made.
#define TELL_SECONDS 0.25

struct kept_strip {
    uint32_t slot;
    packet_view view;
    uint32_t room; // frames of the motion
    wire_packet **frames;
    kept_strip *next;
};

static size_t packet_bytes(const wire_packet *packet) {
    return sizeof *packet + packet->size;
}

static size_t strip_bytes(const kept_strip *strip) {
    return sizeof *strip + strip->room * sizeof *strip->frames +
           strip->view.count * sizeof *strip->view.surfaces;
}

static void drop_frame(kept_frames *kept, kept_strip *strip, uint32_t number) {
    kept->bytes -= packet_bytes(strip->frames[number]);
    free(strip->frames[number]);
    strip->frames[number] = NULL;
    kept->changed = true;
}

static void free_strip(kept_strip *strip) {
    packet_view_deinit(&strip->view);
    free(strip->frames);
    free(strip);
}

static void drop_strip(kept_frames *kept, kept_strip **link) {
    kept_strip *strip = *link;
    for (uint32_t i = 0; i < strip->room; ++i) {
        if (strip->frames[i]) {
            drop_frame(kept, strip, i);
        }
    }
    kept->bytes -= strip_bytes(strip);
    *link = strip->next;
    free_strip(strip);
    kept->changed = true;
}

void player_drop_kept(desk_player *player) {
    while (player->kept.strips) {
        drop_strip(&player->kept, &player->kept.strips);
    }
}

// ---------------------------------------------------------------------------------------------
// Origins

static frame_origin origin_of(const seat *seat) {
    return seat->stage ? (frame_origin){seat->stage->serial, seat->held_revision}
                       : (frame_origin){0};
}

static bool same_origin(frame_origin a, frame_origin b) {
    return a.model == b.model && a.held == b.held;
}

frame_origin player_renew_kept(desk_player *player, uint32_t slot) {
    kept_frames *kept = &player->kept;
    frame_origin origin = origin_of(&player->seats[slot]);
    if (!same_origin(kept->origins[slot], origin)) {
        kept->origins[slot] = origin;
        kept->changed = true;
        for (kept_strip **link = &kept->strips; *link;) {
            if ((*link)->slot == slot) {
                drop_strip(kept, link);
            } else {
                link = &(*link)->next;
            }
        }
    }
    return origin;
}

// ---------------------------------------------------------------------------------------------
// Strips

static kept_strip *find_strip(const kept_frames *kept, uint32_t slot, const packet_view *view) {
    kept_strip *strip = kept->strips;
    while (strip && !(strip->slot == slot && packet_view_same(&strip->view, view))) {
        strip = strip->next;
    }
    return strip;
}

const wire_packet *player_find_kept(const desk_player *player, uint32_t slot,
                                    const packet_view *view, uint32_t number) {
    // What live steps show is not the frame of that number.
    if (player_is_live(player, slot)) {
        return NULL;
    }
    const kept_strip *strip = find_strip(&player->kept, slot, view);
    return strip && number < strip->room ? strip->frames[number] : NULL;
}

// Without frames yet, and not yet among the others.
static kept_strip *make_strip(desk_player *player, uint32_t slot, const packet_view *view) {
    const sn_motion *motion = player->seats[slot].stage->motion;
    kept_strip *strip = calloc(1, sizeof *strip);
    if (!strip) {
        return NULL;
    }
    strip->slot = slot;
    strip->room = motion ? sn_motion_frame_count(motion) : 1;
    strip->frames = calloc(strip->room, sizeof *strip->frames);
    if (!strip->frames || packet_view_copy(view, &strip->view, NULL) != SN_OK) {
        free(strip->frames);
        free(strip);
        return NULL;
    }
    return strip;
}

static bool is_looked_at(const desk_player *player, uint32_t slot, const packet_view *view) {
    for (uint32_t i = 0; i < DESK_PAGE_LIMIT; ++i) {
        const page_seat *seat = &player->pages[i].seats[slot];
        if (player->pages[i].number != 0 && seat->set && packet_view_same(&seat->view, view)) {
            return true;
        }
    }
    return false;
}

// ---------------------------------------------------------------------------------------------
// Room

// How many frames are shown before this one when the clip plays on from the playhead; SN_NONE where
// it is outside of what plays.
static uint32_t frames_until(const desk_player *player, uint32_t slot, uint32_t number) {
    uint32_t first, last;
    player_range(player, &first, &last);
    first = player_number_at(player, slot, first);
    last = player_number_at(player, slot, last);
    uint32_t at = player_slot_number(player, slot), length = last - first + 1;
    if (number < first || number > last) {
        return number == at ? 0 : SN_NONE;
    }
    at = at < first || at > last ? first : at;
    return (number + length - at) % length;
}

// The kept frame that is needed last: of a view at which nobody looks, else the one that comes last
// when the clip plays on. So a clip that does not fit is kept in part, round after round; if the
// oldest went first, each would go just before it is needed.
typedef struct victim {
    kept_strip **strip; // NULL: there is none
    uint32_t number;    // SN_NONE: all of the strip
    uint32_t until;
} victim;

static victim find_victim(desk_player *player) {
    victim found = {0};
    for (kept_strip **link = &player->kept.strips; *link; link = &(*link)->next) {
        const kept_strip *strip = *link;
        if (!is_looked_at(player, strip->slot, &strip->view)) {
            return (victim){link, SN_NONE, SN_NONE};
        }
        for (uint32_t i = 0; i < strip->room; ++i) {
            uint32_t until = strip->frames[i] ? frames_until(player, strip->slot, i) : 0;
            if (until > found.until) {
                found = (victim){link, i, until};
            }
        }
    }
    return found;
}

// Makes room for a frame by dropping those that are needed later.
static bool make_room(desk_player *player, size_t bytes, uint32_t until) {
    kept_frames *kept = &player->kept;
    while (kept->bytes + bytes > kept->limit) {
        victim last = find_victim(player);
        if (!last.strip || (last.number != SN_NONE && last.until <= until)) {
            return false;
        }
        if (last.number == SN_NONE) {
            drop_strip(kept, last.strip);
        } else {
            drop_frame(kept, *last.strip, last.number);
        }
    }
    return true;
}

// The strip of a view, made where there is none and it fits; NULL where it does not.
static kept_strip *have_strip(desk_player *player, uint32_t slot, const packet_view *view,
                              uint32_t until) {
    kept_frames *kept = &player->kept;
    kept_strip *strip = find_strip(kept, slot, view);
    kept_strip *made = strip ? NULL : make_strip(player, slot, view);
    if (made && make_room(player, strip_bytes(made), until)) {
        kept->bytes += strip_bytes(made);
        made->next = kept->strips;
        kept->strips = strip = made;
    } else if (made) {
        free_strip(made);
    }
    return strip;
}

void player_keep(desk_player *player, uint32_t slot, const packet_view *view, uint32_t number,
                 const wire_packet *packet) {
    kept_frames *kept = &player->kept;
    size_t bytes = packet_bytes(packet);
    uint32_t until = frames_until(player, slot, number);
    bool is_seen = is_looked_at(player, slot, view);
    kept_strip *strip = is_seen ? have_strip(player, slot, view, until) : NULL;
    size_t needed = bytes + (strip ? strip_bytes(strip) : 0);
    kept->frame_bytes = kept->frame_bytes > needed ? kept->frame_bytes : needed;
    if (!strip || strip->frames[number] || !make_room(player, bytes, until)) {
        return;
    }
    strip->frames[number] = packet_copy_frame(packet, 0, 0);
    if (strip->frames[number]) {
        kept->bytes += bytes;
        kept->changed = true;
    }
}

bool player_has_room(const desk_player *player) {
    const kept_frames *kept = &player->kept;
    return kept->bytes + kept->frame_bytes < kept->limit;
}

player_usage player_get_usage(desk_player *player) {
    pthread_mutex_lock(&player->lock);
    player_usage usage = {.evaluations = player->evaluations,
                          .kept_bytes = player->kept.bytes,
                          .kept_limit = player->kept.limit};
    pthread_mutex_unlock(&player->lock);
    return usage;
}

// ---------------------------------------------------------------------------------------------
// Telling pages

// The frames of a strip that are kept, as [first, last, first, last, ...].
static void add_spans(const kept_strip *strip, sn_json *event, sn_value *spans) {
    for (uint32_t i = 0; strip && i < strip->room; ++i) {
        bool is_kept = strip->frames[i] != NULL;
        if (is_kept && (i == 0 || !strip->frames[i - 1])) {
            sn_json_add_number(event, spans, NULL, i);
        }
        if (is_kept && (i + 1 == strip->room || !strip->frames[i + 1])) {
            sn_json_add_number(event, spans, NULL, i);
        }
    }
}

// What is kept of the view that a page has of a slot; NULL: it has none.
static sn_json *describe_kept(desk_player *player, const player_page *page, uint32_t slot) {
    const page_seat *seat = &page->seats[slot];
    sn_json *event = page->number != 0 && seat->set ? desk_event(player->desk, "kept") : NULL;
    if (event) {
        sn_value *root = sn_json_root(event);
        sn_json_add_number(event, root, "slot", slot);
        add_spans(find_strip(&player->kept, slot, &seat->view), event,
                  sn_json_add_array(event, root, "spans"));
        sn_json_add_number(event, root, "bytes", (double)player->kept.bytes);
        sn_json_add_number(event, root, "limit", (double)player->kept.limit);
    }
    return event;
}

void player_tell_kept(desk_player *player, bool soon) {
    double now = app_clock();
    kept_frames *kept = &player->kept;
    if (!kept->changed || (!soon && now - kept->told < TELL_SECONDS)) {
        return;
    }
    kept->changed = false;
    kept->told = now;
    for (uint32_t i = 0; i < DESK_PAGE_LIMIT * DESK_SLOTS; ++i) {
        uint32_t slot = i % DESK_SLOTS, page = player->pages[i / DESK_SLOTS].number;
        char replaces[32];
        snprintf(replaces, sizeof replaces, "kept %u", slot);
        sn_json *event = describe_kept(player, &player->pages[i / DESK_SLOTS], slot);
        pthread_mutex_unlock(&player->lock);
        desk_send(player->desk, page, event, replaces);
        pthread_mutex_lock(&player->lock);
    }
}
