// SPDX-License-Identifier: Apache-2.0
//
// Deformers: what moves the points of a mesh. A kind is a `sni_deformer_ops` in its own file
// (skin_KIND.c) and one line in the table of skin.c.
//
//     bind    once, to the stored rest state: whatever can be worked out before the first frame
//     deform  every frame: points in, points out
//
// A kind with memory (cloth) also says how many bytes of state one frame carries to the next; the
// evaluation owns them, resets, saves and restores them.
//
// Deformers see spans of numbers only: no document, no files.
#ifndef SINEW_SKIN_SKIN_H
#define SINEW_SKIN_SKIN_H

#include "base/arena.h"
#include "base/memory.h"
#include "base/parameter.h"
#include "base/store.h"
#include "geometry/nurbs.h"
#include "sinew/mesh.h"
#include "sinew/motion.h"
#include "sinew/skin.h"
#include "skin/component.h"
#include "skin/parameters.h"

// A place of the skin above a muscle or on its curves, from where distances along the skin are
// measured.
typedef struct sni_muscle_trace {
    uint32_t vertices[3]; // around it
    sn_vec3 point;
} sni_muscle_trace;

// A muscle as deformers see it: its surface at rest and relaxed, and its traces on the skin.
typedef struct sni_muscle_surface {
    const char *name;
    sni_digest digest; // of what it was made from
    sni_nurbs nurbs;
    uint32_t trace_count; // 0: nothing is known of where it lies along the skin
    const sni_muscle_trace *traces;
    double trace_spacing; // largest distance of a place between traces from the nearest one
    // Muscles between bones have rings of vertices instead of a patch: the first slice_count x
    // ring_count vertices of their mesh, slice by slice. 0: there are none.
    uint32_t slice_count, ring_count;
    // Surfaces on strips: rows of rings of four control points; see sni_component.
    uint32_t strip_count;
    const sni_component_strip *strips;
    const float *strip_points; // point_count x 3: control points at rest
    bool carried;              // all of it goes with one segment, `segment`
    uint32_t segment;
    uint32_t point_count; // control points that `pose` writes
} sni_muscle_surface;

// The control points of a muscle in a pose, in the order of its nurbs.
typedef struct sni_muscle_state {
    const double *relaxed;    // counts[0] x counts[1] x 3
    const double *contracted; // the same
} sni_muscle_state;

// Key poses: what points move by while a number, such as a joint's angle, runs through its keys.
typedef struct sni_pose_set {
    sn_interpolation interpolation; // stepped, linear or smooth
    uint32_t key_count;
    const double *inputs;   // key_count, rising
    uint32_t point_count;   // points that some key moves
    const uint32_t *points; // rising
    const double *offsets;  // point_count x key_count x 3, in the space of the mesh at rest
} sni_pose_set;

// What a deformer binds to. `mesh` and `driver_mesh` are validated (sn_mesh_validate) and must
// outlive the binding, unchanged; everything else is only read during `bind`.
typedef struct sni_bind_job {
    sn_context *context;
    const sn_mesh *mesh;         // at rest
    sni_digest mesh_digest;      // of what it was made from
    sni_store *store;            // for parts of a binding that outlive it; NULL: there is none
    const double *parameters;    // one value for each entry of the kind's table
    const sn_skeleton *skeleton; // may have no segments
    const sn_mat4 *rest_worlds;  // segment_count: world matrices of the rest pose
    const uint32_t
        *bone_segments; // weights->bone_count: segment of each bone; NULL without weights
    const uint32_t
        *target_controls;       // target_count: control that drives each morph target, or SN_NONE
    const sn_mesh *driver_mesh; // at rest; NULL when the deformer has none
    uint32_t driver_control;    // control that scales the driver's effect, or SN_NONE for 1
    uint32_t muscle_count;      // muscles that move it
    const sni_muscle_surface *muscles;
    uint32_t pose_count; // sets of key poses
    const sni_pose_set *poses;
    uint32_t collider_count; // meshes that it touches; only their faces count, since they may stand
                             // elsewhere at rest
    const sn_mesh *const *colliders;
    uint32_t component_count; // what lies under it
    const sni_component *components;
    uint32_t pin_count;
    const uint32_t *pins; // vertices that stay where the deformers before put them
    uint32_t set_count;   // element sets edited by hand
    const sn_wrap_set *sets;
    const sn_wrap_patch *patch;  // the driver is a parametric surface; NULL: a mesh
    const float *point_weights;  // #V, how much each point takes of the effect; NULL: 1
    const sn_progress *progress; // may be NULL
} sni_bind_job;

typedef struct sni_deform_job {
    sn_context *context;
    sni_arena *arena; // scratch, released by the caller
    uint32_t vertex_count;
    const float *points_in; // #V x 3
    float *points_out;      // #V x 3, never the same memory as points_in
    uint32_t segment_count;
    const sn_mat4 *worlds;      // segment_count
    const double *controls;     // values of all controls
    const float *driver_points; // posed points of the driver mesh, or NULL
    uint32_t muscle_count;      // as at bind
    const sni_muscle_state *muscles;
    const double *pose_inputs;            // where each set of key poses stands
    uint32_t collider_count;              // as at bind
    const float *const *collider_points;  // posed points of each
    uint32_t component_count;             // as at bind
    const sn_mat4 *body;                  // where the body as a whole stands, a rigid motion; NULL:
                                          // in the origin
    const float *const *component_points; // posed points of those that deform, in its frame
    const float *const
        *component_surfaces; // posed vertices of those that deform, in the world; or NULL
    double time;             // seconds from the start of the clip
    double time_step;        // seconds since the previous frame; 0 at the first
    void *state;             // state_bytes(bound) bytes, or NULL
    void **kept; // where a kind with `kept_free` keeps what it makes once and uses again, such as a
                 // search tree; at first it holds NULL. Results must not depend on it
} sni_deform_job;

typedef struct sni_deformer_ops sni_deformer_ops;

struct sni_deformer_ops {
    const char *name; // as in the document
    const char *help;
    sn_parameters parameters;
    bool uses_weights;       // needs mesh->weights and a skeleton
    bool uses_targets;       // acts through mesh->targets
    bool uses_driver;        // may have a driver mesh
    bool needs_driver;       // must have one
    bool uses_muscles;       // may be moved by muscles
    bool uses_poses;         // may have key poses
    bool uses_point_weights; // takes them itself; for other kinds the evaluation mixes points
    bool simulates;       // moves in the world by itself: may have colliders and pins, and its mesh
                          // cannot be carried by a segment afterwards
    bool uses_components; // hangs on what lies under it, in the world: see `simulates`
    bool uses_sets;       // may have element sets, and a patch as driver
    // Binds to the rest state. On failure nothing is left allocated.
    sn_status (*bind)(const sni_bind_job *job, void **bound, sn_error *error);
    void (*unbind)(sn_context *context, void *bound);
    // Moves the points. Only memory can run out.
    sn_status (*deform)(const void *bound, const sni_deform_job *job, sn_error *error);
    size_t (*bytes)(const void *bound); // memory that the binding takes
    // Kinds with memory only, else NULL.
    size_t (*state_bytes)(const void *bound);
    void (*state_reset)(const void *bound, const sni_deform_job *job);
    // Kinds that keep something between frames only, else NULL.
    void (*kept_free)(sn_context *context, void *kept);
};

// The kinds. The numbers are kept for ever.
typedef enum sni_deformer_kind {
    SNI_DEFORMER_BLEND = 0,
    SNI_DEFORMER_MORPH = 1,
    SNI_DEFORMER_WRAP = 2,
    SNI_DEFORMER_FALLOFF = 3,
    SNI_DEFORMER_CLOTH = 4,
    SNI_DEFORMER_MEMBRANE = 5,
    SNI_DEFORMER_KIND_COUNT = 6,
} sni_deformer_kind;

const sni_deformer_ops *sni_deformer_ops_of(uint32_t kind);

// The kind of that name, NULL when there is none.
const sni_deformer_ops *sni_deformer_find(const char *name);

extern const sni_deformer_ops sni_deformer_blend, sni_deformer_morph, sni_deformer_wrap,
    sni_deformer_falloff, sni_deformer_cloth, sni_deformer_membrane;

// What kinds that can be taken in part have in common.
#define SNI_ENVELOPE_PARAMETER                                                                     \
    {                                                                                              \
        .name = "envelope", .help = "How much of the whole effect is taken", .unit = "", .low = 0, \
        .standard = 1, .high = 1                                                                   \
    }

// Whether `bind` may trust the job: parameters within their ranges, a segment for every bone,
// weights, skeleton and driver where the kind needs them and only where it may have them. Fails
// with SN_INVALID and the element's name and value.
sn_status sni_bind_job_validate(const sni_deformer_ops *ops, const sni_bind_job *job,
                                sn_error *error);

// Whether `deform` may trust the job: the sizes of the binding's job, spans where they are needed,
// points out apart from points in, finite matrices and times.
sn_status sni_deform_job_validate(const sni_deformer_ops *ops, const sni_bind_job *bound_to,
                                  const sni_deform_job *job, sn_error *error);

// Whether a set can be sampled: keys that rise, points below `vertex_count` that rise, finite
// offsets. Fails with SN_INVALID and the place.
sn_status sni_pose_set_validate(const sni_pose_set *set, uint32_t vertex_count, sn_error *error);

// What point number `index` of the set's points moves by at `input`: interpolated between keys,
// held outside (sn_track_sample).
void sni_pose_set_sample(const sni_pose_set *set, double input, uint32_t index, double offset[3]);

// Moves points_out back towards points_in: out = in + w (out - in), with the bits of either at w =
// 0 and 1.
void sni_mix_points(sn_context *context, uint32_t vertex_count, const float *weights,
                    const float *points_in, float *points_out);

#endif
