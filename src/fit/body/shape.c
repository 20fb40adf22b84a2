// SPDX-License-Identifier: Apache-2.0
//
// Triangles are cut into equal pieces until each is a small part of the whole surface, so that a
// box of twelve triangles and a scan of ten thousand have their points alike.
#include "fit/body/shape.h"

#include "geometry/triangle.h"

#include <string.h>

// Pieces of surface that a bone has at least.
static const double least_samples = 1500;

// A triangle is cut into at most this many parts along an edge.
#define MOST_CUTS 64u

// Starts of the search for the thickest place, and steps of each.
static const uint32_t thickness_starts = 400;
static const int thickness_steps = 12;

// Balls of this part of the largest one's radius count, the more the larger.
static const double thick_enough = 0.85;

static uint32_t cuts_of(double area, double piece) {
    double cuts = ceil(sqrt(area / piece));
    return cuts < 1 ? 1 : cuts > MOST_CUTS ? MOST_CUTS : (uint32_t)cuts;
}

static sn_vec3 corner_of(const sn_mesh *mesh, const sn_triangles *triangles, uint32_t triangle,
                         int corner) {
    uint32_t vertex = triangles->vertices[3 * (size_t)triangle + (size_t)corner];
    return sn_vec3_load(mesh->positions + 3 * (size_t)vertex);
}

static sn_vec3 cross_of(const sn_mesh *mesh, const sn_triangles *triangles, uint32_t triangle) {
    sn_vec3 corners[3];
    sni_triangle_corners(mesh->positions, triangles->vertices + 3 * (size_t)triangle, corners);
    return sni_triangle_vector(corners[0], corners[1], corners[2]);
}

// The middles of the n x n small triangles that parallels to the edges cut out.
static uint32_t sample_triangle(const sn_vec3 corners[3], sn_vec3 normal, double area, uint32_t n,
                                sni_sample *samples) {
    uint32_t count = 0;
    sn_vec3 u = sn_vec3_sub(corners[1], corners[0]), v = sn_vec3_sub(corners[2], corners[0]);
    for (uint32_t i = 0; i < n; ++i) {
        for (uint32_t j = 0; i + j < n; ++j) {
            for (int flip = 0; flip < (i + j + 1 < n ? 2 : 1); ++flip) {
                double s = (i + (flip == 0 ? 1.0 : 2.0) / 3) / n;
                double t = (j + (flip == 0 ? 1.0 : 2.0) / 3) / n;
                sn_vec3 point = sn_vec3_add_scaled(sn_vec3_add_scaled(corners[0], s, u), t, v);
                samples[count++] = (sni_sample){point, normal, area / ((double)n * n)};
            }
        }
    }
    return count;
}

static sn_status sample_surface(sn_context *context, const sn_mesh *mesh,
                                const sn_triangles *triangles, sni_shape *shape, sn_error *error) {
    sn_status status = SN_OK;
    size_t count = 0;
    double piece = shape->area / least_samples;
    for (uint32_t i = 0; i < triangles->count; ++i) {
        size_t n = cuts_of(0.5 * sn_vec3_length(cross_of(mesh, triangles, i)), piece);
        count += n * n;
    }
    SNI_NEW(context, shape->samples, count);
    for (uint32_t i = 0; i < triangles->count; ++i) {
        sn_vec3 cross = cross_of(mesh, triangles, i);
        double area = 0.5 * sn_vec3_length(cross);
        sn_vec3 corners[3] = {corner_of(mesh, triangles, i, 0), corner_of(mesh, triangles, i, 1),
                              corner_of(mesh, triangles, i, 2)};
        if (area > 0) {
            sn_vec3 normal = sn_vec3_scale(cross, 0.5 / area);
            shape->sample_count += sample_triangle(corners, normal, area, cuts_of(area, piece),
                                                   shape->samples + shape->sample_count);
        }
    }
cleanup:
    return status;
}

static void measure(const sn_mesh *mesh, const sn_triangles *triangles, sni_shape *shape) {
    shape->low = sn_vec3_make(INFINITY, INFINITY, INFINITY);
    shape->high = sn_vec3_scale(shape->low, -1);
    for (uint32_t i = 0; i < triangles->count; ++i) {
        sn_vec3 sum = {0, 0, 0};
        for (int k = 0; k < 3; ++k) {
            sn_vec3 corner = corner_of(mesh, triangles, i, k);
            shape->low = sn_vec3_min(shape->low, corner);
            shape->high = sn_vec3_max(shape->high, corner);
            sum = sn_vec3_add(sum, corner);
        }
        sn_vec3 cross = cross_of(mesh, triangles, i);
        double area = 0.5 * sn_vec3_length(cross);
        shape->area += area;
        shape->volume += sn_vec3_dot(corner_of(mesh, triangles, i, 0), cross) / 6;
        shape->centroid = sn_vec3_add_scaled(shape->centroid, area / 3, sum);
    }
    shape->centroid = sn_vec3_scale(shape->centroid, shape->area > 0 ? 1 / shape->area : 0);
    shape->size = sn_vec3_distance(shape->low, shape->high);
}

sn_status sni_shape_init(sn_context *context, const sn_mesh *mesh, sni_shape *shape,
                         sn_error *error) {
    sn_status status = SN_OK;
    sn_triangles *triangles = NULL;
    *shape = (sni_shape){0};
    SN_TRY(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    measure(mesh, triangles, shape);
    if (!(shape->area > 0 && isfinite(shape->area))) {
        status = sni_fail(error, SN_INVALID, "the mesh has no surface");
        goto cleanup;
    }
    SN_TRY(sn_accel_create(context, mesh->positions, mesh->vertex_count, triangles->vertices,
                           triangles->count, &shape->accel, error));
    SN_TRY(sample_surface(context, mesh, triangles, shape, error));
cleanup:
    sn_triangles_destroy(triangles);
    if (status != SN_OK) {
        sni_shape_deinit(context, shape);
    }
    return status;
}

void sni_shape_deinit(sn_context *context, sni_shape *shape) {
    sn_accel_destroy(shape->accel);
    sni_free(context, shape->samples);
    *shape = (sni_shape){0};
}

// ---------------------------------------------------------------------------------------------
// Gaps

static double point_box_gap(const sni_shape *shape, sn_vec3 p) {
    sn_vec3 out = sn_vec3_max(sn_vec3_sub(shape->low, p), sn_vec3_sub(p, shape->high));
    return sn_vec3_length(sn_vec3_max(out, sn_vec3_make(0, 0, 0)));
}

double sni_shape_box_gap(const sni_shape *a, const sni_shape *b) {
    sn_vec3 out = sn_vec3_max(sn_vec3_sub(a->low, b->high), sn_vec3_sub(b->low, a->high));
    return sn_vec3_length(sn_vec3_max(out, sn_vec3_make(0, 0, 0)));
}

static double one_way_gap(const sni_shape *from, const sni_shape *to, double limit) {
    for (uint32_t i = 0; i < from->sample_count; ++i) {
        if (point_box_gap(to, from->samples[i].point) < limit) {
            sn_closest closest;
            sn_accel_find_closest(to->accel, from->samples[i].point, limit, &closest);
            limit = closest.triangle != SN_NONE ? fmin(limit, closest.distance) : limit;
        }
    }
    return limit;
}

// Goes to and fro between the surfaces, each time to the closest point: an upper bound of the gap
// that spares most of the exact search.
static double bound_gap(const sni_shape *a, const sni_shape *b, double limit) {
    sn_closest closest = {.point = a->centroid};
    for (int i = 0; i < 6; ++i) {
        sn_vec3 from = closest.point;
        sn_accel_find_closest(i % 2 == 0 ? b->accel : a->accel, from, INFINITY, &closest);
        limit = i > 0 ? fmin(limit, closest.distance) : limit;
    }
    return limit;
}

double sni_shape_gap(const sni_shape *a, const sni_shape *b, double limit) {
    if (!(sni_shape_box_gap(a, b) < limit)) {
        return limit;
    }
    limit = bound_gap(a, b, limit);
    return one_way_gap(b, a, one_way_gap(a, b, limit));
}

// ---------------------------------------------------------------------------------------------
// Inside

// From half way through the bone, steps away from the nearest surface as long as that gains room; a
// step within the free ball cannot leave the bone.
static sn_vec3 climb(const sni_shape *shape, const sni_sample *start, double *radius) {
    sn_vec3 inwards = sn_vec3_scale(start->normal, -1);
    sn_hit hit;
    sn_accel_cast(shape->accel, start->point, inwards, 1e-6 * shape->size, shape->size, &hit);
    *radius = 0;
    if (hit.triangle == SN_NONE) {
        return start->point;
    }
    sn_vec3 best = sn_vec3_lerp(start->point, hit.point, 0.5);
    double step = 0.5 * hit.distance;
    sn_closest closest;
    sn_accel_find_closest(shape->accel, best, INFINITY, &closest);
    *radius = closest.distance;
    for (int i = 0; i < thickness_steps; ++i) {
        sn_accel_find_closest(shape->accel, best, INFINITY, &closest);
        sn_vec3 away = sn_vec3_normalize_or(sn_vec3_sub(best, closest.point), inwards);
        sn_vec3 next = sn_vec3_add_scaled(best, fmin(0.5 * step, 0.9 * *radius), away);
        sn_accel_find_closest(shape->accel, next, INFINITY, &closest);
        if (closest.distance > *radius) {
            *radius = closest.distance;
            best = next;
        } else {
            step *= 0.5;
        }
    }
    return best;
}

// A vertebra's body is a flat drum in which many balls are nearly as large as the largest: the mean
// of these is its middle.
sn_vec3 sni_shape_thickest(const sni_shape *shape, double *radius) {
    uint32_t stride = shape->sample_count / thickness_starts + 1;
    sn_vec3 sum = {0, 0, 0};
    double weight = 0;
    *radius = 0;
    for (uint32_t i = 0; i < shape->sample_count; i += stride) {
        double found;
        sn_vec3 point = climb(shape, &shape->samples[i], &found);
        if (thick_enough * found > *radius) { // those before were all too small
            sum = sn_vec3_make(0, 0, 0);
            weight = 0;
        }
        *radius = fmax(*radius, found);
        double part = *radius > 0 ? found / *radius - thick_enough : 0;
        if (part > 0) {
            sum = sn_vec3_add_scaled(sum, part, point);
            weight += part;
        }
    }
    return weight > 0 ? sn_vec3_scale(sum, 1 / weight) : shape->centroid;
}

sn_vec3 sni_shape_exit(const sni_shape *shape, sn_vec3 from, sn_vec3 to) {
    double length = sn_vec3_distance(from, to);
    sn_hit hit = {.triangle = SN_NONE};
    if (length > 0) { // the last on the way out is the first on the way back
        sn_accel_cast(shape->accel, to, sn_vec3_sub(from, to), 0, length, &hit);
    }
    return hit.triangle != SN_NONE ? hit.point : from;
}

sn_vec3 sni_shape_end(const sni_shape *shape, sn_vec3 from, sn_vec3 to, double part) {
    SN_ASSERT(part >= 0 && part <= 1);
    sn_vec3 along = sn_vec3_normalize_or(sn_vec3_sub(to, from), sn_vec3_make(0, -1, 0));
    double low = INFINITY, high = -INFINITY, area = 0;
    for (uint32_t i = 0; i < shape->sample_count; ++i) {
        double at = sn_vec3_dot(shape->samples[i].point, along);
        low = fmin(low, at);
        high = fmax(high, at);
    }
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < shape->sample_count; ++i) {
        const sni_sample *sample = &shape->samples[i];
        if (sn_vec3_dot(sample->point, along) >= high - part * (high - low)) {
            sum = sn_vec3_add_scaled(sum, sample->area, sample->point);
            area += sample->area;
        }
    }
    return area > 0 ? sn_vec3_scale(sum, 1 / area) : to;
}
