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
        *view = (packet_view){0};
        pthread_cond_signal(&player->wake);
    } else {
        status = desk_fail(error, SN_LIMIT, "", "there are too many pages");
    }
    pthread_mutex_unlock(&player->lock);
    packet_view_deinit(view);
    return status;
}

void player_acknowledge(desk_player *player, uint32_t number, uint32_t serial) {
    pthread_mutex_lock(&player->lock);
    player_page *page = player_find_page(player, number);
    for (uint32_t i = 0; page && i < DESK_SLOTS; ++i) {
        page_seat *seat = &page->seats[i];
        for (uint32_t k = 0; k < seat->unacknowledged_count; ++k) {
            if (seat->unacknowledged[k] == serial) {
                seat->unacknowledged[k] = seat->unacknowledged[--seat->unacknowledged_count];
                pthread_cond_signal(&player->wake);
                break;
            }
        }
    }
    pthread_mutex_unlock(&player->lock);
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

static bool wants(const desk_player *player, const player_page *page, uint32_t slot) {
    const seat *seat = &player->seats[slot];
    const page_seat *mine = &page->seats[slot];
    return page->number != 0 && mine->set && seat->stage->announced && seat->evaluation != 0 &&
           !seat->dirty && mine->sent != seat->evaluation &&
           mine->unacknowledged_count < UNACKNOWLEDGED_LIMIT &&
           !(mine->view.still && player->playing);
}

bool player_someone_wants(desk_player *player, uint32_t slot) {
    for (uint32_t i = 0; i < DESK_PAGE_LIMIT; ++i) {
        if (wants(player, &player->pages[i], slot)) {
            return true;
        }
    }
    return false;
}

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

// What is made for a page, while the lock is open.
typedef struct order {
    uint32_t page;
    packet_view view;
    packet_head head;
    uint64_t evaluation;
} order;

// The next page that wants a packet, marked as having got it.
static bool next_order(desk_player *player, uint32_t slot, const stage *stage, order *next) {
    bool found = false;
    pthread_mutex_lock(&player->lock);
    const seat *seat = &player->seats[slot];
    for (uint32_t i = 0; i < DESK_PAGE_LIMIT && !found && seat->stage == stage; ++i) {
        player_page *page = &player->pages[i];
        if (!wants(player, page, slot)) {
            continue;
        }
        page->seats[slot].sent = seat->evaluation;
        found = packet_view_copy(&page->seats[slot].view, &next->view, NULL) == SN_OK;
        next->page = page->number;
        next->evaluation = seat->evaluation;
        next->head = (packet_head){.kind = PACKET_FRAME,
                                   .slot = slot,
                                   .model = stage->serial,
                                   .serial = ++player->last_serial,
                                   .frame = seat->number,
                                   .time = sn_frame_time(stage->frame)};
    }
    pthread_mutex_unlock(&player->lock);
    return found;
}

// Hands a packet over, unless the page went or wants something else by now.
static void deliver(desk_player *player, const order *done, wire_packet *packet) {
    pthread_mutex_lock(&player->lock);
    player_page *page = player_find_page(player, done->page);
    page_seat *seat = page ? &page->seats[done->head.slot] : NULL;
    if (seat && seat->sent == done->evaluation) {
        free(seat->pending);
        seat->pending = packet;
        seat->pending_serial = done->head.serial;
        packet = NULL;
    }
    pthread_mutex_unlock(&player->lock);
    free(packet);
    desk_wake(player->desk);
}

void player_serve_pages(desk_player *player, uint32_t slot, stage *stage) {
    order next = {0};
    while (next_order(player, slot, stage, &next)) {
        wire_packet *packet = NULL;
        sn_error error = {0};
        if (packet_write_frame(&next.head, stage, &next.view, &packet, &error) == SN_OK) {
            deliver(player, &next, packet);
        } else {
            desk_notice(player->desk, next.page, "warning", "A frame could not be shown: %s",
                        error.message);
        }
        packet_view_deinit(&next.view);
    }
}
