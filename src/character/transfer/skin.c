// SPDX-License-Identifier: Apache-2.0
//
// The head's mesh as the skin of the document. Vertices of the source's skin that deformers name
// become those of the head that lie at the same places; where both meshes have the same faces, the
// numbers stay.
#include "character/transfer/transfer_internal.h"

#include "base/file.h"

#include <stdio.h>
#include <string.h>

static const char new_skin[] = "head";

typedef struct carrier {
    sni_document_transfer *t;
    uint32_t *nearest;   // of the head's vertices: the nearest vertex of the source's skin
    uint32_t *triangles; // and the triangle of it
    double *weights;     // x 3
    sn_triangles *skin_triangles;
    uint8_t *marks; // of the source's vertices
    double *values; // likewise
    uint8_t *head_marks;
} carrier;

static bool same_faces(const sn_mesh *a, const sn_mesh *b) {
    return a->vertex_count == b->vertex_count && a->face_count == b->face_count &&
           a->corner_count == b->corner_count &&
           memcmp(a->face_offsets, b->face_offsets,
                  ((size_t)a->face_count + 1) * sizeof *a->face_offsets) == 0 &&
           memcmp(a->corners, b->corners, (size_t)a->corner_count * sizeof *a->corners) == 0;
}

// ---------------------------------------------------------------------------------------------
// The same places

static sn_status find_places(carrier *c, sn_error *error) {
    sn_status status = SN_OK;
    const sni_document_transfer *t = c->t;
    uint32_t count = t->head->vertex_count;
    sn_accel *accel = NULL;
    SNI_NEW(t->context, c->nearest, count);
    SNI_NEW(t->context, c->triangles, count);
    SNI_NEW(t->context, c->weights, 3 * (size_t)count);
    SNI_NEW(t->context, c->marks, t->skin->vertex_count);
    SNI_NEW(t->context, c->values, t->skin->vertex_count);
    SNI_NEW(t->context, c->head_marks, count);
    SN_TRY(sn_triangles_create(t->skin, t->skin->positions, &c->skin_triangles, error));
    SN_TRY(sn_accel_create(t->context, t->skin->positions, t->skin->vertex_count,
                           c->skin_triangles->vertices, c->skin_triangles->count, &accel, error));
    for (uint32_t v = 0; v < count; ++v) {
        sn_closest closest;
        sn_accel_find_closest(accel, t->moved->on_source[v], INFINITY, &closest);
        c->triangles[v] = closest.triangle;
        memcpy(c->weights + 3 * (size_t)v, closest.barycentric, sizeof closest.barycentric);
        int largest = 0;
        for (int k = 1; k < 3; ++k) {
            largest = closest.barycentric[k] > closest.barycentric[largest] ? k : largest;
        }
        c->nearest[v] = c->skin_triangles->vertices[3 * (size_t)closest.triangle + largest];
    }
cleanup:
    sn_accel_destroy(accel);
    return status;
}

// Writes the marked vertices of the head as "0,8-12".
static sn_status write_ranges(const carrier *c, sn_value *object, const char *key,
                              sn_error *error) {
    sn_status status = SN_OK;
    const sni_document_transfer *t = c->t;
    uint32_t count = t->head->vertex_count;
    char *text = NULL;
    size_t used = 0;
    SNI_NEW(t->context, text, 12 * (size_t)count + 1);
    text[0] = 0;
    for (uint32_t v = 0; v < count; ++v) {
        if (!c->head_marks[v]) {
            continue;
        }
        uint32_t last = v;
        while (last + 1 < count && c->head_marks[last + 1]) {
            ++last;
        }
        used += (size_t)snprintf(text + used, 12 * (size_t)count + 1 - used,
                                 last > v ? "%s%u-%u" : "%s%u", used > 0 ? "," : "", v, last);
        v = last;
    }
    if (sn_json_add_string(t->json, object, key, text) == NULL) {
        SN_TRY(sni_fail_memory(error));
    }
cleanup:
    sni_free(t->context, text);
    return status;
}

// Marks the vertices of the source that a text, [first, last] or a list of numbers names.
static sn_status mark_points(carrier *c, const sn_value *points, bool range, sn_error *error) {
    uint32_t count = c->t->skin->vertex_count;
    memset(c->marks, 0, count);
    if (points->type == SN_JSON_STRING) {
        return sn_ranges_mark(points->as.string, count, c->marks, error);
    }
    double first = sn_value_number(sn_value_at(points, 0), 0);
    double last = sn_value_number(sn_value_at(points, 1), -1);
    for (uint32_t v = 0; range && v < count; ++v) {
        c->marks[v] = v >= first && v <= last;
    }
    for (uint32_t i = 0; !range && i < sn_value_count(points); ++i) {
        double v = sn_value_number(sn_value_at(points, i), -1);
        if (v >= 0 && v < count) {
            c->marks[(uint32_t)v] = 1;
        }
    }
    return SN_OK;
}

// Marks the vertices of faces of a group, object or material.
static void mark_group(carrier *c, const char *group) {
    const sn_mesh *skin = c->t->skin;
    memset(c->marks, 0, skin->vertex_count);
    for (uint32_t r = 0; r < skin->run_count; ++r) {
        uint32_t end = skin->face_count;
        for (uint32_t k = skin->run_count; k-- > r + 1;) {
            end = skin->runs[k].kind == skin->runs[r].kind ? skin->runs[k].first_face : end;
        }
        if (strcmp(skin->runs[r].name, group) == 0) {
            for (uint32_t i = skin->face_offsets[skin->runs[r].first_face];
                 i < skin->face_offsets[end]; ++i) {
                c->marks[skin->corners[i]] = 1;
            }
        }
    }
}

static void carry_marks(const carrier *c) {
    for (uint32_t v = 0; v < c->t->head->vertex_count; ++v) {
        c->head_marks[v] = c->marks[c->nearest[v]];
    }
}

// Values at the points of the source, between the corners of the triangle at each place.
static sn_status carry_values(carrier *c, sn_value *object, sn_error *error) {
    sn_status status = SN_OK;
    const sni_document_transfer *t = c->t;
    sn_value *values = (sn_value *)sn_value_get(object, "values");
    double *carried = NULL;
    uint32_t count = 0, next = 0;
    for (uint32_t v = 0; v < t->skin->vertex_count; ++v) {
        c->values[v] = c->marks[v] ? sn_value_number(sn_value_at(values, next++), 0) : 0;
    }
    SNI_NEW(t->context, carried, t->head->vertex_count);
    for (uint32_t v = 0; v < t->head->vertex_count; ++v) {
        const uint32_t *corners = c->skin_triangles->vertices + 3 * (size_t)c->triangles[v];
        double value = 0;
        for (int k = 0; k < 3; ++k) {
            value += c->weights[3 * (size_t)v + k] * c->values[corners[k]];
        }
        if (c->head_marks[v]) {
            carried[count++] = fmin(fmax(round(value * 1e4) / 1e4, 0), 1);
        }
    }
    if (sn_json_add_numbers(t->json, object, "values", carried, count) == NULL) {
        SN_TRY(sni_fail_memory(error));
    }
cleanup:
    sni_free(t->context, carried);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Deformers

static sn_status carry_object(carrier *c, sn_value *object, sn_error *error) {
    sn_status status = SN_OK;
    const sn_value *points = sn_value_get(object, "points"), *pins = sn_value_get(object, "pins");
    sn_value *group = (sn_value *)sn_value_get(object, "group");
    bool named =
        points != NULL && (points->type == SN_JSON_STRING || points->type == SN_JSON_ARRAY);
    if (named) {
        SN_TRY(mark_points(c, points, true, error));
        carry_marks(c);
        if (sn_value_get(object, "values") != NULL) {
            SN_TRY(carry_values(c, object, error));
        }
        SN_TRY(write_ranges(c, object, "points", error));
    }
    if (pins != NULL) {
        SN_TRY(mark_points(c, pins, false, error));
        carry_marks(c);
        SN_TRY(write_ranges(c, object, "pins", error));
    }
    if (group != NULL && group->type == SN_JSON_STRING) {
        mark_group(c, group->as.string);
        carry_marks(c);
        sn_json_remove(group);
        SN_TRY(write_ranges(c, object, "points", error));
    }
    if (sn_value_get(object, "attribute") != NULL) {
        SN_TRY(sni_transfer_note(c->t, error,
                                 "weights by the attribute \"%s\" are left: the head's mesh must "
                                 "have it, too",
                                 sn_value_string(sn_value_get(object, "attribute"), "")));
    }
cleanup:
    return status;
}

static sn_status carry_all(carrier *c, sn_value *value, sn_error *error) {
    sn_status status = value->type == SN_JSON_OBJECT ? carry_object(c, value, error) : SN_OK;
    for (uint32_t i = 0; i < sn_value_count(value) && status == SN_OK; ++i) {
        status = carry_all(c, (sn_value *)sn_value_at(value, i), error);
    }
    return status;
}

// Shapes of the source's mesh are none of the head's.
static sn_status drop_shapes(sni_document_transfer *t, sn_value *deformers, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = sn_value_count(deformers); i-- > 0 && status == SN_OK;) {
        sn_value *deformer = (sn_value *)sn_value_at(deformers, i);
        const char *kind = sn_value_string(sn_value_get(deformer, "kind"), "");
        if (strcmp(kind, "morph") == 0 && sn_value_get(deformer, "driver_mesh") == NULL) {
            sn_json_remove(deformer);
            status = sni_transfer_note(t, error,
                                       "the morph targets of the skin are left out: they belong to "
                                       "its vertices");
        }
    }
    return status;
}

static bool needs_weights(const sn_value *deformers) {
    for (uint32_t i = 0; i < sn_value_count(deformers); ++i) {
        const char *kind = sn_value_string(sn_value_get(sn_value_at(deformers, i), "kind"), "");
        if (strcmp(kind, "blend") == 0 || strcmp(kind, "implicit") == 0 ||
            strcmp(kind, "layers") == 0) {
            return true;
        }
    }
    return false;
}

// ---------------------------------------------------------------------------------------------
// Weights

// The weights of a vertex: those of the three corners of its triangle.
static void mix_weights(const carrier *c, uint32_t v, double *row) {
    const sn_weights *w = c->t->skin->weights;
    const uint32_t *corners = c->skin_triangles->vertices + 3 * (size_t)c->triangles[v];
    memset(row, 0, w->bone_count * sizeof *row);
    for (int k = 0; k < 3; ++k) {
        for (uint32_t i = w->offsets[corners[k]]; i < w->offsets[corners[k] + 1]; ++i) {
            row[w->bones[i]] += c->weights[3 * (size_t)v + k] * w->values[i];
        }
    }
}

static sn_status make_weights(const carrier *c, sn_mesh **made, sn_error *error) {
    sn_status status = SN_OK;
    const sni_document_transfer *t = c->t;
    const sn_weights *from = t->skin->weights;
    double *row = NULL;
    uint32_t used = 0;
    SN_TRY(sn_mesh_create(t->context, "weights", t->head->vertex_count, t->head->face_count,
                          t->head->corner_count, made, error));
    memcpy((*made)->positions, t->head->positions,
           3 * (size_t)t->head->vertex_count * sizeof *t->head->positions);
    memcpy((*made)->face_offsets, t->head->face_offsets,
           ((size_t)t->head->face_count + 1) * sizeof *t->head->face_offsets);
    memcpy((*made)->corners, t->head->corners,
           (size_t)t->head->corner_count * sizeof *t->head->corners);
    SNI_NEW(t->context, row, from->bone_count);
    SN_TRY(sn_mesh_set_weights(*made, from->bone_count, t->head->vertex_count * from->bone_count,
                               false, error));
    sn_weights *w = (*made)->weights;
    for (uint32_t b = 0; b < from->bone_count; ++b) {
        SN_TRY(sn_mesh_name_bone(*made, b, from->bone_names[b], error));
    }
    for (uint32_t v = 0; v < t->head->vertex_count; ++v) {
        w->offsets[v] = used;
        mix_weights(c, v, row);
        for (uint32_t b = 0; b < from->bone_count; ++b) {
            if (row[b] > 1e-4) {
                w->bones[used] = b;
                w->values[used++] = (float)row[b];
            }
        }
    }
    w->offsets[t->head->vertex_count] = used;
cleanup:
    sni_free(t->context, row);
    return status;
}

static sn_status add_weights(const carrier *c, sn_value *entry, sn_error *error) {
    sn_status status = SN_OK;
    sni_document_transfer *t = c->t;
    sn_mesh *mesh = NULL;
    char name[300];
    SN_TRY(make_weights(c, &mesh, error));
    snprintf(name, sizeof name, "%.250s weights", t->skin_mesh);
    sn_value *meshes = (sn_value *)sn_value_get(t->root, "meshes");
    sn_value *lender = sn_json_add_object(t->json, meshes, name);
    if (lender == NULL || sn_json_add_string(t->json, entry, "weights", name) == NULL) {
        SN_TRY(sni_fail_memory(error));
    }
    sn_mesh *kept = mesh;
    mesh = NULL;
    SN_TRY(sni_transfer_keep_mesh(t, lender->key, kept, lender, error));
cleanup:
    sn_mesh_destroy(mesh);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Entries

// The entry of the head's file among the meshes.
static sn_status add_head_mesh(sni_document_transfer *t, const char *name, sn_value **entry,
                               sn_error *error) {
    sn_status status = SN_OK;
    sn_value *meshes = (sn_value *)sn_value_get(t->root, "meshes");
    char *file = sni_path_relative(t->context, t->document_path, t->desc->head);
    if (meshes == NULL) {
        meshes = sn_json_add_object(t->json, t->root, "meshes");
    }
    *entry = sn_json_add_object(t->json, meshes, name);
    bool done = file != NULL && *entry != NULL &&
                sn_json_add_string(t->json, *entry, "file", file) != NULL &&
                (t->import->mesh_count < 2 ||
                 sn_json_add_string(t->json, *entry, "mesh", t->head->name) != NULL) &&
                (t->report->unit == 1 ||
                 sn_json_add_number(t->json, *entry, "unit", t->report->unit) != NULL) &&
                (!t->report->z_up || sn_json_add_string(t->json, *entry, "up", "z") != NULL);
    status = done ? SN_OK : sni_fail_memory(error);
    sni_free(t->context, file);
    return status;
}

// A source without a skin: the head is one that the skull's segment carries.
static sn_status add_new_skin(sni_document_transfer *t, sn_error *error) {
    sn_value *entry, *skins = (sn_value *)sn_value_get(t->root, "skins");
    const char *segment = NULL;
    for (uint32_t i = 0; i < t->blueprint->surface_count && segment == NULL; ++i) {
        const sni_surface_plan *plan = &t->blueprint->surfaces[i];
        for (uint32_t p = 0; p < t->part_count && segment == NULL; ++p) {
            if (t->parts[p].role == SN_HEAD_BONE && plan->kind == SNI_SURFACE_BONE &&
                strcmp(t->parts[p].name, plan->name) == 0) {
                segment = t->blueprint->skeleton.segments[plan->segment].name;
            }
        }
    }
    if (skins == NULL) {
        skins = sn_json_add_object(t->json, t->root, "skins");
    }
    sn_status status = add_head_mesh(t, new_skin, &entry, error);
    if (status != SN_OK) {
        return status;
    }
    t->skin_mesh = new_skin;
    sn_value *skin = sn_json_add_object(t->json, skins, new_skin);
    bool done = skin != NULL && sn_json_add_string(t->json, skin, "mesh", new_skin) != NULL &&
                (segment == NULL || sn_json_add_string(t->json, skin, "segment", segment) != NULL);
    return done ? SN_OK : sni_fail_memory(error);
}

sn_status sni_transfer_write_skin(sni_document_transfer *t, sn_error *error) {
    sn_status status = SN_OK;
    carrier c = {.t = t};
    sn_value *entry = NULL;
    if (t->skin_name == NULL) {
        return add_new_skin(t, error);
    }
    sn_value *skin = (sn_value *)sn_value_get(sn_value_get(t->root, "skins"), t->skin_name);
    sn_value *deformers = (sn_value *)sn_value_get(skin, "deformers");
    SN_TRY(add_head_mesh(t, t->skin_mesh, &entry, error));
    SN_TRY(find_places(&c, error));
    if (deformers != NULL && !same_faces(t->skin, t->head)) {
        SN_TRY(carry_all(&c, deformers, error));
    }
    if (t->skin->target_count > 0 || !same_faces(t->skin, t->head)) {
        SN_TRY(drop_shapes(t, deformers, error));
    }
    if (needs_weights(deformers) && t->skin->weights != NULL) {
        SN_TRY(add_weights(&c, entry, error));
    }
cleanup:
    sni_free(t->context, c.nearest);
    sni_free(t->context, c.triangles);
    sni_free(t->context, c.weights);
    sni_free(t->context, c.marks);
    sni_free(t->context, c.values);
    sni_free(t->context, c.head_marks);
    sn_triangles_destroy(c.skin_triangles);
    return status;
}
