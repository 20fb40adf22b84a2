// SPDX-License-Identifier: Apache-2.0
//
// Cylinder muscles from input without sense: a clear error or a defined result.
#include "test.h"

#include "../bones.h"

static const sni_muscle_ops *const ops = &sni_muscle_cylinder;

static double points[3 * BONES_MOST];

static void fails(bones *b, const char *text) {
    snt_fails(SN_INVALID, text, ops->bind(&b->job, &b->bound, error));
    assert_null(b->bound);
}

static void refuses_attachments_without_sense(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    bones_init(&b, context, ops);
    b.origins[1].point = b.origins[0].point;
    fails(&b, "biceps: its two origins are at the same place");
    bones_init(&b, context, ops);
    b.insertions[1].point = b.insertions[0].point;
    fails(&b, "biceps: its two insertions are at the same place");
    bones_init(&b, context, ops);
    for (int k = 0; k < 2; ++k) {
        b.insertions[k].point = b.origins[k].point;
    }
    fails(&b, "biceps: it has no length");
    bones_init(&b, context, ops);
    b.origins[0].point.y = NAN;
    fails(&b, "biceps: origin 1 is at (-0.02, nan, 0.02)");
    bones_init(&b, context, ops);
    b.insertions[1].segment = 7;
    fails(&b, "biceps: insertion 2 has segment 7, but there are 2");
    bones_init(&b, context, ops);
    b.rest[1].m[0] = 0;
    fails(&b, "biceps: segment 1 has no size at rest");
    bones_init(&b, context, ops);
    b.job.inputs[0] = NULL;
    fails(&b, "biceps: needs attachments");
    bones_init(&b, context, ops);
    bones_set(&b, ops, "slices", 7.5);
    fails(&b, "biceps: slices is 7.5, but must be a whole number");
    bones_init(&b, context, ops);
    bones_set(&b, ops, "points", 2);
    fails(&b, "biceps: points is 2, but must be from 3");
    snt_context_end(context);
}

static void refuses_slices_without_sense(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    bones_init(&b, context, ops);
    b.body.shape_count = 1;
    b.shapes[0] = (sni_muscle_slice_shape){.slice = 8, .scale = {1, 1}};
    fails(&b, "biceps: shape 1 is for slice 8, but the last one is 7");
    b.shapes[0] = (sni_muscle_slice_shape){.slice = 7, .scale = {1, 1}, .move = {0.01, 0, 0}};
    fails(&b, "biceps: shape 1 is for slice 7, which the bones hold");
    b.shapes[0] = (sni_muscle_slice_shape){.slice = 0, .scale = {1, 1}, .turn = {0.1, 0.1, 0}};
    fails(&b, "biceps: shape 1 is for slice 0, which the bones hold");
    b.shapes[0] = (sni_muscle_slice_shape){.slice = 3, .scale = {0, 1}};
    fails(&b, "biceps: shape 1 scales by (0, 1)");
    b.shapes[0] = (sni_muscle_slice_shape){.slice = 3, .scale = {1, 1}, .move = {NAN, 0, 0}};
    fails(&b, "moves by (nan, 0, 0)");
    b.shapes[0] = b.shapes[1] = (sni_muscle_slice_shape){.slice = 3, .scale = {1, 1}};
    b.body.shape_count = 2;
    fails(&b, "biceps: shapes 1 and 2 are for the same slice 3");
    snt_context_end(context);
}

// Poses that bring everything together, or lose a bone's size, give finite points; others fail.
static void survives_poses_without_sense(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    bones_init(&b, context, ops);
    bones_add_pivot(&b, SNI_PIVOT_BENT);
    bones_bind(&b, ops);
    sn_mat4 worlds[2] = {b.rest[0], b.rest[1]};
    sni_muscle_measure m;
    worlds[1].m[13] += 0.35; // the insertions' middle comes onto the origins'
    bones_pose(&b, ops, worlds, points);
    worlds[1] = b.rest[1];
    for (int i = 0; i < 12; ++i) {
        worlds[1].m[i] = 0; // a bone shrunk to a point
    }
    bones_pose(&b, ops, worlds, points);
    ops->measure(b.bound, points, &m);
    assert_true(isfinite(m.volume) && isfinite(m.length));
    worlds[1].m[0] = NAN;
    snt_fails(SN_INVALID, "biceps: its points are not finite in this pose",
              bones_try_pose(&b, ops, worlds, points, error));
    snt_fails(SN_INVALID, "biceps: 0 segments, but it was bound to 2",
              bones_try_pose(&b, ops, NULL, points, error));
    bones_unbind(&b, ops);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    bones b;
    sn_mesh *mesh = NULL;
    sn_status status = SN_OK;
    bones_init(&b, context, ops);
    bones_add_pivot(&b, SNI_PIVOT_BENT);
    SN_TRY(ops->bind(&b.job, &b.bound, error));
    ops->surface(b.bound, &b.surface);
    SN_TRY(ops->emit_surface(b.bound, context, 1, &mesh, error));
    SN_TRY(bones_try_pose(&b, ops, b.rest, points, error));
cleanup:
    sn_mesh_destroy(mesh);
    if (b.bound != NULL) {
        bones_unbind(&b, ops);
    }
    return status;
}

static void survives_failing_allocations(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_attachments_without_sense),
        cmocka_unit_test(refuses_slices_without_sense),
        cmocka_unit_test(survives_poses_without_sense),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
