// SPDX-License-Identifier: Apache-2.0
//
// What muscles between bones go over in documents: pivots that parameters switch and move, bodies.
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

static double length_of(fixture *f) {
    sn_report *report = NULL;
    sn_json *json = NULL;
    size_t size;
    const char *path = snt_scratch("cylinder_path.json");
    snt_ok(sn_report_create(f->model, &report, error));
    snt_ok(sn_report_add(report, f->frame, 0, error));
    snt_ok(sn_report_save(report, path, error));
    sn_report_destroy(report);
    char *text = read_bytes(path, &size);
    snt_ok(sn_json_parse(f->context, text, size, &json, error));
    const sn_value *length = sn_json_find(json, "/frames/0/muscles/vastus/length");
    double value = sn_value_number(length, -1);
    sn_json_destroy(json);
    free(text);
    return value;
}

// Around a cylinder across the knee, whose z axis is turned to the side and whose x axis to the
// front. Ends are (0.4, 0.05) above and in front of it and (0.1, 0.05) below, turned by the knee.
// In units of the segment's size, 0.5 m, it is the same.
static void goes_around_a_body(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "'cylinder': {'center': [0, -0.5, 0], 'rotation_deg': [0, -90, 0], 'radius': 0.06,\n"
        "'length': 0.1}, 'side': '+x'",
        "'cylinder': {'center': [0, -1, 0], 'rotation_deg': [0, -90, 0], 'radius': 0.12},\n"
        "'side': '+x', 'frame': 'size'",
        "'sphere': {'center': [0, -0.5, 0], 'radius': 0.06}, 'side': '+z'",
        "'ellipsoid': {'center': [0, -0.5, 0], 'radii': [0.1, 0.06, 0.06]}, 'side': '+z'"};
    for (int k = 0; k < 4; ++k) {
        char text[2048];
        fixture f;
        snprintf(text, sizeof text,
                 SKELETON ENDS "'around': [{'segment': 'upper', 'slices': [3, 5], %s}]}}}",
                 bodies[k]);
        set_up(&f, text);
        for (double knee = 0; knee <= 90; knee += 15) {
            sn_vec3 center = middle(&f, knee, 4);
            double radius = 0.06, up = hypot(0.4, 0.05), down = hypot(0.1, 0.05);
            double angle = 3.14159265358979323846 * (1 + knee / 180) - atan2(0.05, 0.4) -
                           atan2(0.05, 0.1) - acos(radius / up) - acos(radius / down);
            double expected = sqrt(up * up - radius * radius) +
                              sqrt(down * down - radius * radius) + radius * angle;
            assert_true(angle > 0);
            snt_near(length_of(&f), expected, 1e-6);
            if (knee >= 30) {
                snt_near(hypot(center.y - 0.5, center.z), radius, 1e-6);
            }
        }
        tear_down(&f);
    }
}

// Takes over an edit of the document into model and frame.
static void recompile(fixture *f) {
    sn_model *model = NULL;
    snt_ok(sn_model_recompile(f->character, f->model, NULL, &model, error));
    sn_frame_destroy(f->frame);
    sn_model_destroy(f->model);
    f->model = model;
    snt_ok(sn_frame_create(model, &f->frame, error));
}

// A model whose muscle was edited has the new pivot, and nothing is left of the old one.
static void an_edited_pivot_is_a_new_one(void **state) {
    (void)state;
    fixture f;
    set_up(&f, SKELETON ENDS PIVOT ", 'use': 'range', 'parameter': 'knee', 'range': [20, 60]" END);
    sn_json *json = sn_character_document(f.character);
    sn_value *range = (sn_value *)sn_json_find(json, "/muscles/vastus/pivots/0/range");
    range->as.children.items[1]->as.number = 90;
    recompile(&f);
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

#define AROUND(slices, body)                                                                       \
    SKELETON ENDS "'around': [{'segment': 'upper', 'slices': " slices ", " body "}]}}}"

static const wrong wrong_bodies[] = {
    {AROUND("[3, 5]", "'side': '+x'"), "/muscles/vastus/around/0: a wrap object is a \"cylinder\", "
                                       "a \"sphere\", an \"ellipsoid\" or"},
    {AROUND("[3, 5]", "'sphere': {'radius': 1}, 'ellipsoid': {'radii': [1, 1, 1]}"),
     "/muscles/vastus/around/0: a wrap object is a \"cylinder\", a \"sphere\", an \"ellipsoid\" "
     "or"},
    {AROUND("[3, 5]", "'sphere': {'radius': 0}"), "/muscles/vastus/around/0/sphere/radius: "},
    {AROUND("[5, 3]", "'sphere': {'radius': 0.01}"),
     "/muscles/vastus: vastus: it goes around body 1 with slices 5 to 3, but they must rise"},
    {AROUND("[3, 5]", "'cylinder': {'radius': 0.01}, 'side': '+z'"),
     "/muscles/vastus: vastus: body 1 is a cylinder about z, which has no side along it"},
    {AROUND("[3, 5]", "'cylinder': {'radius': 0.01}, 'side': 'x'"),
     "/muscles/vastus/around/0/side: "},
    {SKELETON ENDS "'around': [{'segment': 'uper', 'slices': [3, 5], 'sphere': {'radius': 1}}]}}}",
     "/muscles/vastus/around/0/segment: there is no segment \"uper\"; did you mean \"upper\"?"},
};

static void check_wrong(const wrong *document) {
    fixture f = {.context = snt_context(1)};
    sn_error error = {0};
    char text[1024];
    sn_status status =
        parse_quoted(f.context, "leg.sinew.json", document->text, &f.character, &error);
    if (status == SN_OK) {
        status = sn_model_create(f.character, NULL, &f.model, &error);
    }
    sn_error_format(&error, text, sizeof text);
    assert_int_equal(status, SN_INVALID);
    if (strstr(text, document->message) == NULL) {
        fail_msg("expected \"%s\", found \"%s\"", document->message, text);
    }
    sn_character_destroy(f.character);
    snt_context_end(f.context);
}

static void bad_documents_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; ++i) {
        check_wrong(&wrongs[i]);
    }
    for (size_t i = 0; i < sizeof wrong_bodies / sizeof *wrong_bodies; ++i) {
        check_wrong(&wrong_bodies[i]);
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
                        "'interpolation': 'spline'}}}], 'around': [{'segment': 'upper', 'slices':\n"
                        "[2, 3], 'sphere': {'center': [0, -0.2, 0], 'radius': 0.06}}]}}}",
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
        cmocka_unit_test(goes_around_a_body),
        cmocka_unit_test(an_edited_pivot_is_a_new_one),
        cmocka_unit_test(bad_documents_are_refused),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
