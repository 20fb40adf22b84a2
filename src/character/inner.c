// SPDX-License-Identifier: Apache-2.0
#include "character/inner.h"

#include "motion/limbs.h"
#include "motion/skeleton.h"

#include <stdio.h>

sn_status sni_inner_from_mesh(sn_context *context, const char *name, const sn_mesh *mesh,
                              const sn_mat4 *place, sni_inner *inner, sn_error *error) {
    sn_status status = SN_OK;
    *inner = (sni_inner){.context = context};
    snprintf(inner->name, sizeof inner->name, "\"%s\"", name);
    SNI_NEW(context, inner->positions, 3 * (size_t)mesh->vertex_count);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        sn_vec3 p = sn_vec3_load(mesh->positions + 3 * (size_t)v);
        sn_vec3_store(place != NULL ? sn_mat4_point(place, p) : p,
                      inner->positions + 3 * (size_t)v);
    }
    SN_TRY(sn_triangles_create(mesh, mesh->positions, &inner->triangles, error));
    SN_TRY(sn_accel_create(context, inner->positions, mesh->vertex_count,
                           inner->triangles->vertices, inner->triangles->count, &inner->accel,
                           error));
    inner->view = (sni_muscle_inner){.name = inner->name,
                                     .positions = inner->positions,
                                     .vertices = inner->triangles->vertices,
                                     .accel = inner->accel};
    return SN_OK;
cleanup:
    sni_inner_deinit(inner);
    return status;
}

// The names of the segments that a skin's weights stand for.
static sn_status list_segments(sn_context *context, const sn_skeleton *skeleton,
                               const sn_weights *weights, const uint32_t *bone_segments,
                               const char ***names, uint32_t *count, sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW(context, *names, weights->bone_count);
    for (uint32_t bone = 0; bone < weights->bone_count; ++bone) {
        uint32_t segment = bone_segments != NULL
                               ? bone_segments[bone]
                               : sni_skeleton_find(skeleton, weights->bone_names[bone]);
        if (segment != SN_NONE) {
            (*names)[(*count)++] = skeleton->segments[segment].name;
        }
    }
cleanup:
    return status;
}

sn_status sni_inner_from_skeleton(sn_context *context, const sn_skeleton *skeleton,
                                  const sn_mesh *skin, const uint32_t *bone_segments,
                                  sni_inner *inner, sn_error *error) {
    sn_status status = SN_OK;
    const char **names = NULL;
    uint32_t count = 0;
    sni_limbs limbs = {.context = context};
    *inner = (sni_inner){.context = context, .name = "the skeleton"};
    if (skin->weights != NULL) {
        SN_TRY(
            list_segments(context, skeleton, skin->weights, bone_segments, &names, &count, error));
    }
    sni_limbs_desc desc = {.skeleton = skeleton,
                           .meshes = &skin,
                           .mesh_count = count > 0,
                           .segments = count > 0 ? names : NULL,
                           .segment_count = count};
    SN_TRY(sni_limbs_init(context, &desc, &limbs, error));
    SNI_NEW(context, inner->lines, 2 * (size_t)limbs.line_count);
    for (uint32_t i = 0; i < limbs.line_count; ++i) {
        inner->lines[2 * i] = limbs.lines[i].from;
        inner->lines[2 * i + 1] = limbs.lines[i].to;
    }
    inner->view = (sni_muscle_inner){
        .name = inner->name, .line_count = limbs.line_count, .lines = inner->lines};
cleanup:
    sni_limbs_deinit(&limbs);
    sni_free(context, names);
    if (status != SN_OK) {
        sni_inner_deinit(inner);
    }
    return status;
}

void sni_inner_deinit(sni_inner *inner) {
    if (inner->context != NULL) {
        sni_free(inner->context, inner->positions);
        sn_triangles_destroy(inner->triangles);
        sn_accel_destroy(inner->accel);
        sni_free(inner->context, inner->lines);
    }
    *inner = (sni_inner){0};
}
