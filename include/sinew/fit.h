// SPDX-License-Identifier: Apache-2.0
//
// Making parts of characters from other parts: driver meshes, muscles laid out on a skin or fitted
// to meshes, skeletons proposed for bones, the inside of one head fitted into another, and skins
// extracted from what lies under them.
//
// A driver mesh is a low-resolution stand-in of a skin. It is moved by the skeleton and moves the
// skin as its wrap driver, or is shown instead of it where speed counts (docs/driver.md).
//
// All calls of this header are in libraries that are built with SINEW_MAKE only.
#ifndef SINEW_FIT_H
#define SINEW_FIT_H

#include "sinew/mesh.h"
#include "sinew/motion.h"

#ifdef __cplusplus
extern "C" {
#endif

// How a driver mesh hangs on the skeleton. The numbers are kept for ever.
typedef enum sn_driver_binding {
    SN_DRIVER_RIGID = 0,  // each vertex on the bone closest to it
    SN_DRIVER_SMOOTH = 1, // each vertex on that bone and those above and below it in the skeleton
    SN_DRIVER_SKIN = 2,   // with the mean weights of the skin's vertices that it stands for; smooth
                          // where these have none
} sn_driver_binding;

// Why a driver has not the number of faces that was asked for. The numbers are kept for ever.
typedef enum sn_driver_count {
    SN_DRIVER_COUNT_MET = 0,   // it has: within one face, or 1 %
    SN_DRIVER_COUNT_SKIN = 1,  // the skin has fewer itself
    SN_DRIVER_COUNT_PARTS = 2, // so many loose parts have more even at their simplest
    SN_DRIVER_COUNT_SHAPE = 3, // fewer would fold it over, or close a hole or handle of it
} sn_driver_count;

typedef struct sn_driver_mesh_desc {
    uint32_t check;
    const char *name; // of the new mesh
    uint32_t mesh_count;
    const sn_mesh *const *meshes; // the skin, as one mesh or in patches that are stitched together
    const sn_skeleton *skeleton;  // NULL or without segments: a cage without weights
    const char *const *segments;  // names of those that count as limbs; NULL: those that the
    uint32_t segment_count;       // weights of the skin name, all where it has none
    uint32_t face_count;          // triangles to aim for
    double weld;         // vertices closer than this, as a fraction of the skin's diagonal, are one
    double joint_detail; // how many times denser vertices are at joints; at least 1
    double joint_reach;  // distance from a joint over which that falls to 1, in lengths of the bone
    sn_driver_binding binding;
    uint32_t influences; // of a vertex at most, 0: eight of the skin's weights, else three;
                         // SN_DRIVER_RIGID has one
    uint32_t smoothing;  // rounds of smoothing of the weights, for SN_DRIVER_SMOOTH
} sn_driver_mesh_desc;

typedef struct sn_driver_mesh_report {
    uint32_t welded_vertices; // of the skin that were joined with others
    uint32_t face_count;      // may be above what was asked for where the surface does not allow it
    uint32_t border_edges;    // 0 for a closed driver
    uint32_t limb_count;      // bones that vertices are bound to; 0: a cage
    uint32_t part_count;      // pieces of the welded skin
    uint32_t skin_face_count; // its triangles
    sn_driver_count count;    // whether there are as many faces as were asked for
    sn_driver_binding binding; // how it was bound: smoothly where the skin has no weights to take
} sn_driver_mesh_report;

// 1000 faces, welded at 1e-5, three times denser at joints within a third of a bone, bound with the
// weights of the skin; smoothly, with two rounds of smoothing, where it has none.
SN_API sn_driver_mesh_desc sn_driver_mesh_desc_default(void);

// Makes a driver mesh: triangles of the skin, welded, simplified with more detail at joints, and
// bound to the skeleton in its rest pose. The driver has weights whose bones are the segments that
// it uses; inverse bind matrices where the skin has them, so that it lies where the skin lies. The
// skin is not changed. Without a skeleton the driver is a cage without weights. `report` and
// `progress` may be NULL. The result belongs to the caller (sn_mesh_destroy). Fails with SN_INVALID
// for a skin without triangles, unknown names, and values out of range.
SN_API sn_status sn_driver_mesh_create(sn_context *context, const sn_driver_mesh_desc *desc,
                                       const sn_progress *progress, sn_mesh **driver,
                                       sn_driver_mesh_report *report, sn_error *error);

// Splits triangles of a driver in four, and their neighbours so that no gaps appear, for finer
// control of that part: `selected` is #F, not 0 where to split; NULL: all. Old vertices keep their
// numbers, positions and weights. New ones follow; they stand in the middle of their edges, or,
// with `smooth`, where the surface is smoothest (modified butterfly), and have the mean of the
// weights of both ends. Morph targets are kept, attributes are not. Fails with SN_INVALID for a
// face that is no triangle, and for surfaces that are not manifold when `smooth`.
SN_API sn_status sn_driver_mesh_subdivide(const sn_mesh *driver, const uint8_t *selected,
                                          bool smooth, sn_mesh **subdivided, sn_error *error);

// Points beside the vertices of a driver that show a wrap what happens around them (docs/wrap.md),
// as a mesh: vertices 3 i to 3 i + 2 belong to vertex i and lie one mean edge from it along x, y
// and z; each three are a face, and have the weights of their vertex.
SN_EXPERIMENTAL sn_status sn_driver_mesh_frame_points(const sn_mesh *driver, sn_mesh **frames,
                                                      sn_error *error);

// ---------------------------------------------------------------------------------------------
// Weights for meshes that have none

typedef struct sn_bind_desc {
    uint32_t check;
    const sn_skeleton *skeleton; // its rest pose stands in the meshes
    const char *const *segments; // names of those that may move the meshes; NULL: all that lie in
    uint32_t segment_count;      // them
    uint32_t influences;         // of a vertex at most, 1 to 32
    uint32_t resolution;         // nodes of the grid along the longest side, 16 to 1024
} sn_bind_desc;

typedef struct sn_bind_report {
    uint32_t bone_count;    // segments that move vertices
    uint32_t limb_count;    // segments that might: those named, else all of the body
    uint32_t outside_count; // those of them that lie outside the meshes and move nothing
    uint32_t first_outside; // the first of them, or SN_NONE
    double inside;          // share of the length of all limbs that lies inside the meshes
    uint32_t part_count;    // pieces of the surface, equal vertices joined
    uint32_t loose_count;   // those that no limb reaches: they follow the surface nearest to them
    uint32_t nodes[3];      // of the grid
    double spacing;         // of its nodes, metres
} sn_bind_report;

// Four influences, 160 nodes.
SN_EXPERIMENTAL sn_bind_desc sn_bind_desc_default(void);

// Gives meshes, which are one body together, weights on a skeleton (docs/bind.md): by the diffusion
// of heat from limbs inside the body's volume, so that an arm beside the trunk does not pull it.
// Any surface will do: open, of loose parts, not manifold. Older weights are replaced; nothing else
// of the meshes is changed, and nothing at all where the call fails. The result has the same bits
// for any number of threads. `report` and `progress` may be NULL. Fails with SN_INVALID for meshes
// without triangles, unknown names, values out of range, and where no limb lies inside the meshes;
// with SN_LIMIT where the grid does not fit into the memory that the context may use.
SN_EXPERIMENTAL sn_status sn_bind_meshes(sn_context *context, const sn_bind_desc *desc,
                                         uint32_t mesh_count, sn_mesh *const *meshes,
                                         const sn_progress *progress, sn_bind_report *report,
                                         sn_error *error);

// Which kind of body a skeleton is fitted to. The numbers are kept for ever.
typedef enum sn_plan {
    SN_PLAN_HUMAN = 0,     // upright on y, facing +z or -z, in an A- or T-pose
    SN_PLAN_QUADRUPED = 1, // on four legs on y, facing any axis: dogs, cats, horses, cattle
} sn_plan;

// Where a body faces. The numbers are kept for ever.
typedef enum sn_front {
    SN_FRONT_GUESSED = 0, // by its shape
    SN_FRONT_PLUS_Z = 1,
    SN_FRONT_MINUS_Z = 2,
    SN_FRONT_PLUS_X = 3,
    SN_FRONT_MINUS_X = 4,
} sn_front;

typedef struct sn_fit_skeleton_desc {
    uint32_t check;
    sn_plan plan;
    sn_front front; // a human faces +z or -z
} sn_fit_skeleton_desc;

// A skeleton that was made for meshes.
typedef struct sn_fitted_skeleton {
    sn_context *context;
    sn_skeleton skeleton; // its frames are parallel to the world's at rest
    double height;        // of the body, metres
    sn_front front;       // where it faces, guessed or not
    bool front_guessed;
    char notes[256]; // what was guessed from what, or not found; one sentence or several
} sn_fitted_skeleton;

// A human, its front guessed.
SN_EXPERIMENTAL sn_fit_skeleton_desc sn_fit_skeleton_desc_default(void);

// A skeleton for meshes that are one body together (docs/bind.md). Its names are those that
// retargeting knows; a human has 22 segments and no fingers. Fails with SN_INVALID, and says what
// was not found, where the meshes do not look like that. `progress` may be NULL. The result belongs
// to the caller.
SN_EXPERIMENTAL sn_status sn_fit_skeleton(sn_context *context, const sn_fit_skeleton_desc *desc,
                                          uint32_t mesh_count, sn_mesh *const *meshes,
                                          const sn_progress *progress, sn_fitted_skeleton **fitted,
                                          sn_error *error);
SN_EXPERIMENTAL void sn_fitted_skeleton_destroy(sn_fitted_skeleton *fitted);

// ---------------------------------------------------------------------------------------------
// Muscles

// What computes a laid out muscle's control. The numbers are kept for ever.
typedef enum sn_layout_driver {
    SN_LAYOUT_FREE = 0,     // nothing: a person, a clip or an expression sets it
    SN_LAYOUT_ANGLE = 1,    // an angle of a joint
    SN_LAYOUT_DISTANCE = 2, // the distance of two points carried by segments
} sn_layout_driver;

// A point that a segment carries.
typedef struct sn_layout_point {
    const char *segment;
    sn_vec3 position; // in its frame
} sn_layout_point;

// A muscle of kind `fibre` (docs/fibre.md) as plain data.
typedef struct sn_layout_fibre {
    uint32_t end_count; // 1 or 2 attachments at each end; two show which way it is wide
    sn_layout_point origins[2], insertions[2];
    uint32_t through_count;
    const sn_layout_point *through;
    uint32_t fibres;
    double width, thickness;     // of a belly at rest, metres
    uint32_t rest[2], active[2]; // exponents at origin and insertion
    double stiffness;
    double flexed_length; // part of its length at rest at which it is fully flexed
    double room;          // its size as a part of that planned: below 1 where the skin is near
    double sunk;          // its depth likewise: below 1 where it lies deeper
} sn_layout_fibre;

// A muscle as plain data. `strength` is how much of its length it loses when its control is 1.
typedef struct sn_layout_muscle {
    const char *name;         // also of its control
    const char *group;        // of its control
    const char *skin;         // that it lies on; NULL: the one that the layout is added to
    const sn_vec3 *curves[2]; // points on the skin at rest, from origin to insertion
    uint32_t curve_counts[2];
    bool closed;           // a ring, which contracts to `center`
    sn_vec3 center;        // of a ring
    bool straight;         // points of a ring go straight to its centre, else as its shape demands
    double top_depth;      // depth of its top below the skin, metres
    double half_thickness; // at its thickest point, metres
    double bulge;          // growth of the thickness when the control is 1
    double strength;
    double d_full, d_none; // reach of its effect on the skin
    sn_layout_driver driver;
    const char *driver_parameter;   // SN_LAYOUT_ANGLE: "forearm.rx_deg"
    const char *driver_segments[2]; // SN_LAYOUT_DISTANCE
    sn_vec3 driver_points[2];       // in the frames of these segments
    double driver_curve[2][2];      // (input, output), by rising input
    const sn_layout_fibre *fibre; // NULL: a patch. With it only name and group of the others count
} sn_layout_muscle;

// A control that adds to the controls of several muscles.
typedef struct sn_layout_expression {
    const char *name;
    const char *about;
    uint32_t count;
    const uint32_t *muscles; // count
    const double *amounts;   // count: added per unit of the expression
} sn_layout_expression;

// A muscle that was not laid out, and why.
typedef struct sn_layout_skip {
    const char *name;
    const char *reason;
} sn_layout_skip;

typedef struct sn_muscle_layout sn_muscle_layout;

struct sn_muscle_layout {
    uint32_t muscle_count;
    sn_layout_muscle *muscles;
    const char *falloff; // how the effect of all muscles falls with the distance; NULL: "cubic"
    const char *overlap; // what several muscles do at a point together; NULL: "blend"
    uint32_t expression_count;
    sn_layout_expression *expressions;
    uint32_t skip_count;
    sn_layout_skip *skips;
    struct sni_layout_memory *memory; // of all names and points
};

SN_API void sn_muscle_layout_destroy(sn_muscle_layout *layout);

// A feature point of a face. A pair has the names NAME_L and NAME_R.
typedef struct sn_face_feature {
    const char *name;
    sn_vec3 position; // on the skin, or near it
} sn_face_feature;

typedef struct sn_face_layout_desc {
    uint32_t check;
    const sn_mesh *mesh; // the skin at rest: a head, or a body with one
    uint32_t feature_count;
    const sn_face_feature *features;
    double depth; // of all muscles, as a factor on the standard one: less for thin skins
} sn_face_layout_desc;

SN_API sn_face_layout_desc sn_face_layout_desc_default(void);

// The features that a face layout knows, by number: name without side, whether it is one of a pair,
// whether it must be given, and where it is. False beyond the last.
SN_API bool sn_face_feature_info(uint32_t number, const char **name, bool *paired, bool *required,
                                 const char **about);

// The feature that a point of the 68 iBUG (Multi-PIE) landmarks stands for, with its side:
// "eye_inner_L"; NULL for a point that is none.
SN_API const char *sn_face_feature_of_ibug(uint32_t point);

// Lays facial muscles out on a skin from feature points (docs/face-layout.md). A feature that is
// given on one side alone is mirrored in the sagittal plane and put onto the skin. All lengths
// follow the distance of the eyes, so that the unit of length does not matter. Muscles whose
// features are not given are skipped and listed. `progress` may be NULL. Fails with SN_INVALID for
// a feature that is unknown, missing, given twice, not finite or far from the skin, and for
// features that all lie at one point.
SN_API sn_status sn_face_layout_create(sn_context *context, const sn_face_layout_desc *desc,
                                       const sn_progress *progress, sn_muscle_layout **layout,
                                       sn_error *error);

// What proposed muscles are. The numbers are kept for ever.
typedef enum sn_propose_kind {
    SN_PROPOSE_PATCH = 0, // patches on the skin, driven by joints
    SN_PROPOSE_FIBRE = 1, // fibres between segments, activated by their length
} sn_propose_kind;

typedef struct sn_propose_desc {
    uint32_t check;
    const sn_mesh *mesh; // the skin at rest, with weights
    const sn_skeleton *skeleton;
    const sn_mesh *const
        *meshes;              // mesh_count: the skins of a body with several, in place of `mesh`
    const char *const *names; // mesh_count: how muscles call them; NULL: by the meshes' names
    uint32_t mesh_count;
    double smallest;  // limbs shorter than this fraction of the skin's diagonal are skipped
    double thickness; // of all muscles, as a factor on the standard one
    sn_propose_kind kind;
} sn_propose_desc;

// Limbs from 4 % of the skin's diagonal on.
SN_API sn_propose_desc sn_propose_desc_default(void);

// Proposes muscles for a body from its skeleton and skins alone (docs/propose.md): those of a body
// with arms, legs, trunk and neck as far as its parts are known by names and shape; and for every
// joint of other limbs a flexor and an extensor, with one more over the joint on the trunk. Limbs
// that mirror each other get muscles that do. What cannot be made, or would not shorten when its
// joint moves, is listed with the reason; so are skins without weights or faces. `progress` may be
// NULL. Fails with SN_INVALID where no skin has weights and faces and for bones that the skeleton
// does not have. Fibres lie inside the skin at rest; what is made smaller for that says so (`room`,
// `sunk`).
SN_API sn_status sn_muscles_propose(sn_context *context, const sn_propose_desc *desc,
                                    const sn_progress *progress, sn_muscle_layout **layout,
                                    sn_error *error);

// ---------------------------------------------------------------------------------------------
// Bodies

// A bone, tooth or cartilage as a scan gives it. `side` is "left", "right", "mid", or "" where it
// is not known; it is then found from the name or the position. The mesh stands in the world at
// rest.
typedef struct sn_bone_part {
    const char *name;
    const char *side;
    const sn_mesh *mesh;
} sn_bone_part;

// A segment of a proposed skeleton. Parents come before their children.
typedef struct sn_plan_segment {
    char *name;              // unique; one that retargeting knows, such as "upper arm.L"
    uint32_t parent;         // SN_NONE: a root
    sn_vec3 joint;           // centre of its joint in the world at rest, metres
    sn_quat rotation;        // of its frame in the world at rest; the identity for most
    sn_rotation_order order; // of its joint's rotations
    char *reason;            // one line: which bones named it, and how its joint was found
} sn_plan_segment;

// What one unit of a coupling's control adds to a parameter.
typedef struct sn_plan_spread {
    char *parameter; // "scapula.L.rz_deg"
    double amount;
} sn_plan_spread;

// Joints that move with others: a control, the driver that computes it, and the synergy by which it
// moves joints, in the terms of a document (docs/document.md). The driver reads a parameter or,
// where that is NULL, the distance of two points carried by segments.
typedef struct sn_plan_coupling {
    char *name; // of the control, such as "shoulder rhythm.L"
    double low, high;
    char *parameter;      // "shin.L.rx_deg", or NULL
    uint32_t segments[2]; // of the points; SN_NONE where a parameter drives
    sn_vec3 points[2];    // in the world at rest
    uint32_t key_count;   // of the curve; 0: the value itself
    double (*curve)[2];   // (input, output), by rising input
    uint32_t spread_count;
    sn_plan_spread *spreads;
} sn_plan_coupling;

typedef struct sn_body_plan {
    sn_context *context;
    uint32_t part_count;
    uint32_t segment_count;
    sn_plan_segment *segments;
    uint32_t *bone_segments; // part_count
    bool *bone_guessed;      // part_count: its name did not say where it belongs
    uint32_t coupling_count;
    sn_plan_coupling *couplings;
} sn_body_plan;

// Proposes segments, parents and joint centres for bones without a rig (docs/body-plan.md). Where
// the name of a bone is known (femur, L_5, third metacarpal), it decides the segment. Any other
// bone is put on the segment of the bone nearest to it, or becomes a segment of its own. Joints lie
// where the bones of two segments are nearest to each other: in the centre of the head of a ball
// joint, on the axis of a hinge, in the middle of a disc. Every part is on a segment; `progress`
// may be NULL. Fails with SN_INVALID for no parts and for a mesh without triangles.
SN_EXPERIMENTAL sn_status sn_propose_body(sn_context *context, uint32_t count,
                                          const sn_bone_part *parts, const sn_progress *progress,
                                          sn_body_plan **plan, sn_error *error);
SN_EXPERIMENTAL void sn_body_plan_destroy(sn_body_plan *plan);

// ---------------------------------------------------------------------------------------------
// Muscles from meshes

typedef struct sn_fit_bone {
    const char *name;
    const sn_mesh *mesh; // in the world at rest
    uint32_t segment;    // that carries it
} sn_fit_bone;

// An attachment of a muscle: a point in the world at rest, carried by a bone.
typedef struct sn_fit_place {
    uint32_t bone; // a number in `bones`; SN_NONE in given attachments: the nearest
    sn_vec3 point;
} sn_fit_place;

// A section: an ellipse in the world at rest. The half axes are perpendicular; thick x wide points
// along the strip, from origin to insertion, and `thick` points away from the bones where it is
// known which side that is.
typedef struct sn_fit_section {
    sn_vec3 center, wide, thick;
} sn_fit_section;

// A section that a segment carries; `point` is the middle of the section.
typedef struct sn_fit_pivot {
    uint32_t slice; // number of the section, neither the first nor the last
    uint32_t segment;
    sn_vec3 point;
    uint32_t half; // SN_NONE, or the segment on the other side of a joint: the section turns about
                   // the origin of `segment` by half of the angle between the two
    bool turned;   // the plane and axes of the section turn with the segment as well
} sn_fit_pivot;

// Elliptical sections from origins to insertions: what a muscle of kind `cylinder` is made of.
typedef struct sn_fit_strip {
    sn_fit_place origins[2], insertions[2];
    uint32_t slice_count;
    sn_fit_section *sections; // slice_count
    uint32_t pivot_count;
    sn_fit_pivot *pivots; // pivot_count, by rising number of their sections
} sn_fit_strip;

typedef struct sn_muscle_fit_desc {
    uint32_t check;
    const char *name;    // of the muscle, for errors; NULL: the mesh's
    const sn_mesh *mesh; // in the world at rest: closed, open, in pieces, with handles
    uint32_t bone_count; // one at least
    const sn_fit_bone *bones;
    uint32_t segment_count;
    const uint32_t *segment_parents; // segment_count; SN_NONE for a root
    const sn_vec3 *segment_joints;   // segment_count: their origins at rest; NULL: not known
    uint32_t place_count;            // 0: all ends are guessed
    const sn_fit_place *places;      // where the muscle is attached, in any order
    uint32_t slices;                 // sections of each strip, 4 to 64; 0: chosen automatically
    uint32_t strips;                 // 1 to 8; 0: chosen automatically
    const sn_progress *progress;
} sn_muscle_fit_desc;

typedef struct sn_muscle_fit {
    sn_context *context;
    uint32_t strip_count;
    sn_fit_strip *strips;
    double mean_distance; // between fitted and given surface, metres: the mean of both directions,
    double largest_distance; // each averaged over the area; and the largest
    double volume;           // of the given surface; 0 where it has a border
    double fitted_volume;    // of all strips; where they overlap it counts more than once
    uint32_t pieces;         // of the given surface, equal vertices joined
    uint32_t handles;
    uint32_t border_edges;
    bool guessed_origin, guessed_insertion; // no given attachment belongs to that end
    uint32_t place_count;                   // attachments that were given
    uint32_t far_places; // those of them that are farther from the mesh than 15 % of its size: they
                         // belong to another muscle and are left out
    double origin_gap, insertion_gap; // from that end of the mesh to its bone, metres
    uint32_t hem_count;
    sn_fit_strip *hems; // narrow strips along rims that lie on bones of one segment, without pivots
} sn_muscle_fit;

SN_EXPERIMENTAL sn_muscle_fit_desc sn_muscle_fit_desc_default(void);

// Fits strips of elliptical sections to the mesh of a muscle (docs/fitting.md). Origins are never
// distal of insertions, nor the first origin distal of the second; the two attachments of an end
// are never at one point. May be called from several threads at once. The result belongs to the
// caller (sn_muscle_fit_destroy). Fails with SN_INVALID for a mesh without surface, numbers that
// are not finite or out of range, a bone or segment that does not exist, and parents that form a
// circle.
SN_EXPERIMENTAL sn_status sn_fit_muscle(sn_context *context, const sn_muscle_fit_desc *desc,
                                        sn_muscle_fit **fit, sn_error *error);
SN_EXPERIMENTAL void sn_muscle_fit_destroy(sn_muscle_fit *fit);

// A point that the axis of a fibre passes, in the world at rest, and the segment that carries it.
typedef struct sn_fit_through {
    uint32_t segment;
    sn_vec3 point;
} sn_fit_through;

// What a muscle of kind `fibre` is made of: an axis from an origin to an insertion, and the section
// around it, an ellipse whose area follows a beta profile (docs/fibre.md).
typedef struct sn_fit_fibre {
    sn_fit_place origin, insertion; // where the axis begins and ends
    uint32_t through_count;
    sn_fit_through *through; // through_count, from origin to insertion
    sn_vec3 normals[2];      // unit: the wide direction of the first and of the second half
    double length;           // of the axis, metres
    double volume;           // pi width^2 length
    double width;            // radius of a cylinder of this volume and length, metres
    double eccentricity;     // of sections: 0 round, 0.995 ten times as wide as thick
    uint32_t exponents[2];   // 2 to 9, at the origin and at the insertion
} sn_fit_fibre;

typedef struct sn_fibre_fit {
    sn_context *context;
    uint32_t fibre_count;
    sn_fit_fibre *fibres;
    double volume;         // of the given surface; that of its sections where it has a border
    double volume_ratio;   // of the fibres together to that, sampled
    double overlap;        // volume that both have, as a part of what either has, sampled
    sn_muscle_fit *strips; // of which they were made
} sn_fibre_fit;

// Fits fibres to the mesh of a muscle: one for each strip that sn_fit_muscle finds, with `strips`
// of the desc as their number where that is not 0. Fails as sn_fit_muscle does. May be called from
// several threads at once. The result belongs to the caller.
SN_EXPERIMENTAL sn_status sn_fit_fibres(sn_context *context, const sn_muscle_fit_desc *desc,
                                        sn_fibre_fit **fit, sn_error *error);
SN_EXPERIMENTAL void sn_fibre_fit_destroy(sn_fibre_fit *fit);

// A control point of a muscle of kind `graph` (docs/graph.md), in the world at rest.
typedef struct sn_fit_graph_point {
    sn_vec3 point;
    uint32_t bone;    // that it is on; SN_NONE: none
    uint32_t segment; // that carries it; SN_NONE: it is in space, carried as its neighbours are
    uint32_t parent;  // SN_NONE: a root
    bool tendon;
} sn_fit_graph_point;

typedef struct sn_graph_fit_desc {
    uint32_t check;
    sn_muscle_fit_desc muscle; // its mesh must be closed
    uint32_t origin_count;     // the first so many of its places are where it contracts towards; 0:
                               // the end that sn_fit_muscle calls its origin is
    bool sphincter;            // it is a ring around a centre
    bool finds_rings;          // whether it is one follows from its shape
    bool has_center;           // of a sphincter; else it is found
    sn_vec3 center;
    uint32_t points; // of each path, 3 to 32; of a ring 4 to 64; 0: chosen automatically
} sn_graph_fit_desc;

typedef struct sn_graph_fit {
    sn_context *context;
    uint32_t point_count;
    sn_fit_graph_point *points; // parents before their children, but for a circle of points
    uint32_t path_count;        // each of them a graph of its own; 1 for a sphincter
    bool sphincter;
    sn_fit_graph_point center; // of a sphincter
    uint32_t outside_count;    // points that had to be moved to be inside of the mesh
    sn_muscle_fit *strips;     // of which it was made; NULL for a sphincter
} sn_graph_fit;

SN_EXPERIMENTAL sn_graph_fit_desc sn_graph_fit_desc_default(void);

// Fits paths to the mesh of a muscle (docs/graph.md#paths-for-a-mesh): its middle line, or several
// side by side in a sheet; a circle of points for a sphincter. Fails as sn_fit_muscle does, and
// with SN_INVALID for an open mesh and for a sphincter without a ring around its centre. May be
// called from several threads at once. The result belongs to the caller.
SN_EXPERIMENTAL sn_status sn_fit_graph(sn_context *context, const sn_graph_fit_desc *desc,
                                       sn_graph_fit **fit, sn_error *error);
SN_EXPERIMENTAL void sn_graph_fit_destroy(sn_graph_fit *fit);

// ---------------------------------------------------------------------------------------------
// Heads (docs/transfer.md)

// Whose tissue depths are used. The numbers are kept for ever.
typedef enum sn_depth_column {
    SN_DEPTH_ALL = 0,
    SN_DEPTH_MALE = 1,
    SN_DEPTH_FEMALE = 2,
} sn_depth_column;

// How thick skin and what is below it are over a landmark of the skull. Texts are never NULL.
typedef struct sn_depth_row {
    char *landmark;   // without side: "gonion"
    bool paired;      // there is a left and a right one: "gonion.L", "gonion.R"
    bool forward;     // measured along the direction that the head faces; else along the normal of
                      // the skin
    bool slides;      // nothing on the skin shows where it is
    char *region;     // "face", "jaw", "vault", ...
    char *bone;       // that it lies on: "cranium" or "mandible"
    double depths[3]; // metres, by sn_depth_column; those that the file lacks are those of all
    double tolerance; // metres: about one standard deviation
    char *source;     // where the numbers come from
    uint32_t line;    // of the file
} sn_depth_row;

typedef struct sn_depth_table {
    sn_context *context;
    uint32_t count;
    sn_depth_row *rows;
    uint32_t gap_count;
    uint32_t (*gaps)[2]; // pairs of rows between which depths are not compared: teeth
} sn_depth_table;

// Reads a table of tissue depths (docs/transfer.md#tissue-depths). Fails, with file, line and
// landmark, for a row without name, source or depth, a depth that is not between 0.1 and 100 mm, a
// landmark that stands twice, and unknown keys.
SN_EXPERIMENTAL sn_status sn_depth_table_read(sn_context *context, const char *path,
                                              sn_depth_table **table, sn_error *error);

// The same from memory; `name` stands for the file in errors.
SN_EXPERIMENTAL sn_status sn_depth_table_parse(sn_context *context, const char *name,
                                               const char *text, size_t size,
                                               sn_depth_table **table, sn_error *error);

// The table that comes with the library, data/head/tissue-depths.json.
SN_EXPERIMENTAL sn_status sn_depth_table_default(sn_context *context, sn_depth_table **table,
                                                 sn_error *error);
SN_EXPERIMENTAL void sn_depth_table_destroy(sn_depth_table *table);

// The row of a landmark by its name with side, NULL where there is none.
SN_EXPERIMENTAL const sn_depth_row *sn_depth_table_find(const sn_depth_table *table,
                                                        const char *landmark);

// A landmark of a head: on its skin, on its bones, or on both.
typedef struct sn_landmark {
    char *name; // "nasion", "gonion.L"
    bool on_skin;
    uint32_t vertex; // of the skin's mesh; SN_NONE: it is a point
    sn_vec3 skin;    // in the coordinates of the mesh; put onto its surface where it is used
    bool on_bone;
    sn_vec3 bone;    // in the world at rest, metres
    char *bone_name; // that it lies on; NULL: not said
    double depth;    // metres between both; 0: that of the table
    double doubt;    // metres by which a proposed one may be wrong; 0: it was given
    char *doubted;   // why it is in doubt; NULL: it is not
} sn_landmark;

// Places on a skin that follow each other: the edge of a lid, where lips meet.
typedef struct sn_landmark_line {
    char *name;
    uint32_t count;
    uint32_t *vertices; // count; NULL: they are points
    sn_vec3 *points;    // count, in the coordinates of the mesh; NULL: they are vertices
    bool closed;        // the last is followed by the first
} sn_landmark_line;

typedef struct sn_landmarks {
    sn_context *context;
    uint32_t count;
    sn_landmark *items; // names differ
    uint32_t line_count;
    sn_landmark_line *lines;
} sn_landmarks;

// Reads landmarks (docs/transfer.md#landmarks): {"landmarks": {NAME: place, ...}, "bones": {NAME:
// [x, y, z], ...}, "lines": {NAME: [place, ...], ...}}, where a place is [x, y, z] or the number of
// a vertex; or {"landmarks": [{"name", "side", "skin_vertex", "bone", "bone_point", "depth_mm"},
// ...]}. Fails with file, line and landmark.
SN_EXPERIMENTAL sn_status sn_landmarks_read(sn_context *context, const char *path,
                                            sn_landmarks **landmarks, sn_error *error);
SN_EXPERIMENTAL sn_status sn_landmarks_parse(sn_context *context, const char *name,
                                             const char *text, size_t size,
                                             sn_landmarks **landmarks, sn_error *error);

// Writes them in the first form.
SN_EXPERIMENTAL sn_status sn_landmarks_write(const sn_landmarks *landmarks, const char *path,
                                             sn_error *error);

SN_EXPERIMENTAL sn_status sn_landmarks_create(sn_context *context, sn_landmarks **landmarks,
                                              sn_error *error);
SN_EXPERIMENTAL void sn_landmarks_destroy(sn_landmarks *landmarks);

// The landmark of that name, NULL where there is none; with the second call it is added, on neither
// skin nor bone. The pointer is valid until another one is added.
SN_EXPERIMENTAL sn_landmark *sn_landmarks_find(const sn_landmarks *landmarks, const char *name);
SN_EXPERIMENTAL sn_status sn_landmarks_add(sn_landmarks *landmarks, const char *name,
                                           sn_landmark **landmark, sn_error *error);

// A head whose landmarks are known: upright on y, facing +z.
typedef struct sn_known_head {
    const sn_mesh *mesh;
    double unit; // metres to a unit of the mesh
    const sn_landmarks *landmarks;
} sn_known_head;

typedef struct sn_landmark_desc {
    uint32_t check;
    const sn_mesh *head;       // of any topology, in any pose: a head, a bust or a whole body
    double unit;               // metres to a unit of its mesh; 0: found
    sn_known_head known;       // whose landmarks are looked for on the head
    const sn_landmarks *given; // some that are known on the head; NULL: none
} sn_landmark_desc;

typedef struct sn_landmark_proposal {
    sn_context *context;
    sn_landmarks *landmarks; // those of the known head, given ones as they are
    double unit;             // metres to a unit of the head's mesh
    bool unit_found;         // it was looked for
    const char *unit_name;   // "cm" where it is a usual one, else NULL: the head was taken for one
                             // as large as the known one
    sn_quat rotation;        // that an upright head has on it
    sn_vec3 translation;     // of the known head's origin, metres
    double scale;            // metres of the head to one of the known head
    double distance;         // mean distance of the known head's face, laid onto it, metres
    double profile;          // mean angle between both profiles, radians: a face has less than 0.2
    uint32_t doubted_count;  // landmarks that are in doubt
    bool is_face;            // what was found looks like one
} sn_landmark_proposal;

SN_EXPERIMENTAL sn_landmark_desc sn_landmark_desc_default(void);

// Finds on a head the landmarks that are known on another one: its pose and unit, the profile, the
// ears, and then the whole skin. The result belongs to the caller. `progress` may be NULL. Fails
// with SN_INVALID for a mesh without a surface, and for given landmarks that are unknown or that
// lie where they cannot: the error names the landmark, or the two that are exchanged.
SN_EXPERIMENTAL sn_status sn_landmarks_propose(sn_context *context, const sn_landmark_desc *desc,
                                               const sn_progress *progress,
                                               sn_landmark_proposal **proposal, sn_error *error);
SN_EXPERIMENTAL void sn_landmark_proposal_destroy(sn_landmark_proposal *proposal);

// Laying a clean mesh onto a scan (docs/conform.md).
typedef struct sn_conform_desc {
    uint32_t check;
    sn_known_head known;       // the clean mesh, with the landmarks and lines that it has
    const sn_mesh *scan;       // of any topology, in any pose
    double unit;               // metres to a unit of the scan; 0: found
    const sn_landmarks *given; // on the scan: landmarks, and lines of the same names; NULL: none
} sn_conform_desc;

typedef struct sn_conform_report {
    double mean_distance, largest_distance; // of the clean skin's vertices from the scan, metres
    double
        mean_back; // of the scan's vertices from the clean skin, where that is below them, metres
    uint32_t covered;      // vertices of the outer skin that lie on the scan
    uint32_t free;         // others of it: where the scan has holes, ends, or is of another shape
    uint32_t flipped;      // triangles that are turned over
    double landmark_error; // largest distance of a given landmark from its place, metres
    const char *landmark;  // which, a name of `given`; NULL: none is given
    uint32_t line_count;   // lines that both have
    double line_mean, line_largest; // distance of their places from the scan's lines, metres
} sn_conform_report;

typedef struct sn_conformed {
    sn_context *context;
    uint32_t vertex_count;
    float *positions;               // #V x 3 of the clean mesh, in the coordinates of the scan
    double unit;                    // metres to a unit of the scan
    sn_landmark_proposal *proposal; // how the landmarks of the clean mesh were found on the scan
    sn_conform_report report;
} sn_conformed;

SN_EXPERIMENTAL sn_conform_desc sn_conform_desc_default(void);

// Lays a clean mesh onto a scanned head: landmarks are proposed where they are not given, the skin
// follows the scan, and what lies behind it, such as the bag of the mouth, eyes and teeth, moves
// along. `progress` may be NULL. Fails as sn_landmarks_propose does, where no face is found, and,
// naming it, for a line of less than two places.
SN_EXPERIMENTAL sn_status sn_conform_head(sn_context *context, const sn_conform_desc *desc,
                                          const sn_progress *progress, sn_conformed **conformed,
                                          sn_error *error);
SN_EXPERIMENTAL void sn_conformed_destroy(sn_conformed *conformed);

// What a part of a head is. The numbers are kept for ever.
typedef enum sn_head_role {
    SN_HEAD_BONE = 0,   // skull, mandible: what depths are measured to; closed
    SN_HEAD_TEETH = 1,  // stays inside of the skin
    SN_HEAD_MUSCLE = 2, // stays between bones and skin
    SN_HEAD_EYE = 3,    // keeps its shape
    SN_HEAD_OTHER = 4,  // moves as the space around it
} sn_head_role;

// A part of the source, in the world at rest, metres.
typedef struct sn_head_part {
    const char *name;
    sn_head_role role;
    const sn_mesh *mesh; // NULL: points alone
    uint32_t point_count;
    const sn_vec3 *points; // that move with it: ends and paths of muscles, joints
} sn_head_part;

// How a skull is first brought below a skin. The numbers are kept for ever.
typedef enum sn_transfer_method {
    SN_TRANSFER_SPLINE = 0, // the motion through all landmarks that bends space least
    SN_TRANSFER_CHAIN = 1,  // the peg mesh of the landmarks, then ever finer skulls, each wrapping
                            // the next
} sn_transfer_method;

typedef struct sn_transfer_desc {
    uint32_t check;
    uint32_t part_count;
    const sn_head_part *parts;
    const sn_mesh *skin;                // of the source, metres; NULL: it has none
    const sn_landmarks *landmarks;      // of the source: on bones, and on `skin`
    const sn_mesh *head;                // the target
    double unit;                        // metres to a unit of its mesh
    const sn_landmarks *head_landmarks; // on its skin, for all that the source has on bones
    const sn_depth_table *depths;
    sn_depth_column column;
    sn_transfer_method method;
    bool settle;      // bring the skull to its depth between landmarks, too
    double tolerance; // part of the depth by which it may differ there
    double clearance; // least distance of all bones from the skin, metres
} sn_transfer_desc;

// A part after the transfer.
typedef struct sn_head_moved {
    float *positions; // #V x 3 of its mesh; NULL without one
    sn_vec3 *points;  // point_count
    // Of a muscle: its vertices, or points where it has no mesh
    uint32_t outside; // outside of the skin
    uint32_t in_bone; // deeper in bones than in the source, by more than half a millimetre
    uint32_t pushed;  // that had to be moved besides what moves the bones
    double largest;   // of these moves, metres
    uint32_t flipped; // triangles that are turned over
    double scale;     // of an eye
} sn_head_moved;

typedef struct sn_transfer_report {
    double landmark_error;   // largest distance of a landmark of the bones from its place, metres
    uint32_t landmark;       // which, a number in `landmarks` of the desc
    uint32_t bone_count;     // vertices of bones and teeth
    uint32_t outside;        // of these outside of the skin
    double farthest;         // how far, metres
    uint32_t outside_first;  // before they were settled
    uint32_t covered;        // vertices between landmarks whose depths can be compared
    uint32_t wrong;          // of these beyond the tolerance
    uint32_t wrong_first;    // before they were settled
    double depth_error;      // mean of |depth / expected - 1| over them
    uint32_t flipped;        // triangles of bones that are turned over
    uint32_t muscle_outside; // vertices of muscles outside of the skin
} sn_transfer_report;

typedef struct sn_transferred {
    sn_context *context;
    uint32_t part_count;
    sn_head_moved *parts;
    sn_quat rotation;    // of the head
    double scale;        // of the whole
    uint32_t head_count; // vertices of the head
    sn_vec3 *on_source;  // head_count: where each of them is on the source's skin, metres; NULL
                         // where it has none
    sn_transfer_report report;
} sn_transferred;

SN_EXPERIMENTAL sn_transfer_desc sn_transfer_desc_default(void);

// Fits the bones, muscles and eyes of one head into another (docs/transfer.md). The result belongs
// to the caller. `progress` may be NULL. Fails with SN_INVALID, naming landmark or part, for a
// landmark of the bones that has no place on the head or no depth, one that lies where it cannot,
// two that are exchanged, a bone or muscle that is not closed, a head that is no head of this unit,
// and bones of the source that stand out of its own skin.
SN_EXPERIMENTAL sn_status sn_transfer_head(sn_context *context, const sn_transfer_desc *desc,
                                           const sn_progress *progress,
                                           sn_transferred **transferred, sn_error *error);
SN_EXPERIMENTAL void sn_transferred_destroy(sn_transferred *transferred);

// ---------------------------------------------------------------------------------------------
// Skins

// A bone, tissue or muscle that a skin is extracted from: a closed mesh, or an ellipsoid.
typedef struct sn_extract_part {
    const char *name;
    const sn_mesh *mesh;      // closed, or nearly so
    const sn_mat4 *ellipsoid; // maps the unit ball to it, in place of the mesh; NULL: none
    const sn_mat4 *place;     // maps mesh or ellipsoid to the world; NULL: they are in the world
    double density;           // 1; below 0 it pushes the skin away
} sn_extract_part;

// Lengths of the grid are in nodes.
typedef struct sn_extract_desc {
    uint32_t check;
    const char *name; // of the new mesh
    uint32_t part_count;
    const sn_extract_part *parts;
    uint32_t dimension; // largest number of nodes along an axis
    double filter;      // standard deviation of the smoothing
    double threshold;   // where the skin lies in the density, which is 200 inside the parts
    uint32_t relax;     // rounds that even out the triangles
    double detail;      // standard deviation of a second, finer smoothing; the skin is around both,
                        // so that parts too thin for the first one stay under it; 0: none
    double holes;       // metres: holes through the body up to that width are closed; 0: none
} sn_extract_desc;

typedef struct sn_extract_report {
    uint32_t part_count;
    uint32_t nodes[3];
    double spacing;        // of nodes, metres
    uint32_t piece_count;  // of the surface; the skin is the one of greatest volume
    double volume;         // of all pieces but hollows
    double kept_volume;    // of the skin, before its triangles are evened out
    uint32_t thin_count;   // parts that are too thin for the grid: they are in no piece
    uint32_t thin_part;    // the first of them, or SN_NONE
    uint32_t turned_count; // triangles that turned over when enlarged segments were shrunk again
    uint32_t mended_count; // parts with small holes or other defects that were mended first
    uint32_t mended_part;  // the first of them, or SN_NONE
    uint32_t hole_count;   // holes that were closed
    uint32_t handle_count; // holes that the skin still has
} sn_extract_report;

// Dimension 225, filter 3.2, threshold 35, 3 rounds.
SN_EXPERIMENTAL sn_extract_desc sn_extract_desc_default(void);

// Checks whether a skin can be extracted from a part. Meshes with small holes (the faces that close
// them have at most 15 % of the area), with doubled vertices or with faces of opposite orientation
// are mended for the extraction. Fails with SN_INVALID and the reason: it is open or has no volume.
SN_EXPERIMENTAL sn_status sn_extract_check(sn_context *context, const sn_extract_part *part,
                                           sn_error *error);

// Extracts the skin of a body from its parts (docs/extraction.md): a closed manifold of triangles
// around them. `report` and `progress` may be NULL. The result belongs to the caller
// (sn_mesh_destroy). Fails with SN_INVALID where a part does not pass the check, no part is
// positive, a number is out of range, or nothing of the body is thick enough for the threshold.
SN_EXPERIMENTAL sn_status sn_extract_skin(sn_context *context, const sn_extract_desc *desc,
                                          const sn_progress *progress, sn_mesh **skin,
                                          sn_extract_report *report, sn_error *error);

#ifdef __cplusplus
}
#endif

#endif
