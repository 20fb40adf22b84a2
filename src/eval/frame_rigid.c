// SPDX-License-Identifier: Apache-2.0
//
// Where forces put the rigid bodies of a frame.
//
// A group without memory, or at its first frame, is where it comes to rest, from where it lies at
// rest: a function of the pose alone. One with memory goes on from the frame before in steps of
// time that are about the same for every frame rate; on the way, controls and whatever else moves
// go evenly from what they were to what they are.
#include "eval/frame_rigid.h"

#include "eval/frame.h"

#include <math.h>
#include <string.h>

// Longest step of time: at 24, 30, 60 and 120 frames per second all steps are as long as this.
static const double longest_step = 1.0 / 240;

// --- Memory

static sn_status init_group(const sn_model *model, const sni_body_group *group,
                            sni_group_frame *made, sn_error *error) {
    sn_context *context = model->context;
    sn_status status = SN_OK;
    SNI_NEW_ZERO(context, made->states, group->body_count);
    SNI_NEW_ZERO(context, made->joints, group->joint_count);
    SNI_NEW_ZERO(context, made->contacts, group->contact_count);
    SNI_NEW_ZERO(context, made->muscles, group->muscle_count);
    SNI_NEW_ZERO(context, made->ligaments, group->ligament_count);
    SN_TRY(sni_rigid_watch_create(group->system->rigid, &made->watch, error));
    for (uint32_t i = 0; i < group->body_count; ++i) {
        made->states[i] = sni_rigid_at_rest(group->system->rigid, i);
    }
    for (uint32_t i = 0; i < group->muscle_count; ++i) {
        made->muscles[i].surface = model->blueprint->surface_count + group->muscles[i].muscle;
    }
cleanup:
    return status;
}

sn_status sni_frame_bodies_init(const sn_model *model, sni_frame_bodies *bodies, sn_error *error) {
    sn_status status = SN_OK;
    bodies->model = model;
    sni_arena_init(&bodies->lines, model->context);
    SNI_NEW_ZERO(model->context, bodies->groups, model->bodies.group_count);
    for (uint32_t i = 0; i < model->bodies.group_count; ++i) {
        SN_TRY(init_group(model, &model->bodies.groups[i], &bodies->groups[i], error));
    }
cleanup:
    return status;
}

void sni_frame_bodies_deinit(sni_frame_bodies *bodies) {
    if (bodies->model == NULL) {
        return;
    }
    sn_context *context = bodies->model->context;
    for (uint32_t i = 0; bodies->groups != NULL && i < bodies->model->bodies.group_count; ++i) {
        sni_group_frame *group = &bodies->groups[i];
        sni_free(context, group->states);
        sni_free(context, group->joints);
        sni_free(context, group->contacts);
        sni_free(context, group->muscles);
        sni_free(context, group->ligaments);
        sni_rigid_watch_destroy(group->watch);
    }
    sni_free(context, bodies->groups);
    sni_arena_deinit(&bodies->lines);
}

// --- The state of a group, as it lies in that of the frame: doubles alone

typedef struct saved_carrier {
    sn_quat turn;
    sn_vec3 to;
} saved_carrier;

typedef struct saved_muscle {
    double control;    // that was asked for in the frame before
    double activation; // that it has
} saved_muscle;

typedef struct saved_group {
    sni_base *base;
    sni_rigid_state *bodies;
    saved_carrier *carriers;
    saved_muscle *muscles;
} saved_group;

size_t sni_group_state_bytes(const sni_body_group *group) {
    return sizeof(sni_base) + group->body_count * sizeof(sni_rigid_state) +
           group->carrier_count * sizeof(saved_carrier) +
           group->muscle_count * sizeof(saved_muscle);
}

static saved_group saved_at(const sni_body_group *group, uint8_t *bytes) {
    saved_group s = {.base = (sni_base *)bytes};
    s.bodies = (sni_rigid_state *)(s.base + 1);
    s.carriers = (saved_carrier *)(s.bodies + group->body_count);
    s.muscles = (saved_muscle *)(s.carriers + group->carrier_count);
    return s;
}

// --- A group in a frame

typedef struct moving {
    const sn_model *model;
    const sni_body_group *group;
    sni_group_frame *result;
    const sni_frame_bodies_job *job;
    const double **parameters; // of bodies, in this frame
    sni_base base;
    sn_mat4 *worlds;          // segment_count: in the base
    sn_mat4 *locals;          // segment_count: of segments that hang on bodies
    sni_rigid_place *goals;   // of carriers, in this frame
    sni_rigid_place *carried; // of carriers, in the step
    double *controls;         // of muscles, in this frame
    double *activations;      // of muscles, in the step
    sni_rigid_load *loads;
    const void *(*inputs)[SNI_INPUTS_MOST];
    sni_group_pulling pulling;
    sn_error *error; // of lines that could not be found
} moving;

static bool moving_alloc(moving *m) {
    const sni_body_group *group = m->group;
    sni_arena *arena = m->job->arena;
    uint32_t segments = sn_model_skeleton(m->model)->segment_count;
    m->parameters = sni_arena_alloc(arena, group->body_count, sizeof *m->parameters);
    m->worlds = sni_arena_alloc(arena, segments, sizeof *m->worlds);
    m->locals = sni_arena_alloc(arena, segments, sizeof *m->locals);
    m->goals = sni_arena_alloc(arena, group->carrier_count, sizeof *m->goals);
    m->carried = sni_arena_alloc(arena, group->carrier_count, sizeof *m->carried);
    m->controls = sni_arena_alloc(arena, group->muscle_count, sizeof *m->controls);
    m->activations = sni_arena_alloc(arena, group->muscle_count, sizeof *m->activations);
    m->loads = sni_arena_alloc(arena, group->body_count, sizeof *m->loads);
    m->inputs = sni_arena_alloc(arena, group->muscle_count, sizeof *m->inputs);
    return m->parameters != NULL && m->worlds != NULL && m->locals != NULL && m->goals != NULL &&
           m->carried != NULL && m->controls != NULL && m->activations != NULL &&
           m->loads != NULL && m->inputs != NULL;
}

static bool find_parameters(moving *m) {
    bool found = true;
    for (uint32_t i = 0; i < m->group->body_count && found; ++i) {
        const sni_rigid_plan *plan = &m->model->blueprint->bodies[m->group->bodies[i].body];
        found = sni_parameters_in_pose(&sni_body_parameters, plan->parameters, plan->driven,
                                       m->job->pose, m->job->arena, &m->parameters[i]);
        m->parameters[i] = m->parameters[i] != NULL ? m->parameters[i] : plan->parameters;
    }
    return found;
}

// Where a segment that carries something has gone from where it is at rest.
static sni_rigid_place place_from(const sn_mat4 *rest, const sn_mat4 *now) {
    sn_transform a, b;
    sn_mat4_decompose(rest, &a);
    sn_mat4_decompose(now, &b);
    return (sni_rigid_place){.turn = sn_quat_multiply(b.rotation, sn_quat_conjugate(a.rotation)),
                             .from = a.translation,
                             .to = b.translation};
}

// All segments in the base, and what hangs on bodies in its parent.
static void find_places(moving *m) {
    const sni_body_group *group = m->group;
    const sni_pose *pose = m->job->pose;
    m->base = sni_base_of(pose->worlds, group->base);
    sn_mat4 enter = sni_base_enter(&m->base, group->rest.scale);
    for (uint32_t i = 0; i < sn_model_skeleton(m->model)->segment_count; ++i) {
        m->worlds[i] = sn_mat4_multiply(&enter, &pose->worlds[i]);
    }
    for (uint32_t i = 0; i < group->moved_count; ++i) {
        m->locals[group->moved[i]] = sn_mat4_from_transform(&pose->locals[group->moved[i]]);
    }
    for (uint32_t i = 0; i < group->carrier_count; ++i) {
        uint32_t segment = group->carriers[i];
        m->goals[i] = place_from(&group->rest_places[segment], &m->worlds[segment]);
        m->carried[i] = m->goals[i];
    }
}

static double control_or_zero(const moving *m, uint32_t control) {
    return control != SN_NONE ? m->job->pose->controls[control] : 0;
}

static void find_controls(moving *m) {
    for (uint32_t i = 0; i < m->group->muscle_count; ++i) {
        const sni_muscle_plan *plan = &m->model->blueprint->muscles[m->group->muscles[i].muscle];
        double control = plan->activation != SN_NONE ? control_or_zero(m, plan->activation)
                                                     : fmax(control_or_zero(m, plan->contraction),
                                                            control_or_zero(m, plan->tension));
        m->controls[i] = fmin(fmax(control, 0), 1);
        m->activations[i] = m->controls[i];
    }
}

// Weight, and the tone that balances what acts at rest.
static void find_loads(moving *m) {
    sn_quat back = sn_quat_conjugate(m->base.rotation);
    for (uint32_t i = 0; i < m->group->body_count; ++i) {
        const sni_group_body *body = &m->group->bodies[i];
        const double *p = m->parameters[i];
        double weight = body->mass * p[SNI_BODY_GRAVITY];
        sn_vec3 down = sn_quat_rotate(back, sn_vec3_make(0, -weight, 0));
        m->loads[i] =
            (sni_rigid_load){.force = sn_vec3_add_scaled(down, -p[SNI_BODY_BALANCE], body->force),
                             .torque = sn_vec3_scale(body->torque, -p[SNI_BODY_BALANCE]),
                             .damping = p[SNI_BODY_DAMPING]};
    }
}

// --- Lines of muscles

static sn_mat4 matrix_of(const sni_rigid_place *place) {
    sn_vec3 back = sn_quat_rotate(place->turn, place->from);
    sn_transform t = {sn_vec3_sub(place->to, back), place->turn, {1, 1, 1}};
    return sn_mat4_from_transform(&t);
}

// Moves what bodies carry to where they are.
static void carry(const moving *m, const sni_rigid_place *bodies) {
    const sni_body_group *group = m->group;
    const sn_skeleton *skeleton = sn_model_skeleton(m->model);
    for (uint32_t i = 0; i < group->moved_count; ++i) {
        uint32_t segment = group->moved[i], body = group->things[segment];
        uint32_t own = m->model->blueprint->bodies[group->bodies[body].body].segment;
        if (segment == own) {
            sn_mat4 place = matrix_of(&bodies[body]);
            m->worlds[segment] = sn_mat4_multiply(&place, &group->rest_places[segment]);
        } else {
            uint32_t parent = skeleton->segments[segment].parent;
            m->worlds[segment] = sn_mat4_multiply(&m->worlds[parent], &m->locals[segment]);
        }
    }
}

// Moves carriers to where they are in the step. Scale is that of the frame.
static void carry_carriers(const moving *m) {
    const sni_body_group *group = m->group;
    for (uint32_t i = 0; i < group->carrier_count; ++i) {
        uint32_t segment = group->carriers[i];
        sn_mat4 place = matrix_of(&m->carried[i]);
        m->worlds[segment] = sn_mat4_multiply(&place, &group->rest_places[segment]);
    }
}

// Puts a segment into the pose that is at a place in the base.
static void place_segment(const moving *m, uint32_t segment) {
    const sn_skeleton *skeleton = sn_model_skeleton(m->model);
    uint32_t parent = skeleton->segments[segment].parent;
    sn_mat4 leave = sni_base_leave(&m->base, m->group->rest.scale), inverse;
    const sn_mat4 *above = parent != SN_NONE ? &m->worlds[parent] : NULL;
    sn_mat4 local = m->worlds[segment];
    sn_transform parts;
    if (above != NULL && sn_mat4_invert(above, &inverse)) {
        local = sn_mat4_multiply(&inverse, &local);
    } else {
        local = sn_mat4_multiply(&leave, &local);
        if (m->job->root != NULL && sn_mat4_invert(m->job->root, &inverse)) {
            local = sn_mat4_multiply(&inverse, &local);
        }
    }
    sn_mat4_decompose(&local, &parts);
    sni_rig_place(m->model->rig, m->job->pose, segment, parts.rotation, parts.translation);
}

// What muscles need of the pose besides where segments are.
static bool pose_inputs(const moving *m, sni_arena *arena) {
    sni_posing posing = {.frame = m->job->frame, .pose = m->job->pose, .arena = arena};
    bool found = true;
    for (uint32_t i = 0; i < m->group->muscle_count && found; ++i) {
        uint32_t muscle = m->group->muscles[i].muscle;
        const sni_muscle_plan *plan = &m->model->blueprint->muscles[muscle];
        found = sni_inputs_pose(&posing, plan->ops->inputs, plan->inputs,
                                m->model->muscles[muscle]->kept, m->inputs[i]);
    }
    return found;
}

static bool find_lines(void *user, const sni_rigid_place *bodies, sni_rigid_posed_line *lines) {
    moving *m = user;
    sni_arena *arena = m->pulling.arena;
    sni_arena_release(arena, (sni_arena_mark){0});
    carry(m, bodies);
    if (m->group->pivots_change) {
        for (uint32_t i = 0; i < m->group->body_count; ++i) {
            uint32_t body = m->group->bodies[i].body;
            place_segment(m, m->model->blueprint->bodies[body].segment);
        }
        if (!pose_inputs(m, arena)) {
            sni_fail_memory(m->error);
            return false;
        }
    }
    return sni_group_pull(&m->pulling, lines, m->error) == SN_OK;
}

// --- Solving

static sni_rigid_job make_job(moving *m) {
    return (sni_rigid_job){.watch = m->result->watch,
                           .arena = m->job->arena,
                           .loads = m->loads,
                           .activations = m->activations,
                           .carriers = m->carried,
                           .lines = find_lines,
                           .user = m};
}

// Where the results of the solver go.
typedef struct gathered {
    sni_rigid_results results;
    sni_rigid_joint_result *joints;
    sni_rigid_contact_result *contacts;
    double *muscles;
} gathered;

static bool gathered_alloc(const moving *m, gathered *g) {
    sni_arena *arena = m->job->arena;
    g->joints = sni_arena_alloc(arena, m->group->joint_count, sizeof *g->joints);
    g->contacts = sni_arena_alloc(arena, m->group->contact_count, sizeof *g->contacts);
    g->muscles = sni_arena_alloc(arena, m->group->muscle_count, sizeof *g->muscles);
    g->results = (sni_rigid_results){.joints = g->joints,
                                     .contacts = g->contacts,
                                     .muscles = g->muscles,
                                     .ligaments = m->result->ligaments};
    return g->joints != NULL && g->contacts != NULL && g->muscles != NULL;
}

static void keep_results(const moving *m, const gathered *g) {
    for (uint32_t i = 0; i < m->group->joint_count; ++i) {
        m->result->joints[i] = (sn_body_joint){.travel = g->joints[i].travel,
                                               .aside = g->joints[i].aside,
                                               .force = g->joints[i].force};
    }
    for (uint32_t i = 0; i < m->group->contact_count; ++i) {
        m->result->contacts[i] = (sn_body_contact){.depth = g->contacts[i].depth,
                                                   .force = g->contacts[i].force,
                                                   .point_count = g->contacts[i].point_count};
    }
    for (uint32_t i = 0; i < m->group->muscle_count; ++i) {
        m->result->muscles[i].force = g->muscles[i];
        m->result->muscles[i].activation = m->activations[i];
    }
}

static sn_status end_solve(const moving *m, sni_rigid_outcome outcome, const gathered *g,
                           sn_error *error) {
    const sni_rigid_plan *plan = &m->model->blueprint->bodies[m->group->bodies[0].body];
    if (outcome == SNI_RIGID_OUT_OF_MEMORY) {
        return sni_fail_memory(error);
    }
    if (outcome == SNI_RIGID_NO_LINES) {
        return m->error != NULL && m->error->status != SN_OK ? m->error->status
                                                             : sni_fail_memory(error);
    }
    if (outcome == SNI_RIGID_NO_REST && m->result->troubles++ == 0) {
        sni_log(m->model->context, SN_LOG_WARNING, "bodies",
                "%s: at %.9g s nothing holds it where it could come to rest", plan->name,
                sn_frame_time(m->job->frame));
    }
    keep_results(m, g);
    return SN_OK;
}

// Where the group comes to rest.
static sn_status settle(moving *m, gathered *g, sn_error *error) {
    sni_rigid_job job = make_job(m);
    sni_rigid_outcome outcome =
        sni_rigid_settle(m->group->system->rigid, &job, m->result->states, &g->results);
    return end_solve(m, outcome, g, error);
}

// --- Motion in time

// The motion of the base in a step, as far as bodies lag behind it.
typedef struct base_motion {
    sn_vec3 way;  // in the base before
    sn_vec3 turn; // rotation vector in it
} base_motion;

static base_motion find_base_motion(const moving *m, const sni_base *before, double steps) {
    double share = m->parameters[0][SNI_BODY_INERTIA] / steps;
    double metre = m->group->rest.scale / m->base.scale;
    sn_quat back = sn_quat_conjugate(before->rotation);
    sn_vec3 way = sn_vec3_sub(m->base.translation, before->translation);
    sn_quat turn = sn_quat_multiply(back, m->base.rotation);
    double side = turn.w < 0 ? -1 : 1;
    sn_vec3 axis = sn_vec3_make(side * turn.x, side * turn.y, side * turn.z);
    double sine = sn_vec3_length(axis), angle = 2 * atan2(sine, side * turn.w);
    return (base_motion){.way = sn_vec3_scale(sn_quat_rotate(back, way), share * metre),
                         .turn = sine > 0 ? sn_vec3_scale(axis, share * angle / sine)
                                          : sn_vec3_make(0, 0, 0)};
}

// What stays behind while the base moves goes back in it.
static void leave_behind(const base_motion *motion, sni_rigid_state *state) {
    double angle = sn_vec3_length(motion->turn);
    sn_vec3 axis = sn_vec3_normalize_or(motion->turn, sn_vec3_make(1, 0, 0));
    sn_quat back = sn_quat_from_axis_angle(axis, -angle);
    state->center = sn_quat_rotate(back, sn_vec3_sub(state->center, motion->way));
    state->turn = sn_quat_normalize(sn_quat_multiply(back, state->turn));
    state->velocity = sn_quat_rotate(back, state->velocity);
    state->momentum = sn_quat_rotate(back, state->momentum);
}

// Controls and carriers a part of the way from the frame before to this one.
static void go_part(moving *m, const saved_group *saved, double part, double step) {
    for (uint32_t i = 0; i < m->group->carrier_count; ++i) {
        const saved_carrier *from = &saved->carriers[i];
        m->carried[i].turn = sn_quat_slerp(from->turn, m->goals[i].turn, part);
        m->carried[i].to = sn_vec3_lerp(from->to, m->goals[i].to, part);
    }
    carry_carriers(m);
    for (uint32_t i = 0; i < m->group->muscle_count; ++i) {
        const sni_group_muscle *of = &m->group->muscles[i];
        double smoothing = m->parameters[of->body][SNI_BODY_SMOOTHING];
        double left = smoothing > 0 ? exp(-step / smoothing) : 0;
        double wanted =
            saved->muscles[i].control + part * (m->controls[i] - saved->muscles[i].control);
        saved->muscles[i].activation = wanted + left * (saved->muscles[i].activation - wanted);
        m->activations[i] = saved->muscles[i].activation;
    }
}

static sn_status simulate(moving *m, const saved_group *saved, gathered *g, sn_error *error) {
    double time = m->job->time_step;
    // A step that is longer by rounding alone is one.
    uint32_t steps = (uint32_t)fmax(ceil(time / longest_step - 1e-9), 1);
    double step = time / steps;
    base_motion motion = find_base_motion(m, saved->base, steps);
    sni_rigid_job job = make_job(m);
    job.still_velocity = sn_vec3_scale(motion.way, 1 / step);
    job.still_spin = sn_vec3_scale(motion.turn, 1 / step);
    memcpy(m->result->states, saved->bodies, m->group->body_count * sizeof *saved->bodies);
    for (uint32_t i = 0; i < steps; ++i) {
        bool last = i + 1 == steps;
        go_part(m, saved, (double)(i + 1) / steps, step);
        for (uint32_t k = 0; k < m->group->body_count; ++k) {
            leave_behind(&motion, &m->result->states[k]);
        }
        sni_rigid_outcome outcome = sni_rigid_step(m->group->system->rigid, &job, step,
                                                   m->result->states, last ? &g->results : NULL);
        if (last || outcome != SNI_RIGID_DONE) {
            return end_solve(m, outcome, g, error);
        }
    }
    return SN_OK;
}

// What the next frame goes on from.
static void save(const moving *m, const saved_group *saved) {
    *saved->base = m->base;
    memcpy(saved->bodies, m->result->states, m->group->body_count * sizeof *saved->bodies);
    for (uint32_t i = 0; i < m->group->carrier_count; ++i) {
        saved->carriers[i] = (saved_carrier){.turn = m->goals[i].turn, .to = m->goals[i].to};
    }
    for (uint32_t i = 0; i < m->group->muscle_count; ++i) {
        saved->muscles[i] =
            (saved_muscle){.control = m->controls[i], .activation = m->activations[i]};
    }
}

static sn_status solve(moving *m, uint8_t *begun, sn_error *error) {
    const sni_body_group *group = m->group;
    gathered g;
    if (!gathered_alloc(m, &g)) {
        return sni_fail_memory(error);
    }
    if (group->state_bytes == 0) {
        return settle(m, &g, error);
    }
    saved_group saved = saved_at(group, m->job->states + group->state_offset);
    sn_status status = SN_OK;
    if (!*begun) {
        status = settle(m, &g, error);
    } else if (m->job->time_step > 0) {
        status = simulate(m, &saved, &g, error);
    } else {
        memcpy(m->result->states, saved.bodies, group->body_count * sizeof *saved.bodies);
        for (uint32_t i = 0; i < group->muscle_count; ++i) {
            m->activations[i] = saved.muscles[i].activation;
        }
    }
    if (status == SN_OK) {
        save(m, &saved);
        *begun = 1;
    }
    return status;
}

// --- The pose

// Puts the segment of a body where it is, or part of the way from where the pose has it.
static void write_body(const moving *m, uint32_t number) {
    const sni_rigid_plan *plan = &m->model->blueprint->bodies[m->group->bodies[number].body];
    double envelope = m->parameters[number][SNI_BODY_ENVELOPE];
    sn_transform posed = m->job->pose->locals[plan->segment];
    place_segment(m, plan->segment);
    if (envelope < 1) {
        const sn_transform *moved = &m->job->pose->locals[plan->segment];
        sn_quat rotation = sn_quat_slerp(posed.rotation, moved->rotation, envelope);
        sn_vec3 translation = sn_vec3_lerp(posed.translation, moved->translation, envelope);
        sni_rig_place(m->model->rig, m->job->pose, plan->segment, rotation, translation);
    }
}

static void write_pose(const moving *m, const sn_transform *posed) {
    sni_rigid_place *places =
        sni_arena_alloc(m->pulling.arena, m->group->body_count, sizeof *places);
    for (uint32_t i = 0; places != NULL && i < m->group->body_count; ++i) {
        uint32_t segment = m->model->blueprint->bodies[m->group->bodies[i].body].segment;
        places[i] = sni_rigid_place_of(m->group->system->rigid, i, &m->result->states[i]);
        m->job->pose->locals[segment] = posed[i];
    }
    if (places != NULL) {
        carry(m, places);
    }
    for (uint32_t i = 0; places != NULL && i < m->group->body_count; ++i) {
        write_body(m, i);
    }
    // Bodies of other groups may hang on these.
    for (uint32_t i = 0; i < m->group->moved_count; ++i) {
        uint32_t segment = m->group->moved[i];
        uint32_t parent = sn_model_skeleton(m->model)->segments[segment].parent;
        sn_mat4 local = sn_mat4_from_transform(&m->job->pose->locals[segment]);
        const sn_mat4 *above = parent != SN_NONE ? &m->job->pose->worlds[parent] : m->job->root;
        m->job->pose->worlds[segment] = above != NULL ? sn_mat4_multiply(above, &local) : local;
    }
}

static bool is_left_to_pose(const moving *m) {
    for (uint32_t i = 0; i < m->group->body_count; ++i) {
        if (m->parameters[i][SNI_BODY_ENVELOPE] > 0) {
            return false;
        }
    }
    return true;
}

static sn_status move_group(sni_frame_bodies *bodies, uint32_t number,
                            const sni_frame_bodies_job *job, sn_error *error) {
    sn_error lines = {0};
    moving m = {.model = bodies->model,
                .group = &bodies->model->bodies.groups[number],
                .result = &bodies->groups[number],
                .job = job,
                .error = &lines};
    uint32_t count = m.group->body_count;
    if (!moving_alloc(&m) || !find_parameters(&m)) {
        return sni_fail_memory(error);
    }
    if (is_left_to_pose(&m)) {
        job->begun[number] = 0;
        return SN_OK;
    }
    sn_transform *posed = sni_arena_alloc(job->arena, count, sizeof *posed);
    if (posed == NULL || !pose_inputs(&m, job->arena)) {
        return sni_fail_memory(error);
    }
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t segment = m.model->blueprint->bodies[m.group->bodies[i].body].segment;
        posed[i] = job->pose->locals[segment];
    }
    find_places(&m);
    find_controls(&m);
    find_loads(&m);
    m.pulling = (sni_group_pulling){.group = m.group,
                                    .rest = m.model->rest,
                                    .worlds = m.worlds,
                                    .inputs = (const void *const(*)[SNI_INPUTS_MOST])m.inputs,
                                    .arena = &bodies->lines};
    sn_status status = solve(&m, &job->begun[number], error);
    if (status == SN_OK) {
        write_pose(&m, posed);
    } else if (lines.status != SN_OK && error != NULL) {
        *error = lines;
    }
    return status;
}

sn_status sni_frame_bodies_move(sni_frame_bodies *bodies, const sni_frame_bodies_job *job,
                                sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < bodies->model->bodies.group_count && status == SN_OK; ++i) {
        sni_arena_mark mark = sni_arena_mark_now(job->arena);
        status = move_group(bodies, i, job, error);
        sni_arena_release(job->arena, mark);
    }
    return status;
}

// --- Results

uint32_t sn_model_body_count(const sn_model *model) {
    return model->blueprint->body_count;
}

sn_body sn_model_body(const sn_model *model, uint32_t body) {
    SN_ASSERT(body < model->blueprint->body_count);
    const sni_rigid_plan *plan = &model->blueprint->bodies[body];
    const sni_body_group *group = &model->bodies.groups[model->bodies.group_of[body]];
    return (sn_body){.name = plan->name,
                     .segment = plan->segment,
                     .mass = group->bodies[model->bodies.number[body]].mass,
                     .simulated = group->simulated};
}

sn_body_state sn_frame_body_state(const sn_frame *frame, uint32_t body) {
    const sn_model *model = frame->model;
    SN_ASSERT(body < model->blueprint->body_count);
    const sni_rigid_plan *plan = &model->blueprint->bodies[body];
    uint32_t number = model->bodies.group_of[body];
    const sni_body_group *group = &model->bodies.groups[number];
    const sni_group_frame *result = &frame->bodies.groups[number];
    const sni_group_body *of = &group->bodies[model->bodies.number[body]];
    const sni_rigid_state *state = &result->states[model->bodies.number[body]];
    sn_quat q = state->turn;
    double sine = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    return (sn_body_state){.turn = 2 * atan2(sine, fabs(q.w)),
                           .center = state->center,
                           .joint_count = plan->joint_count,
                           .joints = result->joints + of->first_joint,
                           .ligament_count = plan->ligament_count,
                           .ligaments = result->ligaments + of->first_ligament,
                           .contact_count = of->contact_count,
                           .contacts = result->contacts + of->first_contact,
                           .muscle_count = group->muscle_count,
                           .muscles = result->muscles};
}
