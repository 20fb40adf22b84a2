// SPDX-License-Identifier: Apache-2.0
//
// Meshes, sizes and landmarks of the document that is made.
#include "character/transfer/transfer_internal.h"

#include "base/file.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Meshes

// A name for a file: letters, digits and a few signs; others become underscores.
static void file_name(const char *name, const char *extension, char *out, size_t size) {
    size_t length = 0;
    for (; *name != 0 && length + strlen(extension) + 1 < size && length < 120; ++name) {
        bool plain = isalnum((unsigned char)*name) || *name == '.' || *name == '-';
        out[length++] = (char)(plain ? *name : '_');
    }
    snprintf(out + length, size - length, "%s", extension);
}

// A mesh with weights is written with the skeleton that its bones are names of.
static sn_status export_mesh(sni_document_transfer *t, const sn_mesh *mesh, const char *path,
                             sn_error *error) {
    if (mesh->weights == NULL) {
        return sn_export_mesh(mesh, path, error);
    }
    const uint32_t none = SN_NONE;
    sn_export_skinned_desc desc = sn_export_skinned_desc_default();
    desc.mesh_count = 1;
    desc.meshes = &mesh;
    desc.mesh_segments = &none;
    desc.skeleton = &t->blueprint->skeleton;
    return sn_export_skinned(t->context, path, &desc, error);
}

static sn_status write_mesh(sni_document_transfer *t, const char *name, const sn_mesh *mesh,
                            sn_value *entry, sn_error *error) {
    sn_status status = SN_OK;
    char file[160], path[SN_FILE_PATH_BYTES];
    char *relative = NULL;
    file_name(name, mesh->weights != NULL ? ".glb" : ".obj", file, sizeof file);
    if (snprintf(path, sizeof path, "%s/%s", t->desc->folder, file) >= (int)sizeof path) {
        SN_TRY(sni_fail(error, SN_LIMIT, "the path \"%s\" is too long", t->desc->folder));
    }
    SN_TRY(export_mesh(t, mesh, path, error));
    relative = sni_path_relative(t->context, t->document_path, path);
    if (relative == NULL || sn_json_add_string(t->json, entry, "file", relative) == NULL) {
        SN_TRY(sni_fail_memory(error));
    }
cleanup:
    sni_free(t->context, relative);
    return status;
}

sn_status sni_transfer_keep_mesh(sni_document_transfer *t, const char *name, sn_mesh *mesh,
                                 sn_value *entry, sn_error *error) {
    sn_status status = SN_OK;
    if (t->desc->folder != NULL) {
        status = write_mesh(t, name, mesh, entry, error);
        sn_mesh_destroy(mesh);
        return status;
    }
    if (!sni_grow_by_one(t->context, &t->new_meshes, t->new_mesh_count, sizeof *t->new_meshes) ||
        !sni_grow_by_one(t->context, &t->new_names, t->new_mesh_count, sizeof *t->new_names)) {
        sn_mesh_destroy(mesh);
        return sni_fail_memory(error);
    }
    t->new_names[t->new_mesh_count] = name;
    t->new_meshes[t->new_mesh_count++] = mesh;
    return SN_OK;
}

// The moved mesh in its frame, without what holds for its old shape.
static sn_status make_moved(sni_document_transfer *t, uint32_t p, sn_mesh **made, sn_error *error) {
    const sni_document_part *part = &t->parts[p];
    sn_mat4 back = sn_mat4_identity();
    sn_status status = sn_mesh_copy(part->mesh, made, error);
    if (status != SN_OK) {
        return status;
    }
    if (part->segment != SN_NONE) {
        sn_mat4_invert(&t->new_rest[part->segment], &back);
    }
    for (uint32_t v = 0; v < part->mesh->vertex_count; ++v) {
        sn_vec3 at = sn_vec3_load(t->moved->parts[p].positions + 3 * (size_t)v);
        sn_vec3_store(sn_mat4_point(&back, at), (*made)->positions + 3 * (size_t)v);
    }
    for (uint32_t i = 0; i < (*made)->attribute_count; ++i) {
        sn_attribute *attribute = &(*made)->attributes[i];
        if (strcmp(attribute->name, "normal") == 0 && attribute->corner == NULL) {
            status = sn_mesh_normals(*made, (*made)->positions, attribute->values, error);
        }
    }
    return status;
}

// An eye that is an ellipsoid of the document.
static void write_ball(sni_document_transfer *t, uint32_t p) {
    const sni_document_part *part = &t->parts[p];
    sn_vec3 middle = {0, 0, 0};
    sn_mat4 back;
    for (uint32_t v = 0; v < part->mesh->vertex_count; ++v) {
        sn_vec3 at = sn_vec3_load(t->moved->parts[p].positions + 3 * (size_t)v);
        middle = sn_vec3_add_scaled(middle, 1.0 / part->mesh->vertex_count, at);
    }
    if (part->segment != SN_NONE && sn_mat4_invert(&t->new_rest[part->segment], &back)) {
        middle = sn_mat4_point(&back, middle);
    }
    const double numbers[3] = {middle.x, middle.y, middle.z};
    sn_json_add_numbers(t->json, part->ball, "center", numbers, 3);
    const sn_value *radii = sn_value_get(part->ball, "radii");
    for (uint32_t k = 0; k < sn_value_count(radii); ++k) {
        ((sn_value *)sn_value_at(radii, k))->as.number *= t->moved->parts[p].scale;
    }
}

sn_status sni_transfer_write_meshes(sni_document_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    sn_value *meshes = (sn_value *)sn_value_get(t->root, "meshes");
    sn_mesh *mesh = NULL;
    for (uint32_t p = 0; p < t->part_count; ++p) {
        if (t->parts[p].ball != NULL) {
            write_ball(t, p);
        }
        if (t->parts[p].mesh_name == NULL) {
            continue;
        }
        SN_TRY(make_moved(t, p, &mesh, error));
        sn_value *entry = sn_json_add_object(t->json, meshes, t->parts[p].mesh_name);
        sn_mesh *kept = mesh;
        mesh = NULL;
        if (entry == NULL) {
            sn_mesh_destroy(kept);
            SN_TRY(sni_fail_memory(error));
        }
        SN_TRY(sni_transfer_keep_mesh(t, entry->key, kept, entry, error));
    }
cleanup:
    sn_mesh_destroy(mesh);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Landmarks

static uint32_t nearest_vertex(const sn_mesh *mesh, sn_vec3 point) {
    uint32_t nearest = 0;
    double least = INFINITY;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        double distance = sn_vec3_distance(sn_vec3_load(mesh->positions + 3 * (size_t)v), point);
        if (distance < least) {
            least = distance;
            nearest = v;
        }
    }
    return nearest;
}

// The segment of the skull's bone that is nearest to a point.
static uint32_t bone_segment(const sni_document_transfer *t, sn_vec3 point) {
    uint32_t found = SN_NONE;
    double least = INFINITY;
    for (uint32_t p = 0; p < t->part_count; ++p) {
        if (t->parts[p].role != SN_HEAD_BONE) {
            continue;
        }
        const sn_mesh *mesh = t->parts[p].world != NULL ? t->parts[p].world : t->parts[p].mesh;
        uint32_t v = nearest_vertex(mesh, point);
        double distance = sn_vec3_distance(sn_vec3_load(mesh->positions + 3 * (size_t)v), point);
        uint32_t surface = sni_find_surface(t->blueprint, t->parts[p].name);
        if (distance < least && surface != SN_NONE) {
            least = distance;
            found = t->blueprint->surfaces[surface].segment;
        }
    }
    return found;
}

static sn_status add_on_skin(sni_document_transfer *t, sn_value *map, const sn_landmark *l,
                             sn_error *error) {
    uint32_t vertex = l->vertex != SN_NONE ? l->vertex : nearest_vertex(t->head, l->skin);
    sn_value *object = sn_json_add_object(t->json, map, l->name);
    return object != NULL && sn_json_add_string(t->json, object, "mesh", t->skin_mesh) != NULL &&
                   sn_json_add_number(t->json, object, "vertex", vertex) != NULL
               ? SN_OK
               : sni_fail_memory(error);
}

// A landmark on bones that the document did not have: "gonion bone.L".
static sn_status add_on_bone(sni_document_transfer *t, sn_value *map, const sn_landmark *l,
                             uint32_t number, sn_error *error) {
    char name[300];
    size_t length = strlen(l->name), side = length > 2 && l->name[length - 2] == '.' ? 2 : 0;
    snprintf(name, sizeof name, "%.*s bone%.2s", (int)fmin(length - side, 250), l->name,
             l->name + length - side);
    uint32_t segment = bone_segment(t, l->bone);
    sn_mat4 back;
    if (segment == SN_NONE || sn_value_get(map, name) != NULL) {
        return SN_OK; // one of the document was moved with its places, or with its mesh
    }
    sn_mat4_invert(&t->new_rest[segment], &back);
    sn_vec3 at = sn_mat4_point(&back, sni_transfer_moved(t, SNI_PART_DOCUMENT, number));
    const double numbers[3] = {at.x, at.y, at.z};
    sn_value *object = sn_json_add_object(t->json, map, name);
    return object != NULL &&
                   sn_json_add_string(t->json, object, "segment",
                                      t->blueprint->skeleton.segments[segment].name) != NULL &&
                   sn_json_add_numbers(t->json, object, "position", numbers, 3) != NULL
               ? SN_OK
               : sni_fail_memory(error);
}

// Other landmarks on vertices of the source's skin: at the nearest vertex of where they went.
static sn_status move_vertices(sni_document_transfer *t, uint32_t first, sn_error *error) {
    uint32_t number = first;
    const sn_value *map = sn_value_get(t->root, "landmarks");
    (void)error;
    for (uint32_t i = 0; i < t->blueprint->landmark_count; ++i) {
        const sni_landmark_plan *plan = &t->blueprint->landmarks[i];
        if (t->skin == NULL || plan->segment != SN_NONE || strcmp(plan->mesh, t->skin_mesh) != 0) {
            continue;
        }
        uint32_t vertex =
            nearest_vertex(t->head, sni_transfer_moved(t, SNI_PART_DOCUMENT, number++));
        sn_value *value = (sn_value *)sn_value_get(sn_value_get(map, plan->name), "vertex");
        if (value != NULL) {
            value->as.number = vertex;
        }
    }
    return SN_OK;
}

sn_status sni_transfer_write_landmarks(sni_document_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    sn_value *map = (sn_value *)sn_value_get(t->root, "landmarks");
    if (map == NULL) {
        map = sn_json_add_object(t->json, t->root, "landmarks");
    }
    if (map == NULL) {
        return sni_fail_memory(error);
    }
    SN_TRY(move_vertices(t, t->first_landmark_point + t->landmarks->count, error));
    for (uint32_t i = 0; i < t->landmarks->count; ++i) {
        const sn_landmark *l = &t->landmarks->items[i];
        const sn_landmark *on_head = sn_landmarks_find(t->head_landmarks, l->name);
        if (on_head != NULL) {
            SN_TRY(add_on_skin(t, map, on_head, error));
        }
        if (l->on_bone) {
            SN_TRY(add_on_bone(t, map, l, t->first_landmark_point + i, error));
        }
    }
cleanup:
    return status;
}
