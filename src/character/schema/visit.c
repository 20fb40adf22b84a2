// SPDX-License-Identifier: Apache-2.0
//
// The keys of a document, with what the schema says about them.
#include "character/schema/schema.h"

static sn_status visit_field(const sni_schema_field *field, const sn_value *object,
                             sni_field_visit visit, void *user, sn_error *error) {
    sn_value *value = (sn_value *)sn_value_get(object, field->name);
    bool deeper = true;
    if (value == NULL) {
        return SN_OK;
    }
    sn_status status = visit(field, value, &deeper, user, error);
    return status == SN_OK && deeper ? sni_schema_visit(field->schema, value, visit, user, error)
                                     : status;
}

// The keys of an object, or those that are common to all kinds, and then those of its kind.
static sn_status visit_fields(const sni_schema *schema, sn_value *object, sni_field_visit visit,
                              void *user, sn_error *error) {
    sni_kind kind;
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < schema->field_count && status == SN_OK; ++i) {
        status = visit_field(&schema->fields[i], object, visit, user, error);
    }
    if (schema->type != SNI_SCHEMA_KINDS || !sni_kind_of_object(schema->kinds, object, &kind)) {
        return status;
    }
    const sni_schema_field *field;
    bool needed;
    for (uint32_t i = 0;
         status == SN_OK && (field = sni_kind_input_field(&kind, i, &needed)) != NULL; ++i) {
        status = visit_field(field, object, visit, user, error);
    }
    return status;
}

static sn_status visit_items(const sni_schema *item, sn_value *value, sni_field_visit visit,
                             void *user, sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < sn_value_count(value) && status == SN_OK; ++i) {
        status = sni_schema_visit(item, value->as.children.items[i], visit, user, error);
    }
    return status;
}

sn_status sni_schema_visit(const sni_schema *schema, sn_value *value, sni_field_visit visit,
                           void *user, sn_error *error) {
    switch (schema->type) {
    case SNI_SCHEMA_OBJECT:
    case SNI_SCHEMA_KINDS: return visit_fields(schema, value, visit, user, error);
    case SNI_SCHEMA_MAP:
    case SNI_SCHEMA_ARRAY: return visit_items(schema->item, value, visit, user, error);
    default: return SN_OK; // texts and numbers
    }
}
