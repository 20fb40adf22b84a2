// SPDX-License-Identifier: Apache-2.0
#include "muscle/rings.h"

#include "base/context.h"
#include "geometry/triangle.h"

#include <math.h>

static uint32_t slice_points(const sni_rings *rings) {
    return rings->slice_count * rings->ring_count;
}

uint32_t sni_rings_point_count(const sni_rings *rings) {
    return slice_points(rings) + rings->node_count;
}

static uint32_t triangle_count(const sni_rings *rings) {
    return 2 * slice_points(rings); // two per quad between slices, one per side of a cap
}

static sn_vec3 point_at(const double *points, uint32_t index) {
    const double *p = points + 3 * (size_t)index;
    return sn_vec3_make(p[0], p[1], p[2]);
}

// The control point that is a vertex of the mesh.
static uint32_t point_of_vertex(const sni_rings *rings, uint32_t vertex) {
    return vertex == slice_points(rings) + 1 ? sni_rings_point_count(rings) - 1 : vertex;
}

static void set(uint32_t *triangle, uint32_t a, uint32_t b, uint32_t c) {
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
}

// The two triangles over side j between slice i and the next. Diagonals on the two halves of the
// ring mirror each other, so that a mirrored muscle has the mirrored mesh.
static void quad(const sni_rings *rings, uint32_t i, uint32_t j, uint32_t *two) {
    uint32_t n = rings->ring_count, next = j + 1 < n ? j + 1 : 0;
    uint32_t a = i * n + j, b = i * n + next, c = b + n, d = a + n;
    if (2 * j < n) {
        set(two, a, b, c);
        set(two + 3, a, c, d);
    } else {
        set(two, a, b, d);
        set(two + 3, b, c, d);
    }
}

// Two triangles of the mesh, `pair` below slice_points: of a quad between slices, or, in the last
// slice's stead, of the caps.
static void triangle_pair(const sni_rings *rings, uint32_t pair, uint32_t *two) {
    uint32_t n = rings->ring_count, i = pair / n, j = pair % n, next = j + 1 < n ? j + 1 : 0;
    uint32_t last = (rings->slice_count - 1) * n;
    if (i + 1 < rings->slice_count) {
        quad(rings, i, j, two);
    } else {
        set(two, slice_points(rings), next, j);
        set(two + 3, slice_points(rings) + 1, last + j, last + next);
    }
}

sn_status sni_rings_mesh(const sni_rings *rings, sn_context *context, const char *name,
                         const double *points, sn_mesh **mesh, sn_error *error) {
    SN_ASSERT(rings->slice_count >= 1 && rings->ring_count >= 3 && rings->node_count >= 2);
    uint32_t triangles = triangle_count(rings);
    sn_status status = sn_mesh_create(context, name, slice_points(rings) + 2, triangles,
                                      3 * triangles, mesh, error);
    if (status != SN_OK) {
        return status;
    }
    sni_rings_positions(rings, points, (*mesh)->positions);
    for (uint32_t pair = 0; pair < slice_points(rings); ++pair) {
        triangle_pair(rings, pair, (*mesh)->corners + 6 * (size_t)pair);
    }
    for (uint32_t face = 0; face <= triangles; ++face) {
        (*mesh)->face_offsets[face] = 3 * face;
    }
    return SN_OK;
}

void sni_rings_positions(const sni_rings *rings, const double *points, float *positions) {
    SN_ASSERT(points != NULL && positions != NULL);
    for (uint32_t v = 0; v < slice_points(rings) + 2; ++v) {
        sn_vec3_store(point_at(points, point_of_vertex(rings, v)), positions + 3 * (size_t)v);
    }
}

double sni_rings_length(const sni_rings *rings, const double *points) {
    uint32_t first = slice_points(rings);
    double length = 0;
    for (uint32_t i = first; i + 1 < first + rings->node_count; ++i) {
        length += sn_vec3_distance(point_at(points, i), point_at(points, i + 1));
    }
    return length;
}

void sni_rings_measure(const sni_rings *rings, const double *points, double *volume, double *area) {
    SN_ASSERT(rings->slice_count >= 1 && rings->ring_count >= 3);
    sn_vec3 reference = point_at(points, slice_points(rings));
    double volume_sum = 0, area_sum = 0;
    for (uint32_t pair = 0; pair < slice_points(rings); ++pair) {
        uint32_t two[6];
        triangle_pair(rings, pair, two);
        for (int k = 0; k < 6; k += 3) {
            sn_vec3 corners[3];
            for (int c = 0; c < 3; ++c) {
                corners[c] =
                    sn_vec3_sub(point_at(points, point_of_vertex(rings, two[k + c])), reference);
            }
            sn_vec3 across = sni_triangle_vector(corners[0], corners[1], corners[2]);
            volume_sum += sn_vec3_dot(corners[0], across); // D = p . (q x r)
            area_sum += sn_vec3_length(across);
        }
    }
    *volume = volume_sum / 6;
    *area = area_sum / 2;
}

// D = p . (q x r) of a triangle, as sni_rings_measure has it.
static double determinant(sn_vec3 a, sn_vec3 b, sn_vec3 c) {
    return sn_vec3_dot(a, sni_triangle_vector(a, b, c));
}

// Triangles come in the order of triangle_pair. Those of the first cap have a corner in the
// reference, and add nothing.
double sni_rings_volume(const sni_rings *rings, const double *points) {
    SN_ASSERT(rings->slice_count >= 1 && rings->ring_count >= 3);
    uint32_t n = rings->ring_count;
    sn_vec3 reference = point_at(points, slice_points(rings));
    double sum = 0;
    for (uint32_t i = 0; i + 1 < rings->slice_count; ++i) {
        sn_vec3 b = sn_vec3_sub(point_at(points, i * n), reference);
        sn_vec3 c = sn_vec3_sub(point_at(points, i * n + n), reference);
        for (uint32_t j = 0; j < n; ++j) {
            uint32_t next = i * n + (j + 1 < n ? j + 1 : 0);
            sn_vec3 a = b, d = c;
            b = sn_vec3_sub(point_at(points, next), reference);
            c = sn_vec3_sub(point_at(points, next + n), reference);
            sum += 2 * j < n ? determinant(a, b, c) : determinant(a, b, d);
            sum += 2 * j < n ? determinant(a, c, d) : determinant(b, c, d);
        }
    }
    uint32_t last = slice_points(rings) - n;
    sn_vec3 end = sn_vec3_sub(point_at(points, sni_rings_point_count(rings) - 1), reference);
    sn_vec3 after = sn_vec3_sub(point_at(points, last), reference);
    for (uint32_t j = 0; j < n; ++j) {
        sn_vec3 here = after;
        after = sn_vec3_sub(point_at(points, last + (j + 1 < n ? j + 1 : 0)), reference);
        sum += determinant(end, here, after);
    }
    return sum / 6;
}

// Along the muscle, which is open, and around it.
static uint32_t knots_along(const sni_rings *rings) {
    return sni_nurbs_knot_count(1, rings->slice_count, false);
}

size_t sni_rings_knot_count(const sni_rings *rings) {
    return (size_t)knots_along(rings) + sni_nurbs_knot_count(1, rings->ring_count, true);
}

sn_status sni_rings_knots_create(const sni_rings *rings, sn_context *context, double **knots,
                                 sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW_ZERO(context, *knots, sni_rings_knot_count(rings));
    if (rings->slice_count > 1) {
        sni_nurbs_uniform_knots(1, rings->slice_count, false, *knots);
        sni_nurbs_uniform_knots(1, rings->ring_count, true, *knots + knots_along(rings));
    }
cleanup:
    return status;
}

void sni_rings_patch(const sni_rings *rings, const double *points, const double *knots,
                     sni_nurbs *patch) {
    *patch = (sni_nurbs){0};
    if (rings->slice_count > 1) {
        *patch = (sni_nurbs){.degrees = {1, 1},
                             .counts = {rings->slice_count, rings->ring_count},
                             .closed = {false, true},
                             .knots = {knots, knots + knots_along(rings)},
                             .points = points};
    }
}

bool sni_rings_finite(const sni_rings *rings, const double *points) {
    for (size_t i = 0; i < 3 * (size_t)sni_rings_point_count(rings); ++i) {
        if (!isfinite(points[i])) {
            return false;
        }
    }
    return true;
}
