// SPDX-License-Identifier: Apache-2.0
//
// A frame of the lids of one eye: edges first, then all vertices between them and the skin that
// stays (lids.h has the equations).
#include "skin/lids/folds.h"

#include "base/context.h"

#include <string.h>

enum { NODES = 257, GRAIN = 256, CORRECTIONS = 8, EASINGS = 32, SPREAD = 4 };

// How much less the upper lid slides towards the nose than the lower one.
static const double upper_slide = 0.75;
// How far the inner and the outer corner sink as lids close, radians, in scanned blinks; how far
// that reaches along the lids, beyond the corners, and up and down.
static const double sinks[2] = {0.13, 0.16}, sink_inside = 0.5, sink_beyond[2] = {0.1, 0.5},
                    sink_aside[2] = {0.4, 1.1};
// How far beyond the corners of rest edges are looked for, radians.
static const double beyond = 0.3;
// Corners of eyes are blunt: the opening ends within a fraction of a triangle. What closes may rise
// no faster than this from there, radians for a radian; where the opening does, the skin around it
// closes as well, and is pressed together to this part of its height.
static const double steepest = 2, pressed_to = 0.08;
// Next to the corners edges of the mesh say little: corrections begin there, a part of the way.
static const double corrected = 0.012;
// A correction in one round, radians: what edges of a millimetre or two may be off.
static const double most_corrected = 0.04;

// Edges over the latitude.
typedef struct edge_table {
    double first, step;
    double high[NODES], low[NODES]; // U, L
    bool is_open[NODES];
    double middle[NODES], wide[NODES]; // of U and L; g, 0 beyond the corners
} edge_table;

typedef struct lid_run {
    const sni_lids *lids;
    sn_mat4 to_rest, from_rest; // from the world to where the head was at rest, and back
    double eye[3][3];           // from the lids' axes to those of the turned eye
    sn_mat4 eye_motion;         // of a piece of the mesh that is an eyeball, in the world
    double closed, look, gap;   // c; f; the gap in radians
    edge_table edges;
    double goals[NODES];            // g as it is to be
    double shares[NODES];           // of the closing that the lower lid has
    double seams[NODES];            // where the lids meet, or would
    double bands[NODES];            // what closes: g, or more next to the corners
    sni_eye_place *starts, *places; // of vertices: as they came, and where they are now
    const float *points;
} lid_run;

// ---------------------------------------------------------------------------------------------
// Places

static double corner_share(const sni_lids *l, double a) {
    return fmin(fmax((a - l->inner) / (l->outer - l->inner), 0), 1);
}

static double profile_at(const sni_lids *l, double s) {
    double x = s * (SNI_LID_PROFILE - 1);
    uint32_t i = (uint32_t)fmin(x, SNI_LID_PROFILE - 2);
    return l->profile[i] + (x - i) * (l->profile[i + 1] - l->profile[i]);
}

// Where what slides towards the nose goes farthest: the lower lid at a third of the way from the
// inner corner, the upper one at a quarter. The inner corner goes along by a quarter.
static double slide_at(bool upper, double s) {
    double rest = 1 - s, at_corner = 0.28 * pow(rest, 12);
    return at_corner +
           (upper ? upper_slide * s * rest * rest * rest * 256 / 27 : s * rest * rest * 27 / 4);
}

static sni_eye_place place_of(const lid_run *run, sn_vec3 world) {
    return sni_eye_place_of(sni_eye_local(&run->lids->frame, sn_mat4_point(&run->to_rest, world)));
}

// Follows the eye, closed lids no longer, and slides towards the nose.
static sni_eye_place drawn(const lid_run *run, sni_eye_place p, bool upper, double turn,
                           double slide) {
    const sni_lid_shape *shape = &run->lids->shape;
    double s = corner_share(run->lids, p.a);
    double follow = upper ? shape->follow_upper : shape->follow_lower;
    p.t += turn * follow * (1 - run->closed) * run->look * profile_at(run->lids, s);
    p.a -= slide * run->closed * shape->slide * slide_at(upper, s);
    return p;
}

// ---------------------------------------------------------------------------------------------
// Edges

static sni_eye_place edge_place(const lid_run *run, const sni_lid_edge *edge) {
    sn_vec3 p = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        p = sn_vec3_add_scaled(p, edge->weights[k], sni_eye_point(run->places[edge->corners[k]]));
    }
    return sni_eye_place_of(p);
}

// Of several pieces of an edge at one latitude the one that is nearest to the other lid counts.
static void add_piece(edge_table *e, const sni_eye_place *from, const sni_eye_place *to,
                      bool upper) {
    double low = fmin(from->a, to->a), high = fmax(from->a, to->a);
    double *values = upper ? e->high : e->low;
    for (double x = ceil((low - e->first) / e->step); x <= (high - e->first) / e->step; x += 1) {
        if (x < 0 || x >= NODES) {
            continue;
        }
        uint32_t i = (uint32_t)x;
        double u = high > low ? (e->first + i * e->step - from->a) / (to->a - from->a) : 0.5;
        double t = from->t + u * (to->t - from->t);
        values[i] = upper ? fmin(values[i], t) : fmax(values[i], t);
    }
}

// Means over nine nodes, two degrees: where the opening ends, its middle is a matter of chance.
static void even_out(double values[NODES]) {
    enum { REACH = 4 };
    double means[NODES];
    for (int i = 0; i < NODES; ++i) {
        int from = i > REACH ? i - REACH : 0, to = i + REACH < NODES ? i + REACH : NODES - 1;
        double sum = 0;
        for (int k = from; k <= to; ++k) {
            sum += values[k];
        }
        means[i] = sum / (to - from + 1);
    }
    memcpy(values, means, sizeof means);
}

static void fill_edges(lid_run *run) {
    const sni_lids *l = run->lids;
    edge_table *e = &run->edges;
    uint32_t last = l->column_count - 1;
    e->first = l->inner - beyond;
    e->step = (l->outer - l->inner + 2 * beyond) / (NODES - 1);
    for (uint32_t i = 0; i < NODES; ++i) {
        e->high[i] = INFINITY;
        e->low[i] = -INFINITY;
    }
    for (int upper = 0; upper < 2; ++upper) {
        const sni_lid_edge *edge = upper ? l->upper_edge : l->lower_edge;
        sni_eye_place before = edge_place(run, &edge[0]);
        for (uint32_t i = 1; i <= last; ++i) {
            sni_eye_place now = edge_place(run, &edge[i]);
            add_piece(e, &before, &now, upper);
            before = now;
        }
    }
    uint32_t first = NODES, end = 0;
    for (uint32_t i = 0; i < NODES; ++i) {
        e->is_open[i] = isfinite(e->high[i]) && isfinite(e->low[i]);
        e->wide[i] = e->is_open[i] ? fmax(e->high[i] - e->low[i], 0) : 0;
        e->middle[i] = e->is_open[i] ? 0.5 * (e->high[i] + e->low[i]) : 0;
        first = e->is_open[i] && first == NODES ? i : first;
        end = e->is_open[i] ? i : end;
    }
    for (uint32_t i = 0; i < NODES && first < NODES; ++i) {
        e->middle[i] = i < first ? e->middle[first] : i > end ? e->middle[end] : e->middle[i];
    }
    even_out(e->middle);
}

static double value_at(const edge_table *e, const double *values, double a) {
    double x = fmin(fmax((a - e->first) / e->step, 0), NODES - 1);
    uint32_t i = (uint32_t)fmin(x, NODES - 2);
    return values[i] + (x - i) * (values[i + 1] - values[i]);
}

// U and L at a latitude; false beyond the corners and next to them.
static bool edges_at(const edge_table *e, double a, double *high, double *low) {
    double x = (a - e->first) / e->step;
    if (!(x >= 0 && x < NODES - 1) || !e->is_open[(uint32_t)x] || !e->is_open[(uint32_t)x + 1]) {
        return false;
    }
    *high = value_at(e, e->high, a);
    *low = value_at(e, e->low, a);
    return true;
}

// ---------------------------------------------------------------------------------------------
// Closing

// How much of the way to each other the lower lid goes: none where it lies below an arch
//
//     t(s) = M(s) + (L(1/2) - M(1/2)) (1 - |2 s - 1|^3)
//
// between the corners, M the straight line from one to the other, and up to the arch where it does
// not. Lids are steep at blunt corners, where one that came down alone would cut across the other.
static void set_shares(lid_run *run) {
    const edge_table *e = &run->edges;
    const sni_lids *l = run->lids;
    const double corner = 0.2;
    double inner = value_at(e, e->middle, l->inner), outer = value_at(e, e->middle, l->outer);
    double middle = 0.5 * (l->inner + l->outer);
    double depth =
        value_at(e, e->middle, middle) - 0.5 * value_at(e, e->wide, middle) - 0.5 * (inner + outer);
    for (uint32_t i = 0; i < NODES; ++i) {
        double s = corner_share(l, e->first + i * e->step), x = fabs(2 * s - 1);
        double arch = inner + s * (outer - inner) + depth * (1 - x * x * x);
        double low = e->middle[i] - 0.5 * e->wide[i];
        double near = fmin(fmin(s, 1 - s) / corner, 1), least = 0.5 - near * near * (1.5 - near);
        double share = e->wide[i] > 0 ? (arch - low) / e->wide[i] : 0.5;
        run->shares[i] = fmin(fmax(share, least), 0.5);
    }
}

// What lies open between the lids is to be (1 - c) of what it was, and the gap remains.
static void set_goals(lid_run *run) {
    const edge_table *e = &run->edges;
    const double fall = steepest * e->step;
    for (uint32_t i = 0; i < NODES; ++i) {
        double wide = e->wide[i];
        run->goals[i] = fmin(wide, run->gap) + (1 - run->closed) * fmax(wide - run->gap, 0);
        run->seams[i] = e->middle[i] + (run->shares[i] - 0.5) * (wide - run->goals[i]);
        run->bands[i] = i > 0 ? fmax(wide, run->bands[i - 1] - fall) : wide;
    }
    for (uint32_t i = NODES - 1; i-- > 0;) {
        run->bands[i] = fmax(run->bands[i], run->bands[i + 1] - fall);
    }
}

// Closes what is open, and presses the skin in the band around it together.
static void close_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const lid_run *run = user;
    const edge_table *e = &run->edges;
    for (uint32_t i = begin; i < end; ++i) {
        const sni_lid_vertex *v = &run->lids->vertices[i];
        sni_eye_place *p = &run->places[i];
        double band = value_at(e, run->bands, p->a);
        if (!(v->turn > 0 && band > 0)) {
            continue;
        }
        double wide = value_at(e, e->wide, p->a), share = value_at(e, run->shares, p->a);
        double off = p->t - value_at(e, e->middle, p->a), side = off < 0 ? -1 : 1;
        double skin = fmin(fmax(fabs(off) - 0.5 * wide, 0), 0.5 * (band - wide));
        double by = (off < 0 ? share : 1 - share) * (wide - value_at(e, run->goals, p->a));
        by *= fmin(fabs(off) / fmax(0.5 * wide, 1e-9), 1); // next to a corner some skin is within
        p->t -= side * (double)v->turn * (by + run->closed * (1 - pressed_to) * skin);
    }
}

// Turns lids by what lies between them beyond the goal: edges of a mesh are straight and do not
// turn as their ends do. Neither lid goes beyond its side of the seam.
static void correct_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const lid_run *run = user;
    for (uint32_t i = begin; i < end; ++i) {
        const sni_lid_vertex *v = &run->lids->vertices[i];
        sni_eye_place *p = &run->places[i];
        double high, low;
        if (v->turn > 0 && edges_at(&run->edges, p->a, &high, &low)) {
            double share = value_at(&run->edges, run->shares, p->a);
            double s = corner_share(run->lids, p->a);
            double inner = fmin(fmin(s, 1 - s) / corrected, 1);
            double left = high - low - value_at(&run->edges, run->goals, p->a);
            left = fmin(fmax(left, -most_corrected), most_corrected);
            double by = inner * (double)v->turn * left;
            p->t += v->upper ? -(1 - share) * by : share * by;
            double seam = value_at(&run->edges, run->seams, p->a);
            double half = 0.5 * value_at(&run->edges, run->goals, p->a);
            p->t = !v->near ? p->t : v->upper ? fmax(p->t, seam + half) : fmin(p->t, seam - half);
        }
    }
}

// Nothing of one lid lies beyond the other; where edges cross they meet in the middle.
static double pressed(const lid_run *run, const sni_lid_vertex *v, const sni_eye_place *p) {
    double high, low;
    if (!v->near || !edges_at(&run->edges, p->a, &high, &low)) {
        return p->t;
    }
    // Pointed corners are narrower than the gap at rest.
    double gap = fmin(run->gap, value_at(&run->edges, run->goals, p->a));
    if (high - low < gap) {
        double middle = 0.5 * (high + low);
        high = middle + 0.5 * gap;
        low = middle - 0.5 * gap;
    }
    return v->upper ? fmax(p->t, low + gap) : fmin(p->t, high - gap);
}

// ---------------------------------------------------------------------------------------------
// Vertices

static void start_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const lid_run *run = user;
    for (uint32_t i = begin; i < end; ++i) {
        size_t vertex = run->lids->vertices[i].vertex;
        run->starts[i] = place_of(run, sn_vec3_load(run->points + 3 * vertex));
    }
}

// Goes along with what is around it: muscles may bend the plate of a lid, but do not turn over the
// triangles of its margin, which are far smaller than what they take hold of.
static sni_eye_place evened_out(const lid_run *run, uint32_t vertex) {
    const sni_lids *l = run->lids;
    const sni_lid_vertex *v = &l->vertices[vertex];
    sni_eye_place p = run->starts[vertex];
    double a = 0, t = 0;
    for (uint32_t i = l->share_begins[vertex]; i < l->share_begins[vertex + 1]; ++i) {
        const sni_lid_share *share = &l->shares[i];
        a += (double)share->weight *
             (run->starts[share->vertex].a - (double)l->vertices[share->vertex].a);
        t += (double)share->weight *
             (run->starts[share->vertex].t - (double)l->vertices[share->vertex].t);
    }
    p.a += (double)v->even * ((double)v->a + a - p.a);
    p.t += (double)v->even * ((double)v->t + t - p.t);
    return p;
}

static void draw_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const lid_run *run = user;
    for (uint32_t i = begin; i < end; ++i) {
        const sni_lid_vertex *v = &run->lids->vertices[i];
        sni_eye_place p = v->even > 0 ? evened_out(run, i) : run->starts[i];
        p.a += (double)v->tied * ((double)v->a - p.a);
        p.t += (double)v->tied * ((double)v->t - p.t);
        run->places[i] =
            v->turn > 0 ? drawn(run, p, v->upper, (double)v->turn, (double)v->slide) : p;
    }
}

static double height_now(const lid_run *run, const sni_eye_place *p) {
    sn_vec3 d = sni_eye_direction(p->a, p->t), turned;
    turned.x = run->eye[0][0] * d.x + run->eye[0][1] * d.y + run->eye[0][2] * d.z;
    turned.y = run->eye[1][0] * d.x + run->eye[1][1] * d.y + run->eye[1][2] * d.z;
    turned.z = run->eye[2][0] * d.x + run->eye[2][1] * d.y + run->eye[2][2] * d.z;
    return sni_eye_height(run->lids->heights, turned);
}

// What lies nearer to the eyeball than half again the gap stays outside of it and in its order: a
// height y above it becomes gap + w w / (w + 3 gap / 2 - y), with w half the gap.
static double kept_off(const lid_run *run, double height) {
    double gap = run->lids->shape.gap, w = 0.5 * gap;
    return height < gap + w ? gap + w * w / fmax(w + gap + w - height, 1e-12) : height;
}

// Where it is when it keeps its distance from the eyeball.
static double held_radius(const lid_run *run, const sni_lid_vertex *v, const sni_eye_place *from,
                          const sni_eye_place *to) {
    double before = sni_eye_height(run->lids->heights, sni_eye_direction(from->a, from->t));
    double now = height_now(run, to);
    double along = from->r + (double)v->turn * (now - before);
    double held = now + (double)v->clearance;
    double r = along + (double)v->hold * (held - along);
    return now + kept_off(run, r - now);
}

static bool is_same(const sni_eye_place *p, const sni_eye_place *q) {
    return p->a == q->a && p->t == q->t && p->r == q->r;
}

static void store_point(const lid_run *run, sni_eye_place p, float *point) {
    sn_vec3 rest = sni_eye_world(&run->lids->frame, sni_eye_point(p));
    sn_vec3_store(sn_mat4_point(&run->from_rest, rest), point);
}

static double smooth(double low, double high, double x) {
    double t = fmin(fmax((x - low) / (high - low), 0), 1);
    return t * t * (3 - 2 * t);
}

// How far the skin at a corner sinks, as both lids do there: the same for what has met.
static double sunk(const lid_run *run, const sni_eye_place *p) {
    const sni_lids *l = run->lids;
    double off = fabs(p->t - value_at(&run->edges, run->edges.middle, p->a)), sum = 0;
    for (int corner = 0; corner < 2; ++corner) {
        double beyond_it = corner == 0 ? l->inner - p->a : p->a - l->outer;
        sum += sinks[corner] * smooth(-sink_inside, 0, beyond_it) *
               (1 - smooth(sink_beyond[0], sink_beyond[1], beyond_it));
    }
    return run->closed * sum * (1 - smooth(sink_aside[0], sink_aside[1], off));
}

static void place_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const lid_run *run = user;
    for (uint32_t i = begin; i < end; ++i) {
        const sni_lid_vertex *v = &run->lids->vertices[i];
        sni_eye_place *p = &run->places[i];
        p->t = pressed(run, v, p);
        p->t -= (double)v->lid * sunk(run, p);
        p->r = held_radius(run, v, &run->starts[i], p);
    }
}

// What lids would do to skin at rest is taken back, in full while they are open: there a mesh may
// be nearer to its eyeball than the gap, or cross itself. In the rest pose every place is what it
// was.
static void give_back(lid_run *run) {
    const sni_lids *l = run->lids;
    for (uint32_t i = 0; i < l->vertex_count; ++i) {
        const sni_eye_place *rest = &l->rests[i], *settled = &l->settled[i];
        sni_eye_place *p = &run->places[i];
        if (is_same(rest, settled)) {
            continue;
        }
        if (is_same(p, settled) && is_same(&run->starts[i], rest)) {
            *p = *rest;
            continue;
        }
        p->a -= (1 - run->closed) * (settled->a - rest->a);
        p->t -= (1 - run->closed) * (settled->t - rest->t);
        p->r -= (1 - run->closed) * (settled->r - rest->r);
    }
}

static void store_vertices(const lid_run *run, float *points) {
    for (uint32_t i = 0; i < run->lids->vertex_count; ++i) {
        if (!is_same(&run->places[i], &run->starts[i])) {
            store_point(run, run->places[i], points + 3 * (size_t)run->lids->vertices[i].vertex);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Folds

// Half the way to where a vertex would be if it had gone as far from its place at rest as those
// next to it have.
static sni_eye_place eased(const lid_run *run, uint32_t vertex) {
    const sni_lids *l = run->lids;
    const sni_lid_vertex *v = &l->vertices[vertex];
    sni_eye_place sum = {0, 0, 0}, p = run->places[vertex];
    uint32_t begin = l->ring_begins[vertex], end = l->ring_begins[vertex + 1];
    for (uint32_t i = begin; i < end; ++i) {
        const sni_lid_vertex *other = &l->vertices[l->rings[i]];
        const sni_eye_place *q = &run->places[l->rings[i]];
        sum.a += q->a - (double)other->a;
        sum.t += q->t - (double)other->t;
        sum.r += q->r - (double)other->r;
    }
    double by = 0.5 * (double)v->ease, share = 1.0 / (end - begin);
    p.a += by * ((double)v->a + share * sum.a - p.a);
    p.t += by * ((double)v->t + share * sum.t - p.t);
    p.r += by * ((double)v->r + share * sum.r - p.r);
    p.r = fmax(p.r, height_now(run, &p) + run->lids->shape.gap);
    return p;
}

// Marks what is next to what is marked.
static void spread(const sni_lids *l, uint8_t *marks, uint8_t *before) {
    memcpy(before, marks, l->vertex_count);
    for (uint32_t i = 0; i < l->vertex_count; ++i) {
        for (uint32_t k = l->ring_begins[i]; before[i] && k < l->ring_begins[i + 1]; ++k) {
            marks[l->rings[k]] = 1;
        }
    }
}

static bool is_eased(const sni_lids *l, const uint8_t *marks, uint32_t vertex) {
    return marks[vertex] && l->vertices[vertex].ease > 0 &&
           l->ring_begins[vertex + 1] > l->ring_begins[vertex];
}

// Lids that close press the blunt corners together to a few hundredths of their height, where
// triangles that are as large as the corner fold. Those that go through each other are eased until
// none does: the more evenly they have gone, the more they are as at rest, where none did. Every
// few rounds what is around them is eased as well. Where some remain the round with fewest counts.
static bool ease_folds(lid_run *run, sni_arena *arena) {
    const sni_lids *l = run->lids;
    sni_lid_fold_search search;
    sn_vec3 *points = sni_arena_alloc(arena, l->vertex_count, sizeof *points);
    sni_eye_place *next = sni_arena_alloc(arena, l->vertex_count, sizeof *next);
    sni_eye_place *best = sni_arena_alloc(arena, l->vertex_count, sizeof *best);
    uint8_t *marks = sni_arena_alloc(arena, l->vertex_count, sizeof *marks);
    uint8_t *before = sni_arena_alloc(arena, l->vertex_count, sizeof *before);
    if (points == NULL || next == NULL || best == NULL || marks == NULL || before == NULL ||
        !sni_lid_fold_search_make(l, arena, points, &search)) {
        return false;
    }
    memset(marks, 0, l->vertex_count);
    for (uint32_t i = 0; i < l->vertex_count; ++i) {
        points[i] = sni_eye_point(run->places[i]);
    }
    memcpy(best, run->places, l->vertex_count * sizeof *best);
    uint32_t fewest = sni_lid_folds_mark(l, &search, marks);
    for (int round = 1; round <= EASINGS && fewest > 0; ++round) {
        if (round % SPREAD == 0) {
            spread(l, marks, before);
        }
        for (uint32_t i = 0; i < l->vertex_count; ++i) {
            next[i] = is_eased(l, marks, i) ? eased(run, i) : run->places[i];
        }
        for (uint32_t i = 0; i < l->vertex_count; ++i) {
            run->places[i] = next[i];
            points[i] = is_eased(l, marks, i) ? sni_eye_point(next[i]) : points[i];
        }
        uint32_t count = sni_lid_folds_mark(l, &search, marks);
        if (count < fewest) {
            fewest = count;
            memcpy(best, run->places, l->vertex_count * sizeof *best);
        }
    }
    memcpy(run->places, best, l->vertex_count * sizeof *best);
    return true;
}

// ---------------------------------------------------------------------------------------------
// Other pieces of the mesh

static void move_loose(const lid_run *run, float *points) {
    const sni_lids *l = run->lids;
    for (uint32_t i = 0; i < l->loose_count; ++i) {
        float *point = points + 3 * (size_t)l->loose[i].vertex;
        uint32_t leader = l->loose[i].leader;
        if (leader == SN_NONE) {
            sn_vec3_store(sn_mat4_point(&run->eye_motion, sn_vec3_load(point)), point);
            continue;
        }
        const sni_eye_place *from = &run->starts[leader], *to = &run->places[leader];
        if (!is_same(from, to)) {
            sni_eye_place p = place_of(run, sn_vec3_load(point));
            p = (sni_eye_place){p.a + to->a - from->a, p.t + to->t - from->t,
                                p.r + to->r - from->r};
            store_point(run, p, point);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// A frame

// How the eye has turned in the head, along the axes of the lids, and how far it looks up.
static void turn_eye(lid_run *run, const sn_mat4 *worlds) {
    const sni_lids *l = run->lids;
    sn_mat4 motion = sn_mat4_multiply(&worlds[l->segment], &l->eye_from_rest);
    sn_mat4 turn = sn_mat4_multiply(&run->to_rest, &motion);
    const sn_vec3 axes[3] = {l->frame.out, l->frame.up, l->frame.front};
    for (int row = 0; row < 3; ++row) {
        sn_vec3 moved = sn_mat4_direction(&turn, axes[row]);
        moved = sn_vec3_normalize_or(moved, axes[row]);
        for (int k = 0; k < 3; ++k) {
            run->eye[row][k] = sn_vec3_dot(moved, axes[k]);
        }
    }
    const double *sight = run->eye[2];
    run->look = atan2(sight[1], sqrt(sight[0] * sight[0] + sight[2] * sight[2]));
    // A piece of the mesh that is an eyeball went with the head.
    run->eye_motion = sn_mat4_multiply(&motion, &run->to_rest);
}

// Finds the places of all vertices. `*moves` is false where a parent without size has no lids.
static bool solve(lid_run *run, sni_arena *arena, const sn_mat4 *worlds, bool *moves) {
    const sni_lids *l = run->lids;
    run->gap = l->shape.gap / l->heights->radius;
    run->starts = sni_arena_alloc(arena, l->vertex_count, sizeof *run->starts);
    run->places = sni_arena_alloc(arena, l->vertex_count, sizeof *run->places);
    run->from_rest = sn_mat4_multiply(&worlds[l->parent], &l->from_rest);
    *moves = false;
    if (run->starts == NULL || run->places == NULL) {
        return false;
    }
    if (!sn_mat4_invert(&run->from_rest, &run->to_rest)) {
        return true;
    }
    *moves = true;
    turn_eye(run, worlds);
    sn_parallel_for(l->context, l->vertex_count, GRAIN, start_block, run);
    sn_parallel_for(l->context, l->vertex_count, GRAIN, draw_block, run);
    fill_edges(run);
    set_shares(run);
    set_goals(run);
    if (run->closed > 0) {
        sn_parallel_for(l->context, l->vertex_count, GRAIN, close_block, run);
        fill_edges(run);
    }
    for (int round = 0; round < CORRECTIONS && run->closed > 0; ++round) {
        sn_parallel_for(l->context, l->vertex_count, GRAIN, correct_block, run);
        fill_edges(run);
    }
    sn_parallel_for(l->context, l->vertex_count, GRAIN, place_block, run);
    return ease_folds(run, arena);
}

bool sni_lids_settle(sni_lids *l, const sn_mat4 *rest_worlds, const float *positions) {
    lid_run run = {.lids = l, .points = positions};
    bool moves = false;
    sni_arena arena;
    sni_arena_init(&arena, l->context);
    bool made = solve(&run, &arena, rest_worlds, &moves);
    if (made && moves) {
        memcpy(l->rests, run.starts, l->vertex_count * sizeof *l->rests);
        memcpy(l->settled, run.places, l->vertex_count * sizeof *l->settled);
    } else {
        memset(l->rests, 0, l->vertex_count * sizeof *l->rests);
        memset(l->settled, 0, l->vertex_count * sizeof *l->settled);
    }
    sni_arena_deinit(&arena);
    return made;
}

bool sni_lids_move(const sni_lids *l, sni_arena *arena, const sn_mat4 *worlds, double closed,
                   float *points) {
    lid_run run = {.lids = l, .closed = fmin(fmax(closed, 0), 1), .points = points};
    bool moves = false;
    if (l->column_count == 0) {
        return true;
    }
    if (!solve(&run, arena, worlds, &moves)) {
        return false;
    }
    if (moves) {
        give_back(&run);
        store_vertices(&run, points);
        move_loose(&run, points);
    }
    return true;
}
