// SPDX-License-Identifier: Apache-2.0
//
// Of the candidates of a point those of least influence are dropped, at most the share `cut`.
#ifndef SINEW_SKIN_WRAP_CUT_H
#define SINEW_SKIN_WRAP_CUT_H

#include "skin/wrap/candidates.h"

// What the cut kept.
typedef struct sni_wrap_report {
    uint64_t elements;   // triangles, over all points
    uint32_t widest;     // triangles of the point that has most
    double largest_loss; // largest share of a point's weight that is lost, or a bound on it
    uint32_t limited;    // points that lost more than `cut` because of `elements`
} sni_wrap_report;

typedef struct sni_wrap_share {
    float influence;
    uint32_t element;
} sni_wrap_share;

// Scratch of one thread, and what the last point kept.
typedef struct sni_wrap_cut {
    uint32_t influence_capacity;
    float *influences, *lowered; // `lowered`: as influences, after the cut
    uint32_t kept_count, kept_capacity;
    sni_wrap_share *kept;
} sni_wrap_cut;

void sni_wrap_cut_deinit(sn_context *context, sni_wrap_cut *cut);

// Chooses the elements of a point, at a distance from its nearest element, into `kept`. False when
// memory runs out.
bool sni_wrap_cut_point(const sni_wrap_search *search, sni_wrap_candidates *candidates,
                        uint32_t nearest, uint32_t class, sn_vec3 point, double distance,
                        sni_wrap_cut *cut, sni_wrap_report *report);

#endif
