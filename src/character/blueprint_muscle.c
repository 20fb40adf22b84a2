// SPDX-License-Identifier: Apache-2.0
//
// Muscles of a document, and which of them move a deformer.
#include "character/blueprint.h"

#include "character/schema.h"

#include <string.h>

static sn_status find_control(const sni_blueprint *blueprint, const sn_value *name,
                              uint32_t *control, sn_error *error) {
    *control = SN_NONE;
    return name != NULL ? sni_find_name(blueprint, SNI_SECTION_CONTROLS, name, control, error)
                        : SN_OK;
}

uint32_t sni_find_surface(const sni_blueprint *blueprint, const char *name) {
    for (uint32_t i = 0; i < blueprint->surface_count; ++i) {
        if (strcmp(blueprint->surfaces[i].name, name) == 0) {
            return i;
        }
    }
    return SN_NONE;
}

static sn_status decode_depth(const sni_blueprint *blueprint, const sn_value *name,
                              sni_muscle_plan *plan, sn_error *error) {
    if (name == NULL) {
        return SN_OK;
    }
    plan->inner = sni_find_surface(blueprint, name->as.string);
    plan->on_skeleton =
        plan->inner == SN_NONE && strcmp(name->as.string, SNI_DEPTH_FROM_SKELETON) == 0;
    if (plan->inner == plan->skin) {
        return sni_fail_value(error, name, SN_INVALID,
                              "\"%s\" is the skin that the muscle is drawn on", name->as.string);
    }
    if (plan->inner != SN_NONE || plan->on_skeleton) {
        return SN_OK;
    }
    char hint[SNI_HINT_BYTES];
    sni_closest closest = sni_closest_to(name->as.string);
    for (uint32_t i = 0; i < blueprint->surface_count; ++i) {
        sni_closest_try(&closest, blueprint->surfaces[i].name);
    }
    sni_closest_try(&closest, SNI_DEPTH_FROM_SKELETON);
    return sni_fail_value(error, name, SN_INVALID, "there is no bone, tissue or skin \"%s\"%s",
                          name->as.string, sni_closest_hint(&closest, hint));
}

sn_status sni_decode_muscle(sni_blueprint *blueprint, const sn_value *value, sni_muscle_plan *plan,
                            sn_error *error) {
    const sni_muscle_ops *ops = sni_muscle_find(sn_value_string(sn_value_get(value, "kind"), ""));
    const sn_value *segment = sn_value_get(value, "segment");
    *plan = (sni_muscle_plan){.ops = ops,
                              .name = value->key,
                              .value = value,
                              .segment = SN_NONE,
                              .inner = SN_NONE,
                              .show = sn_value_bool(sn_value_get(value, "show"), true)};
    sn_status status = SN_OK;
    SN_TRY(sni_decode_parameters(blueprint, ops->parameters, ops->parameter_count, value,
                                 &plan->parameters, error));
    SN_TRY(sni_find_name(blueprint, SNI_SECTION_SKINS, sn_value_get(value, "skin"), &plan->skin,
                         error));
    plan->skin += blueprint->surface_count - blueprint->names[SNI_SECTION_SKINS].count;
    if (segment != NULL) {
        SN_TRY(sni_find_name(blueprint, SNI_SECTION_SKELETON, segment, &plan->segment, error));
    }
    SN_TRY(find_control(blueprint, sn_value_get(value, "contraction"), &plan->contraction, error));
    SN_TRY(find_control(blueprint, sn_value_get(value, "tension"), &plan->tension, error));
    SN_TRY(decode_depth(blueprint, sn_value_get(value, "depth_from"), plan, error));
cleanup:
    return status;
}

sn_status sni_decode_muscles(sni_blueprint *blueprint, const sn_value *root, sn_error *error) {
    const sn_value *map = sn_value_get(root, "muscles");
    blueprint->muscle_count = sn_value_count(map);
    SNI_PLAN_NEW(blueprint, blueprint->muscles, blueprint->muscle_count);
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < blueprint->muscle_count && status == SN_OK; ++i) {
        status = sni_decode_muscle(blueprint, sn_value_at(map, i), &blueprint->muscles[i], error);
    }
    return status;
}

sn_status sni_decode_deformer_muscles(sni_blueprint *blueprint, sni_deformer_plan *plan,
                                      sn_error *error) {
    const sn_value *names = sn_value_get(plan->value, "muscles");
    plan->muscle_count = sn_value_count(names);
    SNI_PLAN_NEW(blueprint, plan->muscles, plan->muscle_count);
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < plan->muscle_count && status == SN_OK; ++i) {
        status = sni_find_name(blueprint, SNI_SECTION_MUSCLES, sn_value_at(names, i),
                               &plan->muscles[i], error);
        for (uint32_t k = 0; k < i && status == SN_OK; ++k) {
            if (plan->muscles[k] == plan->muscles[i]) {
                status = sni_fail_value(error, sn_value_at(names, i), SN_INVALID,
                                        "the muscle \"%s\" is named twice",
                                        sn_value_at(names, i)->as.string);
            }
        }
    }
    return status;
}
