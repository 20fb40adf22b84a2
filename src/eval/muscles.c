// SPDX-License-Identifier: Apache-2.0
#include "eval/rest.h"

#include "base/context.h"
#include "character/schema/schema.h"

static void destroy_search(sn_context *context, sni_made *made) {
    sni_surface_search *search = (sni_surface_search *)made;
    sn_triangles_destroy(search->triangles);
    sn_accel_destroy(search->accel);
    sni_free(context, search->normals);
    sni_free(context, search);
}

static sn_status make_search(sn_context *context, const sn_mesh *mesh, const sni_digest *digest,
                             sni_surface_search **made, sn_error *error) {
    sni_surface_search *search = NULL;
    sn_status status = SN_OK;
    sn_vec3 low, high;
    SNI_NEW_ZERO(context, search, 1);
    sni_made_init(&search->made, digest, destroy_search);
    sn_mesh_bounds(mesh, &low, &high);
    search->size = sn_vec3_distance(low, high);
    SN_TRY(sn_triangles_create(mesh, mesh->positions, &search->triangles, error));
    SNI_NEW(context, search->normals, 3 * (size_t)mesh->vertex_count);
    SN_TRY(sn_mesh_normals(mesh, mesh->positions, search->normals, error));
    SN_TRY(sn_accel_create(context, mesh->positions, mesh->vertex_count,
                           search->triangles->vertices, search->triangles->count, &search->accel,
                           error));
    *made = search;
    search = NULL;
cleanup:
    if (search != NULL) {
        sni_made_release(context, &search->made);
    }
    return status;
}

// Found, or made; one holder more.
static sn_status hold_search(sni_rest *rest, uint32_t surface, sni_surface_search **held,
                             sn_error *error) {
    sni_digest digest = sni_digest_new();
    sni_made *found = NULL;
    sn_status status = SN_OK;
    sni_digest_add_text(&digest, "search");
    sni_digest_add_digest(&digest, &rest->details[surface].digest);
    SN_TRY(sni_store_find(rest->store, &digest, &found, error));
    if (found != NULL) {
        sni_made_hold(found);
        *held = (sni_surface_search *)found;
        return SN_OK;
    }
    SN_TRY(make_search(rest->context, rest->surfaces[surface].mesh, &digest, held, error));
    // A first model is mostly the only one; whoever makes a second one edits, and makes more.
    if (rest->store->before != NULL) {
        SN_TRY(sni_store_add(rest->store, &(*held)->made, error));
    }
cleanup:
    return status;
}

sn_status sni_skin_search_make(sni_rest *rest, uint32_t surface, sni_skin_search *search,
                               sn_error *error) {
    sn_status status =
        search->held == NULL ? hold_search(rest, surface, &search->held, error) : SN_OK;
    if (status == SN_OK) {
        search->triangles = search->held->triangles;
        search->accel = search->held->accel;
        search->normals = search->held->normals;
        search->size = search->held->size;
    }
    return status;
}

static void free_search(sn_context *context, sni_skin_search *search) {
    if (search->held != NULL) {
        sni_made_release(context, &search->held->made);
    }
    sni_free(context, search->bone_segments);
    sni_inner_deinit(&search->inner);
    sni_inner_deinit(&search->limbs);
    *search = (sni_skin_search){0};
}

// Makes a muscle from its inputs, and its mesh.
static sn_status bind_muscle(const sni_collecting *collecting, const sni_muscle_plan *plan,
                             sni_bound_muscle *muscle, sn_error *error) {
    const sni_rest *rest = collecting->rest;
    sni_muscle_job job = {.context = rest->context,
                          .name = plan->name,
                          .parameters = plan->parameters,
                          .segment_count = sni_rig_skeleton(rest->rig)->segment_count,
                          .rest_worlds = rest->worlds};
    sn_status status = SN_OK;
    SN_TRY(sni_inputs_collect(collecting, plan->ops->inputs, plan->inputs, job.inputs, muscle->kept,
                              error));
    SN_TRY(sni_muscle_job_validate(plan->ops, &job, error));
    SN_TRY(plan->ops->bind(&job, &muscle->bound, error));
    muscle->ops = plan->ops;
    plan->ops->surface(muscle->bound, &muscle->surface);
    muscle->point_count = muscle->surface.point_count;
    SN_TRY(plan->ops->emit_surface(muscle->bound, job.context, SNI_MUSCLE_STEPS, &muscle->mesh,
                                   error));
cleanup:
    return sni_at_value(status, plan->value, error);
}

static void report_making(sn_context *context, const sni_muscle_plan *plan,
                          const sni_bound_muscle *muscle) {
    const sni_inner_plan *inner = sni_muscle_input(plan, &sni_input_inner);
    sni_muscle_measure measure;
    plan->ops->measure(muscle->bound, NULL, &measure);
    if (measure.without_inner > 0) {
        sni_log(
            context, SN_LOG_WARNING, "muscle",
            "%s: %u of %u grid points have nothing of \"%s\" below them and are as deep as their "
            "neighbours",
            plan->name, measure.without_inner, measure.grid_points,
            inner != NULL ? sn_value_string(inner->name, "") : "");
    }
    if (measure.folded > 0) {
        sni_log(
            context, SN_LOG_WARNING, "muscle",
            "%s: it is folded, as the skin is curved more strongly than it is deep; \"normals\": "
            "\"curves\" may help",
            plan->name);
    }
    if (measure.without_hit > 0 || measure.too_deep > 0) {
        sni_log(context, SN_LOG_WARNING, "muscle",
                "%s: of %u grid points %u have no skin above them, %u lie deeper than half the "
                "body's thickness",
                plan->name, measure.grid_points, measure.without_hit, measure.too_deep);
    }
}

static void destroy_muscle(sn_context *context, sni_made *made) {
    sni_bound_muscle *muscle = (sni_bound_muscle *)made;
    if (muscle->bound != NULL) {
        muscle->ops->unbind(context, muscle->bound);
    }
    sni_inputs_free(context, muscle->kept);
    sn_mesh_destroy(muscle->mesh);
    sni_free(context, muscle);
}

static sn_status make_muscle(sni_rest *rest, const sni_muscle_plan *plan, const sni_digest *digest,
                             sni_skin_search *searches, sni_bound_muscle **made, sn_error *error) {
    sni_bound_muscle *muscle = sni_alloc_zero(rest->context, 1, sizeof *muscle);
    if (muscle == NULL) {
        return sni_fail_memory(error);
    }
    sni_arena arena;
    sni_arena_init(&arena, rest->context);
    sni_made_init(&muscle->made, digest, destroy_muscle);
    sni_collecting collecting = {.rest = rest,
                                 .surface = SN_NONE,
                                 .name = plan->name,
                                 .arena = &arena,
                                 .searches = searches};
    sn_status status = bind_muscle(&collecting, plan, muscle, error);
    sni_arena_deinit(&arena);
    if (status == SN_OK) {
        report_making(rest->context, plan, muscle);
        *made = muscle;
    } else {
        sni_made_release(rest->context, &muscle->made);
    }
    return status;
}

// A muscle from the store, or made and put there. Its messages have its name, so that one of
// another name is another thing; what hangs on it does not mind.
static sn_status find_or_make(sni_rest *rest, uint32_t index, sni_skin_search *searches,
                              sn_error *error) {
    const sni_muscle_plan *plan = &rest->blueprint->muscles[index];
    sni_digest digest = rest->muscle_digests[index];
    sni_made *found = NULL;
    sni_bound_muscle *made = NULL;
    sn_status status = SN_OK;
    sni_digest_add_text(&digest, plan->name);
    SN_TRY(sni_store_find(rest->store, &digest, &found, error));
    if (found == NULL) {
        SN_TRY(make_muscle(rest, plan, &digest, searches, &made, error));
        made->surface.digest = rest->muscle_digests[index];
        SN_TRY(sni_store_add(rest->store, &made->made, error));
        found = &made->made;
    }
    rest->muscles[index] = (sni_bound_muscle *)found;
    rest->surfaces[rest->blueprint->surface_count + index].mesh = rest->muscles[index]->mesh;
cleanup:
    if (made != NULL) {
        sni_made_release(rest->context, &made->made); // the store holds it
    }
    return status;
}

sn_status sni_rest_make_muscles(sni_rest *rest, bool on_extracted, const sn_progress *progress,
                                sn_error *error) {
    const sni_blueprint *blueprint = rest->blueprint;
    sn_status status = SN_OK;
    sni_skin_search *searches = NULL;
    SNI_NEW_ZERO(rest->context, searches, blueprint->surface_count);
    for (uint32_t i = 0; i < blueprint->muscle_count; ++i) {
        if (blueprint->muscles[i].on_extracted == on_extracted) {
            SN_TRY(sni_progress(progress, "making muscles", (double)i / blueprint->muscle_count,
                                error));
            SN_TRY(find_or_make(rest, i, searches, error));
        }
    }
cleanup:
    for (uint32_t i = 0; searches != NULL && i < blueprint->surface_count; ++i) {
        free_search(rest->context, &searches[i]);
    }
    sni_free(rest->context, searches);
    return status;
}
