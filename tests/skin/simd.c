// SPDX-License-Identifier: Apache-2.0
//
// Every wide word against plain C on each lane, bit for bit.
#include "test.h"

#include "base/simd_f32x4.h"

#include <math.h>

static const float a8[8] = {1, -2.5f, 0, 3e-20f, 7, 1e20f, -0.0f, 0.1f};
static const float b8[8] = {3, 0.3f, -4, 2e-25f, -7, 1e-3f, 5, 0.2f};
static const float c8[8] = {-1, 0.7f, 2, 0, 1e-7f, -9, -0.0f, 0.3f};

static void assert_lanes(sni_f32xw found, const float expected[8]) {
    float values[8];
    sni_f32xw_store(values, found);
    assert_memory_equal(values, expected, sizeof values);
}

static void arithmetic_rounds_once_per_operation(void **state) {
    (void)state;
    sni_f32xw a = sni_f32xw_load(a8), b = sni_f32xw_load(b8), c = sni_f32xw_load(c8);
    float sum[8], difference[8], product[8], add_product[8], sub_product[8], cross[8];
    for (int i = 0; i < 8; ++i) {
        volatile float ab = a8[i] * b8[i];
        sum[i] = a8[i] + b8[i];
        difference[i] = a8[i] - b8[i];
        product[i] = ab;
        add_product[i] = fmaf(b8[i], c8[i], a8[i]);
        sub_product[i] = fmaf(-b8[i], c8[i], a8[i]);
        cross[i] = fmaf(-c8[i], a8[i], ab);
    }
    assert_lanes(sni_f32xw_add(a, b), sum);
    assert_lanes(sni_f32xw_sub(a, b), difference);
    assert_lanes(sni_f32xw_mul(a, b), product);
    assert_lanes(sni_f32xw_add_product(a, b, c), add_product);
    assert_lanes(sni_f32xw_sub_product(a, b, c), sub_product);
    assert_lanes(sni_f32xw_cross(a, b, c, a), cross);
}

static void four_floats_round_once_per_operation(void **state) {
    (void)state;
    for (int first = 0; first <= 4; first += 4) {
        sni_f32x4 a = sni_f32x4_load(a8 + first), b = sni_f32x4_load(b8 + first);
        float sums[4], products[4], scaled[4], same[4], found[4];
        for (int i = 0; i < 4; ++i) {
            volatile float product = a8[first + i] * b8[first + i], times = 0.3f * b8[first + i];
            sums[i] = a8[first + i] + b8[first + i];
            products[i] = product;
            scaled[i] = a8[first + i] + times;
            same[i] = -0.0f;
        }
        sni_f32x4_store(found, sni_f32x4_add(a, b));
        assert_memory_equal(found, sums, sizeof found);
        sni_f32x4_store(found, sni_f32x4_mul(a, b));
        assert_memory_equal(found, products, sizeof found);
        sni_f32x4_store(found, sni_f32x4_add_scaled(a, 0.3f, b));
        assert_memory_equal(found, scaled, sizeof found);
        sni_f32x4_store(found, sni_f32x4_set1(-0.0f));
        assert_memory_equal(found, same, sizeof found);
    }
}

static float random_float(uint64_t *state, unsigned kind) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    uint32_t bits = (uint32_t)(*state >> 16);
    switch (kind) {
    case 0: // any, with those that are not numbers
        break;
    case 1: // of like sizes
        bits = (bits & 0x807fffff) | (100 + (uint32_t)(*state >> 50) % 50) << 23;
        break;
    case 2: // few digits, so that sums lie halfway between two floats
        bits &= 0x80fff000;
        break;
    default: // products below the smallest normal float
        bits = (bits & 0x807fffff) | (60 + (uint32_t)(*state >> 50) % 8) << 23;
    }
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Where the processor has no such instruction, the wide word makes it of others.
static void products_are_added_with_one_rounding(void **state) {
    (void)state;
    uint64_t random = 88172645463325252u;
    for (uint32_t round = 0; round < 200000; ++round) {
        float a[8], b[8], c[8], found[8];
        for (int i = 0; i < 8; ++i) {
            a[i] = random_float(&random, round % 4);
            b[i] = random_float(&random, round / 4 % 4);
            c[i] = random_float(&random, round / 4 % 4);
        }
        sni_f32xw_store(
            found, sni_f32xw_add_product(sni_f32xw_load(a), sni_f32xw_load(b), sni_f32xw_load(c)));
        for (int i = 0; i < 8; ++i) {
            float expected = fmaf(b[i], c[i], a[i]);
            if (!isnan(found[i]) || !isnan(expected)) {
                assert_memory_equal(&found[i], &expected, sizeof expected);
            }
        }
    }
}

static void rows_are_stored_as_they_were_loaded(void **state) {
    (void)state;
    float rows[32], back[32];
    for (int i = 0; i < 32; ++i) {
        rows[i] = (float)i - 7;
    }
    sni_rows all = {rows,      rows + 4,  rows + 8,  rows + 12,
                    rows + 16, rows + 20, rows + 24, rows + 28};
    sni_f32xw_store_rows4(back, sni_f32xw_transpose4(all, 0));
    assert_memory_equal(back, rows, sizeof rows);
}

static void four_numbers_are_spread(void **state) {
    (void)state;
    sni_f32xw twice = sni_f32xw_load_twice(a8 + 3);
    const sni_f32xw found[4] = {sni_f32xw_spread(twice, 0), sni_f32xw_spread(twice, 1),
                                sni_f32xw_spread(twice, 2), sni_f32xw_spread(twice, 3)};
    float expected[8];
    for (int i = 0; i < 8; ++i) {
        expected[i] = a8[3 + i % 4];
    }
    assert_lanes(twice, expected);
    for (int lane = 0; lane < 4; ++lane) {
        for (int i = 0; i < 8; ++i) {
            expected[i] = a8[3 + lane];
        }
        assert_lanes(found[lane], expected);
    }
}

// Sign bits alone mean something.
static void comparisons_set_sign_bits(void **state) {
    (void)state;
    sni_f32xw a = sni_f32xw_load(a8), b = sni_f32xw_load(b8), c = sni_f32xw_load(c8);
    sni_f32xw less = sni_f32xw_less(a, b), other = sni_f32xw_less(a, c);
    uint32_t one = 0, two = 0;
    for (int i = 0; i < 8; ++i) {
        one |= (uint32_t)(a8[i] < b8[i]) << i;
        two |= (uint32_t)(a8[i] < c8[i]) << i;
    }
    assert_int_equal(sni_f32xw_signs(less), one);
    assert_int_equal(sni_f32xw_signs(sni_f32xw_both(less, other)), one & two);
    assert_int_equal(sni_f32xw_signs(sni_f32xw_either(less, other)), one | two);
    assert_int_equal(sni_f32xw_signs(sni_f32xw_but_not(less, other)), one & ~two);
    assert_int_equal(sni_f32xw_signs(sni_f32xw_less(sni_f32xw_set1(NAN), sni_f32xw_set1(INFINITY))),
                     0);
}

static void numbers_are_cut_to_whole_ones(void **state) {
    (void)state;
    const float numbers[8] = {0, 0.9f, -0.9f, 1, 16777215, -3.5f, 1e9f, 2.5f};
    float expected[8];
    int32_t whole[8];
    for (int i = 0; i < 8; ++i) {
        expected[i] = (float)(int32_t)numbers[i];
    }
    assert_lanes(sni_f32xw_whole(sni_f32xw_load(numbers)), expected);
    sni_f32xw_store_whole(whole, sni_f32xw_load(numbers));
    for (int i = 0; i < 8; ++i) {
        assert_int_equal(whole[i], (int32_t)numbers[i]);
    }
    assert_true(sni_f32xw_most(sni_f32xw_load(numbers)) == 1e9f);
    assert_true(sni_f32xw_least(sni_f32xw_load(numbers)) == -3.5f);
}

// To some hundredths, and the same bits in all forms.
static void cube_roots_are_about_right(void **state) {
    (void)state;
    for (int first = -30; first < 30; first += 8) {
        float numbers[8], roots[8];
        for (int i = 0; i < 8; ++i) {
            numbers[i] = (float)pow(1.7, first + i);
        }
        sni_f32xw_store(roots, sni_f32xw_rough_cube_root(sni_f32xw_load(numbers)));
        for (int i = 0; i < 8; ++i) {
            assert_true(fabs(roots[i] / cbrt(numbers[i]) - 1) < 0.06);
        }
    }
    const float found = 27;
    float root[8];
    sni_f32xw_store(root, sni_f32xw_rough_cube_root(sni_f32xw_set1(found)));
    assert_true(root[0] == 3.05889893f);
}

static void set1_fills_all_lanes(void **state) {
    (void)state;
    assert_lanes(sni_f32xw_set1(0.1f),
                 (const float[8]){0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f});
}

static void flip_sign_looks_at_the_sign_bit(void **state) {
    (void)state;
    float expected[8];
    for (int i = 0; i < 8; ++i) {
        expected[i] = signbit(c8[i]) ? -a8[i] : a8[i];
    }
    assert_lanes(sni_f32xw_flip_sign(sni_f32xw_load(a8), sni_f32xw_load(c8)), expected);
}

static void division_by_nothing_gives_zero(void **state) {
    (void)state;
    const float top[8] = {1, 1, 1, 1, 2, 2, 2, 2};
    const float bottom[8] = {2, 0, -0.0f, -3, 3, NAN, INFINITY, 0.5f};
    const float expected[8] = {0.5f, 0, 0, 0, 2.0f / 3.0f, 0, 0, 4};
    assert_lanes(sni_f32xw_div_positive(sni_f32xw_load(top), sni_f32xw_load(bottom)), expected);
}

static void points_come_apart_and_together(void **state) {
    (void)state;
    _Alignas(16) float points[24], again[24], streamed[24];
    float x[8], y[8], z[8];
    for (int i = 0; i < 24; ++i) {
        points[i] = (float)i;
    }
    for (int i = 0; i < 8; ++i) {
        x[i] = (float)(3 * i);
        y[i] = (float)(3 * i + 1);
        z[i] = (float)(3 * i + 2);
    }
    sni_f32xw px, py, pz;
    sni_f32xw_load_points(points, &px, &py, &pz);
    assert_lanes(px, x);
    assert_lanes(py, y);
    assert_lanes(pz, z);
    sni_f32xw_store_points(again, px, py, pz, false);
    sni_f32xw_store_points(streamed, px, py, pz, true);
    sni_stream_fence();
    assert_memory_equal(points, again, sizeof points);
    assert_memory_equal(points, streamed, sizeof points);
}

static void transpose_turns_rows_into_columns(void **state) {
    (void)state;
    float matrix[8][6];
    for (int row = 0; row < 8; ++row) {
        for (int column = 0; column < 6; ++column) {
            matrix[row][column] = (float)(10 * row + column);
        }
    }
    const sni_rows rows = {matrix[0], matrix[1], matrix[2], matrix[3],
                           matrix[4], matrix[5], matrix[6], matrix[7]};
    const sni_f32xw4 found = sni_f32xw_transpose4(rows, 2);
    const sni_f32xw columns[4] = {found.x, found.y, found.z, found.w};
    for (int column = 0; column < 4; ++column) {
        float expected[8];
        for (int row = 0; row < 8; ++row) {
            expected[row] = (float)(10 * row + column + 2);
        }
        assert_lanes(columns[column], expected);
    }
}

static void comparisons_look_at_every_lane(void **state) {
    (void)state;
    sni_f32xw a = sni_f32xw_load(a8), b = sni_f32xw_load(b8), c = sni_f32xw_load(c8);
    float least[8], most[8], root[8], quotient[8], chosen[8];
    uint32_t signs = 0;
    for (int i = 0; i < 8; ++i) {
        least[i] = a8[i] < b8[i] ? a8[i] : b8[i];
        most[i] = a8[i] > b8[i] ? a8[i] : b8[i];
        root[i] = sqrtf(fabsf(a8[i]));
        quotient[i] = a8[i] / b8[i];
        chosen[i] = signbit(c8[i]) ? b8[i] : a8[i];
        signs |= signbit(c8[i]) ? 1u << i : 0;
    }
    assert_lanes(sni_f32xw_min(a, b), least);
    assert_lanes(sni_f32xw_max(a, b), most);
    assert_lanes(sni_f32xw_sqrt(sni_f32xw_flip_sign(a, a)), root);
    assert_lanes(sni_f32xw_div(a, b), quotient);
    assert_lanes(sni_f32xw_choose(c, a, b), chosen);
    assert_int_equal(sni_f32xw_signs(c), signs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparisons_look_at_every_lane),
        cmocka_unit_test(arithmetic_rounds_once_per_operation),
        cmocka_unit_test(four_floats_round_once_per_operation),
        cmocka_unit_test(products_are_added_with_one_rounding),
        cmocka_unit_test(rows_are_stored_as_they_were_loaded),
        cmocka_unit_test(comparisons_set_sign_bits),
        cmocka_unit_test(numbers_are_cut_to_whole_ones),
        cmocka_unit_test(cube_roots_are_about_right),
        cmocka_unit_test(set1_fills_all_lanes),
        cmocka_unit_test(four_numbers_are_spread),
        cmocka_unit_test(flip_sign_looks_at_the_sign_bit),
        cmocka_unit_test(division_by_nothing_gives_zero),
        cmocka_unit_test(points_come_apart_and_together),
        cmocka_unit_test(transpose_turns_rows_into_columns),
    };
    return cmocka_run_group_tests_name("skin/simd", tests, NULL, NULL);
}
