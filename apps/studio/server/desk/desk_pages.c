// SPDX-License-Identifier: Apache-2.0
//
// Pages and what waits for them: a queue of letters each, bounded in bytes. A page that does not
// take its letters is dropped, and everything goes on without it.
#include "desk/desk_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LETTER_COUNT_LIMIT 20000

static void free_letter(desk_letter *letter) {
    free(letter->packet);
    free(letter->replaces);
    free(letter);
}

static void drop_letters(desk_page *page) {
    while (page->first) {
        desk_letter *letter = page->first;
        page->first = letter->next;
        free_letter(letter);
    }
    page->end = &page->first;
    page->letter_count = 0;
    page->letter_bytes = 0;
}

// A letter that says the newest of something takes the place of the older one at the end.
static void remove_replaced(desk_page *page, const char *replaces) {
    desk_letter **link = &page->first;
    while (*link) {
        desk_letter *letter = *link;
        if (!letter->replaces || strcmp(letter->replaces, replaces) != 0) {
            link = &letter->next;
            continue;
        }
        *link = letter->next;
        if (page->end == &letter->next) {
            page->end = link;
        }
        page->letter_count -= 1;
        page->letter_bytes -= letter->packet->size;
        free_letter(letter);
        return;
    }
}

// Takes over the letter's packet.
static void post_letter(desk_page *page, wire_packet *packet, const char *replaces) {
    if (replaces) {
        remove_replaced(page, replaces);
    }
    desk_letter *letter = calloc(1, sizeof *letter);
    if (letter && replaces) {
        letter->replaces = desk_copy_string(replaces);
    }
    if (!letter || page->lost || page->letter_count >= LETTER_COUNT_LIMIT ||
        packet->size > LETTER_BYTES_LIMIT - page->letter_bytes) {
        page->lost = true;
        drop_letters(page);
        free(letter ? letter->replaces : NULL);
        free(letter);
        free(packet);
        return;
    }
    letter->packet = packet;
    *page->end = letter;
    page->end = &letter->next;
    page->letter_count += 1;
    page->letter_bytes += packet->size;
}

desk_page *desk_find_page(desk *desk, uint32_t number) {
    for (uint32_t i = 0; number != 0 && i < DESK_PAGE_LIMIT; ++i) {
        if (desk->pages[i].number == number) {
            return &desk->pages[i];
        }
    }
    return NULL;
}

void desk_wake(desk *desk) {
    if (desk->wake) {
        desk->wake(desk->wake_user);
    }
}

void desk_send_packet(desk *desk, uint32_t number, wire_packet *packet) {
    if (!packet) {
        return;
    }
    pthread_mutex_lock(&desk->lock);
    desk_page *page = desk_find_page(desk, number);
    if (page) {
        post_letter(page, packet, NULL);
    } else {
        free(packet);
    }
    pthread_mutex_unlock(&desk->lock);
    desk_wake(desk);
}

static void send_text(desk *desk, uint32_t number, const char *text, size_t size,
                      const char *replaces, bool greeted_only) {
    pthread_mutex_lock(&desk->lock);
    for (uint32_t i = 0; i < DESK_PAGE_LIMIT; ++i) {
        desk_page *page = &desk->pages[i];
        if (page->number == 0 || (number != DESK_ALL_PAGES && page->number != number) ||
            (greeted_only && !page->greeted)) {
            continue;
        }
        wire_packet *packet = wire_packet_create(size, false);
        if (!packet) {
            page->lost = true;
            continue;
        }
        memcpy(packet->bytes, text, size);
        post_letter(page, packet, replaces);
    }
    pthread_mutex_unlock(&desk->lock);
    desk_wake(desk);
}

void desk_send_text(desk *desk, uint32_t page, const char *text, size_t size) {
    send_text(desk, page, text, size, NULL, true);
}

static void send_tree(desk *desk, uint32_t page, const sn_json *json, const char *replaces,
                      bool greeted_only) {
    char *text = NULL;
    size_t size = 0;
    if (json && sn_json_write(json, &text, &size, NULL) == SN_OK) {
        send_text(desk, page, text, size, replaces, greeted_only);
        sn_json_free_text(desk->context, text);
    }
}

sn_json *desk_event(desk *desk, const char *event) {
    sn_json *json = NULL;
    if (sn_json_create(desk->context, &json, NULL) == SN_OK) {
        sn_json_add_string(json, sn_json_root(json), "event", event);
    }
    return json;
}

void desk_send(desk *desk, uint32_t page, sn_json *event, const char *replaces) {
    send_tree(desk, page, event, replaces, true);
    sn_json_destroy(event);
}

// With the lock held.
static bool has_listener(const desk *desk) {
    for (uint32_t i = 0; i < DESK_PAGE_LIMIT; ++i) {
        if (desk->pages[i].number != 0 && desk->pages[i].greeted) {
            return true;
        }
    }
    return false;
}

bool desk_has_listener(desk *desk) {
    pthread_mutex_lock(&desk->lock);
    bool has = has_listener(desk);
    pthread_mutex_unlock(&desk->lock);
    return has;
}

// A notice that nobody is there to hear waits for the next page. True: it does.
static bool keep_notice(desk *desk, const sn_json *event) {
    char *text = NULL;
    size_t size = 0;
    if (desk_has_listener(desk) || sn_json_write(event, &text, &size, NULL) != SN_OK) {
        return false;
    }
    char *copy = desk_copy_string(text);
    sn_json_free_text(desk->context, text);
    pthread_mutex_lock(&desk->lock);
    bool keeps = copy && !has_listener(desk);
    if (keeps && desk->kept_count == KEPT_NOTICES) {
        free(desk->kept_notices[0]);
        memmove(desk->kept_notices, desk->kept_notices + 1,
                --desk->kept_count * sizeof *desk->kept_notices);
    }
    if (keeps) {
        desk->kept_notices[desk->kept_count++] = copy;
    }
    pthread_mutex_unlock(&desk->lock);
    if (!keeps) {
        free(copy);
    }
    return keeps;
}

void desk_tell_kept(desk *desk, uint32_t page) {
    char *kept[KEPT_NOTICES];
    pthread_mutex_lock(&desk->lock);
    uint32_t count = desk->kept_count;
    memcpy(kept, desk->kept_notices, sizeof kept);
    desk->kept_count = 0;
    pthread_mutex_unlock(&desk->lock);
    for (uint32_t i = 0; i < count; ++i) {
        desk_send_text(desk, page, kept[i], strlen(kept[i]));
        free(kept[i]);
    }
}

void desk_notice(desk *desk, uint32_t page, const char *level, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sn_json *event = desk_event(desk, "notice");
    if (event) {
        sn_json_add_string(event, sn_json_root(event), "level", level);
        sn_json_add_string(event, sn_json_root(event), "text", text);
        if (page == DESK_ALL_PAGES && keep_notice(desk, event)) {
            sn_json_destroy(event);
        } else {
            desk_send(desk, page, event, NULL);
        }
    }
}

sn_value *desk_add_error(sn_json *json, sn_value *object, const char *key, const sn_error *error) {
    sn_value *value = sn_json_add_object(json, object, key);
    sn_json_add_string(json, value, "status", desk_status_name(error));
    sn_json_add_string(json, value, "message",
                       error->message[0] ? error->message : desk_status_name(error));
    sn_json_add_string(json, value, "source", error->source);
    sn_json_add_string(json, value, "place", error->place);
    sn_json_add_number(json, value, "line", error->line);
    return value;
}

// ---------------------------------------------------------------------------------------------
// Answers

struct desk_ticket {
    uint32_t page;
    bool has_id;
    double id;
};

desk_ticket *desk_answer_later(desk *desk, desk_request *request) {
    (void)desk;
    desk_ticket *ticket = calloc(1, sizeof *ticket);
    if (ticket) {
        *ticket = (desk_ticket){request->page, request->has_id, request->id};
        request->later = true;
    }
    return ticket;
}

void desk_answer(desk *desk, desk_ticket *ticket, const sn_json *ok, const sn_error *error) {
    sn_json *json = NULL;
    if (ticket && ticket->has_id && sn_json_create(desk->context, &json, NULL) == SN_OK) {
        sn_value *root = sn_json_root(json);
        sn_json_add_number(json, root, "id", ticket->id);
        if (error) {
            desk_add_error(json, root, "error", error);
        } else if (ok) {
            sn_json_add_copy(json, root, "ok", sn_json_root(ok));
        } else {
            sn_json_add_object(json, root, "ok");
        }
        send_tree(desk, ticket->page, json, NULL, false);
        sn_json_destroy(json);
    }
    free(ticket);
}

void desk_refuse(desk *desk, uint32_t page, const sn_error *error) {
    sn_json *json = NULL;
    if (sn_json_create(desk->context, &json, NULL) == SN_OK) {
        sn_json_add_null(json, sn_json_root(json), "id");
        desk_add_error(json, sn_json_root(json), "error", error);
        send_tree(desk, page, json, NULL, false);
        sn_json_destroy(json);
    }
}

// ---------------------------------------------------------------------------------------------
// Coming, taking and going

void desk_pages_init(desk *desk) {
    for (uint32_t i = 0; i < DESK_PAGE_LIMIT; ++i) {
        desk->pages[i].end = &desk->pages[i].first;
    }
}

void desk_pages_deinit(desk *desk) {
    for (uint32_t i = 0; i < DESK_PAGE_LIMIT; ++i) {
        drop_letters(&desk->pages[i]);
    }
    while (desk->kept_count > 0) {
        free(desk->kept_notices[--desk->kept_count]);
    }
}

uint32_t desk_join(desk *desk) {
    uint32_t number = 0;
    pthread_mutex_lock(&desk->lock);
    for (uint32_t i = 0; i < DESK_PAGE_LIMIT && number == 0; ++i) {
        if (desk->pages[i].number == 0) {
            number = ++desk->last_page;
            desk->pages[i] = (desk_page){.number = number};
            desk->pages[i].end = &desk->pages[i].first;
        }
    }
    pthread_mutex_unlock(&desk->lock);
    return number;
}

void desk_forget_page(desk *desk, uint32_t number) {
    pthread_mutex_lock(&desk->lock);
    desk_page *page = desk_find_page(desk, number);
    if (page) {
        drop_letters(page);
        page->number = 0;
    }
    pthread_mutex_unlock(&desk->lock);
}

void desk_greet(desk *desk, uint32_t number) {
    pthread_mutex_lock(&desk->lock);
    desk_page *page = desk_find_page(desk, number);
    if (page) {
        page->greeted = true;
    }
    pthread_mutex_unlock(&desk->lock);
}

bool desk_greeted(desk *desk, uint32_t number) {
    pthread_mutex_lock(&desk->lock);
    desk_page *page = desk_find_page(desk, number);
    bool greeted = page && page->greeted;
    pthread_mutex_unlock(&desk->lock);
    return greeted;
}

static wire_packet *take_letter(desk_page *page) {
    desk_letter *letter = page->first;
    if (!letter) {
        return NULL;
    }
    page->first = letter->next;
    if (!page->first) {
        page->end = &page->first;
    }
    wire_packet *packet = letter->packet;
    page->letter_count -= 1;
    page->letter_bytes -= packet->size;
    letter->packet = NULL;
    free_letter(letter);
    return packet;
}

static wire_packet *take_frame(desk *desk, uint32_t number) {
    wire_packet *packet = NULL;
    for (uint32_t i = 0; i < desk->topics_created && !packet; ++i) {
        packet = desk_topics[i]->take ? desk_topics[i]->take(desk, number) : NULL;
    }
    return packet;
}

wire_packet *desk_take(desk *desk, uint32_t number) {
    pthread_mutex_lock(&desk->lock);
    desk_page *page = desk_find_page(desk, number);
    wire_packet *packet = page ? take_letter(page) : NULL;
    bool frames = page && !packet && page->greeted;
    pthread_mutex_unlock(&desk->lock);
    return frames ? take_frame(desk, number) : packet;
}

bool desk_lost(desk *desk, uint32_t number) {
    pthread_mutex_lock(&desk->lock);
    desk_page *page = desk_find_page(desk, number);
    bool lost = page && page->lost;
    pthread_mutex_unlock(&desk->lock);
    return lost;
}
