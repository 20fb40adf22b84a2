// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "motion/skeleton.h"
#include "skin/skin.h"

#include <math.h>

// A mesh of two weighted vertices and a skeleton of two segments, with jobs that are in order.
typedef struct fixture {
    sn_context *context;
    sn_mesh *mesh, *driver;
    sn_skeleton skeleton;
    sn_mat4 worlds[2];
    uint32_t bone_segments[2];
    double parameters[8];
    float in[6], out[6];
    sni_arena arena;
    sni_bind_job bind;
    sni_deform_job deform;
} fixture;

static void set_up(fixture *f) {
    *f = (fixture){.context = snt_context(1), .bone_segments = {0, 1}};
    snt_ok(sn_mesh_create(f->context, "skin", 2, 0, 0, &f->mesh, error));
    snt_ok(sn_mesh_create(f->context, "shirt", 2, 0, 0, &f->driver, error));
    memset(f->mesh->positions, 0, sizeof f->in);
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
    sni_arena_init(&f->arena, f->context);
    f->bind = (sni_bind_job){.context = f->context,
                             .mesh = f->mesh,
                             .parameters = f->parameters,
                             .skeleton = &f->skeleton,
                             .rest_worlds = f->worlds,
                             .bone_segments = f->bone_segments,
                             .driver_control = SN_NONE};
    f->deform = (sni_deform_job){.context = f->context,
                                 .arena = &f->arena,
                                 .vertex_count = 2,
                                 .points_in = f->in,
                                 .points_out = f->out,
                                 .segment_count = 2,
                                 .worlds = f->worlds};
}

static void tear_down(fixture *f) {
    sni_arena_deinit(&f->arena);
    sni_skeleton_deinit(f->context, &f->skeleton);
    sn_mesh_destroy(f->mesh);
    sn_mesh_destroy(f->driver);
    snt_context_end(f->context);
}

static void kinds_are_found_by_name_and_number(void **state) {
    (void)state;
    assert_ptr_equal(sni_deformer_find("blend"), &sni_deformer_blend);
    assert_ptr_equal(sni_deformer_find("morph"), &sni_deformer_morph);
    assert_ptr_equal(sni_deformer_find("wrap"), &sni_deformer_wrap);
    assert_null(sni_deformer_find("Blend"));
    assert_null(sni_deformer_find(""));
    assert_ptr_equal(sni_deformer_ops_of(SNI_DEFORMER_BLEND), &sni_deformer_blend);
    assert_ptr_equal(sni_deformer_ops_of(SNI_DEFORMER_MORPH), &sni_deformer_morph);
    assert_ptr_equal(sni_deformer_ops_of(2), &sni_deformer_wrap);
    assert_null(sni_deformer_ops_of(SNI_DEFORMER_KIND_COUNT));
    assert_null(sni_deformer_ops_of(SN_NONE));
}

static void kinds_have_what_all_need(void **state) {
    (void)state;
    for (uint32_t kind = 0; kind < SNI_DEFORMER_KIND_COUNT; ++kind) {
        const sni_deformer_ops *ops = sni_deformer_ops_of(kind);
        assert_true(ops->bind != NULL && ops->unbind != NULL);
        assert_true(ops->deform != NULL && ops->bytes != NULL);
    }
}

static void jobs_in_order_pass(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    snt_ok(sni_bind_job_validate(&sni_deformer_blend, &f.bind, error));
    snt_ok(sni_deform_job_validate(&sni_deformer_blend, &f.bind, &f.deform, error));
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
    f.bind.driver_mesh = f.driver;
    bind_fails(sni_deformer_blend, "takes no driver mesh, but was given \"shirt\"");
    f.bind.driver_mesh = NULL;
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

#define deform_fails(text)                                                                         \
    snt_fails(SN_INVALID, text,                                                                    \
              sni_deform_job_validate(&sni_deformer_blend, &f.bind, &f.deform, error))

static void bad_deform_jobs_are_refused(void **state) {
    (void)state;
    fixture f;
    set_up(&f);
    const sni_deform_job good = f.deform;
    f.deform.vertex_count = 3;
    deform_fails("3 points, but it was bound to 2");
    f.deform = good;
    f.deform.points_in = NULL;
    deform_fails("no points in");
    f.deform = good;
    f.deform.points_out = NULL;
    deform_fails("no points out");
    f.deform = good;
    f.deform.points_out = f.in + 3;
    deform_fails("overlap");
    f.deform = good;
    f.deform.segment_count = 1;
    deform_fails("1 segments, but it was bound to 2");
    f.deform = good;
    f.deform.worlds = NULL;
    deform_fails("0 segments, but it was bound to 2");
    f.deform = good;
    f.deform.arena = NULL;
    deform_fails("no scratch memory");
    f.deform = good;
    f.deform.time_step = -1;
    deform_fails("time step -1");
    f.deform = good;
    f.skeleton.segments[1].name = sni_string_copy(f.context, "elbow");
    f.worlds[1].m[5] = NAN;
    deform_fails("the matrix of segment 1 (\"elbow\") has nan");
    f.worlds[1].m[5] = 1;
    f.bind.driver_mesh = f.driver;
    snt_fails(SN_INVALID, "no points of its driver mesh \"shirt\"",
              sni_deform_job_validate(&sni_deformer_morph, &f.bind, &f.deform, error));
    tear_down(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_found_by_name_and_number),
        cmocka_unit_test(kinds_have_what_all_need),
        cmocka_unit_test(jobs_in_order_pass),
        cmocka_unit_test(bad_parameters_are_refused),
        cmocka_unit_test(bad_bind_jobs_are_refused),
        cmocka_unit_test(bad_deform_jobs_are_refused),
    };
    return cmocka_run_group_tests_name("skin/skin", tests, NULL, NULL);
}
