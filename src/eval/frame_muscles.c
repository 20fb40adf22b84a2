// SPDX-License-Identifier: Apache-2.0
#include "eval/frame_muscles.h"

// The spans of control points.
static sn_status make_spans(sni_frame_muscles *m, sn_error *error) {
    const sn_model *model = m->model;
    uint32_t count = model->blueprint->muscle_count;
    sn_status status = SN_OK;
    size_t number_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        number_count += 6 * (size_t)model->muscles[i]->point_count;
    }
    SNI_NEW(model->context, m->points, number_count);
    double *points = m->points;
    for (uint32_t i = 0; i < count; ++i) {
        size_t numbers = 3 * (size_t)model->muscles[i]->point_count;
        m->posed[i] = (sni_posed_muscle){.relaxed = points, .contracted = points + numbers};
        points += 2 * numbers;
    }
cleanup:
    return status;
}

sn_status sni_frame_muscles_init(const sn_model *model, sni_frame_muscles *m, sn_error *error) {
    sn_context *context = model->context;
    uint32_t count = model->blueprint->muscle_count;
    sn_status status = SN_OK;
    m->model = model;
    SNI_NEW(context, m->posed, count);
    SNI_NEW(context, m->again, count);
    SNI_NEW(context, m->worker_arenas, context->thread_count);
    for (; m->worker_count < context->thread_count; ++m->worker_count) {
        sni_arena_init(&m->worker_arenas[m->worker_count], context);
    }
    SN_TRY(make_spans(m, error));
cleanup:
    return status;
}

void sni_frame_muscles_deinit(sni_frame_muscles *m) {
    if (m->model == NULL) {
        return;
    }
    sn_context *context = m->model->context;
    for (uint32_t i = 0; i < m->worker_count; ++i) {
        sni_arena_deinit(&m->worker_arenas[i]);
    }
    sni_free(context, m->worker_arenas);
    sni_free(context, m->posed);
    sni_free(context, m->points);
    sni_free(context, m->again);
}

static double control_or_zero(const sni_frame_muscles_job *job, uint32_t control) {
    return control != SN_NONE ? job->pose->controls[control] : 0;
}

// The memory of a muscle, NULL where it has none.
static void *state_of(const sni_frame_muscles *m, const sni_frame_muscles_job *job,
                      uint32_t index) {
    return m->model->muscles[index]->ops->state_bytes != NULL
               ? job->states + m->model->muscle_state_offsets[index]
               : NULL;
}

// Control points of a muscle, and its surface. With `news` nothing is logged, but noted there.
static sn_status pose_one(const sni_frame_muscles *m, const sni_frame_muscles_job *job,
                          uint32_t index, sni_arena *arena, bool *news, sn_error *error) {
    const sni_bound_muscle *muscle = m->model->muscles[index];
    const sni_muscle_plan *plan = &m->model->blueprint->muscles[index];
    float *surface = job->surface_needed[index] ? job->surfaces[index] : NULL;
    sni_muscle_pose_job pose = {.context = m->model->context,
                                .arena = arena,
                                .segment_count = sn_model_skeleton(m->model)->segment_count,
                                .worlds = job->pose->worlds,
                                .contraction = control_or_zero(job, plan->contraction),
                                .tension = control_or_zero(job, plan->tension),
                                .relaxed = m->posed[index].relaxed,
                                .contracted = m->posed[index].contracted,
                                .surface = surface,
                                .time = job->time,
                                .time_step = job->begun[index] ? job->time_step : 0,
                                .state = state_of(m, job, index),
                                .news = news};
    sni_posing posing = {.frame = job->frame, .pose = job->pose, .arena = arena};
    sni_arena_mark mark = sni_arena_mark_now(arena);
    bool found =
        sni_parameters_in_pose(&plan->ops->parameters, plan->parameters, plan->driven, job->pose,
                               arena, &pose.parameters) &&
        sni_inputs_pose(&posing, plan->ops->inputs, plan->inputs, muscle->kept, pose.inputs);
    if (found && pose.state != NULL && !job->begun[index]) {
        muscle->ops->state_reset(muscle->bound, &pose);
        job->begun[index] = 1;
    }
    sn_status status =
        found ? muscle->ops->pose(muscle->bound, &pose, error) : sni_fail_memory(error);
    sni_arena_release(arena, mark);
    if (status == SN_OK && surface != NULL && !muscle->ops->poses_surface) {
        muscle->ops->emit_points(muscle->bound, SNI_MUSCLE_STEPS, pose.contracted, surface);
    }
    return status;
}

typedef struct pose_run {
    const sni_frame_muscles *muscles;
    const sni_frame_muscles_job *job;
} pose_run;

static void pose_block(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    const pose_run *run = user;
    const sni_frame_muscles *m = run->muscles;
    for (uint32_t i = begin; i < end; ++i) {
        bool news = false, remembers = state_of(m, run->job, i) != NULL;
        sn_status status = run->job->needed[i] && !remembers
                               ? pose_one(m, run->job, i, &m->worker_arenas[worker], &news, NULL)
                               : SN_OK;
        m->again[i] = run->job->needed[i] && (remembers || news || status != SN_OK);
    }
}

// All side by side; then, in order, those with memory, which go on once a frame, and once more
// those that failed or have something to say.
sn_status sni_frame_muscles_pose(sni_frame_muscles *m, const sni_frame_muscles_job *job,
                                 sn_error *error) {
    uint32_t count = m->model->blueprint->muscle_count;
    sn_status status = SN_OK;
    pose_run run = {m, job};
    sn_parallel_for(m->model->context, count, 1, pose_block, &run);
    for (uint32_t i = 0; i < count && status == SN_OK; ++i) {
        if (m->again[i]) {
            status = pose_one(m, job, i, job->arena, NULL, error);
        }
    }
    return status;
}
