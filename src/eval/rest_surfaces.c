// SPDX-License-Identifier: Apache-2.0
//
// Bones, tissues and skins of a body: their meshes, what bones and tissues must be like, and which
// segments and controls the names in meshes stand for.
#include "eval/rest.h"

#include "base/context.h"
#include "character/character.h"
#include "character/schema/schema.h"
#include "character/surface_mesh.h"
#include "eval/points.h"
#include "geometry/closed.h"
#include "geometry/density.h"
#include "motion/skeleton.h"

#include <stdio.h>
#include <string.h>

static const sn_layer layers[] = {[SNI_SURFACE_SKIN] = SN_LAYER_SKIN,
                                  [SNI_SURFACE_BONE] = SN_LAYER_BONE,
                                  [SNI_SURFACE_TISSUE] = SN_LAYER_TISSUE};

// --- Meshes

static void destroy_mesh(sn_context *context, sni_made *made) {
    sni_made_mesh *mesh = (sni_made_mesh *)made;
    sn_mesh_destroy(mesh->mesh);
    sni_free(context, mesh->bone_segments);
    sni_free(context, mesh);
}

sn_status sni_made_mesh_new(sn_context *context, const sni_digest *digest, sni_made_mesh **made,
                            sn_error *error) {
    *made = sni_alloc_zero(context, 1, sizeof **made);
    if (*made == NULL) {
        return sni_fail_memory(error);
    }
    sni_made_init(&(*made)->made, digest, destroy_mesh);
    return SN_OK;
}

static bool is_ellipsoid(const sni_surface_plan *plan) {
    return plan->mesh == NULL && plan->tube.points == NULL;
}

static void add_shape(sni_digest *digest, const sni_surface_plan *plan) {
    const sni_tube *tube = &plan->tube;
    sni_digest_add_index(digest, tube->point_count);
    for (uint32_t i = 0; i < tube->point_count; ++i) {
        sni_digest_add_vector(digest, tube->points[i]);
    }
    sni_digest_add(digest, tube->radii, 2 * tube->point_count * sizeof *tube->radii);
    sni_digest_add_vector(digest, tube->side);
    sni_digest_add_number(digest, tube->cap);
    sni_digest_add_index(digest, tube->point_count > 0 ? tube->detail : plan->detail);
}

// What the mesh of a surface is made from. Meshes of files and from memory stay where they are for
// as long as the character lives.
static sn_status plan_mesh(sni_rest *rest, uint32_t index, sn_error *error) {
    const sni_surface_plan *plan = &rest->blueprint->surfaces[index];
    sni_rest_surface *detail = &rest->details[index];
    sn_surface *surface = &rest->surfaces[index];
    sn_status status = SN_OK;
    detail->unit = sni_surface_unit(plan, rest->segment_sizes);
    detail->digest = sni_digest_new();
    sni_digest_add_number(&detail->digest, detail->unit);
    if (plan->mesh != NULL) {
        SN_TRY(sni_character_mesh(rest->character, plan->value, plan->mesh, &surface->mesh, error));
        uintptr_t place = (uintptr_t)surface->mesh;
        sni_digest_add(&detail->digest, &place, sizeof place);
        return SN_OK;
    }
    if (is_ellipsoid(plan)) {
        detail->ellipsoid = sni_surface_ellipsoid(plan, detail->unit);
        sni_digest_add_matrix(&detail->digest, &detail->ellipsoid);
        surface->ellipsoid = &detail->ellipsoid;
    }
    add_shape(&detail->digest, plan);
cleanup:
    return status;
}

static sn_surface surface_of(const sni_surface_plan *plan) {
    return (sn_surface){.name = plan->name,
                        .layer = layers[plan->kind],
                        .look = (sn_look)plan->look,
                        .segment = plan->segment,
                        .in_segment_frame = plan->in_segment_frame,
                        .shown = plan->show,
                        .feature = plan->feature,
                        .density = plan->density};
}

// The mesh in metres, where it is not the character's own. It has the name of its surface, which
// files show, so that one of another name is another thing; what is made from it does not mind.
static sn_status make_mesh(sni_rest *rest, uint32_t index, sn_error *error) {
    const sni_surface_plan *plan = &rest->blueprint->surfaces[index];
    const sni_rest_surface *detail = &rest->details[index];
    sni_digest digest = detail->digest;
    sn_context *context = rest->context;
    sni_made *found = NULL;
    sni_made_mesh *made = NULL;
    const sn_mesh *mesh;
    sn_status status = SN_OK;
    if (plan->mesh != NULL && detail->unit == 1) {
        return SN_OK;
    }
    sni_digest_add_text(&digest, plan->name);
    SN_TRY(sni_store_find(rest->store, &digest, &found, error));
    if (found == NULL) {
        SN_TRY(sni_made_mesh_new(context, &digest, &made, error));
        SN_TRY(sni_surface_mesh(rest->character, plan, detail->unit, &mesh, &made->mesh, error));
        SN_TRY(sni_store_add(rest->store, &made->made, error));
        found = &made->made;
    }
    rest->surfaces[index].mesh = ((sni_made_mesh *)found)->mesh;
cleanup:
    if (made != NULL) {
        sni_made_release(context, &made->made);
    }
    return status;
}

// --- Closed surfaces

static sn_status check_mesh_closed(sn_context *context, const sn_mesh *mesh, sn_error *error) {
    sn_triangles *triangles = NULL;
    sn_status status = sn_triangles_create(mesh, mesh->positions, &triangles, error);
    if (status == SN_OK) {
        sni_solid solid = {.positions = mesh->positions,
                           .vertex_count = mesh->vertex_count,
                           .vertices = triangles->vertices,
                           .triangle_count = triangles->count};
        status = sni_solid_check(context, &solid, error);
    }
    sn_triangles_destroy(triangles);
    return status;
}

sn_status sni_rest_check_closed(const sni_rest *rest, uint32_t surface, sn_error *error) {
    const sni_surface_plan *plan = &rest->blueprint->surfaces[surface];
    const sni_rest_surface *detail = &rest->details[surface];
    sn_status status = SN_OK;
    if (!is_ellipsoid(plan)) {
        status = check_mesh_closed(rest->context, rest->surfaces[surface].mesh, error);
    } else {
        sni_solid solid = {.ellipsoid = detail->ellipsoid};
        status = sni_is_float_matrix(&detail->ellipsoid)
                     ? sni_solid_check(rest->context, &solid, error)
                     : sni_fail(error, SN_INVALID, "the ellipsoid is too large");
    }
    bool mirrored = plan->in_segment_frame && sn_mat4_determinant(&rest->worlds[plan->segment]) < 0;
    if (status == SN_OK && mirrored) {
        status = sni_fail(error, SN_INVALID,
                          "the segment \"%s\" is mirrored at rest (a negative scale), which turns "
                          "the surface inside out",
                          sni_rig_skeleton(rest->rig)->segments[plan->segment].name);
    }
    return sni_at_value(status, plan->value, error);
}

static void destroy_mark(sn_context *context, sni_made *made) {
    sni_free(context, made);
}

// That a surface was found to be closed is kept like what is made.
static sn_status check_closed_once(sni_rest *rest, uint32_t surface, sn_error *error) {
    sni_digest digest = sni_digest_new();
    sni_made *mark = NULL, *made = NULL;
    sn_status status = SN_OK;
    sni_digest_add_text(&digest, "closed");
    sni_digest_add_digest(&digest, &rest->digest);
    sni_digest_add_surface(&digest, rest, surface);
    SN_TRY(sni_store_find(rest->store, &digest, &mark, error));
    if (mark != NULL) {
        return SN_OK;
    }
    SN_TRY(sni_rest_check_closed(rest, surface, error));
    SNI_NEW(rest->context, made, 1);
    sni_made_init(made, &digest, destroy_mark);
    SN_TRY(sni_store_add(rest->store, made, error));
cleanup:
    sni_made_release(rest->context, made);
    return status;
}

// --- Names in meshes: bones of weights stand for segments, morph targets for controls

// What a name is mapped to, SN_NONE where it is not.
static uint32_t find_mapped(const sni_name_map *map, const char *name) {
    for (uint32_t i = 0; i < map->count; ++i) {
        if (strcmp(map->names[i].name, name) == 0) {
            return map->names[i].number;
        }
    }
    return SN_NONE;
}

static sn_status map_bones(const sni_rest *rest, const sni_deformer_plan *plan,
                           const sni_weights_plan *weights, const sn_mesh *mesh, uint32_t *segments,
                           sn_error *error) {
    const sni_name_index *names = &rest->blueprint->names[SNI_SECTION_SKELETON];
    for (uint32_t i = 0; i < mesh->weights->bone_count; ++i) {
        const char *bone = mesh->weights->bone_names[i];
        uint32_t mapped = find_mapped(&weights->bones, bone);
        segments[i] = mapped != SN_NONE ? mapped : sni_name_index_find(names, bone);
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

static void map_targets(const sni_rest *rest, const sni_targets_plan *plan, const sn_mesh *mesh,
                        uint32_t *controls) {
    for (uint32_t i = 0; i < mesh->target_count; ++i) {
        const char *target = mesh->targets[i].name;
        uint32_t mapped = find_mapped(&plan->targets, target);
        controls[i] = mapped != SN_NONE ? mapped : sni_rig_find_control(rest->rig, target);
    }
}

// Every name of `map` must be one of the mesh's, or a typing error would go unnoticed.
static sn_status check_mapped_names(sn_context *context, const sni_name_map *map, const char *what,
                                    const sn_mesh *mesh, const void *first_name, size_t stride,
                                    uint32_t count, sn_error *error) {
    sni_name_index names = {0};
    sn_status status = sni_name_index_init(context, &names, first_name, stride, count, error);
    for (uint32_t i = 0; i < map->count && status == SN_OK; ++i) {
        const sni_mapped_name *mapped = &map->names[i];
        if (sni_name_index_find(&names, mapped->name) != SN_NONE) {
            continue;
        }
        char hint[SNI_HINT_BYTES];
        sni_closest closest = sni_closest_to(mapped->name);
        for (uint32_t k = 0; k < names.count; ++k) {
            sni_closest_try(&closest, names.entries[k].name);
        }
        status =
            sni_fail_value(error, mapped->value, SN_INVALID, "the mesh \"%s\" has no %s \"%s\"%s",
                           mesh->name, what, mapped->name, sni_closest_hint(&closest, hint));
    }
    sni_name_index_deinit(context, &names);
    return status;
}

static sn_status check_bones(sn_context *context, const sni_weights_plan *plan, const sn_mesh *mesh,
                             sn_error *error) {
    return plan->bones.count > 0
               ? check_mapped_names(context, &plan->bones, "bone", mesh, mesh->weights->bone_names,
                                    sizeof *mesh->weights->bone_names, mesh->weights->bone_count,
                                    error)
               : SN_OK;
}

static sn_status check_targets(sn_context *context, const sni_targets_plan *plan,
                               const sn_mesh *mesh, sn_error *error) {
    const void *first = mesh->target_count > 0 ? &mesh->targets[0].name : NULL;
    return plan->targets.count > 0
               ? check_mapped_names(context, &plan->targets, "morph target", mesh, first,
                                    sizeof *mesh->targets, mesh->target_count, error)
               : SN_OK;
}

static sni_digest paint_digest(const sni_rest *rest, uint32_t surface,
                               const sni_weights_plan *plan) {
    const sn_skeleton *skeleton = sni_rig_skeleton(rest->rig);
    const sn_mesh *mesh = rest->surfaces[surface].mesh;
    const uint32_t *segments = rest->details[surface].bone_segments;
    sni_digest digest = rest->details[surface].digest;
    sni_digest_add_digest(&digest, &rest->digest);
    sni_digest_add(&digest, segments, mesh->weights->bone_count * sizeof *segments);
    for (uint32_t i = 0; i < plan->paint_count; ++i) {
        sni_digest_add_index(&digest, plan->paint[i].segment);
        sni_digest_add_text(&digest, skeleton->segments[plan->paint[i].segment].name);
        sni_digest_add_points(&digest, &plan->paint[i].points);
    }
    return digest;
}

static sn_status make_painted(const sni_rest *rest, uint32_t surface, const sni_weights_plan *plan,
                              const sni_digest *digest, sni_made_mesh **made, sn_error *error) {
    sni_paint_job job = {.context = rest->context,
                         .entry_count = plan->paint_count,
                         .entries = plan->paint,
                         .mesh = rest->surfaces[surface].mesh,
                         .bone_segments = rest->details[surface].bone_segments,
                         .skeleton = sni_rig_skeleton(rest->rig),
                         .rest_worlds = rest->worlds};
    sn_status status = sni_made_mesh_new(rest->context, digest, made, error);
    return status != SN_OK
               ? status
               : sni_paint_weights(&job, &(*made)->mesh, &(*made)->bone_segments, error);
}

// The skin's weights with what is painted over them: it then has a mesh of its own.
static sn_status paint(sni_rest *rest, uint32_t surface, const sni_weights_plan *plan,
                       sn_error *error) {
    sni_rest_surface *detail = &rest->details[surface];
    sni_digest digest = paint_digest(rest, surface, plan);
    sni_made *found = NULL;
    sni_made_mesh *made = NULL;
    uint32_t *segments = NULL;
    sn_status status = SN_OK;
    SN_TRY(sni_store_find(rest->store, &digest, &found, error));
    if (found == NULL) {
        SN_TRY(make_painted(rest, surface, plan, &digest, &made, error));
        SN_TRY(sni_store_add(rest->store, &made->made, error));
        found = &made->made;
    }
    const sni_made_mesh *painted = (const sni_made_mesh *)found;
    segments = sni_copy(rest->context, painted->bone_segments, painted->mesh->weights->bone_count,
                        sizeof *segments);
    SN_TRY(segments != NULL ? SN_OK : sni_fail_memory(error));
    sni_free(rest->context, detail->bone_segments);
    detail->bone_segments = segments;
    detail->digest = digest;
    rest->surfaces[surface].mesh = painted->mesh;
cleanup:
    if (made != NULL) {
        sni_made_release(rest->context, &made->made);
    }
    return status;
}

static bool needs_weights(const sni_deformer_ops *ops) {
    bool needed = false;
    for (uint32_t i = 0; i < SNI_INPUTS_MOST && ops->inputs[i].input != NULL; ++i) {
        needed = needed || (ops->inputs[i].input == &sni_input_weights && ops->inputs[i].needed);
    }
    return needed;
}

static sn_status use_weights(sni_rest *rest, uint32_t surface, const sni_deformer_plan *plan,
                             const sni_weights_plan *weights, sn_error *error) {
    const sn_mesh *mesh = rest->surfaces[surface].mesh;
    sni_rest_surface *detail = &rest->details[surface];
    sn_status status = SN_OK;
    if (mesh->weights == NULL && !needs_weights(plan->ops) && weights->bones.count == 0 &&
        weights->paint_count == 0) {
        return SN_OK;
    }
    if (mesh->weights == NULL) {
        return sni_fail_value(error, plan->value, SN_INVALID,
                              "the mesh \"%s\" has no weights for \"%s\"", mesh->name,
                              plan->ops->name);
    }
    SN_TRY(check_bones(rest->context, weights, mesh, error));
    sni_free(rest->context, detail->bone_segments);
    SNI_NEW(rest->context, detail->bone_segments, mesh->weights->bone_count);
    SN_TRY(map_bones(rest, plan, weights, mesh, detail->bone_segments, error));
    SN_TRY(weights->paint_count > 0 ? paint(rest, surface, weights, error) : SN_OK);
cleanup:
    return status;
}

static sn_status use_targets(sni_rest *rest, uint32_t surface, const sni_deformer_plan *plan,
                             const sni_targets_plan *targets, sn_error *error) {
    const sn_mesh *mesh = rest->surfaces[surface].mesh;
    sni_rest_surface *detail = &rest->details[surface];
    sn_status status = SN_OK;
    SN_TRY(check_targets(rest->context, targets, mesh, error));
    if (mesh->target_count == 0 && sni_deformer_input(plan, &sni_input_driver) == NULL &&
        sni_deformer_input(plan, &sni_input_poses) == NULL) {
        return sni_fail_value(error, plan->value, SN_INVALID,
                              "the mesh \"%s\" has no morph targets, and \"%s\" has no "
                              "\"driver_mesh\" and no \"poses\"",
                              mesh->name, plan->ops->name);
    }
    sni_free(rest->context, detail->target_controls);
    SNI_NEW(rest->context, detail->target_controls, mesh->target_count);
    map_targets(rest, targets, mesh, detail->target_controls);
cleanup:
    return status;
}

sn_status sni_rest_map_names(sni_rest *rest, uint32_t surface, const sni_deformer_plan *plan,
                             sn_error *error) {
    const sni_weights_plan *weights = sni_deformer_input(plan, &sni_input_weights);
    const sni_targets_plan *targets = sni_deformer_input(plan, &sni_input_targets);
    sn_status status = SN_OK;
    if (weights != NULL) {
        SN_TRY(use_weights(rest, surface, plan, weights, error));
    }
    if (targets != NULL) {
        SN_TRY(use_targets(rest, surface, plan, targets, error));
    }
    rest->surfaces[surface].bone_segments = rest->details[surface].bone_segments;
    rest->surfaces[surface].target_controls = rest->details[surface].target_controls;
cleanup:
    return status;
}

static sn_status map_all_names(sni_rest *rest, bool extracted, sn_error *error) {
    const sni_blueprint *blueprint = rest->blueprint;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < blueprint->surface_count; ++i) {
        const sni_surface_plan *plan = &blueprint->surfaces[i];
        for (uint32_t k = 0; k < plan->deformer_count && status == SN_OK; ++k) {
            if (extracted == (plan->extraction != SN_NONE)) {
                status = sni_rest_map_names(rest, i, &plan->deformers[k], error);
            }
        }
    }
    return status;
}

// --- Landmarks

// The mesh that a landmark stands on.
static sn_status landmark_mesh(const sni_rest *rest, const sni_landmark_plan *landmark,
                               uint32_t extraction, const sn_mesh **mesh, sn_error *error) {
    if (extraction != SN_NONE) {
        *mesh = rest->extracted[extraction];
        return SN_OK;
    }
    return sni_character_mesh(rest->character, landmark->value, landmark->mesh, mesh, error);
}

static sn_status check_landmarks(const sni_rest *rest, bool extracted, sn_error *error) {
    for (uint32_t i = 0; i < rest->blueprint->landmark_count; ++i) {
        const sni_landmark_plan *landmark = &rest->blueprint->landmarks[i];
        uint32_t extraction = landmark->segment == SN_NONE
                                  ? sni_find_extraction(rest->blueprint, landmark->mesh)
                                  : SN_NONE;
        const sn_mesh *mesh;
        if (landmark->segment != SN_NONE || extracted != (extraction != SN_NONE)) {
            continue;
        }
        sn_status status = landmark_mesh(rest, landmark, extraction, &mesh, error);
        if (status != SN_OK) {
            return status;
        }
        if (landmark->vertex >= mesh->vertex_count) {
            return sni_fail_value(error, landmark->vertex_value, SN_INVALID,
                                  "the mesh \"%s\" has %u vertices, there is no vertex %u",
                                  landmark->mesh, mesh->vertex_count, landmark->vertex);
        }
    }
    return SN_OK;
}

// --- All of them

sn_status sni_rest_plan_surfaces(sni_rest *rest, bool extracted, sn_error *error) {
    const sni_blueprint *blueprint = rest->blueprint;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < blueprint->surface_count; ++i) {
        const sni_surface_plan *plan = &blueprint->surfaces[i];
        if (extracted != (plan->extraction != SN_NONE)) {
            continue;
        }
        rest->surfaces[i] = surface_of(plan);
        if (extracted) {
            rest->details[i].unit = 1;
            rest->details[i].digest = rest->extractions[plan->extraction];
        } else {
            SN_TRY(plan_mesh(rest, i, error));
        }
    }
    SN_TRY(extracted ? SN_OK : map_all_names(rest, false, error));
cleanup:
    return status;
}

// A vertex of an ellipsoid or tube takes more than this in its mesh, its triangles and a frame.
static const double least_vertex_bytes = 100;

static double vertices_of(const sni_surface_plan *plan) {
    if (plan->mesh != NULL) {
        return 0;
    }
    double detail = is_ellipsoid(plan) ? plan->detail : plan->tube.detail;
    return is_ellipsoid(plan) ? 10 * detail * detail + 2
                              : (plan->tube.point_count + 1.0) * detail * detail;
}

// A few bytes of a document ask for many surfaces (`repeat`) of many vertices (`detail`). Whether
// all of them can fit is known before the first is made; the error is at the largest.
static sn_status check_made_room(const sni_rest *rest, sn_error *error) {
    double vertices = 0;
    uint32_t count = 0, largest = 0;
    for (uint32_t i = 0; i < rest->blueprint->surface_count; ++i) {
        const sni_surface_plan *plans = rest->blueprint->surfaces;
        count += plans[i].mesh == NULL;
        vertices += vertices_of(&plans[i]);
        largest = vertices_of(&plans[i]) > vertices_of(&plans[largest]) ? i : largest;
    }
    char what[96];
    snprintf(what, sizeof what, "%u ellipsoids and tubes with %.0f vertices", count, vertices);
    return count == 0 ? SN_OK
                      : sni_at_value(sni_check_room(rest->context, least_vertex_bytes * vertices,
                                                    what, error),
                                     rest->blueprint->surfaces[largest].value, error);
}

sn_status sni_rest_make_surfaces(sni_rest *rest, bool extracted, const sn_progress *progress,
                                 sn_error *error) {
    uint32_t count = rest->blueprint->surface_count;
    sn_status status = SN_OK;
    SN_TRY(extracted ? SN_OK : check_made_room(rest, error));
    for (uint32_t i = 0; i < count && !extracted; ++i) {
        SN_TRY(sni_progress(progress, "reading meshes", (double)i / count, error));
        if (rest->blueprint->surfaces[i].extraction == SN_NONE) {
            SN_TRY(make_mesh(rest, i, error));
            SN_TRY(rest->blueprint->surfaces[i].closed ? check_closed_once(rest, i, error) : SN_OK);
        }
    }
    SN_TRY(check_landmarks(rest, extracted, error));
    SN_TRY(extracted ? map_all_names(rest, true, error) : SN_OK);
cleanup:
    return status;
}
