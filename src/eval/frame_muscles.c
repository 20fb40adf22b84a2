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

// --- Groups

// While groups are found: the lowest muscle that each one is known to be reached from.
typedef struct grouping {
    const sni_muscle_plan *muscles;
    uint32_t *lowest;
    uint32_t muscle;
    bool changed;
} grouping;

static void join_group(const sni_need *need, void *user) {
    grouping *g = user;
    if (need->surface != SN_NONE || g->muscles[need->muscle].ops != g->muscles[g->muscle].ops) {
        return;
    }
    uint32_t *a = &g->lowest[need->muscle], *b = &g->lowest[g->muscle];
    g->changed = g->changed || *a != *b;
    *a = *b = *a < *b ? *a : *b;
}

// Both ways, until nothing changes: as many rounds as the longest way through a group.
static void find_lowest(const sni_blueprint *blueprint, uint32_t *lowest) {
    grouping g = {.muscles = blueprint->muscles, .lowest = lowest, .changed = true};
    for (uint32_t i = 0; i < blueprint->muscle_count; ++i) {
        lowest[i] = blueprint->muscles[i].ops->pose_together != NULL ? i : SN_NONE;
    }
    while (g.changed) {
        g.changed = false;
        for (uint32_t i = 0; i < blueprint->muscle_count; ++i) {
            const sni_muscle_plan *plan = &blueprint->muscles[i];
            g.muscle = i;
            if (lowest[i] != SN_NONE) {
                sni_inputs_needs(plan->ops->inputs, plan->inputs, join_group, &g);
            }
        }
    }
}

// Groups in the order of their lowest muscles.
static sn_status make_groups(sni_frame_muscles *m, sn_error *error) {
    const sni_blueprint *blueprint = m->model->blueprint;
    sn_context *context = m->model->context;
    uint32_t count = blueprint->muscle_count, next = 0;
    sn_status status = SN_OK;
    SNI_NEW(context, m->groups, count);
    SNI_NEW(context, m->grouped, count);
    SNI_NEW(context, m->group_offsets, (size_t)count + 1);
    SNI_NEW_ZERO(context, m->troubles, count);
    find_lowest(blueprint, m->groups);
    m->group_offsets[0] = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (m->groups[i] != i) {
            continue; // posed alone, or of a group before
        }
        for (uint32_t k = i; k < count; ++k) {
            if (m->groups[k] == i) {
                m->grouped[next++] = k;
            }
        }
        m->group_offsets[++m->group_count] = next;
    }
    for (uint32_t g = 0; g < m->group_count; ++g) {
        for (uint32_t k = m->group_offsets[g]; k < m->group_offsets[g + 1]; ++k) {
            m->groups[m->grouped[k]] = g;
        }
    }
    SNI_NEW_ZERO(context, m->members, next);
    SNI_NEW_ZERO(context, m->group_errors, m->group_count);
cleanup:
    return status;
}

static size_t size_of_group(const sni_frame_muscles *m, uint32_t group) {
    size_t bytes = 0;
    for (uint32_t k = m->group_offsets[group]; k < m->group_offsets[group + 1]; ++k) {
        const sni_bound_muscle *muscle = m->model->muscles[m->grouped[k]];
        bytes += muscle->ops->bytes(muscle->bound);
    }
    return bytes;
}

// What takes much memory takes much time.
static sn_status order_groups(sni_frame_muscles *m, sn_error *error) {
    sn_status status = SN_OK;
    size_t *sizes = NULL;
    SNI_NEW(m->model->context, m->group_order, m->group_count);
    SNI_NEW(m->model->context, sizes, m->group_count);
    for (uint32_t g = 0; g < m->group_count; ++g) {
        uint32_t at = g;
        sizes[g] = size_of_group(m, g);
        for (; at > 0 && sizes[m->group_order[at - 1]] < sizes[g]; --at) {
            m->group_order[at] = m->group_order[at - 1];
        }
        m->group_order[at] = g;
    }
cleanup:
    sni_free(m->model->context, sizes);
    return status;
}

void sni_frame_muscles_spread_need(const sni_frame_muscles *m, bool *needed) {
    for (uint32_t g = 0; g < m->group_count; ++g) {
        bool any = false;
        for (uint32_t k = m->group_offsets[g]; k < m->group_offsets[g + 1]; ++k) {
            any = any || needed[m->grouped[k]];
        }
        for (uint32_t k = m->group_offsets[g]; k < m->group_offsets[g + 1]; ++k) {
            needed[m->grouped[k]] = any;
        }
    }
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
    SN_TRY(make_groups(m, error));
    SN_TRY(order_groups(m, error));
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
    sni_free(context, m->groups);
    sni_free(context, m->grouped);
    sni_free(context, m->group_offsets);
    sni_free(context, m->group_order);
    sni_free(context, m->group_errors);
    sni_free(context, m->members);
    sni_free(context, m->troubles);
}

// --- Posing

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

// What a muscle is posed by. False when memory runs out.
static bool make_job(const sni_frame_muscles *m, const sni_frame_muscles_job *job, uint32_t index,
                     sni_arena *arena, sni_muscle_pose_job *pose) {
    const sni_bound_muscle *muscle = m->model->muscles[index];
    const sni_muscle_plan *plan = &m->model->blueprint->muscles[index];
    *pose =
        (sni_muscle_pose_job){.context = m->model->context,
                              .arena = arena,
                              .segment_count = sn_model_skeleton(m->model)->segment_count,
                              .worlds = job->pose->worlds,
                              .contraction = control_or_zero(job, plan->contraction),
                              .tension = control_or_zero(job, plan->tension),
                              .relaxed = m->posed[index].relaxed,
                              .contracted = m->posed[index].contracted,
                              .surface = job->surface_needed[index] ? job->surfaces[index] : NULL,
                              .time = job->time,
                              .time_step = job->begun[index] ? job->time_step : 0,
                              .state = state_of(m, job, index)};
    sni_posing posing = {.frame = job->frame, .pose = job->pose, .arena = arena};
    bool found =
        sni_parameters_in_pose(&plan->ops->parameters, plan->parameters, plan->driven, job->pose,
                               arena, &pose->parameters) &&
        sni_inputs_pose(&posing, plan->ops->inputs, plan->inputs, muscle->kept, pose->inputs);
    if (found && pose->state != NULL && !job->begun[index]) {
        muscle->ops->state_reset(muscle->bound, pose);
        job->begun[index] = 1;
    }
    return found;
}

static void emit_surface(const sni_bound_muscle *muscle, const sni_muscle_pose_job *pose) {
    if (pose->surface != NULL && !muscle->ops->poses_surface) {
        muscle->ops->emit_points(muscle->bound, SNI_MUSCLE_STEPS, pose->contracted, pose->surface);
    }
}

// Control points of a muscle, and its surface. With `news` nothing is logged, but noted there.
static sn_status pose_one(const sni_frame_muscles *m, const sni_frame_muscles_job *job,
                          uint32_t index, sni_arena *arena, bool *news, sn_error *error) {
    const sni_bound_muscle *muscle = m->model->muscles[index];
    sni_muscle_pose_job pose;
    sni_arena_mark mark = sni_arena_mark_now(arena);
    bool found = make_job(m, job, index, arena, &pose);
    pose.news = news;
    sn_status status =
        found ? muscle->ops->pose(muscle->bound, &pose, error) : sni_fail_memory(error);
    sni_arena_release(arena, mark);
    if (status == SN_OK) {
        emit_surface(muscle, &pose);
    }
    return status;
}

// The same for muscles that push each other.
static sn_status pose_group(const sni_frame_muscles *m, const sni_frame_muscles_job *job,
                            uint32_t group, sni_arena *arena, sn_error *error) {
    uint32_t first = m->group_offsets[group], count = m->group_offsets[group + 1] - first;
    sni_muscle_member *members = m->members + first;
    sni_arena_mark mark = sni_arena_mark_now(arena);
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < count && status == SN_OK; ++i) {
        uint32_t index = m->grouped[first + i];
        members[i] = (sni_muscle_member){.number = index, .bound = m->model->muscles[index]->bound};
        status = make_job(m, job, index, arena, &members[i].job) ? SN_OK : sni_fail_memory(error);
    }
    if (status == SN_OK) {
        const sni_muscle_ops *ops = m->model->muscles[m->grouped[first]]->ops;
        status = ops->pose_together(count, members, error);
    }
    sni_arena_release(arena, mark);
    for (uint32_t i = 0; i < count && status == SN_OK; ++i) {
        emit_surface(m->model->muscles[m->grouped[first + i]], &members[i].job);
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
        bool needed = run->job->needed[i] && m->groups[i] == SN_NONE;
        sn_status status = needed && !remembers
                               ? pose_one(m, run->job, i, &m->worker_arenas[worker], &news, NULL)
                               : SN_OK;
        m->again[i] = needed && (remembers || news || status != SN_OK);
    }
}

static bool is_group_needed(const sni_frame_muscles *m, const sni_frame_muscles_job *job,
                            uint32_t group) {
    return job->needed[m->grouped[m->group_offsets[group]]];
}

static void pose_groups(uint32_t begin, uint32_t end, uint32_t worker, void *user) {
    const pose_run *run = user;
    const sni_frame_muscles *m = run->muscles;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t g = m->group_order[i];
        m->group_errors[g] = (sn_error){.status = SN_OK};
        if (is_group_needed(m, run->job, g)) {
            sn_error *error = &m->group_errors[g];
            error->status = pose_group(m, run->job, g, &m->worker_arenas[worker], error);
        }
    }
}

// The first failure, and what muscles had to say, in order; the same of a muscle only once.
static sn_status end_groups(sni_frame_muscles *m, const sni_frame_muscles_job *job,
                            sn_error *error) {
    for (uint32_t g = 0; g < m->group_count; ++g) {
        if (m->group_errors[g].status != SN_OK) {
            if (error != NULL) {
                *error = m->group_errors[g];
            }
            return m->group_errors[g].status;
        }
        for (uint32_t k = m->group_offsets[g];
             is_group_needed(m, job, g) && k < m->group_offsets[g + 1]; ++k) {
            const sni_muscle_member *member = &m->members[k];
            if (member->trouble[0] != 0 && m->troubles[member->number]++ == 0) {
                sni_log(m->model->context, SN_LOG_WARNING, "muscle", "%s", member->trouble);
            }
        }
    }
    return SN_OK;
}

const char *sni_frame_muscle_trouble(const sni_frame_muscles *m, uint32_t muscle) {
    uint32_t group = m->groups[muscle];
    for (uint32_t k = group != SN_NONE ? m->group_offsets[group] : 0;
         group != SN_NONE && k < m->group_offsets[group + 1]; ++k) {
        if (m->grouped[k] == muscle) {
            return m->members[k].trouble;
        }
    }
    return "";
}

// All side by side; then, in order, those with memory that are posed alone, which go on once a
// frame, and once more those that failed or have something to say.
sn_status sni_frame_muscles_pose(sni_frame_muscles *m, const sni_frame_muscles_job *job,
                                 sn_error *error) {
    uint32_t count = m->model->blueprint->muscle_count;
    sn_status status = SN_OK;
    pose_run run = {m, job};
    sn_parallel_for(m->model->context, count, 1, pose_block, &run);
    sn_parallel_for(m->model->context, m->group_count, 1, pose_groups, &run);
    for (uint32_t i = 0; i < count && status == SN_OK; ++i) {
        if (m->again[i]) {
            status = pose_one(m, job, i, job->arena, NULL, error);
        }
    }
    return status == SN_OK ? end_groups(m, job, error) : status;
}
