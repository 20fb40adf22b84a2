// SPDX-License-Identifier: Apache-2.0
//
// Clips whose zero pose is no pose of a body: some tools write every bone along one axis, or at one
// point, and put what makes a body of them into the rotations of all frames. Measured from such a
// pose, turns mean nothing. A frame in which the body stands is its rest then. What differs from
// body to body in an ordinary pose is taken out where the anatomy tells (retarget_align.c): limbs
// by their directions, the trunk by hips and shoulders, feet by how they rest on the ground.
#include "motion/retarget_feet.h"

#include <math.h>

// A body stands where trunk and legs are this near to upright, and shoulders over the hips.
static const double upright_cosine = 0.96; // 16 degrees
static const double leg_cosine = 0.9;      // 26 degrees: in stride
static const double twist_cosine = 0.94;   // 20 degrees
// Legs beside the trunk, or both limbs of a pair to the same side: a pose of nobody.
static const double folded_cosine = -0.25;
static const double same_side_cosine = 0.7;
// A zero pose whose legs are less straight than this, as those of a sitting man or of a dog, is
// one, unless the clip shows that the body is of the kind that stands.
static const double sitting_cosine = 0.5;
// What a part at its zero rotation may differ from its mean over the clip, for that to be how it
// hangs on its parent.
static const double neutral_cosine = 0.94; // of half the angle: 40 degrees

static bool has_parts(const sni_stance *stance) {
    static const sni_body_part needed[] = {SNI_BODY_UPPER_ARM, SNI_BODY_THIGH, SNI_BODY_FOOT};
    bool known = true;
    for (int i = 0; i < 3; ++i) {
        known &= sni_body_first(&stance->body, needed[i], SNI_SIDE_LEFT) != SN_NONE &&
                 sni_body_first(&stance->body, needed[i], SNI_SIDE_RIGHT) != SN_NONE;
    }
    return known && sni_body_first(&stance->body, SNI_BODY_HIPS, SNI_SIDE_NONE) != SN_NONE;
}

// Whether left and right of a limb point to the same side of the body: one of them through it.
static bool points_to_one_side(const sni_stance *stance, sni_body_part from, sni_body_part to,
                               sn_vec3 left) {
    sn_vec3 a, b;
    if (!sni_stance_direction(stance, from, to, SNI_SIDE_LEFT, &a) ||
        !sni_stance_direction(stance, from, to, SNI_SIDE_RIGHT, &b)) {
        return false;
    }
    double x = sn_vec3_dot(a, left), y = sn_vec3_dot(b, left);
    return fmin(x, y) > same_side_cosine || fmax(x, y) < -same_side_cosine;
}

// ---------------------------------------------------------------------------------------------
// How well a body stands in a frame

static sn_vec3 middle(const sni_followed_places at, sni_followed joint) {
    return sn_vec3_lerp(at[joint][0], at[joint][1], 0.5);
}

static sn_vec3 unit(sn_vec3 v) {
    return sn_vec3_normalize_or(v, sn_vec3_make(0, 0, 0));
}

static sn_vec3 trunk_of(const sni_followed_places at) {
    return unit(sn_vec3_sub(middle(at, SNI_FOLLOWED_ARM), middle(at, SNI_FOLLOWED_THIGH)));
}

static sn_vec3 across_of(const sni_followed_places at, sni_followed joint, sn_vec3 up) {
    sn_vec3 line = sn_vec3_sub(at[joint][0], at[joint][1]);
    return unit(sn_vec3_add_scaled(line, -sn_vec3_dot(line, up), up));
}

// Cosines of trunk, legs and twist; 1 each in a body that stands to attention.
typedef struct standing {
    double trunk, legs, twist;
} standing;

static standing measure(const sni_followed_places at, sn_vec3 up) {
    standing s = {.trunk = sn_vec3_dot(trunk_of(at), up), .legs = 1};
    for (int side = 0; side < 2; ++side) {
        sn_vec3 leg = unit(sn_vec3_sub(at[SNI_FOLLOWED_THIGH][side], at[SNI_FOLLOWED_FOOT][side]));
        s.legs = fmin(s.legs, sn_vec3_dot(leg, up));
    }
    s.twist =
        sn_vec3_dot(across_of(at, SNI_FOLLOWED_ARM, up), across_of(at, SNI_FOLLOWED_THIGH, up));
    return s;
}

static bool stands(standing s) {
    return s.trunk > upright_cosine && s.legs > leg_cosine && s.twist > twist_cosine;
}

// The axis of the source's world that is up: people are upright most of the time.
static sn_vec3 up_axis(const sni_survey *survey) {
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t f = 0; f < survey->frame_count; ++f) {
        sum = sn_vec3_add(sum, trunk_of(survey->places[f]));
    }
    double x = fabs(sum.x), y = fabs(sum.y), z = fabs(sum.z);
    return y >= x && y >= z ? sn_vec3_make(0, sum.y < 0 ? -1 : 1, 0)
           : z >= x         ? sn_vec3_make(0, 0, sum.z < 0 ? -1 : 1)
                            : sn_vec3_make(sum.x < 0 ? -1 : 1, 0, 0);
}

static uint32_t standing_frame(const sni_survey *survey, standing *how) {
    sn_vec3 up = up_axis(survey);
    double most = -INFINITY;
    uint32_t best = 0;
    for (uint32_t f = 0; f < survey->frame_count; ++f) {
        standing s = measure(survey->places[f], up);
        double sum = s.trunk + s.legs + s.twist;
        if (stands(s)) {
            *how = s;
            return f;
        }
        if (sum > most) {
            most = sum;
            best = f;
            *how = s;
        }
    }
    return best;
}

bool sni_rest_is_pose(const sni_retarget *r, const sni_survey *survey, uint32_t *frame) {
    const sni_stance *zero = &r->source;
    sn_vec3 left, up;
    standing how = {0};
    *frame = 0;
    if (!has_parts(zero) || survey->frame_count == 0) {
        return true;
    }
    *frame = standing_frame(survey, &how);
    double legs = sni_stance_leg_cosine(zero);
    if (!sni_stance_axes(zero, &left, &up) || isnan(legs)) {
        return false; // joints that lie on one line or at one point
    }
    if (legs < sitting_cosine && sni_stance_leg_cosine(&r->target) < sitting_cosine) {
        return true; // both are on four legs
    }
    return legs > folded_cosine && (legs > sitting_cosine || !stands(how)) &&
           !points_to_one_side(zero, SNI_BODY_UPPER_ARM, SNI_BODY_HAND, left) &&
           !points_to_one_side(zero, SNI_BODY_THIGH, SNI_BODY_FOOT, left);
}

// ---------------------------------------------------------------------------------------------

// The turn that makes an axis y. A body that faces the other way of the third axis keeps facing
// it: z-up worlds have the viewer at -y, which becomes +z.
static sn_quat turn_up(sn_vec3 axis) {
    const sn_vec3 x = {1, 0, 0}, z = {0, 0, 1};
    return axis.y > 0    ? sn_quat_identity()
           : axis.y < 0  ? sn_quat_from_axis_angle(x, SN_PI)
           : axis.z != 0 ? sn_quat_from_axis_angle(x, axis.z > 0 ? -SN_PI / 2 : SN_PI / 2)
                         : sn_quat_from_axis_angle(z, axis.x > 0 ? SN_PI / 2 : -SN_PI / 2);
}

sn_quat sni_rest_turn(const sni_retarget *r, const sni_survey *survey) {
    const double axis_cosine = 0.9; // as where worlds are told by two rest poses
    sn_vec3 left, up;
    sn_quat there = sn_quat_identity();
    if (!sni_survey_has(survey, SNI_FOLLOWED_ARM) || !sni_survey_has(survey, SNI_FOLLOWED_THIGH)) {
        return there;
    }
    if (sni_stance_axes(&r->target, &left, &up)) {
        sn_vec3 axis = fabs(up.z) > axis_cosine   ? sn_vec3_make(0, 0, copysign(1, up.z))
                       : fabs(up.x) > axis_cosine ? sn_vec3_make(copysign(1, up.x), 0, 0)
                                                  : sn_vec3_make(0, 1, 0);
        there = turn_up(axis);
    }
    return sn_quat_multiply(sn_quat_conjugate(there), turn_up(up_axis(survey)));
}

static bool is_relaxed(sni_body_part part) {
    return part == SNI_BODY_NECK || part == SNI_BODY_HEAD || part == SNI_BODY_HAND ||
           part == SNI_BODY_TOES || part >= SNI_BODY_THUMB;
}

// A bone of zero rotation goes on straight from its parent, which is how heads, hands and fingers
// are at ease; toes are as they are on average, since what is straight on from an ankle to the ball
// points into the ground.
void sni_rest_relax(const sni_retarget *r, const sni_survey *survey, sn_transform *locals) {
    const sni_stance *source = &r->source;
    for (uint32_t i = 0; i < source->skeleton->segment_count; ++i) {
        sni_body_part part = source->body.roles[i].part;
        if (!is_relaxed(part)) {
            continue;
        }
        sn_quat zero =
            sn_quat_normalize(sni_segment_rest_local(&source->skeleton->segments[i]).rotation);
        bool near = fabs(sn_quat_dot(zero, survey->means[i])) > neutral_cosine;
        if (part == SNI_BODY_TOES) {
            locals[i].rotation = survey->means[i];
        } else if (near) {
            locals[i].rotation = zero;
        }
    }
}
