// SPDX-License-Identifier: Apache-2.0
//
// Contact of fibre muscles in one small step of time: with bones, with each other and with the skin
// (section 6.3 of V. Roussellet et al. 2018). Particles are balls of the radius that the muscle has
// there; all constraints are one-sided, and are run over and over until they hold.
//
//     bone     d(x) >= R r(theta)            d: distance from the bone, which only the pose moves
//     muscle   f(x) >= R r(theta)            f: field of the other muscle; both give way, by mass
//     skin     g(x) <= 0                     g: negative inside; only the pose moves it
//
// R = w Phi(s), r(theta) the section's half axis towards what is touched. Muscles overlap bones and
// each other at rest in most rigs: as deep as they lie then they always may.
//
// The skin is the softest of them: where a particle that it has pulled inside comes out again,
// since bones, muscles or tendons leave it no room, the skin gives way.
//
// Departures from the paper: particles and bones have friction against the bone's own motion,
// muscles push each other by mass, nothing bounces, and tendons are made whole between sweeps.
#ifndef SINEW_MUSCLE_FIBRE_CONTACT_H
#define SINEW_MUSCLE_FIBRE_CONTACT_H

#include "geometry/distance_grid.h"
#include "muscle/fibre/axis.h"
#include "solver/chain.h"

// ---------------------------------------------------------------------------------------------
// Bones

// A bone: the distance grid of its mesh, or a capsule.
typedef struct sni_fibre_bone {
    const sni_distance_grid *grid; // NULL: a capsule
    sn_vec3 ends[2];               // of the capsule's axis
    double radius;
} sni_fibre_bone;

// From the bone's coordinates to the world, at both ends of a step. Any matrix that can be
// inverted.
typedef struct sni_fibre_bone_pose {
    sn_mat4 before, now, inverse; // the last is that of `now`
    double stretch; // no direction is made longer than this by the inverse's transpose
} sni_fibre_bone_pose;

// False, and nothing is done, where a matrix cannot be inverted.
bool sni_fibre_bone_place(const sn_mat4 *before, const sn_mat4 *now, sni_fibre_bone_pose *pose);

// The distance from a bone at a point of the world, with the unit direction away from it. What the
// grid may be off by counts as bone.
sni_distance_value sni_fibre_bone_at(const sni_fibre_bone *bone, const sni_fibre_bone_pose *pose,
                                     sn_vec3 at);

// ---------------------------------------------------------------------------------------------
// Muscles in a step

// What a particle touched last in a step.
typedef struct sni_fibre_touch {
    bool touches;
    bool stuck;     // it could not satisfy all that it touches
    bool crowded;   // several muscles have pushed it
    const void *by; // the muscle that has pushed it last; NULL: none
    sn_vec3 normal; // away from what is touched
    sn_vec3 motion; // of that surface in the step
} sni_fibre_touch;

// How deep a particle was below the skin when that was looked up last in a frame.
typedef struct sni_fibre_seen {
    bool known;
    uint32_t part; // of the skin
    sn_vec3 at;    // where it was, as that part has it at rest
    double depth;
} sni_fibre_seen;

// How far a particle was from a bone's mesh when that was looked up last in a frame.
typedef struct sni_fibre_far {
    sn_vec3 at;      // where it was, as the bone sees it
    double distance; // -INFINITY: it was not
} sni_fibre_far;

// A distance-like field, negative inside.
typedef struct sni_fibre_skin {
    // With `seen`, a value that is no more than the true one may be returned where that is deeper
    // than `needed`; it is brought up to date otherwise. NULL is allowed.
    sni_distance_value (*at)(const void *user, sn_vec3 at, double needed, sni_fibre_seen *seen);
    // Of the surface in the step, there where the particle was just seen; NULL: it stands.
    sn_vec3 (*motion)(const void *user, const sni_fibre_seen *seen, sn_vec3 at);
    const void *user;
} sni_fibre_skin;

// Whether a particle touched neither skin nor bones when it was looked at last in a step. What has
// not moved since need not be looked at again.
typedef struct sni_fibre_clear {
    bool holds;
    bool pulled; // the skin has pulled it inside
    sn_vec3 at;
} sni_fibre_clear;

// Normals that are found from where particles were when the muscle got its shape, once something
// asks for them: most muscles touch nothing in most steps.
typedef struct sni_fibre_winding {
    bool pending;    // they have yet to be found
    sn_vec3 *points; // where particles were
    sn_vec3 wide[2]; // the wide direction at both ends
} sni_fibre_winding;

typedef struct sni_fibre_friction {
    double still, sliding;
} sni_fibre_friction;

// One fibre of a muscle. Its owner keeps all spans; those without a size have one item for each
// particle. Particles without an inverse mass, such as both ends, are not moved.
typedef struct sni_fibre_body {
    sni_chain chain; // of all its particles, for its tendons; parts and motion are not read
    sn_vec3 *positions;
    sni_fibre_section section;
    const double *radii;        // w Phi(s)
    const sn_vec3 *normals;     // unit: the wide direction
    sni_fibre_winding *winding; // NULL: the normals are there
    const double *starts;       // part of the length at each particle (sni_fibre_axis_measure)
    uint32_t bone_count;
    const sni_fibre_bone *bones;
    const sni_fibre_bone_pose *bone_poses;
    const double *bone_overlaps; // bone_count x particles: C at rest where negative, else 0
    const sni_fibre_skin *skin;  // NULL: none
    const double *skin_overlaps; // C at rest where negative, else 0
    double kept_overlap;         // 1: all of the overlaps, 0: none
    sni_fibre_friction friction;
    // Scratch.
    sn_vec3 *old;        // where particles were at the beginning of the step
    sn_vec3 *predicted;  // where they would be without contact
    double *scratch;     // SNI_CHAIN_SCRATCH for each particle
    double *compliances; // of a chain whose tendons alone are solved
    sni_fibre_touch *touches;
    sni_fibre_seen *seen;         // NULL: always looked up anew
    sni_fibre_far *fars;          // bone_count x particles; NULL: likewise
    double *skin_gives;           // by how much the skin has given way in the step; NULL: never
    sni_fibre_clear *clears;      // NULL: particles are looked at in all sweeps of a step
    double most, most_activation; // of the profile, at that activation; 0: it is to be found
    // Results of a step.
    double worst;       // the deepest miss as a part of the radius there, of bones and muscles
    double skin_worst;  // of the skin, beyond what it has given way
    double tendon_miss; // how far tendons are off, as a part of their length
} sni_fibre_body;

// Two muscles that touch each other.
typedef struct sni_fibre_pair {
    uint32_t first, second;
    const double *first_overlaps, *second_overlaps; // of their particles with the other muscle
} sni_fibre_pair;

typedef struct sni_fibre_crowd {
    uint32_t body_count;
    sni_fibre_body *bodies;
    uint32_t pair_count;
    const sni_fibre_pair *pairs;
} sni_fibre_crowd;

// Published friction: 0.2 to hold, 0.1 while it slides.
#define SNI_FIBRE_FRICTION ((sni_fibre_friction){0.2, 0.1})

// A step:
//
//     sni_fibre_contact_begin(&crowd)
//     free motion, distances
//     sni_fibre_contact_resolve(&crowd)
//     velocities
//     sni_fibre_contact_calm(&body, ...)
void sni_fibre_contact_begin(const sni_fibre_crowd *crowd);

// Moves free particles until they are nowhere too deep, or sweeps are used up; fills in results.
double sni_fibre_contact_resolve(const sni_fibre_crowd *crowd);

// Velocities of what touches: none away from the surface, so that nothing bounces, and none at all
// where particles are caught between things, so that what cannot be solved does not shake. `before`
// is what velocities were measured from.
void sni_fibre_contact_calm(const sni_fibre_body *body, double step, const sn_vec3 *before,
                            sn_vec3 *velocities);

// ---------------------------------------------------------------------------------------------
// Gaps

// How far a particle is from touching a bone, another muscle or the skin from within: C, negative
// where it is too deep. Of a muscle it reads positions and shape alone.
double sni_fibre_bone_gap(const sni_fibre_body *body, uint32_t particle, uint32_t bone);
double sni_fibre_muscle_gap(const sni_fibre_body *body, uint32_t particle,
                            const sni_fibre_body *other);
double sni_fibre_skin_gap(const sni_fibre_body *body, uint32_t particle);

// The angle that a fibre sweeps about the long axis of a bone, between both ends of that; radians,
// more than a turn where it is wound around it.
double sni_fibre_bone_sweep(const sni_fibre_body *body, uint32_t bone);

// The half axis of a particle's section towards what it touches, in units of its radius; `normal`
// is away from that, a unit vector.
double sni_fibre_half_axis_towards(const sni_fibre_body *body, uint32_t particle, sn_vec3 normal);

#endif
