// SPDX-License-Identifier: Apache-2.0
//
// Rest poses and proportions of two skeletons brought together.
//
// With Ws, Wt the world rotations of a pair, Ws0, Wt0 those of the stances, a target segment is
// turned by
//
//     Wt(t) = Ws(t) Ws0^-1 A Wt0
//
// where the alignment A takes the target's stance to the source's. Which A is right depends on the
// part of the body:
// - upper arm, forearm, thigh, shin: the joints at both ends are anatomy, so their directions are
//   made equal: A = (smallest turn from A_parent d_t to d_s) A_parent. Going through the parent's
//   alignment keeps the twist of elbow and knee;
// - hand and fingers follow the forearm: an A-pose has relaxed hands where a T-pose has flat ones;
//   where thumbs point elsewhere than forward in a T-pose, the hand is turned about the forearm;
// - hips, spine, neck, head, clavicle: where a rig puts these joints is taste, and aligning their
//   directions would tilt the body by it: A = identity, the turn away from the stance is copied;
// - foot and toes likewise, so that a flat foot stays flat, but for stances with spread legs whose
//   feet are square to the shin (the zero pose of CMU files), where up is along the shin.
//
// Where an ordinary frame is the source's stance (retarget_rest.c), its trunk leans and turns and
// its feet roll as they happen to. There A is the turn between frames that anatomy gives: of the
// trunk, up from the middle of the hips to that of the shoulders, left along the line of the hips
// or of the shoulders; of a foot, up as it is when the foot rests, ahead to the ball.
#include "motion/retarget.h"

#include <math.h>
#include <string.h>

// Worlds that differ by less than this from quarter turns differ by taste, not by their axes.
static const double quarter_turn_cosine = 0.9; // 25 degrees

static uint32_t first_of(const sni_stance *stance, sni_body_part part, sni_body_side side) {
    return sni_stance_first(stance, part, side);
}

// ---------------------------------------------------------------------------------------------
// The turn between the worlds

sn_quat sni_quat_of_axes(sn_vec3 x, sn_vec3 y) {
    sn_vec3 z = sn_vec3_cross(x, y);
    sn_mat4 a = {{x.x, x.y, x.z, 0, y.x, y.y, y.z, 0, z.x, z.y, z.z, 0, 0, 0, 0, 1}};
    return sn_mat4_rotation(&a);
}

// The axis, with its sign, that a unit vector is nearest to; itself where none is near.
static sn_vec3 nearest_axis(sn_vec3 v) {
    double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z);
    if (fmax(x, fmax(y, z)) < quarter_turn_cosine) {
        return v;
    }
    return x >= y && x >= z ? sn_vec3_make(copysign(1, v.x), 0, 0)
           : y >= z         ? sn_vec3_make(0, copysign(1, v.y), 0)
                            : sn_vec3_make(0, 0, copysign(1, v.z));
}

static bool is_axis(sn_vec3 v) {
    return fabs(v.x) + fabs(v.y) + fabs(v.z) == 1;
}

void sni_retarget_turn(sni_retarget *r) {
    sn_vec3 left_s, up_s, left_t, up_t;
    if (r->same_skeleton || !sni_stance_axes(&r->source, &left_s, &up_s) ||
        !sni_stance_axes(&r->target, &left_t, &up_t)) {
        return;
    }
    sn_quat turn = sn_quat_multiply(sni_quat_of_axes(left_t, up_t),
                                    sn_quat_conjugate(sni_quat_of_axes(left_s, up_s)));
    sn_vec3 x = nearest_axis(sn_quat_rotate(turn, sn_vec3_make(1, 0, 0)));
    sn_vec3 y = nearest_axis(sn_quat_rotate(turn, sn_vec3_make(0, 1, 0)));
    bool quarter_turns = is_axis(x) && is_axis(y) && sn_vec3_dot(x, y) == 0;
    r->turn = quarter_turns ? sni_quat_of_axes(x, y) : turn;
}

// ---------------------------------------------------------------------------------------------
// Alignment

sn_quat sni_align_direction(sn_quat parent, sn_vec3 target, sn_vec3 source) {
    sn_vec3 from = sn_quat_rotate(parent, target);
    return sn_quat_normalize(sn_quat_multiply(sn_quat_between(from, source), parent));
}

// The direction away from the floor under a foot. Square to the shin where the legs are spread and
// the toes lie in the plane of shin and forward rather than straight ahead.
sn_vec3 sni_stance_foot_up(const sni_stance *stance, sni_body_side side) {
    const sn_vec3 up = {0, 1, 0};
    sn_vec3 shin, toe, left, trunk;
    if (!sni_stance_axes(stance, &left, &trunk) ||
        !sni_stance_direction(stance, SNI_BODY_SHIN, SNI_BODY_FOOT, side, &shin) ||
        !sni_stance_direction(stance, SNI_BODY_FOOT, SNI_BODY_TOES, side, &toe)) {
        return up;
    }
    const double spread_sine = 0.1; // 6 degrees: less is not worth the guess
    double spread = sn_vec3_dot(shin, left);
    if (fabs(spread) < spread_sine || sn_vec3_dot(shin, up) > -0.5) {
        return up;
    }
    sn_vec3 shin_side = sn_vec3_normalize_or(sn_vec3_add_scaled(left, -spread, shin), left);
    bool square = fabs(sn_vec3_dot(toe, shin_side)) < 0.5 * fabs(sn_vec3_dot(toe, left));
    sn_vec3 forward = sn_vec3_cross(left, up);
    sn_vec3 along = sn_vec3_add_scaled(shin, -sn_vec3_dot(shin, forward), forward);
    return square ? sn_vec3_normalize_or(sn_vec3_scale(along, -1), up) : up;
}

bool sni_angle_about(sn_vec3 axis, sn_vec3 from, sn_vec3 to, double *angle) {
    sn_vec3 a = sn_vec3_add_scaled(from, -sn_vec3_dot(from, axis), axis);
    sn_vec3 b = sn_vec3_add_scaled(to, -sn_vec3_dot(to, axis), axis);
    *angle = atan2(sn_vec3_dot(sn_vec3_cross(a, b), axis), sn_vec3_dot(a, b));
    return sn_vec3_length(a) > 0 && sn_vec3_length(b) > 0;
}

// In a T-pose palms look down and thumbs forward. A skeleton of bones stands as anatomists have it,
// palms forward: with the forearm's alignment it would carry trays. Less than `worth_turning` is
// how relaxed hands hang.
static sn_quat align_hand(const sni_retarget *r, sni_body_side side, sn_quat forearm) {
    const double worth_turning = 60 * SN_PI / 180;
    sn_vec3 left, up, axis, thumb;
    double angle;
    if (!sni_stance_is_t_pose(&r->source) || !sni_stance_axes(&r->source, &left, &up) ||
        !sni_stance_direction(&r->source, SNI_BODY_FOREARM, SNI_BODY_HAND, side, &axis) ||
        !sni_stance_direction(&r->target, SNI_BODY_HAND, SNI_BODY_THUMB, side, &thumb) ||
        !sni_angle_about(axis, sn_quat_rotate(forearm, thumb), sn_vec3_cross(left, up), &angle) ||
        fabs(angle) < worth_turning) {
        return forearm;
    }
    return sn_quat_normalize(sn_quat_multiply(sn_quat_from_axis_angle(axis, angle), forearm));
}

static sn_vec3 between_sides(const sni_stance *stance, sni_body_part part, double left_share) {
    return sn_vec3_lerp(stance->positions[first_of(stance, part, SNI_SIDE_RIGHT)],
                        stance->positions[first_of(stance, part, SNI_SIDE_LEFT)], left_share);
}

static bool has_both(const sni_stance *stance, sni_body_part part) {
    return first_of(stance, part, SNI_SIDE_LEFT) != SN_NONE &&
           first_of(stance, part, SNI_SIDE_RIGHT) != SN_NONE;
}

// The frame of the trunk, its x along the line between the joints of `part`.
static bool trunk_frame(const sni_stance *stance, sni_body_part part, sn_quat *frame) {
    if (!has_both(stance, SNI_BODY_UPPER_ARM) || !has_both(stance, SNI_BODY_THIGH)) {
        return false;
    }
    const sn_vec3 zero = {0, 0, 0};
    sn_vec3 up = sn_vec3_sub(between_sides(stance, SNI_BODY_UPPER_ARM, 0.5),
                             between_sides(stance, SNI_BODY_THIGH, 0.5));
    up = sn_vec3_normalize_or(up, zero);
    sn_vec3 line = sn_vec3_sub(between_sides(stance, part, 1), between_sides(stance, part, 0));
    sn_vec3 left = sn_vec3_normalize_or(sn_vec3_add_scaled(line, -sn_vec3_dot(line, up), up), zero);
    *frame = sni_quat_of_axes(left, up);
    return sn_vec3_length(up) > 0 && sn_vec3_length(left) > 0;
}

static sn_quat align_trunk(const sni_retarget *r, sni_body_part part) {
    sn_quat from, to;
    if (r->rest_frame == SN_NONE || !trunk_frame(&r->target, part, &from) ||
        !trunk_frame(&r->source, part, &to)) {
        return sn_quat_identity();
    }
    return sn_quat_normalize(sn_quat_multiply(to, sn_quat_conjugate(from)));
}

static bool foot_frame(const sni_stance *stance, sni_body_side side, sn_vec3 up, sn_quat *frame) {
    const sn_vec3 zero = {0, 0, 0};
    sn_vec3 toe;
    if (!sni_stance_direction(stance, SNI_BODY_FOOT, SNI_BODY_TOES, side, &toe)) {
        return false;
    }
    sn_vec3 ahead = sn_vec3_normalize_or(sn_vec3_add_scaled(toe, -sn_vec3_dot(toe, up), up), zero);
    *frame = sni_quat_of_axes(sn_vec3_cross(up, ahead), up);
    return sn_vec3_length(ahead) > 0;
}

// The cosine between a foot's up and the way to its ball; false where that is not known.
static bool foot_slope(const sni_stance *stance, sni_body_side side, sn_vec3 up, double *cosine) {
    sn_vec3 toe;
    bool known = sni_stance_direction(stance, SNI_BODY_FOOT, SNI_BODY_TOES, side, &toe);
    *cosine = known ? sn_vec3_dot(up, toe) : 0;
    return known;
}

static bool known_sole(const sni_retarget *r, sni_body_side side, sn_vec3 *up) {
    uint32_t foot = first_of(&r->source, SNI_BODY_FOOT, side);
    if (foot == SN_NONE || !r->has_soles[side - SNI_SIDE_LEFT]) {
        return false;
    }
    *up = sn_quat_rotate(r->source.rotations[foot], r->soles[side - SNI_SIDE_LEFT]);
    return true;
}

// The up of a foot of the source: as it is when the foot rests. Of a foot that never does, it is
// between ball and knee, at the angle that the other foot has, or else the target's.
static sn_vec3 source_foot_up(const sni_retarget *r, sni_body_side side) {
    const sn_vec3 zero = {0, 0, 0};
    sni_body_side other = side == SNI_SIDE_LEFT ? SNI_SIDE_RIGHT : SNI_SIDE_LEFT;
    sn_vec3 up, toe, shin;
    double cosine;
    if (known_sole(r, side, &up)) {
        return up;
    }
    bool known = known_sole(r, other, &up) && foot_slope(&r->source, other, up, &cosine);
    known = known || foot_slope(&r->target, side, sni_stance_foot_up(&r->target, side), &cosine);
    if (!known || !sni_stance_direction(&r->source, SNI_BODY_FOOT, SNI_BODY_TOES, side, &toe) ||
        !sni_stance_direction(&r->source, SNI_BODY_FOOT, SNI_BODY_SHIN, side, &shin)) {
        return sn_vec3_make(0, 1, 0);
    }
    sn_vec3 off = sn_vec3_add_scaled(shin, -sn_vec3_dot(shin, toe), toe);
    off = sn_vec3_normalize_or(off, zero);
    return sn_vec3_add_scaled(sn_vec3_scale(toe, cosine), sqrt(1 - fmin(cosine * cosine, 1)), off);
}

static sn_quat align_foot(const sni_retarget *r, sni_body_side side, sn_quat hips) {
    sn_vec3 target = sni_stance_foot_up(&r->target, side);
    uint32_t foot = first_of(&r->source, SNI_BODY_FOOT, side);
    if (r->rest_frame == SN_NONE || foot == SN_NONE) {
        return sn_quat_between(target, sni_stance_foot_up(&r->source, side));
    }
    sn_vec3 source = source_foot_up(r, side);
    sn_quat from, to;
    if (foot_frame(&r->target, side, target, &from) && foot_frame(&r->source, side, source, &to)) {
        return sn_quat_normalize(sn_quat_multiply(to, sn_quat_conjugate(from)));
    }
    return sni_align_direction(hips, target, source);
}

static void align_limbs(const sni_retarget *r, sni_body_side side,
                        sn_quat aligns[SNI_BODY_PART_COUNT]) {
    static const struct {
        sni_body_part part, parent, end;
    } limbs[] = {{SNI_BODY_UPPER_ARM, SNI_BODY_CLAVICLE, SNI_BODY_FOREARM},
                 {SNI_BODY_FOREARM, SNI_BODY_UPPER_ARM, SNI_BODY_HAND},
                 {SNI_BODY_THIGH, SNI_BODY_HIPS, SNI_BODY_SHIN},
                 {SNI_BODY_SHIN, SNI_BODY_THIGH, SNI_BODY_FOOT}};
    sn_quat chest = align_trunk(r, SNI_BODY_UPPER_ARM);
    for (int part = 0; part < SNI_BODY_PART_COUNT; ++part) {
        aligns[part] = chest;
    }
    aligns[SNI_BODY_HIPS] = align_trunk(r, SNI_BODY_THIGH);
    for (int i = 0; i < 4; ++i) {
        sn_vec3 from, to;
        aligns[limbs[i].part] = aligns[limbs[i].parent];
        if (sni_stance_direction(&r->target, limbs[i].part, limbs[i].end, side, &from) &&
            sni_stance_direction(&r->source, limbs[i].part, limbs[i].end, side, &to)) {
            aligns[limbs[i].part] = sni_align_direction(aligns[limbs[i].parent], from, to);
        }
    }
    aligns[SNI_BODY_HAND] = align_hand(r, side, aligns[SNI_BODY_FOREARM]);
    for (int part = SNI_BODY_THUMB; part <= SNI_BODY_LITTLE; ++part) {
        aligns[part] = aligns[SNI_BODY_HAND];
    }
    if (side != SNI_SIDE_NONE) {
        aligns[SNI_BODY_FOOT] = align_foot(r, side, aligns[SNI_BODY_HIPS]);
    }
    aligns[SNI_BODY_TOES] = aligns[SNI_BODY_FOOT];
}

// The only child that is moved as well, as far as there is exactly one.
static void find_only_children(sni_retarget *r) {
    const uint32_t several = SN_NONE - 1;
    uint32_t count = r->target.skeleton->segment_count;
    for (uint32_t i = 0; i < count; ++i) {
        r->only_child[i] = SN_NONE;
    }
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t parent = r->target.skeleton->segments[i].parent;
        if (parent != SN_NONE && r->links[i].linked) {
            r->only_child[parent] = r->only_child[parent] == SN_NONE ? i : several;
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        r->only_child[i] = r->only_child[i] == several ? SN_NONE : r->only_child[i];
    }
}

static bool way_to(const sni_stance *stance, uint32_t from, uint32_t to, sn_vec3 *direction) {
    sn_vec3 way = sn_vec3_sub(stance->positions[to], stance->positions[from]);
    *direction = sn_vec3_normalize_or(way, way);
    return sn_vec3_length(way) > 0;
}

// A segment that is no known part of a body takes its parent's alignment; in skeletons that are no
// bodies at all, bones with one paired child are aligned by their direction.
static void align_other(sni_retarget *r, uint32_t segment, bool is_body) {
    sni_link *link = &r->links[segment];
    uint32_t parent = r->target.skeleton->segments[segment].parent;
    uint32_t child = r->only_child[segment];
    sn_vec3 from, to;
    link->align = parent != SN_NONE ? r->links[parent].align : sn_quat_identity();
    if (!is_body && link->linked && child != SN_NONE && way_to(&r->target, segment, child, &from) &&
        way_to(&r->source, link->a, r->links[child].a, &to)) {
        link->align = sni_align_direction(link->align, from, to);
    }
}

// One body in two rest poses: every bone is known, also those whose place is a matter of taste; but
// for hands without fingers.
static void align_same(sni_retarget *r) {
    for (uint32_t i = 0; i < r->target.skeleton->segment_count; ++i) {
        sni_body_role role = r->target.body.roles[i];
        bool bare = role.part == SNI_BODY_HAND && !r->same_rest &&
                    first_of(&r->source, SNI_BODY_THUMB, role.side) == SN_NONE;
        r->links[i].align = bare ? align_hand(r, role.side, r->aligns[i]) : r->aligns[i];
    }
}

// Of a spine each segment has its share of the twist between hips and shoulders.
static void align_spine(sni_retarget *r, uint32_t segment,
                        const sn_quat aligns[SNI_BODY_PART_COUNT]) {
    const sni_body *body = &r->target.body;
    uint32_t count = body->count[SNI_BODY_SPINE][SNI_SIDE_NONE];
    const uint32_t *members = body->members + body->first[SNI_BODY_SPINE][SNI_SIDE_NONE];
    for (uint32_t i = 0; i < count; ++i) {
        if (members[i] == segment) {
            r->links[segment].align =
                sn_quat_slerp(aligns[SNI_BODY_HIPS], aligns[SNI_BODY_SPINE], (i + 1.0) / count);
        }
    }
}

void sni_retarget_align(sni_retarget *r) {
    SN_ASSERT(r->links != NULL || r->target.skeleton->segment_count == 0);
    if (r->same_skeleton) {
        align_same(r);
        return;
    }
    sn_quat aligns[SNI_SIDE_COUNT][SNI_BODY_PART_COUNT];
    bool is_body = r->target.body.roles[r->root_target].part == SNI_BODY_HIPS;
    for (int side = 0; side < SNI_SIDE_COUNT; ++side) {
        align_limbs(r, (sni_body_side)side, aligns[side]);
    }
    find_only_children(r);
    for (uint32_t i = 0; i < r->target.skeleton->segment_count; ++i) {
        uint32_t segment = r->target.skeleton->parents_first[i];
        sni_body_role role = r->target.body.roles[segment];
        if (role.part == SNI_BODY_NONE) {
            align_other(r, segment, is_body);
        } else {
            r->links[segment].align = aligns[role.side][role.part];
        }
        if (role.part == SNI_BODY_SPINE && r->rest_frame != SN_NONE) {
            align_spine(r, segment, aligns[SNI_SIDE_NONE]);
        }
    }
}
