// SPDX-License-Identifier: Apache-2.0
//
// A net at work before a desk made for tests.
#ifndef SNT_STUDIO_NET_TEST_H
#define SNT_STUDIO_NET_TEST_H

#include "client.h"

// ---------------------------------------------------------------------------------------------
// The desk: gives every message back to its page. "burst N" sends N bytes instead, whose values
// are known; "refuse" is refused; "lose" makes the page one that waits no longer.

enum { TEST_PAGES = 32, TEST_QUEUE = 256 };

struct desk {
    pthread_mutex_t lock;
    net_server *net;
    struct {
        bool joined, greeted, lost;
        uint32_t count;
        wire_packet *queue[TEST_QUEUE];
    } pages[TEST_PAGES];
    uint32_t joins, leaves, received;
};

static inline uint8_t burst_byte(size_t i) {
    return (uint8_t)((i * 2654435761u) >> 13);
}

static inline wire_packet *make_packet(const void *bytes, size_t size, bool binary) {
    wire_packet *packet = malloc(sizeof *packet + size);
    assert_non_null(packet);
    packet->size = size;
    packet->binary = binary;
    if (bytes != NULL && size > 0) {
        memcpy(packet->bytes, bytes, size);
    }
    for (size_t i = 0; bytes == NULL && i < size; ++i) {
        packet->bytes[i] = burst_byte(i);
    }
    return packet;
}

uint32_t desk_join(desk *at) {
    pthread_mutex_lock(&at->lock);
    uint32_t page = 1;
    while (at->pages[page].joined) {
        ++page;
    }
    at->pages[page].joined = true;
    at->pages[page].lost = false;
    at->pages[page].greeted = false;
    ++at->joins;
    pthread_mutex_unlock(&at->lock);
    return page;
}

void desk_leave(desk *at, uint32_t page) {
    pthread_mutex_lock(&at->lock);
    for (uint32_t i = 0; i < at->pages[page].count; ++i) {
        free(at->pages[page].queue[i]);
    }
    at->pages[page].count = 0;
    at->pages[page].joined = false;
    ++at->leaves;
    pthread_mutex_unlock(&at->lock);
}

static inline bool queue_packet(desk *at, uint32_t page, wire_packet *packet) {
    pthread_mutex_lock(&at->lock);
    bool fits = at->pages[page].count < TEST_QUEUE;
    if (fits) {
        at->pages[page].queue[at->pages[page].count++] = packet;
    } else {
        free(packet);
    }
    ++at->received;
    pthread_mutex_unlock(&at->lock);
    net_wake(at->net);
    return fits;
}

bool desk_greeted(desk *at, uint32_t page) {
    return at->pages[page].greeted;
}

bool desk_receive(desk *at, uint32_t page, const char *text, size_t size) {
    unsigned long burst;
    if (size == 6 && memcmp(text, "refuse", 6) == 0) {
        return false;
    }
    if (size == 4 && memcmp(text, "lose", 4) == 0) {
        at->pages[page].lost = true;
    }
    if (size == 5 && memcmp(text, "hello", 5) == 0) {
        at->pages[page].greeted = true;
    }
    if (size < 32 && sscanf(text, "burst %lu", &burst) == 1) {
        return queue_packet(at, page, make_packet(NULL, burst, true));
    }
    return queue_packet(at, page, make_packet(text, size, false));
}

bool desk_receive_bytes(desk *at, uint32_t page, const void *bytes, size_t size) {
    return queue_packet(at, page, make_packet(size > 0 ? bytes : "", size, true));
}

wire_packet *desk_take(desk *at, uint32_t page) {
    pthread_mutex_lock(&at->lock);
    wire_packet *packet = NULL;
    if (at->pages[page].count > 0) {
        packet = at->pages[page].queue[0];
        --at->pages[page].count;
        memmove(at->pages[page].queue, at->pages[page].queue + 1,
                at->pages[page].count * sizeof packet);
    }
    pthread_mutex_unlock(&at->lock);
    return packet;
}

bool desk_lost(desk *at, uint32_t page) {
    return at->pages[page].lost;
}

// ---------------------------------------------------------------------------------------------
// The net

static inline void begin_with(fixture *f, const net_desc *desc) {
    memset(f, 0, sizeof *f);
    f->desk = calloc(1, sizeof *f->desk);
    assert_non_null(f->desk);
    pthread_mutex_init(&f->desk->lock, NULL);
    snt_ok(net_create(desc, &f->net, error));
    f->desk->net = f->net;
    read_address(f);
    assert_int_equal(pthread_create(&f->thread, NULL, serve, f), 0);
}

static inline void begin(fixture *f) {
    begin_with(f, &(net_desc){.web = make_web()});
}

// Everybody has left when it ends.
static inline void end(fixture *f) {
    net_stop(f->net);
    pthread_join(f->thread, NULL);
    assert_int_equal(f->desk->joins, f->desk->leaves);
    net_destroy(f->net);
    pthread_mutex_destroy(&f->desk->lock);
    free(f->desk);
}

// Waits until a counter of the desk has reached a value.
static inline void await_count(fixture *f, const uint32_t *counter, uint32_t value) {
    for (int i = 0; i < PATIENCE_SECONDS * 200; ++i) {
        pthread_mutex_lock(&f->desk->lock);
        bool there = *counter >= value;
        pthread_mutex_unlock(&f->desk->lock);
        if (there) {
            return;
        }
        pause_ms(5);
    }
    fail_msg("waited for %u in vain", value);
}

static inline void expect_burst(int fd, size_t wanted) {
    int kind;
    size_t size;
    uint8_t *message = receive_message(fd, &kind, &size);
    assert_int_equal(kind, OP_BINARY);
    assert_int_equal(size, wanted);
    size_t wrong = 0;
    for (size_t i = 0; i < size; ++i) {
        wrong += message[i] != burst_byte(i);
    }
    assert_int_equal(wrong, 0);
    free(message);
}

#endif
