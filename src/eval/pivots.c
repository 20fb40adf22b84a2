// SPDX-License-Identifier: Apache-2.0
//
// Pivots of muscles between bones in a pose. Some depend on parameters of the rig, of which muscles
// know nothing: they get places.
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

static bool changes(const sni_pivot_plan *pivot) {
    bool moves = false;
    for (int i = 0; i < 3; ++i) {
        moves = moves || pivot->moves[i].curve.track.key_count > 0;
    }
    return moves || pivot->use == SNI_PIVOT_RANGE;
}

// The bodies of a muscle: its own, or those of its strips.
static uint32_t body_count(const sni_muscle_plan *plan) {
    return plan->body != NULL ? 1 : plan->strip_count;
}

static const sni_muscle_body_plan *body_at(const sni_muscle_plan *plan, uint32_t index) {
    return plan->body != NULL ? plan->body : &plan->strips[index].body;
}

bool sni_pivots_find(const sni_muscle_plan *plan, const double *segment_sizes, const sni_pose *pose,
                     sni_arena *arena, const sni_muscle_pivot_place **places) {
    uint32_t count = 0, next = 0;
    bool any = false;
    for (uint32_t b = 0; b < body_count(plan); ++b) {
        const sni_muscle_body_plan *body = body_at(plan, b);
        for (uint32_t i = 0; i < body->pivot_count; ++i) {
            any = any || changes(&body->pivots[i]);
        }
        count += body->pivot_count;
    }
    *places = NULL;
    if (!any) {
        return true;
    }
    sni_muscle_pivot_place *found = sni_arena_alloc(arena, count, sizeof *found);
    for (uint32_t b = 0; found != NULL && b < body_count(plan); ++b) {
        const sni_muscle_body_plan *body = body_at(plan, b);
        for (uint32_t i = 0; i < body->pivot_count; ++i) {
            const sni_pivot_plan *pivot = &body->pivots[i];
            double unit = pivot->in_sizes ? segment_sizes[pivot->segment] : 1;
            found[next++] = sni_pivot_find(pivot, unit, pose);
        }
    }
    *places = found;
    return found != NULL;
}
