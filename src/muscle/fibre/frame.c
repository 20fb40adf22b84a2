// SPDX-License-Identifier: Apache-2.0
//
// A fibre muscle in a frame, and what it remembers from one frame to the next: the places that
// bones carry, its particles with their velocities, its activation, and the part of the time that
// was too short for a substep.
#include "muscle/fibre/fibre.h"

#include "muscle/carried.h"

#include <math.h>
#include <string.h>

// --- State

typedef struct state_head {
    double remainder; // seconds
    double target;    // that the activation was following at the last frame
    double activation;
    double fresh; // 1: nothing has gone on from here yet
    double still; // 1: no time has passed yet, so that no velocity is known
    double scale; // of widths
} state_head;

// Spans of the state.
typedef struct remembered {
    state_head *head;
    sni_fibre_carrier *carriers;     // place_count
    sn_vec3 *positions, *velocities; // fibres x particles
    sn_transform *carried;           // bones and parts of the skin
} remembered;

static size_t particles_of(const sni_fibre *f) {
    return (size_t)f->fibre_count * f->particle_count;
}

size_t sni_fibre_state_bytes(const sni_fibre *f) {
    return f->is_static ? 0
                        : sizeof(state_head) + f->place_count * sizeof(sni_fibre_carrier) +
                              2 * particles_of(f) * sizeof(sn_vec3) +
                              sni_fibre_carried_count(f) * sizeof(sn_transform);
}

// All parts are made of doubles, so that they follow each other without gaps.
static remembered read_state(const sni_fibre *f, void *state) {
    remembered r = {.head = state};
    r.carriers = (sni_fibre_carrier *)(r.head + 1);
    r.positions = (sn_vec3 *)(r.carriers + f->place_count);
    r.velocities = r.positions + particles_of(f);
    r.carried = (sn_transform *)(r.velocities + particles_of(f));
    return r;
}

static bool remembers(const sni_fibre *f, const sni_muscle_pose_job *job) {
    return !f->is_static && job->state != NULL;
}

static void begin_anew(const sni_fibre *f, const sni_fibre_frame *frame, remembered *r) {
    memcpy(r->carriers, frame->motion.to, f->place_count * sizeof *r->carriers);
    memcpy(r->positions, frame->still, particles_of(f) * sizeof *r->positions);
    for (size_t i = 0; i < particles_of(f); ++i) {
        r->velocities[i] = sn_vec3_make(0, 0, 0);
    }
    memcpy(r->carried, frame->carried_to, sni_fibre_carried_count(f) * sizeof *r->carried);
    r->head->remainder = 0;
    r->head->fresh = 1;
    r->head->still = 1;
    r->head->scale = 1;
}

// --- A frame

// Room for all that a frame needs; the carriers of the pose go to `to`.
static sn_status reserve(const sni_fibre *f, sni_arena *arena, sni_fibre_frame *frame,
                         sni_fibre_carrier **to, double **compliances, sn_error *error) {
    size_t particles = particles_of(f);
    sni_fibre_motion *m = &frame->motion;
    *to = sni_arena_alloc(arena, f->place_count, sizeof **to);
    *compliances = sni_arena_alloc(arena, particles, sizeof **compliances);
    m->before = sni_arena_alloc(arena, particles, sizeof *m->before);
    m->knots =
        sni_arena_alloc(arena, (size_t)f->fibre_count * (f->run_count + 1), sizeof *m->knots);
    m->places = sni_arena_alloc(arena, f->place_count, sizeof *m->places);
    m->turns = sni_arena_alloc(arena, f->place_count, sizeof *m->turns);
    m->scratch =
        sni_arena_alloc(arena, SNI_CHAIN_SCRATCH * (size_t)f->particle_count, sizeof *m->scratch);
    frame->still = sni_arena_alloc(arena, particles, sizeof *frame->still);
    frame->particles = sni_arena_alloc(arena, particles, sizeof *frame->particles);
    frame->scaled = sni_arena_alloc(arena, particles, sizeof *frame->scaled);
    frame->cuts =
        sni_arena_alloc(arena, (size_t)f->rings.slice_count * f->fibre_count, sizeof *frame->cuts);
    frame->heights = sni_arena_alloc(arena, f->rings.slice_count, sizeof *frame->heights);
    bool there = *to != NULL && *compliances != NULL && m->before != NULL && m->knots != NULL &&
                 m->places != NULL && m->turns != NULL && m->scratch != NULL &&
                 frame->still != NULL && frame->particles != NULL && frame->scaled != NULL &&
                 frame->cuts != NULL && frame->heights != NULL;
    return there ? SN_OK : sni_fail_memory(error);
}

// The muscle at rest in the pose: places, particles, length.
static sn_status rest_in_pose(const sni_fibre *f, const sni_muscle_pose_job *job,
                              sni_fibre_frame *frame, sn_error *error) {
    sni_fibre_motion *m = &frame->motion;
    sn_vec3 *curve = sni_arena_alloc(
        job->arena, f->particle_count + (size_t)f->run_count * SNI_FIBRE_CURVE_STEPS + 1,
        sizeof *curve);
    if (curve == NULL) {
        return sni_fail_memory(error);
    }
    for (uint32_t i = 0; i < f->place_count; ++i) {
        m->places[i] = sn_mat4_point(&job->worlds[f->places[i].segment], f->places[i].point);
    }
    sni_fibre_find_knots(f, m->places, m->knots);
    sni_fibre_wide(f, job->worlds, m->places, frame->wide);
    sni_fibre_equilibrium(f, m->knots, curve, frame->still);
    frame->length = sni_fibre_mean_axis(f, frame->still, curve);
    memcpy(frame->particles, frame->still, particles_of(f) * sizeof *frame->particles);
    return SN_OK;
}

// Compliance of a spring of flesh. Springs in series are softer the more they are, and lighter
// particles swing farther, so that a fibre of many particles would be far softer than one of few:
// all fibres have the whole compliance and mass of one with REFERENCE particles, whose springs have
// the compliance of eq. 4.3.
static double flesh_compliance(const sni_fibre *f, double stiffness) {
    enum { REFERENCE = 12 };
    if (f->mean_mass <= 0) { // no free particles
        return 0;
    }
    double springs = (double)(REFERENCE - 1) / (f->particle_count - 1);
    double masses = (double)(REFERENCE - 2) / (f->particle_count - 2);
    return springs * masses * sni_chain_compliance(stiffness, f->mean_mass);
}

static void prepare_motion(const sni_fibre *f, const sni_fibre_carrier *to, double *compliances,
                           sni_fibre_frame *frame) {
    sni_fibre_motion *m = &frame->motion;
    uint32_t links = f->particle_count - 1;
    double flesh = flesh_compliance(f, frame->values.stiffness);
    for (uint32_t i = 0; i < f->fibre_count; ++i) {
        for (uint32_t k = 0; k < links; ++k) {
            compliances[(size_t)i * links + k] = f->tendons[k] ? 0 : flesh;
        }
    }
    m->fibre_count = f->fibre_count;
    m->particle_count = f->particle_count;
    m->run_count = f->run_count;
    m->knot_particles = f->knot_particles;
    m->inverse_masses = f->inverse_masses;
    m->parts = f->parts;
    m->rest_lengths = f->link_lengths;
    m->compliances = compliances;
    m->damping = frame->values.damping;
    m->inertia = frame->values.inertia;
    m->place_count = f->place_count;
    m->from = m->to = to;
    sni_fibre_motion_turn(m);
    m->find_knots = sni_fibre_find_knots;
    m->user = f;
}

static double turned_by(sn_quat from, sn_quat to) {
    return 2 * acos(fmin(1, fabs(sn_quat_dot(from, to))));
}

// Whether its segments, or those of what it touches, have jumped since the frame before, or turned
// faster than a chain can follow: flesh that is soft enough to swing in a walk would be thrown to
// the other side of its bone, and stay there. Clips that begin with a T-pose jump in their second
// frame; arms that are flung up turn by some 1,200 degrees a second. The muscle then lies as it
// would have come there from rest.
static bool has_jumped(const sni_fibre *f, const remembered *before, const sni_fibre_carrier *to,
                       const sn_transform *carried, double time_step) {
    static const double fastest = 1000 * SN_PI / 180;
    // From the frame in which memory began: then it is more likely that a T-pose is left.
    static const double first_fastest = 600 * SN_PI / 180;
    double limit = before->head->still != 0 ? first_fastest : fastest;
    double most = 0;
    for (uint32_t i = 0; i < f->place_count; ++i) {
        most = fmax(most, turned_by(before->carriers[i].rotation, to[i].rotation));
    }
    for (uint32_t i = 0; i < sni_fibre_carried_count(f); ++i) {
        most = fmax(most, turned_by(before->carried[i].rotation, carried[i].rotation));
    }
    return time_step > 0 && most > limit * time_step;
}

sn_status sni_fibre_frame_begin(const sni_fibre *f, const sni_muscle_pose_job *job,
                                sni_fibre_frame *frame, sn_error *error) {
    sni_fibre_carrier *to = NULL;
    double *compliances = NULL;
    sn_status status = SN_OK;
    *frame = (sni_fibre_frame){.scale = 1, .kept = true};
    SN_TRY(sni_carried_check_pose(f->name, f->segment_count, job, error));
    SN_TRY(sni_fibre_values_of(f, job->parameters, &frame->values, error));
    SN_TRY(reserve(f, job->arena, frame, &to, &compliances, error));
    sn_transform *carried =
        sni_arena_alloc(job->arena, sni_fibre_carried_count(f), sizeof *carried);
    SN_TRY(carried != NULL ? SN_OK : sni_fail_memory(error));
    sni_fibre_carried_transforms(f, job->worlds, carried);
    frame->carried_from = frame->carried_to = carried;
    sni_fibre_carriers(f, job->worlds, to);
    SN_TRY(rest_in_pose(f, job, frame, error));
    prepare_motion(f, to, compliances, frame);
    double target = sni_fibre_target(f, &frame->values, job, frame->length);
    frame->activation = frame->activation_before = target;
    frame->most = sni_fibre_profile_most(&f->profile, target);
    frame->fresh = !remembers(f, job);
    if (!remembers(f, job)) {
        return SN_OK;
    }
    remembered r = read_state(f, job->state);
    bool anew =
        job->time_step > SNI_FIBRE_LONGEST_STEP || has_jumped(f, &r, to, carried, job->time_step);
    if (anew) {
        begin_anew(f, frame, &r);
    }
    frame->motion.from = r.carriers;
    sni_fibre_motion_turn(&frame->motion);
    frame->motion.positions = r.positions;
    frame->motion.velocities = r.velocities;
    frame->carried_from = r.carried;
    frame->fresh = r.head->fresh != 0;
    frame->scale = r.head->scale;
    frame->activation_before = r.head->activation;
    sni_fibre_motion_begin(&frame->motion, anew ? 0 : job->time_step, r.head->remainder);
    if (r.head->still != 0 && frame->motion.time_step > 0) {
        sni_fibre_motion_start(&frame->motion);
        r.head->still = 0;
    }
    frame->activation = sni_fibre_smooth(r.head->activation, r.head->target, target, job->time_step,
                                         frame->values.smoothing);
    r.head->target = target;
    r.head->activation = frame->activation;
    frame->most = sni_fibre_profile_most(&f->profile, frame->activation);
cleanup:
    return status;
}

sn_status sni_fibre_state_reset(const sni_fibre *f, const sni_muscle_pose_job *job,
                                sn_error *error) {
    sni_fibre_frame frame;
    sni_muscle_pose_job still = *job;
    sni_arena_mark mark = sni_arena_mark_now(job->arena);
    memset(job->state, 0, sni_fibre_state_bytes(f));
    still.state = NULL;
    sn_status status = sni_fibre_frame_begin(f, &still, &frame, error);
    if (status == SN_OK && remembers(f, job)) {
        remembered r = read_state(f, job->state);
        begin_anew(f, &frame, &r);
        r.head->target = r.head->activation = frame.activation;
    }
    sni_arena_release(job->arena, mark);
    return status;
}

// Particles that went beyond all numbers begin again at rest.
void sni_fibre_frame_keep(const sni_fibre *f, const sni_muscle_pose_job *job,
                          sni_fibre_frame *frame) {
    if (!remembers(f, job)) {
        return;
    }
    remembered r = read_state(f, job->state);
    if (sni_fibre_motion_end(&frame->motion, frame->particles)) {
        memcpy(r.carriers, frame->motion.to, f->place_count * sizeof *r.carriers);
        memcpy(r.carried, frame->carried_to, sni_fibre_carried_count(f) * sizeof *r.carried);
        r.head->remainder = frame->motion.remainder;
        r.head->fresh = 0;
    } else {
        begin_anew(f, frame, &r);
        memcpy(frame->particles, frame->still, particles_of(f) * sizeof *frame->particles);
    }
}

static bool all_finite(const sni_fibre *f, const double *points) {
    size_t count = 3 * (size_t)sni_fibre_point_count(f);
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(points[i])) {
            return false;
        }
    }
    return true;
}

static sni_fibre_posed posed_now(const sni_fibre_frame *frame) {
    sni_fibre_posed posed = {.particles = frame->particles,
                             .activation = frame->activation,
                             .scale = frame->scale,
                             .most = frame->most,
                             .cuts = frame->cuts,
                             .heights = frame->heights};
    memcpy(posed.wide, frame->wide, sizeof posed.wide);
    return posed;
}

static double find_scale(const sni_fibre *f, const sni_muscle_pose_job *job,
                         sni_fibre_frame *frame) {
    static const double slack = 0.02;
    sni_fibre_posed posed = posed_now(frame);
    double volume = sni_fibre_kept_volume(f, &frame->values);
    if (!f->keeps_volume) {
        // Widths by the length alone are good to a hundredth where the axis is smooth; what kinks
        // or crowded rings have taken or added beyond `slack` is made up for.
        posed.scale = 1;
        sni_fibre_write(f, &frame->values, &posed, job->contracted);
        double now = sni_fibre_volume(f, job->contracted);
        if (fabs(now / volume - 1) <= slack) {
            return 1;
        }
        volume *= now > volume ? 1 + slack : 1 - slack;
    }
    frame->kept = sni_fibre_write_exact(f, &frame->values, &posed, volume, job->contracted);
    return posed.scale;
}

// The scale depends on where particles are, and on nothing else that changes in a frame: where they
// have not moved since it was found, it is what it was, as are the control points.
void sni_fibre_frame_scale(const sni_fibre *f, const sni_muscle_pose_job *job,
                           sni_fibre_frame *frame) {
    size_t bytes = particles_of(f) * sizeof *frame->particles;
    if (!(frame->scaled_scale > 0) || memcmp(frame->scaled, frame->particles, bytes) != 0) {
        memcpy(frame->scaled, frame->particles, bytes);
        frame->scaled_scale = find_scale(f, job, frame);
    }
    frame->scale = frame->scaled_scale;
}

sn_status sni_fibre_frame_end(const sni_fibre *f, const sni_muscle_pose_job *job,
                              sni_fibre_frame *frame, sn_error *error) {
    sni_fibre_posed posed = {.particles = frame->still,
                             .scale = 1,
                             .relaxed = true,
                             .cuts = frame->cuts,
                             .heights = frame->heights};
    memcpy(posed.wide, frame->wide, sizeof posed.wide);
    sni_fibre_write(f, &frame->values, &posed, job->relaxed);
    sni_fibre_frame_scale(f, job, frame);
    if (remembers(f, job)) {
        read_state(f, job->state).head->scale = frame->scale;
    }
    if (!all_finite(f, job->contracted) || !all_finite(f, job->relaxed)) {
        return sni_fail(error, SN_INVALID, "%s: its points are not finite in this pose", f->name);
    }
    return SN_OK;
}
