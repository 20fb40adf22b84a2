// SPDX-License-Identifier: Apache-2.0
//
// Surfaces of a model as the document describes them, what bones and tissues must be like, and how
// deformers see them.
#include "eval/model.h"

#include "character/schema.h"
#include "character/surface_mesh.h"
#include "geometry/closed.h"
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
    if (model->surfaces[surface].ellipsoid == NULL) {
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
        .ellipsoid = plan->mesh == NULL && plan->tube.points == NULL ? &plan->ellipsoid : NULL,
    };
    if (plan->extraction != SN_NONE) {
        return SN_OK; // its mesh comes later
    }
    sn_status status = sni_surface_mesh(model->character, plan, &surface->mesh,
                                        &model->bound[index].made_mesh, error);
    return status == SN_OK && plan->closed ? sni_model_check_closed(model, index, error) : status;
}

// From the world at rest of one body to the segment's coordinates of another (section 5.3): what
// stands in the segment's frame is larger by the quotient of both units, what stands in the world
// stays.
static sn_mat4 to_segment(const sn_model *model, const sn_model *made_for, uint32_t index,
                          uint32_t segment) {
    const sn_surface *surface = &model->surfaces[index];
    sn_mat4 inverse, scale = sn_mat4_identity();
    if (!surface->in_segment_frame) {
        sn_mat4_invert(&model->rest_worlds[segment], &inverse);
        return inverse;
    }
    double larger =
        model->blueprint->surfaces[index].unit / made_for->blueprint->surfaces[index].unit;
    for (int k = 0; k < 3; ++k) {
        scale.m[5 * k] = larger;
    }
    sn_mat4_invert(&made_for->rest_worlds[segment], &inverse);
    return sn_mat4_multiply(&scale, &inverse);
}

// A component as it stands on the body that skins were made for.
static sni_component component_of(const sn_model *model, uint32_t index) {
    const sn_surface *surface = &model->surfaces[index];
    sni_component component = {
        .name = surface->name,
        .mesh = surface->mesh,
        .rest_place = surface->in_segment_frame ? &model->rest_worlds[surface->segment] : NULL,
        .segment = surface->segment,
        .affine = true, // a bone that nothing carries stays where it is, as a whole
    };
    if (surface->layer == SN_LAYER_MUSCLE) {
        const sni_bound_muscle *muscle = &model->muscles[index - model->blueprint->surface_count];
        component.affine = muscle->ops == &sni_muscle_ellipsoid;
        component.slice_count = component.affine ? 0 : muscle->surface.slice_count;
        component.ring_count = component.affine ? 0 : muscle->surface.ring_count;
        component.segment = muscle->surface.carried ? muscle->surface.segment : SN_NONE;
        component.strip_count = muscle->surface.strip_count;
        component.strips = muscle->surface.strips;
        component.strip_points = muscle->surface.strip_points;
        component.strip_point_count = muscle->surface.strip_count > 0 ? muscle->point_count : 0;
    }
    return component;
}

const float *sni_model_component_points(const sn_model *model, uint32_t surface) {
    uint32_t first = model->blueprint->surface_count;
    const sni_muscle_surface *muscle =
        surface >= first ? &model->muscles[surface - first].surface : NULL;
    return muscle != NULL && muscle->strip_count > 0 ? muscle->strip_points
                                                     : model->surfaces[surface].mesh->positions;
}

sn_status sni_model_component(const sn_model *model, const sn_model *made_for, uint32_t surface,
                              sni_arena *arena, sni_component *component, sn_error *error) {
    *component = component_of(made_for, surface);
    if (made_for != model && component->segment != SN_NONE) {
        sn_mat4 *matrix = sni_arena_alloc(arena, 1, sizeof *matrix);
        if (matrix == NULL) {
            return sni_fail_memory(error);
        }
        *matrix = to_segment(model, made_for, surface, component->segment);
        component->to_segment = matrix;
    } else if (made_for != model) {
        component->rest_points = sni_model_component_points(model, surface);
    }
    return SN_OK;
}

sn_status sni_model_components(const sn_model *model, const sni_deformer_plan *plan,
                               sni_bind_parts *parts, sn_error *error) {
    parts->components =
        sni_arena_alloc(&parts->arena, plan->component_count, sizeof *parts->components);
    parts->component_surfaces =
        sni_arena_alloc(&parts->arena, plan->component_count, sizeof *parts->component_surfaces);
    if (parts->components == NULL || parts->component_surfaces == NULL) {
        return sni_fail_memory(error);
    }
    for (uint32_t i = 0; i < plan->component_count; ++i) {
        uint32_t surface = plan->components[i];
        bool taken = true;
        if (plan->all_components && surface >= model->blueprint->surface_count) {
            sn_status status = sni_mesh_is_closed(model->surfaces[surface].mesh, &taken, error);
            if (status != SN_OK) {
                return status;
            }
        }
        if (!taken) {
            continue;
        }
        sn_status status =
            sni_model_component(model, model->plain != NULL ? model->plain : model, surface,
                                &parts->arena, &parts->components[parts->component_count], error);
        if (status != SN_OK) {
            return status;
        }
        parts->component_surfaces[parts->component_count++] = surface;
    }
    return SN_OK;
}
