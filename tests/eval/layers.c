// SPDX-License-Identifier: Apache-2.0
//
// A skin with flesh over bones and muscles in a model.
#include "toy.h"

#include "eval/model.h"
#include "grid.h"

// Flesh of 12 x 9 cm, 12 mm thick, over two plates of bone, the right one of which can turn. A
// muscle lies on the left one and shortens towards its left end.
static const char text[] =
    "{'sinew': 1, 'name': 'cheek', 'skeleton': {'head': {},\n"
    "'jaw': {'parent': 'head', 'translation': [0.09, 0, 0.045]}},\n"
    "'meshes': {'skin': {}, 'left': {}, 'right': {}},\n"
    "'bones': {'left': {'mesh': 'left', 'segment': 'head', 'frame': 'world'},\n"
    "'right': {'mesh': 'right', 'segment': 'jaw', 'frame': 'world'}},\n"
    "'controls': {'pull': {}},\n"
    "'muscles': {'muscle': %s},\n"
    "'skins': {'skin': {'mesh': 'skin', 'deformers': [{'kind': 'layers'%s}]}}}";

static const char graph[] =
    "{'kind': 'graph', 'contraction': 'pull', 'points': [\n"
    "{'bone': 'left', 'point': [0.02, 0.003, 0.045]}, {'point': [0.04, 0.004, 0.045], 'parent': "
    "0},\n"
    "{'point': [0.06, 0.004, 0.045], 'parent': 1}], 'radii': [0.002, [0.006, 0.002], 0.003]}";
static const char cylinder[] =
    "{'kind': 'cylinder', 'origins': [{'bone': 'left', 'point': [0.02, 0.003, 0.04]},\n"
    "{'bone': 'left', 'point': [0.02, 0.003, 0.05]}],\n"
    "'insertions': [{'bone': 'right', 'point': [0.08, 0.003, 0.05]},\n"
    "{'bone': 'right', 'point': [0.08, 0.003, 0.04]}]}";
static const char patch[] =
    "{'kind': 'patch', 'skin': 'skin', 'contraction': 'pull', 'skin_thickness': 0.006,\n"
    "'muscle_thickness': 0.002, 'curves': [\n"
    "[[0.02, 0.012, 0.055], [0.04, 0.012, 0.055], [0.06, 0.012, 0.055]],\n"
    "[[0.02, 0.012, 0.035], [0.04, 0.012, 0.035], [0.06, 0.012, 0.035]]]}";

enum { ACROSS = 40, ALONG = 30 };

typedef struct cheek {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
    uint32_t skin;
} cheek;

static sn_mesh *plate(sn_context *context, const char *name, double from, double to) {
    sn_mesh *mesh = snt_grid(context, name, 8, 8, to - from, 0.13, false);
    snt_shift(mesh, from, 0, -0.02);
    return mesh;
}

static void give_meshes(cheek *c) {
    sn_mesh *skin = snt_grid(c->context, "skin", ACROSS, ALONG, 0.12, 0.09, true);
    snt_shift(skin, 0, 0.012, 0);
    sn_mesh *left = plate(c->context, "left", -0.03, 0.07);
    sn_mesh *right = plate(c->context, "right", 0.08, 0.15);
    snt_ok(sn_character_give_mesh(c->character, "skin", skin, error));
    snt_ok(sn_character_give_mesh(c->character, "left", left, error));
    snt_ok(sn_character_give_mesh(c->character, "right", right, error));
}

static sn_status try_cheek(cheek *c, const char *muscle, const char *more, uint32_t threads,
                           sn_error *error) {
    char document[4096];
    snprintf(document, sizeof document, text, muscle, more);
    *c = (cheek){.context = snt_context(threads)};
    sn_status status = parse_quoted(c->context, "cheek.sinew.json", document, &c->character, error);
    if (status == SN_OK) {
        give_meshes(c);
        status = sn_model_create(c->character, NULL, &c->model, error);
    }
    if (status == SN_OK) {
        status = sn_frame_create(c->model, &c->frame, error);
        c->skin = sn_model_find_surface(c->model, "skin");
    }
    return status;
}

static void end(cheek *c) {
    sn_frame_destroy(c->frame);
    sn_model_destroy(c->model);
    sn_character_destroy(c->character);
    snt_context_end(c->context);
}

static sn_vec3 moved(const cheek *c, uint32_t column, uint32_t row) {
    size_t i = 3 * ((size_t)row * (ACROSS + 1) + column);
    const float *rest = sn_model_surface(c->model, c->skin)->mesh->positions;
    return sn_vec3_sub(sn_vec3_load(sn_frame_points(c->frame, c->skin) + i),
                       sn_vec3_load(rest + i));
}

static double farthest(const cheek *c) {
    double most = 0;
    for (uint32_t i = 0; i < (ACROSS + 1) * (ALONG + 1); ++i) {
        most = fmax(most, sn_vec3_length(moved(c, i % (ACROSS + 1), i / (ACROSS + 1))));
    }
    return most;
}

static void set(cheek *c, const char *name, double value) {
    snt_ok(sn_frame_set(c->frame, name, value, error));
    snt_ok(sn_frame_evaluate(c->frame, NULL, 0, error));
}

static void a_contracting_muscle_pulls_the_skin(void **state) {
    (void)state;
    cheek c;
    snt_ok(try_cheek(&c, graph, ", 'muscles': ['muscle']", 2, error));
    assert_true(farthest(&c) < 1e-6); // rest is an equilibrium
    set(&c, "pull", 0.7);
    // The end of the muscle, 40 mm long, goes 0.7 x 0.3 x 40 mm.
    double commanded = 0.7 * 0.3 * 0.04, most = 0;
    for (uint32_t i = 0; i <= ACROSS; ++i) {
        most = fmax(most, -moved(&c, i, ALONG / 2).x);
    }
    assert_true(most > 0.4 * commanded && most < 1.05 * commanded);
    assert_true(sn_vec3_length(moved(&c, 2, 2)) < 0.5 * most);
    end(&c);
}

// Without being tied to it, the skin stays beside the muscle.
static void muscles_that_are_not_named_do_not_pull(void **state) {
    (void)state;
    cheek c;
    snt_ok(try_cheek(&c, graph, "", 2, error));
    set(&c, "pull", 0.7);
    for (uint32_t i = 0; i <= ACROSS; ++i) {
        assert_true(fabs(moved(&c, i, ALONG / 2).x) < 1e-3);
    }
    end(&c);
}

// Without weights the skin goes with the bones below it.
static void bones_below_carry_the_skin(void **state) {
    (void)state;
    cheek c;
    snt_ok(try_cheek(&c, graph, ", 'muscles': ['muscle']", 2, error));
    set(&c, "jaw.ty", -0.01);
    snt_near(moved(&c, ACROSS, ALONG / 2).y, -0.01, 5e-4);
    snt_near(moved(&c, 0, ALONG / 2).y, 0, 5e-4);
    double before = 1;
    for (uint32_t i = 0; i <= ACROSS; ++i) { // it falls evenly from one to the other
        double now = moved(&c, i, ALONG / 2).y;
        assert_true(now < before + 2e-4 && (i == 0 || before - now < 2e-3));
        before = now;
    }
    end(&c);
}

static void any_kind_of_muscle_can_be_tied(void **state) {
    (void)state;
    cheek c;
    snt_ok(try_cheek(&c, patch, ", 'muscles': ['muscle']", 2, error));
    assert_true(farthest(&c) < 1e-6);
    set(&c, "pull", 0.2);
    assert_true(-moved(&c, 20, ALONG / 2).x > 0.002);
    end(&c);
    snt_ok(try_cheek(&c, cylinder, ", 'muscles': ['muscle']", 2, error));
    assert_true(farthest(&c) < 1e-6);
    set(&c, "jaw.tx", 0.004);
    assert_true(moved(&c, 25, ALONG / 2).x > 0.001);
    end(&c);
}

// The same bits for any order of frames and number of threads.
static void frames_have_no_memory(void **state) {
    (void)state;
    cheek a, b;
    snt_ok(try_cheek(&a, graph, ", 'muscles': ['muscle']", 1, error));
    snt_ok(try_cheek(&b, graph, ", 'muscles': ['muscle']", 3, error));
    set(&a, "pull", 0.5);
    set(&b, "pull", 1);
    set(&b, "jaw.rx_deg", 20);
    set(&b, "jaw.rx_deg", 0);
    set(&b, "pull", 0.5);
    assert_memory_equal(sn_frame_points(a.frame, a.skin), sn_frame_points(b.frame, b.skin),
                        3 * (size_t)(ACROSS + 1) * (ALONG + 1) * sizeof(float));
    end(&a);
    end(&b);
}

// A report counts what is inside out, and tells the volume.
static void reports_tell_of_the_flesh(void **state) {
    (void)state;
    cheek c;
    snt_ok(try_cheek(&c, graph, ", 'muscles': ['muscle']", 2, error));
    sn_report *report = NULL;
    sn_json *json = NULL;
    size_t size;
    snt_ok(sn_report_create(c.model, &report, error));
    set(&c, "pull", 1);
    snt_ok(sn_report_add(report, c.frame, 0, error));
    snt_ok(sn_report_save(report, snt_scratch("report.json"), error));
    char *bytes = read_bytes(snt_scratch("report.json"), &size);
    snt_ok(sn_json_parse(c.context, bytes, size, &json, error));
    const sn_value *flesh = sn_json_find(json, "/summary/flesh");
    assert_non_null(flesh);
    assert_true(sn_value_get(flesh, "flipped")->as.number == 0);
    assert_true(sn_value_get(flesh, "volume_change")->as.number < 0.05);
    free(bytes);
    sn_json_destroy(json);
    sn_report_destroy(report);
    end(&c);
}

static void wrong_documents_are_refused(void **state) {
    (void)state;
    cheek c;
    snt_fails(SN_INVALID, "no-one", try_cheek(&c, graph, ", 'muscles': ['no-one']", 1, error));
    end(&c);
    snt_fails(SN_INVALID, "expected at least 1 value",
              try_cheek(&c, graph, ", 'components': []", 1, error));
    end(&c);
    snt_fails(SN_INVALID, "has no weights, and none of the 1 components",
              try_cheek(&c, graph, ", 'components': ['muscle']", 1, error));
    end(&c);
    snt_fails(SN_INVALID, "slide", try_cheek(&c, graph, ", 'slide': 0", 1, error));
    end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_contracting_muscle_pulls_the_skin),
        cmocka_unit_test(muscles_that_are_not_named_do_not_pull),
        cmocka_unit_test(bones_below_carry_the_skin),
        cmocka_unit_test(any_kind_of_muscle_can_be_tied),
        cmocka_unit_test(frames_have_no_memory),
        cmocka_unit_test(reports_tell_of_the_flesh),
        cmocka_unit_test(wrong_documents_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
