// SPDX-License-Identifier: Apache-2.0
//
// The eyeballs of a skin with lids, and the control that closes the lids of each.
#include "character/blueprint/blueprint.h"
#include "character/schema/tables.h"
#include "eval/rest.h"

static const sni_schema_field eye_fields[] = {
    NEEDED("eye", text, .name_of = "tissues", .help = "The tissue that is the eyeball."),
    NEEDED("closes", text, .name_of = "controls",
           .help = "The control, from 0 to 1, that closes its lids: that of the muscle in them."),
    ABOUT};
static const sni_schema eye_entry = OBJECT("An eye and what closes its lids.", eye_fields);
static const sni_schema eye_list = {
    .type = SNI_SCHEMA_ARRAY, .help = "Eyes.", .item = &eye_entry, .least = 1};

static const sni_schema_field fields[] = {
    NEEDED("eyes", eye_list, .help = "The eyes whose lids it moves.")};

static sn_status decode_eye(sni_blueprint *blueprint, const sn_value *entry, sni_eye_plan *eye,
                            sn_error *error) {
    sn_status status = SN_OK;
    const sn_value *name = sn_value_get(entry, "eye");
    SN_TRY(sni_find_name(blueprint, SNI_SECTION_TISSUES, name, &eye->surface, error));
    eye->surface += blueprint->names[SNI_SECTION_BONES].count;
    SN_TRY(sni_find_control(blueprint, sn_value_get(entry, "closes"), &eye->control, error));
    uint32_t segment = blueprint->surfaces[eye->surface].segment;
    if (blueprint->skeleton.segments[segment].parent == SN_NONE) {
        SN_TRY(sni_fail_value(error, name, SN_INVALID,
                              "\"%s\" is carried by \"%s\", which has no parent: an eye turns in a "
                              "head, by a segment of its own",
                              name->as.string, blueprint->skeleton.segments[segment].name));
    }
cleanup:
    return status;
}

static sn_status decode(const sni_decoding *decoding, void **made, sn_error *error) {
    sni_blueprint *blueprint = decoding->blueprint;
    const sn_value *list = sn_value_get(decoding->object, "eyes");
    sni_eyes_plan *plan;
    sn_status status = SN_OK;
    if (list == NULL) {
        return SN_OK;
    }
    SNI_PLAN_NEW(blueprint, plan, 1);
    plan->count = sn_value_count(list);
    SNI_PLAN_NEW(blueprint, plan->eyes, plan->count);
    for (uint32_t i = 0; i < plan->count && status == SN_OK; ++i) {
        status = decode_eye(blueprint, sn_value_at(list, i), &plan->eyes[i], error);
    }
    *made = plan;
    return status;
}

static sn_status digest(const sni_collecting *collecting, const void *made, sni_digest *digest,
                        sn_error *error) {
    const sni_eyes_plan *plan = made;
    (void)error;
    for (uint32_t i = 0; i < plan->count; ++i) {
        sni_digest_add_index(digest, plan->eyes[i].control);
        sni_digest_add_surface(digest, collecting->rest, plan->eyes[i].surface);
        sni_digest_add_index(digest, collecting->rest->surfaces[plan->eyes[i].surface].segment);
    }
    return SN_OK;
}

static sn_status collect(const sni_collecting *collecting, const void *made, const void **block,
                         void **kept, sn_error *error) {
    const sni_eyes_plan *plan = made;
    (void)kept;
    sni_lid_eye *eyes = sni_arena_alloc(collecting->arena, plan->count, sizeof *eyes);
    if (eyes == NULL) {
        return sni_fail_memory(error);
    }
    for (uint32_t i = 0; i < plan->count; ++i) {
        const sn_surface *surface = &collecting->rest->surfaces[plan->eyes[i].surface];
        eyes[i] = (sni_lid_eye){.name = surface->name,
                                .mesh = surface->mesh,
                                .segment = surface->segment,
                                .in_segment_frame = surface->in_segment_frame,
                                .control = plan->eyes[i].control};
    }
    sni_eyes_input input = {.count = plan->count, .eyes = eyes};
    return sni_block_collect(collecting, &input, sizeof input, block, error);
}

static sn_status validate(const sni_checking *checking, const void *block, sn_error *error) {
    const sni_eyes_input *input = block;
    for (uint32_t i = 0; i < input->count; ++i) {
        if (input->eyes[i].mesh == NULL || input->eyes[i].segment >= checking->segment_count) {
            return sni_fail(error, SN_INVALID,
                            "%s: eye %u (\"%s\") has no mesh, or segment %u of %u", checking->kind,
                            i, input->eyes[i].name != NULL ? input->eyes[i].name : "",
                            input->eyes[i].segment, checking->segment_count);
        }
    }
    return SN_OK;
}

const sni_input sni_input_eyes = {.name = "eyes",
                                  .fields = fields,
                                  .field_count = COUNT(fields),
                                  .decode = decode,
                                  .digest = digest,
                                  .collect = collect,
                                  .validate = validate};
