// SPDX-License-Identifier: Apache-2.0
#include "documents.h"

#include "character/inner.h"
#include "motion/skeleton.h"

static sn_mesh *make_triangle(sn_context *context, sn_error *error) {
    static const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    sn_mesh *mesh = NULL;
    if (sn_mesh_create(context, "t", 3, 1, 3, &mesh, error) == SN_OK) {
        memcpy(mesh->positions, corners, sizeof corners);
        memcpy(mesh->corners, (uint32_t[3]){0, 1, 2}, 3 * sizeof(uint32_t));
        mesh->face_offsets[1] = 3;
    }
    return mesh;
}

static void meshes_stand_where_their_segment_does(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_error error = {0};
    sn_mesh *mesh = make_triangle(context, &error);
    sn_mat4 place = sn_mat4_identity();
    place.m[0] = 2; // twice as large along x
    place.m[14] = 5;
    sni_inner inner;
    assert_int_equal(sni_inner_from_mesh(context, "bone", mesh, &place, &inner, &error), SN_OK);
    assert_string_equal(inner.view.name, "\"bone\"");
    sn_hit hit;
    sn_accel_cast(inner.view.accel, sn_vec3_make(1.5, 0.1, 9), sn_vec3_make(0, 0, -1), 0, 100,
                  &hit);
    snt_near(hit.distance, 4, 1e-6);
    sni_inner_deinit(&inner);
    assert_null(inner.view.name);
    sn_mesh_destroy(mesh);
    snt_context_end(context);
}

// A trunk, an arm and a node that carries no weights.
static sn_status make_skeleton(sn_context *context, sn_skeleton *skeleton, sn_error *error) {
    static const char *const names[] = {"trunk", "arm", "helper"};
    sn_status status = sni_skeleton_init(context, 3, skeleton, error);
    for (uint32_t i = 0; i < 3 && status == SN_OK; ++i) {
        skeleton->segments[i].name = sni_string_copy(context, names[i]);
        skeleton->segments[i].parent = i == 0 ? SN_NONE : 0;
        skeleton->segments[i].rest.translation = sn_vec3_make(i == 1, i == 2 ? 7 : 0, 0);
        status = skeleton->segments[i].name != NULL ? SN_OK : sni_fail_memory(error);
    }
    return status == SN_OK ? sni_skeleton_sort(context, skeleton, error) : status;
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_skeleton skeleton = {0};
    sni_inner limbs = {0}, bone = {0};
    sn_mesh *mesh = make_triangle(context, error);
    sn_status status = mesh != NULL ? make_skeleton(context, &skeleton, error) : error->status;
    if (status == SN_OK) {
        status = sn_mesh_set_weights(mesh, 2, 3, false, error);
    }
    for (uint32_t i = 0; i < 3 && status == SN_OK; ++i) {
        mesh->weights->offsets[i] = i;
        mesh->weights->bones[i] = i % 2;
        mesh->weights->values[i] = 1;
        status = i < 2 ? sn_mesh_name_bone(mesh, i, i == 0 ? "trunk" : "arm", error) : SN_OK;
    }
    if (status == SN_OK) {
        status = sni_inner_from_skeleton(context, &skeleton, mesh, NULL, &limbs, error);
    }
    if (status == SN_OK) {
        // From the trunk to the arm, and half as far beyond it; not to the helper.
        assert_int_equal(limbs.view.line_count, 2);
        snt_near(limbs.view.lines[0].x, 0, 0);
        snt_near(limbs.view.lines[1].x, 1, 0);
        snt_near(limbs.view.lines[3].x, 1.5, 0);
        status = sni_inner_from_mesh(context, "t", mesh, NULL, &bone, error);
    }
    sni_inner_deinit(&bone);
    sni_inner_deinit(&limbs);
    sni_skeleton_deinit(context, &skeleton);
    sn_mesh_destroy(mesh);
    return status;
}

static void limbs_are_those_of_the_weights(void **state) {
    (void)state;
    snt_fail_allocations(attempt, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_stand_where_their_segment_does),
        cmocka_unit_test(limbs_are_those_of_the_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
