// SPDX-License-Identifier: Apache-2.0
//
// The human of a folder of bones and muscles without a rig, as `sinew new` makes it without hand
// work, plays a clip of motion capture: muscles are the given ones at rest and keep their volume.
#include "anatomy.h"

// Made by the first test that needs it, for all of them.
static anatomy human;
static double median_distance; // of the fit

// No test here looks at the skin: a coarse one is made and moved in no time.
static const double skin_dimension = 100;

static void need_human(void) {
    static result r;
    const char *folder = snt_data("anatomy"), *clip = snt_data("mocap/cmu_02_01_walk.bvh");
    snt_only_thorough(); // 275 muscles are fitted
    if (human.model != NULL) {
        return;
    }
    char document[4096], report[4096];
    snprintf(document, sizeof document, "%s", snt_scratch("human.sinew.json"));
    snprintf(report, sizeof report, "%s", snt_scratch("human-fit.json"));
    runf(&r, "new %s -o %s --report %s --quiet", folder, document, report);
    expect(&r, 0);
    median_distance = read_median_distance(report);
    human = open_anatomy(document, clip, skin_dimension);
}

static int end_human(void **state) {
    (void)state;
    if (human.model != NULL) {
        close_anatomy(&human);
    }
    return 0;
}

static void has_all_parts(void **state) {
    (void)state;
    need_human();
    // 275 in the index, and some of its 12 tendons and soft parts, which reach over joints.
    assert_in_range(human.muscle_count, 275, 275 + 12);
    // Teeth and cartilages may be bones, too; the solid skull is made of others.
    assert_in_range(human.bone_count, 203, 203 + 28 + 18);
}

static void muscles_are_fitted(void **state) {
    (void)state;
    need_human();
    assert_true(median_distance < 0.001);
}

static void muscles_are_given_ones_at_rest(void **state) {
    (void)state;
    need_human();
    assert_int_equal(count_changed_at_rest(&human), 0);
}

// The clip moves the body at all, and all muscles with it.
static void muscles_keep_their_volume(void **state) {
    (void)state;
    need_human();
    uint32_t count = sn_motion_frame_count(human.motion), still = 0;
    float *first = calloc(human.part_count, 3 * sizeof *first);
    assert_non_null(first);
    assert_true(count > 60);
    for (uint32_t k = 0; k < 24; ++k) {
        uint32_t f = (uint32_t)((uint64_t)k * (count - 1) / 23);
        snt_ok(sn_frame_evaluate(human.frame, human.motion, f, error));
        measure_volumes(&human, f);
        for (uint32_t i = 0; i < human.part_count; ++i) {
            const float *points = sn_frame_points(human.frame, human.parts[i].surface);
            if (k == 0) {
                memcpy(first + 3 * (size_t)i, points, 3 * sizeof *first);
            } else if (k == 12) {
                still += memcmp(first + 3 * (size_t)i, points, 3 * sizeof *first) == 0;
            }
        }
    }
    free(first);
    assert_int_equal(still, 0);
    assert_int_equal(count_beyond_volume(&human), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_all_parts),
        cmocka_unit_test(muscles_are_fitted),
        cmocka_unit_test(muscles_are_given_ones_at_rest),
        cmocka_unit_test(muscles_keep_their_volume),
    };
    return cmocka_run_group_tests(tests, NULL, end_human);
}
