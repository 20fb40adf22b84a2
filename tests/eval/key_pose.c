// SPDX-License-Identifier: Apache-2.0
//
// Sculpts in a pose become key poses: evaluated in that pose, the document gives the sculpt back.
#include "toy.h"

static const uint32_t FIRST = 1500, LAST = 2300; // the vertices that are sculpted, around a joint

static float *sculpt(const toy *t, const char *skin, uint64_t seed, double size) {
    snt_random random = {seed};
    float *points = malloc(12 * TOY_VERTICES);
    memcpy(points, points_of(t->frame, skin), 12 * TOY_VERTICES);
    for (uint32_t i = 3 * FIRST; i < 3 * LAST; ++i) {
        points[i] += (float)snt_random_range(&random, -size, size);
    }
    return points;
}

static void pose_frame(sn_frame *frame, double bend) {
    sn_frame_clear(frame);
    snt_ok(sn_frame_set(frame, "lower.rx_deg", bend, error));
    snt_ok(sn_frame_set(frame, "upper.ry_deg", 50, error));
    snt_ok(sn_frame_set(frame, "smile", 0.7, error));
    snt_ok(sn_frame_evaluate(frame, NULL, 0, error));
}

static sn_key_pose_desc describe(const char *skin, const char *follows, const float *points) {
    sn_key_pose_desc desc = sn_key_pose_desc_default();
    desc.skin = skin;
    desc.follows = follows;
    desc.points = points;
    desc.vertex_count = TOY_VERTICES;
    return desc;
}

// Makes the model anew, after the document was edited.
static void remake(toy *t) {
    sn_frame_destroy(t->frame);
    sn_motion_destroy(t->motion);
    sn_model_destroy(t->model);
    snt_ok(sn_character_check(t->character, error));
    snt_ok(sn_model_create(t->character, NULL, &t->model, error));
    snt_ok(sn_motion_open(t->model, "move", &t->motion, error));
    snt_ok(sn_frame_create(t->model, &t->frame, error));
}

static double largest_distance(const float *a, const float *b) {
    double largest = 0;
    for (size_t v = 0; v < TOY_VERTICES; ++v) {
        largest = fmax(largest, sn_vec3_distance(sn_vec3_load(a + 3 * v), sn_vec3_load(b + 3 * v)));
    }
    return largest;
}

static void expect_sculpt_comes_back(const char *skins, const char *skin, const char *follows,
                                     double bend) {
    toy t = toy_make(2, skins);
    sn_key_pose_report report;
    float *rest = malloc(12 * TOY_VERTICES);
    memcpy(rest, points_of(t.frame, skin), 12 * TOY_VERTICES);
    pose_frame(t.frame, bend);
    float *wanted = sculpt(&t, skin, 5, 0.05);
    sn_key_pose_desc desc = describe(skin, follows, wanted);
    snt_ok(sn_key_pose_add(t.character, t.frame, &desc, &report, error));
    assert_int_equal(report.changed, LAST - FIRST);
    remake(&t);
    assert_memory_equal(points_of(t.frame, skin), rest, 12 * TOY_VERTICES); // the rest stays
    pose_frame(t.frame, bend);
    double distance = largest_distance(points_of(t.frame, skin), wanted);
    if (distance > 1e-5) {
        print_error("%s: %g m away\n", skins, distance);
    }
    assert_true(distance <= 1e-5);
    free(rest);
    free(wanted);
    toy_end(&t);
}

#define CAGE "'cage': {'mesh': 'body', 'deformers': [{'kind': 'blend'}]}"

static void sculpts_come_back(void **state) {
    (void)state;
    // Bends to both sides, in the units of both names; linear and dual quaternion; with a morph
    // that has half its effect, and without one; carried by a segment; behind a wrap.
    expect_sculpt_comes_back(TOY_BODY, "body", "lower.rx_deg", 80);
    expect_sculpt_comes_back(TOY_BODY, "body", "lower.rx_deg", -120);
    expect_sculpt_comes_back(TOY_BODY, "body", "lower.rx", 80);
    expect_sculpt_comes_back(TOY_BODY, "body", "smile", 80);
    expect_sculpt_comes_back("'twist': {'mesh': 'body', 'deformers': [{'kind': 'morph'}, {'kind': "
                             "'blend', 'method': 'dual_quaternion'}]}",
                             "twist", "lower.rx_deg", 100);
    expect_sculpt_comes_back("'half': {'mesh': 'body', 'deformers': [{'kind': 'morph', 'envelope': "
                             "0.5, 'weights': [{'weight': 0.5}]}, {'kind': 'blend'}]}",
                             "half", "lower.rx_deg", 80);
    expect_sculpt_comes_back("'stiff': {'mesh': 'coat', 'segment': 'lower'}", "stiff",
                             "lower.rx_deg", 80);
    expect_sculpt_comes_back("'stiff': {'mesh': 'body', 'segment': 'lower', 'deformers': [{'kind': "
                             "'morph'}]}",
                             "stiff", "lower.rx_deg", 80);
    expect_sculpt_comes_back(CAGE ",\n'fine': {'mesh': 'coat', 'deformers': [{'kind': 'wrap', "
                                  "'driver_mesh': 'cage', 'local': 16}]}",
                             "fine", "lower.rx_deg", 60);
}

static double at_of(const sn_value *keys, uint32_t key) {
    return sn_value_number(sn_value_get(sn_value_at(keys, key), "at"), -1);
}

static void keys_join_their_set(void **state) {
    (void)state;
    static const double bends[] = {80, 40, 120, 80};
    toy t = toy_make(1, TOY_BODY);
    float *wanted[4];
    for (int i = 0; i < 4; ++i) {
        pose_frame(t.frame, bends[i]);
        wanted[i] = sculpt(&t, "body", 7 + (uint64_t)i, 0.02);
        sn_key_pose_desc desc = describe("body", i == 2 ? "lower.rx" : "lower.rx_deg", wanted[i]);
        snt_ok(sn_key_pose_add(t.character, t.frame, &desc, NULL, error));
        remake(&t);
    }
    sn_json *json = sn_character_document(t.character);
    assert_int_equal(sn_value_count(sn_json_find(json, "/skins/body/deformers")), 2);
    assert_int_equal(sn_value_count(sn_json_find(json, "/skins/body/deformers/0/poses")), 1);
    const sn_value *keys = sn_json_find(json, "/skins/body/deformers/0/poses/0/keys");
    assert_int_equal(sn_value_count(keys), 4);
    assert_true(at_of(keys, 0) == 0 && at_of(keys, 1) == 40 && at_of(keys, 2) == 80 &&
                at_of(keys, 3) == 120);
    // The last sculpt at 80 degrees has replaced the first.
    for (int i = 1; i < 4; ++i) {
        pose_frame(t.frame, bends[i]);
        assert_true(largest_distance(points_of(t.frame, "body"), wanted[i]) <= 1e-5);
    }
    for (int i = 0; i < 4; ++i) {
        free(wanted[i]);
    }
    toy_end(&t);
}

static void new_morphs_come_first(void **state) {
    (void)state;
    toy t = toy_make(1, CAGE ",\n'fine': {'mesh': 'coat', 'deformers': [{'kind': 'wrap', "
                             "'driver_mesh': 'cage', 'local': 16}]}");
    pose_frame(t.frame, -60);
    float *wanted = sculpt(&t, "fine", 3, 0.01);
    sn_key_pose_desc desc = describe("cage", "lower.rx_deg", wanted);
    snt_fails(SN_INVALID, "\"body\" has morph targets, which a new deformer \"morph\" would use",
              sn_key_pose_add(t.character, t.frame, &desc, NULL, error));
    desc.skin = "fine";
    desc.interpolation = "smooth";
    snt_ok(sn_key_pose_add(t.character, t.frame, &desc, NULL, error));
    sn_json *json = sn_character_document(t.character);
    assert_string_equal(sn_value_string(sn_json_find(json, "/skins/fine/deformers/0/kind"), ""),
                        "morph");
    assert_string_equal(sn_value_string(sn_json_find(json, "/skins/fine/deformers/1/kind"), ""),
                        "wrap");
    const sn_value *set = sn_json_find(json, "/skins/fine/deformers/0/poses/0");
    assert_string_equal(sn_value_string(sn_value_get(set, "interpolation"), ""), "smooth");
    const sn_value *keys = sn_value_get(set, "keys");
    assert_true(sn_value_count(keys) == 2 && at_of(keys, 0) == -60 && at_of(keys, 1) == 0);
    free(wanted);
    toy_end(&t);
}

static void wrong_poses_are_refused(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_BODY ",\n'off': {'mesh': 'body', 'deformers': [{'kind': 'morph', "
                                 "'weights': [{'points': [0, 1600]}]}, {'kind': 'blend'}]}");
    pose_frame(t.frame, 80);
    float *wanted = sculpt(&t, "body", 1, 0.01);
    sn_key_pose_desc desc = describe("bodi", "lower.rx_deg", wanted);
    snt_fails(SN_INVALID, "there is no skin \"bodi\"; did you mean \"body\"?",
              sn_key_pose_add(t.character, t.frame, &desc, NULL, error));
    desc.skin = "body";
    desc.follows = "lowr.rx";
    snt_fails(SN_INVALID, "there is no parameter \"lowr.rx\"; did you mean \"lower.rx\"?",
              sn_key_pose_add(t.character, t.frame, &desc, NULL, error));
    desc.follows = "lower.rz";
    snt_fails(SN_INVALID, "\"lower.rz\" stands at 0 as in the rest pose",
              sn_key_pose_add(t.character, t.frame, &desc, NULL, error));
    desc.follows = "lower.rx";
    desc.vertex_count = 12;
    snt_fails(SN_INVALID, "the shape has 12 vertices, but the skin \"body\" has 3000",
              sn_key_pose_add(t.character, t.frame, &desc, NULL, error));
    desc.vertex_count = TOY_VERTICES;
    desc.skin = "off";
    snt_fails(SN_INVALID, "vertex 1601 takes nothing of the deformer \"morph\"",
              sn_key_pose_add(t.character, t.frame, &desc, NULL, error));
    desc.skin = "body";
    wanted[302] = NAN;
    snt_fails(SN_INVALID, "vertex 100 of the shape is at nan",
              sn_key_pose_add(t.character, t.frame, &desc, NULL, error));
    desc.check = 0;
    snt_fails(SN_INVALID, "needs a skin",
              sn_key_pose_add(t.character, t.frame, &desc, NULL, error));
    free(wanted);
    toy_end(&t);
}

// Twisted by half a turn, the linear blend draws the ring between both bones into its axis.
static void flattened_points_are_named(void **state) {
    (void)state;
    toy t = toy_make(1, TOY_BODY);
    const uint32_t ring = TOY_RINGS / 2;
    snt_ok(sn_frame_set(t.frame, "upper.ry_deg", 180, error));
    snt_ok(sn_frame_evaluate(t.frame, NULL, 0, error));
    // The ring at y = 1 has the weights 0.5 and 0.5 but for rounding of its place.
    uint32_t flat = SN_NONE;
    const sn_mesh *mesh = sn_model_surface(t.model, surface_of(t.model, "body"))->mesh;
    for (uint32_t v = 0; v < ring * TOY_SIDES && flat == SN_NONE; ++v) {
        flat = fabsf(mesh->weights->values[2 * v] - 0.5f) < 0.01f ? v : SN_NONE;
    }
    assert_true(flat != SN_NONE);
    float *wanted = malloc(12 * TOY_VERTICES);
    memcpy(wanted, points_of(t.frame, "body"), 12 * TOY_VERTICES);
    wanted[3 * flat] += 0.01f;
    char expected[64];
    snprintf(expected, sizeof expected, "flatten the space around vertex %u,", flat);
    sn_key_pose_desc desc = describe("body", "upper.ry_deg", wanted);
    snt_fails(SN_INVALID, expected, sn_key_pose_add(t.character, t.frame, &desc, NULL, error));
    // The same sculpt elsewhere is no problem.
    memcpy(wanted, points_of(t.frame, "body"), 12 * TOY_VERTICES);
    wanted[0] += 0.01f;
    snt_ok(sn_key_pose_add(t.character, t.frame, &desc, NULL, error));
    free(wanted);
    toy_end(&t);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    static const char text[] =
        "{'sinew': 1, 'name': 's', 'skeleton': {'root': {}}, 'meshes': {'a': "
        "{}}, 'skins': {'a': {'mesh': 'a', 'segment': 'root'}}}";
    const float *points = user;
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_frame *frame = NULL;
    sn_mesh *mesh = NULL;
    sn_status status = parse_quoted(context, "s.json", text, &character, error);
    if (status == SN_OK) {
        status = sn_mesh_create(context, "a", 3, 0, 0, &mesh, error);
    }
    if (status == SN_OK) {
        memcpy(mesh->positions, (float[9]){0, 0, 0, 1, 0, 0, 0, 1, 0}, 36);
        status = sn_character_give_mesh(character, "a", mesh, error);
    }
    if (status == SN_OK) {
        status = sn_model_create(character, NULL, &model, error);
    }
    if (status == SN_OK) {
        status = sn_frame_create(model, &frame, error);
    }
    if (status == SN_OK) {
        status = sn_frame_set(frame, "root.tx", 1, error);
    }
    if (status == SN_OK) {
        status = sn_frame_evaluate(frame, NULL, 0, error);
    }
    if (status == SN_OK) {
        sn_key_pose_desc desc = describe("a", "root.tx", points);
        desc.vertex_count = 3;
        status = sn_key_pose_add(character, frame, &desc, NULL, error);
    }
    sn_frame_destroy(frame);
    sn_model_destroy(model);
    sn_character_destroy(character);
    return status;
}

static void survives_failing_allocations(void **state) {
    (void)state;
    float points[9] = {1, 0.5f, 0, 2, 0, 0, 1, 1, 0};
    snt_fail_allocations(attempt, points);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sculpts_come_back),
        cmocka_unit_test(keys_join_their_set),
        cmocka_unit_test(new_morphs_come_first),
        cmocka_unit_test(wrong_poses_are_refused),
        cmocka_unit_test(flattened_points_are_named),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests_name("eval/key_pose", tests, NULL, NULL);
}
