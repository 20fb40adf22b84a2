// SPDX-License-Identifier: Apache-2.0
//
// What belongs to the outer skin is found in three steps: vertices at one place become one; of the
// triangles those count that rays leave to the outside from their front; and of the pieces that
// these make up, the one with the largest area and those that are not much smaller.
#include "fit/head/surface.h"

#include "base/groups.h"
#include "base/rows.h"
#include "geometry/triangle.h"
#include "geometry/weld.h"

#include <string.h>

// Directions that are tried, spread evenly over the sphere, and how many of them must be free for a
// triangle to be seen from outside. Some 14 of them lie before the front of a triangle; inside of a
// mouth that is a little open one or two are free.
enum { DIRECTIONS = 32, FREE_RAYS = 4 };

// Rays that graze a triangle tell nothing about what lies before it.
static const double least_slope = 0.15;

// Vertices are one within this part of the size. Pieces count from this part of the largest one's
// area on: a head in patches, but no eyeballs and teeth.
static const double weld_tolerance = 1e-6, least_piece = 0.15;

// Rays begin this part of the size before the triangle.
static const double ray_start = 1e-5;

typedef struct finder {
    sni_head_surface *surface;
    const sn_accel *accel; // of all triangles
    const uint32_t *vertices;
    sn_vec3 directions[DIRECTIONS];
    double start;
    uint8_t *seen; // 1: front, 2: back
} finder;

// Points of a spiral that cover the sphere evenly (Vogel, A better way to construct the sunflower
// head, 1979).
static void spread_directions(sn_vec3 *directions) {
    for (int i = 0; i < DIRECTIONS; ++i) {
        double height = 1 - (2 * i + 1.0) / DIRECTIONS;
        double around = sqrt(1 - height * height), angle = i * SN_PI * (3 - sqrt(5));
        directions[i] = sn_vec3_make(around * cos(angle), height, around * sin(angle));
    }
}

// Whether enough rays leave from one side of a triangle.
static bool sees_outside(const finder *f, sn_vec3 middle, sn_vec3 normal) {
    sn_vec3 from = sn_vec3_add_scaled(middle, f->start, normal);
    int free_rays = 0;
    for (int i = 0; i < DIRECTIONS && free_rays < FREE_RAYS; ++i) {
        if (sn_vec3_dot(f->directions[i], normal) > least_slope) {
            sn_hit hit;
            sn_accel_cast(f->accel, from, f->directions[i], 0, INFINITY, &hit);
            free_rays += hit.triangle == SN_NONE;
        }
    }
    return free_rays >= FREE_RAYS;
}

static void look(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const finder *f = user;
    for (uint32_t t = begin; t < end; ++t) {
        sn_vec3 c[3];
        sni_triangle_corners(f->surface->positions, f->vertices + 3 * (size_t)t, c);
        sn_vec3 normal = sni_triangle_vector(c[0], c[1], c[2]);
        sn_vec3 middle = sn_vec3_scale(sn_vec3_add(c[0], sn_vec3_add(c[1], c[2])), 1.0 / 3);
        f->seen[t] = 0;
        if (sn_vec3_length(normal) > 0) {
            normal = sn_vec3_normalize_or(normal, sn_vec3_make(0, 1, 0));
            f->seen[t] = sees_outside(f, middle, normal) ? 1 : 0;
        }
    }
}

// Keeps the pieces of what is seen that are large enough; returns how many triangles are left.
static sn_status keep_pieces(finder *f, uint32_t count, uint32_t *vertices, sn_error *error) {
    sn_status status = SN_OK;
    sni_head_surface *s = f->surface;
    uint32_t *groups = NULL, kept = 0;
    double *areas = NULL, largest = 0;
    SNI_NEW(s->context, groups, s->vertex_count);
    SNI_NEW_ZERO(s->context, areas, s->vertex_count);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        groups[v] = v;
    }
    for (uint32_t t = 0; t < count; ++t) {
        const uint32_t *v = vertices + 3 * (size_t)t;
        if (f->seen[t] != 0) {
            sni_group_join(groups, v[0], v[1]);
            sni_group_join(groups, v[0], v[2]);
        }
    }
    for (uint32_t t = 0; t < count; ++t) {
        sn_vec3 c[3];
        sni_triangle_corners(s->positions, vertices + 3 * (size_t)t, c);
        if (f->seen[t] != 0) {
            double *area = &areas[sni_group_root(groups, vertices[3 * (size_t)t])];
            *area += sni_triangle_area(c[0], c[1], c[2]);
            largest = fmax(largest, *area);
        }
    }
    for (uint32_t t = 0; t < count; ++t) {
        uint32_t root = sni_group_root(groups, vertices[3 * (size_t)t]);
        s->hidden_count += f->seen[t] == 0;
        if (f->seen[t] != 0 && areas[root] >= least_piece * largest) {
            memmove(vertices + 3 * (size_t)kept++, vertices + 3 * (size_t)t, 3 * sizeof *vertices);
        }
    }
    s->loose_count = count - s->hidden_count - kept;
    s->triangle_count = kept;
cleanup:
    sni_free(s->context, groups);
    sni_free(s->context, areas);
    return status;
}

static sn_status find_outer(sni_head_surface *s, uint32_t count, sn_error *error) {
    sn_status status = SN_OK;
    sn_accel *accel = NULL;
    finder f = {.surface = s, .vertices = s->vertices, .start = ray_start * s->size};
    SN_TRY(sn_accel_create(s->context, s->positions, s->vertex_count, s->vertices, count, &accel,
                           error));
    f.accel = accel;
    spread_directions(f.directions);
    SNI_NEW(s->context, f.seen, count);
    sn_parallel_for(s->context, count, 256, look, &f);
    SN_TRY(keep_pieces(&f, count, s->vertices, error));
cleanup:
    sni_free(s->context, f.seen);
    sn_accel_destroy(accel);
    return status;
}

// Sums the triangles' vectors at their vertices, and gives every vertex those of its welded one.
static sn_status find_normals(sni_head_surface *s, sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 *sums = NULL;
    SNI_NEW_ZERO(s->context, sums, s->vertex_count);
    SNI_NEW_ZERO(s->context, s->is_outer, s->vertex_count);
    SNI_NEW(s->context, s->normals, 3 * (size_t)s->vertex_count);
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t *v = s->vertices + 3 * (size_t)t;
        sn_vec3 c[3];
        sni_triangle_corners(s->positions, v, c);
        sn_vec3 vector = sni_triangle_vector(c[0], c[1], c[2]);
        for (int k = 0; k < 3; ++k) {
            sums[v[k]] = sn_vec3_add(sums[v[k]], vector);
            s->is_outer[v[k]] = 1;
        }
    }
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        sn_vec3 normal = sn_vec3_normalize_or(sums[s->welded[v]], sn_vec3_make(0, 0, 0));
        sn_vec3_store(normal, s->normals + 3 * (size_t)v);
        s->is_outer[v] = s->is_outer[s->welded[v]];
    }
cleanup:
    sni_free(s->context, sums);
    return status;
}

// Marks edges that one outer triangle has alone: where no other of its vertex has the edge in the
// opposite direction.
static sn_status find_borders(sni_head_surface *s, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t *offsets = NULL, *items = NULL;
    SNI_NEW(s->context, offsets, (size_t)s->vertex_count + 1);
    SNI_NEW(s->context, items, 3 * (size_t)s->triangle_count);
    SNI_NEW_ZERO(s->context, s->border_edges, s->triangle_count);
    sni_rows_from_keys(s->vertices, s->triangle_count, 3, s->vertex_count, offsets, items);
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t *v = s->vertices + 3 * (size_t)t;
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t a = v[k], b = v[(k + 1) % 3], others = 0;
            for (uint32_t i = offsets[a]; i < offsets[a + 1]; ++i) {
                const uint32_t *o = s->vertices + 3 * (size_t)items[i];
                others += items[i] != t && (o[0] == b || o[1] == b || o[2] == b);
            }
            s->border_edges[t] |= (uint8_t)(others == 0 ? 1u << k : 0);
        }
    }
cleanup:
    sni_free(s->context, offsets);
    sni_free(s->context, items);
    return status;
}

void sni_head_surface_bounds(const sni_head_surface *s, sn_vec3 *low, sn_vec3 *high) {
    *low = sn_vec3_make(INFINITY, INFINITY, INFINITY);
    *high = sn_vec3_scale(*low, -1);
    for (size_t i = 0; i < 3 * (size_t)s->triangle_count; ++i) {
        sn_vec3 p = sn_vec3_load(s->positions + 3 * (size_t)s->vertices[i]);
        *low = sn_vec3_min(*low, p);
        *high = sn_vec3_max(*high, p);
    }
}

static sn_status copy_points(sni_head_surface *s, const sn_mesh *mesh, double scale,
                             sn_error *error) {
    sn_status status = SN_OK;
    s->vertex_count = mesh->vertex_count;
    SNI_NEW(s->context, s->positions, 3 * (size_t)s->vertex_count);
    SNI_NEW(s->context, s->welded, s->vertex_count);
    for (size_t i = 0; i < 3 * (size_t)s->vertex_count; ++i) {
        s->positions[i] = (float)(scale * mesh->positions[i]);
    }
    sn_vec3 low, high;
    sn_mesh_bounds(mesh, &low, &high);
    s->size = scale * sn_vec3_distance(low, high);
    SN_TRY(sni_weld_points(s->context, s->positions, s->vertex_count, weld_tolerance * s->size,
                           s->welded, NULL, error));
cleanup:
    return status;
}

// All that follows from the outer triangles.
static sn_status complete(sni_head_surface *s, sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 low, high;
    sni_head_surface_bounds(s, &low, &high);
    s->size = sn_vec3_distance(low, high);
    SN_TRY(find_normals(s, error));
    SN_TRY(find_borders(s, error));
    SN_TRY(sn_accel_create(s->context, s->positions, s->vertex_count, s->vertices,
                           s->triangle_count, &s->accel, error));
    SN_TRY(sni_winding_create(s->context, s->positions, s->vertices, s->triangle_count, &s->winding,
                              error));
cleanup:
    return status;
}

sn_status sni_head_surface_create(const sn_mesh *mesh, double scale, sni_head_surface **surface,
                                  sn_error *error) {
    sn_status status = SN_OK;
    sn_triangles *triangles = NULL;
    sni_head_surface *s = NULL;
    *surface = NULL;
    SNI_NEW_ZERO(mesh->context, s, 1);
    s->context = mesh->context;
    SN_TRY(sn_mesh_validate(mesh, error));
    SN_TRY(copy_points(s, mesh, scale, error));
    SN_TRY(sn_triangles_create(mesh, s->positions, &triangles, error));
    SNI_NEW(s->context, s->vertices, 3 * (size_t)triangles->count);
    uint32_t count =
        sni_weld_triangles(s->welded, triangles->vertices, triangles->count, s->vertices, NULL);
    if (count == 0) {
        SN_TRY(sni_fail(error, SN_INVALID, "the mesh \"%s\" has no surface", mesh->name));
    }
    SN_TRY(find_outer(s, count, error));
    if (s->triangle_count == 0) {
        SN_TRY(sni_fail(error, SN_INVALID,
                        "nothing of the mesh \"%s\" can be seen from outside: are its faces inside "
                        "out?",
                        mesh->name));
    }
    SN_TRY(complete(s, error));
    *surface = s;
    s = NULL;
cleanup:
    sn_triangles_destroy(triangles);
    sni_head_surface_destroy(s);
    return status;
}

// Whether the middle of a triangle lies in a box of the other head's coordinates.
static bool in_box(const sni_head_surface *s, const uint32_t *v, const sni_similarity *back,
                   sn_vec3 low, sn_vec3 high) {
    sn_vec3 c[3];
    sni_triangle_corners(s->positions, v, c);
    sn_vec3 middle = sn_vec3_scale(sn_vec3_add(c[0], sn_vec3_add(c[1], c[2])), 1.0 / 3);
    sn_vec3 p = sni_similarity_point(back, middle);
    return p.x >= low.x && p.y >= low.y && p.z >= low.z && p.x <= high.x && p.y <= high.y &&
           p.z <= high.z;
}

sn_status sni_head_surface_crop(const sni_head_surface *whole, double scale,
                                const sni_similarity *pose, sn_vec3 low, sn_vec3 high,
                                sni_head_surface **surface, sn_error *error) {
    sn_status status = SN_OK;
    sni_head_surface *s = NULL;
    sni_similarity back = sni_similarity_invert(pose);
    sn_context *context = whole->context;
    *surface = NULL;
    SNI_NEW_ZERO(context, s, 1);
    s->context = context;
    s->vertex_count = whole->vertex_count;
    SNI_NEW(context, s->positions, 3 * (size_t)s->vertex_count);
    SNI_NEW(context, s->welded, s->vertex_count);
    SNI_NEW(context, s->vertices, 3 * (size_t)whole->triangle_count);
    memcpy(s->welded, whole->welded, s->vertex_count * sizeof *s->welded);
    for (size_t i = 0; i < 3 * (size_t)s->vertex_count; ++i) {
        s->positions[i] = (float)(scale * whole->positions[i]);
    }
    for (uint32_t t = 0; t < whole->triangle_count; ++t) {
        const uint32_t *v = whole->vertices + 3 * (size_t)t;
        if (in_box(whole, v, &back, low, high)) {
            memcpy(s->vertices + 3 * (size_t)s->triangle_count++, v, 3 * sizeof *v);
        }
    }
    if (s->triangle_count == 0) {
        SN_TRY(sni_fail(error, SN_INVALID, "there is no head where one was looked for"));
    }
    SN_TRY(complete(s, error));
    *surface = s;
    s = NULL;
cleanup:
    sni_head_surface_destroy(s);
    return status;
}

void sni_head_surface_destroy(sni_head_surface *s) {
    if (s != NULL) {
        sn_context *context = s->context;
        sn_accel_destroy(s->accel);
        sni_winding_destroy(s->winding);
        sni_free(context, s->positions);
        sni_free(context, s->welded);
        sni_free(context, s->is_outer);
        sni_free(context, s->normals);
        sni_free(context, s->vertices);
        sni_free(context, s->border_edges);
        sni_free(context, s);
    }
}

sn_vec3 sni_head_surface_normal(const sni_head_surface *s, uint32_t triangle,
                                const double weights[3]) {
    SN_ASSERT(triangle < s->triangle_count);
    const uint32_t *v = s->vertices + 3 * (size_t)triangle;
    sn_vec3 sum = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        sum = sn_vec3_add_scaled(sum, weights[k], sn_vec3_load(s->normals + 3 * (size_t)v[k]));
    }
    sn_vec3 c[3];
    sni_triangle_corners(s->positions, v, c);
    sn_vec3 flat =
        sn_vec3_normalize_or(sni_triangle_vector(c[0], c[1], c[2]), sn_vec3_make(0, 1, 0));
    return sn_vec3_normalize_or(sum, flat);
}

static bool lies_on_border(const sni_head_surface *s, uint32_t triangle, const double weights[3]) {
    // A closest point on an edge has exactly no weight at the corner across.
    uint8_t borders = s->border_edges[triangle];
    for (int k = 0; k < 3; ++k) {
        if ((borders & (1u << k)) != 0 && weights[(k + 2) % 3] <= 0) {
            return true;
        }
    }
    return false;
}

void sni_head_surface_closest(const sni_head_surface *s, sn_vec3 point, double radius,
                              sni_skin_place *place) {
    sn_closest closest;
    sn_accel_find_closest(s->accel, point, radius, &closest);
    *place = (sni_skin_place){.triangle = closest.triangle, .distance = INFINITY};
    if (closest.triangle != SN_NONE) {
        place->distance = closest.distance;
        place->point = closest.point;
        memcpy(place->weights, closest.barycentric, sizeof place->weights);
        place->normal = sni_head_surface_normal(s, closest.triangle, closest.barycentric);
        place->on_border = lies_on_border(s, closest.triangle, closest.barycentric);
    }
}

double sni_head_surface_depth(const sni_head_surface *s, sn_vec3 point, sni_skin_place *place) {
    sni_head_surface_closest(s, point, INFINITY, place);
    return sni_winding_at(s->winding, point) > 0.5 ? place->distance : -place->distance;
}
