// SPDX-License-Identifier: Apache-2.0
//
// Dense systems of linear equations.
#ifndef SINEW_BASE_DENSE_H
#define SINEW_BASE_DENSE_H

#include <stdbool.h>
#include <stdint.h>

// Solves matrix x = right by Gaussian elimination with partial pivoting. `matrix` (size x size, row
// by row) is lost; `right` becomes x. False where a pivot is zero or not finite, which leaves both
// in an undefined state. Equal input gives equal bits.
bool sni_dense_solve(double *matrix, uint32_t size, double *right);

// The same for several right sides: `right` is size x columns, row by row. Each column gets the
// bits that it gets alone.
bool sni_dense_solve_columns(double *matrix, uint32_t size, double *right, uint32_t columns);

#endif
