// SPDX-License-Identifier: Apache-2.0
//
// The dog of a folder of bones and muscles, as `sinew new` makes it without hand work, walks: what
// its skin and its muscles may do on the way. All of it is computed here.
#include "anatomy.h"

#define WALK "examples/motions/dog-walk.sinew.json#walk"

static const double deep = 0.002;        // metres in a bone or muscle
static const double share_limit = 0.005; // of the skin's vertices that may be deeper
static const double stretch_limit = 3;   // of any triangle

// Made by the first test that needs it, for all of them.
static anatomy dog;

static void need_dog(void) {
    static result r;
    const char *folder = snt_data("animal/dog");
    if (dog.model != NULL) {
        return;
    }
    char document[4096];
    snprintf(document, sizeof document, "%s", snt_scratch("dog.sinew.json"));
    runf(&r, "new %s -o %s --quiet", folder, document);
    expect(&r, 0);
    dog = open_anatomy(document, snt_source(WALK));
}

static int end_dog(void **state) {
    (void)state;
    if (dog.model != NULL) {
        close_anatomy(&dog);
    }
    return 0;
}

static void has_all_parts(void **state) {
    (void)state;
    need_dog();
    uint32_t muscles = 0, closed = 0;
    for (uint32_t i = 0; i < dog.part_count; ++i) {
        muscles += is_muscle(&dog, &dog.parts[i]);
        closed += is_muscle(&dog, &dog.parts[i]) && dog.parts[i].closed;
    }
    // 251 in the index, and some of its 14 soft parts, which reach over joints.
    assert_in_range(muscles, 251, 251 + 14);
    assert_true(closed >= 251);
    // Teeth are bones of the document, too; unions of other parts are not.
    assert_in_range(dog.bone_count, 218, 220 + 42);
    assert_int_not_equal(dog.skin, SN_NONE);
    assert_int_equal(sn_model_surface(dog.model, dog.skin)->mesh->vertex_count, 16952);
}

static void muscles_are_given_ones_at_rest(void **state) {
    (void)state;
    need_dog();
    assert_int_equal(count_changed_at_rest(&dog), 0);
}

static void muscles_keep_their_volume(void **state) {
    (void)state;
    need_dog();
    for (uint32_t f = 0; f < sn_motion_frame_count(dog.motion); ++f) {
        snt_ok(sn_frame_evaluate(dog.frame, dog.motion, f, error));
        measure_volumes(&dog, f);
    }
    assert_int_equal(count_beyond_volume(&dog), 0);
}

static void skin_stretches_within_reason(void **state) {
    (void)state;
    need_dog();
    double worst = 0;
    for (uint32_t f = 0; f < sn_motion_frame_count(dog.motion); ++f) {
        uint32_t vertex = SN_NONE;
        snt_ok(sn_frame_evaluate(dog.frame, dog.motion, f, error));
        double stretch = largest_stretch(&dog, &vertex);
        if (!(stretch <= stretch_limit)) {
            sn_vec3 x = sn_vec3_load(dog.skin_rest + 3 * (size_t)vertex);
            print_error("frame %u: stretch %.2f at vertex %u (%.3f %.3f %.3f at rest)\n", f,
                        stretch, vertex, x.x, x.y, x.z);
        }
        worst = fmax(worst, stretch);
    }
    print_message("largest stretch: %.2f\n", worst);
    assert_true(worst <= stretch_limit);
}

static void skin_stays_out_of_bones_and_muscles(void **state) {
    (void)state;
    need_dog();
    uint32_t vertex_count = sn_model_surface(dog.model, dog.skin)->mesh->vertex_count;
    uint32_t *counts = malloc(dog.part_count * sizeof *counts);
    assert_non_null(counts);
    snt_ok(sn_frame_evaluate(dog.frame, NULL, 0, error));
    pose_parts(&dog);
    sunk rest = measure_depths(&dog, deep, counts);
    print_message("at rest: %.3f %% deeper than %.0f mm\n", 100.0 * rest.count / vertex_count,
                  1000 * deep);
    tell_worst_parts(&dog, counts, 6);
    double worst = 0;
    for (uint32_t f = 0; f < sn_motion_frame_count(dog.motion); ++f) {
        snt_ok(sn_frame_evaluate(dog.frame, dog.motion, f, error));
        pose_parts(&dog);
        sunk s = measure_depths(&dog, deep, counts);
        double share = (double)s.count / vertex_count;
        print_message("frame %u: %.3f %% deeper than %.0f mm, deepest %.1f mm: %u in %s\n", f,
                      100 * share, 1000 * deep, 1000 * s.deepest, s.vertex,
                      s.part != SN_NONE ? name_of(&dog, &dog.parts[s.part]) : "none");
        if (share > share_limit) {
            tell_worst_parts(&dog, counts, 6);
        }
        worst = fmax(worst, share);
    }
    free(counts);
    assert_true(worst <= share_limit);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_all_parts),
        cmocka_unit_test(muscles_are_given_ones_at_rest),
        cmocka_unit_test(muscles_keep_their_volume),
        cmocka_unit_test(skin_stretches_within_reason),
        cmocka_unit_test(skin_stays_out_of_bones_and_muscles),
    };
    return cmocka_run_group_tests(tests, NULL, end_dog);
}
