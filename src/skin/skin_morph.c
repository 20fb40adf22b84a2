// SPDX-License-Identifier: Apache-2.0
//
// Morph targets: offsets of vertices times controls (docs/morph.md).
//
//     p' = p + e ( sum_t c_t offset_t + sum_s key_s(x_s) + w (driver - rest) )
//
// e the envelope, c_t the value of target t's control (a target without control keeps the weight
// its file gives it), key_s the offsets of a set of key poses at its input x_s, and the last term a
// live target: the posed points of another mesh against this mesh's rest points, w the driver's
// control or 1.
//
// Blocks of vertices run in parallel; within one, targets are added in order, so that the sum has
// the same bits for any number of threads. A target whose factor is 0, and key poses that stand at
// a key that moves nothing, cost nothing.
#include "skin/skin.h"

#include <string.h>

static const sn_parameter parameters[SNI_MORPH_PARAMETER_COUNT] = {
    [SNI_MORPH_PARAMETER_ENVELOPE] = SNI_ENVELOPE_PARAMETER,
};

// Vertices of a block: its sums fill 12 KB and stay in the first cache.
#define MORPH_GRAIN 1024

enum { INPUT_TARGETS, INPUT_DRIVER, INPUT_POSES };

// Key poses with memory of their own.
typedef struct keyed {
    sni_pose_set set;
    double *inputs;
    uint32_t *points;
    double *offsets;
    bool *still; // key_count: whether a key moves nothing
} keyed;

typedef struct morph {
    const sn_mesh *mesh;
    const sn_mesh *driver_mesh; // NULL without live target
    double envelope;
    uint32_t driver_control;
    uint32_t target_count;
    uint32_t *controls; // target_count, SN_NONE for none
    uint32_t pose_count;
    keyed *poses;
} morph;

static void morph_unbind(sn_context *context, void *bound) {
    morph *m = bound;
    if (m != NULL) {
        for (uint32_t i = 0; i < m->pose_count; ++i) {
            sni_free(context, m->poses[i].inputs);
            sni_free(context, m->poses[i].points);
            sni_free(context, m->poses[i].offsets);
            sni_free(context, m->poses[i].still);
        }
        sni_free(context, m->poses);
        sni_free(context, m->controls);
        sni_free(context, m);
    }
}

static sn_status validate(const sni_bind_job *job, sn_error *error) {
    sn_status status = sni_bind_job_validate(&sni_deformer_morph, job, error);
    const sni_driver_input *driver = job->inputs[INPUT_DRIVER];
    if (status != SN_OK || driver == NULL ||
        driver->mesh->vertex_count == job->mesh->vertex_count) {
        return status;
    }
    return sni_fail(
        error, SN_INVALID, "morph: driver mesh \"%s\" has %u vertices, but \"%s\" has %u",
        driver->mesh->name, driver->mesh->vertex_count, job->mesh->name, job->mesh->vertex_count);
}

static size_t offset_count(const sni_pose_set *set) {
    return 3 * (size_t)set->point_count * set->key_count;
}

// Copies a set. What was allocated before a failure stays for morph_unbind.
static sn_status keep_poses(sn_context *context, const sni_pose_set *set, keyed *k,
                            sn_error *error) {
    sn_status status = SN_OK;
    size_t count = offset_count(set);
    SNI_NEW(context, k->inputs, set->key_count);
    SNI_NEW(context, k->points, set->point_count);
    SNI_NEW(context, k->offsets, count);
    SNI_NEW(context, k->still, set->key_count);
    memcpy(k->inputs, set->inputs, set->key_count * sizeof *k->inputs);
    memcpy(k->points, set->points, set->point_count * sizeof *k->points);
    memcpy(k->offsets, set->offsets, count * sizeof *k->offsets);
    memset(k->still, true, set->key_count * sizeof *k->still);
    for (size_t i = 0; i < count; ++i) {
        bool *still = &k->still[i / 3 % set->key_count];
        *still = *still && set->offsets[i] == 0;
    }
    k->set = *set;
    k->set.inputs = k->inputs;
    k->set.points = k->points;
    k->set.offsets = k->offsets;
cleanup:
    return status;
}

static sn_status morph_bind(const sni_bind_job *job, void **bound, sn_error *error) {
    const sni_targets_input *targets = job->inputs[INPUT_TARGETS];
    const sni_driver_input *driver = job->inputs[INPUT_DRIVER];
    const sni_poses_input *poses = job->inputs[INPUT_POSES];
    sn_status status = SN_OK;
    morph *m = NULL;
    *bound = NULL;
    SN_TRY(validate(job, error));
    SNI_NEW_ZERO(job->context, m, 1);
    m->mesh = job->mesh;
    m->driver_mesh = driver != NULL ? driver->mesh : NULL;
    m->envelope = job->parameters[SNI_MORPH_PARAMETER_ENVELOPE];
    m->driver_control = driver != NULL ? driver->control : SN_NONE;
    m->target_count = job->mesh->target_count;
    SNI_NEW(job->context, m->controls, m->target_count);
    for (uint32_t i = 0; i < m->target_count; ++i) {
        m->controls[i] = targets != NULL ? targets->controls[i] : SN_NONE;
    }
    uint32_t pose_count = poses != NULL ? poses->count : 0;
    SNI_NEW_ZERO(job->context, m->poses, pose_count);
    m->pose_count = pose_count;
    for (uint32_t i = 0; i < m->pose_count; ++i) {
        SN_TRY(keep_poses(job->context, &poses->sets[i], &m->poses[i], error));
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

// Key poses that move something in this frame.
typedef struct active_keys {
    const sni_pose_set *set;
    double input;
} active_keys;

typedef struct morph_run {
    const morph *bound;
    const sni_deform_job *job;
    const sni_driver_pose *driver; // NULL without one
    uint32_t active_count;
    const active *actives;
    uint32_t key_count;
    const active_keys *keys;
    float driver_factor; // 0 without live target
    double envelope;
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

static void add_keys(const active_keys *a, double envelope, uint32_t begin, uint32_t end,
                     float *sums) {
    const sni_pose_set *set = a->set;
    for (uint32_t entry = lower_bound(set->points, set->point_count, begin);
         entry < set->point_count && set->points[entry] < end; ++entry) {
        double offset[3];
        sni_pose_set_sample(set, a->input, entry, offset);
        float *sum = sums + 3 * (size_t)(set->points[entry] - begin);
        for (int i = 0; i < 3; ++i) {
            sum[i] += (float)(envelope * offset[i]);
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
    for (uint32_t i = 0; i < run->key_count; ++i) {
        add_keys(&run->keys[i], run->envelope, begin, end, sums);
    }
    if (run->driver_factor != 0) {
        const float *posed = run->driver->points + first;
        const float *rest = run->bound->mesh->positions + first;
        for (size_t i = 0; i < count; ++i) {
            sums[i] += run->driver_factor * (posed[i] - rest[i]);
        }
    }
    for (size_t i = 0; i < count; ++i) {
        run->job->points_out[first + i] = run->job->points_in[first + i] + sums[i];
    }
}

static float factor_of(const morph_run *run, uint32_t control, double otherwise) {
    const sni_deform_job *job = run->job;
    return (float)(run->envelope * (control != SN_NONE ? job->controls[control] : otherwise));
}

// Whether the keys stand where they move nothing: at, before or behind a key without offsets.
static bool stands_still(const keyed *k, double input) {
    uint32_t last = k->set.key_count - 1;
    uint32_t key = 0;
    while (key < last && k->inputs[key + 1] <= input) {
        ++key;
    }
    bool held = input <= k->inputs[0] || key == last || input == k->inputs[key] ||
                k->set.interpolation == SN_INTERPOLATION_STEPPED;
    return k->still[key] && (held || k->still[key + 1]);
}

static uint32_t collect_keys(const morph_run *run, active_keys *keys) {
    const morph *m = run->bound;
    const sni_poses_pose *poses = run->job->inputs[INPUT_POSES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->pose_count && run->envelope != 0; ++i) {
        if (!stands_still(&m->poses[i], poses->inputs[i])) {
            keys[count++] = (active_keys){.set = &m->poses[i].set, .input = poses->inputs[i]};
        }
    }
    return count;
}

static sn_status morph_deform(const void *bound, const sni_deform_job *job, sn_error *error) {
    const morph *m = bound;
    sni_arena_mark mark = sni_arena_mark_now(job->arena);
    active *actives = sni_arena_alloc(job->arena, m->target_count, sizeof *actives);
    active_keys *keys = sni_arena_alloc(job->arena, m->pose_count, sizeof *keys);
    if (actives == NULL || keys == NULL) {
        return sni_fail_memory(error);
    }
    morph_run run = {
        .bound = m,
        .job = job,
        .driver = job->inputs[INPUT_DRIVER],
        .actives = actives,
        .keys = keys,
        .envelope = sni_parameter_now(job->parameters, SNI_MORPH_PARAMETER_ENVELOPE, m->envelope)};
    run.key_count = collect_keys(&run, keys);
    for (uint32_t i = 0; i < m->target_count; ++i) {
        const sn_target *target = &m->mesh->targets[i];
        float factor = factor_of(&run, m->controls[i], target->weight);
        if (factor != 0) {
            actives[run.active_count++] = (active){.target = target, .factor = factor};
        }
    }
    if (m->driver_mesh != NULL) {
        run.driver_factor = factor_of(&run, m->driver_control, 1);
    }
    sn_parallel_for(job->context, job->vertex_count, MORPH_GRAIN, run_block, &run);
    sni_arena_release(job->arena, mark);
    return SN_OK;
}

static size_t morph_bytes(const void *bound) {
    const morph *m = bound;
    size_t bytes = sizeof *m + m->target_count * sizeof *m->controls;
    for (uint32_t i = 0; i < m->pose_count; ++i) {
        const keyed *k = &m->poses[i];
        bytes += sizeof *k + k->set.key_count * (sizeof *k->inputs + sizeof *k->still) +
                 k->set.point_count * sizeof *k->points +
                 offset_count(&k->set) * sizeof *k->offsets;
    }
    return bytes;
}

const sni_deformer_ops sni_deformer_morph = {
    .name = "morph",
    .help = "Adds morph targets times controls, key poses, and the motion of another mesh",
    .parameters = SNI_PARAMETERS(parameters),
    .inputs = {[INPUT_TARGETS] = {.input = &sni_input_targets},
               [INPUT_DRIVER] = {.input = &sni_input_driver},
               [INPUT_POSES] = {.input = &sni_input_poses}},
    .bind = morph_bind,
    .unbind = morph_unbind,
    .deform = morph_deform,
    .bytes = morph_bytes,
};
