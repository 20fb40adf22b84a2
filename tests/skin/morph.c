// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "deformer.h"
#include "skin/skin.h"

#include <math.h>
#include <stdlib.h>

typedef struct face {
    sn_context *context;
    sn_mesh *mesh, *driver;
    uint32_t *target_controls;
    uint32_t driver_control;
    double parameters[1];
    double controls[8];
    float *driver_points;
    uint32_t pose_count;
    const sni_pose_set *poses;
    double inputs[2];
    sni_targets_input targets_input;
    sni_driver_input driver_input;
    sni_poses_input poses_input;
    float *out;
    sni_arena arena;
    void *bound;
} face;

static face make_face(sn_context *context, uint32_t vertices) {
    face f = {.context = context, .driver_control = SN_NONE, .parameters = {1}};
    snt_ok(sn_mesh_create(context, "face", vertices, 0, 0, &f.mesh, error));
    for (uint32_t i = 0; i < 3 * vertices; ++i) {
        f.mesh->positions[i] = (float)i;
    }
    f.out = sni_alloc_zero(context, 3 * (size_t)vertices, sizeof *f.out);
    sni_arena_init(&f.arena, context);
    return f;
}

static sni_bind_job bind_job(face *f) {
    f->targets_input = (sni_targets_input){f->target_controls};
    f->driver_input = (sni_driver_input){f->driver, f->driver_control};
    f->poses_input = (sni_poses_input){f->pose_count, f->poses};
    return (sni_bind_job){.context = f->context,
                          .mesh = f->mesh,
                          .parameters = f->parameters,
                          .inputs = {f->target_controls != NULL ? &f->targets_input : NULL,
                                     f->driver != NULL ? &f->driver_input : NULL,
                                     f->pose_count > 0 ? &f->poses_input : NULL}};
}

static void bind(face *f) {
    sni_bind_job job = bind_job(f);
    sni_deformer_morph.unbind(f->context, f->bound);
    snt_ok(sni_deformer_morph.bind(&job, &f->bound, error));
}

static void deform(face *f) {
    const sni_driver_pose driver = {f->driver_points};
    const sni_poses_pose poses = {f->inputs};
    sni_deform_job job = {
        .context = f->context,
        .arena = &f->arena,
        .vertex_count = f->mesh->vertex_count,
        .points_in = f->mesh->positions,
        .points_out = f->out,
        .controls = f->controls,
        .inputs = {NULL, f->driver != NULL ? &driver : NULL, f->pose_count > 0 ? &poses : NULL}};
    snt_ok(sni_deformer_morph.deform(f->bound, &job, error));
}

static void free_face(face *f) {
    sni_deformer_morph.unbind(f->context, f->bound);
    sni_arena_deinit(&f->arena);
    sn_mesh_destroy(f->mesh);
    sn_mesh_destroy(f->driver);
    sni_free(f->context, f->out);
}

static sn_target *add_dense(face *f, float x, float y, float z) {
    sn_target *target = NULL;
    snt_ok(sn_mesh_add_target(f->mesh, "dense", f->mesh->vertex_count, false, &target, error));
    target->weight = 0;
    for (uint32_t i = 0; i < f->mesh->vertex_count; ++i) {
        memcpy(target->offsets + 3 * (size_t)i, (float[3]){x, y, z}, 12);
    }
    return target;
}

static sn_target *add_sparse(face *f, uint32_t count, const uint32_t *vertices, float x) {
    sn_target *target = NULL;
    snt_ok(sn_mesh_add_target(f->mesh, "sparse", count, true, &target, error));
    target->weight = 0;
    memcpy(target->vertices, vertices, count * sizeof *vertices);
    for (uint32_t i = 0; i < count; ++i) {
        memcpy(target->offsets + 3 * (size_t)i, (float[3]){x, 0, 0}, 12);
    }
    return target;
}

static void targets_add_up(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    face f = make_face(context, 3);
    add_dense(&f, 1, 2, 4);
    add_sparse(&f, 2, (uint32_t[2]){0, 2}, 8);
    add_dense(&f, 100, 100, 100);
    f.target_controls = (uint32_t[3]){1, 0, 2};
    f.controls[0] = -0.5;
    f.controls[1] = 2;
    bind(&f);
    deform(&f);
    const float expected[9] = {0 + 2 - 4, 1 + 4,     2 + 8, 3 + 2, 4 + 4,
                               5 + 8,     6 + 2 - 4, 7 + 4, 8 + 8};
    assert_memory_equal(f.out, expected, sizeof expected);
    free_face(&f);
    snt_context_end(context);
}

static void zero_controls_keep_every_point(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    face f = make_face(context, 5000);
    // A target that is off is not even read.
    add_dense(&f, NAN, INFINITY, 1);
    f.target_controls = (uint32_t[1]){0};
    bind(&f);
    deform(&f);
    assert_memory_equal(f.out, f.mesh->positions, 12 * 5000);
    free_face(&f);
    snt_context_end(context);
}

static void targets_without_control_keep_the_weight_of_their_file(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    face f = make_face(context, 1);
    add_dense(&f, 4, 0, 0)->weight = 0.5f;
    add_dense(&f, 0, 4, 0)->weight = 0.5f;
    f.target_controls = (uint32_t[2]){SN_NONE, 3};
    f.controls[3] = 1;
    bind(&f);
    deform(&f);
    assert_memory_equal(f.out, ((float[3]){2, 5, 2}), 12);
    free_face(&f);
    snt_context_end(context);
}

static void envelope_scales_everything(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    face f = make_face(context, 2);
    add_dense(&f, 8, 0, 0);
    f.target_controls = (uint32_t[1]){0};
    f.controls[0] = 1;
    snt_ok(sn_mesh_create(context, "scan", 2, 0, 0, &f.driver, error));
    f.driver_points = (float[6]){0, 5, 2, 3, 8, 5};
    f.parameters[0] = 0.25;
    bind(&f);
    deform(&f);
    assert_memory_equal(f.out, ((float[6]){2, 2, 2, 5, 5, 5}), 24);
    f.parameters[0] = 0;
    bind(&f);
    deform(&f);
    assert_memory_equal(f.out, f.mesh->positions, 24);
    free_face(&f);
    snt_context_end(context);
}

static void a_driver_is_a_live_target(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    face f = make_face(context, 2);
    snt_ok(sn_mesh_create(context, "scan", 2, 0, 0, &f.driver, error));
    f.driver_points = (float[6]){10, 1, 2, 3, 4, -5};
    bind(&f);
    deform(&f);
    assert_memory_equal(f.out, f.driver_points, 24);
    f.driver_control = 2;
    f.controls[2] = 0.5;
    bind(&f);
    deform(&f);
    assert_memory_equal(f.out, ((float[6]){5, 1, 2, 3, 4, 0}), 24);
    free_face(&f);
    snt_context_end(context);
}

static void a_driver_of_another_size_is_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    face f = make_face(context, 2);
    snt_ok(sn_mesh_create(context, "scan", 3, 0, 0, &f.driver, error));
    sni_bind_job job = bind_job(&f);
    snt_fails(SN_INVALID, "driver mesh \"scan\" has 3 vertices, but \"face\" has 2",
              sni_deformer_morph.bind(&job, &f.bound, error));
    assert_null(f.bound);
    free_face(&f);
    snt_context_end(context);
}

static void no_targets_and_no_vertices(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    face f = make_face(context, 3);
    bind(&f);
    deform(&f);
    assert_memory_equal(f.out, f.mesh->positions, 36);
    assert_true(sni_deformer_morph.bytes(f.bound) > 0);
    free_face(&f);
    face empty = make_face(context, 0);
    bind(&empty);
    deform(&empty);
    free_face(&empty);
    snt_context_end(context);
}

// Dense and sparse random targets over several blocks; `expected` in double, vertex by vertex.
static face random_face(sn_context *context, uint32_t vertices, double *expected) {
    snt_random random = {21};
    face f = make_face(context, vertices);
    for (uint32_t i = 0; i < 3 * vertices; ++i) {
        f.mesh->positions[i] = (float)snt_random_range(&random, -1, 1);
        expected[i] = f.mesh->positions[i];
    }
    for (uint32_t t = 0; t < 8; ++t) {
        f.controls[t] = t == 5 ? 0 : snt_random_range(&random, -1, 2);
        sn_target *target = NULL;
        bool sparse = t % 2 == 1;
        uint32_t step = sparse ? t + 2 : 1, count = (vertices + step - 1) / step;
        snt_ok(sn_mesh_add_target(f.mesh, "t", count, sparse, &target, error));
        for (uint32_t i = 0; i < count; ++i) {
            if (sparse) {
                target->vertices[i] = i * step;
            }
            for (int k = 0; k < 3; ++k) {
                float offset = (float)snt_random_range(&random, -1, 1);
                target->offsets[3 * i + k] = offset;
                expected[3 * i * step + k] += f.controls[t] * offset;
            }
        }
    }
    return f;
}

static void many_blocks_equal_double_and_each_other(void **state) {
    (void)state;
    const uint32_t threads[] = {1, 2, 3, 8, 32}, vertices = 5003;
    static const uint32_t controls[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    float *first = malloc(12 * vertices);
    double *expected = malloc(24 * vertices);
    for (int i = 0; i < 5; ++i) {
        sn_context *context = snt_context(threads[i]);
        face f = random_face(context, vertices, expected);
        f.target_controls = (uint32_t *)controls;
        bind(&f);
        deform(&f);
        for (uint32_t k = 0; i == 0 && k < 3 * vertices; ++k) {
            snt_near(f.out[k], expected[k], 2e-6);
        }
        if (i == 0) {
            memcpy(first, f.out, 12 * vertices);
        }
        assert_memory_equal(f.out, first, 12 * vertices);
        free_face(&f);
        snt_context_end(context);
    }
    free(expected);
    free(first);
}

// Point 2 of an elbow: still at 0, drawn in by 90 degrees, further by 140.
static const double elbow_inputs[3] = {0, 90, 140};
static const double elbow_offsets[9] = {0, 0, 0, 1, 0, -2, 3, 0, 0};
static const uint32_t elbow_points[1] = {2};
static const sni_pose_set elbow = {.interpolation = SN_INTERPOLATION_LINEAR,
                                   .key_count = 3,
                                   .inputs = elbow_inputs,
                                   .point_count = 1,
                                   .points = elbow_points,
                                   .offsets = elbow_offsets};

static void expect_point_2(face *f, double input, double x, double z) {
    f->inputs[0] = input;
    deform(f);
    snt_near(f->out[6] - f->mesh->positions[6], x, 1e-6);
    snt_near(f->out[8] - f->mesh->positions[8], z, 1e-6);
    assert_memory_equal(f->out, f->mesh->positions, 24); // the others stay
}

static void key_poses_are_interpolated_and_held(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    face f = make_face(context, 3);
    sni_pose_set set = elbow;
    f.poses = &set;
    f.pose_count = 1;
    bind(&f);
    expect_point_2(&f, -30, 0, 0);
    expect_point_2(&f, 0, 0, 0);
    expect_point_2(&f, 45, 0.5, -1);
    expect_point_2(&f, 90, 1, -2);
    expect_point_2(&f, 115, 2, -1);
    expect_point_2(&f, 140, 3, 0);
    expect_point_2(&f, 400, 3, 0);
    f.parameters[0] = 0.5; // the envelope
    bind(&f);
    expect_point_2(&f, 45, 0.25, -0.5);
    set.interpolation = SN_INTERPOLATION_STEPPED;
    f.parameters[0] = 1;
    bind(&f);
    expect_point_2(&f, 89, 0, 0);
    expect_point_2(&f, 91, 1, -2);
    // x rises through all keys: slopes 1/90 at the start and, at 90 degrees, the parabola's
    // (50/90 + 90 * 2/50) / 140 cut to 3/90. z turns at 90 degrees, where its slope is 0.
    set.interpolation = SN_INTERPOLATION_SMOOTH;
    bind(&f);
    double slope = (50.0 / 90 + 90 * 2.0 / 50) / 140;
    double x = 0.5 + 90 * (1.0 / 8) * (1.0 / 90) - 90 * (1.0 / 8) * slope;
    double z = -1 + 90 * (1.0 / 8) * (-2.0 / 90);
    expect_point_2(&f, 45, x, z);
    expect_point_2(&f, 90, 1, -2);
    free_face(&f);
    snt_context_end(context);
}

static void sets_of_key_poses_add_up(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    face f = make_face(context, 3);
    const sni_pose_set sets[2] = {elbow, elbow};
    f.poses = sets;
    f.pose_count = 2;
    f.inputs[1] = 140;
    add_dense(&f, 0, 0, 8);
    f.target_controls = (uint32_t[1]){0};
    f.controls[0] = 1;
    bind(&f);
    f.inputs[0] = 90;
    deform(&f);
    assert_memory_equal(f.out, ((float[9]){0, 1, 10, 3, 4, 13, 6 + 1 + 3, 7, 8 + 8 - 2}), 36);
    free_face(&f);
    snt_context_end(context);
}

static void wrong_key_poses_are_refused(void **state) {
    (void)state;
    static const double falling[3] = {0, 90, 90};
    static const double wild[9] = {0, 0, 0, 0, NAN, 0, 0, 0, 0};
    static const uint32_t far_away[1] = {3};
    sn_context *context = snt_context(1);
    face f = make_face(context, 3);
    sni_pose_set set = elbow;
    f.poses = &set;
    f.pose_count = 1;
    sni_bind_job job = bind_job(&f);
    set.inputs = falling;
    snt_fails(SN_INVALID, "morph: key poses 0: key 2 is at 90, which does not rise",
              sni_deformer_morph.bind(&job, &f.bound, error));
    set = elbow;
    set.points = far_away;
    snt_fails(SN_INVALID, "point 0 of its list is 3, of 3 vertices",
              sni_deformer_morph.bind(&job, &f.bound, error));
    set = elbow;
    set.offsets = wild;
    snt_fails(SN_INVALID, "key 1 moves point 2 by nan",
              sni_deformer_morph.bind(&job, &f.bound, error));
    set = elbow;
    set.inputs = (double[3]){-1e39, 0, 1};
    snt_fails(SN_INVALID, "key 0 is at -1e+39", sni_deformer_morph.bind(&job, &f.bound, error));
    set = elbow;
    set.key_count = 0;
    snt_fails(SN_INVALID, "no keys", sni_deformer_morph.bind(&job, &f.bound, error));
    set = elbow;
    set.interpolation = SN_INTERPOLATION_CUBIC;
    snt_fails(SN_INVALID, "no tangents", sni_deformer_morph.bind(&job, &f.bound, error));
    assert_null(f.bound);
    free_face(&f);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    face *f = user;
    const sni_poses_pose poses = {f->inputs};
    sni_deform_job job = {.vertex_count = f->mesh->vertex_count,
                          .points_in = f->mesh->positions,
                          .points_out = f->out,
                          .controls = f->controls,
                          .inputs = {NULL, NULL, &poses}};
    return snt_try_deformer(context, &sni_deformer_morph, bind_job(f), job, error);
}

static void survives_failing_allocations(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    face f = make_face(context, 20);
    add_dense(&f, 1, 2, 3);
    f.target_controls = (uint32_t[1]){0};
    f.poses = &elbow;
    f.pose_count = 1;
    f.inputs[0] = 30;
    snt_fail_allocations(attempt, &f);
    free_face(&f);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_add_up),
        cmocka_unit_test(zero_controls_keep_every_point),
        cmocka_unit_test(targets_without_control_keep_the_weight_of_their_file),
        cmocka_unit_test(envelope_scales_everything),
        cmocka_unit_test(a_driver_is_a_live_target),
        cmocka_unit_test(a_driver_of_another_size_is_refused),
        cmocka_unit_test(no_targets_and_no_vertices),
        cmocka_unit_test(many_blocks_equal_double_and_each_other),
        cmocka_unit_test(key_poses_are_interpolated_and_held),
        cmocka_unit_test(sets_of_key_poses_add_up),
        cmocka_unit_test(wrong_key_poses_are_refused),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests_name("skin/morph", tests, NULL, NULL);
}
