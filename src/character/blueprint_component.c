// SPDX-License-Identifier: Apache-2.0
//
// Bones and tissues of a document, and the proportions of the body that they are made for.
#include "character/blueprint.h"

#include "character/schema.h"
#include "geometry/sphere.h"
#include "motion/segment_size.h"

#include <string.h>

sn_status sni_blueprint_body(const sni_blueprint *blueprint, const double *proportions,
                             sni_rig **rig, double *segment_sizes, sn_error *error) {
    sn_context *context = blueprint->context;
    sni_rig_desc desc = blueprint->rig_desc;
    sn_skeleton scaled = {0};
    sn_status status = SN_OK;
    *rig = NULL;
    SN_TRY(sni_segment_sizes(context, &blueprint->skeleton, proportions, segment_sizes, error));
    SN_TRY(sni_skeleton_copy(context, &blueprint->skeleton, &scaled, error));
    sni_skeleton_scale(&scaled, proportions);
    desc.skeleton = &scaled;
    SN_TRY(sni_rig_create(context, &desc, rig, error));
cleanup:
    sni_skeleton_deinit(context, &scaled);
    return status;
}

sn_status sni_decode_proportions(sni_blueprint *blueprint, const sn_value *map, sn_error *error) {
    uint32_t count = blueprint->skeleton.segment_count;
    sn_status status = SN_OK;
    SNI_PLAN_NEW(blueprint, blueprint->proportions, count);
    memset(blueprint->proportions, 0, count * sizeof *blueprint->proportions);
    for (uint32_t i = 0; i < sn_value_count(map) && status == SN_OK; ++i) {
        const sn_value *factor = sn_value_at(map, i);
        uint32_t segment;
        status =
            sni_find_name_at(blueprint, SNI_SECTION_SKELETON, factor->key, factor, &segment, error);
        if (status == SN_OK) {
            blueprint->proportions[segment] = factor->as.number;
        }
    }
    return status;
}

// From the unit ball to the ellipsoid.
static sn_transform decode_ellipsoid(const sn_value *value) {
    static const sn_vec3 zero = {0, 0, 0};
    sn_vec3 degrees = sni_decode_vector(sn_value_get(value, "rotation_deg"), zero);
    return (sn_transform){
        .translation = sni_decode_vector(sn_value_get(value, "center"), zero),
        .rotation = sn_quat_from_euler(sn_vec3_scale(degrees, SN_PI / 180), SN_ROTATION_XYZ),
        .scale = sni_decode_vector(sn_value_get(value, "radii"), zero),
    };
}

static sn_vec3 decode_point(const sn_value *value) {
    return sni_decode_vector(value, sn_vec3_make(0, 0, 0));
}

static sn_status decode_tube(sni_blueprint *blueprint, const sn_value *value, sni_tube *tube,
                             sn_error *error) {
    const sn_value *points = sn_value_get(value, "points"), *radii = sn_value_get(value, "radii");
    uint32_t count = sn_value_count(points);
    sn_vec3 *places;
    double *widths;
    if (sn_value_count(radii) != count) {
        return sni_fail_value(error, radii, SN_INVALID,
                              "a tube of %u points has %u radii, found %u", count, count,
                              sn_value_count(radii));
    }
    SNI_PLAN_NEW(blueprint, places, count);
    SNI_PLAN_NEW(blueprint, widths, 2 * (size_t)count);
    for (uint32_t i = 0; i < count; ++i) {
        const sn_value *radius = sn_value_at(radii, i);
        bool two = radius->type == SN_JSON_ARRAY;
        places[i] = decode_point(sn_value_at(points, i));
        for (uint32_t axis = 0; axis < 2; ++axis) {
            const sn_value *number = two ? sn_value_at(radius, axis) : radius;
            widths[2 * i + axis] = number->as.number;
        }
    }
    *tube = (sni_tube){
        .point_count = count,
        .points = places,
        .radii = widths,
        .side = decode_point(sn_value_get(value, "side")),
        .cap = sn_value_number(sn_value_get(value, "cap"), 1),
        .detail = (uint32_t)sn_value_number(sn_value_get(value, "detail"), SNI_TUBE_DETAIL),
    };
    return sni_at_value(sni_tube_check(tube, error), value, error);
}

static sn_status decode_density(sni_surface_plan *plan, sn_error *error) {
    const sn_value *density = sn_value_get(plan->value, "density");
    plan->feature = sn_value_bool(sn_value_get(plan->value, "feature"), false);
    plan->density = sn_value_number(density, 1);
    if (plan->density == 0) {
        return sni_fail_value(error, density, SN_INVALID, "a density may not be 0");
    }
    if (plan->feature && density != NULL) {
        return sni_fail_value(error, density, SN_INVALID,
                              "a feature has no density: no skin is extracted from it");
    }
    plan->show = plan->density > 0;
    return SN_OK;
}

sn_status sni_decode_component(sni_blueprint *blueprint, sni_surface_plan *plan, sn_error *error) {
    const sn_value *ellipsoid = sn_value_get(plan->value, "ellipsoid");
    const sn_value *tube = sn_value_get(plan->value, "tube");
    const char *frame = sn_value_string(sn_value_get(plan->value, "frame"),
                                        plan->mesh == NULL ? "segment" : "world");
    bool in_sizes = strcmp(frame, "size") == 0;
    if ((plan->mesh != NULL) + (ellipsoid != NULL) + (tube != NULL) != 1) {
        return sni_fail_value(error, plan->value, SN_INVALID,
                              "a %s has one of \"mesh\", \"ellipsoid\" and \"tube\"",
                              plan->kind == SNI_SURFACE_BONE ? "bone" : "tissue");
    }
    plan->in_segment_frame = strcmp(frame, "world") != 0;
    plan->in_sizes = in_sizes;
    plan->closed = plan->kind == SNI_SURFACE_TISSUE || plan->mesh == NULL || in_sizes;
    if (ellipsoid != NULL) {
        plan->ellipsoid = decode_ellipsoid(ellipsoid);
        plan->detail =
            (uint32_t)sn_value_number(sn_value_get(ellipsoid, "detail"), SNI_SPHERE_DETAIL);
    }
    sn_status status = SN_OK;
    if (tube != NULL) {
        status = decode_tube(blueprint, tube, &plan->tube, error);
    }
    return status == SN_OK ? decode_density(plan, error) : status;
}

// Whether a surface of the blueprint has a skin on it by itself.
static bool carries_skin(const sni_surface_plan *surface) {
    return surface->kind != SNI_SURFACE_SKIN && !surface->feature && surface->density > 0;
}

static sn_status take_all(sni_blueprint *blueprint, sni_deformer_plan *plan, sn_error *error) {
    uint32_t muscle_count = blueprint->names[SNI_SECTION_MUSCLES].count;
    SNI_PLAN_NEW(blueprint, plan->components, (size_t)blueprint->surface_count + muscle_count);
    plan->all_components = true;
    plan->component_count = 0;
    for (uint32_t i = 0; i < blueprint->surface_count; ++i) {
        if (carries_skin(&blueprint->surfaces[i])) {
            plan->components[plan->component_count++] = i;
        }
    }
    for (uint32_t i = 0; i < muscle_count; ++i) {
        plan->components[plan->component_count++] = blueprint->surface_count + i;
    }
    return SN_OK;
}

sn_status sni_find_part(const sni_blueprint *blueprint, const sn_value *name, uint32_t *part,
                        sn_error *error) {
    static const sni_section among[] = {SNI_SECTION_BONES, SNI_SECTION_TISSUES,
                                        SNI_SECTION_MUSCLES};
    sn_status status = sni_find_name_among(blueprint, among, 3, name, part, error);
    uint32_t skins = blueprint->names[SNI_SECTION_SKINS].count;
    if (status == SN_OK && *part >= blueprint->surface_count - skins) {
        *part += skins; // muscles stand behind skins
    }
    return status;
}

static sn_status take_named(sni_blueprint *blueprint, const sn_value *name, uint32_t *component,
                            sn_error *error) {
    sn_status status = sni_find_part(blueprint, name, component, error);
    if (status == SN_OK && *component < blueprint->surface_count &&
        !carries_skin(&blueprint->surfaces[*component])) {
        status = sni_fail_value(error, name, SN_INVALID,
                                "a skin cannot lie on \"%s\": it is a feature or negative",
                                name->as.string);
    }
    return status;
}

sn_status sni_decode_deformer_components(sni_blueprint *blueprint, sni_deformer_plan *plan,
                                         sn_error *error) {
    const sn_value *names = sn_value_get(plan->value, "components");
    if (!plan->ops->uses_components) {
        return SN_OK;
    }
    if (names == NULL) {
        return take_all(blueprint, plan, error);
    }
    plan->component_count = sn_value_count(names);
    SNI_PLAN_NEW(blueprint, plan->components, plan->component_count);
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < plan->component_count && status == SN_OK; ++i) {
        const sn_value *name = sn_value_at(names, i);
        status = take_named(blueprint, name, &plan->components[i], error);
        for (uint32_t k = 0; k < i && status == SN_OK; ++k) {
            if (plan->components[k] == plan->components[i]) {
                status = sni_fail_value(error, name, SN_INVALID, "\"%s\" is named twice",
                                        name->as.string);
            }
        }
    }
    return status;
}
