// SPDX-License-Identifier: Apache-2.0
//
// Skeletons in the pose that counts as their rest, and what the parts of a body tell about it.
#include "motion/retarget.h"

#include "motion/skeleton.h"

#include <math.h>
#include <string.h>

// Limbs that differ by less than this from the axes of the body make a T-pose.
static const double t_pose_cosine = 0.94; // 20 degrees

sn_status sni_stance_init(sn_context *context, const sn_skeleton *skeleton, sni_stance *stance,
                          sn_error *error) {
    sn_status status = SN_OK;
    stance->skeleton = skeleton;
    SN_TRY(sni_body_init(context, skeleton, &stance->body, error));
    SNI_NEW(context, stance->locals, skeleton->segment_count);
    SNI_NEW(context, stance->worlds, skeleton->segment_count);
    SNI_NEW(context, stance->rotations, skeleton->segment_count);
    SNI_NEW(context, stance->positions, skeleton->segment_count);
    sni_stance_set_rest(stance);
cleanup:
    return status;
}

void sni_stance_deinit(sn_context *context, sni_stance *stance) {
    sni_body_deinit(context, &stance->body);
    sni_free(context, stance->locals);
    sni_free(context, stance->worlds);
    sni_free(context, stance->rotations);
    sni_free(context, stance->positions);
    *stance = (sni_stance){0};
}

static void place_joints(sni_stance *stance) {
    const sn_skeleton *skeleton = stance->skeleton;
    sni_skeleton_world(skeleton, stance->locals, stance->worlds);
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        uint32_t segment = skeleton->parents_first[i];
        uint32_t parent = skeleton->segments[segment].parent;
        const double *m = stance->worlds[segment].m;
        sn_quat rotation = sn_quat_normalize(stance->locals[segment].rotation);
        stance->rotations[segment] =
            parent != SN_NONE ? sn_quat_multiply(stance->rotations[parent], rotation) : rotation;
        stance->positions[segment] = sn_vec3_make(m[12], m[13], m[14]);
    }
}

void sni_stance_set(sni_stance *stance, const sn_transform *locals) {
    SN_ASSERT(stance->skeleton->segment_count == 0 || locals != NULL);
    memcpy(stance->locals, locals, stance->skeleton->segment_count * sizeof *locals);
    place_joints(stance);
}

void sni_stance_set_rest(sni_stance *stance) {
    for (uint32_t i = 0; i < stance->skeleton->segment_count; ++i) {
        stance->locals[i] = sni_segment_rest_local(&stance->skeleton->segments[i]);
    }
    place_joints(stance);
}

static bool has_children(const sn_skeleton *skeleton, uint32_t segment) {
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        if (skeleton->segments[i].parent == segment) {
            return true;
        }
    }
    return false;
}

// Of several shins the one that carries the foot, or, where the foot hangs elsewhere, the first
// that carries anything: the mesh of a thigh may be called a leg as well.
static uint32_t find_knee(const sni_stance *stance, sni_body_side side) {
    const sni_body *body = &stance->body;
    uint32_t foot = sni_body_first(body, SNI_BODY_FOOT, side);
    const uint32_t *shins = body->members + body->first[SNI_BODY_SHIN][side];
    uint32_t count = body->count[SNI_BODY_SHIN][side];
    for (uint32_t i = 0; i < count; ++i) {
        if (foot != SN_NONE && sni_skeleton_carries(stance->skeleton, shins[i], foot)) {
            return shins[i];
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (has_children(stance->skeleton, shins[i])) {
            return shins[i];
        }
    }
    return sni_body_first(body, SNI_BODY_SHIN, side);
}

uint32_t sni_stance_first(const sni_stance *stance, sni_body_part part, sni_body_side side) {
    return part == SNI_BODY_SHIN ? find_knee(stance, side)
                                 : sni_body_first(&stance->body, part, side);
}

static uint32_t first_of(const sni_stance *stance, sni_body_part part, sni_body_side side) {
    return sni_stance_first(stance, part, side);
}

bool sni_stance_direction(const sni_stance *stance, sni_body_part from, sni_body_part to,
                          sni_body_side side, sn_vec3 *direction) {
    uint32_t a = first_of(stance, from, side), b = first_of(stance, to, side);
    if (a == SN_NONE || b == SN_NONE) {
        return false;
    }
    sn_vec3 way = sn_vec3_sub(stance->positions[b], stance->positions[a]);
    *direction = sn_vec3_normalize_or(way, way);
    return sn_vec3_length(way) > 0;
}

bool sni_stance_axes(const sni_stance *stance, sn_vec3 *left, sn_vec3 *up) {
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
    if (!sni_stance_axes(stance, &left, &up)) {
        return false;
    }
    for (int side = SNI_SIDE_LEFT; side <= SNI_SIDE_RIGHT; ++side) {
        for (int i = 0; i < 4; ++i) {
            double sign = side == SNI_SIDE_LEFT ? 1 : -1;
            sn_vec3 expected = i < 2 ? sn_vec3_scale(left, sign) : sn_vec3_scale(up, -1);
            if (!sni_stance_direction(stance, limbs[i][0], limbs[i][1], (sni_body_side)side,
                                      &direction) ||
                sn_vec3_dot(direction, expected) < t_pose_cosine) {
                return false;
            }
        }
    }
    return true;
}

double sni_stance_leg_cosine(const sni_stance *stance) {
    sn_vec3 left, up, leg;
    double least = INFINITY;
    bool known = sni_stance_axes(stance, &left, &up);
    for (int side = SNI_SIDE_LEFT; side <= SNI_SIDE_RIGHT && known; ++side) {
        known =
            sni_stance_direction(stance, SNI_BODY_THIGH, SNI_BODY_FOOT, (sni_body_side)side, &leg);
        least = known ? fmin(least, -sn_vec3_dot(leg, up)) : NAN;
    }
    return known ? least : NAN;
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
    if (sni_stance_axes(stance, &a, &up) && sni_stance_axes(other, &b, &up)) {
        double angle = atan2(a.z, a.x) - atan2(b.z, b.x); // positive about y turns x to -z
        angle = remainder(angle, 2 * SN_PI);
        if (fabs(angle) > worth_turning) {
            sni_stance_rotate(stance, sn_quat_from_axis_angle(sn_vec3_make(0, 1, 0), angle));
        }
    }
}
