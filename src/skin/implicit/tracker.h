// SPDX-License-Identifier: Apache-2.0
//
// Skin that follows a field: every vertex keeps the value that the field had around it at rest.
// From where it was in the frame before, carried along with the bones, it is projected along the
// gradient to its value, and moved within the surface so that the mesh keeps its shape. Where the
// gradient turns over, two parts of the skin meet, and the vertex stops in contact (R. Vaillant et
// al., "Robust Iso-Surface Tracking for Interactive Character Skinning", 2014; the relaxation and
// the handling of contact are our own, as the published ones are not public).
#ifndef SINEW_SKIN_IMPLICIT_TRACKER_H
#define SINEW_SKIN_IMPLICIT_TRACKER_H

#include "base/arena.h"
#include "field/support.h"

// A field as the tracker asks for it, at a place of a vertex.
typedef struct sni_tracked_value {
    sni_field_value field;
    bool own; // the vertex's own part has the largest field here
} sni_tracked_value;

typedef sni_tracked_value (*sni_tracked_fn)(const void *user, uint32_t vertex, sn_vec3 at);

// The mesh at rest, as the relaxation sees it. Neighbours of all vertices in rows.
typedef struct sni_tracker_mesh {
    uint32_t vertex_count;
    const sn_vec3 *rest;
    const uint32_t *starts;    // vertex_count + 1
    const uint32_t *neighbors; // ascending within a row
    const double *weights;     // of neighbours: cotangents, 0.05 to 5
    const uint8_t *fixed;      // vertices of the border, which are not relaxed
    double mean_edge;          // metres
} sni_tracker_mesh;

typedef struct sni_tracker_settings {
    double tolerance;     // of field values
    double stride;        // part of a Newton step that is gone
    double contact_angle; // radians that a gradient turns by where vertices are in contact
    double largest_step;  // metres: a quarter of the smallest radius of a part
    uint32_t iterations;  // at most
    uint32_t sweeps;      // of relaxation in each
    double relaxation;    // part of the way to the relaxed place
    double contact_relaxation;
    uint32_t diffusions;  // passes in which contact spreads to the vertices around it
    uint32_t smoothings;  // passes over these
    uint32_t projections; // steps at the end
} sni_tracker_settings;

// The standard settings, for a body whose smallest part has this radius.
sni_tracker_settings sni_tracker_settings_of(double smallest_radius);

typedef enum sni_track_status {
    SNI_TRACK_ACTIVE = 0,
    SNI_TRACK_DONE = 1,
    SNI_TRACK_CONTACT = 2,
    SNI_TRACK_OUT = 3,  // beyond all fields
    SNI_TRACK_SKIP = 4, // never tracked: it follows the prediction
} sni_track_status;

// One frame. `positions` holds the prediction and becomes the tracked skin; `rotations` holds for
// each vertex the rotation of its ring as far as it is known, and becomes what was found.
typedef struct sni_tracking {
    sn_context *context;
    const sni_tracker_mesh *mesh;
    const sni_tracker_settings *settings;
    sni_tracked_fn field;
    const void *user;
    const double *values; // vertex_count: the value at rest
    uint8_t *statuses;    // vertex_count: SKIP is kept, all others are written
    sn_vec3 *positions;   // vertex_count
    sn_quat *rotations;   // vertex_count
} sni_tracking;

// Tracks the skin. Scratch comes from the arena and is given back. False when memory runs out.
bool sni_track(const sni_tracking *tracking, sni_arena *arena);

// The rotation that fits sum_j weight_j now_j rest_j^T best, from a guess (M. Müller et al., "A
// Robust Method to Extract the Rotational Part of Deformations", 2016). `sums` are the columns.
sn_quat sni_fit_rotation(const sn_vec3 sums[3], sn_quat guess);

#endif
