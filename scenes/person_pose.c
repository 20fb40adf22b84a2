// SPDX-License-Identifier: Apache-2.0
#include "scenes/person_pose.h"

#include <math.h>

static sn_quat turn_by(double x, double y, double z, sn_rotation_order order) {
    double unit = SN_PI / 180;
    return sn_quat_from_euler(sn_vec3_make(x * unit, y * unit, z * unit), order);
}

static sn_quat frame_of(const scn_segment *joint) {
    sn_mat4 m = sn_mat4_identity();
    const sn_vec3 *axes[3] = {&joint->rest.x, &joint->rest.y, &joint->rest.z};
    for (int i = 0; i < 3; ++i) {
        m.m[4 * i] = axes[i]->x;
        m.m[4 * i + 1] = axes[i]->y;
        m.m[4 * i + 2] = axes[i]->z;
    }
    return sn_mat4_rotation(&m);
}

// A rotation about the joint's own axes at rest, in world axes.
static sn_quat in_frame(const scn_segment *joint, sn_quat turn) {
    sn_quat frame = frame_of(joint);
    return sn_quat_multiply(sn_quat_multiply(frame, turn), sn_quat_conjugate(frame));
}

static sn_quat mirrored(sn_quat q) {
    return (sn_quat){q.x, -q.y, -q.z, q.w};
}

static sn_vec3 place_of(const scn_person *person, uint32_t joint) {
    return person->joints[joint].rest.origin;
}

static void set_arm(const scn_person *person, const scn_arm *arm, uint32_t side, scn_turns *turns) {
    const struct {
        uint32_t joint;
        sn_quat turn;
    } parts[] = {
        {SCN_PERSON_SHOULDER, turn_by(0, 0, arm->shoulder, SN_ROTATION_ZXY)},
        {SCN_PERSON_UPPER_ARM, turn_by(arm->rx, arm->ry, arm->rz, SN_ROTATION_ZXY)},
        {SCN_PERSON_FOREARM, turn_by(-arm->elbow, arm->twist, 0, SN_ROTATION_XYZ)},
        {SCN_PERSON_HAND, turn_by(arm->hand[0], arm->hand[1], arm->hand[2], SN_ROTATION_YXZ)},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        uint32_t left = scn_person_joint(0, parts[i].joint);
        sn_quat turn = in_frame(&person->joints[left], parts[i].turn);
        turns->joints[scn_person_joint(side, parts[i].joint)] = side == 0 ? turn : mirrored(turn);
    }
}

// The rotation that takes a direction and what is most across it to two others.
static sn_quat between(sn_vec3 from, sn_vec3 from_across, sn_vec3 to, sn_vec3 to_across) {
    sn_quat frames[2];
    sn_vec3 axes[2] = {sn_vec3_normalize_or(from, sn_vec3_make(0, -1, 0)),
                       sn_vec3_normalize_or(to, sn_vec3_make(0, -1, 0))};
    sn_vec3 across[2] = {scn_reject(from_across, axes[0]), scn_reject(to_across, axes[1])};
    for (int i = 0; i < 2; ++i) {
        scn_segment basis = {
            .rest = {.x = across[i], .y = axes[i], .z = sn_vec3_cross(across[i], axes[i])}};
        frames[i] = frame_of(&basis);
    }
    return sn_quat_multiply(frames[1], sn_quat_conjugate(frames[0]));
}

// Thigh and shin reach from the hip to the ankle, the knee ahead: the triangle of their lengths.
static void set_leg(const scn_person *person, const scn_foot *foot, uint32_t side,
                    scn_turns *turns) {
    uint32_t thigh = scn_person_joint(side, SCN_PERSON_THIGH), shin = thigh + 1, ankle = thigh + 2;
    sn_quat hips = turns->joints[SCN_PERSON_HIPS];
    sn_vec3 hip_at_rest = place_of(person, thigh), knee_at_rest = place_of(person, shin);
    sn_vec3 hip = sn_vec3_add(
        turns->hips,
        sn_quat_rotate(hips, sn_vec3_sub(hip_at_rest, place_of(person, SCN_PERSON_HIPS))));
    sn_vec3 upper = sn_vec3_sub(knee_at_rest, hip_at_rest);
    sn_vec3 lower = sn_vec3_sub(place_of(person, ankle), knee_at_rest);
    double a = sn_vec3_length(upper), b = sn_vec3_length(lower);
    sn_vec3 to = sn_vec3_sub(foot->ankle, hip);
    double distance = sn_vec3_length(to);
    turns->reach[side] = distance / (a + b);
    double d = fmin(distance, 0.9999 * (a + b)), along = (d * d + a * a - b * b) / (2 * d);
    double outward = side == 0 ? foot->yaw : -foot->yaw;
    sn_vec3 down = sn_vec3_scale(to, 1 / distance), x = {1, 0, 0};
    sn_vec3 across = sn_quat_rotate(turn_by(0, outward, 0, SN_ROTATION_XYZ), x);
    across = scn_reject(across, down);
    sn_vec3 ahead = sn_vec3_cross(down, across);
    sn_vec3 knee = sn_vec3_add(sn_vec3_scale(down, along),
                               sn_vec3_scale(ahead, sqrt(fmax(a * a - along * along, 0))));
    sn_vec3 end = sn_vec3_scale(down, d);
    sn_quat thigh_turn = between(upper, x, knee, across);
    sn_quat shin_turn = between(lower, x, sn_vec3_sub(end, knee), across);
    sn_quat foot_turn = turn_by(-foot->pitch, outward, 0, SN_ROTATION_YXZ);
    sn_quat toes_turn = turn_by(-foot->toes, outward, 0, SN_ROTATION_YXZ);
    turns->joints[thigh] = sn_quat_multiply(sn_quat_conjugate(hips), thigh_turn);
    turns->joints[shin] = sn_quat_multiply(sn_quat_conjugate(thigh_turn), shin_turn);
    turns->joints[ankle] = sn_quat_multiply(sn_quat_conjugate(shin_turn), foot_turn);
    turns->joints[ankle + 1] = sn_quat_multiply(sn_quat_conjugate(foot_turn), toes_turn);
}

void scn_person_turn(const scn_person *person, const scn_stance *stance, scn_turns *turns) {
    for (uint32_t i = 0; i < SCN_PERSON_JOINTS; ++i) {
        turns->joints[i] = sn_quat_identity();
    }
    const double *h = stance->hips_turn, *s = stance->spine, *k = stance->head;
    turns->hips = stance->hips;
    turns->joints[SCN_PERSON_HIPS] = turn_by(h[0], h[1], h[2], SN_ROTATION_YXZ);
    for (uint32_t i = SCN_PERSON_SPINE; i <= SCN_PERSON_UPPER_CHEST; ++i) {
        turns->joints[i] = turn_by(s[0] / 3, s[1] / 3, s[2] / 3, SN_ROTATION_YXZ);
    }
    for (uint32_t i = SCN_PERSON_NECK; i <= SCN_PERSON_HEAD; ++i) {
        turns->joints[i] = turn_by(k[0] / 2, k[1] / 2, k[2] / 2, SN_ROTATION_YXZ);
    }
    for (uint32_t side = 0; side < 2; ++side) {
        set_arm(person, &stance->arms[side], side, turns);
        set_leg(person, &stance->feet[side], side, turns);
    }
}

scn_foot scn_person_flat_foot(const scn_person *person, uint32_t side, double ahead) {
    scn_foot foot = {.ankle = place_of(person, scn_person_joint(side, SCN_PERSON_FOOT))};
    foot.ankle.z += ahead;
    return foot;
}
