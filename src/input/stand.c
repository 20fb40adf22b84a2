// SPDX-License-Identifier: Apache-2.0
//
// How a mesh stands at rest: the segments of its bones, where a deformer of the skin takes its
// weights. It has no keys of its own.
#include "character/blueprint/blueprint.h"
#include "eval/rest.h"

static sn_status decode(const sni_decoding *decoding, void **made, sn_error *error) {
    char *plan; // says no more than that it is taken
    SNI_PLAN_NEW(decoding->blueprint, plan, 1);
    *made = plan;
    return SN_OK;
}

static const uint32_t *segments_of(const sni_collecting *collecting) {
    return collecting->rest->details[collecting->surface].bone_segments;
}

static sn_status digest(const sni_collecting *collecting, const void *plan, sni_digest *digest,
                        sn_error *error) {
    (void)plan;
    (void)error;
    const uint32_t *segments = segments_of(collecting);
    const sn_weights *weights = collecting->rest->surfaces[collecting->surface].mesh->weights;
    sni_digest_add(digest, segments, segments != NULL ? weights->bone_count * sizeof *segments : 0);
    return SN_OK;
}

static sn_status collect(const sni_collecting *collecting, const void *plan, const void **block,
                         void **kept, sn_error *error) {
    (void)plan;
    (void)kept;
    sni_stand_input input = {.bone_segments = segments_of(collecting)};
    return sni_block_collect(collecting, &input, sizeof input, block, error);
}

static sn_status validate(const sni_checking *checking, const void *block, sn_error *error) {
    const sni_stand_input *input = block;
    const sn_weights *weights = checking->mesh->weights;
    for (uint32_t i = 0; input->bone_segments != NULL && i < weights->bone_count; ++i) {
        if (input->bone_segments[i] >= checking->segment_count) {
            return sni_fail(error, SN_INVALID, "%s: bone %u has segment %u, but there are %u",
                            checking->kind, i, input->bone_segments[i], checking->segment_count);
        }
    }
    return SN_OK;
}

const sni_input sni_input_stand = {
    .name = "rest", .decode = decode, .digest = digest, .collect = collect, .validate = validate};
