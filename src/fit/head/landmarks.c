// SPDX-License-Identifier: Apache-2.0
//
// Landmarks of heads as files. A head's landmarks are places on its skin; a source has places on
// its bones, too.
#include "base/file.h"
#include "base/json_internal.h"
#include "sinew/fit.h"

#include <string.h>

sn_status sn_landmarks_create(sn_context *context, sn_landmarks **landmarks, sn_error *error) {
    *landmarks = sni_alloc_zero(context, 1, sizeof **landmarks);
    if (*landmarks == NULL) {
        return sni_fail_memory(error);
    }
    (*landmarks)->context = context;
    return SN_OK;
}

void sn_landmarks_destroy(sn_landmarks *landmarks) {
    if (landmarks != NULL) {
        sn_context *context = landmarks->context;
        for (uint32_t i = 0; i < landmarks->count; ++i) {
            sni_free(context, landmarks->items[i].name);
            sni_free(context, landmarks->items[i].bone_name);
            sni_free(context, landmarks->items[i].doubted);
        }
        for (uint32_t i = 0; i < landmarks->line_count; ++i) {
            sni_free(context, landmarks->lines[i].name);
            sni_free(context, landmarks->lines[i].vertices);
            sni_free(context, landmarks->lines[i].points);
        }
        sni_free(context, landmarks->items);
        sni_free(context, landmarks->lines);
        sni_free(context, landmarks);
    }
}

sn_landmark *sn_landmarks_find(const sn_landmarks *landmarks, const char *name) {
    for (uint32_t i = 0; landmarks != NULL && i < landmarks->count; ++i) {
        if (strcmp(landmarks->items[i].name, name) == 0) {
            return &landmarks->items[i];
        }
    }
    return NULL;
}

sn_status sn_landmarks_add(sn_landmarks *landmarks, const char *name, sn_landmark **landmark,
                           sn_error *error) {
    *landmark = sn_landmarks_find(landmarks, name);
    if (*landmark != NULL) {
        return SN_OK;
    }
    char *copy = sni_string_copy(landmarks->context, name);
    if (copy == NULL || !sni_grow_by_one(landmarks->context, &landmarks->items, landmarks->count,
                                         sizeof *landmarks->items)) {
        sni_free(landmarks->context, copy);
        return sni_fail_memory(error);
    }
    *landmark = &landmarks->items[landmarks->count++];
    **landmark = (sn_landmark){.name = copy, .vertex = SN_NONE};
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// Reading

static bool read_point(const sn_value *value, sn_vec3 *point) {
    double p[3];
    for (uint32_t k = 0; k < 3; ++k) {
        p[k] = sn_value_number(sn_value_at(value, k), NAN);
    }
    *point = sn_vec3_make(p[0], p[1], p[2]);
    return value != NULL && value->type == SN_JSON_ARRAY && sn_value_count(value) == 3 &&
           sn_vec3_is_finite(*point);
}

static bool read_vertex(const sn_value *value, uint32_t *vertex) {
    double number = sn_value_number(value, -1);
    bool whole = number >= 0 && number < SN_NONE && number == floor(number);
    *vertex = whole ? (uint32_t)number : SN_NONE;
    return whole;
}

static sn_status read_place(sn_landmark *landmark, const sn_value *value, sn_error *error) {
    const sn_value *place = value;
    if (value->type == SN_JSON_OBJECT) {
        place = sn_value_get(value, sn_value_get(value, "vertex") != NULL ? "vertex" : "point");
        landmark->doubt = sn_value_number(sn_value_get(value, "doubt_mm"), 0) / 1000;
    }
    landmark->on_skin = true;
    if (read_vertex(place, &landmark->vertex) || read_point(place, &landmark->skin)) {
        return SN_OK;
    }
    return sni_fail_value(error, value, SN_INVALID,
                          "the landmark \"%s\" is no [x, y, z] and no number of a vertex",
                          landmark->name);
}

static sn_status read_maps(sn_landmarks *landmarks, const sn_value *skin, const sn_value *bones,
                           sn_error *error) {
    sn_status status = SN_OK;
    sn_landmark *landmark;
    for (uint32_t i = 0; i < sn_value_count(skin); ++i) {
        const sn_value *value = sn_value_at(skin, i);
        SN_TRY(sn_landmarks_add(landmarks, value->key, &landmark, error));
        SN_TRY(read_place(landmark, value, error));
    }
    for (uint32_t i = 0; i < sn_value_count(bones); ++i) {
        const sn_value *value = sn_value_at(bones, i);
        const sn_value *point = value;
        SN_TRY(sn_landmarks_add(landmarks, value->key, &landmark, error));
        if (value->type == SN_JSON_OBJECT) {
            const char *bone = sn_value_string(sn_value_get(value, "bone"), NULL);
            point = sn_value_get(value, "point");
            landmark->bone_name = bone != NULL ? sni_string_copy(landmarks->context, bone) : NULL;
        }
        landmark->on_bone = read_point(point, &landmark->bone);
        if (!landmark->on_bone) {
            SN_TRY(sni_fail_value(error, value, SN_INVALID,
                                  "the landmark \"%s\" is no [x, y, z] on a bone", value->key));
        }
    }
cleanup:
    return status;
}

// An entry of a list, as tables of landmarks have them.
static sn_status read_entry(sn_landmarks *landmarks, const sn_value *entry, sn_error *error) {
    sn_status status = SN_OK;
    char name[256];
    sn_landmark *landmark;
    const char *own = sn_value_string(sn_value_get(entry, "name"), "");
    const char *side = sn_value_string(sn_value_get(entry, "side"), "mid");
    bool left = strcmp(side, "left") == 0, right = strcmp(side, "right") == 0;
    if (own[0] == 0 || strlen(own) > 200 || (!left && !right && strcmp(side, "mid") != 0)) {
        SN_TRY(sni_fail_value(error, entry, SN_INVALID,
                              "a landmark needs a \"name\", and \"left\", \"right\" or \"mid\" as "
                              "its \"side\""));
    }
    snprintf(name, sizeof name, "%s%s", own, left ? ".L" : right ? ".R" : "");
    SN_TRY(sn_landmarks_add(landmarks, name, &landmark, error));
    const sn_value *vertex = sn_value_get(entry, "skin_vertex");
    const sn_value *bone = sn_value_get(entry, "bone_point");
    if (vertex != NULL) {
        SN_TRY(read_place(landmark, vertex, error));
    }
    if (bone != NULL) {
        const char *bone_name = sn_value_string(sn_value_get(entry, "bone"), NULL);
        landmark->on_bone = read_point(bone, &landmark->bone);
        if (!landmark->on_bone) {
            SN_TRY(sni_fail_value(error, bone, SN_INVALID,
                                  "the landmark \"%s\" is no [x, y, z] on a bone", name));
        }
        if (bone_name != NULL && landmark->bone_name == NULL) {
            landmark->bone_name = sni_string_copy(landmarks->context, bone_name);
        }
    }
    landmark->depth = sn_value_number(sn_value_get(entry, "depth_mm"), 0) / 1000;
cleanup:
    return status;
}

static sn_status read_line(sn_landmarks *landmarks, const sn_value *value, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = landmarks->context;
    const sn_value *places = value;
    if (!sni_grow_by_one(context, &landmarks->lines, landmarks->line_count,
                         sizeof *landmarks->lines)) {
        SN_TRY(sni_fail_memory(error));
    }
    sn_landmark_line *line = &landmarks->lines[landmarks->line_count++];
    *line = (sn_landmark_line){0};
    if (value->type == SN_JSON_OBJECT) {
        places = sn_value_get(value, "places");
        line->closed = sn_value_bool(sn_value_get(value, "closed"), false);
    }
    line->count = sn_value_count(places);
    line->name = sni_string_copy(context, value->key);
    bool vertices =
        sn_value_at(places, 0) != NULL && sn_value_at(places, 0)->type == SN_JSON_NUMBER;
    if (vertices) {
        SNI_NEW_ZERO(context, line->vertices, line->count);
    } else {
        SNI_NEW_ZERO(context, line->points, line->count);
    }
    for (uint32_t i = 0; i < line->count; ++i) {
        const sn_value *place = sn_value_at(places, i);
        if (vertices ? !read_vertex(place, &line->vertices[i])
                     : !read_point(place, &line->points[i])) {
            SN_TRY(sni_fail_value(error, place, SN_INVALID,
                                  "the line \"%s\" is no list of vertices, and none of points",
                                  value->key));
        }
    }
    if (line->count < 2) {
        SN_TRY(sni_fail_value(error, value, SN_INVALID, "the line \"%s\" has %u places", value->key,
                              line->count));
    }
cleanup:
    return status;
}

sn_status sn_landmarks_parse(sn_context *context, const char *name, const char *text, size_t size,
                             sn_landmarks **landmarks, sn_error *error) {
    sn_status status = SN_OK;
    sn_json *json = NULL;
    sn_landmarks *made = NULL;
    *landmarks = NULL;
    SN_TRY(sn_landmarks_create(context, &made, error));
    SN_TRY(sn_json_parse(context, text, size, &json, error));
    const sn_value *root = sn_json_root(json), *skin = sn_value_get(root, "landmarks");
    const sn_value *lines = sn_value_get(root, "lines"), *bones = sn_value_get(root, "bones");
    if (skin == NULL && lines == NULL && bones == NULL) {
        SN_TRY(sni_fail_value(error, root, SN_INVALID, "the key \"landmarks\" is missing"));
    }
    if (skin != NULL && skin->type == SN_JSON_ARRAY) {
        for (uint32_t i = 0; i < sn_value_count(skin); ++i) {
            SN_TRY(read_entry(made, sn_value_at(skin, i), error));
        }
        skin = NULL;
    }
    SN_TRY(read_maps(made, skin, bones, error));
    for (uint32_t i = 0; i < sn_value_count(lines); ++i) {
        SN_TRY(read_line(made, sn_value_at(lines, i), error));
    }
    *landmarks = made;
    made = NULL;
cleanup:
    if (status != SN_OK) {
        sni_error_source(error, name);
    }
    sn_json_destroy(json);
    sn_landmarks_destroy(made);
    return status;
}

sn_status sn_landmarks_read(sn_context *context, const char *path, sn_landmarks **landmarks,
                            sn_error *error) {
    char *text = NULL;
    size_t size;
    *landmarks = NULL;
    sn_status status = sni_file_read(context, path, &text, &size, error);
    if (status == SN_OK) {
        status = sn_landmarks_parse(context, path, text, size, landmarks, error);
    }
    sni_free(context, text);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Writing

static bool add_point(sn_json *json, sn_value *container, const char *key, sn_vec3 p) {
    const double values[3] = {p.x, p.y, p.z};
    return sn_json_add_numbers(json, container, key, values, 3) != NULL;
}

static bool add_landmark(sn_json *json, sn_value *skin, sn_value *bones, const sn_landmark *l) {
    bool added = true;
    if (l->on_skin && l->doubt > 0) {
        // Tenths of millimetres say more than enough about a doubt.
        double doubt = round(l->doubt * 1e4) / 10;
        sn_value *object = sn_json_add_object(json, skin, l->name);
        added =
            object != NULL &&
            (l->vertex != SN_NONE ? sn_json_add_number(json, object, "vertex", l->vertex) != NULL
                                  : add_point(json, object, "point", l->skin)) &&
            sn_json_add_number(json, object, "doubt_mm", doubt) != NULL &&
            (l->doubted == NULL || sn_json_add_string(json, object, "doubted", l->doubted) != NULL);
    } else if (l->on_skin) {
        added = l->vertex != SN_NONE ? sn_json_add_number(json, skin, l->name, l->vertex) != NULL
                                     : add_point(json, skin, l->name, l->skin);
    }
    if (l->on_bone && added) {
        sn_value *object = sn_json_add_object(json, bones, l->name);
        added = object != NULL &&
                (l->bone_name == NULL ||
                 sn_json_add_string(json, object, "bone", l->bone_name) != NULL) &&
                add_point(json, object, "point", l->bone);
    }
    return added;
}

static bool add_line(sn_json *json, sn_value *lines, const sn_landmark_line *line) {
    sn_value *object = sn_json_add_object(json, lines, line->name);
    sn_value *places = object != NULL ? sn_json_add_array(json, object, "places") : NULL;
    bool added = places != NULL;
    for (uint32_t i = 0; i < line->count && added; ++i) {
        added = line->vertices != NULL
                    ? sn_json_add_number(json, places, NULL, line->vertices[i]) != NULL
                    : add_point(json, places, NULL, line->points[i]);
    }
    return added && (!line->closed || sn_json_add_bool(json, object, "closed", true) != NULL);
}

sn_status sn_landmarks_write(const sn_landmarks *landmarks, const char *path, sn_error *error) {
    sn_status status = SN_OK;
    sn_json *json = NULL;
    char *text = NULL;
    size_t size;
    SN_TRY(sn_json_create(landmarks->context, &json, error));
    sn_value *root = sn_json_root(json), *skin = sn_json_add_object(json, root, "landmarks");
    sn_value *bones = sn_json_add_object(json, root, "bones");
    sn_value *lines = sn_json_add_object(json, root, "lines");
    bool added = skin != NULL && bones != NULL && lines != NULL;
    for (uint32_t i = 0; i < landmarks->count && added; ++i) {
        added = add_landmark(json, skin, bones, &landmarks->items[i]);
    }
    for (uint32_t i = 0; i < landmarks->line_count && added; ++i) {
        added = add_line(json, lines, &landmarks->lines[i]);
    }
    if (!added) {
        SN_TRY(sni_fail_memory(error));
    }
    sn_value *const sections[] = {bones, lines};
    for (int i = 0; i < 2; ++i) {
        if (sn_value_count(sections[i]) == 0) {
            sn_json_remove(sections[i]);
        }
    }
    SN_TRY(sn_json_write(json, &text, &size, error));
    SN_TRY(sn_file_write(path, text, size, error));
cleanup:
    sn_json_free_text(landmarks->context, text);
    sn_json_destroy(json);
    return status;
}
