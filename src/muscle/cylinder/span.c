// SPDX-License-Identifier: Apache-2.0
//
// The pieces of a cylinder muscle's axis from one node that it goes through to the next: straight,
// or around bodies (wrap_object.h). Slices stand on them by the way along the piece, s from 0 to
// its length.
//
// Where nothing is touched slices are equidistant. Where a body is, the slices that it names stand
// on the arc, from where the way enters to where it leaves, and the others between. In between the
// slices' s is blended by how far the arc turns, so that nothing jumps where a body is first
// touched, with an arc of no length.
#include "muscle/cylinder/cylinder.h"

#include "base/hermite.h"

#include <math.h>

// An arc that turns by this angle has its slices wholly, in radians.
static const double whole_angle = 0.4;

// Steps in which x is carried along from slice to slice.
enum { CARRY_STEPS = 4 };

// --- The way along a piece

typedef struct piece {
    const sni_cylinder *cylinder;
    sni_cylinder_path *path;
    uint32_t from, to;   // nodes
    uint32_t first, end; // arcs, in the order of the path
    double length;
} piece;

static const sni_wrap_arc *arc_at(const piece *p, uint32_t place) {
    return &p->path->arcs[p->path->order[place]];
}

static double piece_length(const piece *p) {
    sn_vec3 at = p->path->nodes[p->from].origin;
    double length = 0;
    for (uint32_t i = p->first; i < p->end; ++i) {
        const sni_wrap_arc *arc = arc_at(p, i);
        if (arc->touches) {
            length += sn_vec3_distance(at, arc->enter) + arc->length;
            at = arc->leave;
        }
    }
    return length + sn_vec3_distance(at, p->path->nodes[p->to].origin);
}

// A point of the way and its direction there.
static void way_at(const piece *p, double s, sn_vec3 *point, sn_vec3 *direction) {
    sn_vec3 at = p->path->nodes[p->from].origin, goal = p->path->nodes[p->to].origin;
    sn_vec3 before = p->path->nodes[p->from].z;
    for (uint32_t i = p->first; i < p->end; ++i) {
        const sni_wrap_arc *arc = arc_at(p, i);
        if (!arc->touches) {
            continue;
        }
        double straight = sn_vec3_distance(at, arc->enter);
        if (s < straight) {
            *direction = sn_vec3_normalize_or(sn_vec3_sub(arc->enter, at), before);
            *point = sn_vec3_lerp(at, arc->enter, s / straight);
            return;
        }
        s -= straight;
        if (s <= arc->length) {
            *direction = sni_wrap_direction(arc, s / arc->length);
            *point = sni_wrap_point(arc, s / arc->length);
            return;
        }
        s -= arc->length;
        at = arc->leave;
        before = sni_wrap_direction(arc, 1);
    }
    double straight = sn_vec3_distance(at, goal);
    *direction = sn_vec3_normalize_or(sn_vec3_sub(goal, at), before);
    *point = straight > 0 ? sn_vec3_lerp(at, goal, fmin(s / straight, 1)) : goal;
}

// x, across the direction `from`, carried by the smallest turn to be across `to`.
static sn_vec3 carry(sn_vec3 x, sn_vec3 from, sn_vec3 to) {
    double cosine = sn_vec3_dot(from, to);
    sn_vec3 carried = x;
    if (cosine > -1 + 1e-9) { // else any turn is as small
        carried = sn_vec3_add_scaled(x, -sn_vec3_dot(x, to) / (1 + cosine), sn_vec3_add(from, to));
    }
    return sn_vec3_normalize_or(sni_across(carried, to), sn_vec3_perpendicular(to));
}

// Carries a frame along the way from s to `goal`.
static void carry_along(const piece *p, double s, double goal, sni_slice_frame *frame) {
    for (int step = 1; step <= CARRY_STEPS; ++step) {
        sn_vec3 z;
        way_at(p, s + (goal - s) * step / CARRY_STEPS, &frame->origin, &z);
        frame->x = carry(frame->x, frame->z, z);
        frame->z = z;
    }
}

// --- Where slices stand

// Slices from the one of `from` to another; their s goes evenly.
typedef struct knot {
    uint32_t slice;
    double s;
} knot;

static void stand_between(const piece *p, knot from, knot to) {
    for (uint32_t slice = from.slice + 1; slice <= to.slice; ++slice) {
        double share = (double)(slice - from.slice) / (to.slice - from.slice);
        p->path->stands[slice] = from.s + share * (to.s - from.s);
    }
}

// The knot of a slice that belongs at `on_arc`, by `effect`; otherwise even on the way to the end.
static knot next_knot(const piece *p, knot from, uint32_t slice, double on_arc, double effect) {
    uint32_t last = p->cylinder->nodes[p->to].slice;
    double share = (double)(slice - from.slice) / (last - from.slice);
    double even = from.s + share * (p->length - from.s);
    return (knot){slice, fmax(even + effect * (on_arc - even), from.s)};
}

static double effect_of_arc(const sni_wrap_arc *arc) {
    return sni_smooth_step(arc->angle / whole_angle);
}

static void find_stands(const piece *p) {
    const sni_cylinder_node *nodes = p->cylinder->nodes;
    knot at = {nodes[p->from].slice, 0};
    sn_vec3 point = p->path->nodes[p->from].origin;
    double s = 0;
    for (uint32_t i = p->first; i < p->end; ++i) {
        const sni_cylinder_wrap *wrap = &p->cylinder->wraps[p->path->order[i]];
        const sni_wrap_arc *arc = arc_at(p, i);
        if (!arc->touches) {
            continue;
        }
        bool fits = wrap->first > at.slice && wrap->last < nodes[p->to].slice;
        double effect = effect_of_arc(arc);
        s += sn_vec3_distance(point, arc->enter);
        // One slice stands in the middle.
        double enter = wrap->first < wrap->last ? s : s + arc->length / 2;
        s += arc->length;
        point = arc->leave;
        if (!fits) {
            continue; // its slices are on another piece: those of this one stand evenly
        }
        knot first = next_knot(p, at, wrap->first, enter, effect);
        stand_between(p, at, first);
        at = first;
        if (wrap->first < wrap->last) {
            knot last = next_knot(p, at, wrap->last, s, effect);
            stand_between(p, at, last);
            at = last;
        }
    }
    stand_between(p, at, (knot){nodes[p->to].slice, p->length});
}

double sni_cylinder_stand_around(const sni_cylinder *cylinder, sni_cylinder_path *path,
                                 uint32_t from, uint32_t to, sn_vec3 x, sn_vec3 z,
                                 sni_slice_frame *end) {
    piece p = {.cylinder = cylinder,
               .path = path,
               .from = from,
               .to = to,
               .first = path->first_arcs[from],
               .end = path->first_arcs[to]};
    p.length = piece_length(&p);
    find_stands(&p);
    sni_slice_frame frame = {.origin = path->nodes[from].origin, .x = x, .z = z};
    double s = 0;
    for (uint32_t i = cylinder->nodes[from].slice + 1; i < cylinder->nodes[to].slice; ++i) {
        carry_along(&p, s, path->stands[i], &frame);
        path->frames[i] = frame;
        s = path->stands[i];
    }
    carry_along(&p, s, p.length, &frame);
    *end = frame;
    return p.length;
}

// --- The axis as points

// The corner of two straight ways that are together as long as an arc: enter, corner, leave.
static sn_vec3 corner_of(const sni_wrap_arc *arc) {
    sn_vec3 middle = sn_vec3_lerp(arc->enter, arc->leave, 0.5);
    double half = sn_vec3_distance(arc->enter, arc->leave) / 2;
    sn_vec3 chord = sn_vec3_sub(arc->leave, arc->enter);
    sn_vec3 out = sn_vec3_normalize_or(sn_vec3_sub(sni_wrap_point(arc, 0.5), middle),
                                       sn_vec3_perpendicular(chord));
    sn_vec3 along = sn_vec3_normalize_or(chord, sn_vec3_make(0, 0, 0));
    out = sn_vec3_normalize_or(sni_across(out, along), sn_vec3_perpendicular(along));
    double square = arc->length * arc->length / 4 - half * half;
    return sn_vec3_add_scaled(middle, sqrt(fmax(square, 0)), out);
}

static void store(sn_vec3 p, double **numbers) {
    *(*numbers)++ = p.x;
    *(*numbers)++ = p.y;
    *(*numbers)++ = p.z;
}

void sni_cylinder_store_axis(const sni_cylinder *cylinder, const sni_cylinder_path *path,
                             double *numbers) {
    sn_vec3 at = path->nodes[0].origin;
    for (uint32_t i = 0; i < cylinder->node_count; ++i) {
        at = sni_cylinder_passes_by(cylinder, path, i) ? at : path->nodes[i].origin;
        store(at, &numbers);
        uint32_t end =
            i + 1 < cylinder->node_count ? path->first_arcs[i + 1] : cylinder->wrap_count;
        for (uint32_t k = path->first_arcs[i]; k < end; ++k) {
            const sni_wrap_arc *arc = &path->arcs[path->order[k]];
            store(arc->touches ? arc->enter : at, &numbers);
            store(arc->touches ? corner_of(arc) : at, &numbers);
            at = arc->touches ? arc->leave : at;
            store(at, &numbers);
        }
    }
}
