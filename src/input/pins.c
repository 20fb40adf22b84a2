// SPDX-License-Identifier: Apache-2.0
//
// Vertices that stay where the deformers before put them.
#include "character/blueprint/blueprint.h"
#include "character/schema/tables.h"
#include "eval/points.h"
#include "eval/rest.h"

static const sni_schema vertex_list = {.type = SNI_SCHEMA_ARRAY,
                                       .help = "Vertices of the mesh, from 0.",
                                       .item = &sni_vertex_schema,
                                       .least = 1};
static const sni_schema vertices = {.type = SNI_SCHEMA_EITHER,
                                    .help = "Vertices of the mesh, from 0.",
                                    .item = &sni_ranges_schema,
                                    .other = &vertex_list};

static const sni_schema_field fields[] = {
    FIELD("pins", vertices,
          .help = "Vertices, from 0, that stay where the deformers before put them: numbers and "
                  "ranges such as 12,40-60, or a list.")};

static sn_status decode(const sni_decoding *decoding, void **made, sn_error *error) {
    const sn_value *pins = sn_value_get(decoding->object, "pins");
    sni_pins_plan *plan;
    if (pins == NULL) {
        return SN_OK;
    }
    SNI_PLAN_NEW(decoding->blueprint, plan, 1);
    *plan = (sni_pins_plan){0};
    *made = plan;
    if (pins->type == SN_JSON_STRING) {
        return sni_decode_points(pins, &plan->points, error);
    }
    plan->count = sn_value_count(pins);
    SNI_PLAN_NEW(decoding->blueprint, plan->vertices, plan->count);
    for (uint32_t i = 0; i < plan->count; ++i) {
        plan->vertices[i] = (uint32_t)sn_value_at(pins, i)->as.number;
    }
    return SN_OK;
}

static sn_status digest(const sni_collecting *collecting, const void *made, sni_digest *digest,
                        sn_error *error) {
    const sni_pins_plan *plan = made;
    (void)collecting;
    (void)error;
    sni_digest_add(digest, plan->vertices, plan->count * sizeof *plan->vertices);
    sni_digest_add_text(digest, plan->points.text);
    return SN_OK;
}

static sn_status collect(const sni_collecting *collecting, const void *made, const void **block,
                         void **kept, sn_error *error) {
    const sni_pins_plan *plan = made;
    const sn_mesh *mesh = collecting->rest->surfaces[collecting->surface].mesh;
    (void)kept;
    sni_pins_input input = {.count = plan->count, .vertices = plan->vertices};
    uint32_t *listed = NULL;
    sn_status status = SN_OK;
    if (plan->points.value != NULL) {
        status =
            sni_points_list(&plan->points, mesh, collecting->arena, &listed, &input.count, error);
        input.vertices = listed;
    }
    return status == SN_OK ? sni_block_collect(collecting, &input, sizeof input, block, error)
                           : status;
}

static sn_status validate(const sni_checking *checking, const void *block, sn_error *error) {
    const sni_pins_input *input = block;
    const sn_mesh *mesh = checking->mesh;
    for (uint32_t i = 0; i < input->count; ++i) {
        if (input->vertices[i] >= mesh->vertex_count) {
            return sni_fail(error, SN_INVALID,
                            "%s: pin %u is vertex %u, but the mesh \"%s\" has %u vertices",
                            checking->kind, i, input->vertices[i], mesh->name, mesh->vertex_count);
        }
    }
    return SN_OK;
}

const sni_input sni_input_pins = {.name = "pins",
                                  .fields = fields,
                                  .field_count = COUNT(fields),
                                  .decode = decode,
                                  .digest = digest,
                                  .collect = collect,
                                  .validate = validate};
