// SPDX-License-Identifier: Apache-2.0
//
// How much of a mesh fibres fill, and how much of them lies outside of it, on a grid of points. A
// point is inside the mesh where at least two of three rays through it, one along each axis, say
// so: real surfaces have holes.
//
// With
//
//     m = min over fibres of D / (w Phi(s) r(theta))
//
// a point is inside a fibre where m <= 1, and inside one of widths q w where m <= q: the factor
// that gives the fibres a volume is found among the values of m.
#include "fit/muscle/fibre.h"

#include "base/context.h"
#include "base/order.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_POINTS = 200000, MOST_HITS = 256 };

// Steps of the grid in the mean thickness of the mesh, if these are not too many.
static const double steps_across = 6;

static const double least_factor = 0.8, most_factor = 1.3;

typedef struct grid {
    sn_vec3 low;
    double step;
    uint32_t counts[3];
    size_t count;
    uint8_t *votes; // count: rays on which the point is inside the mesh
    float *spans;   // count: m
} grid;

static double *component(sn_vec3 *v, int axis) {
    return axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z;
}

static void include(sn_vec3 *low, sn_vec3 *high, sn_vec3 p, double radius) {
    for (int k = 0; k < 3; ++k) {
        *component(low, k) = fmin(*component(low, k), *component(&p, k) - radius);
        *component(high, k) = fmax(*component(high, k), *component(&p, k) + radius);
    }
}

// The widest half-axis of a fibre anywhere.
static double reach_of(const sni_fit_spindle *s) {
    return s->width * sni_fibre_profile_most(&s->profile, 0) / sni_fibre_half_axis(s->eccentricity);
}

static sn_status make_grid(grid *g, sn_context *context, const sni_fit_surface *surface,
                           const sni_fit_spindle *spindles, uint32_t count, sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 low = surface->points[0], high = low;
    for (uint32_t i = 0; i < surface->vertex_count; ++i) {
        include(&low, &high, surface->points[i], 0);
    }
    for (uint32_t k = 0; k < count; ++k) {
        for (uint32_t i = 0; i < spindles[k].axis.point_count; ++i) {
            // The ends are thin: only what lies between them reaches out.
            bool is_end = i == 0 || i + 1 == spindles[k].axis.point_count;
            include(&low, &high, spindles[k].axis.points[i], is_end ? 0 : reach_of(&spindles[k]));
        }
    }
    sn_vec3 size = sn_vec3_sub(high, low);
    double thickness = 2 * fabs(surface->volume) / surface->area;
    double box = fmax(size.x, 1e-9) * fmax(size.y, 1e-9) * fmax(size.z, 1e-9);
    g->step = fmax(cbrt(box / MOST_POINTS), thickness / steps_across);
    g->low = low;
    g->count = 1;
    for (int k = 0; k < 3; ++k) {
        g->counts[k] = (uint32_t)fmax(ceil(*component(&size, k) / g->step), 1);
        g->count *= g->counts[k];
    }
    SNI_NEW_ZERO(context, g->votes, g->count);
    SNI_NEW(context, g->spans, g->count);
cleanup:
    return status;
}

static sn_vec3 grid_point(const grid *g, const uint32_t at[3]) {
    return sn_vec3_make(g->low.x + (at[0] + 0.5) * g->step, g->low.y + (at[1] + 0.5) * g->step,
                        g->low.z + (at[2] + 0.5) * g->step);
}

static size_t grid_index(const grid *g, const uint32_t at[3]) {
    return ((size_t)at[2] * g->counts[1] + at[1]) * g->counts[0] + at[0];
}

// One more where the ray enters a closed surface, one less where it leaves it; for open ones every
// hit changes sides.
static int step_of(const sni_fit_surface *surface, uint32_t triangle, sn_vec3 direction) {
    if (!surface->closed) {
        return 1;
    }
    const uint32_t *v = surface->triangles + 3 * (size_t)triangle;
    sn_vec3 a = surface->points[v[0]];
    sn_vec3 normal =
        sn_vec3_cross(sn_vec3_sub(surface->points[v[1]], a), sn_vec3_sub(surface->points[v[2]], a));
    bool enters = (sn_vec3_dot(normal, direction) < 0) == (surface->volume > 0);
    return enters ? 1 : -1;
}

static bool is_within(const sni_fit_surface *surface, int crossings) {
    return surface->closed ? crossings > 0 : crossings % 2 != 0;
}

// Votes of all points on one line of the grid.
static void cast_line(grid *g, const sni_fit_surface *surface, int axis, uint32_t at[3]) {
    sn_vec3 direction = {axis == 0, axis == 1, axis == 2};
    at[axis] = 0;
    sn_vec3 from = sn_vec3_add_scaled(grid_point(g, at), -surface->size, direction);
    double tiny = 1e-7 * surface->size, last = 0, length = 2 * surface->size;
    int crossings = 0;
    for (int hits = 0; hits < MOST_HITS; ++hits) {
        sn_hit hit;
        sn_accel_cast(surface->accel, from, direction, last, 4 * length, &hit);
        double next = hit.triangle != SN_NONE ? hit.distance : INFINITY;
        while (at[axis] < g->counts[axis] && surface->size + at[axis] * g->step < next) {
            g->votes[grid_index(g, at)] += is_within(surface, crossings);
            ++at[axis];
        }
        if (hit.triangle == SN_NONE || at[axis] == g->counts[axis]) {
            break;
        }
        crossings += step_of(surface, hit.triangle, direction);
        last = next + tiny;
    }
}

static void find_votes(grid *g, const sni_fit_surface *surface) {
    for (int axis = 0; axis < 3; ++axis) {
        int u = (axis + 1) % 3, v = (axis + 2) % 3;
        uint32_t at[3] = {0, 0, 0};
        for (uint32_t j = 0; j < g->counts[v]; ++j) {
            for (uint32_t i = 0; i < g->counts[u]; ++i) {
                at[u] = i;
                at[v] = j;
                cast_line(g, surface, axis, at);
            }
        }
    }
}

// m of one fibre at a point.
static double span_of(const sni_fit_spindle *spindle, sn_vec3 at) {
    sni_fibre_foot foot = sni_fibre_axis_project(&spindle->axis, at);
    double phi = sni_fibre_profile_at(&spindle->profile, 0, foot.s, NULL);
    double u = sni_fibre_half_axis(spindle->eccentricity), v = 1 / u, c = 0;
    if (foot.distance > 0) {
        c = sn_vec3_dot(foot.normal, sn_vec3_sub(at, foot.point)) / foot.distance;
    }
    double c2 = fmin(1, c * c), r = 1 / sqrt(u * u * c2 + v * v * (1 - c2));
    double radius = spindle->width * phi * r;
    return radius > 0 ? foot.distance / radius : INFINITY;
}

// The box around all points that a fibre of the largest factor may reach.
typedef struct box {
    sn_vec3 low, high;
} box;

static box box_of(const sni_fit_spindle *spindle) {
    box b = {spindle->axis.points[0], spindle->axis.points[0]};
    for (uint32_t i = 0; i < spindle->axis.point_count; ++i) {
        include(&b.low, &b.high, spindle->axis.points[i], most_factor * reach_of(spindle));
    }
    return b;
}

static bool holds(const box *b, sn_vec3 p) {
    return p.x >= b->low.x && p.x <= b->high.x && p.y >= b->low.y && p.y <= b->high.y &&
           p.z >= b->low.z && p.z <= b->high.z;
}

static void find_spans(grid *g, const sni_fit_spindle *spindles, uint32_t count) {
    box boxes[SNI_FIT_STRIPS_MOST];
    SN_ASSERT(count <= SNI_FIT_STRIPS_MOST);
    for (uint32_t k = 0; k < count; ++k) {
        boxes[k] = box_of(&spindles[k]);
    }
    for (size_t i = 0; i < g->count; ++i) {
        uint32_t at[3] = {(uint32_t)(i % g->counts[0]), (uint32_t)(i / g->counts[0] % g->counts[1]),
                          (uint32_t)(i / g->counts[0] / g->counts[1])};
        sn_vec3 point = grid_point(g, at);
        double least = INFINITY;
        for (uint32_t k = 0; k < count; ++k) {
            if (holds(&boxes[k], point)) {
                least = fmin(least, span_of(&spindles[k], point));
            }
        }
        g->spans[i] = (float)least;
    }
}

// The factor on widths with which as many points are inside fibres as the volume has.
static sn_status find_factor(const grid *g, sn_context *context, double volume, double *factor,
                             sn_error *error) {
    sn_status status = SN_OK;
    double *near = NULL;
    size_t count = 0, wanted = (size_t)(volume / (g->step * g->step * g->step));
    SNI_NEW(context, near, g->count);
    for (size_t i = 0; i < g->count; ++i) {
        if (g->spans[i] <= most_factor) {
            near[count++] = g->spans[i];
        }
    }
    qsort(near, count, sizeof *near, sni_compare_doubles);
    *factor = wanted < count ? near[wanted] : most_factor;
    *factor = fmin(fmax(*factor, least_factor), most_factor);
cleanup:
    sni_free(context, near);
    return status;
}

static sni_fit_overlap count_points(const grid *g, double factor) {
    size_t in_mesh = 0, in_fibres = 0, both = 0;
    for (size_t i = 0; i < g->count; ++i) {
        bool mesh = g->votes[i] >= 2, fibre = g->spans[i] <= factor;
        in_mesh += mesh;
        in_fibres += fibre;
        both += mesh && fibre;
    }
    double cell = g->step * g->step * g->step;
    size_t either = in_mesh + in_fibres - both;
    return (sni_fit_overlap){(double)in_mesh * cell, (double)in_fibres * cell,
                             either > 0 ? (double)both / (double)either : 0};
}

sn_status sni_fit_overlap_measure(const sni_fit_surface *surface, sn_context *context,
                                  const sni_fit_spindle *spindles, uint32_t count, double volume,
                                  double slack, double *factor, sni_fit_overlap *overlap,
                                  sn_error *error) {
    sn_status status = SN_OK;
    grid g = {0};
    *factor = 1;
    SN_TRY(make_grid(&g, context, surface, spindles, count, error));
    find_votes(&g, surface);
    find_spans(&g, spindles, count);
    *overlap = count_points(&g, 1);
    if (fabs(overlap->fibres - volume) > slack * volume) {
        SN_TRY(find_factor(&g, context, volume, factor, error));
        *overlap = count_points(&g, *factor);
    }
cleanup:
    sni_free(context, g.votes);
    sni_free(context, g.spans);
    return status;
}
