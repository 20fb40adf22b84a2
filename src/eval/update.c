// SPDX-License-Identifier: Apache-2.0
//
// Changing one muscle of a model: the muscle is made anew from the edited document, and the
// deformers that follow it attach to it again; everything else stays. All of it is made before
// anything is exchanged, so that a failure leaves the model as it was.
#include "eval/model.h"

#include "character/expand.h"
#include "character/schema.h"

#include <string.h>

// A deformer that follows the muscle, and what it will have in place of its present attachment.
typedef struct follower {
    uint32_t surface, deformer;
    uint32_t number; // of the muscle among those of the deformer
    void *part;
} follower;

typedef struct update {
    sn_model *model;
    uint32_t muscle;
    sni_muscle_plan plan;
    sni_bound_muscle made;
    uint32_t follower_count;
    follower *followers;
    sni_meaning meaning; // of the document as it is now
} update;

static sni_bound_deformer *deformer_of(const update *u, const follower *f) {
    return &u->model->bound[f->surface].deformers[f->deformer];
}

static void free_update(update *u) {
    sn_context *context = u->model->context;
    for (uint32_t i = 0; i < u->follower_count; ++i) {
        deformer_of(u, &u->followers[i])->ops->detach(context, u->followers[i].part);
    }
    sni_free(context, u->followers);
    sni_meaning_close(&u->meaning);
    sni_muscles_unbind(context, &u->made, 1);
}

// Finds the muscle in the model and what the document now says about it.
static sn_status find_muscle(update *u, const char *name, const sn_value **value, sn_error *error) {
    const sni_blueprint *blueprint = u->model->blueprint;
    const sn_value *root = sn_json_root(u->meaning.json);
    u->muscle = sni_name_index_find(&blueprint->names[SNI_SECTION_MUSCLES], name);
    *value = sn_value_get(sn_value_get(root, "muscles"), name);
    if (u->muscle == SN_NONE) {
        return sni_fail(error, SN_INVALID, "the model has no muscle \"%s\"", name);
    }
    if (*value == NULL) {
        return sni_fail(error, SN_INVALID, "the document has no muscle \"%s\" any more", name);
    }
    return SN_OK;
}

// Decodes it; the parameters are in the blueprint's arena.
static sn_status decode(update *u, const sn_value *value, sn_error *error) {
    const sni_muscle_plan *old = &u->model->blueprint->muscles[u->muscle];
    sn_status status = SN_OK;
    SN_TRY(sni_schema_check(&sni_muscle_schema, value, error));
    SN_TRY(sni_decode_muscle(u->model->blueprint, value, &u->plan, error));
    if (u->plan.ops != old->ops || u->plan.skin != old->skin) {
        SN_TRY(sni_fail_value(error, sn_value_get(value, u->plan.ops != old->ops ? "kind" : "skin"),
                              SN_INVALID, "this needs a new model"));
    }
cleanup:
    return status;
}

static sn_status make_muscle(update *u, sn_error *error) {
    sn_model *model = u->model;
    uint32_t surface_count = model->blueprint->surface_count;
    sn_status status = SN_OK;
    sni_muscle_skin *skins = NULL;
    if (model->searches == NULL) {
        SNI_NEW_ZERO(model->context, model->searches, surface_count);
    }
    SNI_NEW(model->context, skins, surface_count);
    sni_model_muscle_skins(model, skins);
    sni_muscles_desc desc = {.context = model->context,
                             .blueprint = model->blueprint,
                             .skins = skins,
                             .rest_worlds = model->rest_worlds,
                             .character = model->character};
    SN_TRY(sni_muscle_bind(&desc, &u->plan, model->searches, &u->made, error));
cleanup:
    sni_free(model->context, skins);
    return status;
}

// A skin that hangs on the muscle is bound to its mesh.
static sn_status check_hanging(const update *u, sn_error *error) {
    const sn_model *model = u->model;
    uint32_t surface = model->blueprint->surface_count + u->muscle;
    if (model->under_extracted != NULL && model->under_extracted[u->muscle]) {
        return sni_fail(error, SN_INVALID,
                        "a skin is extracted from the muscle \"%s\": this needs a new model",
                        model->surfaces[surface].name);
    }
    for (uint32_t s = 0; s < model->blueprint->surface_count; ++s) {
        for (uint32_t d = 0; d < model->bound[s].deformer_count; ++d) {
            const sni_bound_deformer *deformer = &model->bound[s].deformers[d];
            for (uint32_t i = 0; i < deformer->component_count; ++i) {
                if (deformer->components[i] == surface) {
                    return sni_fail(error, SN_INVALID,
                                    "the skin \"%s\" hangs on the muscle \"%s\": this needs a new "
                                    "model",
                                    model->surfaces[s].name, model->surfaces[surface].name);
                }
            }
        }
    }
    return SN_OK;
}

// Lists the deformers that follow the muscle, in the order of the document.
static sn_status list_followers(update *u, sn_error *error) {
    const sn_model *model = u->model;
    for (uint32_t s = 0; s < model->blueprint->surface_count; ++s) {
        for (uint32_t d = 0; d < model->blueprint->surfaces[s].deformer_count; ++d) {
            const sni_deformer_plan *plan = &model->blueprint->surfaces[s].deformers[d];
            for (uint32_t m = 0; m < plan->muscle_count; ++m) {
                if (plan->muscles[m] != u->muscle) {
                    continue;
                }
                if (!sni_grow_by_one(model->context, &u->followers, u->follower_count,
                                     sizeof *u->followers)) {
                    return sni_fail_memory(error);
                }
                u->followers[u->follower_count++] =
                    (follower){.surface = s, .deformer = d, .number = m};
            }
        }
    }
    return SN_OK;
}

static sn_status attach(update *u, follower *f, sn_error *error) {
    const sn_model *model = u->model;
    const sni_deformer_plan *plan = &model->blueprint->surfaces[f->surface].deformers[f->deformer];
    const sni_bound_deformer *deformer = deformer_of(u, f);
    sn_status status = SN_OK;
    sni_bind_parts parts = {0};
    SN_TRY(sni_bind_parts_make(model, f->surface, plan, &parts, error));
    parts.muscles[f->number] = u->made.surface;
    parts.muscles[f->number].trace_count =
        u->plan.skin == f->surface ? u->made.surface.trace_count : 0;
    sni_bind_job job = sni_model_bind_job(model, f->surface, plan, &parts, NULL);
    SN_TRY(deformer->ops->attach(&job, f->number, deformer->bound, &f->part, error));
cleanup:
    sni_bind_parts_free(model, &parts);
    return sni_at_value(status, plan->value, error);
}

// Nothing fails any more. What the model had goes into the update, to be freed.
static void exchange(update *u) {
    sn_model *model = u->model;
    sni_muscle_plan *plan = &model->blueprint->muscles[u->muscle];
    sn_surface *surface = &model->surfaces[model->blueprint->surface_count + u->muscle];
    for (uint32_t i = 0; i < u->follower_count; ++i) {
        const sni_bound_deformer *deformer = deformer_of(u, &u->followers[i]);
        deformer->ops->exchange(deformer->bound, u->followers[i].number, u->followers[i].part);
    }
    sni_bound_muscle old = model->muscles[u->muscle];
    model->muscles[u->muscle] = u->made;
    u->made = old;
    memcpy(plan->parameters, u->plan.parameters,
           plan->ops->parameters.count * sizeof *plan->parameters);
    plan->segment = u->plan.segment;
    plan->inner = u->plan.inner;
    plan->on_skeleton = u->plan.on_skeleton;
    plan->contraction = u->plan.contraction;
    plan->tension = u->plan.tension;
    plan->activation = u->plan.activation;
    plan->show = u->plan.show;
    surface->mesh = model->muscles[u->muscle].mesh;
    surface->shown = plan->show;
    ++model->revision;
}

sn_status sn_model_update_muscle(sn_model *model, const char *name, sn_error *error) {
    sn_status status = SN_OK;
    update u = {.model = model};
    const sn_value *value = NULL;
    sni_arena_mark mark = sni_arena_mark_now(&model->blueprint->arena);
    SN_TRY(sni_meaning_open(sn_character_document(model->character), &u.meaning, error));
    SN_TRY(find_muscle(&u, name, &value, error));
    SN_TRY(check_hanging(&u, error));
    SN_TRY(decode(&u, value, error));
    SN_TRY(make_muscle(&u, error));
    SN_TRY(list_followers(&u, error));
    for (uint32_t i = 0; i < u.follower_count; ++i) {
        SN_TRY(attach(&u, &u.followers[i], error));
    }
    exchange(&u);
cleanup:
    if (status != SN_OK) {
        sni_error_source(error, sn_character_path(model->character));
    }
    free_update(&u);
    sni_arena_release(&model->blueprint->arena, mark);
    return status;
}
