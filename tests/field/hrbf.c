// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "field/hrbf.h"

static void fit(sn_context *context, const sni_hrbf_sample *samples, uint32_t count,
                sni_hrbf_form form, sni_hrbf *hrbf) {
    snt_ok(sni_hrbf_fit(context, samples, count, form, hrbf, error));
}

static double at(const sni_hrbf *hrbf, double x, double y, double z) {
    return sni_hrbf_at(hrbf, sn_vec3_make(x, y, z)).distance;
}

// Six points of the unit ball; all values are closed forms.
static void octahedron(sni_hrbf_sample samples[6]) {
    for (int i = 0; i < 6; ++i) {
        double sign = i & 1 ? -1 : 1;
        sn_vec3 p = {i / 2 == 0 ? sign : 0, i / 2 == 1 ? sign : 0, i / 2 == 2 ? sign : 0};
        samples[i] = (sni_hrbf_sample){p, p};
    }
}

static void six_points_of_a_ball(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_hrbf_sample samples[6];
    octahedron(samples);
    sni_hrbf plain, affine;
    fit(context, samples, 6, SNI_HRBF_PLAIN, &plain);
    fit(context, samples, 6, SNI_HRBF_AFFINE, &affine);
    double a = 1 / (4 * (1 + 2 * sqrt(2)));
    snt_near(plain.centers[0].a, a, 1e-12);
    snt_near(plain.centers[0].b.x, 2 * a / 3, 1e-12);
    snt_near(at(&plain, 0, 0, 0), -6 * a, 1e-12);
    snt_near(at(&plain, 0.5, 0, 0), -0.316977560763, 1e-11);
    snt_near(at(&plain, 1.5, 0, 0), 0.833493610611, 1e-11);
    snt_near(at(&plain, 2, 0, 0), 2.53582048611, 1e-10);
    snt_near(sni_hrbf_at(&plain, sn_vec3_make(2, 0, 0)).gradient.x, 4.47378334, 1e-8);
    snt_near(at(&plain, 1 / sqrt(3), 1 / sqrt(3), 1 / sqrt(3)), 0, 1e-12);
    snt_near(affine.centers[0].a, 0, 1e-12);
    snt_near(affine.centers[0].b.x, -1 / (6 * (2 + sqrt(2))), 1e-12);
    snt_near(affine.g0, -sqrt(2), 1e-12);
    snt_near(at(&affine, 0, 0, 0), 3 / (2 + sqrt(2)) - sqrt(2), 1e-12);
    snt_near(at(&affine, 0.5, 0, 0), -0.393167891441, 1e-11);
    snt_near(at(&affine, 1.5, 0, 0), 0.520507612735, 1e-11);
    snt_near(at(&affine, 2, 0, 0), 1.06721760771, 1e-10);
    snt_near(sni_hrbf_at(&affine, sn_vec3_make(2, 0, 0)).gradient.x, 1.10972976, 1e-8);
    snt_near(at(&affine, 1 / sqrt(3), 1 / sqrt(3), 1 / sqrt(3)), -0.0126352108856, 1e-11);
    snt_near(at(&affine, 1 / sqrt(2), 1 / sqrt(2), 0), -0.0104623706858, 1e-11);
    sni_hrbf_free(context, &plain);
    sni_hrbf_free(context, &affine);
    snt_context_end(context);
}

static void planes_are_met_exactly(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_hrbf_sample samples[4];
    for (int i = 0; i < 4; ++i) {
        samples[i] = (sni_hrbf_sample){{i & 1, i >> 1, 0}, {0, 0, 1}};
    }
    sni_hrbf plane;
    fit(context, samples, 4, SNI_HRBF_AFFINE, &plane);
    snt_near(at(&plane, .5, .5, .3), 0.3, 1e-12);
    snt_near(at(&plane, 3, 2, -1), -1, 1e-12);
    sni_hrbf_free(context, &plane);
    fit(context, samples, 4, SNI_HRBF_PLAIN, &plane);
    snt_near(at(&plane, .5, .5, .3), 0.269970660272, 1e-10);
    snt_near(at(&plane, 3, 2, -1), -3.663441577808, 1e-9);
    sni_hrbf_free(context, &plane);
    snt_context_end(context);
}

// Points all over an ellipsoid with its normals.
static void ellipsoid(sni_hrbf_sample *samples, uint32_t count, sn_vec3 radii) {
    for (uint32_t i = 0; i < count; ++i) {
        double z = 1 - (2 * i + 1.0) / count, r = sqrt(1 - z * z), turn = i * 2.399963229728653;
        sn_vec3 unit = {r * cos(turn), r * sin(turn), z};
        sn_vec3 normal = {unit.x / radii.x, unit.y / radii.y, unit.z / radii.z};
        samples[i] =
            (sni_hrbf_sample){sn_vec3_multiply(unit, radii), sn_vec3_normalize_or(normal, unit)};
    }
}

static void samples_scaled_and_moved_give_the_field_scaled_and_moved(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    enum { COUNT = 60 };
    sni_hrbf_sample samples[COUNT], moved[COUNT];
    ellipsoid(samples, COUNT, sn_vec3_make(0.05, 0.04, 0.2));
    sn_quat turn = sn_quat_from_axis_angle(sn_vec3_make(0, 0.6, 0.8), 1.1);
    sn_vec3 shift = {3, -4, 100};
    double factor = 7;
    for (int i = 0; i < COUNT; ++i) {
        sn_vec3 turned = sn_quat_rotate(turn, samples[i].point);
        moved[i].point = sn_vec3_add_scaled(shift, factor, turned);
        moved[i].normal = sn_quat_rotate(turn, samples[i].normal);
    }
    sni_hrbf field, other;
    fit(context, samples, COUNT, SNI_HRBF_AFFINE, &field);
    fit(context, moved, COUNT, SNI_HRBF_AFFINE, &other);
    snt_random random = {3};
    for (int i = 0; i < 200; ++i) {
        sn_vec3 p = {snt_random_range(&random, -0.1, 0.1), snt_random_range(&random, -0.1, 0.1),
                     snt_random_range(&random, -0.3, 0.3)};
        sni_distance_value here = sni_hrbf_at(&field, p);
        sni_distance_value there =
            sni_hrbf_at(&other, sn_vec3_add_scaled(shift, factor, sn_quat_rotate(turn, p)));
        snt_near(there.distance, factor * here.distance, 1e-9);
        snt_near(sn_vec3_distance(there.gradient, sn_quat_rotate(turn, here.gradient)), 0, 1e-8);
        // The gradient is that of the distance.
        double step = 1e-6;
        for (int axis = 0; axis < 3; ++axis) {
            sn_vec3 d = {axis == 0 ? step : 0, axis == 1 ? step : 0, axis == 2 ? step : 0};
            double slope = (sni_hrbf_at(&field, sn_vec3_add(p, d)).distance -
                            sni_hrbf_at(&field, sn_vec3_sub(p, d)).distance) /
                           (2 * step);
            const double *gradient = &here.gradient.x;
            snt_near(slope, gradient[axis], 1e-6);
        }
    }
    sni_hrbf_free(context, &field);
    sni_hrbf_free(context, &other);
    snt_context_end(context);
}

static void impossible_samples_are_refused(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_hrbf hrbf;
    sni_hrbf_sample samples[6];
    octahedron(samples);
    snt_fails(SN_INVALID, "at least 4",
              sni_hrbf_fit(context, samples, 3, SNI_HRBF_AFFINE, &hrbf, error));
    samples[4].point = samples[1].point;
    snt_fails(SN_INVALID, "samples 1 and 4",
              sni_hrbf_fit(context, samples, 6, SNI_HRBF_AFFINE, &hrbf, error));
    octahedron(samples);
    samples[2].normal.y = 2;
    snt_fails(SN_INVALID, "normal of sample 2",
              sni_hrbf_fit(context, samples, 6, SNI_HRBF_AFFINE, &hrbf, error));
    octahedron(samples);
    samples[3].point.x = (double)NAN;
    snt_fails(SN_INVALID, "", sni_hrbf_fit(context, samples, 6, SNI_HRBF_AFFINE, &hrbf, error));
    for (int i = 0; i < 6; ++i) {
        samples[i].point = sn_vec3_make(1, 2, 3);
    }
    snt_fails(SN_INVALID, "one point",
              sni_hrbf_fit(context, samples, 6, SNI_HRBF_AFFINE, &hrbf, error));
    snt_context_end(context);
}

// Rows have the bits of single points, also on a centre and where they end within a group of four.
static void rows_are_points_one_after_the_other(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_hrbf_sample samples[6];
    octahedron(samples);
    sni_hrbf hrbf;
    fit(context, samples, 6, SNI_HRBF_AFFINE, &hrbf);
    for (uint32_t count = 1; count <= 17; ++count) {
        const sn_vec3 first = {-2, count % 2 == 0 ? 0 : 0.3, 0};
        const double spacing = 0.25; // two nodes of even rows are samples
        float nodes[4 * 17];
        sni_hrbf_row(context, &hrbf, first, spacing, count, nodes);
        for (uint32_t i = 0; i < count; ++i) {
            sni_distance_value value =
                sni_hrbf_at(&hrbf, sn_vec3_add_scaled(first, spacing, sn_vec3_make(i, 0, 0)));
            const float expected[4] = {(float)value.distance, (float)value.gradient.x,
                                       (float)value.gradient.y, (float)value.gradient.z};
            assert_memory_equal(nodes + 4 * (size_t)i, expected, sizeof expected);
        }
    }
    sni_hrbf_free(context, &hrbf);
    snt_context_end(context);
}

static sn_status fit_octahedron(sn_context *context, void *user, sn_error *error) {
    (void)user;
    sni_hrbf_sample samples[6];
    octahedron(samples);
    sni_hrbf hrbf;
    sn_status status = sni_hrbf_fit(context, samples, 6, SNI_HRBF_AFFINE, &hrbf, error);
    if (status == SN_OK) {
        sni_hrbf_free(context, &hrbf);
    }
    return status;
}

static void memory_may_run_out(void **state) {
    (void)state;
    snt_fail_allocations(fit_octahedron, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(six_points_of_a_ball),
        cmocka_unit_test(planes_are_met_exactly),
        cmocka_unit_test(samples_scaled_and_moved_give_the_field_scaled_and_moved),
        cmocka_unit_test(rows_are_points_one_after_the_other),
        cmocka_unit_test(impossible_samples_are_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
