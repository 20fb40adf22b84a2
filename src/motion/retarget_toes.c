// SPDX-License-Identifier: Apache-2.0
//
// Toes that stay on the ground.
//
// Most captured feet are one stiff piece from heel to tip: when the heel rises over the ball, the
// tip goes through the floor. Real toes stay flat there. A toe of the target whose ball is at the
// height h over where it stands, and whose tip is the length L ahead, is turned up about the ball
// as far as needed for its tip not to get lower than it stands:
//
//     L sin(pitch) >= -h.
//
// Feet without toes are kept out of it by retarget_sole.c.
//
// A ball that is far below stands on something lower, such as a stair, and its toes are left as
// they are. All that depends on the pose alone and is continuous, so nothing jumps.
#include "motion/retarget_feet.h"

#include "base/hermite.h"
#include "motion/skeleton.h"

#include <math.h>

// Tips are not joints: where toes have joints, the last piece is this part of what is before it;
// where they have none, toes are this part of the foot from ankle to ball.
static const double last_piece = 0.35, toes_of_foot = 0.5;
// Balls bend no farther than this.
static const double most_bend = 70 * SN_PI / 180;

// Whether toes begin at a segment.
static bool is_first_toe(const sni_stance *target, uint32_t segment) {
    uint32_t parent = target->skeleton->segments[segment].parent;
    return target->body.roles[segment].part == SNI_BODY_TOES && parent != SN_NONE &&
           target->body.roles[parent].part != SNI_BODY_TOES;
}

static double horizontal(sn_vec3 a, sn_vec3 b) {
    return hypot(a.x - b.x, a.z - b.z);
}

// From a joint to the farthest that hangs on it, along the ground.
static double chain_length(const sni_stance *target, uint32_t first) {
    double length = 0;
    for (uint32_t i = 0; i < target->skeleton->segment_count; ++i) {
        if (i != first && sni_skeleton_carries(target->skeleton, first, i)) {
            length = fmax(length, horizontal(target->positions[i], target->positions[first]));
        }
    }
    return length;
}

// From a joint to the farthest of the skin that follows it or what hangs on it, along the ground.
static double skin_length(const sni_retarget *r, uint32_t first) {
    double length = 0;
    for (uint32_t i = 0; i < r->desc->skin_count; ++i) {
        const sn_skin_point *point = &r->desc->skin[i];
        if (point->segment == first ||
            sni_skeleton_carries(r->target.skeleton, first, point->segment)) {
            length = fmax(length, horizontal(point->at, r->target.positions[first]));
        }
    }
    return length;
}

// From the ball to the tip, along the ground.
static double toe_length(const sni_retarget *r, uint32_t toe, sn_vec3 ankle) {
    double bones = (1 + last_piece) * chain_length(&r->target, toe);
    double guess = toes_of_foot * horizontal(r->target.positions[toe], ankle);
    return fmax(skin_length(r, toe), fmax(bones, guess));
}

double sni_foot_bones(const sni_stance *target, uint32_t foot) {
    return (1 + last_piece) * chain_length(target, foot);
}

sn_status sni_toes_init(const sni_retarget *r, double ground, sni_toe **toes, sn_error *error) {
    sn_status status = SN_OK;
    const sni_stance *target = &r->target;
    SNI_NEW_ZERO(r->context, *toes, target->skeleton->segment_count);
    for (uint32_t i = 0; i < target->skeleton->segment_count; ++i) {
        uint32_t foot = sni_body_first(&target->body, SNI_BODY_FOOT, target->body.roles[i].side);
        if (foot == SN_NONE || !is_first_toe(target, i) ||
            target->positions[i].y > target->positions[foot].y) {
            continue;
        }
        sn_vec3 ahead = sn_vec3_sub(target->positions[i], target->positions[foot]);
        ahead.y = 0;
        (*toes)[i] = (sni_toe){.length = toe_length(r, i, target->positions[foot]),
                               .ahead = sn_vec3_normalize_or(ahead, ahead),
                               .height = target->positions[i].y + ground,
                               .leg = r->legs[1]};
    }
cleanup:
    return status;
}

double sni_near_ground(double below) {
    const double near = 0.1, far = 0.2; // of a leg: 8 and 16 cm of an adult; a stair is higher
    return sni_smooth_step((far - below) / (far - near));
}

// Joints do not tell to better than `exact` whether a foot is flat. Over `soft` it begins with
// continuous speed, since kinks of it are jerks of the knee.
double sni_sole_lift(double below, bool is_skin) {
    // Of a leg: 10 and 24 mm of an adult, 4 and 16.
    const double exact = is_skin ? 0.005 : 0.0125, soft = is_skin ? 0.02 : 0.03;
    double x = fmax(below - exact, 0);
    return x < soft ? x * x / (2 * soft) : x - soft / 2;
}

sn_quat sni_toe_lift(const sni_toe *toe, sn_quat stance, sn_vec3 ball, sn_quat world) {
    sn_quat turn = sn_quat_multiply(world, sn_quat_conjugate(stance));
    sn_vec3 ahead = sn_quat_rotate(turn, toe->ahead);
    double least = -fmax(0, ball.y - toe->height) / toe->length;
    sn_vec3 axis = sn_vec3_cross(ahead, sn_vec3_make(0, 1, 0));
    if (!(ahead.y < least) || !(sn_vec3_length(axis) > 0)) {
        return world;
    }
    double angle = fmin(asin(fmax(least, -1)) - asin(fmax(ahead.y, -1)), most_bend);
    angle *= sni_near_ground((toe->height - ball.y) / toe->leg);
    sn_quat lift = sn_quat_from_axis_angle(sn_vec3_normalize_or(axis, axis), angle);
    return sn_quat_normalize(sn_quat_multiply(lift, world));
}
