// SPDX-License-Identifier: Apache-2.0
//
// Where a skin stands at rest.
#ifndef SINEW_SKIN_REST_PLACE_H
#define SINEW_SKIN_REST_PLACE_H

#include "skin/skin.h"

// Writes the mesh of a job as its bones have it at rest, as `blend` does: `positions` is #V x 3.
// Without `bone_segments` (NULL), and where nothing has weights, it stands as it is.
void sni_place_at_rest(const sni_bind_job *job, const uint32_t *bone_segments, float *positions);

#endif
