// SPDX-License-Identifier: Apache-2.0
#include "skin/implicit/rings.h"

#include <stdlib.h>

typedef struct placed {
    float place[3];
    uint32_t vertex;
} placed;

static int by_place(const void *left, const void *right) {
    const placed *x = left, *y = right;
    for (int k = 0; k < 3; ++k) {
        if (x->place[k] != y->place[k]) {
            return x->place[k] < y->place[k] ? -1 : 1;
        }
    }
    return x->vertex < y->vertex ? -1 : 1;
}

sn_status sni_map_places(sn_context *context, uint32_t vertex_count, const float *positions,
                         uint32_t *map, sn_error *error) {
    sn_status status = SN_OK;
    placed *sorted = NULL;
    SNI_NEW(context, sorted, vertex_count);
    for (uint32_t i = 0; i < vertex_count; ++i) {
        const float *p = positions + 3 * (size_t)i;
        sorted[i] = (placed){{p[0], p[1], p[2]}, i};
    }
    qsort(sorted, vertex_count, sizeof *sorted, by_place);
    for (uint32_t i = 0; i < vertex_count; ++i) {
        const float *p = sorted[i].place, *before = i > 0 ? sorted[i - 1].place : p;
        bool same = i > 0 && p[0] == before[0] && p[1] == before[1] && p[2] == before[2];
        map[sorted[i].vertex] = same ? map[sorted[i - 1].vertex] : sorted[i].vertex;
    }
cleanup:
    sni_free(context, sorted);
    return status;
}

uint32_t sni_map_triangles(const uint32_t *map, uint32_t triangle_count, const uint32_t *triangles,
                           uint32_t *mapped) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < triangle_count; ++i) {
        const uint32_t *v = triangles + 3 * (size_t)i;
        uint32_t a = map[v[0]], b = map[v[1]], c = map[v[2]];
        if (a != b && b != c && c != a) {
            uint32_t *to = mapped + 3 * (size_t)count++;
            to[0] = a;
            to[1] = b;
            to[2] = c;
        }
    }
    return count;
}

// One side of a triangle: the edge from a to b and the cotangent of the angle across.
typedef struct half_edge {
    uint32_t a, b;
    double cotangent;
} half_edge;

static int by_ends(const void *left, const void *right) {
    const half_edge *x = left, *y = right;
    if (x->a != y->a) {
        return x->a < y->a ? -1 : 1;
    }
    if (x->b != y->b) {
        return x->b < y->b ? -1 : 1;
    }
    // A total order, so that sums of more than two have one order.
    return (x->cotangent > y->cotangent) - (x->cotangent < y->cotangent);
}

static double cotangent_at(sn_vec3 corner, sn_vec3 a, sn_vec3 b) {
    sn_vec3 u = sn_vec3_sub(a, corner), v = sn_vec3_sub(b, corner);
    double across = sn_vec3_length(sn_vec3_cross(u, v));
    return across > 0 ? sn_vec3_dot(u, v) / across : 0;
}

// Both directions of all sides, sorted, so that the rows of vertices follow each other.
static void list_sides(const sn_vec3 *rest, uint32_t triangle_count, const uint32_t *triangles,
                       half_edge *sides) {
    for (uint32_t i = 0; i < triangle_count; ++i) {
        const uint32_t *v = triangles + 3 * (size_t)i;
        for (int k = 0; k < 3; ++k) {
            uint32_t a = v[k], b = v[(k + 1) % 3], c = v[(k + 2) % 3];
            double cotangent = cotangent_at(rest[c], rest[a], rest[b]);
            *sides++ = (half_edge){a, b, cotangent};
            *sides++ = (half_edge){b, a, cotangent};
        }
    }
}

static bool is_same_edge(half_edge x, half_edge y) {
    return x.a == y.a && x.b == y.b;
}

// Rows of neighbours; returns how many there are. Arrays may be NULL to count them.
static uint32_t fill_rows(const half_edge *sides, uint32_t side_count, sni_tracker_mesh *mesh,
                          uint32_t *starts, uint32_t *neighbors, double *weights, uint8_t *fixed) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < side_count;) {
        uint32_t first = i;
        double sum = 0;
        for (; i < side_count && is_same_edge(sides[i], sides[first]); ++i) {
            sum += sides[i].cotangent;
        }
        if (sides[first].a == sides[first].b) {
            continue; // a triangle with two corners in one vertex
        }
        if (starts != NULL) {
            starts[sides[first].a + 1] = count + 1;
            neighbors[count] = sides[first].b;
            weights[count] = fmin(5, fmax(0.05, sum / 2));
            if (i - first == 1) {
                fixed[sides[first].a] = 1;
            }
        }
        ++count;
    }
    if (starts != NULL) {
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            if (starts[v + 1] < starts[v]) { // without neighbours
                starts[v + 1] = starts[v];
                fixed[v] = 1;
            }
        }
    }
    return count;
}

static double mean_edge(const sni_tracker_mesh *mesh) {
    double sum = 0;
    uint32_t count = mesh->starts[mesh->vertex_count];
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        for (uint32_t k = mesh->starts[i]; k < mesh->starts[i + 1]; ++k) {
            sum += sn_vec3_distance(mesh->rest[i], mesh->rest[mesh->neighbors[k]]);
        }
    }
    return count > 0 ? sum / count : 0;
}

sn_status sni_tracker_mesh_create(sn_context *context, uint32_t vertex_count,
                                  const float *positions, uint32_t triangle_count,
                                  const uint32_t *triangles, sni_tracker_mesh *mesh,
                                  sn_error *error) {
    sn_status status = SN_OK;
    half_edge *sides = NULL;
    sn_vec3 *rest = NULL;
    uint32_t *starts = NULL, *neighbors = NULL;
    double *weights = NULL;
    uint8_t *fixed = NULL;
    uint32_t side_count = 6 * triangle_count;
    *mesh = (sni_tracker_mesh){.vertex_count = vertex_count};
    SNI_NEW(context, rest, vertex_count);
    mesh->rest = rest;
    for (uint32_t i = 0; i < vertex_count; ++i) {
        rest[i] = sn_vec3_load(positions + 3 * (size_t)i);
    }
    SNI_NEW(context, sides, side_count);
    list_sides(rest, triangle_count, triangles, sides);
    qsort(sides, side_count, sizeof *sides, by_ends);
    uint32_t count = fill_rows(sides, side_count, mesh, NULL, NULL, NULL, NULL);
    SNI_NEW_ZERO(context, starts, (size_t)vertex_count + 1);
    mesh->starts = starts;
    SNI_NEW(context, neighbors, count);
    mesh->neighbors = neighbors;
    SNI_NEW(context, weights, count);
    mesh->weights = weights;
    SNI_NEW_ZERO(context, fixed, vertex_count);
    mesh->fixed = fixed;
    fill_rows(sides, side_count, mesh, starts, neighbors, weights, fixed);
    mesh->mean_edge = mean_edge(mesh);
cleanup:
    sni_free(context, sides);
    if (status != SN_OK) {
        sni_tracker_mesh_free(context, mesh);
    }
    return status;
}

void sni_tracker_mesh_free(sn_context *context, sni_tracker_mesh *mesh) {
    sni_free(context, (void *)mesh->rest);
    sni_free(context, (void *)mesh->starts);
    sni_free(context, (void *)mesh->neighbors);
    sni_free(context, (void *)mesh->weights);
    sni_free(context, (void *)mesh->fixed);
    *mesh = (sni_tracker_mesh){0};
}
