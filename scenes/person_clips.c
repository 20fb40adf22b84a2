// SPDX-License-Identifier: Apache-2.0
//
// Motions of `person`. Walk and run follow what gait analysis describes (Perry, Gait Analysis,
// 1992; Novacheck, The biomechanics of running, 1998): a cycle from strike to strike, of which a
// foot stands for three fifths when it walks and for a third when it runs; the foot rolls over
// heel, sole and ball; the pelvis turns, tilts and rises twice a cycle; shoulders and arms turn
// against it.
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
// Feet that walk and run

// A way of getting ahead.
typedef struct gait {
    double stride, cycle; // metres and seconds from strike to strike of a foot
    double below_hip;     // when the ankle passes below the hip, as a part of the cycle
    double toe_off;       // when the toes leave the ground
    double aside;         // metres of the ankles from the middle
    double lift;          // metres that an ankle is raised by in the air, besides
    double strike_speed;  // of the ankle ahead, in strides per cycle
    double push;          // from when on the toes stay behind while the foot rolls
    double along;         // when they go along with the foot again
    double yaw;           // degrees outwards
    uint32_t pitch_count;
    const key *pitch; // of the foot
} gait;

// Metres: the heel behind and the ball before the ankle.
static const double heel_behind = 0.045, ball_ahead = 0.125;

static double pitch_at(const gait *g, double phase) {
    return curve_at(g->pitch, g->pitch_count, phase);
}

// The ankle of a foot that stands with this pitch, when its flat ankle would be at `flat`: it turns
// about the heel or the ball.
static sn_vec3 rolled(sn_vec3 flat, double pitch) {
    double angle = pitch * (SN_PI / 180), pivot = pitch > 0 ? -heel_behind : ball_ahead;
    double z = -pivot, y = flat.y; // of the ankle, seen from the pivot on the ground
    return sn_vec3_make(flat.x, z * sin(angle) + y * cos(angle),
                        flat.z + pivot + z * cos(angle) - y * sin(angle));
}

// The ankle while the foot stands; phase 0 is the strike of cycle `number`.
static sn_vec3 standing(const scn_person *person, const gait *g, uint32_t side, double number,
                        double phase) {
    sn_vec3 flat = scn_person_flat_foot(person, side, 0).ankle;
    flat.x = side == 0 ? g->aside : -g->aside;
    flat.z = g->stride * (number + g->below_hip + (side == 0 ? 0 : 0.5));
    return rolled(flat, pitch_at(g, phase));
}

static double hermite(double p0, double v0, double p1, double v1, double t) {
    double t2 = t * t, t3 = t2 * t;
    return (2 * t3 - 3 * t2 + 1) * p0 + (t3 - 2 * t2 + t) * v0 + (3 * t2 - 2 * t3) * p1 +
           (t3 - t2) * v1;
}

// In the air the ankle goes from where it leaves to where it strikes with the speeds that it has
// there, but for the heel that strikes: it goes ahead until it does. It goes higher than that, for
// the toes have to pass above the ground.
static sn_vec3 swinging(const scn_person *person, const gait *g, uint32_t side, double number,
                        double phase) {
    const double step = 1e-4;
    sn_vec3 from = standing(person, g, side, number, g->toe_off);
    sn_vec3 to = standing(person, g, side, number + 1, 0);
    sn_vec3 leaves = sn_vec3_sub(from, standing(person, g, side, number, g->toe_off - step));
    double falls = standing(person, g, side, number + 1, step).y - to.y;
    double span = 1 - g->toe_off, t = (phase - g->toe_off) / span, s = span / step;
    double bump = t * t * (1 - t) * (1 - t) * (1 - t) / 0.03456; // 1 at t = 0.4
    return sn_vec3_make(from.x, hermite(from.y, s * leaves.y, to.y, s * falls, t) + g->lift * bump,
                        hermite(from.z, s * leaves.z, to.z, span * g->strike_speed * g->stride, t));
}

static scn_foot moving_foot(const scn_person *person, const gait *g, uint32_t side, double phase) {
    double number = floor(phase), p = phase - number;
    bool stands = p < g->toe_off;
    double pitch = pitch_at(g, p);
    // The toes stay on the ground until they push off; then they go along with the foot.
    double along = p < g->push ? 1 : scn_smooth_step(g->toe_off + 0.01, g->along, p);
    return (scn_foot){
        .ankle =
            stands ? standing(person, g, side, number, p) : swinging(person, g, side, number, p),
        .yaw = g->yaw,
        .pitch = pitch,
        .toes = along * pitch,
    };
}

// ---------------------------------------------------------------------------------------------
// Walk

static const key walk_pitch[] = {{0, 17},     {0.07, 0},   {0.30, 0},   {0.42, -8}, {0.52, -26},
                                 {0.62, -52}, {0.67, -50}, {0.78, -12}, {0.89, 9},  {1, 17}};
static const gait walking = {
    .stride = 1.2,
    .cycle = 1.1,
    .below_hip = 0.252,
    .toe_off = 0.62,
    .aside = 0.078,
    .lift = 0.045,
    .strike_speed = 0.7,
    .push = 0.3,
    .along = 0.80,
    .yaw = -5,
    .pitch_count = sizeof walk_pitch / sizeof *walk_pitch,
    .pitch = walk_pitch,
};

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
    double p = time / walking.cycle, turn = -5.5 * wave(p), tilt = 3 * wave(p - 0.15);
    sn_vec3 rest = person->joints[SCN_PERSON_HIPS].rest.origin;
    *stance = (scn_stance){
        .hips = {0.02 * wave(p - 0.30), rest.y - 0.024 - 0.016 * wave(2 * p - 0.1),
                 rest.z + walking.stride * p + 0.008 * wave(2 * p - 0.45)},
        .hips_turn = {4 + wave(2 * p), turn, tilt},
        .spine = {-1, -2 * turn, -1.3 * tilt},
        .head = {-3 - wave(2 * p - 0.1), 0.9 * turn, 0.3 * tilt},
        .arms = {walking_arm(p), walking_arm(p + 0.5)},
        .feet = {moving_foot(person, &walking, 0, p), moving_foot(person, &walking, 1, p - 0.5)},
    };
}

// ---------------------------------------------------------------------------------------------
// Run

static const key run_pitch[] = {{0, 8},      {0.05, 0},   {0.15, 0},   {0.24, -16},
                                {0.30, -36}, {0.36, -60}, {0.46, -88}, {0.60, -76},
                                {0.78, -20}, {0.92, 8},   {1, 8}};
static const gait running = {
    .stride = 2.1,
    .cycle = 0.7,
    .below_hip = 0.128,
    .toe_off = 0.36,
    .aside = 0.05,
    .lift = 0.30,
    .strike_speed = 0.35,
    .push = 0.15,
    .along = 0.50,
    .yaw = -4,
    .pitch_count = sizeof run_pitch / sizeof *run_pitch,
    .pitch = run_pitch,
};

static scn_arm running_arm(double phase) {
    double ahead = 0.5 - 0.5 * wave(phase - 0.05);
    return (scn_arm){
        .rx = 44 - 76 * ahead,
        .ry = -14 - 18 * ahead,
        .rz = -32 + 4 * ahead,
        .shoulder = 3 * ahead,
        .elbow = 78 + 26 * ahead,
        .twist = -62,
        .hand = {-4, -12, 0},
    };
}

// Phase 0 is the left strike. The body is lowest while a foot carries it, and flies between.
static void run_at(const scn_person *person, double time, scn_stance *stance) {
    double p = time / running.cycle, turn = -9 * wave(p - 0.02), tilt = 4 * wave(p - 0.14);
    sn_vec3 rest = person->joints[SCN_PERSON_HIPS].rest.origin;
    *stance = (scn_stance){
        .hips = {0.012 * wave(p - 0.16), rest.y - 0.066 - 0.032 * wave(2 * p - 0.30),
                 rest.z + running.stride * p + 0.010 * wave(2 * p - 0.5)},
        .hips_turn = {10 + 2 * wave(2 * p - 0.3), turn, tilt},
        .spine = {2, -2.2 * turn, -1.2 * tilt},
        .head = {-9 - 2 * wave(2 * p - 0.3), 1.1 * turn, 0.2 * tilt},
        .arms = {running_arm(p), running_arm(p + 0.5)},
        .feet = {moving_foot(person, &running, 0, p), moving_foot(person, &running, 1, p - 0.5)},
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
// Jump

// Seconds: when the toes leave the ground, and when they are back on it.
static const double leaves_at = 0.80, lands_at = 1.27;
static const double jumps_ahead = 0.30; // metres

// A foot stands, rolls over its ball, flies with the toes down, and lands on the ball.
static scn_foot jumping_foot(const scn_person *person, uint32_t side, double time) {
    static const key pitch[] = {{0, 0},      {0.60, 0},   {0.72, -24}, {0.80, -62}, {0.95, -52},
                                {1.16, -28}, {1.27, -24}, {1.36, 0},   {2.4, 0}};
    static const key toes[] = {{0, 0},      {0.80, 0}, {0.90, -46}, {1.00, -46},
                               {1.16, -26}, {1.27, 0}, {2.4, 0}};
    double u = fmin(fmax((time - leaves_at) / (lands_at - leaves_at), 0), 1);
    double tilted = CURVE(pitch, time);
    scn_foot foot = scn_person_flat_foot(person, side, jumps_ahead * u);
    foot.ankle = rolled(foot.ankle, tilted);
    foot.ankle.y += 4 * 0.29 * u * (1 - u);
    foot.yaw = 6;
    foot.pitch = tilted;
    foot.toes = CURVE(toes, time);
    return foot;
}

static void jump_at(const scn_person *person, double time, scn_stance *stance) {
    static const key height[] = {{0, -0.012},   {0.10, -0.012}, {0.48, -0.30},
                                 {0.58, -0.30}, {0.70, -0.12},  {0.80, 0.075}};
    static const key landing[] = {{1.27, 0.015}, {1.33, -0.10}, {1.52, -0.26},
                                  {1.62, -0.26}, {2.1, -0.03},  {2.4, -0.012}};
    static const key bent[] = {{0, 1},    {0.48, 46}, {0.58, 46}, {0.80, 2}, {0.95, -4},
                               {1.20, 8}, {1.52, 38}, {1.62, 38}, {2.2, 2},  {2.4, 1}};
    static const key swing[] = {{0, 0},       {0.15, 0},   {0.48, 58},  {0.56, 58}, {0.82, -150},
                                {1.00, -150}, {1.30, -95}, {1.55, -40}, {2.1, 0},   {2.4, 0}};
    static const key aside[] = {{0, -33},    {0.48, -30}, {0.65, -38}, {0.82, -12}, {1.00, -10},
                                {1.30, -20}, {1.60, -28}, {2.1, -33},  {2.4, -33}};
    static const key back[] = {{0, 0},       {0.48, -0.11}, {0.58, -0.11},
                               {0.80, 0.10}, {1.27, 0.31},  {1.52, 0.20},
                               {1.62, 0.20}, {2.2, 0.30},   {2.4, 0.30}};
    const double gravity = 9.81;
    double flight = fmin(fmax(time - leaves_at, 0), lands_at - leaves_at);
    double span = lands_at - leaves_at, from = CURVE(height, leaves_at),
           to = CURVE(landing, lands_at);
    double speed = (to - from) / span + gravity * span / 2;
    double flown = from + speed * flight - gravity * flight * flight / 2;
    double up = time < leaves_at ? CURVE(height, time) : CURVE(landing, time);
    double forward = CURVE(bent, time), arms = CURVE(swing, time);
    sn_vec3 rest = person->joints[SCN_PERSON_HIPS].rest.origin;
    scn_arm arm = {.rx = arms,
                   .ry = -16,
                   .rz = CURVE(aside, time),
                   .shoulder = 10 * scn_smooth_step(-60, -150, arms),
                   .elbow = 14 + 20 * scn_smooth_step(0, -60, arms),
                   .twist = -45,
                   .hand = {0, -22, 0}};
    *stance = (scn_stance){
        .hips = {0, rest.y + (time > leaves_at && time < lands_at ? flown : up),
                 rest.z + CURVE(back, time)},
        .hips_turn = {forward, 0, 0},
        .spine = {0.25 * forward, 0, 0},
        .head = {-0.8 * forward, 0, 0},
        .arms = {arm, arm},
        .feet = {jumping_foot(person, 0, time), jumping_foot(person, 1, time)},
    };
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
    {"walk", 100, walk_at}, {"squat", 85, squat_at}, {"wave", 115, wave_at},
    {"run", 63, run_at},    {"jump", 73, jump_at},
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
