// SPDX-License-Identifier: Apache-2.0
//
// What a deformer of a model binds to, gathered from its plan.
#include "eval/model.h"
#include "eval/points.h"

static sn_status find_pins(const sni_deformer_plan *plan, const sn_mesh *mesh,
                           sni_bind_parts *parts, sn_error *error) {
    const sn_value *pins = sn_value_get(plan->value, "pins");
    parts->pin_count = plan->pin_count;
    parts->pins = plan->pins;
    return pins != NULL && pins->type == SN_JSON_STRING
               ? sni_points_list(pins, mesh, &parts->arena, &parts->pins, &parts->pin_count, error)
               : SN_OK;
}

sn_status sni_bind_parts_make(const sn_model *model, uint32_t surface,
                              const sni_deformer_plan *plan, sni_bind_parts *parts,
                              sn_error *error) {
    const sn_mesh *mesh = model->surfaces[surface].mesh;
    sni_arena_init(&parts->arena, model->context);
    parts->muscles = sni_arena_alloc(&parts->arena, plan->muscle_count, sizeof *parts->muscles);
    parts->colliders =
        sni_arena_alloc(&parts->arena, plan->collider_count, sizeof *parts->colliders);
    if (parts->muscles == NULL || parts->colliders == NULL) {
        return sni_fail_memory(error);
    }
    for (uint32_t i = 0; i < plan->collider_count; ++i) {
        parts->colliders[i] = model->surfaces[plan->colliders[i]].mesh;
    }
    for (uint32_t i = 0; i < plan->muscle_count; ++i) {
        parts->muscles[i] = model->muscles[plan->muscles[i]].surface;
        if (model->blueprint->muscles[plan->muscles[i]].skin != surface) {
            parts->muscles[i].trace_count = 0; // its traces are vertices of another skin
        }
    }
    sn_status status = find_pins(plan, mesh, parts, error);
    if (status == SN_OK) {
        status = sni_model_components(model, plan, parts, error);
    }
    if (status == SN_OK) {
        status = sni_poses_make(model->character, plan, mesh, &parts->arena, &parts->poses, error);
    }
    return status != SN_OK
               ? status
               : sni_point_weights_make(model->context, sn_value_get(plan->value, "weights"), mesh,
                                        &parts->weights, error);
}

void sni_bind_parts_free(const sn_model *model, sni_bind_parts *parts) {
    sni_free(model->context, parts->weights);
    sni_arena_deinit(&parts->arena);
}

sni_bind_job sni_model_bind_job(const sn_model *model, uint32_t surface,
                                const sni_deformer_plan *plan, const sni_bind_parts *parts,
                                const sn_progress *progress) {
    return (sni_bind_job){
        .context = model->context,
        .mesh = model->surfaces[surface].mesh,
        .parameters = plan->parameters,
        .skeleton = sni_rig_skeleton(model->rig),
        .rest_worlds = model->rest_worlds,
        .bone_segments = plan->ops->uses_weights ? model->bound[surface].bone_segments : NULL,
        .target_controls = plan->ops->uses_targets ? model->bound[surface].target_controls : NULL,
        .driver_mesh = plan->driver != SN_NONE ? model->surfaces[plan->driver].mesh : NULL,
        .driver_control = plan->driver_control,
        .muscle_count = plan->muscle_count,
        .muscles = parts->muscles,
        .pose_count = plan->pose_count,
        .poses = parts->poses,
        .collider_count = plan->collider_count,
        .colliders = parts->colliders,
        .component_count = parts->component_count,
        .components = parts->components,
        .pin_count = parts->pin_count,
        .pins = parts->pins,
        .set_count = plan->set_count,
        .sets = plan->sets,
        .patch = plan->patch,
        .point_weights = plan->ops->uses_point_weights ? parts->weights : NULL,
        .progress = progress,
    };
}
