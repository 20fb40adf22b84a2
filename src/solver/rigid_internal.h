// SPDX-License-Identifier: Apache-2.0
#ifndef SINEW_SOLVER_RIGID_INTERNAL_H
#define SINEW_SOLVER_RIGID_INTERNAL_H

#include "geometry/signed_surface.h"
#include "solver/rigid.h"

// --- Contact

// Points near each other, in a ball.
typedef struct sni_contact_cluster {
    sn_vec3 center;
    double radius;
    uint32_t first, end; // points
} sni_contact_cluster;

// Points of one thing that are tested against the surface of another.
typedef struct sni_contact_side {
    uint32_t thing, other;
    const sni_signed_surface *surface; // of the other
    double reach;                      // metres within which the surface is looked for
    uint32_t point_count;
    sn_vec3 *points; // at rest, by cluster
    double *allowed; // metres that each lies within the surface at rest
    uint32_t cluster_count;
    sni_contact_cluster *clusters;
    sn_vec3 low, high; // box of the points
} sni_contact_side;

typedef struct sni_contact_pair {
    sni_signed_surface *surfaces[2];
    uint32_t side_count;
    sni_contact_side sides[2]; // the second's points, tested against the first, come second
    double stiffness;
} sni_contact_pair;

// The last answer about a point or the middle of a cluster: at a place in the coordinates of the
// other thing, how far away it was from being touched; it is as long as it has moved less from
// there.
typedef struct sni_contact_answer {
    sn_vec3 place;
    double clearance;
    double mark; // of the side's `travelled`, up to which it cannot have moved so far
} sni_contact_answer;

// What is known about a side while bodies move. `travelled` counts the metres by which any of its
// points can have moved against the other surface. Whoever is free is nowhere near, so that this
// saves time and changes nothing.
typedef struct sni_contact_watch {
    bool begun;
    sni_rigid_place thing, other; // when it was last looked at
    double travelled;
    sni_contact_answer *clusters, *points;
} sni_contact_watch;

// Both sides of all contacts.
struct sni_rigid_watch {
    sn_context *context;
    sni_contact_watch (*pairs)[2]; // contact_count
    sni_contact_answer *answers;   // of all
};

sn_status sni_contact_pair_init(sn_context *context, const sni_rigid_contact *contact,
                                sni_contact_pair *pair, sn_error *error);
void sni_contact_pair_deinit(sn_context *context, sni_contact_pair *pair);

// --- The system

struct sni_rigid {
    sn_context *context;
    uint32_t body_count, carrier_count, joint_count, ligament_count, contact_count;
    uint32_t muscle_count, line_count;
    sni_rigid_body *bodies;
    sn_quat *axes;    // body_count: principal axes of inertia at rest
    sn_vec3 *moments; // body_count: of inertia about them
    bool *is_free;    // body_count: nothing holds, touches or pulls it
    sni_rigid_joint *joints;
    sni_rigid_ligament *ligaments;
    sni_contact_pair *contacts;
    sni_rigid_muscle *muscles;
    sni_rigid_line *lines;
};

// The inertia of a body as it lies, row by row.
void sni_rigid_inertia(const sni_rigid *rigid, uint32_t body, sn_quat turn, double inertia[9]);

// Moves a body as long as no force acts on it.
void sni_rigid_drift(const sni_rigid *rigid, uint32_t body, double time, sni_rigid_state *state);

// The rotation about a vector by its length, and the vector of a rotation.
sn_quat sni_rotation_of(sn_vec3 vector);
sn_vec3 sni_rotation_vector(sn_quat rotation);

// What acts on a body by itself.
static inline sni_rigid_load sni_rigid_load_of(const sni_rigid_job *job, uint32_t body) {
    return job->loads != NULL ? job->loads[body] : (sni_rigid_load){0};
}

// --- Forces

// The gradient of a length or distance by the motions of the bodies that it depends on: six numbers
// for each, translation and rotation.
typedef struct sni_rigid_row {
    uint32_t count;
    uint32_t *bodies;   // body_count
    double (*parts)[6]; // body_count
} sni_rigid_row;

// A pose that is tried: the gradient of the potential by the motion of all bodies, and its
// derivative.
typedef struct sni_rigid_trial {
    const sni_rigid *rigid;
    const sni_rigid_job *job;
    double step;             // 0: they come to rest, and speeds do not count
    sni_rigid_place *places; // of bodies, then of carriers
    double *gradient;        // 6 body_count
    double *hessian;         // 6 body_count x 6 body_count, its lower half
    sni_rigid_row row;       // scratch
    sni_rigid_posed_line *lines;
    double *lengths; // line_count: when the step began
    sni_rigid_watch *watch;
    double depth;               // metres that the deepest point has entered a surface
    sni_rigid_results *results; // written where it is not NULL
} sni_rigid_trial;

// Where a thing is; SN_NONE stays as it is at rest.
sni_rigid_place sni_trial_place(const sni_rigid_trial *trial, uint32_t thing);

bool sni_trial_is_body(const sni_rigid_trial *trial, uint32_t thing);

// Adds a force at a point of a body, and how it turns with the body; of other things nothing.
void sni_trial_push(sni_rigid_trial *trial, uint32_t thing, sn_vec3 at, sn_vec3 force);

// Begins a row; adds the direction in which a point of a thing moves it; adds stiffness times the
// square of the row to the derivative.
void sni_row_begin(sni_rigid_row *row);
void sni_row_add(sni_rigid_trial *trial, uint32_t thing, sn_vec3 at, sn_vec3 direction);
void sni_row_stiffen(sni_rigid_trial *trial, double stiffness);

// Adds the resistance of a taut line against being moved across at a point of a thing.
void sni_trial_stiffen_across(sni_rigid_trial *trial, uint32_t thing, sn_vec3 at, sn_vec3 direction,
                              double stiffness);

// Parts of all forces.
void sni_trial_add_joints(sni_rigid_trial *trial);
void sni_trial_add_ligaments(sni_rigid_trial *trial);
void sni_trial_add_contacts(sni_rigid_trial *trial);

// All of them. False where lines cannot be found.
bool sni_trial_evaluate(sni_rigid_trial *trial);

#endif
