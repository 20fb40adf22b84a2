// SPDX-License-Identifier: Apache-2.0
//
// A fibre of a pose as somebody sees it who asks about eight points at once, in floats: what
// sni_fibre_field says about one point in doubles. Its axis is in runs of links, each in a box, so
// that most points are told to be far away, and the nearest link of all others is found, without a
// look at every link.
#ifndef SINEW_MUSCLE_FIBRE_LANES_H
#define SINEW_MUSCLE_FIBRE_LANES_H

#include "base/memory.h"
#include "kind/muscle_surface.h"
#include "muscle/fibre/axis.h"

enum { SNI_FIBRE_RUNS = 8 };

// A profile as it counts in a section: width times factor times s^(a-1) (1-s)^(b-1).
typedef struct sni_fibre_lanes_shape {
    uint32_t a, b;
    float factor; // 0: it does not count
} sni_fibre_lanes_shape;

// A point of the axis, and the link from it to the next one.
typedef struct sni_fibre_lanes_row {
    float point[3], part;     // part of the length
    float direction[3], size; // of the link
    float normal[3], unused;
} sni_fibre_lanes_row;

typedef struct sni_fibre_lanes {
    uint32_t link_count;
    uint32_t run_size; // links in a run, fewer in the last ones
    float length;
    float widest;                    // no section is wider
    float half[2];                   // squares of the half axes of a section: u^2 and 1/u^2
    sni_fibre_lanes_shape shapes[2]; // rest, active
    // Boxes of the runs, x, y and z. Runs without links are infinitely far away.
    float lows[3][SNI_FIBRE_RUNS], highs[3][SNI_FIBRE_RUNS];
    float widests[SNI_FIBRE_RUNS]; // no section of a run is wider
    // One for each point, and one before the first, at its place: the links of that one and of the
    // last point have no length.
    sni_fibre_lanes_row rows[];
} sni_fibre_lanes;

static inline size_t sni_fibre_lanes_bytes(uint32_t point_count) {
    return sizeof(sni_fibre_lanes) + ((size_t)point_count + 1) * sizeof(sni_fibre_lanes_row);
}

// `thickness`: the largest w Phi. `lanes` has sni_fibre_lanes_bytes of memory.
void sni_fibre_lanes_make(const sni_fibre_axis *axis, const sni_fibre_section *section,
                          double thickness, const sni_solid_view *view, sni_fibre_lanes *lanes);

// seen_at_least and seen_distances of kind/muscle_surface.h.
float sni_fibre_lanes_at_least(sn_context *context, const sni_fibre_lanes *lanes,
                               const float box[6]);
void sni_fibre_lanes_field(sn_context *context, const sni_fibre_lanes *lanes,
                           const sni_solid_places *places, sni_solid_distances *distances);

#endif
