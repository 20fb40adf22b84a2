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
// A muscle's slice frame has its x across and y outwards; its image has the axes (-Mx, My, Mz).
#include "character/expand/expand.h"

#include "character/schema/schema.h"
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

sn_status sni_swap_reference(sni_expansion *e, uint32_t section, const char *name,
                             const char **swapped, sn_error *error) {
    sn_status status = sni_swap_name(e, name, swapped, error);
    if (*swapped != NULL && side_in_doubt(name, *swapped) &&
        sni_name_index_find(&e->names[section], *swapped) == SN_NONE) {
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
        return sni_swap_reference(e, SNI_SECTION_CONTROLS, name, swapped, error);
    }
    *negates = changes_sign(parsed.parameter);
    *swapped = NULL;
    const char *segment = sni_json_new_string(e->json, name, parsed.segment_length);
    if (segment == NULL) {
        return sni_fail_memory(error);
    }
    const char *behind = name + parsed.segment_length, *other = NULL;
    sn_status status = sni_swap_reference(e, SNI_SECTION_SKELETON, segment, &other, error);
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
// Rules

typedef struct mirror_rule {
    uint32_t parts;   // bits
    const char *path; // within the entry
    sni_visit apply;
    uint32_t section; // of names
} mirror_rule;

static void negate(sn_value *value) {
    if (value != NULL && value->type == SN_JSON_NUMBER) {
        value->as.number = 0 - value->as.number; // of 0: 0, not -0
    }
}

static sn_value *item(sn_value *value, uint32_t index) {
    return (sn_value *)sn_value_at(value, index);
}

static sn_status swap_name(sni_expansion *e, sn_value *value, const void *user, sn_error *error) {
    const mirror_rule *rule = user;
    const char *swapped = NULL;
    sn_status status = SN_OK;
    if (value->type == SN_JSON_STRING) {
        status = sni_swap_reference(e, rule->section, value->as.string, &swapped, error);
    }
    if (swapped != NULL) {
        value->as.string = swapped;
    }
    return status;
}

static sn_status negate_number(sni_expansion *e, sn_value *value, const void *user,
                               sn_error *error) {
    (void)e, (void)user, (void)error;
    negate(value);
    return SN_OK;
}

// A point, or a vector: x.
static sn_status reflect_point(sni_expansion *e, sn_value *value, const void *user,
                               sn_error *error) {
    (void)e, (void)user, (void)error;
    negate(item(value, 0));
    return SN_OK;
}

// Angles about x, y, z, or a quaternion: y and z.
static sn_status reflect_turn(sni_expansion *e, sn_value *value, const void *user,
                              sn_error *error) {
    (void)e, (void)user, (void)error;
    negate(item(value, 1));
    negate(item(value, 2));
    return SN_OK;
}

// [low, high] becomes [-high, -low].
static sn_status reflect_range(sni_expansion *e, sn_value *value, const void *user,
                               sn_error *error) {
    (void)e, (void)user, (void)error;
    sn_value *low = item(value, 0), *high = item(value, 1);
    if (low != NULL && high != NULL) {
        negate(low);
        negate(high);
        value->as.children.items[0] = high;
        value->as.children.items[1] = low;
    }
    return SN_OK;
}

// Of an attachment. The box of a mirrored bone is mirrored; a place in a segment's frame is a
// point.
static sn_status reflect_place(sni_expansion *e, sn_value *value, const void *user,
                               sn_error *error) {
    (void)e, (void)user, (void)error;
    sn_value *u = item(value, 0);
    if (sn_value_get(value->parent, "segment") != NULL) {
        negate(u);
    } else if (u != NULL && u->type == SN_JSON_NUMBER) {
        u->as.number = sni_round_made(1 - u->as.number);
    }
    return SN_OK;
}

static sn_status refuse_patch(sni_expansion *e, sn_value *value, const void *user,
                              sn_error *error) {
    (void)e, (void)user;
    return strcmp(sn_value_string(value, ""), sni_muscle_patch.name) != 0
               ? SN_OK
               : sni_fail_value(error, value, SN_INVALID,
                                "a muscle of kind \"%s\" lies on a skin, which need not be "
                                "symmetric: use sinew muscle --mirror",
                                sni_muscle_patch.name);
}

// Slices of a cylinder have x from the first attachment to the second. In the image x is turned
// round; where the order is given, the attachments change places for it.
static sn_status reflect_order(sni_expansion *e, sn_value *value, const void *user,
                               sn_error *error) {
    static const char *const ends[] = {"origins", "insertions"};
    (void)e, (void)user, (void)error;
    for (int i = 0; i < 2 && strcmp(sn_value_string(value, ""), "given") == 0; ++i) {
        sn_value *pair = (sn_value *)sn_value_get(value->parent, ends[i]);
        if (pair != NULL && pair->type == SN_JSON_ARRAY && sn_value_count(pair) == 2) {
            sn_value *first = pair->as.children.items[0];
            pair->as.children.items[0] = pair->as.children.items[1];
            pair->as.children.items[1] = first;
        }
    }
    return SN_OK;
}

static sn_status reflect_mesh(sni_expansion *e, sn_value *value, const void *user,
                              sn_error *error) {
    (void)user;
    bool mirrored = sn_value_bool(sn_value_get(value, "mirrored"), false);
    sn_value *added = sn_json_add_bool(e->json, value, "mirrored", !mirrored);
    if (added == NULL) {
        return sni_fail_memory(error);
    }
    added->line = value->line;
    return SN_OK;
}

// The image of a vertex is that of the mirrored mesh.
static sn_status reflect_vertex(sni_expansion *e, sn_value *value, const void *user,
                                sn_error *error) {
    const char *before = sn_value_string(value, "");
    sn_status status = swap_name(e, value, user, error);
    if (status == SN_OK && value->type == SN_JSON_STRING && strcmp(before, value->as.string) == 0) {
        status = sni_fail_value(error, value, SN_INVALID,
                                "the mesh \"%s\" has no side, and which of its vertices is a "
                                "mirror image is not known",
                                before);
    }
    return status;
}

// A control without a side moves both sides: what has no side itself is moved by the first alone.
static sn_status reflect_spread(sni_expansion *e, sn_value *value, const void *user,
                                sn_error *error) {
    (void)user;
    const char *control = sn_value_string(sn_value_get(value->parent, "control"), ""), *other;
    sn_status status = sni_swap_reference(e, SNI_SECTION_CONTROLS, control, &other, error);
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

static sn_status reflect_source(sni_expansion *e, sn_value *value, const void *user,
                                sn_error *error) {
    (void)user;
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

// The parameter of a pivot's range, and with it the range.
static sn_status reflect_ranged(sni_expansion *e, sn_value *value, const void *user,
                                sn_error *error) {
    const char *swapped = NULL;
    bool negates = false;
    if (value->type != SN_JSON_STRING) {
        return SN_OK;
    }
    sn_value *range = (sn_value *)sn_value_get(value->parent, "range");
    sn_status status = sni_swap_parameter(e, value->as.string, &swapped, &negates, error);
    value->as.string = swapped != NULL ? swapped : value->as.string;
    return status == SN_OK && negates && range != NULL ? reflect_range(e, range, user, error)
                                                       : status;
}

static sn_status negate_outputs(sni_expansion *e, sn_value *value, const void *user,
                                sn_error *error) {
    (void)e, (void)user, (void)error;
    for (uint32_t i = 0; i < sn_value_count(value); ++i) {
        negate(item(value->as.children.items[i], 1));
    }
    return SN_OK;
}

// Of a body that a muscle goes around. Its frame W becomes M W M, so that its x axis becomes -M x.
static sn_status reflect_side(sni_expansion *e, sn_value *value, const void *user,
                              sn_error *error) {
    (void)e, (void)user, (void)error;
    if (strcmp(sn_value_string(value, ""), "+x") == 0) {
        value->as.string = "-x";
    } else if (strcmp(sn_value_string(value, ""), "-x") == 0) {
        value->as.string = "+x";
    }
    return SN_OK;
}

// Entries of lists have no name; that of a driver is its control.
static sn_status swap_driven(sni_expansion *e, sn_value *value, const void *user, sn_error *error) {
    const char *before = sn_value_string(value, "");
    sn_status status = swap_name(e, value, user, error);
    if (status == SN_OK && value->type == SN_JSON_STRING && strcmp(before, value->as.string) == 0) {
        status = sni_fail_value(error, value, SN_INVALID,
                                "the name \"%s\" has no side to exchange: left and right, L and R",
                                before);
    }
    return status;
}

#define BIT(part) (1u << (part))
#define COMPONENTS (BIT(SNI_SECTION_BONES) | BIT(SNI_SECTION_TISSUES))

// The spread comes before the control, whose side it looks at.
static const mirror_rule rules[] = {
    {BIT(SNI_SECTION_SKELETON), "parent", swap_name, SNI_SECTION_SKELETON},
    {BIT(SNI_SECTION_SKELETON), "translation", reflect_point, 0},
    {BIT(SNI_SECTION_SKELETON), "rotation", reflect_turn, 0},
    {BIT(SNI_SECTION_SKELETON), "rotation_deg", reflect_turn, 0},
    {BIT(SNI_SECTION_SKELETON), "limits/tx", reflect_range, 0},
    {BIT(SNI_SECTION_SKELETON), "limits_deg/ry", reflect_range, 0},
    {BIT(SNI_SECTION_SKELETON), "limits_deg/rz", reflect_range, 0},
    {BIT(SNI_SECTION_SKELETON), "rest/tx", negate_number, 0},
    {BIT(SNI_SECTION_SKELETON), "rest_deg/ry", negate_number, 0},
    {BIT(SNI_SECTION_SKELETON), "rest_deg/rz", negate_number, 0},
    {BIT(SNI_SECTION_MESHES), "", reflect_mesh, 0},
    {BIT(SNI_SECTION_MESHES), "weights", swap_name, SNI_SECTION_MESHES},
    {COMPONENTS, "segment", swap_name, SNI_SECTION_SKELETON},
    {COMPONENTS, "mesh", swap_name, SNI_SECTION_MESHES},
    {COMPONENTS, "ellipsoid/center", reflect_point, 0},
    {COMPONENTS, "ellipsoid/rotation_deg", reflect_turn, 0},
    {COMPONENTS, "tube/points/*", reflect_point, 0},
    {COMPONENTS, "tube/side", reflect_point, 0},
    {BIT(SNI_SECTION_MUSCLES), "kind", refuse_patch, 0},
    {BIT(SNI_SECTION_MUSCLES), "mesh", swap_name, SNI_SECTION_MESHES},
    {BIT(SNI_SECTION_MUSCLES), "activation", swap_name, SNI_SECTION_CONTROLS},
    {BIT(SNI_SECTION_MUSCLES), "order", reflect_order, 0},
    {BIT(SNI_SECTION_MUSCLES), "origin/bone", swap_name, SNI_SECTION_BONES},
    {BIT(SNI_SECTION_MUSCLES), "origin/segment", swap_name, SNI_SECTION_SKELETON},
    {BIT(SNI_SECTION_MUSCLES), "origin/at", reflect_place, 0},
    {BIT(SNI_SECTION_MUSCLES), "origin/point", reflect_point, 0},
    {BIT(SNI_SECTION_MUSCLES), "insertion/bone", swap_name, SNI_SECTION_BONES},
    {BIT(SNI_SECTION_MUSCLES), "insertion/segment", swap_name, SNI_SECTION_SKELETON},
    {BIT(SNI_SECTION_MUSCLES), "insertion/at", reflect_place, 0},
    {BIT(SNI_SECTION_MUSCLES), "insertion/point", reflect_point, 0},
    {BIT(SNI_SECTION_MUSCLES), "origins/*/bone", swap_name, SNI_SECTION_BONES},
    {BIT(SNI_SECTION_MUSCLES), "origins/*/segment", swap_name, SNI_SECTION_SKELETON},
    {BIT(SNI_SECTION_MUSCLES), "origins/*/at", reflect_place, 0},
    {BIT(SNI_SECTION_MUSCLES), "origins/*/point", reflect_point, 0},
    {BIT(SNI_SECTION_MUSCLES), "insertions/*/bone", swap_name, SNI_SECTION_BONES},
    {BIT(SNI_SECTION_MUSCLES), "insertions/*/segment", swap_name, SNI_SECTION_SKELETON},
    {BIT(SNI_SECTION_MUSCLES), "insertions/*/at", reflect_place, 0},
    {BIT(SNI_SECTION_MUSCLES), "insertions/*/point", reflect_point, 0},
    {BIT(SNI_SECTION_MUSCLES), "sections/*/center", reflect_point, 0},
    {BIT(SNI_SECTION_MUSCLES), "sections/*/wide", reflect_point, 0},
    {BIT(SNI_SECTION_MUSCLES), "sections/*/thick", reflect_point, 0},
    {BIT(SNI_SECTION_MUSCLES), "pivots/*/segment", swap_name, SNI_SECTION_SKELETON},
    {BIT(SNI_SECTION_MUSCLES), "pivots/*/half", swap_name, SNI_SECTION_SKELETON},
    {BIT(SNI_SECTION_MUSCLES), "pivots/*/at", reflect_point, 0},
    {BIT(SNI_SECTION_MUSCLES), "pivots/*/turn_deg", reflect_turn, 0},
    {BIT(SNI_SECTION_MUSCLES), "pivots/*/parameter", reflect_ranged, 0},
    {BIT(SNI_SECTION_MUSCLES), "pivots/*/moves/x/curve", negate_outputs, 0},
    {BIT(SNI_SECTION_MUSCLES), "pivots/*/moves/*/parameter", reflect_source, 0},
    {BIT(SNI_SECTION_MUSCLES), "around/*/segment", swap_name, SNI_SECTION_SKELETON},
    {BIT(SNI_SECTION_MUSCLES), "around/*/*/center", reflect_point, 0},
    {BIT(SNI_SECTION_MUSCLES), "around/*/*/rotation_deg", reflect_turn, 0},
    {BIT(SNI_SECTION_MUSCLES), "around/*/side", reflect_side, 0},
    {BIT(SNI_SECTION_MUSCLES), "shape/*/move", reflect_point, 0},
    {BIT(SNI_SECTION_MUSCLES), "shape/*/turn_deg", reflect_turn, 0},
    {BIT(SNI_SECTION_CONTROLS), "group", swap_name, SNI_SECTION_CONTROLS},
    {BIT(SNI_SECTION_LANDMARKS), "segment", swap_name, SNI_SECTION_SKELETON},
    {BIT(SNI_SECTION_LANDMARKS), "position", reflect_point, 0},
    {BIT(SNI_SECTION_LANDMARKS), "mesh", reflect_vertex, SNI_SECTION_MESHES},
    {BIT(SNI_PART_SYNERGIES), "spread", reflect_spread, 0},
    {BIT(SNI_PART_SYNERGIES), "control", swap_name, SNI_SECTION_CONTROLS},
    {BIT(SNI_PART_DRIVERS), "control", swap_driven, SNI_SECTION_CONTROLS},
    {BIT(SNI_PART_DRIVERS), "parameter", reflect_source, 0},
    {BIT(SNI_PART_DRIVERS), "distance/*", swap_name, SNI_SECTION_LANDMARKS},
};

// Applies the rules of a part of the document to one of its entries.
static sn_status apply_rules(sni_expansion *e, uint32_t part, sn_value *value, sn_error *error) {
    sn_status status = SN_OK;
    for (size_t i = 0; i < sizeof rules / sizeof *rules && status == SN_OK; ++i) {
        if ((rules[i].parts & BIT(part)) != 0) {
            status = sni_visit_path(e, value, rules[i].path, rules[i].apply, &rules[i], error);
        }
    }
    return status;
}

sn_status sni_reflect(sni_expansion *e, const sni_image *image, sn_error *error) {
    if (image->part == SNI_PART_TRACKS) {
        return sni_reflect_track(e, image, error);
    }
    sn_status status = apply_rules(e, image->part, image->value, error);
    // What a strip says is what a muscle says.
    sn_value *strips = image->part == SNI_SECTION_MUSCLES
                           ? (sn_value *)sn_value_get(image->value, "strips")
                           : NULL;
    for (uint32_t i = 0; i < sn_value_count(strips) && status == SN_OK; ++i) {
        status = apply_rules(e, image->part, item(strips, i), error);
    }
    return status;
}
