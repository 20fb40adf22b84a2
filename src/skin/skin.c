// SPDX-License-Identifier: Apache-2.0
//
// The table of deformers, and what their jobs must be like.
#include "skin/skin.h"

#include "geometry/finite.h"

#include <math.h>
#include <string.h>

static const sni_deformer_ops *const kinds[SNI_DEFORMER_KIND_COUNT] = {
    [SNI_DEFORMER_BLEND] = &sni_deformer_blend, [SNI_DEFORMER_MORPH] = &sni_deformer_morph,
    [SNI_DEFORMER_WRAP] = &sni_deformer_wrap,   [SNI_DEFORMER_FALLOFF] = &sni_deformer_falloff,
    [SNI_DEFORMER_CLOTH] = &sni_deformer_cloth, [SNI_DEFORMER_MEMBRANE] = &sni_deformer_membrane,
};

const sni_deformer_ops *sni_deformer_ops_of(uint32_t kind) {
    return kind < SNI_DEFORMER_KIND_COUNT ? kinds[kind] : NULL;
}

const sni_deformer_ops *sni_deformer_find(const char *name) {
    for (uint32_t kind = 0; kind < SNI_DEFORMER_KIND_COUNT; ++kind) {
        if (strcmp(kinds[kind]->name, name) == 0) {
            return kinds[kind];
        }
    }
    return NULL;
}

static const char *name_or_empty(const char *name) {
    return name != NULL ? name : "";
}

static sn_status validate_weights(const sni_deformer_ops *ops, const sni_bind_job *job,
                                  sn_error *error) {
    const sn_weights *weights = job->mesh->weights;
    if (weights == NULL) {
        return sni_fail(error, SN_INVALID, "%s: mesh \"%s\" has no weights", ops->name,
                        job->mesh->name);
    }
    if (job->skeleton == NULL || job->rest_worlds == NULL || job->bone_segments == NULL) {
        return sni_fail(error, SN_INVALID, "%s: mesh \"%s\" has weights, but there is no skeleton",
                        ops->name, job->mesh->name);
    }
    for (uint32_t bone = 0; bone < weights->bone_count; ++bone) {
        if (job->bone_segments[bone] >= job->skeleton->segment_count) {
            return sni_fail(error, SN_INVALID,
                            "%s: bone %u (\"%s\") has segment %u, but there are %u", ops->name,
                            bone, name_or_empty(weights->bone_names[bone]),
                            job->bone_segments[bone], job->skeleton->segment_count);
        }
    }
    return SN_OK;
}

static sn_status validate_muscle(const sni_deformer_ops *ops, const sni_bind_job *job,
                                 uint32_t index, sn_error *error) {
    const sni_muscle_surface *muscle = &job->muscles[index];
    if (muscle->slice_count > 0) {
        return sni_fail(error, SN_INVALID,
                        "%s: muscle %u (\"%s\") has slices, but no surface that could be followed",
                        ops->name, index, name_or_empty(muscle->name));
    }
    sn_status status = sni_nurbs_validate(&muscle->nurbs, error);
    if (status != SN_OK) {
        sni_error_place(error, 0, "%s: muscle %u (\"%s\")", ops->name, index,
                        name_or_empty(muscle->name));
        return status;
    }
    for (uint32_t i = 0; i < muscle->trace_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            uint32_t vertex = muscle->traces[i].vertices[k];
            if (vertex >= job->mesh->vertex_count) {
                return sni_fail(error, SN_INVALID,
                                "%s: muscle %u (\"%s\") has a trace at vertex %u, but there are %u",
                                ops->name, index, name_or_empty(muscle->name), vertex,
                                job->mesh->vertex_count);
            }
        }
    }
    return SN_OK;
}

static sn_status validate_muscles(const sni_deformer_ops *ops, const sni_bind_job *job,
                                  sn_error *error) {
    if (!ops->uses_muscles) {
        return job->muscle_count == 0
                   ? SN_OK
                   : sni_fail(error, SN_INVALID, "%s: takes no muscles, but was given %u",
                              ops->name, job->muscle_count);
    }
    for (uint32_t i = 0; i < job->muscle_count; ++i) {
        sn_status status = validate_muscle(ops, job, i, error);
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
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

static sn_status validate_poses(const sni_deformer_ops *ops, const sni_bind_job *job,
                                sn_error *error) {
    if (job->pose_count > 0 && !ops->uses_poses) {
        return sni_fail(error, SN_INVALID, "%s: takes no key poses, but was given %u sets",
                        ops->name, job->pose_count);
    }
    for (uint32_t i = 0; i < job->pose_count; ++i) {
        sn_status status = sni_pose_set_validate(&job->poses[i], job->mesh->vertex_count, error);
        if (status != SN_OK) {
            sni_error_place(error, 0, "%s: key poses %u", ops->name, i);
            return status;
        }
    }
    return SN_OK;
}

static sn_status validate_simulation(const sni_deformer_ops *ops, const sni_bind_job *job,
                                     sn_error *error) {
    if (!ops->simulates && job->collider_count + job->pin_count > 0) {
        return sni_fail(error, SN_INVALID,
                        "%s: takes no colliders and pins, but was given %u and %u", ops->name,
                        job->collider_count, job->pin_count);
    }
    for (uint32_t i = 0; i < job->pin_count; ++i) {
        if (job->pins[i] >= job->mesh->vertex_count) {
            return sni_fail(error, SN_INVALID,
                            "%s: pin %u is vertex %u, but the mesh \"%s\" has %u vertices",
                            ops->name, i, job->pins[i], job->mesh->name, job->mesh->vertex_count);
        }
    }
    return SN_OK;
}

static sn_status validate_component(const sni_deformer_ops *ops, const sni_bind_job *job,
                                    uint32_t index, sn_error *error) {
    const sni_component *component = &job->components[index];
    const char *name = name_or_empty(component->name);
    uint32_t segment_count = job->skeleton != NULL ? job->skeleton->segment_count : 0;
    if (component->mesh == NULL) {
        return sni_fail(error, SN_INVALID, "%s: component %u (\"%s\") has no mesh", ops->name,
                        index, name);
    }
    if (component->segment != SN_NONE && component->segment >= segment_count) {
        return sni_fail(error, SN_INVALID,
                        "%s: component %u (\"%s\") has segment %u, but there are %u", ops->name,
                        index, name, component->segment, segment_count);
    }
    uint64_t ringed = (uint64_t)component->slice_count * component->ring_count;
    if (component->slice_count > 0 && (component->slice_count < 2 || component->ring_count < 3 ||
                                       ringed > component->mesh->vertex_count)) {
        return sni_fail(error, SN_INVALID,
                        "%s: component %u (\"%s\") has %u slices of %u points and %u vertices",
                        ops->name, index, name, component->slice_count, component->ring_count,
                        component->mesh->vertex_count);
    }
    for (uint32_t i = 0; i < component->strip_count; ++i) {
        const sni_component_strip *strip = &component->strips[i];
        uint64_t end = strip->first + 4 * (uint64_t)strip->slice_count;
        if (strip->slice_count < 2 || end > component->strip_point_count) {
            return sni_fail(error, SN_INVALID,
                            "%s: component %u (\"%s\") has a strip of %u slices from point %u on, "
                            "and %u points",
                            ops->name, index, name, strip->slice_count, strip->first,
                            component->strip_point_count);
        }
    }
    return SN_OK;
}

static sn_status validate_components(const sni_deformer_ops *ops, const sni_bind_job *job,
                                     sn_error *error) {
    if ((job->component_count > 0) != ops->uses_components) {
        return sni_fail(error, SN_INVALID,
                        ops->uses_components
                            ? "%s: there is nothing to hang on: no bone, tissue or "
                              "muscle"
                            : "%s: takes no components",
                        ops->name);
    }
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < job->component_count && status == SN_OK; ++i) {
        status = validate_component(ops, job, i, error);
    }
    return status;
}

sn_status sni_bind_job_validate(const sni_deformer_ops *ops, const sni_bind_job *job,
                                sn_error *error) {
    if (job->context == NULL || job->mesh == NULL) {
        return sni_fail(error, SN_INVALID, "%s: no %s", ops->name,
                        job->context == NULL ? "context" : "mesh");
    }
    sn_status status = sni_parameters_validate(&ops->parameters, ops->name, job->parameters, error);
    if (status == SN_OK && ops->uses_weights) {
        status = validate_weights(ops, job, error);
    }
    if (status == SN_OK && job->driver_mesh != NULL && !ops->uses_driver) {
        status = sni_fail(error, SN_INVALID, "%s: takes no driver mesh, but was given \"%s\"",
                          ops->name, job->driver_mesh->name);
    }
    if (status == SN_OK) {
        status = validate_muscles(ops, job, error);
    }
    if (status == SN_OK) {
        status = validate_poses(ops, job, error);
    }
    if (status == SN_OK) {
        status = validate_point_weights(ops, job, error);
    }
    if (status == SN_OK) {
        status = validate_simulation(ops, job, error);
    }
    if (status == SN_OK) {
        status = validate_components(ops, job, error);
    }
    if (status == SN_OK && job->driver_mesh == NULL && ops->needs_driver) {
        status = sni_fail(error, SN_INVALID, "%s: needs a driver mesh", ops->name);
    }
    return status;
}

static sn_status validate_points(const sni_deformer_ops *ops, const sni_bind_job *bound_to,
                                 const sni_deform_job *job, sn_error *error) {
    if (job->vertex_count != bound_to->mesh->vertex_count) {
        return sni_fail(error, SN_INVALID, "%s: %u points, but it was bound to %u", ops->name,
                        job->vertex_count, bound_to->mesh->vertex_count);
    }
    if (job->vertex_count > 0 && (job->points_in == NULL || job->points_out == NULL)) {
        return sni_fail(error, SN_INVALID, "%s: no points %s", ops->name,
                        job->points_in == NULL ? "in" : "out");
    }
    uintptr_t in = (uintptr_t)job->points_in, out = (uintptr_t)job->points_out;
    size_t bytes = 3 * sizeof(float) * (size_t)job->vertex_count;
    if (in < out + bytes && out < in + bytes) {
        return sni_fail(error, SN_INVALID, "%s: points out overlap points in", ops->name);
    }
    if (bound_to->driver_mesh != NULL && job->driver_points == NULL) {
        return sni_fail(error, SN_INVALID, "%s: no points of its driver mesh \"%s\"", ops->name,
                        bound_to->driver_mesh->name);
    }
    return SN_OK;
}

static sn_status validate_worlds(const sni_deformer_ops *ops, const sni_bind_job *bound_to,
                                 const sni_deform_job *job, sn_error *error) {
    uint32_t expected = bound_to->skeleton != NULL ? bound_to->skeleton->segment_count : 0;
    if (job->segment_count != expected || (expected > 0 && job->worlds == NULL)) {
        return sni_fail(error, SN_INVALID, "%s: %u segments, but it was bound to %u", ops->name,
                        job->worlds != NULL ? job->segment_count : 0, expected);
    }
    for (uint32_t segment = 0; segment < expected; ++segment) {
        for (int i = 0; i < 16; ++i) {
            if (!isfinite(job->worlds[segment].m[i])) {
                return sni_fail(error, SN_INVALID, "%s: the matrix of segment %u (\"%s\") has %g",
                                ops->name, segment,
                                name_or_empty(bound_to->skeleton->segments[segment].name),
                                job->worlds[segment].m[i]);
            }
        }
    }
    return SN_OK;
}

static sn_status validate_states(const sni_deformer_ops *ops, const sni_bind_job *bound_to,
                                 const sni_deform_job *job, sn_error *error) {
    if (job->muscle_count != bound_to->muscle_count) {
        return sni_fail(error, SN_INVALID, "%s: %u muscles, but it was bound to %u", ops->name,
                        job->muscle_count, bound_to->muscle_count);
    }
    for (uint32_t m = 0; m < job->muscle_count; ++m) {
        const sni_nurbs *nurbs = &bound_to->muscles[m].nurbs;
        size_t count = 3 * (size_t)nurbs->counts[0] * nurbs->counts[1];
        for (size_t i = 0; i < count; ++i) {
            double relaxed = job->muscles[m].relaxed[i], now = job->muscles[m].contracted[i];
            if (!(isfinite(relaxed) && isfinite(now))) {
                return sni_fail(error, SN_INVALID, "%s: control point %zu of muscle %u has %g",
                                ops->name, i / 3, m, isfinite(relaxed) ? now : relaxed);
            }
        }
    }
    return SN_OK;
}

static sn_status validate_collider_points(const sni_deformer_ops *ops, const sni_bind_job *bound_to,
                                          const sni_deform_job *job, sn_error *error) {
    if (job->collider_count != bound_to->collider_count) {
        return sni_fail(error, SN_INVALID, "%s: %u colliders, but it was bound to %u", ops->name,
                        job->collider_count, bound_to->collider_count);
    }
    for (uint32_t i = 0; i < job->collider_count; ++i) {
        size_t count = 3 * (size_t)bound_to->colliders[i]->vertex_count;
        size_t bad = sni_find_not_finite(job->collider_points[i], count);
        if (bad < count) {
            return sni_fail(error, SN_INVALID, "%s: point %zu of collider %u has %g", ops->name,
                            bad / 3, i, job->collider_points[i][bad]);
        }
    }
    return SN_OK;
}

static sn_status validate_component_points(const sni_deformer_ops *ops,
                                           const sni_bind_job *bound_to, const sni_deform_job *job,
                                           sn_error *error) {
    if (job->component_count != bound_to->component_count) {
        return sni_fail(error, SN_INVALID, "%s: %u components, but it was bound to %u", ops->name,
                        job->component_count, bound_to->component_count);
    }
    for (uint32_t i = 0; i < job->component_count; ++i) {
        const sni_component *component = &bound_to->components[i];
        size_t count = 3 * (size_t)(component->strip_count > 0 ? component->strip_point_count
                                                               : component->mesh->vertex_count);
        size_t bad = sni_find_not_finite(job->component_points[i], count);
        if (bad < count) {
            return sni_fail(error, SN_INVALID, "%s: point %zu of component %u has %g", ops->name,
                            bad / 3, i, (double)job->component_points[i][bad]);
        }
    }
    return SN_OK;
}

sn_status sni_deform_job_validate(const sni_deformer_ops *ops, const sni_bind_job *bound_to,
                                  const sni_deform_job *job, sn_error *error) {
    if (job->context == NULL || job->arena == NULL) {
        return sni_fail(error, SN_INVALID, "%s: no %s", ops->name,
                        job->context == NULL ? "context" : "scratch memory");
    }
    sn_status status = validate_points(ops, bound_to, job, error);
    if (status == SN_OK && (ops->uses_weights || ops->uses_components)) {
        status = validate_worlds(ops, bound_to, job, error);
    }
    if (status == SN_OK && ops->uses_muscles) {
        status = validate_states(ops, bound_to, job, error);
    }
    for (uint32_t i = 0; i < bound_to->pose_count && status == SN_OK; ++i) {
        if (job->pose_inputs == NULL || !isfinite(job->pose_inputs[i])) {
            status = sni_fail(error, SN_INVALID, "%s: key poses %u have no input", ops->name, i);
        }
    }
    if (status == SN_OK && ops->simulates) {
        status = validate_collider_points(ops, bound_to, job, error);
    }
    if (status == SN_OK && ops->uses_components) {
        status = validate_component_points(ops, bound_to, job, error);
    }
    if (status == SN_OK &&
        !(isfinite(job->time) && isfinite(job->time_step) && job->time_step >= 0)) {
        status = sni_fail(error, SN_INVALID, "%s: time %g, time step %g", ops->name, job->time,
                          job->time_step);
    }
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
