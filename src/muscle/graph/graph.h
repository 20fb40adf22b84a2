// SPDX-License-Identifier: Apache-2.0
//
// The muscle of kind `graph` within the muscle room (docs/graph.md), after the facial animation
// thesis, sections 4.1 to 4.4: a closed surface, and inside of it control points with parents.
//
//     tree.c      points and their parents: order, children, ways along the graph
//     curve.c     a Catmull-Rom curve between two knots
//     links.c     the curves of all paths in a pose, and places on them
//     spread.c    how control points share what bones make of a path's length
//     knots.c     where bones carry the knots
//     frames.c    control points in a pose, with their local frames
//     rings.c     expansion points around control points
//     weights.c   how much a vertex follows each control point (equations 4.3 and 4.4)
//     surface.c   the surface in a pose (equation 4.11), and its volume
//     volume.c    the factor of the expansion points that keeps the volume
//     neighbours.c what connected muscles do to each other's knots
//     tube.c      a surface around points with radii
//     make.c      all of it at rest
//     pose.c      all of it in a pose
//
// A control point has a knot, which bones and neighbours carry. Paths are Catmull-Rom curves
// through knots, from every point up to its root. Contraction moves control points along paths,
// while the knots stay.
#ifndef SINEW_MUSCLE_GRAPH_H
#define SINEW_MUSCLE_GRAPH_H

#include "muscle/carried.h"
#include "muscle/graph/parameters.h"

// Inputs of the kind, in the order of its ops.
enum { SNI_GRAPH_INPUT_POINTS, SNI_GRAPH_INPUT_SLIDES, SNI_GRAPH_INPUT_NEIGHBOURS };

enum {
    SNI_GRAPH_PARTICLES = 16,  // of a path, as others see it (sni_muscle_axes)
    SNI_GRAPH_RING_POINTS = 4, // control points of a ring, see frames.c
    SNI_GRAPH_ROW_FLOATS = 32, // of a ring in a table, see surface.h
    SNI_GRAPH_TIE_FLOATS = 8,  // of a tie, see surface.h
};

typedef struct sni_graph_frame {
    sn_vec3 origin, x, y, z; // unit axes, right-handed; x along the path, towards the parent
} sni_graph_frame;

// --- Points and their parents (tree.c)

typedef struct sni_graph_tree {
    sn_context *context;
    uint32_t count;
    bool ring;              // every point has a parent, and all form one circle
    uint32_t *parents;      // count; SN_NONE: a root
    uint32_t *order;        // count: parents before children; around a ring
    uint32_t *child_starts; // count + 1
    uint32_t *children;
    uint32_t *graphs; // count: which of several graphs a point belongs to
    uint32_t graph_count;
    bool *tendons; // count: whether the way from a point to its parent is tendon
} sni_graph_tree;

static inline uint32_t sni_graph_child_count(const sni_graph_tree *tree, uint32_t point) {
    return tree->child_starts[point + 1] - tree->child_starts[point];
}

// Checks parents, and fails with `name` of the muscle and the number of the point. A ring is
// allowed for sphincters alone.
sn_status sni_graph_tree_init(sni_graph_tree *tree, sn_context *context, const char *name,
                              uint32_t count, const sni_graph_point *points, bool sphincter,
                              sn_error *error);
void sni_graph_tree_deinit(sni_graph_tree *tree);

// Fills `ways` (count x count) with lengths along the graph, `lengths` being those from points to
// their parents; INFINITY between two graphs.
void sni_graph_tree_ways(const sni_graph_tree *tree, const double *lengths, double *ways);

// --- Curves (curve.c)

// A cubic from `a` at 0 to `b` at 1, with the derivatives there.
typedef struct sni_graph_curve {
    sn_vec3 a, b, a_slope, b_slope;
} sni_graph_curve;

// The piece from b to c of the Catmull-Rom curve through four points.
sni_graph_curve sni_graph_curve_through(sn_vec3 a, sn_vec3 b, sn_vec3 c, sn_vec3 d);
sn_vec3 sni_graph_curve_point(const sni_graph_curve *curve, double u);
sn_vec3 sni_graph_curve_slope(const sni_graph_curve *curve, double u);
// The length from `u` to the end of the curve, and the place from where that is `length`.
double sni_graph_curve_length(const sni_graph_curve *curve, double u);
double sni_graph_curve_place(const sni_graph_curve *curve, double whole, double length);

// --- Paths (links.c)

// The curve from a knot up to its parent, as whoever comes from below has it. Where several
// branches meet, each continues smoothly, as in the thesis; a point that begins there comes from
// the mean of its children.
typedef struct sni_graph_link {
    uint32_t knot, parent;
    uint32_t from;  // the child that it comes from; SN_NONE: the knot's own point begins here
    uint32_t above; // the link behind it; SN_NONE: the parent is a root
} sni_graph_link;

// A link in a pose.
typedef struct sni_graph_way {
    sni_graph_curve curve;
    double length;       // of the curve
    double top;          // length from the root to its end
    sni_graph_frame end; // at its end, the parent's knot
} sni_graph_way;

typedef struct sni_graph_links {
    uint32_t count;
    sni_graph_link *links; // those above come before
    uint32_t *starts;      // of points: the link that begins there; SN_NONE for a root
} sni_graph_links;

sn_status sni_graph_links_init(sni_graph_links *links, const sni_graph_tree *tree, sn_error *error);
void sni_graph_links_deinit(sni_graph_links *links, sn_context *context);

// Finds the curves for knots, and their frames: those of the roots are `carried` (one for each
// point), turned the shortest way, and go on along the curves without turning about them.
void sni_graph_find_ways(const sni_graph_tree *tree, const sni_graph_links *links,
                         const sn_vec3 *knots, const sni_graph_frame *carried, sni_graph_way *ways);

// Length of the path from the root to a point's knot; 0 for a root.
double sni_graph_path_length(const sni_graph_links *links, const sni_graph_way *ways,
                             uint32_t point);

// The place on the path of a point that is `length` from the root, with the frame there. Beyond
// the knot it continues along the way to the only child, else straight.
sni_graph_frame sni_graph_path_place(const sni_graph_tree *tree, const sni_graph_links *links,
                                     const sni_graph_way *ways, uint32_t point, double length);

// Which knots that place lies between: `share` of the way from `lower` to its parent.
void sni_graph_path_knots(const sni_graph_links *links, const sni_graph_way *ways, uint32_t point,
                          double length, uint32_t *lower, double *share);

// --- Lengths (spread.c)

// Where control points are on their paths, as lengths from the root: spread evenly over the flesh
// between bones, tendons as long as at rest. `rest` are those at rest, `leaves` the lengths of the
// paths to the leaves' knots now; written for all points. `scratch`: count x 2.
void sni_graph_spread(const sni_graph_tree *tree, const double *rest, const double *leaves,
                      double *places, double *scratch);

// Shortens flesh by `part` of its length, from the roots on. What bones press together to less than
// a few tenths of its length gives way and never vanishes.
void sni_graph_contract(const sni_graph_tree *tree, const double *rest, double part,
                        double *places);

// --- Knots (knots.c)

// A segment's part in carrying a knot. Points on a bone have one carrier; those in space have the
// carriers of the points on bones next to them along the graph, by their nearness.
typedef struct sni_graph_carrier {
    uint32_t segment;
    double share;  // of all carriers of a knot: 1
    sn_vec3 point; // in the segment's frame
    sn_vec3 y, z;  // axes of the control point's frame at rest, in the segment's rotation
} sni_graph_carrier;

typedef struct sni_graph_knots {
    uint32_t *starts; // count + 1
    sni_graph_carrier *carriers;
} sni_graph_knots;

sn_status sni_graph_knots_init(sni_graph_knots *knots, const sni_muscle_job *job,
                               const sni_graph_tree *tree, const sni_graph_point *points,
                               sn_error *error);
void sni_graph_knots_deinit(sni_graph_knots *knots, sn_context *context);

// Keeps the frames of control points at rest, which are given as seen from `home`.
void sni_graph_knots_keep(sni_graph_knots *knots, const sni_graph_tree *tree,
                          const sn_mat4 *rest_worlds, const sni_rigid_frame *home,
                          const sni_graph_frame *frames);

// The knots in a pose, as seen from `home`, and the frames at rest as the segments carry them.
// Where several do, axes are shorter than 1.
void sni_graph_knots_carry(const sni_graph_knots *knots, uint32_t count, const sn_mat4 *worlds,
                           const sni_rigid_frame *home, sni_graph_frame *carried);

// --- Expansion points (rings.c)

// The expansion points of one control point in its section: y and z of its frame at rest.
typedef struct sni_graph_ring {
    uint32_t point_count; // 0: a tendon, or sections are scaled as they are
    double (*points)[2];  // point_count, 95 % of the way to the surface
    double radius;        // mean distance of the surface
    uint32_t missed;      // rays that found nothing
} sni_graph_ring;

// --- The muscle

typedef struct sni_graph_key {
    double ratio;  // of the flesh's length to that at rest
    double factor; // of the expansion points, with which the volume is kept
} sni_graph_key;

typedef struct sni_graph_spring {
    uint32_t knot;      // of this muscle
    uint32_t neighbour; // that pulls it, by its place in the list of neighbours
    uint32_t point;     // of that muscle
    sn_vec3 rest;       // where it is at rest, in the frame of the knot's first carrier
} sni_graph_spring;

typedef struct sni_graph {
    sn_context *context;
    char *name;
    double parameters[SNI_GRAPH_PARAMETER_COUNT]; // as bound
    uint32_t segment_count;
    uint32_t home; // segment of the first root, whose frame it is computed in
    sni_graph_tree tree;
    sni_graph_links links; // of one with paths
    sni_graph_knots knots;
    bool sphincter;
    sni_graph_carrier center; // of a sphincter
    uint32_t obstacle_count;
    sni_touched_bone *obstacles; // that a sphincter slides on
    double *clearances;          // count x obstacle_count: distances at rest
    // At rest.
    double *rest_places; // count: lengths from the root; of a sphincter to the parent
    double *bulges;      // count: how much tension widens a control point, relative to others
    uint32_t leaf_count;
    uint32_t *leaves;
    double rest_ratio, rest_length, rest_volume, rest_area, thickness;
    sn_vec3 rest_reference; // of tables: the first root, in the world
    // The surface.
    sn_mesh *mesh;
    uint32_t triangle_count;
    uint32_t *triangles;  // triangle_count x 3
    uint32_t *tie_starts; // vertex_count + 1
    uint32_t *tie_rings;
    float *tie_factors; // of ties x SNI_GRAPH_TIE_FLOATS
    float *base;        // vertex_count x 3: what the ties make of the surface at rest
    double base_volume; // within that, of either sign
    bool expands;       // expansion points do something for the volume
    uint32_t key_count;
    sni_graph_key *keys; // by rising ratio
    uint32_t most_steps; // of the searches for keys
    double mean_steps;
    uint32_t spring_count;
    sni_graph_spring *springs; // by rising knot
    uint32_t point_count;      // control points
    double *points;            // point_count x 3: at rest
} sni_graph;

// --- A pose (frames.c)

// What a muscle is in a pose, all as seen from `home`, the first root's segment.
typedef struct sni_graph_pose {
    sni_rigid_frame home;
    sni_graph_frame *carried; // count: knots, and the frames at rest as bones carry them
    sn_vec3 *knots;           // count: with what neighbours do
    sni_graph_way *ways;      // of links
    double *leaves;           // count: lengths of paths
    double *places;           // count: of control points, as lengths from the root
    double *scratch;          // count x 2
    sni_graph_frame *frames;  // count: of control points
    double *stretches;        // count: of the path at each of them
    double ratio;             // of the length of all flesh to that at rest
    double length;            // mean length of paths, as far as the control points reach
} sni_graph_pose;

// Memory for a pose; false when there is none left.
bool sni_graph_pose_init(const sni_graph *graph, sni_arena *arena, sni_graph_pose *pose);

// Where bones carry the knots.
void sni_graph_carry(const sni_graph *graph, const sn_mat4 *worlds, sni_graph_pose *pose);

// Paths and control points for knots that are moved by `moves` (count; NULL: by nothing), with
// flesh shortened by `part` of its length.
void sni_graph_place(const sni_graph *graph, const sn_mat4 *worlds, const sn_vec3 *moves,
                     double part, sni_graph_pose *pose);

// How far a place of the world is from something that a sphincter slides on, and which way leads
// away from it; NULL: that is not asked for.
double sni_graph_clearance(const sni_graph *graph, const sn_mat4 *worlds, uint32_t obstacle,
                           sn_vec3 at, sn_vec3 *outward);

// Control points for frames: of each ring four, the origin o, o + x as long as the path is
// stretched, o + y, and o + z times the factor of its expansion points; then particles of the
// paths, then volume, factor and length as one point. A rigid motion of the points moves all but
// the last as it moves the muscle.
void sni_graph_write_points(const sni_graph *graph, const sni_graph_pose *pose, double factor,
                            double tension, double *points);

// The table of a pose, relative to `reference` in the world (surface.h).
void sni_graph_fill_table(const sni_graph *graph, const sni_graph_pose *pose, double tension,
                          sn_vec3 reference, float *table);

// Poses muscles together, as the kind's ops say.
sn_status sni_graph_pose_together(uint32_t count, sni_muscle_member *members, sn_error *error);

sn_status sni_graph_create(const sni_muscle_job *job, sni_graph **graph, sn_error *error);
void sni_graph_destroy(sni_graph *graph);
size_t sni_graph_bytes(const sni_graph *graph);

#endif
