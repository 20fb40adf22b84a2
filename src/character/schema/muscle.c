// SPDX-License-Identifier: Apache-2.0
//
// The schema of muscles: what all of them have. Each kind has keys of its inputs besides.
#include "character/schema/tables.h"

#include "muscle/muscle.h"
#include "muscle/patch/patch.h"
#include "skin/skin.h"

#include <string.h>

// What kinds that contract have.
#define CONTROL_FIELDS                                                                             \
    FIELD("contraction", text, .name_of = "controls",                                              \
          .help = "The control that contracts it: 0 at rest, 1 fully."),                           \
        FIELD("tension", text, .name_of = "controls",                                              \
              .help = "The control that makes it bulge without shortening, 0 to 1.")

static const sni_schema_field muscle_fields[] = {
    CONTROL_FIELDS,
    FIELD("driven", sni_driven_schema, .name_of = "controls", .help = NULL),
    FIELD("activation", text, .name_of = "controls",
          .help = "The control that gives its activation, 0 to 1, for reports and pictures; it "
                  "moves nothing."),
    FIELD("show", flag, .standard = "true", .help = "Whether pictures show it."),
    ABOUT,
};

sni_kind sni_muscle_kind(const sni_muscle_ops *ops) {
    return (sni_kind){ops->name, ops->help, {ops->parameters}, ops, ops->inputs};
}

static sni_kind muscle_kind(uint32_t index) {
    return sni_muscle_kind(sni_muscle_ops_of(index));
}

static bool muscle_needs(const void *kind_ops, const char *key) {
    (void)kind_ops;
    (void)key;
    return false;
}

static bool muscle_takes(const void *kind_ops, const char *key) {
    const sni_muscle_ops *ops = kind_ops;
    if (strcmp(key, "contraction") == 0 || strcmp(key, "tension") == 0) {
        return ops->contracts;
    }
    if (strcmp(key, "driven") == 0) {
        return sni_parameters_any_live(&ops->parameters);
    }
    return strcmp(key, "activation") != 0 || !ops->contracts;
}

static const sni_kind_table muscle_kinds = {.what = "muscle",
                                            .count = sni_muscle_kind_count,
                                            .at = muscle_kind,
                                            .takes = muscle_takes,
                                            .needs = muscle_needs};
const sni_schema sni_muscle_schema = {
    .type = SNI_SCHEMA_KINDS,
    .help = "A muscle: drawn on a skin as two curves, contracted and tensed by controls; or "
            "between bones, thicker as it shortens; or a given surface on strips between bones.",
    .fields = muscle_fields,
    .field_count = COUNT(muscle_fields),
    .expand_keys = sni_expand_keys,
    .expand_key_count = SNI_ENTRY_EXPAND_KEYS,
    .kinds = &muscle_kinds};

// --- A muscle to draw

static const sni_schema_field drawn_driver_fields[] = {
    NEEDED("parameter", text, .name_of = "parameters",
           .help = "The joint parameter or control that contracts it."),
    FIELD("curve", sni_pairs_schema,
          .help = "[input, output] pairs by rising input; the value itself when not given.")};
static const sni_schema drawn_driver =
    OBJECT("What computes the muscle's control.", drawn_driver_fields);

static const sni_schema_field drawn_fields[] = {
    CONTROL_FIELDS,
    FIELD("show", flag, .help = "Whether pictures show it."),
    FIELD("group", text, .help = "The group of a control that is made."),
    FIELD("driver", drawn_driver, .help = NULL),
    ABOUT,
};

static const sn_parameter drawn_parameters[] = {
    {.name = "slide",
     .help = "How much of its contraction shortens an open muscle and pulls the skin along: 1 for "
             "faces, close to 0 across a joint; below 1 its control also tenses it, so that it "
             "bulges fully",
     .unit = "",
     .low = 0,
     .standard = 0.04,
     .high = 1},
};

// A muscle that is drawn bulges by its own thickness: the skin above it is then stretched by half
// at most (docs/curves.md).
const double *sni_drawn_standard_of(uint32_t index) {
    static const double bulge = 1;
    return index == SNI_PATCH_BULGE ? &bulge : NULL;
}

// A patch, and the distances of the falloff that follows it.
static sni_kind drawn_kind(uint32_t index) {
    (void)index;
    static const sni_input_use inputs[SNI_INPUTS_MOST] = {
        {&sni_input_drawn, false}, {&sni_input_vary, false}, {&sni_input_inner, false}};
    sni_kind kind = sni_muscle_kind(&sni_muscle_patch);
    const sn_parameter *distances =
        &sni_deformer_falloff.parameters.items[SNI_FALLOFF_PARAMETER_FULL];
    _Static_assert(SNI_FALLOFF_PARAMETER_NONE == SNI_FALLOFF_PARAMETER_FULL + 1,
                   "the two distances stand side by side");
    kind.inputs = inputs; // the skin may be implied
    kind.tables[SNI_DRAWN_FALLOFF] = (sn_parameters){distances, 2};
    kind.tables[SNI_DRAWN_SLIDE] = (sn_parameters)SNI_PARAMETERS(drawn_parameters);
    return kind;
}

static uint32_t one_kind(void) {
    return 1;
}

static bool drawn_needs(const void *kind_ops, const char *key) {
    (void)kind_ops;
    return strcmp(key, "curves") == 0;
}

static bool drawn_takes(const void *kind_ops, const char *key) {
    (void)kind_ops;
    (void)key;
    return true;
}

static const sni_kind_table drawn_kinds = {.what = "muscle that is drawn",
                                           .count = one_kind,
                                           .at = drawn_kind,
                                           .takes = drawn_takes,
                                           .needs = drawn_needs,
                                           .implied = true};
const sni_schema sni_drawn_muscle_schema = {.type = SNI_SCHEMA_KINDS,
                                            .help = "A muscle drawn on a skin.",
                                            .fields = drawn_fields,
                                            .field_count = COUNT(drawn_fields),
                                            .kinds = &drawn_kinds};
