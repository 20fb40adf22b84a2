// SPDX-License-Identifier: Apache-2.0
//
// A muscle is a strip of skin in an angular sector around a line. Its two curves are found by rays
// from the line outwards, at right angles to it, up to the first skin that belongs to the limb.
#include "fit/propose_strip.h"

#include "base/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Thickness of the skin as a part of its distance from the line, and the most that half of the
// muscle's thickness may be, as a part of its width.
static const double skin_part = 0.06, widest_part = 0.3;

// Mirror images lie on the skin when they are this near, as a part of the body's size.
static const double mirror_slack = 0.01;

// Skin that is further away than the median of a strip by this factor is left out. So is what lies
// beyond a gap, where the strip is outside of the skin by this part of its width, or a step along
// it by this part of the median or of the step; steps shorter than this part of the median are
// none.
static const double farthest_out = 1.9, most_air = 0.2, short_step = 0.4;

enum { LEAST_POINTS = 5, AROUND = 16, MOST_TURNS = 3 };

// A point of the line: `place` in lengths of it, beyond its end in those of what follows. Near its
// end the directions turn into those beyond it.
static sn_vec3 line_point(const sni_strip *strip, double place, sn_vec3 *along) {
    sn_vec3 way = sn_vec3_sub(strip->to, strip->from);
    sn_vec3 next = sn_vec3_sub(strip->beyond, strip->to);
    *along = sn_vec3_normalize_or(way, sn_vec3_make(0, 1, 0));
    if (place >= 0.8) {
        double turn = fmin((place - 0.8) / 0.4, 1);
        sn_vec3 next_along = sn_vec3_normalize_or(next, *along);
        *along = sn_vec3_normalize_or(sn_vec3_lerp(*along, next_along, turn), *along);
    }
    return place <= 1 ? sn_vec3_add_scaled(strip->from, place, way)
                      : sn_vec3_add_scaled(strip->to, place - 1, next);
}

static sn_vec3 turned(sn_vec3 along, sn_vec3 side, double angle) {
    sn_vec3 across = sn_vec3_cross(along, side);
    return sn_vec3_add_scaled(sn_vec3_scale(side, cos(angle)), sin(angle), across);
}

// A muscle is widest in its middle: the part of its angle that it has at s, from 0 at its origin to
// 1 at its insertion.
static double spindle(double s) {
    return 0.45 + 0.55 * sin(SN_PI * s);
}

// What rays have found on one skin.
typedef struct findings {
    uint32_t count;
    sn_vec3 points[2][SNI_STRIP_POINTS];
    sn_vec3 lines[SNI_STRIP_POINTS];    // where the rays begin
    double distances[SNI_STRIP_POINTS]; // of the skin from the line, means of both curves
    double radius;                      // their mean
} findings;

// Casts both curves; places count where both rays meet the skin.
static void cast_pairs(const sni_proposal *job, const sni_strip *strip, uint32_t skin,
                       findings *found) {
    found->count = 0;
    for (uint32_t i = 0; i < SNI_STRIP_POINTS; ++i) {
        double s = (double)i / (SNI_STRIP_POINTS - 1), half = strip->half_angle * spindle(s);
        sn_vec3 along, from;
        from = line_point(strip, strip->range[0] + (strip->range[1] - strip->range[0]) * s, &along);
        sn_vec3 side = sni_propose_level(sn_vec3_lerp(strip->sides[0], strip->sides[1], s), along);
        sn_hit hits[2];
        if (sni_propose_skin_cast(&job->skins, skin, from, turned(along, side, -half),
                                  strip->farthest, &hits[0]) &&
            sni_propose_skin_cast(&job->skins, skin, from, turned(along, side, half),
                                  strip->farthest, &hits[1])) {
            found->lines[found->count] = from;
            found->points[0][found->count] = hits[0].point;
            found->points[1][found->count] = hits[1].point;
            found->distances[found->count++] = (hits[0].distance + hits[1].distance) / 2;
        }
    }
}

static double median_of(const findings *found) {
    double sorted[SNI_STRIP_POINTS];
    memcpy(sorted, found->distances, found->count * sizeof *sorted);
    qsort(sorted, found->count, sizeof *sorted, sni_compare_doubles);
    return sorted[found->count / 2];
}

// Whether the middle of a line between two points of the skin is outside of it, seen from within,
// and further away from it than `most`.
static bool is_in_air(const sni_propose_skin *skin, sn_vec3 within, sn_vec3 a, sn_vec3 b,
                      double most) {
    sn_closest closest;
    sn_vec3 middle = sn_vec3_lerp(a, b, 0.5);
    sn_accel_find_closest(skin->probe.accel, middle, INFINITY, &closest);
    sn_vec3 outwards = sn_vec3_sub(middle, within);
    return closest.distance > most && sn_vec3_dot(sn_vec3_sub(middle, closest.point), outwards) > 0;
}

// Whether both curves stay on the skin from one place to the next. Short steps do: the skin may be
// made of small pieces.
static bool stays(const sni_propose_skin *skin, const findings *found, uint32_t i, double median) {
    sn_vec3 within = sn_vec3_lerp(found->lines[i], found->lines[i + 1], 0.5);
    for (int k = 0; k < 2; ++k) {
        sn_vec3 a = found->points[k][i], b = found->points[k][i + 1];
        double step = sn_vec3_distance(a, b);
        if (step > short_step * median &&
            is_in_air(skin, within, a, b, most_air * fmin(median, step))) {
            return false;
        }
    }
    return true;
}

// Leaves places `first` to `first` + `count` alone.
static void keep(findings *found, uint32_t first, uint32_t count) {
    found->radius = 0;
    for (uint32_t i = 0; i < count; ++i) {
        found->points[0][i] = found->points[0][first + i];
        found->points[1][i] = found->points[1][first + i];
        found->distances[i] = found->distances[first + i];
        found->radius += found->distances[i] / count;
    }
    found->count = count;
}

// Leaves the longest part of the strip that stays on the skin, without what lies much further out
// than the rest: a strip must not cross an armpit through the air, nor climb from a neck to the
// brim of a helmet.
static void keep_longest(const sni_proposal *job, uint32_t skin, findings *found) {
    const sni_propose_skin *own = &job->skins.items[skin];
    uint32_t first = 0, count = 0, start = 0;
    double median = found->count > 0 ? median_of(found) : 0;
    for (uint32_t i = 0; i < found->count; ++i) {
        sn_vec3 a = found->points[0][i], b = found->points[1][i];
        bool is_far = found->distances[i] > farthest_out * median ||
                      is_in_air(own, found->lines[i], a, b, most_air * sn_vec3_distance(a, b));
        start = is_far ? i + 1 : start;
        if (!is_far && i + 1 - start > count) {
            count = i + 1 - start;
            first = start;
        }
        if (i + 1 < found->count && !stays(own, found, i, median)) {
            start = i + 1;
        }
    }
    keep(found, first, count);
}

double sni_strip_closure(const sni_proposal *job, const sni_bone *bone) {
    sn_vec3 along = sn_vec3_normalize_or(sn_vec3_sub(bone->to, bone->from), sn_vec3_make(0, 1, 0));
    sn_vec3 side = sn_vec3_perpendicular(along), middle = sn_vec3_lerp(bone->from, bone->to, 0.5);
    uint32_t hits = 0;
    for (uint32_t i = 0; i < AROUND; ++i) {
        sn_vec3 direction = turned(along, side, 2 * SN_PI * i / AROUND);
        bool met = false;
        for (uint32_t s = 0; s < job->skins.count && !met; ++s) {
            sn_hit hit;
            met = sni_propose_skin_cast(&job->skins, s, middle, direction, INFINITY, &hit);
        }
        hits += met;
    }
    return (double)hits / AROUND;
}

// Whether both curves lead the same way, as those of a strip that is wider than long need not.
static bool run_along(const findings *found) {
    sn_vec3 ways[2];
    for (int k = 0; k < 2; ++k) {
        ways[k] = sn_vec3_sub(found->points[k][found->count - 1], found->points[k][0]);
    }
    return sn_vec3_dot(ways[0], ways[1]) > 0;
}

// The strip on the skin that has most of it, the outermost of these. Where its middle lies within
// the trunk, as that of an upper arm at a chest does, it is turned outwards step by step.
static bool cast_on_skins(const sni_proposal *job, const sni_strip *strip, findings *best,
                          uint32_t *skin) {
    best->count = 0;
    for (int turn = 0; turn <= MOST_TURNS && best->count < LEAST_POINTS; ++turn) {
        sni_strip turning = *strip;
        for (int k = 0; k < 2; ++k) {
            double t = (double)turn / (MOST_TURNS + 1);
            turning.sides[k] = sn_vec3_normalize_or(sn_vec3_lerp(strip->sides[k], strip->outer, t),
                                                    strip->sides[k]);
        }
        for (uint32_t s = 0; s < job->skins.count; ++s) {
            findings found;
            cast_pairs(job, &turning, s, &found);
            keep_longest(job, s, &found);
            if (found.count > best->count ||
                (found.count > 0 && found.count == best->count && found.radius > best->radius)) {
                *best = found;
                *skin = s;
            }
        }
    }
    return best->count >= LEAST_POINTS && run_along(best);
}

static sn_status take_curves(const sni_proposal *job, sn_vec3 points[2][SNI_STRIP_POINTS],
                             uint32_t count, sn_layout_muscle *muscle, sn_error *error) {
    for (int k = 0; k < 2; ++k) {
        sn_vec3 *copy = sni_layout_alloc(job->layout, count, sizeof *copy);
        if (copy == NULL) {
            return sni_fail_memory(error);
        }
        memcpy(copy, points[k], count * sizeof *copy);
        muscle->curves[k] = copy;
        muscle->curve_counts[k] = count;
    }
    return SN_OK;
}

static double width_of(const findings *found) {
    double sum = 0;
    for (uint32_t i = 0; i < found->count; ++i) {
        sum += sn_vec3_distance(found->points[0][i], found->points[1][i]);
    }
    return sum / found->count;
}

sn_status sni_strip_cast(const sni_proposal *job, const sni_strip *strip,
                         const sni_strip_action *action, sn_layout_muscle *muscle, bool *found,
                         sn_error *error) {
    findings best;
    uint32_t skin = 0;
    *found = cast_on_skins(job, strip, &best, &skin);
    if (!*found) {
        return SN_OK;
    }
    double half = fmin(action->part * best.radius, widest_part * width_of(&best));
    muscle->skin = job->skins.items[skin].name;
    muscle->bulge = action->bulge;
    muscle->strength = action->strength;
    muscle->half_thickness = job->thickness * half;
    muscle->top_depth = job->thickness * half * skin_part / action->part;
    muscle->d_full = muscle->top_depth + muscle->half_thickness;
    muscle->d_none = muscle->d_full + action->reach * best.radius;
    return take_curves(job, best.points, best.count, muscle, error);
}

// The mirror image must be near the skin everywhere, and on that of its part as a whole: weights
// need not be as symmetric as the skin is.
static bool mirror_on(const sni_proposal *job, const sni_propose_skin *skin,
                      const sn_layout_muscle *other, sn_vec3 points[2][SNI_STRIP_POINTS]) {
    double slack = mirror_slack * job->skins.size, share = 0, count = 0;
    for (uint32_t k = 0; k < 2; ++k) {
        for (uint32_t i = 0; i < other->curve_counts[k]; ++i) {
            sn_closest closest;
            sn_vec3 p = sni_bones_mirror(&job->bones, other->curves[k][i]);
            sn_accel_find_closest(skin->probe.accel, p, slack, &closest);
            if (closest.triangle == SN_NONE) {
                return false;
            }
            share += sni_propose_skin_share(skin, job->skins.marks, closest.triangle,
                                            closest.barycentric);
            count += 1;
            points[k][i] = closest.point;
        }
    }
    return share >= 0.5 * count;
}

const sni_propose_skin *sni_strip_skin(const sni_proposal *job, const sn_layout_muscle *muscle) {
    uint32_t i = 0;
    while (i + 1 < job->skins.count && job->skins.items[i].name != muscle->skin) {
        ++i;
    }
    return &job->skins.items[i];
}

sn_status sni_strip_mirror(const sni_proposal *job, const sn_layout_muscle *other,
                           sn_layout_muscle *muscle, bool *found, sn_error *error) {
    SN_ASSERT(other->curve_counts[0] == other->curve_counts[1]);
    sn_vec3 points[2][SNI_STRIP_POINTS];
    const sni_propose_skin *skin = sni_strip_skin(job, other);
    *found = mirror_on(job, skin, other, points);
    for (uint32_t s = 0; s < job->skins.count && !*found; ++s) {
        skin = &job->skins.items[s];
        *found = mirror_on(job, skin, other, points);
    }
    if (!*found) {
        return SN_OK;
    }
    muscle->skin = skin->name;
    muscle->bulge = other->bulge;
    muscle->strength = other->strength;
    muscle->top_depth = other->top_depth;
    muscle->half_thickness = other->half_thickness;
    muscle->d_full = other->d_full;
    muscle->d_none = other->d_none;
    return take_curves(job, points, other->curve_counts[0], muscle, error);
}
