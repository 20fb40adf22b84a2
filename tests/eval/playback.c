// SPDX-License-Identifier: Apache-2.0
//
// Motions: clips of documents and of files.
#include "toy.h"

static const char walk[] =
    "HIERARCHY\nROOT hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation "
    "Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 5\nFrame Time: 0.25\n"
    "0 0 0 0 0 0\n1 0 0 0 0 0\n2 0 0 0 0 0\n3 0 0 0 0 0\n4 0 0 0 90 0\n";

static sn_character *walker(sn_context *context, const char *clips) {
    char text[1024];
    write_text(snt_scratch("walk.bvh"), walk);
    snprintf(text, sizeof text,
             "{'sinew': 1, 'name': 'w', 'skeleton': {'hips': {}}, 'controls': {'c': {}},\n"
             "'clips': {%s}}",
             clips);
    sn_character *character = NULL;
    snt_ok(parse_quoted(context, snt_scratch("w.sinew.json"), text, &character, error));
    return character;
}

static void plays_tracks(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character =
        walker(context, "'a': {'rate': 10, 'tracks': {'hips.ty': {'keys': [[0, 1], [1, 3]]},\n"
                        "'hips.rz_deg': {'keys': [[0.5, 45]]},\n"
                        "'c': {'interpolation': 'stepped', 'keys': [[0, 0.25], [0.35, 0.75]]}}},\n"
                        "'still': {'frames': 3, 'tracks': {}}, 'long': {'tracks': {'c': {'keys':\n"
                        "[[0, 0], [0.1, 1], [0.3, 1]]}}}");
    sn_model *model;
    sn_motion *motion;
    sn_frame *frame;
    snt_ok(sn_model_create(character, NULL, &model, error));
    snt_ok(sn_motion_open(model, "a", &motion, error));
    snt_ok(sn_frame_create(model, &frame, error));
    assert_string_equal(sn_motion_name(motion), "a");
    assert_true(sn_motion_rate(motion) == 10);
    assert_int_equal(sn_motion_frame_count(motion), 11); // 0 to 1 s at 10 per second
    for (uint32_t n = 0; n <= 10; ++n) {
        snt_ok(sn_frame_evaluate(frame, motion, n, error));
        snt_near(sn_frame_joint_parameters(frame)[SN_JOINT_TY], 1 + 2 * n / 10.0, 1e-15);
        snt_near(sn_frame_joint_parameters(frame)[SN_JOINT_RZ], SN_PI / 4, 1e-15);
        snt_near(sn_frame_controls(frame)[0], n < 4 ? 0.25 : 0.75, 0);
    }
    sn_motion_destroy(motion);
    snt_ok(sn_motion_open(model, "still", &motion, error));
    assert_int_equal(sn_motion_frame_count(motion), 3);
    assert_true(sn_motion_rate(motion) == 30);
    sn_motion_destroy(motion);
    snt_ok(sn_motion_open(model, "long", &motion, error));
    assert_int_equal(sn_motion_frame_count(motion), 10); // 0.3 s at 30 per second, in decimals
    sn_motion_destroy(motion);
    sn_frame_destroy(frame);
    sn_model_destroy(model);
    sn_character_destroy(character);
    snt_context_end(context);
}

static void plays_files(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character =
        walker(context, "'walk': {'file': 'walk.bvh'}, 'fast': {'file': 'walk.bvh', 'rate': 8}");
    sn_model *model;
    sn_motion *motion;
    sn_frame *frame;
    snt_ok(sn_model_create(character, NULL, &model, error));
    snt_ok(sn_frame_create(model, &frame, error));
    snt_ok(sn_motion_open(model, "walk", &motion, error));
    assert_int_equal(sn_motion_frame_count(motion), 5);
    snt_near(sn_motion_rate(motion), 4, 1e-9);
    snt_ok(sn_frame_evaluate(frame, motion, 3, error));
    snt_near(sn_frame_worlds(frame)[0].m[12], 3, 1e-12);
    sn_motion_destroy(motion);
    snt_ok(sn_motion_open(model, "fast", &motion, error));
    assert_int_equal(sn_motion_frame_count(motion), 9); // the same second, twice the frames
    snt_ok(sn_frame_evaluate(frame, motion, 3, error));
    snt_near(sn_frame_worlds(frame)[0].m[12], 1.5, 1e-12);
    sn_motion_destroy(motion);
    // Straight from a file, by path and by path and name.
    char path[4096];
    snprintf(path, sizeof path, "%s", snt_scratch("walk.bvh"));
    snt_ok(sn_motion_open(model, path, &motion, error));
    assert_int_equal(sn_motion_frame_count(motion), 5);
    char with_clip[4200];
    snprintf(with_clip, sizeof with_clip, "%s#%s", path, sn_motion_name(motion));
    sn_motion_destroy(motion);
    snt_ok(sn_motion_open(model, with_clip, &motion, error));
    sn_motion_destroy(motion);
    snprintf(with_clip, sizeof with_clip, "%s#run", path);
    snt_fails(SN_INVALID, "walk.bvh: the file has no clip \"run\"; its first is",
              sn_motion_open(model, with_clip, &motion, error));
    snt_fails(SN_IO, "cannot open", sn_motion_open(model, "none/walk.bvh", &motion, error));
    // A '#' in the name of a file is part of it.
    write_text(snt_scratch("take#2.bvh"), walk);
    snt_ok(sn_motion_open(model, snt_scratch("take#2.bvh"), &motion, error));
    sn_motion_destroy(motion);
    sn_frame_destroy(frame);
    sn_model_destroy(model);
    sn_character_destroy(character);
    snt_context_end(context);
}

// Frames at other rates: those at equal times have equal bits, of keys and of files.
static void plays_at_any_rate(void **state) {
    (void)state;
    static const char *const names[] = {"keys", "short", "walk", "fast"};
    static const uint32_t counts[][3] = {{11, 21, 6}, {4, 7, 2}, {5, 9, 3}, {9, 17, 5}};
    sn_context *context = snt_context(1);
    sn_character *character = walker(
        context, "'keys': {'rate': 10, 'tracks': {'hips.rz_deg': {'keys': [[0, 1], [0.7, 33],\n"
                 "[1, 3]]}}}, 'short': {'rate': 10, 'frames': 4, 'tracks': {'hips.ty': {'keys':\n"
                 "[[0, 1], [1, 3]]}}}, 'walk': {'file': 'walk.bvh'},\n"
                 "'fast': {'file': 'walk.bvh', 'rate': 8}");
    sn_model *model;
    sn_frame *frame, *other;
    snt_ok(sn_model_create(character, NULL, &model, error));
    snt_ok(sn_frame_create(model, &frame, error));
    snt_ok(sn_frame_create(model, &other, error));
    for (int i = 0; i < 4; ++i) {
        sn_motion *own, *twice, *half;
        sn_motion_desc desc = sn_motion_desc_default();
        snt_ok(sn_motion_open(model, names[i], &own, error));
        desc.rate = 2 * sn_motion_rate(own);
        snt_ok(sn_motion_open_with(model, names[i], &desc, &twice, error));
        assert_true(sn_motion_rate(twice) == desc.rate);
        desc.rate = sn_motion_rate(own) / 2;
        snt_ok(sn_motion_open_with(model, names[i], &desc, &half, error));
        assert_int_equal(sn_motion_frame_count(own), counts[i][0]);
        assert_int_equal(sn_motion_frame_count(twice), counts[i][1]);
        assert_int_equal(sn_motion_frame_count(half), counts[i][2]);
        for (uint32_t n = 0; n < counts[i][0]; ++n) {
            snt_ok(sn_frame_evaluate(frame, own, n, error));
            snt_ok(sn_frame_evaluate(other, twice, 2 * n, error));
            assert_memory_equal(sn_frame_worlds(frame), sn_frame_worlds(other), sizeof(sn_mat4));
            if (n % 2 == 0) {
                snt_ok(sn_frame_evaluate(other, half, n / 2, error));
                assert_memory_equal(sn_frame_worlds(frame), sn_frame_worlds(other),
                                    sizeof(sn_mat4));
            }
        }
        sn_motion_destroy(own);
        sn_motion_destroy(twice);
        sn_motion_destroy(half);
    }
    sn_motion *none;
    sn_motion_desc wrong = sn_motion_desc_default();
    sn_error refused = {0};
    wrong.rate = -1;
    assert_int_equal(sn_motion_open_with(model, "keys", &wrong, &none, &refused), SN_INVALID);
    sn_frame_destroy(frame);
    sn_frame_destroy(other);
    sn_model_destroy(model);
    sn_character_destroy(character);
    snt_context_end(context);
}

static void opens_the_clip_of_the_document_first(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = walker(context, "'walk.bvh': {'frames': 7, 'tracks': {}}");
    sn_model *model;
    sn_motion *motion;
    snt_ok(sn_model_create(character, NULL, &model, error));
    snt_ok(sn_motion_open(model, "walk.bvh", &motion, error));
    assert_int_equal(sn_motion_frame_count(motion), 7);
    sn_motion_destroy(motion);
    snt_fails(SN_INVALID,
              "there is no clip \"run\" (the document has walk.bvh), nor is it a motion",
              sn_motion_open(model, "run", &motion, error));
    assert_null(motion);
    sn_model_destroy(model);
    sn_character_destroy(character);
    snt_context_end(context);
}

typedef struct heard {
    int warnings;
    char text[256];
} heard;

static void listen(sn_log_level level, const char *topic, const char *message, void *user) {
    heard *h = user;
    (void)topic;
    if (level == SN_LOG_WARNING) {
        h->warnings++;
        snprintf(h->text, sizeof h->text, "%s", message);
    }
}

// A clip from elsewhere may speak of things that the character does not have; it says so once.
static void leaves_out_what_is_not_there(void **state) {
    (void)state;
    heard h = {0};
    sn_context_desc desc = sn_context_desc_default();
    desc.thread_count = 1;
    desc.log = listen;
    desc.log_user = &h;
    sn_context *context;
    snt_ok(sn_context_create(&desc, &context, error));
    sn_character *character = walker(context, "'still': {'tracks': {}}");
    sn_model *model;
    sn_motion *motion;
    snt_ok(sn_model_create(character, NULL, &model, error));
    sn_clip *clip;
    sn_track *track;
    snt_ok(sn_clip_create(context, "made", 30, 2, &clip, error));
    static const char *const targets[] = {"c", "tail wag", "ear wag"};
    for (int i = 0; i < 3; ++i) {
        snt_ok(sn_clip_add_track(clip, SN_TRACK_PARAMETER, targets[i], SN_INTERPOLATION_LINEAR, 1,
                                 &track, error));
        track->times[0] = 0;
        track->values[0] = 0.5;
    }
    snt_ok(sn_motion_create(model, clip, &motion, error));
    sn_clip_destroy(clip); // it was copied
    assert_int_equal(h.warnings, 1);
    assert_string_equal(h.text, "made: 2 tracks move nothing that the character has");
    sn_frame *frame;
    snt_ok(sn_frame_create(model, &frame, error));
    snt_ok(sn_frame_evaluate(frame, motion, 1, error));
    snt_near(sn_frame_controls(frame)[0], 0.5, 0);
    sn_frame_destroy(frame);
    sn_motion_destroy(motion);
    sn_model_destroy(model);
    sn_character_destroy(character);
    assert_int_equal(sn_context_bytes(context), 0);
    sn_context_destroy(context);
}

static void retargets_another_skeleton(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character;
    write_text(snt_scratch("walk.bvh"), walk);
    snt_ok(parse_quoted(context, snt_scratch("w.sinew.json"),
                        "{'sinew': 1, 'name': 'w', 'skeleton': {'pelvis': {}},\n"
                        "'clips': {'walk': {'file': 'walk.bvh', 'map': {'hips': 'pelvis'},\n"
                        "'scale': 0.5}}}",
                        &character, error));
    sn_model *model;
    sn_motion *motion;
    sn_frame *frame;
    snt_ok(sn_model_create(character, NULL, &model, error));
    snt_ok(sn_frame_create(model, &frame, error));
    snt_ok(sn_motion_open(model, "walk", &motion, error));
    snt_ok(sn_frame_evaluate(frame, motion, 2, error));
    snt_near(sn_frame_worlds(frame)[0].m[12], 1, 1e-9); // 2 units of half a metre
    sn_motion_destroy(motion);
    sn_frame_destroy(frame);
    sn_model_destroy(model);
    sn_character_destroy(character);
    snt_context_end(context);
}

static sn_status run_out(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_motion *motion = NULL;
    sn_status status = SN_OK;
    SN_TRY(parse_quoted(context, snt_scratch("w.sinew.json"),
                        "{'sinew': 1, 'name': 'w', 'skeleton': {'hips': {}},"
                        "'clips': {'walk': {'file': 'walk.bvh', 'rate': 8}}}",
                        &character, error));
    SN_TRY(sn_model_create(character, NULL, &model, error));
    SN_TRY(sn_motion_open(model, "walk", &motion, error));
cleanup:
    sn_motion_destroy(motion);
    sn_model_destroy(model);
    sn_character_destroy(character);
    return status;
}

static void survives_running_out_of_memory(void **state) {
    (void)state;
    write_text(snt_scratch("walk.bvh"), walk);
    snt_fail_allocations(run_out, NULL);
}

static const char table_head[] = "t\nnRows=2\nnColumns=%d\ninDegrees=%s\nendheader\n";

// A body with an angle in degrees, one in radians, a length and a control that a driver computes.
static sn_model *table_model(sn_context *context, const char *clips, sn_character **character) {
    char text[1024];
    snprintf(text, sizeof text,
             "{'sinew': 1, 'name': 'w', 'skeleton': {'hips': {}}, 'controls': {\n"
             "'knee_angle': {'low': -200, 'high': 200, 'unit': 'deg'},\n"
             "'hip_angle': {'low': -10, 'high': 10, 'unit': 'rad'},\n"
             "'pelvis_ty': {'low': -10, 'high': 10, 'unit': 'm'}, 'beta': {'high': 9}},\n"
             "'drivers': [{'control': 'beta', 'parameter': 'pelvis_ty'}],\n"
             "'clips': {%s}}",
             clips);
    sn_model *model = NULL;
    snt_ok(parse_quoted(context, snt_scratch("t.sinew.json"), text, character, error));
    snt_ok(sn_model_create(*character, NULL, &model, error));
    return model;
}

static void write_table(const char *name, const char *degrees, int columns, const char *rest) {
    char text[512];
    int length = snprintf(text, sizeof text, table_head, columns, degrees);
    snprintf(text + length, sizeof text - (size_t)length, "%s", rest);
    write_text(snt_scratch(name), text);
}

// Controls in both frames of a motion of a document: knee, hip, pelvis.
static void check_table(const sn_model *model, const char *name, const double expected[2][3]) {
    sn_motion *motion = NULL;
    sn_frame *frame = NULL;
    snt_ok(sn_motion_open(model, name, &motion, error));
    snt_ok(sn_frame_create(model, &frame, error));
    assert_int_equal(sn_motion_frame_count(motion), 2);
    assert_true(sn_motion_rate(motion) == 10);
    for (uint32_t n = 0; n < 2; ++n) {
        snt_ok(sn_frame_evaluate(frame, motion, n, error));
        for (int c = 0; c < 3; ++c) {
            snt_near(sn_frame_controls(frame)[c], expected[n][c], 1e-12);
        }
    }
    sn_frame_destroy(frame);
    sn_motion_destroy(motion);
}

static void tables_move_controls_in_their_own_units(void **state) {
    (void)state;
    const double right = SN_PI / 2;
    const double expected[2][3] = {{90, right, 0.5}, {-45, -right / 2, 1}};
    sn_context *context = snt_context(1);
    sn_character *character = NULL;
    write_table("d.mot", "yes", 4,
                "time knee_angle hip_angle pelvis_ty\n1.5 90 90 0.5\n1.6 -45 -45 1\n");
    write_table("r.sto", "no", 4,
                "time\t/jointset/knee/knee_angle/value\thip_angle\tpelvis_ty\n"
                "0 1.5707963267948966 1.5707963267948966 0.5\n"
                "0.1 -0.78539816339744831 -0.78539816339744831 1\n");
    sn_model *model =
        table_model(context, "'d': {'file': 'd.mot'}, 'r': {'file': 'r.sto'}", &character);
    check_table(model, "d", expected);
    check_table(model, "r", expected);
    sn_model_destroy(model);
    sn_character_destroy(character);
    snt_context_end(context);
}

static void unknown_columns_of_tables_are_left_out(void **state) {
    (void)state;
    const double expected[2][3] = {{1, 0, 0}, {2, 0, 0}};
    sn_context *context = snt_context(1);
    sn_character *character = NULL;
    write_table("u.mot", "yes", 5,
                "time knee_angle knee_angel foot.tx beta\n0 1 2 3 4\n0.1 2 3 4 5\n");
    sn_model *model = table_model(
        context,
        "'all': {'file': 'u.mot'}, 'none': {'file': 'u.mot', 'ignore': ['knee_angel', 'f*',\n"
        "'beta']}, 'driven': {'file': 'u.mot', 'ignore': ['knee_angel', 'foot.tx']},\n"
        "'wrong': {'file': 'u.mot', 'ignore': ['foot.tz']},\n"
        "'other': {'file': 'u.mot', 'ignore': ['knee_angle']}",
        &character);
    sn_motion *motion = NULL;
    check_table(model, "all", expected);
    check_table(model, "driven", expected);
    snt_fails(SN_INVALID, "the character has none of its columns: knee_angel, foot.tx, beta",
              sn_motion_open(model, "other", &motion, error));
    snt_fails(SN_INVALID,
              "/clips/wrong/ignore/0: the file has no track \"foot.tz\"; did you mean \"foot.tx\"?",
              sn_motion_open(model, "wrong", &motion, error));
    check_table(model, "none", expected);
    sn_motion_desc desc = sn_motion_desc_default();
    desc.ignore_unknown = true;
    snt_ok(sn_motion_open_with(model, snt_scratch("u.mot"), &desc, &motion, error));
    sn_motion_destroy(motion);
    snt_fails(SN_INVALID, "was not made by sn_motion_desc_default",
              sn_motion_open_with(model, "all", &(sn_motion_desc){0}, &motion, error));
    sn_model_destroy(model);
    sn_character_destroy(character);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plays_tracks),
        cmocka_unit_test(plays_files),
        cmocka_unit_test(plays_at_any_rate),
        cmocka_unit_test(opens_the_clip_of_the_document_first),
        cmocka_unit_test(leaves_out_what_is_not_there),
        cmocka_unit_test(retargets_another_skeleton),
        cmocka_unit_test(survives_running_out_of_memory),
        cmocka_unit_test(tables_move_controls_in_their_own_units),
        cmocka_unit_test(unknown_columns_of_tables_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
