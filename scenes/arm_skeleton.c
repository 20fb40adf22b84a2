// SPDX-License-Identifier: Apache-2.0
//
// Where the arm's joints are and how they turn.
#include "scenes/arm_shape.h"

#include <stddef.h>

// Rest pose.
static const sn_vec3 shoulder_joint = {0.185, 1.44, 0};
static const double abduction_deg = 45; // from hanging
static const double elbow_rest_deg = 8; // flexion
static const double upper_length = 0.310, forearm_length = 0.265;

// The axis of pronation runs from the head of the radius to the head of the ulna (forearm frame,
// mm): radius, wrist and hand turn about it while the ulna stays.
static const sn_vec3 pronation_top_mm = {13, 6, 2}, pronation_end_mm = {5, 262, -13};

// Fingers in the hand's frame, mm and degrees: knuckle; direction away from the axis of the hand
// towards the thumb; rest flexion and lengths of the three bones; half the width at the middle
// joint.
typedef struct finger_row {
    const char *names[3];
    sn_vec3 knuckle_mm;
    double spread_deg;
    double flexion_deg[3];
    double length_mm[3];
    double thickness_mm;
} finger_row;

static const finger_row fingers[4] = {
    {{"index_1", "index_2", "index_3"}, {1, 90, 27}, 5, {13, 19, 9}, {45, 26, 23}, 9.7},
    {{"middle_1", "middle_2", "middle_3"}, {4, 93, 6.5}, 0.5, {17, 22, 10}, {49, 30, 24}, 9.9},
    {{"ring_1", "ring_2", "ring_3"}, {2, 88, -13.5}, -4.5, {20, 25, 11}, {45, 29, 24}, 9.3},
    {{"little_1", "little_2", "little_3"}, {-4, 80, -32}, -11, {22, 25, 11}, {35, 21, 21}, 8.2},
};

// The thumb: joints (saddle joint at the wrist, knuckle, middle joint, end) and the nail's side.
static const sn_vec3 thumb_joints_mm[4] = {
    {-9, 17, 22}, {-22, 57, 41}, {-29, 89, 51}, {-31, 115, 56}};
static const sn_vec3 thumb_dorsal = {0.35, -0.25, 0.9};
static const double thumb_thickness_mm = 11;

static sn_vec3 in_mm(const scn_frame *frame, sn_vec3 mm) {
    return scn_frame_point(frame, sn_vec3_scale(mm, SCN_MM));
}

static void place_frames(scn_arm *arm) {
    const sn_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    scn_turn a = scn_turn_from_deg(abduction_deg), e = scn_turn_from_deg(elbow_rest_deg);
    sn_vec3 lateral = {a.cosine, a.sine, 0}, distal = {a.sine, -a.cosine, 0};
    sn_vec3 fore = sn_vec3_add(sn_vec3_scale(distal, e.cosine), sn_vec3_scale(z, e.sine));
    sn_vec3 front = sn_vec3_add(sn_vec3_scale(z, e.cosine), sn_vec3_scale(distal, -e.sine));
    sn_vec3 elbow = sn_vec3_add_scaled(shoulder_joint, upper_length, distal);
    sn_vec3 wrist = sn_vec3_add_scaled(elbow, forearm_length, fore);
    arm->frames[SCN_ARM_GIRDLE] = (scn_frame){shoulder_joint, x, y, z};
    arm->frames[SCN_ARM_UPPER] = (scn_frame){shoulder_joint, lateral, distal, z};
    arm->frames[SCN_ARM_FORE] = (scn_frame){elbow, lateral, fore, front};
    arm->frames[SCN_ARM_HAND] = (scn_frame){wrist, lateral, fore, front};
    arm->frames[SCN_ARM_SPACE] = (scn_frame){{0, 0, 0}, x, y, z};
}

static void place_finger(const scn_frame *hand, const finger_row *row, scn_arm_finger *finger) {
    scn_turn spread = scn_turn_from_deg(row->spread_deg);
    double flexion = 0;
    sn_vec3 at = row->knuckle_mm;
    finger->joints[0] = in_mm(hand, at);
    for (int k = 0; k < 3; ++k) {
        flexion += row->flexion_deg[k];
        scn_turn f = scn_turn_from_deg(flexion);
        sn_vec3 along = {-f.sine, f.cosine * spread.cosine, f.cosine * spread.sine};
        sn_vec3 dorsal = {f.cosine, f.sine * spread.cosine, f.sine * spread.sine};
        at = sn_vec3_add_scaled(at, row->length_mm[k], along);
        finger->joints[k + 1] = in_mm(hand, at);
        finger->dorsal[k] = scn_frame_direction(hand, dorsal);
    }
    finger->thickness = row->thickness_mm * SCN_MM;
}

static void place_thumb(const scn_frame *hand, scn_arm_finger *thumb) {
    for (int k = 0; k < 4; ++k) {
        thumb->joints[k] = in_mm(hand, thumb_joints_mm[k]);
    }
    for (int k = 0; k < 3; ++k) {
        sn_vec3 along = sn_vec3_sub(thumb->joints[k + 1], thumb->joints[k]);
        along = sn_vec3_normalize_or(along, hand->y);
        thumb->dorsal[k] = scn_reject(scn_frame_direction(hand, thumb_dorsal), along);
    }
    thumb->thickness = thumb_thickness_mm * SCN_MM;
}

// A segment from `from` to `to` that flexes towards `flexion`.
static scn_segment make_segment(const char *name, uint32_t parent, sn_vec3 from, sn_vec3 to,
                                sn_vec3 flexion) {
    sn_vec3 along = sn_vec3_sub(to, from);
    scn_segment made = {.name = name, .parent = parent, .order = SN_ROTATION_XZY};
    made.length = sn_vec3_length(along);
    made.rest.origin = from;
    made.rest.y = sn_vec3_normalize_or(along, sn_vec3_make(0, 1, 0));
    made.rest.z = scn_reject(flexion, made.rest.y);
    made.rest.x = sn_vec3_cross(made.rest.y, made.rest.z);
    return made;
}

static void set_limits(scn_segment *segment, double rx_low, double rx_high, double ry_low,
                       double ry_high, double rz_low, double rz_high) {
    double limits[3][2] = {{rx_low, rx_high}, {ry_low, ry_high}, {rz_low, rz_high}};
    for (int axis = 0; axis < 3; ++axis) {
        segment->limits_deg[axis][0] = limits[axis][0];
        segment->limits_deg[axis][1] = limits[axis][1];
    }
}

static void make_arm_segments(scn_arm *arm) {
    const scn_frame *girdle = &arm->frames[SCN_ARM_GIRDLE], *upper = &arm->frames[SCN_ARM_UPPER];
    const scn_frame *fore = &arm->frames[SCN_ARM_FORE], *hand = &arm->frames[SCN_ARM_HAND];
    scn_segment *s = arm->segments;
    sn_vec3 root = in_mm(girdle, sn_vec3_make(-55, 0, 0));
    s[SCN_ARM_SHOULDER] = make_segment("shoulder", SN_NONE, root, girdle->origin, girdle->z);
    set_limits(&s[SCN_ARM_SHOULDER], -10, 10, -15, 25, -10, 30);
    s[SCN_ARM_UPPER_ARM] =
        make_segment("upper_arm", SCN_ARM_SHOULDER, upper->origin, fore->origin, upper->z);
    set_limits(&s[SCN_ARM_UPPER_ARM], -60, 150, -80, 80, -45, 90);
    s[SCN_ARM_FOREARM] =
        make_segment("forearm", SCN_ARM_UPPER_ARM, fore->origin, hand->origin, fore->z);
    set_limits(&s[SCN_ARM_FOREARM], 0, 150, 0, 0, 0, 0);
    sn_vec3 top = in_mm(fore, pronation_top_mm), end = in_mm(fore, pronation_end_mm);
    sn_vec3 third = sn_vec3_lerp(top, end, 0.33), two_thirds = sn_vec3_lerp(top, end, 0.67);
    s[SCN_ARM_FOREARM_MID] =
        make_segment("forearm_mid", SCN_ARM_FOREARM, third, two_thirds, fore->z);
    s[SCN_ARM_FOREARM_END] =
        make_segment("forearm_end", SCN_ARM_FOREARM_MID, two_thirds, end, fore->z);
    set_limits(&s[SCN_ARM_FOREARM_MID], 0, 0, -42, 42, 0, 0);
    set_limits(&s[SCN_ARM_FOREARM_END], 0, 0, -42, 42, 0, 0);
    sn_vec3 palm = sn_vec3_scale(hand->x, -1);
    s[SCN_ARM_HAND_SEGMENT] =
        make_segment("hand", SCN_ARM_FOREARM_END, hand->origin, arm->fingers[2].joints[0], palm);
    set_limits(&s[SCN_ARM_HAND_SEGMENT], -70, 80, 0, 0, -35, 20);
}

static void make_finger_segments(scn_arm *arm) {
    static const char *const thumb_names[3] = {"thumb_1", "thumb_2", "thumb_3"};
    for (uint32_t f = 0; f < SCN_ARM_FINGERS; ++f) {
        const scn_arm_finger *finger = &arm->fingers[f];
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t index = SCN_ARM_THUMB + 3 * f + k;
            scn_segment *s = &arm->segments[index];
            *s =
                make_segment(f == 0 ? thumb_names[k] : fingers[f - 1].names[k],
                             k == 0 ? (uint32_t)SCN_ARM_HAND_SEGMENT : index - 1, finger->joints[k],
                             finger->joints[k + 1], sn_vec3_scale(finger->dorsal[k], -1));
            if (f == 0) {
                set_limits(s, k == 0 ? -25 : -10,
                           k == 0   ? 35
                           : k == 1 ? 55
                                    : 80,
                           k == 0 ? -20 : 0, k == 0 ? 20 : 0, k == 0 ? -30 : 0, k == 0 ? 30 : 0);
            } else {
                double spread = k == 0 ? 15 : 0;
                set_limits(s,
                           k == 0   ? -35
                           : k == 1 ? -20
                                    : -12,
                           k == 0   ? 80
                           : k == 1 ? 85
                                    : 70,
                           0, 0, -spread, spread);
            }
        }
    }
}

void scn_arm_layout(scn_arm *arm) {
    place_frames(arm);
    const scn_frame *hand = &arm->frames[SCN_ARM_HAND];
    place_thumb(hand, &arm->fingers[0]);
    for (int f = 0; f < 4; ++f) {
        place_finger(hand, &fingers[f], &arm->fingers[f + 1]);
    }
    make_arm_segments(arm);
    make_finger_segments(arm);
}
