// SPDX-License-Identifier: Apache-2.0
//
// The parts of the `falloff` deformer (docs/falloff.md).
#ifndef SINEW_SKIN_FALLOFF_H
#define SINEW_SKIN_FALLOFF_H

#include "skin/skin.h"

// Shapes of the falloff between d_full and d_none.
typedef enum sni_falloff_kind {
    SNI_FALLOFF_LINEAR,
    SNI_FALLOFF_QUADRATIC,
    SNI_FALLOFF_CUBIC,
    SNI_FALLOFF_COSINE,
} sni_falloff_kind;

typedef struct sni_falloff_settings {
    double d_full, d_none; // metres
    sni_falloff_kind kind;
    double reach; // 0: points far along the skin are not told from near ones
} sni_falloff_settings;

// psi of (4.1).
double sni_falloff_value(const sni_falloff_settings *settings, double distance);

// A point that follows a muscle.
typedef struct sni_attachment {
    uint32_t vertex;
    double u, v;     // the closest place of the relaxed muscle
    double distance; // from there
    double factor;   // psi times the point's weight
} sni_attachment;

typedef struct sni_attachments {
    uint32_t count;
    sni_attachment *items; // by rising vertex
    uint32_t separated;    // points left out for being far along the skin
    uint32_t ambiguous;    // points with two equally near places
} sni_attachments;

// The ways along a skin, for any number of muscles, one at a time. The mesh is borrowed.
typedef struct sni_skin_ways sni_skin_ways;

// `digest` is that of the mesh, by which the store (NULL: none) keeps what follows from it alone.
sn_status sni_skin_ways_create(sn_context *context, const sn_mesh *mesh, const sni_digest *digest,
                               sni_store *store, sni_skin_ways **ways, sn_error *error);
void sni_skin_ways_destroy(sni_skin_ways *ways);

// Finds all points of the job's mesh that follow a muscle. Free `items` with sni_free. `ways` may
// be NULL where the reach is 0.
sn_status sni_falloff_attach(const sni_bind_job *job, const sni_muscle_surface *muscle,
                             const sni_falloff_settings *settings, sni_skin_ways *ways,
                             sni_attachments *attachments, sn_error *error);

// The points that follow one muscle.
typedef struct sni_followers {
    sni_made made;
    uint32_t degrees[2];
    uint32_t counts[2];      // of control points
    uint32_t padded[2];      // with those that a closed direction repeats
    double *control_weights; // of a rational surface, else NULL
    uint32_t count;
    uint32_t *vertices; // count, rising
    uint32_t *firsts;   // count: first control point of the padded grid
    float *weights;     // count x (p + 1 + q + 1)
    double *distances; // count: from the muscle, where controls drive the distances of the falloff,
                       // and the weights are without psi then; else NULL
} sni_followers;

// How the displacements of several muscles at one point are put together.
typedef enum sni_falloff_overlap {
    SNI_FALLOFF_BLEND,
    SNI_FALLOFF_SUM, // that of the paper
} sni_falloff_overlap;

// The points that follow several muscles. Each has room for its displacements side by side: that of
// the deformers before, then those of its muscles.
typedef struct sni_overlaps {
    uint32_t count;
    uint32_t *vertices; // count, rising
    uint32_t *offsets;  // count + 1: the first displacement of each
    uint32_t **places;  // for each muscle and its rows the number of the displacement, SN_NONE at
                        // points that follow no other muscle; NULL where all of them are such
} sni_overlaps;

// One frame.
typedef struct sni_falloff_job {
    const sni_deform_job *deform;
    uint32_t muscle_count;
    const sni_followers *const *muscles;
    const float *const *moves; // for each muscle 4 numbers per padded control point, the last 0;
                               // NULL when it does not move
    sni_falloff_overlap overlap;
    const sni_overlaps *overlaps; // with SNI_FALLOFF_BLEND
    float *displacements;         // scratch: 4 numbers for each of the overlaps
} sni_falloff_job;

// Adds all displacements to the points of the job. Several displacements d_i of a point, those of
// the deformers in a row before this one as the first of them, are blended:
//
//     d = sum_i s_i d_i ,    s_i = max_j g_ij / sum_j g_ij ,    g_ij = max(0, d_i . d_j)
//
// So a single one is taken as it is, parallel ones give the longest, and those at right angles or
// against each other their sum. It is continuous: a displacement that goes to 0 leaves all others
// as they are.
void sni_falloff_run(const sni_falloff_job *job);

// How much of its effect a point keeps whose way along the skin is `way`, where `near` is its
// distance from the muscle and half a cell. All where the way is no longer than near + edge,
// nothing from the limit on, and over the band between them the cubic y^2 (3 - 2y):
//
//     limit = reach near + edge,   band = (reach - 1) near,   y = (limit - way) / band
//
// From one end of an edge to the other way and distance change by its length at most, so that this
// changes by at most 3/2 (1 + reach) / band of it. Without a band (reach 1 and less) it is a step.
double sni_falloff_fade(double reach, double near, double edge, double way);

// Separates the points that are close in space but far along the skin: fades them by their way from
// the muscle's traces, along edges and across faces, with near = distance + trace_spacing and the
// mean edge around the points, and leaves out what is beyond the limit. Parts of the mesh that are
// not connected with the traces are beyond it; points without faces are not judged. Takes time in
// proportion to the part of the skin within that distance.
void sni_falloff_separate(sni_skin_ways *ways, const sni_muscle_surface *muscle, double reach,
                          sni_attachments *attachments);

#endif
