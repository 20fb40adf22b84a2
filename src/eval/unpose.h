// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_EVAL_UNPOSE_H
#define SINEW_EVAL_UNPOSE_H

#include "eval/model.h"

// Finds by how much each point must move before the deformers from `first` on, so that these bring
// it to `wanted`. Every deformer without memory moves a point by an affine map of its own, whatever
// the other points do,
//
//     F(p) = A p + t,      d = A^-1 (wanted - F(p)),
//
// so that A is found from three moves along the axes. `start` are the points before those
// deformers; points that are `least` or less away from `wanted` get 0. Fails with SN_INVALID and
// the vertex where A is (nearly) singular. `error_left` is the largest distance that remains.
sn_status sni_unpose(sn_frame *frame, uint32_t surface, uint32_t first, const float *start,
                     const float *wanted, double least, double *moves, double *error_left,
                     sn_error *error);

#endif
