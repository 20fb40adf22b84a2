// SPDX-License-Identifier: Apache-2.0
//
// Names in meshes: bones of weights stand for segments, morph targets for controls.
#include "eval/model.h"

#include "character/schema.h"
#include "eval/points.h"

static sn_status map_bones(const sn_model *model, const sni_deformer_plan *plan,
                           const sn_mesh *mesh, uint32_t *segments, sn_error *error) {
    const sn_value *map = sn_value_get(plan->value, "bones");
    for (uint32_t i = 0; i < mesh->weights->bone_count; ++i) {
        const char *bone = mesh->weights->bone_names[i];
        const char *segment = sn_value_string(sn_value_get(map, bone), bone);
        segments[i] = sni_name_index_find(&model->blueprint->names[SNI_SECTION_SKELETON], segment);
        if (segments[i] == SN_NONE) {
            return sni_fail_value(
                error, plan->value, SN_INVALID,
                "the mesh \"%s\" has weights for \"%s\", which is no segment; say "
                "which one it is under \"bones\"",
                mesh->name, bone);
        }
    }
    return SN_OK;
}

static void map_targets(const sn_model *model, const sni_deformer_plan *plan, const sn_mesh *mesh,
                        uint32_t *controls) {
    const sn_value *map = sn_value_get(plan->value, "targets");
    for (uint32_t i = 0; i < mesh->target_count; ++i) {
        const char *target = mesh->targets[i].name;
        controls[i] =
            sni_rig_find_control(model->rig, sn_value_string(sn_value_get(map, target), target));
    }
}

// Every key of `map` must be one of the mesh's names, or a typing error would go unnoticed.
static sn_status check_mapped_names(const sn_model *model, const sn_value *map, const char *what,
                                    const sn_mesh *mesh, const void *first_name, size_t stride,
                                    uint32_t count, sn_error *error) {
    sni_name_index names = {0};
    sn_status status =
        sni_name_index_init(model->context, &names, first_name, stride, count, error);
    for (uint32_t i = 0; i < sn_value_count(map) && status == SN_OK; ++i) {
        const sn_value *name = sn_value_at(map, i);
        if (sni_name_index_find(&names, name->key) != SN_NONE) {
            continue;
        }
        char hint[SNI_HINT_BYTES];
        sni_closest closest = sni_closest_to(name->key);
        for (uint32_t k = 0; k < names.count; ++k) {
            sni_closest_try(&closest, names.entries[k].name);
        }
        status = sni_fail_value(error, name, SN_INVALID, "the mesh \"%s\" has no %s \"%s\"%s",
                                mesh->name, what, name->key, sni_closest_hint(&closest, hint));
    }
    sni_name_index_deinit(model->context, &names);
    return status;
}

static sn_status check_name_maps(const sn_model *model, const sni_deformer_plan *plan,
                                 const sn_mesh *mesh, sn_error *error) {
    const sn_value *bones = sn_value_get(plan->value, "bones");
    const sn_value *targets = sn_value_get(plan->value, "targets");
    sn_status status = SN_OK;
    if (bones != NULL && mesh->weights != NULL) {
        status =
            check_mapped_names(model, bones, "bone", mesh, mesh->weights->bone_names,
                               sizeof *mesh->weights->bone_names, mesh->weights->bone_count, error);
    }
    if (targets != NULL && status == SN_OK) {
        const void *first = mesh->target_count > 0 ? &mesh->targets[0].name : NULL;
        status = check_mapped_names(model, targets, "morph target", mesh, first,
                                    sizeof *mesh->targets, mesh->target_count, error);
    }
    return status;
}

// The skin's weights with what is painted over them: it then has a mesh of its own.
static sn_status paint(sn_model *model, uint32_t surface, const sn_value *list, sn_error *error) {
    sni_bound_surface *bound = &model->bound[surface];
    sn_mesh *painted = NULL;
    uint32_t *segments = NULL;
    sni_paint_job job = {.context = model->context,
                         .list = list,
                         .mesh = model->surfaces[surface].mesh,
                         .bone_segments = bound->bone_segments,
                         .skeleton = sni_rig_skeleton(model->rig),
                         .rest_worlds = model->rest_worlds};
    sn_status status = sni_paint_weights(&job, &painted, &segments, error);
    if (status == SN_OK) {
        sn_mesh_destroy(bound->made_mesh);
        bound->made_mesh = painted;
        model->surfaces[surface].mesh = painted;
        sni_free(model->context, bound->bone_segments);
        bound->bone_segments = segments;
    }
    return status;
}

sn_status sni_model_map_names(sn_model *model, uint32_t surface, const sni_deformer_plan *plan,
                              sn_error *error) {
    const sn_mesh *mesh = model->surfaces[surface].mesh;
    sni_bound_surface *bound = &model->bound[surface];
    sn_status status = SN_OK;
    SN_TRY(check_name_maps(model, plan, mesh, error));
    if (plan->ops->uses_weights) {
        if (mesh->weights == NULL) {
            return sni_fail_value(error, plan->value, SN_INVALID,
                                  "the mesh \"%s\" has no weights for \"%s\"", mesh->name,
                                  plan->ops->name);
        }
        sni_free(model->context, bound->bone_segments);
        SNI_NEW(model->context, bound->bone_segments, mesh->weights->bone_count);
        SN_TRY(map_bones(model, plan, mesh, bound->bone_segments, error));
        const sn_value *list = sn_value_get(plan->value, "paint");
        SN_TRY(list != NULL ? paint(model, surface, list, error) : SN_OK);
        mesh = model->surfaces[surface].mesh;
    }
    if (plan->ops->uses_targets) {
        if (mesh->target_count == 0 && plan->driver == SN_NONE && plan->pose_count == 0) {
            return sni_fail_value(error, plan->value, SN_INVALID,
                                  "the mesh \"%s\" has no morph targets, and \"%s\" has no "
                                  "\"driver_mesh\" and no \"poses\"",
                                  mesh->name, plan->ops->name);
        }
        sni_free(model->context, bound->target_controls);
        SNI_NEW(model->context, bound->target_controls, mesh->target_count);
        map_targets(model, plan, mesh, bound->target_controls);
    }
    model->surfaces[surface].bone_segments = bound->bone_segments;
    model->surfaces[surface].target_controls = bound->target_controls;
cleanup:
    return status;
}
