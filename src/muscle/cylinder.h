// SPDX-License-Identifier: Apache-2.0
//
// The `cylinder` muscle within its room: muscle_cylinder.c makes and poses it from the parts below.
//
//     cylinder_path.c    where its slices are in a pose: nodes of the axis, frames of the slices
//     cylinder_shape.c   its vertices for a given scale of the sections, and the scale that keeps
//                        the volume
//     cylinder_rest.c    what it is made from: widths, order of the attachments, pivots
//
// All of it after Wilhelms and Van Gelder, Anatomically Based Modeling (1997), section 4
// (docs/cylinder.md). A slice frame has z along the muscle from origins to insertions, x across,
// and -y outwards, away from the bone below.
#ifndef SINEW_MUSCLE_CYLINDER_H
#define SINEW_MUSCLE_CYLINDER_H

#include "muscle/carried.h"
#include "muscle/rings.h"

// Numbers of the parameter table.
enum {
    SNI_CYLINDER_SLICES,
    SNI_CYLINDER_POINTS,
    SNI_CYLINDER_WIDTH,
    SNI_CYLINDER_THICKNESS,
    SNI_CYLINDER_VOLUME,
    SNI_CYLINDER_ORDER,
    SNI_CYLINDER_SIZES,
    SNI_CYLINDER_PARAMETER_COUNT,
};

typedef struct sni_slice_frame {
    sn_vec3 origin, x, y, z;
} sni_slice_frame;

// A slice as designed, at rest.
typedef struct sni_cylinder_slice {
    double width, thickness; // of its ellipse: whole axes
    sn_vec3 move;            // of its centre, in its frame; z grows with the muscle's length
    sn_quat turn;            // of its frame
} sni_cylinder_slice;

// A node of the axis: the ends, and between them pivots by rising slice.
typedef struct sni_cylinder_node {
    uint32_t slice;
    bool is_pivot, bent, turned;
    uint32_t segment;  // of a pivot; what follows is in its frame
    sn_vec3 at;        //
    sn_vec3 x, z;      // axes of its own frame, where it is turned
    sn_vec3 outward;   // bent: away from the joint
    double reach;      // bent: half its distance from the joint
    double rest_twist; // of the axis' x from the origins' to the insertions', about its z
    double rest_angle; // of x from this node to the next, about the way there
} sni_cylinder_node;

typedef struct sni_cylinder {
    sni_rings rings;
    char *name;
    uint32_t segment_count;
    uint32_t home;                   // segment of the first origin, whose frame it is computed in
    sni_carried_place places[2][2];  // origins, insertions: in the order of their x axis
    sni_cylinder_node *nodes;        // rings.node_count
    sni_cylinder_slice *slices;      // rings.slice_count
    bool exact;                      // keeps the volume
    double rest_length, rest_volume; // rest_length 0 while it is being made
    double *circle;                  // rings.ring_count x 2: sines and cosines
    double *points;                  // control points at rest
} sni_cylinder;

// Where the slices are in a pose, in the frame of `home`.
typedef struct sni_cylinder_path {
    sni_slice_frame *nodes;  // rings.node_count
    double *effects;         // rings.node_count: 1 for a node that the axis goes through, 0 for a
                             // bent pivot that it passes by
    sni_slice_frame *frames; // rings.slice_count: before they are displaced, moved and turned
    double length;
} sni_cylinder_path;

// Memory for a path; false when there is none left.
bool sni_cylinder_path_init(const sni_cylinder *cylinder, sni_arena *arena,
                            sni_cylinder_path *path);

// Finds the frames of all slices. `home` is the frame that they are measured in.
void sni_cylinder_find_path(const sni_cylinder *cylinder, const sn_mat4 *worlds,
                            const sni_rigid_frame *home, sni_cylinder_path *path);

// The same at rest. Keeps what later poses are compared with: length and angles.
void sni_cylinder_find_rest(sni_cylinder *cylinder, const sn_mat4 *worlds,
                            const sni_rigid_frame *home, sni_cylinder_path *path);

// Control points in the frame of `home`, interior sections scaled by `scale`.
void sni_cylinder_shape(const sni_cylinder *cylinder, const sni_cylinder_path *path, double scale,
                        double *points);

// The scale of interior sections: by the length alone, or so that the mesh keeps its volume.
// `points` is scratch. False when no scale keeps it; the closest one is given then.
bool sni_cylinder_find_scale(const sni_cylinder *cylinder, const sni_cylinder_path *path,
                             double *points, double *scale);

// Fills in a cylinder whose name is there. The arena is scratch.
sn_status sni_cylinder_design(const sni_muscle_job *job, sni_arena *arena, sni_cylinder *cylinder,
                              sn_error *error);

#endif
