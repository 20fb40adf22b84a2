// SPDX-License-Identifier: Apache-2.0
//
// Cuts of a surface where a coordinate of its vertices has one value, and their moments.
#include "fit/muscle/fit.h"

#include "geometry/triangle.h"

#include <math.h>
#include <string.h>

// A cut is open when the chords that close it are longer than this part of it.
static const double open_part = 0.2;

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

// From below the level to above it.
static sn_vec3 edge_way(const cutter *c, uint32_t edge) {
    uint32_t a = c->surface->edges[2 * (size_t)edge], b = c->surface->edges[2 * (size_t)edge + 1];
    sn_vec3 way = sn_vec3_sub(c->surface->points[b], c->surface->points[a]);
    return c->along[b] > c->along[a] ? way : sn_vec3_scale(way, -1);
}

void sni_fit_spans(const sni_fit_surface *surface, const double *along, double *lows,
                   double *highs) {
    SN_ASSERT(surface->triangle_count == 0 || (along != NULL && lows != NULL && highs != NULL));
    for (size_t t = 0; t < surface->triangle_count; ++t) {
        const uint32_t *v = surface->triangles + 3 * t;
        double a = along[v[0]], b = along[v[1]], c = along[v[2]];
        double low = a < b ? a : b, high = a < b ? b : a;
        lows[t] = c < low ? c : low;
        highs[t] = c > high ? c : high;
    }
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
    double gap = 0, length = 0;
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
        sn_vec3 way = sn_vec3_add(edge_way(c, start), edge_way(c, end));
        for (uint32_t i = back_count; i > 0; --i) {
            contour->points[point_count++] = edge_point(c, back[i - 1]);
            way = sn_vec3_add(way, edge_way(c, back[i - 1]));
        }
        contour->points[point_count++] = edge_point(c, start);
        contour->points[point_count++] = edge_point(c, end);
        for (uint32_t i = 0; i + is_loop < ahead_count; ++i) {
            contour->points[point_count++] = edge_point(c, ahead[i]);
            way = sn_vec3_add(way, edge_way(c, ahead[i]));
        }
        contour->ways[contour->loop_count] = way;
        gap += is_loop ? 0
                       : sn_vec3_distance(contour->points[contour->starts[contour->loop_count]],
                                          contour->points[point_count - 1]);
        contour->starts[++contour->loop_count] = point_count;
    }
    for (uint32_t p = 0; p < c->piece_count; ++p) {
        length += sn_vec3_distance(edge_point(c, c->pieces[p].edges[0]),
                                   edge_point(c, c->pieces[p].edges[1]));
    }
    contour->open = gap > open_part * length;
cleanup:
    return status;
}

sn_status sni_fit_contour_cut(const sni_fit_surface *surface, sni_arena *arena,
                              const sni_fit_levels *levels, double level, sni_fit_contour *contour,
                              sn_error *error) {
    sn_status status = SN_OK;
    cutter c = {.surface = surface, .along = levels->along, .level = level};
    const double *lows = levels->lows, *highs = levels->highs;
    uint32_t count = 0;
    *contour = (sni_fit_contour){0};
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        count += (uint32_t)(lows[t] <= level) & (uint32_t)(highs[t] > level);
    }
    // The result is taken first, so that the scratch behind it can be given back.
    SNI_FIT_TAKE(arena, contour->points, 2 * (size_t)count + 1);
    SNI_FIT_TAKE(arena, contour->starts, (size_t)count + 1);
    SNI_FIT_TAKE(arena, contour->ways, (size_t)count + 1);
    sni_arena_mark mark = sni_arena_mark_now(arena);
    SNI_FIT_TAKE(arena, c.pieces, (size_t)count + 1);
    SNI_FIT_TAKE(arena, c.next, 2 * (size_t)count + 2);
    SNI_FIT_TAKE(arena, c.first, surface->edge_count);
    memset(c.first, 0xff, sizeof *c.first * surface->edge_count);
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        if (lows[t] <= level && highs[t] > level) {
            cut_triangle(&c, t);
        }
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

// The parts of a contour's loops in some half spaces, one after the other.
typedef struct clipper {
    const sni_fit_contour *contour;
    const sni_fit_half *halves;
    uint32_t half_count;
    sn_vec3 *buffers[2];
} clipper;

static sn_status start_clipping(clipper *c, sni_arena *arena, const sni_fit_contour *contour,
                                const sni_fit_half *halves, uint32_t half_count, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t most = 0;
    *c = (clipper){.contour = contour, .halves = halves, .half_count = half_count};
    for (uint32_t l = 0; l < contour->loop_count; ++l) {
        uint32_t count = contour->starts[l + 1] - contour->starts[l];
        most = count > most ? count : most;
    }
    // A half space can cut every side of a zigzag, and leaves at most half as many sides more.
    size_t room = most;
    for (uint32_t h = 0; h < half_count; ++h) {
        room += room / 2 + 1;
    }
    SNI_FIT_TAKE(arena, c->buffers[0], room);
    SNI_FIT_TAKE(arena, c->buffers[1], room);
cleanup:
    return status;
}

static const sn_vec3 *clip_loop(clipper *c, uint32_t loop, uint32_t *count) {
    const sn_vec3 *points = c->contour->points + c->contour->starts[loop];
    *count = c->contour->starts[loop + 1] - c->contour->starts[loop];
    for (uint32_t h = 0; h < c->half_count; ++h) {
        *count = clip(points, *count, c->halves[h], c->buffers[h & 1]);
        points = c->buffers[h & 1];
    }
    return points;
}

// Twice the area of a polygon as a vector along its normal.
static sn_vec3 area_vector(const sn_vec3 *points, uint32_t count) {
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t i = 1; i + 1 < count; ++i) {
        sum = sn_vec3_add(sum, sni_triangle_vector(points[0], points[i], points[i + 1]));
    }
    return sum;
}

// -1 for a hole in a closed surface: it turns the other way about where the coordinate rises.
static double loop_sign(const sni_fit_surface *surface, const sni_fit_contour *contour,
                        uint32_t loop) {
    const sn_vec3 *points = contour->points + contour->starts[loop];
    sn_vec3 area = area_vector(points, contour->starts[loop + 1] - contour->starts[loop]);
    double turn = sn_vec3_dot(area, contour->ways[loop]) * (surface->volume < 0 ? -1 : 1);
    return surface->closed && turn < 0 ? -1 : 1;
}

static void add_scaled_sums(plane_sums *total, double factor, const plane_sums *part) {
    total->size += factor * part->size;
    for (int k = 0; k < 3; ++k) {
        total->second[k] += factor * part->second[k];
    }
    total->first[0] += factor * part->first[0];
    total->first[1] += factor * part->first[1];
}

sn_status sni_fit_contour_measure(const sni_fit_surface *surface, sni_arena *arena,
                                  const sni_fit_contour *contour, const sni_fit_half *halves,
                                  uint32_t half_count, sn_vec3 direction, sni_fit_moments *moments,
                                  sn_error *error) {
    SN_ASSERT(half_count == 0 || halves != NULL);
    sn_status status = SN_OK;
    sni_arena_mark mark = sni_arena_mark_now(arena);
    clipper c;
    *moments = (sni_fit_moments){0};
    if (contour->loop_count == 0) {
        return SN_OK;
    }
    SN_TRY(start_clipping(&c, arena, contour, halves, half_count, error));
    sn_vec3 axes[2] = {sn_vec3_perpendicular(direction)};
    axes[1] = sn_vec3_cross(direction, axes[0]);
    sn_vec3 origin = contour->points[0];
    plane_sums area = {0}, length = {0};
    double depth = 0; // along the direction, times length
    for (uint32_t l = 0; l < contour->loop_count; ++l) {
        uint32_t count;
        const sn_vec3 *points = clip_loop(&c, l, &count);
        plane_sums loop = {0};
        for (uint32_t i = 0; i < count; ++i) {
            sn_vec3 p = sn_vec3_sub(points[i], origin);
            sn_vec3 q = sn_vec3_sub(points[i + 1 < count ? i + 1 : 0], origin);
            const double a[2] = {sn_vec3_dot(p, axes[0]), sn_vec3_dot(p, axes[1])};
            const double b[2] = {sn_vec3_dot(q, axes[0]), sn_vec3_dot(q, axes[1])};
            add_area(&loop, a, b);
            add_length(&length, a, b);
            depth +=
                hypot(b[0] - a[0], b[1] - a[1]) * sn_vec3_dot(sn_vec3_lerp(p, q, 0.5), direction);
        }
        double sign = loop_sign(surface, contour, l);
        add_scaled_sums(&area, loop.size < 0 ? -sign : sign, &loop);
    }
    if (length.size > 0) {
        origin = sn_vec3_add_scaled(origin, depth / length.size, direction);
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

sn_status sni_fit_contour_middle(const sni_fit_surface *surface, sni_arena *arena,
                                 const sni_fit_contour *contour, const sni_fit_half *halves,
                                 uint32_t half_count, double *area, sn_vec3 *middle,
                                 sn_error *error) {
    SN_ASSERT(half_count == 0 || halves != NULL);
    sn_status status = SN_OK;
    sni_arena_mark mark = sni_arena_mark_now(arena);
    clipper c;
    sn_vec3 first = {0, 0, 0}, thread = {0, 0, 0};
    double total = 0, length = 0;
    SN_TRY(start_clipping(&c, arena, contour, halves, half_count, error));
    for (uint32_t l = 0; l < contour->loop_count; ++l) {
        uint32_t count;
        const sn_vec3 *points = clip_loop(&c, l, &count);
        sn_vec3 zero = {0, 0, 0};
        sn_vec3 normal = sn_vec3_normalize_or(area_vector(points, count), zero);
        double sign = loop_sign(surface, contour, l);
        for (uint32_t i = 0; i < count; ++i) {
            sn_vec3 p = points[i], q = points[i + 1 < count ? i + 1 : 0];
            double part = sign / 2 * sn_vec3_dot(normal, sni_triangle_vector(points[0], p, q));
            sn_vec3 sum = sn_vec3_add(points[0], sn_vec3_add(p, q));
            first = sn_vec3_add_scaled(first, part / 3, sum);
            total += part;
            thread = sn_vec3_add_scaled(thread, sn_vec3_distance(p, q), sn_vec3_lerp(p, q, 0.5));
            length += sn_vec3_distance(p, q);
        }
    }
    bool is_thread = contour->open || !(total > 1e-6 * length * length);
    *area = length > 0 ? fmax(total, 1e-6 * length * length) : 0;
    *middle = sn_vec3_scale(is_thread ? thread : first,
                            length > 0 ? 1 / (is_thread ? length : total) : 0);
cleanup:
    sni_arena_release(arena, mark);
    return status;
}

sn_vec3 sni_fit_contour_extent(const sni_fit_contour *contour) {
    double m[6] = {0}, values[3], length = 0;
    sn_vec3 sum = {0, 0, 0}, axes[3];
    for (int pass = 0; pass < 2; ++pass) {
        sn_vec3 mean = pass > 0 && length > 0 ? sn_vec3_scale(sum, 1 / length) : sum;
        for (uint32_t l = 0; l < contour->loop_count; ++l) {
            uint32_t begin = contour->starts[l], end = contour->starts[l + 1];
            for (uint32_t i = begin; i < end; ++i) {
                sn_vec3 a = contour->points[i], b = contour->points[i + 1 < end ? i + 1 : begin];
                double d = sn_vec3_distance(a, b);
                sn_vec3 p = sn_vec3_sub(sn_vec3_lerp(a, b, 0.5), mean);
                const double products[6] = {p.x * p.x, p.y * p.y, p.z * p.z,
                                            p.x * p.y, p.x * p.z, p.y * p.z};
                for (int k = 0; k < 6 && pass > 0; ++k) {
                    m[k] += d * products[k];
                }
                sum = pass == 0 ? sn_vec3_add_scaled(sum, d, sn_vec3_lerp(a, b, 0.5)) : sum;
                length += pass == 0 ? d : 0;
            }
        }
    }
    sni_fit_eigen(m, values, axes);
    // A straight thread of half length a has the variance a^2/3.
    return sn_vec3_scale(axes[0], length > 0 ? sqrt(3 * fmax(values[0], 0) / length) : 0);
}
