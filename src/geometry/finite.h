// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_GEOMETRY_FINITE_H
#define SINEW_GEOMETRY_FINITE_H

#include <math.h>
#include <stddef.h>

// The index of the first number that is not finite, or `count`. Whole blocks are tested by one sum
// (x * 0 is NaN for infinities and NaN, else a zero), which the compiler can vectorise.
static inline size_t sni_find_not_finite(const float *values, size_t count) {
    enum { BLOCK = 256, LANES = 8 };
    for (size_t begin = 0; begin < count; begin += BLOCK) {
        size_t end = count - begin < BLOCK ? count : begin + BLOCK;
        float sums[LANES] = {0};
        size_t i = begin;
        for (; i + LANES <= end; i += LANES) {
            for (int lane = 0; lane < LANES; ++lane) {
                sums[lane] += values[i + lane] * 0.0f;
            }
        }
        float sum = 0;
        for (int lane = 0; lane < LANES; ++lane) {
            sum += sums[lane];
        }
        for (; i < end; ++i) {
            sum += values[i] * 0.0f;
        }
        if (sum == 0) {
            continue;
        }
        for (i = begin; isfinite(values[i]); ++i) {
        }
        return i;
    }
    return count;
}

#endif
