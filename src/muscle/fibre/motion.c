// SPDX-License-Identifier: Apache-2.0
#include "muscle/fibre/motion.h"

#include <math.h>

sni_fibre_carrier sni_fibre_carrier_of(const sn_mat4 *world, sn_vec3 point) {
    sn_transform parts;
    sn_mat4_decompose(world, &parts);
    sn_vec3 from = sn_vec3_sub(sn_mat4_point(world, point), parts.translation);
    return (sni_fibre_carrier){.translation = parts.translation,
                               .rotation = parts.rotation,
                               .local = sn_quat_rotate(sn_quat_conjugate(parts.rotation), from)};
}

sn_vec3 sni_fibre_carrier_between(const sni_fibre_carrier *from, const sni_fibre_carrier *to,
                                  double t) {
    sn_quat rotation = sn_quat_slerp(from->rotation, to->rotation, t);
    sn_vec3 local = sn_vec3_lerp(from->local, to->local, t);
    return sn_vec3_add(sn_vec3_lerp(from->translation, to->translation, t),
                       sn_quat_rotate(rotation, local));
}

void sni_fibre_motion_begin(sni_fibre_motion *motion, double time_step, double remainder) {
    static const double slack = 1e-6; // of a substep: rounding does not put one off
    double steps = floor((time_step + remainder) / SNI_FIBRE_SUBSTEP + slack);
    motion->time_step = time_step;
    motion->lag = remainder;
    motion->substep_count = (uint32_t)steps;
    motion->remainder = fmax(0, time_step + remainder - steps * SNI_FIBRE_SUBSTEP);
}

// Knots at a part of the frame.
static void find_knots(sni_fibre_motion *motion, double t) {
    for (uint32_t i = 0; i < motion->place_count; ++i) {
        motion->places[i] = sni_fibre_carrier_between(&motion->from[i], &motion->to[i], t);
    }
    motion->find_knots(motion->user, motion->places, motion->knots);
}

static sni_chain chain_of(const sni_fibre_motion *motion, uint32_t fibre, uint32_t run) {
    uint32_t first = motion->knot_particles[run], last = motion->knot_particles[run + 1];
    size_t link = (size_t)fibre * (motion->particle_count - 1) + first;
    return (sni_chain){.particle_count = last - first + 1,
                       .inverse_masses =
                           motion->inverse_masses + (size_t)fibre * motion->particle_count + first,
                       .parts = sni_fibre_parts_of_run(motion, run),
                       .rest_lengths = motion->rest_lengths + link,
                       .compliances = motion->compliances + link,
                       .step = SNI_FIBRE_SUBSTEP,
                       .damping = motion->damping,
                       .inertia = motion->inertia};
}

// A knot between two runs is moved by the first of them; the second finds it where it was.
static void advance_fibre(sni_fibre_motion *motion, uint32_t fibre, double step, double inertia) {
    size_t offset = (size_t)fibre * motion->particle_count;
    const sn_vec3 *knots = motion->knots + (size_t)fibre * (motion->run_count + 1);
    sn_vec3 knot = motion->positions[offset];
    for (uint32_t run = 0; run < motion->run_count; ++run) {
        size_t first = offset + motion->knot_particles[run];
        sn_vec3 next = motion->positions[offset + motion->knot_particles[run + 1]];
        sni_chain chain = chain_of(motion, fibre, run);
        sni_chain_ends ends = {knots[run], knots[run + 1]};
        chain.step = step;
        chain.inertia = inertia;
        motion->positions[first] = knot;
        sni_chain_predict(&chain, &ends, motion->positions + first, motion->velocities + first,
                          motion->before + first);
        sni_chain_solve(&chain, motion->positions + first, motion->scratch);
        knot = next;
    }
}

void sni_fibre_motion_advance(sni_fibre_motion *motion, uint32_t substep) {
    double time = (substep + 1) * SNI_FIBRE_SUBSTEP - motion->lag;
    find_knots(motion, fmin(1, time / motion->time_step));
    for (uint32_t i = 0; i < motion->fibre_count; ++i) {
        advance_fibre(motion, i, SNI_FIBRE_SUBSTEP, motion->inertia);
    }
}

void sni_fibre_motion_place(sni_fibre_motion *motion, double part) {
    static const double settling = 0.1; // seconds: flesh goes most of its way to rest
    find_knots(motion, part);
    for (uint32_t i = 0; i < motion->fibre_count; ++i) {
        for (size_t k = 0; k < motion->particle_count; ++k) {
            motion->velocities[i * (size_t)motion->particle_count + k] = sn_vec3_make(0, 0, 0);
        }
        advance_fibre(motion, i, settling, 0);
    }
}

void sni_fibre_motion_settle(sni_fibre_motion *motion) {
    for (uint32_t i = 0; i < motion->fibre_count; ++i) {
        for (uint32_t run = 0; run < motion->run_count; ++run) {
            size_t first = (size_t)i * motion->particle_count + motion->knot_particles[run];
            sni_chain chain = chain_of(motion, i, run);
            sni_chain_finish(&chain, motion->positions + first, motion->before + first,
                             motion->velocities + first);
        }
    }
}

static bool show_fibre(const sni_fibre_motion *motion, uint32_t fibre, sn_vec3 *shown) {
    size_t offset = (size_t)fibre * motion->particle_count;
    const sn_vec3 *knots = motion->knots + (size_t)fibre * (motion->run_count + 1);
    const sn_vec3 *positions = motion->positions + offset;
    bool finite = true;
    for (uint32_t run = 0; run < motion->run_count; ++run) {
        uint32_t first = motion->knot_particles[run], last = motion->knot_particles[run + 1];
        const double *parts = sni_fibre_parts_of_run(motion, run);
        sn_vec3 first_move = sn_vec3_sub(knots[run], positions[first]);
        sn_vec3 last_move = sn_vec3_sub(knots[run + 1], positions[last]);
        for (uint32_t i = first; i <= last; ++i) {
            sn_vec3 move = sn_vec3_lerp(first_move, last_move, parts[i - first]);
            shown[offset + i] = sn_vec3_add(positions[i], move);
            finite = finite && sn_vec3_is_finite(shown[offset + i]);
        }
        shown[offset + first] = knots[run];
        shown[offset + last] = knots[run + 1];
    }
    return finite;
}

bool sni_fibre_motion_end(sni_fibre_motion *motion, sn_vec3 *shown) {
    bool finite = true;
    find_knots(motion, 1);
    for (uint32_t i = 0; i < motion->fibre_count; ++i) {
        finite = show_fibre(motion, i, shown) && finite;
    }
    return finite;
}
