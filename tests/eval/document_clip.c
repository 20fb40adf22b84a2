// SPDX-License-Identifier: Apache-2.0
//
// Clips that come from another document.
#include "toy.h"

// A leg on each side of the hips: the right one follows half a clip behind the left one.
static const char legs[] =
    "'skeleton': {'hips': {'translation': [0, 1, 0]},\n"
    "'leg.L': {'mirror': true, 'parent': 'hips', 'translation': [0.1, 0, 0]}}";
static const char swing[] =
    "'clips': {'still': {'frames': 2, 'tracks': {}}, 'swing': {'rate': 4, 'tracks': {\n"
    "'hips.tz': {'keys': [[0, 0], [1, 2]]},\n"
    "'leg.L.rz_deg': {'mirror': true, 'delay': 0.5, 'keys': [[0, 0], [0.25, 30], [1, 0]]}}}}";

static void write_document(const char *name, const char *first, const char *second) {
    char text[1024];
    snprintf(text, sizeof text, "{'sinew': 1, 'name': 'd', %s, %s}", first, second);
    for (char *c = text; *c != 0; ++c) {
        *c = *c == '\'' ? '"' : *c;
    }
    write_text(snt_scratch(name), text);
}

static sn_model *open_model(sn_context *context, const char *name, sn_character **character) {
    sn_model *model = NULL;
    snt_ok(sn_character_load(context, snt_scratch(name), character, error));
    snt_ok(sn_model_create(*character, NULL, &model, error));
    return model;
}

static void close_model(sn_model *model, sn_character *character, sn_context *context) {
    sn_model_destroy(model);
    sn_character_destroy(character);
    snt_context_end(context);
}

// Both legs and the hips in frame n of `swing`, worked out by hand.
static void expect_swing(sn_model *model, sn_motion *motion) {
    static const double left[] = {0, 30, 20, 10, 0}, right[] = {20, 10, 0, 30, 20};
    sn_frame *frame;
    snt_ok(sn_frame_create(model, &frame, error));
    assert_int_equal(sn_motion_frame_count(motion), 5);
    assert_true(sn_motion_rate(motion) == 4);
    assert_string_equal(sn_motion_name(motion), "swing");
    for (uint32_t n = 0; n < 5; ++n) {
        snt_ok(sn_frame_evaluate(frame, motion, n, error));
        const double *p = sn_frame_joint_parameters(frame);
        snt_near(p[SN_JOINT_TZ], 0.5 * n, 1e-12);
        snt_near(p[SN_JOINT_PARAMETER_COUNT + SN_JOINT_RZ], left[n] * SN_PI / 180, 1e-12);
        snt_near(p[2 * SN_JOINT_PARAMETER_COUNT + SN_JOINT_RZ], -right[n] * SN_PI / 180, 1e-12);
    }
    sn_frame_destroy(frame);
}

static void plays_clips_of_other_documents(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character;
    sn_motion *motion;
    write_document("motions.sinew.json", legs, swing);
    write_document("d.sinew.json", legs,
                   "'clips': {'go': {'file': 'motions.sinew.json', 'clip': 'swing'},\n"
                   "'first': {'file': 'motions.sinew.json'},\n"
                   "'twice': {'file': 'motions.sinew.json', 'clip': 'swing', 'rate': 8}}");
    sn_model *model = open_model(context, "d.sinew.json", &character);
    snt_ok(sn_motion_open(model, "go", &motion, error));
    expect_swing(model, motion);
    sn_motion_destroy(motion);
    snt_ok(sn_motion_open(model, "first", &motion, error));
    assert_string_equal(sn_motion_name(motion), "still");
    assert_int_equal(sn_motion_frame_count(motion), 2);
    sn_motion_destroy(motion);
    snt_ok(sn_motion_open(model, "twice", &motion, error));
    assert_int_equal(sn_motion_frame_count(motion), 9);
    sn_motion_destroy(motion);
    // The same straight from the file.
    char path[4200];
    snprintf(path, sizeof path, "%s#swing", snt_scratch("motions.sinew.json"));
    snt_ok(sn_motion_open(model, path, &motion, error));
    expect_swing(model, motion);
    sn_motion_destroy(motion);
    snt_ok(sn_motion_open(model, snt_scratch("motions.sinew.json"), &motion, error));
    assert_string_equal(sn_motion_name(motion), "still");
    sn_motion_destroy(motion);
    close_model(model, character, context);
}

// Half of the clip's segments are missing: what is left moves as it did in the world.
static void retargets_by_names(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character;
    sn_motion *motion;
    sn_frame *frame;
    write_document("motions.sinew.json", legs, swing);
    write_document("half.sinew.json",
                   "'skeleton': {'hips': {'translation': [0, 1, 0]},\n"
                   "'leg.L': {'parent': 'hips', 'translation': [0.1, 0, 0]}}",
                   "'clips': {'go': {'file': 'motions.sinew.json', 'clip': 'swing'}}");
    sn_model *model = open_model(context, "half.sinew.json", &character);
    snt_ok(sn_motion_open(model, "go", &motion, error));
    snt_ok(sn_frame_create(model, &frame, error));
    snt_ok(sn_frame_evaluate(frame, motion, 1, error));
    const sn_mat4 *worlds = sn_frame_worlds(frame);
    snt_near(worlds[0].m[14], 0.5, 1e-9);
    snt_near(worlds[1].m[0], cos(SN_PI / 6), 1e-9);
    snt_near(worlds[1].m[1], sin(SN_PI / 6), 1e-9);
    sn_frame_destroy(frame);
    sn_motion_destroy(motion);
    close_model(model, character, context);
}

static void says_what_is_wrong(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character;
    sn_motion *motion;
    write_document("motions.sinew.json", legs, swing);
    write_document("none.sinew.json", legs, "'controls': {}");
    write_document("odd.sinew.json", legs, "'bone': {}");
    write_document("d.sinew.json", legs,
                   "\n'clips': {'run': {'file': 'motions.sinew.json', 'clip': 'run'},\n"
                   "'none': {'file': 'none.sinew.json'}, 'odd': {'file': 'odd.sinew.json'},\n"
                   "'self': {'file': 'd.sinew.json', 'clip': 'none'},\n"
                   "'lost': {'file': 'lost.sinew.json'}}");
    sn_model *model = open_model(context, "d.sinew.json", &character);
    snt_fails(SN_INVALID,
              "d.sinew.json:3: /clips/run/file: ", sn_motion_open(model, "run", &motion, error));
    snt_fails(SN_INVALID,
              "motions.sinew.json: the document has no clip \"run\"; its first is "
              "\"still\"",
              sn_motion_open(model, "run", &motion, error));
    snt_fails(SN_INVALID, "none.sinew.json: the document has no clips",
              sn_motion_open(model, "none", &motion, error));
    snt_fails(SN_INVALID, "odd.sinew.json:2: /bone: unknown key",
              sn_motion_open(model, "odd", &motion, error));
    snt_fails(SN_INVALID,
              "the clip comes from the file \"none.sinew.json\" itself; name that file instead",
              sn_motion_open(model, "self", &motion, error));
    snt_fails(SN_IO, "cannot open", sn_motion_open(model, "lost", &motion, error));
    snt_fails(SN_IO, "cannot open", sn_motion_open(model, "lost.sinew.json", &motion, error));
    assert_null(motion);
    close_model(model, character, context);
}

static sn_status run_out(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_motion *motion = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_character_load(context, snt_scratch("d.sinew.json"), &character, error));
    SN_TRY(sn_model_create(character, NULL, &model, error));
    SN_TRY(sn_motion_open(model, "go", &motion, error));
cleanup:
    sn_motion_destroy(motion);
    sn_model_destroy(model);
    sn_character_destroy(character);
    return status;
}

static void survives_running_out_of_memory(void **state) {
    (void)state;
    write_document("motions.sinew.json", legs, swing);
    write_document("d.sinew.json", legs,
                   "'clips': {'go': {'file': 'motions.sinew.json', 'clip': 'swing'}}");
    snt_fail_allocations(run_out, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plays_clips_of_other_documents),
        cmocka_unit_test(retargets_by_names),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(survives_running_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
