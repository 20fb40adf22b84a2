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
    double area;
} half_edge;

// Lists the sides at each vertex, and sums up its area.
static void list_sides(const sni_membrane_desc *desc, uint32_t *starts, half_edge *sides,
                       double *areas) {
    for (size_t i = 0; i < 3 * (size_t)desc->triangle_count; ++i) {
        sni_rows_count(starts, desc->vertices[i], 2);
    }
    sni_rows_begin(starts, desc->vertex_count);
    for (uint32_t t = 0; t < desc->triangle_count; ++t) {
        const uint32_t *corners = desc->vertices + 3 * (size_t)t;
        double area = sni_triangle_area(point_of(desc, corners[0]), point_of(desc, corners[1]),
                                        point_of(desc, corners[2]));
        for (int k = 0; k < 3; ++k) {
            uint32_t v = corners[k];
            areas[v] += area;
            sides[sni_rows_take(starts, v)] = (half_edge){corners[(k + 1) % 3], area};
            sides[sni_rows_take(starts, v)] = (half_edge){corners[(k + 2) % 3], area};
        }
    }
    sni_rows_end(starts, desc->vertex_count);
}

// By rising neighbour; there are few.
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
               : (first->area > second->area) - (first->area < second->area);
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

// Joins the sides of a vertex that are one edge; returns the number of springs behind them.
static uint32_t join_sides(const sni_membrane_desc *desc, uint32_t v, half_edge *sides,
                           uint32_t side_count, uint32_t spring, sni_membrane_springs *springs) {
    // Sorting by insertion is for the usual handful.
    if (side_count <= 64) {
        sort_sides(sides, side_count);
    } else {
        qsort(sides, side_count, sizeof *sides, compare_sides);
    }
    for (uint32_t i = 0; i < side_count;) {
        uint32_t w = sides[i].neighbour;
        double area = 0;
        for (; i < side_count && sides[i].neighbour == w; ++i) {
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
    return spring;
}

sn_status sni_membrane_springs_make(sn_context *context, const sni_membrane_desc *desc,
                                    sni_membrane_springs *springs, sn_error *error) {
    SN_ASSERT(desc->triangle_count == 0 || desc->vertices != NULL);
    uint32_t count = desc->vertex_count;
    size_t side_count = 6 * (size_t)desc->triangle_count;
    uint32_t *starts = NULL;
    half_edge *sides = NULL;
    sn_status status = SN_OK;
    SNI_NEW_ZERO(context, starts, (size_t)count + 1);
    SNI_NEW(context, sides, side_count);
    SNI_NEW_ZERO(context, springs->areas, count);
    SNI_NEW(context, springs->offsets, (size_t)count + 1);
    SNI_NEW(context, springs->neighbours, side_count);
    SNI_NEW(context, springs->lengths, side_count);
    SNI_NEW(context, springs->rests, side_count);
    SNI_NEW(context, springs->stiffness, side_count);
    list_sides(desc, starts, sides, springs->areas);
    double sum = 0;
    uint32_t made = 0;
    for (uint32_t v = 0; v < count; ++v) {
        springs->offsets[v] = made;
        made = join_sides(desc, v, sides + starts[v], starts[v + 1] - starts[v], made, springs);
        for (uint32_t i = springs->offsets[v]; i < made; ++i) {
            sum += springs->lengths[i];
        }
    }
    springs->offsets[count] = made;
    springs->mean_edge = made > 0 ? sum / made : 0;
    SN_VALIDATE(sni_membrane_springs_are_valid(springs, count));
cleanup:
    sni_free(context, starts);
    sni_free(context, sides);
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
