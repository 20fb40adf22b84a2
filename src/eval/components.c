// SPDX-License-Identifier: Apache-2.0
//
// Surfaces of a model as the document describes them, and what bones and tissues must be like.
#include "eval/model.h"

#include "character/schema.h"
#include "character/surface_mesh.h"
#include "geometry/density.h"
#include "motion/skeleton.h"

static const sn_layer layers[] = {[SNI_SURFACE_SKIN] = SN_LAYER_SKIN,
                                  [SNI_SURFACE_BONE] = SN_LAYER_BONE,
                                  [SNI_SURFACE_TISSUE] = SN_LAYER_TISSUE};

static sn_status check_mesh_closed(sn_context *context, const sn_mesh *mesh, sn_error *error) {
    sn_triangles *triangles = NULL;
    sn_status status = sn_triangles_create(mesh, mesh->positions, &triangles, error);
    if (status == SN_OK) {
        sni_solid solid = {.positions = mesh->positions,
                           .vertex_count = mesh->vertex_count,
                           .vertices = triangles->vertices,
                           .triangle_count = triangles->count};
        status = sni_solid_check(context, &solid, error);
    }
    sn_triangles_destroy(triangles);
    return status;
}

sn_status sni_model_check_closed(const sn_model *model, uint32_t surface, sn_error *error) {
    const sni_surface_plan *plan = &model->blueprint->surfaces[surface];
    const sn_skeleton *skeleton = sni_rig_skeleton(model->rig);
    sn_status status = SN_OK;
    if (plan->mesh != NULL) {
        status = check_mesh_closed(model->context, model->surfaces[surface].mesh, error);
    } else {
        sni_solid solid = {.ellipsoid = plan->ellipsoid};
        status = sni_is_float_matrix(&plan->ellipsoid)
                     ? sni_solid_check(model->context, &solid, error)
                     : sni_fail(error, SN_INVALID, "the ellipsoid is too large");
    }
    bool mirrored =
        plan->in_segment_frame && sn_mat4_determinant(&model->rest_worlds[plan->segment]) < 0;
    if (status == SN_OK && mirrored) {
        status = sni_fail(error, SN_INVALID,
                          "the segment \"%s\" is mirrored at rest (a negative scale), which turns "
                          "the surface inside out",
                          skeleton->segments[plan->segment].name);
    }
    return sni_at_value(status, plan->value, error);
}

sn_status sni_model_read_surface(sn_model *model, uint32_t index, sn_error *error) {
    const sni_surface_plan *plan = &model->blueprint->surfaces[index];
    sn_surface *surface = &model->surfaces[index];
    *surface = (sn_surface){
        .name = plan->name,
        .layer = layers[plan->kind],
        .look = (sn_look)plan->look,
        .segment = plan->segment,
        .in_segment_frame = plan->in_segment_frame,
        .shown = plan->show,
        .feature = plan->feature,
        .density = plan->density,
        .ellipsoid = plan->mesh == NULL ? &plan->ellipsoid : NULL,
    };
    sn_status status = sni_surface_mesh(model->character, plan, &surface->mesh,
                                        &model->bound[index].made_mesh, error);
    return status == SN_OK && plan->closed ? sni_model_check_closed(model, index, error) : status;
}
