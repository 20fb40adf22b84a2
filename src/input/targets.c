// SPDX-License-Identifier: Apache-2.0
//
// The morph targets of a mesh, and the control of each.
#include "character/blueprint/blueprint.h"
#include "character/schema/tables.h"
#include "eval/rest.h"

static const sni_schema_field fields[] = {
    FIELD("targets", sni_name_map_schema, .name_of = "controls",
          .help = "The control of each morph target of the mesh; equal names when not given.")};

static sn_status decode(const sni_decoding *decoding, void **made, sn_error *error) {
    sni_targets_plan *plan;
    SNI_PLAN_NEW(decoding->blueprint, plan, 1);
    *made = plan;
    return sni_decode_name_map(decoding->blueprint, sn_value_get(decoding->object, "targets"),
                               SNI_SECTION_CONTROLS, &plan->targets, error);
}

static const uint32_t *controls_of(const sni_collecting *collecting) {
    return collecting->rest->details[collecting->surface].target_controls;
}

static sn_status digest(const sni_collecting *collecting, const void *plan, sni_digest *digest,
                        sn_error *error) {
    (void)plan;
    (void)error;
    const sn_mesh *mesh = collecting->rest->surfaces[collecting->surface].mesh;
    sni_digest_add(digest, controls_of(collecting), mesh->target_count * sizeof(uint32_t));
    return SN_OK;
}

static sn_status collect(const sni_collecting *collecting, const void *plan, const void **block,
                         void **kept, sn_error *error) {
    (void)plan;
    (void)kept;
    sni_targets_input input = {.controls = controls_of(collecting)};
    return sni_block_collect(collecting, &input, sizeof input, block, error);
}

const sni_input sni_input_targets = {.name = "morph targets",
                                     .fields = fields,
                                     .field_count = COUNT(fields),
                                     .decode = decode,
                                     .digest = digest,
                                     .collect = collect};
