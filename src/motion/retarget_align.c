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

// Limbs that differ by less than this from the axes of the body make a T-pose.
static const double t_pose_cosine = 0.94; // 20 degrees

// ---------------------------------------------------------------------------------------------
// Stances

sn_status sni_stance_init(sn_context *context, const sn_skeleton *skeleton, sni_stance *stance,
                          sn_error *error) {
    sn_status status = SN_OK;
    sn_transform *locals = NULL;
    stance->skeleton = skeleton;
    SN_TRY(sni_body_init(context, skeleton, &stance->body, error));
    SNI_NEW(context, stance->rotations, skeleton->segment_count);
    SNI_NEW(context, stance->positions, skeleton->segment_count);
    SNI_NEW(context, locals, skeleton->segment_count);
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        locals[i] = sni_segment_rest_local(&skeleton->segments[i]);
    }
    sni_stance_set(stance, locals);
cleanup:
    sni_free(context, locals);
    return status;
}

void sni_stance_deinit(sn_context *context, sni_stance *stance) {
    sni_body_deinit(context, &stance->body);
    sni_free(context, stance->rotations);
    sni_free(context, stance->positions);
    *stance = (sni_stance){0};
}

void sni_stance_set(sni_stance *stance, const sn_transform *locals) {
    SN_ASSERT(stance->skeleton->segment_count == 0 || locals != NULL);
    const sn_skeleton *skeleton = stance->skeleton;
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        uint32_t segment = skeleton->parents_first[i];
        uint32_t parent = skeleton->segments[segment].parent;
        sn_quat rotation = sn_quat_normalize(locals[segment].rotation);
        sn_vec3 position = locals[segment].translation;
        if (parent != SN_NONE) {
            rotation = sn_quat_multiply(stance->rotations[parent], rotation);
            position = sn_vec3_multiply(locals[parent].scale, position);
            position = sn_vec3_add(stance->positions[parent],
                                   sn_quat_rotate(stance->rotations[parent], position));
        }
        stance->rotations[segment] = rotation;
        stance->positions[segment] = position;
    }
}

static uint32_t first_of(const sni_stance *stance, sni_body_part part, sni_body_side side) {
    return sni_body_first(&stance->body, part, side);
}

// From the first joint of one part to that of another; false when one is missing or they coincide.
static bool direction_between(const sni_stance *stance, sni_body_part from, sni_body_part to,
                              sni_body_side side, sn_vec3 *direction) {
    uint32_t a = first_of(stance, from, side), b = first_of(stance, to, side);
    if (a == SN_NONE || b == SN_NONE) {
        return false;
    }
    sn_vec3 way = sn_vec3_sub(stance->positions[b], stance->positions[a]);
    *direction = sn_vec3_normalize_or(way, way);
    return sn_vec3_length(way) > 0;
}

// The body's axes in a stance: x to its left, y up along the trunk. False where its parts do not
// tell.
static bool stance_axes(const sni_stance *stance, sn_vec3 *left, sn_vec3 *up) {
    static const sni_body_part pairs[] = {SNI_BODY_THIGH, SNI_BODY_UPPER_ARM};
    static const sni_body_part tops[] = {SNI_BODY_HEAD, SNI_BODY_NECK};
    sn_vec3 across = {0, 0, 0};
    for (int i = 0; i < 2; ++i) {
        uint32_t a = first_of(stance, pairs[i], SNI_SIDE_LEFT);
        uint32_t b = first_of(stance, pairs[i], SNI_SIDE_RIGHT);
        if (a != SN_NONE && b != SN_NONE) {
            sn_vec3 way = sn_vec3_sub(stance->positions[a], stance->positions[b]);
            across = sn_vec3_add(across, way);
        }
    }
    uint32_t hips = first_of(stance, SNI_BODY_HIPS, SNI_SIDE_NONE);
    uint32_t top = SN_NONE;
    for (int i = 0; i < 2 && top == SN_NONE; ++i) {
        top = first_of(stance, tops[i], SNI_SIDE_NONE);
    }
    if (hips == SN_NONE || top == SN_NONE) {
        return false;
    }
    const sn_vec3 zero = {0, 0, 0};
    *up = sn_vec3_normalize_or(sn_vec3_sub(stance->positions[top], stance->positions[hips]), zero);
    across = sn_vec3_add_scaled(across, -sn_vec3_dot(across, *up), *up);
    *left = sn_vec3_normalize_or(across, zero);
    return sn_vec3_length(*up) > 0 && sn_vec3_length(*left) > 0;
}

bool sni_stance_is_t_pose(const sni_stance *stance) {
    static const sni_body_part limbs[][2] = {{SNI_BODY_UPPER_ARM, SNI_BODY_FOREARM},
                                             {SNI_BODY_FOREARM, SNI_BODY_HAND},
                                             {SNI_BODY_THIGH, SNI_BODY_SHIN},
                                             {SNI_BODY_SHIN, SNI_BODY_FOOT}};
    sn_vec3 left, up, direction;
    if (!stance_axes(stance, &left, &up)) {
        return false;
    }
    for (int side = SNI_SIDE_LEFT; side <= SNI_SIDE_RIGHT; ++side) {
        for (int i = 0; i < 4; ++i) {
            double sign = side == SNI_SIDE_LEFT ? 1 : -1;
            sn_vec3 expected = i < 2 ? sn_vec3_scale(left, sign) : sn_vec3_scale(up, -1);
            if (!direction_between(stance, limbs[i][0], limbs[i][1], (sni_body_side)side,
                                   &direction) ||
                sn_vec3_dot(direction, expected) < t_pose_cosine) {
                return false;
            }
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------
// The turn between the worlds

static sn_quat quat_of_axes(sn_vec3 x, sn_vec3 y) {
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
    r->turn = sn_quat_identity();
    if (r->same_skeleton || !stance_axes(&r->source, &left_s, &up_s) ||
        !stance_axes(&r->target, &left_t, &up_t)) {
        return;
    }
    sn_quat turn =
        sn_quat_multiply(quat_of_axes(left_t, up_t), sn_quat_conjugate(quat_of_axes(left_s, up_s)));
    sn_vec3 x = nearest_axis(sn_quat_rotate(turn, sn_vec3_make(1, 0, 0)));
    sn_vec3 y = nearest_axis(sn_quat_rotate(turn, sn_vec3_make(0, 1, 0)));
    bool quarter_turns = is_axis(x) && is_axis(y) && sn_vec3_dot(x, y) == 0;
    r->turn = quarter_turns ? quat_of_axes(x, y) : turn;
}

void sni_stance_rotate(sni_stance *stance, sn_quat turn) {
    for (uint32_t i = 0; i < stance->skeleton->segment_count; ++i) {
        stance->rotations[i] = sn_quat_multiply(turn, stance->rotations[i]);
        stance->positions[i] = sn_quat_rotate(turn, stance->positions[i]);
    }
}

void sni_stance_face(sni_stance *stance, const sni_stance *other) {
    const double worth_turning = 5 * SN_PI / 180; // less is the difference of left and right arm
    sn_vec3 a, b, up;
    if (stance_axes(stance, &a, &up) && stance_axes(other, &b, &up)) {
        double angle = atan2(a.z, a.x) - atan2(b.z, b.x); // positive about y turns x to -z
        angle = remainder(angle, 2 * SN_PI);
        if (fabs(angle) > worth_turning) {
            sni_stance_rotate(stance, sn_quat_from_axis_angle(sn_vec3_make(0, 1, 0), angle));
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Alignment

// After A_parent, the smallest turn that makes the directions equal.
static sn_quat align_direction(sn_quat parent, sn_vec3 target, sn_vec3 source) {
    sn_vec3 from = sn_quat_rotate(parent, target);
    return sn_quat_normalize(sn_quat_multiply(sn_quat_between(from, source), parent));
}

// The direction away from the floor under a foot. Square to the shin where the legs are spread and
// the toes lie in the plane of shin and forward rather than straight ahead.
static sn_vec3 foot_up(const sni_stance *stance, sni_body_side side) {
    const sn_vec3 up = {0, 1, 0};
    sn_vec3 shin, toe, left, trunk;
    if (!stance_axes(stance, &left, &trunk) ||
        !direction_between(stance, SNI_BODY_SHIN, SNI_BODY_FOOT, side, &shin) ||
        !direction_between(stance, SNI_BODY_FOOT, SNI_BODY_TOES, side, &toe)) {
        return up;
    }
    const double spread_sine = 0.1; // 6 degrees: less is not worth the guess
    double spread = sn_vec3_dot(shin, left);
    if (fabs(spread) < spread_sine || shin.y > -0.5) {
        return up;
    }
    sn_vec3 shin_side = sn_vec3_normalize_or(sn_vec3_add_scaled(left, -spread, shin), left);
    bool square = fabs(sn_vec3_dot(toe, shin_side)) < 0.5 * fabs(sn_vec3_dot(toe, left));
    sn_vec3 forward = sn_vec3_cross(left, up);
    sn_vec3 along = sn_vec3_add_scaled(shin, -sn_vec3_dot(shin, forward), forward);
    return square ? sn_vec3_normalize_or(sn_vec3_scale(along, -1), up) : up;
}

// Across `axis`, of length 1; false where there is nothing across it.
static bool across_axis(sn_vec3 v, sn_vec3 axis, sn_vec3 *across) {
    sn_vec3 left = sn_vec3_add_scaled(v, -sn_vec3_dot(v, axis), axis);
    *across = sn_vec3_normalize_or(left, left);
    return sn_vec3_length(left) > 0;
}

// In a T-pose palms look down and thumbs forward. A skeleton of bones stands as anatomists have it,
// palms forward: with the forearm's alignment it would carry trays. Less than `worth_turning` is
// how relaxed hands hang.
static sn_quat align_hand(const sni_retarget *r, sni_body_side side, sn_quat forearm) {
    const double worth_turning = 60 * SN_PI / 180;
    sn_vec3 left, up, axis, thumb, from, to;
    if (!sni_stance_is_t_pose(&r->source) || !stance_axes(&r->source, &left, &up) ||
        !direction_between(&r->source, SNI_BODY_FOREARM, SNI_BODY_HAND, side, &axis) ||
        !direction_between(&r->target, SNI_BODY_HAND, SNI_BODY_THUMB, side, &thumb) ||
        !across_axis(sn_quat_rotate(forearm, thumb), axis, &from) ||
        !across_axis(sn_vec3_cross(left, up), axis, &to)) {
        return forearm;
    }
    double angle = atan2(sn_vec3_dot(sn_vec3_cross(from, to), axis), sn_vec3_dot(from, to));
    if (fabs(angle) < worth_turning) {
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
        if (direction_between(&r->target, limbs[i].part, limbs[i].end, side, &from) &&
            direction_between(&r->source, limbs[i].part, limbs[i].end, side, &to)) {
            aligns[limbs[i].part] = align_direction(aligns[limbs[i].parent], from, to);
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
    if (!is_body && link->linked && child != SN_NONE && way_to(&r->target, segment, child, &from) &&
        way_to(&r->source, link->a, r->links[child].a, &to)) {
        link->align = align_direction(link->align, from, to);
    }
}

void sni_retarget_align(sni_retarget *r) {
    SN_ASSERT(r->links != NULL || r->target.skeleton->segment_count == 0);
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

void sni_retarget_scale(sni_retarget *r) {
    body_height s = measure_legs(&r->source), t = measure_legs(&r->target);
    bool by_legs = s.above > 0 && t.above > 0 && !r->same_skeleton &&
                   r->target.body.roles[r->root_target].part == SNI_BODY_HIPS;
    if (!by_legs) {
        s = measure_root(&r->source, r->root_source);
        t = measure_root(&r->target, r->root_target);
    }
    for (int i = 0; i < 2; ++i) {
        sni_body_side side = i == 0 ? SNI_SIDE_LEFT : SNI_SIDE_RIGHT;
        r->anchors[i] = by_legs ? first_of(&r->source, SNI_BODY_THIGH, side) : r->root_source;
    }
    r->anchor_offset = sn_vec3_sub(t.place, r->target.positions[r->root_target]);
    bool measured = s.above > 0 && t.above > 0;
    r->scale = r->desc->scale > 0 ? r->desc->scale : measured ? t.above / s.above : 1;
    // Where both stand, feet that touch the floor do so again; else floors are taken to be at 0 and
    // joints to be over the soles in proportion.
    double lift = stands_on_floor(s) && stands_on_floor(t) ? t.floor - r->scale * s.floor : 0;
    r->shift =
        sn_vec3_make(t.place.x - r->scale * s.place.x, lift, t.place.z - r->scale * s.place.z);
}
