// SPDX-License-Identifier: Apache-2.0
//
// Skeletons as tools name them, and real ones whose names are taken away.
#include "build.h"

#include "motion/body.h"
#include "sinew/io.h"

static const char *const part_words[SNI_BODY_PART_COUNT] = {
    "-",     "hips", "spine", "neck", "head",  "clavicle", "upperarm", "forearm", "hand",
    "thigh", "shin", "foot",  "toes", "thumb", "index",    "middle",   "ring",    "little"};

// One segment per line, as deep in the tree as it is indented: NAME = PART, where the part of a
// left or right limb begins with "l " or "r ", and "-" is none.
typedef struct convention {
    const char *tool;
    const char *segments;
} convention;

static const convention conventions[] = {
    {"Mixamo", "mixamorig:Hips = hips\n"
               " mixamorig:Spine = spine\n"
               "  mixamorig:Spine1 = spine\n"
               "   mixamorig:Spine2 = spine\n"
               "    mixamorig:Neck = neck\n"
               "     mixamorig:Head = head\n"
               "      mixamorig:HeadTop_End = -\n"
               "    mixamorig:LeftShoulder = l clavicle\n"
               "     mixamorig:LeftArm = l upperarm\n"
               "      mixamorig:LeftForeArm = l forearm\n"
               "       mixamorig:LeftHand = l hand\n"
               "        mixamorig:LeftHandThumb1 = l thumb\n"
               "        mixamorig:LeftHandPinky1 = l little\n"
               " mixamorig:RightUpLeg = r thigh\n"
               "  mixamorig:RightLeg = r shin\n"
               "   mixamorig:RightFoot = r foot\n"
               "    mixamorig:RightToeBase = r toes\n"
               "     mixamorig:RightToe_End = -\n"},
    {"Mixamo, prefix joined or numbered", "mixamorigHips = hips\n"
                                          " mixamorigSpine = spine\n"
                                          "  mixamorig1:LeftArm = l upperarm\n"
                                          "  mixamorig12:RightForeArm = r forearm\n"
                                          " mixamorigLeftUpLeg = l thigh\n"},
    {"VRoid", "Root = -\n"
              " J_Bip_C_Hips = hips\n"
              "  J_Bip_C_Spine = spine\n"
              "   J_Bip_C_Chest = spine\n"
              "    J_Bip_C_UpperChest = spine\n"
              "     J_Bip_C_Neck = neck\n"
              "      J_Bip_C_Head = head\n"
              "       J_Adj_L_FaceEye = -\n"
              "       J_Sec_Hair1_01 = -\n"
              "     J_Bip_L_Shoulder = l clavicle\n"
              "      J_Bip_L_UpperArm = l upperarm\n"
              "       J_Bip_L_LowerArm = l forearm\n"
              "        J_Bip_L_Hand = l hand\n"
              "         J_Bip_L_Index1 = l index\n"
              "         J_Bip_L_Little1 = l little\n"
              "     J_Sec_L_Bust1 = -\n"
              "  J_Bip_R_UpperLeg = r thigh\n"
              "   J_Bip_R_LowerLeg = r shin\n"
              "    J_Bip_R_Foot = r foot\n"
              "     J_Bip_R_ToeBase = r toes\n"
              "   J_Sec_R_CoatSkirtBack1_01 = -\n"},
    {"Daz Genesis 8", "hip = hips\n"
                      " pelvis = -\n"
                      "  lThighBend = l thigh\n"
                      "   lThighTwist = l thigh\n"
                      "    lShin = l shin\n"
                      "     lFoot = l foot\n"
                      "      lMetatarsals = -\n"
                      "       lToe = l toes\n"
                      "        lBigToe = -\n"
                      " abdomenLower = spine\n"
                      "  abdomenUpper = spine\n"
                      "   chestLower = spine\n"
                      "    chestUpper = spine\n"
                      "     lCollar = l clavicle\n"
                      "      lShldrBend = l upperarm\n"
                      "       lShldrTwist = l upperarm\n"
                      "        lForearmBend = l forearm\n"
                      "         lForearmTwist = l forearm\n"
                      "          lHand = l hand\n"
                      "           lThumb1 = l thumb\n"
                      "           lCarpal1 = -\n"
                      "            lIndex1 = l index\n"
                      "           lCarpal2 = -\n"
                      "            lMid1 = l middle\n"
                      "     neckLower = neck\n"
                      "      neckUpper = neck\n"
                      "       head = head\n"
                      "    lPectoral = -\n"},
    {"Maya's escapes", "hips = hips\n"
                       " shoulderFBXASC046L = l clavicle\n"
                       "  upper_armFBXASC046L = l upperarm\n"
                       "   forearmFBXASC046L = l forearm\n"
                       "    f_indexFBXASC04601FBXASC046L = l index\n"
                       " Bip01FBXASC032LFBXASC032Thigh = l thigh\n"},
    {"Unreal", "root = -\n"
               " pelvis = hips\n"
               "  spine_01 = spine\n"
               "   spine_02 = spine\n"
               "    spine_03 = spine\n"
               "     clavicle_l = l clavicle\n"
               "      upperarm_l = l upperarm\n"
               "       upperarm_twist_01_l = -\n"
               "       lowerarm_l = l forearm\n"
               "        lowerarm_twist_01_l = -\n"
               "        hand_l = l hand\n"
               "         index_metacarpal_l = -\n"
               "          index_01_l = l index\n"
               "     neck_01 = neck\n"
               "      head = head\n"
               "  thigh_r = r thigh\n"
               "   thigh_twist_01_r = -\n"
               "   calf_r = r shin\n"
               "    calf_twist_01_r = -\n"
               "    foot_r = r foot\n"
               "     ball_r = r toes\n"
               " ik_foot_root = -\n"
               "  ik_foot_l = -\n"
               " ik_hand_root = -\n"
               "  ik_hand_gun = -\n"
               "   ik_hand_r = -\n"},
    {"Unity", "Hips = hips\n"
              " Spine = spine\n"
              "  Chest = spine\n"
              "   UpperChest = spine\n"
              "    Neck = neck\n"
              "     Head = head\n"
              "      LeftEye = -\n"
              "    LeftShoulder = l clavicle\n"
              "     LeftUpperArm = l upperarm\n"
              "      LeftLowerArm = l forearm\n"
              "       LeftHand = l hand\n"
              "        Left Thumb Proximal = l thumb\n"
              "        LeftMiddleIntermediate = l middle\n"
              "        LeftLittleDistal = l little\n"
              " RightUpperLeg = r thigh\n"
              "  RightLowerLeg = r shin\n"
              "   RightFoot = r foot\n"
              "    RightToes = r toes\n"},
    {"Rigify with its controls", "root = -\n"
                                 " hips = -\n"
                                 " torso = -\n"
                                 " upper_arm_ik.L = -\n"
                                 " DEF-spine = hips\n"
                                 "  DEF-spine.001 = spine\n"
                                 "   DEF-spine.002 = spine\n"
                                 "    DEF-spine.003 = spine\n"
                                 "     DEF-spine.004 = neck\n"
                                 "      DEF-spine.005 = neck\n"
                                 "       DEF-spine.006 = head\n"
                                 "     DEF-breast.L = -\n"
                                 "     DEF-shoulder.L = l clavicle\n"
                                 "      ORG-upper_arm.L = -\n"
                                 "      MCH-upper_arm.L = -\n"
                                 "      DEF-upper_arm.L = l upperarm\n"
                                 "       DEF-upper_arm.L.001 = l upperarm\n"
                                 "        DEF-forearm.L = l forearm\n"
                                 "         DEF-forearm.L.001 = l forearm\n"
                                 "          DEF-hand.L = l hand\n"
                                 "           DEF-f_index.01.L = l index\n"
                                 "           DEF-thumb.01.L = l thumb\n"
                                 "     DEF-shoulder.R = r clavicle\n"
                                 "      DEF-upper_arm.R = r upperarm\n"
                                 "  DEF-thigh.L = l thigh\n"
                                 "   DEF-thigh.L.001 = l thigh\n"
                                 "    DEF-shin.L = l shin\n"
                                 "     DEF-foot.L = l foot\n"
                                 "      DEF-toe.L = l toes\n"
                                 "  DEF-thigh.R = r thigh\n"},
    {"Biped", "Bip01 = -\n"
              " Bip01 Footsteps = -\n"
              " Bip01 Pelvis = hips\n"
              "  Bip01 Spine = spine\n"
              "   Bip01 Spine1 = spine\n"
              "    Bip01 Neck = neck\n"
              "     Bip01 Head = head\n"
              "     Bip01 L Clavicle = l clavicle\n"
              "      Bip01 L UpperArm = l upperarm\n"
              "       Bip01 L Forearm = l forearm\n"
              "        Bip01 L ForeTwist = -\n"
              "        Bip01 L Hand = l hand\n"
              "         Bip01 L Finger0 = l thumb\n"
              "          Bip01 L Finger01 = l thumb\n"
              "         Bip01 L Finger1 = l index\n"
              "          Bip01 L Finger12 = l index\n"
              "         Bip01 L Finger4 = l little\n"
              "  Bip01 R Thigh = r thigh\n"
              "   Bip01 R Calf = r shin\n"
              "    Bip01 R Foot = r foot\n"
              "     Bip01 R Toe0 = r toes\n"},
    {"Valve", "ValveBiped.Bip01_Pelvis = hips\n"
              " ValveBiped.Bip01_L_UpperArm = l upperarm\n"
              "  ValveBiped.Bip01_L_Bicep = -\n"},
    {"Character Creator", "RL_BoneRoot = -\n"
                          " CC_Base_Hip = hips\n"
                          "  CC_Base_Pelvis = -\n"
                          "   CC_Base_L_Thigh = l thigh\n"
                          "    CC_Base_L_ThighTwist01 = -\n"
                          "    CC_Base_L_Calf = l shin\n"
                          "     CC_Base_L_KneeShareBone = -\n"
                          "     CC_Base_L_Foot = l foot\n"
                          "      CC_Base_L_ToeBase = l toes\n"
                          "  CC_Base_Waist = spine\n"
                          "   CC_Base_Spine01 = spine\n"
                          "    CC_Base_Spine02 = spine\n"
                          "     CC_Base_NeckTwist01 = neck\n"
                          "      CC_Base_NeckTwist02 = neck\n"
                          "       CC_Base_Head = head\n"
                          "     CC_Base_R_Clavicle = r clavicle\n"
                          "      CC_Base_R_Upperarm = r upperarm\n"
                          "       CC_Base_R_UpperarmTwist01 = -\n"
                          "       CC_Base_R_Forearm = r forearm\n"
                          "        CC_Base_R_Hand = r hand\n"
                          "         CC_Base_R_Mid1 = r middle\n"},
    {"MakeHuman", "root = hips\n"
                  " pelvis.L = -\n"
                  "  upperleg01.L = l thigh\n"
                  "   upperleg02.L = l thigh\n"
                  "    lowerleg01.L = l shin\n"
                  "     foot.L = l foot\n"
                  "      toe1-1.L = l toes\n"
                  " pelvis.R = -\n"
                  "  upperleg01.R = r thigh\n"
                  " spine05 = spine\n"
                  "  neck01 = neck\n"
                  "   head = head\n"
                  "  clavicle.R = r clavicle\n"
                  "   shoulder01.R = r clavicle\n"
                  "    upperarm01.R = r upperarm\n"
                  "     lowerarm01.R = r forearm\n"
                  "      wrist.R = r hand\n"
                  "       finger1-1.R = r thumb\n"
                  "       finger5-1.R = r little\n"},
    {"SMPL", "m_avg_root = -\n"
             " m_avg_Pelvis = hips\n"
             "  m_avg_L_Hip = l thigh\n"
             "   m_avg_L_Knee = l shin\n"
             "    m_avg_L_Ankle = l foot\n"
             "     m_avg_L_Foot = l toes\n"
             "  m_avg_Spine1 = spine\n"
             "   m_avg_Neck = neck\n"
             "    m_avg_Head = head\n"
             "   m_avg_R_Collar = r clavicle\n"
             "    m_avg_R_Shoulder = r upperarm\n"
             "     m_avg_R_Elbow = r forearm\n"
             "      m_avg_R_Wrist = r hand\n"
             "       m_avg_R_Hand = r hand\n"},
    {"SMPL, female", "f_avg_Pelvis = hips\n f_avg_L_Hip = l thigh\n  f_avg_L_Knee = l shin\n"},
    {"Xsens", "Pelvis = hips\n"
              " L5 = spine\n"
              "  L3 = spine\n"
              "   T12 = spine\n"
              "    T8 = spine\n"
              "     Neck = neck\n"
              "      Head = head\n"
              "     RightShoulder = r clavicle\n"
              "      RightUpperArm = r upperarm\n"
              "       RightForearm = r forearm\n"
              "        RightHand = r hand\n"
              " LeftUpperLeg = l thigh\n"
              "  LeftLowerLeg = l shin\n"
              "   LeftFoot = l foot\n"
              "    LeftToe = l toes\n"},
    {"LaFAN, Rokoko, Perception Neuron", "Hips = hips\n"
                                         " LeftUpLeg = l thigh\n"
                                         "  LeftLeg = l shin\n"
                                         "   LeftFoot = l foot\n"
                                         "    LeftToe = l toes\n"
                                         " Spine = spine\n"
                                         "  Spine1 = spine\n"
                                         "   Spine2 = spine\n"
                                         "    Neck = neck\n"
                                         "     Head = head\n"
                                         "    RightShoulder = r clavicle\n"
                                         "     RightArm = r upperarm\n"
                                         "      RightForeArm = r forearm\n"
                                         "       RightHand = r hand\n"
                                         "        RightInHandIndex = -\n"
                                         "         RightHandIndex1 = r index\n"},
    {"OptiTrack", "Skeleton 001:Hip = hips\n"
                  " Skeleton 001:Ab = spine\n"
                  "  Skeleton 001:Chest = spine\n"
                  "   Skeleton 001:LShoulder = l clavicle\n"
                  "    Skeleton 001:LUArm = l upperarm\n"
                  "     Skeleton 001:LFArm = l forearm\n"
                  "      Skeleton 001:LHand = l hand\n"
                  " Skeleton 001:RThigh = r thigh\n"
                  "  Skeleton 001:RShin = r shin\n"
                  "   Skeleton 001:RFoot = r foot\n"
                  "    Skeleton 001:RToe = r toes\n"},
    {"Advanced Skeleton", "Root_M = hips\n"
                          " Hip_R = r thigh\n"
                          "  HipPart1_R = r thigh\n"
                          "   Knee_R = r shin\n"
                          "    Ankle_R = r foot\n"
                          "     Toes_R = r toes\n"
                          "      ToesEnd_R = -\n"
                          " Spine1_M = spine\n"
                          "  Chest_M = spine\n"
                          "   Neck_M = neck\n"
                          "    Head_M = head\n"
                          "   Scapula_L = l clavicle\n"
                          "    Shoulder_L = l upperarm\n"
                          "     ShoulderPart1_L = l upperarm\n"
                          "      Elbow_L = l forearm\n"
                          "       Wrist_L = l hand\n"
                          "        IndexFinger1_L = l index\n"
                          "        PinkyFinger1_L = l little\n"
                          " Hip_L = l thigh\n"},
    {"HumanIK", "Character1_Reference = -\n"
                " Character1_Hips = hips\n"
                "  Character1_LeftUpLeg = l thigh\n"
                "   Character1_LeftUpLegRoll = -\n"
                "   Character1_LeftLeg = l shin\n"
                "  Character1_Spine = spine\n"
                "   Character1_LeftArm = l upperarm\n"},
    {"Second Life", "mPelvis = hips\n"
                    " mTorso = spine\n"
                    "  mChest = spine\n"
                    "   mNeck = neck\n"
                    "    mHead = head\n"
                    "   mCollarLeft = l clavicle\n"
                    "    mShoulderLeft = l upperarm\n"
                    "     mElbowLeft = l forearm\n"
                    "      mWristLeft = l hand\n"
                    "       mHandIndex1Left = l index\n"
                    " mHipRight = r thigh\n"
                    "  mKneeRight = r shin\n"
                    "   mAnkleRight = r foot\n"
                    "    mFootRight = r toes\n"},
    {"Poser", "hip = hips\n"
              " abdomen = spine\n"
              "  chest = spine\n"
              "   lCollar = l clavicle\n"
              "    lShldr = l upperarm\n"
              "     lForeArm = l forearm\n"
              "      lHand = l hand\n"
              " lButtock = -\n"
              "  lThigh = l thigh\n"
              "   lShin = l shin\n"},
    {"Kinect", "SpineBase = hips\n"
               " SpineMid = spine\n"
               "  SpineShoulder = spine\n"
               "   ShoulderLeft = l upperarm\n"
               "    ElbowLeft = l forearm\n"
               "     WristLeft = l hand\n"
               " HipRight = r thigh\n"
               "  KneeRight = r shin\n"
               "   AnkleRight = r foot\n"
               "    FootRight = r toes\n"},
    {"ARKit", "hips_joint = hips\n"
              " left_upLeg_joint = l thigh\n"
              "  left_leg_joint = l shin\n"
              "   left_foot_joint = l foot\n"
              "    left_toes_joint = l toes\n"
              " spine_1_joint = spine\n"
              "  right_shoulder_1_joint = r clavicle\n"
              "   right_arm_joint = r upperarm\n"
              "    right_forearm_joint = r forearm\n"},
    {"a character's name before all", "Ninja_Main = -\n"
                                      " Ninja_Hips = hips\n"
                                      "  Ninja_Spine = spine\n"
                                      "   Ninja_LeftArm = l upperarm\n"
                                      "    Ninja_LeftForeArm = l forearm\n"
                                      "  Ninja_Scarf = -\n"},
    {"small letters", "pelvis = hips\n"
                      " lthigh = l thigh\n"
                      "  lcalf = l shin\n"
                      "   lfoot = l foot\n"
                      " spine = spine\n"
                      "  leftupperarm = l upperarm\n"
                      "   leftupperarmtwist = -\n"
                      "   leftforearm = l forearm\n"
                      "  ring = -\n"},
    {"counted limbs", "hips = hips\n"
                      " leg1.L = l thigh\n"
                      "  leg2.L = l shin\n"
                      "   foot.L = l foot\n"
                      " arm.R = r upperarm\n"
                      "  arm.R.001 = r forearm\n"},
};

typedef struct listed {
    sn_skeleton skeleton;
    const char *parts[64];
} listed;

static listed read_list(sn_context *context, const char *text) {
    listed list = {0};
    uint32_t count = 0, above[64];
    for (const char *c = text; *c != 0; ++c) {
        count += *c == '\n';
    }
    snt_ok(sni_skeleton_init(context, count, &list.skeleton, error));
    for (uint32_t i = 0; i < count; ++i) {
        size_t depth = strspn(text, " ");
        const char *equals = strstr(text, " = ");
        sn_segment *segment = &list.skeleton.segments[i];
        segment->name = sni_string_copy_n(context, text + depth, (size_t)(equals - text) - depth);
        segment->parent = depth > 0 ? above[depth - 1] : SN_NONE;
        above[depth] = i;
        list.parts[i] = equals + 3;
        text = strchr(text, '\n') + 1;
    }
    snt_ok(sni_skeleton_sort(context, &list.skeleton, error));
    return list;
}

static void tells_parts_of_known_conventions(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    int wrong = 0;
    for (size_t k = 0; k < sizeof conventions / sizeof *conventions; ++k) {
        listed list = read_list(context, conventions[k].segments);
        sni_body body;
        snt_ok(sni_body_init(context, &list.skeleton, &body, error));
        for (uint32_t i = 0; i < list.skeleton.segment_count; ++i) {
            const char *sides[] = {"", "l ", "r "};
            sni_body_role role = body.roles[i];
            char found[32];
            snprintf(found, sizeof found, "%s%s\n",
                     role.part != SNI_BODY_NONE ? sides[role.side] : "", part_words[role.part]);
            if (strncmp(list.parts[i], found, strlen(found)) != 0) {
                print_message("%s: \"%s\" is %s", conventions[k].tool,
                              list.skeleton.segments[i].name, found);
                ++wrong;
            }
        }
        sni_body_deinit(context, &body);
        sni_skeleton_deinit(context, &list.skeleton);
    }
    assert_int_equal(wrong, 0);
    snt_context_end(context);
}

static void a_role_of_the_file_comes_before_names(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    listed list = read_list(context, "Hips = -\n"
                                     " Kosh = -\n"
                                     "  Ude_01 = -\n"
                                     "   LeftArm = -\n"
                                     "    Oya = -\n");
    const char *roles[] = {NULL, "hips", "rightUpperArm", NULL, "leftThumbMetacarpal"};
    for (uint32_t i = 0; i < 5; ++i) {
        list.skeleton.segments[i].role =
            roles[i] != NULL ? sni_string_copy(context, roles[i]) : NULL;
    }
    sn_skeleton copy;
    snt_ok(sni_skeleton_copy(context, &list.skeleton, &copy, error));
    sni_body body;
    snt_ok(sni_body_init(context, &copy, &body, error));
    assert_int_equal(sni_body_first(&body, SNI_BODY_HIPS, SNI_SIDE_NONE), 1);
    assert_int_equal(sni_body_first(&body, SNI_BODY_UPPER_ARM, SNI_SIDE_RIGHT), 2);
    assert_int_equal(sni_body_first(&body, SNI_BODY_UPPER_ARM, SNI_SIDE_LEFT), SN_NONE);
    assert_int_equal(sni_body_first(&body, SNI_BODY_THUMB, SNI_SIDE_LEFT), 4);
    sni_body_deinit(context, &body);
    sni_skeleton_deinit(context, &copy);
    sni_skeleton_deinit(context, &list.skeleton);
    snt_context_end(context);
}

// ---------------------------------------------------------------------------------------------
// Shape

// How many of the roles that names give a part of the trunk, an arm or a leg the shape gives as
// well.
typedef struct agreement {
    uint32_t same, all;
} agreement;

static bool is_compared(sni_body_part part) {
    return part >= SNI_BODY_HIPS && part <= SNI_BODY_FOOT;
}

static void compare_shape(sn_context *context, const char *file, const sn_skeleton *skeleton,
                          agreement *total) {
    sni_body body;
    agreement here = {0};
    sni_body_role *shape = sni_alloc(context, skeleton->segment_count, sizeof *shape);
    snt_ok(sni_body_init(context, skeleton, &body, error));
    snt_ok(sni_body_shape(context, skeleton, shape, error));
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        sni_body_role named = body.roles[i];
        if (is_compared(named.part)) {
            bool same = shape[i].part == named.part && shape[i].side == named.side;
            here.same += same;
            here.all++;
            if (!same && here.all - here.same <= 4) {
                print_message("%s: \"%s\" is %s by name, %s by shape\n", file,
                              skeleton->segments[i].name, part_words[named.part],
                              part_words[shape[i].part]);
            }
        }
    }
    print_message("%s: %u of %u\n", file, here.same, here.all);
    total->same += here.same;
    total->all += here.all;
    sni_body_deinit(context, &body);
    sni_free(context, shape);
}

static sn_import *import(sn_context *context, const char *file, const sn_skeleton **skeleton) {
    sn_import *imported;
    snt_ok(sn_import_file(context, snt_data(file), &imported, error));
    *skeleton = &imported->skeleton;
    return imported;
}

static void the_shape_tells_what_names_tell(void **state) {
    (void)state;
    static const char *const files[] = {"human/human.glb",
                                        "human/human_female.glb",
                                        "human/human_male_muscular.glb",
                                        "human/tpose.bvh",
                                        "mocap/cmu_02_01_walk.bvh",
                                        "gltf/CesiumMan.glb",
                                        "gltf/RiggedFigure.glb",
                                        "rigs/Xbot.glb",
                                        "rigs/Soldier.glb",
                                        "rigs/SambaDancing.fbx",
                                        "rigs/riggedMesh.glb",
                                        "rigs/names_daz.bvh",
                                        "rigs/names_vroid.bvh",
                                        "rigs/unrigged/rig-human.glb"};
    sn_context *context = snt_context(1);
    agreement total = {0};
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        const sn_skeleton *skeleton;
        sn_import *imported = import(context, files[i], &skeleton);
        compare_shape(context, files[i], skeleton, &total);
        sn_import_destroy(imported);
    }
    assert_true(total.all > 300);
    assert_true(total.same >= 0.95 * total.all);
    snt_context_end(context);
}

static void animals_are_not_taken_for_people(void **state) {
    (void)state;
    static const char *const files[] = {"gltf/Fox.glb", "rigs/unrigged/rig-fox.glb",
                                        "animal/dog/dog.glb", "gltf/RiggedSimple.glb"};
    sn_context *context = snt_context(1);
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        const sn_skeleton *skeleton;
        sn_import *imported = import(context, files[i], &skeleton);
        sni_body_role *shape = sni_alloc(context, skeleton->segment_count, sizeof *shape);
        snt_ok(sni_body_shape(context, skeleton, shape, error));
        for (uint32_t k = 0; k < skeleton->segment_count; ++k) {
            if (shape[k].part != SNI_BODY_NONE) {
                fail_msg("%s: \"%s\" is %s", files[i], skeleton->segments[k].name,
                         part_words[shape[k].part]);
            }
        }
        sni_free(context, shape);
        sn_import_destroy(imported);
    }
    snt_context_end(context);
}

// Names of one letter repeated, chains of one name, stars of limbs: none may take long.
static void hostile_skeletons_stay_cheap(void **state) {
    (void)state;
    static const char *const names[] = {"spine", "thigh.L", "arm_joint_L", "shoulder.L",
                                        "",      "Elbow_L", "neck_twist",  "leg_R"};
    const uint32_t count = 200000;
    sn_context *context = snt_context(1);
    for (size_t k = 0; k < 2 * sizeof names / sizeof *names; ++k) {
        sn_skeleton skeleton;
        snt_ok(sni_skeleton_init(context, count, &skeleton, error));
        for (uint32_t i = 0; i < count; ++i) {
            sn_segment *segment = &skeleton.segments[i];
            segment->name = sni_string_copy(context, names[(k + (k % 2) * i) % 8]);
            segment->parent = i == 0 ? SN_NONE : k < 8 ? i - 1 : (i - 1) / 40;
            segment->rest.translation = sn_vec3_make(i % 7, i % 3, i % 5);
        }
        snt_ok(sni_skeleton_sort(context, &skeleton, error));
        sni_body body;
        snt_ok(sni_body_init(context, &skeleton, &body, error));
        sni_body_deinit(context, &body);
        sni_skeleton_deinit(context, &skeleton);
    }
    char name[10001];
    memset(name, 'L', sizeof name);
    name[10000] = 0;
    snt_bone bones[] = {{name, -1, {0}}, {"", 0, {0}}};
    sn_skeleton skeleton = snt_skeleton(context, bones, 2);
    sni_body body;
    snt_ok(sni_body_init(context, &skeleton, &body, error));
    assert_int_equal(body.roles[0].part, SNI_BODY_NONE);
    sni_body_deinit(context, &body);
    sni_skeleton_deinit(context, &skeleton);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_parts_of_known_conventions),
        cmocka_unit_test(a_role_of_the_file_comes_before_names),
        cmocka_unit_test(the_shape_tells_what_names_tell),
        cmocka_unit_test(animals_are_not_taken_for_people),
        cmocka_unit_test(hostile_skeletons_stay_cheap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
