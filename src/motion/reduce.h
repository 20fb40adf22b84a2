// SPDX-License-Identifier: Apache-2.0
//
// Fewer keys for the same motion.
#ifndef SINEW_MOTION_REDUCE_H
#define SINEW_MOTION_REDUCE_H

#include "base/memory.h"

// Marks values at equal steps of time that are enough: straight lines between them depart from none
// of the others by more than `tolerance`. The first and the last are always marked (Ramer 1972,
// Douglas and Peucker 1973, with distances along the value axis). `keep` has `count` marks.
sn_status sni_keys_reduce(sn_context *context, const double *values, uint32_t count,
                          double tolerance, uint8_t *keep, sn_error *error);

#endif
