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

static sn_status read_muscle(const char *path, const sn_value *value, const char *name,
                             cli_drawing *drawing, sn_error *error) {
    bool bare = value->type == SN_JSON_ARRAY;
    const sn_value *curves = bare ? value : sn_value_get(value, "curves");
    if (curves == NULL) {
        return app_fail_at(error, path, value, "the key \"curves\" is missing");
    }
    cli_drawn_muscle *muscle = cli_drawing_add(drawing, name);
    if (muscle == NULL) {
        return app_fail_memory(error);
    }
    muscle->keys = bare ? NULL : value;
    return app_read_curves(path, curves, muscle->points, muscle->counts, error);
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
    sn_status status = app_read_text(path, &text, &size, error);
    if (status == SN_OK) {
        status = app_has_extension(path, ".obj")
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
