// SPDX-License-Identifier: Apache-2.0
//
// Fields at eight points at once, in floats, beside those at one point in doubles.
#include "test.h"

#include "field/lanes.h"
#include "field/tree.h"

enum { WIDTH = SNI_WIDTH };

static void supports_are_the_same(void **state) {
    (void)state;
    float x[WIDTH], value[WIDTH], slope[WIDTH], back[WIDTH];
    for (int i = -1200; i <= 1200; i += WIDTH) {
        for (int k = 0; k < WIDTH; ++k) {
            x[k] = (float)(i + k) / 1000;
        }
        sni_f32xw values = sni_lanes_support(sni_f32xw_load(x));
        sni_f32xw_store(value, values);
        sni_f32xw_store(slope, sni_lanes_support_slope(sni_f32xw_load(x)));
        sni_f32xw_store(back, sni_lanes_support_inverse(values));
        for (int k = 0; k < WIDTH; ++k) {
            snt_near(value[k], sni_support(x[k]), 2e-7);
            snt_near(slope[k], sni_support_slope(x[k]), 3e-7);
            // Where it is flat, a value says little about its place.
            double steep = fmax(-sni_support_slope(x[k]), 1e-3);
            snt_near(back[k], fmin(fmax(x[k], -1), 1), 4e-7 / steep + (steep < 0.01 ? 0.05 : 0));
        }
    }
    const float ends[WIDTH] = {-1, 0, 1e-30F, 1, 2, 0.5F, 0.25F, 0.75F};
    sni_f32xw_store(back, sni_lanes_support_inverse(sni_f32xw_load(ends)));
    for (int k = 0; k < WIDTH; ++k) {
        snt_near(back[k], sni_support_inverse(ends[k]), 1e-6);
    }
}

typedef struct errors {
    double value, slope;
} errors;

// The largest errors over a fine grid of both values.
static errors compare_blends(const sni_blend_table *table, bool detail) {
    enum { STEPS = 1003 };
    const sni_opening muscles = SNI_OPENING_MUSCLES;
    errors worst = {0};
    for (int i = 0; i <= STEPS; ++i) {
        for (int j = 0; j <= STEPS; j += WIDTH) {
            float x[WIDTH], y[WIDTH], found[3][WIDTH];
            for (int k = 0; k < WIDTH; ++k) {
                x[k] = (float)i / STEPS;
                y[k] = fminf(1, (float)(j + k) / STEPS);
            }
            sni_f32xw a = sni_f32xw_load(x), b = sni_f32xw_load(y);
            sni_composed_lanes g = detail ? sni_lanes_detail(table, a, b)
                                          : sni_lanes_blend(SNI_LANES_MUSCLES, table, a, b);
            sni_f32xw_store(found[0], g.value);
            sni_f32xw_store(found[1], g.by_x);
            sni_f32xw_store(found[2], g.by_y);
            for (int k = 0; k < WIDTH && x[k] < SNI_DETAIL_CLOSE; ++k) {
                sni_composed right =
                    detail ? sni_detail_blend(SNI_DETAIL_CLOSE, SNI_DETAIL_WIDTH, x[k], y[k])
                           : sni_blend(muscles, 1, x[k], y[k]);
                double slope = fmax(fabs(found[1][k] - right.by_x), fabs(found[2][k] - right.by_y));
                worst.value = fmax(worst.value, fabs(found[0][k] - right.value));
                // Where a union has its crease, floats may be on the other side.
                bool has_gap = detail || fabs(x[k] - y[k]) > 1e-5 || fabs(right.value - 0.5) > 0.02;
                worst.slope = has_gap ? fmax(worst.slope, slope) : worst.slope;
            }
        }
    }
    return worst;
}

static void blends_of_tables_are_the_same(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_blend_table unite, detail;
    snt_ok(sni_blend_table_create(context, SNI_OPENING_MUSCLES.close, 1, &unite, error));
    snt_ok(sni_blend_table_create(context, SNI_DETAIL_CLOSE, SNI_DETAIL_WIDTH, &detail, error));
    errors one = compare_blends(&unite, false), two = compare_blends(&detail, true);
    assert_true(one.value < 2e-6 && one.slope < 5e-3);
    assert_true(two.value < 2e-6 && two.slope < 5e-4);
    sni_blend_table_free(context, &unite);
    sni_blend_table_free(context, &detail);
    snt_context_end(context);
}

// A grid and the field that is baked in it, from another origin.
static void grids_say_the_same(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_hrbf_sample samples[40];
    snt_random random = {3};
    for (int i = 0; i < 40; ++i) {
        double turn = 2.4 * i, z = (i + 0.5) / 20 - 1, r = sqrt(1 - z * z);
        sn_vec3 n = {r * cos(turn), r * sin(turn), z};
        samples[i] = (sni_hrbf_sample){sn_vec3_add(n, sn_vec3_make(5, -3, 2)), n};
    }
    sni_hrbf hrbf;
    sni_field_grid grid;
    snt_ok(sni_hrbf_fit(context, samples, 40, SNI_HRBF_AFFINE, &hrbf, error));
    snt_ok(sni_field_grid_bake(context, &hrbf, sn_vec3_make(3, -5, 0), sn_vec3_make(7, -1, 4), 0.2,
                               1, &grid, error));
    const sn_vec3 origin = {5, -3, 2};
    for (int i = 0; i < 500; ++i) {
        float places[3][WIDTH], found[4][WIDTH];
        for (int k = 0; k < 3 * WIDTH; ++k) {
            places[k / WIDTH][k % WIDTH] = (float)snt_random_range(&random, -2.5, 2.5);
        }
        sni_field_lanes lanes = sni_lanes_grid_at(&grid, origin, sni_f32xw3_load(places[0]));
        sni_f32xw_store(found[0], lanes.value);
        sni_f32xw3_store(found[1], lanes.gradient);
        for (int k = 0; k < WIDTH; ++k) {
            sn_vec3 at = {places[0][k], places[1][k], places[2][k]};
            sni_distance_value right = sni_field_grid_at(&grid, sn_vec3_add(origin, at));
            snt_near(found[0][k], right.distance, 3e-6);
            snt_near(found[1][k], right.gradient.x, 3e-6);
            snt_near(found[2][k], right.gradient.y, 3e-6);
            snt_near(found[3][k], right.gradient.z, 3e-6);
        }
    }
    sni_field_grid_free(context, &grid);
    sni_hrbf_free(context, &hrbf);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(supports_are_the_same),
        cmocka_unit_test(blends_of_tables_are_the_same),
        cmocka_unit_test(grids_say_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
