// SPDX-License-Identifier: Apache-2.0
//
// Eight rows of flesh.h at once: how far inwards they go in a frame.
#ifndef SINEW_SKIN_IMPLICIT_FLESH_LANES_H
#define SINEW_SKIN_IMPLICIT_FLESH_LANES_H

#include "skin/implicit/flesh.h"

// A fibre of a part in a frame, as the part sees it from its place at rest, from its origin on.
typedef struct sni_flesh_fibre {
    const sni_muscle_solid *solid;
    void *seen;
} sni_flesh_fibre;

typedef struct sni_flesh_frame {
    const sni_flesh *flesh;
    const sni_flesh_fibre *fibres; // of all parts, as flesh->muscles.lists
    const bool *still;             // of parts: nothing is moved in them
    float *ways;                   // of rows, written where lanes are solved
} sni_flesh_frame;

// A fibre that may be felt on the way of eight rows.
typedef struct sni_flesh_felt {
    uint32_t fibre;
    float bound; // it is not nearer to where one of them begins
} sni_flesh_felt;

// Groups the rows of vertices that stand for themselves.
sn_status sni_flesh_make_lanes(sn_context *context, const sni_flesh_desc *desc, sni_arena *arena,
                               sni_flesh *flesh, sn_error *error);

// Brings the fibres of a part to where it sees them; false when memory runs out.
bool sni_flesh_see(const sni_flesh *flesh, uint32_t part, const sni_solid_view *view,
                   const sni_muscle_points *posed, sni_arena *arena, sni_flesh_fibre *fibres);

// Lanes `begin` to `end`. `felt` is scratch for as many fibres as a part has at most.
void sni_flesh_solve(sn_context *context, const sni_flesh_frame *frame, uint32_t begin,
                     uint32_t end, sni_flesh_felt *felt);

#endif
