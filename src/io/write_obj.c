// SPDX-License-Identifier: Apache-2.0
//
// Wavefront OBJ as sinew reads it: a mesh that came from an OBJ file and is written again reads
// back identical. Faces of one corner are points (p), of two lines (l). Materials go into a library
// beside the file, name.mtl. Numbers are the shortest that read back equal.
//
// Moving points become one file per frame, name.0001.obj; all of them appear together when the last
// is complete. Normals are those of the rest shape and left out there.
#include "io/export.h"
#include "io/text_output.h"

#include <stdio.h>
#include <string.h>

// Line breaks, and blanks or backslashes at the ends, would read back as something else.
static void put_name(sni_text_output *out, const char *name) {
    size_t length = strlen(name);
    for (size_t i = 0; i < length; ++i) {
        char c = name[i];
        bool is_end = i == 0 || i + 1 == length;
        bool is_bad = (unsigned char)c < 0x20 || (is_end && (c == ' ' || c == '\\'));
        sni_put_bytes(out, is_bad ? "_" : &c, 1);
    }
}

static void put_statement(sni_text_output *out, const char *keyword, const char *name) {
    sni_put(out, keyword);
    if (name[0] != 0) {
        sni_put(out, " ");
        put_name(out, name);
    }
    sni_put(out, "\n");
}

static void put_numbers(sni_text_output *out, const float *numbers, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        sni_put(out, " ");
        sni_put_float(out, numbers[i]);
    }
}

// An attribute that OBJ can hold: of this name and at least this width.
static const sn_attribute *find_attribute(const sn_mesh *mesh, const char *name, uint32_t width) {
    const sn_attribute *attribute = sn_mesh_find_attribute(mesh, name);
    return attribute != NULL && attribute->width >= width ? attribute : NULL;
}

static void put_vertices(sni_text_output *out, const sn_mesh *mesh, const float *positions) {
    const sn_attribute *color = find_attribute(mesh, "color", 3);
    color = color != NULL && color->corner == NULL ? color : NULL;
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        sni_put(out, "v");
        put_numbers(out, positions + 3 * i, 3);
        if (color != NULL) {
            put_numbers(out, color->values + color->width * i, 3);
        }
        sni_put(out, "\n");
    }
}

static void put_values(sni_text_output *out, const char *keyword, const sn_attribute *attribute,
                       uint32_t width) {
    for (size_t i = 0; attribute != NULL && i < attribute->count; ++i) {
        sni_put(out, keyword);
        put_numbers(out, attribute->values + attribute->width * i, width);
        sni_put(out, "\n");
    }
}

static uint32_t value_of_corner(const sn_mesh *mesh, const sn_attribute *attribute,
                                uint32_t corner) {
    if (attribute == NULL) {
        return SN_NONE;
    }
    return attribute->corner != NULL ? attribute->corner[corner] : mesh->corners[corner];
}

static bool uses_values(const sn_mesh *mesh, const sn_attribute *attribute, uint32_t face) {
    for (uint32_t c = mesh->face_offsets[face]; c < mesh->face_offsets[face + 1]; ++c) {
        if (value_of_corner(mesh, attribute, c) != SN_NONE) {
            return true;
        }
    }
    return false;
}

// Points cannot have texture coordinates, lines no normals; as faces they can.
static const char *face_keyword(const sn_mesh *mesh, const sn_attribute *uv,
                                const sn_attribute *normal, uint32_t face) {
    uint32_t count = mesh->face_offsets[face + 1] - mesh->face_offsets[face];
    if (count > 2 || uses_values(mesh, normal, face)) {
        return "f";
    }
    return count == 2 ? "l" : (uses_values(mesh, uv, face) ? "f" : "p");
}

static void put_face(sni_text_output *out, const sn_mesh *mesh, const sn_attribute *uv,
                     const sn_attribute *normal, uint32_t face) {
    sni_put(out, face_keyword(mesh, uv, normal, face));
    for (uint32_t c = mesh->face_offsets[face]; c < mesh->face_offsets[face + 1]; ++c) {
        uint32_t uv_index = value_of_corner(mesh, uv, c);
        uint32_t normal_index = value_of_corner(mesh, normal, c);
        sni_put(out, " ");
        sni_put_uint(out, mesh->corners[c] + 1);
        if (uv_index != SN_NONE || normal_index != SN_NONE) {
            sni_put(out, "/");
        }
        if (uv_index != SN_NONE) {
            sni_put_uint(out, uv_index + 1);
        }
        if (normal_index != SN_NONE) {
            sni_put(out, "/");
            sni_put_uint(out, normal_index + 1);
        }
    }
    sni_put(out, "\n");
}

static void put_faces(sni_text_output *out, const sn_mesh *mesh, const sn_attribute *uv,
                      const sn_attribute *normal) {
    static const char *const keywords[] = {[SN_RUN_OBJECT] = "o",
                                           [SN_RUN_GROUP] = "g",
                                           [SN_RUN_MATERIAL] = "usemtl",
                                           [SN_RUN_SMOOTHING] = "s"};
    uint32_t run = 0;
    for (uint32_t f = 0; f <= mesh->face_count; ++f) {
        for (; run < mesh->run_count && mesh->runs[run].first_face <= f; ++run) {
            put_statement(out, keywords[mesh->runs[run].kind], mesh->runs[run].name);
        }
        if (f < mesh->face_count && out->status == SN_OK) {
            put_face(out, mesh, uv, normal, f);
        }
    }
}

static void put_mesh(sni_text_output *out, const sn_mesh *mesh, const float *positions,
                     const char *library) {
    const sn_attribute *uv = find_attribute(mesh, "uv", 2);
    const sn_attribute *normal =
        positions == mesh->positions ? find_attribute(mesh, "normal", 3) : NULL;
    if (mesh->material_count > 0) {
        put_statement(out, "mtllib", library);
    }
    put_vertices(out, mesh, positions);
    put_values(out, "vt", uv, 2);
    put_values(out, "vn", normal, 3);
    put_faces(out, mesh, uv, normal);
}

static sn_status end_file(sni_text_output *out) {
    sn_status status = sni_text_output_commit(out);
    sni_text_output_close(out);
    return status;
}

static sn_status write_mesh(const sn_mesh *mesh, const float *positions, const sn_file_set *files,
                            const char *path, const char *library, sn_error *error) {
    sni_text_output out;
    sn_status status = sni_text_output_open(files, path, &out, error);
    if (status != SN_OK) {
        return status;
    }
    put_mesh(&out, mesh, positions, library);
    return end_file(&out);
}

// The library's path: the OBJ file's with another extension.
static char *library_path(sn_context *context, const char *path) {
    size_t length = strlen(path) - strlen(".obj");
    char *library = sni_alloc(context, length + sizeof ".mtl", 1);
    if (library != NULL) {
        memcpy(library, path, length);
        memcpy(library + length, ".mtl", sizeof ".mtl");
    }
    return library;
}

static sn_status write_library(const sn_mesh *mesh, const sn_file_set *files, const char *path,
                               sn_error *error) {
    sni_text_output out;
    sn_status status = sni_text_output_open(files, path, &out, error);
    if (status != SN_OK) {
        return status;
    }
    for (uint32_t i = 0; i < mesh->material_count; ++i) {
        const sn_material *material = &mesh->materials[i];
        put_statement(&out, "newmtl", material->name);
        sni_put(&out, "Kd");
        put_numbers(&out, material->base_color, 3);
        sni_put(&out, "\nd");
        put_numbers(&out, &material->base_color[3], 1);
        sni_put(&out, "\nPr");
        put_numbers(&out, &material->roughness, 1);
        sni_put(&out, "\nPm");
        put_numbers(&out, &material->metallic, 1);
        sni_put(&out, "\n");
    }
    return end_file(&out);
}

sn_status sni_write_obj_mesh(const sn_mesh *mesh, const float *positions, const char *path,
                             sn_error *error) {
    SN_ASSERT(mesh->vertex_count == 0 || positions != NULL);
    sn_status status = SN_OK;
    sn_file_set files = {0};
    char *library = library_path(mesh->context, path);
    if (library == NULL) {
        return sni_fail_memory(error);
    }
    if (mesh->material_count == 0) {
        SN_TRY(write_mesh(mesh, positions, NULL, path, "", error));
        goto cleanup;
    }
    SN_TRY(sn_file_set_begin(&files, path, error));
    SN_TRY(write_mesh(mesh, positions, &files, path, sni_path_name(library), error));
    SN_TRY(write_library(mesh, &files, library, error));
    SN_TRY(sn_file_set_commit(&files, true, error));
cleanup:
    sn_file_set_cancel(&files);
    sni_free(mesh->context, library);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Moving points

typedef struct obj_points {
    sn_context *context;
    const sn_mesh *mesh;
    char *path;
    char *library;
    const sn_file_set *files;
    uint32_t next_frame;
} obj_points;

static void points_free(obj_points *points) {
    sni_free(points->context, points->library);
    sni_free(points->context, points->path);
    sni_free(points->context, points);
}

static sn_status points_begin(sn_context *context, const sn_file_set *files, const char *path,
                              const sn_export_desc *desc, void **state, sn_error *error) {
    sn_status status = SN_OK;
    obj_points *points = NULL;
    SNI_NEW_ZERO(context, points, 1);
    points->context = context;
    points->mesh = desc->meshes[0];
    points->files = files;
    points->next_frame = desc->first_frame;
    points->path = sni_string_copy(context, path);
    points->library = library_path(context, path);
    if (points->path == NULL || points->library == NULL) {
        status = sni_fail_memory(error);
        goto cleanup;
    }
    if (points->mesh->material_count > 0) {
        SN_TRY(write_library(points->mesh, files, points->library, error));
    }
    *state = points;
    return SN_OK;
cleanup:
    if (points != NULL) {
        points_free(points);
    }
    return status;
}

// name.obj becomes name.0001.obj.
static char *frame_path(const obj_points *points, uint32_t frame) {
    size_t stem = strlen(points->path) - strlen(".obj");
    size_t size = strlen(points->path) + 16;
    char *path = sni_alloc(points->context, size, 1);
    if (path != NULL) {
        snprintf(path, size, "%.*s.%04u%s", (int)stem, points->path, frame, points->path + stem);
    }
    return path;
}

static sn_status points_add(void *state, const float *const *positions, sn_error *error) {
    obj_points *points = state;
    char *path = frame_path(points, points->next_frame++);
    if (path == NULL) {
        return sni_fail_memory(error);
    }
    sn_status status = write_mesh(points->mesh, positions[0], points->files, path,
                                  sni_path_name(points->library), error);
    sni_free(points->context, path);
    return status;
}

static sn_status points_end(void *state, sn_error *error) {
    (void)error;
    points_free(state);
    return SN_OK;
}

static void points_cancel(void *state) {
    points_free(state);
}

const sni_points_ops sni_write_obj_points = {
    .extension = ".obj",
    .many_meshes = false,
    .many_files = true,
    .begin = points_begin,
    .add = points_add,
    .end = points_end,
    .cancel = points_cancel,
};
