// SPDX-License-Identifier: Apache-2.0
//
// Pivots of muscles between bones, at rest and in a pose.
#include "eval/muscles.h"

#include <math.h>

// The ends of a range belong to it, whatever rounding does to a parameter: relative to the ends.
static const double end_slack = 1e-9;

static double moved(const sni_pivot_plan *pivot, int axis, double otherwise, double unit,
                    const sni_pose *pose) {
    const sni_curve *curve = &pivot->moves[axis].curve;
    if (curve->track.key_count == 0) {
        return otherwise;
    }
    double input = sni_pose_value(pose, &pivot->moves[axis].parameter);
    return unit * sni_curve_sample(curve, input);
}

sni_muscle_pivot_place sni_pivot_find(const sni_pivot_plan *pivot, double unit,
                                      const sni_pose *pose) {
    sn_vec3 at = sn_vec3_scale(pivot->at, unit);
    sni_muscle_pivot_place place = {.at = sn_vec3_make(moved(pivot, 0, at.x, unit, pose),
                                                       moved(pivot, 1, at.y, unit, pose),
                                                       moved(pivot, 2, at.z, unit, pose))};
    if (pivot->use == SNI_PIVOT_RANGE) {
        double value = sni_pose_value(pose, &pivot->parameter);
        double slack = end_slack * fmax(1, fmax(fabs(pivot->low), fabs(pivot->high)));
        place.off = !(value >= pivot->low - slack && value <= pivot->high + slack);
    }
    return place;
}
