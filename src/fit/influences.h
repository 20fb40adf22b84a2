// SPDX-License-Identifier: Apache-2.0
//
// Rows of influences: the few limbs that a vertex follows, strongest first, while weights are being
// made.
#ifndef SINEW_FIT_INFLUENCES_H
#define SINEW_FIT_INFLUENCES_H

#include "motion/limbs.h"

typedef struct sni_influence {
    uint32_t limb; // segment; SN_NONE: unused
    double weight;
} sni_influence;

// Puts an influence into a row of `width` that is sorted by falling weight, then by limb, if it
// ranks there.
void sni_insert_influence(sni_influence *row, uint32_t width, uint32_t limb, double weight);

void sni_influences_clear(sni_influence *row, uint32_t width);

// Divides the weights of a row by their sum, which must not be 0.
void sni_influences_normalize(sni_influence *row, uint32_t width);

// Gives a mesh the weights of rows (vertex_count x width). Its bones are the limbs in use, in the
// order of the skeleton; inverse bind matrices are written where the limbs stand elsewhere than the
// skeleton at rest. Returns the number of bones in `bone_count`.
sn_status sni_influences_write(const sni_influence *rows, uint32_t width, const sni_limbs *limbs,
                               const sn_skeleton *skeleton, sn_mesh *mesh, uint32_t *bone_count,
                               sn_error *error);

#endif
