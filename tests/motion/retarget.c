// SPDX-License-Identifier: Apache-2.0
#include "build.h"

#include "sinew/io.h"

// A body in T-pose, facing +z, its left at +x; the feet stand at 0.1.
static const snt_bone body[] = {{"Hips", -1, {0, 1, 0}},
                                {"Spine", 0, {0, 0.2, 0}},
                                {"Spine1", 1, {0, 0.2, 0}},
                                {"Neck", 2, {0, 0.2, 0}},
                                {"Head", 3, {0, 0.1, 0}},
                                {"LeftShoulder", 2, {0.05, 0.15, 0}},
                                {"LeftArm", 5, {0.15, 0, 0}},
                                {"LeftForeArm", 6, {0.3, 0, 0}},
                                {"LeftHand", 7, {0.25, 0, 0}},
                                {"RightShoulder", 2, {-0.05, 0.15, 0}},
                                {"RightArm", 9, {-0.15, 0, 0}},
                                {"RightForeArm", 10, {-0.3, 0, 0}},
                                {"RightHand", 11, {-0.25, 0, 0}},
                                {"LeftUpLeg", 0, {0.1, -0.05, 0}},
                                {"LeftLeg", 13, {0, -0.4, 0}},
                                {"LeftFoot", 14, {0, -0.4, 0}},
                                {"LeftToeBase", 15, {0, -0.05, 0.1}},
                                {"RightUpLeg", 0, {-0.1, -0.05, 0}},
                                {"RightLeg", 17, {0, -0.4, 0}},
                                {"RightFoot", 18, {0, -0.4, 0}},
                                {"RightToeBase", 19, {0, -0.05, 0.1}}};
enum {
    HIPS,
    SPINE,
    SPINE1,
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
    L_TOE,
    R_THIGH,
    R_SHIN,
    R_FOOT,
    R_TOE,
    BODY_COUNT
};

// Names of another tool for the same parts.
static const char *const other_names[BODY_COUNT] = {
    "root",         "spine02",      "spine01",      "neck01",     "head",         "clavicle.L",
    "upperarm01.L", "lowerarm01.L", "wrist.L",      "clavicle.R", "upperarm01.R", "lowerarm01.R",
    "wrist.R",      "upperleg01.L", "lowerleg01.L", "foot.L",     "toe1-1.L",     "upperleg01.R",
    "lowerleg01.R", "foot.R",       "toe1-1.R"};

typedef struct fixture {
    sn_context *context;
    sn_clip *clip;
    sn_skeleton target;
    sn_clip *result;
    sn_retarget_report report;
} fixture;

// Random turns of all segments and places of the hips.
static void setup(fixture *f, uint32_t frame_count, uint64_t seed) {
    *f = (fixture){.context = snt_context(1)};
    snt_ok(sn_clip_create(f->context, "dance", 25, frame_count, &f->clip, error));
    f->clip->skeleton = snt_skeleton(f->context, body, BODY_COUNT);
    snt_random random = {seed};
    for (int i = 0; i < BODY_COUNT; ++i) {
        sn_track *track;
        snt_ok(sn_clip_add_track(f->clip, SN_TRACK_ROTATION, body[i].name, SN_INTERPOLATION_LINEAR,
                                 frame_count, &track, error));
        for (uint32_t k = 0; k < frame_count; ++k) {
            sn_quat q = snt_random_quat(&random);
            track->times[k] = k / 25.0;
            memcpy(track->values + 4 * k, (double[]){q.x, q.y, q.z, q.w}, 4 * sizeof(double));
        }
    }
    sn_track *track;
    snt_ok(sn_clip_add_track(f->clip, SN_TRACK_TRANSLATION, "Hips", SN_INTERPOLATION_LINEAR,
                             frame_count, &track, error));
    for (uint32_t k = 0; k < frame_count; ++k) {
        track->times[k] = k / 25.0;
        for (int i = 0; i < 3; ++i) {
            track->values[3 * k + i] = snt_random_range(&random, -2, 2);
        }
    }
}

static void teardown(fixture *f) {
    sn_clip_destroy(f->clip);
    sn_clip_destroy(f->result);
    sni_skeleton_deinit(f->context, &f->target);
    snt_context_end(f->context);
}

static bool is_below(int segment, int ancestor) {
    while (segment >= 0 && segment != ancestor) {
        segment = body[segment].parent;
    }
    return segment == ancestor;
}

// The same body `scale` times as large in A-pose: arms down by 45 degrees, legs spread by 5 with
// the feet still flat, every joint frame turned at random.
static sn_skeleton a_pose(sn_context *context, double scale, const char *const *names) {
    sn_vec3 places[BODY_COUNT];
    sn_quat frames[BODY_COUNT];
    snt_random random = {99};
    sn_skeleton skeleton = snt_skeleton(context, body, BODY_COUNT);
    for (int i = 0; i < BODY_COUNT; ++i) {
        int parent = body[i].parent;
        sn_vec3 offset = skeleton.segments[i].rest.translation;
        double turn = 0;
        turn = i != L_ARM && is_below(i, L_ARM) ? -SN_PI / 4 : turn;
        turn = i != R_ARM && is_below(i, R_ARM) ? SN_PI / 4 : turn;
        turn = i == L_SHIN || i == L_FOOT ? 5 * SN_PI / 180 : turn;
        turn = i == R_SHIN || i == R_FOOT ? -5 * SN_PI / 180 : turn;
        offset = sn_quat_rotate(sn_quat_from_axis_angle(sn_vec3_make(0, 0, 1), turn), offset);
        sn_vec3 from = parent >= 0 ? places[parent] : sn_vec3_make(0, 0, 0);
        places[i] = sn_vec3_add_scaled(from, scale, offset);
        frames[i] = snt_random_quat(&random);
        sn_quat above = sn_quat_conjugate(parent >= 0 ? frames[parent] : sn_quat_identity());
        sn_transform *rest = &skeleton.segments[i].rest;
        rest->rotation = sn_quat_multiply(above, frames[i]);
        rest->translation = sn_quat_rotate(above, sn_vec3_sub(places[i], from));
        if (names != NULL) {
            sni_free(context, skeleton.segments[i].name);
            skeleton.segments[i].name = sni_string_copy(context, names[i]);
        }
    }
    return skeleton;
}

static void retarget(fixture *f) {
    sn_retarget_desc desc = sn_retarget_desc_default();
    snt_ok(sn_clip_retarget(f->clip, &f->target, &desc, &f->result, &f->report, error));
    snt_ok(sn_clip_validate(f->result, error));
    assert_int_equal(f->result->frame_count, f->clip->frame_count);
    assert_true(f->result->rate == f->clip->rate);
    assert_true(sn_clip_fits(f->result, &f->target));
}

// World matrices of all frames, frame after frame. Free with sni_free.
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

static sn_vec3 place(const sn_mat4 *world) {
    return sn_vec3_make(world->m[12], world->m[13], world->m[14]);
}

static sn_vec3 direction(const sn_mat4 *worlds, int from, int to) {
    sn_vec3 way = sn_vec3_sub(place(&worlds[to]), place(&worlds[from]));
    return sn_vec3_normalize_or(way, sn_vec3_make(0, 0, 0));
}

static void limbs_point_where_the_source_points(void **state) {
    (void)state;
    static const int limbs[][2] = {{L_ARM, L_FOREARM},  {L_FOREARM, L_HAND}, {R_ARM, R_FOREARM},
                                   {R_FOREARM, R_HAND}, {L_THIGH, L_SHIN},   {L_SHIN, L_FOOT},
                                   {R_THIGH, R_SHIN},   {R_SHIN, R_FOOT},    {SPINE, SPINE1},
                                   {SPINE1, NECK},      {NECK, HEAD},        {L_FOOT, L_TOE},
                                   {R_FOOT, R_TOE},     {L_SHOULDER, L_ARM}};
    const char *const *names[] = {NULL, other_names};
    for (int round = 0; round < 2; ++round) {
        fixture f;
        setup(&f, 50, 31);
        f.target = a_pose(f.context, 1, names[round]);
        retarget(&f);
        assert_int_equal(f.report.matched, BODY_COUNT);
        assert_int_equal(f.report.unmatched_source, 0);
        sn_mat4 *source = pose_all(f.context, f.clip), *target = pose_all(f.context, f.result);
        for (uint32_t k = 0; k < 50; ++k) {
            const sn_mat4 *s = source + k * BODY_COUNT, *t = target + k * BODY_COUNT;
            for (size_t i = 0; i < sizeof limbs / sizeof *limbs; ++i) {
                snt_vec3_near(direction(t, limbs[i][0], limbs[i][1]),
                              direction(s, limbs[i][0], limbs[i][1]), 1e-9);
            }
        }
        sni_free(f.context, source);
        sni_free(f.context, target);
        teardown(&f);
    }
}

// A body of bones stands with arms down and palms forward, thumbs out to the sides; hands that hang
// as people's do have their thumbs forward. In the T-pose of a clip both look down.
static void palms_look_down_in_a_t_pose(void **state) {
    (void)state;
    for (int round = 0; round < 2; ++round) {
        fixture f = {.context = snt_context(1)};
        snt_bone bones[BODY_COUNT + 2];
        double times[1] = {0}, turn[4] = {0, 0, 0, 1};
        memcpy(bones, body, sizeof body);
        for (int i = 0; i < BODY_COUNT; ++i) {
            if (i == L_FOREARM || i == L_HAND || i == R_FOREARM || i == R_HAND) {
                bones[i].offset[0] = 0;
                bones[i].offset[1] = -fabs(body[i].offset[0]);
            }
        }
        for (int i = 0; i < 2; ++i) {
            double out = i == 0 ? 0.04 : -0.04;
            bones[BODY_COUNT + i] =
                (snt_bone){i == 0 ? "LeftHandThumb1" : "RightHandThumb1",
                           i == 0 ? L_HAND : R_HAND,
                           {round == 0 ? out : 0, -0.02, round == 0 ? 0 : 0.04}};
        }
        snt_ok(sn_clip_create(f.context, "stand", 25, 1, &f.clip, error));
        f.clip->skeleton = snt_skeleton(f.context, body, BODY_COUNT);
        snt_track(f.clip, SN_TRACK_ROTATION, "Hips", SN_INTERPOLATION_LINEAR, 1, times, turn);
        f.target = snt_skeleton(f.context, bones, BODY_COUNT + 2);
        retarget(&f);
        sn_mat4 *worlds = pose_all(f.context, f.result);
        for (int i = 0; i < 2; ++i) {
            int hand = i == 0 ? L_HAND : R_HAND;
            sn_vec3 along = direction(worlds, i == 0 ? L_FOREARM : R_FOREARM, hand);
            sn_vec3 thumb = direction(worlds, hand, BODY_COUNT + i);
            snt_vec3_near(along, sn_vec3_make(i == 0 ? 1 : -1, 0, 0), 1e-9);
            snt_near(thumb.z, 0.04 / hypot(0.04, 0.02), 1e-9);
            snt_near(thumb.y, 0, 1e-9);
        }
        sni_free(f.context, worlds);
        teardown(&f);
    }
}

static void places_scale_with_the_legs(void **state) {
    (void)state;
    fixture f;
    setup(&f, 20, 5);
    f.target = a_pose(f.context, 2, other_names);
    retarget(&f);
    snt_near(f.report.scale, 2, 1e-12);
    sn_mat4 *source = pose_all(f.context, f.clip), *target = pose_all(f.context, f.result);
    // Spread legs stand 2 cm higher; apart from that all is twice as large.
    double lift = 2 * 0.8 * (1 - cos(5 * SN_PI / 180));
    for (uint32_t k = 0; k < 20; ++k) {
        for (int i = 0; i < BODY_COUNT; ++i) {
            sn_vec3 expected = sn_vec3_scale(place(&source[k * BODY_COUNT + i]), 2);
            expected.y += lift;
            snt_vec3_near(place(&target[k * BODY_COUNT + i]), expected, 1e-9);
        }
    }
    sni_free(f.context, source);
    sni_free(f.context, target);
    teardown(&f);
}

static void a_given_scale_is_used(void **state) {
    (void)state;
    fixture f;
    setup(&f, 2, 5);
    f.target = a_pose(f.context, 2, other_names);
    sn_retarget_desc desc = sn_retarget_desc_default();
    desc.scale = 0.5;
    snt_ok(sn_clip_retarget(f.clip, &f.target, &desc, &f.result, &f.report, error));
    assert_true(f.report.scale == 0.5);
    teardown(&f);
}

static const sn_track *find_track(const sn_clip *clip, const sn_track *like) {
    for (uint32_t i = 0; i < clip->track_count; ++i) {
        const sn_track *track = &clip->tracks[i];
        if (track->kind == like->kind && strcmp(track->target, like->target) == 0) {
            return track;
        }
    }
    fail_msg("there is no track for \"%s\"", like->target);
    return NULL;
}

static void the_same_skeleton_gives_the_same_motion(void **state) {
    (void)state;
    fixture f;
    setup(&f, 30, 77);
    double times[30], moves[90], scales[90];
    for (int k = 0; k < 30; ++k) {
        times[k] = k / 25.0;
        for (int i = 0; i < 3; ++i) {
            moves[3 * k + i] = sin(k + i);
            scales[3 * k + i] = 1 + 0.1 * cos(k - i);
        }
    }
    snt_track(f.clip, SN_TRACK_TRANSLATION, "LeftHand", SN_INTERPOLATION_LINEAR, 30, times, moves);
    snt_track(f.clip, SN_TRACK_SCALE, "Head", SN_INTERPOLATION_LINEAR, 30, times, scales);
    snt_ok(sni_skeleton_copy(f.context, &f.clip->skeleton, &f.target, error));
    retarget(&f);
    assert_true(f.report.scale == 1);
    for (uint32_t i = 0; i < f.clip->track_count; ++i) {
        const sn_track *a = &f.clip->tracks[i], *b = find_track(f.result, a);
        for (int k = 0; k < 30; ++k) {
            double v[4], w[4];
            sn_track_sample(a, times[k], v);
            sn_track_sample(b, times[k], w);
            if (a->kind == SN_TRACK_ROTATION) {
                snt_rotation_near((sn_quat){v[0], v[1], v[2], v[3]},
                                  (sn_quat){w[0], w[1], w[2], w[3]}, 1e-14);
            } else {
                snt_vec3_near(sn_vec3_make(v[0], v[1], v[2]), sn_vec3_make(w[0], w[1], w[2]),
                              1e-14);
            }
        }
    }
    teardown(&f);
}

static void is_deterministic(void **state) {
    (void)state;
    fixture f;
    setup(&f, 10, 3);
    f.target = a_pose(f.context, 1.3, other_names);
    retarget(&f);
    sn_clip *first = f.result;
    retarget(&f);
    assert_int_equal(first->track_count, f.result->track_count);
    for (uint32_t i = 0; i < first->track_count; ++i) {
        size_t width = sn_track_width(&first->tracks[i]);
        assert_memory_equal(first->tracks[i].values, f.result->tracks[i].values,
                            10 * width * sizeof(double));
    }
    sn_clip_destroy(first);
    teardown(&f);
}

// One spine bone onto two: the lower one takes half of the turn, the upper one all of it.
static void spines_share_their_turn(void **state) {
    (void)state;
    static const snt_bone one[] = {{"Hips", -1, {0, 1, 0}}, {"Spine", 0, {0, 0.1, 0}}};
    static const snt_bone two[] = {
        {"pelvis", -1, {0, 1, 0}}, {"spine_01", 0, {0, 0.1, 0}}, {"spine_02", 1, {0, 0.1, 0}}};
    fixture f = {.context = snt_context(1)};
    snt_ok(sn_clip_create(f.context, "bow", 25, 1, &f.clip, error));
    f.clip->skeleton = snt_skeleton(f.context, one, 2);
    f.target = snt_skeleton(f.context, two, 3);
    const double angle = 1.2;
    snt_constant(f.clip, SN_TRACK_PARAMETER, "Spine.rx", (double[]){angle});
    retarget(&f);
    assert_int_equal(f.report.matched, 3);
    sn_mat4 *worlds = pose_all(f.context, f.result);
    sn_vec3 x = {1, 0, 0};
    snt_rotation_near(sn_mat4_rotation(&worlds[1]), sn_quat_from_axis_angle(x, angle / 2), 1e-14);
    snt_rotation_near(sn_mat4_rotation(&worlds[2]), sn_quat_from_axis_angle(x, angle), 1e-14);
    sni_free(f.context, worlds);
    teardown(&f);
}

// A source with z up: the result stands in the target's world.
static void turns_between_worlds(void **state) {
    (void)state;
    fixture f;
    setup(&f, 20, 41);
    sn_quat upright = sn_quat_from_axis_angle(sn_vec3_make(1, 0, 0), SN_PI / 2); // y -> z
    for (int i = 0; i < BODY_COUNT; ++i) {
        sn_vec3 *offset = &f.clip->skeleton.segments[i].rest.translation;
        *offset = sn_quat_rotate(upright, *offset);
    }
    f.target = a_pose(f.context, 1, other_names);
    retarget(&f);
    sn_mat4 *source = pose_all(f.context, f.clip), *target = pose_all(f.context, f.result);
    for (uint32_t k = 0; k < 20; ++k) {
        sn_vec3 s = direction(source + k * BODY_COUNT, L_FOREARM, L_HAND);
        sn_vec3 t = direction(target + k * BODY_COUNT, L_FOREARM, L_HAND);
        snt_vec3_near(sn_quat_rotate(upright, t), s, 1e-9);
    }
    sni_free(f.context, source);
    sni_free(f.context, target);
    teardown(&f);
}

// Skeletons that are no bodies: equal names, bones aligned by direction.
static void pairs_unknown_creatures_by_name(void **state) {
    (void)state;
    static const snt_bone straight[] = {{"base", -1, {0, 1, 0}},
                                        {"tentacle_a", 0, {1, 0, 0}},
                                        {"tentacle_b", 1, {1, 0, 0}},
                                        {"tentacle_c", 2, {1, 0, 0}},
                                        {"eyestalk", 0, {0, 1, 0}}};
    static const snt_bone bent[] = {{"base", -1, {0, 1, 0}},
                                    {"tentacle_a", 0, {1, 0, 0}},
                                    {"tentacle_b", 1, {0, 1, 0}},
                                    {"tentacle_c", 2, {0, 0, 1}},
                                    {"antenna", 0, {0, 1, 0}}};
    fixture f = {.context = snt_context(1)};
    snt_ok(sn_clip_create(f.context, "curl", 25, 1, &f.clip, error));
    f.clip->skeleton = snt_skeleton(f.context, straight, 5);
    f.target = snt_skeleton(f.context, bent, 5);
    snt_constant(f.clip, SN_TRACK_PARAMETER, "tentacle_b.ry", (double[]){0.4});
    retarget(&f);
    assert_int_equal(f.report.matched, 4);
    assert_int_equal(f.report.unmatched_source, 1);
    sn_mat4 *s = pose_all(f.context, f.clip), *t = pose_all(f.context, f.result);
    snt_vec3_near(direction(t, 1, 2), direction(s, 1, 2), 1e-14);
    snt_vec3_near(direction(t, 2, 3), direction(s, 2, 3), 1e-14);
    sni_free(f.context, s);
    sni_free(f.context, t);
    // With a map the last pair moves as well.
    const sn_name_pair map[] = {{"eyestalk", "antenna"}};
    sn_retarget_desc desc = sn_retarget_desc_default();
    desc.map = map;
    desc.map_count = 1;
    sn_clip_destroy(f.result);
    snt_ok(sn_clip_retarget(f.clip, &f.target, &desc, &f.result, &f.report, error));
    assert_int_equal(f.report.matched, 5);
    teardown(&f);
}

static void refuses_what_cannot_work(void **state) {
    (void)state;
    fixture f;
    setup(&f, 2, 1);
    static const snt_bone rock[] = {{"rock", -1, {0}}};
    sn_skeleton none = {0}, stone = snt_skeleton(f.context, rock, 1);
    f.target = a_pose(f.context, 1, other_names);
    sn_retarget_desc zero = {0}, desc = sn_retarget_desc_default();
    snt_fails(SN_INVALID, "sn_retarget_desc_default",
              sn_clip_retarget(f.clip, &f.target, &zero, &f.result, NULL, error));
    snt_fails(SN_INVALID, "the skeleton has no segments",
              sn_clip_retarget(f.clip, &none, &desc, &f.result, NULL, error));
    snt_fails(SN_INVALID,
              "the clip \"dance\" cannot be retargeted: no segment of it (\"Hips\", ...) has a "
              "counterpart in the skeleton",
              sn_clip_retarget(f.clip, &stone, &desc, &f.result, NULL, error));
    sn_name_pair map[] = {{"Heda", "head"}, {"Head", "head"}};
    desc.map = map;
    desc.map_count = 2;
    snt_fails(SN_INVALID, "map entry 0: the clip has no segment \"Heda\"; did you mean \"Head\"?",
              sn_clip_retarget(f.clip, &f.target, &desc, &f.result, NULL, error));
    map[0] = (sn_name_pair){"Head", "haed"};
    snt_fails(SN_INVALID,
              "map entry 0: the skeleton has no segment \"haed\"; did you mean \"head\"?",
              sn_clip_retarget(f.clip, &f.target, &desc, &f.result, NULL, error));
    map[0] = map[1];
    snt_fails(SN_INVALID, "map entry 1: \"head\" is moved by another entry",
              sn_clip_retarget(f.clip, &f.target, &desc, &f.result, NULL, error));
    desc.map_count = 0;
    desc.scale = NAN;
    snt_fails(SN_INVALID, "the scale is nan",
              sn_clip_retarget(f.clip, &f.target, &desc, &f.result, NULL, error));
    desc.scale = 0;
    f.clip->rate = -1;
    snt_fails(SN_INVALID, "rate of -1",
              sn_clip_retarget(f.clip, &f.target, &desc, &f.result, NULL, error));
    f.clip->rate = 25;
    sni_skeleton_deinit(f.context, &f.clip->skeleton);
    snt_fails(SN_INVALID, "\"dance\" does not say on which skeleton it was recorded",
              sn_clip_retarget(f.clip, &f.target, &desc, &f.result, NULL, error));
    assert_null(f.result);
    sni_skeleton_deinit(f.context, &stone);
    teardown(&f);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    fixture *f = user;
    sn_clip *result = NULL;
    sn_retarget_desc desc = sn_retarget_desc_default();
    sn_retarget_report report;
    // Retargeting takes its memory from the clip's context: lend it this one.
    sn_context *own = f->clip->context;
    f->clip->context = context;
    sn_status status = sn_clip_retarget(f->clip, &f->target, &desc, &result, &report, error);
    sn_clip_destroy(result);
    f->clip->context = own;
    return status;
}

static void survives_failing_allocations(void **state) {
    (void)state;
    fixture f;
    setup(&f, 2, 1);
    f.target = a_pose(f.context, 1, other_names);
    snt_fail_allocations(attempt, &f);
    teardown(&f);
}

// ---------------------------------------------------------------------------------------------
// Motion capture on a real body

static sn_vec3 named_place(const sn_clip *clip, const sn_mat4 *worlds, const char *name) {
    return place(&worlds[sni_skeleton_find(&clip->skeleton, name)]);
}

static void walks_like_a_human(void **state) {
    (void)state;
    const char *walk = snt_data("mocap/cmu_02_01_walk.bvh"), *human = snt_data("human/human.glb");
    sn_context *context = snt_context(1);
    sn_import *motion, *character;
    snt_ok(sn_import_file(context, walk, &motion, error));
    snt_ok(sn_import_file(context, human, &character, error));
    sn_retarget_desc desc = sn_retarget_desc_default();
    sn_retarget_report report;
    sn_clip *clip;
    snt_ok(sn_clip_retarget(motion->clips[0], &character->skeleton, &desc, &clip, &report, error));
    assert_int_equal(report.matched, 34);
    snt_near(report.scale, 0.0564, 0.005); // a CMU unit is 5.64 cm; the bodies differ in size
    sn_mat4 *worlds = pose_all(context, clip);
    size_t count = clip->skeleton.segment_count;
    uint32_t down[2] = {0, 0};
    bool was_down[2] = {false, false};
    double knee_most = 0;
    // Frame 0 is the T-pose.
    for (uint32_t k = 1; k < clip->frame_count; ++k) {
        const sn_mat4 *w = worlds + k * count;
        sn_vec3 hips = named_place(clip, w, "root"), head = named_place(clip, w, "head");
        assert_true(head.y > hips.y + 0.4 && fabs(head.x - hips.x) < 0.2);
        for (int side = 0; side < 2; ++side) {
            const char *names[][7] = {{"upperleg01.L", "lowerleg01.L", "foot.L", "toe1-1.L",
                                       "upperarm01.L", "wrist.L", "toe3-1.L"},
                                      {"upperleg01.R", "lowerleg01.R", "foot.R", "toe1-1.R",
                                       "upperarm01.R", "wrist.R", "toe3-1.R"}};
            sn_vec3 p[7];
            for (int i = 0; i < 7; ++i) {
                p[i] = named_place(clip, w, names[side][i]);
            }
            assert_true(p[3].y > -0.03);
            down[side] += p[3].y < 0.03 && !was_down[side];
            was_down[side] = p[3].y < 0.03;
            assert_true(p[5].y < p[4].y - 0.2);                   // arms hang
            assert_true(p[6].z > p[2].z + 0.05 || p[2].y > 0.12); // feet point ahead
            // The knee stands before the line from hip to ankle.
            sn_vec3 line = sn_vec3_sub(p[2], p[0]);
            double t = (p[1].y - p[0].y) / line.y;
            knee_most = fmax(knee_most, p[1].z - (p[0].z + t * line.z));
            assert_true(p[1].z - (p[0].z + t * line.z) > -0.03);
        }
    }
    assert_true(down[0] >= 1 && down[1] >= 1 && down[0] + down[1] >= 3);
    assert_true(knee_most > 0.1);
    double way = named_place(clip, worlds + (clip->frame_count - 1) * count, "root").z -
                 named_place(clip, worlds + count, "root").z;
    assert_true(way > 2 && way < 6); // in under three seconds
    sni_free(context, worlds);
    sn_clip_destroy(clip);
    sn_import_destroy(motion);
    sn_import_destroy(character);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limbs_point_where_the_source_points),
        cmocka_unit_test(palms_look_down_in_a_t_pose),
        cmocka_unit_test(places_scale_with_the_legs),
        cmocka_unit_test(a_given_scale_is_used),
        cmocka_unit_test(the_same_skeleton_gives_the_same_motion),
        cmocka_unit_test(is_deterministic),
        cmocka_unit_test(spines_share_their_turn),
        cmocka_unit_test(turns_between_worlds),
        cmocka_unit_test(pairs_unknown_creatures_by_name),
        cmocka_unit_test(refuses_what_cannot_work),
        cmocka_unit_test(survives_failing_allocations),
        cmocka_unit_test(walks_like_a_human),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
