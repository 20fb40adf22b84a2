// SPDX-License-Identifier: Apache-2.0
//
// Meshes of a .glb. Vertices stay the mesh's own in number and order, since everything else
// (weights, morph targets, moving points) goes by them. What glTF cannot say per vertex is left out
// with a warning; polygons are written as triangles, one primitive for each material and each of
// points, lines and triangles.
#include "io/gltf/writer.h"

#include "base/context.h"
#include "sinew/geometry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Normals and tangents this near to unit length keep their bits.
static const double unit_tolerance = 1e-3;

static void warn(const sni_gltf_writer *writer, const sn_mesh *mesh, const char *attribute,
                 const char *reason) {
    sni_log(writer->context, SN_LOG_WARNING, "io",
            "mesh \"%s\": \"%s\" is left out of the .glb: %s", mesh->name, attribute, reason);
}

// ---------------------------------------------------------------------------------------------
// Attributes

// The kinds of attributes that glTF knows, in the order in which they are written.
typedef enum vertex_kind {
    KIND_NORMAL,
    KIND_TANGENT,
    KIND_UV,
    KIND_COLOR,
    KIND_OTHER,
} vertex_kind;

// Splits "uv3" into its kind and number.
static vertex_kind attribute_kind(const char *name, uint32_t *number) {
    static const char *const names[] = {"normal", "tangent", "uv", "color"};
    *number = 0;
    for (int i = 0; i < KIND_OTHER; ++i) {
        size_t length = strlen(names[i]);
        if (strncmp(name, names[i], length) != 0) {
            continue;
        }
        const char *digits = name + length;
        if (*digits == 0) {
            return (vertex_kind)i;
        }
        if (i >= KIND_UV && strspn(digits, "0123456789") == strlen(digits) && strlen(digits) < 9) {
            for (; *digits != 0; ++digits) {
                *number = *number * 10 + (uint32_t)(*digits - '0');
            }
            return (vertex_kind)i;
        }
    }
    return KIND_OTHER;
}

static bool width_fits(vertex_kind kind, uint32_t width) {
    return kind == KIND_NORMAL    ? width == 3
           : kind == KIND_TANGENT ? width == 4
           : kind == KIND_UV      ? width == 2
                                  : width == 3 || width == 4;
}

// Copies an attribute to one value per vertex. False when two corners of a vertex disagree or a
// corner has none; vertices without faces get zeros, or the direction up.
static bool spread_to_vertices(const sn_mesh *mesh, const sn_attribute *attribute, uint8_t *set,
                               float *values) {
    uint32_t width = attribute->width;
    if (attribute->corner == NULL) {
        memcpy(values, attribute->values, (size_t)attribute->count * width * sizeof *values);
        return true;
    }
    memset(set, 0, mesh->vertex_count);
    memset(values, 0, (size_t)mesh->vertex_count * width * sizeof *values);
    for (uint32_t c = 0; c < mesh->corner_count; ++c) {
        if (attribute->corner[c] == SN_NONE) {
            return false;
        }
        const float *value = attribute->values + (size_t)attribute->corner[c] * width;
        float *slot = values + (size_t)mesh->corners[c] * width;
        if (!set[mesh->corners[c]]) {
            memcpy(slot, value, width * sizeof *slot);
            set[mesh->corners[c]] = 1;
        } else if (memcmp(slot, value, width * sizeof *slot) != 0) {
            return false;
        }
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        if (!set[v] && width >= 3) {
            values[(size_t)v * width + 1] = 1;
            values[(size_t)v * width + width - 1] = width == 4 ? 1 : 0;
        }
    }
    return true;
}

// glTF asks for unit vectors. False when one has no direction.
static bool make_unit(float *values, uint32_t count, uint32_t width) {
    for (size_t i = 0; i < count; ++i) {
        float *v = values + i * width;
        double length = sn_vec3_length(sn_vec3_load(v));
        if (!(length > 0) || !isfinite(length)) {
            return false;
        }
        if (fabs(length - 1) > unit_tolerance) {
            sn_vec3_store(sn_vec3_scale(sn_vec3_load(v), 1 / length), v);
        }
        if (width == 4 && v[3] != 1 && v[3] != -1) {
            return false;
        }
    }
    return true;
}

static void clamp_colors(float *values, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        values[i] = fminf(fmaxf(values[i], 0), 1);
    }
}

// What the attributes of a mesh became.
typedef struct written {
    uint32_t positions;
    uint32_t normals, tangents; // SN_NONE when not written
    uint32_t uv_count, color_count;
    uint32_t *uvs, *colors; // accessors
} written;

static sni_gltf_array vertex_array(const sn_mesh *mesh, const float *values, uint32_t width) {
    return (sni_gltf_array){.values = values,
                            .count = mesh->vertex_count,
                            .width = width,
                            .component = SNI_GLTF_FLOAT,
                            .target = SNI_GLTF_TARGET_VERTICES};
}

static sn_status put_attribute(sni_gltf_writer *writer, const sn_mesh *mesh,
                               const sn_attribute *attribute, vertex_kind kind, uint32_t *accessor,
                               sn_error *error) {
    sn_status status = SN_OK;
    float *values = NULL;
    uint8_t *set = NULL;
    *accessor = SN_NONE;
    SNI_NEW(writer->context, values, (size_t)mesh->vertex_count * attribute->width);
    SNI_NEW(writer->context, set, mesh->vertex_count);
    if (!width_fits(kind, attribute->width)) {
        warn(writer, mesh, attribute->name, "it has another width in glTF");
    } else if (!spread_to_vertices(mesh, attribute, set, values)) {
        warn(writer, mesh, attribute->name, "it differs between the corners of a vertex");
    } else if (kind <= KIND_TANGENT && !make_unit(values, mesh->vertex_count, attribute->width)) {
        warn(writer, mesh, attribute->name, "a vector has no direction");
    } else {
        if (kind == KIND_COLOR) {
            clamp_colors(values, (size_t)mesh->vertex_count * attribute->width);
        }
        if (kind == KIND_NORMAL) {
            sni_gltf_round_to_bytes(writer, values, 3 * (size_t)mesh->vertex_count);
        }
        sni_gltf_array array = vertex_array(mesh, values, attribute->width);
        SN_TRY(sni_gltf_put_floats(writer, &array, kind > KIND_TANGENT, accessor, error));
    }
cleanup:
    sni_free(writer->context, values);
    sni_free(writer->context, set);
    return status;
}

// Writes the attributes of one kind by rising number. glTF numbers them without gaps.
static sn_status put_attributes(sni_gltf_writer *writer, const sn_mesh *mesh, vertex_kind wanted,
                                uint32_t *accessors, uint32_t *count, sn_error *error) {
    uint32_t least = 0;
    *count = 0;
    for (;;) {
        const sn_attribute *next = NULL;
        uint32_t next_number = SN_NONE;
        for (uint32_t i = 0; i < mesh->attribute_count; ++i) {
            uint32_t number;
            vertex_kind found = attribute_kind(mesh->attributes[i].name, &number);
            if (found == wanted && number >= least && number < next_number) {
                next = &mesh->attributes[i];
                next_number = number;
            }
        }
        if (next == NULL) {
            return SN_OK;
        }
        uint32_t accessor;
        sn_status status = put_attribute(writer, mesh, next, wanted, &accessor, error);
        if (status != SN_OK) {
            return status;
        }
        if (accessor != SN_NONE) {
            accessors[(*count)++] = accessor;
        }
        least = next_number + 1;
    }
}

static void warn_of_others(const sni_gltf_writer *writer, const sn_mesh *mesh) {
    for (uint32_t i = 0; i < mesh->attribute_count; ++i) {
        uint32_t number;
        if (attribute_kind(mesh->attributes[i].name, &number) == KIND_OTHER) {
            warn(writer, mesh, mesh->attributes[i].name, "glTF does not know it");
        }
    }
}

static sn_status put_vertices(sni_gltf_writer *writer, const sn_mesh *mesh, written *w,
                              sn_error *error) {
    sn_status status = SN_OK;
    uint32_t count;
    SNI_NEW(writer->context, w->uvs, mesh->attribute_count);
    SNI_NEW(writer->context, w->colors, mesh->attribute_count);
    sni_gltf_array positions = vertex_array(mesh, mesh->positions, 3);
    positions.bounds = true;
    SN_TRY(sni_gltf_put_accessor(writer, &positions, &w->positions, error));
    w->normals = w->tangents = SN_NONE;
    SN_TRY(put_attributes(writer, mesh, KIND_NORMAL, &w->normals, &count, error));
    if (w->normals != SN_NONE) { // tangents mean nothing without them
        SN_TRY(put_attributes(writer, mesh, KIND_TANGENT, &w->tangents, &count, error));
    }
    SN_TRY(put_attributes(writer, mesh, KIND_UV, w->uvs, &w->uv_count, error));
    SN_TRY(put_attributes(writer, mesh, KIND_COLOR, w->colors, &w->color_count, error));
    warn_of_others(writer, mesh);
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Primitives

// Vertices of the corners of all faces, sorted into buckets: one for each material (the last for
// faces without) and each of points, lines, triangles.
typedef struct buckets {
    uint32_t material_count;
    uint32_t count;
    uint32_t *offsets; // count + 1
    uint32_t *vertices;
} buckets;

// Calls `visit` for each point, line and triangle of the mesh in the order of faces.
static void for_each_piece(const sn_mesh *mesh, const sn_triangles *triangles,
                           void (*visit)(uint32_t face, uint32_t width, const uint32_t *vertices,
                                         void *user),
                           void *user) {
    uint32_t triangle = 0;
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t first = mesh->face_offsets[f], width = mesh->face_offsets[f + 1] - first;
        if (width == 1 || width == 2) {
            visit(f, width, mesh->corners + first, user);
        }
        for (; triangle < triangles->count && triangles->faces[triangle] == f; ++triangle) {
            visit(f, 3, triangles->vertices + 3 * (size_t)triangle, user);
        }
    }
}

typedef struct sorting {
    const uint32_t *face_materials;
    uint32_t material_count;
    uint32_t *next; // per bucket
    uint32_t *vertices;
} sorting;

static uint32_t bucket_of(const sorting *s, uint32_t face, uint32_t width) {
    uint32_t material = s->face_materials[face];
    return 3 * (material != SN_NONE ? material : s->material_count) + width - 1;
}

static void count_piece(uint32_t face, uint32_t width, const uint32_t *vertices, void *user) {
    sorting *s = user;
    (void)vertices;
    s->next[bucket_of(s, face, width)] += width;
}

static void place_piece(uint32_t face, uint32_t width, const uint32_t *vertices, void *user) {
    sorting *s = user;
    uint32_t *next = &s->next[bucket_of(s, face, width)];
    memcpy(s->vertices + *next, vertices, width * sizeof *vertices);
    *next += width;
}

static sn_status fill_buckets(sn_context *context, const sn_mesh *mesh, buckets *b,
                              sn_error *error) {
    sn_status status = SN_OK;
    sn_triangles *triangles = NULL;
    uint32_t *face_materials = NULL;
    sorting s = {0};
    b->count = 3 * (mesh->material_count + 1);
    SN_TRY(sn_triangles_create(mesh, mesh->positions, &triangles, error));
    SNI_NEW(context, face_materials, mesh->face_count);
    SN_TRY(sn_mesh_face_materials(mesh, face_materials, error));
    SNI_NEW_ZERO(context, s.next, b->count);
    SNI_NEW(context, b->offsets, (size_t)b->count + 1);
    s.face_materials = face_materials;
    s.material_count = mesh->material_count;
    for_each_piece(mesh, triangles, count_piece, &s);
    uint64_t total = 0;
    for (uint32_t i = 0; i < b->count; ++i) {
        uint32_t count = s.next[i];
        b->offsets[i] = s.next[i] = (uint32_t)total;
        total += count;
    }
    if (total >= SN_NONE) {
        status = sni_fail(error, SN_LIMIT, "mesh \"%s\" has too many triangles", mesh->name);
        goto cleanup;
    }
    b->offsets[b->count] = (uint32_t)total;
    SNI_NEW(context, b->vertices, total);
    s.vertices = b->vertices;
    for_each_piece(mesh, triangles, place_piece, &s);
cleanup:
    sn_triangles_destroy(triangles);
    sni_free(context, face_materials);
    sni_free(context, s.next);
    return status;
}

// Indices as 16 bits where the vertices allow. 65535 itself would restart a primitive.
static sn_status put_indices(sni_gltf_writer *writer, const sn_mesh *mesh, const uint32_t *vertices,
                             uint32_t count, uint32_t *accessor, sn_error *error) {
    sn_status status = SN_OK;
    uint16_t *narrow = NULL;
    sni_gltf_array array = {.values = vertices,
                            .count = count,
                            .width = 1,
                            .component = SNI_GLTF_UINT32,
                            .target = SNI_GLTF_TARGET_INDICES};
    if (mesh->vertex_count <= UINT16_MAX) {
        SNI_NEW(writer->context, narrow, count);
        for (uint32_t i = 0; i < count; ++i) {
            narrow[i] = (uint16_t)vertices[i];
        }
        array.values = narrow;
        array.component = SNI_GLTF_UINT16;
    }
    SN_TRY(sni_gltf_put_accessor(writer, &array, accessor, error));
cleanup:
    sni_free(writer->context, narrow);
    return status;
}

static void put_references(sni_gltf_writer *writer, sn_value *primitive, const written *w,
                           bool points) {
    sn_value *attributes = sni_gltf_put_object(writer, primitive, "attributes");
    char name[32];
    sni_gltf_put_number(writer, attributes, "POSITION", w->positions);
    if (w->normals != SN_NONE) {
        sni_gltf_put_number(writer, attributes, "NORMAL", w->normals);
    }
    if (w->tangents != SN_NONE && !points) { // points have no tangent space
        sni_gltf_put_number(writer, attributes, "TANGENT", w->tangents);
    }
    for (uint32_t i = 0; i < w->uv_count; ++i) {
        snprintf(name, sizeof name, "TEXCOORD_%u", i);
        sni_gltf_put_number(writer, attributes, name, w->uvs[i]);
    }
    for (uint32_t i = 0; i < w->color_count; ++i) {
        snprintf(name, sizeof name, "COLOR_%u", i);
        sni_gltf_put_number(writer, attributes, name, w->colors[i]);
    }
}

static sn_status put_primitive(sni_gltf_writer *writer, const sn_mesh *mesh, const buckets *b,
                               uint32_t bucket, const written *w, sni_gltf_mesh_item *item,
                               sn_value *primitives, sn_error *error) {
    static const int modes[3] = {0, 1, 4}; // points, lines, triangles
    sn_status status = SN_OK;
    uint32_t indices, material;
    uint32_t first = b->offsets[bucket], count = b->offsets[bucket + 1] - first;
    sn_value *primitive = sni_gltf_put_object(writer, primitives, NULL);
    put_references(writer, primitive, w, bucket % 3 == 0);
    SN_TRY(put_indices(writer, mesh, b->vertices + first, count, &indices, error));
    sni_gltf_put_number(writer, primitive, "indices", indices);
    sni_gltf_put_number(writer, primitive, "mode", modes[bucket % 3]);
    if (bucket / 3 < mesh->material_count) {
        SN_TRY(sni_gltf_put_material(writer, &mesh->materials[bucket / 3], w->uv_count, &material,
                                     error));
        sni_gltf_put_number(writer, primitive, "material", material);
    }
    item->primitives[item->primitive_count++] = primitive;
cleanup:
    return status;
}

// A mesh without faces is a cloud of points.
static sn_status put_primitives(sni_gltf_writer *writer, const sn_mesh *mesh, const written *w,
                                sni_gltf_mesh_item *item, sn_error *error) {
    sn_status status = SN_OK;
    buckets b = {0};
    sn_value *primitives = sni_gltf_put_array(writer, item->mesh, "primitives");
    SN_TRY(fill_buckets(writer->context, mesh, &b, error));
    SNI_NEW(writer->context, item->primitives, b.count);
    for (uint32_t i = 0; i < b.count; ++i) {
        if (b.offsets[i + 1] > b.offsets[i]) {
            SN_TRY(put_primitive(writer, mesh, &b, i, w, item, primitives, error));
        }
    }
    if (item->primitive_count == 0) {
        sn_value *primitive = sni_gltf_put_object(writer, primitives, NULL);
        put_references(writer, primitive, w, true);
        sni_gltf_put_number(writer, primitive, "mode", 0);
        item->primitives[item->primitive_count++] = primitive;
    }
cleanup:
    sni_free(writer->context, b.offsets);
    sni_free(writer->context, b.vertices);
    return status;
}

sn_status sni_gltf_put_mesh(sni_gltf_writer *writer, const sn_mesh *mesh, sni_gltf_mesh_item *item,
                            sn_error *error) {
    sn_status status = SN_OK;
    written w = {0};
    *item = (sni_gltf_mesh_item){0};
    if (mesh->vertex_count == 0) {
        return sni_fail(error, SN_INVALID, "mesh \"%s\" has no vertices, which glTF cannot hold",
                        mesh->name);
    }
    SN_TRY(put_vertices(writer, mesh, &w, error));
    item->has_normals = w.normals != SN_NONE;
    item->mesh = sni_gltf_put_item(writer, SNI_GLTF_MESHES, &item->index);
    sni_gltf_put_string(writer, item->mesh, "name", mesh->name);
    SN_TRY(put_primitives(writer, mesh, &w, item, error));
cleanup:
    sni_free(writer->context, w.uvs);
    sni_free(writer->context, w.colors);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Additions

void sni_gltf_put_attribute(sni_gltf_writer *writer, const sni_gltf_mesh_item *item,
                            const char *name, uint32_t accessor) {
    for (uint32_t i = 0; i < item->primitive_count; ++i) {
        sn_value *attributes = (sn_value *)sn_value_get(item->primitives[i], "attributes");
        sni_gltf_put_number(writer, attributes, name, accessor);
    }
}

void sni_gltf_put_target(sni_gltf_writer *writer, const sni_gltf_mesh_item *item,
                         uint32_t positions, uint32_t normals) {
    for (uint32_t i = 0; i < item->primitive_count; ++i) {
        sn_value *targets = (sn_value *)sn_value_get(item->primitives[i], "targets");
        if (targets == NULL) {
            targets = sni_gltf_put_array(writer, item->primitives[i], "targets");
        }
        sn_value *target = sni_gltf_put_object(writer, targets, NULL);
        sni_gltf_put_number(writer, target, "POSITION", positions);
        if (normals != SN_NONE) {
            sni_gltf_put_number(writer, target, "NORMAL", normals);
        }
    }
}
