// SPDX-License-Identifier: Apache-2.0
#include "sinew/mesh.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

sn_status sn_mesh_create(sn_context *context, const char *name, uint32_t vertex_count,
                         uint32_t face_count, uint32_t corner_count, sn_mesh **mesh,
                         sn_error *error) {
    sn_status status = SN_OK;
    sn_mesh *made = NULL;
    *mesh = NULL;
    SNI_NEW_ZERO(context, made, 1);
    made->context = context;
    made->vertex_count = vertex_count;
    made->face_count = face_count;
    made->corner_count = corner_count;
    made->name = sni_string_copy(context, name);
    if (made->name == NULL) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    SNI_NEW(context, made->positions, (size_t)vertex_count * 3);
    SNI_NEW(context, made->face_offsets, (size_t)face_count + 1);
    SNI_NEW(context, made->corners, corner_count);
    made->face_offsets[0] = 0;
    made->face_offsets[face_count] = corner_count;
    *mesh = made;
    return SN_OK;
cleanup:
    sn_mesh_destroy(made);
    return status;
}

static void free_weights(sn_context *context, sn_weights *weights) {
    if (weights == NULL) {
        return;
    }
    for (uint32_t i = 0; weights->bone_names != NULL && i < weights->bone_count; ++i) {
        sni_free(context, weights->bone_names[i]);
    }
    sni_free(context, weights->bone_names);
    sni_free(context, weights->inverse_bind);
    sni_free(context, weights->offsets);
    sni_free(context, weights->bones);
    sni_free(context, weights->values);
    sni_free(context, weights);
}

void sn_mesh_destroy(sn_mesh *mesh) {
    if (mesh == NULL) {
        return;
    }
    sn_context *context = mesh->context;
    for (uint32_t i = 0; i < mesh->attribute_count; ++i) {
        sni_free(context, mesh->attributes[i].name);
        sni_free(context, mesh->attributes[i].values);
        sni_free(context, mesh->attributes[i].corner);
    }
    for (uint32_t i = 0; i < mesh->target_count; ++i) {
        sni_free(context, mesh->targets[i].name);
        sni_free(context, mesh->targets[i].vertices);
        sni_free(context, mesh->targets[i].offsets);
    }
    for (uint32_t i = 0; i < mesh->run_count; ++i) {
        sni_free(context, mesh->runs[i].name);
    }
    for (uint32_t i = 0; i < mesh->material_count; ++i) {
        sni_free(context, mesh->materials[i].name);
        sni_free(context, mesh->materials[i].image_type);
        sni_free(context, mesh->materials[i].image_bytes);
    }
    free_weights(context, mesh->weights);
    sni_free(context, mesh->attributes);
    sni_free(context, mesh->targets);
    sni_free(context, mesh->runs);
    sni_free(context, mesh->materials);
    sni_free(context, mesh->positions);
    sni_free(context, mesh->face_offsets);
    sni_free(context, mesh->corners);
    sni_free(context, mesh->name);
    sni_free(context, mesh);
}

sn_status sn_mesh_add_attribute(sn_mesh *mesh, const char *name, uint32_t width, uint32_t count,
                                bool per_corner, sn_attribute **attribute, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = mesh->context;
    sn_attribute made = {.width = width, .count = count};
    made.name = sni_string_copy(context, name);
    size_t value_count;
    if (made.name == NULL || !sni_size_multiply(count, width, &value_count)) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    SNI_NEW(context, made.values, value_count);
    if (per_corner) {
        SNI_NEW(context, made.corner, mesh->corner_count);
    }
    if (!sni_grow_by_one(context, &mesh->attributes, mesh->attribute_count,
                         sizeof *mesh->attributes)) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    mesh->attributes[mesh->attribute_count] = made;
    *attribute = &mesh->attributes[mesh->attribute_count++];
    return SN_OK;
cleanup:
    sni_free(context, made.name);
    sni_free(context, made.values);
    sni_free(context, made.corner);
    return status;
}

const sn_attribute *sn_mesh_find_attribute(const sn_mesh *mesh, const char *name) {
    for (uint32_t i = 0; i < mesh->attribute_count; ++i) {
        if (strcmp(mesh->attributes[i].name, name) == 0) {
            return &mesh->attributes[i];
        }
    }
    return NULL;
}

sn_status sn_mesh_set_weights(sn_mesh *mesh, uint32_t bone_count, uint32_t value_count,
                              bool with_inverse_bind, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = mesh->context;
    sn_weights *weights = NULL;
    SNI_NEW_ZERO(context, weights, 1);
    weights->bone_count = bone_count;
    SNI_NEW_ZERO(context, weights->bone_names, bone_count);
    if (with_inverse_bind) {
        SNI_NEW(context, weights->inverse_bind, bone_count);
    }
    SNI_NEW_ZERO(context, weights->offsets, (size_t)mesh->vertex_count + 1);
    SNI_NEW(context, weights->bones, value_count);
    SNI_NEW(context, weights->values, value_count);
    weights->offsets[mesh->vertex_count] = value_count;
    free_weights(context, mesh->weights);
    mesh->weights = weights;
    return SN_OK;
cleanup:
    free_weights(context, weights);
    return status;
}

void sn_mesh_clear_weights(sn_mesh *mesh) {
    free_weights(mesh->context, mesh->weights);
    mesh->weights = NULL;
}

sn_status sn_mesh_name_bone(sn_mesh *mesh, uint32_t bone, const char *name, sn_error *error) {
    SN_ASSERT(mesh->weights != NULL && bone < mesh->weights->bone_count);
    char *copy = sni_string_copy(mesh->context, name);
    if (copy == NULL) {
        return sni_fail_memory(error);
    }
    sni_free(mesh->context, mesh->weights->bone_names[bone]);
    mesh->weights->bone_names[bone] = copy;
    return SN_OK;
}

sn_status sn_mesh_add_target(sn_mesh *mesh, const char *name, uint32_t count, bool sparse,
                             sn_target **target, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = mesh->context;
    sn_target made = {.count = count};
    made.name = sni_string_copy(context, name);
    if (made.name == NULL) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    SNI_NEW(context, made.offsets, (size_t)count * 3);
    if (sparse) {
        SNI_NEW(context, made.vertices, count);
    }
    if (!sni_grow_by_one(context, &mesh->targets, mesh->target_count, sizeof *mesh->targets)) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    mesh->targets[mesh->target_count] = made;
    *target = &mesh->targets[mesh->target_count++];
    return SN_OK;
cleanup:
    sni_free(context, made.name);
    sni_free(context, made.offsets);
    sni_free(context, made.vertices);
    return status;
}

sn_status sn_mesh_add_run(sn_mesh *mesh, sn_run_kind kind, uint32_t first_face, const char *name,
                          sn_error *error) {
    sn_run made = {.kind = kind, .first_face = first_face};
    made.name = sni_string_copy(mesh->context, name);
    if (made.name == NULL ||
        !sni_grow_by_one(mesh->context, &mesh->runs, mesh->run_count, sizeof *mesh->runs)) {
        sni_free(mesh->context, made.name);
        return sni_fail_memory(error);
    }
    mesh->runs[mesh->run_count++] = made;
    return SN_OK;
}

sn_status sn_mesh_add_material(sn_mesh *mesh, const char *name, sn_material **material,
                               sn_error *error) {
    sn_material made = {.base_color = {0.8f, 0.8f, 0.8f, 1},
                        .roughness = 0.8f,
                        .image_placement.scale = {1, 1},
                        .alpha_cutoff = 0.5f};
    made.name = sni_string_copy(mesh->context, name);
    if (made.name == NULL || !sni_grow_by_one(mesh->context, &mesh->materials, mesh->material_count,
                                              sizeof *mesh->materials)) {
        sni_free(mesh->context, made.name);
        return sni_fail_memory(error);
    }
    mesh->materials[mesh->material_count] = made;
    *material = &mesh->materials[mesh->material_count++];
    return SN_OK;
}

void sn_mesh_bounds(const sn_mesh *mesh, sn_vec3 *low, sn_vec3 *high) {
    *low = *high = mesh->vertex_count > 0 ? sn_vec3_load(mesh->positions) : sn_vec3_make(0, 0, 0);
    for (uint32_t i = 1; i < mesh->vertex_count; ++i) {
        sn_vec3 p = sn_vec3_load(mesh->positions + 3 * (size_t)i);
        *low = sn_vec3_min(*low, p);
        *high = sn_vec3_max(*high, p);
    }
}
