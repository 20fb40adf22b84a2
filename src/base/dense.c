// SPDX-License-Identifier: Apache-2.0
#include "base/dense.h"

#include <math.h>
#include <stddef.h>

static uint32_t find_pivot(const double *matrix, uint32_t size, uint32_t column) {
    uint32_t best = column;
    double most = fabs(matrix[(size_t)column * size + column]);
    for (uint32_t row = column + 1; row < size; ++row) {
        double value = fabs(matrix[(size_t)row * size + column]);
        if (value > most) {
            most = value;
            best = row;
        }
    }
    return best;
}

static void swap_rows(double *matrix, uint32_t size, uint32_t a, uint32_t b) {
    double *row_a = matrix + (size_t)a * size, *row_b = matrix + (size_t)b * size;
    for (uint32_t k = 0; k < size && a != b; ++k) {
        double kept = row_a[k];
        row_a[k] = row_b[k];
        row_b[k] = kept;
    }
}

static void subtract_scaled(double *restrict values, double factor, const double *restrict from,
                            uint32_t count) {
    for (uint32_t k = 0; k < count; ++k) {
        values[k] -= factor * from[k];
    }
}

static void eliminate(double *matrix, uint32_t size, double *right, uint32_t columns,
                      uint32_t column) {
    const double *pivot_row = matrix + (size_t)column * size;
    for (uint32_t row = column + 1; row < size; ++row) {
        double *values = matrix + (size_t)row * size;
        double factor = values[column] / pivot_row[column];
        if (factor == 0) {
            continue;
        }
        subtract_scaled(values + column, factor, pivot_row + column, size - column);
        subtract_scaled(right + (size_t)row * columns, factor, right + (size_t)column * columns,
                        columns);
    }
}

bool sni_dense_solve_columns(double *matrix, uint32_t size, double *right, uint32_t columns) {
    for (uint32_t column = 0; column < size; ++column) {
        uint32_t from = find_pivot(matrix, size, column);
        swap_rows(matrix, size, column, from);
        // Row by row, `right` is a matrix of `columns` columns.
        swap_rows(right, columns, column, from);
        double pivot = matrix[(size_t)column * size + column];
        if (!(fabs(pivot) > 0) || !isfinite(pivot)) {
            return false;
        }
        eliminate(matrix, size, right, columns, column);
    }
    for (uint32_t row = size; row-- > 0;) {
        const double *values = matrix + (size_t)row * size;
        double *solved = right + (size_t)row * columns;
        for (uint32_t k = row + 1; k < size; ++k) {
            subtract_scaled(solved, values[k], right + (size_t)k * columns, columns);
        }
        for (uint32_t c = 0; c < columns; ++c) {
            solved[c] /= values[row];
        }
    }
    return true;
}

bool sni_dense_solve(double *matrix, uint32_t size, double *right) {
    return sni_dense_solve_columns(matrix, size, right, 1);
}
