// SPDX-License-Identifier: Apache-2.0
//
// Surfaces, segments, controls and parameters of a model by name, and the ranges of parameters.
#include "eval/model.h"

#include "motion/skeleton.h"

#include <string.h>

uint32_t sn_model_find_surface(const sn_model *model, const char *name) {
    for (uint32_t i = 0; i < model->surface_count; ++i) {
        if (strcmp(model->surfaces[i].name, name) == 0) {
            return i;
        }
    }
    return SN_NONE;
}

uint32_t sn_model_find_segment(const sn_model *model, const char *name) {
    return sni_skeleton_find(sn_model_skeleton(model), name);
}

uint32_t sn_model_find_control(const sn_model *model, const char *name) {
    return sni_rig_find_control(model->rig, name);
}

static sn_unit unit_of(const sni_rig *rig, const sni_parameter_ref *ref) {
    if (ref->control != SN_NONE) {
        return sni_rig_control_unit(rig, ref->control);
    }
    if (ref->joint_parameter <= SN_JOINT_RZ) {
        return ref->unit != 1 ? SN_UNIT_DEGREES : SN_UNIT_RADIANS;
    }
    return ref->joint_parameter <= SN_JOINT_TZ ? SN_UNIT_METRES : SN_UNIT_NONE;
}

static sn_pose_parameter describe(const sn_model *model, const sni_parameter_ref *ref) {
    sn_pose_parameter made = {.segment = ref->segment,
                              .joint_parameter = ref->joint_parameter,
                              .control = ref->control,
                              .unit = unit_of(model->rig, ref)};
    if (ref->control != SN_NONE) {
        sni_control_desc control = sni_rig_control(model->rig, ref->control);
        made.low = control.low;
        made.high = control.high;
        made.standard = control.standard;
        made.driven = model->blueprint->driven[ref->control];
        made.usual_low = model->blueprint->control_usual[ref->control].low;
        made.usual_high = model->blueprint->control_usual[ref->control].high;
    } else {
        const sn_segment *segment = &sn_model_skeleton(model)->segments[ref->segment];
        made.low = segment->limits[ref->joint_parameter].low / ref->unit;
        made.high = segment->limits[ref->joint_parameter].high / ref->unit;
        made.standard = segment->rest_parameters[ref->joint_parameter] / ref->unit;
        made.usual_low = made.low;
        made.usual_high = made.high;
    }
    return made;
}

sn_status sn_model_find_parameter(const sn_model *model, const char *name,
                                  sn_pose_parameter *parameter, sn_error *error) {
    sni_parameter_ref ref;
    sn_status status = sni_rig_find(model->rig, name, &ref, error);
    if (status == SN_OK) {
        *parameter = describe(model, &ref);
    }
    return status;
}

sn_pose_parameter sn_model_control_parameter(const sn_model *model, uint32_t control) {
    SN_ASSERT(control < sn_model_control_count(model));
    sni_parameter_ref ref = {.segment = SN_NONE, .control = control, .unit = 1};
    return describe(model, &ref);
}

sn_pose_parameter sn_model_joint_parameter(const sn_model *model, uint32_t segment,
                                           sn_joint_parameter joint_parameter) {
    SN_ASSERT(segment < sn_model_skeleton(model)->segment_count &&
              (unsigned)joint_parameter < SN_JOINT_PARAMETER_COUNT);
    sni_parameter_ref ref = {
        .segment = segment, .joint_parameter = joint_parameter, .control = SN_NONE, .unit = 1};
    return describe(model, &ref);
}

sn_status sni_model_parameter_ref(const sn_model *model, const sn_pose_parameter *parameter,
                                  sni_parameter_ref *ref, sn_error *error) {
    bool is_control = parameter->control != SN_NONE;
    bool known = is_control ? parameter->control < sn_model_control_count(model)
                            : parameter->segment < sn_model_skeleton(model)->segment_count &&
                                  (unsigned)parameter->joint_parameter < SN_JOINT_PARAMETER_COUNT;
    if (!known) {
        return sni_fail(error, SN_INVALID, "\"%s\" has no %s %u, parameter %d",
                        sn_model_name(model), is_control ? "control" : "segment",
                        is_control ? parameter->control : parameter->segment,
                        (int)parameter->joint_parameter);
    }
    bool degrees = !is_control && parameter->unit == SN_UNIT_DEGREES;
    *ref = (sni_parameter_ref){.segment = is_control ? SN_NONE : parameter->segment,
                               .joint_parameter = parameter->joint_parameter,
                               .control = parameter->control,
                               .unit = degrees ? SN_PI / 180 : 1};
    return SN_OK;
}
