// SPDX-License-Identifier: Apache-2.0
//
// Which elements of a driver a point may follow: those that are near along the surface, not only
// through the air, so that the left thigh never follows the right one.
//
//     g(n, k) <= reach |c_n - c_k| + edge
//
// n is the element nearest to the point, c are centroids, g is the length of the shortest way from
// c_n to c_k along the sides of the driver's triangles, `edge` the driver's mean edge. Elements of
// other components are never reached.
#ifndef SINEW_SKIN_WRAP_REACH_H
#define SINEW_SKIN_WRAP_REACH_H

#include "skin/wrap/surface.h"

typedef struct sni_wrap_way {
    float distance;
    uint32_t place;
} sni_wrap_way;

// Scratch of one thread.
typedef struct sni_wrap_reach {
    float *distances; // place_count: along the surface from the start, where stamps say so
    uint32_t *stamps; // place_count
    uint32_t stamp;
    uint32_t heap_count;
    sni_wrap_way *heap; // a place may wait several times, once for each neighbour
} sni_wrap_reach;

sn_status sni_wrap_reach_init(const sni_wrap_surface *surface, sni_wrap_reach *scratch,
                              sn_error *error);
void sni_wrap_reach_deinit(sn_context *context, sni_wrap_reach *scratch);

// Keeps those of `count` elements that count for points nearest to element `nearest`, in their
// order, and returns how many they are.
uint32_t sni_wrap_reach_filter(const sni_wrap_surface *surface, sni_wrap_reach *scratch,
                               uint32_t nearest, double reach, uint32_t *elements, uint32_t count);

#endif
