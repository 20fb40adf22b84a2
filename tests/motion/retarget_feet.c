// SPDX-License-Identifier: Apache-2.0
//
// Bodies that walk and jump by construction: feet rest where and when we say. And clips whose zero
// pose is none.
#include "build.h"

enum {
    HIPS,
    SPINE,
    CHEST,
    NECK,
    HEAD,
    L_SHOULDER,
    L_ARM,
    L_FOREARM,
    L_HAND,
    R_SHOULDER,
    R_ARM,
    R_FOREARM,
    R_HAND,
    L_THIGH,
    L_SHIN,
    L_FOOT,
    L_TOES,
    R_THIGH,
    R_SHIN,
    R_FOOT,
    R_TOES,
    BODY_COUNT
};

// The source stands in T-pose, facing +z, its ankles at 0.1.
static const snt_bone source_bones[BODY_COUNT] = {
    {"Hips", -1, {0, 0.95, 0}},
    {"Spine", HIPS, {0, 0.2, 0}},
    {"Spine1", SPINE, {0, 0.2, 0}},
    {"Neck", CHEST, {0, 0.2, 0}},
    {"Head", NECK, {0, 0.1, 0}},
    {"LeftShoulder", CHEST, {0.05, 0.15, 0}},
    {"LeftArm", L_SHOULDER, {0.15, 0, 0}},
    {"LeftForeArm", L_ARM, {0.3, 0, 0}},
    {"LeftHand", L_FOREARM, {0.25, 0, 0}},
    {"RightShoulder", CHEST, {-0.05, 0.15, 0}},
    {"RightArm", R_SHOULDER, {-0.15, 0, 0}},
    {"RightForeArm", R_ARM, {-0.3, 0, 0}},
    {"RightHand", R_FOREARM, {-0.25, 0, 0}},
    {"LeftUpLeg", HIPS, {0.1, -0.05, 0}},
    {"LeftLeg", L_THIGH, {0, -0.4, 0}},
    {"LeftFoot", L_SHIN, {0, -0.4, 0}},
    {"LeftToeBase", L_FOOT, {0, -0.06, 0.12}},
    {"RightUpLeg", HIPS, {-0.1, -0.05, 0}},
    {"RightLeg", R_THIGH, {0, -0.4, 0}},
    {"RightFoot", R_SHIN, {0, -0.4, 0}},
    {"RightToeBase", R_FOOT, {0, -0.06, 0.12}},
};

// A larger body with wide hips, long thighs, low ankles and arms that hang.
static const snt_bone target_bones[BODY_COUNT] = {
    {"root", -1, {0, 1.1, 0}},
    {"spine02", HIPS, {0, 0.15, -0.02}},
    {"spine01", SPINE, {0, 0.25, 0.01}},
    {"neck01", CHEST, {0, 0.22, 0}},
    {"head", NECK, {0, 0.1, 0.02}},
    {"clavicle.L", CHEST, {0.04, 0.15, 0}},
    {"upperarm01.L", L_SHOULDER, {0.16, 0, 0}},
    {"lowerarm01.L", L_ARM, {0.2, -0.2, 0}},
    {"wrist.L", L_FOREARM, {0.18, -0.18, 0.02}},
    {"clavicle.R", CHEST, {-0.04, 0.15, 0}},
    {"upperarm01.R", R_SHOULDER, {-0.16, 0, 0}},
    {"lowerarm01.R", R_ARM, {-0.2, -0.2, 0}},
    {"wrist.R", R_FOREARM, {-0.18, -0.18, 0.02}},
    {"upperleg01.L", HIPS, {0.17, -0.07, 0}},
    {"lowerleg01.L", L_THIGH, {0, -0.55, 0.01}},
    {"foot.L", L_SHIN, {0, -0.42, -0.02}},
    {"toe1-1.L", L_FOOT, {0, -0.03, 0.17}},
    {"upperleg01.R", HIPS, {-0.17, -0.07, 0}},
    {"lowerleg01.R", R_THIGH, {0, -0.55, 0.01}},
    {"foot.R", R_SHIN, {0, -0.42, -0.02}},
    {"toe1-1.R", R_FOOT, {0, -0.03, 0.17}},
};

static const double rate = 60;
static const double ankle = 0.1, thigh = 0.4, shin = 0.4;

// ---------------------------------------------------------------------------------------------
// Moving by construction

typedef struct stand {
    sn_vec3 hips;
    double yaw;      // of the hips
    sn_vec3 feet[2]; // ankles
    double pitch[2]; // of the feet
    bool rests[2];   // whether a foot rests
} stand;

static const double walk_speed = 0.7;

static double ease(double t) {
    return t * t * t * (10 + t * (-15 + 6 * t));
}

// A foot is on the ground for six tenths of each second.
static stand walk_at(double time) {
    const double speed = walk_speed;
    stand s = {.hips = sn_vec3_make(0.02 * sin(2 * SN_PI * time),
                                    0.9 + 0.01 * cos(4 * SN_PI * time), speed * time),
               .yaw = 0.15 * sin(2 * SN_PI * time)};
    for (int side = 0; side < 2; ++side) {
        double phase = time + 0.5 * side + 0.3, step = floor(phase), in = phase - step;
        double u = in < 0.6 ? 0 : (in - 0.6) / 0.4, up = sin(SN_PI * u);
        s.rests[side] = in < 0.6;
        s.feet[side] = sn_vec3_make(side == 0 ? 0.1 : -0.1, ankle + 0.1 * up * up,
                                    speed * (step - 0.5 * side + ease(u)));
        s.pitch[side] = 0.5 * up * up;
    }
    return s;
}

// Stands for a second, is in the air for two, stands again.
static stand jump_at(double time) {
    double u = fmin(fmax((time - 1) / 2, 0), 1), up = sin(SN_PI * u);
    stand s = {.hips = sn_vec3_make(0.01 * sin(4 * time), 0.9 + 0.6 * up * up, 0.5 * ease(u)),
               .yaw = 0.2 * sin(3 * time)};
    for (int side = 0; side < 2; ++side) {
        s.rests[side] = u == 0 || u == 1;
        s.feet[side] = sn_vec3_make(side == 0 ? 0.1 : -0.1, ankle + 0.65 * up * up, 0.5 * ease(u));
    }
    return s;
}

typedef stand (*mover)(double time);

static sn_quat about_y(double angle) {
    return sn_quat_from_axis_angle(sn_vec3_make(0, 1, 0), angle);
}

// Thigh and shin that reach from hip to ankle with the knee ahead, by the law of cosines.
static void reach(sn_vec3 hip, sn_vec3 foot, sn_vec3 ahead, sn_vec3 *upper, sn_vec3 *lower) {
    sn_vec3 way = sn_vec3_sub(foot, hip);
    double length = sn_vec3_length(way);
    assert_true(length < thigh + shin);
    sn_vec3 to = sn_vec3_scale(way, 1 / length);
    sn_vec3 off = sn_vec3_add_scaled(ahead, -sn_vec3_dot(ahead, to), to);
    off = sn_vec3_normalize_or(off, ahead);
    double c = (thigh * thigh + length * length - shin * shin) / (2 * thigh * length);
    *upper = sn_vec3_add_scaled(sn_vec3_scale(to, c), sqrt(1 - c * c), off);
    *lower = sn_vec3_scale(sn_vec3_add_scaled(way, -thigh, *upper), 1 / shin);
}

// The world's rotations of all segments: those above carry what is not said.
static void rotate_all(const stand *s, double time, sn_quat rotations[BODY_COUNT]) {
    const sn_vec3 down = {0, -1, 0};
    sn_quat hips = about_y(s->yaw), chest = about_y(-0.1 * sin(2 * SN_PI * time));
    for (int i = 0; i < BODY_COUNT; ++i) {
        rotations[i] = i == HIPS ? hips : i < L_THIGH ? chest : hips;
    }
    for (int side = 0; side < 2; ++side) {
        int leg = side == 0 ? L_THIGH : R_THIGH, arm = side == 0 ? L_ARM : R_ARM;
        sn_vec3 upper, lower, offset = sn_vec3_make(side == 0 ? 0.1 : -0.1, -0.05, 0);
        sn_vec3 hip = sn_vec3_add(s->hips, sn_quat_rotate(hips, offset));
        reach(hip, s->feet[side], sn_quat_rotate(hips, sn_vec3_make(0, 0, 1)), &upper, &lower);
        rotations[leg] = sn_quat_multiply(sn_quat_between(sn_quat_rotate(hips, down), upper), hips);
        rotations[leg + 1] =
            sn_quat_multiply(sn_quat_between(sn_quat_rotate(hips, down), lower), hips);
        rotations[leg + 2] = rotations[leg + 3] =
            sn_quat_from_axis_angle(sn_vec3_make(1, 0, 0), s->pitch[side]);
        double swing = 0.4 * sin(2 * SN_PI * time) * (side == 0 ? 1 : -1);
        sn_quat hang = sn_quat_multiply(
            sn_quat_from_axis_angle(sn_vec3_make(1, 0, 0), swing),
            sn_quat_from_axis_angle(sn_vec3_make(0, 0, 1), side == 0 ? -1.4 : 1.4));
        for (int i = 0; i < 3; ++i) {
            rotations[arm + i] = sn_quat_multiply(chest, hang);
        }
    }
}

// How a file writes the same motion: the frames of its joints in the T-pose, and its world.
typedef struct convention {
    sn_quat frames[BODY_COUNT];
    sn_quat world;
} convention;

static convention plain_convention(void) {
    convention c = {.world = sn_quat_identity()};
    for (int i = 0; i < BODY_COUNT; ++i) {
        c.frames[i] = sn_quat_identity();
    }
    return c;
}

// Every bone lies along one axis of its own frame, and all frames are parallel at zero.
static convention along(sn_vec3 axis) {
    convention c = plain_convention();
    for (int i = 0; i < BODY_COUNT; ++i) {
        int child = i + 1 < BODY_COUNT && source_bones[i + 1].parent == i ? i + 1 : -1;
        if (child < 0) {
            c.frames[i] = c.frames[source_bones[i].parent];
            continue;
        }
        const double *o = source_bones[child].offset;
        sn_vec3 bone = sn_vec3_normalize_or(sn_vec3_make(o[0], o[1], o[2]), axis);
        c.frames[i] = sn_quat_between(axis, bone);
    }
    return c;
}

// A clip of `seconds`; joints go through the same places in every convention, but for its world.
static sn_clip *make_clip(sn_context *context, mover move, double seconds, const convention *c) {
    uint32_t count = (uint32_t)(seconds * rate) + 1;
    sn_clip *clip;
    sn_track *added, *place;
    snt_ok(sn_clip_create(context, "steps", rate, count, &clip, error));
    clip->skeleton = snt_skeleton(context, source_bones, BODY_COUNT);
    for (int i = 0; i < BODY_COUNT; ++i) {
        int parent = source_bones[i].parent;
        sn_vec3 *offset = &clip->skeleton.segments[i].rest.translation;
        *offset = parent >= 0 ? sn_quat_rotate(sn_quat_conjugate(c->frames[parent]), *offset)
                              : sn_quat_rotate(c->world, *offset);
        snt_ok(sn_clip_add_track(clip, SN_TRACK_ROTATION, source_bones[i].name,
                                 SN_INTERPOLATION_LINEAR, count, &added, error));
    }
    snt_ok(sn_clip_add_track(clip, SN_TRACK_TRANSLATION, "Hips", SN_INTERPOLATION_LINEAR, count,
                             &place, error));
    for (uint32_t f = 0; f < count; ++f) {
        sn_quat worlds[BODY_COUNT];
        stand s = move(f / rate);
        sn_vec3 hips = sn_quat_rotate(c->world, s.hips);
        rotate_all(&s, f / rate, worlds);
        for (int i = 0; i < BODY_COUNT; ++i) {
            int parent = source_bones[i].parent;
            worlds[i] = sn_quat_multiply(worlds[i], c->frames[i]);
            sn_quat above = parent >= 0 ? worlds[parent] : sn_quat_conjugate(c->world);
            sn_quat q = sn_quat_multiply(sn_quat_conjugate(above), worlds[i]);
            clip->tracks[i].times[f] = f / rate;
            memcpy(clip->tracks[i].values + 4 * f, (double[]){q.x, q.y, q.z, q.w},
                   4 * sizeof(double));
        }
        place->times[f] = f / rate;
        memcpy(place->values + 3 * f, (double[]){hips.x, hips.y, hips.z}, 3 * sizeof(double));
    }
    return clip;
}

// ---------------------------------------------------------------------------------------------

typedef struct played {
    sn_clip *clip;
    sn_mat4 *worlds; // frame after frame
    sn_retarget_report report;
} played;

static sn_mat4 *pose_all(sn_context *context, const sn_clip *clip) {
    sni_rig *rig;
    sni_player *player;
    sni_rig_desc desc = {.skeleton = &clip->skeleton};
    snt_ok(sni_rig_create(context, &desc, &rig, error));
    snt_ok(sni_player_create(rig, clip, NULL, &player, error));
    sni_pose pose = snt_pose(context, rig);
    size_t count = clip->skeleton.segment_count;
    sn_mat4 *worlds = sni_alloc(context, count * clip->frame_count, sizeof *worlds);
    for (uint32_t k = 0; k < clip->frame_count; ++k) {
        snt_ok(sni_rig_pose(rig, player, k / clip->rate, NULL, 0, &pose, error));
        memcpy(worlds + k * count, pose.worlds, count * sizeof *worlds);
    }
    snt_pose_end(context, &pose);
    sni_player_destroy(player);
    sni_rig_destroy(rig);
    return worlds;
}

static played play(sn_clip *clip, const snt_bone *bones, sn_retarget_desc desc) {
    played p = {0};
    sn_skeleton target = snt_skeleton(clip->context, bones, BODY_COUNT);
    snt_ok(sn_clip_retarget(clip, &target, &desc, &p.clip, &p.report, error));
    snt_ok(sn_clip_validate(p.clip, error));
    p.worlds = pose_all(clip->context, p.clip);
    sni_skeleton_deinit(clip->context, &target);
    return p;
}

static void end_played(played *p) {
    sni_free(p->clip->context, p->worlds);
    sn_clip_destroy(p->clip);
}

static sn_vec3 place(const played *p, uint32_t frame, int segment) {
    const double *m = p->worlds[frame * BODY_COUNT + segment].m;
    return sn_vec3_make(m[12], m[13], m[14]);
}

static double knee(const played *p, uint32_t frame, int leg) {
    sn_vec3 upper = sn_vec3_sub(place(p, frame, leg + 1), place(p, frame, leg));
    sn_vec3 lower = sn_vec3_sub(place(p, frame, leg + 2), place(p, frame, leg + 1));
    return atan2(sn_vec3_length(sn_vec3_cross(upper, lower)), sn_vec3_dot(upper, lower));
}

// The largest second differences: of knees in radians per frame^2, and of ankles in metres.
static void find_jerks(const played *p, double *knees, double *ankles) {
    *knees = *ankles = 0;
    for (uint32_t f = 1; f + 1 < p->clip->frame_count; ++f) {
        for (int leg = L_THIGH; leg <= R_THIGH; leg += R_THIGH - L_THIGH) {
            double d = knee(p, f + 1, leg) - 2 * knee(p, f, leg) + knee(p, f - 1, leg);
            sn_vec3 mean = sn_vec3_lerp(place(p, f + 1, leg + 2), place(p, f - 1, leg + 2), 0.5);
            *knees = fmax(*knees, fabs(d));
            *ankles = fmax(*ankles, 2 * sn_vec3_distance(mean, place(p, f, leg + 2)));
        }
    }
}

// How far ankles move while their feet rest, from where they were when that began; leaves out the
// first and last frames of a step, where what comes before and after counts in a measured speed.
static double find_slide(const played *p, mover move, bool sideways) {
    double most = 0;
    const uint32_t edge = 4;
    for (int side = 0; side < 2; ++side) {
        uint32_t first = SN_NONE;
        for (uint32_t f = edge; f + edge < p->clip->frame_count; ++f) {
            bool rests = move((f - edge) / rate).rests[side] && move((f + edge) / rate).rests[side];
            first = !rests ? SN_NONE : first == SN_NONE ? f : first;
            if (rests) {
                sn_vec3 now = place(p, f, side == 0 ? L_FOOT : R_FOOT);
                sn_vec3 then = place(p, first, side == 0 ? L_FOOT : R_FOOT);
                most = fmax(most,
                            sideways ? hypot(now.x - then.x, now.z - then.z) : fabs(now.y - 0.06));
            }
        }
    }
    return most;
}

static void feet_that_rest_stay(void **state) {
    (void)state;
    static const mover movers[] = {walk_at, jump_at};
    for (int i = 0; i < 2; ++i) {
        sn_context *context = snt_context(1);
        convention c = plain_convention();
        sn_clip *clip = make_clip(context, movers[i], 4, &c);
        sn_retarget_desc desc = sn_retarget_desc_default();
        assert_true(desc.plant_feet);
        played held = play(clip, target_bones, desc);
        desc.plant_feet = false;
        played slid = play(clip, target_bones, desc);
        double knees[2], ankles[2];
        assert_true(find_slide(&slid, movers[i], true) > 0.01);
        assert_true(find_slide(&held, movers[i], true) < 0.001);
        assert_true(find_slide(&held, movers[i], false) < 0.001); // on the ground, too
        assert_true(held.report.plant_count == (i == 0 ? 9 : 4));
        assert_true(held.report.slide > 0.01 && slid.report.plant_count == 0);
        find_jerks(&slid, &knees[0], &ankles[0]);
        find_jerks(&held, &knees[1], &ankles[1]);
        assert_true(knees[1] < 1.5 * knees[0] + 0.01); // 36 rad/s^2; real ones have 250
        assert_true(ankles[1] < 1.5 * ankles[0] + 0.001);
        end_played(&held);
        end_played(&slid);
        sn_clip_destroy(clip);
        snt_context_end(context);
    }
}

// In the air, farther than what fades from where feet rest, all is as it was but for a height that
// is the same for all joints: that of the ground under the steps before and after.
static void elsewhere_nothing_changes(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    convention c = plain_convention();
    sn_clip *clip = make_clip(context, jump_at, 4, &c);
    sn_retarget_desc desc = sn_retarget_desc_default();
    played held = play(clip, target_bones, desc);
    desc.plant_feet = false;
    played slid = play(clip, target_bones, desc);
    for (uint32_t f = (uint32_t)(1.5 * rate); f < (uint32_t)(2.5 * rate); ++f) {
        sn_vec3 up = sn_vec3_sub(place(&held, f, HIPS), place(&slid, f, HIPS));
        assert_true(fabs(up.y) < 0.01);
        for (int i = 0; i < BODY_COUNT; ++i) {
            snt_near(up.x, 0, 1e-9);
            snt_near(up.z, 0, 1e-9);
            snt_vec3_near(place(&held, f, i), sn_vec3_add(place(&slid, f, i), up), 1e-9);
        }
    }
    end_played(&held);
    end_played(&slid);
    sn_clip_destroy(clip);
    snt_context_end(context);
}

// Legs that are straight in the source cannot follow their feet without lowering the body: knees
// stay bent the right way, and feet stay.
static stand stiff_walk_at(double time) {
    stand s = walk_at(time);
    s.hips.y += 0.015;
    return s;
}

static void straight_knees_do_not_snap(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    convention c = plain_convention();
    sn_clip *clip = make_clip(context, stiff_walk_at, 4, &c);
    sn_retarget_desc desc = sn_retarget_desc_default();
    played held = play(clip, target_bones, desc);
    desc.plant_feet = false;
    played slid = play(clip, target_bones, desc);
    double knees[2], ankles[2];
    find_jerks(&slid, &knees[0], &ankles[0]);
    find_jerks(&held, &knees[1], &ankles[1]);
    assert_true(find_slide(&held, stiff_walk_at, true) < 0.001);
    assert_true(knees[1] < 2 * knees[0]);
    for (uint32_t f = 0; f < clip->frame_count; ++f) {
        for (int leg = L_THIGH; leg <= R_THIGH; leg += R_THIGH - L_THIGH) {
            sn_vec3 hip = place(&held, f, leg), foot = place(&held, f, leg + 2);
            sn_vec3 line = sn_vec3_sub(foot, hip),
                    bone = sn_vec3_sub(place(&held, f, leg + 1), hip);
            double t = bone.y / line.y;
            assert_true(bone.z > t * line.z - 1e-6); // the knee is ahead of the line
        }
        assert_true(fabs(place(&held, f, HIPS).y - place(&slid, f, HIPS).y) < 0.05);
    }
    end_played(&held);
    end_played(&slid);
    sn_clip_destroy(clip);
    snt_context_end(context);
}

// A treadmill: no foot ever rests, and nothing is held.
static stand treadmill_at(double time) {
    stand s = walk_at(time);
    s.hips.z -= walk_speed * time;
    s.feet[0].z -= walk_speed * time;
    s.feet[1].z -= walk_speed * time;
    return s;
}

static void a_treadmill_holds_nothing(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    convention c = plain_convention();
    sn_clip *clip = make_clip(context, treadmill_at, 3, &c);
    played p = play(clip, target_bones, sn_retarget_desc_default());
    assert_int_equal(p.report.plant_count, 0);
    end_played(&p);
    sn_clip_destroy(clip);
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// Zero poses that are none

static double angle_between(sn_vec3 a, sn_vec3 b) {
    return atan2(sn_vec3_length(sn_vec3_cross(a, b)), sn_vec3_dot(a, b)) * 180 / SN_PI;
}

static sn_vec3 bone_of(const played *p, uint32_t frame, int from, int to) {
    return sn_vec3_sub(place(p, frame, to), place(p, frame, from));
}

// Limbs point exactly where they would with the T-pose known; trunk and feet are told by a frame in
// the middle of a step, which leaves some degrees.
static void compare(const played *known, const played *guessed) {
    static const int limbs[][2] = {{L_ARM, L_FOREARM},  {L_FOREARM, L_HAND}, {R_ARM, R_FOREARM},
                                   {R_FOREARM, R_HAND}, {L_THIGH, L_SHIN},   {L_SHIN, L_FOOT},
                                   {R_THIGH, R_SHIN},   {R_SHIN, R_FOOT}};
    static const int others[][2] = {{HIPS, CHEST},       {CHEST, NECK},      {NECK, HEAD},
                                    {L_FOOT, L_TOES},    {R_FOOT, R_TOES},   {L_THIGH, R_THIGH},
                                    {CHEST, L_SHOULDER}, {L_SHOULDER, L_ARM}};
    for (uint32_t f = 0; f < known->clip->frame_count; ++f) {
        for (int i = 0; i < 8; ++i) {
            double angle = angle_between(bone_of(known, f, limbs[i][0], limbs[i][1]),
                                         bone_of(guessed, f, limbs[i][0], limbs[i][1]));
            assert_true(angle < 0.01);
            angle = angle_between(bone_of(known, f, others[i][0], others[i][1]),
                                  bone_of(guessed, f, others[i][0], others[i][1]));
            if (!(angle < 6)) {
                fail_msg("frame %u: bone %d is %.1f degrees off", f, others[i][0], angle);
            }
        }
        for (int i = 0; i < BODY_COUNT; ++i) {
            assert_true(sn_vec3_distance(place(known, f, i), place(guessed, f, i)) < 0.06);
        }
    }
}

static void a_zero_pose_that_is_none_is_not_used(void **state) {
    (void)state;
    static const double axes[][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                     {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    sn_context *context = snt_context(1);
    convention plain = plain_convention();
    sn_clip *clip = make_clip(context, walk_at, 2, &plain);
    sn_retarget_desc desc = sn_retarget_desc_default();
    desc.plant_feet = false;
    played known = play(clip, target_bones, desc);
    assert_false(known.report.zero_is_no_pose);
    assert_true(known.report.rest_frame == SN_NONE);
    for (size_t i = 0; i < sizeof axes / sizeof *axes; ++i) {
        convention c = along(sn_vec3_make(axes[i][0], axes[i][1], axes[i][2]));
        sn_clip *other = make_clip(context, walk_at, 2, &c);
        played guessed = play(other, target_bones, desc);
        assert_true(guessed.report.zero_is_no_pose);
        assert_true(guessed.report.rest_frame < other->frame_count);
        snt_near(guessed.report.scale, known.report.scale, 1e-9);
        compare(&known, &guessed);
        end_played(&guessed);
        sn_clip_destroy(other);
    }
    end_played(&known);
    sn_clip_destroy(clip);
    snt_context_end(context);
}

// All joints at one point, and every offset in the tracks.
static void joints_may_be_at_one_point(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    convention plain = plain_convention();
    sn_clip *clip = make_clip(context, walk_at, 2, &plain);
    sn_clip *other = make_clip(context, walk_at, 2, &plain);
    sn_retarget_desc desc = sn_retarget_desc_default();
    for (int i = 1; i < BODY_COUNT; ++i) {
        sn_vec3 *offset = &other->skeleton.segments[i].rest.translation;
        snt_constant(other, SN_TRACK_TRANSLATION, source_bones[i].name, source_bones[i].offset);
        *offset = sn_vec3_make(0, 0, 0);
    }
    desc.plant_feet = false;
    played known = play(clip, target_bones, desc), guessed = play(other, target_bones, desc);
    assert_true(guessed.report.zero_is_no_pose);
    snt_near(guessed.report.scale, known.report.scale, 1e-9);
    compare(&known, &guessed);
    end_played(&known);
    end_played(&guessed);
    sn_clip_destroy(clip);
    sn_clip_destroy(other);
    snt_context_end(context);
}

// The same in worlds where another axis is up; the body then goes to where those who made such
// worlds look at it from.
static void other_axes_may_be_up(void **state) {
    (void)state;
    const sn_vec3 x = {1, 0, 0};
    sn_context *context = snt_context(1);
    convention plain = plain_convention();
    sn_clip *clip = make_clip(context, walk_at, 2, &plain);
    sn_retarget_desc desc = sn_retarget_desc_default();
    played known = play(clip, target_bones, desc);
    for (int i = 0; i < 2; ++i) {
        convention c = i == 0 ? plain_convention() : along(x);
        c.world = sn_quat_from_axis_angle(x, SN_PI / 2); // y is z there, and z is -y
        sn_clip *other = make_clip(context, walk_at, 2, &c);
        for (int k = 0; i == 0 && k < BODY_COUNT; ++k) {
            // Its rest pose stands in that world as well.
            sn_transform *rest = &other->skeleton.segments[k].rest;
            rest->rotation = k == HIPS ? c.world : rest->rotation;
        }
        played guessed = play(other, target_bones, desc);
        assert_true(guessed.report.zero_is_no_pose == (i == 1));
        if (i == 0) {
            for (uint32_t f = 0; f < clip->frame_count; ++f) {
                for (int k = 0; k < BODY_COUNT; ++k) {
                    snt_vec3_near(place(&guessed, f, k), place(&known, f, k), 1e-5);
                }
            }
        } else {
            compare(&known, &guessed);
        }
        end_played(&guessed);
        sn_clip_destroy(other);
    }
    end_played(&known);
    sn_clip_destroy(clip);
    snt_context_end(context);
}

static void a_rest_frame_is_given_by_hand(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    convention c = along(sn_vec3_make(1, 0, 0));
    sn_clip *clip = make_clip(context, walk_at, 2, &c);
    sn_retarget_desc desc = sn_retarget_desc_default();
    desc.rest_frame = 15;
    played p = play(clip, target_bones, desc);
    assert_int_equal(p.report.rest_frame, 15);
    end_played(&p);
    sn_skeleton target = snt_skeleton(context, target_bones, BODY_COUNT);
    sn_clip *none;
    desc.rest_frame = clip->frame_count;
    snt_fails(SN_INVALID, "the rest frame is 121, but the clip \"steps\" has the frames 0 to 120",
              sn_clip_retarget(clip, &target, &desc, &none, NULL, error));
    sni_skeleton_deinit(context, &target);
    sn_clip_destroy(clip);
    snt_context_end(context);
}

static void is_deterministic(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    convention c = along(sn_vec3_make(0, 1, 0));
    sn_clip *clip = make_clip(context, walk_at, 2, &c);
    played a = play(clip, target_bones, sn_retarget_desc_default());
    played b = play(clip, target_bones, sn_retarget_desc_default());
    assert_memory_equal(a.worlds, b.worlds, clip->frame_count * BODY_COUNT * sizeof *a.worlds);
    end_played(&a);
    end_played(&b);
    sn_clip_destroy(clip);
    snt_context_end(context);
}

typedef struct lent {
    sn_clip *clip;
    sn_skeleton target;
} lent;

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    lent *l = user;
    sn_clip *result = NULL;
    sn_retarget_desc desc = sn_retarget_desc_default();
    // Retargeting takes its memory from the clip's context: lend it this one.
    sn_context *own = l->clip->context;
    l->clip->context = context;
    sn_status status = sn_clip_retarget(l->clip, &l->target, &desc, &result, NULL, error);
    sn_clip_destroy(result);
    l->clip->context = own;
    return status;
}

static void survives_failing_allocations(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    convention c = along(sn_vec3_make(1, 0, 0));
    lent l = {make_clip(context, walk_at, 1, &c), snt_skeleton(context, target_bones, BODY_COUNT)};
    snt_fail_allocations(attempt, &l);
    sni_skeleton_deinit(context, &l.target);
    sn_clip_destroy(l.clip);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feet_that_rest_stay),
        cmocka_unit_test(elsewhere_nothing_changes),
        cmocka_unit_test(straight_knees_do_not_snap),
        cmocka_unit_test(a_treadmill_holds_nothing),
        cmocka_unit_test(a_zero_pose_that_is_none_is_not_used),
        cmocka_unit_test(joints_may_be_at_one_point),
        cmocka_unit_test(other_axes_may_be_up),
        cmocka_unit_test(a_rest_frame_is_given_by_hand),
        cmocka_unit_test(is_deterministic),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
