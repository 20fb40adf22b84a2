// SPDX-License-Identifier: Apache-2.0
//
// What changes when a parameter does. Steps are in an order in which sources come first, so that
// one pass over them finds all.
#include "motion/rig_internal.h"

#include <string.h>

// A distance changes with every parameter between a point and the common ancestor.
static bool distance_moves(const sni_rig *rig, const sni_driver *driver, const uint16_t *segments) {
    bool moves = false;
    for (int i = 0; i < 2; ++i) {
        uint32_t segment = driver->points[i].segment;
        for (; segment != driver->common_ancestor;
             segment = rig->skeleton.segments[segment].parent) {
            moves = moves || segments[segment] != 0;
        }
    }
    return moves;
}

static bool driver_moves(const sni_rig *rig, const sni_driver *driver, const uint16_t *segments,
                         const bool *controls) {
    const sni_parameter_ref *source = &driver->source;
    if (driver->is_distance) {
        return distance_moves(rig, driver, segments);
    }
    return source->control != SN_NONE
               ? controls[source->control]
               : (segments[source->segment] >> source->joint_parameter & 1) != 0;
}

static bool sum_moves(const sni_rig *rig, const sni_sum *sum, const bool *controls) {
    bool moves = false;
    for (uint32_t i = 0; i < sum->term_count; ++i) {
        moves = moves || controls[rig->terms[sum->first_term + i].control];
    }
    return moves;
}

static void mark(uint32_t segment, sn_joint_parameter parameter, uint32_t control,
                 uint16_t *segments, bool *controls) {
    if (control != SN_NONE) {
        controls[control] = true;
    } else {
        segments[segment] = (uint16_t)(segments[segment] | 1u << parameter);
    }
}

// Marks what follows from what is marked. `late` (may be NULL) gets the steps that do.
static void spread(const sni_rig *rig, uint16_t *segments, bool *controls, bool *late) {
    for (uint32_t i = 0; i < rig->step_count; ++i) {
        sni_step step = rig->steps[i];
        bool moves;
        if (step.is_sum) {
            const sni_sum *sum = &rig->sums[step.index];
            moves = sum_moves(rig, sum, controls);
            if (moves) {
                mark(sum->segment, sum->parameter, sum->control, segments, controls);
            }
        } else {
            const sni_driver *driver = &rig->drivers[step.index];
            moves = driver_moves(rig, driver, segments, controls);
            controls[driver->control] = controls[driver->control] || moves;
        }
        if (late != NULL) {
            late[i] = moves;
        }
    }
}

void sni_rig_find_moved(const sni_rig *rig, const sni_parameter_ref *ref, uint16_t *segments,
                        bool *controls) {
    memset(segments, 0, rig->skeleton.segment_count * sizeof *segments);
    memset(controls, 0, rig->control_count * sizeof *controls);
    mark(ref->segment, ref->joint_parameter, ref->control, segments, controls);
    spread(rig, segments, controls, NULL);
}

// All parameters of a segment that is moved change, but for its scale.
static const uint16_t moved_parameters = 1 << SN_JOINT_RX | 1 << SN_JOINT_RY | 1 << SN_JOINT_RZ |
                                         1 << SN_JOINT_TX | 1 << SN_JOINT_TY | 1 << SN_JOINT_TZ;

sn_status sni_rig_find_late(sni_rig *rig, const sni_rig_desc *desc, sn_error *error) {
    sn_status status = SN_OK;
    rig->has_moved = desc->moved_count > 0;
    SNI_NEW_ZERO(rig->context, rig->late, rig->step_count);
    SNI_NEW_ZERO(rig->context, rig->late_controls, rig->control_count);
    SNI_NEW_ZERO(rig->context, rig->moved, rig->skeleton.segment_count);
    for (uint32_t i = 0; i < desc->moved_count; ++i) {
        SN_ASSERT(desc->moved[i] < rig->skeleton.segment_count);
        rig->moved[desc->moved[i]] = moved_parameters;
    }
    spread(rig, rig->moved, rig->late_controls, rig->late);
    // What is left are parameters that synergies add to.
    for (uint32_t i = 0; i < desc->moved_count; ++i) {
        rig->moved[desc->moved[i]] = 0;
    }
    for (uint32_t i = 0; i < rig->step_count; ++i) {
        if (rig->late[i] && rig->steps[i].is_sum) {
            const sni_sum *sum = &rig->sums[rig->steps[i].index];
            mark(sum->segment, sum->parameter, sum->control, rig->moved, rig->late_controls);
        }
    }
cleanup:
    return status;
}

bool sni_rig_control_follows(const sni_rig *rig, uint32_t control) {
    SN_ASSERT(control < rig->control_count);
    return rig->late_controls[control];
}

bool sni_rig_segment_follows(const sni_rig *rig, uint32_t segment) {
    SN_ASSERT(segment < rig->skeleton.segment_count);
    return rig->moved[segment] != 0;
}

bool sni_rig_is_summed(const sni_rig *rig, uint32_t segment, sn_joint_parameter parameter) {
    return (rig->summed[segment] >> parameter & 1) != 0;
}
