// SPDX-License-Identifier: Apache-2.0
//
// Elements within R of the nearest element n are collected. A tree of boxes bounds the sum of the
// influences of all others from above:
//
// - In a wide set they are at least R - D away from a point of the class d <= D; the bound, the
//   tail, is one for all of these points. R grows until the tail is a small part of what may be
//   lost (or the limit on elements makes it irrelevant).
// - In a near set boxes around the elements are kept, as lumps, and bounded for each point by its
//   own distance; only what is farther makes the tail. So much smaller sets will do. They are
//   shared by the two triangles of a quad, the first two of a face.
#include "skin/wrap/candidates.h"

#include <string.h>

// The part of `cut` that the tail may take.
static const double tail_share = 0.75;

// First radius of a wide set, in mean edges beyond D, and how it grows.
static const double first_radius = 2.0, radius_growth = 1.2;

// The part of `cut` that would lie beyond a near set if the driver were a plane of points.
// Triangles are nearer than their middle: for points far above the plane this part of the radius is
// enough.
static const double near_share = 0.5, near_slope = 0.8;

// Near sets that are wider than this, in mean edges, would save nothing.
static const double near_most = 8;

typedef struct collection {
    const sni_wrap_search *search;
    sni_wrap_set *set;
    uint32_t nearest;
    sn_vec3 low, high;  // box of the nearest element, or of those that share a set
    double within;      // R
    double most, least; // points are at most D and at least D/2 (0 in the first class) away
    double budget;      // what the tail may be
    double small;       // what a box may add to it unopened
    bool is_near;       // a near set
} collection;

// A box with triangles.
typedef struct lump {
    float low[3], high[3];
    float count;
} lump;

// For each child of a node: a lower bound of its distance from the nearest element, and an
// upper bound of its triangles' influence on points of the class. Both in float, the first made
// smaller by more than it can be off.
static void bound_children(const collection *c, uint32_t number, float distances[SNI_TREE_WIDTH],
                           float tails[SNI_TREE_WIDTH]) {
    const sni_wrap_surface *s = c->search->surface;
    const float(*sides)[SNI_TREE_WIDTH] = s->tree.nodes[number].sides;
    sni_f32xw x = sni_wrap_outside(sides[SNI_LOW_X], sides[SNI_HIGH_X], c->low.x, c->high.x);
    sni_f32xw y = sni_wrap_outside(sides[SNI_LOW_Y], sides[SNI_HIGH_Y], c->low.y, c->high.y);
    sni_f32xw z = sni_wrap_outside(sides[SNI_LOW_Z], sides[SNI_HIGH_Z], c->low.z, c->high.z);
    sni_f32xw d = sni_f32xw_mul(x, x);
    d = sni_f32xw_sqrt(sni_f32xw_add_product(sni_f32xw_add_product(d, y, y), z, z));
    d = sni_f32xw_mul(d, sni_f32xw_set1(1 - 1e-5f));
    sni_f32xw_store(distances, d);
    d = sni_f32xw_sub(d, sni_f32xw_set1((float)c->most));
    d = sni_f32xw_max(d, sni_f32xw_set1((float)c->least));
    d = sni_f32xw_mul(d, sni_f32xw_set1((float)(1 / c->search->settings->unit)));
    sni_f32xw counts = sni_f32xw_load(s->lane_triangles + (size_t)number * SNI_TREE_WIDTH);
    sni_f32xw_store(tails,
                    sni_f32xw_mul(counts, sni_influence_wide(&c->set->form, sni_f32xw_mul(d, d))));
}

static void add_child(lump *l, const sni_tree_node *node, uint32_t lane, float count) {
    for (int axis = 0; axis < 3; ++axis) {
        float low = node->sides[SNI_LOW_X + axis][lane];
        float high = node->sides[SNI_HIGH_X + axis][lane];
        l->low[axis] = l->count > 0 && l->low[axis] < low ? l->low[axis] : low;
        l->high[axis] = l->count > 0 && l->high[axis] > high ? l->high[axis] : high;
    }
    l->count += count;
}

// Lays a lump out for the kernel; places beyond the last hold nothing.
static bool store_lump(const collection *c, const lump *l) {
    const sni_wrap_surface *s = c->search->surface;
    sni_wrap_set *set = c->set;
    uint32_t group = set->lump_count / SNI_WIDTH, lane = set->lump_count % SNI_WIDTH;
    if (!sni_grow(s->context, &set->lumps, &set->lump_capacity, group + 1,
                  SNI_WRAP_LUMPS * sizeof *set->lumps)) {
        return false;
    }
    float *out = set->lumps + (size_t)group * SNI_WRAP_LUMPS;
    if (lane == 0) {
        memset(out, 0, SNI_WRAP_LUMPS * sizeof *out);
    }
    sn_vec3 centre = s->centres[set->origin];
    const double origin[3] = {centre.x, centre.y, centre.z}, unit = c->search->settings->unit;
    for (int axis = 0; axis < 3; ++axis) {
        out[axis * SNI_WIDTH + lane] = (float)((l->low[axis] - origin[axis]) / unit);
        out[(3 + axis) * SNI_WIDTH + lane] = (float)((l->high[axis] - origin[axis]) / unit);
    }
    out[6 * SNI_WIDTH + lane] = l->count;
    set->lump_count++;
    return true;
}

// Collects what a node holds within `within`, and bounds the influence of what is beyond; children
// that are neither go to the stack. False when memory runs out.
static bool collect_node(const collection *c, uint32_t number, uint32_t *stack, uint32_t *waiting) {
    const sni_wrap_surface *s = c->search->surface;
    const sni_tree_node *node = &s->tree.nodes[number];
    const float *counts = s->lane_triangles + (size_t)number * SNI_TREE_WIDTH;
    sni_wrap_set *set = c->set;
    float distances[SNI_TREE_WIDTH], tails[SNI_TREE_WIDTH];
    lump rest = {.count = 0};
    bound_children(c, number, distances, tails);
    if (set->count + SNI_TREE_WIDTH > set->capacity &&
        !sni_grow(s->context, &set->elements, &set->capacity, set->count + SNI_TREE_WIDTH,
                  sizeof *set->elements)) {
        return false;
    }
    for (uint32_t i = 0; i < node->child_count; ++i) {
        bool is_within = distances[i] <= c->within, is_leaf = node->is_leaf[i];
        if (is_leaf && is_within) {
            set->elements[set->count++] = s->tree.slots[node->children[i]].triangle;
        } else if (is_leaf && c->is_near) {
            add_child(&rest, node, i, 1);
        } else if (is_leaf || (!is_within && tails[i] <= c->small)) {
            set->tail += tails[i];
        } else if (c->is_near && !is_within && counts[i] <= SNI_TREE_WIDTH) {
            lump whole = {.count = 0};
            add_child(&whole, node, i, counts[i]);
            if (!store_lump(c, &whole)) {
                return false;
            }
        } else {
            stack[(*waiting)++] = node->children[i];
        }
    }
    return rest.count == 0 || store_lump(c, &rest);
}

// Collects elements within `within`, and bounds the influence of all others. A box beyond it is
// opened while what it may add is not small. False when memory runs out.
static bool collect(const collection *c) {
    uint32_t stack[SNI_TREE_DEPTH * SNI_TREE_WIDTH], waiting = 1;
    stack[0] = 0;
    c->set->count = c->set->lump_count = 0;
    c->set->tail = 0;
    while (waiting > 0) {
        --waiting;
        if (!collect_node(c, stack[waiting], stack, &waiting)) {
            return false;
        }
    }
    return true;
}

// Whether the limit on elements is surely filled by elements nearer than all that were left out.
static bool limit_is_filled(const collection *c) {
    const sni_wrap_set *set = c->set;
    const sni_wrap_surface *s = c->search->surface;
    uint32_t limit = c->search->settings->elements, filled = 0;
    for (uint32_t i = 0; i < set->count; ++i) {
        double straight = sn_vec3_distance(s->centres[set->elements[i]], s->centres[c->nearest]);
        filled += straight + s->radii[c->nearest] + 2 * c->most <= c->within;
    }
    return limit > 0 && filled >= limit;
}

// Leaves out what is not reached. False when memory runs out.
static bool keep_reached(const sni_wrap_search *search, sni_wrap_reach *reach, sni_wrap_set *set,
                         uint32_t nearest) {
    uint32_t collected = set->count;
    set->has_ways = false;
    if (search->settings->reach > 0) {
        if (!sni_grow(search->surface->context, &set->ways, &set->way_capacity, set->capacity,
                      3 * sizeof *set->ways)) {
            return false;
        }
        set->has_ways =
            !sni_wrap_reach_filter(search->surface, reach, nearest, search->settings->reach,
                                   set->elements, &set->count, set->ways);
    }
    set->is_whole = set->count == collected;
    return true;
}

// The box of triangles `first` to `last`.
static void find_box(collection *c, uint32_t first, uint32_t last) {
    const sni_wrap_surface *s = c->search->surface;
    const uint32_t *v = s->triangles->vertices;
    c->low = c->high = sn_vec3_load(s->positions + 3 * (size_t)v[3 * (size_t)first]);
    for (size_t i = 3 * (size_t)first + 1; i < 3 * (size_t)last + 3; ++i) {
        sn_vec3 corner = sn_vec3_load(s->positions + 3 * (size_t)v[i]);
        c->low = sn_vec3_min(c->low, corner);
        c->high = sn_vec3_max(c->high, corner);
    }
}

static collection begin_collection(const sni_wrap_search *search, sni_wrap_set *set,
                                   uint32_t nearest, uint32_t class) {
    double most = sni_wrap_class_bound(search->surface, class);
    set->form = sni_influence_form_at(search->settings, most);
    return (collection){
        .search = search,
        .set = set,
        .nearest = nearest,
        .most = most,
        .least = class > 0 ? most / 2 : 0,
        .budget = tail_share * search->settings->cut *
                  sni_influence_of(&set->form, most / search->settings->unit),
    };
}

static bool choose_wide(const sni_wrap_search *search, sni_wrap_reach *reach, sni_wrap_set *set,
                        uint32_t nearest, uint32_t class) {
    const sni_wrap_surface *s = search->surface;
    collection c = begin_collection(search, set, nearest, class);
    find_box(&c, nearest, nearest);
    c.within = c.most + first_radius * s->mean_edge;
    c.small = c.budget / 16;
    for (;;) {
        if (!collect(&c)) {
            return false;
        }
        bool is_all = set->count == s->count;
        if (is_all || set->tail <= c.budget) {
            return keep_reached(search, reach, set, nearest);
        }
        if (search->settings->elements > 0 && set->count >= search->settings->elements &&
            c.within > 2 * c.most) {
            if (!keep_reached(search, reach, set, nearest)) {
                return false;
            }
            if (limit_is_filled(&c)) {
                return true;
            }
        }
        c.within *= radius_growth;
    }
}

// All elements that an edit leaves to points: those that are near along the surface, and those that
// were added. Nothing is left to a tail.
static bool choose_edited(const sni_wrap_search *search, sni_wrap_reach *reach, sni_wrap_set *set,
                          uint32_t nearest, uint32_t edit) {
    const sni_wrap_surface *s = search->surface;
    const uint8_t *edits = sni_wrap_edits_of(search->edits, edit);
    if (!sni_grow(s->context, &set->elements, &set->capacity, s->count, sizeof *set->elements)) {
        return false;
    }
    set->form = (sni_influence_form){.one = 0}; // each point has its own
    set->count = 0;
    set->tail = 0;
    for (uint32_t t = 0; t < s->count; ++t) {
        set->elements[set->count] = t;
        set->count += edits[t] == SNI_EDIT_USUAL;
    }
    if (!keep_reached(search, reach, set, nearest)) {
        return false;
    }
    for (uint32_t t = 0; t < s->count; ++t) {
        if (edits[t] == SNI_EDIT_ADDED) {
            set->elements[set->count] = t;
            if (set->has_ways) {
                memset(set->ways + 3 * (size_t)set->count, 0, 3 * sizeof *set->ways);
            }
            set->count++;
        }
    }
    return true;
}

// Lays the elements out for the kernel. Places beyond the last repeat it.
static bool lay_out(const sni_wrap_search *search, sni_wrap_set *set) {
    const sni_wrap_surface *s = search->surface;
    uint32_t group_count = sni_wrap_group_count(set);
    if (!sni_grow(s->context, &set->groups, &set->group_capacity, group_count,
                  SNI_WRAP_MEMBERS * sizeof *set->groups)) {
        return false;
    }
    double scale = 1 / search->settings->unit;
    for (uint32_t group = 0; group < group_count; ++group) {
        const sni_wrap_shape *shapes[SNI_WIDTH];
        float corners[3][SNI_WIDTH];
        float *out = set->groups + (size_t)group * SNI_WRAP_MEMBERS;
        for (uint32_t i = 0; i < SNI_WIDTH; ++i) {
            uint32_t place = group * SNI_WIDTH + i;
            place = place < set->count ? place : set->count - 1;
            uint32_t element = set->elements[place];
            uint32_t vertex = s->triangles->vertices[3 * (size_t)element];
            sn_vec3 corner = sn_vec3_load(s->positions + 3 * (size_t)vertex);
            corner = sn_vec3_scale(sn_vec3_sub(corner, s->centres[set->origin]), scale);
            shapes[i] = &search->shapes[element];
            corners[0][i] = (float)corner.x;
            corners[1][i] = (float)corner.y;
            corners[2][i] = (float)corner.z;
            for (uint32_t k = 0; k < 3 && set->has_ways; ++k) {
                out[SNI_WRAP_GROUP + k * SNI_WIDTH + i] =
                    (float)(set->ways[3 * (size_t)place + k] * scale);
            }
        }
        sni_wrap_group_store(shapes, corners, out);
    }
    return true;
}

bool sni_wrap_prepare_wide(const sni_wrap_search *search, sni_wrap_candidates *candidates,
                           uint32_t nearest, uint32_t class) {
    SN_ASSERT(nearest < search->surface->count);
    sni_wrap_set *set = &candidates->wide;
    if (set->nearest == nearest && set->class == class) {
        return true;
    }
    set->nearest = SN_NONE;
    set->origin = nearest;
    bool is_chosen =
        class < SNI_WRAP_CLASSES
            ? choose_wide(search, &candidates->reach, set, nearest, class)
            : choose_edited(search, &candidates->reach, set, nearest, class - SNI_WRAP_CLASSES);
    if (!is_chosen || !lay_out(search, set)) {
        return false;
    }
    set->nearest = nearest;
    set->class = class;
    return true;
}

// ---------------------------------------------------------------------------------------------
// Near sets

// On a plane of points, the share q of the influence on one of them that comes from beyond r units,
// and on a point h above the plane, for large h:
//
//     q = int_r^oo x^(1 - local) dx / int_0^oo x / (1 + x^local) dx
//       = r^(2 - local) / (local - 2) / (pi / local / sin(2 pi / local))
//     q = (h^2 / (r^2 + h^2))^(local / 2 - 1)
void sni_wrap_search_near(sni_wrap_search *search) {
    const sni_wrap_settings *settings = search->settings;
    const double pi = 3.14159265358979323846, local = settings->local;
    const double q = near_share * settings->cut;
    search->near_radius = INFINITY;
    if (local > 2 && q > 0) {
        double r = pow(q * (local - 2) * pi / local / sin(2 * pi / local), 1 / (2 - local));
        search->near_radius = r * settings->unit;
        search->near_slope = near_slope * sqrt(pow(q, 2 / (2 - local)) - 1);
    }
    search->plane_growth = local > 2 ? (local - 2) * pi / local / sin(2 * pi / local) - 1 : 0;
    search->has_near = search->near_radius < near_most * search->surface->mean_edge;
}

bool sni_wrap_prepare_near(const sni_wrap_search *search, sni_wrap_candidates *candidates,
                           uint32_t nearest, uint32_t class) {
    SN_ASSERT(nearest < search->surface->count);
    const sni_wrap_surface *s = search->surface;
    sni_wrap_set *set = &candidates->near;
    if (set->nearest == nearest && set->class == class) {
        return true;
    }
    uint32_t first = sni_wrap_first_of_pair(s, nearest);
    bool is_shared = set->nearest != SN_NONE && set->class == class && set->origin == first &&
                     set->is_whole && !set->has_ways;
    set->nearest = SN_NONE;
    if (!is_shared) {
        set->origin = first;
        collection c = begin_collection(search, set, nearest, class);
        find_box(&c, first, sni_wrap_last_of_pair(s, first));
        c.within = hypot(search->near_radius, search->near_slope * c.most);
        c.small = c.budget / 64;
        c.is_near = true;
        if (!collect(&c)) {
            return false;
        }
    }
    if (!keep_reached(search, &candidates->reach, set, nearest)) {
        return false;
    }
    bool is_laid_out = is_shared && set->is_whole && !set->has_ways;
    if (!is_laid_out && !lay_out(search, set)) {
        return false;
    }
    set->nearest = nearest;
    set->class = class;
    return true;
}

// ---------------------------------------------------------------------------------------------

sn_status sni_wrap_candidates_init(const sni_wrap_search *search, sni_wrap_candidates *candidates,
                                   sn_error *error) {
    *candidates = (sni_wrap_candidates){.near.nearest = SN_NONE, .wide.nearest = SN_NONE};
    return search->settings->reach > 0
               ? sni_wrap_reach_init(search->surface, &candidates->reach, error)
               : SN_OK;
}

static void free_set(sn_context *context, sni_wrap_set *set) {
    sni_free(context, set->elements);
    sni_free(context, set->ways);
    sni_free(context, set->groups);
    sni_free(context, set->lumps);
}

void sni_wrap_candidates_deinit(sn_context *context, sni_wrap_candidates *candidates) {
    sni_wrap_reach_deinit(context, &candidates->reach);
    free_set(context, &candidates->near);
    free_set(context, &candidates->wide);
}
