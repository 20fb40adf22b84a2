// SPDX-License-Identifier: Apache-2.0
//
// Stands in for the desk until there is one: answers every message with `welcome`.
#include "desk.h"

#include <stdlib.h>
#include <string.h>

struct desk {
    desk_desc desc;
    bool joined[DESK_PAGE_LIMIT + 1];
    int waiting[DESK_PAGE_LIMIT + 1];
};

sn_status desk_create(const desk_desc *desc, desk **result, sn_error *error) {
    (void)error;
    *result = calloc(1, sizeof **result);
    (*result)->desc = *desc;
    return SN_OK;
}

void desk_destroy(desk *d) {
    free(d);
}

void desk_open_first(desk *d, const char *path) {
    (void)d;
    (void)path;
}

uint32_t desk_join(desk *d) {
    for (uint32_t i = 1; i <= DESK_PAGE_LIMIT; ++i) {
        if (!d->joined[i]) {
            d->joined[i] = true;
            d->waiting[i] = 0;
            return i;
        }
    }
    return 0;
}

void desk_leave(desk *d, uint32_t page) {
    d->joined[page] = false;
}

bool desk_receive(desk *d, uint32_t page, const char *text, size_t size) {
    (void)text;
    (void)size;
    ++d->waiting[page];
    d->desc.wake(d->desc.user);
    return true;
}

bool desk_receive_bytes(desk *d, uint32_t page, const void *bytes, size_t size) {
    return desk_receive(d, page, bytes, size);
}

desk_packet *desk_take(desk *d, uint32_t page) {
    static const char text[] = "{\"event\":\"welcome\",\"version\":\"0.1.0\"}";
    if (d->waiting[page] == 0) {
        return NULL;
    }
    --d->waiting[page];
    desk_packet *packet = calloc(1, sizeof *packet + sizeof text);
    packet->size = sizeof text - 1;
    memcpy(packet->bytes, text, packet->size);
    return packet;
}

bool desk_waits(desk *d, uint32_t page) {
    return d->waiting[page] > 0;
}

bool desk_lost(desk *d, uint32_t page) {
    (void)d;
    (void)page;
    return false;
}
