// SPDX-License-Identifier: Apache-2.0
//
// Bones and tissues in the model: where they stand, how large they are, what carries them.
#include "toy.h"

#include "../geometry/shapes.h"
#include "eval/model.h"

// A trunk along y, an arm of two segments along x, a head that is a leaf. Sizes: root 3, upper and
// its leaf lower 2, head as root.
static const char body_head[] =
    "{'sinew': 1, 'name': 'body', 'skeleton': {\n"
    "'root': {'translation': [0, 1, 0]},\n"
    "'upper': {'parent': 'root', 'translation': [1, 2, 2], 'rotation_deg': [0, 30, 0]},\n"
    "'lower': {'parent': 'upper', 'translation': [2, 0, 0], 'rest_deg': {'rz': 20}},\n"
    "'head': {'parent': 'root', 'translation': [0, 1, 0], 'rest': {'ty': 0.5}}},\n"
    "'meshes': {'box': {}},\n";
static const char body_parts[] =
    "'bones': {'humerus': {'mesh': 'box', 'segment': 'upper', 'frame': 'size'},\n"
    "'plate': {'mesh': 'box', 'segment': 'root'},\n"
    "'ulna': {'ellipsoid': {'center': [0.25, 0.5, 0], 'radii': [0.5, 0.125, 0.25],\n"
    "'rotation_deg': [0, 0, 90]}, 'segment': 'lower', 'frame': 'size'}},\n"
    "'tissues': {'fat': {'ellipsoid': {'center': [1, 0, 0], 'radii': [0.5, 0.5, 0.5], 'detail': "
    "2},\n"
    "'segment': 'upper'},\n"
    "'orbit': {'ellipsoid': {'radii': [0.1, 0.1, 0.1]}, 'segment': 'head', 'frame': 'size',\n"
    "'density': -0.5},\n"
    "'eye': {'ellipsoid': {'center': [0, 3, 0], 'radii': [0.1, 0.1, 0.1]}, 'segment': 'head',\n"
    "'frame': 'world', 'feature': true, 'look': 'plain'},\n"
    "'cheek': {'mesh': 'box', 'segment': 'head', 'frame': 'size'}},\n";
static const char body_tail[] =
    "'clips': {'wave': {'rate': 10, 'tracks': {'upper.rz_deg': {'keys': [[0, 0], [1, 90]]},\n"
    "'root.ty': {'keys': [[0, 0], [1, 0.5]]}, 'lower.ry_deg': {'keys': [[0, 0], [1, -60]]}}}}}";

typedef struct body {
    sn_context *context;
    sn_character *character;
    sn_model *model;
    sn_frame *frame;
} body;

static body make_body(const char *proportions, const char *parts) {
    char text[4096];
    body b = {.context = snt_context(1)};
    snprintf(text, sizeof text, "%s%s%s%s", body_head, proportions, parts, body_tail);
    snt_ok(parse_quoted(b.context, "body.sinew.json", text, &b.character, error));
    snt_ok(sn_character_give_mesh(b.character, "box", snt_cube(b.context), error));
    snt_ok(sn_model_create(b.character, NULL, &b.model, error));
    snt_ok(sn_frame_create(b.model, &b.frame, error));
    return b;
}

static void end_body(body *b) {
    sn_frame_destroy(b->frame);
    sn_model_destroy(b->model);
    sn_character_destroy(b->character);
    snt_context_end(b->context);
}

static void expect_point(const body *b, const char *surface, uint32_t vertex, sn_vec3 expected) {
    sn_vec3 found = sn_vec3_load(points_of(b->frame, surface) + 3 * (size_t)vertex);
    snt_near(found.x, expected.x, 2e-6);
    snt_near(found.y, expected.y, 2e-6);
    snt_near(found.z, expected.z, 2e-6);
}

static void describes_bones_and_tissues(void **state) {
    (void)state;
    body b = make_body("", body_parts);
    static const char *const names[] = {"humerus", "plate", "ulna", "fat", "orbit", "eye", "cheek"};
    assert_int_equal(sn_model_surface_count(b.model), 7);
    for (uint32_t i = 0; i < 7; ++i) {
        const sn_surface *surface = sn_model_surface(b.model, i);
        assert_string_equal(surface->name, names[i]);
        assert_int_equal(surface->layer, i < 3 ? SN_LAYER_BONE : SN_LAYER_TISSUE);
        assert_int_equal(surface->look, i < 3    ? SN_LOOK_BONE
                                        : i == 5 ? SN_LOOK_PLAIN
                                                 : SN_LOOK_TISSUE);
        assert_int_equal(surface->shown, i != 4);
        assert_int_equal(surface->feature, i == 5);
        assert_int_equal(surface->in_segment_frame, i != 1 && i != 5);
        assert_int_equal(surface->ellipsoid != NULL, i >= 2 && i <= 5);
        assert_true(surface->density == (i == 4 ? -0.5 : 1));
        assert_true(surface->linear_skinning);
    }
    assert_int_equal(sn_model_surface(b.model, 3)->mesh->vertex_count, 42);
    assert_int_equal(sn_model_surface(b.model, 2)->mesh->vertex_count, 642);
    end_body(&b);
}

// The paper's own example: at (0.25, 0.5, 0.75) of a size of 20 a frame stands at (5, 10, 15).
static void measures_in_units_of_the_size(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = NULL;
    sn_model *model = NULL;
    snt_ok(parse_quoted(context, "a",
                        "{'sinew': 1, 'name': 'a', 'skeleton': {'s': {}, 't': {'parent': 's',\n"
                        "'translation': [0, 12, 16]}}, 'bones': {'b': {'segment': 's', 'frame':\n"
                        "'size', 'ellipsoid': {'center': [0.25, 0.5, 0.75], 'radii': [0.1, 0.2,\n"
                        "0.3]}}}}",
                        &character, error));
    snt_ok(sn_model_create(character, NULL, &model, error));
    const double *m = sn_model_surface(model, 0)->ellipsoid->m;
    snt_near(m[12], 5, 1e-14);
    snt_near(m[13], 10, 1e-14);
    snt_near(m[14], 15, 1e-14);
    snt_near(m[0], 2, 1e-14);
    snt_near(m[5], 4, 1e-14);
    snt_near(m[10], 6, 1e-14);
    sn_vec3 low, high;
    sn_mesh_bounds(sn_model_surface(model, 0)->mesh, &low, &high);
    snt_near(low.x, 3, 1e-6);
    snt_near(high.y, 14, 1e-5);
    snt_near(high.z, 21, 1e-5);
    sn_model_destroy(model);
    sn_character_destroy(character);
    snt_context_end(context);
}

// Vertex 7 of the box is (1, 1, 1), in the frames by hand.
static void stands_in_its_frame(void **state) {
    (void)state;
    body b = make_body("", body_parts);
    const sn_mat4 *rest = sn_model_rest_worlds(b.model);
    expect_point(&b, "plate", 7, sn_vec3_make(1, 1, 1));
    expect_point(&b, "humerus", 7, sn_mat4_point(&rest[1], sn_vec3_make(2, 2, 2)));
    expect_point(&b, "cheek", 7, sn_vec3_make(3, 5.5, 3)); // head at (0, 2.5, 0), size 3
    // The frame of upper: (1, 3, 2), a turn of 30 degrees about y.
    sn_vec3 corner =
        sn_vec3_make(1 + 2 * (cos(SN_PI / 6) + 0.5), 5, 2 + 2 * (cos(SN_PI / 6) - 0.5));
    expect_point(&b, "humerus", 7, corner);
    end_body(&b);
}

static sn_vec3 middle_of(const body *b, const char *name) {
    const float *points = points_of(b->frame, name);
    uint32_t count = sn_model_surface(b->model, surface_of(b->model, name))->mesh->vertex_count;
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t v = 0; v < count; ++v) {
        sum = sn_vec3_add(sum, sn_vec3_load(points + 3 * (size_t)v));
    }
    return sn_vec3_scale(sum, 1.0 / count);
}

static void near_points(sn_vec3 a, sn_vec3 b, double tolerance) {
    snt_near(a.x, b.x, tolerance);
    snt_near(a.y, b.y, tolerance);
    snt_near(a.z, b.z, tolerance);
}

// In a pose each goes where its segment's matrix takes it.
static void is_carried_by_its_segment(void **state) {
    (void)state;
    body b = make_body("", body_parts);
    sn_motion *motion = NULL;
    snt_ok(sn_motion_open(b.model, "wave", &motion, error));
    snt_ok(sn_frame_evaluate(b.frame, motion, 10, error));
    const sn_mat4 *worlds = sn_frame_worlds(b.frame);
    near_points(middle_of(&b, "fat"), sn_mat4_point(&worlds[1], sn_vec3_make(1, 0, 0)), 2e-6);
    near_points(middle_of(&b, "ulna"), sn_mat4_point(&worlds[2], sn_vec3_make(0.5, 1, 0)), 2e-6);
    near_points(middle_of(&b, "orbit"), sn_mat4_point(&worlds[3], sn_vec3_make(0, 0, 0)), 2e-6);
    near_points(middle_of(&b, "eye"), sn_vec3_make(0, 3.5, 0), 2e-6); // root rises by 0.5
    sn_motion_destroy(motion);
    end_body(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(describes_bones_and_tissues),
        cmocka_unit_test(measures_in_units_of_the_size),
        cmocka_unit_test(stands_in_its_frame),
        cmocka_unit_test(is_carried_by_its_segment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
