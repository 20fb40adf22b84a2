// SPDX-License-Identifier: Apache-2.0
//
// The control points of a surface that passes through the points of the grid.
//
// Each direction has a matrix of its basis functions at the places of the points, A_ik = N_k(t_i).
// The places are the Greville abscissae, where A is totally positive in an open direction, and
// symmetric and positive definite in a closed one: it is factored into L U without exchanging rows.
// It is a band, with corners where the direction is closed. L and U have zeros where the first
// entries of rows and columns are still to come; those are left out.
#include "muscle/patch/patch.h"

#include <math.h>

void sni_patch_places(uint32_t degree, uint32_t count, bool closed, double *places) {
    for (uint32_t i = 0; i < count; ++i) {
        double sum = 0; // of the knots i + 1 to i + degree, in spans
        for (uint32_t k = i + 1; k <= i + degree && !closed; ++k) {
            sum += fmin(fmax((double)k - degree, 0), count - degree);
        }
        places[i] = closed ? (double)i / count : sum / ((double)degree * (count - degree));
    }
}

// The domain of a closed direction begins half a basis function before its first place.
static void fill_matrix(const sni_nurbs *nurbs, int direction, const double *places,
                        sni_patch_spline *spline) {
    uint32_t degree = nurbs->degrees[direction], count = spline->count;
    double shift = nurbs->closed[direction] ? (degree - 1) / (2.0 * count) : 0;
    for (uint32_t i = 0; i < count; ++i) {
        sni_nurbs_basis basis;
        sni_nurbs_basis_at(nurbs, direction, places[i] - shift, 0, &basis);
        for (uint32_t k = 0; k <= degree; ++k) {
            spline->matrix[(size_t)i * count + (basis.first + k) % count] += basis.values[0][k];
        }
    }
}

static void find_firsts(sni_patch_spline *spline) {
    uint32_t count = spline->count;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t row = 0, column = 0;
        while (row < i && spline->matrix[(size_t)i * count + row] == 0) {
            ++row;
        }
        while (column < i && spline->matrix[(size_t)column * count + i] == 0) {
            ++column;
        }
        spline->row_firsts[i] = row;
        spline->column_firsts[i] = column;
    }
}

// L below the diagonal, where it is 1, and U.
static void factor(sni_patch_spline *spline) {
    uint32_t count = spline->count;
    double *a = spline->matrix;
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = spline->row_firsts[i]; k < count; ++k) {
            uint32_t first = spline->column_firsts[k] > spline->row_firsts[i]
                                 ? spline->column_firsts[k]
                                 : spline->row_firsts[i];
            double sum = a[(size_t)i * count + k];
            for (uint32_t m = first; m < (k < i ? k : i); ++m) {
                sum -= a[(size_t)i * count + m] * a[(size_t)m * count + k];
            }
            a[(size_t)i * count + k] = k < i ? sum / a[(size_t)k * count + k] : sum;
        }
    }
}

sn_status sni_patch_spline_init(sn_context *context, const sni_nurbs *nurbs, int direction,
                                const double *places, sni_patch_spline *spline, sn_error *error) {
    sn_status status = SN_OK;
    size_t count = nurbs->counts[direction];
    *spline = (sni_patch_spline){.count = nurbs->counts[direction]};
    SNI_NEW_ZERO(context, spline->matrix, count * count);
    SNI_NEW(context, spline->row_firsts, count);
    SNI_NEW(context, spline->column_firsts, count);
    fill_matrix(nurbs, direction, places, spline);
    find_firsts(spline);
    factor(spline);
cleanup:
    return status;
}

void sni_patch_spline_deinit(sn_context *context, sni_patch_spline *spline) {
    sni_free(context, spline->matrix);
    sni_free(context, spline->row_firsts);
    sni_free(context, spline->column_firsts);
    *spline = (sni_patch_spline){0};
}

// point -= factor other
static void subtract(double *point, double factor, const double *other) {
    for (int c = 0; c < 3; ++c) {
        point[c] -= factor * other[c];
    }
}

// One line of points, `step` numbers from one to the next.
static void solve(const sni_patch_spline *spline, size_t step, double *points) {
    const size_t count = spline->count;
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = spline->row_firsts[i]; k < i; ++k) {
            subtract(points + i * step, spline->matrix[i * count + k], points + k * step);
        }
    }
    for (size_t k = count; k-- > 0;) {
        for (int c = 0; c < 3; ++c) {
            points[k * step + c] /= spline->matrix[k * count + k];
        }
        for (size_t i = spline->column_firsts[k]; i < k; ++i) {
            subtract(points + i * step, spline->matrix[i * count + k], points + k * step);
        }
    }
}

void sni_patch_fit(const sni_patch_spline splines[2], double *points) {
    const size_t rows = splines[0].count, columns = splines[1].count;
    for (size_t i = 0; i < rows; ++i) {
        solve(&splines[1], 3, points + 3 * i * columns);
    }
    for (size_t j = 0; j < columns; ++j) {
        solve(&splines[0], 3 * columns, points + 3 * j);
    }
}
