// SPDX-License-Identifier: Apache-2.0
//
// What a document and a caller say about the rest pose of a file's clip and about feet that rest.
#include "toy.h"

#include <math.h>

// A man of sticks. Nearly all bones lie along +x at zero; every frame turns them so that he stands,
// and in frame 3 he bows.
static const char sticks[] =
    "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\n"
    "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
    "JOINT Spine\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "JOINT Head\n{\nOFFSET 6 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "End Site\n{\nOFFSET 2 0 0\n}\n}\n"
    "JOINT LeftArm\n{\nOFFSET 5 -2 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "JOINT LeftForeArm\n{\nOFFSET 3 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "JOINT LeftHand\n{\nOFFSET 3 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "End Site\n{\nOFFSET 1 0 0\n}\n}\n}\n}\n"
    "JOINT RightArm\n{\nOFFSET 5 2 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "JOINT RightForeArm\n{\nOFFSET 3 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "JOINT RightHand\n{\nOFFSET 3 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "End Site\n{\nOFFSET 1 0 0\n}\n}\n}\n}\n}\n"
    "JOINT LeftUpLeg\n{\nOFFSET 1 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "JOINT LeftLeg\n{\nOFFSET 4 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "JOINT LeftFoot\n{\nOFFSET 4 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "End Site\n{\nOFFSET 1 0 0\n}\n}\n}\n}\n"
    "JOINT RightUpLeg\n{\nOFFSET -1 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "JOINT RightLeg\n{\nOFFSET 4 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "JOINT RightFoot\n{\nOFFSET 4 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "End Site\n{\nOFFSET 1 0 0\n}\n}\n}\n}\n}\n"
    "MOTION\nFrames: 4\nFrame Time: 0.25\n";

// The document of a man in a T-pose of other lengths.
static const char man[] =
    "{'sinew': 1, 'name': 'man', 'skeleton': {'pelvis': {'translation': [0, 1, 0]},\n"
    "'spine_01': {'parent': 'pelvis', 'translation': [0, 0.1, 0]},\n"
    "'head': {'parent': 'spine_01', 'translation': [0, 0.6, 0]},\n"
    "'upperarm_l': {'parent': 'spine_01', 'translation': [0.2, 0.5, 0]},\n"
    "'lowerarm_l': {'parent': 'upperarm_l', 'translation': [0.3, 0, 0]},\n"
    "'hand_l': {'parent': 'lowerarm_l', 'translation': [0.3, 0, 0]},\n"
    "'upperarm_r': {'parent': 'spine_01', 'translation': [-0.2, 0.5, 0]},\n"
    "'lowerarm_r': {'parent': 'upperarm_r', 'translation': [-0.3, 0, 0]},\n"
    "'hand_r': {'parent': 'lowerarm_r', 'translation': [-0.3, 0, 0]},\n"
    "'thigh_l': {'parent': 'pelvis', 'translation': [0.15, 0, 0]},\n"
    "'calf_l': {'parent': 'thigh_l', 'translation': [0, -0.5, 0]},\n"
    "'foot_l': {'parent': 'calf_l', 'translation': [0, -0.45, 0]},\n"
    "'thigh_r': {'parent': 'pelvis', 'translation': [-0.15, 0, 0]},\n"
    "'calf_r': {'parent': 'thigh_r', 'translation': [0, -0.5, 0]},\n"
    "'foot_r': {'parent': 'calf_r', 'translation': [0, -0.45, 0]}},\n"
    "'clips': {'plain': {'file': 'sticks.bvh'},\n"
    "'bowed': {'file': 'sticks.bvh', 'rest_frame': 3},\n"
    "'slides': {'file': 'sticks.bvh', 'plant_feet': false}%s}}";

static void write_sticks(void) {
    char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", sticks);
    for (int frame = 0; frame < 4; ++frame) {
        // Hips; spine up; head; arms hang, and the rest goes on straight; legs down.
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "0 8.5 0 0 0 0  90 0 %d  0 0 0  180 0 0 0 0 0 0 0 0  180 0 0 0 0 "
                                 "0 0 0 0  -90 0 0 0 0 0 0 0 0  -90 0 0 0 0 0 0 0 0\n",
                                 frame == 3 ? -40 : 0);
    }
    write_text(snt_scratch("sticks.bvh"), text);
}

typedef struct heard {
    int warnings;
    int held; // notes that feet are held
    char text[256];
} heard;

static void listen(sn_log_level level, const char *topic, const char *message, void *user) {
    heard *h = user;
    (void)topic;
    if (level == SN_LOG_WARNING) {
        h->warnings++;
        snprintf(h->text, sizeof h->text, "%s", message);
    }
    h->held += strstr(message, "feet are held") != NULL;
}

typedef struct fixture {
    heard heard;
    sn_context *context;
    sn_character *character;
    sn_model *model;
} fixture;

static void setup(fixture *f) {
    char text[4096];
    *f = (fixture){0};
    sn_context_desc desc = sn_context_desc_default();
    desc.thread_count = 1;
    desc.log = listen;
    desc.log_user = &f->heard;
    snt_ok(sn_context_create(&desc, &f->context, error));
    write_sticks();
    snprintf(text, sizeof text, man, "");
    snt_ok(parse_quoted(f->context, snt_scratch("man.sinew.json"), text, &f->character, error));
    snt_ok(sn_model_create(f->character, NULL, &f->model, error));
}

static void teardown(fixture *f) {
    sn_model_destroy(f->model);
    sn_character_destroy(f->character);
    assert_int_equal(sn_context_bytes(f->context), 0);
    sn_context_destroy(f->context);
}

// The height of a segment in frame 0 of a motion.
static double height_of(fixture *f, sn_motion *motion, const char *segment) {
    sn_frame *frame;
    snt_ok(sn_frame_create(f->model, &frame, error));
    snt_ok(sn_frame_evaluate(frame, motion, 0, error));
    double y = sn_frame_worlds(frame)[sn_model_find_segment(f->model, segment)].m[13];
    sn_frame_destroy(frame);
    return y;
}

static void a_frame_that_is_used_as_rest_is_said(void **state) {
    (void)state;
    fixture f;
    sn_motion *motion;
    setup(&f);
    snt_ok(sn_motion_open(f.model, "plain", &motion, error));
    assert_int_equal(f.heard.warnings, 1);
    assert_string_equal(f.heard.text, "the zero pose of sticks is no pose of a body; frame 0 is "
                                      "used as its rest");
    snt_near(height_of(&f, motion, "head"), 1.7, 1e-6);
    snt_near(height_of(&f, motion, "foot_l"), 0.05, 1e-6);
    snt_near(height_of(&f, motion, "hand_l"), 1, 1e-6);
    sn_motion_destroy(motion);
    teardown(&f);
}

// A motion that is given as a file plays as the clip of a document that names it.
static void a_file_is_read_like_a_clip(void **state) {
    (void)state;
    fixture f;
    sn_motion *clip, *file;
    setup(&f);
    snt_ok(sn_motion_open(f.model, "plain", &clip, error));
    snt_ok(sn_motion_open(f.model, snt_scratch("sticks.bvh"), &file, error));
    assert_int_equal(f.heard.warnings, 2);
    static const char *const segments[] = {"head", "foot_l", "hand_l"};
    for (int i = 0; i < 3; ++i) {
        assert_true(height_of(&f, file, segments[i]) == height_of(&f, clip, segments[i]));
    }
    sn_motion_destroy(file);
    sn_motion_destroy(clip);
    teardown(&f);
}

static void a_frame_can_be_given(void **state) {
    (void)state;
    fixture f;
    sn_motion *motion;
    sn_motion_desc desc = sn_motion_desc_default();
    setup(&f);
    snt_ok(sn_motion_open(f.model, "bowed", &motion, error));
    sn_motion_destroy(motion);
    assert_int_equal(f.heard.warnings, 0); // nothing was guessed
    desc.rest_frame = 4;
    snt_fails(SN_INVALID, "the rest frame is 4, but the clip \"sticks\" has the frames 0 to 3",
              sn_motion_open_with(f.model, "bowed", &desc, &motion, error));
    snt_fails(SN_INVALID, "the rest frame is 4, but the clip",
              sn_motion_open_with(f.model, snt_scratch("sticks.bvh"), &desc, &motion, error));
    teardown(&f);
}

// A file that is named by its path plays as a clip of the document that says nothing about it.
static void a_file_plays_as_a_clip_of_the_document(void **state) {
    (void)state;
    fixture f;
    sn_motion *clip, *file;
    setup(&f);
    snt_ok(sn_motion_open(f.model, "plain", &clip, error));
    snt_ok(sn_motion_open(f.model, snt_scratch("sticks.bvh"), &file, error));
    assert_int_equal(f.heard.warnings, 2); // both guess their rest
    static const char *const segments[] = {"head", "hand_l", "foot_l"};
    for (int i = 0; i < 3; ++i) {
        snt_near(height_of(&f, file, segments[i]), height_of(&f, clip, segments[i]), 0);
    }
    sn_motion_destroy(file);
    sn_motion_destroy(clip);
    teardown(&f);
}

// Feet are held in a file's clip, too, unless the caller says otherwise.
static void feet_of_a_file_are_held(void **state) {
    (void)state;
    fixture f;
    setup(&f);
    sn_motion_desc desc = sn_motion_desc_default();
    static const sn_plant_feet said[] = {SN_PLANT_FEET_AS_DOCUMENT, SN_PLANT_FEET_YES,
                                         SN_PLANT_FEET_NO};
    for (int i = 0; i < 3; ++i) {
        sn_motion *motion;
        f.heard.held = 0;
        desc.plant_feet = said[i];
        snt_ok(sn_motion_open_with(f.model, snt_scratch("sticks.bvh"), &desc, &motion, error));
        assert_int_equal(f.heard.held, said[i] == SN_PLANT_FEET_NO ? 0 : 1);
        sn_motion_destroy(motion);
    }
    teardown(&f);
}

static void tracks_have_no_rest_frame(void **state) {
    (void)state;
    static const char *const keys[] = {"'rest_frame': 1", "'plant_feet': true"};
    static const char *const texts[] = {"\"rest_frame\" is only allowed with \"file\"",
                                        "\"plant_feet\" is only allowed with \"file\""};
    sn_context *context = snt_context(1);
    for (int i = 0; i < 2; ++i) {
        char text[4096], clip[128];
        sn_character *character = NULL;
        snprintf(clip, sizeof clip, ", 'made': {'tracks': {}, %s}", keys[i]);
        snprintf(text, sizeof text, man, clip);
        snt_fails(SN_INVALID, texts[i],
                  parse_quoted(context, snt_scratch("man.sinew.json"), text, &character, error));
    }
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_that_is_used_as_rest_is_said),
        cmocka_unit_test(a_file_is_read_like_a_clip),
        cmocka_unit_test(a_frame_can_be_given),
        cmocka_unit_test(a_file_plays_as_a_clip_of_the_document),
        cmocka_unit_test(feet_of_a_file_are_held),
        cmocka_unit_test(tracks_have_no_rest_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
