// SPDX-License-Identifier: Apache-2.0
//
// The rigid bodies of a model: made once, in groups of those that act on each other.
//
//     rigid_parts.c  what the document says, as numbers: masses, joints, ligaments, contacts, lines
//     rigid_make.c   groups, and the systems that are solved
//     rigid_pull.c   lines of muscles in the base of a group
//     frame_rigid.c  where they are in a frame
//
// A group is computed in the frame of a segment that no body carries, its *base*, as it stands, in
// metres of the body at rest: whatever moves or scales the base moves and scales the group with it.
#ifndef SINEW_EVAL_RIGID_H
#define SINEW_EVAL_RIGID_H

#include "base/arena.h"
#include "character/blueprint/blueprint.h"
#include "eval/rest.h"
#include "solver/rigid.h"

// A frame that a segment has: where it is, how it is turned, and how large it is.
typedef struct sni_base {
    sn_quat rotation;
    sn_vec3 translation;
    double scale;
} sni_base;

// Of a segment that stands so; SN_NONE: of the world.
sni_base sni_base_of(const sn_mat4 *worlds, uint32_t segment);

// From the world to a base in metres of the body at rest, where the base has the size `rest_scale`,
// and back.
sn_mat4 sni_base_enter(const sni_base *base, double rest_scale);
sn_mat4 sni_base_leave(const sni_base *base, double rest_scale);

// A system that models share.
typedef struct sni_made_rigid {
    sni_made made;
    sni_rigid *rigid;
} sni_made_rigid;

// A muscle of a group.
typedef struct sni_group_muscle {
    uint32_t muscle;           // of the blueprint
    const sni_pull_plan *plan; // the body's
    uint32_t body;             // of the group, that names it
    uint32_t first_line, line_count;
} sni_group_muscle;

// Where elements of a body stand in the group's system.
typedef struct sni_group_body {
    uint32_t body; // of the blueprint
    double mass;
    sn_vec3 force, torque; // that act on it at rest, relaxed and upright
    uint32_t first_joint, first_ligament, first_contact, contact_count;
} sni_group_body;

typedef struct sni_body_group {
    const sni_made_rigid *system; // in the model's store
    uint32_t base;                // segment, or SN_NONE for the world
    sni_base rest;                // the base at rest
    uint32_t body_count;
    sni_group_body *bodies; // parents first
    uint32_t carrier_count;
    uint32_t *carriers; // segments: they move by themselves and carry something of the group
    uint32_t muscle_count, line_count, pull_count;
    sni_group_muscle *muscles;
    uint32_t moved_count;
    uint32_t *moved;      // segments that bodies carry, parents first
    uint32_t *things;     // segment_count: of the system; SN_NONE: the base, or not used
    sn_mat4 *rest_places; // segment_count: in the base at rest
    bool pivots_change;   // places of muscles depend on where bodies are
    bool simulated;       // a body of it moves in time
    size_t state_offset;  // within the frame's state
    size_t state_bytes;   // 0: it has no memory
    uint32_t joint_count, ligament_count, contact_count; // of the system
} sni_body_group;

typedef struct sni_bodies {
    uint32_t group_count;
    sni_body_group *groups;
    uint32_t *group_of; // of the blueprint's bodies
    uint32_t *number;   // the same: within its group
} sni_bodies;

// Bytes that a group with memory carries from frame to frame (frame_rigid.c).
size_t sni_group_state_bytes(const sni_body_group *group);

// Makes the groups of a body at rest whose muscles are made. What is made is freed by
// sni_bodies_deinit, also where this fails.
sn_status sni_bodies_make(sni_rest *rest, sni_bodies *bodies, sn_error *error);
void sni_bodies_deinit(sn_context *context, sni_bodies *bodies);

// --- Lines of muscles (rigid_pull.c)

// What they are found from: all in the base of the group.
typedef struct sni_group_pulling {
    const sni_body_group *group;
    const sni_rest *rest;
    const sn_mat4 *worlds;                        // segment_count
    const void *const (*inputs)[SNI_INPUTS_MOST]; // of the group's muscles; NULL: as at rest
    sni_arena *arena;                             // of the lines
} sni_group_pulling;

sn_status sni_group_pull(const sni_group_pulling *pulling, sni_rigid_posed_line *lines,
                         sn_error *error);

// --- Parts (rigid_parts.c), in the base at rest

// While a group is made.
typedef struct sni_group_making {
    sni_rest *rest;
    sni_body_group *group;
    sn_mat4 enter; // from the world at rest to the base
    sni_arena arena;
    sni_rigid_desc desc; // arrays in the arena, but for meshes of contacts
    sni_digest digest;
    uint32_t mesh_count;
    sn_mesh **meshes; // of contacts
    uint8_t **tested;
} sni_group_making;

sn_status sni_group_add_masses(sni_group_making *making, sn_error *error);
sn_status sni_group_add_joints(sni_group_making *making, sn_error *error);
sn_status sni_group_add_ligaments(sni_group_making *making, sn_error *error);
sn_status sni_group_add_contacts(sni_group_making *making, sn_error *error);
sn_status sni_group_add_muscles(sni_group_making *making, sn_error *error);

// The lines of a muscle at rest.
sn_status sni_muscle_rest_lines(const sni_rest *rest, uint32_t muscle, sni_arena *arena,
                                sni_muscle_lines *lines, sn_error *error);

#endif
