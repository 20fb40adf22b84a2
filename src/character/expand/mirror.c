// SPDX-License-Identifier: Apache-2.0
//
// The mirror image of an entry, in the plane x = 0 of the world and of every segment's frame. With
// M = diag(-1, 1, 1) a frame W becomes M W M, hence
//
//     a point (x, y, z)                   (-x, y, z)
//     a quaternion (x, y, z, w)           (x, -y, -z, w): M turns about x by the same angle, about
//     y
//                                         and z by the opposite one
//     angles about x, y, z in any order   (a, -b, -c), for M Rx(a) Ry(b) M = (M Rx(a) M)(M Ry(b) M)
//     a scale                             the same
//
// Which of these holds for a key stands with the key, in the schema or in the file of an input
// (expand/mirror.h).
#include "character/expand/mirror.h"

#include "motion/body_names.h"
#include "motion/parameter.h"

#include <string.h>

// A driver without curve passes its input on; a mirrored one may have to negate it, over this
// range.
static const double any_input = 1e6;

// ---------------------------------------------------------------------------------------------
// Names of the other side

sn_status sni_swap_name(sni_expansion *e, const char *name, const char **swapped, sn_error *error) {
    char *other = NULL;
    *swapped = NULL;
    sn_status status = sni_body_swap_side(e->context, name, &other, error);
    if (status == SN_OK && other != NULL) {
        *swapped = sni_json_new_string(e->json, other, strlen(other));
        status = *swapped != NULL ? SN_OK : sni_fail_memory(error);
    }
    sni_free(e->context, other);
    return status;
}

// Whether two names differ in a letter with a digit behind it.
static bool side_in_doubt(const char *name, const char *other) {
    size_t at = 0;
    while (name[at] != 0 && name[at] == other[at]) {
        ++at;
    }
    return name[at] != 0 && name[at + 1] >= '0' && name[at + 1] <= '9';
}

static bool is_known(const sni_expansion *e, uint32_t sections, const char *name) {
    for (uint32_t i = 0; i < SNI_SECTION_COUNT; ++i) {
        if ((sections & (1u << i)) != 0 && sni_name_index_find(&e->names[i], name) != SN_NONE) {
            return true;
        }
    }
    return false;
}

sn_status sni_swap_reference(sni_expansion *e, uint32_t sections, const char *name,
                             const char **swapped, sn_error *error) {
    sn_status status = sni_swap_name(e, name, swapped, error);
    if (*swapped != NULL && side_in_doubt(name, *swapped) && !is_known(e, sections, *swapped)) {
        *swapped = NULL;
    }
    return status;
}

static bool changes_sign(sn_joint_parameter parameter) {
    return parameter == SN_JOINT_RY || parameter == SN_JOINT_RZ || parameter == SN_JOINT_TX;
}

sn_status sni_swap_parameter(sni_expansion *e, const char *name, const char **swapped,
                             bool *negates, sn_error *error) {
    sni_parameter_name parsed;
    *negates = false;
    if (sni_name_index_find(&e->names[SNI_SECTION_CONTROLS], name) != SN_NONE ||
        !sni_parameter_parse(name, &parsed)) {
        return sni_swap_reference(e, 1u << SNI_SECTION_CONTROLS, name, swapped, error);
    }
    *negates = changes_sign(parsed.parameter);
    *swapped = NULL;
    const char *segment = sni_json_new_string(e->json, name, parsed.segment_length);
    if (segment == NULL) {
        return sni_fail_memory(error);
    }
    const char *behind = name + parsed.segment_length, *other = NULL;
    sn_status status = sni_swap_reference(e, 1u << SNI_SECTION_SKELETON, segment, &other, error);
    if (status != SN_OK || other == NULL) {
        return status;
    }
    char *whole = sni_arena_alloc_small(&e->json->arena, strlen(other) + strlen(behind) + 1, 1);
    if (whole == NULL) {
        return sni_fail_memory(error);
    }
    *swapped = strcat(strcpy(whole, other), behind);
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// Names

// The name of the other side of something of these sections, the same where it has none.
static sn_status swap_named(sni_expansion *e, uint32_t sections, const char **name,
                            sn_error *error) {
    const char *swapped = NULL;
    bool negates;
    sn_status status = (sections & SNI_NAMES_PARAMETERS) != 0
                           ? sni_swap_parameter(e, *name, &swapped, &negates, error)
                           : sni_swap_reference(e, sections, *name, &swapped, error);
    *name = swapped != NULL ? swapped : *name;
    return status;
}

static sn_status swap_text(sni_expansion *e, uint32_t sections, sn_value *value, sn_error *error) {
    return value->type == SN_JSON_STRING ? swap_named(e, sections, &value->as.string, error)
                                         : SN_OK;
}

sn_status sni_mirror_names(sni_expansion *e, const sni_schema_field *field, sn_value *value,
                           sn_error *error) {
    uint32_t texts = sni_sections_named(field->name_of), keys = sni_sections_named(field->keys_of);
    sn_status status = texts != 0 ? swap_text(e, texts, value, error) : SN_OK;
    for (uint32_t i = 0; i < sn_value_count(value) && status == SN_OK; ++i) {
        sn_value *child = value->as.children.items[i];
        if (texts != 0) {
            status = swap_text(e, texts, child, error);
        }
        if (status == SN_OK && keys != 0 && child->key != NULL) {
            status = swap_named(e, keys, &child->key, error);
        }
    }
    return status;
}

// Exchanges the side of a name; `sided` is false where that is the same one.
static sn_status swap_side(sni_expansion *e, const sni_schema_field *field, sn_value *value,
                           bool *sided, sn_error *error) {
    const char *before = sn_value_string(value, "");
    sn_status status = sni_mirror_names(e, field, value, error);
    *sided = strcmp(before, sn_value_string(value, "")) != 0;
    return status;
}

sn_status sni_mirror_sided(sni_expansion *e, const sni_schema_field *field, sn_value *value,
                           sn_error *error) {
    bool sided;
    sn_status status = swap_side(e, field, value, &sided, error);
    return status != SN_OK || sided || value->type != SN_JSON_STRING
               ? status
               : sni_fail_value(error, value, SN_INVALID,
                                "the name \"%s\" has no side to exchange: left and right, L and R",
                                value->as.string);
}

sn_status sni_mirror_vertex(sni_expansion *e, const sni_schema_field *field, sn_value *value,
                            sn_error *error) {
    bool sided;
    sn_status status = swap_side(e, field, value, &sided, error);
    return status != SN_OK || sided || value->type != SN_JSON_STRING
               ? status
               : sni_fail_value(error, value, SN_INVALID,
                                "the mesh \"%s\" has no side, and which of its vertices is a "
                                "mirror image is not known",
                                value->as.string);
}

sn_status sni_mirror_group(sni_expansion *e, const sni_schema_field *field, sn_value *value,
                           sn_error *error) {
    (void)field;
    return swap_text(e, 1u << SNI_SECTION_CONTROLS, value, error);
}

// ---------------------------------------------------------------------------------------------
// Numbers

static void negate(sn_value *value) {
    if (value != NULL && value->type == SN_JSON_NUMBER) {
        value->as.number = 0 - value->as.number; // of 0: 0, not -0
    }
}

static sn_value *item(sn_value *value, uint32_t index) {
    return (sn_value *)sn_value_at(value, index);
}

sn_status sni_mirror_same(sni_expansion *e, const sni_schema_field *field, sn_value *value,
                          sn_error *error) {
    (void)e, (void)field, (void)value, (void)error;
    return SN_OK;
}

sn_status sni_mirror_number(sni_expansion *e, const sni_schema_field *field, sn_value *value,
                            sn_error *error) {
    (void)e, (void)field, (void)error;
    negate(value);
    return SN_OK;
}

sn_status sni_mirror_point(sni_expansion *e, const sni_schema_field *field, sn_value *value,
                           sn_error *error) {
    (void)e, (void)field, (void)error;
    negate(item(value, 0));
    return SN_OK;
}

sn_status sni_mirror_points(sni_expansion *e, const sni_schema_field *field, sn_value *value,
                            sn_error *error) {
    sn_status status = SN_OK;
    for (uint32_t i = 0; i < sn_value_count(value) && status == SN_OK; ++i) {
        status = sni_mirror_point(e, field, item(value, i), error);
    }
    return status;
}

sn_status sni_mirror_turn(sni_expansion *e, const sni_schema_field *field, sn_value *value,
                          sn_error *error) {
    (void)e, (void)field, (void)error;
    negate(item(value, 1));
    negate(item(value, 2));
    return SN_OK;
}

sn_status sni_mirror_range(sni_expansion *e, const sni_schema_field *field, sn_value *value,
                           sn_error *error) {
    (void)e, (void)field, (void)error;
    sn_value *low = item(value, 0), *high = item(value, 1);
    if (low != NULL && high != NULL) {
        negate(low);
        negate(high);
        value->as.children.items[0] = high;
        value->as.children.items[1] = low;
    }
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// Parameters, and the numbers that go with them

// A control without a side moves both sides: what has no side itself is moved by the first alone.
sn_status sni_mirror_spread(sni_expansion *e, const sni_schema_field *field, sn_value *value,
                            sn_error *error) {
    (void)field;
    const char *control = sn_value_string(sn_value_get(value->parent, "control"), ""), *other;
    sn_status status = sni_swap_reference(e, 1u << SNI_SECTION_CONTROLS, control, &other, error);
    bool sided = status == SN_OK && other != NULL;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < sn_value_count(value) && status == SN_OK; ++i) {
        sn_value *part = value->as.children.items[i];
        const char *swapped = NULL;
        bool negates = false;
        status =
            part->key != NULL ? sni_swap_parameter(e, part->key, &swapped, &negates, error) : SN_OK;
        if (negates) {
            negate(part);
        }
        if (swapped != NULL) {
            part->key = swapped;
        }
        if (swapped != NULL || sided) {
            value->as.children.items[kept++] = part;
        }
    }
    if (value->type == SN_JSON_OBJECT && status == SN_OK) {
        if (kept == 0 && sn_value_count(value) > 0) {
            return sni_fail_value(error, value, SN_INVALID,
                                  "neither \"%s\" nor what it moves has a side to exchange: left "
                                  "and right, L and R",
                                  control);
        }
        value->as.children.count = kept;
    }
    return status;
}

sn_status sni_driver_negate_inputs(sn_json *json, sn_value *driver, sn_error *error) {
    sn_value *curve = (sn_value *)sn_value_get(driver, "curve");
    uint32_t count = sn_value_count(curve);
    for (uint32_t i = 0; i < count / 2; ++i) {
        sn_value *pair = curve->as.children.items[i];
        curve->as.children.items[i] = curve->as.children.items[count - 1 - i];
        curve->as.children.items[count - 1 - i] = pair;
    }
    for (uint32_t i = 0; i < count; ++i) {
        negate(item(curve->as.children.items[i], 0));
    }
    if (curve != NULL) {
        return SN_OK;
    }
    curve = sn_json_add_array(json, driver, "curve");
    for (int i = 0; i < 2; ++i) {
        double input = i == 0 ? -any_input : any_input;
        if (sn_json_add_numbers(json, curve, NULL, (double[2]){input, -input}, 2) == NULL) {
            return sni_fail_memory(error);
        }
    }
    return SN_OK;
}

sn_status sni_mirror_source(sni_expansion *e, const sni_schema_field *field, sn_value *value,
                            sn_error *error) {
    (void)field;
    const char *swapped = NULL;
    bool negates = false;
    if (value->type != SN_JSON_STRING) {
        return SN_OK;
    }
    sn_status status = sni_swap_parameter(e, value->as.string, &swapped, &negates, error);
    value->as.string = swapped != NULL ? swapped : value->as.string;
    if (status != SN_OK || !negates) {
        return status;
    }
    const sn_value *steps = sn_value_get(value->parent, "interpolation");
    if (strcmp(sn_value_string(steps, ""), "stepped") == 0) {
        return sni_fail_value(error, steps, SN_INVALID,
                              "the steps of a curve whose input changes its sign are not those "
                              "of its mirror image");
    }
    return sni_driver_negate_inputs(e->json, value->parent, error);
}

sn_status sni_mirror_ranged(sni_expansion *e, const sni_schema_field *field, sn_value *value,
                            sn_error *error) {
    const char *swapped = NULL;
    bool negates = false;
    if (value->type != SN_JSON_STRING) {
        return SN_OK;
    }
    sn_value *range = (sn_value *)sn_value_get(value->parent, "range");
    sn_status status = sni_swap_parameter(e, value->as.string, &swapped, &negates, error);
    value->as.string = swapped != NULL ? swapped : value->as.string;
    return status == SN_OK && negates && range != NULL ? sni_mirror_range(e, field, range, error)
                                                       : status;
}

sn_status sni_mirror_outputs(sni_expansion *e, const sni_schema_field *field, sn_value *value,
                             sn_error *error) {
    (void)e, (void)field, (void)error;
    for (uint32_t i = 0; i < sn_value_count(value); ++i) {
        negate(item(value->as.children.items[i], 1));
    }
    return SN_OK;
}

// ---------------------------------------------------------------------------------------------
// Entries

static sn_status mirror_field(const sni_schema_field *field, sn_value *value, bool *deeper,
                              void *user, sn_error *error) {
    *deeper = field->mirror == NULL;
    return field->mirror != NULL ? field->mirror(user, field, value, error)
                                 : sni_mirror_names(user, field, value, error);
}

sn_status sni_mirror_below(sni_expansion *e, const sni_schema_field *field, sn_value *value,
                           sn_error *error) {
    return sni_schema_visit(field->schema, value, mirror_field, e, error);
}

// A mesh is read from the same file, or made in the same way, and then reflected.
static sn_status reflect_mesh(sni_expansion *e, sn_value *value, sn_error *error) {
    bool mirrored = sn_value_bool(sn_value_get(value, "mirrored"), false);
    sn_value *added = sn_json_add_bool(e->json, value, "mirrored", !mirrored);
    if (added == NULL) {
        return sni_fail_memory(error);
    }
    added->line = value->line;
    return SN_OK;
}

sn_status sni_reflect(sni_expansion *e, const sni_image *image, sn_error *error) {
    if (image->part == SNI_PART_TRACKS) {
        return sni_reflect_track(e, image, error);
    }
    const sni_schema *document = &sni_document_schema;
    const sni_schema *in = sni_part_is_of_body(image->part) ? sni_bodies_schema.item : document;
    const sni_schema_field *part =
        sni_schema_find(in->fields, in->field_count, sni_part_key(image->part));
    sn_status status =
        image->part == SNI_SECTION_MESHES ? reflect_mesh(e, image->value, error) : SN_OK;
    return status == SN_OK
               ? sni_schema_visit(part->schema->item, image->value, mirror_field, e, error)
               : status;
}
