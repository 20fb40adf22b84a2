// SPDX-License-Identifier: Apache-2.0
//
// Tools: muscles drawn on the skin, mirror images, key poses.
#include "page.h"

#include <sys/wait.h>

// The curves of a triceps on the arm, and what else a file for `sinew muscle` can say.
#define CURVES                                                                                     \
    "'curves': [[[0.2444, 1.3427, -0.0535], [0.2879, 1.289, -0.0457], [0.369, 1.2409, -0.0385]], " \
    "[[0.2827, 1.3816, -0.0511], [0.336, 1.3368, -0.0443], [0.3845, 1.2564, -0.037]]]"
#define KEYS                                                                                       \
    CURVES ", 'skin': 'skin', 'segment': 'upper_arm', 'muscle_thickness': 0.012, 'bulge': 1.5, "   \
           "'group': 'arm', 'degree': 2, 'driver': {'parameter': 'forearm.rx_deg', 'curve': [[0, " \
           "0], [90, 0.4]]}"

// Runs `sinew` and fails the test where that fails.
static void run_program(const char *const *arguments) {
    pid_t child = fork();
    if (child == 0) {
        execv(SNT_PROGRAM, (char *const *)arguments);
        _exit(99);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void put_json(const char *path, const char *text) {
    char *copy = strdup(text);
    for (char *c = copy; *c != 0; ++c) {
        *c = *c == '\'' ? '"' : *c;
    }
    put_text(path, copy);
    free(copy);
}

static void a_drawn_muscle_is_that_of_the_program(void **state) {
    snt_page *p = *state;
    page_open_arm(p);
    char curves[2048], document[2048], expected[2048];
    snprintf(curves, sizeof curves, "%s", in_folder(p, "curves.json"));
    snprintf(document, sizeof document, "%s", in_folder(p, "arm.sinew.json"));
    snprintf(expected, sizeof expected, "%s", in_folder(p, "expected.sinew.json"));
    put_json(curves, "{" KEYS "}");
    const char *const arguments[] = {"sinew",  "muscle", document, "--curves", curves,
                                     "--name", "drawn",  "-o",     expected,   NULL};
    run_program(arguments);
    page_ok(p, "{'do': 'muscle_add', 'slot': 0, 'name': 'drawn', " KEYS "}");
    sn_json_destroy(page_saved(p, 0, "drawn.sinew.json"));
    assert_true(snt_same_bytes(in_folder(p, "drawn.sinew.json"), expected));
    page_ok(p, "{'do': 'undo', 'slot': 0}");
    sn_json_destroy(page_saved(p, 0, "undone.sinew.json"));
    assert_true(snt_same_bytes(in_folder(p, "undone.sinew.json"), document));
}

// What the model was made from is not read once more, which would hold everyone up: neither by the
// first muscle that is drawn nor by the next.
static void drawing_reads_no_file_again(void **state) {
    snt_page *p = *state;
    page_open_arm(p);
    sn_json_destroy(page_event(p, "model"));
    assert_int_equal(unlink(in_folder(p, "arm.glb")), 0);
    for (int i = 0; i < 3; ++i) {
        page_ok(p, "{'do': 'muscle_add', 'slot': 0, 'name': 'drawn %d', " KEYS "}", i);
        sn_json_destroy(page_event(p, "model"));
    }
}

static void rings_are_drawn(void **state) {
    snt_page *p = *state;
    page_open_arm(p);
    page_ok(p,
            "{'do': 'muscle_add', 'slot': 0, 'name': 'ring', " CURVES
            ", 'ends': 'closed', 'contraction': 'squeeze', 'center': [0.31, 1.31, -0.05], 'way': "
            "'straight', 'depth_from': null}");
    sn_json *saved = page_saved(p, 0, "ring.sinew.json");
    assert_string_equal(text_at(saved, "/muscles/ring/ends"), "closed");
    assert_string_equal(text_at(saved, "/muscles/ring/way"), "straight");
    assert_string_equal(text_at(saved, "/muscles/ring/contraction"), "squeeze");
    sn_json_destroy(saved);
}

// While a page draws, the muscle is made anew; all of it is one step.
static void drawing_replaces_what_was_drawn(void **state) {
    snt_page *p = *state;
    page_open_arm(p);
    page_ok(p, "{'do': 'muscle_add', 'slot': 0, 'name': 'drawn', " KEYS "}");
    sn_json_destroy(page_saved(p, 0, "expected.sinew.json"));
    page_ok(p, "{'do': 'undo', 'slot': 0}");
    for (int i = 0; i < 5; ++i) {
        page_ok(p,
                "{'do': 'muscle_add', 'slot': 0, 'name': 'drawn', 'merge': 'draw-1', 'curves': "
                "[[[0.2444, 1.3427, -0.0535], [0.2879, 1.289, -0.0457]], [[0.2827, 1.3816, "
                "-0.0511], [0.336, %g, -0.0443]]], 'segment': 'upper_arm'}",
                1.3368 + 0.001 * i);
    }
    page_ok(p, "{'do': 'muscle_add', 'slot': 0, 'name': 'drawn', 'merge': 'draw-1', " KEYS "}");
    sn_json_destroy(page_saved(p, 0, "drawn.sinew.json"));
    assert_true(
        snt_same_bytes(in_folder(p, "drawn.sinew.json"), in_folder(p, "expected.sinew.json")));
    // A wrong one in between changes nothing.
    page_fails(p, "expected 2 values",
               "{'do': 'muscle_add', 'slot': 0, 'name': 'drawn', 'merge': 'draw-1', 'curves': "
               "[[[0, 0, 0]]]}");
    sn_json_destroy(page_saved(p, 0, "drawn.sinew.json"));
    assert_true(
        snt_same_bytes(in_folder(p, "drawn.sinew.json"), in_folder(p, "expected.sinew.json")));
    page_ok(p, "{'do': 'undo', 'slot': 0}");
    sn_json_destroy(page_saved(p, 0, "undone.sinew.json"));
    assert_true(snt_same_bytes(in_folder(p, "undone.sinew.json"), in_folder(p, "arm.sinew.json")));
}

static void another_drawing_is_another_muscle(void **state) {
    snt_page *p = *state;
    page_open_arm(p);
    page_ok(p, "{'do': 'muscle_add', 'slot': 0, 'name': 'one', 'merge': 'draw-1', " CURVES "}");
    page_ok(p, "{'do': 'edit', 'slot': 0, 'label': 'x', 'ops': [{'path': '/about', 'value': "
               "'edited'}]}");
    // After another edit the drawing has ended: its name is taken.
    page_fails(p, "one",
               "{'do': 'muscle_add', 'slot': 0, 'name': 'one', 'merge': 'draw-1', " CURVES "}");
    page_ok(p, "{'do': 'muscle_add', 'slot': 0, 'name': 'two', 'merge': 'draw-2', " CURVES "}");
    sn_json *saved = page_saved(p, 0, "both.sinew.json");
    assert_non_null(sn_json_find(saved, "/muscles/one"));
    assert_non_null(sn_json_find(saved, "/muscles/two"));
    assert_string_equal(text_at(saved, "/about"), "edited");
    sn_json_destroy(saved);
}

static void wrong_drawings_are_refused(void **state) {
    snt_page *p = *state;
    page_open_arm(p);
    page_fails(p, "name", "{'do': 'muscle_add', 'slot': 0, " CURVES "}");
    page_fails(p, "curves", "{'do': 'muscle_add', 'slot': 0, 'name': 'x'}");
    page_fails(p, "expected",
               "{'do': 'muscle_add', 'slot': 0, 'name': 'x', 'curves': [[[0, 0]], [[0, 0, 0]]]}");
    page_fails(p, "unknown key",
               "{'do': 'muscle_add', 'slot': 0, 'name': 'x', 'colour': 3, " CURVES "}");
    page_fails(p, "from 0 to 100",
               "{'do': 'muscle_add', 'slot': 0, 'name': 'x', 'bulge': -3, " CURVES "}");
    page_fails(p, "biceps", "{'do': 'muscle_add', 'slot': 0, 'name': 'biceps', " CURVES "}");
    page_fails(p, "", "{'do': 'muscle_add', 'slot': 0, 'name': 'x', 'skin': 'none', " CURVES "}");
    page_fails(p, "mirror",
               "{'do': 'muscle_add', 'slot': 0, 'name': 'x', 'mirror': 'q', " CURVES "}");
    page_fails(p, "no document", "{'do': 'muscle_add', 'slot': 1, 'name': 'x', " CURVES "}");
    sn_json_destroy(page_saved(p, 0, "same.sinew.json"));
    assert_true(snt_same_bytes(in_folder(p, "same.sinew.json"), in_folder(p, "arm.sinew.json")));
}

#define CHEEK                                                                                      \
    "'name': 'cheek.L', 'segment': 'head', 'contraction': 'smile', 'curves': [[[0.06, 0.03, "      \
    "0.061], "                                                                                     \
    "[0.052, 0.0025, 0.0751], [0.044, -0.025, 0.0777]], [[0.07, 0.012, 0.0527], [0.061, -0.0125, " \
    "0.0651], [0.052, -0.037, 0.0664]]]"

static void muscles_are_mirrored(void **state) {
    snt_page *p = *state;
    copy_file(snt_source("docs/ball.sinew.json"), in_folder(p, "ball.sinew.json"));
    copy_file(snt_source("docs/ball.obj"), in_folder(p, "ball.obj"));
    page_ok(p, "{'do': 'open', 'slot': 0, 'path': '%s'}", in_folder(p, "ball.sinew.json"));
    page_ok(p, "{'do': 'muscle_add', 'slot': 0, " CHEEK "}");
    page_ok(p, "{'do': 'muscle_mirror', 'slot': 0, 'muscle': 'cheek.L', 'axis': 'x'}");
    sn_json *saved = page_saved(p, 0, "mirrored.sinew.json");
    assert_string_equal(text_at(saved, "/muscles/cheek.R/contraction"), "smile");
    snt_near(sn_value_number(sn_json_find(saved, "/muscles/cheek.R/curves/0/0/0"), 0), -0.06, 1e-3);
    sn_json_destroy(saved);
    page_ok(p, "{'do': 'undo', 'slot': 0}");
    page_ok(p, "{'do': 'undo', 'slot': 0}");
    // Both at once.
    page_ok(p, "{'do': 'muscle_add', 'slot': 0, 'mirror': {'axis': 'x', 'at': 0}, " CHEEK "}");
    sn_json_destroy(page_saved(p, 0, "both.sinew.json"));
    assert_true(
        snt_same_bytes(in_folder(p, "both.sinew.json"), in_folder(p, "mirrored.sinew.json")));
    page_fails(p, "axis", "{'do': 'muscle_mirror', 'slot': 0, 'muscle': 'cheek.L', 'axis': 'w'}");
    page_fails(p, "muscle", "{'do': 'muscle_mirror', 'slot': 0, 'axis': 'x'}");
    page_fails(p, "", "{'do': 'muscle_mirror', 'slot': 0, 'muscle': 'none.L', 'axis': 'x'}");
}

// ---------------------------------------------------------------------------------------------
// Key poses

static bool matches_model(const sn_value *message, const void *wanted) {
    return matches_event(message, "model") &&
           sn_value_number(sn_value_get(message, "revision"), 0) >= *(const double *)wanted;
}

static void wait_for_model(snt_page *p, double revision) {
    sn_json_destroy(page_wait(p, matches_model, &revision, "a model"));
}

// Where a vertex of the skin is with the forearm bent, in a document of the folder.
static sn_vec3 posed_vertex(snt_page *p, const char *name, double angle, uint32_t vertex) {
    snt_player player;
    sn_vec3 point = {0};
    player_open(p, &player, name, NULL);
    snt_ok(sn_frame_set(player.frame, "forearm.rx_deg", angle, error));
    snt_ok(sn_frame_evaluate(player.frame, NULL, 0, error));
    for (uint32_t i = 0; i < sn_model_surface_count(player.model); ++i) {
        if (sn_model_surface(player.model, i)->layer == SN_LAYER_SKIN) {
            point = sn_vec3_load(sn_frame_points(player.frame, i) + 3 * (size_t)vertex);
        }
    }
    player_close(&player);
    return point;
}

static void a_sculpted_pose_comes_back(void **state) {
    snt_page *p = *state;
    page_open_arm(p);
    wait_for_model(p, 0);
    page_ok(p, "{'do': 'clip', 'slot': 0, 'name': null}");
    page_ok(p, "{'do': 'hold', 'slot': 0, 'values': {'forearm.rx_deg': 80}}");
    sn_vec3 before = posed_vertex(p, "arm.sinew.json", 80, 700);
    sn_json *answer =
        page_call(p,
                  "{'do': 'key_pose', 'slot': 0, 'skin': 'skin', 'follows': 'forearm.rx_deg', "
                  "'points': {'700': [%.9g, %.9g, %.9g]}}",
                  before.x + 0.01, before.y, before.z);
    if (error_of(answer) != NULL) {
        fail_msg("%s", error_of(answer));
    }
    snt_near(sn_value_number(sn_json_find(answer, "/ok/at"), 0), 80, 1e-9);
    assert_int_equal(sn_value_number(sn_json_find(answer, "/ok/changed"), 0), 1);
    double revision = sn_value_number(sn_json_find(answer, "/ok/revision"), 0);
    sn_json_destroy(answer);
    sn_json_destroy(page_saved(p, 0, "key.sinew.json"));
    sn_vec3 after = posed_vertex(p, "key.sinew.json", 80, 700);
    snt_near(after.x, before.x + 0.01, 1e-5);
    snt_near(after.y, before.y, 1e-5);
    snt_near(after.z, before.z, 1e-5);
    wait_for_model(p, revision);
    page_fails(p, "no vertex",
               "{'do': 'key_pose', 'slot': 0, 'follows': 'forearm.rx_deg', 'points': {'x': [0, 0, "
               "0]}}");
    page_fails(p, "no vertex",
               "{'do': 'key_pose', 'slot': 0, 'follows': 'forearm.rx_deg', 'points': {'9999999': "
               "[0, 0, 0]}}");
    page_fails(p, "points", "{'do': 'key_pose', 'slot': 0, 'follows': 'forearm.rx_deg'}");
    page_fails(p, "no skin",
               "{'do': 'key_pose', 'slot': 0, 'skin': 'none', 'follows': 'forearm.rx_deg', "
               "'points': {'1': [0, 0, 0]}}");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        page_test(a_drawn_muscle_is_that_of_the_program),
        page_test(drawing_reads_no_file_again),
        page_test(rings_are_drawn),
        page_test(drawing_replaces_what_was_drawn),
        page_test(another_drawing_is_another_muscle),
        page_test(wrong_drawings_are_refused),
        page_test(muscles_are_mirrored),
        page_test(a_sculpted_pose_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
