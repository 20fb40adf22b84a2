// SPDX-License-Identifier: Apache-2.0
//
// STL, binary and ASCII. The format has triangles without shared vertices: triangle i keeps its own
// vertices 3i, 3i + 1, 3i + 2, and nothing is welded. Normals follow from the triangles and are not
// kept, nor are the two attribute bytes of binary triangles. Each solid of an ASCII file is a mesh.
#include "io/bytes.h"
#include "io/import.h"
#include "io/text.h"

#include <string.h>

enum { HEADER_BYTES = 84, TRIANGLE_BYTES = 50, NORMAL_BYTES = 12 };

// Indices stay below SN_NONE.
#define TRIANGLE_MAX ((UINT32_MAX - 1) / 3)

// A mesh of unconnected triangles whose positions the caller fills.
static sn_status make_triangles(sn_context *context, const char *name, uint32_t count,
                                sn_mesh **mesh, sn_error *error) {
    sn_status status = sn_mesh_create(context, name, 3 * count, count, 3 * count, mesh, error);
    for (uint32_t i = 0; i < 3 * count && status == SN_OK; ++i) {
        (*mesh)->corners[i] = i;
    }
    for (uint32_t i = 0; i < count && status == SN_OK; ++i) {
        (*mesh)->face_offsets[i + 1] = 3 * (i + 1);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Binary: 80 bytes of anything, the number of triangles, 50 bytes for each.

static bool has_binary_size(const sni_source *source) {
    return source->size >= HEADER_BYTES &&
           source->size ==
               HEADER_BYTES + (size_t)TRIANGLE_BYTES * sni_bytes_load_u32(source->bytes + 80);
}

static sn_status read_binary(const sni_source *source, sn_import *import, sn_error *error) {
    sn_status status = SN_OK;
    sn_mesh *mesh = NULL;
    char *name = NULL;
    if (source->size < HEADER_BYTES) {
        return sni_fail(error, SN_SYNTAX, "%zu bytes are too few for an STL file", source->size);
    }
    uint32_t count = sni_bytes_load_u32(source->bytes + 80);
    if (!has_binary_size(source)) {
        return sni_fail(error, SN_SYNTAX,
                        "a binary STL file of %u triangles has %zu bytes, not %zu", count,
                        HEADER_BYTES + (size_t)TRIANGLE_BYTES * count, source->size);
    }
    if (count > TRIANGLE_MAX) {
        return sni_fail(error, SN_LIMIT, "%u triangles are more than %u", count, TRIANGLE_MAX);
    }
    name = sni_name_of_file(source->context, source->name);
    if (name == NULL) {
        return sni_fail_memory(error);
    }
    SN_TRY(make_triangles(source->context, name, count, &mesh, error));
    for (uint32_t t = 0; t < count; ++t) {
        const char *vertices =
            source->bytes + HEADER_BYTES + (size_t)TRIANGLE_BYTES * t + NORMAL_BYTES;
        for (size_t i = 0; i < 9; ++i) {
            mesh->positions[9 * (size_t)t + i] =
                sni_bytes_to_float(sni_bytes_load_u32(vertices + 4 * i));
        }
    }
    status = sni_import_add_mesh(import, mesh, SN_NONE, error);
cleanup:
    sni_free(source->context, name);
    return status;
}

// ---------------------------------------------------------------------------------------------
// ASCII

typedef struct stl_reader {
    sn_context *context;
    const char *path;
    sni_text text;
    float *positions; // of the solid being read
    uint32_t triangle_count, triangle_capacity;
} stl_reader;

static sn_status expect(stl_reader *stl, const char *expected, sn_error *error) {
    sni_text_skip_space(&stl->text);
    sni_text before = stl->text;
    if (!sni_word_is(sni_text_word(&stl->text), expected)) {
        return sni_text_fail(&before, error, SN_SYNTAX, "expected %s, found %s", expected,
                             sni_text_found(&before).text);
    }
    return SN_OK;
}

// "facet" was read. Its normal may be anything: programs write nan for triangles without area.
static sn_status read_facet(stl_reader *stl, sn_error *error) {
    sn_status status = SN_OK;
    if (stl->triangle_count == TRIANGLE_MAX) {
        return sni_text_fail(&stl->text, error, SN_LIMIT, "more than %u triangles", TRIANGLE_MAX);
    }
    if (!sni_grow(stl->context, &stl->positions, &stl->triangle_capacity, stl->triangle_count + 1,
                  9 * sizeof(float))) {
        return sni_fail_memory(error);
    }
    sni_text_skip_line(&stl->text);
    SN_TRY(expect(stl, "outer", error));
    SN_TRY(expect(stl, "loop", error));
    float *positions = stl->positions + 9 * (size_t)stl->triangle_count;
    for (int i = 0; i < 9; ++i) {
        if (i % 3 == 0) {
            SN_TRY(expect(stl, "vertex", error));
        }
        sni_text_skip_space(&stl->text);
        SN_TRY(sni_text_float(&stl->text, "a coordinate", &positions[i], error));
    }
    SN_TRY(expect(stl, "endloop", error));
    SN_TRY(expect(stl, "endfacet", error));
    stl->triangle_count++;
cleanup:
    return status;
}

static sn_status add_solid(stl_reader *stl, sni_word given, sn_import *import, sn_error *error) {
    sn_status status = SN_OK;
    sn_mesh *mesh = NULL;
    char *name = given.length > 0 ? sni_word_copy(stl->context, given)
                                  : sni_name_of_file(stl->context, stl->path);
    if (name == NULL) {
        return sni_fail_memory(error);
    }
    SN_TRY(make_triangles(stl->context, name, stl->triangle_count, &mesh, error));
    if (stl->triangle_count > 0) {
        memcpy(mesh->positions, stl->positions, 9 * sizeof(float) * (size_t)stl->triangle_count);
    }
    stl->triangle_count = 0;
    status = sni_import_add_mesh(import, mesh, SN_NONE, error);
cleanup:
    sni_free(stl->context, name);
    return status;
}

static sn_status read_solid(stl_reader *stl, sn_import *import, sn_error *error) {
    sn_status status = SN_OK;
    SN_TRY(expect(stl, "solid", error));
    sni_word name = sni_text_rest(&stl->text);
    for (;;) {
        sni_text_skip_space(&stl->text);
        sni_text before = stl->text;
        sni_word word = sni_text_word(&stl->text);
        if (sni_word_is(word, "endsolid")) {
            sni_text_skip_line(&stl->text); // the name again
            return add_solid(stl, name, import, error);
        }
        if (!sni_word_is(word, "facet")) {
            return sni_text_fail(&before, error, SN_SYNTAX, "expected facet or endsolid, found %s",
                                 sni_text_found(&before).text);
        }
        SN_TRY(read_facet(stl, error));
    }
cleanup:
    return status;
}

static sn_status read_ascii(const sni_source *source, sn_import *import, sn_error *error) {
    sn_status status = SN_OK;
    stl_reader stl = {.context = source->context,
                      .path = source->name,
                      .text = sni_text_begin(source->bytes, source->size)};
    do {
        SN_TRY(read_solid(&stl, import, error));
        sni_text_skip_space(&stl.text);
    } while (stl.text.at < stl.text.end);
cleanup:
    sni_free(source->context, stl.positions);
    return status;
}

// Binary files often start with "solid", too: text is what has the word, then a line without zeros,
// then one of the two words that may follow.
static bool is_ascii(const sni_source *source) {
    sni_text text = sni_text_begin(source->bytes, source->size);
    sni_text_skip_space(&text);
    if (has_binary_size(source) || !sni_word_is(sni_text_word(&text), "solid")) {
        return false;
    }
    sni_word name = sni_text_rest(&text);
    if (memchr(name.start, 0, name.length) != NULL) {
        return false;
    }
    sni_text_skip_space(&text);
    sni_word word = sni_text_word(&text);
    return sni_word_is(word, "facet") || sni_word_is(word, "endsolid") ||
           source->size < HEADER_BYTES;
}

sn_status sni_read_stl(const sni_source *source, sn_import *import, sn_error *error) {
    return is_ascii(source) ? read_ascii(source, import, error)
                            : read_binary(source, import, error);
}
