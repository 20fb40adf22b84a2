// SPDX-License-Identifier: Apache-2.0
//
// What muscles move the skin by, one vertex after the other and in doubles: the reference of
// skin/implicit/flesh_run.c. Fibres are asked where they are, in the world, and what they say is
// brought back to the part's place at rest, where the vertex goes in or out.
#ifndef SNT_SKIN_FLESH_REFERENCE_H
#define SNT_SKIN_FLESH_REFERENCE_H

#include "base/hermite.h"
#include "skin/implicit/flesh.h"

typedef struct reference_line {
    const sni_flesh *flesh;
    const sni_flesh_job *job;
    const sni_flesh_row *row;
    sn_mat4 motion; // of the part
    double scale;
    sn_vec3 from; // at rest
} reference_line;

static inline sn_mat4 reference_motion(const sni_flesh *flesh, const sni_flesh_job *job,
                                       uint32_t part) {
    return sn_mat4_multiply(&job->worlds[flesh->part_segments[part]], &flesh->to_rest[part]);
}

// A fibre of the part as it sees it; `points` NULL: at rest.
static inline sni_distance_value reference_fibre(const reference_line *l, uint32_t k, bool at_rest,
                                                 sn_vec3 rest) {
    const sni_implicit_fibre *fibre = &l->flesh->muscles.fibres[l->flesh->muscles.lists[k]];
    const sni_muscle_points *posed = &l->job->posed[fibre->muscle];
    const double *points = at_rest ? NULL : posed->contracted, *m = l->motion.m;
    double scale = at_rest ? 1 : l->scale, radius = l->flesh->muscles.radii[l->row->part];
    sn_vec3 at = at_rest ? rest : sn_mat4_point(&l->motion, rest), low, high;
    sni_distance_value value = {radius, {0, 0, 0}};
    posed->solid.box(posed->solid.bound, points, fibre->body, &low, &high);
    if (sn_vec3_distance(at, sn_vec3_min(sn_vec3_max(at, low), high)) > radius * scale) {
        return value; // it is not felt there
    }
    value.distance =
        posed->solid.distance(posed->solid.bound, points, fibre->body, at, &value.gradient) / scale;
    sn_vec3 g = value.gradient;
    if (!at_rest) {
        value.gradient = sn_vec3_make((m[0] * g.x + m[1] * g.y + m[2] * g.z) / scale,
                                      (m[4] * g.x + m[5] * g.y + m[6] * g.z) / scale,
                                      (m[8] * g.x + m[9] * g.y + m[10] * g.z) / scale);
    }
    return value;
}

// The part's field with its muscles so far inwards. `change` (may be NULL) becomes how much the
// distance of a fibre has changed, at most.
static inline sni_field_value reference_field(const reference_line *l, double way, double *change) {
    const sni_implicit_muscles *m = &l->flesh->muscles;
    uint32_t part = l->row->part;
    sn_vec3 rest = sn_vec3_add_scaled(l->from, way, l->row->inwards);
    sni_field_value all = {0};
    for (uint32_t k = m->starts[part]; k < m->starts[part + 1]; ++k) {
        sni_distance_value now = reference_fibre(l, k, false, rest);
        all = sni_field_unite_muscles(all, sni_support_field(now, m->radii[part]));
        if (change != NULL) {
            double before = fmin(reference_fibre(l, k, true, rest).distance, m->radii[part]);
            *change = fmax(*change, fabs(fmin(now.distance, m->radii[part]) - before));
        }
    }
    return sni_field_with_muscles(sni_field_part_at_rest(&l->flesh->body.parts[part], rest), all);
}

// What the field says on the way: see flesh_lanes.c.
typedef struct reference_outlook {
    double left, steep, turn;
} reference_outlook;

static inline reference_outlook reference_look(const sni_flesh_row *row, sni_field_value here,
                                               bool goes_out) {
    double x = sni_support_inverse(here.value), slope = -sni_support_slope(x);
    double rise = sn_vec3_dot(here.gradient, row->inwards), length = sn_vec3_length(here.gradient);
    return (reference_outlook){.left = goes_out ? row->depth - x : x - row->depth,
                               .steep = slope > 0 ? rise / slope : 0,
                               .turn = (length > 0 ? rise / length : 0) - SNI_FLESH_TURNED};
}

// How far inwards the vertex goes.
static inline double reference_way(const reference_line *l) {
    const sni_flesh_row *row = l->row;
    double change = 0, way = 0, share = 1;
    double arrived = SNI_FLESH_ARRIVED * l->flesh->muscles.radii[row->part];
    sni_field_value here = reference_field(l, 0, &change);
    bool goes_out = here.value > row->value;
    double low = 0, high = SNI_FLESH_FARTHEST * change, longest = high / 2;
    reference_outlook at_low = {0}, at_high = {0};
    enum { UNKNOWN, CROSSED, TURNED } end = UNKNOWN;
    for (int k = 0; k < SNI_FLESH_LOOKS && change >= 1e-6; ++k) {
        here = k > 0 ? reference_field(l, goes_out ? -way : way, NULL) : here;
        reference_outlook now = reference_look(row, here, goes_out);
        bool turns = !(now.turn > 0 && now.steep > 0);
        if (k == 0) {
            share = sni_smooth_step_between(SNI_FLESH_ASLANT, SNI_FLESH_STRAIGHT,
                                            now.turn + SNI_FLESH_TURNED);
        }
        if (!turns && fabs(now.left / now.steep) < arrived) {
            way = fmin(fmax(way + now.left / now.steep, low), high);
            break;
        }
        if (now.left < 0 || turns) {
            end = now.left < 0 ? CROSSED : TURNED;
            high = way;
            at_high = now;
        } else if (way >= high) {
            break;
        } else {
            low = way;
            at_low = now;
        }
        double from = turns ? low : way;
        reference_outlook there = turns ? at_low : now;
        double next = from + (there.steep > 0 ? fmin(there.left / there.steep, longest) : 0);
        bool inside = next > low && next < high;
        if (!inside && end == UNKNOWN) {
            next = high;
        } else if (!inside) {
            double part = end == TURNED ? at_low.turn / (at_low.turn - at_high.turn)
                                        : at_low.left / (at_low.left - at_high.left);
            next = low + fmin(fmax(part, 0.1), 0.9) * (high - low);
        }
        way = next;
        if (high - low < 1e-5 ||
            (end == TURNED && !inside && fmin(at_low.turn, -at_high.turn) < 0.05)) {
            break;
        }
    }
    return (goes_out ? -share : share) * way;
}

// What vertex `v` is moved by, before moves are evened out.
static inline sn_vec3 reference_move(const sni_flesh *flesh, const sni_flesh_job *job, uint32_t v) {
    sn_vec3 by = {0, 0, 0};
    for (uint32_t k = flesh->offsets[v]; k < flesh->offsets[v + 1]; ++k) {
        reference_line l = {flesh, job, &flesh->rows[k], .from = flesh->rest[v]};
        l.motion = reference_motion(flesh, job, l.row->part);
        l.scale = cbrt(fabs(sn_mat4_determinant(&l.motion)));
        if (l.row->weight > 0 && l.scale > 0) {
            sn_vec3 local = sn_vec3_scale(l.row->inwards, reference_way(&l));
            by = sn_vec3_add_scaled(by, l.row->weight, sn_mat4_direction(&l.motion, local));
        }
    }
    return by;
}

// sni_flesh_run.
static inline void reference_flesh_run(const sni_flesh *flesh, const sni_flesh_job *job) {
    enum { SWEEPS = 2 };
    const sni_tracker_mesh *mesh = job->mesh;
    size_t bytes = flesh->vertex_count * sizeof(sn_vec3);
    sn_vec3 *moves = test_malloc(bytes), *next = test_malloc(bytes);
    for (uint32_t v = 0; v < flesh->vertex_count; ++v) {
        moves[v] = job->map[v] == v ? reference_move(flesh, job, v) : sn_vec3_make(0, 0, 0);
    }
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        for (uint32_t v = 0; v < flesh->vertex_count; ++v) {
            uint32_t i = job->map[v], first = mesh->starts[i], last = mesh->starts[i + 1];
            sn_vec3 sum = {0, 0, 0};
            for (uint32_t k = first; k < last; ++k) {
                sum = sn_vec3_add(sum, moves[mesh->neighbors[k]]);
            }
            sn_vec3 mean = sn_vec3_scale(sum, last > first ? 1.0 / (last - first) : 0);
            next[v] = last > first ? sn_vec3_lerp(moves[i], mean, 0.5) : moves[i];
        }
        memcpy(moves, next, bytes);
    }
    for (uint32_t v = 0; v < flesh->vertex_count; ++v) {
        float *point = job->points + 3 * (size_t)v;
        sn_vec3_store(sn_vec3_add(sn_vec3_load(point), moves[v]), point);
    }
    test_free(moves);
    test_free(next);
}

#endif
