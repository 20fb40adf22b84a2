// SPDX-License-Identifier: Apache-2.0
//
// Rows of slices: where points are among them.
#include "test.h"

#include "kind/slices.h"

#include <math.h>

enum { SLICES = 6 };

// Slices of half axes 2 and 1 across the y axis, one unit apart from y = 0 on, at x.
static void make_row(double x, sni_slice *slices) {
    for (int i = 0; i < SLICES; ++i) {
        slices[i] = (sni_slice){.center = {x, i, 0}, .wide = {2, 0, 0}, .thick = {0, 0, 1}};
    }
}

static sni_slice_field *make_field(sn_context *context, uint32_t rows, const sni_slice *slices) {
    sni_slice_row list[4];
    sni_slice_field *field = NULL;
    for (uint32_t i = 0; i < rows; ++i) {
        list[i] = (sni_slice_row){SLICES * i, SLICES};
    }
    snt_ok(sni_slice_field_create(context, rows, list, slices, &field, error));
    return field;
}

// What a tie stands for.
static sn_vec3 point_of(const sni_slice *slices, const sni_slice_tie *tie) {
    sn_vec3 sum = {0, 0, 0};
    for (uint32_t k = 0; k < 2; ++k) {
        const sni_slice *s = &slices[tie->slice + k];
        double share = k == 0 ? 1 - tie->along : tie->along;
        sum = sn_vec3_add_scaled(sum, share, s->center);
        sum = sn_vec3_add_scaled(sum, share * tie->wide, s->wide);
        sum = sn_vec3_add_scaled(sum, share * tie->thick, s->thick);
        sum = sn_vec3_add_scaled(sum, share * tie->off, sni_slice_normal(s));
    }
    return sum;
}

static void finds_parameters_by_hand(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_slice slices[SLICES];
    sni_slice_tie ties[SNI_MOST_SLICE_TIES];
    double distance;
    make_row(0, slices);
    sni_slice_field *field = make_field(context, 1, slices);
    // Between slices 2 and 3.
    assert_int_equal(sni_slice_field_find(field, sn_vec3_make(1, 2.25, -0.5), ties, &distance), 1);
    assert_int_equal(ties[0].slice, 2);
    snt_near(ties[0].along, 0.25, 1e-12);
    snt_near(ties[0].wide, 0.5, 1e-12);
    snt_near(ties[0].thick, -0.5, 1e-12);
    assert_true(ties[0].off == 0 && ties[0].weight == 1 && distance == 0);
    // Twice as far from the axis as the surface: about a mean half axis outside.
    sni_slice_field_find(field, sn_vec3_make(4, 2.25, 0), ties, &distance);
    snt_near(ties[0].wide, 2, 1e-12);
    snt_near(distance, 1.5, 1e-12);
    // Before the first and behind the last slice: T x W points to +y here.
    sni_slice_field_find(field, sn_vec3_make(0.5, -0.75, 0), ties, NULL);
    assert_true(ties[0].slice == 0 && ties[0].along == 0);
    snt_near(ties[0].off, -0.75, 1e-12);
    sni_slice_field_find(field, sn_vec3_make(0, 5.5, 0.25), ties, NULL);
    assert_true(ties[0].slice == SLICES - 2 && ties[0].along == 1);
    snt_near(ties[0].off, 0.5, 1e-12);
    snt_near(ties[0].thick, 0.25, 1e-12);
    sni_slice_field_destroy(field);
    snt_context_end(context);
}

static double any(snt_random *random, double size) {
    return snt_random_range(random, -size, size);
}

// Rows that are bent, twisted and of changing width: every tie of every point gives the point.
static void every_tie_gives_the_point(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    snt_random random = {3};
    for (int round = 0; round < 50; ++round) {
        sni_slice slices[3 * SLICES];
        for (int r = 0; r < 3; ++r) {
            double bend = any(&random, 0.25), twist = any(&random, 0.4);
            sn_vec3 center = {3.0 * r, 0, 0};
            for (int i = 0; i < SLICES; ++i) {
                double angle = bend * i, turn = twist * i;
                sn_vec3 along = {sin(angle), cos(angle), 0}, across = {cos(angle), -sin(angle), 0};
                sn_vec3 z = {0, 0, 1};
                sn_vec3 w = sn_vec3_add_scaled(sn_vec3_scale(across, cos(turn)), sin(turn), z);
                sn_vec3 t = sn_vec3_add_scaled(sn_vec3_scale(z, cos(turn)), -sin(turn), across);
                slices[SLICES * r + i] =
                    (sni_slice){.center = center,
                                .wide = sn_vec3_scale(w, 1 + any(&random, 0.3)),
                                .thick = sn_vec3_scale(t, 0.5 + any(&random, 0.2))};
                center = sn_vec3_add(center, along);
            }
        }
        sni_slice_field *field = make_field(context, 3, slices);
        for (int k = 0; k < 200; ++k) {
            sni_slice_tie ties[SNI_MOST_SLICE_TIES];
            sn_vec3 p = {snt_random_range(&random, -2, 8), snt_random_range(&random, -1, 6),
                         any(&random, 1.5)};
            uint32_t count = sni_slice_field_find(field, p, ties, NULL);
            double sum = 0;
            assert_in_range(count, 1, 3);
            for (uint32_t i = 0; i < count; ++i) {
                assert_true(ties[i].weight > 0 && ties[i].slice / SLICES == ties[i].row);
                assert_true(i == 0 || ties[i].weight <= ties[i - 1].weight);
                assert_true(ties[i].along >= 0 && ties[i].along <= 1);
                snt_near(sn_vec3_distance(point_of(slices, &ties[i]), p), 0, 1e-9);
                sum += ties[i].weight;
            }
            snt_near(sum, 1, 1e-12);
        }
        sni_slice_field_destroy(field);
    }
    snt_context_end(context);
}

static double weight_of(const sni_slice_field *field, double x, uint32_t row) {
    sni_slice_tie ties[SNI_MOST_SLICE_TIES];
    uint32_t count = sni_slice_field_find(field, sn_vec3_make(x, 2.5, 0.3), ties, NULL);
    for (uint32_t i = 0; i < count; ++i) {
        if (ties[i].row == row) {
            return ties[i].weight;
        }
    }
    return 0;
}

// Two rows side by side share the border, each has its own middle, and nothing jumps between.
static void shares_go_over_evenly(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_slice slices[2 * SLICES];
    make_row(0, slices);
    make_row(4, slices + SLICES);
    sni_slice_field *field = make_field(context, 2, slices);
    snt_near(weight_of(field, 2, 0), 0.5, 1e-12);
    snt_near(weight_of(field, 1, 0), 1 - weight_of(field, 3, 0), 1e-12);
    assert_true(weight_of(field, 0, 0) > 0.995);
    assert_true(weight_of(field, -6, 0) > 0.7); // far outside the other is not much further away
    double steepest = 0;
    for (double x = -8; x < 12; x += 0.01) {
        double step = fabs(weight_of(field, x + 0.01, 0) - weight_of(field, x, 0));
        assert_true(weight_of(field, x, 0) + weight_of(field, x, 1) > 1 - 1e-12);
        steepest = fmax(steepest, step / 0.01);
    }
    assert_true(steepest < 2.7 / 4); // as a part of the way from axis to axis
    sni_slice_field_destroy(field);
    snt_context_end(context);
}

// More rows than a point can have ties to: the ones left out have no share just before.
static void most_ties_come_and_go_smoothly(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_slice_row rows[7];
    sni_slice slices[7 * SLICES];
    sni_slice_field *field = NULL;
    for (uint32_t i = 0; i < 7; ++i) {
        rows[i] = (sni_slice_row){SLICES * i, SLICES};
        make_row(0.8 * i, slices + SLICES * i); // they overlap
    }
    snt_ok(sni_slice_field_create(context, 7, rows, slices, &field, error));
    double before[7] = {0};
    for (double x = 0; x < 5; x += 0.01) {
        sni_slice_tie ties[SNI_MOST_SLICE_TIES];
        double now[7] = {0};
        uint32_t count = sni_slice_field_find(field, sn_vec3_make(x, 2.5, 0.1), ties, NULL);
        assert_in_range(count, 1, SNI_MOST_SLICE_TIES);
        for (uint32_t i = 0; i < count; ++i) {
            now[ties[i].row] = ties[i].weight;
        }
        for (int i = 0; i < 7 && x > 0; ++i) {
            snt_near(now[i], before[i], 0.02);
        }
        memcpy(before, now, sizeof now);
    }
    sni_slice_field_destroy(field);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_parameters_by_hand),
        cmocka_unit_test(every_tie_gives_the_point),
        cmocka_unit_test(shares_go_over_evenly),
        cmocka_unit_test(most_ties_come_and_go_smoothly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
