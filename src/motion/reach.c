// SPDX-License-Identifier: Apache-2.0
//
// Reaching with two joints. Everything is computed in the coordinates of the upper joint's parent,
// where S is the upper joint (the shoulder), E the lower one (the elbow), H the end and T the
// target.
//
// 1. Bend. With a the unit axis of the lower joint, h = H - E and s = S - E, a turn by d moves h to
//
//        h(d) = a (a.h) + (h - a (a.h)) cos d + (a x h) sin d
//
//    and |H - S|^2 = |h|^2 + |s|^2 - 2 s.h(d) becomes |T - S|^2 where
//
//        s.h(d) = k + r cos(d - f) = (|h|^2 + |s|^2 - |T - S|^2) / 2.
//
//    The two solutions f +- acos are the elbow on either side of the line.
// 2. Aim. The smallest turn of the upper joint that takes H - S to the direction of T - S.
// 3. Swivel. A turn about T - S that takes E to the side of the pole, or as near to it as the
// limits
//    of the upper joint allow.
// 4. Mend. Where limits have cut something, each free angle in turn is set to the best that it can
//    do alone.
#include "base/error.h"
#include "motion/skeleton.h"

#include <math.h>
#include <string.h>

static const uint32_t desc_check = 0x72656368; // "rech"

enum { UPPER, LOWER };

// An angle can bend the limb where its axis is this much across the bone (a sine).
static const double across = 0.5;
// A limb is straight (or folded) where the bend is below this sine: its side is not to be seen
// then.
static const double straight = 1e-3;
// What a bend that shows the side of a straight limb leaves of its length.
static const double slight_bend = 0.999;
// Angles and distances (as parts of the limb) that do not count.
static const double negligible = 1e-10;
static const double swivel_step = 5 * SN_PI / 180;
static const int most_sweeps = 200;

typedef struct limb_state {
    const sn_segment *segments[2];
    double p[2][SN_JOINT_PARAMETER_COUNT];
    sn_mat4 between; // the frame of the lower joint's parent in the upper segment's
    sn_vec3 tip;     // the end in the lower segment's frame
    sn_vec3 target, pole;
    bool has_pole;
} limb_state;

typedef struct limb_places {
    sn_mat4 upper, base, lower; // frames: `base` is that of the lower joint's parent
    sn_vec3 shoulder, elbow, tip;
} limb_places;

static sn_vec3 origin_of(const sn_mat4 *frame) {
    return sn_vec3_make(frame->m[12], frame->m[13], frame->m[14]);
}

static sn_mat4 local_of(const limb_state *limb, int joint) {
    sn_transform local = sni_segment_local(limb->segments[joint], limb->p[joint]);
    return sn_mat4_from_transform(&local);
}

static limb_places places_of(const limb_state *limb) {
    limb_places at = {.upper = local_of(limb, UPPER)};
    sn_mat4 lower = local_of(limb, LOWER);
    at.base = sn_mat4_multiply(&at.upper, &limb->between);
    at.lower = sn_mat4_multiply(&at.base, &lower);
    at.shoulder = origin_of(&at.upper);
    at.elbow = origin_of(&at.lower);
    at.tip = sn_mat4_point(&at.lower, limb->tip);
    return at;
}

static double reach_of(const limb_places *at) {
    return sn_vec3_distance(at->shoulder, at->elbow) + sn_vec3_distance(at->elbow, at->tip);
}

static bool is_free(sn_limit limit) {
    return limit.high - limit.low > negligible;
}

// The axis of one of the angles rx ry rz, in the coordinates of the joint's parent. Half a turn
// more of that angle, less the turn itself, is half a turn about the axis: the quaternion (axis,
// 0).
static sn_vec3 axis_of(const sn_segment *segment, const double *p, int angle) {
    double turned[3] = {p[0], p[1], p[2]};
    turned[angle] += SN_PI;
    sn_quat before = sn_quat_from_euler(sn_vec3_make(p[0], p[1], p[2]), segment->order);
    sn_quat after =
        sn_quat_from_euler(sn_vec3_make(turned[0], turned[1], turned[2]), segment->order);
    sn_quat half = sn_quat_multiply(after, sn_quat_conjugate(before));
    return sn_quat_rotate(segment->rest.rotation, sn_vec3_make(half.x, half.y, half.z));
}

// ---------------------------------------------------------------------------------------------
// Angles within limits

// Sets one angle, at the whole turn that fits its limits best or, without limits, is nearest to
// what it was. Returns how far the limits have cut it.
static double set_angle(const sn_segment *segment, double *p, int angle, double value) {
    sn_limit limit = segment->limits[angle];
    double middle = isfinite(limit.low) && isfinite(limit.high) ? (limit.low + limit.high) / 2
                    : isfinite(limit.low)                       ? limit.low + SN_PI
                    : isfinite(limit.high)                      ? limit.high - SN_PI
                                                                : p[angle];
    value += 2 * SN_PI * round((middle - value) / (2 * SN_PI));
    p[angle] = sni_limit_clamp(limit, value);
    return fabs(p[angle] - value);
}

// Sets all three from a rotation of the segment in its parent. Returns how far they were cut.
static double set_rotation(const sn_segment *segment, double *p, sn_quat rotation) {
    sn_transform local = sni_segment_local(segment, p);
    double read[SN_JOINT_PARAMETER_COUNT], cut = 0;
    local.rotation = rotation;
    sni_segment_parameters(segment, &local, read);
    sni_segment_choose_angles(segment, read);
    for (int i = 0; i < 3; ++i) {
        cut += set_angle(segment, p, i, read[i]);
    }
    return cut;
}

// ---------------------------------------------------------------------------------------------
// Bend

typedef struct limb_hinge {
    sn_vec3 axis; // unit, in the frame of the lower joint's parent
    int angle;    // the one that it is the axis of; -1: the joint is a ball
} limb_hinge;

// The free angle that swings the end furthest, and how many do so notably.
static int count_swings(const limb_state *limb, sn_vec3 bone, int *best) {
    const sn_segment *segment = limb->segments[LOWER];
    double furthest = 0;
    int count = 0;
    *best = -1;
    for (int i = 0; i < 3; ++i) {
        sn_vec3 axis = axis_of(segment, limb->p[LOWER], i);
        double sine = sn_vec3_length(sn_vec3_cross(axis, bone)) / sn_vec3_length(bone);
        double range = fmin(segment->limits[i].high - segment->limits[i].low, 2 * SN_PI);
        bool swings = is_free(segment->limits[i]) && sine > across;
        count += swings;
        if (swings && sine * range > furthest) {
            furthest = sine * range;
            *best = i;
        }
    }
    return count;
}

// The axis that the limb bends about. A joint with one angle for that has its axis. A ball bends in
// the plane that the limb lies in, now or at rest; where it is straight in both, about the axis
// that swings it furthest. Returns false for a joint that cannot bend.
static bool find_hinge(const limb_state *limb, sn_vec3 shoulder, sn_vec3 elbow, sn_vec3 tip,
                       limb_hinge *found) {
    sn_vec3 arm = sn_vec3_sub(elbow, shoulder), bone = sn_vec3_sub(tip, elbow);
    double size = sn_vec3_length(arm) * sn_vec3_length(bone);
    if (!(size > 0)) {
        return false;
    }
    int best, count = count_swings(limb, bone, &best);
    if (count == 0) {
        return false;
    }
    *found = (limb_hinge){axis_of(limb->segments[LOWER], limb->p[LOWER], best), best};
    if (count > 1) {
        sn_transform rest = sni_segment_rest_local(limb->segments[LOWER]);
        sn_mat4 frame = sn_mat4_from_transform(&rest);
        sn_vec3 rest_bone = sn_mat4_direction(&frame, limb->tip);
        sn_vec3 normal = sn_vec3_cross(arm, bone), rest_normal = sn_vec3_cross(arm, rest_bone);
        found->angle = -1;
        if (sn_vec3_length(normal) > straight * size) {
            found->axis = sn_vec3_normalize_or(normal, found->axis);
        } else if (sn_vec3_length(rest_normal) > straight * size) {
            found->axis = sn_vec3_normalize_or(rest_normal, found->axis);
        }
    }
    return true;
}

static void turn_hinge(const sn_segment *segment, const limb_hinge *hinge, double by, double *p) {
    if (hinge->angle >= 0) {
        set_angle(segment, p, hinge->angle, p[hinge->angle] + by);
        return;
    }
    sn_quat now = sni_segment_local(segment, p).rotation;
    set_rotation(segment, p, sn_quat_multiply(sn_quat_from_axis_angle(hinge->axis, by), now));
}

// The turn from f that is tried first: the elbow stays on its side. A limb that is straight has
// none; it bends to where its limits leave more room.
static double preferred_side(const limb_state *limb, const limb_hinge *hinge, double f) {
    if (fabs(sin(f)) > straight) {
        return sin(-f) >= 0 ? 1 : -1;
    }
    int angle = hinge->angle;
    sn_limit limit = limb->segments[LOWER]->limits[angle >= 0 ? angle : 0];
    bool bounded = angle >= 0 && isfinite(limit.low) && isfinite(limit.high);
    bool upwards = !bounded || limb->p[LOWER][angle] <= (limit.low + limit.high) / 2;
    // Near f = 0 the limb is folded, near f = pi straight: a turn upwards lies behind or before f.
    return upwards == (cos(f) > 0) ? 1 : -1;
}

// Takes the angles of the lower joint in `p` if they bring the end closer to a distance from the
// shoulder than those before.
static void try_bend(limb_state *limb, const double *p, double distance, double slack,
                     double *error) {
    limb_state tried = *limb;
    memcpy(tried.p[LOWER], p, sizeof tried.p[LOWER]);
    limb_places at = places_of(&tried);
    double missed = fabs(sn_vec3_distance(at.tip, at.shoulder) - distance);
    if (missed < *error - slack) {
        *error = missed;
        memcpy(limb->p[LOWER], p, sizeof limb->p[LOWER]);
    }
}

// Bends the lower joint until the end is at a distance from the shoulder, or nearly so.
static void bend(limb_state *limb, double distance) {
    limb_places at = places_of(limb);
    const sn_segment *segment = limb->segments[LOWER];
    double start[SN_JOINT_PARAMETER_COUNT], error = INFINITY, size = reach_of(&at);
    double scale = cbrt(fabs(sn_mat4_determinant(&at.base)));
    sn_mat4 inverse;
    limb_hinge hinge;
    if (!sn_mat4_invert(&at.base, &inverse)) {
        return;
    }
    sn_vec3 elbow = sn_mat4_point(&inverse, at.elbow), tip = sn_mat4_point(&inverse, at.tip);
    sn_vec3 shoulder = sn_mat4_point(&inverse, at.shoulder);
    if (!find_hinge(limb, shoulder, elbow, tip, &hinge)) {
        return;
    }
    sn_vec3 h = sn_vec3_sub(tip, elbow), s = sn_vec3_sub(shoulder, elbow);
    double k = sn_vec3_dot(s, hinge.axis) * sn_vec3_dot(h, hinge.axis);
    double cosine = sn_vec3_dot(s, h) - k, sine = sn_vec3_dot(s, sn_vec3_cross(hinge.axis, h));
    double r = hypot(cosine, sine), f = atan2(sine, cosine), d = distance / scale;
    double wanted = (sn_vec3_dot(h, h) + sn_vec3_dot(s, s) - d * d) / 2 - k;
    double open = acos(fmin(fmax(r > 0 ? wanted / r : 1, -1), 1));
    double side = preferred_side(limb, &hinge, f);
    memcpy(start, limb->p[LOWER], sizeof start);
    for (int i = 0; i < 2; ++i) {
        double p[SN_JOINT_PARAMETER_COUNT];
        memcpy(p, start, sizeof p);
        turn_hinge(segment, &hinge, f + (i == 0 ? side : -side) * open, p);
        try_bend(limb, p, distance, negligible * size, &error);
    }
    for (int i = 0; i < 2 && hinge.angle >= 0; ++i) {
        sn_limit limit = segment->limits[hinge.angle];
        double p[SN_JOINT_PARAMETER_COUNT];
        memcpy(p, start, sizeof p);
        p[hinge.angle] = i == 0 ? limit.low : limit.high;
        if (isfinite(p[hinge.angle])) {
            try_bend(limb, p, distance, negligible * size, &error);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Aim and swivel

static sn_vec3 unit_between(sn_vec3 from, sn_vec3 to, sn_vec3 fallback) {
    return sn_vec3_normalize_or(sn_vec3_sub(to, from), fallback);
}

static sn_vec3 part_across(sn_vec3 v, sn_vec3 unit_axis) {
    return sn_vec3_add_scaled(v, -sn_vec3_dot(v, unit_axis), unit_axis);
}

// Where the elbow lies beside the line from shoulder to end. A straight limb shows it by a slight
// bend.
static sn_vec3 elbow_side(const limb_state *limb, const limb_places *at) {
    sn_vec3 arm = sn_vec3_sub(at->elbow, at->shoulder);
    sn_vec3 along = unit_between(at->shoulder, at->tip, arm);
    sn_vec3 side = part_across(arm, along);
    if (sn_vec3_length(side) > straight * sn_vec3_length(arm)) {
        return side;
    }
    limb_state bent = *limb;
    bend(&bent, slight_bend * sn_vec3_distance(at->tip, at->shoulder));
    limb_places shown = places_of(&bent);
    sn_vec3 bent_arm = sn_vec3_sub(shown.elbow, shown.shoulder);
    return part_across(bent_arm, unit_between(shown.shoulder, shown.tip, along));
}

// The turn of the upper joint to its target with the elbow at the pole.
static sn_quat aim(const limb_state *limb, const limb_places *at, sn_vec3 toward) {
    sn_vec3 along = unit_between(at->shoulder, at->tip, toward);
    sn_quat turn = sn_quat_between(along, toward);
    if (!limb->has_pole) {
        return turn;
    }
    sn_vec3 side = part_across(sn_quat_rotate(turn, elbow_side(limb, at)), toward);
    sn_vec3 pole = part_across(sn_vec3_sub(limb->pole, at->shoulder), toward);
    double angle = atan2(sn_vec3_dot(toward, sn_vec3_cross(side, pole)), sn_vec3_dot(side, pole));
    return sn_quat_multiply(sn_quat_from_axis_angle(toward, angle), turn);
}

typedef struct swivel {
    const sn_segment *segment;
    const double *start;
    sn_quat aimed;  // the upper segment's rotation, at the pole
    sn_vec3 toward; // the axis
} swivel;

// Turns the upper joint with the elbow an angle away from the pole. Returns how far limits cut it.
static double turn_upper(const swivel *s, double angle, double *p) {
    memcpy(p, s->start, SN_JOINT_PARAMETER_COUNT * sizeof *p);
    sn_quat turn = sn_quat_from_axis_angle(s->toward, angle);
    return set_rotation(s->segment, p, sn_quat_multiply(turn, s->aimed));
}

// The angle nearest to the pole that limits allow: found in steps, then halved. 0 where none is.
static double allowed_swivel(const swivel *s) {
    double p[SN_JOINT_PARAMETER_COUNT], inside = 0, outside = 0;
    int steps = (int)(SN_PI / swivel_step);
    if (turn_upper(s, 0, p) < negligible) {
        return 0;
    }
    for (int i = 1; i <= 2 * steps && inside == 0; ++i) {
        double angle = swivel_step * ((i + 1) / 2) * (i % 2 == 1 ? 1 : -1);
        if (turn_upper(s, angle, p) < negligible) {
            inside = angle;
            outside = angle - copysign(swivel_step, angle);
        }
    }
    for (int i = 0; i < 50 && inside != 0; ++i) {
        double middle = (inside + outside) / 2;
        if (turn_upper(s, middle, p) < negligible) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    return inside;
}

static void turn_to_target(limb_state *limb) {
    limb_places at = places_of(limb);
    sn_vec3 way = sn_vec3_sub(limb->target, at.shoulder);
    if (sn_vec3_length(way) <= negligible * reach_of(&at)) {
        return;
    }
    double start[SN_JOINT_PARAMETER_COUNT];
    memcpy(start, limb->p[UPPER], sizeof start);
    swivel s = {.segment = limb->segments[UPPER], .start = start};
    s.toward = sn_vec3_normalize_or(way, way);
    s.aimed =
        sn_quat_multiply(aim(limb, &at, s.toward), sni_segment_local(s.segment, start).rotation);
    turn_upper(&s, allowed_swivel(&s), limb->p[UPPER]);
}

// ---------------------------------------------------------------------------------------------
// Mend

// The turn about one axis through a joint that brings the end nearest to the target.
static double best_turn(sn_vec3 axis, sn_vec3 tip, sn_vec3 target) {
    sn_vec3 flat = part_across(tip, axis);
    return atan2(sn_vec3_dot(target, sn_vec3_cross(axis, tip)), sn_vec3_dot(target, flat));
}

static double miss_of(const limb_state *limb) {
    limb_places at = places_of(limb);
    return sn_vec3_distance(at.tip, limb->target);
}

// Sets one angle to the best that it can do alone. Returns what is left to the target.
static double mend_angle(limb_state *limb, int joint, int angle, double miss) {
    limb_places at = places_of(limb);
    sn_mat4 base = joint == LOWER ? at.base : sn_mat4_identity(), inverse;
    const sn_segment *segment = limb->segments[joint];
    if (!is_free(segment->limits[angle]) || !sn_mat4_invert(&base, &inverse)) {
        return miss;
    }
    sn_vec3 origin = sn_mat4_point(&inverse, joint == LOWER ? at.elbow : at.shoulder);
    sn_vec3 tip = sn_vec3_sub(sn_mat4_point(&inverse, at.tip), origin);
    sn_vec3 target = sn_vec3_sub(sn_mat4_point(&inverse, limb->target), origin);
    double *p = limb->p[joint], before = p[angle];
    set_angle(segment, p, angle, before + best_turn(axis_of(segment, p, angle), tip, target));
    double now = miss_of(limb);
    if (now < miss) {
        return now;
    }
    p[angle] = before;
    return miss;
}

static double mend(limb_state *limb) {
    limb_places at = places_of(limb);
    double size = reach_of(&at), miss = sn_vec3_distance(at.tip, limb->target), before = INFINITY;
    for (int sweep = 0;
         sweep < most_sweeps && miss > negligible * size && before - miss > negligible * size;
         ++sweep) {
        before = miss;
        for (int i = 0; i < 6; ++i) {
            miss = mend_angle(limb, i < 3 ? LOWER : UPPER, i % 3, miss);
        }
    }
    return miss;
}

// ---------------------------------------------------------------------------------------------

sn_reach_desc sn_reach_desc_default(void) {
    return (sn_reach_desc){.check = desc_check,
                           .limb = {.upper = SN_NONE, .lower = SN_NONE, .end = SN_NONE}};
}

static bool is_limb(const sn_skeleton *skeleton, const sn_limb *limb) {
    uint32_t count = skeleton->segment_count;
    return limb->upper < count && limb->lower < count && limb->end < count &&
           limb->upper != limb->lower && limb->lower != limb->end &&
           sni_skeleton_carries(skeleton, limb->upper, limb->lower) &&
           sni_skeleton_carries(skeleton, limb->lower, limb->end);
}

static sn_status check(const sn_skeleton *skeleton, const sn_reach_desc *desc, sn_error *error) {
    const sn_limb *limb = &desc->limb;
    if (desc->check != desc_check) {
        return sni_fail(error, SN_INVALID, "the desc was not made by sn_reach_desc_default");
    }
    if (limb->end < skeleton->segment_count && limb->upper == SN_NONE) {
        return sni_fail(error, SN_INVALID,
                        "\"%s\" has no two joints above it that could bring it to a target",
                        skeleton->segments[limb->end].name);
    }
    if (!is_limb(skeleton, limb)) {
        return sni_fail(error, SN_INVALID,
                        "segments %u, %u and %u of %u are not a limb: each must be above the next",
                        limb->upper, limb->lower, limb->end, skeleton->segment_count);
    }
    if (!sn_vec3_is_finite(desc->target) || (desc->has_pole && !sn_vec3_is_finite(desc->pole))) {
        return sni_fail(error, SN_INVALID, "target or pole of \"%s\" is not finite",
                        skeleton->segments[limb->end].name);
    }
    return SN_OK;
}

// The limb in the coordinates of the upper joint's parent. Fails where something is flat.
static sn_status take_limb(const sn_skeleton *skeleton, const sn_mat4 *worlds,
                           const double *parameters, const sn_reach_desc *desc, limb_state *limb,
                           sn_error *error) {
    const sn_limb *of = &desc->limb;
    uint32_t above = skeleton->segments[of->upper].parent;
    sn_mat4 parent = above != SN_NONE ? worlds[above] : sn_mat4_identity();
    sn_mat4 to_parent, to_upper, to_lower;
    if (!sn_mat4_invert(&parent, &to_parent) || !sn_mat4_invert(&worlds[of->upper], &to_upper) ||
        !sn_mat4_invert(&worlds[of->lower], &to_lower)) {
        return sni_fail(error, SN_INVALID, "the limb of \"%s\" has a scale of 0",
                        skeleton->segments[of->end].name);
    }
    *limb = (limb_state){
        .segments = {&skeleton->segments[of->upper], &skeleton->segments[of->lower]},
        .between = sn_mat4_multiply(&to_upper, &worlds[skeleton->segments[of->lower].parent]),
        .tip = sn_mat4_point(&to_lower, origin_of(&worlds[of->end])),
        .target = sn_mat4_point(&to_parent, desc->target),
        .pole = sn_mat4_point(&to_parent, desc->pole),
        .has_pole = desc->has_pole,
    };
    for (int i = 0; i < 2; ++i) {
        uint32_t segment = i == UPPER ? of->upper : of->lower;
        memcpy(limb->p[i], parameters + (size_t)segment * SN_JOINT_PARAMETER_COUNT,
               sizeof limb->p[i]);
    }
    return SN_OK;
}

sn_status sn_reach_solve(const sn_skeleton *skeleton, const sn_mat4 *worlds,
                         const double *joint_parameters, const sn_reach_desc *desc, sn_reach *reach,
                         sn_error *error) {
    sn_status status = check(skeleton, desc, error);
    limb_state limb;
    if (status == SN_OK) {
        status = take_limb(skeleton, worlds, joint_parameters, desc, &limb, error);
    }
    if (status != SN_OK) {
        return status;
    }
    limb_places at = places_of(&limb);
    bend(&limb, sn_vec3_distance(limb.target, at.shoulder));
    turn_to_target(&limb);
    mend(&limb);
    memcpy(reach->upper, limb.p[UPPER], sizeof reach->upper);
    memcpy(reach->lower, limb.p[LOWER], sizeof reach->lower);
    uint32_t above = skeleton->segments[desc->limb.upper].parent;
    sn_mat4 parent = above != SN_NONE ? worlds[above] : sn_mat4_identity();
    at = places_of(&limb);
    reach->miss = sn_vec3_distance(sn_mat4_point(&parent, at.tip), desc->target);
    return SN_OK;
}
