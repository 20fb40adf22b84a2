// SPDX-License-Identifier: Apache-2.0
//
// Compiles a character: its blueprint, its meshes, and every deformer bound to the rest state.
#include "eval/model.h"

#include "base/json_internal.h"
#include "character/character.h"
#include "character/expand.h"
#include "character/schema.h"
#include "eval/points.h"
#include "motion/skeleton.h"

#include <float.h>
#include <math.h>
#include <string.h>

// States of deformers begin at multiples of this.
static const size_t state_alignment = 64;

bool sni_is_float_matrix(const sn_mat4 *matrix) {
    bool fits = true;
    for (int i = 0; i < 16; ++i) {
        fits = fits && fabs(matrix->m[i]) <= FLT_MAX;
    }
    return fits;
}

static sn_status compute_rest(sn_model *model, sn_error *error) {
    const sn_skeleton *skeleton = sni_rig_skeleton(model->rig);
    sn_status status = SN_OK;
    SN_TRY(sni_skeleton_rest_worlds(model->context, skeleton, &model->rest_worlds, error));
    for (uint32_t i = 0; i < skeleton->segment_count; ++i) {
        if (!sni_is_float_matrix(&model->rest_worlds[i])) {
            const sn_value *map = sn_value_get(sn_json_root(model->document), "skeleton");
            status = sni_fail_value(error, sn_value_at(map, i), SN_INVALID,
                                    "the rest pose is too large for this segment to have a place");
            goto cleanup;
        }
    }
cleanup:
    return status;
}

// Whether glTF could do it: morph targets, then linear skinning; or a mesh carried by a node.
static bool is_linear_skinning(const sni_surface_plan *plan) {
    bool blended = false;
    for (uint32_t i = 0; i < plan->deformer_count; ++i) {
        const sni_deformer_plan *deformer = &plan->deformers[i];
        bool morphs = deformer->ops == &sni_deformer_morph && !blended && i == 0 &&
                      deformer->driver == SN_NONE &&
                      deformer->parameters[SNI_MORPH_PARAMETER_ENVELOPE] == 1 &&
                      deformer->pose_count == 0 && sn_value_get(deformer->value, "weights") == NULL;
        bool blends = deformer->ops == &sni_deformer_blend && !blended &&
                      deformer->parameters[SNI_BLEND_PARAMETER_METHOD] == SNI_BLEND_LINEAR;
        if (!morphs && !blends) {
            return false;
        }
        blended = blended || blends;
    }
    return !(blended && plan->segment != SN_NONE);
}

static sn_status bind_deformer(sn_model *model, uint32_t surface, const sni_deformer_plan *plan,
                               sni_bound_deformer *deformer, const sn_progress *progress,
                               sn_error *error) {
    sn_status status = SN_OK;
    sni_bind_job job = {0};
    sni_bind_parts parts = {0};
    *deformer = (sni_bound_deformer){.ops = plan->ops,
                                     .driver = plan->driver,
                                     .muscle_count = plan->muscle_count,
                                     .muscles = plan->muscles,
                                     .pose_count = plan->pose_count,
                                     .poses = plan->poses,
                                     .collider_count = plan->collider_count,
                                     .colliders = plan->colliders};
    SN_TRY(sni_bind_parts_make(model, surface, plan, &parts, error));
    job = sni_model_bind_job(model, surface, plan, &parts, progress);
    SN_TRY(sni_bind_job_validate(plan->ops, &job, error));
    deformer->components = sni_copy(model->context, parts.component_surfaces, parts.component_count,
                                    sizeof *deformer->components);
    deformer->component_count = parts.component_count;
    SN_TRY(deformer->components != NULL ? SN_OK : sni_fail_memory(error));
    SN_TRY(plan->ops->bind(&job, &deformer->bound, error));
    if (!plan->ops->uses_point_weights) {
        deformer->weights = parts.weights;
        parts.weights = NULL;
    }
cleanup:
    sni_bind_parts_free(model, &parts);
    if (status != SN_OK) {
        sni_free(model->context, deformer->components);
        deformer->components = NULL;
    }
    return plan->value != NULL ? sni_at_value(status, plan->value, error) : status;
}

static void place_state(sn_model *model, sni_bound_deformer *deformer) {
    if (deformer->ops->state_bytes == NULL) {
        return;
    }
    deformer->state_bytes = deformer->ops->state_bytes(deformer->bound);
    deformer->state_offset = model->state_bytes;
    size_t end = model->state_bytes + deformer->state_bytes;
    model->state_bytes = (end + state_alignment - 1) / state_alignment * state_alignment;
}

static sn_status bind_surface(sn_model *model, uint32_t index, const sn_progress *progress,
                              sn_error *error) {
    const sni_surface_plan *plan = &model->blueprint->surfaces[index];
    sni_bound_surface *bound = &model->bound[index];
    sn_status status = SN_OK;
    model->surfaces[index].linear_skinning = is_linear_skinning(plan);
    SNI_NEW_ZERO(model->context, bound->deformers, plan->deformer_count);
    for (uint32_t i = 0; i < plan->deformer_count; ++i) {
        SN_TRY(bind_deformer(model, index, &plan->deformers[i], &bound->deformers[i], progress,
                             error));
        bound->deformer_count = i + 1;
        place_state(model, &bound->deformers[i]);
    }
cleanup:
    return status;
}

// The mesh that a landmark stands on.
static sn_status landmark_mesh(const sn_model *model, const sni_landmark_plan *landmark,
                               const sn_mesh **mesh, sn_error *error) {
    uint32_t extraction = sni_find_extraction(model->blueprint, landmark->mesh);
    if (extraction != SN_NONE) {
        *mesh = model->extracted[extraction];
        return SN_OK;
    }
    return sni_character_mesh(model->character, landmark->value, landmark->mesh, mesh, error);
}

static sn_status check_landmarks(const sn_model *model, bool extracted, sn_error *error) {
    for (uint32_t i = 0; i < model->blueprint->landmark_count; ++i) {
        const sni_landmark_plan *landmark = &model->blueprint->landmarks[i];
        const sn_mesh *mesh;
        if (landmark->segment != SN_NONE ||
            extracted != (sni_find_extraction(model->blueprint, landmark->mesh) != SN_NONE)) {
            continue;
        }
        sn_status status = landmark_mesh(model, landmark, &mesh, error);
        if (status != SN_OK) {
            return status;
        }
        if (landmark->vertex >= mesh->vertex_count) {
            return sni_fail_value(error, sn_value_get(landmark->value, "vertex"), SN_INVALID,
                                  "the mesh \"%s\" has %u vertices, there is no vertex %u",
                                  landmark->mesh, mesh->vertex_count, landmark->vertex);
        }
    }
    return SN_OK;
}

static sn_status map_all_names(sn_model *model, bool extracted, sn_error *error) {
    const sni_blueprint *blueprint = model->blueprint;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < blueprint->surface_count; ++i) {
        const sni_surface_plan *plan = &blueprint->surfaces[i];
        for (uint32_t k = 0; k < plan->deformer_count && status == SN_OK; ++k) {
            if (extracted == (plan->extraction != SN_NONE)) {
                status = sni_model_map_names(model, i, &plan->deformers[k], error);
            }
        }
    }
    return status;
}

void sni_model_muscle_skins(const sn_model *model, sni_muscle_skin *skins) {
    for (uint32_t i = 0; i < model->blueprint->surface_count; ++i) {
        skins[i] = (sni_muscle_skin){.mesh = model->surfaces[i].mesh,
                                     .bone_segments = model->bound[i].bone_segments};
    }
}

// Makes the muscles, those that need extracted skins or the others. They stand behind the other
// surfaces.
static sn_status make_muscles(sn_model *model, bool on_extracted, const sn_progress *progress,
                              sn_error *error) {
    const sni_blueprint *blueprint = model->blueprint;
    sni_muscle_skin *skins = NULL;
    sn_status status = SN_OK;
    SNI_NEW(model->context, skins, blueprint->surface_count);
    sni_model_muscle_skins(model, skins);
    sni_muscles_desc desc = {.context = model->context,
                             .blueprint = blueprint,
                             .skins = skins,
                             .rest_worlds = model->rest_worlds,
                             .character = model->character,
                             .on_extracted = on_extracted,
                             .progress = progress};
    SN_TRY(sni_muscles_bind(&desc, model->muscles, error));
    model->surface_count = blueprint->surface_count + blueprint->muscle_count;
    for (uint32_t i = 0; i < blueprint->muscle_count; ++i) {
        model->surfaces[blueprint->surface_count + i] =
            (sn_surface){.name = blueprint->muscles[i].name,
                         .layer = SN_LAYER_MUSCLE,
                         .look = SN_LOOK_MUSCLE,
                         .mesh = model->muscles[i].mesh,
                         .segment = SN_NONE,
                         .density = 1,
                         .shown = blueprint->muscles[i].show};
    }
cleanup:
    sni_free(model->context, skins);
    return status;
}

// What follows once meshes are there: those that are extracted, or the others.
static sn_status use_meshes(sn_model *model, bool extracted, const sn_progress *progress,
                            sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(check_landmarks(model, extracted, error));
    SN_TRY(map_all_names(model, extracted, error));
    SN_TRY(make_muscles(model, extracted, progress, error));
cleanup:
    return status;
}

// Skins that hang on components are bound to the body without its proportions.
static sn_status make_plain_for(sn_model *model, uint32_t surface, const sn_progress *progress,
                                sn_error *error) {
    const sni_surface_plan *plan = &model->blueprint->surfaces[surface];
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < plan->deformer_count && status == SN_OK; ++i) {
        sn_model *plain;
        if (plan->deformers[i].ops->uses_components) {
            status = sni_model_plain(model, progress, &plain, error);
        }
    }
    return status;
}

static sn_status bind_surfaces(sn_model *model, const sn_progress *progress, sn_error *error) {
    uint32_t count = model->blueprint->surface_count;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < count && model->plain == NULL; ++i) {
        SN_TRY(make_plain_for(model, i, progress, error));
    }
    for (uint32_t i = 0; i < count; ++i) {
        SN_TRY(sni_progress(progress, "binding", (double)i / count, error));
        SN_TRY(bind_surface(model, i, progress, error));
    }
    SN_TRY(sni_progress(progress, "binding", 1, error));
cleanup:
    return status;
}

// Everything but what the skins' deformers are bound to.
static sn_status compile(sn_model *model, const sn_progress *progress, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count = model->blueprint->surface_count;
    size_t all_count = (size_t)count + model->blueprint->muscle_count;
    SNI_NEW_ZERO(model->context, model->surfaces, all_count);
    SNI_NEW_ZERO(model->context, model->bound, all_count);
    SNI_NEW_ZERO(model->context, model->muscles, model->blueprint->muscle_count);
    model->surface_count = count;
    SN_TRY(compute_rest(model, error));
    for (uint32_t i = 0; i < count; ++i) {
        SN_TRY(sni_progress(progress, "reading meshes", (double)i / count, error));
        SN_TRY(sni_model_read_surface(model, i, error));
    }
    SN_TRY(use_meshes(model, false, progress, error));
    if (model->blueprint->extraction_count > 0 && !model->bare) {
        SN_TRY(sni_model_extract_all(model, progress, error));
        SN_TRY(use_meshes(model, true, progress, error));
    }
cleanup:
    return status;
}

// How a model differs from its document.
typedef struct variant {
    bool plain; // without its proportions
    bool bare;
    uint32_t factor_count; // proportions in their place
    const sn_segment_factor *factors;
} variant;

static sn_status change_proportions(sn_json *json, const variant *v, sn_error *error) {
    sn_value *proportions = sn_json_find(json, "/proportions");
    if (v->plain && proportions != NULL) {
        sn_json_remove(proportions);
    }
    if (v->factor_count > 0) {
        proportions = sn_json_add_object(json, sn_json_root(json), "proportions");
    }
    for (uint32_t i = 0; i < v->factor_count; ++i) {
        if (sn_json_add_number(json, proportions, v->factors[i].segment, v->factors[i].factor) ==
            NULL) {
            return sni_fail_memory(error);
        }
    }
    return SN_OK;
}

// A model of a document that has been checked.
static sn_status begin_model(sn_character *character, const sn_json *document, const char *base,
                             const variant *v, const sn_progress *progress, sn_model **model,
                             sn_error *error) {
    sn_context *context = sni_character_context(character);
    sn_status status = SN_OK;
    sn_model *made = NULL;
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    made->character = character;
    made->bare = v->bare;
    SN_TRY(sni_json_copy(document, &made->document, error));
    SN_TRY(change_proportions(made->document, v, error));
    made->base = sni_string_copy(context, base);
    SN_TRY(made->base != NULL ? SN_OK : sni_fail_memory(error));
    SN_TRY(sni_blueprint_create(context, made->document, &made->blueprint, error));
    made->rig = made->blueprint->rig;
    SN_TRY(compile(made, progress, error));
    *model = made;
    return SN_OK;
cleanup:
    sn_model_destroy(made);
    return status;
}

sn_status sni_model_create_plain(const sn_model *model, const sn_progress *progress,
                                 sn_model **plain, sn_error *error) {
    *plain = NULL;
    return begin_model(model->character, model->document, model->base, &(variant){.plain = true},
                       progress, plain, error);
}

sn_status sni_model_create_bare(const sn_model *model, const sn_segment_factor *factors,
                                uint32_t factor_count, const sn_progress *progress, sn_model **bare,
                                sn_error *error) {
    variant v = {.plain = true, .bare = true, .factor_count = factor_count, .factors = factors};
    *bare = NULL;
    return begin_model(model->character, model->document, model->base, &v, progress, bare, error);
}

bool sni_model_has_proportions(const sn_model *model) {
    for (uint32_t i = 0; i < sn_model_skeleton(model)->segment_count; ++i) {
        double factor = model->blueprint->proportions[i];
        if (factor != 0 && factor != 1) {
            return true;
        }
    }
    return false;
}

sn_status sni_model_plain(sn_model *model, const sn_progress *progress, sn_model **plain,
                          sn_error *error) {
    sn_status status = SN_OK;
    if (sni_model_has_proportions(model) && model->plain == NULL) {
        status = sni_model_create_plain(model, progress, &model->plain, error);
    }
    *plain = model->plain != NULL ? model->plain : model;
    return status;
}

sn_status sn_model_create(sn_character *character, const sn_progress *progress, sn_model **model,
                          sn_error *error) {
    sn_status status = SN_OK;
    sn_model *made = NULL;
    sni_meaning meaning = {0};
    *model = NULL;
    SN_TRY(sn_character_check(character, error));
    SN_TRY(sni_meaning_open(sn_character_document(character), &meaning, error));
    SN_TRY(begin_model(character, meaning.json, sni_character_base(character), &(variant){0},
                       progress, &made, error));
    SN_TRY(bind_surfaces(made, progress, error));
    sn_model_destroy(made->plain);
    made->plain = NULL;
    *model = made;
    made = NULL;
cleanup:
    if (status != SN_OK) {
        sni_error_source(error, sn_character_path(character));
    }
    sn_model_destroy(made);
    sni_meaning_close(&meaning);
    return status;
}

void sn_model_destroy(sn_model *model) {
    if (model == NULL) {
        return;
    }
    sn_context *context = model->context;
    sn_model_destroy(model->plain);
    for (uint32_t i = 0; i < model->surface_count; ++i) {
        sni_bound_surface *bound = &model->bound[i];
        for (uint32_t k = 0; k < bound->deformer_count; ++k) {
            bound->deformers[k].ops->unbind(context, bound->deformers[k].bound);
            sni_free(context, bound->deformers[k].weights);
            sni_free(context, bound->deformers[k].components);
        }
        sni_free(context, bound->deformers);
        sni_free(context, bound->bone_segments);
        sni_free(context, bound->target_controls);
        sn_mesh_destroy(bound->made_mesh);
    }
    if (model->muscles != NULL) {
        sni_muscles_unbind(context, model->muscles, model->blueprint->muscle_count);
    }
    for (uint32_t i = 0; model->searches != NULL && i < model->blueprint->surface_count; ++i) {
        sni_skin_search_free(context, &model->searches[i]);
    }
    for (uint32_t i = 0; model->extracted != NULL && i < model->blueprint->extraction_count; ++i) {
        sn_mesh_destroy(model->extracted[i]);
    }
    sni_free(context, model->extracted);
    sni_free(context, model->under_extracted);
    sni_free(context, model->searches);
    sni_free(context, model->muscles);
    sni_free(context, model->bound);
    sni_free(context, model->surfaces);
    sni_free(context, model->rest_worlds);
    sni_blueprint_destroy(model->blueprint);
    sn_json_destroy(model->document);
    sni_free(context, model->base);
    sni_free(context, model);
}

sn_status sni_model_add_deformer(sn_model *model, uint32_t surface, const sni_deformer_ops *ops,
                                 sn_error *error) {
    sni_bound_surface *bound = &model->bound[surface];
    sni_deformer_plan plan = {.ops = ops, .driver = SN_NONE, .driver_control = SN_NONE};
    sn_status status = SN_OK;
    sni_bound_deformer *longer = NULL;
    SNI_NEW_ZERO(model->context, longer, (size_t)bound->deformer_count + 1);
    SNI_NEW(model->context, plan.parameters, ops->parameters.count);
    sni_parameters_defaults(&ops->parameters, plan.parameters);
    memcpy(longer, bound->deformers, bound->deformer_count * sizeof *longer);
    SN_TRY(sni_model_map_names(model, surface, &plan, error));
    SN_TRY(bind_deformer(model, surface, &plan, &longer[bound->deformer_count], NULL, error));
    place_state(model, &longer[bound->deformer_count]);
    sni_free(model->context, bound->deformers);
    bound->deformers = longer;
    bound->deformer_count++;
    model->surfaces[surface].linear_skinning = false;
    longer = NULL;
cleanup:
    sni_free(model->context, longer);
    sni_free(model->context, plan.parameters);
    return status;
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
    const sn_value *controls = sn_value_get(sn_json_root(model->document), "controls");
    return sn_value_string(sn_value_get(sn_value_at(controls, control), "group"), "");
}

const sn_mat4 *sn_model_rest_worlds(const sn_model *model) {
    return model->rest_worlds;
}

size_t sn_model_bytes(const sn_model *model) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < model->surface_count; ++i) {
        for (uint32_t k = 0; k < model->bound[i].deformer_count; ++k) {
            const sni_bound_deformer *deformer = &model->bound[i].deformers[k];
            size_t weights = deformer->weights != NULL ? model->surfaces[i].mesh->vertex_count : 0;
            bytes += deformer->ops->bytes(deformer->bound) + weights * sizeof(float);
        }
    }
    for (uint32_t i = 0; i < model->blueprint->muscle_count; ++i) {
        bytes += model->muscles[i].ops->bytes(model->muscles[i].bound);
    }
    return bytes;
}
