// SPDX-License-Identifier: Apache-2.0
//
// Soles that stay out of the ground.
//
// The ground under a foot is as high as the lowest point of the feet in the target's rest pose. A
// foot with toes bends at its ball, and is raised by the leg where any of its points is lower. A
// foot without toes is one stiff piece. Its turn away from the stance is a tilt T, which takes
// upright to where the foot's own upright is, after a turn F about upright, under which it stays as
// flat as it stands:
//
//     R = T F,    and    R(s) = T^s F,    0 <= s <= 1,
//
// is the same foot tilted less. Clips are captured on feet of another length and width, so that a
// foot is tilted no farther than it is out of the ground: s is the largest with which none of its
// points is below. Where the ankle is lower than it stands, no point is deeper than when it is
// flat, and the leg raises the rest.
//
// All that depends on the pose alone and is continuous, so nothing jumps.
#include "motion/retarget_feet.h"

#include "base/hermite.h"
#include "motion/skeleton.h"

#include <math.h>

// Feet that are tilted more do not stand: those of somebody who kneels or lies.
static const double stands_until = 60 * SN_PI / 180, lies_from = 90 * SN_PI / 180;

// ---------------------------------------------------------------------------------------------
// Making

// Whether a segment is the foot or hangs on it.
static bool is_of_foot(const sni_retarget *r, uint32_t segment, uint32_t foot) {
    return segment == foot || sni_skeleton_carries(r->target.skeleton, foot, segment);
}

static bool add_point(const sni_retarget *r, uint32_t segment, sn_vec3 at, uint32_t foot,
                      sni_sole *sole) {
    sn_mat4 inverse;
    if (!sn_mat4_invert(&r->target.worlds[segment], &inverse)) {
        return false;
    }
    sole->points[sole->count++] =
        (sni_sole_point){.segment = segment,
                         .local = sn_mat4_point(&inverse, at),
                         .arm = sn_vec3_sub(at, r->target.positions[foot])};
    sole->level = fmin(sole->level, at.y);
    return true;
}

// Where no skin tells, the sole is the ball, or the tip of a foot without one, as far as bones
// tell. The tip is taken to be as high as the ankle: it is not to get lower than that stands.
static void guess_sole(const sni_retarget *r, uint32_t foot, uint32_t toes, double length,
                       sni_sole *sole) {
    sn_vec3 left, up;
    sole->level = INFINITY;
    if (!sole->stiff) {
        (void)add_point(r, toes, r->target.positions[toes], foot, sole);
    } else if (length > 0 && sni_stance_axes(&r->target, &left, &up)) {
        sn_vec3 front = sn_vec3_cross(left, up);
        front.y = 0;
        front = sn_vec3_normalize_or(front, front);
        sn_vec3 tip = sn_vec3_add_scaled(r->target.positions[foot], length, front);
        (void)add_point(r, foot, tip, foot, sole);
    }
}

static void take_skin(const sni_retarget *r, uint32_t foot, sni_sole *sole) {
    sole->level = INFINITY;
    for (uint32_t i = 0; i < r->desc->skin_count; ++i) {
        const sn_skin_point *point = &r->desc->skin[i];
        if (is_of_foot(r, point->segment, foot)) {
            (void)add_point(r, point->segment, point->at, foot, sole);
        }
    }
}

// Both feet stand on one ground.
static void share_level(sni_sole soles[2]) {
    if (soles[0].is_skin && soles[1].is_skin) {
        soles[0].level = soles[1].level = fmin(soles[0].level, soles[1].level);
    }
}

sn_status sni_soles_init(const sni_retarget *r, const uint32_t followed[SNI_FOLLOWED_COUNT][2],
                         const sni_toe *toes, sni_sole soles[2], sn_error *error) {
    sn_status status = SN_OK;
    for (int side = 0; side < 2; ++side) {
        uint32_t foot = followed[SNI_FOLLOWED_FOOT][side];
        uint32_t ball = followed[SNI_FOLLOWED_TOES][side];
        soles[side] =
            (sni_sole){.foot = foot, .stiff = ball == SN_NONE || !(toes[ball].length > 0)};
        SNI_NEW(r->context, soles[side].points, (size_t)r->desc->skin_count + 1);
        take_skin(r, foot, &soles[side]);
        soles[side].is_skin = soles[side].count > 0;
        if (!soles[side].is_skin) {
            guess_sole(r, foot, ball, sni_foot_bones(&r->target, foot), &soles[side]);
        }
    }
    share_level(soles);
cleanup:
    return status;
}

void sni_soles_deinit(sn_context *context, sni_sole soles[2]) {
    sni_free(context, soles[0].points);
    sni_free(context, soles[1].points);
    soles[0] = soles[1] = (sni_sole){0};
}

// ---------------------------------------------------------------------------------------------
// One pose

double sni_sole_depth(const sni_sole *sole, const sn_mat4 *worlds) {
    double lowest = INFINITY;
    for (uint32_t i = 0; i < sole->count; ++i) {
        const sni_sole_point *point = &sole->points[i];
        lowest = fmin(lowest, sn_mat4_point(&worlds[point->segment], point->local).y);
    }
    return sole->count > 0 ? sole->level - lowest : -INFINITY;
}

// The same of a stiff foot with its ankle at a height, turned away from its stance.
static double turned_depth(const sni_sole *sole, double ankle, sn_quat turn) {
    // The height that a rotation q gives to v is v . (q^-1 up).
    sn_vec3 up = sn_quat_rotate(sn_quat_conjugate(turn), sn_vec3_make(0, 1, 0));
    double lowest = INFINITY;
    for (uint32_t i = 0; i < sole->count; ++i) {
        lowest = fmin(lowest, sn_vec3_dot(sole->points[i].arm, up));
    }
    return sole->level - ankle - lowest;
}

static sn_quat tilted(sn_quat tilt, double share, sn_quat flat) {
    return sn_quat_multiply(sn_quat_slerp(sn_quat_identity(), tilt, share), flat);
}

static double longest_arm(const sni_sole *sole) {
    double most = 0;
    for (uint32_t i = 0; i < sole->count; ++i) {
        most = fmax(most, sn_vec3_length(sole->points[i].arm));
    }
    return most;
}

// How much a tilted foot is taken to stand, 0 to 1. One that is tilted far lies. So does one that
// gets deeper where it is made flatter, such as a heel with the tip up: it would flip to flat.
static double standing(const sni_sole *sole, double ankle, sn_quat tilt, sn_quat flat,
                       double angle) {
    const double step = fmin(angle, 10 * SN_PI / 180), certain = 0.1; // of the longest arm
    double less = turned_depth(sole, ankle, tilted(tilt, 1 - step / angle, flat));
    double gained = (turned_depth(sole, ankle, tilted(tilt, 1, flat)) - less) / step;
    return sni_smooth_step((lies_from - angle) / (lies_from - stands_until)) *
           sni_smooth_step(gained / (certain * longest_arm(sole)));
}

sn_quat sni_sole_untilt(const sni_sole *sole, double ankle, sn_quat turn) {
    const int halvings = 26; // a millionth of a degree
    if (sole->count == 0) {
        return turn;
    }
    sn_vec3 up = {0, 1, 0}, own = sn_quat_rotate(turn, up);
    sn_quat tilt = sn_quat_between(up, own);
    sn_quat flat = sn_quat_multiply(sn_quat_conjugate(tilt), turn);
    double allowed = fmax(0, turned_depth(sole, ankle, flat));
    if (!(turned_depth(sole, ankle, turn) > allowed)) {
        return turn;
    }
    double out = 0, in = 1; // shares of the tilt
    for (int i = 0; i < halvings; ++i) {
        double middle = (out + in) / 2;
        bool below = turned_depth(sole, ankle, tilted(tilt, middle, flat)) > allowed;
        *(below ? &in : &out) = middle;
    }
    double angle = acos(fmin(fmax(own.y, -1), 1));
    double stands = angle > 0 ? standing(sole, ankle, tilt, flat, angle) : 0;
    return tilted(tilt, 1 + stands * (out - 1), flat);
}
