// SPDX-License-Identifier: Apache-2.0
//
// What deformers and their inputs are decoded with: points of a mesh and numbers for them, names.
#include "character/blueprint/blueprint.h"

#include "character/schema/schema.h"

// Points are a text of ranges, or a range.
sn_status sni_decode_points(const sn_value *value, sni_points_plan *points, sn_error *error) {
    *points = (sni_points_plan){.value = value};
    if (value == NULL) {
        return SN_OK;
    }
    if (value->type == SN_JSON_STRING) {
        points->text = value->as.string;
        return sni_at_value(sni_ranges_check(points->text, error), value, error);
    }
    points->first = sn_value_at(value, 0)->as.number;
    points->last = sn_value_at(value, 1)->as.number;
    return points->first <= points->last
               ? SN_OK
               : sni_fail_value(error, value, SN_INVALID, "the range begins behind its end");
}

sn_status sni_decode_point_values(sni_blueprint *blueprint, const sn_value *entry,
                                  sni_point_values_plan *plan, sn_error *error) {
    const sn_value *list = sn_value_get(entry, "values");
    *plan = (sni_point_values_plan){.weight = sn_value_number(sn_value_get(entry, "weight"), 1),
                                    .list = list,
                                    .count = sn_value_count(list)};
    SNI_PLAN_NEW(blueprint, plan->values, plan->count);
    for (uint32_t i = 0; i < plan->count; ++i) {
        plan->values[i] = sn_value_at(list, i)->as.number;
    }
    return sni_decode_points(sn_value_get(entry, "points"), &plan->points, error);
}

// An entry of "weights" names points in one way.
static sn_status decode_weights_entry(sni_blueprint *blueprint, const sn_value *value,
                                      sni_weights_entry *entry, sn_error *error) {
    const sn_value *points = sn_value_get(value, "points");
    const sn_value *values = sn_value_get(value, "values");
    *entry = (sni_weights_entry){.group = sn_value_get(value, "group"),
                                 .attribute = sn_value_get(value, "attribute")};
    if ((points != NULL) + (entry->group != NULL) + (entry->attribute != NULL) > 1) {
        return sni_fail_value(error, value, SN_INVALID,
                              "an entry has one of \"points\", \"group\" and \"attribute\"");
    }
    if (values != NULL && points == NULL) {
        return sni_fail_value(error, values, SN_INVALID,
                              "\"values\" is only allowed with \"points\"");
    }
    return sni_decode_point_values(blueprint, value, &entry->points, error);
}

sn_status sni_decode_weights(sni_blueprint *blueprint, sni_deformer_plan *plan, sn_error *error) {
    const sn_value *list = sn_value_get(plan->value, "weights");
    sn_status status = SN_OK;
    plan->weighted = list != NULL;
    plan->weights_count = sn_value_count(list);
    SNI_PLAN_NEW(blueprint, plan->weights, plan->weights_count);
    for (uint32_t i = 0; i < plan->weights_count && status == SN_OK; ++i) {
        status = decode_weights_entry(blueprint, sn_value_at(list, i), &plan->weights[i], error);
    }
    return status;
}

sn_status sni_decode_name_map(sni_blueprint *blueprint, const sn_value *map, sni_section section,
                              sni_name_map *made, sn_error *error) {
    sn_status status = SN_OK;
    made->count = sn_value_count(map);
    SNI_PLAN_NEW(blueprint, made->names, made->count);
    for (uint32_t i = 0; i < made->count && status == SN_OK; ++i) {
        const sn_value *value = sn_value_at(map, i);
        made->names[i] = (sni_mapped_name){.value = value, .name = value->key};
        status = sni_find_name(blueprint, section, value, &made->names[i].number, error);
    }
    return status;
}

sn_status sni_check_named_once(const sni_names_plan *plan, uint32_t index, sn_error *error) {
    for (uint32_t i = 0; i < index; ++i) {
        if (plan->numbers[i] == plan->numbers[index]) {
            const sn_value *name = sn_value_at(plan->names, index);
            return sni_fail_value(error, name, SN_INVALID, "\"%s\" is named twice",
                                  name->as.string);
        }
    }
    return SN_OK;
}

sn_status sni_decode_names(const sni_decoding *decoding, const char *key, const sni_section *among,
                           uint32_t count, void **made, sn_error *error) {
    sni_blueprint *blueprint = decoding->blueprint;
    const sn_value *names = sn_value_get(decoding->object, key);
    sni_names_plan *plan;
    sn_status status = SN_OK;
    if (names == NULL) {
        return SN_OK;
    }
    SNI_PLAN_NEW(blueprint, plan, 1);
    *made = plan;
    *plan = (sni_names_plan){.names = names, .count = sn_value_count(names)};
    SNI_PLAN_NEW(blueprint, plan->numbers, plan->count);
    for (uint32_t i = 0; i < plan->count; ++i) {
        SN_TRY(sni_find_name_among(blueprint, among, count, sn_value_at(names, i),
                                   &plan->numbers[i], error));
        SN_TRY(sni_check_named_once(plan, i, error));
    }
cleanup:
    return status;
}
