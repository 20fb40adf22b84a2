// SPDX-License-Identifier: Apache-2.0
//
// Binary packets for pages: a header and blocks of numbers, little-endian, each on a multiple of 8
// bytes (docs/studio-protocol.md#binary-messages).
#ifndef SINEW_STUDIO_PACKET_H
#define SINEW_STUDIO_PACKET_H

#include "stage/stage.h"
#include "wire/pages.h"

typedef enum packet_kind {
    PACKET_GEOMETRY = 1,
    PACKET_FRAME = 2,
} packet_kind;

// What a block holds. The numbers are kept for ever.
typedef enum packet_what {
    PACKET_POINTS = 1,     // f32 x 3
    PACKET_NORMALS = 2,    // i8 x 4
    PACKET_VALUES = 3,     // f32
    PACKET_TRIANGLES = 4,  // u32 x 3
    PACKET_EDGES = 5,      // u32 x 2
    PACKET_REST = 6,       // f32 x 3
    PACKET_WORLDS = 7,     // f32 x 16 per segment
    PACKET_JOINTS = 8,     // f64 x 9 per segment
    PACKET_CONTROLS = 9,   // f64
    PACKET_FACES = 10,     // u32 per triangle
    PACKET_MUSCLE = 11,    // f32 x 3: shortening, activation, volume change
    PACKET_COLORS = 12,    // u8 x 4: red, green, blue (sRGB), alpha
    PACKET_STAGES = 13,    // f64: milliseconds of each stage
    PACKET_DRAWN = 14,     // u32 x 3: triangles by material
    PACKET_COPIES = 15,    // u32: the vertex that each copy is of
    PACKET_UVS = 16,       // f32 x 2 per vertex and copy
    PACKET_MATERIALS = 17, // u8: JSON
    PACKET_IMAGE = 18,     // u8: a file, PNG or JPEG
    PACKET_AXES = 19,      // f32 x 4: particles of a fibre, and how far each has swung
    PACKET_LIVE = 20,      // f64: seconds of live steps since the last change
    PACKET_SLICE = 21,     // f32: columns, rows, origin, u and v x 3 in the world, then values
} packet_what;

typedef struct packet_head {
    packet_kind kind;
    uint32_t slot, model, serial, frame, view;
    double time;
    bool live; // a live step, which others follow
    double live_seconds;
} packet_head;

// A parallelogram on which the field of the shown skins is seen: origin + s u + t v, s and t from 0
// to 1, in the frame of a segment or of the world.
typedef struct packet_slice {
    uint32_t columns, rows; // of values; 0: there is no slice
    char *segment;          // NULL: the world
    double origin[3], u[3], v[3];
} packet_slice;

enum { PACKET_SLICE_SIDE = 512, PACKET_SLICE_HEAD = 11 };

// What a page wants to see of a slot.
typedef struct packet_view {
    uint32_t *surfaces;
    uint32_t count;
    sn_quantity quantity;
    char *segment; // of weights; NULL: none
    uint32_t deformer;
    packet_slice slice;
    bool still;      // no frames while playing
    uint32_t number; // by which the page knows frames of this view
} packet_view;

void packet_view_deinit(packet_view *view);
sn_status packet_view_copy(const packet_view *view, packet_view *copy, sn_error *error);
// Whether frames of both have the same blocks: the number and `still` are no matter.
bool packet_view_same(const packet_view *a, const packet_view *b);

// The state of an evaluated frame, with the surfaces of the view that there are. Surfaces that do
// not have the view's quantity have no values.
sn_status packet_write_frame(const packet_head *head, const stage *stage, const packet_view *view,
                             wire_packet **packet, sn_error *error);

// The same frame for another page, or once more: `serial` and `view` of its header are others. NULL
// without memory.
wire_packet *packet_copy_frame(const wire_packet *packet, uint32_t serial, uint32_t view);

// Shapes of surfaces: `shapes` and their numbers, `count` each.
sn_status packet_write_geometry(const packet_head *head, stage_shape *const *shapes,
                                const uint32_t *surfaces, uint32_t count, wire_packet **packet,
                                sn_error *error);

#endif
