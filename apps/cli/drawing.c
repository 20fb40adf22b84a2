// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "drawing.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

sn_status cli_drawing_fail(sn_error *error, const char *path, uint32_t line, const char *format,
                           ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    snprintf(error->source, sizeof error->source, "%s", path);
    error->line = line;
    return error->status = SN_INVALID;
}

// Fails at a value of the file.
static sn_status fail_at(sn_error *error, const char *path, const sn_value *value,
                         const char *message) {
    sn_value_path(value, error->place, sizeof error->place);
    return cli_drawing_fail(error, path, value->line, "%s", message);
}

cli_drawn_muscle *cli_drawing_add(cli_drawing *drawing, const char *name) {
    cli_drawn_muscle *more =
        realloc(drawing->muscles, (drawing->count + (size_t)1) * sizeof *drawing->muscles);
    if (more == NULL) {
        return NULL;
    }
    drawing->muscles = more;
    cli_drawn_muscle *added = &more[drawing->count++];
    *added = (cli_drawn_muscle){.name = name != NULL ? strdup(name) : NULL};
    return name == NULL || added->name != NULL ? added : NULL;
}

static sn_status read_point(const char *path, const sn_value *value, sn_vec3 *point,
                            sn_error *error) {
    double p[3];
    for (uint32_t k = 0; k < 3; ++k) {
        p[k] = sn_value_number(sn_value_at(value, k), NAN);
    }
    *point = sn_vec3_make(p[0], p[1], p[2]);
    return sn_value_count(value) == 3 && sn_vec3_is_finite(*point)
               ? SN_OK
               : fail_at(error, path, value, "expected a point [x, y, z]");
}

static sn_status read_curves(const char *path, const sn_value *curves, cli_drawn_muscle *muscle,
                             sn_error *error) {
    if (sn_value_count(curves) != 2) {
        char message[64];
        snprintf(message, sizeof message, "expected two curves, found %u", sn_value_count(curves));
        return fail_at(error, path, curves, message);
    }
    for (uint32_t k = 0; k < 2; ++k) {
        const sn_value *list = sn_value_at(curves, k);
        uint32_t count = sn_value_count(list);
        if (list->type != SN_JSON_ARRAY || count == 0) {
            return fail_at(error, path, list, "expected a list of points [[x, y, z], ...]");
        }
        muscle->counts[k] = count;
        muscle->points[k] = malloc(count * sizeof *muscle->points[k]);
        if (muscle->points[k] == NULL) {
            return cli_fail_memory(error);
        }
        for (uint32_t i = 0; i < count; ++i) {
            sn_status status = read_point(path, sn_value_at(list, i), &muscle->points[k][i], error);
            if (status != SN_OK) {
                return status;
            }
        }
    }
    return SN_OK;
}

static sn_status read_muscle(const char *path, const sn_value *value, const char *name,
                             cli_drawing *drawing, sn_error *error) {
    bool bare = value->type == SN_JSON_ARRAY;
    const sn_value *curves = bare ? value : sn_value_get(value, "curves");
    if (curves == NULL) {
        return fail_at(error, path, value, "the key \"curves\" is missing");
    }
    cli_drawn_muscle *muscle = cli_drawing_add(drawing, name);
    if (muscle == NULL) {
        return cli_fail_memory(error);
    }
    muscle->keys = bare ? NULL : value;
    return read_curves(path, curves, muscle, error);
}

static sn_status read_json(sn_context *context, const char *path, const char *text, size_t size,
                           cli_drawing *drawing, sn_error *error) {
    sn_status status = sn_json_parse(context, text, size, &drawing->json, error);
    if (status != SN_OK) {
        snprintf(error->source, sizeof error->source, "%s", path);
        return status;
    }
    const sn_value *root = sn_json_root(drawing->json);
    const sn_value *map = sn_value_get(root, "muscles");
    map = map != NULL ? map : root;
    if (sn_value_get(root, "curves") != NULL || map->type != SN_JSON_OBJECT) {
        return read_muscle(path, root, NULL, drawing, error);
    }
    for (uint32_t i = 0; i < sn_value_count(map) && status == SN_OK; ++i) {
        const sn_value *value = sn_value_at(map, i);
        status = read_muscle(path, value, value->key, drawing, error);
    }
    return status == SN_OK && drawing->count == 0
               ? cli_drawing_fail(error, path, 0, "there are no curves")
               : status;
}

sn_status cli_drawing_read(sn_context *context, const char *path, cli_drawing *drawing,
                           sn_error *error) {
    char *text = NULL;
    size_t size = 0;
    sn_status status = cli_read_text(path, &text, &size, error);
    if (status == SN_OK) {
        status = cli_has_extension(path, ".obj")
                     ? cli_drawing_read_obj(path, text, drawing, error)
                     : read_json(context, path, text, size, drawing, error);
    }
    free(text);
    return status;
}

void cli_drawing_close(cli_drawing *drawing) {
    for (uint32_t i = 0; i < drawing->count; ++i) {
        free(drawing->muscles[i].name);
        free(drawing->muscles[i].points[0]);
        free(drawing->muscles[i].points[1]);
    }
    free(drawing->muscles);
    sn_json_destroy(drawing->json);
    *drawing = (cli_drawing){0};
}
