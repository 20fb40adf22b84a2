// SPDX-License-Identifier: Apache-2.0
#include "solver/blocks.h"

#include "base/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// The pattern

// Rows that are left, with their neighbours as bits: there are few thousand rows at most.
typedef struct elimination {
    uint32_t row_count, word_count;
    uint64_t *neighbours; // row_count x word_count
    bool *done;
} elimination;

static void join(elimination *e, uint32_t a, uint32_t b) {
    e->neighbours[(size_t)a * e->word_count + b / 64] |= UINT64_C(1) << b % 64;
    e->neighbours[(size_t)b * e->word_count + a / 64] |= UINT64_C(1) << a % 64;
}

static uint32_t degree(const elimination *e, uint32_t row) {
    uint32_t count = 0;
    for (uint32_t w = 0; w < e->word_count; ++w) {
        count += (uint32_t)__builtin_popcountll(e->neighbours[(size_t)row * e->word_count + w]);
    }
    return count;
}

static uint32_t choose_row(const elimination *e, const uint32_t *degrees) {
    uint32_t best = SN_NONE;
    for (uint32_t i = 0; i < e->row_count; ++i) {
        if (!e->done[i] && (best == SN_NONE || degrees[i] < degrees[best])) {
            best = i;
        }
    }
    return best;
}

static bool is_neighbour(const elimination *e, uint32_t row, uint32_t of) {
    return (e->neighbours[(size_t)of * e->word_count + row / 64] >> row % 64 & 1) != 0;
}

// Takes a row out: what is left of its neighbours become neighbours of each other.
static void eliminate(elimination *e, uint32_t row, uint32_t *degrees) {
    const uint64_t *own = e->neighbours + (size_t)row * e->word_count;
    e->done[row] = true;
    for (uint32_t i = 0; i < e->row_count; ++i) {
        if (e->done[i] || !is_neighbour(e, i, row)) {
            continue;
        }
        uint64_t *other = e->neighbours + (size_t)i * e->word_count;
        for (uint32_t w = 0; w < e->word_count; ++w) {
            other[w] |= own[w];
        }
        other[i / 64] &= ~(UINT64_C(1) << i % 64);
        other[row / 64] &= ~(UINT64_C(1) << row % 64);
        degrees[i] = degree(e, i);
    }
}

static int compare_rows(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// Orders the rows and counts the blocks of L; bits of a row that has been eliminated are those of
// its column.
static void find_order(elimination *e, sni_blocks *b, uint32_t *degrees) {
    for (uint32_t i = 0; i < e->row_count; ++i) {
        degrees[i] = degree(e, i);
    }
    for (uint32_t k = 0; k < e->row_count; ++k) {
        uint32_t row = choose_row(e, degrees);
        b->order[k] = row;
        b->starts[k + 1] = b->starts[k] + 1 + degree(e, row);
        eliminate(e, row, degrees);
    }
    b->block_count = b->starts[e->row_count];
}

static void list_rows(const elimination *e, sni_blocks *b, const uint32_t *ranks) {
    for (uint32_t k = 0; k < b->row_count; ++k) {
        uint32_t at = b->starts[k];
        b->rows[at++] = k;
        for (uint32_t i = 0; i < b->row_count; ++i) {
            if (is_neighbour(e, i, b->order[k])) {
                b->rows[at++] = ranks[i];
            }
        }
        qsort(b->rows + b->starts[k] + 1, at - b->starts[k] - 1, sizeof *b->rows, compare_rows);
    }
}

// The block of L in a column and row, which is there.
static uint32_t find_block(const sni_blocks *b, uint32_t column, uint32_t row) {
    uint32_t low = b->starts[column], high = b->starts[column + 1];
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (b->rows[middle] <= row) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void place_pairs(sni_blocks *b, const uint32_t *pairs, const uint32_t *ranks) {
    for (uint32_t i = 0; i < b->pair_count; ++i) {
        uint32_t row = ranks[pairs[2 * (size_t)i]], column = ranks[pairs[2 * (size_t)i + 1]];
        b->turned[i] = row < column;
        b->places[i] = find_block(b, row < column ? row : column, row < column ? column : row);
    }
}

static uint64_t count_updates(const sni_blocks *b) {
    uint64_t count = 0;
    for (uint32_t k = 0; k < b->row_count; ++k) {
        uint64_t below = b->starts[k + 1] - b->starts[k] - 1;
        count += below * (below + 1) / 2;
    }
    return count;
}

static void place_updates(sni_blocks *b) {
    uint32_t *update = b->updates;
    for (uint32_t k = 0; k < b->row_count; ++k) {
        for (uint32_t c = b->starts[k] + 1; c < b->starts[k + 1]; ++c) {
            for (uint32_t r = c; r < b->starts[k + 1]; ++r) {
                *update++ = find_block(b, b->rows[c], b->rows[r]);
            }
        }
    }
}

static sn_status make_pattern(sni_blocks *b, const uint32_t *pairs, elimination *e,
                              uint32_t *degrees, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < b->pair_count; ++i) {
        if (pairs[2 * (size_t)i] != pairs[2 * (size_t)i + 1]) {
            join(e, pairs[2 * (size_t)i], pairs[2 * (size_t)i + 1]);
        }
    }
    find_order(e, b, degrees);
    uint32_t *ranks = degrees; // of rows, by when they are eliminated
    for (uint32_t k = 0; k < b->row_count; ++k) {
        ranks[b->order[k]] = k;
    }
    SNI_NEW(b->context, b->rows, b->block_count);
    list_rows(e, b, ranks);
    SNI_NEW(b->context, b->places, b->pair_count);
    SNI_NEW(b->context, b->turned, b->pair_count);
    place_pairs(b, pairs, ranks);
    b->update_count = count_updates(b);
    SNI_NEW(b->context, b->updates, b->update_count);
    place_updates(b);
cleanup:
    return status;
}

sn_status sni_blocks_create(sn_context *context, uint32_t row_count, uint32_t pair_count,
                            const uint32_t *pairs, sni_blocks **blocks, sn_error *error) {
    sn_status status = SN_OK;
    sni_blocks *b = NULL;
    uint32_t *degrees = NULL;
    elimination e = {.row_count = row_count, .word_count = (row_count + 63) / 64};
    *blocks = NULL;
    SNI_NEW_ZERO(context, b, 1);
    b->context = context;
    b->row_count = row_count;
    b->pair_count = pair_count;
    SNI_NEW(context, b->order, row_count);
    SNI_NEW_ZERO(context, b->starts, (size_t)row_count + 1);
    SNI_NEW(context, degrees, row_count);
    SNI_NEW_ZERO(context, e.done, row_count);
    SNI_NEW_ZERO(context, e.neighbours, (size_t)row_count * e.word_count);
    SN_TRY(make_pattern(b, pairs, &e, degrees, error));
    *blocks = b;
    b = NULL;
cleanup:
    sni_free(context, e.neighbours);
    sni_free(context, e.done);
    sni_free(context, degrees);
    sni_blocks_destroy(b);
    return status;
}

void sni_blocks_destroy(sni_blocks *b) {
    if (b != NULL) {
        sni_free(b->context, b->order);
        sni_free(b->context, b->starts);
        sni_free(b->context, b->rows);
        sni_free(b->context, b->places);
        sni_free(b->context, b->turned);
        sni_free(b->context, b->updates);
        sni_free(b->context, b);
    }
}

size_t sni_blocks_bytes(const sni_blocks *b) {
    return sizeof *b + (2 * (size_t)b->row_count + 1) * sizeof(uint32_t) +
           (size_t)b->block_count * sizeof(uint32_t) +
           (size_t)b->pair_count * (sizeof(uint32_t) + sizeof(bool)) +
           (size_t)b->update_count * sizeof(uint32_t);
}

// ---------------------------------------------------------------------------------------------
// Numbers

static void add_block(const double *from, bool turned, double *to) {
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            to[3 * r + c] += turned ? from[3 * c + r] : from[3 * r + c];
        }
    }
}

// The lower triangle of a 3 x 3 block's own factor, in place, with inverse pivots on its diagonal.
static void factor_block(double *a) {
    for (int j = 0; j < 3; ++j) {
        double pivot = a[4 * j];
        for (int k = 0; k < j; ++k) {
            pivot -= a[3 * j + k] * a[3 * j + k];
        }
        double inverse = pivot > 0 ? 1 / sqrt(pivot) : 0;
        a[4 * j] = inverse;
        for (int i = j + 1; i < 3; ++i) {
            double sum = a[3 * i + j];
            for (int k = 0; k < j; ++k) {
                sum -= a[3 * i + k] * a[3 * j + k];
            }
            a[3 * i + j] = sum * inverse;
        }
    }
}

// B <- B L'^-1 for the diagonal block's L.
static void divide_block(double *b, const double *l) {
    for (int r = 0; r < 3; ++r) {
        double *row = b + 3 * r;
        row[0] *= l[0];
        row[1] = (row[1] - row[0] * l[3]) * l[4];
        row[2] = (row[2] - row[0] * l[6] - row[1] * l[7]) * l[8];
    }
}

// C <- C - A B'
static void take_product(const double *a, const double *b, double *c) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            c[3 * i + j] -=
                a[3 * i] * b[3 * j] + a[3 * i + 1] * b[3 * j + 1] + a[3 * i + 2] * b[3 * j + 2];
        }
    }
}

void sni_blocks_factor(const sni_blocks *b, const double *diagonal, const double *values,
                       double *factor) {
    memset(factor, 0, 9 * (size_t)b->block_count * sizeof *factor);
    for (uint32_t k = 0; k < b->row_count; ++k) {
        add_block(diagonal + 9 * (size_t)b->order[k], false, factor + 9 * (size_t)b->starts[k]);
    }
    for (uint32_t i = 0; i < b->pair_count; ++i) {
        add_block(values + 9 * (size_t)i, b->turned[i], factor + 9 * (size_t)b->places[i]);
    }
    const uint32_t *update = b->updates;
    for (uint32_t k = 0; k < b->row_count; ++k) {
        double *own = factor + 9 * (size_t)b->starts[k];
        factor_block(own);
        for (uint32_t i = b->starts[k] + 1; i < b->starts[k + 1]; ++i) {
            divide_block(factor + 9 * (size_t)i, own);
        }
        for (uint32_t c = b->starts[k] + 1; c < b->starts[k + 1]; ++c) {
            for (uint32_t r = c; r < b->starts[k + 1]; ++r) {
                take_product(factor + 9 * (size_t)r, factor + 9 * (size_t)c,
                             factor + 9 * (size_t)*update++);
            }
        }
    }
}

static void solve_forward(const double *l, double *x) {
    x[0] *= l[0];
    x[1] = (x[1] - l[3] * x[0]) * l[4];
    x[2] = (x[2] - l[6] * x[0] - l[7] * x[1]) * l[8];
}

static void solve_backward(const double *l, double *x) {
    x[2] *= l[8];
    x[1] = (x[1] - l[7] * x[2]) * l[4];
    x[0] = (x[0] - l[3] * x[1] - l[6] * x[2]) * l[0];
}

void sni_blocks_solve(const sni_blocks *b, const double *factor, double *right, double *scratch) {
    for (uint32_t k = 0; k < b->row_count; ++k) {
        memcpy(scratch + 3 * (size_t)k, right + 3 * (size_t)b->order[k], 3 * sizeof *right);
    }
    for (uint32_t k = 0; k < b->row_count; ++k) {
        double *x = scratch + 3 * (size_t)k;
        solve_forward(factor + 9 * (size_t)b->starts[k], x);
        for (uint32_t i = b->starts[k] + 1; i < b->starts[k + 1]; ++i) {
            const double *l = factor + 9 * (size_t)i;
            double *y = scratch + 3 * (size_t)b->rows[i];
            for (int r = 0; r < 3; ++r) {
                y[r] -= l[3 * r] * x[0] + l[3 * r + 1] * x[1] + l[3 * r + 2] * x[2];
            }
        }
    }
    for (uint32_t k = b->row_count; k-- > 0;) {
        double *x = scratch + 3 * (size_t)k;
        for (uint32_t i = b->starts[k] + 1; i < b->starts[k + 1]; ++i) {
            const double *l = factor + 9 * (size_t)i, *y = scratch + 3 * (size_t)b->rows[i];
            for (int c = 0; c < 3; ++c) {
                x[c] -= l[c] * y[0] + l[3 + c] * y[1] + l[6 + c] * y[2];
            }
        }
        solve_backward(factor + 9 * (size_t)b->starts[k], x);
        memcpy(right + 3 * (size_t)b->order[k], x, 3 * sizeof *right);
    }
}
