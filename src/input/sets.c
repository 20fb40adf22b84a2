// SPDX-License-Identifier: Apache-2.0
//
// Sets of a driver's faces that were edited by hand, and the parametric surface that a driver mesh
// stands for.
#include "character/blueprint/blueprint.h"
#include "character/schema/tables.h"
#include "eval/rest.h"

#include <string.h>

static const char *const set_modes[] = {"only", "add", "remove", NULL};
static const sni_schema set_mode = {
    .type = SNI_SCHEMA_CHOICE,
    .help = "Whether the points follow only these faces, these too, or all but these.",
    .choices = set_modes};
static const sni_schema_field set_fields[] = {
    NEEDED("points", sni_ranges_schema,
           .help = "Vertices of the skin, from 0, such as 12,40-60, or all."),
    NEEDED("faces", sni_ranges_schema,
           .help = "Faces of the driver, from 0, such as 12,40-60, or all."),
    NEEDED("mode", set_mode, .help = NULL), ABOUT};
static const sni_schema element_set =
    OBJECT("Faces of the driver that points of the skin may follow.", set_fields);
static const sni_schema element_sets = {
    .type = SNI_SCHEMA_ARRAY,
    .help = "Element sets edited by hand; later sets override earlier ones.",
    .item = &element_set};

static const sni_schema patch_degree = {
    .type = SNI_SCHEMA_WHOLE, .help = "Degree along u and v.", .low = 1, .high = 7};
static const sni_schema patch_count = {
    .type = SNI_SCHEMA_WHOLE, .help = "Control points.", .low = 2, .high = 65535};
static const sni_schema patch_counts = {.type = SNI_SCHEMA_ARRAY,
                                        .help = "Control points along u and v, v fastest.",
                                        .item = &patch_count,
                                        .least = 2,
                                        .most = 2};
static const sni_schema patch_closed = {.type = SNI_SCHEMA_ARRAY,
                                        .help = "Whether it is closed along u and v.",
                                        .item = &flag,
                                        .least = 2,
                                        .most = 2};
static const sni_schema patch_samples = {.type = SNI_SCHEMA_WHOLE,
                                         .help = "Elements along each span between knots.",
                                         .low = 1,
                                         .high = 64};
static const sni_schema_field patch_fields[] = {
    NEEDED("counts", patch_counts, .help = NULL), FIELD("degree", patch_degree, .standard = "3"),
    FIELD("closed", patch_closed, .standard = "[false, false]"),
    FIELD("samples", patch_samples, .standard = "2")};
static const sni_schema driver_patch =
    OBJECT("The driver mesh's vertices are control points of a B-spline surface.", patch_fields);

static const sni_schema_field fields[] = {FIELD("sets", element_sets, .help = NULL),
                                          FIELD("driver_patch", driver_patch, .help = NULL)};

static sn_status decode_sets(const sni_decoding *decoding, sni_sets_plan *plan, sn_error *error) {
    const sn_value *list = sn_value_get(decoding->object, "sets");
    plan->count = sn_value_count(list);
    SNI_PLAN_NEW(decoding->blueprint, plan->sets, plan->count);
    for (uint32_t i = 0; i < plan->count; ++i) {
        const sn_value *set = sn_value_at(list, i);
        const char *mode = sn_value_string(sn_value_get(set, "mode"), "");
        plan->sets[i] = (sn_wrap_set){
            .points = sn_value_string(sn_value_get(set, "points"), ""),
            .faces = sn_value_string(sn_value_get(set, "faces"), ""),
            .mode = strcmp(mode, "only") == 0  ? SN_WRAP_SET_ONLY
                    : strcmp(mode, "add") == 0 ? SN_WRAP_SET_ADD
                                               : SN_WRAP_SET_REMOVE,
        };
    }
    return SN_OK;
}

static sn_status decode_patch(const sni_decoding *decoding, sni_sets_plan *plan, sn_error *error) {
    const sn_value *value = sn_value_get(decoding->object, "driver_patch");
    if (value == NULL) {
        return SN_OK;
    }
    const sn_value *counts = sn_value_get(value, "counts"), *closed = sn_value_get(value, "closed");
    SNI_PLAN_NEW(decoding->blueprint, plan->patch, 1);
    *plan->patch =
        (sn_wrap_patch){.samples = (uint32_t)sn_value_number(sn_value_get(value, "samples"), 2)};
    for (uint32_t i = 0; i < 2; ++i) {
        plan->patch->degrees[i] = (uint32_t)sn_value_number(sn_value_get(value, "degree"), 3);
        plan->patch->counts[i] = (uint32_t)sn_value_number(sn_value_at(counts, i), 0);
        plan->patch->closed[i] = closed != NULL && sn_value_bool(sn_value_at(closed, i), false);
    }
    return SN_OK;
}

static sn_status decode(const sni_decoding *decoding, void **made, sn_error *error) {
    sni_sets_plan *plan;
    sn_status status = SN_OK;
    SNI_PLAN_NEW(decoding->blueprint, plan, 1);
    *plan = (sni_sets_plan){0};
    SN_TRY(decode_sets(decoding, plan, error));
    SN_TRY(decode_patch(decoding, plan, error));
    *made = plan;
cleanup:
    return status;
}

static sn_status digest(const sni_collecting *collecting, const void *made, sni_digest *digest,
                        sn_error *error) {
    const sni_sets_plan *plan = made;
    const sn_wrap_patch *patch = plan->patch;
    (void)collecting;
    (void)error;
    sni_digest_add_index(digest, plan->count);
    for (uint32_t i = 0; i < plan->count; ++i) {
        sni_digest_add_text(digest, plan->sets[i].points);
        sni_digest_add_text(digest, plan->sets[i].faces);
        sni_digest_add_index(digest, (uint32_t)plan->sets[i].mode);
    }
    if (patch != NULL) {
        uint32_t numbers[7] = {patch->samples,   patch->degrees[0], patch->degrees[1],
                               patch->counts[0], patch->counts[1],  patch->closed[0],
                               patch->closed[1]};
        sni_digest_add(digest, numbers, sizeof numbers);
    }
    return SN_OK;
}

static sn_status collect(const sni_collecting *collecting, const void *made, const void **block,
                         void **kept, sn_error *error) {
    const sni_sets_plan *plan = made;
    (void)kept;
    sni_sets_input input = {.count = plan->count, .sets = plan->sets, .patch = plan->patch};
    return sni_block_collect(collecting, &input, sizeof input, block, error);
}

const sni_input sni_input_sets = {.name = "element sets",
                                  .fields = fields,
                                  .field_count = COUNT(fields),
                                  .decode = decode,
                                  .digest = digest,
                                  .collect = collect};
