// SPDX-License-Identifier: Apache-2.0
//
// A coordinate along a muscle: its gradient is the direction in which the muscle runs, smoothed.
//
//     w = (d_origin - d_insertion) / 2          shortest ways to the seeds of both ends
//     (M + s^2 L) D = M grad w                  the directions, spread over the length s
//     L u = div (D / |D|)                       the coordinate (as in the heat method, Crane,
//                                               Weischedel, Wardetzky 2013, steps II and III)
//
// w alone has folds, is flat behind the seeds and circular around them. Behind the seeds grad w is
// zero and D comes from the neighbourhood, so that u runs on to the very ends of the mesh.
#include "fit/muscle/fit.h"

#include "geometry/triangle.h"

#include <math.h>
#include <string.h>

// D fades behind the seeds, in the end to nothing. A little of what is spread over half of the mesh
// is added to grad w, so that it fades to the muscle's direction in the large.
static const double far_reach = 0.5, far_part = 0.02;

// Ends that nobody gave are all vertices within this part of the way from the farthest one: a
// corner of a blunt end alone would tilt the coordinate.
static const double end_part = 0.04;

// The vertices that are farthest from given ones.
static sn_status find_far(const sni_fit_surface *s, sni_arena *arena, const uint32_t *from,
                          uint32_t from_count, double *distances, uint32_t *far, uint32_t *count,
                          sn_error *error) {
    sn_status status = SN_OK;
    double farthest = 0;
    SN_TRY(sni_fit_distances(s, arena, from, from_count, distances, error));
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        farthest = fmax(farthest, distances[i]);
    }
    *count = 0;
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        if (distances[i] >= (1 - end_part) * farthest) {
            far[(*count)++] = i;
        }
    }
cleanup:
    return status;
}

// The ends of a longest way: from what is farthest from the middle to what is farthest from that,
// and back.
static sn_status find_extremes(const sni_fit_surface *s, sni_arena *arena, double *distances,
                               uint32_t *seeds[2], uint32_t counts[2], sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 mean = {0, 0, 0};
    uint32_t first = 0;
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        mean = sn_vec3_add_scaled(mean, s->masses[i] / s->area, s->points[i]);
    }
    for (uint32_t i = 1; i < s->vertex_count; ++i) {
        first = sn_vec3_distance(s->points[i], mean) > sn_vec3_distance(s->points[first], mean)
                    ? i
                    : first;
    }
    SN_TRY(find_far(s, arena, &first, 1, distances, seeds[1], &counts[1], error));
    SN_TRY(find_far(s, arena, seeds[1], counts[1], distances, seeds[0], &counts[0], error));
    SN_TRY(find_far(s, arena, seeds[0], counts[0], distances, seeds[1], &counts[1], error));
cleanup:
    return status;
}

// (d_origin - d_insertion) / 2 at every vertex.
static sn_status find_ways(const sni_fit_surface *s, sni_arena *arena, const sni_fit_points *points,
                           double *way, double *length, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t counts[2] = {0, 0};
    uint32_t *seeds[2];
    double *distances[2];
    for (int side = 0; side < 2; ++side) {
        SNI_FIT_TAKE(arena, seeds[side], (size_t)points->count + s->vertex_count);
        SNI_FIT_TAKE(arena, distances[side], s->vertex_count);
    }
    for (uint32_t i = 0; i < points->count; ++i) {
        if (points->seeds[i]) {
            int side = points->sides[i];
            seeds[side][counts[side]++] = sni_fit_nearest_vertex(s, points->places[i].point);
        }
    }
    if (counts[0] == 0 && counts[1] == 0) {
        SN_TRY(find_extremes(s, arena, distances[0], seeds, counts, error));
    }
    for (int side = 0; side < 2; ++side) {
        if (counts[side] == 0) {
            SN_TRY(find_far(s, arena, seeds[1 - side], counts[1 - side], distances[side],
                            seeds[side], &counts[side], error));
        }
    }
    for (int side = 0; side < 2; ++side) {
        SN_TRY(sni_fit_distances(s, arena, seeds[side], counts[side], distances[side], error));
    }
    *length = 0;
    for (uint32_t i = 0; i < counts[1]; ++i) {
        *length += distances[0][seeds[1][i]] / counts[1];
    }
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        way[i] = (distances[0][i] - distances[1][i]) / 2;
    }
cleanup:
    return status;
}

// M grad w, a component each: area-weighted gradients of the triangles around a vertex.
static void add_gradients(const sni_fit_surface *s, const double *way, double *gradients[3]) {
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t *v = s->triangles + 3 * (size_t)t;
        sn_vec3 p = s->points[v[0]], q = s->points[v[1]], r = s->points[v[2]];
        sn_vec3 normal = sni_triangle_vector(p, q, r);
        double twice = sn_vec3_length(normal);
        if (!(twice > 0)) {
            continue;
        }
        // grad w = sum w_i (n x edge opposite of i) / 2A; times A / 3 for each vertex.
        sn_vec3 sum = sn_vec3_scale(sn_vec3_cross(normal, sn_vec3_sub(r, q)), way[v[0]]);
        sum = sn_vec3_add_scaled(sum, way[v[1]], sn_vec3_cross(normal, sn_vec3_sub(p, r)));
        sum = sn_vec3_add_scaled(sum, way[v[2]], sn_vec3_cross(normal, sn_vec3_sub(q, p)));
        sum = sn_vec3_scale(sum, 1 / (6 * twice));
        for (int i = 0; i < 3; ++i) {
            gradients[0][v[i]] += sum.x;
            gradients[1][v[i]] += sum.y;
            gradients[2][v[i]] += sum.z;
        }
    }
}

static sn_vec3 direction_at(double *const directions[3], uint32_t i) {
    return sn_vec3_make(directions[0][i], directions[1][i], directions[2][i]);
}

// Unit vectors along the solution of the second equation; zero where it has no direction.
static sn_status spread(const sni_fit_surface *s, sni_arena *arena, double reach,
                        double *const gradients[3], double *const directions[3], sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(sni_fit_solve_vectors(s, arena, 1, reach * reach, 1e-6, gradients, directions, error));
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        sn_vec3 unit = sn_vec3_normalize_or(direction_at(directions, i), sn_vec3_make(0, 0, 0));
        directions[0][i] = unit.x;
        directions[1][i] = unit.y;
        directions[2][i] = unit.z;
    }
cleanup:
    return status;
}

// div D: what an edge should gain, with the mean direction of its ends.
static void add_divergence(const sni_fit_surface *s, double *const directions[3], double *b) {
    for (uint32_t e = 0; e < s->edge_count + s->link_count; ++e) {
        uint32_t i = s->edges[2 * (size_t)e], j = s->edges[2 * (size_t)e + 1];
        sn_vec3 mean = sn_vec3_lerp(direction_at(directions, i), direction_at(directions, j), 0.5);
        double gain = s->weights[e] * sn_vec3_dot(mean, sn_vec3_sub(s->points[j], s->points[i]));
        b[j] += gain;
        b[i] -= gain;
    }
}

sn_status sni_fit_ways_init(sni_fit_ways *ways, const sni_fit_surface *surface, sni_arena *arena,
                            const sni_fit_points *points, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = surface->vertex_count;
    SNI_FIT_TAKE(arena, ways->way, count);
    for (int k = 0; k < 3; ++k) {
        SNI_FIT_TAKE(arena, ways->gradients[k], count);
        SNI_FIT_TAKE(arena, ways->directions[k], count);
        memset(ways->gradients[k], 0, sizeof(double) * count);
        memset(ways->directions[k], 0, sizeof(double) * count);
    }
    SN_TRY(find_ways(surface, arena, points, ways->way, &ways->length, error));
    add_gradients(surface, ways->way, ways->gradients);
    SN_TRY(spread(surface, arena, far_reach * surface->size, ways->gradients, ways->directions,
                  error));
    for (uint32_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            ways->gradients[k][i] += far_part * surface->masses[i] * ways->directions[k][i];
        }
    }
cleanup:
    return status;
}

sn_status sni_fit_axis(sni_fit_ways *ways, const sni_fit_surface *surface, sni_arena *arena,
                       double smoothing, double *along, sn_error *error) {
    SN_ASSERT(along != NULL && smoothing >= 0);
    sn_status status = SN_OK;
    sni_arena_mark mark = sni_arena_mark_now(arena);
    uint32_t count = surface->vertex_count;
    double reach = fmax(smoothing * ways->length, 1e-6 * surface->size);
    double *b;
    SNI_FIT_TAKE(arena, b, count);
    memset(b, 0, sizeof *b * count);
    memcpy(along, ways->way, sizeof *along * count);
    SN_TRY(spread(surface, arena, reach, ways->gradients, ways->directions, error));
    add_divergence(surface, ways->directions, b);
    SN_TRY(sni_fit_solve(surface, arena, 0, 1, 1e-9, b, along, error));
cleanup:
    sni_arena_release(arena, mark);
    return status;
}
