// SPDX-License-Identifier: Apache-2.0
//
// How the control elements of a wrap move: one affine map for each element and frame (Singh and
// Kokkevis 2000, equation 2 and section 4.2; docs/wrap.md).
//
// Maps are made as differences to the identity, D = (Q^D - Q^R) (Q^R)^-1, so that an element that
// has not moved gives exactly 0 and its points keep their bits.
#ifndef SINEW_SKIN_WRAP_FRAMES_H
#define SINEW_SKIN_WRAP_FRAMES_H

#include "skin/sparse_blend.h"
#include "skin/wrap/surface.h"

// A frame at rest.
typedef struct sni_wrap_frame {
    double axes[9];    // columns: e1, e2, e3 of Q^R; extended: n, area and lambda in the first five
    double inverse[9]; // of the axes; extended: of the ring's matrix
    uint32_t from, to; // the direction of a frame without area; SN_NONE: it only travels
    uint32_t ring;     // the vertex whose triangles give its normal; SN_NONE: none do
    uint32_t kind;
} sni_wrap_frame;

typedef struct sni_wrap_frames {
    bool extended;
    uint32_t vertex_count;   // of the driver
    uint32_t triangle_count; // of the driver
    uint32_t count;          // elements: triangles, or vertices when extended
    uint32_t *triangles;     // triangle_count x 3
    float *rest;             // vertex_count x 3
    float arm;               // length of the frames in sni_wrap_frame_points
    float *arms;             // vertex_count x 9: these points, where they were given; else NULL
    uint32_t *ring_offsets;  // vertex_count + 1
    uint32_t *rings;         // triangles around each vertex
    signed char *ring_signs; // 1, or -1 where a triangle is turned against the vertex's largest
    sni_wrap_frame *frames;  // count
} sni_wrap_frames;

// Takes what it needs from the surface, which may go afterwards.
sn_status sni_wrap_frames_init(sn_context *context, const sni_wrap_surface *surface, bool extended,
                               sni_wrap_frames *frames, sn_error *error);
void sni_wrap_frames_deinit(sn_context *context, sni_wrap_frames *frames);
size_t sni_wrap_frames_bytes(const sni_wrap_frames *frames);

// The maps of all elements for posed points of the driver (vertex_count x 3), times `factor`:
// count x SNI_BLEND_MATRIX floats as sni_blend_job takes them. `frame_points` (vertex_count x 9,
// extended only) are the posed points of sni_wrap_frame_points; NULL: maps are estimated from the
// triangles around each vertex.
void sni_wrap_frames_run(sn_context *context, const sni_wrap_frames *frames, const float *points,
                         const float *frame_points, double factor, float *matrices);

// Takes given points (vertex_count x 9) as those beside the vertices at rest. Fails with SN_INVALID
// where a vertex and its three points lie in a plane.
sn_status sni_wrap_frames_set_points(sn_context *context, sni_wrap_frames *frames,
                                     const float *points, sn_error *error);

// Section 4.2: three points beside each vertex at rest, which are to be moved as the driver is.
void sni_wrap_frame_points(const sni_wrap_frames *frames, float *frame_points);

#endif
