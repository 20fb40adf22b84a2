// SPDX-License-Identifier: Apache-2.0
//
// Deep copies of meshes. Parts are added through the same calls that a reader uses, so that a copy
// can grow like its original.
#include "sinew/mesh.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

static sn_status copy_attributes(const sn_mesh *mesh, sn_mesh *copy, sn_error *error) {
    for (uint32_t i = 0; i < mesh->attribute_count; ++i) {
        const sn_attribute *from = &mesh->attributes[i];
        sn_attribute *to;
        sn_status status = sn_mesh_add_attribute(copy, from->name, from->width, from->count,
                                                 from->corner != NULL, &to, error);
        if (status != SN_OK) {
            return status;
        }
        memcpy(to->values, from->values, (size_t)from->count * from->width * sizeof *to->values);
        if (from->corner != NULL) {
            memcpy(to->corner, from->corner, mesh->corner_count * sizeof *to->corner);
        }
    }
    return SN_OK;
}

static sn_status copy_weights(const sn_mesh *mesh, sn_mesh *copy, sn_error *error) {
    const sn_weights *from = mesh->weights;
    uint32_t value_count = from->offsets[mesh->vertex_count];
    sn_status status =
        sn_mesh_set_weights(copy, from->bone_count, value_count, from->inverse_bind != NULL, error);
    if (status != SN_OK) {
        return status;
    }
    sn_weights *to = copy->weights;
    for (uint32_t bone = 0; bone < from->bone_count; ++bone) {
        if (from->bone_names[bone] == NULL) {
            continue;
        }
        status = sn_mesh_name_bone(copy, bone, from->bone_names[bone], error);
        if (status != SN_OK) {
            return status;
        }
    }
    if (from->inverse_bind != NULL) {
        memcpy(to->inverse_bind, from->inverse_bind, from->bone_count * sizeof *to->inverse_bind);
    }
    memcpy(to->offsets, from->offsets, ((size_t)mesh->vertex_count + 1) * sizeof *to->offsets);
    memcpy(to->bones, from->bones, value_count * sizeof *to->bones);
    memcpy(to->values, from->values, value_count * sizeof *to->values);
    return SN_OK;
}

sn_status sn_mesh_copy_weights(sn_mesh *mesh, const sn_mesh *from, sn_error *error) {
    if (from->weights == NULL) {
        return sni_fail(error, SN_INVALID, "the mesh \"%s\" has no weights", from->name);
    }
    if (from->vertex_count != mesh->vertex_count) {
        return sni_fail(error, SN_INVALID,
                        "the mesh \"%s\" has %u vertices, and \"%s\", whose weights it should "
                        "take, %u",
                        mesh->name, mesh->vertex_count, from->name, from->vertex_count);
    }
    return copy_weights(from, mesh, error);
}

static sn_status copy_targets(const sn_mesh *mesh, sn_mesh *copy, sn_error *error) {
    for (uint32_t i = 0; i < mesh->target_count; ++i) {
        const sn_target *from = &mesh->targets[i];
        sn_target *to;
        sn_status status =
            sn_mesh_add_target(copy, from->name, from->count, from->vertices != NULL, &to, error);
        if (status != SN_OK) {
            return status;
        }
        to->weight = from->weight;
        memcpy(to->offsets, from->offsets, (size_t)from->count * 3 * sizeof *to->offsets);
        if (from->vertices != NULL) {
            memcpy(to->vertices, from->vertices, from->count * sizeof *to->vertices);
        }
    }
    return SN_OK;
}

static sn_status copy_material(const sn_material *from, sn_mesh *copy, sn_error *error) {
    sn_material *to;
    sn_status status = sn_mesh_add_material(copy, from->name, &to, error);
    if (status != SN_OK) {
        return status;
    }
    char *name = to->name;
    *to = *from;
    to->name = name;
    to->image_type = NULL;
    to->image_bytes = NULL;
    if (from->image_type == NULL) {
        return SN_OK;
    }
    to->image_type = sni_string_copy(copy->context, from->image_type);
    to->image_bytes = sni_copy(copy->context, from->image_bytes, from->image_size, 1);
    return to->image_type != NULL && to->image_bytes != NULL ? SN_OK : sni_fail_memory(error);
}

sn_status sn_mesh_copy(const sn_mesh *mesh, sn_mesh **copy, sn_error *error) {
    sn_status status = SN_OK;
    sn_mesh *made = NULL;
    *copy = NULL;
    SN_TRY(sn_mesh_create(mesh->context, mesh->name, mesh->vertex_count, mesh->face_count,
                          mesh->corner_count, &made, error));
    memcpy(made->positions, mesh->positions, (size_t)mesh->vertex_count * 3 * sizeof(float));
    memcpy(made->face_offsets, mesh->face_offsets,
           ((size_t)mesh->face_count + 1) * sizeof *made->face_offsets);
    memcpy(made->corners, mesh->corners, mesh->corner_count * sizeof *made->corners);
    SN_TRY(copy_attributes(mesh, made, error));
    if (mesh->weights != NULL) {
        SN_TRY(copy_weights(mesh, made, error));
    }
    SN_TRY(copy_targets(mesh, made, error));
    for (uint32_t i = 0; i < mesh->run_count; ++i) {
        const sn_run *run = &mesh->runs[i];
        SN_TRY(sn_mesh_add_run(made, run->kind, run->first_face, run->name, error));
    }
    for (uint32_t i = 0; i < mesh->material_count; ++i) {
        SN_TRY(copy_material(&mesh->materials[i], made, error));
    }
    *copy = made;
    return SN_OK;
cleanup:
    sn_mesh_destroy(made);
    return status;
}
