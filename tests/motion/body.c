// SPDX-License-Identifier: Apache-2.0
#include "build.h"

#include "motion/body.h"
#include "motion/body_names.h"

static void reads_well_known_names(void **state) {
    (void)state;
    const struct {
        const char *name;
        sni_body_part part;
        sni_body_side side;
    } cases[] = {
        {"Hips", SNI_BODY_HIPS, SNI_SIDE_NONE},
        {"LowerBack", SNI_BODY_SPINE, SNI_SIDE_NONE},
        {"Spine1", SNI_BODY_SPINE, SNI_SIDE_NONE},
        {"Neck1", SNI_BODY_NECK, SNI_SIDE_NONE},
        {"LeftUpLeg", SNI_BODY_THIGH, SNI_SIDE_LEFT},
        {"RightLeg", SNI_BODY_SHIN, SNI_SIDE_RIGHT},
        {"LeftToeBase", SNI_BODY_TOES, SNI_SIDE_LEFT},
        {"LHipJoint", SNI_BODY_NONE, SNI_SIDE_LEFT},
        {"LThumb", SNI_BODY_THUMB, SNI_SIDE_LEFT},
        {"LeftHandIndex1", SNI_BODY_INDEX, SNI_SIDE_LEFT},
        {"LeftFingerBase", SNI_BODY_NONE, SNI_SIDE_LEFT},
        {"mixamorig:RightForeArm", SNI_BODY_FOREARM, SNI_SIDE_RIGHT},
        {"mixamorig:RightHandPinky3", SNI_BODY_LITTLE, SNI_SIDE_RIGHT},
        {"spine05", SNI_BODY_SPINE, SNI_SIDE_NONE},
        {"neck02", SNI_BODY_NECK, SNI_SIDE_NONE},
        {"clavicle.L", SNI_BODY_CLAVICLE, SNI_SIDE_LEFT},
        {"shoulder01.R", SNI_BODY_CLAVICLE, SNI_SIDE_RIGHT},
        {"upperarm02.L", SNI_BODY_UPPER_ARM, SNI_SIDE_LEFT},
        {"lowerleg01.R", SNI_BODY_SHIN, SNI_SIDE_RIGHT},
        {"wrist.L", SNI_BODY_HAND, SNI_SIDE_LEFT},
        {"finger1-2.L", SNI_BODY_THUMB, SNI_SIDE_LEFT},
        {"finger5-1.R", SNI_BODY_LITTLE, SNI_SIDE_RIGHT},
        {"metacarpal2.L", SNI_BODY_NONE, SNI_SIDE_LEFT},
        {"toe3-1.R", SNI_BODY_TOES, SNI_SIDE_RIGHT},
        {"pelvis.L", SNI_BODY_NONE, SNI_SIDE_LEFT},
        {"breast.R", SNI_BODY_NONE, SNI_SIDE_RIGHT},
        {"DEF-upper_arm.L.001", SNI_BODY_UPPER_ARM, SNI_SIDE_LEFT},
        {"DEF-f_index.01.R", SNI_BODY_INDEX, SNI_SIDE_RIGHT},
        {"Bip01 L Calf", SNI_BODY_SHIN, SNI_SIDE_LEFT},
        {"CC_Base_R_Thigh", SNI_BODY_THIGH, SNI_SIDE_RIGHT},
        {"thigh_l", SNI_BODY_THIGH, SNI_SIDE_LEFT},
        {"leftshoulder", SNI_BODY_CLAVICLE, SNI_SIDE_LEFT},
        {"LeftHip", SNI_BODY_THIGH, SNI_SIDE_LEFT},
        {"thigh_stretch.l", SNI_BODY_THIGH, SNI_SIDE_LEFT}, // Auto-Rig Pro
        {"forearm_stretch.r", SNI_BODY_FOREARM, SNI_SIDE_RIGHT},
        {"r_sternoclavicular", SNI_BODY_CLAVICLE, SNI_SIDE_RIGHT}, // H-Anim
        {"jaw", SNI_BODY_NONE, SNI_SIDE_NONE},
        {"", SNI_BODY_NONE, SNI_SIDE_NONE},
        {":", SNI_BODY_NONE, SNI_SIDE_NONE},
        {"42", SNI_BODY_NONE, SNI_SIDE_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sni_body_role role = sni_body_role_of_name(cases[i].name, NULL).role;
        if (role.part != cases[i].part || role.side != cases[i].side) {
            fail_msg("\"%s\" is part %d, side %d", cases[i].name, (int)role.part, (int)role.side);
        }
    }
    char name[300];
    memset(name, 'a', sizeof name);
    name[299] = 0;
    assert_int_equal(sni_body_role_of_name(name, NULL).role.part, SNI_BODY_NONE);
}

static void assert_first(const sni_body *body, sni_body_part part, sni_body_side side,
                         uint32_t expected) {
    assert_int_equal(sni_body_first(body, part, side), expected);
}

static void the_tree_settles_sample_names(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const snt_bone bones[] = {
        {"Z_UP", -1, {0}},           {"torso_joint_1", 0, {0}},   {"torso_joint_2", 1, {0}},
        {"torso_joint_3", 2, {0}},   {"neck_joint_1", 3, {0}},    {"neck_joint_2", 4, {0}},
        {"arm_joint_L__4_", 3, {0}}, {"arm_joint_L__3_", 6, {0}}, {"arm_joint_L__2_", 7, {0}},
        {"leg_joint_R_1", 1, {0}},   {"leg_joint_R_2", 9, {0}},   {"leg_joint_R_3", 10, {0}},
        {"leg_joint_R_5", 11, {0}}};
    sn_skeleton skeleton = snt_skeleton(context, bones, 13);
    sni_body body;
    snt_ok(sni_body_init(context, &skeleton, &body, error));
    assert_first(&body, SNI_BODY_HIPS, SNI_SIDE_NONE, 1);
    assert_first(&body, SNI_BODY_SPINE, SNI_SIDE_NONE, 2);
    assert_int_equal(sni_body_last(&body, SNI_BODY_SPINE, SNI_SIDE_NONE), 3);
    assert_first(&body, SNI_BODY_NECK, SNI_SIDE_NONE, 4);
    assert_first(&body, SNI_BODY_HEAD, SNI_SIDE_NONE, 5);
    assert_first(&body, SNI_BODY_UPPER_ARM, SNI_SIDE_LEFT, 6);
    assert_first(&body, SNI_BODY_HAND, SNI_SIDE_LEFT, 8);
    assert_first(&body, SNI_BODY_TOES, SNI_SIDE_RIGHT, 12);
    assert_first(&body, SNI_BODY_TOES, SNI_SIDE_LEFT, SN_NONE);
    sni_body_deinit(context, &body);
    sni_skeleton_deinit(context, &skeleton);
    snt_context_end(context);
}

static void finds_hips_and_arms_that_names_leave_open(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    // "root" above real hips is none; LeftShoulder without LeftArm is the upper arm.
    static const snt_bone game[] = {{"root", -1, {0}},      {"pelvis", 0, {0}},
                                    {"LeftCollar", 1, {0}}, {"LeftShoulder", 2, {0}},
                                    {"LeftElbow", 3, {0}},  {"LeftWrist", 4, {0}}};
    sn_skeleton skeleton = snt_skeleton(context, game, 6);
    sni_body body;
    snt_ok(sni_body_init(context, &skeleton, &body, error));
    assert_first(&body, SNI_BODY_HIPS, SNI_SIDE_NONE, 1);
    assert_int_equal(body.count[SNI_BODY_HIPS][SNI_SIDE_NONE], 1);
    assert_first(&body, SNI_BODY_CLAVICLE, SNI_SIDE_LEFT, 2);
    assert_first(&body, SNI_BODY_UPPER_ARM, SNI_SIDE_LEFT, 3);
    sni_body_deinit(context, &body);
    sni_skeleton_deinit(context, &skeleton);
    // Rigify: the lowest spine carries the thighs.
    static const snt_bone rigify[] = {
        {"DEF-spine", -1, {0}}, {"DEF-spine.001", 0, {0}}, {"DEF-thigh.L", 0, {0}}};
    skeleton = snt_skeleton(context, rigify, 3);
    snt_ok(sni_body_init(context, &skeleton, &body, error));
    assert_first(&body, SNI_BODY_HIPS, SNI_SIDE_NONE, 0);
    assert_first(&body, SNI_BODY_SPINE, SNI_SIDE_NONE, 1);
    sni_body_deinit(context, &body);
    sni_skeleton_deinit(context, &skeleton);
    snt_context_end(context);
}

// The mesh of a foot that has the name of its bone, which importing numbers, is no toe; a second
// foot of another name is.
static void a_mesh_of_a_foot_is_no_toe(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const struct {
        const char *second;
        bool is_toe;
    } cases[] = {{"Foot.L.2", false}, {"Foot.L.001", true}, {"foot2.L", true}, {"ball.L", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const snt_bone bones[] = {{"hips", -1, {0}},
                                  {"thigh.L", 0, {0}},
                                  {"shin.L", 1, {0}},
                                  {"Foot.L", 2, {0}},
                                  {cases[i].second, 3, {0}}};
        sn_skeleton skeleton = snt_skeleton(context, bones, 5);
        sni_body body;
        snt_ok(sni_body_init(context, &skeleton, &body, error));
        assert_first(&body, SNI_BODY_FOOT, SNI_SIDE_LEFT, 3);
        assert_first(&body, SNI_BODY_TOES, SNI_SIDE_LEFT, cases[i].is_toe ? 4 : SN_NONE);
        sni_body_deinit(context, &body);
        sni_skeleton_deinit(context, &skeleton);
    }
    snt_context_end(context);
}

static void sides_are_exchanged(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"left biceps", "right biceps"},
        {"Biceps Right", "Biceps Left"},
        {"LEFT", "RIGHT"},
        {"smile.L", "smile.R"},
        {"smile_r", "smile_l"},
        {"L_Thigh", "R_Thigh"},
        {"mixamorig:LeftArm", "mixamorig:RightArm"},
        {"leftarm", "rightarm"},
        {"DEF-upper_arm.L.001", "DEF-upper_arm.R.001"},
        {"arm", NULL},
        {"", NULL},
        {"Lips", NULL},
        {"copyright", NULL},
        {"a.L.L", "a.R.L"},
        {"L4 rib.R", "L4 rib.L"},
        {"L4", "R4"},
        {"arm_L2", "arm_R2"},
        {"L2_", "R2_"},
    };
    sn_context *context = snt_context(1);
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *swapped;
        snt_ok(sni_body_swap_side(context, cases[i][0], &swapped, error));
        if (cases[i][1] == NULL) {
            assert_null(swapped);
            continue;
        }
        assert_string_equal(swapped, cases[i][1]);
        sni_free(context, swapped);
    }
    snt_context_end(context);
}

// A person; `s` stands behind each name, `x` is where it stands, `up` how its upper arms are
// called.
#define PERSON(s, up, first, x)                                                                    \
    {"hips" s, -1, {x, 1, 0}}, {"spine" s, first, {0, 0.2, 0}},                                    \
        {"neck" s, first + 1, {0, 0.4, 0}}, {"head" s, first + 2, {0, 0.1, 0}},                    \
        {up "_L" s, first + 1, {0.2, 0.3, 0}}, {"forearm_L" s, first + 4, {0, -0.3, -0.02}},       \
        {"hand_L" s, first + 5, {0, -0.25, 0.02}}, {up "_R" s, first + 1, {-0.2, 0.3, 0}},         \
        {"forearm_R" s, first + 7, {0, -0.3, -0.02}}, {"hand_R" s, first + 8, {0, -0.25, 0.02}},   \
        {"thigh_L" s, first, {0.1, -0.05, 0}}, {"shin_L" s, first + 10, {0, -0.4, 0.02}},          \
        {"foot_L" s, first + 11, {0, -0.4, -0.02}}, {"thigh_R" s, first, {-0.1, -0.05, 0}},        \
        {"shin_R" s, first + 13, {0, -0.4, 0.02}}, {                                               \
        "foot_R" s, first + 14, {                                                                  \
            0, -0.4, -0.02                                                                         \
        }                                                                                          \
    }

static void the_shape_finds_bones_that_names_lack(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const snt_bone bones[] = {PERSON("", "boom", 0, 0)};
    sn_skeleton skeleton = snt_skeleton(context, bones, 16);
    sni_body body;
    snt_ok(sni_body_init(context, &skeleton, &body, error));
    assert_first(&body, SNI_BODY_UPPER_ARM, SNI_SIDE_LEFT, 4);
    assert_first(&body, SNI_BODY_UPPER_ARM, SNI_SIDE_RIGHT, 7);
    assert_first(&body, SNI_BODY_FOREARM, SNI_SIDE_LEFT, 5);
    assert_int_equal(body.bodies, 1);
    assert_true(body.by_shape[4] && !body.by_shape[5]);
    sni_body_deinit(context, &body);
    sni_skeleton_deinit(context, &skeleton);
    snt_context_end(context);
}

// Of two people the one that names know more of is the body; no part of the other one is.
static void one_of_two_bodies_is_kept(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const snt_bone bones[] = {PERSON("", "boom", 0, 0), PERSON(".2", "upper_arm", 16, 2)};
    sn_skeleton skeleton = snt_skeleton(context, bones, 32);
    sni_body body;
    snt_ok(sni_body_init(context, &skeleton, &body, error));
    assert_int_equal(body.bodies, 2);
    assert_int_equal(body.pelvis, 16);
    assert_first(&body, SNI_BODY_HIPS, SNI_SIDE_NONE, 16);
    assert_first(&body, SNI_BODY_HEAD, SNI_SIDE_NONE, 19);
    assert_first(&body, SNI_BODY_HAND, SNI_SIDE_RIGHT, 25);
    for (uint32_t i = 0; i < 16; ++i) {
        assert_int_equal(body.roles[i].part, SNI_BODY_NONE);
    }
    sni_body_deinit(context, &body);
    sni_skeleton_deinit(context, &skeleton);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_well_known_names),
        cmocka_unit_test(the_tree_settles_sample_names),
        cmocka_unit_test(finds_hips_and_arms_that_names_leave_open),
        cmocka_unit_test(a_mesh_of_a_foot_is_no_toe),
        cmocka_unit_test(sides_are_exchanged),
        cmocka_unit_test(the_shape_finds_bones_that_names_lack),
        cmocka_unit_test(one_of_two_bodies_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
