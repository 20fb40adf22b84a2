// SPDX-License-Identifier: Apache-2.0
//
// Bones, tissues and skins that a deformer touches.
#include "character/blueprint/blueprint.h"
#include "character/schema/tables.h"
#include "eval/rest.h"

static const sni_schema_field fields[] = {
    FIELD("colliders", sni_names_schema, .name_of = "bones tissues skins",
          .help = "Bones, tissues and skins that it touches.")};

static sn_status decode(const sni_decoding *decoding, void **made, sn_error *error) {
    // In the order in which surfaces stand.
    static const sni_section among[] = {SNI_SECTION_BONES, SNI_SECTION_TISSUES, SNI_SECTION_SKINS};
    return sni_decode_names(decoding, "colliders", among, 3, made, error);
}

static void needs(const void *made, sni_need_fn need, void *user) {
    const sni_names_plan *plan = made;
    for (uint32_t i = 0; i < plan->count; ++i) {
        need(&(sni_need){.surface = plan->numbers[i],
                         .name = sn_value_at(plan->names, i),
                         .first = true,
                         .touched = true},
             user);
    }
}

static sn_status digest(const sni_collecting *collecting, const void *made, sni_digest *digest,
                        sn_error *error) {
    const sni_names_plan *plan = made;
    (void)error;
    sni_digest_add_index(digest, plan->count);
    for (uint32_t i = 0; i < plan->count; ++i) {
        sni_digest_add_surface(digest, collecting->rest, plan->numbers[i]);
    }
    return SN_OK;
}

static sn_status collect(const sni_collecting *collecting, const void *made, const void **block,
                         void **kept, sn_error *error) {
    const sni_names_plan *plan = made;
    (void)kept;
    const sn_mesh **meshes = sni_arena_alloc(collecting->arena, plan->count, sizeof *meshes);
    if (meshes == NULL) {
        return sni_fail_memory(error);
    }
    for (uint32_t i = 0; i < plan->count; ++i) {
        meshes[i] = collecting->rest->surfaces[plan->numbers[i]].mesh;
    }
    sni_colliders_input input = {.count = plan->count, .meshes = meshes};
    return sni_block_collect(collecting, &input, sizeof input, block, error);
}

static const void *pose(const sni_posing *posing, const void *made, const void *kept) {
    const sni_names_plan *plan = made;
    (void)kept;
    const float **points = sni_arena_alloc(posing->arena, plan->count, sizeof *points);
    if (points == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < plan->count; ++i) {
        points[i] = sn_frame_points(posing->frame, plan->numbers[i]);
    }
    sni_colliders_pose posed = {.points = points};
    return sni_block_new(posing->arena, &posed, sizeof posed);
}

const sni_input sni_input_colliders = {.name = "colliders",
                                       .fields = fields,
                                       .field_count = COUNT(fields),
                                       .decode = decode,
                                       .needs = needs,
                                       .digest = digest,
                                       .collect = collect,
                                       .pose = pose};
