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
                                  const sni_slerp *turn, double t) {
    sn_quat rotation = sni_slerp_at(turn, t);
    sn_vec3 local = sn_vec3_lerp(from->local, to->local, t);
    return sn_vec3_add(sn_vec3_lerp(from->translation, to->translation, t),
                       sn_quat_rotate(rotation, local));
}

void sni_fibre_motion_turn(sni_fibre_motion *motion) {
    for (uint32_t i = 0; i < motion->place_count; ++i) {
        motion->turns[i] = sni_slerp_between(motion->from[i].rotation, motion->to[i].rotation);
    }
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
        motion->places[i] =
            sni_fibre_carrier_between(&motion->from[i], &motion->to[i], &motion->turns[i], t);
    }
    motion->find_knots(motion->user, motion->places, motion->knots);
}

// The damping of a chain leads velocities to the part `inertia` of those of its ends.
void sni_fibre_motion_start(sni_fibre_motion *motion) {
    if (!(motion->time_step > 0)) {
        return;
    }
    find_knots(motion, fmin(1, SNI_FIBRE_SUBSTEP / motion->time_step));
    double rate = motion->inertia / fmin(SNI_FIBRE_SUBSTEP, motion->time_step);
    for (uint32_t fibre = 0; fibre < motion->fibre_count; ++fibre) {
        size_t offset = (size_t)fibre * motion->particle_count;
        const sn_vec3 *knots = motion->knots + (size_t)fibre * (motion->run_count + 1);
        for (uint32_t run = 0; run < motion->run_count; ++run) {
            uint32_t first = motion->knot_particles[run], last = motion->knot_particles[run + 1];
            const double *parts = sni_fibre_parts_of_run(motion, run);
            sn_vec3 from = sn_vec3_sub(knots[run], motion->positions[offset + first]);
            sn_vec3 to = sn_vec3_sub(knots[run + 1], motion->positions[offset + last]);
            for (uint32_t i = first + 1; i < last; ++i) {
                motion->velocities[offset + i] =
                    sn_vec3_scale(sn_vec3_lerp(from, to, parts[i - first]), rate);
            }
        }
    }
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
static void advance_fibre(sni_fibre_motion *motion, uint32_t fibre) {
    size_t offset = (size_t)fibre * motion->particle_count;
    const sn_vec3 *knots = motion->knots + (size_t)fibre * (motion->run_count + 1);
    sn_vec3 knot = motion->positions[offset];
    for (uint32_t run = 0; run < motion->run_count; ++run) {
        size_t first = offset + motion->knot_particles[run];
        sn_vec3 next = motion->positions[offset + motion->knot_particles[run + 1]];
        sni_chain chain = chain_of(motion, fibre, run);
        sni_chain_ends ends = {knots[run], knots[run + 1]};
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
        advance_fibre(motion, i);
    }
}

// Where a particle is at rest between its neighbours, whose links are under one tension: between
// flesh in the middle, as springs of flesh want to be next to nothing long; at the end of a tendon
// in line with what pulls at it.
static sn_vec3 rest_between(const sn_vec3 *positions, const double *lengths,
                            const double *compliances, uint32_t i) {
    sn_vec3 before = positions[i - 1], after = positions[i + 1];
    sn_vec3 way = sn_vec3_sub(after, before);
    bool tendon_before = compliances[i - 1] == 0, tendon_after = compliances[i] == 0;
    double length = sn_vec3_length(way);
    if (tendon_before == tendon_after || !(length > 0)) {
        double sum = lengths[i - 1] + lengths[i];
        return sn_vec3_lerp(before, after, tendon_before && sum > 0 ? lengths[i - 1] / sum : 0.5);
    }
    return tendon_before ? sn_vec3_add_scaled(before, lengths[i - 1] / length, way)
                         : sn_vec3_add_scaled(after, -lengths[i] / length, way);
}

// Particles are carried along by the knots of their run, and then go to rest between their
// neighbours, one after the other, some times.
static void place_fibre(sni_fibre_motion *motion, uint32_t fibre) {
    enum { SWEEPS = 12 };
    sn_vec3 *positions = motion->positions + (size_t)fibre * motion->particle_count;
    const sn_vec3 *knots = motion->knots + (size_t)fibre * (motion->run_count + 1);
    sn_vec3 move = sn_vec3_sub(knots[0], positions[0]);
    positions[0] = knots[0];
    for (uint32_t run = 0; run < motion->run_count; ++run) {
        uint32_t first = motion->knot_particles[run], last = motion->knot_particles[run + 1];
        const double *parts = sni_fibre_parts_of_run(motion, run);
        sn_vec3 next = sn_vec3_sub(knots[run + 1], positions[last]);
        for (uint32_t i = first + 1; i < last; ++i) {
            positions[i] = sn_vec3_add(positions[i], sn_vec3_lerp(move, next, parts[i - first]));
        }
        positions[last] = knots[run + 1];
        move = next;
        sni_chain chain = chain_of(motion, fibre, run);
        for (int sweep = 0; sweep < SWEEPS; ++sweep) {
            for (uint32_t i = 1; i + 1 < chain.particle_count; ++i) {
                positions[first + i] =
                    rest_between(positions + first, chain.rest_lengths, chain.compliances, i);
            }
        }
    }
}

void sni_fibre_motion_place(sni_fibre_motion *motion, double part) {
    find_knots(motion, part);
    for (uint32_t i = 0; i < motion->fibre_count; ++i) {
        place_fibre(motion, i);
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
