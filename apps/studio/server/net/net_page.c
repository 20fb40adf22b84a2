// SPDX-License-Identifier: Apache-2.0
//
// Pages: messages in, put together from their fragments; packets out, cut into fragments that are
// written only as fast as the socket takes them. Of what waits for a page, only the packet that is
// on its way stands here: the rest waits at the desk, where newer frames replace older ones.
#include "net/net_internal.h"

#include <stdlib.h>
#include <string.h>

enum { SENDS_IN_A_ROW = 16, FIRST_CAPACITY = 4096 };

void net_page_close(net_page *page, uint16_t code, const char *reason) {
    if (page->close_code == 0) {
        page->close_code = code;
        page->close_reason = reason;
        lws_callback_on_writable(page->socket);
    }
}

static void join(net_server *net, net_page *page) {
    page->number = desk_join(net->desk);
    page->joined = page->number != 0;
    if (!page->joined) {
        net_page_close(page, LWS_CLOSE_STATUS_UNEXPECTED_CONDITION, "no more pages can be opened");
        return;
    }
    ++net->page_count;
    lws_callback_on_writable(page->socket);
}

int net_page_open(net_server *net, struct lws *socket, net_page *page) {
    net_stranger_ends(net, socket);
    *page = (net_page){.socket = socket, .next = net->pages};
    net->pages = page;
    if (atomic_load(&net->stopping)) {
        net_page_close(page, LWS_CLOSE_STATUS_GOINGAWAY, "the studio is closing");
    } else if (net->page_count == NET_MAX_PAGES) {
        // 1013: try again later.
        net_page_close(page, 1013, "16 pages are open: close one of them");
    } else {
        join(net, page);
    }
    return 0;
}

static bool reserve_message(net_page *page, size_t size) {
    if (size <= page->message_capacity) {
        return true;
    }
    size_t capacity = page->message_capacity > 0 ? page->message_capacity : FIRST_CAPACITY;
    while (capacity < size) {
        capacity *= 2;
    }
    uint8_t *message = realloc(page->message, capacity);
    if (message != NULL) {
        page->message = message;
        page->message_capacity = capacity;
    }
    return message != NULL;
}

static void hand_over(net_server *net, net_page *page) {
    bool binary = lws_frame_is_binary(page->socket) != 0;
    bool taken =
        binary ? desk_receive_bytes(net->desk, page->number, page->message, page->message_size)
               : desk_receive(net->desk, page->number, (const char *)page->message,
                              page->message_size);
    page->message_size = 0;
    if (page->message_capacity > 2 * NET_MAX_MESSAGE) {
        // A large one is rare: its room is not kept for all that follow.
        free(page->message);
        page->message = NULL;
        page->message_capacity = 0;
    }
    if (!taken) {
        net_page_close(page, LWS_CLOSE_STATUS_POLICY_VIOLATION, "too many requests are waiting");
    }
}

// Whether the message that is coming may have so many bytes.
static bool may_have(net_server *net, const net_page *page, size_t size) {
    return size <= NET_MAX_MESSAGE || (size <= NET_MAX_TEXT && !lws_frame_is_binary(page->socket) &&
                                       desk_greeted(net->desk, page->number));
}

int net_page_receive(net_server *net, net_page *page, const uint8_t *bytes, size_t size) {
    if (page->close_code != 0) {
        return 0;
    }
    // A frame says at its beginning how long it is: no need to wait for the rest.
    size_t announced = lws_remaining_packet_payload(page->socket);
    if (announced > NET_MAX_TEXT || !may_have(net, page, page->message_size + size + announced)) {
        net_page_close(page, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE,
                       "a message may have 1 MiB at most, a text after hello 32 MiB");
        return 0;
    }
    // One byte more: a terminated text is there even for an empty message.
    if (!reserve_message(page, page->message_size + size + 1)) {
        net_page_close(page, LWS_CLOSE_STATUS_UNEXPECTED_CONDITION, "out of memory");
        return 0;
    }
    memcpy(page->message + page->message_size, bytes, size);
    page->message_size += size;
    page->message[page->message_size] = 0;
    if (announced == 0 && lws_is_final_fragment(page->socket)) {
        hand_over(net, page);
    }
    return 0;
}

static enum lws_write_protocol write_kind(const net_page *page, bool last) {
    int kind = page->sent > 0         ? LWS_WRITE_CONTINUATION
               : page->packet->binary ? LWS_WRITE_BINARY
                                      : LWS_WRITE_TEXT;
    return (enum lws_write_protocol)(last ? kind : kind | LWS_WRITE_NO_FIN);
}

_Static_assert(WIRE_PACKET_ROOM >= LWS_PRE, "the header of a fragment has room before a packet");

// Writes the next fragment of the packet. False: the connection is lost.
static bool send_fragment(net_page *page) {
    size_t left = page->packet->size - page->sent;
    size_t size = left < NET_SEND_BYTES ? left : NET_SEND_BYTES;
    bool last = size == left;
    // lws writes its header before them: into the packet's room, then over what has been sent.
    uint8_t *bytes = page->packet->bytes + page->sent;
    if (lws_write(page->socket, bytes, size, write_kind(page, last)) < (int)size) {
        return false;
    }
    page->sent += size;
    if (last) {
        free(page->packet);
        page->packet = NULL;
        page->sent = 0;
    }
    return true;
}

int net_page_send(net_server *net, net_page *page) {
    for (int i = 0; i < SENDS_IN_A_ROW; ++i) {
        // A close stands between messages, not within one.
        if (page->packet == NULL && page->close_code != 0) {
            lws_close_reason(page->socket, page->close_code, (uint8_t *)page->close_reason,
                             strlen(page->close_reason));
            return -1;
        }
        if (page->packet == NULL && page->joined) {
            if (desk_lost(net->desk, page->number)) {
                net_page_close(page, LWS_CLOSE_STATUS_POLICY_VIOLATION,
                               "the page reads too slowly");
                return 0;
            }
            page->packet = desk_take(net->desk, page->number);
        }
        if (page->packet == NULL) {
            return 0;
        }
        if (!send_fragment(page)) {
            return -1;
        }
        if (lws_send_pipe_choked(page->socket)) {
            break;
        }
    }
    lws_callback_on_writable(page->socket);
    return 0;
}

void net_page_gone(net_server *net, net_page *page) {
    for (net_page **link = &net->pages; *link != NULL; link = &(*link)->next) {
        if (*link == page) {
            *link = page->next;
            break;
        }
    }
    if (page->joined) {
        desk_leave(net->desk, page->number);
        page->joined = false;
        --net->page_count;
    }
    free(page->message);
    free(page->packet);
    page->message = NULL;
    page->packet = NULL;
}
