// SPDX-License-Identifier: Apache-2.0
//
// Cutting a closed surface of triangles along a border f = 0. Vertices close to it are moved onto
// it first, so that no slivers are left; then every edge from f < 0 to f > 0 gets a vertex, which
// both of its triangles share.
#include "scenes/person.h"

#include <stdlib.h>
#include <string.h>

// A vertex closer to the border than this part of an edge is moved.
static const double close_share = 0.25;

typedef struct crossing {
    uint64_t edge; // lower vertex << 32 | higher vertex
    uint32_t vertex;
} crossing;

typedef struct cutting {
    scn_surface *surface;
    scn_person_region region;
    double *values; // f at the vertices; exactly 0 on the border
    uint32_t crossing_count;
    crossing *crossings; // sorted by edge
} cutting;

static int compare_crossings(const void *a, const void *b) {
    uint64_t x = ((const crossing *)a)->edge, y = ((const crossing *)b)->edge;
    return x < y ? -1 : x > y;
}

static uint64_t edge_of(uint32_t a, uint32_t b) {
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static bool is_crossed(const cutting *c, uint32_t a, uint32_t b) {
    return (c->values[a] < 0 && c->values[b] > 0) || (c->values[a] > 0 && c->values[b] < 0);
}

// Where the border meets an edge, as a part of it, by halving.
static double find_crossing(const cutting *c, uint32_t a, uint32_t b) {
    const sn_vec3 *points = c->surface->points;
    double low = 0, high = 1;
    bool rises = c->values[b] > 0;
    for (int i = 0; i < 24; ++i) {
        double middle = (low + high) / 2;
        sn_vec3 at = sn_vec3_lerp(points[a], points[b], middle);
        bool beyond = (scn_person_inside(c->region, at) > 0) == rises;
        *(beyond ? &high : &low) = middle;
    }
    return (low + high) / 2;
}

static void move_close_vertices(cutting *c) {
    scn_surface *s = c->surface;
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        for (int i = 0; i < 3; ++i) {
            uint32_t a = s->triangles[t][i], b = s->triangles[t][(i + 1) % 3];
            if (a > b || !is_crossed(c, a, b)) {
                continue; // the other triangle has the edge the other way round
            }
            double share = find_crossing(c, a, b);
            if (share < close_share || share > 1 - close_share) {
                uint32_t moved = share < 0.5 ? a : b;
                s->points[moved] = sn_vec3_lerp(s->points[a], s->points[b], share);
                c->values[moved] = 0;
            }
        }
    }
}

static bool add_crossings(cutting *c) {
    scn_surface *s = c->surface;
    uint32_t count = 0;
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        for (int i = 0; i < 3; ++i) {
            uint32_t a = s->triangles[t][i], b = s->triangles[t][(i + 1) % 3];
            count += a < b && is_crossed(c, a, b);
        }
    }
    c->crossings = malloc((count + 1) * sizeof *c->crossings);
    sn_vec3 *points = realloc(s->points, (s->vertex_count + count + 1) * sizeof *points);
    s->points = points != NULL ? points : s->points;
    if (c->crossings == NULL || points == NULL) {
        return false;
    }
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        for (int i = 0; i < 3; ++i) {
            uint32_t a = s->triangles[t][i], b = s->triangles[t][(i + 1) % 3];
            if (a < b && is_crossed(c, a, b)) {
                s->points[s->vertex_count] =
                    sn_vec3_lerp(s->points[a], s->points[b], find_crossing(c, a, b));
                c->crossings[c->crossing_count++] = (crossing){edge_of(a, b), s->vertex_count++};
            }
        }
    }
    qsort(c->crossings, c->crossing_count, sizeof *c->crossings, compare_crossings);
    return true;
}

static uint32_t crossing_at(const cutting *c, uint32_t a, uint32_t b) {
    crossing key = {edge_of(a, b), 0};
    const crossing *found =
        bsearch(&key, c->crossings, c->crossing_count, sizeof key, compare_crossings);
    return found != NULL ? found->vertex : SN_NONE;
}

static void add_triangle(scn_surface *s, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t *made = s->triangles[s->triangle_count++];
    made[0] = a;
    made[1] = b;
    made[2] = c;
}

// A triangle with one crossed edge becomes two, one with two becomes three.
static void split_triangle(const cutting *c, uint32_t triangle) {
    scn_surface *s = c->surface;
    uint32_t v[3], on[3];
    for (int first = 0; first < 3; ++first) {
        for (int i = 0; i < 3; ++i) {
            v[i] = s->triangles[triangle][(first + i) % 3];
        }
        for (int i = 0; i < 3; ++i) {
            on[i] = crossing_at(c, v[i], v[(i + 1) % 3]);
        }
        bool one = on[0] != SN_NONE && on[1] == SN_NONE && on[2] == SN_NONE;
        bool two = on[0] != SN_NONE && on[2] != SN_NONE;
        if (one || two) {
            uint32_t *kept = s->triangles[triangle];
            kept[0] = v[0];
            kept[1] = on[0];
            kept[2] = two ? on[2] : v[2];
            add_triangle(s, on[0], v[1], v[2]);
            if (two) {
                add_triangle(s, on[0], v[2], on[2]);
            }
            return;
        }
    }
}

bool scn_person_cut(scn_surface *surface, scn_person_region region) {
    cutting c = {.surface = surface, .region = region};
    c.values = malloc((surface->vertex_count + 1) * sizeof *c.values);
    bool made = c.values != NULL;
    for (uint32_t v = 0; made && v < surface->vertex_count; ++v) {
        c.values[v] = scn_person_inside(region, surface->points[v]);
    }
    if (made) {
        move_close_vertices(&c);
        made = add_crossings(&c);
    }
    uint32_t before = surface->triangle_count;
    size_t room = (size_t)before + 2 * (size_t)c.crossing_count + 1;
    uint32_t(*grown)[3] = made ? realloc(surface->triangles, room * sizeof *grown) : NULL;
    surface->triangles = grown != NULL ? grown : surface->triangles;
    for (uint32_t t = 0; grown != NULL && t < before; ++t) {
        split_triangle(&c, t);
    }
    free(c.values);
    free(c.crossings);
    return grown != NULL;
}
