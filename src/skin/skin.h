// SPDX-License-Identifier: Apache-2.0
//
// Deformers: what moves the points of a mesh. A kind is a `sni_deformer_ops` in its own file
// (skin_KIND.c) and one line in the table of kinds.c.
//
//     bind    once, to the stored rest state: whatever can be worked out before the first frame
//     deform  every frame: points in, points out
//
// A kind with memory (cloth) also says how many bytes of state one frame carries to the next; the
// evaluation owns them, resets, saves and restores them.
//
// Deformers see spans of numbers only: no document, no files. What a kind takes besides its mesh
// and its parameters are its inputs (kind/input.h).
#ifndef SINEW_SKIN_SKIN_H
#define SINEW_SKIN_SKIN_H

#include "base/arena.h"
#include "base/memory.h"
#include "base/parameter.h"
#include "base/store.h"
#include "sinew/mesh.h"
#include "sinew/motion.h"
#include "skin/inputs.h"
#include "skin/parameters.h"

// What a deformer binds to. `mesh` is validated (sn_mesh_validate) and must outlive the binding,
// unchanged; everything else is only read during `bind`.
typedef struct sni_bind_job {
    sn_context *context;
    const sn_mesh *mesh;         // at rest
    sni_digest mesh_digest;      // of what it was made from
    sni_store *store;            // for parts of a binding that outlive it; NULL: there is none
    const double *parameters;    // one value for each entry of the kind's table; the greatest of
                                 // those that controls drive
    const uint32_t *driven;      // the control of each parameter, or SN_NONE; NULL: none is driven
    const sn_skeleton *skeleton; // may have no segments
    const sn_mat4 *rest_worlds;  // segment_count: world matrices of the rest pose
    const float *point_weights;  // #V, how much each point takes of the effect; NULL: 1
    const void *inputs[SNI_INPUTS_MOST]; // blocks, in the order of the kind's inputs; NULL where
                                         // the deformer has none
    const sn_progress *progress;         // may be NULL
} sni_bind_job;

typedef struct sni_deform_job {
    sn_context *context;
    sni_arena *arena; // scratch, released by the caller
    uint32_t vertex_count;
    const float *points_in; // #V x 3
    float *points_out;      // #V x 3, never the same memory as points_in
    // What the first of the deformers of this kind that stand in a row here was given; NULL and
    // points_in where this is the first.
    const float *points_before;
    uint32_t segment_count;
    const sn_mat4 *worlds;               // segment_count
    const double *controls;              // values of all controls
    const double *parameters;            // in this frame; NULL: as at bind, none is driven
    const void *inputs[SNI_INPUTS_MOST]; // as at bind
    double time;                         // seconds from the start of the clip
    double time_step;                    // seconds since the previous frame; 0 at the first
    void *state;                         // state_bytes(bound) bytes, or NULL
    void **kept; // where a kind with `kept_free` keeps what it makes once and uses again, such as a
                 // search tree; at first it holds NULL. Results must not depend on it
} sni_deform_job;

// What the flesh of a frame looks like.
typedef struct sni_flesh_measure {
    uint32_t flipped;           // elements that are inside out
    double volume, rest_volume; // cubic metres
    double shortest, longest;   // thickness over that at rest
} sni_flesh_measure;

typedef struct sni_deformer_ops sni_deformer_ops;

struct sni_deformer_ops {
    const char *name; // as in the document
    const char *help;
    sn_parameters parameters;
    sni_input_use inputs[SNI_INPUTS_MOST];
    bool uses_point_weights; // takes them itself; for other kinds the evaluation mixes points
    bool combines;           // can be combined with others of its kind on the same points
    bool takes_solids;       // of its muscles the inside counts, not their patch
    bool moves_in_world;     // its mesh cannot be carried by a segment afterwards
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
    // Kinds with contact only, else NULL: how far it has moved each vertex in the last frame,
    // metres, from what the kind keeps; NULL where that is nothing.
    const float *(*contact)(const void *kept);
    // Kinds with a field only, else NULL: its values at points in the pose of the job, 0 beyond, a
    // half on the surface, 1 deep inside. Of the job only what does not hold points of its mesh is
    // there. Only memory can run out.
    sn_status (*field)(const void *bound, const sni_deform_job *job, uint32_t count,
                       const float *points, float *values, sn_error *error);
    // Kinds with flesh only, else NULL: that of the last frame, from what the kind keeps.
    void (*flesh)(const void *bound, const void *kept, sni_flesh_measure *measure);
};

// The kinds (kinds.c), ended by NULL; how many there are; one of them, NULL beyond the last.
extern const sni_deformer_ops *const sni_deformer_kinds[];
uint32_t sni_deformer_kind_count(void);
const sni_deformer_ops *sni_deformer_ops_of(uint32_t kind);

// The kind of that name, NULL when there is none.
const sni_deformer_ops *sni_deformer_find(const char *name);

extern const sni_deformer_ops sni_deformer_blend, sni_deformer_morph, sni_deformer_wrap,
    sni_deformer_falloff, sni_deformer_cloth, sni_deformer_membrane, sni_deformer_implicit,
    sni_deformer_relax, sni_deformer_layers, sni_deformer_lids;

// What kinds that can be taken in part have in common.
#define SNI_ENVELOPE_PARAMETER                                                                     \
    {                                                                                              \
        .name = "envelope", .help = "How much of the whole effect is applied", .unit = "",         \
        .low = 0, .standard = 1, .high = 1, .live = true                                           \
    }

// Whether `bind` may trust the job: parameters within their ranges, the inputs that the kind needs,
// and all of them in order. Fails with SN_INVALID and the element's name and value.
sn_status sni_bind_job_validate(const sni_deformer_ops *ops, const sni_bind_job *job,
                                sn_error *error);

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
