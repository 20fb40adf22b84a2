// SPDX-License-Identifier: Apache-2.0
//
// What the steps of contact hand to each other.
#ifndef SINEW_SKIN_IMPLICIT_CONTACT_INTERNAL_H
#define SINEW_SKIN_IMPLICIT_CONTACT_INTERNAL_H

#include "skin/implicit/contact.h"

// How a part stands in a pose.
typedef struct sni_contact_place {
    bool exists;  // it has a field, and its motion an inverse
    sn_mat4 back; // from the world to rest
    double scale; // of lengths
    sn_vec3 center, joint;
} sni_contact_place;

// Two parts that may touch.
typedef struct sni_contact_pair {
    uint32_t parts[2];
    sn_vec3 normal; // unit: from the second towards the first
    double share;   // how much of contact there is
    double scale;   // of lengths at rest
    double gap;     // metres
    double radius;  // metres: of the joint between neighbours, of the thinner part of others
    bool is_fold;   // around a hinge: near it, the plane through it parts both sides
    bool of_a_hand; // they are fingers of one hand, or a finger and that hand
    bool neighbors; // others let go of each other where they have gone through each other
    sn_vec3 joint;  // of neighbours
} sni_contact_pair;

// A vertex and the place of the skin opposite to it: (x - sum share x_corner) . way >= need.
// Without corners: x . way >= need.
typedef struct sni_contact_opposite {
    sn_vec3 way; // unit: the normal, towards its own part
    double need;
    uint32_t vertex;
    uint32_t corners[3]; // the first SN_NONE: there are none
    float shares[3];
    float missing; // of the need, where it was found
    float kept;    // how much of contact depth leaves: 1 all
} sni_contact_opposite;

typedef struct sni_contact_opposites {
    uint32_t count, room;
    sni_contact_opposite *items;
} sni_contact_opposites;

typedef struct sni_contact_run {
    const sni_skin_contact *c;
    const sni_contact_pose *pose;
    sni_arena *arena;
    const sn_mat4 *motions; // of parts
    const sni_contact_place *places;
    const float *points;   // as bones have them
    const sn_vec3 *before; // the same
    sn_vec3 *positions, *next;
    uint32_t pair_count;
    sni_contact_pair *pairs;
    uint8_t *carried; // of parts: the normals of their skin are
    sn_vec3 *outward; // of vertices of carried parts: normals of the skin
    float *kept;      // of vertices: what opposites had when they were found first, at least;
                      // negative: none
    bool at_rest;     // needs are being measured
} sni_contact_run;

// What a vertex's bones have turned and scaled the skin by, blended by weights.
typedef struct sni_contact_turn {
    sn_quat turn;
    double scale;
} sni_contact_turn;
sni_contact_turn sni_contact_turn_of(const sni_contact_run *run, uint32_t vertex);

void sni_contact_find_places(const sni_skin_contact *contact, const sn_mat4 *motions,
                             sni_contact_place *places);

// Fills in the pairs. False when memory runs out.
bool sni_contact_find_pairs(sni_contact_run *run);

// Finds the opposites of all pairs where the skin is. With a margin, those that are less than this
// part of the radius short of missing something count, too. `planes` gets the vertices near the
// joints of folds, once; NULL: these are not asked for. False when memory runs out.
bool sni_contact_find_opposites(sni_contact_run *run, double margin, sni_contact_opposites *found,
                                sni_contact_opposites *planes);

// Moves vertices. `marks` (of vertices) says which. False when memory runs out.
bool sni_contact_solve(sni_contact_run *run, uint8_t *marks);

// x, y, z, 0
typedef struct sni_f64_row {
    double v[4];
} sni_f64_row;

// A pass over listed vertices (contact_even.c). Rows are by their numbers in the list.
typedef struct sni_contact_even {
    uint32_t count;
    const uint32_t *places;             // vertices
    const uint32_t *starts, *neighbors; // numbers; `count` stands for all that are not listed
    const sni_f64_row *before, *pulls;
    const double *scales; // 1 / (degree (1 + hold))
    double stride;
    sni_f64_row *moves, *next; // how far vertices have moved, and how far they have then; one row
                               // more than vertices, of zeros
    sn_vec3 *positions;        // of all vertices, written
} sni_contact_even;
void sni_contact_even_out(sn_context *context, const sni_contact_even *even, uint32_t begin,
                          uint32_t end);

#endif
