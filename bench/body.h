// SPDX-License-Identifier: Apache-2.0
//
// A body of some 150 solids to extract a skin from: an animal with arms, legs, fingers, toes and a
// tail, as many components and as spread out as the monkey of Wilhelms and Van Gelder 1997.
#ifndef SINEW_BENCH_BODY_H
#define SINEW_BENCH_BODY_H

#include "geometry/density.h"

enum { SNB_BODY_MOST = 256, SNB_CAPSULES_MOST = 16, SNB_CAPSULE_VERTICES = 6 * 16 + 2 };

// Capsules are meshes; everything else is ellipsoids.
typedef struct snb_body {
    uint32_t count;
    sni_solid solids[SNB_BODY_MOST];
    uint32_t capsule_count;
    float positions[SNB_CAPSULES_MOST][3 * SNB_CAPSULE_VERTICES];
    uint32_t vertices[3 * 2 * (SNB_CAPSULE_VERTICES - 2)]; // shared by all capsules
} snb_body;

// Fills a body. It points into itself and must not be moved.
void snb_body_init(snb_body *body);

#endif
