// SPDX-License-Identifier: Apache-2.0
//
// What the report measures of skins under `membrane`.
#include "toy.h"

#include "../geometry/shapes.h"
#include "base/error.h"
#include "eval/measures.h"

// A ball in a cube; a control pushes one corner of the cube into the ball.
static const char body_text[] =
    "{'sinew': 1, 'name': 'ball', 'skeleton': {'a': {}},\n"
    "'bones': {'ball': {'ellipsoid': {'radii': [1, 1, 1], 'detail': 16}, 'segment': 'a'}},\n"
    "'meshes': {'cube': {}}, 'controls': {'push': {}},\n"
    "'skins': {'cube': {'mesh': 'cube', 'deformers': [{'kind': 'membrane', 'rounds': 0},\n"
    "{'kind': 'morph', 'poses': [{'follows': 'push', 'keys': [{'at': 0, 'points': {}},\n"
    "{'at': 1, 'points': {'%d': [%g, %g, %g]}}]}]}]}},\n"
    "'clips': {'still': {'frames': 3, 'tracks': {'push': {'keys': [[0, 0], [0.0333333333, 1]]}}}}}";

enum { CORNER = 3 };

typedef struct body {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
    sni_measures *measures;
} body;

// The cube [-s, s]^3, and `to` where its corner is pushed.
static void make(body *b, uint32_t threads, double size, sn_vec3 to) {
    char text[2048];
    b->context = snt_context(threads);
    sn_mesh *cube = snt_cube(b->context);
    sn_vec3 low, high;
    sn_mesh_bounds(cube, &low, &high);
    for (size_t i = 0; i < cube->vertex_count; ++i) {
        sn_vec3 p =
            sn_vec3_sub(sn_vec3_load(cube->positions + 3 * i), sn_vec3_lerp(low, high, 0.5));
        sn_vec3_store(sn_vec3_scale(p, 2 * size / (high.x - low.x)), cube->positions + 3 * i);
    }
    sn_vec3 push = sn_vec3_sub(to, sn_vec3_load(cube->positions + 3 * CORNER));
    snprintf(text, sizeof text, body_text, CORNER, push.x, push.y, push.z);
    snt_ok(parse_quoted(b->context, "ball.sinew.json", text, &b->character, error));
    snt_ok(sn_character_give_mesh(b->character, "cube", cube, error));
    snt_ok(sn_model_create(b->character, NULL, &b->model, error));
    snt_ok(sn_frame_create(b->model, &b->frame, error));
    snt_ok(sni_measures_create(b->model, &b->measures, error));
}

static void end(body *b) {
    sni_measures_destroy(b->measures);
    sn_frame_destroy(b->frame);
    sn_model_destroy(b->model);
    sn_character_destroy(b->character);
    snt_context_end(b->context);
}

static sni_frame_measures measure(body *b, double push, double tx) {
    sni_frame_measures result;
    snt_ok(sn_frame_set(b->frame, "push", push, error));
    snt_ok(sn_frame_set(b->frame, "a.tx", tx, error));
    snt_ok(sn_frame_evaluate(b->frame, NULL, 0, error));
    snt_ok(sni_measures_run(b->measures, b->frame, &result, error));
    return result;
}

static void a_corner_in_the_ball_is_as_deep_as_it_is(void **state) {
    (void)state;
    body b = {0};
    make(&b, 2, 2, sn_vec3_make(0.3, 0.4, 0));
    sni_frame_measures m = measure(&b, 0, 0);
    assert_true(m.deepest.depth == 0 && m.deepened.depth == 0);
    snt_near(m.stretched.stretch, 1, 1e-6);
    for (int i = 0; i < 2; ++i) { // also where the ball has gone along
        m = measure(&b, 1, 3.0 * i);
        // The ball of triangles is up to a hundredth within its radius.
        assert_true(m.deepest.depth > 0.48 && m.deepest.depth < 0.5 + 1e-6);
        assert_true(m.deepest.rest_depth == 0);
        assert_int_equal(m.deepest.vertex, CORNER);
        assert_int_equal(m.deepest.surface, surface_of(b.model, "cube"));
        assert_int_equal(m.deepest.component, surface_of(b.model, "ball"));
        assert_int_equal(m.deepened.vertex, CORNER);
        assert_true(m.deepened.depth == m.deepest.depth);
    }
    end(&b);
}

// A cube within the ball is deep at rest already.
static void depth_at_rest_is_told_apart(void **state) {
    (void)state;
    body b = {0};
    make(&b, 2, 0.2, sn_vec3_make(0.05, 0.05, 0.05));
    double rest = 1 - 0.2 * sqrt(3), pushed = 1 - 0.05 * sqrt(3);
    sni_frame_measures m = measure(&b, 0, 0);
    snt_near(m.deepest.depth, rest, 0.02);
    snt_near(m.deepest.rest_depth, m.deepest.depth, 1e-6);
    snt_near(m.deepened.depth - m.deepened.rest_depth, 0, 1e-6);
    m = measure(&b, 1, 0);
    assert_int_equal(m.deepest.vertex, CORNER);
    snt_near(m.deepest.depth, pushed, 0.02);
    snt_near(m.deepened.rest_depth, rest, 0.02);
    snt_near(m.deepened.depth, pushed, 0.02);
    end(&b);
}

// The corner goes along an edge of the cube: that edge's faces are sheared by a known map.
static void the_most_stretched_triangle_is_found(void **state) {
    (void)state;
    body b = {0};
    make(&b, 2, 2, sn_vec3_make(8, 7, 9));
    sni_frame_measures m = measure(&b, 1, 0);
    const sn_mesh *mesh = sn_model_surface(b.model, m.stretched.surface)->mesh;
    const float *points = points_of(b.frame, "cube");
    // Of all triangles, by trying directions.
    sn_triangles *triangles = NULL;
    double most = 0;
    uint32_t face = SN_NONE;
    snt_ok(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    for (uint32_t i = 0; i < triangles->count; ++i) {
        const uint32_t *v = triangles->vertices + 3 * (size_t)i;
        for (int k = 0; k < 3600; ++k) {
            double x = cos(SN_PI * k / 3600), y = sin(SN_PI * k / 3600), length[2];
            for (int when = 0; when < 2; ++when) {
                const float *p = when == 0 ? mesh->positions : points;
                sn_vec3 o = sn_vec3_load(p + 3 * (size_t)v[0]);
                sn_vec3 e = sn_vec3_sub(sn_vec3_load(p + 3 * (size_t)v[1]), o);
                sn_vec3 f = sn_vec3_sub(sn_vec3_load(p + 3 * (size_t)v[2]), o);
                length[when] =
                    sn_vec3_length(sn_vec3_add(sn_vec3_scale(e, x), sn_vec3_scale(f, y)));
            }
            if (length[1] / length[0] > most) {
                most = length[1] / length[0];
                face = triangles->faces[i];
            }
        }
    }
    snt_near(m.stretched.stretch / most, 1, 1e-5);
    assert_int_equal(m.stretched.face, face);
    assert_true(m.stretched.vertices[0] == CORNER || m.stretched.vertices[1] == CORNER ||
                m.stretched.vertices[2] == CORNER);
    sn_triangles_destroy(triangles);
    end(&b);
}

static double number(const sn_json *json, const char *path) {
    const sn_value *value = sn_json_find(json, path);
    assert_non_null(value);
    return sn_value_number(value, NAN);
}

static void the_report_says_it(void **state) {
    (void)state;
    body b = {0};
    make(&b, 2, 2, sn_vec3_make(0.3, 0.4, 0));
    sn_motion *motion = NULL;
    snt_ok(sn_motion_open(b.model, "still", &motion, error));
    sn_bake_desc desc = sn_bake_desc_default();
    desc.motion = motion;
    desc.last = 2;
    desc.report_path = snt_scratch("ball.json");
    snt_ok(sn_bake(b.frame, &desc, NULL, NULL, error));
    size_t size;
    char *text = read_bytes(desc.report_path, &size);
    sn_json *json = NULL;
    snt_ok(sn_json_parse(b.context, text, size, &json, error));
    free(text);
    assert_true(number(json, "/frames/0/contact/skin/depth") == 0);
    snt_near(number(json, "/frames/2/contact/skin/depth"), 0.49, 0.011);
    assert_true(number(json, "/frames/2/contact/skin/vertex") == CORNER);
    assert_true(number(json, "/frames/2/contact/skin_beyond_rest/rest_depth") == 0);
    assert_string_equal(sn_value_string(sn_json_find(json, "/frames/2/contact/skin/component"), ""),
                        "ball");
    assert_true(number(json, "/summary/contact/skin/depth") ==
                number(json, "/frames/2/contact/skin/depth"));
    assert_true(number(json, "/summary/skin/triangle/stretch") >=
                number(json, "/frames/2/skin/triangle/stretch"));
    assert_true(number(json, "/summary/anchors/cube/rigid") == 8);
    assert_true(number(json, "/summary/anchors/cube/fall_back") == 0);
    sn_json_destroy(json);
    sn_motion_destroy(motion);
    end(&b);
}

// A skin of its own around two balls, one of which turns.
static const char pair_text[] =
    "{'sinew': 1, 'name': 'pair', 'skeleton': {'a': {}, 'b': {'parent': 'a',\n"
    "'translation': [0, 1.2, 0]}}, 'bones': {\n"
    "'a': {'ellipsoid': {'radii': [0.6, 0.8, 0.5], 'detail': 3}, 'segment': 'a'},\n"
    "'b': {'ellipsoid': {'radii': [0.5, 0.8, 0.6], 'detail': 3}, 'segment': 'b'}},\n"
    "'muscles': {'m': {'kind': 'ellipsoid', 'origin': {'bone': 'a', 'at': [0.5, 0.5, 1]},\n"
    "'insertion': {'bone': 'b', 'at': [0.5, 0.5, 1]}}},\n"
    "'meshes': {'skin': {'extract': {'dimension': %d, 'filter': 1}}},\n"
    "'skins': {'skin': {'mesh': 'skin', 'deformers': [{'kind': 'membrane'}]}}}";

static sn_status measure_pair(sn_context *context, int dimension, sni_frame_measures *result,
                              sn_error *error) {
    char text[2048];
    body b = {.context = context};
    sn_status status = SN_OK;
    snprintf(text, sizeof text, pair_text, dimension);
    SN_TRY(parse_quoted(context, "pair.sinew.json", text, &b.character, error));
    SN_TRY(sn_model_create(b.character, NULL, &b.model, error));
    SN_TRY(sn_frame_create(b.model, &b.frame, error));
    SN_TRY(sni_measures_create(b.model, &b.measures, error));
    SN_TRY(sn_frame_set(b.frame, "b.rx_deg", 70, error));
    SN_TRY(sn_frame_evaluate(b.frame, NULL, 0, error));
    SN_TRY(sni_measures_run(b.measures, b.frame, result, error));
cleanup:
    sni_measures_destroy(b.measures);
    sn_frame_destroy(b.frame);
    sn_model_destroy(b.model);
    sn_character_destroy(b.character);
    return status;
}

static void threads_do_not_show(void **state) {
    (void)state;
    static const uint32_t threads[] = {1, 2, 3, 8};
    sni_frame_measures first = {0};
    for (int i = 0; i < 4; ++i) {
        sni_frame_measures m;
        sn_context *context = snt_context(threads[i]);
        snt_ok(measure_pair(context, 60, &m, error));
        snt_context_end(context);
        first = i == 0 ? m : first;
        assert_true(m.deepest.depth == first.deepest.depth && m.deepest.depth > 0);
        assert_true(m.deepened.depth == first.deepened.depth);
        assert_true(m.stretched.stretch == first.stretched.stretch);
        assert_int_equal(m.deepest.vertex, first.deepest.vertex);
        assert_int_equal(m.deepened.vertex, first.deepened.vertex);
        assert_int_equal(m.stretched.face, first.stretched.face);
    }
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    sni_frame_measures result;
    (void)user;
    return measure_pair(context, 20, &result, error);
}

static void failing_allocations_are_survived(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_corner_in_the_ball_is_as_deep_as_it_is),
        cmocka_unit_test(depth_at_rest_is_told_apart),
        cmocka_unit_test(the_most_stretched_triangle_is_found),
        cmocka_unit_test(the_report_says_it),
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
