// SPDX-License-Identifier: Apache-2.0
//
// Jacobi's method with the cyclic order (Golub and Van Loan, Matrix Computations, section 8.5):
// each rotation makes one pair of elements zero, and sweeps over all pairs are repeated until what
// is left of them is rounding. It takes time in size^3, with a larger factor than methods that make
// the matrix tridiagonal first, but gives small eigenvalues and their vectors to full precision.
#include "base/eigen.h"

#include <math.h>
#include <string.h>

static const int most_sweeps = 50;

// Off-diagonal elements below this part of the diagonal count as zero.
static const double least_part = 1e-15;

// Rotates rows and columns p and q of a symmetric matrix so that element (p, q) becomes zero.
static void rotate(double *matrix, double *vectors, uint32_t size, uint32_t p, uint32_t q) {
    double *row_p = matrix + (size_t)p * size, *row_q = matrix + (size_t)q * size;
    double *vector_p = vectors + (size_t)p * size, *vector_q = vectors + (size_t)q * size;
    double apq = row_p[q];
    double tau = (row_q[q] - row_p[p]) / (2 * apq);
    double t = (tau >= 0 ? 1 : -1) / (fabs(tau) + sqrt(1 + tau * tau));
    double c = 1 / sqrt(1 + t * t), s = t * c;
    row_p[p] -= t * apq;
    row_q[q] += t * apq;
    row_p[q] = row_q[p] = 0;
    for (uint32_t i = 0; i < size; ++i) {
        double vp = vector_p[i], vq = vector_q[i];
        vector_p[i] = c * vp - s * vq;
        vector_q[i] = s * vp + c * vq;
        if (i != p && i != q) {
            double ap = row_p[i], aq = row_q[i];
            row_p[i] = matrix[(size_t)i * size + p] = c * ap - s * aq;
            row_q[i] = matrix[(size_t)i * size + q] = s * ap + c * aq;
        }
    }
}

// Returns whether anything was left to rotate.
static bool sweep(double *matrix, double *vectors, uint32_t size) {
    bool rotated = false;
    for (uint32_t p = 0; p + 1 < size; ++p) {
        for (uint32_t q = p + 1; q < size; ++q) {
            double app = matrix[(size_t)p * size + p], aqq = matrix[(size_t)q * size + q];
            if (fabs(matrix[(size_t)p * size + q]) > least_part * sqrt(fabs(app) * fabs(aqq))) {
                rotate(matrix, vectors, size, p, q);
                rotated = true;
            }
        }
    }
    return rotated;
}

// Sorts by falling value with the fewest exchanges; sizes are a few hundred.
static void sort(uint32_t size, double *values, double *vectors, double *row) {
    size_t bytes = size * sizeof *row;
    for (uint32_t i = 0; i < size; ++i) {
        uint32_t largest = i;
        for (uint32_t k = i + 1; k < size; ++k) {
            largest = values[k] > values[largest] ? k : largest;
        }
        if (largest != i) {
            double value = values[i];
            values[i] = values[largest];
            values[largest] = value;
            memcpy(row, vectors + (size_t)i * size, bytes);
            memcpy(vectors + (size_t)i * size, vectors + (size_t)largest * size, bytes);
            memcpy(vectors + (size_t)largest * size, row, bytes);
        }
    }
}

sn_status sni_eigen(sn_context *context, double *matrix, uint32_t size, double *values,
                    double *vectors, sn_error *error) {
    sn_status status = SN_OK;
    double *row = NULL;
    SNI_NEW(context, row, size);
    memset(vectors, 0, (size_t)size * size * sizeof *vectors);
    for (uint32_t i = 0; i < size; ++i) {
        vectors[(size_t)i * size + i] = 1;
    }
    for (int i = 0; i < most_sweeps && sweep(matrix, vectors, size); ++i) {
    }
    for (uint32_t i = 0; i < size; ++i) {
        values[i] = matrix[(size_t)i * size + i];
    }
    sort(size, values, vectors, row);
cleanup:
    sni_free(context, row);
    return status;
}
