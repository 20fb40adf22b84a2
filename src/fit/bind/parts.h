// SPDX-License-Identifier: Apache-2.0
//
// What is done to the weights of a body's vertices after they are solved.
#ifndef SINEW_FIT_BIND_PARTS_H
#define SINEW_FIT_BIND_PARTS_H

#include "fit/bind/girths.h"
#include "fit/bind/inside.h"
#include "fit/influences.h"

typedef struct sni_parts {
    const sni_volume *volume;
    const sni_limbs *limbs;
    const sni_inside *inside;
    const sni_routes *routes;
    const sni_girths *girths;
    uint32_t width;        // of rows
    uint32_t influences;   // that are left at most
    sni_influence *rows;   // vertices of the volume x width
    uint32_t *first_lines; // segment_count + 1: while it works
    uint32_t loose_count;  // parts that no way reaches
} sni_parts;

// Leaves each vertex its strongest influences, none of them on the other side of the body, and adds
// them up to 1. Small parts without limbs of their own, such as eyes and buttons, move as one.
// Parts that no limb reaches take the weights of the surface nearest to them.
sn_status sni_parts_settle(sni_parts *parts, const sn_progress *progress, sn_error *error);

#endif
