// SPDX-License-Identifier: Apache-2.0
//
// Muscles: surfaces under the skin that contract and bulge. A kind is a `sni_muscle_ops` in its own
// file (muscle_KIND.c) and one line in the table of kinds.c.
//
//     bind          once, to the rest state: makes the muscle
//     pose          every frame: control points of the relaxed and of the contracted muscle, both
//                   carried by the pose; one and the same for muscles between bones
//     emit_surface  polygons of the muscle, for pictures and files
//     measure       its length, area, volume and thickness, and what was noticed when it was made
//
// A kind with memory also says how many bytes of state one frame carries to the next; the
// evaluation owns them, resets, saves and restores them.
//
// Muscles see spans of numbers only: no document, no files. What deforms the skin (skin/skin.h)
// takes a muscle's surface as a NURBS patch, or as rings of vertices (kind/muscle_surface.h), and
// knows nothing of this header. What a kind takes besides skin, bones and strips are its inputs
// (kind/input.h).
#ifndef SINEW_MUSCLE_MUSCLE_H
#define SINEW_MUSCLE_MUSCLE_H

#include "base/arena.h"
#include "base/parameter.h"
#include "geometry/nurbs.h"
#include "kind/input.h"
#include "kind/muscle_surface.h"
#include "sinew/geometry.h"

// A place on the skin.
typedef struct sni_skin_place {
    uint32_t triangle; // of the job's triangles
    double barycentric[3];
} sni_skin_place;

// A polyline drawn on the skin. Where it begins is the muscle's origin, where it ends its
// insertion.
typedef struct sni_muscle_curve {
    uint32_t count;
    const sni_skin_place *places;
} sni_muscle_curve;

// A value at one place (u, v) of the muscle, both from 0 to 1: u across from the first curve to the
// second, v along from origin to insertion. Between such places values are interpolated (Shepard's
// inverse squared distances); they are factors, 1 everywhere when none is given.
typedef struct sni_muscle_value {
    double u, v;
    double factor; // not negative
} sni_muscle_value;

typedef struct sni_muscle_values {
    uint32_t count;
    const sni_muscle_value *values;
} sni_muscle_values;

// What muscles may lie on, below the skin: a surface, or, without `accel`, the lines of limbs.
typedef struct sni_muscle_inner {
    const char *name;         // for messages
    const float *positions;   // in the space of the skin at rest
    const uint32_t *vertices; // of its triangles
    const sn_accel *accel;
    uint32_t line_count;
    const sn_vec3 *lines; // line_count x 2
} sni_muscle_inner;

// A place on a bone where a muscle between bones is attached.
typedef struct sni_muscle_attachment {
    uint32_t segment; // that carries the bone
    sn_vec3 point;    // in the world at rest
    sn_vec3 normal;   // of the bone there, outwards, in the world at rest; any length
} sni_muscle_attachment;

// How one slice of a cylinder muscle differs from the standard (Table 1 of Wilhelms and Van Gelder,
// Anatomically Based Modeling, 1997). Numbers are in the slice's own frame.
typedef struct sni_muscle_slice_shape {
    uint32_t slice;  // from 0 at the origins
    double scale[2]; // of its width (x) and thickness (y)
    sn_vec3 move;    // at rest, in the unit of the kind's sizes
    sn_vec3 turn;    // radians about x, then the new y, then the new z
} sni_muscle_slice_shape;

// The ellipse of a slice of a cylinder muscle, in the world at rest: its centre and two half axes,
// perpendicular to each other. `thick` points outwards; the sign of `wide` says nothing.
typedef struct sni_muscle_section {
    sn_vec3 center, wide, thick;
} sni_muscle_section;

typedef enum sni_pivot_use {
    SNI_PIVOT_ALWAYS = 0,
    SNI_PIVOT_NEVER = 1,
    SNI_PIVOT_BENT = 2,  // where the straight way would cut through the joint
    SNI_PIVOT_RANGE = 3, // as the pose says
} sni_pivot_use;

// A place that a cylinder muscle bends around.
typedef struct sni_muscle_pivot {
    uint32_t slice;   // whose frame it is
    uint32_t segment; // that carries it
    sni_pivot_use use;
    sn_vec3 at;          // in the segment's frame
    const sn_quat *turn; // its frame in the segment's; NULL: between the ways to and from it
    sn_vec3 joint;       // in the world at rest; only `bent` ones need it
    bool off;            // of a ranged one: it is passed by at rest
    bool halved;         // it turns half as much as its segment does against `other`
    uint32_t other;      // a segment
} sni_muscle_pivot;

// Where a pivot is in a pose, and whether it is passed by; the latter of ranged ones alone.
typedef struct sni_muscle_pivot_place {
    sn_vec3 at; // in its segment's frame
    bool off;
} sni_muscle_pivot_place;

typedef enum sni_wrap_shape {
    SNI_WRAP_CYLINDER = 0,
    SNI_WRAP_SPHERE = 1,
    SNI_WRAP_ELLIPSOID = 2,
} sni_wrap_shape;

// A body that a cylinder muscle goes around. Sizes are in the units of the segment's frame.
typedef struct sni_muscle_wrap {
    uint32_t first, last; // slices that lie on it where it is touched, between the ends
    uint32_t segment;     // that carries it
    sni_wrap_shape shape;
    sn_vec3 center; // in the segment's frame
    sn_quat turn;   // of its axes there; a cylinder is about its z
    sn_vec3 radii;  // x alone counts, but for an ellipsoid
    double length;  // of a cylinder; INFINITY: without ends
    int side;       // that the muscle passes: 1 x, 2 y, 3 z, negative for the opposite; 0 any
} sni_muscle_wrap;

// What a muscle between bones is made from.
typedef struct sni_muscle_body {
    uint32_t origin_count, insertion_count; // as many as the kind has at an end
    const sni_muscle_attachment *origins, *insertions;
    uint32_t shape_count;
    const sni_muscle_slice_shape *shapes; // in any order, each slice once
    uint32_t section_count;               // 0, or one for each slice, without shapes and sizes then
    const sni_muscle_section *sections;
    uint32_t pivot_count;
    const sni_muscle_pivot *pivots; // in any order, each slice once
    uint32_t wrap_count;
    const sni_muscle_wrap *wraps; // in any order, without common slices
} sni_muscle_body;

// A cylinder that carries a part of a given surface.
typedef struct sni_muscle_strip {
    const double *parameters; // of the kind `cylinder`
    sni_muscle_body body;
} sni_muscle_strip;

// What a muscle is made from. Kinds between bones need `body` and nothing of the skin. For the
// others `mesh` is validated and must have `triangles`, `accel` over them and
// `normals` (#V x 3, sn_mesh_normals), all of the rest state. All is only read during `bind`.
typedef struct sni_muscle_job {
    sn_context *context;
    const char *name;         // for messages; NULL: "muscle"
    const double *parameters; // one value for each entry of the kind's table
    const sn_mesh *mesh;
    const sn_triangles *triangles;
    const sn_accel *accel;
    const float *normals;
    uint32_t curve_count;
    const sni_muscle_curve *curves;
    const sn_vec3 *center;         // of a ring's contraction; NULL: computed
    const sni_muscle_inner *inner; // that it lies on; NULL: its depth is given by its parameters
    // How the pose carries it: by segment `segment`, or, where that is SN_NONE, by the weights of
    // the skin under its curves; a mesh without weights then stays where it is.
    uint32_t segment;
    uint32_t segment_count;
    const sn_mat4 *rest_worlds;    // segment_count
    const uint32_t *bone_segments; // mesh->weights->bone_count; NULL: the weights move nothing
    sni_muscle_values bulge, thickness, contraction; // how these vary over the surface
    const sni_muscle_body *body;                     // of kinds between bones, else NULL
    // Of kinds with strips, which need `mesh` and `triangles` as the surface that lies on them.
    uint32_t strip_count;
    const sni_muscle_strip *strips;
    const void *inputs[SNI_INPUTS_MOST]; // blocks, in the order of the kind's inputs
} sni_muscle_job;

typedef struct sni_muscle_pose_job {
    sn_context *context;
    sni_arena *arena; // scratch, released by the caller
    uint32_t segment_count;
    const sn_mat4 *worlds;
    const sni_muscle_pivot_place *pivots; // of all pivots of its body; NULL: as at rest
    const double *parameters;             // in this frame; NULL: as at bind, none is driven
    double contraction;                   // 0 relaxed to 1
    double tension;                       // 0 to 1: bulges without shortening
    double *relaxed;                      // points of the surface x 3
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
    // From the making of the muscle.
    double rest_length;
    uint32_t grid_points;
    uint32_t without_hit; // grid points with no skin above them, left where interpolation put them
    uint32_t too_deep;    // deeper than half the local thickness of the body
    uint32_t without_inner; // with nothing of the inner surface below them
    uint32_t folded; // cells of the grid that are turned over: normals crossed on their way down
} sni_muscle_measure;

typedef struct sni_ball {
    sn_vec3 center;
    double radius;
} sni_ball;

typedef struct sni_muscle_ops sni_muscle_ops;

struct sni_muscle_ops {
    const char *name; // as in the document
    const char *help;
    sn_parameters parameters;
    bool drawn;           // on a skin, as curves
    uint32_t attachments; // places on bones at each end; 0: it has none
    bool has_slices;      // whose shapes and pivots can be given
    bool has_strips;      // it is a given surface on cylinders, which have the attachments
    bool poses_surface;   // `pose` makes the surface as well; `emit_points` is not needed for it
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
    // Kinds that are solid only, else NULL: the field of the muscle at a point, for control points
    // from `pose`: above a half inside, a half on its surface, below it outside, 0 from some
    // distance on; with its gradient.
    double (*field)(const void *bound, const double *points, sn_vec3 at, sn_vec3 *gradient);
    // Kinds that others can touch only, else NULL: balls that cover the muscle, for control points
    // from `pose`; how many there are follows from the binding. NULL for `balls` asks for the
    // count.
    uint32_t (*contact)(const void *bound, const double *points, sni_ball *balls);
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

// Whether `bind` may trust the job: parameters within their ranges, places on the skin, segments
// and factors in order. Fails with SN_INVALID and the element's name and value.
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
