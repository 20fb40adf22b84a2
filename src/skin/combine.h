// SPDX-License-Identifier: Apache-2.0
//
// Deformers that move the same points side by side (combine.c).
#ifndef SINEW_SKIN_COMBINE_H
#define SINEW_SKIN_COMBINE_H

#include "base/error.h"
#include "sinew/skin.h"
#include "sinew/vector.h"

// What one deformer has made of the points, with its weights.
typedef struct sni_combined {
    const float *points;        // #V x 3
    double weight;              // 0 to 1, at all points
    const float *point_weights; // #V; NULL: 1
    bool is_weighted;           // the points have the weights applied already
} sni_combined;

typedef struct sni_combine_job {
    sn_wrap_combination mode;
    uint32_t vertex_count;
    uint32_t count;
    const sni_combined *items;
    const float *points_in; // #V x 3
    float *points_out;      // #V x 3
} sni_combine_job;

void sni_combine_points(sn_context *context, const sni_combine_job *job);

#endif
