// SPDX-License-Identifier: Apache-2.0
#include "muscle/fibre/axis.h"

#include <float.h>

double sni_fibre_axis_measure(const sn_vec3 *points, uint32_t point_count, double *starts) {
    double length = 0;
    starts[0] = 0;
    for (uint32_t i = 1; i < point_count; ++i) {
        length += sn_vec3_distance(points[i - 1], points[i]);
        starts[i] = length;
    }
    for (uint32_t i = 1; i < point_count; ++i) {
        starts[i] = length > 0 ? starts[i] / length : (double)i / (point_count - 1);
    }
    starts[point_count - 1] = 1;
    return length;
}

// The great circle from one unit vector to another, the shorter way:
//
//     d(t) = cos(t angle) from + sin(t angle) across
typedef struct arc {
    sn_vec3 from, across; // unit, square to each other
    double angle;         // to the other one
} arc;

static arc arc_between(sn_vec3 from, sn_vec3 to) {
    sn_quat turn = sn_quat_between(from, to);
    sn_vec3 axis = {turn.x, turn.y, turn.z};
    double sine = sn_vec3_length(axis);
    axis = sn_vec3_normalize_or(axis, sn_vec3_make(0, 0, 0));
    return (arc){from, sn_vec3_cross(axis, from), 2 * atan2(sine, turn.w)};
}

// A direction at constant speed along it, t from 0 to 1.
static sn_vec3 arc_at(const arc *a, double t) {
    double angle = t * a->angle;
    return sn_vec3_add_scaled(sn_vec3_scale(a->from, cos(angle)), sin(angle), a->across);
}

// `v` without its part along the unit vector `axis`; zero where little is left.
static sn_vec3 square_to(sn_vec3 v, sn_vec3 axis) {
    static const double least = 1e-6;
    sn_vec3 rest = sn_vec3_add_scaled(v, -sn_vec3_dot(v, axis), axis);
    double length = sn_vec3_length(rest);
    return length > least ? sn_vec3_scale(rest, 1 / length) : sn_vec3_make(0, 0, 0);
}

static sn_vec3 tangent_at(const sn_vec3 *points, uint32_t point_count, uint32_t i) {
    uint32_t before = i > 0 ? i - 1 : 0, after = i + 1 < point_count ? i + 1 : i;
    return sn_vec3_normalize_or(sn_vec3_sub(points[after], points[before]), sn_vec3_make(0, 0, 0));
}

static bool is_zero(sn_vec3 v) {
    return v.x == 0 && v.y == 0 && v.z == 0;
}

void sni_fibre_axis_normals(const sn_vec3 *points, const double *starts, uint32_t point_count,
                            sn_vec3 first, sn_vec3 last, sn_vec3 *normals) {
    uint32_t known = UINT32_MAX; // the first point with a normal of its own
    arc wide = arc_between(first, last);
    for (uint32_t i = 0; i < point_count; ++i) {
        sn_vec3 tangent = tangent_at(points, point_count, i);
        normals[i] = square_to(arc_at(&wide, starts[i]), tangent);
        if (is_zero(normals[i])) {
            // The neighbour's; those before the first one that is known come afterwards.
            if (i > 0 && known != UINT32_MAX) {
                normals[i] = normals[i - 1];
            }
            continue;
        }
        if (known == UINT32_MAX) {
            known = i;
        } else if (sn_vec3_dot(normals[i], normals[i - 1]) < 0) {
            normals[i] = sn_vec3_scale(normals[i], -1);
        }
    }
    if (known == UINT32_MAX) { // the axis lies along the normals of its ends: any will do
        known = 0;
        normals[0] = sn_vec3_perpendicular(
            sn_vec3_normalize_or(tangent_at(points, point_count, 0), sn_vec3_make(1, 0, 0)));
        for (uint32_t i = 1; i < point_count; ++i) {
            normals[i] = normals[0];
        }
    }
    for (uint32_t i = 0; i < known; ++i) {
        normals[i] = normals[known];
    }
}

// The foot of a point on one segment, kept within it.
typedef struct segment_foot {
    sn_vec3 point;
    double u; // 0 to 1 along the segment
    double distance;
} segment_foot;

static segment_foot foot_on(const sni_fibre_axis *axis, uint32_t segment, sn_vec3 at) {
    sn_vec3 from = axis->points[segment];
    sn_vec3 along = sn_vec3_sub(axis->points[segment + 1], from);
    double squared = sn_vec3_dot(along, along);
    double u = squared > 0 ? sn_vec3_dot(sn_vec3_sub(at, from), along) / squared : 0;
    u = u < 0 ? 0 : u > 1 ? 1 : u;
    sn_vec3 point = sn_vec3_add_scaled(from, u, along);
    return (segment_foot){point, u, sn_vec3_distance(at, point)};
}

static bool is_inner(segment_foot foot) {
    return foot.u > 0 && foot.u < 1;
}

static double part_of(const sni_fibre_axis *axis, uint32_t segment, double u) {
    return axis->starts[segment] + u * (axis->starts[segment + 1] - axis->starts[segment]);
}

// A part of the length and its gradient by the point that is projected; and the direction that
// sections are across there. It is that of the axis but for kinks, around which it turns with the
// point, so that sections do not jump.
typedef struct part {
    double s;
    sn_vec3 slope;
    sn_vec3 along;
} part;

static sn_vec3 direction_of(const sni_fibre_axis *axis, uint32_t segment) {
    return sn_vec3_normalize_or(sn_vec3_sub(axis->points[segment + 1], axis->points[segment]),
                                sn_vec3_make(0, 0, 0));
}

// Around a point that two segments a and b share, on the outer side of their kink: square to the
// way w to where it is seen from, and that of one segment where the foot goes on along it.
//
//     (-w . b) a + (w . a) b
static sn_vec3 turned_around(const sni_fibre_axis *axis, uint32_t segment, segment_foot foot,
                             sn_vec3 at) {
    sn_vec3 own = direction_of(axis, segment);
    bool at_end = foot.u > 0;
    if (at_end ? segment + 2 >= axis->point_count : segment == 0) {
        return own; // an end of the axis
    }
    sn_vec3 a = at_end ? own : direction_of(axis, segment - 1);
    sn_vec3 b = at_end ? direction_of(axis, segment + 1) : own;
    sn_vec3 away = sn_vec3_sub(at, foot.point);
    double of_a = fmax(0, -sn_vec3_dot(away, b)), of_b = fmax(0, sn_vec3_dot(away, a));
    return sn_vec3_normalize_or(sn_vec3_add_scaled(sn_vec3_scale(a, of_a), of_b, b), own);
}

// A foot within its segment moves along it with the point; one at an end stays.
static part plain_part(const sni_fibre_axis *axis, uint32_t segment, segment_foot foot,
                       sn_vec3 at) {
    part result = {part_of(axis, segment, foot.u), {0, 0, 0}, direction_of(axis, segment)};
    if (is_inner(foot)) {
        result.slope = sn_vec3_scale(result.along, 1 / axis->length);
    } else {
        result.along = turned_around(axis, segment, foot, at);
    }
    return result;
}

// Between two segments that both have an inner foot, the part is the mean of theirs, each weighted
// by the cotangent of the angle at which the shared vertex sees point and foot, times both
// distances: on the bisector it is the vertex, and it meets one foot where the other leaves its
// segment.
static part blended_part(const sni_fibre_axis *axis, uint32_t a, sn_vec3 at, segment_foot foot_a,
                         segment_foot foot_b) {
    sn_vec3 shared = axis->points[a + 1];
    double reach_a = sn_vec3_distance(shared, foot_a.point);
    double reach_b = sn_vec3_distance(shared, foot_b.point);
    double weight_a = reach_a * foot_b.distance, weight_b = reach_b * foot_a.distance;
    double sum = weight_a + weight_b;
    sn_vec3 direction_a = direction_of(axis, a), direction_b = direction_of(axis, a + 1);
    if (!(sum > 0)) { // the shared vertex itself
        return (part){axis->starts[a + 1], {0, 0, 0}, direction_a};
    }
    part part_a = plain_part(axis, a, foot_a, at), part_b = plain_part(axis, a + 1, foot_b, at);
    double s = (part_a.s * weight_a + part_b.s * weight_b) / sum;
    // Reaches fall along the first segment and grow along the second; distances grow away from
    // their feet.
    sn_vec3 nothing = {0, 0, 0};
    sn_vec3 away_a = sn_vec3_normalize_or(sn_vec3_sub(at, foot_a.point), nothing);
    sn_vec3 away_b = sn_vec3_normalize_or(sn_vec3_sub(at, foot_b.point), nothing);
    sn_vec3 slope_a =
        sn_vec3_add_scaled(sn_vec3_scale(away_b, reach_a), -foot_b.distance, direction_a);
    sn_vec3 slope_b =
        sn_vec3_add_scaled(sn_vec3_scale(away_a, reach_b), foot_a.distance, direction_b);
    sn_vec3 slope = sn_vec3_scale(part_a.slope, weight_a);
    slope = sn_vec3_add_scaled(slope, weight_b, part_b.slope);
    slope = sn_vec3_add_scaled(slope, part_a.s - s, slope_a);
    slope = sn_vec3_add_scaled(slope, part_b.s - s, slope_b);
    sn_vec3 along = sn_vec3_add_scaled(sn_vec3_scale(direction_a, weight_a), weight_b, direction_b);
    return (part){s, sn_vec3_scale(slope, 1 / sum), sn_vec3_normalize_or(along, direction_a)};
}

// The segment that holds the part `s`.
static uint32_t segment_of(const sni_fibre_axis *axis, double s, uint32_t near) {
    uint32_t segment = near;
    while (segment > 0 && s < axis->starts[segment]) {
        --segment;
    }
    while (segment + 2 < axis->point_count && s > axis->starts[segment + 1]) {
        ++segment;
    }
    return segment;
}

static void fill_frame(const sni_fibre_axis *axis, sn_vec3 at, sn_vec3 along,
                       sni_fibre_foot *foot) {
    uint32_t k = foot->segment;
    sn_vec3 from = axis->points[k], to = axis->points[k + 1];
    double size = axis->starts[k + 1] - axis->starts[k];
    double u = size > 0 ? fmin(1, fmax(0, (foot->s - axis->starts[k]) / size)) : 0;
    foot->point = sn_vec3_lerp(from, to, u);
    foot->distance = sn_vec3_distance(at, foot->point);
    foot->tangent = sn_vec3_normalize_or(sn_vec3_sub(to, from), sn_vec3_make(1, 0, 0));
    // Neighbours' normals differ by little, so that a straight line between them will do.
    sn_vec3 normal = square_to(sn_vec3_lerp(axis->normals[k], axis->normals[k + 1], u), along);
    foot->normal = is_zero(normal) ? sn_vec3_perpendicular(foot->tangent) : normal;
}

// The square of the distance of a point from a segment.
static double squared_from(const sni_fibre_axis *axis, uint32_t segment, sn_vec3 at) {
    sn_vec3 from = axis->points[segment], along = sn_vec3_sub(axis->points[segment + 1], from);
    sn_vec3 away = sn_vec3_sub(at, from);
    double squared = sn_vec3_dot(along, along);
    double u = squared > 0 ? sn_vec3_dot(away, along) / squared : 0;
    u = u < 0 ? 0 : u > 1 ? 1 : u;
    sn_vec3 rest = sn_vec3_add_scaled(away, -u, along);
    return sn_vec3_dot(rest, rest);
}

// The segment that is nearest, the first of several. Fields of muscles cost what this loop costs.
static uint32_t nearest_segment(const sni_fibre_axis *axis, sn_vec3 at) {
    uint32_t nearest = 0;
    double least = DBL_MAX;
    for (uint32_t i = 0; i < axis->point_count - 1; ++i) {
        double distance = squared_from(axis, i, at);
        if (distance < least) {
            least = distance;
            nearest = i;
        }
    }
    return nearest;
}

static sni_fibre_foot project(const sni_fibre_axis *axis, sn_vec3 at, uint32_t nearest) {
    uint32_t segment_count = axis->point_count - 1;
    segment_foot best = foot_on(axis, nearest, at);
    part found = plain_part(axis, nearest, best, at);
    if (is_inner(best)) {
        bool has_before = nearest > 0, has_after = nearest + 1 < segment_count;
        segment_foot before = {0}, after = {0};
        if (has_before) {
            before = foot_on(axis, nearest - 1, at);
            has_before = is_inner(before);
        }
        if (has_after) {
            after = foot_on(axis, nearest + 1, at);
            has_after = is_inner(after);
        }
        if (has_before && (!has_after || before.distance <= after.distance)) {
            found = blended_part(axis, nearest - 1, at, before, best);
        } else if (has_after) {
            found = blended_part(axis, nearest, at, best, after);
        }
    }
    sni_fibre_foot foot = {
        .s = found.s, .slope = found.slope, .segment = segment_of(axis, found.s, nearest)};
    fill_frame(axis, at, found.along, &foot);
    return foot;
}

sni_fibre_foot sni_fibre_axis_project(const sni_fibre_axis *axis, sn_vec3 at) {
    return project(axis, at, nearest_segment(axis, at));
}

static sni_distance_value field_around(const sni_fibre_axis *axis, const sni_fibre_section *section,
                                       sn_vec3 at, sni_fibre_foot foot) {
    static const double on_axis = 1e-9;
    double phi_slope;
    double phi = sni_fibre_profile_at(section->profile, section->activation, foot.s, &phi_slope);
    double u = sni_fibre_half_axis(section->eccentricity), v = 1 / u;
    // On the axis itself the direction is not defined; the normal's is taken.
    bool is_on_axis = foot.distance < on_axis;
    sn_vec3 outwards =
        is_on_axis ? foot.normal : sn_vec3_scale(sn_vec3_sub(at, foot.point), 1 / foot.distance);
    double c = sn_vec3_dot(foot.normal, outwards), c2 = fmin(1, c * c);
    double r = 1 / sqrt(u * u * c2 + v * v * (1 - c2));
    sni_distance_value result = {foot.distance - section->width * phi * r, outwards};
    if (is_on_axis) {
        return result;
    }
    // With C' = l T:  grad D = e_r - (e_r . C') grad s
    //                 grad c = (n - c e_r + c (e_r . C') grad s) / D
    //                 grad f = grad D - w (Phi' r grad s + Phi dr/dc grad c),
    //                 dr/dc = (v^2 - u^2) c r^3
    // Beside a straight axis e_r . C' is 0.
    double slip = axis->length * sn_vec3_dot(outwards, foot.tangent);
    double by_s = slip + section->width * phi_slope * r;
    double by_c = section->width * phi * (v * v - u * u) * c * r * r * r;
    sn_vec3 turn = sn_vec3_add_scaled(foot.normal, -c, outwards);
    turn = sn_vec3_add_scaled(turn, c * slip, foot.slope);
    result.gradient = sn_vec3_add_scaled(result.gradient, -by_s, foot.slope);
    result.gradient = sn_vec3_add_scaled(result.gradient, -by_c / foot.distance, turn);
    return result;
}

sni_distance_value sni_fibre_field(const sni_fibre_axis *axis, const sni_fibre_section *section,
                                   sn_vec3 at) {
    return field_around(axis, section, at, sni_fibre_axis_project(axis, at));
}

double sni_fibre_width(double volume, double length, double rest_length) {
    static const double shortest = 0.3; // of the rest length: nothing alive shortens as far
    return sqrt(volume / (SN_PI * fmax(length, shortest * rest_length)));
}
