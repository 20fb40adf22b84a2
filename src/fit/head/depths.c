// SPDX-License-Identifier: Apache-2.0
//
// Tables of tissue depths. The numbers live in a file, each with its source, so that they can be
// checked, replaced and added to.
#include "base/file.h"
#include "base/json_internal.h"
#include "base/text.h"
#include "fit/head/shipped_depths.h"
#include "sinew/fit.h"

#include <string.h>

// Depths beyond these are in another unit, metres.
static const double least_depth = 0.0001, most_depth = 0.1;

// The tolerance where a row has none: the larger of 1.5 mm and a quarter of the depth.
static const double least_tolerance = 0.0015, tolerance_part = 0.25;

static const char *const row_keys[] = {
    "name",      "paired", "bone",         "region", "all_mm",     "male_mm", "female_mm",
    "direction", "slides", "tolerance_mm", "source", "confidence", "about"};
static const char *const top_keys[] = {"about", "sources", "confidence", "gaps", "landmarks"};

static sn_status check_keys(const sn_value *object, const char *const *keys, size_t count,
                            sn_error *error) {
    if (object->type != SN_JSON_OBJECT) {
        return sni_fail_value(error, object, SN_INVALID, "expected an object");
    }
    for (uint32_t i = 0; i < sn_value_count(object); ++i) {
        const sn_value *member = sn_value_at(object, i);
        sni_closest closest = sni_closest_to(member->key);
        bool known = false;
        for (size_t k = 0; k < count; ++k) {
            known = known || strcmp(member->key, keys[k]) == 0;
            sni_closest_try(&closest, keys[k]);
        }
        if (!known) {
            char hint[SNI_HINT_BYTES];
            return sni_fail_value(error, member, SN_INVALID, "the key \"%s\" is unknown%s",
                                  member->key, sni_closest_hint(&closest, hint));
        }
    }
    return SN_OK;
}

// A text that must be there and not be empty.
static sn_status read_text(sn_context *context, const sn_value *row, const char *name,
                           const char *key, char **text, sn_error *error) {
    const sn_value *value = sn_value_get(row, key);
    const char *found = sn_value_string(value, "");
    if (found[0] == 0) {
        return sni_fail_value(error, value != NULL ? value : row, SN_INVALID,
                              "the landmark \"%s\" has no %s", name, key);
    }
    *text = sni_string_copy(context, found);
    return *text != NULL ? SN_OK : sni_fail_memory(error);
}

static sn_status read_depth(const sn_value *row, const char *name, const char *key, bool required,
                            double otherwise, double *depth, sn_error *error) {
    const sn_value *value = sn_value_get(row, key);
    *depth = otherwise;
    if (value == NULL && !required) {
        return SN_OK;
    }
    *depth = sn_value_number(value, -1) / 1000;
    return *depth >= least_depth && *depth <= most_depth
               ? SN_OK
               : sni_fail_value(error, value != NULL ? value : row, SN_INVALID,
                                "the landmark \"%s\" needs %s between %g and %g", name, key,
                                least_depth * 1000, most_depth * 1000);
}

static sn_status read_row(sn_depth_table *table, const sn_value *value, sn_error *error) {
    sn_status status = SN_OK;
    sn_context *context = table->context;
    SN_TRY(check_keys(value, row_keys, sizeof row_keys / sizeof *row_keys, error));
    if (!sni_grow_by_one(context, &table->rows, table->count, sizeof *table->rows)) {
        SN_TRY(sni_fail_memory(error));
    }
    sn_depth_row *row = &table->rows[table->count++];
    *row = (sn_depth_row){.line = value->line};
    SN_TRY(read_text(context, value, "", "name", &row->landmark, error));
    const char *name = row->landmark;
    for (uint32_t i = 0; i + 1 < table->count; ++i) {
        if (strcmp(table->rows[i].landmark, name) == 0) {
            SN_TRY(sni_fail_value(error, value, SN_INVALID,
                                  "the landmark \"%s\" stands here and in line %u", name,
                                  table->rows[i].line));
        }
    }
    SN_TRY(read_text(context, value, name, "source", &row->source, error));
    SN_TRY(read_text(context, value, name, "bone", &row->bone, error));
    SN_TRY(read_text(context, value, name, "region", &row->region, error));
    double *d = row->depths;
    SN_TRY(read_depth(value, name, "all_mm", true, 0, &d[SN_DEPTH_ALL], error));
    SN_TRY(read_depth(value, name, "male_mm", false, d[SN_DEPTH_ALL], &d[SN_DEPTH_MALE], error));
    SN_TRY(
        read_depth(value, name, "female_mm", false, d[SN_DEPTH_ALL], &d[SN_DEPTH_FEMALE], error));
    SN_TRY(read_depth(value, name, "tolerance_mm", false,
                      fmax(least_tolerance, tolerance_part * d[SN_DEPTH_ALL]), &row->tolerance,
                      error));
    row->paired = sn_value_bool(sn_value_get(value, "paired"), false);
    row->slides = sn_value_bool(sn_value_get(value, "slides"), false);
    const char *direction = sn_value_string(sn_value_get(value, "direction"), "normal");
    row->forward = strcmp(direction, "forward") == 0;
    if (!row->forward && strcmp(direction, "normal") != 0) {
        SN_TRY(sni_fail_value(error, sn_value_get(value, "direction"), SN_INVALID,
                              "the direction of \"%s\" is \"normal\" or \"forward\"", name));
    }
cleanup:
    return status;
}

static uint32_t row_of(const sn_depth_table *table, const char *name) {
    uint32_t i = 0;
    while (i < table->count && strcmp(table->rows[i].landmark, name) != 0) {
        ++i;
    }
    return i < table->count ? i : SN_NONE;
}

static sn_status read_gaps(sn_depth_table *table, const sn_value *gaps, sn_error *error) {
    sn_status status = SN_OK;
    SNI_NEW(table->context, table->gaps, sn_value_count(gaps));
    for (uint32_t i = 0; i < sn_value_count(gaps); ++i) {
        const sn_value *pair = sn_value_at(gaps, i);
        for (uint32_t k = 0; k < 2; ++k) {
            const char *name = sn_value_string(sn_value_at(pair, k), "");
            table->gaps[i][k] = row_of(table, name);
            if (sn_value_count(pair) != 2 || table->gaps[i][k] == SN_NONE) {
                SN_TRY(sni_fail_value(error, pair, SN_INVALID,
                                      "a gap lies between two landmarks of the table, not \"%s\"",
                                      name));
            }
        }
        ++table->gap_count;
    }
cleanup:
    return status;
}

sn_status sn_depth_table_parse(sn_context *context, const char *name, const char *text, size_t size,
                               sn_depth_table **table, sn_error *error) {
    sn_status status = SN_OK;
    sn_json *json = NULL;
    sn_depth_table *t = NULL;
    *table = NULL;
    SNI_NEW_ZERO(context, t, 1);
    t->context = context;
    SN_TRY(sn_json_parse(context, text, size, &json, error));
    const sn_value *root = sn_json_root(json), *rows = sn_value_get(root, "landmarks");
    SN_TRY(check_keys(root, top_keys, sizeof top_keys / sizeof *top_keys, error));
    if (sn_value_count(rows) == 0 || rows->type != SN_JSON_ARRAY) {
        SN_TRY(sni_fail_value(error, rows != NULL ? rows : root, SN_INVALID,
                              "the table has no list of \"landmarks\""));
    }
    for (uint32_t i = 0; i < sn_value_count(rows); ++i) {
        SN_TRY(read_row(t, sn_value_at(rows, i), error));
    }
    SN_TRY(read_gaps(t, sn_value_get(root, "gaps"), error));
    *table = t;
    t = NULL;
cleanup:
    if (status != SN_OK) {
        sni_error_source(error, name);
    }
    sn_json_destroy(json);
    sn_depth_table_destroy(t);
    return status;
}

sn_status sn_depth_table_read(sn_context *context, const char *path, sn_depth_table **table,
                              sn_error *error) {
    char *text = NULL;
    size_t size;
    *table = NULL;
    sn_status status = sni_file_read(context, path, &text, &size, error);
    if (status == SN_OK) {
        status = sn_depth_table_parse(context, path, text, size, table, error);
    }
    sni_free(context, text);
    return status;
}

sn_status sn_depth_table_default(sn_context *context, sn_depth_table **table, sn_error *error) {
    return sn_depth_table_parse(context, "tissue-depths.json", sni_shipped_depths,
                                sni_shipped_depths_size, table, error);
}

void sn_depth_table_destroy(sn_depth_table *table) {
    if (table != NULL) {
        sn_context *context = table->context;
        for (uint32_t i = 0; i < table->count; ++i) {
            sni_free(context, table->rows[i].landmark);
            sni_free(context, table->rows[i].region);
            sni_free(context, table->rows[i].bone);
            sni_free(context, table->rows[i].source);
        }
        sni_free(context, table->rows);
        sni_free(context, table->gaps);
        sni_free(context, table);
    }
}

const sn_depth_row *sn_depth_table_find(const sn_depth_table *table, const char *landmark) {
    size_t length = strlen(landmark);
    bool sided = length > 2 && landmark[length - 2] == '.' &&
                 (landmark[length - 1] == 'L' || landmark[length - 1] == 'R');
    for (uint32_t i = 0; i < table->count; ++i) {
        const sn_depth_row *row = &table->rows[i];
        size_t own = strlen(row->landmark);
        if (row->paired == sided && own == length - (sided ? 2 : 0) &&
            strncmp(row->landmark, landmark, own) == 0) {
            return row;
        }
    }
    return NULL;
}
