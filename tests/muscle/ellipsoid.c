// SPDX-License-Identifier: Apache-2.0
//
// Ellipsoid muscles: between one origin and one insertion, of constant volume.
#include "test.h"

#include "bones.h"

static const sni_muscle_ops *const ops = &sni_muscle_ellipsoid;

static double points[3 * BONES_MOST], others[3 * BONES_MOST];

// All vertices are on the ellipsoid whose poles are the attachments.
static void lies_between_its_attachments(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    bones_init(&b, context, ops);
    bones_set(&b, ops, "width", 0.08);
    bones_set(&b, ops, "thickness", 0.05);
    b.origins[0].point.x = b.insertions[0].point.x = 0;
    bones_bind(&b, ops);
    bones_pose(&b, ops, b.rest, points);
    for (uint32_t i = 0; i < b.surface.point_count; ++i) {
        sn_vec3 p = sn_vec3_sub(bones_point(points, i), sn_vec3_make(0, 0.775, 0.02));
        double x = p.x / 0.04, y = p.y / 0.175, z = p.z / 0.025;
        snt_near(x * x + y * y + z * z, 1, 1e-12);
    }
    sn_mesh *mesh = NULL;
    snt_ok(ops->emit_surface(b.bound, context, 1, &mesh, error));
    snt_ok(sn_mesh_validate(mesh, error));
    sn_mass mass;
    snt_ok(
        sn_mass_compute(context, mesh->positions, mesh->corners, mesh->face_count, &mass, error));
    sni_muscle_measure m;
    ops->measure(b.bound, NULL, &m);
    snt_near(m.volume / mass.volume, 1, 1e-5);
    assert_true(mass.volume > 0 && mass.volume < 4 * SN_PI / 3 * 0.04 * 0.025 * 0.175);
    // A finer one comes closer to the ellipsoid's volume.
    sn_mesh_destroy(mesh);
    bones_unbind(&b, ops);
    bones_set(&b, ops, "slices", 60);
    bones_set(&b, ops, "points", 60);
    bones_bind(&b, ops);
    ops->measure(b.bound, NULL, &m);
    snt_near(m.volume / (4 * SN_PI / 3 * 0.04 * 0.025 * 0.175), 1, 0.005);
    bones_unbind(&b, ops);
    snt_context_end(context);
}

static void keeps_its_volume_and_moves_rigidly(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {4};
    bones b;
    bones_init(&b, context, ops);
    bones_bind(&b, ops);
    bones_pose(&b, ops, b.rest, points);
    sni_muscle_measure rest, now;
    ops->measure(b.bound, NULL, &rest);
    ops->measure(b.bound, points, &now);
    bones_same_measure(&rest, &now);
    for (int round = 0; round < 100; ++round) {
        sn_mat4 worlds[2], moved[2], place = bones_random_rigid(&random);
        bones_bend(&b,
                   sn_vec3_make(snt_random_range(&random, -2, 2), bones_random(&random),
                                bones_random(&random)),
                   worlds);
        for (int k = 0; k < 2; ++k) {
            moved[k] = sn_mat4_multiply(&place, &worlds[k]);
        }
        bones_pose(&b, ops, worlds, others);
        bones_pose(&b, ops, moved, points);
        snt_near(bones_difference(&b, points, &place, others), 0, 1e-9);
        ops->measure(b.bound, points, &now);
        snt_near(now.volume / rest.volume, 1, 1e-9);
    }
    bones_unbind(&b, ops);
    snt_context_end(context);
}

static void refuses_what_makes_no_sense(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    bones b;
    bones_init(&b, context, ops);
    b.insertions[0].point = b.origins[0].point;
    snt_fails(SN_INVALID, "biceps: it has no length", ops->bind(&b.job, &b.bound, error));
    bones_init(&b, context, ops);
    b.origins[0].normal.x = NAN;
    snt_fails(SN_INVALID, "where the bone's normal is (nan, 0, 1)",
              ops->bind(&b.job, &b.bound, error));
    bones_init(&b, context, ops);
    bones_set(&b, ops, "slices", 2.5);
    snt_fails(SN_INVALID, "biceps: slices is 2.5, but must be a whole number",
              ops->bind(&b.job, &b.bound, error));
    bones_init(&b, context, ops);
    bones_bind(&b, ops);
    sn_mat4 worlds[2] = {b.rest[0], b.rest[1]};
    worlds[1].m[12] = NAN;
    snt_fails(SN_INVALID, "biceps: its points are not finite in this pose",
              bones_try_pose(&b, ops, worlds, points, error));
    bones_unbind(&b, ops);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    bones b;
    bones_init(&b, context, ops);
    sn_status status = ops->bind(&b.job, &b.bound, error);
    if (status == SN_OK) {
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
        cmocka_unit_test(lies_between_its_attachments),
        cmocka_unit_test(keeps_its_volume_and_moves_rigidly),
        cmocka_unit_test(refuses_what_makes_no_sense),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
