// SPDX-License-Identifier: Apache-2.0
//
// Muscles: surfaces under the skin that contract and bulge. A kind is a `sni_muscle_ops` in its own
// file (muscle_KIND.c) and one line in the table of kinds.c.
//
//     bind          once, to the rest state: makes the muscle
//     pose          every frame: control points of the relaxed and of the contracted muscle, both
//                   carried by the pose; relaxed, muscles between bones have their sections at rest
//     emit_surface  polygons of the muscle, for pictures and files
//     measure       its length, area, volume and thickness, and what was noticed when it was made
//
// A kind with memory also says how many bytes of state one frame carries to the next; the
// evaluation owns them, resets, saves and restores them.
//
// Muscles see spans of numbers only: no document, no files. What deforms the skin (skin/skin.h)
// takes a muscle's surface as a NURBS patch, or as rings of vertices (kind/muscle_surface.h), and
// knows nothing of this header. What a kind is made from besides its parameters, such as a skin or
// places on bones, are its inputs (muscle/inputs.h).
#ifndef SINEW_MUSCLE_MUSCLE_H
#define SINEW_MUSCLE_MUSCLE_H

#include "base/arena.h"
#include "base/parameter.h"
#include "geometry/nurbs.h"
#include "kind/muscle_surface.h"
#include "muscle/inputs.h"

// What a muscle is made from. All is only read during `bind`.
typedef struct sni_muscle_job {
    sn_context *context;
    const char *name;         // for messages; NULL: "muscle"
    const double *parameters; // one value for each entry of the kind's table
    uint32_t segment_count;
    const sn_mat4 *rest_worlds;          // segment_count
    const void *inputs[SNI_INPUTS_MOST]; // blocks, in the order of the kind's inputs
} sni_muscle_job;

typedef struct sni_muscle_pose_job {
    sn_context *context;
    sni_arena *arena; // scratch, released by the caller
    uint32_t segment_count;
    const sn_mat4 *worlds;
    const double *parameters; // in this frame; NULL: as at bind, none is driven
    double contraction;       // 0 relaxed to 1
    double tension;           // 0 to 1: bulges without shortening
    double *relaxed;          // points of the surface x 3
    double *contracted; // the same; equal to `relaxed`, bit for bit, at contraction and tension 0
    float *surface;     // kinds with `poses_surface`: vertices x 3, written; NULL: not asked for
    bool *news;         // set where there is something to log, which is then not done; NULL: it is
    const void *inputs[SNI_INPUTS_MOST]; // as at bind
    double time;                         // seconds from the start of the clip
    double time_step;                    // seconds since the previous frame; 0 at the first
    void *state;                         // state_bytes(bound) bytes, or NULL
} sni_muscle_pose_job;

typedef struct sni_muscle_measure {
    double length;    // mean length of its lines from origin to insertion (around, for a ring)
    double area;      // of the surface; 0 where a pose does not tell
    double thickness; // at rest: largest distance of a control point from the basis grid
    double volume;    // enclosed by the surface; 0 where it is open
    double rest_volume;
    double activation; // 0 to 1, of kinds that activate themselves
    // From the making of the muscle.
    double rest_length;
    uint32_t grid_points;
    uint32_t without_hit; // grid points with no skin above them, left where interpolation put them
    uint32_t too_deep;    // deeper than half the local thickness of the body
    uint32_t without_inner; // with nothing of the inner surface below them
    uint32_t folded; // cells of the grid that are turned over: normals crossed on their way down
    uint32_t volume_keys, search_steps; // see sn_muscle_check
} sni_muscle_measure;

// The axes that a muscle lies around.
typedef struct sni_muscle_axes {
    uint32_t fibre_count, particle_count; // particles of one fibre, with its ends
    bool swings;                          // it has memory, and particles move by themselves
} sni_muscle_axes;

typedef struct sni_ball {
    sn_vec3 center;
    double radius;
} sni_ball;

// A muscle among those that are posed together.
typedef struct sni_muscle_member {
    uint32_t number; // of the muscle, as inputs name it (sni_touches_pose)
    const void *bound;
    sni_muscle_pose_job job; // all jobs have one arena
    // Written: what is to be said about it, "" for nothing. Whoever poses it says it once.
    char trouble[256];
} sni_muscle_member;

typedef struct sni_muscle_ops sni_muscle_ops;

struct sni_muscle_ops {
    const char *name; // as in the document
    const char *help;
    sn_parameters parameters;
    bool contracts;     // as controls say; the activation of others moves nothing
    bool activates;     // `measure` tells its activation, which need not be that of its controls
    bool is_followed;   // its surface is a patch that skins can follow
    bool poses_surface; // `pose` makes the surface as well; `emit_points` is not needed for it
    sni_input_use inputs[SNI_INPUTS_MOST];
    // Makes the muscle. On failure nothing is left allocated.
    sn_status (*bind)(const sni_muscle_job *job, void **bound, sn_error *error);
    void (*unbind)(sn_context *context, void *bound);
    // The muscle's surface at rest and its traces on the skin, as deformers take them. Borrowed
    // from the binding.
    void (*surface)(const void *bound, sni_muscle_surface *surface);
    // Fails with SN_INVALID for values out of range, or for want of memory.
    sn_status (*pose)(const void *bound, const sni_muscle_pose_job *job, sn_error *error);
    // A new mesh of the relaxed muscle at rest, each span cut into `steps` x `steps` quads.
    sn_status (*emit_surface)(const void *bound, sn_context *context, uint32_t steps,
                              sn_mesh **mesh, sn_error *error);
    // The vertices of that mesh for control points from `pose`.
    void (*emit_points)(const void *bound, uint32_t steps, const double *points, float *positions);
    // For control points from `pose`, or NULL for the rest state.
    void (*measure)(const void *bound, const double *points, sni_muscle_measure *measure);
    size_t (*bytes)(const void *bound);
    // Kinds with memory only, else NULL.
    size_t (*state_bytes)(const void *bound);
    void (*state_reset)(const void *bound, const sni_muscle_pose_job *job);
    // Kinds between bones only, else NULL: the length in a pose, as `measure` gives it for the
    // points of `pose`, which are not made. Of the job context, arena, segments, worlds and inputs
    // are read.
    sn_status (*length)(const void *bound, const sni_muscle_pose_job *job, double *length,
                        sn_error *error);
    // Kinds that are solid only, else NULL: the field of the muscle at a point, for control points
    // from `pose`: above a half inside, a half on its surface, below it outside, 0 from some
    // distance on; with its gradient.
    double (*field)(const void *bound, const double *points, sn_vec3 at, sn_vec3 *gradient);
    // Kinds that others can touch only, else NULL: balls that cover the muscle, for control points
    // from `pose`; how many there are follows from the binding. NULL for `balls` asks for the
    // count.
    uint32_t (*contact)(const void *bound, const double *points, sni_ball *balls);
    // Kinds whose muscles push each other only, else NULL: poses all that touch each other, one
    // step of time after the other. Those that touch nothing come alone.
    sn_status (*pose_together)(uint32_t count, sni_muscle_member *members, sn_error *error);
    // Kinds around axes only, else NULL: the particles of a fibre in control points from `pose`.
    // `axes` (may be NULL) is filled for any fibre.
    const sn_vec3 *(*axis)(const void *bound, const double *points, uint32_t fibre,
                           sni_muscle_axes *axes);
};

// The kinds (kinds.c), ended by NULL; how many there are; one of them, NULL beyond the last.
extern const sni_muscle_ops *const sni_muscle_kinds[];
uint32_t sni_muscle_kind_count(void);
const sni_muscle_ops *sni_muscle_ops_of(uint32_t kind);

// The kind of that name, NULL when there is none.
const sni_muscle_ops *sni_muscle_find(const char *name);

extern const sni_muscle_ops sni_muscle_patch;
extern const sni_muscle_ops sni_muscle_cylinder;
extern const sni_muscle_ops sni_muscle_ellipsoid;
extern const sni_muscle_ops sni_muscle_mesh;
extern const sni_muscle_ops sni_muscle_fibre;
extern const sni_muscle_ops sni_muscle_graph;

// A copy of a mesh under another name.
sn_status sni_mesh_copy_named(const sn_mesh *mesh, const char *name, sn_mesh **copy,
                              sn_error *error);

// Whether `bind` may trust the job: parameters within their ranges, inputs that are needed there
// and in order. Fails with SN_INVALID and the element's name and value.
sn_status sni_muscle_job_validate(const sni_muscle_ops *ops, const sni_muscle_job *job,
                                  sn_error *error);

// Points of curves may lie this far from the skin, as a part of its size; further away they are
// taken for a mistake.
#define SNI_SKIN_SNAP 0.02

sn_vec3 sni_skin_place_point(const sn_mesh *mesh, const sn_triangles *triangles,
                             const sni_skin_place *place);

// The place of the skin closest to `point`. False when none lies within `radius`.
bool sni_skin_place_find(const sn_accel *accel, sn_vec3 point, double radius,
                         sni_skin_place *place);

// Reflects places of the skin in the plane through `origin` with unit normal `normal` (the sagittal
// plane), by geometry alone: the closest places to the mirrored points. Fails with SN_INVALID where
// the skin is further than `tolerance` away from a mirrored point. `largest_gap` (may be NULL) is
// the largest such distance.
sn_status sni_skin_places_mirror(const sn_mesh *mesh, const sn_triangles *triangles,
                                 const sn_accel *accel, sn_vec3 origin, sn_vec3 normal,
                                 double tolerance, uint32_t count, const sni_skin_place *places,
                                 sni_skin_place *mirrored, double *largest_gap, sn_error *error);

#endif
