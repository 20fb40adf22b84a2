// SPDX-License-Identifier: Apache-2.0
//
// Deformers of a model, bound to the body at rest. A binding depends on nothing but its job, so one
// that was made from equal inputs is taken from the store.
#include "eval/model.h"

#include "character/schema/schema.h"
#include "eval/points.h"

// --- What a binding is made from

static void add_weights(sni_digest *digest, const sni_deformer_plan *plan) {
    sni_digest_add_index(digest, plan->weighted);
    sni_digest_add_index(digest, plan->weights_count);
    for (uint32_t i = 0; i < plan->weights_count; ++i) {
        const sni_weights_entry *entry = &plan->weights[i];
        sni_digest_add_points(digest, &entry->points);
        sni_digest_add_text(digest, sn_value_string(entry->group, NULL));
        sni_digest_add_text(digest, sn_value_string(entry->attribute, NULL));
    }
}

static sn_status find_digest(const sni_collecting *collecting, const sni_deformer_plan *plan,
                             sni_digest *digest, sn_error *error) {
    const sni_rest *rest = collecting->rest;
    *digest = sni_digest_new();
    sni_digest_add_text(digest, plan->ops->name);
    sni_digest_add(digest, plan->parameters,
                   plan->ops->parameters.count * sizeof *plan->parameters);
    sni_digest_add(digest, plan->driven,
                   plan->driven != NULL ? plan->ops->parameters.count * sizeof *plan->driven : 0);
    sni_digest_add_digest(digest, &rest->digest);
    sni_digest_add_surface(digest, rest, collecting->surface);
    add_weights(digest, plan);
    return sni_inputs_digest(collecting, plan->ops->inputs, plan->inputs, digest, error);
}

// --- Bindings

static void destroy_binding(sn_context *context, sni_made *made) {
    sni_binding *binding = (sni_binding *)made;
    if (binding->bound != NULL) {
        binding->ops->unbind(context, binding->bound);
    }
    sni_inputs_free(context, binding->kept);
    sni_free(context, binding->weights);
    sni_free(context, binding);
}

static sn_status fill_binding(const sni_collecting *collecting, const sni_deformer_plan *plan,
                              sni_binding *binding, sn_error *error) {
    sni_rest *rest = collecting->rest;
    const sn_mesh *mesh = rest->surfaces[collecting->surface].mesh;
    float *weights = NULL;
    sni_bind_job job = {.context = rest->context,
                        .mesh = mesh,
                        .mesh_digest = rest->details[collecting->surface].digest,
                        .store = rest->store,
                        .parameters = plan->parameters,
                        .driven = plan->driven,
                        .skeleton = sni_rig_skeleton(rest->rig),
                        .rest_worlds = rest->worlds,
                        .progress = collecting->progress};
    sn_status status = SN_OK;
    SN_TRY(sni_point_weights_make(rest->context, plan, mesh, &weights, error));
    job.point_weights = plan->ops->uses_point_weights ? weights : NULL;
    SN_TRY(sni_inputs_collect(collecting, plan->ops->inputs, plan->inputs, job.inputs,
                              binding->kept, error));
    SN_TRY(sni_bind_job_validate(plan->ops, &job, error));
    SN_TRY(plan->ops->bind(&job, &binding->bound, error));
    if (!plan->ops->uses_point_weights) {
        binding->weights = weights;
        weights = NULL;
    }
cleanup:
    sni_free(rest->context, weights);
    return status;
}

static sn_status make_binding(const sni_collecting *collecting, const sni_deformer_plan *plan,
                              const sni_digest *digest, sni_binding **binding, sn_error *error) {
    sni_rest *rest = collecting->rest;
    sni_binding *made = sni_alloc_zero(rest->context, 1, sizeof *made);
    if (made == NULL) {
        return sni_fail_memory(error);
    }
    made->ops = plan->ops;
    sni_made_init(&made->made, digest, destroy_binding);
    sn_status status = fill_binding(collecting, plan, made, error);
    if (status == SN_OK) {
        status = sni_store_add(rest->store, &made->made, error);
    }
    sni_made_release(rest->context, &made->made); // the store holds it
    *binding = status == SN_OK ? made : NULL;
    return status;
}

static sn_status find_or_make(const sni_collecting *collecting, const sni_deformer_plan *plan,
                              sni_binding **binding, sn_error *error) {
    sni_digest digest;
    sni_made *found = NULL;
    sn_status status = SN_OK;
    SN_TRY(find_digest(collecting, plan, &digest, error));
    SN_TRY(sni_store_find(collecting->rest->store, &digest, &found, error));
    *binding = (sni_binding *)found;
    if (found == NULL) {
        SN_TRY(make_binding(collecting, plan, &digest, binding, error));
    }
cleanup:
    return status;
}

sn_status sni_deformer_bind(sni_rest *rest, uint32_t surface, const sni_deformer_plan *plan,
                            sni_bound_deformer *deformer, const sn_progress *progress,
                            sn_error *error) {
    sni_arena arena;
    sni_binding *binding = NULL;
    sni_arena_init(&arena, rest->context);
    sni_collecting collecting = {
        .rest = rest, .surface = surface, .arena = &arena, .progress = progress};
    sn_status status = find_or_make(&collecting, plan, &binding, error);
    sni_arena_deinit(&arena);
    *deformer = (sni_bound_deformer){.ops = plan->ops, .plan = plan, .binding = binding};
    return plan->value != NULL ? sni_at_value(status, plan->value, error) : status;
}

static const sni_taken_components *taken_of(const sni_bound_deformer *deformer) {
    const void *const *kept = (const void *const *)deformer->binding->kept;
    return sni_input_find(deformer->ops->inputs, kept, &sni_input_components);
}

uint32_t sni_bound_component_count(const sni_bound_deformer *deformer) {
    const sni_taken_components *taken = taken_of(deformer);
    return taken != NULL ? taken->count : 0;
}

uint32_t sni_bound_component(const sni_bound_deformer *deformer, uint32_t index) {
    const sni_names_plan *plan = sni_deformer_input(deformer->plan, &sni_input_components);
    return plan->numbers[taken_of(deformer)->numbers[index]];
}
