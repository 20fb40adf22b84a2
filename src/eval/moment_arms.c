// SPDX-License-Identifier: Apache-2.0
//
// Moment arms in a pose: -dL/dq by differences of the length itself, so that all that moves with a
// coordinate counts: coupled joints, points that move, ways around bodies that are no geodesics.
//
//     D(h)  = (L(q + h) - L(q - h)) / 2h                         within the range
//     D(h)  = s (-3 L(q) + 4 L(q + s h) - L(q + 2 s h)) / 2h      at an end of it, s away from it
//     error = |D(h) - D(2h)| / 3
//
// Both are exact for parabolas, so that D(h) is off by about a third of what doubling h changes.
// Where the length has a kink or a jump close by (a path that begins to touch a body, a pivot that
// is switched) that error is large, and the difference to one side that is smooth is taken.
#include "eval/moment_arms.h"

#include <math.h>
#include <string.h>

// Where the length is measured, in steps: in the middle, and at an end of the range.
static const double middle_offsets[4] = {-2, -1, 1, 2}, end_offsets[4] = {0, 1, 2, 4};

// An error above this, in metres, tells a kink or a jump: where lengths are smooth, differences are
// good to 1e-9.
static const double smooth_error = 1e-7;

// --- Making

static sn_status make_worker(sn_moment_arms *arms, sni_moment_worker *w, sn_error *error) {
    size_t segments = sn_model_skeleton(arms->model)->segment_count;
    sn_context *context = arms->context;
    sn_status status = SN_OK;
    SNI_NEW(context, w->pose.locals, segments);
    SNI_NEW(context, w->pose.worlds, segments);
    SNI_NEW(context, w->pose.parameters, segments * SN_JOINT_PARAMETER_COUNT);
    SNI_NEW(context, w->pose.controls, sn_model_control_count(arms->model));
cleanup:
    return status;
}

static sn_status make_room(sn_moment_arms *arms, sn_error *error) {
    size_t segments = sn_model_skeleton(arms->model)->segment_count;
    sn_context *context = arms->context;
    sn_status status = SN_OK;
    SNI_NEW(context, arms->lengths, arms->pair_count);
    SNI_NEW(context, arms->found, arms->pair_count);
    SNI_NEW(context, arms->failed, arms->coordinate_count);
    SNI_NEW(context, arms->parameters, segments * SN_JOINT_PARAMETER_COUNT);
    SNI_NEW(context, arms->controls, sn_model_control_count(arms->model));
    SNI_NEW_ZERO(context, arms->workers, context->thread_count);
    for (; arms->worker_count < context->thread_count; ++arms->worker_count) {
        sni_arena_init(&arms->workers[arms->worker_count].arena, context);
    }
    for (uint32_t i = 0; i < arms->worker_count; ++i) {
        SN_TRY(make_worker(arms, &arms->workers[i], error));
    }
cleanup:
    return status;
}

sn_status sn_moment_arms_create(const sn_model *model, const char *const *names,
                                uint32_t name_count, sn_moment_arms **arms, sn_error *error) {
    sn_moment_arms *made = NULL;
    sn_status status = SN_OK;
    *arms = NULL;
    SNI_NEW_ZERO(model->context, made, 1);
    made->model = model;
    made->context = model->context;
    SN_TRY(sni_moment_pairs_find(made, names, name_count, error));
    SN_TRY(make_room(made, error));
    *arms = made;
    return SN_OK;
cleanup:
    sn_moment_arms_destroy(made);
    return status;
}

void sn_moment_arms_destroy(sn_moment_arms *arms) {
    if (arms == NULL) {
        return;
    }
    sn_context *context = arms->context;
    for (uint32_t i = 0; i < arms->worker_count; ++i) {
        sni_moment_worker *w = &arms->workers[i];
        sni_free(context, w->pose.locals);
        sni_free(context, w->pose.worlds);
        sni_free(context, w->pose.parameters);
        sni_free(context, w->pose.controls);
        sni_free(context, w->overrides);
        sni_arena_deinit(&w->arena);
    }
    for (uint32_t i = 0; i < arms->coordinate_count; ++i) {
        sni_free(context, (char *)arms->coordinates[i].name);
    }
    sni_free(context, arms->workers);
    sni_free(context, arms->coordinates);
    sni_free(context, arms->details);
    sni_free(context, arms->pairs);
    sni_free(context, arms->lengths);
    sni_free(context, arms->found);
    sni_free(context, arms->failed);
    sni_free(context, arms->parameters);
    sni_free(context, arms->controls);
    sni_free(context, arms);
}

const sn_coordinate *sn_moment_arms_coordinates(const sn_moment_arms *arms, uint32_t *count) {
    *count = arms->coordinate_count;
    return arms->coordinates;
}

const sn_moment_pair *sn_moment_arms_pairs(const sn_moment_arms *arms, uint32_t *count) {
    *count = arms->pair_count;
    return arms->pairs;
}

// --- Measuring

// What the pose would be without synergies, which then act on it again.
static void take_pose(sn_moment_arms *arms, const sn_frame *frame) {
    const sni_rig *rig = arms->model->rig;
    uint32_t segments = sn_model_skeleton(arms->model)->segment_count;
    for (uint32_t i = 0; i < segments * SN_JOINT_PARAMETER_COUNT; ++i) {
        sni_parameter_ref ref = {.segment = i / SN_JOINT_PARAMETER_COUNT,
                                 .joint_parameter =
                                     (sn_joint_parameter)(i % SN_JOINT_PARAMETER_COUNT),
                                 .control = SN_NONE,
                                 .unit = 1};
        bool summed = sni_rig_is_summed(rig, ref.segment, ref.joint_parameter);
        arms->parameters[i] = frame->pose.parameters[i] -
                              (summed ? sni_rig_synergy_share(rig, &frame->pose, &ref) : 0);
    }
    for (uint32_t i = 0; i < sn_model_control_count(arms->model); ++i) {
        sni_parameter_ref ref = {.segment = SN_NONE, .control = i, .unit = 1};
        arms->controls[i] =
            frame->pose.controls[i] - sni_rig_synergy_share(rig, &frame->pose, &ref);
    }
}

// The value of a coordinate before synergies, in the unit of its name.
static double value_of(const sn_moment_arms *arms, const sni_parameter_ref *ref) {
    size_t place = (size_t)ref->segment * SN_JOINT_PARAMETER_COUNT + ref->joint_parameter;
    return ref->control != SN_NONE ? arms->controls[ref->control]
                                   : arms->parameters[place] / ref->unit;
}

// Which side of a value there is room on: 0 for both.
static double side_of(const sni_moment_coordinate *c, double value) {
    return value - 2 * c->step < c->low ? 1 : value + 2 * c->step > c->high ? -1 : 0;
}

// Poses the rig with a coordinate at a value. Controls that are held although a driver computes
// them stay held.
static sn_status pose_rig(const sn_moment_arms *arms, const sn_frame *frame,
                          const sni_parameter_ref *ref, double value, sni_moment_worker *w,
                          sn_error *error) {
    const bool *driven = arms->model->blueprint->driven;
    uint32_t count = 0;
    if (!sni_grow(arms->context, &w->overrides, &w->override_room, frame->override_count + 1,
                  sizeof *w->overrides)) {
        return sni_fail_memory(error);
    }
    for (uint32_t i = 0; i < frame->override_count; ++i) {
        uint32_t control = frame->overrides[i].ref.control;
        if (control != SN_NONE && driven[control]) {
            w->overrides[count++] = frame->overrides[i];
        }
    }
    w->overrides[count++] = (sni_override){.ref = *ref, .value = value};
    sni_given_pose given = {
        .locals = frame->pose.locals, .parameters = arms->parameters, .controls = arms->controls};
    return sni_rig_pose_given(arms->model->rig, &given, w->overrides, count, &w->pose, error);
}

static sn_status measure_length(const sn_moment_arms *arms, const sn_frame *frame, uint32_t muscle,
                                sni_moment_worker *w, double *length, sn_error *error) {
    const sn_model *model = arms->model;
    const sni_muscle_plan *plan = &model->blueprint->muscles[muscle];
    const sni_bound_muscle *bound = model->muscles[muscle];
    sni_muscle_pose_job job = {.context = arms->context,
                               .arena = &w->arena,
                               .segment_count = sn_model_skeleton(model)->segment_count,
                               .worlds = w->pose.worlds};
    sni_posing posing = {.frame = frame, .pose = &w->pose, .arena = &w->arena};
    sni_arena_mark mark = sni_arena_mark_now(&w->arena);
    sn_status status =
        sni_inputs_pose(&posing, plan->ops->inputs, plan->inputs, bound->kept, job.inputs)
            ? bound->ops->length(bound->bound, &job, length, error)
            : sni_fail_memory(error);
    sni_arena_release(&w->arena, mark);
    if (status == SN_OK && !isfinite(*length)) {
        status =
            sni_fail(error, SN_INVALID, "%s: its length is not finite in this pose", plan->name);
    }
    return status;
}

static sn_moment_arm arm_of(const sni_moment_coordinate *c, double side, const double length[4]) {
    double step = c->step * c->per_unit, fine, coarse;
    if (side == 0) {
        fine = (length[2] - length[1]) / (2 * step);
        coarse = (length[3] - length[0]) / (4 * step);
    } else {
        fine = side * (-3 * length[0] + 4 * length[1] - length[2]) / (2 * step);
        coarse = side * (-3 * length[0] + 4 * length[2] - length[3]) / (4 * step);
    }
    return (sn_moment_arm){.arm = -fine, .error = fabs(fine - coarse) / 3};
}

// Measures the pairs of a coordinate whose arms are off by more than `error_above`, moving it to
// `side`, or to both sides (0). An arm is replaced where the new one has the smaller error.
static sn_status measure_side(const sn_moment_arms *arms, const sn_frame *frame,
                              const sni_moment_coordinate *c, double side, double error_above,
                              sni_moment_worker *w, sn_error *error) {
    uint32_t first_muscle = arms->model->blueprint->surface_count;
    double value = value_of(arms, &c->ref);
    sn_status status = SN_OK;
    for (int k = 0; k < 4; ++k) {
        double offset = side != 0 ? side * end_offsets[k] : middle_offsets[k];
        SN_TRY(pose_rig(arms, frame, &c->ref, value + offset * c->step, w, error));
        for (uint32_t i = c->first_pair; i < c->first_pair + c->pair_count; ++i) {
            if (arms->found[i].error > error_above) {
                SN_TRY(measure_length(arms, frame, arms->pairs[i].muscle - first_muscle, w,
                                      &arms->lengths[i][k], error));
            }
        }
    }
    for (uint32_t i = c->first_pair; i < c->first_pair + c->pair_count; ++i) {
        if (arms->found[i].error > error_above) {
            sn_moment_arm arm = arm_of(c, side, arms->lengths[i]);
            arms->found[i] = arm.error < arms->found[i].error ? arm : arms->found[i];
        }
    }
cleanup:
    return status;
}

static double largest_error(const sn_moment_arms *arms, const sni_moment_coordinate *c) {
    double largest = 0;
    for (uint32_t i = c->first_pair; i < c->first_pair + c->pair_count; ++i) {
        largest = fmax(largest, arms->found[i].error);
    }
    return largest;
}

static sn_status measure_coordinate(const sn_moment_arms *arms, const sn_frame *frame,
                                    uint32_t coordinate, sni_moment_worker *w, sn_error *error) {
    const sni_moment_coordinate *c = &arms->details[coordinate];
    double value = value_of(arms, &c->ref);
    sn_status status = SN_OK;
    for (uint32_t i = c->first_pair; i < c->first_pair + c->pair_count; ++i) {
        arms->found[i].error = INFINITY;
    }
    SN_TRY(measure_side(arms, frame, c, side_of(c, value), 0, w, error));
    for (int side = -1; side <= 1 && largest_error(arms, c) > smooth_error; side += 2) {
        double furthest = value + 4 * side * c->step;
        if (furthest >= c->low && furthest <= c->high) {
            SN_TRY(measure_side(arms, frame, c, side, smooth_error, w, error));
        }
    }
cleanup:
    return status;
}

typedef struct measure_run {
    const sn_moment_arms *arms;
    const sn_frame *frame;
} measure_run;

static void measure_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    const measure_run *run = user;
    const sn_moment_arms *arms = run->arms;
    for (uint32_t i = begin; i < end; ++i) {
        arms->failed[i] =
            arms->details[i].pair_count > 0 &&
            measure_coordinate(arms, run->frame, i, &arms->workers[worker], NULL) != SN_OK;
    }
}

sn_status sn_moment_arms_measure(sn_moment_arms *arms, const sn_frame *frame, sn_moment_arm *values,
                                 sn_error *error) {
    sn_status status = SN_OK;
    measure_run run = {arms, frame};
    if (frame->model != arms->model) {
        return sni_fail(error, SN_INVALID, "the frame is of another model than the moment arms");
    }
    take_pose(arms, frame);
    sn_parallel_for(arms->context, arms->coordinate_count, 1, measure_block, &run);
    for (uint32_t i = 0; i < arms->coordinate_count; ++i) {
        if (arms->failed[i]) { // repeated for its message
            SN_TRY(measure_coordinate(arms, frame, i, &arms->workers[0], error));
        }
    }
    memcpy(values, arms->found, arms->pair_count * sizeof *values);
cleanup:
    return status;
}
