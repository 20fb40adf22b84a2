// SPDX-License-Identifier: Apache-2.0
//
// The chain of wraps: a mesh of the landmarks alone moves a skull of some hundred vertices, that
// one a finer skull, and the finest of them everything else.
#ifndef SINEW_FIT_HEAD_CHAIN_H
#define SINEW_FIT_HEAD_CHAIN_H

#include "base/memory.h"
#include "sinew/geometry.h"

typedef struct sni_chain_desc {
    uint32_t vertex_count;
    const sn_vec3 *vertices; // of the bones
    uint32_t triangle_count;
    const uint32_t *triangles;
    uint32_t landmark_count;
    const sn_vec3 *landmarks; // on the bones
    const sn_vec3 *targets;   // where they are to be
} sni_chain_desc;

// Moves points that belong to the bones. In the end the landmarks' own points are moved by what is
// missing, as far as that bends space least, so that they are where they are to be.
sn_status sni_chain_move(sn_context *context, const sni_chain_desc *desc, uint32_t count,
                         sn_vec3 *points, const sn_progress *progress, sn_error *error);

#endif
