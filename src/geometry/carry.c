// SPDX-License-Identifier: Apache-2.0
#include "geometry/carry.h"

#include <string.h>

static const uint32_t grain = 4096;

typedef struct carry_job {
    sn_mat4 matrix;
    const float *points;
    float *out;
} carry_job;

static void carry_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const carry_job *job = user;
    for (uint32_t i = begin; i < end; ++i) {
        sn_vec3 p = sn_vec3_load(job->points + 3 * (size_t)i);
        sn_vec3_store(sn_mat4_point(&job->matrix, p), job->out + 3 * (size_t)i);
    }
}

void sni_carry_points(sn_context *context, const sn_mat4 *now, const sn_mat4 *rest,
                      const float *points, uint32_t count, float *out) {
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
