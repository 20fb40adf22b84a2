// SPDX-License-Identifier: Apache-2.0
//
// The elements that points may keep, worked out once for all points of one nearest element n and
// one class of distances to it, d <= D. There are two such sets. The near one is small, and whether
// it is enough is seen at each point by what lies around it; where it is not, the wide one is, for
// every point of the class.
#ifndef SINEW_SKIN_WRAP_CANDIDATES_H
#define SINEW_SKIN_WRAP_CANDIDATES_H

#include "skin/wrap/distance.h"
#include "skin/wrap/edits.h"
#include "skin/wrap/influence.h"
#include "skin/wrap/reach.h"

// What all points of a bind share.
typedef struct sni_wrap_search {
    const sni_wrap_surface *surface;
    const sni_wrap_settings *settings;
    const sni_wrap_shape *shapes; // of the surface's triangles
    const sni_wrap_edits *edits;  // NULL: none
    // Near sets: radius for points on the driver, and how it grows with their distance.
    bool has_near;
    double near_radius, near_slope;
    double plane_growth; // how the threshold of the cut grows towards a plane (cut.c)
} sni_wrap_search;

// A set of elements. Lengths in groups and lumps are in units, from the centroid of `origin`.
typedef struct sni_wrap_set {
    uint32_t nearest, class; // what it is for; SN_NONE: nothing
    uint32_t origin;         // an element near by, the same for all that share the set
    bool is_whole;           // all that were collected are reached
    bool has_ways;           // elements fade by their ways (reach.h); else all count wholly
    uint32_t count, capacity;
    uint32_t *elements;
    uint32_t way_capacity;
    float *ways; // #elements x 3: from the corners of `nearest`
    uint32_t group_capacity;
    float *groups; // the elements as sni_wrap_distances takes them, then their ways in units
    sni_influence_form form; // of influences at D
    double tail; // bound on the influence of all others but those in lumps, in the scale of `form`
    uint32_t lump_count, lump_capacity;
    float *lumps; // boxes with what lies around the elements, eight boxes and how many they hold
} sni_wrap_set;

// Scratch of one thread.
typedef struct sni_wrap_candidates {
    sni_wrap_reach reach;
    sni_wrap_set near, wide;
} sni_wrap_candidates;

// Distance classes: D = 1/4, 1/2, 1, 2 ... mean edges.
// Points of an edit have classes behind these, whatever their distance.
enum { SNI_WRAP_CLASSES = 64 };

// Vectors of eight elements of a set: what their distances need, and their ways from three corners.
enum { SNI_WRAP_MEMBERS = SNI_WRAP_GROUP + 3 * SNI_WIDTH };
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

static inline uint32_t sni_wrap_group_count(const sni_wrap_set *set) {
    return (set->count + SNI_WIDTH - 1) / SNI_WIDTH;
}

static inline uint32_t sni_wrap_lump_group_count(const sni_wrap_set *set) {
    return (set->lump_count + SNI_WIDTH - 1) / SNI_WIDTH;
}

// Finds how far a point's nearest element usually is from all that the point keeps, and what the
// thresholds of all points share; there are no near sets where influences fall too slowly for that.
void sni_wrap_search_near(sni_wrap_search *search);

sn_status sni_wrap_candidates_init(const sni_wrap_search *search, sni_wrap_candidates *candidates,
                                   sn_error *error);
void sni_wrap_candidates_deinit(sn_context *context, sni_wrap_candidates *candidates);

// Fill a set for a nearest element and a class, unless it is for these already. False when memory
// runs out.
bool sni_wrap_prepare_near(const sni_wrap_search *search, sni_wrap_candidates *candidates,
                           uint32_t nearest, uint32_t class);
bool sni_wrap_prepare_wide(const sni_wrap_search *search, sni_wrap_candidates *candidates,
                           uint32_t nearest, uint32_t class);

#endif
