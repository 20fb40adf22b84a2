// SPDX-License-Identifier: Apache-2.0
//
// Surfaces, segments, controls and parameters of a model by name, and the ranges of parameters.
#include "eval/model.h"

#include "base/text.h"
#include "motion/parameter.h"
#include "motion/segment_match.h"
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

static sn_status fail_no_part(const sn_model *model, const char *name, sn_error *error) {
    sni_closest closest = sni_closest_to(name);
    const char *near = sni_segment_match_near(sn_model_skeleton(model), name);
    char hint[SNI_HINT_BYTES];
    for (uint32_t i = 0; i < model->surface_count; ++i) {
        sni_closest_try(&closest, model->surfaces[i].name);
    }
    if (near != NULL) {
        sni_closest_try(&closest, near);
    }
    return sni_fail(error, SN_INVALID,
                    "no segment, muscle, bone, tissue or skin is called \"%s\"%s", name,
                    sni_closest_hint(&closest, hint));
}

static uint32_t surface_called(const sn_model *model, const char *name) {
    for (uint32_t i = 0; i < model->surface_count; ++i) {
        if (sni_name_is_called(model->surfaces[i].name, name)) {
            return i;
        }
    }
    return SN_NONE;
}

sn_status sn_model_match_part(const sn_model *model, const char *name, uint32_t *surface,
                              uint32_t *segment, sn_name_match *match, sn_error *error) {
    sni_segment_match found;
    *match = SN_NAME_EXACT;
    *surface = sn_model_find_surface(model, name);
    *segment = *surface == SN_NONE ? sn_model_find_segment(model, name) : SN_NONE;
    if (*surface != SN_NONE || *segment != SN_NONE) {
        return SN_OK;
    }
    sn_status status =
        sni_segment_match_find(model->context, sn_model_skeleton(model), name, &found, error);
    if (status != SN_OK) {
        return status;
    }
    *match = found.how;
    if (found.names.count == 1) {
        *segment = found.segment;
        return SN_OK;
    }
    *match = SN_NAME_SHORT;
    *surface = surface_called(model, name);
    return *surface != SN_NONE     ? SN_OK
           : found.names.count > 1 ? sni_segment_match_fail(&found, name, error)
                                   : fail_no_part(model, name, error);
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

// A joint parameter of the segment that the first part of a name means.
static sn_status match_joint(const sn_model *model, const char *name, const char *segment,
                             const sni_parameter_name *parsed, sn_pose_parameter *parameter,
                             sn_name_match *match, sn_error *error) {
    const sn_skeleton *skeleton = sn_model_skeleton(model);
    sni_segment_match found;
    sn_status status = sni_segment_match_find(model->context, skeleton, segment, &found, error);
    if (status != SN_OK) {
        return status;
    }
    const char *near = sni_segment_match_near(skeleton, segment);
    if (found.names.count != 1) {
        return found.names.count > 1 ? sni_segment_match_fail(&found, segment, error)
               : near != NULL        ? sni_fail(error, SN_INVALID,
                                                "there is no parameter \"%s\"; did you mean \"%s%s\"?",
                                                name, near, name + parsed->segment_length)
                                     : sn_model_find_parameter(model, name, parameter, error);
    }
    *match = found.how;
    *parameter = describe(model, &(sni_parameter_ref){.segment = found.segment,
                                                      .control = SN_NONE,
                                                      .joint_parameter = parsed->parameter,
                                                      .unit = parsed->unit});
    return SN_OK;
}

sn_status sn_model_match_parameter(const sn_model *model, const char *name,
                                   sn_pose_parameter *parameter, sn_name_match *match,
                                   sn_error *error) {
    sni_parameter_name parsed;
    *match = SN_NAME_EXACT;
    if (sn_model_find_parameter(model, name, parameter, NULL) == SN_OK) {
        return SN_OK;
    }
    if (!sni_parameter_parse(name, &parsed)) {
        return sn_model_find_parameter(model, name, parameter, error);
    }
    char *segment = sni_string_copy_n(model->context, name, parsed.segment_length);
    if (segment == NULL) {
        return sni_fail_memory(error);
    }
    sn_status status = match_joint(model, name, segment, &parsed, parameter, match, error);
    sni_free(model->context, segment);
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
