// SPDX-License-Identifier: Apache-2.0
//
// Frame of a triangle, equation 2: origin A, e1 = B - A, e2 = C - A, e3 the unit normal.
//
// A triangle without area at rest has no such frame. It gets one along its longest side (or towards
// the farthest vertex around it, when it is a point), with the normal of the triangles around it;
// where there are none, the normal is carried by the smallest rotation of the side. A triangle that
// loses its area in a pose keeps its sides and takes the normal of the triangles around it.
//
// Map of a vertex, section 4.2, when only the posed mesh is known: the least squares fit F to the
// sides e_j of the triangles around it and to their normal n,
//
//     min sum_j |F e_j - e_j'|^2 + lambda |F n - s n'|^2,   lambda = sum_j |e_j|^2 / 2
//
// s = sqrt(area' / area), so that space scales along the normal as the surface does. With
// A = sum_j e_j e_j^T + lambda n n^T this is
//
//     F - I = ( sum_j (e_j' - e_j) e_j^T + lambda (s n' - n) n^T ) A^-1
//
// Rotations, translations and uniform scales come out exactly; what a map does along the normal of
// a flat ring alone cannot be seen from its points.
#include "skin/wrap/frames.h"

#include "base/rows.h"
#include "geometry/triangle.h"
#include "skin/wrap/distance.h"
#include "skin/wrap/matrix.h"

#include <string.h>

enum { FRAMES_GRAIN = 256 };

enum { KIND_PLAIN, KIND_AIMED, KIND_TRAVELS };

// A ring's matrix is as good as singular below this share of the trace cubed.
static const double ring_flat = 1e-8;

// ---------------------------------------------------------------------------------------------
// Points, triangles, rings

static sn_vec3 point_of(const float *points, uint32_t vertex) {
    return sn_vec3_load(points + 3 * (size_t)vertex);
}

// Twice the area times the normal.
static sn_vec3 area_vector(const sni_wrap_frames *f, const float *points, uint32_t triangle) {
    const uint32_t *v = f->triangles + 3 * (size_t)triangle;
    return sni_triangle_vector(point_of(points, v[0]), point_of(points, v[1]),
                               point_of(points, v[2]));
}

// Whether a triangle of two sides and their cross product has an area to speak of.
static bool is_area(sn_vec3 e1, sn_vec3 e2, sn_vec3 cross) {
    sn_vec3 side = sn_vec3_sub(e2, e1);
    double a = sn_vec3_dot(e1, e1), b = sn_vec3_dot(e2, e2), c = sn_vec3_dot(side, side);
    double longest = a > b ? a : b;
    longest = c > longest ? c : longest;
    return sn_vec3_dot(cross, cross) > sni_wrap_flat * longest * (sni_wrap_flat * longest);
}

static bool has_area(const sni_wrap_frames *f, const float *points, uint32_t triangle) {
    const uint32_t *v = f->triangles + 3 * (size_t)triangle;
    sn_vec3 a = point_of(points, v[0]);
    sn_vec3 e1 = sn_vec3_sub(point_of(points, v[1]), a);
    sn_vec3 e2 = sn_vec3_sub(point_of(points, v[2]), a);
    return is_area(e1, e2, sn_vec3_cross(e1, e2));
}

// The sum of the area vectors around a vertex, and of their lengths.
static sn_vec3 ring_vector(const sni_wrap_frames *f, const float *points, uint32_t vertex,
                           double *area) {
    sn_vec3 sum = {0, 0, 0};
    *area = 0;
    for (uint32_t i = f->ring_offsets[vertex]; i < f->ring_offsets[vertex + 1]; ++i) {
        sn_vec3 vector = area_vector(f, points, f->rings[i]);
        *area += sn_vec3_length(vector);
        sum = sn_vec3_add_scaled(sum, f->ring_signs[i], vector);
    }
    return sum;
}

// The unit vector along `a` without its part along the unit vector `u`; zero where nothing is left.
static sn_vec3 perpendicular_part(sn_vec3 a, sn_vec3 u) {
    sn_vec3 rest = sn_vec3_add_scaled(a, -sn_vec3_dot(a, u), u);
    bool is_left = sn_vec3_length(rest) > sni_wrap_flat * sn_vec3_length(a);
    return is_left ? sn_vec3_normalize_or(rest, sn_vec3_make(0, 0, 0)) : sn_vec3_make(0, 0, 0);
}

static bool is_zero(sn_vec3 a) {
    return a.x == 0 && a.y == 0 && a.z == 0;
}

// ---------------------------------------------------------------------------------------------
// Frames

// A right-angled frame of unit axes: the direction from `from` to `to`, and the ring's normal.
static void aimed_axes(const sni_wrap_frames *f, const sni_wrap_frame *frame, const float *points,
                       double axes[9]) {
    sn_vec3 zero = {0, 0, 0}, normal = zero;
    sn_vec3 from = point_of(points, frame->from), to = point_of(points, frame->to);
    sn_vec3 rest = sn_vec3_normalize_or(
        sn_vec3_sub(point_of(f->rest, frame->to), point_of(f->rest, frame->from)), zero);
    sn_vec3 u = sn_vec3_normalize_or(sn_vec3_sub(to, from), rest);
    if (frame->ring != SN_NONE) {
        double area;
        normal = perpendicular_part(ring_vector(f, points, frame->ring, &area), u);
    }
    if (is_zero(normal)) {
        normal = sn_quat_rotate(sn_quat_between(rest, u), sn_vec3_perpendicular(rest));
    }
    sni_matrix_columns(axes, u, sn_vec3_cross(normal, u), normal);
}

// The normal of a triangle that has lost its area: of a ring at its corners, else any.
static sn_vec3 lost_normal(const sni_wrap_frames *f, const float *points, const uint32_t v[3],
                           sn_vec3 side) {
    sn_vec3 u = sn_vec3_normalize_or(side, sn_vec3_make(1, 0, 0));
    for (int i = 0; i < 3; ++i) {
        double area;
        sn_vec3 normal = perpendicular_part(ring_vector(f, points, v[i], &area), u);
        if (!is_zero(normal)) {
            return normal;
        }
    }
    return sn_vec3_perpendicular(u);
}

// Q of equation 2.
static void triangle_axes(const sni_wrap_frames *f, uint32_t triangle, const float *points,
                          double axes[9]) {
    const sni_wrap_frame *frame = &f->frames[triangle];
    const uint32_t *v = f->triangles + 3 * (size_t)triangle;
    if (frame->kind == KIND_AIMED) {
        aimed_axes(f, frame, points, axes);
        return;
    }
    sn_vec3 a = point_of(points, v[0]);
    sn_vec3 e1 = sn_vec3_sub(point_of(points, v[1]), a);
    sn_vec3 e2 = sn_vec3_sub(point_of(points, v[2]), a);
    sn_vec3 e3 = sn_vec3_cross(e1, e2);
    if (is_area(e1, e2, e3)) {
        e3 = sn_vec3_scale(e3, 1 / sn_vec3_length(e3));
    } else {
        bool is_first = sn_vec3_dot(e1, e1) >= sn_vec3_dot(e2, e2);
        e3 = lost_normal(f, points, v, is_first ? e1 : e2);
    }
    sni_matrix_columns(axes, e1, e2, e3);
}

// D = (Q^D - Q^R) (Q^R)^-1
static void difference_map(const sni_wrap_frame *frame, const double axes[9], double d[9]) {
    double moved[9];
    for (int i = 0; i < 9; ++i) {
        moved[i] = axes[i] - frame->axes[i];
    }
    sni_matrix_multiply(moved, frame->inverse, d);
}

static void triangle_map(const sni_wrap_frames *f, uint32_t triangle, const float *points,
                         double d[9]) {
    const sni_wrap_frame *frame = &f->frames[triangle];
    double axes[9];
    memset(d, 0, 9 * sizeof *d);
    if (frame->kind != KIND_TRAVELS) {
        triangle_axes(f, triangle, points, axes);
        difference_map(frame, axes, d);
    }
}

// ---------------------------------------------------------------------------------------------
// Maps of vertices

// The sum over the ring of (e' - e) e^T, both sides of each triangle at the vertex; with `posed`
// NULL of e e^T.
static void sum_ring(const sni_wrap_frames *f, uint32_t vertex, const float *posed, double m[9]) {
    sn_vec3 o = point_of(f->rest, vertex);
    memset(m, 0, 9 * sizeof *m);
    for (uint32_t i = f->ring_offsets[vertex]; i < f->ring_offsets[vertex + 1]; ++i) {
        for (int k = 0; k < 3; ++k) {
            uint32_t other = f->triangles[3 * (size_t)f->rings[i] + k];
            sn_vec3 e = sn_vec3_sub(point_of(f->rest, other), o), left = e;
            if (posed != NULL) {
                left = sn_vec3_sub(point_of(posed, other), point_of(posed, vertex));
                left = sn_vec3_sub(left, e);
            }
            sni_matrix_add_outer(m, left, e);
        }
    }
}

static void vertex_map(const sni_wrap_frames *f, uint32_t vertex, const float *points,
                       double d[9]) {
    const sni_wrap_frame *frame = &f->frames[vertex];
    double m[9], area;
    memset(d, 0, 9 * sizeof *d);
    if (frame->kind == KIND_AIMED) {
        aimed_axes(f, frame, points, m);
        difference_map(frame, m, d);
        return;
    }
    if (frame->kind == KIND_TRAVELS) {
        return;
    }
    sn_vec3 normal = sni_matrix_column(frame->axes, 0);
    double rest_area = frame->axes[3], lambda = frame->axes[4];
    sn_vec3 posed = sn_vec3_normalize_or(ring_vector(f, points, vertex, &area), normal);
    posed = sn_vec3_scale(posed, sqrt(area / rest_area));
    sum_ring(f, vertex, points, m);
    sni_matrix_add_outer(m, sn_vec3_scale(sn_vec3_sub(posed, normal), lambda), normal);
    sni_matrix_multiply(m, frame->inverse, d);
}

// The point beside a vertex along an axis.
static void rest_arm(const sni_wrap_frames *f, uint32_t vertex, int axis, float arm[3]) {
    if (f->arms != NULL) {
        memcpy(arm, f->arms + 9 * (size_t)vertex + 3 * axis, 3 * sizeof *arm);
        return;
    }
    memcpy(arm, f->rest + 3 * (size_t)vertex, 3 * sizeof *arm);
    arm[axis] += f->arm;
}

// The map that takes a vertex and its three points to where they are.
static void points_map(const sni_wrap_frames *f, uint32_t vertex, const float *points,
                       const float *frame_points, double d[9]) {
    sn_vec3 o = point_of(f->rest, vertex), posed = point_of(points, vertex);
    double rest[9], moved[9], inverse[9];
    for (int i = 0; i < 3; ++i) {
        float arm[3];
        rest_arm(f, vertex, i, arm);
        sn_vec3 before = sn_vec3_sub(sn_vec3_load(arm), o);
        sn_vec3 after = sn_vec3_sub(sn_vec3_load(frame_points + 9 * (size_t)vertex + 3 * i), posed);
        sn_vec3 difference = sn_vec3_sub(after, before);
        memcpy(rest + 3 * i, &before, sizeof before);
        memcpy(moved + 3 * i, &difference, sizeof difference);
    }
    sni_matrix_invert(rest, inverse);
    sni_matrix_multiply(moved, inverse, d);
}

void sni_wrap_frame_points(const sni_wrap_frames *frames, float *frame_points) {
    SN_ASSERT(frames->vertex_count == 0 || frame_points != NULL);
    for (uint32_t vertex = 0; vertex < frames->vertex_count; ++vertex) {
        for (int i = 0; i < 3; ++i) {
            rest_arm(frames, vertex, i, frame_points + 9 * (size_t)vertex + 3 * i);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Running

typedef struct frames_run {
    const sni_wrap_frames *frames;
    const float *points;
    const float *frame_points;
    double factor;
    float *matrices;
} frames_run;

static void run_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const frames_run *run = user;
    const sni_wrap_frames *f = run->frames;
    for (uint32_t i = begin; i < end; ++i) {
        double d[9];
        uint32_t origin = f->extended ? i : f->triangles[3 * (size_t)i];
        if (!f->extended) {
            triangle_map(f, i, run->points, d);
        } else if (run->frame_points == NULL) {
            vertex_map(f, i, run->points, d);
        } else {
            points_map(f, i, run->points, run->frame_points, d);
        }
        sni_matrix_store_map(d, point_of(f->rest, origin), point_of(run->points, origin),
                             run->factor, run->matrices + (size_t)i * SNI_BLEND_MATRIX);
    }
}

void sni_wrap_frames_run(sn_context *context, const sni_wrap_frames *frames, const float *points,
                         const float *frame_points, double factor, float *matrices) {
    SN_ASSERT(frames->count == 0 || (points != NULL && matrices != NULL));
    frames_run run = {frames, points, frame_points, factor, matrices};
    sn_parallel_for(context, frames->count, FRAMES_GRAIN, run_block, &run);
}

// ---------------------------------------------------------------------------------------------
// Making

static sn_status make_rings(sn_context *context, sni_wrap_frames *f, sn_error *error) {
    sn_status status = SN_OK;
    size_t corners = 3 * (size_t)f->triangle_count;
    SNI_NEW(context, f->ring_offsets, (size_t)f->vertex_count + 1);
    SNI_NEW(context, f->rings, corners);
    SNI_NEW(context, f->ring_signs, corners);
    sni_rows_from_keys(f->triangles, f->triangle_count, 3, f->vertex_count, f->ring_offsets,
                       f->rings);
cleanup:
    return status;
}

// Triangles around a vertex may be turned against each other (doubled faces, a Moebius strip, three
// at an edge); their normals are taken on the side of the largest.
static void sign_ring(sni_wrap_frames *f, uint32_t vertex) {
    sn_vec3 largest = {0, 0, 0};
    for (uint32_t i = f->ring_offsets[vertex]; i < f->ring_offsets[vertex + 1]; ++i) {
        sn_vec3 vector = area_vector(f, f->rest, f->rings[i]);
        largest = sn_vec3_dot(vector, vector) > sn_vec3_dot(largest, largest) ? vector : largest;
    }
    for (uint32_t i = f->ring_offsets[vertex]; i < f->ring_offsets[vertex + 1]; ++i) {
        sn_vec3 vector = area_vector(f, f->rest, f->rings[i]);
        f->ring_signs[i] = sn_vec3_dot(vector, largest) < 0 ? -1 : 1;
    }
}

// The vertex farthest from `vertex` among those of its ring; SN_NONE when all are at its place.
static uint32_t farthest_in_ring(const sni_wrap_frames *f, uint32_t vertex) {
    double longest = 0;
    uint32_t farthest = SN_NONE;
    for (uint32_t i = f->ring_offsets[vertex]; i < f->ring_offsets[vertex + 1]; ++i) {
        for (int k = 0; k < 3; ++k) {
            uint32_t other = f->triangles[3 * (size_t)f->rings[i] + k];
            double length = sn_vec3_distance(point_of(f->rest, other), point_of(f->rest, vertex));
            if (length > longest) {
                longest = length;
                farthest = other;
            }
        }
    }
    return farthest;
}

// Gives a frame without area the longest direction among the rings of `count` vertices, and one of
// them whose ring has a normal.
static void aim(sni_wrap_frames *f, sni_wrap_frame *frame, const uint32_t *vertices, int count) {
    double longest = 0;
    frame->kind = KIND_TRAVELS;
    frame->ring = SN_NONE;
    for (int i = 0; i < count; ++i) {
        uint32_t to = farthest_in_ring(f, vertices[i]);
        double area, length = 0;
        if (to != SN_NONE) {
            length = sn_vec3_distance(point_of(f->rest, to), point_of(f->rest, vertices[i]));
        }
        if (length > longest) {
            longest = length;
            frame->kind = KIND_AIMED;
            frame->from = vertices[i];
            frame->to = to;
        }
        if (frame->ring == SN_NONE && !is_zero(ring_vector(f, f->rest, vertices[i], &area))) {
            frame->ring = vertices[i];
        }
    }
    if (frame->kind == KIND_AIMED) {
        aimed_axes(f, frame, f->rest, frame->axes);
        sni_matrix_invert(frame->axes, frame->inverse);
    }
}

// A vertex whose own ring has no area looks at the rings of its first triangle's corners too.
static void aim_vertex(sni_wrap_frames *f, sni_wrap_frame *frame, uint32_t vertex) {
    uint32_t vertices[4] = {vertex};
    bool is_loose = f->ring_offsets[vertex] == f->ring_offsets[vertex + 1];
    if (!is_loose) {
        uint32_t triangle = f->rings[f->ring_offsets[vertex]];
        memcpy(vertices + 1, f->triangles + 3 * (size_t)triangle, 3 * sizeof *vertices);
    }
    aim(f, frame, vertices, is_loose ? 1 : 4);
}

static void make_triangle_frame(sni_wrap_frames *f, uint32_t triangle) {
    sni_wrap_frame *frame = &f->frames[triangle];
    *frame = (sni_wrap_frame){.from = SN_NONE, .to = SN_NONE, .ring = SN_NONE};
    if (!has_area(f, f->rest, triangle)) {
        aim(f, frame, f->triangles + 3 * (size_t)triangle, 3);
        return;
    }
    triangle_axes(f, triangle, f->rest, frame->axes);
    sni_matrix_invert(frame->axes, frame->inverse);
}

static void make_vertex_frame(sni_wrap_frames *f, uint32_t vertex) {
    sni_wrap_frame *frame = &f->frames[vertex];
    *frame = (sni_wrap_frame){.from = SN_NONE, .to = SN_NONE, .ring = SN_NONE};
    double m[9], area;
    sn_vec3 vector = ring_vector(f, f->rest, vertex, &area);
    sn_vec3 normal = sn_vec3_normalize_or(vector, sn_vec3_make(0, 0, 0));
    sum_ring(f, vertex, NULL, m);
    double trace = m[0] + m[4] + m[8], lambda = trace / 2;
    sni_matrix_add_outer(m, sn_vec3_scale(normal, lambda), normal);
    if (!(area > 0) || is_zero(normal) ||
        !(sni_matrix_determinant(m) > ring_flat * trace * trace * trace)) {
        aim_vertex(f, frame, vertex);
        return;
    }
    memcpy(frame->axes, &normal, sizeof normal);
    frame->axes[3] = area;
    frame->axes[4] = lambda;
    sni_matrix_invert(m, frame->inverse);
}

static void make_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    sni_wrap_frames *f = user;
    for (uint32_t i = begin; i < end; ++i) {
        if (f->extended) {
            make_vertex_frame(f, i);
        } else {
            make_triangle_frame(f, i);
        }
    }
}

sn_status sni_wrap_frames_init(sn_context *context, const sni_wrap_surface *surface, bool extended,
                               sni_wrap_frames *frames, sn_error *error) {
    sn_status status = SN_OK;
    sni_wrap_frames *f = frames;
    *f = (sni_wrap_frames){.extended = extended,
                           .vertex_count = surface->vertex_count,
                           .triangle_count = surface->count,
                           .count = extended ? surface->vertex_count : surface->count,
                           .arm = (float)surface->mean_edge};
    SNI_NEW(context, f->triangles, 3 * (size_t)f->triangle_count);
    SNI_NEW(context, f->rest, 3 * (size_t)f->vertex_count);
    memcpy(f->triangles, surface->triangles->vertices,
           3 * (size_t)f->triangle_count * sizeof *f->triangles);
    memcpy(f->rest, surface->positions, 3 * (size_t)f->vertex_count * sizeof *f->rest);
    SN_TRY(make_rings(context, f, error));
    for (uint32_t i = 0; i < f->vertex_count; ++i) {
        sign_ring(f, i);
    }
    SNI_NEW(context, f->frames, f->count);
    sn_parallel_for(context, f->count, FRAMES_GRAIN, make_block, f);
    return SN_OK;
cleanup:
    sni_wrap_frames_deinit(context, f);
    return status;
}

// A volume below this part of the cube of the longest arm is none.
static const double flat_arms = 1e-6;

sn_status sni_wrap_frames_set_points(sn_context *context, sni_wrap_frames *frames,
                                     const float *points, sn_error *error) {
    SN_ASSERT(frames->extended && frames->arms == NULL && points != NULL);
    sn_status status = SN_OK;
    for (uint32_t v = 0; v < frames->vertex_count; ++v) {
        sn_vec3 arms[3];
        double longest = 0;
        for (int i = 0; i < 3; ++i) {
            arms[i] = sn_vec3_sub(sn_vec3_load(points + 9 * (size_t)v + 3 * i),
                                  point_of(frames->rest, v));
            longest = fmax(longest, sn_vec3_length(arms[i]));
        }
        double volume = fabs(sn_vec3_dot(arms[0], sn_vec3_cross(arms[1], arms[2])));
        if (!(volume > flat_arms * longest * longest * longest)) {
            SN_TRY(sni_fail(error, SN_INVALID,
                            "wrap: vertex %u of the driver lies in a plane with its frame points",
                            v));
        }
    }
    SNI_NEW(context, frames->arms, 9 * (size_t)frames->vertex_count);
    memcpy(frames->arms, points, 9 * (size_t)frames->vertex_count * sizeof *points);
cleanup:
    return status;
}

void sni_wrap_frames_deinit(sn_context *context, sni_wrap_frames *frames) {
    sni_free(context, frames->triangles);
    sni_free(context, frames->rest);
    sni_free(context, frames->ring_offsets);
    sni_free(context, frames->rings);
    sni_free(context, frames->ring_signs);
    sni_free(context, frames->frames);
    sni_free(context, frames->arms);
    *frames = (sni_wrap_frames){0};
}

size_t sni_wrap_frames_bytes(const sni_wrap_frames *frames) {
    size_t corners = 3 * (size_t)frames->triangle_count;
    return corners * (2 * sizeof(uint32_t) + 1) +
           ((size_t)frames->vertex_count + 1) * sizeof(uint32_t) +
           3 * (size_t)frames->vertex_count * sizeof(float) +
           frames->count * sizeof *frames->frames +
           (frames->arms != NULL ? 9 * (size_t)frames->vertex_count * sizeof *frames->arms : 0);
}
