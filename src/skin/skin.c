// SPDX-License-Identifier: Apache-2.0
//
// What all deformers share: finding their kinds, what their jobs must be like, mixing of points.
#include "skin/skin.h"

#include <math.h>
#include <string.h>

uint32_t sni_deformer_kind_count(void) {
    uint32_t count = 0;
    while (sni_deformer_kinds[count] != NULL) {
        ++count;
    }
    return count;
}

const sni_deformer_ops *sni_deformer_ops_of(uint32_t kind) {
    return kind < sni_deformer_kind_count() ? sni_deformer_kinds[kind] : NULL;
}

const sni_deformer_ops *sni_deformer_find(const char *name) {
    for (uint32_t i = 0; sni_deformer_kinds[i] != NULL; ++i) {
        if (strcmp(sni_deformer_kinds[i]->name, name) == 0) {
            return sni_deformer_kinds[i];
        }
    }
    return NULL;
}

static sn_status validate_point_weights(const sni_deformer_ops *ops, const sni_bind_job *job,
                                        sn_error *error) {
    for (uint32_t i = 0; job->point_weights != NULL && i < job->mesh->vertex_count; ++i) {
        if (!(job->point_weights[i] >= 0 && isfinite(job->point_weights[i]))) {
            return sni_fail(error, SN_INVALID, "%s: point %u has weight %g", ops->name, i,
                            job->point_weights[i]);
        }
    }
    return SN_OK;
}

sn_status sni_bind_job_validate(const sni_deformer_ops *ops, const sni_bind_job *job,
                                sn_error *error) {
    sni_checking checking = {.kind = ops->name,
                             .mesh = job->mesh,
                             .segment_count =
                                 job->skeleton != NULL ? job->skeleton->segment_count : 0,
                             .rest_worlds = job->rest_worlds};
    sn_status status = SN_OK;
    if (job->context == NULL || job->mesh == NULL) {
        return sni_fail(error, SN_INVALID, "%s: no %s", ops->name,
                        job->context == NULL ? "context" : "mesh");
    }
    SN_TRY(sni_parameters_validate(&ops->parameters, ops->name, job->parameters, error));
    SN_TRY(sni_inputs_validate(ops->inputs, &checking, job->inputs, error));
    SN_TRY(validate_point_weights(ops, job, error));
cleanup:
    return status;
}

typedef struct mix_run {
    const float *weights, *points_in;
    float *points_out;
} mix_run;

static void mix_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const mix_run *run = user;
    for (size_t v = begin; v < end; ++v) {
        const float weight = run->weights[v];
        if (weight == 1) {
            continue;
        }
        const float *in = run->points_in + 3 * v;
        float *out = run->points_out + 3 * v;
        for (int i = 0; i < 3; ++i) {
            out[i] = weight == 0 ? in[i] : in[i] + weight * (out[i] - in[i]);
        }
    }
}

void sni_mix_points(sn_context *context, uint32_t vertex_count, const float *weights,
                    const float *points_in, float *points_out) {
    // Vertices of a block: some ten microseconds.
    enum { MIX_GRAIN = 8192 };
    mix_run run = {.weights = weights, .points_in = points_in, .points_out = points_out};
    sn_parallel_for(context, vertex_count, MIX_GRAIN, mix_block, &run);
}
