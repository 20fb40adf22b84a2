// SPDX-License-Identifier: Apache-2.0
//
// The elements that points may keep, worked out once for all points of one nearest element n and
// one class of distances to it, d <= D.
#ifndef SINEW_SKIN_WRAP_CANDIDATES_H
#define SINEW_SKIN_WRAP_CANDIDATES_H

#include "skin/wrap_distance.h"
#include "skin/wrap_edits.h"
#include "skin/wrap_influence.h"
#include "skin/wrap_reach.h"

// What all points of a bind share.
typedef struct sni_wrap_search {
    const sni_wrap_surface *surface;
    const sni_wrap_settings *settings;
    const sni_wrap_shape *shapes; // of the surface's triangles
    const sni_wrap_edits *edits;  // NULL: none
} sni_wrap_search;

// Scratch of one thread.
typedef struct sni_wrap_candidates {
    sni_wrap_reach reach;
    uint32_t nearest, class; // what the following is for; SN_NONE: nothing
    uint32_t count, capacity;
    uint32_t *elements;
    double tail;             // bound on the influence of all others, in the scale of `form`
    sni_influence_form form; // of influences at D
    uint32_t group_capacity;
    float *groups; // the elements as sni_wrap_distances takes them, relative to the centroid of n
} sni_wrap_candidates;

// Distance classes: D = 1/4, 1/2, 1, 2 ... mean edges.
// Points of an edit have classes behind these, whatever their distance.
enum { SNI_WRAP_CLASSES = 64 };
static const double sni_wrap_first_class = 0.25;

static inline uint32_t sni_wrap_class_of(const sni_wrap_surface *surface, float distance) {
    uint32_t class = 0;
    double bound = sni_wrap_first_class * surface->mean_edge;
    while (distance > bound && class + 1 < SNI_WRAP_CLASSES) {
        bound *= 2;
        ++class;
    }
    return class;
}

static inline double sni_wrap_class_bound(const sni_wrap_surface *surface, uint32_t class) {
    return ldexp(sni_wrap_first_class * surface->mean_edge, (int)class);
}

static inline uint32_t sni_wrap_group_count(const sni_wrap_candidates *candidates) {
    return (candidates->count + SNI_WIDTH - 1) / SNI_WIDTH;
}

sn_status sni_wrap_candidates_init(const sni_wrap_search *search, sni_wrap_candidates *candidates,
                                   sn_error *error);
void sni_wrap_candidates_deinit(sn_context *context, sni_wrap_candidates *candidates);

// Fills the candidates for a nearest element and a class, unless they are for these already. False
// when memory runs out.
bool sni_wrap_candidates_prepare(const sni_wrap_search *search, sni_wrap_candidates *candidates,
                                 uint32_t nearest, uint32_t class);

#endif
