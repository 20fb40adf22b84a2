// SPDX-License-Identifier: Apache-2.0
//
// How a rig is stored: flat arrays, and the steps in which they are evaluated.
#ifndef SINEW_MOTION_RIG_INTERNAL_H
#define SINEW_MOTION_RIG_INTERNAL_H

#include "base/text.h"
#include "motion/curve.h"
#include "motion/rig.h"

typedef struct sni_control {
    char *name;
    double low, standard, high;
    uint32_t driver; // that computes it, or SN_NONE
    bool is_sum;     // synergies add to it
    sn_unit unit;
} sni_control;

typedef struct sni_driver {
    uint32_t control;
    bool is_distance;
    sni_parameter_ref source;    // where it is not a distance
    sni_carried_point points[2]; // of the distance
    uint32_t common_ancestor;    // of their segments, SN_NONE for the world
    sni_curve curve;             // source value -> control; no keys: the value itself
} sni_driver;

// What synergies add to one joint parameter, or to one control: terms [first_term, first_term +
// term_count).
typedef struct sni_sum {
    uint32_t segment; // SN_NONE for a control
    sn_joint_parameter parameter;
    uint32_t control; // SN_NONE for a joint parameter
    uint32_t first_term, term_count;
} sni_sum;

typedef struct sni_term {
    uint32_t control;
    double amount; // inner unit per unit of the control
} sni_term;

// One step of the evaluation: a driver computes its control, or a sum is added and limited.
typedef struct sni_step {
    bool is_sum;
    uint32_t index; // of the driver or the sum
} sni_step;

struct sni_rig {
    sn_context *context;
    sn_skeleton skeleton;
    sni_name_index segment_names;
    sn_transform *rest_locals; // segment_count
    uint16_t *summed;          // segment_count: bit p is set where parameter p has a sum
    uint32_t control_count;
    sni_control *controls;
    sni_name_index control_names;
    uint32_t driver_count;
    sni_driver *drivers;
    uint32_t sum_count;
    sni_sum *sums; // sorted by segment and parameter, then those of controls
    sni_term *terms;
    uint32_t step_count;
    sni_step *steps;     // sources first
    bool has_moved;      // something else moves segments
    bool *late;          // step_count: it depends on these
    bool *late_controls; // control_count: the same
    uint16_t *moved;     // segment_count: bit p is set where parameter p follows from these
};

// Brings drivers and sums into an order in which sources come first. Fails with SN_INVALID,
// naming the chain, when there is none.
sn_status sni_rig_order(sni_rig *rig, sn_error *error);

// Finds the steps that depend on segments that something else moves.
sn_status sni_rig_find_late(sni_rig *rig, const sni_rig_desc *desc, sn_error *error);

// A player's track: what it writes where.
typedef struct sni_player_track {
    const sn_track *track;
    sni_parameter_ref ref; // of transform tracks: the segment
    double factor;         // from the clip's unit of angles to the control's, else 1
} sni_player_track;

// A segment with transform tracks, and which of its joint parameters they give.
typedef struct sni_moved {
    uint32_t segment;
    bool rotation, translation, scale;
} sni_moved;

struct sni_player {
    const sni_rig *rig;
    uint32_t transform_count; // tracks of transforms stand before those of parameters
    uint32_t track_count;
    sni_player_track *tracks;
    uint32_t moved_count;
    sni_moved *moved; // each segment once
};

#endif
