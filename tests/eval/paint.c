// SPDX-License-Identifier: Apache-2.0
//
// Values painted on single points in documents: weights of deformers, of `blend`, and pins.
#include "toy.h"

#define MORPH(weights) "'body': {'mesh': 'body', 'deformers': [{'kind': 'morph', " weights "}]}"
#define BLEND(paint) "'body': {'mesh': 'body', 'deformers': [{'kind': 'blend', " paint "}]}"

enum { ROOT, UPPER, LOWER, SEGMENTS };
static const char *const segments[SEGMENTS] = {"root", "upper", "lower"};

// The weights of the skin's points on each segment.
static void read_weights(const toy *t, float (*weights)[TOY_VERTICES]) {
    sn_values_desc desc = sn_values_desc_default();
    desc.quantity = SN_QUANTITY_WEIGHTS;
    for (int k = 0; k < SEGMENTS; ++k) {
        desc.segment = segments[k];
        snt_ok(sn_frame_values(t->frame, surface_of(t->model, "body"), &desc, weights[k], error));
    }
}

static void expect_weights(float (*weights)[TOY_VERTICES], uint32_t vertex, double root,
                           double upper, double lower) {
    snt_near(weights[ROOT][vertex], root, 1e-6);
    snt_near(weights[UPPER][vertex], upper, 1e-6);
    snt_near(weights[LOWER][vertex], lower, 1e-6);
}

static void points_are_named_as_text(void **state) {
    (void)state;
    toy t = toy_make(1, MORPH("'weights': [{'weight': 0.5}, {'points': '3, 10-12,2999', 'weight': "
                              "0.25}, {'points': '11,12', 'values': [0, 1]}, {'points': [20, 21], "
                              "'values': [0.5, 1], 'weight': 0.5}]"));
    float values[TOY_VERTICES];
    sn_values_desc desc = sn_values_desc_default();
    desc.quantity = SN_QUANTITY_WEIGHTS;
    desc.deformer = 0;
    snt_ok(sn_frame_values(t.frame, surface_of(t.model, "body"), &desc, values, error));
    assert_true(values[0] == 0.5f && values[3] == 0.25f && values[10] == 0.25f);
    assert_true(values[11] == 0 && values[12] == 1 && values[2999] == 0.25f);
    assert_true(values[20] == 0.25f && values[21] == 0.5f && values[22] == 0.5f);
    toy_end(&t);
}

static void painted_points_take_their_part_of_the_effect(void **state) {
    (void)state;
    toy plain = toy_make(1, "'body': {'mesh': 'body', 'deformers': [{'kind': 'morph'}]}");
    toy t = toy_make(1, MORPH("'weights': [{}, {'points': '7', 'values': [0.5]}]"));
    snt_ok(sn_frame_set(plain.frame, "smile", 1, error));
    snt_ok(sn_frame_set(t.frame, "smile", 1, error));
    snt_ok(sn_frame_evaluate(plain.frame, NULL, 0, error));
    snt_ok(sn_frame_evaluate(t.frame, NULL, 0, error));
    const float *rest = sn_model_surface(t.model, surface_of(t.model, "body"))->mesh->positions;
    const float *whole = points_of(plain.frame, "body"), *half = points_of(t.frame, "body");
    for (uint32_t k = 21; k < 24; ++k) {
        snt_near(half[k] - rest[k], (whole[k] - rest[k]) / 2, 1e-6);
        snt_near(half[k - 3], whole[k - 3], 0);
    }
    toy_end(&plain);
    toy_end(&t);
}

static void other_weights_keep_their_proportions(void **state) {
    (void)state;
    static float weights[SEGMENTS][TOY_VERTICES], before[SEGMENTS][TOY_VERTICES];
    toy plain = toy_make(1, BLEND("'about': 'as it is'"));
    read_weights(&plain, before);
    toy_end(&plain);
    // A vertex between root and upper, one between upper and lower, one on root alone, and the last
    // one, which is on lower alone.
    uint32_t low = 50 * TOY_SIDES, high = 95 * TOY_SIDES, last = TOY_VERTICES - 1;
    char skins[512];
    snprintf(skins, sizeof skins,
             BLEND("'paint': [{'segment': 'lower', 'points': '0,1,%u,%u,%u', 'values': [0.25, 0, "
                   "0.5, 0.75, 0.25]}]"),
             low, high, last);
    toy t = toy_make(1, skins);
    read_weights(&t, weights);
    expect_weights(weights, 0, 0.75, 0, 0.25);
    expect_weights(weights, 1, 1, 0, 0);
    expect_weights(weights, low, before[ROOT][low] / 2, before[UPPER][low] / 2, 0.5);
    assert_true(before[UPPER][high] > 0.1f && before[LOWER][high] > 0.1f);
    expect_weights(weights, high, 0, 0.25, 0.75);
    expect_weights(weights, last, 0, 0, 1); // there is nothing that could take the rest
    for (uint32_t v = 0; v < TOY_VERTICES; ++v) {
        snt_near(weights[ROOT][v] + weights[UPPER][v] + weights[LOWER][v], 1, 1e-6);
    }
    // Other points keep their weights to the last bit.
    assert_memory_equal(&weights[UPPER][low + 1], &before[UPPER][low + 1], 40 * sizeof(float));
    toy_end(&t);
}

static void entries_lie_over_each_other(void **state) {
    (void)state;
    static float weights[SEGMENTS][TOY_VERTICES];
    toy t = toy_make(1, BLEND("'paint': [{'segment': 'lower', 'points': '0-9', 'weight': 0.5}, "
                              "{'segment': 'upper', 'points': '5-9', 'weight': 0.5}, "
                              "{'segment': 'lower', 'points': '9', 'weight': 0}]"));
    read_weights(&t, weights);
    expect_weights(weights, 4, 0.5, 0, 0.5);
    expect_weights(weights, 5, 0.25, 0.5, 0.25);
    expect_weights(weights, 9, 1 / 3.0, 2 / 3.0, 0);
    toy_end(&t);
}

static void painted_points_move_with_their_segment(void **state) {
    (void)state;
    toy t = toy_make(2, BLEND("'paint': [{'segment': 'lower', 'points': '0-19'}]"));
    snt_ok(sn_frame_set(t.frame, "lower.rx_deg", 70, error));
    snt_ok(sn_frame_set(t.frame, "upper.ry_deg", 20, error));
    snt_ok(sn_frame_evaluate(t.frame, NULL, 0, error));
    sn_mat4 inverse;
    sn_mat4_invert(&sn_model_rest_worlds(t.model)[2], &inverse);
    sn_mat4 moves = sn_mat4_multiply(&sn_frame_worlds(t.frame)[2], &inverse);
    const float *rest = sn_model_surface(t.model, surface_of(t.model, "body"))->mesh->positions;
    for (uint32_t v = 0; v < 20; ++v) {
        sn_vec3 expected = sn_mat4_point(&moves, sn_vec3_load(rest + 3 * (size_t)v));
        sn_vec3 found = sn_vec3_load(points_of(t.frame, "body") + 3 * (size_t)v);
        snt_near(sn_vec3_distance(expected, found), 0, 1e-5);
    }
    toy_end(&t);
}

// A skinned file has the painted weights: read back and played by them alone, it moves alike.
static void skinned_files_have_painted_weights(void **state) {
    (void)state;
    toy t =
        toy_make(1, BLEND("'paint': [{'segment': 'lower', 'points': '0-1499', 'weight': 0.5}]"));
    const char *path = snt_gltf_output("painted.glb");
    sn_bake_desc desc = sn_bake_desc_default();
    desc.motion = t.motion;
    desc.last = 30;
    desc.glb = SN_GLB_SKINNED;
    snt_ok(sn_bake(t.frame, &desc, path, NULL, error));
    sn_import *import = NULL;
    snt_ok(sn_import_file(t.context, path, &import, error));
    const sn_weights *weights = import->meshes[0]->weights;
    double lower = 0;
    for (uint32_t i = weights->offsets[0]; i < weights->offsets[1]; ++i) {
        bool is_lower = strcmp(weights->bone_names[weights->bones[i]], "lower") == 0;
        lower += is_lower ? (double)weights->values[i] : 0;
    }
    snt_near(lower, 0.5, 1e-4);
    sn_import_destroy(import);
    toy_end(&t);
}

static void values_must_fit(void **state) {
    (void)state;
    static const struct {
        const char *skins, *message;
    } cases[] = {
        {MORPH("'weights': [{'points': '1,2', 'values': [0]}]"),
         "/skins/body/deformers/0/weights/0/values: there are 1 values for 2 points"},
        {MORPH("'weights': [{'points': '1,3000'}]"),
         "/weights/0/points: \"3000\" is not a number or range below 3000"},
        {BLEND("'paint': [{'segment': 'lower', 'points': 'all', 'values': [1]}]"),
         "/skins/body/deformers/0/paint/0/values: there are 1 values for 3000 points"},
        {BLEND("'paint': [{'segment': 'lower', 'points': [0, 3000]}]"),
         "/paint/0/points: the mesh \"body\" has 3000 vertices, there is no vertex 3000"},
    };
    sn_context *context = snt_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_character *character = toy_with(context, cases[i].skins);
        sn_model *model = NULL;
        snt_fails(SN_INVALID, cases[i].message, sn_model_create(character, NULL, &model, error));
        sn_character_destroy(character);
    }
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_model *model = NULL;
    sn_character *character = NULL;
    sn_status status = SN_OK;
    char text[4096];
    snprintf(text, sizeof text, "%s'skins': {%s},\n%s", toy_head,
             BLEND("'paint': [{'segment': 'lower', 'points': '0-3', 'values': [0, 1, 0, 1]}]"),
             toy_tail);
    SN_TRY(parse_quoted(context, "toy.sinew.json", text, &character, error));
    sn_mesh *mesh = NULL;
    SN_TRY(sn_mesh_create(context, "body", 4, 0, 0, &mesh, error));
    memset(mesh->positions, 0, 12 * sizeof *mesh->positions);
    if ((status = sn_mesh_set_weights(mesh, 1, 4, true, error)) != SN_OK ||
        (status = sn_mesh_name_bone(mesh, 0, "root", error)) != SN_OK) {
        sn_mesh_destroy(mesh);
        goto cleanup;
    }
    mesh->weights->inverse_bind[0] = sn_mat4_identity();
    for (uint32_t v = 0; v < 4; ++v) {
        mesh->weights->offsets[v] = v;
        mesh->weights->bones[v] = 0;
        mesh->weights->values[v] = 1;
    }
    SN_TRY(sn_character_give_mesh(character, "body", mesh, error));
    SN_TRY(sn_mesh_create(context, "bone", 0, 0, 0, &mesh, error));
    SN_TRY(sn_character_give_mesh(character, "bone", mesh, error));
    SN_TRY(sn_model_create(character, NULL, &model, error));
    const sn_surface *body = sn_model_surface(model, surface_of(model, "body"));
    assert_int_equal(body->mesh->weights->bone_count, 2); // one that was painted
    assert_string_equal(body->mesh->weights->bone_names[1], "lower");
    assert_int_equal(body->bone_segments[1], 2);
    assert_true(body->mesh->weights->inverse_bind[1].m[13] == -2); // from where it stands at rest
cleanup:
    sn_model_destroy(model);
    sn_character_destroy(character);
    return status;
}

static void bones_are_added_and_memory_may_run_out(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_named_as_text),
        cmocka_unit_test(painted_points_take_their_part_of_the_effect),
        cmocka_unit_test(other_weights_keep_their_proportions),
        cmocka_unit_test(entries_lie_over_each_other),
        cmocka_unit_test(painted_points_move_with_their_segment),
        cmocka_unit_test(skinned_files_have_painted_weights),
        cmocka_unit_test(values_must_fit),
        cmocka_unit_test(bones_are_added_and_memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
