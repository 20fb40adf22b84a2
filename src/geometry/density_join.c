// SPDX-License-Identifier: Apache-2.0
#include "geometry/density.h"

#include <math.h>

// (a^4 + b^4)^(1/4) where both are above 0: the larger one, without a crease where they are equal.
static float join(double a, double b) {
    return (float)(a > 0 && b > 0 ? sqrt(sqrt(a * a * a * a + b * b * b * b)) : fmax(a, b));
}

static float add(double a, double b) {
    return (float)(a + b);
}

typedef float combine_fn(double a, double b);

static sn_status combine_brick(const sni_bricks *a, const sni_bricks *b, uint32_t brick,
                               combine_fn *combine, sni_bricks *made, sn_error *error) {
    const float *first = a->dense[brick], *second = b->dense[brick];
    if (first == NULL && second == NULL) {
        made->uniform[brick] = combine(a->uniform[brick], b->uniform[brick]);
        return SN_OK;
    }
    float *dense = sni_alloc(made->context, SNI_BRICK_NODES, sizeof *dense);
    if (dense == NULL) {
        return sni_fail_memory(error);
    }
    for (int i = 0; i < SNI_BRICK_NODES; ++i) {
        dense[i] = combine(first != NULL ? first[i] : a->uniform[brick],
                           second != NULL ? second[i] : b->uniform[brick]);
    }
    made->dense[brick] = made->chunks[brick] = dense;
    return SN_OK;
}

static sn_status combine_bricks(const sni_bricks *a, const sni_bricks *b, combine_fn *combine,
                                sni_bricks **combined, sn_error *error) {
    sni_bricks *made = NULL;
    sn_status status = SN_OK;
    SN_ASSERT(a->brick_count == b->brick_count);
    *combined = NULL;
    SN_TRY(sni_bricks_create(a->context, &a->grid, 0, &made, error));
    made->outside = combine(a->outside, b->outside);
    for (uint32_t i = 0; i < made->brick_count; ++i) {
        SN_TRY(combine_brick(a, b, i, combine, made, error));
    }
    *combined = made;
    return SN_OK;
cleanup:
    sni_bricks_destroy(made);
    return status;
}

sn_status sni_density_join(const sni_bricks *a, const sni_bricks *b, sni_bricks **joined,
                           sn_error *error) {
    return combine_bricks(a, b, join, joined, error);
}

sn_status sni_density_add(const sni_bricks *a, const sni_bricks *b, sni_bricks **sum,
                          sn_error *error) {
    return combine_bricks(a, b, add, sum, error);
}
