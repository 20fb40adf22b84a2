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
static double median_distance; // of the fit

// What the walk showed; every frame is evaluated once for all tests.
static bool walked;
static double largest_of_walk, largest_share;

static void need_dog(void) {
    static result r;
    const char *folder = snt_data("animal/dog");
    if (dog.model != NULL) {
        return;
    }
    char document[4096], report[4096];
    snprintf(document, sizeof document, "%s", snt_scratch("dog.sinew.json"));
    snprintf(report, sizeof report, "%s", snt_scratch("dog-fit.json"));
    runf(&r, "new %s -o %s --report %s --quiet", folder, document, report);
    expect(&r, 0);
    median_distance = read_median_distance(report);
    dog = open_anatomy(document, snt_source(WALK), 0);
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
    assert_int_equal(muscles, 251);
    assert_int_equal(closed, 251);
    assert_int_equal(dog.bone_count, 220 + 42); // teeth are bones of the document, too
    assert_int_not_equal(dog.skin, SN_NONE);
    assert_int_equal(sn_model_surface(dog.model, dog.skin)->mesh->vertex_count, 16952);
}

static void muscles_are_given_ones_at_rest(void **state) {
    (void)state;
    need_dog();
    assert_int_equal(count_changed_at_rest(&dog), 0);
}

static void measure_stretch(uint32_t frame) {
    uint32_t vertex = SN_NONE;
    double stretch = largest_stretch(&dog, &vertex);
    if (!(stretch <= stretch_limit)) {
        sn_vec3 x = sn_vec3_load(dog.skin_rest + 3 * (size_t)vertex);
        print_error("frame %u: stretch %.2f at vertex %u (%.3f %.3f %.3f at rest)\n", frame,
                    stretch, vertex, x.x, x.y, x.z);
    }
    largest_of_walk = fmax(largest_of_walk, stretch);
}

// The share of the skin that lies deep in bones and muscles where the frame stands.
static double measure_share(const char *title) {
    uint32_t vertex_count = sn_model_surface(dog.model, dog.skin)->mesh->vertex_count;
    uint32_t *counts = malloc(dog.part_count * sizeof *counts);
    assert_non_null(counts);
    pose_parts(&dog);
    sunk s = measure_depths(&dog, deep, counts);
    double share = (double)s.count / vertex_count;
    print_message("%s: %.3f %% deeper than %.0f mm, deepest %.1f mm: %u in %s\n", title,
                  100 * share, 1000 * deep, 1000 * s.deepest, s.vertex,
                  s.part != SN_NONE ? name_of(&dog, &dog.parts[s.part]) : "none");
    if (share > share_limit) {
        tell_worst_parts(&dog, counts, 6);
    }
    free(counts);
    return share;
}

static void need_walk(void) {
    need_dog();
    if (walked) {
        return;
    }
    for (uint32_t f = 0; f < sn_motion_frame_count(dog.motion); ++f) {
        char title[32];
        snprintf(title, sizeof title, "frame %u", f);
        snt_ok(sn_frame_evaluate(dog.frame, dog.motion, f, error));
        measure_volumes(&dog, f);
        measure_stretch(f);
        largest_share = fmax(largest_share, measure_share(title));
    }
    walked = true;
}

static void muscles_are_fitted(void **state) {
    (void)state;
    need_dog();
    assert_true(median_distance < 0.001);
}

static void muscles_keep_their_volume(void **state) {
    (void)state;
    need_walk();
    assert_int_equal(count_beyond_volume(&dog), 0);
}

static void skin_stretches_within_reason(void **state) {
    (void)state;
    need_walk();
    print_message("largest stretch: %.2f\n", largest_of_walk);
    assert_true(largest_of_walk <= stretch_limit);
}

static void skin_stays_out_of_bones_and_muscles(void **state) {
    (void)state;
    need_walk();
    snt_ok(sn_frame_evaluate(dog.frame, NULL, 0, error));
    measure_share("at rest");
    assert_true(largest_share <= share_limit);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_all_parts),
        cmocka_unit_test(muscles_are_fitted),
        cmocka_unit_test(muscles_are_given_ones_at_rest),
        cmocka_unit_test(muscles_keep_their_volume),
        cmocka_unit_test(skin_stretches_within_reason),
        cmocka_unit_test(skin_stays_out_of_bones_and_muscles),
    };
    return cmocka_run_group_tests(tests, NULL, end_dog);
}
