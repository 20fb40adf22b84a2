// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "skin/sparse_blend.h"

#include <math.h>

// Random rows with 0 to `widest` entries, points, matrices and unit dual quaternions.
typedef struct model {
    sn_context *context;
    uint32_t rows, elements;
    uint32_t *offsets, *indices;
    float *values, *points, *out, *expected, *matrices, *duals;
    sn_mat4 *transforms;
} model;

static sn_mat4 random_matrix(snt_random *random) {
    sn_mat4 m = sn_mat4_identity();
    for (int column = 0; column < 4; ++column) {
        for (int row = 0; row < 3; ++row) {
            m.m[4 * column + row] = snt_random_range(random, -1, 1);
        }
    }
    return m;
}

static sn_dual_quat random_rigid(snt_random *random) {
    sn_quat q = {snt_random_range(random, -1, 1), snt_random_range(random, -1, 1),
                 snt_random_range(random, -1, 1), snt_random_range(random, -1, 1)};
    sn_vec3 t = {snt_random_range(random, -1, 1), snt_random_range(random, -1, 1),
                 snt_random_range(random, -1, 1)};
    return sn_dual_quat_from_rigid(sn_quat_normalize(q), t);
}

static model make_model(sn_context *context, uint32_t rows, uint32_t elements, uint32_t widest,
                        uint64_t seed) {
    snt_random random = {seed};
    model m = {.context = context, .rows = rows, .elements = elements};
    m.offsets = sni_alloc(context, rows + 1, sizeof *m.offsets);
    m.offsets[0] = 0;
    for (uint32_t i = 0; i < rows; ++i) {
        m.offsets[i + 1] = m.offsets[i] + snt_random_u32(&random) % (widest + 1);
    }
    uint32_t count = m.offsets[rows];
    m.indices = sni_alloc(context, count, sizeof *m.indices);
    m.values = sni_alloc(context, count, sizeof *m.values);
    for (uint32_t i = 0; i < count; ++i) {
        m.indices[i] = snt_random_u32(&random) % elements;
        m.values[i] = (float)snt_random_range(&random, 0, 1);
    }
    m.points = sni_alloc(context, 3 * (size_t)rows, sizeof *m.points);
    m.out = sni_alloc_zero(context, 3 * (size_t)rows, sizeof *m.out);
    m.expected = sni_alloc_zero(context, 3 * (size_t)rows, sizeof *m.expected);
    for (uint32_t i = 0; i < 3 * rows; ++i) {
        m.points[i] = (float)snt_random_range(&random, -1, 1);
    }
    m.matrices = sni_alloc(context, elements, SNI_BLEND_MATRIX * sizeof(float));
    m.duals = sni_alloc(context, elements, SNI_BLEND_DUAL * sizeof(float));
    m.transforms = sni_alloc(context, elements, sizeof *m.transforms);
    for (uint32_t i = 0; i < elements; ++i) {
        m.transforms[i] = random_matrix(&random);
        sn_dual_quat rigid = random_rigid(&random);
        sni_blend_matrix_store(&m.transforms[i], m.matrices + (size_t)i * SNI_BLEND_MATRIX);
        sni_blend_dual_store(&rigid, m.duals + (size_t)i * SNI_BLEND_DUAL);
    }
    return m;
}

static void free_model(model *m) {
    void *arrays[] = {m->offsets,  m->indices,  m->values, m->points,    m->out,
                      m->expected, m->matrices, m->duals,  m->transforms};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        sni_free(m->context, arrays[i]);
    }
}

static void init(const model *m, sni_sparse_blend *blend, sni_sparse_blend_report *report) {
    snt_ok(sni_sparse_blend_init(m->context, m->rows, m->elements, m->offsets, m->indices,
                                 m->values, blend, report, error));
}

static void kernels_equal_the_reference_bit_for_bit(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    const uint32_t sizes[] = {0, 1, 7, 8, 9, 4099};
    const uint32_t widths[] = {0, 1, 2, 4, 7, 40};
    for (size_t i = 0; i < 6; ++i) {
        for (size_t j = 0; j < 6; ++j) {
            for (int phases = 1; phases < 4; ++phases) {
                model m = make_model(context, sizes[i], 37, widths[j], 100 * i + j);
                sni_sparse_blend blend;
                init(&m, &blend, NULL);
                sni_blend_job job = {.blend = &blend,
                                     .matrices = phases & 1 ? m.matrices : NULL,
                                     .duals = phases & 2 ? m.duals : NULL,
                                     .points_in = m.points,
                                     .points_out = m.out};
                sni_sparse_blend_run(context, &job);
                job.points_out = m.expected;
                sni_sparse_blend_run_reference(&job);
                assert_memory_equal(m.out, m.expected, 12 * (size_t)m.rows);
                sni_sparse_blend_deinit(context, &blend);
                free_model(&m);
            }
        }
    }
    snt_context_end(context);
}

// sum_k w_k M_k p in double, straight from the caller's rows.
static sn_vec3 blend_in_double(const model *m, uint32_t row) {
    sn_vec3 sum = {0, 0, 0}, p = sn_vec3_load(m->points + 3 * (size_t)row);
    double total = 0;
    for (uint32_t i = m->offsets[row]; i < m->offsets[row + 1]; ++i) {
        sn_vec3 moved = sn_mat4_point(&m->transforms[m->indices[i]], p);
        sum = sn_vec3_add_scaled(sum, m->values[i], moved);
        total += m->values[i];
    }
    return total > 0 ? sn_vec3_scale(sum, 1 / total) : p;
}

static void linear_is_within_a_millionth_of_double(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    model m = make_model(context, 5000, 100, 8, 5);
    sni_sparse_blend blend;
    init(&m, &blend, NULL);
    sni_blend_job job = {
        .blend = &blend, .matrices = m.matrices, .points_in = m.points, .points_out = m.out};
    sni_sparse_blend_run(context, &job);
    for (uint32_t row = 0; row < m.rows; ++row) {
        sn_vec3 expected = blend_in_double(&m, row);
        // Relative to the size of the terms: coordinates and matrices up to 1.
        assert_true(sn_vec3_distance(expected, sn_vec3_load(m.out + 3 * (size_t)row)) < 1e-6);
    }
    sni_sparse_blend_deinit(context, &blend);
    free_model(&m);
    snt_context_end(context);
}

static void more_than_8192_elements_take_wide_places(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    const uint32_t counts[] = {8192, 8193};
    for (int i = 0; i < 2; ++i) {
        model m = make_model(context, 3001, counts[i], 3, 9);
        m.indices[0] = counts[i] - 1;
        sni_sparse_blend blend;
        init(&m, &blend, NULL);
        assert_true((blend.places16 != NULL) == (i == 0));
        sni_blend_job job = {
            .blend = &blend, .matrices = m.matrices, .points_in = m.points, .points_out = m.out};
        sni_sparse_blend_run(context, &job);
        job.points_out = m.expected;
        sni_sparse_blend_run_reference(&job);
        assert_memory_equal(m.out, m.expected, 12 * (size_t)m.rows);
        for (uint32_t row = 0; row < m.rows; ++row) {
            sn_vec3 expected = blend_in_double(&m, row);
            assert_true(sn_vec3_distance(expected, sn_vec3_load(m.out + 3 * (size_t)row)) < 1e-6);
        }
        sni_sparse_blend_deinit(context, &blend);
        free_model(&m);
    }
    snt_context_end(context);
}

static void assert_threads_agree(uint32_t rows, uint32_t widest, const uint32_t *threads,
                                 int thread_counts) {
    sn_context *owner = snt_context(1);
    model m = make_model(owner, rows, 64, widest, 17);
    sni_sparse_blend blend;
    init(&m, &blend, NULL);
    for (int dual = 0; dual < 2; ++dual) {
        sni_blend_job job = {.blend = &blend,
                             .matrices = dual ? NULL : m.matrices,
                             .duals = dual ? m.duals : NULL,
                             .points_in = m.points,
                             .points_out = m.expected};
        sni_sparse_blend_run_reference(&job);
        job.points_out = m.out;
        for (int i = 0; i < thread_counts; ++i) {
            sn_context *context = snt_context(threads[i]);
            memset(m.out, 0, 12 * (size_t)rows);
            sni_sparse_blend_run(context, &job);
            assert_memory_equal(m.out, m.expected, 12 * (size_t)rows);
            snt_context_end(context);
        }
    }
    sni_sparse_blend_deinit(owner, &blend);
    free_model(&m);
    snt_context_end(owner);
}

static void threads_change_no_bit(void **state) {
    (void)state;
    assert_threads_agree(100003, 4, (const uint32_t[5]){1, 2, 3, 8, 32}, 5);
}

// Enough points for stores past the caches, with a rest of three.
static void streaming_changes_no_bit(void **state) {
    (void)state;
    assert_threads_agree(2100003, 1, (const uint32_t[1]){3}, 1);
}

static void rows_are_scaled_and_counted_largest_first(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    const uint32_t offsets[] = {0, 3, 3, 5, 6, 8};
    const uint32_t elements[] = {4, 5, 6, 1, 2, 3, 7, 8};
    const float values[] = {0.25f, 0.5f, 0.25f, 0, 0, 8, 0, 1};
    sni_sparse_blend blend;
    sni_sparse_blend_report report;
    snt_ok(sni_sparse_blend_init(context, 5, 9, offsets, elements, values, &blend, &report, error));
    assert_int_equal(report.unweighted, 2);
    assert_int_equal(report.rescaled, 1);
    assert_int_equal(report.widest, 3);
    assert_int_equal(blend.entry_count, 24);
    // Entry k of row r stands at 8 k + r.
    const uint16_t row0[] = {5, 4, 6};
    const float weights0[] = {0.5f, 0.25f, 0.25f};
    for (int k = 0; k < 3; ++k) {
        assert_int_equal(sni_sparse_blend_element(&blend, 8 * k), row0[k]);
        assert_true(blend.weights[8 * k] == weights0[k]);
        assert_true(blend.weights[8 * k + 1] == 0 && blend.weights[8 * k + 2] == 0);
    }
    assert_true(blend.weights[3] == 1 && blend.places16[3] == 8 * 3 && blend.weights[11] == 0);
    assert_true(blend.weights[4] == 1 && blend.places16[4] == 8 * 8 && blend.weights[12] == 0);
    assert_true(sni_sparse_blend_bytes(&blend) == 2 * 4 + 24 * 6);
    sni_sparse_blend_deinit(context, &blend);
    snt_context_end(context);
}

static void in_place_gives_the_same(void **state) {
    (void)state;
    sn_context *context = snt_context(2);
    model m = make_model(context, 3003, 20, 4, 3);
    sni_sparse_blend blend;
    init(&m, &blend, NULL);
    sni_blend_job job = {.blend = &blend,
                         .matrices = m.matrices,
                         .duals = m.duals,
                         .points_in = m.points,
                         .points_out = m.expected};
    sni_sparse_blend_run(context, &job);
    job.points_out = m.points;
    sni_sparse_blend_run(context, &job);
    assert_memory_equal(m.points, m.expected, 12 * (size_t)m.rows);
    sni_sparse_blend_deinit(context, &blend);
    free_model(&m);
    snt_context_end(context);
}

static sn_status attempt(sn_context *context, void *user, sn_error *error) {
    const model *m = user;
    sni_sparse_blend blend;
    sn_status status = sni_sparse_blend_init(context, m->rows, m->elements, m->offsets, m->indices,
                                             m->values, &blend, NULL, error);
    if (status == SN_OK) {
        sni_sparse_blend_deinit(context, &blend);
    }
    return status;
}

static void survives_failing_allocations(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    model m = make_model(context, 20, 5, 4, 1);
    snt_fail_allocations(attempt, &m);
    free_model(&m);
    snt_context_end(context);
}

static void wrong_weights_are_found(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    static const uint32_t offsets[] = {0, 2, 2, 3}, elements[] = {0, 1, 1};
    static const float values[] = {1, 3, 5};
    sni_sparse_blend blend;
    snt_ok(sni_sparse_blend_init(context, 3, 2, offsets, elements, values, &blend, NULL, error));
    assert_true(sni_sparse_blend_is_valid(&blend));
    static const float wrong[] = {0.5f, -0.75f, 0.2f, NAN};
    for (int i = 0; i < 4; ++i) {
        blend.weights[0] = wrong[i];
        assert_false(sni_sparse_blend_is_valid(&blend));
    }
    blend.weights[0] = 0.75f;
    assert_true(sni_sparse_blend_is_valid(&blend));
    sni_sparse_blend_set_element(&blend, 0, 2);
    assert_false(sni_sparse_blend_is_valid(&blend));
    sni_sparse_blend_deinit(context, &blend);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_scaled_and_counted_largest_first),
        cmocka_unit_test(kernels_equal_the_reference_bit_for_bit),
        cmocka_unit_test(linear_is_within_a_millionth_of_double),
        cmocka_unit_test(more_than_8192_elements_take_wide_places),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(streaming_changes_no_bit),
        cmocka_unit_test(in_place_gives_the_same),
        cmocka_unit_test(survives_failing_allocations),
        cmocka_unit_test(wrong_weights_are_found),
    };
    return cmocka_run_group_tests_name("skin/sparse_blend", tests, NULL, NULL);
}
