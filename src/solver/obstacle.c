// SPDX-License-Identifier: Apache-2.0
//
// Contact of points with moving triangles.
//
// The sample's way in a step is looked at from the surface: its beginning is carried along by the
// motion of the nearest place of the surface, and the straight way from there to its end is cast
// against the surface as it stands at the end of the step. What crosses is stopped on the side it
// came from, at any speed of either; what does not cross is kept off by `thickness` from the
// closest point.
//
// A closed surface has an outside: what is found inside is brought out. An open one has two sides
// alike, and a sample stays on the one it is on.
//
// Limits: of several surfaces within reach the nearest one counts in a step; a sample that starts
// deeper inside a closed surface than it is thick comes out where its way takes it; what goes
// beyond `farthest` takes nothing along.
#include "solver/obstacle.h"

#include "base/memory.h"
#include "geometry/finite.h"
#include "geometry/triangle.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Metres from the origin. Floats out there stand a metre apart: a surface has lost its shape, all
// of its triangles are equally near, and every search would look at each of them.
static const double farthest = 1e7;

void sni_obstacle_deinit(sni_obstacle *obstacle) {
    sn_accel_destroy(obstacle->accel);
    sni_free(obstacle->context, obstacle->fronts);
    sni_free(obstacle->context, obstacle->before);
    sni_free(obstacle->context, obstacle->now);
    *obstacle = (sni_obstacle){0};
}

static sn_vec3 corner(const float *points, const uint32_t *vertices, int k) {
    return sn_vec3_load(points + 3 * (size_t)vertices[k]);
}

// Six times the volume that triangles [begin, end) enclose, negative when they are inside out.
static double volume(const sni_obstacle_shape *shape, const float *points, uint32_t begin,
                     uint32_t end) {
    double sum = 0;
    sn_vec3 origin = begin < end ? corner(points, shape->vertices + 3 * (size_t)begin, 0)
                                 : sn_vec3_make(0, 0, 0);
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t *vertices = shape->vertices + 3 * (size_t)i;
        sn_vec3 a = sn_vec3_sub(corner(points, vertices, 0), origin);
        sn_vec3 b = sn_vec3_sub(corner(points, vertices, 1), origin);
        sn_vec3 c = sn_vec3_sub(corner(points, vertices, 2), origin);
        sum += sn_vec3_dot(a, sn_vec3_cross(b, c));
    }
    return sum;
}

// A mirrored segment turns a mesh inside out, and files may hold such meshes: volumes tell.
static void find_fronts(sni_obstacle *obstacle, const float *points) {
    const sni_obstacle_shape *shape = &obstacle->shape;
    uint32_t begin = 0;
    for (uint32_t part = 0; part < shape->part_count; ++part) {
        uint32_t end = shape->parts[part].triangle_end;
        double inside = shape->parts[part].closed ? volume(shape, points, begin, end) : 0;
        memset(obstacle->fronts + begin, inside > 0 ? 1 : inside < 0 ? -1 : 0, end - begin);
        begin = end;
    }
}

// Memory, and a search tree over the surface as it is in the first frame. In later ones the tree is
// refitted, which finds the same.
static sn_status make(sni_obstacle *obstacle, const float *points, sn_error *error) {
    const sni_obstacle_shape *shape = &obstacle->shape;
    size_t count = 3 * (size_t)shape->vertex_count;
    sn_status status = SN_OK;
    SNI_NEW(obstacle->context, obstacle->fronts, shape->triangle_count);
    SNI_NEW(obstacle->context, obstacle->before, count);
    SNI_NEW(obstacle->context, obstacle->now, count);
    SN_TRY(sn_accel_create(obstacle->context, points, shape->vertex_count, shape->vertices,
                           shape->triangle_count, &obstacle->accel, error));
    return SN_OK;
cleanup:
    sni_obstacle_deinit(obstacle);
    return status;
}

sn_status sni_obstacle_begin(sn_context *context, const sni_obstacle_shape *shape,
                             const float *from, const float *to, sni_obstacle *obstacle,
                             sn_error *error) {
    SN_ASSERT(shape->vertex_count == 0 || (from != NULL && to != NULL));
    SN_ASSERT(shape->triangle_count == 0 || shape->vertices != NULL);
    SN_ASSERT(shape->part_count == 0 || shape->parts != NULL);
    size_t count = 3 * (size_t)shape->vertex_count, bad = sni_find_not_finite(to, count);
    sn_status status = SN_OK;
    if (bad < count) { // those at the beginning are looked at by the tree
        return sni_fail(error, SN_INVALID, "vertex %zu has the %c coordinate %g", bad / 3,
                        "xyz"[bad % 3], to[bad]);
    }
    obstacle->context = context;
    obstacle->shape = *shape;
    if (obstacle->accel == NULL) {
        SN_TRY(make(obstacle, from, error));
    } else {
        SN_TRY(sn_accel_update(obstacle->accel, from, false, error));
    }
    obstacle->from = from;
    obstacle->to = to;
    obstacle->moves = memcmp(from, to, count * sizeof *from) != 0;
    obstacle->motion = 0;
    find_fronts(obstacle, from);
    memcpy(obstacle->before, from, count * sizeof *from);
    memcpy(obstacle->now, from, count * sizeof *from);
cleanup:
    return status;
}

void sni_obstacle_move(sni_obstacle *obstacle, double share) {
    SN_ASSERT(share >= 0 && share <= 1);
    if (!obstacle->moves) {
        return;
    }
    size_t count = 3 * (size_t)obstacle->shape.vertex_count;
    float *before = obstacle->now;
    obstacle->now = obstacle->before;
    obstacle->before = before;
    double motion = 0;
    for (size_t i = 0; i < count; i += 3) {
        double distance = 0, out = 0;
        for (size_t k = i; k < i + 3; ++k) {
            double from = obstacle->from[k], to = obstacle->to[k];
            obstacle->now[k] = (float)(share < 1 ? from + share * (to - from) : to);
            double moved = (double)obstacle->now[k] - before[k];
            distance += moved * moved;
            out = fmax(out, fabs(obstacle->now[k]));
        }
        motion = distance > motion && out <= farthest ? distance : motion;
    }
    obstacle->motion = sqrt(motion);
    // Points between two finite ones are finite, and a refit takes no memory.
    sn_status status = sn_accel_update(obstacle->accel, obstacle->now, false, NULL);
    SN_ASSERT(status == SN_OK);
}

// How far the place at these weights of a triangle moved in the step.
static sn_vec3 motion_at(const sni_obstacle *obstacle, uint32_t triangle, const double weights[3]) {
    const uint32_t *vertices = obstacle->shape.vertices + 3 * (size_t)triangle;
    sn_vec3 motion = {0, 0, 0};
    for (int k = 0; k < 3 && obstacle->motion > 0; ++k) {
        sn_vec3 moved =
            sn_vec3_sub(corner(obstacle->now, vertices, k), corner(obstacle->before, vertices, k));
        motion = sn_vec3_add_scaled(motion, weights[k], moved);
    }
    return motion;
}

static sn_vec3 normal_of(const sni_obstacle *obstacle, uint32_t triangle) {
    const uint32_t *vertices = obstacle->shape.vertices + 3 * (size_t)triangle;
    sn_vec3 vector =
        sni_triangle_vector(corner(obstacle->now, vertices, 0), corner(obstacle->now, vertices, 1),
                            corner(obstacle->now, vertices, 2));
    return sn_vec3_normalize_or(vector, sn_vec3_make(0, 1, 0));
}

// The normal of a triangle that a sample meets from `from`: outwards for a closed surface, else to
// the side of `from`.
static sn_vec3 facing_normal(const sni_obstacle *obstacle, uint32_t triangle, sn_vec3 place,
                             sn_vec3 from) {
    sn_vec3 normal = normal_of(obstacle, triangle);
    double front = obstacle->fronts[triangle];
    if (front == 0) {
        front = sn_vec3_dot(sn_vec3_sub(from, place), normal) < 0 ? -1 : 1;
    }
    return sn_vec3_scale(normal, front);
}

// A sample at `to`, `from` where it would be had it moved with the surface, and `near` the closest
// place of the surface.
static void touch_closest(const sni_obstacle *obstacle, sn_vec3 from, sn_vec3 to,
                          const sn_closest *near, sni_contact *contact) {
    sn_vec3 away = sn_vec3_sub(to, near->point);
    sn_vec3 facing = facing_normal(obstacle, near->triangle, near->point, from);
    sn_vec3 normal = sn_vec3_normalize_or(away, facing);
    // Inside, the closest place lies nearly straight behind its face. Beside an edge it may look
    // a little as if it did: half of the distance tells the two apart.
    if (obstacle->fronts[near->triangle] != 0 &&
        sn_vec3_dot(away, facing) < -0.5 * near->distance) {
        normal = sn_vec3_scale(normal, -1);
        contact->inside = true;
    }
    contact->touches = true;
    contact->point = near->point;
    contact->normal = normal;
}

void sni_obstacle_touch(const sni_obstacle *obstacle, sn_vec3 from, sn_vec3 to, double thickness,
                        sni_contact *contact) {
    *contact = (sni_contact){0};
    // Beyond this distance from its end nothing can have been met on the way.
    double reach = thickness + sn_vec3_distance(from, to) + obstacle->motion;
    sn_closest near;
    sn_accel_find_closest(obstacle->accel, to, reach, &near);
    if (near.triangle == SN_NONE) {
        return;
    }
    contact->motion = motion_at(obstacle, near.triangle, near.barycentric);
    sn_vec3 carried = sn_vec3_add(from, contact->motion);
    sn_vec3 way = sn_vec3_sub(to, carried);
    double length = sn_vec3_length(way);
    sn_hit hit = {.triangle = SN_NONE};
    if (length > 0) {
        sn_accel_cast(obstacle->accel, carried, way, 0, length, &hit);
    }
    if (hit.triangle != SN_NONE) {
        contact->touches = true;
        contact->point = hit.point;
        contact->normal = facing_normal(obstacle, hit.triangle, hit.point, carried);
        contact->motion = motion_at(obstacle, hit.triangle, hit.barycentric);
    } else if (near.distance < thickness) {
        touch_closest(obstacle, carried, to, &near, contact);
    }
}
