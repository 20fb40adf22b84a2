// SPDX-License-Identifier: Apache-2.0
//
// Muscles of a document, and which of them move a deformer.
#include "character/blueprint/blueprint.h"

#include "character/schema/schema.h"

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
    plan->depth_from = name;
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

// The mesh and the strips of a muscle that is a given surface.
static sn_status decode_strips(sni_blueprint *blueprint, const sn_value *value,
                               sni_muscle_plan *plan, sn_error *error) {
    const sni_muscle_ops *cylinder = &sni_muscle_cylinder;
    const sn_value *mesh = sn_value_get(value, "mesh"), *strips = sn_value_get(value, "strips");
    const sn_value *meshes = sn_value_get(value->parent->parent, "meshes");
    sn_status status = SN_OK;
    uint32_t number;
    SN_TRY(sni_find_name(blueprint, SNI_SECTION_MESHES, mesh, &number, error));
    if (sn_value_get(sn_value_at(meshes, number), "extract") != NULL) {
        SN_TRY(sni_fail_value(error, mesh, SN_INVALID,
                              "the mesh \"%s\" is extracted from the body, but a muscle is a part "
                              "of it",
                              mesh->as.string));
    }
    plan->mesh = mesh->as.string;
    plan->strip_count = sn_value_count(strips);
    SNI_PLAN_NEW(blueprint, plan->strips, plan->strip_count);
    memset(plan->strips, 0, plan->strip_count * sizeof *plan->strips);
    for (uint32_t i = 0; i < plan->strip_count; ++i) {
        sni_strip_plan *strip = &plan->strips[i];
        const sn_value *strip_value = sn_value_at(strips, i);
        SN_TRY(sni_decode_parameters(blueprint, &cylinder->parameters, strip_value,
                                     &strip->parameters, error));
        SN_TRY(sni_decode_muscle_body(blueprint, strip_value, cylinder->attachments, &strip->body,
                                      error));
    }
cleanup:
    return status;
}

// A muscle between bones that makes its own surface.
static sn_status decode_own_body(sni_blueprint *blueprint, const sn_value *value,
                                 sni_muscle_plan *plan, sn_error *error) {
    SNI_PLAN_NEW(blueprint, plan->body, 1);
    return sni_decode_muscle_body(blueprint, value, plan->ops->attachments, plan->body, error);
}

// --- Muscles drawn on a skin

static sn_status decode_curves(sni_blueprint *blueprint, const sn_value *list,
                               sni_muscle_plan *plan, sn_error *error) {
    plan->curve_count = sn_value_count(list);
    SNI_PLAN_NEW(blueprint, plan->curves, plan->curve_count);
    for (uint32_t i = 0; i < plan->curve_count; ++i) {
        sni_curve_plan *curve = &plan->curves[i];
        curve->value = sn_value_at(list, i);
        curve->count = sn_value_count(curve->value);
        SNI_PLAN_NEW(blueprint, curve->points, curve->count);
        for (uint32_t k = 0; k < curve->count; ++k) {
            curve->points[k] =
                sni_decode_vector(sn_value_at(curve->value, k), sn_vec3_make(0, 0, 0));
        }
    }
    return SN_OK;
}

// Places (u, v) of the muscle's surface, with a factor each.
static sn_status decode_factors(sni_blueprint *blueprint, const sn_value *list,
                                sni_muscle_values *values, sn_error *error) {
    sni_muscle_value *made;
    values->count = sn_value_count(list);
    SNI_PLAN_NEW(blueprint, made, values->count);
    for (uint32_t i = 0; i < values->count; ++i) {
        sn_vec3 v = sni_decode_vector(sn_value_at(list, i), sn_vec3_make(0, 0, 0));
        made[i] = (sni_muscle_value){.u = v.x, .v = v.y, .factor = v.z};
    }
    values->values = made;
    return SN_OK;
}

static sn_status decode_drawn(sni_blueprint *blueprint, const sn_value *value,
                              sni_muscle_plan *plan, sn_error *error) {
    const sn_value *segment = sn_value_get(value, "segment"), *vary = sn_value_get(value, "vary");
    const sn_value *center = sn_value_get(value, "center");
    sn_status status = SN_OK;
    SN_TRY(sni_find_name(blueprint, SNI_SECTION_SKINS, sn_value_get(value, "skin"), &plan->skin,
                         error));
    plan->skin += blueprint->surface_count - blueprint->names[SNI_SECTION_SKINS].count;
    if (segment != NULL) {
        SN_TRY(sni_find_name(blueprint, SNI_SECTION_SKELETON, segment, &plan->segment, error));
    }
    plan->has_center = center != NULL;
    plan->center = sni_decode_vector(center, sn_vec3_make(0, 0, 0));
    SN_TRY(find_control(blueprint, sn_value_get(value, "contraction"), &plan->contraction, error));
    SN_TRY(find_control(blueprint, sn_value_get(value, "tension"), &plan->tension, error));
    SN_TRY(decode_depth(blueprint, sn_value_get(value, "depth_from"), plan, error));
    SN_TRY(decode_curves(blueprint, sn_value_get(value, "curves"), plan, error));
    SN_TRY(decode_factors(blueprint, sn_value_get(vary, "bulge"), &plan->bulge, error));
    SN_TRY(decode_factors(blueprint, sn_value_get(vary, "thickness"), &plan->thickness, error));
    SN_TRY(decode_factors(blueprint, sn_value_get(vary, "contraction"), &plan->shortening, error));
cleanup:
    return status;
}

static sn_status decode_muscle(sni_blueprint *blueprint, const sn_value *value,
                               sni_muscle_plan *plan, sn_error *error) {
    const sni_muscle_ops *ops = sni_muscle_find(sn_value_string(sn_value_get(value, "kind"), ""));
    *plan = (sni_muscle_plan){.ops = ops,
                              .name = value->key,
                              .value = value,
                              .skin = SN_NONE,
                              .segment = SN_NONE,
                              .contraction = SN_NONE,
                              .tension = SN_NONE,
                              .activation = SN_NONE,
                              .inner = SN_NONE,
                              .show = sn_value_bool(sn_value_get(value, "show"), true)};
    sn_status status = SN_OK;
    SN_TRY(sni_decode_parameters(blueprint, &ops->parameters, value, &plan->parameters, error));
    SN_TRY(sni_decode_driven(blueprint, &ops->parameters, value, plan->parameters, &plan->driven,
                             error));
    SN_TRY(find_control(blueprint, sn_value_get(value, "activation"), &plan->activation, error));
    SN_TRY(sni_decode_inputs(
        &(sni_decoding){
            .blueprint = blueprint, .object = value, .kind = ops->name, .surface = SN_NONE},
        ops->inputs, plan->inputs, error));
    return ops->has_strips        ? decode_strips(blueprint, value, plan, error)
           : ops->attachments > 0 ? decode_own_body(blueprint, value, plan, error)
           : ops->drawn           ? decode_drawn(blueprint, value, plan, error)
                                  : SN_OK;
cleanup:
    return status;
}

void sni_muscle_plan_deinit(sn_context *context, sni_muscle_plan *plan) {
    if (plan->body != NULL) {
        sni_muscle_body_plan_deinit(context, plan->body);
    }
    for (uint32_t i = 0; i < plan->strip_count && plan->strips != NULL; ++i) {
        sni_muscle_body_plan_deinit(context, &plan->strips[i].body);
    }
}

// Deformers that follow muscles follow patches.
static sn_status check_followed(const sni_blueprint *blueprint, const sni_deformer_plan *plan,
                                sn_error *error) {
    const sni_names_plan *followed = sni_deformer_input(plan, &sni_input_muscles);
    for (uint32_t i = 0; followed != NULL && i < followed->count; ++i) {
        const sni_muscle_plan *muscle = &blueprint->muscles[followed->numbers[i]];
        if (muscle->skin == SN_NONE) {
            return sni_fail_value(error, sn_value_at(followed->names, i), SN_INVALID,
                                  "\"%s\" is a muscle of kind \"%s\", but \"%s\" follows those "
                                  "of kind \"%s\"",
                                  muscle->name, muscle->ops->name, plan->ops->name,
                                  sni_muscle_patch.name);
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
