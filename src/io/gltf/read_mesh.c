// SPDX-License-Identifier: Apache-2.0
//
// Meshes of a glTF file: vertices, faces, attributes, materials.
#include "io/gltf/read_mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sn_status sni_gltf_at_primitive(const sni_gltf_mesh_reader *r, uint32_t number, sn_status status,
                                sn_error *error) {
    const sn_value *primitive = sn_value_at(r->primitives, number);
    sni_error_place(error, r->gltf->is_binary ? 0 : primitive->line, "mesh %u, primitive %u",
                    r->instance->mesh, number);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Groups

// Whether all members of `a` stand in `b` with equal values.
static bool is_part_of(const sn_value *a, const sn_value *b) {
    for (uint32_t i = 0; i < sn_value_count(a); ++i) {
        const sn_value *mine = sn_value_at(a, i);
        const sn_value *other = sn_value_at(b, i); // mostly in the same order
        if (other == NULL || strcmp(other->key, mine->key) != 0) {
            other = sn_value_get(b, mine->key);
        }
        if (other == NULL || sn_value_number(mine, -1) != sn_value_number(other, -2)) {
            return false;
        }
    }
    return true;
}

static bool targets_are_equal(const sn_value *a, const sn_value *b) {
    bool equal = sn_value_count(a) == sn_value_count(b);
    for (uint32_t i = 0; i < sn_value_count(a) && equal; ++i) {
        equal = is_part_of(sn_value_at(a, i), sn_value_at(b, i)) &&
                is_part_of(sn_value_at(b, i), sn_value_at(a, i));
    }
    return equal;
}

static bool shares_vertices(const sn_value *primitive, const sn_value *first) {
    return is_part_of(sn_value_get(primitive, "attributes"), sn_value_get(first, "attributes")) &&
           targets_are_equal(sn_value_get(primitive, "targets"), sn_value_get(first, "targets"));
}

static sn_status open_group(sni_gltf_mesh_reader *r, uint32_t number, uint32_t accessor,
                            sni_gltf_group *made, sn_error *error) {
    *made = (sni_gltf_group){.primitive = sn_value_at(r->primitives, number), .number = number};
    sn_status status =
        sni_gltf_open(r->gltf, accessor, SNI_GLTF_WIDTH(3), false, &made->positions, error);
    made->vertex_count = made->positions.count;
    made->first_vertex = (uint32_t)r->vertex_count;
    r->vertex_count += made->vertex_count;
    if (status == SN_OK && r->vertex_count >= SN_NONE) {
        status = sni_fail(error, SN_LIMIT, "mesh %u has more vertices than %u", r->instance->mesh,
                          SN_NONE - 1);
    }
    return status;
}

// Finds the group of each primitive. A POSITION accessor is marked with its newest group, so that
// the search takes one step.
static sn_status find_groups(sni_gltf_mesh_reader *r, sn_error *error) {
    sn_status status = SN_OK;
    sni_gltf_marks *marks = &r->gltf->accessor_marks;
    SNI_NEW(r->context, r->groups, r->part_count);
    for (uint32_t i = 0; i < r->part_count; ++i) {
        const sn_value *primitive = sn_value_at(r->primitives, i);
        const sn_value *attributes;
        uint32_t accessor;
        SN_TRY(sni_gltf_get_object(r->gltf, primitive, "attributes", &attributes, error));
        SN_TRY(sni_gltf_get_index(r->gltf, attributes, "POSITION", SNI_GLTF_ACCESSORS, false,
                                  &accessor, error));
        if (accessor == SN_NONE) {
            status = sni_fail(error, SN_INVALID, "it has no POSITION");
            sni_gltf_at_primitive(r, i, status, error);
            goto cleanup;
        }
        uint32_t known = sni_gltf_marks_get(marks, r->round, accessor);
        if (known == SN_NONE || !shares_vertices(primitive, r->groups[known].primitive)) {
            known = r->group_count++;
            SN_TRY(open_group(r, i, accessor, &r->groups[known], error));
            sni_gltf_marks_set(marks, r->round, accessor, known);
        }
        r->parts[i].group = known;
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Faces

static uint32_t corners_per_face(sni_gltf_mode mode) {
    return mode == SNI_GLTF_MODE_POINTS ? 1 : mode <= SNI_GLTF_MODE_LINE_STRIP ? 2 : 3;
}

static sn_status count_faces(const sni_gltf_mesh_reader *r, uint32_t number, uint32_t *faces,
                             sn_error *error) {
    const sni_gltf_part *p = &r->parts[number];
    uint32_t n = p->index_count;
    bool complete = true;
    switch (p->mode) {
    case SNI_GLTF_MODE_POINTS: *faces = n; break;
    case SNI_GLTF_MODE_LINES: *faces = n / 2, complete = n % 2 == 0; break;
    case SNI_GLTF_MODE_LINE_LOOP: *faces = n, complete = n >= 2; break;
    case SNI_GLTF_MODE_LINE_STRIP: *faces = n - 1, complete = n >= 2; break;
    case SNI_GLTF_MODE_TRIANGLES: *faces = n / 3, complete = n % 3 == 0; break;
    case SNI_GLTF_MODE_TRIANGLE_STRIP:
    case SNI_GLTF_MODE_TRIANGLE_FAN: *faces = n - 2, complete = n >= 3; break;
    }
    if (!complete) {
        sni_fail(error, SN_INVALID, "%u corners do not make whole faces in mode %d", n,
                 (int)p->mode);
        return sni_gltf_at_primitive(r, number, SN_INVALID, error);
    }
    return SN_OK;
}

static sn_status read_part(sni_gltf_mesh_reader *r, uint32_t number, sn_error *error) {
    const sn_value *primitive = sn_value_at(r->primitives, number);
    sni_gltf_part *p = &r->parts[number];
    uint64_t mode_number = SNI_GLTF_MODE_TRIANGLES;
    sn_status status = SN_OK;
    SN_TRY(sni_gltf_get_integer(r->gltf, primitive, "mode", false, &mode_number, error));
    SN_TRY(sni_gltf_get_index(r->gltf, primitive, "material", SNI_GLTF_MATERIALS, false,
                              &p->material, error));
    SN_TRY(sni_gltf_get_index(r->gltf, primitive, "indices", SNI_GLTF_ACCESSORS, false,
                              &p->index_accessor, error));
    if (mode_number > SNI_GLTF_MODE_TRIANGLE_FAN) {
        status = sni_fail(error, SN_INVALID, "unknown mode %llu", (unsigned long long)mode_number);
        sni_gltf_at_primitive(r, number, status, error);
        goto cleanup;
    }
    p->mode = (sni_gltf_mode)mode_number;
    if (p->index_accessor != SN_NONE &&
        r->gltf->unpacked_accessors[p->index_accessor].bytes != NULL) {
        p->mode = SNI_GLTF_MODE_TRIANGLES; // Draco has nothing else
    }
    p->index_count = r->groups[p->group].vertex_count;
    if (p->index_accessor != SN_NONE) {
        SN_TRY(sni_gltf_open(r->gltf, p->index_accessor, SNI_GLTF_WIDTH(1), false, &p->indices,
                             error));
        p->index_count = p->indices.count;
    }
    p->first_face = (uint32_t)r->face_count;
    p->first_corner = (uint32_t)r->corner_count;
    SN_TRY(count_faces(r, number, &p->face_count, error));
    r->face_count += p->face_count;
    r->corner_count += (uint64_t)p->face_count * corners_per_face(p->mode);
    if (r->face_count >= SN_NONE || r->corner_count >= SN_NONE) {
        status = sni_fail(error, SN_LIMIT, "mesh %u has more faces or corners than %u",
                          r->instance->mesh, SN_NONE - 1);
    }
cleanup:
    return status;
}

// Corner `k` of face `i` as a place in the list of indices (section 3.7.2.1).
static uint32_t corner_place(sni_gltf_mode mode, uint32_t i, uint32_t k, uint32_t index_count) {
    switch (mode) {
    case SNI_GLTF_MODE_POINTS: return i;
    case SNI_GLTF_MODE_LINES: return 2 * i + k;
    case SNI_GLTF_MODE_LINE_LOOP: return (i + k) % index_count;
    case SNI_GLTF_MODE_LINE_STRIP: return i + k;
    case SNI_GLTF_MODE_TRIANGLES: return 3 * i + k;
    case SNI_GLTF_MODE_TRIANGLE_STRIP: return k == 0 ? i : k == 1 ? i + 1 + i % 2 : i + 2 - i % 2;
    case SNI_GLTF_MODE_TRIANGLE_FAN: return k == 2 ? 0 : i + 1 + k;
    }
    return 0;
}

static sn_status check_indices(const sni_gltf_mesh_reader *r, const sni_gltf_part *p,
                               const uint32_t *indices, sn_error *error) {
    uint32_t vertex_count = r->groups[p->group].vertex_count;
    for (uint32_t i = 0; i < p->index_count; ++i) {
        if (indices[i] >= vertex_count) {
            sni_fail(error, SN_INVALID, "index %u is vertex %u, but there are %u", i, indices[i],
                     vertex_count);
            sni_error_place(error, 0, "accessor %u", p->index_accessor);
            return SN_INVALID;
        }
    }
    return SN_OK;
}

static sn_status fill_faces(sni_gltf_mesh_reader *r, const sni_gltf_part *p, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t *indices = NULL;
    uint32_t width = corners_per_face(p->mode);
    uint32_t base = r->groups[p->group].first_vertex;
    if (p->index_accessor != SN_NONE) {
        SNI_NEW(r->context, indices, p->index_count);
        SN_TRY(sni_gltf_read_uints(&p->indices, indices, error));
        SN_TRY(check_indices(r, p, indices, error));
    }
    uint32_t corner = p->first_corner;
    for (uint32_t i = 0; i < p->face_count; ++i) {
        r->mesh->face_offsets[p->first_face + i] = corner;
        for (uint32_t k = 0; k < width; ++k) {
            uint32_t at = corner_place(p->mode, i, k, p->index_count);
            r->mesh->corners[corner++] = base + (indices != NULL ? indices[at] : at);
        }
    }
cleanup:
    sni_free(r->context, indices);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Streams

// Splits "TEXCOORD_12" into use and set; false for attributes that sinew does not keep.
static bool parse_semantic(const char *semantic, sni_gltf_use *found, uint32_t *set) {
    static const struct {
        const char *name;
        sni_gltf_use use;
        bool numbered;
    } uses[] = {{"NORMAL", SNI_GLTF_USE_NORMAL, false}, {"TANGENT", SNI_GLTF_USE_TANGENT, false},
                {"TEXCOORD_", SNI_GLTF_USE_UV, true},   {"COLOR_", SNI_GLTF_USE_COLOR, true},
                {"JOINTS_", SNI_GLTF_USE_JOINTS, true}, {"WEIGHTS_", SNI_GLTF_USE_WEIGHTS, true}};
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; ++i) {
        size_t length = strlen(uses[i].name);
        if (strncmp(semantic, uses[i].name, length) != 0) {
            continue;
        }
        const char *number = semantic + length;
        char *end = NULL;
        bool has_digits = number[0] >= '0' && number[0] <= '9' && strlen(number) <= 6;
        *found = uses[i].use;
        *set = uses[i].numbered && has_digits ? (uint32_t)strtoul(number, &end, 10) : 0;
        return uses[i].numbered ? has_digits && *end == 0 : number[0] == 0;
    }
    return false;
}

static uint32_t allowed_widths(sni_gltf_use use) {
    static const uint32_t widths[] = {
        [SNI_GLTF_USE_NORMAL] = SNI_GLTF_WIDTH(3),
        [SNI_GLTF_USE_TANGENT] = SNI_GLTF_WIDTH(4),
        [SNI_GLTF_USE_UV] = SNI_GLTF_WIDTH(2),
        [SNI_GLTF_USE_COLOR] = SNI_GLTF_WIDTH(3) | SNI_GLTF_WIDTH(4),
        [SNI_GLTF_USE_JOINTS] = SNI_GLTF_WIDTH(4),
        [SNI_GLTF_USE_WEIGHTS] = SNI_GLTF_WIDTH(4),
    };
    return widths[use];
}

static sn_status add_stream(sni_gltf_mesh_reader *r, uint32_t group_number,
                            const sn_value *attribute, sn_error *error) {
    sni_gltf_stream made = {.group = group_number};
    uint32_t accessor;
    if (!parse_semantic(attribute->key, &made.use, &made.set) ||
        (r->instance->skin == SN_NONE &&
         (made.use == SNI_GLTF_USE_JOINTS || made.use == SNI_GLTF_USE_WEIGHTS))) {
        return SN_OK;
    }
    sn_status status = SN_OK;
    const sni_gltf_group *g = &r->groups[group_number];
    SN_TRY(sni_gltf_to_index(r->gltf, attribute, SNI_GLTF_ACCESSORS, &accessor, error));
    SN_TRY(
        sni_gltf_open(r->gltf, accessor, allowed_widths(made.use), false, &made.accessor, error));
    if (made.accessor.count != g->vertex_count) {
        status = sni_fail(error, SN_INVALID, "%s has %u elements, but POSITION has %u",
                          attribute->key, made.accessor.count, g->vertex_count);
        sni_gltf_at_primitive(r, g->number, status, error);
        goto cleanup;
    }
    if (!sni_grow_by_one(r->context, &r->streams, r->stream_count, sizeof *r->streams)) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    r->streams[r->stream_count++] = made;
cleanup:
    return status;
}

static int compare_streams(const void *a, const void *b) {
    const sni_gltf_stream *x = a, *y = b;
    if (x->use != y->use) {
        return x->use < y->use ? -1 : 1;
    }
    if (x->set != y->set) {
        return x->set < y->set ? -1 : 1;
    }
    return (x->group > y->group) - (x->group < y->group);
}

static sn_status find_streams(sni_gltf_mesh_reader *r, sn_error *error) {
    for (uint32_t i = 0; i < r->group_count; ++i) {
        const sn_value *attributes = sn_value_get(r->groups[i].primitive, "attributes");
        for (uint32_t k = 0; k < sn_value_count(attributes); ++k) {
            sn_status status = add_stream(r, i, sn_value_at(attributes, k), error);
            if (status != SN_OK) {
                return status;
            }
        }
    }
    if (r->stream_count > 1) {
        qsort(r->streams, r->stream_count, sizeof *r->streams, compare_streams);
    }
    for (uint32_t i = 1; i < r->stream_count; ++i) {
        if (compare_streams(&r->streams[i - 1], &r->streams[i]) == 0) { // TEXCOORD_1, TEXCOORD_01
            sni_fail(error, SN_INVALID, "two attributes have the same number");
            return sni_gltf_at_primitive(r, r->groups[r->streams[i].group].number, SN_INVALID,
                                         error);
        }
    }
    return SN_OK;
}

// The end of the streams of one use and set that begin at `first`.
static uint32_t streams_end(const sni_gltf_mesh_reader *r, uint32_t first) {
    uint32_t end = first + 1;
    while (end < r->stream_count && r->streams[end].use == r->streams[first].use &&
           r->streams[end].set == r->streams[first].set) {
        ++end;
    }
    return end;
}

// ---------------------------------------------------------------------------------------------
// Attributes

// Vertices of groups that lack the attribute have no value: corners then say which one they use.
static void fill_corner_indices(const sni_gltf_mesh_reader *r, const uint32_t *first_value,
                                sn_attribute *attribute) {
    for (uint32_t i = 0; i < r->part_count; ++i) {
        const sni_gltf_part *p = &r->parts[i];
        uint32_t first = first_value[p->group];
        uint32_t count = p->face_count * corners_per_face(p->mode);
        for (uint32_t k = p->first_corner; k < p->first_corner + count; ++k) {
            attribute->corner[k] =
                first != SN_NONE ? first + r->mesh->corners[k] - r->groups[p->group].first_vertex
                                 : SN_NONE;
        }
    }
}

// Reads a stream into values of `width` numbers, the last of which is 1 where the stream has one
// fewer (COLOR as VEC3 beside VEC4).
static sn_status fill_values(const sni_gltf_stream *s, uint32_t width, float *values,
                             sn_error *error) {
    uint32_t own = s->accessor.width;
    sn_status status = sni_gltf_read_floats(&s->accessor, values, error);
    for (size_t i = s->accessor.count; own < width && i-- > 0;) {
        memmove(values + i * width, values + i * own, own * sizeof *values);
        values[i * width + own] = 1;
    }
    return status;
}

static void attribute_name(sni_gltf_use use, uint32_t set, char *name, size_t name_size) {
    static const char *const names[] = {[SNI_GLTF_USE_NORMAL] = "normal",
                                        [SNI_GLTF_USE_TANGENT] = "tangent",
                                        [SNI_GLTF_USE_UV] = "uv",
                                        [SNI_GLTF_USE_COLOR] = "color"};
    if (set == 0) {
        snprintf(name, name_size, "%s", names[use]);
    } else {
        snprintf(name, name_size, "%s%u", names[use], set);
    }
}

static sn_status read_attribute(sni_gltf_mesh_reader *r, uint32_t first, uint32_t end,
                                sn_error *error) {
    sn_status status = SN_OK;
    uint32_t *first_value = NULL;
    char name[32];
    uint32_t width = 0, count = 0;
    bool everywhere = end - first == r->group_count;
    sn_attribute *attribute;
    SNI_NEW(r->context, first_value, r->group_count);
    memset(first_value, 0xff, r->group_count * sizeof *first_value);
    for (uint32_t i = first; i < end; ++i) {
        const sni_gltf_accessor *accessor = &r->streams[i].accessor;
        width = accessor->width > width ? accessor->width : width;
        first_value[r->streams[i].group] = count;
        count += accessor->count;
    }
    attribute_name(r->streams[first].use, r->streams[first].set, name, sizeof name);
    SN_TRY(sn_mesh_add_attribute(r->mesh, name, width, count, !everywhere, &attribute, error));
    for (uint32_t i = first; i < end; ++i) {
        SN_TRY(fill_values(&r->streams[i], width,
                           attribute->values + (size_t)first_value[r->streams[i].group] * width,
                           error));
    }
    if (!everywhere) {
        fill_corner_indices(r, first_value, attribute);
    }
cleanup:
    sni_free(r->context, first_value);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Materials

// A run for each primitive, so that its faces can be told apart; a mesh of one primitive without a
// material needs none. Primitives without a material are called "default".
static sn_status read_runs(sni_gltf_mesh_reader *r, sn_error *error) {
    sn_status status = SN_OK;
    sni_gltf_marks *added = &r->gltf->material_marks;
    if (r->part_count == 1 && r->parts[0].material == SN_NONE) {
        return SN_OK;
    }
    for (uint32_t i = 0; i < r->part_count; ++i) {
        uint32_t material = r->parts[i].material;
        const char *name = material != SN_NONE ? r->gltf->material_name[material] : "default";
        SN_TRY(sn_mesh_add_run(r->mesh, SN_RUN_MATERIAL, r->parts[i].first_face, name, error));
        if (material != SN_NONE && sni_gltf_marks_get(added, r->round, material) == SN_NONE) {
            sni_gltf_marks_set(added, r->round, material, 1);
            SN_TRY(sni_gltf_read_material(r->gltf, material, r->mesh, error));
        }
    }
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// The mesh

static sn_status plan_mesh(sni_gltf_mesh_reader *r, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(sni_gltf_get_array(r->gltf, r->value, "primitives", &r->primitives, error));
    r->part_count = sn_value_count(r->primitives);
    if (r->part_count == 0) {
        sni_fail(error, SN_INVALID, "the mesh has no primitives");
        return sni_gltf_at(r->gltf, r->value, SN_INVALID, error);
    }
    SNI_NEW_ZERO(r->context, r->parts, r->part_count);
    for (uint32_t i = 0; i < r->part_count; ++i) {
        SN_TRY(sni_gltf_unpack_mesh(r->gltf, sn_value_at(r->primitives, i), error));
    }
    SN_TRY(find_groups(r, error));
    for (uint32_t i = 0; i < r->part_count; ++i) {
        SN_TRY(read_part(r, i, error));
    }
    SN_TRY(find_streams(r, error));
cleanup:
    return status;
}

static sn_status fill_mesh(sni_gltf_mesh_reader *r, const sn_skeleton *skeleton, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(sn_mesh_create(r->context, r->instance->name, (uint32_t)r->vertex_count,
                          (uint32_t)r->face_count, (uint32_t)r->corner_count, &r->mesh, error));
    for (uint32_t i = 0; i < r->group_count; ++i) {
        float *positions = r->mesh->positions + 3 * (size_t)r->groups[i].first_vertex;
        SN_TRY(sni_gltf_read_floats(&r->groups[i].positions, positions, error));
    }
    for (uint32_t i = 0; i < r->part_count; ++i) {
        SN_TRY(fill_faces(r, &r->parts[i], error));
    }
    for (uint32_t i = 0; i < r->stream_count && r->streams[i].use < SNI_GLTF_USE_JOINTS;) {
        uint32_t end = streams_end(r, i);
        SN_TRY(read_attribute(r, i, end, error));
        i = end;
    }
    if (r->instance->skin != SN_NONE) {
        SN_TRY(sni_gltf_read_weights(r, skeleton, error));
    }
    SN_TRY(sni_gltf_read_targets(r, error));
    SN_TRY(read_runs(r, error));
cleanup:
    return status;
}

sn_status sni_gltf_read_mesh(sni_gltf *gltf, const sni_gltf_instance *instance,
                             const sn_skeleton *skeleton, sn_mesh **mesh, sn_error *error) {
    sni_gltf_mesh_reader reader = {
        .gltf = gltf,
        .context = gltf->context,
        .instance = instance,
        .round = (uint32_t)(instance - gltf->instances),
        .value = sni_gltf_item(gltf, SNI_GLTF_MESHES, instance->mesh),
    };
    sn_status status = SN_OK;
    *mesh = NULL;
    SN_TRY(plan_mesh(&reader, error));
    SN_TRY(fill_mesh(&reader, skeleton, error));
    *mesh = reader.mesh;
    reader.mesh = NULL;
cleanup:
    sni_free(gltf->context, reader.parts);
    sni_free(gltf->context, reader.groups);
    sni_free(gltf->context, reader.streams);
    sn_mesh_destroy(reader.mesh);
    return status;
}
