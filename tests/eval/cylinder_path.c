// SPDX-License-Identifier: Apache-2.0
//
// What muscles between bones go over in documents: pivots that parameters switch and move.
#include "../character/documents.h"

#include "sinew/eval.h"

#include <math.h>

// A thigh and a shin, 0.5 m long, without bones; a muscle in front of them over one pivot.
#define SKELETON                                                                                   \
    "{'sinew': 1, 'name': 'leg', 'skeleton': {'upper': {'translation': [0, 1, 0]},\n"              \
    "'lower': {'parent': 'upper', 'translation': [0, -0.5, 0]}},\n"                                \
    "'controls': {'knee': {'low': -10, 'high': 150}},\n"                                           \
    "'synergies': [{'control': 'knee', 'spread': {'lower.rx_deg': 1}}],\n"
#define ENDS                                                                                       \
    "'muscles': {'vastus': {'kind': 'cylinder', 'width': 0.05, 'lift': 0,\n"                       \
    "'origins': [{'segment': 'upper', 'at': [-0.01, -0.1, 0.05]},\n"                               \
    "{'segment': 'upper', 'at': [0.01, -0.1, 0.05]}],\n"                                           \
    "'insertions': [{'segment': 'lower', 'at': [-0.01, -0.1, 0.05]},\n"                            \
    "{'segment': 'lower', 'at': [0.01, -0.1, 0.05]}],\n"
#define PIVOT "'pivots': [{'slice': 4, 'segment': 'upper', 'at': [0, -0.5, 0.07]"
#define END "}]}}}"

typedef struct fixture {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
} fixture;

static void set_up(fixture *f, const char *text) {
    *f = (fixture){.context = snt_context(1)};
    snt_ok(parse_quoted(f->context, "leg.sinew.json", text, &f->character, error));
    snt_ok(sn_model_create(f->character, NULL, &f->model, error));
    snt_ok(sn_frame_create(f->model, &f->frame, error));
}

static void tear_down(fixture *f) {
    sn_frame_destroy(f->frame);
    sn_model_destroy(f->model);
    sn_character_destroy(f->character);
    snt_context_end(f->context);
}

// The middle of a slice of 8 points at an angle of the knee.
static sn_vec3 middle(fixture *f, double knee, uint32_t slice) {
    snt_ok(sn_frame_set(f->frame, "knee", knee, error));
    snt_ok(sn_frame_evaluate(f->frame, NULL, 0, error));
    const float *points = sn_frame_points(f->frame, 0) + 24 * (size_t)slice;
    return sn_vec3_lerp(sn_vec3_load(points), sn_vec3_load(points + 12), 0.5);
}

static double from_pivot(fixture *f, double knee) {
    return sn_vec3_distance(middle(f, knee, 4), sn_vec3_make(0, 0.5, 0.07));
}

// The pivot is used from 20 to 60 degrees, both included; else the slice stands on the straight
// way, four sevenths of it down.
static void a_parameter_switches_a_pivot(void **state) {
    (void)state;
    static const char *const parameters[] = {"knee", "lower.rx_deg"};
    for (int k = 0; k < 2; ++k) {
        char text[2048];
        fixture f;
        snprintf(text, sizeof text, "%s'use': 'range', 'parameter': '%s', 'range': [20, 60]" END,
                 SKELETON ENDS PIVOT ", ", parameters[k]);
        set_up(&f, text);
        snt_near(from_pivot(&f, 20), 0, 1e-6);
        snt_near(from_pivot(&f, 41), 0, 1e-6);
        snt_near(from_pivot(&f, 60), 0, 1e-6);
        static const double outside[] = {-5, 0, 19.99, 60.01, 120};
        for (int i = 0; i < 5; ++i) {
            sn_vec3 center = middle(&f, outside[i], 4);
            sn_vec3 first = middle(&f, outside[i], 0), last = middle(&f, outside[i], 7);
            snt_near(sn_vec3_distance(center, sn_vec3_lerp(first, last, 4.0 / 7)), 0, 1e-6);
        }
        tear_down(&f);
    }
}

// x by a line, z by the spline through points of z = 0.07 + k^2 / 100000, y as it stands.
static void parameters_move_a_pivot(void **state) {
    (void)state;
    fixture f;
    set_up(&f, SKELETON ENDS PIVOT
           ", 'moves': {'x': {'parameter': 'lower.rx', 'curve': [[0, 0], [2, 0.02]]},\n"
           "'z': {'parameter': 'knee', 'curve': [[0, 0.07], [10, 0.071], [30, 0.079], [100, 0.17]]"
           ",\n'interpolation': 'spline'}}" END);
    for (double knee = -10; knee <= 100; knee += 7.5) {
        double radians = knee * 3.14159265358979323846 / 180;
        double z = 0.07 + knee * knee / 100000;
        sn_vec3 expected = {fmin(fmax(radians, 0), 2) / 100, 0.5, knee < 0 ? 0.07 : z};
        snt_near(sn_vec3_distance(middle(&f, knee, 4), expected), 0, 1e-6);
    }
    tear_down(&f);
}

// The same in units of the segment's size, twice as large in a body twice as large.
static void moves_are_measured_as_the_pivot_is(void **state) {
    (void)state;
    for (int k = 1; k <= 2; ++k) {
        fixture f;
        char text[2048];
        snprintf(text, sizeof text,
                 "%s'proportions': {'upper': %d}, %s'pivots': [{'slice': 4, 'segment': 'upper',\n"
                 "'at': [0, -1, 7], 'frame': 'size', 'moves': {'z': {'parameter': 'knee',\n"
                 "'curve': [[0, 0.1], [100, 0.3]]}}" END,
                 SKELETON, k, ENDS);
        set_up(&f, text);
        sn_vec3 expected = {0, 1 - 0.5 * k, 0.1 * k};
        snt_near(sn_vec3_distance(middle(&f, 50, 4), expected), 0, 1e-6);
        tear_down(&f);
    }
}

// A model whose muscle was edited has the new pivot, and nothing is left of the old one.
static void an_edited_pivot_is_a_new_one(void **state) {
    (void)state;
    fixture f;
    set_up(&f, SKELETON ENDS PIVOT ", 'use': 'range', 'parameter': 'knee', 'range': [20, 60]" END);
    sn_json *json = sn_character_document(f.character);
    sn_value *range = (sn_value *)sn_json_find(json, "/muscles/vastus/pivots/0/range");
    range->as.children.items[1]->as.number = 90;
    snt_ok(sn_model_update_muscle(f.model, "vastus", error));
    snt_near(from_pivot(&f, 80), 0, 1e-6);
    tear_down(&f);
}

typedef struct wrong {
    const char *text, *message;
} wrong;

static const wrong wrongs[] = {
    {SKELETON ENDS PIVOT ", 'use': 'range', 'parameter': 'knee', 'range': [60, 20]" END,
     "/muscles/vastus/pivots/0/range: the lower end 60 is above the upper end 20"},
    {SKELETON ENDS PIVOT ", 'use': 'range', 'parameter': 'kne', 'range': [20, 60]" END,
     "/muscles/vastus/pivots/0/parameter: there is no parameter \"kne\"; did you mean \"knee\"?"},
    {SKELETON ENDS PIVOT ", 'use': 'range', 'range': [20, 60]" END,
     "/muscles/vastus/pivots/0: a pivot that is used in a range needs \"parameter\" and \"range\""},
    {SKELETON ENDS PIVOT ", 'parameter': 'knee', 'range': [20, 60]" END,
     "/muscles/vastus/pivots/0/parameter: only a pivot with \"use\": \"range\" has a parameter"},
    {SKELETON ENDS PIVOT ", 'moves': {'x': {'parameter': 'lower.rq', 'curve': [[0, 0]]}}" END,
     "/muscles/vastus/pivots/0/moves/x/parameter: a segment has no parameter \"rq\""},
    {SKELETON ENDS PIVOT ", 'moves': {'x': {'parameter': 'knee', 'curve': [[1, 0], [1, 2]]}}" END,
     "/muscles/vastus/pivots/0/moves/x/curve/1: 1 does not come after 1"},
    {SKELETON ENDS PIVOT ", 'moves': {'w': {'parameter': 'knee', 'curve': [[1, 0]]}}" END,
     "/muscles/vastus/pivots/0/moves/w: unknown key"},
};

static void bad_documents_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; ++i) {
        fixture f = {.context = snt_context(1)};
        sn_error error = {0};
        char text[1024];
        sn_status status =
            parse_quoted(f.context, "leg.sinew.json", wrongs[i].text, &f.character, &error);
        if (status == SN_OK) {
            status = sn_model_create(f.character, NULL, &f.model, &error);
        }
        sn_error_format(&error, text, sizeof text);
        assert_int_equal(status, SN_INVALID);
        if (strstr(text, wrongs[i].message) == NULL) {
            fail_msg("document %zu: expected \"%s\", found \"%s\"", i, wrongs[i].message, text);
        }
        sn_character_destroy(f.character);
        snt_context_end(f.context);
    }
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    fixture f = {.context = context};
    sn_status status = SN_OK;
    SN_TRY(parse_quoted(context, "leg.sinew.json",
                        SKELETON ENDS PIVOT
                        ", 'use': 'range', 'parameter': 'knee', 'range': [20, 60], 'moves': {'x':\n"
                        "{'parameter': 'knee', 'curve': [[0, 0], [1, 2], [3, 2], [4, 0]],\n"
                        "'interpolation': 'spline'}}" END,
                        &f.character, error));
    SN_TRY(sn_model_create(f.character, NULL, &f.model, error));
    SN_TRY(sn_frame_create(f.model, &f.frame, error));
    SN_TRY(sn_frame_evaluate(f.frame, NULL, 0, error));
cleanup:
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
        cmocka_unit_test(a_parameter_switches_a_pivot),
        cmocka_unit_test(parameters_move_a_pivot),
        cmocka_unit_test(moves_are_measured_as_the_pivot_is),
        cmocka_unit_test(an_edited_pivot_is_a_new_one),
        cmocka_unit_test(bad_documents_are_refused),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
