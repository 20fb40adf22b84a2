// SPDX-License-Identifier: Apache-2.0
#include "test.h"

#include "base/dense.h"
#include "solver/blocks.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 40 };

typedef struct random_system {
    uint32_t rows, pair_count;
    uint32_t pairs[2 * MOST * MOST];
    double diagonal[9 * MOST], values[9 * MOST * MOST];
    double dense[9 * MOST * MOST], right[3 * MOST], expected[3 * MOST];
} random_system;

static void put_block(random_system *s, uint32_t row, uint32_t column, const double *block) {
    for (uint32_t i = 0; i < 9; ++i) {
        s->dense[(3 * row + i / 3) * 3 * s->rows + 3 * column + i % 3] = block[i];
        s->dense[(3 * column + i % 3) * 3 * s->rows + 3 * row + i / 3] = block[i];
    }
}

// Some blocks anywhere, and diagonals that outweigh them.
static void make_system(snt_random *random, random_system *s) {
    s->rows = 1 + snt_random_u32(random) % MOST;
    s->pair_count = 0;
    memset(s->dense, 0, sizeof s->dense);
    for (uint32_t a = 0; a < s->rows; ++a) {
        for (uint32_t b = a + 1; b < s->rows; ++b) {
            if (snt_random_u32(random) % 5 != 0) {
                continue;
            }
            bool turned = snt_random_u32(random) % 2 == 0;
            uint32_t row = turned ? b : a, column = turned ? a : b;
            double *block = s->values + 9 * (size_t)s->pair_count;
            for (int i = 0; i < 9; ++i) {
                block[i] = snt_random_range(random, -1, 1);
            }
            s->pairs[2 * s->pair_count] = row;
            s->pairs[2 * s->pair_count + 1] = column;
            ++s->pair_count;
            put_block(s, row, column, block);
        }
    }
    for (uint32_t a = 0; a < s->rows; ++a) {
        double *block = s->diagonal + 9 * (size_t)a;
        for (int i = 0; i < 9; ++i) {
            block[i] = i % 4 == 0 ? 3.0 * s->rows + 2 : 0.3;
        }
        put_block(s, a, a, block);
    }
    for (uint32_t i = 0; i < 3 * s->rows; ++i) {
        s->right[i] = s->expected[i] = snt_random_range(random, -1, 1);
    }
    assert_true(sni_dense_solve(s->dense, 3 * s->rows, s->expected));
}

static void systems_are_solved_exactly(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    random_system *s = malloc(sizeof *s);
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        snt_random random = {seed};
        double scratch[3 * MOST];
        sni_blocks *blocks;
        make_system(&random, s);
        snt_ok(sni_blocks_create(context, s->rows, s->pair_count, s->pairs, &blocks, error));
        double *factor = calloc(9 * (size_t)blocks->block_count, sizeof *factor);
        sni_blocks_factor(blocks, s->diagonal, s->values, factor);
        sni_blocks_solve(blocks, factor, s->right, scratch);
        for (uint32_t i = 0; i < 3 * s->rows; ++i) {
            snt_near(s->right[i], s->expected[i], 1e-12);
        }
        assert_true(sni_blocks_bytes(blocks) > sizeof *blocks);
        free(factor);
        sni_blocks_destroy(blocks);
    }
    free(s);
    snt_context_end(context);
}

// A row without stiffness stays where it is, whatever pulls at it.
static void free_rows_do_not_move(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_blocks *blocks;
    snt_ok(sni_blocks_create(context, 2, 0, NULL, &blocks, error));
    double diagonal[18] = {2, 0, 0, 0, 2, 0, 0, 0, 2}, factor[18], scratch[6];
    double right[6] = {2, 4, 6, 1, 1, 1};
    sni_blocks_factor(blocks, diagonal, NULL, factor);
    sni_blocks_solve(blocks, factor, right, scratch);
    static const double expected[6] = {1, 2, 3, 0, 0, 0};
    for (int i = 0; i < 6; ++i) {
        snt_near(right[i], expected[i], 1e-12);
    }
    sni_blocks_destroy(blocks);
    snt_context_end(context);
}

// A chain needs no block that it does not have.
static void chains_are_not_filled_up(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sni_blocks *blocks;
    uint32_t pairs[2 * 99];
    for (uint32_t i = 0; i < 99; ++i) {
        pairs[2 * i] = i * 37 % 100;
        pairs[2 * i + 1] = (i + 1) * 37 % 100;
    }
    snt_ok(sni_blocks_create(context, 100, 99, pairs, &blocks, error));
    assert_int_equal(blocks->block_count, 199);
    sni_blocks_destroy(blocks);
    snt_context_end(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_are_solved_exactly),
        cmocka_unit_test(free_rows_do_not_move),
        cmocka_unit_test(chains_are_not_filled_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
