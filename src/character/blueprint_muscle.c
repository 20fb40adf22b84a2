// SPDX-License-Identifier: Apache-2.0
//
// Muscles of a document, and which of them move a deformer.
#include "character/blueprint.h"

#include "character/schema.h"

static sn_status find_control(const sni_blueprint *blueprint, const sn_value *name,
                              uint32_t *control, sn_error *error) {
    *control = SN_NONE;
    return name != NULL ? sni_find_name(blueprint, SNI_SECTION_CONTROLS, name, control, error)
                        : SN_OK;
}

sn_status sni_decode_muscle(sni_blueprint *blueprint, const sn_value *value, sni_muscle_plan *plan,
                            sn_error *error) {
    const sni_muscle_ops *ops = sni_muscle_find(sn_value_string(sn_value_get(value, "kind"), ""));
    const sn_value *segment = sn_value_get(value, "segment");
    *plan = (sni_muscle_plan){.ops = ops,
                              .name = value->key,
                              .value = value,
                              .segment = SN_NONE,
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
