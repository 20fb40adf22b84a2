// SPDX-License-Identifier: Apache-2.0
//
// What a document says about its muscles, with names resolved. Nothing here depends on the
// proportions of the body: lengths in sizes of segments become metres where a body at rest is made.
#ifndef SINEW_CHARACTER_MUSCLE_PLAN_H
#define SINEW_CHARACTER_MUSCLE_PLAN_H

#include "motion/curve.h"
#include "motion/rig.h"
#include "muscle/muscle.h"
#include "sinew/json.h"

// What the place of an attachment is measured in.
typedef enum sni_attachment_frame {
    SNI_ATTACHED_IN_BOX,     // parts of the sides of a bone's box
    SNI_ATTACHED_IN_WORLD,   // metres in the world at rest, on a bone or beside it
    SNI_ATTACHED_IN_SEGMENT, // the frame of a segment, without a bone
} sni_attachment_frame;

// Where a muscle between bones begins or ends.
typedef struct sni_attachment_plan {
    const sn_value *value; // where its errors stand
    sni_attachment_frame frame;
    uint32_t bone;              // a surface, or SN_NONE in a segment's frame
    const sn_value *bone_value; // its name
    uint32_t segment;           // that carries it
    bool in_sizes;              // in a segment's frame: in sizes of the segment, else in metres
    sn_vec3 at;
} sni_attachment_plan;

// How a parameter moves one coordinate of a pivot.
typedef struct sni_pivot_move {
    sni_parameter_ref parameter;
    sni_curve curve; // without keys: the coordinate does not move
} sni_pivot_move;

// A place that a muscle between bones bends around.
typedef struct sni_pivot_plan {
    const sn_value *value;
    uint32_t slice, segment;
    sni_pivot_use use;
    bool in_sizes; // `at` and the curves' outputs are in sizes of the segment, else in metres
    sn_vec3 at;
    bool turned; // it has a frame of its own, `turn`
    sn_quat turn;
    uint32_t half_of;            // segment against which it turns half as much, or SN_NONE
    sni_parameter_ref parameter; // of a pivot that is used in a range
    double low, high;            // of that range, in the unit of the parameter's name
    sni_pivot_move moves[3];     // of x, y and z
} sni_pivot_plan;

// A body that a muscle between bones goes around.
typedef struct sni_wrap_plan {
    bool in_sizes; // lengths of `wrap` are in sizes of its segment, else in metres
    sni_muscle_wrap wrap;
} sni_wrap_plan;

// What a muscle between bones, or a strip of one, is made from.
typedef struct sni_muscle_body_plan {
    const sn_value *value;
    uint32_t attachment_count; // at each end
    sni_attachment_plan *origins, *insertions;
    uint32_t section_count;
    sni_muscle_section *sections;
    uint32_t shape_count;
    sni_muscle_slice_shape *shapes;
    uint32_t pivot_count;
    sni_pivot_plan *pivots;
    uint32_t wrap_count;
    sni_wrap_plan *wraps;
} sni_muscle_body_plan;

// A cylinder below a muscle's surface.
typedef struct sni_strip_plan {
    double *parameters; // of the kind `cylinder`
    sni_muscle_body_plan body;
} sni_strip_plan;

// A polyline drawn on a skin.
typedef struct sni_curve_plan {
    const sn_value *value;
    uint32_t count;
    sn_vec3 *points; // metres, in the space of the skin at rest
} sni_curve_plan;

// --- Plans of inputs (muscle/inputs.h)

// Muscles between bones: one body of its own, or a mesh of the document on several.
typedef struct sni_bodies_plan {
    const sn_value *value; // the muscle's object
    const char *mesh;      // NULL: the muscle makes its own surface
    uint32_t count;
    sni_strip_plan *bodies; // without parameters where it is not on strips
} sni_bodies_plan;

// A control point of a muscle of kind `graph`.
typedef struct sni_graph_point_plan {
    sni_attachment_plan place;
    bool in_space;   // no bone or segment is named: `at` of the place is in the world at rest
    uint32_t parent; // SN_NONE: a root
    uint32_t second; // segment that carries it, too
    double share;    // of that; 0: there is none
    bool root, tendon;
} sni_graph_point_plan;

typedef struct sni_graph_plan {
    const sn_value *value; // the muscle's object
    const char *mesh;      // NULL: its surface is made of circles
    uint32_t point_count;
    sni_graph_point_plan *points;
    uint32_t circle_count;
    sni_graph_circle *circles;
    bool has_center; // it is a sphincter
    sni_attachment_plan center;
} sni_graph_plan;

typedef struct sni_drawn_plan {
    const sn_value *value; // the muscle's object
    uint32_t skin;         // surface that it is drawn on
    uint32_t segment;      // that carries it, or SN_NONE: the weights of the skin
    uint32_t curve_count;
    sni_curve_plan *curves;
    bool has_center; // of a ring's contraction
    sn_vec3 center;
} sni_drawn_plan;

typedef struct sni_inner_plan {
    const sn_value *name; // of what it lies on
    uint32_t surface;     // of that name; SN_NONE: the limbs of
    uint32_t skin;        // the surface that it is drawn on
} sni_inner_plan;

// --- Muscles

typedef struct sni_muscle_plan {
    const sni_muscle_ops *ops;
    const char *name;
    const sn_value *value;
    double *parameters; // ops->parameters.count, the greatest of those that are driven
    uint32_t *driven;   // the control of each parameter, or SN_NONE; NULL: none is driven
    void *inputs[SNI_INPUTS_MOST]; // plans, in the order of the kind's inputs; NULL: none
    uint32_t contraction, tension; // controls, or SN_NONE for 0
    uint32_t activation; // control that tells it of one that does not contract, or SN_NONE
    bool show;
    bool on_extracted; // it needs a skin that is extracted from other parts
} sni_muscle_plan;

// The plan of one of its inputs, NULL where it has none.
static inline const void *sni_muscle_input(const sni_muscle_plan *plan, const sni_input *input) {
    return sni_input_find(plan->ops->inputs, (const void *const *)plan->inputs, input);
}

// The surface that a muscle is drawn on, SN_NONE where it is not.
static inline uint32_t sni_muscle_skin(const sni_muscle_plan *plan) {
    const sni_drawn_plan *drawn = sni_muscle_input(plan, &sni_input_drawn);
    return drawn != NULL ? drawn->skin : SN_NONE;
}

#endif
