// SPDX-License-Identifier: Apache-2.0
//
// The schema as JSON Schema (draft 2020-12), for editors and for docs/character.schema.json.
#include "base/json_internal.h"
#include "base/memory.h"
#include "character/schema/schema.h"
#include "sinew/character.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// What a schema is written for: a key, or something inside of it.
typedef struct place {
    const sni_schema_field *field; // whose units and names hold; NULL: of none
    bool varies; // it lies in an entry that can be repeated, whose `vary` may give its numbers
} place;

static bool add_schema(sn_json *json, sn_value *object, const sni_schema *schema, place at);

static bool add_type(sn_json *json, sn_value *object, const char *type) {
    return sn_json_add_string(json, object, "type", type) != NULL;
}

static bool add_range(sn_json *json, sn_value *object, double low, double high) {
    return (isinf(low) || sn_json_add_number(json, object, "minimum", low) != NULL) &&
           (isinf(high) || sn_json_add_number(json, object, "maximum", high) != NULL);
}

static bool add_choices(sn_json *json, sn_value *object, const char *const *choices) {
    sn_value *list = sn_json_add_array(json, object, "enum");
    for (uint32_t i = 0; choices[i] != NULL; ++i) {
        if (sn_json_add_string(json, list, NULL, choices[i]) == NULL) {
            return false;
        }
    }
    return true;
}

static bool add_numbers(sn_json *json, sn_value *object, uint32_t depth) {
    if (depth == 0) {
        return add_type(json, object, "number");
    }
    sn_value *types = sn_json_add_array(json, object, "type");
    sn_value *items = sn_json_add_object(json, object, "items");
    return sn_json_add_string(json, types, NULL, "number") != NULL &&
           sn_json_add_string(json, types, NULL, "array") != NULL && items != NULL &&
           add_numbers(json, items, depth - 1) &&
           sn_json_add_number(json, object, "minItems", 1) != NULL;
}

// A title for people: "limits_deg" is "Limits".
static bool add_title(sn_json *json, sn_value *object, const char *name, const char *title) {
    char made[64];
    if (title == NULL) {
        size_t length = strlen(name), deg = strlen("_deg");
        bool degrees = length > deg && strcmp(name + length - deg, "_deg") == 0;
        snprintf(made, sizeof made, "%.*s", (int)(length - (degrees ? deg : 0)), name);
        for (char *c = made; *c != 0; ++c) {
            *c = *c == '_' ? ' ' : *c;
        }
        // Axes stay as they are: rx, tx, x.
        bool is_word = strlen(made) > 2 || strcmp(made, "at") == 0;
        made[0] =
            is_word && made[0] >= 'a' && made[0] <= 'z' ? (char)(made[0] - 'a' + 'A') : made[0];
    }
    return sn_json_add_string(json, object, "title", title != NULL ? title : made) != NULL;
}

// Sections whose names are meant: one, or a list.
static bool add_name_of(sn_json *json, sn_value *object, const char *sections) {
    static const char key[] = "x-name-of";
    if (sections == NULL) {
        return true;
    }
    if (strchr(sections, ' ') == NULL) {
        return sn_json_add_string(json, object, key, sections) != NULL;
    }
    sn_value *list = sn_json_add_array(json, object, key);
    bool done = list != NULL;
    while (done && *sections != 0) {
        char name[32];
        size_t length = strcspn(sections, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, sections);
        done = sn_json_add_string(json, list, NULL, name) != NULL;
        sections += length + (sections[length] == ' ');
    }
    return done;
}

static bool add_default(sn_json *json, sn_value *object, const char *standard) {
    sn_json *parsed = NULL;
    if (standard == NULL) {
        return true;
    }
    bool done = sn_json_parse(json->context, standard, strlen(standard), &parsed, NULL) == SN_OK &&
                sn_json_add_copy(json, object, "default", sn_json_root(parsed)) != NULL;
    sn_json_destroy(parsed);
    return done;
}

static bool add_fields(sn_json *json, sn_value *properties, const sni_schema_field *fields,
                       uint32_t count, bool varies) {
    for (uint32_t i = 0; i < count; ++i) {
        const sni_schema_field *field = &fields[i];
        sn_value *property = sn_json_add_object(json, properties, field->name);
        if (property == NULL || !add_title(json, property, field->name, field->title) ||
            !add_schema(json, property, field->schema, (place){field, varies}) ||
            !add_default(json, property, field->standard)) {
            return false;
        }
    }
    return true;
}

static bool is_numeric(const sni_schema *schema) {
    return schema->type == SNI_SCHEMA_NUMBER || schema->type == SNI_SCHEMA_WHOLE ||
           ((schema->type == SNI_SCHEMA_ARRAY || schema->type == SNI_SCHEMA_SEVERAL) &&
            is_numeric(schema->item));
}

// The required keys whose values are numbers, the others, or all, in a list where there are any.
static bool add_required(sn_json *json, sn_value *object, const sni_schema *schema, bool numbers,
                         bool others) {
    sn_value *list = NULL;
    bool done = true;
    for (uint32_t i = 0; i < schema->field_count && done; ++i) {
        const sni_schema_field *field = &schema->fields[i];
        if (field->required && (is_numeric(field->schema) ? numbers : others)) {
            list = list != NULL ? list : sn_json_add_array(json, object, "required");
            done = sn_json_add_string(json, list, NULL, field->name) != NULL;
        }
    }
    return done;
}

// Numbers of an entry that can be repeated may stand in `vary` alone.
static bool add_numeric_or_vary(sn_json *json, sn_value *object, const sni_schema *schema) {
    bool any = false;
    for (uint32_t i = 0; i < schema->field_count; ++i) {
        any = any || (schema->fields[i].required && is_numeric(schema->fields[i].schema));
    }
    if (!any) {
        return true;
    }
    sn_value *ways = sn_json_add_array(json, object, "anyOf");
    sn_value *numbers = sn_json_add_object(json, ways, NULL);
    sn_value *vary = sn_json_add_object(json, ways, NULL);
    sn_value *list = sn_json_add_array(json, vary, "required");
    return numbers != NULL && add_required(json, numbers, schema, true, false) &&
           sn_json_add_string(json, list, NULL, "vary") != NULL;
}

static bool add_object(sn_json *json, sn_value *object, const sni_schema *schema, bool varies) {
    bool repeats = schema->expand_key_count > 0;
    if (!add_required(json, object, schema, !varies && !repeats, true) ||
        (repeats && !add_numeric_or_vary(json, object, schema))) {
        return false;
    }
    sn_value *properties = sn_json_add_object(json, object, "properties");
    return properties != NULL &&
           add_fields(json, properties, schema->fields, schema->field_count, varies || repeats) &&
           add_fields(json, properties, schema->expand_keys, schema->expand_key_count, false) &&
           sn_json_add_bool(json, object, "additionalProperties", false) != NULL;
}

// Items have the units and names of the key that they lie in; its text is not theirs.
static place inside(place at) {
    return (place){at.field, false};
}

static bool add_array(sn_json *json, sn_value *object, const sni_schema *schema, place at) {
    sn_value *items = sn_json_add_object(json, object, "items");
    return items != NULL && add_schema(json, items, schema->item, inside(at)) &&
           (schema->least == 0 ||
            sn_json_add_number(json, object, "minItems", schema->least) != NULL) &&
           (schema->most == 0 ||
            sn_json_add_number(json, object, "maxItems", schema->most) != NULL);
}

// The item alone, or an array of it.
static bool add_several(sn_json *json, sn_value *object, const sni_schema *schema, place at) {
    sn_value *list = sn_json_add_array(json, object, "oneOf");
    sn_value *one = list != NULL ? sn_json_add_object(json, list, NULL) : NULL;
    sn_value *several = list != NULL ? sn_json_add_object(json, list, NULL) : NULL;
    return one != NULL && several != NULL && add_schema(json, one, schema->item, inside(at)) &&
           add_type(json, several, "array") && add_array(json, several, schema, at);
}

static bool add_unit(sn_json *json, sn_value *object, const char *unit) {
    return unit == NULL || unit[0] == 0 || sn_json_add_string(json, object, "unit", unit) != NULL;
}

// Where a slider may end.
static bool add_usual(sn_json *json, sn_value *object, const sn_parameter *parameter) {
    double usual = parameter->usual;
    double ends[2] = {fmax(parameter->low, -usual), usual};
    return usual == 0 || sn_json_add_numbers(json, object, "x-usual", ends, 2) != NULL;
}

static bool add_parameter(sn_json *json, sn_value *properties, const sn_parameter *parameter) {
    sn_value *property = sn_json_add_object(json, properties, parameter->name);
    if (property == NULL || !add_title(json, property, parameter->name, parameter->title) ||
        sn_json_add_string(json, property, "description", parameter->help) == NULL) {
        return false;
    }
    if (parameter->choices != NULL) {
        uint32_t standard = (uint32_t)parameter->standard;
        return add_choices(json, property, parameter->choices) &&
               sn_json_add_string(json, property, "default", parameter->choices[standard]) != NULL;
    }
    return add_type(json, property, parameter->whole ? "integer" : "number") &&
           add_range(json, property, parameter->low, parameter->high) &&
           (isnan(parameter->standard) ||
            sn_json_add_number(json, property, "default", parameter->standard) != NULL) &&
           add_unit(json, property, parameter->unit) && add_usual(json, property, parameter) &&
           (!parameter->live || sn_json_add_bool(json, property, "x-live", true) != NULL);
}

static bool add_kind_name(sn_json *json, sn_value *properties, const sni_kind *kind) {
    sn_value *property = sn_json_add_object(json, properties, "kind");
    return property != NULL && add_title(json, property, "kind", NULL) &&
           sn_json_add_string(json, property, "description", kind->help) != NULL &&
           sn_json_add_string(json, property, "const", kind->name) != NULL;
}

// The keys of a kind, and which of them must be there.
static bool add_kind(sn_json *json, sn_value *object, const sni_schema *schema,
                     const sni_kind *kind) {
    bool named = !schema->kinds->unnamed;
    sn_value *required = sn_json_add_array(json, object, "required");
    bool done =
        required != NULL && (!named || sn_json_add_string(json, required, NULL, "kind") != NULL);
    for (uint32_t i = 0; done && i < schema->field_count; ++i) {
        const char *key = schema->fields[i].name;
        done = !schema->kinds->needs(kind->ops, key) ||
               sn_json_add_string(json, required, NULL, key) != NULL;
    }
    const sni_schema_field *field;
    bool needed;
    for (uint32_t i = 0; done && (field = sni_kind_input_field(kind, i, &needed)) != NULL; ++i) {
        needed = needed || schema->kinds->needs(kind->ops, field->name);
        done = !needed || sn_json_add_string(json, required, NULL, field->name) != NULL;
    }
    sn_value *properties = done ? sn_json_add_object(json, object, "properties") : NULL;
    done = properties != NULL && (!named || add_kind_name(json, properties, kind));
    const sn_parameter *parameter;
    for (uint32_t i = 0; done && (parameter = sni_kind_parameter(kind, i)) != NULL; ++i) {
        done = add_parameter(json, properties, parameter);
    }
    for (uint32_t i = 0; done && (field = sni_kind_input_field(kind, i, &needed)) != NULL; ++i) {
        done = add_fields(json, properties, field, 1, schema->expand_key_count > 0);
    }
    for (uint32_t i = 0; done && i < schema->field_count; ++i) {
        if (schema->kinds->takes(kind->ops, schema->fields[i].name)) {
            done =
                add_fields(json, properties, &schema->fields[i], 1, schema->expand_key_count > 0);
        }
    }
    for (uint32_t i = 0; done && i < schema->expand_key_count; ++i) {
        // A patch has a `vary` of its own.
        done = sn_value_get(properties, schema->expand_keys[i].name) != NULL ||
               add_fields(json, properties, &schema->expand_keys[i], 1, false);
    }
    return done && sn_json_add_bool(json, object, "additionalProperties", false) != NULL;
}

// One alternative per kind.
static bool add_kinds(sn_json *json, sn_value *object, const sni_schema *schema) {
    if (schema->kinds->implied) {
        sni_kind kind = schema->kinds->at(0);
        return add_type(json, object, "object") && add_kind(json, object, schema, &kind);
    }
    sn_value *list = sn_json_add_array(json, object, "oneOf");
    bool done = list != NULL;
    for (uint32_t i = 0; done && i < schema->kinds->count(); ++i) {
        sni_kind kind = schema->kinds->at(i);
        sn_value *one = sn_json_add_object(json, list, NULL);
        done = one != NULL && sn_json_add_string(json, one, "description", kind.help) != NULL &&
               add_type(json, one, "object") && add_kind(json, one, schema, &kind);
    }
    return done;
}

static bool add_map_type(sn_json *json, sn_value *object, const sni_schema *schema) {
    if (!schema->or_null) {
        return add_type(json, object, "object");
    }
    sn_value *types = sn_json_add_array(json, object, "type");
    return sn_json_add_string(json, types, NULL, "object") != NULL &&
           sn_json_add_string(json, types, NULL, "null") != NULL;
}

static bool add_map(sn_json *json, sn_value *object, const sni_schema *schema, place at) {
    bool is_key = at.field != NULL && at.field->schema == schema; // not a map within it
    sn_value *names = sn_json_add_object(json, object, "propertyNames");
    sn_value *item = sn_json_add_object(json, object, "additionalProperties");
    return sn_json_add_number(json, names, "minLength", 1) != NULL &&
           add_name_of(json, names, is_key ? at.field->keys_of : NULL) && item != NULL &&
           add_schema(json, item, schema->item, inside(at));
}

static bool add_either(sn_json *json, sn_value *object, const sni_schema *schema, place at) {
    sn_value *list = sn_json_add_array(json, object, "oneOf");
    sn_value *one = list != NULL ? sn_json_add_object(json, list, NULL) : NULL;
    sn_value *other = list != NULL ? sn_json_add_object(json, list, NULL) : NULL;
    return one != NULL && other != NULL && add_schema(json, one, schema->item, inside(at)) &&
           add_schema(json, other, schema->other, inside(at));
}

// Units of numbers, names of texts.
static bool add_annotations(sn_json *json, sn_value *object, const sni_schema *schema, place at) {
    if (at.field == NULL) {
        return true;
    }
    bool numeric = is_numeric(schema);
    bool is_text = schema->type == SNI_SCHEMA_STRING;
    return (!numeric || add_unit(json, object, at.field->unit)) &&
           (!is_text || add_name_of(json, object, at.field->name_of));
}

static bool add_contents(sn_json *json, sn_value *object, const sni_schema *schema, place at) {
    switch (schema->type) {
    case SNI_SCHEMA_OBJECT:
        return add_type(json, object, "object") && add_object(json, object, schema, at.varies);
    case SNI_SCHEMA_MAP:
        return add_map_type(json, object, schema) && add_map(json, object, schema, at);
    case SNI_SCHEMA_ARRAY:
        return add_type(json, object, "array") && add_array(json, object, schema, at);
    case SNI_SCHEMA_NUMBER:
        return add_type(json, object, "number") &&
               add_range(json, object, schema->low, schema->high);
    case SNI_SCHEMA_WHOLE:
        return add_type(json, object, "integer") &&
               add_range(json, object, schema->low, schema->high);
    case SNI_SCHEMA_STRING:
        return add_type(json, object, "string") &&
               sn_json_add_number(json, object, "minLength", 1) != NULL;
    case SNI_SCHEMA_CHOICE: return add_choices(json, object, schema->choices);
    case SNI_SCHEMA_BOOL: return add_type(json, object, "boolean");
    case SNI_SCHEMA_SEVERAL: return add_several(json, object, schema, at);
    case SNI_SCHEMA_EITHER: return add_either(json, object, schema, at);
    case SNI_SCHEMA_NUMBERS: return add_numbers(json, object, SNI_NUMBERS_DEPTH);
    case SNI_SCHEMA_KINDS: return add_kinds(json, object, schema);
    }
    return false;
}

static bool add_schema(sn_json *json, sn_value *object, const sni_schema *schema, place at) {
    bool is_key = at.field != NULL && at.field->schema == schema;
    const char *help = is_key && at.field->help != NULL ? at.field->help : schema->help;
    return sn_json_add_string(json, object, "description", help) != NULL &&
           add_contents(json, object, schema, at) && add_annotations(json, object, schema, at);
}

sn_status sn_document_schema(sn_context *context, char **text, size_t *size, sn_error *error) {
    sn_json *json = NULL;
    *text = NULL;
    sn_status status = sn_json_create(context, &json, error);
    if (status != SN_OK) {
        return status;
    }
    sn_value *root = sn_json_root(json);
    bool done = sn_json_add_string(json, root, "$schema",
                                   "https://json-schema.org/draft/2020-12/schema") != NULL &&
                sn_json_add_string(json, root, "title", "sinew character document") != NULL &&
                add_schema(json, root, &sni_document_schema, (place){0});
    status = done ? sn_json_write(json, text, size, error) : sni_fail_memory(error);
    sn_json_destroy(json);
    return status;
}
