// SPDX-License-Identifier: Apache-2.0
//
// Legs of the target that are held where those of the clip are planted, and feet that are kept out
// of the ground.
#include "motion/retarget_internal.h"

#include <math.h>

sn_vec3 sni_bake_followed_place(const sni_baker *b, sni_followed joint, int side) {
    uint32_t segment = b->followed[joint][side];
    return segment != SN_NONE ? sni_place_of(&b->worlds[segment]) : sn_vec3_make(0, 0, 0);
}

// Whether the target has legs that can be held: those of a body that stands on them.
bool sni_bake_can_plant(const sni_baker *b) {
    const sni_retarget *r = &b->r;
    const double standing_cosine = 0.5; // a dog has 0
    bool can = r->desc->plant_feet && !r->same_skeleton && b->contacts.kinds[0] != NULL &&
               sni_stance_leg_cosine(&r->target) > standing_cosine;
    for (int i = SNI_FOLLOWED_THIGH; i <= SNI_FOLLOWED_SHIN && can; ++i) {
        can = r->links[b->followed[i][0]].linked && r->links[b->followed[i][1]].linked;
    }
    return can;
}

// Whether a foot rests at any time.
static bool has_contact(const sni_baker *b) {
    for (uint32_t f = 0; f < b->r.clip->frame_count; ++f) {
        if (b->contacts.kinds[0][f] != SNI_CONTACT_NONE ||
            b->contacts.kinds[1][f] != SNI_CONTACT_NONE) {
            return true;
        }
    }
    return false;
}

// Whether both ankles come down to one height again and again, as in a walk on the spot, where feet
// touch the ground but do not rest: what never touches the ground does not say where it is.
static bool treads(const sni_baker *b) {
    const double close = 0.08 * b->r.legs[0], share = 0.08;
    const uint32_t count = b->r.clip->frame_count, least = 8;
    double lows[2] = {INFINITY, INFINITY}, near[2] = {0};
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t f = 0; f < 2 * count; ++f) {
            sn_vec3 ankle = b->survey.places[f / 2][SNI_FOLLOWED_FOOT][f % 2];
            double y = sn_quat_rotate(b->r.turn, ankle).y;
            lows[f % 2] = pass == 0 ? fmin(lows[f % 2], y) : lows[f % 2];
            near[f % 2] += pass == 1 && y < lows[f % 2] + close;
        }
    }
    return count >= least && fabs(lows[0] - lows[1]) < close && near[0] > share * count &&
           near[1] > share * count;
}

// The mean of both ankles stands where it does at rest, over the ground that was found.
static double find_ground(const sni_baker *b) {
    double mean = 0;
    for (int side = 0; side < 2; ++side) {
        mean += 0.5 * b->r.target.positions[b->followed[SNI_FOLLOWED_FOOT][side]].y;
    }
    return b->contacts.frames > 0 ? b->r.shift.y + b->r.scale * b->contacts.ankle_level - mean : 0;
}

sn_status sni_bake_open_feet(sni_baker *b, sn_error *error) {
    sn_status status = SN_OK;
    if (!sni_bake_can_plant(b)) {
        return SN_OK;
    }
    b->ground = find_ground(b);
    if (has_contact(b) || treads(b)) {
        SN_TRY(sni_toes_init(&b->r, b->ground, &b->toes, error));
        SN_TRY(sni_soles_init(&b->r, b->followed, b->toes, b->soles, error));
        b->soles[0].level += b->ground;
        b->soles[1].level += b->ground;
    }
cleanup:
    return status;
}

const sni_sole *sni_bake_stiff_sole(const sni_baker *b, uint32_t segment) {
    for (int side = 0; side < 2; ++side) {
        const sni_sole *sole = &b->soles[side];
        if (sole->stiff && sole->count > 0 && sole->foot == segment) {
            return sole;
        }
    }
    return NULL;
}

// The segment that turns as the whole thigh does: the last, where several share its twist.
static uint32_t knee_carrier(const sni_baker *b, int side) {
    const sn_segment *segments = b->r.target.skeleton->segments;
    uint32_t thigh = b->followed[SNI_FOLLOWED_THIGH][side];
    uint32_t last = segments[b->followed[SNI_FOLLOWED_SHIN][side]].parent;
    if (!sni_twist_is_shared(&b->r, thigh)) {
        return thigh;
    }
    while (last != thigh && b->r.target.body.roles[last].part != SNI_BODY_THIGH) {
        last = segments[last].parent;
    }
    return last;
}

// Knees point to where the trunk faces at rest.
static void find_knees(sni_baker *b) {
    const sni_stance *target = &b->r.target;
    sn_vec3 left = {1, 0, 0}, up = {0, 1, 0};
    (void)sni_stance_axes(target, &left, &up);
    for (int side = 0; side < 2; ++side) {
        sn_quat thigh = target->rotations[knee_carrier(b, side)];
        b->knees_ahead[side] = sn_quat_rotate(sn_quat_conjugate(thigh), sn_vec3_cross(left, up));
    }
}

static void measure_rest_heights(sni_baker *b) {
    static const sni_followed joints[2] = {SNI_FOLLOWED_FOOT, SNI_FOLLOWED_TOES};
    for (int i = 0; i < 2; ++i) {
        for (int side = 0; side < 2; ++side) {
            uint32_t segment = b->followed[joints[i]][side];
            segment = segment != SN_NONE ? segment : b->followed[SNI_FOLLOWED_FOOT][side];
            b->plant.rest_heights[i][side] = b->r.target.positions[segment].y + b->ground;
        }
    }
}

// Bends a leg of the posed target so that its ankle comes to `goal`.
static void turn_leg(sni_baker *b, int side, sn_vec3 goal, double most, double strength) {
    sn_vec3 hip = sni_bake_followed_place(b, SNI_FOLLOWED_THIGH, side);
    sn_vec3 knee = sni_bake_followed_place(b, SNI_FOLLOWED_SHIN, side);
    sn_vec3 ankle = sni_bake_followed_place(b, SNI_FOLLOWED_FOOT, side);
    sn_quat thigh = b->rotations[knee_carrier(b, side)], turns[2];
    sni_leg_bend(hip, knee, ankle, goal, sn_quat_rotate(thigh, b->knees_ahead[side]), most, turns);
    for (int i = 0; i < 2; ++i) {
        sn_quat turn =
            strength < 1 ? sn_quat_slerp(sn_quat_identity(), turns[i], strength) : turns[i];
        b->leg_turns[side][i] = sn_quat_normalize(sn_quat_multiply(turn, b->leg_turns[side][i]));
    }
}

// Raises a foot of which a point is below the ground: captured ankles may rest while their feet
// are tilted, and the feet of the target may be longer and wider. It goes on where it stops, so
// nothing jumps. Where a clip has stairs, what is far below may stand on a lower one.
static void lift_soles(sni_baker *b, sn_vec3 moved) {
    const double leg = b->r.legs[1];
    bool lifted = false;
    for (int side = 0; side < 2; ++side) {
        double below = sni_sole_depth(&b->soles[side], b->worlds) / leg;
        double lift = leg * sni_sole_lift(below, b->soles[side].is_skin);
        lift *= b->contacts.is_level ? 1 : sni_near_ground(below);
        if (lift > 0) {
            sn_vec3 ankle = sni_bake_followed_place(b, SNI_FOLLOWED_FOOT, side);
            double most = sni_leg_most(sni_bake_followed_place(b, SNI_FOLLOWED_THIGH, side),
                                       sni_bake_followed_place(b, SNI_FOLLOWED_SHIN, side), ankle);
            ankle.y += lift;
            turn_leg(b, side, ankle, most, 1);
            lifted = true;
        }
    }
    if (lifted) {
        b->legs_turn = b->feet_keep_turn = true;
        sni_bake_pose_target(b, moved);
        b->feet_keep_turn = false;
    }
}

// Poses the target with its legs bent. A second time where joints of the legs move on their own, so
// that the first one is not exact.
void sni_bake_pose_planted(sni_baker *b, uint32_t frame) {
    const int rounds = 2;
    const sni_leg_plan *legs = b->plant.legs[frame];
    double sink = b->plant.sink[frame];
    sn_vec3 moved = sn_vec3_add_scaled(b->plant.body[frame], -sink, sn_vec3_make(0, 1, 0));
    bool same = sink == 0;
    for (int side = 0; side < 2; ++side) {
        same &= sn_vec3_length(legs[side].shift) == 0;
        b->leg_turns[side][0] = b->leg_turns[side][1] = sn_quat_identity();
    }
    sni_bake_pose_target(b, moved);
    for (int i = 0; i < rounds && !same; ++i) {
        for (int side = 0; side < 2; ++side) {
            const sn_vec3 *at[] = {&b->plant.places[frame][SNI_FOLLOWED_THIGH][side],
                                   &b->plant.places[frame][SNI_FOLLOWED_SHIN][side],
                                   &b->plant.places[frame][SNI_FOLLOWED_FOOT][side]};
            sn_vec3 goal = sn_vec3_add(*at[2], legs[side].shift);
            bool moves = sink > 0 || sn_vec3_length(legs[side].shift) > 0;
            if (moves && (i == 0 || legs[side].strength == 1)) {
                turn_leg(b, side, goal, sni_leg_most(*at[0], *at[1], *at[2]), legs[side].strength);
            }
        }
        b->legs_turn = true;
        sni_bake_pose_target(b, moved);
    }
    if (b->toes != NULL) {
        lift_soles(b, moved);
    }
    b->legs_turn = false;
}

void sni_bake_measure_legs(sni_baker *b) {
    find_knees(b);
    measure_rest_heights(b);
    b->plant.leg = b->r.legs[1];
}
