// SPDX-License-Identifier: Apache-2.0
//
// The published schema, read by a small checker of its own that knows nothing of the library's
// tables: both must refuse and accept alike whatever a schema can say.
#include "../documents.h"

#include <math.h>

static sn_json *read_schema(sn_context *context) {
    char *text;
    size_t size;
    sn_json *schema;
    snt_ok(sn_document_schema(context, &text, &size, error));
    snt_ok(sn_json_parse(context, text, size, &schema, error));
    sn_json_free_text(context, text);
    return schema;
}

// Made by `sinew check --schema > docs/character.schema.json`.
static void is_published_as_it_is(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    char *text;
    size_t size, published_size;
    snt_ok(sn_document_schema(context, &text, &size, error));
    char *published = read_bytes(snt_source("docs/character.schema.json"), &published_size);
    assert_int_equal(published_size, size);
    assert_memory_equal(published, text, size);
    free(published);
    sn_json_free_text(context, text);
    snt_context_end(context);
}

// --- As much of JSON Schema as the document needs

static bool follows(const sn_value *schema, const sn_value *value);

static bool has_type(const char *type, const sn_value *value) {
    static const char *const names[] = {"null", "boolean", "number", "string", "array", "object"};
    if (strcmp(type, "integer") == 0) {
        return value->type == SN_JSON_NUMBER && value->as.number == floor(value->as.number);
    }
    return strcmp(type, names[value->type]) == 0;
}

// One type, or one of several.
static bool has_types(const sn_value *types, const sn_value *value) {
    bool found =
        types == NULL || (types->type == SN_JSON_STRING && has_type(types->as.string, value));
    for (uint32_t i = 0; i < sn_value_count(types); ++i) {
        found = found || has_type(sn_value_at(types, i)->as.string, value);
    }
    return found;
}

static bool follows_numbers(const sn_value *schema, const sn_value *value) {
    double number = sn_value_number(value, 0);
    const char *string = sn_value_string(value, "x");
    uint32_t count = sn_value_count(value);
    bool is_array = value->type == SN_JSON_ARRAY;
    return number >= sn_value_number(sn_value_get(schema, "minimum"), -INFINITY) &&
           number <= sn_value_number(sn_value_get(schema, "maximum"), INFINITY) &&
           strlen(string) >= sn_value_number(sn_value_get(schema, "minLength"), 0) &&
           (!is_array || (count >= sn_value_number(sn_value_get(schema, "minItems"), 0) &&
                          count <= sn_value_number(sn_value_get(schema, "maxItems"), INFINITY)));
}

static bool follows_choice(const sn_value *schema, const sn_value *value) {
    const sn_value *choices = sn_value_get(schema, "enum");
    const sn_value *constant = sn_value_get(schema, "const");
    const char *string = sn_value_string(value, NULL);
    if (constant != NULL) {
        return string != NULL && strcmp(string, constant->as.string) == 0;
    }
    bool found = choices == NULL;
    for (uint32_t i = 0; i < sn_value_count(choices); ++i) {
        found =
            found || (string != NULL && strcmp(sn_value_at(choices, i)->as.string, string) == 0);
    }
    return found;
}

static bool follows_members(const sn_value *schema, const sn_value *value) {
    const sn_value *properties = sn_value_get(schema, "properties");
    const sn_value *others = sn_value_get(schema, "additionalProperties");
    const sn_value *required = sn_value_get(schema, "required");
    double shortest =
        sn_value_number(sn_value_get(sn_value_get(schema, "propertyNames"), "minLength"), 0);
    for (uint32_t i = 0; i < sn_value_count(required); ++i) {
        if (sn_value_get(value, sn_value_at(required, i)->as.string) == NULL) {
            return false;
        }
    }
    for (uint32_t i = 0; i < sn_value_count(value); ++i) {
        const sn_value *member = sn_value_at(value, i);
        const sn_value *property = sn_value_get(properties, member->key);
        property = property != NULL ? property : others;
        if (property == NULL) {
            continue; // says nothing about its members
        }
        bool refused = property->type == SN_JSON_BOOL && !property->as.boolean;
        if (strlen(member->key) < shortest || refused ||
            (property->type == SN_JSON_OBJECT && !follows(property, member))) {
            return false;
        }
    }
    return true;
}

static bool follows(const sn_value *schema, const sn_value *value) {
    const sn_value *type = sn_value_get(schema, "type");
    const sn_value *items = sn_value_get(schema, "items");
    const sn_value *one_of = sn_value_get(schema, "oneOf");
    const sn_value *any_of = sn_value_get(schema, "anyOf");
    uint32_t matching = 0;
    bool any = any_of == NULL;
    for (uint32_t i = 0; i < sn_value_count(any_of); ++i) {
        any = any || follows(sn_value_at(any_of, i), value);
    }
    for (uint32_t i = 0; i < sn_value_count(one_of); ++i) {
        matching += follows(sn_value_at(one_of, i), value);
    }
    if ((one_of != NULL && matching != 1) || !any || !has_types(type, value) ||
        !follows_numbers(schema, value) || !follows_choice(schema, value)) {
        return false;
    }
    for (uint32_t i = 0; items != NULL && i < sn_value_count(value); ++i) {
        if (!follows(items, sn_value_at(value, i))) {
            return false;
        }
    }
    return value->type != SN_JSON_OBJECT || one_of != NULL || follows_members(schema, value);
}

// --- Both say the same

static bool schema_accepts(const sn_json *schema, sn_context *context, const char *text) {
    sn_json *json;
    snt_ok(sn_json_parse(context, text, strlen(text), &json, error));
    bool accepts = follows(sn_json_root(schema), sn_json_root(json));
    sn_json_destroy(json);
    return accepts;
}

static void agrees_with_the_checker(void **state) {
    (void)state;
    // Right and wrong in ways that a schema can tell.
    static const struct {
        const char *text;
        bool right;
    } cases[] = {
        {every_key, true},
        {"{'sinew': 1, 'name': 'a'}", true},
        {"[]", false},
        {"{'sinew': 1}", false},
        {"{'name': 'a'}", false},
        {"{'sinew': 1, 'name': ''}", false},
        {"{'sinew': 0, 'name': 'a'}", false},
        {"{'sinew': 1, 'name': 'a', 'x': 1}", false},
        {"{'sinew': 1, 'name': 'a', 'skeleton': {'': {}}}", false},
        {"{'sinew': 1, 'name': 'a', 'skeleton': {'a': {'translation': [1, 2]}}}", false},
        {"{'sinew': 1, 'name': 'a', 'skeleton': {'a': {'translation': [1, 2, 3, 4]}}}", false},
        {"{'sinew': 1, 'name': 'a', 'skeleton': {'a': {'order': 'zxz'}}}", false},
        {"{'sinew': 1, 'name': 'a', 'skeleton': {'a': {'order': 'zxy'}}}", true},
        {"{'sinew': 1, 'name': 'a', 'meshes': {'m': {}}, 'bones': {'b': {'mesh': 'm'}}}", false},
        {"{'sinew': 1, 'name': 'a', 'meshes': {'m': {}}, 'skins': {'s': {}}}", false},
        {"{'sinew': 1, 'name': 'a', 'meshes': {'m': {}}, 'skins': {'s': {'mesh': 'm', "
         "'deformers': [{'kind': 'morph', 'envelope': 1}]}}}",
         true},
        {"{'sinew': 1, 'name': 'a', 'meshes': {'m': {}}, 'skins': {'s': {'mesh': 'm', "
         "'deformers': [{'kind': 'morph', 'envelope': 2}]}}}",
         false},
        {"{'sinew': 1, 'name': 'a', 'meshes': {'m': {}}, 'skins': {'s': {'mesh': 'm', "
         "'deformers': [{'kind': 'blend', 'envelope': 1}]}}}",
         false},
        {"{'sinew': 1, 'name': 'a', 'meshes': {'m': {}}, 'skins': {'s': {'mesh': 'm', "
         "'deformers': [{'kind': 'rap'}]}}}",
         false},
        {"{'sinew': 1, 'name': 'a', 'meshes': {'m': {}}, 'skins': {'s': {'mesh': 'm', "
         "'deformers': [{}]}}}",
         false},
        {"{'sinew': 1, 'name': 'a', 'controls': {'c': {'low': 'x'}}}", false},
        {"{'sinew': 1, 'name': 'a', 'clips': {'c': {'tracks': {}, 'frames': 0}}}", false},
        {"{'sinew': 1, 'name': 'a', 'clips': {'c': {'tracks': {}, 'frames': 1.5}}}", false},
        {"{'sinew': 1, 'name': 'a', 'clips': {'c': {'tracks': {}, 'rate': 0}}}", false},
        {"{'sinew': 1, 'name': 'a', 'clips': {'c': {'tracks': {'x': {}}}}}", false},
        {"{'sinew': 1, 'name': 'a', 'clips': {'c': {'tracks': {'x': {'keys': []}}}}}", false},
        {"{'sinew': 1, 'name': 'a', 'clips': {'c': {'tracks': {}, 'frames': 7}}}", true},
        {"{'sinew': 1, 'name': 'a', 'landmarks': {'l': {'mesh': 'm', 'vertex': -1}}}", false},
        {"{'sinew': 1, 'name': 'a', 'drivers': [{'parameter': 'x'}]}", false},
        {"{'sinew': 1, 'name': 'a', 'synergies': [{'control': 'x', 'spread': {'y': true}}]}",
         false},
    };
    sn_context *context = snt_context(1);
    sn_json *schema = read_schema(context);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *text = quoted(cases[i].text);
        sn_character *character;
        bool checked =
            sn_character_parse(context, "a", text, strlen(text), &character, NULL) == SN_OK;
        bool accepted = schema_accepts(schema, context, text);
        sn_character_destroy(character);
        if (checked != cases[i].right || accepted != cases[i].right) {
            fail_msg("%s\nis %s, the checker %s it, the schema %s it", text,
                     cases[i].right ? "right" : "wrong", checked ? "takes" : "refuses",
                     accepted ? "takes" : "refuses");
        }
        free(text);
    }
    sn_json_destroy(schema);
    snt_context_end(context);
}

// Leaves out or spoils each value of the full document in turn. Whatever the schema refuses the
// checker must refuse too; the checker may know more.
static void spoil(sn_context *context, const sn_json *schema, const char *text, sn_json *json,
                  sn_value *value) {
    sn_json_type type = value->type;
    for (uint32_t i = 0; i < sn_value_count(value); ++i) {
        spoil(context, schema, text, json, value->as.children.items[i]);
    }
    static const sn_json_type others[] = {SN_JSON_NULL, SN_JSON_BOOL, SN_JSON_ARRAY};
    sn_value saved = *value;
    for (size_t i = 0; i < 3; ++i) {
        // What moves a segment may be null: nothing.
        bool may_be_null = value->parent != NULL && value->parent->key != NULL &&
                           strcmp(value->parent->key, "pairing") == 0;
        if (others[i] == type || (others[i] == SN_JSON_NULL && may_be_null)) {
            continue;
        }
        memset(&value->as, 0, sizeof value->as);
        value->type = others[i];
        char *spoilt;
        size_t size;
        snt_ok(sn_json_write(json, &spoilt, &size, error));
        *value = saved;
        sn_character *character;
        bool checked = sn_character_parse(context, "a", spoilt, size, &character, NULL) == SN_OK;
        bool accepted = schema_accepts(schema, context, spoilt);
        sn_character_destroy(character);
        if (checked || accepted) {
            fail_msg("a wrong type is taken (%s%s):\n%s", checked ? "checker" : "",
                     accepted ? " schema" : "", spoilt);
        }
        sn_json_free_text(context, spoilt);
    }
}

static void both_know_every_type(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_json *schema = read_schema(context), *json;
    char *text = quoted(every_key);
    snt_ok(sn_json_parse(context, text, strlen(text), &json, error));
    spoil(context, schema, text, json, sn_json_root(json));
    free(text);
    sn_json_destroy(json);
    sn_json_destroy(schema);
    snt_context_end(context);
}

// Every key of the schema stands in the document with every key, so that these tests see it.
static void expect_used(const sn_value *schema, const sn_value *values[], uint32_t count) {
    const sn_value *properties = sn_value_get(schema, "properties");
    for (uint32_t i = 0; i < sn_value_count(properties); ++i) {
        const sn_value *property = sn_value_at(properties, i);
        const sn_value *found[64];
        uint32_t found_count = 0;
        for (uint32_t k = 0; k < count; ++k) {
            const sn_value *member = sn_value_get(values[k], property->key);
            if (member != NULL && found_count < 64) {
                found[found_count++] = member;
            }
        }
        if (found_count == 0) {
            char path[256];
            sn_value_path(property, path, sizeof path);
            fail_msg("no document of the tests has %s", path);
        }
        expect_used(property, found, found_count);
    }
    const sn_value *item = sn_value_get(schema, "items");
    item = item != NULL ? item : sn_value_get(schema, "additionalProperties");
    const sn_value *children[64];
    uint32_t child_count = 0;
    for (uint32_t k = 0; k < count; ++k) {
        for (uint32_t i = 0; i < sn_value_count(values[k]) && child_count < 64; ++i) {
            children[child_count++] = sn_value_at(values[k], i);
        }
    }
    if (item != NULL && item->type == SN_JSON_OBJECT) {
        expect_used(item, children, child_count);
    }
}

static void every_key_is_tried(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_json *schema = read_schema(context), *json;
    char *text = quoted(every_key);
    snt_ok(sn_json_parse(context, text, strlen(text), &json, error));
    const sn_value *root = sn_json_root(json);
    expect_used(sn_json_root(schema), &root, 1);
    free(text);
    sn_json_destroy(json);
    sn_json_destroy(schema);
    snt_context_end(context);
}

// --- What a property panel needs

static const sn_value *schema_at(const sn_json *schema, const char *path) {
    const sn_value *value = sn_json_find(schema, path);
    if (value == NULL) {
        fail_msg("the schema has no %s", path);
    }
    return value;
}

static const char *text_at(const sn_json *schema, const char *path) {
    return sn_value_string(schema_at(schema, path), "");
}

// Every key has a title and says more than its type; every default is what the schema itself takes.
static void expect_described(const sn_value *schema, uint32_t *defaults) {
    static const char *const poor[] = {
        "", "Text.", "A number.", "True or false.", "Names.", "Three numbers: x, y, z."};
    const sn_value *properties = sn_value_get(schema, "properties");
    for (uint32_t i = 0; i < sn_value_count(properties); ++i) {
        const sn_value *property = sn_value_at(properties, i);
        const sn_value *standard = sn_value_get(property, "default");
        char path[256];
        sn_value_path(property, path, sizeof path);
        for (size_t k = 0; k < sizeof poor / sizeof *poor; ++k) {
            if (strcmp(sn_value_string(sn_value_get(property, "description"), ""), poor[k]) == 0 ||
                sn_value_get(property, "title") == NULL) {
                fail_msg("%s is not described", path);
            }
        }
        if (standard != NULL && !follows(property, standard)) {
            fail_msg("%s: its default is not allowed", path);
        }
        *defaults += standard != NULL;
    }
    for (uint32_t i = 0; i < sn_value_count(schema); ++i) {
        expect_described(sn_value_at(schema, i), defaults);
    }
}

static void describes_every_key(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_json *schema = read_schema(context);
    uint32_t defaults = 0;
    expect_described(sn_json_root(schema), &defaults);
    assert_true(defaults > 100);
    sn_json_destroy(schema);
    snt_context_end(context);
}

static void tells_units_and_names(void **state) {
    (void)state;
    sn_context *context = snt_context(1);
    sn_json *schema = read_schema(context);
#define SEGMENT "/properties/skeleton/additionalProperties/properties"
#define DEFORMER "/properties/skins/additionalProperties/properties/deformers/items/oneOf"
#define MUSCLE "/properties/muscles/additionalProperties/oneOf"
    assert_string_equal(text_at(schema, SEGMENT "/translation/unit"), "m");
    assert_string_equal(text_at(schema, SEGMENT "/translation/items/unit"), "m");
    assert_string_equal(text_at(schema, SEGMENT "/limits_deg/properties/rx/unit"), "deg");
    assert_string_equal(text_at(schema, SEGMENT "/parent/x-name-of"), "segments");
    assert_string_equal(text_at(schema, "/properties/proportions/propertyNames/x-name-of"),
                        "segments");
    assert_string_equal(text_at(schema, DEFORMER "/3/properties/muscles/items/x-name-of"),
                        "muscles");
    assert_string_equal(text_at(schema, DEFORMER "/4/properties/colliders/items/x-name-of/2"),
                        "skins");
    assert_string_equal(text_at(schema, DEFORMER "/4/properties/density/unit"), "kg/m^2");
    assert_string_equal(text_at(schema, MUSCLE "/0/properties/skin_thickness/title"),
                        "Depth below skin");
    assert_string_equal(text_at(schema, MUSCLE "/0/properties/skin_thickness/unit"), "m");
    assert_string_equal(text_at(schema, MUSCLE "/0/properties/degree/type"), "integer");
    assert_true(sn_value_number(schema_at(schema, MUSCLE "/0/properties/bulge/default"), 0) == 2);
    assert_true(sn_value_number(schema_at(schema, MUSCLE "/0/properties/bulge/x-usual/1"), 0) == 5);
    sn_json_destroy(schema);
    snt_context_end(context);
}

static sn_status make_schema(sn_context *context, void *user, sn_error *error) {
    (void)user;
    char *text;
    size_t size;
    sn_status status = sn_document_schema(context, &text, &size, error);
    sn_json_free_text(context, text);
    return status;
}

static void survives_running_out_of_memory(void **state) {
    (void)state;
    snt_fail_allocations(make_schema, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_published_as_it_is),
        cmocka_unit_test(agrees_with_the_checker),
        cmocka_unit_test(both_know_every_type),
        cmocka_unit_test(every_key_is_tried),
        cmocka_unit_test(describes_every_key),
        cmocka_unit_test(tells_units_and_names),
        cmocka_unit_test(survives_running_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
