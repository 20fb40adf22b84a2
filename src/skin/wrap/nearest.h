// SPDX-License-Identifier: Apache-2.0
//
// The element of a driver that is nearest to a point, of equals the lowest. Points are in float, as
// the boxes of the tree are.
#ifndef SINEW_SKIN_WRAP_NEAREST_H
#define SINEW_SKIN_WRAP_NEAREST_H

#include "skin/wrap/surface.h"

// Finds the slot of the tree that holds the nearest element, beginning with any, the nearer the
// better; returns the distance.
double sni_wrap_nearest(const sni_wrap_surface *surface, const float point[3], uint32_t *slot);

// The nearest of the elements that an edit leaves (edits.h), of which there is one.
double sni_wrap_nearest_left(const sni_wrap_surface *surface, const float point[3],
                             const uint8_t *edits, uint32_t *element);

#endif
