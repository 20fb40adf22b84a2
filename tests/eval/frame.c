// SPDX-License-Identifier: Apache-2.0
//
// Evaluation of frames: the same bits by any way, and values that are held.
#include "toy.h"

// --- Any number of threads, any order

enum { FRAMES = 24, STRIDE = 10 };

static void reads_the_same_whatever_the_way(void **state) {
    (void)state;
    static const uint32_t threads[] = {1, 2, 3, 8, 32};
    uint64_t expected[FRAMES];
    for (size_t t = 0; t < sizeof threads / sizeof *threads; ++t) {
        toy one = toy_make(threads[t], TOY_ALL);
        for (uint32_t i = 0; i < FRAMES; ++i) { // forward
            snt_ok(sn_frame_evaluate(one.frame, one.motion, i * STRIDE, error));
            expected[i] = t == 0 ? hash_frame(one.frame) : expected[i];
            assert_true(hash_frame(one.frame) == expected[i]);
        }
        for (uint32_t i = FRAMES; i-- > 0;) { // backward
            snt_ok(sn_frame_evaluate(one.frame, one.motion, i * STRIDE, error));
            assert_true(hash_frame(one.frame) == expected[i]);
        }
        snt_random random = {.state = threads[t]};
        for (uint32_t k = 0; k < FRAMES; ++k) { // here and there, with the rest pose in between
            uint32_t i = snt_random_u32(&random) % FRAMES;
            if (k % 5 == 0) {
                snt_ok(sn_frame_evaluate(one.frame, NULL, 0, error));
            }
            snt_ok(sn_frame_evaluate(one.frame, one.motion, i * STRIDE, error));
            assert_true(hash_frame(one.frame) == expected[i]);
        }
        sn_frame *fresh; // straight
        snt_ok(sn_frame_create(one.model, &fresh, error));
        snt_ok(sn_frame_evaluate(fresh, one.motion, 17 * STRIDE, error));
        assert_true(hash_frame(fresh) == expected[17]);
        sn_frame_destroy(fresh);
        toy_end(&one);
    }
    for (uint32_t i = 1; i < FRAMES; ++i) { // and something happens
        assert_true(expected[i] != expected[i - 1]);
    }
}

static void refuses_frames_that_are_not_there(void **state) {
    (void)state;
    toy one = toy_make(1, TOY_BODY);
    snt_fails(SN_INVALID, "there is no frame 240: \"move\" has frames 0 to 239",
              sn_frame_evaluate(one.frame, one.motion, 240, error));
    snt_ok(sn_frame_evaluate(one.frame, one.motion, 239, error));
    snt_near(sn_frame_time(one.frame), 239 / 24.0, 0);
    snt_ok(sn_frame_evaluate(one.frame, NULL, 12345, error));
    snt_near(sn_frame_time(one.frame), 0, 0);
    toy_end(&one);
}

// --- Rest

static void rests_bit_for_bit(void **state) {
    (void)state;
    toy one = toy_make(2, TOY_ALL);
    // A live target of factor 1 takes the driver's shape, of factor 0 leaves its own.
    snt_ok(sn_frame_set(one.frame, "cling", 0, error));
    snt_ok(sn_frame_evaluate(one.frame, NULL, 0, error));
    for (int k = 0; k < 3; ++k) {
        static const char *const names[] = {"coat", "body", "twist"};
        uint32_t i = surface_of(one.model, names[k]);
        assert_memory_equal(sn_frame_points(one.frame, i),
                            sn_model_surface(one.model, i)->mesh->positions,
                            3 * sizeof(float) * TOY_VERTICES);
    }
    const sn_mesh *bone = sn_model_surface(one.model, 0)->mesh;
    assert_memory_equal(points_of(one.frame, "stick"), bone->positions,
                        3 * sizeof(float) * TOY_VERTICES);
    // A mesh in its segment's frame stands where the segment does: at (0, 2, 0).
    for (uint32_t v = 0; v < TOY_VERTICES; ++v) {
        const float *p = points_of(one.frame, "tip") + 3 * (size_t)v;
        const float *rest = bone->positions + 3 * (size_t)v;
        assert_true(p[0] == rest[0] && p[1] == (float)(rest[1] + 2.0) && p[2] == rest[2]);
    }
    toy_end(&one);
}

// --- Values that are held

static void holds_values(void **state) {
    (void)state;
    toy one = toy_make(1, TOY_BODY);
    uint32_t lower = 2;
    snt_ok(sn_frame_set(one.frame, "curl", 0.5, error));
    snt_ok(sn_frame_set(one.frame, "lower.rz_deg", 30, error));
    snt_ok(sn_frame_set(one.frame, "lower.rz", 0.25, error)); // the same parameter again
    snt_ok(sn_frame_evaluate(one.frame, one.motion, 48, error));
    const double *parameters = sn_frame_joint_parameters(one.frame) + 9 * (size_t)lower;
    snt_near(parameters[0], 45 * SN_PI / 180, 1e-15); // half of the synergy's 90 degrees
    snt_near(parameters[2], 0.25, 0);
    snt_near(sn_frame_controls(one.frame)[2], 0.5, 0);
    snt_near(sn_frame_controls(one.frame)[1], 0.5, 1e-12); // driven: smooth, half way
    // A driven control that is held stays.
    snt_ok(sn_frame_set(one.frame, "bulge", 0.125, error));
    snt_ok(sn_frame_evaluate(one.frame, one.motion, 48, error));
    snt_near(sn_frame_controls(one.frame)[1], 0.125, 0);
    // Letting go brings the motion back.
    sn_frame *fresh;
    snt_ok(sn_frame_create(one.model, &fresh, error));
    snt_ok(sn_frame_evaluate(fresh, one.motion, 48, error));
    assert_true(hash_frame(one.frame) != hash_frame(fresh));
    sn_frame_clear(one.frame);
    snt_ok(sn_frame_evaluate(one.frame, one.motion, 48, error));
    assert_true(hash_frame(one.frame) == hash_frame(fresh));
    sn_frame_destroy(fresh);
    toy_end(&one);
}

static void refuses_wrong_values(void **state) {
    (void)state;
    toy one = toy_make(1, TOY_BODY);
    sn_frame *f = one.frame;
    uint64_t before = hash_frame(f);
    snt_fails(SN_INVALID, "there is no parameter \"smil\"; did you mean \"smile\"?",
              sn_frame_set(f, "smil", 1, error));
    snt_fails(SN_INVALID, "there is no parameter \"lowr.rx\"; did you mean \"lower.rx\"?",
              sn_frame_set(f, "lowr.rx", 1, error));
    snt_fails(SN_INVALID, "\"lower\" is a segment; name one of its parameters, such as",
              sn_frame_set(f, "lower", 1, error));
    snt_fails(SN_INVALID, "a segment has no parameter \"qx\"",
              sn_frame_set(f, "lower.qx", 1, error));
    snt_fails(SN_INVALID, "\"smile\" cannot be 2.5: its range is 0 to 2",
              sn_frame_set(f, "smile", 2.5, error));
    snt_fails(SN_INVALID, "\"upper.rx_deg\" cannot be -101: its range is -100 to 100",
              sn_frame_set(f, "upper.rx_deg", -101, error));
    snt_fails(SN_INVALID, "\"smile\" cannot be nan", sn_frame_set(f, "smile", NAN, error));
    snt_fails(SN_INVALID, "\"root.tx\" cannot be inf", sn_frame_set(f, "root.tx", INFINITY, error));
    snt_ok(sn_frame_set(f, "upper.rx_deg", 100, error)); // the limit itself
    sn_frame_clear(f);
    snt_ok(sn_frame_evaluate(f, NULL, 0, error));
    assert_true(hash_frame(f) == before); // nothing of it was kept
    // So far away that points would not be finite.
    snt_ok(sn_frame_set(f, "root.tx", 1e300, error));
    snt_fails(SN_INVALID, "the pose is too large for the segment \"root\" to have a place",
              sn_frame_evaluate(f, NULL, 0, error));
    toy_end(&one);
}

// --- Skins that drive others

static void evaluates_drivers_first(void **state) {
    (void)state;
    static const char *const orders[] = {TOY_COAT ",\n" TOY_BODY, TOY_BODY ",\n" TOY_COAT};
    uint64_t hashes[2];
    for (int i = 0; i < 2; ++i) {
        toy one = toy_make(2, orders[i]);
        snt_ok(sn_frame_set(one.frame, "cling", 0.5, error));
        snt_ok(sn_frame_evaluate(one.frame, one.motion, 100, error));
        // A live target: rest + w (driver - rest), against the rest points of the coat.
        const float *rest =
            sn_model_surface(one.model, surface_of(one.model, "coat"))->mesh->positions;
        const float *driver = points_of(one.frame, "body"), *coat = points_of(one.frame, "coat");
        for (size_t k = 0; k < 3 * TOY_VERTICES; ++k) {
            assert_true(coat[k] == rest[k] + 0.5f * (driver[k] - rest[k]));
        }
        hashes[i] = hash_bytes(0, coat, 3 * sizeof(float) * TOY_VERTICES);
        toy_end(&one);
    }
    assert_true(hashes[0] == hashes[1]);
}

// --- The whole character moved

static void moves_rigidly_with_its_root(void **state) {
    (void)state;
    toy one = toy_make(2, TOY_ALL), other = toy_make(2, TOY_ALL);
    snt_ok(sn_frame_set(one.frame, "curl", 0.7, error));
    snt_ok(sn_frame_set(one.frame, "smile", 1, error));
    snt_ok(sn_frame_set(other.frame, "curl", 0.7, error));
    snt_ok(sn_frame_set(other.frame, "smile", 1, error));
    snt_ok(sn_frame_set(other.frame, "root.ry_deg", 90, error));
    snt_ok(sn_frame_set(other.frame, "root.tx", 2, error));
    snt_ok(sn_frame_set(other.frame, "root.ty", -1, error));
    snt_ok(sn_frame_evaluate(one.frame, NULL, 0, error));
    snt_ok(sn_frame_evaluate(other.frame, NULL, 0, error));
    for (uint32_t i = 0; i < sn_model_surface_count(one.model); ++i) {
        const float *p = sn_frame_points(one.frame, i), *q = sn_frame_points(other.frame, i);
        for (uint32_t v = 0; v < TOY_VERTICES; ++v, p += 3, q += 3) {
            // A quarter turn about y: x' = z, z' = -x.
            snt_near(q[0], p[2] + 2.0, 2e-6);
            snt_near(q[1], p[1] - 1.0, 2e-6);
            snt_near(q[2], -p[0], 2e-6);
        }
    }
    // What the drivers measure does not change with it.
    assert_memory_equal(sn_frame_controls(one.frame), sn_frame_controls(other.frame),
                        4 * sizeof(double));
    toy_end(&one);
    toy_end(&other);
}

static void tells_times_of_stages(void **state) {
    (void)state;
    toy one = toy_make(1, TOY_ALL);
    static const char *const names[] = {"pose", "bones", "muscles", "skin", "bodies"};
    snt_ok(sn_frame_evaluate(one.frame, one.motion, 30, error));
    for (int i = 0; i < SN_STAGE_COUNT; ++i) {
        assert_string_equal(sn_stage_name((sn_stage)i), names[i]);
        assert_true(sn_frame_stage_ms(one.frame, (sn_stage)i) >= 0);
    }
    assert_true(sn_frame_state_bytes(one.frame) < 256); // nothing here has memory
    toy_end(&one);
}

static void allocates_nothing_once_warm(void **state) {
    (void)state;
    toy one = toy_make(1, TOY_ALL);
    for (uint32_t i = 0; i < 3; ++i) {
        snt_ok(sn_frame_evaluate(one.frame, one.motion, i, error));
    }
    size_t allocations = sn_context_allocations(one.context);
    for (uint32_t i = 3; i < 30; ++i) {
        snt_ok(sn_frame_evaluate(one.frame, one.motion, i, error));
    }
    assert_int_equal(sn_context_allocations(one.context), allocations);
    toy_end(&one);
}

// A driver that is hidden moves what is shown; what is hidden and drives nothing stays as it was.
static void leaves_out_what_nobody_sees(void **state) {
    (void)state;
    static const char skins[] =
        "'coat': {'mesh': 'coat', 'deformers': [{'kind': 'morph', 'driver_mesh': 'body'}]},\n"
        "'body': {'mesh': 'body', 'show': false, 'deformers': [{'kind': 'blend'}]},\n"
        "'alone': {'mesh': 'body', 'show': false, 'deformers': [{'kind': 'blend'}]}";
    static float coat[3 * TOY_VERTICES], alone[3 * TOY_VERTICES];
    toy one = toy_make(1, skins);
    memcpy(alone, points_of(one.frame, "alone"), sizeof alone);
    snt_ok(sn_frame_evaluate(one.frame, one.motion, 100, error));
    memcpy(coat, points_of(one.frame, "coat"), sizeof coat);
    assert_memory_not_equal(points_of(one.frame, "alone"), alone, sizeof alone);
    snt_ok(sn_frame_evaluate(one.frame, NULL, 0, error));
    sn_frame_show_only(one.frame, true);
    snt_ok(sn_frame_evaluate(one.frame, one.motion, 100, error));
    assert_memory_equal(points_of(one.frame, "coat"), coat, sizeof coat);
    assert_memory_equal(points_of(one.frame, "alone"), alone, sizeof alone);
    sn_frame_show_only(one.frame, false);
    snt_ok(sn_frame_evaluate(one.frame, one.motion, 100, error));
    assert_memory_not_equal(points_of(one.frame, "alone"), alone, sizeof alone);
    toy_end(&one);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_same_whatever_the_way),
        cmocka_unit_test(refuses_frames_that_are_not_there),
        cmocka_unit_test(rests_bit_for_bit),
        cmocka_unit_test(holds_values),
        cmocka_unit_test(refuses_wrong_values),
        cmocka_unit_test(evaluates_drivers_first),
        cmocka_unit_test(moves_rigidly_with_its_root),
        cmocka_unit_test(tells_times_of_stages),
        cmocka_unit_test(leaves_out_what_nobody_sees),
        cmocka_unit_test(allocates_nothing_once_warm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
