// SPDX-License-Identifier: Apache-2.0
//
// Names with "#" outside of repeated entries: where several names may stand, one stands for all
// numbers of what is repeated; where one is needed, it is an error that says so. As a key of
// factors on segments, a name with "*" stands for all segments that it fits.
#include "character/expand/expand.h"

#include "base/text.h"
#include "character/schema/schema.h"
#include "motion/parameter.h"

#include <string.h>

#define BIT(section) (1u << (section))
static const uint32_t all_sections = BIT(SNI_SECTION_COUNT) - 1;

// The pattern that the first `length` bytes of a text are, NULL where they are none, or the name of
// something that is there.
static const sni_pattern *find_pattern(const sni_expansion *e, uint32_t sections, const char *text,
                                       size_t length) {
    for (int section = 0; section < SNI_SECTION_COUNT; ++section) {
        if ((sections & BIT(section)) != 0 &&
            sni_name_index_find_n(&e->names[section], text, length) != SN_NONE) {
            return NULL;
        }
    }
    for (uint32_t i = 0; i < e->pattern_count; ++i) {
        const sni_pattern *pattern = &e->patterns[i];
        if ((sections & BIT(pattern->section)) != 0 && strlen(pattern->name) == length &&
            memcmp(pattern->name, text, length) == 0) {
            return pattern;
        }
    }
    return NULL;
}

static const sni_pattern *find_parameter(const sni_expansion *e, const char *text) {
    sni_parameter_name parsed;
    const sni_pattern *control = find_pattern(e, BIT(SNI_SECTION_CONTROLS), text, strlen(text));
    return control != NULL || !sni_parameter_parse(text, &parsed)
               ? control
               : find_pattern(e, BIT(SNI_SECTION_SKELETON), text, parsed.segment_length);
}

static const sni_pattern *pattern_at(const sni_expansion *e, uint32_t sections, const char *text) {
    if (text == NULL || strchr(text, '#') == NULL) {
        return NULL;
    }
    return (sections & SNI_NAMES_PARAMETERS) != 0 ? find_parameter(e, text)
                                                  : find_pattern(e, sections, text, strlen(text));
}

static const char *name_of(const sn_value *child) {
    return child->key != NULL ? child->key : sn_value_string(child, NULL);
}

static sn_status add_numbered(sni_expansion *e, sn_value *container, const sn_value *child,
                              uint32_t count, sn_error *error) {
    for (uint32_t number = 1; number <= count; ++number) {
        sn_value *made = sni_json_copy_value(e->json, child);
        const char *name = sni_number_text(e, name_of(child), number);
        if (made == NULL || name == NULL || !sni_json_append(e->json, container, made)) {
            return sni_fail_memory(error);
        }
        if (made->key != NULL) {
            made->key = name;
        } else {
            made->as.string = name;
        }
    }
    return SN_OK;
}

// Whether a key stands for all segments that it fits.
static bool is_for_fitting(const sni_expansion *e, uint32_t sections, const sn_value *child) {
    return sections == BIT(SNI_SECTION_SKELETON) && child->key != NULL &&
           strchr(child->key, '*') != NULL &&
           sni_name_index_find(&e->names[SNI_SECTION_SKELETON], child->key) == SN_NONE;
}

// Where none fits, the name is left for the check that looks for it.
static sn_status add_fitting(sni_expansion *e, sn_value *container, sn_value *child,
                             sn_error *error) {
    const sn_value *segments = sn_value_get(e->json->root, "skeleton");
    bool any = false;
    for (uint32_t i = 0; i < sn_value_count(segments); ++i) {
        const char *segment = sn_value_at(segments, i)->key;
        if (!sni_name_fits(child->key, segment)) {
            continue;
        }
        sn_value *made = sni_json_copy_value(e->json, child);
        if (made == NULL || !sni_json_append(e->json, container, made)) {
            return sni_fail_memory(error);
        }
        made->key = segment;
        any = true;
    }
    return any || sni_json_append(e->json, container, child) ? SN_OK : sni_fail_memory(error);
}

// Of the names in a container, keys of an object or items of a list, which are of these sections.
static sn_status say_out(sni_expansion *e, uint32_t sections, sn_value *container,
                         sn_error *error) {
    uint32_t count = sn_value_count(container);
    bool any = false;
    for (uint32_t i = 0; i < count && !any; ++i) {
        const sn_value *child = sn_value_at(container, i);
        any = pattern_at(e, sections, name_of(child)) != NULL || is_for_fitting(e, sections, child);
    }
    if (!any) {
        return SN_OK;
    }
    sn_value **old = container->as.children.items;
    sn_status status = SN_OK;
    container->as.children.items = NULL;
    container->as.children.count = container->as.children.capacity = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const sni_pattern *pattern = pattern_at(e, sections, name_of(old[i]));
        if (pattern != NULL) {
            SN_TRY(add_numbered(e, container, old[i], pattern->count, error));
        } else if (is_for_fitting(e, sections, old[i])) {
            SN_TRY(add_fitting(e, container, old[i], error));
        } else if (!sni_json_append(e->json, container, old[i])) {
            SN_TRY(sni_fail_memory(error));
        }
    }
    SN_TRY(sni_check_names_differ(e, container, error));
cleanup:
    return status;
}

// ---------------------------------------------------------------------------------------------
// Where one name is needed

static sn_status fail_several(const sn_value *value, const char *text, const sni_pattern *pattern,
                              sn_error *error) {
    return sni_fail_value(error, value, SN_INVALID,
                          "\"%s\" stands for %u %ss, where one is needed; the entry itself may "
                          "have \"repeat\": %u",
                          text, pattern->count, sni_section_member(pattern->section),
                          pattern->count);
}

static sn_status check_text(const sni_expansion *e, const sn_value *value, const char *text,
                            sn_error *error) {
    if (text == NULL || strchr(text, '#') == NULL) {
        return SN_OK;
    }
    const sni_pattern *pattern = find_pattern(e, all_sections, text, strlen(text));
    pattern = pattern != NULL ? pattern : find_parameter(e, text);
    return pattern != NULL ? fail_several(value, text, pattern, error) : SN_OK;
}

// Texts for people, and names of files and of what is in them.
static bool is_free_text(const char *key) {
    static const char *const keys[] = {"about", "name", "group", "file", "clip"};
    for (size_t i = 0; key != NULL && i < sizeof keys / sizeof *keys; ++i) {
        if (strcmp(key, keys[i]) == 0) {
            return true;
        }
    }
    return false;
}

static sn_status check_texts(const sni_expansion *e, const sn_value *value, sn_error *error) {
    sn_status status = SN_OK;
    if (value->type == SN_JSON_STRING && !is_free_text(value->key)) {
        status = check_text(e, value, value->as.string, error);
    }
    for (uint32_t i = 0; i < sn_value_count(value) && status == SN_OK; ++i) {
        status = check_texts(e, sn_value_at(value, i), error);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Where several may stand

// A list of any number of names.
static bool lists_names(const sni_schema_field *field) {
    const sni_schema *schema = field->schema;
    return field->name_of != NULL && schema->type == SNI_SCHEMA_ARRAY && schema->most == 0 &&
           schema->item->type == SNI_SCHEMA_STRING;
}

// Members of a map that may be repeated themselves need a name each.
static sn_status check_keys(const sni_expansion *e, const sn_value *map, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < sn_value_count(map) && status == SN_OK; ++i) {
        const sn_value *member = sn_value_at(map, i);
        status = check_text(e, member, member->key, error);
    }
    return status;
}

static sn_status expand_field(const sni_schema_field *field, sn_value *value, bool *deeper,
                              void *user, sn_error *error) {
    (void)deeper;
    if (lists_names(field)) {
        return say_out(user, sni_sections_named(field->name_of), value, error);
    }
    if (field->keys_of == NULL) {
        return SN_OK;
    }
    return field->schema->item->expand_key_count == 0
               ? say_out(user, sni_sections_named(field->keys_of), value, error)
               : check_keys(user, value, error);
}

sn_status sni_expand_names(sni_expansion *e, sn_error *error) {
    sn_value *root = e->json->root;
    sn_status status = SN_OK;
    SN_TRY(sni_schema_visit(&sni_document_schema, root, expand_field, e, error));
    for (uint32_t i = 0; i < sn_value_count(root) && e->pattern_count > 0; ++i) {
        const sn_value *section = sn_value_at(root, i);
        if (strcmp(section->key, "meshes") != 0) {
            SN_TRY(check_texts(e, section, error));
        }
    }
cleanup:
    return status;
}
