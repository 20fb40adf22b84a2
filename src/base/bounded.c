// SPDX-License-Identifier: Apache-2.0
//
// An active set: variables are free or stand at a bound. The free ones are solved for; where the
// way to their solution meets bounds, it ends at the first of them, and that variable stays there.
// Once all free ones are at their solution, a variable at a bound that the slope pushes inwards is
// set free, the one that is pushed most. Each round lowers the function, so none comes twice (P.
// Stark and R. Parker, Bounded-Variable Least-Squares, 1995).
#include "base/bounded.h"

#include "base/dense.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

typedef struct bounded {
    uint32_t count;
    const double *matrix, *right, *low, *high;
    double *x;
    double *system;   // of the free variables
    double *solution; // of the free variables, in their order
    double *is_free;  // 0 or 1
} bounded;

size_t sni_bounded_scratch(uint32_t count) {
    return (size_t)count * (count + (size_t)2);
}

// The slope of the function along one variable.
static double slope_of(const bounded *b, uint32_t i) {
    double sum = -b->right[i];
    for (uint32_t k = 0; k < b->count; ++k) {
        sum += b->matrix[(size_t)i * b->count + k] * b->x[k];
    }
    return sum;
}

// Where the free variables would go if they had no bounds. False where that cannot be told.
static bool solve_free(const bounded *b) {
    uint32_t size = 0;
    for (uint32_t i = 0; i < b->count; ++i) {
        size += b->is_free[i] != 0;
    }
    uint32_t row = 0;
    for (uint32_t i = 0; i < b->count; ++i) {
        if (b->is_free[i] == 0) {
            continue;
        }
        uint32_t column = 0;
        double sum = b->right[i];
        for (uint32_t k = 0; k < b->count; ++k) {
            double entry = b->matrix[(size_t)i * b->count + k];
            if (b->is_free[k] != 0) {
                b->system[(size_t)row * size + column++] = entry;
            } else {
                sum -= entry * b->x[k];
            }
        }
        b->solution[row++] = sum;
    }
    return sni_dense_solve(b->system, size, b->solution);
}

// Goes towards the solution, to the first bound on the way. False where there was one.
static bool go(const bounded *b) {
    double share = 1;
    uint32_t stopped = b->count, row = 0;
    for (uint32_t i = 0; i < b->count; ++i) {
        if (b->is_free[i] == 0) {
            continue;
        }
        double by = b->solution[row++] - b->x[i];
        double room = by > 0 ? b->high[i] - b->x[i] : b->low[i] - b->x[i];
        if (by != 0 && fabs(by) * share > fabs(room)) {
            share = room / by;
            stopped = i;
        }
    }
    row = 0;
    for (uint32_t i = 0; i < b->count; ++i) {
        if (b->is_free[i] != 0) {
            double to = b->solution[row++];
            b->x[i] = share == 1 ? to : b->x[i] + share * (to - b->x[i]);
            b->x[i] = fmin(fmax(b->x[i], b->low[i]), b->high[i]);
        }
    }
    if (stopped < b->count) {
        double middle = b->low[stopped] / 2 + b->high[stopped] / 2;
        b->x[stopped] = b->x[stopped] > middle ? b->high[stopped] : b->low[stopped];
        b->is_free[stopped] = 0;
    }
    return stopped == b->count;
}

// Sets free the variable that is pushed inwards most, by more than rounding. False where none is.
static bool release(const bounded *b, double tolerance) {
    uint32_t found = b->count;
    double most = tolerance;
    for (uint32_t i = 0; i < b->count; ++i) {
        if (b->is_free[i] != 0 || !(b->low[i] < b->high[i])) {
            continue;
        }
        double slope = slope_of(b, i), inwards = b->x[i] == b->low[i] ? -slope : slope;
        if (inwards > most) {
            most = inwards;
            found = i;
        }
    }
    if (found < b->count) {
        b->is_free[found] = 1;
    }
    return found < b->count;
}

bool sni_bounded_minimum(uint32_t count, const double *matrix, const double *right,
                         const double *low, const double *high, double *x, double *scratch) {
    bounded b = {.count = count,
                 .matrix = matrix,
                 .right = right,
                 .low = low,
                 .high = high,
                 .x = x,
                 .system = scratch,
                 .solution = scratch + (size_t)count * count,
                 .is_free = scratch + (size_t)count * (count + (size_t)1)};
    double tolerance = 0;
    for (uint32_t i = 0; i < count; ++i) {
        SN_ASSERT(low[i] <= high[i]);
        x[i] = fmin(fmax(x[i], low[i]), high[i]);
        b.is_free[i] = x[i] > low[i] && x[i] < high[i];
        tolerance = fmax(tolerance, fabs(right[i]));
    }
    tolerance *= 1e-12;
    // Rounding could let two variables take turns; the number of rounds is then the end of it.
    for (uint32_t round = 0; round < 16 * count + 16; ++round) {
        if (!solve_free(&b)) {
            return false;
        }
        if (go(&b) && !release(&b, tolerance)) {
            return true;
        }
    }
    return true;
}
