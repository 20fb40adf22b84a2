// SPDX-License-Identifier: Apache-2.0
#include "build.h"

static sn_track scalar_track(sn_interpolation interpolation, uint32_t count, double *times,
                             double *values) {
    return (sn_track){.kind = SN_TRACK_PARAMETER,
                      .interpolation = interpolation,
                      .key_count = count,
                      .times = times,
                      .values = values};
}

static double sample(const sn_track *track, double time) {
    double value;
    sn_track_sample(track, time, &value);
    return value;
}

static void holds_outside_its_keys(void **state) {
    (void)state;
    double times[] = {1, 2, 4}, values[] = {5, 7, -1};
    double tangents[] = {0, 5, 9, 9, 7, 9, 9, -1, 0};
    for (int i = 0; i <= SN_INTERPOLATION_CUBIC; ++i) {
        bool cubic = i == SN_INTERPOLATION_CUBIC;
        sn_track track = scalar_track((sn_interpolation)i, 3, times, cubic ? tangents : values);
        assert_true(sample(&track, -INFINITY) == 5);
        assert_true(sample(&track, 0) == 5);
        assert_true(sample(&track, 1) == 5);
        assert_true(sample(&track, 2) == 7);
        assert_true(sample(&track, 4) == -1);
        assert_true(sample(&track, 1e9) == -1);
        assert_true(sample(&track, NAN) == 5);
        track.key_count = 1;
        assert_true(sample(&track, 3) == 5);
    }
}

static void steps_and_interpolates_linearly(void **state) {
    (void)state;
    double times[] = {0, 1, 3}, values[] = {0, 4, 8};
    sn_track track = scalar_track(SN_INTERPOLATION_STEPPED, 3, times, values);
    assert_true(sample(&track, 0.999) == 0);
    assert_true(sample(&track, 1.5) == 4);
    track.interpolation = SN_INTERPOLATION_LINEAR;
    assert_true(sample(&track, 0.25) == 1);
    assert_true(sample(&track, 2) == 6);
}

static void finds_keys_among_many(void **state) {
    (void)state;
    enum { count = 1000 };
    static double times[count], values[count];
    for (int i = 0; i < count; ++i) {
        times[i] = i * 0.5 + 0.1 * sin(i);
        values[i] = 3 * times[i] + 1;
    }
    sn_track track = scalar_track(SN_INTERPOLATION_LINEAR, count, times, values);
    snt_random random = {7};
    for (int i = 0; i < 10000; ++i) {
        double time = snt_random_range(&random, times[0], times[count - 1]);
        snt_near(sample(&track, time), 3 * time + 1, 1e-12);
    }
}

static void turns_along_the_shorter_arc(void **state) {
    (void)state;
    // From 0 to 90 degrees about z, the second key written as -q.
    double c = cos(SN_PI / 4), times[] = {0, 1}, values[] = {0, 0, 0, 1, 0, 0, -c, -c};
    sn_track track = {.kind = SN_TRACK_ROTATION,
                      .interpolation = SN_INTERPOLATION_LINEAR,
                      .key_count = 2,
                      .times = times,
                      .values = values};
    double v[4];
    sn_track_sample(&track, 1.0 / 3, v);
    snt_near(v[2], sin(SN_PI / 12), 1e-15);
    snt_near(v[3], cos(SN_PI / 12), 1e-15);
}

static void normalises_rotations(void **state) {
    (void)state;
    double times[] = {0, 1}, values[] = {0, 0, 0, 2, 0, 0, 3, 0};
    sn_track track = {.kind = SN_TRACK_ROTATION,
                      .interpolation = SN_INTERPOLATION_STEPPED,
                      .key_count = 2,
                      .times = times,
                      .values = values};
    for (int i = 0; i <= SN_INTERPOLATION_SMOOTH; ++i) {
        track.interpolation = (sn_interpolation)i;
        for (double time = 0; time <= 1; time += 0.125) {
            double v[4];
            sn_track_sample(&track, time, v);
            snt_near(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3], 1, 1e-14);
        }
    }
}

static void keeps_the_bits_of_unit_keys(void **state) {
    (void)state;
    snt_random random = {3};
    for (int i = 0; i < 1000; ++i) {
        sn_quat q = snt_random_quat(&random);
        double time = 0, values[] = {q.x, q.y, q.z, q.w}, v[4];
        sn_track track = {
            .kind = SN_TRACK_ROTATION, .key_count = 1, .times = &time, .values = values};
        sn_track_sample(&track, 0, v);
        assert_memory_equal(v, values, sizeof v);
    }
}

// glTF 2.0, appendix C: the cubic through v(0) = 1, v(2) = 5 with v'(0) = 3, v'(2) = -1. Found by
// hand: v(t) = 1 + 3 t + 0.5 t^2 - 0.5 t^3.
static void follows_gltf_cubic_splines(void **state) {
    (void)state;
    double times[] = {10, 12}, values[] = {99, 1, 3, -1, 5, 77};
    sn_track track = scalar_track(SN_INTERPOLATION_CUBIC, 2, times, values);
    for (double t = 0; t <= 2; t += 0.125) {
        snt_near(sample(&track, 10 + t), 1 + 3 * t + 0.5 * t * t - 0.5 * t * t * t, 1e-14);
    }
}

static void cubic_vectors_have_tangents_per_component(void **state) {
    (void)state;
    double times[] = {0, 1};
    double values[] = {9, 9, 9, 0, 0, 0, 1, 2, 3, 1, 2, 3, 1, 2, 3, 9, 9, 9};
    sn_track track = {.kind = SN_TRACK_TRANSLATION,
                      .interpolation = SN_INTERPOLATION_CUBIC,
                      .key_count = 2,
                      .times = times,
                      .values = values};
    double v[3];
    sn_track_sample(&track, 0.3, v); // the tangents are those of straight lines
    snt_near(v[0], 0.3, 1e-15);
    snt_near(v[1], 0.6, 1e-15);
    snt_near(v[2], 0.9, 1e-15);
}

static void smooth_never_leaves_its_keys(void **state) {
    (void)state;
    snt_random random = {11};
    for (int round = 0; round < 200; ++round) {
        double times[8], values[8], time = 0;
        for (int i = 0; i < 8; ++i) {
            time += exp(snt_random_range(&random, -5, 2));
            times[i] = time;
            values[i] = exp(snt_random_range(&random, -8, 3)) * (snt_random_u32(&random) % 3 - 1.0);
        }
        sn_track track = scalar_track(SN_INTERPOLATION_SMOOTH, 8, times, values);
        for (int i = 0; i < 7; ++i) {
            double before = values[i], rising = values[i + 1] >= values[i] ? 1 : -1;
            for (int k = 1; k <= 50; ++k) {
                double at = times[i] + (times[i + 1] - times[i]) * k / 50;
                double value = sample(&track, fmin(at, times[i + 1]));
                // Monotone within each interval, up to rounding.
                assert_true(rising * (value - before) >= -1e-14 * (1 + fabs(value)));
                assert_true(value <= fmax(values[i], values[i + 1]));
                assert_true(value >= fmin(values[i], values[i + 1]));
                before = value;
            }
        }
    }
}

static void smooth_has_continuous_slopes(void **state) {
    (void)state;
    double times[] = {0, 1, 1.5, 4, 5}, values[] = {0, 1, 3, 3.5, 1};
    sn_track track = scalar_track(SN_INTERPOLATION_SMOOTH, 5, times, values);
    const double h = 1e-6;
    for (int i = 1; i < 4; ++i) {
        double before = (sample(&track, times[i]) - sample(&track, times[i] - h)) / h;
        double after = (sample(&track, times[i] + h) - sample(&track, times[i])) / h;
        snt_near(before, after, 1e-4);
    }
    // A straight line stays one; an extremum is flat.
    double line[] = {0, 2, 3, 8, 10};
    track.values = line;
    for (double t = 0; t < 5; t += 0.1) {
        snt_near(sample(&track, t), 2 * t, 1e-14);
    }
}

static void smooth_rotations_are_smooth(void **state) {
    (void)state;
    snt_random random = {5};
    double times[6], values[24];
    for (int i = 0; i < 6; ++i) {
        sn_quat q = snt_random_quat(&random);
        times[i] = i + snt_random_range(&random, 0, 0.5);
        memcpy(values + 4 * i, (double[]){q.x, q.y, q.z, q.w}, 4 * sizeof *values);
    }
    sn_track track = {.kind = SN_TRACK_ROTATION,
                      .interpolation = SN_INTERPOLATION_SMOOTH,
                      .key_count = 6,
                      .times = times,
                      .values = values};
    const double h = 1e-6;
    for (int i = 1; i < 5; ++i) {
        double v[3][4];
        for (int k = 0; k < 3; ++k) {
            sn_track_sample(&track, times[i] + (k - 1) * h, v[k]);
        }
        sn_quat a = {v[0][0], v[0][1], v[0][2], v[0][3]}, b = {v[1][0], v[1][1], v[1][2], v[1][3]};
        sn_quat c = {v[2][0], v[2][1], v[2][2], v[2][3]};
        snt_rotation_near(
            b, (sn_quat){values[4 * i], values[4 * i + 1], values[4 * i + 2], values[4 * i + 3]},
            0);
        // The turn before the key equals the turn after it.
        sn_quat before = sn_quat_multiply(b, sn_quat_conjugate(a));
        sn_quat after = sn_quat_multiply(c, sn_quat_conjugate(b));
        double sign = before.w * after.w < 0 ? -1 : 1;
        snt_near(before.x / h, sign * after.x / h, 2e-4);
        snt_near(before.y / h, sign * after.y / h, 2e-4);
        snt_near(before.z / h, sign * after.z / h, 2e-4);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_outside_its_keys),
        cmocka_unit_test(steps_and_interpolates_linearly),
        cmocka_unit_test(finds_keys_among_many),
        cmocka_unit_test(turns_along_the_shorter_arc),
        cmocka_unit_test(normalises_rotations),
        cmocka_unit_test(keeps_the_bits_of_unit_keys),
        cmocka_unit_test(follows_gltf_cubic_splines),
        cmocka_unit_test(cubic_vectors_have_tangents_per_component),
        cmocka_unit_test(smooth_never_leaves_its_keys),
        cmocka_unit_test(smooth_has_continuous_slopes),
        cmocka_unit_test(smooth_rotations_are_smooth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
