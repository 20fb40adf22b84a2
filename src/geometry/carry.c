// SPDX-License-Identifier: Apache-2.0
#include "geometry/carry.h"

#include "base/error.h"

#include <string.h>

static const uint32_t grain = 4096;

typedef struct carry_job {
    sn_mat4 matrix;
    const float *points;
    float *out;
} carry_job;

// As sn_mat4_point does.
static void carry_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const carry_job *job = user;
    const double *m = job->matrix.m;
    for (size_t i = 3 * (size_t)begin; i < 3 * (size_t)end; i += 3) {
        double x = (double)job->points[i], y = (double)job->points[i + 1],
               z = (double)job->points[i + 2];
        double moved[4];
        for (int k = 0; k < 4; ++k) {
            moved[k] = m[k] * x + m[4 + k] * y + m[8 + k] * z + m[12 + k];
        }
        for (size_t k = 0; k < 3; ++k) {
            job->out[i + k] = (float)moved[k];
        }
    }
}

void sni_carry_points(sn_context *context, const sn_mat4 *now, const sn_mat4 *rest,
                      const float *points, uint32_t count, float *out) {
    SN_ASSERT(count == 0 || (points != NULL && out != NULL));
    sn_mat4 inverse = sn_mat4_identity();
    bool unmoved =
        rest != NULL && (memcmp(now, rest, sizeof *now) == 0 || !sn_mat4_invert(rest, &inverse));
    if (unmoved) {
        memcpy(out, points, 3 * (size_t)count * sizeof *points);
        return;
    }
    carry_job job = {.matrix = sn_mat4_multiply(now, &inverse), .points = points, .out = out};
    sn_parallel_for(context, count, grain, carry_block, &job);
}
