// SPDX-License-Identifier: Apache-2.0
//
// Frames for pages. Each page has at most one packet of a slot waiting, the newest, and at most two
// on the way; a page that does not acknowledge gets no more, and costs nothing.
#include "player/player_internal.h"

#include <stdlib.h>
#include <string.h>

player_page *player_find_page(desk_player *player, uint32_t number) {
    for (uint32_t i = 0; number != 0 && i < DESK_PAGE_LIMIT; ++i) {
        if (player->pages[i].number == number) {
            return &player->pages[i];
        }
    }
    return NULL;
}

static player_page *make_page(desk_player *player, uint32_t number) {
    player_page *page = player_find_page(player, number);
    for (uint32_t i = 0; !page && i < DESK_PAGE_LIMIT; ++i) {
        if (player->pages[i].number == 0) {
            page = &player->pages[i];
            *page = (player_page){.number = number};
        }
    }
    return page;
}

static void clear_seat(page_seat *seat) {
    packet_view_deinit(&seat->view);
    free(seat->pending);
    *seat = (page_seat){0};
}

void player_forget_page(desk *desk, uint32_t number) {
    desk_player *player = *desk_player_of(desk);
    pthread_mutex_lock(&player->lock);
    player_page *page = player_find_page(player, number);
    if (page) {
        for (uint32_t i = 0; i < DESK_SLOTS; ++i) {
            clear_seat(&page->seats[i]);
        }
        page->number = 0;
    }
    pthread_mutex_unlock(&player->lock);
}

sn_status player_set_view(desk_player *player, uint32_t number, uint32_t slot, packet_view *view,
                          sn_error *error) {
    sn_status status = SN_OK;
    pthread_mutex_lock(&player->lock);
    player_page *page = make_page(player, number);
    if (page) {
        page_seat *seat = &page->seats[slot];
        packet_view_deinit(&seat->view);
        seat->view = *view;
        seat->set = true;
        seat->sent = 0;
        player->kept.changed = true; // other frames are kept of another view
        *view = (packet_view){0};
        pthread_cond_signal(&player->wake);
    } else {
        status = desk_fail(error, SN_LIMIT, "", "there are too many pages");
    }
    pthread_mutex_unlock(&player->lock);
    packet_view_deinit(view);
    return status;
}

// A packet may have come while two others were on the way: it could not be taken then, and nobody
// but this call knows that now it can.
void player_acknowledge(desk_player *player, uint32_t number, uint32_t serial) {
    bool waits = false;
    pthread_mutex_lock(&player->lock);
    player_page *page = player_find_page(player, number);
    for (uint32_t i = 0; page && i < DESK_SLOTS; ++i) {
        page_seat *seat = &page->seats[i];
        for (uint32_t k = 0; k < seat->unacknowledged_count; ++k) {
            if (seat->unacknowledged[k] == serial) {
                seat->unacknowledged[k] = seat->unacknowledged[--seat->unacknowledged_count];
                pthread_cond_signal(&player->wake);
                waits = waits || seat->pending;
                break;
            }
        }
    }
    pthread_mutex_unlock(&player->lock);
    if (waits) {
        desk_wake(player->desk);
    }
}

static wire_packet *take_pending(page_seat *seat) {
    wire_packet *packet = seat->pending;
    if (!packet || seat->unacknowledged_count == UNACKNOWLEDGED_LIMIT) {
        return NULL;
    }
    seat->pending = NULL;
    seat->unacknowledged[seat->unacknowledged_count++] = seat->pending_serial;
    return packet;
}

wire_packet *player_take(desk *desk, uint32_t number) {
    desk_player *player = *desk_player_of(desk);
    wire_packet *packet = NULL;
    pthread_mutex_lock(&player->lock);
    player_page *page = player_find_page(player, number);
    for (uint32_t i = 0; page && !packet && i < DESK_SLOTS; ++i) {
        packet = take_pending(&page->seats[page->turn]);
        page->turn = (page->turn + 1) % DESK_SLOTS;
    }
    pthread_mutex_unlock(&player->lock);
    return packet;
}

// ---------------------------------------------------------------------------------------------
// Making packets

static bool shows_hidden(const packet_view *view, const sn_model *model) {
    for (uint32_t i = 0; i < view->count; ++i) {
        if (view->surfaces[i] < sn_model_surface_count(model)) {
            const sn_surface *surface = sn_model_surface(model, view->surfaces[i]);
            if (surface->layer == SN_LAYER_SKIN && !surface->shown) {
                return true;
            }
        }
    }
    return false;
}

bool player_wants_hidden(desk_player *player, uint32_t slot) {
    const sn_model *model = player->seats[slot].stage->made->model;
    if (player->seats[slot].borrows_hidden) {
        return true;
    }
    for (uint32_t i = 0; i < DESK_PAGE_LIMIT; ++i) {
        const page_seat *seat = &player->pages[i].seats[slot];
        if (player->pages[i].number != 0 && seat->set && shows_hidden(&seat->view, model)) {
            return true;
        }
    }
    return false;
}

static bool looks(const desk_player *player, const player_page *page, uint32_t slot) {
    const page_seat *mine = &page->seats[slot];
    return page->number != 0 && mine->set && !(mine->view.still && player->playing);
}

// Whether a frame for a page is there.
static bool has_frame(const desk_player *player, const player_page *page, uint32_t slot,
                      uint32_t number) {
    const seat *seat = &player->seats[slot];
    const packet_view *view = &page->seats[slot].view;
    return (seat->evaluated == number && !seat->dirty &&
            (seat->hidden || !shows_hidden(view, seat->stage->made->model))) ||
           player_find_kept(player, slot, view, number);
}

bool player_has_frame(desk_player *player, uint32_t slot, uint32_t number) {
    for (uint32_t i = 0; i < DESK_PAGE_LIMIT; ++i) {
        const player_page *page = &player->pages[i];
        if (looks(player, page, slot) && !has_frame(player, page, slot, number)) {
            return false;
        }
    }
    return true;
}

static bool wants(const desk_player *player, const player_page *page, uint32_t slot) {
    const seat *seat = &player->seats[slot];
    const page_seat *mine = &page->seats[slot];
    return looks(player, page, slot) && seat->stage->announced && seat->showing != 0 &&
           !seat->dirty && mine->sent != seat->showing &&
           mine->unacknowledged_count < UNACKNOWLEDGED_LIMIT &&
           has_frame(player, page, slot, seat->number);
}

bool player_someone_wants(desk_player *player, uint32_t slot) {
    for (uint32_t i = 0; i < DESK_PAGE_LIMIT; ++i) {
        if (wants(player, &player->pages[i], slot)) {
            return true;
        }
    }
    return false;
}

// What is made for a page, while the lock is open.
typedef struct order {
    uint32_t page;
    packet_view view;
    packet_head head;
    uint64_t showing; // that it is for; 0: it is only kept
    frame_origin origin;
} order;

// Whether a packet is made for a page that does not get it now: one that is slow, or a frame ahead
// of the playhead.
static bool keeps(const desk_player *player, const player_page *page, uint32_t slot,
                  uint32_t number) {
    return player->kept.limit > 0 && !player_is_live(player, slot) && looks(player, page, slot) &&
           has_frame(player, page, slot, number) &&
           !player_find_kept(player, slot, &page->seats[slot].view, number);
}

// The next page for which a packet is made, marked as having got it where it wants it.
static bool next_order(desk_player *player, uint32_t *at, const packet_head *head,
                       const stage *stage, order *next) {
    bool found = false;
    uint32_t slot = head->slot;
    pthread_mutex_lock(&player->lock);
    const seat *seat = &player->seats[slot];
    frame_origin origin = player_renew_kept(player, slot);
    for (; *at < DESK_PAGE_LIMIT && !found && seat->stage == stage; ++*at) {
        player_page *page = &player->pages[*at];
        bool wanted = head->frame == seat->number && wants(player, page, slot);
        if (!wanted && !keeps(player, page, slot, head->frame)) {
            continue;
        }
        if (wanted) {
            page->seats[slot].sent = seat->showing;
        }
        *next = (order){.page = page->number,
                        .head = *head,
                        .showing = wanted ? seat->showing : 0,
                        .origin = origin};
        next->head.serial = ++player->last_serial;
        next->head.live = seat->live.on;
        next->head.live_seconds = seat->live.gone;
        found = packet_view_copy(&page->seats[slot].view, &next->view, NULL) == SN_OK;
    }
    pthread_mutex_unlock(&player->lock);
    return found;
}

// Hands a packet over, unless the page went or wants something else by now.
static void deliver(desk_player *player, const order *done, wire_packet *packet) {
    pthread_mutex_lock(&player->lock);
    player_page *page = player_find_page(player, done->page);
    page_seat *seat = page ? &page->seats[done->head.slot] : NULL;
    if (seat && done->showing != 0 && seat->sent == done->showing) {
        free(seat->pending);
        seat->pending = packet;
        seat->pending_serial = done->head.serial;
        packet = NULL;
    }
    pthread_mutex_unlock(&player->lock);
    free(packet);
    desk_wake(player->desk);
}

// The packet of an order: a copy of the one that is kept, else made and kept.
static sn_status make_packet(desk_player *player, const order *next, const stage *stage,
                             wire_packet **packet, sn_error *error) {
    const packet_head *head = &next->head;
    pthread_mutex_lock(&player->lock);
    const wire_packet *kept = player_find_kept(player, head->slot, &next->view, head->frame);
    *packet = kept ? packet_copy_frame(kept, head->serial, next->view.number) : NULL;
    pthread_mutex_unlock(&player->lock);
    sn_status status = SN_OK;
    if (kept) {
        return *packet ? SN_OK : app_fail_memory(error);
    }
    SN_TRY(packet_write_frame(head, stage, &next->view, packet, error));
    pthread_mutex_lock(&player->lock);
    frame_origin origin = player_renew_kept(player, head->slot);
    if (origin.model == next->origin.model && origin.held == next->origin.held &&
        !player_is_live(player, head->slot)) {
        player_keep(player, head->slot, &next->view, head->frame, *packet);
    }
    pthread_mutex_unlock(&player->lock);
cleanup:
    return status;
}

// Of live steps the time of the frame at which the clip stands.
static double time_of(const stage *stage, uint32_t number) {
    return stage->motion ? number / sn_motion_rate(stage->motion) : 0;
}

void player_serve_pages(desk_player *player, uint32_t slot, stage *stage, uint32_t number) {
    packet_head head = {.kind = PACKET_FRAME,
                        .slot = slot,
                        .model = stage->serial,
                        .frame = number,
                        .time = time_of(stage, number)};
    order next;
    for (uint32_t at = 0; next_order(player, &at, &head, stage, &next);) {
        wire_packet *packet = NULL;
        sn_error error = {0};
        if (make_packet(player, &next, stage, &packet, &error) == SN_OK) {
            deliver(player, &next, packet);
        } else {
            desk_notice(player->desk, next.page, "warning", "A frame could not be shown: %s",
                        error.message);
        }
        packet_view_deinit(&next.view);
    }
}
