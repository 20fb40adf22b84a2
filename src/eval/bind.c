// SPDX-License-Identifier: Apache-2.0
//
// Deformers of a model, bound to the body at rest. A binding depends on nothing but its job, so one
// that was made from equal inputs is taken from the store.
#include "eval/model.h"

#include "character/character.h"
#include "character/schema.h"
#include "eval/points.h"
#include "geometry/closed.h"

// --- What a binding is made from

static void add_weights(sni_digest *digest, const sni_deformer_plan *plan) {
    sni_digest_add_index(digest, plan->weighted);
    for (uint32_t i = 0; i < plan->weights_count; ++i) {
        const sni_weights_entry *entry = &plan->weights[i];
        sni_digest_add_points(digest, &entry->points);
        sni_digest_add_text(digest, sn_value_string(entry->group, NULL));
        sni_digest_add_text(digest, sn_value_string(entry->attribute, NULL));
    }
}

// The segments and controls that the mesh's names stand for.
static void add_names(sni_digest *digest, const sni_rest *rest, uint32_t surface,
                      const sni_deformer_ops *ops) {
    const sn_mesh *mesh = rest->surfaces[surface].mesh;
    const sni_rest_surface *detail = &rest->details[surface];
    if (ops->uses_weights && detail->bone_segments != NULL) {
        sni_digest_add(digest, detail->bone_segments,
                       mesh->weights->bone_count * sizeof *detail->bone_segments);
    }
    if (ops->uses_targets && detail->target_controls != NULL) {
        sni_digest_add(digest, detail->target_controls,
                       mesh->target_count * sizeof *detail->target_controls);
    }
}

static void add_pose_points(sni_digest *digest, const sni_pose_key *key) {
    sni_digest_add_index(digest, key->point_count);
    for (uint32_t i = 0; i < key->point_count; ++i) {
        sni_digest_add_index(digest, key->points[i].vertex);
        sni_digest_add(digest, key->points[i].offset, sizeof key->points[i].offset);
    }
}

static sn_status add_poses(sni_digest *digest, const sni_rest *rest, const sni_deformer_plan *plan,
                           sn_error *error) {
    for (uint32_t i = 0; i < plan->pose_count; ++i) {
        const sni_pose_plan *pose = &plan->poses[i];
        sni_digest_add_index(digest, (uint32_t)pose->interpolation);
        sni_digest_add(digest, pose->inputs, pose->key_count * sizeof *pose->inputs);
        for (uint32_t k = 0; k < pose->key_count; ++k) {
            const sn_value *name = pose->keys[k].mesh;
            const sn_mesh *mesh = NULL;
            sn_status status = name != NULL ? sni_character_mesh(rest->character, name,
                                                                 name->as.string, &mesh, error)
                                            : SN_OK;
            if (status != SN_OK) {
                return status;
            }
            uintptr_t place = (uintptr_t)mesh;
            sni_digest_add(digest, &place, sizeof place);
            add_pose_points(digest, &pose->keys[k]);
        }
    }
    return SN_OK;
}

static void add_muscles(sni_digest *digest, const sni_rest *rest, uint32_t surface,
                        const sni_deformer_plan *plan) {
    for (uint32_t i = 0; i < plan->muscle_count; ++i) {
        uint32_t muscle = plan->muscles[i];
        sni_digest_add_digest(digest, &rest->muscle_digests[muscle]);
        sni_digest_add_index(digest, rest->blueprint->muscles[muscle].skin == surface);
    }
}

// What lies under it on the body, and on the body that skins were made for.
static void add_components(sni_digest *digest, const sni_rest *rest,
                           const sni_deformer_plan *plan) {
    sni_digest_add_index(digest, plan->all_components);
    sni_digest_add_digest(digest, &rest->plain->digest);
    for (uint32_t i = 0; i < plan->component_count; ++i) {
        sni_digest_add_surface(digest, rest, plan->components[i]);
        sni_digest_add_surface(digest, rest->plain, plan->components[i]);
    }
}

static void add_driver(sni_digest *digest, const sni_rest *rest, const sni_deformer_plan *plan) {
    sni_digest_add_index(digest, plan->driver_control);
    sni_digest_add_index(digest, plan->driver != SN_NONE);
    if (plan->driver != SN_NONE) {
        sni_digest_add_surface(digest, rest, plan->driver);
    }
    for (uint32_t i = 0; i < plan->set_count; ++i) {
        sni_digest_add_text(digest, plan->sets[i].points);
        sni_digest_add_text(digest, plan->sets[i].faces);
        sni_digest_add_index(digest, (uint32_t)plan->sets[i].mode);
    }
    if (plan->patch != NULL) {
        const sn_wrap_patch *patch = plan->patch;
        uint32_t numbers[7] = {patch->samples,   patch->degrees[0], patch->degrees[1],
                               patch->counts[0], patch->counts[1],  patch->closed[0],
                               patch->closed[1]};
        sni_digest_add(digest, numbers, sizeof numbers);
    }
}

static void add_simulation(sni_digest *digest, const sni_rest *rest,
                           const sni_deformer_plan *plan) {
    double range[3] = {plan->pin_points.first, plan->pin_points.last,
                       plan->pin_points.value != NULL};
    for (uint32_t i = 0; i < plan->collider_count; ++i) {
        sni_digest_add_surface(digest, rest, plan->colliders[i]);
    }
    sni_digest_add(digest, plan->pins, plan->pin_count * sizeof *plan->pins);
    sni_digest_add_text(digest, plan->pin_points.text);
    sni_digest_add(digest, range, sizeof range);
}

static sn_status find_digest(const sni_rest *rest, uint32_t surface, const sni_deformer_plan *plan,
                             sni_digest *digest, sn_error *error) {
    uint32_t counts[8] = {plan->muscle_count,    plan->pose_count,   plan->collider_count,
                          plan->component_count, plan->pin_count,    plan->set_count,
                          plan->weights_count,   plan->patch != NULL};
    *digest = sni_digest_new();
    sni_digest_add_text(digest, plan->ops->name);
    sni_digest_add(digest, plan->parameters,
                   plan->ops->parameters.count * sizeof *plan->parameters);
    sni_digest_add_digest(digest, &rest->digest);
    sni_digest_add_surface(digest, rest, surface);
    sni_digest_add(digest, counts, sizeof counts);
    add_weights(digest, plan);
    add_names(digest, rest, surface, plan->ops);
    add_muscles(digest, rest, surface, plan);
    add_components(digest, rest, plan);
    add_driver(digest, rest, plan);
    add_simulation(digest, rest, plan);
    return add_poses(digest, rest, plan, error);
}

// --- Jobs

// What is made for a bind job and only read by it.
typedef struct bind_parts {
    sni_arena arena;
    sni_muscle_surface *muscles;
    sni_pose_set *poses;
    const sn_mesh **colliders;
    uint32_t component_count;
    sni_component *components;
    uint32_t *component_numbers; // places in the plan's list
    uint32_t pin_count;
    uint32_t *pins; // vertices
    float *weights; // from the context, as they may stay
} bind_parts;

static sn_status find_pins(const sni_deformer_plan *plan, const sn_mesh *mesh, bind_parts *parts,
                           sn_error *error) {
    parts->pin_count = plan->pin_count;
    parts->pins = plan->pins;
    return plan->pin_points.value != NULL ? sni_points_list(&plan->pin_points, mesh, &parts->arena,
                                                            &parts->pins, &parts->pin_count, error)
                                          : SN_OK;
}

// Bones, tissues and muscles on the body that skins were made for, to be followed on the model's
// own. Where the plan names none, muscles that are open are left out.
static sn_status find_components(sni_rest *rest, const sni_deformer_plan *plan, bind_parts *parts,
                                 const sn_progress *progress, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(plan->component_count > 0 ? sni_rest_make(rest->plain, progress, error) : SN_OK);
    parts->components =
        sni_arena_alloc(&parts->arena, plan->component_count, sizeof *parts->components);
    parts->component_numbers =
        sni_arena_alloc(&parts->arena, plan->component_count, sizeof *parts->component_numbers);
    if (parts->components == NULL || parts->component_numbers == NULL) {
        return sni_fail_memory(error);
    }
    for (uint32_t i = 0; i < plan->component_count; ++i) {
        uint32_t surface = plan->components[i];
        bool taken = true;
        if (plan->all_components && surface >= rest->blueprint->surface_count) {
            SN_TRY(sni_mesh_is_closed(rest->surfaces[surface].mesh, &taken, error));
        }
        if (taken) {
            SN_TRY(sni_rest_component(rest, rest->plain, surface, &parts->arena,
                                      &parts->components[parts->component_count], error));
            parts->component_numbers[parts->component_count++] = i;
        }
    }
cleanup:
    return status;
}

static void find_muscles(const sni_rest *rest, uint32_t surface, const sni_deformer_plan *plan,
                         sni_muscle_surface *muscles) {
    for (uint32_t i = 0; i < plan->muscle_count; ++i) {
        muscles[i] = rest->muscles[plan->muscles[i]]->surface;
        if (rest->blueprint->muscles[plan->muscles[i]].skin != surface) {
            muscles[i].trace_count = 0; // its traces are vertices of another skin
        }
    }
}

static sn_status make_parts(sni_rest *rest, uint32_t surface, const sni_deformer_plan *plan,
                            bind_parts *parts, const sn_progress *progress, sn_error *error) {
    const sn_mesh *mesh = rest->surfaces[surface].mesh;
    sn_status status = SN_OK;
    parts->muscles = sni_arena_alloc(&parts->arena, plan->muscle_count, sizeof *parts->muscles);
    parts->colliders =
        sni_arena_alloc(&parts->arena, plan->collider_count, sizeof *parts->colliders);
    if (parts->muscles == NULL || parts->colliders == NULL) {
        return sni_fail_memory(error);
    }
    find_muscles(rest, surface, plan, parts->muscles);
    for (uint32_t i = 0; i < plan->collider_count; ++i) {
        parts->colliders[i] = rest->surfaces[plan->colliders[i]].mesh;
    }
    SN_TRY(find_pins(plan, mesh, parts, error));
    SN_TRY(find_components(rest, plan, parts, progress, error));
    SN_TRY(sni_poses_make(rest->character, plan, mesh, &parts->arena, &parts->poses, error));
    SN_TRY(sni_point_weights_make(rest->context, plan, mesh, &parts->weights, error));
cleanup:
    return status;
}

static sni_bind_job job_of(const sni_rest *rest, uint32_t surface, const sni_deformer_plan *plan,
                           const bind_parts *parts, const sn_progress *progress) {
    const sni_rest_surface *detail = &rest->details[surface];
    return (sni_bind_job){
        .context = rest->context,
        .mesh = rest->surfaces[surface].mesh,
        .mesh_digest = detail->digest,
        .store = rest->store,
        .parameters = plan->parameters,
        .skeleton = sni_rig_skeleton(rest->rig),
        .rest_worlds = rest->worlds,
        .bone_segments = plan->ops->uses_weights ? detail->bone_segments : NULL,
        .target_controls = plan->ops->uses_targets ? detail->target_controls : NULL,
        .driver_mesh = plan->driver != SN_NONE ? rest->surfaces[plan->driver].mesh : NULL,
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

// --- Bindings

static void destroy_binding(sn_context *context, sni_made *made) {
    sni_binding *binding = (sni_binding *)made;
    if (binding->bound != NULL) {
        binding->ops->unbind(context, binding->bound);
    }
    sni_free(context, binding->weights);
    sni_free(context, binding->component_numbers);
    sni_free(context, binding);
}

static sn_status fill_binding(sni_rest *rest, uint32_t surface, const sni_deformer_plan *plan,
                              sni_binding *binding, const sn_progress *progress, sn_error *error) {
    sn_status status = SN_OK;
    bind_parts parts = {0};
    sni_arena_init(&parts.arena, rest->context);
    SN_TRY(make_parts(rest, surface, plan, &parts, progress, error));
    sni_bind_job job = job_of(rest, surface, plan, &parts, progress);
    SN_TRY(sni_bind_job_validate(plan->ops, &job, error));
    binding->component_count = parts.component_count;
    binding->component_numbers =
        sni_copy(rest->context, parts.component_numbers, parts.component_count, sizeof(uint32_t));
    SN_TRY(binding->component_numbers != NULL ? SN_OK : sni_fail_memory(error));
    SN_TRY(plan->ops->bind(&job, &binding->bound, error));
    if (!plan->ops->uses_point_weights) {
        binding->weights = parts.weights;
        parts.weights = NULL;
    }
cleanup:
    sni_free(rest->context, parts.weights);
    sni_arena_deinit(&parts.arena);
    return status;
}

static sn_status make_binding(sni_rest *rest, uint32_t surface, const sni_deformer_plan *plan,
                              const sni_digest *digest, const sn_progress *progress,
                              sni_binding **binding, sn_error *error) {
    sni_binding *made = sni_alloc_zero(rest->context, 1, sizeof *made);
    if (made == NULL) {
        return sni_fail_memory(error);
    }
    made->ops = plan->ops;
    sni_made_init(&made->made, digest, destroy_binding);
    sn_status status = fill_binding(rest, surface, plan, made, progress, error);
    if (status == SN_OK) {
        status = sni_store_add(rest->store, &made->made, error);
    }
    sni_made_release(rest->context, &made->made); // the store holds it
    *binding = status == SN_OK ? made : NULL;
    return status;
}

static sn_status find_or_make(sni_rest *rest, uint32_t surface, const sni_deformer_plan *plan,
                              const sn_progress *progress, sni_binding **binding, sn_error *error) {
    sni_digest digest;
    sni_made *found = NULL;
    sn_status status = SN_OK;
    SN_TRY(find_digest(rest, surface, plan, &digest, error));
    SN_TRY(sni_store_find(rest->store, &digest, &found, error));
    *binding = (sni_binding *)found;
    if (found == NULL) {
        SN_TRY(make_binding(rest, surface, plan, &digest, progress, binding, error));
    }
cleanup:
    return status;
}

// The surfaces that a deformer hangs on, of those that its plan lists.
static sn_status list_components(const sni_deformer_plan *plan, sn_context *context,
                                 sni_bound_deformer *deformer, const sni_binding *binding,
                                 sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW(context, deformer->components, binding->component_count);
    deformer->component_count = binding->component_count;
    for (uint32_t i = 0; i < binding->component_count; ++i) {
        deformer->components[i] = plan->components[binding->component_numbers[i]];
    }
cleanup:
    return status;
}

sn_status sni_deformer_bind(sni_rest *rest, uint32_t surface, const sni_deformer_plan *plan,
                            sni_bound_deformer *deformer, const sn_progress *progress,
                            sn_error *error) {
    sni_binding *binding = NULL;
    sn_status status = SN_OK;
    *deformer = (sni_bound_deformer){.ops = plan->ops,
                                     .driver = plan->driver,
                                     .muscle_count = plan->muscle_count,
                                     .muscles = plan->muscles,
                                     .pose_count = plan->pose_count,
                                     .poses = plan->poses,
                                     .collider_count = plan->collider_count,
                                     .colliders = plan->colliders};
    SN_TRY(find_or_make(rest, surface, plan, progress, &binding, error));
    SN_TRY(list_components(plan, rest->context, deformer, binding, error));
    deformer->bound = binding->bound;
    deformer->weights = binding->weights;
cleanup:
    return plan->value != NULL ? sni_at_value(status, plan->value, error) : status;
}
