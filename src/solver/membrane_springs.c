// SPDX-License-Identifier: Apache-2.0
//
// From triangles to springs.
#include "solver/membrane_internal.h"

#include "base/rows.h"
#include "geometry/triangle.h"
#include "sinew/vector.h"

#include <stdlib.h>
#include <string.h>

static sn_vec3 point_of(const sni_membrane_desc *desc, uint32_t vertex) {
    return sn_vec3_load(desc->positions + 3 * (size_t)vertex);
}

// One side of a triangle, seen from one of its ends.
typedef struct half_edge {
    uint32_t neighbour;
    uint32_t triangle;
    double area; // of the triangle
} half_edge;

// Triangles or vertices of a block: some hundred microseconds.
enum { SPRING_GRAIN = 2048 };

// Springs on their way.
typedef struct making {
    const sni_membrane_desc *desc;
    sni_membrane_springs *springs;
    uint32_t *starts, *corners; // corners of triangles at each vertex, rising
    double *areas;              // of triangles
    half_edge *sides;           // two for each corner
} making;

static void area_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const making *m = user;
    for (uint32_t t = begin; t < end; ++t) {
        const uint32_t *corners = m->desc->vertices + 3 * (size_t)t;
        m->areas[t] =
            sni_triangle_area(point_of(m->desc, corners[0]), point_of(m->desc, corners[1]),
                              point_of(m->desc, corners[2]));
    }
}

// By rising neighbour, and for each of them by rising triangle, as they are listed: both ends of an
// edge then sum up its areas in the same order, to the same bits. There are few.
static void sort_sides(half_edge *sides, uint32_t count) {
    for (uint32_t i = 1; i < count; ++i) {
        half_edge side = sides[i];
        uint32_t k = i;
        for (; k > 0 && sides[k - 1].neighbour > side.neighbour; --k) {
            sides[k] = sides[k - 1];
        }
        sides[k] = side;
    }
}

static int compare_sides(const void *a, const void *b) {
    const half_edge *first = a, *second = b;
    return first->neighbour != second->neighbour
               ? (first->neighbour < second->neighbour ? -1 : 1)
               : (first->triangle > second->triangle) - (first->triangle < second->triangle);
}

// Equation 1 for an edge whose triangles have this area together.
static double edge_stiffness(double area, double length, double factor) {
    double stiffness = area / (length * length);
    return factor * (stiffness < SNI_MEMBRANE_STIFFEST ? stiffness : SNI_MEMBRANE_STIFFEST);
}

// The length of an edge as the maps of its ends make it, in the mean.
static double mapped_length(const sni_membrane_desc *desc, uint32_t v, uint32_t w) {
    sn_vec3 edge = sn_vec3_sub(point_of(desc, w), point_of(desc, v));
    double sum = 0;
    for (int end = 0; end < 2; ++end) {
        const float *map = desc->maps + 9 * (size_t)(end == 0 ? v : w);
        sn_vec3 mapped = {sn_vec3_dot(sn_vec3_load(map), edge),
                          sn_vec3_dot(sn_vec3_load(map + 3), edge),
                          sn_vec3_dot(sn_vec3_load(map + 6), edge)};
        sum += sn_vec3_length(mapped);
    }
    return sum / 2;
}

// Lists the sides at a vertex by rising neighbour, sums up its area, and counts its springs.
static uint32_t list_sides(const making *m, uint32_t v) {
    uint32_t first = m->starts[v], count = 2 * (m->starts[v + 1] - first), springs = 0;
    half_edge *sides = m->sides + 2 * (size_t)first;
    double sum = 0;
    for (uint32_t i = 0; i < count; i += 2) {
        uint32_t corner = m->corners[first + i / 2], t = corner / 3;
        const uint32_t *corners = m->desc->vertices + 3 * (size_t)t;
        sum += m->areas[t];
        sides[i] = (half_edge){corners[(corner + 1) % 3], t, m->areas[t]};
        sides[i + 1] = (half_edge){corners[(corner + 2) % 3], t, m->areas[t]};
    }
    m->springs->areas[v] = sum;
    // Sorting by insertion is for the usual handful.
    if (count <= 64) {
        sort_sides(sides, count);
    } else {
        qsort(sides, count, sizeof *sides, compare_sides);
    }
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t w = sides[i].neighbour;
        springs += w != v && (i == 0 || sides[i - 1].neighbour != w);
    }
    return springs;
}

static void side_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const making *m = user;
    for (uint32_t v = begin; v < end; ++v) {
        m->springs->offsets[v + 1] = list_sides(m, v);
    }
}

// Joins the sides of a vertex that are one edge.
static void join_sides(const making *m, uint32_t v) {
    const sni_membrane_desc *desc = m->desc;
    sni_membrane_springs *springs = m->springs;
    const half_edge *sides = m->sides + 2 * (size_t)m->starts[v];
    uint32_t count = 2 * (m->starts[v + 1] - m->starts[v]), spring = springs->offsets[v];
    for (uint32_t i = 0; i < count;) {
        uint32_t w = sides[i].neighbour;
        double area = 0;
        for (; i < count && sides[i].neighbour == w; ++i) {
            area += sides[i].area;
        }
        if (w == v) {
            continue;
        }
        double length = sn_vec3_distance(point_of(desc, v), point_of(desc, w));
        double factor = desc->elasticity != NULL
                            ? ((double)desc->elasticity[v] + (double)desc->elasticity[w]) / 2
                            : 1;
        springs->neighbours[spring] = w;
        springs->lengths[spring] = length;
        springs->rests[spring] =
            desc->rest * (desc->maps != NULL ? mapped_length(desc, v, w) : length);
        springs->stiffness[spring] =
            length > 0 ? edge_stiffness(area, length, factor) : factor * SNI_MEMBRANE_STIFFEST;
        spring++;
    }
}

static void join_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    for (uint32_t v = begin; v < end; ++v) {
        join_sides(user, v);
    }
}

static double mean_of(const double *values, uint32_t count) {
    double sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sum += values[i];
    }
    return count > 0 ? sum / count : 0;
}

sn_status sni_membrane_springs_make(sn_context *context, const sni_membrane_desc *desc,
                                    sni_membrane_springs *springs, sn_error *error) {
    SN_ASSERT(desc->triangle_count == 0 || desc->vertices != NULL);
    uint32_t count = desc->vertex_count, corner_count = 3 * desc->triangle_count;
    making m = {.desc = desc, .springs = springs};
    sn_status status = SN_OK;
    SNI_NEW(context, m.starts, (size_t)count + 1);
    SNI_NEW(context, m.corners, corner_count);
    SNI_NEW(context, m.areas, desc->triangle_count);
    SNI_NEW(context, m.sides, 2 * (size_t)corner_count);
    SNI_NEW(context, springs->areas, count);
    SNI_NEW(context, springs->offsets, (size_t)count + 1);
    sni_rows_from_keys(desc->vertices, corner_count, 1, count, m.starts, m.corners);
    sn_parallel_for(context, desc->triangle_count, SPRING_GRAIN, area_block, &m);
    springs->offsets[0] = 0;
    sn_parallel_for(context, count, SPRING_GRAIN, side_block, &m);
    uint32_t made = sni_rows_begin(springs->offsets, count);
    SNI_NEW(context, springs->neighbours, made);
    SNI_NEW(context, springs->lengths, made);
    SNI_NEW(context, springs->rests, made);
    SNI_NEW(context, springs->stiffness, made);
    sn_parallel_for(context, count, SPRING_GRAIN, join_block, &m);
    springs->mean_edge = mean_of(springs->lengths, made);
    SN_VALIDATE(sni_membrane_springs_are_valid(springs, count));
cleanup:
    sni_free(context, m.starts);
    sni_free(context, m.corners);
    sni_free(context, m.areas);
    sni_free(context, m.sides);
    return status;
}

// The spring from a vertex to another; SN_NONE for none.
static uint32_t find_spring(const sni_membrane_springs *springs, uint32_t from, uint32_t to) {
    for (uint32_t i = springs->offsets[from]; i < springs->offsets[from + 1]; ++i) {
        if (springs->neighbours[i] == to) {
            return i;
        }
    }
    return SN_NONE;
}

bool sni_membrane_springs_are_valid(const sni_membrane_springs *springs, uint32_t vertex_count) {
    const sni_membrane_springs *s = springs;
    if (!sni_rows_are_valid(s->offsets, vertex_count, s->offsets[vertex_count])) {
        return false;
    }
    for (uint32_t v = 0; v < vertex_count; ++v) {
        for (uint32_t i = s->offsets[v]; i < s->offsets[v + 1]; ++i) {
            uint32_t w = s->neighbours[i];
            if (w >= vertex_count || w == v || (i > s->offsets[v] && s->neighbours[i - 1] >= w)) {
                return false;
            }
            uint32_t back = find_spring(s, w, v);
            if (back == SN_NONE || s->stiffness[back] != s->stiffness[i] ||
                s->lengths[back] != s->lengths[i] || !(s->stiffness[i] >= 0) ||
                !(s->rests[i] >= 0)) {
                return false;
            }
        }
    }
    return true;
}

void sni_membrane_springs_free(sn_context *context, sni_membrane_springs *springs) {
    sni_free(context, springs->offsets);
    sni_free(context, springs->neighbours);
    sni_free(context, springs->stiffness);
    sni_free(context, springs->lengths);
    sni_free(context, springs->rests);
    sni_free(context, springs->areas);
}
