// SPDX-License-Identifier: Apache-2.0
//
// Particles held together by constraints: extended position based dynamics in small steps (Macklin,
// Müller, Chentanez, "XPBD: Position-Based Simulation of Compliant Constrained Dynamics", 2016;
// Macklin et al., "Small Steps in Physics Simulation", 2019).
//
// Time goes in steps of one fixed length, with one pass over the constraints in each, so that the
// motion does not depend on how many steps make a frame. Positions and velocities are in double: a
// step of 1/600 s moves a resting particle by 3e-5 m, of which a float a metre from the origin
// would keep two digits.
//
//     sni_xpbd_create(context, &desc, &solver, error);      once: constraints are coloured
//     sni_xpbd_scratch_init(solver, &arena, &scratch);      once per frame
//     sni_xpbd_step(solver, &scratch, positions, velocities, obstacle);  as often as time asks for
#ifndef SINEW_SOLVER_XPBD_H
#define SINEW_SOLVER_XPBD_H

#include "base/arena.h"
#include "solver/apart.h"
#include "solver/obstacle.h"

enum { SNI_CONSTRAINT_MOST = 4 };

// The length of a weighted sum of particles:
//
//     C(x) = | sum_k factors[k] x[particles[k]] | - rest
//
// Factors 1, -1 make a distance; the four of a hinge measure how it is bent (sheet.h). As long as
// the factors sum to 0, momentum is kept.
typedef struct sni_constraint {
    uint32_t count; // particles, 2 to SNI_CONSTRAINT_MOST, all different
    uint32_t particles[SNI_CONSTRAINT_MOST];
    double factors[SNI_CONSTRAINT_MOST];
    double rest;       // metres, not negative
    double compliance; // m/N: inverse stiffness, 0 for a rigid one
} sni_constraint;

// A place that touches obstacles: a particle, or a mean of several, such as the middle of a face.
typedef struct sni_contact_sample {
    uint32_t count; // 1 to SNI_CONSTRAINT_MOST
    uint32_t particles[SNI_CONSTRAINT_MOST];
    double weights[SNI_CONSTRAINT_MOST]; // sum 1
} sni_contact_sample;

typedef struct sni_xpbd_desc {
    uint32_t particle_count;
    const double *inverse_masses; // 1/kg; 0 for a particle that stays where the caller puts it
    uint32_t constraint_count;
    const sni_constraint *constraints;
    uint32_t sample_count;
    const sni_contact_sample *samples; // in the order in which contacts are solved
    double step;                       // seconds
    sn_vec3 gravity;                   // m/s^2
    double damping;                    // 1/s: velocities fall as exp(-damping t)
    double thickness;                  // metres that samples keep from obstacles
    double friction;                   // Coulomb's coefficient
    double apart;                      // metres that particles keep from each other; 0: they do not
    const double *rest_positions;      // #P x 3: those nearer than that here are left alone; may be
                                       // NULL where `apart` is 0
} sni_xpbd_desc;

typedef struct sni_xpbd sni_xpbd;

// Copies what is described. Fails with SN_INVALID and the number of the element for a constraint
// or sample of particles that are not there, or a number that is not finite or has the wrong sign.
sn_status sni_xpbd_create(sn_context *context, const sni_xpbd_desc *desc, sni_xpbd **solver,
                          sn_error *error);
void sni_xpbd_destroy(sni_xpbd *solver);
size_t sni_xpbd_bytes(const sni_xpbd *solver);

// Memory of a step. Comes from an arena and is released with it.
typedef struct sni_xpbd_scratch {
    double *before;        // #P x 3: positions at the beginning of the step
    sni_contact *contacts; // one per sample
    sni_apart_grid grid;   // where particles keep apart
} sni_xpbd_scratch;

// False when memory runs out.
bool sni_xpbd_scratch_init(const sni_xpbd *solver, sni_arena *arena, sni_xpbd_scratch *scratch);

// One step of all particles (positions and velocities #P x 3). `obstacle` as it is at the end of
// the step; NULL: there is none. Particles without inverse mass must have been put where they are
// at the end of the step, and stay there. The result has the same bits for any number of threads.
void sni_xpbd_step(const sni_xpbd *solver, const sni_xpbd_scratch *scratch, double *positions,
                   double *velocities, const sni_obstacle *obstacle);

#endif
