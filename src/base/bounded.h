// SPDX-License-Identifier: Apache-2.0
//
// Quadratic functions of a few variables, each within bounds: the last step of bounded least
// squares.
#ifndef SINEW_BASE_BOUNDED_H
#define SINEW_BASE_BOUNDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Doubles of scratch memory that `count` variables need.
size_t sni_bounded_scratch(uint32_t count);

// Finds the x between `low` and `high` at which
//
//     1/2 x . H x - g . x
//
// is smallest. `matrix` is H, count x count, symmetric and positive definite; `right` is g. `x`
// holds a start, which is moved into its bounds, and becomes the result; a good start saves time,
// but the result is the same to rounding. Where low is equal to high, the variable is that. False,
// with the best that was found, where H is singular in the variables that are free. Equal input
// gives equal bits.
bool sni_bounded_minimum(uint32_t count, const double *matrix, const double *right,
                         const double *low, const double *high, double *x, double *scratch);

#endif
