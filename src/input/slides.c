// SPDX-License-Identifier: Apache-2.0
//
// Bones and tissues that the points of a sphincter slide on, such as an eyeball or teeth.
#include "character/schema/tables.h"
#include "input/grid_internal.h"

static const sni_schema_field fields[] = {
    FIELD("slides", sni_names_schema, .name_of = "bones tissues",
          .help = "Bones and tissues that the points of a sphincter slide on: they come no closer "
                  "to them than they are at rest.")};

static sn_status decode(const sni_decoding *decoding, void **made, sn_error *error) {
    static const sni_section among[] = {SNI_SECTION_BONES, SNI_SECTION_TISSUES};
    const sn_value *list = sn_value_get(decoding->object, "slides");
    if (list != NULL && sn_value_get(decoding->object, "center") == NULL) {
        return sni_fail_value(error, list, SN_INVALID,
                              "only a sphincter, which has a \"center\", slides");
    }
    return sni_decode_names(decoding, "slides", among, 2, made, error);
}

static sn_status digest(const sni_collecting *collecting, const void *made, sni_digest *digest,
                        sn_error *error) {
    const sni_names_plan *plan = made;
    (void)error;
    for (uint32_t i = 0; i < plan->count; ++i) {
        sni_digest_add_index(digest, plan->numbers[i]);
        sni_digest_add_surface(digest, collecting->rest, plan->numbers[i]);
    }
    return SN_OK;
}

// Bones and tissues are the first surfaces.
static sn_status collect(const sni_collecting *collecting, const void *made, const void **block,
                         void **kept, sn_error *error) {
    const sni_names_plan *plan = made;
    sni_touched_bone *bones = sni_arena_alloc(collecting->arena, plan->count, sizeof *bones);
    sn_status status = bones != NULL ? SN_OK : sni_fail_memory(error);
    (void)kept;
    for (uint32_t i = 0; i < plan->count && status == SN_OK; ++i) {
        status = sni_touched_bone_make(collecting, plan->numbers[i], &bones[i], error);
    }
    sni_slides_input input = {.count = plan->count, .bones = bones};
    return status == SN_OK ? sni_block_collect(collecting, &input, sizeof input, block, error)
                           : status;
}

static sn_status validate(const sni_checking *checking, const void *block, sn_error *error) {
    const sni_slides_input *input = block;
    for (uint32_t i = 0; i < input->count; ++i) {
        uint32_t segment = input->bones[i].segment;
        if (input->bones[i].grid == NULL ||
            (segment != SN_NONE && segment >= checking->segment_count)) {
            return sni_fail(error, SN_INVALID,
                            "%s: what it slides on, number %u, has no grid or segment %u of %u",
                            checking->kind, i, segment, checking->segment_count);
        }
    }
    return SN_OK;
}

const sni_input sni_input_slides = {.name = "what it slides on",
                                    .fields = fields,
                                    .field_count = COUNT(fields),
                                    .decode = decode,
                                    .digest = digest,
                                    .collect = collect,
                                    .validate = validate};
