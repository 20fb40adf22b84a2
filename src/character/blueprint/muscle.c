// SPDX-License-Identifier: Apache-2.0
//
// Muscles of a document, and which of them move a deformer.
#include "character/blueprint/blueprint.h"

#include "character/schema/schema.h"

#include <string.h>

sn_status sni_find_control(const sni_blueprint *blueprint, const sn_value *value, uint32_t *control,
                           sn_error *error) {
    *control = SN_NONE;
    return value != NULL ? sni_find_name(blueprint, SNI_SECTION_CONTROLS, value, control, error)
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

sn_status sni_find_skin(const sni_blueprint *blueprint, const sn_value *value, uint32_t *surface,
                        sn_error *error) {
    sn_status status = sni_find_name(blueprint, SNI_SECTION_SKINS, value, surface, error);
    *surface += blueprint->surface_count - blueprint->names[SNI_SECTION_SKINS].count;
    return status;
}

static sn_status decode_muscle(sni_blueprint *blueprint, const sn_value *value,
                               sni_muscle_plan *plan, sn_error *error) {
    const sni_muscle_ops *ops = sni_muscle_find(sn_value_string(sn_value_get(value, "kind"), ""));
    *plan = (sni_muscle_plan){.ops = ops,
                              .name = value->key,
                              .value = value,
                              .contraction = SN_NONE,
                              .tension = SN_NONE,
                              .activation = SN_NONE,
                              .show = sn_value_bool(sn_value_get(value, "show"), true)};
    sn_status status = SN_OK;
    SN_TRY(sni_decode_parameters(blueprint, &ops->parameters, value, &plan->parameters, error));
    SN_TRY(sni_decode_driven(blueprint, &ops->parameters, value, plan->parameters, &plan->driven,
                             error));
    SN_TRY(
        sni_find_control(blueprint, sn_value_get(value, "activation"), &plan->activation, error));
    if (ops->contracts) {
        SN_TRY(sni_find_control(blueprint, sn_value_get(value, "contraction"), &plan->contraction,
                                error));
        SN_TRY(sni_find_control(blueprint, sn_value_get(value, "tension"), &plan->tension, error));
    }
    SN_TRY(sni_decode_inputs(
        &(sni_decoding){
            .blueprint = blueprint, .object = value, .kind = ops->name, .surface = SN_NONE},
        ops->inputs, plan->inputs, error));
cleanup:
    return status;
}

// Deformers that follow muscles follow their patches, or what is inside of them.
static sn_status check_followed(const sni_blueprint *blueprint, const sni_deformer_plan *plan,
                                sn_error *error) {
    const sni_names_plan *followed = sni_deformer_input(plan, &sni_input_muscles);
    for (uint32_t i = 0; followed != NULL && i < followed->count; ++i) {
        const sni_muscle_plan *muscle = &blueprint->muscles[followed->numbers[i]];
        if (!(plan->ops->takes_solids ? muscle->ops->field != NULL : muscle->ops->is_followed)) {
            return sni_fail_value(error, sn_value_at(followed->names, i), SN_INVALID,
                                  "\"%s\" is a muscle of kind \"%s\", which \"%s\" cannot "
                                  "follow",
                                  muscle->name, muscle->ops->name, plan->ops->name);
        }
    }
    return SN_OK;
}

sn_status sni_decode_muscles(sni_blueprint *blueprint, const sn_value *root, sn_error *error) {
    const sn_value *map = sn_value_get(root, "muscles");
    blueprint->muscle_count = sn_value_count(map);
    SNI_PLAN_NEW(blueprint, blueprint->muscles, blueprint->muscle_count);
    memset(blueprint->muscles, 0, blueprint->muscle_count * sizeof *blueprint->muscles);
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < blueprint->muscle_count && status == SN_OK; ++i) {
        status = decode_muscle(blueprint, sn_value_at(map, i), &blueprint->muscles[i], error);
    }
    for (uint32_t i = 0; i < blueprint->surface_count && status == SN_OK; ++i) {
        const sni_surface_plan *surface = &blueprint->surfaces[i];
        for (uint32_t k = 0; k < surface->deformer_count && status == SN_OK; ++k) {
            status = check_followed(blueprint, &surface->deformers[k], error);
        }
    }
    return status;
}
