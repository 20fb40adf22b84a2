// SPDX-License-Identifier: Apache-2.0
#include "character/surface_mesh.h"

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

sn_status sni_surface_mesh(sn_character *character, const sni_surface_plan *plan,
                           const sn_mesh **mesh, sn_mesh **made, sn_error *error) {
    sn_context *context = sni_character_context(character);
    sn_status status = SN_OK;
    *made = NULL;
    if (plan->mesh == NULL) {
        SN_TRY(plan->tube.points != NULL
                   ? sni_tube_mesh(context, plan->name, &plan->tube, made, error)
                   : sni_ellipsoid_mesh(context, plan->name, &plan->ellipsoid, plan->detail, made,
                                        error));
        *mesh = *made;
        return SN_OK;
    }
    SN_TRY(sni_character_mesh(character, plan->value, plan->mesh, mesh, error));
    if (plan->unit != 1) {
        SN_TRY(sn_mesh_copy(*mesh, made, error));
        scale_mesh(*made, plan->unit);
        *mesh = *made;
    }
cleanup:
    return status;
}
