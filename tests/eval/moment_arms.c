// SPDX-License-Identifier: Apache-2.0
//
// Moment arms in documents: a hinge with a muscle in front of it, by hand.
#include "../character/documents.h"

#include "sinew/eval.h"

#include <math.h>

// A thigh and a shin, 0.5 m long, without bones. Flexion is the control `knee`, in degrees.
#define SKELETON                                                                                   \
    "{'sinew': 1, 'name': 'leg', 'skeleton': {'upper': {'translation': [0, 1, 0]},\n"              \
    "'lower': {'parent': 'upper', 'translation': [0, -0.5, 0]},\n"                                 \
    "'foot': {'parent': 'lower', 'translation': [0, -0.5, 0]}},\n"
#define KNEE                                                                                       \
    "'controls': {'knee': {'low': -10, 'high': 150, 'unit': 'deg', 'usual': [0, 90]}},\n"          \
    "'synergies': [{'control': 'knee', 'spread': {'lower.rx_deg': 1}}],\n"
#define ATTACHED(segment, x, y, z) "{'segment': '" segment "', 'at': [" x ", " y ", " z "]}"
#define MUSCLE                                                                                     \
    "'muscles': {'vastus': {'kind': 'cylinder', 'width': 0.05, 'lift': 0,\n"                       \
    "'origins': [" ATTACHED("upper", "-0.01", "-0.1", "0.05") ", " ATTACHED(                       \
        "upper", "0.01", "-0.1",                                                                   \
        "0.05") "],\n"                                                                             \
                "'insertions': [" ATTACHED("lower", "-0.01", "-0.1", "0.05") ", " ATTACHED(        \
                    "lower", "0.01", "-0.1", "0.05") "]"
#define END "}}}"

typedef struct fixture {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
    sn_moment_arms *arms;
    sn_moment_arm values[64];
} fixture;

static void set_up(fixture *f, uint32_t threads, const char *text) {
    *f = (fixture){.context = snt_context(threads)};
    snt_ok(parse_quoted(f->context, "leg.sinew.json", text, &f->character, error));
    snt_ok(sn_model_create(f->character, NULL, &f->model, error));
    snt_ok(sn_frame_create(f->model, &f->frame, error));
    snt_ok(sn_moment_arms_create(f->model, NULL, 0, &f->arms, error));
}

static void tear_down(fixture *f) {
    sn_moment_arms_destroy(f->arms);
    sn_frame_destroy(f->frame);
    sn_model_destroy(f->model);
    sn_character_destroy(f->character);
    snt_context_end(f->context);
}

static void measure(fixture *f, const char *parameter, double value) {
    uint32_t count;
    sn_moment_arms_pairs(f->arms, &count);
    assert_true(count <= 64);
    snt_ok(sn_frame_set(f->frame, parameter, value, error));
    snt_ok(sn_frame_evaluate(f->frame, NULL, 0, error));
    snt_ok(sn_moment_arms_measure(f->arms, f->frame, f->values, error));
}

static sn_vec3 about_x(sn_vec3 p, double degrees) {
    double c = cos(degrees * SN_PI / 180), s = sin(degrees * SN_PI / 180);
    return sn_vec3_make(p.x, c * p.y - s * p.z, s * p.y + c * p.z);
}

// Relative to the knee: from (0, 0.4, 0.05) to (0, -0.1, 0.05), turned. dL/dq is the direction of
// the path times the velocity of its end, x cross the end.
static double straight_arm(double degrees) {
    sn_vec3 a = {0, 0.4, 0.05}, b = about_x(sn_vec3_make(0, -0.1, 0.05), degrees);
    sn_vec3 way = sn_vec3_normalize_or(sn_vec3_sub(b, a), sn_vec3_make(0, 0, 1));
    return -sn_vec3_dot(way, sn_vec3_cross(sn_vec3_make(1, 0, 0), b));
}

static void a_straight_muscle_has_the_lever_of_its_line(void **state) {
    (void)state;
    fixture f;
    uint32_t count;
    set_up(&f, 1, SKELETON KNEE MUSCLE END);
    const sn_coordinate *coordinates = sn_moment_arms_coordinates(f.arms, &count);
    assert_int_equal(count, 1);
    assert_string_equal(coordinates[0].name, "knee");
    assert_true(coordinates[0].parameter.usual_low == 0 &&
                coordinates[0].parameter.usual_high == 90);
    sn_moment_arms_pairs(f.arms, &count);
    assert_int_equal(count, 1);
    // Both ends of the range among them, where there is room to one side only.
    for (double knee = -10; knee <= 150; knee += 10) {
        measure(&f, "knee", knee);
        snt_near(f.values[0].arm, straight_arm(knee), 1e-8);
        assert_true(f.values[0].error < 1e-7);
    }
    tear_down(&f);
}

// Around a cylinder about the knee's axis the lever is its radius; the ellipsoid is straight.
static void a_wrapped_muscle_has_the_radius_for_a_lever(void **state) {
    (void)state;
    fixture f;
    set_up(&f, 1,
           SKELETON KNEE MUSCLE
           ", 'slices': 12, 'around': [{'segment': 'upper', 'slices': [4, 6],\n"
           "'cylinder': {'center': [0, -0.5, 0], 'rotation_deg': [0, -90, 0], 'radius': 0.06},\n"
           "'side': '+x'}]}, 'straight': {'kind': 'ellipsoid',\n"
           "'origin': " ATTACHED("upper", "0", "-0.1",
                                 "0.05") ",\n"
                                         "'insertion': " ATTACHED("lower", "0", "-0.1", "0.05")
                                             END);
    for (double knee = 20; knee <= 128; knee += 12) {
        measure(&f, "knee", knee);
        snt_near(f.values[0].arm, -0.06, 1e-8);
        snt_near(f.values[1].arm, straight_arm(knee), 1e-8);
    }
    tear_down(&f);
}

// A control that moves two joints, one of them through a driver: what it moves counts.
static void coupled_joints_count(void **state) {
    (void)state;
    fixture f;
    set_up(&f, 1,
           SKELETON
           "'controls': {'bend': {'low': 0, 'high': 1}, 'follow': {'low': -9, 'high': 9}},\n"
           "'synergies': [{'control': 'bend', 'spread': {'lower.rx_deg': 60}},\n"
           "{'control': 'follow', 'spread': {'lower.ty': 0.1}}],\n"
           "'drivers': [{'control': 'follow', 'parameter': 'bend',\n"
           "'curve': [[0, 0], [1, -0.5]]}],\n" MUSCLE END);
    // The shin turns by 60 degrees and goes down by 50 mm.
    const double step = 1e-5;
    for (double bend = 0.1; bend < 1; bend += 0.2) {
        double lengths[2];
        for (int k = 0; k < 2; ++k) {
            double at = bend + (k == 0 ? -step : step);
            sn_vec3 end = about_x(sn_vec3_make(0, -0.1, 0.05), 60 * at);
            end.y -= 0.05 * at;
            lengths[k] = sn_vec3_distance(sn_vec3_make(0, 0.4, 0.05), end);
        }
        measure(&f, "bend", bend);
        snt_near(f.values[0].arm, (lengths[0] - lengths[1]) / (2 * step), 1e-8);
    }
    tear_down(&f);
}

// A pivot that is switched at 60 degrees: on each side the arm is that of the side.
static void a_jump_is_no_lever(void **state) {
    (void)state;
    fixture f;
    set_up(&f, 1,
           SKELETON KNEE MUSCLE
           ", 'pivots': [{'slice': 4, 'segment': 'upper', 'at': [0, -0.5, 0.07],\n"
           "'use': 'range', 'parameter': 'knee', 'range': [20, 60]}]" END);
    static const double places[] = {59.999, 60, 60.001, 60.004};
    for (int i = 0; i < 4; ++i) {
        measure(&f, "knee", places[i]);
        assert_true(fabs(f.values[0].arm) < 0.12);
        assert_true(f.values[0].error < 1e-7);
        if (places[i] > 60) {
            snt_near(f.values[0].arm, straight_arm(places[i]), 1e-7);
        }
    }
    tear_down(&f);
}

// Joint parameters where no control moves joints: those with limits, else all angles that are free.
static void joint_parameters_are_coordinates(void **state) {
    (void)state;
    fixture f;
    uint32_t count;
    set_up(&f, 1, SKELETON MUSCLE END);
    sn_moment_arms_coordinates(f.arms, &count);
    assert_int_equal(count, 9);
    const sn_moment_pair *pairs = sn_moment_arms_pairs(f.arms, &count);
    assert_int_equal(count, 3); // of the knee alone
    assert_true(pairs[0].coordinate == 3);
    measure(&f, "lower.rx_deg", 35);
    snt_near(f.values[0].arm, straight_arm(35), 1e-8);
    tear_down(&f);
    set_up(&f, 1,
           "{'sinew': 1, 'name': 'leg', 'skeleton': {'upper': {'translation': [0, 1, 0]},\n"
           "'lower': {'parent': 'upper', 'translation': [0, -0.5, 0],\n"
           "'limits_deg': {'rx': [0, 120], 'ry': [0, 0]}}}, " MUSCLE END);
    const sn_coordinate *coordinates = sn_moment_arms_coordinates(f.arms, &count);
    assert_int_equal(count, 1);
    assert_string_equal(coordinates[0].name, "lower.rx_deg");
    measure(&f, "lower.rx_deg", 120);
    snt_near(f.values[0].arm, straight_arm(120), 1e-8);
    static const char *const names[] = {"lower.ry_deg", "elbow"};
    static const char *const messages[] = {"fixed at 0", "there is no parameter \"elbow\""};
    for (int i = 0; i < 2; ++i) {
        sn_moment_arms *arms;
        sn_error wrong = {0};
        assert_int_equal(sn_moment_arms_create(f.model, &names[i], 1, &arms, &wrong), SN_INVALID);
        assert_non_null(strstr(wrong.message, messages[i]));
    }
    tear_down(&f);
}

static void threads_give_the_same_bits(void **state) {
    (void)state;
    fixture one, four;
    set_up(&one, 1, SKELETON MUSCLE END);
    set_up(&four, 4, SKELETON MUSCLE END);
    for (int i = 0; i < 10; ++i) {
        measure(&one, "lower.ry_deg", 7 * i);
        measure(&four, "lower.ry_deg", 7 * i);
        assert_memory_equal(one.values, four.values, 3 * sizeof *one.values);
    }
    tear_down(&one);
    tear_down(&four);
}

static void a_usual_range_lies_within_the_whole(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = NULL;
    sn_error wrong = {0};
    sn_status status =
        parse_quoted(context, "leg.sinew.json",
                     SKELETON "'controls': {'knee': {'low': 0, 'high': 1, 'usual': [0, 2]}}}",
                     &character, &wrong);
    if (status == SN_OK) {
        status = sn_character_check(character, &wrong);
    }
    assert_int_equal(status, SN_INVALID);
    assert_non_null(strstr(wrong.message, "the usual range 0 to 2 is not within 0 to 1"));
    sn_character_destroy(character);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    fixture f = {.context = context};
    sn_status status = SN_OK;
    SN_TRY(parse_quoted(context, "leg.sinew.json", SKELETON KNEE MUSCLE END, &f.character, error));
    SN_TRY(sn_model_create(f.character, NULL, &f.model, error));
    SN_TRY(sn_frame_create(f.model, &f.frame, error));
    SN_TRY(sn_moment_arms_create(f.model, NULL, 0, &f.arms, error));
    SN_TRY(sn_moment_arms_measure(f.arms, f.frame, f.values, error));
cleanup:
    sn_moment_arms_destroy(f.arms);
    sn_frame_destroy(f.frame);
    sn_model_destroy(f.model);
    sn_character_destroy(f.character);
    return status;
}

static void survives_failing_allocations(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_straight_muscle_has_the_lever_of_its_line),
        cmocka_unit_test(a_wrapped_muscle_has_the_radius_for_a_lever),
        cmocka_unit_test(coupled_joints_count),
        cmocka_unit_test(a_jump_is_no_lever),
        cmocka_unit_test(joint_parameters_are_coordinates),
        cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(a_usual_range_lies_within_the_whole),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
