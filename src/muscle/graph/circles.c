// SPDX-License-Identifier: Apache-2.0
//
// Circles along the path of a muscle whose surface is made. Between those that are given more are
// put in, so that triangles are about as long as they are wide: subdivision overshoots where long
// triangles meet short ones. Their radii go smoothly from circle to circle (Catmull-Rom).
#include "muscle/graph/tube.h"

#include <math.h>

// Circles are at most this many sides of their polygon apart, and at most so many are put into a
// gap.
static const double most_apart = 1.6;
enum { MOST_BETWEEN = 64 };

// Nearer to a point where branches meet than this, in its radii, nothing is put in: the crotch is
// there.
static const double fork_room = 1.3;

const sni_graph_circle *sni_graph_circle_at(const sni_graph_input *input, uint32_t point) {
    const sni_graph_circle *found = NULL;
    for (uint32_t i = 0; i < input->circle_count && found == NULL; ++i) {
        const sni_graph_circle *circle = &input->circles[i];
        found = circle->point == point && circle->along == 0 ? circle : NULL;
    }
    return found;
}

// The next circle on the way from a point to its parent, behind `along`; the parent's own in the
// end.
static const sni_graph_circle *circle_behind(const sni_graph_making *m,
                                             const sni_graph_circle *from) {
    const sni_graph_input *input = m->input;
    const sni_graph_circle *found = NULL;
    for (uint32_t i = 0; i < input->circle_count; ++i) {
        const sni_graph_circle *circle = &input->circles[i];
        if (circle->point == from->point && circle->along > from->along &&
            (found == NULL || circle->along < found->along)) {
            found = circle;
        }
    }
    uint32_t parent = m->graph->tree.parents[from->point];
    return found != NULL ? found : parent != SN_NONE ? sni_graph_circle_at(input, parent) : NULL;
}

// The circle before one: on the same way, or the last on the way of the only child; NULL for none.
static const sni_graph_circle *circle_before(const sni_graph_making *m,
                                             const sni_graph_circle *from) {
    const sni_graph_tree *tree = &m->graph->tree;
    const sni_graph_circle *found = NULL;
    bool child = from->along == 0;
    if (child && sni_graph_child_count(tree, from->point) != 1) {
        return NULL;
    }
    uint32_t point = child ? tree->children[tree->child_starts[from->point]] : from->point;
    for (uint32_t i = 0; i < m->input->circle_count; ++i) {
        const sni_graph_circle *circle = &m->input->circles[i];
        if (circle->point == point && (child || circle->along < from->along) &&
            (found == NULL || circle->along > found->along)) {
            found = circle;
        }
    }
    return found;
}

static sni_graph_frame frame_between(const sni_graph_frame *a, const sni_graph_frame *b,
                                     sn_vec3 origin, double part) {
    sn_vec3 x = sn_vec3_normalize_or(sn_vec3_lerp(a->x, b->x, part), a->x);
    sn_vec3 y = sni_across(sn_vec3_lerp(a->y, b->y, part), x);
    y = sn_vec3_normalize_or(y, sn_vec3_perpendicular(x));
    return (sni_graph_frame){origin, x, y, sn_vec3_cross(x, y)};
}

sni_graph_frame sni_graph_frame_between(const sni_graph_making *m, uint32_t point, double along) {
    const sni_graph_tree *tree = &m->graph->tree;
    uint32_t parent = tree->parents[point];
    if (along == 0) {
        return m->frames[point];
    }
    const sni_graph_frame *a = &m->frames[point], *b = &m->frames[parent];
    uint32_t before = sni_graph_child_count(tree, point) == 1
                          ? tree->children[tree->child_starts[point]]
                          : SN_NONE;
    uint32_t behind = tree->parents[parent];
    sn_vec3 first = before != SN_NONE ? m->frames[before].origin
                                      : sn_vec3_sub(sn_vec3_scale(a->origin, 2), b->origin);
    sn_vec3 last = behind != SN_NONE ? m->frames[behind].origin
                                     : sn_vec3_sub(sn_vec3_scale(b->origin, 2), a->origin);
    sni_graph_curve curve = sni_graph_curve_through(first, a->origin, b->origin, last);
    return frame_between(a, b, sni_graph_curve_point(&curve, along), along);
}

// Two circles one behind the other on the way of `point`, and those on both sides of them.
typedef struct gap {
    uint32_t point;
    const sni_graph_circle *circles[4]; // the first and the last may be NULL
    double ends[2];                     // along the way
    sn_vec3 centers[4];
    double radii[4][2];
} gap;

static bool is_fork(const sni_graph_making *m, uint32_t point) {
    return sni_graph_child_count(&m->graph->tree, point) > 1;
}

// A branch has its part of the section of the point where it meets others.
static double share_of(const sni_graph_making *m, const sni_graph_circle *circle, uint32_t point) {
    uint32_t count = sni_graph_child_count(&m->graph->tree, circle->point);
    return circle->point != point && count > 1 ? 1 / sqrt(count) : 1;
}

static void find_gap(const sni_graph_making *m, uint32_t point, const sni_graph_circle *from,
                     gap *found) {
    const sni_graph_circle *to = circle_behind(m, from);
    *found = (gap){.point = point,
                   .circles = {circle_before(m, from), from, to, circle_behind(m, to)},
                   .ends = {from->along, to->point == point ? to->along : 1}};
    for (int i = 0; i < 4; ++i) {
        const sni_graph_circle *circle = found->circles[i];
        if (circle == NULL) {
            continue;
        }
        found->centers[i] = sni_graph_frame_between(m, circle->point, circle->along).origin;
        for (int k = 0; k < 2; ++k) {
            found->radii[i][k] = share_of(m, circle, point) * circle->radii[k];
        }
    }
}

// The derivative of a radius at circle 1 or 2, over the whole gap.
static double slope_at(const gap *g, int circle, int radius) {
    const sni_graph_circle *before = g->circles[circle - 1], *behind = g->circles[circle + 1];
    int first = before != NULL ? circle - 1 : circle, last = behind != NULL ? circle + 1 : circle;
    double rise = g->radii[last][radius] - g->radii[first][radius];
    double way = (first < circle ? sn_vec3_distance(g->centers[first], g->centers[circle]) : 0) +
                 (last > circle ? sn_vec3_distance(g->centers[circle], g->centers[last]) : 0);
    return rise / way * sn_vec3_distance(g->centers[1], g->centers[2]);
}

static double radius_at(const gap *g, double u, int radius) {
    double v = 1 - u, a = g->radii[1][radius], b = g->radii[2][radius];
    double found = (1 + 2 * u) * v * v * a + u * u * (3 - 2 * u) * b +
                   u * v * v * slope_at(g, 1, radius) - u * u * v * slope_at(g, 2, radius);
    return fmax(found, 0.5 * fmin(a, b));
}

static double side_of(const double radii[2], uint32_t sides) {
    return 2 * SN_PI * fmin(radii[0], radii[1]) / sides;
}

// How far into the gap circle k of n is: steps grow with the sides of the circles.
static double step_of(double a, double b, uint32_t k, uint32_t n) {
    double part = (double)k / n;
    return fabs(b / a - 1) < 1e-3 ? part : (a * pow(b / a, part) - a) / (b - a);
}

// Whether a place is too near to where branches meet.
static bool is_in_fork(const sni_graph_making *m, const gap *g, sn_vec3 place) {
    uint32_t parent = m->graph->tree.parents[g->point];
    const sni_graph_circle *circle = sni_graph_circle_at(m->input, parent);
    return is_fork(m, parent) && sn_vec3_distance(place, m->frames[parent].origin) <
                                     fork_room * fmax(circle->radii[0], circle->radii[1]);
}

static void fill_gap(const sni_graph_making *m, const gap *g, uint32_t sides, uint32_t *count,
                     sni_graph_station *stations) {
    double a = side_of(g->radii[1], sides), b = side_of(g->radii[2], sides);
    double way = sn_vec3_distance(g->centers[1], g->centers[2]);
    // Along a line whose sides go from a to b there is room for so many steps.
    double steps = fabs(b / a - 1) < 1e-3 ? way / a : way * log(b / a) / (b - a);
    uint32_t n = (uint32_t)fmin(fmax(ceil(steps / most_apart), 1), MOST_BETWEEN);
    for (uint32_t k = 1; k <= n; ++k) {
        double u = step_of(a, b, k, n);
        double along = g->ends[0] + u * (g->ends[1] - g->ends[0]);
        bool end = k == n;
        if (end && g->ends[1] == 1) {
            break; // the parent's own
        }
        sni_graph_station *next = &stations[*count];
        next->frame = sni_graph_frame_between(m, g->point, along);
        next->radii[0] = end ? g->circles[2]->radii[0] : radius_at(g, u, 0);
        next->radii[1] = end ? g->circles[2]->radii[1] : radius_at(g, u, 1);
        *count += end || !is_in_fork(m, g, next->frame.origin);
    }
}

bool sni_graph_find_stations(const sni_graph_making *m, uint32_t point, uint32_t sides,
                             uint32_t *count, sni_graph_station **stations) {
    const sni_graph_circle *from = sni_graph_circle_at(m->input, point);
    uint32_t gaps = 1;
    for (uint32_t i = 0; i < m->input->circle_count; ++i) {
        gaps += m->input->circles[i].point == point;
    }
    *count = 0;
    *stations = sni_arena_alloc(m->arena, (size_t)gaps * MOST_BETWEEN, sizeof **stations);
    while (*stations != NULL && from->point == point) {
        gap g;
        find_gap(m, point, from, &g);
        fill_gap(m, &g, sides, count, *stations);
        from = g.circles[2];
    }
    return *stations != NULL;
}
