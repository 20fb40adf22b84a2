// SPDX-License-Identifier: Apache-2.0
#include "eval/muscles.h"

#include "base/context.h"
#include "character/character.h"
#include "character/inner.h"
#include "character/schema.h"

#include <math.h>

void sni_skin_search_free(sn_context *context, sni_skin_search *search) {
    sn_triangles_destroy(search->triangles);
    sn_accel_destroy(search->accel);
    sni_free(context, search->normals);
    sni_free(context, search->bone_segments);
    sni_inner_deinit(&search->inner);
    sni_inner_deinit(&search->limbs);
    *search = (sni_skin_search){0};
}

sn_status sni_skin_search_make(sn_context *context, const sn_mesh *mesh, sni_skin_search *search,
                               sn_error *error) {
    sn_status status = SN_OK;
    sn_vec3 low, high;
    if (search->accel != NULL) {
        return SN_OK;
    }
    sn_mesh_bounds(mesh, &low, &high);
    search->size = sn_vec3_distance(low, high);
    SN_TRY(sn_triangles_create(mesh, mesh->positions, &search->triangles, error));
    SNI_NEW(context, search->normals, 3 * (size_t)mesh->vertex_count);
    SN_TRY(sn_mesh_normals(mesh, mesh->positions, search->normals, error));
    SN_TRY(sn_accel_create(context, mesh->positions, mesh->vertex_count,
                           search->triangles->vertices, search->triangles->count, &search->accel,
                           error));
cleanup:
    if (status != SN_OK) {
        sni_skin_search_free(context, search);
    }
    return status;
}

static sn_vec3 vector_of(const sn_value *value) {
    return sn_vec3_make(sn_value_at(value, 0)->as.number, sn_value_at(value, 1)->as.number,
                        sn_value_at(value, 2)->as.number);
}

// Puts the points of a curve onto the skin.
static sn_status place_curve(const sni_skin_search *search, const sn_value *points,
                             sni_skin_place *places, sn_error *error) {
    for (uint32_t i = 0; i < sn_value_count(points); ++i) {
        const sn_value *point = sn_value_at(points, i);
        sn_closest closest;
        sn_accel_find_closest(search->accel, vector_of(point), INFINITY, &closest);
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

static sn_status decode_values(sni_arena *arena, const sn_value *list, sni_muscle_values *values,
                               sn_error *error) {
    values->count = sn_value_count(list);
    sni_muscle_value *made = sni_arena_alloc(arena, values->count, sizeof *made);
    if (made == NULL) {
        return sni_fail_memory(error);
    }
    for (uint32_t i = 0; i < values->count; ++i) {
        sn_vec3 v = vector_of(sn_value_at(list, i));
        made[i] = (sni_muscle_value){.u = v.x, .v = v.y, .factor = v.z};
    }
    values->values = made;
    return SN_OK;
}

static sn_status place_curves(sni_arena *arena, const sni_skin_search *search,
                              const sn_value *curves, sni_muscle_job *job, sn_error *error) {
    job->curve_count = sn_value_count(curves);
    sni_muscle_curve *made = sni_arena_alloc(arena, job->curve_count, sizeof *made);
    for (uint32_t i = 0; i < job->curve_count && made != NULL; ++i) {
        const sn_value *points = sn_value_at(curves, i);
        sni_skin_place *places = sni_arena_alloc(arena, sn_value_count(points), sizeof *places);
        if (places == NULL) {
            return sni_fail_memory(error);
        }
        sn_status status = place_curve(search, points, places, error);
        if (status != SN_OK) {
            return status;
        }
        made[i] = (sni_muscle_curve){.count = sn_value_count(points), .places = places};
    }
    job->curves = made;
    return made != NULL ? SN_OK : sni_fail_memory(error);
}

// The segments of a skin's weights: those that its `blend` knows, else those of the bones' names.
// Only a muscle that no segment carries needs them.
static sn_status find_bones(const sni_muscles_desc *desc, const sni_muscle_plan *plan,
                            sni_skin_search *search, const uint32_t **segments, sn_error *error) {
    const sni_muscle_skin *skin = &desc->skins[plan->skin];
    const sn_weights *weights = skin->mesh->weights;
    sn_status status = SN_OK;
    *segments = skin->bone_segments != NULL ? skin->bone_segments : search->bone_segments;
    if (*segments != NULL || weights == NULL || plan->segment != SN_NONE) {
        return SN_OK;
    }
    uint32_t *found = NULL;
    SNI_NEW(desc->context, found, weights->bone_count);
    for (uint32_t bone = 0; bone < weights->bone_count; ++bone) {
        const char *name = weights->bone_names[bone];
        found[bone] = sni_name_index_find(&desc->blueprint->names[SNI_SECTION_SKELETON], name);
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
    sni_free(desc->context, found);
    return status;
}

// What a muscle lies on; NULL where its depth is a number.
static sn_status find_inner(const sni_muscles_desc *desc, const sni_muscle_plan *plan,
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
        status = sni_inner_from_skeleton(desc->context, sni_rig_skeleton(desc->blueprint->rig),
                                         desc->skins[plan->skin].mesh, bone_segments, inner, error);
    } else if (inner->view.name == NULL) {
        const sni_surface_plan *surface = &desc->blueprint->surfaces[plan->inner];
        const sn_mat4 *place =
            surface->in_segment_frame ? &desc->rest_worlds[surface->segment] : NULL;
        status = sni_inner_from_mesh(desc->context, surface->name, desc->skins[plan->inner].mesh,
                                     place, inner, error);
    }
    *view = &inner->view;
    return sni_at_value(status, sn_value_get(plan->value, "depth_from"), error);
}

// Makes a muscle from its job, and its mesh.
static sn_status bind_job(const sni_muscles_desc *desc, const sni_muscle_plan *plan,
                          const sni_muscle_job *job, sni_bound_muscle *muscle, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(sni_muscle_job_validate(plan->ops, job, error));
    SN_TRY(plan->ops->bind(job, &muscle->bound, error));
    muscle->ops = plan->ops;
    muscle->contraction = plan->contraction;
    muscle->tension = plan->tension;
    muscle->activation = plan->activation;
    plan->ops->surface(muscle->bound, &muscle->surface);
    muscle->point_count = muscle->surface.point_count;
    SN_TRY(plan->ops->emit_surface(muscle->bound, desc->context, SNI_MUSCLE_STEPS, &muscle->mesh,
                                   error));
cleanup:
    return status;
}

static sn_status make_gaps(const sni_muscles_desc *desc, uint32_t count, sni_bound_muscle *muscle,
                           sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW(desc->context, muscle->gaps, count);
    muscle->gap_count = count;
cleanup:
    return status;
}

static sni_muscle_job body_job(const sni_muscles_desc *desc, const sni_muscle_plan *plan) {
    return (sni_muscle_job){.context = desc->context,
                            .name = plan->name,
                            .parameters = plan->parameters,
                            .segment = SN_NONE,
                            .segment_count = sni_rig_skeleton(desc->blueprint->rig)->segment_count,
                            .rest_worlds = desc->rest_worlds};
}

// A muscle between bones.
static sn_status bind_body(const sni_muscles_desc *desc, const sni_muscle_plan *plan,
                           sni_skin_search *searches, sni_arena *arena, sni_bound_muscle *muscle,
                           sn_error *error) {
    sni_muscle_body body;
    sni_muscle_job job = body_job(desc, plan);
    sn_status status = SN_OK;
    job.body = &body;
    SN_TRY(make_gaps(desc, 2 * plan->ops->attachments, muscle, error));
    SN_TRY(sni_muscle_body_make(desc, plan->name, plan->value, plan->ops->attachments, searches,
                                arena, &body, muscle->gaps, &muscle->pivots, error));
    SN_TRY(bind_job(desc, plan, &job, muscle, error));
cleanup:
    return sni_at_value(status, plan->value, error);
}

// A muscle that is a mesh of the document, on strips.
static sn_status bind_strips(const sni_muscles_desc *desc, const sni_muscle_plan *plan,
                             sni_skin_search *searches, sni_arena *arena, sni_bound_muscle *muscle,
                             sn_error *error) {
    sni_muscle_job job = body_job(desc, plan);
    sn_triangles *triangles = NULL;
    sn_status status = SN_OK;
    uint32_t places = 2 * plan->ops->attachments;
    sni_muscle_strip *strips = sni_arena_alloc(arena, plan->strip_count, sizeof *strips);
    SN_TRY(strips != NULL ? SN_OK : sni_fail_memory(error));
    SN_TRY(make_gaps(desc, places * plan->strip_count, muscle, error));
    for (uint32_t i = 0; i < plan->strip_count; ++i) {
        strips[i].parameters = plan->strips[i].parameters;
        status = sni_muscle_body_make(desc, plan->name, plan->strips[i].value,
                                      plan->ops->attachments, searches, arena, &strips[i].body,
                                      muscle->gaps + (size_t)places * i, &muscle->pivots, error);
        SN_TRY(sni_at_value(status, plan->strips[i].value, error));
    }
    SN_TRY(sni_character_mesh(desc->character, plan->value, plan->mesh, &job.mesh, error));
    SN_TRY(sn_triangles_create(job.mesh, job.mesh->positions, &triangles, error));
    job.triangles = triangles;
    job.strips = strips;
    job.strip_count = plan->strip_count;
    SN_TRY(bind_job(desc, plan, &job, muscle, error));
cleanup:
    sn_triangles_destroy(triangles);
    return sni_at_value(status, plan->value, error);
}

static sn_status bind_plan(const sni_muscles_desc *desc, const sni_muscle_plan *plan,
                           sni_skin_search *searches, sni_arena *arena, sni_bound_muscle *muscle,
                           sn_error *error) {
    const sni_skin_search *search = &searches[plan->skin];
    const sni_muscle_skin *skin = &desc->skins[plan->skin];
    const sn_value *center = sn_value_get(plan->value, "center");
    const sn_value *vary = sn_value_get(plan->value, "vary");
    sn_vec3 center_point = center != NULL ? vector_of(center) : sn_vec3_make(0, 0, 0);
    sni_muscle_job job = {.context = desc->context,
                          .name = plan->name,
                          .parameters = plan->parameters,
                          .mesh = skin->mesh,
                          .triangles = search->triangles,
                          .accel = search->accel,
                          .normals = search->normals,
                          .center = center != NULL ? &center_point : NULL,
                          .segment = plan->segment,
                          .segment_count = sni_rig_skeleton(desc->blueprint->rig)->segment_count,
                          .rest_worlds = desc->rest_worlds};
    sn_status status = SN_OK;
    SN_TRY(place_curves(arena, search, sn_value_get(plan->value, "curves"), &job, error));
    SN_TRY(find_bones(desc, plan, &searches[plan->skin], &job.bone_segments, error));
    SN_TRY(find_inner(desc, plan, searches, job.bone_segments, &job.inner, error));
    SN_TRY(decode_values(arena, sn_value_get(vary, "bulge"), &job.bulge, error));
    SN_TRY(decode_values(arena, sn_value_get(vary, "thickness"), &job.thickness, error));
    SN_TRY(decode_values(arena, sn_value_get(vary, "contraction"), &job.contraction, error));
    SN_TRY(bind_job(desc, plan, &job, muscle, error));
cleanup:
    return sni_at_value(status, plan->value, error);
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
            sn_value_string(sn_value_get(plan->value, "depth_from"), ""));
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

sn_status sni_muscle_bind(const sni_muscles_desc *desc, const sni_muscle_plan *plan,
                          sni_skin_search *searches, sni_bound_muscle *muscle, sn_error *error) {
    sni_arena arena;
    sni_arena_init(&arena, desc->context);
    sn_status status = SN_OK;
    if (plan->ops->has_strips) {
        status = bind_strips(desc, plan, searches, &arena, muscle, error);
    } else if (plan->ops->attachments > 0) {
        status = bind_body(desc, plan, searches, &arena, muscle, error);
    } else {
        status = sni_skin_search_make(desc->context, desc->skins[plan->skin].mesh,
                                      &searches[plan->skin], error);
        if (status == SN_OK) {
            status = bind_plan(desc, plan, searches, &arena, muscle, error);
        }
    }
    sni_arena_deinit(&arena);
    if (status == SN_OK) {
        report_making(desc->context, plan, muscle);
    }
    return status;
}

sn_status sni_muscles_bind(const sni_muscles_desc *desc, sni_bound_muscle *muscles,
                           sn_error *error) {
    const sni_blueprint *blueprint = desc->blueprint;
    sn_status status = SN_OK;
    sni_skin_search *searches = NULL;
    SNI_NEW_ZERO(desc->context, searches, blueprint->surface_count);
    for (uint32_t i = 0; i < blueprint->muscle_count; ++i) {
        const sni_muscle_plan *plan = &blueprint->muscles[i];
        if (plan->on_extracted != desc->on_extracted) {
            continue;
        }
        SN_TRY(sni_progress(desc->progress, "making muscles", (double)i / blueprint->muscle_count,
                            error));
        SN_TRY(sni_muscle_bind(desc, plan, searches, &muscles[i], error));
    }
cleanup:
    for (uint32_t i = 0; searches != NULL && i < blueprint->surface_count; ++i) {
        sni_skin_search_free(desc->context, &searches[i]);
    }
    sni_free(desc->context, searches);
    return status;
}

void sni_muscles_unbind(sn_context *context, sni_bound_muscle *muscles, uint32_t count) {
    for (uint32_t i = 0; muscles != NULL && i < count; ++i) {
        if (muscles[i].bound != NULL) {
            muscles[i].ops->unbind(context, muscles[i].bound);
        }
        sn_mesh_destroy(muscles[i].mesh);
        sni_free(context, muscles[i].gaps);
        sni_posed_pivots_deinit(context, &muscles[i].pivots);
    }
}
