// SPDX-License-Identifier: Apache-2.0
//
// What a muscle does in a frame: how short it is, and how active.
#include "eval/model.h"

#include <math.h>

// A muscle is fully flexed at this part of its rest length.
static const double flexed_length = 0.75;

double sni_shortening(double length, double rest_length) {
    if (!(rest_length > 0)) {
        return 0;
    }
    double part = (1 - length / rest_length) / (1 - flexed_length);
    return part > 0 ? fmin(part, 1) : 0;
}

static bool tells_activation(const sni_muscle_plan *muscle) {
    return muscle->ops->activates || muscle->activation != SN_NONE ||
           muscle->contraction != SN_NONE || muscle->tension != SN_NONE;
}

bool sni_model_tells_activation(const sn_model *model, uint32_t surface) {
    uint32_t first = model->blueprint->surface_count;
    return surface >= first && tells_activation(&model->blueprint->muscles[surface - first]);
}

static double control_of(const sn_frame *frame, uint32_t control) {
    return control != SN_NONE ? sn_frame_controls(frame)[control] : 0;
}

// Of its own control, else the larger of what contracts and tenses it.
static double find_activation(const sn_frame *frame, const sni_muscle_plan *muscle) {
    return muscle->activation != SN_NONE
               ? control_of(frame, muscle->activation)
               : fmax(control_of(frame, muscle->contraction), control_of(frame, muscle->tension));
}

sn_muscle_state sni_frame_muscle_state(const sn_frame *frame, uint32_t muscle) {
    const sn_model *model = sn_frame_model(frame);
    const sni_bound_muscle *bound = model->muscles[muscle];
    const sni_muscle_plan *plan = &model->blueprint->muscles[muscle];
    sni_muscle_measure measure;
    sn_muscle_state state = {0};
    bound->ops->measure(bound->bound, sni_frame_muscle_points(frame, muscle), &measure);
    state.length = measure.length;
    state.rest_length = measure.rest_length;
    state.volume = measure.volume;
    state.rest_volume = measure.rest_volume;
    state.shortening = sni_shortening(measure.length, measure.rest_length);
    state.activation = plan->ops->activates ? measure.activation : find_activation(frame, plan);
    state.has_activation = tells_activation(plan);
    return state;
}

bool sn_frame_muscle_state(const sn_frame *frame, uint32_t surface, sn_muscle_state *state) {
    const sn_model *model = sn_frame_model(frame);
    uint32_t first = model->blueprint->surface_count;
    if (surface < first || surface >= model->surface_count) {
        return false;
    }
    *state = sni_frame_muscle_state(frame, surface - first);
    return true;
}
