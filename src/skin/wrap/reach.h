// SPDX-License-Identifier: Apache-2.0
//
// How much the elements of a driver count for a point: wholly where they are near along the
// surface, not only through the air, and not at all where they are far along it, so that the left
// thigh never follows the right one. Between the two their influence fades:
//
//     fade(Q, k) = s((limit - way) / band),     s(y) = y^2 (3 - 2 y) for y from 0 to 1
//     limit = reach near + 2 edge,              near(Q, k) = |Q - k|
//     band = max(reach - 1, 0) / 2 near + edge, way(Q, k) = sum_i b_i g(v_i, k)
//
// Q is the point of the driver nearest to the point, b_i are its barycentric coordinates in its
// element n with the corners v_i, g is the length of the shortest way from a corner to the element
// k along the sides of the driver's triangles, `edge` the driver's mean edge. The way is linear on
// every triangle and the same on both sides of an edge, so that the fade has no jump where a point
// changes from one nearest element to the next. It is 0 to n itself. Elements of other components
// are never reached.
#ifndef SINEW_SKIN_WRAP_REACH_H
#define SINEW_SKIN_WRAP_REACH_H

#include "base/simd.h"
#include "skin/wrap/surface.h"

typedef struct sni_wrap_way {
    float distance;
    uint32_t place;
} sni_wrap_way;

// Lengths of ways to a place from the corners of an element and of the other one of its pair.
enum { SNI_WRAP_ORIGINS = 4 };

typedef struct sni_wrap_trail {
    float lengths[SNI_WRAP_ORIGINS];
} sni_wrap_trail;

// Scratch of one thread.
typedef struct sni_wrap_reach {
    float *distances; // place_count: along the surface from the start, where stamps say so
    uint32_t *stamps; // place_count
    uint32_t stamp;
    sni_wrap_trail *trails; // place_count: from the corners of some pair, where stamps say so
    uint32_t *trail_stamps; // place_count
    uint32_t trail_stamp;
    uint32_t heap_count;
    sni_wrap_way *heap; // a place may wait several times, once for each neighbour
} sni_wrap_reach;

sn_status sni_wrap_reach_init(const sni_wrap_surface *surface, sni_wrap_reach *scratch,
                              sn_error *error);
void sni_wrap_reach_deinit(sn_context *context, sni_wrap_reach *scratch);

// Leaves out those of `*count` elements that count for no point nearest to element `nearest`; the
// others keep their order. Returns whether all of them count wholly for all of these points. If
// not, `ways` (#elements x 3) are the ways to each from the corners of `nearest`.
bool sni_wrap_reach_filter(const sni_wrap_surface *surface, sni_wrap_reach *scratch,
                           uint32_t nearest, double reach, uint32_t *elements, uint32_t *count,
                           float *ways);

// What a fade depends on, in any unit of length.
typedef struct sni_wrap_fade {
    float reach, slope; // of the limit and of the band
    float edge;
} sni_wrap_fade;

static inline sni_wrap_fade sni_wrap_fade_make(double reach, double edge) {
    return (sni_wrap_fade){.reach = (float)reach,
                           .slope = reach > 1 ? (float)((reach - 1) / 2) : 0,
                           .edge = (float)edge};
}

// s(y), 0 below 0 and 1 above 1.
SNI_INLINE sni_f32xw sni_wrap_smooth(sni_f32xw y) {
    y = sni_f32xw_min(sni_f32xw_max(y, sni_f32xw_set1(0)), sni_f32xw_set1(1));
    return sni_f32xw_mul(sni_f32xw_mul(y, y),
                         sni_f32xw_sub(sni_f32xw_set1(3), sni_f32xw_add(y, y)));
}

SNI_INLINE sni_f32xw sni_wrap_fade_wide(const sni_wrap_fade *fade, sni_f32xw near, sni_f32xw way) {
    const sni_f32xw edge = sni_f32xw_set1(fade->edge);
    sni_f32xw limit =
        sni_f32xw_add_product(sni_f32xw_add(edge, edge), sni_f32xw_set1(fade->reach), near);
    sni_f32xw band = sni_f32xw_add_product(edge, sni_f32xw_set1(fade->slope), near);
    return sni_wrap_smooth(sni_f32xw_div(sni_f32xw_sub(limit, way), band));
}

#endif
