// SPDX-License-Identifier: Apache-2.0
//
// Orders for qsort.
#ifndef SINEW_BASE_ORDER_H
#define SINEW_BASE_ORDER_H

// Doubles, ascending. None may be a NaN.
static inline int sni_compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#endif
