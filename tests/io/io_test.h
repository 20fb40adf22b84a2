// SPDX-License-Identifier: Apache-2.0
//
// What the tests of readers and writers share.
#ifndef SNT_IO_TEST_H
#define SNT_IO_TEST_H

#include "test.h"

#include "sinew/io.h"

#include <stdlib.h>

// A file in memory.
typedef struct snt_file {
    const char *name;
    const void *bytes;
    size_t size;
} snt_file;

#define snt_text(name, text) ((snt_file){(name), (text), strlen(text)})

static inline sn_import *snt_load(sn_context *context, snt_file file) {
    sn_import *import = NULL;
    snt_ok(sn_import_memory(context, file.name, file.bytes, file.size, &import, error));
    assert_non_null(import);
    return import;
}

// Asserts that reading fails with the status and a text in the error.
static inline void snt_refuses_file(snt_file file, sn_status expected, const char *text) {
    sn_context *context = snt_context(1);
    sn_import *import = NULL;
    snt_fails(expected, text,
              sn_import_memory(context, file.name, file.bytes, file.size, &import, error));
    assert_null(import);
    snt_context_end(context);
}

static inline void snt_refuses(const char *name, const char *content, sn_status expected,
                               const char *text) {
    snt_refuses_file(snt_text(name, content), expected, text);
}

// A text that a reader must refuse, and how.
typedef struct snt_refusal {
    const char *text;
    sn_status status;
    const char *message;
} snt_refusal;

#define snt_refuses_all(name, cases)                                                               \
    do {                                                                                           \
        for (size_t at = 0; at < sizeof(cases) / sizeof *(cases); ++at) {                          \
            snt_refuses((name), (cases)[at].text, (cases)[at].status, (cases)[at].message);        \
        }                                                                                          \
    } while (0)

// Reads every beginning of a file: an error, or something valid, and nothing leaked.
static inline void snt_survives_truncation(snt_file file) {
    sn_context *context = snt_context(1);
    size_t before = sn_context_bytes(context);
    for (size_t size = 0; size < file.size; ++size) {
        char *exact = malloc(size > 0 ? size : 1); // so that a sanitizer sees reads behind the end
        memcpy(exact, file.bytes, size);
        sn_import *import = NULL;
        sn_error found = {0};
        sn_status status = sn_import_memory(context, file.name, exact, size, &import, &found);
        free(exact);
        assert_true((status == SN_OK) == (import != NULL));
        assert_int_equal(status, found.status);
        for (uint32_t i = 0; import != NULL && i < import->mesh_count; ++i) {
            snt_ok(sn_mesh_validate(import->meshes[i], error));
        }
        sn_import_destroy(import);
        assert_int_equal(sn_context_bytes(context), before);
    }
    snt_context_end(context);
}

static sn_status snt_load_attempt(sn_context *context, void *user, sn_error *error) {
    const snt_file *file = user;
    sn_import *import = NULL;
    sn_status status =
        sn_import_memory(context, file->name, file->bytes, file->size, &import, error);
    sn_import_destroy(import);
    return status;
}

static inline void snt_survives_failed_allocations(snt_file file) {
    snt_fail_allocations(snt_load_attempt, &file);
}

static inline void snt_attributes_equal(const sn_attribute *a, const sn_attribute *b,
                                        uint32_t corner_count) {
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->values, b->values, (size_t)a->count * a->width * sizeof(float));
    assert_true((a->corner == NULL) == (b->corner == NULL));
    if (a->corner != NULL) {
        assert_memory_equal(a->corner, b->corner, corner_count * sizeof(uint32_t));
    }
}

// Asserts that two meshes are the same in every field.
static inline void snt_meshes_equal(const sn_mesh *a, const sn_mesh *b) {
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->face_count, b->face_count);
    assert_int_equal(a->corner_count, b->corner_count);
    assert_memory_equal(a->positions, b->positions, (size_t)a->vertex_count * 3 * sizeof(float));
    assert_memory_equal(a->face_offsets, b->face_offsets,
                        ((size_t)a->face_count + 1) * sizeof(uint32_t));
    assert_memory_equal(a->corners, b->corners, (size_t)a->corner_count * sizeof(uint32_t));
    assert_int_equal(a->attribute_count, b->attribute_count);
    for (uint32_t i = 0; i < a->attribute_count; ++i) {
        snt_attributes_equal(&a->attributes[i], &b->attributes[i], a->corner_count);
    }
    assert_int_equal(a->run_count, b->run_count);
    for (uint32_t i = 0; i < a->run_count; ++i) {
        assert_int_equal(a->runs[i].kind, b->runs[i].kind);
        assert_int_equal(a->runs[i].first_face, b->runs[i].first_face);
        assert_string_equal(a->runs[i].name, b->runs[i].name);
    }
    assert_int_equal(a->material_count, b->material_count);
    for (uint32_t i = 0; i < a->material_count; ++i) {
        assert_string_equal(a->materials[i].name, b->materials[i].name);
        assert_memory_equal(a->materials[i].base_color, b->materials[i].base_color,
                            sizeof a->materials[i].base_color);
        assert_true(a->materials[i].roughness == b->materials[i].roughness);
        assert_true(a->materials[i].metallic == b->materials[i].metallic);
    }
}

// A whole file; free with free.
static inline char *snt_read(const char *path, size_t *size) {
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        fail_msg("no file %s", path);
    }
    fseek(stream, 0, SEEK_END);
    *size = (size_t)ftell(stream);
    rewind(stream);
    char *bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, stream), *size);
    bytes[*size] = 0;
    fclose(stream);
    return bytes;
}

static inline void snt_write(const char *path, const char *text) {
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(text, 1, strlen(text), stream), strlen(text));
    fclose(stream);
}

#endif
