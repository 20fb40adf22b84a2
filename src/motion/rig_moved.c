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

void sni_rig_find_moved(const sni_rig *rig, const sni_parameter_ref *ref, uint16_t *segments,
                        bool *controls) {
    memset(segments, 0, rig->skeleton.segment_count * sizeof *segments);
    memset(controls, 0, rig->control_count * sizeof *controls);
    mark(ref->segment, ref->joint_parameter, ref->control, segments, controls);
    for (uint32_t i = 0; i < rig->step_count; ++i) {
        sni_step step = rig->steps[i];
        if (step.is_sum) {
            const sni_sum *sum = &rig->sums[step.index];
            if (sum_moves(rig, sum, controls)) {
                mark(sum->segment, sum->parameter, sum->control, segments, controls);
            }
        } else {
            const sni_driver *driver = &rig->drivers[step.index];
            controls[driver->control] =
                controls[driver->control] || driver_moves(rig, driver, segments, controls);
        }
    }
}

bool sni_rig_is_summed(const sni_rig *rig, uint32_t segment, sn_joint_parameter parameter) {
    return (rig->summed[segment] >> parameter & 1) != 0;
}
