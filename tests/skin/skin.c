// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "motion/skeleton.h"
#include "skin/skin.h"

#include <math.h>

// A mesh of two weighted vertices and a skeleton of two segments, with a job that is in order.
typedef struct fixture {
    sn_context *context;
    sn_mesh *mesh;
    sn_skeleton skeleton;
    sn_mat4 worlds[2];
    uint32_t bone_segments[2];
    sni_weights_input weights;
    double parameters[8];
    sni_bind_job bind;
} fixture;

static void set_up(fixture *f) {
    *f = (fixture){.context = snt_context(1), .bone_segments = {0, 1}};
    snt_ok(sn_mesh_create(f->context, "skin", 2, 0, 0, &f->mesh, error));
    memset(f->mesh->positions, 0, 6 * sizeof(float));
    snt_ok(sn_mesh_set_weights(f->mesh, 2, 2, false, error));
    for (uint32_t i = 0; i < 2; ++i) {
        f->mesh->weights->offsets[i] = i;
        f->mesh->weights->bones[i] = i;
        f->mesh->weights->values[i] = 1;
        f->worlds[i] = sn_mat4_identity();
    }
    snt_ok(sn_mesh_name_bone(f->mesh, 1, "elbow", error));
    snt_ok(sni_skeleton_init(f->context, 2, &f->skeleton, error));
    sni_parameters_defaults(&sni_deformer_blend.parameters, f->parameters);
    f->weights.bone_segments = f->bone_segments;
    f->bind = (sni_bind_job){.context = f->context,
                             .mesh = f->mesh,
                             .parameters = f->parameters,
                             .skeleton = &f->skeleton,
                             .rest_worlds = f->worlds,
                             .inputs = {&f->weights}};
}

static void tear_down(fixture *f) {
    sni_skeleton_deinit(f->context, &f->skeleton);
    sn_mesh_destroy(f->mesh);
    snt_context_end(f->context);
}

static void kinds_are_found_by_name_and_number(void **state) {
    (void)state;
    assert_ptr_equal(sni_deformer_find("blend"), &sni_deformer_blend);
    assert_ptr_equal(sni_deformer_find("morph"), &sni_deformer_morph);
    assert_ptr_equal(sni_deformer_find("wrap"), &sni_deformer_wrap);
    assert_null(sni_deformer_find("Blend"));
    assert_null(sni_deformer_find(""));
    assert_ptr_equal(sni_deformer_ops_of(0), &sni_deformer_blend);
    assert_ptr_equal(sni_deformer_ops_of(1), &sni_deformer_morph);
    assert_ptr_equal(sni_deformer_ops_of(2), &sni_deformer_wrap);
    assert_null(sni_deformer_ops_of(sni_deformer_kind_count()));
    assert_null(sni_deformer_ops_of(SN_NONE));
}

static void kinds_have_what_all_need(void **state) {
    (void)state;
    for (uint32_t kind = 0; kind < sni_deformer_kind_count(); ++kind) {
        const sni_deformer_ops *ops = sni_deformer_ops_of(kind);
        assert_true(ops->bind != NULL && ops->unbind != NULL);
        assert_true(ops->deform != NULL && ops->bytes != NULL);
    }
}

static void kinds_take_the_inputs_that_they_list(void **state) {
    (void)state;
    const void *blocks[SNI_INPUTS_MOST] = {"driver", "sets"};
    const sni_input_use *wrap = sni_deformer_wrap.inputs;
    assert_true(sni_input_is_taken(wrap, &sni_input_driver));
    assert_true(sni_input_is_taken(wrap, &sni_input_sets));
    assert_false(sni_input_is_taken(wrap, &sni_input_muscles));
    assert_ptr_equal(sni_input_find(wrap, blocks, &sni_input_driver), blocks[0]);
    assert_ptr_equal(sni_input_find(wrap, blocks, &sni_input_sets), blocks[1]);
    assert_null(sni_input_find(wrap, blocks, &sni_input_muscles));
}

static void a_job_in_order_passes(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    snt_ok(sni_bind_job_validate(&sni_deformer_blend, &f.bind, error));
    tear_down(&f);
}

#define bind_fails(ops, text)                                                                      \
    do {                                                                                           \
        snt_fails(SN_INVALID, text, sni_bind_job_validate(&(ops), &f.bind, error));                \
        void *bound = &f;                                                                          \
        snt_fails(SN_INVALID, text, (ops).bind(&f.bind, &bound, error));                           \
        assert_null(bound);                                                                        \
    } while (0)

static void bad_parameters_are_refused(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    f.parameters[0] = 2;
    bind_fails(sni_deformer_blend, "blend: method is 2, but must be from 0 to 1");
    f.parameters[0] = 0.5;
    bind_fails(sni_deformer_blend, "blend: method is 0.5, but must be a whole number");
    f.bind.inputs[0] = NULL;
    f.parameters[0] = NAN;
    bind_fails(sni_deformer_morph, "morph: envelope is nan");
    f.parameters[0] = -0.25;
    bind_fails(sni_deformer_morph, "morph: envelope is -0.25, but must be from 0 to 1");
    f.bind.parameters = NULL;
    bind_fails(sni_deformer_morph, "no parameters");
    tear_down(&f);
}

static void bad_bind_jobs_are_refused(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    f.bone_segments[1] = 7;
    bind_fails(sni_deformer_blend, "bone 1 (\"elbow\") has segment 7, but there are 2");
    f.bone_segments[1] = SN_NONE;
    bind_fails(sni_deformer_blend, "bone 1 (\"elbow\")");
    f.bone_segments[1] = 1;
    f.bind.inputs[0] = NULL;
    bind_fails(sni_deformer_blend, "blend: needs weights");
    f.bind.inputs[0] = &f.weights;
    f.bind.skeleton = NULL;
    bind_fails(sni_deformer_blend, "there is no skeleton");
    f.bind.skeleton = &f.skeleton;
    sn_weights *weights = f.mesh->weights;
    f.mesh->weights = NULL;
    bind_fails(sni_deformer_blend, "mesh \"skin\" has no weights");
    f.mesh->weights = weights;
    f.bind.mesh = NULL;
    snt_fails(SN_INVALID, "no mesh", sni_bind_job_validate(&sni_deformer_blend, &f.bind, error));
    tear_down(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_found_by_name_and_number),
        cmocka_unit_test(kinds_have_what_all_need),
        cmocka_unit_test(kinds_take_the_inputs_that_they_list),
        cmocka_unit_test(a_job_in_order_passes),
        cmocka_unit_test(bad_parameters_are_refused),
        cmocka_unit_test(bad_bind_jobs_are_refused),
    };
    return cmocka_run_group_tests_name("skin/skin", tests, NULL, NULL);
}
