// SPDX-License-Identifier: Apache-2.0
//
// A chain of particles between two ends that something else moves: the axis of a muscle. Extended
// position based dynamics (Macklin, Müller, Chentanez 2016) in small steps of a fixed length. The
// distances of a chain are solved together, as one tridiagonal system, so that stiff tendons beside
// soft flesh stay stiff and the result does not depend on the number of steps.
//
//     sni_chain_predict(&chain, ...)   ends go on, free particles follow their velocities
//     sni_chain_solve(&chain, ...)     distances
//     contact, as the caller likes
//     sni_chain_finish(&chain, ...)    velocities from what has become of the prediction
#ifndef SINEW_SOLVER_CHAIN_H
#define SINEW_SOLVER_CHAIN_H

#include "sinew/vector.h"

#include <stdint.h>

// Spans of a chain; its owner keeps them.
typedef struct sni_chain {
    uint32_t particle_count;      // with both ends, 2 or more
    const double *inverse_masses; // 1/kg, 0 at both ends
    const double *parts;          // 0 at the first end to 1 at the last, along the chain at rest
    const double *rest_lengths;   // particle_count - 1, metres
    const double *compliances;    // particle_count - 1, m/N; 0 for a tendon
    double step;                  // seconds
    double damping;               // 1/s: velocities relative to the ends fall as exp(-damping t)
    double inertia; // 0 to 1: the part of the ends' motion that free particles are not carried by
    sn_vec3 gravity;
} sni_chain;

// The motion of both ends in a step.
typedef struct sni_chain_ends {
    sn_vec3 first, last; // at the end of the step
} sni_chain_ends;

// Begins a step: copies positions to `before`, moves the ends, and lets free particles go on. Each
// is carried along with (1 - inertia) of what the ends move by, interpolated by its part, and its
// velocity is damped towards `inertia` times theirs. `before` (particle_count) then holds what
// velocities are measured from.
void sni_chain_predict(const sni_chain *chain, const sni_chain_ends *ends, sn_vec3 *positions,
                       sn_vec3 *velocities, sn_vec3 *before);

// Corrects the distances of all neighbours: one step of Newton's method, and more of them where a
// tendon is off by more than a thousandth of its length afterwards, which only violent motion does.
// `scratch` has SNI_CHAIN_SCRATCH numbers for each particle.
void sni_chain_solve(const sni_chain *chain, sn_vec3 *positions, double *scratch);

enum { SNI_CHAIN_SCRATCH = 6 };

// Velocities of the step.
void sni_chain_finish(const sni_chain *chain, const sn_vec3 *positions, const sn_vec3 *before,
                      sn_vec3 *velocities);

// The largest |length - rest| / rest of links without compliance: how far tendons are off.
double sni_chain_tendon_miss(const sni_chain *chain, const sn_vec3 *positions);

// The compliance of links whose stiffness an artist has set from above 0 to 1, for particles of the
// mean mass: one correction in a step of 1/60 s then is what position based dynamics with that
// stiffness does to two such particles.
//
//     a = dt^2 (2 / mass) (1/k - 1)
double sni_chain_compliance(double stiffness, double mean_mass);

// Keeps 90 % of the velocity per 1/60 s, as published.
#define SNI_CHAIN_DAMPING 6.3216309394695767

// A contact moved a particle by `depth` along the unit `normal`: friction takes what it slides by
// against the surface, which itself moved by `surface_motion`. It stops where it slides by at most
// `still` times the depth, else it is slowed by `sliding` times the depth, and never turned back.
sn_vec3 sni_friction(sn_vec3 position, sn_vec3 before, sn_vec3 surface_motion, sn_vec3 normal,
                     double depth, double still, double sliding);

#endif
