// SPDX-License-Identifier: Apache-2.0
//
// Cuts of a surface where a coordinate of its vertices has one value, and their moments.
#include "fit/muscle_fit.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Cutting

// Marching triangles: a triangle with vertices on both sides of the level has one piece of the cut,
// between two of its edges. Pieces that meet at an edge are neighbours.
typedef struct cut_piece {
    uint32_t edges[2]; // from, to: what is above the level lies on the left seen from outside
    bool used;
} cut_piece;

typedef struct cutter {
    const sni_fit_surface *surface;
    const double *along;
    double level;
    uint32_t piece_count;
    cut_piece *pieces;
    uint32_t *first; // of every edge: a piece that starts or ends there
    uint32_t *next;  // 2 x piece: the next piece at that edge
} cutter;

static sn_vec3 edge_point(const cutter *c, uint32_t edge) {
    uint32_t a = c->surface->edges[2 * (size_t)edge], b = c->surface->edges[2 * (size_t)edge + 1];
    double x = c->along[a], y = c->along[b];
    double t = (c->level - x) / (y - x);
    return sn_vec3_lerp(c->surface->points[a], c->surface->points[b], fmin(fmax(t, 0), 1));
}

static void cut_triangle(cutter *c, uint32_t triangle) {
    const uint32_t *v = c->surface->triangles + 3 * (size_t)triangle;
    uint32_t from = SN_NONE, to = SN_NONE;
    for (uint32_t i = 0; i < 3; ++i) {
        bool here = c->along[v[i]] > c->level, there = c->along[v[(i + 1) % 3]] > c->level;
        if (here && !there) {
            from = c->surface->triangle_edges[3 * (size_t)triangle + i];
        } else if (!here && there) {
            to = c->surface->triangle_edges[3 * (size_t)triangle + i];
        }
    }
    if (from != SN_NONE && to != SN_NONE) {
        uint32_t p = c->piece_count++;
        c->pieces[p] = (cut_piece){{from, to}, false};
        for (uint32_t i = 0; i < 2; ++i) {
            uint32_t edge = c->pieces[p].edges[i];
            c->next[2 * p + i] = c->first[edge];
            c->first[edge] = 2 * p + i;
        }
    }
}

// A piece at `edge` that is not used yet: the other end's slot, or SN_NONE.
static uint32_t take_piece(cutter *c, uint32_t edge) {
    for (uint32_t slot = c->first[edge]; slot != SN_NONE; slot = c->next[slot]) {
        if (!c->pieces[slot / 2].used) {
            c->pieces[slot / 2].used = true;
            return slot ^ 1;
        }
    }
    return SN_NONE;
}

// Follows pieces from an edge until none is left; writes the edges on the way.
static uint32_t follow(cutter *c, uint32_t edge, uint32_t *edges) {
    uint32_t count = 0;
    for (uint32_t slot; (slot = take_piece(c, edge)) != SN_NONE;) {
        edge = c->pieces[slot / 2].edges[slot & 1];
        edges[count++] = edge;
    }
    return count;
}

// A chain goes on from the end of its first piece, and, where it is open, back from its start.
static sn_status chain_pieces(cutter *c, sni_arena *arena, sni_fit_contour *contour,
                              sn_error *error) {
    sn_status status = SN_OK;
    uint32_t *ahead = NULL, *back = NULL;
    SNI_FIT_TAKE(arena, ahead, (size_t)c->piece_count + 1);
    SNI_FIT_TAKE(arena, back, (size_t)c->piece_count + 1);
    uint32_t point_count = 0;
    contour->starts[0] = 0;
    for (uint32_t p = 0; p < c->piece_count; ++p) {
        if (c->pieces[p].used) {
            continue;
        }
        c->pieces[p].used = true;
        uint32_t start = c->pieces[p].edges[0], end = c->pieces[p].edges[1];
        uint32_t ahead_count = follow(c, end, ahead);
        bool is_loop = (ahead_count > 0 ? ahead[ahead_count - 1] : end) == start;
        uint32_t back_count = is_loop ? 0 : follow(c, start, back);
        for (uint32_t i = back_count; i > 0; --i) {
            contour->points[point_count++] = edge_point(c, back[i - 1]);
        }
        contour->points[point_count++] = edge_point(c, start);
        contour->points[point_count++] = edge_point(c, end);
        for (uint32_t i = 0; i + is_loop < ahead_count; ++i) {
            contour->points[point_count++] = edge_point(c, ahead[i]);
        }
        contour->open = contour->open || !is_loop;
        contour->starts[++contour->loop_count] = point_count;
    }
cleanup:
    return status;
}

sn_status sni_fit_contour_cut(const sni_fit_surface *surface, sni_arena *arena, const double *along,
                              double level, sni_fit_contour *contour, sn_error *error) {
    sn_status status = SN_OK;
    cutter c = {.surface = surface, .along = along, .level = level};
    uint32_t count = 0;
    *contour = (sni_fit_contour){0};
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        const uint32_t *v = surface->triangles + 3 * (size_t)t;
        uint32_t above = (along[v[0]] > level) + (along[v[1]] > level) + (along[v[2]] > level);
        count += above == 1 || above == 2;
    }
    // The result is taken first, so that the scratch behind it can be given back.
    SNI_FIT_TAKE(arena, contour->points, 2 * (size_t)count + 1);
    SNI_FIT_TAKE(arena, contour->starts, (size_t)count + 1);
    sni_arena_mark mark = sni_arena_mark_now(arena);
    SNI_FIT_TAKE(arena, c.pieces, (size_t)count + 1);
    SNI_FIT_TAKE(arena, c.next, 2 * (size_t)count + 2);
    SNI_FIT_TAKE(arena, c.first, surface->edge_count);
    memset(c.first, 0xff, sizeof *c.first * surface->edge_count);
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        cut_triangle(&c, t);
    }
    SN_TRY(chain_pieces(&c, arena, contour, error));
    sni_arena_release(arena, mark);
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Measuring

// Sums over a polygon's sides (Green), or over its length, in a plane's coordinates.
typedef struct plane_sums {
    double size;      // area, or length
    double first[2];  // of x and y
    double second[3]; // of xx, yy, xy
} plane_sums;

// Area moments of the triangle (0, a, b).
static void add_area(plane_sums *s, const double a[2], const double b[2]) {
    double d = a[0] * b[1] - b[0] * a[1];
    s->size += d / 2;
    for (int k = 0; k < 2; ++k) {
        s->first[k] += d * (a[k] + b[k]) / 6;
        s->second[k] += d * (a[k] * a[k] + a[k] * b[k] + b[k] * b[k]) / 12;
    }
    s->second[2] += d * (2 * a[0] * a[1] + a[0] * b[1] + b[0] * a[1] + 2 * b[0] * b[1]) / 24;
}

// Moments of a side as a thread.
static void add_length(plane_sums *s, const double a[2], const double b[2]) {
    double d = hypot(b[0] - a[0], b[1] - a[1]);
    s->size += d;
    for (int k = 0; k < 2; ++k) {
        s->first[k] += d * (a[k] + b[k]) / 2;
        s->second[k] += d * (a[k] * a[k] + a[k] * b[k] + b[k] * b[k]) / 3;
    }
    s->second[2] += d * (2 * a[0] * a[1] + a[0] * b[1] + b[0] * a[1] + 2 * b[0] * b[1]) / 6;
}

// What of a closed polygon lies in a half space (Sutherland and Hodgman 1974). `to` has room for
// twice the points.
static uint32_t clip(const sn_vec3 *from, uint32_t count, sni_fit_half half, sn_vec3 *to) {
    uint32_t written = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sn_vec3 a = from[i], b = from[i + 1 < count ? i + 1 : 0];
        double x = sn_vec3_dot(half.normal, a) - half.offset;
        double y = sn_vec3_dot(half.normal, b) - half.offset;
        if (x <= 0) {
            to[written++] = a;
        }
        if ((x <= 0) != (y <= 0)) {
            to[written++] = sn_vec3_lerp(a, b, x / (x - y));
        }
    }
    return written;
}

// The ellipse of a plane's sums. A full ellipse with half axes a, b has variances a^2/4, b^2/4; a
// straight thread of half length a has a^2/3.
static void set_ellipse(const plane_sums *s, double factor, sn_vec3 origin, const sn_vec3 axes[2],
                        sni_fit_moments *m) {
    double cx = s->first[0] / s->size, cy = s->first[1] / s->size;
    double xx = fmax(s->second[0] / s->size - cx * cx, 0);
    double yy = fmax(s->second[1] / s->size - cy * cy, 0);
    double xy = s->second[2] / s->size - cx * cy;
    double half = (xx - yy) / 2, root = hypot(half, xy), mean = (xx + yy) / 2;
    double angle = 0.5 * atan2(xy, half);
    double a = sqrt(factor * (mean + root)), b = sqrt(factor * fmax(mean - root, 0));
    m->center = sn_vec3_add_scaled(sn_vec3_add_scaled(origin, cx, axes[0]), cy, axes[1]);
    sn_vec3 x = sn_vec3_add(sn_vec3_scale(axes[0], cos(angle)), sn_vec3_scale(axes[1], sin(angle)));
    sn_vec3 y = sn_vec3_sub(sn_vec3_scale(axes[1], cos(angle)), sn_vec3_scale(axes[0], sin(angle)));
    m->wide = sn_vec3_scale(x, a);
    m->thick = sn_vec3_scale(y, b);
}

sn_status sni_fit_contour_measure(const sni_fit_surface *surface, sni_arena *arena,
                                  const sni_fit_contour *contour, const sni_fit_half *halves,
                                  uint32_t half_count, sn_vec3 direction, sni_fit_moments *moments,
                                  sn_error *error) {
    sn_status status = SN_OK;
    sni_arena_mark mark = sni_arena_mark_now(arena);
    *moments = (sni_fit_moments){0};
    uint32_t most = 0;
    for (uint32_t l = 0; l < contour->loop_count; ++l) {
        uint32_t count = contour->starts[l + 1] - contour->starts[l];
        most = count > most ? count : most;
    }
    if (most == 0) {
        return SN_OK;
    }
    // Each clip adds at most half as many points as there are sides, far fewer in fact.
    sn_vec3 *buffers[2] = {NULL, NULL};
    size_t room = 4 * (size_t)most + 64;
    SNI_FIT_TAKE(arena, buffers[0], room);
    SNI_FIT_TAKE(arena, buffers[1], room);
    sn_vec3 axes[2];
    axes[0] = sn_vec3_perpendicular(direction);
    axes[1] = sn_vec3_cross(direction, axes[0]);
    sn_vec3 origin = contour->points[0];
    plane_sums area = {0}, length = {0};
    for (uint32_t l = 0; l < contour->loop_count; ++l) {
        const sn_vec3 *points = contour->points + contour->starts[l];
        uint32_t count = contour->starts[l + 1] - contour->starts[l];
        for (uint32_t h = 0; h < half_count && 2 * (size_t)count <= room; ++h) {
            count = clip(points, count, halves[h], buffers[h & 1]);
            points = buffers[h & 1];
        }
        plane_sums loop = {0};
        for (uint32_t i = 0; i < count; ++i) {
            sn_vec3 p = sn_vec3_sub(points[i], origin);
            sn_vec3 q = sn_vec3_sub(points[i + 1 < count ? i + 1 : 0], origin);
            const double a[2] = {sn_vec3_dot(p, axes[0]), sn_vec3_dot(p, axes[1])};
            const double b[2] = {sn_vec3_dot(q, axes[0]), sn_vec3_dot(q, axes[1])};
            add_area(&loop, a, b);
            add_length(&length, a, b);
        }
        // Holes of a closed surface turn the other way and subtract.
        double sign = surface->closed ? 1 : loop.size < 0 ? -1 : 1;
        area.size += sign * loop.size;
        for (int k = 0; k < 3; ++k) {
            area.first[k % 2] += k < 2 ? sign * loop.first[k] : 0;
            area.second[k] += sign * loop.second[k];
        }
    }
    if (area.size < 0) {
        area.size = -area.size;
        for (int k = 0; k < 3; ++k) {
            area.first[k % 2] *= k < 2 ? -1 : 1;
            area.second[k] *= -1;
        }
    }
    // A cut so thin that its area is rounding is a thread.
    if (area.size > 1e-6 * length.size * length.size && !contour->open) {
        set_ellipse(&area, 4, origin, axes, moments);
        moments->area = area.size;
    } else if (length.size > 0) {
        set_ellipse(&length, 3, origin, axes, moments);
        moments->area = fmax(area.size, 1e-6 * length.size * length.size);
    }
cleanup:
    sni_arena_release(arena, mark);
    return status;
}
