// SPDX-License-Identifier: Apache-2.0
//
// Frames as a page gets them, and a character of the test's own beside the desk's.
#ifndef SNT_STUDIO_FRAMES_H
#define SNT_STUDIO_FRAMES_H

#include "page.h"

#include "player/player.h"

// ---------------------------------------------------------------------------------------------
// Binary messages as a page reads them

typedef struct frame_head {
    uint32_t kind, slot, model, serial, frame, blocks;
    double time;
} frame_head;

static inline uint32_t word(const wire_packet *packet, size_t at) {
    uint32_t value;
    assert_true(at + 4 <= packet->size);
    memcpy(&value, packet->bytes + at, 4);
    return value;
}

static inline frame_head read_head(const wire_packet *packet) {
    frame_head head = {word(packet, 4),
                       word(packet, 8),
                       word(packet, 12),
                       word(packet, 16),
                       word(packet, 20),
                       word(packet, 32),
                       0};
    assert_memory_equal(packet->bytes, "SNWG", 4);
    memcpy(&head.time, packet->bytes + 24, 8);
    return head;
}

// The bytes of a block, NULL where the packet has none of this kind. All blocks are walked.
static inline const uint8_t *find_block(const wire_packet *packet, uint32_t surface, uint32_t what,
                                        uint32_t *count, size_t *bytes) {
    const uint8_t *found = NULL;
    size_t at = 40;
    for (uint32_t i = 0; i < word(packet, 32); ++i) {
        size_t size = word(packet, at + 12);
        assert_int_equal(at % 8, 0);
        if (word(packet, at) == surface && word(packet, at + 4) == what) {
            found = packet->bytes + at + 16;
            *count = word(packet, at + 8);
            *bytes = size;
        }
        at += 16 + (size + 7) / 8 * 8;
        assert_true(at <= packet->size);
    }
    assert_int_equal(at, packet->size);
    return found;
}

// What a page takes next when it is binary; texts are kept. NULL: nothing waits.
static inline wire_packet *try_binary(snt_page *p) {
    page_take(p);
    if (p->packet_count == 0) {
        return NULL;
    }
    wire_packet *packet = p->packets[0];
    memmove(p->packets, p->packets + 1, --p->packet_count * sizeof *p->packets);
    return packet;
}

static inline wire_packet *wait_binary(snt_page *p) {
    time_t start = time(NULL);
    for (;;) {
        wire_packet *packet = try_binary(p);
        if (packet) {
            return packet;
        }
        assert_true(time(NULL) - start < 500);
        usleep(300);
    }
}

static inline void acknowledge(snt_page *p, uint32_t serial) {
    char text[64];
    snprintf(text, sizeof text, "{\"do\": \"ack\", \"serial\": %u}", serial);
    assert_true(desk_receive(p->desk, p->page, text, strlen(text)));
}

// The next frame of a slot that satisfies number and model (SN_NONE: any); all are acknowledged.
static inline wire_packet *wait_frame(snt_page *p, uint32_t slot, uint32_t model, uint32_t number) {
    for (;;) {
        wire_packet *packet = wait_binary(p);
        frame_head head = read_head(packet);
        assert_int_equal(head.kind, 2);
        acknowledge(p, head.serial);
        if (head.slot == slot && (model == SN_NONE || head.model == model) &&
            (number == SN_NONE || head.frame == number)) {
            return packet;
        }
        free(packet);
    }
}

// ---------------------------------------------------------------------------------------------
// A character of its own beside the desk's

typedef struct twin {
    sn_character *character;
    sn_model *model;
    sn_motion *motion;
    sn_frame *frame;
} twin;

static inline twin make_twin(snt_page *p, const char *path) {
    twin t = {0};
    snt_ok(sn_character_load(p->context, path, &t.character, error));
    snt_ok(sn_model_create(t.character, NULL, &t.model, error));
    if (sn_model_clip_count(t.model) > 0) {
        snt_ok(sn_motion_open(t.model, sn_model_clip_name(t.model, 0), &t.motion, error));
    }
    snt_ok(sn_frame_create(t.model, &t.frame, error));
    return t;
}

static inline void end_twin(twin *t) {
    sn_frame_destroy(t->frame);
    sn_motion_destroy(t->motion);
    sn_model_destroy(t->model);
    sn_character_destroy(t->character);
}

static inline void assert_block(const wire_packet *packet, uint32_t surface, uint32_t what,
                                const void *bytes, size_t size) {
    uint32_t count = 0;
    size_t found_size = 0;
    const uint8_t *found = find_block(packet, surface, what, &count, &found_size);
    assert_non_null(found);
    assert_int_equal(found_size, size);
    assert_memory_equal(found, bytes, size);
}

// Bit by bit what the library computes.
static inline void assert_frame(const wire_packet *packet, twin *t, uint32_t number) {
    snt_ok(sn_frame_evaluate(t->frame, t->motion, number, error));
    uint32_t segments = sn_model_skeleton(t->model)->segment_count;
    for (uint32_t i = 0; i < sn_model_surface_count(t->model); ++i) {
        const sn_mesh *mesh = sn_model_surface(t->model, i)->mesh;
        assert_block(packet, i, PACKET_POINTS, sn_frame_points(t->frame, i),
                     12 * (size_t)mesh->vertex_count);
    }
    assert_block(packet, SN_NONE, PACKET_JOINTS, sn_frame_joint_parameters(t->frame),
                 72 * (size_t)segments);
    assert_block(packet, SN_NONE, PACKET_CONTROLS, sn_frame_controls(t->frame),
                 8 * (size_t)sn_model_control_count(t->model));
    frame_head head = read_head(packet);
    assert_true(head.time == sn_frame_time(t->frame));
}

// ---------------------------------------------------------------------------------------------

static inline uint32_t model_serial(const sn_json *event) {
    return (uint32_t)sn_value_number(sn_json_find(event, "/model"), 0);
}

// Opens an example in a slot and looks at everything; gives the number of its model.
static inline uint32_t open_example(snt_page *p, uint32_t slot, const char *path) {
    page_ok(p, "{'do': 'open', 'slot': %u, 'path': '%s'}", slot, path);
    sn_json *event = page_event(p, "model");
    uint32_t serial = model_serial(event);
    uint32_t count = sn_value_count(sn_json_find(event, "/surfaces"));
    char surfaces[4096] = "";
    for (uint32_t i = 0; i < count; ++i) {
        size_t size = strlen(surfaces);
        snprintf(surfaces + size, sizeof surfaces - size, "%s%u", i > 0 ? "," : "", i);
    }
    page_ok(p, "{'do': 'view', 'slot': %u, 'surfaces': [%s]}", slot, surfaces);
    sn_json_destroy(event);
    return serial;
}

static inline void begin(snt_page *p, const char *name) {
    page_begin_with(p, name, snt_source("examples"));
}

#endif
