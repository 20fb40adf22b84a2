// SPDX-License-Identifier: Apache-2.0
//
// Key poses and weights of points in documents: what single points of a mesh do.
#include "toy.h"

// A skin that nothing but its key poses moves, and which drives another.
#define KEYED(deformer) "'cage': {'mesh': 'coat', 'deformers': [{'kind': 'morph', " deformer "}]}"

static void set(toy *t, const char *name, double value) {
    snt_ok(sn_frame_set(t->frame, name, value, error));
    snt_ok(sn_frame_evaluate(t->frame, NULL, 0, error));
}

// What a vertex of the cage has moved by.
static sn_vec3 moved(const toy *t, uint32_t vertex) {
    uint32_t cage = surface_of(t->model, "cage");
    return sn_vec3_sub(
        sn_vec3_load(sn_frame_points(t->frame, cage) + 3 * (size_t)vertex),
        sn_vec3_load(sn_model_surface(t->model, cage)->mesh->positions + 3 * (size_t)vertex));
}

static void expect_moved(const toy *t, uint32_t vertex, double x, double y, double z) {
    sn_vec3 found = moved(t, vertex);
    snt_near(found.x, x, 1e-6);
    snt_near(found.y, y, 1e-6);
    snt_near(found.z, z, 1e-6);
}

static void follow_a_joint_in_the_unit_of_its_name(void **state) {
    (void)state;
    toy t = toy_make(1, KEYED("'poses': [{'follows': 'upper.rx_deg', 'keys': [{'at': 0, 'points': "
                              "{}},\n{'at': 90, 'points': {'17': [0.5, 0, -1], '2999': [0, 1, "
                              "0]}}]}, {'follows':\n'upper.ry', 'keys': [{'at': -1, 'points': "
                              "{'17': [0, 4, 0]}}, {'at': 1, 'points': {'17': [0, -4, 0]}}]}]"));
    assert_memory_equal(points_of(t.frame, "cage"), sn_model_surface(t.model, 2)->mesh->positions,
                        12 * TOY_VERTICES);
    set(&t, "upper.rx_deg", 45);
    expect_moved(&t, 17, 0.25, 0, -0.5);
    expect_moved(&t, 2999, 0, 0.5, 0);
    expect_moved(&t, 18, 0, 0, 0);
    set(&t, "upper.rx_deg", 95);
    set(&t, "upper.ry_deg", 0.5 * 180 / SN_PI);
    expect_moved(&t, 17, 0.5, -2, -1); // both sets, the first one held
    toy_end(&t);
}

static void see_what_synergies_and_limits_make_of_a_joint(void **state) {
    (void)state;
    toy t = toy_make(1, KEYED("'poses': [{'follows': 'upper.rx_deg', 'keys': [{'at': 0, 'points': "
                              "{}},\n{'at': 100, 'points': {'0': [1, 0, 0]}}]}]"));
    set(&t, "curl", 0.5); // adds 30 degrees
    expect_moved(&t, 0, 0.3, 0, 0);
    set(&t, "upper.rx_deg", 90); // 120 degrees, cut to 100
    expect_moved(&t, 0, 1, 0, 0);
    toy_end(&t);
}

static void follow_a_control_and_a_mesh(void **state) {
    (void)state;
    // The body is the coat, 0.05 m narrower; nothing but its radius differs.
    toy t = toy_make(1, KEYED("'poses': [{'follows': 'smile', 'keys': [{'at': 0, 'points': {}}, "
                              "{'at': 2, 'mesh': 'body'}]}]"));
    set(&t, "smile", 1);
    expect_moved(&t, 0, -0.025, 0, 0);
    expect_moved(&t, TOY_SIDES / 4, 0, 0, -0.025);
    assert_false(sn_model_surface(t.model, surface_of(t.model, "cage"))->linear_skinning);
    toy_end(&t);
}

// The coat's own key poses carry over to what it drives, and the same bits come for any number of
// threads and in any order.
#define CREASE                                                                                     \
    "'poses': [{'follows': 'lower.rx_deg', 'interpolation': 'smooth', 'keys': [{'at': 0,\n"        \
    "'points': {}}, {'at': 30, 'points': {'2000': [0.02, 0, 0]}}, {'at': 90, 'points':\n"          \
    "{'2000': [0.1, 0.03, 0], '2001': [0, 0.1, 0]}}]}]"
#define WRAPPED                                                                                    \
    KEYED(CREASE)                                                                                  \
    ",\n'fine': {'mesh': 'body', 'deformers': [{'kind': 'wrap', 'driver_mesh': 'cage', 'local': "  \
    "16}]}"

static void carry_over_through_a_wrap(void **state) {
    (void)state;
    toy t = toy_make(1, WRAPPED);
    const float *rest = sn_model_surface(t.model, surface_of(t.model, "fine"))->mesh->positions;
    assert_memory_equal(points_of(t.frame, "fine"), rest, 12 * TOY_VERTICES);
    set(&t, "lower.rx_deg", 90);
    const float *fine = points_of(t.frame, "fine");
    assert_true(fine[6000] > rest[6000] + 0.01f && fine[6001] > rest[6001]);
    assert_memory_equal(fine, rest, 12 * 1000); // far away
    toy_end(&t);
}

static void give_the_same_bits_for_any_threads_and_order(void **state) {
    (void)state;
    static const uint32_t threads[] = {1, 2, 3, 8, 32};
    uint64_t first[3] = {0};
    for (int i = 0; i < 5; ++i) {
        toy t = toy_make(threads[i], WRAPPED);
        for (int k = 0; k < 3; ++k) {
            int which = i % 2 == 0 ? k : 2 - k;
            snt_ok(sn_frame_evaluate(t.frame, t.motion, 20 * (uint32_t)which, error));
            uint64_t hash = hash_frame(t.frame);
            first[which] = i == 0 ? hash : first[which];
            assert_int_equal(hash, first[which]);
        }
        toy_end(&t);
    }
    assert_true(first[0] != first[1] && first[1] != first[2]);
}

// --- Weights

static sn_mesh *painted(sn_context *context) {
    sn_mesh *mesh = toy_tube(context, "painted", 0.25);
    sn_attribute *color = NULL;
    snt_ok(sn_mesh_add_run(mesh, SN_RUN_GROUP, 0, "lower end", error));
    snt_ok(sn_mesh_add_run(mesh, SN_RUN_MATERIAL, 5, "cloth", error));
    snt_ok(sn_mesh_add_run(mesh, SN_RUN_GROUP, TOY_SIDES, "rest", error));
    snt_ok(sn_mesh_add_attribute(mesh, "color", 3, mesh->vertex_count, false, &color, error));
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        memcpy(color->values + 3 * (size_t)v, (float[3]){v % 2 == 0 ? 1 : 0.25f, 0, 0}, 12);
    }
    return mesh;
}

// How far vertices of a skin of kind "morph" go that moves all points by 1 along x, with weights.
static void weighted(const char *weights, const uint32_t *vertices, float *shares, uint32_t count) {
    char text[4096];
    sn_context *context = snt_context(2);
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_frame *frame = NULL;
    snprintf(text, sizeof text,
             "{'sinew': 1, 'name': 'a', 'meshes': {'body': {}, 'shifted': {}}, 'controls': {'c': "
             "{}},\n'skins': {'a': {'mesh': 'body', 'deformers': [{'kind': 'morph', 'weights': "
             "[%s],\n'poses': [{'follows': 'c', 'keys': [{'at': 0, 'mesh': 'shifted'}]}]}]}}}",
             weights);
    snt_ok(parse_quoted(context, "a.sinew.json", text, &character, error));
    sn_mesh *shifted = toy_tube(context, "shifted", 0.25);
    for (uint32_t v = 0; v < shifted->vertex_count; ++v) {
        shifted->positions[3 * (size_t)v] += 1;
    }
    snt_ok(sn_character_give_mesh(character, "body", painted(context), error));
    snt_ok(sn_character_give_mesh(character, "shifted", shifted, error));
    snt_ok(sn_model_create(character, NULL, &model, error));
    snt_ok(sn_frame_create(model, &frame, error));
    const float *rest = sn_model_surface(model, 0)->mesh->positions;
    for (uint32_t i = 0; i < count; ++i) {
        size_t at = 3 * (size_t)vertices[i];
        shares[i] = sn_frame_points(frame, 0)[at] - rest[at];
    }
    sn_frame_destroy(frame);
    sn_model_destroy(model);
    sn_character_destroy(character);
    snt_context_end(context);
}

static void expect_weights(const char *weights, const float expected[5]) {
    static const uint32_t vertices[5] = {0, 3, 2 * TOY_SIDES - 1, 2 * TOY_SIDES, 2999};
    float shares[5];
    weighted(weights, vertices, shares, 5);
    for (int i = 0; i < 5; ++i) {
        snt_near(shares[i], expected[i], 1e-6);
    }
}

static void weights_name_points_in_several_ways(void **state) {
    (void)state;
    expect_weights("{}", (float[5]){1, 1, 1, 1, 1});
    expect_weights("{'weight': 0.25}", (float[5]){0.25f, 0.25f, 0.25f, 0.25f, 0.25f});
    expect_weights("{'points': [1, 3]}, {'points': [2999, 2999], 'weight': 0.5}",
                   (float[5]){0, 1, 0, 0, 0.5f});
    // Later entries win: all but the first ring of faces.
    expect_weights("{}, {'group': 'lower end', 'weight': 0}", (float[5]){0, 0, 0, 1, 1});
    // A material holds on beside groups.
    expect_weights("{'group': 'cloth'}", (float[5]){1, 0, 1, 1, 1});
    expect_weights("{'attribute': 'color', 'weight': 0.5}",
                   (float[5]){0.5f, 0.125f, 0.125f, 0.5f, 0.125f});
}

// A point of weight 0 keeps the bits that come in, one of weight 1 those that go out.
static void weights_hold_back_a_wrap(void **state) {
    (void)state;
    static const char fine[] =
        ",\n'free': {'mesh': 'body', 'deformers': [{'kind': 'wrap',\n"
        "'driver_mesh': 'cage', 'local': 16}]}, 'held': {'mesh': 'body', 'deformers': [\n"
        "{'kind': 'wrap', 'driver_mesh': 'cage', 'local': 16, 'weights': [\n"
        "{'points': [0, 1999]}, {'points': [2000, 2000], 'weight': 0.5}]}]}";
    char skins[2048];
    snprintf(skins, sizeof skins, "%s%s", KEYED(CREASE), fine);
    toy t = toy_make(1, skins);
    set(&t, "lower.rx_deg", 90);
    const float *rest = sn_model_surface(t.model, surface_of(t.model, "held"))->mesh->positions;
    const float *free = points_of(t.frame, "free"), *held = points_of(t.frame, "held");
    assert_memory_equal(held, free, 12 * 2000);
    snt_near(held[6000] - rest[6000], 0.5 * (free[6000] - rest[6000]), 1e-7);
    assert_memory_equal(held + 6003, rest + 6003, 12 * (TOY_VERTICES - 2001));
    assert_true(free[6003] != rest[6003]);
    toy_end(&t);
}

// A sheet over a muscle, half of which does not follow; the key pose follows the muscle's length.
static void falloff_and_muscle_lengths(void **state) {
    (void)state;
    static const char text[] =
        "{'sinew': 1, 'name': 's', 'skeleton': {'root': {}}, 'meshes': {'tube': {}},\n"
        "'skins': {'tube': {'mesh': 'tube', 'deformers': [{'kind': 'morph', 'poses': [\n"
        "{'follows': 'm.length', 'keys': [{'at': 0.5, 'points': {'0': [0, 1, 0]}},\n"
        "{'at': 0.9, 'points': {}}]}]}, {'kind': 'falloff', 'muscles': ['m'], 'd_full': 0.1,\n"
        "'d_none': 0.3, 'reach': 0, 'weights': [{'points': [0, 1499]}]}]}},\n"
        "'muscles': {'m': {'kind': 'patch', 'skin': 'tube', 'contraction': 'c', 'curves': [\n"
        "[[0.25, 1, 0], [0.25, 1.9, 0]], [[0.2378, 1, 0.0773], [0.2378, 1.9, 0.0773]]]}},\n"
        "'controls': {'c': {}}}\n";
    sn_context *context = snt_context(1);
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_frame *frame = NULL;
    snt_ok(parse_quoted(context, "s.sinew.json", text, &character, error));
    snt_ok(sn_character_give_mesh(character, "tube", toy_tube(context, "tube", 0.25), error));
    snt_ok(sn_model_create(character, NULL, &model, error));
    snt_ok(sn_frame_create(model, &frame, error));
    const float *rest = sn_model_surface(model, 0)->mesh->positions;
    assert_true(fabsf(sn_frame_points(frame, 0)[1] - rest[1]) < 0.01f); // its length is 0.9 m
    snt_ok(sn_frame_set(frame, "c", 0.4, error));
    snt_ok(sn_frame_evaluate(frame, NULL, 0, error));
    const float *points = sn_frame_points(frame, 0);
    assert_true(points[1] > rest[1] + 0.5f); // the muscle is shorter
    bool below = false;
    for (uint32_t i = 3; i < 3 * 1500; ++i) {
        below = below || fabsf(points[i] - rest[i]) > 0.01f;
    }
    assert_true(below);
    assert_memory_equal(points + 4500, rest + 4500, 12 * (TOY_VERTICES - 1500));
    sn_frame_destroy(frame);
    sn_model_destroy(model);
    sn_character_destroy(character);
    snt_context_end(context);
}

// A muscle on a skin that is wrapped is carried by the weights of that skin all the same.
static void weights_of_a_wrapped_skin_carry_muscles(void **state) {
    (void)state;
    toy t = toy_make(1, "'cage': {'mesh': 'body', 'deformers': [{'kind': 'blend'}]},\n"
                        "'fine': {'mesh': 'body', 'deformers': [{'kind': 'wrap', 'driver_mesh': "
                        "'cage'}]}},\n'muscles': {'m': {'kind': 'patch', 'skin': 'fine', 'curves': "
                        "[[[0.2, 2.6, 0], [0.2, 2.9, 0]],\n"
                        "[[0.19, 2.6, 0.062], [0.19, 2.9, 0.062]]]}");
    uint32_t muscle = surface_of(t.model, "m");
    const sn_mesh *rest = sn_model_surface(t.model, muscle)->mesh;
    set(&t, "lower.ty", 0.5); // the curves hang on the last segment alone
    for (size_t i = 0; i < 3 * (size_t)rest->vertex_count; ++i) {
        snt_near(sn_frame_points(t.frame, muscle)[i] - rest->positions[i], i % 3 == 1 ? 0.5 : 0,
                 1e-6);
    }
    toy_end(&t);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    static const char text[] =
        "{'sinew': 1, 'name': 's', 'skeleton': {'root': {}}, 'meshes': {'a': {}},\n"
        "'skins': {'a': {'mesh': 'a', 'deformers': [{'kind': 'morph', 'poses': [\n"
        "{'follows': 'root.tx', 'keys': [{'at': 0, 'points': {'0': [0, 1, 0]}},\n"
        "{'at': 1, 'mesh': 'a'}]}], 'weights': [{'points': [0, 1]}]}]}}}";
    (void)user;
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_frame *frame = NULL;
    sn_mesh *mesh = NULL;
    sn_status status = parse_quoted(context, "s.json", text, &character, error);
    if (status == SN_OK) {
        status = sn_mesh_create(context, "a", 3, 0, 0, &mesh, error);
    }
    if (status == SN_OK) {
        memset(mesh->positions, 0, 36);
        status = sn_character_give_mesh(character, "a", mesh, error);
    }
    if (status == SN_OK) {
        status = sn_model_create(character, NULL, &model, error);
    }
    if (status == SN_OK) {
        status = sn_frame_create(model, &frame, error);
    }
    sn_frame_destroy(frame);
    sn_model_destroy(model);
    sn_character_destroy(character);
    return status;
}

static void survive_failing_allocations(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follow_a_joint_in_the_unit_of_its_name),
        cmocka_unit_test(see_what_synergies_and_limits_make_of_a_joint),
        cmocka_unit_test(follow_a_control_and_a_mesh),
        cmocka_unit_test(carry_over_through_a_wrap),
        cmocka_unit_test(give_the_same_bits_for_any_threads_and_order),
        cmocka_unit_test(weights_name_points_in_several_ways),
        cmocka_unit_test(weights_hold_back_a_wrap),
        cmocka_unit_test(falloff_and_muscle_lengths),
        cmocka_unit_test(weights_of_a_wrapped_skin_carry_muscles),
        cmocka_unit_test(survive_failing_allocations),
    };
    return cmocka_run_group_tests_name("eval/points", tests, NULL, NULL);
}
