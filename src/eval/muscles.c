// SPDX-License-Identifier: Apache-2.0
#include "eval/rest.h"

#include "base/context.h"
#include "character/character.h"
#include "character/schema/schema.h"

#include <math.h>

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

// Puts the points of a curve onto the skin.
static sn_status place_curve(const sni_skin_search *search, const sni_curve_plan *curve,
                             sni_skin_place *places, sn_error *error) {
    for (uint32_t i = 0; i < curve->count; ++i) {
        const sn_value *point = sn_value_at(curve->value, i);
        sn_closest closest;
        sn_accel_find_closest(search->accel, curve->points[i], INFINITY, &closest);
        if (closest.triangle == SN_NONE) {
            return sni_fail_value(error, point, SN_INVALID, "the skin has no surface");
        }
        if (closest.distance > SNI_SKIN_SNAP * search->size) {
            return sni_fail_value(error, point, SN_INVALID,
                                  "the point is %.4g m away from the skin", closest.distance);
        }
        places[i] = (sni_skin_place){.triangle = closest.triangle,
                                     .barycentric = {closest.barycentric[0], closest.barycentric[1],
                                                     closest.barycentric[2]}};
    }
    return SN_OK;
}

static sn_status place_curves(sni_arena *arena, const sni_skin_search *search,
                              const sni_muscle_plan *plan, sni_muscle_job *job, sn_error *error) {
    sni_muscle_curve *made = sni_arena_alloc(arena, plan->curve_count, sizeof *made);
    job->curve_count = plan->curve_count;
    for (uint32_t i = 0; i < job->curve_count && made != NULL; ++i) {
        const sni_curve_plan *curve = &plan->curves[i];
        sni_skin_place *places = sni_arena_alloc(arena, curve->count, sizeof *places);
        if (places == NULL) {
            return sni_fail_memory(error);
        }
        sn_status status = place_curve(search, curve, places, error);
        if (status != SN_OK) {
            return status;
        }
        made[i] = (sni_muscle_curve){.count = curve->count, .places = places};
    }
    job->curves = made;
    return made != NULL ? SN_OK : sni_fail_memory(error);
}

// The segments of a skin's weights: those that its `blend` knows, else those of the bones' names.
// Only a muscle that no segment carries needs them.
static sn_status find_bones(const sni_rest *rest, const sni_muscle_plan *plan,
                            sni_skin_search *search, const uint32_t **segments, sn_error *error) {
    const sn_weights *weights = rest->surfaces[plan->skin].mesh->weights;
    const uint32_t *known = rest->details[plan->skin].bone_segments;
    sn_status status = SN_OK;
    *segments = known != NULL ? known : search->bone_segments;
    if (*segments != NULL || weights == NULL || plan->segment != SN_NONE) {
        return SN_OK;
    }
    uint32_t *found = NULL;
    SNI_NEW(rest->context, found, weights->bone_count);
    for (uint32_t bone = 0; bone < weights->bone_count; ++bone) {
        const char *name = weights->bone_names[bone];
        found[bone] = sni_name_index_find(&rest->blueprint->names[SNI_SECTION_SKELETON], name);
        if (found[bone] == SN_NONE) {
            SN_TRY(sni_fail_value(error, plan->value, SN_INVALID,
                                  "the skin has weights for \"%s\", which is no segment; say which "
                                  "\"segment\" carries the muscle",
                                  name));
        }
    }
    *segments = search->bone_segments = found;
    found = NULL;
cleanup:
    sni_free(rest->context, found);
    return status;
}

// What a muscle lies on; NULL where its depth is a number.
static sn_status find_inner(const sni_rest *rest, const sni_muscle_plan *plan,
                            sni_skin_search *searches, const uint32_t *bone_segments,
                            const sni_muscle_inner **view, sn_error *error) {
    sni_inner *inner = plan->on_skeleton        ? &searches[plan->skin].limbs
                       : plan->inner != SN_NONE ? &searches[plan->inner].inner
                                                : NULL;
    sn_status status = SN_OK;
    *view = NULL;
    if (inner == NULL) {
        return SN_OK;
    }
    if (inner->view.name == NULL && plan->on_skeleton) {
        status =
            sni_inner_from_skeleton(rest->context, sni_rig_skeleton(rest->rig),
                                    rest->surfaces[plan->skin].mesh, bone_segments, inner, error);
    } else if (inner->view.name == NULL) {
        const sn_surface *surface = &rest->surfaces[plan->inner];
        const sn_mat4 *place = surface->in_segment_frame ? &rest->worlds[surface->segment] : NULL;
        status =
            sni_inner_from_mesh(rest->context, surface->name, surface->mesh, place, inner, error);
    }
    *view = &inner->view;
    return sni_at_value(status, plan->depth_from, error);
}

// Makes a muscle from its job, and its mesh.
static sn_status bind_job(sni_rest *rest, const sni_muscle_plan *plan, sni_muscle_job *job,
                          sni_arena *arena, sni_bound_muscle *muscle, sn_error *error) {
    sni_collecting collecting = {.rest = rest, .surface = SN_NONE, .arena = arena};
    sn_status status = SN_OK;
    SN_TRY(sni_inputs_collect(&collecting, plan->ops->inputs, plan->inputs, job->inputs,
                              muscle->kept, error));
    SN_TRY(sni_muscle_job_validate(plan->ops, job, error));
    SN_TRY(plan->ops->bind(job, &muscle->bound, error));
    muscle->ops = plan->ops;
    plan->ops->surface(muscle->bound, &muscle->surface);
    muscle->point_count = muscle->surface.point_count;
    SN_TRY(plan->ops->emit_surface(muscle->bound, job->context, SNI_MUSCLE_STEPS, &muscle->mesh,
                                   error));
cleanup:
    return status;
}

static sn_status make_gaps(const sni_rest *rest, uint32_t count, sni_bound_muscle *muscle,
                           sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW(rest->context, muscle->gaps, count);
    muscle->gap_count = count;
cleanup:
    return status;
}

static sni_muscle_job body_job(const sni_rest *rest, const sni_muscle_plan *plan) {
    return (sni_muscle_job){.context = rest->context,
                            .name = plan->name,
                            .parameters = plan->parameters,
                            .segment = SN_NONE,
                            .segment_count = sni_rig_skeleton(rest->rig)->segment_count,
                            .rest_worlds = rest->worlds};
}

// A muscle between bones.
static sn_status bind_body(sni_rest *rest, const sni_muscle_plan *plan, sni_skin_search *searches,
                           sni_arena *arena, sni_bound_muscle *muscle, sn_error *error) {
    sni_muscle_body body;
    sni_muscle_job job = body_job(rest, plan);
    sn_status status = SN_OK;
    job.body = &body;
    SN_TRY(make_gaps(rest, 2 * plan->ops->attachments, muscle, error));
    SN_TRY(sni_muscle_body_make(rest, plan->name, plan->body, searches, arena, &body, muscle->gaps,
                                error));
    SN_TRY(bind_job(rest, plan, &job, arena, muscle, error));
cleanup:
    return sni_at_value(status, plan->value, error);
}

// A muscle that is a mesh of the document, on strips.
static sn_status bind_strips(sni_rest *rest, const sni_muscle_plan *plan, sni_skin_search *searches,
                             sni_arena *arena, sni_bound_muscle *muscle, sn_error *error) {
    sni_muscle_job job = body_job(rest, plan);
    sn_triangles *triangles = NULL;
    sn_status status = SN_OK;
    uint32_t places = 2 * plan->ops->attachments;
    sni_muscle_strip *strips = sni_arena_alloc(arena, plan->strip_count, sizeof *strips);
    SN_TRY(strips != NULL ? SN_OK : sni_fail_memory(error));
    SN_TRY(make_gaps(rest, places * plan->strip_count, muscle, error));
    for (uint32_t i = 0; i < plan->strip_count; ++i) {
        const sni_muscle_body_plan *body = &plan->strips[i].body;
        strips[i].parameters = plan->strips[i].parameters;
        status = sni_muscle_body_make(rest, plan->name, body, searches, arena, &strips[i].body,
                                      muscle->gaps + (size_t)places * i, error);
        SN_TRY(sni_at_value(status, body->value, error));
    }
    SN_TRY(sni_character_mesh(rest->character, plan->value, plan->mesh, &job.mesh, error));
    SN_TRY(sn_triangles_create(job.mesh, job.mesh->positions, &triangles, error));
    job.triangles = triangles;
    job.strips = strips;
    job.strip_count = plan->strip_count;
    SN_TRY(bind_job(rest, plan, &job, arena, muscle, error));
cleanup:
    sn_triangles_destroy(triangles);
    return sni_at_value(status, plan->value, error);
}

// A muscle that is drawn on a skin.
static sn_status bind_drawn(sni_rest *rest, const sni_muscle_plan *plan, sni_skin_search *searches,
                            sni_arena *arena, sni_bound_muscle *muscle, sn_error *error) {
    sni_skin_search *search = &searches[plan->skin];
    const sn_mesh *mesh = rest->surfaces[plan->skin].mesh;
    sni_muscle_job job = body_job(rest, plan);
    sn_status status = sni_skin_search_make(rest, plan->skin, search, error);
    if (status != SN_OK) {
        return status;
    }
    job.mesh = mesh;
    job.triangles = search->triangles;
    job.accel = search->accel;
    job.normals = search->normals;
    job.center = plan->has_center ? &plan->center : NULL;
    job.segment = plan->segment;
    job.bulge = plan->bulge;
    job.thickness = plan->thickness;
    job.contraction = plan->shortening;
    SN_TRY(place_curves(arena, search, plan, &job, error));
    SN_TRY(find_bones(rest, plan, search, &job.bone_segments, error));
    SN_TRY(find_inner(rest, plan, searches, job.bone_segments, &job.inner, error));
    SN_TRY(bind_job(rest, plan, &job, arena, muscle, error));
cleanup:
    return sni_at_value(status, plan->value, error);
}

// A muscle of inputs alone.
static sn_status bind_alone(sni_rest *rest, const sni_muscle_plan *plan, sni_arena *arena,
                            sni_bound_muscle *muscle, sn_error *error) {
    sni_muscle_job job = body_job(rest, plan);
    return sni_at_value(bind_job(rest, plan, &job, arena, muscle, error), plan->value, error);
}

static void report_making(sn_context *context, const sni_muscle_plan *plan,
                          const sni_bound_muscle *muscle) {
    sni_muscle_measure measure;
    plan->ops->measure(muscle->bound, NULL, &measure);
    if (measure.without_inner > 0) {
        sni_log(
            context, SN_LOG_WARNING, "muscle",
            "%s: %u of %u grid points have nothing of \"%s\" below them and are as deep as their "
            "neighbours",
            plan->name, measure.without_inner, measure.grid_points,
            sn_value_string(plan->depth_from, ""));
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
    sni_free(context, muscle->gaps);
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
    sn_status status =
        plan->ops->has_strips        ? bind_strips(rest, plan, searches, &arena, muscle, error)
        : plan->ops->attachments > 0 ? bind_body(rest, plan, searches, &arena, muscle, error)
        : plan->ops->drawn           ? bind_drawn(rest, plan, searches, &arena, muscle, error)
                                     : bind_alone(rest, plan, &arena, muscle, error);
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
