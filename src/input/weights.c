// SPDX-License-Identifier: Apache-2.0
//
// The weights of a mesh: which segments its bones are, and what is painted over them. The body at
// rest maps and paints (eval/rest_surfaces.c), since muscles that are drawn on a skin need it too.
// A kind that can do without weights has no block where the mesh has none.
#include "character/blueprint/blueprint.h"
#include "character/schema/tables.h"
#include "eval/rest.h"

static const sni_schema_field paint_fields[] = {
    NEEDED("segment", text, .name_of = "segments", .help = "The segment that the weights are for."),
    NEEDED("points", sni_points_schema,
           .help = "Vertices of the mesh, from 0: numbers and ranges such as 12,40-60, or all; or "
                   "[first, last], both included."),
    FIELD("values", sni_shares_schema,
          .help = "Their weights on the segment, one for each of the points, by rising number."),
    FIELD("weight", sni_share_schema, .standard = "1",
          .help = "Their weight on the segment; multiplies values."),
    ABOUT};
static const sni_schema paint_entry =
    OBJECT("What some points hang on a segment; their other weights are scaled so that the sum "
           "stays 1.",
           paint_fields);
static const sni_schema paint = {
    .type = SNI_SCHEMA_ARRAY,
    .help = "Weights painted by hand over those of the mesh; later entries override earlier ones.",
    .item = &paint_entry,
    .least = 1};

static const sni_schema_field fields[] = {
    FIELD("bones", sni_name_map_schema, .name_of = "segments",
          .help = "The segment of each bone of the mesh; equal names when not given. Every bone "
                  "needs one."),
    FIELD("paint", paint, .help = NULL)};

static sn_status decode_paint(const sni_decoding *decoding, sni_weights_plan *plan,
                              sn_error *error) {
    sni_blueprint *blueprint = decoding->blueprint;
    const sn_value *list = sn_value_get(decoding->object, "paint");
    sn_status status = SN_OK;
    plan->paint_count = sn_value_count(list);
    SNI_PLAN_NEW(blueprint, plan->paint, plan->paint_count);
    for (uint32_t i = 0; i < plan->paint_count && status == SN_OK; ++i) {
        const sn_value *entry = sn_value_at(list, i);
        status = sni_find_name(blueprint, SNI_SECTION_SKELETON, sn_value_get(entry, "segment"),
                               &plan->paint[i].segment, error);
        if (status == SN_OK) {
            status = sni_decode_point_values(blueprint, entry, &plan->paint[i].points, error);
        }
    }
    return status;
}

static sn_status decode(const sni_decoding *decoding, void **made, sn_error *error) {
    sni_weights_plan *plan;
    sn_status status = SN_OK;
    SNI_PLAN_NEW(decoding->blueprint, plan, 1);
    SN_TRY(sni_decode_name_map(decoding->blueprint, sn_value_get(decoding->object, "bones"),
                               SNI_SECTION_SKELETON, &plan->bones, error));
    SN_TRY(decode_paint(decoding, plan, error));
    *made = plan;
cleanup:
    return status;
}

static const uint32_t *segments_of(const sni_collecting *collecting) {
    return collecting->rest->details[collecting->surface].bone_segments;
}

static sn_status digest(const sni_collecting *collecting, const void *plan, sni_digest *digest,
                        sn_error *error) {
    (void)plan;
    (void)error;
    const sn_weights *weights = collecting->rest->surfaces[collecting->surface].mesh->weights;
    sni_digest_add(digest, segments_of(collecting),
                   weights != NULL ? weights->bone_count * sizeof(uint32_t) : 0);
    return SN_OK;
}

static sn_status collect(const sni_collecting *collecting, const void *plan, const void **block,
                         void **kept, sn_error *error) {
    (void)plan;
    (void)kept;
    sni_weights_input input = {.bone_segments = segments_of(collecting)};
    if (collecting->rest->surfaces[collecting->surface].mesh->weights == NULL) {
        return SN_OK; // a kind that can do without them has none
    }
    return sni_block_collect(collecting, &input, sizeof input, block, error);
}

static sn_status validate(const sni_checking *checking, const void *block, sn_error *error) {
    const sni_weights_input *input = block;
    const sn_mesh *mesh = checking->mesh;
    const sn_weights *weights = mesh->weights;
    if (weights == NULL) {
        return sni_fail(error, SN_INVALID, "%s: mesh \"%s\" has no weights", checking->kind,
                        mesh->name);
    }
    bool lacks_segments = checking->segment_count == 0 && weights->bone_count > 0;
    if (lacks_segments || checking->rest_worlds == NULL || input->bone_segments == NULL) {
        return sni_fail(error, SN_INVALID, "%s: mesh \"%s\" has weights, but there is no skeleton",
                        checking->kind, mesh->name);
    }
    for (uint32_t bone = 0; bone < weights->bone_count; ++bone) {
        if (input->bone_segments[bone] >= checking->segment_count) {
            const char *name = weights->bone_names[bone];
            return sni_fail(error, SN_INVALID,
                            "%s: bone %u (\"%s\") has segment %u, but there are %u", checking->kind,
                            bone, name != NULL ? name : "", input->bone_segments[bone],
                            checking->segment_count);
        }
    }
    return SN_OK;
}

const sni_input sni_input_weights = {.name = "weights",
                                     .fields = fields,
                                     .field_count = COUNT(fields),
                                     .decode = decode,
                                     .digest = digest,
                                     .collect = collect,
                                     .validate = validate};
