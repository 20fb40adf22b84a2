// SPDX-License-Identifier: Apache-2.0
//
// Morph targets: offsets of vertices times controls (docs/morph.md).
//
//     p' = p + e ( sum_t c_t offset_t + w (driver - rest) )
//
// e the envelope, c_t the value of target t's control (a target without control keeps the weight
// its file gives it), and the last term a live target: the posed points of another mesh against
// this mesh's rest points, w the driver's control or 1.
//
// Blocks of vertices run in parallel; within one, targets are added in order, so that the sum has
// the same bits for any number of threads. A target whose factor is 0 costs nothing.
#include "skin/skin.h"

#include <string.h>

enum { PARAMETER_ENVELOPE, PARAMETER_COUNT };

static const sni_parameter parameters[PARAMETER_COUNT] = {
    [PARAMETER_ENVELOPE] = {.name = "envelope",
                            .help = "How much of the whole effect is taken",
                            .unit = "",
                            .low = 0,
                            .standard = 1,
                            .high = 1},
};

// Vertices of a block: its sums fill 12 KB and stay in the first cache.
#define MORPH_GRAIN 1024

typedef struct morph {
    const sn_mesh *mesh;
    const sn_mesh *driver_mesh; // NULL without live target
    double envelope;
    uint32_t driver_control;
    uint32_t target_count;
    uint32_t *controls; // target_count, SN_NONE for none
} morph;

static void morph_unbind(sn_context *context, void *bound) {
    morph *m = bound;
    if (m != NULL) {
        sni_free(context, m->controls);
        sni_free(context, m);
    }
}

static sn_status validate(const sni_bind_job *job, sn_error *error) {
    sn_status status = sni_bind_job_validate(&sni_deformer_morph, job, error);
    if (status != SN_OK || job->driver_mesh == NULL ||
        job->driver_mesh->vertex_count == job->mesh->vertex_count) {
        return status;
    }
    return sni_fail(error, SN_INVALID,
                    "morph: driver mesh \"%s\" has %u vertices, but \"%s\" has %u",
                    job->driver_mesh->name, job->driver_mesh->vertex_count, job->mesh->name,
                    job->mesh->vertex_count);
}

static sn_status morph_bind(const sni_bind_job *job, void **bound, sn_error *error) {
    sn_status status = SN_OK;
    morph *m = NULL;
    *bound = NULL;
    SN_TRY(validate(job, error));
    SNI_NEW_ZERO(job->context, m, 1);
    m->mesh = job->mesh;
    m->driver_mesh = job->driver_mesh;
    m->envelope = job->parameters[PARAMETER_ENVELOPE];
    m->driver_control = job->driver_control;
    m->target_count = job->mesh->target_count;
    SNI_NEW(job->context, m->controls, m->target_count);
    for (uint32_t i = 0; i < m->target_count; ++i) {
        m->controls[i] = job->target_controls != NULL ? job->target_controls[i] : SN_NONE;
    }
    *bound = m;
    return SN_OK;
cleanup:
    morph_unbind(job->context, m);
    return status;
}

// A target with its factor in this frame.
typedef struct active {
    const sn_target *target;
    float factor;
} active;

typedef struct morph_run {
    const morph *bound;
    const sni_deform_job *job;
    uint32_t active_count;
    const active *actives;
    float driver_factor; // 0 without live target
} morph_run;

// The first of `count` rising numbers that is not below `value`.
static uint32_t lower_bound(const uint32_t *numbers, uint32_t count, uint32_t value) {
    uint32_t low = 0;
    while (count > 0) {
        uint32_t half = count / 2;
        if (numbers[low + half] < value) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}

static void add_target(const active *a, uint32_t begin, uint32_t end, float *sums) {
    const sn_target *target = a->target;
    const float factor = a->factor;
    if (target->vertices == NULL) {
        const float *offsets = target->offsets + 3 * (size_t)begin;
        for (size_t i = 0; i < 3 * (size_t)(end - begin); ++i) {
            sums[i] += factor * offsets[i];
        }
        return;
    }
    for (uint32_t entry = lower_bound(target->vertices, target->count, begin);
         entry < target->count && target->vertices[entry] < end; ++entry) {
        const float *offset = target->offsets + 3 * (size_t)entry;
        float *sum = sums + 3 * (size_t)(target->vertices[entry] - begin);
        for (int i = 0; i < 3; ++i) {
            sum[i] += factor * offset[i];
        }
    }
}

static void run_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const morph_run *run = user;
    const size_t first = 3 * (size_t)begin, count = 3 * (size_t)(end - begin);
    float sums[3 * MORPH_GRAIN];
    memset(sums, 0, count * sizeof *sums);
    for (uint32_t i = 0; i < run->active_count; ++i) {
        add_target(&run->actives[i], begin, end, sums);
    }
    if (run->driver_factor != 0) {
        const float *posed = run->job->driver_points + first;
        const float *rest = run->bound->mesh->positions + first;
        for (size_t i = 0; i < count; ++i) {
            sums[i] += run->driver_factor * (posed[i] - rest[i]);
        }
    }
    for (size_t i = 0; i < count; ++i) {
        run->job->points_out[first + i] = run->job->points_in[first + i] + sums[i];
    }
}

static float factor_of(const morph *m, const sni_deform_job *job, uint32_t control,
                       double otherwise) {
    return (float)(m->envelope * (control != SN_NONE ? job->controls[control] : otherwise));
}

static sn_status morph_deform(const void *bound, const sni_deform_job *job, sn_error *error) {
    const morph *m = bound;
    sni_arena_mark mark = sni_arena_mark_now(job->arena);
    active *actives = sni_arena_alloc(job->arena, m->target_count, sizeof *actives);
    if (actives == NULL) {
        return sni_fail_memory(error);
    }
    morph_run run = {.bound = m, .job = job, .actives = actives};
    for (uint32_t i = 0; i < m->target_count; ++i) {
        const sn_target *target = &m->mesh->targets[i];
        float factor = factor_of(m, job, m->controls[i], target->weight);
        if (factor != 0) {
            actives[run.active_count++] = (active){.target = target, .factor = factor};
        }
    }
    if (m->driver_mesh != NULL) {
        run.driver_factor = factor_of(m, job, m->driver_control, 1);
    }
    sn_parallel_for(job->context, job->vertex_count, MORPH_GRAIN, run_block, &run);
    sni_arena_release(job->arena, mark);
    return SN_OK;
}

static size_t morph_bytes(const void *bound) {
    const morph *m = bound;
    return sizeof *m + m->target_count * sizeof *m->controls;
}

const sni_deformer_ops sni_deformer_morph = {
    .name = "morph",
    .help = "Adds morph targets, and the motion of another mesh, times controls",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .uses_targets = true,
    .uses_driver = true,
    .bind = morph_bind,
    .unbind = morph_unbind,
    .deform = morph_deform,
    .bytes = morph_bytes,
};
