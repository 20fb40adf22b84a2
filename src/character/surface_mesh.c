// SPDX-License-Identifier: Apache-2.0
#include "character/surface_mesh.h"

#include "character/schema/schema.h"
#include "geometry/sphere.h"
#include "geometry/tube.h"

static void scale_numbers(float *numbers, size_t count, double factor) {
    for (size_t i = 0; i < count; ++i) {
        numbers[i] = (float)(numbers[i] * factor);
    }
}

static void scale_mesh(sn_mesh *mesh, double factor) {
    scale_numbers(mesh->positions, 3 * (size_t)mesh->vertex_count, factor);
    for (uint32_t i = 0; i < mesh->target_count; ++i) {
        scale_numbers(mesh->targets[i].offsets, 3 * (size_t)mesh->targets[i].count, factor);
    }
}

sn_mat4 sni_surface_ellipsoid(const sni_surface_plan *plan, double unit) {
    sn_transform scaled = plan->ellipsoid;
    scaled.translation = sn_vec3_scale(scaled.translation, unit);
    scaled.scale = sn_vec3_scale(scaled.scale, unit);
    return sn_mat4_from_transform(&scaled);
}

static sn_status make_tube(sn_context *context, const sni_surface_plan *plan, double unit,
                           sn_mesh **mesh, sn_error *error) {
    sni_tube tube = plan->tube;
    sn_vec3 *points = NULL;
    double *radii = NULL;
    sn_status status = SN_OK;
    SNI_NEW(context, points, tube.point_count);
    SNI_NEW(context, radii, 2 * (size_t)tube.point_count);
    for (uint32_t i = 0; i < tube.point_count; ++i) {
        points[i] = sn_vec3_scale(tube.points[i], unit);
        radii[2 * i] = unit * tube.radii[2 * i];
        radii[2 * i + 1] = unit * tube.radii[2 * i + 1];
    }
    tube.points = points;
    tube.radii = radii;
    SN_TRY(sni_tube_check(&tube, error));
    SN_TRY(sni_tube_mesh(context, plan->name, &tube, mesh, error));
cleanup:
    sni_free(context, points);
    sni_free(context, radii);
    return sni_at_value(status, plan->value, error);
}

static sn_status make_ellipsoid(sn_context *context, const sni_surface_plan *plan, double unit,
                                sn_mesh **mesh, sn_error *error) {
    sn_mat4 ellipsoid = sni_surface_ellipsoid(plan, unit);
    return sni_ellipsoid_mesh(context, plan->name, &ellipsoid, plan->detail, mesh, error);
}

sn_status sni_surface_mesh(sn_character *character, const sni_surface_plan *plan, double unit,
                           const sn_mesh **mesh, sn_mesh **made, sn_error *error) {
    sn_context *context = sni_character_context(character);
    sn_status status = SN_OK;
    *made = NULL;
    if (plan->mesh == NULL) {
        SN_TRY(plan->tube.points != NULL ? make_tube(context, plan, unit, made, error)
                                         : make_ellipsoid(context, plan, unit, made, error));
        *mesh = *made;
        return SN_OK;
    }
    SN_TRY(sni_character_mesh(character, plan->value, plan->mesh, mesh, error));
    if (unit != 1) {
        SN_TRY(sn_mesh_copy(*mesh, made, error));
        scale_mesh(*made, unit);
        *mesh = *made;
    }
cleanup:
    return status;
}
