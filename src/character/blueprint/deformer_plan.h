// SPDX-License-Identifier: Apache-2.0
//
// What a document says about its deformers, with names resolved. Meshes are not known yet: what is
// said about their points, bones and morph targets is matched with them when a model is made.
#ifndef SINEW_CHARACTER_DEFORMER_PLAN_H
#define SINEW_CHARACTER_DEFORMER_PLAN_H

#include "motion/rig.h"
#include "sinew/json.h"
#include "skin/skin.h"

// Points of a mesh: a text of ranges ("12,40-60"), or one range.
typedef struct sni_points_plan {
    const sn_value *value; // where its errors stand; NULL: no points are named
    const char *text;      // NULL: from `first` to `last`
    double first, last;
} sni_points_plan;

// Numbers for points of a mesh: one for all of them, or one each, times a common weight.
typedef struct sni_point_values_plan {
    sni_points_plan points;
    double weight;
    const sn_value *list; // where errors about `values` stand; NULL: all points have `weight`
    uint32_t count;
    double *values; // by rising number of the point
} sni_point_values_plan;

// An entry of "weights": some points, those of a group of faces, of an attribute, or all.
typedef struct sni_weights_entry {
    sni_point_values_plan points;
    const sn_value *group, *attribute; // their names; NULL: not by them
} sni_weights_entry;

// An entry of "paint": weights on a segment.
typedef struct sni_paint_entry {
    uint32_t segment;
    sni_point_values_plan points;
} sni_paint_entry;

// A name of a mesh (a bone of its weights, a morph target), and the segment or control that it
// stands for.
typedef struct sni_mapped_name {
    const sn_value *value;
    const char *name;
    uint32_t number;
} sni_mapped_name;

typedef struct sni_name_map {
    uint32_t count;
    sni_mapped_name *names;
} sni_name_map;

// What a point moves by.
typedef struct sni_moved_point {
    const sn_value *value;
    uint32_t vertex;
    double offset[3];
} sni_moved_point;

// A key of a set of key poses: the points that it moves, or a mesh with all of them.
typedef struct sni_pose_key {
    const sn_value *mesh; // its name; NULL: it has points
    uint32_t point_count;
    sni_moved_point *points;
} sni_pose_key;

// A set of key poses.
typedef struct sni_pose_plan {
    const sn_value *value;
    sni_parameter_ref parameter; // that it follows, unless
    uint32_t muscle;             // it follows the length of this muscle; SN_NONE otherwise
    sn_interpolation interpolation;
    uint32_t key_count;
    double *inputs; // rising, in the unit of the name that is followed
    sni_pose_key *keys;
} sni_pose_plan;

// --- Plans of inputs (skin/inputs.h)

typedef struct sni_weights_plan {
    sni_name_map bones; // segments
    uint32_t paint_count;
    sni_paint_entry *paint;
} sni_weights_plan;

typedef struct sni_targets_plan {
    sni_name_map targets; // controls
} sni_targets_plan;

typedef struct sni_driver_plan {
    const sn_value *name;
    uint32_t surface;
    uint32_t control; // or SN_NONE
} sni_driver_plan;

typedef struct sni_sets_plan {
    uint32_t count;
    sn_wrap_set *sets;    // of the driver's faces, edited by hand
    sn_wrap_patch *patch; // what the driver's vertices are control points of; NULL: nothing
} sni_sets_plan;

typedef struct sni_eye_plan {
    uint32_t surface, control;
} sni_eye_plan;

typedef struct sni_eyes_plan {
    uint32_t count;
    sni_eye_plan *eyes;
} sni_eyes_plan;

// Surfaces or muscles by number, each named once.
typedef struct sni_names_plan {
    const sn_value *names; // NULL: all are meant, and none is named
    uint32_t count;
    uint32_t *numbers;
} sni_names_plan;

typedef struct sni_poses_plan {
    uint32_t count;
    sni_pose_plan *sets;
} sni_poses_plan;

typedef struct sni_pins_plan {
    uint32_t count;
    uint32_t *vertices;     // unless they are
    sni_points_plan points; // said as a text
} sni_pins_plan;

// --- Deformers

typedef struct sni_deformer_plan {
    const sni_deformer_ops *ops;
    const sn_value *value; // its object in the document
    double *parameters;    // ops->parameters.count, the greatest of those that are driven
    uint32_t *driven;      // the control of each parameter, or SN_NONE; NULL: none is driven
    void *inputs[SNI_INPUTS_MOST]; // plans, in the order of the kind's inputs; NULL: none
    bool combined;                 // with the deformer before, from the same points, as
    sn_wrap_combination combination;
    bool weighted; // its points take parts of its effect: `weights`
    uint32_t weights_count;
    sni_weights_entry *weights;
} sni_deformer_plan;

// The plan of one of its inputs, NULL where it has none.
static inline const void *sni_deformer_input(const sni_deformer_plan *plan,
                                             const sni_input *input) {
    return sni_input_find(plan->ops->inputs, (const void *const *)plan->inputs, input);
}

#endif
