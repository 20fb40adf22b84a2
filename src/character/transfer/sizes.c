// SPDX-License-Identifier: Apache-2.0
//
// Sizes of a document that follow the size of the head: radii of bones, tissues and wrap objects,
// widths and thicknesses of muscles. What deformers are given in metres stays: skin does not grow
// with the head.
#include "character/transfer/transfer_internal.h"

#include "base/parameter.h"
#include "character/schema/tables.h"

#include <string.h>

static const char *const sections[] = {"bones", "tissues", "muscles"};
static const char *const size_keys[] = {"radii", "radius", "ring", "length"};

static bool is_among(const char *name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void scale_numbers(sn_value *value, double scale) {
    if (value->type == SN_JSON_NUMBER) {
        value->as.number *= scale;
    }
    for (uint32_t i = 0; i < sn_value_count(value); ++i) {
        scale_numbers((sn_value *)sn_value_at(value, i), scale);
    }
}

static bool is_in_sizes(const sn_value *value) {
    for (const sn_value *object = value->parent; object != NULL; object = object->parent) {
        if (strcmp(sn_value_string(sn_value_get(object, "frame"), ""), "size") == 0) {
            return true;
        }
    }
    return false;
}

static bool is_ball(const sni_document_transfer *t, const sn_value *object) {
    for (uint32_t p = 0; p < t->part_count; ++p) {
        if (t->parts[p].ball == object) {
            return true;
        }
    }
    return false;
}

static sn_status visit(const sni_schema_field *field, sn_value *value, bool *deeper, void *user,
                       sn_error *error) {
    const sni_document_transfer *t = user;
    const sn_value *section = value;
    (void)error;
    while (section->parent != NULL && section->parent->parent != NULL) {
        section = section->parent;
    }
    *deeper = is_among(section->key, sections, sizeof sections / sizeof *sections);
    if (*deeper && is_among(field->name, size_keys, sizeof size_keys / sizeof *size_keys) &&
        !is_in_sizes(value) && !is_ball(t, value->parent)) {
        scale_numbers(value, t->moved->scale);
    }
    return SN_OK;
}

// Parameters of a muscle that are lengths, unless it measures them by its own length.
static void scale_muscle(const sni_document_transfer *t, const sni_muscle_plan *plan,
                         sn_value *object) {
    sni_kind kind;
    const sn_parameter *parameter;
    bool own = strcmp(sn_value_string(sn_value_get(object, "sizes"), "metres"), "metres") != 0;
    if (own || !sni_kind_of_object(sni_muscle_schema.kinds, plan->value, &kind)) {
        return;
    }
    for (uint32_t i = 0; (parameter = sni_kind_parameter(&kind, i)) != NULL; ++i) {
        sn_value *value = (sn_value *)sn_value_get(object, parameter->name);
        if (value != NULL && value->type == SN_JSON_NUMBER && parameter->unit != NULL &&
            strcmp(parameter->unit, "m") == 0) {
            value->as.number *= t->moved->scale;
        }
    }
}

sn_status sni_transfer_write_sizes(sni_document_transfer *t, sn_error *error) {
    const sn_value *muscles = sn_value_get(t->root, "muscles");
    for (uint32_t i = 0; i < t->blueprint->muscle_count; ++i) {
        const sni_muscle_plan *plan = &t->blueprint->muscles[i];
        scale_muscle(t, plan, (sn_value *)sn_value_get(muscles, plan->name));
    }
    return sni_schema_visit(&sni_document_schema, t->root, visit, t, error);
}
