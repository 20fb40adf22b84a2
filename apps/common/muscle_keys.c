// SPDX-License-Identifier: Apache-2.0
//
// Numbers, texts and choices each have a table of keys.
#include "common/muscle_keys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

sn_status app_fail_at(sn_error *error, const char *path, const sn_value *value,
                      const char *message) {
    app_fail(error, SN_INVALID, path, "%s", message);
    sn_value_path(value, error->place, sizeof error->place);
    error->line = value->line;
    return SN_INVALID;
}

sn_status app_read_point(const char *path, const sn_value *value, sn_vec3 *point, sn_error *error) {
    double p[3];
    for (uint32_t k = 0; k < 3; ++k) {
        p[k] = sn_value_number(sn_value_at(value, k), NAN);
    }
    *point = sn_vec3_make(p[0], p[1], p[2]);
    return sn_value_count(value) == 3 && sn_vec3_is_finite(*point)
               ? SN_OK
               : app_fail_at(error, path, value, "expected a point [x, y, z]");
}

static sn_status read_curve(const char *path, const sn_value *list, sn_vec3 **points,
                            uint32_t *count, sn_error *error) {
    *count = sn_value_count(list);
    if (list->type != SN_JSON_ARRAY || *count == 0) {
        return app_fail_at(error, path, list, "expected a list of points [[x, y, z], ...]");
    }
    *points = malloc(*count * sizeof **points);
    sn_status status = *points != NULL ? SN_OK : app_fail_memory(error);
    for (uint32_t i = 0; i < *count && status == SN_OK; ++i) {
        status = app_read_point(path, sn_value_at(list, i), &(*points)[i], error);
    }
    return status;
}

sn_status app_read_curves(const char *path, const sn_value *curves, sn_vec3 *points[2],
                          uint32_t counts[2], sn_error *error) {
    points[0] = points[1] = NULL;
    if (sn_value_count(curves) != 2 || curves->type != SN_JSON_ARRAY) {
        char message[64];
        snprintf(message, sizeof message, "expected two curves, found %u", sn_value_count(curves));
        return app_fail_at(error, path, curves, message);
    }
    sn_status status = SN_OK;
    for (uint32_t k = 0; k < 2 && status == SN_OK; ++k) {
        status = read_curve(path, sn_value_at(curves, k), &points[k], &counts[k], error);
    }
    return status;
}

static sn_status take_number(const char *path, const sn_value *value, sn_muscle_desc *desc,
                             bool *taken, sn_error *error) {
    const struct {
        const char *key;
        double *number;
        uint32_t *whole;
    } keys[] = {{"skin_thickness", &desc->skin_thickness, NULL},
                {"muscle_thickness", &desc->muscle_thickness, NULL},
                {"bone_share", &desc->bone_share, NULL},
                {"bulge", &desc->bulge, NULL},
                {"slide", &desc->slide, NULL},
                {"d_full", &desc->d_full, NULL},
                {"d_none", &desc->d_none, NULL},
                {"degree", NULL, &desc->degree},
                {"patches_u", NULL, &desc->patches_u},
                {"patches_v", NULL, &desc->patches_v}};
    for (uint32_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
        if (strcmp(value->key, keys[i].key) != 0) {
            continue;
        }
        double number = sn_value_number(value, NAN);
        *taken = true;
        if (!(number >= 0 && number <= 1e6)) {
            return app_fail_at(error, path, value, "expected a number that is not negative");
        }
        if (keys[i].number != NULL) {
            *keys[i].number = number;
        } else if (number != floor(number)) {
            return app_fail_at(error, path, value, "expected a whole number");
        } else {
            *keys[i].whole = (uint32_t)number;
        }
    }
    return SN_OK;
}

static sn_status take_text(const char *path, const sn_value *value, sn_muscle_desc *desc,
                           bool *taken, sn_error *error) {
    const struct {
        const char *key;
        const char **text;
    } keys[] = {{"skin", &desc->skin},
                {"segment", &desc->segment},
                {"contraction", &desc->control},
                {"group", &desc->group},
                {"depth_from", &desc->depth_from}};
    for (uint32_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
        if (strcmp(value->key, keys[i].key) == 0) {
            *taken = true;
            *keys[i].text = sn_value_string(value, NULL);
            return *keys[i].text != NULL ? SN_OK
                                         : app_fail_at(error, path, value, "expected a string");
        }
    }
    return SN_OK;
}

bool app_ring_way(const char *text, sn_ring_way *way) {
    static const char *const names[] = {
        [SN_RING_WAY_AUTO] = "auto",
        [SN_RING_WAY_SKIN] = "skin",
        [SN_RING_WAY_STRAIGHT] = "straight",
    };
    for (uint32_t i = 0; i < sizeof names / sizeof *names; ++i) {
        if (strcmp(text, names[i]) == 0) {
            *way = (sn_ring_way)i;
            return true;
        }
    }
    return false;
}

static sn_status take_choice(const char *path, const sn_value *value, sn_muscle_desc *desc,
                             bool *taken, sn_error *error) {
    const struct {
        const char *key, *plain, *other;
        bool *is_other;
    } keys[] = {{"ends", "open", "closed", &desc->closed},
                {"normals", "skin", "curves", &desc->curve_normals}};
    for (uint32_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
        if (strcmp(value->key, keys[i].key) != 0) {
            continue;
        }
        const char *text = sn_value_string(value, "");
        *taken = true;
        *keys[i].is_other = strcmp(text, keys[i].other) == 0;
        if (!*keys[i].is_other && strcmp(text, keys[i].plain) != 0) {
            char message[64];
            snprintf(message, sizeof message, "expected \"%s\" or \"%s\"", keys[i].plain,
                     keys[i].other);
            return app_fail_at(error, path, value, message);
        }
    }
    return SN_OK;
}

// A driver as the document has it, without its control: {"parameter": P, "curve": [[in, out],
// ...]}.
static sn_status take_driver(const char *path, const sn_value *value, sn_muscle_desc *desc,
                             app_muscle_values *values, sn_error *error) {
    const sn_value *curve = sn_value_get(value, "curve");
    uint32_t count = sn_value_count(curve);
    desc->driver = sn_value_string(sn_value_get(value, "parameter"), NULL);
    if (desc->driver == NULL || sn_value_count(value) != 1 + (uint32_t)(curve != NULL)) {
        return app_fail_at(error, path, value,
                           "expected {\"parameter\": \"...\", \"curve\": [[in, out], ...]}");
    }
    free(values->pairs);
    values->pairs = malloc((2 * (size_t)count + 1) * sizeof *values->pairs);
    if (values->pairs == NULL) {
        return app_fail_memory(error);
    }
    for (uint32_t i = 0; i < count; ++i) {
        const sn_value *pair = sn_value_at(curve, i);
        for (uint32_t k = 0; k < 2; ++k) {
            values->pairs[2 * i + k] = sn_value_number(sn_value_at(pair, k), NAN);
        }
        if (sn_value_count(pair) != 2 || isnan(values->pairs[2 * i] + values->pairs[2 * i + 1])) {
            return app_fail_at(error, path, pair, "expected a pair [in, out]");
        }
    }
    desc->driver_curve = values->pairs;
    desc->driver_pairs = count;
    return SN_OK;
}

sn_status app_muscle_take_key(const char *path, const sn_value *value, sn_muscle_desc *desc,
                              app_muscle_values *values, sn_error *error) {
    if (strcmp(value->key, "way") == 0) {
        return app_ring_way(sn_value_string(value, ""), &desc->way)
                   ? SN_OK
                   : app_fail_at(error, path, value, "expected \"auto\", \"skin\" or \"straight\"");
    }
    bool taken =
        strcmp(value->key, "curves") == 0 || strcmp(value->key, "about") == 0 ||
        (strcmp(value->key, "kind") == 0 && strcmp(sn_value_string(value, ""), "patch") == 0);
    if (strcmp(value->key, "center") == 0) {
        desc->center = &values->center;
        return app_read_point(path, value, &values->center, error);
    }
    if (strcmp(value->key, "driver") == 0) {
        return take_driver(path, value, desc, values, error);
    }
    sn_status status = take_number(path, value, desc, &taken, error);
    if (status == SN_OK) {
        status = take_text(path, value, desc, &taken, error);
    }
    if (status == SN_OK) {
        status = take_choice(path, value, desc, &taken, error);
    }
    return status != SN_OK || taken
               ? status
               : app_fail_at(error, path, value, "the key has no meaning here");
}

sn_status app_muscle_take_keys(const char *path, const sn_value *object, sn_muscle_desc *desc,
                               app_muscle_values *values, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < sn_value_count(object) && status == SN_OK; ++i) {
        status = app_muscle_take_key(path, sn_value_at(object, i), desc, values, error);
    }
    return status;
}

sn_status app_add_muscle(sn_character *character, const app_muscle *muscle, sn_error *error) {
    sn_muscle_desc desc = muscle->desc;
    app_muscle_values values = {0};
    sn_status status = app_muscle_take_keys(muscle->path, muscle->keys, &desc, &values, error);
    if (!muscle->normals_given && sn_value_get(muscle->keys, "normals") == NULL) {
        desc.curve_normals = desc.depth_from != NULL;
    }
    if (status == SN_OK) {
        status = sn_character_add_muscle(character, &desc, error);
    }
    free(values.pairs);
    if (status == SN_OK && muscle->mirror_axis != SN_NONE) {
        status = sn_character_mirror_muscle(character, desc.name, NULL, muscle->mirror_axis,
                                            muscle->mirror_at, error);
    }
    return status;
}
