// SPDX-License-Identifier: Apache-2.0
#include "skin/layers/facing.h"

#include "base/context.h"
#include "sinew/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Points of a patch, and the cosine of the largest angle between the normals of one and that of its
// first point, as it is grown.
enum { PATCH = 32 };
static const double patch_cosine = 0.7;
// Points that lie behind each other within so many radii of the ball that fits there are opposite
// sides of one part.
static const double one_part = 4;
// Points that looked at each other lay in front of each other if no more than this part of the way
// between them, and of an edge, counted along both normals, went backwards: across a gap that is
// narrow beside the edges it mostly goes along.
static const double backwards = 0.75;
// What was this many edges and thicknesses of the flesh apart, and this much farther than it is
// now, may touch.
static const double fold_edges = 8, fold_depths = 3, fold_nearer = 1.5;
// Room for rounding where patches are left out, radians.
static const double angle_margin = 1e-3;
enum { PATCH_GRAIN = 4 };

// ---------------------------------------------------------------------------------------------
// Patches

typedef struct growing {
    const sni_surface_graph *graph;
    sni_facing *facing;
    uint32_t first; // of the patch, in members
    uint32_t end;
} growing;

static sn_vec3 normal_of(const float *normals, uint32_t i) {
    return sn_vec3_load(normals + 3 * (size_t)i);
}

static void add_member(growing *g, uint32_t point) {
    g->facing->patches[point] = g->facing->patch_count;
    g->facing->members[g->end++] = point;
}

// Neighbour by neighbour around the lowest point that is left.
static void grow_patch(growing *g, uint32_t seed) {
    sni_facing *f = g->facing;
    sn_vec3 axis = normal_of(f->normals, seed);
    g->first = g->end;
    add_member(g, seed);
    for (uint32_t at = g->first; at < g->end && g->end - g->first < PATCH; ++at) {
        uint32_t point = f->members[at];
        for (uint32_t k = g->graph->starts[point];
             k < g->graph->starts[point + 1] && g->end - g->first < PATCH; ++k) {
            uint32_t other = g->graph->neighbours[k];
            if (f->patches[other] == SN_NONE &&
                sn_vec3_dot(axis, normal_of(f->normals, other)) > patch_cosine) {
                add_member(g, other);
            }
        }
    }
    f->starts[++f->patch_count] = g->end;
}

static double mean_edge(const sni_surface_graph *g, uint32_t i) {
    double sum = 0;
    for (uint32_t k = g->starts[i]; k < g->starts[i + 1]; ++k) {
        sum += (double)g->lengths[k];
    }
    uint32_t count = g->starts[i + 1] - g->starts[i];
    return count > 0 ? sum / count : 0;
}

sn_status sni_facing_init(const sni_surface_graph *graph, const float *rest, const float *normals,
                          const float *radii, const float *depths, sni_facing *f, sn_error *error) {
    sn_context *context = graph->context;
    uint32_t count = graph->vertex_count;
    sn_status status = SN_OK;
    *f = (sni_facing){.context = context, .count = count, .graph = graph, .rest = rest};
    SNI_NEW(context, f->normals, 3 * (size_t)count);
    SNI_NEW(context, f->edges, count);
    SNI_NEW(context, f->radii, count);
    SNI_NEW(context, f->apart, count);
    SNI_NEW(context, f->starts, (size_t)count + 1);
    SNI_NEW(context, f->members, count);
    SNI_NEW(context, f->patches, count);
    memcpy(f->normals, normals, 3 * (size_t)count * sizeof *normals);
    memcpy(f->radii, radii, count * sizeof *radii);
    f->starts[0] = 0;
    for (uint32_t i = 0; i < count; ++i) {
        f->patches[i] = SN_NONE;
        f->edges[i] = (float)mean_edge(graph, i);
        f->apart[i] =
            (float)fmax(fold_edges * (double)f->edges[i], fold_depths * (double)depths[i]);
    }
    growing g = {.graph = graph, .facing = f};
    for (uint32_t i = 0; i < count; ++i) {
        if (f->patches[i] == SN_NONE) {
            grow_patch(&g, i);
        }
    }
cleanup:
    return status;
}

void sni_facing_deinit(sni_facing *f) {
    if (f->context != NULL) {
        void *arrays[] = {f->normals, f->edges,   f->radii,  f->apart,
                          f->starts,  f->members, f->patches};
        for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
            sni_free(f->context, arrays[i]);
        }
    }
    *f = (sni_facing){0};
}

size_t sni_facing_bytes(const sni_facing *f) {
    return f->count * (6 * sizeof(float) + 2 * sizeof(uint32_t)) +
           ((size_t)f->patch_count + 1) * sizeof(uint32_t);
}

// ---------------------------------------------------------------------------------------------
// Search

// A patch as it is now: its box, the mean of its normals, and which normals may be opposed to one
// of its: those whose cosine with the mean is below `opposed`.
typedef struct patch_state {
    double low[3], high[3];
    double reach; // the largest of its points
    sn_vec3 axis;
    double spread; // the largest angle between the mean and a normal
    double opposed;
} patch_state;

// Patches by the lower side of their boxes along x.
typedef struct patch_order {
    double low;
    uint32_t patch;
} patch_order;

typedef struct search {
    const sni_facing *facing;
    const float *points, *normals, *reaches;
    uint32_t stride;
    patch_state *patches;
    patch_order *order; // patch_count, rising
    double widest;      // box along x
    uint32_t *nearest;
} search;

static sn_vec3 point_of(const search *s, uint32_t i) {
    return sn_vec3_load(s->points + (size_t)s->stride * i);
}

// The cosine of the least angle that is opposed to some normal within `spread` of an axis.
static double opposed_cosine(double spread) {
    double least = acos(SNI_FACING_COSINE) - spread;
    return least > 0 ? cos(least) : 2;
}

static void bound_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const search *s = user;
    const sni_facing *f = s->facing;
    for (uint32_t p = begin; p < end; ++p) {
        patch_state *patch = &s->patches[p];
        sn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
        sn_vec3 sum = {0, 0, 0};
        double least = 1;
        patch->reach = 0;
        for (uint32_t k = f->starts[p]; k < f->starts[p + 1]; ++k) {
            sn_vec3 at = point_of(s, f->members[k]);
            low = sn_vec3_min(low, at);
            high = sn_vec3_max(high, at);
            sum = sn_vec3_add(sum, normal_of(s->normals, f->members[k]));
            patch->reach = fmax(patch->reach, (double)s->reaches[f->members[k]]);
        }
        patch->axis = sn_vec3_normalize_or(sum, sn_vec3_make(0, 0, 1));
        for (uint32_t k = f->starts[p]; k < f->starts[p + 1]; ++k) {
            least = fmin(least, sn_vec3_dot(patch->axis, normal_of(s->normals, f->members[k])));
        }
        patch->spread = acos(fmax(least, -1)) + angle_margin;
        patch->opposed = opposed_cosine(patch->spread);
        patch->low[0] = low.x, patch->low[1] = low.y, patch->low[2] = low.z;
        patch->high[0] = high.x, patch->high[1] = high.y, patch->high[2] = high.z;
        s->order[p] = (patch_order){low.x, p};
    }
}

static int compare_order(const void *a, const void *b) {
    const patch_order *x = a, *y = b;
    if (x->low != y->low) {
        return x->low < y->low ? -1 : 1;
    }
    return (x->patch > y->patch) - (x->patch < y->patch);
}

static void order_patches(search *s) {
    uint32_t count = s->facing->patch_count;
    qsort(s->order, count, sizeof *s->order, compare_order);
    s->widest = 0;
    for (uint32_t p = 0; p < count; ++p) {
        s->widest = fmax(s->widest, s->patches[p].high[0] - s->patches[p].low[0]);
    }
}

// The first patch in order whose box begins at x or beyond.
static uint32_t first_from(const search *s, double x) {
    uint32_t low = 0, high = s->facing->patch_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->order[middle].low < x) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Whether points of b may be within the reach of a's and look at them.
static bool may_meet(const patch_state *a, const patch_state *b) {
    double square = 0;
    for (int k = 0; k < 3; ++k) {
        double gap = fmax(fmax(a->low[k] - b->high[k], b->low[k] - a->high[k]), 0);
        square += gap * gap;
    }
    return square <= a->reach * a->reach &&
           sn_vec3_dot(a->axis, b->axis) < opposed_cosine(a->spread + b->spread);
}

bool sni_facing_is_beside(const sni_facing *f, uint32_t a, uint32_t b) {
    const sni_surface_graph *g = f->graph;
    for (uint32_t k = g->starts[a]; k < g->starts[a + 1]; ++k) {
        if (g->neighbours[k] == b) {
            return true;
        }
    }
    return a == b;
}

// Whether two places that looked at each other at rest did so from in front, and are not two sides
// of one part.
static bool was_in_front(const sni_facing_place *a, const sni_facing_place *b, double edge) {
    sn_vec3 way = sn_vec3_sub(b->at, a->at);
    double before = sn_vec3_dot(way, a->normal) - sn_vec3_dot(way, b->normal);
    return before >= -backwards * fmin(sn_vec3_length(way), edge);
}

bool sni_facing_may_touch(const sni_facing *f, const sni_facing_place *a, const sni_facing_place *b,
                          double now) {
    uint32_t i = a->point, j = b->point;
    if (sn_vec3_dot(a->normal, b->normal) < SNI_FACING_REST_COSINE &&
        was_in_front(a, b, (double)f->edges[i])) {
        return true;
    }
    sn_vec3 way = sn_vec3_sub(b->at, a->at);
    double rest = sn_vec3_length(way), ball = fmax((double)f->radii[i], (double)f->radii[j]);
    bool behind = sn_vec3_dot(way, a->normal) < 0 && sn_vec3_dot(way, b->normal) > 0 &&
                  rest < one_part * ball;
    return !behind && rest > fold_nearer * now &&
           rest > fmax((double)f->apart[i], (double)f->apart[j]);
}

static bool may_touch(const sni_facing *f, uint32_t i, uint32_t j, double now) {
    sni_facing_place a = {i, sn_vec3_load(f->rest + 3 * (size_t)i), normal_of(f->normals, i)};
    sni_facing_place b = {j, sn_vec3_load(f->rest + 3 * (size_t)j), normal_of(f->normals, j)};
    return sni_facing_may_touch(f, &a, &b, now);
}

static void look_at(const search *s, uint32_t i, uint32_t patch, double *least) {
    const sni_facing *f = s->facing;
    sn_vec3 at = point_of(s, i), normal = normal_of(s->normals, i);
    const patch_state *b = &s->patches[patch];
    const double own[3] = {at.x, at.y, at.z};
    double square = 0;
    for (int k = 0; k < 3; ++k) {
        double gap = fmax(fmax(own[k] - b->high[k], b->low[k] - own[k]), 0);
        square += gap * gap;
    }
    if (square > *least || !(sn_vec3_dot(normal, b->axis) < b->opposed)) {
        return;
    }
    for (uint32_t k = f->starts[patch]; k < f->starts[patch + 1]; ++k) {
        uint32_t j = f->members[k];
        sn_vec3 way = sn_vec3_sub(point_of(s, j), at);
        double far = sn_vec3_dot(way, way);
        bool nearer = far < *least || (far == *least && j < s->nearest[i]);
        if (nearer && sn_vec3_dot(normal, normal_of(s->normals, j)) < SNI_FACING_COSINE &&
            may_touch(f, i, j, sqrt(far)) && !sni_facing_is_beside(f, i, j)) {
            *least = far;
            s->nearest[i] = j;
        }
    }
}

enum { MOST_MET = 512 };

// Looks at `count` patches from every point of one.
static void look_from(const search *s, uint32_t patch, const uint32_t *met, uint32_t count) {
    const sni_facing *f = s->facing;
    for (uint32_t k = f->starts[patch]; k < f->starts[patch + 1]; ++k) {
        uint32_t i = f->members[k];
        double reach = (double)s->reaches[i], least = reach * reach;
        if (s->nearest[i] != SN_NONE) {
            sn_vec3 way = sn_vec3_sub(point_of(s, s->nearest[i]), point_of(s, i));
            least = sn_vec3_dot(way, way);
        }
        for (uint32_t n = 0; reach > 0 && n < count; ++n) {
            look_at(s, i, met[n], &least);
        }
    }
}

static void search_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const search *s = user;
    const sni_facing *f = s->facing;
    for (uint32_t p = begin; p < end; ++p) {
        const patch_state *patch = &s->patches[p];
        uint32_t met[MOST_MET], count = 0;
        for (uint32_t k = f->starts[p]; k < f->starts[p + 1]; ++k) {
            s->nearest[f->members[k]] = SN_NONE;
        }
        for (uint32_t n = first_from(s, patch->low[0] - patch->reach - s->widest);
             patch->reach > 0 && n < f->patch_count &&
             s->order[n].low <= patch->high[0] + patch->reach;
             ++n) {
            if (may_meet(patch, &s->patches[s->order[n].patch])) {
                met[count++] = s->order[n].patch;
            }
            if (count == MOST_MET) {
                look_from(s, p, met, count);
                count = 0;
            }
        }
        look_from(s, p, met, count);
    }
}

bool sni_facing_find(const sni_facing *f, sni_arena *arena, const float *points, uint32_t stride,
                     const float *normals, const float *reaches, uint32_t *nearest) {
    sni_arena_mark mark = sni_arena_mark_now(arena);
    search s = {.facing = f,
                .points = points,
                .normals = normals,
                .reaches = reaches,
                .stride = stride,
                .nearest = nearest};
    s.patches = sni_arena_alloc(arena, f->patch_count, sizeof *s.patches);
    s.order = sni_arena_alloc(arena, f->patch_count, sizeof *s.order);
    bool made = s.patches != NULL && s.order != NULL;
    if (made) {
        sn_parallel_for(f->context, f->patch_count, PATCH_GRAIN, bound_block, &s);
        order_patches(&s);
        sn_parallel_for(f->context, f->patch_count, PATCH_GRAIN, search_block, &s);
    }
    sni_arena_release(arena, mark);
    return made;
}
