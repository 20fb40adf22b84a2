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

static void swap_rows(double *matrix, uint32_t size, double *right, uint32_t a, uint32_t b) {
    if (a == b) {
        return;
    }
    double *row_a = matrix + (size_t)a * size, *row_b = matrix + (size_t)b * size;
    for (uint32_t k = 0; k < size; ++k) {
        double kept = row_a[k];
        row_a[k] = row_b[k];
        row_b[k] = kept;
    }
    double kept = right[a];
    right[a] = right[b];
    right[b] = kept;
}

static void subtract_scaled(double *restrict values, double factor, const double *restrict from,
                            uint32_t count) {
    for (uint32_t k = 0; k < count; ++k) {
        values[k] -= factor * from[k];
    }
}

static void eliminate(double *matrix, uint32_t size, double *right, uint32_t column) {
    const double *pivot_row = matrix + (size_t)column * size;
    for (uint32_t row = column + 1; row < size; ++row) {
        double *values = matrix + (size_t)row * size;
        double factor = values[column] / pivot_row[column];
        if (factor == 0) {
            continue;
        }
        subtract_scaled(values + column, factor, pivot_row + column, size - column);
        right[row] -= factor * right[column];
    }
}

bool sni_dense_solve(double *matrix, uint32_t size, double *right) {
    for (uint32_t column = 0; column < size; ++column) {
        swap_rows(matrix, size, right, column, find_pivot(matrix, size, column));
        double pivot = matrix[(size_t)column * size + column];
        if (!(fabs(pivot) > 0) || !isfinite(pivot)) {
            return false;
        }
        eliminate(matrix, size, right, column);
    }
    for (uint32_t row = size; row-- > 0;) {
        const double *values = matrix + (size_t)row * size;
        double sum = right[row];
        for (uint32_t k = row + 1; k < size; ++k) {
            sum -= values[k] * right[k];
        }
        right[row] = sum / values[row];
    }
    return true;
}
