// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "character/schema/schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The value in a few words, for "found ...".
static void describe(const sn_value *value, char *text, size_t size) {
    switch (value->type) {
    case SN_JSON_NUMBER: snprintf(text, size, "%.10g", value->as.number); break;
    case SN_JSON_STRING: snprintf(text, size, "\"%.60s\"", value->as.string); break;
    case SN_JSON_BOOL: snprintf(text, size, "%s", value->as.boolean ? "true" : "false"); break;
    default: snprintf(text, size, "%s", sn_json_type_name(value->type)); break;
    }
}

static sn_status fail_expected(sn_error *error, const sn_value *value, const char *expected) {
    char found[80];
    describe(value, found, sizeof found);
    return sni_fail_value(error, value, SN_INVALID, "expected %s, found %s", expected, found);
}

static sn_status expect_type(const sn_value *value, sn_json_type type, sn_error *error) {
    return value->type == type ? SN_OK : fail_expected(error, value, sn_json_type_name(type));
}

static sn_status check_number(const sni_schema *schema, const sn_value *value, sn_error *error) {
    bool whole = schema->type == SNI_SCHEMA_WHOLE;
    const char *what = whole ? "a whole number" : "a number";
    if (value->type != SN_JSON_NUMBER || (whole && value->as.number != floor(value->as.number))) {
        return fail_expected(error, value, what);
    }
    bool within = value->as.number >= schema->low && value->as.number <= schema->high;
    if (within && isfinite(value->as.number)) {
        return SN_OK;
    }
    char expected[96];
    if (isinf(schema->low) && isinf(schema->high)) {
        snprintf(expected, sizeof expected, "%s that is finite", what);
    } else if (schema->low == schema->high) {
        snprintf(expected, sizeof expected, "%.10g", schema->low);
    } else {
        snprintf(expected, sizeof expected, "%s from %.10g to %.10g", what, schema->low,
                 schema->high);
    }
    return fail_expected(error, value, expected);
}

static sn_status check_string(const sn_value *value, sn_error *error) {
    if (value->type != SN_JSON_STRING) {
        return fail_expected(error, value, "a string");
    }
    return value->as.string[0] != 0 ? SN_OK
                                    : fail_expected(error, value, "a string that is not empty");
}

static sn_status check_choice(const char *const *choices, const sn_value *value, sn_error *error) {
    char expected[256] = "";
    for (uint32_t i = 0; choices[i] != NULL; ++i) {
        if (value->type == SN_JSON_STRING && strcmp(value->as.string, choices[i]) == 0) {
            return SN_OK;
        }
        size_t used = strlen(expected);
        snprintf(expected + used, sizeof expected - used, "%s\"%s\"",
                 i == 0                   ? ""
                 : choices[i + 1] != NULL ? ", "
                                          : " or ",
                 choices[i]);
    }
    return fail_expected(error, value, expected);
}

static sn_status fail_unknown_key(const sn_value *member, const sni_closest *closest,
                                  sn_error *error) {
    char hint[SNI_HINT_BYTES];
    return sni_fail_value(error, member, SN_INVALID, "unknown key%s",
                          sni_closest_hint(closest, hint));
}

static void try_fields(sni_closest *closest, const sni_schema_field *fields, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        sni_closest_try(closest, fields[i].name);
    }
}

const sni_schema_field *sni_schema_find(const sni_schema_field *fields, uint32_t count,
                                        const char *name) {
    for (uint32_t i = 0; i < count; ++i) {
        if (strcmp(fields[i].name, name) == 0) {
            return &fields[i];
        }
    }
    return NULL;
}

static sn_status fail_missing(const sn_value *value, const char *key, sn_error *error) {
    return sni_fail_value(error, value, SN_INVALID, "the key \"%s\" is missing", key);
}

static sn_status check_required(const sni_schema *schema, const sn_value *value, sn_error *error) {
    for (uint32_t i = 0; i < schema->field_count; ++i) {
        if (schema->fields[i].required && sn_value_get(value, schema->fields[i].name) == NULL) {
            return fail_missing(value, schema->fields[i].name, error);
        }
    }
    return SN_OK;
}

static sn_status check_object(const sni_schema *schema, const sn_value *value, sn_error *error) {
    sn_status status = expect_type(value, SN_JSON_OBJECT, error);
    for (uint32_t i = 0; i < sn_value_count(value) && status == SN_OK; ++i) {
        const sn_value *member = sn_value_at(value, i);
        const sni_schema_field *field =
            sni_schema_find(schema->fields, schema->field_count, member->key);
        if (field == NULL) {
            sni_closest closest = sni_closest_to(member->key);
            try_fields(&closest, schema->fields, schema->field_count);
            try_fields(&closest, schema->expand_keys, schema->expand_key_count);
            return fail_unknown_key(member, &closest, error);
        }
        status = sni_schema_check(field->schema, member, error);
    }
    return status == SN_OK ? check_required(schema, value, error) : status;
}

static sn_status check_map(const sni_schema *schema, const sn_value *value, sn_error *error) {
    if (schema->or_null && value->type != SN_JSON_OBJECT) {
        return value->type == SN_JSON_NULL ? SN_OK
                                           : fail_expected(error, value, "text, an object or null");
    }
    sn_status status = expect_type(value, SN_JSON_OBJECT, error);
    for (uint32_t i = 0; i < sn_value_count(value) && status == SN_OK; ++i) {
        const sn_value *member = sn_value_at(value, i);
        if (member->key[0] == 0) {
            return sni_fail_value(error, member, SN_INVALID, "a name may not be empty");
        }
        status = sni_schema_check(schema->item, member, error);
    }
    return status;
}

static sn_status check_array(const sni_schema *schema, const sn_value *value, sn_error *error) {
    sn_status status = expect_type(value, SN_JSON_ARRAY, error);
    if (status != SN_OK) {
        return status;
    }
    uint32_t count = sn_value_count(value);
    if (count < schema->least || (schema->most != 0 && count > schema->most)) {
        uint32_t limit = count < schema->least ? schema->least : schema->most;
        return sni_fail_value(error, value, SN_INVALID, "expected %s%u value%s, found %u",
                              schema->most == schema->least ? ""
                              : count < schema->least       ? "at least "
                                                            : "at most ",
                              limit, limit == 1 ? "" : "s", count);
    }
    for (uint32_t i = 0; i < count && status == SN_OK; ++i) {
        status = sni_schema_check(schema->item, sn_value_at(value, i), error);
    }
    return status;
}

static sn_status check_numbers(const sn_value *value, uint32_t depth, sn_error *error) {
    uint32_t count = sn_value_count(value);
    bool is_list = value->type == SN_JSON_ARRAY && count > 0 && depth > 0;
    if (value->type != SN_JSON_NUMBER && !is_list) {
        return fail_expected(error, value,
                             depth > 0 ? "a number or a list of numbers" : "a number");
    }
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < count && status == SN_OK; ++i) {
        status = check_numbers(sn_value_at(value, i), depth - 1, error);
    }
    return status;
}

static sn_status check_parameter(const sn_parameter *parameter, const sn_value *value,
                                 sn_error *error) {
    if (parameter->choices != NULL) {
        return check_choice(parameter->choices, value, error);
    }
    sni_schema schema = {.type = parameter->whole ? SNI_SCHEMA_WHOLE : SNI_SCHEMA_NUMBER,
                         .low = parameter->low,
                         .high = parameter->high};
    return check_number(&schema, value, error);
}

static sn_status fail_unknown_kind(const sni_kind_table *kinds, const sn_value *kind,
                                   sn_error *error) {
    char known[256] = "";
    for (uint32_t i = 0; i < kinds->count(); ++i) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s\"%s\"", i == 0 ? "" : ", ",
                 kinds->at(i).name);
    }
    return sni_fail_value(error, kind, SN_INVALID, "there is no %s \"%s\" (there are %s)",
                          kinds->what, kind->as.string, known);
}

static sn_status check_kind_key(const sni_schema *schema, const sni_kind *kind,
                                const sn_value *member, sn_error *error) {
    const sn_parameter *parameter = sni_kind_find_parameter(kind, member->key);
    if (parameter != NULL) {
        return check_parameter(parameter, member, error);
    }
    const sni_schema_field *field =
        sni_schema_find(schema->fields, schema->field_count, member->key);
    if (field != NULL && schema->kinds->takes(kind->ops, member->key)) {
        return sni_schema_check(field->schema, member, error);
    }
    bool needed;
    for (uint32_t i = 0; (field = sni_kind_input_field(kind, i, &needed)) != NULL; ++i) {
        if (strcmp(field->name, member->key) == 0) {
            return sni_schema_check(field->schema, member, error);
        }
    }
    sni_closest closest = sni_closest_to(member->key);
    for (uint32_t i = 0; (parameter = sni_kind_parameter(kind, i)) != NULL; ++i) {
        sni_closest_try(&closest, parameter->name);
    }
    for (uint32_t i = 0; (field = sni_kind_input_field(kind, i, &needed)) != NULL; ++i) {
        sni_closest_try(&closest, field->name);
    }
    for (uint32_t i = 0; i < schema->field_count; ++i) {
        if (schema->kinds->takes(kind->ops, schema->fields[i].name)) {
            sni_closest_try(&closest, schema->fields[i].name);
        }
    }
    try_fields(&closest, schema->expand_keys, schema->expand_key_count);
    return fail_unknown_key(member, &closest, error);
}

bool sni_kind_of_object(const sni_kind_table *kinds, const sn_value *object, sni_kind *kind) {
    const sn_value *name = sn_value_get(object, "kind");
    if (kinds->unnamed || (kinds->implied && name == NULL)) {
        *kind = kinds->at(0);
        return true;
    }
    for (uint32_t i = 0; i < kinds->count(); ++i) {
        *kind = kinds->at(i);
        if (strcmp(kind->name, sn_value_string(name, "")) == 0) {
            return true;
        }
    }
    return false;
}

static sn_status find_kind(const sni_kind_table *kinds, const sn_value *value, sni_kind *kind,
                           sn_error *error) {
    const sn_value *name = sn_value_get(value, "kind");
    if (sni_kind_of_object(kinds, value, kind)) {
        return SN_OK;
    }
    if (name == NULL) {
        return fail_missing(value, "kind", error);
    }
    sn_status status = check_string(name, error);
    return status != SN_OK ? status : fail_unknown_kind(kinds, name, error);
}

static sn_status check_kinds(const sni_schema *schema, const sn_value *value, sn_error *error) {
    sni_kind kind = {0};
    sn_status status = SN_OK;
    SN_TRY(expect_type(value, SN_JSON_OBJECT, error));
    SN_TRY(find_kind(schema->kinds, value, &kind, error));
    for (uint32_t i = 0; i < sn_value_count(value); ++i) {
        const sn_value *member = sn_value_at(value, i);
        if (schema->kinds->unnamed || strcmp(member->key, "kind") != 0) {
            SN_TRY(check_kind_key(schema, &kind, member, error));
        }
    }
    for (uint32_t i = 0; i < schema->field_count; ++i) {
        const char *key = schema->fields[i].name;
        if (schema->kinds->needs(kind.ops, key) && sn_value_get(value, key) == NULL) {
            return fail_missing(value, key, error);
        }
    }
    const sni_schema_field *field;
    bool needed;
    for (uint32_t i = 0; (field = sni_kind_input_field(&kind, i, &needed)) != NULL; ++i) {
        needed = needed || schema->kinds->needs(kind.ops, field->name);
        if (needed && sn_value_get(value, field->name) == NULL) {
            return fail_missing(value, field->name, error);
        }
    }
cleanup:
    return status;
}

sn_status sni_schema_check(const sni_schema *schema, const sn_value *value, sn_error *error) {
    switch (schema->type) {
    case SNI_SCHEMA_OBJECT: return check_object(schema, value, error);
    case SNI_SCHEMA_MAP: return check_map(schema, value, error);
    case SNI_SCHEMA_ARRAY: return check_array(schema, value, error);
    case SNI_SCHEMA_SEVERAL:
        return value->type == SN_JSON_ARRAY ? check_array(schema, value, error)
                                            : sni_schema_check(schema->item, value, error);
    case SNI_SCHEMA_EITHER:
        return sni_schema_check(value->type == SN_JSON_STRING ? schema->item : schema->other, value,
                                error);
    case SNI_SCHEMA_NUMBER:
    case SNI_SCHEMA_WHOLE: return check_number(schema, value, error);
    case SNI_SCHEMA_STRING: return check_string(value, error);
    case SNI_SCHEMA_CHOICE: return check_choice(schema->choices, value, error);
    case SNI_SCHEMA_BOOL: return expect_type(value, SN_JSON_BOOL, error);
    case SNI_SCHEMA_NUMBERS: return check_numbers(value, SNI_NUMBERS_DEPTH, error);
    case SNI_SCHEMA_KINDS: return check_kinds(schema, value, error);
    }
    return SN_OK;
}
