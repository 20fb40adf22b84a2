// SPDX-License-Identifier: Apache-2.0
//
// Wavefront OBJ: polygons, lines and points with texture coordinates, normals, vertex colours,
// groups and materials. Vertices and faces keep their order and number; a polyline of n vertices
// becomes n - 1 faces of two corners and a list of n points n faces of one. Free-form curves and
// surfaces are refused. One file is one mesh, since its objects may share vertices.
#include "base/context.h"
#include "base/number.h"
#include "io/import.h"
#include "io/read_mtl.h"
#include "io/text.h"

#include <string.h>

// Indices stay below SN_NONE.
#define COUNT_MAX (UINT32_MAX - 1)

typedef enum index_kind { INDEX_VERTEX, INDEX_UV, INDEX_NORMAL, INDEX_KIND_COUNT } index_kind;

static const char *const index_names[] = {"vertex", "texture coordinate", "normal"};

typedef struct obj_corner {
    uint32_t index[INDEX_KIND_COUNT]; // from 0, SN_NONE for none
} obj_corner;

// An index that points behind what was read when it was met: legal only when that comes later.
typedef struct obj_forward {
    index_kind kind;
    uint32_t index, line;
} obj_forward;

typedef struct obj_run {
    sn_run_kind kind;
    uint32_t first_face;
    sni_word name;
} obj_run;

// One growing array.
typedef struct obj_array {
    void *items;
    uint32_t count, capacity;
} obj_array;

typedef struct obj_reader {
    sn_context *context;
    sni_text text;
    obj_array values[INDEX_KIND_COUNT]; // float[3], float[2], float[3]
    obj_array colors;                   // float[3]; shorter than the vertices, or empty
    obj_array corners;                  // obj_corner
    obj_array face_ends;                // uint32_t: corners up to the face's end
    obj_array forwards;                 // obj_forward
    obj_array runs;                     // obj_run
    obj_array libraries;                // sni_word
    uint32_t ignored_count, ignored_line;
    sni_word ignored;
    bool dropped_weight, dropped_depth, has_uncolored;
} obj_reader;

static sn_status push(obj_reader *obj, obj_array *array, size_t item_size, void **item,
                      sn_error *error) {
    if (array->count == COUNT_MAX) {
        return sni_text_fail(&obj->text, error, SN_LIMIT, "more than %u elements", COUNT_MAX);
    }
    if (!sni_grow(obj->context, &array->items, &array->capacity, array->count + 1, item_size)) {
        return sni_fail_memory(error);
    }
    *item = (char *)array->items + item_size * array->count++;
    return SN_OK;
}

// Whether the numbers of a statement are over: a comment may follow them.
static bool statement_ended(obj_reader *obj) {
    return sni_text_line_ended(&obj->text) || *obj->text.at == '#';
}

// Reads up to `capacity` numbers; more are an error.
static sn_status read_numbers(obj_reader *obj, const char *what, uint32_t capacity, float *numbers,
                              uint32_t *count, sn_error *error) {
    sn_status status = SN_OK;
    for (*count = 0; status == SN_OK && !statement_ended(obj); ++*count) {
        if (*count == capacity) {
            return sni_text_fail(&obj->text, error, SN_SYNTAX, "a %s has more than %u numbers",
                                 what, capacity);
        }
        status = sni_text_float(&obj->text, "a number", &numbers[*count], error);
    }
    return status;
}

static sn_status add_color(obj_reader *obj, const float *color, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t vertex = obj->values[INDEX_VERTEX].count - 1;
    void *item = NULL;
    obj->has_uncolored = obj->has_uncolored || obj->colors.count < vertex;
    while (obj->colors.count <= vertex) {
        SN_TRY(push(obj, &obj->colors, 3 * sizeof(float), &item, error));
        memcpy(item, (float[]){1, 1, 1}, 3 * sizeof(float));
    }
    SN_ASSERT(item != NULL); // each vertex has at most one colour
    memcpy(item, color, 3 * sizeof(float));
cleanup:
    return status;
}

// v x y z, v x y z w (w serves rational curves only) or v x y z red green blue.
static sn_status read_vertex(obj_reader *obj, sn_error *error) {
    sn_status status = SN_OK;
    float numbers[6];
    uint32_t count;
    void *item;
    SN_TRY(read_numbers(obj, "vertex", 6, numbers, &count, error));
    if (count != 3 && count != 4 && count != 6) {
        return sni_text_fail(&obj->text, error, SN_SYNTAX,
                             "a vertex has %u numbers; 3, 4 or 6 (with a colour) are read", count);
    }
    SN_TRY(push(obj, &obj->values[INDEX_VERTEX], 3 * sizeof(float), &item, error));
    memcpy(item, numbers, 3 * sizeof(float));
    obj->dropped_weight = obj->dropped_weight || (count == 4 && numbers[3] != 1);
    if (count == 6) {
        SN_TRY(add_color(obj, numbers + 3, error));
    }
cleanup:
    return status;
}

static sn_status read_uv(obj_reader *obj, sn_error *error) {
    sn_status status = SN_OK;
    float numbers[3] = {0};
    uint32_t count;
    void *item;
    SN_TRY(read_numbers(obj, "texture coordinate", 3, numbers, &count, error));
    if (count == 0) {
        return sni_text_fail(&obj->text, error, SN_SYNTAX, "a texture coordinate has no numbers");
    }
    SN_TRY(push(obj, &obj->values[INDEX_UV], 2 * sizeof(float), &item, error));
    memcpy(item, numbers, 2 * sizeof(float));
    obj->dropped_depth = obj->dropped_depth || numbers[2] != 0;
cleanup:
    return status;
}

static sn_status read_normal(obj_reader *obj, sn_error *error) {
    sn_status status = SN_OK;
    float numbers[3];
    uint32_t count;
    void *item;
    SN_TRY(read_numbers(obj, "normal", 3, numbers, &count, error));
    if (count != 3) {
        return sni_text_fail(&obj->text, error, SN_SYNTAX, "a normal has %u numbers, not 3", count);
    }
    SN_TRY(push(obj, &obj->values[INDEX_NORMAL], 3 * sizeof(float), &item, error));
    memcpy(item, numbers, 3 * sizeof(float));
cleanup:
    return status;
}

static sn_status fail_index(obj_reader *obj, sn_error *error) {
    return sni_text_fail(&obj->text, error, SN_SYNTAX,
                         "expected v, v/vt, v//vn or v/vt/vn, found %s",
                         sni_text_found(&obj->text).text);
}

// From the file's counting (from 1, or back from the last one when negative) to ours.
static sn_status resolve_index(obj_reader *obj, index_kind kind, bool backwards, uint32_t number,
                               uint32_t *index, sn_error *error) {
    uint32_t count = obj->values[kind].count;
    if (number == 0) {
        return sni_text_fail(&obj->text, error, SN_INVALID, "%s 0: OBJ counts from 1",
                             index_names[kind]);
    }
    if (backwards && number > count) {
        return sni_text_fail(&obj->text, error, SN_INVALID,
                             "a face uses %s -%u, but %u stand before it", index_names[kind],
                             number, count);
    }
    *index = backwards ? count - number : number - 1;
    if (*index >= count) {
        void *item;
        sn_status status = push(obj, &obj->forwards, sizeof(obj_forward), &item, error);
        if (status != SN_OK) {
            return status;
        }
        *(obj_forward *)item = (obj_forward){kind, *index, obj->text.line};
    }
    return SN_OK;
}

// One corner, `at` on its first character.
static sn_status read_corner(obj_reader *obj, obj_corner *corner, sn_error *error) {
    const char *c = obj->text.at;
    const char *end = obj->text.end;
    *corner = (obj_corner){{SN_NONE, SN_NONE, SN_NONE}};
    for (int kind = 0; kind < INDEX_KIND_COUNT; ++kind) {
        bool backwards = c < end && *c == '-';
        uint32_t number;
        const char *behind = sni_number_read_uint(c + backwards, end, &number);
        if (behind == NULL &&
            (kind == INDEX_VERTEX || backwards || (c < end && *c >= '0' && *c <= '9'))) {
            return fail_index(obj, error);
        }
        if (behind != NULL) {
            sn_status status = resolve_index(obj, (index_kind)kind, backwards, number,
                                             &corner->index[kind], error);
            if (status != SN_OK) {
                return status;
            }
            c = behind;
        }
        if (c == end || *c != '/' || kind == INDEX_NORMAL) {
            break;
        }
        ++c;
    }
    if (!sni_text_ends_number(&obj->text, c)) {
        return fail_index(obj, error);
    }
    obj->text.at = c;
    return SN_OK;
}

static sn_status add_corner(obj_reader *obj, const obj_corner *corner, sn_error *error) {
    void *item;
    sn_status status = push(obj, &obj->corners, sizeof(obj_corner), &item, error);
    if (status == SN_OK) {
        *(obj_corner *)item = *corner;
    }
    return status;
}

static sn_status end_face(obj_reader *obj, sn_error *error) {
    void *item;
    sn_status status = push(obj, &obj->face_ends, sizeof(uint32_t), &item, error);
    if (status == SN_OK) {
        *(uint32_t *)item = obj->corners.count;
    }
    return status;
}

static sn_status read_face(obj_reader *obj, sn_error *error) {
    sn_status status = SN_OK;
    uint32_t first = obj->corners.count;
    while (!statement_ended(obj)) {
        obj_corner corner;
        SN_TRY(read_corner(obj, &corner, error));
        SN_TRY(add_corner(obj, &corner, error));
    }
    if (obj->corners.count == first) {
        return sni_text_fail(&obj->text, error, SN_SYNTAX, "a face has no corners");
    }
    SN_TRY(end_face(obj, error));
cleanup:
    return status;
}

static sn_status read_points(obj_reader *obj, sn_error *error) {
    sn_status status = SN_OK;
    while (!statement_ended(obj)) {
        obj_corner corner;
        SN_TRY(read_corner(obj, &corner, error));
        SN_TRY(add_corner(obj, &corner, error));
        SN_TRY(end_face(obj, error));
    }
cleanup:
    return status;
}

static sn_status read_polyline(obj_reader *obj, sn_error *error) {
    sn_status status = SN_OK;
    obj_corner corner, before;
    uint32_t count = 0;
    for (; !statement_ended(obj); before = corner, ++count) {
        SN_TRY(read_corner(obj, &corner, error));
        if (count > 0) {
            SN_TRY(add_corner(obj, &before, error));
            SN_TRY(add_corner(obj, &corner, error));
            SN_TRY(end_face(obj, error));
        }
    }
    if (count < 2) {
        return sni_text_fail(&obj->text, error, SN_SYNTAX, "a line has %u of at least 2 vertices",
                             count);
    }
cleanup:
    return status;
}

static sn_status read_run(obj_reader *obj, sn_run_kind kind, sn_error *error) {
    void *item;
    sn_status status = push(obj, &obj->runs, sizeof(obj_run), &item, error);
    if (status == SN_OK) {
        *(obj_run *)item = (obj_run){kind, obj->face_ends.count, sni_text_rest(&obj->text)};
    }
    return status;
}

static sn_status read_library(obj_reader *obj, sn_error *error) {
    void *item;
    sn_status status = push(obj, &obj->libraries, sizeof(sni_word), &item, error);
    if (status == SN_OK) {
        *(sni_word *)item = sni_text_rest(&obj->text);
    }
    return status;
}

static bool is_any_of(sni_word word, const char *const *names) {
    while (*names != NULL && !sni_word_is(word, *names)) {
        ++names;
    }
    return *names != NULL;
}

static sn_status read_other(obj_reader *obj, sni_word word, sn_error *error) {
    static const char *const free_form[] = {
        "vp",   "cstype", "deg", "bmat", "step", "curv", "curv2", "surf", "parm", "trim",
        "hole", "scrv",   "sp",  "con",  "bzp",  "bsp",  "cdc",   "cdp",  NULL};
    if (is_any_of(word, free_form)) {
        return sni_text_fail(&obj->text, error, SN_UNSUPPORTED,
                             "free-form curves and surfaces (%s) are not read, polygons only",
                             sni_word_found(word).text);
    }
    if (sni_word_is(word, "call") || sni_word_is(word, "csh")) {
        return sni_text_fail(&obj->text, error, SN_UNSUPPORTED, "the statement %s is not supported",
                             sni_word_found(word).text);
    }
    if (obj->ignored_count++ == 0) {
        obj->ignored = word;
        obj->ignored_line = obj->text.line;
    }
    sni_text_skip_line(&obj->text);
    return SN_OK;
}

static sn_status read_statement(obj_reader *obj, sn_error *error) {
    sni_word word = sni_text_word(&obj->text);
    const char *w = word.start;
    if (word.length == 1) {
        switch (*w) {
        case 'v': return read_vertex(obj, error);
        case 'f': return read_face(obj, error);
        case 'l': return read_polyline(obj, error);
        case 'p': return read_points(obj, error);
        case 'o': return read_run(obj, SN_RUN_OBJECT, error);
        case 'g': return read_run(obj, SN_RUN_GROUP, error);
        case 's': return read_run(obj, SN_RUN_SMOOTHING, error);
        default: break;
        }
    }
    if (word.length == 2 && w[0] == 'v' && (w[1] == 't' || w[1] == 'n')) {
        return w[1] == 't' ? read_uv(obj, error) : read_normal(obj, error);
    }
    if (sni_word_is(word, "fo")) { // an old name of f
        return read_face(obj, error);
    }
    if (sni_word_is(word, "usemtl")) {
        return read_run(obj, SN_RUN_MATERIAL, error);
    }
    if (sni_word_is(word, "mtllib")) {
        return read_library(obj, error);
    }
    return read_other(obj, word, error);
}

static sn_status read_statements(obj_reader *obj, sn_error *error) {
    for (sni_text_skip_space(&obj->text); obj->text.at < obj->text.end;
         sni_text_skip_space(&obj->text)) {
        if (*obj->text.at != '#') {
            sn_status status = read_statement(obj, error);
            if (status != SN_OK) {
                return status;
            }
        }
        sni_text_skip_comment(&obj->text); // alone in its line, or behind the statement
    }
    return SN_OK;
}

static sn_status check_forwards(const obj_reader *obj, sn_error *error) {
    const obj_forward *forwards = obj->forwards.items;
    for (uint32_t i = 0; i < obj->forwards.count; ++i) {
        const obj_forward *f = &forwards[i];
        uint32_t count = obj->values[f->kind].count;
        if (f->index >= count) {
            sni_fail(error, SN_INVALID, "a face uses %s %u, but there are %u", index_names[f->kind],
                     f->index + 1, count);
            sni_error_place(error, f->line, NULL);
            return SN_INVALID;
        }
    }
    return SN_OK;
}

// Copies texture coordinates or normals and what each corner uses of them.
static sn_status make_corner_attribute(const obj_reader *obj, index_kind kind, const char *name,
                                       uint32_t width, sn_mesh *mesh, sn_error *error) {
    const obj_array *values = &obj->values[kind];
    if (values->count == 0) {
        return SN_OK;
    }
    sn_attribute *attribute;
    sn_status status =
        sn_mesh_add_attribute(mesh, name, width, values->count, true, &attribute, error);
    if (status != SN_OK) {
        return status;
    }
    memcpy(attribute->values, values->items, values->count * (size_t)width * sizeof(float));
    const obj_corner *corners = obj->corners.items;
    for (uint32_t i = 0; i < obj->corners.count; ++i) {
        attribute->corner[i] = corners[i].index[kind];
    }
    return SN_OK;
}

// Vertices without a colour beside coloured ones are white.
static sn_status make_colors(const obj_reader *obj, sn_mesh *mesh, sn_error *error) {
    if (obj->colors.count == 0) {
        return SN_OK;
    }
    sn_attribute *attribute;
    sn_status status =
        sn_mesh_add_attribute(mesh, "color", 3, mesh->vertex_count, false, &attribute, error);
    if (status != SN_OK) {
        return status;
    }
    size_t given = (size_t)obj->colors.count * 3;
    memcpy(attribute->values, obj->colors.items, given * sizeof(float));
    for (size_t i = given; i < (size_t)mesh->vertex_count * 3; ++i) {
        attribute->values[i] = 1;
    }
    return SN_OK;
}

static sn_status make_runs(const obj_reader *obj, sn_mesh *mesh, sn_error *error) {
    const obj_run *runs = obj->runs.items;
    for (uint32_t i = 0; i < obj->runs.count; ++i) {
        char *name = sni_word_copy(obj->context, runs[i].name);
        if (name == NULL) {
            return sni_fail_memory(error);
        }
        sn_status status = sn_mesh_add_run(mesh, runs[i].kind, runs[i].first_face, name, error);
        sni_free(obj->context, name);
        if (status != SN_OK) {
            return status;
        }
    }
    return SN_OK;
}

// The name of the file's object when it has just one, else the file's own.
static char *make_name(const obj_reader *obj, const char *path) {
    const obj_run *runs = obj->runs.items;
    const obj_run *object = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < obj->runs.count; ++i) {
        if (runs[i].kind == SN_RUN_OBJECT) {
            object = &runs[i];
            ++count;
        }
    }
    return count == 1 && object->name.length > 0 ? sni_word_copy(obj->context, object->name)
                                                 : sni_name_of_file(obj->context, path);
}

static void copy_faces(const obj_reader *obj, sn_mesh *mesh) {
    memcpy(mesh->positions, obj->values[INDEX_VERTEX].items,
           (size_t)mesh->vertex_count * 3 * sizeof(float));
    const obj_corner *corners = obj->corners.items;
    for (uint32_t i = 0; i < mesh->corner_count; ++i) {
        mesh->corners[i] = corners[i].index[INDEX_VERTEX];
    }
    if (mesh->face_count > 0) {
        memcpy(mesh->face_offsets + 1, obj->face_ends.items,
               (size_t)mesh->face_count * sizeof(uint32_t));
    }
}

static sn_status make_mesh(const obj_reader *obj, const char *path, sn_mesh **mesh,
                           sn_error *error) {
    sn_status status = SN_OK;
    char *name = make_name(obj, path);
    if (name == NULL) {
        return sni_fail_memory(error);
    }
    SN_TRY(sn_mesh_create(obj->context, name, obj->values[INDEX_VERTEX].count, obj->face_ends.count,
                          obj->corners.count, mesh, error));
    copy_faces(obj, *mesh);
    SN_TRY(make_corner_attribute(obj, INDEX_UV, "uv", 2, *mesh, error));
    SN_TRY(make_corner_attribute(obj, INDEX_NORMAL, "normal", 3, *mesh, error));
    SN_TRY(make_colors(obj, *mesh, error));
    SN_TRY(make_runs(obj, *mesh, error));
    const sni_word *libraries = obj->libraries.items;
    for (uint32_t i = 0; i < obj->libraries.count; ++i) {
        SN_TRY(sni_read_mtl(*mesh, path, libraries[i], error));
    }
cleanup:
    sni_free(obj->context, name);
    return status;
}

static void log_losses(const obj_reader *obj, const char *path) {
    if (obj->ignored_count > 0) {
        sni_log(obj->context, SN_LOG_INFO, "io",
                "%s: ignored %u statements that are not read, the first %s in line %u", path,
                obj->ignored_count, sni_word_found(obj->ignored).text, obj->ignored_line);
    }
    if (obj->dropped_weight) {
        sni_log(obj->context, SN_LOG_WARNING, "io", "%s: ignored the w of vertices", path);
    }
    if (obj->dropped_depth) {
        sni_log(obj->context, SN_LOG_WARNING, "io",
                "%s: ignored the third number of texture coordinates", path);
    }
    if (obj->colors.count > 0 &&
        (obj->has_uncolored || obj->colors.count < obj->values[INDEX_VERTEX].count)) {
        sni_log(obj->context, SN_LOG_WARNING, "io", "%s: vertices without a colour become white",
                path);
    }
}

static void free_arrays(obj_reader *obj) {
    for (int kind = 0; kind < INDEX_KIND_COUNT; ++kind) {
        sni_free(obj->context, obj->values[kind].items);
    }
    sni_free(obj->context, obj->colors.items);
    sni_free(obj->context, obj->corners.items);
    sni_free(obj->context, obj->face_ends.items);
    sni_free(obj->context, obj->forwards.items);
    sni_free(obj->context, obj->runs.items);
    sni_free(obj->context, obj->libraries.items);
}

sn_status sni_read_obj(const sni_source *source, sn_import *import, sn_error *error) {
    sn_status status = SN_OK;
    sn_mesh *mesh = NULL;
    obj_reader obj = {.context = source->context,
                      .text = sni_text_begin(source->bytes, source->size)};
    SN_TRY(read_statements(&obj, error));
    if (obj.values[INDEX_VERTEX].count == 0) {
        status = sni_fail(error, SN_SYNTAX, "an OBJ file without vertices");
        goto cleanup;
    }
    SN_TRY(check_forwards(&obj, error));
    SN_TRY(make_mesh(&obj, source->name, &mesh, error));
    log_losses(&obj, source->name);
    status = sni_import_add_mesh(import, mesh, SN_NONE, error);
    mesh = NULL;
cleanup:
    sn_mesh_destroy(mesh);
    free_arrays(&obj);
    return status;
}
