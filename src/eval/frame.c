// SPDX-License-Identifier: Apache-2.0
//
// Evaluation of a frame: pose, bones, muscles, skin, once through, in this order.
//
// A model with memory is a sequence: state(n) = step(state(n - 1), pose(n)). A frame keeps the
// state that it reached last and a checkpoint now and then, and steps on from whichever of them is
// nearest below the number asked for; since every step depends on nothing else, the way does not
// show.
#define _GNU_SOURCE
#include "eval/frame_muscles.h"
#include "eval/model.h"
#include "eval/values.h"

#include "geometry/carry.h"

#include <string.h>
#include <time.h>

// Frames between checkpoints: scrubbing costs at most this many steps, a checkpoint one copy of the
// state.
static const uint32_t checkpoint_interval = 32;

// Surfaces of a block that are carried by segments: some microseconds each.
enum { CARRY_GRAIN = 4 };

typedef struct checkpoint {
    uint32_t number;
    uint8_t *state;
} checkpoint;

struct sn_frame {
    const sn_model *model;
    sn_context *context;
    sni_arena arena; // scratch of an evaluation
    sni_pose pose;
    float **points; // surface_count, each #V x 3
    sni_frame_muscles muscles;
    uint32_t override_count;
    sni_override *overrides;
    bool shown_only; // leaves out surfaces that nobody sees
    double time;
    double stage_ms[SN_STAGE_COUNT];
    uint64_t evaluation; // counts them
    sni_values *values;  // what sn_frame_values keeps
    // Simulation: `state` is that after frame `state_number` of the motion `state_motion`.
    uint8_t *state;
    bool state_known;
    uint64_t state_motion;
    uint32_t state_number;
    uint32_t checkpoint_count;
    checkpoint *checkpoints; // of `state_motion`, by rising number
};

const char *sn_stage_name(sn_stage stage) {
    static const char *const names[] = {"pose", "bones", "muscles", "skin"};
    return names[stage];
}

static double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

sn_status sn_frame_create(const sn_model *model, sn_frame **frame, sn_error *error) {
    sn_context *context = model->context;
    sn_status status = SN_OK;
    sn_frame *made = NULL;
    *frame = NULL;
    SNI_NEW_ZERO(context, made, 1);
    made->model = model;
    made->context = context;
    sni_arena_init(&made->arena, context);
    uint32_t segment_count = sn_model_skeleton(model)->segment_count;
    SNI_NEW(context, made->pose.locals, segment_count);
    SNI_NEW(context, made->pose.worlds, segment_count);
    SNI_NEW(context, made->pose.parameters, (size_t)segment_count * SN_JOINT_PARAMETER_COUNT);
    SNI_NEW(context, made->pose.controls, sn_model_control_count(model));
    SNI_NEW_ZERO(context, made->points, model->surface_count);
    for (uint32_t i = 0; i < model->surface_count; ++i) {
        SNI_NEW(context, made->points[i], 3 * (size_t)model->surfaces[i].mesh->vertex_count);
    }
    SN_TRY(sni_frame_muscles_init(model, &made->muscles, error));
    SNI_NEW_ZERO(context, made->state, model->state_bytes);
    SN_TRY(sni_values_create(model, &made->values, error));
    SN_TRY(sn_frame_evaluate(made, NULL, 0, error));
    *frame = made;
    return SN_OK;
cleanup:
    sn_frame_destroy(made);
    return status;
}

static void forget_state(sn_frame *frame) {
    for (uint32_t i = 0; i < frame->checkpoint_count; ++i) {
        sni_free(frame->context, frame->checkpoints[i].state);
    }
    frame->checkpoint_count = 0;
    frame->state_known = false;
}

void sn_frame_destroy(sn_frame *frame) {
    if (frame == NULL) {
        return;
    }
    sn_context *context = frame->context;
    forget_state(frame);
    for (uint32_t i = 0; frame->points != NULL && i < frame->model->surface_count; ++i) {
        sni_free(context, frame->points[i]);
    }
    sni_free(context, frame->points);
    sni_values_destroy(frame->values);
    sni_frame_muscles_deinit(&frame->muscles);
    sni_free(context, frame->checkpoints);
    sni_free(context, frame->state);
    sni_free(context, frame->overrides);
    sni_free(context, frame->pose.locals);
    sni_free(context, frame->pose.worlds);
    sni_free(context, frame->pose.parameters);
    sni_free(context, frame->pose.controls);
    sni_arena_deinit(&frame->arena);
    sni_free(context, frame);
}

static bool same_parameter(const sni_parameter_ref *a, const sni_parameter_ref *b) {
    return a->segment == b->segment && a->control == b->control &&
           (a->segment == SN_NONE || a->joint_parameter == b->joint_parameter);
}

sn_status sn_frame_set(sn_frame *frame, const char *parameter, double value, sn_error *error) {
    sni_override made = {.value = value};
    sn_status status = sni_rig_find(frame->model->rig, parameter, &made.ref, error);
    if (status == SN_OK) {
        status = sni_rig_check_override(frame->model->rig, &made, error);
    }
    if (status != SN_OK) {
        return status;
    }
    for (uint32_t i = 0; i < frame->override_count; ++i) {
        if (same_parameter(&frame->overrides[i].ref, &made.ref)) {
            frame->overrides[i] = made;
            forget_state(frame);
            return SN_OK;
        }
    }
    if (!sni_grow_by_one(frame->context, &frame->overrides, frame->override_count,
                         sizeof *frame->overrides)) {
        return sni_fail_memory(error);
    }
    frame->overrides[frame->override_count++] = made;
    forget_state(frame);
    return SN_OK;
}

void sn_frame_clear(sn_frame *frame) {
    // The count alone tells the capacity, so the array goes with it.
    sni_free(frame->context, frame->overrides);
    frame->overrides = NULL;
    frame->override_count = 0;
    forget_state(frame);
}

void sn_frame_show_only(sn_frame *frame, bool shown_only) {
    if (frame->shown_only != shown_only) {
        frame->shown_only = shown_only;
        forget_state(frame);
    }
}

// The states of the muscles that move a deformer, in its order; NULL when memory runs out.
static const sni_muscle_state *collect_muscles(sn_frame *frame,
                                               const sni_bound_deformer *deformer) {
    sni_muscle_state *states =
        sni_arena_alloc(&frame->arena, deformer->muscle_count, sizeof *states);
    for (uint32_t i = 0; i < deformer->muscle_count && states != NULL; ++i) {
        const sni_posed_muscle *muscle = &frame->muscles.posed[deformer->muscles[i]];
        states[i] =
            (sni_muscle_state){.relaxed = muscle->relaxed, .contracted = muscle->contracted};
    }
    return states;
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

// Where the key poses of a deformer stand; NULL when memory runs out.
static const double *collect_inputs(sn_frame *frame, const sni_bound_deformer *deformer) {
    double *inputs = sni_arena_alloc(&frame->arena, deformer->pose_count, sizeof *inputs);
    for (uint32_t i = 0; i < deformer->pose_count && inputs != NULL; ++i) {
        inputs[i] = sni_frame_pose_input(frame, &deformer->poses[i]);
    }
    return inputs;
}

// The posed points of what a deformer touches; NULL when memory runs out.
static const float *const *collect_colliders(sn_frame *frame, const sni_bound_deformer *deformer) {
    const float **points = sni_arena_alloc(&frame->arena, deformer->collider_count, sizeof *points);
    for (uint32_t i = 0; i < deformer->collider_count && points != NULL; ++i) {
        points[i] = frame->points[deformer->colliders[i]];
    }
    return points;
}

static sn_status run_deformer(sn_frame *frame, uint32_t surface, const sni_bound_deformer *deformer,
                              const float *points_in, float *points_out, double time_step,
                              bool reset, sn_error *error) {
    const sn_model *model = frame->model;
    const sni_muscle_state *muscles = collect_muscles(frame, deformer);
    const double *inputs = collect_inputs(frame, deformer);
    const float *const *colliders = collect_colliders(frame, deformer);
    sn_mat4 body = sni_frame_body(frame);
    const float *const *components = sni_frame_components(frame, deformer, &body, &frame->arena);
    const float *const *surfaces = sni_frame_surfaces(frame, deformer, &frame->arena);
    if (muscles == NULL || inputs == NULL || colliders == NULL || components == NULL ||
        surfaces == NULL) {
        return sni_fail_memory(error);
    }
    sni_deform_job job = {
        .context = frame->context,
        .arena = &frame->arena,
        .vertex_count = model->surfaces[surface].mesh->vertex_count,
        .points_in = points_in,
        .points_out = points_out,
        .segment_count = sn_model_skeleton(model)->segment_count,
        .worlds = frame->pose.worlds,
        .controls = frame->pose.controls,
        .driver_points = deformer->driver != SN_NONE ? frame->points[deformer->driver] : NULL,
        .muscle_count = deformer->muscle_count,
        .muscles = muscles,
        .pose_inputs = inputs,
        .collider_count = deformer->collider_count,
        .collider_points = colliders,
        .component_count = deformer->component_count,
        .body = &body,
        .component_points = components,
        .component_surfaces = surfaces,
        .time = frame->time,
        .time_step = time_step,
        .state = deformer->state_bytes > 0 ? frame->state + deformer->state_offset : NULL,
    };
    if (reset && deformer->state_bytes > 0) {
        deformer->ops->state_reset(deformer->bound, &job);
    }
    sn_status status = deformer->ops->deform(deformer->bound, &job, error);
    if (status == SN_OK && deformer->weights != NULL) {
        sni_mix_points(frame->context, job.vertex_count, deformer->weights, points_in, points_out);
    }
    return status;
}

// The deformers of a surface to be run, and on what.
typedef struct stack_run {
    uint32_t surface;
    uint32_t first, end; // deformers
    bool carry;          // by the surface's segment, behind them
    const float *points_in;
    float *points_out;
    double time_step;
    bool reset;
} stack_run;

// Points go back and forth between two scratch arrays; the last step writes into the result.
static sn_status run_stack(sn_frame *frame, const stack_run *run, sn_error *error) {
    const sn_model *model = frame->model;
    const sni_bound_surface *bound = &model->bound[run->surface];
    const sn_surface *surface = &model->surfaces[run->surface];
    uint32_t vertex_count = surface->mesh->vertex_count;
    bool carried = surface->segment != SN_NONE && run->carry;
    float *scratch[2] = {NULL, NULL};
    for (uint32_t i = 0; i < 2 && i + 1 < run->end - run->first + carried; ++i) {
        scratch[i] = sni_arena_alloc(&frame->arena, 3 * (size_t)vertex_count, sizeof(float));
        if (scratch[i] == NULL) {
            return sni_fail_memory(error);
        }
    }
    const float *points = run->points_in;
    for (uint32_t i = run->first; i < run->end; ++i) {
        float *out =
            i + 1 == run->end && !carried ? run->points_out : scratch[(i - run->first) % 2];
        sn_status status = run_deformer(frame, run->surface, &bound->deformers[i], points, out,
                                        run->time_step, run->reset, error);
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

static sn_status check_worlds(const sn_frame *frame, sn_error *error) {
    const sn_skeleton *skeleton = sn_model_skeleton(frame->model);
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        if (!sni_is_float_matrix(&frame->pose.worlds[i])) {
            return sni_fail(
                error, SN_INVALID,
                "at %.9g s the pose is too large for the segment \"%s\" to have a place",
                frame->time, skeleton->segments[i].name);
        }
    }
    return SN_OK;
}

static bool is_in_layer(const sn_frame *frame, uint32_t surface, sn_layer layer) {
    return frame->model->surfaces[surface].layer == layer &&
           (!frame->shown_only || frame->model->blueprint->needed[surface]);
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
static sn_status deform_layer(sn_frame *frame, sn_layer layer, double time_step, bool reset,
                              sn_error *error) {
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
                         .time_step = time_step,
                         .reset = reset};
        sn_status status = run_stack(frame, &run, error);
        sni_arena_release(&frame->arena, mark);
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

static sn_status pose_muscles(sn_frame *frame, sn_error *error) {
    sni_frame_muscles_job job = {.pose = &frame->pose,
                                 .surfaces = frame->points + frame->model->blueprint->surface_count,
                                 .needed_only = frame->shown_only,
                                 .arena = &frame->arena};
    return sni_frame_muscles_pose(&frame->muscles, &job, error);
}

// One frame of the picture in docs/architecture.md. Adds to the stage times.
static sn_status evaluate_once(sn_frame *frame, const sn_motion *motion, uint32_t number,
                               sn_error *error) {
    double rate = motion != NULL ? motion->clip->rate : 1;
    frame->time = motion != NULL ? number / rate : 0;
    bool reset = number == 0 || motion == NULL;
    double time_step = reset ? 0 : 1 / rate;
    sn_status status = SN_OK;
    double begin = now_ms();
    SN_TRY(sni_rig_pose(frame->model->rig, motion != NULL ? motion->player : NULL, frame->time,
                        frame->overrides, frame->override_count, &frame->pose, error));
    SN_TRY(check_worlds(frame, error));
    double posed = now_ms();
    SN_TRY(deform_layer(frame, SN_LAYER_BONE, time_step, reset, error));
    SN_TRY(deform_layer(frame, SN_LAYER_TISSUE, time_step, reset, error));
    double boned = now_ms();
    SN_TRY(pose_muscles(frame, error));
    double muscled = now_ms();
    SN_TRY(deform_layer(frame, SN_LAYER_SKIN, time_step, reset, error));
    double skinned = now_ms();
    frame->stage_ms[SN_STAGE_POSE] += posed - begin;
    frame->stage_ms[SN_STAGE_BONES] += boned - posed;
    frame->stage_ms[SN_STAGE_MUSCLES] += muscled - boned;
    frame->stage_ms[SN_STAGE_SKIN] += skinned - muscled;
cleanup:
    return status;
}

// Where the checkpoint of a frame stands, or would stand, among those that are kept.
static uint32_t checkpoint_place(const sn_frame *frame, uint32_t number) {
    uint32_t place = frame->checkpoint_count;
    while (place > 0 && frame->checkpoints[place - 1].number >= number) {
        --place;
    }
    return place;
}

// The frame behind the known state nearest below `number`, which is that of the checkpoint before
// `place` (0: none is nearer than the last state).
static uint32_t find_next(const sn_frame *frame, uint32_t number, uint32_t *place) {
    uint32_t next =
        frame->state_known && frame->state_number < number ? frame->state_number + 1 : 0;
    *place = checkpoint_place(frame, number);
    if (*place > 0 && frame->checkpoints[*place - 1].number + 1 > next) {
        return frame->checkpoints[*place - 1].number + 1;
    }
    *place = 0;
    return next;
}

// Finds the known state nearest below `number`; returns the frame to step next.
static uint32_t resume(sn_frame *frame, uint64_t motion, uint32_t number) {
    if (frame->state_motion != motion) {
        forget_state(frame);
        frame->state_motion = motion;
    }
    uint32_t place, next = find_next(frame, number, &place);
    if (place > 0) {
        memcpy(frame->state, frame->checkpoints[place - 1].state, frame->model->state_bytes);
    }
    return next;
}

uint32_t sn_frame_next_step(const sn_frame *frame, const sn_motion *motion, uint32_t number) {
    uint32_t place;
    if (frame->model->state_bytes == 0 || motion == NULL) {
        return number;
    }
    return frame->state_motion == motion->id ? find_next(frame, number, &place) : 0;
}

static sn_status keep_checkpoint(sn_frame *frame, uint32_t number, sn_error *error) {
    uint32_t count = frame->checkpoint_count, place = checkpoint_place(frame, number);
    bool due = number % checkpoint_interval == 0;
    if (!due || (place < count && frame->checkpoints[place].number == number)) {
        return SN_OK;
    }
    uint8_t *copy = sni_copy(frame->context, frame->state, frame->model->state_bytes, 1);
    if (copy == NULL ||
        !sni_grow_by_one(frame->context, &frame->checkpoints, count, sizeof *frame->checkpoints)) {
        sni_free(frame->context, copy);
        return sni_fail_memory(error);
    }
    memmove(frame->checkpoints + place + 1, frame->checkpoints + place,
            (count - place) * sizeof *frame->checkpoints);
    frame->checkpoints[place] = (checkpoint){.number = number, .state = copy};
    frame->checkpoint_count++;
    return SN_OK;
}

sn_status sn_frame_evaluate(sn_frame *frame, const sn_motion *motion, uint32_t number,
                            sn_error *error) {
    memset(frame->stage_ms, 0, sizeof frame->stage_ms);
    frame->evaluation++;
    if (motion != NULL && number >= motion->clip->frame_count) {
        return sni_fail(error, SN_INVALID, "there is no frame %u: \"%s\" has frames 0 to %u",
                        number, motion->clip->name, motion->clip->frame_count - 1);
    }
    if (frame->model->state_bytes == 0 || motion == NULL) {
        frame->state_known = false; // the rest pose begins a state of its own
        return evaluate_once(frame, motion, motion != NULL ? number : 0, error);
    }
    sn_status status = SN_OK;
    uint32_t next = resume(frame, motion->id, number);
    for (frame->state_known = false; next <= number; ++next) {
        SN_TRY(evaluate_once(frame, motion, next, error));
        SN_TRY(keep_checkpoint(frame, next, error));
    }
    frame->state_known = true;
    frame->state_number = number;
cleanup:
    return status;
}

const sn_model *sn_frame_model(const sn_frame *frame) {
    return frame->model;
}

sni_values *sni_frame_kept_values(const sn_frame *frame) {
    return frame->values;
}

uint64_t sni_frame_evaluation(const sn_frame *frame) {
    return frame->evaluation;
}

const double *sni_frame_muscle_points(const sn_frame *frame, uint32_t muscle) {
    return frame->muscles.posed[muscle].contracted;
}

const float *sn_frame_points(const sn_frame *frame, uint32_t surface) {
    return frame->points[surface];
}

const sn_mat4 *sn_frame_worlds(const sn_frame *frame) {
    return frame->pose.worlds;
}

const sn_transform *sn_frame_locals(const sn_frame *frame) {
    return frame->pose.locals;
}

const double *sn_frame_joint_parameters(const sn_frame *frame) {
    return frame->pose.parameters;
}

const double *sn_frame_controls(const sn_frame *frame) {
    return frame->pose.controls;
}

double sn_frame_time(const sn_frame *frame) {
    return frame->time;
}

double sn_frame_stage_ms(const sn_frame *frame, sn_stage stage) {
    return frame->stage_ms[stage];
}

size_t sn_frame_state_bytes(const sn_frame *frame) {
    return frame->model->state_bytes;
}

void sn_frame_save(const sn_frame *frame, void *state) {
    memcpy(state, frame->state, frame->model->state_bytes);
}

void sn_frame_restore(sn_frame *frame, const sn_motion *motion, uint32_t number,
                      const void *state) {
    // What was reached before from other values set must not be taken up again.
    forget_state(frame);
    memcpy(frame->state, state, frame->model->state_bytes);
    frame->state_known = true;
    frame->state_motion = motion->id;
    frame->state_number = number;
}
