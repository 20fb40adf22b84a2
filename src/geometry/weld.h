// SPDX-License-Identifier: Apache-2.0
//
// Finding vertices that stand at the same place, for surfaces that are made from patches. What the
// user gave is never changed; the maps are for meshes of our own.
#ifndef SINEW_GEOMETRY_WELD_H
#define SINEW_GEOMETRY_WELD_H

#include "base/memory.h"

// Joins points that are at most `tolerance` apart, and chains of such points: map[i] is the lowest
// number of the group that point i belongs to, so that every pair of points within the tolerance
// gets the same number. With tolerance 0 points join whose coordinates are equal. `group_count` may
// be NULL. Fails with SN_INVALID for a point or tolerance that is not finite, or a negative one.
sn_status sni_weld_points(sn_context *context, const float *positions, uint32_t count,
                          double tolerance, uint32_t *map, uint32_t *group_count, sn_error *error);

// Writes the triangles (triangle_count x 3) with their vertices mapped, without those that lose
// their surface by it, and returns how many there are. `welded` may be `vertices` itself;
// `origins` (triangle_count, or NULL) gets the number of each old triangle.
uint32_t sni_weld_triangles(const uint32_t *map, const uint32_t *vertices, uint32_t triangle_count,
                            uint32_t *welded, uint32_t *origins);

#endif
