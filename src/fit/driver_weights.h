// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_FIT_DRIVER_WEIGHTS_H
#define SINEW_FIT_DRIVER_WEIGHTS_H

#include "fit/limbs.h"

typedef struct sni_driver_weights_desc {
    uint32_t influences; // 1: rigid
    uint32_t smoothing;  // rounds
} sni_driver_weights_desc;

// Gives a mesh weights on limbs: on the closest one alone, or on several of its chain. Returns the
// number of bones in `bone_count`.
sn_status sni_driver_weights_make(sn_mesh *mesh, const sni_limbs *limbs,
                                  const sn_skeleton *skeleton, const sni_driver_weights_desc *desc,
                                  uint32_t *bone_count, sn_error *error);

#endif
