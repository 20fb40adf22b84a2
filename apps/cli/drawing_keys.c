// SPDX-License-Identifier: Apache-2.0
//
// What a file of curves says of a muscle beside them, with the keys of the document.
#include "drawing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static sn_status fail_key(const char *path, const sn_value *value, const char *expected,
                          sn_error *error) {
    sn_value_path(value, error->place, sizeof error->place);
    return cli_drawing_fail(error, path, value->line, "%s", expected);
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
            return fail_key(path, value, "expected a number that is not negative", error);
        }
        if (keys[i].number != NULL) {
            *keys[i].number = number;
        } else if (number != floor(number)) {
            return fail_key(path, value, "expected a whole number", error);
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
                                         : fail_key(path, value, "expected a string", error);
        }
    }
    return SN_OK;
}

bool cli_ring_way(const char *text, sn_ring_way *way) {
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
            return fail_key(path, value, message, error);
        }
    }
    return SN_OK;
}

// A driver as the document has it, without its control: {"parameter": P, "curve": [[in, out],
// ...]}.
static sn_status take_driver(const char *path, const sn_value *value, sn_muscle_desc *desc,
                             cli_drawn_values *values, sn_error *error) {
    const sn_value *curve = sn_value_get(value, "curve");
    uint32_t count = sn_value_count(curve);
    desc->driver = sn_value_string(sn_value_get(value, "parameter"), NULL);
    if (desc->driver == NULL || sn_value_count(value) != 1 + (uint32_t)(curve != NULL)) {
        return fail_key(path, value,
                        "expected {\"parameter\": \"...\", \"curve\": [[in, out], ...]}", error);
    }
    free(values->pairs);
    values->pairs = malloc((2 * (size_t)count + 1) * sizeof *values->pairs);
    if (values->pairs == NULL) {
        return cli_fail_memory(error);
    }
    for (uint32_t i = 0; i < count; ++i) {
        const sn_value *pair = sn_value_at(curve, i);
        for (uint32_t k = 0; k < 2; ++k) {
            values->pairs[2 * i + k] = sn_value_number(sn_value_at(pair, k), NAN);
        }
        if (sn_value_count(pair) != 2 || isnan(values->pairs[2 * i] + values->pairs[2 * i + 1])) {
            return fail_key(path, pair, "expected a pair [in, out]", error);
        }
    }
    desc->driver_curve = values->pairs;
    desc->driver_pairs = count;
    return SN_OK;
}

static sn_status take_center(const char *path, const sn_value *value, sn_muscle_desc *desc,
                             cli_drawn_values *values, sn_error *error) {
    values->center = sn_vec3_make(sn_value_number(sn_value_at(value, 0), NAN),
                                  sn_value_number(sn_value_at(value, 1), NAN),
                                  sn_value_number(sn_value_at(value, 2), NAN));
    desc->center = &values->center;
    return sn_value_count(value) == 3 && sn_vec3_is_finite(values->center)
               ? SN_OK
               : fail_key(path, value, "expected a point [x, y, z]", error);
}

static sn_status take_key(const char *path, const sn_value *value, sn_muscle_desc *desc,
                          cli_drawn_values *values, sn_error *error) {
    if (strcmp(value->key, "way") == 0) {
        return cli_ring_way(sn_value_string(value, ""), &desc->way)
                   ? SN_OK
                   : fail_key(path, value, "expected \"auto\", \"skin\" or \"straight\"", error);
    }
    bool taken =
        strcmp(value->key, "curves") == 0 || strcmp(value->key, "about") == 0 ||
        (strcmp(value->key, "kind") == 0 && strcmp(sn_value_string(value, ""), "patch") == 0);
    if (strcmp(value->key, "center") == 0) {
        return take_center(path, value, desc, values, error);
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
    return status != SN_OK || taken ? status
                                    : fail_key(path, value, "the key has no meaning here", error);
}

sn_status cli_drawing_take_keys(const char *path, const sn_value *object, sn_muscle_desc *desc,
                                cli_drawn_values *values, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < sn_value_count(object) && status == SN_OK; ++i) {
        status = take_key(path, sn_value_at(object, i), desc, values, error);
    }
    return status;
}
