// SPDX-License-Identifier: Apache-2.0
//
// What the library asks of search trees beside sinew/geometry.h.
#ifndef SINEW_GEOMETRY_ACCEL_H
#define SINEW_GEOMETRY_ACCEL_H

#include "sinew/geometry.h"

// The distance that sn_accel_find_closest finds, without where; infinity where there is nothing.
// `near` is a place of the tree that may be near, SN_NONE: none is known; it is set to that of the
// closest triangle. For points that follow each other the search is the shorter; the result does
// not depend on it.
double sni_accel_distance(const sn_accel *accel, sn_vec3 point, uint32_t *near);

#endif
