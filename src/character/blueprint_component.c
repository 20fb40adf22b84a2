// SPDX-License-Identifier: Apache-2.0
//
// Bones and tissues of a document, and the proportions of the body that they are made for.
#include "character/blueprint.h"

#include "character/schema.h"
#include "geometry/sphere.h"
#include "motion/segment_size.h"

#include <string.h>

sn_status sni_decode_proportions(sni_blueprint *blueprint, const sn_value *map,
                                 sn_skeleton *skeleton, sn_error *error) {
    uint32_t count = skeleton->segment_count;
    sn_status status = SN_OK;
    SNI_PLAN_NEW(blueprint, blueprint->proportions, count);
    SNI_PLAN_NEW(blueprint, blueprint->segment_sizes, count);
    memset(blueprint->proportions, 0, count * sizeof *blueprint->proportions);
    for (uint32_t i = 0; i < sn_value_count(map); ++i) {
        const sn_value *factor = sn_value_at(map, i);
        uint32_t segment;
        SN_TRY(sni_find_name_at(blueprint, SNI_SECTION_SKELETON, factor->key, factor, &segment,
                                error));
        blueprint->proportions[segment] = factor->as.number;
    }
    SN_TRY(sni_segment_sizes(blueprint->context, skeleton, blueprint->proportions,
                             blueprint->segment_sizes, error));
    sni_skeleton_scale(skeleton, blueprint->proportions);
cleanup:
    return status;
}

// From the unit ball to the ellipsoid, in metres where `unit` is that of its numbers.
static sn_mat4 decode_ellipsoid(const sn_value *value, double unit) {
    static const sn_vec3 zero = {0, 0, 0};
    sn_vec3 center = sni_decode_vector(sn_value_get(value, "center"), zero);
    sn_vec3 radii = sni_decode_vector(sn_value_get(value, "radii"), zero);
    sn_vec3 degrees = sni_decode_vector(sn_value_get(value, "rotation_deg"), zero);
    sn_transform transform = {
        .translation = sn_vec3_scale(center, unit),
        .rotation = sn_quat_from_euler(sn_vec3_scale(degrees, SN_PI / 180), SN_ROTATION_XYZ),
        .scale = sn_vec3_scale(radii, unit),
    };
    return sn_mat4_from_transform(&transform);
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

sn_status sni_decode_component(const sni_blueprint *blueprint, sni_surface_plan *plan,
                               sn_error *error) {
    const sn_value *ellipsoid = sn_value_get(plan->value, "ellipsoid");
    const char *frame = sn_value_string(sn_value_get(plan->value, "frame"),
                                        ellipsoid != NULL ? "segment" : "world");
    bool in_sizes = strcmp(frame, "size") == 0;
    if ((plan->mesh == NULL) == (ellipsoid == NULL)) {
        return sni_fail_value(error, plan->value, SN_INVALID,
                              "a %s has either \"mesh\" or \"ellipsoid\"",
                              plan->kind == SNI_SURFACE_BONE ? "bone" : "tissue");
    }
    plan->in_segment_frame = strcmp(frame, "world") != 0;
    plan->unit = in_sizes ? blueprint->segment_sizes[plan->segment] : 1;
    plan->closed = plan->kind == SNI_SURFACE_TISSUE || ellipsoid != NULL || in_sizes;
    if (ellipsoid != NULL) {
        plan->ellipsoid = decode_ellipsoid(ellipsoid, plan->unit);
        plan->detail =
            (uint32_t)sn_value_number(sn_value_get(ellipsoid, "detail"), SNI_SPHERE_DETAIL);
    }
    return decode_density(plan, error);
}
