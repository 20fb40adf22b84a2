// SPDX-License-Identifier: Apache-2.0
//
// The inputs of muscles (kind/input.h), with the blocks that `bind` and `pose` see. Each is in a
// file of its own in src/input/.
#ifndef SINEW_MUSCLE_INPUTS_H
#define SINEW_MUSCLE_INPUTS_H

#include "base/store.h"
#include "field/tree.h"
#include "geometry/distance_grid.h"
#include "kind/input.h"

// --- Drawn on a skin

// A place on the skin.
typedef struct sni_skin_place {
    uint32_t triangle; // of the skin's triangles
    double barycentric[3];
} sni_skin_place;

// A polyline drawn on the skin. Where it begins is the muscle's origin, where it ends its
// insertion.
typedef struct sni_muscle_curve {
    uint32_t count;
    const sni_skin_place *places;
} sni_muscle_curve;

// The skin that a muscle is drawn on, at rest, and the curves on it.
extern const sni_input sni_input_drawn;
typedef struct sni_drawn_input {
    const sn_mesh *mesh; // validated
    const sn_triangles *triangles;
    const sn_accel *accel; // over the triangles
    const float *normals;  // #V x 3, sn_mesh_normals
    uint32_t curve_count;
    const sni_muscle_curve *curves;
    const sn_vec3 *center; // of a ring's contraction; NULL: computed
    // How the pose carries it: by segment `segment`, or, where that is SN_NONE, by the weights of
    // the skin under its curves; a mesh without weights then stays where it is.
    uint32_t segment;
    const uint32_t *bone_segments; // mesh->weights->bone_count; NULL: the weights move nothing
} sni_drawn_input;

// What a muscle lies on, below the skin that it is drawn on: a surface, or, without `accel`, the
// lines of limbs. Without this input its depth is given by its parameters.
extern const sni_input sni_input_inner;
typedef struct sni_muscle_inner {
    const char *name;         // for messages
    const float *positions;   // in the space of the skin at rest
    const uint32_t *vertices; // of its triangles
    const sn_accel *accel;
    uint32_t line_count;
    const sn_vec3 *lines; // line_count x 2
} sni_muscle_inner;

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

// How these vary over the surface.
extern const sni_input sni_input_vary;
typedef struct sni_vary_input {
    sni_muscle_values bulge, thickness, contraction;
} sni_vary_input;

// --- Between bones

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
    SNI_WRAP_TORUS = 3, // its tube is gone around, through the hole
} sni_wrap_shape;

// How the way around is found (wrap_object.h). OpenSim's methods differ for ellipsoids alone.
typedef enum sni_wrap_method {
    SNI_WRAP_SMOOTH = 0,
    SNI_WRAP_HYBRID = 1,
    SNI_WRAP_MIDPOINT = 2,
    SNI_WRAP_AXIAL = 3,
} sni_wrap_method;

// A body that a cylinder muscle goes around. Sizes are in the units of the segment's frame.
typedef struct sni_muscle_wrap {
    uint32_t first, last; // slices that lie on it where it is touched, between the ends
    bool ranged;          // it may act on any straight piece of the axis between two nodes, at
    uint32_t range[2];    // these slices: ends or pivots; else on the one that its slices are on
    uint32_t segment;     // that carries it
    sni_wrap_shape shape;
    sni_wrap_method method; // a torus has one of OpenSim's
    sn_vec3 center;         // in the segment's frame
    sn_quat turn;           // of its axes there; a cylinder is about its z
    sn_vec3 radii;          // x alone counts, but for an ellipsoid; of a torus that of its tube
    double ring;            // of a torus, the radius of the circle that its tube is about
    double length;          // of a cylinder; INFINITY: without ends
    int side; // that the muscle passes: 1 x, 2 y, 3 z, negative for the opposite; 0 any
} sni_muscle_wrap;

// What a muscle between bones is made from. `sni_input_ends`: one attachment at each end and
// nothing else; `sni_input_body`: two at each end, and all the rest; `sni_input_fibres`: one or two
// at each end, and pivots, which the axis passes in their order.
extern const sni_input sni_input_ends, sni_input_body, sni_input_fibres;
typedef struct sni_muscle_body {
    uint32_t origin_count, insertion_count; // at each end as many as the input has
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

// A given surface on strips.
extern const sni_input sni_input_strips;
typedef struct sni_strips_input {
    const sn_mesh *mesh; // validated, in the world at rest
    uint32_t strip_count;
    const sni_muscle_strip *strips;
} sni_strips_input;

// Of all of them in a pose.
typedef struct sni_body_pose {
    const sni_muscle_pivot_place *pivots; // of all pivots, strip by strip; NULL: as at rest
} sni_body_pose;

// --- Contact

// The distance grid of a bone, which all muscles that touch it share.
typedef struct sni_shared_grid {
    sni_made made; // whoever keeps it holds it
    sni_distance_grid *grid;
} sni_shared_grid;

// A bone that a muscle touches: a mesh, or a capsule where a segment has none.
typedef struct sni_touched_bone {
    uint32_t segment;      // that carries it; SN_NONE: it stays where it is
    sn_mat4 to_segment;    // from its coordinates to the segment's frame; of such that stay, to the
                           // world
    sni_shared_grid *grid; // NULL: a capsule
    sn_vec3 ends[2];       // of the capsule's axis, in its coordinates
    double radius;
} sni_touched_bone;

// What a muscle touches: bones, and, in a frame, other muscles of its kind, by their numbers.
extern const sni_input sni_input_touches;
typedef struct sni_touches_input {
    uint32_t bone_count;
    const sni_touched_bone *bones;
} sni_touches_input;

// A part of the body: its skin at rest as a field (field/tree.h), which a segment carries.
typedef struct sni_inside_part {
    uint32_t segment;
    const sni_field_part *field;
} sni_inside_part;

// The skin that a muscle stays inside of: the parts of the body that it spans.
extern const sni_input sni_input_inside;
typedef struct sni_inside_input {
    sni_made *made; // that the fields are of; whoever keeps them holds it
    uint32_t part_count;
    const sni_inside_part *parts;
} sni_inside_input;

typedef struct sni_touches_pose {
    uint32_t muscle_count;
    const uint32_t *muscles;
} sni_touches_pose;

// --- Graphs

// Most control points of a muscle: memory grows with the square.
enum { SNI_GRAPH_POINTS_MOST = 256 };

// A control point of a muscle of kind `graph`.
typedef struct sni_graph_point {
    uint32_t segment; // that carries it; SN_NONE: it is in space, carried as its neighbours are
    uint32_t second;  // a segment that carries it, too
    double share;     // of that; 0: there is none
    sn_vec3 point;    // in the world at rest
    sn_vec3 normal;   // of the bone there, outwards; any length, 0: not known
    uint32_t parent;  // SN_NONE: a root
    bool root;        // it says that it is one
    bool tendon;
} sni_graph_point;

// A section of a surface that is made: an ellipse around the path.
typedef struct sni_graph_circle {
    uint32_t point;
    double along;    // 0 at the point, below 1 on the way to its parent
    double radii[2]; // metres: along the bone and across it, above 0
} sni_graph_circle;

// A surface with control points, or control points with the circles that it is made of.
extern const sni_input sni_input_graph;
typedef struct sni_graph_input {
    const sn_mesh *mesh; // validated, in the world at rest; NULL: made of the circles
    uint32_t point_count;
    const sni_graph_point *points;
    uint32_t circle_count; // 0, or at least one at every point
    const sni_graph_circle *circles;
    bool has_center; // it is a sphincter
    sni_muscle_attachment center;
} sni_graph_input;

// What the points of a sphincter slide on: bones and tissues with distance grids.
extern const sni_input sni_input_slides;
typedef struct sni_slides_input {
    uint32_t count;
    const sni_touched_bone *bones;
} sni_slides_input;

// A control point of another muscle that pulls a knot.
typedef struct sni_graph_pull {
    uint32_t knot;      // point of this muscle
    uint32_t neighbour; // the other, by its place in the list of neighbours
    uint32_t point;     // of it
    sn_vec3 place;      // where that is at rest, in the world
} sni_graph_pull;

// Muscles that are connected to this one; in a frame their numbers (sni_touches_pose).
extern const sni_input sni_input_neighbours;
typedef struct sni_neighbours_input {
    uint32_t neighbour_count;
    uint32_t pull_count;
    const sni_graph_pull *pulls; // by rising knot
} sni_neighbours_input;

#endif
