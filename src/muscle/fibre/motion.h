// SPDX-License-Identifier: Apache-2.0
//
// The motion of the axes of one fibre muscle within a frame: chains of particles (solver/chain.h),
// cut into runs by the particles that bones carry, the *knots*: both ends and what the muscle
// passes through. It goes on in substeps of one length whatever the frame rate; what is left of
// the time of a frame is carried to the next one.
//
//     sni_fibre_motion_begin(&motion, time_step, remainder)
//     for (uint32_t i = 0; i < motion.substep_count; ++i) {
//         sni_fibre_motion_advance(&motion, i)   knots go on, distances are solved
//         contact, as the caller likes: moves free particles
//         sni_fibre_motion_settle(&motion)       velocities from what has become of them
//     }
//     sni_fibre_motion_end(&motion, shown)       particles at the end of the frame
//
// Muscles of one frame have the same substeps where they began at the same time, so that a caller
// can go through them in step.
#ifndef SINEW_MUSCLE_FIBRE_MOTION_H
#define SINEW_MUSCLE_FIBRE_MOTION_H

#include "base/slerp.h"
#include "solver/chain.h"

// Seconds. Motion depends on the length of substeps, rest does not; at this one a swing of ordinary
// muscles has converged to some hundredths.
#define SNI_FIBRE_SUBSTEP (1.0 / 600)

// A step longer than this is no motion, but a jump: seconds.
#define SNI_FIBRE_LONGEST_STEP 10.0

// How a segment carries a place: a rigid motion, and where it is in its frame, stretched by the
// segment's scale. Between two of them translations and places go straight and rotations turn
// evenly.
typedef struct sni_fibre_carrier {
    sn_vec3 translation;
    sn_quat rotation;
    sn_vec3 local;
} sni_fibre_carrier;

sni_fibre_carrier sni_fibre_carrier_of(const sn_mat4 *world, sn_vec3 point);
// `turn` is that between their rotations.
sn_vec3 sni_fibre_carrier_between(const sni_fibre_carrier *from, const sni_fibre_carrier *to,
                                  const sni_slerp *turn, double t);

// How the knots of all fibres follow from the carried places: `knots` has (run_count + 1) for each
// fibre.
typedef void (*sni_fibre_knots_fn)(const void *user, const sn_vec3 *places, sn_vec3 *knots);

// Spans of one muscle; their owner keeps them. Arrays of all fibres hold one after the other.
typedef struct sni_fibre_motion {
    uint32_t fibre_count, particle_count; // particles of one fibre, with its ends
    uint32_t run_count;
    const uint32_t *knot_particles; // run_count + 1, rising: the first and last are the ends
    const double *inverse_masses;   // 1/kg, 0 at knots
    const double *parts; // of particles within their runs, run by run, the same for all fibres:
                         // particle_count + run_count - 1, as knots between runs have two
    const double *rest_lengths; // particle_count - 1 for each fibre, metres
    const double *compliances;  // the same, m/N
    double damping, inertia;    // of the chains
    uint32_t place_count;
    const sni_fibre_carrier *from, *to; // at the beginning and the end of the frame
    sni_slerp *turns;                   // place_count, between these (sni_fibre_motion_turn)
    sni_fibre_knots_fn find_knots;
    const void *user;
    sn_vec3 *positions, *velocities; // at the last substep: read and written
    sn_vec3 *before;                 // scratch, as many: where the substep measures velocities from
    sn_vec3 *knots;                  // scratch, fibre_count x (run_count + 1)
    sn_vec3 *places;                 // scratch, place_count
    double *scratch;                 // SNI_CHAIN_SCRATCH x particle_count
    // From `begin`.
    uint32_t substep_count;
    double time_step;
    double lag;       // of the positions behind the beginning of the frame, seconds
    double remainder; // the same at the end of the frame
} sni_fibre_motion;

// The parts of the particles of a run.
static inline const double *sni_fibre_parts_of_run(const sni_fibre_motion *motion, uint32_t run) {
    return motion->parts + motion->knot_particles[run] + run;
}

// Fills in `turns`: wherever `from` and `to` are set.
void sni_fibre_motion_turn(sni_fibre_motion *motion);

// `time_step` at least 0, `remainder` of the frame before.
void sni_fibre_motion_begin(sni_fibre_motion *motion, double time_step, double remainder);
// Before the first substep of all: particles get the velocities that they would have if their knots
// had always moved as they begin to. A clip that begins in full run so begins without a jerk.
void sni_fibre_motion_start(sni_fibre_motion *motion);
void sni_fibre_motion_advance(sni_fibre_motion *motion, uint32_t substep);
void sni_fibre_motion_settle(sni_fibre_motion *motion);

// Puts the knots to a part of the frame, and particles closer to rest there, whatever their masses
// and velocities.
void sni_fibre_motion_place(sni_fibre_motion *motion, double part);

// Particles at the end of the frame into `shown`: those of the last substep, carried along by what
// the knots have still moved since. False where some are not finite.
bool sni_fibre_motion_end(sni_fibre_motion *motion, sn_vec3 *shown);

#endif
