// SPDX-License-Identifier: Apache-2.0
//
// How a shoulder blade keeps to the ribs while it turns upwards.
//
// Turned in its own plane about the end of the collarbone, a blade leaves the round cage as a
// tangent does: it wings. What keeps it there are two turns more, swing (about upwards) and tilt
// (forward), which here are those that change the blade's distance from the cage least:
//
//   min over s, t of  sum_i w_i (d(x_i) - d_i)^2 + W (l s)^2 + W (l t)^2
//   x_i = A(r) + F Rz(r) Ry(s) Rx(t) F^-1 (p_i - A(0)),   A(r) = C + F Rz(c r) F^-1 (A(0) - C)
//
// p_i are samples of the blade, d the distance from the cage, d_i that at rest, r the upward turn,
// c the collarbone's share of it, C and A its ends, F the blade's frame. w_i, of sum W, falls with
// d_i: what lies on the ribs counts. l keeps turns at 0 that no rib asks for. Gauss-Newton, from
// one turn on to the next.
#include "fit/body/draft.h"

#include <math.h>

enum { points_most = 160, bones_most = 64, rounds = 8 };

// In sizes of the blade: how far off the cage a sample counts, how far the cage is looked for, l.
static const double near_part = 0.1, reach_part = 0.5, ease_part = 0.03;

// The difference that stands for a derivative, the longest step and the largest turn, radians.
static const double difference = 0.01, step_most = 0.1, turn_most = 0.7;

typedef struct glide {
    const sni_draft *draft;
    sn_quat frame, back;
    sn_vec3 inner, outer; // ends of the collarbone
    sn_vec3 middle;       // of the cage
    double share, reach, ease;
    uint32_t bone_count, bones[bones_most]; // the cage
    uint32_t point_count;
    sn_vec3 points[points_most]; // from the collarbone's outer end, at rest
    double rest[points_most], weights[points_most], total;
} glide;

// Below 0 within the cage.
static double cage_distance(const glide *g, sn_vec3 point) {
    sn_closest best = {.triangle = SN_NONE, .distance = g->reach};
    for (uint32_t i = 0; i < g->bone_count; ++i) {
        sn_closest here;
        sn_accel_find_closest(g->draft->shapes[g->bones[i]].accel, point, best.distance, &here);
        if (here.triangle != SN_NONE && here.distance < best.distance) {
            best = here;
        }
    }
    bool inside = best.triangle != SN_NONE &&
                  sn_vec3_dot(sn_vec3_sub(point, best.point), sn_vec3_sub(point, g->middle)) < 0;
    return inside ? -best.distance : best.distance;
}

static sn_vec3 turn_in_frame(const glide *g, sn_vec3 angles, sn_vec3 v) {
    sn_quat turn = sn_quat_from_euler(angles, SN_ROTATION_ZYX);
    return sn_quat_rotate(g->frame, sn_quat_rotate(turn, sn_quat_rotate(g->back, v)));
}

// The weighted changes of the distances.
static void find_changes(const glide *g, double rise, const double *turns, double *changes) {
    sn_vec3 collar = sn_vec3_sub(g->outer, g->inner);
    sn_vec3 outer =
        sn_vec3_add(g->inner, turn_in_frame(g, sn_vec3_make(0, 0, g->share * rise), collar));
    for (uint32_t i = 0; i < g->point_count; ++i) {
        sn_vec3 way = turn_in_frame(g, sn_vec3_make(turns[1], turns[0], rise), g->points[i]);
        changes[i] = sqrt(g->weights[i]) * (cage_distance(g, sn_vec3_add(outer, way)) - g->rest[i]);
    }
}

static double limit(double value, double most) {
    return fmax(-most, fmin(most, value));
}

// One step of Gauss-Newton: (J^T J + W l^2) x = -J^T f - W l^2 turns.
static void improve(const glide *g, double rise, double *turns) {
    double f[points_most], moved[2][points_most];
    find_changes(g, rise, turns, f);
    for (int k = 0; k < 2; ++k) {
        double aside[2] = {turns[0], turns[1]};
        aside[k] += difference;
        find_changes(g, rise, aside, moved[k]);
    }
    double ease = g->total * g->ease * g->ease;
    double a = ease, b = 0, d = ease, x = -ease * turns[0], y = -ease * turns[1];
    for (uint32_t i = 0; i < g->point_count; ++i) {
        double p = (moved[0][i] - f[i]) / difference, q = (moved[1][i] - f[i]) / difference;
        a += p * p;
        b += p * q;
        d += q * q;
        x -= p * f[i];
        y -= q * f[i];
    }
    double determinant = a * d - b * b;
    if (determinant > 0) {
        turns[0] += limit((x * d - b * y) / determinant, step_most);
        turns[1] += limit((a * y - b * x) / determinant, step_most);
        turns[0] = limit(turns[0], turn_most);
        turns[1] = limit(turns[1], turn_most);
    }
}

static void gather_cage(glide *g, uint32_t chest, const sni_shape *blade) {
    double area = 0;
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < g->draft->bone_count; ++i) {
        const sni_shape *shape = &g->draft->shapes[i];
        if (g->draft->bone_segments[i] != chest) {
            continue;
        }
        sum = sn_vec3_add_scaled(sum, shape->area, shape->centroid);
        area += shape->area;
        if (g->bone_count < bones_most && sni_shape_box_gap(shape, blade) < g->reach) {
            g->bones[g->bone_count++] = i;
        }
    }
    g->middle = area > 0 ? sn_vec3_scale(sum, 1 / area) : sum;
}

static void gather_points(glide *g, const sni_shape *blade) {
    uint32_t step = 1 + (blade->sample_count - 1) / points_most;
    for (uint32_t i = 0; i < blade->sample_count; i += step) {
        const sni_sample *sample = &blade->samples[i];
        double rest = cage_distance(g, sample->point), off = rest / (near_part * blade->size);
        double weight = sample->area * exp(-off * off);
        g->rest[g->point_count] = rest;
        g->weights[g->point_count] = weight;
        g->points[g->point_count++] = sn_vec3_sub(sample->point, g->outer);
        g->total += weight;
    }
}

bool sni_draft_glide(const sni_draft *d, uint32_t collar, uint32_t blade, double share,
                     uint32_t count, const double *rises, double (*turns)[2]) {
    SN_ASSERT(collar < d->segment_count && blade < d->segment_count);
    SN_ASSERT(count == 0 || (rises != NULL && turns != NULL));
    const sni_draft_segment *outer = &d->segments[blade], *inner = &d->segments[collar];
    const sni_shape *shape = &d->shapes[outer->bone];
    glide g = {.draft = d,
               .frame = outer->rotation,
               .back = sn_quat_conjugate(outer->rotation),
               .inner = inner->joint,
               .outer = outer->joint,
               .share = share,
               .reach = reach_part * shape->size,
               .ease = ease_part * shape->size};
    gather_cage(&g, inner->parent, shape);
    if (g.bone_count == 0) {
        return false;
    }
    gather_points(&g, shape);
    double turn[2] = {0, 0};
    for (uint32_t i = 0; i < count; ++i) {
        for (int n = 0; n < rounds && rises[i] != 0; ++n) {
            improve(&g, rises[i], turn);
        }
        turns[i][0] = turn[0];
        turns[i][1] = turn[1];
    }
    return true;
}
