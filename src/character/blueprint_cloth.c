// SPDX-License-Identifier: Apache-2.0
//
// What a simulated deformer touches.
#include "character/blueprint.h"

#include "character/schema.h"

static sn_status decode_colliders(sni_blueprint *blueprint, sni_deformer_plan *plan,
                                  sn_error *error) {
    const sn_value *names = sn_value_get(plan->value, "colliders");
    plan->collider_count = sn_value_count(names);
    SNI_PLAN_NEW(blueprint, plan->colliders, plan->collider_count);
    // In the order in which surfaces stand.
    static const sni_section sections[] = {SNI_SECTION_BONES, SNI_SECTION_TISSUES,
                                           SNI_SECTION_SKINS};
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < plan->collider_count && status == SN_OK; ++i) {
        const sn_value *name = sn_value_at(names, i);
        status = sni_find_name_among(blueprint, sections, 3, name, &plan->colliders[i], error);
        for (uint32_t k = 0; k < i && status == SN_OK; ++k) {
            if (plan->colliders[k] == plan->colliders[i]) {
                status = sni_fail_value(error, name, SN_INVALID, "\"%s\" is named twice",
                                        name->as.string);
            }
        }
    }
    return status;
}

sn_status sni_decode_deformer_cloth(sni_blueprint *blueprint, const sni_surface_plan *surface,
                                    sni_deformer_plan *plan, sn_error *error) {
    if ((plan->ops->simulates || plan->ops->uses_components) && surface->segment != SN_NONE) {
        return sni_fail_value(
            error, plan->value, SN_INVALID,
            "\"%s\" moves in the world, so that no segment can carry \"%s\"; take "
            "its \"segment\" away, or move it by \"blend\"",
            plan->ops->name, surface->name);
    }
    return decode_colliders(blueprint, plan, error);
}
