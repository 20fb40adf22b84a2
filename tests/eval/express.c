// SPDX-License-Identifier: Apache-2.0
//
// Expressions: a skin as a mesh, and controls as morph targets.
#include "toy.h"

#include "sinew/io.h"

#define FACE TOY_BODY
#define LIVING                                                                                     \
    "'living': {'mesh': 'body', 'deformers': [{'kind': 'morph', 'poses': [{'follows': 'cling',\n"  \
    "'keys': [{'at': 0, 'points': {'7': [0.1, 0, 0]}}, {'at': 0.5, 'points': {'7': [0, 0.1, "      \
    "0]}},\n{'at': 1, 'points': {}}]}]}, {'kind': 'blend'}]}"

static sn_mesh *targets_of(toy *t, const char *skin, uint32_t control_count,
                           const uint32_t *controls, sn_express_report *report) {
    sn_express_desc desc = sn_express_desc_default();
    sn_mesh *mesh = NULL;
    desc.surface = surface_of(t->model, skin);
    desc.control_count = control_count;
    desc.controls = controls;
    snt_ok(sn_express_targets(t->model, &desc, NULL, &mesh, report, error));
    snt_ok(sn_mesh_validate(mesh, error));
    return mesh;
}

// The mesh's points plus a target times a weight.
static void apply(const sn_mesh *mesh, uint32_t number, float weight, float *points) {
    const sn_target *target = &mesh->targets[number];
    memcpy(points, mesh->positions, 12 * (size_t)mesh->vertex_count);
    for (uint32_t i = 0; i < target->count; ++i) {
        uint32_t v = target->vertices != NULL ? target->vertices[i] : i;
        for (size_t k = 0; k < 3; ++k) {
            points[3 * (size_t)v + k] += weight * target->offsets[3 * (size_t)i + k];
        }
    }
}

static double largest_difference(const float *a, const float *b) {
    double largest = 0;
    for (size_t i = 0; i < 3 * TOY_VERTICES; ++i) {
        largest = fmax(largest, fabs((double)a[i] - b[i]));
    }
    return largest;
}

static void targets_reproduce_the_skin(void **state) {
    (void)state;
    static float points[3 * TOY_VERTICES];
    toy t = toy_make(2, FACE);
    sn_expression made[4];
    sn_express_report report = {.expressions = made};
    sn_mesh *mesh = targets_of(&t, "body", 0, NULL, &report);
    // smile and bulge are morph targets; curl moves joints; nothing follows cling.
    assert_int_equal(report.count, 2);
    assert_int_equal(report.joints, 1);
    assert_int_equal(report.still, 1);
    assert_int_equal(mesh->target_count, 2);
    assert_string_equal(mesh->targets[0].name, "smile");
    assert_string_equal(mesh->targets[1].name, "bulge");
    assert_non_null(mesh->weights);
    for (uint32_t i = 0; i < 2; ++i) {
        const char *name = sn_model_control_name(t.model, made[i].control);
        sn_frame_clear(t.frame);
        snt_ok(sn_frame_set(t.frame, name, made[i].value, error));
        snt_ok(sn_frame_evaluate(t.frame, NULL, 0, error));
        apply(mesh, i, 1, points);
        assert_true(largest_difference(points, points_of(t.frame, "body")) < 3e-6); // of 3 m
        assert_int_equal(made[i].moved, mesh->targets[i].count);
        // Morph targets mix linearly: half the value is half the target.
        assert_true(made[i].half_error < 1e-6);
        snt_ok(sn_frame_set(t.frame, name, made[i].value / 4, error));
        snt_ok(sn_frame_evaluate(t.frame, NULL, 0, error));
        apply(mesh, i, 0.25f, points);
        assert_true(largest_difference(points, points_of(t.frame, "body")) < 3e-6);
    }
    assert_true(made[0].value == 2 && made[1].value == 1); // the highest values
    assert_true(report.together_error < 1e-6);
    sn_mesh_destroy(mesh);
    toy_end(&t);
}

static void says_how_far_from_linear_controls_are(void **state) {
    (void)state;
    toy t = toy_make(1, LIVING);
    sn_expression made[4];
    sn_express_report report = {.expressions = made};
    sn_mesh *mesh = targets_of(&t, "living", 0, NULL, &report);
    // cling rests at its highest value, so its target is at the lowest: (0.1, 0, 0). Half way the
    // point is at (0, 0.1, 0), half the target at (0.05, 0, 0).
    assert_int_equal(report.count, 3);
    assert_string_equal(mesh->targets[2].name, "cling");
    assert_true(made[2].value == 0 && made[2].moved == 1);
    snt_near(made[2].largest, 0.1, 1e-6);
    snt_near(made[2].half_error, sqrt(0.05 * 0.05 + 0.1 * 0.1), 1e-6);
    assert_int_equal(mesh->targets[2].count, 1);
    assert_int_equal(mesh->targets[2].vertices[0], 7);
    sn_mesh_destroy(mesh);
    toy_end(&t);
}

static void controls_that_are_asked_for_may_move_joints(void **state) {
    (void)state;
    static float points[3 * TOY_VERTICES];
    toy t = toy_make(1, FACE);
    sn_express_report report = {0};
    sn_mesh *mesh = targets_of(&t, "body", 1, (uint32_t[1]){2}, &report);
    assert_int_equal(report.count, 1);
    assert_string_equal(mesh->targets[0].name, "curl");
    snt_ok(sn_frame_set(t.frame, "curl", 1, error));
    snt_ok(sn_frame_evaluate(t.frame, NULL, 0, error));
    apply(mesh, 0, 1, points);
    // The joint drives the bulge, which is part of the expression then.
    assert_true(largest_difference(points, points_of(t.frame, "body")) < 5e-6);
    sn_mesh_destroy(mesh);
    toy_end(&t);
}

static void one_expression_is_the_skin_where_it_stands(void **state) {
    (void)state;
    toy t = toy_make(1, FACE);
    sn_mesh *mesh = NULL;
    snt_ok(sn_frame_set(t.frame, "smile", 0.8, error));
    snt_ok(sn_frame_set(t.frame, "upper.rx_deg", 30, error));
    snt_ok(sn_frame_evaluate(t.frame, NULL, 0, error));
    uint32_t surface = surface_of(t.model, "body");
    const sn_mesh *rest = sn_model_surface(t.model, surface)->mesh;
    snt_ok(sn_express_mesh(t.frame, surface, &mesh, error));
    assert_memory_equal(mesh->positions, points_of(t.frame, "body"), 12 * TOY_VERTICES);
    assert_memory_equal(mesh->corners, rest->corners, 4 * (size_t)rest->corner_count);
    assert_true(mesh->weights == NULL && mesh->target_count == 0);
    sn_mesh_destroy(mesh);
    toy_end(&t);
}

// Normals that were given for the rest pose are not those of another shape.
static void normals_are_made_anew(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_frame *frame = NULL;
    sn_mesh *mesh = NULL;
    sn_attribute *normals = NULL, *uv = NULL;
    static const char text[] =
        "{'sinew': 1, 'name': 's', 'skeleton': {'root': {}}, 'meshes': {'a': "
        "{}}, 'skins': {'a': {'mesh': 'a', 'segment': 'root'}}}";
    sn_mesh *body = toy_tube(context, "a", 0.2);
    snt_ok(sn_mesh_add_attribute(body, "normal", 3, TOY_VERTICES, false, &normals, error));
    snt_ok(sn_mesh_normals(body, body->positions, normals->values, error));
    snt_ok(sn_mesh_add_attribute(body, "uv", 2, TOY_VERTICES, false, &uv, error));
    memset(uv->values, 0, 8 * TOY_VERTICES);
    snt_ok(parse_quoted(context, "s.json", text, &character, error));
    snt_ok(sn_character_give_mesh(character, "a", body, error));
    snt_ok(sn_model_create(character, NULL, &model, error));
    snt_ok(sn_frame_create(model, &frame, error));
    snt_ok(sn_frame_set(frame, "root.rz_deg", 90, error));
    snt_ok(sn_frame_evaluate(frame, NULL, 0, error));
    snt_ok(sn_express_mesh(frame, 0, &mesh, error));
    assert_non_null(sn_mesh_find_attribute(mesh, "uv"));
    const sn_attribute *now = sn_mesh_find_attribute(mesh, "normal");
    assert_non_null(now);
    const float *then = sn_mesh_find_attribute(body, "normal")->values;
    for (size_t v = 0; v < TOY_VERTICES; ++v) {
        snt_near(now->values[3 * v], -then[3 * v + 1], 1e-4);
        snt_near(now->values[3 * v + 1], then[3 * v], 1e-4);
    }
    sn_mesh_destroy(mesh);
    sn_frame_destroy(frame);
    sn_model_destroy(model);
    sn_character_destroy(character);
    snt_context_end(context);
}

// Written, checked by the Khronos validator, and read again. Normals turn with the targets.
static void targets_survive_a_file(void **state) {
    (void)state;
    toy t = toy_make(1, FACE);
    sn_import *import = NULL;
    sn_attribute *normals = NULL;
    sn_mesh *mesh = targets_of(&t, "body", 0, NULL, NULL);
    snt_ok(sn_mesh_add_attribute(mesh, "normal", 3, TOY_VERTICES, false, &normals, error));
    snt_ok(sn_mesh_normals(mesh, mesh->positions, normals->values, error));
    sn_export_skinned_desc desc = sn_export_skinned_desc_default();
    const sn_mesh *meshes[1] = {mesh};
    desc.mesh_count = 1;
    desc.meshes = meshes;
    desc.skeleton = sn_model_skeleton(t.model);
    const char *path = snt_gltf_output("expressions.glb");
    snt_ok(sn_export_skinned(t.context, path, &desc, error));
    snt_ok(sn_import_file(t.context, path, &import, error));
    assert_int_equal(import->mesh_count, 1);
    const sn_mesh *read = import->meshes[0];
    assert_int_equal(read->target_count, 2);
    assert_string_equal(read->targets[1].name, "bulge");
    assert_int_equal(read->weights->bone_count, 3);
    static float a[3 * TOY_VERTICES], b[3 * TOY_VERTICES];
    for (uint32_t i = 0; i < 2; ++i) {
        apply(mesh, i, 1, a);
        apply(read, i, 1, b);
        assert_memory_equal(a, b, sizeof a);
    }
    sn_import_destroy(import);
    sn_mesh_destroy(mesh);
    toy_end(&t);
}

static void wrong_descriptions_are_refused(void **state) {
    (void)state;
    toy t = toy_make(1, FACE);
    sn_mesh *mesh = NULL;
    sn_express_desc desc = sn_express_desc_default(); // surface 0 is a bone
    snt_fails(SN_INVALID, "surface 0 is not a skin",
              sn_express_targets(t.model, &desc, NULL, &mesh, NULL, error));
    desc.surface = 2;
    desc.control_count = 1;
    desc.controls = (uint32_t[1]){4};
    snt_fails(SN_INVALID, "there is no control 4",
              sn_express_targets(t.model, &desc, NULL, &mesh, NULL, error));
    assert_null(mesh);
    toy_end(&t);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    static const char text[] =
        "{'sinew': 1, 'name': 's', 'meshes': {'a': {}}, 'controls': {'c': {}}, 'skins': {'a': "
        "{'mesh': 'a', 'deformers': [{'kind': 'morph', 'poses': [{'follows': 'c', 'keys': [{'at': "
        "0, 'points': {}}, {'at': 1, 'points': {'1': [0, 0, 1]}}]}]}]}}}";
    (void)user;
    sn_character *character = NULL;
    sn_model *model = NULL;
    sn_mesh *mesh = NULL, *made = NULL;
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
        sn_express_desc desc = sn_express_desc_default();
        status = sn_express_targets(model, &desc, NULL, &made, NULL, error);
    }
    sn_mesh_destroy(made);
    sn_model_destroy(model);
    sn_character_destroy(character);
    return status;
}

static void survives_failing_allocations(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_reproduce_the_skin),
        cmocka_unit_test(says_how_far_from_linear_controls_are),
        cmocka_unit_test(controls_that_are_asked_for_may_move_joints),
        cmocka_unit_test(one_expression_is_the_skin_where_it_stands),
        cmocka_unit_test(normals_are_made_anew),
        cmocka_unit_test(targets_survive_a_file),
        cmocka_unit_test(wrong_descriptions_are_refused),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests_name("eval/express", tests, NULL, NULL);
}
