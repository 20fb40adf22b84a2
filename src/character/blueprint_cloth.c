// SPDX-License-Identifier: Apache-2.0
//
// What a simulated deformer touches, and where it is pinned.
#include "character/blueprint.h"

#include "character/schema.h"

#include <string.h>

// The surface of the bone, tissue or skin that `name` names, in the order in which they stand.
static sn_status find_collider(const sni_blueprint *blueprint, const sn_value *name,
                               uint32_t *surface, sn_error *error) {
    static const struct {
        sni_section section;
        const char *what;
    } kinds[] = {
        {SNI_SECTION_BONES, "bone"}, {SNI_SECTION_TISSUES, "tissue"}, {SNI_SECTION_SKINS, "skin"}};
    char hint[SNI_HINT_BYTES];
    sni_closest closest = sni_closest_to(name->as.string);
    const char *what = NULL;
    uint32_t first = 0;
    for (int kind = 0; kind < 3; ++kind) {
        const sni_name_index *names = &blueprint->names[kinds[kind].section];
        uint32_t found = sni_name_index_find(names, name->as.string);
        if (found != SN_NONE && what != NULL) {
            return sni_fail_value(error, name, SN_INVALID,
                                  "both a %s and a %s are called \"%s\"; rename one of them", what,
                                  kinds[kind].what, name->as.string);
        }
        if (found != SN_NONE) {
            what = kinds[kind].what;
            *surface = first + found;
        }
        for (uint32_t i = 0; i < names->count && what == NULL; ++i) {
            sni_closest_try(&closest, names->entries[i].name);
        }
        first += names->count;
    }
    return what != NULL ? SN_OK
                        : sni_fail_value(error, name, SN_INVALID,
                                         "there is no bone, tissue or skin \"%s\"%s",
                                         name->as.string, sni_closest_hint(&closest, hint));
}

static sn_status decode_colliders(sni_blueprint *blueprint, sni_deformer_plan *plan,
                                  sn_error *error) {
    const sn_value *names = sn_value_get(plan->value, "colliders");
    plan->collider_count = sn_value_count(names);
    SNI_PLAN_NEW(blueprint, plan->colliders, plan->collider_count);
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < plan->collider_count && status == SN_OK; ++i) {
        const sn_value *name = sn_value_at(names, i);
        status = find_collider(blueprint, name, &plan->colliders[i], error);
        for (uint32_t k = 0; k < i && status == SN_OK; ++k) {
            if (plan->colliders[k] == plan->colliders[i]) {
                status = sni_fail_value(error, name, SN_INVALID, "\"%s\" is named twice",
                                        name->as.string);
            }
        }
    }
    return status;
}

static sn_status decode_pins(sni_blueprint *blueprint, sni_deformer_plan *plan, sn_error *error) {
    const sn_value *pins = sn_value_get(plan->value, "pins");
    plan->pin_count = sn_value_count(pins);
    SNI_PLAN_NEW(blueprint, plan->pins, plan->pin_count);
    for (uint32_t i = 0; i < plan->pin_count; ++i) {
        plan->pins[i] = (uint32_t)sn_value_at(pins, i)->as.number;
    }
    return SN_OK;
}

sn_status sni_decode_deformer_cloth(sni_blueprint *blueprint, const sni_surface_plan *surface,
                                    sni_deformer_plan *plan, sn_error *error) {
    if (plan->ops->simulates && surface->segment != SN_NONE) {
        return sni_fail_value(
            error, plan->value, SN_INVALID,
            "\"%s\" moves in the world, so that no segment can carry \"%s\"; take "
            "its \"segment\" away, or move it by \"blend\"",
            plan->ops->name, surface->name);
    }
    sn_status status = decode_colliders(blueprint, plan, error);
    return status == SN_OK ? decode_pins(blueprint, plan, error) : status;
}
