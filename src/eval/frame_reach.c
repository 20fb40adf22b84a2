// SPDX-License-Identifier: Apache-2.0
//
// Limbs of a frame that reach for something.
#include "eval/frame.h"
#include "motion/skeleton.h"

// The values to hold, to which synergies add their share: the angles that are wanted without it.
static void leave_out_synergies(const sn_frame *frame, uint32_t segment, double angles[3]) {
    const sn_segment *of = &sn_model_skeleton(frame->model)->segments[segment];
    for (int i = 0; i < 3; ++i) {
        sni_parameter_ref ref = {segment, (sn_joint_parameter)i, SN_NONE, 1};
        double share = sni_rig_synergy_share(frame->model->rig, &frame->pose, &ref);
        angles[i] = sni_limit_clamp(of->limits[i], angles[i] - share);
    }
}

sn_status sn_frame_reach(const sn_frame *frame, const sn_reach_desc *desc, sn_reach *reach,
                         sn_error *error) {
    sn_status status = sn_reach_solve(sn_model_skeleton(frame->model), frame->pose.worlds,
                                      frame->pose.parameters, desc, reach, error);
    if (status == SN_OK) {
        leave_out_synergies(frame, desc->limb.upper, reach->upper);
        leave_out_synergies(frame, desc->limb.lower, reach->lower);
    }
    return status;
}
