// SPDX-License-Identifier: Apache-2.0
//
// Evaluation of a frame behind its pose: bones, muscles, skin, once through, in this order.
#define _GNU_SOURCE
#include "eval/frame.h"

#include "geometry/carry.h"
#include "skin/combine.h"

#include <math.h>
#include <string.h>
#include <time.h>

// Surfaces of a block that are carried by segments: some microseconds each.
enum { CARRY_GRAIN = 4 };

double sni_now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

double sni_frame_pose_input(const sn_frame *frame, const sni_pose_plan *pose) {
    const sni_parameter_ref *parameter = &pose->parameter;
    if (pose->muscle != SN_NONE) {
        const sni_bound_muscle *muscle = frame->model->muscles[pose->muscle];
        sni_muscle_measure measure;
        muscle->ops->measure(muscle->bound, frame->muscles.posed[pose->muscle].contracted,
                             &measure);
        return measure.length;
    }
    if (parameter->control != SN_NONE) {
        return frame->pose.controls[parameter->control];
    }
    size_t at = (size_t)parameter->segment * SN_JOINT_PARAMETER_COUNT + parameter->joint_parameter;
    return frame->pose.parameters[at] / parameter->unit;
}

bool sni_parameters_in_pose(const sn_parameters *table, const double *values,
                            const uint32_t *driven, const sni_pose *pose, sni_arena *arena,
                            const double **now) {
    *now = NULL;
    if (driven == NULL) {
        return true;
    }
    double *made = sni_arena_alloc(arena, table->count, sizeof *made);
    for (uint32_t i = 0; i < table->count && made != NULL; ++i) {
        const sn_parameter *parameter = &table->items[i];
        made[i] = driven[i] != SN_NONE
                      ? fmin(fmax(pose->controls[driven[i]], parameter->low), parameter->high)
                      : values[i];
    }
    *now = made;
    return made != NULL;
}

// The deformers of a surface to be run, and on what.
typedef struct stack_run {
    uint32_t surface;
    uint32_t first, end; // deformers
    bool carry;          // by the surface's segment, behind them
    const float *points_in;
    float *points_out;
    double time_step;
    bool reset; // states begin here
} stack_run;

sn_status sni_frame_begin_job(const sn_frame *frame, uint32_t surface, uint32_t number,
                              sni_arena *arena, sni_deform_job *job, sn_error *error) {
    const sn_model *model = frame->model;
    const sni_bound_deformer *deformer = &model->bound[surface].deformers[number];
    const sni_deformer_plan *plan = deformer->plan;
    *job = (sni_deform_job){
        .context = frame->context,
        .arena = arena,
        .vertex_count = model->surfaces[surface].mesh->vertex_count,
        .segment_count = sn_model_skeleton(model)->segment_count,
        .worlds = frame->pose.worlds,
        .controls = frame->pose.controls,
        .time = frame->time,
    };
    sni_posing posing = {.frame = frame, .pose = &frame->pose, .arena = arena};
    bool done = sni_parameters_in_pose(&deformer->ops->parameters, plan->parameters, plan->driven,
                                       &frame->pose, arena, &job->parameters) &&
                sni_inputs_pose(&posing, deformer->ops->inputs, plan->inputs,
                                deformer->binding->kept, job->inputs);
    return done ? SN_OK : sni_fail_memory(error);
}

static sn_status run_deformer(sn_frame *frame, const stack_run *run, uint32_t number,
                              const float *points_before, const float *points_in, float *points_out,
                              sn_error *error) {
    const sni_bound_deformer *deformer = &frame->model->bound[run->surface].deformers[number];
    const sni_binding *binding = deformer->binding;
    sni_deform_job job;
    sn_status status = sni_frame_begin_job(frame, run->surface, number, &frame->arena, &job, error);
    if (status != SN_OK) {
        return status;
    }
    job.points_in = points_in;
    job.points_out = points_out;
    job.points_before = points_before;
    job.time_step = run->time_step;
    job.state = deformer->state_bytes > 0 ? frame->states + deformer->state_offset : NULL;
    job.kept = &frame->kept[frame->first_kept[run->surface] + number];
    if (run->reset && deformer->state_bytes > 0) {
        deformer->ops->state_reset(binding->bound, &job);
    }
    status = deformer->ops->deform(binding->bound, &job, error);
    if (status == SN_OK && binding->weights != NULL) {
        sni_mix_points(frame->context, job.vertex_count, binding->weights, points_in, points_out);
    }
    return status;
}

// How much of its effect a deformer takes in this frame, besides weights of points.
static double envelope_of(const sn_frame *frame, const sni_deformer_plan *plan) {
    uint32_t index = sni_parameters_find(&plan->ops->parameters, "envelope");
    if (index == SN_NONE) {
        return 1;
    }
    bool is_driven = plan->driven != NULL && plan->driven[index] != SN_NONE;
    double value = is_driven ? frame->pose.controls[plan->driven[index]] : plan->parameters[index];
    return fmin(fmax(value, 0), 1);
}

// The deformers from `first` to `end`, each on the same points, combined.
static sn_status run_combined(sn_frame *frame, const stack_run *run, uint32_t first, uint32_t end,
                              const float *points_in, float *points_out, sn_error *error) {
    const sni_bound_deformer *deformers = frame->model->bound[run->surface].deformers;
    uint32_t vertex_count = frame->model->surfaces[run->surface].mesh->vertex_count;
    sn_status status = SN_OK;
    sni_arena_mark mark = sni_arena_mark_now(&frame->arena);
    sni_combined *items = sni_arena_alloc(&frame->arena, end - first, sizeof *items);
    SN_TRY(items != NULL ? SN_OK : sni_fail_memory(error));
    for (uint32_t i = first; i < end; ++i) {
        float *points = sni_arena_alloc(&frame->arena, 3 * (size_t)vertex_count, sizeof *points);
        SN_TRY(points != NULL ? SN_OK : sni_fail_memory(error));
        SN_TRY(run_deformer(frame, run, i, points_in, points_in, points, error));
        items[i - first] = (sni_combined){.points = points,
                                          .weight = envelope_of(frame, deformers[i].plan),
                                          .point_weights = deformers[i].binding->weights,
                                          .is_weighted = true};
    }
    sni_combine_points(frame->context, &(sni_combine_job){
                                           .mode = deformers[end - 1].plan->combination,
                                           .vertex_count = vertex_count,
                                           .count = end - first,
                                           .items = items,
                                           .points_in = points_in,
                                           .points_out = points_out,
                                       });
cleanup:
    sni_arena_release(&frame->arena, mark);
    return status;
}

// The end of the deformers that are combined with the one at `first`, itself one of them.
static uint32_t end_of_row(const sn_frame *frame, const stack_run *run, uint32_t first) {
    const sni_bound_deformer *deformers = frame->model->bound[run->surface].deformers;
    uint32_t end = first + 1;
    while (end < run->end && deformers[end].plan->combined) {
        ++end;
    }
    return end;
}

// One of the scratch arrays, made when it is first needed, that holds neither of two others.
static float *take_scratch(sn_frame *frame, size_t vertex_count, float *scratch[3],
                           const float *points, const float *before) {
    uint32_t i = 0;
    while (scratch[i] != NULL && (scratch[i] == points || scratch[i] == before)) {
        ++i;
    }
    if (scratch[i] == NULL) {
        scratch[i] = sni_arena_alloc(&frame->arena, 3 * vertex_count, sizeof(float));
    }
    return scratch[i];
}

// Points go from one scratch array to another; the last step writes into the result. What a row of
// deformers of one kind began with is kept until its end.
static sn_status run_stack(sn_frame *frame, const stack_run *run, sn_error *error) {
    const sn_model *model = frame->model;
    const sn_surface *surface = &model->surfaces[run->surface];
    uint32_t vertex_count = surface->mesh->vertex_count;
    bool carried = surface->segment != SN_NONE && run->carry;
    const sni_bound_deformer *deformers = model->bound[run->surface].deformers;
    float *scratch[3] = {NULL, NULL, NULL};
    const float *points = run->points_in, *before = points;
    for (uint32_t i = run->first, end; i < run->end; i = end) {
        end = end_of_row(frame, run, i);
        if (i > run->first && deformers[i].ops != deformers[i - 1].ops) {
            before = points;
        }
        float *out = end == run->end && !carried
                         ? run->points_out
                         : take_scratch(frame, vertex_count, scratch, points, before);
        sn_status status = out == NULL   ? sni_fail_memory(error)
                           : end - i > 1 ? run_combined(frame, run, i, end, points, out, error)
                                         : run_deformer(frame, run, i, before, points, out, error);
        if (status != SN_OK) {
            return status;
        }
        points = out;
    }
    if (carried) {
        sni_carry_points(frame->context, &frame->pose.worlds[surface->segment],
                         surface->in_segment_frame ? NULL : &model->rest_worlds[surface->segment],
                         points, vertex_count, run->points_out);
    } else if (run->first == run->end) {
        memcpy(run->points_out, points, 3 * (size_t)vertex_count * sizeof *points);
    }
    return SN_OK;
}

sn_status sni_frame_deform(sn_frame *frame, uint32_t surface, uint32_t first, uint32_t end,
                           const float *points_in, float *points_out, sn_error *error) {
    stack_run run = {.surface = surface,
                     .first = first,
                     .end = end != SN_NONE ? end : frame->model->bound[surface].deformer_count,
                     .carry = end == SN_NONE,
                     .points_in = points_in,
                     .points_out = points_out};
    sni_arena_mark mark = sni_arena_mark_now(&frame->arena);
    sn_status status = run_stack(frame, &run, error);
    sni_arena_release(&frame->arena, mark);
    return status;
}

static bool is_in_layer(const sn_frame *frame, uint32_t surface, sn_layer layer) {
    return frame->model->surfaces[surface].layer == layer && frame->needed[surface];
}

typedef struct carry_run {
    sn_frame *frame;
    sn_layer layer;
} carry_run;

static void carry_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    (void)worker;
    const carry_run *run = user;
    const sn_model *model = run->frame->model;
    for (uint32_t i = begin; i < end; ++i) {
        if (!is_in_layer(run->frame, i, run->layer) || model->bound[i].deformer_count > 0) {
            continue;
        }
        stack_run stack = {.surface = i,
                           .carry = true,
                           .points_in = model->surfaces[i].mesh->positions,
                           .points_out = run->frame->points[i]};
        run_stack(run->frame, &stack, NULL); // takes no memory, and cannot fail
    }
}

// Surfaces that are carried alone side by side, then the others in order.
static sn_status deform_layer(sn_frame *frame, sn_layer layer, double time_step, sn_error *error) {
    const sn_model *model = frame->model;
    carry_run carried = {frame, layer};
    sn_parallel_for(frame->context, model->blueprint->surface_count, CARRY_GRAIN, carry_block,
                    &carried);
    for (uint32_t i = 0; i < model->blueprint->surface_count; ++i) {
        uint32_t surface = model->blueprint->drivers_first[i];
        if (!is_in_layer(frame, surface, layer) || model->bound[surface].deformer_count == 0) {
            continue;
        }
        sni_arena_mark mark = sni_arena_mark_now(&frame->arena);
        stack_run run = {.surface = surface,
                         .end = model->bound[surface].deformer_count,
                         .carry = true,
                         .points_in = model->surfaces[surface].mesh->positions,
                         .points_out = frame->points[surface],
                         .time_step = frame->begun[surface] ? time_step : 0,
                         .reset = !frame->begun[surface]};
        sn_status status = run_stack(frame, &run, error);
        sni_arena_release(&frame->arena, mark);
        if (status != SN_OK) {
            return status;
        }
        frame->begun[surface] = true;
    }
    return SN_OK;
}

static sn_status pose_muscles(sn_frame *frame, double time_step, sn_error *error) {
    uint32_t first = frame->model->blueprint->surface_count;
    sni_frame_muscles_job job = {.pose = &frame->pose,
                                 .surfaces = frame->points + first,
                                 .surface_needed = frame->needed + first,
                                 .needed = frame->muscle_needed,
                                 .frame = frame,
                                 .time = frame->time,
                                 .time_step = time_step,
                                 .states = frame->states,
                                 .begun = frame->begun + first,
                                 .arena = &frame->arena};
    return sni_frame_muscles_pose(&frame->muscles, &job, error);
}

sn_status sni_frame_run_stages(sn_frame *frame, double time_step, sn_error *error) {
    sn_status status = SN_OK;
    double posed = sni_now_ms();
    SN_TRY(deform_layer(frame, SN_LAYER_BONE, time_step, error));
    SN_TRY(deform_layer(frame, SN_LAYER_TISSUE, time_step, error));
    double boned = sni_now_ms();
    SN_TRY(pose_muscles(frame, time_step, error));
    double muscled = sni_now_ms();
    SN_TRY(deform_layer(frame, SN_LAYER_SKIN, time_step, error));
    double skinned = sni_now_ms();
    frame->stage_ms[SN_STAGE_BONES] += boned - posed;
    frame->stage_ms[SN_STAGE_MUSCLES] += muscled - boned;
    frame->stage_ms[SN_STAGE_SKIN] += skinned - muscled;
cleanup:
    return status;
}
