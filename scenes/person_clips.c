// SPDX-License-Identifier: Apache-2.0
//
// Motions of `person`. The walk follows what gait analysis describes (Perry, Gait Analysis, 1992):
// a cycle from heel strike to heel strike, of which a foot stands for three fifths; the foot rolls
// over heel, sole and ball; the pelvis turns, tilts and rises twice a cycle; shoulders and arms
// turn against it.
#include "scenes/person_pose.h"

#include <math.h>
#include <stdio.h>

#define RATE 30

typedef void (*clip_at)(const scn_person *person, double time, scn_stance *stance);

typedef struct clip {
    const char *name;
    uint32_t frame_count;
    clip_at at;
} clip;

// ---------------------------------------------------------------------------------------------
// Curves

typedef struct key {
    double at, value;
} key;

// Through keys, with the slope that the neighbours have, and none at the greatest and least: no
// overshoot.
static double curve_slope(const key *keys, uint32_t count, uint32_t i) {
    if (i == 0 || i + 1 == count) {
        return 0;
    }
    double before = (keys[i].value - keys[i - 1].value) / (keys[i].at - keys[i - 1].at);
    double after = (keys[i + 1].value - keys[i].value) / (keys[i + 1].at - keys[i].at);
    return before * after > 0 ? 2 * before * after / (before + after) : 0;
}

static double curve_at(const key *keys, uint32_t count, double at) {
    uint32_t i = 1;
    while (i + 1 < count && at > keys[i].at) {
        ++i;
    }
    double span = keys[i].at - keys[i - 1].at, t = fmin(fmax((at - keys[i - 1].at) / span, 0), 1);
    double m0 = span * curve_slope(keys, count, i - 1), m1 = span * curve_slope(keys, count, i);
    double p0 = keys[i - 1].value, p1 = keys[i].value, t2 = t * t, t3 = t2 * t;
    return (2 * t3 - 3 * t2 + 1) * p0 + (t3 - 2 * t2 + t) * m0 + (3 * t2 - 2 * t3) * p1 +
           (t3 - t2) * m1;
}

#define CURVE(keys, at) curve_at(keys, sizeof(keys) / sizeof *(keys), at)

static double wave(double phase) {
    return cos(2 * SN_PI * phase);
}

// ---------------------------------------------------------------------------------------------
// Walk

// Metres and seconds of a cycle; when the ankle passes below the hip, and when the toes leave the
// ground, as parts of it.
static const double stride = 1.2, cycle = 1.1, below_hip = 0.252, toe_off = 0.62;
// Metres: the heel behind and the ball before the ankle, and how far apart the ankles pass.
static const double heel_behind = 0.045, ball_ahead = 0.125, ankle_aside = 0.078;
static const double hips_lower = 0.024; // than at rest

static const key foot_pitch[] = {{0, 17},     {0.07, 0},   {0.30, 0},   {0.42, -8}, {0.52, -26},
                                 {0.62, -52}, {0.67, -50}, {0.78, -12}, {0.89, 9},  {1, 17}};

// The ankle of a foot that stands with this pitch, when its flat ankle would be at `flat`: it turns
// about the heel or the ball.
static sn_vec3 rolled(sn_vec3 flat, double pitch) {
    double angle = pitch * (SN_PI / 180), pivot = pitch > 0 ? -heel_behind : ball_ahead;
    double z = -pivot, y = flat.y; // of the ankle, seen from the pivot on the ground
    return sn_vec3_make(flat.x, z * sin(angle) + y * cos(angle),
                        flat.z + pivot + z * cos(angle) - y * sin(angle));
}

// The ankle while the foot stands; phase 0 is the heel strike of cycle `number`.
static sn_vec3 standing(const scn_person *person, uint32_t side, double number, double phase) {
    sn_vec3 flat = scn_person_flat_foot(person, side, 0).ankle;
    flat.x = side == 0 ? ankle_aside : -ankle_aside;
    flat.z = stride * (number + below_hip + (side == 0 ? 0 : 0.5));
    return rolled(flat, CURVE(foot_pitch, phase));
}

static double hermite(double p0, double v0, double p1, double v1, double t) {
    double t2 = t * t, t3 = t2 * t;
    return (2 * t3 - 3 * t2 + 1) * p0 + (t3 - 2 * t2 + t) * v0 + (3 * t2 - 2 * t3) * p1 +
           (t3 - t2) * v1;
}

// In the air the ankle goes from where it leaves to where it strikes with the speeds that it has
// there, but for the heel that strikes: it goes ahead until it does. It goes a little higher than
// that, for the toes have to pass above the ground.
static sn_vec3 swinging(const scn_person *person, uint32_t side, double number, double phase) {
    const double step = 1e-4, lift = 0.045, strike_speed = 0.7;
    sn_vec3 from = standing(person, side, number, toe_off);
    sn_vec3 to = standing(person, side, number + 1, 0);
    sn_vec3 leaves = sn_vec3_sub(from, standing(person, side, number, toe_off - step));
    double falls = standing(person, side, number + 1, step).y - to.y;
    double span = 1 - toe_off, t = (phase - toe_off) / span, s = span / step;
    double bump = t * t * (1 - t) * (1 - t) * (1 - t) / 0.03456; // 1 at t = 0.4
    return sn_vec3_make(from.x, hermite(from.y, s * leaves.y, to.y, s * falls, t) + lift * bump,
                        hermite(from.z, s * leaves.z, to.z, span * strike_speed * stride, t));
}

static scn_foot walking_foot(const scn_person *person, uint32_t side, double phase) {
    double number = floor(phase), p = phase - number;
    bool stands = p < toe_off;
    double pitch = CURVE(foot_pitch, p);
    // The toes stay on the ground until they push off; then they go along with the foot.
    double along = p < 0.3 ? 1 : scn_smooth_step(0.63, 0.80, p);
    return (scn_foot){
        .ankle = stands ? standing(person, side, number, p) : swinging(person, side, number, p),
        .yaw = -5,
        .pitch = pitch,
        .toes = along * pitch,
    };
}

static scn_arm walking_arm(double phase) {
    double ahead = 0.5 - 0.5 * wave(phase - 0.02); // 1 where the arm is in front
    return (scn_arm){
        .rx = 16 - 32 * ahead,
        .ry = -16,
        .rz = -33,
        .elbow = 10 + 14 * ahead,
        .twist = -48,
        .hand = {2 - 6 * ahead, -22, 0},
    };
}

// Phase 0 is the left heel strike.
static void walk_at(const scn_person *person, double time, scn_stance *stance) {
    double p = time / cycle, turn = -5.5 * wave(p), tilt = 3 * wave(p - 0.15);
    sn_vec3 rest = person->joints[SCN_PERSON_HIPS].rest.origin;
    *stance = (scn_stance){
        .hips = {0.02 * wave(p - 0.30), rest.y - hips_lower - 0.016 * wave(2 * p - 0.1),
                 rest.z + stride * p + 0.008 * wave(2 * p - 0.45)},
        .hips_turn = {4 + wave(2 * p), turn, tilt},
        .spine = {-1, -2 * turn, -1.3 * tilt},
        .head = {-3 - wave(2 * p - 0.1), 0.9 * turn, 0.3 * tilt},
        .arms = {walking_arm(p), walking_arm(p + 0.5)},
        .feet = {walking_foot(person, 0, p), walking_foot(person, 1, p - 0.5)},
    };
}

// ---------------------------------------------------------------------------------------------
// Squat

static const scn_arm hanging = {
    .rx = 0, .ry = -16, .rz = -33, .elbow = 14, .twist = -45, .hand = {0, -22, 0}};

// From one arm to another, 0 to 1.
static scn_arm blend_arms(const scn_arm *a, const scn_arm *b, double t) {
    scn_arm made;
    const double *x = &a->rx, *y = &b->rx;
    double *z = &made.rx;
    for (size_t i = 0; i < sizeof made / sizeof *z; ++i) {
        z[i] = x[i] + t * (y[i] - x[i]);
    }
    return made;
}

static void squat_at(const scn_person *person, double time, scn_stance *stance) {
    static const key depth[] = {{0, 0}, {0.2, 0}, {1.2, 1}, {1.5, 1}, {2.4, 0}, {2.8, 0}};
    static const key reach[] = {{0, 0}, {0.1, 0}, {0.9, 1}, {1.6, 1}, {2.4, 0}, {2.8, 0}};
    static const scn_arm ahead = {.rx = -88,
                                  .ry = -35,
                                  .rz = -38,
                                  .shoulder = 4,
                                  .elbow = 6,
                                  .twist = -70,
                                  .hand = {0, -15, 0}};
    double d = CURVE(depth, time);
    scn_arm arm = blend_arms(&hanging, &ahead, CURVE(reach, time));
    sn_vec3 rest = person->joints[SCN_PERSON_HIPS].rest.origin;
    *stance = (scn_stance){
        .hips = {0, rest.y - 0.022 - 0.40 * d, rest.z - 0.21 * sin(SN_PI / 2 * d)},
        .hips_turn = {2 + 38 * d, 0, 0},
        .spine = {-1 - 4 * d, 0, 0},
        .head = {-1 - 26 * d, 0, 0},
        .arms = {arm, arm},
        .feet = {scn_person_flat_foot(person, 0, 0), scn_person_flat_foot(person, 1, 0)},
    };
    for (int side = 0; side < 2; ++side) {
        stance->feet[side].ankle.x *= 1.05;
        stance->feet[side].yaw = 8;
    }
}

// ---------------------------------------------------------------------------------------------
// Wave

static void wave_at(const scn_person *person, double time, scn_stance *stance) {
    static const key raise[] = {{0, 0}, {0.25, 0}, {0.95, 1}, {2.75, 1}, {3.5, 0}, {3.8, 0}};
    static const scn_arm raised = {.rx = -14,
                                   .ry = 72,
                                   .rz = 22,
                                   .shoulder = 8,
                                   .elbow = 95,
                                   .twist = -82,
                                   .hand = {0, -8, 0}};
    double r = CURVE(raise, time), rise = scn_smooth_step(0.8, 1.1, time);
    double swings = rise * (1 - scn_smooth_step(2.5, 2.8, time));
    double swing = swings * sin(2 * SN_PI * (time - 0.9) / 0.6);
    scn_arm right = blend_arms(&hanging, &raised, r);
    right.elbow += 20 * swing;
    right.rz += 3 * swing;
    right.hand[2] += 14 * swings * sin(2 * SN_PI * (time - 0.97) / 0.6);
    double breath = sin(2 * SN_PI * time / 3.8);
    sn_vec3 rest = person->joints[SCN_PERSON_HIPS].rest.origin;
    *stance = (scn_stance){
        .hips = {0.022 * r, rest.y - 0.020 - 0.004 * r, rest.z},
        .hips_turn = {2, -3 * r, 2 * r},
        .spine = {-2 - breath, -3 * r, -7 * r - swing},
        .head = {-1 - 2 * r, -4 * r, 6 * r + swing},
        .arms = {hanging, right},
        .feet = {scn_person_flat_foot(person, 0, 0), scn_person_flat_foot(person, 1, 0)},
    };
    for (int side = 0; side < 2; ++side) {
        stance->feet[side].ankle.x *= 0.8;
    }
}

// ---------------------------------------------------------------------------------------------
// Files

static const clip clips[] = {
    {"walk", 100, walk_at},
    {"squat", 85, squat_at},
    {"wave", 115, wave_at},
};

// Fingers keep still: a motion without them says so in fewer words.
static bool is_finger(uint32_t joint) {
    uint32_t k = joint >= SCN_PERSON_MIDDLE ? (joint - SCN_PERSON_MIDDLE) % SCN_PERSON_SIDE : 0;
    return k >= SCN_PERSON_FINGERS && k < SCN_PERSON_THIGH;
}

static void write_joint(FILE *out, const scn_person *person, uint32_t joint, int depth) {
    const scn_segment *own = &person->joints[joint];
    sn_vec3 at = own->rest.origin;
    bool root = own->parent == SN_NONE, leaf = true;
    if (!root) {
        at = sn_vec3_sub(at, person->joints[own->parent].rest.origin);
    }
    fprintf(out, "%*s%s %s\n%*s{\n", depth, "", root ? "ROOT" : "JOINT", own->name, depth, "");
    fprintf(out, "%*sOFFSET %.4f %.4f %.4f\n", depth + 1, "", at.x, at.y, at.z);
    fprintf(out, "%*sCHANNELS %s Zrotation Xrotation Yrotation\n", depth + 1, "",
            root ? "6 Xposition Yposition Zposition" : "3");
    for (uint32_t i = joint + 1; i < SCN_PERSON_JOINTS; ++i) {
        if (person->joints[i].parent == joint && !is_finger(i)) {
            write_joint(out, person, i, depth + 1);
            leaf = false;
        }
    }
    if (leaf) {
        sn_vec3 end = joint == SCN_PERSON_HEAD ? sn_vec3_make(0, 0.16, 0) : sn_vec3_scale(at, 0.4);
        fprintf(out, "%*sEnd Site\n%*s{\n%*sOFFSET %.4f %.4f %.4f\n%*s}\n", depth + 1, "",
                depth + 1, "", depth + 2, "", end.x, end.y, end.z, depth + 1, "");
    }
    fprintf(out, "%*s}\n", depth, "");
}

// Numbers of a frame in the order of write_joint: depth first.
static void write_turns(FILE *out, const scn_person *person, const scn_turns *turns,
                        uint32_t joint) {
    if (joint == SCN_PERSON_HIPS) {
        fprintf(out, "%.4f %.4f %.4f", turns->hips.x, turns->hips.y, turns->hips.z);
    }
    sn_vec3 angles = sn_quat_to_euler(turns->joints[joint], SN_ROTATION_ZXY);
    double unit = 180 / SN_PI;
    // + 0.0 turns -0 into 0.
    fprintf(out, " %.2f %.2f %.2f", round(angles.z * unit * 100) / 100 + 0.0,
            round(angles.x * unit * 100) / 100 + 0.0, round(angles.y * unit * 100) / 100 + 0.0);
    for (uint32_t i = joint + 1; i < SCN_PERSON_JOINTS; ++i) {
        if (person->joints[i].parent == joint && !is_finger(i)) {
            write_turns(out, person, turns, i);
        }
    }
}

static void write_clip(FILE *out, const scn_person *person, const clip *c) {
    fprintf(out, "HIERARCHY\n");
    write_joint(out, person, SCN_PERSON_HIPS, 0);
    fprintf(out, "MOTION\nFrames: %u\nFrame Time: %.7f\n", c->frame_count, 1.0 / RATE);
    for (uint32_t i = 0; i < c->frame_count; ++i) {
        scn_stance stance;
        scn_turns turns;
        c->at(person, (double)i / RATE, &stance);
        scn_person_turn(person, &stance, &turns);
        write_turns(out, person, &turns, SCN_PERSON_HIPS);
        fprintf(out, "\n");
    }
}

sn_status scn_person_write_motions(const scn_person *person, const char *folder, sn_error *error) {
    sn_status status = SN_OK;
    for (size_t i = 0; i < sizeof clips / sizeof *clips && status == SN_OK; ++i) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.bvh", folder, clips[i].name);
        FILE *out = fopen(path, "wb");
        if (out != NULL) {
            write_clip(out, person, &clips[i]);
        }
        if (out == NULL || ferror(out) != 0 || fclose(out) != 0) {
            status = SN_IO;
            if (error != NULL) {
                *error = (sn_error){.status = SN_IO};
                snprintf(error->message, sizeof error->message, "cannot write %.200s", path);
            }
        }
    }
    return status;
}
