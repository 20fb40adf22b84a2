// SPDX-License-Identifier: Apache-2.0
//
// How bulge, thickness and contraction vary over a muscle's surface.
#include "character/blueprint/blueprint.h"
#include "character/schema/tables.h"
#include "eval/rest.h"

static const sni_schema place_value = {
    .type = SNI_SCHEMA_ARRAY,
    .help = "A factor at a point (u, v) of the muscle: u, v, factor.",
    .item = &number,
    .least = 3,
    .most = 3};
static const sni_schema place_values = {.type = SNI_SCHEMA_ARRAY,
                                        .help = "Factors at points of the muscle.",
                                        .item = &place_value,
                                        .least = 1};
static const sni_schema_field vary_fields[] = {
    FIELD("bulge", place_values, .help = "Factors on the bulge at points of the muscle."),
    FIELD("thickness", place_values, .help = "Factors on the thickness at points of the muscle."),
    FIELD("contraction", place_values,
          .help = "Factors on the contraction at points of the muscle.")};
static const sni_schema vary =
    OBJECT("How bulge, thickness and contraction vary over the muscle.", vary_fields);

static const sni_schema_field fields[] = {FIELD("vary", vary, .help = NULL)};

// Places (u, v) of the muscle's surface, with a factor each.
static sn_status decode_factors(sni_blueprint *blueprint, const sn_value *list,
                                sni_muscle_values *values, sn_error *error) {
    sni_muscle_value *made;
    values->count = sn_value_count(list);
    SNI_PLAN_NEW(blueprint, made, values->count);
    for (uint32_t i = 0; i < values->count; ++i) {
        sn_vec3 v = sni_decode_vector(sn_value_at(list, i), sn_vec3_make(0, 0, 0));
        made[i] = (sni_muscle_value){.u = v.x, .v = v.y, .factor = v.z};
    }
    values->values = made;
    return SN_OK;
}

// The plan is the block.
static sn_status decode(const sni_decoding *decoding, void **made, sn_error *error) {
    sni_blueprint *blueprint = decoding->blueprint;
    const sn_value *given = sn_value_get(decoding->object, "vary");
    sni_vary_input *plan;
    sn_status status = SN_OK;
    if (given == NULL) {
        return SN_OK;
    }
    SNI_PLAN_NEW(blueprint, plan, 1);
    SN_TRY(decode_factors(blueprint, sn_value_get(given, "bulge"), &plan->bulge, error));
    SN_TRY(decode_factors(blueprint, sn_value_get(given, "thickness"), &plan->thickness, error));
    SN_TRY(
        decode_factors(blueprint, sn_value_get(given, "contraction"), &plan->contraction, error));
    *made = plan;
cleanup:
    return status;
}

static void add_factors(sni_digest *digest, const sni_muscle_values *values) {
    sni_digest_add_index(digest, values->count);
    for (uint32_t i = 0; i < values->count; ++i) {
        const sni_muscle_value *value = &values->values[i];
        sni_digest_add_vector(digest, sn_vec3_make(value->u, value->v, value->factor));
    }
}

static sn_status digest(const sni_collecting *collecting, const void *plan, sni_digest *digest,
                        sn_error *error) {
    const sni_vary_input *input = plan;
    (void)collecting;
    (void)error;
    add_factors(digest, &input->bulge);
    add_factors(digest, &input->thickness);
    add_factors(digest, &input->contraction);
    return SN_OK;
}

static sn_status collect(const sni_collecting *collecting, const void *plan, const void **block,
                         void **kept, sn_error *error) {
    (void)collecting;
    (void)kept;
    (void)error;
    *block = plan;
    return SN_OK;
}

static sn_status validate_values(const sni_checking *checking, const sni_muscle_values *values,
                                 const char *what, sn_error *error) {
    for (uint32_t i = 0; i < values->count; ++i) {
        const sni_muscle_value *value = &values->values[i];
        if (!(value->u >= 0 && value->u <= 1 && value->v >= 0 && value->v <= 1)) {
            return sni_fail(error, SN_INVALID,
                            "%s: %s value %u is at (%g, %g), but places are from 0 to 1",
                            checking->kind, what, i + 1, value->u, value->v);
        }
        if (!(value->factor >= 0 && value->factor <= 100)) {
            return sni_fail(error, SN_INVALID, "%s: %s value %u is %g, but must be from 0 to 100",
                            checking->kind, what, i + 1, value->factor);
        }
    }
    return SN_OK;
}

static sn_status validate(const sni_checking *checking, const void *block, sn_error *error) {
    const sni_vary_input *input = block;
    sn_status status = SN_OK;
    SN_TRY(validate_values(checking, &input->bulge, "bulge", error));
    SN_TRY(validate_values(checking, &input->thickness, "thickness", error));
    SN_TRY(validate_values(checking, &input->contraction, "contraction", error));
cleanup:
    return status;
}

const sni_input sni_input_vary = {.name = "factors over its surface",
                                  .fields = fields,
                                  .field_count = COUNT(fields),
                                  .decode = decode,
                                  .digest = digest,
                                  .collect = collect,
                                  .validate = validate};
