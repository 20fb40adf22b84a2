// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_GEOMETRY_CARRY_H
#define SINEW_GEOMETRY_CARRY_H

#include "sinew/base.h"
#include "sinew/vector.h"

// Moves points with a frame: out = now * inverse(rest) * point, or now * point where `rest` is
// NULL. Where the frame has not moved the points are copied, bit for bit. A rest frame without
// inverse counts as not moved.
void sni_carry_points(sn_context *context, const sn_mat4 *now, const sn_mat4 *rest,
                      const float *points, uint32_t count, float *out);

#endif
