// SPDX-License-Identifier: Apache-2.0
//
// Elements within R of the nearest element n are collected; all others are at least R - D away from
// a point of the class d <= D, and a tree of boxes bounds the sum of their influences from above,
// the tail. R grows until the tail is a small part of what may be lost (or the limit on elements
// makes it irrelevant).
#include "skin/wrap_candidates.h"

// The part of `cut` that the tail may take.
static const double tail_share = 0.75;

// First radius, in mean edges beyond D, and how it grows.
static const double first_radius = 2.0, radius_growth = 1.2;

typedef struct collection {
    const sni_wrap_search *search;
    sni_wrap_candidates *candidates;
    sni_influence_form form; // of influences in the tail
    uint32_t nearest;
    sn_vec3 low, high;  // box of the nearest element
    double within;      // R
    double most, least; // points are at most D and at least D/2 (0 in the first class) away
    double budget;      // what the tail may be
} collection;

// How far an interval lies outside of eight others.
SNI_INLINE sni_f32xw outside(const float *low, const float *high, double own_low, double own_high) {
    sni_f32xw below = sni_f32xw_sub(sni_f32xw_load(low), sni_f32xw_set1((float)own_high));
    sni_f32xw above = sni_f32xw_sub(sni_f32xw_set1((float)own_low), sni_f32xw_load(high));
    return sni_f32xw_max(sni_f32xw_max(below, above), sni_f32xw_set1(0));
}

// For each child of a node: a lower bound of its distance from the nearest element, and an
// upper bound of its triangles' influence on points of the class. Both in float, the first made
// smaller by more than it can be off.
static void bound_children(const collection *c, uint32_t number, float distances[SNI_TREE_WIDTH],
                           float tails[SNI_TREE_WIDTH]) {
    const sni_wrap_surface *s = c->search->surface;
    const sni_tree_node *node = &s->tree.nodes[number];
    sni_f32xw x = outside(node->sides[SNI_LOW_X], node->sides[SNI_HIGH_X], c->low.x, c->high.x);
    sni_f32xw y = outside(node->sides[SNI_LOW_Y], node->sides[SNI_HIGH_Y], c->low.y, c->high.y);
    sni_f32xw z = outside(node->sides[SNI_LOW_Z], node->sides[SNI_HIGH_Z], c->low.z, c->high.z);
    sni_f32xw d = sni_f32xw_mul(x, x);
    d = sni_f32xw_sqrt(sni_f32xw_add_product(sni_f32xw_add_product(d, y, y), z, z));
    d = sni_f32xw_mul(d, sni_f32xw_set1(1 - 1e-5f));
    sni_f32xw_store(distances, d);
    d = sni_f32xw_sub(d, sni_f32xw_set1((float)c->most));
    d = sni_f32xw_max(d, sni_f32xw_set1((float)c->least));
    d = sni_f32xw_mul(d, sni_f32xw_set1((float)(1 / c->search->settings->unit)));
    sni_f32xw counts = sni_f32xw_load(s->lane_triangles + (size_t)number * SNI_TREE_WIDTH);
    sni_f32xw_store(tails,
                    sni_f32xw_mul(counts, sni_influence_wide(&c->form, sni_f32xw_mul(d, d))));
}

// Collects elements within `within`, and bounds the influence of all others. A box beyond it is
// opened while what it may add is not small. False when memory runs out.
static bool collect(const collection *c) {
    const sni_wrap_surface *s = c->search->surface;
    sni_wrap_candidates *w = c->candidates;
    uint32_t stack[SNI_TREE_DEPTH * SNI_TREE_WIDTH];
    uint32_t stack_count = 1;
    stack[0] = 0;
    w->count = 0;
    w->tail = 0;
    while (stack_count > 0) {
        uint32_t number = stack[--stack_count];
        const sni_tree_node *node = &s->tree.nodes[number];
        float distances[SNI_TREE_WIDTH], tails[SNI_TREE_WIDTH];
        bound_children(c, number, distances, tails);
        if (w->count + SNI_TREE_WIDTH > w->capacity &&
            !sni_grow(s->context, &w->elements, &w->capacity, w->count + SNI_TREE_WIDTH,
                      sizeof *w->elements)) {
            return false;
        }
        for (uint32_t i = 0; i < node->child_count; ++i) {
            bool is_near = distances[i] <= c->within;
            if (node->is_leaf[i] && is_near) {
                w->elements[w->count++] = s->tree.slots[node->children[i]].triangle;
            } else if (node->is_leaf[i] || (!is_near && tails[i] <= c->budget / 16)) {
                w->tail += tails[i];
            } else {
                stack[stack_count++] = node->children[i];
            }
        }
    }
    return true;
}

// Whether the limit on elements is surely filled by elements nearer than all that were left out.
static bool limit_is_filled(const collection *c) {
    const sni_wrap_candidates *w = c->candidates;
    const sni_wrap_surface *s = c->search->surface;
    uint32_t limit = c->search->settings->elements, filled = 0;
    for (uint32_t i = 0; i < w->count; ++i) {
        double straight = sn_vec3_distance(s->centres[w->elements[i]], s->centres[c->nearest]);
        filled += straight + s->radii[c->nearest] + 2 * c->most <= c->within;
    }
    return limit > 0 && filled >= limit;
}

static void keep_reached(const sni_wrap_search *search, sni_wrap_candidates *w, uint32_t nearest) {
    if (search->settings->reach > 0) {
        w->count = sni_wrap_reach_filter(search->surface, &w->reach, nearest,
                                         search->settings->reach, w->elements, w->count);
    }
}

static void box_of(const sni_wrap_surface *s, uint32_t triangle, sn_vec3 *low, sn_vec3 *high) {
    const uint32_t *v = s->triangles->vertices + 3 * (size_t)triangle;
    *low = *high = sn_vec3_load(s->positions + 3 * (size_t)v[0]);
    for (int i = 1; i < 3; ++i) {
        sn_vec3 corner = sn_vec3_load(s->positions + 3 * (size_t)v[i]);
        *low = sn_vec3_min(*low, corner);
        *high = sn_vec3_max(*high, corner);
    }
}

static bool choose_candidates(const sni_wrap_search *search, sni_wrap_candidates *w,
                              uint32_t nearest, uint32_t class) {
    const sni_wrap_surface *s = search->surface;
    double most = sni_wrap_class_bound(s, class);
    collection c = {
        .search = search,
        .candidates = w,
        .form = w->form,
        .nearest = nearest,
        .within = most + first_radius * s->mean_edge,
        .most = most,
        .least = class > 0 ? most / 2 : 0,
        .budget = tail_share * search->settings->cut *
                  sni_influence_of(&w->form, most / search->settings->unit),
    };
    box_of(s, nearest, &c.low, &c.high);
    for (;;) {
        if (!collect(&c)) {
            return false;
        }
        bool is_all = w->count == s->count;
        if (is_all || w->tail <= c.budget) {
            keep_reached(search, w, nearest);
            return true;
        }
        if (search->settings->elements > 0 && w->count >= search->settings->elements &&
            c.within > 2 * most) {
            keep_reached(search, w, nearest);
            if (limit_is_filled(&c)) {
                return true;
            }
        }
        c.within *= radius_growth;
    }
}

// All elements that an edit leaves to points: those that are near along the surface, and those that
// were added. Nothing is left to a tail.
static bool choose_edited(const sni_wrap_search *search, sni_wrap_candidates *w, uint32_t nearest,
                          uint32_t edit) {
    const sni_wrap_surface *s = search->surface;
    const uint8_t *edits = sni_wrap_edits_of(search->edits, edit);
    if (!sni_grow(s->context, &w->elements, &w->capacity, s->count, sizeof *w->elements)) {
        return false;
    }
    w->count = 0;
    w->tail = 0;
    for (uint32_t t = 0; t < s->count; ++t) {
        w->elements[w->count] = t;
        w->count += edits[t] == SNI_EDIT_USUAL;
    }
    keep_reached(search, w, nearest);
    for (uint32_t t = 0; t < s->count; ++t) {
        if (edits[t] == SNI_EDIT_ADDED) {
            w->elements[w->count++] = t;
        }
    }
    return true;
}

// Lays the candidates out for the kernel, relative to the nearest element and in units. Places
// beyond the last repeat it.
static bool lay_out(const sni_wrap_search *search, sni_wrap_candidates *w, uint32_t nearest) {
    const sni_wrap_surface *s = search->surface;
    uint32_t group_count = sni_wrap_group_count(w);
    if (!sni_grow(s->context, &w->groups, &w->group_capacity, group_count,
                  SNI_WRAP_GROUP * sizeof *w->groups)) {
        return false;
    }
    double scale = 1 / search->settings->unit;
    for (uint32_t group = 0; group < group_count; ++group) {
        const sni_wrap_shape *shapes[SNI_WIDTH];
        float corners[3][SNI_WIDTH];
        for (uint32_t i = 0; i < SNI_WIDTH; ++i) {
            uint32_t place = group * SNI_WIDTH + i;
            place = place < w->count ? place : w->count - 1;
            uint32_t element = w->elements[place];
            uint32_t vertex = s->triangles->vertices[3 * (size_t)element];
            sn_vec3 corner = sn_vec3_load(s->positions + 3 * (size_t)vertex);
            corner = sn_vec3_scale(sn_vec3_sub(corner, s->centres[nearest]), scale);
            shapes[i] = &search->shapes[element];
            corners[0][i] = (float)corner.x;
            corners[1][i] = (float)corner.y;
            corners[2][i] = (float)corner.z;
        }
        sni_wrap_group_store(shapes, corners, w->groups + (size_t)group * SNI_WRAP_GROUP);
    }
    return true;
}

bool sni_wrap_candidates_prepare(const sni_wrap_search *search, sni_wrap_candidates *w,
                                 uint32_t nearest, uint32_t class) {
    if (w->nearest == nearest && w->class == class) {
        return true;
    }
    w->nearest = SN_NONE;
    if (class < SNI_WRAP_CLASSES) {
        double bound = sni_wrap_class_bound(search->surface, class);
        w->form = sni_influence_form_at(search->settings, bound);
    } else {
        w->form = (sni_influence_form){.one = 0}; // each point has its own
    }
    bool is_chosen = class < SNI_WRAP_CLASSES
                         ? choose_candidates(search, w, nearest, class)
                         : choose_edited(search, w, nearest, class - SNI_WRAP_CLASSES);
    if (!is_chosen || !lay_out(search, w, nearest)) {
        return false;
    }
    w->nearest = nearest;
    w->class = class;
    return true;
}

sn_status sni_wrap_candidates_init(const sni_wrap_search *search, sni_wrap_candidates *candidates,
                                   sn_error *error) {
    *candidates = (sni_wrap_candidates){.nearest = SN_NONE};
    return search->settings->reach > 0
               ? sni_wrap_reach_init(search->surface, &candidates->reach, error)
               : SN_OK;
}

void sni_wrap_candidates_deinit(sn_context *context, sni_wrap_candidates *candidates) {
    sni_wrap_reach_deinit(context, &candidates->reach);
    sni_free(context, candidates->elements);
    sni_free(context, candidates->groups);
}
