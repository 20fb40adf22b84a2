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
#include "motion/retarget.h"

#include <math.h>
#include <string.h>

// Worlds that differ by less than this from quarter turns differ by taste, not by their axes.
static const double quarter_turn_cosine = 0.9; // 25 degrees

static uint32_t first_of(const sni_stance *stance, sni_body_part part, sni_body_side side) {
    return sni_body_first(&stance->body, part, side);
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
static sn_vec3 foot_up(const sni_stance *stance, sni_body_side side) {
    const sn_vec3 up = stance->up;
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

static void align_limbs(const sni_retarget *r, sni_body_side side,
                        sn_quat aligns[SNI_BODY_PART_COUNT]) {
    static const struct {
        sni_body_part part, parent, end;
    } limbs[] = {{SNI_BODY_UPPER_ARM, SNI_BODY_NONE, SNI_BODY_FOREARM},
                 {SNI_BODY_FOREARM, SNI_BODY_UPPER_ARM, SNI_BODY_HAND},
                 {SNI_BODY_THIGH, SNI_BODY_NONE, SNI_BODY_SHIN},
                 {SNI_BODY_SHIN, SNI_BODY_THIGH, SNI_BODY_FOOT}};
    for (int part = 0; part < SNI_BODY_PART_COUNT; ++part) {
        aligns[part] = sn_quat_identity();
    }
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
    aligns[SNI_BODY_FOOT] = sn_quat_between(foot_up(&r->target, side), foot_up(&r->source, side));
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
    bool known =
        link->linked && link->a != SN_NONE && child != SN_NONE && r->links[child].a != SN_NONE;
    if (!is_body && known && way_to(&r->target, segment, child, &from) &&
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
    }
}

// ---------------------------------------------------------------------------------------------
// Scale

// The body's place is the middle between the thighs: that is anatomy, where the joint of the hips
// lies about it is taste, and a bow would lift or sink the feet by the difference.

typedef struct body_height {
    sn_vec3 place;
    double above; // height of the place over the lowest joint of a foot, legs straight down
    double floor; // height of that joint in the stance
} body_height;

static double lowest_joint(const sni_stance *stance, bool feet_only) {
    double lowest = INFINITY;
    for (uint32_t i = 0; i < stance->skeleton->segment_count; ++i) {
        sni_body_part part = stance->body.roles[i].part;
        if (!feet_only || part == SNI_BODY_FOOT || part == SNI_BODY_TOES) {
            lowest = fmin(lowest, stance->positions[i].y);
        }
    }
    return lowest;
}

static double joint_distance(const sni_stance *stance, sni_body_part a, sni_body_part b,
                             sni_body_side side) {
    uint32_t from = first_of(stance, a, side), to = first_of(stance, b, side);
    return from == SN_NONE || to == SN_NONE
               ? NAN
               : sn_vec3_distance(stance->positions[from], stance->positions[to]);
}

// Thigh, shin, and ankle over toes: in a stance legs may be spread. NAN where a part is missing.
static double leg_length(const sni_stance *stance, sni_body_side side) {
    uint32_t foot = first_of(stance, SNI_BODY_FOOT, side);
    const sni_body *body = &stance->body;
    double sole = 0;
    for (uint32_t i = 0; foot != SN_NONE && i < body->count[SNI_BODY_TOES][side]; ++i) {
        uint32_t toe = body->members[body->first[SNI_BODY_TOES][side] + i];
        sn_vec3 way = sn_vec3_sub(stance->positions[foot], stance->positions[toe]);
        sole = fmax(sole, sn_vec3_dot(way, foot_up(stance, side)));
    }
    return joint_distance(stance, SNI_BODY_THIGH, SNI_BODY_SHIN, side) +
           joint_distance(stance, SNI_BODY_SHIN, SNI_BODY_FOOT, side) + sole;
}

static body_height measure_legs(const sni_stance *stance) {
    uint32_t left = first_of(stance, SNI_BODY_THIGH, SNI_SIDE_LEFT);
    uint32_t right = first_of(stance, SNI_BODY_THIGH, SNI_SIDE_RIGHT);
    if (left == SN_NONE || right == SN_NONE) {
        return (body_height){.above = NAN};
    }
    return (body_height){
        .place = sn_vec3_lerp(stance->positions[left], stance->positions[right], 0.5),
        .above = 0.5 * (leg_length(stance, SNI_SIDE_LEFT) + leg_length(stance, SNI_SIDE_RIGHT)),
        .floor = lowest_joint(stance, true)};
}

static body_height measure_root(const sni_stance *stance, uint32_t root) {
    body_height height = {.place = stance->positions[root], .floor = lowest_joint(stance, false)};
    height.above = height.place.y - height.floor;
    return height;
}

// BVH files have their hips at the origin: such a stance does not say where the floor is.
static bool stands_on_floor(body_height height) {
    return fabs(height.floor) <= 0.25 * height.above;
}

// One body moves as it did, only larger or smaller.
static void scale_same(sni_retarget *r) {
    r->anchors[0] = r->anchors[1] = r->root_source;
    r->place = r->target.positions[r->root_target];
    r->scale = r->desc->scale > 0 ? r->desc->scale : r->same_scale;
    r->shift = sn_vec3_make(0, 0, 0);
}

void sni_retarget_scale(sni_retarget *r) {
    body_height s = measure_legs(&r->source), t = measure_legs(&r->target);
    if (r->same_skeleton) {
        scale_same(r);
        return;
    }
    bool by_legs =
        s.above > 0 && t.above > 0 && r->target.body.roles[r->root_target].part == SNI_BODY_HIPS;
    if (!by_legs) {
        s = measure_root(&r->source, r->root_source);
        t = measure_root(&r->target, r->root_target);
    }
    for (int i = 0; i < 2; ++i) {
        sni_body_side side = i == 0 ? SNI_SIDE_LEFT : SNI_SIDE_RIGHT;
        r->anchors[i] = by_legs ? first_of(&r->source, SNI_BODY_THIGH, side) : r->root_source;
    }
    r->place = t.place;
    bool measured = s.above > 0 && t.above > 0;
    r->leg = by_legs ? t.above : 0;
    r->scale = r->desc->scale > 0 ? r->desc->scale : measured ? t.above / s.above : 1;
    // Where both stand, feet that touch the floor do so again; else floors are taken to be at 0 and
    // joints to be over the soles in proportion.
    double lift = stands_on_floor(s) && stands_on_floor(t) ? t.floor - r->scale * s.floor : 0;
    r->shift =
        sn_vec3_make(t.place.x - r->scale * s.place.x, lift, t.place.z - r->scale * s.place.z);
}
