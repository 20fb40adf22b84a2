// SPDX-License-Identifier: Apache-2.0
//
// Whether landmarks of two heads belong together.
#ifndef SINEW_FIT_HEAD_CHECK_H
#define SINEW_FIT_HEAD_CHECK_H

#include "base/memory.h"
#include "sinew/vector.h"

// Landmarks of the same names on two heads, metres of each.
typedef struct sni_landmark_pairs {
    uint32_t count;
    const char *const *names;
    const sn_vec3 *from, *to;
} sni_landmark_pairs;

// Each landmark is foretold by all others, with the motion through them that bends space least.
// Fails with SN_INVALID and names: for landmarks whose left and right are exchanged, two that are
// exchanged with each other, and one that is far from where the others put it.
sn_status sni_check_landmarks(sn_context *context, const sni_landmark_pairs *pairs,
                              sn_error *error);

#endif
