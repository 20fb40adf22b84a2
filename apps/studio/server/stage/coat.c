// SPDX-License-Identifier: Apache-2.0
#include "stage/coat.h"

#include "sinew/json.h"
#include "wire/failure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct weaver {
    const sn_mesh *mesh;
    const sn_triangles *triangles;
    stage_coat *coat;
    uint32_t *face_materials; // SN_NONE: no material with a colour
    uint32_t *counts;         // triangles of each material, and of none
    uint32_t *images;         // the image of each material, SN_NONE: none
    const sn_attribute **uvs; // of each material with an image
    bool *used;               // vertices that have texture coordinates
    uint32_t *next;           // the next copy of a vertex or copy, SN_NONE: none
    uint32_t room;            // vertices and copies that there is room for
} weaver;

bool stage_coat_exists(const sn_surface *surface) {
    bool drawn = (surface->layer == SN_LAYER_SKIN && surface->shown) || surface->feature;
    for (uint32_t i = 0; drawn && i < surface->mesh->material_count; ++i) {
        if (surface->mesh->materials[i].has_color) {
            return true;
        }
    }
    return false;
}

void stage_coat_destroy(stage_coat *coat) {
    if (!coat) {
        return;
    }
    for (uint32_t i = 0; i < coat->image_count; ++i) {
        free(coat->images[i].bytes);
    }
    free(coat->images);
    free(coat->triangles);
    free(coat->copies);
    free(coat->uvs);
    free(coat->text);
    free(coat);
}

static const sn_attribute *find_uv(const sn_mesh *mesh, const sn_material *material) {
    char name[16];
    snprintf(name, sizeof name, material->image_placement.uv == 0 ? "uv" : "uv%u",
             material->image_placement.uv);
    const sn_attribute *uv = sn_mesh_find_attribute(mesh, name);
    return uv && uv->width >= 2 ? uv : NULL;
}

uint64_t stage_coat_hash(const sn_surface *surface, uint64_t hash, stage_hash *add) {
    const sn_mesh *mesh = surface->mesh;
    if (!stage_coat_exists(surface)) {
        return hash;
    }
    for (uint32_t i = 0; i < mesh->material_count; ++i) {
        const sn_material *m = &mesh->materials[i];
        const sn_image_placement *p = &m->image_placement;
        double numbers[] = {m->has_color,  m->roughness,    m->double_sided,
                            m->alpha_mode, m->alpha_cutoff, p->uv,
                            p->rotation,   p->wrap[0],      p->wrap[1]};
        hash = add(hash, numbers, sizeof numbers);
        hash = add(hash, m->base_color, sizeof m->base_color);
        hash = add(hash, p->offset, sizeof p->offset);
        hash = add(hash, p->scale, sizeof p->scale);
        hash = add(hash, m->name, strlen(m->name));
        hash = add(hash, m->image_bytes, m->image_bytes ? m->image_size : 0);
        const sn_attribute *uv = m->image_bytes ? find_uv(mesh, m) : NULL;
        if (uv) {
            hash = add(hash, uv->values, sizeof(float) * (size_t)uv->count * uv->width);
            hash = add(hash, uv->corner, uv->corner ? sizeof(uint32_t) * mesh->corner_count : 0);
        }
    }
    for (uint32_t i = 0; i < mesh->run_count; ++i) {
        const sn_run *run = &mesh->runs[i];
        if (run->kind == SN_RUN_MATERIAL) {
            hash = add(hash, &run->first_face, sizeof run->first_face);
            hash = add(hash, run->name, strlen(run->name));
        }
    }
    return hash;
}

// ---------------------------------------------------------------------------------------------
// Images

static uint32_t find_image(const stage_coat *coat, const sn_material *material) {
    for (uint32_t i = 0; i < coat->image_count; ++i) {
        const coat_image *image = &coat->images[i];
        if (image->size == material->image_size &&
            memcmp(image->bytes, material->image_bytes, image->size) == 0) {
            return i;
        }
    }
    return SN_NONE;
}

static size_t image_bytes(const stage_coat *coat) {
    size_t sum = 0;
    for (uint32_t i = 0; i < coat->image_count; ++i) {
        sum += coat->images[i].size;
    }
    return sum;
}

// Images that are too large are left out: the text says so.
static bool is_too_large(const stage_coat *coat, const sn_material *material) {
    return material->image_size > COAT_IMAGE_BYTES ||
           image_bytes(coat) + material->image_size > COAT_ALL_BYTES;
}

static sn_status take_image(weaver *w, uint32_t material, sn_error *error) {
    const sn_material *m = &w->mesh->materials[material];
    stage_coat *coat = w->coat;
    w->images[material] = SN_NONE;
    w->uvs[material] = m->image_bytes ? find_uv(w->mesh, m) : NULL;
    if (!m->has_color || !w->uvs[material]) {
        return SN_OK;
    }
    w->images[material] = find_image(coat, m);
    if (w->images[material] != SN_NONE || is_too_large(coat, m)) {
        return SN_OK;
    }
    coat_image *image = &coat->images[coat->image_count];
    image->bytes = malloc(m->image_size + 1);
    if (!image->bytes) {
        return app_fail_memory(error);
    }
    memcpy(image->bytes, m->image_bytes, m->image_size);
    image->size = m->image_size;
    w->images[material] = coat->image_count++;
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// Triangles

static sn_status make_room(weaver *w, uint32_t count, sn_error *error) {
    if (count <= w->room) {
        return SN_OK;
    }
    uint32_t vertices = w->mesh->vertex_count, room = count + count / 2 + 16;
    stage_coat *coat = w->coat;
    float *uvs = realloc(coat->uvs, 2 * (size_t)room * sizeof *uvs);
    coat->uvs = uvs ? uvs : coat->uvs;
    uint32_t *next = realloc(w->next, (size_t)room * sizeof *next);
    w->next = next ? next : w->next;
    uint32_t *copies = realloc(coat->copies, (size_t)(room - vertices + 1) * sizeof *copies);
    coat->copies = copies ? copies : coat->copies;
    if (!uvs || !next || !copies) {
        return app_fail_memory(error);
    }
    w->room = room;
    return SN_OK;
}

// Where the image lies at a corner (struct sn_image_placement).
static void place_corner(const weaver *w, uint32_t material, uint32_t vertex, uint32_t corner,
                         float at[2]) {
    const sn_attribute *uv = w->uvs[material];
    const sn_image_placement *p = &w->mesh->materials[material].image_placement;
    uint32_t value = uv->corner ? uv->corner[corner] : vertex;
    double u = 0, v = 0, c = cos(p->rotation), s = sin(p->rotation);
    if (value != SN_NONE) {
        u = uv->values[(size_t)value * uv->width];
        v = uv->values[(size_t)value * uv->width + 1];
    }
    at[0] = (float)(p->offset[0] + c * p->scale[0] * u + s * p->scale[1] * v);
    at[1] = (float)(p->offset[1] - s * p->scale[0] * u + c * p->scale[1] * v);
}

// The vertex, or the copy of it, that has these texture coordinates; made where there is none.
static sn_status find_copy(weaver *w, uint32_t vertex, const float at[2], uint32_t *found,
                           sn_error *error) {
    stage_coat *coat = w->coat;
    uint32_t last = vertex;
    *found = vertex;
    if (!w->used[vertex]) {
        w->used[vertex] = true;
        memcpy(&coat->uvs[2 * (size_t)vertex], at, 2 * sizeof *at);
        return SN_OK;
    }
    for (uint32_t i = vertex; i != SN_NONE; i = w->next[i]) {
        last = i;
        if (memcmp(&coat->uvs[2 * (size_t)i], at, 2 * sizeof *at) == 0) {
            *found = i;
            return SN_OK;
        }
    }
    *found = w->mesh->vertex_count + coat->copy_count;
    sn_status status = make_room(w, *found + 1, error);
    if (status == SN_OK) {
        coat->copies[coat->copy_count++] = vertex;
        memcpy(&coat->uvs[2 * (size_t)*found], at, 2 * sizeof *at);
        w->next[last] = *found;
        w->next[*found] = SN_NONE;
    }
    return status;
}

static uint32_t class_of(const weaver *w, uint32_t triangle) {
    uint32_t material = w->face_materials[w->triangles->faces[triangle]];
    return material != SN_NONE && w->mesh->materials[material].has_color ? material
                                                                         : w->mesh->material_count;
}

static sn_status weave_triangle(weaver *w, uint32_t triangle, uint32_t place, sn_error *error) {
    uint32_t material = class_of(w, triangle);
    bool image = material < w->mesh->material_count && w->images[material] != SN_NONE;
    for (uint32_t i = 0; i < 3; ++i) {
        size_t from = 3 * (size_t)triangle + i;
        uint32_t vertex = w->triangles->vertices[from];
        uint32_t *drawn = &w->coat->triangles[3 * (size_t)place + i];
        *drawn = vertex;
        if (image) {
            float at[2];
            place_corner(w, material, vertex, w->triangles->corners[from], at);
            sn_status status = find_copy(w, vertex, at, drawn, error);
            if (status != SN_OK) {
                return status;
            }
        }
    }
    return SN_OK;
}

static sn_status weave(weaver *w, sn_error *error) {
    uint32_t classes = w->mesh->material_count + 1, first = 0;
    for (uint32_t t = 0; t < w->triangles->count; ++t) {
        w->counts[class_of(w, t)]++;
    }
    uint32_t *places = malloc(classes * sizeof *places);
    if (!places) {
        return app_fail_memory(error);
    }
    for (uint32_t i = 0; i < classes; ++i) {
        places[i] = first;
        first += w->counts[i];
    }
    sn_status status = SN_OK;
    for (uint32_t t = 0; t < w->triangles->count && status == SN_OK; ++t) {
        status = weave_triangle(w, t, places[class_of(w, t)]++, error);
    }
    free(places);
    return status;
}

// ---------------------------------------------------------------------------------------------
// The text

static void add_material(const weaver *w, sn_json *json, sn_value *list, uint32_t index) {
    static const char *const alphas[] = {"opaque", "mask", "blend"};
    static const char *const wraps[] = {"repeat", "mirror", "clamp"};
    sn_value *entry = sn_json_add_object(json, list, NULL);
    sn_json_add_number(json, entry, "triangles", w->counts[index]);
    if (index == w->mesh->material_count) {
        return; // those without a material that has a colour
    }
    const sn_material *m = &w->mesh->materials[index];
    double color[4] = {m->base_color[0], m->base_color[1], m->base_color[2], m->base_color[3]};
    sn_json_add_string(json, entry, "name", m->name);
    sn_json_add_numbers(json, entry, "color", color, 4);
    sn_json_add_number(json, entry, "roughness", m->roughness);
    sn_json_add_bool(json, entry, "two_sided", m->double_sided);
    sn_json_add_string(json, entry, "alpha", alphas[m->alpha_mode]);
    sn_json_add_number(json, entry, "cutoff", m->alpha_cutoff);
    if (w->images[index] != SN_NONE) {
        sn_value *image = sn_json_add_object(json, entry, "image");
        sn_json_add_number(json, image, "number", w->images[index]);
        sn_json_add_string(json, image, "type", m->image_type);
        sn_value *wrap = sn_json_add_array(json, image, "wrap");
        sn_json_add_string(json, wrap, NULL, wraps[m->image_placement.wrap[0]]);
        sn_json_add_string(json, wrap, NULL, wraps[m->image_placement.wrap[1]]);
    } else if (w->uvs[index]) {
        sn_json_add_number(json, entry, "left_out", (double)m->image_size);
    }
}

static sn_status write_text(weaver *w, sn_error *error) {
    sn_context *context = w->mesh->context;
    sn_json *json = NULL;
    char *written = NULL;
    sn_status status = SN_OK;
    SN_TRY(sn_json_create(context, &json, error));
    sn_value *list = sn_json_add_array(json, sn_json_root(json), "materials");
    for (uint32_t i = 0; i <= w->mesh->material_count; ++i) {
        if (w->counts[i] > 0) {
            add_material(w, json, list, i);
        }
    }
    SN_TRY(sn_json_write(json, &written, &w->coat->text_size, error));
    w->coat->text = malloc(w->coat->text_size + 1);
    SN_TRY(w->coat->text ? SN_OK : app_fail_memory(error));
    memcpy(w->coat->text, written, w->coat->text_size);
cleanup:
    sn_json_free_text(context, written);
    sn_json_destroy(json);
    return status;
}

// ---------------------------------------------------------------------------------------------

static sn_status prepare(weaver *w, sn_error *error) {
    uint32_t materials = w->mesh->material_count, vertices = w->mesh->vertex_count;
    stage_coat *coat = w->coat;
    w->face_materials = malloc(((size_t)w->mesh->face_count + 1) * sizeof *w->face_materials);
    w->counts = calloc((size_t)materials + 1, sizeof *w->counts);
    w->images = calloc((size_t)materials + 1, sizeof *w->images);
    w->uvs = calloc((size_t)materials + 1, sizeof *w->uvs);
    w->used = calloc((size_t)vertices + 1, sizeof *w->used);
    coat->images = calloc((size_t)materials + 1, sizeof *coat->images);
    coat->triangles = malloc((3 * (size_t)w->triangles->count + 1) * sizeof *coat->triangles);
    if (!w->face_materials || !w->counts || !w->images || !w->uvs || !w->used || !coat->images ||
        !coat->triangles) {
        return app_fail_memory(error);
    }
    sn_status status = sn_mesh_face_materials(w->mesh, w->face_materials, error);
    for (uint32_t i = 0; i < materials && status == SN_OK; ++i) {
        status = take_image(w, i, error);
    }
    if (status == SN_OK && coat->image_count > 0) {
        status = make_room(w, vertices, error);
        for (uint32_t i = 0; status == SN_OK && i < vertices; ++i) {
            w->next[i] = SN_NONE;
            coat->uvs[2 * (size_t)i] = coat->uvs[2 * (size_t)i + 1] = 0;
        }
    }
    return status;
}

sn_status stage_coat_create(const sn_surface *surface, const sn_triangles *triangles,
                            stage_coat **result, sn_error *error) {
    *result = NULL;
    if (!stage_coat_exists(surface)) {
        return SN_OK;
    }
    weaver w = {.mesh = surface->mesh, .triangles = triangles};
    sn_status status = SN_OK;
    w.coat = calloc(1, sizeof *w.coat);
    SN_TRY(w.coat ? SN_OK : app_fail_memory(error));
    SN_TRY(prepare(&w, error));
    SN_TRY(weave(&w, error));
    SN_TRY(write_text(&w, error));
    bool any = w.counts[w.mesh->material_count] < triangles->count;
    *result = any ? w.coat : NULL;
    w.coat = any ? NULL : w.coat;
cleanup:
    stage_coat_destroy(w.coat);
    free(w.face_materials);
    free(w.counts);
    free(w.images);
    free(w.uvs);
    free(w.used);
    free(w.next);
    return status;
}
