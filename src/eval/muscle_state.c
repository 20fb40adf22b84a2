// SPDX-License-Identifier: Apache-2.0
//
// What a muscle does in a frame: how short it is, and how active.
#include "eval/frame.h"

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

// How far the axes of a muscle have swung.
static void add_axes(const sn_frame *frame, uint32_t muscle, sn_muscle_state *state) {
    const sni_bound_muscle *bound = sn_frame_model(frame)->muscles[muscle];
    const double *points = sni_frame_muscle_points(frame, muscle);
    const double *relaxed = frame->muscles.posed[muscle].relaxed;
    sni_muscle_axes axes;
    bound->ops->axis(bound->bound, points, 0, &axes);
    state->fibre_count = axes.fibre_count;
    for (uint32_t i = 0; i < axes.fibre_count; ++i) {
        const sn_vec3 *now = bound->ops->axis(bound->bound, points, i, NULL);
        const sn_vec3 *still = bound->ops->axis(bound->bound, relaxed, i, NULL);
        for (uint32_t k = 0; k < axes.particle_count; ++k) {
            state->swing = fmax(state->swing, sn_vec3_distance(now[k], still[k]));
        }
    }
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
    if (bound->ops->axis != NULL) {
        add_axes(frame, muscle, &state);
    }
    return state;
}

const char *sn_frame_muscle_trouble(const sn_frame *frame, uint32_t surface) {
    const sn_model *model = frame->model;
    uint32_t first = model->blueprint->surface_count;
    if (surface < first || surface >= model->surface_count) {
        return NULL;
    }
    const char *text = sni_frame_muscle_trouble(&frame->muscles, surface - first);
    return text[0] != 0 ? text : NULL;
}

bool sn_frame_muscle_axis(const sn_frame *frame, uint32_t surface, uint32_t fibre,
                          sn_muscle_axis *axis) {
    const sn_model *model = frame->model;
    uint32_t first = model->blueprint->surface_count;
    if (surface < first || surface >= model->surface_count) {
        return false;
    }
    const sni_bound_muscle *bound = model->muscles[surface - first];
    const double *points = sni_frame_muscle_points(frame, surface - first);
    const double *relaxed = frame->muscles.posed[surface - first].relaxed;
    sni_muscle_axes axes;
    if (bound->ops->axis == NULL) {
        return false;
    }
    bound->ops->axis(bound->bound, points, 0, &axes);
    if (fibre >= axes.fibre_count) {
        return false;
    }
    *axis = (sn_muscle_axis){
        .particle_count = axes.particle_count,
        .particles = &bound->ops->axis(bound->bound, points, fibre, NULL)->x,
        .still = &bound->ops->axis(bound->bound, relaxed, fibre, NULL)->x,
        .swings = axes.swings,
    };
    return true;
}

// A muscle with memory and without axes does not swing.
bool sn_model_swings(const sn_model *model) {
    for (uint32_t i = 0; i < model->blueprint->muscle_count; ++i) {
        const sni_bound_muscle *muscle = model->muscles[i];
        if (muscle->ops->axis != NULL && muscle->ops->state_bytes != NULL &&
            muscle->ops->state_bytes(muscle->bound) > 0) {
            return true;
        }
    }
    return false;
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
