// SPDX-License-Identifier: Apache-2.0
//
// The desk: the work of the studio without sockets. Pages join, say what they want as texts
// (docs/studio-protocol.md) and take what waits for them. Behind it stand the documents with their
// histories, the thread that makes models, the one that evaluates frames, and jobs.
//
// All calls may come from any thread, but those of one page from one thread at a time. None blocks
// for long, but for desk_destroy, which waits until all work has stopped.
#ifndef SINEW_STUDIO_DESK_H
#define SINEW_STUDIO_DESK_H

#include "sinew/base.h"

typedef struct desk desk;

#define DESK_PAGE_LIMIT 16

typedef struct desk_desc {
    const char *examples;     // folder of the shipped characters; NULL: none
    const char *web_gallery;  // folder of their pictures; NULL: none
    const char *state_folder; // journals, recent files; made where it is not there
    const char *const *roots; // folders in which files may be read and written
    uint32_t root_count;
    uint32_t threads;         // 0: as many as there are cores
    void (*wake)(void *user); // called from any thread when something waits for a page; NULL: none
    void *user;
} desk_desc;

// Everything in the description is copied.
sn_status desk_create(const desk_desc *desc, desk **result, sn_error *error);
void desk_destroy(desk *desk); // NULL is allowed

// Opens a document (or makes one from a model file) in a slot, as the request `open` does. The
// outcome is told to pages as events; failures, too, as a notice.
void desk_open_first(desk *desk, uint32_t slot, const char *path);

// A page came: its number, 0 when there are too many. Its first message will be `hello`.
uint32_t desk_join(desk *desk);
void desk_leave(desk *desk, uint32_t page);

// Whether a page has said hello, and may say more than one that nobody knows.
bool desk_greeted(desk *desk, uint32_t page);

// A message of a page. False: too many wait, or the page is lost; close its connection.
bool desk_receive(desk *desk, uint32_t page, const char *text, size_t size);
bool desk_receive_bytes(desk *desk, uint32_t page, const void *bytes, size_t size);

// Room that stands before the bytes of a packet, for the socket's own header (LWS_PRE).
#define DESK_PACKET_ROOM 32

typedef struct desk_packet {
    size_t size;
    bool binary;
    uint8_t room[DESK_PACKET_ROOM];
    uint8_t bytes[];
} desk_packet;

// What waits for a page: texts in order first, then the newest frame when it may have one. NULL:
// nothing. free() it.
desk_packet *desk_take(desk *desk, uint32_t page);

// Whether desk_take would give something.
bool desk_waits(desk *desk, uint32_t page);

// Whether so much waited for a page that it was dropped: close its connection. A page that comes
// again gets everything anew.
bool desk_lost(desk *desk, uint32_t page);

#endif
