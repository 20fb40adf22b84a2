// SPDX-License-Identifier: Apache-2.0
//
// Compiles a character: its blueprint, its body at rest, and every deformer bound to that.
#include "eval/model.h"

#include "character/character.h"

#include <string.h>

// States of deformers and muscles begin at multiples of this.
static const size_t state_alignment = 64;

// Whether glTF could do it: morph targets, then linear skinning; or a mesh carried by a node.
static bool is_linear_skinning(const sni_surface_plan *plan) {
    bool blended = false;
    for (uint32_t i = 0; i < plan->deformer_count; ++i) {
        const sni_deformer_plan *deformer = &plan->deformers[i];
        bool morphs = deformer->ops == &sni_deformer_morph && !blended && i == 0 &&
                      sni_deformer_input(deformer, &sni_input_driver) == NULL &&
                      sni_deformer_input(deformer, &sni_input_poses) == NULL &&
                      deformer->parameters[SNI_MORPH_PARAMETER_ENVELOPE] == 1 &&
                      deformer->driven == NULL && !deformer->weighted;
        bool blends = deformer->ops == &sni_deformer_blend && !blended &&
                      deformer->parameters[SNI_BLEND_PARAMETER_METHOD] == SNI_BLEND_LINEAR;
        if (!morphs && !blends) {
            return false;
        }
        blended = blended || blends;
    }
    return !(blended && plan->segment != SN_NONE);
}

// Makes room for a state. Returns where it begins.
static size_t place_state(sn_model *model, size_t bytes) {
    size_t offset = model->state_bytes, end = offset + bytes;
    model->state_bytes = (end + state_alignment - 1) / state_alignment * state_alignment;
    return offset;
}

static void place_deformer_state(sn_model *model, sni_bound_deformer *deformer) {
    if (deformer->ops->state_bytes != NULL) {
        deformer->state_bytes = deformer->ops->state_bytes(deformer->binding->bound);
        deformer->state_offset = place_state(model, deformer->state_bytes);
    }
}

static sn_status place_muscle_states(sn_model *model, sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW_ZERO(model->context, model->muscle_state_offsets, model->blueprint->muscle_count);
    for (uint32_t i = 0; i < model->blueprint->muscle_count; ++i) {
        const sni_bound_muscle *muscle = model->muscles[i];
        if (muscle->ops->state_bytes != NULL) {
            model->muscle_state_offsets[i] =
                place_state(model, muscle->ops->state_bytes(muscle->bound));
        }
    }
cleanup:
    return status;
}

static void place_body_states(sn_model *model) {
    for (uint32_t i = 0; i < model->bodies.group_count; ++i) {
        sni_body_group *group = &model->bodies.groups[i];
        group->state_bytes = group->simulated ? sni_group_state_bytes(group) : 0;
        group->state_offset = place_state(model, group->state_bytes);
    }
}

static sn_status bind_surface(sn_model *model, uint32_t index, const sn_progress *progress,
                              sn_error *error) {
    const sni_surface_plan *plan = &model->blueprint->surfaces[index];
    sni_bound_surface *bound = &model->bound[index];
    sn_status status = SN_OK;
    model->surfaces[index].linear_skinning = is_linear_skinning(plan);
    SNI_NEW_ZERO(model->context, bound->deformers, plan->deformer_count);
    for (uint32_t i = 0; i < plan->deformer_count; ++i) {
        bound->deformer_count = i + 1;
        SN_TRY(sni_deformer_bind(model->rest, index, &plan->deformers[i], &bound->deformers[i],
                                 progress, error));
        place_deformer_state(model, &bound->deformers[i]);
    }
cleanup:
    return status;
}

static sn_status bind_surfaces(sn_model *model, const sn_progress *progress, sn_error *error) {
    uint32_t count = model->blueprint->surface_count;
    sn_status status = SN_OK;
    SNI_NEW_ZERO(model->context, model->bound, model->surface_count);
    for (uint32_t i = 0; i < count; ++i) {
        SN_TRY(sni_progress(progress, "binding", (double)i / count, error));
        SN_TRY(bind_surface(model, i, progress, error));
    }
    SN_TRY(sni_progress(progress, "binding", 1, error));
cleanup:
    return status;
}

// The expanded document is kept, since the blueprint points into it.
static sn_status decode(sn_model *model, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(sn_character_expand(model->character, &model->document, error));
    SN_TRY(sni_character_decode(model->character, model->document, &model->blueprint, error));
    model->base = sni_string_copy(model->context, sni_character_base(model->character));
    SN_TRY(model->base != NULL ? SN_OK : sni_fail_memory(error));
cleanup:
    return status;
}

static sn_status make_rest(sn_model *model, const sn_progress *progress, sn_error *error) {
    sni_rest_desc desc = {.character = model->character,
                          .blueprint = model->blueprint,
                          .proportions = model->blueprint->proportions,
                          .store = &model->store};
    sn_status status = SN_OK;
    SN_TRY(sni_rest_create(&desc, &model->rest, error));
    SN_TRY(sni_rest_make(model->rest, progress, error));
    model->rig = model->rest->rig;
    model->rest_worlds = model->rest->worlds;
    model->surface_count = model->rest->surface_count;
    model->surfaces = model->rest->surfaces;
    model->muscles = model->rest->muscles;
cleanup:
    return status;
}

sn_status sn_model_recompile(sn_character *character, const sn_model *before,
                             const sn_progress *progress, sn_model **model, sn_error *error) {
    sn_context *context = sni_character_context(character);
    sn_status status = SN_OK;
    sn_model *made = NULL;
    *model = NULL;
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    made->character = character;
    sni_store_init(&made->store, context, before != NULL ? &before->store : NULL);
    SN_TRY(decode(made, error));
    SN_TRY(make_rest(made, progress, error));
    SN_TRY(place_muscle_states(made, error));
    SN_TRY(sni_bodies_make(made->rest, &made->bodies, error));
    place_body_states(made);
    SN_TRY(bind_surfaces(made, progress, error));
    SN_TRY(sni_rest_keep_shapes(made->rest->plain, error));
    made->store.before = NULL;
    *model = made;
    made = NULL;
cleanup:
    if (status != SN_OK) {
        sni_error_source(error, sn_character_path(character));
    }
    sn_model_destroy(made);
    return status;
}

sn_status sn_model_create(sn_character *character, const sn_progress *progress, sn_model **model,
                          sn_error *error) {
    return sn_model_recompile(character, NULL, progress, model, error);
}

sn_status sni_model_plan_bare(const sn_model *model, sni_store *store, sni_rest **bare,
                              sn_error *error) {
    uint32_t count = model->blueprint->skeleton.segment_count;
    double *none = sni_alloc_zero(model->context, count, sizeof *none);
    if (none == NULL) {
        return sni_fail_memory(error);
    }
    sni_rest_desc desc = {.character = model->character,
                          .blueprint = model->blueprint,
                          .proportions = none,
                          .bare = true,
                          .store = store};
    sn_status status = sni_rest_create(&desc, bare, error);
    sni_free(model->context, none);
    return status;
}

void sn_model_destroy(sn_model *model) {
    if (model == NULL) {
        return;
    }
    sn_context *context = model->context;
    for (uint32_t i = 0; model->bound != NULL && i < model->surface_count; ++i) {
        sni_free(context, model->bound[i].deformers);
    }
    sni_free(context, model->bound);
    sni_free(context, model->muscle_state_offsets);
    sni_bodies_deinit(context, &model->bodies);
    sni_rest_destroy(model->rest);
    sni_store_deinit(&model->store);
    sni_blueprint_destroy(model->blueprint);
    sn_json_destroy(model->document);
    sni_free(context, model->base);
    sni_free(context, model);
}

sn_context *sn_model_context(const sn_model *model) {
    return model->context;
}

const char *sn_model_name(const sn_model *model) {
    return model->blueprint->name;
}

uint32_t sn_model_surface_count(const sn_model *model) {
    return model->surface_count;
}

const sn_surface *sn_model_surface(const sn_model *model, uint32_t surface) {
    return &model->surfaces[surface];
}

const sn_skeleton *sn_model_skeleton(const sn_model *model) {
    return sni_rig_skeleton(model->rig);
}

uint32_t sn_model_control_count(const sn_model *model) {
    return sni_rig_control_count(model->rig);
}

const char *sn_model_control_name(const sn_model *model, uint32_t control) {
    return sni_rig_control_name(model->rig, control);
}

const char *sn_model_control_group(const sn_model *model, uint32_t control) {
    return model->blueprint->control_groups[control];
}

const sn_mat4 *sn_model_rest_worlds(const sn_model *model) {
    return model->rest_worlds;
}

size_t sn_model_bytes(const sn_model *model) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < model->surface_count; ++i) {
        for (uint32_t k = 0; k < model->bound[i].deformer_count; ++k) {
            const sni_bound_deformer *deformer = &model->bound[i].deformers[k];
            const sni_binding *binding = deformer->binding;
            size_t weights = binding->weights != NULL ? model->surfaces[i].mesh->vertex_count : 0;
            bytes += deformer->ops->bytes(binding->bound) + weights * sizeof(float);
        }
    }
    for (uint32_t i = 0; i < model->bodies.group_count; ++i) {
        bytes += sni_rigid_bytes(model->bodies.groups[i].system->rigid);
    }
    for (uint32_t i = 0; i < model->blueprint->muscle_count; ++i) {
        bytes += model->muscles[i]->ops->bytes(model->muscles[i]->bound);
    }
    return bytes;
}
