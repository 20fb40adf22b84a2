// SPDX-License-Identifier: Apache-2.0
//
// Points spread evenly over a part of a surface, with normals, for a field through them.
#ifndef SINEW_FIELD_SAMPLES_H
#define SINEW_FIELD_SAMPLES_H

#include "field/hrbf.h"

// Triangles with their corners' normals.
typedef struct sni_sampled_surface {
    uint32_t triangle_count;
    const uint32_t *vertices; // triangle_count x 3
    const float *positions;   // x 3
    const float *normals;     // x 3, outwards
} sni_sampled_surface;

// About `count` samples, none nearer to another than an even spread asks for, but for those of
// opposite sides of a thin part. The same for the same surface, count and seed. `samples` has room
// for 2 x count, `areas` (scratch) for triangle_count. Returns how many there are; none where the
// surface has no area.
uint32_t sni_sample_surface(const sni_sampled_surface *surface, uint32_t count, uint32_t seed,
                            double *areas, sni_hrbf_sample *samples);

#endif
