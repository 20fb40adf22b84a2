// SPDX-License-Identifier: Apache-2.0
//
// Fibre muscles as documents use them: several on one bone, between plates that leave no room,
// keyed and driven, wound around a bone.
#include "toy.h"

typedef struct subject {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_motion *motion;
    sn_frame *frame;
} subject;

static subject open_text(const char *text) {
    subject s = {.context = snt_context(1)};
    snt_ok(parse_quoted(s.context, "fibres.sinew.json", text, &s.character, error));
    snt_ok(sn_model_create(s.character, NULL, &s.model, error));
    snt_ok(sn_motion_open(s.model, "go", &s.motion, error));
    snt_ok(sn_frame_create(s.model, &s.frame, error));
    return s;
}

static void end_subject(subject *s) {
    sn_frame_destroy(s->frame);
    sn_motion_destroy(s->motion);
    sn_model_destroy(s->model);
    sn_character_destroy(s->character);
    snt_context_end(s->context);
}

static sn_muscle_state state_at(subject *s, uint32_t number, const char *muscle) {
    sn_muscle_state state;
    snt_ok(sn_frame_evaluate(s->frame, s->motion, number, error));
    assert_true(sn_frame_muscle_state(s->frame, sn_model_find_surface(s->model, muscle), &state));
    return state;
}

// --- Several muscles on one bone

// Four muscles beside each other, half of each in the next one at rest, on an arm that swings by 20
// degrees to both sides twice a second, and stops after two seconds.
static const char together[] =
    "{'sinew': 1, 'name': 'four', 'skeleton': {'root': {},\n"
    "'arm': {'parent': 'root', 'translation': [0, 1, 0]}},\n"
    "'bones': {'rod': {'tube': {'points': [[0, 0, 0], [0, -0.3, 0]], 'radii': [0.012, 0.012]},\n"
    "'segment': 'arm'}},\n"
    "'muscles': {'a': {'kind': 'fibre', 'origins': [{'segment': 'arm', 'at': [-0.03, -0.06, "
    "0.03]}],\n"
    "'insertions': [{'segment': 'arm', 'at': [-0.022, -0.24, 0.03]}], 'width': 0.03,\n"
    "'touches': [%s]},\n"
    "'b': {'kind': 'fibre', 'origins': [{'segment': 'arm', 'at': [-0.01, -0.06, 0.03]}],\n"
    "'insertions': [{'segment': 'arm', 'at': [-0.007, -0.24, 0.03]}], 'width': 0.03,\n"
    "'touches': [%s]},\n"
    "'c': {'kind': 'fibre', 'origins': [{'segment': 'arm', 'at': [0.01, -0.06, 0.03]}],\n"
    "'insertions': [{'segment': 'arm', 'at': [0.007, -0.24, 0.03]}], 'width': 0.03,\n"
    "'touches': [%s]},\n"
    "'d': {'kind': 'fibre', 'origins': [{'segment': 'arm', 'at': [0.03, -0.06, 0.03]}],\n"
    "'insertions': [{'segment': 'arm', 'at': [0.022, -0.24, 0.03]}], 'width': 0.03,\n"
    "'touches': ['rod']}},\n"
    "'clips': {'go': {'rate': 30, 'frames': 121, 'tracks': {'arm.rx_deg': {'interpolation': "
    "'smooth',\n"
    "'keys': [[0, 0], [0.25, 20], [0.5, -20], [0.75, 20], [1, -20], [1.25, 20], [1.5, -20],\n"
    "[1.75, 20], [2, 0]]}}}}}";

// The largest swing of each muscle, and those at the end, in metres.
static void swing(const char *a, const char *b, const char *c, double most[4], double last[4]) {
    static const char *const names[4] = {"a", "b", "c", "d"};
    char text[4096];
    snprintf(text, sizeof text, together, a, b, c);
    subject s = open_text(text);
    for (uint32_t n = 0; n <= 120; ++n) {
        for (int i = 0; i < 4; ++i) {
            last[i] = state_at(&s, n, names[i]).swing;
            most[i] = n == 0 ? 0 : fmax(most[i], last[i]);
        }
    }
    end_subject(&s);
}

// Pushes do not throw muscles about: beside each other they swing as far as alone, and come to
// rest.
static void muscles_on_one_bone_swing_as_one(void **state) {
    (void)state;
    double alone[4], most[4], last[4];
    swing("", "", "", alone, last);
    assert_true(alone[1] > 0.01 && alone[1] < 0.05);
    swing("'rod', 'b'", "'rod', 'c'", "'rod', 'd'", most, last);
    for (int i = 0; i < 4; ++i) {
        assert_true(most[i] < 1.3 * alone[i] && most[i] > 0.5 * alone[i]);
        assert_true(last[i] < 2e-4);
    }
}

// --- No room

// Two plates that close upon one of two muscles.
static const char squeezed[] =
    "{'sinew': 1, 'name': 'press', 'skeleton': {'root': {},\n"
    "'plate': {'parent': 'root'}, 'end': {'parent': 'root'}},\n"
    "'bones': {'wall': {'ellipsoid': {'center': [0, 0, -0.04], 'radii': [0.3, 0.3, 0.03]},\n"
    "'segment': 'root'},\n"
    "'press': {'ellipsoid': {'center': [0, 0, 0.06], 'radii': [0.3, 0.3, 0.03]},\n"
    "'segment': 'plate'}},\n"
    "'muscles': {'one': {'kind': 'fibre', 'origins': [{'segment': 'root', 'at': [0, -0.15, 0]}],\n"
    "'insertions': [{'segment': 'end', 'at': [0, 0.15, 0]}], 'width': 0.04,\n"
    "'touches': ['wall', 'press']},\n"
    "'two': {'kind': 'fibre', 'origins': [{'segment': 'root', 'at': [0.5, -0.15, 0]}],\n"
    "'insertions': [{'segment': 'end', 'at': [0.5, 0.15, 0]}], 'width': 0.04}},\n"
    "'clips': {'go': {'rate': 30, 'tracks': {'plate.tz': {'keys': [[0, 0], [1, -0.035]]}}}}}";

static void the_report_names_a_muscle_without_room(void **state) {
    (void)state;
    subject s = open_text(squeezed);
    sn_report *report = NULL;
    snt_ok(sn_report_create(s.model, &report, error));
    for (uint32_t n = 0; n <= 30; ++n) {
        sn_muscle_state one = state_at(&s, n, "one");
        assert_true(one.length < 2 * one.rest_length);
        snt_ok(sn_report_add(report, s.frame, n, error));
    }
    const char *path = snt_scratch("press.json");
    snt_ok(sn_report_save(report, path, error));
    size_t size;
    char *bytes = read_bytes(path, &size);
    sn_json *json = NULL;
    snt_ok(sn_json_parse(s.context, bytes, size, &json, error));
    const sn_value *one = sn_json_find(json, "/summary/muscles/one");
    assert_non_null(
        strstr(sn_value_string(sn_value_get(one, "trouble"), ""), "one: it has no room"));
    double first = sn_value_number(sn_value_get(one, "trouble_frame"), 0);
    double frames = sn_value_number(sn_value_get(one, "trouble_frames"), 0);
    assert_true(first > 3 && frames > 3 && first + frames <= 31);
    assert_null(sn_json_find(json, "/summary/muscles/two/trouble"));
    assert_null(sn_json_find(json, "/frames/0/muscles/one/trouble"));
    char place[64];
    snprintf(place, sizeof place, "/frames/%.0f/muscles/one/trouble", first);
    assert_non_null(sn_json_find(json, place));
    state_at(&s, (uint32_t)first, "one");
    const char *text = sn_frame_muscle_trouble(s.frame, sn_model_find_surface(s.model, "one"));
    assert_non_null(text);
    assert_non_null(strstr(text, "one: it has no room between what it touches"));
    assert_null(sn_frame_muscle_trouble(s.frame, sn_model_find_surface(s.model, "two")));
    assert_null(sn_frame_muscle_trouble(s.frame, sn_model_find_surface(s.model, "wall")));
    sn_json_destroy(json);
    free(bytes);
    sn_report_destroy(report);
    end_subject(&s);
}

// --- Winding

// The lower end of a muscle is thrown once around the bone that it lies on, and `by` degrees on.
static const char wound[] =
    "{'sinew': 1, 'name': 'wound', 'skeleton': {'root': {}, 'end': {'parent': 'root'}},\n"
    "'bones': {'rod': {'tube': {'points': [[0, 0.02, 0], [0, -0.32, 0]], 'radii': [0.025, "
    "0.025]},\n"
    "'segment': 'root'}},\n"
    "'muscles': {'one': {'kind': 'fibre', 'origins': [{'segment': 'root', 'at': [0, 0, 0.045]}],\n"
    "'insertions': [{'segment': 'end', 'at': [0, -0.3, 0.045]}], 'width': 0.03,\n"
    "'particles': 40, 'touches': ['rod']}},\n"
    "'clips': {'go': {'rate': 30, 'frames': 151, 'tracks': {'end.ry_deg': {'keys':\n"
    "[[0, 0], [1.5, %d], [2, %d]]}}}}}";

static void a_muscle_does_not_stay_wound(void **state) {
    (void)state;
    for (int turns = -1; turns <= 2; turns += 3) {
        char text[4096];
        snprintf(text, sizeof text, wound, 360 * turns, 360 * turns);
        subject s = open_text(text);
        uint32_t told = 0;
        for (uint32_t n = 0; n <= 150; ++n) {
            sn_muscle_state now = state_at(&s, n, "one");
            assert_true(now.length < 3 * now.rest_length);
            const char *trouble =
                sn_frame_muscle_trouble(s.frame, sn_model_find_surface(s.model, "one"));
            told += trouble != NULL && strstr(trouble, "one: it was wound around a bone") != NULL;
        }
        sn_muscle_state last = state_at(&s, 150, "one");
        assert_true(last.swing < 0.005 * last.rest_length);
        assert_int_equal(told, 1);
        end_subject(&s);
    }
}

// What a body does is left alone: a third of a turn, and back.
static void a_muscle_that_bends_around_a_bone_is_left_alone(void **state) {
    (void)state;
    char text[4096];
    snprintf(text, sizeof text, wound, 150, 150);
    subject s = open_text(text);
    for (uint32_t n = 0; n <= 150; ++n) {
        sn_muscle_state now = state_at(&s, n, "one");
        assert_true(now.length < 1.3 * now.rest_length);
        assert_null(sn_frame_muscle_trouble(s.frame, sn_model_find_surface(s.model, "one")));
    }
    end_subject(&s);
}

// --- Jumps

// A clip whose first frame is another pose: the arm is down at once, at any rate. The muscle is
// where the pose has it, and what comes then moves it as ever.
static const char t_pose[] =
    "{'sinew': 1, 'name': 'jump', 'skeleton': {'root': {},\n"
    "'arm': {'parent': 'root', 'translation': [0.1, 0, 0]}},\n"
    "'muscles': {'one': {'kind': 'fibre', 'origins': [{'segment': 'root', 'at': [0, 0, 0.03]}],\n"
    "'insertions': [{'segment': 'arm', 'at': [0.2, 0, 0.03]}], 'width': 0.03}},\n"
    "'clips': {'go': {'rate': %d, 'tracks': {'arm.rz_deg': {'interpolation': 'linear', 'keys':\n"
    "[[0, 0], [%g, -90], [0.5, -90], [0.7, -30], [0.9, -90], [2, -90]]},\n"
    "'root.tz': {'keys': [[0, 0], [2, 6]]}}}}}"; // it goes on at 3 m/s

static void a_pose_that_jumps_throws_nothing(void **state) {
    (void)state;
    static const int rates[4] = {24, 30, 60, 120};
    for (int r = 0; r < 4; ++r) {
        char text[4096];
        snprintf(text, sizeof text, t_pose, rates[r], 1.0 / rates[r]);
        subject s = open_text(text);
        double early = 0, late = 0;
        for (uint32_t n = 0; n <= 2 * (uint32_t)rates[r]; ++n) {
            sn_muscle_state now = state_at(&s, n, "one");
            bool is_early = n < 0.45 * rates[r];
            early = is_early ? fmax(early, now.swing) : early;
            late = is_early ? late : fmax(late, now.swing);
        }
        assert_true(early < 0.02 * 0.3);
        assert_true(late > 0.005 && late < 0.1); // 300 degrees a second are no jump
        end_subject(&s);
    }
}

// --- Keys and drivers

// An elbow that is bent by 90 degrees from 0.2 s to some time after; what activates the muscle is
// told by `how`.
static const char bent[] =
    "{'sinew': 1, 'name': 'bent', 'skeleton': {'root': {},\n"
    "'fore': {'parent': 'root', 'translation': [0, -0.3, 0]}},\n"
    "'controls': {'flex': {}, 'wide': {'low': 0.02, 'high': 0.1, 'value': 0.04},\n"
    "'stiff': {'low': 0.05, 'high': 0.95, 'value': 0.4}},\n"
    "'muscles': {'one': {'kind': 'fibre', 'origins': [{'segment': 'root', 'at': [0, 0, 0.03]}],\n"
    "'insertions': [{'segment': 'fore', 'at': [0, -0.06, 0.02]}], 'touches': [], %s}},\n"
    "'drivers': [%s],\n"
    "'clips': {'go': {'rate': 120, 'frames': 241, 'tracks': {\n"
    "'wide': {'keys': [[0, 0.04], [2, 0.08]]}, 'stiff': {'keys': [[0, 0.7], [2, 0.9]]},\n"
    "'fore.rx_deg': {'keys': [[0, 0], [0.2, 0], [%g, -90], [2, -90]]}}}}}";

static subject open_bent(const char *muscle, const char *drivers, double bent_at) {
    char text[4096];
    snprintf(text, sizeof text, bent, muscle, drivers, bent_at);
    return open_text(text);
}

// With a time constant of 0.2 s it has come to 1 - exp(-1) of its target 0.2 s later, and to
// 1 - exp(-4) after 0.8 s, but for the frame in which the target rises.
static void assert_smooth(subject *s, double target) {
    assert_true(state_at(s, 24, "one").activation < 1e-6);
    double early = state_at(s, 48, "one").activation, late = state_at(s, 120, "one").activation;
    assert_true(fabs(early / target - (1 - exp(-1))) < 0.02);
    assert_true(fabs(late / target - (1 - exp(-4))) < 0.005);
}

static void a_joint_angle_activates_it_smoothly(void **state) {
    (void)state;
    subject s = open_bent("'width': 0.04, 'activated_by': 'controls', 'tension': 'flex', "
                          "'smoothing': 0.2",
                          "{'control': 'flex', 'parameter': 'fore.rx_deg', "
                          "'curve': [[-180, 1.6], [0, 0]]}",
                          0.2001);
    assert_smooth(&s, 0.8);
    end_subject(&s);
}

static void its_length_activates_it_smoothly(void **state) {
    (void)state;
    subject s = open_bent("'width': 0.04, 'activated_by': 'length', 'flexed_length': 0.7, "
                          "'smoothing': 0.2",
                          "", 0.2001);
    sn_muscle_state rest = state_at(&s, 0, "one");
    sn_muscle_state done = state_at(&s, 240, "one");
    // From end to end: the insertion is 0.06 m from a joint that has turned by -90 degrees about x.
    double length = hypot(-0.3 + 0.02, 0.06 - 0.03);
    double flexed = (1 - length / rest.rest_length) / 0.3;
    assert_true(fabs(done.activation - flexed) < 1e-3);
    assert_true(flexed > 0.1 && flexed < 0.95);
    assert_smooth(&s, flexed);
    end_subject(&s);
}

// Twice as wide and as thick is four times the volume; what is stiffer swings less.
static void keyed_parameters_count_in_each_frame(void **state) {
    (void)state;
    subject s = open_bent("'width': 0.04, 'volume': 'exact', 'driven': {'width': 'wide'}", "", 0.3);
    double volumes[3];
    for (uint32_t i = 0; i < 3; ++i) {
        volumes[i] = state_at(&s, 120 * i, "one").volume;
    }
    assert_true(fabs(volumes[1] / volumes[0] - 2.25) < 1e-4);
    assert_true(fabs(volumes[2] / volumes[0] - 4) < 1e-4);
    end_subject(&s);
    double sum[2] = {0, 0};
    for (int stiff = 0; stiff < 2; ++stiff) {
        s = open_bent(stiff ? "'width': 0.04, 'stiffness': 0.1, 'driven': {'stiffness': 'stiff'}"
                            : "'width': 0.04, 'stiffness': 0.1",
                      "", 0.3);
        for (uint32_t n = 24; n <= 240; ++n) {
            sum[stiff] += state_at(&s, n, "one").swing;
        }
        end_subject(&s);
    }
    assert_true(sum[1] < 0.7 * sum[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(muscles_on_one_bone_swing_as_one),
        cmocka_unit_test(the_report_names_a_muscle_without_room),
        cmocka_unit_test(a_muscle_does_not_stay_wound),
        cmocka_unit_test(a_muscle_that_bends_around_a_bone_is_left_alone),
        cmocka_unit_test(a_pose_that_jumps_throws_nothing),
        cmocka_unit_test(a_joint_angle_activates_it_smoothly),
        cmocka_unit_test(its_length_activates_it_smoothly),
        cmocka_unit_test(keyed_parameters_count_in_each_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
