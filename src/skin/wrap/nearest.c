// SPDX-License-Identifier: Apache-2.0
//
// Boxes in float say which triangles are looked at, triangle.c computes their distances in double.
// Coordinates of boxes and points are floats: their differences are off by one rounding, and a
// bound by some more of them, relative to itself. The margin is larger than that.
#include "skin/wrap/nearest.h"

#include "geometry/triangle.h"
#include "skin/wrap/distance.h"
#include "skin/wrap/edits.h"

#include <float.h>

static const float margin = 1e-5f;

typedef struct nearest_search {
    const sni_wrap_surface *surface;
    sn_vec3 point;
    uint32_t slot;    // best so far
    double distance2; // its distance squared
} nearest_search;

static double distance2_to(const nearest_search *search, uint32_t slot) {
    const sni_wrap_surface *s = search->surface;
    sni_triangle triangle = sni_triangle_load(s->positions, s->tree.slots[slot].vertices);
    double weights[3];
    return sni_triangle_closest(&triangle, search->point, weights);
}

static void try_slot(nearest_search *search, uint32_t slot) {
    const sni_tree_slot *slots = search->surface->tree.slots;
    double distance2 = distance2_to(search, slot);
    if (distance2 < search->distance2 ||
        (distance2 == search->distance2 && slots[slot].triangle < slots[search->slot].triangle)) {
        search->distance2 = distance2;
        search->slot = slot;
    }
}

// Boxes beyond this hold nothing as near as the best so far. Squares may vanish, or be infinite:
// all such boxes are near when the best is of that size too.
static float limit_of(const nearest_search *search) {
    return (float)search->distance2 * (1 + margin) + FLT_MIN;
}

// The children of a node that may hold something as near as the best so far, lane 0 lowest.
static uint32_t near_children(const nearest_search *search, const sni_tree_node *node,
                              const float point[3], float bounds[SNI_TREE_WIDTH]) {
    sni_f32xw limit = sni_f32xw_set1(limit_of(search));
    sni_f32xw all = sni_wrap_box_distances(node->sides[0], point);
    all = sni_f32xw_min(all, sni_f32xw_set1(FLT_MAX));
    sni_f32xw_store(bounds, all);
    uint32_t beyond = sni_f32xw_signs(sni_f32xw_sub(limit, all));
    return ~beyond & ((1u << node->child_count) - 1);
}

double sni_wrap_nearest(const sni_wrap_surface *surface, const float point[3], uint32_t *slot) {
    nearest_search search = {.surface = surface, .point = sn_vec3_load(point), .slot = *slot};
    uint32_t stack[SNI_TREE_DEPTH * SNI_TREE_WIDTH], waiting = 1;
    search.distance2 = distance2_to(&search, *slot);
    stack[0] = 0;
    while (waiting > 0) {
        const sni_tree_node *node = &surface->tree.nodes[stack[--waiting]];
        float bounds[SNI_TREE_WIDTH];
        uint32_t lanes = near_children(&search, node, point, bounds);
        for (; lanes != 0; lanes &= lanes - 1) {
            int lane = __builtin_ctz(lanes);
            if (!node->is_leaf[lane]) {
                stack[waiting++] = node->children[lane];
            } else if (node->children[lane] != *slot && bounds[lane] <= limit_of(&search)) {
                try_slot(&search, node->children[lane]);
            }
        }
    }
    *slot = search.slot;
    return sqrt(search.distance2);
}

double sni_wrap_nearest_left(const sni_wrap_surface *surface, const float point[3],
                             const uint8_t *edits, uint32_t *element) {
    const sni_tree_slot *slots = surface->tree.slots;
    nearest_search search = {
        .surface = surface, .point = sn_vec3_load(point), .distance2 = INFINITY};
    for (uint32_t slot = 0; slot < surface->tree.slot_count; ++slot) {
        if (edits[slots[slot].triangle] != SNI_EDIT_REMOVED) {
            try_slot(&search, slot);
        }
    }
    *element = slots[search.slot].triangle;
    return sqrt(search.distance2);
}
