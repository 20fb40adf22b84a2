// SPDX-License-Identifier: Apache-2.0
#include "geometry/signed_surface.h"

#include "base/memory.h"
#include "geometry/triangle.h"
#include "geometry/weld.h"

#include <math.h>
#include <stdlib.h>

// A point closer than this, as a part of the surface's extent, lies on it: the direction to it is
// rounding.
static const double on_surface = 1e-12;

// A closest point with a weight below this lies on the edge across, or on a vertex.
static const double no_weight = 1e-9;

struct sni_signed_surface {
    sn_context *context;
    sn_accel *accel;
    uint32_t vertex_count, triangle_count;
    uint32_t *vertices;      // triangle_count x 3, welded
    sn_vec3 *face_normals;   // triangle_count, unit
    sn_vec3 *edge_normals;   // triangle_count x 3: of the edges across from its vertices
    sn_vec3 *vertex_normals; // vertex_count
    double extent;
    double side; // 1, or -1 where the triangles face inwards
};

// --- Making

// A side of a triangle: of the edge between two vertices.
typedef struct edge_side {
    uint32_t low, high;
    uint32_t corner; // 3 x triangle + the corner across
} edge_side;

static int compare_sides(const void *a, const void *b) {
    const edge_side *x = a, *y = b;
    if (x->low != y->low) {
        return x->low < y->low ? -1 : 1;
    }
    if (x->high != y->high) {
        return x->high < y->high ? -1 : 1;
    }
    return x->corner < y->corner ? -1 : x->corner > y->corner;
}

static double angle_at(sn_vec3 corner, sn_vec3 a, sn_vec3 b) {
    sn_vec3 u = sn_vec3_sub(a, corner), v = sn_vec3_sub(b, corner);
    return atan2(sn_vec3_length(sn_vec3_cross(u, v)), sn_vec3_dot(u, v));
}

static void add_faces(sni_signed_surface *s, const float *positions) {
    for (uint32_t i = 0; i < s->triangle_count; ++i) {
        const uint32_t *v = s->vertices + 3 * (size_t)i;
        sn_vec3 c[3];
        sni_triangle_corners(positions, v, c);
        sn_vec3 normal =
            sn_vec3_normalize_or(sni_triangle_vector(c[0], c[1], c[2]), sn_vec3_make(0, 0, 0));
        s->face_normals[i] = normal;
        for (int k = 0; k < 3; ++k) {
            double angle = angle_at(c[k], c[(k + 1) % 3], c[(k + 2) % 3]);
            s->vertex_normals[v[k]] = sn_vec3_add_scaled(s->vertex_normals[v[k]], angle, normal);
        }
    }
}

// Sums the normals of all triangles at an edge, which stand together once sides are sorted.
static sn_status add_edges(sni_signed_surface *s, sn_error *error) {
    size_t count = 3 * (size_t)s->triangle_count;
    edge_side *sides = NULL;
    sn_status status = SN_OK;
    SNI_NEW(s->context, sides, count);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t *v = s->vertices + 3 * (i / 3);
        uint32_t a = v[(i + 1) % 3], b = v[(i + 2) % 3];
        sides[i] = (edge_side){.low = a < b ? a : b, .high = a < b ? b : a, .corner = (uint32_t)i};
    }
    qsort(sides, count, sizeof *sides, compare_sides);
    for (size_t first = 0, end; first < count; first = end) {
        sn_vec3 sum = {0, 0, 0};
        for (end = first; end < count && sides[end].low == sides[first].low &&
                          sides[end].high == sides[first].high;
             ++end) {
            sum = sn_vec3_add(sum, s->face_normals[sides[end].corner / 3]);
        }
        for (size_t k = first; k < end; ++k) {
            s->edge_normals[sides[k].corner] = sum;
        }
    }
cleanup:
    sni_free(s->context, sides);
    return status;
}

static sn_status weld(sni_signed_surface *s, const float *positions, const uint32_t *vertices,
                      sn_error *error) {
    uint32_t *map = NULL;
    sn_status status = SN_OK;
    SNI_NEW(s->context, map, s->vertex_count);
    SNI_NEW(s->context, s->vertices, 3 * (size_t)s->triangle_count);
    SN_TRY(sni_weld_points(s->context, positions, s->vertex_count, 0, map, NULL, error));
    for (size_t i = 0; i < 3 * (size_t)s->triangle_count; ++i) {
        s->vertices[i] = map[vertices[i]];
    }
cleanup:
    sni_free(s->context, map);
    return status;
}

static void find_extent(sni_signed_surface *s, const float *positions) {
    sn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < s->vertex_count; ++i) {
        sn_vec3 p = sn_vec3_load(positions + 3 * (size_t)i);
        low = sn_vec3_min(low, p);
        high = sn_vec3_max(high, p);
    }
    s->extent = s->vertex_count > 0 ? sn_vec3_distance(low, high) : 0;
}

sn_status sni_signed_surface_create(sn_context *context, const float *positions,
                                    uint32_t vertex_count, const uint32_t *vertices,
                                    uint32_t triangle_count, sni_signed_surface **surface,
                                    sn_error *error) {
    sni_signed_surface *s = NULL;
    sn_status status = SN_OK;
    sn_mass mass;
    *surface = NULL;
    SNI_NEW_ZERO(context, s, 1);
    s->context = context;
    s->vertex_count = vertex_count;
    s->triangle_count = triangle_count;
    SN_TRY(sn_accel_create(context, positions, vertex_count, vertices, triangle_count, &s->accel,
                           error));
    SN_TRY(weld(s, positions, vertices, error));
    SNI_NEW(context, s->face_normals, triangle_count);
    SNI_NEW(context, s->edge_normals, 3 * (size_t)triangle_count);
    SNI_NEW_ZERO(context, s->vertex_normals, vertex_count);
    add_faces(s, positions);
    SN_TRY(add_edges(s, error));
    find_extent(s, positions);
    SN_TRY(sn_mass_compute(context, positions, vertices, triangle_count, &mass, error));
    s->side = mass.volume < 0 ? -1 : 1;
    *surface = s;
    return SN_OK;
cleanup:
    sni_signed_surface_destroy(s);
    return status;
}

void sni_signed_surface_destroy(sni_signed_surface *surface) {
    if (surface == NULL) {
        return;
    }
    sn_context *context = surface->context;
    sn_accel_destroy(surface->accel);
    sni_free(context, surface->vertices);
    sni_free(context, surface->face_normals);
    sni_free(context, surface->edge_normals);
    sni_free(context, surface->vertex_normals);
    sni_free(context, surface);
}

size_t sni_signed_surface_bytes(const sni_signed_surface *surface) {
    // The tree takes about as much as the normals do.
    return sizeof *surface +
           surface->triangle_count * (3 * sizeof(uint32_t) + 8 * sizeof(sn_vec3)) +
           surface->vertex_count * sizeof(sn_vec3);
}

// --- Asking

// The pseudonormal at a place of a triangle.
static sn_vec3 normal_at(const sni_signed_surface *s, const sn_closest *place) {
    const uint32_t *v = s->vertices + 3 * (size_t)place->triangle;
    int zeros = 0, zero = 0, left = 0;
    for (int k = 0; k < 3; ++k) {
        bool none = place->barycentric[k] < no_weight;
        zeros += none;
        zero = none ? k : zero;
        left = none ? left : k;
    }
    return zeros == 0   ? s->face_normals[place->triangle]
           : zeros == 1 ? s->edge_normals[3 * (size_t)place->triangle + (uint32_t)zero]
                        : s->vertex_normals[v[left]];
}

bool sni_signed_surface_at(const sni_signed_surface *surface, sn_vec3 point, double radius,
                           double *distance, sn_vec3 *gradient) {
    SN_ASSERT(distance != NULL && gradient != NULL);
    sn_closest found;
    sn_accel_find_closest(surface->accel, point, radius, &found);
    if (found.triangle == SN_NONE) {
        return false;
    }
    sn_vec3 normal = sn_vec3_scale(normal_at(surface, &found), surface->side);
    sn_vec3 way = sn_vec3_sub(point, found.point);
    double side = sn_vec3_dot(way, normal) < 0 ? -1 : 1;
    bool is_on = found.distance <= on_surface * surface->extent;
    *distance = side * found.distance;
    *gradient =
        sn_vec3_normalize_or(is_on ? normal : sn_vec3_scale(way, side), sn_vec3_make(0, 1, 0));
    return true;
}
