// SPDX-License-Identifier: Apache-2.0
#include "build.h"

static void walks_parents_first(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const snt_bone bones[] = {{"c", 2, {0}}, {"d", 0, {0}}, {"b", 3, {0}}, {"a", -1, {0}}};
    sn_skeleton skeleton = snt_skeleton(context, bones, 4);
    const uint32_t expected[] = {3, 2, 0, 1};
    assert_memory_equal(skeleton.parents_first, expected, sizeof expected);
    sni_skeleton_deinit(context, &skeleton);
    snt_context_end(context);
}

static void refuses_cycles_and_bad_parents(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const snt_bone bones[] = {{"a", -1, {0}}, {"b", 0, {0}}, {"c", 1, {0}}};
    sn_skeleton skeleton = snt_skeleton(context, bones, 3);
    skeleton.segments[1].parent = 2;
    snt_fails(SN_INVALID, "the parents of segment 1 (\"b\") form a cycle",
              sni_skeleton_sort(context, &skeleton, error));
    skeleton.segments[1].parent = 1;
    snt_fails(SN_INVALID, "form a cycle", sni_skeleton_sort(context, &skeleton, error));
    skeleton.segments[1].parent = 3;
    snt_fails(SN_INVALID, "segment 1 has parent 3 of 3 segments",
              sni_skeleton_sort(context, &skeleton, error));
    sni_skeleton_deinit(context, &skeleton);
    snt_context_end(context);
}

// A chain along x, turned by quarter turns: places by hand.
static void chains_its_frames(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const snt_bone bones[] = {
        {"a", -1, {1, 0, 0}}, {"b", 0, {2, 0, 0}}, {"c", 1, {3, 0, 0}}};
    sn_skeleton skeleton = snt_skeleton(context, bones, 3);
    double quarter[SN_JOINT_PARAMETER_COUNT] = {
        [SN_JOINT_RZ] = SN_PI / 2, [SN_JOINT_SX] = 1, [SN_JOINT_SY] = 1, [SN_JOINT_SZ] = 1};
    sn_transform locals[3];
    sn_mat4 worlds[3];
    for (int i = 0; i < 3; ++i) {
        locals[i] = sni_segment_local(&skeleton.segments[i], quarter);
    }
    sni_skeleton_world(&skeleton, locals, worlds);
    // a at (1, 0) now looks along +y, b at (1, 2) along -x, c at (-2, 2) along -y.
    snt_near(worlds[1].m[12], 1, 4e-15);
    snt_near(worlds[1].m[13], 2, 4e-15);
    snt_near(worlds[2].m[12], -2, 4e-15);
    snt_near(worlds[2].m[13], 2, 4e-15);
    snt_vec3_near(sn_mat4_point(&worlds[2], sn_vec3_make(1, 0, 0)), sn_vec3_make(-2, 1, 0), 4e-15);
    // A scale of the middle one stretches what is behind it.
    locals[1].scale = sn_vec3_make(2, 1, 1);
    sni_skeleton_world(&skeleton, locals, worlds);
    snt_near(worlds[2].m[12], -5, 4e-15);
    sni_skeleton_deinit(context, &skeleton);
    snt_context_end(context);
}

static void parameters_give_back_their_transform(void **state) {
    (void)state;
    snt_random random = {17};
    for (int round = 0; round < 2000; ++round) {
        sn_segment segment = {.order = (sn_rotation_order)(round % 6)};
        segment.rest = (sn_transform){{1, 2, 3}, snt_random_quat(&random), {1, 2, 0.5}};
        double p[SN_JOINT_PARAMETER_COUNT], q[SN_JOINT_PARAMETER_COUNT];
        for (int i = 0; i < SN_JOINT_PARAMETER_COUNT; ++i) {
            p[i] = snt_random_range(&random, i < 3 ? -1.5 : 0.5, 1.5);
        }
        sn_transform local = sni_segment_local(&segment, p);
        sni_segment_parameters(&segment, &local, q);
        for (int i = 0; i < SN_JOINT_PARAMETER_COUNT; ++i) {
            snt_near(p[i], q[i], 1e-12);
        }
    }
}

static void a_flat_rest_scale_reads_as_one(void **state) {
    (void)state;
    sn_segment segment = {.rest = {{0, 0, 0}, {0, 0, 0, 1}, {0, 1, 1}}};
    double p[SN_JOINT_PARAMETER_COUNT];
    sni_segment_parameters(&segment, &segment.rest, p);
    assert_true(p[SN_JOINT_SX] == 1);
}

static sn_status make_skeletons(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sn_status status = SN_OK;
    sn_skeleton a = {0}, b = {0};
    sni_name_index names = {0};
    SN_TRY(sni_skeleton_init(context, 3, &a, error));
    for (uint32_t i = 0; i < 3; ++i) {
        a.segments[i].name = sni_string_copy(context, "name");
        if (a.segments[i].name == NULL) {
            status = sni_fail_memory(error);
            goto cleanup;
        }
    }
    SN_TRY(sni_skeleton_sort(context, &a, error));
    SN_TRY(sni_skeleton_copy(context, &a, &b, error));
    SN_TRY(sni_skeleton_index(context, &b, &names, error));
cleanup:
    sni_name_index_deinit(context, &names);
    sni_skeleton_deinit(context, &a);
    sni_skeleton_deinit(context, &b);
    return status;
}

static void survives_failing_allocations(void **state) {
    (void)state;
    snt_fail_allocations(make_skeletons, NULL);
}

static void a_wrong_order_is_found(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const snt_bone bones[] = {{"a", -1, {0}}, {"b", 0, {0}}, {"c", 1, {0}}};
    sn_skeleton skeleton = snt_skeleton(context, bones, 3);
    static const uint32_t wrong[][3] = {{1, 0, 2}, {0, 1, 1}, {0, 1, 3}};
    assert_true(sni_skeleton_is_valid(context, &skeleton));
    for (int i = 0; i < 3; ++i) {
        memcpy(skeleton.parents_first, wrong[i], sizeof wrong[i]);
        assert_false(sni_skeleton_is_valid(context, &skeleton));
    }
    sni_skeleton_deinit(context, &skeleton);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_parents_first),
        cmocka_unit_test(refuses_cycles_and_bad_parents),
        cmocka_unit_test(chains_its_frames),
        cmocka_unit_test(parameters_give_back_their_transform),
        cmocka_unit_test(a_flat_rest_scale_reads_as_one),
        cmocka_unit_test(survives_failing_allocations),
        cmocka_unit_test(a_wrong_order_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
