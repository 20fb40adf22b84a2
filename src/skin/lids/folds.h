// SPDX-License-Identifier: Apache-2.0
//
// Where the skin around an opening goes through itself.
#ifndef SINEW_SKIN_LIDS_FOLDS_H
#define SINEW_SKIN_LIDS_FOLDS_H

#include "skin/lids/lids.h"

// Finds the triangles around the opening and what is next to each vertex. What crosses at rest
// counts no more.
sn_status sni_lid_folds_lay(const sni_lids_desc *desc, sni_lids *lids, sn_error *error);

// What a search needs for a moment.
typedef struct sni_lid_fold_search {
    const sn_vec3 *points; // of vertices of the lids
    uint32_t *order;       // fold_count; triangles by where they begin along the lids
    double (*bounds)[6];   // fold_count; low and high along each axis
    double slack;          // how far an edge may pass a triangle by, in parts of its size
} sni_lid_fold_search;

bool sni_lid_fold_search_make(const sni_lids *lids, sni_arena *arena, const sn_vec3 *points,
                              sni_lid_fold_search *search);

// Sets marks[vertex] of the vertices of triangles that go through each other; returns how many
// pairs there are.
uint32_t sni_lid_folds_mark(const sni_lids *lids, sni_lid_fold_search *search, uint8_t *marks);

#endif
