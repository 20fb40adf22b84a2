// SPDX-License-Identifier: Apache-2.0
//
// Checks a mesh before anything relies on it. One function for each part of the mesh; the first
// fault found, in the order of the struct, is the one that is reported.
#include "sinew/mesh.h"

#include "base/error.h"
#include "geometry/finite.h"

static sn_status check_positions(const sn_mesh *mesh, sn_error *error) {
    if (mesh->name == NULL) {
        return sni_fail(error, SN_INVALID, "the mesh has no name");
    }
    if (mesh->positions == NULL || mesh->face_offsets == NULL || mesh->corners == NULL) {
        return sni_fail(error, SN_INVALID, "the mesh lacks positions, face offsets or corners");
    }
    size_t count = (size_t)mesh->vertex_count * 3;
    size_t bad = sni_find_not_finite(mesh->positions, count);
    if (bad < count) {
        return sni_fail(error, SN_INVALID, "vertex %zu has the %c coordinate %g", bad / 3,
                        "xyz"[bad % 3], mesh -> positions[bad]);
    }
    return SN_OK;
}

static sn_status check_corners(const sn_mesh *mesh, uint32_t face, sn_error *error) {
    for (uint32_t c = mesh->face_offsets[face]; c < mesh->face_offsets[face + 1]; ++c) {
        if (mesh->corners[c] >= mesh->vertex_count) {
            return sni_fail(error, SN_INVALID, "face %u uses vertex %u, but there are %u vertices",
                            face, mesh->corners[c], mesh->vertex_count);
        }
    }
    return SN_OK;
}

static sn_status check_faces(const sn_mesh *mesh, sn_error *error) {
    const uint32_t *offsets = mesh->face_offsets;
    if (offsets[0] != 0) {
        return sni_fail(error, SN_INVALID, "face 0 begins at corner %u", offsets[0]);
    }
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        if (offsets[f + 1] == offsets[f]) {
            return sni_fail(error, SN_INVALID, "face %u has no corners", f);
        }
        if (offsets[f + 1] < offsets[f] || offsets[f + 1] > mesh->corner_count) {
            return sni_fail(error, SN_INVALID,
                            "face %u has the corners from %u to %u, but there are %u corners", f,
                            offsets[f], offsets[f + 1], mesh->corner_count);
        }
        sn_status status = check_corners(mesh, f, error);
        if (status != SN_OK) {
            return status;
        }
    }
    if (offsets[mesh->face_count] != mesh->corner_count) {
        return sni_fail(error, SN_INVALID, "the faces have %u corners, but the mesh has %u",
                        offsets[mesh->face_count], mesh->corner_count);
    }
    return SN_OK;
}

static sn_status check_attribute(const sn_mesh *mesh, uint32_t index, sn_error *error) {
    const sn_attribute *attribute = &mesh->attributes[index];
    if (attribute->name == NULL || attribute->values == NULL) {
        return sni_fail(error, SN_INVALID, "attribute %u has no %s", index,
                        attribute->name == NULL ? "name" : "values");
    }
    if (attribute->width == 0) {
        return sni_fail(error, SN_INVALID, "attribute \"%s\" has the width 0", attribute->name);
    }
    if (attribute->corner == NULL && attribute->count != mesh->vertex_count) {
        return sni_fail(error, SN_INVALID, "attribute \"%s\" has %u values for %u vertices",
                        attribute->name, attribute->count, mesh->vertex_count);
    }
    size_t number_count = (size_t)attribute->count * attribute->width;
    size_t bad = sni_find_not_finite(attribute->values, number_count);
    if (bad < number_count) {
        return sni_fail(error, SN_INVALID,
                        "value %zu of attribute \"%s\" holds %g, which is not finite",
                        bad / attribute->width, attribute->name, attribute->values[bad]);
    }
    for (uint32_t c = 0; attribute->corner != NULL && c < mesh->corner_count; ++c) {
        uint32_t value = attribute->corner[c];
        if (value >= attribute->count && value != SN_NONE) {
            return sni_fail(error, SN_INVALID,
                            "corner %u uses value %u of attribute \"%s\", but there are %u values",
                            c, value, attribute->name, attribute->count);
        }
    }
    return SN_OK;
}

static sn_status check_bones(const sn_weights *weights, sn_error *error) {
    for (uint32_t bone = 0; bone < weights->bone_count; ++bone) {
        if (weights->bone_names[bone] == NULL) {
            return sni_fail(error, SN_INVALID, "bone %u has no name", bone);
        }
        for (int i = 0; weights->inverse_bind != NULL && i < 16; ++i) {
            double number = weights->inverse_bind[bone].m[i];
            if (!isfinite(number)) {
                return sni_fail(
                    error, SN_INVALID,
                    "the inverse bind matrix of bone %u (\"%s\") holds %g, which is not finite",
                    bone, weights->bone_names[bone], number);
            }
        }
    }
    return SN_OK;
}

static sn_status check_weight_row(const sn_weights *weights, uint32_t vertex, sn_error *error) {
    for (uint32_t i = weights->offsets[vertex]; i < weights->offsets[vertex + 1]; ++i) {
        if (weights->bones[i] >= weights->bone_count) {
            return sni_fail(error, SN_INVALID, "vertex %u hangs on bone %u, but there are %u bones",
                            vertex, weights->bones[i], weights->bone_count);
        }
        if (!(weights->values[i] >= 0) || !isfinite(weights->values[i])) {
            return sni_fail(error, SN_INVALID, "vertex %u has the weight %g on bone %u", vertex,
                            weights->values[i], weights->bones[i]);
        }
    }
    return SN_OK;
}

static sn_status check_weights(const sn_mesh *mesh, sn_error *error) {
    const sn_weights *weights = mesh->weights;
    if (weights == NULL) {
        return SN_OK;
    }
    sn_status status = check_bones(weights, error);
    if (status != SN_OK) {
        return status;
    }
    const uint32_t *offsets = weights->offsets;
    if (offsets[0] != 0) {
        return sni_fail(error, SN_INVALID, "the weights of vertex 0 begin at entry %u", offsets[0]);
    }
    uint32_t value_count = offsets[mesh->vertex_count];
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        if (offsets[v + 1] < offsets[v] || offsets[v + 1] > value_count) {
            return sni_fail(error, SN_INVALID,
                            "vertex %u has the weights from %u to %u, but there are %u weights", v,
                            offsets[v], offsets[v + 1], value_count);
        }
        status = check_weight_row(weights, v, error);
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

static sn_status check_target_vertices(const sn_mesh *mesh, const sn_target *target,
                                       sn_error *error) {
    if (target->vertices == NULL) {
        return target->count == mesh->vertex_count
                   ? SN_OK
                   : sni_fail(error, SN_INVALID, "target \"%s\" has %u offsets for %u vertices",
                              target->name, target->count, mesh->vertex_count);
    }
    for (uint32_t i = 0; i < target->count; ++i) {
        if (target->vertices[i] >= mesh->vertex_count) {
            return sni_fail(error, SN_INVALID,
                            "target \"%s\" moves vertex %u, but there are %u vertices",
                            target->name, target->vertices[i], mesh->vertex_count);
        }
        if (i > 0 && target->vertices[i] <= target->vertices[i - 1]) {
            return sni_fail(error, SN_INVALID, "target \"%s\" lists vertex %u after vertex %u",
                            target->name, target->vertices[i], target->vertices[i - 1]);
        }
    }
    return SN_OK;
}

static sn_status check_target(const sn_mesh *mesh, uint32_t index, sn_error *error) {
    const sn_target *target = &mesh->targets[index];
    if (target->name == NULL || target->offsets == NULL) {
        return sni_fail(error, SN_INVALID, "target %u has no %s", index,
                        target->name == NULL ? "name" : "offsets");
    }
    if (!isfinite(target->weight)) {
        return sni_fail(error, SN_INVALID, "target \"%s\" has the weight %g", target->name,
                        target->weight);
    }
    sn_status status = check_target_vertices(mesh, target, error);
    if (status != SN_OK) {
        return status;
    }
    size_t number_count = (size_t)target->count * 3;
    size_t bad = sni_find_not_finite(target->offsets, number_count);
    if (bad < number_count) {
        return sni_fail(error, SN_INVALID, "target \"%s\" moves vertex %u by %g in %c",
                        target->name,
                        target->vertices != NULL ? target->vertices[bad / 3] : (uint32_t)(bad / 3),
                        target->offsets[bad], "xyz"[bad % 3]);
    }
    return SN_OK;
}

static sn_status check_run(const sn_mesh *mesh, uint32_t index, sn_error *error) {
    const sn_run *run = &mesh->runs[index];
    if (run->name == NULL) {
        return sni_fail(error, SN_INVALID, "run %u has no name", index);
    }
    if ((unsigned)run->kind > SN_RUN_SMOOTHING) {
        return sni_fail(error, SN_INVALID, "run %u has the unknown kind %d", index, (int)run->kind);
    }
    // A statement at the end of a file holds for no face: first_face == face_count.
    if (run->first_face > mesh->face_count) {
        return sni_fail(error, SN_INVALID, "run %u (\"%s\") begins at face %u, but there are %u",
                        index, run->name, run->first_face, mesh->face_count);
    }
    if (index > 0 && run->first_face < mesh->runs[index - 1].first_face) {
        return sni_fail(error, SN_INVALID, "run %u begins at face %u, before run %u at face %u",
                        index, run->first_face, index - 1, mesh->runs[index - 1].first_face);
    }
    return SN_OK;
}

static sn_status check_material(const sn_mesh *mesh, uint32_t index, sn_error *error) {
    const sn_material *material = &mesh->materials[index];
    if (material->name == NULL) {
        return sni_fail(error, SN_INVALID, "material %u has no name", index);
    }
    const sn_image_placement *placement = &material->image_placement;
    float sum = material->metallic * 0.0f + material->roughness * 0.0f +
                material->alpha_cutoff * 0.0f + placement->rotation * 0.0f;
    for (int i = 0; i < 2; ++i) {
        sum += placement->offset[i] * 0.0f + placement->scale[i] * 0.0f;
    }
    for (int i = 0; i < 4; ++i) {
        sum += material->base_color[i] * 0.0f;
    }
    if (sum != 0) {
        return sni_fail(error, SN_INVALID, "material \"%s\" holds a number that is not finite",
                        material->name);
    }
    if ((unsigned)material->alpha_mode > SN_ALPHA_BLEND ||
        (unsigned)placement->wrap[0] > SN_IMAGE_CLAMP ||
        (unsigned)placement->wrap[1] > SN_IMAGE_CLAMP) {
        return sni_fail(error, SN_INVALID, "material \"%s\" has an unknown alpha mode or wrap",
                        material->name);
    }
    if ((material->image_type != NULL) != (material->image_bytes != NULL)) {
        return sni_fail(error, SN_INVALID, "material \"%s\" has an image without %s",
                        material->name, material->image_type == NULL ? "a type" : "bytes");
    }
    return SN_OK;
}

sn_status sn_mesh_validate(const sn_mesh *mesh, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(check_positions(mesh, error));
    SN_TRY(check_faces(mesh, error));
    for (uint32_t i = 0; i < mesh->attribute_count; ++i) {
        SN_TRY(check_attribute(mesh, i, error));
    }
    SN_TRY(check_weights(mesh, error));
    for (uint32_t i = 0; i < mesh->target_count; ++i) {
        SN_TRY(check_target(mesh, i, error));
    }
    for (uint32_t i = 0; i < mesh->run_count; ++i) {
        SN_TRY(check_run(mesh, i, error));
    }
    for (uint32_t i = 0; i < mesh->material_count; ++i) {
        SN_TRY(check_material(mesh, i, error));
    }
cleanup:
    return status;
}
