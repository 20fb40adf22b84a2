// SPDX-License-Identifier: Apache-2.0
//
// The cylinder within the muscle room: what a muscle of kind `cylinder` is, and what other kinds
// may be made of.
//
//     cylinder.c  making one, placing it in a pose, writing its points
//     path.c      where its slices are in a pose: nodes of the axis, frames of the slices
//     arcs.c      where it goes around bodies (wrap_object.h)
//     span.c      its slices there
//     shape.c     its vertices for a given scale of the sections, and the scale that keeps
//                 the volume
//     rest.c      what it is made from: widths, order of the attachments, pivots
//     sections.c  the same from ellipses that are given
//     wraps.c     bodies that it goes around
//     pull.c      where it pulls at bones
//
// How it is used, by muscle_cylinder.c and by kinds that have several. Once, with the parameters of
// sni_muscle_cylinder in the job, and in its body attachments, sections, pivots, bodies to go
// around:
//
//     sni_cylinder *strip;
//     sni_cylinder_create(&job, &strip, error);
//
// In each pose, in the pose's arena. `place` reads worlds and pivots, which are those of this
// strip; `write` may be called as often as needed, and with a `swell` of 1 gives the sections that
// the length asks for:
//
//     sni_cylinder_path path;
//     sni_cylinder_place(strip, &pose, NULL, &path, error);
//     sni_cylinder_write(strip, &path, swell, points);
//
// `points` has sni_rings_point_count(&strip->rings) points x 3, in the world: first the rings,
// slice by slice, rings.ring_count points each, then points of the axis. strip->points are those at
// rest, the same bits that `write` gives with a swell of 1 in the rest pose; path.length and
// strip->rest_length are the lengths of the axis.
//
// All of it after Wilhelms and Van Gelder, Anatomically Based Modeling (1997), section 4
// (docs/cylinder.md). A slice frame has z along the muscle from origins to insertions, x across,
// and -y outwards, away from the bone below.
#ifndef SINEW_MUSCLE_CYLINDER_H
#define SINEW_MUSCLE_CYLINDER_H

#include "muscle/carried.h"
#include "muscle/rings.h"
#include "muscle/wrap_object.h"

// Numbers of the parameter table.
enum {
    SNI_CYLINDER_SLICES,
    SNI_CYLINDER_POINTS,
    SNI_CYLINDER_WIDTH,
    SNI_CYLINDER_THICKNESS,
    SNI_CYLINDER_VOLUME,
    SNI_CYLINDER_ORDER,
    SNI_CYLINDER_SIZES,
    SNI_CYLINDER_LIFT,
    SNI_CYLINDER_PARAMETER_COUNT,
};

typedef struct sni_slice_frame {
    sn_vec3 origin, x, y, z;
} sni_slice_frame;

// A slice as designed, at rest.
typedef struct sni_cylinder_slice {
    double width, thickness; // of its ellipse: whole axes
    // In its frame:
    sn_vec3 move;     // of its centre; z of an interior slice grows with the muscle's length
    sn_vec3 x, y;     // unit axes of the ellipse
    sn_vec3 outward;  // where it is lifted to, a unit vector
    double rest_lift; // how much of its lift `move` has already
} sni_cylinder_slice;

// A node of the axis: the ends, and between them pivots by rising slice.
typedef struct sni_cylinder_node {
    uint32_t slice;
    bool is_pivot, bent, turned;
    bool ranged, off;  // used as the pose says; passed by where it says nothing
    uint32_t pivot;    // its number in the muscle's body
    uint32_t segment;  // of a pivot; what follows is in its frame
    sn_vec3 at;        //
    sn_vec3 x, z;      // axes of its own frame, where it is turned
    bool halved;       // it turns half as much as its segment does against `other`
    uint32_t other;    //
    sn_quat rest_turn; // halved: of its segment in the frame of the other, at rest
    sn_vec3 outward;   // bent: away from the joint
    double reach;      // bent: half its distance from the joint
    double rest_twist; // of the axis' x from the origins' to the insertions', about its z
    double rest_angle; // of x from this node to the next, about the way there
} sni_cylinder_node;

// A body that the axis goes around, in its segment's frame.
typedef struct sni_cylinder_wrap {
    uint32_t first, last; // slices
    bool ranged;          // it acts on any piece of the axis between two nodes
    uint32_t nodes[2];    // ranged: these
    uint32_t segment;
    sni_wrap_body body;
} sni_cylinder_wrap;

typedef struct sni_cylinder {
    sni_rings rings;
    char *name;
    uint32_t segment_count;
    uint32_t home;                   // segment of the first origin, whose frame it is computed in
    sni_carried_place places[2][2];  // origins, insertions: in the order of their x axis
    uint32_t node_count, wrap_count; // rings.node_count = node_count + 3 wrap_count
    sni_cylinder_node *nodes;        // node_count
    sni_cylinder_wrap *wraps;        // wrap_count, in the order in which they are found
    sni_cylinder_slice *slices;      // rings.slice_count
    bool exact;                      // keeps the volume
    double lift;                     // share of the lift that interior slices get
    double rest_length, rest_volume; // rest_length 0 while it is being made
    double *circle;                  // rings.ring_count x 2: sines and cosines
    double *points;                  // control points at rest, in the world
    double *knots;                   // of the patch of its rings
} sni_cylinder;

// Where the slices are in a pose, in the frame of `home`.
typedef struct sni_cylinder_path {
    sni_rigid_frame home;
    sni_slice_frame *nodes;  // node_count
    double *effects;         // node_count: 1 for a node that the axis goes through, 0 for a
                             // pivot that it passes by
    bool *fixed;             // node_count: whether it goes through the node wholly, whatever
                             // the way there is
    sni_slice_frame *frames; // rings.slice_count: before they are displaced, moved and turned
    double *angles;          // node_count: by which x turns to the next one
    sni_wrap_body *bodies;   // wrap_count: where they are
    sni_wrap_arc *arcs;      // wrap_count
    uint32_t *order;         // wrap_count: bodies as they lie along the axis, touched or not
    uint32_t *legs;          // wrap_count: the node behind which each body is
    uint32_t *first_arcs;    // node_count: place in `order` of the first one behind each node
    double *stands;          // rings.slice_count: scratch, how far along slices are
    double *lifts;           // rings.slice_count: scratch of sni_cylinder_shape
    double length;
    double scale; // of interior sections
    bool kept;    // whether that keeps the volume, where it should
} sni_cylinder_path;

// Makes a cylinder; checks the job. On failure nothing is left allocated.
sn_status sni_cylinder_create(const sni_muscle_job *job, sni_cylinder **cylinder, sn_error *error);
void sni_cylinder_destroy(sn_context *context, sni_cylinder *cylinder);

// Finds path and scale for a pose, of which context, arena, segments and worlds are read, with its
// pivots at `pivots` (NULL: as at rest). The path lies in the arena.
sn_status sni_cylinder_place(const sni_cylinder *cylinder, const sni_muscle_pose_job *job,
                             const sni_muscle_pivot_place *pivots, sni_cylinder_path *path,
                             sn_error *error);

// The length of the axis in a pose, of which the same is read; no slice is made.
sn_status sni_cylinder_length(const sni_cylinder *cylinder, const sni_muscle_pose_job *job,
                              const sni_muscle_pivot_place *pivots, double *length,
                              sn_error *error);

// Where it pulls in a pose, of which the same is read. The line has sni_cylinder_pull_count pulls:
// at its origins and insertions, its pivots, and where it enters and leaves bodies.
uint32_t sni_cylinder_pull_count(const sni_cylinder *cylinder);
sn_status sni_cylinder_pull(const sni_cylinder *cylinder, const sni_muscle_pose_job *job,
                            const sni_muscle_pivot_place *pivots, sni_muscle_line *line,
                            sn_error *error);

// Control points in the world, interior sections scaled by path->scale times `swell`.
void sni_cylinder_write(const sni_cylinder *cylinder, const sni_cylinder_path *path, double swell,
                        double *points);

// --- Parts

// Memory for a path; false when there is none left.
bool sni_cylinder_path_init(const sni_cylinder *cylinder, sni_arena *arena,
                            sni_cylinder_path *path);

// Finds where the nodes are and where bodies are gone around, but no slice. `pivots` may be NULL:
// as at rest.
void sni_cylinder_find_stops(const sni_cylinder *cylinder, const sn_mat4 *worlds,
                             const sni_muscle_pivot_place *pivots, sni_cylinder_path *path);

// The next node behind a pivot that the axis always goes through, and how much of the way there
// from the node before the pivot it stands.
double sni_cylinder_way_to_next(const sni_cylinder *cylinder, const sni_cylinder_path *path,
                                uint32_t node, uint32_t *next);

// Finds the frames of all slices. `pivots` may be NULL: as at rest.
void sni_cylinder_find_path(const sni_cylinder *cylinder, const sn_mat4 *worlds,
                            const sni_muscle_pivot_place *pivots, sni_cylinder_path *path);

// The same at rest. Keeps what later poses are compared with: length and angles.
void sni_cylinder_find_rest(sni_cylinder *cylinder, const sn_mat4 *worlds, sni_cylinder_path *path);

// What the axis does between nodes (arcs.c, span.c). It passes by pivots that are off; the next
// node is the next that it goes through.
bool sni_cylinder_passes_by(const sni_cylinder *cylinder, const sni_cylinder_path *path,
                            uint32_t node);
uint32_t sni_cylinder_next_node(const sni_cylinder *cylinder, const sni_cylinder_path *path,
                                uint32_t node);

// Finds the arcs, once the nodes have their origins.
void sni_cylinder_find_arcs(const sni_cylinder *cylinder, const sn_mat4 *worlds,
                            sni_cylinder_path *path);

// Whether a body is touched between two nodes.
bool sni_cylinder_is_around(const sni_cylinder_path *path, uint32_t from, uint32_t to);

// The points before and behind a node where the axis is straight up to it: nodes, or ends of arcs.
sn_vec3 sni_cylinder_stop_before(const sni_cylinder *cylinder, const sni_cylinder_path *path,
                                 uint32_t node);
sn_vec3 sni_cylinder_stop_after(const sni_cylinder *cylinder, const sni_cylinder_path *path,
                                uint32_t node);

// Frames (without y) of the slices between two nodes, on a way around bodies. x and z are those
// with which it begins; they are carried along without turning about z. `end` is the frame at its
// end. Gives the length.
double sni_cylinder_stand_around(const sni_cylinder *cylinder, sni_cylinder_path *path,
                                 uint32_t from, uint32_t to, sn_vec3 x, sn_vec3 z,
                                 sni_slice_frame *end);

// The axis as rings.node_count points: nodes, and three for each body, with two straight ways
// between them as long as the arc.
void sni_cylinder_store_axis(const sni_cylinder *cylinder, const sni_cylinder_path *path,
                             double *numbers);

// Control points in the frame of `home`, interior sections scaled by `scale`.
void sni_cylinder_shape(const sni_cylinder *cylinder, const sni_cylinder_path *path, double scale,
                        double *points);

// The scale of interior sections: by the length alone, or so that the mesh keeps its volume.
// `points` is scratch. False when no scale keeps it; the closest one is given then.
bool sni_cylinder_find_scale(const sni_cylinder *cylinder, const sni_cylinder_path *path,
                             double *points, double *scale);

// How far interior slices are lifted on the path at rest becomes the lift that they already have.
void sni_cylinder_keep_lifts(sni_cylinder *cylinder, const sni_cylinder_path *path);

// Slices that are the given sections on the path at rest.
sn_status sni_cylinder_take_sections(const sni_muscle_job *job, const sni_cylinder_path *path,
                                     sni_cylinder *cylinder, sn_error *error);

// The bodies that it goes around, of which the nodes must be known.
sn_status sni_cylinder_take_wraps(const sni_muscle_job *job, sni_cylinder *cylinder,
                                  sn_error *error);

// Fills in a cylinder whose name is there. The arena is scratch.
sn_status sni_cylinder_design(const sni_muscle_job *job, sni_arena *arena, sni_cylinder *cylinder,
                              sn_error *error);

#endif
