// SPDX-License-Identifier: Apache-2.0
//
// What the net, which carries messages, and the desk, which answers them, agree on: pages, by their
// numbers, and packets. The desk implements these calls; the net knows no more of it.
//
// All calls may come from any thread, but those of one page from one thread at a time. None blocks
// for long.
#ifndef SINEW_STUDIO_PAGES_H
#define SINEW_STUDIO_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct desk desk;

#define DESK_PAGE_LIMIT 16

// A page came: its number, 0 when there are too many. Its first message will be `hello`.
uint32_t desk_join(desk *desk);
void desk_leave(desk *desk, uint32_t page);

// Whether a page has said hello, and may say more than one that nobody knows.
bool desk_greeted(desk *desk, uint32_t page);

// A message of a page. False: too many wait, or the page is lost; close its connection.
bool desk_receive(desk *desk, uint32_t page, const char *text, size_t size);
bool desk_receive_bytes(desk *desk, uint32_t page, const void *bytes, size_t size);

// Room that stands before the bytes of a packet, for the socket's own header (LWS_PRE).
#define WIRE_PACKET_ROOM 32

// A text or binary message to a page.
typedef struct wire_packet {
    size_t size;
    bool binary;
    uint8_t room[WIRE_PACKET_ROOM];
    uint8_t bytes[];
} wire_packet;

// For `size` bytes, which the caller fills in; NULL without memory. free() it.
wire_packet *wire_packet_create(size_t size, bool binary);

// What waits for a page: texts in order first, then the newest frame when it may have one. NULL:
// nothing. free() it.
wire_packet *desk_take(desk *desk, uint32_t page);

// Whether so much waited for a page that it was dropped: close its connection. A page that comes
// again gets everything anew.
bool desk_lost(desk *desk, uint32_t page);

#endif
