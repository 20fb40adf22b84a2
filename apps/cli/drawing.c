// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "drawing.h"

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

static bool add_muscle(cli_drawing *drawing, const char *name, sn_json *json, sn_value *keys) {
    cli_drawn_muscle *more =
        realloc(drawing->muscles, (drawing->count + (size_t)1) * sizeof *drawing->muscles);
    if (more == NULL || keys == NULL) {
        drawing->muscles = more != NULL ? more : drawing->muscles;
        return false;
    }
    drawing->muscles = more;
    cli_drawn_muscle *added = &more[drawing->count++];
    *added =
        (cli_drawn_muscle){.name = name != NULL ? strdup(name) : NULL, .json = json, .keys = keys};
    return name == NULL || added->name != NULL;
}

sn_value *cli_drawing_add(cli_drawing *drawing, const char *name) {
    sn_value *root = sn_json_root(drawing->made);
    sn_value *keys = sn_json_add_object(drawing->made, root, name != NULL ? name : "muscle");
    return add_muscle(drawing, name, drawing->made, keys) ? keys : NULL;
}

// An object of keys, or the curves alone.
static sn_status read_muscle(const sn_value *value, const char *name, cli_drawing *drawing,
                             sn_error *error) {
    bool done;
    if (value->type == SN_JSON_ARRAY) {
        sn_value *keys = cli_drawing_add(drawing, name);
        done = keys != NULL && sn_json_add_copy(drawing->made, keys, "curves", value) != NULL;
    } else {
        done = add_muscle(drawing, name, drawing->json, (sn_value *)value);
    }
    return done ? SN_OK : app_fail_memory(error);
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
        return read_muscle(root, NULL, drawing, error);
    }
    for (uint32_t i = 0; i < sn_value_count(map) && status == SN_OK; ++i) {
        const sn_value *value = sn_value_at(map, i);
        status = read_muscle(value, value->key, drawing, error);
    }
    return status == SN_OK && drawing->count == 0
               ? cli_drawing_fail(error, path, 0, "there are no curves")
               : status;
}

sn_status cli_drawing_read(sn_context *context, const char *path, cli_drawing *drawing,
                           sn_error *error) {
    char *text = NULL;
    size_t size = 0;
    sn_status status = SN_OK;
    SN_TRY(sn_json_create(context, &drawing->made, error));
    SN_TRY(app_read_text(path, &text, &size, error));
    SN_TRY(app_has_extension(path, ".obj") ? cli_drawing_read_obj(path, text, drawing, error)
                                           : read_json(context, path, text, size, drawing, error));
cleanup:
    free(text);
    return status;
}

void cli_drawing_close(cli_drawing *drawing) {
    for (uint32_t i = 0; i < drawing->count; ++i) {
        free(drawing->muscles[i].name);
    }
    free(drawing->muscles);
    sn_json_destroy(drawing->json);
    sn_json_destroy(drawing->made);
    *drawing = (cli_drawing){0};
}
