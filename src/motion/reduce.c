// SPDX-License-Identifier: Apache-2.0
#include "motion/reduce.h"

#include <math.h>
#include <string.h>

typedef struct span {
    uint32_t first, last;
} span;

// The value that is farthest from the line between the ends of a span; 0 where none is farther than
// the tolerance.
static uint32_t farthest(const double *values, span of, double tolerance) {
    uint32_t found = 0;
    double most = tolerance, slope = (values[of.last] - values[of.first]) / (of.last - of.first);
    for (uint32_t i = of.first + 1; i < of.last; ++i) {
        double away = fabs(values[of.first] + slope * (i - of.first) - values[i]);
        if (away > most) {
            most = away;
            found = i;
        }
    }
    return found;
}

sn_status sni_keys_reduce(sn_context *context, const double *values, uint32_t count,
                          double tolerance, uint8_t *keep, sn_error *error) {
    sn_status status = SN_OK;
    span *stack = NULL;
    uint32_t depth = 0;
    SN_ASSERT(count > 0 && tolerance >= 0);
    memset(keep, 0, count);
    keep[0] = keep[count - 1] = 1;
    // Spans that wait do not overlap, and each has a value inside: they are fewer than the values.
    SNI_NEW(context, stack, count);
    if (count > 2) {
        stack[depth++] = (span){0, count - 1};
    }
    while (depth > 0) {
        span of = stack[--depth];
        uint32_t split = farthest(values, of, tolerance);
        if (split == 0) {
            continue;
        }
        keep[split] = 1;
        if (split - of.first > 1) {
            stack[depth++] = (span){of.first, split};
        }
        if (of.last - split > 1) {
            stack[depth++] = (span){split, of.last};
        }
    }
cleanup:
    sni_free(context, stack);
    return status;
}
