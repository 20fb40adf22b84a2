// SPDX-License-Identifier: Apache-2.0
#include "build.h"

#include "motion/segment_size.h"

enum { MOST = 16 };

static void check_sizes(const snt_bone *bones, uint32_t count, const double *proportions,
                        const double *expected) {
    sn_context *context = snt_context(1);
    sn_skeleton skeleton = snt_skeleton(context, bones, count);
    double sizes[MOST];
    snt_ok(sni_segment_sizes(context, &skeleton, proportions, sizes, error));
    for (uint32_t i = 0; i < count; ++i) {
        snt_near(sizes[i], expected[i], 1e-15 * expected[i]);
    }
    sni_skeleton_deinit(context, &skeleton);
    snt_context_end(context);
}

// Section 3: the box over (0, 0, 0), (3, 4, 0) and (0, 0, 12) has a diagonal of 13; leaves take it.
static void measures_the_box_over_children(void **state) {
    (void)state;
    static const snt_bone bones[] = {
        {"leaf", 2, {3, 4, 0}}, {"other", 2, {0, 0, 12}}, {"root", -1, {7, 7, 7}}};
    check_sizes(bones, 3, NULL, (const double[]){13, 13, 13});
    // A box over both sides of the origin, and a leaf two levels down.
    static const snt_bone two[] = {
        {"root", -1, {0}}, {"a", 0, {-1, 0, 0}}, {"b", 0, {1, 0, 0}}, {"c", 1, {0, 0, 5}}};
    check_sizes(two, 4, NULL, (const double[]){2, 5, 2, 5});
}

static void defines_sizes_of_lonely_and_flat_segments(void **state) {
    (void)state;
    static const snt_bone alone[] = {{"root", -1, {3, 0, 0}}};
    check_sizes(alone, 1, NULL, (const double[]){1});
    // All children in the origin: as a leaf.
    static const snt_bone flat[] = {
        {"root", -1, {0}}, {"a", 0, {0, 2, 0}}, {"b", 1, {0}}, {"c", 2, {0}}};
    check_sizes(flat, 4, NULL, (const double[]){2, 2, 2, 2});
    static const snt_bone point[] = {{"root", -1, {0}}, {"a", 0, {0}}};
    check_sizes(point, 2, NULL, (const double[]){1, 1});
}

// The rest pose counts: joint translations that it has are part of the offsets.
static void measures_the_rest_pose(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const snt_bone bones[] = {{"root", -1, {0}}, {"a", 0, {0, 1, 0}}};
    sn_skeleton skeleton = snt_skeleton(context, bones, 2);
    skeleton.segments[1].rest_parameters[SN_JOINT_TY] = 2;
    double sizes[2];
    snt_ok(sni_segment_sizes(context, &skeleton, NULL, sizes, error));
    snt_near(sizes[0], 3, 0);
    sni_skeleton_deinit(context, &skeleton);
    snt_context_end(context);
}

// A factor is one on the size that the segment would have, also for a leaf; a leaf without one
// follows its parent.
static void follows_proportions(void **state) {
    (void)state;
    static const snt_bone bones[] = {
        {"root", -1, {0}}, {"arm", 0, {0, 1, 0}}, {"hand", 1, {0, 3, 0}}, {"tail", 0, {0, 0, 0}}};
    check_sizes(bones, 4, (const double[]){0, 2, 0, 0}, (const double[]){1, 6, 6, 1});
    check_sizes(bones, 4, (const double[]){0, 2, 0.5, 3}, (const double[]){1, 6, 1.5, 3});
    check_sizes(bones, 4, (const double[]){4, 0, 0, 0}, (const double[]){4, 3, 3, 4});
}

// Random trees: sizes by proportions are those that the scaled skeleton has by itself where only
// segments with an extent are scaled.
static void agrees_with_the_scaled_skeleton(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {1234};
    for (int round = 0; round < 200; ++round) {
        snt_bone bones[MOST];
        double factors[MOST] = {0}, sizes[MOST], scaled[MOST];
        for (int i = 0; i < MOST; ++i) {
            bones[i] =
                (snt_bone){"s",
                           i == 0 ? -1 : (int)(snt_random_u32(&random) % (uint32_t)i),
                           {snt_random_range(&random, -2, 2), snt_random_range(&random, -2, 2),
                            snt_random_range(&random, -2, 2)}};
        }
        for (int i = 1; i < MOST; ++i) {
            bool given = snt_random_u32(&random) % 2 == 0;
            factors[bones[i].parent] = given ? snt_random_range(&random, 0.2, 5) : 0;
        }
        sn_skeleton skeleton = snt_skeleton(context, bones, MOST);
        skeleton.segments[3].rest_parameters[SN_JOINT_TX] = 0.25;
        snt_ok(sni_segment_sizes(context, &skeleton, factors, sizes, error));
        sni_skeleton_scale(&skeleton, factors);
        snt_ok(sni_segment_sizes(context, &skeleton, NULL, scaled, error));
        for (int i = 0; i < MOST; ++i) {
            snt_near(sizes[i], scaled[i], 1e-14 * scaled[i]);
        }
        sni_skeleton_deinit(context, &skeleton);
    }
    snt_context_end(context);
}

static void scales_offsets_rest_and_limits(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const snt_bone bones[] = {
        {"root", -1, {1, 1, 1}}, {"a", 0, {0, 1, 0}}, {"b", 1, {1, 0, 0}}};
    sn_skeleton skeleton = snt_skeleton(context, bones, 3);
    sn_segment *a = &skeleton.segments[1];
    a->rest_parameters[SN_JOINT_TZ] = 0.5;
    a->rest_parameters[SN_JOINT_RX] = 0.25;
    a->limits[SN_JOINT_TZ] = (sn_limit){-1, 2};
    a->limits[SN_JOINT_RX] = (sn_limit){-1, 2};
    sni_skeleton_scale(&skeleton, (const double[]){2, 0, 3});
    snt_vec3_near(skeleton.segments[0].rest.translation, sn_vec3_make(1, 1, 1), 0);
    snt_vec3_near(a->rest.translation, sn_vec3_make(0, 2, 0), 0);
    snt_vec3_near(skeleton.segments[2].rest.translation, sn_vec3_make(1, 0, 0), 0);
    snt_near(a->rest_parameters[SN_JOINT_TZ], 1, 0);
    snt_near(a->rest_parameters[SN_JOINT_RX], 0.25, 0);
    snt_near(a->limits[SN_JOINT_TZ].low, -2, 0);
    snt_near(a->limits[SN_JOINT_TZ].high, 4, 0);
    snt_near(a->limits[SN_JOINT_RX].high, 2, 0);
    assert_true(isinf(a->limits[SN_JOINT_TX].low) && isinf(a->limits[SN_JOINT_TX].high));
    sni_skeleton_deinit(context, &skeleton);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_the_box_over_children),
        cmocka_unit_test(defines_sizes_of_lonely_and_flat_segments),
        cmocka_unit_test(measures_the_rest_pose),
        cmocka_unit_test(follows_proportions),
        cmocka_unit_test(agrees_with_the_scaled_skeleton),
        cmocka_unit_test(scales_offsets_rest_and_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
