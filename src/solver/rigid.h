// SPDX-License-Identifier: Apache-2.0
//
// Rigid bodies that muscles pull, joints and ligaments hold and surfaces stop (docs/bodies.md).
// Numbers only: places are in one frame that the caller chooses (metres, kilograms, seconds), in
// which bodies, and whatever else moves, have known places at rest.
//
//     rigid.c          making a system; free motion, which keeps its energy
//     rigid_tension.c  how hard muscles pull
//     rigid_hold.c     joints and ligaments
//     rigid_contact.c  surfaces that meet
//     rigid_forces.c   all forces, and how they change as bodies move
//     rigid_solve.c    steps of time, and where bodies come to rest
//
//     sni_rigid_create(context, &desc, &rigid, error);       once
//     sni_rigid_settle(rigid, &job, states, ...);            where they come to rest: no memory
//     sni_rigid_step(rigid, &job, step, states, ...);        as often as time asks for
//
// Forces are gradients of potentials as far as they do not depend on speed. Joints, ligaments and
// contacts are springs as stiff as what they stand for, so that no set of constraints contradicts
// itself. A step of time is implicit in all of them,
//
//     M (q - q~) / h^2 = F(q, (q - q0) / h)
//
// with q~ where a free body would be, which a splitting scheme finds that keeps its energy; a
// system without forces therefore moves as free bodies do.
#ifndef SINEW_SOLVER_RIGID_H
#define SINEW_SOLVER_RIGID_H

#include "base/arena.h"
#include "sinew/mesh.h"

// --- What a system is made of

typedef struct sni_rigid_body {
    double mass;       // kg, above 0
    sn_vec3 center;    // of mass, at rest
    double inertia[9]; // about it, row by row, symmetric, positive definite
} sni_rigid_body;

// Things that elements are on: bodies by their numbers, then carriers, which the caller moves; or
// SN_NONE for what stays where it is.

// A point of a body that slides below a path in a plane: the condyle of a jaw below the articular
// eminence. Along the unit vectors `forward` and `up` the path is
//
//     y(x) = -(t0 x + (t1 - t0) x^2 / (2 travel))     t0, t1 the slopes at its ends
//
// and goes on straight beyond x = travel.
typedef struct sni_rigid_joint {
    uint32_t body;
    uint32_t on;              // thing that has the path
    sn_vec3 point;            // at rest: of the body, and where the path begins
    sn_vec3 forward, up;      // unit, square to each other, at rest
    double slope, end_slope;  // tangents of the angles by which the path falls
    double travel, back;      // metres that it can slide forward and back
    double play;              // metres that it can move aside, either way
    double slack;             // metres that it can leave the path downwards
    double stiffness;         // N/m, against all of these but the last
    double capsule_stiffness; // N/m, against being pulled off the path
} sni_rigid_joint;

// A band that is slack up to a length.
typedef struct sni_rigid_ligament {
    uint32_t things[2];
    sn_vec3 points[2]; // at rest
    double length;     // metres from which on it is taut
    double stiffness;  // N/m
} sni_rigid_ligament;

// Points on the surface of one thing that do not enter the surface of another, and the other way
// round. What overlaps at rest is left as deep as it is.
typedef struct sni_rigid_contact {
    uint32_t things[2];
    const sn_mesh *meshes[2]; // at rest; kept as copies
    const uint8_t *tested[2]; // of vertices: not 0 for those that are tested, with points between
                              // three of them; NULL: all
    bool one_way;             // points of the second are not tested
    double stiffness;         // N/m, of each point
} sni_rigid_contact;

typedef enum sni_tension_law {
    SNI_TENSION_HILL = 0,
    SNI_TENSION_SPRING = 1,
} sni_tension_law;

// How hard a muscle pulls.
typedef struct sni_rigid_muscle {
    sni_tension_law law;
    double strength;   // N
    double optimum;    // length at which it is strongest, as a part of that at rest
    double tendon;     // part of its length at rest that neither shortens nor stretches
    double passive;    // tension where fibres are stretched by 0.6, as a part of the strength
    double tone;       // tension by which it resists being longer than at rest, as a part of the
                       // strength per part of the length
    double speed;      // fastest shortening, fibre lengths per second
    double viscosity;  // tension at that speed of lengthening, as a part of the strength
    double shortening; // of a spring: part of its length that it wants to lose when fully active
} sni_rigid_muscle;

// A line along which a muscle pulls.
typedef struct sni_rigid_line {
    uint32_t muscle;
    double share;       // of its strength
    double rest_length; // metres, above 0
} sni_rigid_line;

// Where a line pulls at a body in a pose, for a tension of 1 N: minus the gradient of its length by
// the place.
typedef struct sni_rigid_pull {
    uint32_t body;
    sn_vec3 at;
    sn_vec3 force;
    double bend; // 1/m: sum of the inverse lengths of the straight pieces that meet there
} sni_rigid_pull;

typedef struct sni_rigid_posed_line {
    double length;
    uint32_t pull_count;
    const sni_rigid_pull *pulls; // at bodies only
} sni_rigid_posed_line;

typedef struct sni_rigid_desc {
    uint32_t body_count, carrier_count;
    const sni_rigid_body *bodies;
    uint32_t joint_count;
    const sni_rigid_joint *joints;
    uint32_t ligament_count;
    const sni_rigid_ligament *ligaments;
    uint32_t contact_count;
    const sni_rigid_contact *contacts;
    uint32_t muscle_count;
    const sni_rigid_muscle *muscles;
    uint32_t line_count;
    const sni_rigid_line *lines;
} sni_rigid_desc;

typedef struct sni_rigid sni_rigid;

// Copies what is described. Fails with SN_INVALID and the number of the element for a number that
// is not finite or out of range, and for things, muscles and bodies that there are not.
sn_status sni_rigid_create(sn_context *context, const sni_rigid_desc *desc, sni_rigid **rigid,
                           sn_error *error);
void sni_rigid_destroy(sni_rigid *rigid); // NULL is allowed
size_t sni_rigid_bytes(const sni_rigid *rigid);

// --- Poses

// Where a thing is: p at rest is now turn (p - from) + to.
typedef struct sni_rigid_place {
    sn_quat turn;
    sn_vec3 from, to;
} sni_rigid_place;

static inline sn_vec3 sni_rigid_place_point(const sni_rigid_place *place, sn_vec3 rest) {
    return sn_vec3_add(sn_quat_rotate(place->turn, sn_vec3_sub(rest, place->from)), place->to);
}

// A body in motion. All of it is double, without padding, so that states can be saved as bytes.
typedef struct sni_rigid_state {
    sn_vec3 center; // of mass
    sn_quat turn;   // from how it lies at rest
    sn_vec3 velocity;
    sn_vec3 momentum; // angular, about the centre
} sni_rigid_state;

// At rest, without motion.
sni_rigid_state sni_rigid_at_rest(const sni_rigid *rigid, uint32_t body);
sni_rigid_place sni_rigid_place_of(const sni_rigid *rigid, uint32_t body,
                                   const sni_rigid_state *state);

// The kinetic energy of a body, J.
double sni_rigid_energy(const sni_rigid *rigid, uint32_t body, const sni_rigid_state *state);

// Finds the lines of all muscles for places of bodies: as many as were described, in that order.
// They stay as they are until the next call. False when they cannot be found, for which the caller
// knows the reason.
typedef bool sni_rigid_lines_fn(void *user, const sni_rigid_place *bodies,
                                sni_rigid_posed_line *lines);

// What acts on a body by itself.
typedef struct sni_rigid_load {
    sn_vec3 force;  // N, at the centre
    sn_vec3 torque; // N m
    double damping; // 1/s: velocities fall as exp(-damping t)
} sni_rigid_load;

// What solves know about surfaces that are nowhere near each other. It saves time from one step to
// the next, also where bodies have jumped meanwhile, and changes no result.
typedef struct sni_rigid_watch sni_rigid_watch;
sn_status sni_rigid_watch_create(const sni_rigid *rigid, sni_rigid_watch **watch, sn_error *error);
void sni_rigid_watch_destroy(sni_rigid_watch *watch); // NULL is allowed

typedef struct sni_rigid_job {
    sni_rigid_watch *watch;      // that no other solve uses meanwhile; NULL where nothing touches
    sni_arena *arena;            // scratch
    sn_vec3 gravity;             // m/s^2
    const sni_rigid_load *loads; // body_count; NULL: none
    // The motion that is rest for damping: that of the frame, where velocities are not relative to
    // it.
    sn_vec3 still_velocity, still_spin;
    const double *activations;       // muscle_count, 0 to 1
    const sni_rigid_place *carriers; // carrier_count, at the end of the step
    sni_rigid_lines_fn *lines;       // NULL where there are none
    void *user;
} sni_rigid_job;

// --- What happened

typedef struct sni_rigid_joint_result {
    double travel; // metres along `forward`, negative behind the beginning
    double aside;  // metres to the side, along forward x up
    double force;  // N, of all that holds it
} sni_rigid_joint_result;

typedef struct sni_rigid_contact_result {
    double depth;         // metres that the deepest point has entered, beyond rest; 0: none has
    double force;         // N, sum over points
    uint32_t point_count; // that touch
} sni_rigid_contact_result;

// Arrays of the caller, one for each element; any may be NULL.
typedef struct sni_rigid_results {
    sni_rigid_joint_result *joints;
    double *ligaments; // N
    sni_rigid_contact_result *contacts;
    double *muscles; // N: mean tension of its lines times its share, the whole muscle
} sni_rigid_results;

typedef enum sni_rigid_outcome {
    SNI_RIGID_DONE = 0,
    SNI_RIGID_OUT_OF_MEMORY = 1,
    SNI_RIGID_NO_LINES = 2, // they could not be found
    SNI_RIGID_NO_REST = 3,  // nothing holds a body where it could come to rest
} sni_rigid_outcome;

// One step of time of all bodies. `results` may be NULL. The result has the same bits for any
// number of threads.
sni_rigid_outcome sni_rigid_step(const sni_rigid *rigid, const sni_rigid_job *job, double step,
                                 sni_rigid_state *states, sni_rigid_results *results);

// Where the bodies come to rest, from where they lie at rest: a function of the job alone. They
// follow the forces as slowly as if they moved in something thick, which leads to the nearest
// minimum of their potential. States are written. Where they find none, they are left where the
// search has ended.
sni_rigid_outcome sni_rigid_settle(const sni_rigid *rigid, const sni_rigid_job *job,
                                   sni_rigid_state *states, sni_rigid_results *results);

// The tension of a muscle's line with the whole strength, N: at a length (a part of that at rest)
// and a rate at which that length changes (1/s); with its derivative by the length, as far as it
// pulls back: with `step` above 0 that of the rate is in it, and the active part counts as it was
// at the length `before`.
double sni_rigid_tension(const sni_rigid_muscle *muscle, double activation, double length,
                         double before, double step, double *slope);

// The force and torque (about the centre) of all that acts on a body at rest, with
// the activations of the job.
sni_rigid_outcome sni_rigid_load_at_rest(const sni_rigid *rigid, const sni_rigid_job *job,
                                         uint32_t body, sn_vec3 *force, sn_vec3 *torque);

#endif
