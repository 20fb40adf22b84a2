// SPDX-License-Identifier: Apache-2.0
//
// Which given places belong together: a muscle's two sides.
//
// Places are divided by a joint (all that is distal of it), by a bone, or by where they are along
// the mesh. A division is good when its sides are far from each other for how far they are spread
// along the way between them (Fisher's ratio):
//
//     score = |m1 - m0| / (s0 + s1 + slack)
#include "fit/muscle/fit.h"

#include <math.h>
#include <string.h>

// Spread that does not count, in sizes of the mesh: few places would else look better than many.
static const double slack = 0.1;

// Divisions by place alone know nothing of bones.
static const double place_factor = 0.7;

// The part of the whole way, from the outermost place inwards, whose places are seeds of an end.
static const double seed_part = 0.3;

// Places farther from the mesh than this, in sizes of it, are another muscle's: lists name muscles
// of fore and hind legs alike.
static const double place_reach = 0.15;

typedef struct division {
    double score;
    sn_vec3 direction; // from side 0 to side 1
    uint8_t *sides;
} division;

static double score_of(const sni_fit_points *points, const uint8_t *sides, double size,
                       sn_vec3 *direction) {
    sn_vec3 means[2] = {{0, 0, 0}, {0, 0, 0}};
    uint32_t counts[2] = {0, 0};
    double squares[2] = {0, 0};
    for (uint32_t i = 0; i < points->count; ++i) {
        means[sides[i]] = sn_vec3_add(means[sides[i]], points->places[i].point);
        ++counts[sides[i]];
    }
    if (counts[0] == 0 || counts[1] == 0) {
        return 0;
    }
    for (int side = 0; side < 2; ++side) {
        means[side] = sn_vec3_scale(means[side], 1.0 / counts[side]);
    }
    sn_vec3 way = sn_vec3_sub(means[1], means[0]);
    *direction = sn_vec3_normalize_or(way, sn_vec3_make(0, 0, 0));
    for (uint32_t i = 0; i < points->count; ++i) {
        double off = sn_vec3_dot(sn_vec3_sub(points->places[i].point, means[sides[i]]), *direction);
        squares[sides[i]] += off * off;
    }
    return sn_vec3_length(way) /
           (sqrt(squares[0] / counts[0]) + sqrt(squares[1] / counts[1]) + slack * size);
}

static void keep_better(const sni_fit_points *points, const uint8_t *sides, double size,
                        double factor, division *best) {
    sn_vec3 direction;
    double score = factor * score_of(points, sides, size, &direction);
    if (score > best->score) {
        best->score = score;
        best->direction = direction;
        memcpy(best->sides, sides, points->count);
    }
}

static uint32_t segment_of(const sni_fit_bones *bones, const sn_fit_place *place) {
    return bones->bones[place->bone].segment;
}

// By every joint above some of the places.
static void try_joints(const sni_fit_points *points, const sni_fit_bones *bones, double size,
                       uint8_t *sides, division *best) {
    for (uint32_t first = 0; first < points->count; ++first) {
        uint32_t segment = segment_of(bones, &points->places[first]);
        for (; segment != SN_NONE; segment = bones->parents[segment]) {
            for (uint32_t i = 0; i < points->count; ++i) {
                sides[i] = sni_fit_is_above(bones, segment, segment_of(bones, &points->places[i]));
            }
            keep_better(points, sides, size, 1, best);
        }
    }
}

static void try_bones(const sni_fit_points *points, double size, uint8_t *sides, division *best) {
    for (uint32_t first = 0; first < points->count; ++first) {
        for (uint32_t i = 0; i < points->count; ++i) {
            sides[i] = points->places[i].bone == points->places[first].bone;
        }
        keep_better(points, sides, size, 1, best);
    }
}

// By planes across the longest direction of the places, behind each of them.
static void try_planes(const sni_fit_points *points, double size, uint8_t *sides, division *best) {
    double m[6] = {0}, values[3];
    sn_vec3 mean = {0, 0, 0}, axes[3];
    for (uint32_t i = 0; i < points->count; ++i) {
        mean = sn_vec3_add_scaled(mean, 1.0 / points->count, points->places[i].point);
    }
    for (uint32_t i = 0; i < points->count; ++i) {
        sn_vec3 p = sn_vec3_sub(points->places[i].point, mean);
        const double products[6] = {p.x * p.x, p.y * p.y, p.z * p.z,
                                    p.x * p.y, p.x * p.z, p.y * p.z};
        for (int k = 0; k < 6; ++k) {
            m[k] += products[k];
        }
    }
    sni_fit_eigen(m, values, axes);
    for (uint32_t first = 0; first < points->count; ++first) {
        double limit = sn_vec3_dot(points->places[first].point, axes[0]);
        for (uint32_t i = 0; i < points->count; ++i) {
            sides[i] = sn_vec3_dot(points->places[i].point, axes[0]) > limit;
        }
        keep_better(points, sides, size, place_factor, best);
    }
}

// The outermost places of each side; those further in would bend the coordinate towards them.
static void set_seeds(sni_fit_points *points, sn_vec3 direction) {
    double low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < points->count; ++i) {
        double t = sn_vec3_dot(points->places[i].point, direction);
        low = fmin(low, t);
        high = fmax(high, t);
    }
    double ends[2] = {INFINITY, -INFINITY};
    for (uint32_t i = 0; i < points->count; ++i) {
        double t = sn_vec3_dot(points->places[i].point, direction);
        ends[0] = points->sides[i] == 0 ? fmin(ends[0], t) : ends[0];
        ends[1] = points->sides[i] == 1 ? fmax(ends[1], t) : ends[1];
    }
    for (uint32_t i = 0; i < points->count; ++i) {
        double t = sn_vec3_dot(points->places[i].point, direction);
        double inwards = points->sides[i] == 0 ? t - ends[0] : ends[1] - t;
        points->seeds[i] = inwards <= seed_part * (high - low);
    }
}

static sn_status find_bones(sni_fit_points *points, sni_fit_bones *bones, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < points->count && status == SN_OK; ++i) {
        sn_fit_place *place = &points->places[i];
        if (place->bone == SN_NONE) {
            status = sni_fit_bones_nearest(bones, place->point, SN_NONE, &place->bone, NULL, NULL,
                                           error);
        }
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Muscles of both sides of the body

// Whether two branches of the skeleton face each other across the other places: the branches'
// middles are seen from the others' middle at a cosine below the best so far. Sets the sides.
static bool faces(const sni_fit_points *points, const uint32_t *branches, uint32_t a, uint32_t b,
                  double *best, uint8_t *sides) {
    sn_vec3 sums[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    uint32_t counts[3] = {0, 0, 0};
    for (uint32_t i = 0; i < points->count; ++i) {
        int group = branches[i] == a ? 1 : branches[i] == b ? 2 : 0;
        sums[group] = sn_vec3_add(sums[group], points->places[i].point);
        ++counts[group];
    }
    if (counts[0] == 0) {
        return false;
    }
    sn_vec3 middle = sn_vec3_scale(sums[0], 1.0 / counts[0]), units[2];
    for (int k = 0; k < 2; ++k) {
        sn_vec3 way = sn_vec3_sub(sn_vec3_scale(sums[k + 1], 1.0 / counts[k + 1]), middle);
        units[k] = sn_vec3_normalize_or(way, sn_vec3_make(0, 0, 0));
    }
    double cosine = sn_vec3_dot(units[0], units[1]);
    if (cosine >= *best) {
        return false;
    }
    *best = cosine;
    for (uint32_t i = 0; i < points->count; ++i) {
        sides[i] = branches[i] == a || branches[i] == b;
    }
    return true;
}

// The child of `root` that a segment hangs on, or the root itself.
static uint32_t branch_of(const sni_fit_bones *bones, uint32_t root, uint32_t segment) {
    while (segment != root && bones->parents[segment] != root) {
        segment = bones->parents[segment];
    }
    return segment;
}

sn_status sni_fit_points_both_sides(const sni_fit_points *points, sni_arena *arena,
                                    const sni_fit_bones *bones, sni_fit_points *both, bool *found,
                                    sn_error *error) {
    static const double cosine_most = 0.5; // of the angle at which the branches are seen
    sn_status status = SN_OK;
    uint32_t *branches = NULL;
    *found = false;
    if (points->count < 3) {
        return SN_OK;
    }
    *both = *points;
    SNI_FIT_TAKE(arena, branches, points->count);
    SNI_FIT_TAKE(arena, both->sides, points->count);
    SNI_FIT_TAKE(arena, both->seeds, points->count);
    uint32_t root = segment_of(bones, &points->places[0]);
    for (uint32_t i = 1; i < points->count && root != SN_NONE; ++i) {
        while (root != SN_NONE &&
               !sni_fit_is_above(bones, root, segment_of(bones, &points->places[i]))) {
            root = bones->parents[root];
        }
    }
    if (root == SN_NONE) {
        return SN_OK;
    }
    for (uint32_t i = 0; i < points->count; ++i) {
        branches[i] = branch_of(bones, root, segment_of(bones, &points->places[i]));
        both->seeds[i] = 1;
    }
    double best = cosine_most;
    for (uint32_t i = 0; i < points->count; ++i) {
        for (uint32_t j = 0; j < i; ++j) {
            if (branches[i] != root && branches[j] != root && branches[i] != branches[j]) {
                *found |= faces(points, branches, branches[i], branches[j], &best, both->sides);
            }
        }
    }
cleanup:
    return status;
}

sn_status sni_fit_points_init(sni_fit_points *points, sni_arena *arena, sni_fit_bones *bones,
                              const sni_fit_surface *surface, const sn_muscle_fit_desc *desc,
                              sn_error *error) {
    sn_status status = SN_OK;
    division best = {0};
    uint8_t *sides = NULL;
    *points = (sni_fit_points){0};
    SNI_FIT_TAKE(arena, points->places, desc->place_count);
    SNI_FIT_TAKE(arena, points->sides, desc->place_count);
    SNI_FIT_TAKE(arena, points->seeds, desc->place_count);
    SNI_FIT_TAKE(arena, sides, desc->place_count);
    for (uint32_t i = 0; i < desc->place_count; ++i) {
        sn_closest closest;
        sn_fit_place place = {desc->places[i].bone,
                              sn_vec3_sub(desc->places[i].point, surface->middle)};
        sn_accel_find_closest(surface->accel, place.point, place_reach * surface->size, &closest);
        if (closest.triangle != SN_NONE) {
            points->sides[points->count] = 0;
            points->seeds[points->count] = 1;
            points->places[points->count++] = place;
        }
    }
    SN_TRY(find_bones(points, bones, error));
    best.sides = points->sides;
    try_joints(points, bones, surface->size, sides, &best);
    try_bones(points, surface->size, sides, &best);
    try_planes(points, surface->size, sides, &best);
    if (best.score > 0) {
        set_seeds(points, best.direction);
    }
cleanup:
    return status;
}
