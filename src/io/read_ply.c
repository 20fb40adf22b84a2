// SPDX-License-Identifier: Apache-2.0
//
// PLY (Turk, "The PLY Polygon File Format", 1994): ASCII, binary little and big endian, with any
// types and orders of properties. Of vertices it keeps x y z, nx ny nz, texture coordinates
// (s t, u v, texture_u texture_v) and colours (red green blue [alpha]; integers are scaled to
// 0..1); of faces the list of vertices. Everything else is stepped over and logged. Triangle strips
// are refused.
#include "base/context.h"
#include "base/number.h"
#include "io/bytes.h"
#include "io/import.h"
#include "io/text.h"

#include <math.h>
#include <string.h>

typedef enum ply_type {
    PLY_INT8,
    PLY_UINT8,
    PLY_INT16,
    PLY_UINT16,
    PLY_INT32,
    PLY_UINT32,
    PLY_FLOAT,
    PLY_DOUBLE,
    PLY_TYPE_COUNT,
    PLY_NO_LIST = PLY_TYPE_COUNT,
} ply_type;

static const struct {
    const char *name, *other_name;
    unsigned size;
    double scale; // of a colour channel
} ply_types[] = {
    [PLY_INT8] = {"char", "int8", 1, 1.0 / 127},
    [PLY_UINT8] = {"uchar", "uint8", 1, 1.0 / 255},
    [PLY_INT16] = {"short", "int16", 2, 1.0 / 32767},
    [PLY_UINT16] = {"ushort", "uint16", 2, 1.0 / 65535},
    [PLY_INT32] = {"int", "int32", 4, 1.0 / 2147483647},
    [PLY_UINT32] = {"uint", "uint32", 4, 1.0 / 4294967295},
    [PLY_FLOAT] = {"float", "float32", 4, 1},
    [PLY_DOUBLE] = {"double", "float64", 8, 1},
};

// What a property of a vertex means.
typedef enum ply_role {
    ROLE_X,
    ROLE_Y,
    ROLE_Z,
    ROLE_NX,
    ROLE_NY,
    ROLE_NZ,
    ROLE_U,
    ROLE_V,
    ROLE_RED,
    ROLE_GREEN,
    ROLE_BLUE,
    ROLE_ALPHA,
    ROLE_COUNT,
    ROLE_CORNERS, // of a face
    ROLE_NONE,
} ply_role;

static const struct {
    const char *name;
    ply_role role;
} vertex_roles[] = {
    {"x", ROLE_X},     {"y", ROLE_Y},         {"z", ROLE_Z},         {"nx", ROLE_NX},
    {"ny", ROLE_NY},   {"nz", ROLE_NZ},       {"u", ROLE_U},         {"v", ROLE_V},
    {"s", ROLE_U},     {"t", ROLE_V},         {"texture_u", ROLE_U}, {"texture_v", ROLE_V},
    {"red", ROLE_RED}, {"green", ROLE_GREEN}, {"blue", ROLE_BLUE},   {"alpha", ROLE_ALPHA},
    {"r", ROLE_RED},   {"g", ROLE_GREEN},     {"b", ROLE_BLUE},      {"a", ROLE_ALPHA},
};

typedef struct ply_property {
    sni_word name;
    ply_type list; // type of a list's length, PLY_NO_LIST for a single value
    ply_type type;
    ply_role role;
} ply_property;

typedef struct ply_element {
    sni_word name;
    uint32_t count;
    uint32_t property_count;
    ply_property *properties;
} ply_element;

typedef struct ply_reader {
    sn_context *context;
    const char *path;
    sni_text text; // also walks through binary data
    bool is_ascii, is_big_endian;
    uint32_t element_count;
    ply_element *elements;
    const ply_element *vertices, *faces; // in `elements`; faces may be NULL
    uint32_t ignored_count;
    sni_word ignored;
    float *values[ROLE_COUNT]; // #V each, NULL for what the file lacks
    uint32_t *face_ends;       // #F
    uint32_t *corners;
    uint32_t corner_count, corner_capacity;
} ply_reader;

// ---------------------------------------------------------------------------------------------
// Header

static sn_status read_type(ply_reader *ply, ply_type *type, sn_error *error) {
    sni_word word = sni_text_word(&ply->text);
    for (int i = 0; i < PLY_TYPE_COUNT; ++i) {
        if (sni_word_is(word, ply_types[i].name) || sni_word_is(word, ply_types[i].other_name)) {
            *type = (ply_type)i;
            return SN_OK;
        }
    }
    return sni_text_fail(&ply->text, error, SN_SYNTAX, "unknown type %s of a property",
                         sni_word_found(word).text);
}

static sn_status read_format(ply_reader *ply, sn_error *error) {
    sni_word word = sni_text_word(&ply->text);
    ply->is_ascii = sni_word_is(word, "ascii");
    ply->is_big_endian = sni_word_is(word, "binary_big_endian");
    if (!ply->is_ascii && !ply->is_big_endian && !sni_word_is(word, "binary_little_endian")) {
        return sni_text_fail(&ply->text, error, SN_UNSUPPORTED, "unknown PLY format %s",
                             sni_word_found(word).text);
    }
    word = sni_text_word(&ply->text);
    if (!sni_word_is(word, "1.0")) {
        return sni_text_fail(&ply->text, error, SN_UNSUPPORTED, "PLY version %s is not 1.0",
                             sni_word_found(word).text);
    }
    return SN_OK;
}

static sn_status read_element(ply_reader *ply, sn_error *error) {
    ply_element element = {.name = sni_text_word(&ply->text)};
    sn_status status = sni_text_uint(&ply->text, "the number of elements", &element.count, error);
    if (status != SN_OK) {
        return status;
    }
    if (sni_word_is(element.name, "tristrips")) {
        return sni_text_fail(&ply->text, error, SN_UNSUPPORTED,
                             "triangle strips are not read; save the mesh with plain faces");
    }
    if (!sni_grow_by_one(ply->context, &ply->elements, ply->element_count, sizeof *ply->elements)) {
        return sni_fail_memory(error);
    }
    ply->elements[ply->element_count++] = element;
    return SN_OK;
}

static ply_role find_role(const ply_element *element, const ply_property *property) {
    bool is_list = property->list != PLY_NO_LIST;
    if (sni_word_is(element->name, "face") && is_list &&
        (sni_word_is(property->name, "vertex_indices") ||
         sni_word_is(property->name, "vertex_index"))) {
        return ROLE_CORNERS;
    }
    bool is_vertex = sni_word_is(element->name, "vertex") && !is_list;
    for (size_t i = 0; is_vertex && i < sizeof vertex_roles / sizeof *vertex_roles; ++i) {
        if (sni_word_is(property->name, vertex_roles[i].name)) {
            return vertex_roles[i].role;
        }
    }
    return ROLE_NONE;
}

static sn_status check_role(ply_reader *ply, const ply_element *element,
                            const ply_property *property, sn_error *error) {
    for (uint32_t i = 0; i < element->property_count; ++i) {
        if (property->role != ROLE_NONE && element->properties[i].role == property->role) {
            return sni_text_fail(&ply->text, error, SN_INVALID, "properties %s and %s say the same",
                                 sni_word_found(element->properties[i].name).text,
                                 sni_word_found(property->name).text);
        }
    }
    return SN_OK;
}

static sn_status read_property(ply_reader *ply, sn_error *error) {
    sn_status status = SN_OK;
    if (ply->element_count == 0) {
        return sni_text_fail(&ply->text, error, SN_SYNTAX, "a property before the first element");
    }
    ply_element *element = &ply->elements[ply->element_count - 1];
    ply_property property = {.list = PLY_NO_LIST};
    sni_text before = ply->text;
    if (sni_word_is(sni_text_word(&before), "list")) {
        ply->text = before;
        SN_TRY(read_type(ply, &property.list, error));
        if (property.list >= PLY_FLOAT) {
            return sni_text_fail(&ply->text, error, SN_INVALID,
                                 "the length of a list cannot be a %s",
                                 ply_types[property.list].name);
        }
    }
    SN_TRY(read_type(ply, &property.type, error));
    property.name = sni_text_word(&ply->text);
    if (property.name.length == 0) {
        return sni_text_fail(&ply->text, error, SN_SYNTAX, "a property has no name");
    }
    property.role = find_role(element, &property);
    SN_TRY(check_role(ply, element, &property, error));
    if (!sni_grow_by_one(ply->context, &element->properties, element->property_count,
                         sizeof *element->properties)) {
        return sni_fail_memory(error);
    }
    element->properties[element->property_count++] = property;
    if (property.role == ROLE_NONE && ply->ignored_count++ == 0) {
        ply->ignored = property.name;
    }
cleanup:
    return status;
}

static sn_status read_header(ply_reader *ply, sn_error *error) {
    sn_status status = SN_OK;
    bool has_format = false;
    if (!sni_word_is(sni_text_word(&ply->text), "ply") || !sni_text_line_ended(&ply->text)) {
        return sni_text_fail(&ply->text, error, SN_SYNTAX, "a PLY file starts with a line \"ply\"");
    }
    for (;;) {
        sni_text_skip_space(&ply->text);
        sni_text before = ply->text;
        sni_word word = sni_text_word(&ply->text);
        if (sni_word_is(word, "format")) {
            SN_TRY(read_format(ply, error));
            has_format = true;
        } else if (sni_word_is(word, "element")) {
            SN_TRY(read_element(ply, error));
        } else if (sni_word_is(word, "property")) {
            SN_TRY(read_property(ply, error));
        } else if (sni_word_is(word, "end_header")) {
            break;
        } else if (sni_word_is(word, "comment") || sni_word_is(word, "obj_info")) {
            sni_text_skip_comment(&ply->text);
        } else {
            return sni_text_fail(&before, error, SN_SYNTAX, "unknown header line %s",
                                 sni_text_found(&before).text);
        }
        if (!sni_text_line_ended(&ply->text)) {
            return sni_text_fail(&ply->text, error, SN_SYNTAX, "%s stands behind a header line",
                                 sni_text_found(&ply->text).text);
        }
    }
    if (!sni_text_line_ended(&ply->text)) {
        return sni_text_fail(&ply->text, error, SN_SYNTAX, "%s stands behind end_header",
                             sni_text_found(&ply->text).text);
    }
    if (!has_format) {
        return sni_text_fail(&ply->text, error, SN_SYNTAX, "the header has no format");
    }
    sni_text_break(&ply->text);
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Rows

static size_t bytes_left(const ply_reader *ply) {
    return (size_t)(ply->text.end - ply->text.at);
}

static sn_status read_binary_value(ply_reader *ply, ply_type type, double *value, sn_error *error) {
    unsigned size = ply_types[type].size;
    if (bytes_left(ply) < size) {
        return sni_fail(error, SN_SYNTAX, "the file ends too early");
    }
    uint64_t bits = sni_bytes_load(ply->text.at, size, ply->is_big_endian);
    ply->text.at += size;
    switch (type) {
    case PLY_INT8: *value = (int8_t)bits; break;
    case PLY_INT16: *value = (int16_t)bits; break;
    case PLY_INT32: *value = (int32_t)bits; break;
    case PLY_FLOAT: *value = (double)sni_bytes_to_float((uint32_t)bits); break;
    case PLY_DOUBLE: *value = sni_bytes_to_double(bits); break;
    default: *value = (double)bits; break;
    }
    return SN_OK;
}

static sn_status read_value(ply_reader *ply, ply_type type, double *value, sn_error *error) {
    if (!ply->is_ascii) {
        return read_binary_value(ply, type, value, error);
    }
    sni_text_skip_space(&ply->text);
    return sni_text_double(&ply->text, "a number", value, error);
}

// A whole number below `limit`; SN_NONE for any other.
static sn_status read_index(ply_reader *ply, ply_type type, uint32_t limit, double *value,
                            uint32_t *index, sn_error *error) {
    sn_status status = read_value(ply, type, value, error);
    bool is_index = status == SN_OK && *value >= 0 && *value < limit && *value == floor(*value);
    *index = is_index ? (uint32_t)*value : SN_NONE;
    return status;
}

// The length of a list. What is left of the file must have room for so many values.
static sn_status read_length(ply_reader *ply, const ply_property *property, uint32_t *length,
                             sn_error *error) {
    size_t value_size = ply->is_ascii ? 2 : ply_types[property->type].size;
    double value;
    sn_status status = read_index(ply, property->list, UINT32_MAX, &value, length, error);
    if (status == SN_OK && *length == SN_NONE) {
        return sni_fail(error, SN_INVALID, "a list has the length %.17g", value);
    }
    if (status == SN_OK && *length > (bytes_left(ply) + 1) / value_size) {
        return sni_fail(error, SN_SYNTAX, "a list of %u values does not fit into the file",
                        *length);
    }
    return status;
}

static sn_status skip_list(ply_reader *ply, const ply_property *property, sn_error *error) {
    uint32_t length;
    sn_status status = read_length(ply, property, &length, error);
    for (uint32_t i = 0; i < length && status == SN_OK; ++i) {
        double value;
        status = read_value(ply, property->type, &value, error);
    }
    return status;
}

static sn_status read_corners(ply_reader *ply, uint32_t face, const ply_property *property,
                              sn_error *error) {
    sn_status status = SN_OK;
    uint32_t length;
    SN_TRY(read_length(ply, property, &length, error));
    if (length == 0) {
        return sni_fail(error, SN_INVALID, "the face has no corners");
    }
    if (length > UINT32_MAX - 1 - ply->corner_count) {
        return sni_fail(error, SN_LIMIT, "more than %u corners", UINT32_MAX - 1);
    }
    if (!sni_grow(ply->context, &ply->corners, &ply->corner_capacity, ply->corner_count + length,
                  sizeof *ply->corners)) {
        return sni_fail_memory(error);
    }
    for (uint32_t i = 0; i < length; ++i) {
        double value;
        uint32_t *corner = &ply->corners[ply->corner_count + i];
        SN_TRY(read_index(ply, property->type, ply->vertices->count, &value, corner, error));
        if (*corner == SN_NONE) {
            return sni_fail(error, SN_INVALID, "uses vertex %.17g, but there are %u", value,
                            ply->vertices->count);
        }
    }
    ply->corner_count += length;
    ply->face_ends[face] = ply->corner_count;
cleanup:
    return status;
}

static sn_status read_scalar(ply_reader *ply, uint32_t row, const ply_property *property,
                             sn_error *error) {
    double value;
    sn_status status = read_value(ply, property->type, &value, error);
    if (status != SN_OK || property->role == ROLE_NONE) {
        return status;
    }
    bool is_color = property->role >= ROLE_RED;
    float kept = (float)(is_color ? value * ply_types[property->type].scale : value);
    if (!isfinite(kept)) {
        return sni_fail(error, SN_INVALID, "%s is %g", sni_word_found(property->name).text, value);
    }
    ply->values[property->role][row] = kept;
    return SN_OK;
}

static sn_status read_row(ply_reader *ply, const ply_element *element, uint32_t row,
                          sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < element->property_count && status == SN_OK; ++i) {
        const ply_property *property = &element->properties[i];
        if (property->list == PLY_NO_LIST) {
            status = read_scalar(ply, row, property, error);
        } else if (property->role == ROLE_CORNERS) {
            status = read_corners(ply, row, property, error);
        } else {
            status = skip_list(ply, property, error);
        }
    }
    return status;
}

// The fewest bytes that a row can take: a digit and a blank per value in text.
static size_t row_bytes(const ply_reader *ply, const ply_element *element) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < element->property_count; ++i) {
        const ply_property *property = &element->properties[i];
        ply_type first = property->list != PLY_NO_LIST ? property->list : property->type;
        bytes += ply->is_ascii ? 2 : ply_types[first].size;
    }
    return bytes;
}

static sn_status allocate_element(ply_reader *ply, const ply_element *element, sn_error *error) {
    sn_status status = SN_OK;
    if (element == ply->faces) {
        SNI_NEW(ply->context, ply->face_ends, element->count);
    }
    for (uint32_t i = 0; i < element->property_count && element == ply->vertices; ++i) {
        ply_role role = element->properties[i].role;
        if (role < ROLE_COUNT) {
            SNI_NEW(ply->context, ply->values[role], element->count);
        }
    }
cleanup:
    return status;
}

static sn_status read_rows(ply_reader *ply, const ply_element *element, sn_error *error) {
    size_t needed;
    size_t row_size = row_bytes(ply, element);
    if (row_size == 0) {
        return SN_OK;
    }
    if (!sni_size_multiply(element->count, row_size, &needed) || needed > bytes_left(ply) + 1) {
        return sni_fail(error, SN_SYNTAX, "%u elements %s do not fit into the file", element->count,
                        sni_word_found(element->name).text);
    }
    sn_status status = allocate_element(ply, element, error);
    for (uint32_t row = 0; row < element->count && status == SN_OK; ++row) {
        status = read_row(ply, element, row, error);
        if (status != SN_OK) {
            sni_error_place(error, 0, "%.*s %u", (int)element->name.length, element->name.start,
                            row);
        }
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// The mesh

static bool has_role(const ply_element *element, ply_role role) {
    for (uint32_t i = 0; i < element->property_count; ++i) {
        if (element->properties[i].role == role) {
            return true;
        }
    }
    return false;
}

static sn_status find_elements(ply_reader *ply, sn_error *error) {
    for (uint32_t i = 0; i < ply->element_count; ++i) {
        const ply_element *element = &ply->elements[i];
        bool is_vertex = sni_word_is(element->name, "vertex");
        bool is_face = sni_word_is(element->name, "face");
        if ((is_vertex && ply->vertices != NULL) || (is_face && ply->faces != NULL)) {
            return sni_fail(error, SN_INVALID, "element %s is declared twice in the header",
                            sni_word_found(element->name).text);
        }
        ply->vertices = is_vertex ? element : ply->vertices;
        ply->faces = is_face ? element : ply->faces;
        if (!is_vertex && !is_face) {
            sni_log(ply->context, SN_LOG_INFO, "io", "%s: ignored element %s", ply->path,
                    sni_word_found(element->name).text);
        }
    }
    if (ply->vertices == NULL || !has_role(ply->vertices, ROLE_X) ||
        !has_role(ply->vertices, ROLE_Y) || !has_role(ply->vertices, ROLE_Z)) {
        return sni_fail(error, SN_INVALID, "no element vertex with properties x, y and z");
    }
    if (ply->vertices->count == SN_NONE) {
        return sni_fail(error, SN_LIMIT, "%u vertices are too many", ply->vertices->count);
    }
    if (ply->faces != NULL && ply->faces->count > 0 && !has_role(ply->faces, ROLE_CORNERS)) {
        return sni_fail(error, SN_INVALID, "element face has no list vertex_indices");
    }
    return SN_OK;
}

// Puts columns of numbers side by side.
static void interleave(const ply_reader *ply, ply_role first, uint32_t width, float *values) {
    for (uint32_t k = 0; k < width; ++k) {
        const float *column = ply->values[first + k];
        for (size_t i = 0; i < ply->vertices->count; ++i) {
            values[width * i + k] = column[i];
        }
    }
}

static sn_status add_attribute(const ply_reader *ply, sn_mesh *mesh, const char *name,
                               ply_role first, uint32_t width, sn_error *error) {
    uint32_t found = 0;
    for (uint32_t k = 0; k < width; ++k) {
        found += ply->values[first + k] != NULL;
    }
    if (found < width) {
        if (found > 0) {
            sni_log(ply->context, SN_LOG_WARNING, "io", "%s: ignored an incomplete %s", ply->path,
                    name);
        }
        return SN_OK;
    }
    sn_attribute *attribute;
    sn_status status =
        sn_mesh_add_attribute(mesh, name, width, mesh->vertex_count, false, &attribute, error);
    if (status == SN_OK) {
        interleave(ply, first, width, attribute->values);
    }
    return status;
}

static sn_status make_mesh(const ply_reader *ply, sn_import *import, sn_error *error) {
    sn_status status = SN_OK;
    sn_mesh *mesh = NULL;
    uint32_t face_count = ply->face_ends != NULL ? ply->faces->count : 0;
    char *name = sni_name_of_file(ply->context, ply->path);
    if (name == NULL) {
        return sni_fail_memory(error);
    }
    SN_TRY(sn_mesh_create(ply->context, name, ply->vertices->count, face_count, ply->corner_count,
                          &mesh, error));
    interleave(ply, ROLE_X, 3, mesh->positions);
    if (face_count > 0) {
        memcpy(mesh->face_offsets + 1, ply->face_ends, face_count * sizeof(uint32_t));
        memcpy(mesh->corners, ply->corners, ply->corner_count * sizeof(uint32_t));
    }
    SN_TRY(add_attribute(ply, mesh, "normal", ROLE_NX, 3, error));
    SN_TRY(add_attribute(ply, mesh, "uv", ROLE_U, 2, error));
    bool has_alpha = ply->values[ROLE_ALPHA] != NULL;
    SN_TRY(add_attribute(ply, mesh, "color", ROLE_RED, has_alpha ? 4 : 3, error));
    status = sni_import_add_mesh(import, mesh, SN_NONE, error);
    mesh = NULL;
cleanup:
    sni_free(ply->context, name);
    sn_mesh_destroy(mesh);
    return status;
}

static void log_losses(ply_reader *ply) {
    if (ply->ignored_count > 0) {
        sni_log(ply->context, SN_LOG_INFO, "io", "%s: ignored %u properties, the first %s",
                ply->path, ply->ignored_count, sni_word_found(ply->ignored).text);
    }
    if (ply->is_ascii) {
        sni_text_skip_space(&ply->text);
    }
    if (bytes_left(ply) > 0) {
        sni_log(ply->context, SN_LOG_WARNING, "io", "%s: ignored %zu bytes behind the last element",
                ply->path, bytes_left(ply));
    }
}

static void free_reader(ply_reader *ply) {
    for (uint32_t i = 0; i < ply->element_count; ++i) {
        sni_free(ply->context, ply->elements[i].properties);
    }
    for (int i = 0; i < ROLE_COUNT; ++i) {
        sni_free(ply->context, ply->values[i]);
    }
    sni_free(ply->context, ply->elements);
    sni_free(ply->context, ply->face_ends);
    sni_free(ply->context, ply->corners);
}

sn_status sni_read_ply(const sni_source *source, sn_import *import, sn_error *error) {
    sn_status status = SN_OK;
    ply_reader ply = {.context = source->context,
                      .path = source->name,
                      .text = sni_text_begin(source->bytes, source->size)};
    SN_TRY(read_header(&ply, error));
    SN_TRY(find_elements(&ply, error));
    for (uint32_t i = 0; i < ply.element_count; ++i) {
        SN_TRY(read_rows(&ply, &ply.elements[i], error));
    }
    SN_TRY(make_mesh(&ply, import, error));
    log_losses(&ply);
cleanup:
    free_reader(&ply);
    return status;
}
