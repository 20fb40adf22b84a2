// SPDX-License-Identifier: Apache-2.0
//
// Searches for the parameters of a point. Within geometry/trilinear*.c.
#ifndef SINEW_GEOMETRY_TRILINEAR_INTERNAL_H
#define SINEW_GEOMETRY_TRILINEAR_INTERNAL_H

#include "geometry/trilinear.h"

enum { SNI_NEWTON_STEPS = 20, SNI_NEWTON_HALVINGS = 6 }; // at most

// A search for one point.
typedef struct sni_cell_search {
    const sni_cell *cell;
    sn_vec3 point;
    const double *low, *high;
    double enough;   // residual that counts as found
    double singular; // determinants below count as 0
} sni_cell_search;

// (J^T J + lambda) dq = J^T res, without the parameters that are `fixed`. False where all columns
// vanish.
bool sni_cell_least_squares(const sn_vec3 columns[3], sn_vec3 residual, const bool fixed[3],
                            double dq[3]);

// Newton's method from each of `count` starts within the limits (trilinear_starts.c), which become
// where it ends; `lengths` are the residuals there. Start i is one of search i / each.
void sni_cell_newton_all(const sni_cell_search *searches, uint32_t each, uint32_t count,
                         double (*q)[3], double *lengths);

#endif
