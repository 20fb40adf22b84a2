// SPDX-License-Identifier: Apache-2.0
#include "build.h"

// root -> spine1 -> spine.2 -> arm -> hand, and tail beside them.
static const snt_bone bones[] = {{"root", -1, {0, 1, 0}},   {"spine1", 0, {0, 1, 0}},
                                 {"spine.2", 1, {0, 1, 0}}, {"arm", 2, {1, 0, 0}},
                                 {"hand", 3, {1, 0, 0}},    {"tail", 0, {0, 0, -1}}};
enum { ROOT, SPINE1, SPINE2, ARM, HAND, TAIL, BONE_COUNT };

typedef struct fixture {
    sn_context *context;
    sn_skeleton skeleton;
    sni_rig_desc desc;
    sni_rig *rig;
    sni_pose pose;
    sn_clip *clip;
    sni_player *player;
} fixture;

static void setup(fixture *f) {
    *f = (fixture){.context = snt_context(1)};
    f->skeleton = snt_skeleton(f->context, bones, BONE_COUNT);
    f->desc = (sni_rig_desc){.skeleton = &f->skeleton};
    snt_ok(sn_clip_create(f->context, "move", 30, 31, &f->clip, error));
}

static void build(fixture *f) {
    snt_ok(sni_rig_create(f->context, &f->desc, &f->rig, error));
    f->pose = snt_pose(f->context, f->rig);
}

static void play(fixture *f) {
    snt_ok(sni_player_create(f->rig, f->clip, NULL, &f->player, error));
}

static void pose(fixture *f, double time, const sni_override *overrides, uint32_t count) {
    snt_ok(sni_rig_pose(f->rig, f->player, time, overrides, count, &f->pose, error));
}

static void teardown(fixture *f) {
    snt_pose_end(f->context, &f->pose);
    sni_player_destroy(f->player);
    sni_rig_destroy(f->rig);
    sn_clip_destroy(f->clip);
    sni_skeleton_deinit(f->context, &f->skeleton);
    snt_context_end(f->context);
}

static void limit(fixture *f, uint32_t segment, sn_joint_parameter parameter, double low,
                  double high) {
    f->skeleton.segments[segment].limits[parameter] = (sn_limit){low, high};
}

static double parameter(const fixture *f, uint32_t segment, sn_joint_parameter p) {
    return f->pose.parameters[segment * SN_JOINT_PARAMETER_COUNT + p];
}

static sni_override override_of(const fixture *f, const char *name, double value) {
    sni_override override = {.value = value};
    snt_ok(sni_rig_find(f->rig, name, &override.ref, error));
    return override;
}

static void rests_without_a_clip(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    f.skeleton.segments[ARM].rest_parameters[SN_JOINT_RZ] = SN_PI / 2;
    build(&f);
    pose(&f, 0, NULL, 0);
    snt_vec3_near(snt_place(&f.pose, SPINE2), sn_vec3_make(0, 3, 0), 0);
    snt_vec3_near(snt_place(&f.pose, HAND), sn_vec3_make(1, 4, 0), 1e-15);
    teardown(&f);
}

static void finds_parameters_by_name(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    const sni_control_desc controls[] = {{"smile", 0, 0, 1}, {"arm.up", -1, 0, 1}};
    f.desc.controls = controls;
    f.desc.control_count = 2;
    build(&f);
    sni_parameter_ref ref;
    snt_ok(sni_rig_find(f.rig, "spine.2.ty", &ref, error));
    assert_int_equal(ref.segment, SPINE2);
    assert_int_equal(ref.joint_parameter, SN_JOINT_TY);
    assert_int_equal(ref.control, SN_NONE);
    assert_true(ref.unit == 1);
    snt_ok(sni_rig_find(f.rig, "arm.rz_deg", &ref, error));
    assert_int_equal(ref.joint_parameter, SN_JOINT_RZ);
    snt_near(ref.unit, SN_PI / 180, 0);
    snt_ok(sni_rig_find(f.rig, "arm.up", &ref, error));
    assert_int_equal(ref.control, 1);
    assert_int_equal(ref.segment, SN_NONE);
    assert_int_equal(sni_rig_find_control(f.rig, "smile"), 0);
    assert_int_equal(sni_rig_find_control(f.rig, "arm.rx"), SN_NONE);
    assert_string_equal(sni_rig_control_name(f.rig, 1), "arm.up");
    assert_true(sni_rig_control(f.rig, 1).low == -1);
    assert_int_equal(sni_rig_control_count(f.rig), 2);
    teardown(&f);
}

static void suggests_what_was_meant(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    const sni_control_desc controls[] = {{"smile", 0, 0, 1}};
    f.desc.controls = controls;
    f.desc.control_count = 1;
    build(&f);
    sni_parameter_ref ref;
    snt_fails(SN_INVALID, "there is no parameter \"spin1.rx\"; did you mean \"spine1.rx\"?",
              sni_rig_find(f.rig, "spin1.rx", &ref, error));
    snt_fails(SN_INVALID, "there is no parameter \"smlie\"; did you mean \"smile\"?",
              sni_rig_find(f.rig, "smlie", &ref, error));
    snt_fails(SN_INVALID, "\"hand\" is a segment; name one of its parameters, such as \"hand.rx\"",
              sni_rig_find(f.rig, "hand", &ref, error));
    snt_fails(SN_INVALID, "a segment has no parameter \"bend\"",
              sni_rig_find(f.rig, "hand.bend", &ref, error));
    snt_fails(SN_INVALID, "a segment has no parameter \"tx_deg\"",
              sni_rig_find(f.rig, "hand.tx_deg", &ref, error));
    snt_fails(SN_INVALID, "there is no parameter \"wing.rx\"",
              sni_rig_find(f.rig, "wing.rx", &ref, error));
    snt_fails(SN_INVALID, "there is no parameter \".rx\"", sni_rig_find(f.rig, ".rx", &ref, error));
    snt_fails(SN_INVALID, "there is no parameter \"\"", sni_rig_find(f.rig, "", &ref, error));
    teardown(&f);
}

static void keeps_the_bits_of_what_nobody_touches(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    limit(&f, ARM, SN_JOINT_RX, -3, 3);
    limit(&f, HAND, SN_JOINT_TX, 0, 1); // limits the translation alone
    build(&f);
    snt_random random = {23};
    sn_quat q[BONE_COUNT];
    for (int i = 0; i < BONE_COUNT; ++i) {
        q[i] = snt_random_quat(&random);
        snt_constant(f.clip, SN_TRACK_ROTATION, bones[i].name,
                     (double[]){q[i].x, q[i].y, q[i].z, q[i].w});
    }
    snt_constant(f.clip, SN_TRACK_TRANSLATION, "hand", (double[]){5, 0.1, 0.2});
    play(&f);
    pose(&f, 0.5, NULL, 0);
    for (int i = 0; i < BONE_COUNT; ++i) {
        assert_memory_equal(&f.pose.locals[i].rotation, &q[i], sizeof q[i]);
    }
    assert_true(f.pose.locals[HAND].translation.x == 2); // 1 of the rest and at most 1 more
    assert_true(f.pose.locals[HAND].translation.y == 0.1);
    teardown(&f);
}

static void plays_parameters_on_top_of_transforms(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    build(&f);
    double s = sin(SN_PI / 8), c = cos(SN_PI / 8);
    snt_constant(f.clip, SN_TRACK_PARAMETER, "arm.rx_deg", (double[]){90});
    snt_constant(f.clip, SN_TRACK_ROTATION, "arm", (double[]){0, 0, s, c}); // 45 degrees about z
    snt_track(f.clip, SN_TRACK_PARAMETER, "tail.rx", SN_INTERPOLATION_LINEAR, 2, (double[]){0, 1},
              (double[]){0, 20});
    play(&f);
    pose(&f, 1, NULL, 0);
    sn_quat expected = sn_quat_from_euler(sn_vec3_make(SN_PI / 2, 0, SN_PI / 4), SN_ROTATION_XYZ);
    snt_rotation_near(f.pose.locals[ARM].rotation, expected, 1e-15);
    assert_true(parameter(&f, TAIL, SN_JOINT_RX) == 20); // more than three turns survive
    teardown(&f);
}

static void clamps_to_limits(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    limit(&f, ARM, SN_JOINT_RX, 0, 2);
    limit(&f, ARM, SN_JOINT_SX, 0.5, 1.5);
    build(&f);
    snt_track(f.clip, SN_TRACK_PARAMETER, "arm.rx", SN_INTERPOLATION_LINEAR, 2, (double[]){0, 1},
              (double[]){-1, 3});
    snt_constant(f.clip, SN_TRACK_PARAMETER, "arm.sx", (double[]){7});
    play(&f);
    const double expected[] = {0, 0, 1, 2, 2};
    for (int i = 0; i <= 4; ++i) {
        pose(&f, i * 0.25, NULL, 0);
        snt_near(parameter(&f, ARM, SN_JOINT_RX), expected[i], 1e-15);
        snt_rotation_near(f.pose.locals[ARM].rotation,
                          sn_quat_from_axis_angle(sn_vec3_make(1, 0, 0), expected[i]), 1e-15);
        assert_true(f.pose.locals[ARM].scale.x == 1.5);
    }
    teardown(&f);
}

// The middle angle of a quaternion's three is read within 90 degrees; a limit that allows more
// must not cut a rotation that keeps to it.
static void limits_beyond_a_right_angle_hold(void **state) {
    (void)state;
    for (int order = 0; order < 6; ++order) {
        for (int axis = 0; axis < 3; ++axis) {
            fixture f;
            setup(&f);
            f.skeleton.segments[ARM].order = (sn_rotation_order)order;
            for (int i = 0; i < 3; ++i) {
                limit(&f, ARM, (sn_joint_parameter)i, i == axis ? -2.5 : -0.1,
                      i == axis ? 2.5 : 0.1);
            }
            build(&f);
            const double x[3] = {axis == 0, axis == 1, axis == 2};
            sn_quat q = sn_quat_from_axis_angle(sn_vec3_make(x[0], x[1], x[2]), 2.2);
            snt_constant(f.clip, SN_TRACK_ROTATION, "arm", (double[]){q.x, q.y, q.z, q.w});
            play(&f);
            pose(&f, 0, NULL, 0);
            assert_memory_equal(&f.pose.locals[ARM].rotation, &q, sizeof q);
            snt_near(parameter(&f, ARM, (sn_joint_parameter)axis), 2.2, 1e-12);
            teardown(&f);
        }
    }
}

static const sni_control_desc bend_controls[] = {{"bend", -1, 0, 1}, {"twist", 0, 0.25, 2}};

static void synergies_add_controls(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    limit(&f, SPINE2, SN_JOINT_RX, -0.3, 0.3);
    const char *bend[] = {"spine1.rx_deg", "spine.2.rx"}, *twist[] = {"spine.2.ry", "spine1.rx"};
    const double amounts[] = {30, 0.5}, more[] = {1, 0.1};
    const sni_synergy_desc synergies[] = {{"bend", 2, bend, amounts}, {"twist", 2, twist, more}};
    f.desc.controls = bend_controls;
    f.desc.control_count = 2;
    f.desc.synergies = synergies;
    f.desc.synergy_count = 2;
    build(&f);
    snt_constant(f.clip, SN_TRACK_PARAMETER, "bend", (double[]){1});
    snt_constant(f.clip, SN_TRACK_PARAMETER, "spine1.rx", (double[]){0.01});
    play(&f);
    pose(&f, 0, NULL, 0);
    snt_near(parameter(&f, SPINE1, SN_JOINT_RX), 0.01 + SN_PI / 6 + 0.025, 1e-15);
    snt_near(parameter(&f, SPINE2, SN_JOINT_RX), 0.3, 0); // limited after the sum
    snt_near(parameter(&f, SPINE2, SN_JOINT_RY), 0.25, 0);
    snt_rotation_near(f.pose.locals[SPINE2].rotation,
                      sn_quat_from_euler(sn_vec3_make(0.3, 0.25, 0), SN_ROTATION_XYZ), 1e-15);
    teardown(&f);
}

static void controls_keep_to_their_range(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    f.desc.controls = bend_controls;
    f.desc.control_count = 2;
    build(&f);
    snt_constant(f.clip, SN_TRACK_PARAMETER, "bend", (double[]){5});
    play(&f);
    pose(&f, 0, NULL, 0);
    assert_true(f.pose.controls[0] == 1);
    assert_true(f.pose.controls[1] == 0.25);
    teardown(&f);
}

static void drivers_read_joints_controls_and_distances(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    const sni_control_desc controls[] = {
        {"angle", -1000, 0, 1000}, {"copy", 0, 0, 10}, {"reach", 0, 0, 10}, {"remapped", 0, 0, 1}};
    const double inputs[] = {0, 90}, outputs[] = {0, 1};
    const sni_driver_desc drivers[] = {
        {.control = "remapped",
         .parameter = "angle",
         .key_count = 2,
         .inputs = inputs,
         .outputs = outputs,
         .interpolation = SN_INTERPOLATION_LINEAR},
        {.control = "copy", .parameter = "reach"},
        {.control = "angle", .parameter = "arm.rz_deg"},
        {.control = "reach", .points = {{SPINE2, {0, 0, 0}}, {HAND, {0.5, 0, 0}}}},
    };
    f.desc.controls = controls;
    f.desc.control_count = 4;
    f.desc.drivers = drivers;
    f.desc.driver_count = 4;
    build(&f);
    snt_constant(f.clip, SN_TRACK_PARAMETER, "arm.rz_deg", (double[]){45});
    snt_constant(f.clip, SN_TRACK_PARAMETER, "root.sx", (double[]){3}); // does not count
    play(&f);
    pose(&f, 0, NULL, 0);
    snt_near(f.pose.controls[0], 45, 1e-12);
    snt_near(f.pose.controls[3], 0.5, 1e-14);
    // The hand is at (1, 0) + 1.5 along 45 degrees from spine.2.
    double reach = hypot(1 + 1.5 * cos(SN_PI / 4), 1.5 * sin(SN_PI / 4));
    snt_near(f.pose.controls[2], reach, 1e-14);
    assert_true(f.pose.controls[1] == f.pose.controls[2]);
    teardown(&f);
}

// A synergy turns the arm, a driver reads that angle, which feeds another synergy: order matters,
// whatever the order of writing.
static void sources_are_evaluated_first(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    limit(&f, ARM, SN_JOINT_RX, 0, 0.5);
    const sni_control_desc controls[] = {
        {"last", 0, 0, 10}, {"seen", 0, 0, 10}, {"first", 0, 1, 10}};
    const char *tail[] = {"tail.rx"}, *arm[] = {"arm.rx"};
    const double one[] = {1};
    const sni_synergy_desc synergies[] = {{"last", 1, tail, one}, {"first", 1, arm, one}};
    const sni_driver_desc drivers[] = {{.control = "last", .parameter = "seen"},
                                       {.control = "seen", .parameter = "arm.rx"}};
    f.desc = (sni_rig_desc){&f.skeleton, 3, controls, 2, synergies, 2, drivers, NULL, 0, NULL};
    build(&f);
    pose(&f, 0, NULL, 0);
    assert_true(parameter(&f, ARM, SN_JOINT_RX) == 0.5); // limited before it is read
    assert_true(f.pose.controls[1] == 0.5);
    assert_true(parameter(&f, TAIL, SN_JOINT_RX) == 0.5);
    teardown(&f);
}

static void refuses_cycles(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    const sni_control_desc controls[] = {{"free", 0, 0, 1}, {"bend", 0, 0, 1}, {"other", 0, 0, 1}};
    const char *spine[] = {"spine1.rx"};
    const double one[] = {1};
    const sni_synergy_desc synergy = {"bend", 1, spine, one};
    sni_driver_desc drivers[] = {{.control = "bend", .parameter = "spine1.rx"},
                                 {.control = "other", .parameter = "bend"}};
    f.desc = (sni_rig_desc){&f.skeleton, 3, controls, 1, &synergy, 2, drivers, NULL, 0, NULL};
    snt_fails(SN_INVALID, "form a cycle: control bend -> spine1.rx -> control bend",
              sni_rig_create(f.context, &f.desc, &f.rig, error));
    // Another parameter of the same segment is no cycle.
    drivers[0].parameter = "spine1.ry";
    build(&f);
    sni_rig_destroy(f.rig);
    snt_pose_end(f.context, &f.pose);
    // A distance across the joint is one, a distance above it is none.
    drivers[0] = (sni_driver_desc){.control = "bend", .points = {{ROOT, {0}}, {SPINE2, {0}}}};
    snt_fails(SN_INVALID, "control bend -> spine1.rx -> control bend",
              sni_rig_create(f.context, &f.desc, &f.rig, error));
    drivers[0].points[0].segment = ARM;
    drivers[0].points[1].segment = HAND;
    build(&f);
    sni_rig_destroy(f.rig);
    snt_pose_end(f.context, &f.pose);
    drivers[0] = (sni_driver_desc){.control = "bend", .parameter = "other"};
    snt_fails(SN_INVALID, "form a cycle: control bend -> control other -> control bend",
              sni_rig_create(f.context, &f.desc, &f.rig, error));
    drivers[0].parameter = "bend";
    snt_fails(SN_INVALID, "form a cycle: control bend -> control bend",
              sni_rig_create(f.context, &f.desc, &f.rig, error));
    f.rig = NULL;
    f.pose = (sni_pose){0};
    teardown(&f);
}

static void overrides_win_over_clips_and_drivers(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    const sni_control_desc controls[] = {{"lift", 0, 0, 10}, {"driven", 0, 0, 10}};
    const char *arm[] = {"arm.rx"};
    const double half[] = {0.5};
    const sni_synergy_desc synergy = {"lift", 1, arm, half};
    const sni_driver_desc driver = {.control = "driven", .parameter = "arm.rx"};
    f.desc = (sni_rig_desc){&f.skeleton, 2, controls, 1, &synergy, 1, &driver, NULL, 0, NULL};
    build(&f);
    snt_constant(f.clip, SN_TRACK_PARAMETER, "arm.rx", (double[]){9});
    snt_constant(f.clip, SN_TRACK_PARAMETER, "lift", (double[]){9});
    play(&f);
    sni_override overrides[] = {override_of(&f, "arm.rx_deg", 180), override_of(&f, "lift", 2)};
    pose(&f, 0, overrides, 2);
    snt_near(parameter(&f, ARM, SN_JOINT_RX), SN_PI + 1, 1e-15); // the synergy adds to it
    snt_near(f.pose.controls[1], SN_PI + 1, 1e-15);
    overrides[0] = override_of(&f, "driven", 3);
    pose(&f, 0, overrides, 1);
    assert_true(f.pose.controls[1] == 3);
    overrides[0].value = NAN;
    snt_fails(SN_INVALID, "the held value 0 is nan",
              sni_rig_pose(f.rig, f.player, 0, overrides, 1, &f.pose, error));
    teardown(&f);
}

static void checks_overrides_against_ranges(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    limit(&f, ARM, SN_JOINT_RX, 0, SN_PI / 180 * 150);
    f.desc.controls = bend_controls;
    f.desc.control_count = 2;
    build(&f);
    sni_override o = override_of(&f, "arm.rx_deg", 150);
    snt_ok(sni_rig_check_override(f.rig, &o, error));
    o.value = 151;
    snt_fails(SN_INVALID, "\"arm.rx_deg\" cannot be 151: its range is 0 to 150",
              sni_rig_check_override(f.rig, &o, error));
    o = override_of(&f, "bend", -2);
    snt_fails(SN_INVALID, "\"bend\" cannot be -2: its range is -1 to 1",
              sni_rig_check_override(f.rig, &o, error));
    o.value = NAN;
    snt_fails(SN_INVALID, "\"bend\" cannot be nan", sni_rig_check_override(f.rig, &o, error));
    o = override_of(&f, "hand.tx", 1e6);
    snt_ok(sni_rig_check_override(f.rig, &o, error));
    teardown(&f);
}

static void fails_rig(fixture *f, const char *text) {
    snt_fails(SN_INVALID, text, sni_rig_create(f->context, &f->desc, &f->rig, error));
    assert_null(f->rig);
}

static void refuses_bad_skeletons(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    limit(&f, ARM, SN_JOINT_RX, 2, 1);
    fails_rig(&f, "the limits of \"arm.rx\" are 2 to 1");
    limit(&f, ARM, SN_JOINT_RX, NAN, 1);
    fails_rig(&f, "the limits of \"arm.rx\" are nan to 1");
    limit(&f, ARM, SN_JOINT_RX, -INFINITY, INFINITY);
    f.skeleton.segments[ARM].rest_parameters[SN_JOINT_SZ] = NAN;
    fails_rig(&f, "the rest value of \"arm.sz\" is nan");
    f.skeleton.segments[ARM].rest_parameters[SN_JOINT_SZ] = 1;
    f.skeleton.segments[ARM].rest.rotation.w = 0;
    fails_rig(&f, "the rest frame of segment \"arm\" is not finite");
    f.skeleton.segments[ARM].rest.rotation.w = 1;
    memcpy(f.skeleton.segments[HAND].name, "tail", 5);
    fails_rig(&f, "two segments are named \"tail\"");
    f.skeleton.segments[HAND].name[0] = 0;
    fails_rig(&f, "segment 4 has no name");
    teardown(&f);
}

static void refuses_bad_controls_and_synergies(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    sni_control_desc controls[] = {{"bend", 0, 0, 1}, {"bend", 0, 0, 1}};
    f.desc.controls = controls;
    f.desc.control_count = 2;
    fails_rig(&f, "two controls are named \"bend\"");
    controls[1].name = "";
    fails_rig(&f, "control 1 has no name");
    controls[1] = (sni_control_desc){"turn", 0, 2, 1};
    fails_rig(&f, "control \"turn\": the standard value 2 does not lie in its range 0 to 1");
    controls[1] = (sni_control_desc){"arm.rx", 0, 0, 1};
    fails_rig(&f, "control \"arm.rx\" has the name of a parameter of a segment");
    controls[1] = (sni_control_desc){"turn", 0, 0, 1};
    const char *parameters[] = {"arm.rx", "arm.rx_deg"};
    double amounts[] = {1, 2};
    sni_synergy_desc synergy = {"bent", 2, parameters, amounts};
    f.desc.synergies = &synergy;
    f.desc.synergy_count = 1;
    fails_rig(&f, "synergy 0: there is no control \"bent\"; did you mean \"bend\"?");
    synergy.control = "bend";
    fails_rig(&f, "synergy 0: it moves \"arm.rx\" twice");
    parameters[0] = parameters[1] = "turn";
    fails_rig(&f, "synergy 0: it moves \"turn\" twice");
    parameters[0] = "arm.rx";
    parameters[1] = "amr.rx";
    fails_rig(&f, "synergy 0: there is no parameter \"amr.rx\"; did you mean \"arm.rx\"?");
    parameters[1] = "arm.ry";
    amounts[1] = INFINITY;
    fails_rig(&f, "synergy 0: the amount for \"arm.ry\" is inf");
    teardown(&f);
}

static void synergies_add_to_controls(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    const sni_control_desc controls[] = {
        {"lift", 0, 0.25, 1}, {"smile", 0, 0, 1}, {"sneer", 0, 0, 1}, {"turn", 0, 0, 2}};
    const char *first[] = {"lift", "arm.rx"}, *second[] = {"lift"}, *third[] = {"arm.rx"};
    const double first_amounts[] = {0.5, 1}, second_amounts[] = {0.125}, third_amounts[] = {2};
    const sni_synergy_desc synergies[] = {{"lift", 1, third, third_amounts},
                                          {"smile", 2, first, first_amounts},
                                          {"sneer", 1, second, second_amounts}};
    const sni_driver_desc driver = {.control = "turn", .parameter = "lift"};
    f.desc = (sni_rig_desc){&f.skeleton, 4, controls, 3, synergies, 1, &driver, NULL, 0, NULL};
    build(&f);
    pose(&f, 0, NULL, 0);
    assert_true(f.pose.controls[0] == 0.25);
    // lift = 0.25 + 0.5 smile + 0.125 sneer, and is complete when others read it.
    sni_override held[] = {override_of(&f, "smile", 0.5), override_of(&f, "sneer", 1),
                           override_of(&f, "lift", 0.125)};
    pose(&f, 0, held, 2);
    assert_true(f.pose.controls[0] == 0.625);
    assert_true(f.pose.controls[3] == 0.625);
    assert_true(parameter(&f, ARM, SN_JOINT_RX) == 2 * 0.625 + 0.5);
    // A control that is held is added to all the same; the sum stays in its range.
    pose(&f, 0, held, 3);
    assert_true(f.pose.controls[0] == 0.5);
    held[2].value = 0.75;
    pose(&f, 0, held, 3);
    assert_true(f.pose.controls[0] == 1);
    teardown(&f);
}

static void refuses_synergies_that_feed_themselves(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    const sni_control_desc controls[] = {{"lift", 0, 0, 1}, {"smile", 0, 0, 1}};
    const char *lift[] = {"lift"}, *smile[] = {"smile"};
    const double one[] = {1};
    const sni_synergy_desc synergies[] = {{"smile", 1, lift, one}, {"lift", 1, smile, one}};
    const sni_driver_desc driver = {.control = "lift", .parameter = "arm.rx"};
    f.desc = (sni_rig_desc){&f.skeleton, 2, controls, 2, synergies, 0, NULL, NULL, 0, NULL};
    fails_rig(&f, "form a cycle: control lift -> control smile -> control lift");
    f.desc = (sni_rig_desc){&f.skeleton, 2, controls, 1, synergies, 1, &driver, NULL, 0, NULL};
    fails_rig(&f, "driver 0: synergies add to control \"lift\"; a driver cannot compute it");
    teardown(&f);
}

static void refuses_bad_drivers(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    const sni_control_desc controls[] = {{"bend", 0, 0, 1}};
    double inputs[] = {0, 0}, outputs[] = {0, 1};
    sni_driver_desc drivers[2] = {{.control = "bend", .parameter = "arm.rx"}};
    drivers[1] = drivers[0];
    f.desc = (sni_rig_desc){&f.skeleton, 1, controls, 0, NULL, 2, drivers, NULL, 0, NULL};
    fails_rig(&f, "driver 1: control \"bend\" is computed by driver 0 already");
    f.desc.driver_count = 1;
    drivers[0].parameter = "elbw.rx";
    fails_rig(&f, "driver 0: there is no parameter \"elbw.rx\"");
    drivers[0].parameter = "arm.rx";
    drivers[0].control = "bned";
    fails_rig(&f, "driver 0: there is no control \"bned\"; did you mean \"bend\"?");
    drivers[0].control = "bend";
    drivers[0].key_count = 2;
    drivers[0].inputs = inputs;
    drivers[0].outputs = outputs;
    fails_rig(&f, "driver 0: key 1 of its curve, at 0, does not lie above 0 before it");
    inputs[1] = NAN;
    fails_rig(&f, "driver 0: key 1 of its curve is (nan, 1)");
    inputs[1] = 1;
    drivers[0].interpolation = SN_INTERPOLATION_CUBIC;
    fails_rig(&f, "driver 0: a curve is stepped, linear, smooth or spline, not 3");
    drivers[0] = (sni_driver_desc){.control = "bend", .points = {{0, {0}}, {77, {0}}}};
    fails_rig(&f, "driver 0: point 1 is on segment 77, but there are 6");
    drivers[0].points[1] = (sni_carried_point){1, {0, NAN, 0}};
    fails_rig(&f, "driver 0: point 1 is not finite");
    teardown(&f);
}

static void players_name_unknown_tracks_or_count_them(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    const sni_control_desc controls[] = {{"bend", 0, 0, 1}};
    const sni_driver_desc driver = {.control = "bend", .parameter = "arm.rx"};
    f.desc = (sni_rig_desc){&f.skeleton, 1, controls, 0, NULL, 1, &driver, NULL, 0, NULL};
    build(&f);
    snt_constant(f.clip, SN_TRACK_TRANSLATION, "root", (double[]){1, 2, 3});
    snt_constant(f.clip, SN_TRACK_TRANSLATION, "hadn", (double[]){1, 2, 3});
    snt_fails(SN_INVALID,
              "clip \"move\", track 1: there is no segment \"hadn\"; did you mean \"hand\"?",
              sni_player_create(f.rig, f.clip, NULL, &f.player, error));
    snt_constant(f.clip, SN_TRACK_PARAMETER, "frown", (double[]){1});
    uint32_t ignored;
    snt_ok(sni_player_create(f.rig, f.clip, &ignored, &f.player, error));
    assert_int_equal(ignored, 2);
    pose(&f, 0, NULL, 0);
    snt_vec3_near(snt_place(&f.pose, ROOT), sn_vec3_make(1, 2, 3), 0);
    sni_player_destroy(f.player);
    snt_constant(f.clip, SN_TRACK_PARAMETER, "bend", (double[]){1});
    snt_fails(SN_INVALID, "track 3: the control \"bend\" is computed by driver 0",
              sni_player_create(f.rig, f.clip, &ignored, &f.player, error));
    f.clip->tracks[3].target[0] = 'x';
    snt_constant(f.clip, SN_TRACK_PARAMETER, "arm.rx", (double[]){1});
    snt_constant(f.clip, SN_TRACK_PARAMETER, "arm.rx_deg", (double[]){1});
    snt_fails(SN_INVALID, "give the same parameter",
              sni_player_create(f.rig, f.clip, &ignored, &f.player, error));
    f.clip->rate = 0;
    snt_fails(SN_INVALID, "rate", sni_player_create(f.rig, f.clip, &ignored, &f.player, error));
    f.player = NULL;
    teardown(&f);
}

static void posing_allocates_nothing(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    build(&f);
    snt_constant(f.clip, SN_TRACK_PARAMETER, "arm.rx", (double[]){9});
    play(&f);
    size_t before = sn_context_allocations(f.context);
    pose(&f, 0, NULL, 0);
    assert_int_equal(sn_context_allocations(f.context), before);
    teardown(&f);
}

static void an_empty_rig_works(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_skeleton none = {0};
    sni_rig_desc desc = {.skeleton = &none};
    sni_rig *rig;
    snt_ok(sni_rig_create(context, &desc, &rig, error));
    sni_pose pose = {0};
    snt_ok(sni_rig_pose(rig, NULL, 0, NULL, 0, &pose, error));
    sni_rig_destroy(rig);
    snt_context_end(context);
}

typedef struct attempt_input {
    const sni_rig_desc *desc;
    const sn_clip *clip;
} attempt_input;

static sn_status attempt_rig(sn_context *context, void *user, sn_error *error) {
    const attempt_input *input = user;
    sni_rig *rig = NULL;
    sni_player *player = NULL;
    sn_status status = sni_rig_create(context, input->desc, &rig, error);
    if (status == SN_OK) {
        // The clip's own context has no limit here; the player's memory is the rig's.
        status = sni_player_create(rig, input->clip, NULL, &player, error);
    }
    sni_player_destroy(player);
    sni_rig_destroy(rig);
    return status;
}

static void survives_failing_allocations(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    const sni_control_desc controls[] = {{"bend", 0, 0, 1}, {"seen", 0, 0, 1}};
    const char *parameters[] = {"arm.rx"};
    const double one[] = {1};
    const sni_synergy_desc synergy = {"bend", 1, parameters, one};
    const sni_driver_desc driver = {
        .control = "seen", .parameter = "arm.rx", .key_count = 1, .inputs = one, .outputs = one};
    f.desc = (sni_rig_desc){&f.skeleton, 2, controls, 1, &synergy, 1, &driver, NULL, 0, NULL};
    snt_constant(f.clip, SN_TRACK_TRANSLATION, "root", (double[]){1, 2, 3});
    attempt_input input = {&f.desc, f.clip};
    snt_fail_allocations(attempt_rig, &input);
    teardown(&f);
}

// The arm is moved by something else: what drivers read of it comes behind that, in one order with
// what does not depend on it.
static void what_follows_a_moved_segment_comes_last(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    const sni_control_desc controls[] = {
        {"bend", -10, 0, 10}, {"seen", -10, 0, 10}, {"reach", -10, 0, 10}, {"other", -10, 0, 10}};
    const char *const parameters[] = {"tail.rx"}, *const early[] = {"spine1.rx"};
    const double one = 1;
    const sni_synergy_desc synergies[] = {{"seen", 1, parameters, &one}, {"bend", 1, early, &one}};
    const sni_driver_desc drivers[] = {
        {.control = "seen", .parameter = "arm.rz_deg"},
        {.control = "reach", .points = {{SPINE2, {0, 0, 0}}, {HAND, {0, 0, 0}}}},
        {.control = "other", .parameter = "bend"}};
    const uint32_t moved[] = {ARM};
    f.desc = (sni_rig_desc){.skeleton = &f.skeleton,
                            .control_count = 4,
                            .controls = controls,
                            .synergy_count = 2,
                            .synergies = synergies,
                            .driver_count = 3,
                            .drivers = drivers,
                            .moved_count = 1,
                            .moved = moved};
    build(&f);
    assert_false(sni_rig_control_follows(f.rig, 0));
    assert_true(sni_rig_control_follows(f.rig, 1));
    assert_true(sni_rig_control_follows(f.rig, 2));
    assert_false(sni_rig_control_follows(f.rig, 3));
    assert_true(sni_rig_segment_follows(f.rig, TAIL));
    assert_false(sni_rig_segment_follows(f.rig, SPINE1));
    assert_false(sni_rig_segment_follows(f.rig, ARM));
    sni_override held = override_of(&f, "bend", 0.25);
    snt_ok(sni_rig_pose_first(f.rig, NULL, 0, &held, 1, &f.pose, error));
    snt_near(f.pose.controls[3], 0.25, 0);
    snt_near(parameter(&f, SPINE1, SN_JOINT_RX), 0.25, 0);
    assert_true(isnan(f.pose.controls[1]) && isnan(f.pose.controls[2]));
    sn_quat turn = sn_quat_from_axis_angle(sn_vec3_make(0, 0, 1), 5 * SN_PI / 180);
    sni_rig_place(f.rig, &f.pose, ARM, turn, sn_vec3_make(2, 0, 0));
    sni_rig_pose_last(f.rig, NULL, &f.pose);
    snt_near(f.pose.controls[1], 5, 1e-9);
    snt_near(parameter(&f, ARM, SN_JOINT_RZ), 5 * SN_PI / 180, 1e-12);
    snt_near(parameter(&f, ARM, SN_JOINT_TX), 1, 1e-12); // the joint's own, on top of its frame
    snt_near(parameter(&f, TAIL, SN_JOINT_RX), 5, 1e-9);
    double reach = hypot(2 + cos(5 * SN_PI / 180), sin(5 * SN_PI / 180));
    snt_near(f.pose.controls[2], reach, 1e-12);
    // In one go it is at rest.
    pose(&f, 0, NULL, 0);
    snt_near(f.pose.controls[1], 0, 0);
    snt_near(f.pose.controls[2], 2, 1e-12);
    teardown(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_follows_a_moved_segment_comes_last),
        cmocka_unit_test(rests_without_a_clip),
        cmocka_unit_test(finds_parameters_by_name),
        cmocka_unit_test(suggests_what_was_meant),
        cmocka_unit_test(keeps_the_bits_of_what_nobody_touches),
        cmocka_unit_test(plays_parameters_on_top_of_transforms),
        cmocka_unit_test(clamps_to_limits),
        cmocka_unit_test(limits_beyond_a_right_angle_hold),
        cmocka_unit_test(synergies_add_controls),
        cmocka_unit_test(controls_keep_to_their_range),
        cmocka_unit_test(drivers_read_joints_controls_and_distances),
        cmocka_unit_test(sources_are_evaluated_first),
        cmocka_unit_test(synergies_add_to_controls),
        cmocka_unit_test(refuses_cycles),
        cmocka_unit_test(refuses_synergies_that_feed_themselves),
        cmocka_unit_test(overrides_win_over_clips_and_drivers),
        cmocka_unit_test(checks_overrides_against_ranges),
        cmocka_unit_test(refuses_bad_skeletons),
        cmocka_unit_test(refuses_bad_controls_and_synergies),
        cmocka_unit_test(refuses_bad_drivers),
        cmocka_unit_test(players_name_unknown_tracks_or_count_them),
        cmocka_unit_test(posing_allocates_nothing),
        cmocka_unit_test(an_empty_rig_works),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
